/* The scheduler of a cluster.
 *
 * Warps take turns in an order drawn from the seed; a turn is a bounded number of instructions.
 * Within a warp the runnable split with the lowest pc goes first, which brings lanes together
 * again where their paths meet; a split that only loops gives way after SPIN_LIMIT backward
 * branches, so that it cannot starve the lanes it waits for.
 *
 * When no split of the cluster can run, that is a stall. Then, in this order: an engine lands what
 * some wait needs, and nothing more; waits that may time out do so; and if that changes nothing for
 * IDLE_ROUNDS rounds, the oldest operation of an engine lands where threads poll (poll.c), and else waits
 * go on timing out until all threads are in a state in which they were before, or LONGEST_IDLE is over: who
 * counts the answers, or looks at a clock, may have had enough. Then the cluster sleeps until another changes
 * memory. Where nobody polls, or looks at global memory between two answers, it is in deadlock. */
#include "machine/decode.h"
#include "machine/poll.h"
#include "machine/run.h"
#include "machine/tally.h"
#include "machine/warp.h"

enum {
    TURN_STEPS = 256,   /* instructions of a warp's turn, plus up to as many drawn from the seed */
    SPIN_LIMIT = 512,   /* backward branches before a split gives way to others of its warp      */
    IDLE_ROUNDS = 64,   /* stalls in a row in which polling may go on without any change         */
    TIME_OUT = 1000000  /* nanoseconds that a wait takes which times out; the ISA leaves it open  */
};

/* ---- One warp ------------------------------------------------------------------------------- */

/* Callees go first, so that they return to where their callers wait; then the lowest pc. */
static bool goes_before(const struct split *a, const struct split *b)
{
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return a->pc < b->pc;
}

static struct split *pick(struct warp *w, bool yielded_too)
{
    struct split *best = NULL;
    for (uint32_t i = 0; i < w->split_count; i++) {
        struct split *const s = &w->splits[i];
        if (split_runnable(s) && (yielded_too || !s->yielded) && (best == NULL || goes_before(s, best)))
            best = s;
    }
    return best;
}

static struct split *next_split(struct warp *w)
{
    if (w->split_count > 1)
        tw_warp_merge(w);
    struct split *s = pick(w, false);
    if (s != NULL)
        return s;
    for (uint32_t i = 0; i < w->split_count; i++) {
        w->splits[i].yielded = false;
        w->splits[i].spins = 0;
    }
    return pick(w, true);
}

/* The pc at which the executing split must look for others: the lowest of the other splits of its frame above it. */
static uint32_t meeting_pc(const struct warp *w, const struct split *s)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < w->split_count; i++) {
        const struct split *const o = &w->splits[i];
        if (o != s && o->frame == s->frame && o->pc > s->pc && o->pc < lowest)
            lowest = o->pc;
    }
    return lowest;
}

static enum exec_status wait_for_warp(struct warp *w)
{
    return tw_park(w, (struct wait){.kind = WAIT_CONVERGE});
}

/* An instruction that needs the whole warp, the cluster's turn, or the time. */
static enum exec_status run_special(struct warp *w, const struct dinst *d, uint32_t mask)
{
    if ((d->flags & D_ALIGNED) != 0 && mask != w->live)
        return mask != w->now->mask ? tw_fault_partial_guard(w, d, mask) : wait_for_warp(w);
    if ((d->flags & D_STRONG) != 0 && !w->cluster->has_turn)
        return EXEC_TURN;
    w->cluster->looked += (d->flags & D_STRONG) != 0;
    if ((d->flags & D_CLOCK) != 0)
        tw_warp_read_clocks(w);
    return d->run(w, d, mask);
}

/* Lanes that the guard holds back do not wait with the others: forward progress is each lane's own. */
static void let_pass(struct warp *w, struct split *s, uint32_t mask)
{
    const uint32_t passing = s->mask & ~mask;
    if (w->now == s && passing != 0)
        tw_warp_move(w, passing, s->frame, s->pc + 1);
}

static inline void count(struct tally *t, uint32_t number, uint32_t mask)
{
    t->insts[number].warps++;
    t->insts[number].threads += (uint64_t)__builtin_popcount(mask);
}

/* Runs the split until it parks, branches among others, meets another, or the budget ends. Returns instructions run.
 * Inlined twice, so that a run without a report does not ask for one. */
