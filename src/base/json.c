#include "base/json.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/vec.h"

#include <string.h>

struct reader {
    struct arena *arena;
    struct str text;
    size_t at;
    uint32_t depth;
    struct json_error *error;
};

static bool fail(struct reader *r, const char *what)
{
    if (r->error->what == NULL)
        *r->error = (struct json_error){what, (uint32_t)r->at};
    return false;
}

static void skip_space(struct reader *r)
{
    while (r->at < r->text.len && strchr(" \t\r\n", r->text.at[r->at]) != NULL && r->text.at[r->at] != '\0')
        r->at++;
}

static char peek(const struct reader *r)
{
    return r->at < r->text.len ? r->text.at[r->at] : '\0';
}

static bool accept(struct reader *r, const char *word)
{
    const size_t len = strlen(word);
    if (r->text.len - r->at < len || memcmp(r->text.at + r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

static void put_utf8(struct text *t, uint32_t c)
{
    if (c < 0x80) {
        tw_text_put(t, (char)c);
    } else if (c < 0x800) {
        tw_text_put(t, (char)(0xc0 | c >> 6));
        tw_text_put(t, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        tw_text_put(t, (char)(0xe0 | c >> 12));
        tw_text_put(t, (char)(0x80 | (c >> 6 & 0x3f)));
        tw_text_put(t, (char)(0x80 | (c & 0x3f)));
    } else {
        tw_text_put(t, (char)(0xf0 | c >> 18));
        tw_text_put(t, (char)(0x80 | (c >> 12 & 0x3f)));
        tw_text_put(t, (char)(0x80 | (c >> 6 & 0x3f)));
        tw_text_put(t, (char)(0x80 | (c & 0x3f)));
    }
}

static bool read_hex4(struct reader *r, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const char c = peek(r);
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *found = c == '\0' ? NULL : strchr(digits, c);
        if (found == NULL)
            return fail(r, "expected four hexadecimal digits after \\u");
        *value = *value << 4 | (uint32_t)((found - digits) & 15);
    }
    return true;
}

/* \uXXXX, two of them for a character beyond 0xffff. Strings end in a NUL here, so none holds one. */
static bool read_character(struct reader *r, struct text *t)
{
    uint32_t c, low;
    if (!read_hex4(r, &c))
        return false;
    if (c == 0)
        return fail(r, "a string holds the character \\u0000");
    if (c >= 0xdc00 && c < 0xe000)
        return fail(r, "the second half of a character stands alone");
    if (c >= 0xd800 && c < 0xdc00) {
        if (!accept(r, "\\u"))
            return fail(r, "expected the second half of the character, \\udc00 to \\udfff");
        if (!read_hex4(r, &low))
            return false;
        if (low < 0xdc00 || low >= 0xe000)
            return fail(r, "expected the second half of the character, \\udc00 to \\udfff");
        c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
    }
    put_utf8(t, c);
    return true;
}

static bool read_escape(struct reader *r, struct text *t)
{
    const char *from = "\"\\/bfnrt", *to = "\"\\/\b\f\n\r\t";
    const char c = peek(r);
    r->at++;
    if (c == 'u')
        return read_character(r, t);
    const char *found = c == '\0' ? NULL : strchr(from, c);
    if (found == NULL)
        return fail(r, "unknown escape in a string");
    tw_text_put(t, to[found - from]);
    return true;
}

static bool read_string(struct reader *r, struct str *out)
{
    if (!accept(r, "\""))
        return fail(r, "expected a string");
    struct text t;
    tw_text_init(&t, r->arena);
    while (peek(r) != '"') {
        if (r->at >= r->text.len || (unsigned char)peek(r) < 0x20)
            return fail(r, "unterminated string");
        const char c = r->text.at[r->at++];
        if (c != '\\')
            tw_text_put(&t, c);
        else if (!read_escape(r, &t))
            return false;
    }
    r->at++;
    *out = (struct str){t.at, t.len};
    return true;
}

static bool skip_digits(struct reader *r)
{
    const size_t from = r->at;
    while (peek(r) >= '0' && peek(r) <= '9')
        r->at++;
    return r->at > from;
}

static bool read_number(struct reader *r, struct json *v)
{
    const size_t from = r->at;
    accept(r, "-");
    if (!skip_digits(r))
        return fail(r, "expected a value");
    if (accept(r, ".") && !skip_digits(r))
        return fail(r, "expected digits after '.'");
    if (accept(r, "e") || accept(r, "E")) {
        if (!accept(r, "+"))
            accept(r, "-");
        if (!skip_digits(r))
            return fail(r, "expected digits of an exponent");
    }
    v->kind = JSON_NUMBER;
    v->text = (struct str){tw_arena_copy(r->arena, r->text.at + from, r->at - from), r->at - from};
    return true;
}

static bool read_value(struct reader *r, struct json *v);

/* members = [ item { "," item } ], each item of an object led by `"key" :` */
static bool read_members(struct reader *r, struct json *v, bool is_object)
{
    VEC(struct json) items = {0};
    VEC(struct str) keys = {0};
    skip_space(r);
    const char *close = is_object ? "}" : "]";
    bool more = !accept(r, close);
    while (more) {
        skip_space(r);
        if (is_object) {
            if (!read_string(r, vec_push(r->arena, &keys)))
                return false;
            skip_space(r);
            if (!accept(r, ":"))
                return fail(r, "expected ':' after the key");
        }
        struct json item = {0};
        if (!read_value(r, &item))
            return false;
        *vec_push(r->arena, &items) = item;
        skip_space(r);
        more = accept(r, ",");
        if (!more && !accept(r, close))
            return fail(r, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    v->kind = is_object ? JSON_OBJECT : JSON_ARRAY;
    v->items = items.at;
    v->keys = keys.at;
    v->count = items.len;
    return true;
}

static bool read_any(struct reader *r, struct json *v)
{
    if (accept(r, "{"))
        return read_members(r, v, true);
    if (accept(r, "["))
        return read_members(r, v, false);
    if (peek(r) == '"') {
        v->kind = JSON_STRING;
        return read_string(r, &v->text);
    }
    if (accept(r, "null"))
        return true;
    if (accept(r, "true") || accept(r, "false")) {
        v->kind = JSON_BOOL;
        v->boolean = r->text.at[r->at - 2] == 'u';
        return true;
    }
    return read_number(r, v);
}

static bool read_value(struct reader *r, struct json *v)
{
    if (r->depth >= TW_MAX_NESTING)
        return fail(r, "nested too deeply");
    r->depth++;
    skip_space(r);
    v->begin = (uint32_t)r->at;
    const bool ok = read_any(r, v);
    v->end = (uint32_t)r->at;
    r->depth--;
    return ok;
}

const struct json *tw_json_read(struct arena *arena, struct str text, struct json_error *error)
{
    struct reader r = {.arena = arena, .text = text, .error = error};
    *error = (struct json_error){NULL, 0};
    struct json *v = arena_new(arena, struct json, 1);
    if (!read_value(&r, v))
        return NULL;
    skip_space(&r);
    if (r.at != text.len) {
        fail(&r, "text after the value");
        return NULL;
    }
    return v;
}

const char *tw_json_kind_name(enum json_kind kind)
{
    static const char *const names[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    return names[kind];
}

const struct json *tw_json_get(const struct json *object, const char *key)
{
    for (uint32_t i = 0; object != NULL && object->kind == JSON_OBJECT && i < object->count; i++)
        if (tw_str_is(object->keys[i], key))
            return &object->items[i];
    return NULL;
}

bool tw_json_int(const struct json *v, int64_t *value)
{
    if (v == NULL || v->kind != JSON_NUMBER)
        return false;
    const bool negative = v->text.at[0] == '-';
    uint64_t n = 0;
    for (size_t i = negative; i < v->text.len; i++) {
        const char c = v->text.at[i];
        if (c < '0' || c > '9' || n > (uint64_t)INT64_MAX / 10)
            return false;
        n = n * 10 + (uint64_t)(c - '0');
    }
    if (n > (uint64_t)INT64_MAX)
        return false;
    *value = negative ? -(int64_t)n : (int64_t)n;
    return true;
}
