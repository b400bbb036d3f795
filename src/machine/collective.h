/* CTA barriers and cluster barriers: their state machines, shared by the execution functions and by the ends of threads. */
#ifndef TW_MACHINE_COLLECTIVE_H
#define TW_MACHINE_COLLECTIVE_H

#include "machine/internal.h"

/* wait.detail of WAIT_BAR: lanes of the warp still gather, or the warp has arrived and waits for others. */
enum { BAR_GATHERING, BAR_ARRIVED };
/* named_barrier.kind */
enum bar_kind { BAR_KIND_SYNC = 1, BAR_KIND_RED };

/* A warp of the CTA has ended: barriers over all threads may be complete now. */
void tw_bar_warp_ended(struct cta *cta);
/* Threads have ended: the cluster's barrier may be complete now. */
void tw_cluster_barrier_exited(struct cluster *c);

#endif
