/* Placement of tensor copies: which bytes of global memory a tensor instruction moves to or from which bytes of shared memory.
 *
 * Every mode is a sequence of rows: `inner` consecutive elements of dimension 0 in global memory, which are consecutive in
 * shared memory before the swizzle. A mode only says where row after row lies. Row r begins at `r * pitch` from the shared
 * address, and the swizzle permutes the sum, the whole offset in the window.
 *
 * Of an interleaved tensor a row is one granule: 16 or 32 bytes, the channels of a slice at one place. Its dimensions are the
 * spatial ones, innermost first and counted in granules, then the slice, then the image; a copy moves one slice, whatever
 * the box says of that dimension.
 *
 * MEASURED: ptx-async.md 4.5 (tile), 4.7 (im2col) and the H200 runs named there; SOURCE: PTX ISA, "Tensors", for gather4,
 * scatter4 and packed types. */
#ifndef TW_MACHINE_TENSOR_COPY_H
#define TW_MACHINE_TENSOR_COPY_H

#include "isa/tensor_map.h"
#include "machine/atom.h"
#include "machine/memory.h"

enum tensor_copy_mode { COPY_TILE, COPY_ROWS, COPY_IM2COL }; /* COPY_ROWS: gather4 and scatter4 */

struct tensor_copy {
    const struct tensor_map *map;
    enum tensor_copy_mode mode;
    int32_t at[TENSOR_MAP_RANK];      /* start; COPY_ROWS: column, then four rows */
    uint32_t offset[TENSOR_MAP_SPATIAL]; /* im2col */
    /* From here on set by tw_tensor_copy_plan. */
    uint32_t inner;                   /* elements of a row */
    uint32_t row_bytes;               /* of it in shared memory */
    uint32_t pitch;
    uint32_t counts[TENSOR_MAP_RANK]; /* of rows, by dimension; [0] is 1 but for interleaved tensors */
    uint32_t rows;
    uint32_t bytes;                   /* moved in shared memory: what a barrier is told */
    uint32_t extent;                  /* bytes of shared memory from the first to behind the last */
};

/* What a plan or a transfer was refused for. */
struct tensor_trouble {
    int code; /* of a diagnostic; 0: none */
    const char *what, *expected, *found, *fix;
};

/* Fits the instruction to its map: `rank` is that of the instruction, `writes` one that changes global memory. False with
 * *trouble. MEASURED: the start of dimension 0 must be a multiple of 16 bytes; writes may not start below 0. */
bool tw_tensor_copy_plan(struct tensor_copy *c, uint32_t rank, bool writes, struct arena *arena, struct tensor_trouble *trouble);

/* Says which bytes a transfer touches. */
struct tensor_watch {
    void (*access)(void *context, enum space space, uint64_t address, uint32_t bytes, bool read, bool write);
    void *context;
};

/* A side of a transfer: shared memory of one CTA. */
struct tensor_shared {
    uint8_t *window;  /* host address of offset 0 */
    uint32_t offset;  /* of the tile */
    uint32_t rank;    /* of the CTA */
};

/* Global to shared. False with *trouble: the map leads outside an allocation. `watch` may be NULL. */
bool tw_tensor_load(const struct tensor_copy *c, const struct memory *m, struct tensor_shared to, const struct tensor_watch *watch,
                    struct arena *arena, struct tensor_trouble *trouble);
/* The same, one row after the other: the definition. */
bool tw_tensor_load_rows(const struct tensor_copy *c, const struct memory *m, struct tensor_shared to, const struct tensor_watch *watch,
                         struct arena *arena, struct tensor_trouble *trouble);
/* Fills the destination of a load with `word`: what is there until the load has been performed. */
void tw_tensor_fill_shared(const struct tensor_copy *c, struct tensor_shared to, uint64_t word);
/* Shared memory into a dense buffer of c->bytes: what a store needs of its source. */
void tw_tensor_gather(const struct tensor_copy *c, struct tensor_shared from, uint8_t *dense, const struct tensor_watch *watch);
/* The buffer to global memory; with `reduce` every element is combined with what is there. */
bool tw_tensor_store(const struct tensor_copy *c, const struct memory *m, const uint8_t *dense, const struct atom_call *reduce,
                     const struct tensor_watch *watch, struct arena *arena, struct tensor_trouble *trouble);

/* The reduction `op` on elements of the map's type; false if a map of this type cannot take it. */
bool tw_tensor_reduction(enum atom_op op, enum tensor_map_type type, struct atom_call *out);

/* Combines `bytes` bytes of elements at `to` with those at `from`. */
void tw_reduce_bytes(const struct atom_call *c, uint8_t *to, const uint8_t *from, uint32_t bytes, bool global);

#endif
