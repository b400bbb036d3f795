/* Storage: allocation and declaration calls, in the new and the mid spelling. SOURCE: kernel-language 4.2. */
#include "lang/eval.h"

#include "layout/factory.h"

#include <string.h>

/* What the allocation calls have in common, by position:
 * shape, dtype, data, *, scope, align, layout, allocated_addr, annotations, elem_offset, byte_offset */
enum { A_SHAPE, A_DTYPE, A_DATA, A_SCOPE, A_ALIGN, A_LAYOUT, A_ADDR, A_NOTES, A_ELEM_OFFSET, A_BYTE_OFFSET };
#define ALLOC_PARAMS "shape, dtype?, data?, *, scope?, align?, layout?, allocated_addr?, annotations?, elem_offset?, byte_offset?"

static bool read_alloc(struct eval *ev, struct call *c, enum ir_scope fallback, struct tensor_type *t, enum ir_scope *scope)
{
    const struct type_args a = {&c->args[A_SHAPE], &c->args[A_DTYPE], &c->args[A_SCOPE], &c->args[A_ALIGN],
                                &c->args[A_LAYOUT], c->at};
    *scope = fallback;
    return tw_tensor_read_type(ev, &a, t) && tw_call_refuse_given(ev, c, A_DATA, "data") &&
           tw_call_refuse_given(ev, c, A_NOTES, "annotations") && tw_call_refuse_given(ev, c, A_ELEM_OFFSET, "elem_offset") &&
           tw_call_refuse_given(ev, c, A_BYTE_OFFSET, "byte_offset") &&
           (t->scope == NULL || tw_scope_of_name(ev, value_str(tw_str(t->scope)), c->args[A_SCOPE].at, scope));
}

static struct value refuse_scope(struct eval *ev, struct call *c, enum ir_scope scope)
{
    struct diag *d = tw_diag(ev->diags, E0206, c->at, "'%s' allocates no %s tensor", c->row->name, tw_ir_scope_name(scope));
    tw_diag_expected(d, "%s", "scope=\"shared\" or scope=\"local\"");
    if (scope == IR_TMEM)
        tw_diag_fix(d, "allocate columns with tcgen05.alloc, and name them with T.cuda.decl_tmem(...)");
    return value_error();
}

static struct value allocate(struct eval *ev, struct call *c, enum ir_scope fallback)
{
    struct tensor_type t;
    enum ir_scope scope;
    if (!read_alloc(ev, c, fallback, &t, &scope) || !tw_call_refuse_given(ev, c, A_ADDR, "allocated_addr"))
        return value_error();
    if (scope != IR_SHARED && scope != IR_LOCAL)
        return refuse_scope(ev, c, scope);
    return tw_tensor_declare(ev, NULL, &t, scope, c->at);
}

static struct value alloc_shared(struct eval *ev, struct call *c)
{
    return allocate(ev, c, IR_SHARED);
}

static struct value alloc_local(struct eval *ev, struct call *c)
{
    return allocate(ev, c, IR_LOCAL);
}

static struct value alloc_buffer(struct eval *ev, struct call *c)
{
    return allocate(ev, c, IR_GLOBAL); /* a scope must be given */
}

/* ---- types as arguments ---- */

static const struct tensor_type *only_type(struct eval *ev, struct call *c, int arg)
{
    const struct value list = c->args[arg].value;
    const bool one = value_is_sequence(list) && list.u.list->len == 1 && list.u.list->at[0].kind == VALUE_TYPE &&
                     !list.u.list->at[0].u.type->is_scalar;
    if (one)
        return list.u.list->at[0].u.type;
    tw_eval_mismatch(ev, c->args[arg].at, "'ty_args'", "a list with one T.Tensor(...)", list);
    return NULL;
}