static inline __attribute__((always_inline)) uint64_t run_split_with(struct warp *w, struct split *s, uint64_t budget,
                                                                      struct tally *tally)
{
    struct cluster *const c = w->cluster;
    tw_warp_select(w, s);
    const struct dinst *insts = w->code->insts;
    const uint32_t splits = w->split_count;
    const uint32_t meet = splits > 1 ? meeting_pc(w, s) : UINT32_MAX;
    uint64_t steps = 0, threads = 0;
    bool go_on = true;
    while (go_on && steps < budget) {
        const struct dinst *const d = &insts[s->pc];
        const uint32_t mask = s->mask & (*row32(w, d->guard) ^ d->guard_flip);
        steps++;
        w->steps++;
        if (mask == 0) {
            if (tally != NULL)
                count(tally, w->code->first + s->pc, 0);
            s->pc++;
        } else {
            const uint32_t lanes = mask == ALL_LANES ? LANES : (uint32_t)__builtin_popcount(mask);
            threads += lanes;
            const uint32_t pc = s->pc, number = tally == NULL ? 0 : w->code->first + pc;
            const enum exec_status status = (d->flags & (D_ALIGNED | D_STRONG | D_CLOCK)) != 0 ? run_special(w, d, mask) : d->run(w, d, mask);
            if (tally != NULL && status != EXEC_AGAIN && status != EXEC_TURN)
                count(tally, number, mask);
            if (status == EXEC_NEXT) {
                s->pc++;
                s->resumed = s->timed_out = false;
                go_on = (d->flags & D_BARRIER) == 0 && w->split_count == splits;
            } else if (status == EXEC_JUMP) {
                if (c->watch.on && w->now == s && s->pc <= pc && w->code->insts == insts && tw_poll_look(w, pc))
                    go_on = false;
                if (splits != 1 || w->split_count != 1 || w->now != s)
                    go_on = false;
                else if (w->code->insts != insts)
                    insts = w->code->insts;
                if (splits > 1 && w->now == s && s->pc <= pc && ++s->spins >= SPIN_LIMIT) {
                    s->yielded = true;
                    s->spins = 0;
                }
            } else {
                go_on = false;
                if (status == EXEC_AGAIN)
                    let_pass(w, s, mask);
                if (status == EXEC_TURN) {
                    c->wants_turn = true;
                    steps--;
                    w->steps--;
                    threads -= lanes;
                }
            }
        }
        if (go_on && s->pc >= meet)
            break;
    }
    c->steps += steps;
    c->thread_steps += threads;
    return steps;
}

static uint64_t run_split(struct warp *w, struct split *s, uint64_t budget)
{
    return w->cluster->tally == NULL ? run_split_with(w, s, budget, NULL) : run_split_with(w, s, budget, w->cluster->tally);
}

/* Runs the warp for at most `budget` instructions; fewer when none of its splits can go on. Returns those run. */
static uint64_t run_warp(struct warp *w, uint64_t budget)
{
    uint64_t used = 0;
    const struct cluster *const c = w->cluster;
    while (used < budget && w->live != 0 && c->status == LAUNCH_RUNNING && !c->wants_turn) {
        struct split *const s = next_split(w);
        if (s == NULL)
            break;
        used += run_split(w, s, budget - used);
    }
    return used;
}

/* ---- Waits ---------------------------------------------------------------------------------- */

enum exec_status tw_park(struct warp *w, struct wait wait)
{
    w->now->wait = wait;
    return EXEC_AGAIN;
}

void tw_yield(struct warp *w)
{
    w->now->yielded = true;
}

static uint32_t wake_warp(struct warp *w, enum wait_kind kind, uint64_t key)
{
    uint32_t woken = 0;
    for (uint32_t i = 0; i < w->split_count; i++) {
        struct split *const s = &w->splits[i];
        if (s->wait.kind != kind || s->wait.key != key)
            continue;
        s->wait.kind = WAIT_NONE;
        s->yielded = false;
        woken++;
    }
    return woken;
}

uint32_t tw_wake_cta(struct cta *cta, enum wait_kind kind, uint64_t key)
{
    uint32_t woken = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        woken += wake_warp(&cta->warps[i], kind, key);
    if (woken != 0)
        cta->cluster->changes++;
    return woken;
}

uint32_t tw_wake(struct cluster *c, enum wait_kind kind, uint64_t key)
{
    uint32_t woken = 0;
    for (uint32_t i = 0; i < c->cta_count; i++)
        woken += tw_wake_cta(&c->ctas[i], kind, key);
    return woken;
}

