/* tcgen05.mma through tile.apply: what of opcode, parameters and operands goes together. */
#include "tile/tcgen05_mma.h"

#include <assert.h>
#include <string.h>

/* ---- opcode and shape ------------------------------------------------------------------------------- */

/* The part of a modifier after its "::", or all of it. */
static struct str mod_value(const struct tile_call *c, enum isa_slot slot)
{
    char buffer[24];
    const char *text = tw_isa_mod_text(isa_spelling_mod(&c->spelling, slot), buffer), *value = strstr(text, "::");
    return tw_str(tw_format(c->arena, "%s", value == NULL ? text : value + 2));
}

static struct str scale_spelling(const struct tile_call *c)
{
    char buffer[24];
    const unsigned mod = isa_spelling_mod(&c->spelling, SLOT_SCALE_VEC);
    return tw_str(mod == MOD_NONE ? "" : tw_format(c->arena, "%s", tw_isa_mod_text(mod, buffer)));
}

static void read_form(struct tile_call *c, struct tc_form *f)
{
    f->kind = tw_tc_kind_find(mod_value(c, SLOT_KIND));
    f->cta_group = tw_str_is(mod_value(c, SLOT_CTA_GROUP), "2") ? 2 : 1;
    f->ws = c->family->op == OP_TCGEN05_MMA_WS;
    assert(f->kind < TC_KIND_COUNT);
    if (!tw_tc_kinds[f->kind].block_scale)
        return;
    const struct tc_scale_row *row = tw_tc_scale_find(f->kind, scale_spelling(c));
    assert(row != NULL); /* the catalogue refused other combinations */
    f->scale_vec = row->vec;
    c->symbol[TILE_FACTORS] = tw_tc_kinds[f->kind].k_dense / row->block;
}

/* Three answers: portable, listed by some published table and taken by hardware, or none. */
static bool check_shape(struct tile_call *c, const struct ir_arg *shape)
{
    const struct tile_mma *m = tile_mma_of(c);
    const struct tc_kind_row *kind = &tw_tc_kinds[m->form.kind];
    const int64_t *s = c->symbol;
    enum tc_shape_verdict verdict = TC_SHAPE_ILLEGAL;
    const bool k_fits = s[TILE_K] == kind->k_dense;
    if (s[TILE_M] <= 256 && s[TILE_N] <= 256)
        verdict = tw_tc_shape(&m->form, (uint32_t)s[TILE_M], (uint32_t)s[TILE_N]);
    if (verdict == TC_SHAPE_PORTABLE && k_fits)
        return true;
    const char *text = tw_format(c->arena, "instruction_shape (%lld, %lld, %lld)", (long long)s[TILE_M], (long long)s[TILE_N],
                                 (long long)s[TILE_K]);
    if (verdict == TC_SHAPE_SUPERSET && k_fits) {
        struct diag *d = tw_diag(c->diags, E0426, shape->at, "%s is not in every published table of %s", text, c->mnemonic);
        tw_diag_expected(d, "%s for a shape that all tables list", tw_tc_shape_portable(&m->form, (uint32_t)s[TILE_M]));
        tw_diag_spec(d, "PTX ISA, tcgen05.mma, shapes of kind::%s: its editions differ", kind->name);
        return true;
    }
    struct diag *d = tw_diag(c->diags, E0407, shape->at, "%s does not exist for %s", text, c->mnemonic);
    tw_diag_expected(d, "%s, K %u; M and N are totals over the CTA group", tw_tc_shape_legal(&m->form), kind->k_dense);
    if (verdict != TC_SHAPE_ILLEGAL) /* K alone is wrong */
        tw_diag_fix(d, "write (%lld, %lld, %u): a longer K is the axis K_repeat of A and B", (long long)s[TILE_M],
                    (long long)s[TILE_N], kind->k_dense);
    tw_diag_spec(d, "PTX ISA, tcgen05.mma, shapes of kind::%s", kind->name);
    return false;
}

