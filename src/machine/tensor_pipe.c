#include "machine/tensor_pipe.h"

#include "machine/mbarrier.h"
#include "machine/run.h"

#include <assert.h>
#include <stdarg.h>

void tw_tensor_fault(struct tensor_pipe *pipe, const struct tensor_op *op, int code, const struct fault_note *note,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *const message = tw_formatv(pipe->cta->cluster->diags->arena, format, args);
    va_end(args);
    tw_fault_async(pipe->cta->cluster, pipe->cta, op->warp, op->lane, op->code, op->origin, code, note, "%s", message);
}

bool tw_tensor_ctas(struct cta *cta, unsigned cta_group, struct cta *out[2])
{
    struct cluster *const c = cta->cluster;
    out[0] = cta;
    out[1] = NULL;
    if (cta_group == 1)
        return true;
    const uint32_t even = cta->rank & ~1u;
    if (even + 1 >= c->cta_count)
        return false;
    out[0] = &c->ctas[even];
    out[1] = &c->ctas[even + 1];
    return !out[0]->ended && !out[1]->ended;
}

/* ---- The queue ------------------------------------------------------------------------------ */

static bool same_thread(const struct tensor_op *a, const struct tensor_op *b)
{
    return a->warp == b->warp && a->lane == b->lane;
}

/* SOURCE: PTX ISA, tcgen05.commit: the prior asynchronous operations of the executing thread, of the same cta_group. */
static bool tracks(const struct tensor_op *commit, const struct tensor_op *op)
{
    return op->kind != TENSOR_COMMIT && same_thread(commit, op) && op->cta_group == commit->cta_group;
}

/* The last operation before the commit that it tracks and that is not performed; NULL if there is none. */
static struct tensor_op *last_tracked(const struct tensor_pipe *pipe, const struct tensor_op *commit)
{
    struct tensor_op *last = NULL;
    for (struct tensor_op *op = pipe->first; op != NULL && op != commit; op = op->next)
        if (!op->performed && tracks(commit, op))
            last = op;
    return last;
}

static bool perform(struct tensor_pipe *pipe, struct tensor_op *op)
{
    op->performed = true;
    struct cta *ctas[2];
    if (!tw_tensor_ctas(pipe->cta, op->cta_group, ctas)) {
        tw_tensor_fault(pipe, op, E0775,
                        &(struct fault_note){.expected = "both CTAs of the pair running until the operation has completed",
                                             .found = "the peer CTA has ended",
                                             .fix = "let both CTAs wait at a cluster barrier before they exit",
                                             .spec = "PTX ISA, tcgen05, \"CTA pair\""},
                        "%s of a CTA pair whose peer has ended", op->inst->name);
        return false;
    }
    bool ok = true;
    if (op->kind == TENSOR_MMA)
        ok = tw_tensor_mma(pipe, op);
    else if (op->kind == TENSOR_CP)
        ok = tw_tensor_cp(pipe, op);
    else if (op->kind == TENSOR_SHIFT)
        ok = tw_tensor_shift(pipe, op);
    if (ok && observed(pipe->cta->cluster))
        tw_emit_op(pipe->cta->cluster, pipe->cta, &(struct machine_event){.kind = EVENT_ASYNC_COMPLETE}, op->number);
    return ok;
}

/* Performs everything up to and with `last`; commits on the way are left to signal_ready. */
static bool perform_through(struct tensor_pipe *pipe, const struct tensor_op *last)
{
    for (struct tensor_op *op = pipe->first; op != NULL; op = op->next) {
        if (op->kind != TENSOR_COMMIT && !op->performed && !perform(pipe, op))
            return false;
        if (op == last)
            break;
    }
    return true;
}

