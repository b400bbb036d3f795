/* Where a virtual register's value is needed. */
#ifndef TW_MACHINE_LIVENESS_H
#define TW_MACHINE_LIVENESS_H

#include "ptx/module.h"

/* Instructions [first, last] that hold every place where the register is written, read, or carries a value that may be
 * read later. first > last: no instruction names it. */
struct live_range {
    uint32_t first, last;
};

/* One range for each of f->regs. */
struct live_range *tw_liveness_ranges(struct arena *arena, const struct ptx_func *f);

/* Calls `visit` for every register that the instruction names: its guard, operands, and elements of vectors. */
typedef void register_visit_fn(void *context, uint32_t reg, bool read, bool write);
void tw_liveness_visit(const struct ptx_func *f, const struct ptx_inst *in, register_visit_fn *visit, void *context);

#endif
