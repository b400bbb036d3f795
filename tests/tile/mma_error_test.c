/* Wrong uses of tcgen05.mma and tcgen05.ld, each with the whole text that the user sees. */
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

static void an_unknown_qualifier_is_named_with_the_nearest(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->opcode = "tcgen05.mma.cta_group::1.kind::f15";
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0401]: tcgen05.mma.cta_group::1.kind::f15: no such qualifier\n"
           LINE
           "      |       ^~\n"
           "  expected: .kind::f16, .kind::tf32, .kind::f8f6f4 or .kind::i8\n"
           "     found: 'kind::f15'\n"
           "       fix: write 'kind::f16'\n");
}

/* "tcgen05.mma, ...": every family of tcgen05, in the order of the table. */
static const char *tcgen05_families(struct bench_room *room)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    for (uint32_t i = 0; tw_tile_family_name(i) != NULL; i++)
        if (strncmp(tw_tile_family_name(i), "tcgen05.", 8) == 0)
            tw_text_addf(&t, "%s%s", t.len == 0 ? "" : ", ", tw_tile_family_name(i));
    assert_non_null(strstr(t.at, "tcgen05.mma, tcgen05.mma.ws, "));
    return t.at;
}

static void an_instruction_without_a_tile_pattern_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->opcode = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64";
    expect(room, s.d.k, s.mma,
           tw_format(&room->arena,
                     "k.py:1:7: error[E0402]: no tile pattern covers tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64\n"
                     LINE
                     "      |       ^~\n"
                     "  expected: an instruction of one of these families: %s\n"
                     "       fix: call it as a raw instruction, T.ptx[...](...)\n", tcgen05_families(room)));
}

static void a_form_outside_the_pattern_is_refused_by_name(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->opcode = "tcgen05.mma.sp.cta_group::1.kind::f16";
    expect(room, s.d.k, s.mma,
           tw_format(&room->arena,
                     "k.py:1:7: error[E0402]: no tile pattern covers tcgen05.mma.sp.cta_group::1.kind::f16\n"
                     LINE
                     "      |       ^~\n"
                     "  expected: an instruction of one of these families: %s\n"
                     "       fix: call it as a raw instruction, T.ptx[...](...)\n", tcgen05_families(room)));
}

static void a_missing_operand_is_counted(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operand_count = 2;
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0403]: tcgen05.mma takes 3 operands\n"
           LINE
           "      |       ^~\n"
           "  expected: D, A, B\n"
           "     found: 2 operands\n"
           "       fix: add 1 operand: they go by position\n");
}

static void an_unknown_keyword_lists_the_parameters(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = bool_param(&s.d, "acum", false);
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0404]: tcgen05.mma has no parameter 'acum'\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: scope, instruction_shape, a_major, b_major, a_format, b_format, neg_a, neg_b, accum, sat_d, disable_output_lane, zero_column_mask, scale_input_d, pred\n"
           "       fix: write accum=\n");
}

static void a_parameter_of_another_kind_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = text_param(&s.d, "a_major", "row");
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0405]: parameter 'a_major' of tcgen05.mma\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: one of these strings, known at compile time: k|mn\n"
           "     found: \"row\"\n");
}

static void a_missing_instruction_shape_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->param_count = 0;
    expect(room, s.d.k, s.mma,
           "k.py:1:7: error[E0406]: tcgen05.mma needs the parameter 'instruction_shape'\n"
           LINE
           "      |       ^~\n"
           "  expected: three positive integers known at compile time, (M, N, K)\n"
           "       fix: add instruction_shape=(M, N, K)\n");
}

static void an_instruction_shape_that_does_not_exist_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[0] = shape_param(&s.d, 96, 64, 16);
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0407]: instruction_shape (96, 64, 16) does not exist for tcgen05.mma.cta_group::1.kind::f16\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: M 64 or 128, N 8 to 256 in steps of 8, K 16; M and N are totals over the CTA group\n"
           "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void a_k_that_is_not_the_kinds_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[0] = shape_param(&s.d, 128, 64, 32);
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0407]: instruction_shape (128, 64, 32) does not exist for tcgen05.mma.cta_group::1.kind::f16\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: M 64 or 128, N 8 to 256 in steps of 8, K 16; M and N are totals over the CTA group\n"
           "       fix: write (128, 64, 16): a longer K is the axis K_repeat of A and B\n"
           "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void b_in_tensor_memory_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[2].region = tmem_b(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0408]: operand B of tcgen05.mma is in tensor memory\n"
           LINE
           "      |                 ^\n"
           "  expected: a tensor in shared memory\n"
           "     found: 'bt', a tmem tensor\n"
           "       fix: copy 'bt' to a tensor in shared memory, and give that one\n"
           "k.py:1:35: note: 'bt' is declared here\n"
           LINE
           "      |                                   ^~~~~~~~~~~\n");
}

