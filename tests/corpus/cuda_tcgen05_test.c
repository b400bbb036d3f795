/* corpus/cuda: tcgen05. Launches, inputs and formulas are those of the programs' host parts. */
#include "corpus/numbers.h"

#include <math.h>

/* D[m, n] = sum over k of A[m, k] B[n, k]; inputs are quarters times `scale`. */
struct tile {
    enum num_format a, b, out;
    int m, n, k;
    uint32_t dynamic_shared_bytes;
    double scale;
};

static struct argument *run_tile(struct kernel *k, double *want)
{
    const struct tile *const f = k->test->facts;
    kernel_launch(k, 1, 1, 1, 128, f->dynamic_shared_bytes);
    struct argument *const a = kernel_add_tensor(k, "A", f->a, 2, f->m, f->k), *const b = kernel_add_tensor(k, "B", f->b, 2, f->n, f->k),
                    *const d = kernel_add_output(k, "D", f->out, 2, f->m, f->n);
    fill_host_quarters(a, 0, f->scale);
    fill_host_quarters(b, 99, f->scale);
    kernel_run(k);
    multiply(&(struct product){values_of(k, a, a->before), values_of(k, b, b->before), f->m, f->n, f->k, true}, want);
    return d;
}

enum { MAX_TILE = 128 * 128 };

static void one_tile(struct kernel *k)
{
    double want[MAX_TILE];
    const struct argument *const d = run_tile(k, want);
    expect_equal(k, d, want);
}

/* A is negated, and rows 32 to 63 keep what was stored before: the lane's number in its warp. */
static void mask_negate(struct kernel *k)
{
    double want[MAX_TILE];
    const struct argument *const d = run_tile(k, want);
    for (int row = 0; row < 128; row++)
        for (int j = 0; j < 64; j++)
            want[row * 64 + j] = row / 32 == 1 ? row % 32 : -want[row * 64 + j];
    expect_equal(k, d, want);
}

/* Which word of `in`, numbered row * 32 + column, register r of thread t of a warp holds after each load.
 * SOURCE: PTX ISA, "tcgen05.ld", shapes; tcgen05.md 3 for the lane and column of each. */
static int place_16x64b(int t, int r) { return (t / 4 + 8 * (t % 2)) * 32 + t / 2 % 2 + 2 * r; }
static int place_16x128b(int t, int r) { return (t / 4 + 8 * (r % 2)) * 32 + t % 4 + 4 * (r / 2); }
static int place_16x256b(int t, int r) { return (t / 4 + 8 * (r / 2 % 2)) * 32 + 2 * (t % 4) + r % 2 + 8 * (r / 4); }
static int place_16x32bx2(int t, int r) { return t % 16 * 32 + r + 16 * (t / 16); }
/* The low halves of two neighbouring columns, the second above. */
static int place_packed(int t, int r) { return t * 32 + 2 * r; }

static void ldst_shapes(struct kernel *k)
{
    static int (*const places[])(int, int) = {place_16x64b, place_16x128b, place_16x256b, place_16x32bx2, place_packed};
    enum { WORDS = 128 * 32, LOADED = 512 };
    kernel_launch(k, 1, 1, 1, 128, 0);
    struct argument *const in = kernel_add_tensor(k, "in", NUM_U32, 2, 128, 32),
                    *const out = kernel_add_output(k, "out", NUM_U32, 1, WORDS + 5 * LOADED);
    double want[WORDS + 5 * LOADED];
    for (int i = 0; i < WORDS; i++) {
        set_word(in, (uint64_t)i, (uint64_t)i);
        want[i] = i;
    }
    for (int s = 0; s < 5; s++)
        for (int i = 0; i < LOADED; i++) {
            const int warp = i / 128, place = warp * 1024 + places[s](i / 4 % 32, i % 4);
            want[WORDS + s * LOADED + i] = s < 4 ? place : place + (place + 1) * 65536.0;
        }
    kernel_run(k);
    expect_equal(k, out, want);
}

/* ---- block scaling ---------------------------------------------------------------------------------- */

