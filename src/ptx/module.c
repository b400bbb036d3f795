#include "ptx/module.h"

#include "base/text.h"

const struct ptx_operand tw_ptx_no_operand = {.kind = OPERAND_NONE};

uint32_t tw_ptx_find_func(const struct ptx_module *m, struct str name)
{
    uint32_t found = PTX_NONE;
    for (uint32_t i = 0; i < m->funcs.len; i++) {
        if (!tw_str_is(name, m->funcs.at[i].name))
            continue;
        if (found == PTX_NONE || m->funcs.at[i].has_body || m->funcs.at[i].is_alias)
            found = i;
    }
    return found;
}

uint32_t tw_ptx_find_var(const struct ptx_module *m, struct str name)
{
    uint32_t found = PTX_NONE;
    for (uint32_t i = 0; i < m->vars.len; i++)
        if (tw_str_is(name, m->vars.at[i].name) && (found == PTX_NONE || m->vars.at[i].linkage != LINK_EXTERN))
            found = i;
    return found;
}

const struct ptx_var *tw_ptx_var_of(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_operand *o)
{
    if (o->kind != OPERAND_SYMBOL && o->kind != OPERAND_ADDRESS)
        return NULL;
    if (o->base == BASE_VAR)
        return &f->vars.at[o->index];
    return o->base == BASE_GLOBAL ? &m->vars.at[o->index] : NULL;
}

const char *tw_ptx_reg_name(const struct ptx_reg *reg, struct arena *arena)
{
    const char *const name = reg->number == PTX_NONE ? reg->name : tw_format(arena, "%s%u", reg->name, reg->number);
    return reg->component == '\0' ? name : tw_format(arena, "%s.%c", name, reg->component);
}

const struct ptx_file *tw_ptx_find_file(const struct ptx_module *m, uint32_t number)
{
    for (uint32_t i = 0; i < m->files.len; i++)
        if (m->files.at[i].number == number)
            return &m->files.at[i];
    return NULL;
}
