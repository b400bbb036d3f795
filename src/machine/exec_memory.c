/* Loads and stores. SOURCE: ptx-async.md 8.1.
 *
 * A wider register takes a load sign- or zero-extended by the instruction's type; a store takes the low
 * bits. Asynchronous engines see guest memory only through the scheduler, so program order holds here. */
#include "machine/exec_memory.h"

#include "machine/exec_lanes.h"
#include "machine/guest.h"
#include "machine/run.h"
#include "machine/tally.h"

/* d->imm: enum space; mod[0]: signed; mod[1]: strong; mod[2]: scope; mod[3]: 1 acquire, 2 release, 3 both */

void tw_emit_access(struct warp *w, const struct dinst *d, uint32_t lane, enum space space, uint64_t address, uint32_t bytes,
                    bool read, bool write)
{
    uint64_t at = address;
    if (space == SPACE_GENERIC)
        space = tw_generic_space(address, &at);
    tw_emit(w,
            &(struct machine_event){.kind = EVENT_ACCESS, .lane = lane, .space = space, .address = at, .bytes = bytes, .read = read,
                                    .write = write, .strong = d->mod[1], .scope = (enum scope)d->mod[2],
                                    .acquire = (d->mod[3] & 1) != 0, .release = (d->mod[3] & 2) != 0, .proxy = PROXY_GENERIC},
            UINT32_C(1) << lane);
}

static inline uint64_t read_element(const uint8_t *at, unsigned bytes)
{
    if (((uintptr_t)at & (bytes - 1)) == 0)
        return guest_load(at, bytes);
    uint64_t word = 0; /* a parameter of a call may lie anywhere */
    memcpy(&word, at, bytes);
    return word;
}

static inline uint64_t sign_fill(uint64_t word, unsigned bytes)
{
    const unsigned shift = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(word << shift) >> shift);
}

static void write_element(struct warp *w, const struct dinst *d, const struct dop *o, uint32_t ref, uint32_t lane, const uint8_t *at)
{
    if (o->bytes == 16) {
        uint8_t *const to = row(w, ref) + (size_t)16 * lane;
        memset(to, 0, 16);
        guest_read(to, at, d->elem_bytes);
        return;
    }
    uint64_t word = read_element(at, d->elem_bytes);
    if (d->mod[0])
        word = sign_fill(word, d->elem_bytes);
    if (o->bytes == 8)
        row64(w, ref)[lane] = word;
    else
        row32(w, ref)[lane] = o->bits >= 32 ? (uint32_t)word : (uint32_t)word & ((UINT32_C(1) << o->bits) - 1);
}

static void read_register(const struct warp *w, const struct dop *o, uint32_t ref, uint32_t lane, uint8_t *at, unsigned bytes)
{
    guest_write(at, row(w, ref) + (size_t)o->bytes * lane, bytes);
}

/* The rows of the data operand: one register or the elements of a vector. */
static const uint32_t *data_refs(const struct warp *w, const struct dop *o)
{
    return o->count != 0 ? w->code->refs + o->ref : &o->ref;
}

/* ---- Where the lanes' bytes are ------------------------------------------------------------------------- */

/* The distance between the addresses of neighbouring lanes when it is the same for all of mask and not negative. */
static bool stride_of(const struct warp *w, const struct dop *o, uint32_t mask, uint32_t *stride)
{
    enum { MOST = 1 << 20 };
    const uint32_t first = first_lane(mask), rest = mask & (mask - 1);
    if (rest == 0) {
        *stride = 0;
        return true;
    }
    const uint32_t gap = first_lane(rest) - first;
    uint64_t step, off = 0;
    if (o->bytes == 8) {
        const uint64_t *const at = row64(w, o->ref);
        step = (at[first + gap] - at[first]) / gap;
        for (uint32_t i = 0; i < LANES; i++)
            off |= (at[i] - at[first] - (uint64_t)((int64_t)i - (int64_t)first) * step) & (0 - (uint64_t)(mask >> i & 1));
    } else {
        const uint32_t *const at = row32(w, o->ref), step_32 = (at[first + gap] - at[first]) / gap;
        uint32_t off_32 = 0;
        for (uint32_t i = 0; i < LANES; i++)
            off_32 |= (at[i] - at[first] - (i - first) * step_32) & (0 - (mask >> i & 1));
        off = off_32;
        step = step_32;
    }
    *stride = (uint32_t)step;
    return off == 0 && step < MOST;
}

