/* How fast the machine interprets: thread instructions a second, best of several runs, all in one process. All rows but the
 * last two are measured in time of the processor, which other programs do not disturb; the last two by the wall's clock.
 *
 *     machine_bench            the table
 *     machine_bench NAME       one row, once (for a profiler)
 *
 * Each kernel is a loop written out in PTX; all lanes are active, so that a warp instruction counts as 32. */
#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, LANES = 32 };

#define HEAD ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n" \
             ".shared .align 16 .b8 box[32768];\n.reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .f32 %f<40>;\n.reg .b64 %q<8>;\n" \
             "ld.param.u64 %q0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, box;\n" \
             "mad.lo.u32 %r3, %r0, 16, %r3;\ncvt.rn.f32.u32 %f0, %r0;\nmul.wide.u32 %q1, %r0, 16;\nadd.u64 %q1, %q0, %q1;\n"
#define LOOP(count, body) "L:\n" body "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, " #count ";\n@%p0 bra L;\n"
#define TAIL "add.rn.f32 %f0, %f0, %f1;\nst.global.f32 [%q1], %f0;\nret;\n}\n"

#define FMA4(a) "fma.rn.f32 %f" #a "1, %f" #a "0, %f" #a "2, %f" #a "1;\nfma.rn.f32 %f" #a "3, %f" #a "1, %f" #a "2, %f" #a "0;\n" \
                "fma.rn.f32 %f" #a "5, %f" #a "4, %f" #a "6, %f" #a "5;\nfma.rn.f32 %f" #a "7, %f" #a "5, %f" #a "6, %f" #a "4;\n"
#define FMA16 FMA4(1) FMA4(2) FMA4(3) "fma.rn.f32 %f1, %f2, %f3, %f1;\nfma.rn.f32 %f4, %f5, %f6, %f4;\n" \
              "add.rn.f32 %f7, %f7, %f1;\nmul.rn.f32 %f8, %f4, %f8;\n"

static const struct row {
    const char *name, *what, *text;
    unsigned grid, block, threads;
    int processor; /* measured in time of the processor */
} rows[] = {
    {"f32", "registers, f32", HEAD LOOP(4000, FMA16 FMA16) TAIL, 4, 256, 1, 1},
    {"integers", "registers, integers", HEAD LOOP(8000, "mad.lo.u32 %r4, %r5, %r6, %r4;\nxor.b32 %r5, %r4, %r6;\nshl.b32 %r6, %r5, 3;\nadd.u32 %r7, %r6, %r4;\n"
                                                        "and.b32 %r8, %r7, 255;\nmax.s32 %r9, %r8, %r4;\nsub.u32 %r10, %r9, %r7;\nshr.u32 %r11, %r10, 5;\n") TAIL, 4, 256, 1, 1},
    {"shared", "shared memory", HEAD LOOP(8000, "ld.shared.v4.f32 {%f10, %f11, %f12, %f13}, [%r3];\nfma.rn.f32 %f10, %f11, %f12, %f10;\n"
                                                "st.shared.f32 [%r3], %f10;\nld.shared.f32 %f14, [%r3+4096];\nfma.rn.f32 %f13, %f14, %f10, %f13;\n"
                                                "st.shared.f32 [%r3+4096], %f13;\n") TAIL, 4, 256, 1, 1},
    {"global", "global memory, neighbours", HEAD LOOP(8000, "ld.global.f32 %f10, [%q1];\nfma.rn.f32 %f10, %f10, %f11, %f10;\nst.global.f32 [%q1], %f10;\n") TAIL, 1, 256, 1, 1},
    {"diverged", "branches apart in the warp", HEAD "and.b32 %r9, %r0, 1;\nsetp.eq.u32 %p1, %r9, 0;\n"
                                             LOOP(8000, "@%p1 bra ODD;\nadd.u32 %r4, %r4, 1;\nbra MEET;\nODD: add.u32 %r4, %r4, 3;\nMEET:\n") TAIL, 4, 256, 1, 1},
    {"two-1", "two clusters, one host thread", HEAD LOOP(40000, FMA16 FMA16) TAIL, 2, 256, 1, 0},
    {"two-2", "two clusters, two host threads", HEAD LOOP(40000, FMA16 FMA16) TAIL, 2, 256, 2, 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static double now(int processor)
{
    struct timespec t;
    clock_gettime(processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void give_up(tw_ctx *ctx, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, tw_diagnostics(ctx, TW_TEXT));
    exit(1);
}

/* Seconds of one run, and the warp instructions that it took. */
static double run_once(tw_ctx *ctx, tw_module *module, const struct row *row, uint64_t *steps)
{
    tw_device *device;
    tw_launch *launch;
    uint64_t out;
    if (tw_device_create(ctx, NULL, &device) != TW_OK || tw_alloc(device, 1 << 20, &out) != TW_OK)
        give_up(ctx, row->name);
    const tw_launch_opts opts = {.grid = {row->grid}, .block = {row->block}, .params = &out, .param_bytes = sizeof out, .threads = row->threads};
    if (tw_launch_create(device, module, &opts, &launch) != TW_OK)
        give_up(ctx, row->name);
    const double began = now(row->processor);
    if (tw_launch_run(launch, 0) != TW_OK)
        give_up(ctx, row->name);
    const double took = now(row->processor) - began;
    tw_launch_stats stats;
    tw_launch_read_stats(launch, &stats);
    *steps = stats.steps;
    tw_launch_destroy(launch);
    tw_device_destroy(device);
    return took;
}

static double measure(const struct row *row, unsigned runs)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module;
    uint64_t steps = 0;
    double best = 1e9;
    if (ctx == NULL || tw_module_parse(ctx, row->name, row->text, strlen(row->text), &module) != TW_OK)
        give_up(ctx, row->name);
    for (unsigned i = 0; i < runs; i++) {
        const double took = run_once(ctx, module, row, &steps);
        best = took < best ? took : best;
    }
    const double rate = (double)steps * LANES / best;
    printf("%-34s %8.1f ms  %8.3f G thread instructions a second  (best of %u)\n", row->what, best * 1e3, rate * 1e-9, runs);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    return rate;
}

int main(int argc, char **argv)
{
    double rates[ROWS] = {0};
    for (size_t i = 0; i < ROWS; i++)
        if (argc < 2)
            rates[i] = measure(&rows[i], RUNS);
        else if (strcmp(argv[1], rows[i].name) == 0)
            return measure(&rows[i], 1) > 0 ? 0 : 1;
    if (argc > 1) {
        fprintf(stderr, "machine_bench: no row '%s'\n", argv[1]);
        return 2;
    }
    printf("%-34s %8.2f times one\n", "two host threads", rates[ROWS - 1] / rates[ROWS - 2]);
    return 0;
}
