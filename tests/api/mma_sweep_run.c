/* Running a case: matrices in plain arrays, images of every thread's registers, the reference product. */
#include "api/mma_sweep.h"

#include <stdlib.h>

/* ---- words and values ------------------------------------------------------------------------------------ */

struct float_row {
    int exponent, fraction, bias, sign; /* bits */
};

static struct float_row float_of(enum mma_format f)
{
    switch (f) {
    case MF_F16: return (struct float_row){5, 10, 15, 1};
    case MF_BF16: return (struct float_row){8, 7, 127, 1};
    case MF_TF32:
    case MF_F32: return (struct float_row){8, 23, 127, 1};
    case MF_F64: return (struct float_row){11, 52, 1023, 1};
    case MF_E4M3: return (struct float_row){4, 3, 7, 1};
    case MF_E5M2: return (struct float_row){5, 2, 15, 1};
    case MF_E3M2: return (struct float_row){3, 2, 3, 1};
    case MF_E2M3: return (struct float_row){2, 3, 1, 1};
    case MF_E2M1: return (struct float_row){2, 1, 1, 1};
    case MF_UE8M0: return (struct float_row){8, 0, 127, 0};
    case MF_UE4M3: return (struct float_row){4, 3, 7, 0};
    case MF_S8: case MF_U8: case MF_S4: case MF_U4: case MF_B1: case MF_S32: case MF_COUNT: break;
    }
    return (struct float_row){0, 0, 0, 0};
}

static bool is_float(enum mma_format f)
{
    return float_of(f).exponent != 0;
}

/* The word of a power of two, with its sign. */
static uint64_t power_word(enum mma_format f, int exponent, bool negative)
{
    const struct float_row r = float_of(f);
    const uint64_t sign = negative ? UINT64_C(1) << (r.exponent + r.fraction) : 0;
    if (exponent + r.bias >= 1)
        return sign | (uint64_t)(exponent + r.bias) << r.fraction;
    return sign | UINT64_C(1) << (r.fraction + exponent + r.bias - 1);
}

/* A drawn element: 0, 1/2 or 1 with a sign; any integer. Returns the word. */
static uint64_t draw_element(enum mma_format f, uint32_t *state, double *value)
{
    const uint32_t draw = mma_next(state);
    static const int bits[MF_COUNT] = {[MF_S8] = 8, [MF_U8] = 8, [MF_S4] = 4, [MF_U4] = 4, [MF_B1] = 1};
    if (!is_float(f)) {
        const uint64_t word = draw & ((1u << bits[f]) - 1);
        const bool negative = (f == MF_S8 || f == MF_S4) && word >> (bits[f] - 1);
        *value = (double)word - (negative ? (double)(1u << bits[f]) : 0);
        return word;
    }
    const bool negative = draw & 1, half = draw & 2;
    *value = draw % 5 == 0 ? 0 : (half ? 0.5 : 1.0) * (negative ? -1 : 1);
    return draw % 5 == 0 ? 0 : power_word(f, half ? -1 : 0, negative);
}

static uint64_t draw_scale(enum mma_format f, uint32_t *state, double *value)
{
    const int exponent = (int)(mma_next(state) % 3) - 1;
    *value = exponent < 0 ? 0.5 : exponent > 0 ? 2 : 1;
    return power_word(f, exponent, false);
}

static double value_of_sum(enum mma_format f, uint64_t word)
{
    float narrow;
    double wide;
    const uint32_t low = (uint32_t)word;
    if (f == MF_S32)
        return (double)(int32_t)low;
    if (f == MF_F64) {
        memcpy(&wide, &word, sizeof wide);
        return wide;
    }
    if (f == MF_F32) {
        memcpy(&narrow, &low, sizeof narrow);
        return (double)narrow;
    }
    const int exponent = (int)(low >> 10 & 31), fraction = (int)(low & 1023);
    double value = exponent == 0 ? fraction : fraction + 1024;
    for (int i = exponent == 0 ? 1 : exponent; i < 25; i++)
        value /= 2;
    for (int i = 25; i < exponent; i++)
        value *= 2;
    return low >> 15 & 1 ? -value : value;
}

/* ---- the matrices ------------------------------------------------------------------------------------------ */

