/* The bulk copy engine of a CTA: cp.async.bulk, cp.reduce.async.bulk, their tensor forms, st.async and red.async.
 *
 * An instruction captures its operands and joins the queue. A load lands for one destination CTA when somebody waits for
 * the barrier that this destination signals, and nothing else lands with it; a store when its thread waits for its group;
 * what is left when the CTA ends. Until a load has landed its destination holds poison; the source of a store is read when
 * it lands, or when wait_group.read asks for it. So data read too early, and sources overwritten too early, show.
 *
 * Tensor maps are read through a cache of the CTA, as on a GPU: a map that a kernel changes after its first use stays as it
 * was until fence.proxy.tensormap::generic.acquire names it.
 *
 * SOURCE: PTX ISA, "Data Movement and Conversion Instructions: Bulk copy", "Tensor copy"; MEASURED: ptx-async.md 4.2 to 4.9. */
#ifndef TW_MACHINE_COPY_ENGINE_H
#define TW_MACHINE_COPY_ENGINE_H

#include "machine/internal.h"
#include "machine/tensor_copy.h"

enum bulk_kind {
    BULK_LOAD,          /* global to shared                    */
    BULK_TO_PEER,       /* shared to shared of another CTA     */
    BULK_TO_PEER_REDUCE,
    BULK_WORD,          /* st.async: registers to shared       */
    BULK_WORD_REDUCE,   /* red.async                           */
    BULK_TENSOR_LOAD,
    BULK_STORE,         /* shared to global                    */
    BULK_STORE_REDUCE,
    BULK_TENSOR_STORE,
    BULK_TENSOR_REDUCE,
    BULK_PREFETCH,
    BULK_TENSOR_PREFETCH
};

enum { WORD_BYTES = 16 }; /* the largest of st.async */

/* What the decoded instruction says once and for all. */
struct bulk_inst {
    const char *name;            /* "cp.async.bulk" */
    enum bulk_kind kind;
    struct dop dst, src, bytes, mbar, mask, map, value;
    struct dop coords[TENSOR_MAP_RANK], info[TENSOR_MAP_SPATIAL];
    uint32_t coord_count, info_count;
    uint32_t rank;               /* of a tensor instruction */
    enum tensor_copy_mode mode;
    enum atom_op op;             /* of a reduction; a tensor's element type is its map's */
    struct atom_call reduce;
    unsigned sm;                 /* of the target, 100 for sm_100a: some map rules depend on it */
    uint32_t word_bytes, words;  /* st.async, red.async: of an element, elements */
    uint8_t cta_group;           /* 1 or 2 */
    bool multicast, peers, generic, masked;
};

/* One operation of one thread. */
struct bulk_op {
    struct bulk_op *next;
    const struct bulk_inst *inst;
    uint32_t warp, lane;
    const struct code *code;
    uint32_t origin;
    uint64_t number;     /* of the asynchronous operation */
    uint32_t shared;     /* of the executing CTA's side, or of the destination of a load; with rank */
    uint32_t peer;       /* BULK_TO_PEER: destination, with rank */
    uint64_t global;
    uint32_t bytes;
    uint16_t byte_mask;
    uint32_t mbar;       /* with rank */
    uint32_t targets;    /* loads: CTAs that have not got it yet */
    uint32_t group;      /* stores: number of the thread's group */
    bool staged;         /* stores: the source has been read into `stage` */
    uint8_t *stage;
    uint32_t stage_room;
    uint8_t word[WORD_BYTES];
    struct tensor_copy copy;
    struct atom_call reduce;
};

struct copied_map;

struct bulk_engine {
    struct async_agent agent;
    struct bulk_op *first, **end;
    struct bulk_op *free;
    uint32_t (*groups)[LANES]; /* by warp: bulk groups that each thread has committed */
    struct copied_map *maps;
};

struct bulk_engine *tw_bulk_engine_of(struct cta *cta);

/* A new operation of the lane, not yet in the queue. */
struct bulk_op *tw_bulk_op_new(struct warp *w, const struct dinst *d, unsigned lane);
/* Puts it there: the destination of a load becomes poison. */
void tw_bulk_issue(struct warp *w, struct bulk_op *op);

/* cp.async.bulk.commit_group, and wait_group: at most `pending` groups of a thread stay; EXEC_FAULT after a fault. */
void tw_bulk_commit(struct cta *cta, uint32_t warp, uint32_t lanes);
enum exec_status tw_bulk_wait(struct warp *w, uint32_t lanes, uint32_t pending, bool read_only);

/* The checked tensor map at a generic address, as the CTA's cache has it; NULL after a fault of the executing lane. */
const struct tensor_map *tw_bulk_map(struct warp *w, unsigned lane, const struct bulk_inst *inst, uint64_t address);
/* The next use of the map reads memory again. */
void tw_bulk_map_acquire(struct cta *cta, uint64_t address);

#endif
