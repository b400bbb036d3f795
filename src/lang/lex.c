/* The lexer: characters to tokens, with Python's layout rules.
 *
 * INVARIANTS of the result: it ends in TOK_END; INDENT and DEDENT pair up; inside brackets
 * there is no NEWLINE. Recovery from a bracket that is never closed: it ends before a line that starts
 * with a word that only a statement can start, and behind a header's colon at the end of a line, so that
 * the rest of the file is still read as statements. */
#include "lang/token.h"

#include "base/limits.h"
#include "lang/lex_string.h"

#include <string.h>

struct bracket {
    uint8_t close; /* enum token_kind */
    uint32_t at;   /* token index of the opening bracket */
};

struct indent {
    uint32_t columns;     /* with tab stops every eight columns */
    uint32_t alt_columns; /* with tabs one column wide: both orders must agree */
};

struct lexer {
    struct arena *arena;
    struct diags *diags;
    struct token_list *out;
    struct str text;
    uint32_t file;
    uint32_t pos, end;
    bool field; /* inside an f-string field: layout is ignored */
    uint32_t line_first;  /* token that begins the statement, on its first line */
    uint32_t plain_until; /* f-strings before this offset are read as plain strings */
    VEC(struct bracket) brackets;
    VEC(struct indent) indents;
};

static char at(const struct lexer *lx, uint32_t pos)
{
    return pos < lx->end ? lx->text.at[pos] : '\0';
}

static struct src_span span(const struct lexer *lx, uint32_t begin, uint32_t end)
{
    return (struct src_span){lx->file, begin, end};
}

static struct token *emit(struct lexer *lx, enum token_kind kind, uint32_t begin, uint32_t end)
{
    struct token *t = vec_push(lx->arena, &lx->out->list);
    *t = (struct token){.kind = (uint8_t)kind, .begin = begin, .end = end};
    return t;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c)
{
    return is_name_start(c) || is_digit(c);
}

/* ---- numbers ---- */

static unsigned digit_value(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A' + 10);
    return 99;
}

/* digits: DIGIT { ["_"] DIGIT }. Returns the end; equal to pos when there is no digit. */
static uint32_t skip_digits(const struct lexer *lx, uint32_t pos, unsigned base)
{
    if (digit_value(at(lx, pos)) >= base)
        return pos;
    for (;;) {
        if (digit_value(at(lx, pos)) < base)
            pos++;
        else if (at(lx, pos) == '_' && digit_value(at(lx, pos + 1)) < base)
            pos++;
        else
            return pos;
    }
}

static uint32_t skip_name_chars(const struct lexer *lx, uint32_t pos)
{
    while (is_name_char(at(lx, pos)))
        pos++;
    return pos;
}

static void bad_number(struct lexer *lx, uint32_t begin, uint32_t end, const char *why)
{
    lx->pos = skip_name_chars(lx, end);
    struct diag *d = tw_diag(lx->diags, E0107, span(lx, begin, lx->pos), "the number '%.*s' is not well formed",
                             (int)(lx->pos - begin), lx->text.at + begin);
    tw_diag_found(d, "%s", why);
    emit(lx, TOK_ERROR, begin, lx->pos);
}

static bool based_number(struct lexer *lx, uint32_t begin)
{
    static const struct {
        char lower, upper;
        unsigned base;
        const char *why;
    } bases[] = {
        {'x', 'X', 16, "no hexadecimal number after '0x'"},
        {'o', 'O', 8, "no octal number after '0o'"},
        {'b', 'B', 2, "no binary number after '0b'"},
    };
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        if (at(lx, begin) != '0' || (at(lx, begin + 1) != bases[i].lower && at(lx, begin + 1) != bases[i].upper))
            continue;
        const uint32_t from = begin + 2 + (at(lx, begin + 2) == '_');
        const uint32_t end = skip_digits(lx, from, bases[i].base);
        if (end == from || is_name_char(at(lx, end))) {
            bad_number(lx, begin, end, bases[i].why);
        } else {
            emit(lx, TOK_INT, begin, end);
            lx->pos = end;
        }
        return true;
    }
    return false;
}

