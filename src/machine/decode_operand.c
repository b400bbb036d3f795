/* Operands while decoding: registers, literals, special registers, symbols and vectors become rows. */
#include "machine/decoder.h"

#include "base/bits.h"
#include "machine/program.h"
#include "num/convert.h"

#include <assert.h>
#include <string.h>

/* ---- Modifiers ------------------------------------------------------------------------------ */

enum num_format tw_decode_format(unsigned type)
{
    return tw_isa_format(type);
}

enum space tw_decode_space(unsigned mod)
{
    static const struct { uint16_t mod; uint8_t space; } rows[] = {
        {MOD_GLOBAL, SPACE_GLOBAL}, {MOD_SHARED, SPACE_SHARED}, {MOD_SHARED_CTA, SPACE_SHARED},
        {MOD_SHARED_CLUSTER, SPACE_SHARED_CLUSTER}, {MOD_LOCAL, SPACE_LOCAL}, {MOD_CONST, SPACE_CONST},
        {MOD_PARAM, SPACE_PARAM}, {MOD_PARAM_ENTRY, SPACE_PARAM}, {MOD_PARAM_FUNC, SPACE_PARAM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == mod)
            return (enum space)rows[i].space;
    return SPACE_GENERIC;
}

enum scope tw_decode_scope(unsigned mod)
{
    static const struct { uint16_t mod; uint8_t scope; } rows[] = {
        {MOD_CTA, SCOPE_CTA}, {MOD_CLUSTER, SCOPE_CLUSTER}, {MOD_GPU, SCOPE_GPU}, {MOD_GL, SCOPE_GPU}, {MOD_SYS, SCOPE_SYS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == mod)
            return (enum scope)rows[i].scope;
    return SCOPE_NONE;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static uint32_t row_bytes(unsigned slot_bytes)
{
    return slot_bytes == 0 ? ROW_ALIGN : slot_bytes * LANES;
}

uint32_t tw_decode_constant(struct decoder *dc, unsigned bytes, uint64_t value)
{
    struct { uint64_t value; uint64_t bytes; } key = {value, bytes};
    const struct str name = {(const char *)&key, sizeof key};
    const uint32_t *const known = tw_strmap_get(&dc->const_index, name);
    if (known != NULL)
        return *known;
    const uint32_t at = dc->consts.len;
    for (uint32_t i = 0; i < row_bytes(bytes); i++)
        *vec_push(dc->arena, &dc->consts) = 0;
    uint8_t *const to = dc->consts.at + at;
    if (bytes == 0)
        memcpy(to, &value, 4);
    for (uint32_t lane = 0; bytes != 0 && lane < LANES; lane++)
        memcpy(to + lane * bytes, &value, bytes == 4 ? 4 : 8);
    tw_strmap_put(&dc->const_index, name, at | REF_CONST);
    return at | REF_CONST;
}

static uint32_t special(struct decoder *dc, enum special_kind kind, unsigned bytes, uint32_t value)
{
    for (uint32_t i = 0; i < dc->specials.len; i++) {
        const struct special_row *const s = &dc->specials.at[i];
        if (s->kind == kind && s->bytes == bytes && s->value == value)
            return s->ref;
    }
    const uint32_t ref = dc->code->frame_bytes;
    dc->code->frame_bytes += row_bytes(bytes);
    *vec_push(dc->arena, &dc->specials) = (struct special_row){(uint8_t)kind, (uint8_t)bytes, ref, value};
    return ref;
}

static void constant_operand(struct decoder *dc, unsigned bits, uint64_t value, struct dop *out)
{
    out->bits = (uint8_t)bits;
    out->bytes = (uint8_t)slot_bytes_of(bits);
    if (bits == 1)
        out->ref = tw_decode_constant(dc, 0, value != 0 ? ALL_LANES : 0);
    else
        out->ref = tw_decode_constant(dc, out->bytes, value & bits_mask(bits));
}

/* ---- Operands ------------------------------------------------------------------------------- */

static void reg_operand(const struct decoder *dc, const struct ptx_operand *o, struct dop *out)
{
    const unsigned bits = isa_type_bits(dc->func->regs.at[o->index].type);
    out->bits = (uint8_t)bits;
    out->bytes = (uint8_t)slot_bytes_of(bits);
    out->ref = dc->reg_ref[o->index];
    out->negated = o->negated;
}

static bool is_x_of(enum isa_sreg_id id, enum special_kind *kind)
{
    static const struct { uint16_t id; uint8_t kind; } rows[] = {
        {SREG_TID, SPECIAL_TID_X}, {SREG_NTID, SPECIAL_NTID_X}, {SREG_CTAID, SPECIAL_CTAID_X}, {SREG_NCTAID, SPECIAL_NCTAID_X},
        {SREG_CLUSTERID, SPECIAL_CLUSTERID_X}, {SREG_NCLUSTERID, SPECIAL_NCLUSTERID_X},
        {SREG_CLUSTER_CTAID, SPECIAL_CLUSTER_CTAID_X}, {SREG_CLUSTER_NCTAID, SPECIAL_CLUSTER_NCTAID_X},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].id == id) {
            *kind = (enum special_kind)rows[i].kind;
            return true;
        }
    return false;
}

/* MEASURED: ptx-async.md 5.2, the reserved part of shared memory. */
static bool constant_sreg(enum isa_sreg_id id, uint64_t *value)
{
    static const struct { uint16_t id; uint16_t value; } rows[] = {
        {SREG_RESERVED_SMEM_OFFSET_BEGIN, 0}, {SREG_RESERVED_SMEM_OFFSET_END, 0x120},
        {SREG_RESERVED_SMEM_OFFSET_CAP, TW_SHARED_RESERVED_BYTES}, {SREG_RESERVED_SMEM_OFFSET_0, 0},
        {SREG_RESERVED_SMEM_OFFSET_1, 0}, {SREG_CURRENT_GRAPH_EXEC, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].id == id) {
            *value = rows[i].value;
            return true;
        }
    *value = 0;
    return id >= SREG_PM0 && id <= SREG_ENVREG31; /* no performance monitor runs, no driver sets the environment */
}

static enum special_kind scalar_sreg(enum isa_sreg_id id)
{
    static const struct { uint16_t id; uint8_t kind; } rows[] = {
        {SREG_LANEID, SPECIAL_LANEID}, {SREG_WARPID, SPECIAL_WARPID},
        {SREG_SMID, SPECIAL_SMID}, {SREG_NSMID, SPECIAL_NSMID}, {SREG_GRIDID, SPECIAL_GRIDID},
        {SREG_LANEMASK_EQ, SPECIAL_LANEMASK_EQ}, {SREG_LANEMASK_LE, SPECIAL_LANEMASK_LE},
        {SREG_LANEMASK_LT, SPECIAL_LANEMASK_LT}, {SREG_LANEMASK_GE, SPECIAL_LANEMASK_GE},
        {SREG_LANEMASK_GT, SPECIAL_LANEMASK_GT}, {SREG_CLUSTER_CTARANK, SPECIAL_CLUSTER_CTARANK},
        {SREG_CLUSTER_NCTARANK, SPECIAL_CLUSTER_NCTARANK}, {SREG_IS_EXPLICIT_CLUSTER, SPECIAL_IS_EXPLICIT_CLUSTER},
        {SREG_DYNAMIC_SMEM_SIZE, SPECIAL_DYNAMIC_SMEM_SIZE}, {SREG_TOTAL_SMEM_SIZE, SPECIAL_TOTAL_SMEM_SIZE},
        {SREG_AGGR_SMEM_SIZE, SPECIAL_AGGR_SMEM_SIZE}, {SREG_CLOCK, SPECIAL_CLOCK}, {SREG_CLOCK_HI, SPECIAL_CLOCK_HI},
        {SREG_CLOCK64, SPECIAL_CLOCK64}, {SREG_GLOBALTIMER, SPECIAL_GLOBALTIMER},
        {SREG_GLOBALTIMER_LO, SPECIAL_GLOBALTIMER_LO}, {SREG_GLOBALTIMER_HI, SPECIAL_GLOBALTIMER_HI},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].id == id)
            return (enum special_kind)rows[i].kind;
    return SPECIAL_CONSTANT_ZERO;
}

static bool sreg_operand(struct decoder *dc, const struct ptx_operand *o, unsigned want_bits, struct dop *out)
{
    const enum isa_sreg_id id = (enum isa_sreg_id)o->index;
    unsigned bits = isa_type_bits(tw_isa_sregs[id].type);
    if (bits == 32 && want_bits == 64)
        bits = 64; /* mov.u64 of %clock and friends: zero-extended */
    uint64_t value;
    enum special_kind kind;
    out->bits = (uint8_t)bits;
    out->bytes = (uint8_t)slot_bytes_of(bits);
    out->negated = o->negated;
    if (id == SREG_NWARPID) { /* MEASURED: H200 (tests/silicon): 64, whatever the CTA has */
        constant_operand(dc, bits, tw_isa_warps_per_sm(tw_decode_sm(dc)), out);
    } else if (constant_sreg(id, &value)) {
        constant_operand(dc, bits, value, out);
    } else if (is_x_of(id, &kind)) {
        if (o->component > 3)
            return false; /* a whole vector, which no form takes */
        if (o->component == 3) /* MEASURED: H200, driver 580.159.04 (tests/silicon): .w reads zero, of %ntid and %nctaid, too */
            constant_operand(dc, bits, 0, out);
        else
            out->ref = special(dc, (enum special_kind)(kind + o->component), out->bytes, 0);
    } else {
        kind = scalar_sreg(id);
        out->ref = special(dc, kind, out->bytes, 0);
        dc->reads_clock |= is_clock(kind);
    }
    return true;
}

static uint64_t literal_bits(const struct ptx_operand *o, unsigned type, unsigned bits)
{
    const enum num_format want = tw_decode_format(type);
    const bool wide = bits == 64;
    if (o->kind == OPERAND_F64 && !wide)
        return tw_num_convert(&(struct num_convert_how){.to = want == NUM_F16 || want == NUM_BF16 ? want : NUM_F32, .from = NUM_F64},
                              (uint64_t)o->value);
    if (o->kind == OPERAND_F32 && want == NUM_F64)
        return tw_num_convert(&(struct num_convert_how){.to = NUM_F64, .from = NUM_F32}, (uint64_t)o->value);
    return (uint64_t)o->value;
}

/* The address of a symbol, plus a byte offset, as a row; sets the symbol's space. */
static bool symbol_operand(struct decoder *dc, const struct ptx_operand *o, unsigned bits, struct dop *out)
{
    out->bits = (uint8_t)bits;
    out->bytes = (uint8_t)slot_bytes_of(bits);
    if (o->base == BASE_FUNC) {
        constant_operand(dc, bits, code_address(tw_definition_of(dc->module, o->index)) + (uint64_t)o->value, out);
        return true;
    }
    const struct ptx_var *const var = o->base == BASE_VAR ? &dc->func->vars.at[o->index] : &dc->module->vars.at[o->index];
    uint64_t at = o->base == BASE_VAR ? dc->var_offset[o->index] : dc->program->var_at[o->index];
    if (var->space == MOD_SHARED && o->base == BASE_GLOBAL)
        at = dc->shared->module_at[o->index];
    at += (uint64_t)o->value;
    out->space = (uint8_t)tw_decode_space(var->space);
    if (var->space == MOD_SHARED)
        out->ref = special(dc, SPECIAL_SHARED_BASE, out->bytes, (uint32_t)at);
    else if (var->space == MOD_LOCAL)
        out->ref = special(dc, SPECIAL_LOCAL_BASE, out->bytes, (uint32_t)at);
    else
        constant_operand(dc, bits, at, out);
    return true;
}

static bool address_operand(struct decoder *dc, const struct ptx_operand *o, struct dop *out)
{
    out->address = true;
    if (o->base == BASE_REG) {
        reg_operand(dc, &(struct ptx_operand){.kind = OPERAND_REG, .index = o->index}, out);
        out->disp = (int32_t)o->value;
        return true;
    }
    if (o->base == BASE_ABSOLUTE) {
        constant_operand(dc, 64, (uint64_t)o->value, out);
        return true;
    }
    return symbol_operand(dc, o, 64, out);
}

static bool is_literal(const struct ptx_operand *o)
{
    return o->kind == OPERAND_INT || o->kind == OPERAND_F32 || o->kind == OPERAND_F64;
}

/* Of a vector's registers, which are of one size; 0: it has none. */
static unsigned register_bits(const struct decoder *dc, const struct ptx_operand *elems, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (elems[i].kind == OPERAND_REG)
            return isa_type_bits(dc->func->regs.at[elems[i].index].type);
    return 0;
}

/* Rows of one width, which the operand carries: a literal beside registers that are wider than the type is as wide as they are. */
static bool vector_operand(struct decoder *dc, const struct ptx_operand *o, unsigned type, struct dop *out)
{
    const struct ptx_operand *const elems = tw_ptx_elements(dc->func, o);
    const unsigned bits = register_bits(dc, elems, o->count);
    struct dop element = {0};
    const uint32_t first = dc->refs.len;
    for (uint32_t i = 0; i < o->count; i++)
        *vec_push(dc->arena, &dc->refs) = REF_NONE;
    for (uint32_t i = 0; i < o->count; i++) {
        struct dop e;
        if (!tw_decode_operand(dc, &elems[i], type, &e))
            return false;
        if (is_literal(&elems[i]) && e.bits < bits)
            constant_operand(dc, bits, literal_bits(&elems[i], type, e.bits), &e);
        assert(e.ref == REF_NONE || element.bytes == 0 || element.bytes == e.bytes);
        dc->refs.at[first + i] = e.ref;
        if (e.ref != REF_NONE)
            element = e;
    }
    *out = element;
    out->ref = first;
    out->count = (uint16_t)o->count;
    return true;
}

bool tw_decode_operand(struct decoder *dc, const struct ptx_operand *o, unsigned type, struct dop *out)
{
    *out = (struct dop){.ref = REF_NONE};
    const unsigned bits = type == MOD_NONE ? 32 : isa_type_bits(type) < 8 && type != MOD_PRED ? 32 : isa_type_bits(type);
    const unsigned kind = o->kind;
    if (kind == OPERAND_NONE || kind == OPERAND_SINK)
        return true;
    if (kind == OPERAND_REG) {
        reg_operand(dc, o, out);
        return true;
    }
    if (kind == OPERAND_SREG)
        return sreg_operand(dc, o, bits, out);
    if (kind == OPERAND_INT || kind == OPERAND_F32 || kind == OPERAND_F64) {
        constant_operand(dc, bits, literal_bits(o, type, bits), out);
        out->negated = o->negated;
        return true;
    }
    if (kind == OPERAND_SYMBOL)
        return symbol_operand(dc, o, bits < 32 ? 32 : bits, out);
    if (kind == OPERAND_ADDRESS)
        return address_operand(dc, o, out);
    if (kind == OPERAND_VECTOR)
        return vector_operand(dc, o, type, out);
    return true; /* labels, lists, tables and functions are read by their families */
}

static bool decode_at(struct decoder *dc, const struct ptx_inst *in, int index, struct dop *out)
{
    if (index < 0) {
        *out = (struct dop){.ref = REF_NONE};
        return true;
    }
    const struct isa_spelling spelling = tw_ptx_spelling(in);
    return tw_decode_operand(dc, &tw_ptx_operands(dc->func, in)[index], tw_isa_operand_type(&spelling, (unsigned)index), out);
}

bool tw_decode_role(struct decoder *dc, const struct ptx_inst *in, enum isa_role role, struct dinst *d, unsigned at)
{
    assert(at < DINST_OPS);
    if (d->op_count <= at)
        d->op_count = (uint8_t)(at + 1);
    return decode_at(dc, in, in->form->operand_of[role], &d->op[at]);
}

bool tw_decode_all(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    assert(in->form->operand_count <= DINST_OPS);
    d->op_count = in->form->operand_count;
    for (int i = 0; i < in->form->operand_count; i++)
        if (!decode_at(dc, in, i, &d->op[i]))
            return false;
    return true;
}

const uint32_t *tw_decode_elements(const struct decoder *dc, const struct dop *o)
{
    return dc->refs.at + o->ref;
}

bool tw_decode_immediate(struct decoder *dc, const struct ptx_inst *in, enum isa_role role, int64_t otherwise, int64_t *out)
{
    const struct ptx_operand *const o = tw_ptx_operand(dc->func, in, role);
    *out = otherwise;
    if (o->kind == OPERAND_NONE)
        return true;
    if (o->kind != OPERAND_INT)
        return tw_decode_unsupported(dc, in, "an operand that must be a literal is none");
    *out = o->value;
    return true;
}
