/* Sinks: what "_" stands for is neither written nor read. SOURCE: PTX ISA, st (vectors of 256 bits), ld, shfl.sync, match.sync;
 * which positions take one is ptxas 13.0's verdict (tests/ptx/ptxas_agree_test.c). */
#include "kernel_text.h"

#define HEAD_100                                                                                    \
    ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"       \
    ".reg .b32 %r<30>; .reg .b64 %q<20>; .reg .b64 %out;\n"                                         \
    "ld.param.u64 %out, [out];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %q1, %r1, 32, %out;\n"

enum { OLD = 0x5a5a5a5a };

static void note_store(void *context, const struct machine_event *e)
{
    unsigned *const bytes = context;
    if (e->kind == EVENT_ACCESS && e->write)
        *bytes += e->bytes;
}

/* The bytes of a sink keep what they hold, and no observer hears of them; the rest is stored as ever. */
static void a_store_leaves_the_bytes_of_sinks_alone(void **state)
{
    static const struct { const char *line; uint32_t stored; } rows[] = { /* bit k: word k is written with 100 + k */
        {"st.global.v8.b32 [%q1], {%r10,_,%r12,%r13,_,_,%r16,%r17};\n", 0xcd},
        {"st.v8.b32 [%q1], {_,_,_,_,_,_,_,%r17};\n", 0x80},
        {"st.global.v4.b64 [%q1], {%q10,_,_,%q13};\n", 0xc3},
        {"st.global.v8.b32 [%q1], {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17};\n", 0xff},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        unsigned bytes = 0;
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, HEAD_100);
        for (unsigned k = 0; k < 8; k++)
            tw_text_addf(&t, "mov.u32 %%r1%u, %u;\n", k, 100 + k);
        for (unsigned k = 0; k < 4; k++)
            tw_text_addf(&t, "mov.b64 %%q1%u, {%%r1%u, %%r1%u};\n", k, 2 * k, 2 * k + 1);
        tw_text_add(&t, rows[i].line);
        tw_text_add(&t, "ret;\n}\n");
        uint32_t *const words = kernel_load(&rig, room, t.at, &out);
        memset(words, OLD & 0xff, (size_t)OUT_WORDS * 4);
        rig_must_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8,
                                                     .observer = {.event = note_store, .context = &bytes}});
        for (uint32_t k = 0; k < 32 * 8; k++)
            if (words[k] != ((rows[i].stored >> (k % 8) & 1) != 0 ? 100 + k % 8 : (uint32_t)OLD))
                fail_msg("%s: word %u is %u", rows[i].line, k, words[k]);
        assert_int_equal(words[32 * 8], OLD);
        assert_int_equal(bytes, 32 * 4 * (unsigned)__builtin_popcount(rows[i].stored));
        rig_end(&rig);
    }
}

/* Sinks make no vector smaller: it is aligned as a whole. */
static void a_store_with_sinks_is_aligned_as_a_whole(void **state)
{
    kernel_must_fail(*state, HEAD_100 "st.global.v8.b32 [%q1+4], {%r1,_,_,_,_,_,_,_};\nret;\n}\n", 1, 1, LAUNCH_FAULT,
                     "k.ptx:10:1: error[E0703]: misaligned store of 32 bytes at global address 0x700000000004\n"
                     "   10 | st.global.v8.b32 [%q1+4], {%r1,_,_,_,_,_,_,_};\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address that is a multiple of 32\n"
                     "     found: 0x700000000004, 4 over\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

/* ldmatrix drops the matrix of a sink and gives the others as ever. */
static void ldmatrix_drops_what_sinks_stand_for(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL(".shared .align 16 .b8 image[512];",
               "mov.u32 %r1, image;\nmad.lo.u32 %r2, %t, 16, %r1;\n" /* word w of the image is w */
               "mul.lo.u32 %r3, %t, 4;\nadd.u32 %r4, %r3, 1;\nadd.u32 %r5, %r3, 2;\nadd.u32 %r6, %r3, 3;\n"
               "st.shared.v4.b32 [%r2], {%r3,%r4,%r5,%r6};\nbar.warp.sync -1;\n"
               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,_,_,%r13}, [%r2];\n"
               "st.global.b32 [%at], %r10;\nst.global.b32 [%at+128], %r13;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t lane = 0; lane < 32; lane++) { /* a row is four words; a lane has one of its own row's */
        assert_int_equal(words[lane], lane);
        assert_int_equal(words[32 + lane], 96 + lane);
    }
    rig_end(&rig);
}

/* The predicate of shfl and of match.all may be a sink, as if it were not written. */
static void a_predicate_may_be_dropped(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("", "shfl.sync.bfly.b32 %r2|_, %t, 1, 31, -1;\nmatch.all.sync.b32 %r3|_, 7, -1;\n"
                                                         "match.all.sync.b32 %r4|_, %t, -1;\nst.global.b32 [%at], %r2;\n"
                                                         "st.global.b32 [%at+128], %r3;\nst.global.b32 [%at+256], %r4;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        assert_int_equal(words[lane], lane ^ 1);
        assert_int_equal(words[32 + lane], 0xffffffff);
        assert_int_equal(words[64 + lane], 0);
    }
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_store_leaves_the_bytes_of_sinks_alone),
        ROOM_TEST(a_store_with_sinks_is_aligned_as_a_whole),
        ROOM_TEST(ldmatrix_drops_what_sinks_stand_for),
        ROOM_TEST(a_predicate_may_be_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
