/* The CUDA back end for mma.sync: drawn kernels of every family through nvcc's PTX and through ours on the same machine, both
 * compared with the plain product; matrices, metadata and scales are legal ones, which arbitrary bits are not. */
#include "api/mma_sweep.h"
#include "api/nvcc.h"

/* One case of each goes through nvcc: beginnings of spellings. Every mma.sp without ordered metadata earns a remark of nvcc. */
static const char *const forms[] = {
    "mma.sync.aligned.m16n8k16.row.col.f16.f16", "mma.sync.aligned.m16n8k8.row.col.f32.tf32", "mma.sync.aligned.m16n8k8.row.col.f64",
    "mma.sync.aligned.m16n8k32.row.col.f32.e5m2", "mma.sync.aligned.m16n8k32.row.col.satfinite", "mma.sync.aligned.m16n8k256",
    "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4",
    "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16", "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4",
};

static struct mma_case case_of(const char *form)
{
    for (uint32_t i = 0; i < 4096; i++) {
        const struct mma_case c = mma_draw(i);
        if (strncmp(c.form.opcode, form, strlen(form)) == 0)
            return c;
    }
    fail_msg("no drawn case of %s", form);
    return mma_draw(0);
}

static void expect_both(struct bench_room *room, const struct mma_case *c)
{
    const char *text = mma_program(room, c), *cuda, *contract;
    size_t len;
    tw_module *ours, *nvcc;
    tw_ctx *ctx = tw_ctx_create(NULL);
    assert_non_null(ctx);
    if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = c->form.run}, &ours) != TW_OK ||
        tw_module_text(ours, TW_EMIT_CUDA, &cuda, &len) != TW_OK || tw_module_text(ours, TW_EMIT_LAUNCH, &contract, &len) != TW_OK)
        fail_msg("%s\n%s", mma_words(room, c), tw_diagnostics(ctx, TW_TEXT));
    char *ptx = nvcc_ptx(c->form.opcode, cuda, c->form.run, "-w"); /* a register file that only some cases read is always loaded */
    if (tw_module_parse(ctx, "nvcc.ptx", ptx, strlen(ptx), &nvcc) != TW_OK)
        fail_msg("%s\n%s", mma_words(room, c), tw_diagnostics(ctx, TW_TEXT));
    const uint64_t by_ours = mma_run(ctx, ours, NULL, c), by_nvcc = mma_run(ctx, nvcc, contract, c);
    if (by_ours != 0 || by_nvcc != 0)
        fail_msg("%s: %lld elements differ by our PTX, %lld by nvcc's\n%s", mma_words(room, c), (long long)by_ours, (long long)by_nvcc,
                 tw_diagnostics(ctx, TW_TEXT));
    tw_module_destroy(nvcc);
    tw_module_destroy(ours);
    tw_ctx_destroy(ctx);
    free(ptx);
}

static void every_family_gives_the_same_product_through_nvcc(void **state)
{
    struct bench_room *room = *state;
    if (!have_nvcc())
        skip();
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct mma_case c = case_of(forms[i]);
        expect_both(room, &c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_family_gives_the_same_product_through_nvcc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
