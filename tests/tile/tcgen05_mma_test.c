/* tcgen05.mma through tile.apply: instruction descriptors of every dense kind, parameters, data paths.
 * SOURCE: tcgen05 4.4 (worked values), 6.1 and 6.3 (data paths, A in tensor memory); kernel-language-tile 7.5. */
#include "tile/kernels.h"

#include "tile/words.h"

struct kind_case {
    const char *rule, *opcode;
    enum num_format a, b, d;           /* dtypes of the tensors */
    const char *a_format, *b_format;   /* parameters, or NULL */
    const char *flag;                  /* a static flag that is set, or NULL */
    int64_t m, n, k, g;
    uint64_t idesc;
};

static const struct kind_case kinds[] = {
    {"f16 to f32, 128x64", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NUM_F16, NUM_F32, NULL, NULL, NULL, 128, 64, 16, 1, 0x08100010},
    {"f16 to f16, 64x8", "tcgen05.mma.cta_group::1.kind::f16", NUM_F16, NUM_F16, NUM_F16, NULL, NULL, NULL, 64, 8, 16, 1, 0x04020000},
    {"bf16, 128x256", "tcgen05.mma.cta_group::1.kind::f16", NUM_BF16, NUM_BF16, NUM_F32, NULL, NULL, NULL, 128, 256, 16, 1, 0x08400490},
    {"bf16 in a pair, 256x256", "tcgen05.mma.cta_group::2.kind::f16", NUM_BF16, NUM_BF16, NUM_F32, NULL, NULL, NULL, 256, 256, 16, 2, 0x10400490},
    {"bf16 with A negated", "tcgen05.mma.cta_group::1.kind::f16", NUM_BF16, NUM_BF16, NUM_F32, NULL, NULL, "neg_a", 128, 128, 16, 1, 0x08202490},
    {"tf32 over float32", "tcgen05.mma.cta_group::1.kind::tf32", NUM_F32, NUM_F32, NUM_F32, "tf32", "tf32", NULL, 128, 128, 8, 1, 0x08200910},
    {"e4m3 by e5m2", "tcgen05.mma.cta_group::1.kind::f8f6f4", NUM_E4M3, NUM_E5M2, NUM_F32, NULL, NULL, NULL, 128, 128, 32, 1, 0x08200410},
    {"e2m1 by e2m3 in byte containers, to f16", "tcgen05.mma.cta_group::1.kind::f8f6f4", NUM_U8, NUM_U8, NUM_F16, "float4_e2m1fn",
     "float6_e2m3fn", NULL, 64, 64, 32, 1, 0x04100e80},
    {"s8 by u8, saturating", "tcgen05.mma.cta_group::1.kind::i8", NUM_S8, NUM_U8, NUM_S32, NULL, NULL, "sat_d", 128, 32, 32, 1, 0x080800a8},
};

struct operands {
    struct tensor d, a, b;
};

/* One accumulator a cell: with 16-bit accumulators the columns step by two elements. */
static const struct layout *accumulator_layout(struct draft *d, const struct kind_case *c)
{
    const struct layout_env env = draft_env(d);
    const struct layout *l = operand_layout(d, 'D', c->m / c->g, c->n, 32, c->m, c->g);
    if (c->d != NUM_F16)
        return l;
    struct iter iters[TW_MAX_ITERS];
    for (uint32_t i = 0; i < l->shard_count; i++) {
        iters[i] = l->shard[i];
        iters[i].stride *= iters[i].axis == AXIS_TCOL ? 2 : 1;
    }
    const struct layout_parts parts = {.shard_count = l->shard_count, .shard = iters};
    return tw_layout_make(&env, &parts);
}

static struct tensor shared_operand(struct draft *d, const char *name, enum num_format f, int64_t rows, int64_t k)
{
    struct tensor t = draft_tensor(d, name, IR_SHARED, f, DIMS(rows, k), shared_layout(d, tw_num_bits(f), SWIZZLE_32B, DIMS(rows, k)));
    t.storage->align_bytes = 1024;
    return reshape(d, t, DIMS(1, 1, rows, k));
}

static struct operands operands_of(struct draft *d, const struct kind_case *c)
{
    struct operands o;
    o.d = decl_tmem(d, "d", typed(d, tw_ir_uint32(), 0), c->d, DIMS(c->m / c->g, c->n), accumulator_layout(d, c));
    o.d = reshape(d, o.d, DIMS(1, 1, c->m / c->g, c->n));
    o.a = shared_operand(d, "a", c->a, c->m / c->g, c->k);
    o.b = shared_operand(d, "b", c->b, c->n / c->g, c->k);
    return o;
}

