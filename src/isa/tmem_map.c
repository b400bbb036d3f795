#include "isa/tmem_map.h"

#include "base/bits.h"
#include "base/limits.h"

#include <assert.h>

bool tw_tmem_alloc_cols_legal(uint32_t cols)
{
    return cols >= TMEM_ALLOC_MIN_COLS && cols <= TMEM_ALLOC_MAX_COLS && is_pow2(cols);
}

/* ---- tcgen05.ld and tcgen05.st ---------------------------------------------------------- */

const struct tmem_shape_row tw_tmem_shapes[TMEM_SHAPE_COUNT] = {
    [TMEM_32X32B] = {"32x32b", 32, 1, 1, 128},
    [TMEM_16X64B] = {"16x64b", 16, 1, 2, 128},
    [TMEM_16X128B] = {"16x128b", 16, 2, 4, 64},
    [TMEM_16X256B] = {"16x256b", 16, 4, 8, 32},
    [TMEM_16X32BX2] = {"16x32bx2", 16, 1, 1, 128},
};

/* The cell without the split of 16x32bx2. */
static struct tmem_cell unsplit_cell(enum tmem_shape shape, uint32_t t, uint32_t r)
{
    switch (shape) {
    case TMEM_32X32B: return (struct tmem_cell){(uint16_t)t, (uint16_t)r};
    /* Not the order of mma fragments: bit 0 of the thread picks the upper eight lanes, bit 1 the column. */
    case TMEM_16X64B: return (struct tmem_cell){(uint16_t)((t >> 2) + 8 * (t & 1)), (uint16_t)((t >> 1 & 1) + 2 * r)};
    case TMEM_16X128B: return (struct tmem_cell){(uint16_t)((t >> 2) + 8 * (r & 1)), (uint16_t)((t & 3) + 4 * (r >> 1))};
    case TMEM_16X256B:
        return (struct tmem_cell){(uint16_t)((t >> 2) + 8 * (r >> 1 & 1)), (uint16_t)(2 * (t & 3) + (r & 1) + 8 * (r >> 2))};
    case TMEM_16X32BX2: return (struct tmem_cell){(uint16_t)(t % 16), (uint16_t)r};
    case TMEM_SHAPE_COUNT: break;
    }
    assert(false);
    return (struct tmem_cell){0, 0};
}

static uint32_t split_cols(enum tmem_shape shape, uint32_t thread, uint32_t split)
{
    return shape == TMEM_16X32BX2 ? split * (thread / 16) : 0;
}

struct tmem_cell tw_tmem_shape_cell(enum tmem_shape shape, uint32_t thread, uint32_t reg, uint32_t split)
{
    struct tmem_cell cell = unsplit_cell(shape, thread, reg);
    cell.col = (uint16_t)(cell.col + split_cols(shape, thread, split));
    return cell;
}

struct tmem_cell tw_tmem_shape_cell_packed(enum tmem_shape shape, uint32_t thread, uint32_t reg, uint32_t split)
{
    struct tmem_cell cell = unsplit_cell(shape, thread, reg);
    cell.col = (uint16_t)(2 * cell.col + split_cols(shape, thread, split));
    return cell;
}

/* ---- tcgen05.cp ------------------------------------------------------------------------- */

const struct tmem_cp_row tw_tmem_cps[TMEM_CP_COUNT] = {
    [TMEM_CP_128X256B] = {"128x256b", NULL, 128, 8, 1, 0},
    [TMEM_CP_128X128B] = {"128x128b", NULL, 128, 4, 1, 0},
    [TMEM_CP_4X256B] = {"4x256b", NULL, 4, 8, 1, 0},
    [TMEM_CP_64X128B_02_13] = {"64x128b", "warpx2::02_13", 64, 4, 2, 64},
    [TMEM_CP_64X128B_01_23] = {"64x128b", "warpx2::01_23", 64, 4, 2, 32},
    [TMEM_CP_32X128B] = {"32x128b", "warpx4", 32, 4, 4, 32},
};

uint32_t tw_tmem_cp_lane(enum tmem_cp cp, uint32_t row, uint32_t copy)
{
    uint32_t lane = row;
    if (cp == TMEM_CP_4X256B)
        lane = 32 * row;
    else if (cp == TMEM_CP_64X128B_01_23)
        lane = 64 * (row / 32) + row % 32;
    return lane + copy * tw_tmem_cps[cp].copy_stride;
}

void tw_tmem_cp_expand(unsigned bits_per_code, const uint8_t unit[16], uint8_t bytes[16])
{
    for (unsigned i = 0; i < 16; i++) {
        const unsigned bit = bits_per_code * i;
        const unsigned two = unit[bit / 8] | (unsigned)(bit / 8 + 1 < 16 ? unit[bit / 8 + 1] : 0) << 8;
        const unsigned code = two >> bit % 8 & (unsigned)bits_mask(bits_per_code);
        bytes[i] = (uint8_t)(bits_per_code == 4 ? code << 2 : code); /* a 4-bit value sits in bits 5:2 */
    }
}

