#include "check/shadow.h"

#include <stdlib.h>
#include <string.h>

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- A cluster's memory ----------------------------------------------------------------------------------------- */

struct shadow *tw_shadow_new(uint32_t ctas, uint32_t threads, uint32_t bytes)
{
    struct shadow *const s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->ctas = ctas;
    s->cta_threads = threads;
    s->cta_warps = (threads + 31) / 32;
    s->cta_words = (bytes + 3) / 4;
    s->cells = tw_claim(&s->claims, (uint64_t)ctas * s->cta_words, sizeof *s->cells);
    s->fences = tw_claim(&s->claims, (uint64_t)ctas * threads, sizeof *s->fences);
    s->fenced = tw_claim(&s->claims, (uint64_t)ctas * s->cta_warps, sizeof *s->fenced);
    if (tw_order_init(&s->order, &s->claims, ctas * s->cta_warps) && tw_shadow_tensor_init(s))
        return s;
    tw_shadow_free(s);
    return NULL;
}

void tw_shadow_free(struct shadow *s)
{
    if (s == NULL)
        return;
    tw_claims_release(&s->claims);
    free(s);
}

void tw_shadow_begin(struct shadow *s, uint64_t cluster)
{
    s->cluster = cluster;
    s->ctas_left = s->ctas;
    s->base = ++s->now;
    tw_order_clear(&s->order);
    memset(s->fences, 0, (size_t)s->ctas * s->cta_threads * sizeof *s->fences);
    memset(s->fenced, 0, s->order.warps * sizeof *s->fenced);
    memset(s->after, 0, s->order.warps * sizeof *s->after);
    memset(s->seen, 0, sizeof s->seen);
    for (uint32_t i = 0; i < READING_BUCKETS; i++)
        while (s->readings[i] != NULL)
            tw_shadow_complete(s, s->readings[i]->op);
}

/* ---- Writes --------------------------------------------------------------------------------------------------- */

struct cell *tw_shadow_cells(const struct shadow *s, const struct machine_event *e, uint32_t *count)
{
    const uint32_t rank = (uint32_t)e->address >> 24; /* SOURCE: ptx-async.md 8.1, the low 32 bits count */
    const uint64_t offset = e->address & 0xffffff;
    const uint64_t first = offset / 4, end = (offset + e->bytes + 3) / 4;
    *count = 0;
    if (rank >= s->ctas || end > s->cta_words || e->bytes == 0)
        return NULL;
    *count = (uint32_t)(end - first);
    return s->cells + (size_t)rank * s->cta_words + first;
}

void tw_shadow_write(struct shadow *s, const struct machine_event *e, struct site site)
{
    struct machine_event one = *e;
    const uint32_t first = site.thread;
    for (uint32_t lanes = e->lanes & (e->lanes - 1) ? e->lanes >> e->lane : 1, lane = 0; lanes != 0; lanes >>= 1, lane++) {
        uint32_t count;
        if ((lanes & 1) == 0)
            continue;
        one.address = e->address + (uint64_t)lane * e->stride;
        site.thread = first + lane;
        struct cell *const c = tw_shadow_cells(s, &one, &count);
        for (uint32_t i = 0; i < count; i++)
            c[i] = (struct cell){s->now, site.origin, site.thread, e->op != 0};
    }
}

void tw_shadow_overwrite(struct shadow *s, const struct machine_event *e)
{
    uint32_t count;
    struct cell *const c = tw_shadow_cells(s, e, &count);
    for (uint32_t i = 0; i < count; i++)
        c[i].time = 0;
}

/* ---- Fences --------------------------------------------------------------------------------------------------- */

/* Each lane fences its own writes; and the writes of others, as far as the warp knows that they precede. */
void tw_shadow_fence(struct shadow *s, const struct machine_event *e)
{
    const uint32_t warp = e->cta_rank * s->cta_warps + e->warp;
    const uint64_t *const known = tw_order_known(&s->order, warp);
    for (uint32_t lanes = e->lanes; lanes != 0; lanes &= lanes - 1) {
        const uint32_t thread = e->warp * 32 + (uint32_t)__builtin_ctz(lanes);
        struct fences *const f = &s->fences[e->cta_rank * s->cta_threads + thread];
        f->at[f->next] = s->now;
        f->next = (f->next + 1) % FENCES;
    }
    for (uint32_t i = 0; i < s->order.warps; i++)
        s->fenced[i] = larger(s->fenced[i], known[i]);
}

