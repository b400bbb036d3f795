/* The table of number formats, and what follows from a row: decoding, limits, neighbours.
 * SOURCE: PTX ISA, "Alternate Floating-Point Data Formats"; OCP FP8 and MX 1.0 for the 8-, 6- and 4-bit formats.
 * MEASURED: scalar_* and mma_* (sm_90a) for the canonical NaN words of f16, bf16, tf32, f32, f64, e4m3, e5m2. */
#include "num/format.h"

#include "base/bits.h"

#define FLOAT(ptx, dtype_name, storage, pack, sign, exponent, fraction, unused, exponent_bias, rule, nan, inf, max)             \
    {.name = ptx, .dtype = dtype_name, .family = NUM_FLOAT, .storage_bits = storage, .pack_bits = pack, .sign_bits = sign,      \
     .exponent_bits = exponent, .fraction_bits = fraction, .unused_low_bits = unused, .bias = exponent_bias, .specials = rule, \
     .canonical_nan = nan, .infinity = inf, .max_finite = max}
#define INTEGER(ptx, dtype_name, which, bits, max)                                                                             \
    {.name = ptx, .dtype = dtype_name, .family = which, .storage_bits = bits, .pack_bits = bits,                               \
     .sign_bits = (which) == NUM_SIGNED, .specials = NUM_ALL_FINITE, .max_finite = max}

static const struct num_format_info formats[NUM_FORMAT_COUNT] = {
    [NUM_NONE] = {.name = "none"},
    /*                                                   bits pack s  e  f  low bias                   NaN                  infinity            max finite */
    [NUM_F16]   = FLOAT("f16", "float16",                 16, 16, 1, 5, 10, 0, 15, NUM_IEEE,           0x7fff,              0x7c00,             0x7bff),
    [NUM_BF16]  = FLOAT("bf16", "bfloat16",               16, 16, 1, 8, 7, 0, 127, NUM_IEEE,           0x7fff,              0x7f80,             0x7f7f),
    [NUM_TF32]  = FLOAT("tf32", "tensor_float32",         32, 32, 1, 8, 10, 13, 127, NUM_IEEE,         0x7fffe000,          0x7f800000,         0x7f7fe000),
    [NUM_F32]   = FLOAT("f32", "float32",                 32, 32, 1, 8, 23, 0, 127, NUM_IEEE,          0x7fffffff,          0x7f800000,         0x7f7fffff),
    [NUM_F64]   = FLOAT("f64", "float64",                 64, 64, 1, 11, 52, 0, 1023, NUM_IEEE,        0xfff8000000000000,  0x7ff0000000000000, 0x7fefffffffffffff),
    [NUM_E4M3]  = FLOAT("e4m3", "float8_e4m3fn",          8, 8, 1, 4, 3, 0, 7, NUM_NAN_ONLY,           0x7f,                0,                  0x7e),
    [NUM_E5M2]  = FLOAT("e5m2", "float8_e5m2",            8, 8, 1, 5, 2, 0, 15, NUM_IEEE,              0x7f,                0x7c,               0x7b),
    [NUM_E2M3]  = FLOAT("e2m3", "float6_e2m3fn",          6, 8, 1, 2, 3, 0, 1, NUM_ALL_FINITE,         0,                   0,                  0x1f),
    [NUM_E3M2]  = FLOAT("e3m2", "float6_e3m2fn",          6, 8, 1, 3, 2, 0, 3, NUM_ALL_FINITE,         0,                   0,                  0x1f),
    [NUM_E2M1]  = FLOAT("e2m1", "float4_e2m1fn",          4, 4, 1, 2, 1, 0, 1, NUM_ALL_FINITE,         0,                   0,                  0x7),
    [NUM_UE8M0] = FLOAT("ue8m0", "float8_e8m0fnu",        8, 8, 0, 8, 0, 0, 127, NUM_NAN_ONLY,         0xff,                0,                  0xfe),
    [NUM_UE4M3] = FLOAT("ue4m3", NULL,                    8, 8, 0, 4, 3, 0, 7, NUM_NAN_ONLY,           0x7f,                0,                  0x7e),
    [NUM_S4]  = INTEGER("s4", "int4", NUM_SIGNED, 4, 7),
    [NUM_U4]  = INTEGER("u4", "uint4", NUM_UNSIGNED, 4, 15),
    [NUM_S8]  = INTEGER("s8", "int8", NUM_SIGNED, 8, INT8_MAX),
    [NUM_U8]  = INTEGER("u8", "uint8", NUM_UNSIGNED, 8, UINT8_MAX),
    [NUM_S16] = INTEGER("s16", "int16", NUM_SIGNED, 16, INT16_MAX),
    [NUM_U16] = INTEGER("u16", "uint16", NUM_UNSIGNED, 16, UINT16_MAX),
    [NUM_S32] = INTEGER("s32", "int32", NUM_SIGNED, 32, INT32_MAX),
    [NUM_U32] = INTEGER("u32", "uint32", NUM_UNSIGNED, 32, UINT32_MAX),
    [NUM_S64] = INTEGER("s64", "int64", NUM_SIGNED, 64, INT64_MAX),
    [NUM_U64] = INTEGER("u64", "uint64", NUM_UNSIGNED, 64, UINT64_MAX),
    [NUM_B1]  = {.name = "b1", .family = NUM_BITS, .storage_bits = 1, .pack_bits = 1, .specials = NUM_ALL_FINITE, .max_finite = 1},
};

