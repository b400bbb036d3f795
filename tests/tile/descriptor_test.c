/* Descriptors derived from layouts: the words of the references, for K-major and MN-major operands and all swizzle
 * modes. SOURCE: kernel-language-tile 7.5 (stated instances), tcgen05 5.7 (worked examples). */
#include "tile/kernels.h"

#include "tile/words.h"

/* An MMA whose A is stored as `rows` x `cols` and used with `k_steps` K repeats. */
struct mma_case {
    const char *rule;
    const char *opcode;
    enum num_format format;
    const char *a_format;      /* NULL: the dtype's */
    enum swizzle_mode mode;
    int64_t dims[2];           /* as stored: (M, K), or (K, M) when MN-major */
    bool mn_major;
    int64_t m, k;              /* of the instruction */
    uint64_t constant;         /* the descriptor without its start */
    int64_t origin[8];         /* bytes, by K step */
    uint32_t k_steps;
};

static const struct mma_case cases[] = {
    {"f16 mode 3 (128,64): SDO 1024, K16 steps of 32 bytes", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NULL, SWIZZLE_128B,
     {128, 64}, false, 128, 16, 0x4000404000000000, {0, 32, 64, 96}, 4},
    {"f16 mode 3 (128,128): the second panel of 64 columns is 16384 bytes on", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NULL,
     SWIZZLE_128B, {128, 128}, false, 128, 16, 0x4000404000000000, {0, 32, 64, 96, 16384, 16416, 16448, 16480}, 8},
    {"f16 mode 2 (128,32): SDO 512", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NULL, SWIZZLE_64B, {128, 32}, false, 128, 16,
     0x8000402000000000, {0, 32}, 2},
    {"f16 mode 1 (128,16): SDO 256", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NULL, SWIZZLE_32B, {128, 16}, false, 128, 16,
     0xc000401000000000, {0}, 1},
    {"f16 mode 0 (128,64): SDO 128, LDO 2048, K16 steps of two chunks", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NULL,
     SWIZZLE_NONE, {128, 64}, false, 128, 16, 0x0000400800800000, {0, 4096, 8192, 12288}, 4},
    {"fp8 mode 2 (64,64): SDO 512, K32 steps of 32 bytes", "tcgen05.mma.cta_group::1.kind::f8f6f4", NUM_E4M3, NULL, SWIZZLE_64B,
     {64, 64}, false, 64, 32, 0x8000402000000000, {0, 32}, 2},
    {"f16 MN-major mode 3 stored (64,128): SDO 1024, LDO 8192, K16 steps of 2048 bytes", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16,
     NULL, SWIZZLE_128B, {64, 128}, true, 128, 16, 0x4000404002000000, {0, 2048, 4096, 6144}, 4},
    {"f16 MN-major mode 0 stored (32,128): LDO 128 along K, SDO 512 along M", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NULL,
     SWIZZLE_NONE, {32, 128}, true, 128, 16, 0x0000402000080000, {0, 256}, 2},
};

static struct tensor by_k_steps(struct draft *d, const struct mma_case *c, struct tensor t)
{
    t = rearrange(d, t, c->mn_major ? "(r k) m -> r m k" : "m (r k) -> r m k", "k", c->k);
    return reshape(d, t, DIMS(1, c->k_steps, c->m, c->k));
}

static void build(struct draft *d, const struct mma_case *c, const struct layout *a_layout)
{
    struct tensor a = draft_tensor(d, "a", IR_SHARED, c->format, 2, c->dims, a_layout);
    a.storage->align_bytes = 1024;
    const int64_t b_cols = c->k * c->k_steps, b_dims[2] = {8, b_cols};
    struct tensor b = draft_tensor(d, "b", IR_SHARED, c->format, 2, b_dims, shared_layout(d, tw_num_bits(c->format), SWIZZLE_NONE, 2, b_dims));
    b.storage->align_bytes = 1024;
    struct tensor acc = decl_tmem(d, "d", typed(d, tw_ir_uint32(), 0), NUM_F32, DIMS(c->m, 8), operand_layout(d, 'D', c->m, 8, 32, c->m, 1));
    acc = reshape(d, acc, DIMS(1, 1, c->m, 8));
    a = by_k_steps(d, c, a);
    b = reshape(d, rearrange(d, b, "n (r k) -> r n k", "k", c->k), DIMS(1, c->k_steps, 8, c->k));
    const struct ir_arg params[4] = {shape_param(d, c->m, 8, c->k), text_param(d, "a_major", c->mn_major ? "mn" : "k"),
                                     text_param(d, "a_format", c->a_format), text_param(d, "b_format", c->a_format)};
    tile(d, c->opcode, IR_THREAD_SCOPE, ARGS(whole(d, &acc), whole(d, &a), whole(d, &b)), c->a_format != NULL ? 4 : 2, params);
}

