/* Scalar floating-point arithmetic. Operands become exact integers, one 128-bit step forms the exact result (or enough
 * of it plus a sticky bit), and tw_num_pack rounds it.
 *
 * The f32 and f64 operations with default modifiers also run on the host's IEEE arithmetic, which is the same function
 * for operands that are not NaN; the integer forms stay as the definition. */
#include "num/arith.h"

#include "base/bits.h"

#include <assert.h>
#include <math.h>

static uint64_t sign_bit(enum num_format f)
{
    return UINT64_C(1) << (tw_num_format(f)->storage_bits - 1);
}

static uint64_t one_word(enum num_format f)
{
    const struct num_format_info *info = tw_num_format(f);
    return (uint64_t)info->bias << info->fraction_bits;
}

static bool is_nan(enum num_format f, uint64_t a)
{
    return (a & (sign_bit(f) - 1)) > tw_num_format(f)->infinity;
}

static bool is_subnormal(enum num_format f, uint64_t a)
{
    const uint64_t magnitude = a & (sign_bit(f) - 1);
    return magnitude != 0 && magnitude >> tw_num_format(f)->fraction_bits == 0;
}

/* The operand as the instruction sees it: only the format's bits, subnormals flushed under .ftz. */
static uint64_t operand(enum num_format f, struct num_ops how, uint64_t a)
{
    a &= sign_bit(f) | (sign_bit(f) - 1);
    return how.ftz && is_subnormal(f, a) ? a & sign_bit(f) : a;
}

/* .sat and .relu on a finished result. */
static uint64_t finish(enum num_format f, struct num_ops how, uint64_t word)
{
    if (is_nan(f, word))
        return how.sat ? 0 : word;
    if ((how.sat || how.relu) && (word & sign_bit(f)) != 0)
        return 0;
    return how.sat && word > one_word(f) ? one_word(f) : word;
}

static uint64_t pack(enum num_format f, struct num_ops how, struct num_exact x)
{
    return tw_num_pack(f, (struct num_round_how){.mode = how.rounding, .ftz = how.ftz}, x);
}

static uint64_t infinity(enum num_format f, bool negative)
{
    return tw_num_format(f)->infinity | (negative ? sign_bit(f) : 0);
}

static uint64_t zero(enum num_format f, bool negative)
{
    return negative ? sign_bit(f) : 0;
}

/* The NaN of a result, where operands are given in the order in which f64 looks for one. A created NaN has none.
 * MEASURED: scalar_fp32, scalar_half, scalar_fp64 (sm_90a). */
static uint64_t result_nan(enum num_format f, const uint64_t *first, unsigned count)
{
    const struct num_format_info *info = tw_num_format(f);
    for (unsigned i = 0; f == NUM_F64 && i < count; i++)
        if (is_nan(f, first[i]))
            return first[i] | UINT64_C(1) << (info->fraction_bits - 1);
    return info->canonical_nan;
}

static int wide_log2(num_wide n)
{
    const uint64_t high = (uint64_t)(n >> 64);
    return high != 0 ? 64 + (int)log2_floor(high) : (int)log2_floor((uint64_t)n);
}

/* The top bit moves to bit 125: two such terms add without overflow and keep at least 19 bits below a 106-bit product. */
static struct num_exact normalized(struct num_exact x)
{
    const int up = 125 - wide_log2(x.sig);
    x.sig <<= up;
    x.exp -= up;
    return x;
}

/* a + b for nonzero a and b. A zero sum has the sign that the rounding mode gives it. */
static struct num_exact exact_sum(struct num_exact a, struct num_exact b, enum num_rounding mode)
{
    a = normalized(a);
    b = normalized(b);
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
        const struct num_exact t = a;
        a = b;
        b = t;
    }
    const int64_t down = (int64_t)a.exp - b.exp;
    const num_wide aligned = down > 127 ? 0 : b.sig >> down;
    const bool lost = down > 127 || (aligned << down) != b.sig;
    struct num_exact sum = {.exp = a.exp, .negative = a.negative, .sticky = lost};
    if (a.negative == b.negative)
        sum.sig = a.sig + aligned;
    else
        sum.sig = a.sig - aligned - (lost ? 1 : 0); /* the lost part is taken off: borrow one, keep its complement */
    if (sum.sig == 0)
        sum.negative = mode == NUM_RM;
    return sum;
}

static struct num_exact exact_of(struct num_value v)
{
    return (struct num_exact){.sig = v.cls == NUM_FINITE ? v.sig : 0, .exp = v.exp, .negative = v.negative};
}

