/* Instructions: guard, mnemonic, operands as written; the binder gives them their places. */
#include "ptx/parse.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

static bool unknown_name(struct parser *p, struct str name, uint32_t begin)
{
    struct src_span at = tw_ptx_parser_span(p, begin, begin + (uint32_t)name.len);
    struct diag *d = tw_diag(p->diags, E0505, at, "unknown name '" STR_FMT "'", STR_ARG(name));
    const char *nearest = p->diags->error_count < TW_MAX_DIAGS ? tw_names_nearest(&p->names, name, p->arena) : NULL;
    tw_diag_expected(d, "a register, variable or special register that is declared here");
    if (nearest != NULL)
        tw_diag_fix(d, "did you mean '%s'?", nearest);
    return false;
}

/* {'+' constant} behind a symbol or an address base */
static bool parse_offset(struct parser *p, int64_t *value)
{
    while (tw_ptx_parser_accept(p, '+')) {
        struct ptx_constant n;
        if (p->lx.tok.kind == TOK_F32 || p->lx.tok.kind == TOK_F64)
            return tw_ptx_parser_expected(p, "an integer byte offset");
        if (!tw_ptx_parser_constant(p, "an integer byte offset", &n))
            return false;
        *value = (int64_t)((uint64_t)*value + n.value);
    }
    if (tw_ptx_parser_is(p, '-')) {
        tw_diag_fix(tw_ptx_parser_unexpected(p, "'+' before a byte offset"), "write a negative offset as +-N");
        return false;
    }
    return true;
}

static void set_base(struct ptx_operand *o, enum ptx_base base, uint32_t index)
{
    o->base = (uint8_t)base;
    o->index = index;
}

/* The name at the current token becomes an operand; OPERAND_NAME if nothing bears it. */
static struct ptx_operand resolve_name(struct parser *p, struct str name)
{
    struct ptx_operand o = {.kind = OPERAND_NAME, .begin = p->lx.tok.begin, .end = p->lx.tok.end};
    struct binding b = tw_names_find(&p->names, name);
    switch (b.kind) {
    case NAME_REG:
        o.kind = OPERAND_REG;
        o.index = b.index;
        return o;
    case NAME_VAR:
        o.kind = OPERAND_SYMBOL;
        set_base(&o, BASE_VAR, b.index);
        return o;
    case NAME_GLOBAL:
        o.kind = OPERAND_SYMBOL;
        set_base(&o, BASE_GLOBAL, b.index);
        return o;
    case NAME_FUNC:
        o.kind = OPERAND_FUNC;
        o.index = b.index;
        return o;
    case NAME_NONE:
    case NAME_RANGE:
    case NAME_VECTOR:
        break;
    }
    if (tw_str_is(name, "_"))
        o.kind = OPERAND_SINK;
    else if (tw_str_is(name, "WARP_SZ")) {
        o.kind = OPERAND_INT;
        o.value = TW_WARP_LANES;
    }
    return o;
}

/* {'.' (x|y|z|w|r|g|b|a)} behind the name of a vector register: one of its registers, or all of them in braces. */
static bool vector_register(struct parser *p, const struct binding *b, struct ptx_operand *o)
{
    static const char selectors[] = "xyzwrgba";
    const uint32_t begin = p->lx.tok.begin, name_end = p->lx.tok.end;
    const struct str whole = tw_lex_component(&p->lx);
    *o = (struct ptx_operand){.kind = OPERAND_VECTOR, .count = b->width, .begin = begin, .end = p->lx.tok.end};
    if (p->lx.tok.end > name_end) {
        const char *const found = strchr(selectors, whole.at[whole.len - 1]);
        const uint32_t component = found == NULL ? b->width : (uint32_t)(found - selectors) % 4;
        if (component >= b->width) {
            struct diag *d = tw_diag(p->diags, E0505, tw_ptx_parser_here(p), "'" STR_FMT "' has no such component",
                                     (int)(name_end - begin), whole.at);
            tw_diag_expected(d, b->width == 2 ? ".x or .y" : ".x, .y, .z or .w");
            return false;
        }
        *o = (struct ptx_operand){.kind = OPERAND_REG, .index = b->index + component, .begin = begin, .end = p->lx.tok.end};
        return true;
    }
    o->index = p->func->pool.len;
    for (uint32_t i = 0; i < b->width; i++)
        *vec_push(p->arena, &p->func->pool) =
            (struct ptx_operand){.kind = OPERAND_REG, .index = b->index + i, .begin = begin, .end = o->end};
    return true;
}

