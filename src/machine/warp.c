/* Splits and frames of a warp.
 *
 * Lanes of one split are in one frame at one pc. A frame is made by a call and shared by all lanes
 * that entered together; it ends when the last of them has returned. Splits at the same place are
 * joined when neither waits for something outside the warp, which is how lanes reconverge. */
#include "machine/warp.h"

#include "machine/collective.h"
#include "machine/decode.h"
#include "machine/poll.h"
#include "machine/register_pool.h"
#include "machine/run.h"

#include <assert.h>
#include <string.h>

/* ---- Special registers ---------------------------------------------------------------------- */

static void thread_id(const struct launch *l, uint32_t linear, uint32_t tid[3])
{
    tid[0] = linear % l->block[0];
    tid[1] = linear / l->block[0] % l->block[1];
    tid[2] = linear / (l->block[0] * l->block[1]);
}

static uint32_t lanemask(enum special_kind kind, uint32_t lane)
{
    const uint32_t eq = UINT32_C(1) << lane;
    if (kind == SPECIAL_LANEMASK_EQ)
        return eq;
    if (kind == SPECIAL_LANEMASK_LT)
        return eq - 1;
    if (kind == SPECIAL_LANEMASK_LE)
        return eq | (eq - 1);
    return kind == SPECIAL_LANEMASK_GE ? ~(eq - 1) : ~(eq | (eq - 1));
}

/* Values that are the same for every lane. SOURCE: ptx-async.md 5.1, 5.2, 8.10. */
static uint64_t uniform_special(const struct warp *w, const struct frame *f, const struct special_row *s)
{
    const struct launch *l = w->cluster->launch;
    const struct cta *cta = w->cta;
    const uint32_t kind = s->kind;
    if (kind >= SPECIAL_NTID_X && kind <= SPECIAL_NTID_Z)
        return l->block[kind - SPECIAL_NTID_X];
    if (kind >= SPECIAL_CTAID_X && kind <= SPECIAL_CTAID_Z)
        return cta->ctaid[kind - SPECIAL_CTAID_X];
    if (kind >= SPECIAL_NCTAID_X && kind <= SPECIAL_NCTAID_Z)
        return l->grid[kind - SPECIAL_NCTAID_X];
    if (kind >= SPECIAL_CLUSTERID_X && kind <= SPECIAL_CLUSTERID_Z)
        return cta->ctaid[kind - SPECIAL_CLUSTERID_X] / l->cluster[kind - SPECIAL_CLUSTERID_X];
    if (kind >= SPECIAL_NCLUSTERID_X && kind <= SPECIAL_NCLUSTERID_Z)
        return l->grid[kind - SPECIAL_NCLUSTERID_X] / l->cluster[kind - SPECIAL_NCLUSTERID_X];
    if (kind >= SPECIAL_CLUSTER_CTAID_X && kind <= SPECIAL_CLUSTER_CTAID_Z)
        return cta->ctaid[kind - SPECIAL_CLUSTER_CTAID_X] % l->cluster[kind - SPECIAL_CLUSTER_CTAID_X];
    if (kind >= SPECIAL_CLUSTER_NCTAID_X && kind <= SPECIAL_CLUSTER_NCTAID_Z)
        return l->cluster[kind - SPECIAL_CLUSTER_NCTAID_X];
    const uint64_t shared_used = w->cta->shared_bytes - TW_SHARED_RESERVED_BYTES;
    const uint64_t values[] = {
        [SPECIAL_WARPID] = w->id,
        [SPECIAL_SMID] = w->cluster->index % l->sm_count,
        [SPECIAL_NSMID] = l->sm_count,
        [SPECIAL_GRIDID] = 1,
        [SPECIAL_CLUSTER_CTARANK] = cta->rank,
        [SPECIAL_CLUSTER_NCTARANK] = w->cluster->cta_count,
        [SPECIAL_IS_EXPLICIT_CLUSTER] = l->explicit_cluster ? ALL_LANES : 0,
        [SPECIAL_DYNAMIC_SMEM_SIZE] = l->dynamic_shared_bytes,
        [SPECIAL_TOTAL_SMEM_SIZE] = (shared_used + 127) / 128 * 128,
        [SPECIAL_AGGR_SMEM_SIZE] = TW_SHARED_RESERVED_BYTES + shared_used,
        [SPECIAL_SHARED_BASE] = (cta->rank << 24) + s->value,
        [SPECIAL_LOCAL_BASE] = f->local_base + s->value,
        [SPECIAL_CLOCK] = w->steps,
        [SPECIAL_CLOCK_HI] = w->steps >> 32,
        [SPECIAL_CLOCK64] = w->steps,
        [SPECIAL_GLOBALTIMER] = w->steps,
        [SPECIAL_GLOBALTIMER_LO] = w->steps,
        [SPECIAL_GLOBALTIMER_HI] = w->steps >> 32,
    };
    return kind < sizeof values / sizeof values[0] ? values[kind] : 0;
}

