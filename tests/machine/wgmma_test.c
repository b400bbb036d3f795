/* wgmma on the machine: when products land, what their registers and tiles must not meet before that, and who must take
 * part. Tiles hold f16 ones, so a product of m64n8k16 is 16. SOURCE: PTX ISA, wgmma; ptx-async.md 2, 7.4 rows 11 and 12. */
#include "kernel_text.h"

enum { SEEDS = 8, GROUP = 128, SIXTEEN = 0x41800000, THIRTY_TWO = 0x42000000 };

#define TILES ".shared .align 1024 .b8 ta[2048]; .shared .align 1024 .b8 tb[512];"
/* %q1 and %q2: descriptors of A and B; %r1: this thread's 16 bytes of A; %p1: accumulate; 24 lines, so that what follows begins on
 * line 34. */
#define SETUP                                                                                      \
    ".reg .f32 %f<16>; .reg .b32 %a<8>;\n"                                                         \
    "mov.u32 %r2, ta;\n"                                                                           \
    "mov.u32 %r3, tb;\n"                                                                           \
    "and.b32 %r4, %t, 127;\n"                                                                      \
    "mad.lo.u32 %r1, %r4, 16, %r2;\n"                                                              \
    "mad.lo.u32 %r5, %r4, 4, %r3;\n"                                                               \
    "mov.b32 %r6, 0x3c003c00;\n"                                                                   \
    "st.shared.v4.b32 [%r1], {%r6, %r6, %r6, %r6};\n"                                              \
    "st.shared.b32 [%r5], %r6;\n"                                                                  \
    "fence.proxy.async.shared::cta;\n"                                                             \
    "bar.sync 0;\n"                                                                                \
    "shr.u32 %r7, %r2, 4;\n"                                                                       \
    "cvt.u64.u32 %q1, %r7;\n"                                                                      \
    "or.b64 %q1, %q1, 0x0000001000080000;\n"                                                       \
    "shr.u32 %r7, %r3, 4;\n"                                                                       \
    "cvt.u64.u32 %q2, %r7;\n"                                                                      \
    "or.b64 %q2, %q2, 0x0000001000080000;\n"                                                       \
    "setp.eq.u32 %p1, %t, %t;\n"                                                                   \
    "setp.ne.u32 %p2, %t, %t;\n"                                                                   \
    "mov.b32 %a0, %r6;\n"                                                                          \
    "mov.b32 %a1, %r6;\n"                                                                          \
    "mov.b32 %a2, %r6;\n"                                                                          \
    "mov.b32 %a3, %r6;\n"
#define K(body) KERNEL(TILES, SETUP body)

#define D0 "{%f0, %f1, %f2, %f3}"
#define D1 "{%f4, %f5, %f6, %f7}"
#define A0 "{%a0, %a1, %a2, %a3}"
#define FENCE "wgmma.fence.sync.aligned;\n"
#define MMA(d, accumulate) "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " d ", %q1, %q2, " accumulate ", 1, 1, 0, 0;\n"
#define MMA_REGS(d, accumulate) "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " d ", " A0 ", %q2, " accumulate ", 1, 1, 0;\n"
#define MMA_WITH(d, a) "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " d ", " a ", %q2, %p2, 1, 1, 0;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n) "wgmma.wait_group.sync.aligned " n ";\n"
#define STORE(reg) "st.global.f32 [%at], " reg ";\n"
#define CALLEE                                                                                              \
    ".func f(.reg .b64 %qa, .reg .b64 %qb)\n{\n.reg .f32 %f<4>; .reg .pred %p1;\nsetp.ne.u64 %p1, %qa, %qa;\n" FENCE \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D0 ", %qa, %qb, %p1, 1, 1, 0, 0;\n" COMMIT "ret;\n}\n"
#define CLEAR "mov.b32 %r8, 0;\nst.shared.v4.b32 [%r1], {%r8, %r8, %r8, %r8};\n"

/* Every thread's word of `out` must be `want`, under every seed, without a report. */
static void expect_word(struct bench_room *room, const char *text, uint32_t threads, uint32_t want)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct rig rig;
        uint64_t out;
        const uint32_t *const words = kernel_load(&rig, room, text, &out);
        kernel_must_run(&rig, &out, 1, threads, seed);
        for (uint32_t i = 0; i < GROUP; i++)
            if (words[i] != want)
                fail_msg("seed %d, thread %u: %08x, wanted %08x", (int)seed, i, words[i], want);
        rig_end(&rig);
    }
}

/* ---- Landing ------------------------------------------------------------------------------------------------------- */

static void a_product_has_landed_after_the_wait_that_covers_it(void **state)
{
    expect_word(*state, K(FENCE MMA(D0, "%p2") COMMIT WAIT("0") STORE("%f3")), GROUP, SIXTEEN);
    expect_word(*state, K(FENCE MMA_REGS(D0, "%p2") COMMIT WAIT("0") STORE("%f2")), GROUP, SIXTEEN);
}

