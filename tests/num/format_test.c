/* The format table against the definitions of the formats, and decoding against the formula that defines a word's value. */
#include "support/check.h"

#include "num/format.h"

#include <math.h>

static void names_find_their_row(void **state)
{
    (void)state;
    static const struct { const char *name, *dtype; enum num_format f; unsigned bits; } rows[] = {
        {"f16", "float16", NUM_F16, 16}, {"bf16", "bfloat16", NUM_BF16, 16}, {"f32", "float32", NUM_F32, 32},
        {"f64", "float64", NUM_F64, 64}, {"e4m3", "float8_e4m3fn", NUM_E4M3, 8}, {"e5m2", "float8_e5m2", NUM_E5M2, 8},
        {"ue8m0", "float8_e8m0fnu", NUM_UE8M0, 8}, {"e2m3", "float6_e2m3fn", NUM_E2M3, 6},
        {"e3m2", "float6_e3m2fn", NUM_E3M2, 6}, {"e2m1", "float4_e2m1fn", NUM_E2M1, 4}, {"s32", "int32", NUM_S32, 32},
        {"u8", "uint8", NUM_U8, 8}, {"s4", "int4", NUM_S4, 4}, {"u64", "uint64", NUM_U64, 64},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(tw_num_format_by_name(tw_str(rows[i].name)), rows[i].f);
        assert_int_equal(tw_num_format_by_dtype(tw_str(rows[i].dtype)), rows[i].f);
        assert_int_equal(tw_num_bits(rows[i].f), rows[i].bits);
    }
}

static void unknown_names_find_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"", "f8", "float8_e4m3", "none", "F16", "float", "f16x2", "bool"};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_equal(tw_num_format_by_name(tw_str(names[i])), NUM_NONE);
        assert_int_equal(tw_num_format_by_dtype(tw_str(names[i])), NUM_NONE);
    }
}

