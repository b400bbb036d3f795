/* Arithmetic as C++. Floats go through intrinsics that are never contracted, or through the instruction that the PTX back end
 * uses; signed integers that may wrap are computed unsigned, since wrapping is defined there alone. */
#include "emit/cuda.h"

#include "base/bits.h"
#include "ir/ir_names.h"

#include <assert.h>

/* ---- floats ------------------------------------------------------------------------------------------------ */

/* What stands for an operation: an intrinsic for float32 and float64, an infix or prefix operator, or an instruction.
 * SOURCE: CUDA Math API: the intrinsics __f..._rn and __d..._rn are never merged into a fused multiply-add. */
struct cuda_float_row {
    const char *f32, *f64;
    const char *instruction; /* without the type */
    bool half;               /* float16 has the instruction itself */
};

static const struct cuda_float_row float_rows[IR_OP_COUNT] = {
    [IR_ADD] = {"__fadd_rn", "__dadd_rn", "add.rn", true}, [IR_SUB] = {"__fsub_rn", "__dsub_rn", "sub.rn", true},
    [IR_MUL] = {"__fmul_rn", "__dmul_rn", "mul.rn", true}, [IR_DIV] = {"__fdiv_rn", "__ddiv_rn", "div.rn", false},
    [IR_SQRT] = {"__fsqrt_rn", "__dsqrt_rn", "sqrt.rn", false},
    [IR_MIN] = {.instruction = "min"},                     [IR_MAX] = {.instruction = "max"},
    [IR_NEG] = {.instruction = "neg"},                     [IR_ABS] = {.instruction = "abs"},
    [IR_RSQRT] = {.instruction = "rsqrt.approx"},          [IR_EXP2] = {.instruction = "ex2.approx"},
    [IR_LOG2] = {.instruction = "lg2.approx"},             [IR_TANH] = {.instruction = "tanh.approx"},
};

static struct cx instruction(struct cuda_emitter *em, const char *operation, struct ir_type t, const struct cx *in, size_t count)
{
    const struct ir_type types[2] = {t, t};
    return tw_cuda_pure(em, tw_format(em->arena, "%s.%s", operation, tw_emit_suffix(t)), t, types, in, count);
}

static struct cx wide_operation(struct cuda_emitter *em, enum ir_op op, struct ir_type t, const struct cx *in, size_t count)
{
    const struct cuda_float_row *row = &float_rows[op];
    const char *intrinsic = t.bits == 32 ? row->f32 : row->f64;
    if (intrinsic == NULL)
        return instruction(em, row->instruction, t, in, count);
    return count == 1 ? tw_cuda_call1(em, intrinsic, in[0]) : tw_cuda_call2(em, intrinsic, in[0], in[1]);
}

static struct cx float_operation(struct cuda_emitter *em, const struct ir_expr *e, const struct cx *in, size_t count)
{
    const struct cuda_float_row *row = &float_rows[e->op];
    const struct ir_type t = e->args[0]->type, f32 = tw_ir_float32();
    assert(row->instruction != NULL);
    if (t.bits >= 32)
        return wide_operation(em, e->op, t, in, count);
    if (row->half && t.format == NUM_F16)
        return instruction(em, row->instruction, t, in, count);
    struct cx wide[2];
    for (size_t i = 0; i < count; i++)
        wide[i] = tw_cuda_cast(em, in[i], t, f32);
    return tw_cuda_cast(em, wide_operation(em, e->op, f32, wide, count), f32, t);
}

/* exp(x) = 2^(x * log2 e). */
static struct cx exponential(struct cuda_emitter *em, const struct ir_expr *e)
{
    const struct ir_type t = e->type, f32 = tw_ir_float32();
    const struct cx x = tw_cuda_cast(em, tw_cuda_expr(em, e->args[0]), t, f32);
    const struct cx scaled = tw_cuda_call2(em, "__fmul_rn", x, tw_cuda_constant(em, f32, 0x3fb8aa3b)); /* log2(e) in float32 */
    return tw_cuda_cast(em, instruction(em, float_rows[IR_EXP2].instruction, f32, &scaled, 1), f32, t);
}

/* ---- integers ------------------------------------------------------------------------------------------------- */

static struct ir_range type_range(struct ir_type t)
{
    if (t.bits == 64)
        return (struct ir_range){INT64_MIN, INT64_MAX};
    const int64_t half = INT64_C(1) << (t.bits - 1);
    return (struct ir_range){-half, half - 1};
}

