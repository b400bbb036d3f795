/* Every implementation of the tile path equals the reference loop to the bit, on words of every kind.
 *
 * The seed is printed; TW_SEED=N repeats a run, and TW_LONG=1 makes it tens of millions of random words. Implementations
 * that this CPU cannot run are named as not run. */
#include "support/check.h"

#include "base/bits.h"
#include "num/tile.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Random words ---- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t seed_of_run(void)
{
    const char *const text = getenv("TW_SEED");
    return text == NULL ? 20250729 : strtoull(text, NULL, 0);
}

static bool is_long(void)
{
    const char *const text = getenv("TW_LONG");
    return text != NULL && *text == '1';
}

/* What the words of one tile are like. */
enum flavour { BITS, NEAR_ONE, WIDE, SPARSE, SPECIALS, EXTREMES, CANCELLING, FULL, OUTLIERS, FLAVOUR_COUNT };
static const char *const flavour_names[] = {"uniform bits", "near one",  "wide exponents", "zeros and subnormals", "specials",
                                            "extremes",     "cancelling", "full significands", "outliers"};

/* A finite float with the given exponent field. */
static uint64_t with_field(const struct num_format_info *f, uint64_t field, uint64_t random)
{
    const uint64_t fraction = random & bits_mask(f->fraction_bits), sign = f->sign_bits == 0 ? 0 : random >> 63;
    const uint64_t number = sign << (f->exponent_bits + f->fraction_bits) | field << f->fraction_bits | fraction;
    return number << f->unused_low_bits;
}

static uint64_t special_word(const struct num_format_info *f, uint64_t random)
{
    if (f->specials == NUM_ALL_FINITE)
        return 0;
    const uint64_t word = random % 3 == 0 ? f->canonical_nan : f->specials == NUM_IEEE ? f->infinity : f->canonical_nan;
    return word | (f->sign_bits != 0 ? (random >> 8 & 1) << (f->storage_bits - 1) : 0);
}

static uint64_t float_word(const struct num_format_info *f, enum flavour flavour, uint64_t r)
{
    const uint64_t fields = bits_mask(f->exponent_bits), highest = f->specials == NUM_IEEE ? fields - 1 : fields;
    const uint64_t near = (uint64_t)f->bias - (f->bias > 3 ? r >> 40 & 3 : 0);
    const unsigned die = r >> 32 & 63;
    switch (flavour) {
    case NEAR_ONE:
    case CANCELLING: return with_field(f, near, r);
    case WIDE: return with_field(f, (r >> 40) % (highest + 1), r);
    case SPARSE: return die < 32 ? (uint64_t)(die & 1) << (f->storage_bits - 1) : with_field(f, die < 48 ? 0 : near, r);
    case SPECIALS: return die == 0 ? special_word(f, r >> 44) : with_field(f, near, r);
    case EXTREMES: return die < 20 ? f->max_finite : die < 40 ? (uint64_t)1 << f->unused_low_bits : with_field(f, die < 50 ? highest : 1, r);
    case FULL: return with_field(f, near, UINT64_C(0x7fffffffffffffff) | (r & UINT64_C(1) << 63 & (0 - (uint64_t)(die == 0))));
    case OUTLIERS: return with_field(f, die == 0 ? highest - (r >> 40 & 3) : die == 1 ? r >> 40 & 3 : near, r);
    case BITS:
    case FLAVOUR_COUNT:
    default: return r & bits_mask(f->storage_bits);
    }
}

static uint64_t word_of(enum num_format f, enum flavour flavour, uint64_t r)
{
    const struct num_format_info *const info = tw_num_format(f);
    if (info->family == NUM_FLOAT)
        return float_word(info, flavour, r);
    const uint64_t top = UINT64_C(1) << (info->storage_bits - 1);
    if (flavour == EXTREMES)
        return (r & 1) != 0 ? top : r >> 8 & 1 ? top - 1 : bits_mask(info->storage_bits);
    return r & bits_mask(info->storage_bits);
}

