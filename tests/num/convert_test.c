/* Conversions: the rules one by one, then every word of every 8- and 16-bit format against the definition of rounding:
 * the nearest, lower or higher neighbour in the sorted list of the destination's values. */
#include "support/check.h"

#include "num/convert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct row {
    struct num_convert_how how;
    uint64_t in, out;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t got = tw_num_convert(&rows[i].how, rows[i].in);
        if (got != rows[i].out)
            fail_msg("%s from %s, row %zu: %llx: want %llx, got %llx", tw_num_format(rows[i].how.to)->name,
                     tw_num_format(rows[i].how.from)->name, i, (unsigned long long)rows[i].in,
                     (unsigned long long)rows[i].out, (unsigned long long)got);
    }
}
#define CHECK_ROWS(rows) check_rows(rows, COUNT(rows))

static void f16_overflows_and_underflows_at_the_halfway_points(void **state)
{
    (void)state;
    const struct num_convert_how rn = {.to = NUM_F16, .from = NUM_F32};
    const struct num_convert_how rz = {.to = NUM_F16, .from = NUM_F32, .rounding = NUM_RZ};
    const struct num_convert_how rm = {.to = NUM_F16, .from = NUM_F32, .rounding = NUM_RM};
    const struct num_convert_how rp = {.to = NUM_F16, .from = NUM_F32, .rounding = NUM_RP};
    const struct row rows[] = {
        {rn, 0x477fefff, 0x7bff}, {rn, 0x477ff000, 0x7c00}, /* just below 65520, and 65520 */
        {rn, 0x33000000, 0x0000}, {rn, 0x33000001, 0x0001}, /* 2^-25 ties to even zero, its successor does not */
        {rn, 0x33c00000, 0x0002}, {rn, 0xb3000000, 0x8000},
        {rz, 0x7f7fffff, 0x7bff}, {rz, 0x7f800000, 0x7c00},
        {rm, 0x7f7fffff, 0x7bff}, {rm, 0xff7fffff, 0xfc00}, {rm, 0x80000001, 0x8001}, {rm, 0x00000001, 0x0000},
        {rp, 0x7f7fffff, 0x7c00}, {rp, 0xff7fffff, 0xfbff}, {rp, 0x00000001, 0x0001}, {rp, 0x80000001, 0x8000},
    };
    CHECK_ROWS(rows);
}

static void satfinite_clamps_infinity_and_overflow_but_not_nan(void **state)
{
    (void)state;
    const struct num_convert_how f16 = {.to = NUM_F16, .from = NUM_F32, .satfinite = true};
    const struct num_convert_how bf16 = {.to = NUM_BF16, .from = NUM_F32, .satfinite = true};
    const struct num_convert_how e4m3 = {.to = NUM_E4M3, .from = NUM_F32, .satfinite = true};
    const struct num_convert_how e5m2 = {.to = NUM_E5M2, .from = NUM_F32, .satfinite = true};
    const struct row rows[] = {
        {f16, 0x7f800000, 0x7bff}, {f16, 0xff800000, 0xfbff}, {f16, 0xffc00000, 0x7fff},
        {bf16, 0x7f7fffff, 0x7f7f}, {bf16, 0x7f800001, 0x7fff},
        {e4m3, 0x43e80000, 0x7e}, {e4m3, 0x7f800000, 0x7e}, {e4m3, 0xff800000, 0xfe}, {e4m3, 0xffc00000, 0x7f},
        {e4m3, 0x3a800000, 0x00}, {e4m3, 0x3a8147ae, 0x01}, {e4m3, 0x3b400000, 0x02}, {e4m3, 0xba000000, 0x80},
        {e5m2, 0x47700000, 0x7b}, {e5m2, 0x7f800000, 0x7b}, {e5m2, 0x37000000, 0x00}, {e5m2, 0x37c00000, 0x02},
    };
    CHECK_ROWS(rows);
}

static void relu_takes_every_negative_and_keeps_nan(void **state)
{
    (void)state;
    const struct num_convert_how how = {.to = NUM_F16, .from = NUM_F32, .relu = true};
    const struct row rows[] = {
        {how, 0xbf800000, 0}, {how, 0x80000000, 0}, {how, 0xff800000, 0}, {how, 0xffc00000, 0x7fff},
        {how, 0x3f800000, 0x3c00}, {how, 0x7f800000, 0x7c00},
    };
    CHECK_ROWS(rows);
}

