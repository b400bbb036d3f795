/* Lanes of a warp that take different ways: they meet again, and each makes progress. */
#include "kernel_text.h"

static void the_two_sides_of_a_branch_meet_again(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("", "setp.lt.u32 %p1, %t, 10;\n"
                                                         "@%p1 bra THEN;\n"
                                                         "activemask.b32 %r1;\n"
                                                         "bra.uni MEET;\n"
                                                         "THEN: activemask.b32 %r1;\n"
                                                         "MEET: activemask.b32 %r2;\n"
                                                         "st.global.u32 [%at], %r1;\n"
                                                         "st.global.u32 [%at+256], %r2;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(words[i], i < 10 ? 0x3ffu : 0xfffffc00u);
        assert_int_equal(words[64 + i], 0xffffffffu);
    }
    rig_end(&rig);
}

static void lanes_leave_a_loop_one_by_one_and_meet_behind_it(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("", "mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
                                                         "LOOP: add.u32 %r2, %r2, %r1;\n"
                                                         "add.u32 %r1, %r1, 1;\n"
                                                         "setp.le.u32 %p1, %r1, %t;\n"
                                                         "@%p1 bra LOOP;\n"
                                                         "activemask.b32 %r3;\n"
                                                         "st.global.u32 [%at], %r2;\n"
                                                         "st.global.u32 [%at+256], %r3;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 3);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(words[i], i * (i + 1) / 2);
        assert_int_equal(words[64 + i], 0xffffffffu);
    }
    rig_end(&rig);
}

/* A lane that spins at the lower pc must not starve the lane that it waits for, and the other way round. */
static void a_spinning_lane_does_not_starve_the_lane_that_ends_its_wait(void **state)
{
    static const char *const bodies[] = {
        /* lane 0 spins first in the text */
        KERNEL(".shared .align 4 .b32 flag;",
               "st.volatile.shared.u32 [flag], 0;\nbar.warp.sync -1;\n"
               "setp.ne.u32 %p1, %t, 0;\n@%p1 bra SET;\n"
               "SPIN: ld.volatile.shared.u32 %r1, [flag];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra SPIN;\nbra.uni DONE;\n"
               "SET: st.volatile.shared.u32 [flag], 7;\n"
               "DONE: ld.volatile.shared.u32 %r2, [flag];\nst.global.u32 [%at], %r2;\n"),
        /* the setter stands first in the text */
        KERNEL(".shared .align 4 .b32 flag;",
               "st.volatile.shared.u32 [flag], 0;\nbar.warp.sync -1;\n"
               "setp.eq.u32 %p1, %t, 0;\n@%p1 bra SPIN;\n"
               "st.volatile.shared.u32 [flag], 7;\nbra.uni DONE;\n"
               "SPIN: ld.volatile.shared.u32 %r1, [flag];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra SPIN;\n"
               "DONE: ld.volatile.shared.u32 %r2, [flag];\nst.global.u32 [%at], %r2;\n"),
    };
    for (size_t b = 0; b < COUNT(bodies); b++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct rig rig;
            uint64_t out;
            const uint32_t *const words = kernel_load(&rig, *state, bodies[b], &out);
            kernel_must_run(&rig, &out, 1, 32, seed);
            for (uint32_t i = 0; i < 32; i++)
                assert_int_equal(words[i], 7);
            rig_end(&rig);
        }
}

/* Each lane takes a lock in turn: the lane that holds it must be able to give it back. */
static void a_lock_between_the_lanes_of_a_warp_is_passed_on(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "TRY: atom.global.cas.b32 %r1, [%out], 0, 1;\n"
                                                     "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra TRY;\n"
                                                     "ld.volatile.global.u32 %r2, [%out+4];\nadd.u32 %r2, %r2, 1;\n"
                                                     "st.volatile.global.u32 [%out+4], %r2;\n"
                                                     "atom.global.exch.b32 %r1, [%out], 0;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 4, 64, 5);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 256);
    rig_end(&rig);
}

/* A block that waits for a block with a higher number, over global memory: both must be in flight. */
static void a_block_may_wait_for_a_block_that_starts_later(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SET;\n"
                                                     "SPIN: ld.acquire.gpu.global.u32 %r2, [%out];\n"
                                                     "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra SPIN;\n"
                                                     "st.global.u32 [%out+4], %r2;\nbra.uni END;\n"
                                                     "SET: st.release.gpu.global.u32 [%out], 9;\nEND:\n"),
                                              &out);
    struct launch_spec spec = {.grid = {2}, .block = {1}, .params = &out, .param_bytes = 8};
    rig_must_run(&rig, "k", spec);
    assert_int_equal(words[1], 9);
    rig_end(&rig);
}

