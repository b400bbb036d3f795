/* Rows for virtual registers: a linear scan over live ranges. Registers of one width share rows when
 * their ranges do not touch; a register that is written where another is read for the last time gets
 * a row of its own, so that an instruction never writes a row that it still reads as another register. */
#include "machine/registers.h"

#include "machine/internal.h"
#include "machine/liveness.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTHS = 4 };
static const unsigned slot_bits[WIDTHS] = {128, 64, 32, 1}; /* wide rows first: every row stays aligned */

static unsigned width_of(const struct ptx_reg *r)
{
    const unsigned bits = isa_type_bits(r->type);
    return bits == 1 ? 3 : bits <= 32 ? 2 : bits == 64 ? 1 : 0;
}

static uint32_t bytes_of(unsigned width)
{
    return slot_bits[width] == 1 ? 4 : slot_bits[width] / 8 * LANES;
}

struct candidate {
    uint32_t reg;
    struct live_range range;
};

static int by_start(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;
    if (x->range.first != y->range.first)
        return x->range.first < y->range.first ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* Numbers rows for one width; returns how many. `ends[row]` is where the row's register dies. A heap keeps the row that is
 * free first at the root. */
struct row_end {
    uint32_t end, number;
};

static void sift_down(struct row_end *heap, uint32_t count, uint32_t i)
{
    for (;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (heap[child].end < heap[least].end)
                least = child;
        if (least == i)
            return;
        const struct row_end t = heap[i];
        heap[i] = heap[least];
        heap[least] = t;
        i = least;
    }
}

static void sift_up(struct row_end *heap, uint32_t i)
{
    for (; i > 0 && heap[i].end < heap[(i - 1) / 2].end; i = (i - 1) / 2) {
        const struct row_end t = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = t;
    }
}

static uint32_t scan_width(struct candidate *c, uint32_t count, struct row_end *heap, uint32_t *row_of)
{
    uint32_t rows = 0;
    qsort(c, count, sizeof *c, by_start);
    for (uint32_t i = 0; i < count; i++) {
        if (rows > 0 && heap[0].end < c[i].range.first) {
            row_of[c[i].reg] = heap[0].number;
            heap[0].end = c[i].range.last;
            sift_down(heap, rows, 0);
            continue;
        }
        row_of[c[i].reg] = rows;
        heap[rows] = (struct row_end){c[i].range.last, rows};
        sift_up(heap, rows);
        rows++;
    }
    return rows;
}

/* Parameters and results in registers hold values from the call to the return. */
static void pin_parameters(const struct ptx_func *f, struct live_range *ranges)
{
    for (uint32_t i = 0; i < f->vars.len; i++)
        if (f->vars.at[i].space == MOD_REG && f->vars.at[i].reg != PTX_NONE)
            ranges[f->vars.at[i].reg] = (struct live_range){0, f->insts.len};
}

/* A product of wgmma writes its accumulators when it lands, which may be after the last instruction that names them, or
 * before the first in the text of a loop. Its other operands are taken when it is issued. */
static void pin_accumulators(const struct ptx_func *f, struct live_range *ranges)
{
    for (uint32_t i = 0; i < f->insts.len; i++) {
        const enum isa_op op = f->insts.at[i].form->op;
        if (op != OP_WGMMA && op != OP_WGMMA_SP)
            continue;
        const struct ptx_operand *const d = tw_ptx_operand(f, &f->insts.at[i], ROLE_D);
        for (uint32_t k = 0; d->kind == OPERAND_VECTOR && k < d->count; k++)
            if (tw_ptx_elements(f, d)[k].kind == OPERAND_REG)
                ranges[tw_ptx_elements(f, d)[k].index] = (struct live_range){0, f->insts.len};
    }
}

uint32_t *tw_registers_assign(struct arena *arena, const struct ptx_func *f, uint32_t *frame_bytes)
{
    uint32_t *const ref = arena_new(arena, uint32_t, f->regs.len + 1);
    const struct arena_mark mark = tw_arena_mark(arena);
    struct live_range *const ranges = tw_liveness_ranges(arena, f);
    struct candidate *const c = arena_new(arena, struct candidate, f->regs.len + 1);
    struct row_end *const heap = arena_new(arena, struct row_end, f->regs.len + 1);
    uint32_t next = 0;
    pin_parameters(f, ranges);
    pin_accumulators(f, ranges);
    for (uint32_t i = 0; i < f->regs.len; i++)
        ref[i] = REF_NONE;
    for (unsigned width = 0; width < WIDTHS; width++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < f->regs.len; i++)
            if (width_of(&f->regs.at[i]) == width && ranges[i].first <= ranges[i].last)
                c[count++] = (struct candidate){i, ranges[i]};
        const uint32_t rows = scan_width(c, count, heap, ref);
        for (uint32_t i = 0; i < count; i++)
            ref[c[i].reg] = next + ref[c[i].reg] * bytes_of(width);
        next += rows * bytes_of(width);
    }
    tw_arena_rewind(arena, mark);
    *frame_bytes = (next + 63) / 64 * 64;
    return ref;
}
