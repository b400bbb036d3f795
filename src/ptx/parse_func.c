/* Entries and functions: header, launch directives, prototypes and aliases. */
#include "ptx/parse.h"

#include "base/bits.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

/* n {, n {, n}} */
static bool parse_dims3(struct parser *p, uint32_t dims[3], uint8_t *written)
{
    dims[0] = dims[1] = dims[2] = 1;
    *written = 0;
    do {
        uint64_t n;
        if (*written == 3)
            return tw_ptx_parser_expected(p, "at most three dimensions");
        if (!tw_ptx_parser_uint(p, "a count", UINT32_MAX, &n))
            return false;
        dims[(*written)++] = (uint32_t)n;
    } while (tw_ptx_parser_accept(p, ','));
    return true;
}

/* Directives with one number. MEASURED: ptxas 13.0 refuses a zero where one is the fewest. */
static const struct {
    const char *text;
    size_t offset;
    unsigned fewest;
} number_directives[] = {
    {".minnctapersm", offsetof(struct ptx_directives, minnctapersm), 1},
    {".maxnctapersm", offsetof(struct ptx_directives, maxnctapersm), 0},
    {".maxnreg", offsetof(struct ptx_directives, maxnreg), 1},
    {".maxclusterrank", offsetof(struct ptx_directives, maxclusterrank), 0},
    {".abi_preserve", offsetof(struct ptx_directives, abi_preserve), 0},
    {".abi_preserve_control", offsetof(struct ptx_directives, abi_preserve_control), 0},
};

static void too_few(struct parser *p, struct src_span at, size_t directive)
{
    struct diag *d = tw_diag(p->diags, E0514, at, "the count of '%s' is out of range", number_directives[directive].text);
    tw_diag_expected(d, "%u or more", number_directives[directive].fewest);
    tw_diag_found(d, "0");
    tw_diag_fix(d, "leave the directive away, if it is to bound nothing");
}

static bool parse_number_directive(struct parser *p, bool *taken)
{
    for (size_t i = 0; i < sizeof number_directives / sizeof number_directives[0]; i++)
        if (tw_ptx_parser_accept_directive(p, number_directives[i].text)) {
            const struct src_span at = tw_ptx_parser_here(p);
            uint64_t n;
            *taken = true;
            if (!tw_ptx_parser_uint(p, "a count", UINT32_MAX, &n))
                return false;
            if (n < number_directives[i].fewest)
                too_few(p, at, i);
            uint32_t *slot = (uint32_t *)(void *)((char *)&p->func->directives + number_directives[i].offset);
            *slot = (uint32_t)n;
            return true;
        }
    return true;
}

static bool parse_header_pragma(struct parser *p)
{
    do {
        const char *text;
        if (!tw_ptx_parser_string(p, &text))
            return false;
        *vec_push(p->arena, &p->func->header_pragmas) = text;
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ';', "after .pragma");
}

/* One launch directive; *taken is false when the current token begins none. */
static bool parse_directive(struct parser *p, bool *taken)
{
    struct ptx_directives *d = &p->func->directives;
    *taken = true;
    if (tw_ptx_parser_accept_directive(p, ".maxntid"))
        return parse_dims3(p, d->maxntid, &d->maxntid_dims);
    if (tw_ptx_parser_accept_directive(p, ".reqntid"))
        return parse_dims3(p, d->reqntid, &d->reqntid_dims);
    if (tw_ptx_parser_accept_directive(p, ".reqnctapercluster"))
        return parse_dims3(p, d->reqnctapercluster, &d->reqnctapercluster_dims);
    if (tw_ptx_parser_accept_directive(p, ".explicitcluster"))
        return d->explicitcluster = true;
    if (tw_ptx_parser_accept_directive(p, ".blocksareclusters"))
        return d->blocksareclusters = true;
    if (tw_ptx_parser_accept_directive(p, ".noreturn"))
        return d->noreturn = true;
    if (tw_ptx_parser_accept_directive(p, ".pragma"))
        return parse_header_pragma(p);
    *taken = false;
    return parse_number_directive(p, taken);
}

