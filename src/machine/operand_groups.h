/* Where all units of an operand lie in shared memory, from the addresses of a few.
 *
 * Groups of rows (K-major) or of K (MN-major) lie one stride after the other, and the swizzle flips the same address bits in each
 * of them where the stride is a multiple of its pattern. So the addresses of the first group are enough, and one look at the
 * lowest and the highest says whether all units lie in the CTA's window. An operand that is not like that is read unit by unit
 * through the address functions of isa/smem_desc.h, which are the definition. */
#ifndef TW_MACHINE_OPERAND_GROUPS_H
#define TW_MACHINE_OPERAND_GROUPS_H

#include "isa/smem_desc.h"
#include "machine/internal.h"

enum { UNIT_BYTES = 16, GROUP_ROWS = 8, GROUP_UNITS = 8 };

struct operand_groups {
    uint32_t at[GROUP_ROWS][GROUP_UNITS]; /* offsets in the window of the first group's units */
    uint32_t stride, rows_log2;           /* from group to group; of a group's rows */
};

/* K-major: `units` units of each row from `first_row` on. False: to be read unit by unit. */
bool tw_operand_rows(struct operand_groups *g, const struct cta *cta, const struct smem_desc *desc, uint32_t first_row, uint32_t rows,
                     uint32_t units);
/* MN-major: of the unit that begins with `row`, the k columns from 0 on. */
bool tw_operand_columns(struct operand_groups *g, const struct cta *cta, const struct smem_desc *desc, uint32_t elem_bytes, uint32_t row,
                        uint32_t k);

/* The offset of a unit of a row, or (unit 0) of a column. */
static inline uint32_t operand_unit(const struct operand_groups *g, uint32_t row, uint32_t unit)
{
    return g->at[row & ((1u << g->rows_log2) - 1)][unit] + (row >> g->rows_log2) * g->stride;
}

#endif
