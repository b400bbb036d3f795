/* Operators on run-time values: literals take the other operand's type, differing types are made equal by the
 * language's rules, and every conversion becomes a node of its own.
 * SOURCE: kernel-language 2.2, 2.4, 2.5. */
#include "lang/eval.h"

#include "ir/ir_names.h"

#include <string.h>

bool tw_eval_is_scalar_tensor(struct value v)
{
    return v.kind == VALUE_TENSOR && v.u.tensor->view.shape.rank == 1 && v.u.tensor->view.shape.dim[0] == 1 &&
           v.u.tensor->storage->scope != IR_TMEM;
}

static bool fits(wide i, struct ir_type t)
{
    const wide top = (wide)1 << (t.bits - (t.cls == IR_SINT));
    const wide low = -((wide)1 << (t.bits - 1)); /* a negative literal beside an unsigned operand wraps */
    return i < top && i >= low;
}

/* Exact double as an IR constant of any float type: folded by the cast that the emitted code would make. */
static struct ir_expr *float_constant(struct eval *ev, double number, struct ir_type type, struct src_span at)
{
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    struct ir_expr *wide_constant = tw_ir_const_bits(eval_kernel(ev), tw_ir_type_of(NUM_F64), word, at);
    return tw_ir_cast(eval_kernel(ev), type, wide_constant, at);
}

struct ir_expr *tw_eval_constant(struct eval *ev, struct value v, struct ir_type type, struct src_span at)
{
    struct ir_kernel *k = eval_kernel(ev);
    if (type.cls == IR_BOOL) {
        bool known;
        return tw_ir_const_int(k, type, tw_value_truth(v, &known), at);
    }
    if (type.cls == IR_FLOAT)
        return float_constant(ev, value_number(v), type, at);
    if (v.kind == VALUE_FLOAT) {
        struct ir_expr *number = float_constant(ev, v.u.number, tw_ir_type_of(NUM_F64), at);
        return tw_ir_cast(k, type, number, at);
    }
    const wide i = value_integer(v);
    if (fits(i, type))
        return tw_ir_const_bits(k, type, (uint64_t)i, at);
    struct diag *d = tw_diag(ev->diags, E0211, at, "%s does not fit the type %s", tw_value_describe(ev->arena, v),
                             tw_ir_type_name(type));
    tw_diag_fix(d, "use a wider type, such as T.int64");
    return NULL;
}

/* int32, int64 where that is too small, uint64 beyond. */
static struct ir_type natural_type(struct value v)
{
    if (v.kind == VALUE_BOOL)
        return tw_ir_bool();
    if (v.kind == VALUE_FLOAT)
        return tw_ir_float32();
    const wide i = v.u.integer;
    if (i >= INT32_MIN && i <= INT32_MAX)
        return tw_ir_int32();
    return tw_ir_type_of(i > INT64_MAX ? NUM_U64 : NUM_S64);
}

struct ir_expr *tw_eval_to_expr(struct eval *ev, struct value v, struct src_span at, const char *what)
{
    if (v.kind == VALUE_EXPR)
        return v.u.expr;
    if (v.kind == VALUE_VAR)
        return tw_ir_var_ref(eval_kernel(ev), v.u.var, at);
    if (value_is_static_number(v))
        return tw_eval_constant(ev, v, natural_type(v), at);
    if (tw_eval_is_scalar_tensor(v))
        return tw_ir_load(eval_kernel(ev), tw_tensor_only(ev, v.u.tensor, at), at);
    if (v.kind == VALUE_REGION) {
        struct diag *d = tw_diag(ev->diags, E0209, at, "%s is a region, not an element", what);
        tw_diag_expected(d, "%u indices, none of them a slice", v.u.region->view->rank);
        return NULL;
    }
    tw_eval_mismatch(ev, at, what, "a number or a run-time value", v);
    return NULL;
}

/* ---- common types ---- */

static bool is_ieee(struct ir_type t)
{
    return t.format == NUM_F16 || t.format == NUM_F32 || t.format == NUM_F64;
}

/* Narrow floats by precedence: bfloat16, then 8, 6 and 4 bits. */
static struct ir_type narrow_float(struct ir_type a, struct ir_type b)
{
    if (a.cls != IR_FLOAT)
        return b;
    if (b.cls != IR_FLOAT)
        return a;
    return a.bits >= b.bits ? a : b;
}

static struct ir_type common_type(struct ir_type a, struct ir_type b)
{
    const bool a_ieee = a.cls == IR_FLOAT && is_ieee(a), b_ieee = b.cls == IR_FLOAT && is_ieee(b);
    if (a_ieee && b_ieee)
        return a.bits >= b.bits ? a : b;
    if (a_ieee || b_ieee)
        return a_ieee ? a : b;
    if (a.cls == IR_FLOAT || b.cls == IR_FLOAT)
        return narrow_float(a, b);
    if (a.cls == IR_BOOL || b.cls == IR_BOOL)
        return a.cls == IR_BOOL ? b : a;
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return a.cls == IR_UINT ? a : b;
}

static bool has_pointer(struct ir_type a, struct ir_type b)
{
    return a.cls == IR_POINTER || b.cls == IR_POINTER;
}

