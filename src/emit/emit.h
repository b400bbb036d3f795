/* Emission: lowered IR to a PTX module or to CUDA C++, and the launch contract that goes with it. */
#ifndef TW_EMIT_EMIT_H
#define TW_EMIT_EMIT_H

#include "diag/diag.h"
#include "ir/ir.h"
#include "isa/isa.h"
#include "ptx/contract.h"
#include "ptx/module.h"

struct emit_options {
    const char *target;   /* NULL: "sm_100a" */
    unsigned ptx_version; /* major * 10 + minor; 0: 88 */
};

/* NULL after diagnostics. The kernel must be lowered (tw_tile_lower). */
struct ptx_module *tw_emit_ptx(const struct ir_kernel *k, const struct isa *isa, struct diags *diags,
                               const struct emit_options *options);

/* The kernel as CUDA C++, appended to `out`: device code with inline PTX that nvcc compiles for the same target, with the entry's
 * name and the order of its parameters as in the PTX. False after diagnostics; they are those of tw_emit_ptx, since a kernel
 * that has no PTX has no CUDA. The kernel must be lowered. */
bool tw_emit_cuda(const struct ir_kernel *k, const struct isa *isa, struct diags *diags, const struct emit_options *options,
                  struct text *out);

/* What a launch of the kernel needs. In the kernel's arena. */
struct contract *tw_emit_contract(const struct ir_kernel *k);

#endif
