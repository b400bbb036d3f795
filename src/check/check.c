#include "check/check.h"

const char *tw_check_source(const struct ptx_module *module, const struct ptx_func *f, const struct ptx_inst *inst, struct arena *arena)
{
    if (inst->loc == 0)
        return "";
    const struct ptx_loc *const loc = &f->locs.at[inst->loc - 1];
    const struct ptx_file *const file = tw_ptx_find_file(module, loc->file);
    return tw_format(arena, ", %s:%u", file == NULL ? "?" : file->name, loc->line);
}

void tw_check_module(struct arena *arena, const struct ptx_module *module, struct diags *diags)
{
    for (uint32_t i = 0; i < module->funcs.len; i++) {
        const struct ptx_func *const f = &module->funcs.at[i];
        if (!f->has_body)
            continue;
        const struct arena_mark mark = tw_arena_mark(arena);
        tw_check_tensor_loads(arena, module, f, diags);
        tw_arena_rewind(arena, mark);
    }
}