/* The literal `v` beside an operand of type `t`. */
static struct ir_type literal_type(struct value v, struct ir_type t)
{
    if (v.kind == VALUE_FLOAT && t.cls != IR_FLOAT)
        return tw_ir_float32();
    if (v.kind != VALUE_BOOL && t.cls == IR_BOOL)
        return natural_type(v);
    return t;
}

static struct ir_expr *cast_to(struct eval *ev, struct ir_expr *e, struct ir_type t)
{
    return tw_ir_cast(eval_kernel(ev), t, e, e->at);
}

/* One literal, one run-time operand. */
static bool balance_literal(struct eval *ev, struct value literal, struct value other, struct ir_expr **x, struct ir_expr **y,
                            struct src_span at)
{
    *y = tw_eval_to_expr(ev, other, at, "an operand");
    if (*y == NULL)
        return false;
    if ((*y)->type.cls == IR_POINTER)
        return true; /* the caller refuses pointers */
    const struct ir_type t = literal_type(literal, (*y)->type);
    *x = tw_eval_constant(ev, literal, t, at);
    *y = cast_to(ev, *y, t);
    return *x != NULL;
}

static bool refuse_pointer(struct eval *ev, struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0208, at, "a pointer takes no part in arithmetic or comparisons");
    tw_diag_fix(d, "index the tensor, or use ptr_to([...])");
    return false;
}

bool tw_eval_balance(struct eval *ev, struct value a, struct value b, struct ir_expr **x, struct ir_expr **y, struct src_span at)
{
    *x = *y = NULL;
    bool fine = true;
    if (value_is_static_number(a) && !value_is_static_number(b)) {
        fine = balance_literal(ev, a, b, x, y, at);
    } else if (value_is_static_number(b) && !value_is_static_number(a)) {
        fine = balance_literal(ev, b, a, y, x, at);
    } else {
        *x = tw_eval_to_expr(ev, a, at, "an operand");
        *y = *x == NULL ? NULL : tw_eval_to_expr(ev, b, at, "an operand");
        fine = *x != NULL && *y != NULL;
    }
    if (!fine)
        return false;
    if (*x == NULL || *y == NULL || has_pointer((*x)->type, (*y)->type))
        return refuse_pointer(ev, at);
    const struct ir_type t = common_type((*x)->type, (*y)->type);
    *x = cast_to(ev, *x, t);
    *y = cast_to(ev, *y, t);
    return true;
}

/* ---- operators ---- */

static const struct {
    enum ir_op op;
    bool floats, integers;
} binary_ops[BINARY_COUNT] = {
    [BINARY_ADD] = {IR_ADD, true, true},         [BINARY_SUB] = {IR_SUB, true, true},
    [BINARY_MUL] = {IR_MUL, true, true},         [BINARY_DIV] = {IR_DIV, true, false},
    [BINARY_FLOORDIV] = {IR_FLOORDIV, false, true}, [BINARY_MOD] = {IR_FLOORMOD, false, true},
    [BINARY_SHL] = {IR_SHL, false, true},        [BINARY_SHR] = {IR_SHR, false, true},
    [BINARY_AND] = {IR_BITAND, false, true},     [BINARY_OR] = {IR_BITOR, false, true},
    [BINARY_XOR] = {IR_BITXOR, false, true},
};

static struct value refuse_operation(struct eval *ev, enum binary_op op, struct ir_type t, struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0208, at, "'%s' does not take operands of type %s", tw_binary_spelling(op),
                             tw_ir_type_name(t));
    if (op == BINARY_DIV)
        tw_diag_fix(d, "write '//' for floor division, or convert an operand to a float");
    else if (t.cls == IR_BOOL)
        tw_diag_fix(d, "write 'and', 'or', 'not' for truth values");
    else if (t.cls == IR_FLOAT && t.bits < 16)
        tw_diag_fix(d, "convert both operands first, for example with T.cast(x, \"float32\")");
    return value_error();
}

static bool is_zero(const struct ir_expr *e)
{
    int64_t i;
    return tw_ir_is_const_int(e, &i) && i == 0;
}

struct value tw_eval_ir_binary(struct eval *ev, enum binary_op op, struct value a, struct value b, struct src_span at)
{
    struct ir_expr *x, *y;
    if (!binary_ops[op].floats && !binary_ops[op].integers) {
        tw_diag(ev->diags, E0208, at, "'%s' is not an operation on run-time values", tw_binary_spelling(op));
        return value_error();
    }
    if (!tw_eval_balance(ev, a, b, &x, &y, at))
        return value_error();
    const struct ir_type t = x->type;
    if (t.cls == IR_FLOAT ? !binary_ops[op].floats || t.bits < 16 : t.cls == IR_BOOL || !binary_ops[op].integers)
        return refuse_operation(ev, op, t, at);
    if ((op == BINARY_FLOORDIV || op == BINARY_MOD) && is_zero(y)) {
        tw_diag(ev->diags, E0211, at, "division by zero");
        return value_error();
    }
    return value_expr(tw_ir_binary(eval_kernel(ev), binary_ops[op].op, x, y, at));
}

