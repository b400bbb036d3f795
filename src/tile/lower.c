/* Lowering: the passes in order, and the walk that expands tile operations and rewrites element accesses. */
#include "tile/lower.h"

#include "ir/ir_walk.h"
#include "tile/engine.h"
#include "tile/tile.h"

#include <assert.h>

/* ---- element accesses ------------------------------------------------------------------------------ */

static struct ir_region *rewrite_region(struct lowering *l, const struct ir_region *r)
{
    const struct ir_storage *s = r->view->storage;
    struct ir_expr *offset = NULL;
    if (s->scope == IR_LOCAL && s->memory_reason == NULL) {
        int64_t slot;
        if (tw_lower_slot(l, r, &slot))
            offset = tw_ir_const_int(l->k, tw_ir_int32(), slot, r->at);
    } else {
        offset = tw_lower_offset(l, r);
    }
    return offset == NULL ? NULL : tw_lower_flat(l, r, offset);
}

static void rewrite_expr(void *context, struct ir_expr **place)
{
    struct lowering *l = context;
    struct ir_expr *e = *place;
    if (l->failed)
        return;
    tw_ir_expr_children(e, rewrite_expr, l);
    if ((e->op != IR_LOAD && e->op != IR_ADDRESS) || l->failed)
        return;
    struct ir_region *flat = rewrite_region(l, e->region);
    if (flat == NULL)
        l->failed = true;
    else
        e->region = flat;
}

static void rewrite_stmt(struct lowering *l, struct ir_stmt *s)
{
    tw_ir_stmt_exprs(s, rewrite_expr, l);
    if (s->op != IR_STORE || l->failed)
        return;
    s->region = rewrite_region(l, s->region);
    if (s->region == NULL)
        l->failed = true;
}

/* ---- the walk --------------------------------------------------------------------------------------- */

static void walk_block(struct lowering *l, struct ir_block *block);

static void walk_guarded(struct lowering *l, struct ir_block *block, const struct ir_expr *condition, bool negated)
{
    tw_tile_guards_enter(&l->guards, condition, negated);
    walk_block(l, block);
    tw_tile_guards_leave(&l->guards);
}

/* Tile operands that live in registers must be there. */
static bool check_resident(struct lowering *l, const struct ir_stmt *s)
{
    const uint32_t memory = tw_tile_memory_operands(l->isa, l->k->arena, s->tile->opcode);
    for (uint32_t i = 0; i < s->tile->operand_count; i++) {
        const struct ir_arg *a = &s->tile->operands[i];
        if (a->kind != IR_ARG_REGION || a->region->view->storage->memory_reason == NULL)
            continue;
        const struct ir_storage *local = a->region->view->storage;
        if (memory & 1u << i)
            continue;
        if (local->memory_reason->op == IR_CONST) {
            struct diag *d = tw_diag(l->diags, E0408, a->at, "'%s' is in .local memory, and this operand of %s is in registers",
                                     local->name, s->tile->opcode);
            tw_diag_expected(d, "a tensor that no instruction reaches by an address");
            tw_diag_fix(d, "copy '%s' to another local tensor, and give that one", local->name);
            tw_diag_note(d, local->memory_reason->at, "reached by an address here");
            l->failed = true;
            return false;
        }
        struct diag *d = tw_diag(l->diags, E0425, local->memory_reason->at,
                                 "'%s' is an operand of %s, so this index must be known at compile time", local->name,
                                 s->tile->opcode);
        tw_diag_expected(
            d, "registers have no addresses: constants, or variables of loops with static bounds that can be unrolled");
        tw_diag_fix(d, "index it by the variable of a T.unroll(...) loop, which is known at compile time");
        tw_diag_note(d, a->at, "used as an operand here");
        l->failed = true;
        return false;
    }
    return true;
}

/* An expansion may contain branches: those of an ewise. */
static void rewrite_tree(struct lowering *l, struct ir_block *block, uint32_t first)
{
    for (uint32_t i = first; i < block->list.len; i++) {
        rewrite_stmt(l, block->list.at[i]);
        rewrite_tree(l, &block->list.at[i]->body, 0);
        rewrite_tree(l, &block->list.at[i]->orelse, 0);
    }
}

static void expand_tile(struct lowering *l, const struct ir_stmt *s, struct ir_block *out)
{
    const uint32_t first = out->list.len;
    if (l->failed && s->at.file != 0 && s->at.file == l->failed_at.file && s->at.begin == l->failed_at.begin)
        return;
    if (!check_resident(l, s) || !tw_tile_expand(l->k, l->isa, l->diags, s, &l->guards, out)) {
        l->failed = true;
        l->failed_at = s->at;
        return;
    }
    rewrite_tree(l, out, first);
}

/* An operation of Tx. Definitions that it hoists are rewritten here too: they are in front of everything. */
static void expand_dispatch(struct lowering *l, const struct ir_stmt *s, struct ir_block *out)
{
    const uint32_t first = out->list.len, hoisted = l->dispatch.hoisted.list.len;
    struct dispatch_call c = {.k = l->k, .isa = l->isa, .diags = l->diags, .arena = l->k->arena, .shared = &l->dispatch,
                              .guards = &l->guards, .stmt = s, .op = s->tile, .out = out};
    if (!tw_dispatch_expand(&c)) {
        l->failed = true;
        return;
    }
    for (uint32_t i = hoisted; i < l->dispatch.hoisted.list.len; i++)
        rewrite_stmt(l, l->dispatch.hoisted.list.at[i]);
    for (uint32_t i = first; i < out->list.len; i++)
        rewrite_stmt(l, out->list.at[i]);
}

