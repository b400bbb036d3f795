/* Number formats as one table, and their decoding. A value travels as the raw word of its format in
 * the low bits of a uint64_t; bits above the storage width are ignored on input and zero on output.
 *
 * Containers: tf32 is a 32-bit word whose low 13 bits do not exist for arithmetic; e2m3 and e3m2 sit
 * in bits 5:0, e2m1, s4 and u4 in bits 3:0, ue4m3 in bits 6:0, b1 in bit 0. */
#ifndef TW_NUM_FORMAT_H
#define TW_NUM_FORMAT_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum num_format {
    NUM_NONE, /* no format: an absent operand or scale */
    NUM_F16, NUM_BF16, NUM_TF32, NUM_F32, NUM_F64,
    NUM_E4M3, NUM_E5M2, NUM_E2M3, NUM_E3M2, NUM_E2M1, NUM_UE8M0, NUM_UE4M3,
    NUM_S4, NUM_U4, NUM_S8, NUM_U8, NUM_S16, NUM_U16, NUM_S32, NUM_U32, NUM_S64, NUM_U64,
    NUM_B1,
    NUM_FORMAT_COUNT
};

enum num_family { NUM_FAMILY_NONE, NUM_FLOAT, NUM_SIGNED, NUM_UNSIGNED, NUM_BITS };

/* What the top of the exponent range means. */
enum num_specials {
    NUM_IEEE,     /* top exponent: infinity, and NaN with a nonzero fraction      */
    NUM_NAN_ONLY, /* no infinity; the all-ones magnitude is NaN                   */
    NUM_ALL_FINITE /* every word is a finite number                               */
};

struct num_format_info {
    const char *name;          /* PTX spelling without the dot: "f16"                             */
    const char *dtype;         /* kernel-language name: "float16"; NULL where it has none         */
    enum num_family family;
    uint8_t storage_bits;      /* bits of one element in dense storage                            */
    uint8_t pack_bits;         /* bits of one element in a packed PTX operand: 8 for 6-bit types  */
    uint8_t sign_bits;         /* floats: 1, or 0 for the unsigned scale formats                  */
    uint8_t exponent_bits;
    uint8_t fraction_bits;
    uint8_t unused_low_bits;   /* container bits below the fraction: 13 for tf32                  */
    int16_t bias;
    enum num_specials specials;
    uint64_t canonical_nan;    /* the NaN that hardware produces; 0 where there is none           */
    uint64_t infinity;         /* +infinity; 0 where there is none                                */
    uint64_t max_finite;       /* largest number, as a word                                       */
};

/* Never NULL; the row of NUM_NONE is all zeros with the name "none". */
const struct num_format_info *tw_num_format(enum num_format f);

/* By PTX spelling ("f16", "e4m3") or by kernel-language dtype ("float16", "float8_e4m3fn"); NUM_NONE if unknown. */
enum num_format tw_num_format_by_name(struct str name);
enum num_format tw_num_format_by_dtype(struct str dtype);

bool tw_num_is_float(enum num_format f);
bool tw_num_is_integer(enum num_format f); /* signed or unsigned; b1 is neither */
unsigned tw_num_bits(enum num_format f);   /* storage_bits */

enum num_class { NUM_ZERO, NUM_FINITE, NUM_INFINITE, NUM_NAN };

/* value = (-1)^negative * sig * 2^exp; sig and exp only for NUM_FINITE. Subnormals are not renormalised. */
struct num_value {
    enum num_class cls;
    bool negative;
    bool subnormal;
    int32_t exp;   /* weight of the lowest bit of sig                                               */
    int32_t top;   /* the exponent field without bias; the smallest normal exponent for subnormals  */
    uint64_t sig;
};

/* Floats and integers alike; an integer is sig * 2^0 with top 0. */
struct num_value tw_num_decode(enum num_format f, uint64_t word);

/* Largest and lowest finite word: T.max_value and T.min_value. */
uint64_t tw_num_max_word(enum num_format f);
uint64_t tw_num_min_word(enum num_format f);
/* The smallest representable word above `word`; max stays (infinity above max where there is one); NaN stays. */
uint64_t tw_num_next_up(enum num_format f, uint64_t word);

/* The low bits of a word that carry an integer, extended to 64 by its format's signedness. */
int64_t tw_num_extend(enum num_format f, uint64_t word);

#endif
