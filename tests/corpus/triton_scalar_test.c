/* corpus/triton: kernels without tensor cores. The formulas are the docstrings of src/kernels.py.
 *
 * Tolerances: where the kernel's arithmetic is exact, or each step rounds once, the reference follows it and values must be
 * equal. Approximate functions: the largest difference that the corpus's README measured on an H200 is 5e-7. */
#include "corpus/numbers.h"
#include "corpus/rows.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_VALUES = 4096 };

/* vec_add: out[i] = x[i] + y[i]; the tail behind n stays as it was. */
static void vec_add(struct kernel *k)
{
    struct random r = {1};
    const int n = kernel_size(k, "n"), room = n + 24;
    struct argument *const x = kernel_shape(k, "x", 1, room), *const y = kernel_shape(k, "y", 1, room),
                    *const out = kernel_output(k, "out", 1, room);
    double want[MAX_VALUES];
    for (int i = 0; i < room; i++) {
        const double a = round_to(NUM_F32, random_normal(&r)), b = round_to(NUM_F32, random_normal(&r));
        set_element(x, (uint64_t)i, a);
        set_element(y, (uint64_t)i, b);
        set_element(out, (uint64_t)i, -1);
        want[i] = i < n ? round_to(NUM_F32, a + b) : -1;
    }
    kernel_set_int(k, "n", n);
    kernel_run(k);
    expect_equal(k, out, want);
}

/* The kernel rounds to whole numbers with .ftz. */
static double flushed(float v)
{
    return fabsf(v) < 0x1p-126f ? 0 : (double)v;
}

/* unary_math: row f of the result is function f of v, some of p = |v| + 0.5. */
static double unary(int function, double v)
{
    const double p = fabs(v) + 0.5;
    switch (function) {
    case 0: return exp(v);
    case 1: return exp2(v);
    case 2: return log(p);
    case 3: return log2(p);
    case 4: return sqrt(p);
    case 5: return 1 / sqrt(p);
    case 6: return sin(v);
    case 7: return cos(v);
    case 8: return v / p;
    case 9: return 1 / (1 + exp(-v));
    default: return floor(flushed((float)v * 3.0f)) + ceil(flushed((float)v * 5.0f));
    }
}

enum { FUNCTIONS = 11 };

static void run_unary(struct kernel *k, const double *v, double rtol, double atol)
{
    const int n = kernel_size(k, "n");
    struct argument *const x = kernel_shape(k, "x", 1, n), *const out = kernel_output(k, "out", 2, FUNCTIONS, n);
    double want[MAX_VALUES];
    for (int i = 0; i < n; i++)
        set_element(x, (uint64_t)i, v[i]);
    for (int f = 0; f < FUNCTIONS; f++)
        for (int i = 0; i < n; i++)
            want[f * n + i] = round_to(NUM_F32, unary(f, v[i]));
    kernel_set_int(k, "n", n);
    kernel_run(k);
    expect_close(k, out, want, rtol, atol);
}

/* First the inputs of src/check.py; then wide ones: exponentials that overflow, and arguments of sin and cos that are
 * reduced through a table in local memory. An exponential's relative error grows with its argument: 2^-24 * |v| * log2(e). */
static void unary_math(struct kernel *k)
{
    struct random r = {2};
    double v[MAX_VALUES] = {0};
    const int n = kernel_size(k, "n");
    for (int i = 0; i < n; i++)
        v[i] = random_quarter(&r);
    run_unary(k, v, 5e-7, 5e-7);
    for (int i = 0; i < n; i++)
        v[i] = round_to(NUM_F32, random_normal(&r) * 20);
    static const double special[] = {0, 1e-40, 88.5, 90, -104, 150000, -1e7, 105615.25, 3.5e8, 1.5e30, -7.75e36};
    for (size_t i = 0; i < COUNT(special); i++)
        v[i] = round_to(NUM_F32, special[i]);
    run_unary(k, v, 8e-6, 1e-6);
}

/* casts: f32 to narrower formats, and the sum of the four floats in f32. Values stay in the range of e4m3 and int8, as those of
 * src/check.py nearly all do. */
