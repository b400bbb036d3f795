/* Calls: the parameter ABI, device functions, vprintf and __assertfail. */
#ifndef TW_MACHINE_EXEC_CALL_H
#define TW_MACHINE_EXEC_CALL_H

#include "machine/decode.h"

bool tw_prepare_call(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);
/* Hands the results of the current frame to its caller, for the lanes of mask that are about to return. */
void tw_call_results(struct warp *w, uint32_t mask);

#endif
