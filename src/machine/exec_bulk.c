/* Bulk and tensor copies, asynchronous stores and reductions to other CTAs: the instructions. Each lane issues an operation
 * of its own. All that can be judged from the operands is judged here; the engine (copy_engine.h) moves the bytes later.
 * SOURCE: PTX ISA, cp.async.bulk, cp.reduce.async.bulk, cp.async.bulk.tensor, st.async, red.async; ptx-async.md 4.2 to 4.9, 5.4. */
#include "machine/copy_engine.h"

#include "machine/decode.h"
#include "machine/exec_lanes.h"
#include "machine/mbarrier.h"
#include "machine/run.h"

#include <inttypes.h>

enum { BULK_ALIGN = 16, TENSOR_ALIGN = 128 };

static struct arena *texts(const struct warp *w)
{
    return w->cluster->diags->arena;
}

/* ---- Operands --------------------------------------------------------------------------------- */

static bool aligned(struct warp *w, unsigned lane, const struct bulk_inst *inst, const char *what, uint64_t address, uint32_t align)
{
    if (address % align == 0)
        return true;
    tw_fault(w, lane, E0780,
             &(struct fault_note){.expected = tw_format(texts(w), "a multiple of %u", align),
                                  .found = tw_format(texts(w), "0x%" PRIx64 ", %u over", address, (unsigned)(address % align))},
             "%s: the %s is not aligned", inst->name, what);
    return false;
}

static bool legal_size(struct warp *w, unsigned lane, const struct bulk_inst *inst, uint32_t bytes)
{
    if (bytes % BULK_ALIGN == 0)
        return true;
    tw_fault(w, lane, E0780,
             &(struct fault_note){.expected = "a multiple of 16", .found = tw_format(texts(w), "%u bytes", bytes),
                                  .fix = "copy the rest with ordinary instructions"},
             "%s: the size is no multiple of 16", inst->name);
    return false;
}

/* Which CTAs get the data, given the address of one of them. */
static bool find_targets(struct warp *w, struct bulk_op *op, uint32_t to_rank)
{
    const struct bulk_inst *const inst = op->inst;
    op->targets = UINT32_C(1) << to_rank;
    if (!inst->multicast)
        return true;
    op->targets = (uint16_t)lane_word(w, &inst->mask, op->lane);
    const uint32_t there = (UINT32_C(1) << w->cluster->cta_count) - 1;
    if ((op->targets & ~there) == 0)
        return true;
    tw_fault(w, op->lane, E0785,
             &(struct fault_note){.expected = tw_format(texts(w), "bits 0 to %u: the cluster has %u CTA%s", w->cluster->cta_count - 1,
                                                         w->cluster->cta_count, w->cluster->cta_count == 1 ? "" : "s"),
                                  .found = tw_format(texts(w), "mask 0x%x", op->targets)},
             "%s: the multicast mask names CTAs that the cluster does not have", inst->name);
    return false;
}

static bool targets_run(struct warp *w, const struct bulk_op *op)
{
    FOR_LANES(rank, op->targets)
        if (w->cluster->ctas[rank].ended) {
            tw_fault(w, op->lane, E0786, &(struct fault_note){.fix = "let every CTA of the cluster wait at a cluster barrier before it exits"},
                     "%s: CTA %u of the cluster, which is to receive the data, has ended", op->inst->name, rank);
            return false;
        }
    return true;
}

/* The barrier is where the data goes; with .cta_group::2 it may be in the pair of that CTA. */
static bool barrier_fits(struct warp *w, const struct bulk_op *op, uint32_t to_rank)
{
    const struct bulk_inst *const inst = op->inst;
    const uint32_t rank = op->mbar >> 24;
    if (inst->cta_group == 2 && (to_rank | 1) >= w->cluster->cta_count) {
        tw_fault(w, op->lane, E0785, &(struct fault_note){.expected = "a cluster whose CTAs come in pairs"},
                 "%s: .cta_group::2 with a CTA that has no pair", inst->name);
        return false;
    }
    if (rank == to_rank || (inst->cta_group == 2 && (rank ^ 1) == to_rank))
        return true;
    tw_fault(w, op->lane, E0785,
             &(struct fault_note){.expected = inst->cta_group == 2 ? "a barrier in the CTA that receives the data, or in its pair"
                                                                   : "a barrier in the CTA that receives the data",
                                  .found = tw_format(texts(w), "data for CTA %u, a barrier of CTA %u", to_rank, rank)},
             "%s: the barrier lies in the wrong CTA", inst->name);
    return false;
}

