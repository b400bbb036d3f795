/* Recognising tilings and direct sums: given one operand, find the other.
 *
 * Each dimension of the whole owns iters for the outer index, then iters for the inner one. Splitting them there gives
 * the only candidate for the missing operand; combining it with the given one again and comparing proves it. */
#include "layout/draft.h"
#include "layout/layout.h"

struct search {
    struct layout_env e;
    const struct layout *whole, *given;
    struct shape whole_shape, given_shape, other_shape;
    bool given_is_inner, scaled;
};

static bool divide_shape(struct search *s)
{
    s->other_shape.rank = s->whole_shape.rank;
    if (s->given_shape.rank != s->whole_shape.rank)
        return false;
    for (uint32_t d = 0; d < s->whole_shape.rank; d++) {
        if (s->whole_shape.dim[d] % s->given_shape.dim[d] != 0)
            return false;
        s->other_shape.dim[d] = s->whole_shape.dim[d] / s->given_shape.dim[d];
    }
    return true;
}

/* Appends the missing operand's iters of one dimension. */
static bool take_dim(const struct search *s, const struct grouping *g, uint32_t dim, struct draft *d)
{
    struct draft run;
    tw_draft_empty(&run);
    for (uint32_t i = g->first[dim]; i < g->first[dim + 1]; i++)
        run.shard[run.shard_count++] = g->layout->shard[i];
    const struct layout *iters = tw_draft_finish(&s->e, &run);
    const int64_t given = s->given_shape.dim[dim], other = s->other_shape.dim[dim];
    const struct shape halves = {2, {s->given_is_inner ? other : given, s->given_is_inner ? given : other}};
    struct grouping split;
    if (iters == NULL || !tw_layout_group(&s->e, iters, &halves, &split))
        return false;
    const uint32_t half = s->given_is_inner ? 0 : 1;
    for (uint32_t i = split.first[half]; i < split.first[half + 1]; i++)
        d->shard[d->shard_count++] = split.layout->shard[i];
    return true;
}

/* The whole's replicas without the given operand's; true when all of those were there. */
static bool take_replicas(const struct search *s, struct draft *d)
{
    bool used[TW_MAX_ITERS] = {false};
    const struct layout *g = s->given;
    for (uint32_t i = 0; i < s->whole->replica_count; i++) {
        const struct iter it = s->whole->replica[i];
        uint32_t match = 0;
        while (match < g->replica_count && (used[match] || g->replica[match].extent != it.extent ||
                                            g->replica[match].stride != it.stride || g->replica[match].axis != it.axis))
            match++;
        if (match < g->replica_count)
            used[match] = true;
        else
            tw_draft_push_replica(d, it.extent, it.stride, it.axis);
    }
    for (uint32_t i = 0; i < g->replica_count; i++)
        if (!used[i])
            return false;
    return true;
}

static bool unscale(const struct search *s, struct iter *iters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool used = (tw_layout_iter_axes(s->given) & AXIS_BIT(iters[i].axis)) != 0;
        const int64_t unit = used ? tw_layout_span(s->given, iters[i].axis) : 1;
        if (unit == 0 || iters[i].stride % unit != 0)
            return false;
        iters[i].stride /= unit;
    }
    return true;
}

static const struct layout *combine_again(const struct search *s, const struct layout *other)
{
    const struct layout *outer = s->given_is_inner ? other : s->given, *inner = s->given_is_inner ? s->given : other;
    const struct shape *outer_shape = s->given_is_inner ? &s->other_shape : &s->given_shape;
    const struct shape *inner_shape = s->given_is_inner ? &s->given_shape : &s->other_shape;
    return s->scaled ? tw_layout_tile(&s->e, inner, inner_shape, outer, outer_shape)
                     : tw_layout_direct_sum(&s->e, outer, outer_shape, inner, inner_shape);
}

static const struct layout *find_other(struct search *s)
{
    s->whole = tw_layout_canonical(&s->e, s->whole);
    struct grouping g;
    struct draft d;
    if (s->whole == NULL || !divide_shape(s) || !tw_layout_group(&s->e, s->whole, &s->whole_shape, &g))
        return NULL;
    tw_draft_empty(&d);
    d.swizzled = s->whole->swizzled && !s->given_is_inner;
    d.swizzle = s->whole->swizzle;
    for (uint32_t dim = 0; dim < s->whole_shape.rank; dim++)
        if (!take_dim(s, &g, dim, &d))
            return NULL;
    if (!take_replicas(s, &d))
        return NULL;
    for (int a = 0; a < AXIS_COUNT; a++)
        d.offset[a] = s->whole->offset[a] - s->given->offset[a];
    const bool outer_is_scaled = s->scaled && s->given_is_inner;
    if (outer_is_scaled && (!unscale(s, d.shard, d.shard_count) || !unscale(s, d.replica, d.replica_count)))
        return NULL;
    const struct layout *other = tw_draft_finish(&s->e, &d);
    const struct layout *again = other == NULL ? NULL : combine_again(s, other);
    return again != NULL && tw_layout_eq(s->e.arena, again, s->whole) ? other : NULL;
}

static const struct layout *start(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                  const struct layout *given, const struct shape *given_shape, bool given_is_inner,
                                  bool scaled)
{
    struct search s = {.e = {.arena = arena}, .whole = whole, .given = given, .given_is_inner = given_is_inner,
                       .scaled = scaled};
    if (!tw_shape_check(&s.e, whole_shape) || !tw_shape_check(&s.e, given_shape))
        return NULL;
    s.whole_shape = *whole_shape;
    s.given_shape = *given_shape;
    return find_other(&s);
}

const struct layout *tw_layout_outer_of_tile(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                             const struct layout *inner, const struct shape *inner_shape)
{
    return start(arena, whole, whole_shape, inner, inner_shape, true, true);
}

const struct layout *tw_layout_inner_of_tile(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                             const struct layout *outer, const struct shape *outer_shape)
{
    return start(arena, whole, whole_shape, outer, outer_shape, false, true);
}

const struct layout *tw_layout_left_of_sum(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                           const struct layout *right, const struct shape *right_shape)
{
    return start(arena, whole, whole_shape, right, right_shape, true, false);
}

const struct layout *tw_layout_right_of_sum(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                            const struct layout *left, const struct shape *left_shape)
{
    return start(arena, whole, whole_shape, left, left_shape, false, false);
}
