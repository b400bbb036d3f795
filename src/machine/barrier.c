/* CTA barriers and the cluster barrier: state machines. SOURCE: ptx-async.md 5.3, 6.1. */
#include "machine/collective.h"

#include "machine/barrier.h"
#include "machine/run.h"
#include "machine/warp.h"

static uint32_t ended_warps(const struct cta *cta)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].live == 0)
            mask |= UINT32_C(1) << i;
    return mask;
}

static bool complete(const struct cta *cta, const struct named_barrier *bar)
{
    if (bar->expected == 0)
        return false;
    if (!bar->all_threads)
        return bar->arrived >= bar->expected;
    const uint32_t all = cta->warp_count == 32 ? UINT32_MAX : (UINT32_C(1) << cta->warp_count) - 1;
    return ((bar->arrived_warps | ended_warps(cta)) & all) == all;
}

static uint32_t red_result(const struct named_barrier *bar, enum bar_op op)
{
    if (op == BAR_OP_POPC)
        return bar->red_count;
    if (op == BAR_OP_AND)
        return bar->red_and ? ALL_LANES : 0;
    return bar->red_or ? ALL_LANES : 0;
}

static void release_waiters(struct cta *cta, uint32_t id)
{
    const struct named_barrier *const bar = &cta->bars[id];
    for (uint32_t i = 0; i < cta->warp_count; i++)
        for (uint32_t k = 0; k < cta->warps[i].split_count; k++) {
            struct split *const s = &cta->warps[i].splits[k];
            if (s->wait.kind != WAIT_BAR || s->wait.key != id || s->wait.detail != BAR_ARRIVED)
                continue;
            s->wait.kind = WAIT_NONE;
            s->resumed = true;
            s->result = red_result(bar, (enum bar_op)bar->red_op);
        }
}

static void try_complete(struct cta *cta, uint32_t id)
{
    struct named_barrier *const bar = &cta->bars[id];
    if (!complete(cta, bar))
        return;
    release_waiters(cta, id);
    *bar = (struct named_barrier){.instance = bar->instance + 1};
    cta->cluster->changes++;
}

void tw_bar_arrive(struct warp *w, uint32_t id, const struct bar_arrival *a)
{
    struct named_barrier *const bar = &w->cta->bars[id];
    if (bar->expected == 0) {
        bar->expected = a->threads;
        bar->all_threads = a->all_threads;
        bar->kind = a->reduces ? BAR_KIND_RED : BAR_KIND_SYNC;
        bar->red_op = (uint8_t)a->op;
        bar->red_and = true;
    }
    bar->arrived += LANES;
    bar->arrived_warps |= UINT32_C(1) << w->id;
    bar->red_count += (uint32_t)__builtin_popcount(a->lanes & a->predicate);
    bar->red_and &= (a->lanes & ~a->predicate) == 0;
    bar->red_or |= (a->lanes & a->predicate) != 0;
    w->cluster->changes++;
}

void tw_bar_settle(struct cta *cta, uint32_t id)
{
    try_complete(cta, id);
}

void tw_bar_warp_ended(struct cta *cta)
{
    for (uint32_t id = 0; id < CTA_BARRIERS; id++)
        try_complete(cta, id);
}

/* ---- The cluster barrier -------------------------------------------------------------------- */

static uint32_t live_threads(const struct cluster *c)
{
    uint32_t threads = 0;
    for (uint32_t i = 0; i < c->warp_count; i++)
        threads += (uint32_t)__builtin_popcount(c->order[i]->live);
    return threads;
}

void tw_cluster_barrier_settle(struct cluster *c)
{
    c->barrier.expected = live_threads(c);
    if (c->barrier.arrived == 0 || c->barrier.arrived < c->barrier.expected)
        return;
    c->barrier.arrived = 0;
    c->barrier.phase++;
    c->changes++;
    for (uint32_t i = 0; i < c->warp_count; i++) {
        struct warp *const w = c->order[i];
        w->cluster_passed |= w->cluster_arrived;
        w->cluster_arrived = 0;
    }
    (void)tw_wake(c, WAIT_CLUSTER, 0);
}

void tw_cluster_barrier_exited(struct cluster *c)
{
    uint32_t arrived = 0;
    for (uint32_t i = 0; i < c->warp_count; i++)
        arrived += (uint32_t)__builtin_popcount(c->order[i]->cluster_arrived);
    c->barrier.arrived = arrived;
    tw_cluster_barrier_settle(c);
}
