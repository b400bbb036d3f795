/* Swizzles on byte addresses (hardware modes) and on element offsets (ComposeLayout). */
#include "layout/swizzle.h"

#include "base/bits.h"

#include <stddef.h>

/* SOURCE: PTX ISA, tcgen05 matrix descriptor, swizzling modes; the kernel language's tcgen05.mma page for the mode
 * of 32-byte atoms. Every mode takes `xor_bits` address bits from `shift` places above and XORs them into the bits
 * just above the unit:
 *     32B  bit 4 ^= bit 7       64B  bits 5:4 ^= bits 8:7       128B  bits 6:4 ^= bits 9:7
 *     128B/32B atom  bits 6:5 ^= bits 8:7 */
static const struct swizzle_mode_row modes[SWIZZLE_MODE_COUNT] = {
    [SWIZZLE_NONE] = {"NONE", 16, 8, 16, 16, 0, 3},
    [SWIZZLE_32B] = {"32B", 32, 8, 256, 16, 1, 3},
    [SWIZZLE_64B] = {"64B", 64, 8, 512, 16, 2, 3},
    [SWIZZLE_128B] = {"128B", 128, 8, 1024, 16, 3, 3},
    [SWIZZLE_128B_ATOM32] = {"128B_ATOM32", 128, 4, 512, 32, 2, 2},
};

const struct swizzle_mode_row *tw_swizzle_mode_row(enum swizzle_mode mode)
{
    assert(mode < SWIZZLE_MODE_COUNT);
    return &modes[mode];
}

uint64_t tw_swizzle_bytes(enum swizzle_mode mode, uint64_t byte_address)
{
    const struct swizzle_mode_row *row = tw_swizzle_mode_row(mode);
    const uint64_t changed = bits_mask(row->xor_bits) * row->unit_bytes;
    return byte_address ^ (byte_address >> row->shift & changed);
}

uint64_t tw_swizzle_inverse_bytes(enum swizzle_mode mode, uint64_t byte_address)
{
    /* The source bits lie above the changed ones and are not changed themselves: the XOR undoes itself. */
    return tw_swizzle_bytes(mode, byte_address);
}

bool tw_swizzle_valid(const struct swizzle *s)
{
    return s->swizzle_len <= s->atom_len && s->atom_len <= TW_MAX_SWIZZLE_BITS && s->per_element <= TW_MAX_SWIZZLE_BITS &&
           s->per_element + s->swizzle_len + s->atom_len <= TW_MAX_SWIZZLE_BITS;
}

int64_t tw_swizzle_period(const struct swizzle *s)
{
    assert(tw_swizzle_valid(s));
    return INT64_C(1) << (s->per_element + s->swizzle_len + s->atom_len);
}

bool tw_swizzle_is_identity(const struct swizzle *s)
{
    return s->swizzle_len == 0;
}

int64_t tw_swizzle_apply(const struct swizzle *s, int64_t element_offset)
{
    const uint64_t o = (uint64_t)element_offset;
    const uint64_t low = bits_mask(s->swizzle_len) << s->per_element;
    const uint64_t mixed = s->inner ? o >> s->atom_len & low : (o & low) << s->atom_len;
    return (int64_t)(o ^ mixed);
}

int64_t tw_swizzle_invert(const struct swizzle *s, int64_t element_offset)
{
    /* swizzle_len <= atom_len keeps source and changed bits apart: the XOR undoes itself. */
    return tw_swizzle_apply(s, element_offset);
}

bool tw_swizzle_of_mode(enum swizzle_mode mode, uint32_t elem_bits, struct swizzle *out)
{
    const struct swizzle_mode_row *row = tw_swizzle_mode_row(mode);
    const uint32_t unit_bits = row->unit_bytes * 8;
    if (!is_pow2(elem_bits) || elem_bits > unit_bits)
        return false;
    *out = (struct swizzle){log2_floor(unit_bits / elem_bits), row->xor_bits, row->shift, true};
    return true;
}

bool tw_swizzle_find_mode(const struct swizzle *s, uint32_t elem_bits, enum swizzle_mode *out)
{
    if (tw_swizzle_is_identity(s)) {
        *out = SWIZZLE_NONE;
        return true;
    }
    for (int i = SWIZZLE_32B; i < SWIZZLE_MODE_COUNT && s->inner; i++) {
        struct swizzle want;
        if (tw_swizzle_of_mode((enum swizzle_mode)i, elem_bits, &want) && want.per_element == s->per_element &&
            want.swizzle_len == s->swizzle_len && want.atom_len == s->atom_len) {
            *out = (enum swizzle_mode)i;
            return true;
        }
    }
    return false;
}
