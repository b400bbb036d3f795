/* The .npy array format, versions 1.0 to 3.0, in memory.
 * SOURCE: NumPy manual, "The NPY format". */
#ifndef TW_BASE_NPY_H
#define TW_BASE_NPY_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/text.h"

#include <stdbool.h>

struct npy {
    char kind;         /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool, 'V' raw words */
    uint32_t bytes;    /* of one element */
    bool fortran;      /* column-major */
    uint32_t rank;
    int64_t shape[TW_MAX_RANK];
    const unsigned char *data; /* into the file's bytes */
    size_t data_bytes; /* exactly elements * bytes */
};

/* NULL, or a sentence that says what is wrong ("the file holds 100 data bytes, its header announces 128"). */
const char *tw_npy_read(struct arena *arena, struct str file, struct npy *out);
/* Header and data of a little-endian row-major array. `descr` as NumPy writes it ("<f4"). */
void tw_npy_write(struct text *out, const char *descr, uint32_t rank, const int64_t *shape, const void *data,
                  size_t data_bytes);
/* "(128, 64)" */
void tw_npy_shape_text(struct text *out, uint32_t rank, const int64_t *shape);

#endif
