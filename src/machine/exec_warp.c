/* Exchanges within a warp. SOURCE: ptx-async.md 6.2.
 *
 * Lanes with one member mask are a group; a group is executed when all of it that lives has come. */
#include "machine/exec_lanes.h"
#include "machine/warp.h"
#include "num/arith.h"

/* Calls `group` for every group among the ready lanes. */
typedef void group_fn(struct warp *w, const struct dinst *d, uint32_t lanes, uint32_t members);

static enum exec_status by_group(struct warp *w, const struct dinst *d, uint32_t mask, const struct dop *members_op, group_fn *group)
{
    const uint32_t *const members = row32(w, members_op->ref);
    uint32_t ready;
    const enum exec_status status = tw_gather_groups(w, members, mask, &ready);
    if (status != EXEC_NEXT)
        return status;
    while (ready != 0) {
        const uint32_t m = members[first_lane(ready)];
        uint32_t lanes = 0;
        FOR_LANES(i, ready)
            lanes |= (uint32_t)(members[i] == m) << i;
        group(w, d, lanes, m);
        ready &= ~lanes;
    }
    return EXEC_NEXT;
}

static bool decode_roles(struct decoder *dc, const struct ptx_inst *in, struct dinst *d, const enum isa_role *roles, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!tw_decode_role(dc, in, roles[i], d, i))
            return false;
    return true;
}

/* ---- shfl ----------------------------------------------------------------------------------------------- */

