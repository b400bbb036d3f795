/* tcgen05.mma through tile.apply: dense, weight-stationary and block-scaled forms of every kind, one CTA or a pair.
 *
 * Operands D, A, B and for block scaling SFA, SFB. D in tensor memory on the data path of (M, cta_group, .ws); A in
 * shared or tensor memory; B in shared memory, stored (N, K); scales in tensor memory in their image, a copy in every
 * quadrant. Order batch, M, N, K; an instruction accumulates if `accum` or if it is not the first K step.
 * Kinds, formats, shapes and the instruction descriptor come from isa/idesc.h, data paths and the places of scales from
 * isa/tmem_map.h; what may go together is in tcgen05_mma_check.c. */
#include "tile/tcgen05_mma.h"

#include "ir/ir_walk.h"

#include <assert.h>

/* ---- D and A in tensor memory ---------------------------------------------------------------------- */

static struct tile_cell d_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    (void)copy;
    const struct tmem_place p =
        tw_tmem_d_place(tile_mma_of(c)->path, (uint32_t)c->symbol[TILE_N], (uint32_t)coord[0], (uint32_t)coord[1]);
    return (struct tile_cell){p.lane, p.col * 32}; /* one accumulator a cell, whatever its format */
}

static struct tile_cell a_place(const struct tile_call *c, int64_t row, int64_t k, int64_t bank)
{
    const struct tmem_place p = tw_tmem_a_place(tile_mma_of(c)->path, (uint32_t)row, (uint32_t)bank);
    return (struct tile_cell){p.lane, k * tw_tc_kinds[tile_mma_of(c)->form.kind].container_bits};
}

static struct tile_cell a_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    return a_place(c, coord[0], coord[1], copy);
}

static struct tile_cell a_bank_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    (void)copy;
    return a_place(c, coord[1], coord[2], coord[0]);
}

/* The factory has no M 32. */
static const char *operand_layout(const struct tile_call *c, uint32_t operand, const char *shape)
{
    const struct tile_mma *m = tile_mma_of(c);
    if (c->symbol[TILE_M] == 32)
        return NULL;
    return tw_format(c->arena, "tmem_mma_operand_layout(\"%s\", %s, \"%s\", M=%lld, cta_group=%u%s)", c->operand[operand].row->name, shape,
                     tw_ir_type_name(c->operand[operand].view->elem), (long long)c->symbol[TILE_M], m->form.cta_group,
                     m->form.ws ? ", ws=True" : "");
}

static const char *d_layout(const struct tile_call *c, uint32_t operand)
{
    return operand_layout(c, operand, tw_format(c->arena, "(%lld, %lld)", (long long)c->symbol[TILE_M_CTA], (long long)c->symbol[TILE_N]));
}

static const char *a_layout(const struct tile_call *c, uint32_t operand)
{
    return operand_layout(c, operand, tw_format(c->arena, "(%lld, %lld)", (long long)c->symbol[TILE_M_CTA], (long long)c->symbol[TILE_K]));
}

static const char *a_bank_layout(const struct tile_call *c, uint32_t operand)
{
    return operand_layout(c, operand, tw_format(c->arena, "(%lld, %lld, %lld)", (long long)c->symbol[TILE_BANKS],
                                                (long long)c->symbol[TILE_M_CTA], (long long)c->symbol[TILE_K]));
}

static uint32_t a_copies(const struct tile_call *c)
{
    return tw_tmem_paths[tile_mma_of(c)->path].banks;
}

static void start_at_lane(const struct tile_call *c, uint32_t operand, int64_t lane, struct diag *d)
{
    tw_diag_fix(d, "start the layout of '%s', or the region, at lane %lld", c->operand[operand].storage->name, (long long)lane);
}

