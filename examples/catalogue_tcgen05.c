/* The tcgen05 examples, examples/tcgen05 and gemm_async, and their references. */
#include "examples/catalogue.h"

/* ---- references ------------------------------------------------------------------------------------ */

/* Inputs (K, M) and (K, N). */
static double product_of_columns(const struct example_data *d, int m, int n)
{
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].rows; k++)
        sum += tw_example_input(d, 0, k, m) * tw_example_input(d, 1, k, n);
    return sum;
}

/* Bank b of A, rows 64 b of input 0, times columns 64 b .. 64 b + 63. */
static double banked(const struct example_data *d, int bank, int m, int n)
{
    return tw_example_product(d, 64 * bank + m, n);
}

static double banks(const struct example_data *d, int m, int n)
{
    return banked(d, n / 64, m, n);
}

/* Where each instruction of 64 columns folds its own: the bank changes every 32 columns. */
static double banks_of_wrong_split(const struct example_data *d, int m, int n)
{
    return banked(d, n / 32 % 2, m, n);
}

static double three_of_four(const struct example_data *d, int m, int n)
{
    return n % 4 == 3 ? 0 : tw_example_product(d, m, n);
}

/* Lane 0 of the even CTA and lane 127 of the odd one keep -5. */
static double masked_pair(const struct example_data *d, int m, int n)
{
    const bool kept = (m == 0 && n < 32) || (m == 127 && n >= 32);
    return kept ? -5 : tw_example_product(d, m, n);
}

static double added_to_an_eighth(const struct example_data *d, int m, int n)
{
    return tw_example_product(d, m, n) + tw_example_input(d, 2, m, n) / 8;
}

/* Rows 0-127 are the product; in rows 128-255 row i of each quadrant is row i + 1, and the last comes from input 2. */
static double shifted(const struct example_data *d, int row, int n)
{
    const int m = row % 128;
    if (row < 128 || m % 32 != 31)
        return tw_example_product(d, row < 128 ? m : m + 1, n);
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].columns; k++)
        sum += tw_example_input(d, 2, m / 32, k) * tw_example_input(d, 1, n, k);
    return sum;
}

/* ---- the table ------------------------------------------------------------------------------------- */

