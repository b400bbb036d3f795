/* From PTX functions to decoded instructions: registers get rows, literals become constant rows,
 * symbols become addresses, and every operation's family unpacks its modifiers once. */
#include "machine/decode.h"

#include "base/bits.h"
#include "machine/exec_arith.h"
#include "machine/program.h"
#include "machine/registers.h"
#include "machine/shared_layout.h"
#include "num/convert.h"

#include <assert.h>
#include <string.h>

struct unsupported {
    const struct ptx_func *func;
    const struct ptx_inst *inst; /* the first of its kind */
    const char *why;
    uint32_t count;
};

struct decoder {
    struct arena *arena;
    struct diags *diags;
    const struct program *program;
    const struct ptx_module *module;
    const struct ptx_func *func;
    struct image *image;
    struct code *code;
    const struct shared_layout *shared;
    uint32_t *reg_ref;    /* of func->regs */
    uint64_t *var_offset; /* of func->vars: in shared, local or param memory */
    VEC(uint32_t) refs;
    VEC(uint8_t) consts;  /* 64-byte steps */
    struct strmap const_index; /* bytes + value -> offset */
    VEC(struct special_row) specials;
    VEC(struct unsupported) unsupported;
    const struct op_row *rows[OP_COUNT];
};

struct arena *tw_decode_arena(struct decoder *dc) { return dc->arena; }
const struct ptx_module *tw_decode_module(const struct decoder *dc) { return dc->module; }
const struct ptx_func *tw_decode_func(const struct decoder *dc) { return dc->func; }

bool tw_decode_unsupported(struct decoder *dc, const struct ptx_inst *in, const char *why)
{
    for (uint32_t i = 0; i < dc->unsupported.len; i++) {
        struct unsupported *const u = &dc->unsupported.at[i];
        if (u->inst->form == in->form && strcmp(u->why, why) == 0) {
            u->count++;
            return false;
        }
    }
    *vec_push(dc->arena, &dc->unsupported) = (struct unsupported){dc->func, in, why, 1};
    return false;
}

/* ---- Modifiers ------------------------------------------------------------------------------ */

enum num_format tw_decode_format(unsigned type)
{
    static const struct { uint16_t mod; uint8_t format; } rows[] = {
        {MOD_F16, NUM_F16}, {MOD_BF16, NUM_BF16}, {MOD_TF32, NUM_TF32}, {MOD_F32, NUM_F32}, {MOD_F64, NUM_F64},
        {MOD_E4M3, NUM_E4M3}, {MOD_E5M2, NUM_E5M2}, {MOD_E2M3, NUM_E2M3}, {MOD_E3M2, NUM_E3M2}, {MOD_E2M1, NUM_E2M1},
        {MOD_UE8M0, NUM_UE8M0}, {MOD_UE4M3, NUM_UE4M3},
        {MOD_S4, NUM_S4}, {MOD_U4, NUM_U4}, {MOD_S8, NUM_S8}, {MOD_U8, NUM_U8}, {MOD_B8, NUM_U8},
        {MOD_S16, NUM_S16}, {MOD_U16, NUM_U16}, {MOD_B16, NUM_U16}, {MOD_S32, NUM_S32}, {MOD_U32, NUM_U32}, {MOD_B32, NUM_U32},
        {MOD_S64, NUM_S64}, {MOD_U64, NUM_U64}, {MOD_B64, NUM_U64}, {MOD_B1, NUM_B1},
    };
    const struct isa_mod_row *const row_of = isa_mod_row(type);
    const unsigned elem = row_of->type_class == TYPE_PACKED ? (unsigned)row_of->elem : type;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == elem)
            return (enum num_format)rows[i].format;
    return NUM_NONE;
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

enum { ROW_ALIGN = 64 };

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