/* An accumulator: around one, as the flavour says, far above or far below everything, or nothing. */
static uint64_t accumulator(enum num_format f, enum flavour flavour, uint64_t r)
{
    const struct num_format_info *const info = tw_num_format(f);
    if (info->family != NUM_FLOAT)
        return word_of(f, flavour, r);
    const uint64_t fields = bits_mask(info->exponent_bits);
    switch (r >> 50 & 15) {
    case 0: return (r >> 32 & 1) << (info->storage_bits - 1);
    case 1: return with_field(info, r >> 32 & 7, r);
    case 2: return with_field(info, fields - 1 - (r >> 32 & 7), r);
    case 3: return with_field(info, (r >> 32) % fields, r);
    case 4: return flavour == SPECIALS || flavour == BITS ? special_word(info, r >> 32) : 0;
    case 5: return r & bits_mask(info->storage_bits);
    case 6:
    case 7: return with_field(info, (uint64_t)info->bias + (r >> 32) % (uint64_t)(info->bias > 30 ? 30 : info->bias), r);
    case 8:
    case 9: return with_field(info, (uint64_t)info->bias - (r >> 32) % (uint64_t)(info->bias > 40 ? 40 : info->bias), r);
    default: return with_field(info, (uint64_t)info->bias + (r >> 40 & 3), r);
    }
}

/* ---- Instructions ---- */

struct instruction {
    const char *name;
    enum num_arch arch;
    enum num_unit unit;
    enum num_kind kind;
    enum num_format a, b, d;
    unsigned k;
    enum num_format scale;
    unsigned block;
    bool saturate, bits_and;
};

