/* What the copy engine does with a box, and what it asks of one: the facts that tile.apply (tma.c, tma_map.c) and the
 * variants of copy_async (copy_tma.c) share. */
#ifndef TW_TILE_TENSOR_COPY_H
#define TW_TILE_TENSOR_COPY_H

#include "isa/tensor_map.h"
#include "layout/layout.h"

enum {
    TENSOR_COPY_ALIGN = 128,  /* bytes, of the box in shared memory */
    TENSOR_COPY_COLUMN = 16   /* bytes, of the innermost coordinate */
};

/* Whether every element has one address. */
bool tw_tensor_copy_is_linear(const struct layout *l);
/* The swizzle of a map whose boxes lie as `l` has them; false: the layout's is none of the engine's. */
bool tw_tensor_copy_swizzle(const struct layout *l, uint32_t elem_bits, enum tensor_map_swizzle *out);
/* Bytes to which the shared tensor is aligned: the swizzle's period, and no less than TENSOR_COPY_ALIGN. */
uint32_t tw_tensor_copy_align(enum tensor_map_swizzle swizzle);
/* Bits from one row of the innermost dimension to the next in shared memory; `inner` elements of `elem_bits` are a row. */
int64_t tw_tensor_copy_pitch(enum tensor_map_swizzle swizzle, uint32_t elem_bits, int64_t inner);
/* The bit of shared memory where the engine puts element `column` of row `row`, rows `pitch` bits apart from byte `origin` on. */
int64_t tw_tensor_copy_bit(enum tensor_map_swizzle swizzle, uint32_t elem_bits, int64_t pitch, int64_t origin, int64_t row,
                           int64_t column);
/* Whether a box may start at element `at` of the innermost dimension. */
bool tw_tensor_copy_starts(uint32_t elem_bits, int64_t at);
/* Whether the engine reduces elements of this type by `op`, MOD_ADD and others. */
bool tw_tensor_copy_reduces(enum tensor_map_type type, unsigned op);

#endif
