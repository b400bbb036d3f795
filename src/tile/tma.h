/* Tensor copies through tile.apply: what tma.c and tma_map.c share. */
#ifndef TW_TILE_TMA_H
#define TW_TILE_TMA_H

#include "tile/bulk.h"

/* A leading dimension of the global view that continues a dimension of the map: it moves coordinate `dim` by `factor`. */
struct tma_join {
    uint32_t dim;
    int64_t factor; /* 0: one element, it moves nothing */
};

struct tma {
    uint32_t rank;                  /* of the map, by the opcode */
    bool gathers, writes, im2col;
    uint32_t box_rank;              /* dimensions of the box in shared memory: rank; of an im2col copy pixels and channels */
    uint32_t shared, global;        /* operands; shared UINT32_MAX: none */
    int64_t box[TENSOR_MAP_RANK];   /* in the tensor's order, like every dimension here */
    int32_t corner[2][TENSOR_MAP_SPATIAL]; /* im2col: lower and upper */
    uint32_t steps[TENSOR_MAP_RANK];       /* element strides */
    struct ir_expr *offsets[TENSOR_MAP_SPATIAL];
    bool has_coords;
    struct ir_expr *coords[TENSOR_MAP_RANK];
    struct tma_join joins[TW_MAX_RANK];
    enum tensor_map_swizzle swizzle;
    struct ir_var *map;
    struct tile_operand_row rows[2];
    struct bulk_values values;
};

/* The map that the global operand, the box and the shared operand's swizzle make: a parameter of the kernel. */
bool tw_tma_make_map(struct tile_call *c, struct tma *t);
/* Where the shared operand's box starts for the current tuple: proven to be where the copy puts every element. */
const struct tile_place *tw_tma_place(struct tile_call *c, const struct tma *t);

#endif