static const struct instruction instructions[] = {
    {"mma.sync f16", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 16, NUM_NONE, 0, false, false},
    {"mma.sync f16 k8", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 8, NUM_NONE, 0, false, false},
    {"mma.sync f16 to f16", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F16, 16, NUM_NONE, 0, false, false},
    {"wgmma bf16", NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_BF16, NUM_BF16, NUM_F32, 16, NUM_NONE, 0, false, false},
    {"wgmma tf32", NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_TF32, NUM_TF32, NUM_F32, 8, NUM_NONE, 0, false, false},
    {"mma.sync e4m3 in two steps", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_E4M3, NUM_E4M3, NUM_F32, 32, NUM_NONE, 0, false, false},
    {"mma.sync e5m2 e4m3 k16 to f16", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_E5M2, NUM_E4M3, NUM_F16, 16, NUM_NONE, 0, false, false},
    {"wgmma e4m3", NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_E4M3, NUM_E4M3, NUM_F32, 32, NUM_NONE, 0, false, false},
    {"wgmma e5m2 to f16", NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_E5M2, NUM_E5M2, NUM_F16, 32, NUM_NONE, 0, false, false},
    {"mma.sync m8n8k4", NUM_HOPPER, NUM_MMA_M8N8K4, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 4, NUM_NONE, 0, false, false},
    {"mma.sync m8n8k4 to f16", NUM_HOPPER, NUM_MMA_M8N8K4, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F16, 4, NUM_NONE, 0, false, false},
    {"Volta f16", NUM_VOLTA, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 4, NUM_NONE, 0, false, false},
    {"Ampere f16", NUM_AMPERE, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 16, NUM_NONE, 0, false, false},
    {"Ampere bf16", NUM_AMPERE, NUM_MMA_SYNC, NUM_PLAIN, NUM_BF16, NUM_BF16, NUM_F32, 16, NUM_NONE, 0, false, false},
    {"Ampere f16 to f16", NUM_AMPERE, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F16, 16, NUM_NONE, 0, false, false},
    {"Ada e4m3", NUM_ADA, NUM_MMA_SYNC, NUM_PLAIN, NUM_E4M3, NUM_E5M2, NUM_F32, 32, NUM_NONE, 0, false, false},
    {"tcgen05 f16", NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 16, NUM_NONE, 0, false, false},
    {"tcgen05 bf16", NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_BF16, NUM_BF16, NUM_F32, 16, NUM_NONE, 0, false, false},
    {"tcgen05 tf32", NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_TF32, NUM_TF32, NUM_F32, 8, NUM_NONE, 0, false, false},
    {"tcgen05 e4m3", NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_E4M3, NUM_E4M3, NUM_F32, 32, NUM_NONE, 0, false, false},
    {"tcgen05 e5m2 e3m2", NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_E5M2, NUM_E3M2, NUM_F32, 32, NUM_NONE, 0, false, false},
    {"tcgen05 e2m3 e2m1 to f16", NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_E2M3, NUM_E2M1, NUM_F16, 32, NUM_NONE, 0, false, false},
    {"tcgen05 mxf8f6f4 e4m3", NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF8F6F4, NUM_E4M3, NUM_E5M2, NUM_F32, 32, NUM_UE8M0, 32, false, false},
    {"tcgen05 mxf8f6f4 e2m1", NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF8F6F4, NUM_E2M1, NUM_E3M2, NUM_F32, 32, NUM_UE8M0, 32, false, false},
    {"tcgen05 mxf4", NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4, NUM_E2M1, NUM_E2M1, NUM_F32, 64, NUM_UE8M0, 32, false, false},
    {"tcgen05 mxf4nvf4 ue8m0", NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, NUM_E2M1, NUM_E2M1, NUM_F32, 64, NUM_UE8M0, 16, false, false},
    {"tcgen05 nvfp4", NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, NUM_E2M1, NUM_E2M1, NUM_F32, 64, NUM_UE4M3, 16, false, false},
    {"tcgen05 nvfp4 k96", NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, NUM_E2M1, NUM_E2M1, NUM_F32, 96, NUM_UE4M3, 16, false, false},
    {"sm_120 mxf4", NUM_BLACKWELL_CONSUMER, NUM_MMA_SYNC, NUM_MXF4, NUM_E2M1, NUM_E2M1, NUM_F32, 64, NUM_UE8M0, 32, false, false},
    {"sm_120 nvfp4", NUM_BLACKWELL_CONSUMER, NUM_MMA_SYNC, NUM_MXF4NVF4, NUM_E2M1, NUM_E2M1, NUM_F32, 64, NUM_UE4M3, 16, false, false},
    {"sm_120 f8f6f4", NUM_BLACKWELL_CONSUMER, NUM_MMA_SYNC, NUM_PLAIN, NUM_E2M3, NUM_E4M3, NUM_F32, 32, NUM_NONE, 0, false, false},
    {"f64", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_F64, NUM_F64, NUM_F64, 16, NUM_NONE, 0, false, false},
    {"s8 u8", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_S8, NUM_U8, NUM_S32, 32, NUM_NONE, 0, false, false},
    {"u8 u8 satfinite", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_U8, NUM_U8, NUM_S32, 32, NUM_NONE, 0, true, false},
    {"s8 s8 satfinite", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_S8, NUM_S8, NUM_S32, 16, NUM_NONE, 0, true, false},
    {"s4 u4 satfinite", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_S4, NUM_U4, NUM_S32, 64, NUM_NONE, 0, true, false},
    {"b1 and", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_B1, NUM_B1, NUM_S32, 256, NUM_NONE, 0, false, true},
    {"b1 xor", NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_B1, NUM_B1, NUM_S32, 128, NUM_NONE, 0, false, false},
};

/* ---- Tiles ---- */

struct tile {
    const struct instruction *in;
    struct num_dot_how how;
    struct num_tile_job job;
    uint64_t *a, *b, *c, *scale_a, *scale_b, *want, *got;
};

