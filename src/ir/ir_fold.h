/* Exact evaluation of one operation on constants: what the emitted instructions would compute. */
#ifndef TW_IR_IR_FOLD_H
#define TW_IR_IR_FOLD_H

#include "ir/ir.h"

/* A word in the form an IR_CONST keeps it: integers sign- or zero-extended, bools 0 or 1. */
uint64_t tw_ir_normalize(struct ir_type t, uint64_t bits);

/* False where the operation cannot be decided ahead of time: division by zero, approximate functions. */
bool tw_ir_fold_unary(enum ir_op op, struct ir_type to, struct ir_type from, uint64_t a, uint64_t *out);
bool tw_ir_fold_binary(enum ir_op op, struct ir_type t, uint64_t a, uint64_t b, uint64_t *out);

#endif
