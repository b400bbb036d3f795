/* Rounds: how clusters go on side by side, on any number of host threads, with one result.
 *
 * A round has two phases. Apart: every resident cluster runs by itself, until it has executed its share of
 * instructions, ends, or comes to a strong operation on global memory. What it does there depends on nothing that
 * the others do meanwhile (unless the kernel has a data race), so it may run on any host thread at any moment.
 * Turns: the clusters that have come to a strong operation go on one after another in the order of their indices,
 * each for TURN_STEPS instructions, strong operations included, while no other runs. Between phases the host threads
 * meet, so plain stores of one phase are seen by all loads of the next.
 *
 * Residents are admitted between rounds, in the order of their indices: as many as the window wants and memory
 * allows. All of this is the same for one host thread, which is why the number of threads changes no result.
 *
 * A window of few clusters keeps memory small; blocks that wait over global memory for blocks that have not begun
 * open it: after PATIENCE rounds in which none came or went, more are let in. */
#include "machine/decode.h"
#include "machine/poll.h"
#include "machine/run.h"

#include <string.h>

enum {
    ROUND_STEPS = 1 << 18,  /* warp instructions of a cluster in a round: milliseconds, so that host threads seldom meet */
    LONG_ROUND_STEPS = 1 << 21, /* where no instruction is strong: clusters meet to come and go, and for the limits  */
    TURN_STEPS = 256,       /* in its turn: enough that a loop of atomics does not change clusters each time  */
    FIRST_WINDOW = 64,      /* clusters; a GPU of 148 SMs holds more, but seldom needs to                     */
    CANCEL_WINDOW = 8,      /* at most, where clusters may be cancelled: the fewer begin, the more there are to cancel */
    MORE_WINDOW = 16,
    SHORT_ROUND_STEPS = 1 << 16, /* of all clusters: when they all have ended by then, twice as many begin the next */
    PATIENCE = 16,          /* quiet rounds before more clusters are let in                                   */
    CREW_STEPS = 1 << 11,   /* of the last round: below that, waking other threads costs more than they do    */
    CLOCK_STEPS = 1 << 12   /* warp instructions between two looks at the clock                               */
};

/* ---- Time and counts ---------------------------------------------------------------------------- */

void tw_check_time(struct launch *l)
{
    if (l->spec.clock == NULL || l->spec.max_nanoseconds == 0)
        return;
    if (l->spec.clock(l->spec.clock_context) - l->started >= l->spec.max_nanoseconds)
        atomic_store_explicit(&l->halted, true, memory_order_relaxed);
}

static void count_steps(struct launch *l)
{
    for (uint32_t i = 0; i < l->threads; i++) {
        l->warp_steps += l->hands[i].steps;
        l->thread_steps += l->hands[i].thread_steps;
        l->hands[i].steps = l->hands[i].thread_steps = 0;
    }
}

/* A cluster to name as an example of what was running. */
static const struct cluster *some_cluster(const struct launch *l)
{
    for (uint32_t i = 0; i < l->resident_count; i++)
        if (l->residents[i].cluster != NULL && l->residents[i].status == LAUNCH_RUNNING)
            return l->residents[i].cluster;
    return NULL;
}

static const char *time_text(struct arena *arena, uint64_t nanoseconds)
{
    if (nanoseconds < 10000)
        return tw_format(arena, "%llu ns", (unsigned long long)nanoseconds);
    if (nanoseconds < 10000000)
        return tw_format(arena, "%llu us", (unsigned long long)(nanoseconds / 1000));
    return tw_format(arena, "%llu ms", (unsigned long long)(nanoseconds / 1000000));
}

static bool within_limits(struct launch *l)
{
    struct arena *const arena = l->findings->arena;
    if (atomic_load_explicit(&l->halted, memory_order_relaxed))
        tw_report_limit(l, some_cluster(l), "time", time_text(arena, l->spec.max_nanoseconds), "--max-seconds");
    else if (l->warp_steps >= l->spec.max_steps)
        tw_report_limit(l, some_cluster(l), "instructions",
                        tw_format(arena, "%llu warp instructions", (unsigned long long)l->spec.max_steps), "--max-steps");
    return l->status == LAUNCH_RUNNING;
}

