#include "read_layout.h"

#include "layout/view.h"

static struct view view_of(const struct layout_env *e, const char *layout, uint32_t elem_bits, struct shape shape)
{
    struct view v;
    assert_true(tw_view_make(e, &shape, layout == NULL ? NULL : read_layout(e, layout), elem_bits, &v));
    return v;
}

static void expect_shape(const struct view *v, struct shape want)
{
    assert_true(tw_shape_eq(&v->shape, &want));
}

#define DIMS(...) (uint32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__}

/* ---- declaration ---- */

static void a_tensor_without_a_layout_is_row_major(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, NULL, 32, SHAPE(16, 12));
    expect_layout(&e, v.layout, "S[(16,12):(12,1)]");
    assert_int_equal(tw_view_bit_offset(&v, (const int64_t[]){3, 5}), 41 * 32);
}

static void a_layout_of_another_size_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape shape = SHAPE(16, 12);
    struct view v;
    assert_false(tw_view_make(&e, &shape, read_layout(&e, "S[(64):(1)]"), 32, &v));
    tw_test_expect_diags(room, "error[E0305]: a layout and a shape differ in their number of elements\n"
                               "  expected: 192 elements, the size of the shape (16, 12)\n"
                               "     found: 64, the size of S[(64):(1)]\n");
}

/* ---- reshape ---- */

static void reshaping_keeps_the_layout_object(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, "S[(128,64):(1@TLane,1@TCol)]", 32, SHAPE(128, 64));
    struct view w;
    assert_true(tw_view_reshape(&e, &v, DIMS(1, 1, 128, 64), &w));
    expect_shape(&w, SHAPE(1, 1, 128, 64));
    assert_ptr_equal(w.layout, v.layout);
    assert_true(tw_view_reshape(&e, &v, DIMS(4, -1, 64), &w));
    expect_shape(&w, SHAPE(4, 32, 64));
    int64_t at[AXIS_COUNT];
    tw_layout_eval_at(w.layout, &w.shape, (const int64_t[]){2, 5, 33}, at);
    assert_int_equal(at[AXIS_TLANE], 69);
    assert_int_equal(at[AXIS_TCOL], 33);
}

static void reshaping_to_other_element_counts_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, NULL, 32, SHAPE(128, 64));
    struct view w;
    assert_false(tw_view_reshape(&e, &v, DIMS(128, 65), &w));
    assert_false(tw_view_reshape(&e, &v, DIMS(100, -1), &w));
    assert_false(tw_view_reshape(&e, &v, DIMS(-1, -1), &w));
    assert_false(tw_view_reshape(&e, &v, DIMS(8192, 0), &w));
    tw_test_expect_diags(room,
                         "error[E0314]: view(128, 65) does not have the tensor's elements\n"
                         "  expected: 8192 elements, as in (128, 64)\n"
                         "       fix: to see the storage under another layout, give layout=\n"
                         "error[E0314]: view(100, -1) does not have the tensor's elements\n"
                         "  expected: 8192 elements, as in (128, 64)\n"
                         "       fix: to see the storage under another layout, give layout=\n"
                         "error[E0314]: two dimensions of a view are -1\n"
                         "  expected: at most one to deduce\n"
                         "     found: (-1, -1)\n"
                         "error[E0302]: a shape has an empty dimension\n"
                         "  expected: extents of at least 1\n"
                         "     found: extent 0 of dimension 1\n");
    assert_false(tw_view_reshape(&e, &v, 17, (const int64_t[17]){0}, &w));
    assert_false(tw_view_reshape(&e, &v, 0, NULL, &w));
    assert_false(tw_view_reshape(&e, &v, DIMS(INT64_MAX, INT64_MAX, -1), &w));
    assert_false(tw_view_reshape(&e, &v, DIMS(INT64_MIN, -1), &w));
}

/* ---- relayout ---- */

static void a_fragment_is_seen_as_one_threads_registers(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, "S[(128,64):(1@tid_in_wg,1)]", 32, SHAPE(128, 64));
    struct view w;
    assert_true(tw_view_relayout(&e, &v, DIMS(64), NULL, &v, &w));
    expect_shape(&w, SHAPE(64));
    expect_layout(&e, w.layout, "S[(64):(1)]");
    assert_true(tw_view_local(&e, &v, 0, NULL, &w));
    expect_shape(&w, SHAPE(64));
    assert_true(tw_view_local(&e, &v, DIMS(4, 16), &w));
    expect_shape(&w, SHAPE(4, 16));
    assert_false(tw_view_local(&e, &v, DIMS(4, 17), &w));
}