/* One operand of all warps, batches and repeats, element by element. */
struct matrix {
    int rows, cols;      /* of an atom */
    int first, second;   /* repeats */
    uint64_t *word;
    double *value;
};

struct run {
    const struct mma_case *c;
    struct matrix a, b, c_in, e, sfa, sfb; /* e: codes */
    double scalar;
    uint64_t scalar_word;
    uint32_t state;
};

static int batches(const struct run *r)
{
    return r->c->has_batch ? r->c->batch : 1;
}

static size_t index_of(const struct run *r, const struct matrix *m, int warp, int batch, int first, int second, int row, int col)
{
    size_t at = (size_t)(warp * batches(r) + batch);
    at = at * (size_t)m->first + (size_t)first;
    at = at * (size_t)m->second + (size_t)second;
    return (at * (size_t)m->rows + (size_t)row) * (size_t)m->cols + (size_t)col;
}

static struct matrix made(struct run *r, int first, int second, int rows, int cols)
{
    struct matrix m = {rows, cols, first, second, NULL, NULL};
    const size_t count = (size_t)(r->c->warps * batches(r) * first * second * rows * cols);
    m.word = calloc(count, sizeof *m.word);
    m.value = calloc(count, sizeof *m.value);
    assert_true(m.word != NULL && m.value != NULL);
    return m;
}

static size_t size_of(const struct run *r, const struct matrix *m)
{
    return (size_t)(r->c->warps * batches(r) * m->first * m->second * m->rows * m->cols);
}

/* Sums that start near the ends show saturation. */
static uint64_t draw_sum(struct run *r, double *value)
{
    uint32_t *s = &r->state;
    if (r->c->form.d != MF_S32)
        return draw_element(r->c->form.d, s, value);
    const uint32_t draw = mma_next(s), near = draw >> 1 & 0x3fff;
    const uint32_t word = r->c->form.saturate ? (draw & 1 ? 0x7fffffffu - near : 0x80000000u + near) : draw << 8 ^ mma_next(s);
    *value = (double)(int32_t)word;
    return word;
}

/* Legal codes of a group. SOURCE: PTX ISA, "mma.sp", sparsity metadata. */
static uint64_t draw_code(struct run *r)
{
    static const uint8_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, singles[] = {0x4, 0xe};
    const uint32_t draw = mma_next(&r->state);
    return r->c->form.bits == 32 ? singles[draw % 2] : pairs[draw % 6];
}

static void draw_matrices(struct run *r)
{
    const struct mma_case *c = r->c;
    r->a = made(r, c->m_repeat, c->k_repeat, c->form.m, mma_stored_k(c));
    r->b = made(r, c->n_repeat, c->k_repeat, 8, c->form.k);
    r->c_in = made(r, c->m_repeat, c->n_repeat, c->form.m, 8);
    for (size_t i = 0; i < size_of(r, &r->a); i++)
        r->a.word[i] = draw_element(c->form.a, &r->state, &r->a.value[i]);
    for (size_t i = 0; i < size_of(r, &r->b); i++)
        r->b.word[i] = draw_element(c->form.b, &r->state, &r->b.value[i]);
    for (size_t i = 0; i < size_of(r, &r->c_in); i++)
        r->c_in.word[i] = draw_sum(r, &r->c_in.value[i]);
    if (c->form.sparse) {
        r->e = made(r, c->m_repeat, c->k_repeat, 16, c->form.k / mma_group(c));
        for (size_t i = 0; i < size_of(r, &r->e); i++)
            r->e.word[i] = draw_code(r);
    }
    if (c->form.factors != 0) {
        r->sfa = made(r, c->m_repeat, c->k_repeat, 16, c->form.factors);
        r->sfb = made(r, c->n_repeat, c->k_repeat, 8, c->form.factors);
        for (size_t i = 0; i < size_of(r, &r->sfa); i++)
            r->sfa.word[i] = draw_scale(c->form.scale, &r->state, &r->sfa.value[i]);
        for (size_t i = 0; i < size_of(r, &r->sfb); i++)
            r->sfb.word[i] = draw_scale(c->form.scale, &r->state, &r->sfb.value[i]);
    }
    r->scalar_word = draw_sum(r, &r->scalar);
}

