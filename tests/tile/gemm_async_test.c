/* gemm_async through the variant tcgen05: which instructions it chooses, and the words that they hold.
 * SOURCE: kernel-language-tile 7.5 (descriptors, instruction descriptors) and 8.1; seed 001; tcgen05 4.4. */
#include "tile/gemm.h"

/* ---- seed 001 ------------------------------------------------------------------------------------------ */

#define SEED_TENSORS                                                                                                     \
    SHARED("a", "float16", "3", "(3, 128, 64)") SHARED("b", "float16", "3", "(3, 128, 64)") LANES("d", "480")
#define SEED_CALL ONE_THREAD "Tx.gemm_async(d[0:128, 256:384], a[1:2, :, :], b[2:3, :, :], dispatch=\"tcgen05\")"

/* SOURCE: kernel-language-tile 8.1: A slice stage 1 at +1024 units, B stage 2 at +2048, +2 for each K step. */
static void seed_001_becomes_four_instructions(void **state)
{
    struct bench_room *room = *state;
    const struct gemm_issues *g = gemm_lowered(room, SEED_TENSORS SEED_CALL);
    assert_int_equal(g->count, 4); /* no commit, no wait, nothing else */
    for (uint32_t k = 0; k < 4; k++) {
        assert_string_equal(g->at[k]->mnemonic, "tcgen05.mma.cta_group::1.kind::f16");
        assert_int_equal(operand_word(g, k, 0), 32 + 256);
        assert_int_equal(operand_word(g, k, 1), 0x4000404000000000u + (ADDRESS_A >> 4) + 1024 + 2 * k);
        assert_int_equal(operand_word(g, k, 2), 0x4000404000000000u + (ADDRESS_B >> 4) + 2048 + 2 * k);
        assert_int_equal(operand_word(g, k, 3), 0x08200010);
        assert_int_equal(operand_word(g, k, 4), k != 0);
    }
}

/* Each operand's descriptor is encoded once, in front of everything; instructions add to it. */
static void descriptors_are_encoded_once_and_moved(void **state)
{
    struct bench_room *room = *state;
    const struct gemm_issues *g = gemm_lowered(room, SEED_TENSORS SEED_CALL);
    assert_int_equal(g->definitions, 2);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t o = 1; o <= 2; o++) {
            const struct ir_expr *e = g->at[k]->operands[o].expr;
            assert_int_equal(e->op, IR_ADD);
            assert_int_equal(e->args[0]->op, IR_VAR);
            assert_string_equal(e->args[0]->var->name, o == 1 ? "descA" : "descB");
            assert_int_equal(e->args[1]->bits, 1024 * o + 2 * k);
        }
}

static void the_choice_is_reported(void **state)
{
    struct bench_room *room = *state;
    gemm_lowered(room, SEED_TENSORS SEED_CALL);
    tw_test_expect_diags(
        room,
        "k.py:12:9: note[E0442]: gemm_async takes variant tcgen05: 4 x tcgen05.mma.cta_group::1.kind::f16, M 128, N 128, K 16\n"
        "   12 |         Tx.gemm_async(d[0:128, 256:384], a[1:2, :, :], b[2:3, :, :], dispatch=\"tcgen05\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "     found: C on data path D, column +256; A K-major, swizzle 128B, SDO 64, LDO 0, start +1024, K step +2; "
        "B K-major, swizzle 128B, SDO 64, LDO 0, start +2048, K step +2; idesc 0x08200010\n");
}

static void a_call_in_an_unrolled_loop_is_reported_once(void **state)
{
    struct bench_room *room = *state;
    const struct gemm_issues *g = gemm_lowered(
        room, SEED_TENSORS ONE_THREAD "for s in T.unroll(3):\n        Tx.gemm_async(d[0:128, 0:128], a[s, :, :], b[s, :, :], accum=s != 0)");
    assert_int_equal(g->count, 12);
    assert_int_equal(room->diags.list.len, 1);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(operand_word(g, i, 4), i != 0);
}

/* ---- what is chosen ------------------------------------------------------------------------------------ */

struct choice_case {
    const char *rule, *body, *mnemonic;
    uint32_t count;
    uint64_t idesc;
    uint64_t high_a, high_b;        /* high words of the descriptors; 0: A is in tensor memory */
    uint32_t low_a, low_b;          /* of the first instruction, without the address; LDO is in bits 16 to 29 */
    uint32_t second;                /* the instruction that the offsets below are of */
    uint32_t d_step, a_step, b_step; /* from the first to that one: columns, units, units */
};

