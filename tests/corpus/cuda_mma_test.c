/* corpus/cuda: mma.sync and wgmma. Launches, inputs and formulas are those of the programs' host parts. */
#include "corpus/numbers.h"

#include <math.h>

/* D[m, n] = sum over k of A[m, k] B[n, k], one tile; inputs are quarters times `scale`. */
struct tile {
    enum num_format in, out;
    int m, n, k;
    uint32_t threads;
    double scale;
};

static void one_tile(struct kernel *k)
{
    const struct tile *const f = k->test->facts;
    kernel_launch(k, 1, 1, 1, f->threads, 0);
    struct argument *const a = kernel_add_tensor(k, "A", f->in, 2, f->m, f->k), *const b = kernel_add_tensor(k, "B", f->in, 2, f->n, f->k),
                    *const d = kernel_add_output(k, "D", f->out, 2, f->m, f->n);
    fill_host_quarters(a, 0, f->scale);
    fill_host_quarters(b, 999, f->scale);
    kernel_run(k);
    double *const want = arena_new(&k->room->arena, double, d->count);
    multiply(&(struct product){values_of(k, a, a->before), values_of(k, b, b->before), f->m, f->n, f->k, true}, want);
    expect_equal(k, d, want);
}

static void mma_sync_gemm(struct kernel *k)
{
    enum { M = 128, N = 192, K = 96 };
    kernel_launch(k, N / 64, M / 64, 1, 128, 0);
    struct argument *const a = kernel_add_tensor(k, "A", NUM_F16, 2, M, K), *const b = kernel_add_tensor(k, "B", NUM_F16, 2, K, N),
                    *const c = kernel_add_output(k, "C", NUM_F32, 2, M, N);
    kernel_add_int(k, "M", M);
    kernel_add_int(k, "N", N);
    kernel_add_int(k, "K", K);
    fill_host_quarters(a, 0, 1);
    fill_host_quarters(b, 7777, 1);
    kernel_run(k);
    double *const want = arena_new(&k->room->arena, double, c->count);
    multiply(&(struct product){values_of(k, a, a->before), values_of(k, b, b->before), M, N, K, false}, want);
    expect_equal(k, c, want);
}

/* Bits that both operands have, counted. */
static void mma_b1(struct kernel *k)
{
    enum { M = 16, N = 8, WORDS = 8 };
    kernel_launch(k, 1, 1, 1, 32, 0);
    struct argument *const a = kernel_add_tensor(k, "A", NUM_U32, 2, M, WORDS), *const b = kernel_add_tensor(k, "B", NUM_U32, 2, N, WORDS),
                    *const d = kernel_add_output(k, "D", NUM_S32, 2, M, N);
    uint32_t as[M * WORDS], bs[N * WORDS];
    for (uint32_t i = 0; i < M * WORDS; i++)
        set_word(a, i, as[i] = i * 2654435761u);
    for (uint32_t i = 0; i < N * WORDS; i++)
        set_word(b, i, bs[i] = ~(i * 40503u * 65537u));
    kernel_run(k);
    double want[M * N] = {0};
    for (int i = 0; i < M * N; i++)
        for (int w = 0; w < WORDS; w++)
            want[i] += __builtin_popcount(as[i / N * WORDS + w] & bs[i % N * WORDS + w]);
    expect_equal(k, d, want);
}

/* The two values of every four columns of A stand at columns 1 and 3. */
static void mma_sp_f16(struct kernel *k)
{
    enum { M = 16, N = 8, K = 32 };
    kernel_launch(k, 1, 1, 1, 32, 0);
    struct argument *const a = kernel_add_tensor(k, "A", NUM_F16, 2, M, K / 2), *const b = kernel_add_tensor(k, "B", NUM_F16, 2, N, K),
                    *const d = kernel_add_output(k, "D", NUM_F32, 2, M, N);
    fill_host_quarters(a, 0, 1);
    fill_host_quarters(b, 31, 1);
    kernel_run(k);
    const double *const as = values_of(k, a, a->before), *const bs = values_of(k, b, b->before);
    double want[M * N] = {0};
    for (int i = 0; i < M * N; i++)
        for (int c = 0; c < K / 2; c++)
            want[i] += as[i / N * (K / 2) + c] * bs[i % N * K + c / 2 * 4 + 1 + c % 2 * 2];
    expect_equal(k, d, want);
}

static void movmatrix_t(struct kernel *k)
{
    kernel_launch(k, 1, 1, 1, 32, 0);
    struct argument *const x = kernel_add_tensor(k, "X", NUM_F16, 2, 8, 8), *const y = kernel_add_output(k, "Y", NUM_F16, 2, 8, 8);
    double want[64];
    for (uint32_t i = 0; i < 64; i++) {
        set_element(x, i, i);
        want[i] = i % 8 * 8 + i / 8;
    }
    kernel_run(k);
    expect_equal(k, y, want);
}

/* mma_mxf8: one ue8m0 scale a row of 32 e4m3; mma_nvf4: four e4m3 scales a row of 64 e2m1. */
struct scaled_tile {
    enum num_format in, scale;
    int k, vec, scale_a, scale_a_step, scale_b, scale_b_step; /* scale i is first + i % step */
};