/* MEASURED: scalar_cvt (sm_90a); the table of numerics.md, section 2. */
static void each_pair_has_its_own_nan_rule(void **state)
{
    (void)state;
    const struct row rows[] = {
        {{.to = NUM_F16, .from = NUM_F32}, 0xff800001, 0x7fff},
        {{.to = NUM_F32, .from = NUM_F16}, 0xfe01, 0x7fffffff},
        {{.to = NUM_F32, .from = NUM_BF16}, 0xff81, 0xff810000},
        {{.to = NUM_F64, .from = NUM_F32}, 0xff800001, 0xfff8000020000000},
        {{.to = NUM_F32, .from = NUM_F64}, 0xfff0000020000000, 0xffc00001},
        {{.to = NUM_F16, .from = NUM_F64}, 0x7ff0000000000001, 0x7e00},
        {{.to = NUM_TF32, .from = NUM_F32}, 0xff800001, 0x7fffe000},
        {{.to = NUM_TF32, .from = NUM_F32, .rounding = NUM_RNA}, 0xff800001, 0xff800000},
        {{.to = NUM_TF32, .from = NUM_F32, .rounding = NUM_RNA, .satfinite = true}, 0x7f800001, 0x7f7fe000},
        {{.to = NUM_F16, .from = NUM_E4M3}, 0xff, 0x7fff},
        {{.to = NUM_F32, .from = NUM_F32}, 0xff800001, 0xff800001},
        {{.to = NUM_F32, .from = NUM_F32, .integral = true}, 0xff800001, 0x7fffffff},
        {{.to = NUM_F32, .from = NUM_F32, .sat = true}, 0xff800001, 0},
        {{.to = NUM_F64, .from = NUM_F64, .integral = true}, 0xfff0000000000001, 0xfff8000000000001},
        {{.to = NUM_F32, .from = NUM_F32, .ftz = true}, 0xff800001, 0x7fffffff},
        {{.to = NUM_F64, .from = NUM_F32, .ftz = true}, 0xff800001, 0x7fffffffe0000000},
        {{.to = NUM_F32, .from = NUM_BF16, .ftz = true}, 0xff81, 0x7fffffff},
        {{.to = NUM_F32, .from = NUM_F64, .ftz = true}, 0xfff0000020000000, 0xffc00001},
    };
    CHECK_ROWS(rows);
}

/* MEASURED: on sm_90a. */
static void ftz_flushes_f32_words_but_not_on_the_way_to_f16(void **state)
{
    (void)state;
    const struct row rows[] = {
        {{.to = NUM_F64, .from = NUM_F32, .ftz = true}, 0x80000001, 0x8000000000000000},
        {{.to = NUM_F64, .from = NUM_F32}, 0x80000001, 0xb6a0000000000000},
        {{.to = NUM_F32, .from = NUM_BF16, .ftz = true}, 0x8001, 0x80000000},
        {{.to = NUM_F16, .from = NUM_F32, .rounding = NUM_RP, .ftz = true}, 0x00000002, 0x0001},
        {{.to = NUM_F32, .from = NUM_F64, .ftz = true}, 0x3800000000000000, 0}, /* 2^-127 */
        {{.to = NUM_F32, .from = NUM_F64, .ftz = true}, 0x380fffffffffffff, 0x00800000}, /* rounds up to 2^-126 */
    };
    CHECK_ROWS(rows);
}

/* SOURCE: PTX ISA, cvt, .e2m1x2 .e2m3x2 .e3m2x2; CUDA 13.0 host definitions. */
static void formats_without_nan_take_it_as_their_largest_number(void **state)
{
    (void)state;
    const struct num_convert_how e2m1 = {.to = NUM_E2M1, .from = NUM_F32, .satfinite = true};
    const struct num_convert_how e3m2 = {.to = NUM_E3M2, .from = NUM_F32, .satfinite = true};
    const struct num_convert_how e2m3 = {.to = NUM_E2M3, .from = NUM_F32, .satfinite = true};
    const struct row rows[] = {
        {e2m1, 0xffc00000, 0x7}, {e2m1, 0xff800000, 0xf}, {e2m1, 0x40a00000, 0x6}, /* 5 ties to 4 */
        {e2m1, 0x3e800000, 0x0}, {e2m1, 0x3f400000, 0x2}, /* 0.25 and 0.75 tie to 0 and 1 */
        {e3m2, 0x7fc00000, 0x1f}, {e3m2, 0xc1f80000, 0x3f}, {e2m3, 0x7fc00000, 0x1f}, {e2m3, 0x3d800000, 0x00},
    };
    CHECK_ROWS(rows);
}

