/* Views: reshape, relayout, retype, permute, slice, sub-tensor, local. The rearrange patterns are in rearrange.c. */
#include "layout/view.h"

#include "layout/draft.h"
#include "layout/refuse.h"

#include <assert.h>

bool tw_view_make(const struct layout_env *e, const struct shape *shape, const struct layout *layout, uint32_t elem_bits,
                  struct view *out)
{
    assert(elem_bits != 0);
    if (!tw_shape_check(e, shape))
        return false;
    if (layout == NULL)
        layout = tw_layout_default(e, shape);
    if (layout == NULL)
        return false;
    if (tw_layout_size(layout) != tw_shape_elems(shape))
        return tw_layout_refuse_size(e, layout, shape);
    *out = (struct view){.shape = *shape, .layout = layout, .elem_bits = elem_bits};
    return true;
}

/* ---- reshape ---- */

static bool refuse_elems(const struct layout_env *e, const struct view *v, const struct shape *wanted)
{
    return REFUSE(e, E0314, .message = tw_format(e->arena, "view%s does not have the tensor's elements",
                                                 tw_shape_text(e->arena, wanted)),
                  .expected = tw_format(e->arena, "%lld elements, as in %s", (long long)tw_shape_elems(&v->shape),
                                        tw_shape_text(e->arena, &v->shape)),
                  .fix = "to see the storage under another layout, give layout=");
}

/* Replaces the one -1 by what is missing to `elems`. */
static bool deduce_dim(const struct layout_env *e, const struct view *v, struct shape *s)
{
    uint32_t open = s->rank;
    int64_t known = 1;
    for (uint32_t d = 0; d < s->rank; d++) {
        if (s->dim[d] != -1) {
            known = tw_mul_sat(known, s->dim[d]);
            continue;
        }
        if (open != s->rank)
            return REFUSE(e, E0314, .message = "two dimensions of a view are -1", .expected = "at most one to deduce",
                          .found = tw_shape_text(e->arena, s));
        open = d;
    }
    const int64_t elems = tw_shape_elems(&v->shape);
    if (open == s->rank)
        return true;
    if (known < 1 || elems % known != 0)
        return refuse_elems(e, v, s);
    s->dim[open] = elems / known;
    return true;
}

static bool read_dims(const struct layout_env *e, uint32_t rank, const int64_t *dims, struct shape *out)
{
    *out = (struct shape){.rank = rank};
    if (rank == 0 || rank > TW_MAX_RANK)
        return tw_shape_check(e, out);
    for (uint32_t d = 0; d < rank; d++)
        out->dim[d] = dims[d];
    return true;
}

bool tw_view_reshape(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *dims, struct view *out)
{
    struct shape s;
    if (!read_dims(e, rank, dims, &s) || !deduce_dim(e, v, &s) || !tw_shape_check(e, &s))
        return false;
    if (tw_shape_elems(&s) != tw_shape_elems(&v->shape))
        return refuse_elems(e, v, &s);
    *out = *v;
    out->shape = s;
    return true;
}

/* ---- relayout ---- */

struct reach {
    int64_t low_bits, end_bits; /* TLane: lanes */
};

static struct reach reach_on(const struct view *v, enum axis axis)
{
    const int64_t unit = axis == AXIS_TLANE ? 1 : (int64_t)v->elem_bits;
    const bool linear = axis == AXIS_M;
    const int64_t base = linear ? v->elem_offset : 0;
    const int64_t end = linear && v->layout->swizzled ? tw_layout_alloc_elems(v->layout) : tw_layout_span(v->layout, axis);
    return (struct reach){tw_mul_sat(tw_add_sat(base, tw_layout_low(v->layout, axis)), unit),
                          tw_mul_sat(tw_add_sat(base, end), unit)};
}

