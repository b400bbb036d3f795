#include "check/order.h"

#include <stdlib.h>
#include <string.h>

struct claim {
    struct claim *next;
    _Alignas(16) unsigned char bytes[];
};

void *tw_claim(struct claims *c, uint64_t count, uint64_t elem_bytes)
{
    const bool fits = elem_bytes == 0 || count <= (SIZE_MAX - sizeof(struct claim)) / elem_bytes;
    struct claim *const made = c->exhausted || !fits ? NULL : calloc(1, sizeof *made + (size_t)(count * elem_bytes));
    if (made == NULL) {
        c->exhausted = true;
        return NULL;
    }
    made->next = c->first;
    c->first = made;
    return made->bytes;
}

void tw_claims_release(struct claims *c)
{
    while (c->first != NULL) {
        struct claim *const next = c->first->next;
        free(c->first);
        c->first = next;
    }
}

/* A barrier, and what its arrivals knew. Instances are not told apart: a wait may learn of the next one's arrivals. */
struct sync_object {
    struct sync_object *next;
    enum sync_kind kind;
    uint64_t key;
    uint64_t clock[]; /* one a warp */
};

static void join(uint64_t *to, const uint64_t *from, uint32_t warps)
{
    for (uint32_t i = 0; i < warps; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

bool tw_order_init(struct order *o, struct claims *claims, uint32_t warps)
{
    *o = (struct order){.claims = claims, .warps = warps, .known = tw_claim(claims, (uint64_t)warps * warps, sizeof *o->known)};
    return o->known != NULL;
}

void tw_order_clear(struct order *o)
{
    memset(o->known, 0, (size_t)o->warps * o->warps * sizeof *o->known);
    for (uint32_t i = 0; i < ORDER_BUCKETS; i++)
        for (struct sync_object *s = o->objects[i]; s != NULL; s = s->next)
            memset(s->clock, 0, o->warps * sizeof *s->clock);
}

static struct sync_object *object_of(struct order *o, enum sync_kind kind, uint64_t key)
{
    const uint64_t hash = (key ^ (uint64_t)kind << 56) * UINT64_C(0x9e3779b97f4a7c15);
    struct sync_object **const bucket = &o->objects[hash >> 56];
    for (struct sync_object *s = *bucket; s != NULL; s = s->next)
        if (s->key == key && s->kind == kind)
            return s;
    struct sync_object *const s = tw_claim(o->claims, 1, sizeof *s + o->warps * sizeof *s->clock);
    if (s == NULL)
        return NULL;
    s->kind = kind;
    s->key = key;
    s->next = *bucket;
    *bucket = s;
    return s;
}

bool tw_order_release(struct order *o, uint32_t w, enum sync_kind kind, uint64_t key, uint64_t now)
{
    struct sync_object *const s = object_of(o, kind, key);
    if (s == NULL)
        return false;
    join(s->clock, tw_order_known(o, w), o->warps);
    s->clock[w] = now;
    return true;
}

bool tw_order_acquire(struct order *o, uint32_t w, enum sync_kind kind, uint64_t key, uint64_t now)
{
    struct sync_object *const s = object_of(o, kind, key);
    if (s == NULL)
        return false;
    uint64_t *const known = tw_order_known(o, w);
    join(known, s->clock, o->warps);
    if (kind != SYNC_MBARRIER) /* which each lane waits for by itself */
        known[w] = now;
    return true;
}