/* ---- images -------------------------------------------------------------------------------------------------- */

/* Registers of all threads: slots of `bits` bits, packed into units as the kernel has them. */
struct image {
    unsigned char *bytes;
    int thread_bytes;
};

static void put(const struct image *im, int thread, int bit, int bits, uint64_t word)
{
    for (int i = 0; i < bits; i++)
        if (word >> i & 1)
            im->bytes[thread * im->thread_bytes + (bit + i) / 8] |= (unsigned char)(1u << (bit + i) % 8);
}

static uint64_t get(const struct image *im, int thread, int bit, int bits)
{
    uint64_t word = 0;
    for (int i = 0; i < bits; i++)
        word |= (uint64_t)(im->bytes[thread * im->thread_bytes + (bit + i) / 8] >> (bit + i) % 8 & 1) << i;
    return word;
}

static int slot_of(const struct mma_slots *s, int batch, int first, int second)
{
    return s->base + batch * s->batch + first * s->first + second * s->second;
}

/* The thread and the bit in its registers where an element of A or B is. SOURCE: PTX ISA, "Matrix fragments for mma". */
static void put_element(const struct run *r, const struct image *im, const struct mma_slots *s, const int at[6], uint64_t word, bool packed4)
{
    const int per = mma_per_reg(r->c), row = at[4], k = at[5], reg_bits = r->c->form.bits == 64 ? 64 : 32;
    const int lane = 4 * (row % 8) + k / per % 4;
    const int slot = slot_of(s, at[1], at[2], at[3]) + row / 8 * s->upper + k / (4 * per) * s->step;
    const int low = packed4 ? 2 : 0; /* e2m1 in a byte lies in bits 5:2 */
    put(im, 32 * at[0] + lane, slot * reg_bits + k % per * r->c->form.bits + low, r->c->form.bits - low, word);
}

static int sum_thread(const struct mma_case *c, int warp, int row, int col)
{
    (void)c;
    return 32 * warp + 4 * (row % 8) + col / 2;
}

static int sum_bit(const struct mma_case *c, const struct mma_slots *s, int batch, int mr, int nr, int row, int col)
{
    const int slot = slot_of(s, batch, mr, nr) + row / 8 * s->upper;
    if (c->form.d == MF_F16)
        return slot * 32 + col % 2 * 16;
    return (slot + col % 2 * s->step) * (c->form.d == MF_F64 ? 64 : 32);
}

static int sum_bits(const struct mma_case *c)
{
    return c->form.d == MF_F64 ? 64 : c->form.d == MF_F16 ? 16 : 32;
}

/* SOURCE: PTX ISA, "mma.sp", figures of the metadata; selector 0's lanes are the first. */
static void put_code(const struct run *r, const struct image *im, const int at[6], uint64_t word)
{
    const struct mma_slots *s = &r->c->e;
    const int row = at[4], group = at[5], half = row / 8, slot = slot_of(s, at[1], at[2], at[3]);
    int lane = 4 * (row % 8) + s->lane_base + at[3] * s->lane_step, nibble;
    if (r->c->form.bits >= 16) {
        lane += group / 4;
        nibble = 4 * half + group % 4;
    } else {
        lane += half + 2 * (group / 8);
        nibble = group % 8;
    }
    put(im, 32 * at[0] + lane, slot * 16 + 4 * nibble, 4, word);
}

static void put_factor(const struct image *im, const struct mma_slots *s, bool of_a, const int at[6], uint64_t word)
{
    const int row = at[4], lane = of_a ? 4 * (row % 8) + row / 8 : 4 * row;
    put(im, 32 * at[0] + lane + s->lane_base + at[3] * s->lane_step, (slot_of(s, at[1], at[2], at[3]) + at[5]) * 8, 8, word);
}

enum part { PART_A, PART_B, PART_C, PART_E, PART_SFA, PART_SFB };

