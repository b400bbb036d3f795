/* Running a case of the sweep: inputs, the image of tensor memory, the reference. */
#include "api/sweep.h"

#include <stdio.h>
#include <stdlib.h>

struct run {
    const struct sweep_case *c;
    struct sweep_image image;
    int rows;                    /* of A and D in one CTA */
    int k, factors;              /* of all steps */
    unsigned char *a, *b, *sfa, *sfb;
    uint32_t *cells;             /* (CTA, lane, column) */
    int out_columns;
};

static uint32_t *cell(const struct run *r, int cta, int lane, int column)
{
    return &r->cells[((size_t)cta * 128 + (size_t)lane) * (size_t)r->image.columns + (size_t)column];
}

static void *made(size_t bytes)
{
    void *p = calloc(bytes, 1);
    assert_non_null(p);
    return p;
}

static unsigned char *drawn(enum example_format f, enum example_fill fill, size_t elements, uint32_t *state)
{
    unsigned char *p = made(tw_example_bytes(f, elements) + 4);
    tw_example_fill(f, fill, p, elements, state);
    return p;
}

/* ---- where things are. SOURCE: tcgen05 6.1, 6.3, 7.2 ---------------------------------------------------- */

static int lane_of(const struct run *r, int row, int bank)
{
    return r->c->path == 'F' ? 32 * (row / 16) + row % 16 + r->c->lane : row + bank * r->rows;
}

/* A's rows are those of each CTA together, repeats outermost. With banks every bank has other rows. */
static int row_of_a(const struct run *r, int repeat, int m, int bank)
{
    const int cta = m / r->rows, turn = r->c->a_in_tmem ? bank : 0;
    return cta * r->rows * r->c->m_repeat + repeat * r->rows + (m % r->rows + turn) % r->rows;
}

static int row_of_b(const struct run *r, int repeat, int n)
{
    const int share = r->c->n / r->c->group;
    return n / share * share * r->c->n_repeat + repeat * share + n % share;
}

static int bank_of(const struct run *r, int n)
{
    return n / (r->c->n / sweep_banks(r->c));
}

static uint32_t *cell_of_d(const struct run *r, uint32_t *cells, int columns, int mr, int nr, int m, int n)
{
    const int width = r->c->n / sweep_banks(r->c), column = (mr * r->c->n_repeat + nr) * width + n % width;
    return &cells[((size_t)(m / r->rows) * 128 + (size_t)lane_of(r, m % r->rows, bank_of(r, n))) * (size_t)columns + (size_t)column];
}

/* ---- the image ------------------------------------------------------------------------------------------- */

/* A byte an element for 6- and 4-bit formats: bits 5:0, or bits 5:2. */
static uint32_t container(enum example_format f, uint32_t word)
{
    return f == EX_E2M1_UNITS ? word << 2 : word;
}

static void put_a(const struct run *r)
{
    const int bits = r->c->kind->container, each = 32 / bits;
    for (int cta = 0; cta < r->c->group; cta++)
        for (int bank = 0; bank < sweep_banks(r->c); bank++)
            for (int row = 0; row < r->rows; row++)
                for (int k = 0; k < r->k; k++) {
                    const size_t index = (size_t)row_of_a(r, 0, cta * r->rows + row, bank) * (size_t)r->k + (size_t)k;
                    const uint32_t word = container(r->c->a, (uint32_t)tw_example_word(r->c->a, r->a, index));
                    *cell(r, cta, lane_of(r, row, bank), r->image.a + k / each) |= word << (k % each * bits);
                }
}

static void put_scale(const struct run *r, int cta, int first, int lane, int copies, int row, int cells, const unsigned char *scales, int source)
{
    for (int s = 0; s < r->factors; s++)
        for (int copy = 0; copy < copies; copy++)
            *cell(r, cta, lane + 32 * copy, first + row / 32 + s / 4 * cells) |=
                (uint32_t)tw_example_word(r->c->sf, scales, (size_t)source * (size_t)r->factors + (size_t)s) << (s % 4 * 8);
}

static void put_scales(const struct run *r)
{
    const int half = r->c->n / 2;
    for (int cta = 0; cta < r->c->group; cta++) {
        for (int m = 0; m < r->rows; m++)
            put_scale(r, cta, r->image.sfa, m % 32, 4, m, (r->rows + 31) / 32, r->sfa, cta * r->rows + m);
        for (int n = 0; n < r->c->n; n++)
            if (r->c->path == 'B')
                put_scale(r, cta, r->image.sfb, 64 * (n / half) + n % 32, 2, n % half, (half + 31) / 32, r->sfb, n);
            else
                put_scale(r, cta, r->image.sfb, n % 32, 4, n, (r->c->n + 31) / 32, r->sfb, n);
    }
}

/* What D holds before: small numbers where it is read; NaNs, or a large integer, where it must not be. */
static void put_d(const struct run *r, uint32_t *state)
{
    const size_t count = (size_t)(r->c->m * r->c->m_repeat) * (size_t)(r->c->n * r->c->n_repeat);
    const enum example_format f = r->c->d == EX_S32 ? EX_S8 : r->c->d;
    unsigned char *start = drawn(f, r->c->d == EX_S32 ? EX_ANY : EX_SMALL, count, state);
    size_t next = 0;
    for (int mr = 0; mr < r->c->m_repeat; mr++)
        for (int nr = 0; nr < r->c->n_repeat; nr++)
            for (int m = 0; m < r->c->m; m++)
                for (int n = 0; n < r->c->n; n++) {
                    const uint32_t word = (uint32_t)tw_example_word(f, start, next++);
                    const uint32_t value = r->c->d == EX_S32 ? (uint32_t)(int32_t)(int8_t)word : word;
                    *cell_of_d(r, r->cells, r->image.columns, mr, nr, m, n) = r->c->accum ? value : 0x7fffffff;
                }
    free(start);
}

