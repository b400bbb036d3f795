#include "ptx/names.h"

#include "base/text.h"

#include <string.h>

void tw_names_init(struct names *n, struct arena *arena)
{
    *n = (struct names){.arena = arena};
    tw_strmap_init(&n->ids, arena);
    *vec_push(arena, &n->parents) = 0;
}

void tw_names_open(struct names *n)
{
    uint32_t around = tw_names_scope(n);
    *vec_push(n->arena, &n->scope_ids) = n->parents.len;
    *vec_push(n->arena, &n->parents) = around;
    *vec_push(n->arena, &n->marks) = n->stack.len;
}

void tw_names_close(struct names *n)
{
    uint32_t keep = n->marks.at[--n->marks.len];
    n->scope_ids.len--;
    while (n->stack.len > keep) {
        const struct binding *b = &n->stack.at[--n->stack.len];
        n->heads.at[b->name] = b->outer;
    }
}

uint32_t tw_names_scope(const struct names *n)
{
    return n->scope_ids.len == 0 ? 0 : n->scope_ids.at[n->scope_ids.len - 1];
}

uint32_t tw_names_id(struct names *n, struct str name)
{
    const uint32_t *id = tw_strmap_get(&n->ids, name);
    if (id != NULL)
        return *id;
    uint32_t fresh = n->heads.len;
    tw_strmap_put(&n->ids, name, fresh);
    *vec_push(n->arena, &n->heads) = 0;
    return fresh;
}

bool tw_names_declare(struct names *n, struct str name, struct binding what, const struct binding **old)
{
    what.name = tw_names_id(n, name);
    what.depth = n->marks.len;
    what.outer = n->heads.at[what.name];
    if (what.outer != 0 && n->stack.at[what.outer - 1].depth == what.depth) {
        *old = &n->stack.at[what.outer - 1];
        return false;
    }
    *vec_push(n->arena, &n->stack) = what;
    n->heads.at[what.name] = n->stack.len;
    return true;
}

enum { LONGEST_PREFIX = 120 };

/* Ranges live in the same table under "prefix<", which no name contains. */
static struct str range_key(struct str prefix, char *buffer)
{
    size_t len = prefix.len < LONGEST_PREFIX ? prefix.len : LONGEST_PREFIX;
    memcpy(buffer, prefix.at, len);
    buffer[len] = '<';
    return (struct str){buffer, len + 1};
}

bool tw_names_declare_range(struct names *n, struct str prefix, struct binding what, const struct binding **old)
{
    char buffer[LONGEST_PREFIX + 1];
    return tw_names_declare(n, range_key(prefix, buffer), what, old);
}

static const struct binding *head(const struct names *n, struct str name)
{
    const uint32_t *id = tw_strmap_get(&n->ids, name);
    return id != NULL && n->heads.at[*id] != 0 ? &n->stack.at[n->heads.at[*id] - 1] : NULL;
}

/* Splits "%r17" into its prefix and number; a number with a leading zero names no member. */
static bool split_number(struct str name, struct str *prefix, uint32_t *number)
{
    size_t at = name.len;
    while (at > 0 && name.at[at - 1] >= '0' && name.at[at - 1] <= '9')
        at--;
    size_t digits = name.len - at;
    if (digits == 0 || digits > 9 || (digits > 1 && name.at[at] == '0'))
        return false;
    *prefix = (struct str){name.at, at};
    *number = 0;
    for (size_t i = at; i < name.len; i++)
        *number = *number * 10 + (uint32_t)(name.at[i] - '0');
    return true;
}

static const struct binding *range_with(const struct names *n, struct str name, uint32_t *number)
{
    struct str prefix;
    char buffer[LONGEST_PREFIX + 1];
    if (!split_number(name, &prefix, number))
        return NULL;
    const struct binding *b = head(n, range_key(prefix, buffer));
    while (b != NULL && *number >= b->count)
        b = b->outer != 0 ? &n->stack.at[b->outer - 1] : NULL;
    return b;
}

struct binding tw_names_find(const struct names *n, struct str name)
{
    uint32_t number = 0;
    const struct binding *whole = head(n, name), *range = range_with(n, name, &number);
    if (range != NULL && (whole == NULL || range->depth > whole->depth)) {
        const bool vector = range->width > 1;
        return (struct binding){.kind = vector ? NAME_VECTOR : NAME_REG, .index = range->index + number * (vector ? range->width : 1),
                                .count = 1, .width = range->width, .depth = range->depth};
    }
    return whole != NULL ? *whole : (struct binding){.kind = NAME_NONE};
}

const char *tw_names_nearest(const struct names *n, struct str name, struct arena *arena)
{
    struct str prefix;
    uint32_t number, best = name.len < 5 ? 2 : 3;
    const char *nearest = NULL;
    char buffer[LONGEST_PREFIX + 1];
    if (split_number(name, &prefix, &number)) {
        const struct binding *b = head(n, range_key(prefix, buffer));
        if (b != NULL && b->count > 0)
            return tw_format(arena, "%.*s%u", (int)prefix.len, prefix.at, b->count - 1);
    }
    for (uint32_t i = 0; i < n->ids.entries.len; i++) {
        const struct strmap_entry *e = &n->ids.entries.at[i];
        if (n->heads.at[e->value] == 0 || e->key[e->key_len - 1] == '<')
            continue;
        uint32_t d = tw_str_distance(name, (struct str){e->key, e->key_len});
        if (d < best) {
            best = d;
            nearest = e->key;
        }
    }
    return nearest;
}
