/* CTA barriers and the cluster barrier. SOURCE: ptx-async.md 5.3, 6.1.
 *
 * Counting is by warps: a warp arrives once, when all its live lanes have come to the barrier, and adds
 * 32 whether or not it has 32 lanes. bar.X is aligned: the scheduler has seen to it that the whole warp
 * is here; barrier.X gathers the warp's lanes at whatever instructions they wait. */
#include "machine/barrier.h"
#include "machine/collective.h"
#include "machine/exec_lanes.h"
#include "machine/warp.h"

/* op: d or p, barrier, threads, source; mod[0]: enum bar_op; mod[1]: waits; mod[2]: a thread count is written */

static enum exec_status misuse(struct warp *w, uint32_t lane, const char *found, const char *message)
{
    return tw_fault(w, lane, E0710, &(struct fault_note){.found = found, .spec = "PTX ISA, bar, barrier"}, "%s", message);
}

static struct arena *text_arena(const struct warp *w);

static enum exec_status check_uniform(struct warp *w, const struct dinst *d, uint32_t mask, uint32_t *id, uint32_t *threads)
{
    const uint32_t first = first_lane(mask);
    const uint32_t *const ids = row32(w, d->op[1].ref);
    *id = ids[first];
    *threads = w->cta->warp_count * LANES;
    FOR_LANES(i, mask)
        if (ids[i] != *id)
            return misuse(w, i, NULL, "the lanes of a warp name different barriers");
    if (*id >= CTA_BARRIERS)
        return misuse(w, first, tw_format(text_arena(w), "barrier %u", *id), "a CTA has barriers 0 to 15");
    if (!d->mod[2])
        return EXEC_NEXT;
    *threads = row32(w, d->op[2].ref)[first];
    if (*threads == 0 || *threads % LANES != 0 || *threads > TW_MAX_CTA_THREADS)
        return misuse(w, first, tw_format(text_arena(w), "%u threads", *threads),
                      "the thread count of a barrier is a multiple of 32, at most 1024");
    return EXEC_NEXT;
}

/* All participants of an instance must agree. */
static enum exec_status check_instance(struct warp *w, const struct dinst *d, uint32_t lane, uint32_t id, uint32_t threads)
{
    const struct named_barrier *const bar = &w->cta->bars[id];
    const bool reduces = d->mod[0] != BAR_OP_NONE;
    if (bar->expected == 0)
        return EXEC_NEXT;
    if (bar->expected != threads)
        return misuse(w, lane, tw_format(text_arena(w), "%u threads here, %u in the running instance of barrier %u", threads,
                                         bar->expected, id),
                      "the participants of a barrier name different thread counts");
    if ((bar->kind == BAR_KIND_RED) != reduces)
        return misuse(w, lane, tw_format(text_arena(w), "barrier %u", id), "bar.red is mixed with bar.sync or bar.arrive");
    return EXEC_NEXT;
}

static uint32_t gathering(const struct warp *w, uint32_t id)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->split_count; i++) {
        const struct wait *const wait = &w->splits[i].wait;
        if (wait->kind == WAIT_BAR && wait->key == id && wait->detail == BAR_GATHERING)
            lanes |= w->splits[i].mask;
    }
    return lanes;
}

/* The warp has arrived for all of its lanes: those that only arrive go on, the others wait for the other warps. */
static void all_arrived(struct warp *w, uint32_t id)
{
    for (uint32_t i = 0; i < w->split_count; i++) {
        struct split *const s = &w->splits[i];
        if (s->wait.kind != WAIT_BAR || s->wait.key != id || s->wait.detail != BAR_GATHERING)
            continue;
        if (s->frame->code->insts[s->pc].mod[1]) {
            s->wait.detail = BAR_ARRIVED;
        } else {
            s->wait.kind = WAIT_NONE;
            s->resumed = true;
        }
    }
}

static void write_result(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t result = w->now->result;
    uint32_t r[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        r[i] = result;
    if (d->mod[0] == BAR_OP_POPC)
        put32(w, &d->op[0], mask, r);
    else if (d->mod[0] != BAR_OP_NONE)
        set_predicate(w, &d->op[0], mask, result);
}

static enum exec_status passed(struct warp *w, const struct dinst *d, uint32_t mask, uint32_t id)
{
    write_result(w, d, mask);
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_BAR_WAIT, .id = id}, mask);
    return EXEC_NEXT;
}

