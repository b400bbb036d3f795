/* Drawn kernels over the whole contract of mma.sync: all compile, ptxas takes them for the least target that has the form, and
 * those that run give what a plain product gives. TW_SWEEP=3000 in the environment draws so many (make sweep); a tenth of
 * them run. */
#include "api/mma_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DRAWN = 120, BATCH = 60, RUN_EVERY = 3, RUN_EVERY_LONG = 10 };

static uint32_t drawn(void)
{
    const char *many = getenv("TW_SWEEP");
    return many == NULL ? DRAWN : (uint32_t)strtoul(many, NULL, 10);
}

static tw_module *compiled(struct bench_room *room, tw_ctx *ctx, const struct mma_case *c, const char *arch)
{
    const char *text = mma_program(room, c);
    tw_module *module;
    if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = arch}, &module) != TW_OK)
        fail_msg("%s\n%s\n%s", mma_words(room, c), tw_diagnostics(ctx, TW_TEXT), text);
    return module;
}

/* Entries for one target in one file, without the lines that may stand there only once and those of source places. */
static void append_entry(struct text *all, const char *ptx)
{
    for (const char *line = ptx; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        const char *word = line + strspn(line, " ");
        const bool once = strncmp(word, ".version", 8) == 0 || strncmp(word, ".target", 7) == 0 || strncmp(word, ".address_size", 13) == 0;
        if (!once && strncmp(word, ".loc", 4) != 0 && strncmp(word, ".file", 5) != 0)
            tw_text_add_str(all, (struct str){line, len + 1});
        line += len + (line[len] == '\n');
    }
}

static void assemble(const struct text *all, const char *arch)
{
    char path[] = "/tmp/tilewright_XXXXXX", command[512];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, all->at, all->len), (ssize_t)all->len);
    close(file);
    /* ptxas advises on every mma.sp without ordered metadata; that is shown only where it refuses something. */
    snprintf(command, sizeof command, "ptxas -arch=%s -o /dev/null %s > %s.log 2>&1 || { grep -v Advisory %s.log; false; }", arch, path,
             path, path);
    if (system(command) != 0)
        fail_msg("ptxas refuses %s", path);
    snprintf(command, sizeof command, "%s.log", path);
    unlink(command);
    unlink(path);
}

/* Exactly batch x M x N x K instructions, and none that loads, moves between lanes or waits. */
static void expect_only_products(struct bench_room *room, const struct mma_case *c, const char *ptx)
{
    static const char *const foreign[] = {"ldmatrix", "shfl", "bar.", "barrier", "movmatrix", "ld.shared", "fence"};
    int count = 0;
    for (const char *at = ptx; (at = strstr(at, c->form.opcode)) != NULL; at++)
        count++;
    if (count != (c->has_batch ? c->batch : 1) * c->m_repeat * c->n_repeat * c->k_repeat)
        fail_msg("%s: %d instructions", mma_words(room, c), count);
    for (size_t i = 0; i < COUNT(foreign); i++)
        if (strstr(ptx, foreign[i]) != NULL)
            fail_msg("%s: %s stands in the code", mma_words(room, c), foreign[i]);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Compiles those of a batch that are for `arch` into one file. */
static void compile_batch(uint32_t first, uint32_t count, const char *arch, double *took, bool assembler)
{
    void *state;
    tw_test_setup(&state);
    struct bench_room *room = state;
    struct text all;
    tw_text_init(&all, &room->arena);
    tw_text_addf(&all, ".version 8.8\n.target %s\n.address_size 64\n", arch);
    const size_t head = all.len;
    for (uint32_t i = first; i < first + count; i++) {
        const struct mma_case c = mma_draw(i);
        const char *ptx;
        size_t len;
        if (strcmp(c.form.arch, arch) != 0)
            continue;
        tw_ctx *ctx = tw_ctx_create(NULL);
        const double began = seconds();
        tw_module *module = compiled(room, ctx, &c, arch);
        assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &ptx, &len), TW_OK);
        *took += seconds() - began;
        expect_only_products(room, &c, ptx);
        append_entry(&all, ptx);
        tw_module_destroy(module);
        tw_ctx_destroy(ctx);
    }
    if (assembler && all.len > head)
        assemble(&all, arch);
    tw_test_teardown(&state);
}

static void drawn_kernels_compile_and_assemble(void **state)
{
    static const char *const archs[] = {"sm_80", "sm_89", "sm_90", "sm_120a"};
    (void)state;
    const bool assembler = system("ptxas --version > /dev/null 2>&1") == 0;
    if (!assembler)
        printf("not run: the assembler's verdict, no ptxas\n");
    double took = 0;
    for (uint32_t i = 0; i < drawn(); i += BATCH)
        for (size_t a = 0; a < COUNT(archs); a++)
            compile_batch(i, drawn() - i < BATCH ? drawn() - i : BATCH, archs[a], &took, assembler);
    if (getenv("TW_SWEEP") != NULL)
        printf("%u kernels of %zu forms, %.0f compiled a second\n", drawn(), mma_forms(), (double)drawn() / took);
}

static void drawn_kernels_give_the_plain_product(void **state)
{
    struct bench_room *room = *state;
    const uint32_t every = getenv("TW_SWEEP") == NULL ? RUN_EVERY : RUN_EVERY_LONG;
    uint32_t count = 0, unknown = 0;
    for (uint32_t i = 0; i < drawn(); i += every) {
        const struct mma_case c = mma_draw(i);
        if (c.form.run == NULL) {
            unknown++;
            continue;
        }
        tw_ctx *ctx = tw_ctx_create(NULL);
        tw_module *module = compiled(room, ctx, &c, c.form.run);
        const uint64_t differing = mma_run(ctx, module, NULL, &c);
        if (differing != 0)
            fail_msg("%s: %lld elements differ\n%s", mma_words(room, &c), (long long)differing, tw_diagnostics(ctx, TW_TEXT));
        tw_module_destroy(module);
        tw_ctx_destroy(ctx);
        count++;
    }
    if (getenv("TW_SWEEP") != NULL)
        printf("%u kernels ran, %u have no known arithmetic\n", count, unknown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_kernels_compile_and_assemble),
        ROOM_TEST(drawn_kernels_give_the_plain_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