static void fill(uint64_t *words, size_t rows, size_t k, enum num_format f, enum flavour flavour, uint64_t *rng)
{
    const uint64_t sign = UINT64_C(1) << (tw_num_bits(f) - 1);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < k; i++) {
            uint64_t *const w = &words[row * k + i];
            *w = word_of(f, flavour, next(rng));
            if (flavour == CANCELLING && i % 2 == 1 && next(rng) % 4 != 0)
                *w = tw_num_is_float(f) ? w[-1] ^ sign : w[-1];
        }
    if (flavour == SPARSE && rows > 3)
        memset(words + k, 0, k * sizeof *words); /* a row of zeros */
}

static void fill_scales(uint64_t *words, size_t count, enum num_format f, enum flavour flavour, uint64_t *rng)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t r = next(rng);
        words[i] = flavour == BITS ? r & 0xff : f == NUM_UE8M0 ? 124 + r % 8 : 0x28 + r % 0x20;
        if ((flavour == WIDE || flavour == EXTREMES) && r >> 60 == 0)
            words[i] = r & 0x7f;
        if (flavour == SPECIALS && r >> 59 == 0)
            words[i] = f == NUM_UE8M0 ? 0xff : r >> 32 & 1 ? 0x7f : 0;
    }
}

static struct tile make_tile(struct arena *arena, const struct instruction *in, unsigned m, unsigned n, unsigned chain,
                             enum flavour flavour, uint64_t *rng)
{
    struct tile t = {.in = in};
    const unsigned k = in->k * chain, blocks = in->block == 0 ? 0 : (in->k + in->block - 1) / in->block * chain;
    t.a = arena_new(arena, uint64_t, (size_t)m * k);
    t.b = arena_new(arena, uint64_t, (size_t)n * k);
    t.c = arena_new(arena, uint64_t, (size_t)m * n);
    t.want = arena_new(arena, uint64_t, (size_t)m * n);
    t.got = arena_new(arena, uint64_t, (size_t)m * n);
    t.scale_a = arena_new(arena, uint64_t, (size_t)m * blocks + 1);
    t.scale_b = arena_new(arena, uint64_t, (size_t)n * blocks + 1);
    fill(t.a, m, k, in->a, flavour, rng);
    /* Cancellation needs equal partners: the other operand is constant along pairs. */
    fill(t.b, n, k, in->b, flavour == CANCELLING ? NEAR_ONE : flavour, rng);
    if (flavour == CANCELLING)
        for (size_t i = 1; i < (size_t)n * k; i += 2)
            t.b[i] = t.b[i - 1];
    for (size_t i = 0; i < (size_t)m * n; i++)
        t.c[i] = accumulator(in->d, flavour, next(rng));
    fill_scales(t.scale_a, (size_t)m * blocks, in->scale, flavour, rng);
    fill_scales(t.scale_b, (size_t)n * blocks, in->scale, flavour, rng);
    t.how = (struct num_dot_how){.a = in->a, .b = in->b, .d = in->d, .scale = in->scale, .scale_block = (uint8_t)in->block,
                                 .saturate = in->saturate, .bits_and = in->bits_and};
    const unsigned word = sizeof(uint64_t);
    t.job = (struct num_tile_job){.model = tw_num_dot_model(in->arch, in->unit, in->kind, in->a, in->b, in->d),
                                  .m = m, .n = n, .k = k, .k_step = in->k,
                                  .a = {t.a, word, k, 1}, .b = {t.b, word, k, 1}, .c = {t.c, word, n, 1},
                                  .d_word_bytes = word, .d_row_stride = n, .d_step = 1};
    if (blocks != 0) {
        t.job.scale_a = (struct num_tile_words){t.scale_a, word, blocks, 1};
        t.job.scale_b = (struct num_tile_words){t.scale_b, word, blocks, 1};
    }
    assert_non_null(t.job.model);
    return t;
}

static void run(struct arena *arena, const struct num_tile_implementation *implementation, struct tile *t, uint64_t *d)
{
    t->job.how = &t->how;
    t->job.d = d;
    t->job.scratch_bytes = tw_num_tile_scratch(&t->job);
    t->job.scratch = arena_new(arena, uint8_t, t->job.scratch_bytes + 1);
    implementation->run(&t->job);
}