/* Host bytes of the first active lane when lane i accesses `bytes` (a power of two) at a constant distance from its neighbours,
 * all of it aligned and inside the allocation that the instruction touched last, or inside the CTA's shared memory.
 * NULL: lane by lane. Nothing is reported here. */
static uint8_t *in_a_row(struct warp *w, const struct dinst *d, const struct dop *o, uint32_t mask, uint32_t bytes, bool write,
                         uint32_t *stride)
{
    const enum space space = (enum space)d->imm;
    const uint32_t first = first_lane(mask), last = 31 - (uint32_t)__builtin_clz(mask);
    if ((o->bytes != 8 && o->bytes != 4) || !stride_of(w, o, mask, stride))
        return NULL;
    const uint64_t start = lane_address(w, o, first), length = (uint64_t)(last - first) * *stride + bytes;
    if (((start | *stride) & (bytes - 1)) != 0)
        return NULL;
    if (space == SPACE_GLOBAL || (space == SPACE_GENERIC && start < TW_WINDOW_SHARED)) {
        const struct allocation *const hit = &w->hits[d->origin % HIT_SLOTS];
        const uint64_t offset = start - hit->address;
        return offset < hit->bytes && length <= hit->bytes - offset && !(write && hit->read_only) ? hit->host + offset : NULL;
    }
    if (space != SPACE_SHARED)
        return NULL;
    const uint64_t offset = (uint32_t)start - (w->cta->rank << 24);
    return offset >= TW_SHARED_RESERVED_BYTES && offset <= w->cta->shared_bytes && length <= w->cta->shared_bytes - offset
               ? w->cta->shared + offset
               : NULL;
}

/* One event for lanes that store at a constant distance. */
static void emit_row(struct warp *w, const struct dinst *d, const struct dop *o, uint32_t mask, uint32_t bytes, uint32_t stride)
{
    const uint32_t first = first_lane(mask);
    tw_emit(w,
            &(struct machine_event){.kind = EVENT_ACCESS, .lane = first, .space = SPACE_SHARED, .address = lane_address(w, o, first),
                                    .bytes = bytes, .stride = stride, .write = true, .strong = d->mod[1], .scope = (enum scope)d->mod[2],
                                    .release = d->mod[3] == 2, .proxy = PROXY_GENERIC},
            mask);
}

/* The host bytes of every active lane; false after a fault. */
static bool find_lanes(struct warp *w, const struct dinst *d, const struct dop *o, uint32_t mask, bool write, uint8_t *at[LANES])
{
    const uint32_t bytes = (uint32_t)d->elem_bytes * d->elems, first = first_lane(mask);
    uint32_t stride;
    uint8_t *const start = observes_lanes(w->cluster) ? NULL : in_a_row(w, d, o, mask, bytes, write, &stride);
    if (start != NULL) {
        if (write && observed(w->cluster) && d->imm == SPACE_SHARED)
            emit_row(w, d, o, mask, bytes, stride);
        FOR_LANES(lane, mask)
            at[lane] = start + (size_t)(lane - first) * stride;
        return true;
    }
    FOR_LANES(lane, mask) {
        const uint64_t address = lane_address(w, o, lane);
        at[lane] = access_at(w, d, lane, (enum space)d->imm, address, bytes, write);
        if (at[lane] == NULL)
            return false;
        if (observes_access(w->cluster, (uint64_t)d->imm, write))
            tw_emit_access(w, d, lane, (enum space)d->imm, address, bytes, !write, write);
    }
    return true;
}

/* ---- Loads and stores of any type ------------------------------------------------------------------------ */

#define MOVE_LANES(unit_type, statement) \
    do {                                 \
        FOR_LANES(lane, mask) {          \
            typedef unit_type unit;      \
            statement;                   \
        }                                \
    } while (0)

/* The words of element k, zero-extended. */
static void gather(uint8_t *const at[LANES], uint32_t mask, size_t offset, uint32_t bytes, uint64_t *words)
{
    if (bytes == 4)
        MOVE_LANES(uint32_t, words[lane] = TW_GUEST_LOAD(unit, at[lane] + offset));
    else if (bytes == 8)
        MOVE_LANES(uint64_t, words[lane] = TW_GUEST_LOAD(unit, at[lane] + offset));
    else if (bytes == 2)
        MOVE_LANES(uint16_t, words[lane] = TW_GUEST_LOAD(unit, at[lane] + offset));
    else
        MOVE_LANES(uint8_t, words[lane] = TW_GUEST_LOAD(unit, at[lane] + offset));
}