/* SOURCE: PTX ISA and OCP MX 1.0; the table of numerics.md, section 1. */
static void the_landmarks_of_each_format_have_their_values(void **state)
{
    (void)state;
    static const struct { enum num_format f; uint64_t word; double value; } rows[] = {
        {NUM_F16, 0x7bff, 65504}, {NUM_F16, 0x0400, 0x1p-14}, {NUM_F16, 0x0001, 0x1p-24}, {NUM_F16, 0xbc00, -1},
        {NUM_BF16, 0x7f7f, 0x1.fep127}, {NUM_BF16, 0x0001, 0x1p-133}, {NUM_TF32, 0x7f7fe000, 0x1.ffcp127},
        {NUM_TF32, 0x00002000, 0x1p-136}, {NUM_TF32, 0x3f801fff, 1}, {NUM_F32, 0x00000001, 0x1p-149},
        {NUM_F64, 1, 0x1p-1074}, {NUM_E4M3, 0x7e, 448}, {NUM_E4M3, 0x01, 0x1p-9}, {NUM_E4M3, 0x08, 0x1p-6},
        {NUM_E5M2, 0x7b, 57344}, {NUM_E5M2, 0x01, 0x1p-16}, {NUM_E3M2, 0x1f, 28}, {NUM_E3M2, 0x01, 0.0625},
        {NUM_E2M3, 0x1f, 7.5}, {NUM_E2M3, 0x01, 0.125}, {NUM_E2M1, 0x7, 6}, {NUM_E2M1, 0x1, 0.5}, {NUM_E2M1, 0xd, -3},
        {NUM_UE8M0, 0xfe, 0x1p127}, {NUM_UE8M0, 0x00, 0x1p-127}, {NUM_UE8M0, 0x7f, 1}, {NUM_UE4M3, 0x7e, 448},
        {NUM_UE4M3, 0xfe, 448}, {NUM_S4, 0x8, -8}, {NUM_U4, 0xf, 15}, {NUM_S8, 0x80, -128}, {NUM_U8, 0x80, 128},
        {NUM_S64, UINT64_C(1) << 63, -0x1p63}, {NUM_U64, UINT64_C(1) << 63, 0x1p63}, {NUM_B1, 1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct num_value v = tw_num_decode(rows[i].f, rows[i].word);
        assert_int_equal(v.cls, NUM_FINITE);
        const double value = ldexp((double)v.sig, v.exp);
        assert_true((v.negative ? -value : value) == rows[i].value);
    }
}

static void specials_are_where_the_format_puts_them(void **state)
{
    (void)state;
    static const struct { enum num_format f; uint64_t word; enum num_class cls; } rows[] = {
        {NUM_F16, 0x7c00, NUM_INFINITE}, {NUM_F16, 0x7c01, NUM_NAN}, {NUM_F16, 0x8000, NUM_ZERO},
        {NUM_E5M2, 0x7c, NUM_INFINITE}, {NUM_E5M2, 0xfd, NUM_NAN}, {NUM_E4M3, 0x7f, NUM_NAN}, {NUM_E4M3, 0xff, NUM_NAN},
        {NUM_E4M3, 0x78, NUM_FINITE}, {NUM_UE4M3, 0x7f, NUM_NAN}, {NUM_UE8M0, 0xff, NUM_NAN}, {NUM_UE8M0, 0, NUM_FINITE},
        {NUM_E2M1, 0xf, NUM_FINITE}, {NUM_E3M2, 0x3f, NUM_FINITE}, {NUM_E2M3, 0x20, NUM_ZERO},
        /* a payload that sits only in the bits that tf32 does not have is no payload */
        {NUM_TF32, 0x7f800001, NUM_INFINITE}, {NUM_TF32, 0x7f802000, NUM_NAN}, {NUM_TF32, 0x00001fff, NUM_ZERO},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_num_decode(rows[i].f, rows[i].word).cls, rows[i].cls);
}

static void subnormals_keep_the_smallest_normal_exponent(void **state)
{
    (void)state;
    const struct num_value v = tw_num_decode(NUM_F16, 0x0001);
    assert_true(v.subnormal);
    assert_int_equal(v.top, -14);
    assert_int_equal(v.exp, -24);
    assert_false(tw_num_decode(NUM_F16, 0x0400).subnormal);
}

static void integers_extend_by_their_signedness(void **state)
{
    (void)state;
    assert_int_equal(tw_num_extend(NUM_S8, 0xff), -1);
    assert_int_equal(tw_num_extend(NUM_U8, 0x1ff), 255);
    assert_int_equal(tw_num_extend(NUM_S4, 0x18), -8);
    assert_int_equal(tw_num_extend(NUM_S32, 0x80000000), INT32_MIN);
}

static void limits_are_the_ends_of_the_finite_range(void **state)
{
    (void)state;
    static const struct { enum num_format f; uint64_t max, min; } rows[] = {
        {NUM_F16, 0x7bff, 0xfbff}, {NUM_F32, 0x7f7fffff, 0xff7fffff}, {NUM_E4M3, 0x7e, 0xfe}, {NUM_E2M1, 7, 15},
        {NUM_UE8M0, 0xfe, 0}, {NUM_S8, 0x7f, 0x80}, {NUM_U16, 0xffff, 0}, {NUM_E3M2, 0x1f, 0x3f},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(tw_num_max_word(rows[i].f), rows[i].max);
        assert_int_equal(tw_num_min_word(rows[i].f), rows[i].min);
    }
}

static void next_up_visits_the_neighbour_above(void **state)
{
    (void)state;
    static const struct { enum num_format f; uint64_t word, next; } rows[] = {
        {NUM_F32, 0x80000000, 1}, {NUM_F32, 0x80000001, 0x80000000}, {NUM_F32, 0x7f7fffff, 0x7f800000},
        {NUM_F32, 0x7f800000, 0x7f800000}, {NUM_F32, 0xff800000, 0xff7fffff}, {NUM_F32, 0x7fc00000, 0x7fc00000},
        {NUM_E4M3, 0x7e, 0x7e}, {NUM_E4M3, 0xfe, 0xfd}, {NUM_TF32, 0x3f800000, 0x3f802000}, {NUM_S8, 0xff, 0},
        {NUM_S8, 0x7f, 0x7f}, {NUM_U8, 0x80, 0x81},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_num_next_up(rows[i].f, rows[i].word), rows[i].next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_their_row),
        cmocka_unit_test(unknown_names_find_nothing),
        cmocka_unit_test(the_landmarks_of_each_format_have_their_values),
        cmocka_unit_test(specials_are_where_the_format_puts_them),
        cmocka_unit_test(subnormals_keep_the_smallest_normal_exponent),
        cmocka_unit_test(integers_extend_by_their_signedness),
        cmocka_unit_test(limits_are_the_ends_of_the_finite_range),
        cmocka_unit_test(next_up_visits_the_neighbour_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