/* SOURCE: CUDA 13.0, host definition of the e8m0 conversions: the magnitude's exponent, rp rounds it up. */
static void ue8m0_takes_the_exponent_of_the_magnitude(void **state)
{
    (void)state;
    const struct num_convert_how rz = {.to = NUM_UE8M0, .from = NUM_F32, .rounding = NUM_RZ};
    const struct num_convert_how rp = {.to = NUM_UE8M0, .from = NUM_F32, .rounding = NUM_RP};
    const struct num_convert_how sat = {.to = NUM_UE8M0, .from = NUM_F32, .rounding = NUM_RP, .satfinite = true};
    const struct row rows[] = {
        {rz, 0x3f800000, 0x7f}, {rz, 0x3fffffff, 0x7f}, {rz, 0xbf800000, 0x7f}, {rz, 0, 0}, {rz, 1, 0},
        {rz, 0x7f7fffff, 0xfe}, {rz, 0x7f800000, 0xff}, {rz, 0x7fc00000, 0xff},
        {rp, 0x3f800000, 0x7f}, {rp, 0x3f800001, 0x80}, {rp, 0x00400000, 0x00}, {rp, 0x00400001, 0x01},
        {rp, 0x7f7fffff, 0xff}, {sat, 0x7f7fffff, 0xfe}, {sat, 0x7f800000, 0xfe}, {sat, 0x7fc00000, 0xff},
        {{.to = NUM_BF16, .from = NUM_UE8M0}, 0x00, 0x0040}, {{.to = NUM_BF16, .from = NUM_UE8M0}, 0xff, 0x7fff},
        {{.to = NUM_BF16, .from = NUM_UE8M0}, 0xfe, 0x7f00},
    };
    CHECK_ROWS(rows);
}

static void tf32_rounds_away_under_rna_and_to_even_under_rn(void **state)
{
    (void)state;
    const struct row rows[] = {
        {{.to = NUM_TF32, .from = NUM_F32, .rounding = NUM_RNA}, 0x3f801000, 0x3f802000},
        {{.to = NUM_TF32, .from = NUM_F32}, 0x3f801000, 0x3f800000},
        {{.to = NUM_TF32, .from = NUM_F32, .rounding = NUM_RNA}, 0x7f7fffff, 0x7f800000},
        {{.to = NUM_TF32, .from = NUM_F32, .rounding = NUM_RZ}, 0x7f7fffff, 0x7f7fe000},
    };
    CHECK_ROWS(rows);
}

static void floats_to_integers_saturate_and_nan_depends_on_width(void **state)
{
    (void)state;
    const struct row rows[] = {
        {{.to = NUM_S32, .from = NUM_F32, .rounding = NUM_RZ}, 0x4f000000, 0x7fffffff},
        {{.to = NUM_S32, .from = NUM_F32, .rounding = NUM_RZ}, 0xff800000, 0x80000000},
        {{.to = NUM_U32, .from = NUM_F32, .rounding = NUM_RZ}, 0xbf800000, 0},
        {{.to = NUM_U8, .from = NUM_F32, .rounding = NUM_RZ}, 0x43800000, 0xff},
        {{.to = NUM_S32, .from = NUM_F32}, 0x40200000, 2},                      /* rni: 2.5 to 2 */
        {{.to = NUM_S32, .from = NUM_F32, .rounding = NUM_RP}, 0x40200000, 3}, /* rpi */
        {{.to = NUM_S32, .from = NUM_F32, .rounding = NUM_RM}, 0x80000001, 0xffffffff},
        {{.to = NUM_S32, .from = NUM_F32, .rounding = NUM_RM, .ftz = true}, 0x80000001, 0},
        {{.to = NUM_S32, .from = NUM_F32}, 0x7fc00000, 0}, {{.to = NUM_S64, .from = NUM_F32}, 0x7fc00000, UINT64_C(1) << 63},
        {{.to = NUM_U64, .from = NUM_F16}, 0x7e00, UINT64_C(1) << 63}, {{.to = NUM_U8, .from = NUM_F64}, 0x7ff8000000000000, 0x80},
        {{.to = NUM_S16, .from = NUM_F64}, 0x7ff8000000000000, 0x8000}, {{.to = NUM_U64, .from = NUM_F64}, 0x7fefffffffffffff, UINT64_MAX},
    };
    CHECK_ROWS(rows);
}

