#include "read_layout.h"

/* ---- canonical form (6.4) ---- */

static void canonical_forms_drop_and_merge(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *layout, *canonical; } rows[] = {
        {"S[(4,8,4):(32,4,1)]", "S[(128):(1)]"},
        {"S[(4,1,2):(32@laneid,7,1@laneid)]", "S[(4,2):(32@laneid,1@laneid)]"},
        {"S[(1,1):(5,7@laneid)]", "S[(1):(1)]"},
        {"S[(4,8):(8@laneid,1)]", "S[(4,8):(8@laneid,1)]"},
        {"S[(4,8):(1,4)]", "S[(4,8):(1,4)]"},
        {"S[(2,3):(0,0)] + 7", "S[(6):(0)] + 7"},
        {"S[(8):(1)] + R[(1,2,3,2):(9,64@TLane,0,32@TLane)]", "S[(8):(1)] + R[(4):(32@TLane)]"},
        {"S[(8):(1)] + R[(2,2):(32@TLane,4@laneid)]", "S[(8):(1)] + R[(2,2):(4@laneid,32@TLane)]"},
        {"swizzle(3,3,3) S[(128,64):(64,1)]", "swizzle(3,3,3) S[(8192):(1)]"},
        {"swizzle(3,0,3) S[(128,64):(64,1)]", "S[(8192):(1)]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct layout *l = read_layout(&e, rows[i].layout), *c = tw_layout_canonical(&e, l);
        expect_layout(&e, c, rows[i].canonical);
        assert_true(tw_layout_same_function(&room->arena, l, read_layout(&e, rows[i].canonical)));
    }
}