static const struct choice_case choices[] = {
    {"an N above 256 is split into the largest divisor",
     SHARED("a", "bfloat16", "2", "(128, 32)") SHARED("b", "bfloat16", "2", "(320, 32)") LANES("d", "320")
     ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.cta_group::1.kind::f16", 4, 0x08280490, 0x80004020, 0x80004020, 0, 0, 2, 160, 0, 160 * 64 / 16},
    {"mma_m and mma_n choose by hand",
     SHARED("a", "float16", "1", "(128, 16)") SHARED("b", "float16", "1", "(128, 16)") LANES("d", "128")
     ONE_THREAD "Tx.gemm_async(d, a, b, mma_m=128, mma_n=64)",
     "tcgen05.mma.cta_group::1.kind::f16", 2, 0x08100010, 0xc0004010, 0xc0004010, 0, 0, 1, 64, 0, 64 * 32 / 16},
    {"M 64 on the scattered rows of data path F",
     SHARED("a", "float16", "3", "(64, 64)") SHARED("b", "float16", "3", "(64, 64)")
     TMEM("d", "float32", "(64, 64)", "tmem_datapath_layout(\"F\", 64, 64, 0)") ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.cta_group::1.kind::f16", 4, 0x04100010, 0x40004040, 0x40004040, 0, 0, 1, 0, 2, 2},
    {"two panels of 64 columns: the fifth K step is one panel on",
     SHARED("a", "float16", "3", "(128, 128)") SHARED("b", "float16", "3", "(64, 128)") LANES("d", "64")
     ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.cta_group::1.kind::f16", 8, 0x08100010, 0x40004040, 0x40004040, 0, 0, 4, 0, 1024, 512},
    {"a part of the columns starts inside an atom",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     ONE_THREAD "Tx.gemm_async(d, a[:, 32:64], b[:, 32:64])",
     "tcgen05.mma.cta_group::1.kind::f16", 2, 0x08100010, 0x40004040, 0x40004040, 4, 4, 1, 0, 2, 2},
    {"without a swizzle a K step is two columns of 16-byte units",
     SHARED("a", "float16", "0", "(128, 64)") SHARED("b", "float16", "0", "(64, 64)") LANES("d", "64")
     ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.cta_group::1.kind::f16", 4, 0x08100010, 0x00004008, 0x00004008, 128u << 16, 64u << 16, 1, 0, 256, 128},
    {"MN-major operands, by their layout; transA and transB say which dimension is which",
     SHARED("a", "float16", "3", "(64, 128)") SHARED("b", "float16", "3", "(64, 128)") LANES("d", "128")
     ONE_THREAD "Tx.gemm_async(d, a, b, transA=True, transB=True)",
     "tcgen05.mma.cta_group::1.kind::f16", 4, 0x08218010, 0x40004040, 0x40004040, 512u << 16, 512u << 16, 1, 0, 128, 128},
    {"K-major storage behind a permuted view: transA, and still K-major",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     ONE_THREAD "Tx.gemm_async(d, a.permute(1, 0), b, transA=True)",
     "tcgen05.mma.cta_group::1.kind::f16", 4, 0x08100010, 0x40004040, 0x40004040, 0, 0, 1, 0, 2, 2},
    {"dense fp8 is kind f8f6f4, K 32",
     SHARED("a", "float8_e4m3fn", "2", "(128, 64)") SHARED("b", "float8_e4m3fn", "2", "(64, 64)") LANES("d", "64")
     ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.cta_group::1.kind::f8f6f4", 2, 0x08100010, 0x80004020, 0x80004020, 0, 0, 1, 0, 2, 2},
    {"float32 as tf32, K 8",
     SHARED("a", "float32", "3", "(128, 32)") SHARED("b", "float32", "3", "(128, 32)") LANES("d", "128")
     ONE_THREAD "Tx.gemm_async(d, a, b, is_AB_tf32=True)",
     "tcgen05.mma.cta_group::1.kind::tf32", 4, 0x08200910, 0x40004040, 0x40004040, 0, 0, 1, 0, 2, 2},
    {"columns folded over two banks of lanes imply .ws",
     SHARED("a", "float16", "3", "(64, 64)") SHARED("b", "float16", "3", "(128, 64)")
     TMEM("d", "float32", "(64, 128)", "tmem_datapath_layout(\"E\", 64, 128)") ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 4, 0x04200010, 0x40004040, 0x40004040, 0, 0, 1, 0, 2, 2},
    {"the same as (2, M, N/2)",
     SHARED("a", "float16", "3", "(64, 64)") SHARED("b", "float16", "3", "(128, 64)")
     TMEM("d", "float32", "(2, 64, 64)", "tmem_mma_operand_layout(\"D\", (2, 64, 64), \"float32\", M=64, cta_group=1, ws=True)")
     ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 4, 0x04200010, 0x40004040, 0x40004040, 0, 0, 1, 0, 2, 2},
    {"weight_stationary=True with M 128",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(192, 64)") LANES("d", "192")
     ONE_THREAD "Tx.gemm_async(d, a, b, weight_stationary=True)",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 12, 0x08100010, 0x40004040, 0x40004040, 0, 0, 4, 64, 0, 512},
    {"a pair, M 256: each CTA has half of the rows and half of the columns",
     SHARED("a", "bfloat16", "3", "(128, 64)") SHARED("b", "bfloat16", "3", "(128, 64)") LANES("d", "256")
     ONE_THREAD "Tx.gemm_async(d, a, b, cta_group=2)",
     "tcgen05.mma.cta_group::2.kind::f16", 4, 0x10400490, 0x40004040, 0x40004040, 0, 0, 1, 0, 2, 2},
    {"a pair, M 128, columns folded, in two instructions",
     SHARED("a", "bfloat16", "3", "(64, 64)") SHARED("b", "bfloat16", "3", "(64, 64)")
     TMEM("d", "float32", "(64, 128)", "tmem_datapath_layout(\"B\", 64, 128)")
     ONE_THREAD "Tx.gemm_async(d, a, b, cta_group=2, mma_m=128, mma_n=64)",
     "tcgen05.mma.cta_group::2.kind::f16", 8, 0x08100490, 0x40004040, 0x40004040, 0, 0, 4, 32, 0, 256},
    {"A in tensor memory",
     SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     TMEM("a", "float16", "(128, 64)", "tmem_mma_operand_layout(\"A\", (128, 64), \"float16\", M=128, cta_group=1)")
     ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.cta_group::1.kind::f16", 4, 0x08100010, 0, 0x40004040, 0, 0, 1, 0, 8, 2},
    {"A in both banks of tensor memory",
     SHARED("b", "float16", "3", "(128, 64)")
     TMEM("d", "float32", "(64, 128)", "tmem_datapath_layout(\"E\", 64, 128)")
     TMEM("a", "float16", "(2, 64, 64)", "tmem_mma_operand_layout(\"A\", (2, 64, 64), \"float16\", M=64, cta_group=1, ws=True)")
     ONE_THREAD "Tx.gemm_async(d, a, b)",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 4, 0x04200010, 0, 0x40004040, 0, 0, 1, 0, 8, 2},
};

static void expect_choice(struct bench_room *room, const struct choice_case *c)
{
    const struct gemm_issues *g = gemm_lowered(room, c->body);
    if (g->count != c->count)
        fail_msg("%s: %u instructions instead of %u", c->rule, g->count, c->count);
    const uint64_t first[] = {operand_word(g, 0, 0), operand_word(g, 0, 1), operand_word(g, 0, 2), operand_word(g, 0, 3)};
    const uint64_t second[] = {operand_word(g, c->second, 0), operand_word(g, c->second, 1), operand_word(g, c->second, 2)};
    const uint64_t want_a = c->high_a == 0 ? 32 : (c->high_a << 32) + c->low_a + (ADDRESS_A >> 4);
    const uint64_t want_b = (c->high_b << 32) + c->low_b + (ADDRESS_B >> 4);
    const bool fine = strcmp(g->at[0]->mnemonic, c->mnemonic) == 0 && first[0] == 32 && first[1] == want_a && first[2] == want_b &&
                      first[3] == c->idesc && second[0] == first[0] + c->d_step && second[1] == first[1] + c->a_step &&
                      second[2] == first[2] + c->b_step;
    if (!fine)
        fail_msg("%s: %s d %llx a %llx (want %llx) b %llx (want %llx) idesc %llx; then d +%lld a +%lld b +%lld", c->rule, g->at[0]->mnemonic,
                 (unsigned long long)first[0], (unsigned long long)first[1], (unsigned long long)want_a, (unsigned long long)first[2],
                 (unsigned long long)want_b, (unsigned long long)first[3], (long long)(second[0] - first[0]),
                 (long long)(second[1] - first[1]), (long long)(second[2] - first[2]));
}

static void the_documented_rules_choose_the_instruction(void **state)
{
    for (size_t i = 0; i < COUNT(choices); i++)
        expect_choice(*state, &choices[i]);
}

/* ---- block scaling ------------------------------------------------------------------------------------- */

#define SCALED_F8                                                                                                              \
    SHARED("a", "float8_e4m3fn", "3", "(128, 128)") SHARED("b", "float8_e4m3fn", "3", "(128, 128)") LANES("d", "128")          \
    TMEM("sfa", "float8_e8m0fnu", "(128, 4)", "sf_tmem_layout(128, 4, 1)") TMEM("sfb", "float8_e8m0fnu", "(128, 4)", "sf_tmem_layout(128, 4, 1)")

/* Bits 4-5 and 29-30 of the instruction descriptor are the scale ids: four K steps share a cell. Bit 23: ue8m0. */
static void four_steps_of_mxf8_take_their_own_scale_ids(void **state)
{
    const struct gemm_issues *g = gemm_lowered(*state, SCALED_F8 ONE_THREAD "Tx.gemm_async(d, a, b, SFA=sfa, SFB=sfb)");
    assert_int_equal(g->count, 4);
    for (uint32_t k = 0; k < 4; k++) {
        assert_string_equal(g->at[k]->mnemonic, "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X");
        assert_int_equal(operand_word(g, k, 3), 0x08a00000u + (k << 4) + (k << 29));
        assert_int_equal(operand_word(g, k, 4), 32);
        assert_int_equal(operand_word(g, k, 6), k != 0);
    }
}

static void a_descriptor_of_the_programs_own_gets_the_scale_ids(void **state)
{
    const struct gemm_issues *g =
        gemm_lowered(*state, SCALED_F8 ONE_THREAD "Tx.gemm_async(d, a, b, SFA=sfa, SFB=sfb, descI=T.uint32(0x68a08031))");
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(operand_word(g, k, 3), 0x08a08001u + (k << 4) + (k << 29));
}

struct scaled_case {
    const char *rule, *body, *mnemonic;
    uint32_t count;
    uint64_t idesc[2]; /* of the first two K steps */
};

/* e2m1 is 1 in both type fields of the mxf4 kinds. Scale ids advance by the factors of a step, modulo the cell. */
static const struct scaled_case scaled[] = {
    {"mxf4, two factors a step: ids 0 and 2",
     SHARED("a", "float4_e2m1fn", "2", "(128, 128)") SHARED("b", "float4_e2m1fn", "2", "(64, 128)") LANES("d", "64")
     TMEM("sfa", "float8_e8m0fnu", "(128, 4)", "sf_tmem_layout(128, 4, 2)") TMEM("sfb", "float8_e8m0fnu", "(64, 4)", "sf_tmem_layout(64, 4, 2)")
     ONE_THREAD "Tx.gemm_async(d, a, b, sfa, sfb)",
     "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X", 2, {0x08900480, 0x48900400 | 0x80 | 0x20}},
    {"NVFP4, four factors a step: id 0 alone; more rows of SFB than N",
     SHARED("a", "float4_e2m1fn", "2", "(128, 128)") SHARED("b", "float4_e2m1fn", "2", "(64, 128)") LANES("d", "64")
     TMEM("sfa", "float8_e4m3fn", "(128, 8)", "sf_tmem_layout(128, 8, 4)") TMEM("sfb", "float8_e4m3fn", "(128, 8)", "sf_tmem_layout(128, 8, 4)")
     ONE_THREAD "Tx.gemm_async(d, a, b, sfa, sfb)",
     "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X", 2, {0x08100480, 0x08100480}},
};

static void dtypes_of_operands_and_scales_choose_the_kind(void **state)
{
    for (size_t i = 0; i < COUNT(scaled); i++) {
        const struct gemm_issues *g = gemm_lowered(*state, scaled[i].body);
        if (g->count != scaled[i].count || strcmp(g->at[0]->mnemonic, scaled[i].mnemonic) != 0)
            fail_msg("%s: %u x %s", scaled[i].rule, g->count, g->at[0]->mnemonic);
        for (uint32_t k = 0; k < 2; k++)
            if (operand_word(g, k, 3) != scaled[i].idesc[k])
                fail_msg("%s: idesc %llx", scaled[i].rule, (unsigned long long)operand_word(g, k, 3));
    }
}

/* ---- configuration ------------------------------------------------------------------------------------- */

#define PLAIN_TENSORS SHARED("a", "float16", "3", "(3, 128, 64)") SHARED("b", "float16", "3", "(3, 64, 64)") LANES("d", "64")

static void smem_desc_moves_the_encoding_and_keeps_the_words(void **state)
{
    static const struct {
        const char *mode;
        uint32_t definitions; /* for two calls */
    } modes[] = {{"hoist", 2}, {"local_hoist", 4}, {"encode", 0}, {"recompute", 0}};
    for (size_t m = 0; m < COUNT(modes); m++) {
        struct bench_room *room = *state;
        const struct gemm_issues *g = gemm_lowered(
            room, tw_format(&room->arena,
                            PLAIN_TENSORS ONE_THREAD "Tx.gemm_async(d, a[1], b[0], smem_desc=\"%s\")\n    Tx.gemm_async(d, a[2], b[n], "
                                                     "accum=True, smem_desc=\"%s\")", modes[m].mode, modes[m].mode));
        assert_int_equal(g->count, 8);
        assert_int_equal(g->definitions, modes[m].definitions);
        for (uint32_t i = 0; i < 8; i++) {
            assert_int_equal(operand_word(g, i, 1), 0x4000404000000000u + (ADDRESS_A >> 4) + 1024 * (1 + i / 4) + 2 * (i % 4));
            assert_int_equal(operand_word(g, i, 2), 0x4000404000000000u + (ADDRESS_B >> 4) + 512 * STAGE * (i / 4) + 2 * (i % 4));
        }
    }
}

/* A run-time stage is added to the low word, once a call. */
static void a_run_time_stage_moves_the_low_word(void **state)
{
    const struct gemm_issues *g = gemm_lowered(*state, PLAIN_TENSORS ONE_THREAD "Tx.gemm_async(d, a[n : n + 1, :, :], b[n, :, :])");
    const struct ir_expr *e = g->at[1]->operands[1].expr;
    assert_int_equal(g->definitions, 2);
    assert_int_equal(e->op, IR_BITOR);
    assert_int_equal(e->args[1]->bits, 0x4000404000000000u);
    assert_string_equal(e->args[0]->args[0]->args[0]->var->name, "lowA");
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(operand_word(g, k, 1), 0x4000404000000000u + (ADDRESS_A >> 4) + 1024 * STAGE + 2 * k);
}

static void a_run_time_column_moves_the_accumulator(void **state)
{
    const struct gemm_issues *g =
        gemm_lowered(*state, SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "256")
                             ONE_THREAD "Tx.gemm_async(d[:, n * 64 : n * 64 + 64], a, b)");
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(operand_word(g, k, 0), 32 + 64 * STAGE);
}

static void accum_may_be_a_bool_or_an_integer_known_then_or_now(void **state)
{
    static const struct {
        const char *accum;
        uint64_t first;
    } cases[] = {{"False", 0}, {"True", 1}, {"0", 0}, {"1", 1}, {"n", 1}, {"n != 2", 0}};
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct gemm_issues *g =
            gemm_lowered(room, tw_format(&room->arena, PLAIN_TENSORS ONE_THREAD "Tx.gemm_async(d, a[0], b[0], accum=%s)", cases[i].accum));
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(operand_word(g, k, 4), k == 0 ? cases[i].first : 1);
    }
}

/* SOURCE: kernel-language-tile 8.1: "warp: wraps each MMA in an elect". */
static void a_warp_elects_one_lane_for_every_instruction(void **state)
{
    const struct gemm_issues *g =
        gemm_lowered(*state, PLAIN_TENSORS "if T.cuda.warp_id() == 2:\n    Tx.warp.gemm_async(d, a[0], b[0])");
    assert_int_equal(g->count, 5);
    assert_string_equal(g->at[0]->mnemonic, "elect.sync");
    for (uint32_t k = 1; k < 5; k++) {
        assert_non_null(g->at[k]->pred);
        assert_int_equal(g->at[k]->pred->op, IR_VAR);
        const struct ir_expr *elected = tw_ir_definition(g->k, g->at[k]->pred->var)->value;
        assert_int_equal(elected->op, IR_NE);
        assert_ptr_equal(elected->args[0]->var, g->at[0]->operands[1].expr->var);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(seed_001_becomes_four_instructions),
        ROOM_TEST(descriptors_are_encoded_once_and_moved),
        ROOM_TEST(the_choice_is_reported),
        ROOM_TEST(a_call_in_an_unrolled_loop_is_reported_once),
        ROOM_TEST(the_documented_rules_choose_the_instruction),
        ROOM_TEST(four_steps_of_mxf8_take_their_own_scale_ids),
        ROOM_TEST(a_descriptor_of_the_programs_own_gets_the_scale_ids),
        ROOM_TEST(dtypes_of_operands_and_scales_choose_the_kind),
        ROOM_TEST(smem_desc_moves_the_encoding_and_keeps_the_words),
        ROOM_TEST(a_run_time_stage_moves_the_low_word),
        ROOM_TEST(a_run_time_column_moves_the_accumulator),
        ROOM_TEST(accum_may_be_a_bool_or_an_integer_known_then_or_now),
        ROOM_TEST(a_warp_elects_one_lane_for_every_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