static void integers_truncate_without_sat_and_clamp_with_it(void **state)
{
    (void)state;
    const struct row rows[] = {
        {{.to = NUM_S8, .from = NUM_S32}, 0x1ff, 0xff}, {{.to = NUM_S8, .from = NUM_S32, .sat = true}, 0x1ff, 0x7f},
        {{.to = NUM_U8, .from = NUM_S32, .sat = true}, 0xffffffff, 0}, {{.to = NUM_S64, .from = NUM_S8}, 0x80, 0xffffffffffffff80},
        {{.to = NUM_U64, .from = NUM_U8}, 0x80, 0x80}, {{.to = NUM_U32, .from = NUM_S8, .sat = true}, 0x80, 0},
        {{.to = NUM_S32, .from = NUM_U32, .sat = true}, 0xffffffff, 0x7fffffff}, {{.to = NUM_S32, .from = NUM_U32}, 0xffffffff, 0xffffffff},
        {{.to = NUM_S16, .from = NUM_S64, .sat = true}, UINT64_C(1) << 63, 0x8000},
    };
    CHECK_ROWS(rows);
}

static void the_first_source_of_a_pair_goes_to_the_upper_field(void **state)
{
    (void)state;
    const struct num_convert_how e4m3 = {.to = NUM_E4M3, .from = NUM_F32, .satfinite = true};
    assert_int_equal(tw_num_convert_pair(&e4m3, 0x3f800000, 0x40000000), 0x3840);
    const struct num_convert_how e2m1 = {.to = NUM_E2M1, .from = NUM_F32, .satfinite = true};
    assert_int_equal(tw_num_convert_pair(&e2m1, 0x40c00000, 0x3f000000), 0x71);
    const struct num_convert_how e2m3 = {.to = NUM_E2M3, .from = NUM_F32, .satfinite = true};
    assert_int_equal(tw_num_convert_pair(&e2m3, 0xc0f00000, 0x3f800000), 0x3f08);
    const struct num_convert_how back = {.to = NUM_F16, .from = NUM_E2M3};
    assert_int_equal(tw_num_convert_fields(&back, 2, 0x3f08), 0xc7803c00);
}

/* The nonnegative values of a narrow format in order; entry i is the value of magnitude word i, and one virtual entry
 * past the largest number stands where the next would be. */
struct ladder {
    double value[32769];
    unsigned count; /* real entries */
};

static double value_by_formula(const struct num_format_info *info, uint64_t magnitude)
{
    const int field = (int)(magnitude >> info->fraction_bits);
    const double fraction = (double)(magnitude & ((1u << info->fraction_bits) - 1)) / (double)(1u << info->fraction_bits);
    if (field == 0 && info->fraction_bits > 0)
        return ldexp(fraction, 1 - info->bias);
    return ldexp(1 + fraction, field - info->bias);
}

static void build_ladder(struct ladder *l, enum num_format f)
{
    const struct num_format_info *info = tw_num_format(f);
    l->count = (unsigned)info->max_finite + 1;
    for (unsigned i = 0; i <= l->count; i++)
        l->value[i] = value_by_formula(info, i);
}

