/* Operations that rearrange the iters of one layout: group, permute, pack, unpack, broadcast. */
#include "layout/draft.h"
#include "layout/layout.h"
#include "layout/refuse.h"

#include <assert.h>

/* ---- group ---- */

static bool refuse_group(const struct layout_env *e, const struct layout *l, const struct shape *shape)
{
    return REFUSE(e, E0306, .message = tw_format(e->arena, "a layout cannot be grouped by the shape %s",
                                                 tw_shape_text(e->arena, shape)),
                  .expected = "iters that split where the dimensions meet", .found = tw_layout_text(e->arena, l),
                  .fix = "choose dimensions that the iters' extents divide, or another layout");
}

/* Fills `shard` and the separators. A part of extent c that belongs to later dims is carried on; a dim is complete
 * when the product of the parts since the last separator reaches its extent. */
static bool split_iters(const struct layout *l, const struct shape *shape, struct draft *d, uint32_t *first)
{
    int64_t product = 1;
    uint32_t dim = 0;
    first[0] = 0;
    for (uint32_t i = 0; i < l->shard_count; i++) {
        struct iter it = l->shard[i];
        product *= it.extent;
        while (dim < shape->rank && product % shape->dim[dim] == 0) {
            const int64_t carried = product / shape->dim[dim];
            if (it.extent % carried != 0)
                return false;
            tw_draft_push(d, it.extent / carried, it.stride * carried, it.axis);
            it.extent = product = carried;
            first[++dim] = d->shard_count;
        }
        if (it.extent != 1) {
            if (dim == shape->rank)
                return false;
            tw_draft_push(d, it.extent, it.stride, it.axis);
        }
    }
    return dim == shape->rank;
}

bool tw_layout_group(const struct layout_env *e, const struct layout *l, const struct shape *shape, struct grouping *out)
{
    if (!tw_shape_check(e, shape))
        return false;
    if (tw_shape_elems(shape) != tw_layout_size(l))
        return tw_layout_refuse_size(e, l, shape);
    struct draft d;
    tw_draft_frame(&d, l);
    if (!split_iters(l, shape, &d, out->first))
        return refuse_group(e, l, shape);
    out->layout = tw_draft_finish(e, &d);
    return out->layout != NULL;
}

/* ---- permute ---- */

static bool check_order(const struct layout_env *e, uint32_t count, const uint32_t *order)
{
    uint64_t seen = 0;
    for (uint32_t k = 0; k < count; k++) {
        const bool fresh = order[k] < count && (seen >> order[k] & 1) == 0;
        if (!fresh)
            return tw_layout_refuse_order(e, count, tw_format(e->arena, "%u at position %u", order[k], k));
        seen |= UINT64_C(1) << order[k];
    }
    return true;
}

const struct layout *tw_layout_permute_iters(const struct layout_env *e, const struct layout *l, const uint32_t *order)
{
    if (!check_order(e, l->shard_count, order))
        return NULL;
    struct draft d;
    tw_draft_frame(&d, l);
    for (uint32_t k = 0; k < l->shard_count; k++)
        d.shard[d.shard_count++] = l->shard[order[k]];
    return tw_draft_finish(e, &d);
}

const struct layout *tw_layout_permute_groups(const struct layout_env *e, const struct grouping *g, uint32_t rank,
                                              const uint32_t *order)
{
    if (!check_order(e, rank, order))
        return NULL;
    struct draft d;
    tw_draft_frame(&d, g->layout);
    for (uint32_t k = 0; k < rank; k++)
        for (uint32_t i = g->first[order[k]]; i < g->first[order[k] + 1]; i++)
            d.shard[d.shard_count++] = g->layout->shard[i];
    return tw_draft_finish(e, &d);
}

const struct layout *tw_layout_permute(const struct layout_env *e, const struct layout *l, const struct shape *shape,
                                       const uint32_t *order)
{
    const struct layout *canonical = tw_layout_canonical(e, l);
    struct grouping g;
    if (canonical == NULL || !tw_layout_group(e, canonical, shape, &g))
        return NULL;
    return tw_layout_permute_groups(e, &g, shape->rank, order);
}

/* ---- pack and unpack ---- */

/* The axis that counts elements: TCol in tensor memory, else m. A layout on both has none. */
static bool element_axis(const struct layout_env *e, const struct layout *l, enum axis *axis)
{
    const axis_set used = tw_layout_axes(l), tmem = AXIS_BIT(AXIS_TLANE) | AXIS_BIT(AXIS_TCOL);
    *axis = (used & tmem) != 0 ? AXIS_TCOL : AXIS_M;
    if ((used & tmem) != 0 && (used & AXIS_BIT(AXIS_M)) != 0)
        return REFUSE(e, E0315, .message = "a layout on both m and tensor memory has no one element axis",
                      .found = tw_layout_text(e->arena, l));
    return true;
}

