/* Arithmetic: one row an operation and class of type, and the operations that PTX does not have. Float operations say
 * .rn: without a rounding ptxas may contract a product and a sum, and then CPU and GPU differ. */
#include "emit/internal.h"

#include "base/bits.h"
#include "ir/ir_names.h"

#include <assert.h>

/* float16 adds and multiplies by itself; everything else of 16-bit floats goes through float32 and is rounded once
 * more. That second rounding changes nothing: float32 has more than twice their digits plus two. */
struct float_row {
    const char *wide; /* float32, float64; NULL: none */
    bool half;        /* float16 has it too */
    bool only_f32;    /* float64 lacks it */
};

static const struct float_row float_rows[IR_OP_COUNT] = {
    [IR_ADD] = {"add.rn", true, false},        [IR_SUB] = {"sub.rn", true, false},
    [IR_MUL] = {"mul.rn", true, false},        [IR_DIV] = {"div.rn", false, false},
    [IR_MIN] = {"min", false, false},          [IR_MAX] = {"max", false, false},
    [IR_NEG] = {"neg", false, false},          [IR_ABS] = {"abs", false, false},
    [IR_SQRT] = {"sqrt.rn", false, false},     [IR_RSQRT] = {"rsqrt.approx", false, true},
    [IR_EXP2] = {"ex2.approx", false, true},   [IR_LOG2] = {"lg2.approx", false, true},
    [IR_TANH] = {"tanh.approx", false, true},
};

static const char *const integer_rows[IR_OP_COUNT] = {
    [IR_ADD] = "add", [IR_SUB] = "sub", [IR_MUL] = "mul.lo", [IR_MIN] = "min", [IR_MAX] = "max",
    [IR_TRUNCDIV] = "div", [IR_TRUNCMOD] = "rem", [IR_NEG] = "neg", [IR_ABS] = "abs",
};

static const char *const bit_rows[IR_OP_COUNT] = {
    [IR_BITAND] = "and", [IR_BITOR] = "or", [IR_BITXOR] = "xor", [IR_BITNOT] = "not"};

static bool is_narrow_float(struct ir_type t)
{
    return t.cls == IR_FLOAT && t.bits == 16;
}

/* ---- floats ---------------------------------------------------------------------------------------------- */

static struct ptx_operand float_operation(struct emitter *em, const struct ir_expr *e, const struct ptx_operand *in, size_t count)
{
    const struct float_row *row = &float_rows[e->op];
    const struct ir_type t = e->args[0]->type, f32 = tw_ir_float32();
    if (row->wide == NULL || t.bits < 16 || (row->only_f32 && t.bits == 64))
        return tw_emit_refuse(em, e->at, t, tw_ir_op_name(e->op));
    if (!is_narrow_float(t) || (row->half && t.format == NUM_F16))
        return tw_emit_pure(em, tw_emit_spell(em, row->wide, t, 's'), tw_emit_reg_type(t), in, count);
    struct ptx_operand wide[2];
    for (size_t i = 0; i < count; i++)
        wide[i] = tw_emit_cast(em, in[i], t, f32, e->at);
    const struct ptx_operand r = tw_emit_pure(em, tw_emit_spell(em, row->wide, f32, 's'), MOD_F32, wide, count);
    return tw_emit_cast(em, r, f32, t, e->at);
}

/* exp(x) = 2^(x * log2 e). */
static struct ptx_operand exponential(struct emitter *em, const struct ir_expr *e)
{
    const struct ir_type t = e->type, f32 = tw_ir_float32();
    if (t.bits > 32 || t.bits < 16)
        return tw_emit_refuse(em, e->at, t, "exp");
    const struct ptx_operand x = tw_emit_cast(em, tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), t), t, f32, e->at);
    const struct ptx_operand scaled = PURE(em, "mul.rn.f32", MOD_F32, x, ptx_f32_bits(0x3fb8aa3b)); /* log2(e) in float32 */
    return tw_emit_cast(em, PURE(em, "ex2.approx.f32", MOD_F32, scaled), f32, t, e->at);
}

/* ---- integers --------------------------------------------------------------------------------------------- */

/* 8-bit integers live in 16-bit registers, extended; an operation may leave them unextended. */
static struct ptx_operand extend_narrow(struct emitter *em, struct ptx_operand o, struct ir_type t)
{
    if (t.bits != 8 || o.kind != OPERAND_REG)
        return o;
    return PURE(em, t.cls == IR_SINT ? "cvt.s16.s8" : "cvt.u16.u8", MOD_B16, o);
}

/* Whether floor and truncation agree: no operand is negative. */
static bool never_negative(const struct emitter *em, const struct ir_expr *e)
{
    return e->type.cls == IR_UINT || tw_ir_range_of(em->k, e).low >= 0;
}