/* ---- the reference ----------------------------------------------------------------------------------------- */

static double term(const struct run *r, int mr, int nr, int m, int n)
{
    const size_t a = (size_t)row_of_a(r, mr, m, bank_of(r, n)) * (size_t)r->k, b = (size_t)row_of_b(r, nr, n) * (size_t)r->k;
    double sum = 0;
    for (int k = 0; k < r->k; k++) {
        double scale = 1;
        if (r->factors != 0) {
            const int s = k / (r->k / r->factors);
            scale = tw_example_get(r->c->sf, r->sfa, (size_t)m * (size_t)r->factors + (size_t)s) *
                    tw_example_get(r->c->sf, r->sfb, (size_t)n * (size_t)r->factors + (size_t)s);
        }
        sum += tw_example_get(r->c->a, r->a, a + (size_t)k) * tw_example_get(r->c->b, r->b, b + (size_t)k) * scale;
    }
    return r->c->negate_a != r->c->negate_b ? -sum : sum;
}

static double value_of(enum example_format f, uint32_t word)
{
    unsigned char bytes[4];
    memcpy(bytes, &word, sizeof bytes);
    return tw_example_get(f, bytes, 0);
}

static uint64_t differing(const struct run *r, uint32_t *out)
{
    uint64_t count = 0;
    for (int mr = 0; mr < r->c->m_repeat; mr++)
        for (int nr = 0; nr < r->c->n_repeat; nr++)
            for (int m = 0; m < r->c->m; m++)
                for (int n = 0; n < r->c->n; n++) {
                    const double before = r->c->accum ? value_of(r->c->d, *cell_of_d(r, r->cells, r->image.columns, mr, nr, m, n)) : 0;
                    const double want = before + term(r, mr, nr, m, n);
                    const double found = value_of(r->c->d, *cell_of_d(r, out, r->out_columns, mr, nr, m, n));
                    count += !(want <= found && want >= found);
                }
    return count;
}

/* ---- running --------------------------------------------------------------------------------------------- */

static void write_tensor(tw_device *device, tw_args *args, const char *name, const void *from, size_t want)
{
    uint64_t address, bytes;
    assert_int_equal(tw_args_tensor(args, name, &address, &bytes), TW_OK);
    assert_int_equal(bytes, want);
    assert_int_equal(tw_write(device, address, from, bytes), TW_OK);
}

static uint64_t launch(tw_ctx *ctx, tw_module *module, const struct run *r)
{
    tw_device *device;
    tw_args *args;
    tw_launch *l = NULL;
    uint64_t address, bytes, count = UINT64_MAX;
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
    assert_int_equal(tw_args_create(device, module, NULL, NULL, NULL, 0, &args), TW_OK);
    write_tensor(device, args, "A", r->a, tw_example_bytes(r->c->a, (size_t)(r->c->m * r->c->m_repeat * r->k)));
    write_tensor(device, args, "B", r->b, tw_example_bytes(r->c->b, (size_t)(r->c->n * r->c->n_repeat * r->k)));
    write_tensor(device, args, "Image", r->cells, (size_t)r->c->group * 128 * (size_t)r->image.columns * 4);
    assert_int_equal(tw_args_set(args, "more", r->c->accum ? "1" : "0"), TW_OK);
    if (tw_args_launch(args, &(tw_launch_opts){.seed = r->c->number}, &l) == TW_OK && tw_launch_run(l, 0) == TW_OK) {
        assert_int_equal(tw_args_tensor(args, "Out", &address, &bytes), TW_OK);
        uint32_t *out = made(bytes);
        assert_int_equal(tw_read(device, address, out, bytes), TW_OK);
        count = differing(r, out);
        free(out);
    }
    tw_launch_destroy(l);
    tw_args_destroy(args);
    tw_device_destroy(device);
    return count;
}

uint64_t sweep_run(tw_ctx *ctx, tw_module *module, const struct sweep_case *c)
{
    uint32_t state = c->number + 77;
    struct run r = {.c = c, .image = sweep_image_of(c), .rows = c->m / c->group, .k = c->kind->k * c->steps, .factors = c->per_step * c->steps,
                    .out_columns = (sweep_d_columns(c) + 7) / 8 * 8};
    r.a = drawn(c->a, c->a == EX_S8 || c->a == EX_U8 ? EX_ANY : EX_SMALL, (size_t)(c->m * c->m_repeat * r.k), &state);
    r.b = drawn(c->b, c->b == EX_S8 || c->b == EX_U8 ? EX_ANY : EX_SMALL, (size_t)(c->n * c->n_repeat * r.k), &state);
    r.cells = made((size_t)c->group * 128 * (size_t)r.image.columns * 4);
    if (c->kind->scaled) {
        r.sfa = drawn(c->sf, EX_SCALES, (size_t)(c->m * r.factors), &state);
        r.sfb = drawn(c->sf, EX_SCALES, (size_t)(c->n * r.factors), &state);
        put_scales(&r);
    }
    if (c->a_in_tmem)
        put_a(&r);
    put_d(&r, &state);
    const uint64_t count = launch(ctx, module, &r);
    free(r.a), free(r.b), free(r.sfa), free(r.sfb), free(r.cells);
    return count;
}