static unsigned slot_bytes_of(unsigned bits)
{
    return bits <= 1 ? 0 : bits <= 32 ? 4 : bits / 8;
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
        {SREG_LANEID, SPECIAL_LANEID}, {SREG_WARPID, SPECIAL_WARPID}, {SREG_NWARPID, SPECIAL_NWARPID},
        {SREG_SMID, SPECIAL_SMID}, {SREG_NSMID, SPECIAL_NSMID}, {SREG_GRIDID, SPECIAL_GRIDID},
        {SREG_LANEMASK_EQ, SPECIAL_LANEMASK_EQ}, {SREG_LANEMASK_LE, SPECIAL_LANEMASK_LE},
        {SREG_LANEMASK_LT, SPECIAL_LANEMASK_LT}, {SREG_LANEMASK_GE, SPECIAL_LANEMASK_GE},
        {SREG_LANEMASK_GT, SPECIAL_LANEMASK_GT}, {SREG_CLUSTER_CTARANK, SPECIAL_CLUSTER_CTARANK},
        {SREG_CLUSTER_NCTARANK, SPECIAL_CLUSTER_NCTARANK}, {SREG_IS_EXPLICIT_CLUSTER, SPECIAL_IS_EXPLICIT_CLUSTER},
        {SREG_DYNAMIC_SMEM_SIZE, SPECIAL_DYNAMIC_SMEM_SIZE}, {SREG_TOTAL_SMEM_SIZE, SPECIAL_TOTAL_SMEM_SIZE},
        {SREG_AGGR_SMEM_SIZE, SPECIAL_AGGR_SMEM_SIZE}, {SREG_CLOCK, SPECIAL_CLOCK}, {SREG_CLOCK_HI, SPECIAL_GLOBALTIMER_HI},
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
    if (constant_sreg(id, &value)) {
        constant_operand(dc, bits, value, out);
    } else if (is_x_of(id, &kind)) {
        if (o->component == 3) /* .w reads zero, of the counts one. SOURCE: PTX ISA, "%tid", "%ntid" */
            constant_operand(dc, bits, id == SREG_NTID || id == SREG_NCTAID, out);
        else
            out->ref = special(dc, (enum special_kind)(kind + o->component), out->bytes, 0);
    } else {
        out->ref = special(dc, scalar_sreg(id), out->bytes, 0);
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

static bool vector_operand(struct decoder *dc, const struct ptx_operand *o, unsigned type, struct dop *out)
{
    const struct ptx_operand *const elems = tw_ptx_elements(dc->func, o);
    struct dop element = {0};
    const uint32_t first = dc->refs.len;
    for (uint32_t i = 0; i < o->count; i++)
        *vec_push(dc->arena, &dc->refs) = REF_NONE;
    for (uint32_t i = 0; i < o->count; i++) {
        struct dop e;
        if (!tw_decode_operand(dc, &elems[i], type, &e))
            return false;
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

/* ---- Functions ------------------------------------------------------------------------------ */

static const struct op_row *const families[] = {
    tw_ops_integer, tw_ops_bits, tw_ops_float, tw_ops_convert, tw_ops_select, tw_ops_memory, tw_ops_address, tw_ops_matrix, tw_ops_cp_async,
    tw_ops_atomic,
    tw_ops_control, tw_ops_warp, tw_ops_barrier, tw_ops_fence, tw_ops_tcgen05, tw_ops_mbarrier, tw_ops_mma,
};

static void collect_rows(struct decoder *dc)
{
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
        for (const struct op_row *r = families[f]; r->op != OP_NONE; r++) {
            assert(dc->rows[r->op] == NULL);
            dc->rows[r->op] = r;
        }
}

static void decode_guard(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->guard = in->guard == PTX_NONE ? tw_decode_constant(dc, 0, ALL_LANES) : dc->reg_ref[in->guard];
    d->guard_flip = in->guard_negated ? ALL_LANES : 0;
}

static bool decode_inst(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    decode_guard(dc, in, d);
    d->isa_op = (uint16_t)in->form->op;
    if (tw_ptx_has(in, SLOT_ALIGNED))
        d->flags |= D_ALIGNED;
    const struct op_row *const r = dc->rows[in->form->op];
    if (r == NULL)
        return tw_decode_unsupported(dc, in, "the machine has no execution function for it");
    return r->prepare(dc, in, d);
}

static struct origin origin_of(const struct ptx_func *f, const struct ptx_inst *in)
{
    struct origin o = {.at = tw_ptx_inst_span(f, in), .inst = in};
    if (in->loc != 0) {
        o.loc_file = f->locs.at[in->loc - 1].file;
        o.loc_line = f->locs.at[in->loc - 1].line;
    }
    return o;
}

/* Offsets of a function's variables in their spaces. SOURCE: ptx-async.md 8.8. */
static void place_vars(struct decoder *dc)
{
    const struct ptx_func *const f = dc->func;
    uint64_t local = 0, param = 0;
    dc->var_offset = arena_new(dc->arena, uint64_t, f->vars.len + 1);
    for (uint32_t i = 0; i < f->vars.len; i++) {
        const struct ptx_var *const v = &f->vars.at[i];
        const uint64_t align = v->align == 0 ? 1 : v->align;
        if (v->space == MOD_SHARED) {
            dc->var_offset[i] = tw_shared_place_of(dc->shared, f, i);
        } else if (v->space == MOD_LOCAL) {
            dc->var_offset[i] = align_up(local, align);
            local = dc->var_offset[i] + v->bytes;
        } else if (v->space == MOD_PARAM && f->is_entry && i < f->param_count) {
            dc->var_offset[i] = v->offset;
        } else if (v->space == MOD_PARAM) {
            dc->var_offset[i] = align_up(param, align < 16 ? 16 : align);
            param = dc->var_offset[i] + v->bytes;
        }
    }
    dc->code->local_bytes = (uint32_t)align_up(local, 16);
    dc->code->param_bytes = (uint32_t)align_up(param, 16);
}

static void append_exit(struct decoder *dc)
{
    /* Falling off the end of a body is a return. */
    struct dinst *const last = &dc->code->insts[dc->code->count];
    last->guard = tw_decode_constant(dc, 0, ALL_LANES);
    last->isa_op = OP_RET;
    last->run = tw_exec_return;
    last->origin = dc->code->count;
    dc->code->origins[dc->code->count] =
        dc->code->count > 0 ? dc->code->origins[dc->code->count - 1] : (struct origin){.at = dc->func->at};
    dc->code->count++;
}

static void decode_func(struct decoder *dc, struct code *code)
{
    const struct ptx_func *const f = code->func;
    dc->func = f;
    dc->code = code;
    memset(&dc->refs, 0, sizeof dc->refs);
    memset(&dc->consts, 0, sizeof dc->consts);
    memset(&dc->specials, 0, sizeof dc->specials);
    tw_strmap_init(&dc->const_index, dc->arena);
    dc->reg_ref = tw_registers_assign(dc->arena, f, &code->frame_bytes);
    place_vars(dc);
    code->insts = arena_new(dc->arena, struct dinst, f->insts.len + 1);
    code->origins = arena_new(dc->arena, struct origin, f->insts.len + 1);
    for (uint32_t i = 0; i < f->insts.len; i++) {
        code->origins[i] = origin_of(f, &f->insts.at[i]);
        code->insts[i].origin = i;
        (void)decode_inst(dc, &f->insts.at[i], &code->insts[i]);
    }
    for (uint32_t i = 0; i < f->insts.len; i++)
        dc->image->contractable += (code->insts[i].flags & D_FLOAT_CONTRACTABLE) != 0;
    code->count = f->insts.len;
    code->reg_ref = dc->reg_ref;
    code->var_offset = dc->var_offset;
    append_exit(dc);
    code->refs = dc->refs.at;
    code->const_bytes = dc->consts.len;
    code->consts = tw_arena_alloc(dc->arena, 1, dc->consts.len + ROW_ALIGN);
    code->consts += (ROW_ALIGN - ((uintptr_t)code->consts & (ROW_ALIGN - 1))) & (ROW_ALIGN - 1);
    memcpy(code->consts, dc->consts.at, dc->consts.len);
    code->specials = dc->specials.at;
    code->special_count = dc->specials.len;
}

/* The code of a function, decoded later if it is new. */
struct code *tw_decode_callee(struct decoder *dc, uint32_t func)
{
    const struct ptx_func *const f = &dc->module->funcs.at[tw_definition_of(dc->module, func)];
    struct image *const image = dc->image;
    for (uint32_t i = 0; i < image->code_count; i++)
        if (image->codes[i]->func == f)
            return image->codes[i];
    struct code *const code = arena_new(dc->arena, struct code, 1);
    *code = (struct code){.image = image, .func = f, .name = f->name};
    image->codes[image->code_count++] = code;
    return code;
}

uint32_t tw_decode_param_offset(const struct decoder *dc, uint32_t var)
{
    return (uint32_t)dc->var_offset[var];
}

void tw_decode_var_place(const struct decoder *dc, const struct code *code, uint32_t var, bool *in_register, uint32_t *at,
                         uint32_t *bytes, uint8_t *slot_bytes)
{
    (void)dc;
    const struct ptx_var *const v = &code->func->vars.at[var];
    *in_register = v->space == MOD_REG && v->reg != PTX_NONE;
    *at = *in_register ? code->reg_ref[v->reg] : (uint32_t)code->var_offset[var];
    *bytes = (uint32_t)v->bytes;
    *slot_bytes = *in_register ? (uint8_t)slot_bytes_of(isa_type_bits(v->type)) : 0;
}

/* Places of callees are known once all functions are decoded. */
static void link_calls(struct decoder *dc)
{
    for (uint32_t c = 0; c < dc->image->code_count; c++)
        for (uint32_t i = 0; i < dc->image->codes[c]->count; i++)
            if (dc->image->codes[c]->insts[i].isa_op == OP_CALL && dc->image->codes[c]->insts[i].run != NULL)
                tw_link_call(dc, &dc->image->codes[c]->insts[i]);
}

static void report_unsupported(const struct decoder *dc)
{
    for (uint32_t i = 0; i < dc->unsupported.len; i++) {
        const struct unsupported *const u = &dc->unsupported.at[i];
        struct text spelled;
        tw_text_init(&spelled, dc->diags->arena);
        const struct isa_spelling spelling = tw_ptx_spelling(u->inst);
        tw_isa_spell(&spelling, &spelled);
        struct diag *const d = tw_diag(dc->diags, E0709, tw_ptx_inst_span(u->func, u->inst),
                                       "'%s' is known, but this machine does not execute it", spelled.at);
        tw_diag_found(d, "%u instruction%s of this form in '%s'; %s", u->count, u->count == 1 ? "" : "s",
                      dc->image->entry->name, u->why);
    }
}

struct image *tw_image_decode(struct arena *arena, struct diags *diags, const struct program *program, const struct ptx_func *entry)
{
    struct decoder *const dc = arena_new(arena, struct decoder, 1);
    *dc = (struct decoder){.arena = arena, .diags = diags, .program = program, .module = program->module};
    struct image *const image = arena_new(arena, struct image, 1);
    *image = (struct image){.program = program, .entry = entry};
    image->codes = arena_new(arena, struct code *, program->module->funcs.len + 1);
    dc->image = image;
    const uint32_t errors = diags->error_count;
    dc->shared = tw_shared_layout_make(arena, program->module, entry);
    image->shared_static_end = dc->shared->static_end;
    image->shared_dynamic_at = dc->shared->dynamic_at;
    image->has_dynamic_shared = dc->shared->has_dynamic;
    collect_rows(dc);
    image->codes[image->code_count++] = arena_new(arena, struct code, 1);
    *image->codes[0] = (struct code){.image = image, .func = entry, .name = entry->name};
    for (uint32_t i = 0; i < image->code_count; i++) /* grows while calls are found */
        decode_func(dc, image->codes[i]);
    link_calls(dc);
    report_unsupported(dc);
    return diags->error_count == errors ? image : NULL;
}
