/* Expressions by precedence. Operators live in one table; the climbing function reads it. */
#include "lang/parse.h"

#include <assert.h>

enum operator_form { FORM_OR, FORM_AND, FORM_COMPARE, FORM_BINARY };

/* From the loosest to the tightest. Unary - + ~ and ** bind tighter than all of these and are rules
 * of their own, as is `not`, which stands between `and` and the comparisons. */
enum level { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_BITOR, LEVEL_BITXOR, LEVEL_BITAND, LEVEL_SHIFT,
             LEVEL_SUM, LEVEL_TERM };

struct operator_row {
    enum token_kind token, second; /* second: TOK_END, or the second word of `is not`, `not in` */
    enum level level;
    enum operator_form form;
    int op; /* enum binary_op or enum compare_op */
    const char *spelling;
};

static const struct operator_row operators[] = {
    {TOK_KW_OR, TOK_END, LEVEL_OR, FORM_OR, 0, "or"},
    {TOK_KW_AND, TOK_END, LEVEL_AND, FORM_AND, 0, "and"},
    {TOK_LT, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_LT, "<"},
    {TOK_LE, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_LE, "<="},
    {TOK_GT, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_GT, ">"},
    {TOK_GE, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_GE, ">="},
    {TOK_EQ, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_EQ, "=="},
    {TOK_NE, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_NE, "!="},
    {TOK_KW_IS, TOK_KW_NOT, LEVEL_COMPARE, FORM_COMPARE, COMPARE_IS_NOT, "is not"},
    {TOK_KW_IS, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_IS, "is"},
    {TOK_KW_NOT, TOK_KW_IN, LEVEL_COMPARE, FORM_COMPARE, COMPARE_NOT_IN, "not in"},
    {TOK_KW_IN, TOK_END, LEVEL_COMPARE, FORM_COMPARE, COMPARE_IN, "in"},
    {TOK_PIPE, TOK_END, LEVEL_BITOR, FORM_BINARY, BINARY_OR, "|"},
    {TOK_CARET, TOK_END, LEVEL_BITXOR, FORM_BINARY, BINARY_XOR, "^"},
    {TOK_AMPER, TOK_END, LEVEL_BITAND, FORM_BINARY, BINARY_AND, "&"},
    {TOK_SHL, TOK_END, LEVEL_SHIFT, FORM_BINARY, BINARY_SHL, "<<"},
    {TOK_SHR, TOK_END, LEVEL_SHIFT, FORM_BINARY, BINARY_SHR, ">>"},
    {TOK_PLUS, TOK_END, LEVEL_SUM, FORM_BINARY, BINARY_ADD, "+"},
    {TOK_MINUS, TOK_END, LEVEL_SUM, FORM_BINARY, BINARY_SUB, "-"},
    {TOK_STAR, TOK_END, LEVEL_TERM, FORM_BINARY, BINARY_MUL, "*"},
    {TOK_SLASH, TOK_END, LEVEL_TERM, FORM_BINARY, BINARY_DIV, "/"},
    {TOK_FLOORDIV, TOK_END, LEVEL_TERM, FORM_BINARY, BINARY_FLOORDIV, "//"},
    {TOK_PERCENT, TOK_END, LEVEL_TERM, FORM_BINARY, BINARY_MOD, "%"},
    {TOK_AT, TOK_END, LEVEL_TERM, FORM_BINARY, BINARY_MATMUL, "@"},
};

static const char *spelling_of(enum operator_form form, int op)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].form == form && operators[i].op == op)
            return operators[i].spelling;
    return "**"; /* the one binary operator that is not in the table */
}

const char *tw_binary_spelling(enum binary_op op)
{
    return spelling_of(FORM_BINARY, (int)op);
}

const char *tw_compare_spelling(enum compare_op op)
{
    return spelling_of(FORM_COMPARE, (int)op);
}

static const struct operator_row *operator_at(const struct parser *p)
{
    const enum token_kind kind = tw_parse_peek(p);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].token == kind &&
            (operators[i].second == TOK_END || operators[i].second == tw_parse_peek_next(p)))
            return &operators[i];
    return NULL;
}