static const char *storage_text(const struct layout_env *e, enum axis axis, const struct view *storage)
{
    const char *name = tw_axis_row(axis)->name;
    if (axis != AXIS_M && (tw_layout_axes(storage->layout) & AXIS_BIT(axis)) == 0)
        return tw_format(e->arena, "a layout without the axis %s, which this storage does not have", name);
    return tw_format(e->arena, "%s from 0 to %lld on the axis %s", axis == AXIS_TLANE ? "lanes" : "bits",
                     (long long)reach_on(storage, axis).end_bits, name);
}

/* The storage's first coordinate is where the allocation begins, so nothing lies below zero. */
static bool check_storage(const struct layout_env *e, const struct view *v, const struct view *storage)
{
    static const enum axis axes[] = {AXIS_M, AXIS_TLANE, AXIS_TCOL};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const struct reach want = reach_on(v, axes[i]), have = reach_on(storage, axes[i]);
        if (want.low_bits >= 0 && want.end_bits <= have.end_bits)
            continue;
        return REFUSE(e, E0316, .message = "a view's layout reaches beyond the tensor's storage",
                      .expected = storage_text(e, axes[i], storage),
                      .found = tw_format(e->arena, "%lld to %lld with %s", (long long)want.low_bits,
                                         (long long)want.end_bits, tw_layout_text(e->arena, v->layout)));
    }
    return true;
}

bool tw_view_relayout(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *dims,
                      const struct layout *layout, const struct view *storage, struct view *out)
{
    struct shape s;
    struct view relaid;
    if (!tw_shape_make(e, rank, dims, &s) || !tw_view_make(e, &s, layout, v->elem_bits, &relaid))
        return false;
    relaid.elem_offset = v->elem_offset;
    if (storage != NULL && !check_storage(e, &relaid, storage))
        return false;
    *out = relaid;
    return true;
}

/* ---- retype ---- */

static bool narrow(const struct layout_env *e, const struct view *v, int64_t ratio, struct view *out)
{
    *out = *v;
    out->layout = tw_layout_unpack(e, v->layout, ratio);
    if (out->layout == NULL)
        return false;
    int64_t *last = &out->shape.dim[v->shape.rank - 1];
    *last = tw_mul_sat(*last, ratio);
    out->elem_offset = tw_mul_sat(v->elem_offset, ratio);
    return true;
}

static bool widen(const struct layout_env *e, const struct view *v, int64_t ratio, struct view *out)
{
    *out = *v;
    int64_t *last = &out->shape.dim[v->shape.rank - 1];
    if (*last % ratio != 0 || v->elem_offset % ratio != 0)
        return REFUSE(e, E0315, .message = tw_format(e->arena, "%lld elements do not pack into one", (long long)ratio),
                      .expected = tw_format(e->arena, "a last dimension and an element offset that %lld divides",
                                            (long long)ratio),
                      .found = tw_format(e->arena, "the shape %s at element offset %lld", tw_shape_text(e->arena, &v->shape),
                                         (long long)v->elem_offset));
    out->layout = tw_layout_pack(e, v->layout, ratio);
    if (out->layout == NULL)
        return false;
    *last /= ratio;
    out->elem_offset = v->elem_offset / ratio;
    return true;
}

bool tw_view_retype(const struct layout_env *e, const struct view *v, uint32_t elem_bits, struct view *out)
{
    const uint32_t old_bits = v->elem_bits;
    const bool whole = elem_bits != 0 && (elem_bits % old_bits == 0 || old_bits % elem_bits == 0);
    if (!whole)
        return REFUSE(e, E0315, .message = "neither of two widths divides the other",
                      .expected = tw_format(e->arena, "a multiple or a part of %u bits", old_bits),
                      .found = tw_format(e->arena, "%u bits", elem_bits));
    bool done = true;
    struct view typed = *v;
    if (elem_bits < old_bits)
        done = narrow(e, v, old_bits / elem_bits, &typed);
    else if (elem_bits > old_bits)
        done = widen(e, v, elem_bits / old_bits, &typed);
    if (!done)
        return false;
    typed.elem_bits = elem_bits;
    *out = typed;
    return true;
}

/* ---- permute and slice ---- */

