/* Loading: module variables get memory and their initial bytes. */
#include "machine/program.h"

#include "base/bits.h"
#include "machine/internal.h"
#include "machine/shared_layout.h"

#include <string.h>

static uint64_t element_bytes(const struct ptx_var *v)
{
    return isa_type_bits(v->type) / 8;
}

/* What a symbol in an initialiser stands for. generic() adds the window of the symbol's space. */
static uint64_t symbol_value(const struct program *p, const struct ptx_init *init)
{
    if (init->base == BASE_FUNC)
        return code_address(tw_definition_of(p->module, init->index)) + (uint64_t)init->value;
    const struct ptx_var *const v = &p->module->vars.at[init->index];
    uint64_t at = p->var_at[init->index] + (uint64_t)init->value;
    if (init->kind == INIT_GENERIC && v->space == MOD_CONST)
        at += TW_WINDOW_CONST;
    return at;
}

static void write_initial(const struct program *p, const struct ptx_var *v, uint8_t *to)
{
    const uint64_t bytes = element_bytes(v);
    for (uint32_t i = 0; i < v->init.len; i++) {
        const struct ptx_init *const init = &v->init.at[i];
        uint64_t value = (uint64_t)init->value;
        if (init->kind == INIT_ADDRESS || init->kind == INIT_GENERIC)
            value = symbol_value(p, init);
        if (init->mask != 0)
            value = value >> (8 * (init->mask - 1)) & 0xff;
        const uint64_t at = init->element * bytes;
        if (at >= v->bytes || bytes > v->bytes - at)
            continue; /* more values than the array has elements */
        memcpy(to + at, &value, bytes < sizeof value ? (size_t)bytes : sizeof value);
    }
}

static bool refuse(struct diags *diags, const struct ptx_var *v, const char *why)
{
    struct diag *const d = tw_diag(diags, E0716, v->at, "variable '%s' cannot be loaded", v->name);
    tw_diag_found(d, "%s", why);
    return false;
}

static bool no_memory(const struct program *p, struct diags *diags, const struct ptx_var *v)
{
    struct diag *const d = tw_diag(diags, E0707, v->at, "the limit on memory was reached: variable '%s' has no place", v->name);
    tw_diag_found(d, "%llu bytes wanted, %llu in use", (unsigned long long)v->bytes, (unsigned long long)tw_memory_used(p->memory));
    tw_diag_fix(d, "raise --max-memory, if the module needs more");
    return false;
}

static bool place_var(struct program *p, struct diags *diags, uint32_t index, uint64_t *const_next)
{
    const struct ptx_var *const v = &p->module->vars.at[index];
    if (v->space == MOD_GLOBAL) {
        if (v->linkage == LINK_EXTERN)
            return refuse(diags, v, "it is .extern and no other module defines it");
        p->var_at[index] = tw_memory_alloc(p->memory, v->bytes, v->name);
        return p->var_at[index] != 0 || no_memory(p, diags, v);
    }
    if (v->space == MOD_CONST) {
        enum { CONST_BYTES = 64 << 10 }; /* SOURCE: ptx-async.md 8.1, constant memory of a module */
        const uint64_t at = align_up(*const_next, v->align == 0 ? 1 : v->align);
        if (at > CONST_BYTES || v->bytes > CONST_BYTES - at)
            return refuse(diags, v, "constant memory holds 65536 bytes");
        p->var_at[index] = at;
        *const_next = at + v->bytes;
    }
    return true;
}

struct program *tw_program_load(struct arena *arena, struct diags *diags, const struct ptx_module *module, struct memory *memory)
{
    struct program *const p = arena_new(arena, struct program, 1);
    *p = (struct program){.arena = arena, .module = module, .memory = memory};
    p->var_at = arena_new(arena, uint64_t, module->vars.len + 1);
    uint64_t const_next = 0;
    for (uint32_t i = 0; i < module->vars.len; i++)
        if (!place_var(p, diags, i, &const_next))
            return NULL;
    p->const_size = (uint32_t)const_next;
    p->const_bytes = tw_arena_alloc(arena, 1, p->const_size + 16);
    for (uint32_t i = 0; i < module->vars.len; i++) {
        const struct ptx_var *const v = &module->vars.at[i];
        if (v->space == MOD_CONST)
            write_initial(p, v, p->const_bytes + p->var_at[i]);
        else if (v->space == MOD_GLOBAL && v->bytes != 0)
            write_initial(p, v, tw_memory_at(memory, p->var_at[i], v->bytes));
    }
    return p;
}

uint64_t tw_program_symbol(const struct program *p, const char *name)
{
    const uint32_t at = tw_ptx_find_var(p->module, tw_str(name));
    return at == PTX_NONE || p->module->vars.at[at].space != MOD_GLOBAL ? 0 : p->var_at[at];
}

static const struct ptx_func *find_entry(const struct ptx_module *m, const char *entry, struct diags *diags)
{
    const uint32_t at = tw_ptx_find_func(m, tw_str(entry));
    if (at != PTX_NONE && m->funcs.at[at].is_entry && m->funcs.at[at].has_body)
        return &m->funcs.at[at];
    struct diag *const d = tw_diag(diags, E0717, (struct src_span){0}, "the module has no kernel '%s'", entry);
    struct text names;
    tw_text_init(&names, diags->arena);
    for (uint32_t i = 0; i < m->funcs.len; i++)
        if (m->funcs.at[i].is_entry && m->funcs.at[i].has_body)
            tw_text_addf(&names, "%s'%s'", names.len == 0 ? "" : ", ", m->funcs.at[i].name);
    tw_diag_expected(d, "%s", names.len == 0 ? "a module with an .entry" : names.at);
    return NULL;
}

const struct ptx_func *tw_program_entry(const struct program *p, const char *entry, struct diags *diags)
{
    return find_entry(p->module, entry, diags);
}

bool tw_module_params(struct arena *arena, const struct ptx_module *m, const char *entry, struct diags *diags, struct param_layout *out)
{
    const struct ptx_func *const f = find_entry(m, entry, diags);
    if (f == NULL)
        return false;
    struct param_slot *const slots = arena_new(arena, struct param_slot, f->param_count + 1);
    for (uint32_t i = 0; i < f->param_count; i++)
        slots[i] = (struct param_slot){f->vars.at[i].name, (uint32_t)f->vars.at[i].offset, (uint32_t)f->vars.at[i].bytes,
                                       f->vars.at[i].align};
    *out = (struct param_layout){f->param_count, (uint32_t)f->param_bytes, slots};
    return true;
}

bool tw_program_params(const struct program *p, const char *entry, struct diags *diags, struct param_layout *out)
{
    return tw_module_params(p->arena, p->module, entry, diags, out);
}
