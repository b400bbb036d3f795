/* The mbarrier instructions. Each lane acts by itself, in lane order; a false wait parks the split. */
#include "machine/decode.h"
#include "machine/mbarrier.h"
#include "machine/run.h"

/* Fields of dinst.mod. */
enum {
    M_GENERIC,  /* the address is generic                                  */
    M_PEERS,    /* it may name a barrier of another CTA of the cluster     */
    M_SCOPE,    /* enum scope                                              */
    M_ORDERED,  /* release of an arrive, acquire of a wait; else relaxed   */
    M_DROP,
    M_NO_COMPLETE,
    M_EXPECT,   /* arrive.expect_tx: op[AT_AMOUNT] is bytes, not a count   */
    M_PARITY
};

enum { AT_MBAR, AT_AMOUNT, AT_TOKEN, AT_DONE };

static struct arena *texts(const struct warp *w)
{
    return w->cluster->diags->arena;
}

static const char *who(const struct dinst *d)
{
    static const struct { uint16_t op; const char *name; } rows[] = {
        {OP_MBARRIER_INIT, "mbarrier.init"},
        {OP_MBARRIER_INVAL, "mbarrier.inval"},
        {OP_MBARRIER_ARRIVE, "mbarrier.arrive"},
        {OP_MBARRIER_ARRIVE_EXPECT_TX, "mbarrier.arrive.expect_tx"},
        {OP_MBARRIER_ARRIVE_DROP, "mbarrier.arrive_drop"},
        {OP_MBARRIER_ARRIVE_DROP_EXPECT_TX, "mbarrier.arrive_drop.expect_tx"},
        {OP_MBARRIER_EXPECT_TX, "mbarrier.expect_tx"},
        {OP_MBARRIER_COMPLETE_TX, "mbarrier.complete_tx"},
        {OP_MBARRIER_TEST_WAIT, "mbarrier.test_wait"},
        {OP_MBARRIER_TRY_WAIT, "mbarrier.try_wait"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == d->isa_op)
            return rows[i].name;
    return "mbarrier";
}

/* The CTA and offset of the lane's barrier; NULL after a fault. */
static struct cta *target(struct warp *w, const struct dinst *d, unsigned lane, uint32_t *address)
{
    return tw_shared_target(w, lane, d->mod[M_GENERIC] != 0, lane_address(w, &d->op[AT_MBAR], lane), MBAR_BYTES, 0,
                            d->mod[M_PEERS] != 0, address);
}

static void emit(struct warp *w, const struct dinst *d, unsigned lane, enum event_kind kind, uint32_t address, uint32_t count,
                 int64_t tx, uint32_t id)
{
    if (!observed(w->cluster))
        return;
    const bool wait = kind == EVENT_MBAR_WAIT;
    struct machine_event e = {.kind = kind, .space = SPACE_SHARED, .address = address, .bytes = MBAR_BYTES, .lane = lane,
                              .count = count, .tx = tx, .id = id, .scope = (enum scope)d->mod[M_SCOPE],
                              .strong = d->mod[M_ORDERED] != 0, .acquire = wait && d->mod[M_ORDERED] != 0,
                              .release = !wait && d->mod[M_ORDERED] != 0};
    tw_emit(w, &e, UINT32_C(1) << lane);
}

static enum exec_status exec_init(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, mask) {
        uint32_t address;
        struct cta *const cta = target(w, d, lane, &address);
        if (cta == NULL)
            return EXEC_FAULT;
        const uint32_t offset = address & 0xffffff, count = (uint32_t)lane_word(w, &d->op[AT_AMOUNT], lane);
        struct mbar fresh, *old;
        if (tw_mbar_find(cta, offset, &old) == MBAR_LIVE)
            return tw_fault(w, lane, E0752,
                            &(struct fault_note){.expected = "bytes that hold no mbarrier",
                                                 .found = "a live mbarrier, not ended by mbarrier.inval",
                                                 .fix = "end the object with mbarrier.inval first, or initialise it once",
                                                 .spec = "PTX ISA, mbarrier.init"},
                            "mbarrier.init of a live mbarrier at shared address 0x%x", address);
        if (tw_mbar_init(&fresh, count).error != MBAR_FINE)
            return tw_fault(w, lane, E0752,
                            &(struct fault_note){.expected = "a count from 1 to 1048575",
                                                 .found = tw_format(texts(w), "%u", count),
                                                 .spec = "PTX ISA, mbarrier.init"},
                            "mbarrier.init with a count of %u", count);
        *tw_mbar_make(cta, offset) = fresh;
        w->cluster->changes++;
        emit(w, d, lane, EVENT_MBAR_INIT, address, count, 0, 0);
    }
    return EXEC_NEXT;
}