/* The barriers that will be signalled must be there: their initialisation precedes the issue. */
static bool barrier_lives(struct warp *w, const struct bulk_op *op, uint32_t mbar)
{
    struct mbar *object;
    struct mbar_report report;
    struct cta *const cta = &w->cluster->ctas[mbar >> 24];
    const struct mbar_outcome outcome = {.lookup = tw_mbar_find(cta, mbar & 0xffffff, &object)};
    if (!tw_mbar_report(texts(w), op->inst->name, cta, mbar & 0xffffff, (struct mbar_update){0}, &outcome, &report))
        return true;
    tw_fault(w, op->lane, report.code, &report.note, "%s", report.message);
    return false;
}

static bool find_barrier(struct warp *w, struct bulk_op *op, uint32_t to_rank)
{
    const struct bulk_inst *const inst = op->inst;
    return tw_shared_target(w, op->lane, inst->generic, lane_address(w, &inst->mbar, op->lane), MBAR_BYTES, 0, inst->peers, &op->mbar) != NULL &&
           barrier_fits(w, op, to_rank) && find_targets(w, op, to_rank) && targets_run(w, op) && barrier_lives(w, op, op->mbar);
}

static bool find_global(struct warp *w, struct bulk_op *op, const struct dop *o, const char *what, bool write)
{
    op->global = lane_address(w, o, op->lane);
    return aligned(w, op->lane, op->inst, what, op->global, BULK_ALIGN) &&
           (op->bytes == 0 || tw_access(w, op->lane, SPACE_GLOBAL, op->global, op->bytes, 1, write) != NULL);
}

static bool find_shared(struct warp *w, struct bulk_op *op, const struct dop *o, const char *what, uint32_t align, uint32_t bytes, bool peers,
                        uint32_t *out)
{
    const uint64_t address = lane_address(w, o, op->lane);
    return aligned(w, op->lane, op->inst, what, (uint32_t)address, align) &&
           tw_shared_target(w, op->lane, false, address, bytes, 1, peers, out) != NULL;
}

/* ---- Bulk copies ------------------------------------------------------------------------------ */

static bool make_load(struct warp *w, struct bulk_op *op)
{
    const struct bulk_inst *const inst = op->inst;
    return find_shared(w, op, &inst->dst, "destination address", BULK_ALIGN, op->bytes, inst->peers, &op->shared) &&
           find_global(w, op, &inst->src, "source address", false) && find_barrier(w, op, op->shared >> 24);
}

static bool make_to_peer(struct warp *w, struct bulk_op *op)
{
    const struct bulk_inst *const inst = op->inst;
    if ((uint32_t)lane_address(w, &inst->dst, op->lane) >> 24 == w->cta->rank) { /* MEASURED: illegal instruction */
        tw_fault(w, op->lane, E0785, &(struct fault_note){.expected = "a destination in another CTA of the cluster", .found = "the executing CTA"},
                 "%s: a copy between shared memories stays in its CTA", inst->name);
        return false;
    }
    return find_shared(w, op, &inst->dst, "destination address", BULK_ALIGN, op->bytes, true, &op->peer) &&
           find_shared(w, op, &inst->src, "source address", BULK_ALIGN, op->bytes, false, &op->shared) && find_barrier(w, op, op->peer >> 24);
}

static bool make_store(struct warp *w, struct bulk_op *op)
{
    const struct bulk_inst *const inst = op->inst;
    if (inst->masked)
        op->byte_mask = (uint16_t)lane_word(w, &inst->mask, op->lane);
    return find_shared(w, op, &inst->src, "source address", BULK_ALIGN, op->bytes, false, &op->shared) &&
           find_global(w, op, &inst->dst, "destination address", true);
}

