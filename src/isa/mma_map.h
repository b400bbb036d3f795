/* Fragments of warp-level matrix instructions: which element of A, B, C or D each register of each
 * lane holds, for mma.sync in all its dense shapes and for ldmatrix and its kin.
 *
 * One formula covers every shape. With E elements in a register, g = lane / 4 and t = lane % 4:
 *
 *     A (M = 16)  register r, element e:   row g + 8 (r & 1)     col (r >> 1) 4E + tE + e
 *     A (M = 8)   register 0, element e:   row g                 col tE + e
 *     B           register r, element e:   k = 4rE + tE + e      n = g
 *     C, D        element i:               row g + 8 (i >> 1)    col 2t + (i & 1)
 *
 * SOURCE: PTX ISA, "Matrix fragments for mma". MEASURED: golden/layout_mma_frag.tcg, sm_90. */
#ifndef TW_ISA_MMA_MAP_H
#define TW_ISA_MMA_MAP_H

#include "num/sparse.h"

#include <stddef.h>

struct mma_coord {
    uint16_t row, col;        /* (m, k) of A, (k, n) of B, (m, n) of C and D */
};

/* Where a lane keeps an element: register and element within it. */
struct mma_slot {
    uint8_t lane, reg, elem;
};

/* Elements of a fragment register: 32-bit registers, except 64-bit elements which fill one. */
static inline uint32_t mma_elems_per_reg(uint32_t elem_bits)
{
    return elem_bits >= 32 ? 1 : 32 / elem_bits;
}

/* Registers that a lane has of rows x cols elements; 16-bit accumulators too hold two elements a register. */
static inline uint32_t mma_regs(uint32_t rows, uint32_t cols, uint32_t elem_bits)
{
    return rows * cols / (32 * mma_elems_per_reg(elem_bits));
}

struct mma_coord tw_mma_a_coord(uint32_t m, uint32_t elem_bits, uint32_t lane, uint32_t reg, uint32_t elem);
struct mma_coord tw_mma_b_coord(uint32_t elem_bits, uint32_t lane, uint32_t reg, uint32_t elem);
struct mma_coord tw_mma_d_coord(uint32_t elem_bits, uint32_t lane, uint32_t reg, uint32_t elem);

/* The inverse: who holds an element. */
struct mma_slot tw_mma_a_slot(uint32_t m, uint32_t elem_bits, uint32_t row, uint32_t col);
struct mma_slot tw_mma_b_slot(uint32_t elem_bits, uint32_t k, uint32_t n);
struct mma_slot tw_mma_d_slot(uint32_t elem_bits, uint32_t row, uint32_t col);

/* One family of mma.sync forms: element types that go together, and the shapes they have. The last two are the kinds of
 * Blackwell: elements of 4, 6 and 8 bits in a byte each, and packed 4-bit floats. */
enum mma_class {
    MMA_F16, MMA_BF16, MMA_TF32, MMA_F64, MMA_FP8, MMA_INT8, MMA_INT4, MMA_BIT, MMA_F8F6F4, MMA_F4, MMA_CLASS_COUNT
};

enum { MMA_CLASS_SHAPES = 4 };

/* M is 8 in a row's first shape where `narrow` says so and 16 otherwise, N always 8. */
struct mma_class_row {
    const char *name;         /* "f16" */
    uint32_t ab_formats;      /* set of 1u << enum num_format that A and B may have */
    uint32_t d_formats;       /* and C and D, which have one format */
    uint8_t elem_bits;        /* of an element in its register */
    bool mixed;               /* A and B may have different formats of the class */
    bool narrow;              /* the first dense shape has eight rows */
    uint16_t dense_k[MMA_CLASS_SHAPES];  /* 0 ends */
    uint16_t sparse_k[MMA_CLASS_SHAPES]; /* of the logical A */
    const char *dense, *sparse; /* the shapes in words; NULL: there are none */
};

extern const struct mma_class_row tw_mma_classes[MMA_CLASS_COUNT];

/* The class of a pair of formats outside the kinds of Blackwell; MMA_CLASS_COUNT if there is none. */
enum mma_class tw_mma_class_find(enum num_format a, enum num_format b);
/* Whether a class has a shape. */
bool tw_mma_shape_legal(enum mma_class c, bool sparse, uint32_t m, uint32_t n, uint32_t k);

/* ---- Sparse A ---------------------------------------------------------------------------------
 *
 * mma.sp stores half of A: its fragment is the dense one of K / 2 columns. Each group of logical
 * elements has a 4-bit code in a metadata register: two 2-bit positions for groups of 4 elements (of
 * pairs for 4-bit ones), 0x4 or 0xe for pairs of 32-bit elements.
 * SOURCE: PTX ISA, "mma.sp", metadata figures. MEASURED: which lane and nibble, on sm_90. */

/* Logical elements of a group: 2, 4 or 8; half of them are stored. */
static inline uint32_t mma_sp_group(uint32_t elem_bits)
{
    return num_sparse_group(elem_bits);
}

/* The selector operand must be below this: 4, 2 or 1. */
uint32_t tw_mma_sp_selectors(uint32_t elem_bits, uint32_t k);

struct mma_meta {
    uint8_t lane, nibble;
};
/* Where the code of a row's group is. */
struct mma_meta tw_mma_sp_meta(uint32_t elem_bits, uint32_t k, uint32_t selector, uint32_t row, uint32_t group);

/* The logical elements, within the group, of its stored elements: out[0 .. group / 2). False if the code is illegal.
 * `ascending`: the form asks for positions in increasing order. */
bool tw_mma_sp_select(uint32_t elem_bits, uint32_t code, bool ascending, uint8_t out[4]);

/* ---- Scales of blocks ---------------------------------------------------------------------------
 *
 * Rows g and g + 8 of A are scaled by bytes of lanes 4g + 2t and the next one, t = 0 or 1, and column g of B by bytes of lane
 * 4g + t, t = 0 to 3; the thread selector is t, and the byte selector says at which byte the factors begin: any where a
 * row has one, 0 or 2 where it has two, 0 where it has four. SOURCE: PTX ISA, mma, "Block scaling". */
enum { MMA_SCALE_BYTES = 4 };

static inline uint32_t mma_scale_lane(bool of_a, uint32_t row, uint32_t thread)
{
    return of_a ? row % 8 * 4 + 2 * thread + row / 8 : row * 4 + thread;
}
static inline uint32_t mma_scale_threads(bool of_a)
{
    return of_a ? 2 : 4;
}

/* ---- ldmatrix, stmatrix (.b16) ------------------------------------------------------------ */

/* Which lane supplies the address of row `row` of matrix `matrix`. */
static inline uint32_t ldmatrix_row_lane(uint32_t matrix, uint32_t row)
{
    return 8 * matrix + row;
}
/* The element of a matrix in half `half` of a lane's register for that matrix. */
struct mma_coord tw_ldmatrix_coord(bool transposed, uint32_t lane, uint32_t half);

#endif
