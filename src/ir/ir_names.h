/* Facts about operations that builder, verifier, printer and emitter share: one row each. */
#ifndef TW_IR_IR_NAMES_H
#define TW_IR_IR_NAMES_H

#include "ir/ir.h"

struct ir_op_row {
    const char *name;
    uint8_t arity;     /* operands in args */
    const char *infix; /* spelling between two operands, or NULL: printed as a call */
};

const struct ir_op_row *tw_ir_op_row(enum ir_op op);
const char *tw_ir_coord_name(enum ir_coord c);
unsigned tw_ir_cuda_arity(enum ir_cuda c);
bool tw_ir_is_integer(struct ir_type t);

static inline bool ir_op_is_comparison(enum ir_op op)
{
    return op >= IR_EQ && op <= IR_GE;
}
static inline bool ir_op_is_shift(enum ir_op op)
{
    return op == IR_SHL || op == IR_SHR;
}

#endif