/* alloc_tensor(placement?, *, ty_args, attrs?, annotations?) */
static struct value alloc_tensor(struct eval *ev, struct call *c)
{
    enum ir_scope scope = IR_GLOBAL;
    const struct tensor_type *t = only_type(ev, c, 1);
    if (t == NULL || !tw_call_refuse_given(ev, c, 0, "placement") || !tw_call_refuse_given(ev, c, 2, "attrs") ||
        !tw_call_refuse_given(ev, c, 3, "annotations"))
        return value_error();
    if (t->scope != NULL && !tw_scope_of_name(ev, value_str(tw_str(t->scope)), t->at, &scope))
        return value_error();
    if (scope != IR_SHARED && scope != IR_LOCAL)
        return refuse_scope(ev, c, scope);
    return tw_tensor_declare(ev, NULL, t, scope, c->at);
}

/* ---- tensor memory ---- */

/* The address is evaluated once, at the declaration. */
static struct value declare_tmem(struct eval *ev, struct call *c, const struct tensor_type *t, const struct arg *addr)
{
    const struct value base = tw_eval_let_value(ev, "tmem_base", addr->value, tw_ir_uint32(), addr->at);
    if (base.kind == VALUE_ERROR)
        return base;
    const struct value v = tw_tensor_declare(ev, NULL, t, IR_TMEM, c->at);
    if (v.kind == VALUE_TENSOR)
        v.u.tensor->storage->base = tw_ir_var_ref(eval_kernel(ev), base.u.var, addr->at);
    return v;
}

struct value tw_lib_decl_tmem(struct eval *ev, struct call *c)
{
    const struct tensor_type *t = only_type(ev, c, 1);
    if (t == NULL)
        return value_error();
    if (t->scope == NULL || strcmp(t->scope, "tmem") != 0) {
        struct diag *d = tw_diag(ev->diags, E0206, t->at, "'decl_tmem' declares a tensor of another scope");
        tw_diag_expected(d, "T.Tensor(..., scope=\"tmem\", layout=...)");
        tw_diag_found(d, "%s%s", t->scope == NULL ? "no scope" : "the scope ", t->scope == NULL ? "" : t->scope);
        return value_error();
    }
    return declare_tmem(ev, c, t, &c->args[0]);
}

static struct value decl_buffer(struct eval *ev, struct call *c)
{
    struct tensor_type t;
    enum ir_scope scope;
    if (!read_alloc(ev, c, IR_GLOBAL, &t, &scope))
        return value_error();
    if (scope != IR_TMEM)
        return tw_eval_unsupported(ev, c->at, "'decl_buffer' for a scope other than \"tmem\"");
    if (!c->args[A_ADDR].given) {
        struct diag *d = tw_diag(ev->diags, E0205, c->at, "'decl_buffer' of tensor memory needs its address");
        tw_diag_expected(d, "allocated_addr=");
        return value_error();
    }
    return declare_tmem(ev, c, &t, &c->args[A_ADDR]);
}

/* ---- scalars ---- */

static struct value scalar(struct eval *ev, struct call *c, const struct arg *dtype, enum ir_scope scope)
{
    struct tensor_type t = {.align = -1, .at = c->at, .shape = {.rank = 1, .dim = {1}}};
    if (!tw_eval_dtype(ev, dtype->value, dtype->at, "the dtype", &t.elem))
        return value_error();
    return tw_tensor_declare(ev, NULL, &t, scope, c->at);
}

static struct value local_scalar(struct eval *ev, struct call *c)
{
    return scalar(ev, c, &c->args[0], IR_LOCAL);
}

static struct value shared_scalar(struct eval *ev, struct call *c)
{
    return scalar(ev, c, &c->args[0], IR_SHARED);
}

static struct value alloc_scalar(struct eval *ev, struct call *c)
{
    enum ir_scope scope;
    if (!tw_scope_of_name(ev, c->args[1].value, c->args[1].at, &scope))
        return value_error();
    if (scope != IR_SHARED && scope != IR_LOCAL)
        return refuse_scope(ev, c, scope);
    return scalar(ev, c, &c->args[0], scope);
}