bool tw_view_permute(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *order,
                     struct view *out)
{
    if (rank != v->shape.rank)
        return tw_layout_refuse_order(e, v->shape.rank, tw_format(e->arena, "%u numbers", rank));
    uint32_t checked[TW_MAX_RANK];
    struct view permuted = *v;
    for (uint32_t k = 0; k < rank; k++) {
        if (order[k] < 0 || order[k] >= rank)
            return tw_layout_refuse_order(e, rank, tw_format(e->arena, "%lld at position %u", (long long)order[k], k));
        checked[k] = (uint32_t)order[k];
        permuted.shape.dim[k] = v->shape.dim[checked[k]];
    }
    permuted.layout = tw_layout_permute(e, v->layout, &v->shape, checked);
    if (permuted.layout == NULL)
        return false;
    *out = permuted;
    return true;
}

bool tw_view_slice(const struct layout_env *e, const struct view *v, const int64_t *begin, const int64_t *extent,
                   struct view *out)
{
    struct view box = *v;
    box.layout = tw_layout_slice(e, v->layout, &v->shape, begin, extent);
    if (box.layout == NULL)
        return false;
    for (uint32_t d = 0; d < v->shape.rank; d++)
        box.shape.dim[d] = extent[d];
    *out = box;
    return true;
}

/* ---- sub-tensors ---- */

/* The picks as one slice of a finer shape: a residue splits its dim into (extent / step, step) and takes one of the
 * latter. `kept` marks the dims of the finer shape that the result has. */
struct fine {
    struct shape shape;
    int64_t begin[TW_MAX_RANK], extent[TW_MAX_RANK];
    bool kept[TW_MAX_RANK];
};

static bool add_fine(const struct layout_env *e, struct fine *f, int64_t dim, int64_t begin, int64_t extent, bool kept)
{
    const uint32_t d = f->shape.rank++;
    if (d >= TW_MAX_RANK)
        return REFUSE(e, E0303, .message = "a sub-tensor needs too many dimensions",
                      .expected = tw_format(e->arena, "at most %d, two for each begin::step", TW_MAX_RANK));
    f->shape.dim[d] = dim;
    f->begin[d] = begin;
    f->extent[d] = extent;
    f->kept[d] = kept;
    return true;
}

static bool refuse_pick(const struct layout_env *e, uint32_t d, const char *expected, const char *found)
{
    return REFUSE(e, E0307, .message = tw_format(e->arena, "a pick leaves dimension %u of a sub-tensor", d),
                  .expected = expected, .found = found);
}

static bool add_pick(const struct layout_env *e, struct fine *f, uint32_t d, int64_t dim, const struct pick *p)
{
    if (p->kind == PICK_INDEX) {
        if (p->begin < 0 || p->begin >= dim)
            return refuse_pick(e, d, tw_format(e->arena, "0 <= index < %lld", (long long)dim),
                               tw_format(e->arena, "index %lld", (long long)p->begin));
        return add_fine(e, f, dim, p->begin, 1, false);
    }
    if (p->kind == PICK_RANGE) {
        if (p->begin < 0 || p->end <= p->begin || p->end > dim)
            return refuse_pick(e, d, tw_format(e->arena, "0 <= begin < end <= %lld", (long long)dim),
                               tw_format(e->arena, "begin %lld, end %lld", (long long)p->begin, (long long)p->end));
        return add_fine(e, f, dim, p->begin, p->end - p->begin, true);
    }
    if (p->step < 1 || p->begin < 0 || p->begin >= p->step || dim % p->step != 0)
        return refuse_pick(e, d, tw_format(e->arena, "0 <= begin < step, and a step that divides %lld", (long long)dim),
                           tw_format(e->arena, "begin %lld, step %lld", (long long)p->begin, (long long)p->step));
    return add_fine(e, f, dim / p->step, 0, dim / p->step, true) && add_fine(e, f, p->step, p->begin, 1, false);
}

