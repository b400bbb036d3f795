/* Rounding and packing. Every float result of the room is made here. */
#include "num/round.h"

#include "base/bits.h"

#include <assert.h>

static int wide_log2(num_wide n)
{
    const uint64_t high = (uint64_t)(n >> 64);
    return high != 0 ? 64 + (int)log2_floor(high) : (int)log2_floor((uint64_t)n);
}

/* Whether the magnitude `kept` goes up by one unit, given the first dropped bit and whether anything is below it. */
static bool rounds_up(enum num_rounding mode, bool negative, bool odd, bool half, bool rest)
{
    if (mode == NUM_RN)
        return half && (rest || odd);
    if (mode == NUM_RNA)
        return half;
    if (mode == NUM_RM)
        return negative && (half || rest);
    if (mode == NUM_RP)
        return !negative && (half || rest);
    return false;
}

/* The sum of the random bits and the top bits of the `shift` bits that are cut off carries out of them.
 * DIVERGES: PTX ISA, "cvt", says that random bits are added to the discarded ones and shows only in figures where they lie.
 * Their top is laid here at the top of the discarded field, which makes the chance of going up equal to the part cut off;
 * for f16 and bf16 results the two fields are equally wide and there is no choice. Nothing of this was measured. */
static bool random_carries(const struct num_round_how *how, num_wide sig, int64_t shift)
{
    const int64_t down = shift - how->random_bits;
    const num_wide below = shift >= 128 ? sig : sig & (((num_wide)1 << shift) - 1);
    const num_wide top = down >= 128 ? 0 : down >= 0 ? below >> down : below << -down;
    return (top + how->random) >> how->random_bits != 0;
}

/* x as a multiple of 2^grid. INVARIANT: with sticky set the grid lies above the lowest bit of sig. */
static num_wide to_grid(const struct num_round_how *how, struct num_exact x, int32_t grid)
{
    const int64_t shift = (int64_t)grid - x.exp;
    assert(!x.sticky || shift > 0);
    if (shift <= 0)
        return x.sig << -shift;
    bool half = false, rest = x.sticky;
    num_wide kept = 0;
    if (shift > 128) {
        rest = true;
    } else {
        const num_wide below = x.sig & (((num_wide)1 << (shift - 1)) - 1);
        kept = shift == 128 ? 0 : x.sig >> shift;
        half = (x.sig >> (shift - 1) & 1) != 0;
        rest = rest || below != 0;
    }
    const bool up = how->mode == NUM_RS ? random_carries(how, x.sig, shift)
                                        : rounds_up(how->mode, x.negative, (kept & 1) != 0, half, rest);
    return kept + (up ? 1 : 0);
}

/* Without an infinity the NaN word stands for what is too large, and without a NaN the largest number. */
static uint64_t overflowed(const struct num_format_info *info, struct num_round_how how, bool negative)
{
    bool infinite = info->specials != NUM_ALL_FINITE && how.overflow != NUM_OVERFLOW_SATURATE;
    if (how.overflow == NUM_OVERFLOW_BY_MODE)
        infinite = infinite && how.mode != NUM_RZ && how.mode != (negative ? NUM_RP : NUM_RM);
    if (!infinite)
        return info->max_finite;
    return info->specials == NUM_IEEE ? info->infinity : info->canonical_nan;
}

/* The magnitude word of a nonzero x, before its sign is put on. */
static uint64_t magnitude_word(const struct num_format_info *info, struct num_round_how how, struct num_exact x)
{
    const int fraction = info->fraction_bits, kept_fraction = fraction - how.drop_bits;
    const int32_t smallest = (fraction == 0 ? 0 : 1) - info->bias; /* smallest normal exponent */
    const int32_t exponent = x.exp + wide_log2(x.sig);

    if (how.ftz && exponent < smallest) {
        /* MEASURED: scalar_fp32 (sm_90a): tininess is judged after rounding with unbounded exponent. */
        const bool carries = to_grid(&how, x, exponent - kept_fraction) >> (kept_fraction + 1) != 0;
        if (exponent < smallest - 1 || !carries)
            return 0;
    }
    int32_t grid = exponent - kept_fraction;
    if (grid < smallest - fraction)
        grid = smallest - fraction;
    const num_wide kept = to_grid(&how, x, grid);
    if (kept == 0)
        return 0;

    const int32_t rounded_exponent = grid + wide_log2(kept);
    if (rounded_exponent > (int32_t)bits_mask(info->exponent_bits) - info->bias)
        return overflowed(info, how, x.negative);
    int32_t lowest = rounded_exponent - fraction; /* weight of the lowest fraction bit of the word */
    if (lowest < smallest - fraction)
        lowest = smallest - fraction;
    /* A carry out of the significand leaves a power of two, whose dropped low bit is zero. */
    const uint64_t significand = (uint64_t)(grid >= lowest ? kept << (grid - lowest) : kept >> (lowest - grid));
    const uint64_t hidden = UINT64_C(1) << fraction;
    uint64_t word = significand;
    if (significand >= hidden)
        word = ((uint64_t)(lowest + fraction + info->bias) << fraction) + (significand - hidden);
    word <<= info->unused_low_bits;
    return word > info->max_finite ? overflowed(info, how, x.negative) : word;
}

uint64_t tw_num_pack(enum num_format f, struct num_round_how how, struct num_exact x)
{
    const struct num_format_info *info = tw_num_format(f);
    assert(info->family == NUM_FLOAT);
    assert(x.sig != 0 || !x.sticky);
    const uint64_t sign = x.negative && info->sign_bits != 0 ? UINT64_C(1) << (info->storage_bits - 1) : 0;
    return sign | (x.sig == 0 ? 0 : magnitude_word(info, how, x));
}

uint64_t tw_num_round_integer(enum num_rounding mode, struct num_exact x, bool *overflow)
{
    *overflow = false;
    if (x.sig == 0)
        return 0;
    if (x.exp + wide_log2(x.sig) >= 64) {
        *overflow = true;
        return UINT64_MAX;
    }
    const num_wide n = to_grid(&(struct num_round_how){.mode = mode}, x, 0);
    *overflow = n >> 64 != 0;
    return *overflow ? UINT64_MAX : (uint64_t)n;
}
