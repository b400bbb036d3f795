/* The engine's view of one tile operation while it is checked and expanded, and what families call. */
#ifndef TW_TILE_ENGINE_H
#define TW_TILE_ENGINE_H

#include "layout/layout.h"
#include "tile/pattern.h"
#include "tile/threads.h"

/* A run-time start of a region along a dimension: adds value * step to the memory part. */
struct tile_start {
    const struct ir_expr *value;
    enum axis axis;           /* AXIS_M or AXIS_TCOL */
    int64_t step;             /* elements */
};

struct tile_operand {
    const struct tile_operand_row *row;
    const struct ir_arg *arg;
    const struct ir_expr *scalar; /* the operand is a scalar expression; everything below is unset */
    const struct ir_view *view;
    struct ir_storage *storage;
    struct shape shape;       /* extents of the region */
    const struct layout *layout; /* of the region, static starts included */
    int64_t step[TW_MAX_RANK]; /* row-major step of each dimension in a flat index */
    uint32_t repeat_first;    /* dimension of the first repeat axis */
    uint32_t repeat_count;
    uint32_t atom_first;
    uint32_t axis_of[TW_MAX_RANK]; /* repeat dimension r follows the call's axis axis_of[r] */
    struct tile_start starts[TW_MAX_RANK];
    uint32_t start_count;
    const struct grouping *grouping; /* memory operands with run-time starts: iters of the view's dimensions */
    const struct ir_expr *moves[TW_MAX_RANK]; /* of a memory operand: starts known only at run time */
    struct tile_place **places; /* by repeat index, resolved on first use */
    uint32_t place_count;
};

/* A number that may differ from group coordinate to group coordinate: base + sum coord[i] * step[i]. */
struct tile_affine {
    int64_t base;
    int64_t step[TILE_MAX_GROUP];
};

/* Where an operand's atom is, for one repeat tuple. */
struct tile_place {
    uint32_t reg_count;
    struct ir_type reg_type;     /* registers: of each */
    int64_t slot[TILE_MAX_ITEMS]; /* index in units of reg_type */
    struct tile_affine address;  /* tensor memory: the packed word without the storage's base */
    uint32_t start_byte;         /* where in that cell or register the atom starts; not 0 only where the row allows it */
    uint32_t choice;             /* registers: which of the lanes that may supply them do */
    struct smem_desc desc;       /* shared memory: start is relative to the storage */
    enum smem_desc_arch arch;    /* whose encoding the descriptor has */
    struct tile_affine origin;   /* shared memory: byte offset of the descriptor's start */
};

struct tile_call {
    struct ir_kernel *k;
    const struct isa *isa;
    struct diags *diags;
    struct arena *arena;
    const struct ir_stmt *stmt;
    const struct ir_tile *tile;
    struct ir_block *out;
    const struct tile_family *family;
    const struct tile_operand_row *rows; /* of the operands in order: the family's, or what prepare made of the form */
    uint32_t row_count;
    struct isa_spelling spelling;
    const char *mnemonic;             /* canonical spelling */
    int64_t symbol[TILE_SYMBOL_COUNT];
    const struct ir_arg *param[TILE_MAX_PARAMS]; /* by row; NULL: not given */
    struct tile_crew crew;
    struct tile_operand operand[TILE_MAX_OPERANDS];
    uint32_t operand_count;
    uint32_t batch_rank;
    int64_t batch[TW_MAX_RANK];
    uint32_t axis_count;              /* repeat axes */
    int64_t axis_extent[TW_MAX_RANK];
    const char *axis_name[TW_MAX_RANK];
    int64_t at[TW_MAX_RANK];          /* the current tuple: batch coordinates, then repeat axes */
    void *family_data;                /* of prepare, for the family */
};

/* ---- opcode and parameters (call.c) ----------------------------------------------------------- */

/* NULL after a diagnostic: no such instruction, or none that a tile pattern covers. */
const struct tile_family *tw_tile_recognise(struct tile_call *c);
/* Set of 1u << position: the operands of an opcode that are reached by an address. */
uint32_t tw_tile_memory_operands(const struct isa *isa, struct arena *arena, const char *opcode);
bool tw_tile_params(struct tile_call *c);
const struct ir_arg *tw_tile_param(const struct tile_call *c, const char *name);
bool tw_tile_flag(const struct tile_call *c, const char *name);              /* static bool, false if absent */
int64_t tw_tile_number(const struct tile_call *c, const char *name);         /* static integer, 0 if absent */
const char *tw_tile_text(const struct tile_call *c, const char *name);       /* static string or NULL */
/* A run-time value of the type, evaluated once for the whole call; `absent` if the parameter was not given. */
struct ir_expr *tw_tile_value(struct tile_call *c, const struct ir_arg *arg, struct ir_type type, int64_t absent);
/* A value that is read by every instruction, evaluated before the first. */
struct ir_expr *tw_tile_once(struct tile_call *c, const char *name, struct ir_expr *value, struct src_span at);

/* pred= and cache_policy= of instructions that move data (thread_op.c): a guard evaluated once, NULL for none, *never where
 * it is False at compile time; a policy; and whether the opcode and the parameter agree. */
struct ir_expr *tw_tile_guard(struct tile_call *c, bool *never);
struct ir_expr *tw_tile_policy(struct tile_call *c);
bool tw_tile_check_policy(struct tile_call *c);

