/* tcgen05.mma through tile.apply: the dense forms of every kind, one CTA or a pair.
 *
 * Operands D, A, B: D in tensor memory on the data path of (M, cta_group); A in shared or tensor memory; B in shared
 * memory, stored (N, K). Order batch, M, N, K; an instruction accumulates if `accum` or if it is not the first K step.
 * Kinds, formats, shapes and the instruction descriptor come from isa/idesc.h, data paths from isa/tmem_map.h. */
#include "tile/engine.h"

#include "ir/ir_walk.h"

#include <assert.h>
#include <string.h>

enum { D, A, B };

/* What opcode and parameters say. */
struct mma {
    struct tc_form form;
    enum tmem_path path;
    struct idesc desc;
    uint32_t word;            /* the instruction descriptor */
    bool major_mn[3];         /* by operand: A, B */
    struct ir_expr *accum, *pred; /* pred NULL: always */
    struct ir_expr *mask[8];
    uint32_t mask_count;
};

static struct mma *mma_of(const struct tile_call *c)
{
    return c->family_data;
}

/* ---- operands ------------------------------------------------------------------------------------ */

static struct tile_cell d_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM])
{
    const struct tmem_place p =
        tw_tmem_d_place(mma_of(c)->path, (uint32_t)c->symbol[TILE_N], (uint32_t)coord[0], (uint32_t)coord[1]);
    return (struct tile_cell){p.lane, p.col * 32}; /* one accumulator a cell, whatever its format */
}

static struct tile_cell a_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM])
{
    const struct tmem_place p = tw_tmem_a_place(mma_of(c)->path, (uint32_t)coord[0], 0);
    return (struct tile_cell){p.lane, coord[1] * tw_tc_kinds[mma_of(c)->form.kind].container_bits};
}

static bool base(struct tile_call *c, uint32_t operand, struct tile_cell at, uint32_t thread)
{
    (void)thread;
    const enum tmem_path path = mma_of(c)->path;
    if (tw_tmem_lane_base_legal(path, (uint32_t)at.lane))
        return true;
    struct diag *d = tw_tile_error(c, operand, E0417, " starts at lane %lld", (long long)at.lane);
    tw_diag_expected(d, "lane 0%s on data path %c", tw_tmem_paths[path].scattered ? " or 16" : "", tw_tmem_paths[path].letter);
    tw_diag_found(d, "layout %s", tw_layout_text(c->arena, c->operand[operand].layout));
    return false;
}

static const struct tile_operand_row operands[] = {
    [D] = {.name = "D", .role = TILE_UPDATE, .scopes = 1u << IR_TMEM, .repeats = "MN", .atom_rank = 2,
           .atom = {{"m", TILE_M_CTA, "M/g"}, {"n", TILE_N, "N"}}, .cell = d_cell, .base = base},
    [A] = {.name = "A", .role = TILE_SRC, .scopes = 1u << IR_SHARED | 1u << IR_TMEM, .repeats = "MK", .atom_rank = 2,
           .atom = {{"m", TILE_M_CTA, "M/g"}, {"k", TILE_K, "K"}}, .cell = a_cell, .base = base},
    [B] = {.name = "B", .role = TILE_SRC, .scopes = 1u << IR_SHARED, .repeats = "NK", .atom_rank = 2,
           .atom = {{"n", TILE_N_CTA, "N/g"}, {"k", TILE_K, "K"}}},
};

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
    {.name = "pred", .type = TILE_PARAM_BOOL},
};
enum { PARAM_COUNT = sizeof params / sizeof params[0] };
_Static_assert((int)PARAM_COUNT <= (int)TILE_MAX_PARAMS, "parameters of tcgen05.mma");

/* ---- opcode and shape ---------------------------------------------------------------------------- */