static void take_operator(struct parser *p, const struct operator_row *row)
{
    tw_parse_take(p);
    if (row->second != TOK_END)
        tw_parse_take(p);
}

static struct expr *climb(struct parser *p, int level);

/* power: primary ["**" unary] */
static struct expr *unary(struct parser *p);
static struct expr *power(struct parser *p)
{
    struct expr *base = tw_parse_primary(p);
    if (tw_parse_peek(p) != TOK_POW || !tw_parse_enter(p))
        return base;
    struct expr *e = tw_parse_node(p, EXPR_BINARY, base->at);
    e->u.binary.op = BINARY_POW;
    e->u.binary.op_at = tw_parse_span(p);
    tw_parse_take(p);
    e->u.binary.left = tw_parse_adopt(p, e, base);
    e->u.binary.right = tw_parse_adopt(p, e, unary(p));
    e->at = tw_parse_from(p, base->at);
    tw_parse_leave(p);
    return e;
}

static struct expr *prefix(struct parser *p, enum unary_op op, int operand_level)
{
    struct expr *e = tw_parse_node(p, EXPR_UNARY, tw_parse_span(p));
    e->u.unary.op = op;
    e->u.unary.arg = e; /* overwritten below unless the nesting is too deep */
    if (!tw_parse_enter(p))
        return tw_parse_node(p, EXPR_ERROR, e->at);
    tw_parse_take(p);
    e->u.unary.arg = tw_parse_adopt(p, e, operand_level == 0 ? unary(p) : climb(p, operand_level));
    e->at = tw_parse_from(p, e->at);
    tw_parse_leave(p);
    return e;
}

/* unary: ("-" | "+" | "~") unary | power */
static struct expr *unary(struct parser *p)
{
    static const struct {
        enum token_kind token;
        enum unary_op op;
    } prefixes[] = {{TOK_MINUS, UNARY_NEG}, {TOK_PLUS, UNARY_POS}, {TOK_TILDE, UNARY_INVERT}};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (tw_parse_peek(p) == prefixes[i].token)
            return prefix(p, prefixes[i].op, 0);
    return power(p);
}

/* comparison: bitwise_or { comparison_operator bitwise_or } */
static struct expr *compare_chain(struct parser *p, struct expr *first)
{
    struct expr *e = tw_parse_node(p, EXPR_COMPARE, first->at);
    struct {
        enum compare_op *at;
        uint32_t len, cap;
    } ops = {0};
    tw_parse_append(p, e, &e->u.compare.args, first);
    for (const struct operator_row *row; (row = operator_at(p)) != NULL && row->form == FORM_COMPARE;) {
        take_operator(p, row);
        *vec_push(p->arena, &ops) = (enum compare_op)row->op;
        tw_parse_append(p, e, &e->u.compare.args, climb(p, LEVEL_COMPARE + 1));
    }
    e->u.compare.ops = ops.at;
    e->at = tw_parse_from(p, first->at);
    return e;
}

/* disjunction: conjunction { "or" conjunction }     conjunction: inversion { "and" inversion } */
static struct expr *bool_chain(struct parser *p, struct expr *first, const struct operator_row *row)
{
    struct expr *e = tw_parse_node(p, EXPR_BOOL, first->at);
    e->u.boolean.is_and = row->form == FORM_AND;
    tw_parse_append(p, e, &e->u.boolean.args, first);
    while (tw_parse_accept(p, row->token))
        tw_parse_append(p, e, &e->u.boolean.args, climb(p, (int)row->level + 1));
    e->at = tw_parse_from(p, first->at);
    return e;
}

static struct expr *binary_step(struct parser *p, struct expr *left, const struct operator_row *row)
{
    struct expr *e = tw_parse_node(p, EXPR_BINARY, left->at);
    e->u.binary.op = (enum binary_op)row->op;
    e->u.binary.op_at = tw_parse_span(p);
    take_operator(p, row);
    e->u.binary.left = tw_parse_adopt(p, e, left);
    e->u.binary.right = tw_parse_adopt(p, e, climb(p, (int)row->level + 1));
    e->at = tw_parse_from(p, left->at);
    return e;
}

