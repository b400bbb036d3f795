/* mma.sync through tile.apply: the fragment maps, the recurrence over K, the order of repeats, permuted slots.
 * SOURCE: seed 003; kernel-language-tile 7.4. */
#include "tile/kernels.h"

#include "tile/words.h"

#define K16 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#define K8 "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"

/* Registers of A, B and D for `m`, `n`, `k` repeats of m16n8k16, slots in repeat order. */
struct operands {
    struct tensor a, b, d;
};

static struct operands k16_operands(struct draft *d, int64_t m, int64_t n, int64_t k)
{
    struct operands o;
    o.a = draft_tensor(d, "ar", IR_LOCAL, NUM_U32, DIMS(4 * m * k), NULL);
    o.b = draft_tensor(d, "br", IR_LOCAL, NUM_U32, DIMS(2 * n * k), NULL);
    o.d = draft_tensor(d, "dr", IR_LOCAL, NUM_F32, DIMS(4 * m * n), NULL);
    o.a = relayout(d, o.a, SHARD(d, M_(m, 4 * k), M_(k, 4), M_(2, 1), LANE_(8, 4), M_(2, 2), LANE_(4, 1)), DIMS(m, k, 16, 8));
    o.b = relayout(d, o.b, SHARD(d, M_(n, 2 * k), M_(k, 2), LANE_(8, 4), M_(2, 1), LANE_(4, 1)), DIMS(n, k, 8, 8));
    o.d = relayout(d, o.d, SHARD(d, M_(m, 4 * n), M_(n, 4), M_(2, 2), LANE_(8, 4), LANE_(4, 1), M_(2, 1)), DIMS(m, n, 16, 8));
    return o;
}

static void expect_slots(const char *what, const struct ir_ptx_operand *o, uint32_t count, const uint64_t *want)
{
    assert_int_equal(o->item_count, count);
    for (uint32_t i = 0; i < count; i++)
        if (o->items[i].expr->op != IR_SLOT || o->items[i].expr->bits != want[i])
            fail_msg("%s, register %u: want slot %llu, got %llu", what, i, (unsigned long long)want[i], (unsigned long long)o->items[i].expr->bits);
}

static void repeats_expand_in_the_order_m_n_k(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct operands o = k16_operands(&d, 2, 3, 2);
    tile(&d, K16, IR_WARP_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b), scalar(typed(&d, tw_ir_float32(), 0))),
         NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 2 * 3 * 2);
    for (uint32_t i = 0; i < l.count; i++) {
        const uint64_t m = i / 6, n = i / 2 % 3, k = i % 2;
        const uint64_t first_d = 4 * (3 * m + n), first_a = 4 * (2 * m + k), first_b = 2 * (2 * n + k);
        expect_slots("D", &l.at[i]->operands[0], 4, (const uint64_t[]){first_d, first_d + 1, first_d + 2, first_d + 3});
        expect_slots("A", &l.at[i]->operands[1], 4, (const uint64_t[]){first_a, first_a + 1, first_a + 2, first_a + 3});
        expect_slots("B", &l.at[i]->operands[2], 2, (const uint64_t[]){first_b, first_b + 1});
    }
}

static void a_tensor_c_is_read_at_the_first_k_step_alone(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct operands o = k16_operands(&d, 1, 1, 3);
    struct tensor c = draft_tensor(&d, "cr", IR_LOCAL, NUM_F32, DIMS(4), NULL);
    c = relayout(&d, c, SHARD(&d, M_(2, 2), LANE_(8, 4), LANE_(4, 1), M_(2, 1)), DIMS(1, 1, 16, 8));
    tile(&d, K16, IR_WARP_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b), whole(&d, &c)), NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 3);
    for (uint32_t k = 0; k < 3; k++)
        assert_ptr_equal(l.at[k]->operands[3].items[0].expr->storage, k == 0 ? c.storage : o.d.storage);
}

/* "Local offsets can be strided; lane ownership must match": the slot of each register is the layout's m. */
static void slots_may_be_permuted_and_strided(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct operands o = k16_operands(&d, 1, 1, 1);
    struct tensor wide = draft_tensor(&d, "wide", IR_LOCAL, NUM_U32, DIMS(16), NULL);
    o.a = relayout(&d, wide, SHARD(&d, M_(2, 2), LANE_(8, 4), M_(2, 5), LANE_(4, 1)), DIMS(1, 1, 16, 8));
    tile(&d, K16, IR_WARP_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b), scalar(typed(&d, tw_ir_float32(), 0))),
         NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    /* register r is row half r%2 (stride 2) and word half r/2 (stride 5) */
    expect_slots("A", &l.at[0]->operands[1], 4, (const uint64_t[]){0, 2, 5, 7});
}

/* The two-warp kernel of kernel-language-tile 7.4: one warp axis, m16n8k8, bf16. */
static struct ir_tile *pair_mma(struct draft *d)
{
    struct tensor a = draft_tensor(d, "a", IR_LOCAL, NUM_U32, DIMS(2), NULL), b = draft_tensor(d, "b", IR_LOCAL, NUM_U32, DIMS(1), NULL);
    struct tensor c = draft_tensor(d, "d", IR_LOCAL, NUM_F32, DIMS(4), NULL);
    a = relayout(d, a, SHARD(d, {2, 1, AXIS_WARPID}, M_(1, 2), M_(1, 2), M_(2, 1), LANE_(8, 4), LANE_(4, 1)), DIMS(2, 1, 1, 16, 4));
    b = relayout(d, b, SHARD(d, {2, 1, AXIS_WARPID}, M_(1, 1), M_(1, 1), LANE_(8, 4), LANE_(4, 1)), DIMS(2, 1, 1, 8, 4));
    c = relayout(d, c, SHARD(d, {2, 1, AXIS_WARPID}, M_(1, 4), M_(1, 4), M_(2, 2), LANE_(8, 4), LANE_(4, 1), M_(2, 1)),
                 DIMS(2, 1, 1, 16, 8));
    return tile(d, K8, IR_CTA_SCOPE, ARGS(whole(d, &c), whole(d, &a), whole(d, &b), whole(d, &c)), NO_ARGS);
}

