/* Explanations: the numbers in them, that an observed evaluation is the evaluation, and lists that the table of models gives. */
#include "support/check.h"

#include "num/explain.h"

#include <stdio.h>
#include <stdlib.h>

static const char *exact(struct bench_room *room, int64_t sig, int32_t exp)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_num_print_exact(&t, sig, exp);
    return t.at;
}

static void exact_numbers_are_decimal_where_short_and_powers_of_two_else(void **state)
{
    struct bench_room *const room = *state;
    assert_string_equal(exact(room, 0, 5), "0");
    assert_string_equal(exact(room, 3, -1), "1.5");
    assert_string_equal(exact(room, -6, -2), "-1.5");
    assert_string_equal(exact(room, 1, -149), "2^-149");
    assert_string_equal(exact(room, -1025, -48), "-1025*2^-48");
    assert_string_equal(exact(room, INT64_MAX, 0), "9223372036854775807*2^0");
    assert_string_equal(exact(room, INT64_MIN, 0), "-2^63");
    assert_string_equal(exact(room, 448, 4), "7168");
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static enum num_format first_of(uint32_t set)
{
    unsigned f = 0;
    while ((set >> f & 1) == 0)
        f++;
    return (enum num_format)f;
}

/* What windows say must add up: the sum is that of the parts, each part is its value cut toward zero, and the last d is D. */
struct checking {
    const struct num_dot_model *model;
    uint64_t last;
    unsigned windows, steps;
};

static void check_step(void *context, const struct num_dot_step *s)
{
    struct checking *const c = context;
    c->steps++;
    c->last = s->word;
}

static void check_window(void *context, const struct num_dot_window *w)
{
    struct checking *const c = context;
    int64_t sum = 0;
    c->windows++;
    c->last = w->d;
    for (unsigned i = 0; i < w->count; i++) {
        const struct num_dot_part *p = &w->part[i];
        sum += p->left_out ? 0 : p->units;
        if (p->sig == 0)
            assert_int_equal(p->units, 0);
        if (p->sig != 0 && p->kind != NUM_PART_GROUP && c->model->method != NUM_DOT_SCALE_GROUPS)
            assert_true(p->top <= w->top || w->unit == p->exp);
        if (p->unit == w->unit && p->sig != 0 && p->exp < p->unit && p->unit - p->exp < 63)
            assert_int_equal(p->units, p->sig / (INT64_C(1) << (p->unit - p->exp)));
    }
    if (!w->special)
        assert_int_equal(sum, w->units);
}

/* Every model on random words: the same word as without an observer, and windows that add up. */
static void what_is_observed_is_what_is_computed(void **state)
{
    struct bench_room *const room = *state;
    uint64_t seed = 11;
    size_t count;
    const struct num_dot_model *const models = tw_num_dot_models(&count);
    for (size_t m = 0; m < count; m++) {
        const bool scaled = models[m].kind != NUM_PLAIN;
        struct num_dot_how how = {.a = first_of(models[m].a_formats), .b = first_of(models[m].b_formats), .d = first_of(models[m].d_formats)};
        how.scale = !scaled ? NUM_NONE : models[m].kind == NUM_MXF4NVF4 ? NUM_UE4M3 : NUM_UE8M0;
        how.scale_block = !scaled ? 0 : models[m].kind == NUM_MXF4NVF4 ? 16 : 32;
        for (unsigned round = 0; round < 200; round++) {
            uint64_t a[64], b[64], c = next(&seed), sa[4], sb[4];
            const unsigned n = scaled ? 64 : 32;
            for (unsigned k = 0; k < n; k++) {
                a[k] = next(&seed) >> (k % 3 == 0 ? 60 : 0); /* some small words, some zeros */
                b[k] = next(&seed);
                sa[k % 4] = next(&seed) >> 8 & 0x7f;
                sb[k % 4] = next(&seed) >> 8 & 0x7f;
            }
            struct checking checking = {.model = &models[m]};
            const struct num_dot_observer observer = {check_window, check_step, &checking};
            const uint64_t *const scale_a = scaled ? sa : NULL, *const scale_b = scaled ? sb : NULL;
            const uint64_t plain = tw_num_dot(&models[m], &how, n, a, b, &c, scale_a, scale_b);
            assert_int_equal(tw_num_dot_observed(&models[m], &how, n, a, b, &c, scale_a, scale_b, &observer), plain);
            const bool f32 = models[m].method == NUM_DOT_F32_CHAIN || models[m].method == NUM_DOT_F32_PAIRS;
            const bool windows = !f32 && models[m].method != NUM_DOT_FMA_CHAIN && models[m].method != NUM_DOT_INTEGER && models[m].method != NUM_DOT_BITS;
            assert_int_equal(checking.steps, models[m].method == NUM_DOT_F32_CHAIN ? n + 1 : f32 ? n + n / 2 : 0);
            if (models[m].method == NUM_DOT_F32_CHAIN)
                assert_int_equal(checking.last, plain);
            assert_int_equal(checking.windows != 0, windows);
            if (windows && models[m].method != NUM_DOT_TWO_STEP_F16)
                assert_int_equal(checking.last, plain);
            const struct num_dot_case x = {&models[m], &how, n, a, b, &c, scale_a, scale_b};
            struct text text;
            tw_text_init(&text, &room->arena);
            if (round < 20) {
                tw_num_explain_dot(&text, &x);
                assert_non_null(strstr(text.at, tw_format(&room->arena, "\nD = 0x%0*llx = ", (int)(tw_num_bits(how.d) + 3) / 4, (unsigned long long)plain)));
            }
        }
    }
}

static void every_combination_is_listed_for_its_instruction_and_target(void **state)
{
    struct bench_room *const room = *state;
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_num_list_dots(&t, NUM_ADA, NUM_MMA_SYNC);
    assert_string_equal(t.at, "f16 x the same to f16|f32; bf16 x the same to f32; tf32 x the same to f32; e4m3|e5m2 x e4m3|e5m2 to f16|f32; "
                              "f64 x the same to f64; s8|u8 x s8|u8 to s32; s4|u4 x s4|u4 to s32; b1 x the same to s32");
    tw_text_init(&t, &room->arena);
    tw_num_list_dots(&t, NUM_BLACKWELL, NUM_TCGEN05);
    assert_string_equal(t.at, "f16 x the same to f32; f16 x the same to f16; bf16 x the same to f32; tf32 x the same to f32; "
                              "e4m3|e5m2|e2m3|e3m2|e2m1 x e4m3|e5m2|e2m3|e3m2|e2m1 to f16|f32; "
                              "mxf8f6f4: e4m3|e5m2|e2m3|e3m2|e2m1 x e4m3|e5m2|e2m3|e3m2|e2m1 to f32; mxf4: e2m1 x the same to f32; "
                              "mxf4nvf4: e2m1 x the same to f32; s8|u8 x s8|u8 to s32");
    tw_text_init(&t, &room->arena);
    tw_num_list_dots(&t, NUM_HOPPER, NUM_MMA_M8N8K4);
    assert_string_equal(t.at, "f16 x the same to f32; f16 x the same to f16");
    tw_text_init(&t, &room->arena);
    tw_num_list_dots(&t, NUM_TURING, NUM_WGMMA);
    assert_string_equal(t.at, "none: Turing has no wgmma");
    tw_text_init(&t, &room->arena);
    tw_num_list_dots(&t, NUM_TURING, NUM_MMA_M8N8K4); /* it has one of its own */
    assert_string_equal(t.at, "none: nobody has described Turing's mma.sync m8n8k4");
}

/* docs/exactness.md carries the table of models between two marks. TW_BLESS=exactness writes it there. */
static const char begin_mark[] = "<!-- models: written by tests/num/explain_test with TW_BLESS=exactness -->\n", end_mark[] = "<!-- end of models -->\n";

static char *read_page(struct bench_room *room)
{
    FILE *const f = fopen("docs/exactness.md", "rb");
    assert_non_null(f);
    struct text t;
    char buffer[4096];
    tw_text_init(&t, &room->arena);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) != 0;)
        tw_text_add_str(&t, (struct str){buffer, n});
    fclose(f);
    return t.at;
}

static void the_page_of_exactness_carries_the_table_of_models(void **state)
{
    struct bench_room *const room = *state;
    struct text table;
    char *const page = read_page(room);
    char *const from = strstr(page, begin_mark), *const to = strstr(page, end_mark);
    assert_true(from != NULL && to != NULL && from < to);
    tw_text_init(&table, &room->arena);
    tw_num_evidence_table(&table);
    const char *const bless = getenv("TW_BLESS");
    if (bless != NULL && strcmp(bless, "exactness") == 0) {
        FILE *const f = fopen("docs/exactness.md", "wb");
        assert_non_null(f);
        fprintf(f, "%.*s%s%s", (int)(from - page + (long)strlen(begin_mark)), page, table.at, to);
        fclose(f);
        return;
    }
    *to = '\0';
    assert_string_equal(from + strlen(begin_mark), table.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(exact_numbers_are_decimal_where_short_and_powers_of_two_else),
        ROOM_TEST(what_is_observed_is_what_is_computed),
        ROOM_TEST(every_combination_is_listed_for_its_instruction_and_target),
        ROOM_TEST(the_page_of_exactness_carries_the_table_of_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