static enum exec_status exec_bulk(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct bulk_inst *const inst = d->extra;
    FOR_LANES(lane, mask) {
        struct bulk_op *const op = tw_bulk_op_new(w, d, lane);
        op->bytes = (uint32_t)lane_word(w, &inst->bytes, lane);
        if (!legal_size(w, lane, inst, op->bytes))
            return EXEC_FAULT;
        const bool made = inst->kind == BULK_LOAD                                              ? make_load(w, op)
                          : inst->kind == BULK_TO_PEER || inst->kind == BULK_TO_PEER_REDUCE ? make_to_peer(w, op)
                                                                                               : make_store(w, op);
        if (!made)
            return EXEC_FAULT;
        tw_bulk_issue(w, op);
    }
    return EXEC_NEXT;
}

/* Caches have no meaning for results: only the operands are looked at. */
static enum exec_status exec_prefetch(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct bulk_inst *const inst = d->extra;
    FOR_LANES(lane, mask)
        if (!legal_size(w, lane, inst, (uint32_t)lane_word(w, &inst->bytes, lane)) ||
            !aligned(w, lane, inst, "source address", lane_address(w, &inst->src, lane), BULK_ALIGN))
            return EXEC_FAULT;
    return EXEC_NEXT;
}

/* ---- Tensor copies ---------------------------------------------------------------------------- */

static bool plan_tensor(struct warp *w, unsigned lane, const struct bulk_inst *inst, struct tensor_copy *copy, bool writes)
{
    struct tensor_trouble trouble;
    *copy = (struct tensor_copy){.mode = inst->mode};
    copy->map = tw_bulk_map(w, lane, inst, lane_address(w, &inst->map, lane));
    if (copy->map == NULL)
        return false;
    for (uint32_t i = 0; i < inst->coord_count; i++)
        copy->at[i] = (int32_t)lane_word(w, &inst->coords[i], lane);
    for (uint32_t i = 0; i < inst->info_count; i++)
        copy->offset[i] = (uint16_t)lane_word(w, &inst->info[i], lane);
    if (tw_tensor_copy_plan(copy, inst->rank, writes, texts(w), &trouble))
        return true;
    tw_fault(w, lane, trouble.code, &(struct fault_note){.expected = trouble.expected, .found = trouble.found, .fix = trouble.fix}, "%s: %s",
             inst->name, trouble.what);
    return false;
}

static bool find_reduction(struct warp *w, struct bulk_op *op)
{
    static const char *const names[] = {[ATOM_AND] = "and", [ATOM_OR] = "or",   [ATOM_XOR] = "xor", [ATOM_ADD] = "add",
                                        [ATOM_INC] = "inc", [ATOM_DEC] = "dec", [ATOM_MIN] = "min", [ATOM_MAX] = "max"};
    if (tw_tensor_reduction(op->inst->op, op->copy.map->type, &op->reduce))
        return true;
    tw_fault(w, op->lane, E0784,
             &(struct fault_note){.expected = tw_format(texts(w), "an element type that .%s works on", names[op->inst->op]),
                                  .found = tw_tensor_map_type(op->copy.map->type)->name,
                                  .spec = "PTX ISA, cp.reduce.async.bulk.tensor"},
             "%s: the operation does not fit the element type of the tensor map", op->inst->name);
    return false;
}

static enum exec_status exec_tensor(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct bulk_inst *const inst = d->extra;
    const bool load = inst->kind == BULK_TENSOR_LOAD;
    FOR_LANES(lane, mask) {
        struct bulk_op *const op = tw_bulk_op_new(w, d, lane);
        if (!plan_tensor(w, lane, inst, &op->copy, !load))
            return EXEC_FAULT;
        op->bytes = op->copy.bytes;
        if (!find_shared(w, op, load ? &inst->dst : &inst->src, load ? "destination address" : "source address", TENSOR_ALIGN,
                         op->copy.extent, load && inst->peers, &op->shared))
            return EXEC_FAULT;
        if (load && !find_barrier(w, op, op->shared >> 24))
            return EXEC_FAULT;
        if (inst->kind == BULK_TENSOR_REDUCE && !find_reduction(w, op))
            return EXEC_FAULT;
        tw_bulk_issue(w, op);
    }
    return EXEC_NEXT;
}