/* Rounds |x| on the ladder: the index of the neighbour that the mode picks; l->count means too large. */
static unsigned climb(const struct ladder *l, enum num_rounding mode, bool negative, double x)
{
    if (x >= l->value[l->count])
        return l->count;
    unsigned low = 0, high = l->count;
    while (high - low > 1) {
        const unsigned mid = (low + high) / 2;
        if (l->value[mid] <= x)
            low = mid;
        else
            high = mid;
    }
    if (x <= l->value[low])
        return low; /* exact, or below the smallest value of a format without zero */
    if (mode == NUM_RZ || (mode == NUM_RM && !negative) || (mode == NUM_RP && negative))
        return low;
    if (mode == NUM_RM || mode == NUM_RP)
        return low + 1;
    const double middle = (l->value[low] + l->value[low + 1]) / 2;
    if (x == middle)
        return mode == NUM_RNA || low % 2 == 1 ? low + 1 : low;
    return x > middle ? low + 1 : low;
}

static uint64_t expected(const struct ladder *l, enum num_format to, enum num_rounding mode, bool satfinite, double x,
                         bool negative)
{
    const struct num_format_info *info = tw_num_format(to);
    negative = negative && info->sign_bits != 0;
    const unsigned at = climb(l, mode, negative, x);
    uint64_t word = at;
    if (at >= l->count) {
        const bool outward = mode == NUM_RN || mode == NUM_RNA || mode == (negative ? NUM_RM : NUM_RP) || isinf(x);
        word = info->max_finite;
        if (outward && !satfinite && info->specials != NUM_ALL_FINITE)
            word = info->specials == NUM_IEEE ? info->infinity : info->canonical_nan;
    }
    return word | (negative ? UINT64_C(1) << (info->storage_bits - 1) : 0);
}

static const enum num_format narrow[] = {NUM_F16, NUM_BF16, NUM_E4M3, NUM_E5M2, NUM_E2M3, NUM_E3M2, NUM_E2M1, NUM_UE8M0, NUM_UE4M3};

static size_t check_pair(const struct ladder *l, enum num_format to, enum num_format from, enum num_rounding mode, bool satfinite)
{
    const struct num_convert_how how = {.to = to, .from = from, .rounding = mode, .satfinite = satfinite};
    const struct num_format_info *info = tw_num_format(from);
    const unsigned magnitude_bits = info->exponent_bits + info->fraction_bits;
    size_t checked = 0;
    for (uint64_t word = 0; word < UINT64_C(1) << (magnitude_bits + info->sign_bits); word++) {
        const uint64_t magnitude = word & ((UINT64_C(1) << magnitude_bits) - 1);
        const bool negative = word >> magnitude_bits != 0;
        const bool infinite = info->specials == NUM_IEEE && magnitude == info->infinity;
        if (magnitude > info->max_finite && !infinite)
            continue; /* NaN has its own test */
        const double x = infinite ? (double)INFINITY : value_by_formula(info, magnitude);
        const uint64_t want = expected(l, to, mode, satfinite, x, negative), got = tw_num_convert(&how, word);
        if (got != want)
            fail_msg("%s from %s %llx, mode %d: want %llx, got %llx", tw_num_format(to)->name, info->name,
                     (unsigned long long)word, (int)mode, (unsigned long long)want, (unsigned long long)got);
        checked++;
    }
    return checked;
}

/* Scales only round by rz and rp; a format without fraction bits has no even neighbour. */
static void every_narrow_word_converts_to_the_neighbour_that_the_mode_picks(void **state)
{
    (void)state;
    static struct ladder l;
    size_t checked = 0;
    for (size_t t = 0; t < COUNT(narrow); t++) {
        build_ladder(&l, narrow[t]);
        for (size_t f = 0; f < COUNT(narrow); f++)
            for (int mode = NUM_RN; mode <= NUM_RP; mode++)
                for (int satfinite = 0; satfinite < 2; satfinite++)
                    if (narrow[t] != narrow[f] && (narrow[t] != NUM_UE8M0 || mode == NUM_RZ || mode == NUM_RP))
                        checked += check_pair(&l, narrow[t], narrow[f], (enum num_rounding)mode, satfinite != 0);
    }
    printf("%zu conversions\n", checked);
    assert_true(checked > 8000000);
}

static double host_integral(enum num_rounding mode, double x)
{
    if (mode == NUM_RZ)
        return trunc(x);
    if (mode == NUM_RM)
        return floor(x);
    return mode == NUM_RP ? ceil(x) : rint(x);
}

