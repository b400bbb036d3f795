/* Variables, parameters, types and initialisers. */
#include "ptx/parse.h"

#include "base/bits.h"
#include "base/text.h"

#include <string.h>

static const uint16_t register_types[] = {
    MOD_PRED, MOD_B8,  MOD_B16, MOD_B32, MOD_B64, MOD_B128, MOD_U8,  MOD_U16,   MOD_U32, MOD_U64,
    MOD_S8,   MOD_S16, MOD_S32, MOD_S64, MOD_F16, MOD_F16X2, MOD_F32, MOD_F64,
};
enum { REGISTER_TYPE_COUNT = sizeof register_types / sizeof register_types[0] };

bool tw_ptx_parser_type(struct parser *p, uint16_t *type, bool registers)
{
    struct str text = tw_lex_text(&p->lx, &p->lx.tok);
    unsigned mod = p->lx.tok.kind == TOK_DIRECTIVE && text.len > 1
                       ? tw_isa_mod_find(p->isa, (struct str){text.at + 1, text.len - 1})
                       : MOD_NONE;
    for (unsigned i = 0; i < REGISTER_TYPE_COUNT; i++)
        if (register_types[i] == mod && (registers || mod != MOD_PRED)) {
            *type = (uint16_t)mod;
            tw_lex_next(&p->lx);
            return true;
        }
    if (mod == MOD_BF16 || mod == MOD_BF16X2) {
        struct diag *d = tw_diag(p->diags, E0522, tw_ptx_parser_here(p), "no variable or register has type '" STR_FMT "'", STR_ARG(text));
        tw_diag_expected(d, "a storage type of the same size");
        tw_diag_fix(d, "declare it '.b%u'", isa_type_bits(mod));
        return false;
    }
    static const char *const opaque[] = {".texref", ".samplerref", ".surfref"};
    for (size_t i = 0; i < sizeof opaque / sizeof opaque[0]; i++)
        if (tw_ptx_parser_is_directive(p, opaque[i])) {
            struct diag *d = tw_diag(p->diags, E0522, tw_ptx_parser_here(p), "textures and surfaces are not supported");
            tw_diag_expected(d, "a program that reads global memory by ld");
            return false;
        }
    return tw_ptx_parser_expected(p, registers ? "a register type such as .b32, .f32 or .pred" : "a type such as .b32 or .f32");
}

static bool refuse_variable(struct parser *p, struct src_span at, const char *name, const char *why, const char *expected)
{
    tw_diag_expected(tw_diag(p->diags, E0522, at, "'%s' %s", name, why), "%s", expected);
    return false;
}

bool tw_ptx_parser_declare(struct parser *p, const char *name, struct src_span at, struct binding what)
{
    const struct binding *old;
    if (tw_names_declare(&p->names, tw_str(name), what, &old))
        return true;
    struct diag *d = tw_diag(p->diags, E0504, at, "'%s' is already declared in this block", name);
    if (old->kind == NAME_REG || old->kind == NAME_RANGE || old->kind == NAME_VECTOR)
        tw_diag_note(d, p->func->regs.at[old->index].at, "the earlier declaration");
    else if (old->kind == NAME_VAR)
        tw_diag_note(d, p->func->vars.at[old->index].at, "the earlier declaration");
    else if (old->kind == NAME_GLOBAL)
        tw_diag_note(d, p->module->vars.at[old->index].at, "the earlier declaration");
    tw_diag_fix(d, "use another name, or open a block { } around the second one");
    return false;
}

/* More than any memory holds; the sizes of a whole module's variables add up without overflow. */
#define LARGEST_VARIABLE (UINT64_C(1) << 40)

/* Size and natural alignment from type, vector and dimensions; an open array takes its size from the initialiser. */
void tw_ptx_parser_lay_out(struct ptx_var *v)
{
    uint64_t elem = isa_type_bits(v->type) / 8 * (v->vec == 3 ? 4 : v->vec);
    if (v->align == 0)
        v->align = elem == 0 ? 1 : (uint32_t)elem;
    uint64_t count = 1;
    for (unsigned i = 0; i < v->dim_count; i++) {
        if (v->dims[i] != 0 && count > LARGEST_VARIABLE / v->dims[i])
            count = LARGEST_VARIABLE; /* refused by the size of the memory */
        else
            count *= v->dims[i];
    }
    v->bytes = elem * count;
}

