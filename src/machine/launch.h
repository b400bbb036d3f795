/* Programs and launches: a parsed module is loaded into a device's memory, its kernels are launched.
 * A launch is resumable: it can be stepped, stopped and read; memory outlives it.
 *
 *     program = tw_program_load(arena, diags, module, memory);
 *     launch = tw_launch_new(program, "vec_add", &spec, diags);
 *     while (tw_launch_step(launch, 1000000) == LAUNCH_RUNNING) ...
 *     tw_launch_free(launch); */
#ifndef TW_MACHINE_LAUNCH_H
#define TW_MACHINE_LAUNCH_H

#include "diag/diag.h"
#include "machine/events.h"
#include "machine/memory.h"
#include "ptx/module.h"

struct program;
struct launch;

/* Places the module's .global and .const variables in `memory`. NULL after an error in diags. The module, the arena,
 * the sources and the memory must outlive the program. */
struct program *tw_program_load(struct arena *arena, struct diags *diags, const struct ptx_module *module, struct memory *memory);
/* Guest address of a .global variable; 0 if there is none of that name. */
uint64_t tw_program_symbol(const struct program *p, const char *name);

/* Where a kernel's parameters lie in its parameter block. */
struct param_layout {
    uint32_t count;
    uint32_t bytes; /* of the whole block */
    const struct param_slot {
        const char *name;
        uint32_t offset, bytes, align;
    } *slots;
};
/* False after an error in diags: no such kernel. SOURCE: ptx-async.md 8.8. */
bool tw_program_params(const struct program *p, const char *entry, struct diags *diags, struct param_layout *out);
/* The same of a module that is not loaded. */
bool tw_module_params(struct arena *arena, const struct ptx_module *m, const char *entry, struct diags *diags, struct param_layout *out);

struct launch_spec {
    uint32_t grid[3];    /* CTAs; 0 means 1 */
    uint32_t block[3];   /* threads; 0 means 1, or the kernel's .reqntid when all three are 0 */
    uint32_t cluster[3]; /* CTAs; 0 means 1, or the kernel's .reqnctapercluster when all three are 0 */
    uint32_t dynamic_shared_bytes;
    unsigned sm;         /* compute capability of the GPU that the machine is: 90 for 9.0; 0: that of the module's target */
    const void *params;  /* copied */
    uint32_t param_bytes;
    uint64_t seed;
    uint32_t threads;    /* host threads; 0: one. The result is the same for any number; 1 with an observer that is not concurrent */
    uint64_t max_steps;  /* warp instructions; 0: TW_DEFAULT_MAX_STEPS */
    uint64_t max_nanoseconds; /* 0: none; needs `clock` */
    uint64_t max_memory; /* bytes that running clusters may hold; 0: TW_DEFAULT_MAX_MEMORY */
    uint64_t (*clock)(void *context); /* nanoseconds, monotonic; may be NULL */
    void *clock_context;
    struct machine_observer observer; /* event NULL: none */
    void (*print)(void *context, struct str text); /* what vprintf writes; NULL: dropped */
    void *print_context;
    bool report; /* count for tw_launch_summary */
};

enum launch_status {
    LAUNCH_RUNNING,
    LAUNCH_FINISHED,
    LAUNCH_FAULT,    /* a diagnosed fault of the kernel */
    LAUNCH_DEADLOCK, /* nothing can run: diagnosed */
    LAUNCH_LIMIT     /* a limit was hit: diagnosed */
};

/* Decodes the kernel and checks the launch as the driver does. NULL after an error in diags. `diags` also takes what the
 * run reports. */
struct launch *tw_launch_new(const struct program *p, const char *entry, const struct launch_spec *spec, struct diags *diags);
/* Runs about `max_steps` warp instructions more (0: to the end). */
enum launch_status tw_launch_step(struct launch *l, uint64_t max_steps);
void tw_launch_free(struct launch *l);

struct launch_progress {
    uint64_t ctas_done, ctas_total;
    uint64_t warp_steps;   /* warp instructions executed */
    uint64_t thread_steps; /* the sum of their active lanes */
};
struct launch_progress tw_launch_progress(const struct launch *l);

/* "thread (1,0,0) of block (2,0,0)": thread number `thread` of a CTA of a cluster. */
void tw_launch_thread_name(const struct launch *l, uint64_t cluster, uint32_t rank, uint32_t thread, struct text *out);
/* ", k.py:12" when the instruction has a place in a source. */
void tw_source_name(const struct launch *l, const struct origin *o, struct text *out);

/* What has been executed so far, as text or JSON: instructions by opcode, bytes by space, multiply-adds, and how exact
 * the results are. False unless spec.report was set. */
bool tw_launch_summary(const struct launch *l, bool json, struct text *out);

#endif
