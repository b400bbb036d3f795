/* ldmatrix and stmatrix through tile.apply: rows of 16 bytes in shared memory against fragments of a warp.
 *
 * Both operands end in (matrix, row, word). In shared memory a row is 16 bytes, aligned, at any place: lane
 * rows * matrix + row supplies its address, and lanes beyond the last row repeat the addresses of the first ones. In registers
 * the coordinates are those of the matrix that the warp holds, which .trans makes the transposed one; words are 32 bits,
 * low bytes first. Below g = lane / 4 and t = lane % 4:
 *
 *     m8n8 .b16       8 rows of 4 words     register m       word (m, g, t)
 *     m8n16 .b8x16    8 rows of 4 words     register m       word (m, g, t)
 *     m16n16 .b8      16 rows of 4 words    register 2m + h  word (m, g + 8h, t)
 *     m16n8 .b8       16 rows of 4 halves   register m       halves (m, g, t) and (m, g + 8, t)
 *
 * SOURCE: PTX ISA, ldmatrix, stmatrix. MEASURED: ptx-async 1.6, the forms of 16-bit elements. */
#include "tile/engine.h"

#include "isa/mma_map.h"

#include <assert.h>

enum { ROW_BYTES = 16, WORD_HALVES = 2 };

struct fragment {
    struct tile_operand_row rows[2];
    uint32_t registers, memory; /* positions of the operands */
};

static struct fragment *fragment_of(const struct tile_call *c)
{
    return c->family_data;
}

/* ---- what the warp holds --------------------------------------------------------------------------- */

static uint32_t one_a_matrix(const struct tile_call *c)
{
    return (uint32_t)c->symbol[TILE_M];
}

static uint32_t two_a_matrix(const struct tile_call *c)
{
    return 2 * (uint32_t)c->symbol[TILE_M];
}

static void word_of_row(uint32_t lane, int64_t coord[TILE_MAX_ATOM])
{
    const struct mma_coord at = tw_ldmatrix_coord(false, lane, 0);
    coord[1] = at.row;
    coord[2] = at.col / WORD_HALVES;
}

static void owner_8_rows(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    (void)c;
    coord[0] = item;
    word_of_row(lane, coord);
}

/* Two registers, or two halves of one, a matrix: rows g and g + 8. */
static void owner_16_rows(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    (void)c;
    coord[0] = item / 2;
    word_of_row(lane, coord);
    coord[1] += 8 * (item % 2);
}

/* ---- forms ------------------------------------------------------------------------------------------- */

#define ATOM(rows_, wide)                                                                                                   \
    .repeats = "*", .atom_rank = 3, .atom = {{"matrix", TILE_M, "count"}, {"row", rows_, "rows"}, {wide, TILE_WORDS, "words"}}
#define REGISTERS .name = "registers", .scopes = 1u << IR_LOCAL
static const struct tile_operand_row register_rows[] = {
    {REGISTERS, ATOM(TILE_ROWS, "word"), .elem_bits = 32, .regs = one_a_matrix, .owner = owner_8_rows},
    {REGISTERS, ATOM(TILE_ROWS, "word"), .elem_bits = 32, .regs = two_a_matrix, .owner = owner_16_rows},
    {REGISTERS, ATOM(TILE_ROWS, "pair"), .elem_bits = 16, .regs = one_a_matrix, .owner = owner_16_rows, .items = WORD_HALVES},
};
#undef REGISTERS
static const struct tile_operand_row memory_row = {.name = "shared", .scopes = 1u << IR_SHARED, ATOM(TILE_SCALE_ROWS, "word"),
                                                   .elem_bits = 32, .memory = true};
#undef ATOM

struct matrix_form {
    enum isa_mod shape;
    uint8_t rows;        /* of the matrix that the warp holds */
    uint8_t memory_rows; /* rows of 16 bytes */
    uint8_t registers;   /* index in register_rows */
};
static const struct matrix_form forms[] = {
    {MOD_M8N8, 8, 8, 0}, {MOD_M8N16, 8, 8, 0}, {MOD_M16N16, 16, 16, 1}, {MOD_M16N8, 16, 8, 2},
};

