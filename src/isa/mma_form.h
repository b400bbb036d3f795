/* The operands of one spelling of mma.sync or mma.sp: what each is, how many registers a lane has of it, and which element is
 * where. Tile patterns, the machine, `explain fragment` and the catalogue's own register counts read this one table.
 *
 * Coordinates are (row, column) of the operand as a kernel sees it: (m, k) of A, (n, k) of B, (m, n) of C and D, (m, group) of
 * the metadata, whose elements are codes of 4 bits, (m, factor) and (n, factor) of the scales.
 *
 * m8n8k4 of f16 is four products, one for each pair of quads: lanes 4p to 4p + 3 and 4p + 16 to 4p + 19 are pair p, and
 * its rows of A, B, C and D are counted on: 8p to 8p + 7. */
#ifndef TW_ISA_MMA_FORM_H
#define TW_ISA_MMA_FORM_H

#include "isa/isa.h"
#include "isa/mma_map.h"

enum mma_part { MMA_D, MMA_A, MMA_B, MMA_C, MMA_META, MMA_SFA, MMA_SFB, MMA_PART_COUNT };

struct mma_fragment {
    enum num_format format;   /* of an element; NUM_NONE: the form has no such operand */
    uint16_t rows, cols;      /* elements */
    uint8_t bits;             /* of an element in its register */
    uint8_t low;              /* the element's lowest bit in there: e2m1 lies in bits 5:2 of a byte */
    uint8_t reg_bits;         /* 32, or 64 for f64 */
    uint8_t per_reg;          /* elements that the instruction takes from a register */
    uint8_t regs;             /* of a lane */
    uint8_t choices;          /* of lanes that may supply the operand (selector 0, 1, ...); 1: no choice */
    uint8_t choice_lanes;     /* lanes from one choice to the next */
};

struct mma_form {
    enum mma_class class_id;
    uint16_t m, n, k;
    uint16_t stored_k;        /* of A: k, or half of it when sparse */
    bool sparse, ordered;     /* mma.sp, ::ordered_metadata */
    bool quad_pairs, a_col, b_row; /* m8n8k4 of f16 */
    uint8_t factors;          /* of a row or column: 1, 2 or 4; 0: no block scaling */
    struct mma_fragment part[MMA_PART_COUNT];
};

/* The class of a spelling of mma; MMA_CLASS_COUNT if its types do not go together. */
enum mma_class tw_mma_class_of(const struct isa_spelling *s);

/* False if the spelling is no mma, or one of a shape that its types do not have. */
bool tw_mma_form_of(const struct isa_spelling *s, struct mma_form *out);

/* Which element a lane has in element `elem` of register `reg`, by choice 0 where lanes can be chosen. False: none that the
 * instruction reads. */
bool tw_mma_place(const struct mma_form *f, enum mma_part part, uint32_t lane, uint32_t reg, uint32_t elem, struct mma_coord *at);

#endif
