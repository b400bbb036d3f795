/* What is known to be ordered in a cluster: a clock for each warp, by the number of the event.
 *
 * known(w, v) is the latest event up to which everything that warp v did precedes what warp w does next. Barriers carry it
 * from those that arrive to those that wait. Lanes share their warp's clock: one lane's wait counts for all. */
#ifndef TW_CHECK_ORDER_H
#define TW_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Memory of one cluster's state, freed at once. */
struct claims {
    struct claim *first;
    bool exhausted; /* an allocation has failed */
};
/* Zeroed; NULL if memory is exhausted. */
void *tw_claim(struct claims *c, uint64_t count, uint64_t elem_bytes);
void tw_claims_release(struct claims *c);

enum sync_kind { SYNC_BARRIER, SYNC_CLUSTER, SYNC_MBARRIER };

struct sync_object;

enum { ORDER_BUCKETS = 256 };

struct order {
    struct claims *claims;
    uint32_t warps;
    uint64_t *known; /* warps x warps */
    struct sync_object *objects[ORDER_BUCKETS];
};

/* False if memory is exhausted. */
bool tw_order_init(struct order *o, struct claims *claims, uint32_t warps);
/* Forgets everything; objects stay. */
void tw_order_clear(struct order *o);

static inline uint64_t *tw_order_known(const struct order *o, uint32_t warp)
{
    return o->known + (uint64_t)warp * o->warps;
}

/* Warp w arrives at the object at event `now`; warp w has waited for it. False if memory is exhausted. */
bool tw_order_release(struct order *o, uint32_t w, enum sync_kind kind, uint64_t key, uint64_t now);
bool tw_order_acquire(struct order *o, uint32_t w, enum sync_kind kind, uint64_t key, uint64_t now);

#endif