static void at_cta_scope_the_first_axis_is_the_warp(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "pair_mma", 64);
    pair_mma(&d);
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 1); /* one instruction in the code; both warps execute it */
    expect_slots("A", &l.at[0]->operands[1], 2, (const uint64_t[]){0, 1});
    expect_slots("B", &l.at[0]->operands[2], 1, (const uint64_t[]){0});
    expect_slots("D", &l.at[0]->operands[0], 4, (const uint64_t[]){0, 1, 2, 3});
}

/* "inside `if warp < 2:` at cta scope the warp axis has extent 2" */
static void a_guard_by_warp_sets_the_extent_of_the_warp_axis(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "pair_mma", 256);
    struct ir_var *warp = define(&d, "warp", tw_ir_coord(d.k, IR_WARP_ID, nowhere));
    when(&d, binary(&d, IR_LT, use(&d, warp), num(&d, 2)));
    pair_mma(&d);
    assert_int_equal(lower_kernel(d.k, room).count, 1);
}

/* At cluster scope CTA coordinates come first, z, y, x, leading ones of extent 1 left out. */
static void at_cluster_scope_the_cta_axes_stand_before_the_warp(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 64);
    d.k->launch.has_cluster = true;
    d.k->launch.cluster[0] = 2;
    struct tensor a = draft_tensor(&d, "a", IR_LOCAL, NUM_U32, DIMS(2), NULL), b = draft_tensor(&d, "b", IR_LOCAL, NUM_U32, DIMS(1), NULL);
    struct tensor c = draft_tensor(&d, "d", IR_LOCAL, NUM_F32, DIMS(4), NULL);
    a = relayout(&d, a, SHARD(&d, {2, 1, AXIS_CBX}, {2, 1, AXIS_WARPID}, M_(2, 1), LANE_(8, 4), LANE_(4, 1)), DIMS(2, 2, 1, 1, 16, 4));
    b = relayout(&d, b, SHARD(&d, {2, 1, AXIS_CBX}, {2, 1, AXIS_WARPID}, LANE_(8, 4), LANE_(4, 1)), DIMS(2, 2, 1, 1, 8, 4));
    c = relayout(&d, c, SHARD(&d, {2, 1, AXIS_CBX}, {2, 1, AXIS_WARPID}, M_(2, 2), LANE_(8, 4), LANE_(4, 1), M_(2, 1)),
                 DIMS(2, 2, 1, 1, 16, 8));
    tile(&d, K8, IR_CLUSTER_SCOPE, ARGS(whole(&d, &c), whole(&d, &a), whole(&d, &b), whole(&d, &c)), NO_ARGS);
    assert_int_equal(lower_kernel(d.k, room).count, 1);
}

static void a_run_time_scalar_c_is_read_once_before_the_first_instruction(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct operands o = k16_operands(&d, 1, 2, 1);
    const struct tensor slots = relayout(&d, o.d, NULL, DIMS(8));
    struct ir_expr *c = tw_ir_load(d.k, AT(&d, slots, num(&d, 0)), nowhere); /* the first instruction overwrites it */
    tile(&d, K16, IR_WARP_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b), scalar(c)), NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 2);
    assert_int_equal(d.k->body.list.at[0]->op, IR_DEFINE);
    for (uint32_t i = 0; i < 2; i++)
        assert_ptr_equal(l.at[i]->operands[3].items[0].expr->var, d.k->body.list.at[0]->var);
}

static void batch_axes_stand_before_the_repeats(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct operands o = k16_operands(&d, 2, 2, 2); /* taken as two batches of one repeat each where only M, N differ */
    o.a = reshape(&d, o.a, DIMS(2, 1, 2, 16, 8));
    o.b = reshape(&d, o.b, DIMS(2, 1, 2, 8, 8));
    o.d = reshape(&d, relayout(&d, o.d, SHARD(&d, M_(2, 4), M_(2, 2), LANE_(8, 4), LANE_(4, 1), M_(2, 1)), DIMS(2, 16, 8)),
                  DIMS(2, 1, 1, 16, 8));
    tile(&d, K16, IR_WARP_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b), scalar(typed(&d, tw_ir_float32(), 0))),
         NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t batch = i / 2, k = i % 2;
        expect_slots("D", &l.at[i]->operands[0], 4, (const uint64_t[]){4 * batch, 4 * batch + 1, 4 * batch + 2, 4 * batch + 3});
        expect_slots("B", &l.at[i]->operands[2], 2, (const uint64_t[]){4 * batch + 2 * k, 4 * batch + 2 * k + 1});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(repeats_expand_in_the_order_m_n_k),
        ROOM_TEST(a_tensor_c_is_read_at_the_first_k_step_alone),
        ROOM_TEST(slots_may_be_permuted_and_strided),
        ROOM_TEST(at_cta_scope_the_first_axis_is_the_warp),
        ROOM_TEST(a_guard_by_warp_sets_the_extent_of_the_warp_axis),
        ROOM_TEST(at_cluster_scope_the_cta_axes_stand_before_the_warp),
        ROOM_TEST(a_run_time_scalar_c_is_read_once_before_the_first_instruction),
        ROOM_TEST(batch_axes_stand_before_the_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
