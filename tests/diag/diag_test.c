#include "support/check.h"

#include "base/limits.h"

static void a_diagnostic_prints_its_fields_in_fixed_order(void **state)
{
    struct bench_room *room = *state;
    const uint32_t file = tw_sources_add(&room->sources, "k.py", STR("first\n\tx = bad(1)\nthird"));
    struct diag *d = tw_diag(&room->diags, E0601, (struct src_span){file, 11, 14}, "cannot use '%s'", "bad");
    tw_diag_fix(d, "write good");
    tw_diag_expected(d, "a good word");
    tw_diag_spec(d, "the book, page 1");
    tw_diag_found(d, "bad");
    tw_diag_note(d, (struct src_span){file, 0, 5}, "first seen here");
    tw_test_expect_diags(room, "k.py:2:6: error[E0601]: cannot use 'bad'\n"
                               "    2 |     x = bad(1)\n"
                               "      |         ^~~\n"
                               "  expected: a good word\n"
                               "     found: bad\n"
                               "       fix: write good\n"
                               "      spec: the book, page 1\n"
                               "k.py:1:1: note: first seen here\n"
                               "    1 | first\n"
                               "      | ^~~~~\n");
}

static void only_the_first_errors_are_shown(void **state)
{
    struct bench_room *room = *state;
    for (int i = 0; i < TW_MAX_DIAGS + 3; i++)
        tw_diag(&room->diags, E0601, (struct src_span){0}, "error %d", i);
    assert_int_equal(room->diags.error_count, TW_MAX_DIAGS + 3);
    const char *text = tw_test_diags(room);
    assert_non_null(strstr(text, "error[E0601]: error 19\n3 more errors were held back\n"));
}

static void json_carries_every_field(void **state)
{
    struct bench_room *room = *state;
    const uint32_t file = tw_sources_add(&room->sources, "k.py", STR("abc"));
    struct diag *d = tw_diag(&room->diags, E0601, (struct src_span){file, 1, 3}, "m");
    tw_diag_found(d, "f");
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_diags_json(&room->diags, &t);
    assert_string_equal(t.at, "{\"errors\": 1, \"held_back\": 0, \"diagnostics\": [\n"
                              "  {\"code\": \"E0601\", \"severity\": \"error\", \"file\": \"k.py\", \"line\": 1, \"column\": 2, "
                              "\"length\": 2, \"message\": \"m\", \"found\": \"f\", \"notes\": []}\n]}\n");
}

static void codes_are_found_by_name_in_any_case(void **state)
{
    (void)state;
    assert_int_equal(tw_diag_find(STR("e0601")), E0601);
    assert_int_equal(tw_diag_find(STR("E9999")), DIAG_CODE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_diagnostic_prints_its_fields_in_fixed_order),
        ROOM_TEST(only_the_first_errors_are_shown),
        ROOM_TEST(json_carries_every_field),
        ROOM_TEST(codes_are_found_by_name_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
