/* Function bodies: blocks, declarations, labels, tables, .loc. */
#include "ptx/parse.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

static void add_stmt(struct parser *p, enum ptx_stmt_kind kind, uint32_t index)
{
    *vec_push(p->arena, &p->func->stmts) = (struct ptx_stmt){(uint8_t)kind, index};
}

enum { IS_TABLE = (int)0x80000000u };

/* Labels and tables are found by scope and name together. */
static struct str label_key(const uint32_t key[2])
{
    return (struct str){(const char *)key, 2 * sizeof(uint32_t)};
}

static uint32_t *find_label(const struct parser *p, uint32_t scope, uint32_t name)
{
    const uint32_t key[2] = {scope, name};
    return tw_strmap_get(&p->labels, label_key(key));
}

static bool declare_label(struct parser *p, const char *name, struct src_span at, uint32_t value)
{
    const uint32_t key[2] = {tw_names_scope(&p->names), tw_names_id(&p->names, tw_str(name))};
    const uint32_t *old = tw_strmap_get(&p->labels, label_key(key));
    if (old == NULL) {
        tw_strmap_put(&p->labels, label_key(key), value);
        return true;
    }
    struct diag *d = tw_diag(p->diags, E0504, at, "label '%s' is already declared in this block", name);
    bool table = (*old & (uint32_t)IS_TABLE) != 0;
    uint32_t index = *old & ~(uint32_t)IS_TABLE;
    tw_diag_note(d, table ? p->func->tables.at[index].at : p->func->labels.at[index].at, "the earlier declaration");
    return false;
}

/* The label or table of that name in the use's block or one around it. */
static const uint32_t *resolve(const struct parser *p, const struct pending *use)
{
    for (uint32_t scope = use->scope;; scope = p->names.parents.at[scope]) {
        const uint32_t *found = find_label(p, scope, use->name);
        if (found != NULL && ((*found & (uint32_t)IS_TABLE) != 0) == use->is_table)
            return found;
        if (scope == 0)
            return NULL;
    }
}

static void report_unknown_label(struct parser *p, const struct pending *use)
{
    struct str name = tw_lex_text(&p->lx, &(struct token){.begin = use->begin, .end = use->end});
    struct diag *d = tw_diag(p->diags, E0505, tw_ptx_parser_span(p, use->begin, use->end), "unknown %s '" STR_FMT "'",
                             use->is_table ? "table" : "label", STR_ARG(name));
    uint32_t best = name.len < 5 ? 2 : 3;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < p->func->labels.len && p->diags->error_count < TW_MAX_DIAGS && !use->is_table; i++) {
        uint32_t distance = tw_str_distance(name, tw_str(p->func->labels.at[i].name));
        if (distance > 0 && distance < best) {
            best = distance;
            nearest = p->func->labels.at[i].name;
        }
    }
    tw_diag_expected(d, use->is_table ? "a .branchtargets, .calltargets or .callprototype of this function"
                                      : "a label of this block or of one around it");
    if (nearest != NULL)
        tw_diag_fix(d, "did you mean '%s'?", nearest);
}

static void resolve_pending(struct parser *p)
{
    for (uint32_t i = 0; i < p->pending.len; i++) {
        const struct pending *use = &p->pending.at[i];
        const uint32_t *found = resolve(p, use);
        if (found == NULL)
            report_unknown_label(p, use);
        else if (use->pool != PTX_NONE)
            p->func->pool.at[use->pool].index = *found & ~(uint32_t)IS_TABLE;
        else
            p->func->tables.at[use->table].targets.at[use->slot] = *found & ~(uint32_t)IS_TABLE;
    }
}

static void open_block(struct parser *p)
{
    tw_names_open(&p->names);
    add_stmt(p, STMT_OPEN, 0);
    p->depth++;
    tw_lex_next(&p->lx);
}

static bool too_deep(struct parser *p)
{
    if (p->depth < TW_MAX_NESTING)
        return false;
    struct diag *d = tw_diag(p->diags, E0519, tw_ptx_parser_here(p), "blocks nest too deeply");
    tw_diag_expected(d, "at most %d levels", TW_MAX_NESTING);
    while (p->lx.tok.kind != TOK_END) /* what follows cannot be read with the right scopes */
        tw_lex_next(&p->lx);
    return true;
}

