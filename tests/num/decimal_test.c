/* Decimal text: exact values by hand, literals at the edges of rounding, and the host's correctly rounded strtod as a
 * second implementation. */
#include "support/check.h"

#include "num/decimal.h"

#include <stdio.h>
#include <stdlib.h>

static const char *printed(struct arena *arena, enum num_format f, uint64_t word)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_num_print_decimal(&t, f, word);
    return t.at;
}

static void values_print_exactly(void **state)
{
    struct bench_room *room = *state;
    static const struct { enum num_format f; uint64_t word; const char *text; } rows[] = {
        {NUM_F32, 0x3f800000, "1"}, {NUM_F32, 0xbf000000, "-0.5"}, {NUM_F32, 0x00000000, "0"}, {NUM_F32, 0x80000000, "-0"},
        {NUM_F32, 0x3dcccccd, "0.100000001490116119384765625"}, {NUM_F32, 0x7f800000, "inf"}, {NUM_F32, 0xff800000, "-inf"},
        {NUM_F32, 0xffc00000, "nan"}, {NUM_F32, 0x4b800000, "16777216"},
        {NUM_F32, 0x7f7fffff, "3.4028234663852885981170418348451692544e+38"},
        {NUM_F32, 0x00000001,
         "1.40129846432481707092372958328991613128026194187651577175706828388979108268586060148663818836212158203125e-45"},
        {NUM_F16, 0x7bff, "65504"}, {NUM_F16, 0x0001, "5.9604644775390625e-8"}, {NUM_E2M1, 0xd, "-3"}, {NUM_E4M3, 0x01, "0.001953125"},
        {NUM_UE8M0, 0x80, "2"}, {NUM_TF32, 0x3f801fff, "1"}, {NUM_S8, 0x80, "-128"}, {NUM_U64, UINT64_MAX, "18446744073709551615"},
        {NUM_F64, 0x444b1ae4d6e2ef50, "1e+21"}, {NUM_F64, 0x4415af1d78b58c40, "100000000000000000000"},
        {NUM_F64, 0x3eb0c6f7a0b5ed8d, "9.99999999999999954748111825886258685613938723690807819366455078125e-7"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(printed(&room->arena, rows[i].f, rows[i].word), rows[i].text);
}

static void words_print_in_the_width_of_their_format(void **state)
{
    struct bench_room *room = *state;
    static const struct { enum num_format f; uint64_t word; const char *text; } rows[] = {
        {NUM_F16, 0x3c00, "0x3c00 = 1"}, {NUM_E2M1, 0x7, "0x7 = 6"}, {NUM_E2M3, 0x1f, "0x1f = 7.5"},
        {NUM_F64, 0x3ff0000000000000, "0x3ff0000000000000 = 1"}, {NUM_S32, 0xffffffff, "-1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_num_print(&t, rows[i].f, rows[i].word);
        assert_string_equal(t.at, rows[i].text);
    }
}

static void literals_round_once_to_nearest_even(void **state)
{
    (void)state;
    static const struct { enum num_format f; const char *text; uint64_t word; enum num_parse result; } rows[] = {
        {NUM_F32, "1", 0x3f800000, NUM_PARSED}, {NUM_F32, ".5", 0x3f000000, NUM_PARSED}, {NUM_F32, "-5.", 0xc0a00000, NUM_PARSED},
        {NUM_F32, "1e-3", 0x3a83126f, NUM_PARSED}, {NUM_F32, "1_000.5", 0x447a2000, NUM_PARSED}, {NUM_F32, "-0.0", 0x80000000, NUM_PARSED},
        {NUM_F32, "1.000000059604644775390625", 0x3f800000, NUM_PARSED}, /* halfway, to even */
        {NUM_F32, "1.0000000596046447753906250000000000000000000000000001", 0x3f800001, NUM_PARSED},
        {NUM_F32, "340282356779733661637539395458142568448", 0x7f800000, NUM_PARSE_OVERFLOW}, /* halfway above the largest */
        {NUM_F32, "340282356779733661637539395458142568447", 0x7f7fffff, NUM_PARSED},
        {NUM_F32, "1e-60", 0, NUM_PARSED}, {NUM_F32, "-1e-99999999999999", 0x80000000, NUM_PARSED},
        {NUM_F32, "1e99999999999999", 0x7f800000, NUM_PARSE_OVERFLOW}, {NUM_F32, "0e99999999999999", 0, NUM_PARSED},
        {NUM_F64, "9007199254740993", 0x4340000000000000, NUM_PARSED}, {NUM_F64, "0.1", 0x3fb999999999999a, NUM_PARSED},
        {NUM_F64, "2.2250738585072011e-308", 0x000fffffffffffff, NUM_PARSED},
        {NUM_F64, "4.9e-324", 1, NUM_PARSED}, {NUM_F64, "2.4703282292062327e-324", 0, NUM_PARSED},
        {NUM_F64, "2.4703282292062328e-324", 1, NUM_PARSED}, {NUM_F64, "1.7976931348623159e308", 0x7ff0000000000000, NUM_PARSE_OVERFLOW},
        {NUM_F16, "65519.999", 0x7bff, NUM_PARSED}, {NUM_F16, "65520", 0x7c00, NUM_PARSE_OVERFLOW},
        {NUM_E4M3, "464", 0x7e, NUM_PARSED}, {NUM_E4M3, "464.001", 0x7f, NUM_PARSE_OVERFLOW},
        {NUM_E2M1, "6.9", 0x7, NUM_PARSED}, {NUM_E2M1, "7", 0x7, NUM_PARSE_OVERFLOW}, {NUM_E2M1, "-1e9", 0xf, NUM_PARSE_OVERFLOW},
        {NUM_S8, "127", 0x7f, NUM_PARSED}, {NUM_S8, "-128", 0x80, NUM_PARSED}, {NUM_S8, "128", 0x7f, NUM_PARSE_OVERFLOW},
        {NUM_U8, "2.5e1", 25, NUM_PARSED}, {NUM_U8, "-1", 0, NUM_PARSE_OVERFLOW}, {NUM_U64, "18446744073709551615", UINT64_MAX, NUM_PARSED},
        {NUM_U64, "18446744073709551616", UINT64_MAX, NUM_PARSE_OVERFLOW}, {NUM_S32, "1e400", 0x7fffffff, NUM_PARSE_OVERFLOW},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t word = 0xdead;
        const enum num_parse result = tw_num_parse_decimal(tw_str(rows[i].text), rows[i].f, &word);
        if (result != rows[i].result || word != rows[i].word)
            fail_msg("%s: want %llx (%d), got %llx (%d)", rows[i].text, (unsigned long long)rows[i].word,
                     (int)rows[i].result, (unsigned long long)word, (int)result);
    }
}

static void what_is_not_a_literal_is_malformed_and_leaves_the_word(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "-", ".", "e5", "1e", "1e+", "1__0", "_1", "1_", "1_.5", "1._5", "1_e5", "1e5_", "1 ", " 1", "0x10", "inf", "nan", "1.5.2", "--1", "1f",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint64_t word = 0xdead;
        if (tw_num_parse_decimal(tw_str(texts[i]), NUM_F64, &word) != NUM_PARSE_MALFORMED || word != 0xdead)
            fail_msg("'%s' was taken as %llx", texts[i], (unsigned long long)word);
    }
    uint64_t word = 0xdead;
    assert_int_equal(tw_num_parse_decimal(STR("1.5"), NUM_S32, &word), NUM_PARSE_MALFORMED);
}

static void digits_beyond_any_boundary_still_count(void **state)
{
    struct bench_room *room = *state;
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, "1.000000059604644775390625"); /* halfway between two f32 words */
    tw_text_pad(&t, '0', 5000);
    uint64_t word = 0;
    assert_int_equal(tw_num_parse_decimal((struct str){t.at, t.len}, NUM_F32, &word), NUM_PARSED);
    assert_int_equal(word, 0x3f800000);
    tw_text_put(&t, '1');
    assert_int_equal(tw_num_parse_decimal((struct str){t.at, t.len}, NUM_F32, &word), NUM_PARSED);
    assert_int_equal(word, 0x3f800001);
    struct text whole;
    tw_text_init(&whole, &room->arena);
    tw_text_pad(&whole, '0', 3000);
    tw_text_put(&whole, '1');
    tw_text_pad(&whole, '0', 3000);
    tw_text_add(&whole, "e-3000");
    assert_int_equal(tw_num_parse_decimal((struct str){whole.at, whole.len}, NUM_F32, &word), NUM_PARSED);
    assert_int_equal(word, 0x3f800000);
}

static void what_is_printed_reads_back_as_the_same_word(void **state)
{
    struct bench_room *room = *state;
    uint64_t random = 88172645463325252;
    for (unsigned i = 0; i < 66000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const enum num_format f = i < 65536 ? NUM_F16 : i % 2 == 0 ? NUM_F32 : NUM_F64;
        const uint64_t word = i < 65536 ? i : f == NUM_F32 ? random & UINT32_MAX : random;
        const enum num_class cls = tw_num_decode(f, word).cls;
        if (cls == NUM_NAN || cls == NUM_INFINITE)
            continue;
        const struct arena_mark mark = tw_arena_mark(&room->arena);
        uint64_t back = 0;
        assert_int_equal(tw_num_parse_decimal(tw_str(printed(&room->arena, f, word)), f, &back), NUM_PARSED);
        if (back != word)
            fail_msg("%s %llx came back as %llx", tw_num_format(f)->name, (unsigned long long)word, (unsigned long long)back);
        tw_arena_rewind(&room->arena, mark);
    }
}

static void random_literals_agree_with_the_host(void **state)
{
    (void)state;
    uint64_t random = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < 20000; i++) {
        char text[64];
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const int exponent = (int)(random >> 40) % 340 - (i % 3 == 0 ? 340 : 20);
        const int digits = 1 + (int)(random % 19);
        (void)snprintf(text, sizeof text, "%.*s.%llue%d", digits, "1234567890123456789", (unsigned long long)(random % 1000003), exponent);
        const union { double value; uint64_t word; } want64 = {.value = strtod(text, NULL)};
        const union { float value; uint32_t word; } want32 = {.value = strtof(text, NULL)};
        uint64_t got64 = 0, got32 = 0;
        (void)tw_num_parse_decimal(tw_str(text), NUM_F64, &got64);
        (void)tw_num_parse_decimal(tw_str(text), NUM_F32, &got32);
        if (got64 != want64.word || got32 != want32.word)
            fail_msg("%s: f64 %llx and %llx, f32 %x and %llx", text, (unsigned long long)want64.word,
                     (unsigned long long)got64, want32.word, (unsigned long long)got32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(values_print_exactly),
        ROOM_TEST(words_print_in_the_width_of_their_format),
        ROOM_TEST(literals_round_once_to_nearest_even),
        ROOM_TEST(what_is_not_a_literal_is_malformed_and_leaves_the_word),
        ROOM_TEST(digits_beyond_any_boundary_still_count),
        ROOM_TEST(what_is_printed_reads_back_as_the_same_word),
        ROOM_TEST(random_literals_agree_with_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
