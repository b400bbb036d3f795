#include "support/check.h"

#include "base/nearest.h"

static void a_map_iterates_in_insertion_order(void **state)
{
    struct bench_room *room = *state;
    struct strmap m;
    tw_strmap_init(&m, &room->arena);
    for (uint32_t i = 0; i < 500; i++)
        tw_strmap_put(&m, tw_str(tw_format(&room->arena, "name%u", i * 7919 % 500)), i);
    tw_strmap_put(&m, STR("name0"), 77);
    assert_int_equal(m.entries.len, 500);
    assert_string_equal(m.entries.at[1].key, "name419");
    assert_int_equal(*tw_strmap_get(&m, STR("name0")), 77);
    assert_int_equal(*tw_strmap_get(&m, STR("name419")), 1);
    assert_null(tw_strmap_get(&m, STR("name500")));
}

static void equal_names_intern_to_one_pointer(void **state)
{
    struct bench_room *room = *state;
    struct interner in;
    tw_interner_init(&in, &room->arena);
    const char *a = tw_intern(&in, STR("lane"));
    const char other[] = "lane";
    assert_ptr_equal(a, tw_intern(&in, tw_str(other)));
    assert_ptr_not_equal(a, tw_intern(&in, STR("lan")));
}

static void distance_counts_edits(void **state)
{
    (void)state;
    static const struct { const char *a, *b; uint32_t edits; } rows[] = {
        {"", "", 0}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"", "xyz", 3},
        {"kitten", "sitting", 3}, {"tcgen05.mma.cta_group::1.kind::f61", "tcgen05.mma.cta_group::1.kind::f16", 2},
        {"flaw", "lawn", 2}, {"abcabc", "abc", 3}, {"aXb", "ab", 1}, {"aaa", "aa", 1}, {"ab", "ba", 2}, {"abXYcd", "abcd", 2}, {"aba", "a", 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_str_distance(tw_str(rows[i].a), tw_str(rows[i].b)), rows[i].edits);
}

static void the_nearest_name_is_within_three_edits(void **state)
{
    static const struct {
        const char *wanted, *candidates[3], *nearest;
    } cases[] = {
        {"swizle", {"swizzle", "sizzle", "box"}, "swizzle"},
        {"abc", {"abd", "abe", "abc"}, "abc"},
        {"abx", {"aby", "abz", "box"}, "aby"}, /* the first of equals */
        {"layout", {"box", "coords", "oob"}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct nearest n = nearest_to(tw_str(cases[i].wanted));
        for (size_t c = 0; c < COUNT(cases[i].candidates); c++)
            tw_nearest_consider(&n, cases[i].candidates[c]);
        if (cases[i].nearest == NULL)
            assert_null(n.name);
        else
            assert_string_equal(n.name, cases[i].nearest);
    }
}

static void json_strings_are_escaped(void **state)
{
    struct bench_room *room = *state;
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add_json(&t, STR("a\"b\\c\n\x01"));
    assert_string_equal(t.at, "\"a\\\"b\\\\c\\n\\u0001\"");
}

/* A format that fits, one that must grow the text first, and one that fills it to the last byte. */
static void formats_and_padding_grow_the_text(void **state)
{
    struct bench_room *room = *state;
    for (size_t before = 0; before < 140; before++) {
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_pad(&t, 'x', before);
        assert_int_equal(strlen(t.at), before);
        tw_text_addf(&t, "%s-%d", "twelve bytes", 7);
        tw_text_pad(&t, ' ', 2);
        tw_text_put(&t, '.');
        assert_int_equal(t.len, before + 17);
        assert_string_equal(t.at + before, "twelve bytes-7  .");
        assert_true(before == 0 || t.at[before - 1] == 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_map_iterates_in_insertion_order),
        ROOM_TEST(equal_names_intern_to_one_pointer),
        ROOM_TEST(distance_counts_edits),
        cmocka_unit_test(the_nearest_name_is_within_three_edits),
        ROOM_TEST(json_strings_are_escaped),
        ROOM_TEST(formats_and_padding_grow_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