static bool base(struct tile_call *c, uint32_t operand, struct tile_cell at, uint32_t thread)
{
    (void)thread;
    const enum tmem_path path = tile_mma_of(c)->path;
    if (tw_tmem_lane_base_legal(path, (uint32_t)at.lane))
        return true;
    struct diag *d = tw_tile_error(c, operand, E0417, " starts at lane %lld", (long long)at.lane);
    tw_diag_expected(d, "lane 0%s on data path %c", tw_tmem_paths[path].scattered ? " or 16" : "", tw_tmem_paths[path].letter);
    tw_diag_found(d, "layout %s", tw_layout_text(c->arena, c->operand[operand].layout));
    start_at_lane(c, operand, tw_tmem_paths[path].scattered && at.lane >= 16 ? 16 : 0, d);
    return false;
}

/* ---- scales ---------------------------------------------------------------------------------------- */

static struct tile_cell scale_cell(struct tmem_scale at, uint32_t copy)
{
    return (struct tile_cell){at.lane + 32 * copy, at.col * 32 + at.byte * 8};
}

static struct tile_cell sfa_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    return scale_cell(tw_tmem_scale((uint32_t)c->symbol[TILE_M_CTA], (uint32_t)coord[0], 0, (uint32_t)coord[1]), copy);
}

/* On data path B each half of the lanes multiplies its own half of N, so it holds the scales of that half. */
static bool splits_n(const struct tile_call *c)
{
    return tile_mma_of(c)->path == TMEM_PATH_B;
}

static struct tile_cell scale_of_n(const struct tile_call *c, int64_t rows, const int64_t *coord, uint32_t copy)
{
    const uint32_t n = (uint32_t)rows, row = (uint32_t)coord[0], v = (uint32_t)coord[1];
    return scale_cell(splits_n(c) ? tw_tmem_scale_split_n(n, row, 0, v) : tw_tmem_scale(n, row, 0, v), copy);
}

static struct tile_cell sfb_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    return scale_of_n(c, c->symbol[TILE_N], coord, copy);
}

static struct tile_cell sfb_padded_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    return scale_of_n(c, c->symbol[TILE_SCALE_ROWS], coord, copy);
}

/* Of whole cells; where N is split over the halves of the lanes no factory makes it. */
static const char *scale_layout(const struct tile_call *c, uint32_t operand)
{
    const int64_t rows = operand == MMA_SFA ? c->symbol[TILE_M_CTA] : c->symbol[TILE_SCALE_ROWS];
    if (operand == MMA_SFB && splits_n(c))
        return NULL;
    return tw_format(c->arena, "sf_tmem_layout(%lld, %lld, %lld)", (long long)rows, (long long)c->symbol[TILE_FACTORS],
                     (long long)c->symbol[TILE_FACTORS]);
}

static uint32_t sfa_copies(const struct tile_call *c)
{
    (void)c;
    return 4;
}

static uint32_t sfb_copies(const struct tile_call *c)
{
    return splits_n(c) ? 2 : 4;
}