/* '<' count '>' behind the name of a range; the '<' has been read. */
static bool parse_reg_range(struct parser *p, const char *name, struct src_span at, struct ptx_reg_decl *decl)
{
    uint64_t count;
    const struct binding *old = NULL;
    if (!tw_ptx_parser_uint(p, "a number of registers", 1u << 20, &count) || !tw_ptx_parser_expect(p, '>', "after the number"))
        return false;
    if (at.end - at.begin > 100) {
        tw_diag(p->diags, E0519, at, "the name of a register range has more than 100 characters");
        return false;
    }
    decl->range = true;
    decl->count = (uint32_t)count;
    const struct binding what = {.kind = NAME_RANGE, .index = decl->first, .count = decl->count, .width = decl->vec};
    if (tw_names_declare_range(&p->names, tw_str(name), what, &old))
        return true;
    struct diag *d = tw_diag(p->diags, E0504, at, "'%s<%u>' is already declared in this block", name, decl->count);
    if (old->count > 0)
        tw_diag_note(d, p->func->regs.at[old->index].at, "the earlier declaration");
    return false;
}

enum { MAX_REGISTERS = 1 << 21 }; /* of a function; compilers' output has some ten thousand */

/* The registers of a declaration, and the statement. */
static bool add_regs(struct parser *p, const char *name, struct src_span at, const struct ptx_reg_decl *decl)
{
    if (decl->count * decl->vec > MAX_REGISTERS - p->func->regs.len) {
        struct diag *d = tw_diag(p->diags, E0519, at, "too many registers");
        tw_diag_expected(d, "at most %d in a function", MAX_REGISTERS);
        return false;
    }
    vec_reserve(p->arena, &p->func->regs, decl->count * decl->vec);
    for (uint32_t i = 0; i < decl->count; i++)
        for (uint32_t k = 0; k < decl->vec; k++)
            *vec_push(p->arena, &p->func->regs) =
                (struct ptx_reg){.name = name, .number = decl->range ? i : PTX_NONE, .type = decl->type,
                                 .component = decl->vec > 1 ? "xyzw"[k] : '\0', .at = at};
    add_stmt(p, STMT_REGS, p->func->reg_decls.len);
    *vec_push(p->arena, &p->func->reg_decls) = *decl;
    return true;
}

/* One name of .reg: plain or with a range. */
static bool parse_reg_name(struct parser *p, uint16_t type, uint8_t vec, bool continues)
{
    const char *name;
    struct src_span at;
    if (!tw_ptx_parser_name(p, "a register name", &name, &at))
        return false;
    struct ptx_reg_decl decl = {.type = type, .vec = vec, .continues = continues, .first = p->func->regs.len, .count = 1};
    if (tw_ptx_parser_accept(p, '<')) {
        if (!parse_reg_range(p, name, at, &decl))
            return false;
    } else {
        const struct binding what = {.kind = vec > 1 ? NAME_VECTOR : NAME_REG, .index = decl.first, .count = 1, .width = vec};
        if (!tw_ptx_parser_declare(p, name, at, what))
            return false;
    }
    return decl.count == 0 || add_regs(p, name, at, &decl); /* ptxas takes a range of none, too; there is nothing to keep */
}

/* {.v2 | .v4} type. SOURCE: PTX ISA, "Vectors": no predicates, and at most 128 bits. */
static bool parse_reg_type(struct parser *p, uint16_t *type, uint8_t *vec)
{
    const struct src_span at = tw_ptx_parser_here(p);
    *vec = tw_ptx_parser_accept_directive(p, ".v2") ? 2 : tw_ptx_parser_accept_directive(p, ".v4") ? 4 : 1;
    if (!tw_ptx_parser_type(p, type, true))
        return false;
    if (*vec == 1 || (*type != MOD_PRED && isa_type_bits(*type) * *vec <= 128))
        return true;
    struct diag *d = tw_diag(p->diags, E0522, at, "there are no vector registers of this type");
    tw_diag_expected(d, *type == MOD_PRED ? "predicates one by one" : "a vector of at most 128 bits");
    tw_diag_found(d, ".v%u .%s", *vec, tw_isa_mods[*type].text);
    return false;
}

