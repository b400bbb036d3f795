/* cvt.rs: every random operand of every format against the definition "the magnitude goes up where the random bits carry
 * out of the part that is cut off", restated here with the host's doubles. */
#include "support/check.h"

#include "num/convert.h"

#include <math.h>

static double value_of(enum num_format f, uint64_t word)
{
    const struct num_value v = tw_num_decode(f, word);
    return ldexp(v.negative ? -(double)v.sig : (double)v.sig, v.exp);
}

static uint32_t bits_of(float x)
{
    const union { float value; uint32_t word; } u = {.value = x};
    return u.word;
}

/* Between a number and the next: how many of the 2^width random values go up is the part cut off, as a fraction. */
static void the_chance_of_going_up_is_the_part_that_is_cut_off(void **state)
{
    (void)state;
    static const struct { enum num_format to; unsigned width, sources, low; } rows[] = {
        {NUM_F16, 13, 2, 0}, {NUM_BF16, 16, 2, 0}, {NUM_E4M3, 16, 4, 0}, {NUM_E5M2, 16, 4, 0}, {NUM_E2M3, 16, 4, 0},
        {NUM_E3M2, 16, 4, 0}, {NUM_E2M1, 8, 4, 0},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct num_convert_how how = {.to = rows[r].to, .from = NUM_F32, .satfinite = true};
        const unsigned field = tw_num_format(rows[r].to)->pack_bits;
        const uint64_t one = (uint64_t)tw_num_format(rows[r].to)->bias << tw_num_format(rows[r].to)->fraction_bits;
        const uint64_t starts[] = {0, 1, one, one + 1, tw_num_max_word(rows[r].to) - 1};
        for (size_t s = 0; s < COUNT(starts); s++)
            for (unsigned eighth = 0; eighth < 8; eighth++) {
                const double low = value_of(rows[r].to, starts[s]), high = value_of(rows[r].to, tw_num_next_up(rows[r].to, starts[s]));
                const double between = low + (high - low) * eighth / 8;
                const float x = (float)between;
                assert_true((double)x == between);
                unsigned up = 0;
                for (uint32_t random = 0; random < 1u << rows[r].width; random++) {
                    const uint64_t in[4] = {0, rows[r].sources == 2 ? bits_of(x) : 0, 0, bits_of(x)};
                    const uint64_t got = tw_num_convert_random(&how, random, rows[r].sources, in) & ((1u << field) - 1);
                    assert_true(got == starts[s] || got == tw_num_next_up(rows[r].to, starts[s]));
                    up += got != starts[s];
                    assert_int_equal(got != starts[s], random + ((uint64_t)eighth << rows[r].width >> 3) >= 1u << rows[r].width);
                }
                assert_int_equal(up, eighth << rows[r].width >> 3);
            }
    }
}

static void the_sign_plays_no_part_and_special_words_do_not_round(void **state)
{
    (void)state;
    const struct num_convert_how how = {.to = NUM_E5M2, .from = NUM_F32, .satfinite = true};
    const uint64_t in[4] = {bits_of(-1.0625F), 0x7fc00000, 0xff800000, 0x80000000};
    assert_int_equal(tw_num_convert_random(&how, 0xffffffff, 4, in), 0xbd7ffb80);
    assert_int_equal(tw_num_convert_random(&how, 0, 4, in), 0xbc7ffb80);
    const struct num_convert_how f16 = {.to = NUM_F16, .from = NUM_F32, .relu = true};
    const uint64_t pair[2] = {bits_of(65519.99609375F), bits_of(-3.0F)};
    assert_int_equal(tw_num_convert_random(&f16, 0, 2, pair), 0x7bff0000);
    assert_int_equal(tw_num_convert_random(&f16, 0x1fff0000, 2, pair), 0x7c000000); /* without satfinite it overflows */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_chance_of_going_up_is_the_part_that_is_cut_off),
        ROOM_TEST(the_sign_plays_no_part_and_special_words_do_not_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
