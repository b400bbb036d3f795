/* `make examples`: every tensor-core example compiled, shown to ptxas where it is installed, run on the CPU under a few
 * seeds, and compared with its reference. Prints a table, and how many passed. */
#include "examples/catalogue.h"

#include "cli/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 3 };
static const char arch[] = "sm_100a";

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

static struct verdict judge(const struct example *e)
{
    struct verdict v = {.ptxas = -1};
    struct file_bytes text;
    if (!file_read(e->path, &text))
        return v;
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    const char *ptx;
    size_t len;
    const double began = seconds();
    v.compiled = ctx != NULL && tw_compile(ctx, e->path, text.at, text.len, &(tw_compile_opts){.arch = arch}, &module) == TW_OK &&
                 tw_module_text(module, TW_EMIT_PTX, &ptx, &len) == TW_OK;
    v.compile = seconds() - began;
    if (v.compiled) {
        v.ptxas = ask_ptxas(ptx, len, arch);
        run_all(ctx, e, module, &v);
    }
    if (ctx != NULL)
        fputs(tw_diagnostics(ctx, TW_TEXT), stderr);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    free(text.at);
    return v;
}

static bool passed(const struct verdict *v)
{
    return v->compiled && v->ptxas != 0 && v->differing == 0;
}

static void print_row(const struct example *e, const struct verdict *v)
{
    const char *name = strrchr(e->path, '/') + 1, *result = passed(v) ? "passed" : "FAILED";
    printf("%-22s %-46s %-8s %7.1f %7.1f  %s", name, e->what, v->ptxas < 0 ? "-" : v->ptxas ? "accepts" : "REFUSES",
           v->compile * 1e3, v->run * 1e3, result);
    if (!v->compiled)
        printf(": does not compile");
    else if (v->differing == UINT64_MAX)
        printf(": did not run to its end");
    else if (v->differing != 0)
        printf(": %" PRIu64 " elements differ", v->differing);
    putchar('\n');
    fflush(stdout);
}

int main(void)
{
    size_t good = 0;
    printf("%-22s %-46s %-8s %7s %7s  %s\n", "example", "what it shows", "ptxas", "compile", "run ms", "result");
    for (size_t i = 0; i < tw_example_count; i++) {
        const struct verdict v = judge(&tw_examples[i]);
        good += passed(&v);
        print_row(&tw_examples[i], &v);
    }
    printf("%zu passed, %zu failed\n", good, tw_example_count - good);
    return good == tw_example_count ? EXIT_SUCCESS : EXIT_FAILURE;
}
