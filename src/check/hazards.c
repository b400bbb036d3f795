#include "check/hazards.h"

#include "check/shadow.h"
#include "machine/decode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which instructions read through the async proxy ---------------------------------------------------------------- */

static bool reads_shared(enum isa_op op)
{
    static const uint16_t ops[] = {
        OP_BULK_STORE, OP_BULK_COPY_CLUSTER, OP_BULK_REDUCE_GLOBAL, OP_BULK_REDUCE_CLUSTER, OP_TENSOR_STORE, OP_TENSOR_REDUCE,
        OP_WGMMA, OP_WGMMA_SP, OP_TCGEN05_CP, OP_TCGEN05_MMA, OP_TCGEN05_MMA_SP, OP_TCGEN05_MMA_BLOCK_SCALE,
        OP_TCGEN05_MMA_SP_BLOCK_SCALE, OP_TCGEN05_MMA_WS, OP_TCGEN05_MMA_WS_SP,
    };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (ops[i] == op)
            return true;
    return false;
}

bool tw_hazards_possible(const struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->funcs.len; i++)
        for (uint32_t k = 0; k < module->funcs.at[i].insts.len; k++)
            if (reads_shared(module->funcs.at[i].insts.at[k].form->op))
                return true;
    return false;
}

/* ---- What is found ---------------------------------------------------------------------------------------------------- */

struct finding {
    struct finding *next;
    enum verdict verdict;
    struct site write, read;
    const struct origin *culprit; /* the instruction that lacks something */
    uint64_t cluster, time;
    uint32_t cta_threads;
    uint64_t address;
    const char *place;            /* of the culprit in the source, while reporting; empty where it is not known */
    bool told;                    /* another finding stands for it */
};

struct hazards {
    pthread_mutex_t lock;    /* of everything below; a cluster's own shadow needs none */
    struct shadow *idle;
    struct shadow *running;
    struct finding *findings;
    bool exhausted;
};

struct hazards *tw_hazards_new(void)
{
    struct hazards *const h = calloc(1, sizeof *h);
    if (h != NULL)
        pthread_mutex_init(&h->lock, NULL);
    return h;
}

static void free_shadows(struct shadow *s)
{
    while (s != NULL) {
        struct shadow *const next = s->next;
        tw_shadow_free(s);
        s = next;
    }
}

