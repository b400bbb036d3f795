/* Structured sparsity: which logical elements the stored half of A stands for.
 *
 *     elements     a code describes                          legal codes
 *     32 bits      2 logical, 1 stored                       4 (the first), E (the second)
 *     16, 8 bits   4 logical, 2 stored at two positions      4 8 9 C D E, and 6
 *     4 bits       8 logical, two stored pairs               the same, positions count pairs
 *
 * A code's two low bits are the position of the first stored element (pair), its two high bits that of the second.
 * SOURCE: PTX ISA, "Sparse matrix-multiply-accumulate" and tcgen05 "Sparse matrices". */
#ifndef TW_NUM_SPARSE_H
#define TW_NUM_SPARSE_H

#include "num/dot.h"

/* Logical elements of a group: 2, 4 or 8; half of them are stored. */
static inline unsigned num_sparse_group(unsigned element_bits)
{
    return element_bits == 32 ? 2 : element_bits == 4 ? 8 : 4;
}

/* The logical elements, within the group, of its stored elements: out[0 .. group / 2). False if the code is illegal.
 * Code 6 names positions 2 and 1 and is applied as written; `ascending` (mma.sp::ordered_metadata) refuses it. */
bool tw_num_sparse_select(unsigned element_bits, unsigned code, bool ascending, uint8_t out[4]);
/* The legal codes, for messages: "0x4 or 0xe". */
const char *tw_num_sparse_codes(unsigned element_bits, bool ascending);

/* The width that decides about groups: that of the element's container, which is a byte for every format of f8f6f4. */
unsigned tw_num_sparse_bits(const struct num_dot_model *model, enum num_format a);

/* Whether the order of a sparse sum follows from the dense model: windows and groups count stored products, or the sum is
 * exact. MEASURED: mma_sparse, sm_90a: one window takes all stored products, and the windows that share K in fp8 mma.sync
 * take pairs of stored elements in turn. That the windows of sm_75 to sm_89 count stored elements too is inferred from it;
 * those models are published ones anyway. fp8 mma.sync of other targets is left open. */
bool tw_num_sparse_known(const struct num_dot_model *model);

/* The dot product of `stored` elements of A with 2 * stored elements of B: elements of B that no code selects are removed
 * before anything looks at them, so that a NaN there has no effect. One code a group of the kind's stored elements. False,
 * with nothing written, if a code is illegal; scales and C as in tw_num_dot, blocks counting stored elements. */
bool tw_num_dot_sparse(const struct num_dot_model *model, const struct num_dot_how *how, unsigned stored, const uint64_t *a,
                       const uint64_t *b, const uint8_t *codes, const uint64_t *c, const uint64_t *scale_a,
                       const uint64_t *scale_b, uint64_t *d);

#endif