static void float32_for_kind_f16_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[1].region->view->elem = tw_ir_float32();
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0409]: operand A of tcgen05.mma has elements of type float32\n"
           LINE
           "      |              ^\n"
           "  expected: elements of 16 bits for kind::f16\n"
           "     found: float32, 32 bits\n"
           "       fix: write .kind::tf32 in the opcode\n");
}

static void too_few_dimensions_are_shown_with_what_is_wanted(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[1].region = whole(&s.d, &s.a).region;
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0410]: operand A of tcgen05.mma has 2 dimensions; 4 are needed\n"
           LINE
           "      |              ^\n"
           "  expected: (M_repeat, K_repeat, m 128, k 16)\n"
           "     found: (128, 64)\n"
           "       fix: write .rearrange(\"(i m) (j k) -> i j m k\", m=128, k=16) behind it\n");
}

static void a_wrong_atom_extent_names_the_axis(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[0] = shape_param(&s.d, 64, 64, 16);
    expect(room, s.d.k, s.mma,
           "k.py:1:11: error[E0411]: operand D of tcgen05.mma: axis m is 128, and the instruction takes M/g = 64\n"
           LINE
           "      |           ^\n"
           "  expected: (M_repeat, N_repeat, m 64, n 64)\n"
           "     found: (1, 1, 128, 64)\n");
}

static void repeats_that_disagree_name_both_operands(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[2].region = two_k_steps(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0412]: operand B of tcgen05.mma: K_repeat is 2\n"
           LINE
           "      |                 ^\n"
           "  expected: 4, as in operand A\n"
           "     found: (1, 2, 64, 16), and operand A has (1, 4, 128, 16)\n"
           "       fix: slice or view one of them so that K_repeat is the same in both\n");
}

static void a_misaligned_allocation_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.a.storage->align_bytes = 64;
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0423]: operand A of tcgen05.mma: 'a' is aligned to 64 bytes\n"
           LINE
           "      |              ^\n"
           "  expected: 1024 bytes, one period of the descriptor's 128B pattern\n"
           "     found: align=64\n"
           "       fix: write align=1024 where 'a' is allocated\n");
}

static void a_layout_that_no_descriptor_walks_shows_the_first_byte(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[2].region = gap_in_b(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0421]: operand B of tcgen05.mma: no K-major descriptor walks this view\n"
           LINE
           "      |                 ^\n"
           "  expected: element (n=16, k=0) of K_repeat 0 at byte 2048 of 'gap', by the strides of the first rows and chunks (SDO 1024, LDO 0, swizzle 128B)\n"
           "     found: element (n=16, k=0) of K_repeat 0 at byte 3072, by layout ComposeLayout(3, 3, 3, TileLayout(S[(4, 4, 16, 16):(16, 1536, 64, 1)]))\n"
           "       fix: give B a layout from mma_shared_layout(dtype, mode, shape), or split the call at n=16\n"
           "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n"
           "k.py:1:35: note: 'gap' is declared here\n"
           LINE
           "      |                                   ^~~~~~~~~~~\n");
}

/* A stage lies 2056 bytes behind the one before it, and a descriptor counts in 16. */
static void a_run_time_index_that_moves_by_less_than_a_unit_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = other_kind(room, "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, 16);
    struct tensor b = draft_tensor(&s.d, "odd", IR_SHARED, NUM_F16, DIMS(2, 64, 16), SHARD(&s.d, M_(2, 1028), M_(8, 128), M_(8, 8), M_(2, 64), M_(8, 1)));
    b.storage->align_bytes = 1024;
    b = reshape(&s.d, b, DIMS(2, 1, 64, 16));
    struct ir_region *const stage = region(&s.d, &b);
    stage->start[0] = use(&s.d, s.tid);
    stage->extent[0] = 1;
    s.mma->operands[2].region = stage;
    expect(room, s.d.k, s.mma,
           "error[E0422]: operand B of tcgen05.mma: a run-time index moves the descriptor's start by 16448 bits\n"
           "  expected: steps of 16 bytes\n"
           "       fix: give 'odd' a layout with a multiple of 8 elements, not 1028, from one index to the next\n");
}

