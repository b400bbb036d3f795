/* tcgen05.ld and tcgen05.st through tile.apply: registers from or to tensor memory, in all shapes of the map table.
 *
 * Operands registers, tmem (st: tmem, registers), both ending in (row, column) of 32-bit cells. A warp reaches the
 * 32 lanes of its own quadrant, warp index modulo 4; shapes of 16 lanes may start in the middle of it. Waiting is
 * the caller's. */
#include "tile/engine.h"

#include <assert.h>
#include <string.h>

/* Which row of the shape table the opcode names, and how many repeats. */
struct transfer {
    enum tmem_shape shape;
    uint32_t repeats;
};

static const struct transfer *transfer_of(const struct tile_call *c)
{
    return c->family_data;
}

static uint32_t regs(const struct tile_call *c)
{
    return tw_tmem_shapes[transfer_of(c)->shape].regs_per_repeat * transfer_of(c)->repeats;
}

static void owner(const struct tile_call *c, uint32_t lane, uint32_t reg, int64_t coord[TILE_MAX_ATOM])
{
    const struct tmem_cell cell = tw_tmem_shape_cell(transfer_of(c)->shape, lane, reg, 0);
    coord[0] = cell.lane;
    coord[1] = cell.col;
}

/* Rows are consecutive lanes, columns consecutive cells. */
static struct tile_cell cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM])
{
    (void)c;
    return (struct tile_cell){coord[0], coord[1] * 32};
}

static bool base(struct tile_call *c, uint32_t operand, struct tile_cell at, uint32_t thread)
{
    const uint32_t warp = thread / TW_WARP_LANES, lanes = tw_tmem_shapes[transfer_of(c)->shape].lanes;
    const int64_t first = TMEM_QUADRANT_LANES * (warp % 4), last = first + TMEM_QUADRANT_LANES - lanes;
    if (at.lane == first || (at.lane == last && lanes < TMEM_QUADRANT_LANES))
        return true;
    struct diag *d = tw_tile_error(c, operand, E0418, ": warp %u would reach lane %lld", warp, (long long)at.lane);
    if (first == last)
        tw_diag_expected(d, "lane %lld, where the quadrant of warp %u starts", (long long)first, warp);
    else
        tw_diag_expected(d, "lane %lld or %lld, in the quadrant of warp %u", (long long)first, (long long)last, warp);
    tw_diag_found(d, "layout %s", tw_layout_text(c->arena, c->operand[operand].layout));
    tw_diag_spec(d, "PTX ISA, tcgen05.ld: access restrictions");
    return false;
}

#define REGISTER_ROW(role_, name_)                                                                        \
    {.name = name_, .role = role_, .scopes = 1u << IR_LOCAL, .repeats = "*", .atom_rank = 2,              \
     .atom = {{"row", TILE_ROWS, "rows"}, {"column", TILE_COLS, "columns"}}, .elem_bits = 32, .regs = regs, .owner = owner}
#define CELL_ROW(role_, name_)                                                                            \
    {.name = name_, .role = role_, .scopes = 1u << IR_TMEM, .repeats = "*", .atom_rank = 2,               \
     .atom = {{"row", TILE_ROWS, "rows"}, {"column", TILE_COLS, "columns"}}, .elem_bits = 32, .cell = cell, .base = base}

static const struct tile_operand_row ld_operands[] = {REGISTER_ROW(TILE_DST, "dst"), CELL_ROW(TILE_SRC, "src")};
static const struct tile_operand_row st_operands[] = {CELL_ROW(TILE_DST, "dst"), REGISTER_ROW(TILE_SRC, "src")};

/* ---- the opcode ---------------------------------------------------------------------------------- */

static bool not_covered(struct tile_call *c, const char *why)
{
    struct diag *d = tw_diag(c->diags, E0402, c->tile->opcode_at, "the %s tile pattern does not cover %s", c->family->name,
                             c->mnemonic);
    tw_diag_expected(d, "one of the shapes 32x32b, 16x64b, 16x128b, 16x256b, each 32-bit cell a register");
    tw_diag_found(d, "%s", why);
    tw_diag_fix(d, "call it as a raw instruction, T.ptx[...](...)");
    return false;
}

static bool prepare(struct tile_call *c)
{
    char buffer[16];
    struct transfer *t = arena_new(c->arena, struct transfer, 1);
    const char *shape = tw_isa_mod_text(isa_spelling_mod(&c->spelling, SLOT_SHAPE), buffer);
    while (t->shape < TMEM_SHAPE_COUNT && strcmp(tw_tmem_shapes[t->shape].name, shape) != 0)
        t->shape++;
    if (t->shape == TMEM_SHAPE_COUNT || t->shape == TMEM_16X32BX2)
        return not_covered(c, "two halves at a distance: the split has no place in the coordinates");
    if (isa_spelling_mod(&c->spelling, SLOT_PACK) != MOD_NONE)
        return not_covered(c, "16-bit items packed in pairs");
    char count[16];
    t->repeats = 0;
    for (const char *digit = tw_isa_mod_text(isa_spelling_mod(&c->spelling, SLOT_NUM), count) + 1; *digit != '\0'; digit++)
        t->repeats = 10 * t->repeats + (uint32_t)(*digit - '0');
    c->family_data = t;
    c->symbol[TILE_ROWS] = tw_tmem_shapes[t->shape].lanes;
    c->symbol[TILE_COLS] = tw_tmem_shapes[t->shape].cols_per_repeat * (int64_t)t->repeats;
    assert(regs(c) <= TILE_MAX_REGS);
    return true;
}

/* ---- instructions -------------------------------------------------------------------------------- */

static bool issue(struct tile_call *c)
{
    const bool load = c->family->op == OP_TCGEN05_LD;
    const uint32_t registers = load ? 0 : 1, cells = load ? 1 : 0;
    const struct tile_place *r = tw_tile_registers(c, registers), *t = r == NULL ? NULL : tw_tile_cells(c, cells);
    if (t == NULL)
        return false;
    struct ir_ptx *x = tw_tile_instruction(c, 2);
    tw_tile_put_registers(c, &x->operands[registers], load ? IR_PTX_RESULT : IR_PTX_VALUE, registers, r);
    tw_tile_put_cells(c, &x->operands[cells], cells, t);
    return true;
}

const struct tile_family tw_tile_tcgen05_ld = {
    .op = OP_TCGEN05_LD,
    .name = "tcgen05.ld",
    .what = "tensor memory to registers",
    .issuer = TILE_BY_WARP,
    .operands = ld_operands,
    .operand_count = 2,
    .prepare = prepare,
    .issue = issue,
};

const struct tile_family tw_tile_tcgen05_st = {
    .op = OP_TCGEN05_ST,
    .name = "tcgen05.st",
    .what = "registers to tensor memory",
    .issuer = TILE_BY_WARP,
    .operands = st_operands,
    .operand_count = 2,
    .prepare = prepare,
    .issue = issue,
};
