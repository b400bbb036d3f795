/* PTX cvt. The NaN rules are a table because they follow no principle: they are what the hardware and the
 * assembler's expansions do. */
#include "num/convert.h"

#include "base/bits.h"

/* What a NaN becomes in a float result. */
enum nan_rule {
    NAN_CANONICAL,  /* the destination's canonical word, sign dropped                          */
    NAN_PAYLOAD,    /* sign, quiet bit and the top payload bits that fit                        */
    NAN_SHIFT       /* sign and payload as they are, no quiet bit: the conversion is a shift    */
};

/* MEASURED: on sm_90a, every pair here and the canonical rest. */
static const struct {
    enum num_format to, from;
    enum nan_rule rule;
} nan_rules[] = {
    {NUM_F32, NUM_BF16, NAN_SHIFT},
    {NUM_F64, NUM_F64, NAN_PAYLOAD}, /* the integral forms */
    {NUM_F64, NUM_F32, NAN_PAYLOAD},
    {NUM_F64, NUM_F16, NAN_PAYLOAD},
    {NUM_F64, NUM_BF16, NAN_PAYLOAD},
    {NUM_F32, NUM_F64, NAN_PAYLOAD},
    {NUM_F16, NUM_F64, NAN_PAYLOAD},
    {NUM_BF16, NUM_F64, NAN_PAYLOAD},
};

static uint64_t sign_word(const struct num_format_info *info, bool negative)
{
    return negative && info->sign_bits != 0 ? UINT64_C(1) << (info->storage_bits - 1) : 0;
}

/* The NaN `word` of one IEEE format carried to another: the fraction is aligned at its top. */
static uint64_t carry_nan(const struct num_format_info *to, const struct num_format_info *from, uint64_t word, bool quiet)
{
    uint64_t fraction = word >> from->unused_low_bits & bits_mask(from->fraction_bits);
    if (to->fraction_bits >= from->fraction_bits)
        fraction <<= to->fraction_bits - from->fraction_bits;
    else
        fraction >>= from->fraction_bits - to->fraction_bits;
    if (quiet)
        fraction |= UINT64_C(1) << (to->fraction_bits - 1);
    return sign_word(to, (word >> (from->storage_bits - 1) & 1) != 0) | to->infinity | fraction << to->unused_low_bits;
}

/* MEASURED: scalar_cvt (sm_90a): cvt.rna.tf32 only cuts the low bits of a NaN, and its satfinite form then takes
 * one unit off, as it does with infinity; the result may be an infinity or a number. */
static uint64_t rna_tf32_nan(bool satfinite, uint64_t word)
{
    const uint64_t cut = word & UINT64_C(0xffffe000);
    return satfinite ? cut - 0x2000 : cut;
}

/* MEASURED: cvt.{rn,rz,rm,rp}.ftz.{f16,bf16}.f32, cvt.ftz.{f32,f64}.f32 (sm_90a): .ftz does nothing on the way to f16, whose
 * rounding sees the subnormal; on the way to bf16 it flushes. */
static bool flushes_input(const struct num_convert_how *how)
{
    return how->ftz && how->from == NUM_F32 && how->to != NUM_F16;
}

static uint64_t float_from_nan(const struct num_convert_how *how, uint64_t word)
{
    const struct num_format_info *to = tw_num_format(how->to);
    if (how->sat)
        return 0;
    if (how->ftz && how->to == NUM_F32 && how->from != NUM_F64)
        return to->canonical_nan;
    if (flushes_input(how)) /* flushing is an f32 operation of its own, which makes its NaN canonical */
        word = tw_num_format(NUM_F32)->canonical_nan;
    if (how->to == how->from && !how->integral && to->storage_bits >= 32) /* MEASURED: f16 and bf16 become canonical */
        return word & bits_mask(to->storage_bits);
    if (how->to == NUM_TF32 && how->from == NUM_F32 && how->rounding == NUM_RNA)
        return rna_tf32_nan(how->satfinite, word);
    if (to->specials == NUM_ALL_FINITE)
        return to->max_finite; /* SOURCE: PTX ISA, cvt: NaN becomes the positive largest number of e2m1, e2m3, e3m2 */
    for (size_t i = 0; i < sizeof nan_rules / sizeof nan_rules[0]; i++)
        if (nan_rules[i].to == how->to && nan_rules[i].from == how->from)
            return carry_nan(to, tw_num_format(how->from), word, nan_rules[i].rule == NAN_PAYLOAD);
    return to->canonical_nan;
}

static uint64_t float_from_infinity(const struct num_convert_how *how, bool negative)
{
    const struct num_format_info *to = tw_num_format(how->to);
    uint64_t magnitude = to->max_finite;
    if (!how->satfinite && to->specials != NUM_ALL_FINITE)
        magnitude = to->specials == NUM_IEEE ? to->infinity : to->canonical_nan;
    return magnitude | sign_word(to, negative);
}

static uint64_t clamp_unit(enum num_format f, uint64_t word)
{
    const struct num_format_info *info = tw_num_format(f);
    const uint64_t one = (uint64_t)info->bias << (info->fraction_bits + info->unused_low_bits);
    if ((word >> (info->storage_bits - 1) & 1) != 0)
        return 0;
    return word > one ? one : word;
}

/* relu and sat on a result that is not NaN. */
static uint64_t clamp_float(const struct num_convert_how *how, uint64_t word)
{
    const struct num_format_info *to = tw_num_format(how->to);
    if (how->relu && to->sign_bits != 0 && (word >> (to->storage_bits - 1) & 1) != 0)
        return 0;
    return how->sat ? clamp_unit(how->to, word) : word;
}