/* a + b where neither is NaN or infinite and a may be a product. */
static uint64_t add_finite(enum num_format f, struct num_ops how, struct num_exact a, struct num_exact b)
{
    if (a.sig == 0 && b.sig == 0)
        return zero(f, a.negative == b.negative ? a.negative : how.rounding == NUM_RM);
    if (a.sig == 0)
        return pack(f, how, b);
    if (b.sig == 0)
        return pack(f, how, a);
    return pack(f, how, exact_sum(a, b, how.rounding));
}

uint64_t tw_num_add_reference(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    a = operand(f, how, a);
    b = operand(f, how, b);
    const struct num_value va = tw_num_decode(f, a), vb = tw_num_decode(f, b);
    const bool opposite = va.cls == NUM_INFINITE && vb.cls == NUM_INFINITE && va.negative != vb.negative;
    if (va.cls == NUM_NAN || vb.cls == NUM_NAN || opposite)
        return finish(f, how, result_nan(f, (const uint64_t[]){b, a}, 2));
    if (va.cls == NUM_INFINITE || vb.cls == NUM_INFINITE)
        return finish(f, how, va.cls == NUM_INFINITE ? a : b);
    return finish(f, how, add_finite(f, how, exact_of(va), exact_of(vb)));
}

uint64_t tw_num_mul_reference(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    a = operand(f, how, a);
    b = operand(f, how, b);
    const struct num_value va = tw_num_decode(f, a), vb = tw_num_decode(f, b);
    const bool negative = va.negative != vb.negative;
    const bool infinite = va.cls == NUM_INFINITE || vb.cls == NUM_INFINITE;
    const bool zero_factor = va.cls == NUM_ZERO || vb.cls == NUM_ZERO;
    if (va.cls == NUM_NAN || vb.cls == NUM_NAN || (infinite && zero_factor))
        return finish(f, how, result_nan(f, (const uint64_t[]){b, a}, 2));
    if (infinite)
        return finish(f, how, infinity(f, negative));
    if (zero_factor)
        return finish(f, how, zero(f, negative));
    const struct num_exact product = {.sig = (num_wide)va.sig * vb.sig, .exp = va.exp + vb.exp, .negative = negative};
    return finish(f, how, pack(f, how, product));
}

/* The words that .oob looks for; they are NaN as f16 and as bf16. The whole result becomes +0, whatever the other
 * operands are. SOURCE: PTX ISA, fma, .oob. MEASURED: fma.rn.oob.f16, fma.rn.oob.relu.bf16 (sm_90a). */
static bool is_out_of_bounds(uint64_t a)
{
    return (a & 0x7fff) == 0x7ff7;
}

uint64_t tw_num_fma_reference(enum num_format f, struct num_ops how, uint64_t a, uint64_t b, uint64_t c)
{
    if (how.oob && (is_out_of_bounds(a) || is_out_of_bounds(b)))
        return 0;
    a = operand(f, how, a);
    b = operand(f, how, b);
    c = operand(f, how, c);
    const struct num_value va = tw_num_decode(f, a), vb = tw_num_decode(f, b), vc = tw_num_decode(f, c);
    const bool negative = va.negative != vb.negative;
    const bool infinite = va.cls == NUM_INFINITE || vb.cls == NUM_INFINITE;
    const bool zero_factor = va.cls == NUM_ZERO || vb.cls == NUM_ZERO;
    const bool any_nan = va.cls == NUM_NAN || vb.cls == NUM_NAN || vc.cls == NUM_NAN;
    if (any_nan || (infinite && zero_factor) || (infinite && vc.cls == NUM_INFINITE && vc.negative != negative))
        return finish(f, how, result_nan(f, (const uint64_t[]){b, c, a}, 3));
    if (infinite)
        return finish(f, how, infinity(f, negative));
    if (vc.cls == NUM_INFINITE)
        return finish(f, how, c);
    struct num_exact product = {.negative = negative};
    if (!zero_factor) {
        product.sig = (num_wide)va.sig * vb.sig;
        product.exp = va.exp + vb.exp;
    }
    return finish(f, how, add_finite(f, how, product, exact_of(vc)));
}

/* Host arithmetic on words. -ffp-contract=off and SSE evaluation make each a single IEEE operation, nearest even. */
static float host_f32(uint64_t word)
{
    const union { uint32_t word; float value; } u = {.word = (uint32_t)word};
    return u.value;
}

static uint64_t word_f32(float value)
{
    const union { float value; uint32_t word; } u = {.value = value};
    return value != value ? UINT64_C(0x7fffffff) : u.word;
}

static double host_f64(uint64_t word)
{
    const union { uint64_t word; double value; } u = {.word = word};
    return u.value;
}

