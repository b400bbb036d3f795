/* Wrong uses of mma.sync, each with the whole text that the user sees. */
#include "tile/broken.h"

#include "tile/tile.h"

static void expect(struct bench_room *room, struct ir_kernel *k, struct ir_tile *t, const char *want)
{
    place_operands(room, t);
    assert_false(tw_tile_lower(k, tw_isa_open(&room->arena), &room->diags));
    tw_test_expect_diags(room, want);
}

/* The line of source that every message shows. */
#define LINE "    1 | apply(op, D, A, B, C, parameter)  declaration  condition\n"

static void a_collective_at_thread_scope_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->scope = IR_THREAD_SCOPE;
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0413]: mma.sync at thread scope\n"
           LINE
           "      |       ^~\n"
           "  expected: scope=\"warp\", \"warpgroup\", \"cta\" or \"cluster\": the instruction is issued by whole warps\n"
           "     found: scope=\"thread\", the default\n"
           "       fix: write scope=\"warp\"\n");
}

static void a_lane_that_holds_another_element_is_named(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->operands[1].region = swapped_a(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0415]: operand A of mma.sync: element (m=0, word=1) of K_repeat 0 is in lane 8, and the instruction reads it in lane 1\n"
           LINE
           "      |              ^\n"
           "  expected: laneid 1: register 0 of lane 1 holds (m=0, word=1) of K_repeat 0\n"
           "     found: laneid 8, by layout S[(1, 2, 2, 8, 2, 4):(8, 4, 1, 1@laneid, 2, 8@laneid)]\n"
           "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n");
}

static void results_that_share_a_register_are_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->operands[0].region = shared_slots(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:11: error[E0416]: operand D of mma.sync: registers 1 and 2 are both slot 1 of 'dr'\n"
           LINE
           "      |           ^\n"
           "  expected: distinct slots for everything that is written\n"
           "     found: layout S[(2, 8, 4, 2):(1, 4@laneid, 1@laneid, 1)]\n"
           "       fix: choose strides that give registers 1 and 2 slots of their own\n");
}

static void a_layout_without_lanes_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->operands[2].region = undistributed_b(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0415]: operand B of mma.sync: the layout does not say which thread owns an element\n"
           LINE
           "      |                 ^\n"
           "  expected: a layout that gives laneid\n"
           "     found: S[(1, 2, 8, 8):(128, 64, 8, 1)]\n"
           "       fix: view it with the map that 'tilewright explain fragment mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32' shows\n");
}

static void a_fragment_of_float16_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->operands[1].region = half_a(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0409]: operand A of mma.sync has elements of type float16\n"
           LINE
           "      |              ^\n"
           "  expected: uint32\n"
           "     found: float16, 16 bits\n"
           "       fix: pair them with .view(\"uint32\")\n");
}

static void an_integer_scalar_c_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->operands[3].expr = num(&s.d, 0);
    expect(room, s.d.k, s.mma,
           "k.py:1:20: error[E0408]: operand C of mma.sync is no tensor that the instruction can take\n"
           LINE
           "      |                    ^\n"
           "  expected: a tensor in local memory, or a float32 scalar\n"
           "     found: a value of type int32\n"
           "       fix: write T.float32(...)\n");
}

/* SOURCE: seed 003: alpha and beta scaling belongs before or after the MMA, at the call site. */
static void mma_sync_has_no_alpha(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    struct ir_arg alpha = bool_param(&s.d, "alpha", true);
    s.mma->params = &alpha;
    s.mma->param_count = 1;
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0404]: mma.sync has no parameter 'alpha'\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: no parameter but scope\n");
}

static void a_guard_that_leaves_lanes_out_is_shown(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = guarded_mma(room, IR_LT, 16);
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0414]: mma.sync is issued by whole warps, and lane 16 of warp 0 is missing\n"
           LINE
           "      |       ^~\n"
           "  expected: all 32 lanes of every warp that gets here\n"
           "     found: a condition around the call that leaves lanes out\n"
           "       fix: guard the call by warp, not by thread\n"
           "k.py:1:48: note: this condition leaves thread 16 of the 32 out\n"
           LINE
           "      |                                                ^~~~~~~~~\n");
}

static void a_block_that_is_no_multiple_of_a_warp_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.d.k->launch.block[0] = 48;
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0414]: mma.sync is issued by whole warps, and lane 16 of warp 1 is missing\n"
           LINE
           "      |       ^~\n"
           "  expected: all 32 lanes of every warp that gets here\n"
           "     found: a block of 48 threads, not a multiple of 32\n"
           "       fix: launch a multiple of 32 threads\n");
}

static void a_missing_warp_in_the_middle_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = cta_mma_without_warp_1(room);
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0413]: the warps that reach this mma.sync are no range\n"
           LINE
           "      |       ^~\n"
           "  expected: at cta scope: consecutive warps, the same in every warp and warpgroup\n"
           "       fix: guard the call with one comparison of the warp index\n");
}

static void cluster_scope_needs_a_cluster(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->scope = IR_CLUSTER_SCOPE;
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0413]: scope=\"cluster\" in a kernel that launches no cluster\n"
           LINE
           "      |       ^~\n"
           "       fix: give LaunchConfig a cluster= extent\n");
}

static void an_index_that_is_known_only_at_run_time_is_refused_for_registers(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = run_time_slot(room);
    expect(room, s.d.k, s.mma,
           "k.py:1:48: error[E0425]: 'ar' is an operand of mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32, so this index must be known at compile time\n"
           LINE
           "      |                                                ^~~~~~~~~\n"
           "  expected: registers have no addresses: constants, or variables of loops with static bounds that can be unrolled\n"
           "       fix: index it by the variable of a T.unroll(...) loop, which is known at compile time\n"
           "k.py:1:14: note: used as an operand here\n"
           LINE
           "      |              ^\n");
}

static void too_many_repeats_are_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = many_repeats(room);
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0420]: this call would expand to more than 65536 instructions\n"
           LINE
           "      |       ^~\n"
           "       fix: put a loop around a smaller call\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_collective_at_thread_scope_is_refused),
        ROOM_TEST(a_lane_that_holds_another_element_is_named),
        ROOM_TEST(results_that_share_a_register_are_refused),
        ROOM_TEST(a_layout_without_lanes_is_refused),
        ROOM_TEST(a_fragment_of_float16_is_refused),
        ROOM_TEST(an_integer_scalar_c_is_refused),
        ROOM_TEST(mma_sync_has_no_alpha),
        ROOM_TEST(a_guard_that_leaves_lanes_out_is_shown),
        ROOM_TEST(a_block_that_is_no_multiple_of_a_warp_is_refused),
        ROOM_TEST(a_missing_warp_in_the_middle_is_refused),
        ROOM_TEST(cluster_scope_needs_a_cluster),
        ROOM_TEST(an_index_that_is_known_only_at_run_time_is_refused_for_registers),
        ROOM_TEST(too_many_repeats_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
