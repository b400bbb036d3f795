/* Scalar arithmetic: the rules that surprise, one by one, and the host paths against the integer definitions. */
#include "support/check.h"

#include "num/arith.h"

#include <math.h>

#define NAN32 0x7fffffffu

static void f32_nan_results_are_canonical(void **state)
{
    (void)state;
    const struct num_ops rn = {0};
    assert_int_equal(tw_num_add(NUM_F32, rn, 0xff800001, 0x3f800000), NAN32);
    assert_int_equal(tw_num_mul(NUM_F32, rn, 0, 0x7f800000), NAN32);
    assert_int_equal(tw_num_fma(NUM_F32, rn, 0x7f800000, 0x3f800000, 0xff800000), NAN32);
    assert_int_equal(tw_num_sub(NUM_F32, rn, 0x7f800000, 0x7f800000), NAN32);
    assert_int_equal(tw_num_div(NUM_F32, rn, 0, 0), NAN32);
    assert_int_equal(tw_num_sqrt(NUM_F32, rn, 0xbf800000), NAN32);
    assert_int_equal(tw_num_abs(NUM_F32, rn, 0xff800001), NAN32);
    assert_int_equal(tw_num_neg(NUM_F32, rn, 0x7f800001), NAN32);
    assert_int_equal(tw_num_neg(NUM_F16, rn, 0x7c01), 0x7fff);
    assert_int_equal(tw_num_add(NUM_BF16, rn, 0xff81, 0), 0x7fff);
    assert_int_equal(tw_num_copysign(NUM_F32, 0x80000000, 0x7f800001), 0xff800001); /* the one that keeps a payload */
}

/* MEASURED: scalar_fp64, and sub, neg, abs, min, max on the same hardware (sm_90a). */
static void f64_keeps_the_payload_of_the_operand_it_looks_at_first(void **state)
{
    (void)state;
    const struct num_ops rn = {0};
    const uint64_t a = 0x7ff0000000000001, b = 0xfff0000000000002, c = 0x7ff8000000000003, quiet = 0x0008000000000000;
    const uint64_t one = 0x3ff0000000000000, infinity = 0x7ff0000000000000;
    assert_int_equal(tw_num_add(NUM_F64, rn, a, b), b | quiet);
    assert_int_equal(tw_num_add(NUM_F64, rn, a, one), a | quiet);
    assert_int_equal(tw_num_div(NUM_F64, rn, a, b), a | quiet);
    assert_int_equal(tw_num_fma(NUM_F64, rn, a, b, c), b | quiet);
    assert_int_equal(tw_num_fma(NUM_F64, rn, a, one, c), c);
    assert_int_equal(tw_num_fma(NUM_F64, rn, a, one, one), a | quiet);
    assert_int_equal(tw_num_mul(NUM_F64, rn, 0, infinity), 0xfff8000000000000);
    assert_int_equal(tw_num_sub(NUM_F64, rn, one, b), b | quiet); /* no sign change on a NaN */
    assert_int_equal(tw_num_neg(NUM_F64, rn, b), b | quiet);
    assert_int_equal(tw_num_abs(NUM_F64, rn, b), b | quiet);
    assert_int_equal(tw_num_min(NUM_F64, rn, a, b), b | quiet);
    assert_int_equal(tw_num_max(NUM_F64, rn, a, one), one);
}

static void ftz_judges_tininess_after_rounding(void **state)
{
    (void)state;
    const struct num_ops ftz = {.ftz = true};
    assert_int_equal(tw_num_mul(NUM_F32, ftz, 0x3f7fffff, 0x80800000), 0x80000000);
    assert_int_equal(tw_num_mul(NUM_F32, (struct num_ops){0}, 0x3f7fffff, 0x80800000), 0x80800000);
    /* 2^-126 - 2^-151 lies a quarter of a unit below 2^-126 and rounds up to it: kept */
    assert_int_equal(tw_num_fma(NUM_F32, ftz, 0x0b800000, 0xa7000000, 0x00800000), 0x00800000);
    assert_int_equal(tw_num_add(NUM_F32, ftz, 0x80000001, 0x80000001), 0x80000000);
    assert_int_equal(tw_num_add(NUM_F32, (struct num_ops){0}, 0x80000001, 0x80000001), 0x80000002);
}

