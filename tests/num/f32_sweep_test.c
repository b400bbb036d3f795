/* f32 to 16-bit and 8-bit floats over f32 words in order of magnitude: results may only change where the definition says.
 *
 * Between two neighbours of the destination the result is the lower one up to a point and the upper one from there on:
 * from the middle (ties to the even one) or from anything above the lower one, or never. Those points are computed here as
 * doubles, and the words are walked in order, so that every one has an expected result without a second conversion.
 * TW_LONG=1 walks all 2^32 words; otherwise a stretch around every place where the result changes. */
#include "support/check.h"

#include "num/convert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_long(void)
{
    const char *const text = getenv("TW_LONG");
    return text != NULL && *text == '1';
}

static uint32_t bits_of(float x)
{
    const union { float value; uint32_t word; } u = {.value = x};
    return u.word;
}

/* Magnitude of a destination word; the word above the largest number stands for the power of two that overflows. */
static double magnitude_of(enum num_format f, uint64_t word)
{
    const struct num_format_info *info = tw_num_format(f);
    const uint64_t fraction = word & ((UINT64_C(1) << info->fraction_bits) - 1), field = word >> info->fraction_bits;
    const int top = (field == 0 ? 1 : (int)field) - info->bias;
    return ldexp((double)fraction + (field == 0 ? 0 : ldexp(1, info->fraction_bits)), top - info->fraction_bits);
}

/* The first f32 magnitude word whose result is above `word`. `away`: the rounding goes away from zero for this sign. */
static uint32_t first_above(enum num_format f, enum num_rounding mode, bool away, uint64_t word)
{
    const double low = magnitude_of(f, word), high = magnitude_of(f, word + 1);
    if (mode == NUM_RN) {
        const double middle = (low + high) / 2; /* exact; for f16's and bf16's subnormals too */
        const float at = (float)middle;
        if ((double)at == middle)
            return bits_of(at) + ((word & 1) == 0 ? 1 : 0); /* a tie goes to the even word */
        return bits_of((double)at > middle ? at : nextafterf(at, INFINITY));
    }
    const double from = away ? low : high;
    const float at = (float)from;
    const uint32_t exact = bits_of((double)at > from ? nextafterf(at, 0) : at);
    if (from >= 0x1p128)
        return 0x7f800000;
    return exact + (away ? 1 : 0);
}

struct sweep {
    struct num_convert_how how;
    bool negative;
    uint64_t words;
};

static void check_word(struct sweep *s, uint32_t magnitude, uint64_t want)
{
    const uint32_t in = magnitude | (s->negative ? 0x80000000u : 0);
    const uint64_t sign = s->negative ? UINT64_C(1) << (tw_num_bits(s->how.to) - 1) : 0, got = tw_num_convert(&s->how, in);
    s->words++;
    if (got != (want | sign))
        fail_msg("%s from %08x, rounding %d: want %llx, got %llx", tw_num_format(s->how.to)->name, in, (int)s->how.rounding,
                 (unsigned long long)(want | sign), (unsigned long long)got);
}

/* All f32 magnitudes in [begin, end) give `want`; without TW_LONG the stretches at both ends. */
static void check_stretch(struct sweep *s, uint32_t begin, uint32_t end, uint64_t want)
{
    enum { EDGE = 3 };
    for (uint32_t m = begin; m < end; m++) {
        check_word(s, m, want);
        if (!is_long() && m == begin + EDGE && end - begin > 2 * EDGE)
            m = end - EDGE - 1;
    }
}

static uint64_t sweep(enum num_format to, enum num_rounding mode, bool satfinite, bool negative)
{
    struct sweep s = {.how = {.to = to, .from = NUM_F32, .rounding = mode, .satfinite = satfinite}, .negative = negative};
    const struct num_format_info *info = tw_num_format(to);
    const bool away = mode == (negative ? NUM_RM : NUM_RP);
    const bool to_infinity = !satfinite && (mode == NUM_RN || away);
    const uint64_t above = to_infinity ? info->infinity : info->max_finite;
    uint32_t begin = 0;
    for (uint64_t word = 0; word <= info->max_finite; word++) {
        uint32_t end = first_above(to, mode, away, word);
        if (end > 0x7f800000)
            end = 0x7f800000;
        check_stretch(&s, begin, end, word);
        begin = end > begin ? end : begin;
    }
    check_stretch(&s, begin, 0x7f800000, above);
    check_word(&s, 0x7f800000, satfinite ? info->max_finite : info->infinity);
    s.negative = false; /* the canonical NaN has no sign */
    for (uint32_t m = 0x7f800001; m < 0x80000000u; m += is_long() ? 1 : 4099) {
        const uint32_t in = m | (negative ? 0x80000000u : 0);
        assert_int_equal(tw_num_convert(&s.how, in), info->canonical_nan);
        s.words++;
    }
    return s.words;
}

static void every_f32_word_rounds_where_the_definition_says(void **state)
{
    (void)state;
    static const struct { enum num_format to; enum num_rounding mode; bool satfinite; } rows[] = {
        {NUM_F16, NUM_RN, false},  {NUM_F16, NUM_RZ, false},  {NUM_F16, NUM_RM, false},  {NUM_F16, NUM_RP, false},
        {NUM_BF16, NUM_RN, false}, {NUM_BF16, NUM_RZ, false}, {NUM_BF16, NUM_RM, false}, {NUM_BF16, NUM_RP, false},
        {NUM_F16, NUM_RN, true},   {NUM_BF16, NUM_RN, true},  {NUM_E4M3, NUM_RN, true},  {NUM_E5M2, NUM_RN, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t words = 0;
        for (int negative = 0; negative < 2; negative++)
            words += sweep(rows[i].to, rows[i].mode, rows[i].satfinite, negative != 0);
        if (is_long()) {
            printf("%s, rounding %d%s: %llu words\n", tw_num_format(rows[i].to)->name, (int)rows[i].mode,
                   rows[i].satfinite ? ", satfinite" : "", (unsigned long long)words);
            fflush(stdout);
            assert_true(words == UINT64_C(1) << 32);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(every_f32_word_rounds_where_the_definition_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
