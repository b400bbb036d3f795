/* tcgen05.cp and tcgen05.shift, when the tensor pipe performs them. */
#include "machine/tensor_operand.h"

#include <string.h>

/* Word w of row r of the source goes to column w of each lane of the row. A pair copies in both CTAs, each from its own
 * shared memory. SOURCE: PTX ISA, tcgen05.cp. */
static bool copy_row(const struct tensor_read *r, const struct smem_desc *desc, uint32_t row)
{
    const struct tensor_inst *const inst = r->op->inst;
    const struct tmem_cp_row *const cp = &tw_tmem_cps[inst->cp];
    for (uint32_t unit = 0; unit < cp->words / 4u; unit++) {
        const uint8_t *const at = tw_tensor_shared_unit(r, tw_smem_k_addr(desc, row, 16 * unit));
        if (at == NULL)
            return false;
        uint32_t words[4];
        uint8_t bytes[16];
        memcpy(bytes, at, sizeof bytes);
        if (inst->cp_bits != 0)
            tw_tmem_cp_expand(inst->cp_bits, at, bytes);
        memcpy(words, bytes, sizeof words);
        for (uint32_t copy = 0; copy < cp->copies; copy++) {
            uint32_t *const cells = tw_tensor_cells(r, (r->op->d >> 16) + tw_tmem_cp_lane(inst->cp, row, copy),
                                                    (r->op->d & 0xffff) + 4 * unit, 4, true);
            if (cells == NULL)
                return false;
            memcpy(cells, words, sizeof words);
        }
    }
    return true;
}

bool tw_tensor_cp(struct tensor_pipe *pipe, const struct tensor_op *op)
{
    struct cta *ctas[2];
    struct smem_desc desc;
    struct smem_fault_list faults;
    (void)tw_tensor_ctas(pipe->cta, op->cta_group, ctas);
    (void)tw_smem_desc_decode(SMEM_DESC_TCGEN05, op->b_desc, &desc, &faults); /* judged at the issue */
    for (int i = 0; i < 2 && ctas[i] != NULL; i++) {
        const struct tensor_read r = {pipe, op, ctas[i], "the copy"};
        for (uint32_t row = 0; row < tw_tmem_cps[op->inst->cp].rows; row++)
            if (!copy_row(&r, &desc, row))
                return false;
    }
    return true;
}

/* Row i of each quadrant receives row i + 1; the last row of the quadrant stays. SOURCE: PTX ISA, tcgen05.shift. */
static bool shift_columns(const struct tensor_read *r, uint32_t col)
{
    for (uint32_t lane = 0; lane < TW_TMEM_LANES; lane++) {
        if (lane % TMEM_QUADRANT_LANES == TMEM_QUADRANT_LANES - 1)
            continue;
        const uint32_t *const from = tw_tensor_cells(r, lane + 1, col, TMEM_SHIFT_COLS, false);
        uint32_t *const to = from == NULL ? NULL : tw_tensor_cells(r, lane, col, TMEM_SHIFT_COLS, true);
        if (to == NULL)
            return false;
        memcpy(to, from, TMEM_SHIFT_COLS * sizeof *to);
    }
    return true;
}

bool tw_tensor_shift(struct tensor_pipe *pipe, const struct tensor_op *op)
{
    struct cta *ctas[2];
    (void)tw_tensor_ctas(pipe->cta, op->cta_group, ctas);
    /* .ashift of an MMA moves the columns of A in the same way. */
    const uint32_t taddr = op->kind == TENSOR_MMA ? op->a_taddr : op->d;
    for (int i = 0; i < 2 && ctas[i] != NULL; i++) {
        const struct tensor_read r = {pipe, op, ctas[i], op->kind == TENSOR_MMA ? "the shifted A" : "the shifted rows"};
        if (!shift_columns(&r, taddr & 0xffff))
            return false;
    }
    return true;
}