/* ---- Datapath layouts of tcgen05.mma ---------------------------------------------------- */

const struct tmem_path_row tw_tmem_paths[TMEM_PATH_COUNT] = {
    /*                letter cg  m    plain  ws     dense sparse banks bank_lanes scattered */
    [TMEM_PATH_A] = {'A', 2, 256, true, false, true, true, 1, 0, false},
    [TMEM_PATH_B] = {'B', 2, 128, true, false, true, false, 2, 64, false},
    [TMEM_PATH_C] = {'C', 2, 128, true, false, false, true, 1, 0, true},
    [TMEM_PATH_D] = {'D', 1, 128, true, true, true, true, 1, 0, false},
    [TMEM_PATH_E] = {'E', 1, 64, false, true, true, true, 2, 64, false},
    [TMEM_PATH_F] = {'F', 1, 64, true, false, true, true, 1, 0, true},
    [TMEM_PATH_G] = {'G', 1, 32, false, true, true, true, 4, 32, false},
};

bool tw_tmem_path_find(unsigned cta_group, unsigned m, bool ws, bool sparse, enum tmem_path *path)
{
    for (int p = 0; p < TMEM_PATH_COUNT; p++) {
        const struct tmem_path_row *row = &tw_tmem_paths[p];
        if (row->cta_group == cta_group && row->m == m && (ws ? row->ws : row->plain) && (sparse ? row->sparse : row->dense)) {
            *path = (enum tmem_path)p;
            return true;
        }
    }
    return false;
}

uint32_t tw_tmem_rows_per_cta(enum tmem_path path)
{
    return tw_tmem_paths[path].m / tw_tmem_paths[path].cta_group;
}

uint32_t tw_tmem_d_cols(enum tmem_path path, uint32_t n_total)
{
    return n_total / tw_tmem_paths[path].banks;
}

uint32_t tw_tmem_bank(enum tmem_path path, uint32_t n_total, uint32_t n)
{
    return n / tw_tmem_d_cols(path, n_total);
}

struct tmem_place tw_tmem_a_place(enum tmem_path path, uint32_t m, uint32_t bank)
{
    const struct tmem_path_row *row = &tw_tmem_paths[path];
    const uint32_t rows = tw_tmem_rows_per_cta(path), local = m % rows;
    const uint32_t lane = row->scattered ? 32 * (local / 16) + local % 16 : local + row->bank_lanes * bank;
    return (struct tmem_place){(uint8_t)(m / rows), (uint16_t)lane, 0};
}

struct tmem_place tw_tmem_d_place(enum tmem_path path, uint32_t n_total, uint32_t m, uint32_t n)
{
    struct tmem_place place = tw_tmem_a_place(path, m, tw_tmem_bank(path, n_total, n));
    place.col = (uint16_t)(n % tw_tmem_d_cols(path, n_total));
    return place;
}

bool tw_tmem_lane_base_legal(enum tmem_path path, uint32_t lane)
{
    return lane == 0 || (lane == 16 && tw_tmem_paths[path].scattered);
}

/* ---- Block scale factors ---------------------------------------------------------------- */

struct tmem_scale tw_tmem_scale(uint32_t rows, uint32_t row, uint32_t id, uint32_t v)
{
    const uint32_t byte = id + v;
    const uint32_t next_word = byte / 4 * 4 * ((rows + 127) / 128); /* only K = 96 goes past the word */
    return (struct tmem_scale){(uint16_t)(row % 32), (uint16_t)(row / 32 + next_word), (uint8_t)(byte % 4), 4};
}

struct tmem_scale tw_tmem_scale_split_n(uint32_t n_total, uint32_t n, uint32_t id, uint32_t v)
{
    const uint32_t half = n / (n_total / 2), byte = id + v;
    return (struct tmem_scale){(uint16_t)(64 * half + n % 32), (uint16_t)(n % (n_total / 2) / 32 + byte / 4),
                               (uint8_t)(byte % 4), 2};
}

/* ---- Sparsity metadata ------------------------------------------------------------------ */

struct tmem_meta tw_tmem_meta(bool wide, uint32_t lane, uint32_t code, uint32_t selector)
{
    if (!wide)
        return (struct tmem_meta){(uint16_t)lane, (uint16_t)(code / 8), (uint8_t)(code % 8)};
    const uint32_t p = lane % 32;
    return (struct tmem_meta){(uint16_t)(32 * (lane / 32) + p % 8 + 16 * (p / 16) + 8 * (code / 4)), (uint16_t)selector,
                              (uint8_t)(4 * (p % 16 / 8) + code % 4)};
}