static void scatter(uint8_t *const at[LANES], uint32_t mask, size_t offset, uint32_t bytes, const struct warp *w, const struct dop *o)
{
    if (bytes == 4)
        MOVE_LANES(uint32_t, TW_GUEST_STORE(unit, at[lane] + offset, lane_word(w, o, lane)));
    else if (bytes == 8)
        MOVE_LANES(uint64_t, TW_GUEST_STORE(unit, at[lane] + offset, lane_word(w, o, lane)));
    else if (bytes == 2)
        MOVE_LANES(uint16_t, TW_GUEST_STORE(unit, at[lane] + offset, lane_word(w, o, lane)));
    else
        MOVE_LANES(uint8_t, TW_GUEST_STORE(unit, at[lane] + offset, lane_word(w, o, lane)));
}

static bool is_own(const struct warp *w, const uint8_t *at)
{
    return w->local != NULL && (uintptr_t)at - (uintptr_t)w->local < (size_t)LANES * w->cluster->launch->local_bytes;
}

/* Memory has changed; `at` is the place of the first lane. What lies in the threads' own memory is seen by nobody else: code for
 * debuggers keeps its variables there, and a wait that stores one each time round is no less dead for it. */
static inline void note_store(const struct warp *w, const struct dinst *d, const uint8_t *at)
{
    w->cluster->changes++;
    if (d->imm != SPACE_SHARED && d->imm != SPACE_GLOBAL && is_own(w, at))
        w->cluster->own_changes++;
}

/* Element k of a vector, or the one register. */
static struct dop element_of(const struct dop *o, uint32_t ref)
{
    return (struct dop){.ref = ref, .bytes = o->bytes, .bits = o->bits};
}

static enum exec_status exec_ld(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const refs = data_refs(w, &d->op[0]);
    uint8_t *at[LANES];
    tally_lanes(w, d, &d->op[1], mask, (uint32_t)d->elem_bytes * d->elems, true, false);
    if (!find_lanes(w, d, &d->op[1], mask, false, at))
        return EXEC_FAULT;
    for (uint32_t k = 0; k < d->elems; k++) {
        uint64_t words[LANES];
        const struct dop to = element_of(&d->op[0], refs[k]);
        if (to.ref == REF_NONE)
            continue;
        if (to.bytes == 16) {
            FOR_LANES(lane, mask)
                write_element(w, d, &to, to.ref, lane, at[lane] + (size_t)k * d->elem_bytes);
            continue;
        }
        gather(at, mask, (size_t)k * d->elem_bytes, d->elem_bytes, words);
        if (d->mod[0])
            FOR_LANES(lane, mask)
                words[lane] = sign_fill(words[lane], d->elem_bytes);
        put_any(w, &to, mask, words);
    }
    return EXEC_NEXT;
}

static enum exec_status exec_st(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const refs = data_refs(w, &d->op[1]);
    uint8_t *at[LANES];
    tally_lanes(w, d, &d->op[0], mask, (uint32_t)d->elem_bytes * d->elems, false, true);
    if (!find_lanes(w, d, &d->op[0], mask, true, at))
        return EXEC_FAULT;
    for (uint32_t k = 0; k < d->elems; k++) {
        const struct dop from = element_of(&d->op[1], refs[k]);
        if (from.ref == REF_NONE)
            continue;
        if (from.bytes == 16)
            FOR_LANES(lane, mask)
                read_register(w, &from, from.ref, lane, at[lane] + (size_t)k * d->elem_bytes, d->elem_bytes);
        else
            scatter(at, mask, (size_t)k * d->elem_bytes, d->elem_bytes, w, &from);
    }
    note_store(w, d, at[first_lane(mask)]);
    return EXEC_NEXT;
}

/* A vector with sinks: the bytes of those elements keep what they hold, and no event touches them. The access is that of the
 * whole vector: aligned to it and inside the allocation. SOURCE: PTX ISA, st, vectors of 256 bits. */
