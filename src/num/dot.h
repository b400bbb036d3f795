/* Dot products of the matrix instructions: one table of models, one plain scalar evaluation.
 *
 * A model is found by architecture, unit, kind and formats. One call evaluates one element of D for one
 * instruction: all its products, the accumulator, and the rounding to D's format. */
#ifndef TW_NUM_DOT_H
#define TW_NUM_DOT_H

#include "num/round.h"

#include <stddef.h>

enum num_arch {
    NUM_VOLTA,              /* sm_70, sm_72        */
    NUM_TURING,             /* sm_75               */
    NUM_AMPERE,             /* sm_80, sm_86, sm_87 */
    NUM_ADA,                /* sm_89               */
    NUM_HOPPER,             /* sm_90               */
    NUM_BLACKWELL,          /* sm_100, sm_101, sm_103, sm_110: data centre */
    NUM_BLACKWELL_CONSUMER, /* sm_120, sm_121      */
    NUM_ARCH_COUNT
};

/* From the number in a target name: 90 for sm_90a. False if no model speaks of it. */
bool tw_num_arch_of_sm(unsigned sm, enum num_arch *arch);

/* m8n8k4 of f16 stands apart: since sm_80 it is no tensor-core instruction but code. */
enum num_unit { NUM_MMA_SYNC, NUM_MMA_M8N8K4, NUM_WGMMA, NUM_TCGEN05, NUM_UNIT_COUNT };

/* The kinds that scale blocks; every other kind (f16, tf32, f8f6f4, i8, or none written) is NUM_PLAIN. */
enum num_kind { NUM_PLAIN, NUM_MXF8F6F4, NUM_MXF4, NUM_MXF4NVF4 };

/* How the products and the accumulator meet. */
enum num_dot_method {
    NUM_DOT_WINDOW,      /* all terms aligned to the largest exponent, truncated, summed exactly, rounded once       */
    NUM_DOT_TWO_STEP_F16, /* fp8 widened to f16, two windows over alternate pairs of k, then C added rounding to nearest */
    NUM_DOT_GROUPS,      /* block-scaled fp4: exact sums of groups, aligned by products, scales and C                */
    NUM_DOT_SCALE_GROUPS, /* block-scaled fp4: exact sums of groups, aligned by the scales' exponents alone           */
    NUM_DOT_FMA_CHAIN,   /* one fused multiply-add after the other, k ascending                                      */
    NUM_DOT_F32_CHAIN,   /* of f32 multiply-adds from +0, k ascending; C is added last                               */
    NUM_DOT_F32_PAIRS,   /* in f32: C, plus products 0 and 1, plus products 2 and 3; rounded to D at the end         */
    NUM_DOT_INTEGER,     /* exact, wraps or clamps once at the end                                                   */
    NUM_DOT_BITS         /* population count of and/xor                                                              */
};

enum num_evidence {
    NUM_MEASURED_HERE,      /* equal to every word of the golden files named in `source` */
    NUM_MEASURED_BY_OTHERS, /* result words captured by others on this hardware          */
    NUM_PUBLISHED_MODEL     /* a published model only                                    */
};

struct num_dot_model {
    const char *name;
    /* key */
    uint16_t archs;                /* set: 1u << enum num_arch   */
    uint8_t units;                 /* set: 1u << enum num_unit   */
    enum num_kind kind;
    uint32_t a_formats, b_formats; /* sets: 1u << enum num_format */
    uint32_t d_formats;
    bool same_ab;                  /* A and B must have the same format */
    /* rule */
    enum num_dot_method method;
    uint8_t window_bits;           /* fraction bits kept below the largest exponent            */
    uint8_t chunk;                 /* products that share one window, in ascending k; 0: all   */
    uint8_t drop_bits;             /* fraction bits that an f32 result gives up                */
    uint8_t group;                 /* NUM_DOT_*GROUPS: products summed exactly before aligning */
    /* record */
    enum num_evidence evidence;
    const char *source;
};

/* NULL: this combination has no model. */
const struct num_dot_model *tw_num_dot_model(enum num_arch arch, enum num_unit unit, enum num_kind kind, enum num_format a,
                                             enum num_format b, enum num_format d);
