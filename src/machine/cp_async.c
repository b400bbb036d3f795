/* cp.async: copies of 4, 8 or 16 bytes from global to shared memory, by groups of a thread.
 * SOURCE: PTX ISA, "Non-bulk copy"; ptx-async.md 4.1, 3.1.
 *
 * A copy is performed when its thread waits for its group, or when an mbarrier arrival that stands for it
 * must happen for some wait of the cluster: as late as the rules allow. Until then the destination holds
 * poison, so that a read before the wait shows. The source is read when the copy is performed.
 *
 * Copies are kept by warp instruction, in the order of issue, with each lane's group number. */
#include "machine/exec_lanes.h"
#include "machine/exec_memory.h"
#include "machine/guest.h"
#include "machine/mbarrier.h"
#include "machine/run.h"
#include "machine/tally.h"

/* One cp.async of a warp, or one cp.async.mbarrier.arrive (bytes 0). */
struct copy {
    struct copy *next;
    uint32_t warp;
    uint32_t lanes;          /* whose part is not yet performed */
    uint32_t bytes;          /* of a lane; 0: an arrival on the mbarriers in `to` */
    uint32_t to[LANES];      /* shared address with rank */
    uint64_t from[LANES];    /* global address */
    uint8_t take[LANES];     /* bytes that are copied; the rest is zero */
    uint32_t group[LANES];   /* number of the thread's group that it belongs to */
    uint64_t op;             /* number in the event stream */
    const struct code *code; /* for faults */
    uint32_t origin;
};

struct copy_engine {
    struct async_agent agent;
    struct copy *first, **end;
    struct copy *free;
    uint32_t (*groups)[LANES]; /* by warp: groups that each thread has committed */
};

/* ---- The engine ------------------------------------------------------------------------------------------- */

static void take_out(struct copy_engine *e, struct copy **link)
{
    struct copy *const c = *link;
    *link = c->next;
    if (c->next == NULL)
        e->end = link;
    c->next = e->free;
    e->free = c;
}

static void emit_access(struct cta *cta, const struct copy *c, uint32_t lane, enum space space, uint64_t address, uint32_t bytes,
                        bool write)
{
    struct machine_event event = {.kind = EVENT_ACCESS, .warp = c->warp, .lane = lane, .space = space, .address = address,
                                  .bytes = bytes, .read = !write, .write = write, .proxy = PROXY_GENERIC,
                                  .origin = &c->code->origins[c->origin]};
    tw_emit_op(cta->cluster, cta, &event, c->op);
}

static void perform_copy(struct cta *cta, const struct copy *c, uint32_t lane)
{
    uint8_t *const to = tw_cluster_shared(cta->cluster, c->to[lane], c->bytes);
    if (to == NULL)
        return; /* checked when issued; the CTA has ended since */
    memset(to, 0, c->bytes);
    tally_bytes(cta->cluster, SPACE_SHARED, true, c->bytes);
    if (c->take[lane] != 0) {
        const uint8_t *const from = tw_memory_at(cta->cluster->launch->memory, c->from[lane], c->take[lane]);
        if (from != NULL)
            guest_read(to, from, c->take[lane]);
        tally_bytes(cta->cluster, SPACE_GLOBAL, false, c->take[lane]);
    }
    if (observed(cta->cluster)) {
        if (c->take[lane] != 0)
            emit_access(cta, c, lane, SPACE_GLOBAL, c->from[lane], c->take[lane], false);
        emit_access(cta, c, lane, SPACE_SHARED, c->to[lane], c->bytes, true);
    }
}

static void perform_arrival(struct cta *cta, const struct copy *c, uint32_t lane)
{
    const struct mbar_update update = {.arrivals = 1};
    struct mbar_report report;
    const uint32_t offset = c->to[lane] & 0xffffff;
    if (observed(cta->cluster)) {
        struct machine_event event = {.kind = EVENT_MBAR_ARRIVE, .warp = c->warp, .lanes = UINT32_C(1) << lane, .lane = lane,
                                      .space = SPACE_SHARED, .address = c->to[lane], .bytes = MBAR_BYTES, .count = 1, .strong = true,
                                      .release = true, .scope = SCOPE_CTA};
        tw_emit_op(cta->cluster, cta, &event, c->op);
    }
    const struct mbar_outcome outcome = tw_mbar_signal(cta, offset, update);
    if (tw_mbar_report(cta->cluster->diags->arena, "cp.async.mbarrier.arrive", cta, offset, update, &outcome, &report))
        tw_fault_async(cta->cluster, cta, c->warp, lane, c->code, c->origin, report.code, &report.note, "%s", report.message);
}

