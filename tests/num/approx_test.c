/* The approximate functions: the special values that PTX and the measurements name, and every mantissa of the four
 * functions whose results are kept uncompressed. */
#include "support/check.h"
#include "support/tcg.h"

#include "num/approx.h"

#include <stdio.h>

struct row {
    enum num_function fn;
    bool ftz;
    uint32_t in, out;
};

/* SOURCE: ptx-async.md, section 8.6; numerics.md, section 8. */
static void special_values_of_f32(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {NUM_EX2, false, 0x00000001, 0x3f800000}, {NUM_EX2, false, 0xc2fc0000, 0x00800000}, /* -126 */
        {NUM_EX2, false, 0xc2fe0000, 0x003fffff}, {NUM_EX2, false, 0xc3150000, 0x00000001}, /* -127, -149 */
        {NUM_EX2, false, 0xc3160000, 0x00000000}, {NUM_EX2, true, 0xc2fe0000, 0x00000000}, {NUM_EX2, false, 0x43000000, 0x7f800000},
        {NUM_EX2, false, 0xff800000, 0}, {NUM_EX2, false, 0xffc00001, 0x7fffffff}, {NUM_EX2, false, 0x40400000, 0x41000000},
        {NUM_LG2, false, 0x3f000000, 0xbf7ffffe}, {NUM_LG2, false, 0x3f800000, 0}, {NUM_LG2, false, 0x00800000, 0xc2fbffff},
        {NUM_LG2, false, 0x00000001, 0xc3150000}, {NUM_LG2, true, 0x00000001, 0xff800000}, {NUM_LG2, false, 0x80000000, 0xff800000},
        {NUM_LG2, false, 0xbf800000, 0x7fffffff}, {NUM_LG2, false, 0x41000000, 0x40400000},
        {NUM_RCP, false, 0x00000001, 0x7f800000}, {NUM_RCP, false, 0x80000000, 0xff800000}, {NUM_RCP, false, 0xff800000, 0x80000000},
        {NUM_RCP, false, 0x7f000000, 0x00400000}, {NUM_RCP, true, 0x7f000000, 0x00000000}, {NUM_RCP, false, 0x40000000, 0x3f000000},
        {NUM_RSQRT, false, 0x80000000, 0xff800000}, {NUM_RSQRT, false, 0xbf800000, 0x7fffffff}, {NUM_RSQRT, true, 0x80000001, 0xff800000},
        {NUM_RSQRT, false, 0x40800000, 0x3f000000}, {NUM_SQRT, false, 0x80000000, 0x80000000}, {NUM_SQRT, false, 0x80000001, 0x7fffffff},
        {NUM_SQRT, true, 0x80000001, 0x80000000}, {NUM_SQRT, false, 0x40800000, 0x40000000},
        {NUM_SIN, false, 0x80000001, 0x80000000}, {NUM_COS, false, 0x00800000, 0x3f800000}, {NUM_SIN, false, 0x7f800000, 0x7fffffff},
        {NUM_TANH, false, 0x3b000000, 0x3b000000}, {NUM_TANH, false, 0xc1000000, 0xbf800000}, {NUM_TANH, false, 0x80000001, 0x80000001},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint64_t got = tw_num_approx(rows[i].fn, NUM_F32, rows[i].ftz, rows[i].in);
        if (got != rows[i].out)
            fail_msg("row %zu: %x: want %x, got %llx", i, rows[i].in, rows[i].out, (unsigned long long)got);
    }
}

static void div_approx_loses_large_divisors_and_div_full_does_not(void **state)
{
    (void)state;
    const uint64_t two_127 = 0x7f000000, infinity = 0x7f800000;
    assert_int_equal(tw_num_div_approx(false, two_127, two_127), 0);
    assert_int_equal(tw_num_div_approx(false, infinity, two_127), 0x7fffffff);
    assert_int_equal(tw_num_div_full(false, two_127, two_127), 0x3f800000);
    assert_int_equal(tw_num_div_full(true, two_127, two_127), 0x3f800000);
    assert_int_equal(tw_num_div_approx(false, 0x00000001, 0x00000001), 0x3f800000);
    assert_int_equal(tw_num_div_approx(true, 0x00000001, 0x00000001), 0x7fffffff); /* 0 / 0 */
}

static void f64_reads_and_writes_upper_words_only(void **state)
{
    (void)state;
    assert_int_equal(tw_num_approx(NUM_RCP, NUM_F64, true, 0x7ff0000000000001), 0);
    assert_int_equal(tw_num_approx(NUM_RCP, NUM_F64, true, 0x7ff8000000000000), 0x7fffffff00000000);
    assert_int_equal(tw_num_approx(NUM_RCP, NUM_F64, true, 0x800fffffffffffff), 0xfff0000000000000);
    assert_int_equal(tw_num_approx(NUM_RSQRT, NUM_F64, true, 0xfff0000000000000), 0x7fffffff00000000);
    assert_int_equal(tw_num_approx(NUM_RSQRT, NUM_F64, true, 0x0010000000000000), 0x5fe0000000000000);
}

