#include "isa/fragment.h"

#include <string.h>

/* ---- mma -------------------------------------------------------------------------------------------- */

static const struct fragment part_rows[MMA_PART_COUNT] = {
    [MMA_D] = {.name = "D", .what = "the result", .row_axis = "m", .col_axis = "n"},
    [MMA_A] = {.name = "A", .what = "the left factor", .row_axis = "m", .col_axis = "k"},
    [MMA_B] = {.name = "B", .what = "the right factor", .row_axis = "n", .col_axis = "k"},
    [MMA_C] = {.name = "C", .what = "the addend", .row_axis = "m", .col_axis = "n"},
    [MMA_META] = {.name = "E", .what = "the metadata: a code of 4 bits for each group of A", .row_axis = "m", .col_axis = "group",
                  .choice = "sparsity selector"},
    [MMA_SFA] = {.name = "SFA", .what = "the scales of A", .row_axis = "m", .col_axis = "factor", .choice = "thread selector"},
    [MMA_SFB] = {.name = "SFB", .what = "the scales of B", .row_axis = "n", .col_axis = "factor", .choice = "thread selector"},
};

static const char stored_half[] = "the stored half of the left factor";

static void add_part(struct fragments *f, enum mma_part part, const struct mma_fragment *x)
{
    struct fragment *to = &f->at[f->count];
    *to = part_rows[part];
    to->format = x->format;
    to->rows = x->rows;
    to->cols = x->cols;
    to->bits = x->bits;
    to->low = x->low;
    to->reg_bits = x->reg_bits;
    to->per_reg = x->per_reg;
    to->regs = x->regs;
    to->lanes = 32;
    to->choices = x->choices;
    to->choice_lanes = x->choice_lanes;
    f->part[f->count++] = (uint8_t)part;
}

static bool of_mma(const struct isa_spelling *s, struct fragments *f)
{
    if (!tw_mma_form_of(s, &f->mma))
        return false;
    f->what = f->mma.quad_pairs ? "four multiply-adds, one in each pair of quads of a warp: rows 8p to 8p + 7 of every operand are those of pair p"
              : f->mma.sparse   ? "warp matrix multiply-add with a sparse A"
                                : "warp matrix multiply-add";
    for (int part = 0; part < MMA_PART_COUNT; part++)
        if (f->mma.part[part].format != NUM_NONE)
            add_part(f, (enum mma_part)part, &f->mma.part[part]);
    if (f->mma.sparse)
        f->at[MMA_A].what = stored_half;
    return true;
}

/* ---- wgmma ------------------------------------------------------------------------------------------ */

/* The fragments of a warp are those of mma.sync with 16 rows; warp w has the rows from 16w on. */
static void widen(struct fragment *x)
{
    x->rows = WGMMA_M;
    x->lanes = 32 * WGMMA_WARPS;
    x->warp_rows = WGMMA_WARP_ROWS;
}

