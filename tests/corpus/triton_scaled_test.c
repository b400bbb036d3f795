/* corpus/triton: block-scaled products: c[m, n] = sum over k of A[m, k] sa[m, k / VEC] B[n, k] sb[n, k / VEC], f32.
 *
 * Elements are any finite e4m3 or e2m1 words, scales powers of two around 1 (ue8m0) or words of e4m3 around 1. Sums of such
 * products need more than 24 bits at times, and the tensor core drops low bits of the smaller terms, so the difference is
 * bounded by the sum of the terms' magnitudes: 2^-21 of it, and where the terms are multiples of one power of two that the
 * sum can hold, results are equal. */
#include "corpus/numbers.h"
#include "corpus/rows.h"

#include <math.h>

struct side {
    struct argument *elements, *scales;
    enum num_format format, scale_format;
    int rows, k, pack, vec;
    double *scaled; /* rows x k: element times scale */
};

static bool is_text(const struct kernel *k, const char *constant, const char *text)
{
    return tw_str_is(tw_json_get(tw_json_get(k->json, "constants"), constant)->text, text);
}

static uint64_t random_scale(struct random *r, enum num_format format)
{
    return (uint64_t)(format == NUM_UE8M0 ? random_between(r, 125, 129) : random_between(r, 0x30, 0x40));
}

/* The place of scale (row, s): row-major, or in blocks of 128 rows x 4 scales of 512 bytes, the blocks of a row of blocks
 * one after the other (docstring of matmul_scaled_desc). */
static uint64_t scale_place(const struct side *s, bool tiled, int row, int column)
{
    const int columns = s->k / s->vec;
    if (!tiled)
        return (uint64_t)(row * columns + column);
    const int block = row / 128 * (columns / 4) + column / 4, r = row % 128;
    return (uint64_t)(block * 512 + r % 32 * 16 + r / 32 * 4 + column % 4);
}

static double element_at(const struct side *s, int row, int k)
{
    const uint64_t index = (uint64_t)row * (uint64_t)s->k + (uint64_t)k;
    return element(s->format, s->elements->before, index); /* packed elements: low nibble first */
}

static void fill_side(struct kernel *k, struct side *s, bool tiled, struct random *r)
{
    for (uint64_t i = 0; i < s->elements->count; i++) {
        uint64_t word = random_word(r) & 0xff;
        if (s->format == NUM_E4M3)
            word = (word & 0x80) | (word & 0x7f) % 0x50; /* below 16 */
        set_word(s->elements, i, word);
    }
    s->scaled = arena_new(&k->room->arena, double, (size_t)s->rows * (size_t)s->k);
    for (int row = 0; row < s->rows; row++)
        for (int c = 0; c < s->k / s->vec; c++) {
            const uint64_t word = random_scale(r, s->scale_format);
            set_word(s->scales, scale_place(s, tiled, row, c), word);
            const double scale = element(s->scale_format, (const unsigned char *)&word, 0);
            for (int i = c * s->vec; i < (c + 1) * s->vec; i++)
                s->scaled[row * s->k + i] = element_at(s, row, i) * scale;
        }
}

static struct side make_side(struct kernel *k, const char *elements, const char *scales, const char *format, const char *pack, int rows)
{
    struct side s = {.rows = rows, .k = kernel_size(k, "K"), .pack = kernel_size(k, pack), .vec = kernel_size(k, "VEC")};
    s.format = is_text(k, format, "e2m1") ? NUM_E2M1 : NUM_E4M3;
    s.scale_format = s.vec == 16 ? NUM_E4M3 : NUM_UE8M0;
    s.elements = kernel_shape(k, elements, 2, rows, s.k / s.pack);
    s.scales = kernel_shape(k, scales, 2, rows, s.k / s.vec);
    return s;
}

static void run_scaled(struct kernel *k, bool tiled)
{
    struct random r = {21};
    const int m = kernel_size(k, "M"), n = kernel_size(k, "N");
    struct side a = make_side(k, "a", "sa", "AF", "AP", m), b = make_side(k, "b", "sb", "BF", "BP", n);
    struct argument *const c = kernel_output(k, "c", 2, m, n);
    fill_side(k, &a, tiled, &r);
    fill_side(k, &b, tiled, &r);
    kernel_set_int(k, "K", a.k);
    kernel_run(k);
    double *const want = arena_new(&k->room->arena, double, c->count), *const sizes = arena_new(&k->room->arena, double, c->count);
    multiply(&(struct product){a.scaled, b.scaled, m, n, a.k, true}, want);
    for (int i = 0; i < m * a.k; i++)
        a.scaled[i] = fabs(a.scaled[i]);
    for (int i = 0; i < n * b.k; i++)
        b.scaled[i] = fabs(b.scaled[i]);
    multiply(&(struct product){a.scaled, b.scaled, m, n, a.k, true}, sizes);
    double largest = 0;
    for (uint64_t i = 0; i < c->count; i++)
        largest = fmax(largest, sizes[i]);
    expect_close(k, c, want, 0, largest * 0x1p-21);
}

static void matmul_scaled(struct kernel *k)
{
    run_scaled(k, false);
}

static void matmul_scaled_desc(struct kernel *k)
{
    run_scaled(k, true);
}

static const struct corpus_test rows[] = {
    ON_90_100("scaled_mxfp8", matmul_scaled),
    ON_90_100("scaled_mxfp4", matmul_scaled),
    ON_90_100("scaled_mxfp8_mxfp4", matmul_scaled),
    ON_100("scaled_nvfp4", matmul_scaled),
    ON_100("scaled_mxfp8_desc", matmul_scaled_desc),
    ON_100("scaled_mxfp4_desc", matmul_scaled_desc),
    ON_100("scaled_nvfp4_desc", matmul_scaled_desc),
};

int main(void)
{
    return corpus_run_tests("corpus/triton, block-scaled products", rows, COUNT(rows));
}
