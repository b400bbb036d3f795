/* Which threads reach a statement: conditions are evaluated for every thread of the CTA. */
#include "tile/threads.h"

#include "ir/ir_fold.h"
#include "ir/ir_names.h"

#include <assert.h>
#include <string.h>

/* An evaluation gives up after this many nodes: immutable variables may share subexpressions without end. */
enum { EVAL_BUDGET = 2000 };

struct evaluation {
    const struct ir_kernel *k;
    uint32_t thread;
    int budget;
};

static int64_t dim(const int64_t dims[3], int axis)
{
    return dims[axis] > 0 ? dims[axis] : 1;
}

uint32_t tw_tile_block_threads(const struct ir_kernel *k)
{
    const int64_t *b = k->launch.block;
    return (uint32_t)(dim(b, 0) * dim(b, 1) * dim(b, 2));
}

static bool coord_value(const struct evaluation *ev, const struct ir_expr *e, int64_t *value)
{
    const int64_t *b = ev->k->launch.block;
    const int64_t t = ev->thread, x = dim(b, 0), y = dim(b, 1);
    const int64_t of_thread[IR_COORD_COUNT] = {
        [IR_TID_X] = t % x,
        [IR_TID_Y] = t / x % y,
        [IR_TID_Z] = t / x / y,
        [IR_FLAT_TID] = t,
        [IR_LANE_ID] = t % 32,
        [IR_WARP_ID] = t / 32,
        [IR_WARPGROUP_ID] = t / 128,
        [IR_TID_IN_WARPGROUP] = t % 128,
        [IR_WARP_IN_WARPGROUP] = t / 32 % 4,
    };
    const bool by_thread = e->coord <= IR_TID_Z || (e->coord >= IR_FLAT_TID && e->coord <= IR_WARP_IN_WARPGROUP);
    const struct ir_range r = tw_ir_range_of(ev->k, e);
    *value = by_thread ? of_thread[e->coord] : r.low;
    return by_thread || r.low == r.high;
}

static bool eval(struct evaluation *ev, const struct ir_expr *e, uint64_t *bits);

static bool eval_var(struct evaluation *ev, struct ir_var *var, uint64_t *bits)
{
    if (var->is_assigned || var->is_loop || var->param >= 0)
        return false;
    const struct ir_stmt *d = tw_ir_definition(ev->k, var);
    return d != NULL && d->op == IR_DEFINE && d->value != NULL && eval(ev, d->value, bits);
}

/* One side may decide alone. */
static bool eval_logical(struct evaluation *ev, const struct ir_expr *e, uint64_t *bits)
{
    const uint64_t decides = e->op == IR_OR;
    uint64_t a = 0, b = 0;
    const bool a_known = eval(ev, e->args[0], &a);
    if (a_known && a == decides) {
        *bits = decides;
        return true;
    }
    const bool b_known = eval(ev, e->args[1], &b);
    *bits = b;
    return b_known && (a_known || b == decides);
}

static bool eval_operation(struct evaluation *ev, const struct ir_expr *e, uint64_t *bits)
{
    const unsigned arity = tw_ir_op_row(e->op)->arity;
    uint64_t a[3] = {0, 0, 0};
    if (arity == 3)
        return eval(ev, e->args[0], &a[0]) && eval(ev, e->args[a[0] != 0 ? 1 : 2], bits);
    for (unsigned i = 0; i < arity; i++)
        if (!eval(ev, e->args[i], &a[i]))
            return false;
    if (arity == 1)
        return tw_ir_fold_unary(e->op, e->type, e->args[0]->type, a[0], bits);
    return arity == 2 && e->args[0]->type.cls != IR_POINTER && tw_ir_fold_binary(e->op, e->args[0]->type, a[0], a[1], bits);
}

