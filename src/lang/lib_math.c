/* Arithmetic by name: T.min, T.exp2, T.floordiv, T.bitwise_and ... SOURCE: kernel-language 2.3. */
#include "lang/eval.h"

#include "ir/ir_names.h"

#include <string.h>

/* ---- functions that are operators under another name ---- */

static const struct {
    const char *name;
    enum binary_op op;
} operator_names[] = {
    {"floordiv", BINARY_FLOORDIV}, {"floormod", BINARY_MOD},   {"bitwise_and", BINARY_AND}, {"bitwise_or", BINARY_OR},
    {"bitwise_xor", BINARY_XOR},   {"shift_left", BINARY_SHL}, {"shift_right", BINARY_SHR},
};

static struct value named_operator(struct eval *ev, struct call *c)
{
    for (size_t i = 0; i < sizeof operator_names / sizeof operator_names[0]; i++)
        if (strcmp(operator_names[i].name, c->row->name) == 0)
            return tw_eval_binary(ev, operator_names[i].op, c->args[0].value, c->args[1].value, c->at);
    return value_error();
}

static struct value bitwise_not(struct eval *ev, struct call *c)
{
    return tw_eval_unary(ev, UNARY_INVERT, c->args[0].value, c->at);
}

static struct value ceildiv(struct eval *ev, struct call *c)
{
    const struct value one = value_int(1), divisor = c->args[1].value;
    const struct value less = tw_eval_binary(ev, BINARY_SUB, divisor, one, c->at);
    const struct value sum = tw_eval_binary(ev, BINARY_ADD, c->args[0].value, less, c->at);
    return tw_eval_binary(ev, BINARY_FLOORDIV, sum, tw_eval_fresh(ev, divisor), c->at);
}

/* ---- logic ---- */

static struct value logical(struct eval *ev, struct call *c)
{
    struct ir_expr *a = tw_eval_to_bool(ev, c->args[0].value, c->args[0].at, "the operand");
    struct ir_expr *b = tw_eval_to_bool(ev, c->args[1].value, c->args[1].at, "the operand");
    if (a == NULL || b == NULL)
        return value_error();
    return value_expr(tw_ir_binary(eval_kernel(ev), c->row->name[0] == 'A' ? IR_AND : IR_OR, a, b, c->at));
}

static struct value logical_not(struct eval *ev, struct call *c)
{
    return tw_eval_unary(ev, UNARY_NOT, c->args[0].value, c->at);
}

/* ---- binary functions with nodes of their own ---- */

static const struct {
    const char *name;
    enum ir_op op;
    bool floats;
} binary_names[] = {
    {"min", IR_MIN, true}, {"max", IR_MAX, true}, {"truncdiv", IR_TRUNCDIV, false}, {"truncmod", IR_TRUNCMOD, false},
};

static bool has_arithmetic(struct ir_type t)
{
    return t.cls == IR_FLOAT && t.bits >= 16;
}

static struct value wrong_type(struct eval *ev, struct call *c, const char *expected, struct ir_expr *found)
{
    struct diag *d = tw_diag(ev->diags, E0208, c->at, "'%s' does not take this type", c->row->name);
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, value_expr(found)));
    return value_error();
}

static struct value binary_function(struct eval *ev, struct call *c)
{
    size_t i = 0;
    while (strcmp(binary_names[i].name, c->row->name) != 0)
        i++;
    struct ir_expr *a, *b;
    int64_t divisor;
    if (!tw_eval_balance(ev, c->args[0].value, c->args[1].value, &a, &b, c->at))
        return value_error();
    if (!tw_ir_is_integer(a->type) && !(binary_names[i].floats && has_arithmetic(a->type)))
        return wrong_type(ev, c, binary_names[i].floats ? "integers, or floats of 16 bits or more" : "integers", a);
    if (!binary_names[i].floats && tw_ir_is_const_int(b, &divisor) && divisor == 0) {
        tw_diag(ev->diags, E0211, c->at, "division by zero");
        return value_error();
    }
    return value_expr(tw_ir_binary(eval_kernel(ev), binary_names[i].op, a, b, c->at));
}

/* ---- unary functions ---- */

static const struct {
    const char *name;
    enum ir_op op;
} unary_names[] = {
    {"abs", IR_ABS},   {"exp", IR_EXP},     {"exp2", IR_EXP2}, {"log2", IR_LOG2},
    {"sqrt", IR_SQRT}, {"rsqrt", IR_RSQRT}, {"tanh", IR_TANH},
};

static struct value unary_function(struct eval *ev, struct call *c)
{
    size_t i = 0;
    while (strcmp(unary_names[i].name, c->row->name) != 0)
        i++;
    struct ir_expr *a = tw_eval_to_expr(ev, c->args[0].value, c->args[0].at, "the operand");
    if (a == NULL)
        return value_error();
    const bool integer = unary_names[i].op == IR_ABS && tw_ir_is_integer(a->type);
    if (!integer && !has_arithmetic(a->type))
        return wrong_type(ev, c, unary_names[i].op == IR_ABS ? "an integer, or a float of 16 bits or more"
                                                             : "a float of 16 bits or more", a);
    return value_expr(tw_ir_unary(eval_kernel(ev), unary_names[i].op, a->type, a, c->at));
}

static const struct builtin rows[] = {
    {"floordiv", "a, b", named_operator, ANYWHERE},    {"floormod", "a, b", named_operator, ANYWHERE},
    {"bitwise_and", "a, b", named_operator, ANYWHERE}, {"bitwise_or", "a, b", named_operator, ANYWHERE},
    {"bitwise_xor", "a, b", named_operator, ANYWHERE}, {"shift_left", "a, b", named_operator, ANYWHERE},
    {"shift_right", "a, b", named_operator, ANYWHERE}, {"bitwise_not", "a", bitwise_not, ANYWHERE},
    {"ceildiv", "a, b", ceildiv, ANYWHERE},            {"And", "a, b", logical, IN_KERNEL},
    {"Or", "a, b", logical, IN_KERNEL},                {"Not", "a", logical_not, IN_KERNEL},
    {"min", "a, b", binary_function, IN_KERNEL},       {"max", "a, b", binary_function, IN_KERNEL},
    {"truncdiv", "a, b", binary_function, IN_KERNEL},  {"truncmod", "a, b", binary_function, IN_KERNEL},
    {"abs", "x", unary_function, IN_KERNEL},           {"exp", "x", unary_function, IN_KERNEL},
    {"exp2", "x", unary_function, IN_KERNEL},          {"log2", "x", unary_function, IN_KERNEL},
    {"sqrt", "x", unary_function, IN_KERNEL},          {"rsqrt", "x", unary_function, IN_KERNEL},
    {"tanh", "x", unary_function, IN_KERNEL},
};
const struct builtin_table tw_lib_math = {rows, sizeof rows / sizeof rows[0]};
