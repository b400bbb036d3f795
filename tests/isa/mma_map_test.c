/* Expected coordinates: ptx-async.md 1.1 and 1.6, the ownership table of seed 003, and the register words that an
 * H200 used (golden/layout_mma_frag.tcg). */
#include "support/check.h"

#include "isa/mma_map.h"

static void fragments_hold_the_worked_elements(void **state)
{
    (void)state;
    struct mma_coord c = tw_mma_a_coord(16, 16, 13, 2, 1);
    assert_int_equal(c.row, 3);
    assert_int_equal(c.col, 11);
    c = tw_mma_b_coord(16, 13, 1, 0);
    assert_int_equal(c.row, 10);
    assert_int_equal(c.col, 3);
    c = tw_mma_d_coord(32, 13, 3, 0);
    assert_int_equal(c.row, 11);
    assert_int_equal(c.col, 3);
    c = tw_mma_a_coord(16, 8, 30, 3, 2);
    assert_int_equal(c.row, 15);
    assert_int_equal(c.col, 26);
    c = tw_mma_a_coord(16, 4, 1, 2, 7);
    assert_int_equal(c.row, 0);
    assert_int_equal(c.col, 47);
}

static void register_counts_follow_the_shape(void **state)
{
    (void)state;
    static const struct { uint32_t m, k, bits, a, b; } rows[] = {
        {16, 8, 16, 2, 1}, {16, 16, 16, 4, 2}, {16, 4, 32, 2, 1}, {16, 8, 32, 4, 2}, {8, 4, 64, 1, 1},   {16, 4, 64, 2, 1},
        {16, 8, 64, 4, 2}, {16, 16, 64, 8, 4}, {8, 16, 8, 1, 1},  {16, 32, 8, 4, 2}, {16, 64, 4, 4, 2}, {16, 256, 1, 4, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(tw_mma_a_regs(rows[i].m, rows[i].k, rows[i].bits), rows[i].a);
        assert_int_equal(tw_mma_b_regs(8, rows[i].k, rows[i].bits), rows[i].b);
    }
    assert_int_equal(tw_mma_d_regs(16, 8, 32), 4);
    assert_int_equal(tw_mma_d_regs(16, 8, 16), 2);
    assert_int_equal(tw_mma_d_regs(16, 8, 64), 4);
    assert_int_equal(tw_mma_d_regs(8, 8, 32), 2);
}

/* The words of packed pairs, as the seed's table has them: A (l/4 + 8(r%2), l%4 + 4(r/2)), B (l/4, l%4 + 4r). */
static void packed_words_are_owned_as_the_seed_says(void **state)
{
    (void)state;
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t r = 0; r < 4; r++) {
            const struct mma_coord a = tw_mma_a_coord(16, 16, l, r, 0), d = tw_mma_d_coord(32, l, r, 0);
            assert_int_equal(a.row, l / 4 + 8 * (r % 2));
            assert_int_equal(a.col / 2, l % 4 + 4 * (r / 2));
            assert_int_equal(d.row, l / 4 + 8 * (r / 2));
            assert_int_equal(d.col, 2 * (l % 4) + r % 2);
            if (r < 2) {
                const struct mma_coord b = tw_mma_b_coord(16, l, r, 0);
                assert_int_equal(b.col, l / 4);
                assert_int_equal(b.row / 2, l % 4 + 4 * r);
            }
        }
}

