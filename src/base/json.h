/* A JSON reader. Values live in an arena; every value knows its byte range, so that a caller
 * can say where a wrong one stands. Numbers keep their text: integers are read exactly, and
 * decimals are left to the number room, which rounds them correctly. */
#ifndef TW_BASE_JSON_H
#define TW_BASE_JSON_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    bool boolean;
    struct str text; /* JSON_STRING: unescaped; JSON_NUMBER: as written; NUL-terminated */
    struct json *items; /* JSON_ARRAY and JSON_OBJECT */
    struct str *keys;   /* JSON_OBJECT: one a value, in order */
    uint32_t count;
    uint32_t begin, end; /* bytes of the source text */
};

struct json_error {
    const char *what; /* "expected ',' or '}'"; NULL: none */
    uint32_t at;      /* byte offset */
};

/* The value of the whole text, or NULL with *error set. Nesting is bounded by TW_MAX_NESTING. */
const struct json *tw_json_read(struct arena *arena, struct str text, struct json_error *error);

const char *tw_json_kind_name(enum json_kind kind);
/* The member called `key` of an object, or NULL. */
const struct json *tw_json_get(const struct json *object, const char *key);
/* True with *value set if the value is an integer that fits. */
bool tw_json_int(const struct json *v, int64_t *value);

#endif
