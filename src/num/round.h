/* The one place where an exact number becomes a word of a format: rounding, subnormals, overflow. */
#ifndef TW_NUM_ROUND_H
#define TW_NUM_ROUND_H

#include "num/format.h"

/* PTX: rn ties to even, rna ties away from zero, rz toward zero, rm toward -infinity, rp toward +infinity.
 * The integral forms rni, rzi, rmi, rpi are the same modes on the integer grid. */
enum num_rounding { NUM_RN, NUM_RNA, NUM_RZ, NUM_RM, NUM_RP,
                    NUM_RS /* stochastic: the magnitude goes up where random bits carry out of what is cut off */ };

enum num_overflow {
    NUM_OVERFLOW_BY_MODE,  /* infinity or the largest number, as the rounding direction says (IEEE) */
    NUM_OVERFLOW_INFINITY, /* always infinity: the tensor core's truncating f32 output              */
    NUM_OVERFLOW_SATURATE  /* always the largest number: .satfinite                                 */
};

__extension__ typedef unsigned __int128 num_wide;

/* (-1)^negative * (sig + s) * 2^exp, where 0 < s < 1 if sticky and s = 0 otherwise. */
struct num_exact {
    num_wide sig;
    int32_t exp;
    bool negative;
    bool sticky;
};

struct num_round_how {
    enum num_rounding mode;
    enum num_overflow overflow;
    bool ftz;           /* a result that is below the smallest normal after rounding with unbounded exponent becomes a signed zero */
    uint8_t drop_bits;  /* fraction bits given up at the low end: 10 for an f32 result that keeps 13 */
    uint8_t random_bits; /* NUM_RS: width of `random`, at most 32                                    */
    uint32_t random;     /* NUM_RS: added to the top random_bits of what is cut off                  */
};

/* Where the policy says infinity, a format without one gives its NaN, and one without NaN its largest number.
 * A zero keeps its sign; unsigned formats have none. */
uint64_t tw_num_pack(enum num_format f, struct num_round_how how, struct num_exact x);

/* x rounded to an integer; *overflow says that the magnitude does not fit in 64 bits (the result is then UINT64_MAX). */
uint64_t tw_num_round_integer(enum num_rounding mode, struct num_exact x, bool *overflow);

#endif