/* inversion: "not" inversion | comparison; all binary levels by the table */
static struct expr *climb(struct parser *p, int level)
{
    struct expr *left = tw_parse_peek(p) == TOK_KW_NOT && level <= LEVEL_NOT ? prefix(p, UNARY_NOT, LEVEL_NOT) : unary(p);
    for (const struct operator_row *row; (row = operator_at(p)) != NULL && (int)row->level >= level;) {
        if (row->form == FORM_BINARY)
            left = binary_step(p, left, row);
        else
            left = row->form == FORM_COMPARE ? compare_chain(p, left) : bool_chain(p, left, row);
    }
    return left;
}

struct expr *tw_parse_disjunction(struct parser *p)
{
    return climb(p, LEVEL_OR);
}

/* conditional: disjunction ["if" disjunction "else" expression] */
static struct expr *conditional(struct parser *p)
{
    struct expr *then = tw_parse_disjunction(p);
    if (tw_parse_peek(p) != TOK_KW_IF)
        return then;
    struct expr *e = tw_parse_node(p, EXPR_COND, then->at);
    tw_parse_take(p);
    e->u.cond.then = tw_parse_adopt(p, e, then);
    e->u.cond.cond = tw_parse_adopt(p, e, tw_parse_disjunction(p));
    tw_parse_expect(p, TOK_KW_ELSE, "the conditional expression");
    e->u.cond.otherwise = tw_parse_adopt(p, e, tw_parse_expression(p));
    e->at = tw_parse_from(p, then->at);
    return e;
}

/* lambdef: "lambda" [parameters] ":" expression */
static struct expr *lambdef(struct parser *p)
{
    struct expr *e = tw_parse_node(p, EXPR_LAMBDA, tw_parse_span(p));
    tw_parse_take(p);
    tw_parse_params(p, TOK_COLON, &e->u.lambda.params);
    tw_parse_expect(p, TOK_COLON, "the lambda");
    e->u.lambda.body = tw_parse_adopt(p, e, tw_parse_expression(p));
    e->at = tw_parse_from(p, e->at);
    return e;
}

/* expression: lambdef | conditional */
struct expr *tw_parse_expression(struct parser *p)
{
    if (!tw_parse_enter(p))
        return tw_parse_node(p, EXPR_ERROR, tw_parse_span(p));
    struct expr *e = tw_parse_peek(p) == TOK_KW_LAMBDA ? lambdef(p) : conditional(p);
    if (tw_parse_peek(p) == TOK_WALRUS) {
        struct diag *d = tw_parse_error(p, E0110, tw_parse_span(p), "assignment inside an expression (':=') is not supported");
        if (d != NULL)
            tw_diag_fix(d, "assign in a statement of its own before this one");
    }
    tw_parse_leave(p);
    return e;
}

bool tw_parse_starts_expression(enum token_kind kind)
{
    static const uint8_t starters[] = {TOK_NAME,    TOK_INT,     TOK_FLOAT,     TOK_STRING,  TOK_ELLIPSIS,  TOK_LPAR,
                                       TOK_LSQB,    TOK_LBRACE,  TOK_MINUS,     TOK_PLUS,    TOK_TILDE,     TOK_STAR,
                                       TOK_KW_NOT,  TOK_KW_TRUE, TOK_KW_FALSE,  TOK_KW_NONE, TOK_KW_LAMBDA, TOK_KW_AWAIT};
    for (size_t i = 0; i < sizeof starters; i++)
        if (starters[i] == kind)
            return true;
    return false;
}

/* star_expression: "*" bitwise_or | expression */
static struct expr *star_expression(struct parser *p)
{
    if (tw_parse_peek(p) != TOK_STAR)
        return tw_parse_expression(p);
    struct expr *e = tw_parse_node(p, EXPR_STARRED, tw_parse_span(p));
    tw_parse_take(p);
    e->u.unary.arg = tw_parse_adopt(p, e, climb(p, LEVEL_BITOR));
    e->at = tw_parse_from(p, e->at);
    return e;
}

