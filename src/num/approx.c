/* What the assembler makes of .approx instructions: the function unit, and the scaling that keeps subnormals and the
 * ends of the exponent range. SOURCE: code that ptxas 13.0 emits for sm_90a. */
#include "num/approx.h"

#include "num/arith.h"
#include "num/convert.h"

#include <assert.h>

/* f32 words */
static const uint64_t two_24 = 0x4b800000, two_12 = 0x45800000, two_minus_12 = 0x39800000, two_minus_2 = 0x3e800000;
static const uint64_t minus_24 = 0xc1c00000, half = 0x3f000000, minus_126 = 0xc2fc0000;
static const uint64_t smallest_normal = 0x00800000, two_126 = 0x7e800000, infinity = 0x7f800000;

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return tw_num_mul(NUM_F32, (struct num_ops){0}, a, b);
}

static uint64_t magnitude(uint64_t a)
{
    return a & 0x7fffffff;
}

static bool is_subnormal(uint64_t a)
{
    return magnitude(a) != 0 && magnitude(a) < smallest_normal;
}

/* Results below 2^-126 need an argument below -126, which the unit would send to zero. */
static uint64_t ex2_f32(uint64_t a)
{
    if (!tw_num_compare(NUM_F32, NUM_LT, false, a, minus_126))
        return tw_num_mufu(NUM_EX2, (uint32_t)a);
    const uint64_t root = tw_num_mufu(NUM_EX2, (uint32_t)multiply(a, half));
    return multiply(root, root);
}

static uint64_t rcp_f32(uint64_t a)
{
    if (magnitude(a) > two_126 && magnitude(a) <= infinity)
        return multiply(two_minus_2, tw_num_mufu(NUM_RCP, (uint32_t)multiply(a, two_minus_2)));
    if (is_subnormal(a))
        return multiply(two_24, tw_num_mufu(NUM_RCP, (uint32_t)multiply(a, two_24)));
    return tw_num_mufu(NUM_RCP, (uint32_t)a);
}

static uint64_t approx_f32(enum num_function fn, uint64_t a)
{
    if (fn == NUM_EX2)
        return ex2_f32(a);
    if (fn == NUM_RCP)
        return rcp_f32(a);
    if (!is_subnormal(a))
        return tw_num_mufu(fn, (uint32_t)a);
    const uint64_t scaled = multiply(a, two_24);
    if (fn == NUM_RSQRT)
        return multiply(tw_num_mufu(fn, (uint32_t)scaled), two_12);
    if (fn == NUM_SQRT)
        return multiply(tw_num_mufu(fn, (uint32_t)scaled), two_minus_12);
    if (fn == NUM_LG2)
        return tw_num_add(NUM_F32, (struct num_ops){0}, tw_num_mufu(fn, (uint32_t)scaled), minus_24);
    return tw_num_mufu(fn, (uint32_t)a);
}

/* 16-bit forms run on the f32 unit; the result is cut, subnormals kept. What is too large is infinity all the same. */
static uint64_t approx_narrow(enum num_function fn, enum num_format f, uint64_t a)
{
    const struct num_convert_how widen = {.to = NUM_F32, .from = f};
    const struct num_convert_how narrow = {.to = f, .from = NUM_F32};
    const struct num_round_how cut = {.mode = NUM_RZ, .overflow = NUM_OVERFLOW_INFINITY};
    const uint64_t wide = tw_num_mufu(fn, (uint32_t)tw_num_convert(&widen, a));
    const struct num_value v = tw_num_decode(NUM_F32, wide);
    if (v.cls != NUM_FINITE)
        return tw_num_convert(&narrow, wide);
    return tw_num_pack(f, cut, (struct num_exact){.sig = v.sig, .exp = v.exp, .negative = v.negative});
}

/* f64 words */
static const uint64_t one_f64 = 0x3ff0000000000000, half_f64 = 0x3fe0000000000000, three_eighths_f64 = 0x3fd8000000000000;
static const uint64_t two_54_f64 = 0x4350000000000000, two_27_f64 = 0x41a0000000000000, sign_f64 = UINT64_C(1) << 63;
static const uint64_t infinity_f64 = 0x7ff0000000000000, quiet_f64 = UINT64_C(1) << 51;

