/* Explanations through the public interface: results are texts of the context, refusals are diagnostics, nothing crashes. */
#include "support/check.h"

#include "tilewright/tilewright.h"

static void a_format_and_a_dot_product_are_explained(void **state)
{
    (void)state;
    tw_ctx *const ctx = tw_ctx_create(NULL);
    const char *text = NULL;
    assert_int_equal(tw_explain_format(ctx, "e5m2", &text), TW_OK);
    assert_non_null(strstr(text, "largest             0x7b = 57344\n"));
    assert_int_equal(tw_explain_format(ctx, "float16", &text), TW_OK);
    assert_non_null(strstr(text, "f16: floating-point, sign 1, exponent 5, fraction 10 bits, bias 15\n"));
    const tw_dot_opts opts = {.arch = "sm_90a", .a = "1,2", .b = "3,4", .c = "0.5"};
    assert_int_equal(tw_explain_dot(ctx, "mma.sync.f16", &opts, &text), TW_OK);
    assert_non_null(strstr(text, "\nD = 0x41380000 = 11.5, cut toward zero\n"));
    assert_int_equal(tw_error_count(ctx), 0);
    tw_ctx_destroy(ctx);
}

static void every_refusal_is_a_diagnostic(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        tw_dot_opts opts;
    } rows[] = {
        {"", {.a = "1", .b = "1"}}, {".", {.a = "1", .b = "1"}}, {"sm_90", {.a = "1", .b = "1"}}, {"mma", {.a = "1", .b = "1"}},
        {"mma.sync.f16.f16.f16.f16.f16", {.a = "1", .b = "1"}}, {"mma.sync.m16n8k.f16", {.a = "1", .b = "1"}},
        {"tcgen05.kind::", {.a = "1", .b = "1"}}, {"tcgen05.f16", {0}}, {"tcgen05.f16", {.a = "", .b = ""}},
        {"tcgen05.f16", {.a = ":", .b = ":"}}, {"tcgen05.f16", {.a = "1:", .b = "1"}}, {"tcgen05.f16", {.a = "0x", .b = "1"}},
        {"tcgen05.f16", {.a = "1:257", .b = "1:257"}}, {"tcgen05.f16", {.a = "1", .b = "1", .c = "1,2"}},
        {"tcgen05.f16", {.a = "1", .b = "1", .scale_a = "1", .scale_b = "1"}}, {"tcgen05.f16", {.a = "1", .b = "1", .meta = "4"}},
        {"tcgen05.sp.f16", {.a = "1,1", .b = "1:4"}}, {"tcgen05.mxf4", {.a = "1:32", .b = "1:32", .scale_a = "-1", .scale_b = "1"}},
        {"tcgen05.f16", {.arch = "sm_", .a = "1", .b = "1"}}, {"tcgen05.f16", {.arch = "sm_100x", .a = "1", .b = "1"}},
        {"mma.sync.f32.f16.f16.f16", {.a = "1", .b = "1"}}, {"mma.sync.s8", {.a = "1.5", .b = "1"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_ctx *const ctx = tw_ctx_create(NULL);
        const char *text = "";
        assert_int_equal(tw_explain_dot(ctx, rows[i].kind, &rows[i].opts, &text), TW_ERROR);
        assert_null(text);
        if (tw_error_count(ctx) != 1)
            fail_msg("row %zu, %s: %u errors\n%s", i, rows[i].kind, tw_error_count(ctx), tw_diagnostics(ctx, TW_TEXT));
        tw_ctx_destroy(ctx);
    }
    tw_ctx *const ctx = tw_ctx_create(NULL);
    const char *text = "";
    assert_int_equal(tw_explain_dot(ctx, "tcgen05.f16", NULL, &text), TW_ERROR);
    assert_int_equal(tw_explain_format(ctx, "", &text), TW_ERROR);
    assert_int_equal(tw_explain_format(ctx, "none", &text), TW_ERROR);
    assert_null(text);
    tw_ctx_destroy(ctx);
}

static void a_fragment_is_explained_as_text_and_as_data(void **state)
{
    (void)state;
    static const char spelling[] = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    tw_ctx *const ctx = tw_ctx_create(NULL);
    const char *text = NULL;
    assert_int_equal(tw_explain_fragment(ctx, spelling, NULL, TW_TEXT, &text), TW_OK);
    assert_non_null(strstr(text, "\nC: (m, n) in register r of each lane\n"));
    assert_non_null(strstr(text, "\n   5  (1, 2..3)     (9, 2..3)     (1, 10..11)   (9, 10..11)\n")); /* A: seed 003's table, words as pairs */
    assert_int_equal(tw_explain_fragment(ctx, spelling, "B", TW_JSON, &text), TW_OK);
    assert_non_null(strstr(text, "\"name\":\"B\""));
    assert_null(strstr(text, "\"name\":\"A\""));
    assert_non_null(strstr(text, ",\n[[[1,2],[1,3]],[[1,10],[1,11]]],\n")); /* lane 5 */
    assert_int_equal(tw_error_count(ctx), 0);
    tw_ctx_destroy(ctx);
}

static void a_fragment_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", NULL}, {".", NULL}, {"mma", NULL}, {"mma.sync", NULL}, {"add.f32", NULL}, {"wgmma.mma_async.sync.aligned.m64n7k16.f32.f16.f16", NULL},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "Z"}, {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ""},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "B"}, {"mma.sync.aligned.m16n8k1.row.col.s32.s4.s4.s32", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_ctx *const ctx = tw_ctx_create(NULL);
        const char *text = "";
        assert_int_equal(tw_explain_fragment(ctx, rows[i][0], rows[i][1], TW_TEXT, &text), TW_ERROR);
        assert_null(text);
        assert_int_equal(tw_error_count(ctx), 1);
        tw_ctx_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_format_and_a_dot_product_are_explained),
        cmocka_unit_test(a_fragment_is_explained_as_text_and_as_data),
        cmocka_unit_test(a_fragment_that_is_none_is_refused),
        cmocka_unit_test(every_refusal_is_a_diagnostic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
