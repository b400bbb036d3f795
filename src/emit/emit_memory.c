/* Memory: element addresses, loads and stores, pointers, and local tensors in registers. */
#include "emit/internal.h"

#include "base/bits.h"
#include "ir/ir_names.h"

#include <assert.h>

/* ---- types in memory ------------------------------------------------------------------------------------ */

const char *tw_emit_memory_op(struct emitter *em, const char *operation, struct ir_type t)
{
    const char *type = t.bits == 16 ? "b16" : t.bits == 32 ? "b32" : "b64";
    if (t.bits == 8)
        type = t.cls == IR_SINT ? "s8" : "u8";
    else if (t.cls == IR_FLOAT && t.bits >= 32)
        type = t.bits == 32 ? "f32" : "f64";
    return tw_format(em->arena, "%s.%s", operation, type);
}

static bool is_shared_space(unsigned space)
{
    return space == MOD_SHARED || space == MOD_SHARED_CTA || space == MOD_SHARED_CLUSTER;
}

/* ---- element addresses ------------------------------------------------------------------------------------ */

/* An element's place: base, and bytes that an instruction can add by itself. */
struct place {
    struct ptx_operand base; /* register or symbol */
    int64_t bytes;
};

enum { MAX_IMMEDIATE = INT32_MAX }; /* PTX: the offset of an address is a 32-bit integer */

/* e = rest + *constant; NULL if nothing is left of it. */
static const struct ir_expr *split_constant(const struct ir_expr *e, int64_t *constant)
{
    *constant = 0;
    if (tw_ir_is_const_int(e, constant))
        return NULL;
    int64_t c;
    if (e->op != IR_ADD || !tw_ir_is_const_int(e->args[1], &c))
        return e;
    *constant = c;
    return e->args[0];
}

static struct ptx_operand times32(struct emitter *em, struct ptx_operand x, uint32_t bytes)
{
    if (bytes == 1)
        return x;
    return PURE(em, "shl.b32", MOD_B32, x, ptx_int(log2_floor(bytes)));
}

/* The run-time part in bytes, 64 bits wide. */
static struct ptx_operand times64(struct emitter *em, const struct ir_expr *e, uint32_t bytes)
{
    const struct ptx_operand x = tw_emit_in_reg(em, tw_emit_expr(em, e), e->type);
    if (e->type.bits == 32)
        return PURE(em, e->type.cls == IR_SINT ? "mul.wide.s32" : "mul.wide.u32", MOD_B64, x, ptx_int(bytes));
    return bytes == 1 ? x : PURE(em, "shl.b64", MOD_B64, x, ptx_int(log2_floor(bytes)));
}

static struct ptx_operand global_base(struct emitter *em, const struct ir_storage *s)
{
    const struct ptx_operand p = PURE(em, "ld.param.u64", MOD_B64, ptx_addr(em->symbols[s->id], 0));
    return PURE(em, "cvta.to.global.u64", MOD_B64, p);
}

static struct place place_of(struct emitter *em, const struct ir_region *r)
{
    const struct ir_storage *s = r->view->storage;
    const uint32_t bytes = r->view->elem.bits / 8u;
    const bool shared = s->scope == IR_SHARED;
    int64_t constant = 0;
    const struct ir_expr *rest = r->start[0] == NULL ? NULL : split_constant(r->start[0], &constant);
    struct place p = {.bytes = constant * bytes};
    assert(is_pow2(bytes));
    if (p.bytes > MAX_IMMEDIATE || p.bytes < -MAX_IMMEDIATE) {
        rest = r->start[0];
        p.bytes = 0;
    }
    p.base = s->scope == IR_GLOBAL ? global_base(em, s) : em->symbols[s->id];
    if (rest == NULL)
        return p;
    if (shared) {
        const struct ptx_operand x = tw_emit_in_reg(
            em, tw_emit_cast(em, tw_emit_expr(em, rest), rest->type, tw_ir_int32(), r->at), tw_ir_int32());
        p.base = PURE(em, "add.s32", MOD_B32, PURE(em, "mov.u32", MOD_B32, p.base), times32(em, x, bytes));
        return p;
    }
    if (p.base.kind != OPERAND_REG)
        p.base = PURE(em, "mov.u64", MOD_B64, p.base);
    p.base = PURE(em, "add.s64", MOD_B64, p.base, times64(em, rest, bytes));
    return p;
}

