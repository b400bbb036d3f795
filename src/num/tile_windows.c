/* Drives the window kernels: one window after the other over the whole tile, fp8 mma.sync as two windows and an add. */
#include "num/tile_run.h"

#include "base/bits.h"

static void make_side(struct pieces *p, struct tile_side *s, unsigned rows, unsigned padded, enum num_format f, bool negate,
                      bool scaled)
{
    const size_t cells = (size_t)TILE_WINDOW_MAX * padded;
    *s = (struct tile_side){.format = f, .negate = negate, .rows = rows, .padded = padded};
    s->words = tw_num_tile_piece(p, cells, sizeof *s->words);
    s->value = tw_num_tile_piece(p, cells, sizeof *s->value);
    s->top = tw_num_tile_piece(p, cells, sizeof *s->top);
    s->top4 = tw_num_tile_piece(p, cells, sizeof *s->top4);
    s->lead = tw_num_tile_piece(p, padded, sizeof *s->lead);
    s->forced = tw_num_tile_piece(p, padded, 1);
    s->sig = tw_num_tile_piece(p, cells, sizeof *s->sig);
    s->exact_top = tw_num_tile_piece(p, cells, sizeof *s->exact_top);
    s->state = tw_num_tile_piece(p, padded, 1);
    s->scale = scaled ? tw_num_tile_piece(p, padded, 1) : NULL;
}

struct window_run {
    struct run run;
    struct tile_window window;
    struct num_dot_model model;
    struct num_dot_how how;
    uint8_t *lane_scale, *row_scale;
    uint32_t *sum; /* of two-step instructions */
};

static bool is_two_step(const struct num_tile_job *job)
{
    return job->model->method == NUM_DOT_TWO_STEP_F16;
}

static void make_windows(struct window_run *w, const struct num_tile_job *job, const struct tile_kernels *kernels, struct pieces *p)
{
    w->run = tw_num_tile_start(job, kernels, p);
    const struct shape *const s = &w->run.shape;
    const bool scaled = job->scale_a.words != NULL;
    w->how = *job->how;
    if (is_two_step(job))
        w->how.a = w->how.b = NUM_F16;
    w->model = (struct num_dot_model){
        .method = NUM_DOT_WINDOW, .window_bits = job->model->window_bits, .drop_bits = job->model->drop_bits};
    const enum num_format lane_format = is_two_step(job) ? NUM_F16 : w->run.lane_format;
    const enum num_format row_format = is_two_step(job) ? NUM_F16 : w->run.row_format;
    const bool lane_negate = s->lanes_are_a ? w->how.negate_a : w->how.negate_b;
    const bool row_negate = s->lanes_are_a ? w->how.negate_b : w->how.negate_a;
    w->window =
        (struct tile_window){.how = &w->how, .model = &w->model, .half = job->how->d == NUM_F16, .lanes_are_a = s->lanes_are_a};
    make_side(p, &w->window.lanes, s->lanes, s->lanes_padded, lane_format, lane_negate, scaled);
    make_side(p, &w->window.rows, s->rows, s->rows_padded, row_format, row_negate, scaled);
    w->lane_scale = scaled ? tw_num_tile_piece(p, s->lanes_padded, 1) : NULL;
    w->row_scale = scaled ? tw_num_tile_piece(p, s->rows_padded, 1) : NULL;
    w->window.lanes.scale = w->lane_scale;
    w->window.rows.scale = w->row_scale;
    w->sum = is_two_step(job) ? tw_num_tile_piece(p, (size_t)s->rows * s->lanes_padded, sizeof(uint32_t)) : NULL;
}

/* Exact; e4m3's subnormals become normal numbers, e5m2's exponents stay. */
static void widen_fp8(enum num_format f, uint32_t *words, size_t count)
{
    static const uint16_t subnormals[8] = {0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300};
    for (size_t i = 0; i < count; i++) {
        const uint32_t sign = (words[i] & 0x80) << 8, magnitude = words[i] & 0x7f;
        if (f == NUM_E5M2)
            words[i] <<= 8;
        else if (magnitude == 0x7f)
            words[i] = sign | 0x7e00;
        else
            words[i] = sign | (magnitude < 8 ? subnormals[magnitude] : (magnitude << 7) + 0x2000);
    }
}

