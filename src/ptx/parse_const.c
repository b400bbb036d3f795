/* Constant expressions: numbers and operators, evaluated while they are read.
 *
 *   constant := binary ['?' constant ':' constant]
 *   binary   := unary {operator unary}          with the precedence of C
 *   unary    := ('+' | '-' | '~' | '!' | '(' ('.s64' | '.u64') ')') unary | '(' constant ')' | number | WARP_SZ
 *
 * Integers have 64 bits; a literal with U, one above 2^63 - 1 or a cast makes them unsigned, and an operator with an unsigned
 * operand is unsigned. Doubles take + - * / and comparisons; a single-precision word (0f...) takes no operator at all.
 * SOURCE: PTX ISA, "Constant Expressions"; MEASURED: ptxas 13.0, for what the ISA leaves open: counts of shifts are taken
 * modulo 64, & | ^ are signed where their operands are, integers and doubles do not mix. */
#include "ptx/parse.h"

#include "base/limits.h"
#include "base/text.h"
#include "num/arith.h"

#include <string.h>

enum op { OP_OR_ELSE, OP_AND_ALSO, OP_BIT_OR, OP_BIT_XOR, OP_BIT_AND, OP_EQUAL, OP_UNEQUAL, OP_LESS_EQUAL, OP_GREATER_EQUAL, OP_SHIFT_LEFT,
          OP_SHIFT_RIGHT, OP_LESS, OP_GREATER, OP_PLUS, OP_MINUS, OP_TIMES, OP_OVER, OP_MODULO };

/* A longer spelling stands before one that it begins with. */
static const struct op_spelling {
    char text[3];
    uint8_t op, level; /* operators of a higher level bind tighter */
} spellings[] = {
    {"||", OP_OR_ELSE, 1},   {"&&", OP_AND_ALSO, 2},   {"|", OP_BIT_OR, 3},        {"^", OP_BIT_XOR, 4},        {"&", OP_BIT_AND, 5},
    {"==", OP_EQUAL, 6},     {"!=", OP_UNEQUAL, 6},    {"<=", OP_LESS_EQUAL, 7},   {">=", OP_GREATER_EQUAL, 7}, {"<<", OP_SHIFT_LEFT, 8},
    {">>", OP_SHIFT_RIGHT, 8}, {"<", OP_LESS, 7},      {">", OP_GREATER, 7},       {"+", OP_PLUS, 9},           {"-", OP_MINUS, 9},
    {"*", OP_TIMES, 10},     {"/", OP_OVER, 10},       {"%", OP_MODULO, 10},
};

static const struct op_spelling *operator_here(const struct parser *p)
{
    const uint32_t at = p->lx.tok.begin;
    if (p->lx.tok.kind == TOK_END)
        return NULL;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const size_t len = strlen(spellings[i].text);
        if (at + len <= p->lx.len && memcmp(p->lx.text + at, spellings[i].text, len) == 0)
            /* '%' begins the name of a register, too. */
            return p->lx.tok.kind == TOK_PUNCT || p->lx.tok.end - at == 1 ? &spellings[i] : NULL;
    }
    return NULL;
}

static bool wrong(struct parser *p, struct src_span at, const char *expected)
{
    tw_diag_expected(tw_diag(p->diags, E0524, at, "no value comes of this constant expression"), "%s", expected);
    return false;
}

static bool same_kinds(struct parser *p, struct src_span at, const struct ptx_constant *a, const struct ptx_constant *b)
{
    if (a->kind == b->kind && a->kind != OPERAND_F32)
        return true;
    return wrong(p, at, a->kind == OPERAND_F32 || b->kind == OPERAND_F32 ? "no operator with a single-precision word"
                                                                         : "integers only, or doubles only");
}

/* ---- Operators ------------------------------------------------------------------------------ */

static bool double_op(struct parser *p, struct src_span at, enum op op, struct ptx_constant *a, const struct ptx_constant *b)
{
    static const struct { uint8_t op, compare; } compares[] = {{OP_EQUAL, NUM_EQ},      {OP_UNEQUAL, NUM_NE}, {OP_LESS, NUM_LT},
                                                              {OP_LESS_EQUAL, NUM_LE}, {OP_GREATER, NUM_GT}, {OP_GREATER_EQUAL, NUM_GE}};
    const struct num_ops nearest = {.rounding = NUM_RN};
    for (size_t i = 0; i < sizeof compares / sizeof compares[0]; i++)
        if (compares[i].op == op) {
            const bool holds = tw_num_compare(NUM_F64, (enum num_compare)compares[i].compare, false, a->value, b->value);
            *a = (struct ptx_constant){.kind = OPERAND_INT, .value = holds};
            return true;
        }
    if (op == OP_OVER && b->value << 1 == 0)
        return wrong(p, at, "a divisor that is not zero");
    if (op == OP_PLUS)
        a->value = tw_num_add(NUM_F64, nearest, a->value, b->value);
    else if (op == OP_MINUS)
        a->value = tw_num_sub(NUM_F64, nearest, a->value, b->value);
    else if (op == OP_TIMES)
        a->value = tw_num_mul(NUM_F64, nearest, a->value, b->value);
    else if (op == OP_OVER)
        a->value = tw_num_div(NUM_F64, nearest, a->value, b->value);
    else
        return wrong(p, at, "integers on both sides of this operator");
    return true;
}

