/* CTA barriers, cluster barriers and what they guarantee. SOURCE: PTX ISA, bar, barrier, barrier.cluster. */
#include "kernel_text.h"

/* Every thread writes a word of shared memory and reads its neighbour's in another warp. */
static void a_barrier_orders_shared_memory_between_warps(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 4 .b32 box[256];",
                                                     "mov.u32 %r1, box;\nshl.b32 %r2, %t, 2;\nadd.u32 %r3, %r1, %r2;\n"
                                                     "mul.lo.u32 %r4, %t, 3;\nst.shared.u32 [%r3], %r4;\n"
                                                     "bar.sync 0;\n"
                                                     "xor.b32 %r5, %r2, 128;\nadd.u32 %r5, %r1, %r5;\nld.shared.u32 %r6, [%r5];\n"
                                                     "st.global.u32 [%at], %r6;\n"),
                                              &out);
    for (uint64_t seed = 0; seed < 20; seed++) {
        kernel_must_run(&rig, &out, 1, 256, seed);
        for (uint32_t i = 0; i < 256; i++)
            assert_int_equal(words[i], (i ^ 32) * 3);
    }
    rig_end(&rig);
}

/* Without the barrier some seed shows the poison that stood there: never only right answers. */
static void a_forgotten_barrier_shows(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 4 .b32 box[256];",
                                                     "mov.u32 %r1, box;\nshl.b32 %r2, %t, 2;\nadd.u32 %r3, %r1, %r2;\n"
                                                     "st.shared.u32 [%r3], %t;\n"
                                                     "xor.b32 %r5, %r2, 128;\nadd.u32 %r5, %r1, %r5;\nld.shared.u32 %r6, [%r5];\n"
                                                     "st.global.u32 [%at], %r6;\n"),
                                              &out);
    for (uint64_t seed = 0; seed < 20; seed++) {
        kernel_must_run(&rig, &out, 1, 256, seed);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < 256; i++)
            wrong += words[i] != (i ^ 32);
        assert_true(wrong > 0);
    }
    rig_end(&rig);
}

static void named_barriers_hand_over_between_producer_and_consumer(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 4 .b32 box;",
                                                     "mov.u32 %r1, 0;\nsetp.ge.u32 %p1, %t, 32;\n"
                                                     "@%p1 bra CONSUMER;\n"
                                                     "PRODUCE: bar.sync 2, 64;\n" /* the box is free */
                                                     "mul.lo.u32 %r2, %r1, %r1;\nst.shared.u32 [box], %r2;\n"
                                                     "bar.arrive 1, 64;\n"        /* the box is full */
                                                     "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 10;\n@%p2 bra PRODUCE;\nbra.uni END;\n"
                                                     "CONSUMER: bar.arrive 2, 64;\n"
                                                     "TAKE: bar.sync 1, 64;\n"
                                                     "ld.shared.u32 %r2, [box];\n"
                                                     "mad.wide.u32 %q1, %r1, 4, %out;\nst.global.u32 [%q1], %r2;\n"
                                                     "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 10;\n@!%p2 bra END;\n"
                                                     "bar.arrive 2, 64;\nbra.uni TAKE;\n"
                                                     "END:\n"),
                                              &out);
    for (uint64_t seed = 0; seed < 20; seed++) {
        memset(rig_host(&rig, out), 0, 64);
        kernel_must_run(&rig, &out, 1, 64, seed);
        for (uint32_t i = 0; i < 10; i++)
            assert_int_equal(words[i], i * i);
    }
    rig_end(&rig);
}

