/* PTX cvt on raw words: float to float, float to integer, integer to float, integer to integer.
 * SOURCE: PTX ISA, "cvt"; MEASURED: scalar_cvt, scalar_cvt_int (sm_90a) for NaN words and saturation. */
#ifndef TW_NUM_CONVERT_H
#define TW_NUM_CONVERT_H

#include "num/round.h"

struct num_convert_how {
    enum num_format to, from;
    enum num_rounding rounding; /* float results, and the direction of the integral forms               */
    bool integral;              /* .rni .rzi .rmi .rpi; only float to float needs it, float to integer always rounds so */
    bool ftz, sat, satfinite, relu;
    uint8_t random_bits; /* NUM_RS: see round.h; tw_num_convert_random sets both                            */
    uint32_t random;
};

/* Total: every pair of formats and every word has a result. Which spellings are legal is the isa room's table.
 * Integer results are the word of `to` in the low bits, zero above; see tw_num_extend for wider registers. */
uint64_t tw_num_convert(const struct num_convert_how *how, uint64_t word);

/* cvt.*x2 d, a, b: the first source goes to the upper field; a field is pack_bits of `to` wide. */
uint64_t tw_num_convert_pair(const struct num_convert_how *how, uint64_t a, uint64_t b);
/* Packed to packed (f16x2 to e4m3x2, e2m1x2 to f16x2, ...): field i of the source gives field i of the result. */
uint64_t tw_num_convert_fields(const struct num_convert_how *how, unsigned count, uint64_t word);

/* cvt.rs.*x2 d, a, b, rbits and cvt.rs.*x4 d, {a, b, e, f}, rbits: `count` sources, the first in the uppermost field, each
 * with its share of the random operand. count is 2 for f16 and bf16, 4 for the 8-, 6- and 4-bit formats. */
uint64_t tw_num_convert_random(const struct num_convert_how *how, uint32_t random, unsigned count, const uint64_t *in);

#endif
