/* A cluster's life: memory is made and filled with poison, warps start, engines drain, all is freed.
 *
 * Nothing a kernel has not written is zero: shared, local and register memory hold words drawn from
 * the seed, so that a forgotten initialisation shows under every seed. */
#include "machine/collective.h"
#include "machine/decode.h"
#include "machine/mbarrier.h"
#include "machine/run.h"
#include "machine/warp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers from the seed ------------------------------------------------------------------ */

/* SplitMix64: one addition and two multiplies a word, full period, any state is good. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t tw_random(struct cluster *c)
{
    return mix(c->random += UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t tw_poison_seed(const struct cluster *c, uint32_t cta_rank, uint32_t what)
{
    return mix(c->launch->spec.seed + mix(c->index * 64 + cta_rank + 1) + mix((uint64_t)what << 32));
}

void tw_poison(void *at, size_t bytes, uint64_t seed)
{
    /* One word a call, repeated: telling, cheap, and no valid data by accident: large odd bytes. */
    const uint64_t word = mix(seed) | UINT64_C(0x8181818181818181);
    uint8_t *to = at;
    size_t i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word)
        memcpy(to + i, &word, sizeof word);
    memcpy(to + i, &word, bytes - i);
}

/* ---- Beginning ------------------------------------------------------------------------------ */

void tw_cta_position(const struct launch *l, uint64_t cluster, uint32_t rank, uint32_t ctaid[3])
{
    uint64_t rest = cluster;
    uint32_t in = rank;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t clusters = l->grid[axis] / l->cluster[axis];
        ctaid[axis] = (uint32_t)(rest % clusters) * l->cluster[axis] + in % l->cluster[axis];
        rest /= clusters;
        in /= l->cluster[axis];
    }
}

static void start_warp(struct cta *cta, uint32_t id)
{
    struct warp *const w = &cta->warps[id];
    struct cluster *const c = cta->cluster;
    const struct launch *const l = c->launch;
    const uint32_t threads = l->block_threads - id * LANES;
    w->cta = cta;
    w->cluster = c;
    w->id = id;
    if (l->local_bytes != 0) {
        w->local = tw_arena_alloc(&c->arena, LANES, l->local_bytes);
        tw_poison(w->local, (size_t)LANES * l->local_bytes, tw_poison_seed(c, cta->rank, 0x10000 + id));
    }
    tw_warp_start(w, l->image->codes[0], threads >= LANES ? ALL_LANES : (UINT32_C(1) << threads) - 1);
}

static void start_cta(struct cluster *c, uint32_t rank)
{
    const struct launch *const l = c->launch;
    struct cta *const cta = &c->ctas[rank];
    cta->cluster = c;
    cta->rank = rank;
    tw_cta_position(l, c->index, rank, cta->ctaid);
    cta->shared_bytes = l->shared_bytes;
    cta->shared = tw_arena_alloc(&c->arena, 1, (size_t)cta->shared_bytes + 64);
    cta->shared += (64 - ((uintptr_t)cta->shared & 63)) & 63;
    tw_poison(cta->shared, cta->shared_bytes, tw_poison_seed(c, rank, 0x20000));
    cta->warp_count = cta->warps_left = (l->block_threads + LANES - 1) / LANES;
    cta->warps = arena_new(&c->arena, struct warp, cta->warp_count);
    for (uint32_t i = 0; i < cta->warp_count; i++)
        start_warp(cta, i);
    if (observed(c))
        tw_emit(&cta->warps[0],
                &(struct machine_event){.kind = EVENT_CTA_START, .bytes = cta->shared_bytes, .count = l->block_threads, .id = l->cluster_ctas}, 0);
}

uint64_t tw_cluster_estimate(const struct launch *l)
{
    const uint64_t warps = (l->block_threads + LANES - 1) / LANES;
    const struct code *const kernel = l->image->codes[0];
    const uint64_t warp = sizeof(struct warp) + sizeof(struct frame) + kernel->frame_bytes + 64 + (uint64_t)LANES * l->local_bytes;
    const uint64_t tensor = l->image->uses_tmem ? (uint64_t)TW_TMEM_LANES * TW_TMEM_COLS * sizeof(uint32_t) : 0;
    return l->cluster_ctas * (sizeof(struct cta) + l->shared_bytes + tensor + warps * warp);
}

