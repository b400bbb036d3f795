/* corpus/triton: matrix products. The formulas are the docstrings of src/kernels.py.
 *
 * Inputs are quarters from -2 to 2 (whole numbers from -8 to 8 for int8), so every product and every sum of products is exact
 * in the accumulator, whatever the order: results must be equal, and where they are stored as f16, equal after one rounding.
 * MEASURED: corpus/triton/README.md, largest difference 0 on an H200 for every such product. */
#include "corpus/numbers.h"
#include "corpus/rows.h"

#include <math.h>

struct operands {
    struct argument *a, *b, *c;
    int m, n, k;
};

static struct operands shape_operands(struct kernel *k, bool transposed)
{
    struct operands o = {.m = kernel_size(k, "M"), .n = kernel_size(k, "N"), .k = kernel_size(k, "K")};
    o.a = kernel_shape(k, "a", 2, o.m, o.k);
    o.b = transposed ? kernel_shape(k, "b", 2, o.n, o.k) : kernel_shape(k, "b", 2, o.k, o.n);
    o.c = kernel_output(k, "c", 2, o.m, o.n);
    return o;
}

static double *product_of(struct kernel *k, const struct operands *o, bool transposed)
{
    double *const want = arena_new(&k->room->arena, double, o->c->count);
    multiply(&(struct product){values_of(k, o->a, o->a->before), values_of(k, o->b, o->b->before), o->m, o->n, o->k, transposed}, want);
    return want;
}

static void expect_product(struct kernel *k, const struct operands *o, bool transposed)
{
    double *const want = product_of(k, o, transposed);
    for (uint64_t i = 0; i < o->c->count && o->c->format == NUM_F16; i++)
        want[i] = round_to(NUM_F16, want[i]);
    expect_equal(k, o->c, want);
}

/* What a sum may lose, as a part of the sum of its terms' magnitudes: each instruction drops what lies 24 bits or more below
 * its largest term, fp8 of wgmma 13 bits below, and an operand of tf32 loses 13 of its bits first. */
static double loss_of(const struct kernel *k, enum num_format format)
{
    const bool fp8 = format == NUM_E4M3 || format == NUM_E5M2;
    return fp8 && strstr(k->name, "sm_90") != NULL ? 0x1p-11 : format == NUM_F32 ? 0x1p-9 : 0x1p-21;
}

/* Normal inputs, rounded to the operands' format. */
static void expect_close_product(struct kernel *k, const struct operands *o)
{
    double *const want = product_of(k, o, false), *const sizes = arena_new(&k->room->arena, double, o->c->count);
    double *const a = values_of(k, o->a, o->a->before), *const b = values_of(k, o->b, o->b->before);
    for (uint64_t i = 0; i < o->a->count; i++)
        a[i] = fabs(a[i]);
    for (uint64_t i = 0; i < o->b->count; i++)
        b[i] = fabs(b[i]);
    multiply(&(struct product){a, b, o->m, o->n, o->k, false}, sizes);
    double largest = 0;
    for (uint64_t i = 0; i < o->c->count; i++)
        largest = fmax(largest, sizes[i]);
    expect_close(k, o->c, want, 0, largest * loss_of(k, o->a->format));
}

/* matmul: c = a b, first of quarters, then of normal numbers. */
static void matmul(struct kernel *k)
{
    struct random r = {11};
    const struct operands o = shape_operands(k, false);
    fill_quarters(o.a, &r);
    fill_quarters(o.b, &r);
    kernel_set_int(k, "K", o.k);
    kernel_set_int(k, "lda", o.k);
    kernel_set_int(k, "ldb", o.n);
    kernel_set_int(k, "ldc", o.n);
    kernel_run(k);
    expect_product(k, &o, false);
    if (o.a->format == NUM_S8)
        return;
    fill_normals(o.a, &r);
    fill_normals(o.b, &r);
    kernel_run(k);
    expect_close_product(k, &o);
}

/* matmul_bias_gelu: t = a b + bias, c = t sigmoid(1.702 t) as f16, ragged sizes. The sigmoid is approximate; an f16 is within
 * 2^-11 of the value that it rounds. */
static void matmul_bias_gelu(struct kernel *k)
{
    struct random r = {12};
    const struct operands o = shape_operands(k, false);
    struct argument *const bias = kernel_shape(k, "bias", 1, o.n);
    fill_quarters(o.a, &r);
    fill_quarters(o.b, &r);
    fill_quarters(bias, &r);
    const double *const biases = values_of(k, bias, bias->before);
    double *const want = product_of(k, &o, false);
    for (uint64_t i = 0; i < o.c->count; i++) {
        const double t = want[i] + biases[i % (uint64_t)o.n];
        want[i] = t / (1 + exp(-1.702 * t));
    }
    kernel_set_int(k, "M", o.m);
    kernel_set_int(k, "N", o.n);
    kernel_set_int(k, "K", o.k);
    kernel_run(k);
    expect_close(k, o.c, want, 0x1.02p-11, 0x1p-24);
}

/* matmul_desc, gl_mma_tma: c = a b^T through tensor maps made on the host. */
static void matmul_desc(struct kernel *k)
{
    struct random r = {13};
    const struct operands o = shape_operands(k, true);
    fill_quarters(o.a, &r);
    fill_quarters(o.b, &r);
    kernel_set_int(k, "K", o.k);
    kernel_run(k);
    expect_product(k, &o, true);
}

/* matmul_persistent_devdesc: the same through maps that the kernel builds in its scratch memory. */
static void matmul_devdesc(struct kernel *k)
{
    struct random r = {14};
    const struct operands o = shape_operands(k, true);
    fill_quarters(o.a, &r);
    fill_quarters(o.b, &r);
    kernel_set_int(k, "M", o.m);
    kernel_set_int(k, "N", o.n);
    kernel_set_int(k, "K", o.k);
    kernel_set_int(k, "n_programs", kernel_size(k, "n_programs"));
    kernel_run(k);
    expect_product(k, &o, true);
}

static const struct corpus_test rows[] = {
    ON_ALL("matmul_f16", matmul),
    ON_ALL("matmul_bf16", matmul),
    ON_ALL("matmul_tf32", matmul),
    ON_ALL("matmul_i8", matmul),
    ON_ALL("matmul_f16_64x64", matmul),
    ON_90_100("matmul_e4m3", matmul),
    ON_90_100("matmul_e5m2", matmul),
    ON_90_100("matmul_f16_128x256_8w", matmul),
    ON_90_100("matmul_f16_2cta", matmul),
    ON_ALL("matmul_bias_gelu", matmul_bias_gelu),
    ON_90_100("matmul_desc_f16", matmul_desc),
    ON_90_100("matmul_persistent_devdesc", matmul_devdesc),
    ON_100("matmul_persistent_devdesc_ws", matmul_devdesc),
};

int main(void)
{
    return corpus_run_tests("corpus/triton, matrix products", rows, COUNT(rows));
}