static bool of_wgmma(const struct isa_spelling *s, struct fragments *f)
{
    const unsigned shape = isa_spelling_mod(s, SLOT_SHAPE);
    const enum num_format a = tw_isa_format(isa_spelling_mod(s, SLOT_ATYPE)), d = tw_isa_format(isa_spelling_mod(s, SLOT_DTYPE));
    const uint32_t bits = tw_num_bits(a), d_bits = tw_num_bits(d), n = isa_shape_n(shape), k = isa_shape_k(shape);
    struct mma_form *m = &f->mma;
    *m = (struct mma_form){.m = WGMMA_WARP_ROWS, .n = (uint16_t)n, .k = (uint16_t)k, .sparse = s->form->op == OP_WGMMA_SP};
    m->stored_k = (uint16_t)(m->sparse ? k / 2 : k);
    f->what = "warpgroup matrix multiply-add; B is in shared memory, A there or in registers";
    m->part[MMA_D] = (struct mma_fragment){.format = d, .cols = (uint16_t)n, .bits = (uint8_t)d_bits, .reg_bits = 32,
                                           .per_reg = (uint8_t)(32 / d_bits), .regs = (uint8_t)wgmma_d_regs(n, d_bits), .choices = 1};
    m->part[MMA_A] = (struct mma_fragment){.format = a, .cols = m->stored_k, .bits = (uint8_t)bits, .reg_bits = 32,
                                           .per_reg = (uint8_t)mma_elems_per_reg(bits), .regs = WGMMA_A_REGS, .choices = 1};
    add_part(f, MMA_D, &m->part[MMA_D]);
    add_part(f, MMA_A, &m->part[MMA_A]);
    if (m->sparse) {
        const uint32_t selectors = tw_mma_sp_selectors(bits, k);
        m->part[MMA_META] = (struct mma_fragment){.format = NUM_U4, .cols = (uint16_t)(k / mma_sp_group(bits)), .bits = 4, .reg_bits = 32,
                                                  .per_reg = 8, .regs = 1, .choices = (uint8_t)selectors,
                                                  .choice_lanes = (uint8_t)(4 / selectors)};
        add_part(f, MMA_META, &m->part[MMA_META]);
    }
    for (uint32_t i = 0; i < f->count; i++)
        widen(&f->at[i]);
    if (m->sparse)
        f->at[1].what = stored_half;
    return true;
}

static bool wgmma_place(const struct fragments *f, enum mma_part part, uint32_t lane, uint32_t reg, uint32_t elem, struct mma_coord *at)
{
    const uint32_t inside = lane % 32;
    if (part == MMA_D)
        *at = wgmma_d_coord(f->mma.part[MMA_D].bits, inside, reg, elem);
    else if (!tw_mma_place(&f->mma, part, inside, reg, elem, at))
        return false;
    at->row = (uint16_t)(at->row + lane / 32 * WGMMA_WARP_ROWS);
    return true;
}

/* ---- ldmatrix, stmatrix ------------------------------------------------------------------------------ */

static bool of_matrix(const struct isa_spelling *s, struct fragments *f)
{
    if (!tw_matrix_form_of(s, &f->matrix))
        return false;
    const bool halves = f->matrix.map == MATRIX_B16 || f->matrix.map == MATRIX_B16_TRANS;
    f->what = s->form->op == OP_LDMATRIX ? "matrices from shared memory; rows of 16 bytes at the addresses of lanes in order"
                                         : "matrices to shared memory; rows of 16 bytes at the addresses of lanes in order";
    f->count = 1;
    f->at[0] = (struct fragment){
        .name = s->form->op == OP_LDMATRIX ? "D" : "A", .what = "the matrices, one below the other", .row_axis = "row",
        .col_axis = halves ? "half" : "byte", .rows = (uint16_t)(f->matrix.matrices * f->matrix.rows),
        .cols = (uint16_t)(halves ? MATRIX_ROW_BYTES / 2 : MATRIX_ROW_BYTES), .bits = halves ? 16 : 8, .reg_bits = 32,
        .per_reg = halves ? 2 : 4, .regs = f->matrix.regs, .lanes = 32, .choices = 1,
    };
    return true;
}

static struct mma_coord matrix_coord(const struct fragments *f, uint32_t lane, uint32_t reg, uint32_t elem)
{
    const uint32_t bytes = f->at[0].bits / 8;
    const struct matrix_place at = tw_matrix_place(&f->matrix, lane, reg, elem * bytes);
    return (struct mma_coord){at.row, (uint16_t)(at.byte / bytes)};
}

/* ---- tcgen05.ld, tcgen05.st --------------------------------------------------------------------------- */