static enum exec_status exec_tensor_prefetch(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, mask) {
        struct tensor_copy copy;
        if (!plan_tensor(w, lane, d->extra, &copy, false))
            return EXEC_FAULT;
    }
    return EXEC_NEXT;
}

/* ---- st.async, red.async ---------------------------------------------------------------------- */

static void take_words(const struct warp *w, struct bulk_op *op)
{
    const struct bulk_inst *const inst = op->inst;
    const uint32_t *const refs = inst->value.count != 0 ? w->code->refs + inst->value.ref : &inst->value.ref;
    for (uint32_t i = 0; i < inst->words; i++) {
        const struct dop element = {.ref = refs[i], .bytes = inst->value.bytes};
        const uint64_t word = lane_word(w, &element, op->lane);
        memcpy(op->word + (size_t)i * inst->word_bytes, &word, inst->word_bytes);
    }
}

static enum exec_status exec_word(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct bulk_inst *const inst = d->extra;
    FOR_LANES(lane, mask) {
        struct bulk_op *const op = tw_bulk_op_new(w, d, lane);
        op->bytes = inst->word_bytes * inst->words;
        if (tw_shared_target(w, lane, inst->generic, lane_address(w, &inst->dst, lane), op->bytes, 0, true, &op->shared) == NULL ||
            !find_barrier(w, op, op->shared >> 24))
            return EXEC_FAULT;
        take_words(w, op);
        tw_bulk_issue(w, op);
    }
    return EXEC_NEXT;
}

/* The forms on global memory have no completion mechanism but their release: they are performed where they stand. */
static enum exec_status exec_word_global(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct bulk_inst *const inst = d->extra;
    FOR_LANES(lane, mask) {
        const uint64_t address = lane_address(w, &inst->dst, lane), value = lane_word(w, &inst->value, lane);
        uint8_t *const at = tw_access(w, lane, SPACE_GLOBAL, address, inst->word_bytes, 0, true);
        if (at == NULL)
            return EXEC_FAULT;
        const bool reduces = inst->kind == BULK_WORD_REDUCE;
        if (reduces)
            tw_reduce_bytes(&inst->reduce, at, (const uint8_t *)&value, inst->word_bytes, true);
        else
            memcpy(at, &value, inst->word_bytes);
        if (observed(w->cluster))
            tw_emit(w, &(struct machine_event){.kind = EVENT_ACCESS, .lane = lane, .space = SPACE_GLOBAL, .address = address,
                                               .bytes = inst->word_bytes, .read = reduces, .write = true, .strong = true, .release = true,
                                               .scope = (enum scope)d->mod[0]},
                    UINT32_C(1) << lane);
    }
    w->cluster->changes++;
    return EXEC_NEXT;
}

/* ---- Groups ----------------------------------------------------------------------------------- */

static enum exec_status exec_commit(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    tw_bulk_commit(w->cta, w->id, mask);
    return EXEC_NEXT;
}

static enum exec_status exec_wait(struct warp *w, const struct dinst *d, uint32_t mask)
{
    return tw_bulk_wait(w, mask, (uint32_t)d->imm, d->mod[0] != 0);
}

static bool prepare_commit(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    (void)in;
    d->run = exec_commit;
    return true;
}

static bool prepare_wait(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    int64_t groups;
    if (!tw_decode_immediate(dc, in, ROLE_N, 0, &groups))
        return false;
    d->imm = groups < 0 || groups > UINT32_MAX ? UINT32_MAX : (uint64_t)groups;
    d->mod[0] = tw_ptx_has(in, SLOT_READ);
    d->run = exec_wait;
    return true;
}

/* ---- Decoding --------------------------------------------------------------------------------- */

