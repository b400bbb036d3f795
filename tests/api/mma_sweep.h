/* Kernels drawn over the whole contract of mma.sync in tile.apply: every form of the catalogue, repeats, batches, scopes,
 * permuted and padded slots, scalar and tensor C, metadata and scales from any lane and byte that may supply them.
 *
 * A case is drawn from its number alone. Its kernel loads each thread's registers from an image, issues one tile.apply, and
 * stores the accumulators as an image. Images and reference are made by the formulas of PTX ISA's fragment tables,
 * which share nothing with the library's. */
#ifndef TW_TESTS_API_MMA_SWEEP_H
#define TW_TESTS_API_MMA_SWEEP_H

#include "support/check.h"

#include "tilewright/tilewright.h"

enum mma_format {
    MF_F16, MF_BF16, MF_TF32, MF_F32, MF_F64, MF_E4M3, MF_E5M2, MF_E3M2, MF_E2M3, MF_E2M1, MF_S8, MF_U8, MF_S4, MF_U4, MF_B1,
    MF_S32, MF_UE8M0, MF_UE4M3, MF_COUNT
};

struct mma_form_case {
    char opcode[160];
    enum mma_format a, b, d, scale;
    int m, k;            /* of one instruction; N is 8 */
    int bits;            /* of an element of A and B in a register */
    bool sparse, saturate, bits_and;
    int factors;         /* of a row; 0: no block scaling */
    const char *arch;    /* the least that has it */
    const char *run;     /* where its arithmetic is known; NULL: nowhere */
};

/* All forms, in a fixed order. */
size_t mma_forms(void);
void mma_form_at(size_t index, struct mma_form_case *out);

enum { MMA_DIMS = 5 };

/* How an operand is spread over the slots of a thread: strides of its dimensions that are no lanes. */
struct mma_slots {
    int batch, first, second;    /* repeat axes */
    int upper, step;             /* rows 8 to 15; the next word or element */
    int base, count;             /* where it begins; slots in all */
    int lane_base, lane_step;    /* metadata and scales: lanes from the first to those that supply; from one K step to the next */
};

enum mma_c { MC_ZERO, MC_CONSTANT, MC_RUN_TIME, MC_D, MC_TENSOR };
enum mma_scope { MS_WARP, MS_WARPGROUP, MS_CTA };

struct mma_case {
    uint32_t number;
    struct mma_form_case form;
    enum mma_scope scope;
    int warps;
    bool has_batch;
    int batch, m_repeat, n_repeat, k_repeat;
    enum mma_c c_is;
    struct mma_slots a, b, c, d, e, sfa, sfb;
};

struct mma_case mma_draw(uint32_t number);
/* The program, with one kernel "k<number>". */
const char *mma_program(struct bench_room *room, const struct mma_case *c);
const char *mma_words(struct bench_room *room, const struct mma_case *c);
/* Runs the compiled kernel: elements that differ from the reference, UINT64_MAX if it did not run to its end. `contract`: the
 * launch contract of a module that was read; NULL for one that was compiled. */
uint64_t mma_run(tw_ctx *ctx, tw_module *module, const char *contract, const struct mma_case *c);

/* Elements in a register of A and B, registers of one atom along K, 32-bit words or f64 elements. */
static inline int mma_per_reg(const struct mma_case *c)
{
    return c->form.bits >= 32 ? 1 : 32 / c->form.bits;
}
static inline int mma_stored_k(const struct mma_case *c)
{
    return c->form.sparse ? c->form.k / 2 : c->form.k;
}
/* Logical elements of a code of the metadata, and codes of a row. */
static inline int mma_group(const struct mma_case *c)
{
    return c->form.bits == 32 ? 2 : c->form.bits == 4 ? 8 : 4;
}
static inline bool mma_packs_d(const struct mma_case *c)
{
    return c->form.d == MF_F16;
}
static inline uint32_t mma_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif
