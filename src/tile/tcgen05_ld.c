/* tcgen05.ld, tcgen05.ld.red and tcgen05.st through tile.apply: registers from or to tensor memory, in all shapes of
 * the map table.
 *
 * Operands registers, tmem (st: tmem, registers). Both end in (row, column) of 32-bit cells; with .pack::16b and
 * .unpack::16b in (row, column) of 16-bit elements, each in the low half of a cell of its own, two neighbours to a
 * register. The shape 16x32bx2 has two halves of 16 lanes and N columns, a fixed number of columns apart: its operands
 * end in (half, row, column), and the split is where the layout has the second half. ld.red takes a third operand
 * behind the registers, one result a lane, which ends in (row) or (half, row).
 * A warp reaches the 32 lanes of its own quadrant, warp index modulo 4; shapes of 16 lanes may start in the middle of
 * it. Waiting is the caller's. */
#include "tile/engine.h"

#include <assert.h>
#include <string.h>

enum { ITEMS_PACKED = 2 };

/* What the opcode says. */
struct transfer {
    enum tmem_shape shape;
    uint32_t repeats;
    bool packed;
    int64_t split; /* columns between the halves of 16x32bx2, for the tuple at hand */
};

static struct transfer *transfer_of(const struct tile_call *c)
{
    return c->family_data;
}

static bool in_halves(const struct tile_call *c)
{
    return transfer_of(c)->shape == TMEM_16X32BX2;
}

static uint32_t regs(const struct tile_call *c)
{
    return tw_tmem_shapes[transfer_of(c)->shape].regs_per_repeat * transfer_of(c)->repeats;
}

/* ---- maps ---------------------------------------------------------------------------------------- */

/* Row and column of an item, apart from which half it is in. */
static void place_in_half(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t *row, int64_t *column)
{
    const struct transfer *t = transfer_of(c);
    const struct tmem_cell cell = tw_tmem_shape_cell(t->shape, lane, t->packed ? item / ITEMS_PACKED : item, 0);
    *row = cell.lane;
    *column = t->packed ? ITEMS_PACKED * cell.col + item % ITEMS_PACKED : cell.col;
}

static void owner(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    place_in_half(c, lane, item, &coord[0], &coord[1]);
}

static void owner_in_halves(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    coord[0] = lane / 16;
    place_in_half(c, lane, item, &coord[1], &coord[2]);
}

static uint32_t one_register(const struct tile_call *c)
{
    (void)c;
    return 1;
}

static void owner_of_result(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    (void)c, (void)item;
    coord[0] = lane;
}

static void owner_of_result_in_halves(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    (void)c, (void)item;
    coord[0] = lane / 16;
    coord[1] = lane % 16;
}

/* Rows are consecutive lanes, columns consecutive cells. */
static struct tile_cell cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    (void)c, (void)copy;
    return (struct tile_cell){coord[0], coord[1] * 32};
}