static bool decode_role(struct decoder *dc, const struct ptx_inst *in, enum isa_role role, struct dop *out)
{
    const int at = in->form->operand_of[role];
    *out = (struct dop){.ref = REF_NONE};
    if (at < 0)
        return true;
    const struct isa_spelling spelling = tw_ptx_spelling(in);
    return tw_decode_operand(dc, tw_ptx_operand(tw_decode_func(dc), in, role), tw_isa_operand_type(&spelling, (unsigned)at), out);
}

/* The modifiers and operands that copies share. */
static struct bulk_inst *decode_common(struct decoder *dc, const struct ptx_inst *in, enum bulk_kind kind, struct dinst *d)
{
    struct bulk_inst *const inst = arena_new(tw_decode_arena(dc), struct bulk_inst, 1);
    inst->name = in->form->opcode;
    inst->kind = kind;
    inst->sm = tw_decode_sm(dc);
    inst->cta_group = tw_ptx_mod(in, SLOT_CTA_GROUP) == MOD_CTA_GROUP_2 ? 2 : 1;
    inst->multicast = tw_ptx_has(in, SLOT_MULTICAST);
    inst->masked = tw_ptx_has(in, SLOT_CP_MASK);
    inst->peers = tw_ptx_mod(in, SLOT_SPACE) == MOD_SHARED_CLUSTER;
    d->extra = inst;
    const bool ok = decode_role(dc, in, ROLE_DST, &inst->dst) && decode_role(dc, in, ROLE_SRC, &inst->src) &&
                    decode_role(dc, in, ROLE_BYTES, &inst->bytes) && decode_role(dc, in, ROLE_MBAR, &inst->mbar) &&
                    decode_role(dc, in, ROLE_MASK, &inst->mask);
    return ok ? inst : NULL;
}

static void decode_reduction(const struct ptx_inst *in, struct atom_call *c)
{
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE);
    c->op = tw_atom_op(tw_ptx_mod(in, SLOT_OP));
    c->format = tw_decode_format(type);
    c->bits = isa_type_bits(type);
    c->halves = 1;
    c->is_float = tw_num_is_float(c->format);
    c->is_signed = isa_mod_row(type)->type_class == TYPE_SIGNED;
    c->ftz = false; /* MEASURED: .f32 keeps subnormals, though the ISA says that it flushes them */
}

static bool prepare_bulk(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static const struct { uint16_t op; uint8_t kind; } rows[] = {
        {OP_BULK_LOAD, BULK_LOAD},           {OP_BULK_COPY_CLUSTER, BULK_TO_PEER},        {OP_BULK_REDUCE_CLUSTER, BULK_TO_PEER_REDUCE},
        {OP_BULK_STORE, BULK_STORE},         {OP_BULK_REDUCE_GLOBAL, BULK_STORE_REDUCE}, {OP_BULK_PREFETCH, BULK_PREFETCH},
    };
    enum bulk_kind kind = BULK_LOAD;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == in->form->op)
            kind = (enum bulk_kind)rows[i].kind;
    struct bulk_inst *const inst = decode_common(dc, in, kind, d);
    if (inst == NULL)
        return false;
    if (kind == BULK_TO_PEER_REDUCE || kind == BULK_STORE_REDUCE)
        decode_reduction(in, &inst->reduce);
    d->run = kind == BULK_PREFETCH ? exec_prefetch : exec_bulk;
    return true;
}

static bool decode_vector(struct decoder *dc, const struct ptx_operand *o, uint32_t first, unsigned type, uint32_t most, struct dop *out, uint32_t *count)
{
    const struct ptx_operand *const elements = tw_ptx_elements(tw_decode_func(dc), o);
    *count = 0;
    for (uint32_t i = first; i < o->count && *count < most; i++)
        if (!tw_decode_operand(dc, &elements[i], type, &out[(*count)++]))
            return false;
    return true;
}

static bool decode_tensor_operands(struct decoder *dc, const struct ptx_inst *in, struct bulk_inst *inst)
{
    const struct ptx_func *const f = tw_decode_func(dc);
    const struct ptx_operand *const map = tw_ptx_operand(f, in, ROLE_MAP), *const info = tw_ptx_operand(f, in, ROLE_INFO);
    if (!tw_decode_operand(dc, tw_ptx_elements(f, map), MOD_B64, &inst->map) ||
        !decode_vector(dc, map, 1, MOD_S32, TENSOR_MAP_RANK, inst->coords, &inst->coord_count))
        return false;
    return info->kind == OPERAND_NONE || decode_vector(dc, info, 0, MOD_B16, TENSOR_MAP_SPATIAL, inst->info, &inst->info_count);
}