/* ---- One cluster -------------------------------------------------------------------------------- */

bool tw_resident_active(const struct launch *l, const struct resident *r)
{
    if (r->status != LAUNCH_RUNNING)
        return false;
    const struct cluster *const c = r->cluster;
    return c == NULL ? (uint64_t)(r - l->residents) < l->sharers : c->left != 0 && !c->wants_turn && !c->asleep;
}

static void note_bad(struct launch *l, uint32_t i)
{
    unsigned first = atomic_load_explicit(&l->first_bad, memory_order_relaxed);
    while (i < first && !atomic_compare_exchange_weak_explicit(&l->first_bad, &first, i, memory_order_relaxed, memory_order_relaxed))
        ;
}

static uint64_t run_on(struct hand *hand, struct resident *r, uint64_t budget)
{
    struct cluster *const c = r->cluster;
    const uint64_t threads = c->thread_steps;
    c->arena.landing = &hand->landing;
    c->tally = hand->tally;
    const uint64_t ran = tw_cluster_run(c, budget < c->left ? budget : c->left);
    c->left -= ran;
    hand->steps += ran;
    hand->thread_steps += c->thread_steps - threads;
    r->bytes = c->arena.used_bytes;
    r->changes = c->changes;
    r->status = c->status == LAUNCH_RUNNING && c->ended ? LAUNCH_FINISHED : c->status;
    if (r->status == LAUNCH_FINISHED && c->diags->list.len == 0) {
        tw_cluster_free(c);
        r->cluster = NULL;
    }
    return ran;
}

uint64_t tw_resident_run(struct launch *l, struct hand *hand, uint32_t i, uint64_t budget)
{
    struct resident *const r = &l->residents[i];
    uint64_t ran;
    if (setjmp(hand->landing.at) == 0) {
        if (r->cluster == NULL)
            tw_cluster_new(l, r, &hand->landing);
        ran = run_on(hand, r, budget);
    } else {
        r->status = LAUNCH_LIMIT;
        r->exhausted = true;
        ran = 0;
    }
    if (r->status != LAUNCH_RUNNING && r->status != LAUNCH_FINISHED)
        note_bad(l, i);
    return ran;
}

/* ---- Beginning and end of a round ---------------------------------------------------------------- */

void tw_rounds_start(struct launch *l)
{
    l->window = l->image->cancels ? 1 + (uint32_t)(l->spec.seed % CANCEL_WINDOW) : FIRST_WINDOW;
    l->apart_steps = CREW_STEPS;
}

static uint64_t held_bytes(const struct launch *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->resident_count; i++)
        bytes += l->residents[i].cluster == NULL ? l->cluster_bytes : l->residents[i].bytes;
    return bytes;
}

static void admit(struct launch *l)
{
    uint64_t bytes = held_bytes(l);
    while (l->cluster_next < l->cluster_total && l->resident_count < l->window) {
        bytes += l->cluster_bytes;
        if (l->resident_count != 0 && bytes > l->spec.max_memory)
            break;
        l->residents[l->resident_count++] = (struct resident){.index = l->cluster_next++};
        l->quiet_rounds = 0;
    }
}

static void open_window(struct launch *l)
{
    if (++l->quiet_rounds < PATIENCE || l->window + MORE_WINDOW > MAX_RESIDENT || l->cluster_next == l->cluster_total)
        return;
    l->window += MORE_WINDOW;
    l->quiet_rounds = 0;
}

/* Rounds are short where clusters may wait for each other: for a turn, or for clusters that have not begun. */
static uint64_t largest_share(const struct launch *l)
{
    const bool others_wait = l->quiet_rounds != 0 && l->cluster_next != l->cluster_total;
    return l->image->strong || others_wait ? ROUND_STEPS : LONG_ROUND_STEPS;
}

