/* Shared-memory swizzles: an XOR of address bits with higher address bits.
 *
 * Two views of one thing. A `swizzle_mode` is what hardware knows, a function on byte addresses that is
 * the same for every element width. A `struct swizzle` is what the kernel language writes (ComposeLayout),
 * a function on element offsets, more general than the hardware. */
#ifndef TW_LAYOUT_SWIZZLE_H
#define TW_LAYOUT_SWIZZLE_H

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* The numbers are the kernel language's; matrix descriptors encode them differently. */
enum swizzle_mode {
    SWIZZLE_NONE,
    SWIZZLE_32B,
    SWIZZLE_64B,
    SWIZZLE_128B,
    SWIZZLE_128B_ATOM32, /* rows of 128 bytes permuted in units of 32; MN-major 32-bit operands */
    SWIZZLE_MODE_COUNT
};

struct swizzle_mode_row {
    const char *name;      /* "128B" */
    uint32_t row_bytes;    /* pitch of one row of the pattern */
    uint32_t group_rows;   /* rows before the pattern's stride step */
    uint32_t period_bytes; /* of the permutation; allocations align to it. 16 without a swizzle. */
    uint32_t unit_bytes;   /* bytes that stay together */
    uint32_t xor_bits;     /* how many address bits change */
    uint32_t shift;        /* distance in bits between a changed bit and its source */
};

const struct swizzle_mode_row *tw_swizzle_mode_row(enum swizzle_mode mode);

/* The permuted byte address; applies to whole addresses, not to offsets inside a tile. */
uint64_t tw_swizzle_bytes(enum swizzle_mode mode, uint64_t byte_address);
/* The address that tw_swizzle_bytes maps to `byte_address`. */
uint64_t tw_swizzle_inverse_bytes(enum swizzle_mode mode, uint64_t byte_address);

/* ComposeLayout's permutation of element offsets, with q = offset >> per_element:
 *     inner:  q ^ ((q & (mask(swizzle_len) << atom_len)) >> atom_len)
 *     outer:  q ^ ((q & mask(swizzle_len)) << atom_len)
 * INVARIANT: swizzle_len <= atom_len and per_element + swizzle_len + atom_len <= TW_MAX_SWIZZLE_BITS. */
struct swizzle {
    uint32_t per_element, swizzle_len, atom_len;
    bool inner;
};

bool tw_swizzle_valid(const struct swizzle *s);
/* Elements after which the pattern repeats. */
int64_t tw_swizzle_period(const struct swizzle *s);
int64_t tw_swizzle_apply(const struct swizzle *s, int64_t element_offset);
/* The permutation is its own inverse; the name says which way a caller means. */
int64_t tw_swizzle_invert(const struct swizzle *s, int64_t element_offset);
/* No offset changes. */
bool tw_swizzle_is_identity(const struct swizzle *s);

/* The hardware mode in elements of `elem_bits`; false when an element does not divide the unit. */
bool tw_swizzle_of_mode(enum swizzle_mode mode, uint32_t elem_bits, struct swizzle *out);
/* The hardware mode that permutes as `s` does for this element width; false when none does. */
bool tw_swizzle_find_mode(const struct swizzle *s, uint32_t elem_bits, enum swizzle_mode *out);

#endif
