/* Expected coordinates: ptx-async.md 1.1, 1.5 and 1.6, the ownership table of seed 003, and the register words that an
 * H200 used (golden/layout_mma_frag.tcg). */
#include "support/check.h"
#include "support/tcg.h"

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
        assert_int_equal(mma_regs(rows[i].m, rows[i].k, rows[i].bits), rows[i].a);
        assert_int_equal(mma_regs(8, rows[i].k, rows[i].bits), rows[i].b);
    }
    assert_int_equal(mma_regs(16, 8, 32), 4);
    assert_int_equal(mma_regs(16, 8, 16), 2);
    assert_int_equal(mma_regs(16, 8, 64), 4);
    assert_int_equal(mma_regs(8, 8, 32), 2);
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

/* M, K and element width of every dense shape of the table. */
struct shape {
    uint32_t m, k, bits;
};
enum { MAX_SHAPES = 40 };

static size_t all_shapes(struct shape out[MAX_SHAPES])
{
    size_t count = 0;
    for (int c = 0; c < MMA_CLASS_COUNT; c++)
        for (uint32_t m = 8; m <= 16; m += 8)
            for (uint32_t k = 1; k <= 256; k *= 2)
                if (tw_mma_shape_legal((enum mma_class)c, false, m, 8, k))
                    out[count++] = (struct shape){m, k, tw_mma_classes[c].elem_bits};
    assert_true(count <= MAX_SHAPES);
    return count;
}

static void expect_found(struct shape s)
{
    for (uint32_t m = 0; m < s.m; m++)
        for (uint32_t k = 0; k < s.k; k++) {
            const struct mma_slot at = tw_mma_a_slot(s.m, s.bits, m, k);
            assert_true(at.lane < 32 && at.reg < mma_regs(s.m, s.k, s.bits));
            const struct mma_coord c = tw_mma_a_coord(s.m, s.bits, at.lane, at.reg, at.elem);
            assert_true(c.row == m && c.col == k);
        }
    for (uint32_t k = 0; k < s.k; k++)
        for (uint32_t n = 0; n < 8; n++) {
            const struct mma_slot at = tw_mma_b_slot(s.bits, k, n);
            assert_true(at.lane < 32 && at.reg < mma_regs(8, s.k, s.bits));
            const struct mma_coord c = tw_mma_b_coord(s.bits, at.lane, at.reg, at.elem);
            assert_true(c.row == k && c.col == n);
        }
    for (uint32_t m = 0; m < s.m; m++)
        for (uint32_t n = 0; n < 8; n++)
            for (uint32_t d_bits = 16; d_bits <= 64; d_bits *= 2) {
                const struct mma_slot at = tw_mma_d_slot(d_bits, m, n);
                assert_true(at.lane < 32 && at.reg < mma_regs(s.m, 8, d_bits));
                const struct mma_coord c = tw_mma_d_coord(d_bits, at.lane, at.reg, at.elem);
                assert_true(c.row == m && c.col == n);
            }
}

static void every_element_of_every_shape_has_one_owner_and_is_found_there(void **state)
{
    (void)state;
    struct shape shapes[MAX_SHAPES];
    const size_t count = all_shapes(shapes);
    assert_int_equal(count, 2 + 2 + 2 + 4 + 2 + 3 + 3 + 3 + 1 + 1);
    for (size_t i = 0; i < count; i++)
        expect_found(shapes[i]);
}

