#include "read_layout.h"

static void the_example_with_a_replica_evaluates_as_written(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l =
        read_layout(&e, "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[(2):(4@warpid)] + 5@warpid");
    const struct shape shape = SHAPE(8, 16);
    int64_t at[AXIS_COUNT];
    tw_layout_eval_at(l, &shape, (const int64_t[]){3, 13}, at);
    assert_int_equal(at[AXIS_LANEID], 14);
    assert_int_equal(at[AXIS_WARPID], 6);
    assert_int_equal(at[AXIS_M], 1);
    assert_int_equal(tw_layout_replicas(l), 2);
    tw_layout_eval_replica(l, 61, 1, at);
    assert_int_equal(at[AXIS_LANEID], 14);
    assert_int_equal(at[AXIS_WARPID], 10);
    assert_int_equal(at[AXIS_M], 1);
    assert_int_equal(tw_layout_size(l), 128);
    assert_int_equal(tw_layout_axes(l), AXIS_BIT(AXIS_LANEID) | AXIS_BIT(AXIS_WARPID) | AXIS_BIT(AXIS_M));
}

static void digits_can_be_given_directly(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + 5@warpid");
    int64_t at[AXIS_COUNT];
    tw_layout_eval_digits(l, (const int64_t[]){3, 1, 2, 1}, at);
    assert_int_equal(at[AXIS_LANEID], 14);
    assert_int_equal(at[AXIS_WARPID], 6);
    assert_int_equal(at[AXIS_M], 1);
}

static void any_shape_of_equal_size_is_admitted(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(6,4):(1,6)]");
    const struct shape shape = SHAPE(2, 12);
    for (int64_t i = 0; i < 2; i++)
        for (int64_t j = 0; j < 12; j++) {
            const int64_t flat = 12 * i + j;
            int64_t at[AXIS_COUNT];
            tw_layout_eval_at(l, &shape, (const int64_t[]){i, j}, at);
            assert_int_equal(at[AXIS_M], flat / 4 + 6 * (flat % 4));
            assert_int_equal(tw_layout_axis_value(l, flat, AXIS_M), flat / 4 + 6 * (flat % 4));
        }
}

/* span(axis) = 1 + sum of (e-1)*s over shard and replica iters + offset. */
static void spans_count_iters_replicas_and_offset(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l =
        read_layout(&e, "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[(2):(4@warpid)] + 5@warpid + 3");
    assert_int_equal(tw_layout_span(l, AXIS_LANEID), 32);
    assert_int_equal(tw_layout_span(l, AXIS_WARPID), 1 + 1 + 4 + 5);
    assert_int_equal(tw_layout_span(l, AXIS_M), 1 + 1 + 3);
    assert_int_equal(tw_layout_span(l, AXIS_TCOL), 1);
    assert_int_equal(tw_layout_span_memory(l), 5);
    const struct layout *t = read_layout(&e, "S[(64,2,8):(1@TLane,64@TLane,2@TCol)]");
    assert_int_equal(tw_layout_span_memory(t), 1 + 127 + 14);
    assert_int_equal(tw_layout_low(read_layout(&e, "S[(4,3):(-2,5)] + 1"), AXIS_M), -5);
    assert_int_equal(tw_layout_span(read_layout(&e, "S[(4,3):(-2,5)] + 1"), AXIS_M), 12);
}

static void storage_is_the_memory_part(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *fragment = read_layout(&e, "S[(128,64):(1@tid_in_wg,1)]");
    expect_layout(&e, tw_layout_storage(&e, fragment), "S[(64):(1)]");
    const struct layout *mixed = read_layout(&e, "S[(8,2,4,2):(4@laneid,7,1@laneid,1)] + R[(2):(4@warpid)] + 5@warpid + 9");
    expect_layout(&e, tw_layout_storage(&e, mixed), "S[(2,2):(7,1)] + 9");
    expect_layout(&e, tw_layout_storage(&e, read_layout(&e, "S[(32):(1@laneid)]")), "S[(1):(1)]");
}

static void allocations_round_up_to_the_swizzle_period(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    assert_int_equal(tw_layout_alloc_elems(read_layout(&e, "S[(3,100):(100,1)]")), 300);
    assert_int_equal(tw_layout_alloc_elems(read_layout(&e, "swizzle(3,3,3) S[(8192):(1)]")), 8192);
    assert_int_equal(tw_layout_alloc_elems(read_layout(&e, "swizzle(3,3,3) S[(520):(1)]")), 1024);
}

