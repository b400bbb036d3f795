/* The opcode and the keyword parameters of a tile operation. */
#include "tile/engine.h"

#include "base/nearest.h"
#include "ir/ir_walk.h"
#include "tile/tile.h"

#include <assert.h>
#include <string.h>

static const struct tile_family *const families[] = {
    &tw_tile_mma_sync,       &tw_tile_mma_sp,        &tw_tile_mma_block_scale, &tw_tile_mma_sp_block_scale,
    &tw_tile_tcgen05_mma,   &tw_tile_tcgen05_mma_ws, &tw_tile_tcgen05_mma_block_scale,
    &tw_tile_tcgen05_ld,     &tw_tile_tcgen05_ld_red, &tw_tile_tcgen05_st,    &tw_tile_tcgen05_cp,
    &tw_tile_tcgen05_shift,
    &tw_tile_cp_async,       &tw_tile_ldmatrix,      &tw_tile_stmatrix,
    &tw_tile_wgmma,          &tw_tile_wgmma_sp,
    &tw_tile_bulk_load,      &tw_tile_bulk_copy_cluster, &tw_tile_bulk_store, &tw_tile_bulk_prefetch,
    &tw_tile_bulk_reduce,    &tw_tile_bulk_reduce_cluster,
    &tw_tile_tensor_load,    &tw_tile_tensor_store,  &tw_tile_tensor_reduce,  &tw_tile_tensor_prefetch,
};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static const struct tile_family *family_at(uint32_t index)
{
    if (index < FAMILY_COUNT)
        return families[index];
    return index - FAMILY_COUNT < tw_tile_thread_op_count ? &tw_tile_thread_ops[index - FAMILY_COUNT] : NULL;
}

static const struct tile_family *family_of(enum isa_op op)
{
    const struct tile_family *f = NULL;
    for (uint32_t i = 0; (f = family_at(i)) != NULL && f->op != op; i++)
        ;
    return f;
}

const char *tw_tile_family_name(uint32_t index)
{
    const struct tile_family *f = family_at(index);
    return f == NULL ? NULL : f->name;
}

/* Whether two names begin with the same word: "tcgen05.mma" and "tcgen05.commit". */
static bool same_stem(const char *a, const char *b)
{
    const size_t n = strcspn(a, ".");
    return strcspn(b, ".") == n && memcmp(a, b, n) == 0;
}

/* "tcgen05.mma, tcgen05.ld, ...": those that begin as the opcode does, or all where none do. */
static const char *family_names(struct arena *arena, const char *opcode)
{
    struct text t;
    tw_text_init(&t, arena);
    for (int all = 0; all < 2 && t.len == 0; all++)
        for (uint32_t i = 0; family_at(i) != NULL; i++)
            if (all || same_stem(family_at(i)->name, opcode))
                tw_text_addf(&t, "%s%s", t.len == 0 ? "" : ", ", family_at(i)->name);
    return t.at;
}

/* ---- opcode ----------------------------------------------------------------------------------- */

/* The span of a part of the opcode, where the opcode stands in the source as written. */
static struct src_span token_span(const struct tile_call *c, const struct isa_match *m)
{
    const struct src_span whole = c->tile->opcode_at;
    if (c->diags->sources == NULL || whole.file == 0)
        return whole;
    const struct str text = tw_sources_text(c->diags->sources, whole);
    for (size_t i = 0; m->token.len > 0 && i + m->token.len <= text.len; i++)
        if (memcmp(text.at + i, m->token.at, m->token.len) == 0)
            return (struct src_span){whole.file, whole.begin + (uint32_t)i, whole.begin + (uint32_t)(i + m->token.len)};
    return whole;
}

static void refuse_opcode(struct tile_call *c, const struct isa_match *m)
{
    static const char *const reasons[] = {
        [MATCH_UNKNOWN_OPCODE] = "no such instruction",
        [MATCH_UNKNOWN_MODIFIER] = "no such qualifier",
        [MATCH_REFUSED_MODIFIER] = "a qualifier that the instruction does not take here",
        [MATCH_MISSING_MODIFIER] = "a qualifier is missing",
        [MATCH_RULE] = "qualifiers that do not go together",
    };
    struct diag *d = tw_diag(c->diags, E0401, token_span(c, m), "%s: %s", c->tile->opcode, reasons[m->status]);
    if (m->expected != NULL)
        tw_diag_expected(d, "%s", m->expected);
    if (m->token.len > 0)
        tw_diag_found(d, "'" STR_FMT "'", STR_ARG(m->token));
    if (m->nearest != NULL)
        tw_diag_fix(d, "write '%s'", m->nearest);
}