/* .reg {.v2 | .v4} type name {, name} ; */
static bool parse_regs(struct parser *p)
{
    uint16_t type;
    uint8_t vec;
    if (!parse_reg_type(p, &type, &vec))
        return false;
    const uint32_t before = p->func->reg_decls.len;
    do {
        if (!parse_reg_name(p, type, vec, p->func->reg_decls.len != before))
            return false;
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ';', "after the registers");
}

static bool parse_pragma(struct parser *p)
{
    do {
        const char *text;
        if (!tw_ptx_parser_string(p, &text))
            return false;
        add_stmt(p, STMT_PRAGMA, p->func->pragmas.len);
        *vec_push(p->arena, &p->func->pragmas) = text;
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ';', "after .pragma");
}

/* file line column */
static bool parse_position(struct parser *p, uint32_t out[3])
{
    static const char *const what[] = {"a file number", "a line number", "a column number"};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;
        if (!tw_ptx_parser_uint(p, what[i], UINT32_MAX, &n))
            return false;
        out[i] = (uint32_t)n;
    }
    return true;
}

static bool is_name(const struct parser *p, const char *text)
{
    return p->lx.tok.kind == TOK_NAME && tw_str_is(tw_lex_text(&p->lx, &p->lx.tok), text);
}

/* {, function_name label {+ offset}} {, inlined_at file line column} ; either may come first */
static bool parse_inlining(struct parser *p, struct ptx_loc *loc)
{
    while (tw_ptx_parser_accept(p, ',')) {
        struct src_span at;
        uint64_t offset = 0;
        if (is_name(p, "function_name")) {
            tw_lex_next(&p->lx);
            if (!tw_ptx_parser_name(p, "a debug label", &loc->function_name, &at))
                return false;
            if (tw_ptx_parser_accept(p, '+') && !tw_ptx_parser_uint(p, "an offset", INT64_MAX, &offset))
                return false;
            loc->function_offset = (int64_t)offset;
        } else if (is_name(p, "inlined_at")) {
            uint32_t v[3];
            tw_lex_next(&p->lx);
            if (!parse_position(p, v))
                return false;
            loc->inlined = true;
            loc->at_file = v[0];
            loc->at_line = v[1];
            loc->at_column = v[2];
        } else {
            return tw_ptx_parser_expected(p, "function_name or inlined_at");
        }
    }
    return true;
}

bool tw_ptx_parser_loc(struct parser *p)
{
    struct ptx_loc loc = {0};
    uint32_t v[3];
    if (!parse_position(p, v) || !parse_inlining(p, &loc))
        return false;
    loc.file = v[0];
    loc.line = v[1];
    loc.column = v[2];
    add_stmt(p, STMT_LOC, p->func->locs.len);
    *vec_push(p->arena, &p->func->locs) = loc;
    p->loc = p->func->locs.len;
    return true;
}

static void add_target(struct parser *p, uint32_t table, struct str name)
{
    struct ptx_table *t = &p->func->tables.at[table];
    struct pending use = {.pool = PTX_NONE, .table = table, .slot = t->targets.len, .scope = tw_names_scope(&p->names),
                          .name = tw_names_id(&p->names, name), .begin = p->lx.tok.begin, .end = p->lx.tok.end};
    *vec_push(p->arena, &t->targets) = 0;
    *vec_push(p->arena, &p->pending) = use;
}

/* .branchtargets label {, label} ;  .calltargets function {, function} ; */
static bool parse_targets(struct parser *p, uint32_t table, bool labels)
{
    do {
        struct str name = tw_lex_text(&p->lx, &p->lx.tok);
        if (p->lx.tok.kind != TOK_NAME)
            return tw_ptx_parser_expected(p, labels ? "a label" : "a function");
        if (labels) {
            add_target(p, table, name);
        } else {
            struct binding b = tw_names_find(&p->names, name);
            if (b.kind != NAME_FUNC) {
                tw_diag(p->diags, E0505, tw_ptx_parser_here(p), "unknown function '" STR_FMT "'", STR_ARG(name));
                return false;
            }
            *vec_push(p->arena, &p->func->tables.at[table].targets) = b.index;
        }
        tw_lex_next(&p->lx);
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ';', "after the targets");
}

