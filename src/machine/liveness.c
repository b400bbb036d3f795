/* Liveness of virtual registers over the control flow of one thread.
 *
 * Lanes of a warp may stand at different places, but a register row is 32 separate words, and a lane
 * writes only its own: what is dead for a thread may be overwritten by the same thread, whatever the
 * others do. A write under a guard does not end the old value's life, because the guard may be false.
 *
 * Backward data flow over basic blocks gives the registers alive at block borders; a range is the span
 * of all places where a register is alive. Spans are coarser than sets of places and cheap to allocate. */
#include "machine/liveness.h"

#include "ptx/flow.h"

#include <string.h>

struct block {
    uint64_t *used;   /* read before any unconditional write in the block */
    uint64_t *killed; /* written unconditionally before any read */
    uint64_t *live_in;
};

struct flow {
    struct arena *arena;
    const struct ptx_func *f;
    struct ptx_flow graph;
    struct block *blocks; /* one for each of the graph */
    uint32_t words;       /* of a set of registers */
};

/* ---- What a block reads and writes ------------------------------------------------------------------------ */

struct block_scan {
    struct block *b;
    bool guarded;
};

static void scan_read(void *context, uint32_t reg, bool read, bool write)
{
    (void)write;
    struct block_scan *const s = context;
    if (read && !tw_ptx_set_has(s->b->killed, reg))
        tw_ptx_set_add(s->b->used, reg);
}

static void scan_write(void *context, uint32_t reg, bool read, bool write)
{
    (void)read;
    struct block_scan *const s = context;
    if (write && !s->guarded && !tw_ptx_set_has(s->b->used, reg))
        tw_ptx_set_add(s->b->killed, reg);
}

static void scan_block(struct flow *w, const struct ptx_block *at, struct block *b)
{
    b->used = arena_new(w->arena, uint64_t, w->words);
    b->killed = arena_new(w->arena, uint64_t, w->words);
    b->live_in = arena_new(w->arena, uint64_t, w->words);
    for (uint32_t i = at->first; i <= at->last; i++) {
        const struct ptx_inst *const in = &w->f->insts.at[i];
        struct block_scan s = {b, in->guard != PTX_NONE};
        tw_ptx_visit_registers(w->f, in, scan_read, &s);
        tw_ptx_visit_registers(w->f, in, scan_write, &s);
    }
}

/* ---- Flow ------------------------------------------------------------------------------------------------- */

static void live_out(const struct flow *w, const struct ptx_block *b, uint64_t *out)
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
        for (uint32_t i = w->graph.count; i-- > 0;) {
            struct block *const b = &w->blocks[i];
            live_out(w, &w->graph.blocks[i], out);
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
            extend(&ranges[k * PTX_SET_BITS + (uint32_t)__builtin_ctzll(left)], at);
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
    struct flow w = {.arena = arena, .f = f, .graph = tw_ptx_flow(arena, f), .words = tw_ptx_set_words(f->regs.len)};
    w.blocks = arena_new(arena, struct block, w.graph.count + 1);
    for (uint32_t i = 0; i < w.graph.count; i++)
        scan_block(&w, &w.graph.blocks[i], &w.blocks[i]);
    uint64_t *const out = arena_new(arena, uint64_t, w.words);
    solve(&w, out);
    for (uint32_t i = 0; i < f->insts.len; i++)
        tw_ptx_visit_registers(f, &f->insts.at[i], scan_place, &(struct place_scan){ranges, i});
    for (uint32_t i = 0; i < w.graph.count; i++) {
        const struct ptx_block *const b = &w.graph.blocks[i];
        extend_set(&w, w.blocks[i].live_in, b->first, ranges);
        live_out(&w, b, out);
        extend_set(&w, out, b->last, ranges);
    }
    tw_arena_rewind(arena, mark);
    for (uint32_t i = 0; i <= f->regs.len; i++)
        if (ranges[i].first == UINT32_MAX)
            ranges[i] = (struct live_range){1, 0};
    return ranges;
}
