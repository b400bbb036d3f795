#include "isa/matrix_map.h"

static enum matrix_map map_of(const struct isa_spelling *s)
{
    switch (isa_spelling_mod(s, SLOT_SHAPE)) {
    case MOD_M16N16: return MATRIX_M16N16;
    case MOD_M8N16: return MATRIX_M8N16;
    case MOD_M16N8: return MATRIX_M16N8;
    default: return isa_spelling_mod(s, SLOT_TRANS) != MOD_NONE ? MATRIX_B16_TRANS : MATRIX_B16;
    }
}

bool tw_matrix_form_of(const struct isa_spelling *s, struct matrix_form *f)
{
    const unsigned num = isa_spelling_mod(s, SLOT_NUM), format = isa_spelling_mod(s, SLOT_SRC_FMT);
    if (s->form->op != OP_LDMATRIX && s->form->op != OP_STMATRIX)
        return false;
    f->map = map_of(s);
    f->matrices = num == MOD_X1 ? 1 : num == MOD_X2 ? 2 : 4;
    f->rows = f->map == MATRIX_M16N16 ? 16 : 8;
    f->regs = (uint8_t)(f->map == MATRIX_M16N16 ? 2 * f->matrices : f->matrices);
    f->source_bits = format == MOD_B6X16_P32 ? 6 : format == MOD_B4X16_P64 ? 4 : 0;
    return true;
}

struct matrix_place tw_matrix_place(const struct matrix_form *f, unsigned lane, unsigned reg, unsigned byte)
{
    const unsigned g = lane / 4, t = lane % 4;
    unsigned row = reg * f->rows, at = 0;
    switch (f->map) {
    case MATRIX_B16:
        row += g;
        at = 4 * t + byte;
        break;
    case MATRIX_B16_TRANS:
        row += 2 * t + byte / 2;
        at = 2 * g + byte % 2;
        break;
    case MATRIX_M16N16:
        row = reg / 2 * f->rows + 4 * t + byte;
        at = g + 8 * (reg % 2);
        break;
    case MATRIX_M8N16:
        row += g;
        at = 4 * t + byte;
        break;
    case MATRIX_M16N8:
        row += 2 * t + byte % 2;
        at = g + 8 * (byte / 2);
        break;
    }
    return (struct matrix_place){(uint8_t)row, (uint8_t)at};
}
