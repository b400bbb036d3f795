/* Performing wgmma products: A and B are read through their descriptors, the accumulators of the four warps are
 * gathered into one matrix, multiplied as a tile, and put back. A chain of products on one accumulator is gathered once. */
#include "machine/decode.h"
#include "machine/operand_groups.h"
#include "machine/run.h"
#include "machine/tally.h"
#include "num/sparse.h"
#include "machine/wgmma_pipe.h"

#include <string.h>

enum { ALIGN = 64 };

struct product {
    struct wgmma_pipe *pipe;
    const struct wgmma_item *item;
    const struct wgmma_inst *inst;
    uint32_t word_bytes, d_bytes; /* of an element in the matrices below; a bit takes a byte */
    uint8_t *a, *b, *d;           /* (64, stored_k), (n, k), (64, n), rows one after the other */
    uint8_t *chosen;              /* sparse: (n, stored_k), the elements of B that a row of A meets */
    uint8_t *scratch;             /* of the tile */
    size_t scratch_bytes;
};

static struct arena *texts(const struct product *p)
{
    return p->pipe->cta->cluster->diags->arena;
}

/* ---- Shared memory ---------------------------------------------------------------------------------------- */

static const uint8_t *fault_outside(const struct product *p, const char *what, uint32_t offset)
{
    tw_wgmma_fault(p->pipe, p->item, p->item->first_warp, 0, E0772,
                   &(struct fault_note){.expected = tw_format(texts(p), "addresses from 0x%x to 0x%x of shared memory",
                                                              TW_SHARED_RESERVED_BYTES, p->pipe->cta->shared_bytes - 1),
                                        .found = tw_format(texts(p), "16 bytes at 0x%x", offset),
                                        .fix = "check the start address and the strides of the descriptor",
                                        .spec = "PTX ISA, wgmma, matrix descriptor"},
                   "%s reads %s outside shared memory", p->inst->name, what);
    return NULL;
}

static void emit_unit(const struct product *p, uint32_t offset)
{
    struct cta *const cta = p->pipe->cta;
    struct machine_event e = {.kind = EVENT_ACCESS, .space = SPACE_SHARED, .proxy = PROXY_ASYNC, .read = true,
                              .warp = p->item->first_warp, .address = cta->rank << 24 | offset, .bytes = UNIT_BYTES};
    tw_emit_op(cta->cluster, cta, &e, p->item->op);
}

/* 16 bytes at an offset of the CTA's window; NULL after a fault. */
static const uint8_t *unit_at(const struct product *p, const char *what, uint32_t offset)
{
    struct cta *const cta = p->pipe->cta;
    const uint8_t *const at = offset < 1u << 24 ? tw_cluster_shared(cta->cluster, cta->rank << 24 | offset, UNIT_BYTES) : NULL;
    if (at == NULL)
        return fault_outside(p, what, offset);
    if (observed(cta->cluster))
        emit_unit(p, offset);
    return at;
}

/* A unit's elements, one bit a byte. */
static void spread_bits(const uint8_t *unit, uint8_t *out)
{
    for (uint32_t i = 0; i < UNIT_BYTES * 8; i++)
        out[i] = unit[i / 8] >> i % 8 & 1;
}

static bool read_k_major(const struct product *p, const char *what, const struct smem_desc *desc, uint32_t rows, uint32_t k,
                         uint8_t *out)
{
    const uint32_t per_unit = UNIT_BYTES * 8 / p->inst->elem_bits;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t at = 0; at < k; at += per_unit) {
            const uint8_t *const unit = unit_at(p, what, tw_smem_k_addr(desc, row, at / per_unit * UNIT_BYTES));
            uint8_t *const to = out + (size_t)(row * k + at) * p->word_bytes;
            if (unit == NULL)
                return false;
            if (p->inst->elem_bits == 1)
                spread_bits(unit, to);
            else
                memcpy(to, unit, UNIT_BYTES);
        }
    return true;
}