static void a_stride_that_no_field_holds_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[2].region = narrow_b(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0422]: operand B of tcgen05.mma: the descriptor's SDO cannot hold this layout's stride\n"
           LINE
           "      |                 ^\n"
           "  expected: element (n=8, k=0) of K_repeat 0 at a multiple of 16 bytes after (n=0, k=0) of K_repeat 0, below 262144\n"
           "     found: 8 bytes, by layout S[(4, 8, 8, 16):(16, 4, 8, 1)]\n"
           "       fix: give B a layout from mma_shared_layout(dtype, mode, shape)\n");
}

static void a_swizzle_that_is_not_the_hardwares_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[2].region = odd_swizzle(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0421]: operand B of tcgen05.mma: no K-major descriptor walks this view\n"
           LINE
           "      |                 ^\n"
           "  expected: no swizzle, or one of the hardware's for elements of 16 bits\n"
           "     found: ComposeLayout(3, 2, 4, TileLayout(S[(4, 64, 16):(16, 64, 1)]))\n"
           "       fix: give B a layout from mma_shared_layout(dtype, mode, shape)\n"
           "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n");
}

static void an_accumulator_off_its_data_path_shows_the_cell(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[0].region = transposed_d(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:11: error[E0417]: operand D of tcgen05.mma: element (m=0, n=1) is in another cell than the instruction uses\n"
           LINE
           "      |           ^\n"
           "  expected: lane 0, column 1 of 'across'\n"
           "     found: lane 1, column 0, by layout S[(2, 64, 64):(64@TLane, 1@TCol, 1@TLane)]\n"
           "       fix: lay each tile as tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1) does\n"
           "k.py:1:35: note: 'across' is declared here\n"
           LINE
           "      |                                   ^~~~~~~~~~~\n");
}

static void an_accumulator_between_lanes_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[0].region = shifted_d(&s);
    expect(room, s.d.k, s.mma,
           "k.py:1:11: error[E0417]: operand D of tcgen05.mma starts at lane 16\n"
           LINE
           "      |           ^\n"
           "  expected: lane 0 on data path D\n"
           "     found: layout S[(128, 64):(1@TLane, 1@TCol)] + 16@TLane\n"
           "       fix: start the layout of 'shifted', or the region, at lane 0\n");
}

static void mn_major_of_a_k_major_tensor_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = text_param(&s.d, "a_major", "mn");
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0421]: operand A of tcgen05.mma: no MN-major descriptor walks this view\n"
           LINE
           "      |              ^\n"
           "  expected: element (m=0, k=1) of K_repeat 0 at byte 144 of 'a', by the strides of the first rows and chunks (SDO 16, LDO 8192, swizzle 128B)\n"
           "     found: element (m=0, k=1) of K_repeat 0 at byte 2, by layout ComposeLayout(3, 3, 3, TileLayout(S[(4, 128, 16):(16, 64, 1)]))\n"
           "       fix: write a_major=\"k\"\n"
           "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n");
}

static void saturation_of_floats_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = bool_param(&s.d, "sat_d", true);
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0424]: sat_d=True with tcgen05.mma.cta_group::1.kind::f16\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: kind::i8: only integer sums saturate\n"
           "       fix: leave sat_d out\n");
}

static void a_zero_column_mask_belongs_to_ws(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = (struct ir_arg){.kind = IR_ARG_INT, .name = "zero_column_mask", .at = s.d.at};
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0424]: zero_column_mask with tcgen05.mma.cta_group::1.kind::f16\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: a .ws form: no other has a zero-column mask\n"
           "       fix: leave zero_column_mask out\n");
}

static void a_short_lane_mask_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = (struct ir_arg){.kind = IR_ARG_TUPLE, .name = "disable_output_lane", .at = s.d.at};
    expect(room, s.d.k, s.mma,
           "k.py:1:23: error[E0405]: parameter 'disable_output_lane' of tcgen05.mma\n"
           LINE
           "      |                       ^~~~~~~~~\n"
           "  expected: a tuple of 4 words, four for each CTA\n"
           "     found: a tuple of 0\n"
           "       fix: write 4 words, with 0 for lanes that are all written\n");
}

static void different_formats_of_a_and_b_are_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = text_param(&s.d, "b_format", "bfloat16");
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0424]: operand B of tcgen05.mma has another format than operand A\n"
           LINE
           "      |                 ^\n"
           "  expected: f16, as operand A\n"
           "     found: bf16\n"
           "       fix: write b_format=\"f16\"\n");
}

static void a_format_parameter_that_the_kind_lacks_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = text_param(&s.d, "a_format", "float32");
    expect(room, s.d.k, s.mma,
           "k.py:1:14: error[E0424]: operand A of tcgen05.mma: kind::f16 takes no float32\n"
           LINE
           "      |              ^\n"
           "  expected: f16 or bf16\n"
           "     found: a_format=\"float32\"\n"
           "       fix: leave a_format out: 'a' holds float16\n");
}

