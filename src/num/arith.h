/* Scalar floating-point arithmetic on raw words, as PTX defines it and sm_90 does it. Formats: f16, bf16, f32, f64.
 * One rounding each; NaN results are the format's canonical word, except f64, which keeps a payload.
 * SOURCE: PTX ISA, "Floating Point Instructions"; MEASURED: scalar_fp32, scalar_fp64, scalar_half (sm_90a). */
#ifndef TW_NUM_ARITH_H
#define TW_NUM_ARITH_H

#include "num/round.h"

/* Zero is PTX's default of every field. */
struct num_ops {
    enum num_rounding rounding;
    bool ftz;         /* subnormal inputs and tiny results become signed zeros          */
    bool sat;         /* clamp to [0, 1], NaN to +0                                     */
    bool relu;        /* negative and -0 to +0, NaN stays                               */
    bool nan;         /* min, max: .NaN, a NaN operand gives NaN                        */
    bool xorsign_abs; /* min, max: compare magnitudes, sign is the xor of both signs    */
    bool abs;         /* min, max: the operands' magnitudes                             */
    bool oob;         /* fma: .oob, a or b equal to 7FF7 or FFF7 makes the result +0    */
};

uint64_t tw_num_add(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_sub(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_mul(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_fma(enum num_format f, struct num_ops how, uint64_t a, uint64_t b, uint64_t c);
uint64_t tw_num_div(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_sqrt(enum num_format f, struct num_ops how, uint64_t a);
uint64_t tw_num_rcp(enum num_format f, struct num_ops how, uint64_t a);

uint64_t tw_num_min(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_max(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_abs(enum num_format f, struct num_ops how, uint64_t a);
uint64_t tw_num_neg(enum num_format f, struct num_ops how, uint64_t a);
/* PTX order: the sign of a, the magnitude of b; NaN payloads stay. */
uint64_t tw_num_copysign(enum num_format f, uint64_t a, uint64_t b);

/* setp and set: the ordered compares are false with a NaN (ne included), the u forms are true. */
enum num_compare {
    NUM_EQ, NUM_NE, NUM_LT, NUM_LE, NUM_GT, NUM_GE,
    NUM_EQU, NUM_NEU, NUM_LTU, NUM_LEU, NUM_GTU, NUM_GEU,
    NUM_BOTH_NUMBERS, NUM_ANY_NAN
};
/* Any float or integer format; signedness of integers comes from the format (lo ls hi hs are lt le gt ge on unsigned). */
bool tw_num_compare(enum num_format f, enum num_compare cmp, bool ftz, uint64_t a, uint64_t b);

enum num_testp { NUM_TEST_FINITE, NUM_TEST_INFINITE, NUM_TEST_NUMBER, NUM_TEST_NOTANUMBER, NUM_TEST_NORMAL, NUM_TEST_SUBNORMAL };
/* Zero is a normal number here, as PTX says. */
bool tw_num_testp(enum num_format f, enum num_testp test, uint64_t a);

/* The integer-only definitions of the operations that also have a host path; tests hold the two equal. */
uint64_t tw_num_add_reference(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_mul_reference(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
uint64_t tw_num_fma_reference(enum num_format f, struct num_ops how, uint64_t a, uint64_t b, uint64_t c);

#endif
