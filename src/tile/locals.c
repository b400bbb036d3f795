/* Local tensors: registers where every index is known, .local memory otherwise. */
#include "tile/lower.h"

#include "ir/ir_walk.h"
#include "tile/engine.h"

#include <assert.h>

static bool is_distributed(const struct layout *layout)
{
    for (int a = 0; a < AXIS_COUNT; a++)
        if (tw_axis_is_thread((enum axis)a) && tw_layout_axes(layout) & AXIS_BIT(a))
            return true;
    return false;
}

/* ---- settling -------------------------------------------------------------------------------------- */

static void note_reason(struct ir_storage *s, const struct ir_expr *why)
{
    if (s->memory_reason == NULL)
        s->memory_reason = why;
}

static void settle_region(const struct ir_kernel *k, const struct ir_region *r)
{
    if (r->view->storage->scope != IR_LOCAL || is_distributed(r->view->layout))
        return;
    for (uint32_t d = 0; d < r->view->rank; d++) {
        if (r->start[d] == NULL)
            continue;
        const struct ir_range range = tw_ir_range_of(k, r->start[d]);
        if (range.low != range.high)
            note_reason(r->view->storage, r->start[d]);
    }
}

static void settle_expr(void *context, struct ir_expr **place)
{
    const struct ir_expr *e = *place;
    if (e->region != NULL) {
        settle_region(context, e->region);
        if (e->op == IR_ADDRESS && e->region->view->storage->scope == IR_LOCAL)
            note_reason(e->region->view->storage, e);
    }
    tw_ir_expr_children(*place, settle_expr, context);
}

/* A local tensor that an instruction reaches by an address is in memory. The reason is a constant: no index asks for it. */
static void settle_tile(struct lowering *l, const struct ir_tile *t)
{
    const uint32_t memory = tw_tile_memory_operands(l->isa, l->k->arena, t->opcode);
    for (uint32_t i = 0; i < t->operand_count && i < 32; i++) {
        const struct ir_arg *a = &t->operands[i];
        if (memory & 1u << i && a->kind == IR_ARG_REGION && a->region->view->storage->scope == IR_LOCAL)
            note_reason(a->region->view->storage, tw_ir_const_int(l->k, tw_ir_int32(), 0, a->at));
    }
}

/* Other elements of a tile operand are named by the pattern, so an index of the operand alone must be known; the engine
 * reports it if not. Only these and element accesses move a tensor to memory. */
static void settle_block(struct lowering *l, const struct ir_block *b)
{
    struct ir_kernel *k = l->k;
    for (uint32_t i = 0; i < b->list.len; i++) {
        struct ir_stmt *s = b->list.at[i];
        if (s->op == IR_STORE)
            settle_region(k, s->region);
        if (s->op == IR_TILE)
            settle_tile(l, s->tile);
        tw_ir_stmt_exprs(s, settle_expr, k);
        settle_block(l, &s->body);
        settle_block(l, &s->orelse);
    }
}

void tw_lower_settle(struct lowering *l)
{
    settle_block(l, &l->k->body);
}

/* ---- registers ------------------------------------------------------------------------------------- */

static void region_shape(const struct ir_region *r, struct shape *shape)
{
    shape->rank = r->view->rank;
    for (uint32_t d = 0; d < shape->rank; d++)
        shape->dim[d] = r->view->shape[d];
}

static bool outside(struct lowering *l, const struct ir_region *r, uint32_t d, int64_t index)
{
    struct diag *diag = tw_diag(l->diags, E0804, r->at, "index %lld is outside '%s'", (long long)index, r->view->storage->name);
    tw_diag_expected(diag, "0 to %lld in dimension %u", (long long)r->view->shape[d] - 1, d);
    l->failed = true;
    return false;
}

static bool known_index(struct lowering *l, const struct ir_region *r, int64_t *coord)
{
    for (uint32_t d = 0; d < r->view->rank; d++) {
        coord[d] = 0;
        if (r->start[d] == NULL)
            continue;
        const struct ir_range range = tw_ir_range_of(l->k, r->start[d]);
        assert(range.low == range.high);
        coord[d] = range.low;
        if (coord[d] < 0 || coord[d] >= r->view->shape[d])
            return outside(l, r, d, coord[d]);
    }
    return true;
}

