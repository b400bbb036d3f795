/* The event stream of a running kernel: what a hazard checker, a tracer or a profiler sees.
 *
 * An observer gets every event in the order in which the machine performs it. One branch is
 * all it costs when there is none. Fields that a kind does not name below are zero.
 *
 *   kind                 agent                        what the fields say
 *   EVENT_ACCESS         lanes of a warp, or an op    space, address, bytes per lane (one event a lane: `lane`), write,
 *                                                     read (both: an atomic), strong, scope, proxy
 *   EVENT_BAR_ARRIVE     lanes of a warp              id = barrier number, `count` = expected threads
 *   EVENT_BAR_WAIT       lanes of a warp              id; the wait has ended (the instance is complete)
 *   EVENT_CLUSTER_ARRIVE / _WAIT                      as above for barrier.cluster; strong = release/acquire
 *   EVENT_MBAR_INIT      one lane                     address (shared, with rank), count
 *   EVENT_MBAR_INVAL     one lane                     address
 *   EVENT_MBAR_ARRIVE    one lane or an op            address, count = arrivals, tx = expected bytes, strong = release; of an op with
 *                                                     lanes: on behalf of that thread (cp.async.mbarrier.arrive)
 *   EVENT_MBAR_TX        one lane or an op            address, tx = bytes added (expect) or taken (complete, negative)
 *   EVENT_MBAR_WAIT      one lane                     address, id = parity waited for; the wait was true; strong = acquire
 *   EVENT_MBAR_PHASE     none                         address, id = number of the phase that has completed
 *   EVENT_FENCE          lanes of a warp              fence, scope, space
 *   EVENT_WARP_SYNC      lanes of a warp              bar.warp.sync has completed among them
 *   EVENT_ASYNC_ISSUE    lanes of a warp              op = number of the operation that starts
 *   EVENT_ASYNC_COMPLETE the op                       op = number of the operation whose effects are all performed
 *   EVENT_ASYNC_WAIT     lanes of a warp              op = a completed operation that the lanes have waited for
 *   EVENT_TMEM_ALLOC / _DEALLOC  lanes of a warp      address (TMEM), count = columns
 *   EVENT_EXIT           lanes of a warp              the lanes have ended
 *   EVENT_CTA_START              none                 the CTA's shared memory begins: bytes; count = threads, id = CTAs of the cluster
 *   EVENT_CTA_END                none                 it ends */
#ifndef TW_MACHINE_EVENTS_H
#define TW_MACHINE_EVENTS_H

#include "machine/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
    EVENT_ACCESS,
    EVENT_BAR_ARRIVE, EVENT_BAR_WAIT,
    EVENT_CLUSTER_ARRIVE, EVENT_CLUSTER_WAIT,
    EVENT_MBAR_INIT, EVENT_MBAR_INVAL, EVENT_MBAR_ARRIVE, EVENT_MBAR_TX, EVENT_MBAR_WAIT, EVENT_MBAR_PHASE,
    EVENT_FENCE, EVENT_WARP_SYNC,
    EVENT_ASYNC_ISSUE, EVENT_ASYNC_COMPLETE, EVENT_ASYNC_WAIT,
    EVENT_TMEM_ALLOC, EVENT_TMEM_DEALLOC,
    EVENT_EXIT, EVENT_CTA_START, EVENT_CTA_END
};

struct origin;

enum proxy { PROXY_GENERIC, PROXY_ASYNC, PROXY_TENSORMAP, PROXY_TMEM };
enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };
enum fence_kind {
    FENCE_NONE, FENCE_SC, FENCE_ACQ_REL, FENCE_ACQUIRE, FENCE_RELEASE, FENCE_PROXY_ASYNC, FENCE_PROXY_ALIAS,
    FENCE_PROXY_TENSORMAP, FENCE_MBARRIER_INIT, FENCE_TC_BEFORE, FENCE_TC_AFTER, FENCE_WGMMA
};

struct machine_event {
    enum event_kind kind;
    uint64_t cluster;   /* linear cluster number of the grid */
    uint32_t cta_rank;  /* within the cluster */
    uint32_t warp;      /* within the CTA */
    uint32_t lanes;     /* mask; 0: not a thread's event */
    uint32_t lane;      /* EVENT_ACCESS: the one lane */
    uint64_t op;        /* asynchronous operation, numbered from 1 within the cluster; 0: a thread acts */
    uint32_t pc;        /* index into the code; of the issuing instruction for an op */
    const struct origin *origin; /* the instruction's places in PTX and source (machine/decode.h): of a thread's event, and of what
                                    cp.async writes; NULL: not known */
    void **of_cluster;  /* a pointer that belongs to the observer as long as the cluster lives; NULL at first */
    enum space space;
    uint64_t address;   /* in its space; shared addresses carry the rank; TMEM: lane << 16 | column */
    uint32_t bytes;
    uint32_t stride;    /* EVENT_ACCESS of `shared_writes`, when several lanes are set: bytes from a lane's address to the next one's */
    bool read, write, strong, release, acquire;
    enum proxy proxy;
    enum scope scope;
    enum fence_kind fence;
    uint32_t id, count;
    int64_t tx;
};

struct machine_observer {
    void (*event)(void *context, const struct machine_event *event);
    void *context;
    bool concurrent;    /* events of different clusters may come at once, from several host threads */
    bool shared_writes; /* of the accesses of loads and stores, only writes that may go to shared memory are wanted; one event
                           may then stand for several lanes: `lane` is the first, `address` its own */
};

#endif
