/* Instructions, registers, constants, and values that were computed before. */
#include "emit/internal.h"

#include <assert.h>
#include <string.h>

/* ---- instructions ------------------------------------------------------------------------------------ */

void tw_emit_inst(struct emitter *em, const char *spelling, const struct ptx_operand *operands, size_t count)
{
    em->b.at = em->at;
    if (!tw_ptx_emit_n(&em->b, spelling, operands, count))
        em->failed = true;
}

void tw_emit_guarded(struct emitter *em, struct ptx_operand predicate, const char *spelling, const struct ptx_operand *operands,
                     size_t count)
{
    tw_ptx_guard(&em->b, predicate);
    tw_emit_inst(em, spelling, operands, count);
}

/* ---- registers ----------------------------------------------------------------------------------------- */

enum isa_mod tw_emit_reg_type(struct ir_type t)
{
    if (t.cls == IR_BOOL)
        return MOD_PRED;
    if (t.cls == IR_FLOAT && t.bits == 32)
        return MOD_F32;
    if (t.cls == IR_FLOAT && t.bits == 64)
        return MOD_F64;
    return t.bits <= 16 ? MOD_B16 : t.bits == 32 ? MOD_B32 : MOD_B64;
}

struct ptx_operand tw_emit_reg(struct emitter *em, enum isa_mod type)
{
    const struct ptx_operand r = tw_ptx_new_reg(&em->b, type);
    while (em->mutable_regs.len <= r.index)
        *vec_push(em->arena, &em->mutable_regs) = 0;
    return r;
}

struct ptx_operand tw_emit_reg_of(struct emitter *em, struct ir_type t)
{
    return tw_emit_reg(em, tw_emit_reg_type(t));
}

void tw_emit_mark_mutable(struct emitter *em, struct ptx_operand reg, bool is_mutable)
{
    assert(reg.kind == OPERAND_REG);
    em->mutable_regs.at[reg.index] = is_mutable;
}

bool tw_emit_is_mutable(const struct emitter *em, struct ptx_operand o)
{
    return o.kind == OPERAND_REG && em->mutable_regs.at[o.index] != 0;
}

/* ---- values known before --------------------------------------------------------------------------------- */

static bool same_operand(struct ptx_operand a, struct ptx_operand b)
{
    return a.kind == b.kind && a.base == b.base && a.component == b.component && a.negated == b.negated && a.index == b.index &&
           a.value == b.value;
}

static uint32_t hash_of(const char *spelling, const struct ptx_operand *in, size_t count)
{
    uint32_t h = 2166136261u; /* FNV-1a over the parts */
    for (const char *c = spelling; *c != '\0'; c++)
        h = (h ^ (uint8_t)*c) * 16777619u;
    for (size_t i = 0; i < count; i++) {
        h = (h ^ in[i].kind ^ in[i].index << 8) * 16777619u;
        h = (h ^ (uint32_t)in[i].value) * 16777619u;
    }
    return h;
}

static const struct known_value *find_value(const struct emitter *em, const char *spelling, const struct ptx_operand *in,
                                            size_t count, uint32_t hash)
{
    for (uint32_t at = em->buckets[hash % VALUE_BUCKETS]; at != 0; at = em->values.at[at - 1].chain) {
        const struct known_value *v = &em->values.at[at - 1];
        bool same = v->hash == hash && v->in_count == count && strcmp(v->spelling, spelling) == 0;
        for (size_t i = 0; same && i < count; i++)
            same = same_operand(v->in[i], in[i]);
        if (same)
            return v;
    }
    return NULL;
}

static void remember(struct emitter *em, const char *spelling, const struct ptx_operand *in, size_t count, uint32_t hash,
                     struct ptx_operand out)
{
    struct known_value *v = vec_push(em->arena, &em->values);
    *v = (struct known_value){.spelling = spelling, .in_count = (uint32_t)count, .out = out, .hash = hash,
                              .chain = em->buckets[hash % VALUE_BUCKETS]};
    memcpy(v->in, in, count * sizeof *in);
    em->buckets[hash % VALUE_BUCKETS] = em->values.len;
}

