/* Layouts in the language: S[...], R[...], TileLayout, ComposeLayout, and the factories.
 * SOURCE: kernel-language-layout 6.2, 6.8, 6.9, 6.10. */
#include "lang/eval.h"

#include "layout/factory.h"

#include <string.h>

/* ---- S[...] and R[...] ---- */

struct one {
    struct value value;
    bool is_list;
    uint32_t len;
};

static struct one as_list(struct value v)
{
    return (struct one){v, value_is_sequence(v), value_is_sequence(v) ? v.u.list->len : 1};
}

static struct value item_of(struct one l, uint32_t i)
{
    return l.is_list ? l.value.u.list->at[i] : l.value;
}

static bool read_stride(struct eval *ev, struct value v, struct src_span at, struct iter *out)
{
    if (v.kind == VALUE_AXIS_TERM) {
        out->stride = (int64_t)v.u.term.count;
        out->axis = v.u.term.axis;
        return true;
    }
    if (v.kind == VALUE_AXIS || v.kind == VALUE_STR) { /* a bare axis: stride 1 */
        out->stride = 1;
        out->axis = v.kind == VALUE_AXIS ? v.u.axis : tw_axis_find(v.u.text);
        if (out->axis != AXIS_COUNT)
            return true;
        struct diag *d = tw_diag(ev->diags, E0202, at, "there is no axis '" STR_FMT "'", STR_ARG(v.u.text));
        if (tw_axis_suggest(v.u.text) != NULL)
            tw_diag_fix(d, "write '%s'", tw_axis_suggest(v.u.text));
        return false;
    }
    out->axis = AXIS_M;
    return tw_eval_static_int(ev, v, at, "a stride", &out->stride);
}

static bool read_iters(struct eval *ev, struct one extents, struct one strides, struct src_span at, struct iter *out)
{
    if (extents.len != strides.len) {
        struct diag *d = tw_diag(ev->diags, E0206, at, "extents and strides differ in number");
        tw_diag_expected(d, "%u strides, one for each extent", extents.len);
        tw_diag_found(d, "%u", strides.len);
        return false;
    }
    for (uint32_t i = 0; i < extents.len; i++)
        if (!tw_eval_static_int(ev, item_of(extents, i), at, "an extent", &out[i].extent) ||
            !read_stride(ev, item_of(strides, i), at, &out[i]))
            return false;
    return true;
}

/* S[e0, e1]: row-major on m. */
static bool dense_iters(struct eval *ev, struct one extents, struct src_span at, struct iter *out)
{
    struct shape s;
    if (!tw_eval_static_shape(ev, extents.value, at, "the extents", &s))
        return false;
    tw_layout_row_major(&s, AXIS_M, out);
    return true;
}

static struct value make_spec(struct eval *ev, struct call *c)
{
    const struct value index = c->args[0].value;
    const bool pair = index.kind == VALUE_SLICE && index.u.slice->low != NULL && index.u.slice->high != NULL &&
                      index.u.slice->step == NULL;
    if (index.kind == VALUE_SLICE && !pair) {
        struct diag *d = tw_diag(ev->diags, E0206, c->at, "'%s' is given an incomplete pair", c->row->name);
        tw_diag_expected(d, "%s[extents : strides]", c->row->name);
        return value_error();
    }
    const struct one extents = as_list(pair ? *index.u.slice->low : index);
    const bool too_many = extents.len > (pair ? (uint32_t)TW_MAX_ITERS : (uint32_t)TW_MAX_RANK);
    if (too_many || extents.len == 0) {
        struct diag *d = tw_diag(ev->diags, E0206, c->at, "a layout has %s extents", too_many ? "too many" : "no");
        tw_diag_expected(d, "1 to %d", pair ? TW_MAX_ITERS : TW_MAX_RANK);
        return value_error();
    }
    struct iter *iters = arena_new(ev->arena, struct iter, extents.len);
    if (pair ? !read_iters(ev, extents, as_list(*index.u.slice->high), c->at, iters)
             : !dense_iters(ev, extents, c->at, iters))
        return value_error();
    struct spec *s = arena_new(ev->arena, struct spec, 1);
    for (uint32_t i = 0; i < extents.len; i++) {
        if (c->row->name[0] == 'S')
            *vec_push(ev->arena, &s->shard) = iters[i];
        else
            *vec_push(ev->arena, &s->replica) = iters[i];
    }
    return (struct value){.kind = VALUE_SPEC, .u.spec = s};
}

/* ---- TileLayout, ComposeLayout ---- */

static struct value tile_layout(struct eval *ev, struct call *c)
{
    if (c->args[0].value.kind != VALUE_SPEC)
        return tw_eval_mismatch(ev, c->args[0].at, "the argument of 'TileLayout'", "S[extents : strides], with R[...] and offsets added",
                                c->args[0].value);
    const struct spec *s = c->args[0].value.u.spec;
    struct layout_parts parts = {.shard_count = s->shard.len, .replica_count = s->replica.len, .shard = s->shard.at,
                                 .replica = s->replica.at};
    for (int a = 0; a < AXIS_COUNT; a++)
        parts.offset[a] = s->offset[a];
    if (s->shard.len == 0) {
        struct diag *d = tw_diag(ev->diags, E0206, c->at, "a layout has no S[...]");
        tw_diag_expected(d, "S[extents : strides], to which R[...] and offsets may be added");
        return value_error();
    }
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    return value_layout(tw_layout_make(&env, &parts));
}

