/* The operands of any instruction that spreads a matrix over the lanes of a warp or warpgroup, seen alike: mma.sync and mma.sp,
 * wgmma, ldmatrix and stmatrix, tcgen05.ld and tcgen05.st. Explanations, drawings and documents read this view; the facts are
 * those of mma_form, wgmma_map, matrix_map and tmem_map. */
#ifndef TW_ISA_FRAGMENT_H
#define TW_ISA_FRAGMENT_H

#include "isa/matrix_map.h"
#include "isa/mma_form.h"
#include "isa/tmem_map.h"
#include "isa/wgmma_map.h"

enum { FRAGMENT_MAX_OPERANDS = MMA_PART_COUNT };

struct fragment {
    const char *name;         /* "A" */
    const char *what;         /* "the codes of sparse A" */
    const char *row_axis, *col_axis; /* "m", "k" */
    enum num_format format;   /* of an element; NUM_NONE: any element of so many bits */
    uint16_t rows, cols;      /* elements */
    uint8_t bits, low;        /* of an element in its register; its lowest bit there */
    uint8_t reg_bits, per_reg;
    uint16_t regs;            /* of a lane */
    uint16_t lanes;           /* 32, or 128 */
    uint8_t choices, choice_lanes; /* as in struct mma_fragment */
    const char *choice;       /* what chooses: "selector" */
    uint16_t warp_rows;       /* rows from one warp to the next */
};

struct fragments {
    const char *what;         /* the instruction in words */
    uint32_t count;
    struct fragment at[FRAGMENT_MAX_OPERANDS];
    enum isa_op op;           /* which of the forms below holds */
    struct mma_form mma;
    struct matrix_form matrix;
    enum tmem_shape tmem;
    bool packed;              /* 16-bit elements of tensor memory, two to a register */
    uint8_t part[FRAGMENT_MAX_OPERANDS]; /* of mma and wgmma: enum mma_part */
};

/* False if the instruction spreads no matrix over lanes. */
bool tw_fragments_of(const struct isa_spelling *s, struct fragments *out);

/* The element that a lane has in element `elem` of register `reg`. False: none that the instruction reads or writes. */
bool tw_fragment_place(const struct fragments *f, uint32_t operand, uint32_t lane, uint32_t reg, uint32_t elem, struct mma_coord *at);

#endif