bool tw_tile_mma_prepare(struct tile_call *c)
{
    struct tile_mma *m = arena_new(c->arena, struct tile_mma, 1);
    c->family_data = m;
    read_form(c, &m->form);
    const struct ir_arg *shape = tw_tile_param(c, "instruction_shape");
    c->symbol[TILE_M] = shape->items[0].value;
    c->symbol[TILE_N] = shape->items[1].value;
    c->symbol[TILE_K] = shape->items[2].value;
    if (!check_shape(c, shape))
        return false;
    const bool found = tw_tmem_path_find(m->form.cta_group, (unsigned)c->symbol[TILE_M], m->form.ws, false, &m->path);
    assert(found);
    (void)found;
    c->symbol[TILE_M_CTA] = c->symbol[TILE_M] / m->form.cta_group;
    c->symbol[TILE_N_CTA] = c->symbol[TILE_N] / m->form.cta_group;
    c->symbol[TILE_BANKS] = tw_tmem_paths[m->path].banks;
    const int64_t parts = m->path == TMEM_PATH_B ? 2 : 1, cells = (c->symbol[TILE_N] / parts + 31) / 32;
    c->symbol[TILE_SCALE_ROWS] = parts * 32 * cells;
    return true;
}

/* ---- formats ---------------------------------------------------------------------------------------- */

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

/* The dtype to declare a tensor with where one of a set of formats is wanted. */
static const char *dtype_among(uint32_t set)
{
    const enum num_format usual = set & 1u << NUM_F32 ? NUM_F32 : NUM_NONE;
    for (int f = 0; usual == NUM_NONE && f < NUM_FORMAT_COUNT; f++)
        if (set & 1u << f && tw_num_format((enum num_format)f)->dtype != NULL)
            return tw_num_format((enum num_format)f)->dtype;
    return tw_num_format(usual)->dtype;
}

/* The kind of the same family that multiplies what the tensor holds, if one does: most likely the kind is what is wrong. */
static const struct tc_kind_row *kind_of(const struct tile_call *c, struct ir_type elem)
{
    const bool scaled = tw_tc_kinds[tile_mma_of(c)->form.kind].block_scale;
    const enum num_format f = elem.format == NUM_F32 ? NUM_TF32 : elem.format;
    for (int k = 0; f != NUM_NONE && k < TC_KIND_COUNT; k++) {
        const struct tc_kind_row *row = &tw_tc_kinds[k];
        if (row->block_scale == scaled && row->container_bits == elem.bits && row->ab_formats & 1u << f)
            return row;
    }
    return NULL;
}

static void suggest_input(const struct tile_call *c, uint32_t operand, const char *param, struct diag *d)
{
    const struct tc_kind_row *kind = &tw_tc_kinds[tile_mma_of(c)->form.kind];
    const struct ir_type elem = c->operand[operand].view->elem;
    const struct tc_kind_row *other = tw_tile_text(c, param) == NULL ? kind_of(c, elem) : NULL;
    if (elem.bits == kind->container_bits && kind->ab_formats == 1u << NUM_TF32)
        tw_diag_fix(d, "write %s=\"tf32\"", param);
    else if (elem.bits == kind->container_bits && elem.format != NUM_NONE && kind->ab_formats & 1u << elem.format)
        tw_diag_fix(d, "leave %s out: '%s' holds %s", param, c->operand[operand].storage->name, tw_ir_type_name(elem));
    else if (elem.bits == kind->container_bits && tw_tile_text(c, param) != NULL)
        tw_diag_fix(d, "write one of these formats as %s", param);
    else if (other != NULL)
        tw_diag_fix(d, "write .kind::%s in the opcode", other->name);
    else if (elem.bits == kind->container_bits)
        tw_diag_fix(d, "write one of these formats as %s, where the bits are such numbers", param);
    else
        tw_diag_fix(d, "declare '%s' with elements of %u bits", c->operand[operand].storage->name, kind->container_bits);
}

/* A dtype that stores 8 bits holds 6- and 4-bit formats; float32 holds tf32: the format says which numbers, the
 * storage width is the kind's. */
