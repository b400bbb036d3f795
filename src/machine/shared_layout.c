/* Shared memory of a kernel: the module's and the functions' variables that it can reach, in the
 * order of declaration, from the end of the reserved part; then dynamic shared memory, at which all
 * extern arrays begin. */
#include "machine/shared_layout.h"

#include "base/bits.h"
#include "base/limits.h"
#include "ptx/reach.h"

static bool is_dynamic(const struct ptx_var *v)
{
    return v->linkage == LINK_EXTERN && v->bytes == 0;
}

static uint64_t place(const struct ptx_var *v, uint64_t *next, uint64_t *dynamic_align)
{
    const uint64_t align = v->align == 0 ? 1 : v->align;
    if (is_dynamic(v)) {
        if (align > *dynamic_align)
            *dynamic_align = align;
        return 0;
    }
    const uint64_t at = align_up(*next, align);
    *next = at + v->bytes;
    return at;
}

/* Dynamic arrays take the place that is known only now. */
static void settle_dynamic(struct shared_layout *l)
{
    for (uint32_t i = 0; i < l->module->vars.len; i++)
        if (l->module->vars.at[i].space == MOD_SHARED && is_dynamic(&l->module->vars.at[i]))
            l->module_at[i] = l->dynamic_at;
    for (uint32_t f = 0; f < l->module->funcs.len; f++)
        for (uint32_t i = 0; l->func_at[f] != NULL && i < l->module->funcs.at[f].vars.len; i++)
            if (l->module->funcs.at[f].vars.at[i].space == MOD_SHARED && is_dynamic(&l->module->funcs.at[f].vars.at[i]))
                l->func_at[f][i] = l->dynamic_at;
}

static uint32_t clamp32(uint64_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

const struct shared_layout *tw_shared_layout_make(struct arena *arena, const struct ptx_module *m, const struct ptx_func *entry)
{
    const struct ptx_reach r = tw_ptx_reach(arena, m, entry);
    struct shared_layout *const l = arena_new(arena, struct shared_layout, 1);
    l->module = m;
    l->module_at = arena_new(arena, uint32_t, m->vars.len + 1);
    l->func_at = arena_new(arena, uint32_t *, m->funcs.len + 1);
    uint64_t next = TW_SHARED_RESERVED_BYTES, dynamic_align = 1;
    for (uint32_t i = 0; i < m->vars.len; i++)
        if (m->vars.at[i].space == MOD_SHARED && r.vars[i]) {
            l->has_dynamic |= is_dynamic(&m->vars.at[i]);
            l->module_at[i] = clamp32(place(&m->vars.at[i], &next, &dynamic_align));
        }
    for (uint32_t f = 0; f < m->funcs.len; f++) {
        const struct ptx_func *const func = &m->funcs.at[f];
        if (!r.funcs[f])
            continue;
        l->func_at[f] = arena_new(arena, uint32_t, func->vars.len + 1);
        for (uint32_t i = 0; i < func->vars.len; i++)
            if (func->vars.at[i].space == MOD_SHARED) {
                l->has_dynamic |= is_dynamic(&func->vars.at[i]);
                l->func_at[f][i] = clamp32(place(&func->vars.at[i], &next, &dynamic_align));
            }
    }
    l->static_end = clamp32(next);
    l->dynamic_at = clamp32(align_up(next, dynamic_align));
    settle_dynamic(l);
    return l;
}

uint32_t tw_shared_place_of(const struct shared_layout *l, const struct ptx_func *f, uint32_t var)
{
    const uint32_t *const at = l->func_at[f - l->module->funcs.at];
    return at == NULL ? 0 : at[var];
}
