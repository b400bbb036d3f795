/* Atomics. SOURCE: ptx-async.md 8.7. Lanes take turns in lane order; on global memory the cluster has its turn,
 * so nothing comes between the read and the write. */
#include "machine/atom.h"

#include "machine/exec_arith.h"
#include "machine/exec_lanes.h"
#include "machine/exec_memory.h"
#include "machine/tally.h"
#include "num/arith.h"

static bool is_nan_f64(uint64_t word)
{
    return (word & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000);
}

/* MEASURED: H200, driver 580.159.04 (tests/silicon): global memory gives a NaN operand back as it is, signalling ones too,
 * of two the one that is added (of bulk reductions that was not seen). Shared memory adds as `add` does, with the sum's operands
 * the other way round: of two NaNs the one that was there is left, quieted. */
static uint64_t sum_f64(uint64_t old, uint64_t b, bool global)
{
    if (global && is_nan_f64(b))
        return b;
    if (global && is_nan_f64(old))
        return old;
    return tw_num_add(NUM_F64, (struct num_ops){0}, b, old);
}

static uint64_t float_result(const struct atom_call *c, uint64_t old, uint64_t b, bool global)
{
    /* MEASURED: f32 sums in global memory flush subnormals, in shared memory they do not. */
    const struct num_ops how = {.ftz = c->ftz && global};
    if (c->op == ATOM_ADD && c->format == NUM_F64)
        return sum_f64(old, b, global);
    if (c->op == ATOM_ADD)
        return tw_num_add(c->format, how, old, b);
    return c->op == ATOM_MIN ? tw_num_min(c->format, how, old, b) : tw_num_max(c->format, how, old, b);
}

static uint64_t integer_result(const struct atom_call *c, uint64_t old, uint64_t b, uint64_t cas)
{
    const bool less = c->is_signed ? tw_num_extend(c->format, b) < tw_num_extend(c->format, old) : b < old;
    const uint64_t table[] = {
        [ATOM_AND] = old & b, [ATOM_OR] = old | b, [ATOM_XOR] = old ^ b, [ATOM_EXCH] = b, [ATOM_CAS] = old == b ? cas : old,
        [ATOM_ADD] = old + b, [ATOM_INC] = old >= b ? 0 : old + 1, [ATOM_DEC] = old == 0 || old > b ? b : old - 1,
        [ATOM_MIN] = less ? b : old, [ATOM_MAX] = less ? old : b,
    };
    return table[c->op];
}

uint64_t tw_atom_value(const struct atom_call *c, uint64_t old, uint64_t b, uint64_t cas, bool global)
{
    if (!c->is_float)
        return integer_result(c, old, b, cas);
    if (c->halves == 1)
        return float_result(c, old, b, global);
    return float_result(c, old & 0xffff, b & 0xffff, global) |
           float_result(c, old >> 16 & 0xffff, b >> 16 & 0xffff, global) << 16;
}

/* The registers of an operand, one an element; NULL when there is none: red, and a sink in a vector's place. */
static const uint32_t *registers_of(const struct warp *w, const struct dinst *d, unsigned operand)
{
    const struct dop *const o = &d->op[operand];
    if (o->count != 0)
        return w->code->refs + o->ref;
    return o->ref == REF_NONE ? NULL : &o->ref;
}

/* op: d, address, b, c. d and b may be vectors, which are atomic by element. imm: space */
static enum exec_status exec_atom(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct atom_call *const c = d->extra;
    const uint32_t *const to = registers_of(w, d, 0), *const from = registers_of(w, d, 2);
    const uint32_t bytes = c->bits / 8;
    bool changed = false; /* an attempt that fails changes nothing: it polls */
    tally_lanes(w, d, &d->op[1], mask, bytes * d->elems, true, true);
    FOR_LANES(lane, mask) {
        uint64_t in_space;
        const uint64_t address = lane_address(w, &d->op[1], lane);
        uint8_t *const at = access_at(w, d, lane, (enum space)d->imm, address, bytes * d->elems, true);
        if (at == NULL)
            return EXEC_FAULT;
        const enum space space = d->imm == SPACE_GENERIC ? tw_generic_space(address, &in_space) : (enum space)d->imm;
        if (observed(w->cluster))
            tw_emit_access(w, d, lane, (enum space)d->imm, address, bytes * d->elems, true, true);
        for (uint32_t k = 0; k < d->elems; k++) {
            uint64_t old = 0;
            memcpy(&old, at + (size_t)k * bytes, bytes);
            const struct dop b = {.ref = from[k], .bytes = d->op[2].bytes};
            const uint64_t cas = d->op_count > 3 && d->op[3].ref != REF_NONE ? lane_word(w, &d->op[3], lane) : 0;
            const uint64_t value = tw_atom_value(c, old, lane_word(w, &b, lane), cas, space == SPACE_GLOBAL);
            changed |= memcmp(at + (size_t)k * bytes, &value, bytes) != 0;
            memcpy(at + (size_t)k * bytes, &value, bytes);
            if (to == NULL || to[k] == REF_NONE)
                continue;
            const struct dop result = {.ref = to[k], .bytes = d->op[0].bytes, .bits = d->op[0].bits};
            uint64_t r[LANES];
            r[lane] = old;
            put_any(w, &result, UINT32_C(1) << lane, r);
        }
    }
    w->cluster->changes += changed;
    return EXEC_NEXT;
}

