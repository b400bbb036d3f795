/* Emission: lowered IR to a PTX module, and the launch contract that goes with it. */
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

/* What a launch of the kernel needs. In the kernel's arena. */
struct contract *tw_emit_contract(const struct ir_kernel *k);

#endif
