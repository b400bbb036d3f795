#include "ptx/flow.h"

/* ---- Blocks ------------------------------------------------------------------------------------------- */

static bool ends_block(const struct ptx_inst *in)
{
    const enum isa_op op = in->form->op;
    return op == OP_BRA || op == OP_BRX_IDX || op == OP_RET || op == OP_EXIT || op == OP_TRAP;
}

/* Finds the blocks; block_of[i] becomes the block of instruction i. */
static void find_blocks(struct arena *arena, const struct ptx_func *f, struct ptx_flow *w, uint32_t *block_of)
{
    bool *const leader = arena_new(arena, bool, f->insts.len + 1);
    leader[0] = true;
    for (uint32_t i = 0; i < f->labels.len; i++)
        leader[f->labels.at[i].inst] = true;
    for (uint32_t i = 0; i < f->insts.len; i++)
        if (ends_block(&f->insts.at[i]))
            leader[i + 1] = true;
    for (uint32_t i = 0; i < f->insts.len; i++) {
        if (leader[i])
            w->blocks[w->count++].first = i;
        w->blocks[w->count - 1].last = i;
        block_of[i] = w->count - 1;
    }
}

static void add_next(const struct ptx_func *f, const uint32_t *block_of, struct ptx_block *b, uint32_t inst)
{
    if (inst < f->insts.len) /* behind the last instruction the function ends */
        b->next[b->next_count++] = block_of[inst];
}

static void link_block(struct arena *arena, const struct ptx_func *f, const uint32_t *block_of, struct ptx_block *b)
{
    const struct ptx_inst *const in = &f->insts.at[b->last];
    const enum isa_op op = in->form->op;
    const struct ptx_table *const table = op == OP_BRX_IDX ? &f->tables.at[tw_ptx_operand(f, in, ROLE_TARGETS)->index] : NULL;
    b->next = arena_new(arena, uint32_t, (table == NULL ? 0 : table->targets.len) + 2);
    if (op == OP_BRA)
        add_next(f, block_of, b, f->labels.at[tw_ptx_operand(f, in, ROLE_LABEL)->index].inst);
    for (uint32_t i = 0; table != NULL && i < table->targets.len; i++)
        add_next(f, block_of, b, f->labels.at[table->targets.at[i]].inst);
    if (!ends_block(in) || in->guard != PTX_NONE)
        add_next(f, block_of, b, b->last + 1);
}

struct ptx_flow tw_ptx_flow(struct arena *arena, const struct ptx_func *f)
{
    struct ptx_flow w = {.blocks = arena_new(arena, struct ptx_block, f->insts.len + 1)};
    uint32_t *const block_of = arena_new(arena, uint32_t, f->insts.len + 1);
    find_blocks(arena, f, &w, block_of);
    for (uint32_t i = 0; i < w.count; i++)
        link_block(arena, f, block_of, &w.blocks[i]);
    return w;
}

/* ---- What an instruction reads and writes ---------------------------------------------------------------- */

static void visit_operand(const struct ptx_func *f, const struct ptx_operand *o, unsigned access, ptx_register_visit *visit, void *context)
{
    if (o->kind == OPERAND_REG)
        visit(context, o->index, (access & ACCESS_READ) != 0, (access & ACCESS_WRITE) != 0);
    else if (o->kind == OPERAND_ADDRESS && o->base == BASE_REG)
        visit(context, o->index, true, false);
    else if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_TENSOR || o->kind == OPERAND_LIST)
        for (uint32_t i = 0; i < o->count; i++)
            visit_operand(f, &tw_ptx_elements(f, o)[i], o->kind == OPERAND_TENSOR ? ACCESS_READ : access, visit, context);
}

void tw_ptx_visit_registers(const struct ptx_func *f, const struct ptx_inst *in, ptx_register_visit *visit, void *context)
{
    if (in->guard != PTX_NONE)
        visit(context, in->guard, true, false);
    for (uint32_t k = 0; k < in->form->operand_count; k++) {
        unsigned access = in->form->operands[k].access;
        if (access == ACCESS_NONE || in->form->op == OP_CALL)
            access = ACCESS_READ_WRITE; /* nothing is known: the value lives before and after */
        visit_operand(f, &tw_ptx_operands(f, in)[k], access, visit, context);
    }
}