static void products_on_one_accumulator_need_no_fence_between_them(void **state)
{
    expect_word(*state, K(FENCE MMA(D0, "%p2") MMA(D0, "%p1") COMMIT WAIT("0") STORE("%f0")), GROUP, THIRTY_TWO);
    expect_word(*state, K(FENCE MMA(D0, "%p2") COMMIT MMA_REGS(D0, "%p1") COMMIT WAIT("0") STORE("%f0")), GROUP, THIRTY_TWO);
}

static void the_newest_groups_may_stay_in_flight(void **state)
{
    expect_word(*state, K(FENCE MMA(D0, "%p2") COMMIT MMA(D1, "%p2") COMMIT WAIT("1") STORE("%f0") WAIT("0")), GROUP, SIXTEEN);
    expect_word(*state, K(FENCE MMA(D0, "%p2") COMMIT COMMIT COMMIT WAIT("2") STORE("%f0")), GROUP, SIXTEEN);
}

static void two_warpgroups_work_side_by_side(void **state)
{
    expect_word(*state, K(FENCE MMA(D0, "%p2") COMMIT WAIT("0") STORE("%f0")), 2 * GROUP, SIXTEEN);
}

/* The accumulators %f1 to %f3 are named by nothing after the product; values made while it is in flight must survive it. */
static void landing_leaves_other_registers_alone(void **state)
{
    expect_word(*state,
                K(FENCE MMA(D0, "%p2") COMMIT "mov.b32 %r10, 77;\nmov.b32 %r11, 1;\nmov.b32 %r12, 2;\nmov.b32 %r13, 3;\n" WAIT("0")
                      "add.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\nadd.u32 %r10, %r10, %r13;\nst.global.b32 [%at], %r10;\n"),
                GROUP, 83);
}

static void a_tile_overwritten_before_the_wait_spoils_the_product(void **state)
{
    expect_word(*state, K(FENCE MMA(D0, "%p2") COMMIT "bar.sync 0;\n" CLEAR WAIT("0") STORE("%f0")), GROUP, 0);
    expect_word(*state, K(FENCE MMA(D0, "%p2") COMMIT WAIT("0") "bar.sync 0;\n" CLEAR STORE("%f0")), GROUP, SIXTEEN);
}

/* Threads 128 to 255 overwrite the tile as soon as the first warpgroup lets them. */
static void a_tile_released_before_the_wait_spoils_the_product(void **state)
{
#define OTHERS "setp.ge.u32 %p3, %t, 128;\n@%p3 bra OTHER;\n"
#define OTHER_CLEARS "bra END;\nOTHER:\nbar.sync 1, 256;\n" CLEAR "END:\n"
    expect_word(*state, K(OTHERS FENCE MMA(D0, "%p2") COMMIT "bar.arrive 1, 256;\n" WAIT("0") STORE("%f0") OTHER_CLEARS), 2 * GROUP, 0);
    expect_word(*state, K(OTHERS FENCE MMA(D0, "%p2") COMMIT WAIT("0") "bar.arrive 1, 256;\n" STORE("%f0") OTHER_CLEARS), 2 * GROUP,
                SIXTEEN);
}

/* ---- Registers in use --------------------------------------------------------------------------------------------------- */

/* The diagnostics without the excerpts of the text and without the thread, which depends on the order of the warps. */
static const char *essence(struct bench_room *room)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    for (const char *line = tw_test_diags(room); *line != '\0';) {
        const char *const end = strchr(line, '\n');
        const struct str s = {line, end == NULL ? strlen(line) : (size_t)(end - line) + 1};
        if (memchr(s.at, '|', s.len) == NULL && strncmp(line, "note:", 5) != 0)
            tw_text_add_str(&t, s);
        line += s.len;
    }
    return t.at == NULL ? "" : t.at;
}

struct failure {
    const char *text;
    uint32_t threads;
    const char *diags;
};

