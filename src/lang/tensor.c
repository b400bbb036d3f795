/* Tensors: declaration, addresses, elements, regions. SOURCE: kernel-language 3.2, 4.1, 4.2, 5.1. */
#include "lang/eval.h"

#include "base/bits.h"
#include "ir/ir_names.h"

#include <string.h>

struct value tw_tensor_value(struct eval *ev, struct tensor t)
{
    struct tensor *kept = arena_new(ev->arena, struct tensor, 1);
    *kept = t;
    kept->ir = tw_ir_view_new(eval_kernel(ev), t.storage, t.elem, t.view.shape.rank, t.view.shape.dim, t.view.layout,
                              t.view.elem_offset, t.at);
    return (struct value){.kind = VALUE_TENSOR, .u.tensor = kept};
}

bool tw_scope_of_name(struct eval *ev, struct value v, struct src_span at, enum ir_scope *out)
{
    static const struct {
        const char *name;
        enum ir_scope scope;
    } scopes[] = {{"global", IR_GLOBAL}, {"shared", IR_SHARED}, {"local", IR_LOCAL}, {"tmem", IR_TMEM}};
    struct str name;
    if (!tw_eval_static_str(ev, v, at, "the scope", &name))
        return false;
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        *out = scopes[i].scope;
        if (tw_str_is(name, scopes[i].name))
            return true;
    }
    if (tw_str_is(name, "shared.dyn") || tw_str_starts(name, "trn.")) {
        tw_eval_unsupported(ev, at, "the scope '" STR_FMT "'", STR_ARG(name));
        return false;
    }
    struct diag *d = tw_diag(ev->diags, E0206, at, "there is no scope '" STR_FMT "'", STR_ARG(name));
    tw_diag_expected(d, "\"global\", \"shared\", \"local\" or \"tmem\"");
    return false;
}

/* ---- declaration ---- */

/* Tensor memory has no row-major default; 128 rows lie one to a lane (kernel-language 4.2). */
static const struct layout *tmem_default(struct eval *ev, const struct tensor_type *type)
{
    const struct shape *s = &type->shape;
    const struct layout_env env = tw_eval_layout_env(ev, type->at);
    if (s->rank == 2 && s->dim[0] == TW_TMEM_LANES) {
        const struct iter iters[] = {{s->dim[0], 1, AXIS_TLANE}, {s->dim[1], 1, AXIS_TCOL}};
        const struct layout_parts parts = {.shard_count = 2, .shard = iters};
        return tw_layout_make(&env, &parts);
    }
    struct diag *d = tw_diag(ev->diags, E0206, type->at, "a tensor in tensor memory has no layout");
    tw_diag_expected(d, "layout=, for example from tmem_mma_operand_layout(...)");
    return NULL;
}

/* Elements that one thread (local), the CTA or the grid must hold. */
static int64_t held_elems(struct eval *ev, const struct layout *layout, enum ir_scope scope, struct src_span at)
{
    const struct layout_env env = tw_eval_layout_env(ev, at);
    if (scope == IR_TMEM)
        return tw_layout_size(layout);
    return tw_layout_alloc_elems(scope == IR_LOCAL ? tw_layout_storage(&env, layout) : layout);
}

static bool check_axes(struct eval *ev, const struct layout *layout, enum ir_scope scope, struct src_span at)
{
    for (int a = 0; a < AXIS_COUNT; a++) {
        const bool tmem_axis = a == AXIS_TLANE || a == AXIS_TCOL;
        const bool thread_axis = tw_axis_row((enum axis)a)->kind == AXIS_KIND_THREAD;
        const bool fine = scope == IR_TMEM ? tmem_axis : scope == IR_LOCAL ? thread_axis || a == AXIS_M : a == AXIS_M;
        if (fine || !(tw_layout_axes(layout) >> a & 1u))
            continue;
        struct diag *d = tw_diag(ev->diags, E0206, at, "the layout names the axis %s, which a %s tensor does not have",
                                 tw_axis_row((enum axis)a)->name, tw_ir_scope_name(scope));
        tw_diag_expected(d, "%s", scope == IR_TMEM    ? "TLane and TCol"
                                  : scope == IR_LOCAL ? "thread axes and m"
                                                      : "m alone");
        tw_diag_found(d, "%s", tw_layout_text(ev->arena, layout));
        return false;
    }
    return true;
}

static bool is_storable(struct eval *ev, struct ir_type elem, struct src_span at)
{
    if (elem.cls != IR_POINTER && elem.cls != IR_VOID)
        return true;
    tw_eval_unsupported(ev, at, "a tensor of handles");
    return false;
}

enum { DEFAULT_SHARED_ALIGN = 64 }; /* bytes; kernel-language 4.2, align= */

