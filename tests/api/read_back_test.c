/* What the compiler builds is what its text says: for every example and for drawn kernels of tcgen05.mma and mma.sync, the module
 * that was built equals the one that is read from its text, and that prints the same text again. */
#include "api/mma_sweep.h"
#include "api/sweep.h"
#include "emit/assemble.h"

#include "api/api.h"
#include "examples/catalogue.h"

enum { DRAWN = 60, TEXT_BYTES = 1 << 16 };

static void must_read_back(struct bench_room *room, const char *path, const char *text, const char *arch)
{
    tw_ctx *const ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    const char *why = NULL;
    struct text again;
    if (tw_compile(ctx, path, text, strlen(text), &(tw_compile_opts){.arch = arch}, &module) != TW_OK)
        fail_msg("%s: %s", path, tw_diagnostics(ctx, TW_TEXT));
    const struct ptx_module *const built = tw_emit_ptx(module->kernel, ctx->isa, &ctx->diags, &module->how);
    assert_non_null(built);
    if (!tw_ptx_module_equal(built, module->ptx, &room->arena, &why))
        fail_msg("%s: %s", path, why);
    tw_text_init(&again, &room->arena);
    tw_ptx_print(module->ptx, &again);
    assert_int_equal(again.len, module->ptx_text.len);
    assert_memory_equal(again.at, module->ptx_text.at, again.len);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

static void every_example_reads_back_as_it_was_built(void **state)
{
    struct bench_room *const room = *state;
    const struct example *e;
    size_t count = 0;
    for (; (e = tw_example_at(count)) != NULL; count++) {
        FILE *const f = fopen(e->path, "rb");
        assert_non_null(f);
        char *const text = arena_new(&room->arena, char, TEXT_BYTES);
        const size_t len = fread(text, 1, TEXT_BYTES - 1, f);
        fclose(f);
        assert_in_range(len, 1, TEXT_BYTES - 2);
        text[len] = '\0';
        must_read_back(room, e->path, text, e->arch);
    }
    assert_true(count >= 40);
}

static void drawn_kernels_read_back_as_they_were_built(void **state)
{
    struct bench_room *const room = *state;
    for (uint32_t i = 0; i < DRAWN; i++) {
        const struct sweep_case tensor = sweep_draw(i);
        const struct mma_case warp = mma_draw(i);
        must_read_back(room, "tcgen05.py", sweep_program(room, &tensor), "sm_100a");
        must_read_back(room, "mma.py", mma_program(room, &warp), warp.form.arch);
    }
}

/* A module that differs in one operand is no other spelling of the same. */
static void another_module_is_told_apart(void **state)
{
    struct bench_room *const room = *state;
    const struct isa *const isa = tw_isa_open(&room->arena);
    const struct ptx_module *m[2];
    const char *why = NULL;
    for (unsigned i = 0; i < 2; i++) {
        const char *const text = tw_format(&room->arena, ".version 8.8\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b32 %%r<3>;\nadd.u32 %%r1, %%r2, %u;\nret;\n}\n", i);
        m[i] = tw_ptx_parse(&room->arena, isa, &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    }
    assert_true(tw_ptx_module_equal(m[0], m[0], &room->arena, &why));
    assert_false(tw_ptx_module_equal(m[0], m[1], &room->arena, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_example_reads_back_as_it_was_built),
        ROOM_TEST(drawn_kernels_read_back_as_they_were_built),
        ROOM_TEST(another_module_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
