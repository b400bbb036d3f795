/* A layout under construction: the one way from iters to a checked, immutable layout. */
#ifndef TW_LAYOUT_DRAFT_H
#define TW_LAYOUT_DRAFT_H

#include "layout/layout.h"

/* Room for two grouped layouts side by side, the most that an operation produces before it is checked. */
enum { TW_DRAFT_ITERS = 2 * (TW_MAX_ITERS + TW_MAX_RANK) };

struct draft {
    struct iter shard[TW_DRAFT_ITERS], replica[TW_DRAFT_ITERS];
    uint32_t shard_count, replica_count;
    int64_t offset[AXIS_COUNT];
    bool swizzled;
    struct swizzle swizzle;
};

void tw_draft_empty(struct draft *d);
/* Everything but the shard iters. */
void tw_draft_frame(struct draft *d, const struct layout *l);
void tw_draft_copy(struct draft *d, const struct layout *l);
void tw_draft_push(struct draft *d, int64_t extent, int64_t stride, enum axis axis);
void tw_draft_push_replica(struct draft *d, int64_t extent, int64_t stride, enum axis axis);
/* Checks every invariant of struct layout; NULL after a diagnostic. */
const struct layout *tw_draft_finish(const struct layout_env *e, const struct draft *d);

/* Products and sums that stick at the ends of the range, so that the check at the end sees them. */
int64_t tw_mul_sat(int64_t a, int64_t b);
int64_t tw_add_sat(int64_t a, int64_t b);

#endif