static void an_indexed_branch_splits_a_warp_by_target(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "and.b32 %r1, %t, 3;\n"
                                                     "TABLE: .branchtargets A, B, C, A;\n"
                                                     "brx.idx %r1, TABLE;\n"
                                                     "A: mov.u32 %r2, 10;\nbra.uni END;\n"
                                                     "B: mov.u32 %r2, 11;\nbra.uni END;\n"
                                                     "C: mov.u32 %r2, 12;\n"
                                                     "END: activemask.b32 %r3;\nst.global.u32 [%at], %r2;\nst.global.u32 [%at+256], %r3;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    static const uint32_t want[4] = {10, 11, 12, 10};
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(words[i], want[i & 3]);
        assert_int_equal(words[64 + i], 0xffffffffu);
    }
    rig_end(&rig);
}

static void lanes_that_have_exited_are_not_waited_for(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "setp.ge.u32 %p1, %t, 20;\n@%p1 exit;\n"
                                                     "vote.sync.ballot.b32 %r1, 1, -1;\n"
                                                     "bar.sync 0;\n"
                                                     "st.global.u32 [%at], %r1;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i < 20 ? 0xfffffu : 0);
    rig_end(&rig);
}

/* The upper lanes skip the shuffle and exit; the lower ones wait for them, as for all that have not exited, and go on. */
static void lanes_that_a_guard_holds_back_go_on(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "setp.lt.u32 %p1, %t, 16;\nmov.u32 %r1, 99;\n"
                                                     "@%p1 shfl.sync.idx.b32 %r1, %t, 3, 31, -1;\n"
                                                     "st.global.u32 [%at], %r1;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i < 16 ? 3 : 99);
    rig_end(&rig);
}

/* Lane 0 alone waits under a guard, and lane 1 of its warp arrives behind that. */
static void a_guarded_wait_holds_no_other_lane(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 8 .b64 bar;",
                                                     "setp.eq.u32 %p1, %t, 0;\nsetp.eq.u32 %p2, %t, 1;\n"
                                                     "@%p1 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n"
                                                     "@%p1 mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n"
                                                     "@%p2 mbarrier.arrive.shared.b64 _, [bar];\n"
                                                     "selp.u32 %r1, 1, 2, %p3;\nst.global.u32 [%at], %r1;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    assert_int_equal(words[0], 1);
    rig_end(&rig);
}

/* bar.warp.sync joins lanes that stand at different instructions. */
static void a_warp_barrier_may_be_reached_at_different_places(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 4 .b32 box[32];",
                                                     "mov.u32 %r5, box;\nmad.lo.u32 %r5, %t, 4, %r5;\n"
                                                     "setp.lt.u32 %p1, %t, 16;\n@%p1 bra LOW;\n"
                                                     "st.shared.u32 [%r5], 200;\nbar.warp.sync 0xffffffff;\n"
                                                     "ld.shared.u32 %r1, [%r5+-64];\nbra.uni END;\n"
                                                     "LOW: st.shared.u32 [%r5], 100;\nbar.warp.sync 0xffffffff;\n"
                                                     "ld.shared.u32 %r1, [%r5+64];\n"
                                                     "END: st.global.u32 [%at], %r1;\n"),
                                              &out);
    for (uint64_t seed = 0; seed < 10; seed++) {
        kernel_must_run(&rig, &out, 1, 32, seed);
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(words[i], i < 16 ? 200 : 100);
    }
    rig_end(&rig);
}

static void a_collective_of_half_a_warp_needs_only_that_half(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "setp.ge.u32 %p1, %t, 16;\n@%p1 bra HIGH;\n"
                                                     "vote.sync.ballot.b32 %r1, 1, 0xffff;\nbra.uni END;\n"
                                                     "HIGH: vote.sync.ballot.b32 %r1, 1, 0xffff0000;\n"
                                                     "END: st.global.u32 [%at], %r1;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i < 16 ? 0xffffu : 0xffff0000u);
    rig_end(&rig);
}

/* Both halves stand at one instruction, with two member masks: two groups, two results. */
static void groups_with_their_own_mask_are_apart_at_one_instruction(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "setp.lt.u32 %p1, %t, 16;\nselp.b32 %r1, 0xffff, 0xffff0000, %p1;\n"
                                                     "setp.eq.u32 %p2, %t, %t;\n"
                                                     "vote.sync.ballot.b32 %r2, %p2, %r1;\nst.global.u32 [%at], %r2;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i < 16 ? 0xffffu : 0xffff0000u);
    rig_end(&rig);
}

/* ---- What cannot be ------------------------------------------------------------------------------------ */

