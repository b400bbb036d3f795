/* Calls of T.ptx as earlier revisions spell them. */
#ifndef TW_LANG_PTX_OLD_H
#define TW_LANG_PTX_OLD_H

#include "lang/eval.h"

/* The row that reads this call, or NULL. Only an attribute chain that is no instruction by itself can be one. */
const struct builtin *tw_ptx_old_form(const struct opcode *o, const struct args *args);

#endif
