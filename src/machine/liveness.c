/* Liveness of virtual registers over the control flow of one thread.
 *
 * Lanes of a warp may stand at different places, but a register row is 32 separate words, and a lane
 * writes only its own: what is dead for a thread may be overwritten by the same thread, whatever the
 * others do. A write under a guard does not end the old value's life, because the guard may be false.
 *
 * Backward data flow over basic blocks gives the registers alive at block borders; a range is the span
 * of all places where a register is alive. Spans are coarser than sets of places and cheap to allocate. */
#include "machine/liveness.h"

#include <string.h>

enum { WORD_BITS = 64 };

struct block {
    uint32_t first, last; /* instructions */
    uint32_t *next;       /* successors */
    uint32_t next_count;
    uint64_t *used;       /* read before any unconditional write in the block */
    uint64_t *killed;     /* written unconditionally before any read */
    uint64_t *live_in;
};

struct flow {
    struct arena *arena;
    const struct ptx_func *f;
    struct block *blocks;
    uint32_t count;
    uint32_t *block_of; /* of an instruction */
    uint32_t words;     /* of a set of registers */
};

static bool set_has(const uint64_t *set, uint32_t i) { return (set[i / WORD_BITS] >> (i % WORD_BITS) & 1) != 0; }
static void set_add(uint64_t *set, uint32_t i) { set[i / WORD_BITS] |= UINT64_C(1) << (i % WORD_BITS); }

/* ---- Blocks ------------------------------------------------------------------------------------------- */

static bool ends_block(const struct ptx_inst *in)
{
    const enum isa_op op = in->form->op;
    return op == OP_BRA || op == OP_BRX_IDX || op == OP_RET || op == OP_EXIT || op == OP_TRAP;
}

static void find_blocks(struct flow *w)
{
    const struct ptx_func *const f = w->f;
    bool *const leader = arena_new(w->arena, bool, f->insts.len + 1);
    leader[0] = true;
    for (uint32_t i = 0; i < f->labels.len; i++)
        leader[f->labels.at[i].inst] = true;
    for (uint32_t i = 0; i < f->insts.len; i++)
        if (ends_block(&f->insts.at[i]))
            leader[i + 1] = true;
    w->blocks = arena_new(w->arena, struct block, f->insts.len + 1);
    w->block_of = arena_new(w->arena, uint32_t, f->insts.len + 1);
    for (uint32_t i = 0; i < f->insts.len; i++) {
        if (leader[i])
            w->blocks[w->count++].first = i;
        w->blocks[w->count - 1].last = i;
        w->block_of[i] = w->count - 1;
    }
}

static void add_next(struct flow *w, struct block *b, uint32_t inst)
{
    if (inst < w->f->insts.len) /* behind the last instruction the function ends */
        b->next[b->next_count++] = w->block_of[inst];
}

static void link_block(struct flow *w, struct block *b)
{
    const struct ptx_func *const f = w->f;
    const struct ptx_inst *const in = &f->insts.at[b->last];
    const enum isa_op op = in->form->op;
    const struct ptx_table *const table = op == OP_BRX_IDX ? &f->tables.at[tw_ptx_operand(f, in, ROLE_TARGETS)->index] : NULL;
    b->next = arena_new(w->arena, uint32_t, (table == NULL ? 0 : table->targets.len) + 2);
    if (op == OP_BRA)
        add_next(w, b, f->labels.at[tw_ptx_operand(f, in, ROLE_LABEL)->index].inst);
    for (uint32_t i = 0; table != NULL && i < table->targets.len; i++)
        add_next(w, b, f->labels.at[table->targets.at[i]].inst);
    if (!ends_block(in) || in->guard != PTX_NONE)
        add_next(w, b, b->last + 1);
}

/* ---- What an instruction reads and writes ---------------------------------------------------------------- */

static void visit_operand(const struct ptx_func *f, const struct ptx_operand *o, unsigned access, register_visit_fn *visit, void *context)
{
    if (o->kind == OPERAND_REG)
        visit(context, o->index, (access & ACCESS_READ) != 0, (access & ACCESS_WRITE) != 0);
    else if (o->kind == OPERAND_ADDRESS && o->base == BASE_REG)
        visit(context, o->index, true, false);
    else if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_TENSOR || o->kind == OPERAND_LIST)
        for (uint32_t i = 0; i < o->count; i++)
            visit_operand(f, &tw_ptx_elements(f, o)[i], o->kind == OPERAND_TENSOR ? ACCESS_READ : access, visit, context);
}