static enum exec_status exec_st_masked(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const refs = data_refs(w, &d->op[1]);
    const uint32_t bytes = (uint32_t)d->elem_bytes * d->elems;
    uint32_t written = 0;
    for (uint32_t k = 0; k < d->elems; k++)
        written += refs[k] != REF_NONE ? d->elem_bytes : 0u;
    tally_lanes(w, d, &d->op[0], mask, written, false, true);
    FOR_LANES(lane, mask) {
        const uint64_t address = lane_address(w, &d->op[0], lane);
        uint8_t *const at = access_at(w, d, lane, (enum space)d->imm, address, bytes, true);
        if (at == NULL)
            return EXEC_FAULT;
        for (uint32_t k = 0; k < d->elems; k++) {
            const uint32_t offset = k * d->elem_bytes;
            if (refs[k] == REF_NONE)
                continue;
            if (observes_access(w->cluster, (uint64_t)d->imm, true))
                tw_emit_access(w, d, lane, (enum space)d->imm, address + offset, d->elem_bytes, false, true);
            read_register(w, &d->op[1], refs[k], lane, at + offset, d->elem_bytes);
        }
    }
    w->cluster->changes++;
    return EXEC_NEXT;
}

/* ---- The common case: 32-bit elements and registers, lanes at a constant distance ---------------------------- */

static enum exec_status exec_ld_32(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t bytes = 4u * d->elems;
    uint32_t stride;
    const uint8_t *const at = observes_lanes(w->cluster) ? NULL : in_a_row(w, d, &d->op[1], mask, bytes, false, &stride);
    if (at == NULL)
        return exec_ld(w, d, mask);
    tally_lanes(w, d, &d->op[1], mask, bytes, true, false);
    const uint32_t *const refs = data_refs(w, &d->op[0]);
    const uint32_t first = first_lane(mask);
    const bool own = !w->cluster->accompanied || d->imm == SPACE_SHARED;
    for (uint32_t k = 0; k < d->elems; k++) {
        if (refs[k] == REF_NONE)
            continue;
        uint32_t *const to = row32(w, refs[k]);
        const uint8_t *const from = at + 4 * (size_t)k;
        if (mask == ALL_LANES && stride == 4 && own)
            memcpy(to, from, LANES * 4);
        else if (mask == ALL_LANES)
            for (uint32_t lane = 0; lane < LANES; lane++)
                to[lane] = TW_GUEST_LOAD(uint32_t, from + (size_t)lane * stride);
        else
            FOR_LANES(lane, mask)
                to[lane] = TW_GUEST_LOAD(uint32_t, from + (size_t)(lane - first) * stride);
    }
    return EXEC_NEXT;
}

static enum exec_status exec_st_32(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t bytes = 4u * d->elems;
    uint32_t stride;
    uint8_t *const at = observes_lanes(w->cluster) ? NULL : in_a_row(w, d, &d->op[0], mask, bytes, true, &stride);
    if (at == NULL)
        return exec_st(w, d, mask);
    if (observed(w->cluster) && d->imm == SPACE_SHARED)
        emit_row(w, d, &d->op[0], mask, bytes, stride);
    tally_lanes(w, d, &d->op[0], mask, bytes, false, true);
    const uint32_t *const refs = data_refs(w, &d->op[1]);
    const uint32_t first = first_lane(mask);
    const bool own = !w->cluster->accompanied || d->imm == SPACE_SHARED;
    for (uint32_t k = 0; k < d->elems; k++) {
        if (refs[k] == REF_NONE)
            continue;
        const uint32_t *const from = row32(w, refs[k]);
        uint8_t *const to = at + 4 * (size_t)k;
        if (mask == ALL_LANES && stride == 4 && own)
            memcpy(to, from, LANES * 4);
        else if (mask == ALL_LANES)
            for (uint32_t lane = 0; lane < LANES; lane++)
                TW_GUEST_STORE(uint32_t, to + (size_t)lane * stride, from[lane]);
        else
            FOR_LANES(lane, mask)
                TW_GUEST_STORE(uint32_t, to + (size_t)(lane - first) * stride, from[lane]);
    }
    note_store(w, d, at);
    return EXEC_NEXT;
}

static bool all_32(const struct dinst *d, const struct dop *data)
{
    return d->elem_bytes == 4 && data->bytes == 4 && data->bits == 32;
}

/* ---- Parameters of functions and of calls: per lane, in the frame --------------------------------------- */

