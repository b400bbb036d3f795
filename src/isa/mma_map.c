#include "isa/mma_map.h"

#include "isa/matrix_map.h"

#define SET(format) (UINT32_C(1) << (format))

struct mma_coord tw_mma_a_coord(uint32_t m, uint32_t elem_bits, uint32_t lane, uint32_t reg, uint32_t elem)
{
    const uint32_t per_reg = mma_elems_per_reg(elem_bits), g = lane / 4, t = lane % 4;
    /* With 16 rows the low bit of the register picks the upper eight; with 8 rows registers step along K alone. */
    const uint32_t row = m == 16 ? g + 8 * (reg & 1) : g;
    const uint32_t step = m == 16 ? reg >> 1 : reg;
    return (struct mma_coord){(uint16_t)row, (uint16_t)(step * 4 * per_reg + t * per_reg + elem)};
}

struct mma_coord tw_mma_b_coord(uint32_t elem_bits, uint32_t lane, uint32_t reg, uint32_t elem)
{
    const uint32_t per_reg = mma_elems_per_reg(elem_bits), g = lane / 4, t = lane % 4;
    return (struct mma_coord){(uint16_t)(reg * 4 * per_reg + t * per_reg + elem), (uint16_t)g};
}

struct mma_coord tw_mma_d_coord(uint32_t elem_bits, uint32_t lane, uint32_t reg, uint32_t elem)
{
    const uint32_t i = reg * mma_elems_per_reg(elem_bits) + elem;
    return (struct mma_coord){(uint16_t)(lane / 4 + 8 * (i >> 1)), (uint16_t)(2 * (lane % 4) + (i & 1))};
}

struct mma_slot tw_mma_a_slot(uint32_t m, uint32_t elem_bits, uint32_t row, uint32_t col)
{
    const uint32_t per_reg = mma_elems_per_reg(elem_bits);
    const uint32_t step = col / (4 * per_reg);
    const uint32_t reg = m == 16 ? 2 * step + row / 8 : step;
    return (struct mma_slot){(uint8_t)(4 * (row % 8) + col / per_reg % 4), (uint8_t)reg, (uint8_t)(col % per_reg)};
}

struct mma_slot tw_mma_b_slot(uint32_t elem_bits, uint32_t k, uint32_t n)
{
    const uint32_t per_reg = mma_elems_per_reg(elem_bits);
    return (struct mma_slot){(uint8_t)(4 * n + k / per_reg % 4), (uint8_t)(k / (4 * per_reg)), (uint8_t)(k % per_reg)};
}

struct mma_slot tw_mma_d_slot(uint32_t elem_bits, uint32_t row, uint32_t col)
{
    const uint32_t per_reg = mma_elems_per_reg(elem_bits);
    const uint32_t i = 2 * (row / 8) + col % 2;
    return (struct mma_slot){(uint8_t)(4 * (row % 8) + col / 2), (uint8_t)(i / per_reg), (uint8_t)(i % per_reg)};
}

#define ALL_F8F6F4 SET(NUM_E4M3) | SET(NUM_E5M2) | SET(NUM_E3M2) | SET(NUM_E2M3) | SET(NUM_E2M1)

