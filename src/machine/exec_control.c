/* Control flow: branches, calls, ends. SOURCE: ptx-async.md 8.8. */
#include "machine/exec_arith.h"
#include "machine/exec_call.h"
#include "machine/exec_lanes.h"
#include "machine/run.h"
#include "machine/warp.h"

/* The split's other lanes go on behind the instruction. */
static void rest_goes_on(struct split *s)
{
    s->pc++;
    s->resumed = s->timed_out = false;
}

static enum exec_status exec_bra(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct split *const s = w->now;
    if (mask == s->mask) {
        s->pc = (uint32_t)d->imm;
        return EXEC_JUMP;
    }
    tw_warp_move(w, mask, s->frame, (uint32_t)d->imm);
    rest_goes_on(s);
    return EXEC_JUMP;
}

static bool prepare_bra(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const struct ptx_func *const f = tw_decode_func(dc);
    d->imm = f->labels.at[tw_ptx_operand(f, in, ROLE_LABEL)->index].inst;
    d->flags |= D_BRANCH;
    d->run = exec_bra;
    return true;
}

/* brx.idx: lanes with one target go together. extra: the targets' pcs; imm: how many. */
static enum exec_status exec_brx(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct split *const s = w->now;
    const uint32_t *const targets = d->extra;
    struct frame *const frame = s->frame;
    uint32_t left = mask;
    const uint32_t *const index = row32(w, d->op[0].ref);
    FOR_LANES(i, mask)
        if (index[i] >= d->imm)
            return tw_fault(w, i, E0718, NULL, "brx.idx with index %u into a list of %llu targets", index[i],
                            (unsigned long long)d->imm);
    while (left != 0) {
        const uint32_t target = targets[index[first_lane(left)]];
        uint32_t together = 0;
        FOR_LANES(i, left)
            together |= (uint32_t)(targets[index[i]] == target) << i;
        left &= ~together;
        const bool whole = together == s->mask;
        tw_warp_move(w, together, frame, target);
        if (whole)
            return EXEC_JUMP;
    }
    rest_goes_on(s);
    return EXEC_JUMP;
}

static bool prepare_brx(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const struct ptx_func *const f = tw_decode_func(dc);
    const struct ptx_table *const table = &f->tables.at[tw_ptx_operand(f, in, ROLE_TARGETS)->index];
    uint32_t *const targets = arena_new(tw_decode_arena(dc), uint32_t, table->targets.len + 1);
    for (uint32_t i = 0; i < table->targets.len; i++)
        targets[i] = f->labels.at[table->targets.at[i]].inst;
    d->extra = targets;
    d->imm = table->targets.len;
    d->flags |= D_BRANCH;
    d->run = exec_brx;
    return tw_decode_role(dc, in, ROLE_INDEX, d, 0);
}

/* ---- Ends ---------------------------------------------------------------------------------------------- */

static enum exec_status exec_exit(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    struct split *const s = w->now;
    const bool some_stay = mask != s->mask;
    if (!w->cluster->has_turn && mask == w->live && w->cta->warps_left == 1 && tw_cta_holds_strong(w->cta))
        return EXEC_TURN; /* the CTA ends, and what its engines hold is performed */
    tw_warp_exit(w, mask);
    if (some_stay)
        rest_goes_on(s);
    return EXEC_JUMP;
}

enum exec_status tw_exec_return(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct split *const s = w->now;
    if (s->frame->caller == NULL)
        return exec_exit(w, d, mask);
    const bool some_stay = mask != s->mask;
    tw_call_results(w, mask);
    tw_warp_return(w, mask);
    if (some_stay)
        rest_goes_on(s);
    return EXEC_JUMP;
}

static enum exec_status exec_trap(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    return tw_fault(w, first_lane(mask), E0711, NULL, "the kernel executed a trap");
}

/* Clocks go on while the warp sleeps. SOURCE: PTX ISA, "nanosleep": up to twice the time, at most a millisecond. */
static enum exec_status exec_nanosleep(struct warp *w, const struct dinst *d, uint32_t mask)
{
    enum { MOST_NANOSECONDS = 1000000 };
    uint64_t longest = 0;
    FOR_LANES(i, mask)
        longest = lane_word(w, &d->op[0], i) > longest ? lane_word(w, &d->op[0], i) : longest;
    w->steps += longest < MOST_NANOSECONDS ? longest : MOST_NANOSECONDS;
    tw_yield(w);
    return EXEC_NEXT;
}

static bool prepare_nanosleep(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->flags |= D_BARRIER;
    d->run = exec_nanosleep;
    return tw_decode_all(dc, in, d);
}

static enum exec_status exec_nothing(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)w;
    (void)d;
    (void)mask;
    return EXEC_NEXT;
}

static bool prepare_plain(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    const enum isa_op op = in->form->op;
    d->flags |= op == OP_RET || op == OP_EXIT ? D_BRANCH : 0;
    d->run = op == OP_RET ? tw_exec_return
             : op == OP_EXIT ? exec_exit
             : op == OP_TRAP ? exec_trap
                                  : exec_nothing; /* brkpt without a debugger, pmevent without a profiler */
    return true;
}

const struct op_row tw_ops_control[] = {
    {OP_BRA, prepare_bra}, {OP_BRX_IDX, prepare_brx}, {OP_CALL, tw_prepare_call}, {OP_RET, prepare_plain}, {OP_EXIT, prepare_plain},
    {OP_TRAP, prepare_plain}, {OP_BRKPT, prepare_plain}, {OP_NANOSLEEP, prepare_nanosleep}, {OP_PMEVENT, prepare_plain},
    {OP_NONE, NULL},
};