/* Quotient and remainder towards zero. */
static uint64_t divided(bool is_unsigned, bool remainder, uint64_t a, uint64_t b)
{
    const bool minus_a = !is_unsigned && a >> 63 != 0, minus_b = !is_unsigned && b >> 63 != 0;
    const uint64_t x = minus_a ? 0 - a : a, y = minus_b ? 0 - b : b;
    if (remainder)
        return minus_a ? 0 - x % y : x % y;
    return minus_a != minus_b ? 0 - x / y : x / y;
}

static bool less(bool is_unsigned, uint64_t a, uint64_t b)
{
    const uint64_t flip = is_unsigned ? 0 : UINT64_C(1) << 63;
    return (a ^ flip) < (b ^ flip);
}

static uint64_t integer_value(enum op op, bool is_unsigned, uint64_t a, uint64_t b)
{
    switch (op) {
    case OP_OR_ELSE: return a != 0 || b != 0;
    case OP_AND_ALSO: return a != 0 && b != 0;
    case OP_BIT_OR: return a | b;
    case OP_BIT_XOR: return a ^ b;
    case OP_BIT_AND: return a & b;
    case OP_EQUAL: return a == b;
    case OP_UNEQUAL: return a != b;
    case OP_LESS: return less(is_unsigned, a, b);
    case OP_LESS_EQUAL: return !less(is_unsigned, b, a);
    case OP_GREATER: return less(is_unsigned, b, a);
    case OP_GREATER_EQUAL: return !less(is_unsigned, a, b);
    case OP_SHIFT_LEFT: return a << (b & 63);
    case OP_SHIFT_RIGHT: return is_unsigned || a >> 63 == 0 ? a >> (b & 63) : ~(~a >> (b & 63));
    case OP_PLUS: return a + b;
    case OP_MINUS: return a - b;
    case OP_TIMES: return a * b;
    case OP_OVER: return divided(is_unsigned, false, a, b);
    case OP_MODULO: return divided(is_unsigned, true, a, b);
    }
    return 0;
}

static bool apply(struct parser *p, struct src_span at, enum op op, struct ptx_constant *a, const struct ptx_constant *b)
{
    if (!same_kinds(p, at, a, b))
        return false;
    if (a->kind == OPERAND_F64)
        return double_op(p, at, op, a, b);
    if ((op == OP_OVER || op == OP_MODULO) && b->value == 0)
        return wrong(p, at, "a divisor that is not zero");
    const bool shifts = op == OP_SHIFT_LEFT || op == OP_SHIFT_RIGHT, truth = op <= OP_AND_ALSO || (op >= OP_EQUAL && op <= OP_GREATER && !shifts);
    const bool is_unsigned = a->is_unsigned || (!shifts && b->is_unsigned);
    a->value = integer_value(op, is_unsigned, a->value, b->value);
    a->is_unsigned = is_unsigned && !truth;
    return true;
}

/* ---- Grammar -------------------------------------------------------------------------------- */

static bool ternary(struct parser *p, const char *what, struct ptx_constant *out);

static bool too_deep(struct parser *p)
{
    if (p->constant_depth < TW_MAX_NESTING)
        return false;
    struct diag *const d = tw_diag(p->diags, E0519, tw_ptx_parser_here(p), "a constant expression nests too deeply");
    tw_diag_expected(d, "at most %d levels", TW_MAX_NESTING);
    return true;
}

static bool number(struct parser *p, const char *what, struct ptx_constant *out)
{
    const struct token *const t = &p->lx.tok;
    if (t->kind == TOK_NAME && tw_str_is(tw_lex_text(&p->lx, t), "WARP_SZ"))
        *out = (struct ptx_constant){.kind = OPERAND_INT, .value = TW_WARP_LANES};
    else if (t->kind == TOK_INT)
        *out = (struct ptx_constant){.kind = OPERAND_INT, .value = t->value, .is_unsigned = t->is_unsigned || t->value >> 63 != 0};
    else if (t->kind == TOK_F32 || t->kind == TOK_F64)
        *out = (struct ptx_constant){.kind = t->kind == TOK_F32 ? OPERAND_F32 : OPERAND_F64, .value = t->value};
    else
        return tw_ptx_parser_expected(p, "%s", what);
    tw_lex_next(&p->lx);
    return true;
}