static bool parse_directives(struct parser *p)
{
    for (;;) {
        bool taken;
        if (!parse_directive(p, &taken))
            return false;
        if (taken)
            continue;
        if (p->lx.tok.kind != TOK_DIRECTIVE)
            return true;
        struct diag *d = tw_diag(p->diags, E0502, tw_ptx_parser_here(p), "unknown directive '" STR_FMT "'",
                                 STR_ARG(tw_lex_text(&p->lx, &p->lx.tok)));
        tw_diag_expected(d, "a launch directive such as .maxntid, or the body");
        return false;
    }
}

/* '(' {param {',' param}} ')' */
static bool parse_params(struct parser *p, bool is_entry, uint32_t *count)
{
    *count = 0;
    if (tw_ptx_parser_accept(p, ')'))
        return true;
    do {
        if (!tw_ptx_parser_param(p, is_entry))
            return false;
        ++*count;
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ')', "after the parameters");
}

/* Return values are read before the parameters but stand behind them. */
static void rotate_rets(struct parser *p, uint32_t rets)
{
    struct ptx_func *f = p->func;
    uint32_t n = f->vars.len;
    if (rets == 0 || n == rets)
        return;
    struct ptx_var *moved = arena_new(p->arena, struct ptx_var, n);
    memcpy(moved, f->vars.at + rets, (n - rets) * sizeof *moved);
    memcpy(moved + (n - rets), f->vars.at, rets * sizeof *moved);
    f->vars.at = moved;
    f->vars.cap = n;
    for (uint32_t i = 0; i < p->names.stack.len; i++) {
        struct binding *b = &p->names.stack.at[i];
        if (b->kind == NAME_VAR)
            b->index = b->index < rets ? b->index + n - rets : b->index - rets;
    }
}

/* Offsets of kernel parameters: in order, each aligned to its natural or written alignment.
 * SOURCE: PTX ISA, "Kernel Function Parameters". */
static void lay_out_params(struct ptx_func *f)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < f->param_count; i++) {
        struct ptx_var *v = &f->vars.at[i];
        at = align_up(at, v->align);
        v->offset = at;
        at += v->bytes;
    }
    f->param_bytes = at;
}

static bool same_shape(const struct ptx_func *a, const struct ptx_func *b)
{
    if (a->is_entry != b->is_entry || a->param_count != b->param_count || a->ret_count != b->ret_count)
        return false;
    for (uint32_t i = 0; i < a->param_count + a->ret_count; i++)
        if (a->vars.at[i].bytes != b->vars.at[i].bytes || a->vars.at[i].space != b->vars.at[i].space)
            return false;
    return true;
}

/* A prototype may be repeated and be followed by its definition; two definitions may not stand. */
static void enter_func(struct parser *p, uint32_t index, bool defines)
{
    struct ptx_func *f = &p->module->funcs.at[index];
    const uint32_t *known = tw_strmap_get(&p->funcs, tw_str(f->name));
    if (known == NULL) {
        tw_strmap_put(&p->funcs, tw_str(f->name), index);
        const struct binding *old;
        struct binding what = {.kind = NAME_FUNC, .index = index, .count = 1};
        if (!tw_names_declare(&p->names, tw_str(f->name), what, &old))
            tw_diag(p->diags, E0504, f->at, "'%s' is already declared as a variable", f->name);
        return;
    }
    const struct ptx_func *first = &p->module->funcs.at[*known];
    bool twice = defines && (first->has_body || first->is_alias);
    if (!twice && same_shape(first, f)) {
        if (defines)
            tw_strmap_put(&p->funcs, tw_str(f->name), index);
        return;
    }
    struct diag *d = tw_diag(p->diags, E0525, f->at, twice ? "'%s' is defined twice" : "'%s' does not match its declaration", f->name);
    tw_diag_note(d, first->at, twice ? "the first definition" : "the declaration");
}

