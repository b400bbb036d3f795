/* Scopes: names and what they stand for, with the log that lets a kernel see the names of its definition. */
#include "lang/eval.h"

struct scope *tw_scope_new(struct arena *arena, struct scope *parent)
{
    struct scope *s = arena_new(arena, struct scope, 1);
    s->parent = parent;
    s->visible = UINT32_MAX;
    if (parent != NULL)
        s->is_script = parent->is_script;
    return s;
}

struct binding *tw_scope_find_here(struct scope *s, const char *name)
{
    uint32_t i = s->log.len < s->visible ? s->log.len : s->visible;
    while (i-- > 0)
        if (s->log.at[i].name == name)
            return &s->log.at[i];
    return NULL;
}

struct binding *tw_scope_find(struct scope *s, const char *name, struct scope **where)
{
    for (; s != NULL; s = s->parent) {
        struct binding *b = tw_scope_find_here(s, name);
        if (b == NULL)
            continue;
        if (where != NULL)
            *where = s;
        return b;
    }
    return NULL;
}

void tw_scope_bind_in(struct arena *arena, struct scope *s, const char *name, struct value v, struct src_span at)
{
    struct binding *b = tw_scope_find_here(s, name);
    if (b != NULL && b->fixed)
        return;
    if (b == NULL || (uint32_t)(b - s->log.at) < s->kept)
        b = vec_push(arena, &s->log);
    *b = (struct binding){.name = name, .value = v, .at = at};
}

void tw_scope_bind(struct eval *ev, const char *name, struct value v, struct src_span at)
{
    tw_scope_bind_in(ev->arena, ev->scope, name, v, at);
}

const char *tw_scope_nearest(const struct eval *ev, const char *name)
{
    const char *best = NULL;
    uint32_t least = 3; /* edits; beyond two, a name is another word */
    for (const struct scope *s = ev->scope; s != NULL; s = s->parent) {
        for (uint32_t i = 0; i < s->log.len && i < s->visible; i++) {
            const uint32_t edits = tw_str_distance(tw_str(name), tw_str(s->log.at[i].name));
            if (edits < least && edits < tw_str(name).len) {
                least = edits;
                best = s->log.at[i].name;
            }
        }
    }
    return best;
}