static bool find_shape(const struct isa_spelling *s, enum tmem_shape *shape)
{
    char buffer[16];
    const char *name = tw_isa_mod_text(isa_spelling_mod(s, SLOT_SHAPE), buffer);
    for (int i = 0; i < TMEM_SHAPE_COUNT; i++)
        if (strcmp(tw_tmem_shapes[i].name, name) == 0) {
            *shape = (enum tmem_shape)i;
            return true;
        }
    return false;
}

/* The registers of the form's vector tell how often the shape is repeated. */
static bool of_tmem(const struct isa_spelling *s, struct fragments *f)
{
    const bool load = s->form->op == OP_TCGEN05_LD || s->form->op == OP_TCGEN05_LD_RED;
    const int data = s->form->operand_of[load ? ROLE_D : ROLE_A];
    if (!find_shape(s, &f->tmem) || data < 0)
        return false;
    const struct tmem_shape_row *row = &tw_tmem_shapes[f->tmem];
    const unsigned regs = tw_isa_operand_count(s, (unsigned)data) == 0 ? 1 : tw_isa_operand_count(s, (unsigned)data);
    const unsigned repeats = regs / row->regs_per_repeat;
    const bool halves = f->tmem == TMEM_16X32BX2;
    f->packed = isa_spelling_mod(s, SLOT_PACK) != MOD_NONE;
    f->what = load ? "registers from tensor memory, lanes and columns from the address on"
                   : "registers to tensor memory, lanes and columns from the address on";
    f->count = 1;
    f->at[0] = (struct fragment){
        .name = load ? "D" : "A", .what = halves ? "the cells; lanes 16 to 31 are lanes 0 to 15 of the second half" : "the cells",
        .row_axis = "lane", .col_axis = "column", .rows = halves ? 32 : row->lanes,
        .cols = (uint16_t)(row->cols_per_repeat * repeats * (f->packed ? 2 : 1)), .bits = f->packed ? 16 : 32, .reg_bits = 32,
        .per_reg = f->packed ? 2 : 1, .regs = (uint16_t)regs, .lanes = 32, .choices = 1,
    };
    return true;
}

static struct mma_coord tmem_coord(const struct fragments *f, uint32_t lane, uint32_t reg, uint32_t elem)
{
    const struct tmem_cell cell = tw_tmem_shape_cell(f->tmem, lane, reg, 0);
    const uint32_t second = f->tmem == TMEM_16X32BX2 ? lane / 16 * 16 : 0;
    return (struct mma_coord){(uint16_t)(cell.lane + second), (uint16_t)(f->packed ? 2 * cell.col + elem : cell.col)};
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static bool is_tmem(enum isa_op op)
{
    return op == OP_TCGEN05_LD || op == OP_TCGEN05_LD_RED || op == OP_TCGEN05_ST;
}

bool tw_fragments_of(const struct isa_spelling *s, struct fragments *f)
{
    memset(f, 0, sizeof *f);
    f->op = s->form->op;
    if (f->op == OP_WGMMA || f->op == OP_WGMMA_SP)
        return of_wgmma(s, f);
    if (is_tmem(f->op))
        return of_tmem(s, f);
    return of_matrix(s, f) || of_mma(s, f);
}

bool tw_fragment_place(const struct fragments *f, uint32_t operand, uint32_t lane, uint32_t reg, uint32_t elem, struct mma_coord *at)
{
    if (operand >= f->count || lane >= f->at[operand].lanes || reg >= f->at[operand].regs || elem >= f->at[operand].per_reg)
        return false;
    const enum mma_part part = (enum mma_part)f->part[operand];
    if (f->op == OP_WGMMA || f->op == OP_WGMMA_SP)
        return wgmma_place(f, part, lane, reg, elem, at);
    if (f->op == OP_LDMATRIX || f->op == OP_STMATRIX) {
        *at = matrix_coord(f, lane, reg, elem);
        return true;
    }
    if (is_tmem(f->op)) {
        *at = tmem_coord(f, lane, reg, elem);
        return true;
    }
    return tw_mma_place(&f->mma, part, lane, reg, elem, at);
}
