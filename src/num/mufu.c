/* The function unit: piecewise quadratic interpolation in fixed point.
 *
 * In a segment of width 2^x_bits the unit forms  (c0 << s0) + bias + (c1 * x << s1) + (c2 * q << s2), where x is the
 * offset in the segment and q the square of x without the partial products below column `cut`. That one omission is what
 * separates the unit from exact arithmetic: with it, the 627 rows below give every one of the results that were measured
 * for every mantissa (some 87 million words), without exceptions. The structure is that of the published design of such
 * units (Oberman and Siu, ARITH-17). The rows come from tools/fit_mufu.py. */
#include "num/approx.h"

#include "base/bits.h"
#include "num/round.h"

struct mufu_row {
    uint32_t c0;
    int32_t c1, c2;
};

struct mufu_table {
    const struct mufu_row *row;
    uint32_t bias;
    uint8_t x_bits, cut;
    uint8_t s0, s1, s2;
};

#define TW_MUFU(a, b, c) {a, b, c},
#define TW_MUFU_RCP
static const struct mufu_row rcp_rows[128] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_EX2
static const struct mufu_row ex2_rows[64] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_RSQRT0
static const struct mufu_row rsqrt_even_rows[64] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_RSQRT1
static const struct mufu_row rsqrt_odd_rows[64] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_SQRT0
static const struct mufu_row sqrt_even_rows[64] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_SQRT1
static const struct mufu_row sqrt_odd_rows[64] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_LG2
static const struct mufu_row lg2_rows[64] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_SIN
static const struct mufu_row sin_rows[64] = {
#include "num/mufu_tables.def"
};
#define TW_MUFU_TANH
static const struct mufu_row tanh_rows[51] = {
#include "num/mufu_tables.def"
};
#undef TW_MUFU

/* bias and shifts: the comments of mufu_tables.def */
static const struct mufu_table rcp_table = {rcp_rows, 2023, 16, 17, 13, 0, 0};
static const struct mufu_table ex2_table = {ex2_rows, 6114, 17, 19, 13, 0, 0};
static const struct mufu_table rsqrt_tables[2] = {{rsqrt_even_rows, 16383, 17, 19, 14, 0, 2},
                                                  {rsqrt_odd_rows, 16383, 17, 19, 14, 0, 2}};
static const struct mufu_table sqrt_tables[2] = {{sqrt_even_rows, 32767, 17, 19, 15, 0, 1},
                                                 {sqrt_odd_rows, 32766, 17, 19, 15, 0, 1}};
static const struct mufu_table lg2_table = {lg2_rows, 3349, 17, 19, 14, 2, 3};
static const struct mufu_table sin_table = {sin_rows, 0, 17, 19, 12, 0, 0};
static const struct mufu_table tanh_table = {tanh_rows, 0, 17, 19, 15, 0, 1};

/* The folded square of x: bit i against itself at column 2i, against a lower bit j at column i + j + 1; columns below
 * `cut` do not exist. In units of 2^cut. */
static int64_t truncated_square(uint32_t x, unsigned x_bits, unsigned cut)
{
    uint64_t sum = 0;
    for (unsigned i = cut / 2; i < x_bits; i++) {
        if ((x >> i & 1) == 0)
            continue;
        const unsigned first = cut > i + 1 ? cut - i - 1 : 0; /* lowest j that counts */
        sum += 2 * i >= cut ? UINT64_C(1) << 2 * i : 0;
        if (first < i)
            sum += (uint64_t)(x >> first & (uint32_t)bits_mask(i - first)) << (i + first + 1);
    }
    return (int64_t)(sum >> cut);
}

static int64_t interpolate(const struct mufu_table *t, unsigned segment, uint32_t x)
{
    const struct mufu_row *r = &t->row[segment];
    const int64_t linear = (int64_t)r->c1 * x, square = (int64_t)r->c2 * truncated_square(x, t->x_bits, t->cut);
    return ((int64_t)r->c0 << t->s0) + t->bias + linear * (INT64_C(1) << t->s1) + square * (INT64_C(1) << t->s2);
}

/* A table that covers 23 fraction bits: the upper bits are the segment. */
static int64_t at_fraction(const struct mufu_table *t, uint32_t fraction)
{
    return interpolate(t, fraction >> t->x_bits, fraction & (uint32_t)bits_mask(t->x_bits));
}

enum { F32_ONE = 0x3f800000, F32_INFINITY = 0x7f800000, UNIT_NAN = 0x7fffffff, F64_HIGH_INFINITY = 0x7ff00000 };

/* An operand taken apart: an f32, or the upper word of an f64 with its 20 fraction bits. Subnormals are zeros here. */
struct operand {
    enum num_class cls;
    bool negative, is_f64_high;
    int32_t exponent;
    uint32_t fraction; /* 23 bits */
    uint32_t word;
};

