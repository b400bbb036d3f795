/* Text that a kernel prints. */
#ifndef TW_MACHINE_FORMAT_OUTPUT_H
#define TW_MACHINE_FORMAT_OUTPUT_H

#include "machine/internal.h"

/* Appends the NUL-terminated guest string at a generic address; false after a fault. */
bool tw_guest_string(struct warp *w, uint32_t lane, uint64_t address, struct text *out);
/* vprintf: format and argument block are generic addresses. Returns the number of arguments, negative after a fault. */
int64_t tw_format_output(struct warp *w, uint32_t lane, uint64_t format, uint64_t arguments, struct text *out);

#endif
