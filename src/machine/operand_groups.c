#include "machine/operand_groups.h"

struct span {
    uint32_t low, high; /* offsets of units */
};

static void put(struct operand_groups *g, struct span *s, uint32_t row, uint32_t unit, uint32_t offset)
{
    g->at[row][unit] = offset;
    s->low = offset < s->low ? offset : s->low;
    s->high = offset > s->high ? offset : s->high;
}

/* Whether the groups from `first` to `last` lie in the CTA's window. */
static bool lie_inside(const struct operand_groups *g, const struct span *s, const struct cta *cta, uint32_t first, uint32_t last)
{
    const uint64_t low = s->low + (uint64_t)first * g->stride, high = s->high + (uint64_t)last * g->stride;
    return !cta->ended && low >= TW_SHARED_RESERVED_BYTES && high + UNIT_BYTES <= cta->shared_bytes;
}

bool tw_operand_rows(struct operand_groups *g, const struct cta *cta, const struct smem_desc *desc, uint32_t first_row, uint32_t rows,
                     uint32_t units)
{
    struct span s = {.low = UINT32_MAX};
    g->stride = desc->stride_bytes;
    g->rows_log2 = 3;
    if (rows == 0 || units > GROUP_UNITS || g->stride % tw_swizzle_mode_row(desc->mode)->period_bytes != 0)
        return false;
    for (uint32_t row = 0; row < GROUP_ROWS; row++)
        for (uint32_t unit = 0; unit < units; unit++)
            put(g, &s, row, unit, tw_smem_k_addr(desc, row, unit * UNIT_BYTES));
    return lie_inside(g, &s, cta, first_row / GROUP_ROWS, (first_row + rows - 1) / GROUP_ROWS);
}

/* SOURCE: PTX ISA, "Canonical layouts": without a swizzle the leading offset leads along K, else the stride does. */
bool tw_operand_columns(struct operand_groups *g, const struct cta *cta, const struct smem_desc *desc, uint32_t elem_bytes, uint32_t row,
                        uint32_t k)
{
    const struct swizzle_mode_row *const pattern = tw_swizzle_mode_row(desc->mode);
    struct span s = {.low = UINT32_MAX};
    g->stride = desc->mode == SWIZZLE_NONE ? desc->lead_bytes : desc->stride_bytes;
    g->rows_log2 = pattern->group_rows == 8 ? 3 : 2;
    if (k == 0 || g->stride % pattern->period_bytes != 0)
        return false;
    for (uint32_t i = 0; i < pattern->group_rows; i++)
        put(g, &s, i, 0, tw_smem_mn_addr(desc, elem_bytes, row, i));
    return lie_inside(g, &s, cta, 0, (k - 1) >> g->rows_log2);
}