static uint32_t skip_exponent(const struct lexer *lx, uint32_t pos)
{
    if (at(lx, pos) != 'e' && at(lx, pos) != 'E')
        return pos;
    const uint32_t digits = pos + 1 + (at(lx, pos + 1) == '+' || at(lx, pos + 1) == '-');
    const uint32_t end = skip_digits(lx, digits, 10);
    return end == digits ? pos : end;
}

static bool has_leading_zero(const struct lexer *lx, uint32_t begin, uint32_t end)
{
    if (at(lx, begin) != '0')
        return false;
    for (uint32_t i = begin; i < end; i++)
        if (at(lx, i) != '0' && at(lx, i) != '_')
            return true;
    return false;
}

static void lex_number(struct lexer *lx)
{
    const uint32_t begin = lx->pos;
    if (based_number(lx, begin))
        return;
    uint32_t end = skip_digits(lx, begin, 10);
    const uint32_t whole_end = end;
    if (at(lx, end) == '.')
        end = skip_digits(lx, end + 1, 10);
    end = skip_exponent(lx, end);
    const bool real = end != whole_end;
    if (at(lx, end) == 'j' || at(lx, end) == 'J') {
        lx->pos = end + 1;
        tw_diag(lx->diags, E0110, span(lx, begin, lx->pos), "imaginary numbers are not supported");
        emit(lx, TOK_ERROR, begin, lx->pos);
    } else if (is_name_char(at(lx, end))) {
        bad_number(lx, begin, end, "letters directly after the digits");
    } else if (!real && has_leading_zero(lx, begin, end)) {
        bad_number(lx, begin, end, "a leading zero; octal numbers are written 0o17");
    } else {
        emit(lx, real ? TOK_FLOAT : TOK_INT, begin, end);
        lx->pos = end;
    }
}

/* ---- names and strings ---- */

static uint32_t line_end(const struct lexer *lx, uint32_t pos)
{
    const char *newline = memchr(lx->text.at + pos, '\n', lx->end - pos);
    return newline == NULL ? lx->end : (uint32_t)(newline - lx->text.at);
}

/* After one f-string with a broken field the rest of its line is not searched for fields again: the
 * statement is faulty as it is, and a line of such strings would take quadratic time. */
static void lex_string(struct lexer *lx, uint32_t quote_at, uint8_t flags)
{
    const uint32_t begin = lx->pos;
    const bool plain = quote_at < lx->plain_until;
    struct string_extent e = tw_lang_scan_string((struct str){lx->text.at, lx->end}, quote_at,
                                                 plain ? (uint8_t)(flags & ~STRING_FORMAT) : flags);
    e.flags |= flags & STRING_FORMAT;
    lx->pos = e.end;
    if (e.broken)
        lx->plain_until = line_end(lx, quote_at);
    if (!e.closed) {
        struct diag *d = tw_diag(lx->diags, E0103, span(lx, begin, e.body_begin), "this string is never closed");
        tw_diag_expected(d, "%.*s before the end of the %s", (int)(e.body_begin - quote_at), lx->text.at + quote_at,
                         e.flags & STRING_TRIPLE ? "file" : "line");
        emit(lx, TOK_ERROR, begin, e.end);
        return;
    }
    struct token *t = emit(lx, TOK_STRING, begin, e.end);
    t->string_flags = e.flags;
    t->lead = (uint8_t)(e.body_begin - begin);
}

static enum token_kind keyword(struct str word)
{
    for (int k = TOK_KW_AND; k < TOK_COUNT; k++)
        if (tw_str_is(word, tw_token_spelling((enum token_kind)k)))
            return (enum token_kind)k;
    return TOK_NAME;
}

static void lex_name(struct lexer *lx)
{
    const uint32_t begin = lx->pos;
    const uint32_t end = skip_name_chars(lx, begin);
    uint8_t flags;
    if ((at(lx, end) == '"' || at(lx, end) == '\'') &&
        tw_lang_string_prefix((struct str){lx->text.at + begin, end - begin}, &flags)) {
        lex_string(lx, end, flags);
        return;
    }
    emit(lx, keyword((struct str){lx->text.at + begin, end - begin}), begin, end);
    lx->pos = end;
}

/* ---- brackets ---- */