static void put_hoisted(struct lowering *l)
{
    struct ir_block body = l->dispatch.hoisted;
    for (uint32_t i = 0; i < l->k->body.list.len; i++)
        *vec_push(l->k->arena, &body.list) = l->k->body.list.at[i];
    l->k->body = body;
}

/* A branch whose condition is the same for all threads at all times: what is never run need not be legal. */
static void take_branch(struct lowering *l, struct ir_block *taken, struct ir_block *out)
{
    walk_block(l, taken);
    for (uint32_t i = 0; i < taken->list.len; i++)
        *vec_push(l->k->arena, &out->list) = taken->list.at[i];
}

static void walk_stmt(struct lowering *l, struct ir_stmt *s, struct ir_block *out)
{
    if (s->op == IR_TILE || s->op == IR_DISPATCH) {
        if (s->op == IR_TILE)
            expand_tile(l, s, out);
        else
            expand_dispatch(l, s, out);
        return;
    }
    const struct ir_range decided = s->op == IR_IF ? tw_ir_range_of(l->k, s->value) : (struct ir_range){0, 1};
    if (decided.low == decided.high) {
        take_branch(l, decided.low != 0 ? &s->body : &s->orelse, out);
        return;
    }
    if (s->op == IR_IF) {
        /* Guards keep the condition as written: rewriting below replaces its parts in place. */
        const struct ir_expr *condition = tw_ir_expr_copy(l->k, s->value, NULL);
        walk_guarded(l, &s->body, condition, false);
        walk_guarded(l, &s->orelse, condition, true);
    } else {
        walk_block(l, &s->body);
    }
    rewrite_stmt(l, s);
    *vec_push(l->k->arena, &out->list) = s;
}

/* `if c: ... return`: whoever goes on after it does not have c. */
static bool leaves(const struct ir_stmt *s)
{
    const uint32_t n = s->body.list.len;
    return s->op == IR_IF && s->orelse.list.len == 0 && n > 0 && s->body.list.at[n - 1]->op == IR_RETURN;
}

/* An operation that is wrong is reported, and the walk goes on: other operations have errors of their own. */
static void walk_block(struct lowering *l, struct ir_block *block)
{
    struct ir_block out = {0};
    const uint32_t guards = l->guards.stack.len;
    bool failed = l->failed;
    for (uint32_t i = 0; i < block->list.len; i++) {
        struct ir_stmt *s = block->list.at[i];
        const struct ir_expr *gone = leaves(s) ? tw_ir_expr_copy(l->k, s->value, NULL) : NULL;
        l->failed = false;
        walk_stmt(l, s, &out);
        failed = failed || l->failed;
        if (gone != NULL)
            tw_tile_guards_enter(&l->guards, gone, true);
    }
    while (l->guards.stack.len > guards)
        tw_tile_guards_leave(&l->guards);
    l->failed = failed;
    *block = out;
}

/* A variable that an instruction writes is no constant, whatever its definition says. */
static void mark_written(const struct ir_ptx_operand *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((o[i].kind == IR_PTX_RESULT || o[i].kind == IR_PTX_UPDATE) && o[i].expr->op == IR_VAR)
            o[i].expr->var->is_assigned = true;
        mark_written(o[i].items, o[i].item_count);
    }
}

static void mark_block(const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        const struct ir_stmt *s = b->list.at[i];
        if (s->op == IR_PTX)
            mark_written(s->ptx->operands, s->ptx->operand_count);
        mark_block(&s->body);
        mark_block(&s->orelse);
    }
}

static bool check_launch(struct lowering *l)
{
    const struct ir_launch *launch = &l->k->launch;
    int64_t threads = 1;
    bool fine = true;
    for (int i = 0; i < 3; i++) {
        const int64_t n = launch->block[i] > 0 ? launch->block[i] : 1;
        fine = fine && n <= TW_MAX_CTA_THREADS;
        threads = fine ? threads * n : threads;
    }
    if (fine && threads <= TW_MAX_CTA_THREADS)
        return true;
    struct diag *d = tw_diag(l->diags, E0801, launch->at, "a block of (%lld, %lld, %lld) threads", (long long)launch->block[0],
                             (long long)launch->block[1], (long long)launch->block[2]);
    tw_diag_expected(d, "at most %d threads in a block", TW_MAX_CTA_THREADS);
    return false;
}

bool tw_tile_lower(struct ir_kernel *k, const struct isa *isa, struct diags *diags)
{
    struct lowering l = {.k = k, .isa = isa, .diags = diags};
    if (!check_launch(&l))
        return false;
    mark_block(&k->body);
    tw_tile_guards_init(&l.guards, k);
    tw_lower_unroll(&l, &k->body);
    if (l.failed)
        return false;
    tw_lower_settle(&l);
    walk_block(&l, &k->body);
    if (l.failed)
        return false;
    put_hoisted(&l);
    k->is_lowered = true;
    return true;
}