/* Equal shares of what the limit leaves; the last few instructions go to the first clusters. */
static void share_out(struct launch *l)
{
    const uint64_t left = l->spec.max_steps - l->warp_steps;
    const uint64_t each = left / l->resident_count, most = largest_share(l);
    l->share = each == 0 ? 1 : each < most ? each : most;
    l->sharers = each == 0 ? (uint32_t)left : l->resident_count;
    for (uint32_t i = 0; i < l->resident_count; i++)
        if (l->residents[i].cluster != NULL)
            l->residents[i].cluster->left = i < l->sharers ? l->share : 0;
}

/* Clusters whose threads poll look again if anything has changed anywhere. */
static void wake_pollers(struct launch *l)
{
    uint64_t changes = l->changes_gone;
    for (uint32_t i = 0; i < l->resident_count; i++)
        changes += l->residents[i].changes;
    for (uint32_t i = 0; i < l->resident_count; i++) {
        struct cluster *const c = l->residents[i].cluster;
        if (c != NULL && c->has_pollers && c->woken_at != changes)
            tw_poll_wake(c);
        if (c != NULL)
            c->woken_at = changes;
    }
}

static bool all_asleep(const struct launch *l)
{
    for (uint32_t i = 0; i < l->resident_count; i++)
        if (l->residents[i].cluster == NULL || !l->residents[i].cluster->asleep)
            return false;
    return true;
}

/* All poll: clusters that have not begun could change what they read. */
static bool let_more_in(struct launch *l)
{
    const uint32_t before = l->resident_count;
    if (l->window + MORE_WINDOW <= MAX_RESIDENT)
        l->window += MORE_WINDOW;
    admit(l);
    return l->resident_count != before;
}

static void begin_round(struct launch *l)
{
    admit(l);
    if (l->resident_count == 0) {
        l->status = LAUNCH_FINISHED;
        return;
    }
    if (!within_limits(l))
        return;
    wake_pollers(l);
    if (all_asleep(l) && !let_more_in(l)) {
        tw_report_livelock(l);
        return;
    }
    share_out(l);
    l->alone = l->resident_count == 1 && l->cluster_next == l->cluster_total;
    if (l->alone && l->residents[0].cluster != NULL)
        l->residents[0].cluster->has_turn = true;
    atomic_store_explicit(&l->first_bad, UINT32_MAX, memory_order_relaxed);
    l->crewed = l->threads > 1 && l->resident_count > 1 && l->apart_steps >= CREW_STEPS;
    l->apart_steps = 0;
    l->turn = 0;
    l->phase = PHASE_APART;
}

/* The first cluster that cannot go on ends the launch; what later ones report is not told. */
static void gather(struct launch *l)
{
    for (uint32_t i = 0; i < l->resident_count && l->status == LAUNCH_RUNNING; i++) {
        const struct resident *const r = &l->residents[i];
        if (r->cluster != NULL)
            tw_take_findings(l, r->cluster);
        if (r->exhausted)
            tw_report_limit(l, r->cluster, "memory",
                            tw_format(l->findings->arena, "%llu bytes", (unsigned long long)l->spec.max_memory), "--max-memory");
        else if (r->status != LAUNCH_FINISHED)
            l->status = r->status;
    }
}

static void end_round(struct launch *l)
{
    gather(l);
    if (l->status != LAUNCH_RUNNING)
        return;
    const uint64_t done = l->cluster_done;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->resident_count; i++) {
        struct resident *const r = &l->residents[i];
        if (r->bytes > l->cluster_bytes)
            l->cluster_bytes = r->bytes;
        if (r->status == LAUNCH_FINISHED) {
            tw_cluster_free(r->cluster);
            l->cluster_done++;
            l->changes_gone += r->changes;
        } else {
            l->residents[kept++] = *r;
        }
    }
    l->resident_count = kept;
    if (kept == 0 && l->apart_steps < SHORT_ROUND_STEPS && !l->image->cancels && 2 * l->window <= MAX_RESIDENT)
        l->window *= 2;
    if (l->cluster_done != done)
        l->quiet_rounds = 0;
    else
        open_window(l);
    l->phase = PHASE_BEGIN;
}

/* ---- The phases ----------------------------------------------------------------------------------- */