static bool parse_alignment(struct parser *p, uint32_t *align)
{
    uint64_t value;
    struct src_span at = tw_ptx_parser_here(p);
    if (!tw_ptx_parser_uint(p, "an alignment in bytes", UINT32_MAX / 2, &value))
        return false;
    if (!is_pow2(value)) {
        struct diag *d = tw_diag(p->diags, E0522, at, "the alignment is no power of two");
        tw_diag_expected(d, "1, 2, 4, 8, 16, ...");
        tw_diag_found(d, "%llu", (unsigned long long)value);
        return false;
    }
    *align = (uint32_t)value;
    return true;
}

/* .attribute(.managed) */
static bool parse_attribute(struct parser *p, struct ptx_var *v)
{
    if (!tw_ptx_parser_expect(p, '(', "after .attribute"))
        return false;
    if (!tw_ptx_parser_accept_directive(p, ".managed"))
        return tw_ptx_parser_expected(p, ".managed, the one attribute of a variable that is supported");
    v->managed = true;
    return tw_ptx_parser_expect(p, ')', "after .attribute");
}

/* What stands between the state space and the type: .align, .attribute, .v2, .v4 in any order. */
static bool parse_qualifiers(struct parser *p, struct ptx_var *v)
{
    for (;;) {
        if (tw_ptx_parser_accept_directive(p, ".align")) {
            if (!parse_alignment(p, &v->align))
                return false;
            v->align_written = true;
        } else if (tw_ptx_parser_accept_directive(p, ".attribute")) {
            if (!parse_attribute(p, v))
                return false;
        } else if (tw_ptx_parser_accept_directive(p, ".v2")) {
            v->vec = 2;
        } else if (tw_ptx_parser_accept_directive(p, ".v4")) {
            v->vec = 4;
        } else {
            return true;
        }
    }
}

/* { '[' {number} ']' } */
static bool parse_dims(struct parser *p, struct ptx_var *v)
{
    while (tw_ptx_parser_accept(p, '[')) {
        if (v->dim_count == PTX_MAX_DIMS)
            return tw_ptx_parser_expected(p, "at most %d dimensions", PTX_MAX_DIMS);
        uint64_t *dim = &v->dims[v->dim_count++];
        if (tw_ptx_parser_accept(p, ']')) {
            if (v->dim_count > 1)
                return tw_ptx_parser_expected(p, "a length in every dimension but the first");
            v->open_array = true;
            continue;
        }
        if (!tw_ptx_parser_uint(p, "a length, or ']'", UINT64_C(1) << 40, dim) || !tw_ptx_parser_expect(p, ']', "after the length"))
            return false;
    }
    return true;
}

static bool space_of(const struct parser *p, uint16_t *space)
{
    static const uint16_t spaces[] = {MOD_GLOBAL, MOD_CONST, MOD_SHARED, MOD_LOCAL, MOD_PARAM};
    struct str text = tw_lex_text(&p->lx, &p->lx.tok);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (tw_str_is((struct str){text.at + 1, text.len - 1}, tw_isa_mods[spaces[i]].text)) {
            *space = spaces[i];
            return true;
        }
    if (tw_str_is(text, ".shared::cta")) {
        *space = MOD_SHARED;
        return true;
    }
    return false;
}

static bool space_allowed(struct parser *p, uint16_t space, enum ptx_linkage linkage)
{
    bool in_func = p->func != NULL;
    bool ok = in_func ? true : space != MOD_LOCAL && space != MOD_PARAM;
    if (ok && in_func && linkage != LINK_NONE && linkage != LINK_EXTERN)
        ok = false;
    if (ok)
        return true;
    struct diag *d = tw_diag(p->diags, E0522, tw_ptx_parser_here(p), "no .%s variable can be declared here", tw_isa_mods[space].text);
    tw_diag_expected(d, in_func ? "a variable without .visible or .weak inside a function" : ".global, .const or .shared at module level");
    return false;
}

static uint32_t add_var(struct parser *p, const struct ptx_var *v)
{
    if (p->func != NULL) {
        *vec_push(p->arena, &p->func->vars) = *v;
        return p->func->vars.len - 1;
    }
    *vec_push(p->arena, &p->module->vars) = *v;
    return p->module->vars.len - 1;
}

/* An extern variable may be declared again, or be defined later in the module. */
static bool redeclares(struct parser *p, const struct ptx_var *v)
{
    struct binding old = tw_names_find(&p->names, tw_str(v->name));
    return p->func == NULL && old.kind == NAME_GLOBAL &&
           (v->linkage == LINK_EXTERN || p->module->vars.at[old.index].linkage == LINK_EXTERN);
}