uint32_t tw_tensor_swizzle_period(const struct layout *layout, uint32_t elem_bits)
{
    enum swizzle_mode mode;
    if (!tw_layout_swizzle_mode(layout, elem_bits, &mode) || mode == SWIZZLE_NONE)
        return 0;
    return tw_swizzle_mode_row(mode)->period_bytes;
}

/* Where a program gives no alignment. A swizzle permutes absolute addresses, so a tensor that has one starts where a
 * period of the pattern starts; seed 001 allocates its swizzled operands without a word about alignment. */
static uint32_t default_shared_align(const struct layout *layout, uint32_t elem_bits)
{
    const uint32_t period = tw_tensor_swizzle_period(layout, elem_bits);
    return period > DEFAULT_SHARED_ALIGN ? period : DEFAULT_SHARED_ALIGN;
}

struct value tw_tensor_declare(struct eval *ev, const char *name, const struct tensor_type *type, enum ir_scope scope,
                               struct src_span at)
{
    const struct layout_env env = tw_eval_layout_env(ev, at);
    const struct layout *layout = type->layout;
    if (layout == NULL && scope == IR_TMEM)
        layout = tmem_default(ev, type);
    struct tensor t = {.elem = type->elem, .at = at};
    if ((layout == NULL && scope == IR_TMEM) || !is_storable(ev, type->elem, at) ||
        !tw_view_make(&env, &type->shape, layout, type->elem.bits, &t.view) || !check_axes(ev, t.view.layout, scope, at))
        return value_error();
    t.storage = tw_ir_storage_new(eval_kernel(ev), name, scope, type->elem, held_elems(ev, t.view.layout, scope, at), at);
    if (scope == IR_SHARED)
        t.storage->align_bytes = default_shared_align(t.view.layout, type->elem.bits);
    t.storage->align_stated = type->align > 0;
    if (type->align > 0)
        t.storage->align_bytes = (uint32_t)type->align;
    struct view *allocated = arena_new(ev->arena, struct view, 1);
    *allocated = t.view;
    t.allocated = allocated;
    return tw_tensor_value(ev, t);
}

void tw_tensor_name(struct value v, const char *name)
{
    if (v.kind == VALUE_TENSOR && v.u.tensor->storage->name == NULL)
        v.u.tensor->storage->name = name;
}

/* ---- regions ---- */

static struct ir_region *new_region(struct eval *ev, const struct tensor *t, struct src_span at)
{
    struct ir_region *r = arena_new(ev->arena, struct ir_region, 1);
    r->view = t->ir;
    r->at = at;
    return r;
}

struct ir_region *tw_tensor_whole(struct eval *ev, const struct tensor *t, struct src_span at)
{
    return tw_ir_region_whole(eval_kernel(ev), t->ir, at);
}

struct ir_region *tw_tensor_only(struct eval *ev, const struct tensor *t, struct src_span at)
{
    struct ir_region *r = new_region(ev, t, at);
    for (uint32_t d = 0; d < t->ir->rank; d++)
        r->extent[d] = 1;
    return r;
}

static struct value outside(struct eval *ev, const struct tensor *t, uint32_t dim, int64_t begin, int64_t end,
                            struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0209, at, "index %u is outside the tensor", dim);
    tw_diag_expected(d, "0 to %lld, for the shape %s", (long long)t->view.shape.dim[dim] - 1,
                     tw_shape_text(ev->arena, &t->view.shape));
    if (end == begin + 1)
        tw_diag_found(d, "%lld", (long long)begin);
    else
        tw_diag_found(d, "%lld to %lld", (long long)begin, (long long)end - 1);
    return value_error();
}

static bool index_dim(struct eval *ev, const struct tensor *t, uint32_t dim, struct value v, struct ir_region *r,
                      struct src_span at)
{
    int64_t i;
    struct ir_expr *e = tw_eval_to_index(ev, v, at, tw_format(ev->arena, "index %u", dim));
    if (e == NULL)
        return false;
    if (tw_ir_is_const_int(e, &i) && (i < 0 || i >= t->view.shape.dim[dim])) {
        outside(ev, t, dim, i, i + 1, at);
        return false;
    }
    r->start[dim] = e;
    r->extent[dim] = 1;
    return true;
}

/* e as a term and a constant that is added to it. */
static const struct ir_expr *split_constant(const struct ir_expr *e, int64_t *constant)
{
    *constant = 0;
    for (int64_t c; e != NULL; e = e->args[0]) {
        if ((e->op != IR_ADD && e->op != IR_SUB) || !tw_ir_is_const_int(e->args[1], &c))
            break;
        *constant += e->op == IR_ADD ? c : -c;
    }
    return e;
}

/* high - low, where that is known at compile time. */
static bool static_extent(const struct ir_expr *low, const struct ir_expr *high, int64_t *out)
{
    int64_t a = 0, b = 0;
    if (low == NULL)
        return tw_ir_is_const_int(high, out);
    if (tw_ir_is_const_int(low, &a) && tw_ir_is_const_int(high, &b)) {
        *out = b - a;
        return true;
    }
    const struct ir_expr *x = split_constant(low, &a), *y = split_constant(high, &b);
    *out = b - a;
    return tw_ir_expr_equal(x, y);
}

