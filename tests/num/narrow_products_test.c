/* Every product of two 8-, 6- or 4-bit floats, beside an accumulator of every exponent class, on every unit that takes them.
 *
 * The oracle restates the rules of one product and C in the host's doubles: values, alignment, truncation and rounding by
 * ldexp, trunc and rint. It shares no code with src/num. Normally each product meets a rotating choice of accumulators, so
 * that all exponents meet all products' exponents; TW_LONG=1 gives every product every exponent and sign. */
#include "support/check.h"

#include "num/dot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_long(void)
{
    const char *const text = getenv("TW_LONG");
    return text != NULL && *text == '1';
}

/* The oracle's own description of the formats. */
struct narrow {
    enum num_format format;
    int exponent_bits, fraction_bits, bias;
    enum { IEEE, ONE_NAN, FINITE } specials;
};

static const struct narrow narrows[] = {
    {NUM_E4M3, 4, 3, 7, ONE_NAN}, {NUM_E5M2, 5, 2, 15, IEEE}, {NUM_E2M3, 2, 3, 1, FINITE}, {NUM_E3M2, 3, 2, 3, FINITE}, {NUM_E2M1, 2, 1, 1, FINITE},
};

/* value, and the exponent that alignment uses */
struct oracle_number {
    double value;
    int top;
};

static struct oracle_number decode(const struct narrow *f, unsigned word)
{
    const unsigned fraction = word & ((1u << f->fraction_bits) - 1), field = word >> f->fraction_bits & ((1u << f->exponent_bits) - 1);
    const bool negative = word >> (f->exponent_bits + f->fraction_bits) != 0, highest = field == (1u << f->exponent_bits) - 1;
    const int top = (field == 0 ? 1 : (int)field) - f->bias;
    double value = ldexp(fraction + (field == 0 ? 0.0 : ldexp(1, f->fraction_bits)), top - f->fraction_bits);
    if (f->specials == IEEE && highest)
        value = fraction == 0 ? (double)INFINITY : (double)NAN;
    if (f->specials == ONE_NAN && highest && fraction == (1u << f->fraction_bits) - 1)
        value = (double)NAN;
    return (struct oracle_number){negative ? -value : value, top};
}

static float float_of(uint32_t word)
{
    const union { uint32_t word; float value; } u = {.word = word};
    return u.value;
}

static uint32_t bits_of(float x)
{
    const union { float value; uint32_t word; } u = {.value = x};
    return u.word;
}

/* How a unit rounds: f32 cut to `keep` fraction bits, or f16 to nearest even. */
struct oracle_unit {
    enum num_arch arch;
    enum num_unit unit;
    enum num_format d;
    int window, keep;
    bool two_steps;
};

static const struct oracle_unit units[] = {
    {NUM_BLACKWELL, NUM_TCGEN05, NUM_F32, 25, 23, false}, {NUM_BLACKWELL, NUM_TCGEN05, NUM_F16, 25, 10, false},
    {NUM_HOPPER, NUM_WGMMA, NUM_F32, 13, 13, false},      {NUM_HOPPER, NUM_WGMMA, NUM_F16, 13, 10, false},
    {NUM_HOPPER, NUM_MMA_SYNC, NUM_F32, 25, 23, true},    {NUM_HOPPER, NUM_MMA_SYNC, NUM_F16, 25, 10, true},
};

static double f16_value(uint32_t word)
{
    const struct narrow f16 = {NUM_F16, 5, 10, 15, IEEE};
    return decode(&f16, word).value;
}

static uint32_t f16_word(double value)
{
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    const double magnitude = fabs(value);
    if (isnan(value))
        return 0x7fff;
    if (magnitude == 0)
        return sign;
    if (magnitude >= 65520)
        return sign | 0x7c00;
    const int exponent = ilogb(magnitude) < -14 ? -14 : ilogb(magnitude);
    const uint32_t steps = (uint32_t)rint(ldexp(magnitude, 10 - exponent)); /* of 2^(exponent - 10); the hidden bit carries in */
    return sign | (((uint32_t)(exponent + 14) << 10) + steps);
}

static uint32_t d_word(const struct oracle_unit *u, double value)
{
    if (u->d == NUM_F16)
        return f16_word(value);
    if (isnan(value))
        return 0x7fffffff;
    if (isinf(value) || value == 0)
        return bits_of((float)value);
    int grid = ilogb(value) - u->keep;
    if (grid < -149)
        grid = -149;
    const double cut = ldexp(trunc(ldexp(value, -grid)), grid);
    return bits_of(fabs(cut) >= 0x1p128 ? (float)copysign((double)INFINITY, cut) : (float)cut);
}

static int f32_top(uint32_t word)
{
    const int field = (int)(word >> 23 & 0xff);
    return (field == 0 ? 1 : field) - 127;
}

static int f16_top(uint32_t word)
{
    const int field = (int)(word >> 10 & 0x1f);
    return (field == 0 ? 1 : field) - 15;
}

