#include "ptx/lex.h"

#include "base/text.h"
#include "num/decimal.h"

#include <string.h>

enum { NAME_START = 1, NAME_PART = 2, DIGIT = 4, SPACE = 8 };

static unsigned class_of(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$')
        return NAME_START | NAME_PART;
    if (c >= '0' && c <= '9')
        return NAME_PART | DIGIT;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')
        return SPACE;
    return c == '%' ? NAME_START : 0;
}

static char peek(const struct lexer *lx, uint32_t at)
{
    return at < lx->len ? lx->text[at] : '\0';
}

static uint32_t name_end(const struct lexer *lx, uint32_t at)
{
    while (at < lx->len && (class_of(lx->text[at]) & NAME_PART) != 0)
        at++;
    return at;
}

/* White space, // and block comments, and preprocessor lines ("# 1 ..."). An open comment is no blank: its beginning is returned. */
static uint32_t skip_blank(const struct lexer *lx, uint32_t at)
{
    for (;;) {
        while (at < lx->len && class_of(lx->text[at]) == SPACE)
            at++;
        bool line_start = at == 0 || lx->text[at - 1] == '\n';
        if ((peek(lx, at) == '/' && peek(lx, at + 1) == '/') || (line_start && peek(lx, at) == '#')) {
            const char *end = memchr(lx->text + at, '\n', lx->len - at);
            at = end != NULL ? (uint32_t)(end - lx->text) : lx->len;
        } else if (peek(lx, at) == '/' && peek(lx, at + 1) == '*') {
            uint32_t end = at + 2;
            while (end < lx->len && !(lx->text[end] == '*' && peek(lx, end + 1) == '/'))
                end++;
            if (end >= lx->len)
                return at;
            at = end + 2;
        } else {
            return at;
        }
    }
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static void bad(struct token *t, const char *why)
{
    t->kind = TOK_BAD;
    t->why = why;
}

/* 0f and 0d: the bits, in exactly 8 or 16 digits. */
static void lex_bits(const struct lexer *lx, struct token *t, uint32_t digits)
{
    for (uint32_t i = 0; i < digits; i++) {
        int d = digit_value(peek(lx, t->begin + 2 + i));
        if (d > 15)
            break;
        t->value = t->value << 4 | (uint64_t)d;
        t->end = t->begin + 3 + i;
    }
    uint32_t whole = name_end(lx, t->begin);
    if (t->end != t->begin + 2 + digits || whole != t->end) {
        t->end = whole;
        bad(t, digits == 8 ? "a float literal 0f has eight hexadecimal digits"
                           : "a float literal 0d has sixteen hexadecimal digits");
    }
}

static void lex_integer(const struct lexer *lx, struct token *t, uint32_t from, unsigned base)
{
    uint32_t end = name_end(lx, t->begin), last = end;
    t->end = end;
    if (last > from && lx->text[last - 1] == 'U') {
        t->is_unsigned = true;
        last--;
    }
    if (last == from) {
        bad(t, "digits are missing from the number");
        return;
    }
    for (uint32_t i = from; i < last; i++) {
        unsigned d = (unsigned)digit_value(lx->text[i]);
        if (d >= base) {
            bad(t, "a digit that the number's base has not");
            return;
        }
        if (t->value > (UINT64_MAX - d) / base) {
            bad(t, "an integer of more than 64 bits");
            return;
        }
        t->value = t->value * base + d;
    }
}

/* Does a decimal float start here: digits, then '.' digit or an exponent? */
static uint32_t decimal_float_end(const struct lexer *lx, uint32_t at)
{
    uint32_t i = at;
    bool point = false, exponent = false;
    while ((class_of(peek(lx, i)) & DIGIT) != 0)
        i++;
    if (peek(lx, i) == '.' && (class_of(peek(lx, i + 1)) & NAME_START) == 0) {
        point = true;
        i++;
        while ((class_of(peek(lx, i)) & DIGIT) != 0)
            i++;
    }
    char e = peek(lx, i);
    if (e == 'e' || e == 'E') {
        uint32_t digits = i + 1 + (peek(lx, i + 1) == '+' || peek(lx, i + 1) == '-');
        exponent = (class_of(peek(lx, digits)) & DIGIT) != 0;
        if (exponent) {
            i = digits;
            while ((class_of(peek(lx, i)) & DIGIT) != 0)
                i++;
        }
    }
    return point || exponent ? i : 0;
}

static void lex_number(struct lexer *lx, struct token *t)
{
    char second = peek(lx, t->begin + 1);
    uint32_t end;
    t->kind = TOK_INT;
    if (peek(lx, t->begin) == '0' && (second == 'f' || second == 'F')) {
        t->kind = TOK_F32;
        lex_bits(lx, t, 8);
    } else if (peek(lx, t->begin) == '0' && (second == 'd' || second == 'D')) {
        t->kind = TOK_F64;
        lex_bits(lx, t, 16);
    } else if (peek(lx, t->begin) == '0' && (second == 'x' || second == 'X')) {
        lex_integer(lx, t, t->begin + 2, 16);
    } else if (peek(lx, t->begin) == '0' && (second == 'b' || second == 'B')) {
        lex_integer(lx, t, t->begin + 2, 2);
    } else if ((end = decimal_float_end(lx, t->begin)) != 0) {
        t->kind = TOK_F64;
        t->end = end;
        enum num_parse got = tw_num_parse_decimal((struct str){lx->text + t->begin, end - t->begin}, NUM_F64, &t->value);
        if (got == NUM_PARSE_MALFORMED)
            bad(t, "a malformed decimal number");
    } else {
        bool octal = peek(lx, t->begin) == '0' && (class_of(second) & DIGIT) != 0;
        lex_integer(lx, t, t->begin + (octal ? 1 : 0), octal ? 8 : 10);
    }
}

static void lex_string(struct lexer *lx, struct token *t)
{
    t->kind = TOK_STRING;
    uint32_t i = t->begin + 1;
    while (i < lx->len && lx->text[i] != '"' && lx->text[i] != '\n')
        i += lx->text[i] == '\\' && i + 1 < lx->len && lx->text[i + 1] != '\n' ? 2 : 1;
    if (i > lx->len)
        i = lx->len;
    t->end = i;
    if (peek(lx, i) == '"')
        t->end++;
    else
        bad(t, "the string has no closing quote");
}

static uint32_t directive_end(const struct lexer *lx, uint32_t at)
{
    uint32_t end = name_end(lx, at);
    while (peek(lx, end) == ':' && peek(lx, end + 1) == ':' && (class_of(peek(lx, end + 2)) & NAME_PART) != 0)
        end = name_end(lx, end + 2);
    return end;
}

void tw_lex_next(struct lexer *lx)
{
    lx->last_end = lx->tok.end;
    uint32_t at = skip_blank(lx, lx->at);
    struct token t = {.kind = TOK_PUNCT, .begin = at, .end = at + 1};
    char c = peek(lx, at);
    if (at >= lx->len) {
        t.kind = TOK_END;
        t.end = at;
    } else if ((class_of(c) & NAME_START) != 0) {
        t.kind = TOK_NAME;
        t.end = name_end(lx, at + 1);
        t.punct = c;
    } else if ((class_of(c) & DIGIT) != 0 || (c == '.' && (class_of(peek(lx, at + 1)) & DIGIT) != 0)) {
        lex_number(lx, &t);
    } else if (c == '.' && (class_of(peek(lx, at + 1)) & NAME_START) != 0) {
        t.kind = TOK_DIRECTIVE;
        t.end = directive_end(lx, at + 1);
    } else if (c == '"') {
        lex_string(lx, &t);
    } else if (c == '/' && peek(lx, at + 1) == '*') {
        t.end = lx->len;
        bad(&t, "a comment that does not end");
    } else if (strchr("{}[](),;:+-*/~!@|<>=&^.?", c) != NULL && c != '\0') {
        t.punct = c;
    } else {
        bad(&t, "a character that PTX does not have");
    }
    if (t.kind != TOK_PUNCT && t.kind != TOK_NAME)
        t.punct = '\0';
    if (t.kind == TOK_NAME)
        t.punct = '\0';
    lx->tok = t;
    lx->at = t.end;
}

void tw_lex_begin(struct lexer *lx, struct str text)
{
    *lx = (struct lexer){.text = text.at, .len = (uint32_t)text.len};
    tw_lex_next(lx);
}

struct str tw_lex_mnemonic(struct lexer *lx, struct arena *arena)
{
    uint32_t begin = lx->tok.begin, end = lx->tok.end;
    for (;;) {
        char c = peek(lx, end);
        if (c == '.' && (class_of(peek(lx, end + 1)) & NAME_PART) != 0)
            end = name_end(lx, end + 1);
        else if (c == ':' && peek(lx, end + 1) == ':' && (class_of(peek(lx, end + 2)) & NAME_PART) != 0)
            end = name_end(lx, end + 2);
        else
            break;
    }
    struct str whole = {lx->text + begin, end - begin};
    lx->at = lx->tok.end = end;
    tw_lex_next(lx);
    if (lx->tok.kind != TOK_DIRECTIVE)
        return whole;
    struct text joined;
    tw_text_init(&joined, arena);
    tw_text_add_str(&joined, whole);
    while (lx->tok.kind == TOK_DIRECTIVE) {
        tw_text_add_str(&joined, tw_lex_text(lx, &lx->tok));
        tw_lex_next(lx);
    }
    return (struct str){joined.at, joined.len};
}

struct str tw_lex_component(struct lexer *lx)
{
    uint32_t end = lx->tok.end;
    if (peek(lx, end) == '.' && (class_of(peek(lx, end + 1)) & NAME_START) != 0) {
        uint32_t after = name_end(lx, end + 1);
        if (after == end + 2)
            lx->at = lx->tok.end = after;
    }
    return tw_lex_text(lx, &lx->tok);
}

bool tw_lex_raw_block(struct lexer *lx, struct str *body)
{
    uint32_t from = lx->tok.begin, depth = 1;
    for (; lx->tok.kind != TOK_END; tw_lex_next(lx)) {
        if (lx->tok.kind != TOK_PUNCT)
            continue;
        depth += lx->tok.punct == '{';
        depth -= lx->tok.punct == '}';
        if (depth == 0) {
            *body = (struct str){lx->text + from, lx->tok.begin - from};
            tw_lex_next(lx);
            return true;
        }
    }
    return false;
}
