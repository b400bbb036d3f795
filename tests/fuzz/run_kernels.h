/* Runs every kernel of a module under small limits. */
#ifndef TW_TESTS_FUZZ_RUN_KERNELS_H
#define TW_TESTS_FUZZ_RUN_KERNELS_H

#include "fuzz/bench.h"
#include "machine/launch.h"

/* Somebody who sees the events of each run. */
struct watcher {
    void *state;
    struct machine_observer (*begin)(void *state);
    void (*end)(void *state, const struct launch *l, struct diags *diags); /* `l` is NULL when it was refused */
    void (*release)(void *state); /* in the end, also after a jump out of a run */
};

/* `watcher` may be NULL, else it must live in the bench's arena. */
void fuzz_run_kernels(struct bench *b, const struct ptx_module *module, const struct watcher *watcher);

#endif
