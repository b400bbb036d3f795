/* Tx: operations for which a variant is chosen. What was written goes into one IR_DISPATCH statement; the tile room
 * chooses, checks and lowers. Every operation exists once for each scope: Tx.name is a thread's, Tx.warp.name a warp's.
 * SOURCE: kernel-language-tile 8. */
#include "lang/eval.h"

#include <string.h>

/* The first `operands` parameters of the signature are operands, the rest parameters. */
static const struct {
    const char *name;
    uint32_t operands;
} operations[] = {{"gemm_async", 5}, {"copy_async", 2}, {"copy", 2}, {"cast", 2}};

#define GEMM_ASYNC "C, A, B, SFA?, SFB?, transA?, transB?, accum?, dispatch?, **config"
#define TWO_OPERANDS "dst, src, dispatch?, **config"

static uint32_t operand_count(const char *name)
{
    size_t i = 0;
    while (strcmp(operations[i].name, name) != 0)
        i++;
    return operations[i].operands;
}

/* The next named parameter of a signature; NULL at its `**` or its end. */
static const char *next_name(struct eval *ev, const char **at)
{
    *at += strspn(*at, ",? ");
    const size_t len = **at == '*' ? 0 : strcspn(*at, ",?");
    const char *name = len == 0 ? NULL : tw_intern(ev->names, (struct str){*at, len});
    *at += len;
    return name;
}

static bool put(struct eval *ev, const struct call *c, const struct arg *a, const char *name, struct ir_arg *out)
{
    *out = (struct ir_arg){.kind = IR_ARG_NONE, .at = c->at};
    if (a->given && !tw_eval_tile_arg(ev, a->value, a->at, tw_format(ev->arena, "'%s' of '%s'", name, c->row->name), out))
        return false;
    out->name = name;
    return true;
}

static struct value dispatch(struct eval *ev, struct call *c, enum ir_exec_scope scope)
{
    struct ir_kernel *k = eval_kernel(ev);
    struct ir_tile *op = arena_new(k->arena, struct ir_tile, 1);
    *op = (struct ir_tile){.opcode = c->row->name, .opcode_at = c->at, .scope = scope,
                           .operand_count = operand_count(c->row->name)};
    op->operands = arena_new(k->arena, struct ir_arg, op->operand_count);
    op->params = arena_new(k->arena, struct ir_arg, MAX_ARGS + c->rest.len);
    const char *at = c->row->signature, *name;
    for (uint32_t i = 0; (name = next_name(ev, &at)) != NULL; i++) {
        const bool operand = i < op->operand_count;
        if (!operand && !c->args[i].given)
            continue;
        if (!put(ev, c, &c->args[i], name, operand ? &op->operands[i] : &op->params[op->param_count++]))
            return value_error();
    }
    for (uint32_t i = 0; i < c->rest.len; i++)
        if (!put(ev, c, &c->rest.at[i], c->rest.at[i].name, &op->params[op->param_count++]))
            return value_error();
    tw_ir_stmt_new(k, ev->build->into, IR_DISPATCH, c->at)->tile = op;
    return value_none();
}

/* ---- one table a scope ---------------------------------------------------------------------------- */

#define TX_TABLE(scope, id)                                             \
    static struct value dispatch_##id(struct eval *ev, struct call *c)  \
    {                                                                   \
        return dispatch(ev, c, scope);                                  \
    }                                                                   \
    static const struct builtin rows_##id[] = {                         \
        {"gemm_async", GEMM_ASYNC, dispatch_##id, ON_DEVICE},           \
        {"copy_async", TWO_OPERANDS, dispatch_##id, ON_DEVICE},         \
        {"copy", TWO_OPERANDS, dispatch_##id, ON_DEVICE},               \
        {"cast", TWO_OPERANDS, dispatch_##id, ON_DEVICE},               \
    };

TX_TABLE(IR_THREAD_SCOPE, thread)
TX_TABLE(IR_WARP_SCOPE, warp)
TX_TABLE(IR_WARPGROUP_SCOPE, warpgroup)
TX_TABLE(IR_CTA_SCOPE, cta)
TX_TABLE(IR_CLUSTER_SCOPE, cluster)

#define ROWS(id) {rows_##id, sizeof rows_##id / sizeof rows_##id[0]}
const struct builtin_table tw_lib_tx[IR_CLUSTER_SCOPE + 1] = {
    [IR_THREAD_SCOPE] = ROWS(thread), [IR_WARP_SCOPE] = ROWS(warp),       [IR_WARPGROUP_SCOPE] = ROWS(warpgroup),
    [IR_CTA_SCOPE] = ROWS(cta),       [IR_CLUSTER_SCOPE] = ROWS(cluster),
};
