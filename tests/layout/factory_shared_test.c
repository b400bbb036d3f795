#include "read_layout.h"

#include "layout/factory.h"

static void modes_are_numbers_or_names(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const char *const names[] = {"NONE", "32B", "64B", "128B"};
    for (int i = 0; i < 4; i++) {
        enum swizzle_mode mode;
        assert_true(tw_swizzle_mode_from_int(&e, i, &mode));
        assert_int_equal(mode, i);
        assert_true(tw_swizzle_mode_from_name(&e, tw_str(names[i]), &mode));
        assert_int_equal(mode, i);
        assert_true(tw_swizzle_mode_from_name(&e, tw_str(tw_format(&room->arena, "SwizzleMode.%s", names[i])), &mode));
        assert_int_equal(mode, i);
    }
}

static void other_modes_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    enum swizzle_mode mode;
    assert_false(tw_swizzle_mode_from_int(&e, 4, &mode));
    assert_false(tw_swizzle_mode_from_int(&e, -1, &mode));
    assert_false(tw_swizzle_mode_from_name(&e, STR("128b"), &mode));
    assert_null(tw_mma_atom_layout(&e, 16, SWIZZLE_NONE));
    const struct shape shape = SHAPE(32, 32);
    assert_null(tw_mma_shared_layout(&e, 32, SWIZZLE_128B_ATOM32, &shape));
    tw_test_expect_diags(room, "error[E0318]: no such swizzle mode\n"
                               "  expected: NONE (0), 32B (1), 64B (2) or 128B (3)\n"
                               "     found: 4\n"
                               "error[E0318]: no such swizzle mode\n"
                               "  expected: NONE (0), 32B (1), 64B (2) or 128B (3)\n"
                               "     found: -1\n"
                               "error[E0318]: no such swizzle mode\n"
                               "  expected: NONE (0), 32B (1), 64B (2) or 128B (3)\n"
                               "     found: '128b'\n"
                               "error[E0318]: a layout without a swizzle has no atom\n"
                               "  expected: 32B (1), 64B (2) or 128B (3)\n"
                               "     found: NONE (0)\n"
                               "error[E0318]: this factory does not make that swizzle mode\n"
                               "  expected: NONE (0), 32B (1), 64B (2) or 128B (3)\n"
                               "     found: 128B_ATOM32\n"
                               "       fix: write ComposeLayout(3, 2, 2, tile)\n");
}

/* What the fix names is the mode: 32 K-rows of 32 tf32 MN elements, checked against the byte formula. */
static void the_32_byte_atom_mode_is_written_as_a_compose_layout(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "swizzle(3,2,2) S[(1024):(1)]");
    for (int64_t o = 0; o < 1024; o++) {
        const int64_t byte = 4 * o;
        assert_int_equal(4 * tw_layout_address(l, o), byte ^ (byte >> 2 & 96));
    }
}

static void atoms_are_eight_rows_of_the_modes_width(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { uint32_t bits; enum swizzle_mode mode; int64_t columns; } rows[] = {
        {16, SWIZZLE_128B, 64}, {8, SWIZZLE_128B, 128}, {4, SWIZZLE_128B, 256}, {32, SWIZZLE_128B, 32},
        {16, SWIZZLE_64B, 32},  {16, SWIZZLE_32B, 16},  {8, SWIZZLE_32B, 32},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct shape atom;
        assert_true(tw_mma_atom_shape(&e, rows[i].bits, rows[i].mode, 2, &atom));
        const struct shape want = SHAPE(8, rows[i].columns);
        assert_true(tw_shape_eq(&atom, &want));
        const struct layout *l = tw_mma_atom_layout(&e, rows[i].bits, rows[i].mode);
        assert_true(tw_layout_is_bare_swizzle(l));
        assert_int_equal(tw_layout_size(l), tw_shape_elems(&atom)); /* 2**(M+mode+3) is 8 rows */
    }
    struct shape padded;
    assert_true(tw_mma_atom_shape(&e, 16, SWIZZLE_128B, 4, &padded));
    const struct shape want = SHAPE(1, 1, 8, 64);
    assert_true(tw_shape_eq(&padded, &want));
}