static bool input_format(struct tile_call *c, uint32_t operand, const char *param, uint16_t *out)
{
    const struct tc_kind_row *kind = &tw_tc_kinds[tile_mma_of(c)->form.kind];
    const struct ir_type elem = c->operand[operand].view->elem;
    const char *name = tw_tile_text(c, param);
    const enum num_format f = name != NULL ? named_format(name) : elem.format;
    if (elem.bits != kind->container_bits) {
        struct diag *d = tw_tile_error(c, operand, E0409, " has elements of type %s", tw_ir_type_name(elem));
        tw_diag_expected(d, "elements of %u bits for kind::%s", kind->container_bits, kind->name);
        tw_diag_found(d, "%s, %u bits", tw_ir_type_name(elem), elem.bits);
        suggest_input(c, operand, param, d);
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
    suggest_input(c, operand, param, d);
    return false;
}

static bool output_format(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    const struct tc_kind_row *kind = &tw_tc_kinds[m->form.kind];
    const enum num_format format = c->operand[MMA_D].view->elem.format;
    uint32_t allowed = kind->d_formats;
    if (m->form.kind == TC_F16 && m->desc.a_format != NUM_F16)
        allowed &= ~(1u << NUM_F16); /* SOURCE: PTX ISA, kind::f16: f16 accumulators with f16 inputs alone */
    m->desc.d_format = (uint16_t)format;
    if (format != NUM_NONE && allowed & 1u << format)
        return true;
    struct diag *d = tw_tile_error(c, MMA_D, E0424, ": kind::%s does not accumulate in %s", kind->name,
                                   tw_ir_type_name(c->operand[MMA_D].view->elem));
    tw_diag_expected(d, "%s with %s inputs", format_set(c, allowed), tw_num_format((enum num_format)m->desc.a_format)->name);
    tw_diag_fix(d, "declare '%s' with dtype \"%s\"", c->operand[MMA_D].storage->name, dtype_among(allowed));
    return false;
}

/* The unsigned scale format that a dtype stores. SOURCE: PTX ISA: ue4m3 is e4m3 without a sign. */
static enum num_format scale_format_of(struct ir_type t)
{
    return t.format == NUM_E4M3 ? NUM_UE4M3 : t.format;
}

static const char *scale_dtypes(const struct tile_call *c, uint32_t formats)
{
    const char *ue8m0 = formats & 1u << NUM_UE8M0 ? tw_num_format(NUM_UE8M0)->dtype : NULL;
    const char *ue4m3 = formats & 1u << NUM_UE4M3 ? tw_num_format(NUM_E4M3)->dtype : NULL;
    return ue8m0 != NULL && ue4m3 != NULL ? tw_format(c->arena, "%s or %s", ue8m0, ue4m3) : ue8m0 != NULL ? ue8m0 : ue4m3;
}

/* One bit of the descriptor says what both are. */
static bool scale_formats(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    if (m->form.scale_vec == TC_SCALE_NONE)
        return true;
    const struct tc_scale_row *row = tw_tc_scale_of(m->form.kind, m->form.scale_vec);
    for (uint32_t i = MMA_SFA; i <= MMA_SFB; i++) {
        const struct ir_type elem = c->operand[i].view->elem;
        const enum num_format f = scale_format_of(elem);
        if (i == MMA_SFB && f != m->desc.scale_format) {
            struct diag *d = tw_tile_error(c, i, E0424, " has another format than operand SFA");
            tw_diag_expected(d, "%s, as operand SFA", tw_ir_type_name(c->operand[MMA_SFA].view->elem));
            tw_diag_found(d, "%s", tw_ir_type_name(elem));
            tw_diag_fix(d, "declare '%s' and '%s' with one dtype", c->operand[MMA_SFA].storage->name, c->operand[i].storage->name);
            return false;
        }
        m->desc.scale_format = (uint16_t)f;
        if (f != NUM_NONE && row->formats & 1u << f)
            continue;
        struct diag *d = tw_tile_error(c, i, E0424, ": %s takes no scales in %s", c->mnemonic, tw_ir_type_name(elem));
        tw_diag_expected(d, "%s", scale_dtypes(c, row->formats));
        tw_diag_fix(d, "declare '%s' with dtype %s", c->operand[i].storage->name, scale_dtypes(c, row->formats));
        return false;
    }
    return true;
}

static void suggest_same(const struct tile_call *c, struct diag *d)
{
    const enum num_format a = (enum num_format)tile_mma_of(c)->desc.a_format;
    if (tw_tile_text(c, "b_format") != NULL)
        tw_diag_fix(d, "write b_format=\"%s\"", tw_num_format(a)->name);
    else if (tw_tile_text(c, "a_format") != NULL)
        tw_diag_fix(d, "write a_format=\"%s\"", tw_num_format((enum num_format)tile_mma_of(c)->desc.b_format)->name);
    else
        tw_diag_fix(d, "declare '%s' and '%s' with one dtype", c->operand[MMA_A].storage->name, c->operand[MMA_B].storage->name);
}

static bool check_formats(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    if (!input_format(c, MMA_A, "a_format", &m->desc.a_format) || !input_format(c, MMA_B, "b_format", &m->desc.b_format))
        return false;
    if (tw_tc_kinds[m->form.kind].same_ab && m->desc.a_format != m->desc.b_format) {
        struct diag *d = tw_tile_error(c, MMA_B, E0424, " has another format than operand A");
        tw_diag_expected(d, "%s, as operand A", tw_num_format((enum num_format)m->desc.a_format)->name);
        tw_diag_found(d, "%s", tw_num_format((enum num_format)m->desc.b_format)->name);
        suggest_same(c, d);
        return false;
    }
    return output_format(c) && scale_formats(c);
}

/* ---- majors ----------------------------------------------------------------------------------------- */

static bool major(struct tile_call *c, uint32_t operand, const char *param, uint16_t format, uint16_t *bit)
{
    struct tile_mma *m = tile_mma_of(c);
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
    else if (operand == MMA_B && m->form.kind != TC_F16 && m->form.kind != TC_TF32 && c->symbol[TILE_N_CTA] % 16 != 0)
        why = "an MN-major B of 8-bit elements needs a multiple of 16 columns a CTA";
    if (why == NULL)
        return true;
    struct diag *d = tw_diag(c->diags, E0424, tw_tile_param(c, param)->at, "%s cannot be MN-major",
                             tw_tile_operand_name(c, operand));
    tw_diag_expected(d, "%s", why);
    tw_diag_found(d, "%s=\"mn\"", param);
    if (c->operand[operand].storage->scope == IR_TMEM)
        tw_diag_fix(d, "write %s=\"k\"", param);
    else
        tw_diag_fix(d, "write %s=\"k\", and lay '%s' out K-major", param, c->operand[operand].storage->name);
    return false;
}

/* ---- flags and masks -------------------------------------------------------------------------------- */

/* A parameter that the form has no place for. */
static bool misplaced(struct tile_call *c, const char *param, const char *where)
{
    const struct ir_arg *a = tw_tile_param(c, param);
    struct diag *d = tw_diag(c->diags, E0424, a->at, "%s%s with %s", param, a->kind == IR_ARG_BOOL ? "=True" : "", c->mnemonic);
    tw_diag_expected(d, "%s", where);
    tw_diag_fix(d, "leave %s out", param);
    return false;
}

static bool flag(struct tile_call *c, const char *param, bool allowed, const char *where, uint16_t *bit)
{
    *bit = tw_tile_flag(c, param);
    return *bit == 0 || allowed || misplaced(c, param, where);
}

static bool check_flags(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    const struct tc_kind_row *kind = &tw_tc_kinds[m->form.kind];
    return flag(c, "neg_a", kind->negate, "a float kind: integers have no negate bit", &m->desc.negate_a) &&
           flag(c, "neg_b", kind->negate, "a float kind: integers have no negate bit", &m->desc.negate_b) &&
           flag(c, "sat_d", m->form.kind == TC_I8, "kind::i8: only integer sums saturate", &m->desc.saturate);
}

static bool check_lane_mask(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    const struct ir_arg *mask = tw_tile_param(c, "disable_output_lane");
    m->mask_count = mask == NULL ? 0 : 4u * m->form.cta_group;
    if (mask == NULL)
        return true;
    if (m->form.ws || m->form.scale_vec != TC_SCALE_NONE)
        return misplaced(c, "disable_output_lane", "a dense form without .ws and .block_scale: no other has the mask");
    if (mask->item_count == m->mask_count)
        return true;
    struct diag *d = tw_diag(c->diags, E0405, mask->at, "parameter 'disable_output_lane' of %s", c->family->name);
    tw_diag_expected(d, "a tuple of %u words, four for each CTA", m->mask_count);
    tw_diag_found(d, "a tuple of %u", mask->item_count);
    tw_diag_fix(d, "write %u words, with 0 for lanes that are all written", m->mask_count);
    return false;
}

/* Bits of the zero-column mask. SOURCE: PTX ISA, tcgen05.mma.ws, "Zero-column mask descriptor". */
enum { ZERO_RESERVED_LOW = 36, ZERO_SHIFT = 56, ZERO_RESERVED_HIGH = 62 };

/* The fields of a mask that is known at compile time. */
static bool check_zero_fields(struct tile_call *c, const struct ir_arg *mask, uint64_t word)
{
    const unsigned low = (unsigned)(word >> ZERO_RESERVED_LOW & 7), high = (unsigned)(word >> ZERO_RESERVED_HIGH);
    const unsigned shift = (unsigned)(word >> ZERO_SHIFT & 63);
    if (low == 0 && high == 0 && shift == 0)
        return true;
    struct diag *d = tw_diag(c->diags, E0424, mask->at, "the zero-column mask 0x%016llx is not legal here",
                             (unsigned long long)word);
    if (low != 0 || high != 0) {
        tw_diag_expected(d, "0 in the reserved bits 36 to 38, 62 and 63");
        tw_diag_found(d, "%u in bits 36 to 38, %u in bits 62 and 63", low, high);
    } else {
        tw_diag_expected(d, "shift 0: the instruction descriptor of this pattern allows no shift of columns");
        tw_diag_found(d, "a shift of %u columns in bits 56 to 61", shift);
        tw_diag_fix(d, "call it as a raw instruction with its maximum shift in bits 30 and 31 of the instruction descriptor");
    }
    tw_diag_spec(d, "PTX ISA, tcgen05.mma.ws, zero-column mask descriptor");
    return false;
}

static bool check_zero_columns(struct tile_call *c)
{
    const struct ir_arg *mask = tw_tile_param(c, "zero_column_mask");
    if (mask == NULL)
        return true;
    if (!tile_mma_of(c)->form.ws)
        return misplaced(c, "zero_column_mask", "a .ws form: no other has a zero-column mask");
    int64_t word = mask->value;
    if (mask->kind == IR_ARG_EXPR && !tw_ir_is_const_int(mask->expr, &word))
        return true;
    return check_zero_fields(c, mask, (uint64_t)word);
}

/* D enters as D * 2^-s, which means something only where D is read. */
static bool check_scale_d(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    const struct ir_arg *scale = tw_tile_param(c, "scale_input_d"), *accum = tw_tile_param(c, "accum");
    if (scale == NULL)
        return true;
    m->scale_d = scale->value;
    if (m->form.ws || (m->form.kind != TC_F16 && m->form.kind != TC_TF32))
        return misplaced(c, "scale_input_d", "kind::f16 or kind::tf32 without .ws: no other form scales D");
    if (m->scale_d < 0 || m->scale_d > 15) {
        struct diag *d = tw_diag(c->diags, E0405, scale->at, "parameter 'scale_input_d' of %s", c->family->name);
        tw_diag_expected(d, "0 to 15: D is read as D * 2^-scale_input_d");
        tw_diag_found(d, "%lld", (long long)m->scale_d);
        tw_diag_fix(d, "write scale_input_d=%d, the nearest that there is", m->scale_d < 0 ? 0 : 15);
        return false;
    }
    const bool never = accum == NULL || accum->kind == IR_ARG_NONE || (accum->kind == IR_ARG_BOOL && accum->value == 0);
    if (!never)
        return true;
    struct diag *d = tw_diag(c->diags, E0424, scale->at, "scale_input_d where the first K step does not read D");
    tw_diag_expected(d, "accum=True, or accum a run-time bool");
    tw_diag_fix(d, "write accum=True, or leave scale_input_d out");
    return false;
}

/* SOURCE: PTX ISA, tcgen05.mma, .ashift: A in tensor memory, M 128 or 256. */
static bool check_ashift(struct tile_call *c)
{
    const struct tile_mma *m = tile_mma_of(c);
    const bool dense = c->family->op == OP_TCGEN05_MMA;
    if (!dense || isa_spelling_mod(&c->spelling, SLOT_ASHIFT) == MOD_NONE || (m->form.a_in_tmem && c->symbol[TILE_M] != 64))
        return true;
    struct diag *d;
    if (m->form.a_in_tmem)
        d = tw_diag(c->diags, E0424, c->tile->opcode_at, ".ashift with M %lld", (long long)c->symbol[TILE_M]);
    else
        d = tw_tile_error(c, MMA_A, E0424, " is in shared memory, and .ashift moves its rows");
    tw_diag_expected(d, "A in tensor memory, M 128 or 256");
    if (m->form.a_in_tmem)
        tw_diag_fix(d, "write instruction_shape=(128, %lld, %lld), or the opcode without .ashift", (long long)c->symbol[TILE_N],
                    (long long)c->symbol[TILE_K]);
    else
        tw_diag_fix(d, "write the opcode without .ashift, or give A as a tensor in tensor memory");
    return false;
}

/* ---- the word --------------------------------------------------------------------------------------- */

bool tw_tile_mma_word(struct tile_call *c, uint32_t sfa_id, uint32_t sfb_id, uint32_t *word)
{
    struct tile_mma *m = tile_mma_of(c);
    struct idesc_fault_list faults = {.count = 0};
    m->desc.m = (uint16_t)c->symbol[TILE_M];
    m->desc.n = (uint16_t)c->symbol[TILE_N];
    m->desc.sfa_id = (uint16_t)sfa_id;
    m->desc.sfb_id = (uint16_t)sfb_id;
    *word = tw_idesc_encode(m->form.kind, &m->desc);
    if (tw_idesc_check(&m->form, *word, &faults))
        return true;
    struct diag *d = tw_diag(c->diags, E0424, c->tile->opcode_at, "the instruction descriptor 0x%08x is not legal for %s", *word,
                             c->mnemonic);
    tw_diag_expected(d, "%s: %s", faults.at[0].field->name, faults.at[0].expected);
    tw_diag_found(d, "%s = %u", faults.at[0].field->name, faults.at[0].found);
    tw_diag_fix(d, "change what %s comes from: instruction_shape, the dtypes of the operands, or a parameter", faults.at[0].field->name);
    return false;
}

bool tw_tile_mma_check(struct tile_call *c)
{
    struct tile_mma *m = tile_mma_of(c);
    uint32_t word;
    m->form.a_in_tmem = c->operand[MMA_A].storage->scope == IR_TMEM;
    return check_formats(c) && major(c, MMA_A, "a_major", m->desc.a_format, &m->desc.a_mn_major) &&
           major(c, MMA_B, "b_major", m->desc.b_format, &m->desc.b_mn_major) && check_flags(c) && check_lane_mask(c) &&
           check_zero_columns(c) && check_scale_d(c) && check_ashift(c) && tw_tile_mma_word(c, 0, 0, &word);
}