/* Whether a signed sum, difference or product is certainly inside its type. */
static bool cannot_wrap(const struct cuda_emitter *em, enum ir_op op, const struct ir_expr *e)
{
    const struct ir_range a = tw_ir_range_of(em->k, e->args[0]), whole = type_range(e->type);
    const struct ir_range b = e->args[1] == NULL ? a : tw_ir_range_of(em->k, e->args[1]);
    const int64_t x[2] = {a.low, a.high}, y[2] = {b.low, b.high};
    for (int i = 0; i < 4; i++) {
        int64_t r = 0;
        const bool over = op == IR_ADD   ? __builtin_add_overflow(x[i / 2], y[i % 2], &r)
                          : op == IR_SUB ? __builtin_sub_overflow(x[i / 2], y[i % 2], &r)
                          : op == IR_NEG ? __builtin_sub_overflow(0, x[i / 2], &r)
                                         : __builtin_mul_overflow(x[i / 2], y[i % 2], &r);
        if (over || r < whole.low || r > whole.high)
            return false;
    }
    return true;
}

static const char *unsigned_type(struct ir_type t)
{
    return t.bits == 64 ? "unsigned long long" : "unsigned";
}

/* Arithmetic on fewer than 32 bits happens in int and is cut back. */
static struct cx cut_back(struct cuda_emitter *em, struct cx x, struct ir_type t)
{
    return t.bits >= 32 ? x : tw_cuda_as(em, tw_cuda_type(em, t), x);
}

static struct cx constant_as_unsigned(struct cuda_emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_CONST)
        return tw_cuda_constant(em, e->type.bits == 64 ? tw_ir_uint64() : tw_ir_uint32(), e->bits);
    return tw_cuda_as(em, unsigned_type(e->type), tw_cuda_expr(em, e));
}

static const struct {
    const char *text;
    enum cuda_prec prec;
} infix_rows[IR_OP_COUNT] = {
    [IR_ADD] = {"+", PREC_SUM},          [IR_SUB] = {"-", PREC_SUM},          [IR_MUL] = {"*", PREC_PRODUCT},
    [IR_TRUNCDIV] = {"/", PREC_PRODUCT}, [IR_TRUNCMOD] = {"%", PREC_PRODUCT}, [IR_BITAND] = {"&", PREC_BIT_AND},
    [IR_BITOR] = {"|", PREC_BIT_OR},     [IR_BITXOR] = {"^", PREC_BIT_XOR},   [IR_EQ] = {"==", PREC_EQUAL},
    [IR_NE] = {"!=", PREC_EQUAL},        [IR_LT] = {"<", PREC_COMPARE},       [IR_LE] = {"<=", PREC_COMPARE},
    [IR_GT] = {">", PREC_COMPARE},       [IR_GE] = {">=", PREC_COMPARE},      [IR_AND] = {"&&", PREC_LOGICAL_AND},
    [IR_OR] = {"||", PREC_LOGICAL_OR},
};

static struct cx infix(struct cuda_emitter *em, enum ir_op op, struct cx a, struct cx b)
{
    return tw_cuda_infix(em, a, infix_rows[op].text, infix_rows[op].prec, b);
}

/* x + -5 is written x - 5. */
static struct cx sum(struct cuda_emitter *em, const struct ir_expr *e)
{
    const struct cx a = tw_cuda_expr(em, e->args[0]);
    int64_t c;
    if (e->op == IR_ADD && e->type.cls == IR_SINT && tw_ir_is_const_int(e->args[1], &c) && c < 0 && c > INT32_MIN)
        return tw_cuda_infix(em, a, "-", PREC_SUM, tw_cuda_constant(em, e->type, (uint64_t)-c));
    return infix(em, e->op, a, tw_cuda_expr(em, e->args[1]));
}

/* Sums, differences and products: modulo 2^bits. */
static struct cx ring_operation(struct cuda_emitter *em, const struct ir_expr *e)
{
    const struct ir_type t = e->type;
    const bool wide_product = t.bits == 16 && e->op == IR_MUL; /* of two uint16 values leaves int */
    if (t.cls == IR_SINT ? cannot_wrap(em, e->op, e) : t.bits >= 32)
        return cut_back(em, sum(em, e), t);
    if (t.bits < 32 && !wide_product)
        return cut_back(em, sum(em, e), t);
    const struct cx r = infix(em, e->op, constant_as_unsigned(em, e->args[0]), constant_as_unsigned(em, e->args[1]));
    return tw_cuda_as(em, tw_cuda_type(em, t), r);
}