/* The index as one thread computes it. */
static bool thread_index(struct lowering *l, const struct ir_region *r, uint32_t thread, int64_t *coord)
{
    for (uint32_t d = 0; d < r->view->rank; d++) {
        coord[d] = 0;
        if (r->start[d] == NULL)
            continue;
        if (!tw_tile_eval(l->k, r->start[d], thread, &coord[d])) {
            struct diag *diag = tw_diag(l->diags, E0803, r->start[d]->at,
                                        "'%s' is distributed over threads, and this index is known only at run time",
                                        r->view->storage->name);
            tw_diag_expected(diag, "an index of thread coordinates and constants, so that the owner can be checked");
            tw_diag_fix(diag, "view the thread's own registers: .view(n, layout=\"default\")");
            l->failed = true;
            return false;
        }
        if (coord[d] < 0 || coord[d] >= r->view->shape[d])
            return outside(l, r, d, coord[d]);
    }
    return true;
}

static bool owned_slot(const struct ir_view *v, int64_t flat, uint32_t thread, int64_t *slot)
{
    int64_t me[AXIS_COUNT] = {0}, at[AXIS_COUNT];
    tw_tile_thread_axes(thread, me);
    for (int64_t r = 0; r < tw_layout_replicas(v->layout); r++) {
        bool mine = true;
        tw_layout_eval_replica(v->layout, flat, r, at);
        for (int a = 0; a < AXIS_COUNT; a++)
            mine = mine && (!tw_axis_is_thread((enum axis)a) || (tw_layout_axes(v->layout) & AXIS_BIT(a)) == 0 || at[a] == me[a]);
        *slot = at[AXIS_M] + v->offset;
        if (mine)
            return true;
    }
    return false;
}

static bool not_owner(struct lowering *l, const struct ir_region *r, uint32_t thread, const struct shape *shape,
                      const int64_t *coord)
{
    struct text t;
    tw_text_init(&t, l->k->arena);
    for (uint32_t d = 0; d < shape->rank; d++)
        tw_text_addf(&t, "%s%lld", d == 0 ? "" : ", ", (long long)coord[d]);
    struct diag *diag = tw_diag(l->diags, E0803, r->at, "thread %u does not hold element (%s) of '%s'", thread, t.at,
                                r->view->storage->name);
    tw_diag_expected(diag, "the thread that owns the element by layout %s", tw_layout_text(l->k->arena, r->view->layout));
    tw_diag_fix(diag, "index the thread's own registers through .view(n, layout=\"default\")");
    l->failed = true;
    return false;
}

/* Every thread that gets here must own its element, in one register for all. */
static bool distributed_slot(struct lowering *l, const struct ir_region *r, int64_t *slot)
{
    const uint8_t *active = tw_tile_active(&l->guards);
    const uint32_t threads = tw_tile_block_threads(l->k);
    struct shape shape;
    int64_t coord[TW_MAX_RANK], mine = 0;
    bool first = true;
    region_shape(r, &shape);
    *slot = 0;
    for (uint32_t t = 0; t < threads; t++) {
        if (!active[t])
            continue;
        if (!thread_index(l, r, t, coord))
            return false;
        if (!owned_slot(r->view, tw_shape_flat(&shape, coord), t, &mine))
            return not_owner(l, r, t, &shape, coord);
        if (!first && mine != *slot) {
            struct diag *diag = tw_diag(l->diags, E0803, r->at, "threads hold this element of '%s' in different registers",
                                        r->view->storage->name);
            tw_diag_found(diag, "register %lld in one thread, %lld in thread %u", (long long)*slot, (long long)mine, t);
            l->failed = true;
            return false;
        }
        *slot = mine;
        first = false;
    }
    return true;
}

bool tw_lower_slot(struct lowering *l, const struct ir_region *r, int64_t *slot)
{
    const struct ir_view *v = r->view;
    if (is_distributed(v->layout)) {
        if (!distributed_slot(l, r, slot))
            return false;
    } else {
        struct shape shape;
        int64_t coord[TW_MAX_RANK];
        region_shape(r, &shape);
        if (!known_index(l, r, coord))
            return false;
        *slot = tw_layout_address(v->layout, tw_shape_flat(&shape, coord)) + v->offset;
    }
    if (*slot >= 0 && (*slot + 1) * v->elem.bits <= v->storage->elems * v->storage->elem.bits)
        return true;
    struct diag *d = tw_diag(l->diags, E0804, r->at, "register %lld is outside '%s'", (long long)*slot, v->storage->name);
    tw_diag_expected(d, "%lld elements of %u bits", (long long)v->storage->elems, v->storage->elem.bits);
    l->failed = true;
    return false;
}
