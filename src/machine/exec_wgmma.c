/* wgmma.mma_async in all its forms, wgmma.fence, commit_group and wait_group. */
#include "machine/decode.h"
#include "machine/run.h"
#include "machine/wgmma_pipe.h"
#include "machine/wgmma_watch.h"
#include "num/sparse.h"

#include <string.h>

static struct arena *texts(const struct warp *w)
{
    return w->cluster->diags->arena;
}

/* ---- wgmma.mma_async ---------------------------------------------------------------------------------------- */

/* A word that all lanes must agree on; false after a fault. */
static bool uniform(struct warp *w, const struct wgmma_inst *inst, const struct dop *o, const char *what, uint64_t *out)
{
    const uint64_t *const words = row64(w, o->ref);
    *out = words[0];
    for (unsigned lane = 1; lane < LANES; lane++)
        if (words[lane] != words[0]) {
            (void)tw_fault(w, lane, E0765,
                           &(struct fault_note){.expected = "one value in all threads of the warpgroup",
                                                .found = tw_format(texts(w), "0x%016llx in lane 0, 0x%016llx in lane %u",
                                                                   (unsigned long long)words[0], (unsigned long long)words[lane], lane),
                                                .spec = "PTX ISA, wgmma, matrix descriptor"},
                           "%s: the threads of a warp give different descriptors of %s", inst->name, what);
            return false;
        }
    return true;
}

static bool uniform_predicate(struct warp *w, const struct wgmma_inst *inst, bool *out)
{
    const uint32_t lanes = lane_mask(w, &inst->scale);
    *out = lanes != 0;
    if (lanes == 0 || lanes == ALL_LANES)
        return true;
    struct text t;
    tw_text_init(&t, texts(w));
    tw_lane_list(lanes, &t);
    (void)tw_fault(w, first_lane(~lanes), E0765,
                   &(struct fault_note){.expected = "one value in all threads of the warpgroup",
                                        .found = tw_format(texts(w), "true in %s alone", t.at), .spec = "PTX ISA, wgmma.mma_async"},
                   "%s: the threads of a warp give different scale-d", inst->name);
    return false;
}

static bool read_operands(struct warp *w, const struct wgmma_inst *inst, struct wgmma_operands *out)
{
    *out = (struct wgmma_operands){0};
    return (inst->a_in_regs || uniform(w, inst, &inst->a, "A", &out->a_desc)) && uniform(w, inst, &inst->b, "B", &out->b_desc) &&
           uniform_predicate(w, inst, &out->read_d);
}

static bool check_desc(struct warp *w, const struct wgmma_inst *inst, const char *what, uint64_t word)
{
    struct smem_desc desc;
    struct smem_fault_list faults;
    if (tw_smem_desc_decode(SMEM_DESC_WGMMA, word, &desc, &faults))
        return true;
    (void)tw_fault(w, 0, E0770,
                   &(struct fault_note){.expected = tw_format(texts(w), "%s: %s", faults.at[0].field->name, faults.at[0].expected),
                                        .found = tw_format(texts(w), "%u, in descriptor 0x%016llx", faults.at[0].found,
                                                           (unsigned long long)word),
                                        .spec = "PTX ISA, wgmma, matrix descriptor"},
                   "%s: the shared memory descriptor of %s is illegal", inst->name, what);
    return false;
}

/* The words of A and of the metadata are taken now: what is written to their registers later is diagnosed, not multiplied. */
static void capture(const struct warp *w, const struct wgmma_inst *inst, struct wgmma_item *item)
{
    const uint32_t warp = w->id % WGMMA_WARPS;
    item->frame[warp] = w->now->frame;
    for (uint32_t reg = 0; inst->a_in_regs && reg < WGMMA_A_REGS; reg++)
        memcpy(item->a[warp][reg], row32(w, w->code->refs[inst->a.ref + reg]), sizeof item->a[warp][reg]);
    if (inst->sparse)
        memcpy(item->meta[warp], row32(w, inst->meta.ref), sizeof item->meta[warp]);
}

