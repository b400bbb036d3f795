/* Structural equality of modules: everything but positions. */
#include "ptx/module.h"

#include "base/text.h"

#include <string.h>

struct comparison {
    const struct ptx_module *a, *b;
    const struct ptx_func *fa, *fb;
    struct arena *arena;
    const char *why;
};

static bool differ(struct comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool differ(struct comparison *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    c->why = tw_formatv(c->arena, format, args);
    va_end(args);
    return false;
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool has_index(const struct ptx_operand *o)
{
    return o->kind == OPERAND_REG || o->kind == OPERAND_SREG || o->kind == OPERAND_LABEL || o->kind == OPERAND_FUNC ||
           o->kind == OPERAND_TABLE ||
           ((o->kind == OPERAND_SYMBOL || o->kind == OPERAND_ADDRESS) && o->base != BASE_ABSOLUTE);
}

static bool same_operand(const struct comparison *c, const struct ptx_operand *a, const struct ptx_operand *b)
{
    if (a->kind != b->kind || a->negated != b->negated || a->value != b->value || a->base != b->base ||
        a->component != b->component || a->count != b->count || (has_index(a) && a->index != b->index))
        return false;
    if (a->kind == OPERAND_VECTOR || a->kind == OPERAND_LIST || a->kind == OPERAND_TENSOR)
        for (uint32_t i = 0; i < a->count; i++)
            if (!same_operand(c, &c->fa->pool.at[a->index + i], &c->fb->pool.at[b->index + i]))
                return false;
    return true;
}

static bool same_inst(struct comparison *c, uint32_t at)
{
    const struct ptx_inst *a = &c->fa->insts.at[at], *b = &c->fb->insts.at[at];
    if (a->form->id != b->form->id || memcmp(a->mods, b->mods, a->form->elem_count * sizeof *a->mods) != 0)
        return differ(c, "%s: instruction %u is %s here and %s there", c->fa->name, at, a->form->name, b->form->name);
    if (a->guard != b->guard || a->guard_negated != b->guard_negated || a->loc != b->loc)
        return differ(c, "%s: instruction %u differs in guard or source line", c->fa->name, at);
    for (unsigned i = 0; i < a->form->operand_count; i++)
        if (!same_operand(c, &c->fa->pool.at[a->operands + i], &c->fb->pool.at[b->operands + i]))
            return differ(c, "%s: instruction %u (%s) differs in operand %u", c->fa->name, at, a->form->name, i);
    return true;
}

static bool same_init(const struct ptx_var *a, const struct ptx_var *b)
{
    if (a->has_init != b->has_init || a->init.len != b->init.len)
        return false;
    for (uint32_t i = 0; i < a->init.len; i++) {
        const struct ptx_init *x = &a->init.at[i], *y = &b->init.at[i];
        if (x->kind != y->kind || x->base != y->base || x->mask != y->mask || x->index != y->index ||
            x->element != y->element || x->value != y->value)
            return false;
    }
    return true;
}

static bool same_var(const struct ptx_var *a, const struct ptx_var *b)
{
    return same_name(a->name, b->name) && a->space == b->space && a->type == b->type && a->vec == b->vec &&
           a->linkage == b->linkage && a->dim_count == b->dim_count && a->managed == b->managed &&
           a->open_array == b->open_array && a->is_ptr == b->is_ptr && a->ptr_space == b->ptr_space &&
           a->ptr_align == b->ptr_align && a->align == b->align && a->align_written == b->align_written &&
           memcmp(a->dims, b->dims, sizeof a->dims) == 0 && a->bytes == b->bytes && a->offset == b->offset &&
           a->reg == b->reg && same_init(a, b);
}

static bool same_param_types(const struct ptx_param_type *a, const struct ptx_param_type *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].type != b[i].type || a[i].in_reg != b[i].in_reg || a[i].is_array != b[i].is_array ||
            a[i].align != b[i].align || a[i].count != b[i].count)
            return false;
    return true;
}

static bool same_table(const struct ptx_table *a, const struct ptx_table *b)
{
    return a->kind == b->kind && same_name(a->name, b->name) && a->noreturn == b->noreturn &&
           a->targets.len == b->targets.len && a->rets.len == b->rets.len && a->params.len == b->params.len &&
           (a->targets.len == 0 || memcmp(a->targets.at, b->targets.at, a->targets.len * sizeof *a->targets.at) == 0) &&
           same_param_types(a->rets.at, b->rets.at, a->rets.len) &&
           same_param_types(a->params.at, b->params.at, a->params.len);
}

static bool same_loc(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column && a->inlined == b->inlined &&
           same_name(a->function_name, b->function_name) && a->function_offset == b->function_offset &&
           a->at_file == b->at_file && a->at_line == b->at_line && a->at_column == b->at_column;
}

static bool same_directives(const struct ptx_directives *a, const struct ptx_directives *b)
{
    return memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) == 0 &&
           memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) == 0 &&
           memcmp(a->reqnctapercluster, b->reqnctapercluster, sizeof a->reqnctapercluster) == 0 &&
           a->maxntid_dims == b->maxntid_dims && a->reqntid_dims == b->reqntid_dims &&
           a->reqnctapercluster_dims == b->reqnctapercluster_dims && a->minnctapersm == b->minnctapersm &&
           a->maxnctapersm == b->maxnctapersm && a->maxnreg == b->maxnreg && a->maxclusterrank == b->maxclusterrank &&
           a->explicitcluster == b->explicitcluster && a->blocksareclusters == b->blocksareclusters &&
           a->noreturn == b->noreturn && a->abi_preserve == b->abi_preserve &&
           a->abi_preserve_control == b->abi_preserve_control;
}

