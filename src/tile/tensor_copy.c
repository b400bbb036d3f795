#include "tile/tensor_copy.h"

#include "isa/isa.h"
#include "layout/swizzle.h"

/* SOURCE: swizzle modes of the language and of the driver; kernel-language-layout 6.11. */
static const enum tensor_map_swizzle swizzle_of[SWIZZLE_MODE_COUNT] = {
    [SWIZZLE_NONE] = TMAP_SWIZZLE_NONE, [SWIZZLE_32B] = TMAP_SWIZZLE_32B, [SWIZZLE_64B] = TMAP_SWIZZLE_64B,
    [SWIZZLE_128B] = TMAP_SWIZZLE_128B, [SWIZZLE_128B_ATOM32] = TMAP_SWIZZLE_128B_ATOM_32B,
};

bool tw_tensor_copy_is_linear(const struct layout *l)
{
    return (tw_layout_axes(l) & ~AXIS_BIT(AXIS_M)) == 0 && tw_layout_replicas(l) == 1;
}

bool tw_tensor_copy_swizzle(const struct layout *l, uint32_t elem_bits, enum tensor_map_swizzle *out)
{
    enum swizzle_mode mode;
    if (!tw_layout_swizzle_mode(l, elem_bits, &mode))
        return false;
    *out = swizzle_of[mode];
    return true;
}

/* MEASURED: ptx-async 4.5: a shared address that is no multiple of 128 bytes faults, whatever the swizzle. */
uint32_t tw_tensor_copy_align(enum tensor_map_swizzle swizzle)
{
    for (int m = 0; m < SWIZZLE_MODE_COUNT; m++) {
        const uint32_t period = tw_swizzle_mode_row((enum swizzle_mode)m)->period_bytes;
        if (swizzle_of[m] == swizzle && period > TENSOR_COPY_ALIGN)
            return period;
    }
    return TENSOR_COPY_ALIGN;
}

int64_t tw_tensor_copy_pitch(enum tensor_map_swizzle swizzle, uint32_t elem_bits, int64_t inner)
{
    const int64_t span = tw_tensor_map_swizzle(swizzle)->span_bytes;
    return span != 0 ? span * 8 : inner * elem_bits;
}

/* Rows of the innermost dimension, one after another, each as long as the swizzle's span where there is one; the absolute
 * address is permuted. MEASURED: ptx-async 4.5. */
int64_t tw_tensor_copy_bit(enum tensor_map_swizzle swizzle, uint32_t elem_bits, int64_t pitch, int64_t origin, int64_t row,
                           int64_t column)
{
    const int64_t bit = 8 * origin + row * pitch + column * elem_bits;
    return 8 * (int64_t)tw_tensor_map_swizzled(swizzle, (uint32_t)(bit / 8)) + bit % 8;
}

/* MEASURED: ptx-async 4.5: another innermost coordinate ends in an illegal instruction. */
bool tw_tensor_copy_starts(uint32_t elem_bits, int64_t at)
{
    return at * elem_bits % (8 * TENSOR_COPY_COLUMN) == 0;
}

/* SOURCE: PTX ISA, cp.reduce.async.bulk.tensor; isa/tensor_map.c has which type takes what. */
bool tw_tensor_copy_reduces(enum tensor_map_type type, unsigned op)
{
    const unsigned needs = op == MOD_ADD                        ? TMAP_ADD
                           : op == MOD_MIN || op == MOD_MAX     ? TMAP_MINMAX
                           : op == MOD_INC || op == MOD_DEC     ? TMAP_INCDEC
                                                                : TMAP_BITS;
    return (tw_tensor_map_type(type)->reductions & needs) != 0;
}