static uint8_t *param_at(struct warp *w, const struct dinst *d, const struct dop *o, uint32_t lane, uint32_t bytes)
{
    const struct frame *const f = w->now->frame;
    const uint64_t address = lane_address(w, o, lane);
    const uint32_t size = f->code->param_bytes;
    if (address <= size && bytes <= size - address)
        return f->params + (size_t)lane * size + address;
    tw_fault(w, lane, E0702, NULL, "%s of %u bytes at parameter offset 0x%llx of '%s', which has %u bytes of parameters",
             d->isa_op == OP_ST ? "store" : "load", bytes, (unsigned long long)address, f->code->name, size);
    return NULL;
}

static enum exec_status exec_ld_call_param(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const refs = data_refs(w, &d->op[0]);
    FOR_LANES(lane, mask) {
        const uint8_t *const at = param_at(w, d, &d->op[1], lane, (uint32_t)d->elem_bytes * d->elems);
        if (at == NULL)
            return EXEC_FAULT;
        for (uint32_t k = 0; k < d->elems; k++)
            if (refs[k] != REF_NONE)
                write_element(w, d, &d->op[0], refs[k], lane, at + (size_t)k * d->elem_bytes);
    }
    return EXEC_NEXT;
}

static enum exec_status exec_st_call_param(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const refs = data_refs(w, &d->op[1]);
    FOR_LANES(lane, mask) {
        uint8_t *const at = param_at(w, d, &d->op[0], lane, (uint32_t)d->elem_bytes * d->elems);
        if (at == NULL)
            return EXEC_FAULT;
        for (uint32_t k = 0; k < d->elems; k++)
            if (refs[k] != REF_NONE)
                read_register(w, &d->op[1], refs[k], lane, at + (size_t)k * d->elem_bytes, d->elem_bytes);
    }
    return EXEC_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------------------------- */

bool tw_is_call_param(struct decoder *dc, const struct ptx_inst *in, enum isa_role role)
{
    const struct ptx_func *const f = tw_decode_func(dc);
    const struct ptx_operand *const o = tw_ptx_operand(f, in, role);
    const unsigned space = tw_ptx_mod(in, SLOT_SPACE);
    if (space != MOD_PARAM && space != MOD_PARAM_FUNC)
        return false;
    if (o->base == BASE_VAR)
        return !(f->is_entry && o->index < f->param_count);
    return !f->is_entry || space == MOD_PARAM_FUNC;
}

void tw_decode_semantics(const struct ptx_inst *in, struct dinst *d)
{
    const unsigned sem = tw_ptx_mod(in, SLOT_SEM);
    d->mod[1] = sem != MOD_NONE && sem != MOD_WEAK;
    d->mod[2] = (uint8_t)tw_decode_scope(tw_ptx_mod(in, SLOT_SCOPE));
    if (sem == MOD_VOLATILE || sem == MOD_MMIO)
        d->mod[2] = SCOPE_SYS;
    d->mod[3] = sem == MOD_ACQUIRE ? 1 : sem == MOD_RELEASE ? 2 : sem == MOD_ACQ_REL ? 3 : 0;
}

static void decode_shape(const struct ptx_inst *in, struct dinst *d)
{
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE), vec = tw_ptx_mod(in, SLOT_VEC);
    d->elem_bytes = (uint8_t)(isa_type_bits(type) / 8);
    d->elems = vec == MOD_V2 ? 2 : vec == MOD_V4 ? 4 : vec == MOD_V8 ? 8 : 1;
    d->mod[0] = isa_mod_row(type)->type_class == TYPE_SIGNED;
    d->imm = tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    tw_decode_semantics(in, d);
    if (d->mod[1] && meets_clusters(d->imm))
        d->flags |= D_STRONG;
}

static enum exec_status exec_ld_nc(struct warp *w, const struct dinst *d, uint32_t mask)
{
    tw_watch_nc(w, d, mask);
    return d->mod[4] != 0 ? exec_ld_32(w, d, mask) : exec_ld(w, d, mask);
}

static bool prepare_ld(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    decode_shape(in, d);
    if (!tw_decode_role(dc, in, ROLE_D, d, 0) || !tw_decode_role(dc, in, ROLE_ADDR, d, 1))
        return false;
    if (tw_is_call_param(dc, in, ROLE_ADDR))
        d->run = exec_ld_call_param;
    else
        d->run = all_32(d, &d->op[0]) ? exec_ld_32 : exec_ld;
    if (tw_ptx_has(in, SLOT_NC)) {
        d->mod[4] = d->run == exec_ld_32;
        d->run = exec_ld_nc;
        tw_decode_reads_nc(dc);
    }
    if (d->op[0].ref == REF_NONE)
        d->op[0].bytes = 8; /* a sink: the access is made, the value dropped */
    return true;
}

