/* `make examples`: every tensor-core example compiled, shown to ptxas where it is installed, run on the CPU under a few
 * seeds, and compared with its reference. Prints a table, and how many passed.
 *
 * `check --device cuda[:N]` compares instead the CPU machine with a GPU, to the bit, for every example that the GPU's
 * architecture can run, and says which were not run. */
#include "examples/catalogue.h"

#include "cli/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 3 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct verdict {
    int ptxas;             /* 1 accepted, 0 refused, -1 not asked */
    uint64_t differing;    /* over all runs; UINT64_MAX: a run did not end */
    double compile, run;   /* seconds; run: the slowest */
    bool compiled;
};

static void run_all(tw_ctx *ctx, const struct example *e, tw_module *module, struct verdict *v)
{
    for (uint32_t seed = 0; seed < RUNS && v->differing != UINT64_MAX; seed++) {
        const double began = seconds();
        const uint64_t count = tw_example_run(ctx, e, module, 1 + seed, seed);
        const double took = seconds() - began;
        v->differing = count == UINT64_MAX ? count : v->differing + count;
        v->run = took > v->run ? took : v->run;
    }
}

/* NULL after words in the context's diagnostics. `text` is read here and lives as long as the context, which shows its lines. */
static tw_module *compile(tw_ctx *ctx, const struct example *e, struct file_bytes *text)
{
    tw_module *module = NULL;
    *text = (struct file_bytes){NULL, 0};
    if (!file_read(e->path, text))
        return NULL;
    if (tw_compile(ctx, e->path, text->at, text->len, &(tw_compile_opts){.arch = e->arch}, &module) != TW_OK) {
        tw_module_destroy(module);
        module = NULL;
    }
    return module;
}

static bool passed(const struct verdict *v)
{
    return v->compiled && v->ptxas != 0 && v->differing == 0;
}

static struct verdict judge(const struct example *e)
{
    struct verdict v = {.ptxas = -1};
    const char *ptx;
    size_t len;
    tw_ctx *ctx = tw_ctx_create(NULL);
    if (ctx == NULL)
        return v;
    struct file_bytes text;
    const double began = seconds();
    tw_module *module = compile(ctx, e, &text);
    v.compiled = module != NULL && tw_module_text(module, TW_EMIT_PTX, &ptx, &len) == TW_OK;
    v.compile = seconds() - began;
    if (v.compiled) {
        v.ptxas = ask_ptxas(ptx, len, e->arch);
        run_all(ctx, e, module, &v);
    }
    if (!passed(&v)) /* what a Tx operation has chosen is no news here */
        fputs(tw_diagnostics(ctx, TW_TEXT), stderr);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    free(text.at);
    return v;
}

static void print_name(const struct example *e)
{
    printf("%-22s %-46s %-9s", strrchr(e->path, '/') + 1, e->what, e->arch);
}

static void print_row(const struct example *e, const struct verdict *v)
{
    print_name(e);
    printf(" %-8s %7.1f %7.1f  %s", v->ptxas < 0 ? "-" : v->ptxas ? "accepts" : "REFUSES", v->compile * 1e3, v->run * 1e3,
           passed(v) ? "passed" : "FAILED");
    if (!v->compiled)
        printf(": does not compile");
    else if (v->differing == UINT64_MAX)
        printf(": did not run to its end");
    else if (v->differing != 0)
        printf(": %" PRIu64 " elements differ", v->differing);
    putchar('\n');
    fflush(stdout);
}

static int judge_all(void)
{
    size_t good = 0, count = 0;
    const struct example *e;
    printf("%-22s %-46s %-9s %-8s %7s %7s  %s\n", "example", "what it shows", "for", "ptxas", "compile", "run ms", "result");
    for (; (e = tw_example_at(count)) != NULL; count++) {
        const struct verdict v = judge(e);
        good += passed(&v);
        print_row(e, &v);
    }
    printf("%zu passed, %zu failed\n", good, count - good);
    return good == count ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- against a GPU ---------------------------------------------------------------------------------- */

/* PTX for sm_80 runs on every later GPU; that of an architecture-specific target, sm_90a, on its own alone. */
static bool gpu_can_run(const struct example *e, unsigned sm)
{
    const char *arch = e->arch;
    const unsigned long target = strtoul(arch + strlen("sm_"), NULL, 10);
    return arch[strlen(arch) - 1] == 'a' ? target == sm : target <= sm;
}

static bool equal_on(const struct example *e, const tw_device_opts *opts)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_device *gpu = NULL;
    if (ctx == NULL)
        return false;
    struct file_bytes text;
    tw_module *module = compile(ctx, e, &text);
    bool equal = module != NULL && tw_device_create(ctx, opts, &gpu) == TW_OK;
    for (uint32_t seed = 1; equal && seed <= RUNS; seed++)
        equal = tw_example_compare(ctx, e, module, seed, gpu) == TW_OK;
    fputs(tw_diagnostics(ctx, TW_TEXT), stderr);
    tw_module_destroy(module);
    tw_device_destroy(gpu);
    tw_ctx_destroy(ctx);
    free(text.at);
    return equal;
}

static bool read_gpu(const tw_device_opts *opts, tw_device_info *info)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_device *gpu = NULL;
    const bool found = ctx != NULL && tw_device_create(ctx, opts, &gpu) == TW_OK;
    if (found) {
        tw_device_read_info(gpu, info);
        printf("%s, sm_%u, driver %u.%u\n", info->name, info->sm, info->driver_version / 1000, info->driver_version % 1000 / 10);
    } else if (ctx != NULL) {
        fputs(tw_diagnostics(ctx, TW_TEXT), stderr);
    }
    tw_device_destroy(gpu);
    tw_ctx_destroy(ctx);
    return found;
}

static int compare_all(const char *name)
{
    const char *ordinal = strchr(name, ':');
    const tw_device_opts opts = {.kind = TW_DEVICE_CUDA,
                                 .ordinal = ordinal == NULL ? 0 : (unsigned)strtoul(ordinal + 1, NULL, 10)};
    tw_device_info info;
    size_t equal = 0, not_run = 0, count = 0;
    const struct example *e;
    if (!read_gpu(&opts, &info))
        return EXIT_FAILURE;
    for (; (e = tw_example_at(count)) != NULL; count++) {
        const bool can = gpu_can_run(e, info.sm), same = can && equal_on(e, &opts);
        print_name(e);
        puts(!can ? " not run: another architecture" : same ? " equal" : " DIFFERS");
        fflush(stdout);
        equal += same;
        not_run += !can;
    }
    printf("%zu equal, %zu different, %zu not run\n", equal, count - equal - not_run, not_run);
    return equal + not_run == count ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return judge_all();
    if (argc == 3 && strcmp(argv[1], "--device") == 0 && strncmp(argv[2], "cuda", 4) == 0)
        return compare_all(argv[2]);
    fprintf(stderr, "usage: %s [--device cuda[:N]]\n", argv[0]);
    return 2;
}
