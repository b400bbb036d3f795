/* The passes of lowering, in order: unroll, settle, rewrite (with the expansion of tile operations and of Tx). */
#ifndef TW_TILE_LOWER_H
#define TW_TILE_LOWER_H

#include "tile/dispatch.h"

struct lowering {
    struct ir_kernel *k;
    const struct isa *isa;
    struct diags *diags;
    struct tile_guards guards;
    struct dispatch_kernel dispatch;
    VEC(struct ir_view *) flat_views; /* one for each (storage, element type) that is accessed */
    int64_t unrolled;                 /* statements that unrolling made so far */
    bool failed;
    struct src_span failed_at;        /* the last tile operation that failed: its copies by unrolling would say the same */
};

/* unroll.c: T.unroll loops, and loops whose variable indexes a local tensor. */
void tw_lower_unroll(struct lowering *l, struct ir_block *block);

/* locals.c: decides for each local tensor whether registers can hold it. */
void tw_lower_settle(struct lowering *l);
/* The register of a local element, in units of the view's element; false after a diagnostic. */
bool tw_lower_slot(struct lowering *l, const struct ir_region *r, int64_t *slot);

/* address.c: the element offset of a region's first element in its storage, as an expression. NULL after a diagnostic. */
struct ir_expr *tw_lower_offset(struct lowering *l, const struct ir_region *r);
/* The region again as one element of the storage's flat view. */
struct ir_region *tw_lower_flat(struct lowering *l, const struct ir_region *r, struct ir_expr *offset);

#endif
