/* The two seed kernels as PTX: the instructions asked for, in text that assembles. */
#include "emit/assemble.h"
#include "tile/kernels.h"

static void expect_count(const char *text, const char *part, uint32_t want)
{
    const uint32_t found = count_text(text, part);
    if (found != want)
        fail_msg("'%s': want %u, found %u in\n%s", part, want, found, text);
}

/* SOURCE: kernel-language-tile 7.5: idesc 0x08100010, descriptors 0x40004040 above (address >> 4) + 2k. */
static void tensor_mma_issues_four_mma_instructions(void **state)
{
    struct bench_room *room = *state;
    const char *text = emit_text(room, tensor_mma_kernel(room).d.k, "sm_100a");
    expect_count(text, "tcgen05.mma.cta_group::1.kind::f16 ", 4);
    expect_count(text, ", 135266320, 0;", 1); /* 0x08100010, accumulate false */
    expect_count(text, ", 135266320, 1;", 3);
    expect_count(text, "4611756662049472512;", 8); /* 0x4000404000000000 */
    expect_count(text, "tcgen05.ld.sync.aligned.32x32b.x64.b32 ", 1);
    expect_count(text, "tcgen05.commit", 1);
    expect_count(text, "tcgen05.wait::ld.sync.aligned;", 1);
    expect_count(text, "bar.sync 0;", 2);
    expect_count(text, "st.global.f32 ", 64);
    expect_count(text, "elect", 0);
}

static void tensor_mma_declares_its_launch_and_memory(void **state)
{
    struct bench_room *room = *state;
    const char *text = emit_text(room, tensor_mma_kernel(room).d.k, "sm_100a");
    expect_count(text, ".version 8.8\n.target sm_100a\n", 1);
    expect_count(text, ".visible .entry tensor_mma(\n", 1);
    expect_count(text, ".reqntid 128, 1, 1\n", 1);
    expect_count(text, ".shared .align 1024 .b8 a_shared[16384];", 1);
    expect_count(text, ".shared .align 1024 .b8 b_shared[8192];", 1);
    expect_count(text, ".shared .align 8 .b8 mbar_shared[8];", 1);
}

static void tensor_mma_assembles(void **state)
{
    struct bench_room *room = *state;
    expect_assembles(emit_text(room, tensor_mma_kernel(room).d.k, "sm_100a"), "sm_100a");
}

/* The whole body; the fragment loads and the product are those of the document. */
static void warp_mma_is_two_mma_instructions_on_its_own_registers(void **state)
{
    struct bench_room *room = *state;
    const char *text = emit_text(room, warp_mma_kernel(room).d.k, "sm_80");
    expect_count(text, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ", 2);
    expect_count(text, "ld.global.b32 ", 12);
    expect_count(text, "st.global.f32 ", 4);
    expect_count(text, "bra", 0); /* every loop indexes registers */
    const char *first = strstr(text, "mma.sync"), *second = strstr(first + 1, "mma.sync");
    char d_first[64], c_second[64];
    assert_int_equal(sscanf(first, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%63[^}]}", d_first), 1);
    assert_int_equal(sscanf(second, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%*[^}]}, {%*[^}]}, {%*[^}]}, {%63[^}]}", c_second), 1);
    assert_string_equal(d_first, c_second);
}

static void warp_mma_assembles_for_ampere_hopper_and_blackwell(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(targets); i++)
        expect_assembles(emit_text(room, warp_mma_kernel(room).d.k, targets[i]), targets[i]);
}

/* What we print is what we would read: one structure either way. */
static void the_text_parses_back_to_the_same_module(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    struct ir_kernel *kernels[] = {tensor_mma_kernel(room).d.k, warp_mma_kernel(room).d.k};
    for (size_t i = 0; i < COUNT(kernels); i++) {
        assert_true(tw_tile_lower(kernels[i], isa, &room->diags));
        const struct ptx_module *built = tw_emit_ptx(kernels[i], isa, &room->diags, NULL);
        struct text text;
        const char *why = NULL;
        tw_text_init(&text, &room->arena);
        tw_ptx_print(built, &text);
        const uint32_t file = tw_sources_add(&room->sources, "k.ptx", tw_str(text.at));
        const struct ptx_module *read = tw_ptx_parse(&room->arena, isa, &room->diags, file);
        tw_test_expect_diags(room, "");
        if (!tw_ptx_module_equal(built, read, &room->arena, &why))
            fail_msg("%s", why);
    }
}

static void a_target_without_tensor_memory_is_refused_by_name(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k = tensor_mma_kernel(room).d.k;
    const struct isa *isa = tw_isa_open(&room->arena);
    assert_true(tw_tile_lower(k, isa, &room->diags));
    assert_null(tw_emit_ptx(k, isa, &room->diags, &(struct emit_options){.target = "sm_90a"}));
    assert_non_null(strstr(tw_test_diags(room), "tcgen05.alloc"));
}

/* The launch contract says what a caller must hand over. */
static void the_contract_lists_entry_launch_and_arguments(void **state)
{
    struct bench_room *room = *state;
    struct text out;
    tw_text_init(&out, &room->arena);
    tw_contract_write(tw_emit_contract(tensor_mma_kernel(room).d.k), &out);
    assert_string_equal(out.at, "{\n"
                                "  \"entry\": \"tensor_mma\",\n"
                                "  \"grid\": [1, 1, 1], \"block\": [128, 1, 1], \"cluster\": [1, 1, 1],\n"
                                "  \"dynamic_shared_bytes\": 0,\n"
                                "  \"args\": [\n"
                                "    {\"name\": \"A\", \"kind\": \"tensor\", \"dtype\": \"float16\", \"shape\": [128, 64]},\n"
                                "    {\"name\": \"B\", \"kind\": \"tensor\", \"dtype\": \"float16\", \"shape\": [64, 64]},\n"
                                "    {\"name\": \"Out\", \"kind\": \"tensor\", \"dtype\": \"float32\", \"shape\": [128, 64]}\n"
                                "  ]\n"
                                "}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(tensor_mma_issues_four_mma_instructions),
        ROOM_TEST(tensor_mma_declares_its_launch_and_memory),
        ROOM_TEST(tensor_mma_assembles),
        ROOM_TEST(warp_mma_is_two_mma_instructions_on_its_own_registers),
        ROOM_TEST(warp_mma_assembles_for_ampere_hopper_and_blackwell),
        ROOM_TEST(the_text_parses_back_to_the_same_module),
        ROOM_TEST(a_target_without_tensor_memory_is_refused_by_name),
        ROOM_TEST(the_contract_lists_entry_launch_and_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