static void a_reduction_over_a_barrier_reaches_every_thread(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "and.b32 %r1, %t, 3;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %t, 1000;\n"
                                                     "bar.red.popc.u32 %r2, 0, %p1;\n"
                                                     "bar.red.and.pred %p3, 0, %p2;\n"
                                                     "bar.red.or.pred %p4, 0, !%p2;\n"
                                                     "barrier.sync 3;\n"
                                                     "barrier.red.popc.aligned.u32 %r5, 1, 64, !%p1;\n"
                                                     "selp.b32 %r3, 256, 0, %p3;\nselp.b32 %r4, 512, 0, %p4;\n"
                                                     "or.b32 %r2, %r2, %r3;\nor.b32 %r2, %r2, %r4;\nshl.b32 %r5, %r5, 12;\nor.b32 %r2, %r2, %r5;\n"
                                                     "st.global.u32 [%at], %r2;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 64, 7);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(words[i], 16 | 256 | 48 << 12);
    rig_end(&rig);
}

/* The lanes of a warp come to a barrier that is not .aligned at different instructions. */
static void a_barrier_that_is_not_aligned_gathers_the_warp(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 4 .b32 box[64];",
                                                     "mov.u32 %r1, box;\nmad.lo.u32 %r1, %t, 4, %r1;\nst.shared.u32 [%r1], %t;\n"
                                                     "and.b32 %r2, %t, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n"
                                                     "barrier.sync 0;\nbra.uni END;\n"
                                                     "EVEN: barrier.sync 0;\n"
                                                     "END: mov.u32 %r3, box;\nxor.b32 %r4, %t, 33;\nmad.lo.u32 %r3, %r4, 4, %r3;\n"
                                                     "ld.shared.u32 %r5, [%r3];\nst.global.u32 [%at], %r5;\n"),
                                              &out);
    for (uint64_t seed = 0; seed < 10; seed++) {
        kernel_must_run(&rig, &out, 1, 64, seed);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(words[i], i ^ 33);
    }
    rig_end(&rig);
}

static void warps_that_have_ended_count_as_arrived_for_all_threads(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state, KERNEL("", "setp.ge.u32 %p1, %t, 64;\n@%p1 exit;\nbar.sync 0;\nst.global.u32 [%at], 5;\n"), &out);
    for (uint64_t seed = 0; seed < 10; seed++)
        kernel_must_run(&rig, &out, 1, 128, seed);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(words[i], i < 64 ? 5 : 0);
    rig_end(&rig);
}

/* ---- Clusters -------------------------------------------------------------------------------------------- */

#define CLUSTER_HEAD                                                                                        \
    ".version 8.8\n.target sm_90a\n.address_size 64\n.shared .align 4 .b32 box[4];\n"                       \
    ".visible .entry k(.param .u64 out) .reqnctapercluster 2, 2, 1\n{\n"                                    \
    ".reg .pred %p<10>; .reg .b32 %r<30>; .reg .b64 %q<20>;\n"

/* MEASURED: ptx-async.md 5.1, 5.2: ranks, and shared addresses that carry them. */
static void a_cluster_shares_its_memory_by_rank(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state,
                    CLUSTER_HEAD "mov.u32 %r1, %cluster_ctarank;\nadd.u32 %r2, %r1, 100;\nst.shared.u32 [box], %r2;\n"
                                 "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                                 "add.u32 %r3, %r1, 1;\nand.b32 %r3, %r3, 3;\nmov.u32 %r4, box;\n"
                                 "mapa.shared::cluster.u32 %r5, %r4, %r3;\nld.shared::cluster.u32 %r6, [%r5];\n"
                                 "ld.param.u64 %q1, [out];\nmov.u32 %r7, %ctaid.x;\nmov.u32 %r8, %ctaid.y;\n"
                                 "mad.lo.u32 %r9, %r8, 4, %r7;\nmul.lo.u32 %r9, %r9, 16;\ncvt.u64.u32 %q2, %r9;\nadd.u64 %q1, %q1, %q2;\n"
                                 "st.global.v4.u32 [%q1], {%r1, %r4, %r5, %r6};\n"
                                 "barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n",
                    &out);
    for (uint64_t seed = 0; seed < 10; seed++) {
        rig_must_run(&rig, "k", (struct launch_spec){.grid = {4, 2, 1}, .block = {32}, .seed = seed, .params = &out, .param_bytes = 8});
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 4; x++) {
                const uint32_t *const got = &words[(y * 4 + x) * 4];
                const uint32_t rank = x % 2 + y % 2 * 2, next = (rank + 1) & 3;
                assert_int_equal(got[0], rank);
                assert_int_equal(got[1], rank << 24 | 0x400);
                assert_int_equal(got[2], next << 24 | 0x400);
                assert_int_equal(got[3], 100 + next);
            }
    }
    rig_end(&rig);
}

