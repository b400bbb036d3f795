/* Layouts: construction, measures, evaluation. */
#include "layout/layout.h"

#include "layout/draft.h"
#include "layout/refuse.h"

#include <assert.h>
#include <string.h>

/* ---- construction ---- */

static const char *axis_names(struct arena *arena)
{
    struct text t;
    tw_text_init(&t, arena);
    for (int a = 0; a < AXIS_COUNT; a++)
        tw_text_addf(&t, "%s%s", a == 0 ? "" : a + 1 == AXIS_COUNT ? " or " : ", ", tw_axis_row((enum axis)a)->name);
    return t.at;
}

enum axis tw_layout_axis_named(const struct layout_env *e, struct str name)
{
    const enum axis axis = tw_axis_find(name);
    if (axis != AXIS_COUNT)
        return axis;
    const char *near = tw_axis_suggest(name);
    REFUSE(e, E0301, .message = tw_format(e->arena, "there is no axis '" STR_FMT "'", STR_ARG(name)),
           .expected = axis_names(e->arena), .fix = near == NULL ? NULL : tw_format(e->arena, "write '%s'", near));
    return AXIS_COUNT;
}

bool tw_layout_pair(const struct layout_env *e, uint32_t extent_count, const int64_t *extents, uint32_t stride_count,
                    const struct step *strides, struct iter iters[TW_MAX_ITERS])
{
    if (extent_count > TW_MAX_ITERS)
        return tw_layout_refuse_iters(e, extent_count);
    if (extent_count != stride_count)
        return REFUSE(e, E0302, .message = "a layout has not as many strides as extents",
                      .expected = tw_format(e->arena, "%u strides", extent_count),
                      .found = tw_format(e->arena, "%u", stride_count));
    for (uint32_t i = 0; i < extent_count; i++)
        iters[i] = (struct iter){extents[i], strides[i].value, strides[i].axis};
    return true;
}

const struct layout *tw_layout_make(const struct layout_env *e, const struct layout_parts *parts)
{
    if (parts->shard_count > TW_MAX_ITERS || parts->replica_count > TW_MAX_ITERS) {
        tw_layout_refuse_iters(e, parts->shard_count > TW_MAX_ITERS ? parts->shard_count : parts->replica_count);
        return NULL;
    }
    struct draft d;
    tw_draft_empty(&d);
    for (uint32_t i = 0; i < parts->shard_count; i++)
        tw_draft_push(&d, parts->shard[i].extent, parts->shard[i].stride, parts->shard[i].axis);
    for (uint32_t i = 0; i < parts->replica_count; i++)
        tw_draft_push_replica(&d, parts->replica[i].extent, parts->replica[i].stride, parts->replica[i].axis);
    memcpy(d.offset, parts->offset, sizeof d.offset);
    d.swizzled = parts->swizzle != NULL;
    if (parts->swizzle != NULL)
        d.swizzle = *parts->swizzle;
    return tw_draft_finish(e, &d);
}

void tw_layout_row_major(const struct shape *extents, enum axis axis, struct iter *iters)
{
    int64_t stride = 1;
    for (uint32_t d = extents->rank; d-- > 0;) {
        iters[d] = (struct iter){extents->dim[d], stride, axis};
        stride = tw_mul_sat(stride, extents->dim[d]);
    }
}

const struct layout *tw_layout_default(const struct layout_env *e, const struct shape *shape)
{
    if (!tw_shape_check(e, shape))
        return NULL;
    struct iter iters[TW_MAX_RANK];
    tw_layout_row_major(shape, AXIS_M, iters);
    return tw_layout_make(e, &(struct layout_parts){.shard_count = shape->rank, .shard = iters});
}

const struct layout *tw_layout_compose(const struct layout_env *e, const struct swizzle *s, const struct layout *tile)
{
    struct draft d;
    if (tile != NULL && tile->swizzled) {
        REFUSE(e, E0304, .message = "a swizzle is put around a swizzled layout", .expected = "a TileLayout",
               .found = tw_layout_text(e->arena, tile));
        return NULL;
    }
    if (tile != NULL) {
        tw_draft_copy(&d, tile);
    } else {
        tw_draft_empty(&d);
        tw_draft_push(&d, tw_swizzle_valid(s) ? tw_swizzle_period(s) : 1, 1, AXIS_M);
    }
    d.swizzled = true;
    d.swizzle = *s;
    return tw_draft_finish(e, &d);
}

const struct layout *tw_layout_tile_of(const struct layout_env *e, const struct layout *l)
{
    if (!l->swizzled)
        return l;
    struct draft d;
    tw_draft_copy(&d, l);
    d.swizzled = false;
    return tw_draft_finish(e, &d);
}