static bool parse_func_header(struct parser *p, bool is_entry)
{
    uint32_t rets = 0, params = 0;
    if (!is_entry && tw_ptx_parser_accept(p, '(') && !parse_params(p, false, &rets))
        return false;
    if (!tw_ptx_parser_name(p, is_entry ? "the name of the entry" : "the name of the function", &p->func->name, &p->func->at))
        return false;
    if (tw_ptx_parser_accept(p, '(') && !parse_params(p, is_entry, &params))
        return false;
    p->func->param_count = params;
    p->func->ret_count = rets;
    rotate_rets(p, rets);
    lay_out_params(p->func);
    return parse_directives(p);
}

static void begin_func(struct parser *p, struct ptx_func *f, uint32_t index)
{
    p->func = f;
    p->func_index = index;
    p->loc = 0;
    p->pending.len = 0;
    tw_strmap_init(&p->labels, p->arena);
    tw_names_open(&p->names);
}

/* The function's own name is declared before its body, outside the scope of its parameters. */
static void declare_func(struct parser *p, uint32_t index, bool defines)
{
    struct names *n = &p->names;
    uint32_t params = n->stack.len - n->marks.at[n->marks.len - 1];
    struct binding *saved = arena_new(p->arena, struct binding, params);
    if (params > 0)
        memcpy(saved, n->stack.at + (n->stack.len - params), params * sizeof *saved);
    tw_names_close(n);
    enter_func(p, index, defines);
    tw_names_open(n);
    for (uint32_t i = 0; i < params; i++) {
        struct str name = {n->ids.entries.at[saved[i].name].key, n->ids.entries.at[saved[i].name].key_len};
        const struct binding *old;
        tw_names_declare(n, name, saved[i], &old);
    }
}

bool tw_ptx_parser_func(struct parser *p, enum ptx_linkage linkage, bool is_entry)
{
    uint32_t index = p->module->funcs.len;
    struct ptx_func *f = arena_new(p->arena, struct ptx_func, 1);
    *f = (struct ptx_func){.name = "", .is_entry = is_entry, .linkage = (uint8_t)linkage, .file = p->file};
    begin_func(p, f, index);
    bool ok = parse_func_header(p, is_entry);
    bool defines = ok && tw_ptx_parser_is(p, '{');
    if (ok && !defines)
        ok = tw_ptx_parser_expect(p, ';', "after the declaration, or a body in braces");
    f->has_body = defines;
    *vec_push(p->arena, &p->module->items) = (struct ptx_item){ITEM_FUNC, index};
    *vec_push(p->arena, &p->module->funcs) = *f;
    if (ok)
        declare_func(p, index, defines);
    if (defines)
        tw_ptx_parser_body(p);
    p->module->funcs.at[index] = *f;
    tw_names_close(&p->names);
    p->func = NULL;
    return ok;
}

/* .alias name, aliasee ; */
bool tw_ptx_parser_alias(struct parser *p)
{
    const char *name, *of;
    struct src_span at, of_at;
    if (!tw_ptx_parser_name(p, "the alias", &name, &at) || !tw_ptx_parser_expect(p, ',', "after the alias") ||
        !tw_ptx_parser_name(p, "the function behind the alias", &of, &of_at) || !tw_ptx_parser_expect(p, ';', "after .alias"))
        return false;
    const uint32_t *target = tw_strmap_get(&p->funcs, tw_str(of));
    if (target == NULL || p->module->funcs.at[*target].is_entry) {
        struct diag *d = tw_diag(p->diags, E0505, of_at, "unknown function '%s'", of);
        tw_diag_expected(d, "a device function declared before the alias");
        return false;
    }
    const struct ptx_func *aliasee = &p->module->funcs.at[*target];
    struct ptx_func f = {.name = name, .at = at, .file = p->file, .is_alias = true, .alias_of = *target,
                         .param_count = aliasee->param_count, .ret_count = aliasee->ret_count};
    for (uint32_t i = 0; i < aliasee->param_count + aliasee->ret_count; i++)
        *vec_push(p->arena, &f.vars) = aliasee->vars.at[i];
    uint32_t index = p->module->funcs.len;
    *vec_push(p->arena, &p->module->items) = (struct ptx_item){ITEM_FUNC, index};
    *vec_push(p->arena, &p->module->funcs) = f;
    enter_func(p, index, true);
    return true;
}
