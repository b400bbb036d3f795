/* Conversions. Values of 8-bit floats live in the low byte of a 16-bit register; PTX converts them only in pairs. */
#include "emit/internal.h"

#include "ir/ir_names.h"

#include <assert.h>

static bool is_fp8(struct ir_type t)
{
    return t.format == NUM_E4M3 || t.format == NUM_E5M2;
}

static bool narrow_float_known(struct ir_type t)
{
    return t.cls != IR_FLOAT || t.bits >= 16 || is_fp8(t) || t.format == NUM_UE8M0;
}

static struct ptx_operand from_bool(struct emitter *em, struct ptx_operand a, struct ir_type to)
{
    a = tw_emit_in_reg(em, a, tw_ir_bool());
    if (to.cls == IR_FLOAT) {
        const struct ptx_operand f = PURE(em, "selp.f32", MOD_F32, ptx_f32_bits(0x3f800000), ptx_f32_bits(0), a);
        return tw_emit_cast(em, f, tw_ir_float32(), to, em->at);
    }
    return PURE(em, tw_emit_spell(em, "selp", to, 'b'), tw_emit_reg_type(to), ptx_int(1), ptx_int(0), a);
}

static struct ptx_operand to_bool(struct emitter *em, struct ptx_operand a, struct ir_type from, struct src_span at)
{
    if (from.cls == IR_FLOAT && from.bits < 32)
        return to_bool(em, tw_emit_cast(em, a, from, tw_ir_float32(), at), tw_ir_float32(), at);
    const struct ptx_operand zero = from.cls == IR_FLOAT ? tw_emit_constant(em, from, 0) : ptx_int(0);
    return PURE(em, tw_emit_spell(em, from.cls == IR_FLOAT ? "setp.neu" : "setp.ne", from, 's'), MOD_PRED,
                tw_emit_in_reg(em, a, from), zero);
}

/* e4m3 and e5m2 from float32: the pair's lower half. */
static struct ptx_operand to_fp8(struct emitter *em, struct ptx_operand a, struct ir_type to)
{
    const char *spelling = to.format == NUM_E4M3 ? "cvt.rn.satfinite.e4m3x2.f32" : "cvt.rn.satfinite.e5m2x2.f32";
    const struct ptx_operand pair = PURE(em, spelling, MOD_B16, ptx_f32_bits(0), tw_emit_in_reg(em, a, tw_ir_float32()));
    return PURE(em, "and.b16", MOD_B16, pair, ptx_int(0xff));
}

/* One of the halves of a 32-bit register. */
static struct ptx_operand low_half(struct emitter *em, struct ptx_operand pair)
{
    return PURE(em, "cvt.u16.u32", MOD_B16, pair);
}

static struct ptx_operand from_8_bits(struct emitter *em, struct ptx_operand a, struct ir_type from)
{
    const struct ptx_operand byte = tw_emit_in_reg(em, a, from);
    if (from.format == NUM_UE8M0)
        return PURE(em, "cvt.f32.bf16", MOD_F32, low_half(em, PURE(em, "cvt.rn.bf16x2.ue8m0x2", MOD_B32, byte)));
    const char *spelling = from.format == NUM_E4M3 ? "cvt.rn.f16x2.e4m3x2" : "cvt.rn.f16x2.e5m2x2";
    return PURE(em, "cvt.f32.f16", MOD_F32, low_half(em, PURE(em, spelling, MOD_B32, byte)));
}

/* "s8", "u16", "f32": the type of a cvt, where 8-bit integers have one. */
static const char *cvt_type(struct ir_type t)
{
    if (t.cls != IR_FLOAT && t.bits == 8)
        return t.cls == IR_SINT ? "s8" : "u8";
    return tw_emit_suffix(t);
}

static struct ptx_operand convert(struct emitter *em, const char *rounding, struct ptx_operand a, struct ir_type from,
                                  struct ir_type to)
{
    const char *spelling = tw_format(em->arena, "cvt%s.%s.%s", rounding, cvt_type(to), cvt_type(from));
    return PURE(em, spelling, tw_emit_reg_type(to), tw_emit_in_reg(em, a, from));
}

static struct ptx_operand integer_to_integer(struct emitter *em, struct ptx_operand a, struct ir_type from, struct ir_type to)
{
    if (from.bits == to.bits && from.bits != 8)
        return a; /* the same bits, read as the other sign */
    return convert(em, "", a, from, to);
}

static struct ptx_operand float_to_float(struct emitter *em, struct ptx_operand a, struct ir_type from, struct ir_type to,
                                         struct src_span at)
{
    const struct ir_type f32 = tw_ir_float32();
    if (from.bits == 8)
        return tw_emit_cast(em, from_8_bits(em, a, from), f32, to, at);
    if (to.format == NUM_UE8M0)
        return tw_emit_refuse(em, at, from, "rounding to the nearest power of two");
    if (to.bits == 8 && from.bits == 64) /* by way of float32 it would be rounded twice */
        return tw_emit_refuse(em, at, from, "conversion of float64 to 8 bits in one rounding");
    if (to.bits == 8)
        return to_fp8(em, tw_emit_cast(em, a, from, f32, at), to);
    if (from.bits == 16 && to.bits == 16)
        return tw_emit_cast(em, tw_emit_cast(em, a, from, f32, at), f32, to, at); /* float32 holds either exactly */
    if (from.bits == 16 && to.bits == 64 && from.format == NUM_BF16)
        return tw_emit_cast(em, tw_emit_cast(em, a, from, f32, at), f32, to, at);
    return convert(em, to.bits < from.bits ? ".rn" : "", a, from, to);
}

struct ptx_operand tw_emit_cast(struct emitter *em, struct ptx_operand a, struct ir_type from, struct ir_type to,
                                struct src_span at)
{
    if (tw_ir_type_equal(from, to))
        return a;
    if (!narrow_float_known(from) || !narrow_float_known(to))
        return tw_emit_refuse(em, at, to, "conversion of 4- and 6-bit formats one at a time");
    if (from.cls == IR_POINTER || to.cls == IR_POINTER) {
        if (from.bits == to.bits)
            return a;
        return tw_emit_refuse(em, at, to, "a pointer in fewer bits");
    }
    if (from.cls == IR_BOOL)
        return from_bool(em, a, to);
    if (to.cls == IR_BOOL)
        return to_bool(em, a, from, at);
    if (from.cls == IR_FLOAT && to.cls == IR_FLOAT)
        return float_to_float(em, a, from, to, at);
    /* bfloat16 and 8-bit integers meet in float32, which holds either exactly. */
    if ((from.format == NUM_BF16 && to.bits == 8) || (to.format == NUM_BF16 && from.bits == 8))
        return tw_emit_cast(em, tw_emit_cast(em, a, from, tw_ir_float32(), at), tw_ir_float32(), to, at);
    if (from.cls == IR_FLOAT)
        return from.bits == 8 ? tw_emit_cast(em, from_8_bits(em, a, from), tw_ir_float32(), to, at)
                              : convert(em, ".rzi", a, from, to);
    if (to.cls != IR_FLOAT)
        return integer_to_integer(em, a, from, to);
    if (to.bits == 8)
        return tw_emit_cast(em, convert(em, ".rn", a, from, tw_ir_float32()), tw_ir_float32(), to, at);
    return convert(em, ".rn", a, from, to);
}