static bool parse_one_var(struct parser *p, struct ptx_var *v)
{
    if (!tw_ptx_parser_name(p, "a variable name", &v->name, &v->at) || !parse_dims(p, v))
        return false;
    tw_ptx_parser_lay_out(v);
    if (v->space == MOD_PARAM && v->vec > 1)
        return refuse_variable(p, v->at, v->name, "is a parameter of a vector type", "a scalar, or an array of bytes");
    if (tw_ptx_parser_accept(p, '=') && !tw_ptx_parser_initialiser(p, v))
        return false;
    if (v->open_array && v->linkage != LINK_EXTERN)
        return refuse_variable(p, v->at, v->name, "has no size", "a length, values, or .extern");
    bool again = redeclares(p, v);
    uint32_t index = add_var(p, v);
    if (again)
        return true;
    return tw_ptx_parser_declare(p, v->name, v->at,
                            (struct binding){.kind = p->func != NULL ? NAME_VAR : NAME_GLOBAL, .index = index, .count = 1});
}

bool tw_ptx_parser_vars(struct parser *p, enum ptx_linkage linkage, struct src_span at)
{
    struct ptx_var base = {.linkage = (uint8_t)linkage, .vec = 1, .reg = PTX_NONE, .at = at};
    if (!space_of(p, &base.space)) {
        struct diag *d = tw_diag(p->diags, E0522, tw_ptx_parser_here(p), "variables of '" STR_FMT "' are not supported here",
                                 STR_ARG(tw_lex_text(&p->lx, &p->lx.tok)));
        tw_diag_expected(d, "a variable in .global, .const, .shared, .local or .param");
        return false;
    }
    if (!space_allowed(p, base.space, linkage))
        return false;
    tw_lex_next(&p->lx);
    if (!parse_qualifiers(p, &base) || !tw_ptx_parser_type(p, &base.type, false))
        return false;
    if (!parse_qualifiers(p, &base)) /* older text writes .v2 after nothing else but before the type; both orders occur */
        return false;
    do {
        struct ptx_var v = base;
        uint32_t index = p->func != NULL ? p->func->vars.len : 0;
        if (!parse_one_var(p, &v))
            return false;
        if (p->func != NULL)
            *vec_push(p->arena, &p->func->stmts) = (struct ptx_stmt){STMT_VARS, index};
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ';', "after the variable");
}

/* .ptr {.space} {.align N} */
static bool parse_ptr(struct parser *p, struct ptx_var *v)
{
    v->is_ptr = true;
    static const uint16_t spaces[] = {MOD_CONST, MOD_GLOBAL, MOD_LOCAL, MOD_SHARED};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        struct str text = tw_lex_text(&p->lx, &p->lx.tok);
        if (p->lx.tok.kind == TOK_DIRECTIVE && tw_str_is((struct str){text.at + 1, text.len - 1}, tw_isa_mods[spaces[i]].text)) {
            v->ptr_space = spaces[i];
            tw_lex_next(&p->lx);
            break;
        }
    }
    return !tw_ptx_parser_accept_directive(p, ".align") || parse_alignment(p, &v->ptr_align);
}

bool tw_ptx_parser_param(struct parser *p, bool is_entry)
{
    struct ptx_var v = {.vec = 1, .reg = PTX_NONE, .space = MOD_PARAM};
    if (!is_entry && tw_ptx_parser_accept_directive(p, ".reg"))
        v.space = MOD_REG;
    else if (!tw_ptx_parser_accept_directive(p, ".param"))
        return tw_ptx_parser_expected(p, is_entry ? ".param" : ".param or .reg");
    if (!parse_qualifiers(p, &v) || !tw_ptx_parser_type(p, &v.type, v.space == MOD_REG))
        return false;
    if (tw_ptx_parser_accept_directive(p, ".ptr") && !parse_ptr(p, &v))
        return false;
    if (!tw_ptx_parser_name(p, "a parameter name", &v.name, &v.at) || !parse_dims(p, &v))
        return false;
    if (v.vec > 1)
        return refuse_variable(p, v.at, v.name, "is a parameter of a vector type", "a scalar, or an array of bytes");
    tw_ptx_parser_lay_out(&v);
    uint32_t index = p->func->vars.len;
    struct binding what = {.kind = NAME_VAR, .index = index, .count = 1};
    if (v.space == MOD_REG) {
        v.reg = p->func->regs.len;
        *vec_push(p->arena, &p->func->regs) = (struct ptx_reg){.name = v.name, .number = PTX_NONE, .type = v.type, .at = v.at};
        what = (struct binding){.kind = NAME_REG, .index = v.reg, .count = 1};
    }
    *vec_push(p->arena, &p->func->vars) = v;
    return tw_ptx_parser_declare(p, v.name, v.at, what);
}

