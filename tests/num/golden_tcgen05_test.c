/* tcgen05 dot products against words captured on a B200 by others, and against an independent program's cases. */
#include "support/check.h"
#include "support/tcg.h"

#include "base/json.h"
#include "num/dot.h"

#include <stdio.h>

struct dot_case {
    const char *name;
    const struct num_dot_model *model;
    struct num_dot_how how;
    unsigned n;
    uint64_t a[128], b[128], scale_a[16], scale_b[16];
    bool scaled;
    uint64_t c, want;
};

static struct str text_of(const struct json *object, const char *key)
{
    const struct json *v = tw_json_get(object, key);
    return v != NULL && v->kind == JSON_STRING ? v->text : STR("");
}

/* "0x2aac70ea" */
static uint64_t hex_of(const struct json *object, const char *key)
{
    const struct str s = text_of(object, key);
    assert_true(tw_str_starts(s, "0x"));
    uint64_t word = 0;
    for (size_t i = 2; i < s.len; i++)
        word = word << 4 | (uint64_t)(s.at[i] <= '9' ? s.at[i] - '0' : s.at[i] - 'a' + 10);
    return word;
}

/* bf16 operands come as f32 containers: the low half is dropped before anything looks at the word. */
static unsigned words_of(const struct json *object, const char *key, enum num_format f, uint64_t *out, unsigned room)
{
    const struct json *list = tw_json_get(object, key);
    if (list == NULL)
        return 0;
    assert_true(list->count <= room);
    for (uint32_t i = 0; i < list->count; i++) {
        int64_t word = 0;
        assert_true(tw_json_int(&list->items[i], &word));
        out[i] = f == NUM_BF16 ? (uint64_t)word >> 16 : (uint64_t)word;
    }
    return list->count;
}

static enum num_kind kind_of(struct str kind)
{
    if (tw_str_is(kind, "mxf8f6f4"))
        return NUM_MXF8F6F4;
    if (tw_str_is(kind, "mxf4"))
        return NUM_MXF4;
    return tw_str_is(kind, "mxf4nvf4") ? NUM_MXF4NVF4 : NUM_PLAIN;
}

static struct dot_case case_of(const struct json *object)
{
    struct dot_case t = {.name = text_of(object, "name").at};
    t.how.a = tw_num_format_by_name(text_of(object, "a_format"));
    t.how.b = tw_num_format_by_name(text_of(object, "b_format"));
    t.how.d = tw_num_format_by_name(text_of(object, "d_format"));
    t.n = words_of(object, "a", t.how.a, t.a, COUNT(t.a));
    assert_int_equal(t.n, words_of(object, "b", t.how.b, t.b, COUNT(t.b)));
    t.c = hex_of(object, "c");
    t.want = hex_of(object, "expected");
    const struct json *saturate = tw_json_get(object, "saturate");
    t.how.saturate = saturate != NULL && saturate->boolean;
    t.model = tw_num_dot_model(NUM_BLACKWELL, NUM_TCGEN05, kind_of(text_of(object, "kind")), t.how.a, t.how.b, t.how.d);
    t.how.scale = tw_num_format_by_name(text_of(object, "scale_format"));
    const unsigned blocks = words_of(object, "scale_a", NUM_NONE, t.scale_a, COUNT(t.scale_a));
    words_of(object, "scale_b", NUM_NONE, t.scale_b, COUNT(t.scale_b));
    t.scaled = blocks != 0;
    t.how.scale_block = (uint8_t)(blocks == 0 ? 0 : t.n / blocks);
    return t;
}

static size_t check_file(struct arena *arena, const char *path)
{
    size_t size = 0;
    const char *text = tw_test_read_file(arena, path, &size);
    assert_non_null(text);
    struct json_error error;
    const struct json *root = tw_json_read(arena, (struct str){text, size}, &error);
    assert_non_null(root);
    const struct json *cases = tw_json_get(root, "cases");
    assert_non_null(cases);
    for (uint32_t i = 0; i < cases->count; i++) {
        const struct dot_case t = case_of(&cases->items[i]);
        if (t.model == NULL)
            fail_msg("%s: no model", t.name);
        const uint64_t got = tw_num_dot(t.model, &t.how, t.n, t.a, t.b, &t.c, t.scaled ? t.scale_a : NULL,
                                        t.scaled ? t.scale_b : NULL);
        if (got != t.want)
            fail_msg("%s: want %llx, got %llx", t.name, (unsigned long long)t.want, (unsigned long long)got);
    }
    return cases->count;
}

static void the_words_captured_on_a_b200_match(void **state)
{
    struct bench_room *room = *state;
    assert_int_equal(check_file(&room->arena, "tests/golden/b200-words.json"), 60);
}

static void the_sample_of_the_independent_program_matches(void **state)
{
    struct bench_room *room = *state;
    assert_int_equal(check_file(&room->arena, "tests/golden/sm100-model.json"), 200);
}

static void the_independent_program_matches_in_all_cases(void **state)
{
    struct bench_room *room = *state;
    const char *path = tw_test_shared(&room->arena, "golden/sm100-model.json");
    if (path == NULL)
        skip();
    assert_int_equal(check_file(&room->arena, path), 2400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_words_captured_on_a_b200_match),
        ROOM_TEST(the_sample_of_the_independent_program_matches),
        ROOM_TEST(the_independent_program_matches_in_all_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
