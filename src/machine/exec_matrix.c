/* ldmatrix, stmatrix, movmatrix: rows of 16 bytes against fragments spread over the warp.
 * MEASURED: ptx-async.md 1.6 (16-bit forms); the 8-bit forms follow its tables, which are not measured.
 *
 * Below g = lane / 4 and t = lane % 4. Matrix m has its rows at the addresses of lanes rows * m + row. */
#include "isa/matrix_map.h"
#include "machine/exec_lanes.h"
#include "machine/exec_memory.h"
#include "machine/tally.h"

enum { ROW_BYTES = MATRIX_ROW_BYTES, MAX_ROWS = 32 };

/* mod: map, registers, matrices, rows of a matrix, source format (0 bytes, 6 or 4 bits) */

/* A source row of packed 6-bit or 4-bit values, one value to a byte. SOURCE: PTX ISA, ldmatrix; fp4 sits in bits 5:2. */
static void expand_row(uint8_t row_bytes[ROW_BYTES], unsigned bits)
{
    uint8_t packed[ROW_BYTES];
    memcpy(packed, row_bytes, ROW_BYTES);
    for (unsigned i = 0; i < ROW_BYTES; i++) {
        const unsigned at = i * bits;
        const unsigned word = packed[at / 8] | (unsigned)(at / 8 + 1 < ROW_BYTES ? packed[at / 8 + 1] : 0) << 8;
        const unsigned value = word >> at % 8 & ((1u << bits) - 1);
        row_bytes[i] = (uint8_t)(bits == 4 ? value << 2 : value);
    }
}

static struct matrix_form form_of(const struct dinst *d)
{
    return (struct matrix_form){.map = (enum matrix_map)d->mod[0], .regs = d->mod[1], .matrices = d->mod[2], .rows = d->mod[3]};
}

static uint8_t *row_address(struct warp *w, const struct dinst *d, const struct dop *o, unsigned lane, bool write)
{
    const uint64_t address = lane_address(w, o, lane);
    uint8_t *const at = access_at(w, d, lane, (enum space)d->imm, address, ROW_BYTES, write);
    if (at != NULL)
        tally_lanes(w, d, o, UINT32_C(1) << lane, ROW_BYTES, !write, write);
    if (at != NULL && observed(w->cluster))
        tw_emit_access(w, d, lane, (enum space)d->imm, address, ROW_BYTES, !write, write);
    return at;
}

static uint32_t register_of(const struct warp *w, const struct dop *o, unsigned i)
{
    return o->count == 0 ? o->ref : w->code->refs[o->ref + i];
}

/* The forms of 16-bit elements, which most kernels use, by halves: as tw_matrix_place says it byte by byte. */
static uint32_t word_of_halves(const struct dinst *d, uint8_t (*rows)[ROW_BYTES], unsigned lane, unsigned r)
{
    const unsigned g = lane / 4, t = lane % 4;
    uint32_t word = 0;
    uint16_t low, high;
    if (d->mod[0] == MATRIX_B16) {
        memcpy(&word, &rows[r * 8 + g][4 * t], sizeof word);
        return word;
    }
    memcpy(&low, &rows[r * 8 + 2 * t][2 * g], sizeof low);
    memcpy(&high, &rows[r * 8 + 2 * t + 1][2 * g], sizeof high);
    return (uint32_t)high << 16 | low;
}

static uint32_t word_of_bytes(const struct dinst *d, uint8_t (*rows)[ROW_BYTES], unsigned lane, unsigned r)
{
    const struct matrix_form form = form_of(d);
    uint32_t word = 0;
    for (unsigned b = 0; b < 4; b++) {
        const struct matrix_place at = tw_matrix_place(&form, lane, r, b);
        word |= (uint32_t)rows[at.row][at.byte] << (8 * b);
    }
    return word;
}

