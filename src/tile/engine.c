/* The engine: one tile operation from its IR statement to instructions. Every family takes the same way:
 * opcode, parameters, who issues, operand shapes, and then one instruction for every batch and repeat tuple in
 * row-major order. */
#include "tile/engine.h"

#include <assert.h>

static uint32_t tuple_rank(const struct tile_call *c)
{
    return c->batch_rank + c->axis_count;
}

static int64_t tuple_extent(const struct tile_call *c, uint32_t i)
{
    return i < c->batch_rank ? c->batch[i] : c->axis_extent[i - c->batch_rank];
}

static bool check_issues(struct tile_call *c)
{
    int64_t issues = 1;
    for (uint32_t i = 0; i < tuple_rank(c); i++)
        if (__builtin_mul_overflow(issues, tuple_extent(c, i), &issues) || issues > TW_MAX_TILE_ISSUES) {
            struct diag *d = tw_diag(c->diags, E0420, c->tile->opcode_at, "this call would expand to more than %d instructions",
                                     TW_MAX_TILE_ISSUES);
            tw_diag_fix(d, "put a loop around a smaller call");
            return false;
        }
    return true;
}

/* Next tuple, last axis fastest; false after the last. */
static bool next_tuple(struct tile_call *c)
{
    for (uint32_t i = tuple_rank(c); i-- > 0;) {
        if (++c->at[i] < tuple_extent(c, i))
            return true;
        c->at[i] = 0;
    }
    return false;
}

static bool walk(struct tile_call *c)
{
    tw_tile_bind_starts(c);
    if (c->family->begin != NULL)
        c->family->begin(c);
    do {
        if (!c->family->issue(c))
            return false;
    } while (next_tuple(c));
    return true;
}

bool tw_tile_expand(struct ir_kernel *k, const struct isa *isa, struct diags *diags, const struct ir_stmt *stmt,
                    const struct tile_guards *guards, struct ir_block *out)
{
    struct tile_call *c = arena_new(k->arena, struct tile_call, 1);
    *c = (struct tile_call){.k = k, .isa = isa, .diags = diags, .arena = k->arena, .stmt = stmt, .tile = stmt->tile, .out = out};
    c->family = stmt->body.list.len > 0 ? &tw_tile_ewise : tw_tile_recognise(c);
    if (c->family == NULL || !tw_tile_params(c))
        return false;
    c->rows = c->family->operands;
    c->row_count = c->family->operand_count;
    c->symbol[TILE_ONE] = 1;
    if (!c->family->prepare(c))
        return false;
    if (!tw_tile_assemble(c, guards) || !tw_tile_split(c) || !check_issues(c))
        return false;
    return (c->family->check == NULL || c->family->check(c)) && walk(c);
}