static bool special_register(struct parser *p, struct ptx_operand *o)
{
    struct str whole = tw_lex_component(&p->lx);
    enum isa_sreg_id id;
    int component;
    if (!tw_isa_sreg_find(p->isa, whole, &id, &component))
        return false;
    *o = (struct ptx_operand){.kind = OPERAND_SREG, .index = (uint32_t)id, .begin = p->lx.tok.begin, .end = p->lx.tok.end,
                              .component = component < 0 ? (uint8_t)PTX_WHOLE : (uint8_t)component};
    return true;
}

/* '[' constant ']' behind the name of an array: the address of an element.
 * MEASURED: ptxas 13.0 counts elements of the flattened array, whatever its dimensions. */
static bool parse_subscript(struct parser *p, struct raw_operand *raw)
{
    const struct ptx_var *const v = tw_ptx_var_of(p->module, p->func, &raw->o);
    struct ptx_constant n;
    if (v->dim_count == 0)
        return tw_ptx_parser_expected(p, "no '[': '%s' is no array", v->name);
    tw_lex_next(&p->lx);
    if (!tw_ptx_parser_at_constant(p)) {
        struct diag *d = tw_ptx_parser_unexpected(p, "a constant: an index in a register is not supported");
        tw_diag_fix(d, "compute the address in a register");
        return false;
    }
    if (!tw_ptx_parser_constant(p, "an index", &n))
        return false;
    if (n.kind != OPERAND_INT)
        return tw_ptx_parser_expected(p, "an integer index");
    raw->indexed = true;
    raw->is_name = false;
    raw->o.value = (int64_t)(n.value * (isa_type_bits(v->type) / 8));
    const bool ok = tw_ptx_parser_expect(p, ']', "after the index");
    raw->o.end = p->lx.last_end;
    return ok;
}

/* name {+ offset | '[' index ']'} | special register | '_' */
static bool parse_name_operand(struct parser *p, struct raw_operand *raw)
{
    struct str name = tw_lex_text(&p->lx, &p->lx.tok);
    const struct binding b = tw_names_find(&p->names, name);
    raw->o = resolve_name(p, name);
    raw->is_name = true;
    if (b.kind == NAME_VECTOR && !vector_register(p, &b, &raw->o))
        return false;
    if (raw->o.kind == OPERAND_NAME && name.at[0] == '%' && special_register(p, &raw->o))
        raw->is_name = false;
    tw_lex_next(&p->lx);
    if (raw->o.kind == OPERAND_SYMBOL && tw_ptx_parser_is(p, '['))
        return parse_subscript(p, raw);
    if (raw->o.kind == OPERAND_SYMBOL && tw_ptx_parser_is(p, '+')) {
        raw->is_name = false;
        bool ok = parse_offset(p, &raw->o.value);
        raw->o.end = p->lx.last_end;
        return ok;
    }
    return true;
}

static bool parse_constant(struct parser *p, struct raw_operand *raw)
{
    const uint32_t begin = p->lx.tok.begin;
    struct ptx_constant c;
    if (!tw_ptx_parser_constant(p, "an operand: a register, a number, '[', '{' or a name", &c))
        return false;
    raw->o = (struct ptx_operand){.kind = (uint8_t)c.kind, .value = (int64_t)c.value, .begin = begin, .end = p->lx.last_end};
    return true;
}

/* Whether the '!' here negates a number rather than a predicate. */
static bool negates_number(const struct parser *p)
{
    struct parser ahead = *p;
    tw_lex_next(&ahead.lx);
    return tw_ptx_parser_at_constant(&ahead) || tw_ptx_parser_is(&ahead, '!');
}