static struct cx negation(struct cuda_emitter *em, const struct ir_expr *e)
{
    const struct ir_type t = e->type;
    const struct cx a = tw_cuda_expr(em, e->args[0]);
    if (t.bits < 32 || (t.cls == IR_SINT && cannot_wrap(em, IR_NEG, e)))
        return cut_back(em, (struct cx){tw_format(em->arena, "-%s", tw_cuda_paren(em, a, PREC_PRIMARY)), PREC_UNARY}, t);
    const struct cx zero = tw_cuda_constant(em, t.bits == 64 ? tw_ir_uint64() : tw_ir_uint32(), 0);
    const struct cx r = infix(em, IR_SUB, zero, constant_as_unsigned(em, e->args[0]));
    return t.cls == IR_UINT ? r : tw_cuda_as(em, tw_cuda_type(em, t), r);
}

/* 8-bit values are computed in registers of 16, as everywhere in PTX. */
static struct cx integer_instruction(struct cuda_emitter *em, const struct ir_expr *e, const char *operation, size_t count)
{
    const struct ir_type t = e->type;
    const struct ir_type reg = t.bits != 8 ? t : tw_ir_type_of(t.cls == IR_SINT ? NUM_S16 : NUM_U16);
    struct cx in[2] = {{NULL, PREC_PRIMARY}, {NULL, PREC_PRIMARY}};
    for (size_t i = 0; i < count; i++)
        in[i] = tw_cuda_cast(em, tw_cuda_expr(em, e->args[i]), t, reg);
    return tw_cuda_cast(em, instruction(em, operation, reg, in, count), reg, t);
}

static bool never_negative(const struct cuda_emitter *em, const struct ir_expr *e)
{
    return e->type.cls == IR_UINT || tw_ir_range_of(em->k, e).low >= 0;
}

static struct cx floor_division(struct cuda_emitter *em, const struct ir_expr *e)
{
    const bool quotient = e->op == IR_FLOORDIV;
    const struct cx a = tw_cuda_expr(em, e->args[0]), b = tw_cuda_expr(em, e->args[1]);
    int64_t c;
    if (never_negative(em, e->args[0]) && never_negative(em, e->args[1]))
        return cut_back(em, infix(em, quotient ? IR_TRUNCDIV : IR_TRUNCMOD, a, b), e->type);
    if (tw_ir_is_const_int(e->args[1], &c) && c > 0 && is_pow2((uint64_t)c)) /* rounds down for negative numbers as well */
        return cut_back(em, quotient ? tw_cuda_infix(em, a, ">>", PREC_SHIFT, tw_cuda_primary(em, "%u", log2_floor((uint64_t)c)))
                                     : infix(em, IR_BITAND, a, tw_cuda_constant(em, e->type, (uint64_t)c - 1)),
                        e->type);
    return tw_cuda_call2(em, tw_cuda_helper(em, quotient ? HELPER_FLOOR_DIV : HELPER_FLOOR_MOD), a, b);
}

/* The amount is clamped at the width in PTX and must be below it in C++. */
static struct cx shift(struct cuda_emitter *em, const struct ir_expr *e)
{
    const struct ir_type t = e->type, u32 = tw_ir_uint32();
    const bool left = e->op == IR_SHL;
    const struct ir_range by = tw_ir_range_of(em->k, e->args[1]);
    const struct cx a = tw_cuda_expr(em, e->args[0]);
    if (by.low >= 0 && by.high < (t.bits == 64 ? 64 : 32)) {
        const struct cx amount = e->args[1]->op == IR_CONST ? tw_cuda_primary(em, "%lld", (long long)by.low)
                                                            : tw_cuda_expr(em, e->args[1]);
        if (!left || (t.cls == IR_UINT && t.bits >= 32))
            return cut_back(em, tw_cuda_infix(em, a, left ? "<<" : ">>", PREC_SHIFT, amount), t);
        const struct cx bits = tw_cuda_as(em, unsigned_type(t), a);
        return tw_cuda_as(em, tw_cuda_type(em, t), tw_cuda_infix(em, bits, "<<", PREC_SHIFT, amount));
    }
    const struct cx amount = tw_cuda_cast(em, tw_cuda_expr(em, e->args[1]), e->args[1]->type, u32);
    const struct ir_type reg = t.bits != 8 ? t : tw_ir_type_of(t.cls == IR_SINT ? NUM_S16 : NUM_U16);
    const char *suffix = left ? tw_emit_bits_suffix(reg) : tw_emit_suffix(reg);
    const struct cx r = tw_cuda_pure(em, tw_format(em->arena, "%s.%s", left ? "shl" : "shr", suffix), reg,
                                     (const struct ir_type[]){reg, u32},
                                     (const struct cx[]){tw_cuda_cast(em, a, t, reg), amount}, 2);
    return tw_cuda_cast(em, r, reg, t);
}

