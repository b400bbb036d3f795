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
};
const struct example_list tw_examples_mma_sync = {rows, sizeof rows / sizeof rows[0]};