static enum exec_status exec_mma(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct wgmma_inst *const inst = d->extra;
    struct wgmma_pipe *const pipe = tw_wgmma_pipe_of(w->cta);
    struct wgmma_operands operands;
    if (!read_operands(w, inst, &operands))
        return EXEC_FAULT;
    struct wgmma_item *const item = tw_wgmma_enter(w, d, mask, WGMMA_ITEM_MMA, &operands);
    if (item == NULL)
        return EXEC_FAULT;
    if ((item->warps & (item->warps - 1)) == 0) { /* the first of the four */
        if ((!inst->a_in_regs && !check_desc(w, inst, "A", operands.a_desc)) || !check_desc(w, inst, "B", operands.b_desc))
            return EXEC_FAULT;
        item->op = tw_async_next_op(w->cluster);
        wgmma_group_of(pipe, w)->in_flight++;
    }
    capture(w, inst, item);
    if (!tw_wgmma_watch_issue(pipe, w, d, item))
        return EXEC_FAULT;
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_ISSUE, .op = item->op}, mask);
    return EXEC_NEXT;
}

/* ---- fence, commit_group, wait_group --------------------------------------------------------------------------- */

static enum exec_status exec_fence(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct wgmma_pipe *const pipe = tw_wgmma_pipe_of(w->cta);
    if (tw_wgmma_enter(w, d, mask, WGMMA_ITEM_FENCE, NULL) == NULL)
        return EXEC_FAULT;
    tw_wgmma_watch_fence(pipe, w);
    tw_wgmma_retire(pipe, wgmma_group_of(pipe, w));
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_FENCE, .fence = FENCE_WGMMA}, mask);
    return EXEC_NEXT;
}

static enum exec_status exec_commit(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct wgmma_pipe *const pipe = tw_wgmma_pipe_of(w->cta);
    const struct wgmma_item *const item = tw_wgmma_enter(w, d, mask, WGMMA_ITEM_COMMIT, NULL);
    if (item == NULL)
        return EXEC_FAULT;
    if ((item->warps & (item->warps - 1)) == 0)
        tw_wgmma_commit(wgmma_group_of(pipe, w));
    tw_wgmma_retire(pipe, wgmma_group_of(pipe, w));
    return EXEC_NEXT;
}

