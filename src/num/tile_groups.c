/* Drives the kernels of block-scaled fp4. */
#include "num/tile_run.h"

#include <math.h>

struct group_run {
    struct run run;
    struct tile_groups groups;
    uint32_t *words;
    unsigned first, count; /* the instruction being run */
};

static void make_fours(struct pieces *p, struct tile_fours *f, unsigned padded, unsigned count)
{
    const size_t groups = count / TILE_GROUP;
    f->padded = padded;
    f->quads = tw_num_tile_piece(p, (size_t)count / 4 * padded, sizeof *f->quads);
    f->top = tw_num_tile_piece(p, (size_t)count * padded, sizeof *f->top);
    f->top4 = tw_num_tile_piece(p, (size_t)count * padded, sizeof *f->top4);
    f->twelfths = tw_num_tile_piece(p, groups * padded, sizeof *f->twelfths);
    f->scale = tw_num_tile_piece(p, groups * padded, sizeof *f->scale);
    f->scale_top = tw_num_tile_piece(p, groups * padded, sizeof *f->scale_top);
    f->forced = tw_num_tile_piece(p, padded, 1);
}

static void make_groups(struct group_run *g, const struct num_tile_job *job, const struct tile_kernels *kernels, struct pieces *p)
{
    g->run = tw_num_tile_start(job, kernels, p);
    const struct shape *const s = &g->run.shape;
    const unsigned count = at_most(step_of(job), job->k),
                   most = s->lanes_padded > s->rows_padded ? s->lanes_padded : s->rows_padded;
    g->groups = (struct tile_groups){.rows = s->rows,
                                     .lanes = s->lanes,
                                     .by_scales = job->model->method == NUM_DOT_SCALE_GROUPS,
                                     .window_bits = job->model->window_bits,
                                     .context = g};
    g->words = tw_num_tile_piece(p, (size_t)count * most, sizeof *g->words);
    make_fours(p, &g->groups.lane, s->lanes_padded, count);
    make_fours(p, &g->groups.row, s->rows_padded, count);
}

/* The factors of one side, a block's repeated for each of its groups. A NaN forces the row; a zero has the value 0. */
static void stage_factors(const struct group_run *g, const struct num_tile_words *from, unsigned rows, struct tile_fours *f)
{
    const struct num_dot_how *const how = g->run.job->how;
    const unsigned blocks = (step_of(g->run.job) + how->scale_block - 1) / how->scale_block;
    const size_t before = (size_t)(g->first / step_of(g->run.job)) * blocks;
    memset(f->forced, 0, f->padded);
    for (unsigned group = 0; group < g->count / TILE_GROUP; group++)
        for (unsigned row = 0; row < f->padded; row++) {
            const size_t at = (size_t)group * f->padded + row;
            const uint64_t word = row < rows ? word_of(from, row, before + group * TILE_GROUP / how->scale_block) : 0;
            const struct num_value v = tw_num_decode(how->scale, word);
            f->scale[at] = v.cls == NUM_FINITE ? ldexp((double)v.sig, v.exp) : 0;
            f->scale_top[at] = v.cls == NUM_FINITE ? v.top : 0;
            if (v.cls == NUM_NAN)
                f->forced[row] = 1;
        }
}

/* Elements of e2m1 by code: twice the value, and the exponent as decoded. */
static const int8_t doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
static const int8_t exponents[16] = {TILE_TOP_ZERO, 0, 0, 0, 1, 1, 2, 2, TILE_TOP_ZERO, 0, 0, 0, 1, 1, 2, 2};

static void stage_elements(const struct group_run *g, const uint32_t *words, bool negate, int offset, struct tile_fours *f)
{
    memset(f->quads, 0, (size_t)g->count / 4 * f->padded * sizeof *f->quads);
    memset(f->twelfths, 0, (size_t)g->count / TILE_GROUP * f->padded * sizeof *f->twelfths);
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned row = 0; row < f->padded; row++) {
            const size_t at = (size_t)i * f->padded + row, group = (size_t)(i / TILE_GROUP) * f->padded + row;
            const bool absent = f->scale[group] == 0;
            const uint32_t code = absent ? 0 : (words[at] & 15) ^ (negate ? 8 : 0);
            f->quads[(size_t)(i / 4) * f->padded + row] |= (uint32_t)((doubled[code] + offset) & 0xff) << i % 4 * 8;
            f->twelfths[group] += 12 * doubled[code];
            f->top[at] = exponents[code];
            f->top4[at] = (uint32_t)(uint8_t)exponents[code] * 0x01010101u;
        }
}

static uint32_t reference_element(void *context, unsigned row, unsigned lane, uint32_t c)
{
    struct group_run *const g = context;
    const struct num_tile_job *job = g->run.job;
    const bool swap = g->run.shape.lanes_are_a;
    struct num_tile_job one = *job; /* the same chain, ended after this instruction */
    const uint64_t word = c;
    one.k = g->first + g->count;
    return (uint32_t)tw_num_tile_reference(&one, swap ? lane : row, swap ? row : lane, g->first, &word);
}

static void stage_instruction(struct group_run *g)
{
    const struct run *const r = &g->run;
    const struct span span = {g->first, g->count, 2};
    const struct num_dot_how *const how = r->job->how;
    const bool swap = r->shape.lanes_are_a;
    stage_factors(g, r->lane_scales, r->shape.lanes, &g->groups.lane);
    stage_factors(g, r->row_scales, r->shape.rows, &g->groups.row);
    tw_num_tile_stage(r->lane_words, r->shape.lanes, r->shape.lanes_padded, &span, r->lane_format, g->words);
    stage_elements(g, g->words, swap ? how->negate_a : how->negate_b, 0, &g->groups.lane);
    tw_num_tile_stage(r->row_words, r->shape.rows, r->shape.rows_padded, &span, r->row_format, g->words);
    stage_elements(g, g->words, swap ? how->negate_b : how->negate_a, 12, &g->groups.row);
}

static void run_job(const struct num_tile_job *job, const struct tile_kernels *kernels)
{
    struct group_run g;
    make_groups(&g, job, kernels, &(struct pieces){0});
    g.groups.exact = reference_element;
    g.groups.acc = g.run.acc;
    g.groups.acc_stride = g.run.acc_stride;
    tw_num_tile_load(&g.run);
    for (g.first = 0; g.first < job->k; g.first += step_of(job)) {
        g.count = at_most(step_of(job), job->k - g.first);
        g.groups.groups = g.count / TILE_GROUP;
        stage_instruction(&g);
        kernels->groups(&g.groups);
    }
    tw_num_tile_store(&g.run);
}

static bool fits(const struct num_tile_job *job)
{
    const bool scaled = job->scale_a.words != NULL && job->how->scale_block != 0 && job->how->scale_block % TILE_GROUP == 0;
    return scaled && job->model->group == TILE_GROUP && job->model->window_bits == 35 && job->how->scale_c_log2 == 0 &&
           job->k % TILE_GROUP == 0 && step_of(job) % TILE_GROUP == 0;
}

static size_t bytes(const struct num_tile_job *job)
{
    struct group_run g;
    struct pieces p = {0};
    make_groups(&g, job, NULL, &p);
    return p.used;
}

const struct tile_driver tw_num_tile_groups = {.fits = fits, .bytes = bytes, .run = run_job};