enum shfl_mode { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

/* The lane that `lane` reads, and whether it is in range. */
static bool source_lane(enum shfl_mode mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from)
{
    const uint32_t seg = c >> 8 & 31, clamp = c & 31, by = b & 31;
    const uint32_t last = (lane & seg) | (clamp & ~seg & 31);
    if (mode == SHFL_UP) {
        *from = (lane - by) & 31;
        return (int32_t)lane - (int32_t)by >= (int32_t)last;
    }
    const uint32_t j = mode == SHFL_DOWN ? lane + by : mode == SHFL_BFLY ? lane ^ by : (lane & seg) | (by & ~seg & 31);
    *from = j & 31;
    return j <= last;
}

/* op: d, p, a, b, c, members; mod[0]: mode. Reading a lane that does not take part gives poison: it is undefined. */
static void shfl_group(struct warp *w, const struct dinst *d, uint32_t lanes, uint32_t members)
{
    (void)members;
    const uint32_t *const a = row32(w, d->op[2].ref), *const b = row32(w, d->op[3].ref), *const c = row32(w, d->op[4].ref);
    uint32_t r[LANES], in_range = 0;
    FOR_LANES(i, lanes) {
        uint32_t from;
        const bool ok = source_lane((enum shfl_mode)d->mod[0], i, b[i], c[i], &from);
        in_range |= (uint32_t)ok << i;
        if (!ok)
            r[i] = a[i];
        else if ((lanes >> from & 1) != 0)
            r[i] = a[from];
        else
            tw_poison(&r[i], sizeof r[i], tw_poison_seed(w->cluster, w->cta->rank, 0x30000 + from));
    }
    put32(w, &d->op[0], lanes, r);
    set_predicate(w, &d->op[1], lanes, in_range);
}

static enum exec_status exec_shfl(struct warp *w, const struct dinst *d, uint32_t mask)
{
    return by_group(w, d, mask, &d->op[5], shfl_group);
}

static bool prepare_shfl(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static const enum isa_role roles[] = {ROLE_D, ROLE_P, ROLE_A, ROLE_LANE, ROLE_CLAMP, ROLE_MEMBERS};
    const unsigned mode = tw_ptx_mod(in, SLOT_MODE);
    d->mod[0] = mode == MOD_UP ? SHFL_UP : mode == MOD_DOWN ? SHFL_DOWN : mode == MOD_BFLY ? SHFL_BFLY : SHFL_IDX;
    d->run = exec_shfl;
    return decode_roles(dc, in, d, roles, 6);
}

/* ---- vote ----------------------------------------------------------------------------------------------- */

enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

/* op: d or p, source, members */
static void vote_group(struct warp *w, const struct dinst *d, uint32_t lanes, uint32_t members)
{
    (void)members;
    const uint32_t yes = lane_mask(w, &d->op[1]) & lanes;
    if (d->mod[0] == VOTE_BALLOT) {
        uint32_t r[LANES];
        for (uint32_t i = 0; i < LANES; i++)
            r[i] = yes;
        put32(w, &d->op[0], lanes, r);
        return;
    }
    const bool p = d->mod[0] == VOTE_ALL ? yes == lanes : d->mod[0] == VOTE_ANY ? yes != 0 : yes == 0 || yes == lanes;
    set_predicate(w, &d->op[0], lanes, p ? ALL_LANES : 0);
}

static enum exec_status exec_vote(struct warp *w, const struct dinst *d, uint32_t mask)
{
    return by_group(w, d, mask, &d->op[2], vote_group);
}

static bool prepare_vote(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned mode = tw_ptx_mod(in, SLOT_MODE);
    d->mod[0] = mode == MOD_ALL ? VOTE_ALL : mode == MOD_ANY ? VOTE_ANY : mode == MOD_UNI ? VOTE_UNI : VOTE_BALLOT;
    d->run = exec_vote;
    return tw_decode_role(dc, in, mode == MOD_BALLOT ? ROLE_D : ROLE_P, d, 0) && tw_decode_role(dc, in, ROLE_COND, d, 1) &&
           tw_decode_role(dc, in, ROLE_MEMBERS, d, 2);
}

/* ---- match ---------------------------------------------------------------------------------------------- */

/* op: d, p, a, members; mod[0]: .all */
static void match_group(struct warp *w, const struct dinst *d, uint32_t lanes, uint32_t members)
{
    (void)members;
    uint32_t r[LANES], all = ALL_LANES;
    FOR_LANES(i, lanes) {
        r[i] = 0;
        FOR_LANES(k, lanes)
            r[i] |= (uint32_t)(lane_word(w, &d->op[2], k) == lane_word(w, &d->op[2], i)) << k;
        if (r[i] != lanes)
            all = 0;
    }
    if (d->mod[0]) {
        FOR_LANES(i, lanes)
            r[i] = all != 0 ? lanes : 0;
        set_predicate(w, &d->op[1], lanes, all);
    }
    put32(w, &d->op[0], lanes, r);
}

static enum exec_status exec_match(struct warp *w, const struct dinst *d, uint32_t mask)
{
    return by_group(w, d, mask, &d->op[3], match_group);
}

static bool prepare_match(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static const enum isa_role roles[] = {ROLE_D, ROLE_P, ROLE_A, ROLE_MEMBERS};
    d->mod[0] = tw_ptx_mod(in, SLOT_MODE) == MOD_ALL;
    d->run = exec_match;
    return decode_roles(dc, in, d, roles, 4);
}

/* ---- redux ---------------------------------------------------------------------------------------------- */

enum redux_op { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };

static uint32_t reduce_word(const struct dinst *d, uint32_t x, uint32_t y)
{
    const bool less = d->mod[1] ? (int32_t)x < (int32_t)y : x < y;
    const uint32_t table[] = {[REDUX_ADD] = x + y, [REDUX_MIN] = less ? x : y, [REDUX_MAX] = less ? y : x,
                              [REDUX_AND] = x & y, [REDUX_OR] = x | y,         [REDUX_XOR] = x ^ y};
    return table[d->mod[0]];
}

/* Floats: NaN is skipped unless .NaN, +0 is above -0: min and max of num. */
static uint32_t reduce_float(const struct dinst *d, uint32_t x, uint32_t y)
{
    const struct num_ops how = {.nan = d->mod[3], .abs = d->mod[4]};
    return (uint32_t)(d->mod[0] == REDUX_MIN ? tw_num_min(NUM_F32, how, x, y) : tw_num_max(NUM_F32, how, x, y));
}

/* op: d, a, members; mod: operation, signed, float, NaN, abs */
static void redux_group(struct warp *w, const struct dinst *d, uint32_t lanes, uint32_t members)
{
    (void)members;
    const uint32_t *const a = row32(w, d->op[1].ref);
    uint32_t r[LANES], sum = a[first_lane(lanes)];
    if (d->mod[2])
        sum = reduce_float(d, sum, sum); /* canonical NaN, magnitude */
    FOR_LANES(i, lanes & (lanes - 1))
        sum = d->mod[2] ? reduce_float(d, sum, a[i]) : reduce_word(d, sum, a[i]);
    for (uint32_t i = 0; i < LANES; i++)
        r[i] = sum;
    put32(w, &d->op[0], lanes, r);
}

static enum exec_status exec_redux(struct warp *w, const struct dinst *d, uint32_t mask)
{
    return by_group(w, d, mask, &d->op[2], redux_group);
}

static bool prepare_redux(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static const enum isa_role roles[] = {ROLE_D, ROLE_A, ROLE_MEMBERS};
    const unsigned op = tw_ptx_mod(in, SLOT_OP), type = tw_ptx_mod(in, SLOT_TYPE);
    d->mod[0] = op == MOD_ADD ? REDUX_ADD : op == MOD_MIN ? REDUX_MIN : op == MOD_MAX ? REDUX_MAX
                : op == MOD_AND ? REDUX_AND : op == MOD_OR ? REDUX_OR : REDUX_XOR;
    d->mod[1] = type == MOD_S32;
    d->mod[2] = type == MOD_F32;
    d->mod[3] = tw_ptx_has(in, SLOT_NAN);
    d->mod[4] = tw_ptx_has(in, SLOT_ABS);
    d->run = exec_redux;
    return decode_roles(dc, in, d, roles, 3);
}

/* ---- elect, activemask, bar.warp.sync ---------------------------------------------------------------------- */

/* MEASURED: the leader is the lowest lane of the mask. */
static void elect_group(struct warp *w, const struct dinst *d, uint32_t lanes, uint32_t members)
{
    (void)members;
    uint32_t r[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        r[i] = first_lane(lanes);
    put32(w, &d->op[0], lanes, r);
    set_predicate(w, &d->op[1], lanes, UINT32_C(1) << first_lane(lanes));
}

static enum exec_status exec_elect(struct warp *w, const struct dinst *d, uint32_t mask)
{
    return by_group(w, d, mask, &d->op[2], elect_group);
}

static bool prepare_elect(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static const enum isa_role roles[] = {ROLE_D, ROLE_P, ROLE_MEMBERS};
    d->run = exec_elect;
    return decode_roles(dc, in, d, roles, 3);
}

static enum exec_status exec_activemask(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t r[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        r[i] = mask;
    put32(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_activemask(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_activemask;
    return tw_decode_role(dc, in, ROLE_D, d, 0);
}

/* bar.warp.sync may be reached at different places: lanes that wait at one with the same mask count. mod[7] marks it. */
static enum exec_status exec_warp_sync(struct warp *w, const struct dinst *d, uint32_t mask)
{
    if (w->now->resumed)
        return EXEC_NEXT;
    const uint32_t *const members = row32(w, d->op[0].ref);
    const uint32_t m = members[first_lane(mask)];
    uint32_t here = 0, waiting = 0;
    FOR_LANES(i, mask) {
        if ((members[i] >> i & 1) == 0)
            return tw_fault(w, i, E0713, &(struct fault_note){.fix = "put the executing lane into the member mask"},
                            "lane %u executes a .sync instruction whose member mask 0x%08x does not hold it", i, members[i]);
        here |= (uint32_t)(members[i] == m) << i;
    }
    if (here != mask) { /* other masks: their lanes come again by themselves */
        struct split *const s = w->now;
        tw_warp_move(w, mask & ~here, s->frame, s->pc);
    }
    for (uint32_t i = 0; i < w->split_count; i++)
        if (w->splits[i].wait.kind == WAIT_WARP_SYNC && w->splits[i].wait.key == m)
            waiting |= w->splits[i].mask;
    if ((m & w->live & ~(here | waiting)) != 0)
        return tw_park(w, (struct wait){.kind = WAIT_WARP_SYNC, .key = m});
    for (uint32_t i = 0; i < w->split_count; i++)
        if (w->splits[i].wait.kind == WAIT_WARP_SYNC && w->splits[i].wait.key == m) {
            w->splits[i].wait.kind = WAIT_NONE;
            w->splits[i].resumed = true;
        }
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_WARP_SYNC}, here | waiting);
    return EXEC_NEXT;
}

static bool prepare_warp_sync(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_warp_sync;
    return tw_decode_role(dc, in, ROLE_MEMBERS, d, 0);
}

const struct op_row tw_ops_warp[] = {
    {OP_SHFL, prepare_shfl}, {OP_VOTE, prepare_vote}, {OP_MATCH, prepare_match}, {OP_REDUX, prepare_redux}, {OP_ELECT, prepare_elect},
    {OP_ACTIVEMASK, prepare_activemask}, {OP_BAR_WARP_SYNC, prepare_warp_sync}, {OP_NONE, NULL},
};
