/* Expected words: tcgen05.md 4.4 and kernel-language-tile.md 7.5. Legal shapes: tcgen05.md 3.3. */
#include "support/check.h"

#include "isa/idesc.h"

struct word_case {
    const char *what;
    enum tc_kind kind;
    struct idesc desc;
    uint32_t word;
};

static const struct word_case words[] = {
    {"f16 to f32, 128 x 64", TC_F16, {.m = 128, .n = 64, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32}, 0x08100010},
    {"f16 to f32, 128 x 128", TC_F16, {.m = 128, .n = 128, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32}, 0x08200010},
    {"f16 to f32, 128 x 256", TC_F16, {.m = 128, .n = 256, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32}, 0x08400010},
    {"f16 to f32, 64 x 64", TC_F16, {.m = 64, .n = 64, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32}, 0x04100010},
    {"f16 to f32, 256 x 256", TC_F16, {.m = 256, .n = 256, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32}, 0x10400010},
    {"f16 to f16, 64 x 8", TC_F16, {.m = 64, .n = 8, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F16}, 0x04020000},
    {"bf16, 128 x 256", TC_F16, {.m = 128, .n = 256, .a_format = NUM_BF16, .b_format = NUM_BF16, .d_format = NUM_F32}, 0x08400490},
    {"bf16, 256 x 256", TC_F16, {.m = 256, .n = 256, .a_format = NUM_BF16, .b_format = NUM_BF16, .d_format = NUM_F32}, 0x10400490},
    {"bf16, 128 x 128, A negated", TC_F16, {.m = 128, .n = 128, .a_format = NUM_BF16, .b_format = NUM_BF16, .d_format = NUM_F32, .negate_a = 1}, 0x08202490},
    {"tf32, 128 x 128, both MN-major", TC_TF32, {.m = 128, .n = 128, .a_format = NUM_TF32, .b_format = NUM_TF32, .d_format = NUM_F32, .a_mn_major = 1, .b_mn_major = 1}, 0x08218910},
    {"tf32, 128 x 128", TC_TF32, {.m = 128, .n = 128, .a_format = NUM_TF32, .b_format = NUM_TF32, .d_format = NUM_F32}, 0x08200910},
    {"e4m3 x e5m2, 128 x 128", TC_F8F6F4, {.m = 128, .n = 128, .a_format = NUM_E4M3, .b_format = NUM_E5M2, .d_format = NUM_F32}, 0x08200410},
    {"e2m1 x e2m3 to f16, 64 x 64", TC_F8F6F4, {.m = 64, .n = 64, .a_format = NUM_E2M1, .b_format = NUM_E2M3, .d_format = NUM_F16}, 0x04100e80},
    {"s8 x u8 saturating, 128 x 32", TC_I8, {.m = 128, .n = 32, .a_format = NUM_S8, .b_format = NUM_U8, .d_format = NUM_S32, .saturate = 1}, 0x080800a8},
    {"f16 sparse, selector 1", TC_F16, {.m = 128, .n = 128, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32, .sparse = 1, .sparsity_selector = 1}, 0x08200015},
    {"f16 .ws, max shift 16", TC_F16, {.m = 64, .n = 64, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32, .max_shift = 16}, 0x84100010},
    {"f16 .ws, 32 x 64", TC_F16, {.m = 32, .n = 64, .a_format = NUM_F16, .b_format = NUM_F16, .d_format = NUM_F32}, 0x02100010},
    {"mxf8f6f4 e4m3, IDs 0", TC_MXF8F6F4, {.m = 128, .n = 128, .a_format = NUM_E4M3, .b_format = NUM_E4M3, .d_format = NUM_F32, .scale_format = NUM_UE8M0}, 0x08a00000},
    {"mxf8f6f4 e4m3 x e2m1, IDs 2", TC_MXF8F6F4, {.m = 256, .n = 256, .a_format = NUM_E4M3, .b_format = NUM_E2M1, .d_format = NUM_F32, .scale_format = NUM_UE8M0, .sfa_id = 2, .sfb_id = 2}, 0x50c01420},
    {"mxf4, IDs 0", TC_MXF4, {.m = 128, .n = 256, .a_format = NUM_E2M1, .b_format = NUM_E2M1, .d_format = NUM_F32, .scale_format = NUM_UE8M0}, 0x08c00480},
    {"mxf4, IDs 2", TC_MXF4, {.m = 128, .n = 256, .a_format = NUM_E2M1, .b_format = NUM_E2M1, .d_format = NUM_F32, .scale_format = NUM_UE8M0, .sfa_id = 2, .sfb_id = 2}, 0x48c004a0},
    {"mxf4 sparse", TC_MXF4, {.m = 128, .n = 128, .a_format = NUM_E2M1, .b_format = NUM_E2M1, .d_format = NUM_F32, .scale_format = NUM_UE8M0, .sparse = 1}, 0x08a00484},
    {"mxf4nvf4 ue4m3", TC_MXF4NVF4, {.m = 128, .n = 128, .a_format = NUM_E2M1, .b_format = NUM_E2M1, .d_format = NUM_F32, .scale_format = NUM_UE4M3}, 0x08200480},
    {"mxf4nvf4 ue8m0", TC_MXF4NVF4, {.m = 256, .n = 64, .a_format = NUM_E2M1, .b_format = NUM_E2M1, .d_format = NUM_F32, .scale_format = NUM_UE8M0}, 0x10900480},
    {"mxf4nvf4 ue4m3 with K 96", TC_MXF4NVF4, {.m = 256, .n = 256, .a_format = NUM_E2M1, .b_format = NUM_E2M1, .d_format = NUM_F32, .scale_format = NUM_UE4M3, .k96 = 1}, 0x90400480},
};