/* Performs the parts of `lanes` of a warp in every record up to `last` (NULL: all) whose group is below `limit[lane]`. */
static void perform(struct copy_engine *e, uint32_t warp, uint32_t lanes, const uint32_t limit[LANES], const struct copy *last)
{
    struct cta *const cta = e->agent.cta;
    for (struct copy **link = &e->first; *link != NULL;) {
        struct copy *const c = *link;
        const bool done_after = c == last;
        uint32_t now = 0;
        if (c->warp == warp)
            FOR_LANES(lane, c->lanes & lanes)
                now |= (uint32_t)(c->group[lane] < limit[lane]) << lane;
        FOR_LANES(lane, now) {
            if (c->bytes != 0)
                perform_copy(cta, c, lane);
            else
                perform_arrival(cta, c, lane);
        }
        c->lanes &= ~now;
        if (now != 0)
            cta->cluster->changes++;
        if (c->lanes == 0) {
            if (observed(cta->cluster) && now != 0)
                tw_emit_op(cta->cluster, cta, &(struct machine_event){.kind = EVENT_ASYNC_COMPLETE}, c->op);
            take_out(e, link);
        } else {
            link = &c->next;
        }
        if (done_after)
            return;
    }
}

static uint32_t pending(const struct async_agent *agent)
{
    const struct copy_engine *const e = agent->state;
    uint32_t count = 0;
    for (const struct copy *c = e->first; c != NULL; c = c->next)
        count += (uint32_t)__builtin_popcount(c->lanes);
    return count;
}

/* The first arrival on the awaited barrier, with all copies that its threads issued before it. */
static bool land(struct async_agent *agent, const struct wait *wait)
{
    struct copy_engine *const e = agent->state;
    if (wait->kind != WAIT_MBARRIER)
        return false;
    for (const struct copy *c = e->first; c != NULL; c = c->next) {
        uint32_t lanes = 0;
        if (c->bytes == 0)
            FOR_LANES(lane, c->lanes)
                lanes |= (uint32_t)(c->to[lane] == wait->key) << lane;
        if (lanes == 0)
            continue;
        uint32_t limit[LANES];
        memset(limit, 0xff, sizeof limit); /* every group, closed or not */
        perform(e, c->warp, lanes, limit, c);
        return true;
    }
    return false;
}

/* The first record with all its lanes, and what they issued before. */
static bool land_oldest(struct async_agent *agent)
{
    struct copy_engine *const e = agent->state;
    uint32_t limit[LANES];
    memset(limit, 0xff, sizeof limit);
    perform(e, e->first->warp, e->first->lanes, limit, e->first);
    return true;
}

/* Shared memory ends with the CTA: what was never waited for has no effect that anyone could see. */
static void drain(struct async_agent *agent)
{
    struct copy_engine *const e = agent->state;
    while (e->first != NULL)
        take_out(e, &e->first);
}

static struct copy_engine *engine_of(struct cta *cta)
{
    if (cta->copies != NULL)
        return cta->copies;
    struct copy_engine *const e = arena_new(&cta->cluster->arena, struct copy_engine, 1);
    e->end = &e->first;
    e->groups = tw_arena_alloc(&cta->cluster->arena, cta->warp_count, sizeof *e->groups);
    e->agent = (struct async_agent){.name = "the cp.async engine", .state = e, .pending = pending, .land = land, .drain = drain,
                                    .land_oldest = land_oldest};
    tw_cta_add_agent(cta, &e->agent);
    cta->copies = e;
    return e;
}

static struct copy *new_record(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct copy_engine *const e = engine_of(w->cta);
    struct copy *c = e->free;
    if (c != NULL)
        e->free = c->next;
    else
        c = arena_new(&w->cluster->arena, struct copy, 1);
    *c = (struct copy){.warp = w->id, .lanes = mask, .op = tw_async_next_op(w->cluster), .code = w->code, .origin = d->origin};
    memcpy(c->group, e->groups[w->id], sizeof c->group);
    *e->end = c;
    e->end = &c->next;
    return c;
}

/* ---- Instructions ------------------------------------------------------------------------------------------------ */

/* op: dst, src, src_size or ignore; elem_bytes: size; imm: space of dst; mod[4]: 1 src_size, 2 ignore predicate */

static enum exec_status exec_cp_async(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct copy *const c = new_record(w, d, mask);
    const uint32_t ignore = d->mod[4] == 2 ? lane_mask(w, &d->op[2]) : 0;
    c->bytes = d->elem_bytes;
    FOR_LANES(lane, mask) {
        uint32_t take = d->mod[4] == 1 ? (uint32_t)lane_word(w, &d->op[2], lane) : d->elem_bytes;
        if (take > d->elem_bytes)
            return tw_fault(w, lane, E0702, &(struct fault_note){.spec = "PTX ISA, cp.async"},
                            "cp.async of %u bytes with a source size of %u", (unsigned)d->elem_bytes, take);
        if ((ignore >> lane & 1) != 0)
            take = 0;
        if (tw_shared_target(w, lane, false, lane_address(w, &d->op[0], lane), d->elem_bytes, 0, false, &c->to[lane]) == NULL)
            return EXEC_FAULT;
        c->from[lane] = lane_address(w, &d->op[1], lane);
        c->take[lane] = (uint8_t)take;
        if (take != 0 && tw_access(w, lane, SPACE_GLOBAL, c->from[lane], take, d->elem_bytes, false) == NULL)
            return EXEC_FAULT;
        tw_poison(tw_cluster_shared(w->cluster, c->to[lane], c->bytes), c->bytes, tw_poison_seed(w->cluster, w->cta->rank, c->to[lane]));
    }
    w->cluster->changes++;
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_ISSUE, .op = c->op}, mask);
    return EXEC_NEXT;
}

