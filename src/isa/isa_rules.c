/* Legality that a form's alternatives alone cannot say. Each predicate returns NULL, or what the
 * combination must be, in words. */
#include "isa/isa_catalogue.h"
#include "isa/wgmma_map.h"

#include <stddef.h>

#define SHAPE(m_log, n, k_log) (ISA_SHAPE_FLAG | (m_log) << 11 | (n) / 4 << 4 | (k_log))
enum { M8 = 0, M16 = 1, M64 = 3 };
enum { K4 = 2, K8 = 3, K16 = 4, K32 = 5, K64 = 6, K128 = 7, K256 = 8 };

/* Element families that share a row of shapes. */
enum family { FAMILY_NONE, F16, BF16, TF32, F64, F8, F8F6F4, F4, I8, I4, B1 };

static enum family family_of(unsigned type)
{
    static const struct {
        uint16_t type;
        uint8_t family;
    } rows[] = {
        {MOD_F16, F16}, {MOD_BF16, BF16}, {MOD_TF32, TF32}, {MOD_F64, F64},    {MOD_E4M3, F8},     {MOD_E5M2, F8},
        {MOD_S8, I8},   {MOD_U8, I8},     {MOD_S4, I4},     {MOD_U4, I4},      {MOD_B1, B1},       {MOD_E2M1, F8F6F4},
        {MOD_E2M3, F8F6F4}, {MOD_E3M2, F8F6F4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type == type)
            return (enum family)rows[i].family;
    return FAMILY_NONE;
}

/* SOURCE: PTX ISA, "Warp Level Matrix Instructions", table of shapes; verdicts of ptxas agree. */
struct shape_row {
    uint8_t family;
    bool sparse;
    uint16_t shapes[4]; /* 0 ends */
    const char *words;
};
static const struct shape_row mma_shapes[] = {
    {F16, false, {SHAPE(M16, 8, K8), SHAPE(M16, 8, K16)}, ".m16n8k8 or .m16n8k16 for .f16"},
    {BF16, false, {SHAPE(M16, 8, K8), SHAPE(M16, 8, K16)}, ".m16n8k8 or .m16n8k16 for .bf16"},
    {TF32, false, {SHAPE(M16, 8, K4), SHAPE(M16, 8, K8)}, ".m16n8k4 or .m16n8k8 for .tf32"},
    {F64, false, {SHAPE(M8, 8, K4), SHAPE(M16, 8, K4), SHAPE(M16, 8, K8), SHAPE(M16, 8, K16)},
     ".m8n8k4, .m16n8k4, .m16n8k8 or .m16n8k16 for .f64"},
    {F8, false, {SHAPE(M16, 8, K16), SHAPE(M16, 8, K32)}, ".m16n8k16 or .m16n8k32 for .e4m3 and .e5m2"},
    {F8F6F4, false, {SHAPE(M16, 8, K32)}, ".m16n8k32 for this kind"},
    {F4, false, {SHAPE(M16, 8, K64)}, ".m16n8k64 for this kind"},
    {I8, false, {SHAPE(M8, 8, K16), SHAPE(M16, 8, K16), SHAPE(M16, 8, K32)},
     ".m8n8k16, .m16n8k16 or .m16n8k32 for 8-bit integers"},
    {I4, false, {SHAPE(M8, 8, K32), SHAPE(M16, 8, K32), SHAPE(M16, 8, K64)},
     ".m8n8k32, .m16n8k32 or .m16n8k64 for 4-bit integers"},
    {B1, false, {SHAPE(M8, 8, K128), SHAPE(M16, 8, K128), SHAPE(M16, 8, K256)},
     ".m8n8k128, .m16n8k128 or .m16n8k256 for .b1"},
    {F16, true, {SHAPE(M16, 8, K16), SHAPE(M16, 8, K32)}, ".m16n8k16 or .m16n8k32 for sparse .f16"},
    {BF16, true, {SHAPE(M16, 8, K16), SHAPE(M16, 8, K32)}, ".m16n8k16 or .m16n8k32 for sparse .bf16"},
    {TF32, true, {SHAPE(M16, 8, K8), SHAPE(M16, 8, K16)}, ".m16n8k8 or .m16n8k16 for sparse .tf32"},
    {F8, true, {SHAPE(M16, 8, K64)}, ".m16n8k64 for sparse .e4m3 and .e5m2"},
    {F8F6F4, true, {SHAPE(M16, 8, K64)}, ".m16n8k64 for this sparse kind"},
    {F4, true, {SHAPE(M16, 8, K128)}, ".m16n8k128 for this sparse kind"},
    {I8, true, {SHAPE(M16, 8, K32), SHAPE(M16, 8, K64)}, ".m16n8k32 or .m16n8k64 for sparse 8-bit integers"},
    {I4, true, {SHAPE(M16, 8, K64), SHAPE(M16, 8, K128)}, ".m16n8k64 or .m16n8k128 for sparse 4-bit integers"},
};

static const char *shape_in_table(enum family family, bool sparse, unsigned shape)
{
    for (size_t i = 0; i < sizeof mma_shapes / sizeof mma_shapes[0]; i++) {
        const struct shape_row *row = &mma_shapes[i];
        if (row->family != family || row->sparse != sparse)
            continue;
        for (unsigned s = 0; s < 4 && row->shapes[s] != 0; s++)
            if (row->shapes[s] == shape)
                return NULL;
        return row->words;
    }
    return "element types that a matrix shape exists for";
}

/* SOURCE: PTX ISA, "Block Scaling for mma.sync". */
static const char *block_scale_types(unsigned kind, unsigned vec, unsigned stype, unsigned a, unsigned b)
{
    if (kind == MOD_KIND_MXF8F6F4)
        return vec != MOD_NONE && vec != MOD_SCALE_VEC_1X ? ".scale_vec::1X with .kind::mxf8f6f4"
               : stype != MOD_UE8M0                       ? ".ue8m0 scales with .kind::mxf8f6f4"
                                                          : NULL;
    if (a != MOD_E2M1 || b != MOD_E2M1)
        return ".e2m1 for A and B with this kind";
    if (kind == MOD_KIND_MXF4)
        return vec != MOD_NONE && vec != MOD_SCALE_VEC_2X ? ".scale_vec::2X with .kind::mxf4"
               : stype != MOD_UE8M0                       ? ".ue8m0 scales with .kind::mxf4"
                                                          : NULL;
    if (vec != MOD_SCALE_VEC_2X && vec != MOD_SCALE_VEC_4X)
        return ".scale_vec::2X or .scale_vec::4X with .kind::mxf4nvf4";
    if (stype != (vec == MOD_SCALE_VEC_2X ? MOD_UE8M0 : MOD_UE4M3))
        return ".scale_vec::2X with .ue8m0, or .scale_vec::4X with .ue4m3";
    return NULL;
}

static const char *rule_mma_shape(const struct isa_spelling *s)
{
    unsigned shape = isa_spelling_mod(s, SLOT_SHAPE), kind = isa_spelling_mod(s, SLOT_KIND);
    unsigned a = isa_spelling_mod(s, SLOT_ATYPE), b = isa_spelling_mod(s, SLOT_BTYPE);
    unsigned c = isa_spelling_mod(s, SLOT_CTYPE), d = isa_spelling_mod(s, SLOT_DTYPE);
    bool sparse = s->form->operand_of[ROLE_META] >= 0;
    if (s->form->id == FORM_MMA_M8N8K4)
        return shape != SHAPE(M8, 8, K4)           ? ".m8n8k4 for this form"
               : c == MOD_F32 && d != MOD_F32      ? ".f32 as destination type where C is .f32"
                                                   : NULL;
    enum family family = kind == MOD_KIND_MXF4 || kind == MOD_KIND_MXF4NVF4 ? F4
                         : kind != MOD_NONE                                 ? F8F6F4
                                                                            : family_of(a);
    if (kind == MOD_NONE && family_of(b) != family)
        return "A and B of the same kind of element";
    if ((family == F16 || family == BF16 || family == TF32) && a != b)
        return "A and B of the same type";
    if (d != c)
        return "the same type for C and D";
    if ((family == BF16 || family == TF32) && d != MOD_F32)
        return ".f32 accumulators for .bf16 and .tf32";
    if (s->form->elem_of[SLOT_STYPE] >= 0) {
        const char *words =
            block_scale_types(kind, isa_spelling_mod(s, SLOT_SCALE_VEC), isa_spelling_mod(s, SLOT_STYPE), a, b);
        if (words != NULL)
            return words;
    }
    return shape_in_table(family, sparse, shape);
}

static const char *rule_wgmma_shape(const struct isa_spelling *s)
{
    unsigned shape = isa_spelling_mod(s, SLOT_SHAPE), n = isa_shape_n(shape);
    unsigned a = isa_spelling_mod(s, SLOT_ATYPE), b = isa_spelling_mod(s, SLOT_BTYPE);
    unsigned d = isa_spelling_mod(s, SLOT_DTYPE);
    bool sparse = s->form->operand_of[ROLE_META] >= 0;
    static const uint8_t classes[] = {[F16] = WGMMA_F16, [BF16] = WGMMA_BF16, [TF32] = WGMMA_TF32,
                                      [F8] = WGMMA_FP8,  [I8] = WGMMA_INT8,   [B1] = WGMMA_BIT};
    enum family family = family_of(a);
    if (family_of(b) != family || ((family == F16 || family == BF16 || family == TF32) && a != b))
        return "A and B of the same type";
    if ((family == BF16 || family == TF32) && d != MOD_F32)
        return "an .f32 accumulator for .bf16 and .tf32";
    const struct wgmma_class_row *row = &tw_wgmma_classes[classes[family]]; /* the forms admit no other family */
    if (isa_shape_m(shape) != WGMMA_M || isa_shape_k(shape) != (sparse ? 2u * row->k : row->k))
        return sparse ? "shape .m64nNkK with K twice that of the dense form (f16 32, tf32 16, 8-bit 64)"
                      : "shape .m64nNkK with K 16 for f16 and bf16, 8 for tf32, 32 for 8-bit types, 256 for b1";
    if (tw_wgmma_n_legal(row, n))
        return NULL;
    return row->coarse_n ? "N of 8, 16, 24, 32, 48 and on to 256 in steps of 16 for integers" : "N from 8 to 256 in steps of 8";
}

/* SOURCE: PTX ISA, tcgen05.ld: at most 128 registers. */
static const char *rule_tmem_shape(const struct isa_spelling *s)
{
    unsigned shape = isa_spelling_mod(s, SLOT_SHAPE), num = isa_spelling_mod(s, SLOT_NUM);
    if (shape == MOD_S16X128B && num == MOD_X128)
        return ".x64 at most with .16x128b";
    if (shape == MOD_S16X256B && (num == MOD_X128 || num == MOD_X64))
        return ".x32 at most with .16x256b";
    return NULL;
}

static const char *rule_cp_shape(const struct isa_spelling *s)
{
    unsigned shape = isa_spelling_mod(s, SLOT_SHAPE), warpx = isa_spelling_mod(s, SLOT_WARPX);
    if (shape == MOD_S64X128B)
        return warpx == MOD_WARPX2_02_13 || warpx == MOD_WARPX2_01_23
                   ? NULL
                   : ".warpx2::02_13 or .warpx2::01_23 with .64x128b";
    if (shape == MOD_S32X128B)
        return warpx == MOD_WARPX4 ? NULL : ".warpx4 with .32x128b";
    return warpx == MOD_NONE ? NULL : "no warp multicast with this shape";
}

/* SOURCE: PTX ISA, "Vectors": 128 bits; 256 bits as v8 of 32-bit or v4 of 64-bit elements. */
static const char *rule_vector_bits(const struct isa_spelling *s)
{
    unsigned vec = isa_spelling_mod(s, SLOT_VEC), bits = isa_type_bits(isa_spelling_mod(s, SLOT_TYPE));
    unsigned lanes = vec == MOD_V2 ? 2 : vec == MOD_V4 ? 4 : vec == MOD_V8 ? 8 : 1;
    if (vec == MOD_V8 && bits == 16)
        return ".v8 of 8-bit or 32-bit elements";
    unsigned space = isa_spelling_mod(s, SLOT_SPACE);
    bool wide = s->form->elem_of[SLOT_L2_EVICT] >= 0 && (space == MOD_NONE || space == MOD_GLOBAL) &&
                ((lanes == 8 && bits == 32) || (lanes == 4 && bits == 64));
    return lanes * bits <= 128 || wide
               ? NULL
               : "a vector of at most 128 bits, or in .global .v8 of 32-bit or .v4 of 64-bit elements";
}

/* SOURCE: PTX ISA, cvt: .sat only where a source value can lie outside the destination's range. */
static const char *rule_cvt_int(const struct isa_spelling *s)
{
    if (isa_spelling_mod(s, SLOT_SAT) == MOD_NONE)
        return NULL;
    const struct isa_mod_row *d = isa_mod_row(isa_spelling_mod(s, SLOT_DTYPE)), *a = isa_mod_row(isa_spelling_mod(s, SLOT_ATYPE));
    bool d_signed = d->type_class == TYPE_SIGNED, a_signed = a->type_class == TYPE_SIGNED;
    bool contains = d_signed == a_signed ? d->bits >= a->bits : d_signed && d->bits > a->bits;
    return contains ? "no .sat where every source value fits the destination" : NULL;
}

/* SOURCE: PTX ISA, cvt; which roundings are taken, required and refused is ptxas's own verdict. */
static const char *rule_cvt_float(const struct isa_spelling *s)
{
    unsigned d = isa_spelling_mod(s, SLOT_DTYPE), a = isa_spelling_mod(s, SLOT_ATYPE);
    unsigned rnd = isa_spelling_mod(s, SLOT_RND);
    bool relu = isa_spelling_mod(s, SLOT_RELU) != MOD_NONE, finite = isa_spelling_mod(s, SLOT_SATFINITE) != MOD_NONE;
    bool to_integral = rnd >= MOD_RNI && rnd <= MOD_RPI, narrows = isa_type_bits(d) < isa_type_bits(a);
    if (to_integral && d != a)
        return "an integral rounding (.rni, .rzi, .rmi, .rpi) only between equal floating-point types";
    if (!to_integral && rnd != MOD_NONE && !narrows && d == a)
        return "no rounding, or an integral one, between equal types";
    if (!to_integral && rnd != MOD_NONE && isa_type_bits(d) > isa_type_bits(a) && !(d == MOD_F32 && a == MOD_BF16))
        return "no rounding where the destination is wider";
    if (narrows && rnd == MOD_NONE)
        return "a rounding (.rn, .rz, .rm or .rp) where the destination is narrower";
    bool half = (d == MOD_F16 || d == MOD_BF16) && a == MOD_F32;
    if ((relu || finite) && (!half || (rnd != MOD_RN && rnd != MOD_RZ)))
        return ".relu and .satfinite with .rn or .rz from .f32 to .f16 or .bf16";
    if (d == MOD_BF16 && isa_spelling_mod(s, SLOT_SAT) != MOD_NONE)
        return "no .sat with .bf16";
    return NULL;
}

const char *tw_isa_rule(unsigned rule, const struct isa_spelling *s)
{
    static isa_rule_fn *const rules[RULE_COUNT] = {
        NULL,
#define TW_RULE(id, function) function,
#include "isa/isa_rules.def"
#undef TW_RULE
    };
    return rules[rule] != NULL ? rules[rule](s) : NULL;
}