static const struct example rows[] = {
    {"examples/tensor_mma.py", "tcgen05.mma step by step, bf16", "sm_100a",
     {IN("A", EX_BF16, 128, 128), IN("B", EX_BF16, 32, 128)}, {OUT("Out", EX_F32, 128, 32, tw_example_product)}},
    {"examples/tcgen05/f16.py", "kind f16, the plain case", "sm_100a",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 64, 64)}, {OUT("Out", EX_F32, 128, 64, tw_example_product)}},
    {"examples/tcgen05/bf16_two_tiles.py", "bf16, M 64 twice in the same columns", "sm_100a",
     {IN("A", EX_BF16, 128, 32), IN("B", EX_BF16, 48, 32)}, {OUT("Out", EX_F32, 128, 48, tw_example_product)}},
    {"examples/tcgen05/tf32_mn_major.py", "tf32, both operands MN-major (mode 4)", "sm_100a",
     {IN("A", EX_F32, 32, 128), IN("B", EX_F32, 32, 64)}, {OUT("Out", EX_F32, 128, 64, product_of_columns)}},
    {"examples/tcgen05/fp8_fragments.py", "e4m3 by e5m2, read back by 16x256b", "sm_100a",
     {IN("A", EX_E4M3, 64, 128), IN("B", EX_E5M2, 32, 128)}, {OUT("Out", EX_F32, 64, 32, tw_example_product)}},
    {"examples/tcgen05/f16_accumulators.py", "f16 accumulators, packed readback", "sm_100a",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 32, 64)}, {OUT("Out", EX_F16, 128, 32, tw_example_product)}},
    {"examples/tcgen05/a_in_tmem.py", "A from tensor memory, through st", "sm_100a",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 64, 64)}, {OUT("Out", EX_F32, 128, 64, tw_example_product)}},
    {"examples/tcgen05/ws_banks.py", ".ws, M 64: another A in each bank of lanes", "sm_100a",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 128, 64)}, {OUT("Out", EX_F32, 64, 128, banks)}},
    {"examples/tcgen05/ws_split_n.py", ".ws split along N, the wrong way and the right", "sm_100a",
     {IN("A", EX_F16, 128, 32), IN("B", EX_F16, 128, 32)},
     {OUT("Out", EX_F32, 64, 128, banks), OUT("Wrong", EX_F32, 64, 128, banks_of_wrong_split)}},
    {"examples/tcgen05/ws_zero_columns.py", ".ws with a zero-column mask", "sm_100a",
     {IN("A", EX_F16, 128, 32), IN("B", EX_F16, 64, 32)}, {OUT("Out", EX_F32, 128, 64, three_of_four)}},
    {"examples/tcgen05/pair_m256.py", "a CTA pair, M 256", "sm_100a",
     {IN("A", EX_F16, 256, 64), IN("B", EX_F16, 64, 64)}, {OUT("Out", EX_F32, 256, 64, tw_example_product)}},
    {"examples/tcgen05/pair_m128.py", "a CTA pair, M 128, with masked lanes", "sm_100a",
     {IN("A", EX_BF16, 128, 64), IN("B", EX_BF16, 64, 64)}, {OUT("Out", EX_F32, 128, 64, masked_pair)}},
    {"examples/tcgen05/mxf8.py", "mxf8f6f4, scales through tcgen05.cp", "sm_100a",
     {IN("A", EX_E4M3, 128, 128), IN("B", EX_E4M3, 128, 128), SCALES("SFA", EX_UE8M0, 128, 4), SCALES("SFB", EX_UE8M0, 128, 4)},
     {OUT("Out", EX_F32, 128, 128, tw_example_scaled_by_32)}},
    {"examples/tcgen05/mxf4.py", "mxf4, scales through tcgen05.cp", "sm_100a",
     {IN("A", EX_E2M1, 128, 128), IN("B", EX_E2M1, 64, 128), SCALES("SFA", EX_UE8M0, 128, 4), SCALES("SFB", EX_UE8M0, 64, 4)},
     {OUT("Out", EX_F32, 128, 64, tw_example_scaled_by_32)}},
    {"examples/tcgen05/nvfp4.py", "NVFP4, N 256, scales through tcgen05.cp", "sm_100a",
     {IN("A", EX_E2M1, 128, 128), IN("B", EX_E2M1, 256, 128), SCALES("SFA", EX_UE4M3, 128, 8), SCALES("SFB", EX_UE4M3, 256, 8)},
     {OUT("Out", EX_F32, 128, 256, tw_example_scaled_by_16)}},
    {"examples/tcgen05/nvfp4_pair.py", "NVFP4 in a pair: SFA split, SFB to both", "sm_100a",
     {IN("A", EX_E2M1, 256, 128), IN("B", EX_E2M1, 128, 128), SCALES("SFA", EX_UE4M3, 256, 8), SCALES("SFB", EX_UE4M3, 128, 8)},
     {OUT("Out", EX_F32, 256, 128, tw_example_scaled_by_16)}},
    {"examples/tcgen05/int8_saturate.py", "i8 into int32 with saturation", "sm_100a",
     {{"A", EX_S8, 128, 64, EX_ANY}, {"B", EX_U8, 32, 64, EX_ANY}, {"C", EX_S32, 128, 32, EX_EDGE}},
     {OUT("Out", EX_S32, 128, 32, tw_example_saturated)}},
    {"examples/tcgen05/scale_input_d.py", "the accumulator scaled as it is read", "sm_100a",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 32, 64), IN("C", EX_F32, 128, 32)},
     {OUT("Out", EX_F32, 128, 32, added_to_an_eighth)}},
    {"examples/tcgen05/fp6_expand.py", "e3m2 by e2m1, A expanded by tcgen05.cp", "sm_100a",
     {IN("A", EX_E3M2_UNITS, 128, 64), IN("B", EX_E2M1_UNITS, 64, 64)}, {OUT("Out", EX_F32, 128, 64, tw_example_product)}},
    {"examples/tcgen05/shift_rows.py", "rows of A shifted and refilled in place", "sm_100a",
     {IN("A", EX_F16, 128, 16), IN("B", EX_F16, 32, 16), IN("Next", EX_F16, 4, 16)}, {OUT("Out", EX_F32, 256, 32, shifted)}},
    {"examples/gemm_async.py", "gemm_async: seed 001, written out", "sm_100a",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 128, 64)}, {OUT("Out", EX_F32, 128, 128, tw_example_product)}},
    {"examples/tcgen05/gemm_persistent.py", "persistent, warp-specialised, TMA in and out", "sm_100a",
     {IN("A", EX_F16, 512, 256), IN("B", EX_F16, 512, 256)}, {OUT("D", EX_F16, 512, 512, tw_example_product)}},
    {"examples/tcgen05/gemm_pair.py", "a CTA pair fed by TMA through remote barriers", "sm_100a",
     {IN("A", EX_F16, 256, 256), IN("B", EX_F16, 256, 256)}, {OUT("D", EX_F32, 256, 256, tw_example_product)}},
    {"examples/gemm_pipeline.py", "gemm_async: three stages, run-time stage", "sm_100a",
     {IN("A", EX_F16, 128, 512), IN("B", EX_F16, 128, 512)}, {OUT("Out", EX_F32, 128, 128, tw_example_product)}},
    {"examples/gemm_block_scaled.py", "gemm_async: MXFP8", "sm_100a",
     {IN("A", EX_E4M3, 128, 128), IN("B", EX_E4M3, 128, 128), SCALES("SFA", EX_UE8M0, 128, 4), SCALES("SFB", EX_UE8M0, 128, 4)},
     {OUT("Out", EX_F32, 128, 128, tw_example_scaled_by_32)}},
};
const struct example_list tw_examples_tcgen05 = {rows, sizeof rows / sizeof rows[0]};