static void the_worked_descriptors_encode_to_their_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        const uint32_t word = tw_idesc_encode(words[i].kind, &words[i].desc);
        if (word != words[i].word)
            fail_msg("%s: %08x, wanted %08x", words[i].what, word, words[i].word);
    }
}

static void decoding_gives_back_what_was_encoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        struct idesc back;
        tw_idesc_decode(words[i].kind, words[i].word, &back);
        assert_memory_equal(&back, &words[i].desc, sizeof back);
    }
}

static void every_bit_of_a_word_is_in_exactly_one_field(void **state)
{
    (void)state;
    for (int kind = 0; kind < TC_KIND_COUNT; kind++) {
        const struct idesc_field_list fields = tw_idesc_fields((enum tc_kind)kind);
        unsigned next = 0;
        for (size_t i = 0; i < fields.count; i++) {
            assert_int_equal(fields.at[i].low, next);
            next += fields.at[i].width;
        }
        assert_int_equal(next, 32);
    }
}

static const struct tc_form dense_f16 = {TC_F16, 1, false, false, false, TC_SCALE_NONE};

static void each_illegal_field_is_named_with_what_was_expected(void **state)
{
    (void)state;
    static const struct { const char *what; struct tc_form form; uint32_t word; const char *field, *expected; uint32_t found; } rows[] = {
        {"reserved bit 6", {TC_F16, 1, false, false, false, 0}, 0x08100050, "bit 6", "0", 1},
        {"reserved bit 23", {TC_F16, 1, false, false, false, 0}, 0x08900010, "bit 23", "0", 1},
        {"reserved bit 29", {TC_F16, 1, false, false, false, 0}, 0x28100010, "bit 29", "0", 1},
        {"M 96", {TC_F16, 1, false, false, false, 0}, 0x06100010, "M", "M 64 or 128, N 8 to 256 in steps of 8", 6},
        {"M 256 with one CTA", {TC_F16, 1, false, false, false, 0}, 0x10100010, "M", "M 64 or 128, N 8 to 256 in steps of 8", 16},
        {"N 0", {TC_F16, 1, false, false, false, 0}, 0x08000010, "N", "M 64 or 128, N 8 to 256 in steps of 8", 0},
        {"N 264", {TC_F16, 1, false, false, false, 0}, 0x08420010, "N", "M 64 or 128, N 8 to 256 in steps of 8", 33},
        {"N 40 of i8", {TC_I8, 1, false, false, false, 0}, 0x080a00a0, "N", "M 64 or 128, N 8, 16, 24, 32 or 48 to 256 in steps of 16", 5},
        {"D s32 of f16", {TC_F16, 1, false, false, false, 0}, 0x08100020, "D format", "0 f16 or 1 f32", 2},
        {"D f16 of tf32", {TC_TF32, 1, false, false, false, 0}, 0x08200900, "D format", "1 f32", 0},
        {"D f16 of bf16", {TC_F16, 1, false, false, false, 0}, 0x08400480, "D format", "1 f32 (an f16 accumulator needs f16 operands)", 0},
        {"A format 2 of f16", {TC_F16, 1, false, false, false, 0}, 0x08100110, "A format", "0 f16 or 1 bf16", 2},
        {"bf16 with f16", {TC_F16, 1, false, false, false, 0}, 0x08100090, "B format", "the format of A (f16 and bf16 do not mix)", 0},
        {"A format 2 of f8f6f4", {TC_F8F6F4, 1, false, false, false, 0}, 0x08200110, "A format", "0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2 or 5 e2m1", 2},
        {"e2m1 code 5 in mxf4", {TC_MXF4, 1, false, false, false, TC_SCALE_2X}, 0x08c00680, "A format", "1 e2m1", 5},
        {"sparse bit without .sp", {TC_F16, 1, false, false, false, 0}, 0x08100014, "sparse", "0 (the instruction has no .sp)", 1},
        {".sp without the sparse bit", {TC_F16, 1, false, true, false, 0}, 0x08100010, "sparse", "1 (the instruction has .sp)", 0},
        {"saturate of f16", {TC_F16, 1, false, false, false, 0}, 0x08100018, "saturate", "0 (only kind::i8 saturates)", 1},
        {"negate of i8", {TC_I8, 1, false, false, false, 0}, 0x080820a8, "negate A", "0 (integers are not negated)", 1},
        {"MN-major A in tensor memory", {TC_F16, 1, false, false, true, 0}, 0x08108010, "transpose A", "0 (A in tensor memory is K-major)", 1},
        {"MN-major e2m3", {TC_F8F6F4, 1, false, false, false, 0}, 0x08210c10, "transpose B", "0 (operands of 4 or 6 bits are K-major)", 1},
        {"MN-major mxf4", {TC_MXF4, 1, false, false, false, TC_SCALE_2X}, 0x08c08480, "transpose A", "0 (4-bit operands are K-major)", 1},
        {"max shift without .ws", {TC_F16, 1, false, false, false, 0}, 0x88100010, "maximum shift", "0 (only .ws shifts columns)", 2},
        {"max shift 32 with M 32", {TC_F16, 1, true, false, false, 0}, 0xc2100010, "maximum shift", "0, 1 or 2 (with M 32 at most 16 columns)", 3},
        {"ue4m3 of mxf4", {TC_MXF4, 1, false, false, false, TC_SCALE_2X}, 0x08400480, "scale format", "1 ue8m0", 0},
        {"ID 1 of 2X", {TC_MXF4, 1, false, false, false, TC_SCALE_2X}, 0x28c00480, "SFA_ID", "0 or 2", 1},
        {"ID 2 of 4X", {TC_MXF4NVF4, 1, false, false, false, TC_SCALE_4X}, 0x082004a0, "SFB_ID", "0", 2},
        {"MN-major 8-bit B with N 8", {TC_F8F6F4, 1, false, false, false, 0}, 0x08030010, "N", "a multiple of 16 with MN-major 8-bit B", 1},
        {"bit 31 of mxf8f6f4", {TC_MXF8F6F4, 1, false, false, false, TC_SCALE_1X}, 0x88a00000, "bit 31", "0", 1},
        {"K 96 of sparse", {TC_MXF4, 1, false, true, false, TC_SCALE_2X}, 0x88a00484, "K 96", "0 (sparse A has no K of 96)", 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct idesc_fault_list faults;
        assert_false(tw_idesc_check(&rows[i].form, rows[i].word, &faults));
        if (faults.count != 1 || strcmp(faults.at[0].field->name, rows[i].field) != 0)
            fail_msg("%s: %zu faults, the first at '%s'", rows[i].what, faults.count, faults.at[0].field->name);
        if (strcmp(faults.at[0].expected, rows[i].expected) != 0)
            fail_msg("%s: expected '%s'", rows[i].what, faults.at[0].expected);
        assert_int_equal(faults.at[0].found, rows[i].found);
    }
}

static void the_worked_words_are_legal_in_their_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        const struct word_case *c = &words[i];
        struct tc_form form = {c->kind, c->desc.m == 256 ? 2 : 1, c->desc.m == 32 || c->desc.max_shift != 0, c->desc.sparse != 0, false, TC_SCALE_NONE};
        if (c->kind == TC_MXF8F6F4)
            form.scale_vec = TC_SCALE_1X;
        else if (c->kind == TC_MXF4)
            form.scale_vec = TC_SCALE_2X;
        else if (c->kind == TC_MXF4NVF4)
            form.scale_vec = TC_SCALE_4X;
        struct idesc_fault_list faults;
        if (!tw_idesc_check(&form, c->word, &faults))
            fail_msg("%s: '%s' expected %s", c->what, faults.at[0].field->name, faults.at[0].expected);
    }
}