/* ---- loads and stores ----------------------------------------------------------------------------------------- */

static bool in_registers(const struct ir_region *r)
{
    return r->view->storage->scope == IR_LOCAL && r->view->storage->memory_reason == NULL;
}

static int64_t slot_index(const struct ir_region *r)
{
    int64_t index = 0;
    if (r->start[0] != NULL) {
        const bool known = tw_ir_is_const_int(r->start[0], &index);
        assert(known);
        (void)known;
    }
    return index;
}

static const char *space_name(const struct ir_storage *s)
{
    return s->scope == IR_GLOBAL ? "global" : s->scope == IR_SHARED ? "shared" : "local";
}

struct ptx_operand tw_emit_load(struct emitter *em, const struct ir_region *r)
{
    const struct ir_type t = r->view->elem;
    if (in_registers(r))
        return tw_emit_read_slot(em, r->view->storage, t, slot_index(r));
    const struct place p = place_of(em, r);
    const char *spelling = tw_emit_memory_op(em, tw_format(em->arena, "ld.%s", space_name(r->view->storage)), t);
    const struct ptx_operand raw = tw_emit_reg(em, t.cls == IR_BOOL ? MOD_B16 : tw_emit_reg_type(t));
    EMIT(em, spelling, raw, ptx_addr(p.base, p.bytes));
    return t.cls == IR_BOOL ? PURE(em, "setp.ne.u16", MOD_PRED, raw, ptx_int(0)) : raw;
}

static struct ptx_operand bool_as_word(struct emitter *em, struct ptx_operand value)
{
    return PURE(em, "selp.b16", MOD_B16, ptx_int(1), ptx_int(0), tw_emit_in_reg(em, value, tw_ir_bool()));
}

void tw_emit_store(struct emitter *em, const struct ir_region *r, struct ptx_operand value)
{
    const struct ir_type t = r->view->elem;
    if (in_registers(r)) {
        tw_emit_write_slot(em, r->view->storage, t, slot_index(r), value);
        return;
    }
    const struct place p = place_of(em, r);
    const char *spelling = tw_emit_memory_op(em, tw_format(em->arena, "st.%s", space_name(r->view->storage)), t);
    EMIT(em, spelling, ptx_addr(p.base, p.bytes), t.cls == IR_BOOL ? bool_as_word(em, value) : tw_emit_in_reg(em, value, t));
}

/* ---- pointers --------------------------------------------------------------------------------------------------- */

const struct ir_expr *tw_emit_pointer_root(const struct ir_expr *e, int64_t *bytes)
{
    int64_t c;
    while (e->op == IR_OFFSET && tw_ir_is_const_int(e->args[1], &c)) {
        *bytes += c;
        e = e->args[0];
    }
    return e->op == IR_ADDRESS ? e : NULL;
}

static struct ptx_operand plus64(struct emitter *em, struct ptx_operand a, int64_t bytes)
{
    return bytes == 0 ? a : PURE(em, "add.s64", MOD_B64, a, ptx_int(bytes));
}

/* The place as a register in the window of its space. */
static struct ptx_operand window_address(struct emitter *em, const struct ir_storage *s, struct place p)
{
    if (s->scope == IR_SHARED) {
        const struct ptx_operand base = p.base.kind == OPERAND_REG ? p.base : PURE(em, "mov.u32", MOD_B32, p.base);
        return p.bytes == 0 ? base : PURE(em, "add.s32", MOD_B32, base, ptx_int(p.bytes));
    }
    const struct ptx_operand base = p.base.kind == OPERAND_REG ? p.base : PURE(em, "mov.u64", MOD_B64, p.base);
    return plus64(em, base, p.bytes);
}

struct ptx_operand tw_emit_pointer(struct emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_OFFSET)
        return PURE(em, "add.s64", MOD_B64, tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), e->type),
                    tw_emit_expr(em, e->args[1]));
    const struct ir_storage *s = e->region->view->storage;
    const struct ptx_operand window = window_address(em, s, place_of(em, e->region));
    if (s->scope == IR_GLOBAL)
        return window; /* generic addresses of global memory are the same */
    if (s->scope == IR_LOCAL)
        return PURE(em, "cvta.local.u64", MOD_B64, window);
    return PURE(em, "cvta.shared.u64", MOD_B64, PURE(em, "cvt.u64.u32", MOD_B64, window));
}

