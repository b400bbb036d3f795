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

/* A NUL would end the text for who prints it, and an escape sequence would rule the reader's terminal. */
static void control_characters_are_not_passed_on(void **state)
{
    struct bench_room *room = *state;
    const uint32_t file = tw_sources_add(&room->sources, "a\nb.ptx", STR("x\0y\033[31m\x7f \303\251z\nnext"));
    struct diag *d = tw_diag(&room->diags, E0601, (struct src_span){file, 1, 4}, "no '%s'", "\033[2J");
    tw_diag_expected(d, "\b");
    tw_diag_note(d, (struct src_span){file, 14, 16}, "a\rb");
    /* U+009B is the same as escape and '[' to many terminals; U+00A0 is a blank. */
    const uint32_t other = tw_sources_add(&room->sources, "b.ptx", STR("\xc2\x9b" "2J\xc2\xa0\xc2"));
    tw_diag(&room->diags, E0601, (struct src_span){other, 2, 4}, "'\xc2\x80\xc2\x9f\xc3\x9b'");
    tw_test_expect_diags(room, "a?b.ptx:1:2: error[E0601]: no '?[2J'\n"
                               "    1 | x?y?[31m? \303\251z\n"
                               "      |  ^~~\n"
                               "  expected: ?\n"
                               "a?b.ptx:2:1: note: a?b\n"
                               "    2 | next\n"
                               "      | ^~\n"
                               "b.ptx:1:3: error[E0601]: '????\xc3\x9b'\n"
                               "    1 | ??2J\xc2\xa0\xc2\n"
                               "      |   ^~\n");
}

/* Lines and names may be megabytes long; a person reads the part around the fault. */
static void of_a_long_line_the_part_around_the_fault_is_shown(void **state)
{
    struct bench_room *room = *state;
    struct text line, want;
    tw_text_init(&line, &room->arena);
    tw_text_pad(&line, 'a', 5000);
    tw_text_add(&line, "bad");
    tw_text_pad(&line, 'c', 5000);
    const uint32_t file = tw_sources_add(&room->sources, "k", (struct str){line.at, line.len});
    tw_diag(&room->diags, E0601, (struct src_span){file, 5000, 5003}, "m");
    tw_diag(&room->diags, E0601, (struct src_span){file, 9900, 12000}, "to the end");
    tw_diag(&room->diags, E0601, (struct src_span){0}, "%s", line.at);
    tw_text_init(&want, &room->arena);
    tw_text_add(&want, "k:1:5001: error[E0601]: m\n    1 | ...");
    tw_text_pad(&want, 'a', 120);
    tw_text_add(&want, "bad");
    tw_text_pad(&want, 'c', 197);
    tw_text_add(&want, "...\n      | ");
    tw_text_pad(&want, ' ', 123);
    tw_text_add(&want, "^~~\nk:1:9901: error[E0601]: to the end\n    1 | ...");
    tw_text_pad(&want, 'c', 120 + 103);
    tw_text_add(&want, "\n      | ");
    tw_text_pad(&want, ' ', 123);
    tw_text_put(&want, '^');
    tw_text_pad(&want, '~', 102);
    tw_text_add(&want, "\nerror[E0601]: ");
    tw_text_pad(&want, 'a', 2000);
    tw_text_add(&want, "...\n");
    tw_test_expect_diags(room, want.at);
}

/* A character of several bytes at an edge of the part is shown whole. */
static void a_long_line_is_cut_between_characters(void **state)
{
    struct bench_room *room = *state;
    struct text line;
    tw_text_init(&line, &room->arena);
    for (int i = 0; i < 1000; i++)
        tw_text_add(&line, "\xe2\x82\xac");
    for (uint32_t at = 600; at < 603; at++) {
        const uint32_t file = tw_sources_add(&room->sources, "k", (struct str){line.at, line.len});
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        tw_diag(&room->diags, E0601, (struct src_span){file, at, at + 1}, "m");
        const char *const shown = strstr(tw_test_diags(room), "| ...") + 5;
        const size_t len = (size_t)(strstr(shown, "...") - shown);
        assert_memory_equal(shown, "\xe2\x82\xac", 3);
        assert_int_equal(len % 3, 0);
        assert_in_range(len, 320, 325);
    }
    tw_diags_init(&room->diags, &room->arena, &room->sources);
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
        ROOM_TEST(control_characters_are_not_passed_on),
        ROOM_TEST(of_a_long_line_the_part_around_the_fault_is_shown),
        ROOM_TEST(a_long_line_is_cut_between_characters),
        ROOM_TEST(only_the_first_errors_are_shown),
        ROOM_TEST(json_carries_every_field),
        ROOM_TEST(codes_are_found_by_name_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
