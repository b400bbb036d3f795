/* Layouts made of two: tile, tile_to, direct_sum. */
#include "layout/draft.h"
#include "layout/layout.h"
#include "layout/refuse.h"

struct pair {
    const struct layout *outer, *inner;
    const struct shape *outer_shape, *inner_shape;
    bool scale; /* outer strides count spans of the inner layout */
};

/* The distance between neighbours of the outer layout on an axis, in coordinates. */
static int64_t unit_on(const struct pair *p, enum axis axis)
{
    const bool used = (tw_layout_iter_axes(p->inner) & AXIS_BIT(axis)) != 0;
    return p->scale && used ? tw_layout_span(p->inner, axis) : 1;
}

static bool check_pair(const struct layout_env *e, const struct pair *p)
{
    if (!tw_shape_check(e, p->outer_shape) || !tw_shape_check(e, p->inner_shape))
        return false;
    if (p->outer_shape->rank != p->inner_shape->rank)
        return REFUSE(e, E0317, .message = "two shapes that are tiled have different ranks",
                      .expected = tw_format(e->arena, "a shape of %u dimensions", p->inner_shape->rank),
                      .found = tw_shape_text(e->arena, p->outer_shape));
    if (p->outer->swizzled)
        return REFUSE(e, E0317, .message = "the outer layout of a tiling is swizzled", .expected = "a TileLayout",
                      .found = tw_layout_text(e->arena, p->outer));
    return true;
}

/* A bare swizzle takes the dense tile of the inner shape. */
static const struct layout *inner_tile(const struct layout_env *e, const struct pair *p)
{
    if (!tw_layout_is_bare_swizzle(p->inner) || tw_shape_elems(p->inner_shape) == tw_layout_size(p->inner))
        return p->inner;
    const struct layout *dense = tw_layout_default(e, p->inner_shape);
    return dense == NULL ? NULL : tw_layout_compose(e, &p->inner->swizzle, dense);
}

static bool group_canonical(const struct layout_env *e, const struct layout *l, const struct shape *shape,
                            struct grouping *out)
{
    const struct layout *canonical = tw_layout_canonical(e, l);
    return canonical != NULL && tw_layout_group(e, canonical, shape, out);
}

static void push_scaled(struct draft *d, const struct pair *p, const struct iter *it)
{
    tw_draft_push(d, it->extent, tw_mul_sat(it->stride, unit_on(p, it->axis)), it->axis);
}

static const struct layout *interleave(const struct layout_env *e, const struct pair *p, const struct grouping *outer,
                                       const struct grouping *inner)
{
    struct draft d;
    tw_draft_frame(&d, p->inner); /* replicas of the inner layout come first */
    for (uint32_t i = 0; i < p->outer->replica_count; i++) {
        const struct iter *it = &p->outer->replica[i];
        tw_draft_push_replica(&d, it->extent, tw_mul_sat(it->stride, unit_on(p, it->axis)), it->axis);
    }
    for (int a = 0; a < AXIS_COUNT; a++)
        d.offset[a] = tw_add_sat(d.offset[a], p->outer->offset[a]);
    for (uint32_t dim = 0; dim < p->inner_shape->rank; dim++) {
        for (uint32_t i = outer->first[dim]; i < outer->first[dim + 1]; i++)
            push_scaled(&d, p, &outer->layout->shard[i]);
        for (uint32_t i = inner->first[dim]; i < inner->first[dim + 1]; i++)
            d.shard[d.shard_count++] = inner->layout->shard[i];
    }
    return tw_draft_finish(e, &d);
}

static const struct layout *combine(const struct layout_env *e, struct pair *p)
{
    if (!check_pair(e, p))
        return NULL;
    p->inner = inner_tile(e, p);
    struct grouping outer, inner;
    if (p->inner == NULL || !group_canonical(e, p->outer, p->outer_shape, &outer) ||
        !group_canonical(e, p->inner, p->inner_shape, &inner))
        return NULL;
    return interleave(e, p, &outer, &inner);
}

const struct layout *tw_layout_tile(const struct layout_env *e, const struct layout *inner, const struct shape *inner_shape,
                                    const struct layout *outer, const struct shape *outer_shape)
{
    return combine(e, &(struct pair){outer, inner, outer_shape, inner_shape, true});
}

const struct layout *tw_layout_direct_sum(const struct layout_env *e, const struct layout *left,
                                          const struct shape *left_shape, const struct layout *right,
                                          const struct shape *right_shape)
{
    return combine(e, &(struct pair){left, right, left_shape, right_shape, false});
}

const struct layout *tw_layout_tile_to(const struct layout_env *e, const struct layout *l, const struct shape *to,
                                       const struct shape *from)
{
    if (!tw_shape_check(e, to) || !tw_shape_check(e, from))
        return NULL;
    struct shape outer = {.rank = to->rank};
    bool fits = to->rank == from->rank;
    for (uint32_t d = 0; fits && d < to->rank; d++) {
        fits = to->dim[d] % from->dim[d] == 0;
        outer.dim[d] = to->dim[d] / from->dim[d];
    }
    if (!fits) {
        REFUSE(e, E0317, .message = "a layout cannot be tiled to a shape that is not a multiple of its own",
               .expected = tw_format(e->arena, "a multiple of %s in every dimension", tw_shape_text(e->arena, from)),
               .found = tw_shape_text(e->arena, to));
        return NULL;
    }
    const struct layout *dense = tw_layout_default(e, &outer);
    return dense == NULL ? NULL : tw_layout_tile(e, l, from, dense, &outer);
}