/* One step that makes the unit's 20 bits all of the fraction: with e = 1 - a*y*y, y + y*e*(1/2 + 3/8*e). */
static uint64_t refined_rsqrt(uint64_t a)
{
    const struct num_ops how = {0};
    const uint64_t y = (uint64_t)tw_num_mufu_f64_high(NUM_RSQRT, (uint32_t)(a >> 32)) << 32;
    const uint64_t square = tw_num_mul(NUM_F64, how, y, y);
    const uint64_t e = tw_num_fma(NUM_F64, how, a, square ^ sign_f64, one_f64);
    const uint64_t factor = tw_num_fma(NUM_F64, how, e, three_eighths_f64, half_f64);
    return tw_num_fma(NUM_F64, how, factor, tw_num_mul(NUM_F64, how, e, y), y);
}

/* rsqrt.approx.f64 without .ftz. MEASURED: H200, driver 580.159.04 (tests/silicon): NaNs keep sign and payload, negative
 * numbers give FFF8000000000000, subnormals are scaled. */
static uint64_t rsqrt_f64(uint64_t a)
{
    const uint64_t size = a & ~sign_f64;
    if (size > infinity_f64)
        return a | quiet_f64;
    if (size == 0)
        return a | infinity_f64;
    if (size != a)
        return sign_f64 | infinity_f64 | quiet_f64;
    if (size == infinity_f64)
        return 0;
    if (size >> 52 != 0)
        return refined_rsqrt(a);
    const struct num_ops how = {0};
    return tw_num_mul(NUM_F64, how, refined_rsqrt(tw_num_mul(NUM_F64, how, a, two_54_f64)), two_27_f64);
}

bool tw_num_has_approx(enum num_function fn, enum num_format f)
{
    if (f == NUM_F64)
        return fn == NUM_RCP || fn == NUM_RSQRT;
    return f == NUM_F32 || ((fn == NUM_EX2 || fn == NUM_TANH) && (f == NUM_F16 || f == NUM_BF16));
}

uint64_t tw_num_approx(enum num_function fn, enum num_format f, bool ftz, uint64_t a)
{
    assert(tw_num_has_approx(fn, f));
    if (f == NUM_F64 && fn == NUM_RSQRT && !ftz)
        return rsqrt_f64(a);
    if (f == NUM_F64) /* the lower word is not read, so that a NaN whose payload lies there counts as infinity */
        return (uint64_t)tw_num_mufu_f64_high(fn, (uint32_t)(a >> 32)) << 32;
    if (f != NUM_F32)
        return approx_narrow(fn, f, a);
    a &= UINT32_MAX;
    return ftz ? tw_num_mufu(fn, (uint32_t)a) : approx_f32(fn, a);
}

static uint64_t quotient(bool ftz, uint64_t a, uint64_t b)
{
    return tw_num_mul(NUM_F32, (struct num_ops){.ftz = ftz}, a, tw_num_mufu(NUM_RCP, (uint32_t)b));
}

/* Both operands by one power of two: the quotient stays, the divisor comes into the unit's range. */
static uint64_t scaled_quotient(bool ftz, uint64_t a, uint64_t b, uint64_t scale)
{
    const struct num_ops how = {.ftz = ftz};
    return quotient(ftz, tw_num_mul(NUM_F32, how, a, scale), tw_num_mul(NUM_F32, how, b, scale));
}

uint64_t tw_num_div_approx(bool ftz, uint64_t a, uint64_t b)
{
    if (!ftz && is_subnormal(b))
        return scaled_quotient(false, a, b, two_24);
    return quotient(ftz, a, b);
}

uint64_t tw_num_div_full(bool ftz, uint64_t a, uint64_t b)
{
    if (magnitude(b) > two_126 && magnitude(b) <= infinity)
        return scaled_quotient(ftz, a, b, two_minus_2);
    return tw_num_div_approx(ftz, a, b);
}