/* The fragments of the mma.sync page: per-thread tensors of 8, 4 and 4 registers under warp-wide layouts. Lane and
 * register of each atom coordinate are the page's tables. */
static void registers_are_seen_as_mma_fragments(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    static const struct { const char *layout; int64_t regs; struct shape shape; int matrix; } rows[] = {
        {"S[(1,2,2,8,2,4):(8,4,1,4@laneid,2,1@laneid)]", 8, {4, {1, 2, 16, 8}}, 'A'},
        {"S[(1,2,8,2,4):(4,2,4@laneid,1,1@laneid)]", 4, {4, {1, 2, 8, 8}}, 'B'},
        {"S[(1,1,2,8,4,2):(4,4,2,4@laneid,1@laneid,1)]", 4, {4, {1, 1, 16, 8}}, 'D'},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct view regs = view_of(&e, NULL, 32, SHAPE(rows[i].regs));
        const struct layout *layout = read_layout(&e, rows[i].layout);
        struct view v;
        assert_true(tw_view_relayout(&e, &regs, rows[i].shape.rank, rows[i].shape.dim, layout, &regs, &v));
        const int64_t repeats = rows[i].shape.dim[1], count = rows[i].regs / repeats;
        for (int64_t k = 0; k < repeats; k++)
            for (int64_t lane = 0; lane < 32; lane++)
                for (int64_t r = 0; r < count; r++) {
                    const int64_t a_row = lane / 4 + 8 * (r % 2), a_col = lane % 4 + 4 * (r / 2);
                    const int64_t d_row = lane / 4 + 8 * (r / 2), d_col = 2 * (lane % 4) + r % 2;
                    const int64_t row = rows[i].matrix == 'A' ? a_row : rows[i].matrix == 'B' ? lane / 4 : d_row;
                    const int64_t col = rows[i].matrix == 'A' ? a_col : rows[i].matrix == 'B' ? lane % 4 + 4 * r : d_col;
                    int64_t at[AXIS_COUNT];
                    tw_layout_eval_at(v.layout, &v.shape, (const int64_t[]){0, k, row, col}, at);
                    assert_int_equal(at[AXIS_LANEID], lane);
                    assert_int_equal(at[AXIS_M], count * k + r);
                }
    }
}

/* 5.4: lane = 4*(row//2) + col//3, register = 3*(row%2) + col%3. */
static void the_shared_table_of_patches_maps_as_described(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view regs = view_of(&e, NULL, 32, SHAPE(6));
    struct view grid, flat;
    assert_true(tw_view_relayout(&e, &regs, DIMS(16, 12), read_layout(&e, "S[(8,2,4,3):(4@laneid,3,1@laneid,1)]"), &regs,
                                 &grid));
    for (int64_t r = 0; r < 16; r++)
        for (int64_t c = 0; c < 12; c++) {
            int64_t at[AXIS_COUNT];
            tw_layout_eval_at(grid.layout, &grid.shape, (const int64_t[]){r, c}, at);
            assert_int_equal(at[AXIS_LANEID], 4 * (r / 2) + c / 3);
            assert_int_equal(at[AXIS_M], 3 * (r % 2) + c % 3);
        }
    assert_true(tw_view_relayout(&e, &grid, DIMS(6), NULL, &regs, &flat));
    expect_layout(&e, flat.layout, "S[(6):(1)]");
}

