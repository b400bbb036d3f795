#include "read_layout.h"

static void every_axis_has_its_kind_and_scope(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum axis_kind kind;
        enum axis_scope scope, subscope;
    } rows[] = {
        {"laneid", AXIS_KIND_THREAD, AXIS_SCOPE_WARP, AXIS_SCOPE_THREAD},
        {"warpid", AXIS_KIND_THREAD, AXIS_SCOPE_CTA, AXIS_SCOPE_WARP},
        {"wid_in_wg", AXIS_KIND_THREAD, AXIS_SCOPE_WARPGROUP, AXIS_SCOPE_WARP},
        {"tid_in_wg", AXIS_KIND_THREAD, AXIS_SCOPE_WARPGROUP, AXIS_SCOPE_THREAD},
        {"wgid", AXIS_KIND_THREAD, AXIS_SCOPE_CTA, AXIS_SCOPE_WARPGROUP},
        {"tx", AXIS_KIND_THREAD, AXIS_SCOPE_CTA, AXIS_SCOPE_THREAD},
        {"cbx", AXIS_KIND_THREAD, AXIS_SCOPE_CLUSTER, AXIS_SCOPE_CTA},
        {"cby", AXIS_KIND_THREAD, AXIS_SCOPE_CLUSTER, AXIS_SCOPE_CTA},
        {"cbz", AXIS_KIND_THREAD, AXIS_SCOPE_CLUSTER, AXIS_SCOPE_CTA},
        {"bx", AXIS_KIND_THREAD, AXIS_SCOPE_GRID, AXIS_SCOPE_CTA},
        {"by", AXIS_KIND_THREAD, AXIS_SCOPE_GRID, AXIS_SCOPE_CTA},
        {"bz", AXIS_KIND_THREAD, AXIS_SCOPE_GRID, AXIS_SCOPE_CTA},
        {"m", AXIS_KIND_MEMORY, AXIS_SCOPE_NONE, AXIS_SCOPE_NONE},
        {"TLane", AXIS_KIND_MEMORY, AXIS_SCOPE_NONE, AXIS_SCOPE_NONE},
        {"TCol", AXIS_KIND_MEMORY, AXIS_SCOPE_NONE, AXIS_SCOPE_NONE},
    };
    assert_int_equal(COUNT(rows), AXIS_COUNT);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const enum axis axis = tw_axis_find(tw_str(rows[i].name));
        assert_int_not_equal(axis, AXIS_COUNT);
        assert_int_equal(tw_axis_row(axis)->kind, rows[i].kind);
        assert_int_equal(tw_axis_row(axis)->scope, rows[i].scope);
        assert_int_equal(tw_axis_row(axis)->subscope, rows[i].subscope);
    }
}

static void other_names_are_no_axes(void **state)
{
    (void)state;
    static const char *const names[] = {"", "lane", "LANEID", "tlane", "P", "F", "Bank", "mm"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_int_equal(tw_axis_find(tw_str(names[i])), AXIS_COUNT);
}

static void a_misspelt_axis_gets_a_suggestion(void **state)
{
    (void)state;
    assert_string_equal(tw_axis_suggest(STR("landid")), "laneid");
    assert_string_equal(tw_axis_suggest(STR("tlane")), "TLane");
    assert_string_equal(tw_axis_suggest(STR("tid_in_gw")), "tid_in_wg");
    assert_null(tw_axis_suggest(STR("register")));
}

/* tid_in_wg = 32*wid_in_wg + laneid; tx = 32*warpid + laneid = 128*wgid + tid_in_wg; warpid = 4*wgid + wid_in_wg. */
static void thread_axes_convert_by_their_identities(void **state)
{
    (void)state;
    for (int64_t tx = 0; tx < 1024; tx++) {
        const int64_t want[] = {tx % 32, tx / 32, tx % 128 / 32, tx % 128, tx / 128, tx};
        static const axis_set given[] = {
            AXIS_BIT(AXIS_TX),
            AXIS_BIT(AXIS_WARPID) | AXIS_BIT(AXIS_LANEID),
            AXIS_BIT(AXIS_WGID) | AXIS_BIT(AXIS_TID_IN_WG),
            AXIS_BIT(AXIS_WGID) | AXIS_BIT(AXIS_WID_IN_WG) | AXIS_BIT(AXIS_LANEID),
        };
        for (size_t i = 0; i < COUNT(given); i++) {
            axis_set known = given[i];
            int64_t at[AXIS_COUNT] = {0};
            for (int a = AXIS_LANEID; a <= AXIS_TX; a++)
                if (known & AXIS_BIT(a))
                    at[a] = want[a];
            assert_true(tw_axis_resolve(&known, at));
            assert_int_equal(known, (1 << (AXIS_TX + 1)) - 1);
            assert_memory_equal(at, want, sizeof want);
        }
    }
}

static void a_part_alone_says_nothing_about_the_whole(void **state)
{
    (void)state;
    axis_set known = AXIS_BIT(AXIS_LANEID) | AXIS_BIT(AXIS_M);
    int64_t at[AXIS_COUNT] = {[AXIS_LANEID] = 7, [AXIS_M] = 500};
    assert_true(tw_axis_resolve(&known, at));
    assert_int_equal(known, AXIS_BIT(AXIS_LANEID) | AXIS_BIT(AXIS_M));
}

static void contradictions_and_values_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct { enum axis a; int64_t a_value; enum axis b; int64_t b_value; bool fits; } rows[] = {
        {AXIS_TX, 37, AXIS_LANEID, 5, true},       {AXIS_TX, 37, AXIS_LANEID, 6, false},
        {AXIS_TX, 37, AXIS_WARPID, 1, true},       {AXIS_TX, 37, AXIS_WGID, 1, false},
        {AXIS_LANEID, 31, AXIS_WID_IN_WG, 3, true}, {AXIS_LANEID, 32, AXIS_WID_IN_WG, 3, false},
        {AXIS_LANEID, 0, AXIS_WID_IN_WG, 4, false}, {AXIS_LANEID, -1, AXIS_WID_IN_WG, 0, false},
        {AXIS_TLANE, 127, AXIS_TCOL, 4000, true},  {AXIS_TLANE, 128, AXIS_TCOL, 0, false},
        {AXIS_WGID, 8, AXIS_TID_IN_WG, 0, false},  {AXIS_BX, 100000, AXIS_M, -5, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        axis_set known = AXIS_BIT(rows[i].a) | AXIS_BIT(rows[i].b);
        int64_t at[AXIS_COUNT] = {0};
        at[rows[i].a] = rows[i].a_value;
        at[rows[i].b] = rows[i].b_value;
        assert_int_equal(tw_axis_resolve(&known, at), rows[i].fits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_axis_has_its_kind_and_scope),
        cmocka_unit_test(other_names_are_no_axes),
        cmocka_unit_test(a_misspelt_axis_gets_a_suggestion),
        cmocka_unit_test(thread_axes_convert_by_their_identities),
        cmocka_unit_test(a_part_alone_says_nothing_about_the_whole),
        cmocka_unit_test(contradictions_and_values_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