static void expect_words(const struct lowered *l, const struct mma_case *c)
{
    assert_int_equal(l->count, c->k_steps);
    for (uint32_t k = 0; k < c->k_steps; k++) {
        const uint64_t word = word_of(&l->at[k]->operands[1], 0x400);
        const uint64_t want = c->constant + (uint64_t)(0x400 + c->origin[k]) / 16;
        if (word != want)
            fail_msg("%s, step %u: want 0x%016llx, got 0x%016llx", c->rule, k, (unsigned long long)want, (unsigned long long)word);
    }
}

static void descriptor_words_are_those_of_the_references(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct draft d = draft_new(room, "k", 32);
        build(&d, &cases[i], shared_layout(&d, tw_num_bits(cases[i].format), cases[i].mode, 2, cases[i].dims));
        const struct lowered l = lower_kernel(d.k, room);
        expect_words(&l, &cases[i]);
    }
}

/* SOURCE: tcgen05 5.7, "tf32 MN-major 128B/32B": SBO 512 (four K rows), LBO 4096 (the next 32 of M).
 * ComposeLayout(3, 2, 2): units of 32 bytes, two bits of them against the two above. */
static void tf32_mn_major_uses_the_layout_of_its_own(void **state)
{
    static const struct mma_case c = {"tf32", "tcgen05.mma.cta_group::1.kind::tf32", NUM_F32, "tf32", SWIZZLE_128B_ATOM32,
                                      {32, 128}, true, 128, 8, 0x2000402001000000, {0, 1024, 2048, 3072}, 4};
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct layout_env env = draft_env(&d);
    const struct swizzle s = {.per_element = 3, .swizzle_len = 2, .atom_len = 2, .inner = true};
    const struct layout *tile_layout = SHARD(&d, M_(32, 32), M_(4, 1024), M_(32, 1));
    build(&d, &c, tw_layout_compose(&env, &s, tile_layout));
    const struct lowered l = lower_kernel(d.k, room);
    expect_words(&l, &c);
}

/* SOURCE: tcgen05 5.7, "f16 K-major none": LBO 128 to the next 8 of K, SBO 256 to the next 8 rows. */
static void unswizzled_core_matrices_may_stand_anywhere(void **state)
{
    static const struct mma_case c = {"interleaved", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NULL, SWIZZLE_NONE,
                                      {64, 16}, false, 64, 16, 0x0000401000080000, {0}, 1};
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    build(&d, &c, SHARD(&d, M_(8, 128), M_(8, 8), M_(2, 64), M_(8, 1)));
    const struct lowered l = lower_kernel(d.k, room);
    expect_words(&l, &c);
}

/* A stage chosen at run time moves the start by whole stages: 128 x 64 f16 = 16384 bytes = 1024 units. */
static void a_run_time_stage_is_added_to_the_start(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct tensor a = draft_tensor(&d, "a", IR_SHARED, NUM_F16, DIMS(3, 128, 16), shared_layout(&d, 16, SWIZZLE_32B, DIMS(3, 128, 16)));
    struct tensor b = draft_tensor(&d, "b", IR_SHARED, NUM_F16, DIMS(8, 16), shared_layout(&d, 16, SWIZZLE_32B, DIMS(8, 16)));
    a.storage->align_bytes = b.storage->align_bytes = 1024;
    struct tensor acc = decl_tmem(&d, "d", typed(&d, tw_ir_uint32(), 0), NUM_F32, DIMS(128, 8), operand_layout(&d, 'D', 128, 8, 32, 128, 1));
    struct ir_var *stage = tw_ir_var_new(d.k, "stage", tw_ir_int32(), nowhere);
    stage->param = 0;
    *vec_push(&room->arena, &d.k->params) = (struct ir_param){.name = "stage", .scalar = stage};
    a = reshape(&d, a, DIMS(3, 1, 128, 16));
    b = reshape(&d, b, DIMS(1, 1, 8, 16));
    acc = reshape(&d, acc, DIMS(1, 1, 128, 8));
    struct ir_arg a_arg = whole(&d, &a);
    a_arg.region->start[0] = use(&d, stage);
    a_arg.region->extent[0] = 1;
    tile(&d, "tcgen05.mma.cta_group::1.kind::f16", IR_THREAD_SCOPE, ARGS(whole(&d, &acc), a_arg, whole(&d, &b)), ARGS(shape_param(&d, 128, 8, 16)));
    const struct lowered l = lower_kernel(d.k, room);
    const struct word_env env = {.shared_base = 0x400, .tmem_base = 2}; /* variables evaluate to tmem_base: stage 2 */
    assert_int_equal(evaluate(l.at[0]->operands[1].expr, &env), 0xc000401000000000u + (0x400 + 2 * 4096) / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(descriptor_words_are_those_of_the_references),
        ROOM_TEST(tf32_mn_major_uses_the_layout_of_its_own),
        ROOM_TEST(unswizzled_core_matrices_may_stand_anywhere),
        ROOM_TEST(a_run_time_stage_is_added_to_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
