/* Expected cells: tcgen05.md 2.2, 2.5, 6.1, 6.3, 7.2, 8.2 and the figures of the tcgen05 chapter (seed 002). */
#include "support/check.h"

#include "isa/tmem_map.h"

static void allocations_are_powers_of_two_from_32_to_512(void **state)
{
    (void)state;
    static const uint32_t legal[] = {32, 64, 128, 256, 512}, illegal[] = {0, 1, 16, 31, 33, 48, 96, 511, 1024};
    for (size_t i = 0; i < COUNT(legal); i++)
        assert_true(tw_tmem_alloc_cols_legal(legal[i]));
    for (size_t i = 0; i < COUNT(illegal); i++)
        assert_false(tw_tmem_alloc_cols_legal(illegal[i]));
}

static void an_address_is_a_lane_and_a_column(void **state)
{
    (void)state;
    assert_int_equal(tmem_word(64, 260), 0x00400104);
    assert_int_equal(tmem_cell_of(0x00400104).lane, 64);
    assert_int_equal(tmem_cell_of(0x00400104).col, 260);
}

static void load_shapes_hold_the_worked_cells(void **state)
{
    (void)state;
    static const struct { enum tmem_shape shape; uint32_t thread, reg, split, lane, col; } rows[] = {
        {TMEM_16X64B, 5, 0, 0, 9, 0},   {TMEM_16X64B, 5, 1, 0, 9, 2},   {TMEM_16X64B, 6, 0, 0, 1, 1},
        {TMEM_16X64B, 6, 1, 0, 1, 3},   {TMEM_16X128B, 13, 0, 0, 3, 1}, {TMEM_16X128B, 13, 1, 0, 11, 1},
        {TMEM_16X128B, 13, 2, 0, 3, 5}, {TMEM_16X128B, 13, 3, 0, 11, 5}, {TMEM_16X256B, 13, 0, 0, 3, 2},
        {TMEM_16X256B, 13, 1, 0, 3, 3}, {TMEM_16X256B, 13, 2, 0, 11, 2}, {TMEM_16X256B, 13, 3, 0, 11, 3},
        {TMEM_16X32BX2, 20, 0, 16, 4, 16}, {TMEM_16X32BX2, 20, 1, 16, 4, 17}, {TMEM_32X32B, 31, 7, 0, 31, 7},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tmem_cell c = tw_tmem_shape_cell(rows[i].shape, rows[i].thread, rows[i].reg, rows[i].split);
        assert_int_equal(c.lane, rows[i].lane);
        assert_int_equal(c.col, rows[i].col);
    }
}

/* Every shape at its largest count: no cell twice, and exactly the lanes and columns of the table. */
static void each_shape_is_a_bijection_onto_its_cells(void **state)
{
    (void)state;
    static uint8_t seen[32][512];
    for (int s = 0; s < TMEM_SHAPE_COUNT; s++) {
        const struct tmem_shape_row *row = &tw_tmem_shapes[s];
        const uint32_t split = s == TMEM_16X32BX2 ? row->max_repeat : 0;
        const uint32_t cols = row->max_repeat * row->cols_per_repeat * (split != 0 ? 2u : 1u);
        memset(seen, 0, sizeof seen);
        for (uint32_t t = 0; t < 32; t++)
            for (uint32_t r = 0; r < (uint32_t)row->regs_per_repeat * row->max_repeat; r++) {
                const struct tmem_cell c = tw_tmem_shape_cell((enum tmem_shape)s, t, r, split);
                assert_true(c.lane < row->lanes && c.col < cols);
                seen[c.lane][c.col]++;
            }
        for (uint32_t l = 0; l < row->lanes; l++)
            for (uint32_t c = 0; c < cols; c++)
                assert_int_equal(seen[l][c], 1);
        assert_int_equal(row->regs_per_repeat * row->max_repeat, 128);
    }
}

static void packing_doubles_columns_but_not_the_split(void **state)
{
    (void)state;
    assert_int_equal(tw_tmem_shape_cell_packed(TMEM_32X32B, 3, 5, 0).col, 10);
    assert_int_equal(tw_tmem_shape_cell_packed(TMEM_16X256B, 13, 1, 0).col, 6);
    assert_int_equal(tw_tmem_shape_cell_packed(TMEM_16X32BX2, 20, 3, 16).col, 16 + 6);
    assert_int_equal(tw_tmem_shape_cell_packed(TMEM_16X32BX2, 4, 3, 16).col, 6);
}

