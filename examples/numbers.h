/* Number formats of the examples: reading and drawing elements of tensors in memory. Written from the formats'
 * definitions and apart from the library, so that the references do not lean on what they check. */
#ifndef TW_EXAMPLES_NUMBERS_H
#define TW_EXAMPLES_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

enum example_format {
    EX_NONE,
    EX_F16, EX_BF16, EX_F32, EX_E4M3, EX_E5M2,
    EX_E2M1,       /* two to a byte, the low nibble first */
    EX_E2M1_UNITS, /* 16 elements in the first 8 of 16 bytes */
    EX_E3M2_UNITS, /* 16 elements in the first 12 of 16 bytes, six bits each */
    EX_E2M3_UNITS, /* likewise */
    EX_UE8M0, EX_UE4M3, EX_S8, EX_U8, EX_S32,
    EX_F64,
    EX_S4, EX_U4,  /* two to a byte, the low nibble first */
    EX_U32,
    EX_FORMAT_COUNT
};

enum example_fill {
    EX_SMALL,  /* multiples of 1/4 (1/2 where the format has no quarters) between -3/2 and 3/2 */
    EX_SCALES, /* powers of two from 1/4 to 4; ue4m3 also 3/2 */
    EX_WIDE,   /* floats: any sign and significand, exponents about that of 1; sums are not exact */
    EX_ANY,    /* integers: every value */
    EX_EDGE,   /* s32: near the largest and the least value */
    EX_CODES   /* u4: two different positions of four, the lower one in the low bits, as metadata of sparse operands have them */
};

size_t tw_example_bytes(enum example_format f, size_t elements);
uint64_t tw_example_word(enum example_format f, const unsigned char *tensor, size_t index);
double tw_example_get(enum example_format f, const unsigned char *tensor, size_t index);
void tw_example_fill(enum example_format f, enum example_fill fill, unsigned char *tensor, size_t elements, uint32_t *state);

#endif
