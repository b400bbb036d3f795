/* mma.sync through tile.apply: every dense and sparse form, with and without block scaling.
 *
 * Operands D, A, B, C; behind them E, the metadata of a sparse A, and SFA and SFB, the scales of blocks. C may be a scalar.
 * Order batch, M, N, K; the first K step reads C, later ones D. What an operand's atom is, how many registers it has and who
 * holds which element comes from the form's row in isa/mma_form; this file says how a kernel sees it:
 *
 *     A, B   32-bit words of neighbours along K; f64: the element
 *     D, C   elements; f16: 32-bit words of two neighbours along N
 *     E      uint16 words of four codes, the groups of a row in order
 *     SFA    bytes, the factors of a row; SFB those of a column
 *
 * Which of the lanes that may supply metadata and scales do supply them, and from which byte on, is where the operand's
 * layout has them; the instruction's selectors follow from it. */
#include "tile/engine.h"

#include "ir/ir_walk.h"
#include "isa/mma_form.h"

#include <assert.h>

enum { CODES = 4 }; /* of metadata, in an element of E */
enum { AXIS_OF_K = 2 }; /* the axes are M, N, K */

/* What the opcode says. */
struct mma_call {
    struct mma_form form;
    struct tile_operand_row rows[TILE_MAX_OPERANDS];
    uint32_t at[MMA_PART_COUNT]; /* which operand a part is */
};

static const struct mma_call *mma_of(const struct tile_call *c)
{
    return c->family_data;
}

/* ---- ownership ------------------------------------------------------------------------------------ */

static void place(const struct tile_call *c, enum mma_part part, uint32_t lane, uint32_t reg, uint32_t elem, uint32_t unit,
                  int64_t coord[TILE_MAX_ATOM])
{
    struct mma_coord at = {0, 0};
    tw_mma_place(&mma_of(c)->form, part, lane, reg, elem, &at);
    coord[0] = at.row;
    coord[1] = at.col / unit;
}

/* Matrices are seen a register at a time: one coordinate a word. */
#define MATRIX(name, which)                                                                                       \
    static uint32_t name##_regs(const struct tile_call *c)                                                       \
    {                                                                                                            \
        return mma_of(c)->form.part[which].regs;                                                                  \
    }                                                                                                            \
    static void name##_owner(const struct tile_call *c, uint32_t lane, uint32_t reg, int64_t coord[TILE_MAX_ATOM]) \
    {                                                                                                            \
        place(c, which, lane, reg, 0, mma_of(c)->form.part[which].per_reg, coord);                                 \
    }
MATRIX(d, MMA_D)
MATRIX(a, MMA_A)
MATRIX(b, MMA_B)
MATRIX(c, MMA_C)
#undef MATRIX

static uint32_t one_register(const struct tile_call *c)
{
    (void)c;
    return 1;
}

/* The items of a lane's metadata register, or of the bytes that its scale register has for the instruction. */
#define SUPPLIED(name, which, unit)                                                                                 \
    static bool name##_supplies(const struct tile_call *c, uint32_t lane)                                          \
    {                                                                                                              \
        struct mma_coord at;                                                                                       \
        return tw_mma_place(&mma_of(c)->form, which, lane, 0, 0, &at);                                              \
    }                                                                                                              \
    static void name##_owner(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM]) \
    {                                                                                                              \
        place(c, which, lane, 0, item * (unit), unit, coord);                                                       \
    }
SUPPLIED(e, MMA_META, CODES)
SUPPLIED(sfa, MMA_SFA, 1)
SUPPLIED(sfb, MMA_SFB, 1)
#undef SUPPLIED

/* ---- rows ----------------------------------------------------------------------------------------- */