static void put_one(const struct run *r, const struct image *im, enum part part, const int at[6], uint64_t word)
{
    const struct mma_case *c = r->c;
    const bool bytes = c->form.bits == 8;
    switch (part) {
    case PART_A: put_element(r, im, &c->a, at, word, bytes && c->form.a == MF_E2M1); break;
    case PART_B: put_element(r, im, &c->b, at, word, bytes && c->form.b == MF_E2M1); break;
    case PART_C:
        put(im, sum_thread(c, at[0], at[4], at[5]), sum_bit(c, c->c_is == MC_D ? &c->d : &c->c, at[1], at[2], at[3], at[4], at[5]),
            sum_bits(c), word);
        break;
    case PART_E: put_code(r, im, at, word); break;
    case PART_SFA: put_factor(im, &c->sfa, true, at, word); break;
    case PART_SFB: put_factor(im, &c->sfb, false, at, word); break;
    }
}

static void put_matrix(const struct run *r, const struct image *im, enum part part, const struct matrix *m)
{
    int at[6];
    for (at[0] = 0; at[0] < r->c->warps; at[0]++)
        for (at[1] = 0; at[1] < batches(r); at[1]++)
            for (at[2] = 0; at[2] < m->first; at[2]++)
                for (at[3] = 0; at[3] < m->second; at[3]++)
                    for (at[4] = 0; at[4] < m->rows; at[4]++)
                        for (at[5] = 0; at[5] < m->cols; at[5]++)
                            put_one(r, im, part, at, m->word[index_of(r, m, at[0], at[1], at[2], at[3], at[4], at[5])]);
}

/* ---- the reference --------------------------------------------------------------------------------------------- */

/* The logical k of a stored element of row `row`. SOURCE: PTX ISA, "mma.sp". */
static int logical_k(const struct run *r, const int at[4], int k_repeat, int row, int stored)
{
    const int group = mma_group(r->c), half = group / 2, pair = r->c->form.bits == 4 ? 2 : 1;
    if (!r->c->form.sparse)
        return stored;
    const uint64_t code = r->e.word[index_of(r, &r->e, at[0], at[1], at[2], k_repeat, row, stored / half)];
    const int inside = stored % half;
    if (r->c->form.bits == 32)
        return stored / half * group + (code == 0xe);
    return stored / half * group + pair * (int)(code >> 2 * (inside / pair) & 3) + inside % pair;
}

static double product(const struct run *r, double a, double b)
{
    if (r->c->form.a != MF_B1)
        return a * b;
    return r->c->form.bits_and ? a * b : (double)((int)a ^ (int)b);
}

/* The sum of one instruction. at: warp, batch, repeat of M, repeat of N */
static double one_step(const struct run *r, const int at[4], int kr, int m, int n)
{
    const struct mma_case *c = r->c;
    double sum = 0;
    for (int i = 0; i < mma_stored_k(c); i++) {
        const int k = logical_k(r, at, kr, m, i);
        double scale = 1;
        if (c->form.factors != 0) {
            /* of a sparse A a block is counted in stored elements */
            const int f = i / (mma_stored_k(c) / c->form.factors);
            scale = r->sfa.value[index_of(r, &r->sfa, at[0], at[1], at[2], kr, m, f)] *
                    r->sfb.value[index_of(r, &r->sfb, at[0], at[1], at[3], kr, n, f)];
        }
        sum += scale * product(r, r->a.value[index_of(r, &r->a, at[0], at[1], at[2], kr, m, i)],
                               r->b.value[index_of(r, &r->b, at[0], at[1], at[3], kr, n, k)]);
    }
    return sum;
}

static double start(const struct run *r, const int at[4], int m, int n)
{
    switch (r->c->c_is) {
    case MC_ZERO: return 0;
    case MC_CONSTANT: return 1;
    case MC_RUN_TIME: return r->scalar;
    case MC_D:
    case MC_TENSOR: break;
    }
    return r->c_in.value[index_of(r, &r->c_in, at[0], at[1], at[2], at[3], m, n)];
}

static double settled(const struct mma_case *c, double sum)
{
    if (c->form.d != MF_S32)
        return sum;
    if (c->form.saturate)
        return sum > 2147483647.0 ? 2147483647.0 : sum < -2147483648.0 ? -2147483648.0 : sum;
    return (double)(int32_t)(uint32_t)(int64_t)sum;
}

