/* Addresses: generic and in-space, own and peers' shared memory. SOURCE: ptx-async.md 5.2, 8.1. */
#include "machine/exec_lanes.h"

/* imm: what to add (cvta) or to subtract (cvta.to) */
static enum exec_status exec_cvta(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t r[LANES];
    FOR_LANES(i, mask)
        r[i] = lane_word(w, &d->op[1], i) + d->imm;
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* Parameters of a device function: each depth of calls has its own part of the window. mod[0]: to the window's offset */
static enum exec_status exec_cvta_param(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint64_t base = tw_window_base(SPACE_PARAM) + (uint64_t)(w->now->frame->depth + 1) * PARAM_FRAME_BYTES;
    uint64_t r[LANES];
    FOR_LANES(i, mask)
        r[i] = d->mod[0] ? lane_word(w, &d->op[1], i) - base : lane_word(w, &d->op[1], i) + base;
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_cvta(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned mod = tw_ptx_mod(in, SLOT_SPACE);
    const struct ptx_func *const f = tw_decode_func(dc);
    const uint64_t base = tw_window_base(tw_decode_space(mod));
    d->imm = tw_ptx_has(in, SLOT_TO) ? 0 - base : base;
    d->mod[0] = tw_ptx_has(in, SLOT_TO);
    d->run = mod == MOD_PARAM && !f->is_entry ? exec_cvta_param : exec_cvta;
    return tw_decode_all(dc, in, d);
}

/* mod[0]: enum space asked for */
static enum exec_status exec_isspacep(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t r = 0;
    FOR_LANES(i, mask) {
        uint64_t at;
        const enum space want = (enum space)d->mod[0];
        const enum space is = tw_generic_space(lane_word(w, &d->op[1], i), &at);
        /* MEASURED: H200, driver 580.159.04 (tests/silicon): what cvta.param gives is an address of global memory, too. */
        bool yes = is == want || (is == SPACE_PARAM && want == SPACE_GLOBAL);
        if (is == SPACE_SHARED_CLUSTER) /* shared is the own window, shared::cluster every CTA's */
            yes = want == SPACE_SHARED ? at >> 24 == w->cta->rank
                                       : want == SPACE_SHARED_CLUSTER && at >> 24 < w->cluster->cta_count;
        r |= (uint32_t)yes << i;
    }
    set_predicate(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_isspacep(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->mod[0] = (uint8_t)tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    d->run = exec_isspacep;
    return tw_decode_all(dc, in, d);
}

/* mapa d, a, rank: bits 31:24 name the CTA, in the generic form as well. */
static enum exec_status exec_mapa(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const uint32_t rank = row32(w, d->op[2].ref)[i];
        if (rank >= w->cluster->cta_count)
            return tw_fault(w, i, E0702, NULL, "mapa to CTA rank %u of a cluster of %u", rank, w->cluster->cta_count);
        r[i] = (lane_word(w, &d->op[1], i) & ~UINT64_C(0xff000000)) | (uint64_t)rank << 24;
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static enum exec_status exec_getctarank(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t r[LANES];
    FOR_LANES(i, mask)
        r[i] = lane_word(w, &d->op[1], i) >> 24 & 0xff;
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_cluster_address(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = in->form->op == OP_MAPA ? exec_mapa : exec_getctarank;
    return tw_decode_all(dc, in, d);
}

const struct op_row tw_ops_address[] = {
    {OP_CVTA, prepare_cvta}, {OP_ISSPACEP, prepare_isspacep}, {OP_MAPA, prepare_cluster_address},
    {OP_GETCTARANK, prepare_cluster_address}, {OP_NONE, NULL},
};
