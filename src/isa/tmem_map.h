/* Tensor memory as data: its geometry and allocation rules, which cell each register of tcgen05.ld
 * and tcgen05.st holds, where tcgen05.cp puts a row, and where the matrices of tcgen05.mma lie.
 *
 * A cell is 32 bits at (lane, column). Every map gives lanes and columns relative to those of the
 * address operand, so callers add the base. SOURCE: PTX ISA, chapter "Tensor memory" and the
 * tcgen05 instructions; where the ISA has only a figure, NVIDIA's open layout algebra. */
#ifndef TW_ISA_TMEM_MAP_H
#define TW_ISA_TMEM_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TMEM_QUADRANT_LANES = 32, /* lanes a warp reaches with ld and st: warp id modulo 4 picks them */
    TMEM_ALLOC_MIN_COLS = 32,
    TMEM_ALLOC_MAX_COLS = 512,
    TMEM_ALLOC_UNIT_COLS = 32,
    TMEM_SHIFT_COLS = 8,      /* columns that tcgen05.shift and .ashift move */
    TMEM_A_COLS = 8           /* columns of A in tensor memory that one MMA reads: 32 bytes of K */
};

/* A power of two between the limits. */
bool tw_tmem_alloc_cols_legal(uint32_t cols);

struct tmem_cell {
    uint16_t lane, col;
};

/* The address word: lane in bits 31:16, column in bits 15:0. */
static inline uint32_t tmem_word(uint32_t lane, uint32_t col)
{
    return lane << 16 | col;
}
static inline struct tmem_cell tmem_cell_of(uint32_t word)
{
    return (struct tmem_cell){(uint16_t)(word >> 16), (uint16_t)word};
}

/* ---- tcgen05.ld and tcgen05.st ---------------------------------------------------------- */

enum tmem_shape { TMEM_32X32B, TMEM_16X64B, TMEM_16X128B, TMEM_16X256B, TMEM_16X32BX2, TMEM_SHAPE_COUNT };

struct tmem_shape_row {
    const char *name;         /* "32x32b", as in the instruction */
    uint8_t lanes;            /* lanes touched */
    uint8_t regs_per_repeat;  /* registers a thread for .x1 */
    uint8_t cols_per_repeat;  /* columns for .x1, per half with 16x32bx2 */
    uint8_t max_repeat;
};

extern const struct tmem_shape_row tw_tmem_shapes[TMEM_SHAPE_COUNT];

/* The cell of register `reg` of the thread with lane id `thread`. `split` is the immediate of
 * 16x32bx2, 0 for the rest. */
struct tmem_cell tw_tmem_shape_cell(enum tmem_shape shape, uint32_t thread, uint32_t reg, uint32_t split);
/* With .pack::16b or .unpack::16b: the cell of the low half; the high half is one column on. */
struct tmem_cell tw_tmem_shape_cell_packed(enum tmem_shape shape, uint32_t thread, uint32_t reg, uint32_t split);

/* ---- tcgen05.cp ------------------------------------------------------------------------- */

enum tmem_cp {
    TMEM_CP_128X256B,
    TMEM_CP_128X128B,
    TMEM_CP_4X256B,
    TMEM_CP_64X128B_02_13,
    TMEM_CP_64X128B_01_23,
    TMEM_CP_32X128B,
    TMEM_CP_COUNT
};

struct tmem_cp_row {
    const char *shape;        /* "64x128b" */
    const char *multicast;    /* "warpx2::02_13", or NULL: none may be written */
    uint8_t rows, words;      /* source rows; 32-bit words a row */
    uint8_t copies;           /* lanes that receive each row */
    uint8_t copy_stride;      /* lanes between the copies */
};

extern const struct tmem_cp_row tw_tmem_cps[TMEM_CP_COUNT];

/* The lane of copy `copy` of source row `row`. */
uint32_t tw_tmem_cp_lane(enum tmem_cp cp, uint32_t row, uint32_t copy);

/* The 16 container bytes that a decompressing copy makes of a 16-byte unit: bits_per_code 4
 * (.b4x16_p64) or 6 (.b6x16_p32). */
void tw_tmem_cp_expand(unsigned bits_per_code, const uint8_t unit[16], uint8_t bytes[16]);

/* ---- Datapath layouts of tcgen05.mma ---------------------------------------------------- */

/* Named as the ISA names them. */
enum tmem_path { TMEM_PATH_A, TMEM_PATH_B, TMEM_PATH_C, TMEM_PATH_D, TMEM_PATH_E, TMEM_PATH_F, TMEM_PATH_G, TMEM_PATH_COUNT };

struct tmem_path_row {
    char letter;
    uint8_t cta_group;
    uint16_t m;               /* M of the instruction, the total over a pair */
    bool plain, ws;           /* forms that use it: without and with .ws, */
    bool dense, sparse;       /* without and with .sp */
    uint8_t banks;            /* N is folded into this many lane banks */
    uint8_t bank_lanes;       /* lanes between banks */
    bool scattered;           /* 16 rows in each quadrant; lane base 0 or 16 */
};

extern const struct tmem_path_row tw_tmem_paths[TMEM_PATH_COUNT];

/* The path of a form; false if no path has this M. */
bool tw_tmem_path_find(unsigned cta_group, unsigned m, bool ws, bool sparse, enum tmem_path *path);

struct tmem_place {
    uint8_t cta;              /* 0 even, 1 odd CTA of the pair; 0 with cta_group 1 */
    uint16_t lane, col;
};

/* Element (m, n) of the accumulator of N columns. */
struct tmem_place tw_tmem_d_place(enum tmem_path path, uint32_t n_total, uint32_t m, uint32_t n);
/* Columns that an accumulator of N columns takes. */
uint32_t tw_tmem_d_cols(enum tmem_path path, uint32_t n_total);
/* The bank of column n: which copy of A it is multiplied with. */
uint32_t tw_tmem_bank(enum tmem_path path, uint32_t n_total, uint32_t n);
/* Row m of A in tensor memory, the copy that bank `bank` reads (col is 0). */
struct tmem_place tw_tmem_a_place(enum tmem_path path, uint32_t m, uint32_t bank);
/* Rows of M, and so of A, that each CTA holds. */
uint32_t tw_tmem_rows_per_cta(enum tmem_path path);
/* Whether an accumulator may start at this lane. */
bool tw_tmem_lane_base_legal(enum tmem_path path, uint32_t lane);

/* ---- Block scale factors ---------------------------------------------------------------- */

struct tmem_scale {
    uint16_t lane, col;       /* first copy */
    uint8_t byte;             /* in the cell */
    uint8_t copies;           /* each 32 lanes after the one before */
};

/* Factor v of row r of a scale matrix of `rows` rows (as one CTA sees it), id = SFA_ID or SFB_ID. */
struct tmem_scale tw_tmem_scale(uint32_t rows, uint32_t row, uint32_t id, uint32_t v);
/* The factor of column n of SFB for path B (a pair with M = 128), where N is split over lane halves. */
struct tmem_scale tw_tmem_scale_split_n(uint32_t n_total, uint32_t n, uint32_t id, uint32_t v);

/* ---- Sparsity metadata ------------------------------------------------------------------ */

struct tmem_meta {
    uint16_t lane, col;
    uint8_t nibble;           /* bits 4 * nibble + 3 : 4 * nibble of the cell */
};

/* Code `code` (group number along K) of the row at lane `lane` of the accumulator layout.
 * `wide` for 16-bit and 32-bit elements, where one column holds eight codes a row. */
struct tmem_meta tw_tmem_meta(bool wide, uint32_t lane, uint32_t code, uint32_t selector);

#endif
