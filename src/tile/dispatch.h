/* Operations of Tx: a call says what is to be done, and a variant is chosen that knows how.
 *
 * Variants are asked in the order of their priority, then by name. A variant takes a call if all its predicates
 * hold; if none takes it, every refusal is reported with the predicate's name. `dispatch=` in the call restricts the
 * choice to one name. The chosen variant makes tile operations, which the engine checks and expands as if the program
 * had written them, and reports what it chose.
 * SOURCE: kernel-language-tile 8. */
#ifndef TW_TILE_DISPATCH_H
#define TW_TILE_DISPATCH_H

#include "tile/engine.h"

/* A descriptor that is computed once and that several instructions use. */
struct dispatch_descriptor {
    const struct ir_storage *storage;
    uint64_t constant; /* strides, swizzle and version: all but the start */
    struct ir_var *var;
};

/* What the calls of one kernel share. */
struct dispatch_kernel {
    VEC(struct dispatch_descriptor) descriptors; /* computed at the kernel's start */
    struct ir_block hoisted;                     /* their definitions */
    VEC(struct src_span) told;                   /* calls whose choice was reported: a loop may copy a call */
};

struct dispatch_refusal {
    const char *predicate;
    struct src_span at;
    const char *why;
};

struct dispatch_variant;

struct dispatch_call {
    struct ir_kernel *k;
    const struct isa *isa;
    struct diags *diags;
    struct arena *arena;
    struct dispatch_kernel *shared;
    const struct tile_guards *guards;
    const struct ir_stmt *stmt;
    const struct ir_tile *op;  /* operands and parameters as written */
    struct ir_block *out;
    const char *predicate;     /* that is judging now */
    VEC(struct dispatch_refusal) refusals;
    void *facts;               /* of the variant, found by its predicates */
    const struct dispatch_variant *chosen;
};

struct dispatch_predicate {
    const char *name;
    uint32_t after; /* set of 1u << index: earlier predicates whose facts this one uses; it is silent if one failed */
    void (*judge)(struct dispatch_call *c); /* refuses through tw_dispatch_refuse */
};

struct dispatch_variant {
    const char *op;    /* "gemm_async" */
    const char *name;  /* "tcgen05" */
    const char *old_name; /* of an earlier revision, or NULL: dispatch= takes it too */
    int priority;      /* higher is asked first */
    size_t facts_bytes;
    const struct dispatch_predicate *when;
    uint32_t when_count;
    bool (*lower)(struct dispatch_call *c); /* all predicates hold. False after a diagnostic. */
};

extern const struct dispatch_variant tw_dispatch_gemm_tcgen05, tw_dispatch_copy_vector, tw_dispatch_copy_ldgsts,
    tw_dispatch_copy_tmem, tw_dispatch_copy_tma_auto, tw_dispatch_copy_tma_explicit, tw_dispatch_cast_registers;

void tw_dispatch_refuse(struct dispatch_call *c, struct src_span at, const char *format, ...) TW_PRINTF(3, 4);
/* The parameter of this name, or NULL. */
const struct ir_arg *tw_dispatch_param(const struct dispatch_call *c, const char *name);
/* The variant among `variants` that takes the call, with c->facts set; NULL after a diagnostic. */
const struct dispatch_variant *tw_dispatch_choose(struct dispatch_call *c, const struct dispatch_variant *const *variants,
                                                  uint32_t count);
/* Whether every condition around the call is decided by the thread alone. */
bool tw_dispatch_decides(const struct dispatch_call *c, uint32_t thread);
/* How many threads of the CTA reach the call; 0 where that is known at run time alone. */
uint32_t tw_dispatch_threads(const struct dispatch_call *c);
/* Whether this call is reported for the first time: a loop may have copied it. */
bool tw_dispatch_first_time(struct dispatch_call *c);
/* Chooses and lowers one IR_DISPATCH statement. c holds everything up to `op`. */
bool tw_dispatch_expand(struct dispatch_call *c);

#endif