static bool scale_base(struct tile_call *c, uint32_t operand, struct tile_cell at, uint32_t thread)
{
    (void)thread;
    const struct tile_mma *m = tile_mma_of(c);
    const struct tc_scale_row *row = tw_tc_scale_of(m->form.kind, m->form.scale_vec);
    const int64_t byte = at.bit % 32 / 8;
    if (at.lane != 0) {
        struct diag *d = tw_tile_error(c, operand, E0417, " starts at lane %lld", (long long)at.lane);
        tw_diag_expected(d, "lane 0");
        start_at_lane(c, operand, 0, d);
        return false;
    }
    if (row->legal_ids >> byte & 1)
        return true;
    struct diag *d = tw_tile_error(c, operand, E0417, " starts at byte %lld of its cells", (long long)byte);
    tw_diag_expected(d, "%s, where %u factors of a row share a cell",
                     row->legal_ids == 1 ? "byte 0" : "byte 0 or 2", (unsigned)c->symbol[TILE_FACTORS]);
    tw_diag_found(d, "layout %s", tw_layout_text(c->arena, c->operand[operand].layout));
    tw_diag_fix(d, "start the layout of '%s', or the region, at byte %lld of its cells", c->operand[operand].storage->name,
                (long long)(row->legal_ids == 1 ? 0 : byte - byte % 2));
    tw_diag_spec(d, "PTX ISA, tcgen05.mma, scale factor ids");
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

#define SCALE_ROW(name_, repeats_, axis_, rows_, text_, cell_, copies_)                                              \
    {.name = name_, .role = TILE_SRC, .scopes = 1u << IR_TMEM, .repeats = repeats_, .atom_rank = 2, .elem_bits = 8,  \
     .atom = {{axis_, rows_, text_}, {"sf", TILE_FACTORS, "scale_vec"}}, .cell = cell_, .copies = copies_,           \
     .start_bits = 8, .base = scale_base, .layout = scale_layout}

static const struct tile_operand_row operands[MMA_OPERANDS] = {
    [MMA_D] = {.name = "D", .role = TILE_UPDATE, .scopes = 1u << IR_TMEM, .repeats = "MN", .atom_rank = 2,
               .atom = {{"m", TILE_M_CTA, "M/g"}, {"n", TILE_N, "N"}}, .cell = d_cell, .base = base,
               .layout = d_layout},
    [MMA_A] = {.name = "A", .role = TILE_SRC, .scopes = 1u << IR_SHARED | 1u << IR_TMEM, .repeats = "MK", .atom_rank = 2,
               .atom = {{"m", TILE_M_CTA, "M/g"}, {"k", TILE_K, "K"}}, .cell = a_cell, .copies = a_copies, .base = base,
               .layout = a_layout},
    [MMA_B] = {.name = "B", .role = TILE_SRC, .scopes = 1u << IR_SHARED, .repeats = "NK", .atom_rank = 2,
               .atom = {{"n", TILE_N_CTA, "N/g"}, {"k", TILE_K, "K"}}},
    [MMA_SFA] = SCALE_ROW("SFA", "MK", "m", TILE_M_CTA, "M/g", sfa_cell, sfa_copies),
    [MMA_SFB] = SCALE_ROW("SFB", "NK", "n", TILE_N, "N", sfb_cell, sfb_copies),
};

/* A in tensor memory where every bank of lanes multiplies a copy of its own, and the copies may differ. */
static const struct tile_operand_row banked_a = {
    .name = "A", .role = TILE_SRC, .scopes = 1u << IR_SHARED | 1u << IR_TMEM, .repeats = "MK", .atom_rank = 3,
    .atom = {{"bank", TILE_BANKS, "banks"}, {"m", TILE_M_CTA, "M/g"}, {"k", TILE_K, "K"}}, .cell = a_bank_cell, .base = base,
    .layout = a_bank_layout};

/* Rows of scales come 32 to a cell. Where N is no multiple of 32 no layout has just N of them, so SFB may have all that
 * its cells hold; those beyond N are not read. */
static const struct tile_operand_row padded_sfb =
    SCALE_ROW("SFB", "NK", "n", TILE_SCALE_ROWS, "N to whole cells", sfb_padded_cell, sfb_copies);

static bool is_padded(const struct tile_call *c, const struct ir_region *r)
{
    const uint32_t rank = r->view->rank;
    return rank >= 2 && r->extent[rank - 2] == c->symbol[TILE_SCALE_ROWS] && r->extent[rank - 2] != c->symbol[TILE_N];
}

/* The view ends in (banks, M/g, K), behind the repeat axes. */
static bool has_banks(const struct tile_call *c, const struct ir_region *r)
{
    const uint32_t rank = r->view->rank, least = c->crew.group_rank + 2 + banked_a.atom_rank;
    return rank >= least && r->extent[rank - 3] == c->symbol[TILE_BANKS] && tw_layout_replicas(r->view->layout) == 1;
}

/* SOURCE: the kernel language's tcgen05.mma page: .ws takes the bank axis. In a pair with M 128 a replica does as well. */
static const struct tile_operand_row *variant(const struct tile_call *c, uint32_t operand)
{
    const struct tile_operand *o = &c->operand[operand];
    if (operand == MMA_SFB)
        return is_padded(c, o->arg->region) ? &padded_sfb : NULL;
    if (operand != MMA_A || o->storage->scope != IR_TMEM || a_copies(c) == 1)
        return NULL;
    return tile_mma_of(c)->form.ws || has_banks(c, o->arg->region) ? &banked_a : NULL;
}

static const struct tile_param_row params[] = {
    {.name = "instruction_shape", .type = TILE_PARAM_SHAPE, .required = true},
    {.name = "a_major", .type = TILE_PARAM_CHOICE, .choices = "k|mn"},
    {.name = "b_major", .type = TILE_PARAM_CHOICE, .choices = "k|mn"},
    {.name = "a_format", .type = TILE_PARAM_FORMAT},
    {.name = "b_format", .type = TILE_PARAM_FORMAT},
    {.name = "neg_a", .type = TILE_PARAM_FLAG},
    {.name = "neg_b", .type = TILE_PARAM_FLAG},
    {.name = "accum", .type = TILE_PARAM_BOOL},
    {.name = "sat_d", .type = TILE_PARAM_FLAG},
    {.name = "disable_output_lane", .type = TILE_PARAM_INTS},
    {.name = "zero_column_mask", .type = TILE_PARAM_INT},
    {.name = "scale_input_d", .type = TILE_PARAM_NUMBER}, /* of our own: the seed's table has no such parameter */
    {.name = "pred", .type = TILE_PARAM_BOOL},
};
enum { PARAM_COUNT = sizeof params / sizeof params[0] };
_Static_assert((int)PARAM_COUNT <= (int)TILE_MAX_PARAMS, "parameters of tcgen05.mma");

/* ---- instructions ---------------------------------------------------------------------------------- */

static void begin(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    const struct ir_arg *pred = tw_tile_param(c, "pred"), *mask = tw_tile_param(c, "disable_output_lane");
    const struct ir_arg *zero = tw_tile_param(c, "zero_column_mask");
    m->accum = tw_tile_value(c, tw_tile_param(c, "accum"), tw_ir_bool(), 0);
    if (pred != NULL && pred->kind != IR_ARG_NONE)
        m->pred = tw_tile_value(c, pred, tw_ir_bool(), 1);
    for (uint32_t i = 0; i < m->mask_count; i++)
        m->mask[i] = tw_tile_value(c, &mask->items[i], tw_ir_uint32(), 0);
    if (zero != NULL)
        m->zero_columns = tw_tile_value(c, zero, tw_ir_uint64(), 0);
}

/* SOURCE: PTX ISA, data paths C and F: A and D start at the same lane of a quadrant. */
static bool same_lanes(struct tile_call *c, const struct tile_place *d, const struct tile_place *a)
{
    const int64_t d_lane = d->address.base >> 16, a_lane = a->address.base >> 16;
    if (!tw_tmem_paths[tile_mma_of(c)->path].scattered || d_lane == a_lane)
        return true;
    struct diag *diag = tw_tile_error(c, MMA_A, E0417, " starts at lane %lld and operand D at lane %lld", (long long)a_lane,
                                      (long long)d_lane);
    tw_diag_expected(diag, "the same lane: with M 64 both take the same half of each quadrant");
    start_at_lane(c, MMA_A, d_lane, diag);
    return false;
}

/* Where the operands of the current tuple are. */
struct places {
    const struct tile_place *at[MMA_OPERANDS];
};

static bool find_places(struct tile_call *c, struct places *p)
{
    const struct tile_mma *m = tile_mma_of(c);
    for (uint32_t i = 0; i < c->operand_count; i++) {
        const bool descriptor = i == MMA_B || (i == MMA_A && !m->form.a_in_tmem);
        p->at[i] = descriptor ? tw_tile_descriptor(c, i, (struct tile_walk_form){.mn_major = m->major_mn[i]}) : tw_tile_cells(c, i);
        if (p->at[i] == NULL)
            return false;
    }
    return !m->form.a_in_tmem || same_lanes(c, p->at[MMA_D], p->at[MMA_A]);
}

static void put_mask(struct tile_call *c, struct ir_ptx_operand *to)
{
    const struct tile_mma *m = tile_mma_of(c);
    to->kind = IR_PTX_VECTOR;
    to->item_count = m->mask_count;
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, m->mask_count);
    for (uint32_t i = 0; i < m->mask_count; i++)
        tw_tile_put_value(c, &to->items[i], m->mask[i]);
}