static struct tile_cell cell_in_halves(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    (void)copy;
    return (struct tile_cell){coord[1], (coord[0] * transfer_of(c)->split + coord[2]) * 32};
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
    if (at.lane % TMEM_QUADRANT_LANES == 0 || at.lane % TMEM_QUADRANT_LANES == TMEM_QUADRANT_LANES - lanes)
        tw_diag_fix(d, "start it at lane %lld, or let a warp of index %lld modulo 4 issue it", (long long)first,
                    (long long)at.lane / TMEM_QUADRANT_LANES);
    else
        tw_diag_fix(d, "start it at lane %lld", (long long)first);
    tw_diag_spec(d, "PTX ISA, tcgen05.ld: access restrictions");
    return false;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

#define FLAT_ATOM .atom_rank = 2, .atom = {{"row", TILE_ROWS, "rows"}, {"column", TILE_COLS, "columns"}}
#define HALVES_ATOM                                                                                       \
    .atom_rank = 3,                                                                                       \
    .atom = {{"half", TILE_HALVES, "halves"}, {"row", TILE_ROWS, "rows"}, {"column", TILE_COLS, "columns"}}
#define REGISTERS .scopes = 1u << IR_LOCAL, .repeats = "*", .regs = regs
#define CELLS .scopes = 1u << IR_TMEM, .repeats = "*", .base = base
#define PACKED .elem_bits = 16, .items = ITEMS_PACKED

/* By whether elements are packed and whether the shape has two halves. */
#define REGISTER_ROWS(role_, name_)                                                                       \
    {{{.name = name_, .role = role_, REGISTERS, FLAT_ATOM, .elem_bits = 32, .owner = owner},              \
      {.name = name_, .role = role_, REGISTERS, HALVES_ATOM, .elem_bits = 32, .owner = owner_in_halves}}, \
     {{.name = name_, .role = role_, REGISTERS, FLAT_ATOM, PACKED, .owner = owner},                       \
      {.name = name_, .role = role_, REGISTERS, HALVES_ATOM, PACKED, .owner = owner_in_halves}}}
#define CELL_ROWS(role_, name_)                                                                           \
    {{{.name = name_, .role = role_, CELLS, FLAT_ATOM, .elem_bits = 32, .cell = cell},                    \
      {.name = name_, .role = role_, CELLS, HALVES_ATOM, .elem_bits = 32, .cell = cell_in_halves}},       \
     {{.name = name_, .role = role_, CELLS, FLAT_ATOM, .elem_bits = 16, .cell = cell},                    \
      {.name = name_, .role = role_, CELLS, HALVES_ATOM, .elem_bits = 16, .cell = cell_in_halves}}}

static const struct tile_operand_row to_registers[2][2] = REGISTER_ROWS(TILE_DST, "dst");
static const struct tile_operand_row from_registers[2][2] = REGISTER_ROWS(TILE_SRC, "src");
static const struct tile_operand_row to_cells[2][2] = CELL_ROWS(TILE_DST, "dst");
static const struct tile_operand_row from_cells[2][2] = CELL_ROWS(TILE_SRC, "src");
static const struct tile_operand_row results[2] = {
    {.name = "red", .role = TILE_DST, .scopes = 1u << IR_LOCAL, .repeats = "*", .atom_rank = 1,
     .atom = {{"row", TILE_ROWS, "rows"}}, .elem_bits = 32, .regs = one_register, .owner = owner_of_result},
    {.name = "red", .role = TILE_DST, .scopes = 1u << IR_LOCAL, .repeats = "*", .atom_rank = 2,
     .atom = {{"half", TILE_HALVES, "halves"}, {"row", TILE_ROWS, "rows"}}, .elem_bits = 32, .regs = one_register,
     .owner = owner_of_result_in_halves},
};

/* Names and memories of the operands, in order. */
static const struct tile_operand_row ld_operands[] = {
    {.name = "dst", .scopes = 1u << IR_LOCAL}, {.name = "src", .scopes = 1u << IR_TMEM}};
static const struct tile_operand_row ld_red_operands[] = {
    {.name = "dst", .scopes = 1u << IR_LOCAL}, {.name = "red", .scopes = 1u << IR_LOCAL}, {.name = "src", .scopes = 1u << IR_TMEM}};
static const struct tile_operand_row st_operands[] = {
    {.name = "dst", .scopes = 1u << IR_TMEM}, {.name = "src", .scopes = 1u << IR_LOCAL}};

static const struct tile_operand_row *variant(const struct tile_call *c, uint32_t operand)
{
    const bool packed = transfer_of(c)->packed, halves = in_halves(c);
    if (c->family->op == OP_TCGEN05_ST)
        return operand == 0 ? &to_cells[packed][halves] : &from_registers[packed][halves];
    if (operand == 0)
        return &to_registers[packed][halves];
    return operand + 1 == c->row_count ? &from_cells[packed][halves] : &results[halves];
}

/* ---- the opcode ---------------------------------------------------------------------------------- */

static bool prepare(struct tile_call *c)
{
    char buffer[16], count[16];
    struct transfer *t = arena_new(c->arena, struct transfer, 1);
    const char *shape = tw_isa_mod_text(isa_spelling_mod(&c->spelling, SLOT_SHAPE), buffer);
    while (strcmp(tw_tmem_shapes[t->shape].name, shape) != 0) {
        t->shape++;
        assert(t->shape < TMEM_SHAPE_COUNT);
    }
    t->repeats = 0;
    for (const char *digit = tw_isa_mod_text(isa_spelling_mod(&c->spelling, SLOT_NUM), count) + 1; *digit != '\0'; digit++)
        t->repeats = 10 * t->repeats + (uint32_t)(*digit - '0');
    t->packed = c->family->op != OP_TCGEN05_LD_RED && isa_spelling_mod(&c->spelling, SLOT_PACK) != MOD_NONE;
    c->family_data = t;
    const struct tmem_shape_row *row = &tw_tmem_shapes[t->shape];
    c->symbol[TILE_HALVES] = 2;
    c->symbol[TILE_ROWS] = row->lanes;
    c->symbol[TILE_COLS] = row->cols_per_repeat * (int64_t)t->repeats * (t->packed ? ITEMS_PACKED : 1);
    return true;
}

/* ld.red compares: its registers have the type of the comparison. */
static bool check_red(struct tile_call *c)
{
    char buffer[16];
    const char *name = tw_isa_mod_text(isa_spelling_mod(&c->spelling, SLOT_TYPE), buffer);
    const enum num_format want = tw_num_format_by_name(tw_str(name));
    for (uint32_t i = 0; i < 2; i++) {
        const struct ir_type t = c->operand[i].view->elem;
        if (t.format == want)
            continue;
        struct diag *d = tw_tile_error(c, i, E0409, " has elements of type %s", tw_ir_type_name(t));
        tw_diag_expected(d, "%s, the type that %s compares", tw_num_format(want)->dtype, c->mnemonic);
        tw_diag_fix(d, "declare '%s' as %s", c->operand[i].storage->name, tw_num_format(want)->dtype);
        return false;
    }
    return true;
}

/* ---- instructions -------------------------------------------------------------------------------- */

static bool read_split(struct tile_call *c, uint32_t operand)
{
    struct transfer *t = transfer_of(c);
    if (!in_halves(c))
        return true;
    const struct tile_cell first = tw_tile_layout_cell(c, operand, (const int64_t[TILE_MAX_ATOM]){0, 0, 0});
    const struct tile_cell second = tw_tile_layout_cell(c, operand, (const int64_t[TILE_MAX_ATOM]){1, 0, 0});
    const int64_t bits = second.bit - first.bit;
    t->split = bits / 32;
    if (first.lane == second.lane && bits >= 0 && bits % 32 == 0)
        return true;
    struct diag *d = tw_tile_error(c, operand, E0417, ": the second half is no split of columns away from the first");
    tw_diag_expected(d, "element (half=1, row=0, column=0) in the lane of (half=0, row=0, column=0), some columns on");
    tw_diag_found(d, "%lld lanes and %lld bits on, by layout %s", (long long)(second.lane - first.lane), (long long)bits,
                  tw_layout_text(c->arena, c->operand[operand].layout));
    const long long columns = c->symbol[TILE_COLS], step = t->packed ? ITEMS_PACKED : 1;
    tw_diag_fix(d, "lay each tile as S[(2, %d, %lld) : (%lld @ TCol, 1 @ TLane, %lld @ TCol)] does", TMEM_QUADRANT_LANES / 2, columns,
                step * columns, step);
    return false;
}

static void put_split(struct tile_call *c, struct ir_ptx *x, uint32_t *n)
{
    if (in_halves(c))
        tw_tile_put_value(c, &x->operands[(*n)++],
                          tw_ir_const_int(c->k, tw_ir_uint32(), transfer_of(c)->split, c->stmt->at));
}

static bool issue_store(struct tile_call *c)
{
    if (!read_split(c, 0))
        return false;
    const struct tile_place *r = tw_tile_registers(c, 1), *t = r == NULL ? NULL : tw_tile_cells(c, 0);
    if (t == NULL)
        return false;
    uint32_t n = 0;
    struct ir_ptx *x = tw_tile_instruction(c, in_halves(c) ? 3 : 2);
    tw_tile_put_cells(c, &x->operands[n++], 0, t);
    put_split(c, x, &n);
    tw_tile_put_registers(c, &x->operands[n++], IR_PTX_VALUE, 1, r);
    return true;
}

static bool issue_load(struct tile_call *c)
{
    const uint32_t source = c->operand_count - 1;
    if (!read_split(c, source))
        return false;
    const struct tile_place *r = tw_tile_registers(c, 0), *red = r;
    if (r != NULL && source == 2)
        red = tw_tile_registers(c, 1);
    const struct tile_place *t = red == NULL ? NULL : tw_tile_cells(c, source);
    if (t == NULL)
        return false;
    uint32_t n = 0;
    struct ir_ptx *x = tw_tile_instruction(c, c->operand_count + in_halves(c));
    tw_tile_put_registers(c, &x->operands[n++], IR_PTX_RESULT, 0, r);
    if (source == 2) {
        struct ir_ptx_operand one;
        tw_tile_put_registers(c, &one, IR_PTX_RESULT, 1, red);
        x->operands[n++] = one.items[0];
    }
    tw_tile_put_cells(c, &x->operands[n++], source, t);
    put_split(c, x, &n);
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
    .variant = variant,
    .issue = issue_load,
};

const struct tile_family tw_tile_tcgen05_ld_red = {
    .op = OP_TCGEN05_LD_RED,
    .name = "tcgen05.ld.red",
    .what = "tensor memory to registers, with the least or greatest of each lane",
    .issuer = TILE_BY_WARP,
    .operands = ld_red_operands,
    .operand_count = 3,
    .prepare = prepare,
    .variant = variant,
    .check = check_red,
    .issue = issue_load,
};

const struct tile_family tw_tile_tcgen05_st = {
    .op = OP_TCGEN05_ST,
    .name = "tcgen05.st",
    .what = "registers to tensor memory",
    .issuer = TILE_BY_WARP,
    .operands = st_operands,
    .operand_count = 2,
    .prepare = prepare,
    .variant = variant,
    .issue = issue_store,
};
