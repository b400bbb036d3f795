/* What the drivers of all methods share: words in memory, pieces of scratch, the way a tile lies, accumulators, staging.
 * Not for other rooms. */
#ifndef TW_NUM_TILE_RUN_H
#define TW_NUM_TILE_RUN_H

#include "num/tile_parts.h"

#include <string.h>

static inline uint64_t load_word(const uint8_t *at, unsigned bytes)
{
    uint64_t wide;
    uint32_t word;
    uint16_t half;
    switch (bytes) {
    case 1: return *at;
    case 2: return memcpy(&half, at, sizeof half), half;
    case 4: return memcpy(&word, at, sizeof word), word;
    default: return memcpy(&wide, at, sizeof wide), wide;
    }
}

static inline void store_word(uint8_t *at, unsigned bytes, uint64_t value)
{
    const uint32_t word = (uint32_t)value;
    const uint16_t half = (uint16_t)value;
    switch (bytes) {
    case 1: *at = (uint8_t)value; break;
    case 2: memcpy(at, &half, sizeof half); break;
    case 4: memcpy(at, &word, sizeof word); break;
    default: memcpy(at, &value, sizeof value); break;
    }
}

static inline const uint8_t *word_at(const struct num_tile_words *w, size_t row, size_t i)
{
    return (const uint8_t *)w->words + (row * w->row_stride + i * w->step) * w->word_bytes;
}

static inline uint64_t word_of(const struct num_tile_words *w, size_t row, size_t i)
{
    return load_word(word_at(w, row, i), w->word_bytes);
}

static inline uint8_t *d_at(const struct num_tile_job *job, size_t i, size_t j)
{
    return (uint8_t *)job->d + (i * job->d_row_stride + j * job->d_step) * job->d_word_bytes;
}

static inline unsigned at_most(unsigned n, unsigned limit)
{
    return n < limit ? n : limit;
}

/* Products of one instruction. */
static inline unsigned step_of(const struct num_tile_job *job)
{
    return job->k_step == 0 ? job->k : job->k_step;
}

/* Hands out pieces of the caller's scratch; with base NULL it only counts. */
struct pieces {
    uint8_t *base;
    size_t used;
};

enum { PIECE_ALIGN = 64 };

void *tw_num_tile_piece(struct pieces *p, size_t count, size_t elem_bytes);

/* How the tile lies, whatever the method. */
struct shape {
    unsigned lanes, rows, lanes_padded, rows_padded;
    bool lanes_are_a;
};

struct run {
    const struct num_tile_job *job;
    const struct tile_kernels *kernels;
    struct shape shape;
    enum num_format lane_format, row_format; /* in memory */
    const struct num_tile_words *lane_words, *row_words, *lane_scales, *row_scales;
    uint32_t *acc;     /* [rows][acc_stride]: D itself where its memory is like that, else scratch; f64 has its own */
    size_t acc_stride;
    bool in_place;
    uint16_t *line;    /* one row of f16 words */
};

/* kernels NULL: only count, scratch is not touched. */
struct run tw_num_tile_start(const struct num_tile_job *job, const struct tile_kernels *kernels, struct pieces *p);
/* C to acc, or zeros; acc to D. */
void tw_num_tile_load(const struct run *r);
void tw_num_tile_store(const struct run *r);

/* Which elements of k are staged: pairs of neighbours, pair_step apart. 2 takes all of them in order; 4 takes every
 * other pair, as fp8 mma.sync does. */
struct span {
    size_t first;
    unsigned count, pair_step;
};

/* to[i][padded] = raw words, without bits that do not exist; lanes beyond `rows` are zero words. */
void tw_num_tile_stage(const struct num_tile_words *from, unsigned rows, unsigned padded, const struct span *span,
                       enum num_format f, uint32_t *to);

/* One driver a method: whether its kernels have a shape for this job, the scratch it takes, and the job itself. */
struct tile_driver {
    bool (*fits)(const struct num_tile_job *job);
    size_t (*bytes)(const struct num_tile_job *job);
    void (*run)(const struct num_tile_job *job, const struct tile_kernels *kernels);
};
extern const struct tile_driver tw_num_tile_windows, tw_num_tile_integers, tw_num_tile_groups, tw_num_tile_chains;

/* D of the instructions from `first` on, by tw_num_dot. */
uint64_t tw_num_tile_reference(const struct num_tile_job *job, size_t i, size_t j, unsigned first, const uint64_t *c);

#endif
