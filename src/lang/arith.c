/* Operators on values known at compile time, as Python computes them; run-time operands go to arith_ir.c. */
#include "lang/eval.h"

#include <math.h>

static bool is_run_time(struct value v)
{
    return value_is_run_time(v) || tw_eval_is_scalar_tensor(v);
}

static struct value too_wide(struct eval *ev, struct src_span at)
{
    return tw_eval_unsupported(ev, at, "an integer of more than 64 bits");
}

static struct value checked(struct eval *ev, wide i, bool overflow, struct src_span at)
{
    return overflow || i >= WIDE_LIMIT || i <= -WIDE_LIMIT ? too_wide(ev, at) : value_int(i);
}

static struct value zero_divisor(struct eval *ev, struct src_span at)
{
    tw_diag(ev->diags, E0211, at, "division by zero");
    return value_error();
}

static wide floor_div(wide a, wide b)
{
    const wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static struct value int_power(struct eval *ev, wide a, wide b, struct src_span at)
{
    if (b < 0)
        return tw_eval_unsupported(ev, at, "a negative exponent");
    if (a >= -1 && a <= 1)
        return value_int(b == 0 ? 1 : a == -1 && b % 2 == 0 ? 1 : a);
    wide result = 1;
    bool overflow = false;
    for (wide i = 0; i < b && !overflow; i++)
        overflow = __builtin_mul_overflow(result, a, &result) || result >= WIDE_LIMIT || result <= -WIDE_LIMIT;
    return checked(ev, result, overflow, at);
}

static struct value int_shift(struct eval *ev, enum binary_op op, wide a, wide b, struct src_span at)
{
    if (b < 0) {
        tw_diag(ev->diags, E0211, at, "a shift by a negative count");
        return value_error();
    }
    if (op == BINARY_SHR)
        return value_int(b > 126 ? (a < 0 ? -1 : 0) : a >> b);
    wide r = 0;
    const bool overflow = a != 0 && (b > 64 || __builtin_mul_overflow(a, (wide)1 << b, &r));
    return checked(ev, r, overflow, at);
}

static struct value int_binary(struct eval *ev, enum binary_op op, wide a, wide b, struct src_span at)
{
    wide r = 0;
    bool overflow = false;
    if (op == BINARY_ADD)
        overflow = __builtin_add_overflow(a, b, &r);
    else if (op == BINARY_SUB)
        overflow = __builtin_sub_overflow(a, b, &r);
    else if (op == BINARY_MUL)
        overflow = __builtin_mul_overflow(a, b, &r);
    else if (op == BINARY_AND)
        r = a & b;
    else if (op == BINARY_OR)
        r = a | b;
    else if (op == BINARY_XOR)
        r = a ^ b;
    else if (op == BINARY_SHL || op == BINARY_SHR)
        return int_shift(ev, op, a, b, at);
    else if (op == BINARY_POW)
        return int_power(ev, a, b, at);
    else if (b == 0)
        return zero_divisor(ev, at);
    else if (op == BINARY_DIV)
        return value_float((double)a / (double)b);
    else
        r = op == BINARY_FLOORDIV ? floor_div(a, b) : a - floor_div(a, b) * b;
    return checked(ev, r, overflow, at);
}

static struct value float_binary(struct eval *ev, enum binary_op op, double a, double b, struct src_span at)
{
    if (op == BINARY_ADD)
        return value_float(a + b);
    if (op == BINARY_SUB)
        return value_float(a - b);
    if (op == BINARY_MUL)
        return value_float(a * b);
    if (op != BINARY_DIV && op != BINARY_FLOORDIV && op != BINARY_MOD)
        return tw_eval_unsupported(ev, at, "'%s' on floats", tw_binary_spelling(op));
    if (!(b < 0 || b > 0))
        return zero_divisor(ev, at);
    if (op == BINARY_DIV)
        return value_float(a / b);
    const double q = floor(a / b);
    return value_float(op == BINARY_FLOORDIV ? q : a - q * b);
}

static struct value number_binary(struct eval *ev, enum binary_op op, struct value a, struct value b, struct src_span at)
{
    const bool bits = op == BINARY_AND || op == BINARY_OR || op == BINARY_XOR;
    if (op == BINARY_MATMUL)
        return value_none(); /* not an operation on numbers; the caller words it */
    if (a.kind == VALUE_BOOL && b.kind == VALUE_BOOL && bits)
        return value_bool(op == BINARY_AND  ? a.u.truth && b.u.truth
                          : op == BINARY_OR ? a.u.truth || b.u.truth
                                            : a.u.truth != b.u.truth);
    if (value_is_integer(a) && value_is_integer(b))
        return int_binary(ev, op, value_integer(a), value_integer(b), at);
    return float_binary(ev, op, value_number(a), value_number(b), at);
}

/* ---- sequences ---- */

static struct value repeat(struct eval *ev, struct value v, wide count, struct src_span at)
{
    struct value_list *list = arena_new(ev->arena, struct value_list, 1);
    for (wide i = 0; i < count; i++)
        for (uint32_t k = 0; k < v.u.list->len; k++) {
            if (!tw_eval_step(ev, at))
                return value_error();
            *vec_push(ev->arena, list) = v.u.list->at[k];
        }
    return (struct value){.kind = v.kind, .u.list = list};
}

static struct value concatenate(struct eval *ev, struct value a, struct value b)
{
    struct value_list *list = arena_new(ev->arena, struct value_list, 1);
    for (uint32_t i = 0; i < a.u.list->len; i++)
        *vec_push(ev->arena, list) = a.u.list->at[i];
    for (uint32_t i = 0; i < b.u.list->len; i++)
        *vec_push(ev->arena, list) = b.u.list->at[i];
    return (struct value){.kind = a.kind, .u.list = list};
}

static struct value join_strings(struct eval *ev, struct str a, struct str b)
{
    struct text out;
    tw_text_init(&out, ev->arena);
    tw_text_add_str(&out, a);
    tw_text_add_str(&out, b);
    return value_str((struct str){out.at == NULL ? "" : out.at, out.len});
}

/* VALUE_NONE: not an operation on sequences. */
static struct value sequence_binary(struct eval *ev, enum binary_op op, struct value a, struct value b, struct src_span at)
{
    if (op == BINARY_ADD && a.kind == VALUE_STR && b.kind == VALUE_STR)
        return join_strings(ev, a.u.text, b.u.text);
    if (op == BINARY_ADD && a.kind == b.kind && value_is_sequence(a))
        return concatenate(ev, a, b);
    if (op == BINARY_MUL && value_is_sequence(a) && value_is_integer(b))
        return repeat(ev, a, value_integer(b), at);
    if (op == BINARY_MUL && value_is_sequence(b) && value_is_integer(a))
        return repeat(ev, b, value_integer(a), at);
    if (a.kind == VALUE_STR && (op == BINARY_MOD || op == BINARY_MUL))
        return tw_eval_unsupported(ev, at, "'%s' on a string", tw_binary_spelling(op));
    return value_none();
}

/* ---- layout specifications ---- */

static struct value axis_term(struct eval *ev, wide count, enum axis axis, struct src_span at)
{
    if (count > TW_LAYOUT_MAX || count < -TW_LAYOUT_MAX) {
        tw_diag(ev->diags, E0211, at, "the multiple of an axis is too large");
        return value_error();
    }
    return (struct value){.kind = VALUE_AXIS_TERM, .u.term = {count, axis}};
}

static struct spec *copy_spec(struct eval *ev, const struct spec *from)
{
    struct spec *s = arena_new(ev->arena, struct spec, 1);
    for (uint32_t i = 0; i < from->shard.len; i++)
        *vec_push(ev->arena, &s->shard) = from->shard.at[i];
    for (uint32_t i = 0; i < from->replica.len; i++)
        *vec_push(ev->arena, &s->replica) = from->replica.at[i];
    for (int a = 0; a < AXIS_COUNT; a++)
        s->offset[a] = from->offset[a];
    return s;
}

/* S[...] + R[...] + 5 @ warpid + 64. VALUE_NONE: `b` is no part of a layout. */
static struct value extend_spec(struct eval *ev, const struct spec *a, struct value b, struct src_span at)
{
    struct spec *s = copy_spec(ev, a);
    if (b.kind == VALUE_SPEC) {
        for (uint32_t i = 0; i < b.u.spec->shard.len; i++)
            *vec_push(ev->arena, &s->shard) = b.u.spec->shard.at[i];
        for (uint32_t i = 0; i < b.u.spec->replica.len; i++)
            *vec_push(ev->arena, &s->replica) = b.u.spec->replica.at[i];
        for (int axis = 0; axis < AXIS_COUNT; axis++)
            s->offset[axis] += b.u.spec->offset[axis];
    } else if (b.kind == VALUE_AXIS_TERM) {
        s->offset[b.u.term.axis] += (int64_t)b.u.term.count;
    } else if (value_is_integer(b)) {
        const struct value term = axis_term(ev, value_integer(b), AXIS_M, at);
        if (term.kind == VALUE_ERROR)
            return term;
        s->offset[AXIS_M] += (int64_t)term.u.term.count;
    } else {
        return value_none();
    }
    return (struct value){.kind = VALUE_SPEC, .u.spec = s};
}

static struct value layout_binary(struct eval *ev, enum binary_op op, struct value a, struct value b, struct src_span at)
{
    if (op == BINARY_MATMUL && value_is_integer(a) && b.kind == VALUE_AXIS)
        return axis_term(ev, value_integer(a), b.u.axis, at);
    if (op == BINARY_ADD && a.kind == VALUE_SPEC)
        return extend_spec(ev, a.u.spec, b, at);
    if (op == BINARY_ADD && b.kind == VALUE_SPEC)
        return extend_spec(ev, b.u.spec, a, at);
    return value_none();
}

/* ---- entry points ---- */

static struct value no_operation(struct eval *ev, const char *spelling, struct value a, struct value b, struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0208, at, "'%s' does not take these operands", spelling);
    tw_diag_found(d, "%s and %s", tw_value_describe(ev->arena, a), tw_value_describe(ev->arena, b));
    return value_error();
}

