/* How fast the machine interprets: thread instructions a second, best of several runs, all in one process.
 *
 *     machine_bench            the table
 *     machine_bench NAME       one row, once, nothing watching (for a profiler)
 *
 * Each kernel is a loop written out in PTX; all lanes are active, so that a warp instruction counts as 32. Rates are by time of
 * the processor, which other programs hardly disturb. "hazards" is the rate with an observer that counts the events which the
 * detector of hazards asks for (machine/events.h): what the detector costs before it looks at one. "all" is that with every event.
 *
 * Two host threads against one: by the clock, where the best of many short runs is one that nobody interrupted; and by
 * processor time, all threads together, where anything above one is what the threads cost each other. What the machine gives to
 * two threads at that moment is measured beside it with plain arithmetic. */
#include "bench/guest.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 5, PAIRS = 600, LANES = 32 };

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

struct row {
    const char *name, *what, *text;
    unsigned grid;
    double goal; /* G thread instructions a second; 0: none */
};

static const struct row rows[] = {
    {"f32", "registers, f32", HEAD LOOP(4000, FMA16 FMA16) TAIL, 4, 2},
    {"integers", "registers, integers", HEAD LOOP(8000, "mad.lo.u32 %r4, %r5, %r6, %r4;\nxor.b32 %r5, %r4, %r6;\nshl.b32 %r6, %r5, 3;\nadd.u32 %r7, %r6, %r4;\n"
                                                        "and.b32 %r8, %r7, 255;\nmax.s32 %r9, %r8, %r4;\nsub.u32 %r10, %r9, %r7;\nshr.u32 %r11, %r10, 5;\n") TAIL, 4, 0},
    {"shared", "shared memory", HEAD LOOP(8000, "ld.shared.v4.f32 {%f10, %f11, %f12, %f13}, [%r3];\nfma.rn.f32 %f10, %f11, %f12, %f10;\n"
                                                "st.shared.f32 [%r3], %f10;\nld.shared.f32 %f14, [%r3+4096];\nfma.rn.f32 %f13, %f14, %f10, %f13;\n"
                                                "st.shared.f32 [%r3+4096], %f13;\n") TAIL, 4, 0.3},
    {"global", "global memory, neighbours", HEAD LOOP(8000, "ld.global.f32 %f10, [%q1];\nfma.rn.f32 %f10, %f10, %f11, %f10;\nst.global.f32 [%q1], %f10;\n") TAIL, 1, 0},
    {"diverged", "branches apart in the warp", HEAD "and.b32 %r9, %r0, 1;\nsetp.eq.u32 %p1, %r9, 0;\n"
                                             LOOP(8000, "@%p1 bra ODD;\nadd.u32 %r4, %r4, 1;\nbra MEET;\nODD: add.u32 %r4, %r4, 3;\nMEET:\n") TAIL, 4, 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct row pair = {"pair", "two clusters", HEAD LOOP(1000, FMA16 FMA16) TAIL, 2, 0};

static void count_event(void *context, const struct machine_event *event)
{
    (void)event;
    ++*(uint64_t *)context;
}

struct subject {
    struct guest guest;
    struct launch_spec spec;
    uint64_t out;
};

static void open_subject(struct subject *s, struct landing *landing, const struct row *row)
{
    void *host;
    guest_open(&s->guest, landing, row->name, row->text);
    s->out = guest_alloc(&s->guest, 1 << 20, &host);
    s->spec = (struct launch_spec){.grid = {row->grid}, .block = {256}, .params = &s->out, .param_bytes = sizeof s->out, .threads = 1};
}

static struct cost best_of(struct subject *s, unsigned runs)
{
    struct cost best = guest_run(&s->guest, "k", &s->spec);
    for (unsigned i = 1; i < runs; i++)
        best = cost_best(best, guest_run(&s->guest, "k", &s->spec));
    return best;
}

static double rate_of(struct cost c)
{
    return (double)c.warp_steps * LANES / c.cpu * 1e-9;
}

/* The rate with an observer that counts. */
static double watched_rate(struct subject *s, bool shared_writes, double *events)
{
    uint64_t count = 0;
    s->spec.observer = (struct machine_observer){.event = count_event, .context = &count, .shared_writes = shared_writes};
    const double rate = rate_of(best_of(s, RUNS));
    *events = (double)count / RUNS;
    return rate;
}

static void measure(struct landing *landing, const struct row *row)
{
    struct subject s;
    double few, many;
    open_subject(&s, landing, row);
    const struct cost bare = best_of(&s, RUNS);
    const double rate = rate_of(bare), hazards = watched_rate(&s, true, &few), all = watched_rate(&s, false, &many);
    printf("%-28s %7.1f ms %7.3f%c %8.3f %5.2f %10.0f %9.3f %5.2f %10.0f\n", row->what, bare.cpu * 1e3, rate, rate < row->goal ? '<' : ' ',
           hazards, hazards / rate, few, all, all / rate, many);
    guest_close(&s.guest);
}

/* Some milliseconds that touch nothing but a register. */
static void *plain_work(void *count)
{
    for (volatile unsigned i = 0; i < *(const unsigned *)count; i++)
        ;
    return NULL;
}

/* Seconds of two portions of plain work, one after the other or on two threads. */
static double plain_seconds(bool apart)
{
    unsigned count = 9500000;
    pthread_t other;
    const double began = seconds_wall();
    if (!apart || pthread_create(&other, NULL, plain_work, &count) != 0) {
        plain_work(&count);
        plain_work(&count);
        return seconds_wall() - began;
    }
    plain_work(&count);
    pthread_join(other, NULL);
    return seconds_wall() - began;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* One thread and two by turns, so that both see the same neighbours, and what two threads gain that have nothing in common. */
static void measure_pair(struct landing *landing)
{
    struct subject s;
    struct cost best[2];
    double plain[2] = {1e9, 1e9};
    open_subject(&s, landing, &pair);
    for (unsigned i = 0; i < PAIRS; i++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            s.spec.threads = threads;
            const struct cost c = guest_run(&s.guest, "k", &s.spec);
            best[threads - 1] = i == 0 ? c : cost_best(best[threads - 1], c);
            plain[threads - 1] = least(plain[threads - 1], plain_seconds(threads == 2));
        }
    const double gain = best[0].wall / best[1].wall;
    printf("\ntwo clusters on one host thread and on two, best of %d runs each\n", PAIRS);
    printf("  by the clock        %8.1f ms %8.1f ms   %.2f times as fast%s; two threads of plain arithmetic: %.2f times (%.1f ms, %.1f ms)\n",
           best[0].wall * 1e3, best[1].wall * 1e3, gain, gain < 1.8 ? " <" : "", plain[0] / plain[1], plain[0] * 1e3, plain[1] * 1e3);
    printf("  of the processors   %8.1f ms %8.1f ms   %.2f times; 1: the threads cost each other nothing\n", best[0].cpu * 1e3,
           best[1].cpu * 1e3, best[1].cpu / best[0].cpu);
    guest_close(&s.guest);
}

static int run_one(struct landing *landing, const char *name)
{
    for (size_t i = 0; i <= ROWS; i++) {
        const struct row *const row = i < ROWS ? &rows[i] : &pair;
        if (strcmp(name, row->name) != 0)
            continue;
        struct subject s;
        open_subject(&s, landing, row);
        s.spec.threads = i < ROWS ? 1 : 2;
        const struct cost c = best_of(&s, 1);
        printf("%s: %.1f ms, %.3f G thread instructions a second of the processor\n", name, c.wall * 1e3, rate_of(c));
        guest_close(&s.guest);
        return 0;
    }
    fprintf(stderr, "machine_bench: no row '%s'\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    struct landing landing;
    if (setjmp(landing.at) != 0) {
        fprintf(stderr, "machine_bench: no memory\n");
        return 1;
    }
    if (argc > 1)
        return run_one(&landing, argv[1]);
    printf("G thread instructions a second of one processor, best of %d runs; < marks a rate below its goal\n", RUNS);
    printf("%-28s %10s %7s  %8s %5s %10s %9s %5s %10s\n", "", "", "bare", "hazards", "ratio", "events", "all", "ratio", "events");
    for (size_t i = 0; i < ROWS; i++)
        measure(&landing, &rows[i]);
    measure_pair(&landing);
    return 0;
}
