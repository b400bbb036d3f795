/* Sparse A: codes against the table of the PTX ISA, and sums against the dense sum with zeros written in. */
#include "support/check.h"

#include "num/sparse.h"

/* Positions by code. SOURCE: PTX ISA, "Sparse matrix-multiply-accumulate", "Matrix A metadata"; tcgen05, "Sparse matrices". */
static void the_legal_codes_name_two_positions(void **state)
{
    (void)state;
    static const struct { unsigned code; uint8_t first, second; } legal[] = {{4, 0, 1}, {8, 0, 2}, {9, 1, 2}, {12, 0, 3}, {13, 1, 3}, {14, 2, 3}, {6, 2, 1}};
    for (unsigned code = 0; code < 16; code++) {
        uint8_t wide[4] = {9, 9, 9, 9}, pairs[4];
        bool found = false;
        for (size_t i = 0; i < COUNT(legal); i++)
            if (legal[i].code == code) {
                found = true;
                assert_true(tw_num_sparse_select(16, code, false, wide) && tw_num_sparse_select(4, code, false, pairs));
                assert_int_equal(wide[0], legal[i].first);
                assert_int_equal(wide[1], legal[i].second);
                assert_int_equal(pairs[0], 2 * legal[i].first);
                assert_int_equal(pairs[1], 2 * legal[i].first + 1);
                assert_int_equal(pairs[2], 2 * legal[i].second);
                assert_int_equal(pairs[3], 2 * legal[i].second + 1);
            }
        assert_int_equal(tw_num_sparse_select(8, code, false, wide), found);
        assert_int_equal(tw_num_sparse_select(8, code, true, wide), found && code != 6); /* ordered metadata ascends */
    }
}

static void words_of_32_bits_have_two_codes(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 16; code++) {
        uint8_t at[4] = {9};
        assert_int_equal(tw_num_sparse_select(32, code, false, at), code == 4 || code == 14);
        if (code == 4 || code == 14)
            assert_int_equal(at[0], code == 14);
    }
}

struct sparse_row {
    enum num_arch arch;
    enum num_unit unit;
    enum num_kind kind;
    enum num_format a, d, scale;
    unsigned bits; /* that decide about groups */
};

static const struct sparse_row kinds[] = {
    {NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F32, NUM_NONE, 16},
    {NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_TF32, NUM_F32, NUM_NONE, 32},
    {NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_E4M3, NUM_F32, NUM_NONE, 8},
    {NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_S8, NUM_S32, NUM_NONE, 8},
    {NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_S4, NUM_S32, NUM_NONE, 4},
    {NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_BF16, NUM_F32, NUM_NONE, 16},
    {NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_E2M1, NUM_F32, NUM_NONE, 8}, /* a byte each in f8f6f4 */
    {NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF8F6F4, NUM_E5M2, NUM_F32, NUM_UE8M0, 8},
    {NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4, NUM_E2M1, NUM_F32, NUM_UE8M0, 4},
    {NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, NUM_E2M1, NUM_F32, NUM_UE4M3, 4},
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 31;
}

/* The dense sum over A with its zeros is the same where nothing is cut by position: a zero makes no term. B is finite, so
 * that no zero meets an infinity. Kinds with groups count stored elements, so their dense form needs groups twice as long
 * and is not compared. */
static void a_sparse_sum_is_the_dense_sum_with_zeros(void **state)
{
    (void)state;
    static const uint8_t codes[] = {4, 8, 9, 12, 13, 14};
    enum { STORED = 16 };
    uint64_t seed = 3;
    for (size_t r = 0; r < COUNT(kinds); r++) {
        const struct num_dot_model *m = tw_num_dot_model(kinds[r].arch, kinds[r].unit, kinds[r].kind, kinds[r].a, kinds[r].a, kinds[r].d);
        assert_non_null(m);
        assert_int_equal(tw_num_sparse_bits(m, kinds[r].a), kinds[r].bits);
        if (m->method == NUM_DOT_GROUPS || m->chunk != 0 || kinds[r].scale != NUM_NONE)
            continue;
        const unsigned group = num_sparse_group(kinds[r].bits), half = group / 2;
        const struct num_dot_how how = {.a = kinds[r].a, .b = kinds[r].a, .d = kinds[r].d};
        for (unsigned round = 0; round < 500; round++) {
            uint64_t a[STORED], dense[2 * STORED] = {0}, b[2 * STORED], c = next(&seed) & 0x7effffff, d = 0;
            uint8_t code[STORED];
            for (unsigned i = 0; i < 2 * STORED; i++) {
                b[i] = next(&seed) & tw_num_max_word(kinds[r].a);
                a[i % STORED] = next(&seed) & tw_num_max_word(kinds[r].a);
            }
            for (unsigned i = 0; i < STORED; i += half) {
                uint8_t at[4];
                code[i / half] = kinds[r].bits == 32 ? (next(&seed) & 1 ? 4 : 14) : codes[next(&seed) % COUNT(codes)];
                assert_true(tw_num_sparse_select(kinds[r].bits, code[i / half], true, at));
                for (unsigned e = 0; e < half; e++)
                    dense[2 * i + at[e]] = a[i + e];
            }
            for (unsigned i = 0; i < 2 * STORED; i++) /* no infinity of 16-bit words, which the mask lets through */
                if (tw_num_decode(how.b, b[i]).cls > NUM_FINITE)
                    b[i] = 0;
            assert_true(tw_num_dot_sparse(m, &how, STORED, a, b, code, &c, NULL, NULL, &d));
            assert_int_equal(d, tw_num_dot(m, &how, 2 * STORED, dense, b, &c, NULL, NULL));
        }
    }
}

