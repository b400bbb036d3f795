/* What a hazard detector remembers of one cluster: who wrote each word of shared memory last, who has executed proxy
 * fences, which operations are in flight, and what barriers have ordered.
 *
 * Time is the number of the event; it goes on when the memory serves the next cluster, so that nothing needs clearing:
 * what was written before `base` is of another cluster. */
#ifndef TW_CHECK_SHADOW_H
#define TW_CHECK_SHADOW_H

#include "check/order.h"
#include "machine/events.h"

struct site {
    const struct origin *origin; /* the instruction */
    uint32_t thread;             /* number in the cluster: CTA x threads of a CTA + thread */
};

/* One 32-bit word of shared memory. */
struct cell {
    uint64_t time; /* of the last generic write; 0: none, or an engine has written since */
    const struct origin *origin;
    uint32_t thread;
    bool copied;   /* by cp.async, whose thread cannot fence before it has waited */
};

/* The last proxy fences of a thread. */
enum { FENCES = 4 };
struct fences {
    uint64_t at[FENCES];
    uint32_t next;
};

/* A read that is in flight. */
struct reading {
    struct reading *next;
    uint64_t op;
    uint64_t time;    /* of its issue */
    struct site site;
    uint64_t *known;  /* what its warp knew then, one a warp */
    uint64_t *fenced; /* what anybody's fence had covered then, one a warp */
};

enum verdict {
    VERDICT_FINE,     /* ordered, or nothing is known */
    VERDICT_UNFENCED, /* E0920 */
    VERDICT_COPIED,   /* E0922: the same of cp.async */
    VERDICT_IN_USE,    /* E0925: written while an operation that was issued before still reads it */
    VERDICT_EARLY,     /* E0924: loaded from tensor memory before an operation that was issued before has written it */
    VERDICT_UNORDERED, /* E0923: a load from tensor memory without tcgen05.fence::after_thread_sync */
    VERDICT_BEHIND    /* E0921: behind the synchronisation stands the thread's fence, or another one's */
};

enum { READING_BUCKETS = 64, SEEN_FAULTS = 16 };

/* Sixteen lanes of a column of tensor memory, which products and copies write together. */
struct tensor_cell {
    uint64_t time; /* when an operation wrote them last; 0: a thread has since */
    struct site site;
    uint64_t loaded; /* when tcgen05.ld read the first of the lanes last */
    struct site loader;
};

struct shadow {
    struct claims claims;
    struct shadow *next;
    uint64_t now, base;
    uint64_t cluster;
    uint32_t ctas, ctas_left, cta_threads, cta_warps, cta_words;
    struct order order;
    struct cell *cells;      /* cta_words a CTA */
    struct fences *fences;   /* one a thread */
    uint64_t *fenced;        /* one a warp: its writes up to then precede a proxy fence of somebody who knew of them */
    struct reading *readings[READING_BUCKETS], *spare;
    struct reading *last;    /* found last; NULL: none */
    struct tensor_cell *tensor; /* of each CTA; see tensor_shadow.c */
    uint64_t *after;         /* one a warp: its last tcgen05.fence::after_thread_sync */
    uint64_t load;           /* the tcgen05.ld that is being issued, and by whom */
    struct site loader;
    struct seen_fault {      /* the last instructions that were reported, so that loops report them once */
        enum verdict verdict;
        const struct origin *culprit;
    } seen[SEEN_FAULTS];
    uint32_t next_seen;
};

/* For clusters of `ctas` CTAs of `threads` threads with `bytes` of shared memory. NULL if memory is exhausted. */
struct shadow *tw_shadow_new(uint32_t ctas, uint32_t threads, uint32_t bytes);
void tw_shadow_free(struct shadow *s);
/* The memory serves another cluster. */
void tw_shadow_begin(struct shadow *s, uint64_t cluster);

static inline uint32_t tw_shadow_warp(const struct shadow *s, uint32_t thread)
{
    return thread / s->cta_threads * s->cta_warps + thread % s->cta_threads / 32;
}

void tw_shadow_write(struct shadow *s, const struct machine_event *e, struct site site);
void tw_shadow_overwrite(struct shadow *s, const struct machine_event *e);
void tw_shadow_fence(struct shadow *s, const struct machine_event *e);
void tw_shadow_issue(struct shadow *s, const struct machine_event *e, struct site site);
void tw_shadow_complete(struct shadow *s, uint64_t op);
struct reading *tw_shadow_reading(struct shadow *s, uint64_t op);
/* The cells of an access to shared memory; *count is 0 where it lies outside. */
struct cell *tw_shadow_cells(const struct shadow *s, const struct machine_event *e, uint32_t *count);

enum verdict tw_shadow_judge(const struct shadow *s, const struct cell *c, const struct reading *r);

/* ---- Tensor memory (tensor_shadow.c) ---- */

bool tw_shadow_tensor_init(struct shadow *s);
/* An operation writes: a cell that was loaded since it was issued; NULL: none. */
const struct tensor_cell *tw_shadow_tensor_write(struct shadow *s, const struct machine_event *e);
/* The load that is being issued reads: a cell without a fence behind its completion; NULL: none. */
const struct tensor_cell *tw_shadow_tensor_read(struct shadow *s, const struct machine_event *e);

#endif
