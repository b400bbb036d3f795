/* The inside of strings: escapes, adjacent literals joined, and the fields of f-strings, whose
 * expressions are lexed and parsed in place so that their positions are those of the file. */
#include "lang/parse.h"

#include "base/text.h"
#include "lang/lex_string.h"

#include <string.h>

struct piece {
    struct src_span at; /* of the text to decode */
    bool raw, bytes;
};

static unsigned hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    const char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a' + 10) : 99;
}

static void put_utf8(struct text *out, uint32_t c)
{
    if (c < 0x80) {
        tw_text_put(out, (char)c);
    } else if (c < 0x800) {
        tw_text_put(out, (char)(0xC0 | c >> 6));
        tw_text_put(out, (char)(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        tw_text_put(out, (char)(0xE0 | c >> 12));
        tw_text_put(out, (char)(0x80 | (c >> 6 & 0x3F)));
        tw_text_put(out, (char)(0x80 | (c & 0x3F)));
    } else {
        tw_text_put(out, (char)(0xF0 | c >> 18));
        tw_text_put(out, (char)(0x80 | (c >> 12 & 0x3F)));
        tw_text_put(out, (char)(0x80 | (c >> 6 & 0x3F)));
        tw_text_put(out, (char)(0x80 | (c & 0x3F)));
    }
}

static void bad_escape(struct parser *p, struct src_span text, size_t from, size_t len, const char *expected)
{
    const struct src_span at = {p->file, text.begin + (uint32_t)from, text.begin + (uint32_t)(from + len)};
    struct diag *d = tw_parse_error(p, E0108, at, "this escape sequence is not complete");
    if (d != NULL)
        tw_diag_expected(d, "%s", expected);
}

/* \xhh, \uhhhh, \Uhhhhhhhh; `i` is at the letter. Returns the index behind. */
static size_t hex_escape(struct parser *p, struct piece piece, struct str s, size_t i, struct text *out)
{
    const char letter = s.at[i];
    const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
    uint32_t c = 0;
    size_t n = 0;
    for (; n < digits && i + 1 + n < s.len && hex_value(s.at[i + 1 + n]) < 16; n++)
        c = c * 16 + hex_value(s.at[i + 1 + n]);
    if (n < digits || c > 0x10FFFF)
        bad_escape(p, piece.at, i - 1, n + 2,
                   letter == 'x'   ? "two hexadecimal digits after \\x"
                   : letter == 'u' ? "four hexadecimal digits after \\u"
                                   : "eight hexadecimal digits after \\U, at most 0010FFFF");
    else if (piece.bytes)
        tw_text_put(out, (char)c);
    else
        put_utf8(out, c);
    return i + 1 + n;
}

static size_t octal_escape(struct str s, size_t i, bool bytes, struct text *out)
{
    uint32_t c = 0;
    size_t n = 0;
    for (; n < 3 && i + n < s.len && s.at[i + n] >= '0' && s.at[i + n] <= '7'; n++)
        c = c * 8 + (uint32_t)(s.at[i + n] - '0');
    if (bytes)
        tw_text_put(out, (char)c);
    else
        put_utf8(out, c);
    return i + n;
}

/* `i` is at the character behind the backslash. An unknown escape stays as it is written, as in Python. */
static size_t escape(struct parser *p, struct piece piece, struct str s, size_t i, struct text *out)
{
    static const char letters[] = "\\'\"abfnrtv", meanings[] = "\\'\"\a\b\f\n\r\t\v";
    const char c = s.at[i];
    const char *simple = c == '\0' ? NULL : strchr(letters, c);
    if (simple != NULL) {
        tw_text_put(out, meanings[simple - letters]);
        return i + 1;
    }
    if (c == '\n')
        return i + 1;
    if (c >= '0' && c <= '7')
        return octal_escape(s, i, piece.bytes, out);
    if (c == 'x' || (!piece.bytes && (c == 'u' || c == 'U')))
        return hex_escape(p, piece, s, i, out);
    if (c == 'N' && !piece.bytes) {
        tw_parse_error(p, E0110, piece.at, "characters by name (\\N{...}) are not supported");
        return s.len;
    }
    tw_text_put(out, '\\');
    return i;
}

static void decode(struct parser *p, struct piece piece, bool braces, struct text *out)
{
    const struct str s = tw_sources_text(p->sources, piece.at);
    for (size_t i = 0; i < s.len;) {
        const char c = s.at[i];
        if (c == '\\' && !piece.raw && i + 1 < s.len) {
            i = escape(p, piece, s, i + 1, out);
            continue;
        }
        if (c == '\r' && i + 1 < s.len && s.at[i + 1] == '\n') { /* line ends read as \n */
            i++;
            continue;
        }
        tw_text_put(out, c);
        i += braces && (c == '{' || c == '}') ? 2 : 1;
    }
}

static void add_literal(struct parser *p, struct expr *e, struct piece piece)
{
    if (piece.at.begin == piece.at.end)
        return;
    struct text out;
    tw_text_init(&out, p->arena);
    decode(p, piece, true, &out);
    struct fstring_part *part = vec_push(p->arena, &e->u.parts);
    part->literal = (struct str){out.at, out.len};
}

/* The expression of one field, parsed from its own token array. */
static struct expr *field_expression(struct parser *p, struct src_span at)
{
    struct token_list tokens = {0};
    tw_lang_lex_field(p->arena, p->sources, at, p->diags, &tokens);
    struct parser sub = *p;
    sub.tokens = tokens.list.at;
    sub.pos = 0;
    sub.in_field = true;
    struct expr *e = tw_parse_yield_or_expressions(&sub);
    if (tw_parse_peek(&sub) != TOK_END)
        tw_parse_unexpected(&sub, "the field of the f-string", "'}'");
    p->failed |= sub.failed;
    return e;
}

static void split(struct parser *p, struct expr *e, struct piece piece);

static void add_field(struct parser *p, struct expr *e, struct piece piece, const struct string_field *f)
{
    struct fstring_part part = {.conversion = f->conversion};
    const struct src_span at = {p->file, f->expr_begin, f->expr_end};
    if (!tw_parse_enter(p))
        return;
    part.expr = tw_parse_adopt(p, e, field_expression(p, at));
    if (f->shows_text) {
        const struct src_span shown = {p->file, f->expr_begin, f->expr_end + 1};
        part.shown = tw_sources_text(p->sources, shown);
    }
    if (f->has_spec) {
        part.spec = tw_parse_node(p, EXPR_FSTRING, (struct src_span){p->file, f->spec_begin, f->spec_end});
        piece.at = part.spec->at;
        split(p, part.spec, piece);
        tw_parse_adopt(p, e, part.spec);
    }
    tw_parse_leave(p);
    *vec_push(p->arena, &e->u.parts) = part;
}

static void bad_field(struct parser *p, uint32_t begin, const char *why)
{
    tw_parse_error(p, E0108, (struct src_span){p->file, begin, begin + 1}, "this field of the f-string is not well formed: %s",
                   why);
}

/* f-string text: { literal | "{{" | "}}" | "{" field "}" } */
static void split(struct parser *p, struct expr *e, struct piece piece)
{
    const struct str text = {p->sources->files.at[p->file - 1].text.at, piece.at.end};
    uint32_t literal = piece.at.begin;
    for (uint32_t i = literal; i < piece.at.end && !p->failed;) {
        const char c = text.at[i];
        if (c == '\\' && !piece.raw && i + 1 < piece.at.end) {
            i += 2;
        } else if ((c == '{' || c == '}') && i + 1 < piece.at.end && text.at[i + 1] == c) {
            i += 2;
        } else if (c == '}') {
            bad_field(p, i, "'}' closes nothing; a brace in the text is written '}}'");
        } else if (c == '{') {
            struct string_field f;
            const char *why = tw_lang_scan_field(text, i + 1, &f);
            add_literal(p, e, (struct piece){{p->file, literal, i}, piece.raw, false});
            if (why != NULL)
                bad_field(p, i, why);
            else
                add_field(p, e, piece, &f);
            literal = i = why != NULL ? i + 1 : f.end;
        } else {
            i++;
        }
    }
    if (!p->failed)
        add_literal(p, e, (struct piece){{p->file, literal, piece.at.end}, piece.raw, false});
}

static struct piece body_of(const struct parser *p, const struct token *t)
{
    const uint32_t closing = t->string_flags & STRING_TRIPLE ? 3 : 1;
    return (struct piece){{p->file, t->begin + t->lead, t->end - closing},
                          (t->string_flags & STRING_RAW) != 0,
                          (t->string_flags & STRING_BYTES) != 0};
}

static void mixed_kinds(struct parser *p, const struct token *t)
{
    tw_parse_error(p, E0108, (struct src_span){p->file, t->begin, t->end}, "bytes and text do not join into one string");
}

static struct expr *plain(struct parser *p, struct expr *e, const struct token *first, const struct token *end)
{
    struct text out;
    tw_text_init(&out, p->arena);
    for (const struct token *t = first; t < end; t++)
        decode(p, body_of(p, t), false, &out);
    e->kind = first->string_flags & STRING_BYTES ? EXPR_BYTES : EXPR_STR;
    e->u.text = (struct str){out.at == NULL ? "" : out.at, out.len};
    return e;
}

static struct expr *formatted(struct parser *p, struct expr *e, const struct token *first, const struct token *end)
{
    for (const struct token *t = first; t < end && !p->failed; t++) {
        if (t->string_flags & STRING_FORMAT) {
            split(p, e, body_of(p, t));
            continue;
        }
        struct text out;
        tw_text_init(&out, p->arena);
        decode(p, body_of(p, t), false, &out);
        struct fstring_part *part = vec_push(p->arena, &e->u.parts);
        part->literal = (struct str){out.at == NULL ? "" : out.at, out.len};
    }
    return e;
}

/* strings: STRING { STRING } */
struct expr *tw_parse_strings(struct parser *p)
{
    struct expr *e = tw_parse_node(p, EXPR_FSTRING, tw_parse_span(p));
    const struct token *first = tw_parse_token(p);
    bool any_formatted = false;
    while (tw_parse_peek(p) == TOK_STRING) {
        const struct token *t = tw_parse_take(p);
        any_formatted |= (t->string_flags & STRING_FORMAT) != 0;
        if ((t->string_flags & STRING_BYTES) != (first->string_flags & STRING_BYTES))
            mixed_kinds(p, t);
    }
    e->at = tw_parse_from(p, e->at);
    const struct token *end = tw_parse_token(p);
    return any_formatted ? formatted(p, e, first, end) : plain(p, e, first, end);
}