static bool eval(struct evaluation *ev, const struct ir_expr *e, uint64_t *bits)
{
    if (ev->budget-- <= 0)
        return false;
    if (e->op == IR_CONST) {
        *bits = e->bits;
        return true;
    }
    if (e->op == IR_COORD) {
        int64_t value;
        const bool known = coord_value(ev, e, &value);
        *bits = (uint64_t)value;
        return known;
    }
    if (e->op == IR_VAR)
        return eval_var(ev, e->var, bits);
    if (e->op == IR_AND || e->op == IR_OR)
        return eval_logical(ev, e, bits);
    if (tw_ir_op_row(e->op)->arity == 0 || e->op == IR_SHARED_ADDR)
        return false;
    return eval_operation(ev, e, bits);
}

bool tw_tile_eval(const struct ir_kernel *k, const struct ir_expr *e, uint32_t thread, int64_t *value)
{
    struct evaluation ev = {k, thread, EVAL_BUDGET};
    uint64_t bits = 0;
    const bool known = eval(&ev, e, &bits);
    *value = (int64_t)bits;
    return known;
}

void tw_tile_guards_init(struct tile_guards *g, const struct ir_kernel *k)
{
    *g = (struct tile_guards){.k = k};
    memset(g->everyone, 1, sizeof g->everyone);
}

void tw_tile_guards_enter(struct tile_guards *g, const struct ir_expr *condition, bool negated)
{
    struct tile_guard *guard = arena_new(g->k->arena, struct tile_guard, 1);
    guard->condition = condition;
    guard->negated = negated;
    *vec_push(g->k->arena, &g->stack) = guard;
}

void tw_tile_guards_leave(struct tile_guards *g)
{
    assert(g->stack.len > 0);
    g->stack.len--;
}

static void work_out(const struct tile_guards *g, uint32_t depth)
{
    struct tile_guard *guard = g->stack.at[depth];
    if (guard->known)
        return;
    if (depth > 0)
        work_out(g, depth - 1);
    const uint32_t threads = tw_tile_block_threads(g->k);
    for (uint32_t t = 0; t < threads; t++) {
        int64_t holds = 1;
        const bool before = depth == 0 || g->stack.at[depth - 1]->active[t] != 0;
        if (before && tw_tile_eval(g->k, guard->condition, t, &holds))
            holds = (holds != 0) != guard->negated;
        else
            holds = 1;
        guard->active[t] = before && holds != 0;
    }
    guard->known = true;
}

const uint8_t *tw_tile_active(const struct tile_guards *g)
{
    if (g->stack.len == 0)
        return g->everyone;
    work_out(g, g->stack.len - 1);
    return g->stack.at[g->stack.len - 1]->active;
}

void tw_tile_thread_axes(uint32_t thread, int64_t at[AXIS_COUNT])
{
    at[AXIS_LANEID] = thread % 32;
    at[AXIS_WARPID] = thread / 32;
    at[AXIS_WID_IN_WG] = thread / 32 % 4;
    at[AXIS_TID_IN_WG] = thread % 128;
    at[AXIS_WGID] = thread / 128;
    at[AXIS_TX] = thread;
}

struct ir_expr *tw_tile_group_coord(struct ir_kernel *k, const struct tile_group_row *row, struct src_span at)
{
    static const enum ir_coord coords[] = {
        [TILE_GROUP_CTA_Z] = IR_CTAID_Z,  [TILE_GROUP_CTA_Y] = IR_CTAID_Y, [TILE_GROUP_CTA_X] = IR_CTAID_X,
        [TILE_GROUP_WARP] = IR_WARP_ID,   [TILE_GROUP_WARP_IN_WG] = IR_WARP_IN_WARPGROUP,
        [TILE_GROUP_LANE] = IR_LANE_ID,   [TILE_GROUP_WARPGROUP] = IR_WARPGROUP_ID,
    };
    const struct ir_type i32 = tw_ir_int32();
    if (row->extent == 1)
        return tw_ir_const_int(k, i32, 0, at);
    struct ir_expr *c = tw_ir_coord(k, coords[row->axis], at);
    /* A CTA's place in its cluster: clusters tile the grid. */
    if (row->axis <= TILE_GROUP_CTA_X)
        c = tw_ir_binary(k, IR_FLOORMOD, c, tw_ir_const_int(k, i32, row->extent, at), at);
    return tw_ir_binary(k, IR_SUB, c, tw_ir_const_int(k, i32, row->low, at), at);
}