void tw_liveness_visit(const struct ptx_func *f, const struct ptx_inst *in, register_visit_fn *visit, void *context)
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

struct block_scan {
    struct block *b;
    bool guarded;
};

static void scan_read(void *context, uint32_t reg, bool read, bool write)
{
    (void)write;
    struct block_scan *const s = context;
    if (read && !set_has(s->b->killed, reg))
        set_add(s->b->used, reg);
}

static void scan_write(void *context, uint32_t reg, bool read, bool write)
{
    (void)read;
    struct block_scan *const s = context;
    if (write && !s->guarded && !set_has(s->b->used, reg))
        set_add(s->b->killed, reg);
}

static void scan_block(struct flow *w, struct block *b)
{
    b->used = arena_new(w->arena, uint64_t, w->words);
    b->killed = arena_new(w->arena, uint64_t, w->words);
    b->live_in = arena_new(w->arena, uint64_t, w->words);
    for (uint32_t i = b->first; i <= b->last; i++) {
        const struct ptx_inst *const in = &w->f->insts.at[i];
        struct block_scan s = {b, in->guard != PTX_NONE};
        tw_liveness_visit(w->f, in, scan_read, &s);
        tw_liveness_visit(w->f, in, scan_write, &s);
    }
}

/* ---- Flow ------------------------------------------------------------------------------------------------- */

static void live_out(const struct flow *w, const struct block *b, uint64_t *out)
{
    memset(out, 0, w->words * sizeof *out);
    for (uint32_t i = 0; i < b->next_count; i++)
        for (uint32_t k = 0; k < w->words; k++)
            out[k] |= w->blocks[b->next[i]].live_in[k];
}

static void solve(struct flow *w, uint64_t *out)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = w->count; i-- > 0;) {
            struct block *const b = &w->blocks[i];
            live_out(w, b, out);
            for (uint32_t k = 0; k < w->words; k++) {
                const uint64_t in = b->used[k] | (out[k] & ~b->killed[k]);
                changed |= in != b->live_in[k];
                b->live_in[k] = in;
            }
        }
    }
}

static void extend(struct live_range *r, uint32_t at)
{
    if (at < r->first)
        r->first = at;
    if (r->last == UINT32_MAX || at > r->last)
        r->last = at;
}

static void extend_set(const struct flow *w, const uint64_t *set, uint32_t at, struct live_range *ranges)
{
    for (uint32_t k = 0; k < w->words; k++)
        for (uint64_t left = set[k]; left != 0; left &= left - 1)
            extend(&ranges[k * WORD_BITS + (uint32_t)__builtin_ctzll(left)], at);
}

struct place_scan {
    struct live_range *ranges;
    uint32_t at;
};

static void scan_place(void *context, uint32_t reg, bool read, bool write)
{
    (void)read;
    (void)write;
    struct place_scan *const s = context;
    extend(&s->ranges[reg], s->at);
}

struct live_range *tw_liveness_ranges(struct arena *arena, const struct ptx_func *f)
{
    struct live_range *const ranges = arena_new(arena, struct live_range, f->regs.len + 1);
    for (uint32_t i = 0; i <= f->regs.len; i++)
        ranges[i] = (struct live_range){UINT32_MAX, UINT32_MAX};
    const struct arena_mark mark = tw_arena_mark(arena);
    struct flow w = {.arena = arena, .f = f, .words = f->regs.len / WORD_BITS + 1};
    find_blocks(&w);
    for (uint32_t i = 0; i < w.count; i++) {
        link_block(&w, &w.blocks[i]);
        scan_block(&w, &w.blocks[i]);
    }
    uint64_t *const out = arena_new(arena, uint64_t, w.words);
    solve(&w, out);
    for (uint32_t i = 0; i < f->insts.len; i++)
        tw_liveness_visit(f, &f->insts.at[i], scan_place, &(struct place_scan){ranges, i});
    for (uint32_t i = 0; i < w.count; i++) {
        extend_set(&w, w.blocks[i].live_in, w.blocks[i].first, ranges);
        live_out(&w, &w.blocks[i], out);
        extend_set(&w, out, w.blocks[i].last, ranges);
    }
    tw_arena_rewind(arena, mark);
    for (uint32_t i = 0; i <= f->regs.len; i++)
        if (ranges[i].first == UINT32_MAX)
            ranges[i] = (struct live_range){1, 0};
    return ranges;
}
