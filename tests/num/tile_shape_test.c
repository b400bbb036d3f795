/* Tiles of every shape and lie in memory, chains of instructions, and results worked by hand, for every implementation.
 * The reference loop is held to tw_num_dot itself, element by element. */
#include "support/check.h"

#include "num/tile.h"

#include <stdio.h>

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Runs `job` on all usable implementations with scratch of exactly the stated size. */
static void run_all(struct arena *arena, struct num_tile_job *job, void (*check)(const struct num_tile_job *, const char *, void *), void *context)
{
    size_t count;
    const struct num_tile_implementation *const all = tw_num_tile_implementations(&count);
    for (size_t i = 0; i < count; i++) {
        if (!all[i].usable())
            continue;
        job->scratch_bytes = tw_num_tile_scratch(job);
        job->scratch = arena_new(arena, uint8_t, job->scratch_bytes + 1);
        all[i].run(job);
        check(job, all[i].name, context);
    }
}

/* ---- Worked by hand ---- */

struct worked {
    const char *rule;
    enum num_arch arch;
    enum num_unit unit;
    enum num_format a, d;
    unsigned k;
    uint64_t x[32], y[32], c, want;
};

#define ONE 0x3f800000u
#define BF16 NUM_HOPPER, NUM_WGMMA, NUM_BF16, NUM_F32, 16
#define F16 NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F32, 16
#define TF32 NUM_BLACKWELL, NUM_TCGEN05, NUM_TF32, NUM_F32, 8
#define FULL16(w) {w, w, w, w, w, w, w, w, w, w, w, w, w, w, w, w}

/* From the rules of numerics.md, section 3. */
static const struct worked worked[] = {
    {"2^254 - 2^254 + 1 is +0: the 1 is far below", BF16, {0x7f00, 0xff00, 0x3f80}, {0x7f00, 0x7f00, 0x3f80}, 0, 0},
    {"2^128 overflows to infinity although the result is cut", BF16, {0x7f00}, {0x4000}, 0, 0x7f800000},
    {"2^-266 vanishes to +0", BF16, {0x8001}, {0x0001}, 0, 0},
    {"2^-149 is kept", BF16, {0x0001}, {0x3780}, 0, 0x00000001},
    {"a large and a small factor in crossed places", BF16, {0x7f00, 0x0080}, {0x0080, 0x7f00}, 0, 0x40800000}, /* 2 * 2^127 * 2^-126 */
    {"a tiny C beside nothing is D", F16, {0}, {0}, 0x80000001, 0x80000001},
    {"-0 beside nothing becomes +0", F16, {0}, {0x3c00}, 0x80000000, 0},
    {"C far above takes all", F16, {0x3c00}, {0x3c00}, 0x7e967699, 0x7e967699},
    {"C one unit of the window below is kept", F16, {0x3c00, 0xbc00}, {0x3c00, 0x3c00}, 0x33000000, 0x33000000}, /* 2^-25 */
    {"C below the window is cut off", F16, {0x3c00, 0xbc00}, {0x3c00, 0x3c00}, 0x32ffffff, 0},
    /* 16 * (2 - 2^-10)^2 + 1.5: (64 - 2^-4 + 2^-16) + 1.5 = 65.4375 + 2^-16 */
    {"sixteen full products and C pass 2^31 units", F16, FULL16(0x3fff), FULL16(0x3fff), 0x3fc00000, 0x4282e002},
    {"the same below zero", F16, FULL16(0x3fff), FULL16(0xbfff), 0xbfc00000, 0xc282e002},
    {"NaN in C", F16, {0x3c00}, {0x3c00}, 0xffc00001, 0x7fffffff},
    {"infinity times zero", F16, {0x7c00}, {0x8000}, 0, 0x7fffffff},
    {"infinite product against infinite C", F16, {0x7c00}, {0x3c00}, 0xff800000, 0x7fffffff},
    {"infinity of one sign", F16, {0x7c00, 0x3c00}, {0xbc00, 0x3c00}, 0xff800000, 0xff800000},
    {"a tf32 payload in the low bits is an infinity", TF32, {0x7f800001}, {ONE}, 0, 0x7f800000},
    {"the low bits of tf32 do not exist", TF32, {0x3f801fff}, {ONE}, 0, ONE},
    {"f16 results round once, to even", NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F16, 16, {0x3c00, 0x1000}, {0x3c00, 0x3c00}, 0, 0x3c00},
    {"and the last bit of the sum decides", NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F16, 16, {0x3c00, 0x1000, 0x0001}, {0x3c00, 0x3c00, 0x3c00}, 0, 0x3c01},
    {"65520 overflows f16", NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F16, 16, {0x7bff, 0x4c00}, {0x3c00, 0x3c00}, 0, 0x7c00},
    /* C = 2 * 2^-24 and 2^-25 tie; C counts as 2^-14, so the product 2^-40 lies below the window and does not break the tie. */
    {"a subnormal f16 C has the exponent of the smallest normal one", NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F16, 16, {0x0c00, 0x0001}, {0x0800, 0x0100}, 0x0002, 0x0002},
    {"32 products: the last bit of the sum decides", NUM_BLACKWELL, NUM_TCGEN05, NUM_E5M2, NUM_F16, 32, {0x3c, 0x10, 0x0c}, {0x3c, 0x3c, 0x08}, 0, 0x3c01},
    {"32 products: without it, to even", NUM_BLACKWELL, NUM_TCGEN05, NUM_E5M2, NUM_F16, 32, {0x3c, 0x10}, {0x3c, 0x3c}, 0, 0x3c00},
    {"an f16 result that vanishes is +0", NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F16, 16, {0x8001}, {0x0001}, 0, 0},
};

