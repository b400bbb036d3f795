/* Cluster launch control: a running cluster takes over one that has not begun. SOURCE: ptx-async.md 5.5.
 *
 * What try_cancel takes is decided when it is issued, in the cluster's turn, so that clusters which ask at the same
 * time are answered in a fixed order. The answer is an asynchronous write: it lands in a CTA when that CTA's barrier is
 * waited for; until then the sixteen bytes hold poison. What they hold afterwards is private: query_cancel reads it. */
#include "machine/decode.h"
#include "machine/exec_lanes.h"
#include "machine/mbarrier.h"
#include "machine/run.h"

#include <string.h>

enum { ANSWER_BYTES = 16 };
#define ANSWER_SEAL UINT64_C(0x5ce1a7a3c1054e00) /* in the first word: nothing that a program writes by accident */

/* The sixteen bytes. */
struct answer {
    uint64_t seal; /* ANSWER_SEAL + 1 when a cluster was cancelled */
    uint32_t x;
    uint16_t y, z; /* SOURCE: CUDA, technical specifications: a grid has at most 65535 CTAs along y and z */
};

/* One answer under way. */
struct request {
    struct request *next;
    struct answer answer;
    uint32_t address, mbar; /* shared, with rank; of a multicast: the offsets count, in every CTA */
    uint32_t targets;       /* CTAs that have not got it yet */
    uint64_t number;        /* of the asynchronous operation */
    uint32_t warp, lane;
    const struct code *code;
    uint32_t origin;
};

struct launch_control {
    struct async_agent agent;
    struct request *first;
    struct request *free;
};

static struct arena *texts(const struct cluster *c)
{
    return c->diags->arena;
}

/* ---- The engine -------------------------------------------------------------------------------- */

static uint32_t place_in(uint32_t rank, uint32_t address)
{
    return rank << 24 | (address & 0xffffff);
}

static bool signal_bytes(struct cta *own, const struct request *r, uint32_t rank)
{
    struct cluster *const c = own->cluster;
    struct cta *const cta = &c->ctas[rank];
    const struct mbar_update update = {.tx = -ANSWER_BYTES};
    const uint32_t offset = r->mbar & 0xffffff;
    if (observed(c)) {
        tw_emit_op(c, cta, &(struct machine_event){.kind = EVENT_MBAR_TX, .space = SPACE_SHARED, .address = place_in(rank, r->mbar), .bytes = MBAR_BYTES,
                                                   .tx = update.tx, .release = true, .strong = true, .scope = SCOPE_CLUSTER}, r->number);
    }
    const struct mbar_outcome outcome = tw_mbar_signal(cta, offset, update);
    struct mbar_report report;
    if (!tw_mbar_report(texts(c), "clusterlaunchcontrol.try_cancel", cta, offset, update, &outcome, &report))
        return true;
    tw_fault_async(c, own, r->warp, r->lane, r->code, r->origin, report.code, &report.note, "%s", report.message);
    return false;
}

/* Writes the answer into one CTA and signals its barrier. */
static bool answer_in(struct cta *own, struct request *r, uint32_t rank)
{
    struct cluster *const c = own->cluster;
    struct cta *const to = &c->ctas[rank];
    r->targets &= ~(UINT32_C(1) << rank);
    if (to->ended) {
        tw_fault_async(c, own, r->warp, r->lane, r->code, r->origin, E0714,
                       &(struct fault_note){.expected = "every CTA of the cluster running until it has its answer",
                                            .fix = "let every CTA wait for the answer's mbarrier before it exits"},
                       "clusterlaunchcontrol.try_cancel answers CTA %u of the cluster, which has ended", rank);
        return false;
    }
    memcpy(to->shared + (r->address & 0xffffff), &r->answer, ANSWER_BYTES);
    c->changes++;
    if (observed(c))
        tw_emit_op(c, to, &(struct machine_event){.kind = EVENT_ACCESS, .space = SPACE_SHARED, .address = place_in(rank, r->address),
                                                  .bytes = ANSWER_BYTES, .write = true, .proxy = PROXY_ASYNC}, r->number);
    return signal_bytes(own, r, rank);
}

static void retire(struct launch_control *e, struct request **link)
{
    struct request *const r = *link;
    const struct cta *const cta = e->agent.cta;
    if (observed(cta->cluster))
        tw_emit_op(cta->cluster, e->agent.cta, &(struct machine_event){.kind = EVENT_ASYNC_COMPLETE}, r->number);
    *link = r->next;
    r->next = e->free;
    e->free = r;
}

