/* Speed of the tile path on one core: the scalar reference, every implementation that this CPU has, and sgemm of OpenBLAS
 * where its library is found, in G multiply-adds a second. Best of several runs; every result is checked against the
 * reference on a part of the tile first.
 *
 * OpenBLAS is to run at its own best: settings of the environment that choose its kernel are taken away before it loads. */
#define _DEFAULT_SOURCE /* unsetenv, setenv */
#include "num/tile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Many short runs: on a machine with other work the best of them is one that nothing interrupted. */
enum { RUNS = 200 };
static const double least_seconds = 0.001, enough_seconds = 0.6;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct subject {
    const char *name;
    enum num_arch arch;
    enum num_unit unit;
    enum num_kind kind;
    enum num_format a, b, d;
    unsigned m, n, k_step, chain;
    enum num_format scale;
    unsigned block;
    double goal_avx512, goal_avx2; /* 0: none */
};

#define HOPPER_WGMMA NUM_HOPPER, NUM_WGMMA, NUM_PLAIN
#define HOPPER_MMA NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN
#define TCGEN05 NUM_BLACKWELL, NUM_TCGEN05
#define NO_SCALE NUM_NONE, 0

static const struct subject subjects[] = {
    {"f16 wgmma 64x256x16", HOPPER_WGMMA, NUM_F16, NUM_F16, NUM_F32, 64, 256, 16, 1, NO_SCALE, 12, 5},
    {"f16 wgmma 64x256, 4 chained", HOPPER_WGMMA, NUM_F16, NUM_F16, NUM_F32, 64, 256, 16, 4, NO_SCALE, 12, 5},
    {"f16 tcgen05 128x256, 4 chained", TCGEN05, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 128, 256, 16, 4, NO_SCALE, 12, 5},
    {"f16 to f16 wgmma 64x256, 4 chained", HOPPER_WGMMA, NUM_F16, NUM_F16, NUM_F16, 64, 256, 16, 4, NO_SCALE, 0, 0},
    {"f16 mma.sync 16x8x16", HOPPER_MMA, NUM_F16, NUM_F16, NUM_F32, 16, 8, 16, 1, NO_SCALE, 0, 0},
    {"f16 mma.sync sm_80 128x128, 4 chained", NUM_AMPERE, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32, 128, 128, 16, 4, NO_SCALE, 0, 0},
    {"bf16 tcgen05 128x256, 4 chained", TCGEN05, NUM_PLAIN, NUM_BF16, NUM_BF16, NUM_F32, 128, 256, 16, 4, NO_SCALE, 12, 5},
    {"bf16 wgmma 64x256, 4 chained", HOPPER_WGMMA, NUM_BF16, NUM_BF16, NUM_F32, 64, 256, 16, 4, NO_SCALE, 12, 5},
    {"tf32 tcgen05 128x256, 4 chained", TCGEN05, NUM_PLAIN, NUM_TF32, NUM_TF32, NUM_F32, 128, 256, 8, 4, NO_SCALE, 4, 0},
    {"e4m3 wgmma 64x256, 4 chained", HOPPER_WGMMA, NUM_E4M3, NUM_E4M3, NUM_F32, 64, 256, 32, 4, NO_SCALE, 4, 0},
    {"e4m3 mma.sync, two steps, 128x128", HOPPER_MMA, NUM_E4M3, NUM_E4M3, NUM_F32, 128, 128, 32, 4, NO_SCALE, 4, 0},
    {"e4m3 tcgen05 128x256, 4 chained", TCGEN05, NUM_PLAIN, NUM_E4M3, NUM_E4M3, NUM_F32, 128, 256, 32, 4, NO_SCALE, 4, 0},
    {"e2m3 x e2m1 tcgen05 128x256, 4 chained", TCGEN05, NUM_PLAIN, NUM_E2M3, NUM_E2M1, NUM_F32, 128, 256, 32, 4, NO_SCALE, 4, 0},
    {"mxf8f6f4 e4m3 tcgen05 128x256, 4 chained", TCGEN05, NUM_MXF8F6F4, NUM_E4M3, NUM_E4M3, NUM_F32, 128, 256, 32, 4, NUM_UE8M0, 32, 4, 0},
    {"mxf4 tcgen05 128x256, 4 chained", TCGEN05, NUM_MXF4, NUM_E2M1, NUM_E2M1, NUM_F32, 128, 256, 64, 4, NUM_UE8M0, 32, 4, 0},
    {"nvfp4 tcgen05 128x256, 4 chained", TCGEN05, NUM_MXF4NVF4, NUM_E2M1, NUM_E2M1, NUM_F32, 128, 256, 64, 4, NUM_UE4M3, 16, 4, 0},
    {"s8 wgmma 64x256, 4 chained", HOPPER_WGMMA, NUM_S8, NUM_S8, NUM_S32, 64, 256, 32, 4, NO_SCALE, 4, 0},
    {"f64 mma.sync 64x64, 4 chained", HOPPER_MMA, NUM_F64, NUM_F64, NUM_F64, 64, 64, 16, 4, NO_SCALE, 0, 0},
};

