#include "machine/tmem.h"

#include "diag/diag.h"
#include "machine/run.h"

#include <string.h>

/* ---- Stores that have not landed, as an engine of the CTA ------------------------------------ */

static uint32_t stores_pending(const struct async_agent *agent)
{
    uint32_t count = 0;
    for (const struct tmem_store *s = ((const struct tmem *)agent->state)->stores; s != NULL; s = s->next)
        count++;
    return count;
}

/* No barrier ever waits for a store: only tcgen05.wait::st of its own warp does, which never parks. */
static bool stores_land(struct async_agent *agent, const struct wait *wait)
{
    (void)agent;
    (void)wait;
    return false;
}

static void stores_drain(struct async_agent *agent)
{
    for (uint32_t w = 0; w < agent->cta->warp_count; w++)
        tw_tmem_land_stores(agent->cta, w, NULL, 0);
}

struct tmem *tw_tmem_of(struct cta *cta)
{
    if (cta->tmem != NULL)
        return cta->tmem;
    struct arena *const arena = &cta->cluster->arena;
    cta->tmem = arena_new(arena, struct tmem, 1);
    cta->tmem->cells = arena_new(arena, uint32_t, TW_TMEM_LANES * TW_TMEM_COLS);
    struct async_agent *const agent = arena_new(arena, struct async_agent, 1);
    *agent = (struct async_agent){.name = "tensor memory stores", .state = cta->tmem, .pending = stores_pending,
                                  .land = stores_land, .drain = stores_drain};
    tw_cta_add_agent(cta, agent);
    return cta->tmem;
}

struct tmem_store *tw_tmem_store_begin(struct cta *cta, uint32_t warp)
{
    struct tmem *const t = cta->tmem;
    struct tmem_store *s = t->free_stores;
    if (s != NULL)
        t->free_stores = s->next;
    else
        s = arena_new(&cta->cluster->arena, struct tmem_store, 1);
    s->next = NULL;
    s->warp = warp;
    s->op = 0;
    struct tmem_store **end = &t->stores;
    while (*end != NULL)
        end = &(*end)->next;
    *end = s;
    return s;
}

/* What a store does to bits 31:16 of an unpacked cell is documented nowhere: they stay. */
static void put_half(uint32_t *cell, uint32_t half)
{
    *cell = (*cell & 0xffff0000u) | (half & 0xffffu);
}

static void land(struct tmem *t, const struct tmem_store *s)
{
    for (uint32_t r = 0; r < s->regs; r++)
        for (uint32_t thread = 0; thread < LANES; thread++) {
            const uint32_t value = s->values[r * LANES + thread];
            if (!s->unpack) {
                const struct tmem_cell c = tw_tmem_shape_cell(s->shape, thread, r, s->split);
                *tmem_cell(t, s->lane + c.lane, s->col + c.col) = value;
            } else {
                const struct tmem_cell c = tw_tmem_shape_cell_packed(s->shape, thread, r, s->split);
                uint32_t *const low = tmem_cell(t, s->lane + c.lane, s->col + c.col);
                put_half(low, value);
                put_half(low + 1, value >> 16);
            }
        }
}

/* The operation has completed, and the lanes of the waiter know. */
static void emit_done(struct cta *cta, uint64_t op, uint32_t warp, struct warp *waiter, uint32_t mask)
{
    tw_emit_op(cta->cluster, cta, &(struct machine_event){.kind = EVENT_ASYNC_COMPLETE, .warp = warp}, op);
    if (waiter != NULL)
        tw_emit(waiter, &(struct machine_event){.kind = EVENT_ASYNC_WAIT, .op = op}, mask);
}

void tw_tmem_land_stores(struct cta *cta, uint32_t warp, struct warp *waiter, uint32_t mask)
{
    struct tmem *const t = cta->tmem;
    struct tmem_store **at = &t->stores;
    while (*at != NULL) {
        struct tmem_store *const s = *at;
        if (s->warp != warp) {
            at = &s->next;
            continue;
        }
        land(t, s);
        if (s->op != 0)
            emit_done(cta, s->op, warp, waiter, mask);
        *at = s->next;
        s->next = t->free_stores;
        t->free_stores = s;
        cta->cluster->changes++;
    }
}

void tw_tmem_open_load(struct cta *cta, uint32_t warp, uint64_t op)
{
    struct tmem *const t = cta->tmem;
    struct tmem_load *l = t->free_loads;
    if (l != NULL)
        t->free_loads = l->next;
    else
        l = arena_new(&cta->cluster->arena, struct tmem_load, 1);
    *l = (struct tmem_load){t->loads, warp, op};
    t->loads = l;
}

void tw_tmem_close_loads(struct warp *w, uint32_t mask)
{
    struct tmem *const t = w->cta->tmem;
    for (struct tmem_load **at = &t->loads; *at != NULL;) {
        struct tmem_load *const l = *at;
        if (l->warp != w->id) {
            at = &l->next;
            continue;
        }
        emit_done(w->cta, l->op, w->id, w, mask);
        *at = l->next;
        l->next = t->free_loads;
        t->free_loads = l;
    }
}

/* ---- Allocation ------------------------------------------------------------------------------ */