/* The part of a modifier after its "::". */
static struct str mod_value(const struct tile_call *c, enum isa_slot slot)
{
    char buffer[16];
    const char *text = tw_isa_mod_text(isa_spelling_mod(&c->spelling, slot), buffer), *value = strstr(text, "::");
    assert(value != NULL);
    return tw_str(tw_format(c->arena, "%s", value + 2));
}

static bool check_shape(struct tile_call *c, const struct ir_arg *shape)
{
    const struct mma *m = mma_of(c);
    const struct tc_kind_row *kind = &tw_tc_kinds[m->form.kind];
    const int64_t *s = c->symbol;
    if (s[TILE_M] <= 256 && s[TILE_N] <= 256 && s[TILE_K] == kind->k_dense &&
        tw_tc_shape(&m->form, (uint32_t)s[TILE_M], (uint32_t)s[TILE_N]) != TC_SHAPE_ILLEGAL)
        return true;
    struct diag *d = tw_diag(c->diags, E0407, shape->at, "instruction_shape (%lld, %lld, %lld) does not exist for %s",
                             (long long)s[TILE_M], (long long)s[TILE_N], (long long)s[TILE_K], c->mnemonic);
    tw_diag_expected(d, "%s, K %u; M and N are totals over the CTA group", tw_tc_shape_legal(&m->form), kind->k_dense);
    tw_diag_spec(d, "PTX ISA, tcgen05.mma, shapes of kind::%s", kind->name);
    return false;
}

static bool prepare(struct tile_call *c)
{
    struct mma *m = arena_new(c->arena, struct mma, 1);
    c->family_data = m;
    m->form.kind = tw_tc_kind_find(mod_value(c, SLOT_KIND));
    m->form.cta_group = tw_str_is(mod_value(c, SLOT_CTA_GROUP), "2") ? 2 : 1;
    assert(m->form.kind < TC_KIND_COUNT);
    const struct ir_arg *shape = tw_tile_param(c, "instruction_shape");
    c->symbol[TILE_M] = shape->items[0].value;
    c->symbol[TILE_N] = shape->items[1].value;
    c->symbol[TILE_K] = shape->items[2].value;
    if (!check_shape(c, shape))
        return false;
    c->symbol[TILE_M_CTA] = c->symbol[TILE_M] / m->form.cta_group;
    c->symbol[TILE_N_CTA] = c->symbol[TILE_N] / m->form.cta_group;
    const bool found = tw_tmem_path_find(m->form.cta_group, (unsigned)c->symbol[TILE_M], false, false, &m->path);
    assert(found);
    (void)found;
    return true;
}

/* ---- formats and flags --------------------------------------------------------------------------- */

static enum num_format named_format(const char *name)
{
    if (strcmp(name, "tensor_float32") == 0)
        return NUM_TF32;
    const enum num_format f = tw_num_format_by_dtype(tw_str(name));
    return f != NUM_NONE ? f : tw_num_format_by_name(tw_str(name));
}

static const char *format_set(const struct tile_call *c, uint32_t set)
{
    struct text t;
    tw_text_init(&t, c->arena);
    for (int f = 0; f < NUM_FORMAT_COUNT; f++)
        if (set & 1u << f)
            tw_text_addf(&t, "%s%s", t.len == 0 ? "" : " or ", tw_num_format((enum num_format)f)->name);
    return t.at;
}

/* A dtype that stores 8 bits holds 6- and 4-bit formats; float32 holds tf32: the format says which numbers, the
 * storage width is the kind's. */