/* 6.8: f16 mode 3 (128,64); address in elements. */
static void a_swizzled_layout_maps_the_sample_elements(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "swizzle(3,3,3) S[(8192):(1)]");
    static const int64_t rows[][3] = {{0, 0, 0},    {1, 0, 72},   {1, 8, 64},   {2, 0, 144},
                                      {7, 63, 455}, {8, 0, 512},  {9, 9, 577},  {127, 63, 8135}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_layout_address(l, rows[i][0] * 64 + rows[i][1]), rows[i][2]);
    for (int64_t r = 0; r < 128; r++)
        for (int64_t c = 0; c < 64; c++) {
            int64_t at[AXIS_COUNT];
            tw_layout_eval(l, 64 * r + c, at);
            assert_int_equal(at[AXIS_M], 64 * r + 8 * ((c / 8) ^ (r % 8)) + c % 8);
            assert_int_equal(tw_layout_address(l, 64 * r + c), at[AXIS_M]);
            assert_int_equal(tw_layout_preswizzle(l, 64 * r + c), 64 * r + c);
        }
}

static void an_offset_is_added_before_the_swizzle(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "swizzle(3,3,3) S[(64):(1)] + 64");
    assert_int_equal(tw_layout_preswizzle(l, 0), 64);
    assert_int_equal(tw_layout_address(l, 0), 72);
}

static void the_default_layout_is_row_major(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape shape = SHAPE(3, 128, 64);
    expect_layout(&e, tw_layout_default(&e, &shape), "S[(3,128,64):(8192,64,1)]");
    const struct shape one = SHAPE(1);
    expect_layout(&e, tw_layout_default(&e, &one), "S[(1):(1)]");
}

static void a_bare_swizzle_has_the_trivial_tile(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = tw_layout_compose(&e, &(struct swizzle){3, 3, 3, true}, NULL);
    expect_layout(&e, l, "swizzle(3,3,3) S[(512):(1)]");
    assert_true(tw_layout_is_bare_swizzle(l));
    assert_false(tw_layout_is_bare_swizzle(read_layout(&e, "swizzle(3,3,3) S[(1024):(1)]")));
    assert_false(tw_layout_is_bare_swizzle(read_layout(&e, "S[(512):(1)]")));
    expect_layout(&e, tw_layout_tile_of(&e, l), "S[(512):(1)]");
}

static void the_hardware_mode_of_a_layout_depends_on_the_width(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    enum swizzle_mode mode;
    const struct layout *l = read_layout(&e, "swizzle(3,3,3) S[(8192):(1)]");
    assert_true(tw_layout_swizzle_mode(l, 16, &mode));
    assert_int_equal(mode, SWIZZLE_128B);
    assert_false(tw_layout_swizzle_mode(l, 8, &mode));
    assert_true(tw_layout_swizzle_mode(read_layout(&e, "S[(8192):(1)]"), 8, &mode));
    assert_int_equal(mode, SWIZZLE_NONE);
    assert_true(tw_layout_swizzle_mode(read_layout(&e, "swizzle(3,2,2) S[(4096):(1)]"), 32, &mode));
    assert_int_equal(mode, SWIZZLE_128B_ATOM32);
    const struct layout *outer =
        tw_layout_compose(&e, &(struct swizzle){3, 3, 3, false}, read_layout(&e, "S[(8192):(1)]"));
    assert_false(tw_layout_swizzle_mode(outer, 16, &mode));
}

