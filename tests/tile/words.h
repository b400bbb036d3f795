/* Lowered instructions, and the words that their operands evaluate to at given addresses. The evaluation is written
 * here, plainly, and shares nothing with the constructors' folding. */
#ifndef TW_TESTS_TILE_WORDS_H
#define TW_TESTS_TILE_WORDS_H

#include "support/check.h"

#include "ir/ir.h"
#include "isa/isa.h"
#include "tile/tile.h"

struct lowered {
    const struct ir_ptx *at[4096];
    uint32_t count;
};

static inline void collect_instructions(const struct ir_block *b, struct lowered *l)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        if (b->list.at[i]->op == IR_PTX && l->count < 4096)
            l->at[l->count++] = b->list.at[i]->ptx;
        collect_instructions(&b->list.at[i]->body, l);
        collect_instructions(&b->list.at[i]->orelse, l);
    }
}

static inline struct lowered lower_kernel(struct ir_kernel *k, struct bench_room *room)
{
    static struct lowered l;
    l.count = 0;
    if (!tw_tile_lower(k, tw_isa_open(&room->arena), &room->diags))
        fail_msg("%s", tw_test_diags(room));
    collect_instructions(&k->body, &l);
    return l;
}

static inline uint32_t count_instructions(const struct lowered *l, const char *mnemonic)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->count; i++)
        n += strcmp(l->at[i]->mnemonic, mnemonic) == 0;
    return n;
}

static inline const struct ir_ptx *instruction(const struct lowered *l, const char *mnemonic, uint32_t index)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (strcmp(l->at[i]->mnemonic, mnemonic) == 0 && index-- == 0)
            return l->at[i];
    fail_msg("no such instruction: %s", mnemonic);
    return NULL;
}

struct word_env {
    uint32_t shared_base; /* of every shared tensor */
    uint32_t tmem_base;   /* of every variable */
    uint32_t warp, lane;
};

static inline uint64_t evaluate(const struct ir_expr *e, const struct word_env *env)
{
    const uint64_t a = e->args[0] != NULL && e->op != IR_SHARED_ADDR ? evaluate(e->args[0], env) : 0;
    const uint64_t b = e->args[1] != NULL ? evaluate(e->args[1], env) : 0;
    const uint64_t mask = e->type.bits >= 64 ? UINT64_MAX : (UINT64_C(1) << e->type.bits) - 1;
    if (e->op == IR_CONST)
        return e->bits;
    if (e->op == IR_VAR)
        return env->tmem_base;
    if (e->op == IR_COORD)
        return e->coord == IR_LANE_ID ? env->lane : env->warp;
    if (e->op == IR_SHARED_ADDR)
        return env->shared_base;
    if (e->op == IR_CAST)
        return a & mask;
    if (e->op == IR_ADD)
        return (a + b) & mask;
    if (e->op == IR_SUB)
        return (a - b) & mask;
    if (e->op == IR_MUL)
        return (a * b) & mask;
    if (e->op == IR_BITAND)
        return a & b;
    if (e->op == IR_BITOR)
        return a | b;
    if (e->op == IR_SHR)
        return (a & mask) >> b;
    fail_msg("an operation that words do not need: %s", tw_ir_op_name(e->op));
    return 0;
}

static inline uint64_t word_of(const struct ir_ptx_operand *o, uint32_t shared_base)
{
    const struct word_env env = {.shared_base = shared_base};
    return evaluate(o->expr, &env);
}

#endif