static void a_layout_beyond_the_storage_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view regs = view_of(&e, NULL, 32, SHAPE(8));
    const struct view tmem = view_of(&e, "S[(64,32):(1@TLane,1@TCol)]", 32, SHAPE(64, 32));
    struct view v;
    assert_false(tw_view_relayout(&e, &regs, DIMS(32, 9), read_layout(&e, "S[(32,9):(1@laneid,1)]"), &regs, &v));
    assert_false(tw_view_relayout(&e, &regs, DIMS(8), read_layout(&e, "S[(8):(-1)]"), &regs, &v));
    assert_false(tw_view_relayout(&e, &tmem, DIMS(65, 4), read_layout(&e, "S[(65,4):(1@TLane,1@TCol)]"), &tmem, &v));
    assert_false(tw_view_relayout(&e, &regs, DIMS(2, 4), read_layout(&e, "S[(2,4):(1@TLane,1@TCol)]"), &regs, &v));
    assert_false(tw_view_relayout(&e, &regs, DIMS(8), read_layout(&e, "S[(8):(1@TCol)]"), &regs, &v));
    tw_test_expect_diags(room, "error[E0316]: a view's layout reaches beyond the tensor's storage\n"
                               "  expected: bits from 0 to 256 on the axis m\n"
                               "     found: 0 to 288 with S[(32, 9):(1@laneid, 1)]\n"
                               "error[E0316]: a view's layout reaches beyond the tensor's storage\n"
                               "  expected: bits from 0 to 256 on the axis m\n"
                               "     found: -224 to 32 with S[(8):(-1)]\n"
                               "error[E0316]: a view's layout reaches beyond the tensor's storage\n"
                               "  expected: lanes from 0 to 64 on the axis TLane\n"
                               "     found: 0 to 65 with S[(65, 4):(1@TLane, 1@TCol)]\n"
                               "error[E0316]: a view's layout reaches beyond the tensor's storage\n"
                               "  expected: a layout without the axis TLane, which this storage does not have\n"
                               "     found: 0 to 2 with S[(2, 4):(1@TLane, 1@TCol)]\n"
                               "error[E0316]: a view's layout reaches beyond the tensor's storage\n"
                               "  expected: a layout without the axis TCol, which this storage does not have\n"
                               "     found: 0 to 256 with S[(8):(1@TCol)]\n");
    /* not bounded when the caller knows no allocation, and 9 halves fit where 8 words are */
    assert_true(tw_view_relayout(&e, &regs, DIMS(9), NULL, NULL, &v));
    struct view halves;
    assert_true(tw_view_retype(&e, &regs, 16, &halves));
    assert_true(tw_view_relayout(&e, &halves, DIMS(9), NULL, &regs, &v));
    assert_false(tw_view_relayout(&e, &halves, DIMS(17), NULL, &regs, &v));
}

/* ---- retype ---- */

static void a_wider_type_packs_and_a_narrower_one_unpacks(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, "swizzle(3,3,3) S[(128,64):(64,1)]", 16, SHAPE(128, 64));
    struct view wide, narrow, back;
    assert_true(tw_view_retype(&e, &v, 32, &wide));
    expect_shape(&wide, SHAPE(128, 32));
    expect_layout(&e, wide.layout, "swizzle(2,3,3) S[(4096):(1)]");
    assert_true(tw_view_retype(&e, &v, 8, &narrow));
    expect_shape(&narrow, SHAPE(128, 128));
    assert_int_equal(narrow.layout->swizzle.per_element, 4);
    for (int64_t r = 0; r < 128; r++)
        for (int64_t c = 0; c < 128; c++) {
            const int64_t bit = tw_view_bit_offset(&v, (const int64_t[]){r, c / 2});
            assert_int_equal(tw_view_bit_offset(&narrow, (const int64_t[]){r, c}), bit + c % 2 * 8);
            assert_int_equal(tw_view_bit_offset(&wide, (const int64_t[]){r, c / 4}) + c / 2 % 2 * 16, bit);
        }
    assert_true(tw_view_retype(&e, &narrow, 16, &back));
    assert_true(tw_layout_eq(&room->arena, back.layout, v.layout));
    assert_true(tw_view_retype(&e, &v, 16, &back));
    assert_ptr_equal(back.layout, v.layout);
}

static void element_offsets_scale_with_the_width(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    struct view v = view_of(&e, NULL, 32, SHAPE(4, 8)), w;
    v.elem_offset = 6;
    assert_true(tw_view_retype(&e, &v, 16, &w));
    assert_int_equal(w.elem_offset, 12);
    assert_true(tw_view_retype(&e, &v, 64, &w));
    assert_int_equal(w.elem_offset, 3);
    v.elem_offset = 5;
    assert_false(tw_view_retype(&e, &v, 64, &w));
    tw_test_expect_diags(room, "error[E0315]: 2 elements do not pack into one\n"
                               "  expected: a last dimension and an element offset that 2 divides\n"
                               "     found: the shape (4, 8) at element offset 5\n");
}

static void widths_that_do_not_divide_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, NULL, 8, SHAPE(4, 9)), d = view_of(&e, "S[(64,32):(1@TLane,2@TCol)]", 16, SHAPE(64, 32));
    struct view w;
    assert_false(tw_view_retype(&e, &v, 6, &w));
    assert_false(tw_view_retype(&e, &v, 0, &w));
    assert_false(tw_view_retype(&e, &v, 16, &w));
    assert_false(tw_view_retype(&e, &d, 32, &w)); /* a 16-bit accumulator is alone in its cell */
    tw_test_expect_diags(room, "error[E0315]: neither of two widths divides the other\n"
                               "  expected: a multiple or a part of 8 bits\n"
                               "     found: 6 bits\n"
                               "error[E0315]: neither of two widths divides the other\n"
                               "  expected: a multiple or a part of 8 bits\n"
                               "     found: 0 bits\n"
                               "error[E0315]: 2 elements do not pack into one\n"
                               "  expected: a last dimension and an element offset that 2 divides\n"
                               "     found: the shape (4, 9) at element offset 0\n"
                               "error[E0315]: 2 elements do not pack into one\n"
                               "  expected: a last iter of stride 1 on TCol whose extent 2 divides\n"
                               "     found: S[(64, 32):(1@TLane, 2@TCol)]\n");
}

