/* Each form of tcgen05.mma, cp and shift in running PTX against the plain product of small integers, which every format
 * holds exactly. All of tensor memory is compared, so that nothing else may be written. */
#include "machine/tensor_case.h"

#include <stdlib.h>

static int64_t product_of(const struct tensor_case *c, const struct tensor_data *t, unsigned m, unsigned n)
{
    int64_t sum = c->accumulate ? t->d[m][n] : 0;
    for (unsigned k = 0; k < c->k; k++)
        sum += (int64_t)case_value(c->a, t->a[m][k]) * case_value(c->b, t->b[n][k]);
    return sum;
}

/* The whole of tensor memory: D where it belongs, everything else as it was. */
static void expect_d(const struct tensor_case *c, struct tensor_data *t, const char *what,
                     int64_t (*value)(const struct tensor_case *, const struct tensor_data *, unsigned, unsigned))
{
    for (unsigned m = 0; m < c->m; m++)
        for (unsigned n = 0; n < c->n; n++) {
            unsigned cta, lane, col;
            case_d_cell(c, m, n, &cta, &lane, &col);
            case_tmem(t, cta)[lane * CASE_COLS + col] = case_d_word(c, (int32_t)value(c, t, m, n));
        }
    for (unsigned cta = 0; cta < c->cta_group; cta++)
        for (unsigned i = 0; i < CASE_TMEM; i++)
            if (t->out[cta][i] != case_tmem(t, cta)[i])
                fail_msg("%s: CTA %u, lane %u, column %u: %08x, wanted %08x", what, cta, i / CASE_COLS, i % CASE_COLS, t->out[cta][i],
                         case_tmem(t, cta)[i]);
}

static void run_case(void **state, const struct tensor_case *c, const char *what)
{
    struct bench_room *room = *state;
    struct tensor_data *const t = malloc(sizeof *t);
    assert_non_null(t);
    case_fill(t, c, c->m * 1000u + c->n);
    case_run(room, c, t, NULL, c->n);
    expect_d(c, t, what, product_of);
    free(t);
    tw_test_teardown(state);
    tw_test_setup(state);
}

#define F16_KIND .kind = "kind::f16", .cta_group = 1, .k = 16, .container = 16

static void both_majors_and_every_swizzle_give_the_product(void **state)
{
    for (unsigned mode = 0; mode < 4; mode++)
        for (unsigned major = 0; major < 4; major++)
            run_case(state,
                     &(struct tensor_case){F16_KIND, .m = 128, .n = 64, .mode_a = mode, .mode_b = mode, .a_mn = major & 1,
                                           .b_mn = major >> 1, .accumulate = major == 2},
                     tw_format(&((struct bench_room *)*state)->arena, "mode %u, majors %u", mode, major));
}

static void operands_may_begin_inside_a_swizzled_row(void **state)
{
    for (unsigned offset = 32; offset < 128; offset += 32)
        run_case(state, &(struct tensor_case){F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .k_offset = offset}, "K offset");
}

static void every_shape_has_its_data_path(void **state)
{
    static const unsigned n64[] = {8, 24, 64, 176}, n_ws[] = {64, 128, 256};
    for (unsigned i = 0; i < COUNT(n64); i++)
        for (unsigned base = 0; base <= 16; base += 16)
            run_case(state, &(struct tensor_case){F16_KIND, .m = 64, .n = n64[i], .mode_a = 3, .mode_b = 2, .lane_base = base, .accumulate = base != 0}, "path F");
    for (unsigned i = 0; i < COUNT(n64); i++)
        run_case(state, &(struct tensor_case){F16_KIND, .m = 128, .n = n64[i], .mode_a = 1, .mode_b = 1, .accumulate = true}, "path D");
    for (unsigned m = 32; m <= 128; m *= 2)
        for (unsigned i = 0; i < COUNT(n_ws); i++)
            run_case(state, &(struct tensor_case){F16_KIND, .ws = true, .m = m, .n = n_ws[i], .mode_a = 3, .mode_b = 1, .accumulate = i == 1}, ".ws");
}

