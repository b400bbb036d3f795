/* Decoding shared by the arithmetic families: operations whose type decides between integer and float. */
#ifndef TW_MACHINE_EXEC_ARITH_H
#define TW_MACHINE_EXEC_ARITH_H

#include "machine/decode.h"
#include "num/round.h"

bool tw_prepare_float(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);
/* div.approx, rcp.approx, ex2.approx, ...: operands are decoded already. */
bool tw_prepare_approximate(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);
/* The rounding of a modifier; NUM_RN when there is none. */
enum num_rounding tw_decode_rounding(unsigned mod);
enum exec_status tw_exec_return(struct warp *w, const struct dinst *d, uint32_t mask);

#endif
