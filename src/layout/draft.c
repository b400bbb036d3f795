/* Drafts, and the checks that keep evaluation free of overflow. */
#include "layout/draft.h"

#include "layout/refuse.h"

#include <assert.h>
#include <string.h>

int64_t tw_mul_sat(int64_t a, int64_t b)
{
    int64_t product;
    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    return (a < 0) == (b < 0) ? INT64_MAX : -INT64_MAX;
}

int64_t tw_add_sat(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a > 0 ? INT64_MAX : -INT64_MAX;
}

static int64_t magnitude(int64_t n)
{
    return n >= 0 ? n : n == INT64_MIN ? INT64_MAX : -n;
}

void tw_draft_empty(struct draft *d)
{
    d->shard_count = d->replica_count = 0;
    memset(d->offset, 0, sizeof d->offset);
    d->swizzled = false;
    d->swizzle = (struct swizzle){0};
}

void tw_draft_frame(struct draft *d, const struct layout *l)
{
    tw_draft_empty(d);
    d->replica_count = l->replica_count;
    for (uint32_t i = 0; i < l->replica_count; i++)
        d->replica[i] = l->replica[i];
    memcpy(d->offset, l->offset, sizeof d->offset);
    d->swizzled = l->swizzled;
    d->swizzle = l->swizzle;
}

void tw_draft_copy(struct draft *d, const struct layout *l)
{
    tw_draft_frame(d, l);
    for (uint32_t i = 0; i < l->shard_count; i++)
        d->shard[i] = l->shard[i];
    d->shard_count = l->shard_count;
}

void tw_draft_push(struct draft *d, int64_t extent, int64_t stride, enum axis axis)
{
    assert(d->shard_count < TW_DRAFT_ITERS);
    d->shard[d->shard_count++] = (struct iter){extent, stride, axis};
}

void tw_draft_push_replica(struct draft *d, int64_t extent, int64_t stride, enum axis axis)
{
    assert(d->replica_count < TW_DRAFT_ITERS);
    d->replica[d->replica_count++] = (struct iter){extent, stride, axis};
}

/* Product of the extents in *elems, sum of the distances that the iters reach in *reach, both saturating. */
static bool check_iters(const struct layout_env *e, const struct iter *iters, uint32_t count, int64_t *elems,
                        int64_t *reach)
{
    for (uint32_t i = 0; i < count; i++) {
        if (iters[i].extent < 1)
            return REFUSE(e, E0302, .message = "an iter of a layout has no elements", .expected = "an extent of at least 1",
                          .found = tw_format(e->arena, "extent %lld", (long long)iters[i].extent));
        *elems = tw_mul_sat(*elems, iters[i].extent);
        /* A unit iter reaches nothing, but splitting and scaling must not overflow on its stride either. */
        *reach = tw_add_sat(*reach, tw_mul_sat(magnitude(iters[i].stride), iters[i].extent > 1 ? iters[i].extent - 1 : 1));
    }
    return true;
}

static bool check_bounds(const struct layout_env *e, const struct draft *d)
{
    if (d->shard_count == 0)
        return REFUSE(e, E0302, .message = "a layout has no iters", .expected = "S[extents : strides] with one iter or more");
    if (d->shard_count > TW_MAX_ITERS || d->replica_count > TW_MAX_ITERS)
        return tw_layout_refuse_iters(e, d->shard_count > TW_MAX_ITERS ? d->shard_count : d->replica_count);
    int64_t elems = 1, reach = 0;
    if (!check_iters(e, d->shard, d->shard_count, &elems, &reach) ||
        !check_iters(e, d->replica, d->replica_count, &elems, &reach))
        return false;
    for (int a = 0; a < AXIS_COUNT; a++)
        reach = tw_add_sat(reach, magnitude(d->offset[a]));
    if (elems >= TW_LAYOUT_MAX || reach >= TW_LAYOUT_MAX)
        return REFUSE(e, E0303, .message = "a layout is too large",
                      .expected = "fewer than 2**48 elements, and coordinates below 2**48",
                      .fix = "check the extents and strides");
    return true;
}

static axis_set draft_axes(const struct draft *d)
{
    axis_set used = 0;
    for (uint32_t i = 0; i < d->shard_count; i++)
        used |= AXIS_BIT(d->shard[i].axis);
    for (uint32_t i = 0; i < d->replica_count; i++)
        used |= AXIS_BIT(d->replica[i].axis);
    for (int a = 0; a < AXIS_COUNT; a++)
        used |= d->offset[a] != 0 ? AXIS_BIT(a) : 0;
    return used;
}

static bool check_swizzle(const struct layout_env *e, const struct draft *d)
{
    const struct swizzle *s = &d->swizzle;
    if (!d->swizzled)
        return true;
    if (!tw_swizzle_valid(s))
        return REFUSE(e, E0304, .message = "a swizzle's lengths do not fit together",
                      .expected = tw_format(e->arena,
                                            "swizzle_len <= atom_len, and per_element + swizzle_len + atom_len <= %d",
                                            TW_MAX_SWIZZLE_BITS),
                      .found = tw_format(e->arena, "per_element=%u, swizzle_len=%u, atom_len=%u", s->per_element,
                                         s->swizzle_len, s->atom_len));
    const axis_set others = draft_axes(d) & ~AXIS_BIT(AXIS_M);
    if (others != 0)
        return REFUSE(e, E0304, .message = "a swizzled layout uses an axis other than m",
                      .expected = "a tile layout on the axis m alone",
                      .found = tw_format(e->arena, "the axis %s", tw_axis_row((enum axis)__builtin_ctz(others))->name));
    return true;
}

static const struct iter *keep(struct arena *arena, const struct iter *iters, uint32_t count)
{
    if (count == 0)
        return NULL;
    struct iter *kept = arena_new(arena, struct iter, count);
    memcpy(kept, iters, count * sizeof *iters);
    return kept;
}

const struct layout *tw_draft_finish(const struct layout_env *e, const struct draft *d)
{
    if (!check_bounds(e, d) || !check_swizzle(e, d))
        return NULL;
    struct layout *l = arena_new(e->arena, struct layout, 1);
    l->shard_count = d->shard_count;
    l->replica_count = d->replica_count;
    l->shard = keep(e->arena, d->shard, d->shard_count);
    l->replica = keep(e->arena, d->replica, d->replica_count);
    memcpy(l->offset, d->offset, sizeof l->offset);
    l->swizzled = d->swizzled;
    l->swizzle = d->swizzled ? d->swizzle : (struct swizzle){0};
    return l;
}