static void every_kind_and_format_gives_the_product(void **state)
{
    static const enum case_format narrow[] = {E4M3, E5M2, E2M3, E3M2, E2M1};
    run_case(state, &(struct tensor_case){F16_KIND, .m = 128, .n = 32, .a = BF16, .b = BF16, .mode_a = 3, .mode_b = 3}, "bf16");
    run_case(state, &(struct tensor_case){F16_KIND, .m = 128, .n = 32, .d_f16 = true, .mode_a = 3, .mode_b = 3, .accumulate = true}, "f16 accumulator");
    for (unsigned a = 0; a < COUNT(narrow); a++)
        for (unsigned b = 0; b < COUNT(narrow); b++)
            run_case(state,
                     &(struct tensor_case){.kind = "kind::f8f6f4", .cta_group = 1, .k = 32, .container = 8, .m = 128, .n = 16, .a = narrow[a],
                                           .b = narrow[b], .mode_a = 1, .mode_b = 3, .d_f16 = a == b, .accumulate = b == 1},
                     case_formats[narrow[a]].name);
    run_case(state, &(struct tensor_case){.kind = "kind::f8f6f4", .cta_group = 1, .k = 32, .container = 8, .m = 128, .n = 64, .a = E4M3, .b = E5M2, .mode_a = 3, .mode_b = 2, .a_mn = true, .b_mn = true}, "fp8 MN-major");
    for (unsigned mode = 0; mode < 4; mode++)
        run_case(state, &(struct tensor_case){.kind = "kind::tf32", .cta_group = 1, .k = 8, .container = 32, .m = 64, .n = 32, .a = TF32, .b = TF32, .mode_a = mode, .mode_b = mode}, "tf32");
    run_case(state, &(struct tensor_case){.kind = "kind::tf32", .cta_group = 1, .k = 8, .container = 32, .m = 128, .n = 64, .a = TF32, .b = TF32, .mode_a = 4, .mode_b = 4, .a_mn = true, .b_mn = true}, "tf32 MN-major");
    for (unsigned signs = 0; signs < 4; signs++)
        run_case(state, &(struct tensor_case){.kind = "kind::i8", .cta_group = 1, .k = 32, .container = 8, .m = 128, .n = 48, .a = signs & 1 ? S8 : U8, .b = signs & 2 ? S8 : U8, .d_s32 = true, .mode_a = 2, .mode_b = 1, .accumulate = true, .idesc_extra = signs == 3 ? 8 : 0}, "i8");
}

static void a_may_stand_in_tensor_memory(void **state)
{
    static const struct { const char *kind; unsigned k, container; enum case_format a, b; bool s32; } kinds[] = {
        {"kind::f16", 16, 16, F16, F16, false},     {"kind::tf32", 8, 32, TF32, TF32, false}, {"kind::f8f6f4", 32, 8, E4M3, E4M3, false},
        {"kind::f8f6f4", 32, 8, E2M1, E5M2, false}, {"kind::f8f6f4", 32, 8, E3M2, E2M3, false}, {"kind::i8", 32, 8, S8, U8, true}};
    for (unsigned i = 0; i < COUNT(kinds); i++)
        for (unsigned shape = 0; shape < 6; shape++) {
            const bool ws = shape >= 3;
            run_case(state,
                     &(struct tensor_case){.kind = kinds[i].kind, .cta_group = 1, .ws = ws, .k = kinds[i].k, .container = kinds[i].container,
                                           .a = kinds[i].a, .b = kinds[i].b, .d_s32 = kinds[i].s32, .a_tmem = true,
                                           .m = ws ? 32u << (shape - 3) : shape == 0 ? 128 : 64, .n = 64, .mode_b = 3,
                                           .lane_base = shape == 2 ? 16 : 0, .accumulate = shape == 1},
                     tw_format(&((struct bench_room *)*state)->arena, "%s shape %u", kinds[i].kind, shape));
        }
}

