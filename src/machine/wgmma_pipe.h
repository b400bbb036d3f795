/* The wgmma unit of a CTA: the instructions of each warpgroup in their order, and the products that are in flight.
 *
 * The four warps of a warpgroup execute the same wgmma instructions in the same order, each at its own time. The
 * first of them to come to an instruction makes an item of it; the others must bring the same one. A product
 * captures its operands when it is issued: descriptors, predicate, the words of an A in registers and of the
 * metadata. It is performed when all four warps stand at a wgmma.wait_group that covers it and nothing else of
 * the cluster can run: shared memory is read then, and the accumulators change then. A tile that is overwritten
 * too early therefore shows. Products that nothing waits for are never performed: no one could see them.
 *
 * What a warp does to registers that a product in flight uses is found by wgmma_watch.
 *
 * SOURCE: PTX ISA, "Asynchronous warpgroup level matrix instructions". */
#ifndef TW_MACHINE_WGMMA_PIPE_H
#define TW_MACHINE_WGMMA_PIPE_H

#include "isa/smem_desc.h"
#include "isa/wgmma_map.h"
#include "machine/internal.h"
#include "num/tile.h"

/* What a decoded wgmma.mma_async says once and for all. */
struct wgmma_inst {
    struct dop d, a, b, meta, scale; /* a: a descriptor, or a vector of WGMMA_A_REGS registers */
    const char *name;                /* "wgmma.mma_async" */
    uint32_t n, k, stored_k;         /* stored_k: of A, half of k when sparse */
    uint32_t elem_bits, d_bits, d_regs;
    uint32_t selector;
    bool a_in_regs, sparse, a_mn_major, b_mn_major;
    struct num_dot_how how;
    const struct num_dot_model *model;
    const struct num_tile_implementation *tile;
};

enum wgmma_kind { WGMMA_ITEM_MMA, WGMMA_ITEM_FENCE, WGMMA_ITEM_COMMIT, WGMMA_ITEM_WAIT };

/* Operands that all threads of the warpgroup must agree on. */
struct wgmma_operands {
    uint64_t a_desc, b_desc;
    bool read_d;
};

struct wgmma_item {
    struct wgmma_item *next;
    enum wgmma_kind kind;
    const struct code *code;
    const struct dinst *d;
    uint64_t number;             /* in the warpgroup, from 1 */
    uint32_t first_warp;         /* of the warpgroup, in the CTA */
    uint32_t warps;              /* that have executed it */
    uint64_t group;              /* a product: its group, 0 before the commit; a wait: the last group that it covers */
    bool landed;
    /* a product */
    uint64_t op;                 /* of the event stream */
    struct wgmma_operands operands;
    struct frame *frame[WGMMA_WARPS]; /* whose registers hold D */
    uint32_t a[WGMMA_WARPS][WGMMA_A_REGS][LANES];
    uint32_t meta[WGMMA_WARPS][LANES];
};

struct wgmma_warp {
    uint64_t count;              /* wgmma instructions that it has begun */
    bool waiting;                /* is parked at the last of them, a wait_group */
    bool released;               /* what it waited for has landed */
};

struct wgmma_group {
    struct wgmma_warp warp[WGMMA_WARPS];
    struct wgmma_item *first, **end;
    uint64_t count;              /* items made */
    uint64_t committed;          /* groups */
    uint64_t landed;             /* number of the last product that is performed */
    uint32_t in_flight;
};

struct wgmma_watcher;            /* wgmma_watch.c: registers in use, by warp */

struct wgmma_pipe {
    struct async_agent agent;
    struct cta *cta;
    struct wgmma_group *groups;
    struct wgmma_watcher *watchers; /* one a warp */
    struct wgmma_item *free_items;
    uint8_t *scratch;
    size_t scratch_bytes;
};

struct wgmma_pipe *tw_wgmma_pipe_of(struct cta *cta);
static inline struct wgmma_group *wgmma_group_of(struct wgmma_pipe *pipe, const struct warp *w)
{
    return &pipe->groups[w->id / WGMMA_WARPS];
}

/* The item of the instruction that the warp executes, counted as executed by it; NULL after a fault: lanes or warps are
 * missing, or another warp of the warpgroup has executed another instruction in this place. `operands` are compared too. */
struct wgmma_item *tw_wgmma_enter(struct warp *w, const struct dinst *d, uint32_t mask, enum wgmma_kind kind,
                                  const struct wgmma_operands *operands);
/* Closes the open group, when the first warp commits. */
void tw_wgmma_commit(struct wgmma_group *group);
/* Whether products that the wait covers are in flight. */
bool tw_wgmma_must_wait(const struct wgmma_group *group, const struct wgmma_item *wait);
/* Parks the warp until they have landed. */
enum exec_status tw_wgmma_park(struct warp *w);
/* Gives back items that all warps have executed and that are performed. */
void tw_wgmma_retire(struct wgmma_pipe *pipe, struct wgmma_group *group);

/* Performs the products of a warpgroup up to the group `last`, in their order. False after a fault. wgmma_product.c */
bool tw_wgmma_perform(struct wgmma_pipe *pipe, struct wgmma_group *group, uint64_t last);

/* A fault of a product that was issued earlier, by the given warp of the CTA. */
void tw_wgmma_fault(struct wgmma_pipe *pipe, const struct wgmma_item *item, uint32_t warp, unsigned lane, int code,
                    const struct fault_note *note, const char *format, ...) __attribute__((format(printf, 7, 8)));

#endif