/* register | constant | name, with '!' before a predicate */
static bool parse_scalar(struct parser *p, struct raw_operand *raw)
{
    const uint32_t begin = p->lx.tok.begin;
    if (tw_ptx_parser_at_constant(p) || (tw_ptx_parser_is(p, '!') && negates_number(p)))
        return parse_constant(p, raw);
    const bool negated = tw_ptx_parser_accept(p, '!');
    if (p->lx.tok.kind != TOK_NAME)
        return parse_constant(p, raw);
    if (!parse_name_operand(p, raw))
        return false;
    raw->o.negated = negated;
    if (negated)
        raw->o.begin = begin;
    return true;
}

/* Elements of {...} and (...), moved into the pool in one piece. */
static bool parse_elements(struct parser *p, char closing, struct ptx_operand *out)
{
    struct ptx_operand elems[ISA_MAX_VECTOR];
    uint32_t count = 0;
    if (!tw_ptx_parser_is(p, closing)) {
        do {
            struct raw_operand raw = {.joined = false};
            if (count == ISA_MAX_VECTOR) {
                struct diag *d = tw_diag(p->diags, E0519, tw_ptx_parser_here(p), "too many elements");
                tw_diag_expected(d, "at most %d", ISA_MAX_VECTOR);
                return false;
            }
            if (!parse_scalar(p, &raw))
                return false;
            if (raw.o.kind == OPERAND_NAME)
                return unknown_name(p, tw_lex_text(&p->lx, &(struct token){.begin = raw.o.begin, .end = raw.o.end}), raw.o.begin);
            if (raw.o.kind == OPERAND_VECTOR) {
                struct diag *d = tw_diag(p->diags, E0511, tw_ptx_parser_span(p, raw.o.begin, raw.o.end), "a vector inside braces");
                tw_diag_expected(d, "a scalar: one component, such as .x");
                return false;
            }
            elems[count++] = raw.o;
        } while (tw_ptx_parser_accept(p, ','));
    }
    if (!tw_ptx_parser_expect(p, closing, "or ',' after an element"))
        return false;
    out->index = p->func->pool.len;
    out->count = count;
    for (uint32_t i = 0; i < count; i++)
        *vec_push(p->arena, &p->func->pool) = elems[i];
    return true;
}

/* base := register | variable | integer ; {+ offset} */
static bool parse_address_base(struct parser *p, struct ptx_operand *o)
{
    struct raw_operand base = {.joined = false};
    o->begin = p->lx.tok.begin;
    if (tw_ptx_parser_is(p, '!') || !parse_scalar(p, &base))
        return tw_ptx_parser_is(p, '!') ? tw_ptx_parser_expected(p, "a register, a variable or an integer address") : false;
    o->kind = OPERAND_ADDRESS;
    o->value = base.o.value;
    if (base.indexed)
        return tw_ptx_parser_expected(p, "a name without an index inside brackets");
    if (base.o.kind == OPERAND_REG)
        set_base(o, BASE_REG, base.o.index);
    else if (base.o.kind == OPERAND_SYMBOL)
        set_base(o, (enum ptx_base)base.o.base, base.o.index);
    else if (base.o.kind == OPERAND_INT)
        set_base(o, BASE_ABSOLUTE, 0);
    else if (base.o.kind == OPERAND_NAME)
        return unknown_name(p, tw_lex_text(&p->lx, &(struct token){.begin = base.o.begin, .end = base.o.end}), base.o.begin);
    else {
        struct diag *d = tw_diag(p->diags, E0511, tw_ptx_parser_span(p, base.o.begin, base.o.end), "no address starts from this");
        tw_diag_expected(d, "a register, a variable or an integer address");
        return false;
    }
    bool ok = parse_offset(p, &o->value);
    o->end = p->lx.last_end;
    return ok;
}

/* '[' base ']'  |  '[' base ',' '{' coordinates '}' ']' */
static bool parse_address(struct parser *p, struct raw_operand *raw)
{
    uint32_t begin = p->lx.tok.begin;
    struct ptx_operand base = {.kind = OPERAND_NONE};
    tw_lex_next(&p->lx);
    if (!parse_address_base(p, &base))
        return false;
    raw->o = base;
    if (tw_ptx_parser_accept(p, ',')) {
        struct ptx_operand coords = {.kind = OPERAND_VECTOR};
        if (!tw_ptx_parser_expect(p, '{', "before the coordinates") || !parse_elements(p, '}', &coords))
            return false;
        raw->o = (struct ptx_operand){.kind = OPERAND_TENSOR, .index = p->func->pool.len, .count = coords.count + 1};
        *vec_push(p->arena, &p->func->pool) = base;
        for (uint32_t i = 0; i < coords.count; i++) {
            struct ptx_operand coord = p->func->pool.at[coords.index + i];
            *vec_push(p->arena, &p->func->pool) = coord;
        }
    }
    if (!tw_ptx_parser_expect(p, ']', "after the address"))
        return false;
    raw->o.begin = begin;
    raw->o.end = p->lx.last_end;
    return true;
}