static enum token_kind closer_of(enum token_kind kind)
{
    return kind == TOK_LPAR ? TOK_RPAR : kind == TOK_LSQB ? TOK_RSQB : kind == TOK_LBRACE ? TOK_RBRACE : TOK_END;
}

static bool is_closer(enum token_kind kind)
{
    return kind == TOK_RPAR || kind == TOK_RSQB || kind == TOK_RBRACE;
}

/* Reports the innermost open bracket, and makes the outermost one faulty, so that the parser goes no
 * further into the statement. */
static void never_closed(struct lexer *lx)
{
    const struct bracket *b = &lx->brackets.at[lx->brackets.len - 1];
    const struct token *open = &lx->out->list.at[b->at];
    struct diag *d = tw_diag(lx->diags, E0104, span(lx, open->begin, open->end), "'%s' is never closed",
                             tw_token_spelling((enum token_kind)open->kind));
    tw_diag_expected(d, "'%s'", tw_token_spelling((enum token_kind)b->close));
    lx->out->list.at[lx->brackets.at[0].at].kind = TOK_ERROR;
    lx->brackets.len = 0;
}

static bool close_bracket(struct lexer *lx, enum token_kind kind, uint32_t begin, uint32_t end)
{
    if (lx->brackets.len == 0) {
        tw_diag(lx->diags, E0105, span(lx, begin, end), "'%s' closes nothing", tw_token_spelling(kind));
        return false;
    }
    const struct bracket b = lx->brackets.at[--lx->brackets.len];
    if (b.close == kind)
        return true;
    const struct token *open = &lx->out->list.at[b.at];
    struct diag *d = tw_diag(lx->diags, E0105, span(lx, begin, end), "'%s' does not close '%s'", tw_token_spelling(kind),
                             tw_token_spelling((enum token_kind)open->kind));
    tw_diag_expected(d, "'%s'", tw_token_spelling((enum token_kind)b.close));
    tw_diag_note(d, span(lx, open->begin, open->end), "opened here");
    return false;
}

static bool starts_statement(const struct lexer *lx, uint32_t pos)
{
    static const uint8_t starters[] = {TOK_KW_DEF,   TOK_KW_CLASS, TOK_KW_IMPORT, TOK_KW_RETURN,   TOK_KW_WHILE,
                                       TOK_KW_WITH,  TOK_KW_ASSERT, TOK_KW_DEL,   TOK_KW_RAISE,    TOK_KW_TRY,
                                       TOK_KW_PASS,  TOK_KW_BREAK, TOK_KW_CONTINUE, TOK_KW_GLOBAL, TOK_KW_NONLOCAL,
                                       TOK_KW_EXCEPT, TOK_KW_FINALLY};
    const uint32_t end = skip_name_chars(lx, pos);
    if (end == pos)
        return false;
    const enum token_kind kind = keyword((struct str){lx->text.at + pos, end - pos});
    return memchr(starters, (int)kind, sizeof starters) != NULL;
}

static bool opens_block(uint8_t kind)
{
    static const uint8_t kinds[] = {TOK_KW_DEF, TOK_KW_CLASS, TOK_KW_IF,   TOK_KW_ELIF,
                                    TOK_KW_FOR, TOK_KW_WHILE, TOK_KW_WITH, TOK_KW_EXCEPT};
    return memchr(kinds, kind, sizeof kinds) != NULL;
}

/* Does the line that ends here read `if (a:`, a header with its colon, but with a bracket open? */
static bool header_ends(const struct lexer *lx)
{
    const uint32_t first = lx->line_first, count = lx->out->list.len;
    return first < count && opens_block(lx->out->list.at[first].kind) && lx->out->list.at[count - 1].kind == TOK_COLON &&
           lx->brackets.at[lx->brackets.len - 1].close == TOK_RPAR;
}

/* At the start of a further line inside brackets: was the bracket forgotten? */
static void drop_forgotten_brackets(struct lexer *lx)
{
    if (!lx->field && lx->brackets.len != 0 && (starts_statement(lx, lx->pos) || header_ends(lx)))
        never_closed(lx);
    lx->line_first = UINT32_MAX; /* only the first line of a statement can be a header */
}