static bool slice_dim(struct eval *ev, const struct tensor *t, uint32_t dim, const struct slice *s, struct ir_region *r,
                      struct src_span at)
{
    const int64_t extent = t->view.shape.dim[dim];
    int64_t step = 1, begin = 0;
    if (s->step != NULL && (!tw_eval_static_int(ev, *s->step, at, "the step of the slice", &step) || step != 1)) {
        tw_eval_unsupported(ev, at, "a slice with a step");
        return false;
    }
    struct ir_expr *low = s->low == NULL ? NULL : tw_eval_to_index(ev, *s->low, at, "the start of the slice");
    struct ir_expr *high = s->high == NULL ? tw_ir_const_int(eval_kernel(ev), tw_ir_int32(), extent, at)
                                           : tw_eval_to_index(ev, *s->high, at, "the end of the slice");
    if (high == NULL || (s->low != NULL && low == NULL))
        return false;
    if (!static_extent(low, high, &r->extent[dim])) {
        struct diag *d = tw_diag(ev->diags, E0207, at, "the length of slice %u must be known at compile time", dim);
        tw_diag_fix(d, "write it as start : start + length with a constant length");
        return false;
    }
    const bool placed = low == NULL || tw_ir_is_const_int(low, &begin);
    if (r->extent[dim] <= 0 || (placed && (begin < 0 || begin + r->extent[dim] > extent)) || r->extent[dim] > extent) {
        outside(ev, t, dim, begin, begin + r->extent[dim], at);
        return false;
    }
    r->start[dim] = low;
    return true;
}

static struct value too_many(struct eval *ev, const struct tensor *t, uint32_t count, struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0209, at, "a tensor of rank %u is given %u ind%s", t->view.shape.rank, count,
                             count == 1 ? "ex" : "ices");
    tw_diag_expected(d, "%u, for the shape %s", t->view.shape.rank, tw_shape_text(ev->arena, &t->view.shape));
    return value_error();
}

static bool read_indices(struct eval *ev, const struct tensor *t, const struct value *indices, uint32_t count,
                         struct ir_region *r, bool *element, struct src_span at)
{
    *element = count == t->view.shape.rank;
    for (uint32_t d = 0; d < t->view.shape.rank; d++) {
        if (d >= count) {
            r->extent[d] = t->view.shape.dim[d];
            continue;
        }
        const bool slice = indices[d].kind == VALUE_SLICE;
        *element &= !slice;
        if (slice ? !slice_dim(ev, t, d, indices[d].u.slice, r, at) : !index_dim(ev, t, d, indices[d], r, at))
            return false;
    }
    return true;
}

static struct value tmem_element(struct eval *ev, struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0209, at, "tensor memory has no elements that a thread can access");
    tw_diag_fix(d, "load a fragment with tcgen05.ld, and use that");
    return value_error();
}

struct value tw_tensor_index(struct eval *ev, const struct tensor *t, struct value index, struct src_span at)
{
    const bool tuple = index.kind == VALUE_TUPLE;
    const uint32_t count = tuple ? index.u.list->len : 1;
    const struct value *indices = tuple ? index.u.list->at : &index;
    if (count > t->view.shape.rank)
        return too_many(ev, t, count, at);
    struct ir_region *r = new_region(ev, t, at);
    bool element;
    if (!read_indices(ev, t, indices, count, r, &element, at))
        return value_error();
    if (!element)
        return (struct value){.kind = VALUE_REGION, .u.region = r};
    if (t->storage->scope == IR_TMEM)
        return tmem_element(ev, at);
    return value_expr(tw_ir_load(eval_kernel(ev), r, at));
}

struct value tw_tensor_address(struct eval *ev, const struct tensor *t, const struct value_list *indices, struct src_span at)
{
    if (t->storage->scope == IR_TMEM) {
        struct diag *d = tw_diag(ev->diags, E0209, at, "tensor memory has no pointers");
        tw_diag_fix(d, "use the address that tcgen05.alloc wrote, or T.cuda.get_tmem_addr(...)");
        return value_error();
    }
    struct ir_region *r = tw_tensor_only(ev, t, at);
    if (indices == NULL)
        return value_expr(tw_ir_address(eval_kernel(ev), r, at));
    if (indices->len != t->view.shape.rank)
        return too_many(ev, t, indices->len, at);
    bool element;
    if (!read_indices(ev, t, indices->at, indices->len, r, &element, at))
        return value_error();
    return element ? value_expr(tw_ir_address(eval_kernel(ev), r, at))
                   : tw_eval_mismatch(ev, at, "an index of a pointer", "an integer", indices->at[0]);
}