bool tw_ptx_parser_operand(struct parser *p, struct raw_operand *raw)
{
    uint32_t begin = p->lx.tok.begin;
    if (tw_ptx_parser_is(p, '['))
        return parse_address(p, raw);
    bool vector = tw_ptx_parser_is(p, '{');
    if (!vector && !(p->lists && tw_ptx_parser_is(p, '(')))
        return parse_scalar(p, raw);
    tw_lex_next(&p->lx);
    raw->o.kind = vector ? OPERAND_VECTOR : OPERAND_LIST;
    if (!parse_elements(p, vector ? '}' : ')', &raw->o))
        return false;
    raw->o.begin = begin;
    raw->o.end = p->lx.last_end;
    return true;
}

/* '@' {'!'} predicate */
static bool parse_guard(struct parser *p, struct ptx_inst *inst)
{
    inst->guard = PTX_NONE;
    if (!tw_ptx_parser_accept(p, '@'))
        return true;
    inst->guard_negated = tw_ptx_parser_accept(p, '!');
    if (p->lx.tok.kind != TOK_NAME)
        return tw_ptx_parser_expected(p, "a predicate register after '@'");
    struct str name = tw_lex_text(&p->lx, &p->lx.tok);
    struct ptx_operand o = resolve_name(p, name);
    const bool vector = tw_names_find(&p->names, name).kind == NAME_VECTOR;
    if (o.kind == OPERAND_NAME && !vector)
        return unknown_name(p, name, o.begin);
    if (o.kind != OPERAND_REG || p->func->regs.at[o.index].type != MOD_PRED) {
        struct diag *d = tw_diag(p->diags, E0523, tw_ptx_parser_here(p), "the guard '" STR_FMT "' is no predicate", STR_ARG(name));
        tw_diag_expected(d, "a .pred register");
        if (o.kind == OPERAND_REG)
            tw_diag_found(d, "a .%s register", tw_isa_mods[p->func->regs.at[o.index].type].text);
        else if (vector)
            tw_diag_found(d, "a vector register");
        return false;
    }
    inst->guard = o.index;
    tw_lex_next(&p->lx);
    return true;
}

static bool parse_operands(struct parser *p, struct raw_operand raw[MAX_RAW], uint32_t *count)
{
    *count = 0;
    if (tw_ptx_parser_is(p, ';'))
        return true;
    bool joined = false;
    for (;;) {
        if (*count == MAX_RAW) {
            struct diag *d = tw_diag(p->diags, E0519, tw_ptx_parser_here(p), "too many operands");
            tw_diag_expected(d, "at most %d", MAX_RAW);
            return false;
        }
        raw[*count] = (struct raw_operand){.joined = joined};
        if (!tw_ptx_parser_operand(p, &raw[*count]))
            return false;
        raw[*count].joined = joined;
        ++*count;
        joined = tw_ptx_parser_accept(p, '|');
        if (!joined && !tw_ptx_parser_accept(p, ','))
            return true;
    }
}

/* Names that no declaration bears may still be labels and tables; anything else is an error here. */
static bool settle_names(struct parser *p, const struct ptx_spelling *s, const struct raw_operand *raw, uint32_t count)
{
    bool takes_names = false;
    for (uint32_t c = 0; c < s->match.count; c++)
        for (unsigned i = 0; i < s->match.candidates[c].form->operand_count; i++)
            takes_names |= (s->match.candidates[c].form->operands[i].accept & (ACCEPT_LABEL | ACCEPT_TABLE)) != 0;
    for (uint32_t i = 0; i < count; i++)
        if (raw[i].o.kind == OPERAND_NAME && !takes_names)
            return unknown_name(p, tw_lex_text(&p->lx, &(struct token){.begin = raw[i].o.begin, .end = raw[i].o.end}), raw[i].o.begin);
    return true;
}