static void memory_of_a_cta_that_has_ended_is_gone(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room,
                      ".version 8.8\n.target sm_90a\n.address_size 64\n.shared .align 4 .b32 box;\n"
                      ".visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1\n{\n"
                      ".reg .pred %p<10>; .reg .b32 %r<30>;\n"
                      "mov.u32 %r1, %cluster_ctarank;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 exit;\n"
                      "mov.u32 %r5, 0;\nWAIT: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 10000;\n@%p2 bra WAIT;\n"
                      "mov.u32 %r4, box;\nmapa.shared::cluster.u32 %r5, %r4, 1;\n"
                      "ld.shared::cluster.u32 %r6, [%r5];\nret;\n}\n",
                      &out);
    const enum launch_status status =
        rig_run(&rig, "k", (struct launch_spec){.grid = {2}, .block = {32}, .params = &out, .param_bytes = 8});
    tw_test_expect_diags(room,
                         "k.ptx:17:1: error[E0714]: load of 4 bytes at shared address 0x1000400 of CTA 1 of the cluster, which has ended\n"
                         "   17 | ld.shared::cluster.u32 %r6, [%r5];\n"
                         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                         "       fix: let every CTA of the cluster wait at a cluster barrier before it exits\n"
                         "note: by thread (0,0,0) of block (0,0,0)\n");
    assert_int_equal(status, LAUNCH_FAULT);
    rig_end(&rig);
}

/* ---- Misuse ----------------------------------------------------------------------------------------------- */

static void participants_must_agree_on_the_thread_count(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room,
                      KERNEL("", "setp.ge.u32 %p1, %t, 32;\n@%p1 bra B;\nbar.sync 1, 64;\nbra.uni END;\nB: bar.sync 1, 96;\nEND:\n"), &out);
    assert_int_equal(kernel_run(&rig, &out, 1, 64, 1), LAUNCH_FAULT);
    const char *const text = tw_test_diags(room);
    assert_non_null(strstr(text, "error[E0710]: the participants of a barrier name different thread counts\n"));
    assert_true(strstr(text, "found: 96 threads here, 64 in the running instance of barrier 1\n") != NULL ||
                strstr(text, "found: 64 threads here, 96 in the running instance of barrier 1\n") != NULL);
    rig_end(&rig);
}

static void a_thread_count_that_is_no_multiple_of_32_is_diagnosed(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u32 %r1, 48;\nbar.sync 0, %r1;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0710]: the thread count of a barrier is a multiple of 32, at most 1024\n"
                     "   12 | bar.sync 0, %r1;\n"
                     "      | ^~~~~~~~~~~~~~~~\n"
                     "     found: 48 threads\n"
                     "      spec: PTX ISA, bar, barrier\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_barrier_number_above_15_is_diagnosed(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u32 %r1, 16;\nbar.sync %r1;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0710]: a CTA has barriers 0 to 15\n"
                     "   12 | bar.sync %r1;\n"
                     "      | ^~~~~~~~~~~~~\n"
                     "     found: barrier 16\n"
                     "      spec: PTX ISA, bar, barrier\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_barrier_that_lacks_a_warp_is_a_deadlock(void **state)
{
    kernel_must_fail(*state,
                     KERNEL("", "setp.ge.u32 %p1, %t, 96;\n"
                                "@%p1 bra END;\n"
                                "bar.sync 3, 128;\n"
                                "END:\n"),
                     1, 128, LAUNCH_DEADLOCK,
                     "k.ptx:13:1: error[E0706]: deadlock: no thread can run, and no pending operation could change that\n"
                     "   13 | bar.sync 3, 128;\n"
                     "      | ^~~~~~~~~~~~~~~~\n"
                     "k.ptx:13:1: note: warps 0-2 of block (0,0,0) wait at barrier 3: 96 of 128 threads have arrived; ended: warp 3\n"
                     "   13 | bar.sync 3, 128;\n"
                     "      | ^~~~~~~~~~~~~~~~\n");
}

