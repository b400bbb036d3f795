/* Tile operations: checked and lowered.
 *
 * Lowering takes a kernel as the language built it and leaves one without tile operations, views or register
 * tensors that are indexed at run time:
 *   1. loops that index a register-resident local tensor, and T.unroll loops, are unrolled (registers.c);
 *   2. every tile operation becomes IR_PTX statements, after its whole operand contract was checked (engine.c and
 *      one file a family);
 *   3. element accesses become (storage, element offset) with the offset spelled out (address.c).
 * Nothing else is inserted. */
#ifndef TW_TILE_TILE_H
#define TW_TILE_TILE_H

#include "diag/diag.h"
#include "ir/ir.h"
#include "isa/isa.h"

/* False after diagnostics; the kernel is then of no further use. */
bool tw_tile_lower(struct ir_kernel *k, const struct isa *isa, struct diags *diags);

/* The tile families, for listings: how an opcode starts, and one line on what it does. NULL past the last. */
const char *tw_tile_family_name(uint32_t index);

#endif
