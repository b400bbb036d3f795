#include "read_layout.h"

#include "layout/swizzle.h"

/* The formulas of the specification, written out per mode. */
static uint64_t formula(enum swizzle_mode mode, uint64_t o)
{
    static const uint64_t mask[] = {0, 0x10, 0x30, 0x70};
    return mode == SWIZZLE_128B_ATOM32 ? o ^ (o >> 2 & 96) : o ^ (o >> 3 & mask[mode]);
}

static void byte_swizzles_follow_the_formulas(void **state)
{
    (void)state;
    for (int mode = 0; mode < SWIZZLE_MODE_COUNT; mode++)
        for (uint64_t o = 0; o < 8192; o++)
            assert_int_equal(tw_swizzle_bytes((enum swizzle_mode)mode, o), formula((enum swizzle_mode)mode, o));
}

static void a_swizzle_is_its_own_inverse_and_repeats_with_its_period(void **state)
{
    (void)state;
    static const uint32_t period[] = {16, 256, 512, 1024, 512};
    for (int i = 0; i < SWIZZLE_MODE_COUNT; i++) {
        const enum swizzle_mode mode = (enum swizzle_mode)i;
        assert_int_equal(tw_swizzle_mode_row(mode)->period_bytes, period[i]);
        for (uint64_t o = 0; o < 4096; o++) {
            assert_int_equal(tw_swizzle_inverse_bytes(mode, tw_swizzle_bytes(mode, o)), o);
            assert_int_equal(tw_swizzle_bytes(mode, o + period[i]), tw_swizzle_bytes(mode, o) + period[i]);
        }
    }
}

static void the_32_byte_atom_mode_maps_the_sample_offsets(void **state)
{
    (void)state;
    static const uint64_t rows[][2] = {{128, 160}, {256, 320}, {384, 480}, {416, 448}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_swizzle_bytes(SWIZZLE_128B_ATOM32, rows[i][0]), rows[i][1]);
}

/* Matrix descriptor walks worked out in the tcgen05 reference, 5.7: physical address of a walked address. */
static void worked_descriptor_addresses_are_reached(void **state)
{
    (void)state;
    static const struct { enum swizzle_mode mode; uint64_t walked, address; } rows[] = {
        {SWIZZLE_128B, 0x400, 0x400},
        {SWIZZLE_128B, 0x400 + 16, 0x410},
        {SWIZZLE_128B, 0x400 + 128, 0x490},
        {SWIZZLE_128B, 0x400 + 128 + 16, 0x480},
        {SWIZZLE_128B, 0x400 + 7 * 128 + 126, 0x78e},
        {SWIZZLE_128B, 0x400 + 1024, 0x800},
        {SWIZZLE_128B, 0x400 + 1024 + 2 * 128 + 34, 0x902},
        {SWIZZLE_128B, 0x400 + 15 * 1024 + 7 * 128 + 126, 0x438e},
        {SWIZZLE_128B, 0x420 + 128, 0x4b0},
        {SWIZZLE_128B_ATOM32, 0x400 + 32, 0x420},
        {SWIZZLE_128B_ATOM32, 0x400 + 128, 0x4a0},
        {SWIZZLE_128B_ATOM32, 0x400 + 32 + 128, 0x480},
        {SWIZZLE_128B_ATOM32, 0x400 + 64 + 256, 0x500},
        {SWIZZLE_128B_ATOM32, 0x400 + 124 + 384, 0x59c},
        {SWIZZLE_128B_ATOM32, 0x400 + 4096, 0x1400},
        {SWIZZLE_128B_ATOM32, 0x400 + 512, 0x600},
        {SWIZZLE_NONE, 0x400 + 256 + 16 + 128 + 2, 0x592},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_swizzle_bytes(rows[i].mode, rows[i].walked), rows[i].address);
}

static void row_pitch_and_row_groups_are_the_descriptors(void **state)
{
    (void)state;
    static const uint32_t want[SWIZZLE_MODE_COUNT][2] = {{16, 8}, {32, 8}, {64, 8}, {128, 8}, {128, 4}};
    for (int i = 0; i < SWIZZLE_MODE_COUNT; i++) {
        assert_int_equal(tw_swizzle_mode_row((enum swizzle_mode)i)->row_bytes, want[i][0]);
        assert_int_equal(tw_swizzle_mode_row((enum swizzle_mode)i)->group_rows, want[i][1]);
    }
}

