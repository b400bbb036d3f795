/* The operations that choose or change bits and never round: min, max, abs, neg, copysign, comparisons, testp. */
#include "num/arith.h"

#include "base/bits.h"

struct parts {
    uint64_t magnitude;
    bool negative, nan;
};

static uint64_t sign_bit(enum num_format f)
{
    return UINT64_C(1) << (tw_num_format(f)->storage_bits - 1);
}

static bool tiny(enum num_format f, uint64_t magnitude)
{
    return magnitude >> tw_num_format(f)->fraction_bits == 0;
}

/* An IEEE word taken apart, subnormals flushed under ftz. */
static struct parts take(enum num_format f, bool ftz, uint64_t a)
{
    struct parts p = {.magnitude = a & (sign_bit(f) - 1), .negative = (a & sign_bit(f)) != 0};
    p.nan = p.magnitude > tw_num_format(f)->infinity;
    if (ftz && tiny(f, p.magnitude))
        p.magnitude = 0;
    return p;
}

static uint64_t word_of(enum num_format f, struct parts p)
{
    return p.magnitude | (p.negative ? sign_bit(f) : 0);
}

/* -0 lies below +0 here. */
static bool below(struct parts a, struct parts b)
{
    if (a.negative != b.negative)
        return a.negative;
    return a.negative ? a.magnitude > b.magnitude : a.magnitude < b.magnitude;
}

/* What a NaN operand gives where a NaN comes out: the canonical word, or under f64 itself, quieted.
 * MEASURED: min, max, abs and neg of f32, f16, bf16 and f64 (sm_90a). */
static uint64_t nan_of(enum num_format f, uint64_t word)
{
    const struct num_format_info *info = tw_num_format(f);
    return f == NUM_F64 ? word | UINT64_C(1) << (info->fraction_bits - 1) : info->canonical_nan;
}

static uint64_t choose(enum num_format f, struct num_ops how, bool want_max, uint64_t word_a, uint64_t word_b)
{
    struct parts a = take(f, how.ftz, word_a), b = take(f, how.ftz, word_b);
    const bool xor_sign = a.negative != b.negative;
    if ((a.nan && b.nan) || (how.nan && (a.nan || b.nan)))
        return nan_of(f, b.nan ? word_b : word_a);
    if (how.xorsign_abs || how.abs)
        a.negative = b.negative = false;
    struct parts chosen = below(a, b) != want_max ? a : b;
    if (a.nan || b.nan)
        chosen = a.nan ? b : a;
    if (how.xorsign_abs)
        chosen.negative = xor_sign;
    if (how.relu && chosen.negative)
        return 0;
    return word_of(f, chosen);
}

uint64_t tw_num_min(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    return choose(f, how, false, a, b);
}

uint64_t tw_num_max(enum num_format f, struct num_ops how, uint64_t a, uint64_t b)
{
    return choose(f, how, true, a, b);
}

uint64_t tw_num_abs(enum num_format f, struct num_ops how, uint64_t a)
{
    struct parts p = take(f, how.ftz, a);
    p.negative = false;
    return p.nan ? nan_of(f, a) : word_of(f, p);
}

uint64_t tw_num_neg(enum num_format f, struct num_ops how, uint64_t a)
{
    struct parts p = take(f, how.ftz, a);
    p.negative = !p.negative;
    return p.nan ? nan_of(f, a) : word_of(f, p);
}

uint64_t tw_num_copysign(enum num_format f, uint64_t a, uint64_t b)
{
    return (a & sign_bit(f)) | (b & (sign_bit(f) - 1));
}

/* Bit sets over the outcomes of a comparison. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const uint8_t true_on[] = {
    [NUM_EQ] = EQUAL,
    [NUM_NE] = LESS | GREATER,
    [NUM_LT] = LESS,
    [NUM_LE] = LESS | EQUAL,
    [NUM_GT] = GREATER,
    [NUM_GE] = GREATER | EQUAL,
    [NUM_EQU] = EQUAL | UNORDERED,
    [NUM_NEU] = LESS | GREATER | UNORDERED,
    [NUM_LTU] = LESS | UNORDERED,
    [NUM_LEU] = LESS | EQUAL | UNORDERED,
    [NUM_GTU] = GREATER | UNORDERED,
    [NUM_GEU] = GREATER | EQUAL | UNORDERED,
    [NUM_BOTH_NUMBERS] = LESS | EQUAL | GREATER,
    [NUM_ANY_NAN] = UNORDERED,
};

static unsigned float_outcome(enum num_format f, bool ftz, uint64_t word_a, uint64_t word_b)
{
    const struct parts a = take(f, ftz, word_a), b = take(f, ftz, word_b);
    if (a.nan || b.nan)
        return UNORDERED;
    if ((a.magnitude | b.magnitude) == 0 || word_of(f, a) == word_of(f, b))
        return EQUAL;
    return below(a, b) ? LESS : GREATER;
}

static unsigned integer_outcome(enum num_format f, uint64_t word_a, uint64_t word_b)
{
    const int64_t a = tw_num_extend(f, word_a), b = tw_num_extend(f, word_b);
    if (a == b)
        return EQUAL;
    const bool less = tw_num_format(f)->family == NUM_SIGNED ? a < b : (uint64_t)a < (uint64_t)b;
    return less ? LESS : GREATER;
}

bool tw_num_compare(enum num_format f, enum num_compare cmp, bool ftz, uint64_t a, uint64_t b)
{
    const unsigned outcome = tw_num_is_float(f) ? float_outcome(f, ftz, a, b) : integer_outcome(f, a, b);
    return (true_on[cmp] & outcome) != 0;
}

bool tw_num_testp(enum num_format f, enum num_testp test, uint64_t a)
{
    const struct num_value v = tw_num_decode(f, a);
    switch (test) {
    case NUM_TEST_FINITE: return v.cls == NUM_FINITE || v.cls == NUM_ZERO;
    case NUM_TEST_INFINITE: return v.cls == NUM_INFINITE;
    case NUM_TEST_NUMBER: return v.cls != NUM_NAN;
    case NUM_TEST_NOTANUMBER: return v.cls == NUM_NAN;
    case NUM_TEST_NORMAL: return v.cls == NUM_ZERO || (v.cls == NUM_FINITE && !v.subnormal);
    case NUM_TEST_SUBNORMAL: return v.cls == NUM_FINITE && v.subnormal;
    }
    return false;
}