static void layouts_print_in_the_languages_syntax(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *layout, *text; } rows[] = {
        {"S[(8,4):(4@laneid,1)]", "S[(8, 4):(4@laneid, 1)]"},
        {"S[(8):(4@laneid)] + R[(4):(32@TLane)] + 5@warpid + 64", "S[(8):(4@laneid)] + R[(4):(32@TLane)] + 5@warpid + 64"},
        {"S[(2,4):(-3,1)] + -2@TCol", "S[(2, 4):(-3, 1)] + -2@TCol"},
        {"swizzle(3,3,3) S[(8192):(1)] + 64", "ComposeLayout(3, 3, 3, TileLayout(S[(8192):(1)] + 64))"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(tw_layout_text(&room->arena, read_layout(&e, rows[i].layout)), rows[i].text);
    const struct layout *outer = tw_layout_compose(&e, &(struct swizzle){1, 2, 3, false}, NULL);
    assert_string_equal(tw_layout_text(&room->arena, outer),
                        "ComposeLayout(1, 2, 3, TileLayout(S[(64):(1)]), swizzle_inner=False)");
}

static void shapes_print_as_tuples(void **state)
{
    struct bench_room *room = *state;
    const struct shape one = SHAPE(64), two = SHAPE(128, 64);
    assert_string_equal(tw_shape_text(&room->arena, &one), "(64,)");
    assert_string_equal(tw_shape_text(&room->arena, &two), "(128, 64)");
}

static void flat_indices_and_coordinates_convert(void **state)
{
    (void)state;
    const struct shape shape = SHAPE(3, 4, 5);
    int64_t coord[TW_MAX_RANK];
    for (int64_t flat = 0; flat < 60; flat++) {
        tw_shape_split(&shape, flat, coord);
        assert_int_equal(coord[0] * 20 + coord[1] * 5 + coord[2], flat);
        assert_int_equal(tw_shape_flat(&shape, coord), flat);
    }
}

/* ---- what is refused ---- */

struct refused {
    struct layout_parts parts;
    const char *text;
};

static void malformed_layouts_are_refused(void **state)
{
    static const struct iter empty[] = {{4, 1, AXIS_M}, {0, 1, AXIS_M}};
    static const struct iter huge[] = {{INT64_C(1) << 40, 1, AXIS_M}, {INT64_C(1) << 40, 1, AXIS_M}};
    static const struct iter far[] = {{3, INT64_MAX, AXIS_M}};
    static const struct iter good[] = {{64, 1, AXIS_M}};
    static const struct iter lanes[] = {{32, 1, AXIS_LANEID}};
    static const struct swizzle overlapping = {3, 3, 2, true}, plain = {3, 3, 3, true};
    static const struct iter many[TW_MAX_ITERS + 1];
    static const struct refused rows[] = {
        {{.shard_count = 0}, "error[E0302]: a layout has no iters\n"
                             "  expected: S[extents : strides] with one iter or more\n"},
        {{.shard_count = 2, .shard = empty}, "error[E0302]: an iter of a layout has no elements\n"
                                             "  expected: an extent of at least 1\n"
                                             "     found: extent 0\n"},
        {{.shard_count = 2, .shard = huge}, "error[E0303]: a layout is too large\n"
                                            "  expected: fewer than 2**48 elements, and coordinates below 2**48\n"
                                            "       fix: check the extents and strides\n"},
        {{.shard_count = 1, .shard = far}, "error[E0303]: a layout is too large\n"
                                           "  expected: fewer than 2**48 elements, and coordinates below 2**48\n"
                                           "       fix: check the extents and strides\n"},
        {{.shard_count = 1, .shard = good, .offset = {[AXIS_M] = INT64_MIN}},
         "error[E0303]: a layout is too large\n"
         "  expected: fewer than 2**48 elements, and coordinates below 2**48\n"
         "       fix: check the extents and strides\n"},
        {{.shard_count = TW_MAX_ITERS + 1, .shard = many}, "error[E0303]: a layout has too many iters\n"
                                                           "  expected: at most 64\n"
                                                           "     found: 65\n"},
        {{.shard_count = 1, .shard = good, .swizzle = &overlapping},
         "error[E0304]: a swizzle's lengths do not fit together\n"
         "  expected: swizzle_len <= atom_len, and per_element + swizzle_len + atom_len <= 40\n"
         "     found: per_element=3, swizzle_len=3, atom_len=2\n"},
        {{.shard_count = 1, .shard = lanes, .swizzle = &plain}, "error[E0304]: a swizzled layout uses an axis other than m\n"
                                                                "  expected: a tile layout on the axis m alone\n"
                                                                "     found: the axis laneid\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *room = *state;
        const struct layout_env e = env_of(room);
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_null(tw_layout_make(&e, &rows[i].parts));
        tw_test_expect_diags(room, rows[i].text);
    }
}

static void an_unknown_axis_is_refused_with_a_suggestion(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    assert_int_equal(tw_layout_axis_named(&e, STR("TCol")), AXIS_TCOL);
    assert_int_equal(tw_layout_axis_named(&e, STR("landid")), AXIS_COUNT);
    assert_int_equal(tw_layout_axis_named(&e, STR("Partition")), AXIS_COUNT);
    tw_test_expect_diags(room, "error[E0301]: there is no axis 'landid'\n"
                               "  expected: laneid, warpid, wid_in_wg, tid_in_wg, wgid, tx, cbx, cby, cbz, bx, by, bz, m, "
                               "TLane or TCol\n"
                               "       fix: write 'laneid'\n"
                               "error[E0301]: there is no axis 'Partition'\n"
                               "  expected: laneid, warpid, wid_in_wg, tid_in_wg, wgid, tx, cbx, cby, cbz, bx, by, bz, m, "
                               "TLane or TCol\n");
}

static void strides_are_as_many_as_extents(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const int64_t extents[TW_MAX_ITERS + 1] = {8, 4, 2};
    const struct step strides[TW_MAX_ITERS + 1] = {{4, AXIS_LANEID}, {1, AXIS_LANEID}, {1, AXIS_M}};
    struct iter iters[TW_MAX_ITERS];
    assert_true(tw_layout_pair(&e, 3, extents, 3, strides, iters));
    expect_layout(&e, tw_layout_make(&e, &(struct layout_parts){.shard_count = 3, .shard = iters}),
                  "S[(8,4,2):(4@laneid,1@laneid,1)]");
    assert_false(tw_layout_pair(&e, 3, extents, 2, strides, iters));
    assert_false(tw_layout_pair(&e, TW_MAX_ITERS + 1, extents, TW_MAX_ITERS + 1, strides, iters));
    tw_test_expect_diags(room, "error[E0302]: a layout has not as many strides as extents\n"
                               "  expected: 3 strides\n"
                               "     found: 2\n"
                               "error[E0303]: a layout has too many iters\n"
                               "  expected: at most 64\n"
                               "     found: 65\n");
}

static void a_swizzle_of_a_swizzle_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "swizzle(3,3,3) S[(8192):(1)]");
    assert_null(tw_layout_compose(&e, &(struct swizzle){3, 3, 3, true}, l));
    tw_test_expect_diags(room, "error[E0304]: a swizzle is put around a swizzled layout\n"
                               "  expected: a TileLayout\n"
                               "     found: ComposeLayout(3, 3, 3, TileLayout(S[(8192):(1)]))\n");
}