struct ptx_operand tw_emit_shared_address(struct emitter *em, const struct ir_expr *pointer)
{
    int64_t bytes = 0;
    const struct ir_expr *from = tw_emit_pointer_root(pointer, &bytes);
    if (from != NULL && from->region->view->storage->scope == IR_SHARED) {
        struct place p = place_of(em, from->region);
        p.bytes += bytes;
        return window_address(em, from->region->view->storage, p);
    }
    const struct ptx_operand generic = tw_emit_in_reg(em, tw_emit_expr(em, pointer), pointer->type);
    return PURE(em, "cvt.u32.u64", MOD_B32, PURE(em, "cvta.to.shared.u64", MOD_B64, generic));
}

static bool space_has(unsigned space, enum ir_scope scope)
{
    return space == MOD_NONE || (is_shared_space(space) && scope == IR_SHARED) || (space == MOD_GLOBAL && scope == IR_GLOBAL) ||
           (space == MOD_LOCAL && scope == IR_LOCAL);
}

static struct ptx_operand wrong_space(struct emitter *em, const struct ir_expr *e, const struct ir_expr *from, unsigned space)
{
    const struct ir_storage *s = from->region->view->storage;
    char buffer[16];
    struct diag *d = tw_diag(em->diags, E0811, e->at, "this instruction does not reach '%s'", s->name);
    tw_diag_expected(d, "an address in .%s", tw_isa_mod_text(space, buffer));
    tw_diag_found(d, "'%s', in %s memory", s->name, tw_ir_scope_name(s->scope));
    em->failed = true;
    return ptx_addr(tw_emit_reg(em, MOD_B64), 0);
}

static struct ptx_operand pointer_operand(struct emitter *em, const struct ir_expr *e, unsigned space, int64_t bytes)
{
    const struct ir_expr *from = tw_emit_pointer_root(e, &bytes);
    if (from != NULL && !space_has(space, from->region->view->storage->scope))
        return wrong_space(em, e, from, space);
    if (from != NULL && space != MOD_NONE) {
        const struct place p = place_of(em, from->region);
        return ptx_addr(p.base, p.bytes + bytes);
    }
    if (from != NULL)
        return ptx_addr(tw_emit_in_reg(em, tw_emit_pointer(em, from), from->type), bytes);
    const struct ptx_operand generic = tw_emit_in_reg(em, tw_emit_expr(em, e), e->type);
    if (is_shared_space(space))
        return ptx_addr(PURE(em, "cvt.u32.u64", MOD_B32, PURE(em, "cvta.to.shared.u64", MOD_B64, generic)), bytes);
    if (space == MOD_GLOBAL || space == MOD_LOCAL)
        return ptx_addr(PURE(em, space == MOD_GLOBAL ? "cvta.to.global.u64" : "cvta.to.local.u64", MOD_B64, generic), bytes);
    return ptx_addr(generic, bytes);
}

struct ptx_operand tw_emit_address(struct emitter *em, const struct ir_expr *e, unsigned space, int64_t offset_bytes)
{
    if (e->type.cls == IR_POINTER)
        return pointer_operand(em, e, space, offset_bytes);
    int64_t constant = 0;
    const struct ir_expr *rest = split_constant(e, &constant);
    if (rest == NULL || constant > MAX_IMMEDIATE || constant < -MAX_IMMEDIATE) {
        rest = e;
        constant = 0;
    }
    return ptx_addr(tw_emit_in_reg(em, tw_emit_expr(em, rest), rest->type), constant + offset_bytes);
}

/* ---- local tensors in registers -------------------------------------------------------------------------------- */

static enum isa_mod unit_type(const struct local_file *f)
{
    if (f->is_float)
        return f->unit_bits == 32 ? MOD_F32 : MOD_F64;
    return f->unit_bits <= 16 ? MOD_B16 : f->unit_bits == 32 ? MOD_B32 : MOD_B64;
}

