/* Drives the integer kernels; single bits are integers too. */
#include "num/tile_run.h"

struct integer_run {
    struct run run;
    uint32_t *words, *lane_pairs, *row_pairs; /* words: one operand as staged */
};

static void make_integers(struct integer_run *r, const struct num_tile_job *job, const struct tile_kernels *kernels,
                          struct pieces *p)
{
    r->run = tw_num_tile_start(job, kernels, p);
    const struct shape *const s = &r->run.shape;
    const size_t count = at_most(step_of(job), job->k), most = s->lanes_padded > s->rows_padded ? s->lanes_padded : s->rows_padded;
    r->words = tw_num_tile_piece(p, (count + 1) * most, sizeof *r->words);
    r->lane_pairs = tw_num_tile_piece(p, (count / 2 + 2) * s->lanes_padded, sizeof *r->lane_pairs);
    r->row_pairs = tw_num_tile_piece(p, (count / 2 + 2) * s->rows_padded, sizeof *r->row_pairs);
}

enum bit_role { NOT_BITS, BIT_FACTOR, BIT_COUNTED };

/* Raw words to integers in place, and one more element per row.
 * xor of bits is a product: a xor b = a * (1 - 2b) + b, so the counted side holds 1 - 2b and as its extra element the
 * sum of b, which meets a 1 on the other side. */
static void extend(uint32_t *words, unsigned count, unsigned padded, enum num_format f, bool negate, enum bit_role role)
{
    const struct num_format_info *info = tw_num_format(f);
    const uint32_t sign = info->family == NUM_SIGNED ? 1u << (info->storage_bits - 1) : 0;
    uint32_t *const extra = words + (size_t)count * padded;
    for (unsigned row = 0; row < padded; row++)
        extra[row] = role == BIT_FACTOR ? 1 : 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned row = 0; row < padded; row++) {
            uint32_t *const word = &words[(size_t)i * padded + row];
            const uint32_t value = (*word ^ sign) - sign;
            if (role == BIT_COUNTED) {
                extra[row] += value;
                *word = 1 - 2 * value;
            } else {
                *word = negate ? 0 - value : value;
            }
        }
}

static void pair_up(const uint32_t *words, unsigned count, unsigned padded, uint32_t *pairs)
{
    for (unsigned i = 0; i < count; i += 2)
        for (unsigned row = 0; row < padded; row++) {
            const uint32_t high = i + 1 < count ? words[(size_t)(i + 1) * padded + row] : 0;
            pairs[(size_t)(i / 2) * padded + row] = (words[(size_t)i * padded + row] & 0xffff) | high << 16;
        }
}

/* Stages both operands of one instruction; returns the number of pairs. */
static unsigned stage_pairs(const struct integer_run *r, const struct span *span)
{
    const struct run *const run = &r->run;
    const struct num_dot_how *const how = run->job->how;
    const bool bits = run->job->model->method == NUM_DOT_BITS, counted = bits && !how->bits_and;
    const bool negate = !bits && how->negate_a != how->negate_b;
    const unsigned elements = span->count + (counted ? 1 : 0), lanes = run->shape.lanes_padded, rows = run->shape.rows_padded;
    tw_num_tile_stage(run->lane_words, run->shape.lanes, lanes, span, run->lane_format, r->words);
    extend(r->words, span->count, lanes, run->lane_format, false, counted ? BIT_COUNTED : NOT_BITS);
    pair_up(r->words, elements, lanes, r->lane_pairs);
    tw_num_tile_stage(run->row_words, run->shape.rows, rows, span, run->row_format, r->words);
    extend(r->words, span->count, rows, run->row_format, negate, counted ? BIT_FACTOR : NOT_BITS);
    pair_up(r->words, elements, rows, r->row_pairs);
    return (elements + 1) / 2;
}

static void run_job(const struct num_tile_job *job, const struct tile_kernels *kernels)
{
    struct integer_run r;
    make_integers(&r, job, kernels, &(struct pieces){0});
    const struct shape *const s = &r.run.shape;
    tw_num_tile_load(&r.run);
    for (unsigned first = 0; first < job->k; first += step_of(job)) {
        const struct span span = {first, at_most(step_of(job), job->k - first), 2};
        const struct tile_integers t = {.pairs = stage_pairs(&r, &span),
                                        .rows = s->rows,
                                        .lanes = s->lanes,
                                        .lanes_padded = s->lanes_padded,
                                        .rows_padded = s->rows_padded,
                                        .lane_pairs = r.lane_pairs,
                                        .row_pairs = r.row_pairs,
                                        .saturate = job->how->saturate && job->model->method == NUM_DOT_INTEGER,
                                        .acc = r.run.acc,
                                        .acc_stride = r.run.acc_stride};
        kernels->integers(&t);
    }
    tw_num_tile_store(&r.run);
}

/* 4- and 8-bit factors fit the 16-bit pairs, and so does a sum of 256 bits. */
static bool fits(const struct num_tile_job *job)
{
    return tw_num_bits(job->how->a) <= 8 && tw_num_bits(job->how->b) <= 8;
}

static size_t bytes(const struct num_tile_job *job)
{
    struct integer_run r;
    struct pieces p = {0};
    make_integers(&r, job, NULL, &p);
    return p.used;
}

const struct tile_driver tw_num_tile_integers = {.fits = fits, .bytes = bytes, .run = run_job};
