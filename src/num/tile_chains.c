/* Drives the kernels of f64: chains of fused multiply-adds. Which NaN comes out is the reference's to say. */
#include "num/tile_run.h"

struct chain_run {
    struct run run;
    double *lane_values, *row_values, *acc;
};

static void make_chains(struct chain_run *c, const struct num_tile_job *job, const struct tile_kernels *kernels, struct pieces *p)
{
    const unsigned count = at_most(step_of(job), job->k);
    c->run = tw_num_tile_start(job, kernels, p);
    c->acc = (double *)(void *)c->run.acc;
    c->lane_values = tw_num_tile_piece(p, (size_t)count * c->run.shape.lanes_padded, sizeof *c->lane_values);
    c->row_values = tw_num_tile_piece(p, (size_t)count * c->run.shape.rows_padded, sizeof *c->row_values);
}

static void stage_values(const struct num_tile_words *from, unsigned rows, unsigned padded, unsigned first, unsigned count,
                         bool negate, double *to)
{
    memset(to, 0, (size_t)count * padded * sizeof *to);
    for (unsigned row = 0; row < rows; row++)
        for (unsigned i = 0; i < count; i++) {
            const uint64_t word = word_of(from, row, first + i) ^ (negate ? UINT64_C(1) << 63 : 0);
            memcpy(&to[(size_t)i * padded + row], &word, sizeof word);
        }
}

static uint64_t c_of(const struct chain_run *c, unsigned row, unsigned lane)
{
    const bool swap = c->run.shape.lanes_are_a;
    return c->run.job->c.words == NULL ? 0 : word_of(&c->run.job->c, swap ? lane : row, swap ? row : lane);
}

static void load(const struct chain_run *c)
{
    const struct shape *const s = &c->run.shape;
    memset(c->acc, 0, (size_t)s->rows * s->lanes_padded * sizeof *c->acc);
    for (unsigned row = 0; row < s->rows; row++)
        for (unsigned lane = 0; lane < s->lanes; lane++) {
            const uint64_t word = c_of(c, row, lane);
            memcpy(&c->acc[(size_t)row * s->lanes_padded + lane], &word, sizeof word);
        }
}

static void store(const struct chain_run *c)
{
    const struct shape *const s = &c->run.shape;
    const struct num_tile_job *const job = c->run.job;
    for (unsigned row = 0; row < s->rows; row++)
        for (unsigned lane = 0; lane < s->lanes; lane++) {
            const unsigned i = s->lanes_are_a ? lane : row, j = s->lanes_are_a ? row : lane;
            const double value = c->acc[(size_t)row * s->lanes_padded + lane];
            const uint64_t before = c_of(c, row, lane);
            uint64_t word;
            memcpy(&word, &value, sizeof word);
            if (value != value)
                word = tw_num_tile_reference(job, i, j, 0, job->c.words == NULL ? NULL : &before);
            store_word(d_at(job, i, j), job->d_word_bytes, word);
        }
}

static void run_job(const struct num_tile_job *job, const struct tile_kernels *kernels)
{
    struct chain_run c;
    make_chains(&c, job, kernels, &(struct pieces){0});
    const struct shape *const s = &c.run.shape;
    const struct num_dot_how *const how = job->how;
    load(&c);
    for (unsigned first = 0; first < job->k; first += step_of(job)) {
        const unsigned count = at_most(step_of(job), job->k - first);
        stage_values(c.run.lane_words, s->lanes, s->lanes_padded, first, count, s->lanes_are_a ? how->negate_a : how->negate_b,
                     c.lane_values);
        stage_values(c.run.row_words, s->rows, s->rows_padded, first, count, s->lanes_are_a ? how->negate_b : how->negate_a,
                     c.row_values);
        kernels->chain(&(struct tile_chain){.count = count,
                                            .rows = s->rows,
                                            .lanes = s->lanes,
                                            .lanes_padded = s->lanes_padded,
                                            .rows_padded = s->rows_padded,
                                            .lane_values = c.lane_values,
                                            .row_values = c.row_values,
                                            .acc = c.acc});
    }
    store(&c);
}

static bool fits(const struct num_tile_job *job)
{
    return job->how->d == NUM_F64 && job->how->rounding == NUM_RN;
}

static size_t bytes(const struct num_tile_job *job)
{
    struct chain_run c;
    struct pieces p = {0};
    make_chains(&c, job, NULL, &p);
    return p.used;
}

const struct tile_driver tw_num_tile_chains = {.fits = fits, .bytes = bytes, .run = run_job};