static void put_number(struct tile_call *c, struct ir_ptx_operand *to, struct ir_type type, int64_t value)
{
    tw_tile_put_value(c, to, tw_ir_const_int(c->k, type, value, c->stmt->at));
}

static void put_instruction(struct tile_call *c, const struct places *p, uint32_t word)
{
    enum { MOST_OPERANDS = 8 };
    const struct tile_mma *m = tile_mma_of(c);
    const bool first = c->at[c->batch_rank + 2] == 0; /* the axes are M, N, K */
    struct ir_ptx *x = tw_tile_instruction(c, MOST_OPERANDS);
    uint32_t n = 0;
    tw_tile_put_cells(c, &x->operands[n++], MMA_D, p->at[MMA_D]);
    if (m->form.a_in_tmem)
        tw_tile_put_cells(c, &x->operands[n++], MMA_A, p->at[MMA_A]);
    else
        tw_tile_put_descriptor(c, &x->operands[n++], MMA_A, p->at[MMA_A]);
    tw_tile_put_descriptor(c, &x->operands[n++], MMA_B, p->at[MMA_B]);
    put_number(c, &x->operands[n++], tw_ir_uint32(), word);
    for (uint32_t i = MMA_SFA; i < c->operand_count; i++)
        tw_tile_put_cells(c, &x->operands[n++], i, p->at[i]);
    if (m->mask_count != 0)
        put_mask(c, &x->operands[n++]);
    if (first)
        tw_tile_put_value(c, &x->operands[n++], m->accum);
    else
        put_number(c, &x->operands[n++], tw_ir_bool(), 1);
    if (m->zero_columns != NULL)
        tw_tile_put_value(c, &x->operands[n++], m->zero_columns);
    if (first && m->scale_d != 0)
        put_number(c, &x->operands[n++], tw_ir_uint32(), m->scale_d);
    assert(n <= MOST_OPERANDS);
    x->operand_count = n;
    if (m->pred != NULL)
        x->pred = tw_ir_expr_copy(c->k, m->pred, NULL);
}

