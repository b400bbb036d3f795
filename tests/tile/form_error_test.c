/* Forms that the patterns do not have, formats and data paths that do not go together: the whole text of each error. */
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

static void a_shape_in_two_halves_has_an_axis_for_them(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.ld->opcode = "tcgen05.ld.sync.aligned.16x32bx2.x64.b32";
    expect(room, s.d.k, s.ld,
           "k.py:1:11: error[E0410]: operand dst of tcgen05.ld has 3 dimensions; 4 are needed\n"
           LINE
           "      |           ^\n"
           "  expected: (warp 4, repeats..., half 2, row 16, column 64)\n"
           "     found: (4, 32, 64)\n"
           "       fix: split it into these 4 axes with .view(...) or .rearrange(...)\n");
}

static void packed_loads_take_16_bit_elements(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.ld->opcode = "tcgen05.ld.sync.aligned.32x32b.x64.pack::16b.b32";
    expect(room, s.d.k, s.ld,
           "k.py:1:11: error[E0409]: operand dst of tcgen05.ld has elements of type float32\n"
           LINE
           "      |           ^\n"
           "  expected: elements of 16 bits\n"
           "     found: float32, 32 bits\n");
}

static void float32_is_no_tf32_unless_the_call_says_so(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = other_kind(room, "tcgen05.mma.cta_group::1.kind::tf32", NUM_F32, 8);
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0424]: operand A of tcgen05.mma: kind::tf32 takes no float32\n"
           LINE
           "      |              ^\n"
           "  expected: tf32\n"
           "     found: the tensor's dtype float32\n"
           "       fix: write a_format=\"tf32\"\n");
}

static void a_format_that_the_kind_lacks_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = other_kind(room, "tcgen05.mma.cta_group::1.kind::i8", NUM_E4M3, 32);
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0424]: operand A of tcgen05.mma: kind::i8 takes no float8_e4m3fn\n"
           LINE
           "      |              ^\n"
           "  expected: s8 or u8\n"
           "     found: the tensor's dtype float8_e4m3fn\n"
           "       fix: write .kind::f8f6f4 in the opcode\n");
}

static void integers_are_not_negated(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = other_kind(room, "tcgen05.mma.cta_group::1.kind::i8", NUM_S8, 32);
    s.mma->operands[0].region->view->elem = tw_ir_int32();
    s.mma->params[1] = bool_param(&s.d, "neg_a", true);
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0424]: neg_a=True with tcgen05.mma.cta_group::1.kind::i8\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: a float kind: integers have no negate bit\n"
           "       fix: leave neg_a out\n");
}

static void float_sums_do_not_go_to_int32(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[0].region->view->elem = tw_ir_int32();
    expect(room, s.d.k, s.mma,
           "k.py:1:11: error[E0424]: operand D of tcgen05.mma: kind::f16 does not accumulate in int32\n"
           LINE
           "      |           ^\n"
           "  expected: f16 or f32 with f16 inputs\n"
           "       fix: declare 'd' with dtype \"float32\"\n");
}

static void a_in_tensor_memory_is_k_major(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[1].region = tmem_a(&s, 128);
    s.mma->params[1] = text_param(&s.d, "a_major", "mn");
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0424]: operand A of tcgen05.mma cannot be MN-major\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: an operand in tensor memory is K-major\n"
           "     found: a_major=\"mn\"\n"
           "       fix: write a_major=\"k\"\n");
}

static void a_data_path_that_reads_copies_of_a_needs_them(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = pair_with_tmem_a(room);
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0417]: operand A of tcgen05.mma: 1 place of each element, and the instruction uses 2\n"
           LINE
           "      |              ^\n"
           "  expected: 2 copies, at lanes 0 and 64 from the first\n"
           "     found: layout S[(4, 64, 16):(16@TCol, 1@TLane, 1@TCol)]\n"
           "       fix: add the replica + R[2 : 64 @ TLane]\n");
}

static void a_and_d_take_the_same_half_of_the_quadrants(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = halves_apart(room);
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0417]: operand A of tcgen05.mma starts at lane 0 and operand D at lane 16\n"
           LINE
           "      |              ^\n"
           "  expected: the same lane: with M 64 both take the same half of each quadrant\n"
           "       fix: start the layout of 'lower', or the region, at lane 16\n");
}

