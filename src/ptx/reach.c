#include "ptx/reach.h"

uint32_t tw_definition_of(const struct ptx_module *m, uint32_t func)
{
    const struct ptx_func *const f = &m->funcs.at[func];
    if (f->is_alias)
        return f->alias_of;
    const uint32_t definition = f->has_body ? func : tw_ptx_find_func(m, tw_str(f->name));
    return definition == PTX_NONE ? func : definition;
}

static void reach_func(struct ptx_reach *r, uint32_t func)
{
    func = tw_definition_of(r->module, func);
    if (r->funcs[func])
        return;
    r->funcs[func] = true;
    r->order[r->count++] = func;
}

static void reach_operand(struct ptx_reach *r, const struct ptx_func *f, const struct ptx_operand *o)
{
    if (o->kind == OPERAND_FUNC || ((o->kind == OPERAND_SYMBOL || o->kind == OPERAND_ADDRESS) && o->base == BASE_FUNC))
        reach_func(r, o->index);
    else if ((o->kind == OPERAND_SYMBOL || o->kind == OPERAND_ADDRESS) && o->base == BASE_GLOBAL)
        r->vars[o->index] = true;
    else if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_LIST || o->kind == OPERAND_TENSOR)
        for (uint32_t i = 0; i < o->count; i++)
            reach_operand(r, f, &tw_ptx_elements(f, o)[i]);
}

static void reach_body(struct ptx_reach *r, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->insts.len; i++)
        for (uint32_t k = 0; k < f->insts.at[i].form->operand_count; k++)
            reach_operand(r, f, &tw_ptx_operands(f, &f->insts.at[i])[k]);
    for (uint32_t i = 0; i < f->tables.len; i++)
        if (f->tables.at[i].kind == TABLE_CALL_TARGETS)
            for (uint32_t k = 0; k < f->tables.at[i].targets.len; k++)
                reach_func(r, f->tables.at[i].targets.at[k]);
}

/* Functions whose address stands in a variable's initialiser can be called through it. */
static void reach_tables(struct ptx_reach *r)
{
    for (uint32_t i = 0; i < r->module->vars.len; i++)
        for (uint32_t k = 0; k < r->module->vars.at[i].init.len; k++) {
            const struct ptx_init *const init = &r->module->vars.at[i].init.at[k];
            if ((init->kind == INIT_ADDRESS || init->kind == INIT_GENERIC) && init->base == BASE_FUNC)
                reach_func(r, init->index);
        }
}

struct ptx_reach tw_ptx_reach(struct arena *arena, const struct ptx_module *m, const struct ptx_func *entry)
{
    struct ptx_reach r = {.module = m};
    r.funcs = arena_new(arena, bool, m->funcs.len + 1);
    r.vars = arena_new(arena, bool, m->vars.len + 1);
    r.order = arena_new(arena, uint32_t, m->funcs.len + 1);
    reach_func(&r, (uint32_t)(entry - m->funcs.at));
    reach_tables(&r);
    for (uint32_t i = 0; i < r.count; i++)
        reach_body(&r, &m->funcs.at[r.order[i]]);
    return r;
}
