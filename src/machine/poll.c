/* Polling, found by its state: a split is back at the head of a loop with the very registers that it had there before,
 * and no thread of the cluster has changed anything in between. It can only do the same again, until memory changes; so it
 * waits for a change (WAIT_CHANGE), which costs nothing, and lets a stall be seen: engines land, and when that does not
 * help, the launch knows that nobody can go on.
 *
 * Comparing registers is dear, so that loops are watched in sessions: the first after QUIET_STEPS in which nothing has
 * changed, further ones after longer and longer gaps, with more comparisons each time: the state of a loop within a loop
 * comes again after many rounds only. A loop that counts, reads a clock or stores is never found. */
#include "machine/poll.h"

#include "machine/decode.h"

#include <string.h>

enum {
    QUIET_STEPS = 1 << 13,   /* instructions of each warp without a change before the first session */
    GAP_FACTOR = 4,          /* from one session to the next                                        */
    SESSION_STEPS = 1 << 10, /* of each warp in a session: each gets a turn                         */
    LOOKS = 8, MOST_LOOKS = 1 << 12 /* times that a split is compared in the first session; later twice as often */
};

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Four chains side by side: one would wait for its own multiplications. */
static uint64_t hash_bytes(uint64_t h, const uint8_t *at, size_t bytes)
{
    uint64_t chain[4] = {h, h + 1, h + 2, h + 3}, words[4];
    for (; bytes >= sizeof words; bytes -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++)
            chain[i] = mix(chain[i], words[i]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, at, bytes);
    for (int i = 0; i < 4; i++)
        h = mix(mix(h, chain[i]), words[i]);
    return h;
}

/* All that decides what the split does next, memory apart. Its callers' registers cannot change before it returns to them. */
static uint64_t state_of(const struct warp *w, const struct split *s)
{
    const struct frame *const f = s->frame;
    uint64_t h = mix((uint64_t)s->pc << 32 | s->mask, (uint64_t)(uintptr_t)f ^ w->carry);
    h = hash_bytes(h, f->regs, f->code->frame_bytes);
    return f->params == NULL ? h : hash_bytes(h, f->params, (size_t)LANES * f->code->param_bytes);
}

uint64_t tw_poll_state(const struct cluster *c)
{
    uint64_t h = mix(0, c->asked);
    for (uint32_t i = 0; i < c->warp_count; i++) {
        const struct warp *const w = c->order[i];
        uint64_t of_warp = w->id; /* warps change places in the order */
        for (uint32_t k = 0; k < w->split_count; k++)
            of_warp = mix(mix(of_warp, state_of(w, &w->splits[k])), (uint64_t)w->splits[k].wait.kind ^ w->splits[k].wait.key << 8);
        h += mix(of_warp, w->cta->rank);
    }
    return h;
}

void tw_poll_watch(struct cluster *c)
{
    if (c->changes != c->watch.changes) {
        c->watch.changes = c->changes;
        c->watch.on = false;
        c->watch.gap = QUIET_STEPS;
        c->watch.looks = LOOKS;
        c->watch.next = c->steps + (uint64_t)QUIET_STEPS * c->warp_count;
    } else if (!c->watch.on && c->steps >= c->watch.next) {
        c->watch.on = true;
        c->watch.session++;
        c->watch.next = c->steps + (uint64_t)SESSION_STEPS * c->warp_count;
    } else if (c->watch.on && c->steps >= c->watch.next) {
        c->watch.on = false;
        c->watch.gap *= GAP_FACTOR;
        c->watch.looks = c->watch.looks < MOST_LOOKS ? c->watch.looks * 2 : MOST_LOOKS;
        c->watch.next = c->steps + c->watch.gap * c->warp_count;
    }
}

bool tw_poll_look(struct warp *w, uint32_t from)
{
    struct cluster *const c = w->cluster;
    struct split *const s = w->now;
    if (s->watched.session != c->watch.session || s->watched.changes != c->changes) {
        s->watched.session = c->watch.session;
        s->watched.changes = c->changes;
        s->watched.looks = 0;
        s->watched.pc = s->pc;
        s->watched.state = state_of(w, s);
        return false;
    }
    if (s->pc != s->watched.pc || s->watched.looks++ >= c->watch.looks || state_of(w, s) != s->watched.state)
        return false;
    s->wait = (struct wait){.kind = WAIT_CHANGE, .key = c->changes, .detail = from};
    c->has_pollers = true;
    return true;
}

static void wake(struct cluster *c, bool changed_only)
{
    c->has_pollers = false;
    for (uint32_t i = 0; i < c->warp_count; i++)
        for (uint32_t k = 0; k < c->order[i]->split_count; k++) {
            struct split *const s = &c->order[i]->splits[k];
            if (s->wait.kind != WAIT_CHANGE)
                continue;
            if (changed_only && s->wait.key == c->changes)
                c->has_pollers = true;
            else
                s->wait.kind = WAIT_NONE;
        }
}

/* They are watched at once: most will find what they found before. */
void tw_poll_wake(struct cluster *c)
{
    c->asleep = false;
    c->idle_rounds = 0; /* waits that time out look again, too */
    c->watch.changes = c->changes;
    c->watch.on = true;
    c->watch.gap = QUIET_STEPS;
    c->watch.looks = LOOKS;
    c->watch.session++;
    c->watch.next = c->steps + (uint64_t)SESSION_STEPS * c->warp_count;
    wake(c, false);
}

void tw_poll_wake_changed(struct cluster *c)
{
    wake(c, true);
}

bool tw_polls(const struct cluster *c)
{
    if (!c->has_pollers)
        return false;
    for (uint32_t i = 0; i < c->warp_count; i++)
        for (uint32_t k = 0; k < c->order[i]->split_count; k++)
            if (c->order[i]->splits[k].wait.kind == WAIT_CHANGE)
                return true;
    return false;
}