/* Initialisers */

static struct ptx_init *add_init(struct parser *p, struct ptx_var *v, enum ptx_init_kind kind, uint64_t element)
{
    struct ptx_init *i = vec_push(p->arena, &v->init);
    *i = (struct ptx_init){.kind = (uint8_t)kind, .element = element};
    return i;
}

/* {'+' constant} */
static bool parse_init_offset(struct parser *p, struct ptx_init *i)
{
    struct ptx_constant offset;
    if (!tw_ptx_parser_accept(p, '+'))
        return true;
    if (p->lx.tok.kind == TOK_F32 || p->lx.tok.kind == TOK_F64)
        return tw_ptx_parser_expected(p, "a byte offset");
    if (!tw_ptx_parser_constant(p, "a byte offset", &offset))
        return false;
    i->value = (int64_t)((uint64_t)i->value + offset.value);
    return true;
}

/* name {+ offset}; the address of a variable or function. */
static bool parse_init_address(struct parser *p, struct ptx_init *i)
{
    struct str text = tw_lex_text(&p->lx, &p->lx.tok);
    struct binding b = tw_names_find(&p->names, text);
    const unsigned space = b.kind == NAME_GLOBAL ? p->module->vars.at[b.index].space : MOD_GLOBAL;
    if (space != MOD_GLOBAL && space != MOD_CONST)
        return refuse_variable(p, tw_ptx_parser_here(p), p->module->vars.at[b.index].name, "has no address before a launch",
                               "a variable in .global or .const");
    if (b.kind != NAME_GLOBAL && b.kind != NAME_FUNC) {
        struct diag *d = tw_diag(p->diags, E0505, tw_ptx_parser_here(p), "unknown name '" STR_FMT "'", STR_ARG(text));
        tw_diag_expected(d, "a variable or function declared before this initialiser");
        return false;
    }
    i->base = b.kind == NAME_FUNC ? BASE_FUNC : BASE_GLOBAL;
    i->index = b.index;
    tw_lex_next(&p->lx);
    return parse_init_offset(p, i);
}

/* name {+ offset} | generic '(' name ')' {+ offset} */
static bool parse_init_symbol(struct parser *p, struct ptx_init *i)
{
    if (!tw_str_is(tw_lex_text(&p->lx, &p->lx.tok), "generic"))
        return parse_init_address(p, i);
    tw_lex_next(&p->lx);
    i->kind = INIT_GENERIC;
    return tw_ptx_parser_expect(p, '(', "after generic") && parse_init_address(p, i) &&
           tw_ptx_parser_expect(p, ')', "after the name") && parse_init_offset(p, i);
}

/* mask '(' symbol ')': one byte of an address; the mask has been read. */
static bool parse_init_masked(struct parser *p, struct ptx_var *v, uint64_t element, uint64_t mask, struct src_span at)
{
    struct ptx_init *i = add_init(p, v, INIT_ADDRESS, element);
    unsigned byte = 0;
    while (byte < 8 && mask != UINT64_C(0xff) << 8 * byte)
        byte++;
    if (byte == 8) {
        struct diag *d = tw_diag(p->diags, E0522, at, "this mask picks no byte of an address");
        tw_diag_expected(d, "0xFF, 0xFF00, 0xFF0000, ... for one byte");
        tw_diag_found(d, "0x%llX", (unsigned long long)mask);
        return false;
    }
    i->mask = (uint8_t)(byte + 1);
    return parse_init_symbol(p, i) && tw_ptx_parser_expect(p, ')', "after the masked address");
}

/* MEASURED: ptxas 13.0. No bit pattern is made of a number of the other kind, and halves take no values at all. */
static bool literal_initialises(struct parser *p, const struct ptx_var *v, const struct ptx_constant *c, struct src_span at)
{
    const unsigned kind = isa_mod_row(v->type)->type_class;
    const bool whole = kind == TYPE_SIGNED || kind == TYPE_UNSIGNED;
    const bool is_float = v->type == MOD_F32 || v->type == MOD_F64;
    if (kind == TYPE_BITS || (c->kind == OPERAND_INT ? whole : is_float))
        return true;
    return refuse_variable(p, at, v->name, "cannot have this value", whole      ? "an integer"
                                                                       : is_float ? "a number with a point or an exponent, or 0f or 0d"
                                                                                  : "no value: declare it .b16 or .b32");
}

