/* Rows for virtual registers: those that an instruction names get one, wide ones first so that every row is aligned. */
#include "machine/registers.h"

#include "machine/internal.h"

static void mark(const struct ptx_func *f, const struct ptx_operand *o, uint32_t *ref)
{
    if (o->kind == OPERAND_REG || (o->kind == OPERAND_ADDRESS && o->base == BASE_REG))
        ref[o->index] = 0;
    if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_LIST || o->kind == OPERAND_TENSOR)
        for (uint32_t i = 0; i < o->count; i++)
            mark(f, &tw_ptx_elements(f, o)[i], ref);
}

uint32_t *tw_registers_assign(struct arena *arena, const struct ptx_func *f, uint32_t *frame_bytes)
{
    uint32_t *const ref = arena_new(arena, uint32_t, f->regs.len + 1);
    for (uint32_t i = 0; i < f->regs.len; i++)
        ref[i] = REF_NONE;
    for (uint32_t i = 0; i < f->insts.len; i++) {
        const struct ptx_inst *const in = &f->insts.at[i];
        if (in->guard != PTX_NONE)
            ref[in->guard] = 0;
        for (uint32_t k = 0; k < in->form->operand_count; k++)
            mark(f, &tw_ptx_operands(f, in)[k], ref);
    }
    for (uint32_t i = 0; i < f->vars.len; i++) /* parameters in registers */
        if (f->vars.at[i].space == MOD_REG && f->vars.at[i].reg != PTX_NONE)
            ref[f->vars.at[i].reg] = 0;
    static const unsigned widths[] = {128, 64, 32, 1}; /* slots of 16, 8, 4 bytes; predicates last, four bytes each */
    uint32_t next = 0;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (uint32_t i = 0; i < f->regs.len; i++) {
            const unsigned bits = isa_type_bits(f->regs.at[i].type);
            const unsigned width = bits == 1 ? 1 : bits <= 32 ? 32 : bits;
            if (ref[i] != 0 || width != widths[w])
                continue;
            ref[i] = next | REF_CONST; /* marked as placed */
            next += width == 1 ? 4 : width / 8 * LANES;
        }
    for (uint32_t i = 0; i < f->regs.len; i++)
        if (ref[i] != REF_NONE)
            ref[i] &= ~REF_CONST;
    *frame_bytes = (next + 63) / 64 * 64;
    return ref;
}