static void only_the_forms_of_ptx_exist(void **state)
{
    (void)state;
    assert_true(tw_num_has_approx(NUM_TANH, NUM_BF16));
    assert_false(tw_num_has_approx(NUM_RCP, NUM_F16));
    assert_false(tw_num_has_approx(NUM_EX2, NUM_F64));
    assert_false(tw_num_has_approx(NUM_SIN, NUM_E4M3));
}

/* A section of mufu_sm90.bin: quadratics and a stream of corrections, read in ascending order of the mantissa. */
struct section {
    const uint8_t *at;
    unsigned m;
    uint32_t corrections, bytes;
};

static uint64_t little(const uint8_t *at, unsigned bytes)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < bytes; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

static uint64_t read_leb(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

/* The unit's result for 1.f times a power of two, as a 24-bit significand. */
static uint32_t significand(enum num_function fn, uint32_t exponent_field, uint32_t f, uint32_t one)
{
    return tw_num_mufu(fn, exponent_field << 23 | f) - one + 0x800000;
}

static const struct {
    const char *name;
    enum num_function fn;
    uint32_t exponent_field, one;
} sections[] = {
    {"rcp", NUM_RCP, 127, 0x3f000000},      {"ex2", NUM_EX2, 0, 0x3f800000},         {"rsqrt0", NUM_RSQRT, 127, 0x3f000000},
    {"rsqrt1", NUM_RSQRT, 128, 0x3f000000}, {"sqrt0", NUM_SQRT, 127, 0x3f800000}, {"sqrt1", NUM_SQRT, 128, 0x3f800000},
};

/* ex2 takes the fraction as a number below 1; only fractions that f32 holds without loss are asked for. */
static uint32_t unit_result(size_t section, uint32_t f)
{
    if (sections[section].fn != NUM_EX2)
        return significand(sections[section].fn, sections[section].exponent_field, f, sections[section].one);
    if (f == 0)
        return 0x800000;
    unsigned top = 22;
    while ((f >> top & 1) == 0)
        top--;
    const uint32_t word = (127 - 23 + top) << 23 | (f << (23 - top) & 0x7fffff);
    return tw_num_mufu(NUM_EX2, word) - 0x3f800000 + 0x800000;
}

static void check_section(size_t which, const struct section *s)
{
    const uint8_t *stream = s->at + (UINT64_C(24) << s->m);
    uint32_t left = s->corrections;
    int64_t next = left != 0 ? (int64_t)read_leb(&stream) : -1;
    for (uint32_t f = 0; f < 1u << 23; f++) {
        const uint8_t *c = s->at + 24 * (f >> (23 - s->m));
        const int64_t x = f & ((1u << (23 - s->m)) - 1);
        int64_t y = ((int64_t)little(c, 8) + (int64_t)little(c + 8, 8) * x + (((int64_t)little(c + 16, 8) * x * x) >> 16)) >> 24;
        if (left != 0 && f == next) {
            const uint64_t zigzag = read_leb(&stream);
            y += (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
            if (--left != 0)
                next = (int64_t)f + 1 + (int64_t)read_leb(&stream);
        }
        if (f % 5 == 0 && unit_result(which, f) != y)
            fail_msg("%s, mantissa %x: want %llx, got %x", sections[which].name, f, (unsigned long long)y, unit_result(which, f));
    }
}

/* Every fifth mantissa keeps the run short; the fit that made the tables met all of them. */
static void the_unit_meets_the_measured_mantissas(void **state)
{
    struct bench_room *room = *state;
    const char *path = tw_test_shared(&room->arena, "golden/mufu/mufu_sm90.bin");
    if (path == NULL)
        skip();
    size_t size = 0;
    const uint8_t *at = (const uint8_t *)tw_test_read_file(&room->arena, path, &size);
    assert_true(at != NULL && size > 16 && memcmp(at, "MUFU1", 5) == 0);
    assert_int_equal(little(at + 8, 4), COUNT(sections));
    at += 16;
    for (size_t i = 0; i < COUNT(sections); i++) {
        const struct section s = {.at = at + 24, .m = (unsigned)little(at + 8, 4), .corrections = (uint32_t)little(at + 12, 4),
                                  .bytes = (uint32_t)little(at + 16, 4)};
        assert_string_equal((const char *)at, sections[i].name);
        check_section(i, &s);
        at = s.at + (UINT64_C(24) << s.m) + (s.bytes + 7) / 8 * 8;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(special_values_of_f32),
        ROOM_TEST(div_approx_loses_large_divisors_and_div_full_does_not),
        ROOM_TEST(f64_reads_and_writes_upper_words_only),
        ROOM_TEST(only_the_forms_of_ptx_exist),
        ROOM_TEST(the_unit_meets_the_measured_mantissas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