static void warps_at_different_barriers_are_a_deadlock(void **state)
{
    kernel_must_fail(*state,
                     KERNEL(".file 1 \"k.py\"", "setp.ge.u32 %p1, %t, 32;\n"
                                                "@%p1 bra B;\n"
                                                ".loc 1 7 1\n"
                                                "bar.sync 0;\n"
                                                "B: bar.sync 1;\n"),
                     1, 64, LAUNCH_DEADLOCK,
                     "k.ptx:14:1: error[E0706]: deadlock: no thread can run, and no pending operation could change that\n"
                     "   14 | bar.sync 0;\n"
                     "      | ^~~~~~~~~~~\n"
                     "k.ptx:14:1: note: warp 0 of block (0,0,0) waits at barrier 0: 32 of 64 threads have arrived; not there: warp 1, k.py:7\n"
                     "   14 | bar.sync 0;\n"
                     "      | ^~~~~~~~~~~\n"
                     "k.ptx:15:4: note: warp 1 of block (0,0,0) waits at barrier 1: 32 of 64 threads have arrived; not there: warp 0, k.py:7\n"
                     "   15 | B: bar.sync 1;\n"
                     "      |    ^~~~~~~~~~~\n");
}

static void a_cluster_barrier_is_arrived_at_once_and_then_waited_for(void **state)
{
    kernel_must_fail(*state, KERNEL("", "barrier.cluster.wait;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:11:1: error[E0710]: barrier.cluster.wait without an arrive before it\n"
                     "   11 | barrier.cluster.wait;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~\n"
                     "      spec: PTX ISA, barrier.cluster\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void arriving_twice_at_the_cluster_barrier_is_diagnosed(void **state)
{
    kernel_must_fail(*state, KERNEL("", "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0710]: barrier.cluster.arrive twice without a wait between\n"
                     "   12 | barrier.cluster.arrive;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~\n"
                     "      spec: PTX ISA, barrier.cluster\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_barrier_orders_shared_memory_between_warps),
        ROOM_TEST(a_forgotten_barrier_shows),
        ROOM_TEST(named_barriers_hand_over_between_producer_and_consumer),
        ROOM_TEST(a_reduction_over_a_barrier_reaches_every_thread),
        ROOM_TEST(a_barrier_that_is_not_aligned_gathers_the_warp),
        ROOM_TEST(warps_that_have_ended_count_as_arrived_for_all_threads),
        ROOM_TEST(a_cluster_shares_its_memory_by_rank),
        ROOM_TEST(memory_of_a_cta_that_has_ended_is_gone),
        ROOM_TEST(participants_must_agree_on_the_thread_count),
        ROOM_TEST(a_thread_count_that_is_no_multiple_of_32_is_diagnosed),
        ROOM_TEST(a_barrier_number_above_15_is_diagnosed),
        ROOM_TEST(a_barrier_that_lacks_a_warp_is_a_deadlock),
        ROOM_TEST(warps_at_different_barriers_are_a_deadlock),
        ROOM_TEST(a_cluster_barrier_is_arrived_at_once_and_then_waited_for),
        ROOM_TEST(arriving_twice_at_the_cluster_barrier_is_diagnosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