static void several_illegal_fields_are_all_listed(void **state)
{
    (void)state;
    struct idesc_fault_list faults;
    assert_false(tw_idesc_check(&dense_f16, 0xffffffff, &faults));
    assert_true(faults.count >= 8);
}

/* Counts of legal N between 1 and 300 for every form; from the table of valid shapes. */
static void legal_shapes_are_those_of_the_published_table(void **state)
{
    (void)state;
    static const struct { struct tc_form form; uint32_t m; unsigned legal, portable; } rows[] = {
        {{TC_F16, 1, false, false, false, 0}, 64, 32, 32},
        {{TC_TF32, 1, false, false, false, 0}, 128, 32, 16},
        {{TC_F8F6F4, 1, false, true, false, 0}, 128, 32, 16},
        {{TC_F16, 1, false, false, false, 0}, 32, 0, 0},
        {{TC_F16, 1, false, false, false, 0}, 256, 0, 0},
        {{TC_F16, 2, false, false, false, 0}, 64, 0, 0},
        {{TC_F16, 2, false, false, false, 0}, 128, 16, 8},
        {{TC_F16, 2, false, false, false, 0}, 256, 16, 8},
        {{TC_F16, 1, true, false, false, 0}, 32, 3, 3},
        {{TC_F16, 1, true, false, false, 0}, 64, 3, 3},
        {{TC_F16, 1, true, false, false, 0}, 128, 3, 3},
        {{TC_F16, 1, true, true, false, 0}, 128, 2, 2},
        {{TC_F16, 2, true, false, false, 0}, 128, 0, 0},
        {{TC_I8, 1, false, false, false, 0}, 64, 18, 17},
        {{TC_I8, 1, false, false, false, 0}, 128, 18, 16},
        {{TC_I8, 2, false, false, false, 0}, 256, 8, 8},
        {{TC_I8, 1, true, false, false, 0}, 32, 3, 3},
        {{TC_MXF8F6F4, 1, false, false, false, TC_SCALE_1X}, 128, 32, 16},
        {{TC_MXF8F6F4, 1, false, false, false, TC_SCALE_1X}, 64, 0, 0},
        {{TC_MXF4, 2, false, false, false, TC_SCALE_2X}, 128, 16, 8},
        {{TC_MXF4, 2, false, true, false, TC_SCALE_2X}, 128, 0, 0},
        {{TC_MXF4, 2, false, true, false, TC_SCALE_2X}, 256, 16, 8},
        {{TC_MXF4, 1, true, false, false, TC_SCALE_2X}, 128, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned legal = 0, portable = 0;
        for (uint32_t n = 0; n <= 300; n++) {
            const enum tc_shape_verdict v = tw_tc_shape(&rows[i].form, rows[i].m, n);
            legal += v != TC_SHAPE_ILLEGAL;
            portable += v == TC_SHAPE_PORTABLE;
        }
        if (legal != rows[i].legal || portable != rows[i].portable)
            fail_msg("row %zu: %u legal, %u portable", i, legal, portable);
    }
}

static void three_answers_exist_for_a_shape(void **state)
{
    (void)state;
    assert_int_equal(tw_tc_shape(&dense_f16, 128, 16), TC_SHAPE_PORTABLE);
    assert_int_equal(tw_tc_shape(&dense_f16, 128, 24), TC_SHAPE_SUPERSET);
    assert_int_equal(tw_tc_shape(&dense_f16, 128, 20), TC_SHAPE_ILLEGAL);
    const struct tc_form ws = {TC_F16, 1, true, false, false, TC_SCALE_NONE};
    assert_int_equal(tw_tc_shape(&ws, 64, 192), TC_SHAPE_ILLEGAL);
    const struct tc_form i8 = {TC_I8, 1, false, false, false, TC_SCALE_NONE};
    assert_int_equal(tw_tc_shape(&i8, 64, 24), TC_SHAPE_SUPERSET);
    assert_int_equal(tw_tc_shape(&i8, 64, 40), TC_SHAPE_ILLEGAL);
    assert_int_equal(tw_tc_shape(&i8, 64, 8), TC_SHAPE_PORTABLE);
}

/* What is said of the stricter table is true of every shape: N that keeps the rule is in it, N that breaks it is not. */
static void the_stricter_table_is_described_as_it_is(void **state)
{
    (void)state;
    struct tc_form f = {.cta_group = 1};
    for (int kind = 0; kind < TC_KIND_COUNT; kind++)
        for (unsigned form = 0; form < 8; form++)
            for (uint32_t m = 32; m <= 256; m *= 2)
                for (uint32_t n = 8; n <= 256; n += 8) {
                    f = (struct tc_form){.kind = (enum tc_kind)kind, .cta_group = form & 1 ? 2 : 1, .ws = (form & 2) != 0, .sparse = (form & 4) != 0};
                    const enum tc_shape_verdict v = tw_tc_shape(&f, m, n);
                    const char *const rule = tw_tc_shape_portable(&f, m);
                    const bool keeps = strstr(rule, "16") != NULL   ? n % 16 == 0
                                       : strstr(rule, "32") != NULL ? n % 32 == 0
                                       : strstr(rule, "24") != NULL ? n != 24
                                                                    : true;
                    if (v != TC_SHAPE_ILLEGAL && (v == TC_SHAPE_PORTABLE) != keeps)
                        fail_msg("kind %d, form %u, M %u, N %u: %s", kind, form, m, n, rule);
                    if (strcmp(rule, "another M") == 0)
                        assert_int_equal(v, TC_SHAPE_ILLEGAL);
                }
}

static void scale_vectors_are_found_by_each_of_their_spellings(void **state)
{
    (void)state;
    static const struct { enum tc_kind kind; const char *spelling; int vec, block; } rows[] = {
        {TC_MXF8F6F4, "", TC_SCALE_1X, 32},           {TC_MXF8F6F4, "block32", TC_SCALE_1X, 32},
        {TC_MXF8F6F4, "scale_vec::2X", -1, 0},        {TC_MXF4, "", TC_SCALE_2X, 32},
        {TC_MXF4, "scale_vec::2X", TC_SCALE_2X, 32},  {TC_MXF4, "block16", -1, 0},
        {TC_MXF4NVF4, "", -1, 0},                     {TC_MXF4NVF4, "block32", TC_SCALE_2X, 32},
        {TC_MXF4NVF4, "block16", TC_SCALE_4X, 16},    {TC_MXF4NVF4, "scale_vec::4X", TC_SCALE_4X, 16},
        {TC_F16, "", -1, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tc_scale_row *row = tw_tc_scale_find(rows[i].kind, tw_str(rows[i].spelling));
        assert_int_equal(row == NULL ? -1 : (int)row->vec, rows[i].vec);
        if (row != NULL)
            assert_int_equal(row->block, rows[i].block);
    }
}

static void one_mma_consumes_32_bytes_of_k_in_every_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < TC_KIND_COUNT; kind++) {
        const struct tc_kind_row *row = &tw_tc_kinds[kind];
        assert_int_equal(row->k_dense * row->container_bits, 256);
        assert_int_equal(row->k_sparse, 2 * row->k_dense);
        assert_int_equal(tw_tc_kind_find(tw_str(row->name)), kind);
    }
    assert_int_equal(tw_tc_kind_find(STR("f64")), TC_KIND_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_descriptors_encode_to_their_words),
        cmocka_unit_test(decoding_gives_back_what_was_encoded),
        cmocka_unit_test(every_bit_of_a_word_is_in_exactly_one_field),
        cmocka_unit_test(each_illegal_field_is_named_with_what_was_expected),
        cmocka_unit_test(the_worked_words_are_legal_in_their_forms),
        cmocka_unit_test(several_illegal_fields_are_all_listed),
        cmocka_unit_test(legal_shapes_are_those_of_the_published_table),
        cmocka_unit_test(three_answers_exist_for_a_shape),
        cmocka_unit_test(the_stricter_table_is_described_as_it_is),
        cmocka_unit_test(scale_vectors_are_found_by_each_of_their_spellings),
        cmocka_unit_test(one_mma_consumes_32_bytes_of_k_in_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
