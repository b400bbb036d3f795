/* Expected words and addresses: tcgen05.md 5.7, kernel-language-tile.md 7.5, ptx-async.md 2.3. */
#include "support/check.h"

#include "isa/smem_desc.h"

static const struct smem_desc k_major_128b = {.start_bytes = 0x400, .lead_bytes = 16, .stride_bytes = 1024, .mode = SWIZZLE_128B};
static const struct smem_desc mn_major_128b = {.start_bytes = 0x400, .lead_bytes = 8192, .stride_bytes = 1024, .mode = SWIZZLE_128B};
static const struct smem_desc tf32_mn_major = {.start_bytes = 0x400, .lead_bytes = 4096, .stride_bytes = 512, .mode = SWIZZLE_128B_ATOM32};
static const struct smem_desc k_major_plain = {.start_bytes = 0x400, .lead_bytes = 128, .stride_bytes = 256, .mode = SWIZZLE_NONE};

static void the_worked_descriptors_encode_to_their_words(void **state)
{
    (void)state;
    static const struct { const char *what; struct smem_desc desc; uint64_t word; } rows[] = {
        {"f16 K-major 128B", {0x400, 16, 1024, 0, false, SWIZZLE_128B}, 0x4000404000010040},
        {"f16 K-major 128B, second K step", {0x420, 16, 1024, 0, false, SWIZZLE_128B}, 0x4000404000010042},
        {"f16 MN-major 128B", {0x400, 8192, 1024, 0, false, SWIZZLE_128B}, 0x4000404002000040},
        {"tf32 MN-major 128B with 32-byte atom", {0x400, 4096, 512, 0, false, SWIZZLE_128B_ATOM32}, 0x2000402001000040},
        {"f16 K-major without swizzle", {0x400, 128, 256, 0, false, SWIZZLE_NONE}, 0x0000401000080040},
        {"scale factors for tcgen05.cp", {0x2000, 0, 128, 0, false, SWIZZLE_NONE}, 0x0000400800000200},
        {"a symbol with cluster rank 1", {0x01000400, 16, 1024, 0, false, SWIZZLE_128B}, 0x4000404000010040},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint64_t word = tw_smem_desc_encode(SMEM_DESC_TCGEN05, &rows[i].desc);
        if (word != rows[i].word)
            fail_msg("%s: %016llx, wanted %016llx", rows[i].what, (unsigned long long)word, (unsigned long long)rows[i].word);
    }
}

static void decoding_gives_back_what_was_encoded(void **state)
{
    (void)state;
    const struct smem_desc *cases[] = {&k_major_128b, &mn_major_128b, &tf32_mn_major, &k_major_plain};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct smem_desc back;
        struct smem_fault_list faults;
        assert_true(tw_smem_desc_decode(SMEM_DESC_TCGEN05, tw_smem_desc_encode(SMEM_DESC_TCGEN05, cases[i]), &back, &faults));
        assert_int_equal(back.start_bytes, cases[i]->start_bytes);
        assert_int_equal(back.lead_bytes, cases[i]->lead_bytes);
        assert_int_equal(back.stride_bytes, cases[i]->stride_bytes);
        assert_int_equal(back.mode, cases[i]->mode);
        assert_int_equal(back.base_offset, 0);
        assert_false(back.lead_absolute);
    }
}

static void every_bit_of_a_word_is_in_exactly_one_field(void **state)
{
    (void)state;
    for (int arch = 0; arch < SMEM_DESC_ARCH_COUNT; arch++) {
        const struct smem_field_list fields = tw_smem_desc_fields((enum smem_desc_arch)arch);
        unsigned next = 0;
        for (size_t i = 0; i < fields.count; i++) {
            assert_int_equal(fields.at[i].low, next);
            next += fields.at[i].width;
        }
        assert_int_equal(next, 64);
    }
}

