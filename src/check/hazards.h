/* Hazards of a run, from its events: shared memory that ordinary stores wrote and an engine reads, and tensor memory that
 * is loaded without the fence behind the wait (note E0923; tensor_shadow.c).
 *
 * Loads, stores, atomics and cp.async go through the generic proxy; tensor core instructions with descriptors, tcgen05.cp and
 * bulk or tensor copies read shared memory through the async proxy. Between a write and such a read must stand, in this
 * order: fence.proxy.async by the writing thread, and a synchronisation of that thread with the issuing one.
 * SOURCE: PTX ISA, memory consistency model, "Proxies"; ptx-async.md 7.4 rows 4 and 5, 7.6; tcgen05.md 9.7 rule 7.
 *
 *   error E0920   the write is followed by no proxy fence of its thread, nor by one of a thread that had synchronised with
 *                 it, when the reading operation is issued
 *   note E0922    the same of what cp.async has written: kernels of compilers in wide use do without the fence
 *   note E0921    there is such a fence, but behind the synchronisation, or by another thread alone
 *
 * Reads and writes of an operation are seen when it lands, as late as its completion rule allows. So these are certain:
 *
 *   error E0924   tcgen05.ld has read, since the issue, what the operation writes
 *   error E0925   a generic write, since the issue, went where the operation reads
 *
 * Nothing is said where synchronisation is not known: a write that no barrier orders before the operation may be ordered by
 * flags in memory, which is not followed. What barriers order is taken for whole warps and never forgotten, so that the
 * order is at most too strong: what is reported was not ordered.
 *
 *     h = tw_hazards_new();
 *     spec.observer = tw_hazards_observer(h);
 *     ... run ...
 *     tw_hazards_report(h, launch, diags);
 *     tw_hazards_free(h); */
#ifndef TW_CHECK_HAZARDS_H
#define TW_CHECK_HAZARDS_H

#include "machine/launch.h"

struct hazards;

/* Whether the module holds an instruction that reads shared memory through the async proxy: without one there is nothing
 * to find, and no observer is needed. */
bool tw_hazards_possible(const struct ptx_module *module);

/* NULL if memory is exhausted. */
struct hazards *tw_hazards_new(void);
void tw_hazards_free(struct hazards *h);
/* Events of different clusters may come at once, whatever the number of host threads. */
struct machine_observer tw_hazards_observer(struct hazards *h);

/* Reports what has been found, each writing instruction once, with its first reader: in the order of the clusters, whatever the number of host
 * threads. False if memory ran out on the way, so that the answer is not whole. */
bool tw_hazards_report(struct hazards *h, const struct launch *l, struct diags *diags);

#endif