/* SOURCE: PTX ISA, "Warp Level Matrix Instructions", table of shapes; verdicts of ptxas 13.0 agree. */
const struct mma_class_row tw_mma_classes[MMA_CLASS_COUNT] = {
    [MMA_F16] = {"f16", SET(NUM_F16), SET(NUM_F16) | SET(NUM_F32), 16, false, false, {8, 16}, {16, 32},
                 ".m16n8k8 or .m16n8k16 for .f16", ".m16n8k16 or .m16n8k32 for sparse .f16"},
    [MMA_BF16] = {"bf16", SET(NUM_BF16), SET(NUM_F32), 16, false, false, {8, 16}, {16, 32},
                  ".m16n8k8 or .m16n8k16 for .bf16", ".m16n8k16 or .m16n8k32 for sparse .bf16"},
    [MMA_TF32] = {"tf32", SET(NUM_TF32), SET(NUM_F32), 32, false, false, {4, 8}, {8, 16},
                  ".m16n8k4 or .m16n8k8 for .tf32", ".m16n8k8 or .m16n8k16 for sparse .tf32"},
    [MMA_F64] = {"f64", SET(NUM_F64), SET(NUM_F64), 64, false, true, {4, 4, 8, 16}, {0},
                 ".m8n8k4, .m16n8k4, .m16n8k8 or .m16n8k16 for .f64", NULL},
    [MMA_FP8] = {"fp8", SET(NUM_E4M3) | SET(NUM_E5M2), SET(NUM_F16) | SET(NUM_F32), 8, true, false, {16, 32}, {64},
                 ".m16n8k16 or .m16n8k32 for .e4m3 and .e5m2", ".m16n8k64 for sparse .e4m3 and .e5m2"},
    [MMA_INT8] = {"int8", SET(NUM_S8) | SET(NUM_U8), SET(NUM_S32), 8, true, true, {16, 16, 32}, {32, 64},
                  ".m8n8k16, .m16n8k16 or .m16n8k32 for 8-bit integers", ".m16n8k32 or .m16n8k64 for sparse 8-bit integers"},
    [MMA_INT4] = {"int4", SET(NUM_S4) | SET(NUM_U4), SET(NUM_S32), 4, true, true, {32, 32, 64}, {64, 128},
                  ".m8n8k32, .m16n8k32 or .m16n8k64 for 4-bit integers", ".m16n8k64 or .m16n8k128 for sparse 4-bit integers"},
    [MMA_BIT] = {"b1", SET(NUM_B1), SET(NUM_S32), 1, false, true, {128, 128, 256}, {0},
                 ".m8n8k128, .m16n8k128 or .m16n8k256 for .b1", NULL},
    [MMA_F8F6F4] = {"f8f6f4", ALL_F8F6F4, SET(NUM_F16) | SET(NUM_F32), 8, true, false, {32}, {64},
                    ".m16n8k32 for this kind", ".m16n8k64 for this sparse kind"},
    [MMA_F4] = {"f4", SET(NUM_E2M1), SET(NUM_F32), 4, false, false, {64}, {128},
                ".m16n8k64 for this kind", ".m16n8k128 for this sparse kind"},
};

enum mma_class tw_mma_class_find(enum num_format a, enum num_format b)
{
    for (int i = 0; i < MMA_F8F6F4; i++) {
        const struct mma_class_row *row = &tw_mma_classes[i];
        if ((row->ab_formats & SET(a)) != 0 && (row->ab_formats & SET(b)) != 0)
            return (enum mma_class)i;
    }
    return MMA_CLASS_COUNT;
}

bool tw_mma_shape_legal(enum mma_class c, bool sparse, uint32_t m, uint32_t n, uint32_t k)
{
    const struct mma_class_row *row = &tw_mma_classes[c];
    const uint16_t *const known = sparse ? row->sparse_k : row->dense_k;
    for (int i = 0; i < MMA_CLASS_SHAPES && known[i] != 0; i++)
        if (known[i] == k && m == (row->narrow && !sparse && i == 0 ? 8u : 16u) && n == 8)
            return true;
    return false;
}

/* ---- Sparse A ------------------------------------------------------------------------------- */

/* A warp's metadata registers hold 32 x 8 codes; 16 rows take a share of them that grows with the groups of a row. */
static uint32_t groups_of(uint32_t elem_bits, uint32_t k)
{
    return k / mma_sp_group(elem_bits);
}

uint32_t tw_mma_sp_selectors(uint32_t elem_bits, uint32_t k)
{
    return 16 / groups_of(elem_bits, k);
}

/* Wider elements put rows g and g + 8 into one lane and walk lanes along K; narrower ones give each row its lane. */
struct mma_meta tw_mma_sp_meta(uint32_t elem_bits, uint32_t k, uint32_t selector, uint32_t row, uint32_t group)
{
    const uint32_t g = row % 8, half = row / 8, groups = groups_of(elem_bits, k);
    if (elem_bits >= 16) {
        const uint32_t lanes = groups / 4;
        return (struct mma_meta){(uint8_t)(4 * g + lanes * selector + group / 4), (uint8_t)(4 * half + group % 4)};
    }
    return (struct mma_meta){(uint8_t)(4 * g + 2 * selector + half + 2 * (group / 8)), (uint8_t)(group % 8)};
}

bool tw_mma_sp_select(uint32_t elem_bits, uint32_t code, bool ascending, uint8_t out[4])
{
    return tw_num_sparse_select(elem_bits, code, ascending, out);
}

struct mma_coord tw_ldmatrix_coord(bool transposed, uint32_t lane, uint32_t half)
{
    const struct matrix_form one = {.map = transposed ? MATRIX_B16_TRANS : MATRIX_B16, .matrices = 1, .rows = 8, .regs = 1};
    const struct matrix_place at = tw_matrix_place(&one, lane, 0, 2 * half);
    return (struct mma_coord){at.row, (uint16_t)(at.byte / 2)};
}