static void thread_axes_unify_where_both_parts_are_given(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *layout, *unified; } rows[] = {
        {"S[(4,32):(1@wid_in_wg,1@laneid)]", "S[(128):(1@tid_in_wg)]"},
        {"S[(2,4,32):(1@wgid,1@wid_in_wg,1@laneid)]", "S[(256):(1@tx)]"},
        {"S[(8,32):(1@warpid,1@laneid)]", "S[(256):(1@tx)]"},
        {"S[(2,128):(1@wgid,1@tid_in_wg)]", "S[(256):(1@tx)]"},
        {"S[(2,4):(1@wgid,1@wid_in_wg)]", "S[(8):(1@warpid)]"},
        {"S[(32,4):(1@laneid,1@wid_in_wg)]", "S[(32,4):(1@tid_in_wg,32@tid_in_wg)]"},
        {"S[(32):(1@laneid)] + 3@wid_in_wg", "S[(32):(1@tid_in_wg)] + 96@tid_in_wg"},
        {"S[(8,4):(4@laneid,1@laneid)]", "S[(32):(1@laneid)]"},
        /* a lane beyond 31 is no lane: the rewrite would give it another thread's number */
        {"S[(4,33):(1@wid_in_wg,1@laneid)]", "S[(4,33):(1@wid_in_wg,1@laneid)]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_layout(&e, tw_layout_unify_threads(&e, read_layout(&e, rows[i].layout)), rows[i].unified);
}

static void equality_compares_canonical_forms(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *a, *b; bool equal, same_function; } rows[] = {
        {"S[(4,8,4):(32,4,1)]", "S[(128):(1)]", true, true},
        {"S[(4,32,64):(1@wid_in_wg,1@laneid,1)]", "S[(128,64):(1@tid_in_wg,1)]", true, true},
        {"S[(64):(1)] + R[(2,2):(64@TLane,32@TLane)]", "S[(64):(1)] + R[(4):(32@TLane)]", true, true},
        {"S[(64):(1)] + R[(3):(1@TLane)]", "S[(64):(1)] + R[(2,2):(1@TLane,1@TLane)]", false, true},
        {"S[(64):(1)]", "S[(64):(1)] + 1", false, false},
        {"S[(64):(1)]", "S[(32):(1)]", false, false},
        {"S[(4,16):(16,1)]", "S[(4,16):(1,4)]", false, false},
        {"S[(64):(1)]", "S[(64):(1@TCol)]", false, false},
        {"swizzle(3,3,3) S[(64):(1)]", "S[(64):(1)]", false, true},
        {"swizzle(3,3,3) S[(512):(1)]", "S[(512):(1)]", false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct layout *a = read_layout(&e, rows[i].a), *b = read_layout(&e, rows[i].b);
        assert_int_equal(tw_layout_eq(&room->arena, a, b), rows[i].equal);
        assert_int_equal(tw_layout_same_function(&room->arena, a, b), rows[i].same_function);
    }
    assert_true(tw_layout_eq_but_offset(&room->arena, read_layout(&e, "S[(4,8):(8,1)] + 64"), read_layout(&e, "S[(32):(1)]")));
    assert_false(tw_layout_eq_but_offset(&room->arena, read_layout(&e, "S[(32):(2)]"), read_layout(&e, "S[(32):(1)]")));
}

/* ---- group (6.5) ---- */

static void groups_give_each_dimension_a_run_of_iters(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct {
        const char *layout;
        struct shape shape;
        const char *grouped;
        uint32_t first[6];
    } rows[] = {
        {"S[(24):(1)]", {3, {2, 3, 4}}, "S[(2,3,4):(12,4,1)]", {0, 1, 2, 3}},
        {"S[(6,4):(4,1)]", {2, {2, 12}}, "S[(2,3,4):(12,4,1)]", {0, 1, 3}},
        {"S[(8192):(1)]", {3, {128, 4, 16}}, "S[(128,4,16):(64,16,1)]", {0, 1, 2, 3}},
        {"S[(4,6):(6,1)]", {2, {8, 3}}, "S[(4,2,3):(6,3,1)]", {0, 2, 3}},
        {"S[(4,8):(1@laneid,1)]", {4, {1, 4, 1, 8}}, "S[(1,4,1,8):(4@laneid,1@laneid,1@laneid,1)]", {0, 1, 2, 3, 4}},
        {"S[(4,1,8):(8,5,1)]", {2, {4, 8}}, "S[(4,8):(8,1)]", {0, 1, 2}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct grouping g;
        const struct layout *l = read_layout(&e, rows[i].layout);
        assert_true(tw_layout_group(&e, l, &rows[i].shape, &g));
        assert_true(tw_layout_same_function(&room->arena, l, g.layout));
        for (uint32_t d = 0; d <= rows[i].shape.rank; d++)
            assert_int_equal(g.first[d], rows[i].first[d]);
        int64_t dim = 1;
        for (uint32_t d = 0; d < rows[i].shape.rank; d++, dim = 1) {
            for (uint32_t k = g.first[d]; k < g.first[d + 1]; k++)
                dim *= g.layout->shard[k].extent;
            assert_int_equal(dim, rows[i].shape.dim[d]);
        }
        expect_layout(&e, g.layout, rows[i].grouped);
    }
}

static void a_shape_that_splits_an_iter_unevenly_cannot_group(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    struct grouping g;
    const struct shape five = SHAPE(5, 4), six = SHAPE(4, 6);
    assert_false(tw_layout_group(&e, read_layout(&e, "S[(24):(1)]"), &five, &g));
    assert_false(tw_layout_group(&e, read_layout(&e, "S[(6,4):(4,1)]"), &six, &g));
    tw_test_expect_diags(room, "error[E0305]: a layout and a shape differ in their number of elements\n"
                               "  expected: 20 elements, the size of the shape (5, 4)\n"
                               "     found: 24, the size of S[(24):(1)]\n"
                               "error[E0306]: a layout cannot be grouped by the shape (4, 6)\n"
                               "  expected: iters that split where the dimensions meet\n"
                               "     found: S[(6, 4):(4, 1)]\n"
                               "       fix: choose dimensions that the iters' extents divide, or another layout\n");
}

/* ---- permute ---- */

static void iters_and_groups_permute(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(2,3,4):(12,4,1)] + R[(2):(32@TLane)] + 5");
    expect_layout(&e, tw_layout_permute_iters(&e, l, (const uint32_t[]){2, 0, 1}),
                  "S[(4,2,3):(1,12,4)] + R[(2):(32@TLane)] + 5");
    struct grouping g;
    const struct shape shape = SHAPE(6, 4);
    assert_true(tw_layout_group(&e, l, &shape, &g));
    expect_layout(&e, tw_layout_permute_groups(&e, &g, 2, (const uint32_t[]){1, 0}),
                  "S[(4,2,3):(1,12,4)] + R[(2):(32@TLane)] + 5");
}

static void a_wrong_order_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(2,3,4):(12,4,1)]");
    assert_null(tw_layout_permute_iters(&e, l, (const uint32_t[]){2, 0, 2}));
    assert_null(tw_layout_permute_iters(&e, l, (const uint32_t[]){0, 1, 3}));
    tw_test_expect_diags(room, "error[E0309]: the order is not a permutation\n"
                               "  expected: each of 0 to 2 once\n"
                               "     found: 2 at position 2\n"
                               "error[E0309]: the order is not a permutation\n"
                               "  expected: each of 0 to 2 once\n"
                               "     found: 3 at position 2\n");
}

static void a_permuted_layout_finds_the_same_elements(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "swizzle(3,3,3) S[(8192):(1)]");
    const struct shape from = SHAPE(128, 4, 16), to = SHAPE(4, 128, 16);
    const struct layout *p = tw_layout_permute(&e, l, &from, (const uint32_t[]){1, 0, 2});
    expect_layout(&e, p, "swizzle(3,3,3) S[(4,128,16):(16,64,1)]");
    for (int64_t flat = 0; flat < 8192; flat++) {
        int64_t c[3];
        tw_shape_split(&from, flat, c);
        const int64_t moved = tw_shape_flat(&to, (const int64_t[]){c[1], c[0], c[2]});
        assert_int_equal(tw_layout_address(p, moved), tw_layout_address(l, flat));
    }
}

