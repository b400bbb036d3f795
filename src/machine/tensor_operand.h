/* Reading the operands of a tensor core operation when it is performed: shared memory through a
 * descriptor's address function, and cells of tensor memory. Every address is checked; a fault names
 * the instruction that issued the operation. */
#ifndef TW_MACHINE_TENSOR_OPERAND_H
#define TW_MACHINE_TENSOR_OPERAND_H

#include "machine/tensor_pipe.h"
#include "machine/tmem.h"

struct tensor_read {
    struct tensor_pipe *pipe;
    const struct tensor_op *op;
    struct cta *cta;           /* whose memory */
    const char *what;          /* "A", "B", "the source" */
};

/* 16 bytes of shared memory at an offset of the CTA's window; NULL after a fault. */
const uint8_t *tw_tensor_shared_unit(const struct tensor_read *r, uint32_t offset);

/* The cells of one lane from column `col` on; NULL after a fault: outside tensor memory, or not allocated. `write` is for
 * the event. */
uint32_t *tw_tensor_cells(const struct tensor_read *r, uint32_t lane, uint32_t col, uint32_t cols, bool write);

/* One operand matrix: `rows` rows of `k` elements. */
struct tensor_matrix {
    enum num_format format;
    unsigned container_bits;   /* bits an element takes of its row: 8 for e2m1 in f8f6f4, 4 in mxf4 */
    bool mn_major;
    uint32_t first_row;        /* rows first_row .. first_row + rows - 1 of the operand */
    uint32_t rows, k;
};
/* Raw words of 1, 2 or 4 bytes: element (row, k) is word number row * row_stride + k * step. Formats below 8 bits take a byte. */
struct tensor_words {
    uint8_t *at;
    uint32_t word_bytes, row_stride, step;
};
static inline uint8_t *tensor_word(const struct tensor_words *w, uint32_t row, uint32_t k)
{
    return w->at + ((size_t)row * w->row_stride + (size_t)k * w->step) * w->word_bytes;
}
uint32_t tw_tensor_word_bytes(const struct tensor_matrix *m);

/* `out` has words as above, and step 1 where the operand is K-major; an MN-major one is read fastest with row_stride 1. */
bool tw_tensor_read_shared(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                           const struct tensor_words *out);
/* The same, the address of every unit by the descriptor's own function: the definition. */
bool tw_tensor_read_units(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m,
                          const struct tensor_words *out);

/* Row of A in tensor memory: k elements from a lane, packed from column `col` on, to words side by side. */
bool tw_tensor_read_cells(const struct tensor_read *r, uint32_t lane, uint32_t col, const struct tensor_matrix *m, uint8_t *out);

#endif
