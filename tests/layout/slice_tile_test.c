#include "read_layout.h"

/* ---- slice (6.6) ---- */

/* Every element of the slice is where it was in the whole. */
static void expect_same_places(const struct layout *whole, const struct shape *shape, const struct layout *part,
                               const int64_t *begin, const int64_t *extent)
{
    const struct shape box = shape_of(shape->rank, extent);
    assert_non_null(part);
    assert_int_equal(tw_layout_size(part), tw_shape_elems(&box));
    for (int64_t flat = 0; flat < tw_shape_elems(&box); flat++) {
        int64_t c[TW_MAX_RANK], want[AXIS_COUNT], got[AXIS_COUNT];
        tw_shape_split(&box, flat, c);
        for (uint32_t d = 0; d < shape->rank; d++)
            c[d] += begin[d];
        tw_layout_eval_at(whole, shape, c, want);
        tw_layout_eval(part, flat, got);
        assert_memory_equal(got, want, sizeof got);
    }
}

static void a_dense_stage_slices_to_an_offset(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *whole = read_layout(&e, "S[(3,128,64):(8192,64,1)]");
    const struct shape shape = SHAPE(3, 128, 64);
    const int64_t begin[] = {1, 0, 0}, extent[] = {1, 128, 64};
    const struct layout *part = tw_layout_slice(&e, whole, &shape, begin, extent);
    assert_int_equal(part->offset[AXIS_M], 8192);
    assert_true(tw_layout_eq(&room->arena, part, read_layout(&e, "S[(1,8192):(8192,1)] + 8192")));
    expect_same_places(whole, &shape, part, begin, extent);
}

static void the_offset_of_a_swizzled_slice_stays_before_the_xor(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *whole = read_layout(&e, "swizzle(3,3,3) S[(8192):(1)]");
    const struct shape shape = SHAPE(128, 64);
    const int64_t begin[] = {3, 16}, extent[] = {9, 16};
    const struct layout *part = tw_layout_slice(&e, whole, &shape, begin, extent);
    expect_layout(&e, part, "swizzle(3,3,3) S[(9,16):(64,1)] + 208");
    expect_same_places(whole, &shape, part, begin, extent);
}

static void representable_ranges_slice(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct {
        const char *layout;
        struct shape shape;
        int64_t begin[3], extent[3];
    } rows[] = {
        {"S[(4,8):(100,1)]", {1, {32}}, {8}, {8}},          /* whole inner iters */
        {"S[(4,8):(100,1)]", {1, {32}}, {10}, {5}},         /* inside one inner iter */
        {"S[(4,8):(100,1)]", {1, {32}}, {8}, {24}},         /* to the end */
        {"S[(4,8):(100,1)]", {1, {32}}, {6}, {4}},          /* two halves across an end */
        {"S[(4,8):(1,50)]", {1, {32}}, {6}, {4}},           /* the same, with a step back */
        {"S[(3,4,8):(700,100,1)]", {1, {96}}, {38}, {4}},   /* halves in the last group of the outer iter */
        {"S[(4,16,8):(32@TLane,1@TLane,1@TCol)]", {2, {64, 8}}, {16, 2}, {32, 4}},
        {"S[(128,64):(1@tid_in_wg,1)] + R[(2):(4@wgid)]", {2, {128, 64}}, {32, 8}, {32, 8}},
        {"S[(8,8):(8,1)]", {2, {8, 8}}, {7, 7}, {1, 1}},
        {"S[(4,6):(6,1)]", {3, {4, 3, 2}}, {1, 1, 0}, {2, 2, 2}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct layout *whole = read_layout(&e, rows[i].layout);
        const struct layout *part = tw_layout_slice(&e, whole, &rows[i].shape, rows[i].begin, rows[i].extent);
        expect_same_places(whole, &rows[i].shape, part, rows[i].begin, rows[i].extent);
    }
}

static void ranges_that_no_iters_describe_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(4,8):(100,1)]");
    const struct shape shape = SHAPE(32);
    assert_null(tw_layout_slice(&e, l, &shape, (const int64_t[]){6}, (const int64_t[]){5}));
    assert_null(tw_layout_slice(&e, l, &shape, (const int64_t[]){7}, (const int64_t[]){4}));
    assert_null(tw_layout_slice(&e, read_layout(&e, "S[(4,8):(1@laneid,1)]"), &shape, (const int64_t[]){6},
                                (const int64_t[]){4}));
    /* two halves whose carry runs through the outer iter */
    const struct shape shape3 = SHAPE(96);
    assert_null(tw_layout_slice(&e, read_layout(&e, "S[(3,4,8):(700,100,1)]"), &shape3, (const int64_t[]){30},
                                (const int64_t[]){4}));
    tw_test_expect_diags(room, "error[E0308]: no layout describes elements 6:11 of dimension 0\n"
                               "  expected: a range inside one iter, or of whole inner iters\n"
                               "     found: S[(4, 8):(100, 1)]\n"
                               "       fix: split the range where an iter ends\n"
                               "error[E0308]: no layout describes elements 7:11 of dimension 0\n"
                               "  expected: a range inside one iter, or of whole inner iters\n"
                               "     found: S[(4, 8):(100, 1)]\n"
                               "       fix: split the range where an iter ends\n"
                               "error[E0308]: no layout describes elements 6:10 of dimension 0\n"
                               "  expected: a range inside one iter, or of whole inner iters\n"
                               "     found: S[(4, 8):(1@laneid, 1)]\n"
                               "       fix: split the range where an iter ends\n"
                               "error[E0308]: no layout describes elements 30:34 of dimension 0\n"
                               "  expected: a range inside one iter, or of whole inner iters\n"
                               "     found: S[(3, 4, 8):(700, 100, 1)]\n"
                               "       fix: split the range where an iter ends\n");
}

