#include "machine/mbarrier.h"

#include "diag/diag.h"
#include "machine/run.h"

#include <assert.h>
#include <string.h>

/* ---- The state machine ---------------------------------------------------------------------- */

struct mbar_step tw_mbar_init(struct mbar *m, uint32_t count)
{
    if (count == 0 || count > MBAR_COUNT_MAX)
        return (struct mbar_step){MBAR_COUNT_RANGE, false};
    *m = (struct mbar){.expected = count, .pending = count};
    return (struct mbar_step){MBAR_FINE, false};
}

static enum mbar_error judge(const struct mbar *m, struct mbar_update u, int64_t tx)
{
    if (tx < -MBAR_TX_MAX || tx > MBAR_TX_MAX)
        return MBAR_TX_RANGE;
    if (u.arrivals > m->pending)
        return MBAR_OVER_ARRIVAL;
    if (u.drop && u.arrivals >= m->expected)
        return MBAR_DROPPED_OUT;
    if (u.no_complete && m->pending == u.arrivals && tx == 0)
        return MBAR_COMPLETES;
    return MBAR_FINE;
}

/* MEASURED: the condition is tx equal to 0, not at most 0; data that arrives before it is expected holds the phase open. */
struct mbar_step tw_mbar_apply(struct mbar *m, struct mbar_update u)
{
    const int64_t tx = m->tx + u.tx;
    const enum mbar_error error = judge(m, u, tx);
    if (error != MBAR_FINE)
        return (struct mbar_step){error, false};
    m->tx = (int32_t)tx;
    m->pending -= u.arrivals;
    if (u.drop)
        m->expected -= u.arrivals;
    if (m->pending != 0 || m->tx != 0)
        return (struct mbar_step){MBAR_FINE, false};
    m->phase++;
    m->pending = m->expected;
    return (struct mbar_step){MBAR_FINE, true};
}

bool tw_mbar_parity_done(const struct mbar *m, uint32_t parity)
{
    return (m->phase & 1) != (parity & 1);
}

uint64_t tw_mbar_token(const struct mbar *m)
{
    return (m->phase & 1) << 63 | (uint64_t)(MBAR_COUNT_MAX + 1 - m->pending) << 43;
}

bool tw_mbar_token_done(const struct mbar *m, uint64_t token)
{
    return (m->phase & 1) != token >> 63;
}

uint32_t tw_mbar_token_pending(uint64_t token)
{
    return (uint32_t)(MBAR_COUNT_MAX + 1) - (uint32_t)(token >> 43 & MBAR_COUNT_MAX);
}

/* ---- Objects of a CTA ----------------------------------------------------------------------- */

enum { BUCKETS = 64 };

struct mbar_entry {
    struct mbar_entry *next; /* in the bucket */
    uint32_t offset;
    bool live;
    struct mbar state;
    struct mbar_site expected, arrived;
};

struct mbar_table {
    struct mbar_entry *buckets[BUCKETS];
};

static struct mbar_entry **bucket_of(struct mbar_table *t, uint32_t offset)
{
    return &t->buckets[offset / MBAR_BYTES % BUCKETS];
}

static struct mbar_entry *entry_at(const struct cta *cta, uint32_t offset)
{
    if (cta->mbars == NULL)
        return NULL;
    struct mbar_entry *e = *bucket_of(cta->mbars, offset);
    while (e != NULL && e->offset != offset)
        e = e->next;
    return e;
}