static void a_pair_shares_one_product(void **state)
{
    for (unsigned m = 128; m <= 256; m *= 2)
        for (unsigned tmem = 0; tmem < 2; tmem++)
            for (unsigned n = 32; n <= 256; n += 112)
                run_case(state,
                         &(struct tensor_case){.kind = "kind::f16", .cta_group = 2, .k = 16, .container = 16, .m = m, .n = n / 32 * 32, .mode_a = 3,
                                               .mode_b = 3, .a_tmem = tmem != 0, .accumulate = n == 32},
                         tw_format(&((struct bench_room *)*state)->arena, "pair, M %u, N %u", m, n));
    run_case(state, &(struct tensor_case){.kind = "kind::i8", .cta_group = 2, .k = 32, .container = 8, .m = 256, .n = 64, .a = S8, .b = S8, .d_s32 = true, .mode_a = 1, .mode_b = 1}, "pair, i8");
}

/* ---- Modifiers -------------------------------------------------------------------------------- */

static int64_t negated_product(const struct tensor_case *c, const struct tensor_data *t, unsigned m, unsigned n)
{
    int64_t sum = 0;
    for (unsigned k = 0; k < c->k; k++)
        sum -= t->a[m][k] * t->b[n][k];
    return sum + (c->accumulate ? t->d[m][n] : 0);
}

static int64_t scaled_product(const struct tensor_case *c, const struct tensor_data *t, unsigned m, unsigned n)
{
    int64_t sum = t->d[m][n] * 2; /* the old D was written doubled: see the test */
    for (unsigned k = 0; k < c->k; k++)
        sum += t->a[m][k] * t->b[n][k];
    return sum;
}

static void negation_and_scaling_of_the_accumulator(void **state)
{
    struct bench_room *room = *state;
    struct tensor_data *const t = malloc(sizeof *t);
    const struct tensor_case negate = {F16_KIND, .m = 128, .n = 32, .mode_a = 3, .mode_b = 3, .accumulate = true, .idesc_extra = 1u << 13};
    case_fill(t, &negate, 5);
    case_run(room, &negate, t, NULL, 0);
    expect_d(&negate, t, "negate A", negated_product);
    const struct tensor_case scale = {F16_KIND, .m = 128, .n = 32, .mode_a = 3, .mode_b = 3, .accumulate = true, .tail = ", 2"};
    case_fill(t, &scale, 6);
    for (unsigned m = 0; m < 128; m++)
        for (unsigned n = 0; n < 32; n++) {
            const float f = (float)(8 * t->d[m][n]); /* D * 2^-2 is then twice the integer */
            memcpy(&case_tmem(t, 0)[m * CASE_COLS + n], &f, 4);
        }
    case_run(room, &scale, t, NULL, 0);
    expect_d(&scale, t, "scale-input-d", scaled_product);
    free(t);
}

static void masked_lanes_are_not_written(void **state)
{
    struct bench_room *room = *state;
    struct tensor_data *const t = malloc(sizeof *t);
    const struct tensor_case c = {F16_KIND, .m = 128, .n = 16, .mode_a = 3, .mode_b = 3, .mask = "{%r20,%r21,%r22,%r23}"};
    case_fill(t, &c, 7);
    uint32_t *const before = malloc(CASE_TMEM * 4);
    memcpy(before, case_tmem(t, 0), CASE_TMEM * 4);
    case_run(room, &c, t, "mov.u32 %r20, 0x5; mov.u32 %r21, 0; mov.u32 %r22, 0xffffffff; mov.u32 %r23, 0x80000000;\n", 0);
    for (unsigned m = 0; m < 128; m++)
        for (unsigned n = 0; n < 16; n++) {
            const bool masked = m == 0 || m == 2 || (m >= 64 && m < 96) || m == 127;
            const uint32_t want = masked ? before[m * CASE_COLS + n] : case_d_word(&c, (int32_t)product_of(&c, t, m, n));
            assert_int_equal(t->out[0][m * CASE_COLS + n], want);
        }
    free(before);
    free(t);
}

/* Example 2 of the ISA (tcgen05.md 3.6). */
static void a_zero_column_mask_drops_columns(void **state)
{
    struct bench_room *room = *state;
    struct tensor_data *const t = malloc(sizeof *t);
    const struct tensor_case c = {F16_KIND, .ws = true, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .tail = ", %q8"};
    case_fill(t, &c, 8);
    case_run(room, &c, t, "mov.u64 %q8, 0x0003028000000000;\n", 0); /* use 4, skip 3 */
    for (unsigned m = 0; m < 128; m++)
        for (unsigned n = 0; n < 64; n++)
            assert_int_equal(t->out[0][m * CASE_COLS + n], n % 7 < 4 ? case_d_word(&c, (int32_t)product_of(&c, t, m, n)) : 0);
    free(t);
}

