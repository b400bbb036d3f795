#include "isa/mma_form.h"

#include <string.h>

/* ---- fragments ---------------------------------------------------------------------------------- */

/* Registers of 32 bits, except that an element of 64 has one of its own. `bits` is the container of an element: a byte for
 * every format of the f8f6f4 kinds. */
static struct mma_fragment matrix(enum num_format format, uint32_t bits, uint32_t rows, uint32_t cols)
{
    const uint32_t stored = tw_num_bits(format);
    return (struct mma_fragment){
        .format = format,
        .rows = (uint16_t)rows,
        .cols = (uint16_t)cols,
        .bits = (uint8_t)bits,
        .low = bits == 8 && stored == 4 ? 2 : 0,
        .reg_bits = bits == 64 ? 64 : 32,
        .per_reg = (uint8_t)mma_elems_per_reg(bits),
        .regs = (uint8_t)mma_regs(rows, cols, bits),
        .choices = 1,
    };
}

static struct mma_fragment metadata(const struct mma_form *f, uint32_t a_bits)
{
    const uint32_t selectors = tw_mma_sp_selectors(a_bits, f->k), groups = f->k / mma_sp_group(a_bits);
    return (struct mma_fragment){
        .format = NUM_U4, .rows = f->m, .cols = (uint16_t)groups, .bits = 4, .reg_bits = 32, .per_reg = 8, .regs = 1,
        .choices = (uint8_t)selectors, .choice_lanes = (uint8_t)(4 / selectors),
    };
}

static struct mma_fragment scales(const struct mma_form *f, enum num_format format, bool of_a)
{
    return (struct mma_fragment){
        .format = format, .rows = of_a ? f->m : f->n, .cols = f->factors, .bits = 8, .reg_bits = 32, .per_reg = f->factors,
        .regs = 1, .choices = (uint8_t)mma_scale_threads(of_a), .choice_lanes = of_a ? 2 : 1,
    };
}

/* How many factors a row has; 1X, and 2X of mxf4, need not be written. */
static uint8_t factors_of(const struct isa_spelling *s)
{
    const unsigned vec = isa_spelling_mod(s, SLOT_SCALE_VEC);
    if (s->form->elem_of[SLOT_STYPE] < 0)
        return 0;
    if (vec == MOD_SCALE_VEC_4X)
        return 4;
    return vec == MOD_SCALE_VEC_2X || (vec == MOD_NONE && isa_spelling_mod(s, SLOT_KIND) == MOD_KIND_MXF4) ? 2 : 1;
}

enum mma_class tw_mma_class_of(const struct isa_spelling *s)
{
    const unsigned kind = isa_spelling_mod(s, SLOT_KIND);
    if (kind == MOD_KIND_MXF4 || kind == MOD_KIND_MXF4NVF4)
        return MMA_F4;
    return kind != MOD_NONE ? MMA_F8F6F4
                            : tw_mma_class_find(tw_isa_format(isa_spelling_mod(s, SLOT_ATYPE)),
                                                tw_isa_format(isa_spelling_mod(s, SLOT_BTYPE)));
}

static void fill_quad_pairs(const struct isa_spelling *s, struct mma_form *f)
{
    const enum num_format d = tw_isa_format(isa_spelling_mod(s, SLOT_DTYPE)), c = tw_isa_format(isa_spelling_mod(s, SLOT_CTYPE));
    f->quad_pairs = true;
    f->a_col = isa_spelling_mod(s, SLOT_ALAYOUT) == MOD_COL;
    f->b_row = isa_spelling_mod(s, SLOT_BLAYOUT) == MOD_ROW;
    /* Every quad pair holds both of its matrices whole: 8 lanes for 8 x 4 elements. */
    f->part[MMA_A] = matrix(NUM_F16, 16, 32, 4);
    f->part[MMA_B] = matrix(NUM_F16, 16, 32, 4);
    f->part[MMA_C] = matrix(c, tw_num_bits(c), 32, 8);
    f->part[MMA_D] = matrix(d, tw_num_bits(d), 32, 8);
}

