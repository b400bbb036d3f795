/* The spelling of a matrix instruction as `explain dot` takes it: a PTX mnemonic, or the parts of one that decide about
 * arithmetic: "tcgen05.f16", "wgmma.f32.e4m3.e5m2", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32". */
#ifndef TW_API_DOT_KIND_H
#define TW_API_DOT_KIND_H

#include "diag/diag.h"
#include "num/dot.h"

struct dot_kind {
    enum num_arch arch;
    unsigned sm;
    enum num_unit unit;
    enum num_kind kind;
    struct num_dot_how how;
    const struct num_dot_model *model;
    unsigned k;   /* of the shape; 0: none was written */
    bool sparse, ascending;
};

/* `arch` ("sm_90a") may be NULL: sm_90a for wgmma, else sm_100a. False after an error in diags. */
bool tw_dot_kind_read(struct diags *diags, const char *spelling, const char *arch, struct dot_kind *out);

#endif