/* The lane's live object; NULL after a fault. */
static struct mbar *object(struct warp *w, const struct dinst *d, unsigned lane, struct cta **cta, uint32_t *address)
{
    *cta = target(w, d, lane, address);
    if (*cta == NULL)
        return NULL;
    struct mbar *m;
    struct mbar_outcome outcome = {.lookup = tw_mbar_find(*cta, *address & 0xffffff, &m)};
    struct mbar_report r;
    if (tw_mbar_report(texts(w), who(d), *cta, *address & 0xffffff, (struct mbar_update){0}, &outcome, &r))
        tw_fault(w, lane, r.code, &r.note, "%s", r.message);
    return m;
}

static enum exec_status exec_inval(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, mask) {
        uint32_t address;
        struct cta *cta;
        if (object(w, d, lane, &cta, &address) == NULL)
            return EXEC_FAULT;
        tw_mbar_remove(cta, address & 0xffffff);
        emit(w, d, lane, EVENT_MBAR_INVAL, address, 0, 0, 0);
    }
    return EXEC_NEXT;
}

/* What the lane does to the object. */
static struct mbar_update update_of(const struct warp *w, const struct dinst *d, unsigned lane)
{
    const uint32_t amount = d->op[AT_AMOUNT].ref == REF_NONE ? 1 : (uint32_t)lane_word(w, &d->op[AT_AMOUNT], lane);
    struct mbar_update u = {.drop = d->mod[M_DROP] != 0, .no_complete = d->mod[M_NO_COMPLETE] != 0};
    if (d->isa_op == OP_MBARRIER_EXPECT_TX)
        u.tx = amount;
    else if (d->isa_op == OP_MBARRIER_COMPLETE_TX)
        u.tx = -(int64_t)amount;
    else if (d->mod[M_EXPECT] != 0) {
        u.arrivals = 1;
        u.tx = amount;
    } else {
        u.arrivals = amount;
    }
    return u;
}

static bool token_of_peer(struct warp *w, const struct dinst *d, unsigned lane, const struct cta *cta)
{
    if (d->op[AT_TOKEN].ref == REF_NONE || cta == w->cta)
        return false;
    tw_fault(w, lane, E0753,
             &(struct fault_note){.expected = "the sink '_' as destination: a peer's barrier returns no state",
                                  .found = tw_format(texts(w), "a barrier of CTA %u of the cluster", cta->rank),
                                  .spec = "PTX ISA, mbarrier.arrive"},
             "%s asks for the state of a barrier of another CTA", who(d));
    return true;
}

static enum exec_status exec_signal(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, mask) {
        uint32_t address;
        struct cta *const cta = target(w, d, lane, &address);
        if (cta == NULL || token_of_peer(w, d, lane, cta))
            return EXEC_FAULT;
        const struct mbar_update u = update_of(w, d, lane);
        /* The event of the arrive precedes that of the phase it completes. */
        emit(w, d, lane, u.arrivals != 0 ? EVENT_MBAR_ARRIVE : EVENT_MBAR_TX, address, u.arrivals, u.tx, 0);
        const struct mbar_outcome outcome = tw_mbar_signal(cta, address & 0xffffff, u);
        struct mbar_report r;
        if (tw_mbar_report(texts(w), who(d), cta, address & 0xffffff, u, &outcome, &r))
            return tw_fault(w, lane, r.code, &r.note, "%s", r.message);
        if (u.tx != 0)
            tw_mbar_remember(cta, address & 0xffffff, u.tx < 0, (struct mbar_site){w->code, d->origin, w->id, lane});
        if (d->op[AT_TOKEN].ref != REF_NONE)
            row64(w, d->op[AT_TOKEN].ref)[lane] = tw_mbar_token(&outcome.before);
    }
    return EXEC_NEXT;
}

/* Whether the lane's phase is complete; *parity is the parity waited for. */
static bool is_done(const struct warp *w, const struct dinst *d, unsigned lane, const struct mbar *m, uint32_t *parity)
{
    const uint64_t word = lane_word(w, &d->op[AT_TOKEN], lane);
    *parity = (uint32_t)(d->mod[M_PARITY] != 0 ? word & 1 : word >> 63);
    return d->mod[M_PARITY] != 0 ? tw_mbar_parity_done(m, *parity) : tw_mbar_token_done(m, word);
}

static enum exec_status exec_wait(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t done = 0;
    struct wait wait = {.kind = WAIT_NONE};
    struct { uint32_t address, parity; } seen[LANES];
    FOR_LANES(lane, mask) {
        struct cta *cta;
        const struct mbar *const m = object(w, d, lane, &cta, &seen[lane].address);
        if (m == NULL)
            return EXEC_FAULT;
        if (is_done(w, d, lane, m, &seen[lane].parity))
            done |= UINT32_C(1) << lane;
        else if (wait.kind == WAIT_NONE)
            wait = (struct wait){.kind = WAIT_MBARRIER, .key = seen[lane].address, .detail = seen[lane].parity, .may_time_out = true};
    }
    if (done != mask && !w->now->timed_out)
        return tw_park(w, wait);
    FOR_LANES(lane, done)
        emit(w, d, lane, EVENT_MBAR_WAIT, seen[lane].address, 0, 0, seen[lane].parity);
    set_predicate(w, &d->op[AT_DONE], mask, done);
    return EXEC_NEXT;
}

