#include "examples/catalogue.h"

#include <stdlib.h>

/* ---- references ------------------------------------------------------------------------------------ */

/* Element (row, column) of input number `input`. */
static double at(const struct example_data *d, int input, int row, int column)
{
    const struct example_tensor *t = &d->of->inputs[input];
    return tw_example_get(t->format, d->input[input], (size_t)row * (size_t)t->columns + (size_t)column);
}

/* Row m of input 0 times row n of input 1. */
static double product(const struct example_data *d, int m, int n)
{
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].columns; k++)
        sum += at(d, 0, m, k) * at(d, 1, n, k);
    return sum;
}

/* Inputs (K, M) and (K, N). */
static double product_of_columns(const struct example_data *d, int m, int n)
{
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].rows; k++)
        sum += at(d, 0, k, m) * at(d, 1, k, n);
    return sum;
}

/* Bank b of A, rows 64 b of input 0, times columns 64 b .. 64 b + 63. */
static double banked(const struct example_data *d, int bank, int m, int n)
{
    return product(d, 64 * bank + m, n);
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
    return n % 4 == 3 ? 0 : product(d, m, n);
}

/* Lane 0 of the even CTA and lane 127 of the odd one keep -5. */
static double masked_pair(const struct example_data *d, int m, int n)
{
    const bool kept = (m == 0 && n < 32) || (m == 127 && n >= 32);
    return kept ? -5 : product(d, m, n);
}

/* Inputs A, B, SFA, SFB: `block` values of K share a factor. */
static double scaled(const struct example_data *d, int m, int n, int block)
{
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].columns; k++)
        sum += at(d, 0, m, k) * at(d, 1, n, k) * at(d, 2, m, k / block) * at(d, 3, n, k / block);
    return sum;
}

static double scaled_by_32(const struct example_data *d, int m, int n)
{
    return scaled(d, m, n, 32);
}

static double scaled_by_16(const struct example_data *d, int m, int n)
{
    return scaled(d, m, n, 16);
}

/* Input C takes part from the start, and every step of 32 saturates. */
static double saturated(const struct example_data *d, int m, int n)
{
    double sum = at(d, 2, m, n);
    for (int k = 0; k < d->of->inputs[0].columns; k++) {
        sum += at(d, 0, m, k) * at(d, 1, n, k);
        if (k % 32 == 31)
            sum = sum > 2147483647.0 ? 2147483647.0 : sum < -2147483648.0 ? -2147483648.0 : sum;
    }
    return sum;
}

static double added_to_an_eighth(const struct example_data *d, int m, int n)
{
    return product(d, m, n) + at(d, 2, m, n) / 8;
}

/* Rows 0-127 are the product; in rows 128-255 row i of each quadrant is row i + 1, and the last comes from input 2. */
static double shifted(const struct example_data *d, int row, int n)
{
    const int m = row % 128;
    if (row < 128 || m % 32 != 31)
        return product(d, row < 128 ? m : m + 1, n);
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].columns; k++)
        sum += at(d, 2, m / 32, k) * at(d, 1, n, k);
    return sum;
}

/* ---- the table ------------------------------------------------------------------------------------- */

#define IN(name_, format_, rows_, columns_) {name_, format_, rows_, columns_, EX_SMALL}
#define SCALES(name_, format_, rows_, columns_) {name_, format_, rows_, columns_, EX_SCALES}
#define OUT(name_, format_, rows_, columns_, value_) {{name_, format_, rows_, columns_, EX_SMALL}, value_}