static uint64_t float_from_number(const struct num_convert_how *how, struct num_value v)
{
    struct num_exact x = {.sig = v.sig, .exp = v.exp, .negative = v.negative};
    if (v.cls == NUM_ZERO || (flushes_input(how) && v.subnormal))
        x.sig = 0;
    /* Scales have no sign: rp rounds their magnitude up. SOURCE: CUDA 13.0, the host definition of e8m0 conversions. */
    if (tw_num_format(how->to)->sign_bits == 0)
        x.negative = false;
    if (how->integral && x.sig != 0) {
        bool overflow;
        if (x.exp < 0) { /* from 2^(fraction bits) on every float is an integer */
            x.sig = tw_num_round_integer(how->rounding, x, &overflow);
            x.exp = 0;
        }
    }
    const struct num_round_how mode = {
        .mode = how->rounding,
        .overflow = how->satfinite ? NUM_OVERFLOW_SATURATE : NUM_OVERFLOW_BY_MODE,
        .ftz = how->ftz && how->to == NUM_F32,
        .random_bits = how->random_bits,
        .random = how->random,
    };
    return clamp_float(how, tw_num_pack(how->to, mode, x));
}

static uint64_t to_float(const struct num_convert_how *how, uint64_t word)
{
    const struct num_value v = tw_num_decode(how->from, word);
    if (v.cls == NUM_NAN)
        return float_from_nan(how, word);
    if (v.cls == NUM_INFINITE)
        return clamp_float(how, float_from_infinity(how, v.negative));
    return float_from_number(how, v);
}

/* magnitude with sign, clamped to the range of an integer format. */
static uint64_t clamp_integer(enum num_format to, bool negative, uint64_t magnitude)
{
    const struct num_format_info *info = tw_num_format(to);
    if (!negative)
        return magnitude > info->max_finite ? info->max_finite : magnitude;
    const uint64_t lowest = info->family == NUM_SIGNED ? info->max_finite + 1 : 0; /* magnitude of the smallest */
    return (0 - (magnitude > lowest ? lowest : magnitude)) & bits_mask(info->storage_bits);
}

/* MEASURED: scalar_cvt_int (sm_90a): NaN gives 0, except where source or destination has 64 bits. */
static uint64_t integer_from_nan(const struct num_convert_how *how)
{
    const unsigned bits = tw_num_format(how->to)->storage_bits;
    return how->from == NUM_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
}

static uint64_t float_to_integer(const struct num_convert_how *how, uint64_t word)
{
    const struct num_value v = tw_num_decode(how->from, word);
    if (v.cls == NUM_NAN)
        return integer_from_nan(how);
    if (v.cls == NUM_INFINITE)
        return clamp_integer(how->to, v.negative, UINT64_MAX);
    if (v.cls == NUM_ZERO || (flushes_input(how) && v.subnormal))
        return 0;
    const struct num_exact x = {.sig = v.sig, .exp = v.exp, .negative = v.negative};
    bool overflow;
    return clamp_integer(how->to, v.negative, tw_num_round_integer(how->rounding, x, &overflow));
}

static uint64_t integer_to_integer(const struct num_convert_how *how, uint64_t word)
{
    if (!how->sat && !how->satfinite)
        return (uint64_t)tw_num_extend(how->from, word) & bits_mask(tw_num_bits(how->to));
    const struct num_value v = tw_num_decode(how->from, word);
    return clamp_integer(how->to, v.negative, v.cls == NUM_ZERO ? 0 : v.sig);
}

uint64_t tw_num_convert(const struct num_convert_how *how, uint64_t word)
{
    if (tw_num_is_float(how->to))
        return to_float(how, word);
    return tw_num_is_float(how->from) ? float_to_integer(how, word) : integer_to_integer(how, word);
}

uint64_t tw_num_convert_pair(const struct num_convert_how *how, uint64_t a, uint64_t b)
{
    return tw_num_convert(how, a) << tw_num_format(how->to)->pack_bits | tw_num_convert(how, b);
}

uint64_t tw_num_convert_fields(const struct num_convert_how *how, unsigned count, uint64_t word)
{
    const unsigned to_bits = tw_num_format(how->to)->pack_bits, from_bits = tw_num_format(how->from)->pack_bits;
    uint64_t result = 0;
    for (unsigned i = 0; i < count; i++)
        result |= tw_num_convert(how, bits_get(word, i * from_bits, from_bits)) << i * to_bits;
    return result;
}

/* Which bits of the random operand each source gets, the first source first. SOURCE: PTX ISA, "cvt", figures of the random
 * operand: f16 takes 13 bits a source and bf16 16; the 8- and 6-bit forms share 16 bits between two sources; e2m1 takes a
 * byte each, in the order 3, 1, 2, 0. */
struct random_share {
    uint8_t low[4];
    uint8_t width;
};

static struct random_share share_of(enum num_format to)
{
    if (to == NUM_F16)
        return (struct random_share){{16, 0}, 13};
    if (to == NUM_BF16)
        return (struct random_share){{16, 0}, 16};
    if (to == NUM_E2M1)
        return (struct random_share){{24, 8, 16, 0}, 8};
    return (struct random_share){{16, 16, 0, 0}, 16};
}

uint64_t tw_num_convert_random(const struct num_convert_how *how, uint32_t random, unsigned count, const uint64_t *in)
{
    const struct random_share share = share_of(how->to);
    const unsigned field = tw_num_format(how->to)->pack_bits;
    struct num_convert_how one = *how;
    one.rounding = NUM_RS;
    one.random_bits = share.width;
    uint64_t result = 0;
    for (unsigned i = 0; i < count; i++) {
        one.random = (uint32_t)bits_get(random, share.low[i], share.width);
        result = result << field | tw_num_convert(&one, in[i]);
    }
    return result;
}
