#include "check/check.h"

void tw_check_module(struct arena *arena, const struct ptx_module *module, struct diags *diags)
{
    for (uint32_t i = 0; i < module->funcs.len; i++) {
        const struct ptx_func *const f = &module->funcs.at[i];
        if (!f->has_body)
            continue;
        const struct arena_mark mark = tw_arena_mark(arena);
        tw_check_tensor_loads(arena, f, diags);
        tw_arena_rewind(arena, mark);
    }
}
