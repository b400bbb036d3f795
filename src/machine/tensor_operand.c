#include "machine/tensor_operand.h"

#include "base/bits.h"
#include "machine/operand_groups.h"
#include "machine/run.h"

#include <string.h>

static struct arena *texts(const struct tensor_read *r)
{
    return r->cta->cluster->diags->arena;
}

static void emit_unit(const struct tensor_read *r, uint32_t offset)
{
    struct machine_event e = {.kind = EVENT_ACCESS, .space = SPACE_SHARED, .proxy = PROXY_ASYNC, .warp = r->op->warp,
                              .lane = r->op->lane, .address = r->cta->rank << 24 | offset, .bytes = UNIT_BYTES, .read = true};
    tw_emit_op(r->cta->cluster, r->cta, &e, r->op->number);
}

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
    if (observed(c))
        emit_unit(r, offset);
    return at;
}

/* Released columns were allocated when the operation was issued, most likely: it was not waited for. */
static void fault_cells(const struct tensor_read *r, uint32_t lane, uint32_t col, bool write)
{
    const bool outside = lane >= TW_TMEM_LANES || col >= TW_TMEM_COLS;
    const bool released = tw_tmem_was_released(tw_tmem_of(r->cta), col);
    tw_tensor_fault(r->pipe, r->op, E0762,
                    &(struct fault_note){
                        .expected = "columns that the CTA has allocated, until the operation has completed",
                        .found = outside    ? tw_format(texts(r), "lane %u, column %u, outside tensor memory", lane, col)
                                 : released ? tw_format(texts(r), "column %u, which has been released", col)
                                            : tw_format(texts(r), "column %u, which was never allocated", col),
                        .fix = outside    ? NULL
                               : released ? "wait for a tcgen05.commit of the operation before the columns are released"
                                          : "let tcgen05.alloc reserve all columns of the operation before it is issued"},
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

uint32_t tw_tensor_word_bytes(const struct tensor_matrix *m)
{
    return m->container_bits >= 16 ? m->container_bits / 8 : 1;
}

/* Whether a unit is words of the operand as they are to be read. */
static bool holds_words(const struct tensor_matrix *m)
{
    return m->container_bits >= 16 || (m->container_bits == 8 && tw_num_bits(m->format) == 8);
}

/* Elements of 6 or 4 bits are one little-endian bit stream; it may leave the end of the unit unused. */
static void unpack_bits(const uint8_t *unit, unsigned bits, uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bit = bits * i;
        const uint32_t two = unit[bit / 8] | (uint32_t)(bit / 8 + 1 < UNIT_BYTES ? unit[bit / 8 + 1] : 0) << 8;
        out[i] = (uint8_t)(two >> bit % 8 & (uint32_t)bits_mask(bits));
    }
}

/* The first `count` elements of 16 bytes. SOURCE: PTX ISA, "Packing formats of matrix elements in shared memory". */
static inline void unpack_unit(const uint8_t *unit, const struct tensor_matrix *m, uint32_t count, uint8_t *out)
{
    if (holds_words(m))
        memcpy(out, unit, (size_t)count * tw_tensor_word_bytes(m));
    else
        unpack_bits(unit, tw_num_bits(m->format), count, out);
}

static inline uint32_t at_most(uint32_t n, uint32_t limit)
{
    return n < limit ? n : limit;
}

/* ---- Unit by unit: the definition --------------------------------------------------------------- */

static bool read_k_major(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                         const struct tensor_words *out)
{
    const uint32_t per_unit = UNIT_BYTES * 8 / m->container_bits;
    for (uint32_t row = 0; row < m->rows; row++)
        for (uint32_t k = 0; k < m->k; k += per_unit) {
            const uint8_t *const unit =
                tw_tensor_shared_unit(r, tw_smem_k_addr(desc, m->first_row + row, k / per_unit * UNIT_BYTES));
            if (unit == NULL)
                return false;
            unpack_unit(unit, m, at_most(per_unit, m->k - k), tensor_word(out, row, k));
        }
    return true;
}

/* Rows are neighbours in memory; the first row of the matrix need not begin a unit. */
static bool read_mn_major(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                          const struct tensor_words *out)
{
    const uint32_t elem_bytes = m->container_bits / 8, per_unit = UNIT_BYTES / elem_bytes;
    const uint32_t first = m->first_row / per_unit * per_unit, end = m->first_row + m->rows;
    for (uint32_t k = 0; k < m->k; k++)
        for (uint32_t row = first; row < end; row += per_unit) {
            const uint8_t *const unit = tw_tensor_shared_unit(r, tw_smem_mn_addr(desc, elem_bytes, row, k));
            if (unit == NULL)
                return false;
            uint8_t elements[UNIT_BYTES];
            unpack_unit(unit, m, per_unit, elements);
            for (uint32_t i = 0; i < per_unit; i++)
                if (row + i >= m->first_row && row + i < end)
                    memcpy(tensor_word(out, row + i - m->first_row, k), elements + i * elem_bytes, elem_bytes);
        }
    return true;
}

/* ---- Whole operands --------------------------------------------------------------------------- */

static bool read_k_groups(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                          const struct tensor_words *out)
{
    const uint32_t per_unit = UNIT_BYTES * 8 / m->container_bits, units = (m->k + per_unit - 1) / per_unit;
    struct operand_groups g;
    if (!tw_operand_rows(&g, r->cta, desc, m->first_row, m->rows, units))
        return false;
    const bool watched = observed(r->cta->cluster), words = holds_words(m);
    const uint8_t *const window = r->cta->shared;
    for (uint32_t row = 0; row < m->rows; row++) {
        uint8_t *const to = tensor_word(out, row, 0);
        for (uint32_t unit = 0; unit < units; unit++) {
            const uint32_t offset = operand_unit(&g, m->first_row + row, unit);
            if (watched)
                emit_unit(r, offset);
            if (words && (unit + 1) * per_unit <= m->k)
                memcpy(to + unit * UNIT_BYTES, window + offset, UNIT_BYTES);
            else
                unpack_unit(window + offset, m, at_most(per_unit, m->k - unit * per_unit), to + (size_t)unit * per_unit * out->word_bytes);
        }
    }
    return true;
}

/* Of whole units of rows alone, and when nobody watches: an observer sees column after column. */
static bool read_mn_groups(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                           const struct tensor_words *out)
{
    const uint32_t elem_bytes = m->container_bits / 8, per_unit = UNIT_BYTES / elem_bytes;
    if (observed(r->cta->cluster) || !holds_words(m) || out->row_stride != 1 || m->first_row % per_unit != 0 || m->rows % per_unit != 0)
        return false;
    for (uint32_t row = 0; row < m->rows; row += per_unit) {
        struct operand_groups g;
        if (!tw_operand_columns(&g, r->cta, desc, elem_bytes, m->first_row + row, m->k))
            return false;
        for (uint32_t k = 0; k < m->k; k++)
            memcpy(tensor_word(out, row, k), r->cta->shared + operand_unit(&g, k, 0), UNIT_BYTES);
    }
    return true;
}

bool tw_tensor_read_units(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                          const struct tensor_words *out)
{
    return m->mn_major ? read_mn_major(r, desc, m, out) : read_k_major(r, desc, m, out);
}

bool tw_tensor_read_shared(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                           const struct tensor_words *out)
{
    return (m->mn_major ? read_mn_groups(r, desc, m, out) : read_k_groups(r, desc, m, out)) || tw_tensor_read_units(r, desc, m, out);
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

bool tw_tensor_read_cells(const struct tensor_read *r, uint32_t lane, uint32_t col, const struct tensor_matrix *m, uint8_t *out)
{
    const uint32_t per_cell = 32 / m->container_bits;
    const uint32_t *const cells = tw_tensor_cells(r, lane, col, m->k / per_cell, false);
    if (cells == NULL)
        return false;
    if (holds_words(m))
        memcpy(out, cells, (size_t)m->k * tw_tensor_word_bytes(m));
    else
        for (uint32_t k = 0; k < m->k; k++)
            out[k] = (uint8_t)cell_element(cells[k / per_cell], m->format, m->container_bits, k % per_cell);
    return true;
}