/* An invertible mix of the place, so that equal words mean equal places. */
static uint64_t seal(const struct cta *cta, uint32_t offset)
{
    uint64_t x = (cta->cluster->index << 28 ^ (uint64_t)cta->rank << 20 ^ offset) + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t stored_word(const struct cta *cta, uint32_t offset)
{
    uint64_t word;
    memcpy(&word, cta->shared + offset, sizeof word);
    return word;
}

static bool is_copy(const struct cta *cta, uint32_t offset)
{
    if (cta->mbars == NULL)
        return false;
    const uint64_t word = stored_word(cta, offset);
    for (uint32_t b = 0; b < BUCKETS; b++)
        for (const struct mbar_entry *e = cta->mbars->buckets[b]; e != NULL; e = e->next)
            if (e->offset != offset && e->live && seal(cta, e->offset) == word)
                return true;
    return false;
}

enum mbar_lookup tw_mbar_find(struct cta *cta, uint32_t offset, struct mbar **out)
{
    struct mbar_entry *const e = entry_at(cta, offset);
    *out = NULL;
    if (e != NULL && e->live && stored_word(cta, offset) == seal(cta, offset)) {
        *out = &e->state;
        return MBAR_LIVE;
    }
    if (is_copy(cta, offset))
        return MBAR_COPIED;
    return e != NULL && e->live ? MBAR_OVERWRITTEN : MBAR_UNINITIALISED;
}

struct mbar *tw_mbar_make(struct cta *cta, uint32_t offset)
{
    if (cta->mbars == NULL)
        cta->mbars = arena_new(&cta->cluster->arena, struct mbar_table, 1);
    struct mbar_entry *e = entry_at(cta, offset);
    if (e == NULL) {
        struct mbar_entry **const bucket = bucket_of(cta->mbars, offset);
        e = arena_new(&cta->cluster->arena, struct mbar_entry, 1);
        *e = (struct mbar_entry){.next = *bucket, .offset = offset};
        *bucket = e;
    }
    e->live = true;
    e->expected = e->arrived = (struct mbar_site){0};
    const uint64_t word = seal(cta, offset);
    memcpy(cta->shared + offset, &word, sizeof word);
    return &e->state;
}

void tw_mbar_remove(struct cta *cta, uint32_t offset)
{
    struct mbar_entry *const e = entry_at(cta, offset);
    assert(e != NULL);
    e->live = false;
    tw_poison(cta->shared + offset, MBAR_BYTES, tw_poison_seed(cta->cluster, cta->rank, offset));
}

struct mbar_outcome tw_mbar_signal(struct cta *cta, uint32_t offset, struct mbar_update update)
{
    struct mbar *m;
    struct mbar_outcome out = {.lookup = tw_mbar_find(cta, offset, &m)};
    if (m == NULL)
        return out;
    out.before = *m;
    out.step = tw_mbar_apply(m, update);
    if (out.step.error != MBAR_FINE)
        return out;
    cta->cluster->changes++;
    if (out.step.completed) {
        const uint32_t address = cta->rank << 24 | offset;
        if (observed(cta->cluster)) {
            struct machine_event e = {.kind = EVENT_MBAR_PHASE, .space = SPACE_SHARED, .address = address, .id = (uint32_t)(m->phase - 1)};
            tw_emit_op(cta->cluster, cta, &e, 0);
        }
        tw_wake(cta->cluster, WAIT_MBARRIER, address);
    }
    return out;
}

void tw_mbar_remember(struct cta *cta, uint32_t offset, bool arrived, struct mbar_site site)
{
    struct mbar_entry *const e = entry_at(cta, offset);
    if (e == NULL)
        return;
    if (arrived)
        e->arrived = site;
    else
        e->expected = site;
}

void tw_mbar_sites(const struct cta *cta, uint32_t offset, struct mbar_site *expected, struct mbar_site *arrived)
{
    const struct mbar_entry *const e = entry_at(cta, offset);
    *expected = e == NULL ? (struct mbar_site){0} : e->expected;
    *arrived = e == NULL ? (struct mbar_site){0} : e->arrived;
}

/* ---- Reports -------------------------------------------------------------------------------- */

static void describe(const struct mbar *m, struct text *out)
{
    tw_text_addf(out, "phase %llu: %u of %u arrival%s missing", (unsigned long long)m->phase, m->pending, m->expected,
                 m->expected == 1 ? "" : "s");
    if (m->tx > 0)
        tw_text_addf(out, ", %d byte%s more %s expected than arrived", (int)m->tx, m->tx == 1 ? "" : "s", m->tx == 1 ? "was" : "were");
    else if (m->tx < 0)
        tw_text_addf(out, ", %d byte%s more arrived than %s expected", (int)-m->tx, m->tx == -1 ? "" : "s", m->tx == -1 ? "was" : "were");
}

void tw_mbarrier_describe(const struct cta *cta, uint32_t shared_offset, struct text *out)
{
    const struct mbar_entry *const e = entry_at(cta, shared_offset);
    if (e == NULL || !e->live)
        tw_text_add(out, "no mbarrier is initialised there");
    else
        describe(&e->state, out);
}

static void report_lookup(struct arena *arena, const char *who, uint32_t address, enum mbar_lookup lookup, struct mbar_report *r)
{
    if (lookup == MBAR_OVERWRITTEN) {
        r->code = E0751;
        r->message = tw_format(arena, "%s: the mbarrier at shared address 0x%x has been overwritten", who, address);
        r->note.expected = "the eight bytes that mbarrier.init wrote; only mbarrier instructions touch a live object";
        r->note.found = "other bytes, written by an ordinary store or a copy";
        r->note.fix = "keep data and barriers apart, or end the object with mbarrier.inval before its bytes are reused";
    } else if (lookup == MBAR_COPIED) {
        r->code = E0751;
        r->message = tw_format(arena, "%s: the object at shared address 0x%x is a copy of another mbarrier", who, address);
        r->note.expected = "an object that mbarrier.init made at this address";
        r->note.found = "the bytes of a live mbarrier elsewhere in this CTA";
        r->note.fix = "initialise each barrier at its own address";
    } else {
        r->code = E0750;
        r->message = tw_format(arena, "%s: no mbarrier is initialised at shared address 0x%x", who, address);
        r->note.expected = "an earlier mbarrier.init of this address, made visible by a barrier";
        r->note.found = "bytes that no mbarrier.init has written, or an object that mbarrier.inval has ended";
        r->note.fix = "initialise the barrier in one thread, then synchronise the CTA before it is used";
    }
    r->note.spec = "PTX ISA, mbarrier.init";
}

static const char *error_found(struct arena *arena, struct mbar_update u, const struct mbar *before)
{
    struct text t;
    tw_text_init(&t, arena);
    if (u.arrivals != 0)
        tw_text_addf(&t, "%u arrival%s", u.arrivals, u.arrivals == 1 ? "" : "s");
    if (u.tx != 0)
        tw_text_addf(&t, "%s%lld bytes", u.arrivals != 0 ? " and " : "", (long long)u.tx);
    tw_text_add(&t, " in ");
    describe(before, &t);
    return t.at;
}

static void report_error(struct arena *arena, const char *who, uint32_t address, struct mbar_update u,
                         const struct mbar_outcome *o, struct mbar_report *r)
{
    static const struct {
        enum mbar_error error;
        int code;
        const char *what, *expected, *fix;
    } rows[] = {
        {MBAR_OVER_ARRIVAL, E0753, "more arrivals than are pending", "at most the pending count of the phase",
         "raise the count of mbarrier.init, or arrive less often a phase"},
        {MBAR_TX_RANGE, E0754, "the transaction count leaves its range", "a transaction count between -1048575 and 1048575",
         "expect the bytes of a phase in several barriers or phases"},
        {MBAR_DROPPED_OUT, E0753, "the last expected arrival is dropped", "at least one expected arrival after arrive_drop",
         "let one participant stay, or end the object with mbarrier.inval"},
        {MBAR_COMPLETES, E0753, "a .noComplete arrival completes the phase", "an arrival that leaves others pending",
         "use the form without .noComplete for the last arrival"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].error == o->step.error) {
            r->code = rows[i].code;
            r->message = tw_format(arena, "%s: mbarrier at shared address 0x%x: %s", who, address, rows[i].what);
            r->note.expected = rows[i].expected;
            r->note.fix = rows[i].fix;
        }
    r->note.found = error_found(arena, u, &o->before);
    r->note.spec = "PTX ISA, \"mbarrier object\", valid ranges";
}

bool tw_mbar_report(struct arena *arena, const char *who, const struct cta *cta, uint32_t offset, struct mbar_update update,
                    const struct mbar_outcome *outcome, struct mbar_report *report)
{
    *report = (struct mbar_report){0};
    const uint32_t address = cta->rank << 24 | offset;
    if (outcome->lookup != MBAR_LIVE)
        report_lookup(arena, who, address, outcome->lookup, report);
    else if (outcome->step.error != MBAR_FINE)
        report_error(arena, who, address, update, outcome, report);
    else
        return false;
    return true;
}

static struct arena *texts_of(const struct cta *cta)
{
    return cta->cluster->diags->arena;
}

/* A wait for a phase with such a count would never have ended, so nobody has waited for these bytes: they are in no
 * order with the threads that read them. Bytes that were expected and never came harm nobody who did not wait. */
void tw_mbar_cta_end(struct cta *cta)
{
    if (cta->mbars == NULL)
        return;
    struct arena *const arena = texts_of(cta);
    for (uint32_t b = 0; b < BUCKETS; b++)
        for (const struct mbar_entry *e = cta->mbars->buckets[b]; e != NULL; e = e->next) {
            if (!e->live || e->state.tx >= 0 || e->arrived.code == NULL)
                continue;
            struct text t;
            tw_text_init(&t, arena);
            describe(&e->state, &t);
            tw_fault_async(cta->cluster, cta, e->arrived.warp, e->arrived.lane, e->arrived.code, e->arrived.origin, E0755,
                           &(struct fault_note){.expected = "as many bytes in mbarrier.expect_tx as copies signal, so that a wait covers them",
                                                .found = t.at,
                                                .fix = "expect the bytes of every copy of the phase before the wait",
                                                .spec = "PTX ISA, \"mbarrier object\", tx-count"},
                           "the CTA ends with bytes at the mbarrier at shared address 0x%x that nobody expected",
                           cta->rank << 24 | e->offset);
        }
}
