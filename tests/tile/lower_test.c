/* The kernels of the two seed documents, lowered: exactly the instructions asked for, with the words that the
 * documents and the descriptor tables give. */
#include "tile/kernels.h"

#include "tile/tile.h"
#include "tile/words.h"

static struct lowered lower(struct ir_kernel *k, struct bench_room *room)
{
    return lower_kernel(k, room);
}

static void seed_000_becomes_four_mma_instructions_and_one_load(void **state)
{
    struct bench_room *room = *state;
    const struct tensor_mma s = tensor_mma_kernel(room);
    const struct lowered l = lower(s.d.k, room);
    assert_int_equal(count_instructions(&l, "tcgen05.mma.cta_group::1.kind::f16"), 4);
    assert_int_equal(count_instructions(&l, "tcgen05.ld.sync.aligned.32x32b.x64.b32"), 1);
    /* What the program wrote itself, and nothing else. */
    assert_int_equal(l.count, 4 + 1 + 8);
}

/* SOURCE: seed 000: "accum=False applies to the first K issue only; later issues enable D input". */
static void only_the_first_k_step_reads_the_accum_parameter(void **state)
{
    struct bench_room *room = *state;
    const struct tensor_mma s = tensor_mma_kernel(room);
    const struct lowered l = lower(s.d.k, room);
    static const uint64_t want[] = {0, 1, 1, 1};
    for (uint32_t i = 0; i < 4; i++) {
        const struct ir_ptx *mma = instruction(&l, "tcgen05.mma.cta_group::1.kind::f16", i);
        assert_int_equal(word_of(&mma->operands[4], 0), want[i]);
    }
}

/* SOURCE: kernel-language-tile 7.5: high word 0x40004040, low word (address >> 4) + 2k, idesc 0x08100010. */
static void seed_000_gets_the_words_of_the_document(void **state)
{
    struct bench_room *room = *state;
    const struct tensor_mma s = tensor_mma_kernel(room);
    const struct lowered l = lower(s.d.k, room);
    const uint32_t address = 0x400;
    for (uint32_t k = 0; k < 4; k++) {
        const struct ir_ptx *mma = instruction(&l, "tcgen05.mma.cta_group::1.kind::f16", k);
        assert_int_equal(word_of(&mma->operands[1], address), 0x4000404000000000u + (address >> 4) + 2 * k);
        assert_int_equal(word_of(&mma->operands[2], address), 0x4000404000000000u + (address >> 4) + 2 * k);
        assert_int_equal(word_of(&mma->operands[3], 0), 0x08100010);
    }
}

/* A CTA's shared symbols carry its rank in the cluster above bit 18; a descriptor has no room for it. */
static void descriptors_mask_the_cluster_rank_out_of_shared_addresses(void **state)
{
    struct bench_room *room = *state;
    const struct tensor_mma s = tensor_mma_kernel(room);
    const struct lowered l = lower(s.d.k, room);
    const struct ir_ptx *mma = instruction(&l, "tcgen05.mma.cta_group::1.kind::f16", 3);
    assert_int_equal(word_of(&mma->operands[1], 0x03000400), 0x4000404000000046u);
}

/* Warp w of the warpgroup reads lanes 32w on: address = base + (32 w << 16). */
static void the_load_names_the_lanes_of_its_warp(void **state)
{
    struct bench_room *room = *state;
    const struct tensor_mma s = tensor_mma_kernel(room);
    const struct lowered l = lower(s.d.k, room);
    const struct ir_ptx *ld = instruction(&l, "tcgen05.ld.sync.aligned.32x32b.x64.b32", 0);
    assert_int_equal(ld->operands[0].item_count, 64);
    for (uint32_t r = 0; r < 64; r++)
        assert_int_equal(ld->operands[0].items[r].expr->bits, r);
    for (uint32_t warp = 0; warp < 4; warp++) {
        struct word_env env = {.tmem_base = 0x40, .warp = warp};
        assert_int_equal(evaluate(ld->operands[1].expr, &env), 0x40 + ((32 * warp) << 16));
    }
}

static void expect_slots(const struct ir_ptx_operand *o, uint32_t count, const uint64_t *slots)
{
    assert_int_equal(o->item_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(o->items[i].expr->op, IR_SLOT);
        assert_int_equal(o->items[i].expr->bits, slots[i]);
    }
}

/* SOURCE: seed 003: two K16 issues; "the first uses scalar C=0; the second uses the preceding D registers". */
static void seed_003_becomes_two_mma_instructions(void **state)
{
    struct bench_room *room = *state;
    const struct warp_mma s = warp_mma_kernel(room);
    const struct lowered l = lower(s.d.k, room);
    static const uint64_t d[] = {0, 1, 2, 3}, a[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}}, b[2][2] = {{0, 1}, {2, 3}};
    assert_int_equal(l.count, 2);
    for (uint32_t k = 0; k < 2; k++) {
        const struct ir_ptx *mma = instruction(&l, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", k);
        expect_slots(&mma->operands[0], 4, d);
        expect_slots(&mma->operands[1], 4, a[k]);
        expect_slots(&mma->operands[2], 2, b[k]);
        if (k == 1)
            expect_slots(&mma->operands[3], 4, d);
    }
    const struct ir_ptx_operand *c = &instruction(&l, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0)->operands[3];
    assert_int_equal(c->item_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(c->items[i].expr->op == IR_CONST && c->items[i].expr->bits == 0);
}

static void lowered_ir_is_sound_and_has_no_tile_operation_left(void **state)
{
    struct bench_room *room = *state;
    struct text why;
    tw_text_init(&why, &room->arena);
    const struct tensor_mma t = tensor_mma_kernel(room);
    const struct warp_mma w = warp_mma_kernel(room);
    lower(t.d.k, room);
    lower(w.d.k, room);
    if (!tw_ir_verify(t.d.k, &why) || !tw_ir_verify(w.d.k, &why))
        fail_msg("%s", why.at);
}

/* The loop that fills shared memory stays a loop; those that index registers are gone. */
static void only_loops_over_registers_are_unrolled(void **state)
{
    struct bench_room *room = *state;
    const struct tensor_mma s = tensor_mma_kernel(room);
    lower(s.d.k, room);
    uint32_t loops = 0;
    for (uint32_t i = 0; i < s.d.k->body.list.len; i++)
        loops += s.d.k->body.list.at[i]->op == IR_FOR;
    assert_int_equal(loops, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(seed_000_becomes_four_mma_instructions_and_one_load),
        ROOM_TEST(only_the_first_k_step_reads_the_accum_parameter),
        ROOM_TEST(seed_000_gets_the_words_of_the_document),
        ROOM_TEST(descriptors_mask_the_cluster_rank_out_of_shared_addresses),
        ROOM_TEST(the_load_names_the_lanes_of_its_warp),
        ROOM_TEST(seed_003_becomes_two_mma_instructions),
        ROOM_TEST(lowered_ir_is_sound_and_has_no_tile_operation_left),
        ROOM_TEST(only_loops_over_registers_are_unrolled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
