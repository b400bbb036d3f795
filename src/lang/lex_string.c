/* Strings and f-string fields. A field may hold strings, also with the quote of the string
 * around it, and those may be f-strings in turn; the recursion is bounded.
 *
 * One field that is not well formed spoils the whole scan at once (`broken`), and the outermost string
 * is read again as plain text. Trying on from there at every level would take exponential time. */
#include "lang/lex_string.h"

#include "base/limits.h"
#include "lang/token.h"

#include <string.h>

bool tw_lang_string_prefix(struct str word, uint8_t *flags)
{
    static const struct {
        const char *word;
        uint8_t flags;
    } prefixes[] = {
        {"r", STRING_RAW}, {"u", 0}, {"b", STRING_BYTES}, {"f", STRING_FORMAT},
        {"rb", STRING_RAW | STRING_BYTES}, {"br", STRING_RAW | STRING_BYTES},
        {"rf", STRING_RAW | STRING_FORMAT}, {"fr", STRING_RAW | STRING_FORMAT},
    };
    char lower[3] = {0};
    if (word.len > 2)
        return false;
    for (size_t i = 0; i < word.len; i++)
        lower[i] = word.at[i] >= 'A' && word.at[i] <= 'Z' ? (char)(word.at[i] - 'A' + 'a') : word.at[i];
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strcmp(lower, prefixes[i].word) != 0)
            continue;
        *flags = prefixes[i].flags;
        return true;
    }
    return false;
}

struct scan {
    struct str text;
    bool broken;
};

static char at(struct str text, uint32_t pos)
{
    return pos < text.len ? text.at[pos] : '\0';
}

static bool three(struct str text, uint32_t pos, char c)
{
    return at(text, pos) == c && at(text, pos + 1) == c && at(text, pos + 2) == c;
}

static struct string_extent scan_string(struct scan *s, uint32_t quote_at, uint8_t flags, unsigned depth);
static const char *scan_field(struct scan *s, uint32_t pos, unsigned depth, struct string_field *out);

/* A quote inside a field: the flags of the string that it opens, from the letters before it. */
static uint8_t flags_before(struct str text, uint32_t quote_at, uint32_t from)
{
    uint32_t begin = quote_at;
    while (begin > from && ((text.at[begin - 1] | 32) >= 'a' && (text.at[begin - 1] | 32) <= 'z'))
        begin--;
    uint8_t flags = 0;
    tw_lang_string_prefix((struct str){text.at + begin, quote_at - begin}, &flags);
    return flags;
}

static bool is_comparison_tail(struct str text, uint32_t equals_at)
{
    const char before = equals_at == 0 ? '\0' : text.at[equals_at - 1];
    return at(text, equals_at + 1) == '=' || before == '=' || before == '!' || before == '<' || before == '>';
}

/* Is this '=' the one of `{x=}`? */
static bool shows_text(struct str text, uint32_t pos)
{
    if (is_comparison_tail(text, pos))
        return false;
    do
        pos++;
    while (at(text, pos) == ' ');
    return at(text, pos) == '}' || at(text, pos) == ':' || (at(text, pos) == '!' && at(text, pos + 1) != '=');
}

/* Walks the expression of a field to the character that ends it at bracket depth 0. */
static const char *scan_expression(struct scan *s, uint32_t *pos, unsigned depth, struct string_field *out)
{
    const struct str text = s->text;
    unsigned open = 0;
    for (uint32_t i = *pos;; i++) {
        const char c = at(text, i);
        if (i >= text.len || c == '\n')
            return "the field is never closed";
        if (c == '"' || c == '\'') {
            const struct string_extent e = scan_string(s, i, flags_before(text, i, *pos), depth + 1);
            if (!e.closed)
                return "a string inside the field is never closed";
            i = e.end - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            open++;
        } else if (open != 0) {
            open -= c == ')' || c == ']' || c == '}';
        } else if (c == '}' || c == ':' || (c == '!' && at(text, i + 1) != '=') || (c == '=' && shows_text(text, i))) {
            out->expr_end = i;
            *pos = i;
            return NULL;
        }
    }
}

