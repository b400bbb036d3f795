/* Tensor memory of a CTA: its cells, who has allocated which columns, and stores that have not landed.
 *
 * Loads take their values when they are issued. Stores land late: at the warp's tcgen05.wait::st, or
 * when the CTA ends. Cells of fresh columns hold poison, so a read of a cell that nothing has written
 * shows. SOURCE: PTX ISA, "Tensor memory", tcgen05.alloc, tcgen05.ld, tcgen05.st. */
#ifndef TW_MACHINE_TMEM_H
#define TW_MACHINE_TMEM_H

#include "isa/tmem_map.h"
#include "machine/internal.h"

enum { TMEM_UNITS = TW_TMEM_COLS / TMEM_ALLOC_UNIT_COLS };

/* Who made an allocation, for the report of one that is never released. */
struct tmem_site {
    const struct code *code;
    uint32_t origin, warp;
};

/* What tcgen05.alloc may say. */
enum tmem_alloc_status {
    TMEM_ALLOC_DONE,
    TMEM_ALLOC_BLOCKED,     /* no room: the warp waits for a release                    */
    TMEM_ALLOC_BAD_SIZE,
    TMEM_ALLOC_GROWS,       /* larger than an earlier allocation of this CTA            */
    TMEM_ALLOC_NO_PERMIT    /* after tcgen05.relinquish_alloc_permit                    */
};

/* A request of cta_group::2 waits for that of the peer CTA. */
struct tmem_request {
    bool made, granted;
    uint32_t cols, base;
};

struct tmem {
    uint32_t *cells;        /* TW_TMEM_LANES x TW_TMEM_COLS, lane-major */
    uint16_t owner[TMEM_UNITS]; /* number of the allocation that holds the unit; 0: free */
    uint16_t alloc_cols[TMEM_UNITS]; /* of the allocation that begins at the unit; 0: none begins there */
    bool released[TMEM_UNITS]; /* an allocation that held the unit is gone */
    uint16_t last_owner;    /* numbers given out */
    uint16_t last_cols;     /* size of the last allocation; 0: none yet */
    bool permit_gone;
    uint8_t cta_group;      /* of the first tcgen05 instruction of the CTA; 0: none yet */
    struct tmem_request pair_alloc;
    struct tmem_site sites[TMEM_UNITS]; /* of the allocation that begins at the unit */
    struct tmem_store *stores; /* not landed, oldest first */
    struct tmem_store *free_stores;
    struct tmem_load *loads; /* open, when there is an observer */
    struct tmem_load *free_loads;
};

/* A load that its warp has not waited for. */
struct tmem_load {
    struct tmem_load *next;
    uint32_t warp;
    uint64_t op;
};

/* The CTA's tensor memory, made on first use. */
struct tmem *tw_tmem_of(struct cta *cta);

static inline uint32_t *tmem_cell(const struct tmem *t, uint32_t lane, uint32_t col)
{
    return &t->cells[lane * TW_TMEM_COLS + col];
}

/* Allocation by lowest address, first fit; in both CTAs of a pair at the same columns when `peer` is not NULL.
 * On TMEM_ALLOC_DONE *base is the first column; the cells are poisoned. */
enum tmem_alloc_status tw_tmem_alloc(struct cta *cta, struct cta *peer, uint32_t cols, struct tmem_site site, uint32_t *base);

enum tmem_free_status {
    TMEM_FREE_DONE,
    TMEM_FREE_NOT_ALLOCATED, /* the column begins no allocation      */
    TMEM_FREE_WRONG_SIZE     /* it does, of another number of columns */
};
/* *allocated_cols: the size of the allocation that begins there, 0 if none does. */
enum tmem_free_status tw_tmem_dealloc(struct cta *cta, uint32_t base, uint32_t cols, uint32_t *allocated_cols);

/* The first column of [col, col + cols) that is outside tensor memory or not allocated, or UINT32_MAX. */
uint32_t tw_tmem_unallocated(const struct tmem *t, uint32_t col, uint32_t cols);
/* Whether a column that is not allocated once was. */
bool tw_tmem_was_released(const struct tmem *t, uint32_t col);

/* A store of a warp that has not landed: register r of thread t is values[r * LANES + t]. */
struct tmem_store {
    struct tmem_store *next;
    uint32_t warp;
    uint64_t op;            /* number of the operation, for events; 0: nobody watches */
    enum tmem_shape shape;
    bool unpack;
    uint32_t lane, col, split, regs;
    uint32_t values[LANES * 128];
};
/* A store at the end of the queue, to be filled in. */
struct tmem_store *tw_tmem_store_begin(struct cta *cta, uint32_t warp);
/* Lands the stores of one warp, oldest first. `waiter` is that warp when its lanes of `mask` wait for them, else NULL. */
void tw_tmem_land_stores(struct cta *cta, uint32_t warp, struct warp *waiter, uint32_t mask);

/* For observers: a load reads tensor memory until its warp has waited. */
void tw_tmem_open_load(struct cta *cta, uint32_t warp, uint64_t op);
void tw_tmem_close_loads(struct warp *w, uint32_t mask);

#endif