static bool input_format(struct tile_call *c, uint32_t operand, const char *param, uint16_t *out)
{
    const struct tc_kind_row *kind = &tw_tc_kinds[mma_of(c)->form.kind];
    const struct ir_type elem = c->operand[operand].view->elem;
    const char *name = tw_tile_text(c, param);
    const enum num_format f = name != NULL ? named_format(name) : elem.format;
    if (elem.bits != kind->container_bits) {
        struct diag *d = tw_tile_error(c, operand, E0409, " has elements of type %s", tw_ir_type_name(elem));
        tw_diag_expected(d, "elements of %u bits for kind::%s", kind->container_bits, kind->name);
        tw_diag_found(d, "%s, %u bits", tw_ir_type_name(elem), elem.bits);
        return false;
    }
    *out = (uint16_t)f;
    if (f != NUM_NONE && kind->ab_formats & 1u << f)
        return true;
    struct diag *d = tw_tile_error(c, operand, E0424, ": kind::%s takes no %s", kind->name,
                                   name != NULL ? name : tw_ir_type_name(elem));
    tw_diag_expected(d, "%s", format_set(c, kind->ab_formats));
    tw_diag_found(d, "%s",
                  name != NULL ? tw_format(c->arena, "%s=\"%s\"", param, name)
                               : tw_format(c->arena, "the tensor's dtype %s", tw_ir_type_name(elem)));
    if (kind->ab_formats == 1u << NUM_TF32 && f == NUM_F32)
        tw_diag_fix(d, "write %s=\"tf32\"", param);
    return false;
}

static bool check_formats(struct tile_call *c)
{
    struct mma *m = mma_of(c);
    const struct tc_kind_row *kind = &tw_tc_kinds[m->form.kind];
    const enum num_format d_format = c->operand[D].view->elem.format;
    if (!input_format(c, A, "a_format", &m->desc.a_format) || !input_format(c, B, "b_format", &m->desc.b_format))
        return false;
    if (kind->same_ab && m->desc.a_format != m->desc.b_format) {
        struct diag *d = tw_tile_error(c, B, E0424, " has another format than operand A");
        tw_diag_expected(d, "%s, as operand A", tw_num_format((enum num_format)m->desc.a_format)->name);
        tw_diag_found(d, "%s", tw_num_format((enum num_format)m->desc.b_format)->name);
        return false;
    }
    m->desc.d_format = (uint16_t)d_format;
    uint32_t allowed = kind->d_formats;
    if (m->form.kind == TC_F16 && m->desc.a_format != NUM_F16)
        allowed &= ~(1u << NUM_F16); /* SOURCE: PTX ISA, kind::f16: f16 accumulators with f16 inputs alone */
    if (d_format != NUM_NONE && allowed & 1u << d_format)
        return true;
    struct diag *d = tw_tile_error(c, D, E0424, ": kind::%s does not accumulate in %s", kind->name,
                                   tw_ir_type_name(c->operand[D].view->elem));
    tw_diag_expected(d, "%s with %s inputs", format_set(c, allowed), tw_num_format((enum num_format)m->desc.a_format)->name);
    return false;
}

static bool major(struct tile_call *c, uint32_t operand, const char *param, uint16_t format, uint16_t *bit)
{
    struct mma *m = mma_of(c);
    const char *text = tw_tile_text(c, param);
    const bool mn = text != NULL && strcmp(text, "mn") == 0;
    m->major_mn[operand] = mn;
    *bit = mn;
    if (!mn)
        return true;
    const char *why = NULL;
    if (c->operand[operand].storage->scope == IR_TMEM)
        why = "an operand in tensor memory is K-major";
    else if (tw_num_bits((enum num_format)format) < 8)
        why = "6- and 4-bit formats are K-major";
    else if (operand == B && m->form.kind != TC_F16 && m->form.kind != TC_TF32 && c->symbol[TILE_N_CTA] % 16 != 0)
        why = "an MN-major B of 8-bit elements needs a multiple of 16 columns a CTA";
    if (why == NULL)
        return true;
    struct diag *d = tw_diag(c->diags, E0424, tw_tile_param(c, param)->at, "%s cannot be MN-major",
                             tw_tile_operand_name(c, operand));
    tw_diag_expected(d, "%s", why);
    tw_diag_found(d, "%s=\"mn\"", param);
    return false;
}