static void every_16_bit_float_converts_to_integers_as_the_host_rounds(void **state)
{
    (void)state;
    static const enum num_format integers[] = {NUM_S8, NUM_U8, NUM_S16, NUM_U16, NUM_S32, NUM_U32, NUM_S64, NUM_U64};
    static const enum num_rounding modes[] = {NUM_RN, NUM_RZ, NUM_RM, NUM_RP};
    static const enum num_format floats[] = {NUM_F16, NUM_BF16};
    for (size_t f = 0; f < COUNT(floats); f++)
        for (uint64_t word = 0; word < 65536; word++) {
            const struct num_value v = tw_num_decode(floats[f], word);
            if (v.cls == NUM_NAN)
                continue;
            const struct num_format_info *info = tw_num_format(floats[f]);
            const double magnitude = v.cls == NUM_INFINITE ? (double)INFINITY : value_by_formula(info, word & 0x7fff);
            for (size_t m = 0; m < COUNT(modes); m++)
                for (size_t i = 0; i < COUNT(integers); i++) {
                    const struct num_format_info *to = tw_num_format(integers[i]);
                    const double high = ldexp(1, to->storage_bits - (to->family == NUM_SIGNED));
                    const double low = to->family == NUM_SIGNED ? -high : 0;
                    const double x = host_integral(modes[m], v.negative ? -magnitude : magnitude);
                    const uint64_t want = x >= high  ? tw_num_max_word(integers[i])
                                          : x <= low ? tw_num_min_word(integers[i])
                                          : x < 0    ? (uint64_t)(int64_t)x & (UINT64_MAX >> (64 - to->storage_bits))
                                                     : (uint64_t)x;
                    const struct num_convert_how how = {.to = integers[i], .from = floats[f], .rounding = modes[m]};
                    if (tw_num_convert(&how, word) != want)
                        fail_msg("%s from %s %llx mode %d", to->name, info->name, (unsigned long long)word, (int)modes[m]);
                }
        }
}

static void every_16_bit_integer_converts_to_the_neighbour_that_the_mode_picks(void **state)
{
    (void)state;
    static struct ladder l;
    static const enum num_format floats[] = {NUM_F16, NUM_BF16}, integers[] = {NUM_S16, NUM_U16, NUM_S8, NUM_U8};
    for (size_t f = 0; f < COUNT(floats); f++) {
        build_ladder(&l, floats[f]);
        for (size_t i = 0; i < COUNT(integers); i++)
            for (uint64_t word = 0; word < UINT64_C(1) << tw_num_bits(integers[i]); word++)
                for (int mode = NUM_RN; mode <= NUM_RP; mode++) {
                    const struct num_convert_how how = {.to = floats[f], .from = integers[i], .rounding = (enum num_rounding)mode};
                    const int64_t n = tw_num_extend(integers[i], word);
                    const uint64_t want = expected(&l, floats[f], how.rounding, false, fabs((double)n), n < 0);
                    if (tw_num_convert(&how, word) != want)
                        fail_msg("%s from %s %llx", tw_num_format(floats[f])->name, tw_num_format(integers[i])->name,
                                 (unsigned long long)word);
                }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f16_overflows_and_underflows_at_the_halfway_points),
        cmocka_unit_test(satfinite_clamps_infinity_and_overflow_but_not_nan),
        cmocka_unit_test(relu_takes_every_negative_and_keeps_nan),
        cmocka_unit_test(each_pair_has_its_own_nan_rule),
        cmocka_unit_test(ftz_flushes_f32_words_but_not_on_the_way_to_f16),
        cmocka_unit_test(formats_without_nan_take_it_as_their_largest_number),
        cmocka_unit_test(ue8m0_takes_the_exponent_of_the_magnitude),
        cmocka_unit_test(tf32_rounds_away_under_rna_and_to_even_under_rn),
        cmocka_unit_test(floats_to_integers_saturate_and_nan_depends_on_width),
        cmocka_unit_test(integers_truncate_without_sat_and_clamp_with_it),
        cmocka_unit_test(the_first_source_of_a_pair_goes_to_the_upper_field),
        cmocka_unit_test(every_narrow_word_converts_to_the_neighbour_that_the_mode_picks),
        cmocka_unit_test(every_16_bit_float_converts_to_integers_as_the_host_rounds),
        cmocka_unit_test(every_16_bit_integer_converts_to_the_neighbour_that_the_mode_picks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