/* Runs them one after another on this thread; `turn` is the first that may have to go on. */
static void run_apart_here(struct launch *l, uint64_t budget)
{
    struct hand *const hand = &l->hands[0];
    uint64_t used = 0;
    while (used < budget && l->turn < l->resident_count && !atomic_load_explicit(&l->halted, memory_order_relaxed)) {
        if (l->turn >= atomic_load_explicit(&l->first_bad, memory_order_relaxed) ||
            !tw_resident_active(l, &l->residents[l->turn])) {
            l->turn++;
            continue;
        }
        const uint64_t left = budget - used;
        used += tw_resident_run(l, hand, l->turn, left < CLOCK_STEPS ? left : CLOCK_STEPS);
        tw_check_time(l);
    }
}

/* Whether one must go on before the phase is over: none behind the first that has ended the launch. */
static bool any_active(const struct launch *l)
{
    const uint32_t first_bad = atomic_load_explicit(&l->first_bad, memory_order_relaxed);
    for (uint32_t i = 0; i < l->resident_count && i < first_bad; i++)
        if (tw_resident_active(l, &l->residents[i]))
            return true;
    return false;
}

static void run_apart(struct launch *l, uint64_t budget)
{
    const uint64_t before = l->warp_steps;
    if (!l->crewed || !tw_crew_run(l, budget))
        run_apart_here(l, budget);
    count_steps(l);
    l->apart_steps += l->warp_steps - before;
    if (any_active(l))
        return;
    l->turn = 0;
    l->turn_begun = false;
    l->phase = PHASE_TURNS;
}

static bool begin_turn(struct launch *l, struct cluster *c)
{
    const uint64_t left = l->spec.max_steps - l->warp_steps;
    c->left = left < TURN_STEPS ? left : TURN_STEPS;
    c->wants_turn = false;
    c->has_turn = true;
    l->turn_begun = true;
    return left != 0;
}

/* The turn of one resident; false when the budget ends before its turn does. */
static bool run_turn(struct launch *l, uint64_t budget)
{
    struct resident *const r = &l->residents[l->turn];
    if (r->status != LAUNCH_RUNNING || r->cluster == NULL || !(l->turn_begun || r->cluster->wants_turn))
        return true;
    if (!l->turn_begun && !begin_turn(l, r->cluster))
        return true;
    (void)tw_resident_run(l, &l->hands[0], l->turn, budget);
    count_steps(l);
    if (r->status == LAUNCH_RUNNING && r->cluster->left != 0 && !r->cluster->asleep)
        return false;
    if (r->cluster != NULL)
        r->cluster->has_turn = l->alone;
    return true;
}

static void run_turns(struct launch *l, uint64_t budget)
{
    const uint64_t from = l->warp_steps;
    while (l->turn < l->resident_count && l->turn <= atomic_load_explicit(&l->first_bad, memory_order_relaxed)) {
        if (l->warp_steps - from >= budget || !run_turn(l, budget - (l->warp_steps - from)))
            return;
        l->turn++;
        l->turn_begun = false;
    }
    l->phase = PHASE_END;
}

void tw_rounds_run(struct launch *l, uint64_t budget)
{
    const uint64_t from = l->warp_steps;
    while (l->status == LAUNCH_RUNNING) {
        const uint64_t used = l->warp_steps - from;
        if (l->phase == PHASE_BEGIN)
            begin_round(l);
        else if (l->phase == PHASE_END)
            end_round(l);
        else if (used >= budget)
            return;
        else if (atomic_load_explicit(&l->halted, memory_order_relaxed))
            (void)within_limits(l);
        else if (l->phase == PHASE_APART)
            run_apart(l, budget - used);
        else
            run_turns(l, budget - used);
    }
}

/* To be called in a cluster's turn, when no other runs. */
bool tw_cancel_cluster(struct launch *l, uint64_t *index)
{
    if (l->cluster_next == l->cluster_total)
        return false;
    *index = l->cluster_next++;
    l->cluster_done++;
    l->quiet_rounds = 0;
    return true;
}