/* (.param|.reg) {.align N} type {name} {[n]} */
static bool parse_prototype_param(struct parser *p, struct ptx_param_type *t)
{
    uint64_t n;
    *t = (struct ptx_param_type){.count = 1};
    if (tw_ptx_parser_accept_directive(p, ".reg"))
        t->in_reg = true;
    else if (!tw_ptx_parser_accept_directive(p, ".param"))
        return tw_ptx_parser_expected(p, ".param or .reg");
    if (tw_ptx_parser_accept_directive(p, ".align")) {
        if (!tw_ptx_parser_uint(p, "an alignment", UINT32_MAX, &n))
            return false;
        t->align = (uint32_t)n;
    }
    if (!tw_ptx_parser_type(p, &t->type, t->in_reg))
        return false;
    if (p->lx.tok.kind == TOK_NAME)
        tw_lex_next(&p->lx);
    if (tw_ptx_parser_accept(p, '[')) {
        t->is_array = true;
        t->count = 0;
        if (!tw_ptx_parser_is(p, ']') && !tw_ptx_parser_uint(p, "a length", UINT64_C(1) << 40, &t->count))
            return false;
        return tw_ptx_parser_expect(p, ']', "after the length");
    }
    return true;
}

static bool parse_prototype_params(struct parser *p, uint32_t table, bool rets)
{
    if (!tw_ptx_parser_accept(p, '(') || tw_ptx_parser_accept(p, ')'))
        return true;
    do {
        struct ptx_param_type t;
        if (!parse_prototype_param(p, &t))
            return false;
        struct ptx_table *at = &p->func->tables.at[table];
        if (rets)
            *vec_push(p->arena, &at->rets) = t;
        else
            *vec_push(p->arena, &at->params) = t;
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ')', "after the parameters");
}

/* .callprototype {(ret)} _ {(params)} {.noreturn} ; */
static bool parse_prototype(struct parser *p, uint32_t table)
{
    if (!parse_prototype_params(p, table, true))
        return false;
    if (!is_name(p, "_"))
        return tw_ptx_parser_expected(p, "'_' in place of the function's name");
    tw_lex_next(&p->lx);
    if (!parse_prototype_params(p, table, false))
        return false;
    for (;;) {
        uint64_t n;
        if (tw_ptx_parser_accept_directive(p, ".noreturn"))
            p->func->tables.at[table].noreturn = true;
        else if (tw_ptx_parser_is_directive(p, ".abi_preserve") || tw_ptx_parser_is_directive(p, ".abi_preserve_control")) {
            tw_lex_next(&p->lx);
            if (!tw_ptx_parser_uint(p, "a count", UINT32_MAX, &n))
                return false;
        } else {
            break;
        }
    }
    return tw_ptx_parser_expect(p, ';', "after the prototype");
}

bool tw_ptx_parser_table(struct parser *p, const char *name, struct src_span at)
{
    static const struct {
        const char *text;
        enum ptx_table_kind kind;
    } rows[] = {{".branchtargets", TABLE_BRANCH_TARGETS}, {".calltargets", TABLE_CALL_TARGETS}, {".callprototype", TABLE_CALL_PROTOTYPE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!tw_ptx_parser_accept_directive(p, rows[i].text))
            continue;
        uint32_t table = p->func->tables.len;
        *vec_push(p->arena, &p->func->tables) = (struct ptx_table){.kind = rows[i].kind, .name = name, .at = at};
        add_stmt(p, STMT_TABLE, table);
        return declare_label(p, name, at, table | (uint32_t)IS_TABLE) &&
               (rows[i].kind == TABLE_CALL_PROTOTYPE ? parse_prototype(p, table)
                                                     : parse_targets(p, table, rows[i].kind == TABLE_BRANCH_TARGETS));
    }
    return tw_ptx_parser_expected(p, ".branchtargets, .calltargets or .callprototype");
}

static bool at_table(const struct parser *p)
{
    return tw_ptx_parser_is_directive(p, ".branchtargets") || tw_ptx_parser_is_directive(p, ".calltargets") ||
           tw_ptx_parser_is_directive(p, ".callprototype");
}

/* name ':' : a label, or the name of the table behind it */
static bool parse_label(struct parser *p)
{
    const char *name;
    struct src_span at;
    tw_ptx_parser_name(p, "a label", &name, &at);
    tw_lex_next(&p->lx);
    if (at_table(p))
        return tw_ptx_parser_table(p, name, at);
    if (!declare_label(p, name, at, p->func->labels.len))
        return true;
    add_stmt(p, STMT_LABEL, p->func->labels.len);
    *vec_push(p->arena, &p->func->labels) = (struct ptx_label){.name = name, .inst = p->func->insts.len, .at = at};
    return true;
}