const struct layout *tw_layout_shift(const struct layout_env *e, const struct layout *l, enum axis axis, int64_t add)
{
    struct draft d;
    tw_draft_copy(&d, l);
    d.offset[axis] = tw_add_sat(d.offset[axis], add);
    return tw_draft_finish(e, &d);
}

const struct layout *tw_layout_storage(const struct layout_env *e, const struct layout *l)
{
    struct draft d;
    tw_draft_empty(&d);
    d.swizzled = l->swizzled;
    d.swizzle = l->swizzle;
    for (uint32_t i = 0; i < l->shard_count; i++)
        if (!tw_axis_is_thread(l->shard[i].axis))
            tw_draft_push(&d, l->shard[i].extent, l->shard[i].stride, l->shard[i].axis);
    for (uint32_t i = 0; i < l->replica_count; i++)
        if (!tw_axis_is_thread(l->replica[i].axis))
            tw_draft_push_replica(&d, l->replica[i].extent, l->replica[i].stride, l->replica[i].axis);
    for (int a = 0; a < AXIS_COUNT; a++)
        d.offset[a] = tw_axis_is_thread((enum axis)a) ? 0 : l->offset[a];
    if (d.shard_count == 0)
        tw_draft_push(&d, 1, 1, AXIS_M);
    return tw_draft_finish(e, &d);
}

/* ---- measures ---- */

static int64_t product_of_extents(const struct iter *iters, uint32_t count)
{
    int64_t product = 1;
    for (uint32_t i = 0; i < count; i++)
        product *= iters[i].extent;
    return product;
}

int64_t tw_layout_size(const struct layout *l)
{
    return product_of_extents(l->shard, l->shard_count);
}

int64_t tw_layout_replicas(const struct layout *l)
{
    return product_of_extents(l->replica, l->replica_count);
}

axis_set tw_layout_iter_axes(const struct layout *l)
{
    axis_set used = 0;
    for (uint32_t i = 0; i < l->shard_count; i++)
        used |= AXIS_BIT(l->shard[i].axis);
    for (uint32_t i = 0; i < l->replica_count; i++)
        used |= AXIS_BIT(l->replica[i].axis);
    return used;
}

axis_set tw_layout_axes(const struct layout *l)
{
    axis_set used = tw_layout_iter_axes(l);
    for (int a = 0; a < AXIS_COUNT; a++)
        used |= l->offset[a] != 0 ? AXIS_BIT(a) : 0;
    return used;
}

bool tw_layout_is_bare_swizzle(const struct layout *l)
{
    return l->swizzled && l->shard_count == 1 && l->replica_count == 0 && l->offset[AXIS_M] == 0 &&
           l->shard[0].stride == 1 && l->shard[0].extent == tw_swizzle_period(&l->swizzle);
}

/* Sum of the distances that iters on `axis` reach upwards (sign +1) or downwards (sign -1). */
static int64_t reach(const struct iter *iters, uint32_t count, enum axis axis, int sign)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (iters[i].axis == axis && iters[i].stride * sign > 0)
            sum += iters[i].stride * (iters[i].extent - 1);
    return sum;
}

static int64_t reach_of(const struct layout *l, enum axis axis, int sign)
{
    return reach(l->shard, l->shard_count, axis, sign) + reach(l->replica, l->replica_count, axis, sign);
}

int64_t tw_layout_span(const struct layout *l, enum axis axis)
{
    return 1 + reach_of(l, axis, +1) + l->offset[axis];
}

int64_t tw_layout_low(const struct layout *l, enum axis axis)
{
    return reach_of(l, axis, -1) + l->offset[axis];
}

int64_t tw_layout_span_memory(const struct layout *l)
{
    int64_t span = 1;
    for (int a = 0; a < AXIS_COUNT; a++)
        if (!tw_axis_is_thread((enum axis)a))
            span += tw_layout_span(l, (enum axis)a) - 1;
    return span;
}

int64_t tw_layout_alloc_elems(const struct layout *l)
{
    const int64_t span = tw_layout_span(l, AXIS_M);
    if (!l->swizzled)
        return span;
    const int64_t period = tw_swizzle_period(&l->swizzle);
    return (span + period - 1) / period * period;
}

bool tw_layout_swizzle_mode(const struct layout *l, uint32_t elem_bits, enum swizzle_mode *out)
{
    *out = SWIZZLE_NONE;
    return !l->swizzled || tw_swizzle_find_mode(&l->swizzle, elem_bits, out);
}

/* ---- evaluation ---- */