/* An operand that settles the result without looking at the operation; VALUE_NONE: neither does. */
static struct value poison(struct eval *ev, struct value a, struct value b, struct src_span at)
{
    if (a.kind == VALUE_ERROR || b.kind == VALUE_ERROR)
        return value_error();
    if (a.kind != VALUE_HOST && b.kind != VALUE_HOST)
        return value_none();
    return tw_eval_mismatch(ev, at, "an operand", "a value", a.kind == VALUE_HOST ? a : b);
}

struct value tw_eval_binary(struct eval *ev, enum binary_op op, struct value a, struct value b, struct src_span at)
{
    struct value v = poison(ev, a, b, at);
    if (v.kind == VALUE_NONE && (is_run_time(a) || is_run_time(b)) && ev->build != NULL)
        return tw_eval_ir_binary(ev, op, a, b, at);
    if (v.kind == VALUE_NONE && value_is_static_number(a) && value_is_static_number(b))
        v = number_binary(ev, op, a, b, at);
    if (v.kind == VALUE_NONE)
        v = sequence_binary(ev, op, a, b, at);
    if (v.kind == VALUE_NONE)
        v = layout_binary(ev, op, a, b, at);
    return v.kind == VALUE_NONE ? no_operation(ev, tw_binary_spelling(op), a, b, at) : v;
}