static void sat_clamps_to_the_unit_interval(void **state)
{
    (void)state;
    const struct num_ops sat = {.sat = true};
    assert_int_equal(tw_num_add(NUM_F32, sat, 0x3f800000, 0x3f800000), 0x3f800000);
    assert_int_equal(tw_num_add(NUM_F32, sat, 0xbf800000, 0), 0);
    assert_int_equal(tw_num_add(NUM_F32, sat, 0x80000000, 0x80000000), 0);
    assert_int_equal(tw_num_add(NUM_F32, sat, 0x7fc00000, 0), 0);
    assert_int_equal(tw_num_mul(NUM_F16, sat, 0x3800, 0x3c00), 0x3800);
}

static void relu_keeps_nan_and_takes_negatives(void **state)
{
    (void)state;
    const struct num_ops relu = {.relu = true};
    assert_int_equal(tw_num_fma(NUM_F16, relu, 0xbc00, 0x3c00, 0), 0);
    assert_int_equal(tw_num_fma(NUM_F16, relu, 0x8000, 0x3c00, 0x8000), 0);
    assert_int_equal(tw_num_fma(NUM_BF16, relu, 0x7fc0, 0x3f80, 0), 0x7fff);
    assert_int_equal(tw_num_fma(NUM_F16, relu, 0x3c00, 0x3c00, 0x3c00), 0x4000);
}

static void oob_makes_the_result_of_an_out_of_bounds_factor_zero(void **state)
{
    (void)state;
    const struct num_ops oob = {.oob = true};
    assert_int_equal(tw_num_fma(NUM_F16, oob, 0x7ff7, 0x4000, 0x3c00), 0);
    assert_int_equal(tw_num_fma(NUM_F16, oob, 0x4000, 0xfff7, 0xfc00), 0);
    assert_int_equal(tw_num_fma(NUM_BF16, oob, 0x7ff7, 0x7f82, 0x7fc0), 0);
    assert_int_equal(tw_num_fma(NUM_F16, oob, 0x7ff8, 0x4000, 0x3c00), 0x7fff);
    assert_int_equal(tw_num_fma(NUM_F16, (struct num_ops){0}, 0x7ff7, 0x4000, 0x3c00), 0x7fff);
    assert_int_equal(tw_num_fma(NUM_F16, oob, 0x3c00, 0x3c00, 0x7ff7), 0x7fff); /* c is not special */
}

static void exact_cancellation_gives_the_zero_of_the_rounding_mode(void **state)
{
    (void)state;
    assert_int_equal(tw_num_sub(NUM_F32, (struct num_ops){0}, 0x3f800000, 0x3f800000), 0);
    assert_int_equal(tw_num_sub(NUM_F32, (struct num_ops){.rounding = NUM_RM}, 0x3f800000, 0x3f800000), 0x80000000);
    assert_int_equal(tw_num_add(NUM_F32, (struct num_ops){.rounding = NUM_RM}, 0, 0), 0);
    assert_int_equal(tw_num_add(NUM_F32, (struct num_ops){0}, 0x80000000, 0), 0);
    assert_int_equal(tw_num_add(NUM_F32, (struct num_ops){.rounding = NUM_RP}, 0x80000000, 0x80000000), 0x80000000);
}

static void directed_modes_bracket_an_inexact_result(void **state)
{
    (void)state;
    static const struct { enum num_rounding mode; uint64_t third, minus_third; } rows[] = {
        {NUM_RN, 0x3eaaaaab, 0xbeaaaaab}, {NUM_RZ, 0x3eaaaaaa, 0xbeaaaaaa}, {NUM_RM, 0x3eaaaaaa, 0xbeaaaaab}, {NUM_RP, 0x3eaaaaab, 0xbeaaaaaa},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct num_ops how = {.rounding = rows[i].mode};
        assert_int_equal(tw_num_rcp(NUM_F32, how, 0x40400000), rows[i].third);
        assert_int_equal(tw_num_rcp(NUM_F32, how, 0xc0400000), rows[i].minus_third);
    }
    /* 1 + 2^-60: far below the last bit, still not nothing */
    assert_int_equal(tw_num_add(NUM_F32, (struct num_ops){.rounding = NUM_RP}, 0x3f800000, 0x21800000), 0x3f800001);
    assert_int_equal(tw_num_sub(NUM_F32, (struct num_ops){.rounding = NUM_RZ}, 0x3f800000, 0x21800000), 0x3f7fffff);
    assert_int_equal(tw_num_sub(NUM_F64, (struct num_ops){.rounding = NUM_RM}, 0x3ff0000000000000, 1), 0x3fefffffffffffff);
}