static double wanted(const struct run *r, const int at[4], int m, int n)
{
    double sum = start(r, at, m, n);
    for (int kr = 0; kr < r->c->k_repeat; kr++)
        sum = settled(r->c, sum + one_step(r, at, kr, m, n));
    return sum;
}

static uint64_t differences(const struct run *r, const struct image *out)
{
    const struct mma_case *c = r->c;
    uint64_t count = 0;
    int at[4];
    for (at[0] = 0; at[0] < c->warps; at[0]++)
        for (at[1] = 0; at[1] < batches(r); at[1]++)
            for (at[2] = 0; at[2] < c->m_repeat; at[2]++)
                for (at[3] = 0; at[3] < c->n_repeat; at[3]++)
                    for (int m = 0; m < c->form.m; m++)
                        for (int n = 0; n < 8; n++) {
                            const uint64_t word = get(out, sum_thread(c, at[0], m, n), sum_bit(c, &c->d, at[1], at[2], at[3], m, n),
                                                      sum_bits(c));
                            const double found = value_of_sum(c->form.d, word), want = wanted(r, at, m, n);
                            count += !(found >= want && found <= want);
                        }
    return count;
}

/* ---- running ------------------------------------------------------------------------------------------------------- */

static struct image image_of(tw_args *args, const struct mma_case *c, const char *name, uint64_t *address, uint64_t *bytes)
{
    assert_int_equal(tw_args_tensor(args, name, address, bytes), TW_OK);
    struct image im = {calloc(*bytes, 1), (int)(*bytes / (uint64_t)(32 * c->warps))};
    assert_non_null(im.bytes);
    return im;
}

static void give(const struct run *r, tw_device *device, tw_args *args, const char *name, enum part part, const struct matrix *m)
{
    uint64_t address, bytes;
    struct image im = image_of(args, r->c, name, &address, &bytes);
    if (m != NULL)
        put_matrix(r, &im, part, m);
    assert_int_equal(tw_write(device, address, im.bytes, bytes), TW_OK);
    free(im.bytes);
}

static void give_all(const struct run *r, tw_device *device, tw_args *args)
{
    uint64_t address, bytes;
    give(r, device, args, "A", PART_A, &r->a);
    give(r, device, args, "B", PART_B, &r->b);
    give(r, device, args, "C", PART_C, r->c->c_is == MC_TENSOR ? &r->c_in : NULL);
    give(r, device, args, "D", PART_C, r->c->c_is == MC_D ? &r->c_in : NULL);
    if (r->c->form.sparse)
        give(r, device, args, "E", PART_E, &r->e);
    if (r->c->form.factors != 0) {
        give(r, device, args, "SFA", PART_SFA, &r->sfa);
        give(r, device, args, "SFB", PART_SFB, &r->sfb);
    }
    assert_int_equal(tw_args_tensor(args, "Scalar", &address, &bytes), TW_OK);
    assert_int_equal(tw_write(device, address, &r->scalar_word, bytes), TW_OK);
}

uint64_t mma_run(tw_ctx *ctx, tw_module *module, const char *contract, const struct mma_case *c)
{
    struct run r = {.c = c, .state = c->number * 747796405u + 1};
    tw_device *device = NULL;
    tw_args *args = NULL;
    tw_launch *launch = NULL;
    uint64_t count = UINT64_MAX, address, bytes;
    draw_matrices(&r);
    if (tw_device_create(ctx, NULL, &device) == TW_OK &&
        tw_args_create(device, module, NULL, contract == NULL ? NULL : "contract", contract, contract == NULL ? 0 : strlen(contract), &args) ==
            TW_OK) {
        give_all(&r, device, args);
        if (tw_args_launch(args, &(tw_launch_opts){.seed = c->number}, &launch) == TW_OK && tw_launch_run(launch, 0) == TW_OK) {
            struct image out = image_of(args, c, "Out", &address, &bytes);
            assert_int_equal(tw_read(device, address, out.bytes, bytes), TW_OK);
            count = differences(&r, &out);
            free(out.bytes);
        }
    }
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
    struct matrix *const all[] = {&r.a, &r.b, &r.c_in, &r.e, &r.sfa, &r.sfb};
    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]->word), free(all[i]->value);
    return count;
}
