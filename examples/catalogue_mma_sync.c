/* The mma.sync examples and their references. */
#include "examples/catalogue.h"

#include <math.h>

/* Three steps of K, each with its own 16 rows of A and 8 of B, two neighbours of K in a word. */
static double steps_added_to_c(const struct example_data *d, int m, int n)
{
    double sum = tw_example_input(d, 2, m, n);
    for (int step = 0; step < 3; step++)
        for (int k = 0; k < 8; k++)
            sum += tw_example_input(d, 0, 16 * step + m, k) * tw_example_input(d, 1, 8 * step + n, k);
    return sum;
}

/* Inputs Q, K and V: row m of softmax(Q K^T / sqrt(columns)) times column n of V. */
static double attention(const struct example_data *d, int m, int n)
{
    const struct example_tensor *keys = &d->of->inputs[1];
    const double root = sqrt(keys->columns);
    double sum = 0, weights = 0;
    for (int key = 0; key < keys->rows; key++) {
        const double weight = exp(tw_example_product(d, m, key) / root);
        sum += weight * tw_example_input(d, 2, key, n);
        weights += weight;
    }
    return sum / weights;
}

/* Inputs A and B, B with a row for each k. */
static double rows_by_columns(const struct example_data *d, int m, int n)
{
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].columns; k++)
        sum += tw_example_input(d, 0, m, k) * tw_example_input(d, 1, k, n);
    return sum;
}

static double added_to_c(const struct example_data *d, int m, int n)
{
    return tw_example_product(d, m, n) + tw_example_input(d, 2, m, n);
}

/* Inputs A, B and E: two of every four neighbours of a row of A are stored, and a code of E says which. */
static double product_of_stored(const struct example_data *d, int m, int n)
{
    double sum = 0;
    for (int i = 0; i < d->of->inputs[0].columns; i++) {
        const int code = (int)tw_example_input(d, 2, m, i / 2), position = code >> 2 * (i % 2) & 3;
        sum += tw_example_input(d, 0, m, i) * tw_example_input(d, 1, n, 4 * (i / 2) + position);
    }
    return sum;
}

/* Weights are rounded to f16, by at most 2^-11 of their value, and |V| is at most 3/2; what the exponentials and sums in
 * float32 add is some hundred times smaller. */
#define ATTENTION_TOLERANCE 0.75e-3

static const struct example rows[] = {
    {"examples/warp_mma.py", "mma.sync: one warp, three steps of K", "sm_80",
     {IN("A", EX_BF16, 48, 8), IN("B", EX_BF16, 24, 8), IN("C", EX_F32, 16, 8)},
     {OUT("Out", EX_F32, 16, 8, steps_added_to_c)}},
    {"examples/mma_sync/attention.py", "mma.sync: fused softmax(Q K^T) V", "sm_80",
     {IN("Q", EX_F16, 64, 64), IN("K", EX_F16, 96, 64), IN("V", EX_F16, 96, 64)},
     {{{"Out", EX_F32, 64, 64, EX_SMALL}, attention, ATTENTION_TOLERANCE}}},
    {"examples/mma_sync/gemm_cp_async.py", "mma.sync: three stages by cp.async, ldmatrix", "sm_80",
     {IN("A", EX_F16, 256, 128), IN("B", EX_F16, 128, 256)},
     {OUT("C", EX_F32, 256, 256, rows_by_columns)}},
    {"examples/mma_sync/tf32_cta.py", "mma.sync: tf32, four warps at cta scope", "sm_80",
     {IN("A", EX_F32, 64, 24), IN("B", EX_F32, 24, 24)}, {OUT("Out", EX_F32, 64, 24, tw_example_product)}},
    {"examples/mma_sync/fp8.py", "mma.sync: e4m3 by e5m2", "sm_89",
     {IN("A", EX_E4M3, 32, 64), IN("B", EX_E5M2, 16, 64)}, {OUT("Out", EX_F32, 32, 16, tw_example_product)}},
    {"examples/mma_sync/f16_sums.py", "mma.sync: f16 accumulators, C of its own", "sm_80",
     {IN("A", EX_F16, 32, 48), IN("B", EX_F16, 24, 48), IN("C", EX_F16, 32, 24)}, {OUT("Out", EX_F16, 32, 24, added_to_c)}},
    {"examples/mma_sync/int8_satfinite.py", "mma.sync: s8 by u8 with saturation", "sm_80",
     {{"A", EX_S8, 32, 96, EX_ANY}, {"B", EX_U8, 8, 96, EX_ANY}, {"C", EX_S32, 32, 8, EX_EDGE}},
     {OUT("Out", EX_S32, 32, 8, tw_example_saturated)}},
    {"examples/mma_sync/int4.py", "mma.sync: s4 by u4", "sm_80",
     {{"A", EX_S4, 16, 128, EX_ANY}, {"B", EX_U4, 16, 128, EX_ANY}}, {OUT("Out", EX_S32, 16, 16, tw_example_product)}},
    {"examples/mma_sync/f64.py", "mma.sync: f64, a warpgroup of two by two", "sm_90",
     {IN("A", EX_F64, 32, 24), IN("B", EX_F64, 16, 24)}, {OUT("Out", EX_F64, 32, 16, tw_example_product)}},
    {"examples/mma_sync/sparse_f16.py", "mma.sp: f16, codes of two steps in a register", "sm_90a",
     {IN("A", EX_F16, 32, 32), IN("B", EX_F16, 16, 64), {"E", EX_U4, 32, 16, EX_CODES}},
     {OUT("Out", EX_F32, 32, 16, product_of_stored)}},
    {"examples/mma_sync/block_scaled_mxf8.py", "mma.sync: mxf8f6f4, a byte of scales a step", "sm_120a",
     {IN("A", EX_E4M3, 16, 128), IN("B", EX_E4M3, 16, 128), SCALES("SFA", EX_UE8M0, 16, 4), SCALES("SFB", EX_UE8M0, 16, 4)},
     {OUT("Out", EX_F32, 16, 16, tw_example_scaled_by_32)}},
    {"examples/mma_sync/block_scaled_nvfp4.py", "mma.sync: NVFP4, scales of two steps by lane", "sm_120a",
     {IN("A", EX_E2M1, 32, 128), IN("B", EX_E2M1, 16, 128), SCALES("SFA", EX_UE4M3, 32, 8), SCALES("SFB", EX_UE4M3, 16, 8)},
     {OUT("Out", EX_F32, 32, 16, tw_example_scaled_by_16)}},
};
const struct example_list tw_examples_mma_sync = {rows, sizeof rows / sizeof rows[0]};
