/* What the driver of tile.c and the kernels share. Not for other rooms.
 *
 * The product is symmetric in A and B, so kernels do not know them: one operand lies across vector lanes ("lanes"), the
 * other one is broadcast row by row ("rows"). The driver turns the tile so that few lanes stay empty.
 * Everything is staged vertically: array[i][padded], i the position within the window, padded the lane count. */
#ifndef TW_NUM_TILE_PARTS_H
#define TW_NUM_TILE_PARTS_H

#include "num/tile.h"

enum {
    TILE_PAD = 16,        /* lanes are padded to a multiple of this                    */
    TILE_WINDOW_MAX = 32, /* products in one window                                    */
    TILE_GROUP = 16,      /* products that block-scaled fp4 sums exactly               */
    TILE_GROUPS_MAX = TW_NUM_DOT_MAX / TILE_GROUP
};

/* ---- Windows ---- */

enum tile_state { TILE_RAW, TILE_FINITE, TILE_SPECIAL };

/* One operand of one window. */
struct tile_side {
    enum num_format format;
    bool negate;
    unsigned rows, padded;
    uint32_t *words;      /* [i][padded] raw words, for tf32 without the low bits that do not exist             */
    const uint8_t *scale; /* [padded] one ue8m0 word for the window, or NULL                                    */
    /* Of the vector kernels: element = value * 2^lead. */
    float *value;         /* [i][padded] sign and significand, scaled by the exponent relative to lead          */
    int8_t *top;          /* [i][padded] relative exponents of the lanes side                                   */
    uint32_t *top4;       /* [i][padded] the same of the rows side, four copies in a word for a cheap broadcast */
    int32_t *lead;        /* [padded] the exponent that others are relative to, in the place of an f32's        */
    uint8_t *forced;      /* [padded] 1: not for the vector kernel                                              */
    /* Of the exact evaluation, decoded row by row when first needed. */
    int32_t *sig;         /* [row][TILE_WINDOW_MAX] signed significands                                         */
    int16_t *exact_top;   /* [row][TILE_WINDOW_MAX] exponents as decoded, scale included                        */
    uint8_t *state;       /* [padded] enum tile_state                                                           */
};

struct tile_window {
    const struct num_dot_how *how; /* formats as staged: f16 where fp8 was widened                                   */
    const struct num_dot_model *model;
    unsigned count;                /* products, at most TILE_WINDOW_MAX                                               */
    bool half;                     /* D is f16; accumulators are f32 words either way, which hold every f16 exactly  */
    bool lanes_are_a;
    struct tile_side lanes, rows;
    uint32_t *acc;                 /* [rows.rows][acc_stride] C before and D after                                    */
    size_t acc_stride;
};

/* One element by exact integers, or through tw_num_dot where a NaN or an infinity takes part. c and the result are
 * accumulators as above. */
uint32_t tw_num_tile_exact(struct tile_window *w, unsigned row, unsigned lane, uint32_t c);

/* A number's exponents as the vector kernels see them: relative to the side's lead, in [TILE_TOP_LEAST, 0]. A sum of
 * two above TILE_TOP_LEAST is the product's true one; below TILE_TOP_NONE there is a zero factor. */
enum { TILE_TOP_ZERO = -63, TILE_TOP_LEAST = -31, TILE_TOP_NONE = 2 * TILE_TOP_LEAST };

/* The exponent of a format's largest number where that can be every row's lead, because the smallest one lies within
 * TILE_TOP_LEAST of it. False: the lead must be found row by row (bf16, tf32). */
bool tw_num_tile_fixed_lead(enum num_format f, int *lead);

/* ---- Integers: pairs of 16-bit values in one word ---- */

struct tile_integers {
    unsigned pairs;
    unsigned rows, lanes, lanes_padded, rows_padded;
    const uint32_t *lane_pairs, *row_pairs; /* [pair][padded] */
    bool saturate;
    uint32_t *acc;                          /* [rows][acc_stride], read and written   */
    size_t acc_stride;
};

/* ---- Block-scaled fp4: groups of 16 products ---- */

struct tile_fours {
    unsigned padded;
    uint32_t *quads;    /* [k / 4][padded] four signed bytes, elements times two; the rows side holds them plus 12    */
    int8_t *top;        /* [k][padded] exponents 0 to 2, TILE_TOP_ZERO for a zero element or a zero scale             */
    uint32_t *top4;
    int32_t *twelfths;  /* [group][padded] 12 times the sum of the group's elements (lanes side)                      */
    double *scale;      /* [group][padded] value of the block's factor                                               */
    int32_t *scale_top; /* [group][padded] its exponent as decoded                                                    */
    uint8_t *forced;    /* [padded] 1: a NaN factor                                                                   */
};

struct tile_groups {
    unsigned groups;    /* of 16 products; scale factors are given per group */
    unsigned rows, lanes;
    struct tile_fours lane, row;
    bool by_scales;     /* NUM_DOT_SCALE_GROUPS                              */
    int window_bits;
    uint32_t *acc;      /* [rows][acc_stride] C before and D after           */
    size_t acc_stride;
    void *context;      /* of exact() */
    uint32_t (*exact)(void *context, unsigned row, unsigned lane, uint32_t c);
};

/* Groups whose scale exponent lies this far below the largest may be cut by rules of their own; those lanes are exact()'s. */
enum { TILE_SCALE_SPREAD = 28 };

/* ---- f64: chains of fused multiply-adds ---- */

struct tile_chain {
    unsigned count, rows, lanes, lanes_padded;
    const double *lane_values; /* [i][lanes_padded] */
    const double *row_values;  /* [i][rows_padded]  */
    unsigned rows_padded;
    double *acc;               /* [rows][lanes_padded] */
};

struct tile_kernels {
    void (*window)(struct tile_window *w);
    void (*integers)(const struct tile_integers *t);
    void (*groups)(const struct tile_groups *t);
    void (*chain)(const struct tile_chain *t); /* NaN results may be any NaN: the driver asks the reference for them */
    void (*widen)(uint32_t *f32, const uint16_t *f16, size_t count);
    void (*narrow)(uint16_t *f16, const uint32_t *f32, size_t count); /* exact: every value is an f16 */
    void (*add)(uint32_t *acc, const uint32_t *sum, size_t count, bool half); /* acc + sum, rounded to nearest, canonical NaN */
};

extern const struct tile_kernels tw_num_tile_plain;
#if defined __x86_64__
extern const struct tile_kernels tw_num_tile_avx2, tw_num_tile_avx512;
#endif

#endif