static bool prepare_tensor(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const enum isa_op op = in->form->op;
    const unsigned mode = tw_ptx_mod(in, SLOT_LOAD_MODE);
    const enum bulk_kind kind = op == OP_TENSOR_LOAD     ? BULK_TENSOR_LOAD
                                : op == OP_TENSOR_STORE  ? BULK_TENSOR_STORE
                                : op == OP_TENSOR_REDUCE ? BULK_TENSOR_REDUCE
                                                         : BULK_TENSOR_PREFETCH;
    if (mode == MOD_IM2COL_W || mode == MOD_IM2COL_W_128)
        return tw_decode_unsupported(dc, in, "how pixels beyond the corners of W are walked in this mode is documented nowhere");
    struct bulk_inst *const inst = decode_common(dc, in, kind, d);
    if (inst == NULL || !decode_tensor_operands(dc, in, inst))
        return false;
    inst->rank = tw_ptx_mod(in, SLOT_DIM) - MOD_D1 + 1;
    inst->mode = mode == MOD_TILE_GATHER4 || mode == MOD_TILE_SCATTER4 ? COPY_ROWS
                 : mode == MOD_IM2COL || mode == MOD_IM2COL_NO_OFFS   ? COPY_IM2COL
                                                                      : COPY_TILE;
    inst->op = kind == BULK_TENSOR_REDUCE ? tw_atom_op(tw_ptx_mod(in, SLOT_OP)) : ATOM_ADD;
    d->run = kind == BULK_TENSOR_PREFETCH ? exec_tensor_prefetch : exec_tensor;
    return true;
}

static bool prepare_word(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const bool reduces = in->form->op == OP_RED_ASYNC;
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE), vec = tw_ptx_mod(in, SLOT_VEC);
    struct bulk_inst *const inst = decode_common(dc, in, reduces ? BULK_WORD_REDUCE : BULK_WORD, d);
    if (inst == NULL || !decode_role(dc, in, ROLE_ADDR, &inst->dst) || !decode_role(dc, in, reduces ? ROLE_B : ROLE_A, &inst->value))
        return false;
    inst->word_bytes = isa_type_bits(type) / 8;
    inst->words = vec == MOD_V2 ? 2 : vec == MOD_V4 ? 4 : 1;
    inst->peers = true;
    inst->generic = tw_ptx_mod(in, SLOT_SPACE) == MOD_NONE;
    if (reduces)
        decode_reduction(in, &inst->reduce);
    const bool global = in->form->operand_of[ROLE_MBAR] < 0;
    const enum scope scope = tw_decode_scope(tw_ptx_mod(in, SLOT_SCOPE));
    d->mod[0] = (uint8_t)scope;
    if (global)
        d->flags |= D_STRONG;
    d->run = global ? exec_word_global : exec_word;
    return true;
}

const struct op_row tw_ops_bulk[] = {
    {OP_BULK_LOAD, prepare_bulk},          {OP_BULK_COPY_CLUSTER, prepare_bulk},   {OP_BULK_STORE, prepare_bulk},
    {OP_BULK_PREFETCH, prepare_bulk},      {OP_BULK_REDUCE_GLOBAL, prepare_bulk},  {OP_BULK_REDUCE_CLUSTER, prepare_bulk},
    {OP_BULK_COMMIT_GROUP, prepare_commit}, {OP_BULK_WAIT_GROUP, prepare_wait},    {OP_TENSOR_LOAD, prepare_tensor},
    {OP_TENSOR_STORE, prepare_tensor},     {OP_TENSOR_REDUCE, prepare_tensor},     {OP_TENSOR_PREFETCH, prepare_tensor},
    {OP_ST_ASYNC, prepare_word},           {OP_RED_ASYNC, prepare_word},           {OP_NONE, NULL},
};
