/* mma.sync through tile.apply: m16n8k8 and m16n8k16, f16 or bf16 inputs, float32 accumulators.
 *
 * Operands D, A, B, C. C may be a scalar. Order batch, M, N, K; the first K step reads C, later ones D. */
#include "tile/engine.h"

#include "isa/mma_map.h"

#include <assert.h>

enum { D, A, B, C };
enum { AB_BITS = 16, WORD_ELEMS = 2 };

static uint32_t a_regs(const struct tile_call *c)
{
    return tw_mma_a_regs((uint32_t)c->symbol[TILE_M], (uint32_t)c->symbol[TILE_K], AB_BITS);
}

static uint32_t b_regs(const struct tile_call *c)
{
    return tw_mma_b_regs((uint32_t)c->symbol[TILE_N], (uint32_t)c->symbol[TILE_K], AB_BITS);
}

static uint32_t d_regs(const struct tile_call *c)
{
    return tw_mma_d_regs((uint32_t)c->symbol[TILE_M], (uint32_t)c->symbol[TILE_N], 32);
}

/* A and B are seen as 32-bit words of two K neighbours. */
static void a_owner(const struct tile_call *c, uint32_t lane, uint32_t reg, int64_t coord[TILE_MAX_ATOM])
{
    const struct mma_coord at = tw_mma_a_coord((uint32_t)c->symbol[TILE_M], AB_BITS, lane, reg, 0);
    coord[0] = at.row;
    coord[1] = at.col / WORD_ELEMS;
}

/* The map's row is K and its column N; the operand's axes are (N, K). */
static void b_owner(const struct tile_call *c, uint32_t lane, uint32_t reg, int64_t coord[TILE_MAX_ATOM])
{
    (void)c;
    const struct mma_coord at = tw_mma_b_coord(AB_BITS, lane, reg, 0);
    coord[0] = at.col;
    coord[1] = at.row / WORD_ELEMS;
}

static void d_owner(const struct tile_call *c, uint32_t lane, uint32_t reg, int64_t coord[TILE_MAX_ATOM])
{
    (void)c;
    const struct mma_coord at = tw_mma_d_coord(32, lane, reg, 0);
    coord[0] = at.row;
    coord[1] = at.col;
}

#define REGISTERS (1u << IR_LOCAL)
static const struct tile_operand_row operands[] = {
    [D] = {.name = "D", .role = TILE_DST, .scopes = REGISTERS, .repeats = "MN", .atom_rank = 2,
           .atom = {{"m", TILE_M, "M"}, {"n", TILE_N, "N"}}, .elem_bits = 32, .format = NUM_F32,
           .regs = d_regs, .owner = d_owner},
    [A] = {.name = "A", .role = TILE_SRC, .scopes = REGISTERS, .repeats = "MK", .atom_rank = 2,
           .atom = {{"m", TILE_M, "M"}, {"word", TILE_WORDS, "K/2"}}, .elem_bits = 32, .format = NUM_U32,
           .regs = a_regs, .owner = a_owner},
    [B] = {.name = "B", .role = TILE_SRC, .scopes = REGISTERS, .repeats = "NK", .atom_rank = 2,
           .atom = {{"n", TILE_N, "N"}, {"word", TILE_WORDS, "K/2"}}, .elem_bits = 32, .format = NUM_U32,
           .regs = b_regs, .owner = b_owner},
    [C] = {.name = "C", .role = TILE_SRC, .scopes = REGISTERS, .scalar = true, .repeats = "MN", .atom_rank = 2,
           .atom = {{"m", TILE_M, "M"}, {"n", TILE_N, "N"}}, .elem_bits = 32, .format = NUM_F32,
           .regs = d_regs, .owner = d_owner},
};

/* ---- the opcode ---------------------------------------------------------------------------------- */

