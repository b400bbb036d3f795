/* Immediate values that a form's plain range cannot say.
 * SOURCE: PTX ISA, the instructions' own sections; verdicts of ptxas 13.0 agree. */
#include "isa/isa_catalogue.h"

#include <stddef.h>

enum value_kind { MULTIPLE, POWER_OF_TWO, ONE_OF, RANGE };

struct value_row {
    enum isa_op op;
    enum isa_role role;
    uint16_t with; /* only with this modifier; MOD_NONE: always */
    enum value_kind kind;
    int64_t values[4]; /* MULTIPLE: the unit first; ONE_OF: all, the last one repeated; RANGE: low, high */
    const char *words;
    const char *except; /* targets that lift the rule; NULL: none */
};

static const struct value_row rows[] = {
    {OP_BAR_SYNC, ROLE_THREADS, MOD_NONE, MULTIPLE, {32, 0, 0, 0}, "a multiple of 32, the warp's size", NULL},
    {OP_BAR_ARRIVE, ROLE_THREADS, MOD_NONE, MULTIPLE, {32, 0, 0, 0}, "a multiple of 32, the warp's size", NULL},
    {OP_BAR_RED, ROLE_THREADS, MOD_NONE, MULTIPLE, {32, 0, 0, 0}, "a multiple of 32, the warp's size", NULL},
    {OP_SETMAXNREG, ROLE_N, MOD_NONE, MULTIPLE, {8, 0, 0, 0}, "a multiple of 8 from 24 to 256", NULL},
    {OP_CP_ASYNC, ROLE_SIZE, MOD_CG, ONE_OF, {16, 16, 16, 16}, "16 bytes with .cg", NULL},
    {OP_CP_ASYNC, ROLE_SIZE, MOD_CA, ONE_OF, {4, 8, 16, 16}, "4, 8 or 16 bytes", NULL},
    {OP_TCGEN05_ALLOC, ROLE_NCOLS, MOD_NONE, POWER_OF_TWO, {0, 0, 0, 0}, "32, 64, 128, 256 or 512 columns", NULL},
    {OP_TCGEN05_DEALLOC, ROLE_NCOLS, MOD_NONE, MULTIPLE, {32, 0, 0, 0}, "a multiple of 32 columns", NULL},
    {OP_WGMMA, ROLE_IMM_SCALE_A, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_WGMMA, ROLE_IMM_SCALE_B, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_WGMMA_SP, ROLE_IMM_SCALE_A, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_WGMMA_SP, ROLE_IMM_SCALE_B, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_ST_BULK, ROLE_VALUE, MOD_NONE, ONE_OF, {0, 0, 0, 0}, "0, the only value that can be stored", NULL},
    {OP_ST_BULK, ROLE_BYTES, MOD_NONE, MULTIPLE, {8, 0, 0, 0}, "a multiple of 8 bytes", NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_INTERLEAVE_LAYOUT, RANGE, {0, 2, 0, 0}, "0, 1 or 2", NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_SWIZZLE_MODE, RANGE, {0, 3, 0, 0}, "0 to 3; 4 is for sm_103a", "sm_103a"},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_SWIZZLE_MODE, RANGE, {0, 4, 0, 0}, "0 to 4", NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_SWIZZLE_ATOMICITY, RANGE, {0, 3, 0, 0}, "0 to 3", NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_FILL_MODE, RANGE, {0, 1, 0, 0}, "0 or 1", NULL},
};

static bool has_mod(const struct isa_spelling *s, unsigned mod)
{
    for (unsigned i = 0; i < s->form->elem_count; i++)
        if (s->mods[i] == mod)
            return true;
    return mod == MOD_NONE;
}

static bool meets(const struct value_row *row, int64_t value)
{
    if (row->kind == MULTIPLE)
        return value % row->values[0] == 0;
    if (row->kind == POWER_OF_TWO)
        return value > 0 && (value & (value - 1)) == 0;
    if (row->kind == RANGE)
        return value >= row->values[0] && value <= row->values[1];
    return value == row->values[0] || value == row->values[1] || value == row->values[2] || value == row->values[3];
}

const char *tw_isa_value_refused(const struct isa_spelling *s, unsigned operand, int64_t value, const struct isa_env *env)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == s->form->op && rows[i].role == s->form->operands[operand].role && has_mod(s, rows[i].with) &&
            !meets(&rows[i], value) && (rows[i].except == NULL || !tw_isa_target_in(env->target, rows[i].except)))
            return rows[i].words;
    return NULL;
}
