/* The layouts that hardware prescribes, as the kernel language's factory functions make them. Results are
 * canonical. Every function reports what it cannot make (E03xx) and returns NULL or false. */
#ifndef TW_LAYOUT_FACTORY_H
#define TW_LAYOUT_FACTORY_H

#include "layout/layout.h"

/* A swizzle mode by number (0..3) or name ("NONE", "32B", "64B", "128B"; "SwizzleMode." may precede). */
bool tw_swizzle_mode_from_int(const struct layout_env *e, int64_t value, enum swizzle_mode *out);
bool tw_swizzle_mode_from_name(const struct layout_env *e, struct str name, enum swizzle_mode *out);

/* ---- shared memory ---- */
/* [8, row] in elements, left-padded with ones to `rank` (2 or more). */
bool tw_mma_atom_shape(const struct layout_env *e, uint32_t elem_bits, enum swizzle_mode mode, uint32_t rank,
                       struct shape *out);
const struct layout *tw_mma_atom_layout(const struct layout_env *e, uint32_t elem_bits, enum swizzle_mode mode);
const struct layout *tw_mma_shared_layout(const struct layout_env *e, uint32_t elem_bits, enum swizzle_mode mode,
                                          const struct shape *shape);

/* ---- tensor memory ---- */
/* The map of one data path, 'A' .. 'G', in cells: TCol stride 1. */
const struct layout *tw_tmem_datapath_layout(const struct layout_env *e, char letter, int64_t rows, int64_t cols,
                                             int64_t sub_slab);

struct tmem_operand {
    char operand; /* 'D' or 'A' */
    struct shape shape;
    uint32_t elem_bits;
    int64_t m;         /* the instruction's M: rows of the whole CTA group */
    int64_t cta_group; /* 1 or 2 */
    bool ws, sparse;
    const struct shape *group; /* NULL, or (s, 2, n) */
};
const struct layout *tw_tmem_mma_operand_layout(const struct layout_env *e, const struct tmem_operand *o);

/* The data path of (M, cta_group, ws), 'A' .. 'G', or 0 when no dense instruction has that combination. */
char tw_tmem_datapath(int64_t m, int64_t cta_group, bool ws);

struct scale_layout {
    int64_t rows, sf_k, sf_per_mma;
    int64_t reuse;      /* 0 or 1: no reuse iter */
    int64_t pipe_depth; /* 0: no pipe iter */
};
const struct layout *tw_sf_tmem_layout(const struct layout_env *e, const struct scale_layout *s);
const struct layout *tw_sf_smem_layout(const struct layout_env *e, const struct scale_layout *s);

/* ---- registers ---- */
const struct layout *tw_wg_local_layout(const struct layout_env *e, int64_t cols, int64_t rows);
/* atom: "32x32b", "16x64b", "16x128b", "16x256b" (a leading "." may precede). */
const struct layout *tw_tcgen05_atom_layout(const struct layout_env *e, struct str atom, int64_t rows, int64_t cols,
                                            uint32_t elem_bits);

#endif