static void expect_equal(struct arena *arena, struct tile *t, const char *what, uint64_t seed)
{
    size_t count;
    const struct num_tile_implementation *const all = tw_num_tile_implementations(&count);
    run(arena, &all[0], t, t->want);
    for (size_t i = 1; i < count; i++) {
        if (!all[i].usable())
            continue;
        memset(t->got, 0xa5, (size_t)t->job.m * t->job.n * sizeof *t->got);
        run(arena, &all[i], t, t->got);
        for (size_t e = 0; e < (size_t)t->job.m * t->job.n; e++)
            if (t->got[e] != t->want[e])
                fail_msg("%s, %s, %s: D[%zu][%zu] of %u x %u x %u is %llx, the reference says %llx, C was %llx (seed %llu)", all[i].name,
                         t->in->name, what, e / t->job.n, e % t->job.n, t->job.m, t->job.n, t->job.k, (unsigned long long)t->got[e],
                         (unsigned long long)t->want[e], (unsigned long long)t->c[e], (unsigned long long)seed);
    }
}

static void every_flavour_of_words_gives_the_references_bits(void **state)
{
    struct bench_room *const room = *state;
    const uint64_t seed = seed_of_run();
    const unsigned repeats = is_long() ? 60 : 2;
    uint64_t rng = seed;
    uint64_t words = 0;
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < COUNT(instructions); i++)
        for (unsigned flavour = 0; flavour < FLAVOUR_COUNT; flavour++)
            for (unsigned repeat = 0; repeat < repeats; repeat++) {
                const struct arena_mark mark = tw_arena_mark(&room->arena);
                const unsigned m = 1 + (unsigned)(next(&rng) % 24), n = 1 + (unsigned)(next(&rng) % 150), chain = 1 + (unsigned)(next(&rng) % 3);
                struct tile t = make_tile(&room->arena, &instructions[i], m, n, chain, (enum flavour)flavour, &rng);
                expect_equal(&room->arena, &t, flavour_names[flavour], seed);
                words += (uint64_t)(m + n) * t.job.k + (uint64_t)m * n;
                tw_arena_rewind(&room->arena, mark);
            }
    printf("%llu random words\n", (unsigned long long)words);
}

/* Every exponent field of A against every one of B, smallest and largest significand, in the place of one product;
 * the window's other products are as the flavour says. */
static void one_pair_class(struct arena *arena, const struct instruction *in, enum flavour others, uint64_t *rng)
{
    const struct num_format_info *const fa = tw_num_format(in->a), *const fb = tw_num_format(in->b);
    const unsigned m = 2u << fa->exponent_bits, n = 2u << fb->exponent_bits;
    struct tile t = make_tile(arena, in, m, n, 1, others, rng);
    for (unsigned i = 0; i < m; i++)
        t.a[(size_t)i * in->k + i % in->k] = with_field(fa, i / 2, (i % 2 == 0 ? 0 : UINT64_C(0x7fffffffffffffff)) | next(rng) << 63);
    for (unsigned j = 0; j < n; j++)
        for (unsigned k = 0; k < in->k; k++) /* A's place differs from row to row: the class stands in all of B's places */
            if (others == SPARSE || k % 4 == 0)
                t.b[(size_t)j * in->k + k] = with_field(fb, j / 2, (j % 2 == 0 ? 0 : UINT64_C(0x7fffffffffffffff)) | next(rng) << 63);
    expect_equal(arena, &t, "a pair of exponents", seed_of_run());
}

