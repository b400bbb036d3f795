/* What a run counts for its report: instructions, bytes, multiply-adds. Kept by host thread and added up at the end,
 * which gives the same sums for any number of threads; absent unless the launch asks for it. */
#ifndef TW_MACHINE_TALLY_H
#define TW_MACHINE_TALLY_H

#include "machine/internal.h"
#include "num/dot.h"

enum { TALLY_SPACES = SPACE_TMEM + 1 };

struct inst_tally {
    uint64_t warps, threads;  /* executions, and the sum of their lanes */
    uint64_t products;        /* multiply-adds */
    const struct num_dot_model *model; /* of the products */
};

struct tally {
    struct inst_tally *insts; /* of the image; code->first is that of a function's first */
    uint64_t bytes[TALLY_SPACES][2]; /* read, written by instructions and copies */
};

struct launch;
/* NULL: nothing is counted. */
struct tally *tw_tally_new(struct launch *l);
void tw_tally_lanes(struct warp *w, const struct dinst *d, const struct dop *address, uint32_t mask, uint32_t bytes, bool read,
                    bool write);
void tw_tally_products(struct cluster *c, const struct code *code, uint32_t pc, const struct num_dot_model *model, uint64_t count);

/* Bytes of `space` that an instruction or a copy has moved. */
static inline void tally_bytes(const struct cluster *c, enum space space, bool write, uint64_t bytes)
{
    if (c->tally != NULL)
        c->tally->bytes[space][write] += bytes;
}

/* An access of `bytes` by each lane of mask; the space is d->imm, or that of each generic address. */
static inline void tally_lanes(struct warp *w, const struct dinst *d, const struct dop *address, uint32_t mask, uint32_t bytes,
                               bool read, bool write)
{
    if (w->cluster->tally != NULL)
        tw_tally_lanes(w, d, address, mask, bytes, read, write);
}

/* Multiply-adds of one execution of the instruction at `pc`. */
static inline void tally_products(struct cluster *c, const struct code *code, uint32_t pc, const struct num_dot_model *model,
                                  uint64_t count)
{
    if (c->tally != NULL)
        tw_tally_products(c, code, pc, model, count);
}

#endif
