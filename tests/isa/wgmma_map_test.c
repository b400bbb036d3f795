/* Expected values: ptx-async.md 2.1 and 2.2 (the shapes as ptxas accepts them, the measured register fragments). */
#include "support/check.h"

#include "isa/wgmma_map.h"

static void formats_find_their_row_or_none(void **state)
{
    (void)state;
    static const struct { enum num_format a, b, d; const char *name; uint32_t k, bits; } rows[] = {
        {NUM_F16, NUM_F16, NUM_F32, "f16", 16, 16},    {NUM_F16, NUM_F16, NUM_F16, "f16", 16, 16},
        {NUM_BF16, NUM_BF16, NUM_F32, "bf16", 16, 16}, {NUM_TF32, NUM_TF32, NUM_F32, "tf32", 8, 32},
        {NUM_E4M3, NUM_E5M2, NUM_F16, "fp8", 32, 8},   {NUM_E5M2, NUM_E5M2, NUM_F32, "fp8", 32, 8},
        {NUM_S8, NUM_U8, NUM_S32, "int8", 32, 8},      {NUM_B1, NUM_B1, NUM_S32, "b1", 256, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct wgmma_class_row *const row = tw_wgmma_find(rows[i].a, rows[i].b, rows[i].d);
        assert_non_null(row);
        assert_string_equal(row->name, rows[i].name);
        assert_int_equal(row->k, rows[i].k);
        assert_int_equal(row->elem_bits, rows[i].bits);
    }
    static const struct { enum num_format a, b, d; } none[] = {
        {NUM_F16, NUM_BF16, NUM_F32}, {NUM_BF16, NUM_BF16, NUM_F16}, {NUM_TF32, NUM_TF32, NUM_F16}, {NUM_E4M3, NUM_S8, NUM_F32},
        {NUM_S8, NUM_S8, NUM_F32},    {NUM_F64, NUM_F64, NUM_F64},   {NUM_S4, NUM_S4, NUM_S32},     {NUM_E2M1, NUM_E2M1, NUM_F32},
    };
    for (size_t i = 0; i < COUNT(none); i++)
        assert_null(tw_wgmma_find(none[i].a, none[i].b, none[i].d));
}

static void n_steps_by_8_and_for_integers_by_16_above_32(void **state)
{
    (void)state;
    static const uint16_t integers[] = {8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256};
    const struct wgmma_class_row *const whole[] = {&tw_wgmma_classes[WGMMA_INT8], &tw_wgmma_classes[WGMMA_BIT]};
    for (uint32_t n = 0; n < 300; n++) {
        bool listed = false;
        for (size_t i = 0; i < COUNT(integers); i++)
            listed |= integers[i] == n;
        for (size_t i = 0; i < COUNT(whole); i++)
            assert_int_equal(tw_wgmma_n_legal(whole[i], n), listed);
        assert_int_equal(tw_wgmma_n_legal(&tw_wgmma_classes[WGMMA_F16], n), n != 0 && n <= 256 && n % 8 == 0);
    }
}

static void register_counts_are_half_or_a_quarter_of_n(void **state)
{
    (void)state;
    for (uint32_t n = 8; n <= 256; n += 8) {
        assert_int_equal(wgmma_d_regs(n, 32), n / 2);
        assert_int_equal(wgmma_d_regs(n, 16), n / 4);
    }
}

/* Row 16w + g + 8 ((i >> 1) & 1), column 8 (i >> 2) + 2t + (i & 1), written out for some. */
static void accumulators_hold_the_worked_elements(void **state)
{
    (void)state;
    static const struct { uint32_t bits, lane, reg, elem, row, col; } rows[] = {
        {32, 0, 0, 0, 0, 0},  {32, 0, 1, 0, 0, 1},    {32, 0, 2, 0, 8, 0},   {32, 0, 4, 0, 0, 8},    {32, 13, 7, 0, 11, 11},
        {32, 31, 127, 0, 15, 255}, {16, 0, 0, 1, 0, 1}, {16, 5, 1, 0, 9, 2}, {16, 5, 2, 1, 1, 11}, {16, 30, 63, 0, 15, 252},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct mma_coord c = wgmma_d_coord(rows[i].bits, rows[i].lane, rows[i].reg, rows[i].elem);
        assert_int_equal(c.row, rows[i].row);
        assert_int_equal(c.col, rows[i].col);
    }
}

static void every_accumulator_element_has_one_owner_and_is_found_there(void **state)
{
    (void)state;
    static const uint32_t widths[] = {16, 32};
    for (size_t i = 0; i < COUNT(widths); i++) {
        static uint8_t owners[64][256];
        memset(owners, 0, sizeof owners);
        for (uint32_t warp = 0; warp < WGMMA_WARPS; warp++)
            for (uint32_t lane = 0; lane < 32; lane++)
                for (uint32_t reg = 0; reg < wgmma_d_regs(256, widths[i]); reg++)
                    for (uint32_t e = 0; e < 32 / widths[i]; e++) {
                        const struct mma_coord c = wgmma_d_coord(widths[i], lane, reg, e);
                        const struct wgmma_slot s = tw_wgmma_d_slot(widths[i], 16 * warp + c.row, c.col);
                        owners[16 * warp + c.row][c.col]++;
                        assert_true(s.warp == warp && s.at.lane == lane && s.at.reg == reg && s.at.elem == e);
                    }
        for (uint32_t row = 0; row < 64; row++)
            for (uint32_t col = 0; col < 256; col++)
                assert_int_equal(owners[row][col], 1);
    }
}

static void a_in_registers_is_the_fragment_of_mma_in_each_warp(void **state)
{
    (void)state;
    for (int i = 0; i < WGMMA_CLASS_COUNT; i++) {
        const struct wgmma_class_row *const row = &tw_wgmma_classes[i];
        assert_int_equal(mma_regs(WGMMA_WARP_ROWS, row->k, row->elem_bits), WGMMA_A_REGS);
        for (uint32_t m = 0; m < WGMMA_M; m++)
            for (uint32_t k = 0; k < row->k; k++) {
                const struct wgmma_slot s = tw_wgmma_a_slot(row->elem_bits, m, k);
                const uint32_t per_reg = 32 / row->elem_bits, g = s.at.lane / 4, t = s.at.lane % 4;
                assert_int_equal(m, 16 * s.warp + g + 8 * (s.at.reg & 1));
                assert_int_equal(k, (s.at.reg >> 1) * 4 * per_reg + t * per_reg + s.at.elem);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_find_their_row_or_none),
        cmocka_unit_test(n_steps_by_8_and_for_integers_by_16_above_32),
        cmocka_unit_test(register_counts_are_half_or_a_quarter_of_n),
        cmocka_unit_test(accumulators_hold_the_worked_elements),
        cmocka_unit_test(every_accumulator_element_has_one_owner_and_is_found_there),
        cmocka_unit_test(a_in_registers_is_the_fragment_of_mma_in_each_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
