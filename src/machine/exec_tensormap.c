/* Tensor maps as data of a kernel: tensormap.replace, tensormap.cp_fenceproxy and the proxy fence. Replacing is an ordinary
 * access to the whole 128 bytes; which uses see it is the copy engine's affair (copy_engine.h).
 * SOURCE: PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy", "membar, fence"; ptx-async.md 4.4, 7.3. */
#include "machine/copy_engine.h"

#include "machine/decode.h"
#include "machine/exec_lanes.h"
#include "machine/run.h"

#include <inttypes.h>

static struct arena *texts(const struct warp *w)
{
    return w->cluster->diags->arena;
}

static void emit_access(struct warp *w, unsigned lane, enum space space, uint64_t address, bool read, bool write)
{
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_ACCESS, .lane = lane, .space = space, .address = address, .bytes = TENSOR_MAP_BYTES,
                                           .read = read, .write = write},
                UINT32_C(1) << lane);
}

/* The space and address in it that an access of `space` at `address` touches. */
static enum space space_of(enum space space, uint64_t address, uint64_t *at)
{
    *at = address;
    enum space in = space == SPACE_GENERIC ? tw_generic_space(address, at) : space;
    if (in == SPACE_SHARED || in == SPACE_SHARED_CLUSTER) {
        *at = (uint32_t)*at;
        in = SPACE_SHARED;
    }
    return in;
}

/* ---- tensormap.replace ------------------------------------------------------------------------ */

struct replace_inst {
    enum tensor_map_field field;
    const char *name;   /* "global_dim" */
    uint32_t ordinal;
};

static void fault_replace(struct warp *w, unsigned lane, const struct replace_inst *r, enum tensor_map_replaced why, uint64_t value)
{
    static const struct { const char *what, *expected; } rows[] = {
        [TMAP_NO_MAP] = {"the operand is no tensor map", "a tensor map, or 128 bytes of zeros to build one in"},
        [TMAP_NO_ORDINAL] = {"the field has no such ordinal", "0 to 4; 0 to 3 for global_stride"},
        [TMAP_NO_VALUE] = {"the field has no such value", "a value of the table of tensormap.replace; for rank, the rank less 1"},
    };
    const char *const found = why == TMAP_NO_MAP       ? "other bytes"
                              : why == TMAP_NO_ORDINAL ? tw_format(texts(w), "%u", r->ordinal)
                                                       : tw_format(texts(w), "%" PRIu64, value);
    tw_fault(w, lane, E0788, &(struct fault_note){.expected = rows[why].expected, .found = found, .spec = "PTX ISA, tensormap.replace"},
             "tensormap.replace of %s: %s", r->name, rows[why].what);
}

/* op: address, value; imm: space */
static enum exec_status exec_replace(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct replace_inst *const r = d->extra;
    FOR_LANES(lane, mask) {
        const uint64_t address = lane_address(w, &d->op[0], lane), value = lane_word(w, &d->op[1], lane);
        uint8_t *const at = tw_access(w, lane, (enum space)d->imm, address, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, true);
        if (at == NULL)
            return EXEC_FAULT;
        const enum tensor_map_replaced done = tw_tensor_map_replace(at, r->field, r->ordinal, value);
        if (done != TMAP_REPLACED) {
            fault_replace(w, lane, r, done, value);
            return EXEC_FAULT;
        }
        uint64_t in_space;
        const enum space space = space_of((enum space)d->imm, address, &in_space);
        emit_access(w, lane, space, in_space, true, true);
    }
    w->cluster->changes++;
    return EXEC_NEXT;
}