struct value tw_eval_ir_compare(struct eval *ev, enum compare_op op, struct value a, struct value b, struct src_span at)
{
    static const enum ir_op ops[] = {[COMPARE_LT] = IR_LT, [COMPARE_LE] = IR_LE, [COMPARE_GT] = IR_GT,
                                     [COMPARE_GE] = IR_GE, [COMPARE_EQ] = IR_EQ, [COMPARE_NE] = IR_NE};
    struct ir_expr *x, *y;
    if (op > COMPARE_NE) {
        tw_diag(ev->diags, E0208, at, "'%s' is not an operation on run-time values", tw_compare_spelling(op));
        return value_error();
    }
    if (!tw_eval_balance(ev, a, b, &x, &y, at))
        return value_error();
    if (x->type.cls == IR_FLOAT && x->type.bits < 16) {
        struct diag *d = tw_diag(ev->diags, E0208, at, "'%s' does not take operands of type %s", tw_compare_spelling(op),
                                 tw_ir_type_name(x->type));
        tw_diag_fix(d, "convert both operands first, for example with T.cast(x, \"float32\")");
        return value_error();
    }
    return value_expr(tw_ir_binary(eval_kernel(ev), ops[op], x, y, at));
}

/* ---- conversions ---- */

struct ir_expr *tw_eval_to_bool(struct eval *ev, struct value v, struct src_span at, const char *what)
{
    bool known;
    const bool truth = tw_value_truth(v, &known);
    if (known)
        return tw_ir_const_int(eval_kernel(ev), tw_ir_bool(), truth, at);
    struct ir_expr *e = tw_eval_to_expr(ev, v, at, what);
    if (e == NULL || e->type.cls == IR_BOOL)
        return e;
    if (!tw_ir_is_integer(e->type)) {
        struct diag *d = tw_diag(ev->diags, E0208, at, "%s is no truth value", what);
        tw_diag_expected(d, "a bool or an integer");
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, value_expr(e)));
        return NULL;
    }
    return tw_ir_binary(eval_kernel(ev), IR_NE, e, tw_ir_const_int(eval_kernel(ev), e->type, 0, at), at);
}

struct ir_expr *tw_eval_to_typed(struct eval *ev, struct value v, struct ir_type type, struct src_span at, const char *what)
{
    if (value_is_static_number(v) && type.cls != IR_POINTER) {
        if (v.kind == VALUE_FLOAT && (type.cls == IR_SINT || type.cls == IR_UINT))
            tw_diag(ev->diags, E0220, at, "%s is a float, and is truncated to %s", what, tw_ir_type_name(type));
        return tw_eval_constant(ev, v, type, at);
    }
    struct ir_expr *e = tw_eval_to_expr(ev, v, at, what);
    if (e == NULL || tw_ir_type_equal(e->type, type))
        return e;
    if (type.cls == IR_BOOL)
        return tw_eval_to_bool(ev, value_expr(e), at, what);
    if (has_pointer(e->type, type)) {
        struct diag *d = tw_diag(ev->diags, E0208, at, "%s cannot be converted", what);
        tw_diag_expected(d, "a value of type %s", tw_ir_type_name(type));
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, value_expr(e)));
        return NULL;
    }
    if (e->type.cls == IR_FLOAT && type.cls != IR_FLOAT)
        tw_diag(ev->diags, E0220, at, "%s is of type %s, and is truncated to %s", what, tw_ir_type_name(e->type),
                tw_ir_type_name(type));
    return tw_ir_cast(eval_kernel(ev), type, e, at);
}

struct ir_expr *tw_eval_to_index(struct eval *ev, struct value v, struct src_span at, const char *what)
{
    struct ir_expr *e = tw_eval_to_expr(ev, v, at, what);
    if (e == NULL || tw_ir_is_integer(e->type))
        return e;
    if (e->type.cls == IR_BOOL)
        return tw_ir_cast(eval_kernel(ev), tw_ir_int32(), e, at);
    struct diag *d = tw_diag(ev->diags, E0209, at, "%s is no integer", what);
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, value_expr(e)));
    return NULL;
}

/* ---- equality of expressions, for slices with run-time ends ---- */

static bool region_equal(const struct ir_region *a, const struct ir_region *b)
{
    if (a == NULL || b == NULL || a->view != b->view)
        return a == b;
    for (uint32_t d = 0; d < a->view->rank; d++) {
        if (a->extent[d] != b->extent[d] || (a->start[d] == NULL) != (b->start[d] == NULL))
            return false;
        if (a->start[d] != NULL && !tw_ir_expr_equal(a->start[d], b->start[d]))
            return false;
    }
    return true;
}

bool tw_ir_expr_equal(const struct ir_expr *a, const struct ir_expr *b)
{
    if (a->op != b->op || !tw_ir_type_equal(a->type, b->type) || a->bits != b->bits || a->var != b->var ||
        a->coord != b->coord || !region_equal(a->region, b->region))
        return false;
    for (unsigned i = 0; i < tw_ir_op_row(a->op)->arity; i++)
        if (!tw_ir_expr_equal(a->args[i], b->args[i]))
            return false;
    return true;
}
