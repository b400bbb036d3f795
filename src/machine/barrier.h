/* Arrivals at CTA barriers and at the cluster barrier. */
#ifndef TW_MACHINE_BARRIER_H
#define TW_MACHINE_BARRIER_H

#include "machine/internal.h"

enum bar_op { BAR_OP_NONE, BAR_OP_POPC, BAR_OP_AND, BAR_OP_OR };

/* One warp's arrival at barrier `id`. */
struct bar_arrival {
    uint32_t threads;   /* expected by the instance */
    bool all_threads;   /* no count was given: all threads of the CTA, ended ones included */
    bool reduces;
    enum bar_op op;
    uint32_t lanes, predicate;
};

void tw_bar_arrive(struct warp *w, uint32_t id, const struct bar_arrival *a);
/* Completes the instance if all have arrived, and lets its waiters go on (resumed, with the reduction's result). */
void tw_bar_settle(struct cta *cta, uint32_t id);

/* Completes the phase of barrier.cluster if all live threads have arrived. */
void tw_cluster_barrier_settle(struct cluster *c);

#endif