/* The thread's first remembered fence after `time`; 0: none. *certain: no earlier one can have been forgotten. */
static uint64_t first_fence(const struct fences *f, uint64_t time, bool *certain)
{
    uint64_t first = 0;
    *certain = false;
    for (uint32_t i = 0; i < FENCES; i++) {
        if (f->at[i] <= time)
            *certain = true;
        else if (first == 0 || f->at[i] < first)
            first = f->at[i];
    }
    return first;
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

static struct reading **bucket_of(struct shadow *s, uint64_t op)
{
    return &s->readings[op % READING_BUCKETS];
}

struct reading *tw_shadow_reading(struct shadow *s, uint64_t op)
{
    struct reading *r = s->last;
    if (r != NULL && r->op == op)
        return r;
    r = s->readings[op % READING_BUCKETS];
    while (r != NULL && r->op != op)
        r = r->next;
    s->last = r;
    return r;
}

static struct reading *new_reading(struct shadow *s)
{
    struct reading *r = s->spare;
    if (r != NULL) {
        s->spare = r->next;
        return r;
    }
    r = tw_claim(&s->claims, 1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->known = tw_claim(&s->claims, s->order.warps, sizeof *r->known);
    r->fenced = tw_claim(&s->claims, s->order.warps, sizeof *r->fenced);
    return s->claims.exhausted ? NULL : r;
}

/* A wgmma is issued by each of its four warps: the read is ordered after what any of them knew. */
void tw_shadow_issue(struct shadow *s, const struct machine_event *e, struct site site)
{
    const uint32_t warp = e->cta_rank * s->cta_warps + e->warp, warps = s->order.warps;
    const uint64_t *const known = tw_order_known(&s->order, warp);
    struct reading *r = tw_shadow_reading(s, e->op);
    if (r == NULL) {
        struct reading **const bucket = bucket_of(s, e->op);
        r = new_reading(s);
        if (r == NULL)
            return;
        r->op = e->op;
        r->site = site;
        r->next = *bucket;
        *bucket = r;
        memset(r->known, 0, warps * sizeof *r->known);
        memset(r->fenced, 0, warps * sizeof *r->fenced);
    }
    r->time = s->now;
    for (uint32_t i = 0; i < warps; i++) {
        r->known[i] = larger(r->known[i], known[i]);
        r->fenced[i] = larger(r->fenced[i], s->fenced[i]);
    }
    r->known[warp] = s->now;
}

void tw_shadow_complete(struct shadow *s, uint64_t op)
{
    s->last = NULL;
    for (struct reading **link = bucket_of(s, op); *link != NULL; link = &(*link)->next) {
        struct reading *const r = *link;
        if (r->op != op)
            continue;
        *link = r->next;
        r->next = s->spare;
        s->spare = r;
        return;
    }
}

/* ---- The verdict --------------------------------------------------------------------------------------------------- */

enum verdict tw_shadow_judge(const struct shadow *s, const struct cell *c, const struct reading *r)
{
    const uint32_t warp = tw_shadow_warp(s, c->thread);
    bool certain;
    if (c->time < s->base) /* of another cluster */
        return VERDICT_FINE;
    if (c->time > r->time) /* neither before the issue nor after the completion */
        return VERDICT_IN_USE;
    const bool covered = r->fenced[warp] >= c->time;
    if (c->copied && covered) /* SOURCE: ptx-async.md 7.4 row 4: a fence after the wait, by any thread */
        return VERDICT_FINE;
    const uint64_t fence = first_fence(&s->fences[c->thread], c->time, &certain);
    if (fence == 0 || fence >= r->time)
        return covered ? VERDICT_BEHIND : c->copied ? VERDICT_COPIED : VERDICT_UNFENCED;
    if (!certain || fence <= r->known[warp] || c->time > r->known[warp])
        return VERDICT_FINE; /* before a barrier, or ordered by something that is not followed */
    return VERDICT_BEHIND;
}