enum exec_status tw_gather(struct warp *w, uint32_t mask, uint32_t members)
{
    const uint32_t needed = members & w->live;
    if ((needed & ~mask) == 0)
        return EXEC_NEXT;
    return tw_park(w, (struct wait){.kind = WAIT_LANES, .key = needed});
}

enum exec_status tw_gather_groups(struct warp *w, const uint32_t *members, uint32_t mask, uint32_t *ready)
{
    uint32_t complete = 0, missing = 0;
    FOR_LANES(i, mask) {
        uint32_t group = 0;
        FOR_LANES(k, mask)
            group |= (uint32_t)(members[k] == members[i]) << k;
        if ((members[i] >> i & 1) == 0)
            return tw_fault(w, i, E0713, &(struct fault_note){.fix = "put the executing lane into the member mask"},
                            "lane %u executes a .sync instruction whose member mask 0x%08x does not hold it", i, members[i]);
        if ((members[i] & w->live & ~group) == 0)
            complete |= UINT32_C(1) << i;
        else
            missing |= members[i] & w->live;
    }
    *ready = complete;
    if (complete == 0)
        return tw_park(w, (struct wait){.kind = WAIT_LANES, .key = missing});
    if (complete != mask) {
        struct split *const s = w->now;
        tw_warp_move(w, mask & ~complete, s->frame, s->pc);
        w->splits[w->split_count - 1].wait = (struct wait){.kind = WAIT_LANES, .key = missing};
    }
    return EXEC_NEXT;
}

/* ---- Stalls --------------------------------------------------------------------------------- */

static bool land_for(struct cluster *c, const struct wait *wait)
{
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t k = 0; k < c->ctas[i].agent_count; k++) {
            struct async_agent *const agent = c->ctas[i].agents[k];
            if (agent->pending(agent) != 0 && agent->land(agent, wait))
                return true;
        }
    return false;
}

static bool awaits_engine(const struct split *s)
{
    return s->wait.kind != WAIT_NONE && s->wait.kind != WAIT_CONVERGE && s->wait.kind != WAIT_CHANGE;
}

static uint32_t count_waits(const struct cluster *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->warp_count; i++)
        for (uint32_t k = 0; k < c->order[i]->split_count; k++)
            count += awaits_engine(&c->order[i]->splits[k]);
    return count;
}

/* The first wait from number `from` to before number `to` that an engine can land something for. */
static bool land_among(struct cluster *c, uint32_t from, uint32_t to)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < c->warp_count; i++)
        for (uint32_t k = 0; k < c->order[i]->split_count; k++) {
            if (!awaits_engine(&c->order[i]->splits[k]))
                continue;
            const struct wait wait = c->order[i]->splits[k].wait;
            if (number >= from && number < to && land_for(c, &wait))
                return true;
            number++;
        }
    return false;
}

/* Lands for one awaited completion; the seed picks among several. */
static bool land_something(struct cluster *c)
{
    const uint32_t count = count_waits(c);
    if (count == 0)
        return false;
    const uint32_t first = (uint32_t)(tw_random(c) % count);
    if (!land_among(c, first, count) && !land_among(c, 0, first))
        return false;
    c->changes++;
    return true;
}

/* Threads poll memory, and no wait says for what: the oldest operation of some engine, drawn from the seed. */
static bool land_oldest(struct cluster *c)
{
    const uint32_t first = (uint32_t)(tw_random(c) % c->cta_count);
    for (uint32_t i = 0; i < c->cta_count; i++) {
        const struct cta *const cta = &c->ctas[(first + i) % c->cta_count];
        for (uint32_t k = 0; k < cta->agent_count; k++) {
            struct async_agent *const a = cta->agents[k];
            if (a->land_oldest != NULL && a->pending(a) != 0 && a->land_oldest(a)) {
                c->changes++;
                return true;
            }
        }
    }
    return false;
}

static uint32_t time_out_polls(struct cluster *c)
{
    uint32_t woken = 0;
    for (uint32_t i = 0; i < c->warp_count; i++)
        for (uint32_t k = 0; k < c->order[i]->split_count; k++) {
            struct split *const s = &c->order[i]->splits[k];
            if (s->wait.kind == WAIT_NONE || !s->wait.may_time_out)
                continue;
            s->wait.kind = WAIT_NONE;
            s->timed_out = true;
            c->order[i]->steps += TIME_OUT;
            woken++;
        }
    return woken;
}