static void expect_word(const struct num_tile_job *job, const char *implementation, void *context)
{
    const struct worked *const w = context;
    const uint64_t *const d = job->d;
    for (size_t i = 0; i < (size_t)job->m * job->n; i++)
        if (d[i] != w->want)
            fail_msg("%s, %s: want %llx, got %llx", implementation, w->rule, (unsigned long long)w->want, (unsigned long long)d[i]);
}

static void results_worked_by_hand_come_out_in_every_lane(void **state)
{
    struct bench_room *const room = *state;
    enum { M = 3, N = 70 };
    for (size_t i = 0; i < COUNT(worked); i++) {
        struct worked w = worked[i];
        const struct num_dot_how how = {.a = w.a, .b = w.a, .d = w.d};
        uint64_t d[M * N], c[M * N];
        for (size_t e = 0; e < COUNT(c); e++)
            c[e] = w.c;
        struct num_tile_job job = {.model = tw_num_dot_model(w.arch, w.unit, NUM_PLAIN, w.a, w.a, w.d), .how = &how, .m = M, .n = N, .k = w.k,
                                   .a = {w.x, 8, 0, 1}, .b = {w.y, 8, 0, 1}, .c = {c, 8, N, 1},
                                   .d = d, .d_word_bytes = 8, .d_row_stride = N, .d_step = 1};
        assert_non_null(job.model);
        run_all(&room->arena, &job, expect_word, &w);
    }
}

/* ---- Lies in memory ---- */

struct lie {
    const char *name;
    unsigned a_bytes, b_bytes, c_bytes;
    bool a_across, b_across, d_across, in_place, no_c;
};

/* Across: neighbours in memory are neighbours along m or n, not along k (for D: along m). */
static const struct lie lies[] = {
    {"two-byte words along k, four-byte D", 2, 2, 4, false, false, false, false, false},
    {"the same in place", 2, 2, 4, false, false, false, true, false},
    {"without C", 2, 2, 4, false, false, false, false, true},
    {"A across", 2, 2, 4, true, false, false, false, false},
    {"B across", 2, 2, 4, false, true, false, true, false},
    {"D across", 2, 2, 4, false, false, true, true, false},
    {"eight-byte words", 8, 8, 8, false, false, false, true, false},
    {"four-byte words, all across", 4, 4, 8, true, true, true, false, false},
};

static void put(uint8_t *at, unsigned bytes, uint64_t word)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(word >> 8 * i);
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < bytes; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

/* Words with a gap behind every line, in exactly that many bytes so that sanitizers see what is read beyond. */
static struct num_tile_words lay(struct arena *arena, const uint64_t *words, unsigned rows, unsigned k, unsigned bytes, bool across)
{
    const size_t line = (across ? rows : k) + 3u, lines = across ? k : rows, count = line * (lines - 1) + (across ? rows : k);
    uint8_t *const at = arena_new(arena, uint8_t, count * bytes);
    memset(at, 0xee, count * bytes);
    for (unsigned row = 0; row < rows; row++)
        for (unsigned i = 0; i < k; i++)
            put(at + (across ? i * line + row : row * line + i) * bytes, bytes, words[(size_t)row * k + i]);
    return (struct num_tile_words){at, bytes, across ? 1 : line, across ? line : 1};
}

struct expectation {
    const char *name;
    const uint64_t *want;
};

