/* Approximate functions: their bits come from hardware tables, so only what src/num defines is executed. */
#include "machine/exec_arith.h"

bool tw_prepare_approximate(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)d;
    return tw_decode_unsupported(dc, in, "the number room has no bit-exact definition of this approximate function");
}