static bool refine(const struct layout_env *e, const struct view *v, uint32_t count, const struct pick *picks,
                   struct fine *f)
{
    *f = (struct fine){0};
    if (count != v->shape.rank)
        return REFUSE(e, E0307, .message = "a sub-tensor has the wrong number of picks",
                      .expected = tw_format(e->arena, "one for each of %u dimensions", v->shape.rank),
                      .found = tw_format(e->arena, "%u", count));
    for (uint32_t d = 0; d < count; d++)
        if (!add_pick(e, f, d, v->shape.dim[d], &picks[d]))
            return false;
    return true;
}

static bool check_tmem_move(const struct layout_env *e, const struct view *v, const struct layout *l)
{
    const int64_t lanes = l->offset[AXIS_TLANE] - v->layout->offset[AXIS_TLANE];
    const int64_t bits = tw_mul_sat(l->offset[AXIS_TCOL] - v->layout->offset[AXIS_TCOL], v->elem_bits);
    if (lanes != 0)
        return REFUSE(e, E0324, .message = "a sub-tensor of tensor memory starts at another lane",
                      .expected = "a move along TCol only", .found = tw_format(e->arena, "%lld lanes", (long long)lanes));
    if (bits % 32 != 0)
        return REFUSE(e, E0324, .message = "a sub-tensor of tensor memory starts inside a column",
                      .expected = "a move by a multiple of 32 bits",
                      .found = tw_format(e->arena, "%lld bits", (long long)bits));
    return true;
}

/* An offset on m leaves the layout where that keeps the addresses: not under a swizzle, unless whole periods. */
static bool move_offset_out(const struct layout_env *e, const struct view *v, struct view *sub)
{
    const int64_t moved = sub->layout->offset[AXIS_M] - v->layout->offset[AXIS_M];
    if (sub->layout->swizzled && moved % tw_swizzle_period(&sub->layout->swizzle) != 0)
        return true;
    sub->layout = tw_layout_shift(e, sub->layout, AXIS_M, -moved);
    sub->elem_offset = tw_add_sat(sub->elem_offset, moved);
    return sub->layout != NULL;
}

bool tw_view_sub(const struct layout_env *e, const struct view *v, uint32_t count, const struct pick *picks,
                 struct view *out)
{
    struct fine f;
    if (!refine(e, v, count, picks, &f))
        return false;
    struct view sub = *v;
    sub.layout = tw_layout_slice(e, v->layout, &f.shape, f.begin, f.extent);
    if (sub.layout == NULL || !check_tmem_move(e, v, sub.layout) || !move_offset_out(e, v, &sub))
        return false;
    sub.shape.rank = 0;
    for (uint32_t d = 0; d < f.shape.rank; d++)
        if (f.kept[d])
            sub.shape.dim[sub.shape.rank++] = f.extent[d];
    if (sub.shape.rank == 0)
        return REFUSE(e, E0307, .message = "a sub-tensor keeps no dimension",
                      .expected = "a range for one dimension or more", .fix = "read the element itself: t[i, j]");
    *out = sub;
    return true;
}

bool tw_view_local(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *dims, struct view *out)
{
    const struct layout *storage = tw_layout_storage(e, v->layout);
    if (storage == NULL)
        return false;
    const int64_t span = tw_layout_span(storage, AXIS_M);
    struct shape flat;
    struct view line;
    if (!tw_shape_make(e, 1, &span, &flat) || !tw_view_make(e, &flat, NULL, v->elem_bits, &line))
        return false;
    line.elem_offset = v->elem_offset;
    if (rank == 0) {
        *out = line;
        return true;
    }
    struct view shaped;
    if (!tw_view_reshape(e, &line, rank, dims, &shaped))
        return false;
    shaped.layout = line.layout;
    *out = shaped;
    return true;
}

int64_t tw_view_bit_offset(const struct view *v, const int64_t *coord)
{
    return (v->elem_offset + tw_layout_address(v->layout, tw_shape_flat(&v->shape, coord))) * (int64_t)v->elem_bits;
}
