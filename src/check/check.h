/* Static checks over a PTX module: what is certain or possible on some path through its text, without running it. */
#ifndef TW_CHECK_CHECK_H
#define TW_CHECK_CHECK_H

#include "diag/diag.h"
#include "ptx/module.h"

/* Everything that this room finds in the text. Scratch memory is taken from the arena, which is not that of
 * the diagnostics, and given back. */
void tw_check_module(struct arena *arena, const struct ptx_module *module, struct diags *diags);

/* Registers of tcgen05.ld that some path reads before tcgen05.wait::ld. */
void tw_check_tensor_loads(struct arena *arena, const struct ptx_module *module, const struct ptx_func *f, struct diags *diags);

/* ", k.py:12" where a .loc stands before the instruction, else "". */
const char *tw_check_source(const struct ptx_module *module, const struct ptx_func *f, const struct ptx_inst *inst, struct arena *arena);

#endif
