#include "read_layout.h"

#include "layout/factory.h"

/* Lane and column of every data path, from the tables of the tcgen05 reference, 6.1 (one CTA's rows). */
static void data_paths_map_as_the_tables_say(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { char letter; int64_t rows, banks; bool scattered; } paths[] = {
        {'A', 128, 1, false}, {'B', 64, 2, false}, {'C', 64, 1, true}, {'D', 128, 1, false},
        {'E', 64, 2, false},  {'F', 64, 1, true},  {'G', 32, 4, false},
    };
    for (size_t i = 0; i < COUNT(paths); i++)
        for (int64_t n = 4; n <= 256; n += 60) {
            const struct layout *l = tw_tmem_datapath_layout(&e, paths[i].letter, paths[i].rows, n, 0);
            assert_non_null(l);
            for (int64_t r = 0; r < paths[i].rows; r++)
                for (int64_t c = 0; c < n; c++) {
                    int64_t at[AXIS_COUNT];
                    tw_layout_eval(l, r * n + c, at);
                    const int64_t width = n / paths[i].banks, lane = paths[i].scattered ? 32 * (r / 16) + r % 16 : r;
                    assert_int_equal(at[AXIS_TLANE], lane + paths[i].rows * (c / width));
                    assert_int_equal(at[AXIS_TCOL], c % width);
                }
        }
}

static void data_path_samples_are_reached(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { char letter; int64_t rows, n, r, c, lane, col; } rows[] = {
        {'F', 64, 64, 0, 0, 0, 0},       {'F', 64, 64, 15, 0, 15, 0},    {'F', 64, 64, 16, 0, 32, 0},
        {'F', 64, 64, 40, 0, 72, 0},     {'F', 64, 64, 63, 0, 111, 0},   {'B', 64, 128, 10, 3, 10, 3},
        {'B', 64, 128, 10, 67, 74, 3},   {'B', 64, 128, 63, 127, 127, 63}, {'B', 64, 16, 10, 11, 74, 3},
        {'E', 64, 64, 63, 63, 127, 31},  {'F', 64, 64, 63, 63, 111, 63}, {'G', 32, 64, 31, 63, 127, 15},
        {'C', 64, 64, 63, 63, 111, 63},  {'B', 64, 64, 63, 63, 127, 31},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t at[AXIS_COUNT];
        const struct layout *l = tw_tmem_datapath_layout(&e, rows[i].letter, rows[i].rows, rows[i].n, 0);
        tw_layout_eval(l, rows[i].r * rows[i].n + rows[i].c, at);
        assert_int_equal(at[AXIS_TLANE], rows[i].lane);
        assert_int_equal(at[AXIS_TCOL], rows[i].col);
    }
}

