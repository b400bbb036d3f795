/* Inside the verifier. */
#ifndef TW_PTX_VERIFY_H
#define TW_PTX_VERIFY_H

#include "diag/diag.h"
#include "ptx/module.h"

struct verdict {
    const char *forbidden, *unavailable;
};

struct verifier {
    const struct ptx_module *module;
    const struct ptx_func *func;
    struct diags *diags;
    struct arena *arena;
    struct strmap verdict_index;
    VEC(struct verdict) verdicts;
    uint64_t all_shared; /* bytes of shared memory that the module declares */
    const struct ptx_inst *unavailable; /* last instruction of the function that was reported as not available */
    const struct ptx_inst *grouped; /* first tcgen05 instruction of the function with a CTA group */
};

struct src_span tw_verify_inst(const struct verifier *v, const struct ptx_inst *inst);
struct src_span tw_verify_operand(const struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o);

/* Header, variables, totals (verify_module.c). */
void tw_verify_module(struct verifier *v);
/* Launch directives, parameters, static memory of one function. */
void tw_verify_func(struct verifier *v);
/* A call against its callee's declaration or prototype. */
void tw_verify_call(struct verifier *v, const struct ptx_inst *inst);

#endif
