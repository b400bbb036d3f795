/* alloca, stacksave, stackrestore: a thread's stack in local memory. SOURCE: PTX ISA, "Stack Manipulation Instructions".
 *
 * The stack is a region behind the local variables of all frames and grows upwards; a function gives back at its return
 * what it has allocated. Addresses are those of the local window. */
#include "machine/decode.h"
#include "machine/exec_lanes.h"
#include "machine/run.h"
#include "machine/warp.h"

uint32_t *tw_stack_of(struct warp *w)
{
    if (w->stack == NULL) {
        w->stack = arena_new(&w->cluster->arena, uint32_t, LANES);
        for (uint32_t i = 0; i < LANES; i++)
            w->stack[i] = w->cluster->launch->local_bytes - STACK_BYTES;
    }
    return w->stack;
}

static enum exec_status exec_alloca(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t end = w->cluster->launch->local_bytes;
    uint32_t *const stack = tw_stack_of(w);
    uint64_t r[LANES];
    FOR_LANES(lane, mask) {
        const uint64_t bytes = lane_word(w, &d->op[1], lane);
        const uint32_t at = (stack[lane] + (uint32_t)d->imm - 1) & ~((uint32_t)d->imm - 1);
        if (at > end || bytes > end - at)
            return tw_fault(w, lane, E0722,
                            &(struct fault_note){.expected = tw_format(w->cluster->diags->arena, "at most %u bytes in all", STACK_BYTES),
                                                 .found = tw_format(w->cluster->diags->arena, "%u bytes left", at > end ? 0 : end - at)},
                            "alloca of %llu bytes: the thread's stack is full", (unsigned long long)bytes);
        tw_poison(w->local + (size_t)lane * end + at, (size_t)bytes, tw_poison_seed(w->cluster, w->cta->rank, at));
        stack[lane] = at + (uint32_t)bytes;
        r[lane] = at;
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static enum exec_status exec_stacksave(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const stack = tw_stack_of(w);
    uint64_t r[LANES];
    FOR_LANES(lane, mask)
        r[lane] = stack[lane];
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static enum exec_status exec_stackrestore(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t *const stack = tw_stack_of(w);
    const uint32_t end = w->cluster->launch->local_bytes;
    FOR_LANES(lane, mask) {
        const uint64_t saved = lane_word(w, &d->op[0], lane);
        if (saved < end - STACK_BYTES || saved > stack[lane])
            return tw_fault(w, lane, E0722,
                            &(struct fault_note){.expected = "a value that stacksave has given, and not above the stack's present end",
                                                 .spec = "PTX ISA, stackrestore"},
                            "stackrestore to 0x%llx", (unsigned long long)saved);
        stack[lane] = (uint32_t)saved;
    }
    return EXEC_NEXT;
}

void tw_stack_return(struct warp *w, const struct frame *f, uint32_t mask)
{
    if (w->stack != NULL && f->stack != NULL)
        FOR_LANES(lane, mask)
            w->stack[lane] = f->stack[lane];
}

static bool prepare_alloca(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    int64_t align;
    if (!tw_decode_immediate(dc, in, ROLE_N, 8, &align) || !tw_decode_role(dc, in, ROLE_D, d, 0) || !tw_decode_role(dc, in, ROLE_SIZE, d, 1))
        return false;
    if (align < 1 || align > 128 || (align & (align - 1)) != 0)
        return tw_decode_unsupported(dc, in, "the alignment of alloca is a power of two, at most 128");
    d->imm = (uint64_t)align;
    d->run = exec_alloca;
    return true;
}

static bool prepare_stack(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const bool saves = in->form->op == OP_STACKSAVE;
    d->run = saves ? exec_stacksave : exec_stackrestore;
    return tw_decode_role(dc, in, saves ? ROLE_D : ROLE_A, d, 0);
}

const struct op_row tw_ops_stack[] = {
    {OP_ALLOCA, prepare_alloca}, {OP_STACKSAVE, prepare_stack}, {OP_STACKRESTORE, prepare_stack}, {OP_NONE, NULL},
};