/* Goes on after the first item: { "," item } [","] makes a tuple. */
static struct expr *tuple_tail(struct parser *p, struct expr *first, struct expr *(*item)(struct parser *))
{
    if (tw_parse_peek(p) != TOK_COMMA)
        return first;
    struct expr *e = tw_parse_node(p, EXPR_TUPLE, first->at);
    tw_parse_append(p, e, &e->u.items, first);
    while (tw_parse_accept(p, TOK_COMMA) && tw_parse_starts_expression(tw_parse_peek(p)))
        tw_parse_append(p, e, &e->u.items, item(p));
    e->at = tw_parse_from(p, first->at);
    return e;
}

/* star_expressions: star_expression { "," star_expression } [","] */
struct expr *tw_parse_star_expressions(struct parser *p)
{
    return tuple_tail(p, star_expression(p), star_expression);
}

/* yield_expr: "yield" ("from" expression | [star_expressions]) */
struct expr *tw_parse_yield_or_expressions(struct parser *p)
{
    if (tw_parse_peek(p) != TOK_KW_YIELD)
        return tw_parse_star_expressions(p);
    struct expr *e = tw_parse_node(p, EXPR_YIELD, tw_parse_span(p));
    tw_parse_take(p);
    if (tw_parse_accept(p, TOK_KW_FROM))
        e->u.unary.arg = tw_parse_adopt(p, e, tw_parse_expression(p));
    else if (tw_parse_starts_expression(tw_parse_peek(p)))
        e->u.unary.arg = tw_parse_adopt(p, e, tw_parse_star_expressions(p));
    e->at = tw_parse_from(p, e->at);
    return e;
}

/* star_target: ["*"] primary. Stops before `in`, which an expression would take. */
static struct expr *star_target(struct parser *p)
{
    if (tw_parse_peek(p) != TOK_STAR)
        return tw_parse_primary(p);
    struct expr *e = tw_parse_node(p, EXPR_STARRED, tw_parse_span(p));
    tw_parse_take(p);
    e->u.unary.arg = tw_parse_adopt(p, e, tw_parse_primary(p));
    e->at = tw_parse_from(p, e->at);
    return e;
}

/* star_targets: star_target { "," star_target } [","] */
struct expr *tw_parse_target_list(struct parser *p)
{
    return tuple_tail(p, star_target(p), star_target);
}

static const char *target_fault(const struct expr *e)
{
    static const struct {
        enum expr_kind kind;
        const char *name;
    } names[] = {
        {EXPR_INT, "a number"}, {EXPR_FLOAT, "a number"}, {EXPR_STR, "a string"}, {EXPR_BYTES, "a string"},
        {EXPR_FSTRING, "a string"}, {EXPR_TRUE, "True"}, {EXPR_FALSE, "False"}, {EXPR_NONE, "None"}, {EXPR_ELLIPSIS, "'...'"},
        {EXPR_SET, "a set"}, {EXPR_DICT, "a dict"}, {EXPR_COMPREHENSION, "a comprehension"}, {EXPR_UNARY, "an operation"},
        {EXPR_BINARY, "an operation"}, {EXPR_BOOL, "an operation"}, {EXPR_COMPARE, "a comparison"},
        {EXPR_COND, "a conditional expression"}, {EXPR_LAMBDA, "a lambda"}, {EXPR_CALL, "the result of a call"},
        {EXPR_SLICE, "a slice"}, {EXPR_YIELD, "a yield"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].kind == e->kind)
            return names[i].name;
    return NULL;
}

void tw_parse_check_target(struct parser *p, const struct expr *target, const char *verb)
{
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) {
        for (uint32_t i = 0; i < target->u.items.len; i++)
            tw_parse_check_target(p, target->u.items.at[i], verb);
        return;
    }
    if (target->kind == EXPR_STARRED) {
        tw_parse_check_target(p, target->u.unary.arg, verb);
        return;
    }
    const char *fault = target_fault(target);
    if (fault == NULL)
        return;
    struct diag *d = tw_parse_error(p, E0111, target->at, "cannot %s %s", verb, fault);
    if (d != NULL)
        tw_diag_expected(d, "a name, an attribute, an element, or a tuple of these");
}