/* Rounds toward minus infinity: where remainder and divisor differ in sign, one less, and the divisor added. */
static struct ptx_operand floor_correction(struct emitter *em, const struct ir_expr *e, struct ptx_operand a,
                                           struct ptx_operand b)
{
    const struct ir_type t = e->type;
    const enum isa_mod reg = tw_emit_reg_type(t);
    const struct ptx_operand zero = ptx_int(0);
    const struct ptx_operand r = PURE(em, tw_emit_spell(em, "rem", t, 's'), reg, a, b);
    const struct ptx_operand odd = PURE(em, tw_emit_spell(em, "setp.ne", t, 's'), MOD_PRED, r, zero);
    const struct ptx_operand signs = PURE(em, tw_emit_spell(em, "xor", t, 'b'), reg, r, b);
    const struct ptx_operand differ = PURE(em, tw_emit_spell(em, "setp.lt", t, 's'), MOD_PRED, signs, zero);
    const struct ptx_operand wrong = PURE(em, "and.pred", MOD_PRED, odd, differ);
    if (e->op == IR_FLOORMOD)
        return PURE(em, tw_emit_spell(em, "selp", t, 'b'), reg, PURE(em, tw_emit_spell(em, "add", t, 's'), reg, r, b), r, wrong);
    const struct ptx_operand q = PURE(em, tw_emit_spell(em, "div", t, 's'), reg, a, b);
    return PURE(em, tw_emit_spell(em, "selp", t, 'b'), reg, PURE(em, tw_emit_spell(em, "add", t, 's'), reg, q, ptx_int(-1)), q,
                wrong);
}

/* A power of two divides by a shift and leaves a mask, for negative numbers as well: both round down. */
static bool by_power_of_two(struct emitter *em, const struct ir_expr *e, struct ptx_operand a, struct ptx_operand *out)
{
    int64_t c;
    if (!tw_ir_is_const_int(e->args[1], &c) || c <= 0 || !is_pow2((uint64_t)c))
        return false;
    const enum isa_mod reg = tw_emit_reg_type(e->type);
    if (e->op == IR_FLOORDIV)
        *out = PURE(em, tw_emit_spell(em, "shr", e->type, 's'), reg, a, ptx_int(log2_floor((uint64_t)c)));
    else
        *out = PURE(em, tw_emit_spell(em, "and", e->type, 'b'), reg, a, ptx_int(c - 1));
    return true;
}

static struct ptx_operand floor_division(struct emitter *em, const struct ir_expr *e)
{
    const struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), e->type);
    struct ptx_operand out;
    if (by_power_of_two(em, e, a, &out))
        return out;
    const struct ptx_operand b = tw_emit_expr(em, e->args[1]);
    if (never_negative(em, e->args[0]) && never_negative(em, e->args[1]))
        return PURE(em, tw_emit_spell(em, e->op == IR_FLOORDIV ? "div" : "rem", e->type, 's'), tw_emit_reg_type(e->type), a, b);
    return extend_narrow(em, floor_correction(em, e, a, b), e->type);
}

static struct ptx_operand shift(struct emitter *em, const struct ir_expr *e)
{
    const struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), e->type);
    struct ptx_operand by = tw_emit_expr(em, e->args[1]);
    by = emit_is_imm(by) ? by : tw_emit_cast(em, by, e->args[1]->type, tw_ir_uint32(), e->at);
    if (e->op == IR_SHR)
        return PURE(em, tw_emit_spell(em, "shr", e->type, 's'), tw_emit_reg_type(e->type), a, by);
    return extend_narrow(em, PURE(em, tw_emit_spell(em, "shl", e->type, 'b'), tw_emit_reg_type(e->type), a, by), e->type);
}

/* x * 2^n */
static bool as_shift(struct emitter *em, const struct ir_expr *e, struct ptx_operand a, struct ptx_operand *out)
{
    int64_t c;
    if (e->op != IR_MUL || !tw_ir_is_const_int(e->args[1], &c) || c <= 0 || !is_pow2((uint64_t)c))
        return false;
    *out = PURE(em, tw_emit_spell(em, "shl", e->type, 'b'), tw_emit_reg_type(e->type), a, ptx_int(log2_floor((uint64_t)c)));
    return true;
}

static struct ptx_operand integer_operation(struct emitter *em, const struct ir_expr *e, const struct ptx_operand *in,
                                            size_t count)
{
    struct ptx_operand out;
    const bool bits = bit_rows[e->op] != NULL;
    const char *operation = bits ? bit_rows[e->op] : integer_rows[e->op];
    if (operation == NULL)
        return tw_emit_refuse(em, e->at, e->type, tw_ir_op_name(e->op));
    if (e->op == IR_ABS && e->type.cls == IR_UINT)
        return in[0];
    /* neg exists for signed types alone; the bits of the result are the same. */
    const struct ir_type as = e->op == IR_NEG ? (struct ir_type){.cls = IR_SINT, .format = e->type.format, .bits = e->type.bits}
                                              : e->type;
    if (!as_shift(em, e, in[0], &out))
        out = tw_emit_pure(em, tw_emit_spell(em, operation, as, bits ? 'b' : 's'), tw_emit_reg_type(e->type), in, count);
    return extend_narrow(em, out, e->type);
}

