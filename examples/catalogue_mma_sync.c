/* The mma.sync examples and their references. */
#include "examples/catalogue.h"

/* Three steps of K, each with its own 16 rows of A and 8 of B, two neighbours of K in a word. */
static double steps_added_to_c(const struct example_data *d, int m, int n)
{
    double sum = tw_example_input(d, 2, m, n);
    for (int step = 0; step < 3; step++)
        for (int k = 0; k < 8; k++)
            sum += tw_example_input(d, 0, 16 * step + m, k) * tw_example_input(d, 1, 8 * step + n, k);
    return sum;
}

static const struct example rows[] = {
    {"examples/warp_mma.py", "mma.sync: one warp, three steps of K", "sm_80",
     {IN("A", EX_BF16, 48, 8), IN("B", EX_BF16, 24, 8), IN("C", EX_F32, 16, 8)},
     {OUT("Out", EX_F32, 16, 8, steps_added_to_c)}},
};
const struct example_list tw_examples_mma_sync = {rows, sizeof rows / sizeof rows[0]};