static bool next_is_label_colon(const struct parser *p)
{
    uint32_t at = p->lx.tok.end;
    while (at < p->lx.len && strchr(" \t\r\n", p->lx.text[at]) != NULL && p->lx.text[at] != '\0')
        at++;
    return at < p->lx.len && p->lx.text[at] == ':' && !(at + 1 < p->lx.len && p->lx.text[at + 1] == ':');
}

static bool parse_directive_statement(struct parser *p)
{
    static const char *const spaces[] = {".shared", ".shared::cta", ".local", ".global", ".const", ".param"};
    struct src_span at = tw_ptx_parser_here(p);
    if (tw_ptx_parser_accept_directive(p, ".reg"))
        return parse_regs(p);
    if (tw_ptx_parser_accept_directive(p, ".loc"))
        return tw_ptx_parser_loc(p);
    if (tw_ptx_parser_accept_directive(p, ".pragma"))
        return parse_pragma(p);
    enum ptx_linkage linkage = tw_ptx_parser_accept_directive(p, ".extern") ? LINK_EXTERN : LINK_NONE;
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (tw_ptx_parser_is_directive(p, spaces[i]))
            return tw_ptx_parser_vars(p, linkage, at);
    struct diag *d = tw_diag(p->diags, E0502, tw_ptx_parser_here(p), "unknown directive '" STR_FMT "'",
                             STR_ARG(tw_lex_text(&p->lx, &p->lx.tok)));
    tw_diag_expected(d, "an instruction, a label, .reg, .loc, .pragma or a variable");
    return false;
}

/* statement := block | ';' | directive | label | {guard} instruction ';' */
void tw_ptx_parser_statement(struct parser *p)
{
    bool ok = true;
    if (tw_ptx_parser_is(p, '{')) {
        if (!too_deep(p))
            open_block(p);
        return;
    }
    if (tw_ptx_parser_accept(p, ';'))
        return;
    if (p->lx.tok.kind == TOK_DIRECTIVE)
        ok = parse_directive_statement(p);
    else if (p->lx.tok.kind == TOK_NAME && next_is_label_colon(p))
        ok = parse_label(p);
    else if (p->lx.tok.kind == TOK_NAME || tw_ptx_parser_is(p, '@'))
        ok = tw_ptx_parser_inst(p);
    else
        ok = tw_ptx_parser_expected(p, "an instruction, a label or a directive");
    if (!ok)
        tw_ptx_parser_recover(p);
}

/* A text that ends inside a body is told once: a statement that was cut off has said so already. */
static struct diag *end_of_text(struct parser *p)
{
    struct diag *const last = p->diags->list.len == 0 ? NULL : p->diags->list.at[p->diags->list.len - 1];
    const uint32_t end = tw_ptx_parser_here(p).begin;
    const bool cut_off = last != NULL && last->at.file == p->file && (last->code == E0501 ? last->at.begin : last->at.end) == end;
    if (cut_off && (last->code == E0501 || last->code == E0503)) /* E0503: a comment that does not end */
        return last;
    return tw_ptx_parser_unexpected(p, "'}' at the end of the body");
}

void tw_ptx_parser_body(struct parser *p)
{
    uint32_t opening = p->lx.tok.begin;
    bool closed = false;
    p->depth = 0;
    tw_lex_next(&p->lx);
    for (;;) {
        if (p->lx.tok.kind == TOK_END) {
            if (p->depth < TW_MAX_NESTING)
                tw_diag_note(end_of_text(p), tw_ptx_parser_span(p, opening, opening + 1), "the body begins here");
            break;
        }
        if (tw_ptx_parser_is(p, '}')) {
            tw_lex_next(&p->lx);
            closed = p->depth == 0;
            if (closed)
                break;
            p->depth--;
            add_stmt(p, STMT_CLOSE, 0);
            tw_names_close(&p->names);
            continue;
        }
        tw_ptx_parser_statement(p);
    }
    while (p->depth > 0) {
        p->depth--;
        tw_names_close(&p->names);
    }
    if (p->lx.tok.kind == TOK_END && !closed)
        return; /* labels may have stood where the text is cut off */
    resolve_pending(p);
}