static bool issue(struct tile_call *c)
{
    struct places p;
    uint32_t word;
    if (!find_places(c, &p))
        return false;
    const bool scaled = c->operand_count > MMA_SFA;
    if (!tw_tile_mma_word(c, scaled ? p.at[MMA_SFA]->start_byte : 0, scaled ? p.at[MMA_SFB]->start_byte : 0, &word))
        return false;
    put_instruction(c, &p, word);
    return true;
}

#define MMA_FAMILY                                                                                                    \
    .issuer = TILE_BY_THREAD, .operands = operands, .params = params, .param_count = PARAM_COUNT, .axes = "MNK",      \
    .prepare = tw_tile_mma_prepare, .variant = variant, .check = tw_tile_mma_check, .begin = begin, .issue = issue

const struct tile_family tw_tile_tcgen05_mma = {
    .op = OP_TCGEN05_MMA,
    .name = "tcgen05.mma",
    .what = "tensor core multiply-add on shared and tensor memory",
    .operand_count = MMA_SFA,
    MMA_FAMILY,
};

const struct tile_family tw_tile_tcgen05_mma_ws = {
    .op = OP_TCGEN05_MMA_WS,
    .name = "tcgen05.mma.ws",
    .what = "the same, weight-stationary: B stays, N is folded over banks of lanes",
    .operand_count = MMA_SFA,
    MMA_FAMILY,
};

const struct tile_family tw_tile_tcgen05_mma_block_scale = {
    .op = OP_TCGEN05_MMA_BLOCK_SCALE,
    .name = "tcgen05.mma.block_scale",
    .what = "the same with a scale factor for every block of K",
    .operand_count = MMA_OPERANDS,
    MMA_FAMILY,
};