static void expect_tile(const struct num_tile_job *job, const char *implementation, void *context)
{
    const struct expectation *const e = context;
    const uint8_t *const d = job->d;
    for (size_t i = 0; i < job->m; i++)
        for (size_t j = 0; j < job->n; j++) {
            const uint64_t got = get(d + (i * job->d_row_stride + j * job->d_step) * job->d_word_bytes, job->d_word_bytes);
            if (got != e->want[i * job->n + j])
                fail_msg("%s, %s: D[%zu][%zu] of %u x %u is %llx, not %llx", implementation, e->name, i, j, job->m, job->n,
                         (unsigned long long)got, (unsigned long long)e->want[i * job->n + j]);
        }
}

static void lay_and_check(struct arena *arena, const struct lie *lie, const struct num_dot_how *how, const struct num_dot_model *model,
                          unsigned m, unsigned n, uint64_t *rng)
{
    enum { K = 32, STEP = 16 };
    uint64_t *const a = arena_new(arena, uint64_t, (size_t)m * K), *const b = arena_new(arena, uint64_t, (size_t)n * K);
    uint64_t *const c = arena_new(arena, uint64_t, (size_t)m * n), *const want = arena_new(arena, uint64_t, (size_t)m * n);
    for (size_t i = 0; i < (size_t)m * K; i++)
        a[i] = next(rng) & 0xbfff;
    for (size_t i = 0; i < (size_t)n * K; i++)
        b[i] = next(rng) & 0xbfff;
    for (size_t i = 0; i < (size_t)m * n; i++)
        c[i] = 0x3f800000u ^ (next(rng) & 0x83ffffff);
    for (size_t i = 0; i < (size_t)m * n; i++) {
        want[i] = lie->no_c ? 0 : c[i];
        for (unsigned k = 0; k < K; k += STEP)
            want[i] = tw_num_dot(model, how, STEP, a + i / n * K + k, b + i % n * K + k, &want[i], NULL, NULL);
    }
    struct expectation e = {lie->name, want};
    size_t count;
    const struct num_tile_implementation *const all = tw_num_tile_implementations(&count);
    for (size_t i = 0; i < count; i++) {
        if (!all[i].usable())
            continue;
        const struct num_tile_words d = lay(arena, c, m, n, lie->c_bytes, lie->d_across);
        struct num_tile_job job = {.model = model, .how = how, .m = m, .n = n, .k = K, .k_step = STEP,
                                   .a = lay(arena, a, m, K, lie->a_bytes, lie->a_across), .b = lay(arena, b, n, K, lie->b_bytes, lie->b_across),
                                   .d_word_bytes = d.word_bytes, .d_row_stride = d.row_stride, .d_step = d.step};
        union { const void *from; void *to; } place = {d.words};
        job.d = place.to;
        if (!lie->no_c)
            job.c = lie->in_place ? d : lay(arena, c, m, n, lie->c_bytes, lie->d_across);
        job.scratch_bytes = tw_num_tile_scratch(&job);
        job.scratch = arena_new(arena, uint8_t, job.scratch_bytes + 1);
        all[i].run(&job);
        expect_tile(&job, all[i].name, &e);
    }
}

static void every_shape_and_lie_gives_the_same_words(void **state)
{
    struct bench_room *const room = *state;
    static const unsigned sizes[][2] = {{1, 1}, {16, 8}, {8, 16}, {64, 8}, {3, 17}, {16, 64}, {5, 80}, {7, 96}, {33, 130}, {64, 24}};
    const struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32};
    const struct num_dot_model *const model = tw_num_dot_model(NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32);
    uint64_t rng = 5;
    for (size_t l = 0; l < COUNT(lies); l++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            const struct arena_mark mark = tw_arena_mark(&room->arena);
            lay_and_check(&room->arena, &lies[l], &how, model, sizes[s][0], sizes[s][1], &rng);
            tw_arena_rewind(&room->arena, mark);
        }
}

/* ---- Modifiers ---- */

static void check_how(struct arena *arena, const struct num_dot_how *how, const struct num_dot_model *model, uint64_t *rng)
{
    enum { M = 5, N = 37, K = 16 };
    uint64_t a[M * K], b[N * K], c[M * N], d[M * N], want[M * N];
    for (size_t i = 0; i < COUNT(a); i++)
        a[i] = next(rng) & 0xbfff;
    for (size_t i = 0; i < COUNT(b); i++)
        b[i] = next(rng) & 0xbfff;
    for (size_t i = 0; i < COUNT(c); i++) {
        c[i] = how->d == NUM_F64 ? UINT64_C(0x3ff0000000000000) : how->d == NUM_F16 ? next(rng) & 0x3fff : 0x3f800000u;
        want[i] = tw_num_dot(model, how, K, a + i / N * K, b + i % N * K, &c[i], NULL, NULL);
    }
    struct expectation e = {"modifiers", want};
    struct num_tile_job job = {.model = model, .how = how, .m = M, .n = N, .k = K, .a = {a, 8, K, 1}, .b = {b, 8, K, 1}, .c = {c, 8, N, 1},
                               .d = d, .d_word_bytes = 8, .d_row_stride = N, .d_step = 1};
    run_all(arena, &job, expect_tile, &e);
}