static bool arrive(struct tensor_pipe *pipe, const struct tensor_op *commit, struct cta *cta, uint32_t offset)
{
    const struct mbar_update one = {.arrivals = 1};
    struct cluster *const c = pipe->cta->cluster;
    if (cta->ended) {
        tw_tensor_fault(pipe, commit, E0775,
                        &(struct fault_note){.expected = "a running CTA", .found = "a CTA that has ended",
                                             .fix = "let every CTA of the cluster wait at a cluster barrier before it exits"},
                        "tcgen05.commit signals a barrier of CTA %u of the cluster, which has ended", cta->rank);
        return false;
    }
    if (observed(c)) {
        struct machine_event e = {.kind = EVENT_MBAR_ARRIVE, .space = SPACE_SHARED, .address = cta->rank << 24 | offset,
                                  .count = 1, .release = true, .strong = true, .scope = SCOPE_CLUSTER};
        tw_emit_op(c, cta, &e, commit->number);
    }
    const struct mbar_outcome outcome = tw_mbar_signal(cta, offset, one);
    struct mbar_report r;
    if (!tw_mbar_report(c->diags->arena, "tcgen05.commit", cta, offset, one, &outcome, &r))
        return true;
    tw_tensor_fault(pipe, commit, r.code, &r.note, "%s", r.message);
    return false;
}

static bool signal_commit(struct tensor_pipe *pipe, struct tensor_op *commit)
{
    struct cluster *const c = pipe->cta->cluster;
    commit->performed = true;
    for (uint32_t rank = 0; rank < c->cta_count; rank++)
        if ((commit->multicast >> rank & 1) != 0 && !arrive(pipe, commit, &c->ctas[rank], commit->mbar & 0xffffff))
            return false;
    return true;
}

/* Takes performed operations off the front. */
static void retire(struct tensor_pipe *pipe)
{
    while (pipe->first != NULL && pipe->first->performed) {
        struct tensor_op *const op = pipe->first;
        pipe->first = op->next;
        op->next = pipe->free_ops;
        pipe->free_ops = op;
    }
    if (pipe->first == NULL)
        pipe->last = NULL;
}

/* A commit signals when nothing is left that it tracks: only operations are late, not the arrive that follows from them. So
 * commits signal in the order of issue, whether somebody waits for them or not. Compilers build on it: when the commit of the
 * accumulator has been seen, the barriers of the last stages of a ring, which nobody waits for any more, are invalidated.
 * SOURCE: PTX ISA, tcgen05.commit: the arrive is triggered by the completion of all prior operations. */
static bool signal_ready(struct tensor_pipe *pipe)
{
    for (struct tensor_op *op = pipe->first; op != NULL; op = op->next)
        if (op->kind == TENSOR_COMMIT && !op->performed && last_tracked(pipe, op) == NULL && !signal_commit(pipe, op))
            return false;
    return true;
}

static bool complete(struct tensor_pipe *pipe, const struct tensor_op *commit)
{
    const struct tensor_op *const last = last_tracked(pipe, commit);
    return (last == NULL || perform_through(pipe, last)) && signal_ready(pipe);
}

/* ---- As an engine --------------------------------------------------------------------------- */

static uint32_t pending(const struct async_agent *agent)
{
    const struct tensor_pipe *const pipe = agent->state;
    uint32_t count = 0;
    for (const struct tensor_op *op = pipe->first; op != NULL; op = op->next)
        count += !op->performed;
    return count;
}

static bool signals(const struct tensor_op *commit, const struct wait *wait)
{
    const uint32_t rank = (uint32_t)(wait->key >> 24);
    return commit->kind == TENSOR_COMMIT && !commit->performed && rank < 16 && (commit->multicast >> rank & 1) != 0 &&
           (commit->mbar & 0xffffff) == (wait->key & 0xffffff);
}

static bool land(struct async_agent *agent, const struct wait *wait)
{
    struct tensor_pipe *const pipe = agent->state;
    if (wait->kind != WAIT_MBARRIER)
        return false;
    for (struct tensor_op *op = pipe->first; op != NULL; op = op->next)
        if (signals(op, wait)) {
            (void)complete(pipe, op); /* a fault has ended the launch */
            retire(pipe);
            return true;
        }
    return false;
}

