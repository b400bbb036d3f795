/* corpus/cuda: bulk copies, TMA, clusters and launch control. Launches, inputs and formulas are those of the programs' host
 * parts; every value is exact. */
#include "corpus/numbers.h"

/* Every four blocks add their rows into block 0's, through distributed shared memory. */
static void cluster_sum(struct kernel *k)
{
    kernel_launch(k, 8, 1, 4, 256, 0);
    struct argument *const in = kernel_add_tensor(k, "in", NUM_F32, 2, 8, 256), *const out = kernel_add_output(k, "out", NUM_F32, 2, 2, 256);
    fill_host_quarters(in, 0, 1);
    kernel_run(k);
    double want[512] = {0};
    for (int i = 0; i < 8 * 256; i++)
        want[i / 1024 * 256 + i % 256] += element(NUM_F32, in->before, (uint64_t)i);
    expect_equal(k, out, want);
}

static void bulk_reduce_add(struct kernel *k)
{
    kernel_launch(k, 8, 1, 1, 256, 0);
    struct argument *const in = kernel_add_tensor(k, "in", NUM_F32, 2, 8, 256), *const out = kernel_add_output(k, "out", NUM_F32, 1, 256);
    fill_host_quarters(in, 0, 1);
    kernel_run(k);
    double want[256] = {0};
    for (int i = 0; i < 8 * 256; i++)
        want[i % 256] += element(NUM_F32, in->before, (uint64_t)i);
    expect_equal(k, out, want);
}

/* One tile is loaded into both blocks of a pair; each stores it to its own rows. */
static void tma_multicast(struct kernel *k)
{
    kernel_launch(k, 2, 1, 2, 128, 0);
    struct argument *const src = kernel_add_map(k, "src", NUM_F16, "128B", (const int[]){32, 64}, (const int[]){32, 64}, 2),
                    *const dst = kernel_add_map(k, "dst", NUM_F16, "128B", (const int[]){64, 64}, (const int[]){32, 64}, 2);
    dst->output = true;
    fill_host_quarters(src, 0, 1);
    kernel_run(k);
    double want[64 * 64];
    for (uint32_t i = 0; i < 64 * 64; i++)
        want[i] = host_quarter(i % 2048);
    expect_equal(k, dst, want);
}

static void st_async_token(struct kernel *k)
{
    kernel_launch(k, 2, 1, 2, 32, 0);
    struct argument *const out = kernel_add_output(k, "out", NUM_U32, 1, 32);
    kernel_run(k);
    double want[32];
    for (int i = 0; i < 32; i++)
        want[i] = i * 3 + 1;
    expect_equal(k, out, want);
}

/* Every block adds number + 1 to the tiles that it works on: its own, and those of blocks that it cancels. */
static void clc_tiles(struct kernel *k)
{
    enum { X = 40, Y = 30 };
    kernel_launch(k, X, Y, 1, 32, 0);
    struct argument *const out = kernel_add_output(k, "out", NUM_S32, 2, Y, X);
    kernel_run(k);
    double want[X * Y];
    for (int i = 0; i < X * Y; i++)
        want[i] = i + 1;
    expect_equal(k, out, want);
}

static void pdl_first(struct kernel *k)
{
    kernel_launch(k, 1, 1, 1, 64, 0);
    struct argument *const v = kernel_add_output(k, "v", NUM_S32, 1, 64);
    kernel_run(k);
    double want[64];
    for (int i = 0; i < 64; i++)
        want[i] = i;
    expect_equal(k, v, want);
}

static void pdl_second(struct kernel *k)
{
    kernel_launch(k, 1, 1, 1, 64, 0);
    struct argument *const v = kernel_add_tensor(k, "v", NUM_S32, 1, 64), *const w = kernel_add_output(k, "w", NUM_S32, 1, 64);
    double want[64];
    for (int i = 0; i < 64; i++) {
        set_element(v, (uint64_t)i, i);
        want[i] = 2 * i;
    }
    kernel_run(k);
    expect_equal(k, w, want);
}

static const struct corpus_test rows[] = {
    {"cluster_sum", "cluster_bulk", cluster_sum, NULL},
    {"bulk_reduce_add", "cluster_bulk", bulk_reduce_add, NULL},
    {"tma_multicast", "cluster_bulk", tma_multicast, NULL},
    {"st_async_token", "cluster_bulk", st_async_token, NULL},
    {"clc_tiles", "clc_pdl", clc_tiles, NULL},
    {"pdl_first", "clc_pdl", pdl_first, NULL},
    {"pdl_second", "clc_pdl", pdl_second, NULL},
};

int main(void)
{
    return corpus_run_tests("corpus/cuda, copies and launch control", rows, COUNT(rows));
}