static void data_paths_have_the_described_layouts(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { char letter; int64_t rows, n, slab; const char *layout; } rows[] = {
        {'A', 128, 256, 0, "S[(128,256):(1@TLane,1@TCol)]"},
        {'B', 64, 128, 0, "S[(64,2,64):(1@TLane,64@TLane,1@TCol)]"},
        {'D', 128, 64, 0, "S[(128,64):(1@TLane,1@TCol)]"},
        {'F', 64, 64, 0, "S[(4,16,64):(32@TLane,1@TLane,1@TCol)]"},
        {'F', 64, 64, 1, "S[(4,16,64):(32@TLane,1@TLane,1@TCol)] + 16@TLane"},
        {'C', 64, 64, 1, "S[(4,16,64):(32@TLane,1@TLane,1@TCol)] + 16@TLane"},
        {'G', 32, 64, 0, "S[(32,4,16):(1@TLane,32@TLane,1@TCol)]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_layout(&e, tw_tmem_datapath_layout(&e, rows[i].letter, rows[i].rows, rows[i].n, rows[i].slab),
                      rows[i].layout);
}

static void what_no_data_path_has_is_refused(void **state)
{
    static const struct { char letter; int64_t rows, n, slab; const char *text; } rows[] = {
        {'H', 128, 64, 0, "error[E0320]: no such data path\n"
                          "  expected: a letter from A to G\n"
                          "     found: 'H'\n"},
        {'\n', 128, 64, 0, "error[E0320]: no such data path\n"
                           "  expected: a letter from A to G\n"
                           "     found: the byte 0x0a\n"},
        {'F', 128, 64, 0, "error[E0320]: data path F has another number of rows\n"
                          "  expected: 64 rows\n"
                          "     found: 128\n"},
        {'B', 64, 63, 0, "error[E0320]: data path B cannot hold that many columns\n"
                         "  expected: a multiple of 2: the columns are folded over 2 banks of lanes\n"
                         "     found: 63\n"},
        {'G', 32, 66, 0, "error[E0320]: data path G cannot hold that many columns\n"
                         "  expected: a multiple of 4: the columns are folded over 4 banks of lanes\n"
                         "     found: 66\n"},
        {'D', 128, 0, 0, "error[E0320]: data path D cannot hold that many columns\n"
                         "  expected: at least 1 column\n"
                         "     found: 0\n"},
        {'D', 128, 64, 1, "error[E0320]: data path D has no such sub-slab\n"
                          "  expected: sub_slab 0; only C and F leave half of their lanes free\n"
                          "     found: sub_slab 1\n"},
        {'F', 64, 64, 2, "error[E0320]: data path F has no such sub-slab\n"
                         "  expected: sub_slab 0 or 1\n"
                         "     found: sub_slab 2\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *room = *state;
        const struct layout_env e = env_of(room);
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_null(tw_tmem_datapath_layout(&e, rows[i].letter, rows[i].rows, rows[i].n, rows[i].slab));
        tw_test_expect_diags(room, rows[i].text);
    }
}

/* ---- MMA operands ---- */

static const struct shape group_4_2_8 = {3, {4, 2, 8}};

static void operands_are_those_of_the_table(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { struct tmem_operand o; const char *layout; } rows[] = {
        {{'D', {2, {128, 64}}, 32, 128, 1, false, false, NULL}, "S[(128,64):(1@TLane,1@TCol)]"},
        {{'D', {2, {128, 64}}, 32, 256, 2, false, false, NULL}, "S[(128,64):(1@TLane,1@TCol)]"},
        {{'D', {2, {128, 64}}, 32, 128, 1, true, false, NULL}, "S[(128,64):(1@TLane,1@TCol)]"},
        {{'D', {2, {64, 32}}, 32, 64, 1, false, false, NULL}, "S[(4,16,32):(32@TLane,1@TLane,1@TCol)]"},
        {{'D', {2, {64, 64}}, 32, 64, 1, true, false, NULL}, "S[(64,2,32):(1@TLane,64@TLane,1@TCol)]"},
        {{'D', {2, {64, 64}}, 32, 128, 2, false, false, NULL}, "S[(64,2,32):(1@TLane,64@TLane,1@TCol)]"},
        {{'D', {3, {2, 64, 32}}, 32, 128, 2, false, false, NULL}, "S[(2,64,32):(64@TLane,1@TLane,1@TCol)]"},
        {{'D', {3, {64, 2, 32}}, 32, 64, 1, true, false, NULL}, "S[(64,2,32):(1@TLane,64@TLane,1@TCol)]"},
        {{'D', {4, {64, 4, 2, 8}}, 32, 64, 1, true, false, NULL}, "S[(64,4,2,8):(1@TLane,8@TCol,64@TLane,1@TCol)]"},
        {{'D', {2, {64, 64}}, 32, 64, 1, true, false, &group_4_2_8}, "S[(64,4,2,8):(1@TLane,8@TCol,64@TLane,1@TCol)]"},
        /* one 32-bit cell an accumulator: a 16-bit D has a TCol stride of two */
        {{'D', {2, {128, 64}}, 16, 128, 1, false, false, NULL}, "S[(128,64):(1@TLane,2@TCol)]"},
        {{'D', {2, {64, 64}}, 16, 64, 1, true, false, NULL}, "S[(64,2,32):(1@TLane,64@TLane,2@TCol)]"},
        {{'D', {4, {64, 4, 2, 8}}, 16, 64, 1, true, false, NULL}, "S[(64,4,2,8):(1@TLane,16@TCol,64@TLane,2@TCol)]"},
        {{'A', {2, {128, 16}}, 16, 128, 1, false, false, NULL}, "S[(128,16):(1@TLane,1@TCol)]"},
        {{'A', {2, {128, 32}}, 8, 256, 2, false, false, NULL}, "S[(128,32):(1@TLane,1@TCol)]"},
        {{'A', {2, {64, 16}}, 16, 64, 1, false, false, NULL}, "S[(4,16,16):(32@TLane,1@TLane,1@TCol)]"},
        {{'A', {2, {64, 16}}, 16, 128, 2, false, false, NULL}, "S[(64,16):(1@TLane,1@TCol)] + R[(2):(64@TLane)]"},
        {{'A', {3, {2, 64, 16}}, 16, 128, 2, false, false, NULL}, "S[(2,64,16):(64@TLane,1@TLane,1@TCol)]"},
        {{'A', {3, {2, 64, 16}}, 16, 64, 1, true, false, NULL}, "S[(2,64,16):(64@TLane,1@TLane,1@TCol)]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct layout *l = tw_tmem_mma_operand_layout(&e, &rows[i].o);
        assert_non_null(l);
        assert_true(tw_layout_same_function(&room->arena, l, read_layout(&e, rows[i].layout)));
        expect_layout(&e, l, tw_layout_text(&room->arena, tw_layout_canonical(&e, read_layout(&e, rows[i].layout))));
    }
}

static void the_data_path_follows_m_group_and_form(void **state)
{
    (void)state;
    static const struct { int64_t m, group; bool ws; char letter; } rows[] = {
        {128, 1, false, 'D'}, {64, 1, false, 'F'}, {64, 1, true, 'E'},  {128, 1, true, 'D'}, {256, 2, false, 'A'},
        {128, 2, false, 'B'}, {64, 2, false, 0},   {256, 1, false, 0},  {128, 2, true, 0},   {32, 1, true, 0},
        {128, 3, false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_tmem_datapath(rows[i].m, rows[i].group, rows[i].ws), rows[i].letter);
}

static void operands_that_do_not_exist_are_refused(void **state)
{
    static const struct { struct tmem_operand o; const char *text; } rows[] = {
        {{'B', {2, {128, 64}}, 16, 128, 1, false, false, NULL},
         "error[E0321]: only D and A can be in tensor memory\n"
         "  expected: 'D' or 'A'\n"
         "     found: 'B'\n"
         "       fix: give B a shared-memory layout: mma_shared_layout(dtype, mode, shape)\n"},
        {{'D', {2, {128, 64}}, 32, 128, 1, false, true, NULL}, "error[E0321]: sparse instructions have no operand layout here\n"
                                                               "  expected: sparse=False\n"
                                                               "     found: M=128, cta_group=1, sparse=True\n"},
        {{'D', {2, {128, 64}}, 32, 256, 2, true, false, NULL},
         "error[E0321]: no dense instruction has that M in that form\n"
         "  expected: M 64 or 128 with cta_group 1 (also with ws), M 128 or 256 with cta_group 2\n"
         "     found: M=256, cta_group=2, ws=True\n"},
        {{'D', {2, {64, 64}}, 32, 128, 1, false, false, NULL},
         "error[E0321]: operand D of data path D does not have that shape\n"
         "  expected: (128, N)\n"
         "     found: (64, 64)\n"},
        {{'D', {2, {64, 63}}, 32, 128, 2, false, false, NULL},
         "error[E0321]: operand D of data path B does not have that shape\n"
         "  expected: (64, N) with even N, (2, 64, n), (64, 2, n) or (64, s, 2, n)\n"
         "     found: (64, 63)\n"},
        {{'D', {3, {2, 64, 32}}, 32, 64, 1, false, false, NULL},
         "error[E0321]: operand D of data path F does not have that shape\n"
         "  expected: (64, N)\n"
         "     found: (2, 64, 32)\n"},
        {{'D', {2, {128, 64}}, 8, 128, 1, false, false, NULL}, "error[E0321]: no accumulator has this width\n"
                                                               "  expected: 16 or 32 bits\n"
                                                               "     found: 8 bits\n"},
        {{'D', {2, {64, 60}}, 32, 64, 1, true, false, &group_4_2_8},
         "error[E0321]: data path E does not group its columns so\n"
         "  expected: group=(s, 2, n) for a shape (64, s*2*n)\n"
         "     found: group=(4, 2, 8) for (64, 60)\n"},
        {{'D', {2, {128, 64}}, 32, 128, 1, false, false, &group_4_2_8},
         "error[E0321]: data path D does not group its columns so\n"
         "  expected: no group: the columns are not folded\n"
         "     found: group=(4, 2, 8) for (128, 64)\n"},
        {{'A', {2, {64, 16}}, 16, 64, 1, true, false, NULL},
         "error[E0321]: operand A of data path E does not have that shape\n"
         "  expected: (2, 64, K): the two banks of lanes hold their own copies\n"
         "     found: (64, 16)\n"},
        {{'A', {2, {32, 16}}, 16, 128, 2, false, false, NULL},
         "error[E0321]: operand A of data path B does not have that shape\n"
         "  expected: (64, K) or (2, 64, K)\n"
         "     found: (32, 16)\n"},
        {{'A', {3, {2, 64, 16}}, 16, 64, 1, false, false, NULL},
         "error[E0321]: operand A of data path F does not have that shape\n"
         "  expected: (64, K)\n"
         "     found: (2, 64, 16)\n"},
        {{'A', {2, {128, 16}}, 6, 128, 1, false, false, NULL},
         "error[E0321]: no tensor-memory operand A has this width\n"
         "  expected: 4, 8, 16 or 32 bits (6-bit types are stored in 8-bit containers)\n"
         "     found: 6 bits\n"},
        {{'A', {2, {128, 64}}, 16, 128, 1, false, false, &group_4_2_8}, "error[E0321]: operand A has no column groups\n"
                                                                        "  expected: group for D only\n"},
        {{'D', {2, {128, 0}}, 32, 128, 1, false, false, NULL}, "error[E0302]: a shape has an empty dimension\n"
                                                               "  expected: extents of at least 1\n"
                                                               "     found: extent 0 of dimension 1\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *room = *state;
        const struct layout_env e = env_of(room);
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_null(tw_tmem_mma_operand_layout(&e, &rows[i].o));
        tw_test_expect_diags(room, rows[i].text);
    }
}

/* ---- scale factors ---- */

static void scale_factor_samples_are_reached(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = tw_sf_tmem_layout(&e, &(struct scale_layout){128, 4, 4, 0, 0});
    static const int64_t rows[][4] = {{33, 2, 1, 6}, {127, 3, 31, 15}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t at[AXIS_COUNT];
        tw_layout_eval(l, rows[i][0] * 4 + rows[i][1], at);
        assert_int_equal(at[AXIS_TLANE], rows[i][2]);
        assert_int_equal(at[AXIS_TCOL], rows[i][3]);
    }
}

/* lane = r%32 (+32*replica), byte column = 4*(r//32) + 4*R*(s//4) + s%4, R = rows/32; whatever sf_per_mma is. */
static void scale_factors_fill_cells_across_mmas(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    for (int64_t rows = 32; rows <= 256; rows += 32)
        for (int64_t per = 1; per <= 4; per *= 2)
            for (int64_t sf_k = per; sf_k <= 4 * per; sf_k += per) {
                /* a cell is shared by as many MMAs as divide their number */
                int64_t sharing = 4 / per;
                while (sf_k / per % sharing != 0)
                    sharing /= 2;
                const int64_t in_cell = per * sharing;
                const struct layout *l = tw_sf_tmem_layout(&e, &(struct scale_layout){rows, sf_k, per, 0, 0});
                assert_int_equal(tw_layout_replicas(l), 4);
                for (int64_t r = 0; r < rows; r++)
                    for (int64_t s = 0; s < sf_k; s++)
                        for (int64_t copy = 0; copy < 4; copy++) {
                            int64_t at[AXIS_COUNT];
                            tw_layout_eval_replica(l, r * sf_k + s, copy, at);
                            assert_int_equal(at[AXIS_TLANE], r % 32 + 32 * copy);
                            assert_int_equal(at[AXIS_TCOL], 4 * (r / 32) + rows / 8 * (s / in_cell) + s % in_cell);
                        }
            }
}

/* The description as a direct sum of the 32-row atom and an outer layout. */
static void scale_factors_are_a_direct_sum(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { int64_t sf_k, per; const char *outer; struct shape outer_shape; } rows[] = {
        {1, 1, "S[(4):(4@TCol)]", {2, {4, 1}}},
        {4, 1, "S[(4,4):(4@TCol,1@TCol)]", {2, {4, 4}}},
        {8, 1, "S[(4,2,4):(4@TCol,16@TCol,1@TCol)]", {2, {4, 8}}},
        {8, 2, "S[(4,2,2):(4@TCol,16@TCol,2@TCol)]", {2, {4, 4}}},
        {12, 4, "S[(4,3):(4@TCol,16@TCol)]", {2, {4, 3}}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int64_t per = rows[i].per;
        const struct iter atom_iters[] = {{32, 1, AXIS_TLANE}, {per, 1, AXIS_TCOL}}, copies = {4, 32, AXIS_TLANE};
        const struct layout *atom = tw_layout_make(
            &e, &(struct layout_parts){.shard_count = 2, .shard = atom_iters, .replica_count = 1, .replica = &copies});
        const struct shape atom_shape = SHAPE(32, per);
        const struct layout *want = tw_layout_direct_sum(&e, read_layout(&e, rows[i].outer), &rows[i].outer_shape, atom,
                                                         &atom_shape);
        const struct layout *got = tw_sf_tmem_layout(&e, &(struct scale_layout){128, rows[i].sf_k, per, 1, 0});
        assert_true(tw_layout_eq(&room->arena, got, want));
    }
}

static void scale_factor_stages_do_not_overlap(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *one = tw_sf_tmem_layout(&e, &(struct scale_layout){128, 4, 1, 0, 2});
    int64_t at[AXIS_COUNT];
    tw_layout_eval(one, 128 * 4, at);
    assert_int_equal(at[AXIS_TCOL], 16); /* 4R: one group a stage */
    const struct layout *two = tw_sf_tmem_layout(&e, &(struct scale_layout){128, 8, 1, 3, 2});
    assert_int_equal(tw_layout_size(two), 2 * 128 * 8 * 3);
    tw_layout_eval(two, 128 * 8 * 3, at);
    assert_int_equal(at[AXIS_TCOL], 32);
    tw_layout_eval(two, 2, at);
    assert_int_equal(at[AXIS_TCOL], 0); /* the reuse iter does not move */
}

static void scale_factors_that_fill_no_cells_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct scale_layout rows[] = {{48, 4, 4, 0, 0}, {128, 4, 3, 0, 0},  {128, 6, 4, 0, 0},
                                               {128, 0, 1, 0, 0}, {128, 4, 8, 0, 0}, {128, 4, 4, -1, 0}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_null(tw_sf_tmem_layout(&e, &rows[i]));
    assert_int_equal(room->diags.error_count, COUNT(rows));
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    assert_null(tw_sf_tmem_layout(&e, &rows[0]));
    tw_test_expect_diags(room, "error[E0322]: scale factors do not fill tensor-memory cells\n"
                               "  expected: rows in multiples of 32, sf_per_mma 1, 2 or 4, SF_K a multiple of it\n"
                               "     found: rows=48, SF_K=4, sf_per_mma=4\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(data_paths_map_as_the_tables_say),
        ROOM_TEST(data_path_samples_are_reached),
        ROOM_TEST(data_paths_have_the_described_layouts),
        ROOM_TEST(what_no_data_path_has_is_refused),
        ROOM_TEST(operands_are_those_of_the_table),
        ROOM_TEST(the_data_path_follows_m_group_and_form),
        ROOM_TEST(operands_that_do_not_exist_are_refused),
        ROOM_TEST(scale_factor_samples_are_reached),
        ROOM_TEST(scale_factors_fill_cells_across_mmas),
        ROOM_TEST(scale_factors_are_a_direct_sum),
        ROOM_TEST(scale_factor_stages_do_not_overlap),
        ROOM_TEST(scale_factors_that_fill_no_cells_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
