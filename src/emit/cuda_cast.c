/* Conversions as C++: plain casts where C++ defines what the instruction does, else the instruction. */
#include "emit/cuda.h"

#include <assert.h>
#include <string.h>

/* "s8", "u16", "f32": the type of a cvt, where 8-bit integers have one. */
static const char *cvt_type(struct ir_type t)
{
    if (t.cls != IR_FLOAT && t.bits == 8)
        return t.cls == IR_SINT ? "s8" : "u8";
    return tw_emit_suffix(t);
}

static struct cx convert(struct cuda_emitter *em, const char *rounding, struct cx a, struct ir_type from, struct ir_type to)
{
    const char *spelling = tw_format(em->arena, "cvt%s.%s.%s", rounding, cvt_type(to), cvt_type(from));
    return tw_cuda_pure(em, spelling, to, &from, &a, 1);
}

static struct cx from_bool(struct cuda_emitter *em, struct cx a, struct ir_type to)
{
    if (to.cls != IR_FLOAT)
        return tw_cuda_as(em, tw_cuda_type(em, to), a);
    const struct cx f = {tw_format(em->arena, "%s ? 1.0f : 0.0f", tw_cuda_paren(em, a, PREC_LOGICAL_OR)), PREC_CONDITIONAL};
    return tw_cuda_cast(em, f, tw_ir_float32(), to);
}

static struct cx to_bool(struct cuda_emitter *em, struct cx a, struct ir_type from)
{
    const struct ir_type f32 = tw_ir_float32();
    if (from.cls == IR_FLOAT && from.bits < 32)
        return to_bool(em, tw_cuda_cast(em, a, from, f32), f32);
    const struct cx zero = {from.cls == IR_POINTER ? "nullptr" : from.cls != IR_FLOAT ? "0" : from.bits == 32 ? "0.0f" : "0.0",
                            PREC_PRIMARY};
    return tw_cuda_infix(em, a, "!=", PREC_EQUAL, zero);
}

static struct cx from_8_bits(struct cuda_emitter *em, struct cx a, struct ir_type from)
{
    const struct ir_type byte = tw_ir_type_of(NUM_U16), pair = tw_ir_uint32();
    const bool scale = from.format == NUM_UE8M0;
    const char *spelling = scale                       ? "cvt.rn.bf16x2.ue8m0x2"
                           : from.format == NUM_E4M3 ? "cvt.rn.f16x2.e4m3x2"
                                                     : "cvt.rn.f16x2.e5m2x2";
    const struct cx in = tw_cuda_as(em, "unsigned short", a), wide = tw_cuda_pure(em, spelling, pair, &byte, &in, 1);
    const struct ir_type half = tw_ir_type_of(scale ? NUM_BF16 : NUM_F16);
    return convert(em, "", tw_cuda_as(em, tw_cuda_type(em, half), wide), half, tw_ir_float32());
}

/* e4m3 and e5m2 from float32: the pair's lower half. */
static struct cx to_fp8(struct cuda_emitter *em, struct cx a, struct ir_type to)
{
    const struct ir_type f32[2] = {tw_ir_float32(), tw_ir_float32()};
    const struct cx in[2] = {{"0.0f", PREC_PRIMARY}, a};
    const char *spelling = to.format == NUM_E4M3 ? "cvt.rn.satfinite.e4m3x2.f32" : "cvt.rn.satfinite.e5m2x2.f32";
    return tw_cuda_as(em, tw_cuda_type(em, to), tw_cuda_pure(em, spelling, tw_ir_type_of(NUM_U16), f32, in, 2));
}

static struct cx float_to_float(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to)
{
    const struct ir_type f32 = tw_ir_float32();
    if (from.bits == 8)
        return tw_cuda_cast(em, from_8_bits(em, a, from), f32, to);
    if (to.bits == 8)
        return to_fp8(em, tw_cuda_cast(em, a, from, f32), to);
    const bool through_float32 = from.bits == 16 && (to.bits == 16 || (to.bits == 64 && from.format == NUM_BF16));
    if (through_float32)
        return tw_cuda_cast(em, tw_cuda_cast(em, a, from, f32), f32, to);
    if (from.bits >= 32 && to.bits >= 32)
        return tw_cuda_as(em, tw_cuda_plain_type(to), a);
    return convert(em, to.bits < from.bits ? ".rn" : "", a, from, to);
}

/* float to integer saturates and takes NaN to zero; C++ leaves both undefined. */
static struct cx float_to_integer(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to)
{
    const struct ir_type f32 = tw_ir_float32();
    if (from.bits == 8)
        return float_to_integer(em, from_8_bits(em, a, from), f32, to);
    if (from.format == NUM_BF16 && to.bits == 8)
        return float_to_integer(em, tw_cuda_cast(em, a, from, f32), f32, to);
    return convert(em, ".rzi", a, from, to);
}

static struct cx integer_to_float(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to)
{
    if (to.bits >= 32)
        return tw_cuda_as(em, tw_cuda_plain_type(to), a);
    if (to.bits == 8 || (to.format == NUM_BF16 && from.bits == 8))
        return tw_cuda_cast(em, integer_to_float(em, a, from, tw_ir_float32()), tw_ir_float32(), to);
    return convert(em, ".rn", a, from, to);
}

struct cx tw_cuda_cast(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to)
{
    if (tw_ir_type_equal(from, to))
        return a;
    if (from.cls == IR_BOOL)
        return from_bool(em, a, to);
    if (to.cls == IR_BOOL)
        return to_bool(em, a, from);
    if (from.cls == IR_FLOAT && to.cls == IR_FLOAT)
        return float_to_float(em, a, from, to);
    if (from.cls == IR_FLOAT)
        return float_to_integer(em, a, from, to);
    return to.cls == IR_FLOAT ? integer_to_float(em, a, from, to) : tw_cuda_as(em, tw_cuda_type(em, to), a);
}

/* Between a float and the integer of its width; the intrinsics know the signed and the unsigned one of 32 bits. */
static struct cx float_bits(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to)
{
    if (from.bits == 64) {
        const bool to_double = to.cls == IR_FLOAT;
        const struct cx x = to_double && strcmp(tw_cuda_plain_type(from), "long long") != 0 ? tw_cuda_as(em, "long long", a) : a;
        const struct cx r = tw_cuda_call1(em, to_double ? "__longlong_as_double" : "__double_as_longlong", x);
        return to_double || to.cls == IR_SINT ? r : tw_cuda_as(em, tw_cuda_plain_type(to), r);
    }
    if (to.cls == IR_FLOAT)
        return tw_cuda_call1(em, from.cls == IR_SINT ? "__int_as_float" : "__uint_as_float", a);
    return tw_cuda_call1(em, to.cls == IR_SINT ? "__float_as_int" : "__float_as_uint", a);
}

struct cx tw_cuda_reinterpret(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to)
{
    const bool wide_from = from.cls == IR_FLOAT && from.bits >= 32, wide_to = to.cls == IR_FLOAT && to.bits >= 32;
    if (from.cls == IR_BOOL || to.cls == IR_BOOL)
        return tw_cuda_cast(em, a, from, to);
    if (wide_from != wide_to)
        return float_bits(em, a, from, to);
    const char *type = tw_cuda_type(em, to);
    return strcmp(type, tw_cuda_type(em, from)) == 0 ? a : tw_cuda_as(em, type, a);
}
