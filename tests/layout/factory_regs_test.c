#include "read_layout.h"

#include "layout/factory.h"

static void a_warpgroups_rows_are_its_threads(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    expect_layout(&e, tw_wg_local_layout(&e, 64, 128), "S[(128,64):(1@tid_in_wg,1)]");
    expect_layout(&e, tw_wg_local_layout(&e, 8, 64), "S[(64,8):(1@tid_in_wg,1)]");
    assert_null(tw_wg_local_layout(&e, 8, 129));
    tw_test_expect_diags(room, "error[E0323]: a warpgroup has no row for each of these\n"
                               "  expected: at most 128 rows\n"
                               "     found: 129\n");
}

/* Row and column of lane l, register r in one 16-row issue: the table of tcgen05.ld. */
static int64_t atom_row(const char *name, int64_t l, int64_t r)
{
    return strcmp(name, "16x64b") == 0 ? l / 4 + 8 * (l % 2)
           : strcmp(name, "16x128b") == 0 ? l / 4 + 8 * (r % 2) : l / 4 + 8 * (r / 2 % 2);
}

static int64_t atom_col(const char *name, int64_t l, int64_t r)
{
    return strcmp(name, "16x64b") == 0 ? l / 2 % 2 + 2 * r
           : strcmp(name, "16x128b") == 0 ? l % 4 + 4 * (r / 2) : r % 2 + 2 * (l % 4) + 8 * (r / 4);
}

static const struct { const char *name; int64_t columns, regs, most; } atoms[] = {
    {"16x64b", 2, 1, 128}, {"16x128b", 4, 2, 64}, {"16x256b", 8, 4, 32},
};

/* Every element of a 64- or 128-row fragment is in the lane and register that tcgen05.ld writes; 16-bit elements
 * share a register in pairs. */
static void fragments_follow_the_load_table(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    for (size_t i = 0; i < COUNT(atoms); i++)
        for (int64_t n = 1; n <= 16; n *= 4)
            for (int64_t rows = 64; rows <= 128; rows += 64)
                for (int64_t pack = 1; pack <= 2; pack++) {
                    const int64_t cols = n * atoms[i].columns * pack, halves = rows / 64, regs = n * atoms[i].regs;
                    const struct layout *l =
                        tw_tcgen05_atom_layout(&e, tw_str(atoms[i].name), rows, cols, 32 / (uint32_t)pack);
                    assert_non_null(l);
                    assert_int_equal(tw_layout_span(l, AXIS_M), regs * halves * pack);
                    for (int64_t w = 0; w < 4; w++)
                        for (int64_t h = 0; h < halves; h++)
                            for (int64_t lane = 0; lane < 32; lane++)
                                for (int64_t r = 0; r < regs * pack; r++) {
                                    const int64_t reg = r / pack;
                                    const int64_t row = 16 * halves * w + 16 * h + atom_row(atoms[i].name, lane, reg);
                                    const int64_t col = pack * atom_col(atoms[i].name, lane, reg) + r % pack;
                                    int64_t at[AXIS_COUNT];
                                    tw_layout_eval(l, row * cols + col, at);
                                    assert_int_equal(at[AXIS_WID_IN_WG], w);
                                    assert_int_equal(at[AXIS_LANEID], lane);
                                    assert_int_equal(at[AXIS_M], (regs * h + reg) * pack + r % pack);
                                }
                }
}

static void fragment_samples_are_reached(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *name; int64_t lane, reg; } rows[] = {{"16x64b", 7, 8}, {"16x128b", 5, 9}, {".16x256b", 4, 11}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t at[AXIS_COUNT];
        tw_layout_eval(tw_tcgen05_atom_layout(&e, tw_str(rows[i].name), 64, 64, 32), 25 * 64 + 17, at);
        assert_int_equal(at[AXIS_WID_IN_WG], 1);
        assert_int_equal(at[AXIS_LANEID], rows[i].lane);
        assert_int_equal(at[AXIS_M], rows[i].reg);
    }
}

