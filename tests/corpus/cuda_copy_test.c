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

/* ---- boxes of every rank and swizzle ------------------------------------------------------------------- */

enum { MAX_BOX = 2048, MAX_ELEMENTS = 4096 };

/* struct Box of tma_shapes.cu, passed by value. */
struct box_parameter {
    int32_t at[5], bytes;
};

/* Sizes are innermost first, as a tensor map has them. A box may start outside the tensor: what lies outside reads as zero and
 * is not written. */
struct box_case {
    uint32_t rank;
    int dims[5], box[5], at[5];
    const char *swizzle;
    uint32_t swizzle_mask; /* bits 4 and up that are xored with those three places above */
};

static struct argument *add_f32_map(struct kernel *k, const char *name, const struct box_case *c)
{
    int dims[5], box[5];
    for (uint32_t i = 0; i < c->rank; i++) {
        dims[i] = c->dims[c->rank - 1 - i];
        box[i] = c->box[c->rank - 1 - i];
    }
    return kernel_add_map(k, name, NUM_F32, c->swizzle, dims, box, c->rank);
}

/* The box's element e: true, with its place in the tensor, if it lies inside. */
static bool inside(const struct box_case *c, int e, int *place)
{
    int stride = 1;
    bool ok = true;
    *place = 0;
    for (uint32_t i = 0; i < c->rank; i++) {
        const int at = c->at[i] + e % c->box[i];
        e /= c->box[i];
        ok = ok && at >= 0 && at < c->dims[i];
        *place += at * stride;
        stride *= c->dims[i];
    }
    return ok;
}

static int elements_of(const int *sizes, uint32_t rank)
{
    int count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= sizes[i];
    return count;
}

/* A box is loaded; its image in shared memory is returned as it is; it is stored through a second map, unless it starts below
 * zero, which a store may not. */
static void copy_box(struct kernel *k, const struct box_case *c)
{
    const int total = elements_of(c->dims, c->rank), count = elements_of(c->box, c->rank);
    struct box_parameter b = {.bytes = count * 4};
    bool below = false;
    for (uint32_t i = 0; i < c->rank; i++) {
        b.at[i] = c->at[i];
        below = below || c->at[i] < 0;
    }
    struct argument *const src = add_f32_map(k, "src", c), *const dst = add_f32_map(k, "dst", c);
    kernel_add_bytes(k, "b", &b, sizeof b);
    struct argument *const raw = kernel_add_output(k, "raw", NUM_F32, 1, count);
    double want_raw[MAX_BOX] = {0}, want[MAX_ELEMENTS];
    assert_true(count <= MAX_BOX && total <= MAX_ELEMENTS);
    dst->output = true;
    for (int i = 0; i < total; i++) {
        set_element(src, (uint64_t)i, i + 1);
        set_element(dst, (uint64_t)i, want[i] = -1);
    }
    for (int e = 0; e < count; e++) {
        const uint32_t byte = (uint32_t)e * 4, image = (byte ^ (byte >> 3 & c->swizzle_mask)) / 4;
        int place;
        if (!inside(c, e, &place))
            continue;
        want_raw[image] = place + 1;
        if (!below)
            want[place] = place + 1;
    }
    kernel_run(k);
    expect_equal(k, raw, want_raw);
    expect_equal(k, dst, want);
}

static void copy_boxes(struct kernel *k)
{
    const struct box_case *const cases = k->test->facts;
    for (const struct box_case *c = cases; c->rank != 0; c++) {
        k->argument_count = 0;
        kernel_launch(k, 1, 1, 1, 32, 0);
        copy_box(k, c);
    }
}

/* The box of ones is added twice. */
static void tma_reduce_add(struct kernel *k)
{
    static const struct box_case c = {2, {32, 16}, {32, 16}, {0, 0}, "none", 0};
    const struct box_parameter b = {{0}, 2048};
    double want[512];
    kernel_launch(k, 1, 1, 1, 32, 0);
    struct argument *const src = add_f32_map(k, "src", &c), *const dst = add_f32_map(k, "dst", &c);
    kernel_add_bytes(k, "b", &b, sizeof b);
    dst->output = true;
    for (uint64_t i = 0; i < 512; i++) {
        set_element(src, i, 1);
        set_element(dst, i, 5);
        want[i] = 7;
    }
    kernel_run(k);
    expect_equal(k, dst, want);
}

/* ---- launch control ---------------------------------------------------------------------------------------- */

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

#define BOXES(...) (const struct box_case[]){__VA_ARGS__, {.rank = 0}}

static const struct corpus_test rows[] = {
    {"cluster_sum", "cluster_bulk", cluster_sum, NULL},
    {"bulk_reduce_add", "cluster_bulk", bulk_reduce_add, NULL},
    {"tma_multicast", "cluster_bulk", tma_multicast, NULL},
    {"st_async_token", "cluster_bulk", st_async_token, NULL},
    {"tma_box_1d", "tma_shapes", copy_boxes, BOXES({1, {100}, {64}, {-8}, "none", 0})},
    {"tma_box_2d", "tma_shapes", copy_boxes,
     BOXES({2, {40, 20}, {32, 16}, {16, 10}, "none", 0}, {2, {40, 20}, {8, 16}, {4, 3}, "32B", 16},
           {2, {40, 20}, {16, 16}, {-4, -3}, "64B", 48}, {2, {40, 20}, {32, 16}, {0, 0}, "128B", 112})},
    {"tma_box_3d", "tma_shapes", copy_boxes, BOXES({3, {16, 10, 6}, {8, 4, 4}, {12, 8, 3}, "none", 0})},
    {"tma_box_4d", "tma_shapes", copy_boxes, BOXES({4, {16, 6, 5, 4}, {8, 4, 2, 2}, {4, 3, 4, 3}, "none", 0})},
    {"tma_box_5d", "tma_shapes", copy_boxes, BOXES({5, {32, 4, 3, 3, 2}, {32, 2, 2, 2, 2}, {0, 1, 2, 1, 0}, "128B", 112})},
    {"tma_reduce_add", "tma_shapes", tma_reduce_add, NULL},
    {"clc_tiles", "clc_pdl", clc_tiles, NULL},
    {"pdl_first", "clc_pdl", pdl_first, NULL},
    {"pdl_second", "clc_pdl", pdl_second, NULL},
};

int main(void)
{
    return corpus_run_tests("corpus/cuda, copies and launch control", rows, COUNT(rows));
}