/* ---- register fragments ---- */

static struct value wg_reg_tile(struct eval *ev, struct call *c)
{
    enum { WARPGROUP_THREADS = 128 };
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct tensor_type t = {.align = -1, .at = c->at, .elem = tw_ir_float32()};
    int64_t cols;
    if (!tw_eval_static_int(ev, c->args[0].value, c->args[0].at, "the column count", &cols) ||
        !tw_eval_dtype(ev, c->args[1].value, c->args[1].at, "the dtype", &t.elem))
        return value_error();
    t.shape = (struct shape){.rank = 2, .dim = {WARPGROUP_THREADS, cols}};
    t.layout = tw_wg_local_layout(&env, cols, WARPGROUP_THREADS);
    return t.layout == NULL ? value_error() : tw_tensor_declare(ev, NULL, &t, IR_LOCAL, c->at);
}

static struct value alloc_frag(struct eval *ev, struct call *c)
{
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct tensor_type t = {.align = -1, .at = c->at};
    struct str atom;
    if (!tw_eval_static_str(ev, c->args[0].value, c->args[0].at, "the atom", &atom) ||
        !tw_eval_static_shape(ev, c->args[1].value, c->args[1].at, "the shape", &t.shape) ||
        !tw_eval_dtype(ev, c->args[2].value, c->args[2].at, "the dtype", &t.elem))
        return value_error();
    if (t.shape.rank != 2)
        return tw_eval_mismatch(ev, c->args[1].at, "the shape", "(rows, columns)", c->args[1].value);
    t.layout = tw_tcgen05_atom_layout(&env, atom, t.shape.dim[0], t.shape.dim[1], t.elem.bits);
    return t.layout == NULL ? value_error() : tw_tensor_declare(ev, NULL, &t, IR_LOCAL, c->at);
}

/* ---- parameters of the mid revision ---- */

static struct value match_buffer(struct eval *ev, struct call *c)
{
    struct tensor_type *t = arena_new(ev->arena, struct tensor_type, 1);
    const struct type_args a = {&c->args[1], &c->args[2], &c->args[3], &c->args[4], &c->args[5], c->at};
    const struct value handle = c->args[0].value;
    if (!tw_tensor_read_type(ev, &a, t))
        return value_error();
    if (handle.kind != VALUE_PARAM)
        return tw_eval_mismatch(ev, c->args[0].at, "what 'match_buffer' takes apart", "a parameter declared as T.handle", handle);
    return tw_build_match_param(ev, handle.u.param, t, c->at);
}

static const struct builtin rows[] = {
    {"alloc_shared", ALLOC_PARAMS, alloc_shared, ON_DEVICE},
    {"alloc_local", ALLOC_PARAMS, alloc_local, ON_DEVICE},
    {"alloc_buffer", ALLOC_PARAMS, alloc_buffer, ON_DEVICE},
    {"alloc_tensor", "placement?, *, ty_args, attrs?, annotations?", alloc_tensor, ON_DEVICE},
    {"decl_buffer", ALLOC_PARAMS, decl_buffer, ON_DEVICE},
    {"local_scalar", "dtype", local_scalar, ON_DEVICE},
    {"shared_scalar", "dtype", shared_scalar, ON_DEVICE},
    {"alloc_scalar", "dtype, scope", alloc_scalar, ON_DEVICE},
    {"wg_reg_tile", "n, dtype", wg_reg_tile, ON_DEVICE},
    {"alloc_tcgen05_ldst_frag", "atom, shape, dtype", alloc_frag, ON_DEVICE},
    {"match_buffer", "param, shape, dtype?, *, scope?, align?, layout?", match_buffer, IN_KERNEL},
};
const struct builtin_table tw_lib_alloc = {rows, sizeof rows / sizeof rows[0]};