static void negation_and_scaled_accumulators_follow_the_reference(void **state)
{
    struct bench_room *const room = *state;
    static const struct {
        enum num_arch arch;
        enum num_unit unit;
        enum num_format a, b, d;
    } kinds[] = {
        {NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F16, NUM_F32},    {NUM_HOPPER, NUM_WGMMA, NUM_BF16, NUM_BF16, NUM_F32},
        {NUM_HOPPER, NUM_WGMMA, NUM_F16, NUM_F16, NUM_F16},    {NUM_HOPPER, NUM_MMA_SYNC, NUM_E4M3, NUM_E5M2, NUM_F32},
        {NUM_BLACKWELL, NUM_TCGEN05, NUM_S8, NUM_U8, NUM_S32}, {NUM_HOPPER, NUM_MMA_SYNC, NUM_F64, NUM_F64, NUM_F64},
    };
    uint64_t rng = 6;
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (unsigned bits = 0; bits < 8; bits++) {
            const struct num_dot_how how = {.a = kinds[i].a, .b = kinds[i].b, .d = kinds[i].d, .negate_a = (bits & 1) != 0, .negate_b = (bits & 2) != 0,
                                            .scale_c_log2 = (bits & 4) != 0 && kinds[i].unit != NUM_MMA_SYNC && kinds[i].d != NUM_S32 ? 3 : 0};
            check_how(&room->arena, &how, tw_num_dot_model(kinds[i].arch, kinds[i].unit, NUM_PLAIN, how.a, how.b, how.d), &rng);
        }
}

/* ---- Integers ---- */

static void integers_clamp_after_each_instruction(void **state)
{
    struct bench_room *const room = *state;
    /* Two instructions of 16: +2^31 - 1 + 16 clamps, then 16 * -1 comes off; a sum over both would have stayed exact. */
    uint64_t a[32], b[32 * 20], c[20], d[20];
    for (size_t i = 0; i < COUNT(a); i++)
        a[i] = i < 16 ? 1 : 0xff;
    for (size_t i = 0; i < COUNT(b); i++)
        b[i] = 1;
    for (size_t i = 0; i < COUNT(c); i++)
        c[i] = 0x7fffffff;
    struct worked clamps = {.rule = "satfinite", .want = 0x7fffffef}, wraps = {.rule = "wrapping", .want = 0x7fffffff};
    for (unsigned saturate = 0; saturate < 2; saturate++) {
        const struct num_dot_how how = {.a = NUM_S8, .b = NUM_S8, .d = NUM_S32, .saturate = saturate != 0};
        struct num_tile_job job = {.model = tw_num_dot_model(NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_S8, NUM_S8, NUM_S32), .how = &how,
                                   .m = 1, .n = 20, .k = 32, .k_step = 16, .a = {a, 8, 32, 1}, .b = {b, 8, 32, 1}, .c = {c, 8, 20, 1},
                                   .d = d, .d_word_bytes = 8, .d_row_stride = 20, .d_step = 1};
        run_all(&room->arena, &job, expect_word, saturate != 0 ? &clamps : &wraps);
    }
}

static void scratch_does_not_grow_with_k(void **state)
{
    (void)state;
    const struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32};
    struct num_tile_job job = {.model = tw_num_dot_model(NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32), .how = &how,
                               .m = 64, .n = 256, .k = 16, .k_step = 16, .d_word_bytes = 4, .d_row_stride = 256, .d_step = 1};
    const size_t once = tw_num_tile_scratch(&job);
    job.k = 16384;
    assert_int_equal(tw_num_tile_scratch(&job), once);
    job.m = 128;
    assert_true(tw_num_tile_scratch(&job) > once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(results_worked_by_hand_come_out_in_every_lane),
        ROOM_TEST(every_shape_and_lie_gives_the_same_words),
        ROOM_TEST(negation_and_scaled_accumulators_follow_the_reference),
        ROOM_TEST(integers_clamp_after_each_instruction),
        cmocka_unit_test(scratch_does_not_grow_with_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