static struct operand take(uint32_t a)
{
    const uint32_t field = a >> 23 & 0xff, fraction = a & 0x7fffff;
    struct operand o = {.cls = NUM_FINITE, .negative = a >> 31 != 0, .exponent = (int32_t)field - 127, .fraction = fraction, .word = a};
    if (field == 0)
        o.cls = NUM_ZERO;
    if (field == 0xff)
        o.cls = fraction != 0 ? NUM_NAN : NUM_INFINITE;
    return o;
}

static struct operand take_f64_high(uint32_t a)
{
    const uint32_t field = a >> 20 & 0x7ff, fraction = a & 0xfffff;
    struct operand o = {.cls = NUM_FINITE, .negative = a >> 31 != 0, .is_f64_high = true, .exponent = (int32_t)field - 1023,
                        .fraction = fraction << 3, .word = a};
    if (field == 0)
        o.cls = NUM_ZERO;
    if (field == 0x7ff)
        o.cls = fraction != 0 ? NUM_NAN : NUM_INFINITE;
    return o;
}

static uint32_t signed_word(const struct operand *o, uint32_t magnitude)
{
    return magnitude | (o->negative ? UINT32_C(1) << 31 : 0);
}

static uint32_t signed_infinity(const struct operand *o)
{
    return signed_word(o, o->is_f64_high ? F64_HIGH_INFINITY : F32_INFINITY);
}

/* sig * 2^exp cut to f32; below the smallest normal it is zero. */
static uint32_t cut_to_f32(bool negative, uint64_t sig, int32_t exp)
{
    const struct num_round_how how = {.mode = NUM_RZ, .overflow = NUM_OVERFLOW_INFINITY, .ftz = true};
    return (uint32_t)tw_num_pack(NUM_F32, how, (struct num_exact){.sig = sig, .exp = exp, .negative = negative});
}

/* The same in the operand's own width: an f32, or the upper word of an f64. */
static uint32_t cut_like(const struct operand *o, bool negative, uint64_t sig, int32_t exp)
{
    if (!o->is_f64_high)
        return cut_to_f32(negative, sig, exp);
    const struct num_round_how how = {.mode = NUM_RZ, .ftz = true, .drop_bits = 32};
    return (uint32_t)(tw_num_pack(NUM_F64, how, (struct num_exact){.sig = sig, .exp = exp, .negative = negative}) >> 32);
}

static uint32_t unit_rcp(const struct operand *o)
{
    if (o->cls == NUM_ZERO)
        return signed_infinity(o);
    if (o->cls == NUM_INFINITE)
        return signed_word(o, 0);
    return cut_like(o, o->negative, (uint64_t)at_fraction(&rcp_table, o->fraction) >> 15, -24 - o->exponent);
}

/* 2^exponent * 1.f = 4^half * (2^odd * 1.f) */
static int32_t halve(int32_t exponent, unsigned *odd)
{
    *odd = (unsigned)exponent & 1;
    return (exponent - (int32_t)*odd) / 2;
}

static uint32_t unit_rsqrt(const struct operand *o)
{
    unsigned odd;
    if (o->cls == NUM_ZERO)
        return signed_infinity(o);
    if (o->negative)
        return UNIT_NAN;
    if (o->cls == NUM_INFINITE)
        return 0;
    const int32_t half = halve(o->exponent, &odd);
    uint64_t y = (uint64_t)at_fraction(&rsqrt_tables[odd], o->fraction) >> 16;
    if (o->fraction == 0 && odd == 0)
        y = UINT64_C(1) << 24; /* an even power of two is exact, whatever the polynomial says */
    return cut_like(o, false, y, -24 - half);
}

static uint32_t unit_sqrt(const struct operand *o)
{
    unsigned odd;
    if (o->cls == NUM_ZERO)
        return signed_word(o, 0);
    if (o->negative)
        return UNIT_NAN;
    if (o->cls == NUM_INFINITE)
        return F32_INFINITY;
    const int32_t half = halve(o->exponent, &odd);
    return cut_to_f32(false, (uint64_t)at_fraction(&sqrt_tables[odd], o->fraction) >> 17, half - 23);
}

/* |x| in units of 2^-23, below 2^31: the integer part in the upper bits. Bits below 2^-23 are dropped. A negative x
 * takes the fraction's one's complement, which is why 2^-i needs a case of its own. */
static uint32_t unit_ex2(const struct operand *o)
{
    if (o->cls == NUM_ZERO)
        return F32_ONE;
    if (o->cls == NUM_INFINITE || o->exponent >= 8)
        return o->negative ? 0 : F32_INFINITY;
    const uint64_t sig = o->fraction | UINT32_C(1) << 23;
    const uint64_t v = o->exponent >= 0 ? sig << o->exponent : o->exponent > -32 ? sig >> -o->exponent : 0;
    int32_t whole = (int32_t)(v >> 23);
    uint32_t fraction = (uint32_t)v & 0x7fffff;
    if (o->negative) {
        whole = fraction == 0 ? -whole : -whole - 1;
        fraction = fraction == 0 ? 0 : 0x7fffff - fraction;
    }
    return cut_to_f32(false, (uint64_t)at_fraction(&ex2_table, fraction) >> 15, whole - 23);
}