/* ---- operands (operands.c) -------------------------------------------------------------------- */

bool tw_tile_split(struct tile_call *c);
/* "operand B of tcgen05.mma" */
const char *tw_tile_operand_name(const struct tile_call *c, uint32_t operand);
/* "(n=8, k=0)" */
const char *tw_tile_coord(const struct tile_call *c, const struct tile_operand *o, const int64_t coord[TILE_MAX_ATOM]);
/* Flat index of the operand's element: group coordinates, the current tuple, an atom coordinate. */
int64_t tw_tile_flat(const struct tile_call *c, const struct tile_operand *o, const int64_t *group,
                     const int64_t coord[TILE_MAX_ATOM]);
struct diag *tw_tile_error(struct tile_call *c, uint32_t operand, enum diag_code code, const char *format, ...)
    TW_PRINTF(4, 5);

/* A note at the tensor's declaration. */
void tw_tile_show_declaration(struct diag *d, const struct ir_storage *s);

/* ---- places (place.c, descriptor.c, memory.c) ------------------------------------------------------------ */

/* The place for the current tuple, checked; NULL after a diagnostic. */
const struct tile_place *tw_tile_registers(struct tile_call *c, uint32_t operand);
const struct tile_place *tw_tile_cells(struct tile_call *c, uint32_t operand);
/* Where a family takes strides and swizzle from parameters, `given` holds them, and the walk is proven with them. */
struct tile_walk_form {
    enum smem_desc_arch arch;
    bool mn_major;
    const struct smem_desc *given; /* NULL: read from the layout */
};
const struct tile_place *tw_tile_descriptor(struct tile_call *c, uint32_t operand, struct tile_walk_form form);
/* The fix for a run-time index that moves the operand by `step` elements where a multiple of `unit` is wanted. */
void tw_tile_suggest_step(const struct tile_operand *o, int64_t step, int64_t unit, struct diag *d);
/* Run-time starts of memory operands that read registers are evaluated once: an instruction may overwrite what they read. */
void tw_tile_bind_starts(struct tile_call *c);
/* What an instruction asks of a memory operand: elements one after another, from an aligned byte on. */
struct tile_run {
    uint32_t axes;            /* the last axes of the atom, row-major, are one run; an address for each other coordinate */
    uint32_t align_bytes;
};
/* Proves it for the current tuple, every member of the crew and every run. NULL after a diagnostic. */
const struct tile_place *tw_tile_memory(struct tile_call *c, uint32_t operand, struct tile_run run);
/* A pointer to an element, for whoever executes it: the group coordinates are read at run time, the current tuple is
 * constant, and atom[i] is an int32 that may be computed at run time (NULL: 0; so may `atom` be). */
struct ir_expr *tw_tile_pointer(struct tile_call *c, uint32_t operand, const struct tile_place *place,
                                struct ir_expr *const atom[TILE_MAX_ATOM]);
/* Where the layout has an atom coordinate of the current tuple, for the first member; replica 0. */
struct tile_cell tw_tile_layout_cell(const struct tile_call *c, uint32_t operand, const int64_t coord[TILE_MAX_ATOM]);
/* The slot where a place of the current tuple is remembered. */
struct tile_place **tw_tile_place_slot(struct tile_call *c, uint32_t operand);
/* Fits values, one for every member of the crew, into base + steps. False: they are not a fixed step apart. */
bool tw_tile_fit(const struct tile_call *c, const int64_t *values, struct tile_affine *out);

/* ---- building instructions (issue.c) ------------------------------------------------------------ */

/* base + sum coord * step as a uint32 expression, plus the region's run-time starts scaled by `unit`. */
struct ir_expr *tw_tile_affine_expr(struct tile_call *c, const struct tile_affine *a);
struct ir_ptx *tw_tile_instruction(struct tile_call *c, uint32_t operand_count);
/* {slots} of an operand, as results, values or both. */
void tw_tile_put_registers(struct tile_call *c, struct ir_ptx_operand *to, enum ir_ptx_operand_kind kind, uint32_t operand,
                           const struct tile_place *place);
/* The same as registers of `type`, not in braces where the form takes a scalar. */
void tw_tile_put_words(struct tile_call *c, struct ir_ptx_operand *to, enum ir_ptx_operand_kind kind, uint32_t operand,
                       const struct tile_place *place, struct ir_type type, bool scalar);
/* [address] of an operand in tensor memory. */
void tw_tile_put_cells(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place);
/* [address] of the first element of an operand in memory. */
void tw_tile_put_memory(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place);
/* A slot of an operand's local tensor, as an element that can be loaded and stored. */
struct ir_region *tw_tile_slot_region(struct tile_call *c, uint32_t operand, int64_t slot);
/* The 64-bit descriptor of an operand in shared memory. */
void tw_tile_put_descriptor(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place);
/* [address] of a place in shared memory, by its origin. */
void tw_tile_put_shared(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place);
void tw_tile_put_value(struct tile_call *c, struct ir_ptx_operand *to, const struct ir_expr *value);

/* ---- the whole (engine.c) ----------------------------------------------------------------------- */

/* Checks and expands one tile operation into `out`. False after diagnostics. */
bool tw_tile_expand(struct ir_kernel *k, const struct isa *isa, struct diags *diags, const struct ir_stmt *stmt,
                    const struct tile_guards *guards, struct ir_block *out);

#endif
