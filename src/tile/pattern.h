/* A tile pattern is data: what a family of instructions wants of its operands, in rows that one engine walks.
 *
 * Operand coordinates are (group, batch, repeat, atom). The group axes say which threads issue; batch and repeat
 * axes say how often, one instruction for every tuple in row-major order; the atom is what one instruction takes.
 * A row names the atom's extents by symbols (M, N, K, ...) whose values the family reads from opcode and
 * parameters, the repeat axes by letters, and how the operand is reached: a register ownership map, a tensor-memory
 * map, a shared-memory descriptor, or an address. */
#ifndef TW_TILE_PATTERN_H
#define TW_TILE_PATTERN_H

#include "ir/ir.h"
#include "isa/idesc.h"
#include "isa/isa.h"
#include "isa/smem_desc.h"
#include "isa/tmem_map.h"

struct tile_call;

enum {
    TILE_MAX_OPERANDS = 7,   /* mma.sp block scaled: D, A, B, C, E, SFA, SFB                */
    TILE_MAX_PARAMS = 13,    /* tcgen05.mma has 13                                         */
    TILE_MAX_GROUP = 5,      /* CTA z, y, x, warp, lane                                    */
    TILE_MAX_ATOM = 5,       /* a tensor copy's box                                        */
    TILE_MAX_ITEMS = 256,    /* elements in the registers of one operand: tcgen05.ld .x128.pack::16b */
    TILE_MAX_COPIES = 4,     /* of an element in tensor memory: one in each quadrant       */
    TILE_MAX_CTA_WARPS = TW_MAX_CTA_THREADS / TW_WARP_LANES
};

/* ---- what an instruction takes ---------------------------------------------------------------- */

/* Extents that the rows name. A family sets those it uses. */
enum tile_symbol {
    TILE_ONE, /* 1: a scalar's only word */
    TILE_BOX, TILE_BOX_LAST = TILE_BOX + 4,       /* of a tensor copy, in the order of the tensor's dimensions */
    TILE_REACH, TILE_REACH_LAST = TILE_REACH + 4, /* what the tensor operand shows of each dimension */
    TILE_M, TILE_N, TILE_K, TILE_M_CTA, TILE_N_CTA, TILE_WORDS, TILE_ROWS, TILE_COLS, TILE_HALVES, TILE_BANKS, TILE_FACTORS,
    TILE_SCALE_ROWS, TILE_A_WORDS, TILE_B_WORDS, TILE_D_WORDS, TILE_CODES,
    TILE_SYMBOL_COUNT
};

struct tile_axis {
    const char *name;         /* in coordinates of messages: "m" */
    enum tile_symbol extent;
    const char *text;         /* how the extent is written in the contract: "M/g" */
};

enum tile_role { TILE_DST, TILE_SRC, TILE_UPDATE };

/* Who issues: every thread by itself (a scope exposes lanes), a warp as one, or the four warps of a warpgroup as one. */
enum tile_issuer { TILE_BY_THREAD, TILE_BY_WARP, TILE_BY_WARPGROUP };

static inline uint32_t tile_issuer_threads(enum tile_issuer i)
{
    return i == TILE_BY_WARPGROUP ? 4 * TW_WARP_LANES : i == TILE_BY_WARP ? TW_WARP_LANES : 1;
}

/* The atom coordinate of item `item` of lane `lane` (0 to 127 where a warpgroup issues): registers in order, where a register
 * holds several items the low bits first. */
typedef void tile_owner_fn(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM]);
/* Whether a lane supplies the operand at all. */
typedef bool tile_supply_fn(const struct tile_call *c, uint32_t lane);
/* The number of registers a lane holds. */
typedef uint32_t tile_regs_fn(const struct tile_call *c);
/* Where an element is in tensor memory: lane, and bit along the columns of 32. */
struct tile_cell {
    int64_t lane, bit;
};
/* The place of copy `copy` of an atom coordinate relative to the address operand; copy 0 of the origin is (0, 0). */
typedef struct tile_cell tile_cell_fn(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy);
/* In how many places the instruction has each element. */
typedef uint32_t tile_copies_fn(const struct tile_call *c);
/* Whether the atom may start at `base` when `thread` issues; NULL: anywhere. Reports. */
typedef bool tile_base_fn(struct tile_call *c, uint32_t operand, struct tile_cell base, uint32_t thread);

/* The call that makes a layout of one atom, as a program would write it; NULL: none does. */
typedef const char *tile_layout_fn(const struct tile_call *c, uint32_t operand);

