/* Drawn kernels over the whole contract of tcgen05.mma: all compile, their descriptors are those of an independent
 * encoder, ptxas takes them for sm_100a and sm_103a, and those that run give what a plain product gives. TW_SWEEP=3000 in the environment draws so many (make sweep); a tenth of them run. */
#include "api/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DRAWN = 100, BATCH = 50, RUN_EVERY = 5, RUN_EVERY_LONG = 10 };

static uint32_t drawn(void)
{
    const char *many = getenv("TW_SWEEP");
    return many == NULL ? DRAWN : (uint32_t)strtoul(many, NULL, 10);
}

static tw_module *compiled(struct bench_room *room, tw_ctx *ctx, const struct sweep_case *c)
{
    const char *text = sweep_program(room, c);
    tw_module *module;
    if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = "sm_100a"}, &module) != TW_OK)
        fail_msg("%s\n%s\n%s", sweep_words(room, c), tw_diagnostics(ctx, TW_TEXT), text);
    return module;
}

/* Many entries in one file, without the lines that may stand there only once and those of source places. */
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

static void assemble(const struct text *entries, const char *target)
{
    char path[] = "/tmp/tilewright_XXXXXX", command[256];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(dprintf(file, ".version 8.8\n.target %s\n.address_size 64\n", target) > 0);
    assert_int_equal(write(file, entries->at, entries->len), (ssize_t)entries->len);
    close(file);
    snprintf(command, sizeof command, "ptxas -arch=%s -o /dev/null %s", target, path);
    if (system(command) != 0)
        fail_msg("ptxas refuses %s for %s", path, target);
    unlink(path);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Compiles a batch into one file; what sm_103a has of it (all but kind::i8) is assembled for that target too. */
static void compile_batch(uint32_t first, uint32_t count, double *took, bool assembler)
{
    void *state;
    tw_test_setup(&state);
    struct bench_room *room = state;
    struct text all, later;
    tw_text_init(&all, &room->arena);
    tw_text_init(&later, &room->arena);
    for (uint32_t i = 0; i < count; i++) {
        const struct sweep_case c = sweep_draw(first + i);
        const char *ptx;
        size_t len;
        tw_ctx *ctx = tw_ctx_create(NULL);
        const double began = seconds();
        tw_module *module = compiled(room, ctx, &c);
        assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &ptx, &len), TW_OK);
        *took += seconds() - began;
        sweep_check_words(room, &c, ptx);
        append_entry(&all, ptx);
        if (strstr(ptx, "kind::i8") == NULL)
            append_entry(&later, ptx);
        tw_module_destroy(module);
        tw_ctx_destroy(ctx);
    }
    if (assembler) {
        assemble(&all, "sm_100a");
        assemble(&later, "sm_103a");
    }
    tw_test_teardown(&state);
}

static void drawn_kernels_compile_and_assemble(void **state)
{
    (void)state;
    const bool assembler = system("ptxas --version > /dev/null 2>&1") == 0;
    if (!assembler)
        printf("not run: the assembler's verdict, no ptxas\n");
    double took = 0;
    for (uint32_t i = 0; i < drawn(); i += BATCH)
        compile_batch(i, drawn() - i < BATCH ? drawn() - i : BATCH, &took, assembler);
    if (getenv("TW_SWEEP") != NULL)
        printf("%u kernels, %.0f compiled a second\n", drawn(), (double)drawn() / took);
}

static void drawn_kernels_give_the_plain_product(void **state)
{
    struct bench_room *room = *state;
    const uint32_t every = getenv("TW_SWEEP") == NULL ? RUN_EVERY : RUN_EVERY_LONG;
    uint32_t count = 0;
    for (uint32_t i = 0; i < drawn(); i += every, count++) {
        const struct sweep_case c = sweep_draw(i);
        tw_ctx *ctx = tw_ctx_create(NULL);
        tw_module *module = compiled(room, ctx, &c);
        const uint64_t differing = sweep_run(ctx, module, &c);
        if (differing != 0)
            fail_msg("%s: %lld elements differ\n%s", sweep_words(room, &c), (long long)differing, tw_diagnostics(ctx, TW_TEXT));
        tw_module_destroy(module);
        tw_ctx_destroy(ctx);
    }
    if (getenv("TW_SWEEP") != NULL)
        printf("%u kernels ran\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_kernels_compile_and_assemble),
        ROOM_TEST(drawn_kernels_give_the_plain_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