#define REGISTERS .scopes = 1u << IR_LOCAL, .atom_rank = 2
static const struct tile_operand_row parts[MMA_PART_COUNT] = {
    [MMA_D] = {.name = "D", .role = TILE_DST, REGISTERS, .repeats = "MN", .regs = d_regs, .owner = d_owner,
               .atom = {{"m", TILE_M, "M"}, {"n", TILE_D_WORDS, "N"}}},
    [MMA_A] = {.name = "A", .role = TILE_SRC, REGISTERS, .repeats = "MK", .regs = a_regs, .owner = a_owner,
               .atom = {{"m", TILE_M, "M"}, {"k", TILE_A_WORDS, "K"}}},
    [MMA_B] = {.name = "B", .role = TILE_SRC, REGISTERS, .repeats = "NK", .regs = b_regs, .owner = b_owner,
               .atom = {{"n", TILE_N, "N"}, {"k", TILE_B_WORDS, "K"}}},
    [MMA_C] = {.name = "C", .role = TILE_SRC, REGISTERS, .scalar = true, .repeats = "MN", .regs = c_regs, .owner = c_owner,
               .atom = {{"m", TILE_M, "M"}, {"n", TILE_D_WORDS, "N"}}},
    [MMA_META] = {.name = "E", .role = TILE_SRC, REGISTERS, .repeats = "MK", .regs = one_register, .owner = e_owner,
                  .atom = {{"m", TILE_M, "M"}, {"codes", TILE_CODES, "groups/4"}}, .elem_bits = 16, .format = NUM_U16,
                  .items = 2, .supplies = e_supplies},
    [MMA_SFA] = {.name = "SFA", .role = TILE_SRC, REGISTERS, .repeats = "MK", .regs = one_register, .owner = sfa_owner,
                 .atom = {{"m", TILE_M, "M"}, {"factor", TILE_FACTORS, "factors"}}, .elem_bits = 8,
                 .room = MMA_SCALE_BYTES, .supplies = sfa_supplies},
    [MMA_SFB] = {.name = "SFB", .role = TILE_SRC, REGISTERS, .repeats = "NK", .regs = one_register, .owner = sfb_owner,
                 .atom = {{"n", TILE_N, "N"}, {"factor", TILE_FACTORS, "factors"}}, .elem_bits = 8,
                 .room = MMA_SCALE_BYTES, .supplies = sfb_supplies},
};

/* The names of a family's operands, in order; what else there is to know depends on the form. */
#define NAMED(text) {.name = text}
static const struct tile_operand_row dense_operands[] = {NAMED("D"), NAMED("A"), NAMED("B"), NAMED("C")};
static const struct tile_operand_row sparse_operands[] = {NAMED("D"), NAMED("A"), NAMED("B"), NAMED("C"), NAMED("E")};
static const struct tile_operand_row scaled_operands[] = {NAMED("D"), NAMED("A"), NAMED("B"), NAMED("C"), NAMED("SFA"),
                                                          NAMED("SFB")};
static const struct tile_operand_row sparse_scaled_operands[] = {NAMED("D"), NAMED("A"),   NAMED("B"),  NAMED("C"),
                                                                 NAMED("E"), NAMED("SFA"), NAMED("SFB")};

/* "K/2" */
static const char *along(const struct tile_call *c, const char *axis, uint32_t divisor)
{
    return divisor == 1 ? axis : tw_format(c->arena, "%s/%u", axis, divisor);
}

/* Words of several elements are uint32; an element that fills its register is seen as what it is, but for tf32, whose words are
 * any 32 bits: float32 is no tf32 unless the kernel says so. */
static void set_matrix(const struct tile_call *c, const struct mma_form *f, enum mma_part part, struct tile_operand_row *row)
{
    const struct mma_fragment *x = &f->part[part];
    const bool words = x->per_reg > 1 || x->format == NUM_TF32;
    const bool sums = part == MMA_C || part == MMA_D;
    row->elem_bits = x->reg_bits;
    row->format = words ? NUM_U32 : x->format;
    row->scalar_format = row->scalar ? x->format : NUM_NONE;
    if (x->per_reg > 1)
        row->atom[1].name = "word";
    row->atom[1].text = along(c, sums ? "N" : "K", x->per_reg * (part == MMA_A && f->sparse ? 2u : 1u));
}

static void set_supplied(const struct mma_fragment *x, enum mma_part part, struct tile_operand_row *row)
{
    row->choices = x->choices;
    row->choice_lanes = x->choice_lanes;
    if (part != MMA_META)
        row->items = x->per_reg;
}

