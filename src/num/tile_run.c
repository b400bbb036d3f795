/* Shared by the drivers: see tile_run.h. */
#include "num/tile_run.h"

#include "base/bits.h"

void *tw_num_tile_piece(struct pieces *p, size_t count, size_t elem_bytes)
{
    void *const at = p->base == NULL ? NULL : p->base + p->used;
    p->used += align_up(count * elem_bytes, PIECE_ALIGN);
    return at;
}

/* The operand that leaves fewer lanes empty goes across. */
static struct shape shape_of(const struct num_tile_job *job)
{
    const size_t m = align_up(job->m, TILE_PAD), n = align_up(job->n, TILE_PAD);
    const bool lanes_are_a = m * job->n < n * job->m;
    return (struct shape){.lanes = lanes_are_a ? job->m : job->n,
                          .rows = lanes_are_a ? job->n : job->m,
                          .lanes_padded = (unsigned)(lanes_are_a ? m : n),
                          .rows_padded = (unsigned)(lanes_are_a ? n : m),
                          .lanes_are_a = lanes_are_a};
}

/* Whether D's words can be the accumulators: 32 bits, aligned, whole vectors of them side by side. */
static bool lies_in_place(const struct num_tile_job *job, const struct shape *s)
{
    const size_t pace = s->lanes_are_a ? job->d_row_stride : job->d_step;
    const bool words = (job->how->d == NUM_F32 || job->how->d == NUM_S32) && job->d_word_bytes == sizeof(uint32_t);
    return words && pace == 1 && s->lanes == s->lanes_padded && (uintptr_t)job->d % sizeof(uint32_t) == 0;
}

struct run tw_num_tile_start(const struct num_tile_job *job, const struct tile_kernels *kernels, struct pieces *p)
{
    struct run r = {.job = job, .kernels = kernels, .shape = shape_of(job)};
    const bool swap = r.shape.lanes_are_a;
    r.lane_words = swap ? &job->a : &job->b;
    r.row_words = swap ? &job->b : &job->a;
    r.lane_scales = swap ? &job->scale_a : &job->scale_b;
    r.row_scales = swap ? &job->scale_b : &job->scale_a;
    r.lane_format = swap ? job->how->a : job->how->b;
    r.row_format = swap ? job->how->b : job->how->a;
    p->base = kernels == NULL ? NULL : (uint8_t *)align_up((uintptr_t)job->scratch, PIECE_ALIGN);
    r.in_place = lies_in_place(job, &r.shape);
    r.acc_stride = !r.in_place ? r.shape.lanes_padded : swap ? job->d_step : job->d_row_stride;
    if (r.in_place)
        r.acc = job->d;
    else
        r.acc = tw_num_tile_piece(p, (size_t)r.shape.rows * r.shape.lanes_padded,
                                  job->how->d == NUM_F64 ? sizeof(double) : sizeof *r.acc);
    r.line = tw_num_tile_piece(p, r.shape.lanes_padded, sizeof(uint16_t));
    return r;
}

/* ---- Accumulators ---- */

static const uint8_t *c_at(const struct run *r, size_t row, size_t lane)
{
    return r->shape.lanes_are_a ? word_at(&r->job->c, lane, row) : word_at(&r->job->c, row, lane);
}

static size_t c_pace(const struct run *r)
{
    return (r->shape.lanes_are_a ? r->job->c.row_stride : r->job->c.step) * r->job->c.word_bytes;
}

void tw_num_tile_load(const struct run *r)
{
    const unsigned bytes = r->job->c.word_bytes;
    const size_t pace = c_pace(r);
    if (r->job->c.words == NULL) {
        for (unsigned row = 0; row < r->shape.rows; row++)
            memset(r->acc + row * r->acc_stride, 0, r->shape.lanes_padded * sizeof *r->acc);
        return;
    }
    if (r->in_place && c_at(r, 0, 0) == (const uint8_t *)r->acc)
        return;
    for (unsigned row = 0; row < r->shape.rows; row++) {
        const uint8_t *from = c_at(r, row, 0);
        uint32_t *const acc = r->acc + row * r->acc_stride;
        memset(acc + r->shape.lanes, 0, (r->shape.lanes_padded - r->shape.lanes) * sizeof *acc);
        if (r->job->how->d == NUM_F16) {
            for (unsigned lane = 0; lane < r->shape.lanes; lane++, from += pace)
                r->line[lane] = (uint16_t)load_word(from, bytes);
            r->kernels->widen(acc, r->line, r->shape.lanes);
        } else if (bytes == 4 && pace == 4) {
            memcpy(acc, from, r->shape.lanes * sizeof *acc);
        } else {
            for (unsigned lane = 0; lane < r->shape.lanes; lane++, from += pace)
                acc[lane] = (uint32_t)load_word(from, bytes);
        }
    }
}

void tw_num_tile_store(const struct run *r)
{
    if (r->in_place)
        return;
    const unsigned bytes = r->job->d_word_bytes;
    const size_t pace = (r->shape.lanes_are_a ? r->job->d_row_stride : r->job->d_step) * bytes;
    for (unsigned row = 0; row < r->shape.rows; row++) {
        uint8_t *to = r->shape.lanes_are_a ? d_at(r->job, 0, row) : d_at(r->job, row, 0);
        const uint32_t *const acc = r->acc + row * r->acc_stride;
        if (r->job->how->d == NUM_F16) {
            r->kernels->narrow(r->line, acc, r->shape.lanes);
            for (unsigned lane = 0; lane < r->shape.lanes; lane++, to += pace)
                store_word(to, bytes, r->line[lane]);
        } else if (bytes == 4 && pace == 4) {
            memcpy(to, acc, r->shape.lanes * sizeof *acc);
        } else {
            for (unsigned lane = 0; lane < r->shape.lanes; lane++, to += pace)
                store_word(to, bytes, acc[lane]);
        }
    }
}