static void fragments_have_the_described_layouts(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *name; int64_t rows, cols; uint32_t bits; const char *layout; } rows[] = {
        {"32x32b", 128, 64, 32, "S[(128,64):(1@tid_in_wg,1)]"},
        {"32x32b", 128, 64, 16, "S[(128,64):(1@tid_in_wg,1)]"},
        {"32x32b", 64, 64, 32, "S[(64,2,32):(1@tid_in_wg,64@tid_in_wg,1)]"},
        {"16x64b", 64, 64, 32, "S[(4,2,8,32,2):(1@wid_in_wg,1@laneid,4@laneid,1,2@laneid)]"},
        {"16x128b", 64, 64, 32, "S[(4,2,8,16,4):(1@wid_in_wg,1,4@laneid,2,1@laneid)]"},
        {"16x256b", 64, 32, 32, "S[(4,2,8,4,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]"},
        {"16x256b", 64, 64, 16, "S[(4,2,8,4,4,2,2):(1@wid_in_wg,4,4@laneid,8,1@laneid,2,1)]"},
        {"16x256b", 128, 32, 32, "S[(4,2,2,8,4,4,2):(1@wid_in_wg,16,2,4@laneid,4,1@laneid,1)]"},
        {"16x128b", 128, 16, 32, "S[(4,2,2,8,4,4):(1@wid_in_wg,8,1,4@laneid,2,1@laneid)]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_layout(&e, tw_tcgen05_atom_layout(&e, tw_str(rows[i].name), rows[i].rows, rows[i].cols, rows[i].bits),
                      rows[i].layout);
}

static void the_largest_repeat_is_the_shapes(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = {.arena = &room->arena};
    for (size_t i = 0; i < COUNT(atoms); i++) {
        const struct str name = tw_str(atoms[i].name);
        assert_non_null(tw_tcgen05_atom_layout(&e, name, 64, atoms[i].columns * atoms[i].most, 32));
        assert_null(tw_tcgen05_atom_layout(&e, name, 64, atoms[i].columns * atoms[i].most * 2, 32));
        assert_null(tw_tcgen05_atom_layout(&e, name, 64, atoms[i].columns * 3, 32));
        assert_null(tw_tcgen05_atom_layout(&e, name, 64, 0, 32));
        assert_null(tw_tcgen05_atom_layout(&e, name, 32, atoms[i].columns, 32));
    }
    assert_non_null(tw_tcgen05_atom_layout(&e, STR("32x32b"), 128, 128, 32));
    assert_null(tw_tcgen05_atom_layout(&e, STR("32x32b"), 128, 256, 32));
    assert_non_null(tw_tcgen05_atom_layout(&e, STR("32x32b"), 128, 256, 16));
    assert_null(tw_tcgen05_atom_layout(&e, STR("32x32b"), 64, 64, 16));
}

static void other_register_layouts_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    assert_null(tw_tcgen05_atom_layout(&e, STR("16x32bx2"), 64, 64, 32));
    assert_null(tw_tcgen05_atom_layout(&e, STR("16x64b"), 64, 6, 32));
    assert_null(tw_tcgen05_atom_layout(&e, STR("32x32b"), 64, 3, 32));
    assert_null(tw_tcgen05_atom_layout(&e, STR("16x64b"), 64, 64, 8));
    tw_test_expect_diags(room, "error[E0323]: no such tcgen05.ld shape\n"
                               "  expected: 32x32b, 16x64b, 16x128b or 16x256b\n"
                               "     found: '16x32bx2'\n"
                               "error[E0323]: no register layout of the shape '16x64b' fits\n"
                               "  expected: 64 or 128 rows by 2 * (1, 2, 4, ... 128) columns\n"
                               "     found: (64, 6) at 32 bits\n"
                               "error[E0323]: no register layout of the shape '32x32b' fits\n"
                               "  expected: 128 rows by 1 * (1, 2, 4, ... 128) columns, or 64 rows of 32 bits by twice that\n"
                               "     found: (64, 3) at 32 bits\n"
                               "error[E0323]: no register layout of the shape '16x64b' fits\n"
                               "  expected: elements of 16 or 32 bits\n"
                               "     found: (64, 64) at 8 bits\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_warpgroups_rows_are_its_threads),
        ROOM_TEST(fragments_follow_the_load_table),
        ROOM_TEST(fragment_samples_are_reached),
        ROOM_TEST(fragments_have_the_described_layouts),
        ROOM_TEST(the_largest_repeat_is_the_shapes),
        ROOM_TEST(other_register_layouts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
