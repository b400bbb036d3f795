#include "isa/mma_map.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define SET(format) (UINT32_C(1) << (format))

uint32_t tw_mma_a_regs(uint32_t m, uint32_t k, uint32_t elem_bits)
{
    return m * k / (32 * mma_elems_per_reg(elem_bits));
}

uint32_t tw_mma_b_regs(uint32_t n, uint32_t k, uint32_t elem_bits)
{
    return n * k / (32 * mma_elems_per_reg(elem_bits));
}

uint32_t tw_mma_d_regs(uint32_t m, uint32_t n, uint32_t elem_bits)
{
    return m * n / (32 * mma_elems_per_reg(elem_bits));
}

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

const struct mma_class_row tw_mma_classes[MMA_CLASS_COUNT] = {
    [MMA_F16] = {"f16", SET(NUM_F16), SET(NUM_F16) | SET(NUM_F32), 16, false},
    [MMA_BF16] = {"bf16", SET(NUM_BF16), SET(NUM_F32), 16, false},
    [MMA_TF32] = {"tf32", SET(NUM_TF32), SET(NUM_F32), 32, false},
    [MMA_F64] = {"f64", SET(NUM_F64), SET(NUM_F64), 64, false},
    [MMA_FP8] = {"fp8", SET(NUM_E4M3) | SET(NUM_E5M2), SET(NUM_F16) | SET(NUM_F32), 8, true},
    [MMA_INT8] = {"int8", SET(NUM_S8) | SET(NUM_U8), SET(NUM_S32), 8, true},
    [MMA_INT4] = {"int4", SET(NUM_S4) | SET(NUM_U4), SET(NUM_S32), 4, true},
    [MMA_BIT] = {"b1", SET(NUM_B1), SET(NUM_S32), 1, false},
};

/* SOURCE: PTX ISA, "mma", table of shapes and types; first versions as ptxas 13.0 enforces them. */
const struct mma_shape_row tw_mma_shapes[] = {
    {MMA_F16, 16, 8, 8, 80, 70},    {MMA_F16, 16, 8, 16, 80, 70},
    {MMA_BF16, 16, 8, 8, 80, 70},   {MMA_BF16, 16, 8, 16, 80, 70},
    {MMA_TF32, 16, 8, 4, 80, 70},   {MMA_TF32, 16, 8, 8, 80, 70},
    {MMA_F64, 8, 8, 4, 80, 70},     {MMA_F64, 16, 8, 4, 90, 78},
    {MMA_F64, 16, 8, 8, 90, 78},    {MMA_F64, 16, 8, 16, 90, 78},
    {MMA_INT8, 8, 8, 16, 80, 70},   {MMA_INT8, 16, 8, 16, 80, 70},
    {MMA_INT8, 16, 8, 32, 80, 70},  {MMA_INT4, 8, 8, 32, 80, 70},
    {MMA_INT4, 16, 8, 32, 80, 70},  {MMA_INT4, 16, 8, 64, 80, 70},
    {MMA_BIT, 8, 8, 128, 80, 70},   {MMA_BIT, 16, 8, 128, 80, 70},
    {MMA_BIT, 16, 8, 256, 80, 70},  {MMA_FP8, 16, 8, 16, 89, 87},
    {MMA_FP8, 16, 8, 32, 89, 84},
};
const size_t tw_mma_shape_count = COUNT_OF(tw_mma_shapes);

static bool class_fits(const struct mma_class_row *row, enum num_format a, enum num_format b, enum num_format d)
{
    return (row->ab_formats & SET(a)) != 0 && (row->ab_formats & SET(b)) != 0 && (row->d_formats & SET(d)) != 0;
}

const struct mma_shape_row *tw_mma_shape_find(uint32_t m, uint32_t n, uint32_t k, enum num_format a, enum num_format b,
                                              enum num_format d)
{
    for (size_t i = 0; i < tw_mma_shape_count; i++) {
        const struct mma_shape_row *row = &tw_mma_shapes[i];
        if (row->m == m && row->n == n && row->k == k && class_fits(&tw_mma_classes[row->class_id], a, b, d))
            return row;
    }
    return NULL;
}

/* ---- Sparse A ------------------------------------------------------------------------------- */

/* A warp's metadata registers hold 32 x 8 codes; 16 rows take a share of them that grows with the groups of a row. */
static uint32_t groups_of(uint32_t elem_bits, uint32_t k)
{
    return k / mma_sp_group(elem_bits);
}

bool tw_mma_sp_k_legal(uint32_t elem_bits, uint32_t k)
{
    const uint32_t groups = groups_of(elem_bits, k);
    if (k % mma_sp_group(elem_bits) != 0)
        return false;
    return elem_bits >= 16 ? groups == 4 || groups == 8 : groups == 8 || groups == 16;
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
    const uint16_t g = (uint16_t)(lane / 4), pair = (uint16_t)(2 * (lane % 4) + half);
    return transposed ? (struct mma_coord){pair, g} : (struct mma_coord){g, pair};
}