static void what_no_code_selects_has_no_effect(void **state)
{
    (void)state;
    const struct num_dot_model *m = tw_num_dot_model(NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32);
    const struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32};
    const uint64_t a[4] = {0x3c00, 0x4000, 0x4200, 0x4400}, b[8] = {0x3c00, 0x7e00, 0x4200, 0x7c00, 0x7e00, 0xfc00, 0x4700, 0x4800};
    const uint8_t codes[2] = {8, 14}, bad[2] = {8, 5};
    uint64_t d = 99;
    assert_true(tw_num_dot_sparse(m, &how, 4, a, b, codes, NULL, NULL, NULL, &d));
    assert_int_equal(d, 0x42700000); /* 1*1 + 2*3 + 3*7 + 4*8 = 60 */
    d = 99;
    assert_false(tw_num_dot_sparse(m, &how, 4, a, b, bad, NULL, NULL, NULL, &d));
    assert_int_equal(d, 99);
}

/* mxf4nvf4: pairs of stored elements, blocks of 16 stored ones. */
static void pairs_of_fp4_move_together_under_their_scales(void **state)
{
    (void)state;
    const struct num_dot_model *m = tw_num_dot_model(NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, NUM_E2M1, NUM_E2M1, NUM_F32);
    const struct num_dot_how how = {.a = NUM_E2M1, .b = NUM_E2M1, .d = NUM_F32, .scale = NUM_UE4M3, .scale_block = 16};
    uint64_t a[32], b[64], d = 0;
    uint8_t codes[8];
    const uint64_t scale_a[2] = {0x38, 0x40}, scale_b[2] = {0x38, 0x38}; /* 1 and 2, 1 and 1 */
    for (unsigned i = 0; i < 64; i++) {
        a[i % 32] = 2;                      /* 1 */
        b[i] = i % 8 / 2 == 1 || i % 8 / 2 == 3 ? 4 : 7; /* 2 in pairs 1 and 3, 6 in the others */
    }
    for (unsigned i = 0; i < 8; i++)
        codes[i] = 13; /* pairs 1 and 3 */
    assert_true(tw_num_dot_sparse(m, &how, 32, a, b, codes, NULL, scale_a, scale_b, &d));
    assert_int_equal(d, 0x42c00000); /* 16*2*1 + 16*2*2 = 96 */
}

/* Ampere's f16: sixteen stored products are two windows of eight, the sum of the first being the accumulator of the second.
 * 2^24 + 1 is no f32 and is cut to 2^24, window by window; two ones in one window make 2^24 + 2. */
static void windows_take_stored_products_in_order(void **state)
{
    (void)state;
    const struct num_dot_model *m = tw_num_dot_model(NUM_AMPERE, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32);
    const struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32};
    for (unsigned at = 0; at < 16; at++) {
        uint64_t a[16] = {0}, b[32], d = 0, c = 0x4b800000; /* 2^24 */
        uint8_t codes[8];
        for (unsigned i = 0; i < 32; i++)
            b[i] = i % 4 == 1 || i % 4 == 3 ? 0x3c00 : 0x7e00; /* 1 where a code selects, else NaN */
        for (unsigned i = 0; i < 8; i++)
            codes[i] = 13; /* positions 1 and 3 */
        a[0] = 0x3c00;
        a[at] = at == 0 ? 0x4000 : 0x3c00; /* 1 and 1, or 2 */
        assert_true(tw_num_dot_sparse(m, &how, 16, a, b, codes, &c, NULL, NULL, &d));
        assert_int_equal(d, at < 8 ? 0x4b800001 : 0x4b800000);
    }
}

static void two_steps_have_no_known_order_unless_measured(void **state)
{
    (void)state;
    size_t count;
    const struct num_dot_model *m = tw_num_dot_models(&count);
    for (size_t i = 0; i < count; i++) {
        const bool unmeasured = m[i].method == NUM_DOT_TWO_STEP_F16 && m[i].evidence != NUM_MEASURED_HERE;
        const bool several = unmeasured || m[i].method == NUM_DOT_FMA_CHAIN || m[i].method == NUM_DOT_BITS ||
                             m[i].method == NUM_DOT_F32_CHAIN || m[i].method == NUM_DOT_F32_PAIRS;
        assert_int_equal(tw_num_sparse_known(&m[i]), !several);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_legal_codes_name_two_positions),
        ROOM_TEST(words_of_32_bits_have_two_codes),
        ROOM_TEST(a_sparse_sum_is_the_dense_sum_with_zeros),
        ROOM_TEST(what_no_code_selects_has_no_effect),
        ROOM_TEST(pairs_of_fp4_move_together_under_their_scales),
        ROOM_TEST(windows_take_stored_products_in_order),
        ROOM_TEST(two_steps_have_no_known_order_unless_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