/* Rows of B beyond N are there too, for shifts that reach them. */
static void fill_b_rows(struct tensor_data *t, unsigned rows)
{
    memset(t->image[0] + t->b_at, 0, CASE_SMEM - t->b_at);
    const struct case_layout lb = case_layout_of(3, false, t->b_at, 2, 16, 32);
    for (unsigned n = 0; n < rows; n++)
        for (unsigned k = 0; k < 16; k++) {
            t->b[n][k] = (int8_t)((int)(n * 7 + k * 3) % 5 - 2);
            case_put_shared(t->image[0], &lb, F16, 16, n, k, t->b[n][k]);
        }
}

/* Each bank of lanes has its own start; the patterns are worked out by hand from example 4 of the ISA and from a start count
 * beyond the first span, which stops at its last column. Z: zeroed, U: used. */
static void sub_masks_have_their_own_starts(void **state)
{
    static const struct { const char *word, *banks[4]; unsigned shift; } cases[] = {
        {"0x0203028301020100", {"ZZZUUUUZZZUUUUZZ", "ZZUUUUZZZUUUUZZZ", "UUZZZUUUUZZZUUUU", "UUUZZZUUUUZZZUUU"}, 2},
        {"0x0003028200000909", {"UZZZUUUUZZZUUUUZ", "ZUUUUZZZUUUUZZZU", "UUUUZZZUUUUZZZUU", "UUUUZZZUUUUZZZUU"}, 0},
    };
    struct bench_room *room = *state;
    struct tensor_data *const t = malloc(sizeof *t);
    const struct tensor_case c = {F16_KIND, .ws = true, .m = 32, .n = 64, .mode_a = 3, .mode_b = 3, .tail = ", %q8", .idesc_extra = 1u << 30};
    for (size_t i = 0; i < COUNT(cases); i++) {
        case_fill(t, &c, 10 + i);
        fill_b_rows(t, 72);
        case_run(room, &c, t, tw_format(&room->arena, "mov.u64 %%q8, %s;\n", cases[i].word), 0);
        for (unsigned m = 0; m < 32; m++)
            for (unsigned n = 0; n < 64; n++) {
                const bool used = cases[i].banks[n / 16][n % 16] == 'U';
                const uint32_t want = used ? case_d_word(&c, (int32_t)product_of(&c, t, m, n + cases[i].shift)) : 0;
                assert_int_equal(t->out[0][(m + 32 * (n / 16)) * CASE_COLS + n % 16], want);
            }
    }
    free(t);
}

/* The MMA uses A as it was; later readers find its rows moved. */
static void ashift_moves_a_after_the_product(void **state)
{
    struct bench_room *room = *state;
    struct tensor_data *const t = malloc(sizeof *t);
    const struct tensor_case c = {F16_KIND, .m = 128, .n = 16, .mode_b = 3, .a_tmem = true, .modifiers = ".ashift"};
    case_fill(t, &c, 11);
    case_run(room, &c, t, NULL, 0);
    uint32_t *const cells = case_tmem(t, 0);
    for (unsigned lane = 0; lane < 127; lane++)
        for (unsigned col = CASE_A_COL; col < CASE_A_COL + 8 && lane % 32 != 31; col++)
            cells[lane * CASE_COLS + col] = cells[(lane + 1) * CASE_COLS + col];
    expect_d(&c, t, ".ashift", product_of);
    free(t);
}

static void a_collector_is_filled_before_it_is_used(void **state)
{
    struct bench_room *room = *state;
    struct tensor_data *const t = malloc(sizeof *t);
    static const char fill[] = "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%r1], %q4, %q5, %r9, 0;\n";
    static const char use[] = "tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r1], %q4, %q5, %r9, 0;\n";
    const struct tensor_case c = {F16_KIND, .m = 128, .n = 16, .mode_a = 3, .mode_b = 3, .modifiers = ".collector::a::lastuse"};
    case_fill(t, &c, 12);
    case_run(room, &c, t, tw_format(&room->arena, "%s%s%s", fill, use, use), 0);
    expect_d(&c, t, "collector", product_of);
    free(t);
}