const struct tile_family *tw_tile_recognise(struct tile_call *c)
{
    struct isa_match m;
    tw_isa_match(c->isa, c->arena, tw_str(c->tile->opcode), &m);
    if (m.status != MATCH_OK) {
        refuse_opcode(c, &m);
        return NULL;
    }
    c->spelling = m.candidates[0];
    struct text t;
    tw_text_init(&t, c->arena);
    tw_isa_spell(&c->spelling, &t);
    c->mnemonic = t.at;
    const struct tile_family *family = family_of(c->spelling.form->op);
    if (family != NULL)
        return family;
    struct diag *d = tw_diag(c->diags, E0402, c->tile->opcode_at, "no tile pattern covers %s", c->mnemonic);
    tw_diag_expected(d, "an instruction of one of these families: %s", family_names(c->arena, c->mnemonic));
    tw_diag_fix(d, "call it as a raw instruction, T.ptx[...](...)");
    return NULL;
}

uint32_t tw_tile_memory_operands(const struct isa *isa, struct arena *arena, const char *opcode)
{
    struct isa_match m;
    tw_isa_match(isa, arena, tw_str(opcode), &m);
    const struct tile_family *family = m.status == MATCH_OK ? family_of(m.candidates[0].form->op) : NULL;
    return family == NULL ? 0 : family->memory_operands;
}

/* ---- parameters -------------------------------------------------------------------------------- */

static const char *param_names(const struct tile_call *c)
{
    if (c->family->param_count == 0)
        return "no parameter but scope";
    struct text t;
    tw_text_init(&t, c->arena);
    tw_text_add(&t, "scope");
    for (uint32_t i = 0; i < c->family->param_count; i++)
        tw_text_addf(&t, ", %s", c->family->params[i].name);
    return t.at;
}

