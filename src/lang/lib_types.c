/* Types, conversions, addresses and selections. SOURCE: kernel-language 1.3, 2.3. */
#include "lang/map.h"

#include "ir/ir_names.h"

#include <string.h>

/* ---- T.Tensor ---- */

static bool read_align(struct eval *ev, const struct arg *a, int64_t *out)
{
    enum { MAX_ALIGN = 4096 };
    if (!tw_eval_static_int(ev, a->value, a->at, "the alignment", out))
        return false;
    if (*out == -1 || (*out > 0 && *out <= MAX_ALIGN && (*out & (*out - 1)) == 0))
        return true;
    struct diag *d = tw_diag(ev->diags, E0206, a->at, "the alignment is not possible");
    tw_diag_expected(d, "a power of two from 1 to %d bytes, or -1 for the default", MAX_ALIGN);
    tw_diag_found(d, "%lld", (long long)*out);
    return false;
}

bool tw_tensor_read_type(struct eval *ev, const struct type_args *a, struct tensor_type *t)
{
    *t = (struct tensor_type){.elem = tw_ir_float32(), .align = -1, .at = a->at};
    if (!tw_eval_static_shape(ev, a->shape->value, a->shape->at, "the shape", &t->shape))
        return false;
    if (a->dtype->given && !tw_eval_dtype(ev, a->dtype->value, a->dtype->at, "the dtype", &t->elem))
        return false;
    if (a->align->given && !read_align(ev, a->align, &t->align))
        return false;
    if (a->layout->given) {
        t->has_layout = true;
        if (!tw_eval_layout(ev, a->layout->value, a->layout->at, &t->layout))
            return false;
    }
    struct str scope;
    if (!a->scope->given)
        return true;
    if (!tw_eval_static_str(ev, a->scope->value, a->scope->at, "the scope", &scope))
        return false;
    t->scope = tw_intern(ev->names, scope);
    return true;
}

static struct value tensor_type(struct eval *ev, struct call *c)
{
    struct tensor_type *t = arena_new(ev->arena, struct tensor_type, 1);
    const struct type_args a = {&c->args[0], &c->args[1], &c->args[2], &c->args[3], &c->args[4], c->at};
    return tw_tensor_read_type(ev, &a, t) ? (struct value){.kind = VALUE_TYPE, .u.type = t} : value_error();
}

/* ---- conversions ---- */

static struct value convert(struct eval *ev, const struct arg *dtype, const struct arg *value, struct src_span at)
{
    struct ir_type type;
    if (!tw_eval_dtype(ev, dtype->value, dtype->at, "the dtype", &type))
        return value_error();
    if (value_is_static_number(value->value)) {
        struct ir_expr *e = tw_eval_constant(ev, value->value, type, value->at);
        return e == NULL ? value_error() : value_expr(e);
    }
    struct ir_expr *e = tw_eval_to_expr(ev, value->value, value->at, "the converted value");
    if (e == NULL)
        return value_error();
    if (e->type.cls == IR_POINTER)
        return tw_eval_mismatch(ev, value->at, "the converted value", "a number", value_expr(e));
    return value_expr(tw_ir_cast(eval_kernel(ev), type, e, at));
}

static struct value cast(struct eval *ev, struct call *c)
{
    return convert(ev, &c->args[1], &c->args[0], c->at);
}

static struct value cast_node(struct eval *ev, struct call *c)
{
    return convert(ev, &c->args[0], &c->args[1], c->at);
}