static void min_and_max_order_zeros_and_skip_one_nan(void **state)
{
    (void)state;
    const struct num_ops plain = {0}, nan = {.nan = true}, xorsign = {.xorsign_abs = true}, abs = {.abs = true};
    assert_int_equal(tw_num_min(NUM_F32, plain, 0, 0x80000000), 0x80000000);
    assert_int_equal(tw_num_max(NUM_F32, plain, 0x80000000, 0), 0);
    assert_int_equal(tw_num_min(NUM_F32, plain, 0x7f800001, 0x40000000), 0x40000000);
    assert_int_equal(tw_num_min(NUM_F32, plain, 0x7f800001, 0xffc00000), NAN32);
    assert_int_equal(tw_num_min(NUM_F32, nan, 0x7f800001, 0x40000000), NAN32);
    assert_int_equal(tw_num_max(NUM_F32, xorsign, 0xc0000000, 0x3f800000), 0xc0000000);
    assert_int_equal(tw_num_min(NUM_F32, xorsign, 0xc0000000, 0xbf800000), 0x3f800000);
    assert_int_equal(tw_num_max(NUM_F32, xorsign, 0xffc00000, 0x3f800000), 0xbf800000); /* a NaN's sign counts */
    assert_int_equal(tw_num_max(NUM_F32, abs, 0xc0000000, 0x3f800000), 0x40000000);
    assert_int_equal(tw_num_max(NUM_F16, plain, 0xbc00, 0xc000), 0xbc00);
}

