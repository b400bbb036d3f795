/* Legality that a form's alternatives alone cannot say. Each predicate returns NULL, or what the
 * combination must be, in words. */
#include "isa/isa_catalogue.h"
#include "isa/mma_form.h"
#include "isa/wgmma_map.h"

#include <stddef.h>

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

static const char *types_disagree(enum num_format a)
{
    const enum mma_class of_a = tw_mma_class_find(a, a);
    return of_a != MMA_CLASS_COUNT && tw_mma_classes[of_a].mixed ? "A and B of the same kind of element" : "A and B of the same type";
}

static const char *rule_mma_shape(const struct isa_spelling *s)
{
    const unsigned shape = isa_spelling_mod(s, SLOT_SHAPE), kind = isa_spelling_mod(s, SLOT_KIND);
    const unsigned a = isa_spelling_mod(s, SLOT_ATYPE), b = isa_spelling_mod(s, SLOT_BTYPE);
    const unsigned c = isa_spelling_mod(s, SLOT_CTYPE), d = isa_spelling_mod(s, SLOT_DTYPE);
    const bool sparse = s->form->operand_of[ROLE_META] >= 0;
    if (s->form->id == FORM_MMA_M8N8K4)
        return isa_shape_m(shape) != 8 || isa_shape_n(shape) != 8 || isa_shape_k(shape) != 4 ? tw_mma_classes[MMA_F16].dense
               : c == MOD_F32 && d != MOD_F32 ? ".f32 as destination type where C is .f32"
                                              : NULL;
    const enum mma_class class_id = tw_mma_class_of(s);
    if (class_id == MMA_CLASS_COUNT)
        return types_disagree(tw_isa_format(a));
    const struct mma_class_row *row = &tw_mma_classes[class_id];
    if (d != c)
        return "the same type for C and D";
    if ((class_id == MMA_BF16 || class_id == MMA_TF32) && d != MOD_F32)
        return ".f32 accumulators for .bf16 and .tf32";
    if (s->form->elem_of[SLOT_STYPE] >= 0) {
        const char *words =
            block_scale_types(kind, isa_spelling_mod(s, SLOT_SCALE_VEC), isa_spelling_mod(s, SLOT_STYPE), a, b);
        if (words != NULL)
            return words;
    }
    const char *words = sparse ? row->sparse : row->dense;
    if (tw_mma_shape_legal(class_id, sparse, isa_shape_m(shape), isa_shape_n(shape), isa_shape_k(shape)))
        return NULL;
    return words != NULL ? words : "element types that a matrix shape exists for";
}

static const char *rule_wgmma_shape(const struct isa_spelling *s)
{
    const unsigned shape = isa_spelling_mod(s, SLOT_SHAPE), n = isa_shape_n(shape);
    const enum num_format a = tw_isa_format(isa_spelling_mod(s, SLOT_ATYPE)), b = tw_isa_format(isa_spelling_mod(s, SLOT_BTYPE));
    const enum num_format d = tw_isa_format(isa_spelling_mod(s, SLOT_DTYPE));
    const bool sparse = s->form->operand_of[ROLE_META] >= 0;
    if (tw_mma_class_find(a, b) == MMA_CLASS_COUNT)
        return "A and B of the same type";
    if ((a == NUM_BF16 || a == NUM_TF32) && d != NUM_F32)
        return "an .f32 accumulator for .bf16 and .tf32";
    const struct wgmma_class_row *row = tw_wgmma_find(a, b, d);
    if (row == NULL) /* the forms admit no other family */
        return "element types that a matrix shape exists for";
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
    if (!to_integral && rnd != MOD_NONE && isa_type_bits(d) > isa_type_bits(a) && a != MOD_BF16)
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