/* Operands that are labels or tables are resolved at the end of the function. */
static void note_pending(struct parser *p, const struct ptx_inst *inst)
{
    for (unsigned i = 0; i < inst->form->operand_count; i++) {
        uint16_t accept = inst->form->operands[i].accept;
        struct ptx_operand *o = &p->func->pool.at[inst->operands + i];
        if (o->kind == OPERAND_NONE || (accept & (ACCEPT_LABEL | ACCEPT_TABLE)) == 0)
            continue;
        bool table = (accept & ACCEPT_TABLE) != 0;
        struct str name = tw_lex_text(&p->lx, &(struct token){.begin = o->begin, .end = o->end});
        struct pending use = {.pool = inst->operands + i, .is_table = table, .scope = tw_names_scope(&p->names),
                              .name = tw_names_id(&p->names, name), .begin = o->begin, .end = o->end};
        *o = (struct ptx_operand){.kind = table ? OPERAND_TABLE : OPERAND_LABEL, .begin = o->begin, .end = o->end};
        *vec_push(p->arena, &p->pending) = use;
    }
}

/* An opcode of a family that is not in the catalogue is told once, with its count. */
static void report_match(struct parser *p, const struct isa_match *match, struct str mnemonic, struct src_span at)
{
    for (uint32_t i = 0; match->status == MATCH_UNSUPPORTED && i < p->unsupported.len; i++)
        if (tw_str_eq(p->unsupported.at[i].opcode, match->token)) {
            p->unsupported.at[i].count++;
            return;
        }
    struct diag *const d = tw_ptx_report_match(p->diags, p->isa, match, mnemonic, at);
    if (match->status == MATCH_UNSUPPORTED)
        *vec_push(p->arena, &p->unsupported) = (struct unsupported_opcode){match->token, d, 1};
}

static bool parse_mnemonic(struct parser *p, struct src_span *at, const struct ptx_spelling **spelling)
{
    if (p->lx.tok.kind != TOK_NAME)
        return tw_ptx_parser_expected(p, "an instruction");
    uint32_t begin = p->lx.tok.begin;
    struct str mnemonic = tw_lex_mnemonic(&p->lx, p->arena);
    *at = tw_ptx_parser_span(p, begin, p->lx.last_end);
    *spelling = tw_ptx_spelling_of(&p->spellings, p->arena, p->isa, &p->module->env, mnemonic);
    if ((*spelling)->match.status == MATCH_OK)
        return true;
    report_match(p, &(*spelling)->match, mnemonic, *at);
    return false;
}

/* {guard} mnemonic {operand {(',' | '|') operand}} ';' */
bool tw_ptx_parser_inst(struct parser *p)
{
    struct raw_operand raw[MAX_RAW];
    struct ptx_inst inst = {.begin = p->lx.tok.begin, .loc = p->loc};
    const struct ptx_spelling *spelling = NULL;
    struct src_span mnemonic = {0, 0, 0};
    uint32_t count;
    if (!parse_guard(p, &inst) || !parse_mnemonic(p, &mnemonic, &spelling))
        return false;
    p->lists = spelling->match.candidates[0].form->op == OP_CALL;
    if (!parse_operands(p, raw, &count))
        return false;
    if (!tw_ptx_parser_is(p, ';'))
        return tw_ptx_parser_expected(p, "';' or ',' after an operand");
    if (!settle_names(p, spelling, raw, count))
        return false;
    struct bind_room room = {.module = p->module, .func = p->func, .arena = p->arena, .diags = p->diags,
                             .mnemonic = mnemonic, .file = p->file};
    if (!tw_ptx_bind(&room, spelling, raw, count, &inst))
        return false;
    note_pending(p, &inst);
    inst.end = p->lx.tok.end;
    tw_lex_next(&p->lx);
    *vec_push(p->arena, &p->func->stmts) = (struct ptx_stmt){STMT_INST, p->func->insts.len};
    *vec_push(p->arena, &p->func->insts) = inst;
    return true;
}