static void ordered_compares_are_false_with_nan_and_unordered_ones_true(void **state)
{
    (void)state;
    static const struct { enum num_compare cmp; bool less, equal, greater, nan; } rows[] = {
        {NUM_EQ, 0, 1, 0, 0}, {NUM_NE, 1, 0, 1, 0}, {NUM_LT, 1, 0, 0, 0}, {NUM_LE, 1, 1, 0, 0}, {NUM_GT, 0, 0, 1, 0}, {NUM_GE, 0, 1, 1, 0},
        {NUM_EQU, 0, 1, 0, 1}, {NUM_NEU, 1, 0, 1, 1}, {NUM_LTU, 1, 0, 0, 1}, {NUM_LEU, 1, 1, 0, 1}, {NUM_GTU, 0, 0, 1, 1}, {NUM_GEU, 0, 1, 1, 1},
        {NUM_BOTH_NUMBERS, 1, 1, 1, 0}, {NUM_ANY_NAN, 0, 0, 0, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(tw_num_compare(NUM_F32, rows[i].cmp, false, 0xbf800000, 0x3f800000), rows[i].less);
        assert_int_equal(tw_num_compare(NUM_F32, rows[i].cmp, false, 0x80000000, 0), rows[i].equal);
        assert_int_equal(tw_num_compare(NUM_F32, rows[i].cmp, false, 0x3f800000, 0xff800000), rows[i].greater);
        assert_int_equal(tw_num_compare(NUM_F32, rows[i].cmp, false, 0x3f800000, 0x7fc00000), rows[i].nan);
    }
    assert_true(tw_num_compare(NUM_F32, NUM_GT, false, 1, 0));
    assert_false(tw_num_compare(NUM_F32, NUM_GT, true, 1, 0)); /* ftz */
    assert_true(tw_num_compare(NUM_S32, NUM_LT, false, 0xffffffff, 0));
    assert_false(tw_num_compare(NUM_U32, NUM_LT, false, 0xffffffff, 0));
}

static void testp_sorts_words_into_classes(void **state)
{
    (void)state;
    static const struct { uint64_t word; bool finite, infinite, number, nan, normal, subnormal; } rows[] = {
        {0x00000000, 1, 0, 1, 0, 1, 0}, {0x80000001, 1, 0, 1, 0, 0, 1}, {0x3f800000, 1, 0, 1, 0, 1, 0},
        {0x7f800000, 0, 1, 1, 0, 0, 0}, {0xffc00000, 0, 0, 0, 1, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(tw_num_testp(NUM_F32, NUM_TEST_FINITE, rows[i].word), rows[i].finite);
        assert_int_equal(tw_num_testp(NUM_F32, NUM_TEST_INFINITE, rows[i].word), rows[i].infinite);
        assert_int_equal(tw_num_testp(NUM_F32, NUM_TEST_NUMBER, rows[i].word), rows[i].number);
        assert_int_equal(tw_num_testp(NUM_F32, NUM_TEST_NOTANUMBER, rows[i].word), rows[i].nan);
        assert_int_equal(tw_num_testp(NUM_F32, NUM_TEST_NORMAL, rows[i].word), rows[i].normal);
        assert_int_equal(tw_num_testp(NUM_F32, NUM_TEST_SUBNORMAL, rows[i].word), rows[i].subnormal);
    }
}

/* Words that meet every class: random bits, near-equal exponents, powers of two, specials. */
static uint64_t draw(enum num_format f, uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    const struct num_format_info *info = tw_num_format(f);
    const uint64_t r = *seed, mask = UINT64_MAX >> (64 - info->storage_bits);
    const uint64_t sign = r & (mask ^ mask >> 1), fraction = r & ((UINT64_C(1) << info->fraction_bits) - 1);
    switch (r >> 60) {
    case 0: return sign;
    case 1: return sign | info->infinity;
    case 2: return sign | info->infinity | fraction;
    case 3: return sign | fraction; /* subnormal */
    case 4: return sign | info->max_finite;
    case 5: return sign | (uint64_t)info->bias << info->fraction_bits;
    case 6: case 7: case 8: case 9:
        return sign | ((uint64_t)info->bias + (r >> 52) % 8) << info->fraction_bits | fraction;
    case 10: return (sign | ((uint64_t)info->bias + (r >> 52) % 64 - 32) << info->fraction_bits) & mask;
    default: return r & mask;
    }
}

static void host_paths_equal_the_integer_definitions(void **state)
{
    (void)state;
    const uint64_t first_seed = 0x2545f4914f6cdd1d;
    uint64_t seed = first_seed;
    static const enum num_format formats[] = {NUM_F32, NUM_F64};
    const struct num_ops rn = {0};
    for (unsigned i = 0; i < 1000000; i++) {
        const enum num_format f = formats[i % 2];
        const uint64_t a = draw(f, &seed), b = draw(f, &seed), c = draw(f, &seed);
        if (tw_num_add(f, rn, a, b) != tw_num_add_reference(f, rn, a, b) ||
            tw_num_mul(f, rn, a, b) != tw_num_mul_reference(f, rn, a, b) ||
            tw_num_fma(f, rn, a, b, c) != tw_num_fma_reference(f, rn, a, b, c))
            fail_msg("seed %llx, %s %llx %llx %llx", (unsigned long long)first_seed, tw_num_format(f)->name,
                     (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
    }
}

/* Division and square root have one definition here; the host's IEEE operations are the second implementation. */
static void division_and_square_root_equal_the_host(void **state)
{
    (void)state;
    uint64_t seed = 0x9e3779b97f4a7c15;
    const struct num_ops rn = {0};
    for (unsigned i = 0; i < 200000; i++) {
        const union { uint32_t word; float value; } a = {.word = (uint32_t)draw(NUM_F32, &seed)}, b = {.word = (uint32_t)draw(NUM_F32, &seed)};
        const union { float value; uint32_t word; } quotient = {.value = a.value / b.value}, root = {.value = sqrtf(a.value)};
        assert_int_equal(tw_num_div(NUM_F32, rn, a.word, b.word), isnan(quotient.value) ? NAN32 : quotient.word);
        assert_int_equal(tw_num_sqrt(NUM_F32, rn, a.word), isnan(root.value) ? NAN32 : root.word);
        const union { uint64_t word; double value; } c = {.word = draw(NUM_F64, &seed)}, d = {.word = draw(NUM_F64, &seed)};
        const union { double value; uint64_t word; } quotient64 = {.value = c.value / d.value}, root64 = {.value = sqrt(c.value)};
        if (!isnan(quotient64.value))
            assert_int_equal(tw_num_div(NUM_F64, rn, c.word, d.word), quotient64.word);
        if (!isnan(root64.value))
            assert_int_equal(tw_num_sqrt(NUM_F64, rn, c.word), root64.word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_nan_results_are_canonical),
        cmocka_unit_test(f64_keeps_the_payload_of_the_operand_it_looks_at_first),
        cmocka_unit_test(ftz_judges_tininess_after_rounding),
        cmocka_unit_test(sat_clamps_to_the_unit_interval),
        cmocka_unit_test(relu_keeps_nan_and_takes_negatives),
        cmocka_unit_test(oob_makes_the_result_of_an_out_of_bounds_factor_zero),
        cmocka_unit_test(exact_cancellation_gives_the_zero_of_the_rounding_mode),
        cmocka_unit_test(directed_modes_bracket_an_inexact_result),
        cmocka_unit_test(min_and_max_order_zeros_and_skip_one_nan),
        cmocka_unit_test(ordered_compares_are_false_with_nan_and_unordered_ones_true),
        cmocka_unit_test(testp_sorts_words_into_classes),
        cmocka_unit_test(host_paths_equal_the_integer_definitions),
        cmocka_unit_test(division_and_square_root_equal_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