void tw_cluster_new(struct launch *l, struct resident *r, struct landing *landing)
{
    struct cluster *const c = calloc(1, sizeof *c);
    if (c == NULL)
        tw_land(landing, LANDING_MEMORY, NULL);
    const uint64_t index = r->index;
    r->cluster = c; /* first, so that a jump out of here leaks nothing */
    c->launch = l;
    c->left = l->share;
    c->has_turn = l->alone;
    c->accompanied = l->threads > 1;
    c->observer = l->spec.observer.event == NULL ? NULL : &l->spec.observer;
    c->index = index;
    c->random = mix(l->spec.seed) ^ mix(index + 1);
    c->idle_changes = c->watch.changes = UINT64_MAX; /* none is known yet */
    tw_arena_init(&c->arena, landing, (size_t)l->spec.max_memory);
    c->diags = arena_new(&c->arena, struct diags, 1);
    tw_diags_init(c->diags, &c->arena, l->findings->sources);
    c->cta_count = c->ctas_left = l->cluster_ctas;
    c->ctas = arena_new(&c->arena, struct cta, c->cta_count);
    c->order = arena_new(&c->arena, struct warp *, c->cta_count * ((l->block_threads + LANES - 1) / LANES));
    for (uint32_t i = 0; i < c->cta_count; i++) {
        start_cta(c, i);
        for (uint32_t k = 0; k < c->ctas[i].warp_count; k++)
            c->order[c->warp_count++] = &c->ctas[i].warps[k];
    }
    c->turn = c->warp_count; /* the first round begins with a shuffle */
    c->round_ran = true;
    c->barrier.expected = c->cta_count * l->block_threads;
}

void tw_cluster_free(struct cluster *c)
{
    if (c == NULL)
        return;
    tw_arena_release(&c->arena);
    free(c);
}

/* ---- End ------------------------------------------------------------------------------------ */

static void end_cta(struct cta *cta)
{
    struct cluster *const c = cta->cluster;
    for (uint32_t i = 0; i < cta->agent_count; i++)
        if (cta->agents[i]->pending(cta->agents[i]) != 0)
            cta->agents[i]->drain(cta->agents[i]);
    if (c->status != LAUNCH_RUNNING)
        return;
    tw_mbar_cta_end(cta);
    tw_tmem_cta_end(cta);
    if (observed(c))
        tw_emit(&cta->warps[0], &(struct machine_event){.kind = EVENT_CTA_END}, 0);
    cta->ended = true;
    if (--c->ctas_left == 0)
        c->ended = true;
}

bool tw_cta_holds_strong(const struct cta *cta)
{
    for (uint32_t i = 0; i < cta->agent_count; i++)
        if (cta->agents[i]->strong != NULL && cta->agents[i]->strong(cta->agents[i]))
            return true;
    return false;
}

void tw_cta_warp_ended(struct cta *cta)
{
    assert(cta->warps_left > 0);
    cta->warps_left--;
    tw_bar_warp_ended(cta);
    if (cta->warps_left == 0)
        end_cta(cta);
}

/* ---- Engines and events --------------------------------------------------------------------- */

void tw_cta_add_agent(struct cta *cta, struct async_agent *agent)
{
    assert(cta->agent_count < MAX_AGENTS);
    agent->cta = cta;
    cta->agents[cta->agent_count++] = agent;
}

uint64_t tw_async_next_op(struct cluster *c)
{
    return ++c->last_op;
}

void tw_emit(struct warp *w, struct machine_event *e, uint32_t lanes)
{
    e->cluster = w->cluster->index;
    e->cta_rank = w->cta->rank;
    e->warp = w->id;
    e->lanes = lanes;
    e->pc = w->now == NULL ? 0 : w->now->pc;
    e->origin = w->now == NULL ? NULL : &w->code->origins[w->code->insts[e->pc].origin];
    e->of_cluster = &w->cluster->of_observer;
    w->cluster->observer->event(w->cluster->observer->context, e);
}

void tw_emit_op(struct cluster *c, struct cta *cta, struct machine_event *e, uint64_t op)
{
    e->cluster = c->index;
    e->cta_rank = cta->rank;
    e->op = op;
    e->of_cluster = &c->of_observer;
    c->observer->event(c->observer->context, e);
}