/* A flag that the kind has no bit for. */
static bool flag(struct tile_call *c, const char *param, bool allowed, const char *where, uint16_t *bit)
{
    *bit = tw_tile_flag(c, param);
    if (*bit == 0 || allowed)
        return true;
    struct diag *d = tw_diag(c->diags, E0424, tw_tile_param(c, param)->at, "%s=True with %s", param, c->mnemonic);
    tw_diag_expected(d, "%s", where);
    return false;
}

static bool check_flags(struct tile_call *c)
{
    struct mma *m = mma_of(c);
    const struct tc_kind_row *kind = &tw_tc_kinds[m->form.kind];
    if (!flag(c, "neg_a", kind->negate, "a float kind: integers have no negate bit", &m->desc.negate_a) ||
        !flag(c, "neg_b", kind->negate, "a float kind: integers have no negate bit", &m->desc.negate_b) ||
        !flag(c, "sat_d", m->form.kind == TC_I8, "kind::i8: only integer sums saturate", &m->desc.saturate))
        return false;
    const struct ir_arg *zero = tw_tile_param(c, "zero_column_mask");
    if (zero == NULL)
        return true;
    struct diag *d = tw_diag(c->diags, E0424, zero->at, "zero_column_mask with %s", c->mnemonic);
    tw_diag_expected(d, "a .ws form: no other has a zero-column mask");
    return false;
}

static bool check_mask(struct tile_call *c)
{
    struct mma *m = mma_of(c);
    const struct ir_arg *mask = tw_tile_param(c, "disable_output_lane");
    m->mask_count = mask == NULL ? 0 : 4u * m->form.cta_group;
    if (mask == NULL || mask->item_count == m->mask_count)
        return true;
    struct diag *d = tw_diag(c->diags, E0405, mask->at, "parameter 'disable_output_lane' of %s", c->family->name);
    tw_diag_expected(d, "a tuple of %u words, four for each CTA", m->mask_count);
    tw_diag_found(d, "a tuple of %u", mask->item_count);
    return false;
}

/* A on a data path that multiplies copies of it. */
static bool check_a_copies(struct tile_call *c)
{
    const struct tmem_path_row *path = &tw_tmem_paths[mma_of(c)->path];
    mma_of(c)->form.a_in_tmem = c->operand[A].storage->scope == IR_TMEM;
    if (!mma_of(c)->form.a_in_tmem || path->banks == 1)
        return true;
    struct diag *d = tw_tile_error(c, A, E0402, " in tensor memory on data path %c, which reads %u copies of it", path->letter,
                                   path->banks);
    tw_diag_expected(d, "A in shared memory");
    return false;
}

/* The last word is the isa room's: any field that the form does not allow. */
static bool check_word(struct tile_call *c)
{
    struct mma *m = mma_of(c);
    struct idesc_fault_list faults = {.count = 0};
    m->desc.m = (uint16_t)c->symbol[TILE_M];
    m->desc.n = (uint16_t)c->symbol[TILE_N];
    m->word = tw_idesc_encode(m->form.kind, &m->desc);
    if (tw_idesc_check(&m->form, m->word, &faults))
        return true;
    struct diag *d = tw_diag(c->diags, E0424, c->tile->opcode_at, "the instruction descriptor 0x%08x is not legal for %s",
                             m->word, c->mnemonic);
    tw_diag_expected(d, "%s: %s", faults.at[0].field->name, faults.at[0].expected);
    tw_diag_found(d, "%s = %u", faults.at[0].field->name, faults.at[0].found);
    return false;
}

static bool check(struct tile_call *c)
{
    struct mma *m = mma_of(c);
    return check_formats(c) && major(c, A, "a_major", m->desc.a_format, &m->desc.a_mn_major) &&
           major(c, B, "b_major", m->desc.b_format, &m->desc.b_mn_major) && check_flags(c) && check_mask(c) &&
           check_a_copies(c) && check_word(c);
}

/* ---- instructions -------------------------------------------------------------------------------- */