static unsigned word_bytes(enum num_format f)
{
    const unsigned bits = tw_num_bits(f);
    return bits <= 8 ? 1 : bits / 8;
}

/* Numbers as a normal distribution of a trained network's weights would give them: exponents spread over some powers of
 * two, all significands, both signs. */
static uint64_t usual_word(enum num_format f, uint64_t *rng)
{
    const struct num_format_info *const info = tw_num_format(f);
    const uint64_t r = next(rng);
    if (info->family != NUM_FLOAT || info->exponent_bits < 4)
        return r & ((UINT64_C(1) << (info->storage_bits - 1) << 1) - 1);
    const unsigned down = r == 0 ? 0 : (unsigned)__builtin_ctzll(r);
    const uint64_t field = (uint64_t)info->bias - (down > 5 ? 5 : down), fraction = r >> 20 & ((UINT64_C(1) << info->fraction_bits) - 1);
    return (((r >> 63) << (info->exponent_bits + info->fraction_bits)) | field << info->fraction_bits | fraction) << info->unused_low_bits;
}

static void *usual_words(enum num_format f, size_t count, uint64_t *rng)
{
    const unsigned bytes = word_bytes(f);
    uint8_t *const words = malloc(count * bytes);
    for (size_t i = 0; words != NULL && i < count; i++) {
        const uint64_t word = usual_word(f, rng);
        memcpy(words + i * bytes, &word, bytes); /* little-endian hosts, as those with these CPU features are */
    }
    return words;
}

static uint8_t *usual_scales(enum num_format f, size_t count, uint64_t *rng)
{
    uint8_t *const words = malloc(count + 1);
    for (size_t i = 0; words != NULL && i < count; i++)
        words[i] = (uint8_t)(f == NUM_UE8M0 ? 125 + next(rng) % 5 : 0x30 + next(rng) % 0x18);
    return words;
}

struct bench {
    struct num_dot_how how;
    struct num_tile_job job;
};

static struct bench make_bench(const struct subject *s)
{
    uint64_t rng = 1;
    struct bench b = {.how = {.a = s->a, .b = s->b, .d = s->d, .scale = s->scale, .scale_block = (uint8_t)s->block}};
    const unsigned k = s->k_step * s->chain, blocks = s->block == 0 ? 0 : k / s->block;
    b.job = (struct num_tile_job){
        .model = tw_num_dot_model(s->arch, s->unit, s->kind, s->a, s->b, s->d), .m = s->m, .n = s->n, .k = k, .k_step = s->k_step,
        .a = {usual_words(s->a, (size_t)s->m * k, &rng), word_bytes(s->a), k, 1},
        .b = {usual_words(s->b, (size_t)s->n * k, &rng), word_bytes(s->b), k, 1},
        .c = {usual_words(s->d, (size_t)s->m * s->n, &rng), word_bytes(s->d), s->n, 1},
        .d = calloc((size_t)s->m * s->n, word_bytes(s->d)), .d_word_bytes = word_bytes(s->d), .d_row_stride = s->n, .d_step = 1};
    if (blocks != 0) {
        b.job.scale_a = (struct num_tile_words){usual_scales(s->scale, (size_t)s->m * blocks, &rng), 1, blocks, 1};
        b.job.scale_b = (struct num_tile_words){usual_scales(s->scale, (size_t)s->n * blocks, &rng), 1, blocks, 1};
    }
    return b;
}

static void free_words(const void *words)
{
    union { const void *from; void *to; } u = {words};
    free(u.to);
}

static void end_bench(struct bench *b)
{
    free_words(b->job.a.words);
    free_words(b->job.b.words);
    free_words(b->job.c.words);
    free_words(b->job.scale_a.words);
    free_words(b->job.scale_b.words);
    free(b->job.d);
    free(b->job.scratch);
}

/* G multiply-adds a second, the best of several runs. */
static double rate(const struct num_tile_implementation *impl, const struct num_tile_job *job)
{
    double best = 0;
    unsigned repeats = 1;
    const double start = now();
    for (int i = 0; i < RUNS && (i < 3 || now() - start < enough_seconds);) {
        const double began = now();
        for (unsigned r = 0; r < repeats; r++)
            impl->run(job);
        const double seconds = now() - began;
        if (seconds < least_seconds && repeats < 1u << 24) {
            repeats *= 2;
            continue;
        }
        const double this = (double)job->m * job->n * job->k * repeats / seconds * 1e-9;
        best = this > best ? this : best;
        i++;
    }
    return best;
}