static void ranges_outside_the_shape_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(4,8):(8,1)]");
    const struct shape shape = SHAPE(4, 8);
    static const int64_t rows[][2] = {{-1, 2}, {0, 0}, {7, 2}, {8, 1}, {1, INT64_MAX}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_null(tw_layout_slice(&e, l, &shape, (const int64_t[]){0, rows[i][0]}, (const int64_t[]){4, rows[i][1]}));
    assert_int_equal(room->diags.error_count, COUNT(rows));
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    assert_null(tw_layout_slice(&e, l, &shape, (const int64_t[]){0, 7}, (const int64_t[]){4, 2}));
    tw_test_expect_diags(room, "error[E0307]: a slice leaves dimension 1 of the shape (4, 8)\n"
                               "  expected: 0 <= begin < end <= 8\n"
                               "     found: begin 7, end 9\n");
}

static void a_bare_swizzle_slices_as_the_dense_tile_of_the_shape(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *bare = tw_layout_compose(&e, &(struct swizzle){3, 3, 3, true}, NULL);
    const struct shape shape = SHAPE(64, 64);
    const int64_t begin[] = {8, 0}, extent[] = {16, 64};
    const struct layout *part = tw_layout_slice(&e, bare, &shape, begin, extent);
    assert_true(tw_layout_eq(&room->arena, part, read_layout(&e, "swizzle(3,3,3) S[(1024):(1)] + 512")));
}

/* ---- tile (6.7) ---- */

static void tiling_scales_the_outer_layout_by_the_inner_span(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape inner_shape = SHAPE(4, 8), outer_shape = SHAPE(2, 3), whole = SHAPE(8, 24);
    const struct layout *inner = tw_layout_default(&e, &inner_shape);
    const struct layout *t = tw_layout_tile(&e, inner, &inner_shape, tw_layout_default(&e, &outer_shape), &outer_shape);
    expect_layout(&e, t, "S[(2,4,3,8):(96,8,32,1)]");
    static const int64_t rows[][3] = {{0, 7, 7}, {0, 8, 32}, {3, 0, 24}, {4, 0, 96}, {5, 17, 169}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_layout_address(t, tw_shape_flat(&whole, rows[i])), rows[i][2]);
}

static void a_column_major_outer_layout_tiles(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape inner_shape = SHAPE(4, 8), outer_shape = SHAPE(2, 3), whole = SHAPE(8, 24);
    const struct layout *t = tw_layout_tile(&e, tw_layout_default(&e, &inner_shape), &inner_shape,
                                            read_layout(&e, "S[(2,3):(1,2)]"), &outer_shape);
    expect_layout(&e, tw_layout_canonical(&e, t), "S[(8,3,8):(8,64,1)]");
    assert_int_equal(tw_layout_address(t, tw_shape_flat(&whole, (const int64_t[]){0, 8})), 64);
    assert_int_equal(tw_layout_address(t, tw_shape_flat(&whole, (const int64_t[]){4, 0})), 32);
}

static void tile_to_repeats_densely(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape from = SHAPE(4, 8), to = SHAPE(8, 24), odd = SHAPE(8, 20);
    expect_layout(&e, tw_layout_tile_to(&e, tw_layout_default(&e, &from), &to, &from), "S[(2,4,3,8):(96,8,32,1)]");
    assert_null(tw_layout_tile_to(&e, tw_layout_default(&e, &from), &odd, &from));
    tw_test_expect_diags(room, "error[E0317]: a layout cannot be tiled to a shape that is not a multiple of its own\n"
                               "  expected: a multiple of (4, 8) in every dimension\n"
                               "     found: (8, 20)\n");
}