/* p and c cut to one window; zeros make no term and the sum is never -0. */
static double window(const struct oracle_unit *u, double p, int p_top, double c, int c_top)
{
    const double special = p + c; /* infinities and NaN follow the sum's rules */
    if (!isfinite(special))
        return special;
    if (p == 0 && c == 0)
        return 0;
    const int top = p == 0 ? c_top : c == 0 ? p_top : p_top > c_top ? p_top : c_top;
    const double units_of_sum = trunc(ldexp(p, u->window - top)) + trunc(ldexp(c, u->window - top));
    return units_of_sum == 0 ? 0 : ldexp(units_of_sum, top - u->window);
}

static int normal_top(double value)
{
    return ilogb(value) < -14 ? -14 : ilogb(value);
}

static uint32_t oracle(const struct oracle_unit *u, struct oracle_number a, struct oracle_number b, uint32_t c)
{
    const double p = a.value * b.value, c_value = u->d == NUM_F16 ? f16_value(c) : (double)float_of(c);
    const uint32_t magnitude = u->d == NUM_F16 ? 0x7fff : 0x7fffffff;
    if (u->two_steps) { /* f16 operands: e4m3's subnormals become normal; then C is added, rounding to nearest */
        const int top = p == 0 || !isfinite(p) ? 0 : normal_top(a.value) + normal_top(b.value);
        uint32_t sum = d_word(u, window(u, p, top, 0, 0));
        sum = (sum & magnitude) == 0 ? 0 : sum; /* a window's zero, underflow included, is +0 */
        if (u->d == NUM_F16)
            return f16_word(f16_value(sum) + c_value);
        const float both = float_of(sum) + float_of(c);
        return isnan(both) ? 0x7fffffff : bits_of(both);
    }
    const uint32_t d = d_word(u, window(u, p, a.top + b.top, c_value, u->d == NUM_F16 ? f16_top(c) : f32_top(c)));
    return (d & magnitude) == 0 ? 0 : d;
}

/* The accumulator of one exponent class; `mix` chooses the fraction: none, all ones, or its own bits. */
static uint32_t accumulator(enum num_format d, unsigned exponent, bool negative, uint32_t mix)
{
    const unsigned fraction_bits = d == NUM_F16 ? 10 : 23, exponent_bits = d == NUM_F16 ? 5 : 8;
    const uint32_t mask = (1u << fraction_bits) - 1, choice = mix % 4;
    const uint32_t fraction = choice == 0 ? 0 : choice == 1 ? mask : mix >> 2 & mask;
    return (uint32_t)negative << (fraction_bits + exponent_bits) | (exponent & ((1u << exponent_bits) - 1)) << fraction_bits | fraction;
}

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static size_t check_pair(const struct oracle_unit *u, const struct narrow *fa, const struct narrow *fb)
{
    const struct num_dot_model *const model = tw_num_dot_model(u->arch, u->unit, NUM_PLAIN, fa->format, fb->format, u->d);
    const struct num_dot_how how = {.a = fa->format, .b = fb->format, .d = u->d};
    const unsigned na = 2u << (fa->exponent_bits + fa->fraction_bits), nb = 2u << (fb->exponent_bits + fb->fraction_bits);
    const unsigned classes = u->d == NUM_F16 ? 64 : 512, taken = is_long() ? classes : 6;
    size_t count = 0;
    if (model == NULL)
        return 0;
    for (unsigned a = 0; a < na; a++)
        for (unsigned b = 0; b < nb; b++)
            for (unsigned i = 0; i < taken; i++) {
                const unsigned class_id = is_long() ? i : (a * 83 + b * 7 + i * 89 + (a * b >> 5)) % classes;
                const uint32_t c = accumulator(u->d, class_id / 2, (class_id & 1) != 0, mixed(a << 20 ^ b << 10 ^ class_id));
                const uint64_t wa = a, wb = b, wc = c;
                const uint32_t want = oracle(u, decode(fa, a), decode(fb, b), c), got = (uint32_t)tw_num_dot(model, &how, 1, &wa, &wb, &wc, NULL, NULL);
                if (got != want)
                    fail_msg("%s: %s %02x * %s %02x + %08x: want %08x, got %08x", model->name, tw_num_format(fa->format)->name, a,
                             tw_num_format(fb->format)->name, b, c, want, got);
                count++;
            }
    return count;
}

static void every_product_meets_every_exponent_of_the_accumulator(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t u = 0; u < COUNT(units); u++)
        for (size_t a = 0; a < COUNT(narrows); a++)
            for (size_t b = 0; b < COUNT(narrows); b++)
                count += check_pair(&units[u], &narrows[a], &narrows[b]);
    printf("%zu sums of a product and an accumulator\n", count);
    assert_true(count > 9000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(every_product_meets_every_exponent_of_the_accumulator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
