/* Vector lengths and types of operands, from the modifiers of a spelling. */
#include "isa/isa_catalogue.h"
#include "isa/mma_form.h"
#include "isa/wgmma_map.h"

/* Number behind .xN or .vN; 1 if absent. */
static unsigned repeat(unsigned mod)
{
    static const struct {
        uint16_t mod, n;
    } rows[] = {{MOD_X1, 1},   {MOD_X2, 2},   {MOD_X4, 4}, {MOD_X8, 8}, {MOD_X16, 16}, {MOD_X32, 32},
                {MOD_X64, 64}, {MOD_X128, 128}, {MOD_V2, 2}, {MOD_V4, 4}, {MOD_V8, 8}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == mod)
            return rows[i].n;
    return 1;
}

/* Registers of one repeat. SOURCE: PTX ISA, tcgen05.ld, "Number of registers". */
static unsigned tmem_registers(const struct isa_spelling *s)
{
    unsigned shape = isa_spelling_mod(s, SLOT_SHAPE);
    unsigned each = shape == MOD_S16X128B ? 2 : shape == MOD_S16X256B ? 4 : 1;
    return each * repeat(isa_spelling_mod(s, SLOT_NUM));
}

static unsigned mma_registers(const struct isa_spelling *s, enum mma_part part)
{
    struct mma_form f;
    return tw_mma_form_of(s, &f) ? f.part[part].regs : 0;
}

static unsigned ldmatrix_registers(const struct isa_spelling *s)
{
    unsigned each = isa_spelling_mod(s, SLOT_SHAPE) == MOD_M16N16 ? 2 : 1;
    return each * repeat(isa_spelling_mod(s, SLOT_NUM));
}

static unsigned tensor_rank(const struct isa_spelling *s)
{
    unsigned dim = isa_spelling_mod(s, SLOT_DIM);
    return dim >= MOD_D1 && dim <= MOD_D5 ? dim - MOD_D1 + 1 : 1;
}

static unsigned coordinates(const struct isa_spelling *s)
{
    unsigned mode = isa_spelling_mod(s, SLOT_LOAD_MODE);
    return mode == MOD_TILE_GATHER4 || mode == MOD_TILE_SCATTER4 ? 5 : tensor_rank(s);
}

static unsigned im2col_offsets(const struct isa_spelling *s)
{
    unsigned mode = isa_spelling_mod(s, SLOT_LOAD_MODE), rank = tensor_rank(s);
    return mode == MOD_IM2COL ? (rank > 2 ? rank - 2 : 1) : 2;
}

unsigned tw_isa_count(unsigned count_rule, const struct isa_spelling *s)
{
    switch ((enum isa_count)count_rule) {
    case COUNT_TMEM: return tmem_registers(s);
    case COUNT_OUTPUT_MASK: return isa_spelling_mod(s, SLOT_CTA_GROUP) == MOD_CTA_GROUP_2 ? 8 : 4;
    case COUNT_LDMATRIX: return ldmatrix_registers(s);
    case COUNT_MMA_A: return mma_registers(s, MMA_A);
    case COUNT_MMA_B: return mma_registers(s, MMA_B);
    case COUNT_MMA_C: return mma_registers(s, MMA_C);
    case COUNT_MMA_D: return mma_registers(s, MMA_D);
    case COUNT_WGMMA_D:
        return wgmma_d_regs(isa_shape_n(isa_spelling_mod(s, SLOT_SHAPE)), isa_spelling_mod(s, SLOT_DTYPE) == MOD_F16 ? 16 : 32);
    case COUNT_COORDS: return coordinates(s);
    case COUNT_IM2COL: return im2col_offsets(s);
    case COUNT_PACK: return ISA_ANY_COUNT;
    case COUNT_NONE:
    case COUNT_COUNT: break;
    }
    return 0;
}

unsigned tw_isa_operand_count(const struct isa_spelling *s, unsigned i)
{
    const struct isa_operand *o = &s->form->operands[i];
    if (o->count != 0)
        return o->count;
    if (o->count_rule != COUNT_NONE)
        return tw_isa_count(o->count_rule, s);
    unsigned mod = o->count_slot == SLOT_NONE ? MOD_NONE : isa_spelling_mod(s, o->count_slot);
    return mod == MOD_NONE ? 0 : repeat(mod);
}

static unsigned doubled(unsigned type)
{
    static const uint16_t rows[][2] = {{MOD_U16, MOD_U32}, {MOD_S16, MOD_S32}, {MOD_U32, MOD_U64}, {MOD_S32, MOD_S64}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i][0] == type)
            return rows[i][1];
    return type;
}

/* What a register of matrix elements holds. */
static unsigned fragment_type(unsigned type)
{
    switch (isa_mod_row(type)->type_class) {
    case TYPE_FLOAT:
        return type == MOD_F16 ? MOD_F16X2 : type == MOD_BF16 ? MOD_BF16X2 : isa_type_bits(type) < 32 ? MOD_E4M3X4 : type;
    case TYPE_SIGNED:
    case TYPE_UNSIGNED: return MOD_S32;
    case TYPE_NOT:
    case TYPE_PRED:
    case TYPE_BITS:
    case TYPE_PACKED: break;
    }
    return MOD_B32;
}

unsigned tw_isa_operand_type(const struct isa_spelling *s, unsigned i)
{
    const struct isa_operand *o = &s->form->operands[i];
    unsigned type = o->type_slot == SLOT_NONE ? o->type : isa_spelling_mod(s, o->type_slot);
    if (o->type_map == TYPEMAP_DOUBLE)
        return doubled(type);
    return o->type_map == TYPEMAP_FRAGMENT ? fragment_type(type) : type;
}

unsigned tw_isa_register_type(const struct isa_spelling *s, unsigned i)
{
    const unsigned type = tw_isa_operand_type(s, i);
    return s->form->operands[i].type_map == TYPEMAP_FRAGMENT && isa_type_bits(type) == 32 && type != MOD_F32 ? MOD_B32 : type;
}

unsigned tw_isa_operand_space(const struct isa_spelling *s, unsigned i)
{
    const struct isa_operand *o = &s->form->operands[i];
    return o->space_slot == SLOT_NONE ? o->space : isa_spelling_mod(s, o->space_slot);
}