/* The whole table, for listings. */
const struct num_dot_model *tw_num_dot_models(size_t *count);
const char *tw_num_evidence_name(enum num_evidence evidence);

/* What is the same for every element of one instruction. */
struct num_dot_how {
    enum num_format a, b, d;      /* the accumulator C has the format of D               */
    enum num_format scale;        /* NUM_UE8M0 or NUM_UE4M3 for block-scaled kinds       */
    uint8_t scale_block;          /* (stored) products that share one pair of scales     */
    uint8_t scale_c_log2;         /* tcgen05 scale-input-d: C is taken as C * 2^-this    */
    bool negate_a, negate_b;      /* wgmma imm-scale -1, tcgen05 negate bits             */
    bool saturate;                /* integer: .satfinite                                 */
    bool bits_and;                /* b1: .and.popc instead of .xor.popc                  */
    enum num_rounding rounding;   /* f64: of every multiply-add                          */
};

/* a, b: n raw words in ascending k, for sparse kinds those that the metadata selects. c: NULL if the accumulator is
 * not read. scale_a, scale_b: one word a block, NULL for unscaled kinds. n is at most TW_NUM_DOT_MAX. */
enum { TW_NUM_DOT_MAX = 256 };
uint64_t tw_num_dot(const struct num_dot_model *model, const struct num_dot_how *how, unsigned n, const uint64_t *a,
                    const uint64_t *b, const uint64_t *c, const uint64_t *scale_a, const uint64_t *scale_b);

/* What an evaluation did, for those who want to see it: `window` is called once for each window, in order, before its
 * result goes on, and `step` for each rounding of the methods in f32. The other methods (chain, integer, bits) call nothing. */
enum num_part_kind { NUM_PART_PRODUCT, NUM_PART_GROUP, NUM_PART_C };

/* One summand: value = sig * 2^exp. A product or group that does not exist (a zero factor, NaN, infinity) has sig 0. */
struct num_dot_part {
    enum num_part_kind kind;
    uint16_t k, count;   /* product k, or the group of products k to k + count - 1      */
    int64_t sig;
    int32_t exp, top;    /* top: the exponent that it is aligned by                     */
    int32_t unit;        /* where it is cut                                             */
    int64_t units;       /* what is left of it, in the window's unit                    */
    bool left_out;       /* a faint group of a subnormal result (ue8m0 scales)          */
};

struct num_dot_window {
    const struct num_dot_part *part;
    unsigned count;
    bool special;                    /* NaN or infinity decided: there is no unit and no sum */
    bool nan, plus_infinity, minus_infinity;
    bool again;                      /* the window before gave a subnormal: faint groups are left out now */
    int32_t top, unit;               /* largest exponent, and that of one unit               */
    int64_t units;                   /* the exact sum                                        */
    uint64_t d;
};

enum num_step_kind { NUM_STEP_PRODUCT, NUM_STEP_FMA, NUM_STEP_ADD_PAIR, NUM_STEP_ADD_C };

struct num_dot_step {
    enum num_step_kind kind;
    unsigned k;              /* the product, or the first of a pair */
    uint64_t word;           /* f32: what came out                  */
};

struct num_dot_observer {
    void (*window)(void *context, const struct num_dot_window *window);
    void (*step)(void *context, const struct num_dot_step *step);
    void *context;
};

/* The same word as tw_num_dot. */
uint64_t tw_num_dot_observed(const struct num_dot_model *model, const struct num_dot_how *how, unsigned n, const uint64_t *a,
                             const uint64_t *b, const uint64_t *c, const uint64_t *scale_a, const uint64_t *scale_b,
                             const struct num_dot_observer *observer);

/* A whole tile: d[i*n + j] = dot(a row i, b row j, accumulator). a is m x k row-major, b is n x k (each column of B
 * contiguous in k), d is m x n row-major, read as C if read_c. Scales: one row of k / scale_block words a row of a and b. */
struct num_tile {
    unsigned m, n, k;
    const uint64_t *a, *b;
    const uint64_t *scale_a, *scale_b;
    bool read_c;
    uint64_t *d;
};
void tw_num_dot_tile(const struct num_dot_model *model, const struct num_dot_how *how, const struct num_tile *tile);

#endif