static uint32_t pending(const struct async_agent *agent)
{
    uint32_t count = 0;
    for (const struct request *r = ((const struct launch_control *)agent->state)->first; r != NULL; r = r->next)
        count++;
    return count;
}

static bool land(struct async_agent *agent, const struct wait *wait)
{
    struct launch_control *const e = agent->state;
    const uint32_t rank = (uint32_t)(wait->key >> 24);
    if (wait->kind != WAIT_MBARRIER)
        return false;
    for (struct request **link = &e->first; *link != NULL; link = &(*link)->next) {
        struct request *const r = *link;
        if ((r->targets >> rank & 1) == 0 || place_in(rank, r->mbar) != wait->key)
            continue;
        if (answer_in(agent->cta, r, rank) && r->targets == 0)
            retire(e, link);
        return true;
    }
    return false;
}

static bool land_oldest(struct async_agent *agent)
{
    struct launch_control *const e = agent->state;
    struct request *const r = e->first;
    if (answer_in(agent->cta, r, first_lane(r->targets)) && r->targets == 0)
        retire(e, &e->first);
    return true;
}

/* Answers that nobody waited for: those to other CTAs still go out, those to this one have nobody left to read them. */
static void drain(struct async_agent *agent)
{
    struct launch_control *const e = agent->state;
    while (e->first != NULL) {
        struct request *const r = e->first;
        r->targets &= ~(UINT32_C(1) << agent->cta->rank);
        while (r->targets != 0)
            if (!answer_in(agent->cta, r, first_lane(r->targets)))
                return;
        retire(e, &e->first);
    }
}

static struct launch_control *engine_of(struct cta *cta)
{
    if (cta->control != NULL)
        return cta->control;
    struct launch_control *const e = arena_new(&cta->cluster->arena, struct launch_control, 1);
    e->agent = (struct async_agent){.name = "cluster launch control", .state = e, .pending = pending, .land = land, .drain = drain,
                                    .land_oldest = land_oldest};
    tw_cta_add_agent(cta, &e->agent);
    cta->control = e;
    return e;
}

/* ---- try_cancel --------------------------------------------------------------------------------- */

static struct answer decide(struct cluster *c)
{
    uint64_t index;
    if (!tw_cancel_cluster(c->launch, &index))
        return (struct answer){.seal = ANSWER_SEAL};
    uint32_t ctaid[3];
    tw_cta_position(c->launch, index, 0, ctaid);
    return (struct answer){ANSWER_SEAL + 1, ctaid[0], (uint16_t)ctaid[1], (uint16_t)ctaid[2]};
}

static struct request *new_request(struct warp *w, const struct dinst *d, uint32_t lane)
{
    struct launch_control *const e = engine_of(w->cta);
    struct request *r = e->free;
    if (r != NULL)
        e->free = r->next;
    else
        r = arena_new(&w->cluster->arena, struct request, 1);
    *r = (struct request){.number = tw_async_next_op(w->cluster), .warp = w->id, .lane = lane, .code = w->code, .origin = d->origin};
    struct request **end = &e->first;
    while (*end != NULL)
        end = &(*end)->next;
    *end = r;
    return r;
}

/* Nobody reads the destination before the answer is there. */
static void spoil(struct cluster *c, const struct request *r)
{
    FOR_LANES(rank, r->targets) {
        uint8_t *const at = tw_cluster_shared(c, place_in(rank, r->address), ANSWER_BYTES);
        if (at != NULL)
            tw_poison(at, ANSWER_BYTES, tw_poison_seed(c, rank, r->address));
    }
}

/* op: answer, mbarrier; mod[0]: generic addresses; mod[1]: multicast */
static enum exec_status exec_try_cancel(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct cluster *const c = w->cluster;
    FOR_LANES(lane, mask) {
        uint32_t address, mbar;
        if (tw_shared_target(w, lane, d->mod[0] != 0, lane_address(w, &d->op[0], lane), ANSWER_BYTES, 0, false, &address) == NULL ||
            tw_shared_target(w, lane, d->mod[0] != 0, lane_address(w, &d->op[1], lane), MBAR_BYTES, 0, false, &mbar) == NULL)
            return EXEC_FAULT;
        if ((w->refused >> lane & 1) != 0)
            return tw_fault(w, lane, E0720,
                            &(struct fault_note){.expected = "no request after one that was answered with 'not cancelled'",
                                                 .fix = "leave the loop when query_cancel.is_canceled gives false",
                                                 .spec = "PTX ISA, clusterlaunchcontrol.try_cancel"},
                            "clusterlaunchcontrol.try_cancel by a thread that has seen a request fail");
        struct request *const r = new_request(w, d, lane);
        r->address = address;
        r->mbar = mbar;
        r->targets = d->mod[1] ? (UINT32_C(1) << c->cta_count) - 1 : UINT32_C(1) << w->cta->rank;
        r->answer = decide(c);
        spoil(c, r);
        if (observed(c))
            tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_ISSUE, .op = r->number}, UINT32_C(1) << lane);
    }
    c->changes++;
    return EXEC_NEXT;
}