static void a_format_of_a_that_b_has_not_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->params[1] = text_param(&s.d, "a_format", "bfloat16");
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0424]: operand B of tcgen05.mma has another format than operand A\n"
           LINE
           "      |                 ^\n"
           "  expected: bf16, as operand A\n"
           "     found: f16\n"
           "       fix: write a_format=\"f16\"\n");
}

static void different_dtypes_of_a_and_b_are_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.mma->operands[2].region->view->elem = tw_ir_type_of(NUM_BF16);
    expect(room, s.d.k, s.mma,
           "k.py:1:17: error[E0424]: operand B of tcgen05.mma has another format than operand A\n"
           LINE
           "      |                 ^\n"
           "  expected: f16, as operand A\n"
           "     found: bf16\n"
           "       fix: declare 'a' and 'b' with one dtype\n");
}

static void a_load_by_lanes_of_another_warp_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.ld->operands[1].region = rotated_quadrants(&s);
    expect(room, s.d.k, s.ld,
           "k.py:1:14: error[E0418]: operand src of tcgen05.ld: warp 0 would reach lane 96\n"
           LINE
           "      |              ^\n"
           "  expected: lane 0, where the quadrant of warp 0 starts\n"
           "     found: layout S[(4, 32, 64):(-32@TLane, 1@TLane, 1@TCol)] + 96@TLane\n"
           "       fix: start it at lane 0, or let a warp of index 3 modulo 4 issue it\n"
           "      spec: PTX ISA, tcgen05.ld: access restrictions\n");
}

static void a_register_fragment_of_another_width_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct tensor_mma s = tensor_mma_kernel(room);
    s.ld->operands[0].region = half_width(&s);
    expect(room, s.d.k, s.ld,
           "k.py:1:11: error[E0409]: operand dst of tcgen05.ld has elements of type float16\n"
           LINE
           "      |           ^\n"
           "  expected: elements of 32 bits\n"
           "     found: float16, 16 bits\n"
           "       fix: pair them with .view(\"uint32\")\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(an_unknown_qualifier_is_named_with_the_nearest),
        ROOM_TEST(an_instruction_without_a_tile_pattern_is_refused),
        ROOM_TEST(a_form_outside_the_pattern_is_refused_by_name),
        ROOM_TEST(a_missing_operand_is_counted),
        ROOM_TEST(an_unknown_keyword_lists_the_parameters),
        ROOM_TEST(a_parameter_of_another_kind_is_refused),
        ROOM_TEST(a_missing_instruction_shape_is_refused),
        ROOM_TEST(an_instruction_shape_that_does_not_exist_is_refused),
        ROOM_TEST(a_k_that_is_not_the_kinds_is_refused),
        ROOM_TEST(b_in_tensor_memory_is_refused),
        ROOM_TEST(float32_for_kind_f16_is_refused),
        ROOM_TEST(too_few_dimensions_are_shown_with_what_is_wanted),
        ROOM_TEST(a_wrong_atom_extent_names_the_axis),
        ROOM_TEST(repeats_that_disagree_name_both_operands),
        ROOM_TEST(a_misaligned_allocation_is_refused),
        ROOM_TEST(a_layout_that_no_descriptor_walks_shows_the_first_byte),
        ROOM_TEST(a_run_time_index_that_moves_by_less_than_a_unit_is_refused),
        ROOM_TEST(a_stride_that_no_field_holds_is_refused),
        ROOM_TEST(a_swizzle_that_is_not_the_hardwares_is_refused),
        ROOM_TEST(an_accumulator_off_its_data_path_shows_the_cell),
        ROOM_TEST(an_accumulator_between_lanes_is_refused),
        ROOM_TEST(mn_major_of_a_k_major_tensor_is_refused),
        ROOM_TEST(saturation_of_floats_is_refused),
        ROOM_TEST(a_zero_column_mask_belongs_to_ws),
        ROOM_TEST(a_short_lane_mask_is_refused),
        ROOM_TEST(different_formats_of_a_and_b_are_refused),
        ROOM_TEST(a_format_parameter_that_the_kind_lacks_is_refused),
        ROOM_TEST(a_format_of_a_that_b_has_not_is_refused),
        ROOM_TEST(different_dtypes_of_a_and_b_are_refused),
        ROOM_TEST(a_load_by_lanes_of_another_warp_is_refused),
        ROOM_TEST(a_register_fragment_of_another_width_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
