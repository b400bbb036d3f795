/* Constant folding. Integers wrap at their width; floats go through the num room with the rounding that the
 * emitter writes (.rn). Approximate functions are never folded: their result is the hardware's. */
#include "ir/ir_fold.h"

#include "base/bits.h"
#include "ir/ir_names.h"
#include "num/arith.h"
#include "num/convert.h"

#include <assert.h>

uint64_t tw_ir_normalize(struct ir_type t, uint64_t bits)
{
    if (t.cls == IR_BOOL)
        return bits != 0;
    if (t.cls == IR_SINT || t.cls == IR_UINT)
        return (uint64_t)tw_num_extend(t.format, bits);
    return bits & bits_mask(t.bits);
}

/* The formats that have arithmetic; narrower floats must be converted first. */
static bool has_arithmetic(enum num_format f)
{
    return f == NUM_F16 || f == NUM_BF16 || f == NUM_F32 || f == NUM_F64;
}

static bool fold_float_unary(enum ir_op op, enum num_format f, uint64_t a, uint64_t *out)
{
    if (!has_arithmetic(f))
        return false;
    const struct num_ops plain = {.rounding = NUM_RN};
    if (op == IR_NEG)
        *out = tw_num_neg(f, plain, a);
    else if (op == IR_ABS)
        *out = tw_num_abs(f, plain, a);
    else if (op == IR_SQRT)
        *out = tw_num_sqrt(f, plain, a);
    else
        return false;
    return true;
}

static bool fold_integer_unary(enum ir_op op, struct ir_type t, uint64_t a, uint64_t *out)
{
    if (op == IR_NEG)
        *out = 0 - a;
    else if (op == IR_BITNOT)
        *out = ~a;
    else if (op == IR_ABS)
        *out = t.cls == IR_SINT && (int64_t)a < 0 ? 0 - a : a;
    else
        return false;
    *out = tw_ir_normalize(t, *out);
    return true;
}

/* SOURCE: kernel-language 2.3: float to integer truncates, narrowing floats round to nearest even, narrowing
 * integers wrap. Conversions to 8 bits and below saturate to the largest number, as cvt's only forms do. */
static bool fold_cast(struct ir_type to, struct ir_type from, uint64_t a, uint64_t *out)
{
    if (from.cls == IR_POINTER || to.cls == IR_POINTER)
        return false;
    if (to.cls == IR_BOOL) {
        *out = from.cls == IR_FLOAT ? tw_num_decode(from.format, a).cls != NUM_ZERO : a != 0;
        return true;
    }
    const enum num_format source = from.cls == IR_BOOL ? NUM_U8 : from.format;
    const struct num_convert_how how = {
        .to = to.format,
        .from = source,
        .rounding = from.cls == IR_FLOAT && to.cls != IR_FLOAT ? NUM_RZ : NUM_RN,
        .satfinite = to.cls == IR_FLOAT && to.bits <= 8,
    };
    *out = tw_ir_normalize(to, tw_num_convert(&how, a));
    return true;
}

bool tw_ir_fold_unary(enum ir_op op, struct ir_type to, struct ir_type from, uint64_t a, uint64_t *out)
{
    if (op == IR_CAST)
        return fold_cast(to, from, a, out);
    if (op == IR_REINTERPRET) {
        if (from.cls == IR_POINTER || to.cls == IR_POINTER || to.bits != from.bits)
            return false;
        *out = tw_ir_normalize(to, a);
        return true;
    }
    if (op == IR_NOT) {
        *out = a == 0;
        return true;
    }
    if (from.cls == IR_FLOAT)
        return fold_float_unary(op, from.format, a, out);
    return tw_ir_is_integer(from) && fold_integer_unary(op, from, a, out);
}

static bool fold_compare(enum ir_op op, struct ir_type t, uint64_t a, uint64_t b, uint64_t *out)
{
    /* != on floats is true for a NaN: the emitter writes neu. */
    static const enum num_compare how[] = {NUM_EQ, NUM_NEU, NUM_LT, NUM_LE, NUM_GT, NUM_GE};
    static const enum num_compare integers[] = {NUM_EQ, NUM_NE, NUM_LT, NUM_LE, NUM_GT, NUM_GE};
    if (t.cls == IR_POINTER)
        return false;
    const enum num_format f = t.cls == IR_BOOL ? NUM_U8 : t.format;
    *out = tw_num_compare(f, t.cls == IR_FLOAT ? how[op - IR_EQ] : integers[op - IR_EQ], false, a, b);
    return true;
}