static void make_rows(struct tile_call *c, struct mma_call *x)
{
    static const enum mma_part order[] = {MMA_D, MMA_A, MMA_B, MMA_C, MMA_META, MMA_SFA, MMA_SFB};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const enum mma_part part = order[i];
        if (x->form.part[part].format == NUM_NONE)
            continue;
        x->at[part] = count;
        x->rows[count] = parts[part];
        if (part == MMA_META || part == MMA_SFA || part == MMA_SFB)
            set_supplied(&x->form.part[part], part, &x->rows[count]);
        else
            set_matrix(c, &x->form, part, &x->rows[count]);
        count++;
    }
    assert(count == c->family->operand_count);
    c->rows = x->rows;
}

/* ---- the opcode ------------------------------------------------------------------------------------ */

static bool prepare(struct tile_call *c)
{
    struct mma_call *x = arena_new(c->arena, struct mma_call, 1);
    const bool known = tw_mma_form_of(&c->spelling, &x->form);
    if (!known || x->form.quad_pairs) {
        struct diag *d = tw_diag(c->diags, E0402, c->tile->opcode_at, "the %s tile pattern does not cover %s", c->family->name,
                                 c->mnemonic);
        tw_diag_expected(d, "one product of a whole warp; this form makes four, one for each pair of quads");
        tw_diag_fix(d, "use m16n8k8, or call it as a raw instruction, T.ptx[...](...)");
        return false;
    }
    const struct mma_form *f = &x->form;
    c->family_data = x;
    c->symbol[TILE_M] = f->m;
    c->symbol[TILE_N] = f->n;
    c->symbol[TILE_K] = f->k;
    c->symbol[TILE_A_WORDS] = f->stored_k / f->part[MMA_A].per_reg;
    c->symbol[TILE_B_WORDS] = f->k / f->part[MMA_B].per_reg;
    c->symbol[TILE_D_WORDS] = f->n / f->part[MMA_D].per_reg;
    c->symbol[TILE_CODES] = f->part[MMA_META].cols / CODES;
    c->symbol[TILE_FACTORS] = f->factors;
    make_rows(c, x);
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------------- */

/* An f16 in both halves of a word. */
static struct ir_expr *doubled(struct tile_call *c, const struct ir_expr *value)
{
    const struct src_span at = value->at;
    struct ir_expr *bits = tw_ir_unary(c->k, IR_REINTERPRET, tw_ir_type_of(NUM_U16), tw_ir_expr_copy(c->k, value, NULL), at);
    return tw_ir_binary(c->k, IR_MUL, tw_ir_cast(c->k, tw_ir_uint32(), bits, at),
                        tw_ir_const_int(c->k, tw_ir_uint32(), 0x10001, at), at);
}

/* A scalar C is read once: it may be computed from registers that the first instruction overwrites. */
static void begin(struct tile_call *c)
{
    struct tile_operand *o = &c->operand[mma_of(c)->at[MMA_C]];
    if (o->scalar == NULL)
        return;
    const enum num_format format = mma_of(c)->form.part[MMA_C].format;
    struct ir_arg arg = *o->arg;
    struct ir_type type = tw_ir_type_of(format);
    if (format == NUM_F16) {
        arg.expr = doubled(c, o->scalar);
        type = tw_ir_uint32();
    }
    o->scalar = tw_tile_value(c, &arg, type, 0);
}

static void put_scalar(struct tile_call *c, struct ir_ptx_operand *to, const struct ir_expr *value, uint32_t count)
{
    to->kind = IR_PTX_VECTOR;
    to->item_count = count;
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, count);
    for (uint32_t i = 0; i < count; i++)
        tw_tile_put_value(c, &to->items[i], value);
}

static void put_c(struct tile_call *c, struct ir_ptx_operand *to, const struct tile_place *d, const struct tile_place *from)
{
    const struct mma_call *x = mma_of(c);
    const struct ir_expr *scalar = c->operand[x->at[MMA_C]].scalar;
    if (c->at[c->batch_rank + AXIS_OF_K] != 0)
        tw_tile_put_registers(c, to, IR_PTX_VALUE, x->at[MMA_D], d);
    else if (scalar != NULL)
        put_scalar(c, to, scalar, d->reg_count);
    else
        tw_tile_put_registers(c, to, IR_PTX_VALUE, x->at[MMA_C], from);
}