static void copies_put_each_row_on_its_lanes(void **state)
{
    (void)state;
    static const struct { enum tmem_cp cp; uint32_t row, copy, lane; } rows[] = {
        {TMEM_CP_128X256B, 77, 0, 77},      {TMEM_CP_128X128B, 127, 0, 127},    {TMEM_CP_4X256B, 3, 0, 96},
        {TMEM_CP_64X128B_02_13, 40, 0, 40}, {TMEM_CP_64X128B_02_13, 40, 1, 104},
        {TMEM_CP_64X128B_01_23, 40, 0, 72}, {TMEM_CP_64X128B_01_23, 40, 1, 104}, {TMEM_CP_64X128B_01_23, 3, 1, 35},
        {TMEM_CP_32X128B, 5, 0, 5},         {TMEM_CP_32X128B, 5, 3, 101},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_tmem_cp_lane(rows[i].cp, rows[i].row, rows[i].copy), rows[i].lane);
    for (int cp = 0; cp < TMEM_CP_COUNT; cp++) {
        uint8_t seen[128] = {0};
        for (uint32_t r = 0; r < tw_tmem_cps[cp].rows; r++)
            for (uint32_t c = 0; c < tw_tmem_cps[cp].copies; c++)
                seen[tw_tmem_cp_lane((enum tmem_cp)cp, r, c)]++;
        for (uint32_t l = 0; l < 128; l++)
            assert_int_equal(seen[l], cp == TMEM_CP_4X256B ? l % 32 == 0 : 1);
    }
}

static void packed_units_expand_to_containers(void **state)
{
    (void)state;
    static const uint8_t fp4[16] = {0x21, 0x43};
    /* codes 0x3f, 0x00, 0x15, 0x2a: bits 5:0, 11:6, 17:12, 23:18 */
    static const uint8_t fp6[16] = {0x3f, 0x50, 0xa9};
    uint8_t out[16];
    tw_tmem_cp_expand(4, fp4, out);
    assert_memory_equal(out, ((uint8_t[]){0x04, 0x08, 0x0c, 0x10}), 4);
    tw_tmem_cp_expand(6, fp6, out);
    assert_memory_equal(out, ((uint8_t[]){0x3f, 0x00, 0x15, 0x2a}), 4);
}