static bool ordered(enum compare_op op, int order)
{
    return op == COMPARE_LT ? order < 0 : op == COMPARE_LE ? order <= 0 : op == COMPARE_GT ? order > 0 : order >= 0;
}

static int order_of(struct value a, struct value b)
{
    if (value_is_integer(a) && value_is_integer(b))
        return value_integer(a) < value_integer(b) ? -1 : value_integer(a) > value_integer(b);
    return value_number(a) < value_number(b) ? -1 : value_number(a) > value_number(b);
}

static struct value contains(struct eval *ev, struct value needle, struct value in, struct src_span at)
{
    struct value_list items = {0};
    if (!tw_eval_items(ev, in, at, &items))
        return value_error();
    for (uint32_t i = 0; i < items.len; i++) {
        bool known;
        if (tw_value_equal(needle, items.at[i], &known))
            return value_bool(true);
    }
    return value_bool(false);
}

static struct value equality(struct eval *ev, enum compare_op op, struct value a, struct value b, struct src_span at)
{
    bool known;
    bool equal = tw_value_equal(a, b, &known);
    if (!known && a.kind == VALUE_LAYOUT && b.kind == VALUE_LAYOUT) {
        known = true;
        equal = tw_layout_eq(ev->arena, a.u.layout, b.u.layout);
    }
    if (!known)
        return no_operation(ev, tw_compare_spelling(op), a, b, at);
    return value_bool(equal == (op == COMPARE_EQ || op == COMPARE_IS));
}