/* ---- query_cancel ------------------------------------------------------------------------------- */

static bool read_answer(struct warp *w, const struct dinst *d, uint32_t lane, struct answer *out)
{
    memcpy(out, row(w, d->op[1].ref) + (size_t)ANSWER_BYTES * lane, sizeof *out);
    if (out->seal == ANSWER_SEAL || out->seal == ANSWER_SEAL + 1)
        return true;
    tw_fault(w, lane, E0720,
             &(struct fault_note){.expected = "the sixteen bytes that clusterlaunchcontrol.try_cancel has written",
                                  .found = "other bytes: the answer has not landed, or was overwritten",
                                  .fix = "wait for the mbarrier of try_cancel before the answer is read",
                                  .spec = "PTX ISA, clusterlaunchcontrol.query_cancel"},
             "clusterlaunchcontrol.query_cancel of something that is no answer");
    return false;
}

static enum exec_status exec_is_canceled(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t cancelled = 0;
    FOR_LANES(lane, mask) {
        struct answer a;
        if (!read_answer(w, d, lane, &a))
            return EXEC_FAULT;
        cancelled |= (uint32_t)(a.seal != ANSWER_SEAL) << lane;
    }
    w->refused |= mask & ~cancelled;
    set_predicate(w, &d->op[0], mask, cancelled);
    return EXEC_NEXT;
}

/* imm: the axis of a single result; 3: a vector of x, y, z and a fourth that means nothing. Undefined when nothing was cancelled. */
static enum exec_status exec_first_ctaid(struct warp *w, const struct dinst *d, uint32_t mask)
{
    /* A sink may stand for the whole vector. */
    const uint32_t *const refs = d->op[0].count != 0 ? w->code->refs + d->op[0].ref : &d->op[0].ref;
    const uint32_t count = d->op[0].count != 0 ? d->op[0].count : 1;
    FOR_LANES(lane, mask) {
        struct answer a;
        if (!read_answer(w, d, lane, &a))
            return EXEC_FAULT;
        uint32_t words[4];
        tw_poison(words, sizeof words, tw_poison_seed(w->cluster, w->cta->rank, d->origin));
        if (a.seal != ANSWER_SEAL) {
            words[0] = a.x;
            words[1] = a.y;
            words[2] = a.z;
        }
        for (uint32_t i = 0; i < count; i++)
            if (refs[i] != REF_NONE)
                row32(w, refs[i])[lane] = words[d->imm == 3 ? i : d->imm];
    }
    return EXEC_NEXT;
}

/* ---- Decoding ----------------------------------------------------------------------------------- */

static bool prepare_try_cancel(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->mod[0] = !tw_ptx_has(in, SLOT_SPACE);
    d->mod[1] = tw_ptx_has(in, SLOT_MULTICAST);
    d->flags |= D_STRONG;
    d->run = exec_try_cancel;
    return tw_decode_role(dc, in, ROLE_ADDR, d, 0) && tw_decode_role(dc, in, ROLE_MBAR, d, 1);
}

static bool prepare_is_canceled(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_is_canceled;
    return tw_decode_role(dc, in, ROLE_P, d, 0) && tw_decode_role(dc, in, ROLE_A, d, 1);
}

static bool prepare_first_ctaid(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned query = tw_ptx_mod(in, SLOT_QUERY);
    d->imm = query == MOD_GET_FIRST_CTAID_X ? 0 : query == MOD_GET_FIRST_CTAID_Y ? 1 : query == MOD_GET_FIRST_CTAID_Z ? 2 : 3;
    d->run = exec_first_ctaid;
    return tw_decode_role(dc, in, ROLE_D, d, 0) && tw_decode_role(dc, in, ROLE_A, d, 1);
}

const struct op_row tw_ops_cancel[] = {
    {OP_CLC_TRY_CANCEL, prepare_try_cancel}, {OP_CLC_IS_CANCELED, prepare_is_canceled}, {OP_CLC_FIRST_CTAID, prepare_first_ctaid},
    {OP_NONE, NULL},
};