/* ---- Sparse A --------------------------------------------------------------------------------- */

static const uint8_t codes24[] = {4, 8, 9, 12, 13, 6, 14};

/* The positions in B of the stored elements of a row, by tcgen05.md 8.1. */
struct sparsity {
    uint8_t code[CASE_MAX_M][16];
};

static void put_code(const struct tensor_case *c, struct tensor_data *t, unsigned m, unsigned group, unsigned code)
{
    const unsigned banks = c->ws ? 128 / c->m : 1;
    for (unsigned bank = 0; bank < banks; bank++) {
        unsigned cta, lane, col, nibble;
        case_d_cell(c, m, bank * (c->n / banks), &cta, &lane, &col);
        lane -= c->lane_base;
        if (c->container >= 16) {
            nibble = 4 * (lane % 16 / 8) + group % 4;
            lane = 32 * (lane / 32) + lane % 8 + 16 * (lane % 32 / 16) + 8 * (group / 4);
            col = CASE_META_COL;
        } else {
            col = CASE_META_COL + group / 8;
            nibble = group % 8;
        }
        uint32_t *const cell = &case_tmem(t, cta)[(lane + c->lane_base) * CASE_COLS + col];
        *cell = (*cell & ~(0xfu << (4 * nibble))) | code << (4 * nibble);
    }
}

static int64_t sparse_product(const struct tensor_case *c, const struct tensor_data *t, const struct sparsity *s, unsigned m, unsigned n)
{
    int64_t sum = 0;
    for (unsigned k = 0; k < c->k / 2; k++) {
        unsigned logical;
        if (c->container == 32)
            logical = 2 * k + (s->code[m][k] == 0xe);
        else
            logical = 4 * (k / 2) + (k % 2 == 0 ? s->code[m][k / 2] & 3 : s->code[m][k / 2] >> 2);
        sum += case_value(c->a, t->a[m][k]) * case_value(c->b, t->b[n][logical]);
    }
    return sum;
}

