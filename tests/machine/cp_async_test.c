/* cp.async: nothing shows before the wait that covers it. SOURCE: PTX ISA, cp.async, cp.async.wait_group,
 * cp.async.mbarrier.arrive; ptx-async.md 4.1. */
#include "kernel_text.h"

#define BOX ".shared .align 16 .b8 box[4096];"
#define ADDRESSES "mov.u32 %r20, box;\nmad.lo.u32 %r20, %t, 16, %r20;\nmad.wide.u32 %q10, %t, 16, %out;\nmul.wide.u32 %q11, %t, 32;\nadd.u64 %q11, %q11, %out;\n"

static uint32_t *load_with_input(struct rig *rig, struct bench_room *room, const char *text, uint64_t *out)
{
    uint32_t *const words = kernel_load(rig, room, text, out);
    for (uint32_t i = 0; i < OUT_WORDS; i++)
        words[i] = i < 2048 ? 1000 + i : 0;
    return words;
}

static void a_copy_shows_after_its_wait_and_not_before(void **state)
{
    struct rig rig;
    uint64_t out;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const uint32_t *const words =
            load_with_input(&rig, *state,
                            KERNEL(BOX, ADDRESSES "cp.async.cg.shared.global [%r20], [%q10], 16;\ncp.async.commit_group;\n"
                                                  "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20];\nst.global.v4.u32 [%q11+8192], {%r1, %r2, %r3, %r4};\n"
                                                  "cp.async.wait_group 0;\n"
                                                  "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20];\nst.global.v4.u32 [%q11+8208], {%r1, %r2, %r3, %r4};\n"),
                            &out);
        kernel_must_run(&rig, &out, 1, 32, seed);
        for (uint32_t t = 0; t < 32; t++)
            for (uint32_t i = 0; i < 4; i++) {
                assert_int_not_equal(words[2048 + 8 * t + i], 1000 + 4 * t + i);
                assert_int_equal(words[2048 + 8 * t + 4 + i], 1000 + 4 * t + i);
            }
        rig_end(&rig);
    }
}

/* Three groups in flight: wait_group 1 covers two of them. */
static void the_newest_groups_may_stay_open(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        load_with_input(&rig, *state,
                        KERNEL(BOX, ADDRESSES "cp.async.ca.shared.global [%r20], [%q10], 4;\ncp.async.commit_group;\n"
                                              "cp.async.ca.shared.global [%r20+4], [%q10+4], 4;\ncp.async.commit_group;\n"
                                              "cp.async.ca.shared.global [%r20+8], [%q10+8], 8;\ncp.async.commit_group;\n"
                                              "cp.async.wait_group 1;\n"
                                              "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20];\nst.global.v4.u32 [%q11+8192], {%r1, %r2, %r3, %r4};\n"
                                              "cp.async.wait_all;\n"
                                              "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20];\nst.global.v4.u32 [%q11+8208], {%r1, %r2, %r3, %r4};\n"),
                        &out);
    kernel_must_run(&rig, &out, 1, 32, 1);
    for (uint32_t t = 0; t < 32; t++)
        for (uint32_t i = 0; i < 4; i++) {
            assert_true((words[2048 + 8 * t + i] == 1000 + 4 * t + i) == (i < 2));
            assert_int_equal(words[2048 + 8 * t + 4 + i], 1000 + 4 * t + i);
        }
    rig_end(&rig);
}

static void what_is_not_copied_is_zero(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        load_with_input(&rig, *state,
                        KERNEL(BOX, ADDRESSES "setp.lt.u32 %p1, %t, 16;\nselp.b32 %r5, 8, 0, %p1;\nmov.u64 %q12, 0;\n"
                                              "cp.async.cg.shared.global [%r20], [%q10], 16, %r5;\ncp.async.wait_all;\n"
                                              "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20];\nst.global.v4.u32 [%q11+8192], {%r1, %r2, %r3, %r4};\n"
                                              "selp.b64 %q13, %q10, %q12, %p1;\n"
                                              "cp.async.cg.shared.global [%r20], [%q13], 16, !%p1;\ncp.async.wait_all;\n"
                                              "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20];\nst.global.v4.u32 [%q11+8208], {%r1, %r2, %r3, %r4};\n"),
                        &out);
    kernel_must_run(&rig, &out, 1, 32, 1);
    for (uint32_t t = 0; t < 32; t++)
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(words[2048 + 8 * t + i], t < 16 && i < 2 ? 1000 + 4 * t + i : 0);
            assert_int_equal(words[2048 + 8 * t + 4 + i], t < 16 ? 1000 + 4 * t + i : 0); /* the source is not even looked at */
        }
    rig_end(&rig);
}

