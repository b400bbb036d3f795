/* Kernels on the machine, for the benchmarks: PTX is loaded once and launched many times, and every launch says what it cost.
 *
 * What goes wrong ends the program with the diagnostics: a benchmark has nobody to report to. */
#ifndef TW_BENCH_GUEST_H
#define TW_BENCH_GUEST_H

#include "diag/diag.h"
#include "machine/launch.h"

struct guest {
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct memory *memory;
    struct program *program;
};

/* `landing` is the caller's and set. */
void guest_open(struct guest *g, struct landing *landing, const char *name, const char *text);
void guest_close(struct guest *g);
/* Guest memory of zeros; *host is where it lies. */
uint64_t guest_alloc(struct guest *g, uint64_t bytes, void **host);

/* By the wall's clock, and in time of the processors, all host threads together: others' work slows the first alone. */
struct cost {
    double wall, cpu;
    uint64_t warp_steps, thread_steps;
};
struct cost guest_run(struct guest *g, const char *entry, const struct launch_spec *spec);
/* The same with the detector of hazards at work; a finding ends the program. */
struct cost guest_run_detecting(struct guest *g, const char *entry, const struct launch_spec *spec);
/* Each of its times for itself. */
struct cost cost_best(struct cost a, struct cost b);

double seconds_wall(void);
double seconds_cpu(void);

#endif
