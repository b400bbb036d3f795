#include "machine/tensor_operand.h"

#include "base/bits.h"
#include "machine/run.h"

#include <string.h>

static struct arena *texts(const struct tensor_read *r)
{
    return r->cta->cluster->diags->arena;
}

enum { UNIT_BYTES = 16 };

const uint8_t *tw_tensor_shared_unit(const struct tensor_read *r, uint32_t offset)
{
    struct cluster *const c = r->cta->cluster;
    const uint8_t *const at = offset < 1u << 24 ? tw_cluster_shared(c, r->cta->rank << 24 | offset, UNIT_BYTES) : NULL;
    if (at == NULL) {
        tw_tensor_fault(r->pipe, r->op, E0772,
                        &(struct fault_note){
                            .expected = tw_format(texts(r), "addresses from 0x%x to 0x%x of shared memory", TW_SHARED_RESERVED_BYTES,
                                                  r->cta->shared_bytes - 1),
                            .found = tw_format(texts(r), "16 bytes at 0x%x", offset),
                            .fix = "check the start address and the strides of the descriptor",
                            .spec = "PTX ISA, tcgen05, shared memory descriptor"},
                        "%s reads %s outside shared memory", r->op->inst->name, r->what);
        return NULL;
    }
    if (observed(c)) {
        struct machine_event e = {.kind = EVENT_ACCESS, .space = SPACE_SHARED, .proxy = PROXY_ASYNC, .warp = r->op->warp,
                                  .lane = r->op->lane, .address = r->cta->rank << 24 | offset, .bytes = UNIT_BYTES, .read = true};
        tw_emit_op(c, r->cta, &e, r->op->number);
    }
    return at;
}

static void fault_cells(const struct tensor_read *r, uint32_t lane, uint32_t col, bool write)
{
    const bool outside = lane >= TW_TMEM_LANES || col >= TW_TMEM_COLS;
    tw_tensor_fault(r->pipe, r->op, E0762,
                    &(struct fault_note){
                        .expected = "columns that the CTA has allocated, until the operation has completed",
                        .found = outside ? tw_format(texts(r), "lane %u, column %u, outside tensor memory", lane, col)
                                         : tw_format(texts(r), "column %u, which is not allocated", col),
                        .fix = outside ? NULL : "wait for a tcgen05.commit of the operation before the columns are released"},
                    "%s %s %s in tensor memory that is not allocated", r->op->inst->name, write ? "writes" : "reads", r->what);
}

uint32_t *tw_tensor_cells(const struct tensor_read *r, uint32_t lane, uint32_t col, uint32_t cols, bool write)
{
    struct tmem *const t = tw_tmem_of(r->cta);
    const uint32_t bad = tw_tmem_unallocated(t, col, cols);
    if (lane >= TW_TMEM_LANES || bad != UINT32_MAX) {
        fault_cells(r, lane, bad != UINT32_MAX ? bad : col, write);
        return NULL;
    }
    if (observed(r->cta->cluster)) {
        struct machine_event e = {.kind = EVENT_ACCESS, .space = SPACE_TMEM, .proxy = PROXY_TMEM, .warp = r->op->warp,
                                  .lane = r->op->lane, .address = tmem_word(lane, col), .bytes = 4 * cols, .read = !write,
                                  .write = write};
        tw_emit_op(r->cta->cluster, r->cta, &e, r->op->number);
    }
    return tmem_cell(t, lane, col);
}

/* ---- Elements of a unit ---------------------------------------------------------------------- */

/* Elements of 6 or 4 bits are one little-endian bit stream; it may leave the end of the unit unused. */
static void unpack_bits(const uint8_t *unit, unsigned bits, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bit = bits * i;
        const uint32_t two = unit[bit / 8] | (uint32_t)(bit / 8 + 1 < UNIT_BYTES ? unit[bit / 8 + 1] : 0) << 8;
        out[i] = two >> bit % 8 & (uint32_t)bits_mask(bits);
    }
}

/* The first `count` elements of 16 bytes. SOURCE: PTX ISA, "Packing formats of matrix elements in shared memory". */
static void unpack_unit(const uint8_t *unit, const struct tensor_matrix *m, uint32_t count, uint32_t *out)
{
    if (m->container_bits == 16)
        for (uint32_t i = 0; i < count; i++)
            out[i] = unit[2 * i] | (uint32_t)unit[2 * i + 1] << 8;
    else if (m->container_bits == 32)
        memcpy(out, unit, count * sizeof *out);
    else if (tw_num_bits(m->format) == 8)
        for (uint32_t i = 0; i < count; i++)
            out[i] = unit[i];
    else
        unpack_bits(unit, tw_num_bits(m->format), count, out);
}

static bool read_k_major(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m, uint32_t *out)
{
    const uint32_t per_unit = UNIT_BYTES * 8 / m->container_bits;
    for (uint32_t row = 0; row < m->rows; row++)
        for (uint32_t k = 0; k < m->k; k += per_unit) {
            const uint8_t *const unit =
                tw_tensor_shared_unit(r, tw_smem_k_addr(desc, m->first_row + row, k / per_unit * UNIT_BYTES));
            if (unit == NULL)
                return false;
            unpack_unit(unit, m, m->k - k < per_unit ? m->k - k : per_unit, out + row * m->k + k);
        }
    return true;
}

/* Rows are neighbours in memory; the first row of the matrix need not begin a unit. */
static bool read_mn_major(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m, uint32_t *out)
{
    const uint32_t elem_bytes = m->container_bits / 8, per_unit = UNIT_BYTES / elem_bytes;
    const uint32_t first = m->first_row / per_unit * per_unit;
    for (uint32_t k = 0; k < m->k; k++)
        for (uint32_t row = first; row < m->first_row + m->rows; row += per_unit) {
            const uint8_t *const unit = tw_tensor_shared_unit(r, tw_smem_mn_addr(desc, elem_bytes, row, k));
            if (unit == NULL)
                return false;
            uint32_t elements[UNIT_BYTES];
            unpack_unit(unit, m, per_unit, elements);
            for (uint32_t i = 0; i < per_unit; i++)
                if (row + i >= m->first_row && row + i < m->first_row + m->rows)
                    out[(row + i - m->first_row) * m->k + k] = elements[i];
        }
    return true;
}

bool tw_tensor_read_shared(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m, uint32_t *out)
{
    return m->mn_major ? read_mn_major(r, desc, m, out) : read_k_major(r, desc, m, out);
}

/* ---- A in tensor memory ----------------------------------------------------------------------- */

/* Element j of a cell. SOURCE: PTX ISA, "Packing formats in tensor memory": byte containers hold 4-bit values in bits 5:2. */
static uint32_t cell_element(uint32_t cell, enum num_format format, unsigned container_bits, uint32_t j)
{
    const uint32_t raw = (uint32_t)bits_get(cell, container_bits * j, container_bits);
    if (container_bits != 8)
        return raw;
    const unsigned bits = tw_num_bits(format);
    return bits == 4 ? raw >> 2 & 0xf : raw & (uint32_t)bits_mask(bits);
}

bool tw_tensor_read_cells(const struct tensor_read *r, uint32_t lane, uint32_t col, const struct tensor_matrix *m, uint32_t *out)
{
    const uint32_t per_cell = 32 / m->container_bits;
    const uint32_t *const cells = tw_tensor_cells(r, lane, col, m->k / per_cell, false);
    if (cells == NULL)
        return false;
    for (uint32_t k = 0; k < m->k; k++)
        out[k] = cell_element(cells[k / per_cell], m->format, m->container_bits, k % per_cell);
    return true;
}