/* Splits an index by the extents, least significant iter last, and adds the digits' steps. The first digit takes
 * what is left, so that an index beyond the size continues along the first iter. */
static void add_digits(const struct iter *iters, uint32_t count, int64_t index, int64_t at[AXIS_COUNT])
{
    for (uint32_t i = count; i-- > 1;) {
        at[iters[i].axis] += index % iters[i].extent * iters[i].stride;
        index /= iters[i].extent;
    }
    if (count != 0)
        at[iters[0].axis] += index * iters[0].stride;
}

static void swizzle_in_place(const struct layout *l, int64_t at[AXIS_COUNT])
{
    if (l->swizzled)
        at[AXIS_M] = tw_swizzle_apply(&l->swizzle, at[AXIS_M]);
}

void tw_layout_eval_replica(const struct layout *l, int64_t flat, int64_t replica, int64_t at[AXIS_COUNT])
{
    memcpy(at, l->offset, sizeof l->offset);
    add_digits(l->shard, l->shard_count, flat, at);
    add_digits(l->replica, l->replica_count, replica, at);
    swizzle_in_place(l, at);
}

void tw_layout_eval(const struct layout *l, int64_t flat, int64_t at[AXIS_COUNT])
{
    tw_layout_eval_replica(l, flat, 0, at);
}

void tw_layout_eval_at(const struct layout *l, const struct shape *shape, const int64_t *coord, int64_t at[AXIS_COUNT])
{
    tw_layout_eval(l, tw_shape_flat(shape, coord), at);
}

void tw_layout_eval_digits(const struct layout *l, const int64_t *digits, int64_t at[AXIS_COUNT])
{
    memcpy(at, l->offset, sizeof l->offset);
    for (uint32_t i = 0; i < l->shard_count; i++)
        at[l->shard[i].axis] += digits[i] * l->shard[i].stride;
    swizzle_in_place(l, at);
}

int64_t tw_layout_axis_value(const struct layout *l, int64_t flat, enum axis axis)
{
    int64_t value = l->offset[axis];
    for (uint32_t i = l->shard_count; i-- > 0;) {
        const struct iter *it = &l->shard[i];
        if (it->axis == axis)
            value += (i == 0 ? flat : flat % it->extent) * it->stride;
        flat /= it->extent;
    }
    return value;
}

int64_t tw_layout_preswizzle(const struct layout *l, int64_t flat)
{
    return tw_layout_axis_value(l, flat, AXIS_M);
}

int64_t tw_layout_address(const struct layout *l, int64_t flat)
{
    const int64_t m = tw_layout_preswizzle(l, flat);
    return l->swizzled ? tw_swizzle_apply(&l->swizzle, m) : m;
}

/* ---- printing ---- */

static void print_step(struct text *out, int64_t value, enum axis axis)
{
    tw_text_addf(out, "%lld", (long long)value);
    if (axis != AXIS_M)
        tw_text_addf(out, "@%s", tw_axis_row(axis)->name);
}

static void print_iters(struct text *out, char letter, const struct iter *iters, uint32_t count)
{
    tw_text_addf(out, "%c[(", letter);
    for (uint32_t i = 0; i < count; i++)
        tw_text_addf(out, "%s%lld", i == 0 ? "" : ", ", (long long)iters[i].extent);
    tw_text_add(out, "):(");
    for (uint32_t i = 0; i < count; i++) {
        tw_text_add(out, i == 0 ? "" : ", ");
        print_step(out, iters[i].stride, iters[i].axis);
    }
    tw_text_add(out, ")]");
}

static void print_tile(struct text *out, const struct layout *l)
{
    print_iters(out, 'S', l->shard, l->shard_count);
    if (l->replica_count != 0) {
        tw_text_add(out, " + ");
        print_iters(out, 'R', l->replica, l->replica_count);
    }
    for (int a = 0; a < AXIS_COUNT; a++) {
        if (l->offset[a] == 0)
            continue;
        tw_text_add(out, " + ");
        print_step(out, l->offset[a], (enum axis)a);
    }
}

void tw_layout_print(const struct layout *l, struct text *out)
{
    if (!l->swizzled) {
        print_tile(out, l);
        return;
    }
    const struct swizzle *s = &l->swizzle;
    tw_text_addf(out, "ComposeLayout(%u, %u, %u, TileLayout(", s->per_element, s->swizzle_len, s->atom_len);
    print_tile(out, l);
    tw_text_add(out, s->inner ? "))" : "), swizzle_inner=False)");
}

const char *tw_layout_text(struct arena *arena, const struct layout *l)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_layout_print(l, &t);
    return t.at;
}
