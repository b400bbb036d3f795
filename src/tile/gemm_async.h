/* gemm_async on tcgen05.mma: what its predicates find out about a call, and what its lowering makes of it.
 *
 *     gemm_async.c    the predicates: scope, configuration, memories, formats, regions, shapes, accumulator
 *     gemm_matrix.c   a region as a matrix, and the view of it that an instruction walks
 *     gemm_lower.c    one tcgen05.mma tile operation, shared descriptors, the report
 */
#ifndef TW_TILE_GEMM_ASYNC_H
#define TW_TILE_GEMM_ASYNC_H

#include "isa/idesc.h"
#include "tile/dispatch.h"

enum gemm_operand { GEMM_C, GEMM_A, GEMM_B, GEMM_SFA, GEMM_SFB, GEMM_OPERANDS };

/* How shared-memory descriptors reach the instructions. The words are the same in every mode. */
enum gemm_smem_desc {
    GEMM_HOIST,       /* encoded once for the kernel; each instruction adds its offset in units of 16 bytes */
    GEMM_LOCAL_HOIST, /* the same, encoded at the call */
    GEMM_ENCODE,      /* each instruction encodes its own */
    GEMM_RECOMPUTE    /* each instruction computes its start from the shared address */
};

enum { GEMM_MAX_MOVES = 8 }; /* of a region: with the five dimensions of a banked operand, well inside TW_MAX_RANK */

/* A start of a region that is known only at run time: it moves the whole region along one iter. */
struct gemm_move {
    const struct ir_expr *start;
    struct iter step; /* `extent` places, `stride` apart */
};

/* A region as a matrix of rows and columns, rows along M or N. */
struct gemm_matrix {
    const struct ir_arg *arg;     /* NULL: not given */
    const struct ir_view *view;
    const struct layout *layout;  /* of (banks, rows, cols); static starts are in it, run-time starts are not */
    int64_t banks, rows, cols;    /* banks: 2 where A in tensor memory has a copy in each half of the lanes, else 1 */
    struct gemm_move moves[GEMM_MAX_MOVES];
    uint32_t move_count;
};

struct gemm_kind {
    enum num_format ab, scale; /* scale NUM_NONE: dense */
    enum tc_kind kind;
    enum tc_scale_vec vec;
    const char *qualifiers;    /* behind .kind:: */
};

struct gemm {
    struct gemm_matrix matrix[GEMM_OPERANDS];
    bool given[GEMM_OPERANDS];
    /* the configuration */
    int64_t cta_group, mma_m, mma_n; /* mma_m, mma_n: 0 if not given */
    bool trans_a, trans_b, tf32;
    int ws;                          /* 1, 0, or -1: not said */
    enum gemm_smem_desc smem_desc;
    struct ir_expr *desc_i;          /* NULL: built from shapes and formats */
    /* what was found and chosen */
    const struct gemm_kind *kind;
    struct tc_form form;
    bool mn_major[GEMM_OPERANDS];
    int64_t k;
    int64_t m_step, n_step, k_step;  /* of one instruction; M and N are totals over the CTA group */
    int64_t m_reps, n_reps, k_reps;
    char path;                       /* data path of the accumulator */
};

static inline struct gemm *gemm_of(const struct dispatch_call *c)
{
    return c->facts;
}

/* All predicates hold: the tile operation, its descriptors, the report. False after a diagnostic. */
bool tw_gemm_lower(struct dispatch_call *c);

/* "C", "A", ... */
extern const char *const tw_gemm_names[GEMM_OPERANDS];

/* The region of an operand as a matrix; refuses what is none. `transposed`: its last dimension runs along M or N. */
void tw_gemm_matrix(struct dispatch_call *c, enum gemm_operand o, bool transposed);
/* The view of an operand that one tile operation takes: (batches, repeats, atom). NULL: the layout does not split so. */
struct ir_region *tw_gemm_region(struct dispatch_call *c, enum gemm_operand o, uint32_t batches);
/* Where the first instruction's part of the operand is, of shape (rows, cols). NULL: the layout does not split so. */
const struct layout *tw_gemm_first(struct dispatch_call *c, enum gemm_operand o);

#endif