static void instruction_descriptors_are_the_worked_values(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct kind_case *c = &kinds[i];
        struct draft d = draft_new(room, "k", 32);
        const struct operands o = operands_of(&d, c);
        struct ir_arg params[4] = {shape_param(&d, c->m, c->n, c->k)};
        uint32_t count = 1;
        if (c->a_format != NULL) {
            params[count++] = text_param(&d, "a_format", c->a_format);
            params[count++] = text_param(&d, "b_format", c->b_format);
        }
        if (c->flag != NULL)
            params[count++] = bool_param(&d, c->flag, true);
        tile(&d, c->opcode, IR_THREAD_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b)), count, params);
        const struct lowered l = lower_kernel(d.k, room);
        const uint64_t word = word_of(&l.at[0]->operands[3], 0);
        if (word != c->idesc)
            fail_msg("%s: want 0x%08llx, got 0x%08llx", c->rule, (unsigned long long)c->idesc, (unsigned long long)word);
    }
}

/* Two K steps of f16, for the parameters that act by step. */
static struct operands two_steps(struct draft *d)
{
    struct operands o = operands_of(d, &kinds[0]);
    struct tensor a = draft_tensor(d, "a2", IR_SHARED, NUM_F16, DIMS(128, 32), shared_layout(d, 16, SWIZZLE_64B, DIMS(128, 32)));
    struct tensor b = draft_tensor(d, "b2", IR_SHARED, NUM_F16, DIMS(64, 32), shared_layout(d, 16, SWIZZLE_64B, DIMS(64, 32)));
    a.storage->align_bytes = b.storage->align_bytes = 1024;
    o.a = reshape(d, rearrange(d, a, "m (r k) -> r m k", "k", 16), DIMS(1, 2, 128, 16));
    o.b = reshape(d, rearrange(d, b, "n (r k) -> r n k", "k", 16), DIMS(1, 2, 64, 16));
    return o;
}

static struct ir_var *scalar_param(struct draft *d, const char *name, struct ir_type type)
{
    struct ir_var *v = tw_ir_var_new(d->k, name, type, nowhere);
    v->param = (int32_t)d->k->params.len;
    *vec_push(&d->room->arena, &d->k->params) = (struct ir_param){.name = name, .scalar = v};
    return v;
}

/* The parameter as a run-time expression, and the variable it is evaluated into before the first instruction. */
static struct ir_arg run_time(struct draft *d, const char *name, struct ir_var *v)
{
    struct ir_arg a = scalar(use(d, v));
    a.name = name;
    return a;
}

static void a_run_time_accum_rules_the_first_step_alone(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct operands o = two_steps(&d);
    tile(&d, kinds[0].opcode, IR_THREAD_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b)),
         ARGS(shape_param(&d, 128, 64, 16), run_time(&d, "accum", scalar_param(&d, "more", tw_ir_bool()))));
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.at[0]->operands[4].expr->op, IR_VAR);
    assert_string_equal(l.at[0]->operands[4].expr->var->name, "accum");
    assert_true(l.at[1]->operands[4].expr->op == IR_CONST && l.at[1]->operands[4].expr->bits == 1);
}

static void pred_guards_every_instruction(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct operands o = two_steps(&d);
    tile(&d, kinds[0].opcode, IR_THREAD_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b)),
         ARGS(shape_param(&d, 128, 64, 16), run_time(&d, "pred", scalar_param(&d, "go", tw_ir_bool()))));
    const struct lowered l = lower_kernel(d.k, room);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(l.at[i]->pred != NULL && l.at[i]->pred->op == IR_VAR);
}

static struct ir_arg lane_mask(struct draft *d, uint32_t words)
{
    struct ir_arg a = {.kind = IR_ARG_TUPLE, .name = "disable_output_lane", .item_count = words, .at = nowhere};
    a.items = arena_new(&d->room->arena, struct ir_arg, words);
    for (uint32_t i = 0; i < words; i++)
        a.items[i] = (struct ir_arg){.kind = IR_ARG_INT, .value = 1 + i, .at = nowhere};
    return a;
}

static void the_lane_mask_has_four_words_a_cta(void **state)
{
    static const struct {
        size_t kind;
        uint32_t words;
    } rows[] = {{0, 4}, {3, 8}};
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct kind_case *c = &kinds[rows[i].kind];
        struct draft d = draft_new(room, "k", 32);
        const struct operands o = operands_of(&d, c);
        tile(&d, c->opcode, IR_THREAD_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b)),
             ARGS(shape_param(&d, c->m, c->n, c->k), lane_mask(&d, rows[i].words)));
        const struct lowered l = lower_kernel(d.k, room);
        assert_int_equal(l.at[0]->operand_count, 6);
        assert_int_equal(l.at[0]->operands[4].item_count, rows[i].words);
        for (uint32_t w = 0; w < rows[i].words; w++)
            assert_int_equal(word_of(&l.at[0]->operands[4].items[w], 0), 1 + w);
    }
}

/* A packed in tensor memory: K16 of f16 is eight columns. */
static void a_in_tensor_memory_is_an_address_that_steps_eight_columns(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct operands o = two_steps(&d);
    struct tensor a = decl_tmem(&d, "at", typed(&d, tw_ir_uint32(), 0), NUM_F16, DIMS(128, 32), operand_layout(&d, 'A', 128, 32, 16, 128, 1));
    o.a = reshape(&d, rearrange(&d, a, "m (r k) -> r m k", "k", 16), DIMS(1, 2, 128, 16));
    tile(&d, kinds[0].opcode, IR_THREAD_SCOPE, ARGS(whole(&d, &o.d), whole(&d, &o.a), whole(&d, &o.b)),
         ARGS(shape_param(&d, 128, 64, 16)));
    const struct lowered l = lower_kernel(d.k, room);
    for (uint32_t k = 0; k < 2; k++) {
        const struct word_env env = {.tmem_base = 0x80};
        assert_int_equal(l.at[k]->operands[1].kind, IR_PTX_ADDRESS);
        assert_int_equal(evaluate(l.at[k]->operands[1].expr, &env), 0x80 + 8 * k);
    }
}

/* Data path F with M 64 leaves half of each quadrant free: a second tile may start at lane 16. */
static void m_64_may_start_in_the_middle_of_the_quadrants(void **state)
{
    struct bench_room *room = *state;
    const struct kind_case *c = &kinds[0];
    struct draft d = draft_new(room, "k", 32);
    const struct layout_env env = draft_env(&d);
    struct tensor acc = decl_tmem(&d, "d", typed(&d, tw_ir_uint32(), 0), NUM_F32, DIMS(64, 8), tw_tmem_datapath_layout(&env, 'F', 64, 8, 1));
    acc = reshape(&d, acc, DIMS(1, 1, 64, 8));
    const struct tensor a = shared_operand(&d, "a", NUM_F16, 64, 16), b = shared_operand(&d, "b", NUM_F16, 8, 16);
    tile(&d, c->opcode, IR_THREAD_SCOPE, ARGS(whole(&d, &acc), whole(&d, &a), whole(&d, &b)), ARGS(shape_param(&d, 64, 8, 16)));
    const struct lowered l = lower_kernel(d.k, room);
    const struct word_env words = {.tmem_base = 0x20};
    assert_int_equal(evaluate(l.at[0]->operands[0].expr, &words), 0x20 + (16 << 16));
}

/* M and N repeats step D by their columns, and A and B by their rows. */
static void repeats_over_m_and_n_pick_their_tiles(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct tensor acc = decl_tmem(&d, "d", typed(&d, tw_ir_uint32(), 0), NUM_F32, DIMS(2, 2, 128, 16),
                                  SHARD(&d, {2, 32, AXIS_TCOL}, {2, 16, AXIS_TCOL}, {128, 1, AXIS_TLANE}, {16, 1, AXIS_TCOL}));
    struct tensor a = draft_tensor(&d, "a", IR_SHARED, NUM_F16, DIMS(256, 16), shared_layout(&d, 16, SWIZZLE_32B, DIMS(256, 16)));
    struct tensor b = draft_tensor(&d, "b", IR_SHARED, NUM_F16, DIMS(32, 16), shared_layout(&d, 16, SWIZZLE_32B, DIMS(32, 16)));
    a.storage->align_bytes = b.storage->align_bytes = 1024;
    a = reshape(&d, a, DIMS(2, 1, 128, 16));
    b = reshape(&d, b, DIMS(2, 1, 16, 16));
    tile(&d, kinds[0].opcode, IR_THREAD_SCOPE, ARGS(whole(&d, &acc), whole(&d, &a), whole(&d, &b)),
         ARGS(shape_param(&d, 128, 16, 16)));
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct word_env env = {.tmem_base = 0};
        assert_int_equal(evaluate(l.at[i]->operands[0].expr, &env), 32 * (i / 2) + 16 * (i % 2));
        assert_int_equal(word_of(&l.at[i]->operands[1], 0) & 0x3fff, (i / 2) * 128 * 32 / 16);
        assert_int_equal(word_of(&l.at[i]->operands[2], 0) & 0x3fff, (i % 2) * 16 * 32 / 16);
        assert_int_equal(word_of(&l.at[i]->operands[4], 0), 0); /* each tile has a first K step of its own */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(instruction_descriptors_are_the_worked_values),
        ROOM_TEST(a_run_time_accum_rules_the_first_step_alone),
        ROOM_TEST(pred_guards_every_instruction),
        ROOM_TEST(the_lane_mask_has_four_words_a_cta),
        ROOM_TEST(a_in_tensor_memory_is_an_address_that_steps_eight_columns),
        ROOM_TEST(m_64_may_start_in_the_middle_of_the_quadrants),
        ROOM_TEST(repeats_over_m_and_n_pick_their_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
