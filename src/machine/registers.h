/* Rows for virtual registers. */
#ifndef TW_MACHINE_REGISTERS_H
#define TW_MACHINE_REGISTERS_H

#include "ptx/module.h"

/* The byte offset of every register's row in the frame (REF_NONE for those that no instruction names), and the frame's size.
 * Kernels declare thousands of registers and use a part of them. */
uint32_t *tw_registers_assign(struct arena *arena, const struct ptx_func *f, uint32_t *frame_bytes);

#endif
