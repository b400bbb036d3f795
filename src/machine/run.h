/* A launch while it runs, its clusters, and the scheduler. */
#ifndef TW_MACHINE_RUN_H
#define TW_MACHINE_RUN_H

#include "machine/internal.h"
#include "machine/launch.h"

enum { MAX_RESIDENT = 64 }; /* clusters in flight at once; more wait, as on a GPU that is full */

struct image;

struct launch {
    struct landing landing;
    struct arena arena;
    struct diags *diags;
    const struct program *program;
    const struct image *image;
    struct memory *memory;
    struct launch_spec spec;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t block_threads, cluster_ctas;
    uint32_t dynamic_shared_bytes;
    uint32_t sm_count;
    bool explicit_cluster;
    uint32_t local_bytes;  /* of a thread: the frames of all functions, and room for calls */
    uint8_t *params;
    uint32_t param_bytes;
    uint64_t cluster_total, cluster_next, cluster_done;
    uint64_t cluster_bytes; /* the most that one cluster has held, for the memory limit */
    struct cluster *resident[MAX_RESIDENT];
    uint32_t resident_count, resident_turn;
    enum launch_status status;
    uint64_t warp_steps, thread_steps;
    uint64_t started; /* by the caller's clock */
    uint64_t next_clock; /* warp_steps at which the clock is read again */
};

/* Makes the cluster with linear number `index` of the grid, ready to run. */
struct cluster *tw_cluster_new(struct launch *l, uint64_t index);
void tw_cluster_free(struct cluster *c);
/* Runs about `budget` warp instructions; returns those executed. Ends early when the cluster ends or the launch stops. */
uint64_t tw_cluster_run(struct cluster *c, uint64_t budget);

/* The last lanes of a warp have ended: CTA barriers are looked at again; the last warp ends the CTA. */
void tw_cta_warp_ended(struct cta *cta);

/* A report of a cluster in which nothing can run. Sets the launch's status. */
void tw_report_deadlock(struct cluster *c);
/* A report of a limit: which, what was running, which option raises it. */
void tw_report_limit(struct launch *l, const struct cluster *c, const char *what, const char *value, const char *option);
/* ", k.py:12" when the instruction has a .loc. */
struct origin;
void tw_source_name(const struct launch *l, const struct origin *o, struct text *out);
/* "thread (1,0,0) of block (2,0,0)" */
void tw_thread_name(const struct warp *w, unsigned lane, struct text *out);

#endif
