/* Polling: a split that goes round a loop in which nothing changes waits, like any other, until something does. */
#ifndef TW_MACHINE_POLL_H
#define TW_MACHINE_POLL_H

#include "machine/internal.h"

/* Called when all warps have had their turn: begins or ends to watch the cluster's loops. */
void tw_poll_watch(struct cluster *c);
/* The executing split has jumped back from `from` while the cluster is watched; true when it has been parked. */
bool tw_poll_look(struct warp *w, uint32_t from);
/* The executing split has asked for the time or has printed: the loop that it goes round does something, whatever its
 * registers hold. */
static inline void tw_poll_is_none(struct warp *w)
{
    w->now->watched.session = 0;
    w->cluster->asked++;
}
/* All that decides what the cluster does next, memory apart, as one word. */
uint64_t tw_poll_state(const struct cluster *c);
/* Lets pollers look again: what they read may have changed. */
void tw_poll_wake(struct cluster *c);
/* The same when something within the cluster has changed since they were parked. */
void tw_poll_wake_changed(struct cluster *c);
/* Whether some split of the cluster polls. */
bool tw_polls(const struct cluster *c);

#endif