/* b128: exchange and compare-and-swap. */
static enum exec_status exec_atom_128(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct atom_call *const c = d->extra;
    bool changed = false;
    tally_lanes(w, d, &d->op[1], mask, 16, true, true);
    FOR_LANES(lane, mask) {
        const uint64_t address = lane_address(w, &d->op[1], lane);
        uint8_t *const at = access_at(w, d, lane, (enum space)d->imm, address, 16, true);
        if (at == NULL)
            return EXEC_FAULT;
        if (observed(w->cluster))
            tw_emit_access(w, d, lane, (enum space)d->imm, address, 16, true, true);
        uint8_t old[16];
        memcpy(old, at, sizeof old);
        const uint8_t *const b = row(w, d->op[2].ref) + (size_t)16 * lane;
        if (c->op == ATOM_EXCH)
            memcpy(at, b, 16);
        else if (memcmp(old, b, 16) == 0)
            memcpy(at, row(w, d->op[3].ref) + (size_t)16 * lane, 16);
        changed |= memcmp(old, at, 16) != 0;
        if (d->op[0].ref != REF_NONE)
            memcpy(row(w, d->op[0].ref) + (size_t)16 * lane, old, 16);
    }
    w->cluster->changes += changed;
    return EXEC_NEXT;
}

enum atom_op tw_atom_op(unsigned mod)
{
    static const struct { uint16_t mod; uint8_t op; } rows[] = {
        {MOD_AND, ATOM_AND}, {MOD_OR, ATOM_OR}, {MOD_XOR, ATOM_XOR}, {MOD_EXCH, ATOM_EXCH}, {MOD_CAS, ATOM_CAS},
        {MOD_ADD, ATOM_ADD}, {MOD_INC, ATOM_INC}, {MOD_DEC, ATOM_DEC}, {MOD_MIN, ATOM_MIN}, {MOD_MAX, ATOM_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == mod)
            return (enum atom_op)rows[i].op;
    return ATOM_ADD;
}

static bool prepare_atom(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE), vec = tw_ptx_mod(in, SLOT_VEC);
    static const enum isa_role roles[] = {ROLE_D, ROLE_ADDR, ROLE_B, ROLE_C};
    for (unsigned i = 0; i < 4; i++)
        if (!tw_decode_role(dc, in, roles[i], d, i))
            return false;
    struct atom_call *const c = arena_new(tw_decode_arena(dc), struct atom_call, 1);
    c->op = tw_atom_op(tw_ptx_mod(in, SLOT_OP));
    c->format = tw_decode_format(type);
    c->bits = isa_type_bits(type);
    c->halves = isa_mod_row(type)->type_class == TYPE_PACKED ? 2 : 1;
    c->is_float = tw_num_is_float(c->format);
    c->is_signed = isa_mod_row(type)->type_class == TYPE_SIGNED;
    c->ftz = type == MOD_F32;
    tw_decode_semantics(in, d);
    d->mod[1] = true; /* atomics are strong; without a qualifier relaxed at gpu scope */
    if (d->mod[2] == SCOPE_NONE)
        d->mod[2] = SCOPE_GPU;
    d->elems = vec == MOD_V2 ? 2 : vec == MOD_V4 ? 4 : vec == MOD_V8 ? 8 : 1;
    d->imm = tw_decode_space(tw_ptx_mod(in, SLOT_SPACE));
    if (meets_clusters(d->imm))
        d->flags |= D_STRONG;
    d->extra = c;
    d->run = c->bits == 128 ? exec_atom_128 : exec_atom;
    return true;
}

/* A multicast address stands for one place in the memory of each of several GPUs; a launch has the memory of one.
 * SOURCE: PTX ISA, "multimem.ld_reduce, multimem.st, multimem.red". */
static bool prepare_multimem(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)d;
    return tw_decode_unsupported(dc, in, "a multicast address joins the memories of several GPUs, and the machine is one");
}

const struct op_row tw_ops_atomic[] = {
    {OP_ATOM, prepare_atom},
    {OP_RED, prepare_atom},
    {OP_MULTIMEM_LD_REDUCE, prepare_multimem},
    {OP_MULTIMEM_ST, prepare_multimem},
    {OP_MULTIMEM_RED, prepare_multimem},
    {OP_NONE, NULL},
};