const struct example tw_examples[] = {
    {"examples/tcgen05/f16.py", "kind f16, the plain case",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 64, 64)}, {OUT("Out", EX_F32, 128, 64, product)}},
    {"examples/tcgen05/bf16_two_tiles.py", "bf16, M 64 twice in the same columns",
     {IN("A", EX_BF16, 128, 32), IN("B", EX_BF16, 48, 32)}, {OUT("Out", EX_F32, 128, 48, product)}},
    {"examples/tcgen05/tf32_mn_major.py", "tf32, both operands MN-major (mode 4)",
     {IN("A", EX_F32, 32, 128), IN("B", EX_F32, 32, 64)}, {OUT("Out", EX_F32, 128, 64, product_of_columns)}},
    {"examples/tcgen05/fp8_fragments.py", "e4m3 by e5m2, read back by 16x256b",
     {IN("A", EX_E4M3, 64, 128), IN("B", EX_E5M2, 32, 128)}, {OUT("Out", EX_F32, 64, 32, product)}},
    {"examples/tcgen05/f16_accumulators.py", "f16 accumulators, packed readback",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 32, 64)}, {OUT("Out", EX_F16, 128, 32, product)}},
    {"examples/tcgen05/a_in_tmem.py", "A from tensor memory, through st",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 64, 64)}, {OUT("Out", EX_F32, 128, 64, product)}},
    {"examples/tcgen05/ws_banks.py", ".ws, M 64: another A in each bank of lanes",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 128, 64)}, {OUT("Out", EX_F32, 64, 128, banks)}},
    {"examples/tcgen05/ws_split_n.py", ".ws split along N, the wrong way and the right",
     {IN("A", EX_F16, 128, 32), IN("B", EX_F16, 128, 32)},
     {OUT("Out", EX_F32, 64, 128, banks), OUT("Wrong", EX_F32, 64, 128, banks_of_wrong_split)}},
    {"examples/tcgen05/ws_zero_columns.py", ".ws with a zero-column mask",
     {IN("A", EX_F16, 128, 32), IN("B", EX_F16, 64, 32)}, {OUT("Out", EX_F32, 128, 64, three_of_four)}},
    {"examples/tcgen05/pair_m256.py", "a CTA pair, M 256",
     {IN("A", EX_F16, 256, 64), IN("B", EX_F16, 64, 64)}, {OUT("Out", EX_F32, 256, 64, product)}},
    {"examples/tcgen05/pair_m128.py", "a CTA pair, M 128, with masked lanes",
     {IN("A", EX_BF16, 128, 64), IN("B", EX_BF16, 64, 64)}, {OUT("Out", EX_F32, 128, 64, masked_pair)}},
    {"examples/tcgen05/mxf8.py", "mxf8f6f4, scales through tcgen05.cp",
     {IN("A", EX_E4M3, 128, 128), IN("B", EX_E4M3, 128, 128), SCALES("SFA", EX_UE8M0, 128, 4), SCALES("SFB", EX_UE8M0, 128, 4)},
     {OUT("Out", EX_F32, 128, 128, scaled_by_32)}},
    {"examples/tcgen05/mxf4.py", "mxf4, scales through tcgen05.cp",
     {IN("A", EX_E2M1, 128, 128), IN("B", EX_E2M1, 64, 128), SCALES("SFA", EX_UE8M0, 128, 4), SCALES("SFB", EX_UE8M0, 64, 4)},
     {OUT("Out", EX_F32, 128, 64, scaled_by_32)}},
    {"examples/tcgen05/nvfp4.py", "NVFP4, N 256, scales through tcgen05.cp",
     {IN("A", EX_E2M1, 128, 128), IN("B", EX_E2M1, 256, 128), SCALES("SFA", EX_UE4M3, 128, 8), SCALES("SFB", EX_UE4M3, 256, 8)},
     {OUT("Out", EX_F32, 128, 256, scaled_by_16)}},
    {"examples/tcgen05/nvfp4_pair.py", "NVFP4 in a pair: SFA split, SFB to both",
     {IN("A", EX_E2M1, 256, 128), IN("B", EX_E2M1, 128, 128), SCALES("SFA", EX_UE4M3, 256, 8), SCALES("SFB", EX_UE4M3, 128, 8)},
     {OUT("Out", EX_F32, 256, 128, scaled_by_16)}},
    {"examples/tcgen05/int8_saturate.py", "i8 into int32 with saturation",
     {{"A", EX_S8, 128, 64, EX_ANY}, {"B", EX_U8, 32, 64, EX_ANY}, {"C", EX_S32, 128, 32, EX_EDGE}},
     {OUT("Out", EX_S32, 128, 32, saturated)}},
    {"examples/tcgen05/scale_input_d.py", "the accumulator scaled as it is read",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 32, 64), IN("C", EX_F32, 128, 32)},
     {OUT("Out", EX_F32, 128, 32, added_to_an_eighth)}},
    {"examples/tcgen05/fp6_expand.py", "e3m2 by e2m1, A expanded by tcgen05.cp",
     {IN("A", EX_E3M2_UNITS, 128, 64), IN("B", EX_E2M1_UNITS, 64, 64)}, {OUT("Out", EX_F32, 128, 64, product)}},
    {"examples/tcgen05/shift_rows.py", "rows of A shifted and refilled in place",
     {IN("A", EX_F16, 128, 16), IN("B", EX_F16, 32, 16), IN("Next", EX_F16, 4, 16)}, {OUT("Out", EX_F32, 256, 32, shifted)}},
    {"examples/gemm_async.py", "gemm_async: seed 001, written out",
     {IN("A", EX_F16, 128, 64), IN("B", EX_F16, 128, 64)}, {OUT("Out", EX_F32, 128, 128, product)}},
    {"examples/gemm_pipeline.py", "gemm_async: three stages, run-time stage",
     {IN("A", EX_F16, 128, 512), IN("B", EX_F16, 128, 512)}, {OUT("Out", EX_F32, 128, 128, product)}},
    {"examples/gemm_block_scaled.py", "gemm_async: MXFP8",
     {IN("A", EX_E4M3, 128, 128), IN("B", EX_E4M3, 128, 128), SCALES("SFA", EX_UE8M0, 128, 4), SCALES("SFB", EX_UE8M0, 128, 4)},
     {OUT("Out", EX_F32, 128, 128, scaled_by_32)}},
};
const size_t tw_example_count = sizeof tw_examples / sizeof tw_examples[0];

