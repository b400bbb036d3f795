/* Fences and launch control that is without effect here. The machine performs plain accesses in program
 * order, so a fence changes no value: it is an event, from which races are found. */
#include "machine/exec_lanes.h"

enum { MOD_FLAG_ACQUIRE = 1, MOD_FLAG_RELEASE };

/* mod[0]: enum fence_kind; mod[1]: scope; mod[2]: space */
static enum exec_status exec_fence(struct warp *w, const struct dinst *d, uint32_t mask)
{
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_FENCE, .fence = (enum fence_kind)d->mod[0], .scope = (enum scope)d->mod[1],
                                           .space = (enum space)d->mod[2], .acquire = d->mod[3] == MOD_FLAG_ACQUIRE,
                                           .release = d->mod[3] == MOD_FLAG_RELEASE},
                mask);
    return EXEC_NEXT;
}

static bool prepare_fence(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    const unsigned sem = tw_ptx_mod(in, SLOT_SEM), proxy = tw_ptx_mod(in, SLOT_PROXY);
    const enum isa_op op = in->form->op;
    enum fence_kind kind = sem == MOD_SC || in->form->id == FORM_MEMBAR ? FENCE_SC
                           : sem == MOD_ACQUIRE                         ? FENCE_ACQUIRE
                           : sem == MOD_RELEASE                         ? FENCE_RELEASE
                                                                        : FENCE_ACQ_REL;
    if (op == OP_FENCE_PROXY)
        kind = proxy == MOD_ALIAS ? FENCE_PROXY_ALIAS : FENCE_PROXY_ASYNC;
    else if (op == OP_FENCE_MBARRIER_INIT)
        kind = FENCE_MBARRIER_INIT;
    d->mod[0] = (uint8_t)kind;
    d->mod[1] = (uint8_t)tw_decode_scope(tw_ptx_mod(in, SLOT_SCOPE));
    d->mod[2] = (uint8_t)tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    d->mod[3] = sem == MOD_ACQUIRE ? MOD_FLAG_ACQUIRE : sem == MOD_RELEASE ? MOD_FLAG_RELEASE : 0;
    d->run = exec_fence;
    return true;
}

static enum exec_status exec_nothing(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)w;
    (void)d;
    (void)mask;
    return EXEC_NEXT;
}

/* Without dependent launches griddepcontrol has nothing to wait for. */
static bool prepare_nothing(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    (void)in;
    d->run = exec_nothing;
    return true;
}

const struct op_row tw_ops_fence[] = {
    {OP_FENCE, prepare_fence}, {OP_FENCE_PROXY, prepare_fence},
    {OP_FENCE_MBARRIER_INIT, prepare_fence}, {OP_GRIDDEPCONTROL_WAIT, prepare_nothing},
    {OP_GRIDDEPCONTROL_LAUNCH, prepare_nothing}, {OP_NONE, NULL},
};
