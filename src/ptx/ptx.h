/* Reading, checking and printing PTX text. */
#ifndef TW_PTX_PTX_H
#define TW_PTX_PTX_H

#include "base/text.h"
#include "diag/diag.h"
#include "ptx/module.h"

/* Parses and verifies the source file `file` of `diags->sources`. Always returns a module; it may be
 * used only if no error was added to `diags`. Linear in the length of the text. */
struct ptx_module *tw_ptx_parse(struct arena *arena, const struct isa *isa, struct diags *diags, uint32_t file);

/* Checks that need the whole module: legality for the module's version and target, operand types, address
 * spaces, immediates, calls against prototypes, launch directives. tw_ptx_parse has done it already;
 * call it for modules that were built. True if nothing was found. */
bool tw_ptx_verify(const struct ptx_module *module, struct diags *diags);

/* Canonical text: parsing it gives a structurally equal module. */
void tw_ptx_print(const struct ptx_module *module, struct text *out);
/* One instruction on one line, without the semicolon's newline; for messages and traces. */
void tw_ptx_print_inst(const struct ptx_module *module, const struct ptx_func *func, const struct ptx_inst *inst,
                       struct text *out);
void tw_ptx_print_operand(const struct ptx_module *module, const struct ptx_func *func,
                          const struct ptx_operand *operand, struct text *out);

#endif