struct scaled {
    enum num_format in, scale;
    int k, vec, scale_first, scale_step, scale_count; /* scale (r, c) of operand o: first + (r step + 3 c + o) % count */
};

struct scaled_side {
    struct argument *elements, *scales;
};

static double *fill_scaled(struct kernel *k, struct scaled_side side, uint32_t o)
{
    const struct scaled *const f = k->test->facts;
    const uint32_t columns = (uint32_t)(f->k / f->vec);
    double *const scaled = arena_new(&k->room->arena, double, (size_t)128 * (size_t)f->k);
    for (uint32_t i = 0; i < side.elements->count; i++)
        set_word(side.elements, i, f->in == NUM_E2M1 ? (i * 2654435761u >> 13) & 0xff : (i * 40503u >> 3) % 0x50 | (i & 1) << 7);
    for (uint32_t r = 0; r < 128; r++)
        for (uint32_t c = 0; c < columns; c++) {
            const uint64_t word = (uint64_t)f->scale_first + (r * (uint32_t)f->scale_step + c * 3 + o) % (uint32_t)f->scale_count;
            set_word(side.scales, c / 4 * 512 + r % 32 * 16 + r / 32 * 4 + c % 4, word);
            for (uint32_t i = c * (uint32_t)f->vec; i < (c + 1) * (uint32_t)f->vec; i++)
                scaled[r * (uint32_t)f->k + i] =
                    element(f->in, side.elements->before, r * (uint32_t)f->k + i) * element(f->scale, (const unsigned char *)&word, 0);
        }
    return scaled;
}

static void scaled_tile(struct kernel *k)
{
    const struct scaled *const f = k->test->facts;
    const int bytes = f->k * (int)tw_num_bits(f->in) / 8;
    kernel_launch(k, 1, 1, 1, 128, 0);
    struct scaled_side a, b;
    a.elements = kernel_add_tensor(k, "A", NUM_U8, 2, 128, bytes);
    a.scales = kernel_add_tensor(k, "SA", NUM_U8, 2, 128, f->k / f->vec);
    b.elements = kernel_add_tensor(k, "B", NUM_U8, 2, 128, bytes);
    b.scales = kernel_add_tensor(k, "SB", NUM_U8, 2, 128, f->k / f->vec);
    struct argument *const d = kernel_add_output(k, "D", NUM_F32, 2, 128, 128);
    kernel_add_int(k, "steps", bytes / 128);
    double want[MAX_TILE];
    const double *const as = fill_scaled(k, a, 0), *const bs = fill_scaled(k, b, 1);
    multiply(&(struct product){as, bs, 128, 128, f->k, true}, want);
    kernel_run(k);
    expect_close(k, d, want, 1e-5, 1e-5);
}

/* ---- whole products ------------------------------------------------------------------------------------ */

static double *fill_and_multiply(struct kernel *k, struct argument *a, struct argument *b, int m, int n, int depth)
{
    double *const want = arena_new(&k->room->arena, double, (size_t)m * (size_t)n);
    fill_host_quarters(a, 0, 1);
    fill_host_quarters(b, 7777, 1);
    multiply(&(struct product){values_of(k, a, a->before), values_of(k, b, b->before), m, n, depth, true}, want);
    return want;
}

/* Persistent: two blocks stride over six tiles. */
static void tma_ws_gemm(struct kernel *k)
{
    enum { M = 384, N = 256, K = 320 };
    kernel_launch(k, 2, 1, 1, 192, 164864);
    struct argument *const a = kernel_add_map(k, "A", NUM_F16, "128B", (const int[]){M, K}, (const int[]){128, 64}, 2),
                    *const b = kernel_add_map(k, "B", NUM_F16, "128B", (const int[]){N, K}, (const int[]){128, 64}, 2),
                    *const c = kernel_add_map(k, "C", NUM_F16, "128B", (const int[]){M, N}, (const int[]){128, 64}, 2);
    c->output = true;
    kernel_add_int(k, "M", M);
    kernel_add_int(k, "N", N);
    kernel_add_int(k, "K", K);
    double *const want = fill_and_multiply(k, a, b, M, N, K);
    for (uint64_t i = 0; i < c->count; i++)
        want[i] = round_to(NUM_F16, want[i]);
    kernel_run(k);
    expect_equal(k, c, want);
}

