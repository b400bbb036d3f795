/* wgmma: the warpgroup's matrix multiply-add. Shapes and types in one table, and who holds which element.
 *
 * Four consecutive warps compute 64 x N; warp w of them holds rows 16w to 16w + 15. Within a warp the
 * registers are those of mma.sync: A is its fragment of 16 rows, and D is a row of its accumulator fragments,
 * one for each eight columns:
 *
 *     D, element i of a lane:   row g + 8 ((i >> 1) & 1)     col 8 (i >> 2) + 2t + (i & 1)
 *
 * with g = lane / 4 and t = lane % 4. A 16-bit D keeps elements 2r and 2r + 1 in register r.
 *
 * SOURCE: PTX ISA, "wgmma.mma_async", shapes, types, register fragments. MEASURED: golden/layout_wgmma.tcg, sm_90a. */
#ifndef TW_ISA_WGMMA_MAP_H
#define TW_ISA_WGMMA_MAP_H

#include "isa/mma_map.h"

enum { WGMMA_WARPS = 4, WGMMA_M = 64, WGMMA_WARP_ROWS = 16, WGMMA_A_REGS = 4, WGMMA_MAX_N = 256, WGMMA_MAX_D_REGS = 128 };

enum wgmma_class { WGMMA_F16, WGMMA_BF16, WGMMA_TF32, WGMMA_FP8, WGMMA_INT8, WGMMA_BIT, WGMMA_CLASS_COUNT };

struct wgmma_class_row {
    const char *name;       /* "f16" */
    uint32_t ab_formats;    /* set of 1u << enum num_format that A and B may have */
    uint32_t d_formats;
    uint8_t elem_bits;
    uint16_t k;             /* of the dense form; twice that when A is sparse */
    bool mixed;             /* A and B may have different formats of the class */
    bool transposes;        /* operands in shared memory may be MN-major */
    bool negates;           /* imm-scale-a and imm-scale-b exist */
    bool sparse;            /* the .sp form exists */
    bool coarse_n;          /* above N = 32 only multiples of 16 */
};

extern const struct wgmma_class_row tw_wgmma_classes[WGMMA_CLASS_COUNT];

/* The row of a combination of formats, or NULL. */
const struct wgmma_class_row *tw_wgmma_find(enum num_format a, enum num_format b, enum num_format d);
bool tw_wgmma_n_legal(const struct wgmma_class_row *row, uint32_t n);

/* Registers of D of one thread. */
static inline uint32_t wgmma_d_regs(uint32_t n, uint32_t d_bits)
{
    return n * d_bits / 64;
}

/* Element `elem` of D register `reg` of a lane; the row counts from the warp's first. */
static inline struct mma_coord wgmma_d_coord(uint32_t d_bits, uint32_t lane, uint32_t reg, uint32_t elem)
{
    const uint32_t i = reg * (32 / d_bits) + elem;
    return (struct mma_coord){(uint16_t)(lane / 4 + 8 * (i >> 1 & 1)), (uint16_t)(8 * (i >> 2) + 2 * (lane % 4) + (i & 1))};
}

/* The inverse, for a row of 0..63: which warp of the four, and where in it. */
struct wgmma_slot {
    uint8_t warp;
    struct mma_slot at;
};
struct wgmma_slot tw_wgmma_d_slot(uint32_t d_bits, uint32_t row, uint32_t col);
struct wgmma_slot tw_wgmma_a_slot(uint32_t elem_bits, uint32_t row, uint32_t k);

#endif
