#include "isa/wgmma_map.h"

#define SET(format) (UINT32_C(1) << (format))

/* SOURCE: PTX ISA, "wgmma.mma_async"; N of 240 and 256 for integers as ptxas has it. */
const struct wgmma_class_row tw_wgmma_classes[WGMMA_CLASS_COUNT] = {
    [WGMMA_F16] = {.name = "f16", .ab_formats = SET(NUM_F16), .d_formats = SET(NUM_F16) | SET(NUM_F32), .elem_bits = 16, .k = 16,
                   .transposes = true, .negates = true, .sparse = true},
    [WGMMA_BF16] = {.name = "bf16", .ab_formats = SET(NUM_BF16), .d_formats = SET(NUM_F32), .elem_bits = 16, .k = 16,
                    .transposes = true, .negates = true, .sparse = true},
    [WGMMA_TF32] = {.name = "tf32", .ab_formats = SET(NUM_TF32), .d_formats = SET(NUM_F32), .elem_bits = 32, .k = 8,
                    .negates = true, .sparse = true},
    [WGMMA_FP8] = {.name = "fp8", .ab_formats = SET(NUM_E4M3) | SET(NUM_E5M2), .d_formats = SET(NUM_F16) | SET(NUM_F32),
                   .elem_bits = 8, .k = 32, .mixed = true, .negates = true, .sparse = true},
    [WGMMA_INT8] = {.name = "int8", .ab_formats = SET(NUM_S8) | SET(NUM_U8), .d_formats = SET(NUM_S32), .elem_bits = 8, .k = 32,
                    .mixed = true, .sparse = true, .coarse_n = true},
    [WGMMA_BIT] = {.name = "b1", .ab_formats = SET(NUM_B1), .d_formats = SET(NUM_S32), .elem_bits = 1, .k = 256, .coarse_n = true},
};

const struct wgmma_class_row *tw_wgmma_find(enum num_format a, enum num_format b, enum num_format d)
{
    for (int i = 0; i < WGMMA_CLASS_COUNT; i++) {
        const struct wgmma_class_row *const row = &tw_wgmma_classes[i];
        if ((row->ab_formats & SET(a)) != 0 && (row->ab_formats & SET(b)) != 0 && (row->d_formats & SET(d)) != 0)
            return row->mixed || a == b ? row : NULL;
    }
    return NULL;
}

bool tw_wgmma_n_legal(const struct wgmma_class_row *row, uint32_t n)
{
    return n >= 8 && n <= WGMMA_MAX_N && n % (row->coarse_n && n > 32 ? 16 : 8) == 0;
}

struct wgmma_slot tw_wgmma_d_slot(uint32_t d_bits, uint32_t row, uint32_t col)
{
    struct wgmma_slot slot = {(uint8_t)(row / WGMMA_WARP_ROWS), tw_mma_d_slot(d_bits, row % WGMMA_WARP_ROWS, col % 8)};
    slot.at.reg = (uint8_t)(slot.at.reg + col / 8 * wgmma_d_regs(8, d_bits));
    return slot;
}

struct wgmma_slot tw_wgmma_a_slot(uint32_t elem_bits, uint32_t row, uint32_t k)
{
    return (struct wgmma_slot){(uint8_t)(row / WGMMA_WARP_ROWS), tw_mma_a_slot(16, elem_bits, row % WGMMA_WARP_ROWS, k)};
}