static bool small(struct eval *ev, struct call *c, int arg, const char *what, uint32_t *out)
{
    int64_t i;
    if (!tw_eval_static_int(ev, c->args[arg].value, c->args[arg].at, what, &i))
        return false;
    *out = i < 0 || i > TW_MAX_SWIZZLE_BITS ? TW_MAX_SWIZZLE_BITS + 1 : (uint32_t)i; /* refused by the constructor */
    return true;
}

static struct value compose_layout(struct eval *ev, struct call *c)
{
    struct swizzle s = {.inner = true};
    const struct layout *tile = NULL;
    if (!small(ev, c, 0, "per_element", &s.per_element) || !small(ev, c, 1, "swizzle_len", &s.swizzle_len) ||
        !small(ev, c, 2, "atom_len", &s.atom_len))
        return value_error();
    if (c->args[3].given && !tw_eval_layout(ev, c->args[3].value, c->args[3].at, &tile))
        return value_error();
    if (c->args[4].given && !tw_eval_static_bool(ev, c->args[4].value, c->args[4].at, "swizzle_inner", &s.inner))
        return value_error();
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    return value_layout(tw_layout_compose(&env, &s, tile));
}

static const struct builtin layout_rows[] = {
    {"S", "[extents : strides]", make_spec, ANYWHERE},
    {"R", "[extents : strides]", make_spec, ANYWHERE},
    {"TileLayout", "spec", tile_layout, ANYWHERE},
    {"ComposeLayout", "per_element, swizzle_len, atom_len, tile_layout?, swizzle_inner?", compose_layout, ANYWHERE},
};
const struct builtin_table tw_lib_layout = {layout_rows, sizeof layout_rows / sizeof layout_rows[0]};

/* ---- factories ---- */

static bool elem_bits(struct eval *ev, const struct arg *a, uint32_t *out)
{
    struct ir_type t;
    if (!tw_eval_dtype(ev, a->value, a->at, "the dtype", &t))
        return false;
    *out = t.bits;
    return true;
}

static bool swizzle(struct eval *ev, const struct arg *a, enum swizzle_mode *out)
{
    const struct layout_env env = tw_eval_layout_env(ev, a->at);
    int64_t mode;
    if (a->value.kind == VALUE_STR)
        return tw_swizzle_mode_from_name(&env, a->value.u.text, out);
    return tw_eval_static_int(ev, a->value, a->at, "the swizzle mode", &mode) && tw_swizzle_mode_from_int(&env, mode, out);
}

static struct value mma_shared_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    uint32_t bits;
    enum swizzle_mode mode;
    struct shape shape;
    if (!elem_bits(ev, &c->args[0], &bits) || !swizzle(ev, &c->args[1], &mode) ||
        !tw_eval_static_shape(ev, c->args[2].value, c->args[2].at, "the shape", &shape))
        return value_error();
    return value_layout(tw_mma_shared_layout(&env, bits, mode, &shape));
}

static struct value mma_atom_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    uint32_t bits;
    enum swizzle_mode mode;
    if (!elem_bits(ev, &c->args[0], &bits) || !swizzle(ev, &c->args[1], &mode))
        return value_error();
    return value_layout(tw_mma_atom_layout(&env, bits, mode));
}

static struct value shape_value(struct eval *ev, const struct shape *s)
{
    struct value dims[TW_MAX_RANK];
    for (uint32_t d = 0; d < s->rank; d++)
        dims[d] = value_int(s->dim[d]);
    return tw_value_list_of(ev->arena, VALUE_LIST, dims, s->rank);
}

static struct value mma_atom_shape(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    uint32_t bits;
    enum swizzle_mode mode;
    struct shape shape = {.rank = 2}, out;
    if (!elem_bits(ev, &c->args[0], &bits) || !swizzle(ev, &c->args[1], &mode))
        return value_error();
    if (c->args[2].given && !tw_eval_static_shape(ev, c->args[2].value, c->args[2].at, "the shape", &shape))
        return value_error();
    return tw_mma_atom_shape(&env, bits, mode, shape.rank, &out) ? shape_value(ev, &out) : value_error();
}

/* A string of one letter. */
static bool letter(struct eval *ev, const struct arg *a, const char *what, char *out)
{
    struct str s;
    if (!tw_eval_static_str(ev, a->value, a->at, what, &s))
        return false;
    *out = s.len == 1 ? s.at[0] : '?'; /* refused by the factory, which lists the letters */
    return true;
}