/* An operand of one register, without braces. */
static void put_register(struct tile_call *c, struct ir_ptx_operand *to, enum mma_part part, const struct tile_place *place)
{
    struct ir_ptx_operand vector = {.kind = IR_PTX_VECTOR};
    tw_tile_put_registers(c, &vector, IR_PTX_VALUE, mma_of(c)->at[part], place);
    *to = vector.items[0];
}

static void put_constant(struct tile_call *c, struct ir_ptx_operand *to, enum num_format format, int64_t value)
{
    tw_tile_put_value(c, to, tw_ir_const_int(c->k, tw_ir_type_of(format), value, c->stmt->at));
}

/* scales, {byte, thread} */
static void put_scales(struct tile_call *c, struct ir_ptx_operand to[2], enum mma_part part, const struct tile_place *place)
{
    put_register(c, &to[0], part, place);
    to[1].kind = IR_PTX_VECTOR;
    to[1].item_count = 2;
    to[1].items = arena_new(c->k->arena, struct ir_ptx_operand, 2);
    put_constant(c, &to[1].items[0], NUM_U16, place->start_byte);
    put_constant(c, &to[1].items[1], NUM_U16, place->choice);
}

static bool issue(struct tile_call *c)
{
    const struct mma_call *x = mma_of(c);
    const struct tile_place *at[MMA_PART_COUNT] = {NULL};
    for (int part = 0; part < MMA_PART_COUNT; part++) {
        const uint32_t operand = x->at[part];
        if (x->form.part[part].format == NUM_NONE || c->operand[operand].scalar != NULL)
            continue;
        at[part] = tw_tile_registers(c, operand);
        if (at[part] == NULL)
            return false;
    }
    uint32_t next = 4;
    struct ir_ptx *i = tw_tile_instruction(c, next + (x->form.sparse ? 2 : 0) + (x->form.factors != 0 ? 4 : 0));
    tw_tile_put_registers(c, &i->operands[0], IR_PTX_RESULT, x->at[MMA_D], at[MMA_D]);
    tw_tile_put_registers(c, &i->operands[1], IR_PTX_VALUE, x->at[MMA_A], at[MMA_A]);
    tw_tile_put_registers(c, &i->operands[2], IR_PTX_VALUE, x->at[MMA_B], at[MMA_B]);
    put_c(c, &i->operands[3], at[MMA_D], at[MMA_C]);
    if (x->form.sparse) {
        put_register(c, &i->operands[next++], MMA_META, at[MMA_META]);
        put_constant(c, &i->operands[next++], NUM_U32, at[MMA_META]->choice);
    }
    if (x->form.factors != 0) {
        put_scales(c, &i->operands[next], MMA_SFA, at[MMA_SFA]);
        put_scales(c, &i->operands[next + 2], MMA_SFB, at[MMA_SFB]);
    }
    return true;
}

#define FAMILY(op_, name_, what_, operands_)                                                                              \
    {                                                                                                                     \
        .op = op_, .name = name_, .what = what_, .issuer = TILE_BY_WARP, .operands = operands_,                           \
        .operand_count = sizeof operands_ / sizeof operands_[0], .axes = "MNK", .prepare = prepare, .begin = begin,       \
        .issue = issue                                                                                                    \
    }

const struct tile_family tw_tile_mma_sync =
    FAMILY(OP_MMA, "mma.sync", "warp matrix multiply-add on register fragments", dense_operands);
const struct tile_family tw_tile_mma_sp =
    FAMILY(OP_MMA_SP, "mma.sp", "warp matrix multiply-add with a sparse A", sparse_operands);
const struct tile_family tw_tile_mma_block_scale =
    FAMILY(OP_MMA_BLOCK_SCALE, "mma.sync block_scale", "warp matrix multiply-add with scaled blocks", scaled_operands);
const struct tile_family tw_tile_mma_sp_block_scale = FAMILY(
    OP_MMA_SP_BLOCK_SCALE, "mma.sp block_scale", "warp matrix multiply-add with a sparse A and scaled blocks", sparse_scaled_operands);
