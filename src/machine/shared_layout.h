/* Where a kernel's shared variables lie in the shared window. SOURCE: ptx-async.md 5.2. */
#ifndef TW_MACHINE_SHARED_LAYOUT_H
#define TW_MACHINE_SHARED_LAYOUT_H

#include "ptx/reach.h"

struct shared_layout {
    uint32_t *module_at;   /* of module->vars; 0 where not shared or not reachable */
    uint32_t **func_at;    /* of module->funcs, then of their vars; NULL where a function is not reachable */
    const struct ptx_module *module;
    uint32_t static_end;
    uint32_t dynamic_at;   /* static_end, aligned for the dynamic arrays */
    bool has_dynamic;
};

const struct shared_layout *tw_shared_layout_make(struct arena *arena, const struct ptx_module *m, const struct ptx_func *entry);
uint32_t tw_shared_place_of(const struct shared_layout *l, const struct ptx_func *f, uint32_t var);

#endif