static struct cx integer_binary(struct cuda_emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_ADD || e->op == IR_SUB || e->op == IR_MUL)
        return ring_operation(em, e);
    if (e->op == IR_FLOORDIV || e->op == IR_FLOORMOD)
        return floor_division(em, e);
    if (ir_op_is_shift(e->op))
        return shift(em, e);
    if (e->op == IR_MIN || e->op == IR_MAX)
        return integer_instruction(em, e, e->op == IR_MIN ? "min" : "max", 2);
    return cut_back(em, infix(em, e->op, tw_cuda_expr(em, e->args[0]), tw_cuda_expr(em, e->args[1])), e->type);
}

static struct cx integer_unary(struct cuda_emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_NEG)
        return negation(em, e);
    if (e->op == IR_ABS && e->type.cls == IR_UINT)
        return tw_cuda_expr(em, e->args[0]);
    if (e->op == IR_ABS)
        return integer_instruction(em, e, "abs", 1);
    assert(e->op == IR_BITNOT);
    const struct cx a = tw_cuda_expr(em, e->args[0]);
    return cut_back(em, (struct cx){tw_format(em->arena, "~%s", tw_cuda_paren(em, a, PREC_UNARY)), PREC_UNARY}, e->type);
}

/* ---- comparison, bools -------------------------------------------------------------------------------------------- */

static struct cx compare(struct cuda_emitter *em, const struct ir_expr *e)
{
    const struct ir_type t = e->args[0]->type, f32 = tw_ir_float32();
    struct cx a = tw_cuda_expr(em, e->args[0]), b = tw_cuda_expr(em, e->args[1]);
    if (t.cls == IR_FLOAT && t.bits == 16) {
        a = tw_cuda_cast(em, a, t, f32);
        b = tw_cuda_cast(em, b, t, f32);
    }
    return infix(em, e->op, a, b);
}

/* Bit operations on bools: neither side has effects, so the logical operators do. */
static struct cx bool_binary(struct cuda_emitter *em, const struct ir_expr *e)
{
    const enum ir_op op = e->op == IR_BITAND ? IR_AND : e->op == IR_BITOR ? IR_OR : IR_NE;
    return infix(em, op, tw_cuda_expr(em, e->args[0]), tw_cuda_expr(em, e->args[1]));
}

/* ---- entry ---------------------------------------------------------------------------------------------------------- */

struct cx tw_cuda_unary(struct cuda_emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_CAST)
        return tw_cuda_cast(em, tw_cuda_expr(em, e->args[0]), e->args[0]->type, e->type);
    if (e->op == IR_REINTERPRET)
        return tw_cuda_reinterpret(em, tw_cuda_expr(em, e->args[0]), e->args[0]->type, e->type);
    if (e->op == IR_EXP && e->type.cls == IR_FLOAT)
        return exponential(em, e);
    if (e->type.cls == IR_BOOL)
        return (struct cx){tw_format(em->arena, "!%s", tw_cuda_paren(em, tw_cuda_expr(em, e->args[0]), PREC_UNARY)), PREC_UNARY};
    if (e->type.cls != IR_FLOAT)
        return integer_unary(em, e);
    const struct cx a = tw_cuda_expr(em, e->args[0]);
    return float_operation(em, e, &a, 1);
}

struct cx tw_cuda_binary(struct cuda_emitter *em, const struct ir_expr *e)
{
    if (ir_op_is_comparison(e->op))
        return compare(em, e);
    if (e->op == IR_AND || e->op == IR_OR)
        return infix(em, e->op, tw_cuda_expr(em, e->args[0]), tw_cuda_expr(em, e->args[1]));
    if (e->type.cls == IR_BOOL)
        return bool_binary(em, e);
    if (e->type.cls != IR_FLOAT)
        return integer_binary(em, e);
    const struct cx in[2] = {tw_cuda_expr(em, e->args[0]), tw_cuda_expr(em, e->args[1])};
    return float_operation(em, e, in, 2);
}
