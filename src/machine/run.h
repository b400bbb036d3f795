/* A launch while it runs: its resident clusters, the rounds in which they go on, and the host threads that run them. */
#ifndef TW_MACHINE_RUN_H
#define TW_MACHINE_RUN_H

#include "machine/internal.h"
#include "machine/launch.h"

#include <stdatomic.h>

enum { MAX_RESIDENT = 1024 }; /* clusters in flight at once; more wait, as on a GPU that is full */

struct image;
struct crew;

/* A cluster in flight. */
struct resident {
    uint64_t index;            /* linear in the grid of clusters */
    struct cluster *cluster;   /* NULL: not begun, or ended and nothing to report */
    enum launch_status status; /* LAUNCH_FINISHED: all its CTAs have ended */
    bool exhausted;            /* it has no memory left: LAUNCH_LIMIT */
    uint64_t bytes;            /* the most it has held */
    uint64_t changes;          /* that its threads and engines have made */
};

enum phase {
    PHASE_BEGIN, /* a round is to begin: clusters are admitted */
    PHASE_APART, /* clusters run, each by itself, up to a strong operation on global memory */
    PHASE_TURNS, /* one after another, those that have come to one go on */
    PHASE_END    /* what they report is gathered, those that have ended leave */
};

/* What a host thread needs of its own. */
struct hand {
    struct landing landing;
    struct tally *tally;
    uint64_t steps, thread_steps; /* executed since the launch last counted them */
};

struct launch {
    struct landing landing;
    struct arena arena;
    struct diags *findings; /* the caller's diagnostics; a running cluster reports to its own */
    const struct program *program;
    const struct image *image;
    struct memory *memory;
    struct launch_spec spec;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t block_threads, cluster_ctas;
    uint32_t dynamic_shared_bytes;
    uint32_t shared_bytes; /* of a CTA's window, with its reserved part */
    unsigned sm;           /* compute capability */
    uint32_t sm_count;
    bool explicit_cluster;
    uint32_t local_bytes;  /* of a thread: the frames of all functions, and room for calls */
    uint8_t *params;
    uint32_t param_bytes;
    enum launch_status status;
    uint64_t cluster_total;
    uint64_t cluster_next;  /* the first that was neither admitted nor cancelled */
    uint64_t cluster_done;  /* ended or cancelled */
    uint64_t cluster_bytes; /* what one cluster is expected to hold, for the memory limit */
    uint64_t warp_steps, thread_steps;
    uint64_t started; /* by the caller's clock */

    /* Rounds; see rounds.c. */
    struct resident residents[MAX_RESIDENT]; /* in the order of their indices */
    uint32_t resident_count;
    uint32_t window;       /* residents wanted */
    uint32_t quiet_rounds; /* in which no cluster ended, was admitted or cancelled */
    enum phase phase;
    uint32_t turn;         /* PHASE_TURNS: whose turn; PHASE_APART: the first that may have to go on */
    bool turn_begun;
    uint64_t share;        /* warp instructions of a cluster in this round */
    uint32_t sharers;      /* residents that get one: all, but at the end of the launch's limit */
    uint64_t apart_steps;  /* of all clusters in the last PHASE_APART */
    bool crewed;           /* PHASE_APART is worth waking other threads */
    uint64_t changes_gone; /* of clusters that have left */
    bool alone;            /* one cluster and none to come: it always has its turn */

    /* Host threads; see crew.c. */
    uint32_t threads;
    struct crew *crew;     /* NULL: none was needed yet */
    struct hand *hands;    /* one a thread; [0] is the caller's */
    atomic_uint first_bad; /* the first resident that has ended the launch: later ones need not go on */
    atomic_bool halted;    /* the time limit was reached */
};

/* ---- Rounds ----------------------------------------------------------------------------------- */

void tw_rounds_start(struct launch *l);
/* Goes on for about `budget` warp instructions, or to the end of the launch. */
void tw_rounds_run(struct launch *l, uint64_t budget);
/* Runs resident `i` for at most `budget` warp instructions of its share; returns those executed. */
uint64_t tw_resident_run(struct launch *l, struct hand *hand, uint32_t i, uint64_t budget);
/* Whether it has something to do in PHASE_APART. */
bool tw_resident_active(const struct launch *l, const struct resident *r);
/* Time is looked at by the calling thread alone: the clock is the caller's. */
void tw_check_time(struct launch *l);
/* Takes the first cluster that has not begun out of the grid; false when there is none. To be called in a cluster's turn. */
bool tw_cancel_cluster(struct launch *l, uint64_t *index);

/* The residents go on apart on all host threads, for about `budget` warp instructions of all. False: no thread can be made. */
bool tw_crew_run(struct launch *l, uint64_t budget);
void tw_crew_end(struct launch *l);

/* ---- Clusters --------------------------------------------------------------------------------- */

/* Makes the cluster of a resident, ready to run. */
void tw_cluster_new(struct launch *l, struct resident *r, struct landing *landing);
void tw_cluster_free(struct cluster *c);
/* %ctaid of a CTA of the cluster with a linear number in the grid. */
void tw_cta_position(const struct launch *l, uint64_t cluster, uint32_t rank, uint32_t ctaid[3]);
/* Bytes that a cluster of this launch holds from its beginning. */
uint64_t tw_cluster_estimate(const struct launch *l);
/* Runs about `budget` warp instructions; returns those executed. Ends early when the cluster ends, wants its turn, or the
 * launch stops. */
uint64_t tw_cluster_run(struct cluster *c, uint64_t budget);

/* Whether an engine of the CTA holds an operation that may be performed in the cluster's turn alone. */
bool tw_cta_holds_strong(const struct cta *cta);
/* The last lanes of a warp have ended: CTA barriers are looked at again; the last warp ends the CTA. */
void tw_cta_warp_ended(struct cta *cta);

/* ---- Reports ---------------------------------------------------------------------------------- */

/* Stalls in a row, of a millisecond each, after which waits that time out are taken for a deadlock, even if no state comes again:
 * the wait of CUDA's cuda::barrier asks for the time in every round and has no end. */
enum { LONGEST_IDLE = 1 << 14 };
/* A report of a cluster in which nothing can run. Sets the cluster's status. */
void tw_report_deadlock(struct cluster *c);
/* A report of a launch in which every cluster sleeps. Sets the launch's status. */
void tw_report_livelock(struct launch *l);
/* A report of a limit: which, what was running, which option raises it. */
void tw_report_limit(struct launch *l, const struct cluster *c, const char *what, const char *value, const char *option);
/* Moves what a cluster has reported to the launch's findings. */
void tw_take_findings(struct launch *l, struct cluster *c);
bool tw_is_reported(const struct diags *diags, int code, struct src_span at);
/* "thread (1,0,0) of block (2,0,0)" */
void tw_thread_name(const struct warp *w, unsigned lane, struct text *out);

#endif