static void group_members_without_a_fixed_step_are_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = lanes_without_a_step(room);
    expect(room, s.d.k, s.mma,
           "k.py:1:23: note[E0426]: instruction_shape (128, 8, 16) is not in every published table of tcgen05.mma.cta_group::1.kind::f16\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: N a multiple of 16 for a shape that all tables list\n"
           "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16: its editions differ\n"
           "k.py:1:11: error[E0419]: operand D of tcgen05.mma: the addresses of the group are no fixed step apart\n"
           LINE
           "      |           ^\n"
           "  expected: the same step from each member to the next, along every axis of the group\n"
           "     found: layout S[(2, 16, 128, 8):(200@TCol, 8@TCol, 1@TLane, 1@TCol)]\n"
           "       fix: lay out each group axis of 'apart' with one stride\n");
}

/* D has a step, and B has one inside each half of the group alone. */
static void group_members_without_a_fixed_step_in_shared_memory_are_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = lanes_without_a_step(room);
    struct draft *const d = &s.d;
    const struct layout *even = SHARD(d, {32, 8, AXIS_TCOL}, {128, 1, AXIS_TLANE}, {8, 1, AXIS_TCOL});
    struct tensor acc = draft_tensor(d, "even", IR_TMEM, NUM_F32, DIMS(32, 1, 1, 128, 8), even);
    acc.storage->base = use(d, s.tid);
    struct tensor b = draft_tensor(d, "uneven", IR_SHARED, NUM_F16, DIMS(32, 1, 1, 8, 16),
                                   SHARD(d, M_(2, 4096), M_(16, 128), M_(8, 8), M_(2, 64), M_(8, 1)));
    b.storage->align_bytes = 1024;
    s.mma->operands[0] = whole(d, &acc);
    s.mma->operands[2] = whole(d, &b);
    expect(room, s.d.k, s.mma,
           "k.py:1:23: note[E0426]: instruction_shape (128, 8, 16) is not in every published table of tcgen05.mma.cta_group::1.kind::f16\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: N a multiple of 16 for a shape that all tables list\n"
           "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16: its editions differ\n"
           "k.py:1:17: error[E0419]: operand B of tcgen05.mma: the addresses of the group are no fixed step apart\n"
           LINE
           "      |                 ^\n"
           "  expected: the same step from each member to the next, along every axis of the group\n"
           "     found: layout S[(2, 16, 8, 2, 8):(4096, 128, 8, 64, 1)]\n"
           "       fix: lay out each group axis of 'uneven' with one stride\n");
}

/* Four products of quad pairs are no product of a warp. */
static void a_shape_that_apply_does_not_cover_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_kernel(room);
    s.mma->opcode = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32";
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0402]: the mma.sync tile pattern does not cover mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32\n"
           LINE
           "      |       ^~\n"
           "  expected: one product of a whole warp; this form makes four, one for each pair of quads\n"
           "       fix: use m16n8k8, or call it as a raw instruction, T.ptx[...](...)\n");
}

static void batch_axes_must_agree(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = two_batches(room);
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0412]: operand A of mma.sync: the number of batch axes is 1\n"
           LINE
           "      |              ^\n"
           "  expected: 0, as in operand D\n"
           "     found: (2, 1, 2, 16, 8), and operand D has (1, 1, 16, 8)\n"
           "       fix: slice or view one of them so that the number of batch axes is the same in both\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_shape_in_two_halves_has_an_axis_for_them),
        ROOM_TEST(packed_loads_take_16_bit_elements),
        ROOM_TEST(float32_is_no_tf32_unless_the_call_says_so),
        ROOM_TEST(a_format_that_the_kind_lacks_is_refused),
        ROOM_TEST(integers_are_not_negated),
        ROOM_TEST(float_sums_do_not_go_to_int32),
        ROOM_TEST(a_in_tensor_memory_is_k_major),
        ROOM_TEST(a_data_path_that_reads_copies_of_a_needs_them),
        ROOM_TEST(a_and_d_take_the_same_half_of_the_quadrants),
        ROOM_TEST(group_members_without_a_fixed_step_are_refused),
        ROOM_TEST(group_members_without_a_fixed_step_in_shared_memory_are_refused),
        ROOM_TEST(a_shape_that_apply_does_not_cover_is_refused),
        ROOM_TEST(batch_axes_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
