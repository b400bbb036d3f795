/* Which threads reach a statement, and who of them issues a tile operation.
 *
 * Guards are the conditions around the statement. What depends on thread coordinates and constants alone is decided
 * for every thread of the CTA; anything else may hold for all of them. */
#ifndef TW_TILE_THREADS_H
#define TW_TILE_THREADS_H

#include "ir/ir.h"
#include "layout/axis.h"
#include "tile/pattern.h"

/* One enclosing condition. */
struct tile_guard {
    const struct ir_expr *condition;
    bool negated;           /* the else branch */
    bool known;             /* `active` is worked out */
    uint8_t active[TW_MAX_CTA_THREADS]; /* after this guard and those around it */
};
struct tile_guards {
    const struct ir_kernel *k;
    VEC(struct tile_guard *) stack;
    uint8_t everyone[TW_MAX_CTA_THREADS];
};
void tw_tile_guards_init(struct tile_guards *g, const struct ir_kernel *k);
void tw_tile_guards_enter(struct tile_guards *g, const struct ir_expr *condition, bool negated);
void tw_tile_guards_leave(struct tile_guards *g);

/* Value of an expression for one thread (flat id); false if it is not decided by the thread alone. */
bool tw_tile_eval(const struct ir_kernel *k, const struct ir_expr *e, uint32_t thread, int64_t *value);
uint32_t tw_tile_block_threads(const struct ir_kernel *k);
/* 0 or 1 for every thread of the CTA. */
const uint8_t *tw_tile_active(const struct tile_guards *g);
/* The thread coordinates of a flat thread id: laneid, warpid, wid_in_wg, tid_in_wg, wgid, tx. */
void tw_tile_thread_axes(uint32_t thread, int64_t at[AXIS_COUNT]);

enum tile_group_axis {
    TILE_GROUP_CTA_Z, TILE_GROUP_CTA_Y, TILE_GROUP_CTA_X, TILE_GROUP_WARP, TILE_GROUP_WARP_IN_WG, TILE_GROUP_LANE,
    TILE_GROUP_WARPGROUP
};

struct tile_group_row {
    enum tile_group_axis axis;
    const char *name;       /* "warp" */
    int64_t low, extent;    /* coordinate c stands for unit low + c */
};

/* One issuer: a warpgroup, a warp, or a thread. */
struct tile_member {
    uint32_t thread;        /* its first thread */
    int64_t cta[3];         /* x, y, z in the cluster */
    int64_t group[TILE_MAX_GROUP];
};

struct tile_crew {
    uint32_t group_rank;
    struct tile_group_row group[TILE_MAX_GROUP];
    struct tile_member *members;
    uint32_t member_count;
    bool many_ctas;         /* cluster scope: CTA coordinates are part of who a thread is */
    bool anyone;            /* thread scope: whoever gets here issues, by itself */
};

struct tile_call;
/* Fills c->crew; false after a diagnostic. */
bool tw_tile_assemble(struct tile_call *c, const struct tile_guards *guards);
/* A group coordinate as a run-time int32. */
struct ir_expr *tw_tile_group_coord(struct ir_kernel *k, const struct tile_group_row *row, struct src_span at);

#endif