static void casts(struct kernel *k)
{
    static const struct { const char *name; enum num_format format; } outs[] = {
        {"o_f16", NUM_F16}, {"o_bf16", NUM_BF16}, {"o_e4m3", NUM_E4M3}, {"o_e5m2", NUM_E5M2}, {"o_i8", NUM_S8},
    };
    struct random r = {3};
    const int n = kernel_size(k, "n");
    struct argument *const x = kernel_shape(k, "x", 1, n), *const back = kernel_output(k, "back", 1, n);
    struct argument *out[COUNT(outs)];
    double want[COUNT(outs)][MAX_VALUES], sum[MAX_VALUES];
    for (size_t f = 0; f < COUNT(outs); f++)
        out[f] = kernel_output(k, outs[f].name, 1, n);
    for (int i = 0; i < n; i++) {
        double v = random_normal(&r) * 20;
        v = i < 40 ? ldexp(v, -i) : v; /* through the subnormals of the narrow formats */
        v = round_to(NUM_F32, fmin(fmax(v, -127.5), 127.5));
        set_element(x, (uint64_t)i, v);
        for (size_t f = 0; f < COUNT(outs); f++)
            want[f][i] = outs[f].format == NUM_S8 ? trunc(v) : round_to(outs[f].format, v);
        const float two = (float)want[0][i] + (float)want[1][i], three = two + (float)want[2][i];
        sum[i] = (double)(three + (float)want[3][i]);
    }
    kernel_set_int(k, "n", n);
    kernel_run(k);
    for (size_t f = 0; f < COUNT(outs); f++)
        expect_equal(k, out[f], want[f]);
    expect_equal(k, back, sum);
}

/* SOURCE: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3": Philox 4x32 with ten rounds. The counter is (i, 0, 0,
 * 0), the key (seed, 0); the first word of the result is used. */
static uint32_t philox(uint32_t key, uint32_t counter)
{
    uint32_t c[4] = {counter, 0, 0, 0}, k[2] = {key, 0};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    return c[0];
}

/* dropout: x * 2 where the uniform number of (seed, i) is above 0.5. The word's magnitude times 2^-31, a little below 1 at
 * most, is the number. */
static void dropout(struct kernel *k)
{
    struct random r = {4};
    const int n = kernel_size(k, "n"), seed = kernel_size(k, "seed");
    struct argument *const x = kernel_shape(k, "x", 1, n), *const out = kernel_output(k, "out", 1, n);
    double want[MAX_VALUES];
    for (int i = 0; i < n; i++) {
        const double v = round_to(NUM_F32, random_normal(&r));
        const int32_t word = (int32_t)philox((uint32_t)seed, (uint32_t)i);
        const float uniform = (float)(word < 0 ? -(word + 1) : word) * 4.6566127342e-10f;
        set_element(x, (uint64_t)i, v);
        want[i] = uniform > 0.5f ? v * 2 : 0;
    }
    kernel_set_int(k, "n", n);
    kernel_set_int(k, "seed", seed);
    kernel_run(k);
    expect_equal(k, out, want);
}

static void softmax_rows(struct kernel *k)
{
    struct random r = {5};
    const int rows = kernel_size(k, "rows"), columns = kernel_size(k, "n_cols");
    struct argument *const x = kernel_shape(k, "x", 2, rows, columns), *const out = kernel_output(k, "out", 2, rows, columns);
    double want[MAX_VALUES];
    for (int i = 0; i < rows; i++) {
        double v[MAX_VALUES], top = -HUGE_VAL, sum = 0;
        for (int j = 0; j < columns; j++) {
            v[j] = round_to(NUM_F32, random_normal(&r) * 3);
            set_element(x, (uint64_t)(i * columns + j), v[j]);
            top = fmax(top, v[j]);
        }
        for (int j = 0; j < columns; j++)
            sum += v[j] = exp(v[j] - top);
        for (int j = 0; j < columns; j++)
            want[i * columns + j] = v[j] / sum;
    }
    kernel_set_int(k, "n_cols", columns);
    kernel_run(k);
    expect_close(k, out, want, 2e-6, 1e-9);
}

