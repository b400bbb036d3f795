/* Asynchronous copies that one thread issues for many bytes: what bulk.c and tma.c share. */
#ifndef TW_TILE_BULK_H
#define TW_TILE_BULK_H

#include "tile/engine.h"

/* Values that every instruction of a call takes, evaluated once. NULL: the form has none. */
struct bulk_values {
    struct ir_expr *pred, *policy, *cta_mask, *byte_mask;
    const struct ir_expr *mbar; /* read again by each instruction */
    struct ir_var *remote_mbar; /* the barrier's address in another CTA of the cluster */
    struct ir_expr *cta_rank;
    bool never;                 /* pred is False at compile time */
};

/* Whether parameters and qualifiers agree: mbar, cta_mask, cache_policy, byte_mask. Reports. */
bool tw_bulk_check_params(struct tile_call *c);
/* Whether an argument is an integer that is known, and which. */
bool tw_bulk_known(const struct ir_arg *item, int64_t *value);
/* Whether an integer that is known fits `low` to `high`; `item` NULL or run-time: it is not known. Reports. */
bool tw_bulk_in_range(struct tile_call *c, const char *param, const struct ir_arg *item, int64_t low, int64_t high);
struct bulk_values tw_bulk_values(struct tile_call *c);
/* [mbar] of the executing CTA. */
void tw_bulk_put_barrier(struct tile_call *c, struct ir_ptx_operand *to, const struct bulk_values *v);
/* The operands behind the barrier or the sizes that the form has, and the guard; how many. */
uint32_t tw_bulk_put_rest(struct tile_call *c, struct ir_ptx *x, uint32_t n, const struct bulk_values *v);

#endif