/* Pairs of blocks form tiles of 256 rows. */
static void cta2_gemm(struct kernel *k)
{
    enum { M = 512, N = 256, K = 320 };
    kernel_launch(k, 2 * (M / 256), N / 128, 2, 128, 74752);
    struct argument *const a = kernel_add_map(k, "A", NUM_F16, "128B", (const int[]){M, K}, (const int[]){128, 64}, 2),
                    *const b = kernel_add_map(k, "B", NUM_F16, "128B", (const int[]){N, K}, (const int[]){64, 64}, 2),
                    *const c = kernel_add_output(k, "C", NUM_F32, 2, M, N);
    kernel_add_int(k, "N", N);
    kernel_add_int(k, "K", K);
    const double *const want = fill_and_multiply(k, a, b, M, N, K);
    kernel_run(k);
    expect_equal(k, c, want);
}

#define TILE(source, name, function, ...) {name, source, function, &(const struct tile){__VA_ARGS__}}
#define SCALED(name, ...) {name, "tc5_mx_gemm", scaled_tile, &(const struct scaled){__VA_ARGS__}}

static const struct corpus_test rows[] = {
    TILE("tc5_single_tile", "tc5_tile_f16", one_tile, NUM_F16, NUM_F16, NUM_F32, 128, 64, 64, 25600, 1),
    TILE("tc5_single_tile", "tc5_tile_bf16", one_tile, NUM_BF16, NUM_BF16, NUM_F32, 128, 64, 64, 25600, 1),
    {"tc5_tma_ws_gemm", "tc5_tma_ws_gemm", tma_ws_gemm, NULL},
    {"tc5_cta2_gemm", "tc5_cta2_gemm", cta2_gemm, NULL},
    SCALED("tc5_mxf8", NUM_E4M3, NUM_UE8M0, 256, 32, 124, 5, 7),
    SCALED("tc5_mxf4", NUM_E2M1, NUM_UE8M0, 512, 32, 124, 5, 7),
    SCALED("tc5_nvf4", NUM_E2M1, NUM_E4M3, 512, 16, 0x30, 7, 16),
    TILE("tc5_ws_variants", "tc5_ws_m32", one_tile, NUM_F16, NUM_F16, NUM_F32, 32, 128, 64, 0, 4),
    TILE("tc5_ws_variants", "tc5_ws_m64", one_tile, NUM_F16, NUM_F16, NUM_F32, 64, 128, 64, 0, 4),
    TILE("tc5_ws_variants", "tc5_a_in_tmem", one_tile, NUM_F16, NUM_F16, NUM_F32, 128, 64, 64, 0, 4),
    TILE("tc5_ws_variants", "tc5_tf32", one_tile, NUM_F32, NUM_F32, NUM_F32, 128, 64, 32, 0, 4),
    TILE("tc5_ws_variants", "tc5_e4m3", one_tile, NUM_E4M3, NUM_E4M3, NUM_F32, 128, 64, 128, 0, 4),
    TILE("tc5_ws_variants", "tc5_e5m2_e4m3", one_tile, NUM_E5M2, NUM_E4M3, NUM_F32, 128, 64, 128, 0, 4),
    TILE("tc5_ws_variants", "tc5_s8", one_tile, NUM_S8, NUM_S8, NUM_S32, 128, 64, 128, 0, 4),
    TILE("tc5_ws_variants", "tc5_mask_negate", mask_negate, NUM_F16, NUM_F16, NUM_F32, 128, 64, 64, 0, 4),
    {"tc5_ldst_shapes", "tc5_ws_variants", ldst_shapes, NULL},
};

int main(void)
{
    return corpus_run_tests("corpus/cuda, tcgen05", rows, COUNT(rows));
}