static bool punct_at(const struct lexer *lx, const char *spelling)
{
    const size_t len = strlen(spelling);
    return lx->end - lx->pos >= len && memcmp(lx->text.at + lx->pos, spelling, len) == 0;
}

/* Names the character and steps over it (over the whole of a UTF-8 sequence). */
static void bad_character(struct lexer *lx)
{
    const uint32_t begin = lx->pos++;
    const unsigned char first = (unsigned char)lx->text.at[begin];
    while (first >= 0x80 && lx->pos < lx->end && ((unsigned char)lx->text.at[lx->pos] & 0xC0) == 0x80)
        lx->pos++;
    const struct src_span where = span(lx, begin, lx->pos);
    if (first < 0x20 || first == 0x7F)
        tw_diag(lx->diags, E0102, where, "the control character 0x%02X does not belong in a program", first);
    else
        tw_diag(lx->diags, E0102, where, "the character '%.*s' does not belong here", (int)(lx->pos - begin),
                lx->text.at + begin);
    emit(lx, TOK_ERROR, begin, lx->pos);
}

static void lex_punct(struct lexer *lx)
{
    for (int k = TOK_ELLIPSIS; k < TOK_KW_AND; k++) {
        const enum token_kind kind = (enum token_kind)k;
        if (!punct_at(lx, tw_token_spelling(kind)))
            continue;
        const uint32_t begin = lx->pos;
        lx->pos += (uint32_t)strlen(tw_token_spelling(kind));
        if (is_closer(kind) && !close_bracket(lx, kind, begin, lx->pos)) {
            emit(lx, TOK_ERROR, begin, lx->pos);
            return;
        }
        emit(lx, kind, begin, lx->pos);
        if (closer_of(kind) != TOK_END) {
            struct bracket *b = vec_push(lx->arena, &lx->brackets);
            *b = (struct bracket){(uint8_t)closer_of(kind), lx->out->list.len - 1};
        }
        return;
    }
    bad_character(lx);
}

/* ---- layout ---- */

static bool newline_at(const struct lexer *lx, uint32_t pos, uint32_t *len)
{
    if (at(lx, pos) == '\n' && pos < lx->end)
        *len = 1;
    else if (at(lx, pos) == '\r' && at(lx, pos + 1) == '\n')
        *len = 2;
    else
        return false;
    return true;
}

/* Blanks, comments and joined lines; stops before a newline, a token or the end. */
static void skip_blanks(struct lexer *lx)
{
    for (;;) {
        uint32_t len;
        const char c = at(lx, lx->pos);
        if (lx->pos < lx->end && (c == ' ' || c == '\t' || c == '\f'))
            lx->pos++;
        else if (c == '\\' && newline_at(lx, lx->pos + 1, &len))
            lx->pos += 1 + len;
        else if (c == '#')
            while (lx->pos < lx->end && !newline_at(lx, lx->pos, &len))
                lx->pos++;
        else
            return;
    }
}

static struct indent measure_indent(struct lexer *lx)
{
    enum { TAB = 8 };
    struct indent in = {0};
    for (;; lx->pos++) {
        const char c = at(lx, lx->pos);
        if (c == ' ') {
            in.columns++;
            in.alt_columns++;
        } else if (c == '\t') {
            in.columns = (in.columns / TAB + 1) * TAB;
            in.alt_columns++;
        } else if (c == '\f') {
            in = (struct indent){0};
        } else {
            return in;
        }
    }
}

static struct indent top_indent(const struct lexer *lx)
{
    return lx->indents.len == 0 ? (struct indent){0} : lx->indents.at[lx->indents.len - 1];
}

static void mixed_tabs(struct lexer *lx)
{
    struct diag *d = tw_diag(lx->diags, E0106, span(lx, lx->pos, lx->pos), "tabs and spaces are mixed in the indentation");
    tw_diag_fix(d, "indent every line of the block with spaces only");
}