static bool has_sink(struct decoder *dc, const struct ptx_inst *in)
{
    const struct ptx_func *const f = tw_decode_func(dc);
    const struct ptx_operand *const data = tw_ptx_operand(f, in, ROLE_A);
    if (data->kind != OPERAND_VECTOR)
        return false;
    for (uint32_t i = 0; i < data->count; i++)
        if (tw_ptx_elements(f, data)[i].kind == OPERAND_SINK)
            return true;
    return false;
}

static bool prepare_st(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    decode_shape(in, d);
    if (!tw_decode_role(dc, in, ROLE_ADDR, d, 0) || !tw_decode_role(dc, in, ROLE_A, d, 1))
        return false;
    d->run = tw_is_call_param(dc, in, ROLE_ADDR) ? exec_st_call_param
             : has_sink(dc, in)                  ? exec_st_masked
             : all_32(d, &d->op[1])              ? exec_st_32
                                                 : exec_st;
    return true;
}

/* ---- st.bulk: zero fill ------------------------------------------------------------------------------------- */

static enum exec_status exec_st_bulk(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, mask) {
        const uint64_t bytes = lane_word(w, &d->op[1], lane);
        if (bytes % 8 != 0 || bytes > UINT64_C(16) << 20)
            return tw_fault(w, lane, E0702, &(struct fault_note){.expected = "a multiple of 8, at most 16777216"},
                            "st.bulk of %llu bytes", (unsigned long long)bytes);
        if (bytes == 0)
            continue;
        const uint64_t address = lane_address(w, &d->op[0], lane);
        uint8_t *const at = tw_access(w, lane, (enum space)d->imm, address, (uint32_t)bytes, 8, true);
        if (at == NULL)
            return EXEC_FAULT;
        if (observed(w->cluster))
            tw_emit_access(w, d, lane, (enum space)d->imm, address, (uint32_t)bytes, false, true);
        tally_lanes(w, d, &d->op[0], UINT32_C(1) << lane, (uint32_t)bytes, false, true);
        memset(at, 0, (size_t)bytes);
    }
    w->cluster->changes++;
    return EXEC_NEXT;
}

static bool prepare_st_bulk(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->imm = tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    d->run = exec_st_bulk;
    return tw_decode_role(dc, in, ROLE_ADDR, d, 0) && tw_decode_role(dc, in, ROLE_BYTES, d, 1);
}

/* ---- No effect: caches have no meaning for results ------------------------------------------------------------ */

static enum exec_status exec_nothing(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)w;
    (void)d;
    (void)mask;
    return EXEC_NEXT;
}

static bool prepare_nothing(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    (void)in;
    d->run = exec_nothing;
    return true;
}

/* createpolicy: some 64-bit value. */
static enum exec_status exec_policy(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t r[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        r[i] = UINT64_C(0x10f0000000000000);
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_policy(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_policy;
    return tw_decode_role(dc, in, ROLE_D, d, 0);
}

/* discard.L2 makes the bytes indeterminate: poison. */
static enum exec_status exec_discard(struct warp *w, const struct dinst *d, uint32_t mask)
{
    FOR_LANES(lane, mask) {
        uint8_t *const at = tw_access(w, lane, (enum space)d->imm, lane_address(w, &d->op[0], lane), 128, 128, true);
        if (at == NULL)
            return EXEC_FAULT;
        tw_poison(at, 128, tw_random(w->cluster));
    }
    return EXEC_NEXT;
}

static bool prepare_discard(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->imm = tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    d->run = exec_discard;
    return tw_decode_role(dc, in, ROLE_ADDR, d, 0);
}

const struct op_row tw_ops_memory[] = {
    {OP_LD, prepare_ld}, {OP_LDU, prepare_ld}, {OP_ST, prepare_st}, {OP_ST_BULK, prepare_st_bulk},
    {OP_PREFETCH, prepare_nothing}, {OP_PREFETCHU, prepare_nothing}, {OP_PREFETCH_TENSORMAP, prepare_nothing},
    {OP_APPLYPRIORITY, prepare_nothing}, {OP_DISCARD, prepare_discard}, {OP_CREATEPOLICY_FRACTIONAL, prepare_policy},
    {OP_CREATEPOLICY_RANGE, prepare_policy}, {OP_CREATEPOLICY_CVT, prepare_policy}, {OP_NONE, NULL},
};