/* SOURCE: kernel-language-tile 7.4: these forms and no others go through apply. */
static bool form_covered(const struct isa_spelling *s)
{
    const unsigned shape = isa_spelling_mod(s, SLOT_SHAPE), a = isa_spelling_mod(s, SLOT_ATYPE);
    return isa_is_shape(shape) && isa_shape_m(shape) == 16 && isa_shape_n(shape) == 8 &&
           (isa_shape_k(shape) == 8 || isa_shape_k(shape) == 16) && (a == MOD_F16 || a == MOD_BF16) &&
           isa_spelling_mod(s, SLOT_BTYPE) == a && isa_spelling_mod(s, SLOT_CTYPE) == MOD_F32 &&
           isa_spelling_mod(s, SLOT_DTYPE) == MOD_F32;
}

static bool prepare(struct tile_call *c)
{
    if (!form_covered(&c->spelling)) {
        struct diag *d = tw_diag(c->diags, E0402, c->tile->opcode_at, "the mma.sync tile pattern does not cover %s", c->mnemonic);
        tw_diag_expected(d, "mma.sync.aligned.m16n8k8 or m16n8k16.row.col.f32.T.T.f32, with T f16 or bf16 for both inputs");
        tw_diag_fix(d, "call it as a raw instruction, T.ptx[...](...)");
        return false;
    }
    const unsigned shape = isa_spelling_mod(&c->spelling, SLOT_SHAPE);
    c->symbol[TILE_M] = isa_shape_m(shape);
    c->symbol[TILE_N] = isa_shape_n(shape);
    c->symbol[TILE_K] = isa_shape_k(shape);
    c->symbol[TILE_WORDS] = c->symbol[TILE_K] / WORD_ELEMS;
    return true;
}

/* ---- instructions -------------------------------------------------------------------------------- */

static void begin(struct tile_call *c)
{
    /* A scalar C is read once: it may be computed from registers that the first instruction overwrites. */
    if (c->operand[C].scalar != NULL)
        c->operand[C].scalar = tw_tile_value(c, c->operand[C].arg, tw_ir_float32(), 0);
}

static void put_scalar(struct tile_call *c, struct ir_ptx_operand *to, uint32_t count)
{
    to->kind = IR_PTX_VECTOR;
    to->item_count = count;
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, count);
    for (uint32_t i = 0; i < count; i++)
        tw_tile_put_value(c, &to->items[i], c->operand[C].scalar);
}

static bool issue(struct tile_call *c)
{
    const bool first = c->at[c->batch_rank + 2] == 0; /* the axes are M, N, K */
    const bool scalar = c->operand[C].scalar != NULL;
    const struct tile_place *d = tw_tile_registers(c, D), *a = tw_tile_registers(c, A), *b = tw_tile_registers(c, B);
    const struct tile_place *from = scalar ? d : tw_tile_registers(c, C);
    if (d == NULL || a == NULL || b == NULL || from == NULL)
        return false;
    struct ir_ptx *x = tw_tile_instruction(c, 4);
    tw_tile_put_registers(c, &x->operands[0], IR_PTX_RESULT, D, d);
    tw_tile_put_registers(c, &x->operands[1], IR_PTX_VALUE, A, a);
    tw_tile_put_registers(c, &x->operands[2], IR_PTX_VALUE, B, b);
    if (!first)
        tw_tile_put_registers(c, &x->operands[3], IR_PTX_VALUE, D, d);
    else if (scalar)
        put_scalar(c, &x->operands[3], d->reg_count);
    else
        tw_tile_put_registers(c, &x->operands[3], IR_PTX_VALUE, C, from);
    return true;
}

const struct tile_family tw_tile_mma_sync = {
    .op = OP_MMA,
    .name = "mma.sync",
    .what = "warp matrix multiply-add on register fragments",
    .issuer = TILE_BY_WARP,
    .operands = operands,
    .operand_count = sizeof operands / sizeof operands[0],
    .axes = "MNK",
    .prepare = prepare,
    .begin = begin,
    .issue = issue,
};
