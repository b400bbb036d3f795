#include "base/str.h"

#include <string.h>

struct str tw_str(const char *s)
{
    return (struct str){s, strlen(s)};
}

bool tw_str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

bool tw_str_is(struct str a, const char *s)
{
    return tw_str_eq(a, tw_str(s));
}

bool tw_str_starts(struct str s, const char *prefix)
{
    const size_t len = strlen(prefix);
    return s.len >= len && memcmp(s.at, prefix, len) == 0;
}

static uint32_t min3(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

enum { LONGEST = 127 };

/* Levenshtein distance with one row. */
static uint32_t distance(struct str a, struct str b)
{
    uint32_t row[LONGEST + 1];
    const uint32_t na = (uint32_t)a.len, nb = (uint32_t)b.len;
    for (uint32_t j = 0; j <= nb; j++)
        row[j] = j;
    for (uint32_t i = 1; i <= na; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= nb; j++) {
            const uint32_t above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a.at[i - 1] != b.at[j - 1]));
            diagonal = above;
        }
    }
    return row[nb];
}

/* Spellings that are longer than the row are compared by their first part. What both begin and end with costs no edit:
 * an unknown modifier is compared with four hundred others, of which most share something. */
uint32_t tw_str_distance(struct str a, struct str b)
{
    a.len = a.len > LONGEST ? LONGEST : a.len;
    b.len = b.len > LONGEST ? LONGEST : b.len;
    while (a.len > 0 && b.len > 0 && a.at[0] == b.at[0]) {
        a = (struct str){a.at + 1, a.len - 1};
        b = (struct str){b.at + 1, b.len - 1};
    }
    while (a.len > 0 && b.len > 0 && a.at[a.len - 1] == b.at[b.len - 1]) {
        a.len--;
        b.len--;
    }
    return a.len == 0 || b.len == 0 ? (uint32_t)(a.len + b.len) : distance(a, b);
}

/* FNV-1a: short keys, no adversary (a table of a hostile module is bounded by its size). */
static uint32_t hash_of(struct str s)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.at[i]) * 16777619u;
    return h;
}

void tw_strmap_init(struct strmap *m, struct arena *arena)
{
    *m = (struct strmap){.arena = arena};
}

static struct strmap_entry *find(const struct strmap *m, struct str key, uint32_t hash)
{
    if (m->slot_count == 0)
        return NULL;
    for (uint32_t i = hash & (m->slot_count - 1);; i = (i + 1) & (m->slot_count - 1)) {
        if (m->slots[i] == 0)
            return NULL;
        struct strmap_entry *e = &m->entries.at[m->slots[i] - 1];
        if (e->hash == hash && e->key_len == key.len && memcmp(e->key, key.at, key.len) == 0)
            return e;
    }
}

static void place(struct strmap *m, uint32_t index)
{
    uint32_t i = m->entries.at[index].hash & (m->slot_count - 1);
    while (m->slots[i] != 0)
        i = (i + 1) & (m->slot_count - 1);
    m->slots[i] = index + 1;
}

static void grow(struct strmap *m)
{
    m->slot_count = m->slot_count == 0 ? 16 : m->slot_count * 2;
    m->slots = arena_new(m->arena, uint32_t, m->slot_count);
    for (uint32_t i = 0; i < m->entries.len; i++)
        place(m, i);
}

uint32_t *tw_strmap_get(const struct strmap *m, struct str key)
{
    struct strmap_entry *e = find(m, key, hash_of(key));
    return e == NULL ? NULL : &e->value;
}

static struct strmap_entry *insert(struct strmap *m, struct str key, uint32_t value)
{
    const uint32_t hash = hash_of(key);
    struct strmap_entry *e = find(m, key, hash);
    if (e != NULL) {
        e->value = value;
        return e;
    }
    if ((m->entries.len + 1) * 4 > m->slot_count * 3)
        grow(m);
    const char *copy = tw_arena_copy(m->arena, key.at, key.len);
    e = vec_push(m->arena, &m->entries);
    *e = (struct strmap_entry){copy, (uint32_t)key.len, hash, value};
    place(m, m->entries.len - 1);
    return e;
}

void tw_strmap_put(struct strmap *m, struct str key, uint32_t value)
{
    insert(m, key, value);
}

void tw_interner_init(struct interner *in, struct arena *arena)
{
    tw_strmap_init(&in->map, arena);
}

const char *tw_intern(struct interner *in, struct str name)
{
    const struct strmap_entry *e = find(&in->map, name, hash_of(name));
    return e != NULL ? e->key : insert(&in->map, name, 0)->key;
}