static bool ratio_fits_swizzle(const struct layout_env *e, const struct layout *l, int64_t n)
{
    const bool pow2 = n > 0 && (n & (n - 1)) == 0;
    if (l->swizzled && !pow2)
        return REFUSE(e, E0315, .message = "a swizzled layout scales by powers of two only",
                      .found = tw_format(e->arena, "a ratio of %lld", (long long)n));
    return true;
}

static uint32_t log2_of(int64_t n)
{
    return 63u - (uint32_t)__builtin_clzll((unsigned long long)n);
}

const struct layout *tw_layout_unpack(const struct layout_env *e, const struct layout *l, int64_t n)
{
    assert(n >= 1);
    enum axis axis;
    if (n == 1)
        return l;
    if (!element_axis(e, l, &axis) || !ratio_fits_swizzle(e, l, n))
        return NULL;
    struct draft d;
    tw_draft_copy(&d, l);
    for (uint32_t i = 0; i < d.shard_count; i++)
        if (d.shard[i].axis == axis)
            d.shard[i].stride = tw_mul_sat(d.shard[i].stride, n);
    for (uint32_t i = 0; i < d.replica_count; i++)
        if (d.replica[i].axis == axis)
            d.replica[i].stride = tw_mul_sat(d.replica[i].stride, n);
    d.offset[axis] = tw_mul_sat(d.offset[axis], n);
    tw_draft_push(&d, n, 1, axis);
    if (d.swizzled)
        d.swizzle.per_element += log2_of(n);
    return tw_draft_finish(e, &d);
}

static bool refuse_pack(const struct layout_env *e, const struct layout *l, int64_t n, const char *expected)
{
    return REFUSE(e, E0315, .message = tw_format(e->arena, "%lld elements do not pack into one", (long long)n),
                  .expected = expected, .found = tw_layout_text(e->arena, l));
}

/* Divides what moves along the element axis; false where a stride does not divide. */
static bool divide_strides(struct iter *iters, uint32_t count, enum axis axis, int64_t n)
{
    for (uint32_t i = 0; i < count; i++) {
        if (iters[i].axis != axis)
            continue;
        if (iters[i].stride % n != 0)
            return false;
        iters[i].stride /= n;
    }
    return true;
}

static bool pack_draft(const struct layout_env *e, struct draft *d, const struct layout *l, enum axis axis, int64_t n)
{
    struct iter *last = &d->shard[d->shard_count - 1];
    if (last->axis != axis || last->stride != 1 || last->extent % n != 0)
        return refuse_pack(e, l, n, tw_format(e->arena, "a last iter of stride 1 on %s whose extent %lld divides",
                                              tw_axis_row(axis)->name, (long long)n));
    last->extent /= n;
    if (!divide_strides(d->shard, d->shard_count - 1, axis, n) ||
        !divide_strides(d->replica, d->replica_count, axis, n) || d->offset[axis] % n != 0)
        return refuse_pack(e, l, n, tw_format(e->arena, "strides and an offset on %s that %lld divides",
                                              tw_axis_row(axis)->name, (long long)n));
    d->offset[axis] /= n;
    if (d->swizzled) {
        if (d->swizzle.per_element < log2_of(n))
            return refuse_pack(e, l, n, "a swizzle that keeps the packed elements together");
        d->swizzle.per_element -= log2_of(n);
    }
    return true;
}

const struct layout *tw_layout_pack(const struct layout_env *e, const struct layout *l, int64_t n)
{
    assert(n >= 1);
    enum axis axis;
    if (n == 1)
        return l;
    const struct layout *canonical = tw_layout_canonical(e, l);
    if (canonical == NULL || !element_axis(e, canonical, &axis) || !ratio_fits_swizzle(e, canonical, n))
        return NULL;
    struct draft d;
    tw_draft_copy(&d, canonical);
    return pack_draft(e, &d, l, axis, n) ? tw_draft_finish(e, &d) : NULL;
}

const struct layout *tw_layout_broadcast(const struct layout_env *e, const struct layout *l, int64_t n, uint32_t position,
                                         enum axis axis)
{
    assert(position <= l->shard_count);
    struct draft d;
    tw_draft_frame(&d, l);
    for (uint32_t i = 0; i <= l->shard_count; i++) {
        if (i == position)
            tw_draft_push(&d, n, 0, axis);
        if (i < l->shard_count)
            d.shard[d.shard_count++] = l->shard[i];
    }
    return tw_draft_finish(e, &d);
}