/* Keywords that every call accepts and that mean nothing to code generation. SOURCE: kernel-language-tile 7.1. */
static bool is_generic_keyword(const char *name)
{
    static const char *const names[] = {"attrs", "ty", "ty_args", "loc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const char *nearest_param(const struct tile_call *c, const char *name)
{
    struct nearest best = nearest_to(tw_str(name));
    for (uint32_t i = 0; i < c->family->param_count; i++)
        tw_nearest_consider(&best, c->family->params[i].name);
    return best.name;
}

static bool unknown_param(struct tile_call *c, const struct ir_arg *a)
{
    struct diag *d = tw_diag(c->diags, E0404, a->at, "%s has no parameter '%s'", c->family->name, a->name);
    tw_diag_expected(d, "%s", param_names(c));
    const char *near = nearest_param(c, a->name);
    if (near != NULL)
        tw_diag_fix(d, "write %s=", near);
    return false;
}

static const char *const type_words[] = {
    [TILE_PARAM_SHAPE] = "three positive integers known at compile time, (M, N, K)",
    [TILE_PARAM_CHOICE] = "one of these strings, known at compile time",
    [TILE_PARAM_FORMAT] = "the name of a number format, known at compile time",
    [TILE_PARAM_FLAG] = "True or False, known at compile time",
    [TILE_PARAM_NUMBER] = "an integer known at compile time",
    [TILE_PARAM_BOOL] = "a bool",
    [TILE_PARAM_INT] = "an integer",
    [TILE_PARAM_INTS] = "a tuple of integers",
    [TILE_PARAM_BOX] = "one to five positive integers known at compile time",
    [TILE_PARAM_ADDRESS] = "a pointer into shared memory, or a uint32 address of its window",
};

static bool is_integer_arg(const struct ir_arg *a)
{
    return a->kind == IR_ARG_INT ||
           (a->kind == IR_ARG_EXPR && (a->expr->type.cls == IR_SINT || a->expr->type.cls == IR_UINT));
}

static bool is_shape_arg(const struct ir_arg *a)
{
    if (a->kind != IR_ARG_TUPLE || a->item_count != 3)
        return false;
    for (uint32_t i = 0; i < 3; i++)
        if (a->items[i].kind != IR_ARG_INT || a->items[i].value <= 0)
            return false;
    return true;
}

static bool is_box_arg(const struct ir_arg *a)
{
    if (a->kind == IR_ARG_INT)
        return a->value > 0;
    if (a->kind != IR_ARG_TUPLE || a->item_count < 1 || a->item_count > 5)
        return false;
    for (uint32_t i = 0; i < a->item_count; i++)
        if (a->items[i].kind != IR_ARG_INT || a->items[i].value <= 0)
            return false;
    return true;
}

static bool is_address_arg(const struct ir_arg *a)
{
    return a->kind == IR_ARG_EXPR && (a->expr->type.cls == IR_POINTER || tw_ir_type_equal(a->expr->type, tw_ir_uint32()));
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t len = strlen(text);
    for (const char *at = choices; *at != '\0';) {
        const size_t n = strcspn(at, "|");
        if (n == len && memcmp(at, text, n) == 0)
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

static bool is_format_name(const char *text)
{
    return tw_num_format_by_dtype(tw_str(text)) != NUM_NONE || tw_num_format_by_name(tw_str(text)) != NUM_NONE ||
           strcmp(text, "tensor_float32") == 0;
}

static bool fits(const struct tile_param_row *row, const struct ir_arg *a)
{
    switch (row->type) {
    case TILE_PARAM_SHAPE: return is_shape_arg(a);
    case TILE_PARAM_CHOICE: return a->kind == IR_ARG_STR && is_choice(row->choices, a->text);
    case TILE_PARAM_FORMAT: return a->kind == IR_ARG_STR && is_format_name(a->text);
    case TILE_PARAM_FLAG: return a->kind == IR_ARG_BOOL;
    case TILE_PARAM_NUMBER: return a->kind == IR_ARG_INT;
    case TILE_PARAM_BOOL:
        return a->kind == IR_ARG_BOOL || a->kind == IR_ARG_NONE || (a->kind == IR_ARG_EXPR && a->expr->type.cls == IR_BOOL);
    case TILE_PARAM_INT: return is_integer_arg(a);
    case TILE_PARAM_BOX: return is_box_arg(a);
    case TILE_PARAM_ADDRESS: return is_address_arg(a);
    case TILE_PARAM_INTS:
        if (a->kind != IR_ARG_TUPLE)
            return false;
        for (uint32_t i = 0; i < a->item_count; i++)
            if (!is_integer_arg(&a->items[i]))
                return false;
        return true;
    }
    return false;
}

static const char *found_words(const struct tile_call *c, const struct ir_arg *a)
{
    if (a->kind == IR_ARG_STR)
        return tw_format(c->arena, "\"%s\"", a->text);
    if (a->kind == IR_ARG_INT)
        return tw_format(c->arena, "%lld", (long long)a->value);
    if (a->kind == IR_ARG_BOOL)
        return a->value ? "True" : "False";
    if (a->kind == IR_ARG_NONE)
        return "None";
    if (a->kind == IR_ARG_TUPLE)
        return tw_format(c->arena, "a tuple of %u", a->item_count);
    if (a->kind == IR_ARG_REGION)
        return "a tensor";
    return tw_format(c->arena, "a run-time %s", tw_ir_type_name(a->expr->type));
}

static bool check_param(struct tile_call *c, uint32_t row_index, const struct ir_arg *a)
{
    const struct tile_param_row *row = &c->family->params[row_index];
    if (fits(row, a)) {
        c->param[row_index] = a;
        return true;
    }
    struct diag *d = tw_diag(c->diags, E0405, a->at, "parameter '%s' of %s", row->name, c->family->name);
    if (row->type == TILE_PARAM_CHOICE)
        tw_diag_expected(d, "%s: %s", type_words[row->type], row->choices);
    else
        tw_diag_expected(d, "%s", type_words[row->type]);
    tw_diag_found(d, "%s", found_words(c, a));
    if (row->type == TILE_PARAM_ADDRESS && a->kind == IR_ARG_REGION)
        tw_diag_fix(d, "write %s.ptr_to([...]), a pointer to one of its elements", a->region->view->storage->name);
    return false;
}

static uint32_t param_row(const struct tile_family *f, const char *name)
{
    uint32_t i = 0;
    while (i < f->param_count && strcmp(f->params[i].name, name) != 0)
        i++;
    return i;
}

static void suggest_param(const struct tile_param_row *row, struct diag *d)
{
    static const char *const samples[] = {
        [TILE_PARAM_SHAPE] = "(M, N, K)",   [TILE_PARAM_FLAG] = "True",  [TILE_PARAM_NUMBER] = "N",
        [TILE_PARAM_BOOL] = "condition",    [TILE_PARAM_INT] = "value",  [TILE_PARAM_INTS] = "(i, j, ...)",
        [TILE_PARAM_BOX] = "(extent, ...)", [TILE_PARAM_FORMAT] = "\"dtype\"", [TILE_PARAM_ADDRESS] = "name.ptr_to([...])",
    };
    if (row->type == TILE_PARAM_CHOICE)
        tw_diag_fix(d, "add %s=, one of %s", row->name, row->choices);
    else
        tw_diag_fix(d, "add %s=%s", row->name, samples[row->type]);
}

bool tw_tile_params(struct tile_call *c)
{
    bool fine = true;
    for (uint32_t i = 0; i < c->tile->param_count; i++) {
        const struct ir_arg *a = &c->tile->params[i];
        const uint32_t row = param_row(c->family, a->name);
        if (row < c->family->param_count)
            fine = check_param(c, row, a) && fine;
        else if (!is_generic_keyword(a->name))
            fine = unknown_param(c, a) && fine;
    }
    for (uint32_t i = 0; fine && i < c->family->param_count; i++) {
        const struct tile_param_row *row = &c->family->params[i];
        if (!row->required || c->param[i] != NULL)
            continue;
        struct diag *d = tw_diag(c->diags, E0406, c->tile->opcode_at, "%s needs the parameter '%s'", c->family->name, row->name);
        tw_diag_expected(d, "%s", type_words[row->type]);
        suggest_param(row, d);
        fine = false;
    }
    return fine;
}

const struct ir_arg *tw_tile_param(const struct tile_call *c, const char *name)
{
    const uint32_t row = param_row(c->family, name);
    assert(row < c->family->param_count);
    return c->param[row];
}

bool tw_tile_flag(const struct tile_call *c, const char *name)
{
    const struct ir_arg *a = tw_tile_param(c, name);
    return a != NULL && a->value != 0;
}

int64_t tw_tile_number(const struct tile_call *c, const char *name)
{
    const struct ir_arg *a = tw_tile_param(c, name);
    return a == NULL ? 0 : a->value;
}

const char *tw_tile_text(const struct tile_call *c, const char *name)
{
    const struct ir_arg *a = tw_tile_param(c, name);
    return a == NULL ? NULL : a->text;
}

/* A value that is read by every instruction is evaluated before the first: an instruction may overwrite what the
 * expression reads. */
struct ir_expr *tw_tile_once(struct tile_call *c, const char *name, struct ir_expr *value, struct src_span at)
{
    if (value->op == IR_CONST)
        return value;
    struct ir_stmt *define = tw_ir_stmt_new(c->k, c->out, IR_DEFINE, at);
    define->var = tw_ir_var_new(c->k, name, value->type, at);
    define->value = value;
    define->var->definition = define;
    return tw_ir_var_ref(c->k, define->var, at);
}

struct ir_expr *tw_tile_value(struct tile_call *c, const struct ir_arg *arg, struct ir_type type, int64_t absent)
{
    if (arg == NULL || arg->kind == IR_ARG_NONE)
        return tw_ir_const_int(c->k, type, absent, c->stmt->at);
    if (arg->kind == IR_ARG_INT || arg->kind == IR_ARG_BOOL)
        return tw_ir_const_int(c->k, type, arg->value, arg->at);
    assert(arg->kind == IR_ARG_EXPR);
    struct ir_expr *value = tw_ir_cast(c->k, type, tw_ir_expr_copy(c->k, arg->expr, NULL), arg->at);
    return tw_tile_once(c, arg->name != NULL ? arg->name : "value", value, arg->at);
}
