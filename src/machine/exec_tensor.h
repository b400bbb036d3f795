/* What the two files of tcgen05 instructions share. */
#ifndef TW_MACHINE_EXEC_TENSOR_H
#define TW_MACHINE_EXEC_TENSOR_H

#include "machine/decode.h"
#include "machine/tensor_pipe.h"

/* Checks that the kernel uses one cta_group and finds its CTAs (tw_tensor_ctas); false after a fault. */
bool tw_tensor_group(struct warp *w, unsigned lane, unsigned cta_group, struct cta *ctas[2]);

/* 1 or 2. */
uint8_t tw_decode_cta_group(const struct ptx_inst *in);

/* Single-thread instructions of the tensor pipe: exec_tensor.c */
bool tw_prepare_tensor_mma(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);
bool tw_prepare_tensor_cp(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);
bool tw_prepare_tensor_shift(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);
bool tw_prepare_tensor_commit(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);

#endif