static bool land_oldest(struct async_agent *agent)
{
    struct tensor_pipe *const pipe = agent->state;
    struct tensor_op *op = pipe->first;
    while (op != NULL && op->performed)
        op = op->next;
    if (op == NULL)
        return false;
    (void)(op->kind == TENSOR_COMMIT ? complete(pipe, op) : perform(pipe, op)); /* a fault has ended the launch */
    retire(pipe);
    return true;
}

static void drain(struct async_agent *agent)
{
    struct tensor_pipe *const pipe = agent->state;
    for (struct tensor_op *op = pipe->first; op != NULL; op = op->next)
        if (!op->performed && !(op->kind == TENSOR_COMMIT ? signal_commit(pipe, op) : perform(pipe, op)))
            break;
    retire(pipe);
}

static void describe(const struct async_agent *agent, struct text *out)
{
    const struct tensor_pipe *const pipe = agent->state;
    uint32_t work = 0, commits = 0;
    for (const struct tensor_op *op = pipe->first; op != NULL; op = op->next) {
        work += !op->performed && op->kind != TENSOR_COMMIT;
        commits += !op->performed && op->kind == TENSOR_COMMIT;
    }
    tw_text_addf(out, "%u tcgen05 operation%s and %u commit%s not completed", work, work == 1 ? "" : "s", commits,
                 commits == 1 ? "" : "s");
}

struct tensor_pipe *tw_tensor_pipe_of(struct cta *cta)
{
    if (cta->tensor_pipe != NULL)
        return cta->tensor_pipe;
    struct arena *const arena = &cta->cluster->arena;
    struct tensor_pipe *const pipe = arena_new(arena, struct tensor_pipe, 1);
    struct async_agent *const agent = arena_new(arena, struct async_agent, 1);
    pipe->cta = cta;
    pipe->tile = tw_num_tile_best();
    *agent = (struct async_agent){.name = "the tensor pipe", .state = pipe, .pending = pending, .land = land, .drain = drain,
                                  .describe = describe, .land_oldest = land_oldest};
    tw_cta_add_agent(cta, agent);
    cta->tensor_pipe = pipe;
    return pipe;
}

/* ---- Issue ---------------------------------------------------------------------------------- */

struct tensor_op *tw_tensor_op_new(struct warp *w, const struct dinst *d, unsigned lane, enum tensor_op_kind kind)
{
    struct tensor_pipe *const pipe = tw_tensor_pipe_of(w->cta);
    struct tensor_op *op = pipe->free_ops;
    if (op != NULL)
        pipe->free_ops = op->next;
    else
        op = arena_new(&w->cluster->arena, struct tensor_op, 1);
    const struct tensor_inst *const inst = d->extra;
    *op = (struct tensor_op){.kind = kind, .inst = inst, .cta_group = inst->form.cta_group, .warp = w->id, .lane = lane,
                             .code = w->code, .origin = d->origin};
    return op;
}

enum exec_status tw_tensor_issue(struct warp *w, struct tensor_op *op)
{
    struct tensor_pipe *const pipe = tw_tensor_pipe_of(w->cta);
    op->number = tw_async_next_op(w->cluster);
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_ISSUE, .op = op->number}, UINT32_C(1) << op->lane);
    if (pipe->last != NULL)
        pipe->last->next = op;
    else
        pipe->first = op;
    pipe->last = op;
    if (op->kind != TENSOR_COMMIT || last_tracked(pipe, op) != NULL)
        return EXEC_NEXT;
    const bool ok = signal_commit(pipe, op); /* nothing outstanding: the arrive happens at once */
    retire(pipe);
    return ok ? EXEC_NEXT : EXEC_FAULT;
}
