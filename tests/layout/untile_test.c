#include "read_layout.h"

#include "layout/factory.h"

/* Each row: inner and outer with their shapes; the whole is made by tiling (checked against the specification in
 * slice_tile_test) and both operands are found again. */
static const struct { const char *inner; struct shape inner_shape; const char *outer; struct shape outer_shape; } pairs[] = {
    {"S[(4,8):(8,1)]", {2, {4, 8}}, "S[(2,3):(3,1)]", {2, {2, 3}}},
    {"S[(4,8):(8,1)]", {2, {4, 8}}, "S[(2,3):(1,2)]", {2, {2, 3}}},
    {"S[(4,8):(1,4)]", {2, {4, 8}}, "S[(2,3):(3,1)] + 96", {2, {2, 3}}},
    {"S[(8,4,2):(4@laneid,1@laneid,1)]", {2, {8, 8}}, "S[(4,2):(1@warpid,1)]", {2, {4, 2}}},
    {"S[(8,8):(8,1)] + R[(2):(1@cbx)]", {2, {8, 8}}, "S[(4,2):(2,1)] + R[(2):(1@cby)]", {2, {4, 2}}},
    {"swizzle(3,3,3) S[(512):(1)]", {2, {8, 64}}, "S[(16,2):(1,16)]", {2, {16, 2}}},
};

static struct shape product(const struct shape *a, const struct shape *b)
{
    struct shape s = {.rank = a->rank};
    for (uint32_t d = 0; d < a->rank; d++)
        s.dim[d] = a->dim[d] * b->dim[d];
    return s;
}

static void both_operands_of_a_tiling_are_found(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const struct layout *inner = read_layout(&e, pairs[i].inner), *outer = read_layout(&e, pairs[i].outer);
        const struct shape whole_shape = product(&pairs[i].inner_shape, &pairs[i].outer_shape);
        const struct layout *whole = tw_layout_tile(&e, inner, &pairs[i].inner_shape, outer, &pairs[i].outer_shape);
        const struct layout *found_outer =
            tw_layout_outer_of_tile(&room->arena, whole, &whole_shape, inner, &pairs[i].inner_shape);
        const struct layout *found_inner =
            tw_layout_inner_of_tile(&room->arena, whole, &whole_shape, outer, &pairs[i].outer_shape);
        assert_true(found_outer != NULL && tw_layout_eq(&room->arena, found_outer, outer));
        assert_true(found_inner != NULL && tw_layout_eq(&room->arena, found_inner, inner));
    }
}

static void both_operands_of_a_direct_sum_are_found(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape atom_shape = SHAPE(32, 4), outer_shape = SHAPE(4, 2), whole_shape = SHAPE(128, 8);
    const struct layout *atom = read_layout(&e, "S[(32,4):(1@TLane,1@TCol)] + R[(4):(32@TLane)]");
    const struct layout *outer = read_layout(&e, "S[(4,2):(4@TCol,16@TCol)]");
    const struct layout *whole = tw_sf_tmem_layout(&e, &(struct scale_layout){128, 8, 4, 0, 0});
    const struct layout *left = tw_layout_left_of_sum(&room->arena, whole, &whole_shape, atom, &atom_shape);
    const struct layout *right = tw_layout_right_of_sum(&room->arena, whole, &whole_shape, outer, &outer_shape);
    assert_true(left != NULL && tw_layout_eq(&room->arena, left, outer));
    assert_true(right != NULL && tw_layout_eq(&room->arena, right, atom));
}

/* A swizzled operand is a tiling by its atom in one orientation only: that tells K-major from MN-major. */
static void an_operand_is_recognised_as_atoms(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct shape shape = SHAPE(128, 128), atom_shape = SHAPE(8, 64), turned_shape = SHAPE(64, 8);
    const struct layout *whole = tw_mma_shared_layout(&e, 16, SWIZZLE_128B, &shape);
    const struct layout *atom = tw_mma_atom_layout(&e, 16, SWIZZLE_128B);
    const struct layout *outer = tw_layout_outer_of_tile(&room->arena, whole, &shape, atom, &atom_shape);
    assert_true(outer != NULL && tw_layout_eq(&room->arena, outer, read_layout(&e, "S[(16,2):(1,16)]")));
    const struct layout *turned = read_layout(&e, "swizzle(3,3,3) S[(64,8):(1,64)]");
    assert_null(tw_layout_outer_of_tile(&room->arena, whole, &shape, turned, &turned_shape));
    const struct layout *mn = tw_layout_permute(&e, whole, &shape, (const uint32_t[]){1, 0});
    assert_non_null(tw_layout_outer_of_tile(&room->arena, mn, &shape, turned, &turned_shape));
    assert_null(tw_layout_outer_of_tile(&room->arena, mn, &shape, atom, &atom_shape));
}

static void what_is_no_tiling_has_no_operand(void **state)
{
    struct bench_room *room = *state;
    const struct layout_env e = env_of(room);
    const struct layout *whole = read_layout(&e, "S[(2,4,3,8):(96,8,32,1)]"), *inner = read_layout(&e, "S[(4,8):(8,1)]");
    const struct shape shape = SHAPE(8, 24), inner_shape = SHAPE(4, 8);
    static const struct { const char *inner; struct shape shape; } rows[] = {
        {"S[(4,8):(1,4)]", {2, {4, 8}}},              /* another order inside */
        {"S[(4,8):(8,1)] + R[(2):(1@cbx)]", {2, {4, 8}}}, /* a replica that the whole has not */
        {"S[(5,8):(8,1)]", {2, {5, 8}}},              /* does not divide */
        {"S[(32):(1)]", {1, {32}}},                   /* another rank */
        {"S[(4,8):(8,2)]", {2, {4, 8}}},              /* other strides */
    };
    assert_non_null(tw_layout_outer_of_tile(&room->arena, whole, &shape, inner, &inner_shape));
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_null(tw_layout_outer_of_tile(&room->arena, whole, &shape, read_layout(&e, rows[i].inner), &rows[i].shape));
    tw_test_expect_diags(room, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(both_operands_of_a_tiling_are_found),
        ROOM_TEST(both_operands_of_a_direct_sum_are_found),
        ROOM_TEST(an_operand_is_recognised_as_atoms),
        ROOM_TEST(what_is_no_tiling_has_no_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