/* ---- pack, unpack, broadcast ---- */

static void unpack_narrows_and_pack_widens(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *wide; int64_t n; const char *narrow; } rows[] = {
        {"S[(8,4):(4,1)] + 3", 2, "S[(8,4,2):(8,2,1)] + 6"},
        {"S[(4,8):(1,16)]", 4, "S[(4,8,4):(4,64,1)]"},
        {"swizzle(2,3,3) S[(1024):(1)]", 2, "swizzle(3,3,3) S[(1024,2):(2,1)]"},
        /* threads keep their numbers: only the memory axis counts elements */
        {"S[(128,64):(1@tid_in_wg,1)]", 2, "S[(128,64,2):(1@tid_in_wg,2,1)]"},
        {"S[(128,64):(1@TLane,1@TCol)] + R[(2):(8@TCol)]", 2, "S[(128,64,2):(1@TLane,2@TCol,1@TCol)] + R[(2):(16@TCol)]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct layout *wide = read_layout(&e, rows[i].wide), *narrow = tw_layout_unpack(&e, wide, rows[i].n);
        expect_layout(&e, narrow, rows[i].narrow);
        assert_true(tw_layout_eq(&room->arena, tw_layout_pack(&e, narrow, rows[i].n), wide));
    }
    expect_layout(&e, tw_layout_pack(&e, read_layout(&e, "S[(128,64):(64,1)]"), 4), "S[(2048):(1)]");
}

static void what_is_not_contiguous_does_not_pack(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    assert_null(tw_layout_pack(&e, read_layout(&e, "S[(4,8):(1,4)]"), 2));
    assert_null(tw_layout_pack(&e, read_layout(&e, "S[(4,6):(9,1)]"), 2));
    assert_null(tw_layout_pack(&e, read_layout(&e, "S[(4,6):(6,1@laneid)]"), 2));
    assert_null(tw_layout_pack(&e, read_layout(&e, "swizzle(0,1,1) S[(64):(1)]"), 2));
    assert_null(tw_layout_pack(&e, read_layout(&e, "swizzle(3,3,3) S[(1536):(1)]"), 3));
    assert_null(tw_layout_unpack(&e, read_layout(&e, "S[(4,4):(1@TLane,1)]"), 2));
    tw_test_expect_diags(room, "error[E0315]: 2 elements do not pack into one\n"
                               "  expected: a last iter of stride 1 on m whose extent 2 divides\n"
                               "     found: S[(4, 8):(1, 4)]\n"
                               "error[E0315]: 2 elements do not pack into one\n"
                               "  expected: strides and an offset on m that 2 divides\n"
                               "     found: S[(4, 6):(9, 1)]\n"
                               "error[E0315]: 2 elements do not pack into one\n"
                               "  expected: a last iter of stride 1 on m whose extent 2 divides\n"
                               "     found: S[(4, 6):(6, 1@laneid)]\n"
                               "error[E0315]: 2 elements do not pack into one\n"
                               "  expected: a swizzle that keeps the packed elements together\n"
                               "     found: ComposeLayout(0, 1, 1, TileLayout(S[(64):(1)]))\n"
                               "error[E0315]: a swizzled layout scales by powers of two only\n"
                               "     found: a ratio of 3\n"
                               "error[E0315]: a layout on both m and tensor memory has no one element axis\n"
                               "     found: S[(4, 4):(1@TLane, 1)]\n");
}

static void broadcast_inserts_a_stride_of_zero(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *l = read_layout(&e, "S[(8,4):(4,1)]");
    expect_layout(&e, tw_layout_broadcast(&e, l, 3, 0, AXIS_M), "S[(3,8,4):(0,4,1)]");
    expect_layout(&e, tw_layout_broadcast(&e, l, 3, 1, AXIS_LANEID), "S[(8,3,4):(4,0@laneid,1)]");
    expect_layout(&e, tw_layout_broadcast(&e, l, 3, 2, AXIS_M), "S[(8,4,3):(4,1,0)]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(canonical_forms_drop_and_merge),
        ROOM_TEST(thread_axes_unify_where_both_parts_are_given),
        ROOM_TEST(equality_compares_canonical_forms),
        ROOM_TEST(groups_give_each_dimension_a_run_of_iters),
        ROOM_TEST(a_shape_that_splits_an_iter_unevenly_cannot_group),
        ROOM_TEST(iters_and_groups_permute),
        ROOM_TEST(a_wrong_order_is_refused),
        ROOM_TEST(a_permuted_layout_finds_the_same_elements),
        ROOM_TEST(unpack_narrows_and_pack_widens),
        ROOM_TEST(what_is_not_contiguous_does_not_pack),
        ROOM_TEST(broadcast_inserts_a_stride_of_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
