/* corpus/triton: Gluon kernels with explicit tensor memory, barriers and TMA (src/gluon_kernels.py). Quarters as inputs: all
 * results are equal to the formula's, those of f16 after one rounding. */
#include "corpus/numbers.h"
#include "corpus/rows.h"

/* out = x + 1, by way of tensor memory. */
static void tmem_roundtrip(struct kernel *k)
{
    struct random r = {41};
    const int m = kernel_size(k, "M"), n = kernel_size(k, "N");
    struct argument *const x = kernel_shape(k, "x", 2, m, n), *const out = kernel_output(k, "out", 2, m, n);
    double *const want = arena_new(&k->room->arena, double, x->count);
    for (uint64_t i = 0; i < x->count; i++) {
        const double v = round_to(NUM_F32, random_normal(&r));
        set_element(x, i, v);
        want[i] = round_to(NUM_F32, v + 1);
    }
    kernel_run(k);
    expect_equal(k, out, want);
}

static void multiply_tile(struct kernel *k, bool transposed)
{
    struct random r = {42};
    const int m = kernel_size(k, "M"), n = kernel_size(k, "N"), depth = kernel_size(k, "K");
    struct argument *const a = kernel_shape(k, "a", 2, m, depth),
                    *const b = transposed ? kernel_shape(k, "b", 2, n, depth) : kernel_shape(k, "b", 2, depth, n),
                    *const c = kernel_output(k, "c", 2, m, n);
    fill_quarters(a, &r);
    fill_quarters(b, &r);
    if (transposed)
        kernel_set_int(k, "K", depth);
    kernel_run(k);
    double *const want = arena_new(&k->room->arena, double, c->count);
    multiply(&(struct product){values_of(k, a, a->before), values_of(k, b, b->before), m, n, depth, transposed}, want);
    for (uint64_t i = 0; i < c->count; i++)
        want[i] = round_to(c->format, want[i]);
    expect_equal(k, c, want);
}

/* c = a b, one tile; A in shared memory or in tensor memory. */
static void mma_tile(struct kernel *k)
{
    multiply_tile(k, false);
}

/* c = a b^T through a ring of TMA tiles. */
static void mma_tma(struct kernel *k)
{
    multiply_tile(k, true);
}

static const struct corpus_test rows[] = {
    ON_100("gl_tmem_roundtrip", tmem_roundtrip),
    ON_100("gl_mma_tile", mma_tile),
    ON_100("gl_mma_tile_a_tmem", mma_tile),
    ON_100("gl_mma_tma", mma_tma),
};

int main(void)
{
    return corpus_run_tests("corpus/triton, Gluon kernels", rows, COUNT(rows));
}