static struct value reinterpret(struct eval *ev, struct call *c)
{
    struct ir_type type;
    if (!tw_eval_dtype(ev, c->args[0].value, c->args[0].at, "the dtype", &type))
        return value_error();
    struct ir_expr *e = tw_eval_to_expr(ev, c->args[1].value, c->args[1].at, "the reinterpreted value");
    if (e == NULL)
        return value_error();
    if (e->type.bits != type.bits || e->type.cls == IR_POINTER || e->type.cls == IR_BOOL || type.cls == IR_BOOL) {
        struct diag *d = tw_diag(ev->diags, E0208, c->at, "'reinterpret' keeps the bits, and the types differ in width");
        tw_diag_expected(d, "a value of %u bits", type.bits);
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, value_expr(e)));
        return value_error();
    }
    return value_expr(tw_ir_unary(eval_kernel(ev), IR_REINTERPRET, type, e, c->at));
}

/* ---- addresses ---- */

static struct value address_of(struct eval *ev, struct call *c)
{
    const struct arg *a = &c->args[0];
    if (tw_map_is_parameter(ev, a->value))
        return a->value; /* a map's name stands for its address already */
    if (a->value.kind == VALUE_TENSOR)
        return tw_tensor_address(ev, a->value.u.tensor, NULL, c->at);
    if (a->value.kind == VALUE_EXPR && a->value.u.expr->op == IR_LOAD)
        return value_expr(tw_ir_address(eval_kernel(ev), a->value.u.expr->region, c->at));
    return tw_eval_wrong_kind(ev, a->at, "the argument of 'address_of'", "a tensor or an element of one", a->value);
}

/* ---- selections ---- */

static struct value select(struct eval *ev, struct call *c)
{
    bool known;
    const bool truth = tw_value_truth(c->args[0].value, &known);
    if (known)
        return c->args[truth ? 1 : 2].value;
    struct ir_expr *cond = tw_eval_to_bool(ev, c->args[0].value, c->args[0].at, "the condition");
    struct ir_expr *x, *y;
    if (cond == NULL || !tw_eval_balance(ev, c->args[1].value, c->args[2].value, &x, &y, c->at))
        return value_error();
    return value_expr(tw_ir_select(eval_kernel(ev), cond, x, y, c->at));
}

/* ---- limits ---- */

static struct value limit(struct eval *ev, struct call *c)
{
    struct ir_type type;
    if (!tw_eval_dtype(ev, c->args[0].value, c->args[0].at, "the dtype", &type))
        return value_error();
    if (type.cls == IR_BOOL || type.cls == IR_POINTER)
        return tw_eval_mismatch(ev, c->args[0].at, "the dtype", "a number's dtype", c->args[0].value);
    uint64_t bits = tw_num_format(type.format)->infinity;
    if (strcmp(c->row->name, "infinity") == 0 && bits == 0) {
        tw_diag(ev->diags, E0208, c->at, "the type %s has no infinity", tw_ir_type_name(type));
        return value_error();
    }
    if (strcmp(c->row->name, "max_value") == 0)
        bits = tw_num_max_word(type.format);
    else if (strcmp(c->row->name, "min_value") == 0)
        bits = tw_num_min_word(type.format);
    return value_expr(tw_ir_const_bits(eval_kernel(ev), type, bits, c->at));
}

#define TENSOR_PARAMS "shape, dtype?, *, scope?, align?, layout?"
static const struct builtin rows[] = {
    {"Tensor", TENSOR_PARAMS, tensor_type, ANYWHERE},
    {"Buffer", TENSOR_PARAMS, tensor_type, ANYWHERE},
    {"cast", "value, dtype", cast, IN_KERNEL},
    {"Cast", "dtype, value", cast_node, IN_KERNEL},
    {"reinterpret", "dtype, value", reinterpret, IN_KERNEL},
    {"address_of", "value", address_of, IN_KERNEL},
    {"if_then_else", "condition, true_value, false_value", select, IN_KERNEL},
    {"Select", "condition, true_value, false_value", select, IN_KERNEL},
    {"infinity", "dtype", limit, IN_KERNEL},
    {"min_value", "dtype", limit, IN_KERNEL},
    {"max_value", "dtype", limit, IN_KERNEL},
};
const struct builtin_table tw_lib_types = {rows, sizeof rows / sizeof rows[0]};
