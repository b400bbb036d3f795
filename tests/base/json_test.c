#include "support/check.h"

#include "base/json.h"

static void values_of_every_kind_are_read(void **state)
{
    struct bench_room *room = *state;
    struct json_error error;
    const struct json *v = tw_json_read(
        &room->arena, STR(" {\"a\": [1, -20, 3.5e-2], \"b\": {\"c\": true, \"d\": null}, \"e\": \"x\\n\\u00e9\"} "), &error);
    assert_non_null(v);
    assert_int_equal(v->count, 3);
    const struct json *a = tw_json_get(v, "a");
    int64_t n;
    assert_true(tw_json_int(&a->items[1], &n));
    assert_int_equal(n, -20);
    assert_false(tw_json_int(&a->items[2], &n));
    assert_true(tw_str_is(a->items[2].text, "3.5e-2"));
    assert_true(tw_json_get(tw_json_get(v, "b"), "c")->boolean);
    assert_int_equal(tw_json_get(tw_json_get(v, "b"), "d")->kind, JSON_NULL);
    assert_true(tw_str_is(tw_json_get(v, "e")->text, "x\n\xc3\xa9"));
    assert_null(tw_json_get(v, "z"));
}

/* SOURCE: RFC 8259, section 7: a character beyond U+FFFF is written as two escapes. U+1F600 in UTF-8 is f0 9f 98 80. */
static void two_escapes_make_one_character(void **state)
{
    struct bench_room *room = *state;
    struct json_error error;
    const struct json *v = tw_json_read(&room->arena, STR("\"<\\ud83d\\uDE00\\uffff>\""), &error);
    assert_non_null(v);
    assert_true(tw_str_is(v->text, "<\xf0\x9f\x98\x80\xef\xbf\xbf>"));
}

static void errors_name_the_byte(void **state)
{
    struct bench_room *room = *state;
    static const struct { const char *text, *what; uint32_t at; } rows[] = {
        {"", "expected a value", 0},
        {"{\"a\" 1}", "expected ':' after the key", 5},
        {"[1 2]", "expected ',' or ']'", 3},
        {"{\"a\": 1", "expected ',' or '}'", 7},
        {"[1] x", "text after the value", 4},
        {"\"ab", "unterminated string", 3},
        {"\"\\q\"", "unknown escape in a string", 3},
        {"[1,]", "expected a value", 3},
        {"1.", "expected digits after '.'", 2},
        {"\"a\\u0000\"", "a string holds the character \\u0000", 8},
        {"\"\\udc00\"", "the second half of a character stands alone", 7},
        {"\"\\ud83d\"", "expected the second half of the character, \\udc00 to \\udfff", 7},
        {"\"\\ud83d\\u0041\"", "expected the second half of the character, \\udc00 to \\udfff", 13},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json_error error;
        assert_null(tw_json_read(&room->arena, tw_str(rows[i].text), &error));
        assert_string_equal(error.what, rows[i].what);
        assert_int_equal(error.at, rows[i].at);
    }
}

static void nesting_is_bounded(void **state)
{
    struct bench_room *room = *state;
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_pad(&t, '[', 100000);
    struct json_error error;
    assert_null(tw_json_read(&room->arena, (struct str){t.at, t.len}, &error));
    assert_string_equal(error.what, "nested too deeply");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(values_of_every_kind_are_read),
        ROOM_TEST(two_escapes_make_one_character),
        ROOM_TEST(errors_name_the_byte),
        ROOM_TEST(nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
