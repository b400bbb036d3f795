/* What an entry can reach: the functions that it may call, directly, through tables or by address, and the module's variables
 * that they name. Shared memory is theirs alone: ptxas gives an entry only the variables that it can reach. */
#ifndef TW_PTX_REACH_H
#define TW_PTX_REACH_H

#include "ptx/module.h"

struct ptx_reach {
    const struct ptx_module *module;
    bool *funcs, *vars; /* of module->funcs and module->vars */
    uint32_t *order;    /* the functions, in the order in which they were found; the entry is the first */
    uint32_t count;
};

struct ptx_reach tw_ptx_reach(struct arena *arena, const struct ptx_module *m, const struct ptx_func *entry);

/* The function that a prototype or an alias stands for; itself where it has a body, or where nothing defines it. */
uint32_t tw_definition_of(const struct ptx_module *m, uint32_t func);

#endif