static bool same_declarations(struct comparison *c)
{
    const struct ptx_func *a = c->fa, *b = c->fb;
    for (uint32_t i = 0; i < a->vars.len; i++)
        if (!same_var(&a->vars.at[i], &b->vars.at[i]))
            return differ(c, "%s: variable '%s' differs", a->name, a->vars.at[i].name);
    for (uint32_t i = 0; i < a->regs.len; i++)
        if (a->regs.at[i].type != b->regs.at[i].type || a->regs.at[i].number != b->regs.at[i].number ||
            a->regs.at[i].component != b->regs.at[i].component ||
            !same_name(a->regs.at[i].name, b->regs.at[i].name))
            return differ(c, "%s: register %u differs", a->name, i);
    for (uint32_t i = 0; i < a->labels.len; i++)
        if (a->labels.at[i].inst != b->labels.at[i].inst || !same_name(a->labels.at[i].name, b->labels.at[i].name))
            return differ(c, "%s: label '%s' differs", a->name, a->labels.at[i].name);
    for (uint32_t i = 0; i < a->tables.len; i++)
        if (!same_table(&a->tables.at[i], &b->tables.at[i]))
            return differ(c, "%s: table '%s' differs", a->name, a->tables.at[i].name);
    for (uint32_t i = 0; i < a->locs.len; i++)
        if (!same_loc(&a->locs.at[i], &b->locs.at[i]))
            return differ(c, "%s: .loc %u differs", a->name, i);
    return true;
}

static bool same_names(const char *const *a, const char *const *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!same_name(a[i], b[i]))
            return false;
    return true;
}

static bool same_sizes(const struct ptx_func *a, const struct ptx_func *b)
{
    return a->param_count == b->param_count && a->ret_count == b->ret_count && a->vars.len == b->vars.len &&
           a->regs.len == b->regs.len && a->labels.len == b->labels.len && a->insts.len == b->insts.len &&
           a->tables.len == b->tables.len && a->locs.len == b->locs.len && a->pragmas.len == b->pragmas.len &&
           a->header_pragmas.len == b->header_pragmas.len && a->reg_decls.len == b->reg_decls.len &&
           a->stmts.len == b->stmts.len && a->param_bytes == b->param_bytes;
}

static bool same_func(struct comparison *c)
{
    const struct ptx_func *a = c->fa, *b = c->fb;
    if (!same_name(a->name, b->name) || a->is_entry != b->is_entry || a->has_body != b->has_body ||
        a->linkage != b->linkage || a->is_alias != b->is_alias || a->alias_of != b->alias_of)
        return differ(c, "function '%s' differs in name, kind or linkage", a->name);
    if (!same_sizes(a, b))
        return differ(c, "%s: the numbers of declarations or instructions differ", a->name);
    if (!same_directives(&a->directives, &b->directives))
        return differ(c, "%s: launch directives differ", a->name);
    if (!same_names(a->pragmas.at, b->pragmas.at, a->pragmas.len) ||
        !same_names(a->header_pragmas.at, b->header_pragmas.at, a->header_pragmas.len))
        return differ(c, "%s: pragmas differ", a->name);
    if (!same_declarations(c))
        return false;
    for (uint32_t i = 0; i < a->stmts.len; i++)
        if (a->stmts.at[i].kind != b->stmts.at[i].kind || a->stmts.at[i].index != b->stmts.at[i].index)
            return differ(c, "%s: statement %u differs in kind", a->name, i);
    for (uint32_t i = 0; i < a->insts.len; i++)
        if (!same_inst(c, i))
            return false;
    return true;
}

static bool same_heads(const struct ptx_module *a, const struct ptx_module *b)
{
    return a->env.ptx == b->env.ptx && a->env.target.sm == b->env.target.sm &&
           a->env.target.suffix == b->env.target.suffix && a->address_size == b->address_size &&
           a->vars.len == b->vars.len && a->funcs.len == b->funcs.len && a->files.len == b->files.len &&
           a->sections.len == b->sections.len && a->pragmas.len == b->pragmas.len && a->items.len == b->items.len &&
           a->target_options.len == b->target_options.len &&
           same_names(a->target_options.at, b->target_options.at, a->target_options.len) &&
           same_names(a->pragmas.at, b->pragmas.at, a->pragmas.len);
}

bool tw_ptx_module_equal(const struct ptx_module *a, const struct ptx_module *b, struct arena *arena, const char **why)
{
    struct comparison c = {.a = a, .b = b, .arena = arena};
    bool same = same_heads(a, b) || differ(&c, "headers or the numbers of items differ");
    for (uint32_t i = 0; same && i < a->vars.len; i++)
        same = same_var(&a->vars.at[i], &b->vars.at[i]) || differ(&c, "variable '%s' differs", a->vars.at[i].name);
    for (uint32_t i = 0; same && i < a->files.len; i++)
        same = (a->files.at[i].number == b->files.at[i].number && same_name(a->files.at[i].name, b->files.at[i].name)) ||
               differ(&c, ".file %u differs", a->files.at[i].number);
    for (uint32_t i = 0; same && i < a->sections.len; i++)
        same = tw_str_eq(a->sections.at[i].body, b->sections.at[i].body) || differ(&c, "section %u differs", i);
    for (uint32_t i = 0; same && i < a->items.len; i++)
        same = a->items.at[i].kind == b->items.at[i].kind || differ(&c, "item %u differs in kind", i);
    for (uint32_t i = 0; same && i < a->funcs.len; i++) {
        c.fa = &a->funcs.at[i];
        c.fb = &b->funcs.at[i];
        same = same_func(&c);
    }
    if (why != NULL)
        *why = c.why;
    return same;
}