/* ---- comparison --------------------------------------------------------------------------------------------- */

static struct ptx_operand compare(struct emitter *em, const struct ir_expr *e)
{
    static const char *const ints[] = {"setp.eq", "setp.ne", "setp.lt", "setp.le", "setp.gt", "setp.ge"};
    static const char *const floats[] = {"setp.eq", "setp.neu", "setp.lt", "setp.le", "setp.gt", "setp.ge"};
    const struct ir_type t = e->args[0]->type;
    struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), t);
    struct ptx_operand b = tw_emit_expr(em, e->args[1]);
    if (t.cls == IR_BOOL) { /* equal bools: not exclusive or */
        const struct ptx_operand x = PURE(em, "xor.pred", MOD_PRED, a, tw_emit_in_reg(em, b, t));
        return e->op == IR_NE ? x : PURE(em, "not.pred", MOD_PRED, x);
    }
    if (t.cls == IR_FLOAT && t.bits < 16)
        return tw_emit_refuse(em, e->at, t, "comparison");
    if (is_narrow_float(t)) {
        a = tw_emit_cast(em, a, t, tw_ir_float32(), e->at);
        b = tw_emit_cast(em, b, t, tw_ir_float32(), e->at);
    }
    const struct ir_type as = is_narrow_float(t) ? tw_ir_float32() : t;
    const char *operation = t.cls == IR_FLOAT ? floats[e->op - IR_EQ] : ints[e->op - IR_EQ];
    return PURE(em, tw_emit_spell(em, operation, as, 's'), MOD_PRED, a, b);
}

/* ---- entry --------------------------------------------------------------------------------------------------- */

static struct ptx_operand bool_operation(struct emitter *em, const struct ir_expr *e, const struct ptx_operand *in, size_t count)
{
    const struct ptx_operand a = tw_emit_in_reg(em, in[0], e->type);
    if (count == 1)
        return PURE(em, "not.pred", MOD_PRED, a);
    const char *operation = bit_rows[e->op];
    if (operation == NULL)
        return tw_emit_refuse(em, e->at, e->type, tw_ir_op_name(e->op));
    return PURE(em, tw_emit_spell(em, operation, e->type, 'b'), MOD_PRED, a, tw_emit_in_reg(em, in[1], e->type));
}

static struct ptx_operand reinterpret(struct emitter *em, const struct ir_expr *e)
{
    const struct ir_type from = e->args[0]->type;
    const struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), from);
    const enum isa_mod reg = tw_emit_reg_type(e->type);
    if (reg == MOD_PRED || tw_emit_reg_type(from) == MOD_PRED)
        return tw_emit_cast(em, a, from, e->type, e->at);
    if (e->type.bits == 8) /* the register's upper byte follows the new type's sign */
        return extend_narrow(em, a, e->type);
    if (reg == tw_emit_reg_type(from))
        return a;
    return PURE(em, tw_emit_spell(em, "mov", e->type, 'b'), reg, a);
}

struct ptx_operand tw_emit_unary(struct emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_CAST)
        return tw_emit_cast(em, tw_emit_expr(em, e->args[0]), e->args[0]->type, e->type, e->at);
    if (e->op == IR_REINTERPRET)
        return reinterpret(em, e);
    if (e->op == IR_EXP && e->type.cls == IR_FLOAT)
        return exponential(em, e);
    const struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), e->args[0]->type);
    if (e->type.cls == IR_BOOL)
        return bool_operation(em, e, &a, 1);
    return e->type.cls == IR_FLOAT ? float_operation(em, e, &a, 1) : integer_operation(em, e, &a, 1);
}

struct ptx_operand tw_emit_binary(struct emitter *em, const struct ir_expr *e)
{
    if (ir_op_is_comparison(e->op))
        return compare(em, e);
    if (ir_op_is_shift(e->op))
        return shift(em, e);
    if (e->op == IR_FLOORDIV || e->op == IR_FLOORMOD)
        return floor_division(em, e);
    const struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), e->type);
    const struct ptx_operand in[2] = {a, tw_emit_expr(em, e->args[1])};
    if (e->type.cls == IR_BOOL)
        return bool_operation(em, e, in, 2);
    return e->type.cls == IR_FLOAT ? float_operation(em, e, in, 2) : integer_operation(em, e, in, 2);
}