static void axes_that_the_inner_layout_does_not_use_are_not_scaled(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape inner_shape = SHAPE(8, 8), outer_shape = SHAPE(4, 2);
    const struct layout *t =
        tw_layout_tile(&e, read_layout(&e, "S[(8,4,2):(4@laneid,1@laneid,1)] + R[(2):(1@cbx)] + 1@bx"), &inner_shape,
                       read_layout(&e, "S[(4,2):(1@bx,1)] + R[(2):(4@warpid)] + 2@bx"), &outer_shape);
    expect_layout(&e, t, "S[(4,8,2,4,2):(1@bx,4@laneid,2,1@laneid,1)] + R[(2,2):(1@cbx,4@warpid)] + 3@bx");
}

/* 6.8: the panel of a swizzled atom, as the factory is described: tile the bare atom down, then across. */
static void a_bare_swizzle_tiles_to_panels(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *bare = tw_layout_compose(&e, &(struct swizzle){3, 3, 3, true}, NULL);
    const struct shape atom = SHAPE(8, 64), panel = SHAPE(128, 64), whole = SHAPE(128, 128);
    const struct layout *down = tw_layout_tile_to(&e, bare, &panel, &atom);
    expect_layout(&e, tw_layout_canonical(&e, down), "swizzle(3,3,3) S[(8192):(1)]");
    const struct layout *across = tw_layout_tile_to(&e, down, &whole, &panel);
    expect_layout(&e, tw_layout_canonical(&e, across), "swizzle(3,3,3) S[(128,2,64):(64,8192,1)]");
}

static void tiles_that_do_not_fit_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(4,8):(8,1)]"), *swizzled = read_layout(&e, "swizzle(3,3,3) S[(32):(1)]");
    const struct shape two = SHAPE(4, 8), one = SHAPE(32);
    assert_null(tw_layout_tile(&e, l, &two, l, &one));
    assert_null(tw_layout_direct_sum(&e, swizzled, &two, l, &two));
    tw_test_expect_diags(room, "error[E0317]: two shapes that are tiled have different ranks\n"
                               "  expected: a shape of 2 dimensions\n"
                               "     found: (32,)\n"
                               "error[E0317]: the outer layout of a tiling is swizzled\n"
                               "  expected: a TileLayout\n"
                               "     found: ComposeLayout(3, 3, 3, TileLayout(S[(32):(1)]))\n");
}

static void a_direct_sum_does_not_scale(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape atom = SHAPE(32, 4), outer = SHAPE(4, 2);
    const struct layout *t =
        tw_layout_direct_sum(&e, read_layout(&e, "S[(4,2):(4@TCol,16@TCol)]"), &outer,
                             read_layout(&e, "S[(32,4):(1@TLane,1@TCol)] + R[(4):(32@TLane)]"), &atom);
    expect_layout(&e, t, "S[(4,32,2,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[(4):(32@TLane)]");
}

/* Overflow in scaling is an error, not a wrong address. */
static void products_beyond_the_limit_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape two = SHAPE(2);
    const struct layout *far = read_layout(&e, "S[(2):(140737488355328)]");
    assert_null(tw_layout_tile(&e, far, &two, far, &two));
    assert_null(tw_layout_unpack(&e, far, 4));
    assert_null(tw_layout_shift(&e, far, AXIS_M, INT64_MAX));
    const char *const one = "error[E0303]: a layout is too large\n"
                            "  expected: fewer than 2**48 elements, and coordinates below 2**48\n"
                            "       fix: check the extents and strides\n";
    tw_test_expect_diags(room, tw_format(&room->arena, "%s%s%s", one, one, one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_dense_stage_slices_to_an_offset),
        ROOM_TEST(the_offset_of_a_swizzled_slice_stays_before_the_xor),
        ROOM_TEST(representable_ranges_slice),
        ROOM_TEST(ranges_that_no_iters_describe_are_refused),
        ROOM_TEST(ranges_outside_the_shape_are_refused),
        ROOM_TEST(a_bare_swizzle_slices_as_the_dense_tile_of_the_shape),
        ROOM_TEST(tiling_scales_the_outer_layout_by_the_inner_span),
        ROOM_TEST(a_column_major_outer_layout_tiles),
        ROOM_TEST(tile_to_repeats_densely),
        ROOM_TEST(axes_that_the_inner_layout_does_not_use_are_not_scaled),
        ROOM_TEST(a_bare_swizzle_tiles_to_panels),
        ROOM_TEST(tiles_that_do_not_fit_are_refused),
        ROOM_TEST(a_direct_sum_does_not_scale),
        ROOM_TEST(products_beyond_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