static bool time_out(struct cluster *c)
{
    if (time_out_polls(c) == 0)
        return false;
    if (c->idle_rounds == 0)
        c->idle_looked = c->looked;
    c->idle_rounds++;
    c->idle_changes = c->changes - c->own_changes;
    return true;
}

/* Whether a state comes again: what is compared with is kept for longer and longer (Brent's way to find a cycle). Registers are
 * all of it where no thread has stored anything; where one has, in its own memory, only time tells. */
static bool been_here(struct cluster *c)
{
    if (c->own_changes != c->idle_own) {
        c->idle_own = c->own_changes;
        return false;
    }
    const uint64_t state = tw_poll_state(c);
    if (c->idle_rounds > IDLE_ROUNDS && state == c->idle_state)
        return true;
    if ((c->idle_rounds & (c->idle_rounds - 1)) == 0)
        c->idle_state = state;
    return false;
}

/* Whether threads whose waits time out look at global memory in between, which another cluster may change. */
static bool looks_for_others(const struct cluster *c)
{
    return c->idle_rounds >= IDLE_ROUNDS && c->looked != c->idle_looked && !c->launch->alone;
}

static bool any_runnable(const struct cluster *c)
{
    for (uint32_t i = 0; i < c->warp_count; i++)
        for (uint32_t k = 0; k < c->order[i]->split_count; k++)
            if (split_runnable(&c->order[i]->splits[k]))
                return true;
    return false;
}

/* Whether an engine holds an operation that may be performed in the cluster's turn alone. */
static bool holds_strong(const struct cluster *c)
{
    for (uint32_t i = 0; i < c->cta_count; i++)
        if (tw_cta_holds_strong(&c->ctas[i]))
            return true;
    return false;
}

static void stall(struct cluster *c)
{
    if (!c->has_turn && holds_strong(c)) {
        c->wants_turn = true;
        return;
    }
    if (land_something(c)) {
        c->idle_rounds = 0;
        return;
    }
    if (c->changes - c->own_changes != c->idle_changes)
        c->idle_rounds = 0;
    if (c->idle_rounds < IDLE_ROUNDS && time_out(c))
        return;
    const bool polls = tw_polls(c);
    if (polls && land_oldest(c))
        return;
    if (c->idle_rounds >= IDLE_ROUNDS && c->idle_rounds < LONGEST_IDLE && !been_here(c) && time_out(c))
        return;
    if (polls || looks_for_others(c))
        c->asleep = c->has_pollers = true;
    else
        tw_report_deadlock(c);
}

/* ---- The cluster ---------------------------------------------------------------------------- */

/* A new order for the next round. */
static void shuffle(struct cluster *c)
{
    for (uint32_t i = c->warp_count; i > 1; i--) {
        const uint32_t k = (uint32_t)(tw_random(c) % i);
        struct warp *const w = c->order[i - 1];
        c->order[i - 1] = c->order[k];
        c->order[k] = w;
    }
}

static void start_turn(struct cluster *c, uint32_t turn)
{
    c->turn = turn;
    c->turn_left = TURN_STEPS + (uint32_t)(tw_random(c) % TURN_STEPS);
}

/* All warps have had their turn: if none could use it, nothing can run. */
static void next_round(struct cluster *c)
{
    tw_poll_watch(c);
    if (!c->round_ran && !any_runnable(c))
        stall(c);
    if (c->wants_turn || c->asleep)
        return; /* the stall is looked at again then */
    shuffle(c);
    c->round_ran = false;
    start_turn(c, 0);
}

/* Turns and rounds are kept in the cluster: what happens does not depend on how the launch is stepped. */
uint64_t tw_cluster_run(struct cluster *c, uint64_t budget)
{
    uint64_t used = 0;
    while (used < budget && !c->ended && c->status == LAUNCH_RUNNING && !c->wants_turn && !c->asleep) {
        if (c->has_pollers)
            tw_poll_wake_changed(c);
        if (c->turn == c->warp_count) {
            next_round(c);
            continue;
        }
        const uint64_t most = c->turn_left < budget - used ? c->turn_left : budget - used;
        const uint64_t ran = run_warp(c->order[c->turn], most);
        used += ran;
        c->turn_left -= (uint32_t)ran;
        c->round_ran |= ran != 0;
        if (!c->wants_turn && (c->turn_left == 0 || ran < most))
            start_turn(c, c->turn + 1);
    }
    return used;
}