static void a_barrier_in_one_side_of_a_branch_is_diagnosed(void **state)
{
    kernel_must_fail(*state,
                     KERNEL("", "setp.lt.u32 %p1, %t, 16;\n"
                                "@%p1 bra LOW;\n"
                                "bar.sync 1;\n"
                                "bra.uni END;\n"
                                "LOW: bar.sync 0;\n"
                                "END:\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:13:1: error[E0705]: an .aligned instruction is reached by a part of the warp, and the rest cannot come\n"
                     "   13 | bar.sync 1;\n"
                     "      | ^~~~~~~~~~~\n"
                     "k.ptx:13:1: note: warp 0 (lanes 16-31) of block (0,0,0) waits for the rest of the warp to come to this .aligned instruction\n"
                     "   13 | bar.sync 1;\n"
                     "      | ^~~~~~~~~~~\n"
                     "k.ptx:15:6: note: warp 0 (lanes 0-15) of block (0,0,0) waits for the rest of the warp to come to this .aligned instruction\n"
                     "   15 | LOW: bar.sync 0;\n"
                     "      |      ^~~~~~~~~~~\n");
}

static void an_aligned_barrier_under_a_divergent_guard_is_diagnosed(void **state)
{
    kernel_must_fail(*state, KERNEL("", "setp.lt.u32 %p1, %t, 4;\n@%p1 bar.sync 0;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0705]: an .aligned instruction under a predicate that differs within the warp\n"
                     "   12 | @%p1 bar.sync 0;\n"
                     "      | ^~~~~~~~~~~~~~~~\n"
                     "  expected: the guard predicate true for the whole warp, or for none of it\n"
                     "     found: true for lanes 0-3, false for lanes 4-31 of warp 0\n"
                     "note: by thread (4,0,0) of block (0,0,0)\n");
}

static void a_collective_that_waits_for_a_lane_elsewhere_is_diagnosed(void **state)
{
    kernel_must_fail(*state,
                     KERNEL("", "setp.eq.u32 %p1, %t, 5;\n@%p1 bra AWAY;\n"
                                "vote.sync.ballot.b32 %r1, 1, -1;\nbra.uni END;\n"
                                "AWAY: bar.warp.sync -1;\nEND:\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:13:1: error[E0713]: a .sync instruction waits for lanes of its member mask that cannot come\n"
                     "   13 | vote.sync.ballot.b32 %r1, 1, -1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "k.ptx:13:1: note: warp 0 (lanes 0-4, 6-31) of block (0,0,0) waits for lane 5 to come to this instruction\n"
                     "   13 | vote.sync.ballot.b32 %r1, 1, -1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "k.ptx:15:7: note: warp 0 (lane 5) of block (0,0,0) waits at bar.warp.sync for lanes 0-4, 6-31\n"
                     "   15 | AWAY: bar.warp.sync -1;\n"
                     "      |       ^~~~~~~~~~~~~~~~~\n");
}

static void a_lane_outside_its_own_member_mask_is_diagnosed(void **state)
{
    kernel_must_fail(*state, KERNEL("", "vote.sync.ballot.b32 %r1, 1, 0xfe;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:11:1: error[E0713]: lane 0 executes a .sync instruction whose member mask 0x000000fe does not hold it\n"
                     "   11 | vote.sync.ballot.b32 %r1, 1, 0xfe;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "       fix: put the executing lane into the member mask\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void an_index_outside_the_branch_list_is_diagnosed(void **state)
{
    kernel_must_fail(*state, KERNEL("", "TABLE: .branchtargets A, B;\nbrx.idx %t, TABLE;\nA:\nB:\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0718]: brx.idx with index 2 into a list of 2 targets\n"
                     "   12 | brx.idx %t, TABLE;\n"
                     "      | ^~~~~~~~~~~~~~~~~~\n"
                     "note: by thread (2,0,0) of block (0,0,0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_two_sides_of_a_branch_meet_again),
        ROOM_TEST(lanes_leave_a_loop_one_by_one_and_meet_behind_it),
        ROOM_TEST(a_spinning_lane_does_not_starve_the_lane_that_ends_its_wait),
        ROOM_TEST(a_lock_between_the_lanes_of_a_warp_is_passed_on),
        ROOM_TEST(a_block_may_wait_for_a_block_that_starts_later),
        ROOM_TEST(an_indexed_branch_splits_a_warp_by_target),
        ROOM_TEST(lanes_that_have_exited_are_not_waited_for),
        ROOM_TEST(lanes_that_a_guard_holds_back_go_on),
        ROOM_TEST(a_guarded_wait_holds_no_other_lane),
        ROOM_TEST(a_warp_barrier_may_be_reached_at_different_places),
        ROOM_TEST(a_collective_of_half_a_warp_needs_only_that_half),
        ROOM_TEST(groups_with_their_own_mask_are_apart_at_one_instruction),
        ROOM_TEST(a_barrier_in_one_side_of_a_branch_is_diagnosed),
        ROOM_TEST(an_aligned_barrier_under_a_divergent_guard_is_diagnosed),
        ROOM_TEST(a_collective_that_waits_for_a_lane_elsewhere_is_diagnosed),
        ROOM_TEST(a_lane_outside_its_own_member_mask_is_diagnosed),
        ROOM_TEST(an_index_outside_the_branch_list_is_diagnosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