static void each_illegal_field_is_named(void **state)
{
    (void)state;
    static const struct { const char *what; enum smem_desc_arch arch; uint64_t word; const char *field, *expected; uint32_t found; } rows[] = {
        {"bit 46 clear", SMEM_DESC_TCGEN05, 0x4000004000010040, "bits 48:46", "1", 0},
        {"bits 47:46 both set", SMEM_DESC_TCGEN05, 0x4000C04000010040, "bits 48:46", "1", 3},
        {"bit 14", SMEM_DESC_TCGEN05, 0x4000404000014040, "bits 15:14", "0", 1},
        {"bit 31", SMEM_DESC_TCGEN05, 0x4000404080010040, "bits 31:30", "0", 2},
        {"bit 53", SMEM_DESC_TCGEN05, 0x4020404000010040, "bits 60:53", "0", 1},
        {"base offset 5", SMEM_DESC_TCGEN05, 0x400A404000010040, "base offset", "0 (the pattern starts on its own boundary)", 5},
        {"layout 3", SMEM_DESC_TCGEN05, 0x6000404000010040, "layout", "0 none, 1 128B with 32B atom, 2 128B, 4 64B, 6 32B", 3},
        {"layout 5", SMEM_DESC_TCGEN05, 0xA000404000010040, "layout", "0 none, 1 128B with 32B atom, 2 128B, 4 64B, 6 32B", 5},
        {"layout 7", SMEM_DESC_TCGEN05, 0xE000404000010040, "layout", "0 none, 1 128B with 32B atom, 2 128B, 4 64B, 6 32B", 7},
        {"the tcgen05 constant in a wgmma word", SMEM_DESC_WGMMA, 0x4000404000010040, "bits 48:46", "0", 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct smem_desc desc;
        struct smem_fault_list faults;
        assert_false(tw_smem_desc_decode(rows[i].arch, rows[i].word, &desc, &faults));
        if (faults.count != 1 || strcmp(faults.at[0].field->name, rows[i].field) != 0)
            fail_msg("%s: %zu faults, the first at %s", rows[i].what, faults.count, faults.at[0].field->name);
        assert_string_equal(faults.at[0].expected, rows[i].expected);
        assert_int_equal(faults.at[0].found, rows[i].found);
    }
}

/* The word is what Triton writes for scales 512 bytes into a buffer (corpus/triton, scaled_nvfp4_desc.sm_100). */
static void a_base_offset_without_a_swizzle_has_no_effect(void **state)
{
    (void)state;
    struct smem_desc desc;
    struct smem_fault_list faults;
    assert_true(tw_smem_desc_decode(SMEM_DESC_TCGEN05, 0x0008400800000c60, &desc, &faults));
    assert_int_equal(desc.base_offset, 4);
    assert_int_equal(desc.start_bytes, 0xc600);
    for (uint32_t row = 0; row < 32; row++)
        for (uint32_t byte = 0; byte < 16; byte++)
            assert_int_equal(tw_smem_k_addr(&desc, row, byte), 0xc600 + row % 8 * 16 + row / 8 * 128 + byte);
}

static void wgmma_words_have_their_own_layout_codes_and_a_base_offset(void **state)
{
    (void)state;
    static const struct { enum swizzle_mode mode; uint64_t top; } rows[] = {
        {SWIZZLE_NONE, 0}, {SWIZZLE_128B, 1}, {SWIZZLE_64B, 2}, {SWIZZLE_32B, 3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct smem_desc d = {.start_bytes = 0x1000, .lead_bytes = 16, .stride_bytes = 1024, .base_offset = 3, .mode = rows[i].mode};
        const uint64_t word = tw_smem_desc_encode(SMEM_DESC_WGMMA, &d);
        assert_int_equal(word >> 62, rows[i].top);
        struct smem_desc back;
        struct smem_fault_list faults;
        assert_true(tw_smem_desc_decode(SMEM_DESC_WGMMA, word, &back, &faults));
        assert_int_equal(back.mode, rows[i].mode);
        assert_int_equal(back.base_offset, 3);
    }
    assert_int_equal(tw_smem_layout_code(SMEM_DESC_WGMMA, SWIZZLE_128B_ATOM32), -1);
}

static void k_major_addresses_are_the_worked_ones(void **state)
{
    (void)state;
    static const struct { const struct smem_desc *desc; uint32_t row, k, addr; } rows[] = {
        {&k_major_128b, 0, 0, 0x400},   {&k_major_128b, 0, 8, 0x410},   {&k_major_128b, 1, 0, 0x490},
        {&k_major_128b, 1, 8, 0x480},   {&k_major_128b, 7, 63, 0x78e},  {&k_major_128b, 8, 0, 0x800},
        {&k_major_128b, 10, 17, 0x902}, {&k_major_128b, 127, 63, 0x438e},
        {&k_major_plain, 0, 8, 0x480},  {&k_major_plain, 1, 0, 0x410},  {&k_major_plain, 8, 0, 0x500},
        {&k_major_plain, 9, 9, 0x592},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_smem_k_addr(rows[i].desc, rows[i].row, 2 * rows[i].k), rows[i].addr);
    const struct smem_desc at_1000 = {.start_bytes = 0x1000, .stride_bytes = 1024, .mode = SWIZZLE_128B};
    assert_int_equal(tw_smem_k_addr(&at_1000, 3, 32), 0x1190);
}

static void a_k_step_inside_a_swizzled_row_is_the_plain_distance_added_to_the_start(void **state)
{
    (void)state;
    static const enum swizzle_mode modes[] = {SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B};
    for (size_t m = 0; m < COUNT(modes); m++) {
        const uint32_t width = tw_swizzle_mode_row(modes[m])->row_bytes;
        const struct smem_desc whole = {.start_bytes = 0x2000, .stride_bytes = 8 * width, .mode = modes[m]};
        for (uint32_t step = 0; step < width; step += 32)
            for (uint32_t row = 0; row < 64; row++)
                for (uint32_t byte = 0; byte < 32; byte++) {
                    struct smem_desc part = whole;
                    part.start_bytes += step;
                    assert_int_equal(tw_smem_k_addr(&part, row, byte), tw_smem_k_addr(&whole, row, step + byte));
                }
    }
    const struct smem_desc second = {.start_bytes = 0x420, .stride_bytes = 1024, .mode = SWIZZLE_128B};
    assert_int_equal(tw_smem_k_addr(&second, 1, 0), 0x4b0);
}

static void mn_major_addresses_are_the_worked_ones(void **state)
{
    (void)state;
    static const struct { const struct smem_desc *desc; uint32_t bytes, m, k, addr; } rows[] = {
        {&mn_major_128b, 2, 0, 0, 0x400},  {&mn_major_128b, 2, 1, 0, 0x402},   {&mn_major_128b, 2, 8, 0, 0x410},
        {&mn_major_128b, 2, 63, 0, 0x47e}, {&mn_major_128b, 2, 64, 0, 0x2400}, {&mn_major_128b, 2, 0, 1, 0x490},
        {&mn_major_128b, 2, 0, 8, 0x800},  {&mn_major_128b, 2, 9, 3, 0x5a2},   {&mn_major_128b, 2, 127, 63, 0x438e},
        {&tf32_mn_major, 4, 0, 0, 0x400},  {&tf32_mn_major, 4, 8, 0, 0x420},   {&tf32_mn_major, 4, 0, 1, 0x4a0},
        {&tf32_mn_major, 4, 8, 1, 0x480},  {&tf32_mn_major, 4, 16, 2, 0x500},  {&tf32_mn_major, 4, 31, 3, 0x59c},
        {&tf32_mn_major, 4, 32, 0, 0x1400}, {&tf32_mn_major, 4, 0, 4, 0x600},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_smem_mn_addr(rows[i].desc, rows[i].bytes, rows[i].m, rows[i].k), rows[i].addr);
}

static void without_swizzle_an_mn_major_operand_exchanges_the_two_strides(void **state)
{
    (void)state;
    const struct smem_desc d = {.start_bytes = 0x400, .lead_bytes = 0x1000, .stride_bytes = 0x80, .mode = SWIZZLE_NONE};
    assert_int_equal(tw_smem_mn_addr(&d, 2, 8, 0), 0x480);  /* the next eight rows: stride */
    assert_int_equal(tw_smem_mn_addr(&d, 2, 0, 8), 0x1400); /* the next eight of K: lead */
    assert_int_equal(tw_smem_mn_addr(&d, 2, 3, 5), 0x400 + 6 + 5 * 16);
}

static void a_dense_k_major_tile_covers_each_byte_once(void **state)
{
    (void)state;
    static const enum swizzle_mode modes[] = {SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B};
    for (size_t m = 0; m < COUNT(modes); m++) {
        uint8_t seen[128 * 128] = {0};
        const uint32_t width = tw_swizzle_mode_row(modes[m])->row_bytes;
        const struct smem_desc d = {.start_bytes = 0x400, .stride_bytes = 8 * width, .mode = modes[m]};
        for (uint32_t row = 0; row < 128; row++)
            for (uint32_t byte = 0; byte < width; byte++)
                seen[tw_smem_k_addr(&d, row, byte) - 0x400]++;
        for (uint32_t i = 0; i < 128 * width; i++)
            assert_int_equal(seen[i], 1);
    }
}

/* MEASURED on sm_90: with base offset (start >> 7) & 7 the pattern is relative to the start. */
static void a_base_offset_moves_the_phase_of_the_pattern(void **state)
{
    (void)state;
    for (uint32_t phase = 0; phase < 8; phase++) {
        const struct smem_desc d = {.start_bytes = 0x2000 + 128 * phase, .stride_bytes = 1024, .base_offset = (uint8_t)phase, .mode = SWIZZLE_128B};
        const struct smem_desc aligned = {.start_bytes = 0x2000, .stride_bytes = 1024, .mode = SWIZZLE_128B};
        for (uint32_t row = 0; row < 8; row++)
            if (row + phase < 8) /* inside one span the permutation is that of the aligned tile */
                assert_int_equal(tw_smem_k_addr(&d, row, 16) & 0x70, tw_smem_k_addr(&aligned, row, 16) & 0x70);
    }
}

static void an_absolute_leading_address_takes_over_after_the_row_ends(void **state)
{
    (void)state;
    const struct smem_desc d = {.start_bytes = 0x460, .lead_bytes = 0x8000, .stride_bytes = 1024, .lead_absolute = true, .mode = SWIZZLE_128B};
    assert_int_equal(tw_smem_k_addr(&d, 0, 0), 0x460);
    assert_int_equal(tw_smem_k_addr(&d, 0, 31), 0x47f);
    assert_int_equal(tw_smem_k_addr(&d, 0, 32), 0x8000);
    assert_int_equal(tw_smem_k_addr(&d, 1, 32), 0x8090);
}

static void layouts_are_refused_for_elements_that_they_cannot_hold(void **state)
{
    (void)state;
    static const struct { unsigned bits; bool mn; uint32_t legal; } rows[] = {
        {4, false, 0x0f}, {6, false, 0x0f}, {8, false, 0x0f}, {16, false, 0x0f}, {32, false, 0x0f},
        {4, true, 0x00},  {6, true, 0x00},  {8, true, 0x0f},  {16, true, 0x0f},  {32, true, 0x10},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned mode = 0; mode < SWIZZLE_MODE_COUNT; mode++)
            assert_int_equal(tw_smem_layout_refusal((enum swizzle_mode)mode, rows[i].bits, rows[i].mn) == NULL, rows[i].legal >> mode & 1);
    assert_string_equal(tw_smem_layout_refusal(SWIZZLE_128B, 32, true), "MN-major 32-bit elements need the 128B layout with 32-byte atom");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_descriptors_encode_to_their_words),
        cmocka_unit_test(decoding_gives_back_what_was_encoded),
        cmocka_unit_test(every_bit_of_a_word_is_in_exactly_one_field),
        cmocka_unit_test(each_illegal_field_is_named),
        cmocka_unit_test(a_base_offset_without_a_swizzle_has_no_effect),
        cmocka_unit_test(wgmma_words_have_their_own_layout_codes_and_a_base_offset),
        cmocka_unit_test(k_major_addresses_are_the_worked_ones),
        cmocka_unit_test(a_k_step_inside_a_swizzled_row_is_the_plain_distance_added_to_the_start),
        cmocka_unit_test(mn_major_addresses_are_the_worked_ones),
        cmocka_unit_test(without_swizzle_an_mn_major_operand_exchanges_the_two_strides),
        cmocka_unit_test(a_dense_k_major_tile_covers_each_byte_once),
        cmocka_unit_test(a_base_offset_moves_the_phase_of_the_pattern),
        cmocka_unit_test(an_absolute_leading_address_takes_over_after_the_row_ends),
        cmocka_unit_test(layouts_are_refused_for_elements_that_they_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
