/* Immediate values that a form's plain range cannot say.
 * SOURCE: PTX ISA, the instructions' own sections; verdicts of ptxas 13.0 agree. */
#include "isa/isa_catalogue.h"
#include "isa/mma_form.h"
#include "isa/mma_map.h"

#include <stddef.h>

enum value_kind { MULTIPLE, POWER_OF_TWO, ONE_OF, RANGE, SELECTOR };

/* A selector says which of a quad's lanes hold the metadata; where all do there is but one choice. */
#define SELECTOR_WORDS "a selector of lanes that hold metadata: below 4, 2 or 1 where a quarter, half or all of a quad does"

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
    {OP_BAR_ARRIVE, ROLE_THREADS, MOD_NONE, RANGE, {1, UINT32_MAX, 0, 0}, "the threads that take part, not 0", NULL},
    {OP_MBARRIER_ARRIVE, ROLE_N, MOD_NONE, RANGE, {1, UINT32_MAX, 0, 0}, "1 or more arrivals", NULL},
    {OP_MBARRIER_ARRIVE_DROP, ROLE_N, MOD_NONE, RANGE, {1, UINT32_MAX, 0, 0}, "1 or more arrivals", NULL},
    {OP_SETMAXNREG, ROLE_N, MOD_NONE, MULTIPLE, {8, 0, 0, 0}, "a multiple of 8 from 24 to 256", NULL},
    {OP_CP_ASYNC, ROLE_SIZE, MOD_CG, ONE_OF, {16, 16, 16, 16}, "16 bytes with .cg", NULL},
    {OP_CP_ASYNC, ROLE_SIZE, MOD_CA, ONE_OF, {4, 8, 16, 16}, "4, 8 or 16 bytes", NULL},
    {OP_TCGEN05_ALLOC, ROLE_NCOLS, MOD_NONE, POWER_OF_TWO, {0, 0, 0, 0}, "32, 64, 128, 256 or 512 columns", NULL},
    {OP_TCGEN05_DEALLOC, ROLE_NCOLS, MOD_NONE, MULTIPLE, {32, 0, 0, 0}, "a multiple of 32 columns", NULL},
    {OP_WGMMA, ROLE_IMM_SCALE_A, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_WGMMA, ROLE_IMM_SCALE_B, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_WGMMA_SP, ROLE_IMM_SCALE_A, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_WGMMA_SP, ROLE_IMM_SCALE_B, MOD_NONE, ONE_OF, {1, -1, -1, -1}, "1 or -1", NULL},
    {OP_ALLOCA, ROLE_N, MOD_NONE, POWER_OF_TWO, {0, 0, 0, 0}, "a power of two", NULL},
    {OP_ST_BULK, ROLE_VALUE, MOD_NONE, ONE_OF, {0, 0, 0, 0}, "0, the only value that can be stored", NULL},
    {OP_ST_BULK, ROLE_BYTES, MOD_NONE, MULTIPLE, {8, 0, 0, 0}, "a multiple of 8 bytes", NULL},
    {OP_MMA_SP, ROLE_SELECTOR, MOD_NONE, SELECTOR, {0, 0, 0, 0}, SELECTOR_WORDS, NULL},
    {OP_MMA_SP_BLOCK_SCALE, ROLE_SELECTOR, MOD_NONE, SELECTOR, {0, 0, 0, 0}, SELECTOR_WORDS, NULL},
    {OP_WGMMA_SP, ROLE_SELECTOR, MOD_NONE, SELECTOR, {0, 0, 0, 0}, SELECTOR_WORDS, NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_INTERLEAVE_LAYOUT, RANGE, {0, 2, 0, 0}, "0, 1 or 2", NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_SWIZZLE_MODE, RANGE, {0, 3, 0, 0}, "0 to 3; 4 is for sm_103a", "sm_103a"},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_SWIZZLE_MODE, RANGE, {0, 4, 0, 0}, "0 to 4", NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_SWIZZLE_ATOMICITY, RANGE, {0, 3, 0, 0}, "0 to 3", NULL},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_ELEMTYPE, RANGE, {0, 12, 0, 0}, "0 to 12; 13 to 15 are for sm_100 and later", "sm_100"},
    {OP_TENSORMAP_REPLACE, ROLE_VALUE, MOD_FILL_MODE, RANGE, {0, 1, 0, 0}, "0 or 1", NULL},
};

static bool has_mod(const struct isa_spelling *s, unsigned mod)
{
    for (unsigned i = 0; i < s->form->elem_count; i++)
        if (s->mods[i] == mod)
            return true;
    return mod == MOD_NONE;
}

static int64_t selectors_of(const struct isa_spelling *s)
{
    struct mma_form form;
    if (tw_mma_form_of(s, &form))
        return form.part[MMA_META].choices;
    return tw_mma_sp_selectors(isa_type_bits(isa_spelling_mod(s, SLOT_ATYPE)), isa_shape_k(isa_spelling_mod(s, SLOT_SHAPE)));
}

static bool meets(const struct value_row *row, const struct isa_spelling *s, int64_t value)
{
    if (row->kind == SELECTOR)
        return value >= 0 && value < selectors_of(s);
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
            !meets(&rows[i], s, value) && (rows[i].except == NULL || !tw_isa_target_in(env->target, rows[i].except)))
            return rows[i].words;
    return NULL;
}