static void accumulators_lie_where_the_datapath_puts_them(void **state)
{
    (void)state;
    static const struct { enum tmem_path path; uint32_t n_total, m, n, cta, lane, col; } rows[] = {
        {TMEM_PATH_B, 64, 10, 3, 0, 10, 3},     {TMEM_PATH_B, 64, 127, 63, 1, 127, 31}, {TMEM_PATH_B, 16, 10, 11, 0, 74, 3},
        {TMEM_PATH_C, 64, 127, 63, 1, 111, 63}, {TMEM_PATH_E, 64, 63, 63, 0, 127, 31},  {TMEM_PATH_F, 64, 63, 63, 0, 111, 63},
        {TMEM_PATH_G, 64, 31, 63, 0, 127, 15},  {TMEM_PATH_A, 256, 200, 9, 1, 72, 9},   {TMEM_PATH_D, 64, 99, 63, 0, 99, 63},
        {TMEM_PATH_F, 64, 16, 0, 0, 32, 0},     {TMEM_PATH_F, 64, 15, 0, 0, 15, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tmem_place p = tw_tmem_d_place(rows[i].path, rows[i].n_total, rows[i].m, rows[i].n);
        assert_int_equal(p.cta, rows[i].cta);
        assert_int_equal(p.lane, rows[i].lane);
        assert_int_equal(p.col, rows[i].col);
    }
}

static void no_two_elements_of_an_accumulator_share_a_cell(void **state)
{
    (void)state;
    static uint8_t seen[2][128][256];
    for (int p = 0; p < TMEM_PATH_COUNT; p++) {
        const uint32_t m_total = tw_tmem_paths[p].m, n_total = 64;
        memset(seen, 0, sizeof seen);
        for (uint32_t m = 0; m < m_total; m++)
            for (uint32_t n = 0; n < n_total; n++) {
                const struct tmem_place at = tw_tmem_d_place((enum tmem_path)p, n_total, m, n);
                assert_true(at.col < tw_tmem_d_cols((enum tmem_path)p, n_total));
                assert_int_equal(seen[at.cta][at.lane][at.col]++, 0);
            }
    }
}

static void forms_find_their_datapath(void **state)
{
    (void)state;
    static const struct { unsigned cg, m; bool ws, sparse; int letter; } rows[] = {
        {2, 256, false, false, 'A'}, {2, 256, false, true, 'A'}, {2, 128, false, false, 'B'}, {2, 128, false, true, 'C'},
        {1, 128, false, false, 'D'}, {1, 128, true, false, 'D'}, {1, 128, true, true, 'D'},   {1, 64, true, false, 'E'},
        {1, 64, false, false, 'F'},  {1, 64, false, true, 'F'},  {1, 32, true, false, 'G'},   {1, 32, false, false, 0},
        {1, 256, false, false, 0},   {2, 64, false, false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum tmem_path path = TMEM_PATH_COUNT;
        const bool found = tw_tmem_path_find(rows[i].cg, rows[i].m, rows[i].ws, rows[i].sparse, &path);
        assert_int_equal(found ? tw_tmem_paths[path].letter : 0, rows[i].letter);
    }
}

static void only_scattered_accumulators_may_start_at_lane_16(void **state)
{
    (void)state;
    for (int p = 0; p < TMEM_PATH_COUNT; p++) {
        assert_true(tw_tmem_lane_base_legal((enum tmem_path)p, 0));
        assert_int_equal(tw_tmem_lane_base_legal((enum tmem_path)p, 16), p == TMEM_PATH_C || p == TMEM_PATH_F);
        assert_false(tw_tmem_lane_base_legal((enum tmem_path)p, 32));
    }
}

static void a_in_tensor_memory_has_a_copy_for_each_bank(void **state)
{
    (void)state;
    static const struct { enum tmem_path path; uint32_t m, bank, cta, lane; } rows[] = {
        {TMEM_PATH_A, 200, 0, 1, 72}, {TMEM_PATH_D, 99, 0, 0, 99},   {TMEM_PATH_F, 63, 0, 0, 111}, {TMEM_PATH_C, 127, 0, 1, 111},
        {TMEM_PATH_B, 70, 0, 1, 6},   {TMEM_PATH_B, 70, 1, 1, 70},   {TMEM_PATH_E, 5, 1, 0, 69},   {TMEM_PATH_G, 5, 3, 0, 101},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tmem_place p = tw_tmem_a_place(rows[i].path, rows[i].m, rows[i].bank);
        assert_int_equal(p.cta, rows[i].cta);
        assert_int_equal(p.lane, rows[i].lane);
    }
}

static void scale_factors_lie_at_the_worked_bytes(void **state)
{
    (void)state;
    const struct tmem_scale a = tw_tmem_scale(128, 70, 2, 1);
    assert_int_equal(a.lane, 6);
    assert_int_equal(a.col, 2);
    assert_int_equal(a.byte, 3);
    assert_int_equal(a.copies, 4);
    const struct tmem_scale b = tw_tmem_scale(256, 200, 2, 3); /* K = 96, blocks of 16 */
    assert_int_equal(b.lane, 8);
    assert_int_equal(b.col, 6 + 8);
    assert_int_equal(b.byte, 1);
    const struct tmem_scale c = tw_tmem_scale_split_n(128, 100, 1, 0);
    assert_int_equal(c.lane, 68);
    assert_int_equal(c.col, 1);
    assert_int_equal(c.byte, 1);
    assert_int_equal(c.copies, 2);
}

static void metadata_nibbles_lie_at_the_worked_places(void **state)
{
    (void)state;
    static const struct { bool wide; uint32_t lane, code, selector, at_lane, col, nibble; } rows[] = {
        {true, 13, 5, 0, 13, 0, 5}, {true, 5, 5, 0, 13, 0, 1}, {true, 5, 5, 1, 13, 1, 1}, {false, 77, 11, 0, 77, 1, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tmem_meta m = tw_tmem_meta(rows[i].wide, rows[i].lane, rows[i].code, rows[i].selector);
        assert_int_equal(m.lane, rows[i].at_lane);
        assert_int_equal(m.col, rows[i].col);
        assert_int_equal(m.nibble, rows[i].nibble);
    }
}

/* The equivalent bit form of the same map: bit 16 ((m / 8) % 2) + k % 16 of lane m % 8 + 16 (m / 16) + 8 (k / 16). */
static void wide_metadata_agrees_with_its_bit_form(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < 128; m++)
        for (uint32_t code = 0; code < 8; code++) {
            const struct tmem_meta at = tw_tmem_meta(true, m, code, 0);
            const uint32_t k = 4 * code;
            assert_int_equal(at.lane, m % 8 + 16 * (m / 16) + 8 * (k / 16));
            assert_int_equal(4 * at.nibble, 16 * (m / 8 % 2) + k % 16);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_powers_of_two_from_32_to_512),
        cmocka_unit_test(an_address_is_a_lane_and_a_column),
        cmocka_unit_test(load_shapes_hold_the_worked_cells),
        cmocka_unit_test(each_shape_is_a_bijection_onto_its_cells),
        cmocka_unit_test(packing_doubles_columns_but_not_the_split),
        cmocka_unit_test(copies_put_each_row_on_its_lanes),
        cmocka_unit_test(packed_units_expand_to_containers),
        cmocka_unit_test(accumulators_lie_where_the_datapath_puts_them),
        cmocka_unit_test(no_two_elements_of_an_accumulator_share_a_cell),
        cmocka_unit_test(forms_find_their_datapath),
        cmocka_unit_test(only_scattered_accumulators_may_start_at_lane_16),
        cmocka_unit_test(a_in_tensor_memory_has_a_copy_for_each_bank),
        cmocka_unit_test(scale_factors_lie_at_the_worked_bytes),
        cmocka_unit_test(metadata_nibbles_lie_at_the_worked_places),
        cmocka_unit_test(wide_metadata_agrees_with_its_bit_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
