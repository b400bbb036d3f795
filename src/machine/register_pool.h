/* The registers of a CTA's threads, as far as setmaxnreg moves them: how many a kernel begins with, who holds how many, and
 * what has been given back. The machine's own registers are not scarce; this says when a GPU's would be. */
#ifndef TW_MACHINE_REGISTER_POOL_H
#define TW_MACHINE_REGISTER_POOL_H

#include "machine/internal.h"

enum {
    SUB_CORES = 4,          /* of a streaming multiprocessor; warp w of a CTA lives in number w % 4 */
    REGISTER_STEP = 8,      /* registers are handed out in eights, a thread */
    MAX_CTA_WARPS = TW_MAX_CTA_THREADS / LANES,
    WARPGROUP_WARPS = 4
};

/* Registers of a thread when a kernel with these directives begins; 0 when they do not say. `shared_bytes`: its static shared
 * memory; `largest_inc`: the largest count of its setmaxnreg.inc, 0: it has none. */
uint32_t tw_registers_at_entry(const struct ptx_directives *d, unsigned sm, uint32_t shared_bytes, uint32_t largest_inc);

/* A decoded setmaxnreg: d->mod[SETMAXNREG_INC] says whether it is .inc, d->imm is the count. */
enum { SETMAXNREG_INC };

struct register_pool {
    uint32_t held[MAX_CTA_WARPS];   /* by each thread of the warp */
    uint32_t free[SUB_CORES];       /* given back, a thread */
    uint32_t waiting;               /* warps that wait for registers */
    /* What the warps of a warpgroup are executing: together they execute one setmaxnreg after the other. */
    struct warpgroup_turn {
        uint32_t came; /* warps of the CTA that have executed it; 0: nobody, and the rest means nothing */
        const struct code *code;
        uint32_t origin;
        bool inc;
        uint32_t count;
        bool remarked; /* they do not keep to it: said, and not looked at any more */
    } turns[MAX_CTA_WARPS / WARPGROUP_WARPS];
};

/* A warp of the CTA has ended: its warpgroup should not be in the middle of a setmaxnreg. */
void tw_registers_warp_ended(const struct warp *w);
/* What a warp that waits at setmaxnreg.inc for `wanted` registers a thread lacks, for the deadlock report. */
void tw_registers_describe(const struct warp *w, uint32_t wanted, struct text *out);

#endif
