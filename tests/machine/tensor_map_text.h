/* Tensor maps as the data files of the tests write them: numbers in the driver's order and numbering. */
#ifndef TW_TESTS_MACHINE_TENSOR_MAP_TEXT_H
#define TW_TESTS_MACHINE_TENSOR_MAP_TEXT_H

#include "isa/tensor_map.h"

#include <stdlib.h>

static inline int64_t text_number(char **at)
{
    return strtoll(*at, at, 10);
}

static inline void text_box(char **at, struct tensor_map *m)
{
    for (uint32_t d = 0; m->mode == TMAP_TILE && d < m->rank; d++)
        m->box[d] = (uint32_t)text_number(at);
    if (m->mode == TMAP_TILE)
        return;
    for (uint32_t d = 0; d + 2 < m->rank; d++)
        m->lower[d] = (int32_t)text_number(at);
    for (uint32_t d = 0; d + 2 < m->rank; d++)
        m->upper[d] = (int32_t)text_number(at);
    m->channels = (uint32_t)text_number(at);
    m->pixels = (uint32_t)text_number(at);
}

/* T or I, type, rank, offset from `base`, dims, strides, box, element strides, interleave, swizzle, l2, fill. */
static inline struct tensor_map text_map(char **at, uint64_t base)
{
    struct tensor_map m = {0};
    while (**at == ' ')
        (*at)++;
    m.mode = *(*at)++ == 'I' ? TMAP_IM2COL : TMAP_TILE;
    m.type = (enum tensor_map_type)text_number(at);
    m.rank = (uint32_t)text_number(at);
    m.address = base + (uint64_t)text_number(at);
    for (uint32_t d = 0; d < m.rank; d++)
        m.dims[d] = (uint64_t)text_number(at);
    for (uint32_t d = 1; d < m.rank; d++)
        m.strides[d] = (uint64_t)text_number(at);
    text_box(at, &m);
    for (uint32_t d = 0; d < m.rank; d++)
        m.element_strides[d] = (uint32_t)text_number(at);
    m.interleave = (enum tensor_map_interleave)text_number(at);
    m.swizzle = (enum tensor_map_swizzle)text_number(at);
    m.l2 = (enum tensor_map_l2)text_number(at);
    m.fill = (enum tensor_map_fill)text_number(at);
    return m;
}

#endif