/* ---- permute and slice ---- */

static void permuting_reorders_dimensions(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, "S[(4,6,8):(48,8,1)] + R[(2):(1@cbx)] + 7", 16, SHAPE(4, 6, 8));
    struct view w;
    assert_true(tw_view_permute(&e, &v, DIMS(2, 0, 1), &w));
    expect_shape(&w, SHAPE(8, 4, 6));
    assert_int_equal(tw_layout_replicas(w.layout), 2);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 6; j++)
            for (int64_t k = 0; k < 8; k++)
                assert_int_equal(tw_view_bit_offset(&w, (const int64_t[]){k, i, j}),
                                 tw_view_bit_offset(&v, (const int64_t[]){i, j, k}));
}

static void an_order_that_is_no_permutation_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, NULL, 16, SHAPE(4, 6, 8));
    struct view w;
    assert_false(tw_view_permute(&e, &v, DIMS(0, 1), &w));
    assert_false(tw_view_permute(&e, &v, DIMS(0, 1, -1), &w));
    assert_false(tw_view_permute(&e, &v, DIMS(0, 1, 1), &w));
    tw_test_expect_diags(room, "error[E0309]: the order is not a permutation\n"
                               "  expected: each of 0 to 2 once\n"
                               "     found: 2 numbers\n"
                               "error[E0309]: the order is not a permutation\n"
                               "  expected: each of 0 to 2 once\n"
                               "     found: -1 at position 2\n"
                               "error[E0309]: the order is not a permutation\n"
                               "  expected: each of 0 to 2 once\n"
                               "     found: 1 at position 2\n");
}

static void slicing_keeps_the_rank(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, "swizzle(3,3,3) S[(24576):(1)]", 16, SHAPE(3, 128, 64));
    struct view w;
    assert_true(tw_view_slice(&e, &v, (const int64_t[]){1, 8, 16}, (const int64_t[]){1, 64, 16}, &w));
    expect_shape(&w, SHAPE(1, 64, 16));
    assert_int_equal(w.elem_offset, 0);
    for (int64_t r = 0; r < 64; r++)
        for (int64_t c = 0; c < 16; c++)
            assert_int_equal(tw_view_bit_offset(&w, (const int64_t[]){0, r, c}),
                             tw_view_bit_offset(&v, (const int64_t[]){1, r + 8, c + 16}));
}

/* ---- sub-tensors ---- */

static void picks_drop_narrow_and_stride(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, NULL, 32, SHAPE(4, 10, 12));
    const struct pick picks[] = {{PICK_INDEX, 2, 0, 0}, {PICK_RANGE, 3, 8, 0}, {PICK_RESIDUE, 1, 0, 3}};
    struct view w;
    assert_true(tw_view_sub(&e, &v, 3, picks, &w));
    expect_shape(&w, SHAPE(5, 4));
    assert_int_equal(w.elem_offset, 2 * 120 + 3 * 12 + 1);
    assert_int_equal(w.layout->offset[AXIS_M], 0);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_int_equal(tw_view_bit_offset(&w, (const int64_t[]){i, j}),
                             tw_view_bit_offset(&v, (const int64_t[]){2, i + 3, 1 + 3 * j}));
}

static void a_swizzled_sub_tensor_moves_out_only_whole_periods(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, "swizzle(3,3,3) S[(24576):(1)]", 16, SHAPE(3, 128, 64));
    static const struct { struct pick picks[3]; int64_t elem_offset, inside; } rows[] = {
        {{{PICK_INDEX, 1, 0, 0}, {PICK_RANGE, 0, 128, 0}, {PICK_RANGE, 0, 64, 0}}, 8192, 0},
        {{{PICK_INDEX, 1, 0, 0}, {PICK_RANGE, 4, 12, 0}, {PICK_RANGE, 0, 64, 0}}, 0, 8192 + 256},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct view w;
        assert_true(tw_view_sub(&e, &v, 3, rows[i].picks, &w));
        assert_int_equal(w.elem_offset, rows[i].elem_offset);
        assert_int_equal(w.layout->offset[AXIS_M], rows[i].inside);
        for (int64_t r = 0; r < w.shape.dim[0]; r++)
            for (int64_t c = 0; c < 64; c++)
                assert_int_equal(tw_view_bit_offset(&w, (const int64_t[]){r, c}),
                                 tw_view_bit_offset(&v, (const int64_t[]){1, r + rows[i].picks[1].begin, c}));
    }
}

