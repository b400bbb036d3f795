#include "read_layout.h"

#include "layout/view.h"

static struct view tensor(const struct layout_env *e, const char *layout, struct shape shape)
{
    struct view v;
    assert_true(tw_view_make(e, &shape, layout == NULL ? NULL : read_layout(e, layout), 16, &v));
    return v;
}

static void the_k_split_of_an_operand_gives_the_described_layout(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = tensor(&e, "swizzle(3,3,3) S[(8192):(1)]", SHAPE(128, 64));
    struct view w, four;
    assert_true(tw_view_rearrange(&e, &v, STR("m (kr k) -> kr m k"), (const struct axis_size[]){{STR("k"), 16}}, 1, &w));
    const struct shape want = SHAPE(4, 128, 16);
    assert_true(tw_shape_eq(&w.shape, &want));
    expect_layout(&e, w.layout, "swizzle(3,3,3) S[(4,128,16):(16,64,1)]");
    assert_true(tw_view_reshape(&e, &w, 4, (const int64_t[]){1, 4, 128, 16}, &four));
    for (int64_t m = 0; m < 128; m++)
        for (int64_t k = 0; k < 64; k++)
            assert_int_equal(tw_view_bit_offset(&four, (const int64_t[]){0, k / 16, m, k % 16}),
                             tw_view_bit_offset(&v, (const int64_t[]){m, k}));
}

/* The first name of a group is the most significant. */
static void patterns_split_reorder_and_merge(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = tensor(&e, NULL, SHAPE(6, 8));
    struct view w;
    assert_true(tw_view_rearrange(&e, &v, STR("  (a b)   ( c  d ) ->  (d a) (b c) "),
                                  (const struct axis_size[]){{STR("b"), 3}, {STR("c"), 2}}, 2, &w));
    const struct shape want = SHAPE(8, 6);
    assert_true(tw_shape_eq(&w.shape, &want));
    for (int64_t a = 0; a < 2; a++)
        for (int64_t b = 0; b < 3; b++)
            for (int64_t c = 0; c < 2; c++)
                for (int64_t d = 0; d < 4; d++)
                    assert_int_equal(tw_view_bit_offset(&w, (const int64_t[]){2 * d + a, 2 * b + c}),
                                     16 * (8 * (3 * a + b) + 4 * c + d));
}

static void a_transposition_needs_no_sizes(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = tensor(&e, NULL, SHAPE(6, 8));
    struct view w;
    assert_true(tw_view_rearrange(&e, &v, STR("a b->b a"), NULL, 0, &w));
    expect_layout(&e, w.layout, "S[(8,6):(1,8)]");
}

