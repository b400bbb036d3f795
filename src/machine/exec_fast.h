/* Execution functions that do with the host's arithmetic, over vectors of lanes, what the definitions of src/num do
 * lane by lane. Each is chosen while decoding and may be deleted: the definitions remain. tests/machine/float_test.c and
 * convert_test.c hold them equal. */
#ifndef TW_MACHINE_EXEC_FAST_H
#define TW_MACHINE_EXEC_FAST_H

#include "machine/decode.h"
#include "num/arith.h"
#include "num/convert.h"

/* A function for the operation on all-f32 or all-f64 operands, or NULL. `slow` goes on to handle lanes that it passes on. */
exec_fn *tw_fast_float(enum isa_op op, unsigned type, const struct num_ops *how);
/* A function for the conversion of one word, or NULL. The destination's slot is 32 bits wide. */
exec_fn *tw_fast_convert(const struct num_convert_how *how);

#endif
