/* The fast path of the dot-product models: one call computes a whole tile of D, bit for bit as tw_num_dot does.
 *
 * D[m][n] = model(A[m][0..k), B[n][0..k), C[m][n], scales). A long k is a chain of instructions of k_step products
 * each; every instruction rounds its result to D's format, and its result is the accumulator of the next.
 * One table holds the implementations; the first of them is the scalar reference itself and the others must equal it. */
#ifndef TW_NUM_TILE_H
#define TW_NUM_TILE_H

#include "num/dot.h"

/* Raw words in memory. Element (row, i) is word number row * row_stride + i * step; a word has word_bytes 1, 2, 4 or 8
 * in the host's byte order, and bits above the format's width are ignored. */
struct num_tile_words {
    const void *words;
    unsigned word_bytes;
    size_t row_stride, step;
};

struct num_tile_job {
    const struct num_dot_model *model;
    const struct num_dot_how *how;
    unsigned m, n, k;
    unsigned k_step;                /* products of one instruction, at most TW_NUM_DOT_MAX; 0: all of k            */
    struct num_tile_words a, b;     /* (m, k) and (n, k)                                                            */
    struct num_tile_words scale_a;  /* (m, block) and (n, block), a block being how->scale_block products within one */
    struct num_tile_words scale_b;  /* instruction; words NULL for the kinds without scales                          */
    struct num_tile_words c;        /* (m, n), words NULL: the accumulator is not read; may be d itself             */
    void *d;                        /* (m, n), words as c's                                                         */
    unsigned d_word_bytes;
    size_t d_row_stride, d_step;
    void *scratch;                  /* at least tw_num_tile_scratch(job) bytes; nothing in it lives on              */
    size_t scratch_bytes;
};

struct num_tile_implementation {
    const char *name;
    bool (*usable)(void); /* whether this CPU has what it needs */
    void (*run)(const struct num_tile_job *job);
};

/* Scratch that suffices for every implementation. Grows with m + n and with m * n, not with k. */
size_t tw_num_tile_scratch(const struct num_tile_job *job);

/* [0] is "ref", the loop over tw_num_dot; the last usable one is the fastest. */
const struct num_tile_implementation *tw_num_tile_implementations(size_t *count);
const struct num_tile_implementation *tw_num_tile_best(void);

/* Runs the fastest implementation that this CPU has. The caller's floating-point environment must be the default one:
 * rounding to nearest, subnormals kept. */
void tw_num_tile(const struct num_tile_job *job);

#endif