/* exponent + L(f), L having 40 fraction bits of which 36 leave the adder. */
static uint32_t unit_lg2(const struct operand *o)
{
    if (o->cls == NUM_ZERO)
        return F32_INFINITY | UINT32_C(1) << 31;
    if (o->negative)
        return UNIT_NAN;
    if (o->cls == NUM_INFINITE)
        return F32_INFINITY;
    if (o->exponent == 0 && o->fraction == 0)
        return 0;
    const int64_t sum = (int64_t)o->exponent * (INT64_C(1) << 40) + at_fraction(&lg2_table, o->fraction);
    const uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    return cut_to_f32(sum < 0, magnitude >> 4, -36);
}

/* x / 2pi in turns, cut to 25 fraction bits: two of quadrant, 23 of position in it. */
static uint32_t turns(const struct operand *o)
{
    const uint64_t two_over = 0xa2f983; /* 1/(2pi) = 0xa2f983 * 2^-26 */
    uint64_t product = (o->fraction | UINT64_C(1) << 23) * two_over;
    int32_t exp = o->exponent - 23 - 26;
    const unsigned extra = log2_floor(product) - 23; /* mul.rz keeps 24 bits */
    product >>= extra;
    exp += (int32_t)extra + 25;
    if (exp >= 25 || exp <= -32)
        return 0;
    return (uint32_t)(exp >= 0 ? product << exp : product >> -exp) & 0x1ffffff;
}

static uint32_t unit_sine(const struct operand *o, bool cosine)
{
    if (o->cls == NUM_INFINITE)
        return UNIT_NAN;
    const uint32_t turn = o->cls == NUM_ZERO ? 0 : turns(o);
    const uint32_t quadrant = (turn >> 23) + (cosine ? 1 : 0);
    const uint32_t position = turn & 0x7fffff;
    const bool negative = (quadrant >> 1 & 1) != (!cosine && o->negative ? 1 : 0);
    int64_t value = at_fraction(&sin_table, (quadrant & 1) != 0 ? 0x7fffff - position : position);
    if (value > INT64_C(1) << 37)
        value = INT64_C(1) << 37;
    return cut_to_f32(negative, (uint64_t)value, -37);
}

/* Where tanh's rows lie: eight binades from 2^-8, then seven units from 1. Entries are 2^-19 of a binade, or 2^-20. */
static const struct {
    uint8_t first_row, segment_bits, entry_bits;
} tanh_ranges[15] = {
    {0, 0, 19},  {1, 0, 19},  {2, 0, 19},  {3, 1, 19},  {5, 1, 19},  {7, 2, 19},  {11, 2, 19}, {15, 2, 19},
    {19, 3, 20}, {27, 3, 20}, {35, 3, 20}, {43, 1, 20}, {45, 1, 20}, {47, 1, 20}, {49, 1, 20},
};

static uint32_t unit_tanh(const struct operand *o)
{
    const uint32_t magnitude = o->word & 0x7fffffff;
    if (o->cls == NUM_INFINITE || o->exponent >= 3)
        return signed_word(o, F32_ONE);
    if (o->exponent < -8)
        return o->word;
    unsigned range;
    uint32_t entry;
    if (o->exponent < 0) {
        range = (unsigned)(o->exponent + 8);
        entry = magnitude >> 4 & 0x7ffff;
    } else {
        const uint32_t fixed = (o->fraction | UINT32_C(1) << 23) >> (3 - o->exponent); /* |x| * 2^20 */
        range = 8 + (fixed >> 20) - 1;
        entry = fixed & 0xfffff;
    }
    const unsigned offset_bits = (unsigned)(tanh_ranges[range].entry_bits - tanh_ranges[range].segment_bits);
    const uint32_t x = (entry & (uint32_t)bits_mask(offset_bits)) >> (offset_bits - 17);
    const int64_t value = interpolate(&tanh_table, tanh_ranges[range].first_row + (entry >> offset_bits), x);
    return cut_to_f32(o->negative, (uint64_t)value >> 8, -31);
}

uint32_t tw_num_mufu(enum num_function fn, uint32_t a)
{
    const struct operand o = take(a);
    if (o.cls == NUM_NAN)
        return UNIT_NAN;
    switch (fn) {
    case NUM_EX2: return unit_ex2(&o);
    case NUM_LG2: return unit_lg2(&o);
    case NUM_RCP: return unit_rcp(&o);
    case NUM_RSQRT: return unit_rsqrt(&o);
    case NUM_SQRT: return unit_sqrt(&o);
    case NUM_SIN: return unit_sine(&o, false);
    case NUM_COS: return unit_sine(&o, true);
    case NUM_TANH: return unit_tanh(&o);
    case NUM_FUNCTION_COUNT: break;
    }
    return UNIT_NAN;
}

uint32_t tw_num_mufu_f64_high(enum num_function fn, uint32_t high)
{
    const struct operand o = take_f64_high(high);
    if (o.cls == NUM_NAN || (fn != NUM_RCP && fn != NUM_RSQRT))
        return UNIT_NAN;
    return fn == NUM_RCP ? unit_rcp(&o) : unit_rsqrt(&o);
}