static uint64_t word_f64(double value)
{
    const union { double value; uint64_t word; } u = {.value = value};
    return u.word;
}

static bool plain(struct num_ops how)
{
    return how.rounding == NUM_RN && !how.ftz && !how.sat && !how.relu && !how.oob;
}

/* f64 keeps NaN payloads by its own rule, so the host path takes only results that are numbers. */
static bool is_number(double value)
{
    return value == value;
}

uint64_t tw_num_add(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    if (f == NUM_F32 && plain(how))
        return word_f32(host_f32(a) + host_f32(b));
    if (f == NUM_F64 && plain(how)) {
        const double sum = host_f64(a) + host_f64(b);
        if (is_number(sum))
            return word_f64(sum);
    }
    return tw_num_add_reference(f, how, a, b);
}

uint64_t tw_num_sub(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    /* MEASURED: sub.f64 (sm_90a) changes the sign of a number only; a NaN operand keeps its own. */
    return tw_num_add(f, how, a, is_nan(f, b) ? b : b ^ sign_bit(f));
}

uint64_t tw_num_mul(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    if (f == NUM_F32 && plain(how))
        return word_f32(host_f32(a) * host_f32(b));
    if (f == NUM_F64 && plain(how)) {
        const double product = host_f64(a) * host_f64(b);
        if (is_number(product))
            return word_f64(product);
    }
    return tw_num_mul_reference(f, how, a, b);
}

uint64_t tw_num_fma(enum num_format f, struct num_ops how, uint64_t a, uint64_t b, uint64_t c)
{
    if (f == NUM_F32 && plain(how))
        return word_f32(fmaf(host_f32(a), host_f32(b), host_f32(c)));
    if (f == NUM_F64 && plain(how)) {
        const double sum = fma(host_f64(a), host_f64(b), host_f64(c));
        if (is_number(sum))
            return word_f64(sum);
    }
    return tw_num_fma_reference(f, how, a, b, c);
}

static struct num_value normalized_value(struct num_value v)
{
    const unsigned up = 63 - log2_floor(v.sig);
    v.sig <<= up;
    v.exp -= (int32_t)up;
    return v;
}

uint64_t tw_num_div(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    a = operand(f, how, a);
    b = operand(f, how, b);
    struct num_value va = tw_num_decode(f, a), vb = tw_num_decode(f, b);
    const bool negative = va.negative != vb.negative;
    /* MEASURED: scalar_fp64 (sm_90a): a division looks at its dividend first, unlike add and mul. */
    if (va.cls == NUM_NAN || vb.cls == NUM_NAN || (va.cls == vb.cls && va.cls != NUM_FINITE))
        return finish(f, how, result_nan(f, (const uint64_t[]){a, b}, 2));
    if (va.cls == NUM_INFINITE || vb.cls == NUM_ZERO)
        return finish(f, how, infinity(f, negative));
    if (va.cls == NUM_ZERO || vb.cls == NUM_INFINITE)
        return finish(f, how, zero(f, negative));
    va = normalized_value(va);
    vb = normalized_value(vb);
    const num_wide dividend = (num_wide)va.sig << 63;
    const struct num_exact quotient = {.sig = dividend / vb.sig, .exp = va.exp - vb.exp - 63, .negative = negative,
                                       .sticky = dividend % vb.sig != 0};
    return finish(f, how, pack(f, how, quotient));
}

/* floor(sqrt(n)) */
static uint64_t integer_sqrt(num_wide n)
{
    uint64_t root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const uint64_t with = root | UINT64_C(1) << bit;
        if ((num_wide)with * with <= n)
            root = with;
    }
    return root;
}

uint64_t tw_num_sqrt(enum num_format f, struct num_ops how, uint64_t a)
{
    a = operand(f, how, a);
    struct num_value v = tw_num_decode(f, a);
    if (v.cls == NUM_NAN || (v.negative && v.cls != NUM_ZERO))
        return finish(f, how, result_nan(f, &a, v.cls == NUM_NAN));
    if (v.cls != NUM_FINITE)
        return finish(f, how, a);
    v = normalized_value(v);
    const int odd = v.exp & 1; /* the radicand's exponent must be even: 62 or 63 more bits */
    const num_wide radicand = (num_wide)v.sig << (62 + odd);
    const uint64_t root = integer_sqrt(radicand);
    const struct num_exact x = {.sig = root, .exp = (v.exp - odd - 62) / 2, .sticky = (num_wide)root * root != radicand};
    return finish(f, how, pack(f, how, x));
}

uint64_t tw_num_rcp(enum num_format f, struct num_ops how, uint64_t a)
{
    return tw_num_div(f, how, one_word(f), a);
}