static void expect_failures(void **state, const struct failure *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct rig rig;
        uint64_t out;
        (void)kernel_load(&rig, *state, cases[i].text, &out);
        const enum launch_status status = kernel_run(&rig, &out, 1, cases[i].threads, 1);
        rig_end(&rig);
        assert_string_equal(essence(*state), cases[i].diags);
        assert_int_equal(status, LAUNCH_FAULT);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

#define WAIT_FIRST                                                                                          \
    "  expected: wgmma.commit_group and a wgmma.wait_group that covers the product before this instruction\n"
#define FIX_WAIT "       fix: put wgmma.wait_group before this instruction\n      spec: PTX ISA, wgmma.mma_async\n"
#define FIX_FENCE "       fix: put wgmma.fence.sync.aligned before this instruction\n      spec: PTX ISA, wgmma.fence\n"
#define BETWEEN                                                                                             \
    "  expected: wgmma.fence.sync.aligned between the last access to a register and the wgmma.mma_async that uses it\n"
#define UNFENCED " note[E0732]: wgmma.mma_async without the wgmma.fence that it needs; ptxas adds one\n"
#define SPEC_TOGETHER "      spec: PTX ISA, wgmma, .sync and .aligned\n"
#define TOGETHER " error[E0730]: the threads of a warpgroup do not execute a wgmma instruction together\n"

static void registers_touched_before_the_wait_are_diagnosed(void **state)
{
    static const struct failure cases[] = {
        {K(FENCE MMA(D0, "%p2") COMMIT STORE("%f0") WAIT("0")), GROUP,
         "k.ptx:37:1: error[E0731]: %f0 is read while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %f0 is an accumulator of the wgmma.mma_async at line 35, which is in flight\n" FIX_WAIT},
        {K(FENCE MMA(D0, "%p2") COMMIT "mov.f32 %f3, 0f00000000;\n" WAIT("0")), GROUP,
         "k.ptx:37:1: error[E0731]: %f3 is written while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %f3 is an accumulator of the wgmma.mma_async at line 35, which is in flight\n" FIX_WAIT},
        {K(FENCE MMA(D0, "%p2") WAIT("0") STORE("%f0")), GROUP,
         "k.ptx:37:1: error[E0731]: %f0 is read while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %f0 is an accumulator of the wgmma.mma_async at line 35, which is in flight\n" FIX_WAIT},
        {K(FENCE MMA(D0, "%p2") STORE("%f1")), GROUP,
         "k.ptx:36:1: error[E0731]: %f1 is read while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %f1 is an accumulator of the wgmma.mma_async at line 35, which is in flight\n" FIX_WAIT},
        {K(FENCE MMA(D0, "%p2") COMMIT MMA(D1, "%p2") COMMIT WAIT("1") STORE("%f4") WAIT("0")), GROUP,
         "k.ptx:40:1: error[E0731]: %f4 is read while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %f4 is an accumulator of the wgmma.mma_async at line 37, which is in flight\n" FIX_WAIT},
        {K(FENCE MMA_REGS(D0, "%p2") COMMIT "mov.b32 %a2, 0;\n" WAIT("0")), GROUP,
         "k.ptx:37:1: error[E0731]: %a2 is written while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %a2 is a fragment of A of the wgmma.mma_async at line 35, which is in flight\n" FIX_WAIT},
        {K(FENCE MMA_REGS(D0, "%p2") COMMIT MMA_WITH(D1, "{%f0, %a1, %a2, %a3}") COMMIT WAIT("0")), GROUP,
         "k.ptx:37:1: error[E0731]: %f0 is read as A while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %f0 is an accumulator of the wgmma.mma_async at line 35, which is in flight\n" FIX_WAIT},
        {K(FENCE MMA_REGS(D0, "%p2") COMMIT MMA("{%f4, %f5, %f6, %a1}", "%p2") COMMIT WAIT("0")), GROUP,
         "k.ptx:37:1: error[E0731]: %a1 is used as accumulator while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %a1 is a fragment of A of the wgmma.mma_async at line 35, which is in flight\n" FIX_WAIT},
        {KERNEL(CALLEE TILES, SETUP "call f, (%q1, %q2);\n" WAIT("0")), GROUP,
         "k.ptx:11:1: error[E0731]: %f0 is written while a wgmma.mma_async uses it\n" WAIT_FIRST
         "     found: %f0 is an accumulator of the wgmma.mma_async at line 9, which is in flight\n" FIX_WAIT "k.ptx:43:1: note: 'f' was called here\n"},
    };
    expect_failures(state, cases, COUNT(cases));
}

struct remark {
    const char *text;
    uint32_t word;
    const char *diags;
};

#define WIDE "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %q1, %q2, %p2, 1, 1, 0, 0;\n"

/* ptxas mends these programs, so they run; the launch goes on. */
static void what_is_tolerated_is_remarked_once(void **state)
{
    static const struct remark cases[] = {
        {K(MMA(D0, "%p2") COMMIT WAIT("0") STORE("%f0")), SIXTEEN,
         "k.ptx:34:1:" UNFENCED
         "  expected: wgmma.fence.sync.aligned before the first wgmma.mma_async\n"
         "     found: no wgmma.fence before it\n"
         FIX_FENCE},
        {K(FENCE "mov.f32 %f0, 0f3f800000;\n" MMA(D0, "%p1") COMMIT WAIT("0") STORE("%f0")), 0x41880000,
         "k.ptx:36:1:" UNFENCED BETWEEN "     found: %f0 was accessed after the last wgmma.fence\n" FIX_FENCE},
        {K(FENCE "mov.b32 %a3, %r6;\n" MMA_REGS(D0, "%p2") COMMIT WAIT("0") STORE("%f0")), SIXTEEN,
         "k.ptx:36:1:" UNFENCED BETWEEN "     found: %a3 was accessed after the last wgmma.fence\n" FIX_FENCE},
        {K(FENCE MMA(D0, "%p2") COMMIT WAIT("0") MMA(D0, "%p1") COMMIT WAIT("0") STORE("%f0")), THIRTY_TWO,
         ""},
        {K(FENCE MMA(D0, "%p2") COMMIT WAIT("0") STORE("%f0") MMA(D0, "%p1") COMMIT WAIT("0")), SIXTEEN,
         "k.ptx:39:1:" UNFENCED BETWEEN "     found: %f0 was accessed after the last wgmma.fence\n" FIX_FENCE},
        {K(FENCE MMA(D0, "%p2") WIDE COMMIT WAIT("0") STORE("%f5")), SIXTEEN,
         "k.ptx:36:1:" UNFENCED BETWEEN "     found: %f0 was an accumulator of another shape after the last wgmma.fence\n"
         FIX_FENCE},
        {K(FENCE MMA_REGS(D0, "%p2") COMMIT "mov.b32 %r9, %a0;\n" WAIT("0") STORE("%f0")), SIXTEEN,
         "k.ptx:37:1: note[E0733]: %a0 is read while a wgmma.mma_async reads it as A\n"
         "  expected: a wgmma.wait_group that covers the product before this instruction\n"
         "     found: it holds A of the wgmma.mma_async at line 35\n"
         "      spec: PTX ISA, wgmma.mma_async\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rig rig;
        uint64_t out;
        const uint32_t *const words = kernel_load(&rig, *state, cases[i].text, &out);
        assert_int_equal(kernel_run(&rig, &out, 1, GROUP, 1), LAUNCH_FINISHED);
        for (uint32_t t = 0; t < GROUP; t++)
            assert_int_equal(words[t], cases[i].word);
        rig_end(&rig);
        assert_string_equal(essence(*state), cases[i].diags);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* The same with everything: place, excerpt, thread. */
static void findings_are_rendered_whole(void **state)
{
    kernel_must_fail(*state, K(FENCE MMA(D0, "%p2") COMMIT STORE("%f0") WAIT("0")), 1, GROUP, LAUNCH_FAULT,
                     "k.ptx:37:1: error[E0731]: %f0 is read while a wgmma.mma_async uses it\n"
                     "   37 | st.global.f32 [%at], %f0;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: wgmma.commit_group and a wgmma.wait_group that covers the product before this instruction\n"
                     "     found: %f0 is an accumulator of the wgmma.mma_async at line 35, which is in flight\n"
                     "       fix: put wgmma.wait_group before this instruction\n"
                     "      spec: PTX ISA, wgmma.mma_async\n"
                     "note: by thread (96,0,0) of block (0,0,0)\n");
    tw_test_teardown(state);
    tw_test_setup(state);
    kernel_must_fail(*state, K("setp.eq.u32 %p3, %t, 37;\n@%p3 exit;\n" FENCE MMA(D0, "%p2") COMMIT WAIT("0")), 1, GROUP, LAUNCH_FAULT,
                     "k.ptx:36:1: error[E0730]: the threads of a warpgroup do not execute a wgmma instruction together\n"
                     "   36 | wgmma.fence.sync.aligned;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: all 128 threads of four warps, the first of them a multiple of 4\n"
                     "     found: lane 5 of warp 1 not there\n"
                     "      spec: PTX ISA, wgmma, .sync and .aligned\n"
                     "note: by thread (32,0,0) of block (0,0,0)\n");
    tw_test_teardown(state);
    tw_test_setup(state);
    kernel_must_fail(*state, K(MMA_REGS(D0, "%p2") COMMIT "mov.b32 %r9, %a0;\n" WAIT("0")), 1, GROUP, LAUNCH_FINISHED,
                     "k.ptx:34:1: note[E0732]: wgmma.mma_async without the wgmma.fence that it needs; ptxas adds one\n"
                     "   34 | wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, %q2, %p2, 1, 1, 0;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: wgmma.fence.sync.aligned before the first wgmma.mma_async\n"
                     "     found: no wgmma.fence before it\n"
                     "       fix: put wgmma.fence.sync.aligned before this instruction\n"
                     "      spec: PTX ISA, wgmma.fence\n"
                     "note: by thread (96,0,0) of block (0,0,0)\n"
                     "k.ptx:36:1: note[E0733]: %a0 is read while a wgmma.mma_async reads it as A\n"
                     "   36 | mov.b32 %r9, %a0;\n"
                     "      | ^~~~~~~~~~~~~~~~~\n"
                     "  expected: a wgmma.wait_group that covers the product before this instruction\n"
                     "     found: it holds A of the wgmma.mma_async at line 34\n"
                     "      spec: PTX ISA, wgmma.mma_async\n"
                     "note: by thread (96,0,0) of block (0,0,0)\n");
}

static void an_accumulator_that_is_not_read_may_be_written_after_the_fence(void **state)
{
    expect_word(*state, K(FENCE "mov.f32 %f0, 0f3f800000;\nmov.f32 %f1, %f0;\n" MMA(D0, "%p2") COMMIT WAIT("0") STORE("%f0")), GROUP, SIXTEEN);
}

static void a_warpgroup_must_execute_the_same_instructions_together(void **state)
{
    static const struct failure cases[] = {
        {K(FENCE MMA(D0, "%p2") COMMIT WAIT("0")), GROUP / 2,
         "k.ptx:34:1:" TOGETHER
         "  expected: all 128 threads of four warps, the first of them a multiple of 4\n"
         "     found: warp 2 does not exist\n"
         SPEC_TOGETHER},
        {K("setp.eq.u32 %p3, %t, 37;\n@%p3 exit;\n" FENCE MMA(D0, "%p2") COMMIT WAIT("0")), GROUP,
         "k.ptx:36:1:" TOGETHER
         "  expected: all 128 threads of four warps, the first of them a multiple of 4\n"
         "     found: lane 5 of warp 1 not there\n"
         SPEC_TOGETHER},
        {K("setp.ge.u32 %p3, %t, 96;\n@%p3 exit;\nbar.sync 1, 96;\n" FENCE MMA(D0, "%p2") COMMIT WAIT("0")), GROUP,
         "k.ptx:37:1:" TOGETHER
         "  expected: all 128 threads of four warps, the first of them a multiple of 4\n"
         "     found: warp 3 has ended\n"
         SPEC_TOGETHER},
        {K(FENCE MMA(D0, "%p2") COMMIT "setp.lt.u32 %p3, %t, 32;\n@%p3 exit;\n" WAIT("0")), GROUP,
         "k.ptx:39:1:" TOGETHER
         "  expected: all four warps of the warpgroup at the same wgmma.wait_group\n"
         "     found: warp 0 has ended\n"
         SPEC_TOGETHER},
        {K(FENCE "setp.lt.u32 %p3, %t, 32;\n@%p3 bra OTHER;\n" MMA(D0, "%p2") "bra END;\nOTHER:\n"
           "bar.sync 1, 32;\n" MMA(D0, "%p2") "END:\n" COMMIT WAIT("0")), GROUP,
         "k.ptx:41:1:" TOGETHER
         "  expected: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 at line 37, as in warps 1, 2, 3\n"
         "     found: another wgmma instruction in the same place of the warp's sequence\n"
         "       fix: let all four warps take the same branches around wgmma\n"
         SPEC_TOGETHER},
        {K("setp.lt.u32 %p3, %t, 64;\n@%p3 add.u64 %q1, %q1, 2;\n" FENCE MMA(D0, "%p2") COMMIT WAIT("0")), GROUP,
         "k.ptx:37:1: error[E0730]: the warps of a warpgroup give different operands to wgmma.mma_async\n"
         "  expected: the same descriptors and the same scale-d in all four warps\n"
         "     found: in warp 1 descriptor of A 0x0000001000080042, elsewhere 0x0000001000080040\n"
         "      spec: PTX ISA, wgmma.mma_async\n"},
        {K("setp.lt.u32 %p3, %t, 64;\n" FENCE MMA(D0, "%p3") COMMIT WAIT("0")), GROUP,
         "k.ptx:36:1: error[E0730]: the warps of a warpgroup give different operands to wgmma.mma_async\n"
         "  expected: the same descriptors and the same scale-d in all four warps\n"
         "     found: in warp 1 scale-d 1, elsewhere 0\n"
         "      spec: PTX ISA, wgmma.mma_async\n"},
        {K("setp.lt.u32 %p3, %r4, 5;\n@%p3 add.u64 %q2, %q2, 2;\n" FENCE MMA(D0, "%p2") COMMIT WAIT("0")), GROUP,
         "k.ptx:37:1: error[E0765]: wgmma.mma_async: the threads of a warp give different descriptors of B\n"
         "  expected: one value in all threads of the warpgroup\n"
         "     found: 0x00000010000800c2 in lane 0, 0x00000010000800c0 in lane 5\n"
         "      spec: PTX ISA, wgmma, matrix descriptor\n"},
        {K("setp.lt.u32 %p3, %r4, 5;\n" FENCE MMA(D0, "%p3") COMMIT WAIT("0")), GROUP,
         "k.ptx:36:1: error[E0765]: wgmma.mma_async: the threads of a warp give different scale-d\n"
         "  expected: one value in all threads of the warpgroup\n"
         "     found: true in lanes 0-4 alone\n"
         "      spec: PTX ISA, wgmma.mma_async\n"},
    };
    expect_failures(state, cases, COUNT(cases));
}

/* Warp 0 is stuck at a barrier; the others wait for it at their wait_group. */
static void a_warp_that_cannot_come_is_a_deadlock(void **state)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, *state, K(FENCE MMA(D0, "%p2") COMMIT "setp.ge.u32 %p3, %t, 32;\n@%p3 bra SKIP;\nbar.sync 1, 64;\nSKIP:\n" WAIT("0")), &out);
    assert_int_equal(kernel_run(&rig, &out, 1, GROUP, 1), LAUNCH_DEADLOCK);
    rig_end(&rig);
    const char *const text = tw_test_diags(*state);
    assert_non_null(strstr(text, "error[E0706]: deadlock"));
    assert_non_null(strstr(text, "warp 0 of block (0,0,0) waits at barrier 1: 32 of 64 threads have arrived"));
    assert_non_null(strstr(text, "warps 1-3 of block (0,0,0) wait for the wgmma unit"));
}

static void illegal_descriptors_are_diagnosed(void **state)
{
    static const struct failure cases[] = {
        {K("or.b64 %q1, %q1, 0x0000400000000000;\n" FENCE MMA(D0, "%p2") COMMIT WAIT("0")), GROUP,
         "k.ptx:36:1: error[E0770]: wgmma.mma_async: the shared memory descriptor of A is illegal\n"
         "  expected: bits 48:46: 0\n"
         "     found: 1, in descriptor 0x0000401000080040\n"
         "      spec: PTX ISA, wgmma, matrix descriptor\n"},
        {K("or.b64 %q2, %q2, 0x3fff;\n" FENCE MMA(D0, "%p2") COMMIT WAIT("0")), GROUP,
         "k.ptx:36:1: error[E0772]: wgmma.mma_async reads B outside shared memory\n"
         "  expected: addresses from 0x400 to 0xdff of shared memory\n"
         "     found: 16 bytes at 0x3fff0\n"
         "       fix: check the start address and the strides of the descriptor\n"
         "      spec: PTX ISA, wgmma, matrix descriptor\n"},
    };
    expect_failures(state, cases, COUNT(cases));
}

/* ---- Sparse A ---------------------------------------------------------------------------------------------------------- */

struct sparse_case {
    const char *types; /* after .m64n8kK */
    unsigned k, bits, d_bits, selector;
    uint32_t words[4]; /* -1, 0, 1, 2 */
    bool integer, in_regs;
};

/* Where the words of a run lie in `out`: results by thread, then tiles, metadata by thread, A registers by thread. */
enum { AT_A = 1024, AT_B = 1536, AT_META = 1664, AT_REGS = 1792, A_ROWS = 64, B_ROWS = 8 };

/* No swizzle, K-major, `row_bytes` of one row: units of 16 bytes, 128 bytes apart along K. */
static unsigned tile_place(unsigned row, unsigned byte, unsigned row_bytes)
{
    return row % 8 * 16 + row / 8 * 8 * row_bytes + byte % 16 + byte / 16 * 128;
}

static void put_element(uint32_t *words, unsigned byte, uint32_t word, unsigned bits)
{
    memcpy((uint8_t *)words + byte, &word, bits / 8);
}

/* Which row of the warp's 16 and which group nibble p of a lane describes; false if the instruction does not look there.
 * ptx-async.md 1.5 and 2.5. */
static bool described(const struct sparse_case *c, unsigned lane, unsigned p, unsigned *row, unsigned *group)
{
    const unsigned g = lane / 4, t = lane % 4;
    if (c->bits == 8) {
        *row = g + 8 * (t & 1);
        *group = 8 * (t >> 1) + p;
        return true;
    }
    *row = g + 8 * (p >> 2);
    *group = 4 * (t & 1) + (p & 3);
    return t / 2 == c->selector;
}

struct sparse_data {
    int a[64][32], b[8][64];
    uint8_t code[64][16];
};

static void make_sparse(const struct sparse_case *c, struct sparse_data *s, unsigned salt)
{
    static const uint8_t codes[] = {4, 8, 9, 0xc, 0xd, 0xe};
    for (unsigned m = 0; m < A_ROWS; m++)
        for (unsigned k = 0; k < c->k / 2; k++)
            s->a[m][k] = (int)((m * 5 + k * 3 + m * k + salt) % 4) - 1;
    for (unsigned n = 0; n < B_ROWS; n++)
        for (unsigned k = 0; k < c->k; k++)
            s->b[n][k] = (int)((n * 7 + k * k + n * k + salt) % 4) - 1;
    for (unsigned m = 0; m < A_ROWS; m++)
        for (unsigned g = 0; g < 16; g++)
            s->code[m][g] = c->bits == 32 ? ((m + g) % 2 ? 0xe : 0x4) : codes[(m * 3 + g) % 6];
}

static uint32_t a_fragment(const struct sparse_case *c, const struct sparse_data *s, unsigned thread, unsigned reg)
{
    const unsigned e_count = 32 / c->bits, lane = thread % 32, row = thread / 32 * 16 + lane / 4 + 8 * (reg & 1);
    uint32_t word = 0;
    for (unsigned e = 0; e < e_count; e++)
        word |= c->words[s->a[row][(reg >> 1) * 4 * e_count + lane % 4 * e_count + e] + 1] << (c->bits * e % 32);
    return word;
}

static void place_sparse(const struct sparse_case *c, const struct sparse_data *s, uint32_t *out)
{
    for (unsigned m = 0; m < A_ROWS; m++)
        for (unsigned k = 0; k < c->k / 2; k++)
            put_element(&out[AT_A], tile_place(m, k * c->bits / 8, 32), c->words[s->a[m][k] + 1], c->bits);
    for (unsigned n = 0; n < B_ROWS; n++)
        for (unsigned k = 0; k < c->k; k++)
            put_element(&out[AT_B], tile_place(n, k * c->bits / 8, 64), c->words[s->b[n][k] + 1], c->bits);
    for (unsigned thread = 0; thread < GROUP; thread++) {
        for (unsigned p = 0; p < 8; p++) {
            unsigned row, group;
            if (described(c, thread % 32, p, &row, &group)) /* other codes stay 0, which is illegal: they must not be read */
                out[AT_META + thread] |= (uint32_t)s->code[thread / 32 * 16 + row][group] << (4 * p);
        }
        for (unsigned reg = 0; reg < 4; reg++)
            out[AT_REGS + 4 * thread + reg] = a_fragment(c, s, thread, reg);
    }
}

static int sparse_sum(const struct sparse_case *c, const struct sparse_data *s, unsigned m, unsigned n)
{
    int sum = 0;
    for (unsigned k = 0; k < c->k / 2; k++) {
        const unsigned code = c->bits == 32 ? s->code[m][k] : s->code[m][k / 2];
        const unsigned at = c->bits == 32 ? 2 * k + (code == 0xe) : k / 2 * 4 + (k % 2 == 0 ? code & 3 : code >> 2);
        sum += s->a[m][k] * s->b[n][at];
    }
    return sum;
}

/* A sum is small: exact in f16, too. */
static uint32_t sum_word(const struct sparse_case *c, int sum)
{
    if (c->integer)
        return (uint32_t)sum;
    const float f = (float)sum;
    uint32_t word;
    memcpy(&word, &f, 4);
    if (c->d_bits == 32 || sum == 0)
        return word;
    return (word >> 16 & 0x8000) | ((word >> 23 & 0xff) - 112) << 10 | (word >> 13 & 0x3ff);
}

static const char *sparse_kernel(struct bench_room *room, const struct sparse_case *c)
{
    struct text p;
    tw_text_init(&p, &room->arena);
    tw_text_add(&p, KERNEL_HEAD(".shared .align 1024 .b8 ta[2048]; .shared .align 1024 .b8 tb[512];")
                    "mov.u32 %r2, ta; mov.u32 %r3, tb; mad.lo.u32 %r4, %t, 16, %r2; mad.lo.u32 %r5, %t, 4, %r3;\n"
                    "mad.wide.u32 %q5, %t, 16, %out;\n"
                    "ld.global.v4.b32 {%r6, %r7, %r8, %r9}, [%q5+4096]; st.shared.v4.b32 [%r4], {%r6, %r7, %r8, %r9};\n"
                    "ld.global.b32 %r6, [%at+6144]; st.shared.b32 [%r5], %r6; ld.global.b32 %r20, [%at+6656];\n"
                    "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%q5+7168];\n"
                    "fence.proxy.async.shared::cta; bar.sync 0;\n"
                    "shr.u32 %r7, %r2, 4; cvt.u64.u32 %q1, %r7; or.b64 %q1, %q1, 0x0000001000080000;\n"
                    "shr.u32 %r7, %r3, 4; cvt.u64.u32 %q2, %r7; or.b64 %q2, %q2, 0x0000002000080000;\n"
                    "setp.ne.u32 %p2, %t, %t;\n" FENCE);
    tw_text_addf(&p, "wgmma.mma_async.sp.sync.aligned.m64n8k%u.%s %s, %s, %%q2, %%r20, %u, %%p2%s%s;\n" COMMIT WAIT("0"), c->k, c->types,
                 c->d_bits == 16 ? "{%r14, %r15}" : "{%r14, %r15, %r16, %r17}", c->in_regs ? "{%r10, %r11, %r12, %r13}" : "%q1", c->selector,
                 c->integer ? "" : ", 1, 1", c->bits != 16 ? "" : c->in_regs ? ", 0" : ", 0, 0");
    tw_text_addf(&p, "mad.wide.u32 %%q6, %%t, 16, %%out;\nst.global.v2.b32 [%%q6], {%%r14, %%r15};\n%sret;\n}\n",
                 c->d_bits == 16 ? "" : "st.global.v2.b32 [%q6+8], {%r16, %r17};\n");
    return p.at;
}

static void sparse_products_take_the_selected_elements(void **state)
{
#define F16_WORDS {0xbc00, 0, 0x3c00, 0x4000}
#define BF16_WORDS {0xbf80, 0, 0x3f80, 0x4000}
    static const struct sparse_case cases[] = {
        {"f32.f16.f16", 32, 16, 32, 0, F16_WORDS, false, false},    {"f32.f16.f16", 32, 16, 32, 1, F16_WORDS, false, true},
        {"f16.f16.f16", 32, 16, 16, 0, F16_WORDS, false, true},     {"f32.bf16.bf16", 32, 16, 32, 1, BF16_WORDS, false, false},
        {"f32.bf16.bf16", 32, 16, 32, 0, BF16_WORDS, false, true},  {"f32.tf32.tf32", 16, 32, 32, 0, {0xbf800000, 0, 0x3f800000, 0x40000000}, false, false},
        {"f32.tf32.tf32", 16, 32, 32, 1, {0xbf800000, 0, 0x3f800000, 0x40000000}, false, true},
        {"f32.e4m3.e4m3", 64, 8, 32, 0, {0xb8, 0, 0x38, 0x40}, false, false},
        {"f16.e5m2.e5m2", 64, 8, 16, 0, {0xbc, 0, 0x3c, 0x40}, false, true},
        {"s32.s8.s8", 64, 8, 32, 0, {0xff, 0, 1, 2}, true, false},  {"s32.s8.s8", 64, 8, 32, 0, {0xff, 0, 1, 2}, true, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct sparse_case *const c = &cases[i];
        static struct sparse_data s;
        struct rig rig;
        uint64_t out;
        uint32_t *const words = kernel_load(&rig, *state, sparse_kernel(*state, c), &out);
        make_sparse(c, &s, (unsigned)i);
        place_sparse(c, &s, words);
        kernel_must_run(&rig, &out, 1, GROUP, i + 1);
        for (unsigned thread = 0; thread < GROUP; thread++)
            for (unsigned d = 0; d < 4; d++) {
                const unsigned lane = thread % 32, m = thread / 32 * 16 + lane / 4 + 8 * (d >> 1), n = 2 * (lane % 4) + (d & 1);
                const uint32_t got = c->d_bits == 32 ? words[4 * thread + d] : words[4 * thread + d / 2] >> 16 * (d & 1) & 0xffff;
                if (got != sum_word(c, sparse_sum(c, &s, m, n)))
                    fail_msg("case %zu: row %u, column %u: %08x, wanted %d", i, m, n, got, sparse_sum(c, &s, m, n));
            }
        rig_end(&rig);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

static void an_illegal_metadata_code_is_diagnosed(void **state)
{
    static const struct failure cases[] = {
        {K("mov.b32 %r9, 0x44440444;\n" FENCE
           "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " D0 ", %q1, %q2, %r9, 0, %p2, 1, 1, 0, 0;\n" COMMIT WAIT("0")), GROUP,
         "k.ptx:36:1: error[E0776]: wgmma.mma_async.sp: a code of the sparsity metadata is illegal\n"
         "  expected: 0x4, 0x8, 0x9, 0xc, 0xd or 0xe\n"
         "     found: 0x0 for row 0, group 3\n"
         "      spec: PTX ISA, wgmma.mma_async.sp, sparsity metadata\n"},
    };
    expect_failures(state, cases, COUNT(cases));
}

/* ---- Events --------------------------------------------------------------------------------------------------------------- */

struct seen {
    uint32_t issues, reads, completes, waits, fences;
    bool read_early, complete_early;
};

static void count_event(void *context, const struct machine_event *e)
{
    struct seen *const s = context;
    s->issues += e->kind == EVENT_ASYNC_ISSUE && e->op != 0 && e->lanes == UINT32_MAX;
    s->reads += e->kind == EVENT_ACCESS && e->op != 0 && e->read && e->proxy == PROXY_ASYNC && e->space == SPACE_SHARED;
    s->completes += e->kind == EVENT_ASYNC_COMPLETE;
    s->waits += e->kind == EVENT_ASYNC_WAIT;
    s->fences += e->kind == EVENT_FENCE && e->fence == FENCE_WGMMA;
    s->read_early |= s->reads != 0 && s->issues < 4;
    s->complete_early |= s->completes != 0 && s->reads == 0;
}

/* One product of four warps: A is 64 rows of two units of 16 bytes, B 8 rows. */
static void a_product_is_an_agent_of_the_event_stream(void **state)
{
    struct rig rig;
    uint64_t out;
    struct seen seen = {0};
    (void)kernel_load(&rig, *state, K(FENCE MMA(D0, "%p2") COMMIT WAIT("0") STORE("%f0")), &out);
    rig_must_run(&rig, "k", (struct launch_spec){.block = {GROUP}, .params = &out, .param_bytes = 8, .observer = {.event = count_event, .context = &seen}});
    rig_end(&rig);
    assert_int_equal(seen.issues, 4);
    assert_int_equal(seen.reads, 2 * (64 + 8));
    assert_int_equal(seen.completes, 1);
    assert_int_equal(seen.waits, 4);
    assert_int_equal(seen.fences, 4);
    assert_false(seen.read_early || seen.complete_early);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_product_has_landed_after_the_wait_that_covers_it),
        ROOM_TEST(products_on_one_accumulator_need_no_fence_between_them),
        ROOM_TEST(the_newest_groups_may_stay_in_flight),
        ROOM_TEST(two_warpgroups_work_side_by_side),
        ROOM_TEST(landing_leaves_other_registers_alone),
        ROOM_TEST(a_tile_overwritten_before_the_wait_spoils_the_product),
        ROOM_TEST(a_tile_released_before_the_wait_spoils_the_product),
        ROOM_TEST(registers_touched_before_the_wait_are_diagnosed),
        ROOM_TEST(what_is_tolerated_is_remarked_once),
        ROOM_TEST(findings_are_rendered_whole),
        ROOM_TEST(an_accumulator_that_is_not_read_may_be_written_after_the_fence),
        ROOM_TEST(a_warpgroup_must_execute_the_same_instructions_together),
        ROOM_TEST(a_warp_that_cannot_come_is_a_deadlock),
        ROOM_TEST(illegal_descriptors_are_diagnosed),
        ROOM_TEST(sparse_products_take_the_selected_elements),
        ROOM_TEST(an_illegal_metadata_code_is_diagnosed),
        ROOM_TEST(a_product_is_an_agent_of_the_event_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
