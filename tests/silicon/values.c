/* Operand values: special words, neighbours of them, ties, values near that of the operand before, and any bits at all. */
#include "silicon/silicon.h"

#include "num/format.h"

#define PICK(d, table) ((table)[roll((d), (uint32_t)(sizeof(table) / sizeof(table)[0]))])

static uint64_t low(uint64_t word, unsigned bits)
{
    return bits >= 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

static uint64_t draw_integer(struct dice *d, unsigned bits)
{
    static const int64_t telling[] = {0, 1, -1, 2, -2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536};
    switch (roll(d, 8)) {
    case 0: return low((uint64_t)PICK(d, telling), bits);
    case 1: return low(UINT64_C(1) << (bits - 1), bits);           /* the least */
    case 2: return low((UINT64_C(1) << (bits - 1)) - 1, bits);     /* the greatest */
    case 3: return low((UINT64_C(1) << roll(d, bits)) - roll(d, 2), bits);
    case 4: return low(~(UINT64_C(1) << roll(d, bits)) + roll(d, 3), bits);
    case 5: return low(roll_word(d) >> roll(d, 64), bits);
    default: return low(roll_word(d), bits);
    }
}

static uint64_t fraction(struct dice *d, unsigned bits)
{
    const uint64_t any = low(roll_word(d), bits);
    const unsigned at = roll(d, bits + 1);
    const uint64_t step = at >= bits ? 0 : UINT64_C(1) << at;
    switch (roll(d, 5)) {
    case 0: return 0;
    case 1: return low(~UINT64_C(0), bits);
    case 2: return low(any & ~(step - 1), bits);                     /* the low bits are clear: ties */
    case 3: return low((any & ~(step - 1)) + step / 2 + roll(d, 3) - 1, bits); /* ... and beside ties */
    default: return any;
    }
}

/* Exponents around that of 1, within the range of integers and of the other formats. */
static uint64_t near_one(struct dice *d, const struct num_format_info *f, int below, int above)
{
    const int top = (1 << f->exponent_bits) - 2;
    int exponent = f->bias - below + (int)roll(d, (uint32_t)(below + above + 1));
    exponent = exponent < 0 ? 0 : exponent > top ? top : exponent;
    return ((uint64_t)exponent << f->fraction_bits | fraction(d, f->fraction_bits)) << f->unused_low_bits;
}

static uint64_t draw_float(struct dice *d, enum num_format format)
{
    const struct num_format_info *const f = tw_num_format(format);
    const unsigned magnitude = (unsigned)(f->exponent_bits + f->fraction_bits + f->unused_low_bits);
    const unsigned below = (unsigned)(f->fraction_bits + f->unused_low_bits);
    const uint64_t sign = f->sign_bits == 0 ? 0 : (uint64_t)roll(d, 2) << magnitude;
    const uint64_t ones = low(~UINT64_C(0), magnitude), infinite = ones & ~low(~UINT64_C(0), below);
    switch (roll(d, 12)) {
    case 0: return sign;
    case 1: return sign | infinite;
    case 2: return sign | (infinite | fraction(d, below)); /* a NaN with any payload */
    case 3: return sign | f->max_finite;
    case 4: return sign | fraction(d, below); /* subnormal */
    case 5: return sign | low(UINT64_C(1) << below, magnitude); /* the least normal number */
    case 6: return sign | (uint64_t)f->bias << below;
    case 7: return sign | near_one(d, f, 30, 70);
    case 8: return sign | near_one(d, f, 160, 160);
    case 9: return sign | near_one(d, f, 3, 12);
    default: return low(roll_word(d), magnitude + f->sign_bits);
    }
}

static uint64_t draw_element(struct dice *d, unsigned type, unsigned bits)
{
    const enum num_format format = type == MOD_NONE ? NUM_NONE : tw_isa_format(type);
    if (tw_num_is_float(format))
        return draw_float(d, format);
    if (type != MOD_NONE && isa_mod_row(type)->type_class != TYPE_BITS)
        return draw_integer(d, bits);
    return roll(d, 2) == 0 ? low(roll_word(d), bits) : draw_integer(d, bits);
}

/* Three of four warps see sums whose terms reach each other; the fourth, any bits. */
static uint64_t draw_matrix(struct dice *d, unsigned type, unsigned bits, uint32_t warp)
{
    const enum num_format format = tw_isa_format(type);
    if (!tw_num_is_float(format) || warp % 4 == 3)
        return draw_element(d, type, bits);
    const struct num_format_info *const f = tw_num_format(format);
    if (warp % 4 == 2 && roll(d, 40) == 0)
        return draw_float(d, format);
    const int spread = warp % 4 == 0 ? 2 : f->exponent_bits >= 8 ? 12 : f->exponent_bits == 5 ? 6 : 3;
    const unsigned magnitude = (unsigned)(f->exponent_bits + f->fraction_bits + f->unused_low_bits);
    return (uint64_t)roll(d, 2) << magnitude | near_one(d, f, spread, spread);
}

static uint64_t draw_codes(struct dice *d, bool pairs)
{
    static const uint8_t codes[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)(pairs ? (roll(d, 2) == 0 ? 0x4 : 0xe) : PICK(d, codes)) << 4 * i;
    return word;
}

static uint64_t draw_members(struct dice *d)
{
    return roll(d, 3) == 0 ? 0xffffffff : roll(d, 8) == 0 ? UINT64_C(1) << roll(d, 32) : (roll_word(d) & 0xffffffff) | UINT64_C(1) << roll(d, 32);
}

static unsigned element_bits(const struct silicon_input *in)
{
    const unsigned bits = in->type == MOD_NONE ? in->bits : isa_type_bits(in->type);
    return bits < in->bits ? (bits == 6 ? 8 : bits) : in->bits; /* elements of 6 bits lie in bytes */
}

static uint64_t draw_word(struct dice *d, const struct silicon_input *in, uint32_t warp)
{
    uint64_t word = 0;
    const unsigned bits = element_bits(in);
    for (unsigned at = 0; at < in->bits; at += bits)
        word |= low(in->draw == DRAW_MATRIX ? draw_matrix(d, in->type, bits, warp) : draw_element(d, in->type, bits), bits) << at;
    return word;
}

static uint64_t draw_input(struct dice *d, const struct silicon_input *in, uint32_t warp)
{
    switch ((enum silicon_draw)in->draw) {
    case DRAW_COUNT: return roll(d, 6) == 0 ? low(draw_integer(d, in->bits), in->bits) : roll(d, 71);
    case DRAW_BASE: return roll(d, 32);
    case DRAW_FEW: return roll(d, 3) == 0 ? roll(d, 32) : roll(d, 3);
    case DRAW_CLAMP: return (roll_word(d) & 0x1f00) | (roll(d, 2) == 0 ? 0x1f : roll(d, 32));
    case DRAW_CODES: return draw_codes(d, false);
    case DRAW_PAIRS: return draw_codes(d, true);
    case DRAW_MEMBERS: /* the caller's */
    case DRAW_VALUE:
    case DRAW_MATRIX:
    case DRAW_COUNT_OF: break;
    }
    return draw_word(d, in, warp);
}

/* An operand near the one before it: sums cancel, comparisons are equal, ratios are 1. */
static uint64_t related(struct dice *d, uint64_t word, unsigned bits)
{
    switch (roll(d, 4)) {
    case 0: return word;
    case 1: return low(word ^ UINT64_C(1) << (bits - 1), bits);
    case 2: return low(word + 1, bits);
    default: return low(word - 1, bits);
    }
}

static void fill_instance(const struct silicon_batch *b, const struct silicon_instance *one, struct dice *d, uint64_t members,
                          uint32_t warp, unsigned char *record)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < one->inputs; i++) {
        const struct silicon_input *const in = &b->inputs.at[one->first_input + i];
        const bool near = i != 0 && in->draw == DRAW_VALUE && in[-1].draw == DRAW_VALUE && in[-1].bits == in->bits &&
                          in[-1].type == in->type && in->bits > 1 && roll(d, 6) == 0;
        const uint64_t word = in->draw == DRAW_MEMBERS ? members : near ? related(d, last, in->bits) : draw_input(d, in, warp);
        memcpy(record + in->at, &word, in->bits < 8 ? 1 : in->bits / 8);
        last = word;
    }
}

unsigned char *silicon_fill(const struct silicon_batch *b, uint32_t warps, uint64_t seed)
{
    struct dice d = {seed};
    const size_t stride = silicon_stride(b);
    unsigned char *const records = arena_new(b->arena, unsigned char, warps * SILICON_LANES * stride);
    for (uint32_t i = 0; i < b->instances.len; i++)
        for (uint32_t warp = 0; warp < warps; warp++) {
            const uint64_t members = draw_members(&d);
            for (uint32_t lane = 0; lane < SILICON_LANES; lane++)
                fill_instance(b, &b->instances.at[i], &d, members, warp, records + ((size_t)warp * SILICON_LANES + lane) * stride);
        }
    return records;
}
