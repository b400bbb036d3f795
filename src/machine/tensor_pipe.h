/* The tensor pipe of a CTA: the queue of asynchronous tcgen05.mma, cp, shift and commit.
 *
 * An instruction only captures its operands and joins the queue. Nothing is performed until a commit
 * that somebody waits for must complete, or the CTA ends: then the operations that the commit tracks,
 * and everything issued before the last of them, are performed in the order of issue, and the commit
 * arrives. So operands that are overwritten too early, and results that are read too early, show.
 * Order of issue is also the order that the ISA promises to its pipelined pairs (mma to mma of one
 * accumulator, cp to mma, shift to mma, ...); pairs without that promise are a checker's affair.
 *
 * SOURCE: PTX ISA, tcgen05 "Memory consistency model", tcgen05.commit. */
#ifndef TW_MACHINE_TENSOR_PIPE_H
#define TW_MACHINE_TENSOR_PIPE_H

#include "isa/idesc.h"
#include "isa/smem_desc.h"
#include "isa/tmem_map.h"
#include "machine/internal.h"
#include "num/tile.h"

enum collector_use { COLLECTOR_DISCARD, COLLECTOR_FILL, COLLECTOR_USE, COLLECTOR_LASTUSE };
enum { COLLECTORS = 5, COLLECTOR_A = 0, COLLECTOR_B0 = 1 }; /* one buffer for A, four for B of .ws */

/* Operands by what they are; an instruction has some of them. */
enum tensor_operand {
    TENSOR_AT_D,                /* the address operand of cp and shift, too */
    TENSOR_AT_A, TENSOR_AT_B,   /* B: the descriptor of cp, too */
    TENSOR_AT_META, TENSOR_AT_IDESC, TENSOR_AT_SFA, TENSOR_AT_SFB, TENSOR_AT_MASK, TENSOR_AT_ENABLE, TENSOR_AT_ZERO,
    TENSOR_OPERANDS
};

/* What the decoded instruction says once and for all. */
struct tensor_inst {
    struct dop op[TENSOR_OPERANDS];
    const char *name;           /* "tcgen05.mma" */
    struct tc_form form;
    enum num_arch arch;
    uint16_t sm;                /* of the target, 100 for sm_100a */
    bool ashift;
    uint8_t collector;          /* COLLECTOR_A, or COLLECTOR_B0 + n */
    enum collector_use use;
    uint8_t scale_c_log2;       /* scale-input-d */
    uint8_t mask_words;         /* of the disable-output-lane mask: 0, 4 or 8 */
    enum tmem_cp cp;
    uint8_t cp_bits;            /* 0, or bits of a code that the copy expands: 4 or 6 */
};

enum tensor_op_kind { TENSOR_MMA, TENSOR_CP, TENSOR_SHIFT, TENSOR_COMMIT };

struct tensor_op {
    struct tensor_op *next;
    enum tensor_op_kind kind;
    bool performed;
    const struct tensor_inst *inst;
    uint8_t cta_group;
    uint32_t warp, lane;        /* who issued it */
    const struct code *code;
    uint32_t origin;
    uint64_t number;            /* of the asynchronous operation */
    /* operands, as the issuing thread had them */
    uint32_t d, a_taddr, meta, sfa, sfb; /* tensor memory addresses */
    uint64_t a_desc, b_desc, zero_mask;
    uint32_t idesc;
    uint32_t mask[8];
    bool read_d;
    uint32_t mbar;              /* commit: shared address with rank */
    uint16_t multicast;         /* commit: CTAs of the cluster that are signalled, at the same offset */
};

struct tensor_pipe {
    struct cta *cta;
    struct tensor_op *first, *last;
    struct tensor_op *free_ops;
    uint8_t *scratch;           /* operand words of the operation that is performed */
    size_t scratch_bytes;
    const struct num_tile_implementation *tile; /* the fastest that this CPU has */
    void *tile_scratch;
    size_t tile_scratch_bytes;
    struct {
        bool valid;
        uint64_t desc;          /* of the operand that filled it */
        uint32_t idesc;
    } collectors[COLLECTORS];
};

struct tensor_pipe *tw_tensor_pipe_of(struct cta *cta);

/* An operation of the executing instruction's lane, not yet in the queue. */
struct tensor_op *tw_tensor_op_new(struct warp *w, const struct dinst *d, unsigned lane, enum tensor_op_kind kind);
/* Puts it there. A commit that tracks nothing arrives at once: EXEC_FAULT if that faults. */
enum exec_status tw_tensor_issue(struct warp *w, struct tensor_op *op);

/* The two CTAs of an operation: [0] even, [1] odd; [1] is NULL with cta_group::1. False if the peer is missing or gone. */
bool tw_tensor_ctas(struct cta *cta, unsigned cta_group, struct cta *out[2]);

/* A fault of an operation that was issued earlier. */
void tw_tensor_fault(struct tensor_pipe *pipe, const struct tensor_op *op, int code, const struct fault_note *note,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Perform; false after a fault. tensor_mma.c, tensor_move.c */
bool tw_tensor_mma(struct tensor_pipe *pipe, const struct tensor_op *op);
bool tw_tensor_cp(struct tensor_pipe *pipe, const struct tensor_op *op);
bool tw_tensor_shift(struct tensor_pipe *pipe, const struct tensor_op *op);

#endif
