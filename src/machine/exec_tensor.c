/* Issue of the tcgen05 instructions that a single thread gives to the tensor pipe: mma in all forms,
 * cp, shift and commit. Every lane that executes one issues one. What can be judged from the operand
 * words alone is judged here, at the instruction; the rest when the operation is performed. */
#include "machine/exec_tensor.h"

#include "machine/run.h"

#include <string.h>

static struct arena *texts(const struct warp *w)
{
    return w->cluster->diags->arena;
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static bool fault_desc(struct warp *w, unsigned lane, const struct tensor_inst *inst, const char *which, uint64_t word,
                       const struct smem_fault_list *faults)
{
    const struct smem_fault *const f = &faults->at[0];
    const char *const more = faults->count > 1 ? tw_format(texts(w), " (and %u more illegal fields)", (unsigned)faults->count - 1) : "";
    tw_fault(w, lane, E0770,
             &(struct fault_note){.expected = tw_format(texts(w), "field '%s': %s", f->field->name, f->expected),
                                  .found = tw_format(texts(w), "%u in 0x%016llx%s", f->found, (unsigned long long)word, more),
                                  .spec = "PTX ISA, tcgen05, shared memory descriptor"},
             "%s: the shared memory descriptor of %s is illegal", inst->name, which);
    return false;
}

static bool fault_desc_use(struct warp *w, unsigned lane, const struct tensor_inst *inst, const char *which, uint64_t word,
                           const char *expected)
{
    tw_fault(w, lane, E0770,
             &(struct fault_note){.expected = expected, .found = tw_format(texts(w), "0x%016llx", (unsigned long long)word),
                                  .spec = "PTX ISA, tcgen05, canonical layouts"},
             "%s: the shared memory descriptor of %s does not fit the instruction", inst->name, which);
    return false;
}

static bool check_desc(struct warp *w, unsigned lane, const struct tensor_inst *inst, const char *which, uint64_t word,
                       unsigned elem_bits, bool mn_major, bool k96)
{
    struct smem_desc desc;
    struct smem_fault_list faults;
    if (!tw_smem_desc_decode(SMEM_DESC_TCGEN05, word, &desc, &faults))
        return fault_desc(w, lane, inst, which, word, &faults);
    const char *const refusal = tw_smem_layout_refusal(desc.mode, elem_bits, mn_major);
    if (refusal != NULL)
        return fault_desc_use(w, lane, inst, which, word, refusal);
    if (desc.lead_absolute && (!k96 || mn_major || desc.mode != SWIZZLE_128B))
        return fault_desc_use(w, lane, inst, which, word, "an absolute leading address only with K 96, K-major, 128B");
    return true;
}

/* ---- The instruction descriptor --------------------------------------------------------------- */

static bool check_idesc(struct warp *w, unsigned lane, const struct tensor_inst *inst, uint32_t word)
{
    struct idesc_fault_list faults;
    if (!tw_idesc_check(&inst->form, word, &faults)) {
        const struct idesc_fault *const f = &faults.at[0];
        const char *const more = faults.count > 1 ? tw_format(texts(w), " (and %u more illegal fields)", (unsigned)faults.count - 1) : "";
        tw_fault(w, lane, E0771,
                 &(struct fault_note){.expected = tw_format(texts(w), "field '%s': %s", f->field->name, f->expected),
                                      .found = tw_format(texts(w), "%u in 0x%08x, %u bit%s from bit %u%s", f->found, word,
                                                         f->field->width, f->field->width == 1 ? "" : "s", f->field->low, more),
                                      .spec = "PTX ISA, tcgen05, instruction descriptor"},
                 "%s.kind::%s: the instruction descriptor is illegal", inst->name, tw_tc_kinds[inst->form.kind].name);
        return false;
    }
    struct idesc desc;
    tw_idesc_decode(inst->form.kind, word, &desc);
    if (desc.k96 == 0 || inst->sm == 103)
        return true;
    tw_fault(w, lane, E0771,
             &(struct fault_note){.expected = "field 'K 96': 0 for this target", .found = tw_format(texts(w), "1 in 0x%08x", word)},
             "%s.kind::%s: a K of 96 exists on sm_103a only", inst->name, tw_tc_kinds[inst->form.kind].name);
    return false;
}

/* ---- Collector buffers ------------------------------------------------------------------------ */

/* SOURCE: PTX ISA, tcgen05.mma, "Collector buffers": use and lastuse need a valid fill of the same operand. The result is
 * always computed from memory, which hardware may do at any time too. */
static bool collect(struct warp *w, unsigned lane, const struct tensor_op *op)
{
    const struct tensor_inst *const inst = op->inst;
    struct tensor_pipe *const pipe = w->cta->tensor_pipe;
    const unsigned at = inst->collector;
    const uint64_t operand = at != COLLECTOR_A ? op->b_desc : inst->form.a_in_tmem ? op->a_taddr : op->a_desc;
    const bool uses = inst->use == COLLECTOR_USE || inst->use == COLLECTOR_LASTUSE;
    const bool same = pipe->collectors[at].valid && pipe->collectors[at].desc == operand && pipe->collectors[at].idesc == op->idesc;
    if (uses && !same) {
        tw_fault(w, lane, E0774,
                 &(struct fault_note){.expected = "an earlier .collector fill of the same operand, type and shape, still valid",
                                      .found = pipe->collectors[at].valid ? "a fill of another operand, type or shape" : "no valid fill",
                                      .spec = "PTX ISA, tcgen05.mma, collector buffers"},
                 "%s: a collector buffer is used without a valid fill", inst->name);
        return false;
    }
    pipe->collectors[at].valid = inst->use == COLLECTOR_FILL || inst->use == COLLECTOR_USE;
    pipe->collectors[at].desc = operand;
    pipe->collectors[at].idesc = op->idesc;
    return true;
}

/* ---- tcgen05.mma ------------------------------------------------------------------------------ */

static unsigned elem_bits(const struct tensor_inst *inst, uint16_t format)
{
    return inst->form.kind == TC_TF32 ? 32 : tw_num_bits((enum num_format)format);
}

/* SOURCE: PTX ISA, tcgen05.mma.ws, "Zero-column mask". */
static bool check_zero_mask(struct warp *w, unsigned lane, const struct tensor_op *op, const struct idesc *desc)
{
    const uint64_t reserved = UINT64_C(0xC000007000000000);
    const uint32_t shift = (uint32_t)(op->zero_mask >> 56 & 0x3f);
    const char *expected = NULL;
    if ((op->zero_mask & reserved) != 0)
        expected = "0 in the reserved bits 38:36 and 63:62";
    else if (shift > desc->max_shift)
        expected = "a shift of at most the maximum shift of the instruction descriptor";
    if (expected == NULL)
        return true;
    tw_fault(w, lane, E0773,
             &(struct fault_note){.expected = expected, .found = tw_format(texts(w), "0x%016llx", (unsigned long long)op->zero_mask),
                                  .spec = "PTX ISA, tcgen05.mma.ws, zero-column mask"},
             "%s: the zero-column mask is illegal", op->inst->name);
    return false;
}

static bool check_mma(struct warp *w, unsigned lane, const struct tensor_op *op)
{
    const struct tensor_inst *const inst = op->inst;
    struct idesc desc;
    if (!check_idesc(w, lane, inst, op->idesc))
        return false;
    tw_idesc_decode(inst->form.kind, op->idesc, &desc);
    if (!inst->form.a_in_tmem &&
        !check_desc(w, lane, inst, "A", op->a_desc, elem_bits(inst, desc.a_format), desc.a_mn_major != 0, desc.k96 != 0))
        return false;
    if (!check_desc(w, lane, inst, "B", op->b_desc, elem_bits(inst, desc.b_format), desc.b_mn_major != 0, desc.k96 != 0))
        return false;
    return !inst->form.ws || check_zero_mask(w, lane, op, &desc);
}

static uint64_t word_of(const struct warp *w, const struct tensor_inst *inst, enum tensor_operand at, unsigned lane)
{
    const struct dop *const o = &inst->op[at];
    if (o->ref == REF_NONE)
        return 0;
    return o->address ? lane_address(w, o, lane) : lane_word(w, o, lane);
}

static void capture(const struct warp *w, unsigned lane, struct tensor_op *op)
{
    const struct tensor_inst *const inst = op->inst;
    op->d = (uint32_t)word_of(w, inst, TENSOR_AT_D, lane);
    op->a_desc = word_of(w, inst, TENSOR_AT_A, lane);
    op->a_taddr = (uint32_t)op->a_desc;
    op->b_desc = word_of(w, inst, TENSOR_AT_B, lane);
    op->meta = (uint32_t)word_of(w, inst, TENSOR_AT_META, lane);
    op->idesc = (uint32_t)word_of(w, inst, TENSOR_AT_IDESC, lane);
    op->sfa = (uint32_t)word_of(w, inst, TENSOR_AT_SFA, lane) & 0x3fffffff; /* bits 31:30 of a scale address are not part of it */
    op->sfb = (uint32_t)word_of(w, inst, TENSOR_AT_SFB, lane) & 0x3fffffff;
    op->zero_mask = word_of(w, inst, TENSOR_AT_ZERO, lane);
    if (inst->op[TENSOR_AT_ENABLE].ref != REF_NONE)
        op->read_d = (lane_mask(w, &inst->op[TENSOR_AT_ENABLE]) >> lane & 1) != 0;
    for (unsigned i = 0; i < inst->mask_words; i++)
        op->mask[i] = row32(w, w->code->refs[inst->op[TENSOR_AT_MASK].ref + i])[lane];
}

static enum exec_status exec_mma(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct tensor_inst *const inst = d->extra;
    FOR_LANES(lane, mask) {
        struct cta *ctas[2];
        if (!tw_tensor_group(w, lane, inst->form.cta_group, ctas))
            return EXEC_FAULT;
        struct tensor_op *const op = tw_tensor_op_new(w, d, lane, TENSOR_MMA);
        capture(w, lane, op);
        if (!check_mma(w, lane, op) || !collect(w, lane, op) || tw_tensor_issue(w, op) != EXEC_NEXT)
            return EXEC_FAULT;
    }
    return EXEC_NEXT;
}

/* ---- cp, shift, commit ------------------------------------------------------------------------ */

static enum exec_status exec_cp(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct tensor_inst *const inst = d->extra;
    FOR_LANES(lane, mask) {
        struct cta *ctas[2];
        if (!tw_tensor_group(w, lane, inst->form.cta_group, ctas))
            return EXEC_FAULT;
        struct tensor_op *const op = tw_tensor_op_new(w, d, lane, TENSOR_CP);
        capture(w, lane, op);
        if (!check_desc(w, lane, inst, "the source", op->b_desc, 8, false, false) || tw_tensor_issue(w, op) != EXEC_NEXT)
            return EXEC_FAULT;
    }
    return EXEC_NEXT;
}

static enum exec_status exec_shift(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct tensor_inst *const inst = d->extra;
    FOR_LANES(lane, mask) {
        struct cta *ctas[2];
        if (!tw_tensor_group(w, lane, inst->form.cta_group, ctas))
            return EXEC_FAULT;
        struct tensor_op *const op = tw_tensor_op_new(w, d, lane, TENSOR_SHIFT);
        capture(w, lane, op);
        if ((op->d >> 16) % TMEM_QUADRANT_LANES != 0)
            return tw_fault(w, lane, E0763,
                            &(struct fault_note){.expected = "a lane that is a multiple of 32",
                                                 .found = tw_format(texts(w), "lane %u", op->d >> 16),
                                                 .spec = "PTX ISA, tcgen05.shift"},
                            "tcgen05.shift at a lane inside a quadrant");
        if (tw_tensor_issue(w, op) != EXEC_NEXT)
            return EXEC_FAULT;
    }
    return EXEC_NEXT;
}

enum { AT_MBAR, AT_MULTICAST };
enum { M_GENERIC };

static bool check_multicast(struct warp *w, unsigned lane, uint32_t ranks)
{
    if (ranks >> w->cluster->cta_count == 0)
        return true;
    tw_fault(w, lane, E0775,
             &(struct fault_note){.expected = tw_format(texts(w), "ranks below %u, the size of the cluster", w->cluster->cta_count),
                                  .found = tw_format(texts(w), "mask 0x%04x", ranks),
                                  .spec = "PTX ISA, tcgen05.commit"},
             "tcgen05.commit signals a CTA that the cluster does not have");
    return false;
}

static enum exec_status exec_commit(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct tensor_inst *const inst = d->extra;
    FOR_LANES(lane, mask) {
        struct cta *ctas[2];
        uint32_t address;
        if (!tw_tensor_group(w, lane, inst->form.cta_group, ctas))
            return EXEC_FAULT;
        const struct cta *const owner = tw_shared_target(w, lane, d->mod[M_GENERIC] != 0, lane_address(w, &d->op[AT_MBAR], lane), 8,
                                                         8, true, &address);
        if (owner == NULL)
            return EXEC_FAULT;
        struct tensor_op *const op = tw_tensor_op_new(w, d, lane, TENSOR_COMMIT);
        op->mbar = address;
        op->multicast = (uint16_t)(d->op[AT_MULTICAST].ref == REF_NONE ? 1u << owner->rank
                                                                       : (uint32_t)lane_word(w, &d->op[AT_MULTICAST], lane) & 0xffff);
        if (!check_multicast(w, lane, op->multicast) || tw_tensor_issue(w, op) != EXEC_NEXT)
            return EXEC_FAULT;
    }
    return EXEC_NEXT;
}

/* ---- Decoding ------------------------------------------------------------------------------- */

static struct tensor_inst *new_inst(struct decoder *dc, const struct ptx_inst *in, struct dinst *d, const char *name)
{
    struct tensor_inst *const inst = arena_new(tw_decode_arena(dc), struct tensor_inst, 1);
    inst->name = name;
    inst->form.cta_group = tw_decode_cta_group(in);
    inst->sm = (uint16_t)tw_decode_sm(dc);
    for (unsigned i = 0; i < TENSOR_OPERANDS; i++)
        inst->op[i].ref = REF_NONE;
    d->extra = inst;
    return inst;
}

static bool decode_operands(struct decoder *dc, const struct ptx_inst *in, struct tensor_inst *inst)
{
    static const struct { enum isa_role role; enum tensor_operand at; uint16_t type; } rows[] = {
        {ROLE_D, TENSOR_AT_D, MOD_B32},          {ROLE_TADDR, TENSOR_AT_D, MOD_B32},    {ROLE_ADESC, TENSOR_AT_A, MOD_B64},
        {ROLE_BDESC, TENSOR_AT_B, MOD_B64},      {ROLE_SDESC, TENSOR_AT_B, MOD_B64},    {ROLE_META, TENSOR_AT_META, MOD_B32},
        {ROLE_IDESC, TENSOR_AT_IDESC, MOD_B32},  {ROLE_SFA, TENSOR_AT_SFA, MOD_B32},    {ROLE_SFB, TENSOR_AT_SFB, MOD_B32},
        {ROLE_OUTPUT_MASK, TENSOR_AT_MASK, MOD_B32}, {ROLE_ENABLE_D, TENSOR_AT_ENABLE, MOD_PRED},
        {ROLE_ZERO_MASK, TENSOR_AT_ZERO, MOD_B64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ptx_operand *const o = tw_ptx_operand(tw_decode_func(dc), in, rows[i].role);
        if (o->kind == OPERAND_NONE)
            continue;
        if (!tw_decode_operand(dc, o, rows[i].type, &inst->op[rows[i].at]))
            return false;
    }
    inst->form.a_in_tmem = inst->op[TENSOR_AT_A].address;
    inst->mask_words = (uint8_t)inst->op[TENSOR_AT_MASK].count;
    return true;
}

/* "collector::a::fill", "collector::b2::lastuse": the buffer, and what is done with it. */
static void decode_collector(const struct ptx_inst *in, struct tensor_inst *inst)
{
    static const char *const uses[] = {"discard", "fill", "use", "lastuse"};
    inst->collector = inst->form.ws ? COLLECTOR_B0 : COLLECTOR_A;
    inst->use = COLLECTOR_DISCARD;
    if (!tw_ptx_has(in, SLOT_COLLECTOR))
        return;
    const char *const text = isa_mod_row(tw_ptx_mod(in, SLOT_COLLECTOR))->text + strlen("collector::");
    const char *const use = strstr(text, "::") + 2;
    if (text[0] == 'b')
        inst->collector = (uint8_t)(COLLECTOR_B0 + text[1] - '0');
    for (unsigned i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (strcmp(use, uses[i]) == 0)
            inst->use = (enum collector_use)i;
}

static const char *modifier_text(const struct ptx_inst *in, enum isa_slot slot)
{
    return tw_ptx_has(in, slot) ? isa_mod_row(tw_ptx_mod(in, slot))->text : "";
}

static bool decode_form(struct decoder *dc, const struct ptx_inst *in, struct tensor_inst *inst)
{
    const enum isa_op op = in->form->op;
    const char *const kind = modifier_text(in, SLOT_KIND);
    inst->form.kind = tw_tc_kind_find(tw_str(strncmp(kind, "kind::", 6) == 0 ? kind + 6 : kind));
    if (inst->form.kind == TC_KIND_COUNT)
        return tw_decode_unsupported(dc, in, "its kind is in no table of tensor core kinds");
    inst->form.ws = op == OP_TCGEN05_MMA_WS || op == OP_TCGEN05_MMA_WS_SP;
    inst->form.sparse = op == OP_TCGEN05_MMA_SP || op == OP_TCGEN05_MMA_WS_SP || op == OP_TCGEN05_MMA_SP_BLOCK_SCALE;
    if (!tw_tc_kinds[inst->form.kind].block_scale)
        return true;
    const struct tc_scale_row *const scale = tw_tc_scale_find(inst->form.kind, tw_str(modifier_text(in, SLOT_SCALE_VEC)));
    if (scale == NULL)
        return tw_decode_unsupported(dc, in, "its scale vector is in no table of tensor core scale vectors");
    inst->form.scale_vec = scale->vec;
    return true;
}

bool tw_prepare_tensor_mma(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct tensor_inst *const inst = new_inst(dc, in, d, "tcgen05.mma");
    int64_t scale_c;
    d->run = exec_mma;
    if (!tw_num_arch_of_sm(inst->sm, &inst->arch))
        return tw_decode_unsupported(dc, in, "no arithmetic of a tensor core is known for this target");
    if (!decode_form(dc, in, inst) || !decode_operands(dc, in, inst) ||
        !tw_decode_immediate(dc, in, ROLE_SCALE_INPUT_D, 0, &scale_c))
        return false;
    inst->scale_c_log2 = (uint8_t)scale_c;
    inst->ashift = tw_ptx_has(in, SLOT_ASHIFT);
    decode_collector(in, inst);
    return true;
}

static bool find_cp(const struct ptx_inst *in, enum tmem_cp *cp)
{
    const char *const shape = modifier_text(in, SLOT_SHAPE), *const multicast = modifier_text(in, SLOT_WARPX);
    for (int i = 0; i < TMEM_CP_COUNT; i++) {
        const struct tmem_cp_row *const row = &tw_tmem_cps[i];
        if (strcmp(row->shape, shape) == 0 && strcmp(row->multicast == NULL ? "" : row->multicast, multicast) == 0) {
            *cp = (enum tmem_cp)i;
            return true;
        }
    }
    return false;
}

bool tw_prepare_tensor_cp(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct tensor_inst *const inst = new_inst(dc, in, d, "tcgen05.cp");
    d->run = exec_cp;
    if (!find_cp(in, &inst->cp))
        return tw_decode_unsupported(dc, in, "its shape and multicast are in no table of tensor memory copies");
    const unsigned format = tw_ptx_mod(in, SLOT_SRC_FMT);
    inst->cp_bits = format == MOD_NONE ? 0 : format == MOD_B6X16_P32 ? 6 : 4;
    return decode_operands(dc, in, inst);
}

bool tw_prepare_tensor_shift(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct tensor_inst *const inst = new_inst(dc, in, d, "tcgen05.shift");
    d->run = exec_shift;
    return decode_operands(dc, in, inst);
}

bool tw_prepare_tensor_commit(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)new_inst(dc, in, d, "tcgen05.commit");
    d->run = exec_commit;
    d->mod[M_GENERIC] = !tw_ptx_has(in, SLOT_SPACE);
    return tw_decode_role(dc, in, ROLE_MBAR, d, AT_MBAR) && tw_decode_role(dc, in, ROLE_MASK, d, AT_MULTICAST);
}