/* The same, where the addresses of a group are those of all. */
static bool read_k_groups(const struct product *p, const struct smem_desc *desc, uint32_t rows, uint32_t k, uint8_t *out)
{
    const struct cta *const cta = p->pipe->cta;
    const uint32_t units = k * p->inst->elem_bits / (UNIT_BYTES * 8), step = UNIT_BYTES * 8 / p->inst->elem_bits * p->word_bytes;
    struct operand_groups g;
    if (!tw_operand_rows(&g, cta, desc, 0, rows, units))
        return false;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t unit = 0; unit < units; unit++, out += step) {
            const uint32_t offset = operand_unit(&g, row, unit);
            if (observed(cta->cluster))
                emit_unit(p, offset);
            if (p->inst->elem_bits == 1)
                spread_bits(cta->shared + offset, out);
            else
                memcpy(out, cta->shared + offset, UNIT_BYTES);
        }
    return true;
}

/* Only 16-bit elements; eight rows are neighbours in memory. */
static bool read_mn_major(const struct product *p, const char *what, const struct smem_desc *desc, uint32_t rows, uint32_t k,
                          uint8_t *out)
{
    for (uint32_t at = 0; at < k; at++)
        for (uint32_t row = 0; row < rows; row += UNIT_BYTES / 2) {
            const uint8_t *const unit = unit_at(p, what, tw_smem_mn_addr(desc, 2, row, at));
            if (unit == NULL)
                return false;
            for (uint32_t i = 0; i < UNIT_BYTES / 2; i++)
                memcpy(out + (size_t)((row + i) * k + at) * 2, unit + 2 * i, 2);
        }
    return true;
}

static bool read_shared(const struct product *p, const char *what, uint64_t word, bool mn_major, uint32_t rows, uint32_t k, uint8_t *out)
{
    struct smem_desc desc;
    struct smem_fault_list faults; /* none: looked at when the product was issued */
    (void)tw_smem_desc_decode(SMEM_DESC_WGMMA, word, &desc, &faults);
    if (mn_major)
        return read_mn_major(p, what, &desc, rows, k, out);
    return read_k_groups(p, &desc, rows, k, out) || read_k_major(p, what, &desc, rows, k, out);
}

/* ---- Registers -------------------------------------------------------------------------------------------- */

/* The words of A as they were at issue. */
static void read_a_registers(const struct product *p)
{
    const uint32_t per_reg = mma_elems_per_reg(p->inst->elem_bits);
    for (uint32_t warp = 0; warp < WGMMA_WARPS; warp++)
        for (uint32_t reg = 0; reg < WGMMA_A_REGS; reg++)
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const uint32_t word = p->item->a[warp][reg][lane];
                const struct mma_coord at = tw_mma_a_coord(16, p->inst->elem_bits, lane, reg, 0);
                uint8_t *const to = p->a + (size_t)((warp * WGMMA_WARP_ROWS + at.row) * p->inst->stored_k + at.col) * p->word_bytes;
                for (uint32_t e = 0; p->inst->elem_bits == 1 && e < per_reg; e++)
                    to[e] = word >> e & 1;
                if (p->inst->elem_bits != 1)
                    memcpy(to, &word, sizeof word);
            }
}

static bool read_a(const struct product *p)
{
    if (p->inst->a_in_regs)
        read_a_registers(p);
    else
        return read_shared(p, "A", p->item->operands.a_desc, p->inst->a_mn_major, WGMMA_M, p->inst->stored_k, p->a);
    return true;
}

static uint32_t *d_row(const struct wgmma_item *item, uint32_t warp, uint32_t reg)
{
    const struct wgmma_inst *const inst = item->d->extra;
    return (uint32_t *)(void *)(item->frame[warp]->regs + item->code->refs[inst->d.ref + reg]);
}

/* Bytes from the first element of the warp's rows of D to register `reg` of a lane, which holds 32 bits of neighbours
 * whatever the format. The row and the column are sums of a lane's part and a register's part. */
static uint32_t d_place(const struct product *p, uint32_t lane, uint32_t reg)
{
    const struct mma_coord at = wgmma_d_coord(p->inst->d_bits, lane, reg, 0);
    return (at.row * p->inst->n + at.col) * p->d_bytes;
}

