/* Statements: variables, control flow, and the T.cuda helpers that stand for a short sequence. */
#include "emit/internal.h"

#include "ir/ir_names.h"

#include <assert.h>

static void jump(struct emitter *em, uint32_t label)
{
    EMIT(em, "bra", ptx_label(label));
}

static void jump_if(struct emitter *em, struct ptx_operand predicate, uint32_t label)
{
    tw_emit_guarded(em, predicate, "bra", &(struct ptx_operand){.kind = OPERAND_LABEL, .index = label}, 1);
}

static void scoped_block(struct emitter *em, const struct ir_block *b)
{
    const uint32_t scope = tw_emit_scope_open(em);
    tw_emit_block(em, b);
    tw_emit_scope_close(em, scope);
}

/* ---- variables ---------------------------------------------------------------------------------------------- */

/* An immutable variable is its value's register; a mutable one has a register of its own. */
static void define(struct emitter *em, const struct ir_stmt *s)
{
    struct ptx_operand *var = &em->vars[s->var->id];
    if (s->value != NULL && !s->var->is_assigned) {
        *var = tw_emit_stable(em, s->value);
        return;
    }
    if (var->kind == OPERAND_NONE) { /* in a loop the definition comes again: the same register */
        *var = tw_emit_reg_of(em, s->var->type);
        tw_emit_mark_mutable(em, *var, true);
    }
    if (s->value != NULL)
        tw_emit_move(em, *var, tw_emit_expr(em, s->value), s->var->type);
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

static void no_unroll(struct emitter *em)
{
    struct ptx_func *f = tw_ptx_build_current(&em->b);
    *vec_push(em->arena, &f->stmts) = (struct ptx_stmt){STMT_PRAGMA, f->pragmas.len};
    *vec_push(em->arena, &f->pragmas) = "nounroll";
}

/* i < end when counting up, i > end when counting down; a step of unknown sign asks both. */
static struct ptx_operand goes_on(struct emitter *em, const struct ir_stmt *s, struct ptx_operand i, struct ptx_operand end,
                                  struct ptx_operand step)
{
    const struct ir_type t = s->var->type;
    const struct ir_range r = s->step == NULL ? (struct ir_range){1, 1} : tw_ir_range_of(em->k, s->step);
    if (r.low > 0)
        return PURE(em, tw_emit_spell(em, "setp.lt", t, 's'), MOD_PRED, i, end);
    if (r.high < 0)
        return PURE(em, tw_emit_spell(em, "setp.gt", t, 's'), MOD_PRED, i, end);
    const struct ptx_operand zero = ptx_int(0);
    const struct ptx_operand up = PURE(em, tw_emit_spell(em, "setp.gt", t, 's'), MOD_PRED, step, zero);
    const struct ptx_operand below = PURE(em, tw_emit_spell(em, "setp.lt", t, 's'), MOD_PRED, i, end);
    const struct ptx_operand down = PURE(em, tw_emit_spell(em, "setp.lt", t, 's'), MOD_PRED, step, zero);
    const struct ptx_operand above = PURE(em, tw_emit_spell(em, "setp.gt", t, 's'), MOD_PRED, i, end);
    return PURE(em, "or.pred", MOD_PRED, PURE(em, "and.pred", MOD_PRED, up, below), PURE(em, "and.pred", MOD_PRED, down, above));
}

static bool runs_at_least_once(const struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_range step = s->step == NULL ? (struct ir_range){1, 1} : tw_ir_range_of(em->k, s->step);
    return step.low > 0 && tw_ir_range_of(em->k, s->begin).high < tw_ir_range_of(em->k, s->end).low;
}

/* One turn. Within it the variable does not change, so values that follow from it are known until its end. */
static void turn(struct emitter *em, const struct ir_stmt *s, struct ptx_operand i, struct loop_labels labels)
{
    const uint32_t scope = tw_emit_scope_open(em);
    tw_emit_mark_mutable(em, i, false);
    *vec_push(em->arena, &em->loops) = labels;
    tw_emit_block(em, &s->body);
    em->loops.len--;
    tw_emit_mark_mutable(em, i, true);
    tw_emit_scope_close(em, scope);
    tw_ptx_place_label(&em->b, labels.next);
}

/* Tested at the bottom; where the first turn is not certain, once before. The bounds are evaluated once, as range()
 * does. A hint to unroll has no place in PTX; ptxas decides for itself. */
static void for_loop(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_type t = s->var->type;
    const struct ptx_operand i = tw_emit_reg_of(em, t);
    const struct ptx_operand begin = tw_emit_expr(em, s->begin), end = tw_emit_stable(em, s->end);
    const struct ptx_operand step = s->step == NULL ? ptx_int(1) : tw_emit_in_reg(em, tw_emit_stable(em, s->step), t);
    const uint32_t top = tw_ptx_new_label(&em->b, "loop"), next = tw_ptx_new_label(&em->b, "next"),
                   out = tw_ptx_new_label(&em->b, "done");
    tw_emit_mark_mutable(em, i, true);
    em->vars[s->var->id] = i;
    tw_emit_move(em, i, begin, t);
    if (!runs_at_least_once(em, s))
        jump_if(em, ptx_not(goes_on(em, s, i, end, step)), out);
    if (s->unroll == IR_UNROLL_NEVER)
        no_unroll(em);
    tw_ptx_place_label(&em->b, top);
    turn(em, s, i, (struct loop_labels){next, out});
    EMIT(em, tw_emit_spell(em, "add", t, 's'), i, i, step);
    jump_if(em, goes_on(em, s, i, end, step), top);
    tw_ptx_place_label(&em->b, out);
}

static void while_loop(struct emitter *em, const struct ir_stmt *s)
{
    const uint32_t top = tw_ptx_new_label(&em->b, "while"), out = tw_ptx_new_label(&em->b, "done");
    tw_ptx_place_label(&em->b, top);
    const uint32_t scope = tw_emit_scope_open(em);
    jump_if(em, ptx_not(tw_emit_predicate(em, s->value)), out);
    *vec_push(em->arena, &em->loops) = (struct loop_labels){top, out};
    tw_emit_block(em, &s->body);
    em->loops.len--;
    jump(em, top);
    tw_emit_scope_close(em, scope);
    tw_ptx_place_label(&em->b, out);
}

static void if_else(struct emitter *em, const struct ir_stmt *s)
{
    if (s->value->op == IR_CONST) {
        scoped_block(em, s->value->bits != 0 ? &s->body : &s->orelse);
        return;
    }
    const bool has_else = s->orelse.list.len > 0;
    const uint32_t otherwise = tw_ptx_new_label(&em->b, has_else ? "else" : "endif");
    jump_if(em, ptx_not(tw_emit_predicate(em, s->value)), otherwise);
    scoped_block(em, &s->body);
    if (has_else) {
        const uint32_t end = tw_ptx_new_label(&em->b, "endif");
        jump(em, end);
        tw_ptx_place_label(&em->b, otherwise);
        scoped_block(em, &s->orelse);
        tw_ptx_place_label(&em->b, end);
    } else {
        tw_ptx_place_label(&em->b, otherwise);
    }
}

/* ---- helpers ------------------------------------------------------------------------------------------------------ */

/* try_wait suspends the thread for a while and says whether the phase is over; before sm_90 there is only the test. */
static void mbarrier_wait(struct emitter *em, const struct ir_expr *barrier, const struct ir_expr *parity)
{
    const char *spelling = em->target.sm >= 90 ? "mbarrier.try_wait.parity.shared::cta.b64"
                                               : "mbarrier.test_wait.parity.shared.b64";
    const uint32_t again = tw_ptx_new_label(&em->b, "wait");
    const struct ptx_operand done = tw_emit_reg(em, MOD_PRED);
    const struct ptx_operand at = tw_emit_address(em, barrier, MOD_SHARED, 0);
    const struct ptx_operand phase = tw_emit_cast(em, tw_emit_stable(em, parity), parity->type, tw_ir_uint32(), parity->at);
    tw_emit_mark_mutable(em, done, true);
    tw_ptx_place_label(&em->b, again);
    EMIT(em, spelling, done, at, phase);
    jump_if(em, ptx_not(done), again);
}

static void trap_unless(struct emitter *em, const struct ir_expr *condition)
{
    tw_emit_guarded(em, ptx_not(tw_emit_predicate(em, condition)), "trap", NULL, 0);
}

static void cuda_call(struct emitter *em, const struct ir_stmt *s)
{
    switch (s->cuda) {
    case IR_CTA_SYNC: EMIT(em, "bar.sync", ptx_int(0)); break;
    case IR_WARP_SYNC: EMIT(em, "bar.warp.sync", ptx_int(0xffffffff)); break;
    case IR_WARPGROUP_SYNC:
        EMIT(em, "bar.sync", tw_emit_cast(em, tw_emit_expr(em, s->args[0]), s->args[0]->type, tw_ir_uint32(), s->at),
             ptx_int(128));
        break;
    case IR_CLUSTER_SYNC:
        tw_emit_inst(em, "barrier.cluster.arrive.release", NULL, 0);
        tw_emit_inst(em, "barrier.cluster.wait.acquire", NULL, 0);
        break;
    case IR_MBARRIER_WAIT: mbarrier_wait(em, s->args[0], s->args[1]); break;
    case IR_TRAP: trap_unless(em, s->args[0]); break;
    case IR_CUDA_COUNT: assert(false); break;
    }
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

static void source_line(struct emitter *em, struct src_span at)
{
    if (at.file == 0 || em->diags->sources == NULL)
        return;
    const struct src_place p = tw_sources_place(em->diags->sources, at.file, at.begin);
    tw_ptx_build_loc(&em->b, tw_ptx_build_file(&em->b, p.name), p.line, p.column);
}

static void statement(struct emitter *em, const struct ir_stmt *s)
{
    switch (s->op) {
    case IR_DEFINE: define(em, s); break;
    case IR_ASSIGN: tw_emit_move(em, em->vars[s->var->id], tw_emit_expr(em, s->value), s->var->type); break;
    case IR_STORE: tw_emit_store(em, s->region, tw_emit_expr(em, s->value)); break;
    case IR_FOR: for_loop(em, s); break;
    case IR_WHILE: while_loop(em, s); break;
    case IR_IF: if_else(em, s); break;
    case IR_BREAK: jump(em, em->loops.at[em->loops.len - 1].end); break;
    case IR_CONTINUE: jump(em, em->loops.at[em->loops.len - 1].next); break;
    case IR_RETURN: tw_emit_inst(em, "ret", NULL, 0); break;
    case IR_ASSERT: trap_unless(em, s->value); break;
    case IR_PTX: tw_emit_ptx_call(em, s->ptx); break;
    case IR_CUDA: cuda_call(em, s); break;
    case IR_TILE:
    case IR_DISPATCH:
    case IR_STMT_OP_COUNT: assert(false); break;
    }
}

void tw_emit_block(struct emitter *em, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len && !em->failed; i++) {
        em->at = b->list.at[i]->at;
        source_line(em, em->at);
        statement(em, b->list.at[i]);
    }
}