void tw_hazards_free(struct hazards *h)
{
    if (h == NULL)
        return;
    free_shadows(h->idle);
    free_shadows(h->running);
    while (h->findings != NULL) {
        struct finding *const next = h->findings->next;
        free(h->findings);
        h->findings = next;
    }
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static bool same_fault(const struct finding *a, const struct finding *b)
{
    return a->verdict == b->verdict && a->culprit == b->culprit;
}

static bool earlier(const struct finding *a, const struct finding *b)
{
    return a->cluster != b->cluster ? a->cluster < b->cluster : a->time < b->time;
}

/* Of a faulty instruction the first cluster's first finding stays, whichever thread of the host comes first. */
static void keep(struct hazards *h, const struct finding *found)
{
    pthread_mutex_lock(&h->lock);
    struct finding *f = h->findings;
    while (f != NULL && !same_fault(f, found))
        f = f->next;
    if (f == NULL) {
        f = malloc(sizeof *f);
        if (f != NULL) {
            *f = *found;
            f->next = h->findings;
            h->findings = f;
        }
        h->exhausted |= f == NULL;
    } else if (earlier(found, f)) {
        struct finding *const next = f->next;
        *f = *found;
        f->next = next;
    }
    pthread_mutex_unlock(&h->lock);
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------------- */

/* Clusters of a launch are alike: the memory of one that has ended serves the next. */
static struct shadow *begin_cluster(struct hazards *h, const struct machine_event *e)
{
    pthread_mutex_lock(&h->lock);
    struct shadow *s = h->idle;
    if (s != NULL)
        h->idle = s->next;
    else
        s = tw_shadow_new(e->id, e->count, e->bytes);
    if (s != NULL) {
        s->next = h->running;
        h->running = s;
    }
    h->exhausted |= s == NULL;
    pthread_mutex_unlock(&h->lock);
    if (s != NULL)
        tw_shadow_begin(s, e->cluster);
    return s;
}

static void end_cluster(struct hazards *h, struct shadow *s)
{
    pthread_mutex_lock(&h->lock);
    struct shadow **link = &h->running;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    s->next = h->idle;
    h->idle = s;
    h->exhausted |= s->claims.exhausted;
    pthread_mutex_unlock(&h->lock);
}

/* ---- Events ------------------------------------------------------------------------------------------------------------- */

static uint32_t warp_of(const struct shadow *s, const struct machine_event *e)
{
    return e->cta_rank * s->cta_warps + e->warp;
}

static struct site site_of(const struct shadow *s, const struct machine_event *e, uint32_t lane)
{
    return (struct site){e->origin, e->cta_rank * s->cta_threads + e->warp * 32 + lane};
}

/* Whether the cluster has reported the instruction already; remembers it. */
static bool was_seen(struct shadow *s, enum verdict verdict, const struct origin *culprit)
{
    for (uint32_t i = 0; i < SEEN_FAULTS; i++)
        if (s->seen[i].verdict == verdict && s->seen[i].culprit == culprit)
            return true;
    s->seen[s->next_seen] = (struct seen_fault){verdict, culprit};
    s->next_seen = (s->next_seen + 1) % SEEN_FAULTS;
    return false;
}

static void find(struct hazards *h, struct shadow *s, struct finding found)
{
    if (was_seen(s, found.verdict, found.culprit))
        return;
    found.cluster = s->cluster;
    found.time = s->now - s->base;
    found.cta_threads = s->cta_threads;
    keep(h, &found);
}

/* The words that the operation reads; neighbours are mostly alike. */
static void look_at_read(struct hazards *h, struct shadow *s, const struct machine_event *e)
{
    const struct reading *const r = tw_shadow_reading(s, e->op);
    uint32_t count;
    const struct cell *const cells = tw_shadow_cells(s, e, &count), *last = NULL;
    for (uint32_t i = 0; r != NULL && i < count; i++) {
        const struct cell *const c = &cells[i];
        if (c->time < s->base || (last != NULL && last->time == c->time && last->thread == c->thread))
            continue;
        last = c;
        const enum verdict verdict = tw_shadow_judge(s, c, r);
        if (verdict != VERDICT_FINE) /* the writer's fault: its first reader stands for all */
            find(h, s, (struct finding){.verdict = verdict, .write = {c->origin, c->thread}, .read = r->site, .culprit = c->origin,
                                        .address = (e->address & ~UINT64_C(3)) + 4 * i});
    }
}

static void access_tensor(struct hazards *h, struct shadow *s, const struct machine_event *e)
{
    const struct reading *const r = e->write ? tw_shadow_reading(s, e->op) : NULL;
    const struct tensor_cell *const early = e->write ? tw_shadow_tensor_write(s, e) : NULL;
    const struct tensor_cell *const unordered = e->read ? tw_shadow_tensor_read(s, e) : NULL;
    if (early != NULL)
        find(h, s, (struct finding){.verdict = VERDICT_EARLY, .write = r->site, .read = early->loader, .culprit = early->loader.origin,
                                    .address = e->address});
    if (unordered != NULL)
        find(h, s, (struct finding){.verdict = VERDICT_UNORDERED, .write = unordered->site, .read = s->loader, .culprit = s->loader.origin,
                                    .address = e->address});
}

static void access(struct hazards *h, struct shadow *s, const struct machine_event *e)
{
    if (e->space == SPACE_TMEM)
        access_tensor(h, s, e);
    if (e->space != SPACE_SHARED && e->space != SPACE_SHARED_CLUSTER)
        return;
    if (e->proxy == PROXY_GENERIC && e->write && e->origin != NULL) {
        tw_shadow_write(s, e, site_of(s, e, e->lane));
    } else {
        if (e->proxy == PROXY_ASYNC && e->read)
            look_at_read(h, s, e);
        if (e->write)
            tw_shadow_overwrite(s, e);
    }
}

static void synchronise(struct shadow *s, const struct machine_event *e)
{
    const uint32_t warp = warp_of(s, e);
    const uint64_t bar = (uint64_t)e->cta_rank << 8 | e->id;
    struct order *const o = &s->order;
    if (e->kind == EVENT_BAR_ARRIVE)
        (void)tw_order_release(o, warp, SYNC_BARRIER, bar, s->now);
    else if (e->kind == EVENT_BAR_WAIT)
        (void)tw_order_acquire(o, warp, SYNC_BARRIER, bar, s->now);
    else if (e->kind == EVENT_CLUSTER_ARRIVE)
        (void)tw_order_release(o, warp, SYNC_CLUSTER, 0, s->now);
    else if (e->kind == EVENT_CLUSTER_WAIT)
        (void)tw_order_acquire(o, warp, SYNC_CLUSTER, 0, s->now);
    else if (e->kind == EVENT_MBAR_ARRIVE && e->lanes != 0) /* an engine's arrival brings no thread's writes */
        (void)tw_order_release(o, warp, SYNC_MBARRIER, e->address, s->now);
    else if (e->kind == EVENT_MBAR_WAIT)
        (void)tw_order_acquire(o, warp, SYNC_MBARRIER, e->address, s->now);
    else if (e->kind == EVENT_WARP_SYNC)
        tw_order_known(o, warp)[warp] = s->now;
}

static void fence(struct shadow *s, const struct machine_event *e)
{
    if (e->fence == FENCE_PROXY_ASYNC && e->space != SPACE_GLOBAL)
        tw_shadow_fence(s, e);
    else if (e->fence == FENCE_TC_AFTER)
        s->after[warp_of(s, e)] = s->now;
}

static void issue(struct shadow *s, const struct machine_event *e)
{
    const enum isa_op op = e->origin == NULL || e->origin->inst == NULL ? OP_NONE : (enum isa_op)e->origin->inst->form->op;
    const struct site site = site_of(s, e, (uint32_t)__builtin_ctz(e->lanes | UINT32_C(1) << 31));
    if (reads_shared(op))
        tw_shadow_issue(s, e, site);
    if (op == OP_TCGEN05_LD || op == OP_TCGEN05_LD_RED) {
        s->load = e->op;
        s->loader = site;
    }
}

static void see(struct hazards *h, struct shadow *s, const struct machine_event *e)
{
    s->now++;
    if (e->kind == EVENT_ACCESS)
        access(h, s, e);
    else if (e->kind == EVENT_FENCE)
        fence(s, e);
    else if (e->kind == EVENT_ASYNC_ISSUE)
        issue(s, e);
    else if (e->kind == EVENT_ASYNC_COMPLETE)
        tw_shadow_complete(s, e->op);
    else
        synchronise(s, e);
}

static void take_event(void *context, const struct machine_event *e)
{
    struct hazards *const h = context;
    struct shadow *s = *e->of_cluster;
    if (s == NULL) {
        if (e->kind != EVENT_CTA_START || e->cta_rank != 0)
            return;
        s = begin_cluster(h, e);
        *e->of_cluster = s;
        return;
    }
    if (e->kind == EVENT_CTA_END && --s->ctas_left == 0) {
        *e->of_cluster = NULL;
        end_cluster(h, s);
        return;
    }
    see(h, s, e);
}

struct machine_observer tw_hazards_observer(struct hazards *h)
{
    return (struct machine_observer){.event = take_event, .context = h, .concurrent = true, .shared_writes = true};
}

/* ---- Reports ------------------------------------------------------------------------------------------------------------ */

struct reporter {
    const struct launch *launch;
    struct diags *diags;
};

static const char *thread_name(const struct reporter *r, const struct finding *f, const struct site *site)
{
    struct text t;
    tw_text_init(&t, r->diags->arena);
    tw_launch_thread_name(r->launch, f->cluster, site->thread / f->cta_threads, site->thread % f->cta_threads, &t);
    return t.at;
}

static const char *source_name(const struct reporter *r, const struct site *site)
{
    struct text t;
    tw_text_init(&t, r->diags->arena);
    tw_source_name(r->launch, site->origin, &t);
    return t.at;
}

static const char *opcode(const struct site *site)
{
    return site->origin->inst == NULL ? "an instruction" : site->origin->inst->form->opcode;
}

static void add_sites(const struct reporter *r, const struct finding *f, struct diag *d)
{
    tw_diag_note(d, f->write.origin->at, "written by %s%s", thread_name(r, f, &f->write), source_name(r, &f->write));
    tw_diag_note(d, (struct src_span){0}, "read for %s%s", thread_name(r, f, &f->read), source_name(r, &f->read));
}

static struct diag *report_unordered(const struct reporter *r, const struct finding *f)
{
    struct diag *const d = tw_diag(r->diags, E0923, f->read.origin->at,
                                   "%s reads what %s has written without tcgen05.fence::after_thread_sync", opcode(&f->read), opcode(&f->write));
    tw_diag_expected(d, "tcgen05.fence::after_thread_sync between the wait for the completion and this instruction");
    tw_diag_found(d, "no such fence by the warp since lane %u, column %u of tensor memory was written", (unsigned)(f->address >> 16),
                  (unsigned)(f->address & 0xffff));
    tw_diag_fix(d, "put tcgen05.fence::after_thread_sync behind the wait");
    tw_diag_spec(d, "PTX ISA, tcgen05.fence");
    add_sites(r, f, d);
    return d;
}

static struct diag *report_early(const struct reporter *r, const struct finding *f)
{
    const char *const write = opcode(&f->write);
    struct diag *const d = tw_diag(r->diags, E0924, f->read.origin->at, "%s reads tensor memory before %s, issued before it, is complete",
                                   opcode(&f->read), write);
    tw_diag_expected(d, "a wait for the commit of the %s in front of this instruction", write);
    tw_diag_found(d, "lane %u, column %u of tensor memory was loaded between the issue and the completion", (unsigned)(f->address >> 16),
                  (unsigned)(f->address & 0xffff));
    tw_diag_fix(d, "wait for the mbarrier of the tcgen05.commit, then execute tcgen05.fence::after_thread_sync");
    tw_diag_spec(d, "PTX ISA, tcgen05 memory consistency model");
    add_sites(r, f, d);
    return d;
}

static struct diag *report_in_use(const struct reporter *r, const struct finding *f)
{
    const char *const write = opcode(&f->write), *const read = opcode(&f->read);
    struct diag *const d = tw_diag(r->diags, E0925, f->write.origin->at, "%s overwrites shared memory that %s, issued before it, still reads",
                                   write, read);
    tw_diag_expected(d, "a wait for the completion of the %s in front of this instruction", read);
    tw_diag_found(d, "%s wrote shared address 0x%llx between the issue and the completion", thread_name(r, f, &f->write),
                  (unsigned long long)f->address);
    tw_diag_fix(d, "wait for the operation (its mbarrier, or its group) before the memory is written again");
    tw_diag_spec(d, "PTX ISA, asynchronous operations");
    tw_diag_note(d, f->read.origin->at, "issued by %s%s", thread_name(r, f, &f->read), source_name(r, &f->read));
    tw_diag_note(d, (struct src_span){0}, "written by %s%s", thread_name(r, f, &f->write), source_name(r, &f->write));
    return d;
}

static struct diag *proxy_message(const struct reporter *r, const struct finding *f)
{
    const char *const write = opcode(&f->write), *const read = opcode(&f->read);
    const struct src_span at = f->read.origin->at;
    if (f->verdict == VERDICT_BEHIND)
        return tw_diag(r->diags, E0921, at, "the proxy fence between %s and %s stands behind the synchronisation", write, read);
    return tw_diag(r->diags, f->verdict == VERDICT_COPIED ? E0922 : E0920, at,
                   "%s reads shared memory that %s has written without a proxy fence", read, write);
}

static struct diag *report_proxy(const struct reporter *r, const struct finding *f)
{
    const bool copied = f->verdict == VERDICT_COPIED;
    struct diag *const d = proxy_message(r, f);
    tw_diag_expected(d, "fence.proxy.async by the thread that writes, after its %s%s and before it arrives at the barrier",
                     opcode(&f->write), copied ? " has been waited for" : "");
    tw_diag_found(d, f->verdict == VERDICT_BEHIND ? "%s, which wrote shared address 0x%llx, synchronised before a fence.proxy.async of its own"
                                                  : "no fence.proxy.async between the two by %s, which wrote shared address 0x%llx",
                  thread_name(r, f, &f->write), (unsigned long long)f->address);
    tw_diag_fix(d, "let every thread that %s execute fence.proxy.async.shared::cta in front of the barrier", copied ? "copies" : "writes");
    tw_diag_spec(d, "PTX ISA, memory consistency model, proxies");
    add_sites(r, f, d);
    return d;
}

static const struct site *culprit_of(const struct finding *f)
{
    return f->culprit == f->write.origin ? &f->write : &f->read;
}

static const struct site *partner_of(const struct finding *f)
{
    return f->culprit == f->write.origin ? &f->read : &f->write;
}

/* Of a line that a compiler has unrolled: the same opcode at the same place of the source, against the same instruction. */
static bool is_alike(const struct finding *a, const struct finding *b)
{
    return a->verdict == b->verdict && a->place[0] != '\0' && partner_of(a)->origin == partner_of(b)->origin &&
           strcmp(a->place, b->place) == 0 && strcmp(opcode(culprit_of(a)), opcode(culprit_of(b))) == 0;
}

/* How many of the findings behind it the first of its line stands for. */
static uint32_t tell_the_others(const struct finding *first)
{
    uint32_t count = 0;
    for (struct finding *f = first->next; f != NULL; f = f->next)
        if (!f->told && is_alike(first, f)) {
            f->told = true;
            count++;
        }
    return count;
}

static void report_one(const struct reporter *r, const struct finding *f)
{
    struct diag *const d = f->verdict == VERDICT_UNORDERED ? report_unordered(r, f)
                           : f->verdict == VERDICT_EARLY   ? report_early(r, f)
                           : f->verdict == VERDICT_IN_USE  ? report_in_use(r, f)
                                                           : report_proxy(r, f);
    const uint32_t others = tell_the_others(f);
    if (others > 0)
        tw_diag_note(d, (struct src_span){0}, "the same is true of %u more %s instruction%s of that line", others, opcode(culprit_of(f)),
                     others == 1 ? "" : "s");
}

/* The list, first finding first. */
static struct finding *sorted(struct finding *list)
{
    struct finding *out = NULL;
    while (list != NULL) {
        struct finding *const f = list, **link = &out;
        list = f->next;
        while (*link != NULL && earlier(*link, f))
            link = &(*link)->next;
        f->next = *link;
        *link = f;
    }
    return out;
}

bool tw_hazards_report(struct hazards *h, const struct launch *l, struct diags *diags)
{
    const struct reporter r = {l, diags};
    for (const struct shadow *s = h->running; s != NULL; s = s->next)
        h->exhausted |= s->claims.exhausted;
    h->findings = sorted(h->findings);
    for (struct finding *f = h->findings; f != NULL; f = f->next)
        f->place = source_name(&r, culprit_of(f));
    for (const struct finding *f = h->findings; f != NULL; f = f->next)
        if (!f->told)
            report_one(&r, f);
    return !h->exhausted;
}