static bool prepare_cp_async(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    int64_t size;
    if (!tw_decode_immediate(dc, in, ROLE_SIZE, 16, &size) || !tw_decode_role(dc, in, ROLE_DST, d, 0) ||
        !tw_decode_role(dc, in, ROLE_SRC, d, 1))
        return false;
    const bool ignore = in->form->id == FORM_CP_ASYNC_IGNORE;
    const bool partial = !ignore && tw_ptx_operand(tw_decode_func(dc), in, ROLE_SRC_SIZE)->kind != OPERAND_NONE;
    d->elem_bytes = (uint8_t)size;
    d->elems = 1;
    d->mod[4] = ignore ? 2 : partial;
    d->imm = SPACE_SHARED;
    d->run = exec_cp_async;
    return tw_decode_role(dc, in, ignore ? ROLE_IGNORE : ROLE_SRC_SIZE, d, 2);
}

static enum exec_status exec_commit(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    uint32_t *const groups = engine_of(w->cta)->groups[w->id];
    FOR_LANES(lane, mask)
        groups[lane]++;
    return EXEC_NEXT;
}

/* At most imm groups of the thread stay pending; wait_all closes the open group first (mod[0]). */
static enum exec_status exec_wait(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct copy_engine *const e = engine_of(w->cta);
    uint32_t limit[LANES] = {0};
    if (d->mod[0])
        (void)exec_commit(w, d, mask);
    FOR_LANES(lane, mask) {
        const uint32_t committed = e->groups[w->id][lane];
        limit[lane] = committed > d->imm ? committed - (uint32_t)d->imm : 0;
    }
    perform(e, w->id, mask, limit, NULL);
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_WAIT, .count = (uint32_t)d->imm}, mask);
    return w->cluster->status == LAUNCH_RUNNING ? EXEC_NEXT : EXEC_FAULT;
}

/* The arrival happens when the thread's earlier copies are done; without .noinc it is counted as pending now. mod[0]: noinc */
static enum exec_status exec_arrive(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct copy *const c = new_record(w, d, mask);
    FOR_LANES(lane, mask) {
        const uint64_t address = lane_address(w, &d->op[0], lane);
        struct cta *const cta = tw_shared_target(w, lane, d->imm == SPACE_GENERIC, address, MBAR_BYTES, 0, false, &c->to[lane]);
        if (cta == NULL)
            return EXEC_FAULT;
        struct mbar *bar = NULL;
        const struct mbar_update update = {.arrivals = 0};
        if (tw_mbar_find(cta, c->to[lane] & 0xffffff, &bar) != MBAR_LIVE) {
            struct mbar_report report;
            const uint32_t offset = c->to[lane] & 0xffffff;
            const struct mbar_outcome outcome = tw_mbar_signal(cta, offset, update);
            (void)tw_mbar_report(w->cluster->diags->arena, "cp.async.mbarrier.arrive", cta, offset, update, &outcome,
                                 &report);
            return tw_fault(w, lane, report.code, &report.note, "%s", report.message);
        }
        if (!d->mod[0])
            bar->pending++;
    }
    w->cluster->changes++;
    return EXEC_NEXT;
}

static bool prepare_group(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    int64_t groups;
    const enum isa_op op = in->form->op;
    if (!tw_decode_immediate(dc, in, in->form->operand_count == 0 ? ROLE_NONE : in->form->operands[0].role, 0, &groups))
        return false;
    d->imm = groups < 0 || groups > UINT32_MAX ? UINT32_MAX : (uint64_t)groups;
    d->mod[0] = op == OP_CP_ASYNC_WAIT_ALL;
    d->run = op == OP_CP_ASYNC_COMMIT_GROUP ? exec_commit : exec_wait;
    return true;
}

static bool prepare_arrive(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->imm = tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    d->mod[0] = tw_ptx_has(in, SLOT_NOINC);
    d->run = exec_arrive;
    return tw_decode_role(dc, in, ROLE_MBAR, d, 0);
}

const struct op_row tw_ops_cp_async[] = {
    {OP_CP_ASYNC, prepare_cp_async}, {OP_CP_ASYNC_COMMIT_GROUP, prepare_group}, {OP_CP_ASYNC_WAIT_GROUP, prepare_group},
    {OP_CP_ASYNC_WAIT_ALL, prepare_group}, {OP_CP_ASYNC_MBARRIER_ARRIVE, prepare_arrive}, {OP_NONE, NULL},
};