/* layernorm_rows: (x - mean) / sqrt(var + eps) * w + b, stored as f16: half a unit in the last place is 2^-11 of the value. */
static void layernorm_rows(struct kernel *k)
{
    struct random r = {6};
    const int rows = kernel_size(k, "rows"), columns = kernel_size(k, "n_cols");
    struct argument *const x = kernel_shape(k, "x", 2, rows, columns), *const w = kernel_shape(k, "w", 1, columns),
                    *const b = kernel_shape(k, "b", 1, columns), *const out = kernel_output(k, "out", 2, rows, columns);
    fill_quarters(x, &r);
    fill_quarters(w, &r);
    fill_quarters(b, &r);
    const double *const xs = values_of(k, x, x->before), *const ws = values_of(k, w, w->before), *const bs = values_of(k, b, b->before);
    double want[MAX_VALUES];
    for (int i = 0; i < rows; i++) {
        const double *const row = xs + i * columns;
        double mean = 0, variance = 0;
        for (int j = 0; j < columns; j++)
            mean += row[j] / columns;
        for (int j = 0; j < columns; j++)
            variance += (row[j] - mean) * (row[j] - mean) / columns;
        for (int j = 0; j < columns; j++)
            want[i * columns + j] = (row[j] - mean) / sqrt(variance + 1e-5) * ws[j] + bs[j];
    }
    kernel_set_int(k, "n_cols", columns);
    kernel_set_float(k, "eps", "1e-5");
    kernel_run(k);
    expect_close(k, out, want, 0x1.01p-11, 1e-6);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* scan_sort: by row of BLOCK numbers the inclusive prefix sum, the sorted row, the index of the first maximum. */
static void scan_sort(struct kernel *k)
{
    struct random r = {7};
    const int rows = kernel_size(k, "rows"), n = kernel_size(k, "BLOCK");
    struct argument *const x = kernel_shape(k, "x", 2, rows, n), *const sums = kernel_output(k, "o_cumsum", 2, rows, n),
                    *const sorted = kernel_output(k, "o_sorted", 2, rows, n), *const best = kernel_output(k, "o_argmax", 1, rows);
    double want_sums[MAX_VALUES], want_sorted[MAX_VALUES], want_best[MAX_VALUES];
    for (int i = 0; i < rows; i++) {
        double *const row = want_sorted + i * n, sum = 0;
        int top = 0;
        for (int j = 0; j < n; j++) {
            row[j] = (double)random_between(&r, -99, 99); /* some values occur twice, the maximum among them */
            set_element(x, (uint64_t)(i * n + j), row[j]);
            want_sums[i * n + j] = sum += row[j];
            top = row[j] > row[top] ? j : top;
        }
        want_best[i] = top;
        qsort(row, (size_t)n, sizeof *row, by_value);
    }
    kernel_run(k);
    expect_equal(k, sums, want_sums);
    expect_equal(k, sorted, want_sorted);
    expect_equal(k, best, want_best);
}

/* atomics: a histogram of the low six bits, a float sum (of whole numbers, so exact), a maximum, and a count of programs. */
static void atomics(struct kernel *k)
{
    struct random r = {8};
    const int n = kernel_size(k, "n");
    struct argument *const x = kernel_shape(k, "x", 1, n), *const hist = kernel_output(k, "hist", 1, 64),
                    *const sum = kernel_output(k, "sum_f32", 1, 1), *const max = kernel_output(k, "max_i32", 1, 1),
                    *const lock = kernel_output(k, "lock", 1, 1);
    double want[64] = {0}, want_sum = 0, want_max = 0;
    const double programs = k->grid[0];
    for (int i = 0; i < n; i++) {
        const int64_t v = random_between(&r, 0, 999);
        set_element(x, (uint64_t)i, (double)v);
        want[v & 63]++;
        want_sum += (double)v;
        want_max = fmax(want_max, (double)v);
    }
    kernel_set_int(k, "n", n);
    kernel_run(k);
    expect_equal(k, hist, want);
    expect_equal(k, sum, &want_sum);
    expect_equal(k, max, &want_max);
    expect_equal(k, lock, &programs);
}

static void transpose_2d(struct kernel *k)
{
    struct random r = {9};
    const int rows = kernel_size(k, "R"), columns = kernel_size(k, "C");
    struct argument *const x = kernel_shape(k, "x", 2, rows, columns), *const out = kernel_output(k, "out", 2, columns, rows);
    fill_words(x, &r);
    kernel_run(k);
    double want[MAX_VALUES];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            want[j * rows + i] = element(NUM_F16, x->before, (uint64_t)(i * columns + j));
    expect_equal(k, out, want);
}

static const struct corpus_test rows[] = {
    ON_ALL("vec_add_f32", vec_add),
    ON_ALL("unary_math_f32", unary_math),
    ON_90_100("casts", casts),
    ON_ALL("dropout", dropout),
    ON_ALL("softmax_rows", softmax_rows),
    ON_ALL("layernorm_rows", layernorm_rows),
    ON_ALL("scan_sort", scan_sort),
    ON_ALL("atomics", atomics),
    ON_ALL("transpose_2d", transpose_2d),
};

int main(void)
{
    return corpus_run_tests("corpus/triton, scalar kernels", rows, COUNT(rows));
}
