/* String slices, interned names, and an insertion-ordered map from names to numbers. */
#ifndef TW_BASE_STR_H
#define TW_BASE_STR_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>

struct str {
    const char *at; /* not necessarily NUL-terminated */
    size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).at

struct str tw_str(const char *nul_terminated);
bool tw_str_eq(struct str a, struct str b);
bool tw_str_is(struct str a, const char *nul_terminated);
bool tw_str_starts(struct str s, const char *prefix);

/* Smallest number of single-character edits between two spellings; for "did you mean". */
uint32_t tw_str_distance(struct str a, struct str b);

/* A map from names to 32-bit values that iterates in insertion order. */
struct strmap_entry {
    const char *key; /* interned in the map's arena, NUL-terminated */
    uint32_t key_len;
    uint32_t hash;
    uint32_t value;
};

struct strmap {
    struct arena *arena;
    VEC(struct strmap_entry) entries;
    uint32_t *slots; /* entry index + 1, 0 = free */
    uint32_t slot_count;
};

void tw_strmap_init(struct strmap *m, struct arena *arena);
/* The value slot of `key`, or NULL. Valid until the next tw_strmap_put. */
uint32_t *tw_strmap_get(const struct strmap *m, struct str key);
/* Inserts or overwrites. */
void tw_strmap_put(struct strmap *m, struct str key, uint32_t value);

/* Interned names: equal names are equal pointers. */
struct interner {
    struct strmap map;
};

void tw_interner_init(struct interner *in, struct arena *arena);
const char *tw_intern(struct interner *in, struct str name);

#endif