void tw_emit_plan_locals(struct emitter *em)
{
    const struct local_unit *units = tw_emit_local_units(em->k);
    for (uint32_t i = 0; i < em->k->storages.len; i++) {
        struct local_file *f = &em->files[i];
        *f = (struct local_file){.unit_bits = units[i].bits, .is_float = units[i].is_float, .count = units[i].count};
        if (f->unit_bits == 0)
            continue;
        f->regs = arena_new(em->arena, struct ptx_operand, f->count);
        for (uint32_t r = 0; r < f->count; r++) {
            f->regs[r] = tw_emit_reg(em, unit_type(f));
            tw_emit_mark_mutable(em, f->regs[r], true);
        }
    }
}

bool tw_emit_slot_reg(const struct emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index,
                      struct ptx_operand *reg)
{
    const struct local_file *f = &em->files[s->id];
    if (t.bits != f->unit_bits || t.cls == IR_BOOL)
        return false;
    assert(index >= 0 && index < (int64_t)f->count);
    *reg = f->regs[index];
    return true;
}

struct ptx_operand tw_emit_read_slot(struct emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index)
{
    struct ptx_operand reg;
    const struct local_file *f = &em->files[s->id];
    if (tw_emit_slot_reg(em, s, t, index, &reg))
        return reg;
    const int64_t bit = index * t.bits;
    reg = f->regs[bit / f->unit_bits];
    if (t.cls == IR_BOOL && f->unit_bits == t.bits)
        return PURE(em, "setp.ne.u16", MOD_PRED, reg, ptx_int(0));
    const bool wide = f->unit_bits == 64;
    const char *extract = t.cls == IR_SINT ? (wide ? "bfe.s64" : "bfe.s32") : wide ? "bfe.u64" : "bfe.u32";
    struct ptx_operand unit = reg;
    if (f->unit_bits <= 16)
        unit = PURE(em, "cvt.u32.u16", MOD_B32, reg);
    struct ptx_operand part = PURE(em, extract, wide ? MOD_B64 : MOD_B32, unit, ptx_int(bit % f->unit_bits), ptx_int(t.bits));
    if (t.bits <= 16)
        part = PURE(em, wide ? "cvt.u16.u64" : "cvt.u16.u32", MOD_B16, part);
    else if (wide)
        part = PURE(em, "cvt.u32.u64", MOD_B32, part);
    if (t.cls == IR_BOOL)
        return PURE(em, "setp.ne.u16", MOD_PRED, part, ptx_int(0));
    return t.cls == IR_FLOAT && t.bits == 32 ? PURE(em, "mov.b32", MOD_F32, part) : part;
}

/* unit = unit with bits [at, at + width) replaced. */
static void insert(struct emitter *em, const struct local_file *f, struct ptx_operand unit, struct ptx_operand part,
                   struct ir_type t, int64_t at)
{
    const bool wide = f->unit_bits == 64;
    struct ptx_operand value = part;
    if (t.bits <= 16)
        value = PURE(em, wide ? "cvt.u64.u16" : "cvt.u32.u16", wide ? MOD_B64 : MOD_B32, part);
    else if (wide)
        value = PURE(em, "cvt.u64.u32", MOD_B64, t.cls == IR_FLOAT ? PURE(em, "mov.b32", MOD_B32, part) : part);
    if (f->unit_bits > 16) {
        EMIT(em, wide ? "bfi.b64" : "bfi.b32", unit, value, unit, ptx_int(at), ptx_int(t.bits));
        return;
    }
    const struct ptx_operand whole = PURE(em, "cvt.u32.u16", MOD_B32, unit);
    EMIT(em, "cvt.u16.u32", unit, PURE(em, "bfi.b32", MOD_B32, value, whole, ptx_int(at), ptx_int(t.bits)));
}

void tw_emit_write_slot(struct emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index, struct ptx_operand value)
{
    struct ptx_operand reg;
    const struct local_file *f = &em->files[s->id];
    if (tw_emit_slot_reg(em, s, t, index, &reg)) {
        tw_emit_move(em, reg, value, t);
        return;
    }
    const int64_t bit = index * t.bits;
    const struct ir_type word = t.cls == IR_BOOL ? tw_ir_type_of(NUM_U8) : t;
    const struct ptx_operand part = t.cls == IR_BOOL ? bool_as_word(em, value) : tw_emit_in_reg(em, value, t);
    reg = f->regs[bit / f->unit_bits];
    if (f->unit_bits == t.bits)
        tw_emit_move(em, reg, part, word);
    else
        insert(em, f, reg, part, word, bit % f->unit_bits);
}