static void sparse_a_meets_the_selected_elements_of_b(void **state)
{
    static const struct tensor_case cases[] = {
        {.kind = "kind::f16", .cta_group = 1, .sparse = true, .m = 128, .n = 32, .k = 32, .container = 16, .mode_a = 3, .mode_b = 3},
        {.kind = "kind::f16", .cta_group = 1, .sparse = true, .m = 64, .n = 32, .k = 32, .container = 16, .mode_a = 3, .mode_b = 3, .lane_base = 16},
        {.kind = "kind::tf32", .cta_group = 1, .sparse = true, .m = 128, .n = 32, .k = 16, .a = TF32, .b = TF32, .container = 32, .mode_a = 3, .mode_b = 3},
        {.kind = "kind::i8", .cta_group = 1, .sparse = true, .m = 128, .n = 32, .k = 64, .a = S8, .b = S8, .d_s32 = true, .container = 8, .mode_a = 2, .mode_b = 2},
        {.kind = "kind::f8f6f4", .cta_group = 1, .sparse = true, .m = 64, .n = 32, .k = 64, .a = E4M3, .b = E2M3, .container = 8, .mode_a = 3, .mode_b = 3},
        {.kind = "kind::f16", .cta_group = 1, .ws = true, .sparse = true, .m = 64, .n = 64, .k = 32, .container = 16, .mode_a = 3, .mode_b = 2},
        {.kind = "kind::f16", .cta_group = 2, .sparse = true, .m = 128, .n = 64, .k = 32, .container = 16, .mode_a = 3, .mode_b = 3},
        {.kind = "kind::f16", .cta_group = 1, .sparse = true, .m = 128, .n = 32, .k = 32, .container = 16, .mode_b = 3, .a_tmem = true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench_room *room = *state;
        const struct tensor_case *const c = &cases[i];
        struct tensor_data *const t = malloc(sizeof *t);
        static struct sparsity s;
        uint64_t seed = i + 40;
        case_fill(t, c, seed);
        const unsigned groups = c->container == 32 ? 8 : c->k / 4;
        for (unsigned m = 0; m < c->m; m++)
            for (unsigned g = 0; g < groups; g++) {
                s.code[m][g] = c->container == 32 ? (case_random(&seed) & 1 ? 0xe : 0x4) : codes24[case_random(&seed) % 7];
                put_code(c, t, m, g, s.code[m][g]);
            }
        case_run(room, c, t, NULL, i);
        for (unsigned m = 0; m < c->m; m++)
            for (unsigned n = 0; n < c->n; n++) {
                unsigned cta, lane, col;
                case_d_cell(c, m, n, &cta, &lane, &col);
                if (t->out[cta][lane * CASE_COLS + col] != case_d_word(c, (int32_t)sparse_product(c, t, &s, m, n)))
                    fail_msg("case %zu: m %u, n %u", i, m, n);
            }
        free(t);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* ---- Block scaling ---------------------------------------------------------------------------- */

struct scale_case {
    struct tensor_case c;
    unsigned factors, id_a, id_b;
    bool ue4m3;
};

/* Factor exponents are 0 or 1: 2^0 and 2^1 as ue8m0 0x7f and 0x80, as ue4m3 0x38 and 0x40. */
static void put_scale(const struct scale_case *s, struct tensor_data *t, unsigned cta, unsigned base, unsigned rows, unsigned row,
                      unsigned byte, unsigned exponent)
{
    const uint32_t word = s->ue4m3 ? (exponent ? 0x40 : 0x38) : 0x7f + exponent;
    const bool split = s->c.cta_group == 2 && s->c.m == 128 && base == CASE_SFB_COL;
    for (unsigned copy = 0; copy < (split ? 2u : 4u); copy++) {
        unsigned lane = row % 32 + 32 * copy, col = base + row / 32 + byte / 4 * 4 * ((rows + 127) / 128);
        if (split) {
            lane = 64 * (row / (rows / 2)) + row % 32 + 32 * copy;
            col = base + row % (rows / 2) / 32;
        }
        uint32_t *const cell = &case_tmem(t, cta)[lane * CASE_COLS + col];
        *cell = (*cell & ~(0xffu << (8 * (byte % 4)))) | word << (8 * (byte % 4));
    }
}

static void block_scales_multiply_their_blocks(void **state)
{
    static const struct scale_case cases[] = {
        {{.kind = "kind::mxf8f6f4.block_scale", .cta_group = 1, .m = 128, .n = 32, .k = 32, .a = E4M3, .b = E4M3, .container = 8, .mode_a = 3, .mode_b = 3, .scaled = true}, 1, 0, 0, false},
        {{.kind = "kind::mxf8f6f4.block_scale.scale_vec::1X", .cta_group = 1, .m = 128, .n = 96, .k = 32, .a = E2M1, .b = E3M2, .container = 8, .mode_a = 1, .mode_b = 3, .scaled = true, .accumulate = true}, 1, 3, 1, false},
        {{.kind = "kind::mxf4.block_scale.scale_vec::2X", .cta_group = 1, .m = 128, .n = 64, .k = 64, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 3, .scaled = true}, 2, 2, 0, false},
        {{.kind = "kind::mxf4nvf4.block_scale.scale_vec::4X", .cta_group = 1, .m = 128, .n = 128, .k = 64, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 2, .scaled = true, .accumulate = true}, 4, 0, 0, true},
        {{.kind = "kind::mxf4nvf4.block_scale.block16", .cta_group = 1, .m = 128, .n = 8, .k = 64, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 0, .mode_b = 0, .scaled = true}, 4, 0, 0, false},
        {{.kind = "kind::mxf4.block_scale.block32", .cta_group = 2, .m = 256, .n = 128, .k = 64, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 3, .scaled = true}, 2, 0, 2, false},
        {{.kind = "kind::mxf8f6f4.block_scale", .cta_group = 2, .m = 128, .n = 128, .k = 32, .a = E4M3, .b = E5M2, .container = 8, .mode_a = 3, .mode_b = 3, .scaled = true}, 1, 1, 2, false},
        /* K 96: three or six factors a row, which go on in the next group of cells */
        {{.kind = "kind::mxf4.block_scale.block32", .cta_group = 1, .m = 128, .n = 64, .k = 96, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 3, .k96 = true, .scaled = true}, 3, 0, 1, false},
        {{.kind = "kind::mxf4nvf4.block_scale.block32", .cta_group = 2, .m = 256, .n = 128, .k = 96, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 3, .k96 = true, .k_offset = 48, .scaled = true, .accumulate = true}, 3, 3, 2, false},
        {{.kind = "kind::mxf4nvf4.block_scale.block16", .cta_group = 2, .m = 256, .n = 256, .k = 96, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 3, .k96 = true, .scaled = true}, 6, 0, 2, true},
        /* the third step of K begins 96 bytes into a row of 128 and ends 16 bytes into the next tile */
        {{.kind = "kind::mxf4.block_scale.block32", .cta_group = 1, .m = 128, .n = 32, .k = 96, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 3, .k96 = true, .two_rows = true, .k_offset = 96, .scaled = true}, 3, 2, 0, false},
    };
    static uint8_t fa[CASE_MAX_M][6], fb[CASE_MAX_N][6];
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench_room *room = *state;
        const struct scale_case *const s = &cases[i];
        struct tensor_case c = s->c;
        struct tensor_data *const t = malloc(sizeof *t);
        uint64_t seed = i + 70;
        c.idesc_extra = s->id_b << 4 | (uint32_t)!s->ue4m3 << 23 | s->id_a << 29;
        case_fill(t, &c, seed);
        const unsigned rows = c.m / c.cta_group;
        for (unsigned v = 0; v < s->factors; v++) {
            for (unsigned m = 0; m < c.m; m++)
                put_scale(s, t, m / rows, CASE_SFA_COL, rows, m % rows, s->id_a + v, fa[m][v] = case_random(&seed) & 1);
            for (unsigned n = 0; n < c.n; n++) {
                fb[n][v] = case_random(&seed) & 1;
                for (unsigned cta = 0; cta < c.cta_group; cta++)
                    put_scale(s, t, cta, CASE_SFB_COL, c.n, n, s->id_b + v, fb[n][v]);
            }
        }
        /* bits 31:30 of a scale address are not part of it */
        case_run(room, &c, t, i == 0 ? "or.b32 %r10, %r10, 0xc0000000; or.b32 %r11, %r11, 0x40000000;\n" : NULL, i);
        for (unsigned m = 0; m < c.m; m++)
            for (unsigned n = 0; n < c.n; n++) {
                int64_t sum = c.accumulate ? t->d[m][n] : 0;
                for (unsigned k = 0; k < c.k; k++) {
                    const unsigned v = k / (c.k / s->factors);
                    sum += (int64_t)t->a[m][k] * t->b[n][k] * (1 << (fa[m][v] + fb[n][v]));
                }
                unsigned cta, lane, col;
                case_d_cell(&c, m, n, &cta, &lane, &col);
                if (t->out[cta][lane * CASE_COLS + col] != case_d_word(&c, (int32_t)sum))
                    fail_msg("case %zu: m %u, n %u: %08x, wanted %lld", i, m, n, t->out[cta][lane * CASE_COLS + col], (long long)sum);
            }
        free(t);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* ---- cp and shift ----------------------------------------------------------------------------- */

static const struct { const char *spelling; unsigned rows, words, copies; } cps[] = {
    {".128x256b", 128, 8, 1},           {".128x128b", 128, 4, 1}, {".4x256b", 4, 8, 1}, {".64x128b.warpx2::02_13", 64, 4, 2},
    {".64x128b.warpx2::01_23", 64, 4, 2}, {".32x128b.warpx4", 32, 4, 4}};

static unsigned cp_lane(unsigned which, unsigned row, unsigned copy)
{
    switch (which) {
    case 2: return 32 * row;
    case 3: return row + 64 * copy;
    case 4: return 64 * (row / 32) + row % 32 + 32 * copy;
    case 5: return row + 32 * copy;
    default: return row;
    }
}

static void copies_fill_the_lanes_of_their_shape(void **state)
{
    for (unsigned which = 0; which < COUNT(cps); which++)
        for (unsigned expand = 0; expand <= 6; expand += expand == 0 ? 4 : 2) {
            struct bench_room *room = *state;
            const struct tensor_case c = {F16_KIND, .m = 128, .n = 8, .mode_a = 0, .mode_b = 3};
            struct tensor_data *const t = malloc(sizeof *t);
            case_fill(t, &c, which + 90);
            /* rows of 16-byte units without swizzle: 8 rows x 16 bytes, next unit at +128, next rows at +256 */
            const char *const prologue = tw_format(
                &room->arena,
                "add.s64 %%q8, %%q3, 0x0000401000080000;\nadd.u32 %%r20, %%r1, 64;\ntcgen05.cp.cta_group::1%s%s [%%r20], %%q8;\n",
                cps[which].spelling, expand == 0 ? "" : expand == 4 ? ".b8x16.b4x16_p64" : ".b8x16.b6x16_p32");
            case_run(room, &c, t, prologue, which);
            for (unsigned row = 0; row < cps[which].rows; row++)
                for (unsigned byte = 0; byte < 4 * cps[which].words; byte++) {
                    const uint8_t *const unit = t->image[0] + row % 8 * 16 + row / 8 * 256 + byte / 16 * 128;
                    unsigned want = unit[byte % 16];
                    if (expand != 0) {
                        want = 0;
                        for (unsigned b = 0; b < expand; b++)
                            want |= ((uint32_t)unit[(byte % 16 * expand + b) / 8] >> (byte % 16 * expand + b) % 8 & 1u) << b;
                        want <<= expand == 4 ? 2 : 0;
                    }
                    for (unsigned copy = 0; copy < cps[which].copies; copy++) {
                        const uint32_t cell = t->out[0][cp_lane(which, row, copy) * CASE_COLS + 64 + byte / 4];
                        assert_int_equal(cell >> (8 * (byte % 4)) & 0xff, want);
                    }
                }
            free(t);
            tw_test_teardown(state);
            tw_test_setup(state);
        }
}

static void a_shift_moves_rows_down_within_each_quadrant(void **state)
{
    struct bench_room *room = *state;
    const struct tensor_case c = {F16_KIND, .m = 128, .n = 8, .mode_a = 3, .mode_b = 3};
    struct tensor_data *const t = malloc(sizeof *t);
    case_fill(t, &c, 95);
    case_run(room, &c, t, "add.u32 %r20, %r1, 64;\ntcgen05.shift.cta_group::1.down [%r20];\n", 0);
    for (unsigned lane = 0; lane < 128; lane++)
        for (unsigned col = 60; col < 76; col++) {
            const unsigned from = col >= 64 && col < 72 && lane % 32 != 31 ? lane + 1 : lane;
            assert_int_equal(t->out[0][lane * CASE_COLS + col], case_tmem(t, 0)[from * CASE_COLS + col]);
        }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(both_majors_and_every_swizzle_give_the_product),
        ROOM_TEST(operands_may_begin_inside_a_swizzled_row),
        ROOM_TEST(every_shape_has_its_data_path),
        ROOM_TEST(every_kind_and_format_gives_the_product),
        ROOM_TEST(a_may_stand_in_tensor_memory),
        ROOM_TEST(a_pair_shares_one_product),
        ROOM_TEST(negation_and_scaling_of_the_accumulator),
        ROOM_TEST(masked_lanes_are_not_written),
        ROOM_TEST(a_zero_column_mask_drops_columns),
        ROOM_TEST(sub_masks_have_their_own_starts),
        ROOM_TEST(ashift_moves_a_after_the_product),
        ROOM_TEST(a_collector_is_filled_before_it_is_used),
        ROOM_TEST(sparse_a_meets_the_selected_elements_of_b),
        ROOM_TEST(block_scales_multiply_their_blocks),
        ROOM_TEST(copies_fill_the_lanes_of_their_shape),
        ROOM_TEST(a_shift_moves_rows_down_within_each_quadrant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
