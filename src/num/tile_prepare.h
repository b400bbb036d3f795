/* The preparation of one operand for the vector kernels, written once for every vector width: the including file
 * defines VECTOR_LANES (32-bit lanes of its vectors) and VECTOR (the attribute with its CPU features) first.
 *
 * An element becomes a float value = significand * 2^(exponent - lead) and a small exponent relative to lead. Relative
 * exponents are cut off at TILE_TOP_LEAST; kernels notice when that could matter. A row with a NaN, an infinity or a lead
 * far from zero is marked as forced: its results come from the exact evaluation. */
#ifndef TW_NUM_TILE_PREPARE_H
#define TW_NUM_TILE_PREPARE_H

#include "num/tile_parts.h"

#include "base/bits.h"

typedef int32_t lanes_int __attribute__((vector_size(4 * VECTOR_LANES), may_alias));
typedef uint32_t lanes_word __attribute__((vector_size(4 * VECTOR_LANES), may_alias));
typedef float lanes_float __attribute__((vector_size(4 * VECTOR_LANES), may_alias));
typedef int8_t lanes_byte __attribute__((vector_size(VECTOR_LANES), may_alias, aligned(1)));

enum {
    /* Leads within this keep every sum of exponents inside an f32's exponent field and its sign bit. */
    LEAD_WILD = 63,
    /* Below this a value is not scaled exactly: such an element's product is under half a unit of any window that the
     * quick path takes, since that has a product above 2^TILE_TOP_LEAST. */
    VALUE_LEAST = -100
};

#define PREPARE VECTOR static inline __attribute__((always_inline))

/* What decoding needs to know of a format. */
struct prepare_format {
    int fraction_bits, hidden, magnitude_mask, fraction_mask, special_from, sign_shift, bias;
    bool fixed;
    int fixed_lead;
};

static struct prepare_format prepare_format(enum num_format f)
{
    const struct num_format_info *const info = tw_num_format(f);
    const int magnitude_bits = info->exponent_bits + info->fraction_bits;
    struct prepare_format p = {.fraction_bits = info->fraction_bits,
                               .hidden = 1 << info->fraction_bits,
                               .magnitude_mask = (int)bits_mask((unsigned)magnitude_bits),
                               .fraction_mask = (int)bits_mask(info->fraction_bits),
                               .sign_shift = 31 - magnitude_bits,
                               .bias = info->bias};
    p.special_from = info->specials == NUM_IEEE       ? (int)bits_mask(info->exponent_bits) << info->fraction_bits
                     : info->specials == NUM_NAN_ONLY ? p.magnitude_mask
                                                      : INT32_MAX;
    p.fixed = tw_num_tile_fixed_lead(f, &p.fixed_lead);
    return p;
}

PREPARE lanes_int select_int(lanes_int mask, lanes_int yes, lanes_int no)
{
    return (yes & mask) | (no & ~mask);
}

PREPARE lanes_int larger_int(lanes_int x, lanes_int y)
{
    return select_int(x > y, x, y);
}

/* Leads of one vector of rows, unbiased: a format's own, or the largest exponent among the row's numbers. */
PREPARE lanes_int find_lead(const struct tile_side *s, const struct prepare_format *p, unsigned count, unsigned at)
{
    const lanes_int none = (lanes_int){0} - 1000;
    if (p->fixed)
        return (lanes_int){0} + p->fixed_lead;
    lanes_int lead = none;
    for (unsigned i = 0; i < count; i++) {
        const lanes_int magnitude = *(const lanes_int *)(const void *)(s->words + (size_t)i * s->padded + at) & p->magnitude_mask;
        const lanes_int field = magnitude >> p->fraction_bits, top = larger_int(field, (lanes_int){0} + 1) - p->bias;
        lead = larger_int(lead, select_int((magnitude != 0) & (magnitude < p->special_from), top, none));
    }
    return select_int(lead == none, (lanes_int){0}, lead);
}

/* One vector of elements; returns which of them are special. */
PREPARE lanes_int prepare_elements(const struct tile_side *s, const struct prepare_format *p, lanes_int lead, size_t at,
                                   bool across)
{
    const lanes_int zero = {0};
    const lanes_int word = *(const lanes_int *)(const void *)(s->words + at), magnitude = word & p->magnitude_mask;
    const lanes_int field = magnitude >> p->fraction_bits, fraction = magnitude & p->fraction_mask;
    const lanes_int special = magnitude >= p->special_from, present = (magnitude != 0) & ~special;
    const lanes_int significand = (fraction | (p->hidden & (field != 0))) & present;
    const lanes_int relative = larger_int(field, zero + 1) - (p->bias + lead);
    const lanes_int scale = (larger_int(relative, zero + VALUE_LEAST) + (127 - p->fraction_bits)) << 23;
    const lanes_word sign =
        ((*(const lanes_word *)(const void *)(s->words + at) << p->sign_shift) ^ (s->negate ? 0x80000000u : 0)) & 0x80000000u;
    const lanes_float value = __builtin_convertvector(significand, lanes_float) * (lanes_float)scale;
    const lanes_int top = select_int(present, larger_int(relative, zero + TILE_TOP_LEAST), zero + TILE_TOP_ZERO);
    *(lanes_int *)(void *)(s->value + at) = (lanes_int)value | (lanes_int)sign;
    if (across)
        *(lanes_byte *)(void *)(s->top + at) = __builtin_convertvector(top, lanes_byte);
    else
        *(lanes_word *)(void *)(s->top4 + at) = ((lanes_word)top & 0xffu) * 0x01010101u;
    return special;
}

/* The exponent that the block's scale adds to a row's lead; a NaN scale adds what makes the row wild. */
static inline int scale_exponent(uint8_t ue8m0)
{
    return ue8m0 == 255 ? 1000 : ue8m0 - 127;
}

VECTOR static void prepare_side(const struct tile_side *side, unsigned count, bool across)
{
    const struct prepare_format p = prepare_format(side->format);
    const struct tile_side own = *side, *const s = &own; /* a copy that no store below can change */
    for (unsigned at = 0; at < s->padded; at += VECTOR_LANES) {
        lanes_int special = {0}, lead = find_lead(s, &p, count, at);
        for (unsigned i = 0; i < count; i++)
            special |= prepare_elements(s, &p, lead, (size_t)i * s->padded + at, across);
        if (s->scale != NULL)
            for (unsigned lane = 0; lane < VECTOR_LANES; lane++)
                lead[lane] += scale_exponent(s->scale[at + lane]);
        const lanes_int forced = (special | (lead > LEAD_WILD) | (lead < -LEAD_WILD)) & 1;
        *(lanes_byte *)(void *)(s->forced + at) = __builtin_convertvector(forced, lanes_byte);
        *(lanes_word *)(void *)(s->lead + at) = (lanes_word)lead << 23;
    }
}

#endif