static void every_pair_of_exponents_gives_the_references_bits(void **state)
{
    struct bench_room *const room = *state;
    static const enum flavour others[] = {SPARSE, NEAR_ONE, WIDE, SPECIALS};
    uint64_t rng = seed_of_run() + 1;
    for (size_t i = 0; i < COUNT(instructions); i++)
        for (size_t o = 0; o < COUNT(others); o++) {
            const struct instruction *const in = &instructions[i];
            const bool large = tw_num_format(in->a)->exponent_bits == 8;
            if (!tw_num_is_float(in->a) || in->a == NUM_F64 || (large && o != i % COUNT(others) && !is_long()))
                continue;
            const struct arena_mark mark = tw_arena_mark(&room->arena);
            one_pair_class(&room->arena, in, others[o], &rng);
            tw_arena_rewind(&room->arena, mark);
        }
}

/* Block scales that lie far apart, with a C that takes the largest block's sum away: what is left shows which unit the
 * small blocks were cut to. Low scales make the result subnormal, where faint groups are left out. */
static void spread_scales(struct tile *t, uint64_t *scales, unsigned rows, uint64_t *rng)
{
    const unsigned blocks = t->in->k / t->in->block;
    for (unsigned row = 0; row < rows; row++) {
        const uint64_t r = next(rng);
        const uint64_t low = r % 4 == 0 ? 56 + (r >> 8) % 16 : 127; /* a product of two of the former is near 2^-126 */
        for (unsigned block = 0; block < blocks; block++) {
            const uint64_t pick = next(rng), down = block == 0 ? 0 : 8 + pick % 14;
            scales[(size_t)row * blocks + block] = t->in->scale == NUM_UE8M0 ? low - down : block == 0 ? 0x78 + pick % 7 : 1 + pick % 15;
        }
    }
}

static void take_first_block_away(struct arena *arena, struct tile *t)
{
    const struct num_tile_implementation *const reference = tw_num_tile_implementations(&(size_t){0});
    struct tile first = *t;
    first.job.k = t->in->k;
    first.job.c.words = NULL;
    uint64_t *const a = arena_new(arena, uint64_t, (size_t)t->job.m * t->in->k);
    for (unsigned row = 0; row < t->job.m; row++)
        memcpy(a + (size_t)row * t->in->k, t->a + (size_t)row * t->in->k, t->in->block * sizeof *a);
    first.job.a.words = a;
    run(arena, reference, &first, t->c);
    for (size_t i = 0; i < (size_t)t->job.m * t->job.n; i++)
        t->c[i] ^= t->c[i] == 0 ? 0 : 0x80000000u;
}

static void block_scaled_sums_that_cancel_show_the_unit_of_every_group(void **state)
{
    struct bench_room *const room = *state;
    uint64_t rng = seed_of_run() + 2;
    for (unsigned repeat = 0; repeat < (is_long() ? 400 : 12); repeat++)
        for (size_t i = 0; i < COUNT(instructions); i++) {
            if (instructions[i].block == 0 || instructions[i].block == instructions[i].k)
                continue;
            const struct arena_mark mark = tw_arena_mark(&room->arena);
            struct tile t = make_tile(&room->arena, &instructions[i], 24, 40, 1, repeat % 3 == 0 ? SPARSE : BITS, &rng);
            spread_scales(&t, t.scale_a, t.job.m, &rng);
            spread_scales(&t, t.scale_b, t.job.n, &rng);
            take_first_block_away(&room->arena, &t);
            expect_equal(&room->arena, &t, "cancelling blocks", seed_of_run());
            tw_arena_rewind(&room->arena, mark);
        }
}

static void which_implementations_ran(void **state)
{
    (void)state;
    size_t count;
    const struct num_tile_implementation *const all = tw_num_tile_implementations(&count);
    for (size_t i = 0; i < count; i++) {
        if (all[i].usable())
            printf("ran: %s\n", all[i].name);
        else
            printf("not run: %s (this CPU has none)\n", all[i].name);
    }
    assert_string_equal(all[0].name, "ref");
    assert_true(tw_num_tile_best()->usable());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_implementations_ran),
        ROOM_TEST(every_flavour_of_words_gives_the_references_bits),
        ROOM_TEST(every_pair_of_exponents_gives_the_references_bits),
        ROOM_TEST(block_scaled_sums_that_cancel_show_the_unit_of_every_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
