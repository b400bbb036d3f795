/* ldmatrix and stmatrix: which byte of which row each byte of each lane's registers is.
 *
 * A row is 16 bytes in shared memory; row r of matrix m is at the address of lane rows * m + r. With g = lane / 4, t = lane % 4:
 *
 *     .b16                half e of register m           row g, half 2t + e of matrix m
 *     .b16 .trans         half e of register m           row 2t + e, half g
 *     m16n16 .b8 .trans   byte b of register 2m + h      row 4t + b, byte g + 8h
 *     m8n16               byte b of register m           row g, byte 4t + b
 *     m16n8 .b8 .trans    byte b of register m (stores)  row 2t + b % 2, byte g + 8 (b / 2)
 *
 * SOURCE: PTX ISA, "ldmatrix", "stmatrix". MEASURED: the 16-bit forms, golden/layout_ldst.tcg, sm_90. */
#ifndef TW_ISA_MATRIX_MAP_H
#define TW_ISA_MATRIX_MAP_H

#include "isa/isa.h"

enum { MATRIX_ROW_BYTES = 16 };

enum matrix_map { MATRIX_B16, MATRIX_B16_TRANS, MATRIX_M16N16, MATRIX_M8N16, MATRIX_M16N8 };

struct matrix_form {
    enum matrix_map map;
    uint8_t matrices, rows;   /* rows of each */
    uint8_t regs;             /* of a lane */
    uint8_t source_bits;      /* values are expanded from so many bits to bytes: 6 or 4; 0: bytes as they are */
};

/* False if the spelling is neither ldmatrix nor stmatrix. */
bool tw_matrix_form_of(const struct isa_spelling *s, struct matrix_form *out);

struct matrix_place {
    uint8_t row, byte;        /* row over all matrices: rows * matrix + row */
};
struct matrix_place tw_matrix_place(const struct matrix_form *f, unsigned lane, unsigned reg, unsigned byte);

#endif