/* Accumulator registers into the matrix D, or back. */
static void move_d(const struct product *p, bool to_registers)
{
    uint32_t place[LANES];
    for (uint32_t lane = 0; lane < LANES; lane++)
        place[lane] = d_place(p, lane, 0);
    for (uint32_t warp = 0; warp < WGMMA_WARPS; warp++)
        for (uint32_t reg = 0; reg < p->inst->d_regs; reg++) {
            uint32_t *const row = d_row(p->item, warp, reg);
            uint8_t *const at = p->d + (size_t)warp * WGMMA_WARP_ROWS * p->inst->n * p->d_bytes + d_place(p, 0, reg);
            for (uint32_t lane = 0; lane < LANES; lane++)
                if (to_registers)
                    memcpy(&row[lane], at + place[lane], sizeof row[lane]);
                else
                    memcpy(at + place[lane], &row[lane], sizeof row[lane]);
        }
}

/* ---- Multiplying -------------------------------------------------------------------------------------------- */

static struct num_tile_job job_of(const struct product *p)
{
    const struct wgmma_inst *const inst = p->inst;
    const struct num_tile_words a = {p->a, p->word_bytes, inst->stored_k, 1}, b = {p->b, p->word_bytes, inst->k, 1};
    const struct num_tile_words c = {p->d, p->d_bytes, inst->n, 1};
    return (struct num_tile_job){.model = inst->model, .how = &inst->how, .m = WGMMA_M, .n = inst->n, .k = inst->stored_k, .a = a,
                                 .b = b, .c = p->item->operands.read_d ? c : (struct num_tile_words){0}, .d = p->d,
                                 .d_word_bytes = p->d_bytes, .d_row_stride = inst->n, .d_step = 1, .scratch = p->scratch,
                                 .scratch_bytes = p->scratch_bytes};
}

/* Which logical element of k each stored element of a row of A stands for; false after a fault. */
static bool select_row(const struct product *p, uint32_t row, uint8_t *select)
{
    const struct wgmma_inst *const inst = p->inst;
    const uint32_t group = mma_sp_group(inst->elem_bits), warp = row / WGMMA_WARP_ROWS;
    for (uint32_t i = 0; i < inst->k / group; i++) {
        uint8_t places[4];
        const struct mma_meta at = tw_mma_sp_meta(inst->elem_bits, inst->k, inst->selector, row % WGMMA_WARP_ROWS, i);
        const uint32_t code = p->item->meta[warp][at.lane] >> (4 * at.nibble) & 0xf;
        if (!tw_mma_sp_select(inst->elem_bits, code, true, places)) {
            tw_wgmma_fault(p->pipe, p->item, p->item->first_warp + warp, at.lane, E0776,
                           &(struct fault_note){.expected = tw_num_sparse_codes(inst->elem_bits, true),
                                                .found = tw_format(texts(p), "0x%x for row %u, group %u", code, row, i),
                                                .spec = "PTX ISA, wgmma.mma_async.sp, sparsity metadata"},
                           "%s: a code of the sparsity metadata is illegal", inst->name);
            return false;
        }
        for (uint32_t e = 0; e < group / 2; e++)
            select[i * (group / 2) + e] = (uint8_t)(i * group + places[e]);
    }
    return true;
}

/* Every row of A meets its own choice of B: a tile of one row each. */
static bool multiply_sparse(const struct product *p)
{
    const struct wgmma_inst *const inst = p->inst;
    for (uint32_t row = 0; row < WGMMA_M; row++) {
        uint8_t select[64];
        if (!select_row(p, row, select))
            return false;
        for (uint32_t n = 0; n < inst->n; n++)
            for (uint32_t i = 0; i < inst->stored_k; i++)
                memcpy(p->chosen + (size_t)(n * inst->stored_k + i) * p->word_bytes,
                       p->b + (size_t)(n * inst->k + select[i]) * p->word_bytes, p->word_bytes);
        struct num_tile_job job = job_of(p);
        uint8_t *const d = p->d + (size_t)row * inst->n * p->d_bytes;
        job.m = 1;
        job.a.words = p->a + (size_t)row * inst->stored_k * p->word_bytes;
        job.b.words = p->chosen;
        job.b.row_stride = inst->stored_k;
        job.c.words = job.c.words == NULL ? NULL : d;
        job.d = d;
        inst->tile->run(&job);
    }
    return true;
}