static const struct matrix_form *form_of(const struct tile_call *c)
{
    const unsigned shape = isa_spelling_mod(&c->spelling, SLOT_SHAPE);
    size_t i = 0;
    while (i + 1 < sizeof forms / sizeof forms[0] && forms[i].shape != shape)
        i++;
    assert(forms[i].shape == shape); /* every shape of the catalogue has a row */
    return &forms[i];
}

static int64_t count_of(const struct tile_call *c)
{
    const unsigned num = isa_spelling_mod(&c->spelling, SLOT_NUM);
    return num == MOD_X1 ? 1 : num == MOD_X2 ? 2 : 4;
}

static bool prepare(struct tile_call *c)
{
    struct fragment *f = arena_new(c->arena, struct fragment, 1);
    const struct matrix_form *form = form_of(c);
    const bool load = c->spelling.form->op == OP_LDMATRIX;
    f->registers = load ? 0 : 1;
    f->memory = load ? 1 : 0;
    f->rows[f->registers] = register_rows[form->registers];
    f->rows[f->registers].role = load ? TILE_DST : TILE_SRC;
    f->rows[f->memory] = memory_row;
    f->rows[f->memory].role = load ? TILE_SRC : TILE_DST;
    c->family_data = f;
    c->rows = f->rows;
    c->row_count = 2;
    c->symbol[TILE_M] = count_of(c);
    c->symbol[TILE_ROWS] = form->rows;
    c->symbol[TILE_SCALE_ROWS] = form->memory_rows;
    c->symbol[TILE_WORDS] = ROW_BYTES / 4;
    return true;
}

/* ---- instructions ------------------------------------------------------------------------------------ */

static struct ir_expr *number(struct tile_call *c, int64_t value)
{
    return tw_ir_const_int(c->k, tw_ir_int32(), value, c->stmt->at);
}

static struct ir_expr *lane_part(struct tile_call *c, enum ir_op op, int64_t by)
{
    return tw_ir_binary(c->k, op, tw_ir_coord(c->k, IR_LANE_ID, c->stmt->at), number(c, by), c->stmt->at);
}

/* The row whose address this lane supplies. */
static struct ir_expr *row_address(struct tile_call *c, uint32_t operand, const struct tile_place *place)
{
    const int64_t rows = c->symbol[TILE_SCALE_ROWS], count = c->symbol[TILE_M];
    struct ir_expr *matrix = NULL;
    if (count > 1)
        matrix = lane_part(c, IR_FLOORDIV, rows);
    if (count > 1 && rows * count < TW_WARP_LANES)
        matrix = tw_ir_binary(c->k, IR_FLOORMOD, matrix, number(c, count), c->stmt->at);
    struct ir_expr *const atom[TILE_MAX_ATOM] = {matrix, lane_part(c, IR_FLOORMOD, rows), NULL};
    return tw_tile_pointer(c, operand, place, atom);
}

static bool issue(struct tile_call *c)
{
    const struct fragment *f = fragment_of(c);
    const bool load = f->registers == 0;
    const struct tile_place *regs = tw_tile_registers(c, f->registers), *memory = NULL;
    if (regs != NULL)
        memory = tw_tile_memory(c, f->memory, (struct tile_run){.axes = 1, .align_bytes = ROW_BYTES});
    if (memory == NULL)
        return false;
    struct ir_ptx *x = tw_tile_instruction(c, 2);
    tw_tile_put_registers(c, &x->operands[f->registers], load ? IR_PTX_RESULT : IR_PTX_VALUE, f->registers, regs);
    x->operands[f->memory].kind = IR_PTX_ADDRESS;
    x->operands[f->memory].expr = row_address(c, f->memory, memory);
    return true;
}

const struct tile_family tw_tile_ldmatrix = {
    .op = OP_LDMATRIX,
    .name = "ldmatrix",
    .what = "rows of shared memory to matrix fragments",
    .issuer = TILE_BY_WARP,
    .prepare = prepare,
    .issue = issue,
};

const struct tile_family tw_tile_stmatrix = {
    .op = OP_STMATRIX,
    .name = "stmatrix",
    .what = "matrix fragments to rows of shared memory",
    .issuer = TILE_BY_WARP,
    .prepare = prepare,
    .issue = issue,
};