static const char *scan_spec(struct scan *s, uint32_t *pos, unsigned depth, struct string_field *out)
{
    const struct str text = s->text;
    out->has_spec = true;
    out->spec_begin = *pos;
    for (uint32_t i = *pos; i < text.len && text.at[i] != '\n'; i++) {
        if (text.at[i] == '}') {
            out->spec_end = i;
            *pos = i;
            return NULL;
        }
        if (text.at[i] == '{') {
            struct string_field inner;
            const char *why = scan_field(s, i + 1, depth + 1, &inner);
            if (why != NULL)
                return why;
            i = inner.end - 1;
        }
    }
    return "the field is never closed";
}

static const char *scan_field(struct scan *s, uint32_t pos, unsigned depth, struct string_field *out)
{
    const struct str text = s->text;
    *out = (struct string_field){.expr_begin = pos};
    if (depth > TW_MAX_NESTING)
        return "the fields nest too deep";
    const char *why = scan_expression(s, &pos, depth, out);
    if (why != NULL)
        return why;
    if (at(text, pos) == '=') {
        out->shows_text = true;
        do
            pos++;
        while (at(text, pos) == ' ');
    }
    if (at(text, pos) == '!') {
        out->conversion = at(text, pos + 1);
        if (out->conversion != 'r' && out->conversion != 's' && out->conversion != 'a')
            return "after '!' stands one of r, s, a";
        pos += 2;
    }
    if (at(text, pos) == ':') {
        pos++;
        why = scan_spec(s, &pos, depth, out);
        if (why != NULL)
            return why;
    }
    if (at(text, pos) != '}')
        return "the field is never closed";
    out->end = pos + 1;
    return NULL;
}

const char *tw_lang_scan_field(struct str text, uint32_t pos, struct string_field *out)
{
    return scan_field(&(struct scan){text, false}, pos, 0, out);
}

/* Inside an f-string an open brace starts a field, in which quotes do not end the string. */
static uint32_t skip_brace(struct scan *s, uint32_t pos, unsigned depth)
{
    if (at(s->text, pos + 1) == '{')
        return pos + 2;
    struct string_field field;
    s->broken |= scan_field(s, pos + 1, depth + 1, &field) != NULL;
    return s->broken ? pos + 1 : field.end;
}

static struct string_extent scan_string(struct scan *s, uint32_t quote_at, uint8_t flags, unsigned depth)
{
    const struct str text = s->text;
    const char quote = text.at[quote_at];
    const bool triple = three(text, quote_at, quote);
    const uint32_t quote_len = triple ? 3 : 1;
    struct string_extent e = {.flags = (uint8_t)(flags | (triple ? STRING_TRIPLE : 0)), .body_begin = quote_at + quote_len};
    uint32_t pos = e.body_begin;
    s->broken |= depth > TW_MAX_NESTING;
    while (pos < text.len && !s->broken) {
        const char c = text.at[pos];
        if (c == quote && (!triple || three(text, pos, quote))) {
            e.closed = true;
            break;
        }
        if (c == '\n' && !triple)
            break;
        if (c == '\\' && pos + 1 < text.len)
            pos += 2;
        else if (c == '{' && (flags & STRING_FORMAT))
            pos = skip_brace(s, pos, depth);
        else
            pos++;
    }
    e.body_end = pos;
    e.end = e.closed ? pos + quote_len : pos;
    return e;
}

struct string_extent tw_lang_scan_string(struct str text, uint32_t quote_at, uint8_t flags)
{
    struct scan s = {text, false};
    struct string_extent e = scan_string(&s, quote_at, flags, 0);
    if (!s.broken)
        return e;
    s.broken = false;
    e = scan_string(&s, quote_at, (uint8_t)(flags & ~STRING_FORMAT), 0);
    e.flags = (uint8_t)(e.flags | (flags & STRING_FORMAT));
    e.broken = true;
    return e;
}
