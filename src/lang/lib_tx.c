/* Tx: operations for which a variant is chosen. What was written goes into one IR_DISPATCH statement; the tile room
 * chooses, checks and lowers. Every operation exists once for each scope: Tx.name is a thread's, Tx.warp.name a warp's.
 * SOURCE: kernel-language-tile 8. */
#include "lang/eval.h"

/* ---- gemm_async -------------------------------------------------------------------------------- */

enum { G_C, G_A, G_B, G_SFA, G_SFB, G_OPERANDS, G_NAMED = G_OPERANDS + 4 };
#define GEMM_ASYNC "C, A, B, SFA?, SFB?, transA?, transB?, accum?, dispatch?, **config"

static const char *const gemm_names[G_NAMED] = {"C", "A", "B", "SFA", "SFB", "transA", "transB", "accum", "dispatch"};

static bool put(struct eval *ev, const struct call *c, const struct arg *a, const char *name, struct ir_arg *out)
{
    *out = (struct ir_arg){.kind = IR_ARG_NONE, .at = c->at};
    if (a->given && !tw_eval_tile_arg(ev, a->value, a->at, tw_format(ev->arena, "'%s' of '%s'", name, c->row->name), out))
        return false;
    out->name = name;
    return true;
}

static struct value gemm_async(struct eval *ev, struct call *c, enum ir_exec_scope scope)
{
    struct ir_kernel *k = eval_kernel(ev);
    struct ir_tile *op = arena_new(k->arena, struct ir_tile, 1);
    *op = (struct ir_tile){.opcode = c->row->name, .opcode_at = c->at, .scope = scope, .operand_count = G_OPERANDS};
    op->operands = arena_new(k->arena, struct ir_arg, G_OPERANDS);
    op->params = arena_new(k->arena, struct ir_arg, G_NAMED + c->rest.len);
    for (uint32_t i = 0; i < G_OPERANDS; i++)
        if (!put(ev, c, &c->args[i], gemm_names[i], &op->operands[i]))
            return value_error();
    for (uint32_t i = G_OPERANDS; i < G_NAMED; i++)
        if (c->args[i].given && !put(ev, c, &c->args[i], gemm_names[i], &op->params[op->param_count++]))
            return value_error();
    for (uint32_t i = 0; i < c->rest.len; i++)
        if (!put(ev, c, &c->rest.at[i], c->rest.at[i].name, &op->params[op->param_count++]))
            return value_error();
    tw_ir_stmt_new(k, ev->build->into, IR_DISPATCH, c->at)->tile = op;
    return value_none();
}

/* ---- one table a scope ---------------------------------------------------------------------------- */

#define TX_TABLE(scope, id)                                                             \
    static struct value gemm_async_##id(struct eval *ev, struct call *c)                \
    {                                                                                   \
        return gemm_async(ev, c, scope);                                                \
    }                                                                                   \
    static const struct builtin rows_##id[] = {{"gemm_async", GEMM_ASYNC, gemm_async_##id, ON_DEVICE}};

TX_TABLE(IR_THREAD_SCOPE, thread)
TX_TABLE(IR_WARP_SCOPE, warp)
TX_TABLE(IR_WARPGROUP_SCOPE, warpgroup)
TX_TABLE(IR_CTA_SCOPE, cta)
TX_TABLE(IR_CLUSTER_SCOPE, cluster)

const struct builtin_table tw_lib_tx[IR_CLUSTER_SCOPE + 1] = {
    [IR_THREAD_SCOPE] = {rows_thread, 1}, [IR_WARP_SCOPE] = {rows_warp, 1},       [IR_WARPGROUP_SCOPE] = {rows_warpgroup, 1},
    [IR_CTA_SCOPE] = {rows_cta, 1},       [IR_CLUSTER_SCOPE] = {rows_cluster, 1},
};
