/* The tensor-core examples for the other target that has their instructions: sm_103a takes every one but kind::i8.
 * SOURCE: tcgen05.md, targets (verdicts of ptxas). */
#include "emit/assemble.h"
#include "examples/catalogue.h"
#include "support/tcg.h"

static bool has_integers(const char *path)
{
    return strstr(path, "int8") != NULL;
}

static const char *compiled(struct bench_room *room, const struct example *e, const char *arch, tw_status *status)
{
    size_t size, len;
    const char *out = "";
    const char *const text = tw_test_read_file(&room->arena, e->path, &size);
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    assert_non_null(text);
    assert_non_null(ctx);
    *status = tw_compile(ctx, e->path, text, size, &(tw_compile_opts){.arch = arch}, &module);
    if (*status == TW_OK)
        assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &out, &len), TW_OK);
    else
        out = tw_diagnostics(ctx, TW_TEXT);
    out = tw_arena_copy(&room->arena, out, strlen(out));
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    return out;
}

static void sm_103a_takes_every_example_but_integers(void **state)
{
    struct bench_room *room = *state;
    const struct example *e;
    unsigned assembled = 0, refused = 0;
    for (size_t i = 0; (e = tw_example_at(i)) != NULL; i++) {
        tw_status status;
        if (strcmp(e->arch, "sm_100a") != 0)
            continue;
        const char *const text = compiled(room, e, "sm_103a", &status);
        if (status == TW_OK) {
            assembled += !have_ptxas() || assembles(text, "sm_103a");
            continue;
        }
        if (!has_integers(e->path) || strstr(text, "tcgen05.mma.kind::i8 needs target sm_100a, sm_110a") == NULL)
            fail_msg("%s\n%s", e->path, text);
        refused++;
    }
    assert_true(assembled >= 20);
    assert_int_equal(refused, 1);
    if (!have_ptxas())
        printf("not run: the assembler's verdict, no ptxas\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(sm_103a_takes_every_example_but_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