static enum exec_status exec_bar(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t id, threads;
    enum exec_status status = check_uniform(w, d, mask, &id, &threads);
    if (status != EXEC_NEXT)
        return status;
    if (w->now->resumed)
        return passed(w, d, mask, id);
    status = check_instance(w, d, first_lane(mask), id, threads);
    if (status != EXEC_NEXT)
        return status;
    const uint32_t here = mask | gathering(w, id);
    if ((d->flags & D_ALIGNED) == 0 && (w->live & ~here) != 0)
        return tw_park(w, (struct wait){.kind = WAIT_BAR, .key = id, .detail = BAR_GATHERING});
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_BAR_ARRIVE, .id = id, .count = threads}, here);
    tw_bar_arrive(w, id,
                  &(struct bar_arrival){.threads = threads, .all_threads = !d->mod[2], .reduces = d->mod[0] != BAR_OP_NONE,
                                        .op = (enum bar_op)d->mod[0], .lanes = here,
                                        .predicate = d->op[3].ref == REF_NONE ? 0 : lane_mask(w, &d->op[3])});
    all_arrived(w, id);
    if (!d->mod[1]) {
        tw_bar_settle(w->cta, id);
        return EXEC_NEXT;
    }
    (void)tw_park(w, (struct wait){.kind = WAIT_BAR, .key = id, .detail = BAR_ARRIVED});
    tw_bar_settle(w->cta, id);
    return EXEC_AGAIN;
}

static struct arena *text_arena(const struct warp *w)
{
    return &w->cluster->arena;
}

static bool prepare_bar(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned op = tw_ptx_mod(in, SLOT_OP);
    d->mod[0] = in->form->op != OP_BAR_RED ? BAR_OP_NONE : op == MOD_POPC ? BAR_OP_POPC : op == MOD_AND ? BAR_OP_AND : BAR_OP_OR;
    d->mod[1] = in->form->op != OP_BAR_ARRIVE;
    d->mod[2] = tw_ptx_operand(tw_decode_func(dc), in, ROLE_THREADS)->kind != OPERAND_NONE;
    d->run = exec_bar;
    d->flags |= D_BARRIER;
    if (strncmp(in->form->opcode, "barrier", 7) != 0)
        d->flags |= D_ALIGNED; /* SOURCE: PTX ISA, bar{.cta} is barrier{.cta}.aligned */
    return tw_decode_role(dc, in, d->mod[0] == BAR_OP_POPC ? ROLE_D : ROLE_P, d, 0) && tw_decode_role(dc, in, ROLE_BARRIER, d, 1) &&
           tw_decode_role(dc, in, ROLE_THREADS, d, 2) && tw_decode_role(dc, in, ROLE_COND, d, 3);
}

/* ---- barrier.cluster --------------------------------------------------------------------------------------- */

static enum exec_status exec_cluster_arrive(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct cluster *const c = w->cluster;
    const uint32_t again = mask & (w->cluster_arrived | w->cluster_passed);
    if (again != 0)
        return tw_fault(w, first_lane(again), E0710, &(struct fault_note){.spec = "PTX ISA, barrier.cluster"},
                        "barrier.cluster.arrive twice without a wait between");
    w->cluster_arrived |= mask;
    c->barrier.arrived += (uint32_t)__builtin_popcount(mask);
    c->changes++;
    if (observed(c))
        tw_emit(w, &(struct machine_event){.kind = EVENT_CLUSTER_ARRIVE, .strong = d->mod[0], .release = d->mod[0]}, mask);
    tw_cluster_barrier_settle(c);
    return EXEC_NEXT;
}

static enum exec_status exec_cluster_wait(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    const uint32_t strangers = mask & ~(w->cluster_arrived | w->cluster_passed);
    if (strangers != 0)
        return tw_fault(w, first_lane(strangers), E0710, &(struct fault_note){.spec = "PTX ISA, barrier.cluster"},
                        "barrier.cluster.wait without an arrive before it");
    if ((mask & w->cluster_arrived) != 0)
        return tw_park(w, (struct wait){.kind = WAIT_CLUSTER});
    w->cluster_passed &= ~mask;
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_CLUSTER_WAIT, .strong = true, .acquire = true}, mask);
    return EXEC_NEXT;
}

static bool prepare_cluster(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    d->mod[0] = tw_ptx_mod(in, SLOT_SEM) != MOD_RELAXED;
    d->flags |= D_BARRIER;
    d->run = in->form->op == OP_BARRIER_CLUSTER_ARRIVE ? exec_cluster_arrive : exec_cluster_wait;
    return true;
}

const struct op_row tw_ops_barrier[] = {
    {OP_BAR_SYNC, prepare_bar}, {OP_BAR_ARRIVE, prepare_bar}, {OP_BAR_RED, prepare_bar},
    {OP_BARRIER_CLUSTER_ARRIVE, prepare_cluster}, {OP_BARRIER_CLUSTER_WAIT, prepare_cluster}, {OP_NONE, NULL},
};