static void begin(struct tile_call *c)
{
    struct mma *m = mma_of(c);
    const struct ir_arg *pred = tw_tile_param(c, "pred"), *mask = tw_tile_param(c, "disable_output_lane");
    m->accum = tw_tile_value(c, tw_tile_param(c, "accum"), tw_ir_bool(), 0);
    if (pred != NULL && pred->kind != IR_ARG_NONE)
        m->pred = tw_tile_value(c, pred, tw_ir_bool(), 1);
    for (uint32_t i = 0; i < m->mask_count; i++)
        m->mask[i] = tw_tile_value(c, &mask->items[i], tw_ir_uint32(), 0);
}

/* SOURCE: PTX ISA, data paths C and F: A and D start at the same lane of a quadrant. */
static bool same_lanes(struct tile_call *c, const struct tile_place *d, const struct tile_place *a)
{
    const int64_t d_lane = d->address.base >> 16, a_lane = a->address.base >> 16;
    if (!tw_tmem_paths[mma_of(c)->path].scattered || d_lane == a_lane)
        return true;
    struct diag *diag = tw_tile_error(c, A, E0417, " starts at lane %lld and operand D at lane %lld", (long long)a_lane,
                                      (long long)d_lane);
    tw_diag_expected(diag, "the same lane: with M 64 both take the same half of each quadrant");
    return false;
}

static void put_mask(struct tile_call *c, struct ir_ptx_operand *to)
{
    const struct mma *m = mma_of(c);
    to->kind = IR_PTX_VECTOR;
    to->item_count = m->mask_count;
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, m->mask_count);
    for (uint32_t i = 0; i < m->mask_count; i++)
        tw_tile_put_value(c, &to->items[i], m->mask[i]);
}

static bool issue(struct tile_call *c)
{
    const struct mma *m = mma_of(c);
    const bool first = c->at[c->batch_rank + 2] == 0; /* the axes are M, N, K */
    const struct tile_place *d = tw_tile_cells(c, D), *a = NULL, *b = NULL;
    if (d != NULL)
        a = m->form.a_in_tmem ? tw_tile_cells(c, A) : tw_tile_descriptor(c, A, m->major_mn[A]);
    if (a != NULL)
        b = tw_tile_descriptor(c, B, m->major_mn[B]);
    if (b == NULL || (m->form.a_in_tmem && !same_lanes(c, d, a)))
        return false;
    struct ir_ptx *x = tw_tile_instruction(c, m->mask_count != 0 ? 6 : 5);
    uint32_t n = 0;
    tw_tile_put_cells(c, &x->operands[n++], D, d);
    if (m->form.a_in_tmem)
        tw_tile_put_cells(c, &x->operands[n++], A, a);
    else
        tw_tile_put_descriptor(c, &x->operands[n++], A, a);
    tw_tile_put_descriptor(c, &x->operands[n++], B, b);
    tw_tile_put_value(c, &x->operands[n++], tw_ir_const_bits(c->k, tw_ir_uint32(), m->word, c->stmt->at));
    if (m->mask_count != 0)
        put_mask(c, &x->operands[n++]);
    tw_tile_put_value(c, &x->operands[n++], first ? m->accum : tw_ir_const_int(c->k, tw_ir_bool(), 1, c->stmt->at));
    if (m->pred != NULL)
        x->pred = tw_ir_expr_copy(c->k, m->pred, NULL);
    return true;
}

const struct tile_family tw_tile_tcgen05_mma = {
    .op = OP_TCGEN05_MMA,
    .name = "tcgen05.mma",
    .what = "tensor core multiply-add on shared and tensor memory",
    .issuer = TILE_BY_THREAD,
    .operands = operands,
    .operand_count = sizeof operands / sizeof operands[0],
    .params = params,
    .param_count = PARAM_COUNT,
    .axes = "MNK",
    .prepare = prepare,
    .check = check,
    .begin = begin,
    .issue = issue,
};