/* d->imm: how many of the latest groups may stay in flight. The instruction runs again when the products have landed. */
static enum exec_status exec_wait(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct wgmma_pipe *const pipe = tw_wgmma_pipe_of(w->cta);
    struct wgmma_group *const group = wgmma_group_of(pipe, w);
    struct wgmma_warp *const own = &group->warp[w->id % WGMMA_WARPS];
    if (own->waiting) {
        if (!own->released)
            return tw_wgmma_park(w);
        own->waiting = own->released = false;
        return EXEC_NEXT;
    }
    struct wgmma_item *const item = tw_wgmma_enter(w, d, mask, WGMMA_ITEM_WAIT, NULL);
    if (item == NULL)
        return EXEC_FAULT;
    if ((item->warps & (item->warps - 1)) == 0)
        item->group = group->committed > d->imm ? group->committed - d->imm : 0;
    if (tw_wgmma_must_wait(group, item)) {
        own->waiting = true;
        return tw_wgmma_park(w);
    }
    tw_wgmma_retire(pipe, group);
    return EXEC_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------------------------------- */

static bool decode_operand(struct decoder *dc, const struct ptx_inst *in, enum isa_role role, unsigned type, struct dop *out)
{
    return tw_decode_operand(dc, tw_ptx_operand(tw_decode_func(dc), in, role), type, out);
}

static bool decode_operands(struct decoder *dc, const struct ptx_inst *in, struct wgmma_inst *inst)
{
    inst->a_in_regs = tw_ptx_operand(tw_decode_func(dc), in, ROLE_A)->kind != OPERAND_NONE;
    return decode_operand(dc, in, ROLE_D, MOD_B32, &inst->d) &&
           decode_operand(dc, in, inst->a_in_regs ? ROLE_A : ROLE_ADESC, inst->a_in_regs ? MOD_B32 : MOD_B64, &inst->a) &&
           decode_operand(dc, in, ROLE_BDESC, MOD_B64, &inst->b) && decode_operand(dc, in, ROLE_META, MOD_B32, &inst->meta) &&
           decode_operand(dc, in, ROLE_SCALE_D, MOD_PRED, &inst->scale);
}

/* Immediates: signs, majorness, selector. */
static bool decode_immediates(struct decoder *dc, const struct ptx_inst *in, struct wgmma_inst *inst)
{
    int64_t sign_a, sign_b, trans_a, trans_b, selector;
    if (!tw_decode_immediate(dc, in, ROLE_IMM_SCALE_A, 1, &sign_a) || !tw_decode_immediate(dc, in, ROLE_IMM_SCALE_B, 1, &sign_b) ||
        !tw_decode_immediate(dc, in, ROLE_TRANS_A, 0, &trans_a) || !tw_decode_immediate(dc, in, ROLE_TRANS_B, 0, &trans_b) ||
        !tw_decode_immediate(dc, in, ROLE_SELECTOR, 0, &selector))
        return false;
    inst->how.negate_a = sign_a < 0;
    inst->how.negate_b = sign_b < 0;
    inst->a_mn_major = trans_a != 0;
    inst->b_mn_major = trans_b != 0;
    inst->selector = (uint32_t)selector;
    return true;
}

static bool decode_types(struct decoder *dc, const struct ptx_inst *in, struct wgmma_inst *inst)
{
    const unsigned shape = tw_ptx_mod(in, SLOT_SHAPE);
    struct num_dot_how *const how = &inst->how;
    enum num_arch arch;
    how->a = tw_decode_format(tw_ptx_mod(in, SLOT_ATYPE));
    how->b = tw_decode_format(tw_ptx_mod(in, SLOT_BTYPE));
    how->d = tw_decode_format(tw_ptx_mod(in, SLOT_DTYPE));
    how->saturate = tw_ptx_has(in, SLOT_SATFINITE);
    how->bits_and = tw_ptx_mod(in, SLOT_OP) == MOD_AND;
    const struct wgmma_class_row *const row = tw_wgmma_find(how->a, how->b, how->d);
    if (row == NULL || !tw_wgmma_n_legal(row, isa_shape_n(shape)) || isa_shape_k(shape) != (inst->sparse ? 2u * row->k : row->k))
        return tw_decode_unsupported(dc, in, "its shape and types are in no table of wgmma shapes");
    if (!tw_num_arch_of_sm(tw_decode_sm(dc), &arch) ||
        (inst->model = tw_num_dot_model(arch, NUM_WGMMA, NUM_PLAIN, how->a, how->b, how->d)) == NULL)
        return tw_decode_unsupported(dc, in, "no model of this arithmetic on this architecture is known");
    inst->n = isa_shape_n(shape);
    inst->k = isa_shape_k(shape);
    inst->stored_k = inst->sparse ? inst->k / 2 : inst->k;
    inst->elem_bits = row->elem_bits;
    inst->d_bits = tw_num_bits(how->d);
    inst->d_regs = wgmma_d_regs(inst->n, inst->d_bits);
    inst->tile = tw_num_tile_best();
    return true;
}

static bool prepare_mma(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct wgmma_inst *const inst = arena_new(tw_decode_arena(dc), struct wgmma_inst, 1);
    inst->sparse = in->form->op == OP_WGMMA_SP;
    inst->name = inst->sparse ? "wgmma.mma_async.sp" : "wgmma.mma_async";
    d->run = exec_mma;
    d->extra = inst;
    if (!decode_types(dc, in, inst) || !decode_immediates(dc, in, inst) || !decode_operands(dc, in, inst))
        return false;
    if (!inst->sparse)
        return true;
    if (inst->selector >= tw_mma_sp_selectors(inst->elem_bits, inst->k))
        return tw_decode_unsupported(dc, in, "its sparsity selector names lanes that hold no metadata");
    if (!tw_num_sparse_known(inst->model))
        return tw_decode_unsupported(dc, in, "the order of its sums on the module's target is not known");
    return true;
}

static bool prepare_group(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const enum isa_op op = in->form->op;
    int64_t groups = 0;
    d->run = op == OP_WGMMA_FENCE ? exec_fence : op == OP_WGMMA_COMMIT_GROUP ? exec_commit : exec_wait;
    if (op == OP_WGMMA_WAIT_GROUP && !tw_decode_immediate(dc, in, in->form->operands[0].role, 0, &groups))
        return false;
    d->imm = groups < 0 ? 0 : (uint64_t)groups;
    return true;
}

const struct op_row tw_ops_wgmma[] = {
    {OP_WGMMA, prepare_mma}, {OP_WGMMA_SP, prepare_mma}, {OP_WGMMA_FENCE, prepare_group}, {OP_WGMMA_COMMIT_GROUP, prepare_group},
    {OP_WGMMA_WAIT_GROUP, prepare_group}, {OP_NONE, NULL},
};