struct value tw_eval_compare(struct eval *ev, enum compare_op op, struct value a, struct value b, struct src_span at)
{
    const struct value v = poison(ev, a, b, at);
    if (v.kind != VALUE_NONE)
        return v;
    if ((op == COMPARE_IS || op == COMPARE_IS_NOT) && (a.kind == VALUE_NONE || b.kind == VALUE_NONE))
        return value_bool((a.kind == b.kind) == (op == COMPARE_IS));
    if ((is_run_time(a) || is_run_time(b)) && ev->build != NULL)
        return tw_eval_ir_compare(ev, op, a, b, at);
    if (op == COMPARE_IN || op == COMPARE_NOT_IN) {
        const struct value in = contains(ev, a, b, at);
        return in.kind == VALUE_BOOL ? value_bool(in.u.truth == (op == COMPARE_IN)) : in;
    }
    if (op >= COMPARE_EQ)
        return equality(ev, op, a, b, at);
    if (value_is_static_number(a) && value_is_static_number(b))
        return value_bool(ordered(op, order_of(a, b)));
    return no_operation(ev, tw_compare_spelling(op), a, b, at);
}

static struct value ir_unary(struct eval *ev, enum unary_op op, struct value v, struct src_span at)
{
    static const char *const spellings[] = {"-", "+", "~", "not"};
    struct ir_expr *x = op == UNARY_NOT ? tw_eval_to_bool(ev, v, at, "the operand of 'not'")
                                        : tw_eval_to_expr(ev, v, at, "the operand");
    if (x == NULL)
        return value_error();
    const bool integer = x->type.cls == IR_SINT || x->type.cls == IR_UINT;
    if (op == UNARY_NOT)
        return value_expr(tw_ir_unary(eval_kernel(ev), IR_NOT, tw_ir_bool(), x, at));
    if (!(integer || (x->type.cls == IR_FLOAT && x->type.bits >= 16 && op != UNARY_INVERT))) {
        struct diag *d = tw_diag(ev->diags, E0208, at, "'%s' does not take this operand", spellings[op]);
        tw_diag_expected(d, "%s", op == UNARY_INVERT ? "an integer" : "an integer, or a float of 16 bits or more");
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, value_expr(x)));
        return value_error();
    }
    if (op == UNARY_POS)
        return value_expr(x);
    return value_expr(tw_ir_unary(eval_kernel(ev), op == UNARY_NEG ? IR_NEG : IR_BITNOT, x->type, x, at));
}

struct value tw_eval_unary(struct eval *ev, enum unary_op op, struct value v, struct src_span at)
{
    bool known;
    if (v.kind == VALUE_ERROR)
        return v;
    if (v.kind == VALUE_HOST)
        return tw_eval_mismatch(ev, at, "the operand", "a value", v);
    if (is_run_time(v) && ev->build != NULL)
        return ir_unary(ev, op, v, at);
    const bool truth = tw_value_truth(v, &known);
    if (op == UNARY_NOT && known)
        return value_bool(!truth);
    if (value_is_integer(v) && op != UNARY_NOT) {
        const wide i = value_integer(v);
        return value_int(op == UNARY_NEG ? -i : op == UNARY_POS ? i : ~i);
    }
    if (v.kind == VALUE_FLOAT && op != UNARY_INVERT)
        return value_float(op == UNARY_NEG ? -v.u.number : v.u.number);
    return tw_eval_mismatch(ev, at, "the operand", "a number", v);
}