static void atoms_need_two_dimensions_and_a_storable_width(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    struct shape atom;
    assert_false(tw_mma_atom_shape(&e, 16, SWIZZLE_128B, 1, &atom));
    assert_false(tw_mma_atom_shape(&e, 6, SWIZZLE_128B, 2, &atom));
    tw_test_expect_diags(room, "error[E0319]: a swizzle atom has rows and columns\n"
                               "  expected: a shape of 2 to 16 dimensions\n"
                               "     found: 1\n"
                               "error[E0319]: elements of this width have no shared-memory operand layout\n"
                               "  expected: 4, 8, 16, 32 or 64 bits (6-bit types are stored in 8-bit containers)\n"
                               "     found: 6 bits\n");
}

static void operand_layouts_are_those_of_the_table(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { uint32_t bits; enum swizzle_mode mode; struct shape shape; const char *layout; } rows[] = {
        {16, SWIZZLE_128B, {2, {128, 64}}, "swizzle(3,3,3) S[(8192):(1)]"},
        {16, SWIZZLE_128B, {3, {3, 128, 64}}, "swizzle(3,3,3) S[(24576):(1)]"},
        {16, SWIZZLE_128B, {2, {128, 128}}, "swizzle(3,3,3) S[(128,2,64):(64,8192,1)]"},
        {16, SWIZZLE_128B, {2, {64, 128}}, "swizzle(3,3,3) S[(64,2,64):(64,4096,1)]"},
        {16, SWIZZLE_64B, {2, {128, 32}}, "swizzle(3,2,3) S[(4096):(1)]"},
        {16, SWIZZLE_NONE, {2, {128, 64}}, "S[(128,8,8):(8,1024,1)]"},
        {8, SWIZZLE_128B, {2, {128, 128}}, "swizzle(4,3,3) S[(16384):(1)]"},
        {4, SWIZZLE_128B, {2, {128, 256}}, "swizzle(5,3,3) S[(32768):(1)]"},
        {32, SWIZZLE_128B, {2, {128, 32}}, "swizzle(2,3,3) S[(4096):(1)]"},
        {16, SWIZZLE_NONE, {2, {128, 60}}, "S[(7680):(1)]"}, /* no whole 16-byte units: plain row-major */
        {16, SWIZZLE_NONE, {1, {64}}, "S[(64):(1)]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_layout(&e, tw_mma_shared_layout(&e, rows[i].bits, rows[i].mode, &rows[i].shape), rows[i].layout);
}

/* m = lead*R*C + (c//W)*R*W + r*W + c%W, then the swizzle on bytes. */
static void operand_layouts_follow_the_formula(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const uint32_t widths[] = {4, 8, 16, 32};
    for (int mode = SWIZZLE_NONE; mode <= SWIZZLE_128B; mode++)
        for (size_t i = 0; i < COUNT(widths); i++) {
            const int64_t width = (16 << mode) * 8 / (int64_t)widths[i], rows = 24, columns = 3 * width;
            const struct shape shape = SHAPE(2, rows, columns);
            const struct layout *l = tw_mma_shared_layout(&e, widths[i], (enum swizzle_mode)mode, &shape);
            assert_non_null(l);
            for (int64_t flat = 0; flat < tw_shape_elems(&shape); flat++) {
                int64_t x[3];
                tw_shape_split(&shape, flat, x);
                const int64_t m = x[0] * rows * columns + x[2] / width * rows * width + x[1] * width + x[2] % width;
                const uint64_t bit = (uint64_t)m * widths[i];
                const uint64_t want = tw_swizzle_bytes((enum swizzle_mode)mode, bit / 8) * 8 + bit % 8;
                assert_int_equal((uint64_t)tw_layout_address(l, flat) * widths[i], want);
            }
        }
}

static void shapes_that_are_not_made_of_atoms_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape rows = SHAPE(124, 64), columns = SHAPE(128, 48), flat = SHAPE(8192);
    assert_null(tw_mma_shared_layout(&e, 16, SWIZZLE_128B, &rows));
    assert_null(tw_mma_shared_layout(&e, 16, SWIZZLE_128B, &columns));
    assert_null(tw_mma_shared_layout(&e, 16, SWIZZLE_32B, &flat));
    tw_test_expect_diags(room, "error[E0319]: a shape does not consist of 128B swizzle atoms\n"
                               "  expected: rows in multiples of 8, and columns in multiples of 64 at 16 bits\n"
                               "     found: (124, 64)\n"
                               "       fix: choose a smaller swizzle mode or pad the shape\n"
                               "error[E0319]: a shape does not consist of 128B swizzle atoms\n"
                               "  expected: rows in multiples of 8, and columns in multiples of 64 at 16 bits\n"
                               "     found: (128, 48)\n"
                               "       fix: choose a smaller swizzle mode or pad the shape\n"
                               "error[E0319]: a shape does not consist of 32B swizzle atoms\n"
                               "  expected: rows in multiples of 8, and columns in multiples of 16 at 16 bits\n"
                               "     found: (8192,)\n"
                               "       fix: choose a smaller swizzle mode or pad the shape\n");
}

/* byte = (r//32)*4 + (r%32)*16 + (s//4)*512 + s%4 per block of 128 rows. */
static void scale_factors_lie_in_512_byte_blocks(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = tw_sf_smem_layout(&e, &(struct scale_layout){256, 8, 4, 0, 0});
    static const int64_t samples[][3] = {{33, 2, 22}, {5, 6, 594}, {127, 7, 1023}, {128, 0, 1024}};
    for (size_t i = 0; i < COUNT(samples); i++)
        assert_int_equal(tw_layout_address(l, samples[i][0] * 8 + samples[i][1]), samples[i][2]);
    for (int64_t r = 0; r < 256; r++)
        for (int64_t s = 0; s < 8; s++)
            assert_int_equal(tw_layout_address(l, r * 8 + s),
                             r / 128 * 1024 + r % 128 / 32 * 4 + r % 32 * 16 + s / 4 * 512 + s % 4);
}

static void scale_factor_stages_follow_one_another(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = tw_sf_smem_layout(&e, &(struct scale_layout){128, 8, 1, 2, 3});
    const struct shape shape = SHAPE(3, 128, 8, 2);
    assert_int_equal(tw_layout_size(l), tw_shape_elems(&shape));
    for (int64_t stage = 0; stage < 3; stage++)
        for (int64_t again = 0; again < 2; again++)
            assert_int_equal(tw_layout_address(l, tw_shape_flat(&shape, (const int64_t[]){stage, 33, 2, again})),
                             1024 * stage + 22);
}

static void scale_factors_that_fill_no_block_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct scale_layout rows[] = {{64, 4, 4, 0, 0}, {128, 6, 2, 0, 0}, {128, 4, 3, 0, 0}, {0, 4, 1, 0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_null(tw_sf_smem_layout(&e, &rows[i]));
    assert_int_equal(room->diags.error_count, COUNT(rows));
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    assert_null(tw_sf_smem_layout(&e, &rows[2]));
    tw_test_expect_diags(room, "error[E0322]: scale factors do not fill blocks of shared memory\n"
                               "  expected: rows in multiples of 128, SF_K in multiples of 4, sf_per_mma 1, 2 or 4\n"
                               "     found: rows=128, SF_K=4, sf_per_mma=3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(modes_are_numbers_or_names),
        ROOM_TEST(other_modes_are_refused),
        ROOM_TEST(the_32_byte_atom_mode_is_written_as_a_compose_layout),
        ROOM_TEST(atoms_are_eight_rows_of_the_modes_width),
        ROOM_TEST(atoms_need_two_dimensions_and_a_storable_width),
        ROOM_TEST(operand_layouts_are_those_of_the_table),
        ROOM_TEST(operand_layouts_follow_the_formula),
        ROOM_TEST(shapes_that_are_not_made_of_atoms_are_refused),
        ROOM_TEST(scale_factors_lie_in_512_byte_blocks),
        ROOM_TEST(scale_factor_stages_follow_one_another),
        ROOM_TEST(scale_factors_that_fill_no_block_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