static void wrong_patterns_are_refused(void **state)
{
    static const struct { const char *pattern, *text; } rows[] = {
        {"a b", "error[E0310]: a rearrange pattern is malformed\n"
                "  expected: '->'\n"
                "     found: the end of 'a b'\n"},
        {"a b - b a", "error[E0310]: a rearrange pattern is malformed\n"
                      "  expected: '->'\n"
                      "     found: '- b a' in 'a b - b a'\n"},
        {"a b -> b a -> a", "error[E0310]: a rearrange pattern is malformed\n"
                            "  expected: the end of the pattern\n"
                            "     found: '-> a' in 'a b -> b a -> a'\n"},
        {"", "error[E0310]: a rearrange pattern is malformed\n"
             "  expected: an axis name\n"
             "     found: the end of ''\n"},
        {"a b ->", "error[E0310]: a rearrange pattern is malformed\n"
                   "  expected: an axis name\n"
                   "     found: the end of 'a b ->'\n"},
        {"a ... -> ... a", "error[E0310]: a rearrange pattern is malformed\n"
                           "  expected: an axis name; a pattern has no '...'\n"
                           "     found: '... -> ... a' in 'a ... -> ... a'\n"},
        {"a b -> a 1 b", "error[E0310]: a rearrange pattern is malformed\n"
                         "  expected: an axis name; a pattern has no '1'\n"
                         "     found: '1 b' in 'a b -> a 1 b'\n"},
        {"a () b -> a b", "error[E0310]: a rearrange pattern is malformed\n"
                          "  expected: an axis name\n"
                          "     found: ') b -> a b' in 'a () b -> a b'\n"},
        {"a (b -> a b", "error[E0310]: a rearrange pattern is malformed\n"
                        "  expected: an axis name\n"
                        "     found: '-> a b' in 'a (b -> a b'\n"},
        {"a (b", "error[E0310]: a rearrange pattern is malformed\n"
                 "  expected: ')'\n"
                 "     found: the end of 'a (b'\n"},
        {"(a)(b) -> a b", "error[E0310]: a rearrange pattern is malformed\n"
                          "  expected: a space between groups\n"
                          "     found: '(b) -> a b' in '(a)(b) -> a b'\n"},
        {"a b c -> a b c", "error[E0311]: a rearrange pattern has the wrong number of groups on its left side\n"
                           "  expected: 2, one for each dimension of (6, 8)\n"
                           "     found: 3\n"},
        {"a b -> a c", "error[E0312]: the sides of a rearrange pattern name different axes\n"
                       "  expected: every name once on each side\n"
                       "     found: 'b' on the left side only\n"},
        {"a b -> a b c", "error[E0312]: the sides of a rearrange pattern name different axes\n"
                         "  expected: every name once on each side\n"
                         "     found: 'c' on the right side only\n"},
        {"a a -> a", "error[E0312]: the sides of a rearrange pattern name different axes\n"
                     "  expected: every name once on each side\n"
                     "     found: 'a' twice on the left side\n"},
        {"a b -> a b b", "error[E0312]: the sides of a rearrange pattern name different axes\n"
                         "  expected: every name once on each side\n"
                         "     found: 'b' twice on the right side\n"},
        {"(a b) (c d) -> a b c d", "error[E0313]: the axis sizes do not fit dimension 0 of extent 6\n"
                                   "  expected: at most one axis without a size\n"
                                   "     found: neither 'a' nor 'b' has one\n"},
        {"a b c d e f g h i j k l m n o p q -> a", "error[E0303]: a rearrange pattern names too many axes\n"
                                                   "  expected: at most 16\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *room = *state;
        const struct layout_env e = env_of(room);
        const struct view v = tensor(&e, NULL, SHAPE(6, 8));
        struct view w;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_false(tw_view_rearrange(&e, &v, tw_str(rows[i].pattern), NULL, 0, &w));
        tw_test_expect_diags(room, rows[i].text);
    }
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
    static const struct { const char *pattern; struct axis_size sizes[2]; uint32_t count; const char *text; } rows[] = {
        {"(a b) c -> a b c", {{{"b", 1}, 4}}, 1, "error[E0313]: the axis sizes do not fit dimension 0 of extent 6\n"
                                                "  expected: sizes whose product divides 6\n"
                                                "     found: sizes with the product 4\n"},
        {"(a b) c -> a b c", {{{"a", 1}, 3}, {{"b", 1}, 3}}, 2,
         "error[E0313]: the axis sizes do not fit dimension 0 of extent 6\n"
         "  expected: sizes with the product 6\n"
         "     found: sizes with the product 9\n"},
        {"a b -> b a", {{{"z", 1}, 4}}, 1, "error[E0313]: a size is given for an axis that the pattern does not name\n"
                                          "     found: z=4\n"},
        {"a b -> b a", {{{"a", 1}, 0}}, 1, "error[E0313]: the size of an axis is not positive\n"
                                          "     found: a=0\n"},
        {"a b -> b a", {{{"a", 1}, 3}}, 1, "error[E0313]: the axis sizes do not fit dimension 0 of extent 6\n"
                                          "  expected: sizes with the product 6\n"
                                          "     found: sizes with the product 3\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *room = *state;
        const struct layout_env e = env_of(room);
        const struct view v = tensor(&e, NULL, SHAPE(6, 8));
        struct view w;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_false(tw_view_rearrange(&e, &v, tw_str(rows[i].pattern), rows[i].sizes, rows[i].count, &w));
        tw_test_expect_diags(room, rows[i].text);
    }
}

/* An iter of extent 6 does not split at 4. */
static void a_layout_that_the_left_side_cannot_group_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = tensor(&e, "S[(6,4):(1,6)]", SHAPE(24));
    struct view w;
    assert_false(tw_view_rearrange(&e, &v, STR("(a b) -> b a"), (const struct axis_size[]){{STR("a"), 4}}, 1, &w));
    tw_test_expect_diags(room, "error[E0306]: a layout cannot be grouped by the shape (4, 6)\n"
                               "  expected: iters that split where the dimensions meet\n"
                               "     found: S[(6, 4):(1, 6)]\n"
                               "       fix: choose dimensions that the iters' extents divide, or another layout\n");
}

/* Any bytes give a diagnostic or a view, never a crash. */
static void arbitrary_patterns_do_not_crash(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = {.arena = &room->arena};
    static const char alphabet[] = "ab ()->.1_\0\xff";
    const struct view v = tensor(&e, NULL, SHAPE(6, 8));
    uint64_t seed = 12345;
    for (int i = 0; i < 20000; i++) {
        char pattern[24];
        const size_t len = (size_t)random_below(&seed, sizeof pattern);
        for (size_t k = 0; k < len; k++)
            pattern[k] = alphabet[random_below(&seed, sizeof alphabet - 1)];
        const struct arena_mark mark = tw_arena_mark(&room->arena);
        struct view w;
        if (tw_view_rearrange(&e, &v, (struct str){pattern, len}, NULL, 0, &w))
            assert_int_equal(tw_shape_elems(&w.shape), 48);
        tw_arena_rewind(&room->arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_k_split_of_an_operand_gives_the_described_layout),
        ROOM_TEST(patterns_split_reorder_and_merge),
        ROOM_TEST(a_transposition_needs_no_sizes),
        ROOM_TEST(wrong_patterns_are_refused),
        ROOM_TEST(sizes_that_do_not_fit_are_refused),
        ROOM_TEST(a_layout_that_the_left_side_cannot_group_is_refused),
        ROOM_TEST(arbitrary_patterns_do_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