static enum exec_status exec_pending_count(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, mask)
        if (d->op[AT_DONE].ref != REF_NONE)
            row32(w, d->op[AT_DONE].ref)[lane] = tw_mbar_token_pending(lane_word(w, &d->op[AT_TOKEN], lane));
    return EXEC_NEXT;
}

/* ---- Decoding ------------------------------------------------------------------------------- */

/* Space, semantics and scope; `peers` where the instruction may name another CTA's barrier. */
static void prepare_common(const struct ptx_inst *in, struct dinst *d, bool peers)
{
    const unsigned space = tw_ptx_mod(in, SLOT_SPACE);
    d->mod[M_GENERIC] = space == MOD_NONE;
    d->mod[M_PEERS] = peers && (space == MOD_NONE || space == MOD_SHARED_CLUSTER);
    d->mod[M_ORDERED] = tw_ptx_mod(in, SLOT_SEM) != MOD_RELAXED;
    const enum scope scope = tw_decode_scope(tw_ptx_mod(in, SLOT_SCOPE));
    d->mod[M_SCOPE] = (uint8_t)(scope == SCOPE_NONE ? SCOPE_CTA : scope);
}

static bool prepare_init(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    prepare_common(in, d, false);
    d->run = exec_init;
    return tw_decode_role(dc, in, ROLE_MBAR, d, AT_MBAR) && tw_decode_role(dc, in, ROLE_N, d, AT_AMOUNT);
}

static bool prepare_inval(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    prepare_common(in, d, false);
    d->run = exec_inval;
    return tw_decode_role(dc, in, ROLE_MBAR, d, AT_MBAR);
}

static bool prepare_signal(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const enum isa_op op = in->form->op;
    prepare_common(in, d, true);
    d->run = exec_signal;
    d->mod[M_DROP] = op == OP_MBARRIER_ARRIVE_DROP || op == OP_MBARRIER_ARRIVE_DROP_EXPECT_TX;
    d->mod[M_EXPECT] = op == OP_MBARRIER_ARRIVE_EXPECT_TX || op == OP_MBARRIER_ARRIVE_DROP_EXPECT_TX;
    d->mod[M_NO_COMPLETE] = tw_ptx_has(in, SLOT_NOCOMPLETE);
    const bool counts = op == OP_MBARRIER_ARRIVE || op == OP_MBARRIER_ARRIVE_DROP;
    return tw_decode_role(dc, in, ROLE_MBAR, d, AT_MBAR) && tw_decode_role(dc, in, counts ? ROLE_N : ROLE_BYTES, d, AT_AMOUNT) &&
           tw_decode_role(dc, in, ROLE_STATE, d, AT_TOKEN);
}

static bool prepare_wait(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    prepare_common(in, d, false);
    d->run = exec_wait;
    d->mod[M_PARITY] = tw_ptx_has(in, SLOT_PARITY);
    return tw_decode_role(dc, in, ROLE_MBAR, d, AT_MBAR) &&
           tw_decode_role(dc, in, d->mod[M_PARITY] != 0 ? ROLE_PARITY : ROLE_STATE, d, AT_TOKEN) &&
           tw_decode_role(dc, in, ROLE_P, d, AT_DONE);
}

static bool prepare_pending_count(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_pending_count;
    return tw_decode_role(dc, in, ROLE_STATE, d, AT_TOKEN) && tw_decode_role(dc, in, ROLE_D, d, AT_DONE);
}

const struct op_row tw_ops_mbarrier[] = {
    {OP_MBARRIER_INIT, prepare_init},
    {OP_MBARRIER_INVAL, prepare_inval},
    {OP_MBARRIER_ARRIVE, prepare_signal},
    {OP_MBARRIER_ARRIVE_EXPECT_TX, prepare_signal},
    {OP_MBARRIER_ARRIVE_DROP, prepare_signal},
    {OP_MBARRIER_ARRIVE_DROP_EXPECT_TX, prepare_signal},
    {OP_MBARRIER_EXPECT_TX, prepare_signal},
    {OP_MBARRIER_COMPLETE_TX, prepare_signal},
    {OP_MBARRIER_TEST_WAIT, prepare_wait},
    {OP_MBARRIER_TRY_WAIT, prepare_wait},
    {OP_MBARRIER_PENDING_COUNT, prepare_pending_count},
    {OP_NONE, NULL},
};