static void stage_side(struct tile_side *s, const struct num_tile_words *from, enum num_format memory_format,
                       const struct span *span)
{
    tw_num_tile_stage(from, s->rows, s->padded, span, memory_format, s->words);
    if (memory_format != s->format)
        widen_fp8(memory_format, s->words, (size_t)span->count * s->padded);
    memset(s->state, TILE_RAW, s->padded);
}

static void stage_scales(const struct num_tile_words *from, unsigned rows, unsigned padded, size_t block, uint8_t *to)
{
    memset(to, 127, padded);
    for (unsigned row = 0; row < rows; row++)
        to[row] = (uint8_t)word_of(from, row, block);
}

static void run_window(struct window_run *w, const struct span *span, uint32_t *acc, size_t acc_stride)
{
    stage_side(&w->window.lanes, w->run.lane_words, w->run.lane_format, span);
    stage_side(&w->window.rows, w->run.row_words, w->run.row_format, span);
    w->window.count = span->count;
    w->window.acc = acc;
    w->window.acc_stride = acc_stride;
    w->run.kernels->window(&w->window);
}

static void run_two_step(struct window_run *w, size_t first, unsigned count)
{
    const struct shape *const s = &w->run.shape;
    memset(w->sum, 0, (size_t)s->rows * s->lanes_padded * sizeof *w->sum);
    run_window(w, &(struct span){first, count / 2, 4}, w->sum, s->lanes_padded);
    run_window(w, &(struct span){first + 2, count / 2, 4}, w->sum, s->lanes_padded);
    /* Without C this adds to +0, which changes nothing: no window gives -0. */
    for (unsigned row = 0; row < s->rows; row++)
        w->run.kernels->add(w->run.acc + row * w->run.acc_stride, w->sum + (size_t)row * s->lanes_padded, s->lanes_padded,
                            w->window.half);
}

static void run_chunks(struct window_run *w, size_t first, unsigned count)
{
    const unsigned chunk = w->run.job->model->chunk == 0 ? count : at_most(w->run.job->model->chunk, count);
    for (unsigned done = 0; done < count; done += chunk)
        run_window(w, &(struct span){first + done, at_most(chunk, count - done), 2}, w->run.acc, w->run.acc_stride);
}

static void run_job(const struct num_tile_job *job, const struct tile_kernels *kernels)
{
    struct window_run w;
    make_windows(&w, job, kernels, &(struct pieces){0});
    const struct shape *const s = &w.run.shape;
    tw_num_tile_load(&w.run);
    for (unsigned first = 0; first < job->k; first += step_of(job)) {
        const unsigned count = at_most(step_of(job), job->k - first);
        if (w.lane_scale != NULL) {
            stage_scales(w.run.lane_scales, s->lanes, s->lanes_padded, first / step_of(job), w.lane_scale);
            stage_scales(w.run.row_scales, s->rows, s->rows_padded, first / step_of(job), w.row_scale);
        }
        if (is_two_step(job))
            run_two_step(&w, first, count);
        else
            run_chunks(&w, first, count);
    }
    tw_num_tile_store(&w.run);
}

/* The vector kernels count on 16 products of two 11-bit significands, 25 bits below the largest exponent, in 32 bits. */
static bool fits(const struct num_tile_job *job)
{
    const unsigned step = at_most(step_of(job), job->k), chunk = job->model->chunk == 0 ? step : job->model->chunk;
    const bool scaled = job->scale_a.words != NULL;
    const int fraction =
        is_two_step(job) ? 20 : tw_num_format(job->how->a)->fraction_bits + tw_num_format(job->how->b)->fraction_bits;
    if (job->model->window_bits > 25 || job->model->window_bits < fraction || job->how->scale_c_log2 != 0)
        return false;
    if (is_two_step(job))
        return step <= 2 * TILE_WINDOW_MAX && step % 4 == 0 && job->k % 4 == 0 && !scaled;
    if (scaled && (job->how->scale != NUM_UE8M0 || job->how->scale_block < step || chunk < step))
        return false;
    return at_most(chunk, step) <= TILE_WINDOW_MAX;
}

static size_t bytes(const struct num_tile_job *job)
{
    struct window_run w;
    struct pieces p = {0};
    make_windows(&w, job, NULL, &p);
    return p.used;
}

const struct tile_driver tw_num_tile_windows = {.fits = fits, .bytes = bytes, .run = run_job};