static bool unary(struct parser *p, const char *what, struct ptx_constant *out);

static bool signed_unary(struct parser *p, struct ptx_constant *out)
{
    const char sign = p->lx.tok.punct;
    const uint32_t begin = p->lx.tok.begin;
    tw_lex_next(&p->lx);
    if (!unary(p, "a number", out))
        return false;
    const struct src_span at = tw_ptx_parser_span(p, begin, p->lx.last_end);
    if (out->kind == OPERAND_F32)
        return wrong(p, at, "a single-precision word without a sign; its first bit is the sign");
    if (out->kind == OPERAND_F64 && (sign == '~' || sign == '!'))
        return wrong(p, at, "an integer behind this operator");
    if (sign == '-')
        out->value = out->kind == OPERAND_F64 ? out->value ^ UINT64_C(1) << 63 : 0 - out->value;
    else if (sign == '~')
        out->value = ~out->value;
    else if (sign == '!')
        *out = (struct ptx_constant){.kind = OPERAND_INT, .value = out->value == 0};
    return true;
}

/* '(' behind it: a cast or an expression */
static bool parenthesised(struct parser *p, struct ptx_constant *out)
{
    const uint32_t begin = p->lx.last_end;
    const bool to_unsigned = tw_ptx_parser_is_directive(p, ".u64");
    if (!to_unsigned && !tw_ptx_parser_is_directive(p, ".s64"))
        return ternary(p, "a number", out) && tw_ptx_parser_expect(p, ')', "after the constant expression");
    tw_lex_next(&p->lx);
    if (!tw_ptx_parser_expect(p, ')', "after the type") || !unary(p, "a number", out))
        return false;
    if (out->kind != OPERAND_INT)
        return wrong(p, tw_ptx_parser_span(p, begin, p->lx.last_end), "an integer behind the type");
    out->is_unsigned = to_unsigned;
    return true;
}

static bool unary(struct parser *p, const char *what, struct ptx_constant *out)
{
    if (too_deep(p))
        return false;
    p->constant_depth++;
    bool ok;
    if (p->lx.tok.kind == TOK_PUNCT && strchr("+-~!", p->lx.tok.punct) != NULL)
        ok = signed_unary(p, out);
    else if (tw_ptx_parser_accept(p, '('))
        ok = parenthesised(p, out);
    else
        ok = number(p, what, out);
    p->constant_depth--;
    return ok;
}

/* Operators of `level` and above. */
static bool binary(struct parser *p, const char *what, unsigned level, struct ptx_constant *out)
{
    const uint32_t begin = p->lx.tok.begin;
    if (!unary(p, what, out))
        return false;
    for (;;) {
        const struct op_spelling *const s = operator_here(p);
        struct ptx_constant right;
        if (s == NULL || s->level < level)
            return true;
        for (size_t i = 0; i < strlen(s->text); i++)
            tw_lex_next(&p->lx);
        if (!binary(p, "a number", s->level + 1u, &right) ||
            !apply(p, tw_ptx_parser_span(p, begin, p->lx.last_end), (enum op)s->op, out, &right))
            return false;
    }
}

static bool ternary(struct parser *p, const char *what, struct ptx_constant *out)
{
    const uint32_t begin = p->lx.tok.begin;
    struct ptx_constant yes, no;
    if (!binary(p, what, 1, out))
        return false;
    if (!tw_ptx_parser_accept(p, '?'))
        return true;
    if (too_deep(p))
        return false;
    p->constant_depth++;
    const bool ok = ternary(p, "a number", &yes) && tw_ptx_parser_expect(p, ':', "between the two values") && ternary(p, "a number", &no);
    p->constant_depth--;
    if (!ok)
        return false;
    if (out->kind != OPERAND_INT || yes.kind != OPERAND_INT || no.kind != OPERAND_INT)
        return wrong(p, tw_ptx_parser_span(p, begin, p->lx.last_end), "integers in a choice");
    const bool is_unsigned = yes.is_unsigned || no.is_unsigned;
    *out = out->value != 0 ? yes : no;
    out->is_unsigned = is_unsigned;
    return true;
}

bool tw_ptx_parser_constant(struct parser *p, const char *what, struct ptx_constant *out)
{
    return ternary(p, what, out);
}

bool tw_ptx_parser_at_constant(const struct parser *p)
{
    const struct token *const t = &p->lx.tok;
    if (t->kind == TOK_INT || t->kind == TOK_F32 || t->kind == TOK_F64)
        return true;
    if (t->kind == TOK_NAME)
        return tw_str_is(tw_lex_text(&p->lx, t), "WARP_SZ") && tw_names_find(&p->names, tw_str("WARP_SZ")).kind == NAME_NONE;
    return t->kind == TOK_PUNCT && strchr("+-~(", t->punct) != NULL;
}