/* SOURCE: PTX ISA, "Warp Level Matrix Instructions", table of shapes. */
static void classes_have_the_published_shapes(void **state)
{
    (void)state;
    static const struct { enum num_format a, b; bool sparse; uint32_t m, k; bool legal; } rows[] = {
        {NUM_F16, NUM_F16, false, 16, 16, true},   {NUM_F16, NUM_F16, false, 16, 32, false}, {NUM_F16, NUM_F16, true, 16, 32, true},
        {NUM_F16, NUM_F16, true, 16, 8, false},    {NUM_BF16, NUM_BF16, false, 16, 8, true}, {NUM_BF16, NUM_BF16, false, 8, 8, false},
        {NUM_TF32, NUM_TF32, false, 16, 4, true},  {NUM_TF32, NUM_TF32, true, 16, 16, true}, {NUM_TF32, NUM_TF32, false, 16, 16, false},
        {NUM_F64, NUM_F64, false, 8, 4, true},     {NUM_F64, NUM_F64, false, 8, 8, false},   {NUM_F64, NUM_F64, false, 16, 16, true},
        {NUM_F64, NUM_F64, true, 16, 8, false},    {NUM_E4M3, NUM_E5M2, false, 16, 32, true}, {NUM_E4M3, NUM_E4M3, true, 16, 64, true},
        {NUM_S8, NUM_U8, false, 8, 16, true},      {NUM_S8, NUM_U8, false, 8, 32, false},    {NUM_U8, NUM_S8, true, 16, 64, true},
        {NUM_S4, NUM_U4, false, 8, 32, true},      {NUM_S4, NUM_S4, true, 16, 128, true},    {NUM_B1, NUM_B1, false, 16, 256, true},
        {NUM_B1, NUM_B1, true, 16, 256, false},    {NUM_B1, NUM_B1, false, 8, 128, true},    {NUM_B1, NUM_B1, false, 8, 256, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const enum mma_class c = tw_mma_class_find(rows[i].a, rows[i].b);
        assert_true(c != MMA_CLASS_COUNT);
        if (tw_mma_shape_legal(c, rows[i].sparse, rows[i].m, 8, rows[i].k) != rows[i].legal)
            fail_msg("row %zu", i);
        assert_false(tw_mma_shape_legal(c, rows[i].sparse, rows[i].m, 16, rows[i].k));
    }
    assert_int_equal(tw_mma_class_find(NUM_F16, NUM_BF16), MMA_CLASS_COUNT);
    assert_int_equal(tw_mma_class_find(NUM_S8, NUM_S4), MMA_CLASS_COUNT);
    assert_int_equal(tw_mma_class_find(NUM_E2M1, NUM_E2M1), MMA_CLASS_COUNT);
    assert_true(tw_mma_shape_legal(MMA_F4, true, 16, 8, 128) && !tw_mma_shape_legal(MMA_F4, true, 16, 8, 64));
    assert_true(tw_mma_shape_legal(MMA_F8F6F4, true, 16, 8, 64) && !tw_mma_shape_legal(MMA_F8F6F4, false, 16, 8, 16));
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

static void metadata_codes_lie_at_the_worked_places(void **state)
{
    (void)state;
    struct mma_meta at = tw_mma_sp_meta(16, 32, 1, 13, 6);
    assert_int_equal(at.lane, 23);
    assert_int_equal(at.nibble, 6);
    at = tw_mma_sp_meta(8, 64, 0, 10, 3);
    assert_int_equal(at.lane, 9);
    assert_int_equal(at.nibble, 3);
}

static void every_code_of_a_metadata_register_belongs_to_one_group(void **state)
{
    (void)state;
    static const struct { uint32_t bits, k; } rows[] = {{16, 16}, {16, 32}, {32, 8}, {32, 16}, {8, 32}, {8, 64}, {4, 64}, {4, 128}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t seen[32][8] = {{0}};
        for (uint32_t f = 0; f < tw_mma_sp_selectors(rows[i].bits, rows[i].k); f++)
            for (uint32_t row = 0; row < 16; row++)
                for (uint32_t g = 0; g < rows[i].k / mma_sp_group(rows[i].bits); g++) {
                    const struct mma_meta at = tw_mma_sp_meta(rows[i].bits, rows[i].k, f, row, g);
                    seen[at.lane][at.nibble]++;
                }
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t n = 0; n < 8; n++)
                assert_int_equal(seen[l][n], 1);
    }
}

static void codes_select_their_positions(void **state)
{
    (void)state;
    static const struct { uint32_t bits, code; bool legal; uint8_t out[4]; } rows[] = {
        {16, 0x4, true, {0, 1}}, {16, 0xe, true, {2, 3}}, {8, 0x9, true, {1, 2}}, {8, 0xc, true, {0, 3}},
        {32, 0x4, true, {0}},    {32, 0xe, true, {1}},    {32, 0x8, false, {0}},  {16, 0x5, false, {0}},
        {16, 0x6, false, {0}},   {16, 0x1, false, {0}},   {4, 0x4, true, {0, 1, 2, 3}}, {4, 0xd, true, {2, 3, 6, 7}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t out[4] = {0};
        assert_int_equal(tw_mma_sp_select(rows[i].bits, rows[i].code, true, out), rows[i].legal);
        if (rows[i].legal)
            assert_memory_equal(out, rows[i].out, rows[i].bits == 32 ? 1 : rows[i].bits == 4 ? 4 : 2);
    }
    uint8_t out[4];
    assert_true(tw_mma_sp_select(16, 0x6, false, out)); /* without ordered_metadata, positions 2 then 1 */
    assert_memory_equal(out, ((uint8_t[]){2, 1}), 2);
    assert_false(tw_mma_sp_select(16, 0x1, false, out));
}

/* ---- Measured fragments ----------------------------------------------------------------------- */

struct frag_table {
    const struct tcg_file *file;
    const struct tcg_table *table;
    uint32_t m, n, k;
    enum num_format a, b, d;
};

static enum num_format format_of(const struct tcg_table *table, const char *key)
{
    char name[16];
    tw_tcg_string(table->line, key, name, sizeof name);
    return tw_num_format_by_name(tw_str(name));
}

static uint64_t get(const struct frag_table *f, size_t record, const char *field, size_t index)
{
    return tw_tcg_get(f->file, f->table, record, tw_tcg_field(f->table, field), index);
}

/* The matrix element must be found in the register that the map names. */
static void expect_element(const struct frag_table *f, size_t record, const char *regs, uint32_t reg_count, struct mma_slot at,
                           uint32_t bits, uint64_t element, const char *what)
{
    const uint64_t word = get(f, record, regs, (size_t)at.lane * reg_count + at.reg);
    const uint64_t found = bits == 64 ? word : (word >> (bits == 32 ? 0 : bits * at.elem)) & ((UINT64_C(1) << bits) - 1);
    if (found != element)
        fail_msg("%s: %s of lane %u, register %u, element %u", f->table->instr, what, at.lane, at.reg, at.elem);
}

static void expect_fragments(const struct frag_table *f, size_t record)
{
    const uint32_t a_bits = tw_num_bits(f->a), b_bits = tw_num_bits(f->b), d_bits = tw_num_bits(f->d);
    for (uint32_t m = 0; m < f->m; m++)
        for (uint32_t k = 0; k < f->k; k++)
            expect_element(f, record, "Aregs", mma_regs(f->m, f->k, a_bits), tw_mma_a_slot(f->m, a_bits, m, k), a_bits,
                           get(f, record, "A", (size_t)m * f->k + k), "A");
    for (uint32_t n = 0; n < f->n; n++)
        for (uint32_t k = 0; k < f->k; k++)
            expect_element(f, record, "Bregs", mma_regs(f->n, f->k, b_bits), tw_mma_b_slot(b_bits, k, n), b_bits,
                           get(f, record, "B", (size_t)n * f->k + k), "B");
    for (uint32_t m = 0; m < f->m; m++)
        for (uint32_t n = 0; n < f->n; n++) {
            const uint32_t regs = mma_regs(f->m, f->n, d_bits);
            expect_element(f, record, "Cregs", regs, tw_mma_d_slot(d_bits, m, n), d_bits, get(f, record, "C", (size_t)m * f->n + n), "C");
            expect_element(f, record, "Dregs", regs, tw_mma_d_slot(d_bits, m, n), d_bits, get(f, record, "D", (size_t)m * f->n + n), "D");
        }
}

static void fragments_are_those_that_hardware_used(void **state)
{
    struct bench_room *room = *state;
    struct tcg_file file;
    const char *const path = tw_test_shared(&room->arena, "golden/layout_mma_frag.tcg");
    if (path == NULL)
        skip();
    assert_true(tw_tcg_open(&room->arena, path, &file));
    size_t checked = 0;
    for (size_t t = 0; t < file.table_count; t++) {
        const struct tcg_table *const table = &file.table[t];
        const struct frag_table f = {&file, table, (uint32_t)tw_tcg_number(table, "m", 0), (uint32_t)tw_tcg_number(table, "n", 0),
                                     (uint32_t)tw_tcg_number(table, "k", 0), format_of(table, "at"), format_of(table, "bt"),
                                     format_of(table, "dt")};
        if (strcmp(table->kind, "mma_frag") != 0)
            continue;
        assert_true(tw_mma_shape_legal(tw_mma_class_find(f.a, f.b), false, f.m, f.n, f.k));
        for (size_t r = 0; r < table->count; r++, checked++)
            expect_fragments(&f, r);
    }
    assert_true(checked >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_hold_the_worked_elements),
        cmocka_unit_test(register_counts_follow_the_shape),
        cmocka_unit_test(packed_words_are_owned_as_the_seed_says),
        cmocka_unit_test(every_element_of_every_shape_has_one_owner_and_is_found_there),
        cmocka_unit_test(classes_have_the_published_shapes),
        cmocka_unit_test(ldmatrix_gives_rows_or_with_trans_columns),
        cmocka_unit_test(metadata_codes_lie_at_the_worked_places),
        cmocka_unit_test(every_code_of_a_metadata_register_belongs_to_one_group),
        cmocka_unit_test(codes_select_their_positions),
        ROOM_TEST(fragments_are_those_that_hardware_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