struct tile_operand_row {
    const char *name;         /* "D" */
    enum tile_role role;
    uint8_t scopes;           /* storage scopes: set of 1u << enum ir_scope */
    bool scalar;              /* a scalar expression of type `scalar_format` will do */
    enum num_format scalar_format; /* NUM_NONE: `format` */
    const char *repeats;      /* letters of its repeat axes in order, or "*": all axes before the atom */
    uint8_t atom_rank;
    struct tile_axis atom[TILE_MAX_ATOM];
    uint16_t elem_bits;       /* 0: the family decides */
    enum num_format format;   /* NUM_NONE: any format of that width */
    tile_regs_fn *regs;       /* IR_LOCAL */
    tile_owner_fn *owner;
    uint8_t items;            /* elements a 32-bit register holds; 0: a register is an element */
    uint8_t room;             /* ... and for how many it has room: the instruction says which it takes; 0: for no more */
    tile_supply_fn *supplies; /* NULL: every lane */
    uint8_t choices;          /* the layout chooses who supplies: the lanes of `supplies`, or those 1, 2, ... steps on; 0: no choice */
    uint8_t choice_lanes;     /* a step */
    tile_cell_fn *cell;       /* IR_TMEM */
    tile_copies_fn *copies;   /* NULL: one */
    uint8_t start_bits;       /* the atom starts at a multiple of this many bits of its lane; 0: 32, a column */
    tile_base_fn *base;
    tile_layout_fn *layout;   /* named by the fix of a wrong one; NULL: nothing is */
    bool memory;              /* global, shared and local memory: reached by one address a coordinate (memory.c) */
};

enum tile_param_type {
    TILE_PARAM_SHAPE,  /* static (M, N, K)                                   */
    TILE_PARAM_CHOICE, /* static string, one of `choices`                    */
    TILE_PARAM_FORMAT, /* static string: a dtype or format name              */
    TILE_PARAM_FLAG,   /* static bool                                        */
    TILE_PARAM_NUMBER, /* static integer                                     */
    TILE_PARAM_BOOL,   /* run-time bool, or static                           */
    TILE_PARAM_INT,    /* run-time integer, or static                        */
    TILE_PARAM_INTS,   /* tuple of run-time integers                         */
    TILE_PARAM_BOX,    /* static positive integers, one to five              */
    TILE_PARAM_ADDRESS /* a pointer, or a uint32 address in shared memory    */
};

struct tile_param_row {
    const char *name;
    enum tile_param_type type;
    const char *choices;      /* TILE_PARAM_CHOICE: "k|mn" */
    bool required;
};

struct tile_family {
    enum isa_op op;           /* the catalogue's operation that the opcode resolves to */
    const char *name;         /* "tcgen05.mma" */
    const char *what;
    enum tile_issuer issuer;
    const struct tile_operand_row *operands;
    uint32_t operand_count;
    uint8_t memory_operands;  /* set of 1u << position: reached by an address, so a local tensor there is in .local memory */
    const struct tile_param_row *params;
    uint32_t param_count;
    const char *axes;         /* letters of the repeat axes in expansion order, "MNK"; NULL: as the operands have them */
    /* Reads opcode and parameters: sets the symbols, refuses what the pattern does not have. May replace the call's rows, where
     * they follow from the form. */
    bool (*prepare)(struct tile_call *c);
    /* The row of an operand whose contract depends on the form or on where the operand is: called when its view is known,
     * before anything of it is checked. May be NULL, and may return NULL: the family's row. */
    const struct tile_operand_row *(*variant)(const struct tile_call *c, uint32_t operand);
    /* Checks operands beyond their rows, after their shapes were split. May be NULL. */
    bool (*check)(struct tile_call *c);
    /* Before the first instruction: binds what is evaluated once. May be NULL. */
    void (*begin)(struct tile_call *c);
    /* One instruction, for the current tuple. */
    bool (*issue)(struct tile_call *c);
};

extern const struct tile_family tw_tile_mma_sync, tw_tile_mma_sp, tw_tile_mma_block_scale, tw_tile_mma_sp_block_scale,
    tw_tile_tcgen05_ld, tw_tile_tcgen05_ld_red, tw_tile_tcgen05_st, tw_tile_tcgen05_cp, tw_tile_tcgen05_shift,
    tw_tile_tcgen05_mma, tw_tile_tcgen05_mma_ws, tw_tile_tcgen05_mma_block_scale;
extern const struct tile_family tw_tile_wgmma, tw_tile_wgmma_sp;
extern const struct tile_family tw_tile_ewise; /* no opcode names it: a statement with a body is one */
extern const struct tile_family tw_tile_bulk_load, tw_tile_bulk_copy_cluster, tw_tile_bulk_store, tw_tile_bulk_prefetch,
    tw_tile_bulk_reduce, tw_tile_bulk_reduce_cluster;
extern const struct tile_family tw_tile_tensor_load, tw_tile_tensor_store, tw_tile_tensor_reduce, tw_tile_tensor_prefetch;
extern const struct tile_family tw_tile_cp_async, tw_tile_ldmatrix, tw_tile_stmatrix;

/* Instructions that a thread issues and whose operands are those of the catalogue's form (thread_op.c). */
extern const struct tile_family tw_tile_thread_ops[];
extern const uint32_t tw_tile_thread_op_count;

#endif
