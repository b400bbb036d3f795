/* How long the reader takes: a megabyte in under 100 ms of the processor's time, and four megabytes no more than their share.
 * The best of several readings counts, so that a busy host does not decide. */
#include "support/check.h"

#include "isa/isa.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <time.h>

#if defined __SANITIZE_ADDRESS__
#define SANITIZED true
#elif defined __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED false
#endif

/* What compilers write: registers by the thousand, address arithmetic, loads, products, labels and branches. */
static const char kernel[] = ".visible .entry k%u(.param .u64 k%u_param_0, .param .u32 k%u_param_1)\n{\n"
                             "\t.reg .pred \t%%p<20>;\n\t.reg .f32 \t%%f<400>;\n\t.reg .b32 \t%%r<900>;\n\t.reg .b64 \t%%rd<200>;\n"
                             "\tld.param.u64 \t%%rd1, [k%u_param_0];\n\tld.param.u32 \t%%r1, [k%u_param_1];\n";
static const char body[] = "\tmad.lo.s32 \t%r12, %r3, %r4, %r5;\n\tmul.wide.s32 \t%rd9, %r12, 4;\n\tadd.s64 \t%rd10, %rd1, %rd9;\n"
                           "\tld.global.nc.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd10+16];\n\tfma.rn.f32 \t%f301, %f1, %f2, 0f3F800000;\n"
                           "\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f10, %f11, %f12, %f13}, {%r20, %r21, %r22, %r23}, {%r24, %r25}, "
                           "{%f10, %f11, %f12, %f13};\n\tsetp.lt.s32 \t%p1, %r12, %r1;\n\tst.shared.v2.b32 \t[%r30+1024], {%r20, %r21};\n";

static const char *text_of(struct arena *arena, size_t bytes)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_text_add(&t, ".version 8.8\n.target sm_90a\n.address_size 64\n");
    for (unsigned k = 0; t.len < bytes; k++) {
        char head[1024];
        snprintf(head, sizeof head, kernel, k, k, k, k, k);
        tw_text_add(&t, head);
        for (unsigned i = 0; i < 60; i++) {
            tw_text_addf(&t, "$L__BB%u_%u:\n", k, i);
            tw_text_add(&t, body);
            tw_text_addf(&t, "\t@%%p1 bra \t$L__BB%u_%u;\n", k, i);
        }
        tw_text_add(&t, "\tret;\n}\n");
    }
    return t.at;
}

/* Milliseconds of the processor, the best of five. */
static double time_of(struct arena *texts, size_t bytes)
{
    const struct str text = tw_str(text_of(texts, bytes));
    double best = 1e9;
    for (unsigned i = 0; i < 5; i++) {
        struct landing landing;
        struct arena arena;
        struct sources sources;
        struct diags diags;
        if (setjmp(landing.at) != 0)
            fail_msg("no memory");
        tw_arena_init(&arena, &landing, 0);
        tw_sources_init(&sources, &arena);
        tw_diags_init(&diags, &arena, &sources);
        const struct isa *const isa = tw_isa_open(&arena);
        const clock_t begin = clock();
        const struct ptx_module *const m = tw_ptx_parse(&arena, isa, &diags, tw_sources_add(&sources, "k.ptx", text));
        const double took = (double)(clock() - begin) * 1e3 / CLOCKS_PER_SEC;
        assert_int_equal(diags.error_count, 0);
        assert_true(m->funcs.len > 10);
        best = took < best ? took : best;
        tw_arena_release(&arena);
    }
    return best;
}

static void a_megabyte_is_read_in_a_tenth_of_a_second(void **state)
{
    struct bench_room *const room = *state;
    if (SANITIZED) {
        print_message("not run: a sanitizer decides how long it takes\n");
        skip();
    }
    const double one = time_of(&room->arena, 1 << 20), four = time_of(&room->arena, 4 << 20);
    print_message("1 MiB in %.1f ms, 4 MiB in %.1f ms\n", one, four);
    assert_true(one < 100);
    assert_true(four < 8 * one); /* linear, with room for the caches that four times as much leaves */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_megabyte_is_read_in_a_tenth_of_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