static bool fold_float_binary(enum ir_op op, enum num_format f, uint64_t a, uint64_t b, uint64_t *out)
{
    const struct num_ops rn = {.rounding = NUM_RN};
    static uint64_t (*const table[])(enum num_format, struct num_ops, uint64_t, uint64_t) = {
        [IR_ADD] = tw_num_add, [IR_SUB] = tw_num_sub, [IR_MUL] = tw_num_mul,
        [IR_DIV] = tw_num_div, [IR_MIN] = tw_num_min, [IR_MAX] = tw_num_max,
    };
    if (!has_arithmetic(f) || (size_t)op >= sizeof table / sizeof table[0] || table[op] == NULL)
        return false;
    *out = table[op](f, rn, a, b);
    return true;
}

/* Division rounds to minus infinity or to zero; the remainder belongs to it. INT_MIN / -1 wraps. */
static bool fold_division(enum ir_op op, struct ir_type t, uint64_t a, uint64_t b, uint64_t *out)
{
    if (b == 0)
        return false;
    if (t.cls == IR_UINT) {
        *out = op == IR_FLOORDIV || op == IR_TRUNCDIV ? a / b : a % b;
        return true;
    }
    const int64_t x = (int64_t)a, y = (int64_t)b;
    if (y == -1) {
        *out = op == IR_FLOORDIV || op == IR_TRUNCDIV ? 0 - a : 0;
        return true;
    }
    int64_t q = x / y, r = x % y;
    if ((op == IR_FLOORDIV || op == IR_FLOORMOD) && r != 0 && (r < 0) != (y < 0)) {
        q -= 1;
        r += y;
    }
    *out = (uint64_t)(op == IR_FLOORDIV || op == IR_TRUNCDIV ? q : r);
    return true;
}

/* PTX shifts clamp the amount at the width: everything is shifted out, or the sign fills. */
static uint64_t fold_shift(enum ir_op op, struct ir_type t, uint64_t a, uint64_t amount)
{
    if (op == IR_SHL)
        return amount >= t.bits ? 0 : a << amount;
    if (t.cls == IR_SINT)
        return (uint64_t)((int64_t)a >> (amount >= t.bits ? t.bits - 1u : amount));
    return amount >= t.bits ? 0 : a >> amount;
}

static bool fold_integer_binary(enum ir_op op, struct ir_type t, uint64_t a, uint64_t b, uint64_t *out)
{
    const bool less = t.cls == IR_SINT ? (int64_t)a < (int64_t)b : a < b;
    if (op == IR_ADD)
        *out = a + b;
    else if (op == IR_SUB)
        *out = a - b;
    else if (op == IR_MUL)
        *out = a * b;
    else if (op >= IR_FLOORDIV && op <= IR_TRUNCMOD) {
        if (!fold_division(op, t, a, b, out))
            return false;
    } else if (op == IR_MIN || op == IR_MAX)
        *out = (op == IR_MIN) == less ? a : b;
    else if (op == IR_BITAND)
        *out = a & b;
    else if (op == IR_BITOR)
        *out = a | b;
    else if (op == IR_BITXOR)
        *out = a ^ b;
    else if (ir_op_is_shift(op))
        *out = fold_shift(op, t, a, b);
    else
        return false;
    *out = tw_ir_normalize(t, *out);
    return true;
}

bool tw_ir_fold_binary(enum ir_op op, struct ir_type t, uint64_t a, uint64_t b, uint64_t *out)
{
    if (ir_op_is_comparison(op))
        return fold_compare(op, t, a, b, out);
    if (op == IR_AND || op == IR_OR) {
        *out = op == IR_AND ? a && b : a || b;
        return true;
    }
    if (t.cls == IR_FLOAT)
        return fold_float_binary(op, t.format, a, b, out);
    if (tw_ir_is_integer(t))
        return fold_integer_binary(op, t, a, b, out);
    if (t.cls == IR_BOOL && op >= IR_BITAND && op <= IR_BITXOR) {
        *out = (op == IR_BITAND ? a & b : op == IR_BITOR ? a | b : a ^ b) & 1;
        return true;
    }
    return false;
}