/* ---- running --------------------------------------------------------------------------------------- */

static bool fill_input(tw_device *device, tw_args *args, const struct example_tensor *t, uint32_t *state, unsigned char **host)
{
    uint64_t address, bytes;
    const size_t elements = (size_t)t->rows * (size_t)t->columns;
    if (tw_args_tensor(args, t->name, &address, &bytes) != TW_OK || bytes != tw_example_bytes(t->format, elements))
        return false;
    *host = malloc(bytes);
    if (*host == NULL)
        return false;
    tw_example_fill(t->format, t->fill, *host, elements, state);
    return tw_write(device, address, *host, bytes) == TW_OK;
}

static bool fill_inputs(tw_device *device, tw_args *args, struct example_data *d, uint32_t seed)
{
    for (int i = 0; i < EXAMPLE_INPUTS && d->of->inputs[i].name != NULL; i++)
        if (!fill_input(device, args, &d->of->inputs[i], &seed, &d->input[i]))
            return false;
    return true;
}

static uint64_t differences(tw_device *device, tw_args *args, const struct example_data *d, const struct example_output *o)
{
    uint64_t address, bytes, count = 0;
    if (tw_args_tensor(args, o->tensor.name, &address, &bytes) != TW_OK ||
        bytes != tw_example_bytes(o->tensor.format, (size_t)o->tensor.rows * (size_t)o->tensor.columns))
        return UINT64_MAX;
    unsigned char *host = malloc(bytes);
    if (host == NULL || tw_read(device, address, host, bytes) != TW_OK) {
        free(host);
        return UINT64_MAX;
    }
    for (int row = 0; row < o->tensor.rows; row++)
        for (int column = 0; column < o->tensor.columns; column++) {
            const double want = o->value(d, row, column);
            const double found = tw_example_get(o->tensor.format, host, (size_t)row * (size_t)o->tensor.columns + (size_t)column);
            count += !(want >= found && want <= found);
        }
    free(host);
    return count;
}

uint64_t tw_example_run(tw_ctx *ctx, const struct example *e, tw_module *module, uint32_t fill_seed, uint64_t run_seed)
{
    struct example_data d = {.of = e};
    tw_device *device = NULL;
    tw_args *args = NULL;
    tw_launch *launch = NULL;
    uint64_t count = UINT64_MAX;
    if (tw_device_create(ctx, NULL, &device) == TW_OK && tw_args_create(device, module, NULL, NULL, NULL, 0, &args) == TW_OK &&
        fill_inputs(device, args, &d, fill_seed) &&
        tw_args_launch(args, &(tw_launch_opts){.seed = run_seed}, &launch) == TW_OK && tw_launch_run(launch, 0) == TW_OK) {
        count = 0;
        for (int i = 0; i < EXAMPLE_OUTPUTS && e->outputs[i].value != NULL && count != UINT64_MAX; i++) {
            const uint64_t more = differences(device, args, &d, &e->outputs[i]);
            count = more == UINT64_MAX ? more : count + more;
        }
    }
    for (int i = 0; i < EXAMPLE_INPUTS; i++)
        free(d.input[i]);
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
    return count;
}