struct ptx_operand tw_emit_pure(struct emitter *em, const char *spelling, enum isa_mod type, const struct ptx_operand *in,
                                size_t count)
{
    struct ptx_operand operands[4];
    assert(count <= 3);
    bool fixed = true;
    for (size_t i = 0; i < count; i++)
        fixed = fixed && !tw_emit_is_mutable(em, in[i]);
    const uint32_t hash = hash_of(spelling, in, count);
    const struct known_value *known = fixed ? find_value(em, spelling, in, count, hash) : NULL;
    if (known != NULL)
        return known->out;
    operands[0] = tw_emit_reg(em, type);
    memcpy(operands + 1, in, count * sizeof *in);
    tw_emit_inst(em, spelling, operands, count + 1);
    if (fixed)
        remember(em, spelling, in, count, hash, operands[0]);
    return operands[0];
}

uint32_t tw_emit_scope_open(const struct emitter *em)
{
    return em->values.len;
}

void tw_emit_scope_close(struct emitter *em, uint32_t mark)
{
    while (em->values.len > mark) {
        const struct known_value *v = &em->values.at[--em->values.len];
        em->buckets[v->hash % VALUE_BUCKETS] = v->chain;
    }
}

/* ---- spelling --------------------------------------------------------------------------------------------- */

const char *tw_emit_suffix(struct ir_type t)
{
    if (t.cls == IR_FLOAT)
        return tw_num_format(t.format)->name;
    if (t.cls == IR_POINTER)
        return "u64";
    const bool is_signed = t.cls == IR_SINT;
    return t.bits <= 16 ? (is_signed ? "s16" : "u16") : t.bits == 32 ? (is_signed ? "s32" : "u32") : (is_signed ? "s64" : "u64");
}

const char *tw_emit_bits_suffix(struct ir_type t)
{
    if (t.cls == IR_BOOL)
        return "pred";
    return t.bits <= 16 ? "b16" : t.bits == 32 ? "b32" : "b64";
}

const char *tw_emit_spell(struct emitter *em, const char *operation, struct ir_type t, char kind)
{
    return tw_format(em->arena, "%s.%s", operation, kind == 'b' ? tw_emit_bits_suffix(t) : tw_emit_suffix(t));
}

/* ---- constants ----------------------------------------------------------------------------------------------- */

struct ptx_operand tw_emit_constant(struct emitter *em, struct ir_type t, uint64_t bits)
{
    if (t.cls == IR_BOOL)
        return ptx_int(bits != 0);
    if (t.cls == IR_FLOAT && t.bits == 32)
        return ptx_f32_bits((uint32_t)bits);
    if (t.cls == IR_FLOAT && t.bits == 64)
        return ptx_f64_bits(bits);
    if (t.cls == IR_FLOAT) /* PTX has no literals of narrower floats */
        return PURE(em, "mov.b16", MOD_B16, ptx_int((int64_t)bits));
    return ptx_int((int64_t)bits);
}

void tw_emit_move(struct emitter *em, struct ptx_operand d, struct ptx_operand s, struct ir_type t)
{
    if (same_operand(d, s))
        return;
    if (t.cls == IR_BOOL && s.kind == OPERAND_REG && s.negated) {
        EMIT(em, "not.pred", d, ptx_not(s));
        return;
    }
    const enum isa_mod type = tw_emit_reg_type(t);
    const char *spelling = type == MOD_PRED ? "mov.pred" : type == MOD_F32 ? "mov.f32" : type == MOD_F64 ? "mov.f64"
                           : type == MOD_B16 ? "mov.b16" : type == MOD_B32 ? "mov.b32" : "mov.b64";
    EMIT(em, spelling, d, s);
}

struct ptx_operand tw_emit_in_reg(struct emitter *em, struct ptx_operand o, struct ir_type t)
{
    if (o.kind == OPERAND_REG && !o.negated)
        return o;
    if (o.kind == OPERAND_REG)
        return PURE(em, "not.pred", MOD_PRED, ptx_not(o));
    const enum isa_mod type = tw_emit_reg_type(t);
    if (type == MOD_PRED)
        return PURE(em, "mov.pred", MOD_PRED, o);
    return PURE(em,
                type == MOD_F32   ? "mov.f32"
                : type == MOD_F64 ? "mov.f64"
                : type == MOD_B16 ? "mov.b16"
                : type == MOD_B32 ? "mov.b32"
                                  : "mov.b64",
                type, o);
}

struct ptx_operand tw_emit_refuse(struct emitter *em, struct src_span at, struct ir_type t, const char *what)
{
    if (!em->failed) {
        struct diag *d = tw_diag(em->diags, E0810, at, "no instruction for this: %s", what);
        tw_diag_found(d, "a value of type %s", tw_ir_type_name(t));
        tw_diag_fix(d, "convert to float32 or to an integer first");
    }
    em->failed = true;
    return tw_emit_reg_of(em, t);
}
