/* A PTX file that is checked, and whose kernels are run and watched for hazards. */
#include "fuzz/run_kernels.h"
#include "fuzz/target.h"

#include "check/check.h"
#include "check/hazards.h"
#include "ptx/ptx.h"

#include <stdlib.h>

struct checks {
    struct watcher watcher;
    struct hazards *hazards; /* of the run that goes on; else NULL */
    struct arena scratch;    /* apart from that of the diagnostics */
};

static struct machine_observer begin(void *state)
{
    struct checks *const c = state;
    c->hazards = tw_hazards_new();
    if (c->hazards == NULL)
        abort();
    return tw_hazards_observer(c->hazards);
}

static void end(void *state, const struct launch *l, struct diags *diags)
{
    struct checks *const c = state;
    if (l != NULL)
        (void)tw_hazards_report(c->hazards, l, diags);
    tw_hazards_free(c->hazards);
    c->hazards = NULL;
}

static void release(void *state)
{
    struct checks *const c = state;
    tw_hazards_free(c->hazards);
    tw_arena_release(&c->scratch);
}

static void free_checks(void *kept)
{
    release(kept);
}

static void use_check(struct bench *b)
{
    const struct ptx_module *const module = tw_ptx_parse(&b->arena, fuzz_tables(), &b->diags, b->file);
    if (b->diags.error_count != 0)
        return;
    struct checks *const c = arena_new(&b->arena, struct checks, 1);
    c->watcher = (struct watcher){c, begin, end, release};
    tw_arena_init(&c->scratch, &b->landing, BENCH_BYTES);
    b->kept = c; /* until the runs begin */
    b->free_kept = free_checks;
    tw_check_module(&c->scratch, module, &b->diags);
    fuzz_run_kernels(b, module, &c->watcher);
}

void fuzz_check(const uint8_t *bytes, size_t len)
{
    fuzz_with_bench("input.ptx", bytes, len, use_check);
}
