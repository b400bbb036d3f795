/* Slicing: the layout of a sub-box. The offset of the box goes into the layout, before any swizzle. */
#include "layout/draft.h"
#include "layout/layout.h"
#include "layout/refuse.h"

/* The iters of one dimension, least significant last, and what a sub-range of them became. */
struct run {
    const struct iter *iters;
    uint32_t count;
    int64_t begin, extent;
    int64_t digit[TW_DRAFT_ITERS]; /* of `begin` */
};

static void start_digits(struct run *r)
{
    int64_t rest = r->begin;
    for (uint32_t k = r->count; k-- > 0;) {
        r->digit[k] = k == 0 ? rest : rest % r->iters[k].extent;
        rest /= r->iters[k].extent;
    }
}

/* The range crosses the end of iter p once, in its middle: two equal halves, `step` apart. */
static bool push_halves(const struct run *r, uint32_t p, int64_t n, struct draft *d)
{
    if (p == 0 || n % 2 != 0)
        return false;
    const struct iter *it = &r->iters[p], *up = &r->iters[p - 1];
    const bool meets_end = r->digit[p] + n / 2 == it->extent;
    const bool carries_once = r->digit[p - 1] + 1 < up->extent;
    if (!meets_end || !carries_once || up->axis != it->axis)
        return false;
    tw_draft_push(d, 2, up->stride - (it->extent - n / 2) * it->stride, it->axis);
    tw_draft_push(d, n / 2, it->stride, it->axis);
    return true;
}

/* Whole inner iters are kept; the first that is not whole must hold the rest of the range. */
static bool slice_run(struct run *r, struct draft *d)
{
    start_digits(r);
    uint32_t p = r->count;
    int64_t n = r->extent;
    while (p > 1 && r->digit[p - 1] == 0 && n % r->iters[p - 1].extent == 0)
        n /= r->iters[--p].extent;
    const struct iter *it = &r->iters[p - 1];
    if (r->digit[p - 1] + n <= it->extent)
        tw_draft_push(d, n, it->stride, it->axis);
    else if (!push_halves(r, p - 1, n, d))
        return false;
    for (uint32_t k = p; k < r->count; k++)
        d->shard[d->shard_count++] = r->iters[k];
    for (uint32_t k = 0; k < r->count; k++)
        d->offset[r->iters[k].axis] += r->digit[k] * r->iters[k].stride;
    return true;
}

static bool refuse_range(const struct layout_env *e, const struct shape *shape, uint32_t d, int64_t begin, int64_t extent)
{
    return REFUSE(e, E0307, .message = tw_format(e->arena, "a slice leaves dimension %u of the shape %s", d,
                                                 tw_shape_text(e->arena, shape)),
                  .expected = tw_format(e->arena, "0 <= begin < end <= %lld", (long long)shape->dim[d]),
                  .found = tw_format(e->arena, "begin %lld, end %lld", (long long)begin,
                                     (long long)tw_add_sat(begin, extent)));
}

static bool check_ranges(const struct layout_env *e, const struct shape *shape, const int64_t *begin, const int64_t *extent)
{
    for (uint32_t d = 0; d < shape->rank; d++) {
        const bool inside = begin[d] >= 0 && extent[d] >= 1 && begin[d] < shape->dim[d] &&
                            extent[d] <= shape->dim[d] - begin[d];
        if (!inside)
            return refuse_range(e, shape, d, begin[d], extent[d]);
    }
    return true;
}

/* A bare swizzle is a permutation without a shape: cut from a shape, its tile is the dense one of that shape. */
static const struct layout *with_tile(const struct layout_env *e, const struct layout *l, const struct shape *shape)
{
    if (!tw_layout_is_bare_swizzle(l) || tw_shape_elems(shape) == tw_layout_size(l))
        return tw_layout_canonical(e, l);
    const struct layout *dense = tw_layout_default(e, shape);
    dense = dense == NULL ? NULL : tw_layout_compose(e, &l->swizzle, dense);
    return dense == NULL ? NULL : tw_layout_canonical(e, dense);
}

const struct layout *tw_layout_slice(const struct layout_env *e, const struct layout *l, const struct shape *shape,
                                     const int64_t *begin, const int64_t *extent)
{
    if (!tw_shape_check(e, shape) || !check_ranges(e, shape, begin, extent))
        return NULL;
    const struct layout *whole = with_tile(e, l, shape);
    struct grouping g;
    if (whole == NULL || !tw_layout_group(e, whole, shape, &g))
        return NULL;
    struct draft d;
    tw_draft_frame(&d, whole);
    for (uint32_t i = 0; i < shape->rank; i++) {
        struct run r = {.iters = g.layout->shard + g.first[i], .count = g.first[i + 1] - g.first[i],
                        .begin = begin[i], .extent = extent[i]};
        if (!slice_run(&r, &d)) {
            REFUSE(e, E0308, .message = tw_format(e->arena, "no layout describes elements %lld:%lld of dimension %u",
                                                  (long long)begin[i], (long long)(begin[i] + extent[i]), i),
                   .expected = "a range inside one iter, or of whole inner iters", .found = tw_layout_text(e->arena, whole),
                   .fix = "split the range where an iter ends");
            return NULL;
        }
    }
    return tw_draft_finish(e, &d);
}
