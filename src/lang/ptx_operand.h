/* Operands of a raw instruction: arguments of the call, in order, matched with a form of the catalogue. */
#ifndef TW_LANG_PTX_OPERAND_H
#define TW_LANG_PTX_OPERAND_H

#include "lang/eval.h"

/* Can so many arguments be the operands of this form? Register groups are passed one by one. */
bool tw_ptx_takes_count(const struct isa_spelling *s, uint32_t count);
/* Does every argument fit its operand? Says nothing. */
bool tw_ptx_takes_kinds(struct eval *ev, const struct isa_spelling *s, const struct args *args);
/* Fills x->operands; false after a diagnostic. */
bool tw_ptx_read_operands(struct eval *ev, const struct isa_spelling *s, const struct args *args, bool preserve_dst,
                          struct ir_ptx *x);

#endif