/* In bytes all element widths coincide. */
static void element_swizzles_of_a_mode_move_bytes_alike(void **state)
{
    (void)state;
    static const uint32_t widths[] = {4, 8, 16, 32, 64};
    for (int i = 0; i < SWIZZLE_MODE_COUNT; i++) {
        for (size_t w = 0; w < COUNT(widths); w++) {
            struct swizzle s;
            enum swizzle_mode found;
            assert_true(tw_swizzle_of_mode((enum swizzle_mode)i, widths[w], &s));
            assert_true(tw_swizzle_find_mode(&s, widths[w], &found));
            assert_int_equal(found, i);
            for (int64_t o = 0; o < 8192; o++) {
                const uint64_t bit = (uint64_t)o * widths[w];
                const uint64_t want = tw_swizzle_bytes((enum swizzle_mode)i, bit / 8) * 8 + bit % 8;
                assert_int_equal((uint64_t)tw_swizzle_apply(&s, o) * widths[w], want);
            }
        }
    }
}

static void hardware_modes_have_their_compose_parameters(void **state)
{
    (void)state;
    static const struct { enum swizzle_mode mode; uint32_t bits, m, b, s; } rows[] = {
        {SWIZZLE_128B, 16, 3, 3, 3}, {SWIZZLE_64B, 16, 3, 2, 3}, {SWIZZLE_32B, 16, 3, 1, 3}, {SWIZZLE_128B, 8, 4, 3, 3},
        {SWIZZLE_128B, 4, 5, 3, 3},  {SWIZZLE_128B, 32, 2, 3, 3}, {SWIZZLE_128B_ATOM32, 32, 3, 2, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct swizzle s;
        assert_true(tw_swizzle_of_mode(rows[i].mode, rows[i].bits, &s));
        assert_int_equal(s.per_element, rows[i].m);
        assert_int_equal(s.swizzle_len, rows[i].b);
        assert_int_equal(s.atom_len, rows[i].s);
        assert_true(s.inner);
    }
}

static void widths_that_do_not_divide_a_unit_have_no_swizzle(void **state)
{
    (void)state;
    struct swizzle s;
    assert_false(tw_swizzle_of_mode(SWIZZLE_128B, 6, &s));
    assert_false(tw_swizzle_of_mode(SWIZZLE_128B, 256, &s));
    assert_false(tw_swizzle_of_mode(SWIZZLE_128B, 0, &s));
}

static void other_swizzles_are_no_hardware_mode(void **state)
{
    (void)state;
    static const struct swizzle rows[] = {
        {3, 3, 3, false}, {2, 3, 3, true}, {3, 3, 4, true}, {3, 1, 1, true}, {3, 2, 2, true},
    };
    enum swizzle_mode mode;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_false(tw_swizzle_find_mode(&rows[i], 16, &mode));
}

static void an_outer_swizzle_moves_high_bits_by_low_ones(void **state)
{
    (void)state;
    const struct swizzle s = {1, 2, 3, false};
    for (int64_t m = 0; m < 256; m++) {
        const int64_t q = m >> 1;
        assert_int_equal(tw_swizzle_apply(&s, m), (q ^ (q & 3) << 3) << 1 | (m & 1));
        assert_int_equal(tw_swizzle_invert(&s, tw_swizzle_apply(&s, m)), m);
    }
    assert_int_equal(tw_swizzle_period(&s), 64);
}

static void lengths_must_not_overlap_or_exceed_the_limit(void **state)
{
    (void)state;
    assert_true(tw_swizzle_valid(&(struct swizzle){3, 3, 3, true}));
    assert_true(tw_swizzle_valid(&(struct swizzle){0, 0, 0, true}));
    assert_false(tw_swizzle_valid(&(struct swizzle){3, 3, 2, true}));
    assert_true(tw_swizzle_valid(&(struct swizzle){0, 20, 20, true}));
    assert_false(tw_swizzle_valid(&(struct swizzle){1, 20, 20, true}));
    assert_false(tw_swizzle_valid(&(struct swizzle){UINT32_MAX, 1, 1, true}));
    assert_false(tw_swizzle_valid(&(struct swizzle){1, UINT32_MAX, UINT32_MAX, true}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_swizzles_follow_the_formulas),
        cmocka_unit_test(a_swizzle_is_its_own_inverse_and_repeats_with_its_period),
        cmocka_unit_test(the_32_byte_atom_mode_maps_the_sample_offsets),
        cmocka_unit_test(worked_descriptor_addresses_are_reached),
        cmocka_unit_test(row_pitch_and_row_groups_are_the_descriptors),
        cmocka_unit_test(element_swizzles_of_a_mode_move_bytes_alike),
        cmocka_unit_test(hardware_modes_have_their_compose_parameters),
        cmocka_unit_test(widths_that_do_not_divide_a_unit_have_no_swizzle),
        cmocka_unit_test(other_swizzles_are_no_hardware_mode),
        cmocka_unit_test(an_outer_swizzle_moves_high_bits_by_low_ones),
        cmocka_unit_test(lengths_must_not_overlap_or_exceed_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