static void close_indents(struct lexer *lx, struct indent in)
{
    while (in.columns < top_indent(lx).columns) {
        lx->indents.len--;
        emit(lx, TOK_DEDENT, lx->pos, lx->pos);
    }
    if (in.columns == top_indent(lx).columns) {
        if (in.alt_columns != top_indent(lx).alt_columns)
            mixed_tabs(lx);
        return;
    }
    struct diag *d = tw_diag(lx->diags, E0106, span(lx, lx->pos, lx->pos),
                             "this line's indentation matches no enclosing block");
    tw_diag_expected(d, "%u columns, as the block around it", top_indent(lx).columns);
    tw_diag_found(d, "%u columns", in.columns);
}

static void begin_line(struct lexer *lx)
{
    const struct indent in = measure_indent(lx);
    uint32_t len;
    skip_blanks(lx);
    if (lx->pos >= lx->end || newline_at(lx, lx->pos, &len))
        return; /* a blank line has no indentation */
    const struct indent top = top_indent(lx);
    if (in.columns > top.columns) {
        if (in.alt_columns <= top.alt_columns)
            mixed_tabs(lx);
        *vec_push(lx->arena, &lx->indents) = in;
        emit(lx, TOK_INDENT, lx->pos, lx->pos);
    } else {
        close_indents(lx, in);
    }
    lx->line_first = lx->out->list.len;
}

static void end_line(struct lexer *lx, uint32_t newline_len)
{
    const uint32_t begin = lx->pos;
    lx->pos += newline_len;
    if (lx->brackets.len != 0 || lx->field) {
        measure_indent(lx);
        drop_forgotten_brackets(lx);
        if (lx->brackets.len != 0 || lx->field)
            return;
        lx->pos = begin + newline_len;
    }
    const uint32_t count = lx->out->list.len;
    const uint8_t last = count == 0 ? (uint8_t)TOK_NEWLINE : lx->out->list.at[count - 1].kind;
    if (last != TOK_NEWLINE && last != TOK_INDENT && last != TOK_DEDENT)
        emit(lx, TOK_NEWLINE, begin, begin + newline_len);
    begin_line(lx);
}

static void end_file(struct lexer *lx)
{
    if (lx->brackets.len != 0) {
        never_closed(lx);
    }
    if (!lx->field) {
        const uint32_t count = lx->out->list.len;
        if (count != 0 && lx->out->list.at[count - 1].kind != TOK_NEWLINE)
            emit(lx, TOK_NEWLINE, lx->end, lx->end);
        for (; lx->indents.len != 0; lx->indents.len--)
            emit(lx, TOK_DEDENT, lx->end, lx->end);
    }
    emit(lx, TOK_END, lx->end, lx->end);
}

static void lex_token(struct lexer *lx)
{
    const char c = at(lx, lx->pos);
    uint32_t len;
    if (newline_at(lx, lx->pos, &len))
        end_line(lx, len);
    else if (is_name_start(c))
        lex_name(lx);
    else if (is_digit(c) || (c == '.' && is_digit(at(lx, lx->pos + 1))))
        lex_number(lx);
    else if (c == '"' || c == '\'')
        lex_string(lx, lx->pos, 0);
    else
        lex_punct(lx);
}

static void lex_all(struct lexer *lx)
{
    if (!lx->field)
        begin_line(lx);
    for (;;) {
        skip_blanks(lx);
        if (lx->pos >= lx->end)
            break;
        lex_token(lx);
    }
    end_file(lx);
}

void tw_lang_lex(struct arena *arena, const struct sources *sources, uint32_t file, struct diags *diags,
                 struct token_list *out)
{
    const struct str text = sources->files.at[file - 1].text;
    const bool marked = text.len >= 3 && memcmp(text.at, "\xEF\xBB\xBF", 3) == 0; /* a byte order mark */
    struct lexer lx = {.arena = arena, .diags = diags, .out = out, .text = text, .file = file,
                       .pos = marked ? 3 : 0, .end = (uint32_t)text.len};
    lex_all(&lx);
}

void tw_lang_lex_field(struct arena *arena, const struct sources *sources, struct src_span field, struct diags *diags,
                       struct token_list *out)
{
    struct lexer lx = {.arena = arena, .diags = diags, .out = out, .text = sources->files.at[field.file - 1].text,
                       .file = field.file, .pos = field.begin, .end = field.end, .field = true};
    lex_all(&lx);
}