static struct value tmem_datapath_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    char path;
    int64_t rows, cols, sub_slab = 0;
    if (!letter(ev, &c->args[0], "the data path", &path) ||
        !tw_eval_static_int(ev, c->args[1].value, c->args[1].at, "rows", &rows) ||
        !tw_eval_static_int(ev, c->args[2].value, c->args[2].at, "cols", &cols))
        return value_error();
    if (c->args[3].given && !tw_eval_static_int(ev, c->args[3].value, c->args[3].at, "sub_slab", &sub_slab))
        return value_error();
    return value_layout(tw_tmem_datapath_layout(&env, path, rows, cols, sub_slab));
}

static struct value tmem_mma_operand_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct tmem_operand o = {0};
    struct shape group;
    if (!letter(ev, &c->args[0], "the operand", &o.operand) ||
        !tw_eval_static_shape(ev, c->args[1].value, c->args[1].at, "the shape", &o.shape) ||
        !elem_bits(ev, &c->args[2], &o.elem_bits) || !tw_eval_static_int(ev, c->args[3].value, c->args[3].at, "M", &o.m) ||
        !tw_eval_static_int(ev, c->args[4].value, c->args[4].at, "cta_group", &o.cta_group))
        return value_error();
    if (c->args[5].given && !tw_eval_static_bool(ev, c->args[5].value, c->args[5].at, "ws", &o.ws))
        return value_error();
    if (c->args[6].given && !tw_eval_static_bool(ev, c->args[6].value, c->args[6].at, "sparse", &o.sparse))
        return value_error();
    if (c->args[7].given && c->args[7].value.kind != VALUE_NONE) {
        if (!tw_eval_static_shape(ev, c->args[7].value, c->args[7].at, "group", &group))
            return value_error();
        o.group = &group;
    }
    return value_layout(tw_tmem_mma_operand_layout(&env, &o));
}

static struct value wg_local_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    int64_t cols, rows = 128;
    if (!tw_eval_static_int(ev, c->args[0].value, c->args[0].at, "cols", &cols))
        return value_error();
    if (c->args[1].given && !tw_eval_static_int(ev, c->args[1].value, c->args[1].at, "rows", &rows))
        return value_error();
    return value_layout(tw_wg_local_layout(&env, cols, rows));
}

static struct value tcgen05_atom_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct str atom;
    struct shape shape;
    uint32_t bits;
    if (!tw_eval_static_str(ev, c->args[0].value, c->args[0].at, "the atom", &atom) ||
        !tw_eval_static_shape(ev, c->args[1].value, c->args[1].at, "the shape", &shape) || !elem_bits(ev, &c->args[2], &bits))
        return value_error();
    if (shape.rank != 2)
        return tw_eval_mismatch(ev, c->args[1].at, "the shape", "(rows, columns)", c->args[1].value);
    return value_layout(tw_tcgen05_atom_layout(&env, atom, shape.dim[0], shape.dim[1], bits));
}

/* sf_tmem_layout and sf_smem_layout(rows, SF_K, sf_per_mma, sf_reuse=1, pipe_depth=None) */
static bool read_scales(struct eval *ev, struct call *c, struct scale_layout *s)
{
    int64_t *const to[] = {&s->rows, &s->sf_k, &s->sf_per_mma, &s->reuse, &s->pipe_depth};
    static const char *const what[] = {"rows", "SF_K", "sf_per_mma", "sf_reuse", "pipe_depth"};
    for (int i = 0; i < 5; i++)
        if (c->args[i].given && c->args[i].value.kind != VALUE_NONE &&
            !tw_eval_static_int(ev, c->args[i].value, c->args[i].at, what[i], to[i]))
            return false;
    return true;
}

static struct value sf_tmem_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct scale_layout s = {0};
    return read_scales(ev, c, &s) ? value_layout(tw_sf_tmem_layout(&env, &s)) : value_error();
}

static struct value sf_smem_layout(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct scale_layout s = {0};
    return read_scales(ev, c, &s) ? value_layout(tw_sf_smem_layout(&env, &s)) : value_error();
}

static const struct builtin factory_rows[] = {
    {"mma_shared_layout", "dtype, swizzle_mode, shape", mma_shared_layout, ANYWHERE},
    {"mma_atom_layout", "dtype, swizzle_mode", mma_atom_layout, ANYWHERE},
    {"mma_atom_shape", "dtype, swizzle_mode, shape?", mma_atom_shape, ANYWHERE},
    {"tmem_datapath_layout", "datapath, rows, cols, sub_slab?", tmem_datapath_layout, ANYWHERE},
    {"tmem_mma_operand_layout", "operand, shape, dtype, *, M, cta_group, ws?, sparse?, group?", tmem_mma_operand_layout, ANYWHERE},
    {"sf_tmem_layout", "rows, SF_K, sf_per_mma, sf_reuse?, pipe_depth?", sf_tmem_layout, ANYWHERE},
    {"sf_smem_layout", "rows, SF_K, sf_per_mma, sf_reuse?, pipe_depth?", sf_smem_layout, ANYWHERE},
    {"wg_local_layout", "cols, rows?", wg_local_layout, ANYWHERE},
    {"tcgen05_atom_layout", "atom, shape, dtype", tcgen05_atom_layout, ANYWHERE},
};
const struct builtin_table tw_lib_factories = {factory_rows, sizeof factory_rows / sizeof factory_rows[0]};