bool tw_mma_form_of(const struct isa_spelling *s, struct mma_form *f)
{
    const enum isa_op op = s->form->op;
    if (op != OP_MMA && op != OP_MMA_SP && op != OP_MMA_BLOCK_SCALE && op != OP_MMA_SP_BLOCK_SCALE)
        return false;
    const unsigned shape = isa_spelling_mod(s, SLOT_SHAPE);
    const enum num_format a = tw_isa_format(isa_spelling_mod(s, SLOT_ATYPE)), b = tw_isa_format(isa_spelling_mod(s, SLOT_BTYPE)),
                          d = tw_isa_format(isa_spelling_mod(s, SLOT_DTYPE)), c = tw_isa_format(isa_spelling_mod(s, SLOT_CTYPE));
    *f = (struct mma_form){.m = (uint16_t)isa_shape_m(shape), .n = (uint16_t)isa_shape_n(shape), .k = (uint16_t)isa_shape_k(shape)};
    f->sparse = op == OP_MMA_SP || op == OP_MMA_SP_BLOCK_SCALE;
    f->ordered = f->sparse && strstr(s->form->opcode, "ordered_metadata") != NULL;
    f->stored_k = f->sparse ? f->k / 2 : f->k;
    f->factors = factors_of(s);
    f->class_id = tw_mma_class_of(s);
    if (s->form->id == FORM_MMA_M8N8K4) {
        fill_quad_pairs(s, f);
        return true;
    }
    if (f->class_id == MMA_CLASS_COUNT || !tw_mma_shape_legal(f->class_id, f->sparse, f->m, f->n, f->k))
        return false;
    const uint32_t bits = tw_mma_classes[f->class_id].elem_bits;
    f->part[MMA_A] = matrix(a, bits, f->m, f->stored_k);
    f->part[MMA_B] = matrix(b, bits, f->n, f->k);
    f->part[MMA_C] = matrix(c, tw_num_bits(c), f->m, f->n);
    f->part[MMA_D] = matrix(d, tw_num_bits(d), f->m, f->n);
    if (f->sparse)
        f->part[MMA_META] = metadata(f, bits);
    if (f->factors != 0) {
        const enum num_format scale = tw_isa_format(isa_spelling_mod(s, SLOT_STYPE));
        f->part[MMA_SFA] = scales(f, scale, true);
        f->part[MMA_SFB] = scales(f, scale, false);
    }
    return true;
}

/* ---- places -------------------------------------------------------------------------------------- */

/* SOURCE: PTX ISA, mma, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". */
static struct mma_coord quad_pair_place(const struct mma_form *f, enum mma_part part, uint32_t lane, uint32_t i)
{
    const uint32_t pair = lane / 4 % 4, high = lane / 16 * 4, low = lane % 4;
    uint32_t row = low + high, col = i;
    if (part == MMA_A ? f->a_col : part == MMA_B && f->b_row) {
        row = i + high; /* the lane holds one k and four rows */
        col = low;
    } else if ((part == MMA_C || part == MMA_D) && f->part[part].bits == 32) {
        row = (lane & 1) + (i & 2) + high;
        col = (i & 4) + (lane & 2) + (i & 1);
    }
    return (struct mma_coord){(uint16_t)(8 * pair + row), (uint16_t)col};
}

/* Codes and scales are known by where they are; the element of a place is looked for. */
static bool find_code(const struct mma_form *f, uint32_t lane, uint32_t nibble, struct mma_coord *at)
{
    for (uint32_t row = 0; row < f->m; row++)
        for (uint32_t group = 0; group < f->part[MMA_META].cols; group++) {
            const struct mma_meta m = tw_mma_sp_meta(f->part[MMA_A].bits, f->k, 0, row, group);
            *at = (struct mma_coord){(uint16_t)row, (uint16_t)group};
            if (m.lane == lane && m.nibble == nibble)
                return true;
        }
    return false;
}

static bool find_factor(const struct mma_form *f, enum mma_part part, uint32_t lane, uint32_t factor, struct mma_coord *at)
{
    for (uint32_t row = 0; row < f->part[part].rows; row++)
        if (mma_scale_lane(part == MMA_SFA, row, 0) == lane) {
            *at = (struct mma_coord){(uint16_t)row, (uint16_t)factor};
            return true;
        }
    return false;
}

bool tw_mma_place(const struct mma_form *f, enum mma_part part, uint32_t lane, uint32_t reg, uint32_t elem, struct mma_coord *at)
{
    const struct mma_fragment *const x = &f->part[part];
    struct mma_coord kn;
    if (x->format == NUM_NONE || reg >= x->regs || elem >= x->per_reg)
        return false;
    if (f->quad_pairs) {
        *at = quad_pair_place(f, part, lane, reg * x->per_reg + elem);
        return true;
    }
    switch (part) {
    case MMA_A: *at = tw_mma_a_coord(f->m, x->bits, lane, reg, elem); return true;
    case MMA_B:
        kn = tw_mma_b_coord(x->bits, lane, reg, elem);
        *at = (struct mma_coord){kn.col, kn.row};
        return true;
    case MMA_C:
    case MMA_D: *at = tw_mma_d_coord(x->bits, lane, reg, elem); return true;
    case MMA_META: return find_code(f, lane, elem, at);
    case MMA_SFA:
    case MMA_SFB: return find_factor(f, part, lane, elem, at);
    case MMA_PART_COUNT: break;
    }
    return false;
}