static void fill_special(struct warp *w, const struct frame *f, const struct special_row *s)
{
    uint8_t *const at = f->regs + s->ref;
    const uint64_t uniform = uniform_special(w, f, s);
    if (s->bytes == 0) {
        *(uint32_t *)(void *)at = (uint32_t)uniform;
        return;
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t value = uniform;
        uint32_t tid[3];
        if (s->kind <= SPECIAL_TID_Z) {
            thread_id(w->cluster->launch, w->id * LANES + lane, tid);
            value = tid[s->kind];
        } else if (s->kind == SPECIAL_LANEID) {
            value = lane;
        } else if (s->kind >= SPECIAL_LANEMASK_EQ && s->kind <= SPECIAL_LANEMASK_GT) {
            value = lanemask(s->kind, lane);
        }
        if (s->bytes == 8)
            ((uint64_t *)(void *)at)[lane] = value;
        else
            ((uint32_t *)(void *)at)[lane] = (uint32_t)value;
    }
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* Registers are not zero on a GPU: a kernel that reads one before writing it must not see a helpful value. */
static struct frame *new_frame(struct warp *w, const struct code *code, uint32_t mask)
{
    struct frame *f = w->free_frames;
    struct frame **link = &w->free_frames;
    while (f != NULL && f->code != code) {
        link = &f->caller;
        f = f->caller;
    }
    if (f != NULL) {
        *link = f->caller;
    } else {
        struct arena *arena = &w->cluster->arena;
        f = arena_new(arena, struct frame, 1);
        f->regs = tw_arena_alloc(arena, 1, code->frame_bytes + 64);
        f->regs += (64 - ((uintptr_t)f->regs & 63)) & 63;
        f->params = code->param_bytes == 0 ? NULL : tw_arena_alloc(arena, LANES, code->param_bytes);
        f->code = code;
    }
    tw_poison(f->regs, code->frame_bytes, tw_poison_seed(w->cluster, w->cta->rank, w->id));
    f->live = mask;
    return f;
}

static void fill_specials(struct warp *w, const struct frame *f)
{
    for (uint32_t i = 0; i < f->code->special_count; i++)
        fill_special(w, f, &f->code->specials[i]);
}

/* Clocks follow the instructions of the warp: monotonic, and the same for the same seed however the launch is stepped. */
void tw_warp_read_clocks(struct warp *w)
{
    const struct frame *const f = w->now->frame;
    for (uint32_t i = 0; i < f->code->special_count; i++)
        if (is_clock((enum special_kind)f->code->specials[i].kind))
            fill_special(w, f, &f->code->specials[i]);
    tw_poll_is_none(w);
}

void tw_warp_start(struct warp *w, const struct code *kernel, uint32_t born)
{
    w->born = w->live = born;
    struct frame *f = new_frame(w, kernel, born);
    fill_specials(w, f);
    w->splits[0] = (struct split){.frame = f, .mask = born};
    w->split_count = 1;
    tw_warp_select(w, &w->splits[0]);
}

struct frame *tw_warp_enter(struct warp *w, const struct code *callee, uint32_t mask, uint32_t return_pc)
{
    struct frame *const caller = w->now->frame;
    struct frame *f = new_frame(w, callee, mask);
    f->caller = caller;
    f->return_pc = return_pc;
    f->depth = caller->depth + 1;
    f->local_base = caller->local_base + caller->code->local_bytes;
    if (callee->image->uses_stack) {
        if (f->stack == NULL)
            f->stack = arena_new(&w->cluster->arena, uint32_t, LANES);
        memcpy(f->stack, tw_stack_of(w), LANES * sizeof *f->stack);
    }
    fill_specials(w, f);
    return f;
}

void tw_warp_return(struct warp *w, uint32_t mask)
{
    struct frame *const f = w->now->frame;
    assert(f->caller != NULL);
    tw_stack_return(w, f, mask);
    tw_warp_move(w, mask, f->caller, f->return_pc);
    f->live &= ~mask;
    if (f->live == 0) {
        f->caller = w->free_frames;
        w->free_frames = f;
    }
}

/* ---- Splits --------------------------------------------------------------------------------- */

void tw_warp_select(struct warp *w, struct split *s)
{
    w->now = s;
    w->code = s->frame->code;
    w->bank[0] = s->frame->regs;
    w->bank[1] = s->frame->code->consts;
}

static void remove_split(struct warp *w, struct split *s)
{
    const uint32_t i = (uint32_t)(s - w->splits);
    w->splits[i] = w->splits[--w->split_count];
    w->now = NULL;
}

/* Waits that end by other lanes of the warp: a split in one can take more lanes in. */
static bool waits_for_lanes(const struct split *s)
{
    return s->wait.kind == WAIT_CONVERGE || s->wait.kind == WAIT_LANES;
}

static bool can_join(const struct split *a, const struct split *b)
{
    if (a->frame != b->frame || a->pc != b->pc || a->resumed || b->resumed || a->timed_out || b->timed_out)
        return false;
    return (split_runnable(a) || waits_for_lanes(a)) && (split_runnable(b) || waits_for_lanes(b));
}

static void take_in(struct split *into, uint32_t mask)
{
    into->mask |= mask;
    into->wait.kind = WAIT_NONE;
    into->yielded = false;
    into->spins = 0;
}

void tw_warp_merge(struct warp *w)
{
    for (uint32_t i = 0; i < w->split_count; i++) {
        for (uint32_t k = i + 1; k < w->split_count;) {
            if (!can_join(&w->splits[i], &w->splits[k])) {
                k++;
                continue;
            }
            take_in(&w->splits[i], w->splits[k].mask);
            remove_split(w, &w->splits[k]);
        }
    }
}

void tw_warp_move(struct warp *w, uint32_t mask, struct frame *frame, uint32_t pc)
{
    struct split *const from = w->now;
    assert((mask & ~from->mask) == 0 && mask != 0);
    if (mask == from->mask) {
        from->frame = frame;
        from->pc = pc;
        from->resumed = from->timed_out = false;
        tw_warp_select(w, from);
        return;
    }
    from->mask &= ~mask;
    const struct split arrival = {.frame = frame, .pc = pc, .mask = mask};
    for (uint32_t i = 0; i < w->split_count; i++)
        if (&w->splits[i] != from && can_join(&w->splits[i], &arrival)) {
            take_in(&w->splits[i], mask);
            return;
        }
    assert(w->split_count < MAX_SPLITS);
    w->splits[w->split_count++] = arrival;
}

void tw_warp_recheck(struct warp *w)
{
    for (uint32_t i = 0; i < w->split_count; i++) {
        struct split *const s = &w->splits[i];
        if (waits_for_lanes(s) || s->wait.kind == WAIT_WARP_SYNC || (s->wait.kind == WAIT_BAR && s->wait.detail == BAR_GATHERING))
            s->wait.kind = WAIT_NONE;
    }
}

void tw_warp_exit(struct warp *w, uint32_t mask)
{
    struct split *const s = w->now;
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_EXIT}, mask);
    for (struct frame *f = s->frame; f != NULL; f = f->caller)
        f->live &= ~mask;
    s->mask &= ~mask;
    w->live &= ~mask;
    w->cluster_arrived &= ~mask;
    w->cluster_passed &= ~mask;
    w->cluster->changes++;
    if (s->mask == 0)
        remove_split(w, s);
    tw_warp_recheck(w);
    tw_cluster_barrier_exited(w->cluster);
    if (w->live == 0) {
        tw_registers_warp_ended(w);
        tw_cta_warp_ended(w->cta);
    }
}