static bool units_free(const struct tmem *t, uint32_t unit, uint32_t units)
{
    for (uint32_t u = unit; u < unit + units; u++)
        if (t->owner[u] != 0)
            return false;
    return true;
}

static void take(struct cta *cta, uint32_t base, uint32_t cols, struct tmem_site site)
{
    struct tmem *const t = cta->tmem;
    const uint32_t unit = base / TMEM_ALLOC_UNIT_COLS;
    const uint16_t number = ++t->last_owner;
    for (uint32_t u = unit; u < unit + cols / TMEM_ALLOC_UNIT_COLS; u++)
        t->owner[u] = number;
    t->alloc_cols[unit] = (uint16_t)cols;
    t->sites[unit] = site;
    t->last_cols = (uint16_t)cols;
    for (uint32_t lane = 0; lane < TW_TMEM_LANES; lane++)
        tw_poison(tmem_cell(t, lane, base), cols * sizeof(uint32_t),
                  tw_poison_seed(cta->cluster, cta->rank, (uint32_t)number << 16 | lane << 9 | base));
}

/* SOURCE: PTX ISA, tcgen05.alloc. Placement is documented nowhere; lowest address first keeps bases multiples of sizes. */
enum tmem_alloc_status tw_tmem_alloc(struct cta *cta, struct cta *peer, uint32_t cols, struct tmem_site site, uint32_t *base)
{
    const struct tmem *const mine = tw_tmem_of(cta), *const theirs = peer == NULL ? mine : tw_tmem_of(peer);
    if (!tw_tmem_alloc_cols_legal(cols))
        return TMEM_ALLOC_BAD_SIZE;
    if (mine->permit_gone || theirs->permit_gone)
        return TMEM_ALLOC_NO_PERMIT;
    if (mine->last_cols != 0 && cols > mine->last_cols)
        return TMEM_ALLOC_GROWS;
    const uint32_t units = cols / TMEM_ALLOC_UNIT_COLS;
    for (uint32_t unit = 0; unit + units <= TMEM_UNITS; unit++) {
        if (!units_free(mine, unit, units) || !units_free(theirs, unit, units))
            continue;
        *base = unit * TMEM_ALLOC_UNIT_COLS;
        take(cta, *base, cols, site);
        if (peer != NULL)
            take(peer, *base, cols, site);
        return TMEM_ALLOC_DONE;
    }
    return TMEM_ALLOC_BLOCKED;
}

enum tmem_free_status tw_tmem_dealloc(struct cta *cta, uint32_t base, uint32_t cols, uint32_t *allocated_cols)
{
    struct tmem *const t = tw_tmem_of(cta);
    const uint32_t unit = base / TMEM_ALLOC_UNIT_COLS;
    *allocated_cols = 0;
    if (base % TMEM_ALLOC_UNIT_COLS != 0 || unit >= TMEM_UNITS || t->alloc_cols[unit] == 0)
        return TMEM_FREE_NOT_ALLOCATED;
    *allocated_cols = t->alloc_cols[unit];
    if (*allocated_cols != cols)
        return TMEM_FREE_WRONG_SIZE;
    for (uint32_t u = unit; u < unit + cols / TMEM_ALLOC_UNIT_COLS; u++) {
        t->owner[u] = 0;
        t->released[u] = true;
    }
    t->alloc_cols[unit] = 0;
    return TMEM_FREE_DONE;
}

uint32_t tw_tmem_unallocated(const struct tmem *t, uint32_t col, uint32_t cols)
{
    for (uint32_t c = col; c < col + cols; c = (c / TMEM_ALLOC_UNIT_COLS + 1) * TMEM_ALLOC_UNIT_COLS)
        if (c >= TW_TMEM_COLS || t->owner[c / TMEM_ALLOC_UNIT_COLS] == 0)
            return c;
    return UINT32_MAX;
}

bool tw_tmem_was_released(const struct tmem *t, uint32_t col)
{
    return col < TW_TMEM_COLS && t->released[col / TMEM_ALLOC_UNIT_COLS];
}

void tw_tmem_cta_end(struct cta *cta)
{
    const struct tmem *const t = cta->tmem;
    for (uint32_t unit = 0; t != NULL && unit < TMEM_UNITS; unit++) {
        if (t->alloc_cols[unit] == 0)
            continue;
        const struct tmem_site *const site = &t->sites[unit];
        struct arena *const arena = cta->cluster->diags->arena;
        tw_fault_async(cta->cluster, cta, site->warp, 0, site->code, site->origin, E0764,
                       &(struct fault_note){
                           .expected = "tcgen05.dealloc of everything before the last thread of the CTA exits",
                           .found = tw_format(arena, "columns %u to %u still allocated", unit * TMEM_ALLOC_UNIT_COLS,
                                              unit * TMEM_ALLOC_UNIT_COLS + t->alloc_cols[unit] - 1),
                           .fix = tw_format(arena, "let the allocating warp run tcgen05.dealloc of this address and %u columns",
                                            t->alloc_cols[unit]),
                           .spec = "PTX ISA, tcgen05.alloc"},
                       "the CTA ends with %u columns of tensor memory allocated", t->alloc_cols[unit]);
        return;
    }
}