static void malformed_shapes_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    struct shape out;
    assert_false(tw_shape_make(&e, 0, NULL, &out));
    assert_false(tw_shape_make(&e, 2, (const int64_t[]){4, -1}, &out));
    assert_false(tw_shape_make(&e, 2, (const int64_t[]){INT64_MAX, 3}, &out));
    assert_false(tw_shape_make(&e, 17, (const int64_t[17]){0}, &out));
    tw_test_expect_diags(room, "error[E0302]: a shape has the wrong number of dimensions\n"
                               "  expected: 1 to 16\n"
                               "     found: 0\n"
                               "error[E0302]: a shape has an empty dimension\n"
                               "  expected: extents of at least 1\n"
                               "     found: extent -1 of dimension 1\n"
                               "error[E0303]: a shape is too large\n"
                               "  expected: fewer than 2**48 elements\n"
                               "     found: (9223372036854775807, 3)\n"
                               "error[E0303]: a shape has the wrong number of dimensions\n"
                               "  expected: 1 to 16\n"
                               "     found: 17\n");
}

static void without_diagnostics_a_refusal_is_silent(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = {.arena = &room->arena};
    assert_null(tw_layout_make(&e, &(struct layout_parts){.shard_count = 0}));
    tw_test_expect_diags(room, "");
}

static void a_diagnostic_points_at_the_expression(void **state)
{
    struct bench_room *room = *state;
    struct layout_env e = env_of(room);
    const uint32_t file = tw_sources_add(&room->sources, "k.py", STR("L = TileLayout(S[4:0])\n"));
    e.at = (struct src_span){file, 4, 22};
    tw_layout_make(&e, &(struct layout_parts){.shard_count = 1, .shard = (const struct iter[]){{-4, 0, AXIS_M}}});
    tw_test_expect_diags(room, "k.py:1:5: error[E0302]: an iter of a layout has no elements\n"
                               "    1 | L = TileLayout(S[4:0])\n"
                               "      |     ^~~~~~~~~~~~~~~~~~\n"
                               "  expected: an extent of at least 1\n"
                               "     found: extent -4\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_example_with_a_replica_evaluates_as_written),
        ROOM_TEST(digits_can_be_given_directly),
        ROOM_TEST(any_shape_of_equal_size_is_admitted),
        ROOM_TEST(spans_count_iters_replicas_and_offset),
        ROOM_TEST(storage_is_the_memory_part),
        ROOM_TEST(allocations_round_up_to_the_swizzle_period),
        ROOM_TEST(a_swizzled_layout_maps_the_sample_elements),
        ROOM_TEST(an_offset_is_added_before_the_swizzle),
        ROOM_TEST(the_default_layout_is_row_major),
        ROOM_TEST(a_bare_swizzle_has_the_trivial_tile),
        ROOM_TEST(the_hardware_mode_of_a_layout_depends_on_the_width),
        ROOM_TEST(layouts_print_in_the_languages_syntax),
        ROOM_TEST(shapes_print_as_tuples),
        ROOM_TEST(flat_indices_and_coordinates_convert),
        ROOM_TEST(malformed_layouts_are_refused),
        ROOM_TEST(an_unknown_axis_is_refused_with_a_suggestion),
        ROOM_TEST(strides_are_as_many_as_extents),
        ROOM_TEST(a_swizzle_of_a_swizzle_is_refused),
        ROOM_TEST(malformed_shapes_are_refused),
        ROOM_TEST(without_diagnostics_a_refusal_is_silent),
        ROOM_TEST(a_diagnostic_points_at_the_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