static bool address_initialises(struct parser *p, const struct ptx_var *v)
{
    const unsigned kind = isa_mod_row(v->type)->type_class;
    if (isa_type_bits(v->type) >= 32 && (kind == TYPE_BITS || kind == TYPE_SIGNED || kind == TYPE_UNSIGNED))
        return true;
    return refuse_variable(p, tw_ptx_parser_here(p), v->name, "cannot hold an address", "a variable of .u64, or bytes 0xFF(name), 0xFF00(name), ...");
}

/* value := constant | symbol | mask '(' symbol ')' */
static bool parse_init_value(struct parser *p, struct ptx_var *v, uint64_t element)
{
    static const char wanted[] = "a number, or the name of a variable or function";
    if (tw_ptx_parser_at_constant(p) || tw_ptx_parser_is(p, '!')) {
        const struct src_span at = tw_ptx_parser_here(p);
        struct ptx_constant c;
        if (!tw_ptx_parser_constant(p, wanted, &c))
            return false;
        if (c.kind == OPERAND_INT && tw_ptx_parser_accept(p, '('))
            return parse_init_masked(p, v, element, c.value, at);
        if (!literal_initialises(p, v, &c, at))
            return false;
        const enum ptx_init_kind kind = c.kind == OPERAND_INT ? INIT_INT : c.kind == OPERAND_F32 ? INIT_F32 : INIT_F64;
        add_init(p, v, kind, element)->value = (int64_t)c.value;
        return true;
    }
    if (p->lx.tok.kind != TOK_NAME)
        return tw_ptx_parser_expected(p, "%s", wanted);
    if (!address_initialises(p, v))
        return false;
    return parse_init_symbol(p, add_init(p, v, INIT_ADDRESS, element));
}

/* Elements that one entry of dimension `level` spans. */
static uint64_t stride_of(const struct ptx_var *v, unsigned level)
{
    uint64_t n = v->vec;
    for (unsigned i = level + 1; i < v->dim_count; i++)
        n *= v->dims[i];
    return n;
}

static bool too_many(struct parser *p, const struct ptx_var *v, uint64_t most)
{
    struct diag *d = tw_diag(p->diags, E0522, tw_ptx_parser_here(p), "too many values for '%s'", v->name);
    tw_diag_expected(d, "at most %llu here", (unsigned long long)most);
    return false;
}

/* list := '{' {entry {',' entry}} '}', nested once a dimension. Yields one past the last entry. */
static bool parse_init_list(struct parser *p, struct ptx_var *v, unsigned level, uint64_t from, uint64_t *count)
{
    bool innermost = level >= v->dim_count;
    uint64_t stride = innermost ? 1 : stride_of(v, level);
    uint64_t most = innermost ? v->vec : level == 0 && v->open_array ? UINT64_C(1) << 40 : v->dims[level];
    *count = 0;
    while (!tw_ptx_parser_is(p, '}')) {
        uint64_t inner, at = from + *count * stride;
        if (*count == most)
            return too_many(p, v, most);
        if (tw_ptx_parser_accept(p, '{')) {
            if (innermost || !parse_init_list(p, v, level + 1, at, &inner))
                return innermost ? tw_ptx_parser_expected(p, "a value: the braces nest deeper than the array") : false;
            *count += 1;
        } else {
            if (level + 1 < v->dim_count)
                return tw_ptx_parser_expected(p, "'{' before the values of an inner dimension");
            if (!parse_init_value(p, v, at))
                return false;
            *count += 1;
        }
        if (!tw_ptx_parser_accept(p, ','))
            break;
    }
    return tw_ptx_parser_expect(p, '}', "after the values");
}

bool tw_ptx_parser_initialiser(struct parser *p, struct ptx_var *v)
{
    v->has_init = true;
    struct src_span at = tw_ptx_parser_here(p);
    if (v->space != MOD_GLOBAL && v->space != MOD_CONST) {
        struct diag *d = tw_diag(p->diags, E0522, at, "'%s' cannot be initialised", v->name);
        tw_diag_expected(d, "an initialiser only on .global and .const variables");
        return false;
    }
    uint64_t count = 0;
    if (tw_ptx_parser_accept(p, '{')) {
        if (!parse_init_list(p, v, 0, 0, &count))
            return false;
    } else if (v->dim_count > 0 || v->vec > 1) {
        return tw_ptx_parser_expected(p, "'{' before the values of an array");
    } else if (!parse_init_value(p, v, 0)) {
        return false;
    }
    if (v->open_array) {
        v->open_array = false;
        v->dims[0] = count;
        tw_ptx_parser_lay_out(v);
    }
    return true;
}
