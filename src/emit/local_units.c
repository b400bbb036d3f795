/* How wide the registers of a local tensor are: as wide as its widest access, so that packed halves share one. */
#include "emit/internal.h"

#include "ir/ir_walk.h"

static void widen(struct local_unit *units, const struct ir_storage *s, struct ir_type t)
{
    struct local_unit *u = &units[s->id];
    if (s->scope != IR_LOCAL || s->memory_reason != NULL)
        return;
    const bool is_float = t.cls == IR_FLOAT && t.bits >= 32;
    u->is_float = u->bits == 0 ? is_float : u->is_float && is_float && t.bits == u->bits;
    u->is_packed = u->is_packed || (u->bits != 0 && t.bits != u->bits);
    if (t.bits > u->bits)
        u->bits = t.bits;
}

static void plan_region(void *context, struct ir_region **place)
{
    widen(context, (*place)->view->storage, (*place)->view->elem);
}

static void plan_expr(void *context, struct ir_expr **place)
{
    if ((*place)->op == IR_SLOT)
        widen(context, (*place)->storage, (*place)->type);
    tw_ir_expr_children(*place, plan_expr, context);
}

static void plan_block(struct local_unit *units, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        tw_ir_stmt_regions(b->list.at[i], plan_region, units);
        tw_ir_stmt_exprs(b->list.at[i], plan_expr, units);
        plan_block(units, &b->list.at[i]->body);
        plan_block(units, &b->list.at[i]->orelse);
    }
}

struct local_unit *tw_emit_local_units(const struct ir_kernel *k)
{
    struct local_unit *units = arena_new(k->arena, struct local_unit, k->storages.len + 1u);
    plan_block(units, &k->body);
    for (uint32_t i = 0; i < k->storages.len; i++) {
        const struct ir_storage *s = k->storages.at[i];
        if (units[i].bits != 0)
            units[i].count = (uint32_t)((s->elems * s->elem.bits + units[i].bits - 1) / units[i].bits);
    }
    return units;
}