static void scaled_tile(struct kernel *k)
{
    enum { M = 16, N = 8 };
    const struct scaled_tile *const f = k->test->facts;
    const int bytes = f->k * (int)tw_num_bits(f->in) / 8, scales = f->k / f->vec;
    kernel_launch(k, 1, 1, 1, 32, 0);
    struct argument *const a = kernel_add_tensor(k, "A", NUM_U8, 2, M, bytes), *const sa = kernel_add_tensor(k, "SA", NUM_U8, 2, M, scales),
                    *const b = kernel_add_tensor(k, "B", NUM_U8, 2, N, bytes), *const sb = kernel_add_tensor(k, "SB", NUM_U8, 2, N, scales),
                    *const d = kernel_add_output(k, "D", NUM_F32, 2, M, N);
    for (uint32_t i = 0; i < a->count; i++)
        set_word(a, i, i * 37 % 0x48 | (i & 1) << 7);
    for (uint32_t i = 0; i < b->count; i++)
        set_word(b, i, (i * 29 + 5) % 0x48 | (i & 2) << 6);
    for (uint32_t i = 0; i < sa->count; i++)
        set_word(sa, i, (uint64_t)f->scale_a + i % (uint32_t)f->scale_a_step);
    for (uint32_t i = 0; i < sb->count; i++)
        set_word(sb, i, (uint64_t)f->scale_b + i % (uint32_t)f->scale_b_step);
    kernel_run(k);
    double want[M * N] = {0};
    for (int i = 0; i < M * N; i++)
        for (int c = 0; c < f->k; c++)
            want[i] += element(f->in, a->before, (uint64_t)(i / N * f->k + c)) * element(f->in, b->before, (uint64_t)(i % N * f->k + c)) *
                       element(f->scale, sa->before, (uint64_t)(i / N * scales + c / f->vec)) *
                       element(f->scale, sb->before, (uint64_t)(i % N * scales + c / f->vec));
    expect_close(k, d, want, 1e-5, 1e-5);
}

/* C = A B^T as f16, through maps with boxes of 128 x 64 (C: 64 x 64) and the 128-byte swizzle. */
static void wgmma_tma_gemm(struct kernel *k)
{
    enum { M = 256, N = 256, K = 320 };
    kernel_launch(k, N / 128, M / 128, 1, 384, 132096);
    struct argument *const a = kernel_add_map(k, "A", NUM_F16, "128B", (const int[]){M, K}, (const int[]){128, 64}, 2),
                    *const b = kernel_add_map(k, "B", NUM_F16, "128B", (const int[]){N, K}, (const int[]){128, 64}, 2),
                    *const c = kernel_add_map(k, "C", NUM_F16, "128B", (const int[]){M, N}, (const int[]){64, 64}, 2);
    c->output = true;
    kernel_add_int(k, "K", K);
    fill_host_quarters(a, 0, 1);
    fill_host_quarters(b, 7777, 1);
    kernel_run(k);
    double *const want = arena_new(&k->room->arena, double, c->count);
    multiply(&(struct product){values_of(k, a, a->before), values_of(k, b, b->before), M, N, K, true}, want);
    for (uint64_t i = 0; i < c->count; i++)
        want[i] = round_to(NUM_F16, want[i]);
    expect_equal(k, c, want);
}

#define TILE(source, name, ...) {name, source, one_tile, &(const struct tile){__VA_ARGS__}}

static const struct corpus_test rows[] = {
    {"mma_sync_gemm", "mma_sync_gemm", mma_sync_gemm, NULL},
    TILE("mma_sync_types", "mma_tf32", NUM_F32, NUM_F32, 16, 8, 8, 32, 4),
    TILE("mma_sync_types", "mma_bf16", NUM_BF16, NUM_F32, 16, 8, 16, 32, 4),
    TILE("mma_sync_types", "mma_f16acc", NUM_F16, NUM_F16, 16, 8, 16, 32, 4),
    TILE("mma_sync_types", "mma_s8", NUM_S8, NUM_S32, 16, 8, 32, 32, 4),
    TILE("mma_sync_types", "mma_f64", NUM_F64, NUM_F64, 8, 8, 4, 32, 4),
    {"mma_b1", "mma_sync_types", mma_b1, NULL},
    {"mma_sp_f16", "mma_sync_types", mma_sp_f16, NULL},
    {"movmatrix_t", "mma_sync_types", movmatrix_t, NULL},
    TILE("wgmma_types", "wg_bf16", NUM_BF16, NUM_F32, 64, 8, 16, 128, 1),
    TILE("wgmma_types", "wg_tf32", NUM_F32, NUM_F32, 64, 8, 8, 128, 1),
    TILE("wgmma_types", "wg_e4m3", NUM_E4M3, NUM_F32, 64, 8, 32, 128, 1),
    TILE("wgmma_types", "wg_e5m2", NUM_E5M2, NUM_F32, 64, 8, 32, 128, 1),
    TILE("wgmma_types", "wg_s8", NUM_S8, NUM_S32, 64, 8, 32, 128, 4),
    TILE("wgmma_types", "wg_f16_rs", NUM_F16, NUM_F32, 64, 8, 16, 128, 1),
    TILE("wgmma_types", "wg_f16_f16", NUM_F16, NUM_F16, 64, 8, 16, 128, 1),
    {"wgmma_tma_gemm", "wgmma_tma_gemm", wgmma_tma_gemm, NULL},
    {"mma_mxf8", "mma_mx_sm120", scaled_tile, &(const struct scaled_tile){NUM_E4M3, NUM_UE8M0, 32, 32, 124, 6, 125, 5}},
    {"mma_nvf4", "mma_mx_sm120", scaled_tile, &(const struct scaled_tile){NUM_E2M1, NUM_E4M3, 64, 16, 0x30, 16, 0x31, 13}},
};

int main(void)
{
    return corpus_run_tests("corpus/cuda, mma.sync and wgmma", rows, COUNT(rows));
}