static enum exec_status exec_ldmatrix(struct warp *w, const struct dinst *d, uint32_t mask)
{
    if (mask != ALL_LANES)
        return tw_fault_missing_lanes(w, mask, "ldmatrix");
    uint8_t rows[MAX_ROWS][ROW_BYTES];
    const unsigned row_count = (unsigned)d->mod[2] * d->mod[3];
    for (unsigned i = 0; i < row_count; i++) {
        const uint8_t *const at = row_address(w, d, &d->op[1], i, false);
        if (at == NULL)
            return EXEC_FAULT;
        memcpy(rows[i], at, ROW_BYTES);
        if (d->mod[4] != 0)
            expand_row(rows[i], d->mod[4]);
    }
    for (unsigned r = 0; r < d->mod[1]; r++) {
        const uint32_t ref = register_of(w, &d->op[0], r);
        if (ref == REF_NONE)
            continue;
        const bool halves = d->mod[0] == MATRIX_B16 || d->mod[0] == MATRIX_B16_TRANS;
        for (unsigned lane = 0; lane < LANES; lane++)
            row32(w, ref)[lane] = halves ? word_of_halves(d, rows, lane, r) : word_of_bytes(d, rows, lane, r);
    }
    return EXEC_NEXT;
}

static enum exec_status exec_stmatrix(struct warp *w, const struct dinst *d, uint32_t mask)
{
    if (mask != ALL_LANES)
        return tw_fault_missing_lanes(w, mask, "stmatrix");
    uint8_t *rows[MAX_ROWS];
    const struct matrix_form form = form_of(d);
    const unsigned row_count = (unsigned)d->mod[2] * d->mod[3];
    for (unsigned i = 0; i < row_count; i++) {
        rows[i] = row_address(w, d, &d->op[0], i, true);
        if (rows[i] == NULL)
            return EXEC_FAULT;
    }
    for (unsigned r = 0; r < d->mod[1]; r++) {
        const uint32_t *const words = row32(w, register_of(w, &d->op[1], r));
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned b = 0; b < 4; b++) {
                const struct matrix_place at = tw_matrix_place(&form, lane, r, b);
                rows[at.row][at.byte] = (uint8_t)(words[lane] >> (8 * b));
            }
    }
    w->cluster->changes++;
    return EXEC_NEXT;
}

static bool complete_warp(struct decoder *dc, const struct ptx_inst *in, struct dinst *d, enum isa_role data, unsigned address_at)
{
    const struct isa_spelling spelling = tw_ptx_spelling(in);
    struct matrix_form form;
    if (!tw_matrix_form_of(&spelling, &form))
        return tw_decode_unsupported(dc, in, "its shape is in no table of matrix maps");
    d->mod[0] = (uint8_t)form.map;
    d->mod[1] = form.regs;
    d->mod[2] = form.matrices;
    d->mod[3] = form.rows;
    d->mod[4] = form.source_bits;
    d->imm = tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    d->flags |= D_ALIGNED;
    return tw_decode_role(dc, in, data, d, 1 - address_at) && tw_decode_role(dc, in, ROLE_ADDR, d, address_at);
}

static bool prepare_ldmatrix(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_ldmatrix;
    return complete_warp(dc, in, d, ROLE_D, 1);
}

static bool prepare_stmatrix(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_stmatrix;
    return complete_warp(dc, in, d, ROLE_A, 0);
}

/* Element (i, j) is half j & 1 of lane 4i + j / 2; half e of the result is element (2t + e, g) of the source. */
static enum exec_status exec_movmatrix(struct warp *w, const struct dinst *d, uint32_t mask)
{
    if (mask != ALL_LANES)
        return tw_fault_missing_lanes(w, mask, "movmatrix");
    const uint32_t *const from = row32(w, d->op[1].ref);
    uint32_t r[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        const unsigned g = lane / 4, t = lane % 4;
        const uint32_t low = from[4 * (2 * t) + g / 2] >> (16 * (g & 1)) & 0xffff;
        const uint32_t high = from[4 * (2 * t + 1) + g / 2] >> (16 * (g & 1)) & 0xffff;
        r[lane] = high << 16 | low;
    }
    put32(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_movmatrix(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_movmatrix;
    d->flags |= D_ALIGNED;
    return tw_decode_all(dc, in, d);
}

const struct op_row tw_ops_matrix[] = {
    {OP_LDMATRIX, prepare_ldmatrix}, {OP_STMATRIX, prepare_stmatrix}, {OP_MOVMATRIX, prepare_movmatrix}, {OP_NONE, NULL},
};