const struct num_format_info *tw_num_format(enum num_format f)
{
    return &formats[f < NUM_FORMAT_COUNT ? f : NUM_NONE];
}

enum num_format tw_num_format_by_name(struct str name)
{
    for (unsigned f = NUM_NONE + 1; f < NUM_FORMAT_COUNT; f++)
        if (tw_str_is(name, formats[f].name))
            return (enum num_format)f;
    return NUM_NONE;
}

enum num_format tw_num_format_by_dtype(struct str dtype)
{
    for (unsigned f = NUM_NONE + 1; f < NUM_FORMAT_COUNT; f++)
        if (formats[f].dtype != NULL && tw_str_is(dtype, formats[f].dtype))
            return (enum num_format)f;
    return NUM_NONE;
}

bool tw_num_is_float(enum num_format f)
{
    return tw_num_format(f)->family == NUM_FLOAT;
}

bool tw_num_is_integer(enum num_format f)
{
    const enum num_family family = tw_num_format(f)->family;
    return family == NUM_SIGNED || family == NUM_UNSIGNED;
}

unsigned tw_num_bits(enum num_format f)
{
    return tw_num_format(f)->storage_bits;
}

int64_t tw_num_extend(enum num_format f, uint64_t word)
{
    const struct num_format_info *info = tw_num_format(f);
    const unsigned bits = info->storage_bits;
    const uint64_t low = word & bits_mask(bits);
    if (info->family != NUM_SIGNED || (low >> (bits - 1)) == 0)
        return (int64_t)low;
    return (int64_t)(low | ~bits_mask(bits));
}

static struct num_value decode_integer(enum num_format f, uint64_t word)
{
    const int64_t extended = tw_num_extend(f, word);
    const bool negative = tw_num_format(f)->family == NUM_SIGNED && extended < 0;
    const uint64_t magnitude = negative ? 0 - (uint64_t)extended : (uint64_t)extended;
    return (struct num_value){.cls = magnitude == 0 ? NUM_ZERO : NUM_FINITE, .negative = negative, .sig = magnitude};
}

struct num_value tw_num_decode(enum num_format f, uint64_t word)
{
    const struct num_format_info *info = tw_num_format(f);
    if (info->family != NUM_FLOAT)
        return decode_integer(f, word);

    const uint64_t number = word >> info->unused_low_bits;
    const unsigned magnitude_bits = info->exponent_bits + info->fraction_bits;
    const uint64_t fraction = number & bits_mask(info->fraction_bits);
    const uint64_t field = number >> info->fraction_bits & bits_mask(info->exponent_bits);
    struct num_value v = {.cls = NUM_FINITE, .negative = info->sign_bits != 0 && (number >> magnitude_bits & 1) != 0};

    const bool top_exponent = field == bits_mask(info->exponent_bits);
    if (top_exponent && info->specials == NUM_IEEE) {
        v.cls = fraction != 0 ? NUM_NAN : NUM_INFINITE;
        return v;
    }
    if (top_exponent && info->specials == NUM_NAN_ONLY && fraction == bits_mask(info->fraction_bits)) {
        v.cls = NUM_NAN;
        return v;
    }
    /* Without fraction bits there is nothing to be subnormal: ue8m0 00 is 2^-127, and zero does not exist. */
    v.subnormal = field == 0 && info->fraction_bits != 0;
    v.top = (int32_t)field + (v.subnormal ? 1 : 0) - info->bias;
    v.exp = v.top - info->fraction_bits;
    v.sig = fraction | (v.subnormal ? 0 : UINT64_C(1) << info->fraction_bits);
    if (v.sig == 0)
        v = (struct num_value){.cls = NUM_ZERO, .negative = v.negative};
    return v;
}

uint64_t tw_num_max_word(enum num_format f)
{
    return tw_num_format(f)->max_finite;
}

uint64_t tw_num_min_word(enum num_format f)
{
    const struct num_format_info *info = tw_num_format(f);
    if (info->family == NUM_SIGNED)
        return UINT64_C(1) << (info->storage_bits - 1);
    if (info->sign_bits == 0)
        return 0;
    return info->max_finite | UINT64_C(1) << (info->storage_bits - 1);
}

uint64_t tw_num_next_up(enum num_format f, uint64_t word)
{
    const struct num_format_info *info = tw_num_format(f);
    word &= bits_mask(info->storage_bits);
    if (info->family != NUM_FLOAT)
        return word == info->max_finite ? word : (word + 1) & bits_mask(info->storage_bits);

    const struct num_value v = tw_num_decode(f, word);
    const uint64_t step = UINT64_C(1) << info->unused_low_bits;
    word &= ~(step - 1);
    if (v.cls == NUM_NAN)
        return word;
    if (v.cls == NUM_ZERO)
        return step;
    if (v.negative)
        return word - step;
    const uint64_t top = info->specials == NUM_IEEE ? info->infinity : info->max_finite;
    return word >= top ? word : word + step;
}