/* Warp 0 copies, warp 1 waits on the barrier that the copies arrive at: both ways of counting. */
static void an_arrival_stands_for_the_copies_before_it(void **state)
{
    static const char *const texts[] = {
        KERNEL(BOX ".shared .align 8 .b64 bar;",
               "setp.ne.u32 %p1, %t, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [bar], 32;\nbar.sync 0;\n" ADDRESSES
               "setp.ge.u32 %p2, %t, 32;\n@%p2 bra CONSUMER;\n"
               "cp.async.cg.shared.global [%r20], [%q10], 16;\ncp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nbra.uni END;\n"
               "CONSUMER: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra CONSUMER;\n"
               "ld.shared.u32 %r1, [%r20+-512];\nst.global.u32 [%at+8192], %r1;\nEND:\n"),
        KERNEL(BOX ".shared .align 8 .b64 bar;",
               "setp.ne.u32 %p1, %t, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [bar], 32;\nbar.sync 0;\n" ADDRESSES
               "setp.ge.u32 %p2, %t, 32;\n@%p2 bra CONSUMER;\n"
               "cp.async.cg.shared.global [%r20], [%q10], 16;\ncp.async.mbarrier.arrive.shared.b64 [bar];\n"
               "mbarrier.arrive.shared::cta.b64 _, [bar];\nbra.uni END;\n"
               "CONSUMER: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra CONSUMER;\n"
               "ld.shared.u32 %r1, [%r20+-512];\nst.global.u32 [%at+8192], %r1;\nEND:\n"),
    };
    for (size_t k = 0; k < COUNT(texts); k++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct rig rig;
            uint64_t out;
            const uint32_t *const words = load_with_input(&rig, *state, texts[k], &out);
            kernel_must_run(&rig, &out, 1, 64, seed);
            for (uint32_t t = 0; t < 32; t++)
                assert_int_equal(words[2048 + 32 + t], 1000 + 4 * t);
            rig_end(&rig);
        }
}

/* The same without the arrival: nobody completes the barrier. */
static void copies_without_an_arrival_complete_no_barrier(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)load_with_input(&rig, room,
                          KERNEL(BOX ".shared .align 8 .b64 bar;",
                                 "setp.ne.u32 %p1, %t, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [bar], 32;\nbar.sync 0;\n" ADDRESSES
                                 "cp.async.cg.shared.global [%r20], [%q10], 16;\n"
                                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra WAIT;\n"),
                          &out);
    assert_int_equal(kernel_run(&rig, &out, 1, 32, 1), LAUNCH_DEADLOCK);
    assert_non_null(strstr(tw_test_diags(room), "note: the cp.async engine of block (0,0,0) holds 32 operations that nothing waits for\n"));
    rig_end(&rig);
}

static void a_misaligned_copy_is_a_fault(void **state)
{
    kernel_must_fail(*state, KERNEL(BOX, "mov.u32 %r1, box;\ncp.async.cg.shared.global [%r1+8], [%out], 16;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0703]: misaligned store of 16 bytes at shared::cluster address 0x408\n"
                     "   12 | cp.async.cg.shared.global [%r1+8], [%out], 16;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address that is a multiple of 16\n"
                     "     found: 0x408, 8 over\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_copy_shows_after_its_wait_and_not_before),
        ROOM_TEST(the_newest_groups_may_stay_open),
        ROOM_TEST(what_is_not_copied_is_zero),
        ROOM_TEST(an_arrival_stands_for_the_copies_before_it),
        ROOM_TEST(copies_without_an_arrival_complete_no_barrier),
        ROOM_TEST(a_misaligned_copy_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
