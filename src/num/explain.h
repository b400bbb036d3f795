/* Formats and dot products in words: what `tilewright explain` prints, and what golden runs print of a mismatch. */
#ifndef TW_NUM_EXPLAIN_H
#define TW_NUM_EXPLAIN_H

#include "base/text.h"
#include "num/dot.h"

/* Fields, containers, special words, extreme values, and the matrix instructions that take the format. */
void tw_num_explain_format(struct text *out, enum num_format f);
/* "f16 bf16 tf32 ...": the names that tw_num_format_by_name knows. */
void tw_num_list_formats(struct text *out);

/* One dot product with all its operands, as tw_num_dot takes them. */
struct num_dot_case {
    const struct num_dot_model *model;
    const struct num_dot_how *how;
    unsigned n;
    const uint64_t *a, *b, *c, *scale_a, *scale_b;
};
/* Term by term: operands, window, what is cut off from which term, the sum, the rounding, and the evidence for it all. */
void tw_num_explain_dot(struct text *out, const struct num_dot_case *x);

/* The combinations that have a model, one a line: "  f16 x f16 to f32|f16". `name` may be NULL. */
void tw_num_list_dots(struct text *out, enum num_arch arch, enum num_unit unit);
const char *tw_num_unit_name(enum num_unit unit); /* "mma.sync" */
const char *tw_num_arch_name(enum num_arch arch); /* "Hopper"   */
const char *tw_num_kind_name(enum num_kind kind); /* "mxf4"; "" for NUM_PLAIN */

/* sig * 2^exp, exactly: in decimal where that is short, else as an integer times a power of two. */
void tw_num_print_exact(struct text *out, int64_t sig, int32_t exp);

/* The table of formats x instructions x evidence in Markdown; docs/exactness.md carries it and a test compares. */
void tw_num_evidence_table(struct text *out);

#endif