static void every_element_of_every_shape_has_one_owner_and_is_found_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < tw_mma_shape_count; i++) {
        const struct mma_shape_row *s = &tw_mma_shapes[i];
        const uint32_t bits = tw_mma_classes[s->class_id].elem_bits;
        for (uint32_t m = 0; m < s->m; m++)
            for (uint32_t k = 0; k < s->k; k++) {
                const struct mma_slot at = tw_mma_a_slot(s->m, bits, m, k);
                assert_true(at.lane < 32 && at.reg < tw_mma_a_regs(s->m, s->k, bits));
                const struct mma_coord c = tw_mma_a_coord(s->m, bits, at.lane, at.reg, at.elem);
                assert_true(c.row == m && c.col == k);
            }
        for (uint32_t k = 0; k < s->k; k++)
            for (uint32_t n = 0; n < s->n; n++) {
                const struct mma_slot at = tw_mma_b_slot(bits, k, n);
                assert_true(at.lane < 32 && at.reg < tw_mma_b_regs(s->n, s->k, bits));
                const struct mma_coord c = tw_mma_b_coord(bits, at.lane, at.reg, at.elem);
                assert_true(c.row == k && c.col == n);
            }
        for (uint32_t m = 0; m < s->m; m++)
            for (uint32_t n = 0; n < s->n; n++)
                for (uint32_t d_bits = 16; d_bits <= 64; d_bits *= 2) {
                    const struct mma_slot at = tw_mma_d_slot(d_bits, m, n);
                    assert_true(at.lane < 32 && at.reg < tw_mma_d_regs(s->m, s->n, d_bits));
                    const struct mma_coord c = tw_mma_d_coord(d_bits, at.lane, at.reg, at.elem);
                    assert_true(c.row == m && c.col == n);
                }
    }
}

static void shapes_are_found_by_their_formats(void **state)
{
    (void)state;
    static const struct { uint32_t m, n, k; enum num_format a, b, d; bool found; } rows[] = {
        {16, 8, 16, NUM_F16, NUM_F16, NUM_F32, true},   {16, 8, 16, NUM_F16, NUM_F16, NUM_F16, true},
        {16, 8, 16, NUM_BF16, NUM_BF16, NUM_F32, true}, {16, 8, 16, NUM_BF16, NUM_BF16, NUM_F16, false},
        {16, 8, 16, NUM_F16, NUM_BF16, NUM_F32, false}, {16, 8, 16, NUM_TF32, NUM_TF32, NUM_F32, false},
        {16, 8, 32, NUM_E4M3, NUM_E5M2, NUM_F32, true}, {16, 8, 32, NUM_S8, NUM_U8, NUM_S32, true},
        {8, 8, 4, NUM_F64, NUM_F64, NUM_F64, true},     {8, 8, 4, NUM_F16, NUM_F16, NUM_F32, false},
        {16, 8, 256, NUM_B1, NUM_B1, NUM_S32, true},    {16, 8, 32, NUM_E2M1, NUM_E2M1, NUM_F32, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct mma_shape_row *row = tw_mma_shape_find(rows[i].m, rows[i].n, rows[i].k, rows[i].a, rows[i].b, rows[i].d);
        assert_int_equal(row != NULL, rows[i].found);
    }
}

static void ldmatrix_gives_rows_or_with_trans_columns(void **state)
{
    (void)state;
    const struct mma_coord plain = tw_ldmatrix_coord(false, 13, 1), trans = tw_ldmatrix_coord(true, 13, 1);
    assert_int_equal(plain.row, 3);
    assert_int_equal(plain.col, 3);
    assert_int_equal(trans.row, 3);
    assert_int_equal(trans.col, 3);
    assert_int_equal(tw_ldmatrix_coord(false, 30, 0).row, 7);
    assert_int_equal(tw_ldmatrix_coord(false, 30, 0).col, 4);
    assert_int_equal(tw_ldmatrix_coord(true, 30, 0).row, 4);
    assert_int_equal(tw_ldmatrix_coord(true, 30, 0).col, 7);
    assert_int_equal(ldmatrix_row_lane(2, 5), 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_hold_the_worked_elements),
        cmocka_unit_test(register_counts_follow_the_shape),
        cmocka_unit_test(packed_words_are_owned_as_the_seed_says),
        cmocka_unit_test(every_element_of_every_shape_has_one_owner_and_is_found_there),
        cmocka_unit_test(shapes_are_found_by_their_formats),
        cmocka_unit_test(ldmatrix_gives_rows_or_with_trans_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