static enum tensor_map_field field_of(unsigned mod)
{
    static const struct { uint16_t mod; uint8_t field; } rows[] = {
        {MOD_GLOBAL_ADDRESS, TMAP_FIELD_ADDRESS}, {MOD_RANK, TMAP_FIELD_RANK}, {MOD_BOX_DIM, TMAP_FIELD_BOX}, {MOD_GLOBAL_DIM, TMAP_FIELD_DIMS},
        {MOD_GLOBAL_STRIDE, TMAP_FIELD_STRIDES}, {MOD_ELEMENT_STRIDE, TMAP_FIELD_ELEMENT_STRIDES}, {MOD_ELEMTYPE, TMAP_FIELD_TYPE},
        {MOD_INTERLEAVE_LAYOUT, TMAP_FIELD_INTERLEAVE}, {MOD_SWIZZLE_MODE, TMAP_FIELD_SWIZZLE}, {MOD_SWIZZLE_ATOMICITY, TMAP_FIELD_ATOMICITY},
        {MOD_FILL_MODE, TMAP_FIELD_FILL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == mod)
            return (enum tensor_map_field)rows[i].field;
    return TMAP_FIELD_MODE; /* which tensormap.replace has not: no ordinal of it is legal */
}

enum { SWIZZLE_96B = 4 }; /* SOURCE: PTX ISA, tensormap.replace, .swizzle_mode */

static bool prepare_replace(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct replace_inst *const r = arena_new(tw_decode_arena(dc), struct replace_inst, 1);
    const unsigned field = tw_ptx_mod(in, SLOT_FIELD);
    int64_t ordinal, value;
    if (!tw_decode_immediate(dc, in, ROLE_ORD, 0, &ordinal) || !tw_decode_role(dc, in, ROLE_ADDR, d, 0) || !tw_decode_role(dc, in, ROLE_VALUE, d, 1))
        return false;
    r->field = field_of(field);
    if (r->field == TMAP_FIELD_SWIZZLE && tw_decode_immediate(dc, in, ROLE_VALUE, 0, &value) && value == SWIZZLE_96B)
        return tw_decode_unsupported(dc, in, "where swizzle 96B puts a row is documented nowhere");
    r->name = isa_mod_row(field)->text;
    r->ordinal = (uint32_t)ordinal;
    d->extra = r;
    d->imm = tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    d->run = exec_replace;
    return true;
}

/* ---- tensormap.cp_fenceproxy ------------------------------------------------------------------ */

/* op: destination in global memory, source in shared memory; mod[0]: scope. The warp makes one copy; lanes that name other
 * places make theirs. */
static enum exec_status exec_cp_fenceproxy(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t last_to = 0, last_from = 0;
    bool any = false;
    FOR_LANES(lane, mask) {
        const uint64_t to = lane_address(w, &d->op[0], lane), from = lane_address(w, &d->op[1], lane);
        if (any && to == last_to && from == last_from)
            continue;
        const uint8_t *const source = tw_access(w, lane, SPACE_SHARED, from, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, false);
        uint8_t *const target = source == NULL ? NULL : tw_access(w, lane, SPACE_GLOBAL, to, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, true);
        if (target == NULL)
            return EXEC_FAULT;
        memcpy(target, source, TENSOR_MAP_BYTES);
        emit_access(w, lane, SPACE_SHARED, (uint32_t)from, true, false);
        emit_access(w, lane, SPACE_GLOBAL, to, false, true);
        last_to = to;
        last_from = from;
        any = true;
    }
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_FENCE, .fence = FENCE_PROXY_TENSORMAP, .scope = (enum scope)d->mod[0], .release = true}, mask);
    w->cluster->changes++;
    return EXEC_NEXT;
}

static bool prepare_cp_fenceproxy(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->mod[0] = (uint8_t)tw_decode_scope(tw_ptx_mod(in, SLOT_SCOPE));
    d->run = exec_cp_fenceproxy;
    return tw_decode_role(dc, in, ROLE_DST, d, 0) && tw_decode_role(dc, in, ROLE_SRC, d, 1);
}

/* ---- fence.proxy.tensormap -------------------------------------------------------------------- */

/* op[0]: address of the acquire form; mod[0]: scope, mod[1]: acquire */
static enum exec_status exec_fence(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, d->mod[1] != 0 ? mask : 0) {
        const uint64_t address = lane_address(w, &d->op[0], lane);
        if (tw_access(w, lane, SPACE_GENERIC, address, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, false) == NULL)
            return EXEC_FAULT;
        tw_bulk_map_acquire(w->cta, address);
    }
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_FENCE, .fence = FENCE_PROXY_TENSORMAP, .scope = (enum scope)d->mod[0],
                                           .acquire = d->mod[1] != 0, .release = d->mod[1] == 0},
                mask);
    return EXEC_NEXT;
}

static bool prepare_fence(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->mod[0] = (uint8_t)tw_decode_scope(tw_ptx_mod(in, SLOT_SCOPE));
    d->mod[1] = tw_ptx_mod(in, SLOT_SEM) == MOD_ACQUIRE;
    d->run = exec_fence;
    return tw_decode_role(dc, in, ROLE_ADDR, d, 0);
}

const struct op_row tw_ops_tensormap[] = {
    {OP_TENSORMAP_REPLACE, prepare_replace},
    {OP_TENSORMAP_CP_FENCEPROXY, prepare_cp_fenceproxy},
    {OP_FENCE_PROXY_TENSORMAP, prepare_fence},
    {OP_NONE, NULL},
};