static bool multiply(const struct product *p)
{
    const struct wgmma_inst *const inst = p->inst;
    if (!read_a(p) || !read_shared(p, "B", p->item->operands.b_desc, inst->b_mn_major, inst->n, inst->k, p->b))
        return false;
    if (inst->sparse)
        return multiply_sparse(p);
    const struct num_tile_job job = job_of(p);
    inst->tile->run(&job);
    return true;
}

/* ---- Chains ------------------------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Places for the matrices in the pipe's scratch, which only grows. D stands first: it stays while a chain runs. */
static void make_room(struct product *p)
{
    const struct wgmma_inst *const inst = p->inst;
    p->word_bytes = inst->elem_bits < 8 ? 1 : inst->elem_bits / 8;
    p->d_bytes = inst->d_bits / 8;
    struct num_tile_job job = job_of(p);
    p->scratch_bytes = tw_num_tile_scratch(&job);
    const size_t d = aligned((size_t)WGMMA_M * WGMMA_MAX_N * 4), a = aligned((size_t)WGMMA_M * inst->stored_k * p->word_bytes);
    const size_t b = aligned((size_t)inst->n * inst->k * p->word_bytes), chosen = inst->sparse ? b : 0;
    const size_t need = d + a + b + chosen + p->scratch_bytes + ALIGN;
    struct wgmma_pipe *const pipe = p->pipe;
    if (pipe->scratch_bytes < need) {
        uint8_t *const larger = tw_arena_alloc(&pipe->cta->cluster->arena, 1, need + ALIGN);
        uint8_t *const at = larger + ((ALIGN - ((uintptr_t)larger & (ALIGN - 1))) & (ALIGN - 1));
        if (pipe->scratch != NULL)
            memcpy(at, pipe->scratch, d);
        pipe->scratch = at;
        pipe->scratch_bytes = need;
    }
    p->d = pipe->scratch;
    p->a = p->d + d;
    p->b = p->a + a;
    p->chosen = p->b + b;
    p->scratch = p->chosen + chosen;
}

static bool same_accumulator(const struct wgmma_item *x, const struct wgmma_item *y)
{
    const struct wgmma_inst *const a = x->d->extra, *const b = y->d->extra;
    return x->code == y->code && a->n == b->n && a->d_bits == b->d_bits && memcmp(x->frame, y->frame, sizeof x->frame) == 0 &&
           memcmp(&x->code->refs[a->d.ref], &x->code->refs[b->d.ref], a->d_regs * sizeof *x->code->refs) == 0;
}

static void announce(struct wgmma_pipe *pipe, const struct wgmma_item *item)
{
    struct cta *const cta = pipe->cta;
    if (!observed(cta->cluster))
        return;
    tw_emit_op(cta->cluster, cta, &(struct machine_event){.kind = EVENT_ASYNC_COMPLETE}, item->op);
    for (uint32_t i = 0; i < WGMMA_WARPS; i++)
        tw_emit(&cta->warps[item->first_warp + i], &(struct machine_event){.kind = EVENT_ASYNC_WAIT, .op = item->op}, ALL_LANES);
}

bool tw_wgmma_perform(struct wgmma_pipe *pipe, struct wgmma_group *group, uint64_t last)
{
    struct product held = {0}; /* whose accumulator the matrix D holds */
    for (struct wgmma_item *item = group->first; item != NULL; item = item->next) {
        if (item->kind != WGMMA_ITEM_MMA || item->landed)
            continue;
        if (item->group == 0 || item->group > last)
            break;
        const bool chained = held.item != NULL && same_accumulator(held.item, item);
        if (held.item != NULL && !chained)
            move_d(&held, true);
        struct product p = {.pipe = pipe, .item = item, .inst = item->d->extra};
        make_room(&p);
        if (!chained && item->operands.read_d)
            move_d(&p, false);
        if (!multiply(&p))
            return false;
        held = p;
        tally_products(pipe->cta->cluster, item->code, item->d->origin, p.inst->model, (uint64_t)WGMMA_M * p.inst->n * p.inst->stored_k);
        item->landed = true;
        group->landed = item->number;
        group->in_flight--;
        announce(pipe, item);
    }
    if (held.item != NULL)
        move_d(&held, true);
    return true;
}
