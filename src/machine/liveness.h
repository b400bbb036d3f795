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

#endif