/* The whole tile, once. */
static bool equals_reference(const struct num_tile_implementation *all, size_t count, struct num_tile_job *job)
{
    const size_t bytes = (size_t)job->m * job->n * job->d_word_bytes;
    void *const want = malloc(bytes), *const d = job->d;
    bool same = want != NULL;
    if (same) {
        job->d = want;
        all[0].run(job);
        job->d = d;
    }
    for (size_t i = 1; i < count && same; i++) {
        if (!all[i].usable())
            continue;
        all[i].run(job);
        same = memcmp(want, d, bytes) == 0;
    }
    free(want);
    return same;
}

static int measure(const struct subject *s, const struct num_tile_implementation *all, size_t count, double sgemm)
{
    struct bench b = make_bench(s);
    b.job.how = &b.how;
    b.job.scratch_bytes = tw_num_tile_scratch(&b.job);
    b.job.scratch = malloc(b.job.scratch_bytes + 1);
    if (b.job.model == NULL || b.job.scratch == NULL || !equals_reference(all, count, &b.job)) {
        printf("%-42s differs from the reference\n", s->name);
        end_bench(&b);
        return 1;
    }
    printf("%-42s", s->name);
    double reference = 0, best = 0;
    for (size_t i = 0; i < count; i++) {
        if (!all[i].usable()) {
            printf(" %9s", "-");
            continue;
        }
        const double r = rate(&all[i], &b.job);
        reference = i == 0 ? r : reference;
        best = r > best ? r : best;
        const double goal = strcmp(all[i].name, "avx512") == 0 ? s->goal_avx512 : strcmp(all[i].name, "avx2") == 0 ? s->goal_avx2 : 0;
        printf(" %8.2f%c", r, goal == 0 || r >= goal ? ' ' : '<');
    }
    printf("  %6.0fx", best / reference);
    if (sgemm > 0)
        printf("  1/%.1f", sgemm / best);
    printf("\n");
    fflush(stdout);
    end_bench(&b);
    return 0;
}

/* ---- OpenBLAS ---- */

typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
                      int ldb, float beta, float *c, int ldc);
typedef char *corename_fn(void);
typedef void threads_fn(int);

/* A function of a shared library; C has no cast from an object pointer for it. */
static bool find(void *library, const char *name, void *function, size_t bytes)
{
    void *const at = dlsym(library, name);
    memcpy(function, &at, bytes);
    return at != NULL;
}

static double time_sgemm(sgemm_fn *sgemm, int size)
{
    const size_t cells = (size_t)size * (size_t)size;
    float *const x = malloc(3 * cells * sizeof *x);
    double best = 0;
    uint64_t rng = 2;
    for (size_t i = 0; x != NULL && i < 3 * cells; i++)
        x[i] = (float)(int64_t)next(&rng) * 0x1p-63f;
    for (int i = 0; x != NULL && i < RUNS / 4; i++) {
        const double began = now();
        sgemm(101, 111, 112, size, size, size, 1, x, size, x + cells, size, 0, x + 2 * cells, size);
        const double r = (double)size * size * size / (now() - began) * 1e-9;
        best = r > best ? r : best;
    }
    free(x);
    return best;
}

/* 0 when there is no OpenBLAS. */
static double openblas(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    unsetenv("OPENBLAS_CORETYPE");
    unsetenv("OPENBLAS_L2_SIZE");
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    sgemm_fn *sgemm;
    corename_fn *corename;
    threads_fn *threads;
    if (library == NULL || !find(library, "cblas_sgemm", &sgemm, sizeof sgemm)) {
        printf("not run: OpenBLAS sgemm (no libopenblas.so.0; Debian: apt-get install libopenblas0)\n");
        return 0;
    }
    if (find(library, "openblas_set_num_threads", &threads, sizeof threads))
        threads(1);
    const double small = time_sgemm(sgemm, 512), large = time_sgemm(sgemm, 1536);
    printf("OpenBLAS sgemm, kernel %s, one thread: %.1f (512 x 512 x 512), %.1f (1536 x 1536 x 1536)\n",
           find(library, "openblas_get_corename", &corename, sizeof corename) ? corename() : "unknown", small, large);
    return small > large ? small : large;
}

int main(int argc, char **argv)
{
    size_t count;
    int failed = 0;
    const struct num_tile_implementation *const all = tw_num_tile_implementations(&count);
    printf("G multiply-adds a second on one core, best of up to %d runs\n", RUNS);
    const double sgemm = openblas();
    printf("%-42s", "tile");
    for (size_t i = 0; i < count; i++)
        printf(" %9s", all[i].name);
    printf("  best/ref%s\n", sgemm > 0 ? "  best/sgemm" : "");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
        if (argc < 2 || strstr(subjects[i].name, argv[1]) != NULL)
            failed += measure(&subjects[i], all, count, sgemm);
    printf("< marks a rate below the goal of that implementation\n");
    return failed != 0;
}