static void tensor_memory_moves_along_whole_columns_only(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, "S[(64,32):(1@TLane,1@TCol)]", 16, SHAPE(64, 32));
    struct view w;
    assert_true(tw_view_sub(&e, &v, 2, (const struct pick[]){{PICK_RANGE, 0, 64, 0}, {PICK_RANGE, 2, 8, 0}}, &w));
    assert_int_equal(w.layout->offset[AXIS_TCOL], 2);
    assert_int_equal(w.elem_offset, 0);
    assert_false(tw_view_sub(&e, &v, 2, (const struct pick[]){{PICK_RANGE, 16, 64, 0}, {PICK_RANGE, 0, 8, 0}}, &w));
    assert_false(tw_view_sub(&e, &v, 2, (const struct pick[]){{PICK_RANGE, 0, 64, 0}, {PICK_RANGE, 3, 8, 0}}, &w));
    tw_test_expect_diags(room, "error[E0324]: a sub-tensor of tensor memory starts at another lane\n"
                               "  expected: a move along TCol only\n"
                               "     found: 16 lanes\n"
                               "error[E0324]: a sub-tensor of tensor memory starts inside a column\n"
                               "  expected: a move by a multiple of 32 bits\n"
                               "     found: 48 bits\n");
}

static void picks_outside_a_dimension_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct view v = view_of(&e, NULL, 32, SHAPE(10));
    static const struct { struct pick pick; const char *text; } rows[] = {
        {{PICK_INDEX, 10, 0, 0}, "error[E0307]: a pick leaves dimension 0 of a sub-tensor\n"
                                 "  expected: 0 <= index < 10\n"
                                 "     found: index 10\n"},
        {{PICK_RANGE, 4, 4, 0}, "error[E0307]: a pick leaves dimension 0 of a sub-tensor\n"
                                "  expected: 0 <= begin < end <= 10\n"
                                "     found: begin 4, end 4\n"},
        {{PICK_RESIDUE, 0, 0, 3}, "error[E0307]: a pick leaves dimension 0 of a sub-tensor\n"
                                  "  expected: 0 <= begin < step, and a step that divides 10\n"
                                  "     found: begin 0, step 3\n"},
        {{PICK_RESIDUE, 0, 0, 0}, "error[E0307]: a pick leaves dimension 0 of a sub-tensor\n"
                                  "  expected: 0 <= begin < step, and a step that divides 10\n"
                                  "     found: begin 0, step 0\n"},
        {{PICK_INDEX, 3, 0, 0}, "error[E0307]: a sub-tensor keeps no dimension\n"
                                "  expected: a range for one dimension or more\n"
                                "       fix: read the element itself: t[i, j]\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct view w;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_false(tw_view_sub(&e, &v, 1, &rows[i].pick, &w));
        tw_test_expect_diags(room, rows[i].text);
    }
    struct view w;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    assert_false(tw_view_sub(&e, &v, 0, NULL, &w));
    tw_test_expect_diags(room, "error[E0307]: a sub-tensor has the wrong number of picks\n"
                               "  expected: one for each of 1 dimensions\n"
                               "     found: 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_tensor_without_a_layout_is_row_major),
        ROOM_TEST(a_layout_of_another_size_is_refused),
        ROOM_TEST(reshaping_keeps_the_layout_object),
        ROOM_TEST(reshaping_to_other_element_counts_is_refused),
        ROOM_TEST(a_fragment_is_seen_as_one_threads_registers),
        ROOM_TEST(registers_are_seen_as_mma_fragments),
        ROOM_TEST(the_shared_table_of_patches_maps_as_described),
        ROOM_TEST(a_layout_beyond_the_storage_is_refused),
        ROOM_TEST(a_wider_type_packs_and_a_narrower_one_unpacks),
        ROOM_TEST(element_offsets_scale_with_the_width),
        ROOM_TEST(widths_that_do_not_divide_are_refused),
        ROOM_TEST(permuting_reorders_dimensions),
        ROOM_TEST(an_order_that_is_no_permutation_is_refused),
        ROOM_TEST(slicing_keeps_the_rank),
        ROOM_TEST(picks_drop_narrow_and_stride),
        ROOM_TEST(a_swizzled_sub_tensor_moves_out_only_whole_periods),
        ROOM_TEST(tensor_memory_moves_along_whole_columns_only),
        ROOM_TEST(picks_outside_a_dimension_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
