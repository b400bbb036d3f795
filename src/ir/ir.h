/* Kernel IR: what a kernel program means, typed and structured, before and after tile lowering.
 *
 * A kernel is a list of storages (parameters, shared, local and tensor-memory tensors), a list of
 * scalar variables, and a tree of statements over expression trees. Tensors are never values: code
 * names them through views. A view is (storage, shape, layout, element type, element offset); it
 * moves no data. A region is a view with a start and an extent in every dimension; starts may be
 * run-time expressions.
 *
 * Two levels share these structures:
 *   as built    IR_TILE statements name an opcode and its operand regions, IR_DISPATCH statements an
 *               operation of Tx; loops are as written;
 *   lowered     neither is left: each became IR_PTX statements whose operands are expressions
 *               (descriptor words, tensor-memory addresses) and local register slots (IR_SLOT).
 * tw_ir_verify checks the invariants of either level.
 *
 * Invariants
 *   - every expression and statement carries the source span it came from;
 *   - operands of arithmetic have equal types: conversions are explicit IR_CAST nodes;
 *   - an IR_CONST holds the exact bit pattern of its type, integers sign- or zero-extended to 64 bits;
 *   - loop variables are int32, immutable, and defined by their IR_FOR alone;
 *   - nodes are allocated in the kernel's arena and never shared between two parents, except
 *     views, storages and variables, which are shared by pointer. */
#ifndef TW_IR_IR_H
#define TW_IR_IR_H

#include "base/limits.h"
#include "diag/diag.h"
#include "isa/tensor_map.h"
#include "layout/layout.h"
#include "num/format.h"

#include <stdbool.h>

/* ---- types ------------------------------------------------------------------------------- */

enum ir_class { IR_VOID, IR_BOOL, IR_SINT, IR_UINT, IR_FLOAT, IR_POINTER };

struct ir_type {
    enum ir_class cls;
    enum num_format format; /* IR_SINT, IR_UINT, IR_FLOAT: the row of the format table */
    uint16_t bits;          /* width of one value in storage; a bool is 8, a pointer 64 */
};

struct ir_type tw_ir_type_of(enum num_format format);
struct ir_type tw_ir_bool(void);
struct ir_type tw_ir_int32(void);
struct ir_type tw_ir_uint32(void);
struct ir_type tw_ir_uint64(void);
struct ir_type tw_ir_float32(void);
struct ir_type tw_ir_pointer(void);
bool tw_ir_type_equal(struct ir_type a, struct ir_type b);
/* The kernel language's dtype name: "float16", "int32", "bool", "handle". */
const char *tw_ir_type_name(struct ir_type t);

/* ---- storage, views, variables ------------------------------------------------------------ */

enum ir_scope { IR_GLOBAL, IR_SHARED, IR_LOCAL, IR_TMEM };
const char *tw_ir_scope_name(enum ir_scope s);

struct ir_expr;

struct ir_storage {
    uint32_t id; /* index in the kernel's storages */
    const char *name;
    enum ir_scope scope;
    struct ir_type elem;
    int64_t elems;         /* elements held: per thread (local), per CTA (shared, tmem), in all (global); -1: not static */
    uint32_t align_bytes;  /* of the base address; for IR_GLOBAL the caller's promise */
    bool align_stated;     /* the program says so; else a default */
    int32_t param;         /* IR_GLOBAL: index of the kernel parameter, else -1 */
    struct ir_expr *base;  /* IR_TMEM: the uint32 address it was declared at (of IR_VAR, IR_ADD, IR_CONST); else NULL */
    bool in_arena;         /* IR_SHARED: a piece of the kernel's arena, at `arena_offset`; pieces may overlap */
    int64_t arena_offset;  /* bytes */
    struct src_span at;    /* the declaration */
    /* IR_LOCAL, found by lowering: kept in .local memory instead of registers, because this expression indexes it at
       run time or takes its address. NULL: in registers. */
    const struct ir_expr *memory_reason;
};

struct ir_view {
    struct ir_storage *storage;
    struct ir_type elem;         /* may differ from the storage's (dtype view) */
    uint32_t rank;
    int64_t shape[TW_MAX_RANK];  /* static extents */
    const struct layout *layout; /* coordinates of `shape` -> axis values; memory part in units of `elem` */
    int64_t offset;              /* elements of `elem`, added to the memory part (after the layout's swizzle) */
    struct src_span at;
};

struct ir_region {
    struct ir_view *view;
    struct ir_expr *start[TW_MAX_RANK]; /* NULL: 0 */
    int64_t extent[TW_MAX_RANK];        /* rank of the view; an index is an extent of 1 */
    struct src_span at;
};

struct ir_stmt;

/* Inclusive. For a 64-bit unsigned value INT64_MAX as `high` says that larger values are possible too. */
struct ir_range {
    int64_t low, high;
};

struct ir_var {
    uint32_t id;
    const char *name;
    struct ir_type type;
    bool is_loop;     /* defined by an IR_FOR */
    bool is_assigned; /* stored to after its definition */
    int32_t param;    /* scalar kernel parameter index, else -1 */
    struct src_span at;
    const struct ir_stmt *definition; /* its IR_DEFINE or IR_FOR; found on demand by tw_ir_definition */
    struct ir_range range;            /* what tw_ir_range_of found, once range_known */
    bool range_known;
};

/* ---- expressions -------------------------------------------------------------------------- */

/* Where a thread is. Flat thread id = x + ntid.x * (y + ntid.y * z). */
enum ir_coord {
    IR_TID_X, IR_TID_Y, IR_TID_Z, IR_CTAID_X, IR_CTAID_Y, IR_CTAID_Z, IR_NTID_X, IR_NTID_Y, IR_NTID_Z,
    IR_NCTAID_X, IR_NCTAID_Y, IR_NCTAID_Z, IR_FLAT_TID, IR_LANE_ID, IR_WARP_ID, IR_WARPGROUP_ID,
    IR_TID_IN_WARPGROUP, IR_WARP_IN_WARPGROUP, IR_CLUSTER_CTARANK, IR_COORD_COUNT
};

enum ir_op {
    IR_CONST,   /* bits */
    IR_VAR,     /* var */
    IR_COORD,   /* coord: int32 */
    IR_LOAD,    /* region (all extents 1): one element */
    IR_ADDRESS, /* region (all extents 1): pointer to that element in its own space */
    IR_SLOT,    /* storage (IR_LOCAL) and bits = register index in units of `type`: lowered IR only; also a destination */
    /* unary: args[0] */
    IR_NEG, IR_NOT /* logical */, IR_BITNOT, IR_ABS,
    IR_EXP2, IR_EXP, IR_LOG2, IR_SQRT, IR_RSQRT, IR_TANH,
    IR_CAST,        /* numeric conversion to `type` */
    IR_REINTERPRET, /* same bits, other type */
    IR_SHARED_ADDR, /* pointer into shared memory -> uint32 shared-window address */
    /* binary: args[0], args[1] */
    IR_ADD, IR_SUB, IR_MUL, IR_DIV /* float */, IR_FLOORDIV, IR_FLOORMOD, IR_TRUNCDIV, IR_TRUNCMOD,
    IR_MIN, IR_MAX, IR_BITAND, IR_BITOR, IR_BITXOR, IR_SHL, IR_SHR,
    IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE, IR_AND /* logical, short-circuit */, IR_OR,
    IR_OFFSET, /* pointer + bytes (int64) */
    /* ternary */
    IR_SELECT, /* lazy: args[0] ? args[1] : args[2] */
    IR_OP_COUNT
};
const char *tw_ir_op_name(enum ir_op op);

struct ir_expr {
    enum ir_op op;
    struct ir_type type;
    struct src_span at;
    struct ir_expr *args[3];
    uint64_t bits;                /* IR_CONST, IR_SLOT */
    struct ir_var *var;           /* IR_VAR */
    enum ir_coord coord;          /* IR_COORD */
    struct ir_region *region;     /* IR_LOAD, IR_ADDRESS */
    struct ir_storage *storage;   /* IR_SLOT */
};

/* ---- statements --------------------------------------------------------------------------- */

enum ir_stmt_op {
    IR_DEFINE,   /* var, value (NULL: uninitialised) */
    IR_ASSIGN,   /* var, value */
    IR_STORE,    /* region (all extents 1), value */
    IR_FOR,      /* var, begin, end, step, unroll, body */
    IR_WHILE,    /* value = condition, body */
    IR_IF,       /* value = condition, body, orelse */
    IR_BREAK, IR_CONTINUE, IR_RETURN /* value or NULL */,
    IR_ASSERT,   /* value, text */
    IR_TILE,     /* tile: one T.cuda.tile.apply; or an ewise: body, from IR_DEFINEs of parameters and result on */
    IR_DISPATCH, /* tile: one Tx.* call, for which a variant is chosen; `opcode` is the name of the operation */
    IR_PTX,      /* ptx: one instruction */
    IR_CUDA,     /* cuda, args: one T.cuda.* helper */
    IR_STMT_OP_COUNT
};

enum ir_unroll { IR_SERIAL, IR_UNROLL_FULL /* T.unroll */, IR_UNROLL_HINT /* factor */, IR_UNROLL_NEVER };

/* T.cuda.* statements that stand for a documented short sequence of instructions. */
enum ir_cuda {
    IR_CTA_SYNC,       /* bar.sync 0 */
    IR_WARP_SYNC,      /* bar.warp.sync 0xffffffff */
    IR_WARPGROUP_SYNC, /* bar.sync args[0], 128 */
    IR_CLUSTER_SYNC,   /* barrier.cluster.arrive + wait */
    IR_MBARRIER_WAIT,  /* args: pointer, parity. A loop around mbarrier.try_wait.parity */
    IR_TRAP,           /* trap unless args[0] */
    IR_CUDA_COUNT
};
const char *tw_ir_cuda_name(enum ir_cuda c);

enum ir_exec_scope { IR_THREAD_SCOPE, IR_WARP_SCOPE, IR_WARPGROUP_SCOPE, IR_CTA_SCOPE, IR_CLUSTER_SCOPE };
const char *tw_ir_exec_scope_name(enum ir_exec_scope s);

/* An argument of a tile operation: a region, a scalar expression, or a static value. */
enum ir_arg_kind { IR_ARG_REGION, IR_ARG_EXPR, IR_ARG_INT, IR_ARG_BOOL, IR_ARG_STR, IR_ARG_TUPLE, IR_ARG_NONE };

struct ir_arg {
    enum ir_arg_kind kind;
    const char *name;          /* keyword, NULL for a positional operand */
    struct ir_region *region;
    struct ir_expr *expr;      /* IR_ARG_EXPR: run-time scalar (constants included) */
    int64_t value;             /* IR_ARG_INT, IR_ARG_BOOL */
    const char *text;          /* IR_ARG_STR */
    struct ir_arg *items;      /* IR_ARG_TUPLE */
    uint32_t item_count;
    struct src_span at;
};

struct ir_tile {
    const char *opcode; /* as written, canonical `::` spelling */
    struct src_span opcode_at;
    enum ir_exec_scope scope;
    struct ir_arg *operands; /* in order; those of IR_DISPATCH have names, and may be IR_ARG_NONE */
    uint32_t operand_count;
    struct ir_arg *params;   /* keywords but `scope` */
    uint32_t param_count;
};

/* One operand of an IR_PTX in the order of the instruction's PTX text. Vectors `{...}` are spelled out. */
enum ir_ptx_operand_kind {
    IR_PTX_VALUE,   /* expr: an input */
    IR_PTX_RESULT,  /* expr: IR_VAR, IR_SLOT or IR_LOAD of an element that receives the result */
    IR_PTX_UPDATE,  /* expr as IR_PTX_RESULT, read and written */
    IR_PTX_ADDRESS, /* expr: pointer, or uint32/uint64 address; offset_bytes is added */
    IR_PTX_TENSOR,  /* expr: pointer to a tensor map; items: coordinates, innermost first. [map, {c0, c1}] */
    IR_PTX_VECTOR,  /* items */
    IR_PTX_SINK     /* `_` */
};

struct ir_ptx_operand {
    enum ir_ptx_operand_kind kind;
    struct ir_expr *expr;
    int64_t offset_bytes;
    struct ir_ptx_operand *items;
    uint32_t item_count;
    struct src_span at;
};

struct ir_ptx {
    const char *mnemonic; /* full spelling, canonical order: resolved by the catalogue at emission */
    struct ir_ptx_operand *operands;
    uint32_t operand_count;
    struct ir_expr *pred; /* guard, or NULL */
};

struct ir_block {
    VEC(struct ir_stmt *) list;
};

struct ir_stmt {
    enum ir_stmt_op op;
    struct src_span at;
    struct ir_var *var;
    struct ir_expr *value;
    struct ir_region *region;
    struct ir_expr *begin, *end, *step; /* IR_FOR */
    enum ir_unroll unroll;
    int64_t unroll_factor;
    struct ir_block body, orelse;
    const char *text;
    struct ir_tile *tile;
    struct ir_ptx *ptx;
    enum ir_cuda cuda;
    struct ir_expr *args[4];
};

/* ---- kernels ------------------------------------------------------------------------------ */

/* What a tensor map is made from, by whoever launches the kernel (ir_map.c). */
struct ir_map {
    const struct ir_storage *tensor; /* a parameter; NULL: nothing describes the map */
    struct tensor_map map;           /* complete but for the address */
};

struct ir_param {
    const char *name;
    struct ir_storage *tensor; /* tensor parameter, or NULL */
    struct ir_view *view;      /* its whole view */
    struct ir_var *scalar;     /* scalar parameter, or NULL; of a tensor map, a pointer variable that is its address */
    struct ir_map *map;        /* a tensor map: 128 bytes passed by value; else NULL */
    struct src_span at;
};

struct ir_launch {
    int64_t grid[3], block[3], cluster[3]; /* static in this language stage; 0 = not given -> 1 */
    int64_t dynamic_shared_bytes;
    int64_t min_blocks; /* CTAs that an SM is to hold at once, which bounds their registers; 0: not stated */
    bool has_cluster;
    struct src_span at, min_blocks_at;
};

struct ir_kernel {
    struct arena *arena;
    const char *name;
    struct src_span at;
    struct ir_launch launch;
    VEC(struct ir_param) params;
    VEC(struct ir_storage *) storages;
    VEC(struct ir_var *) vars;
    struct ir_block body;
    int64_t arena_bytes;   /* of the arena in dynamic shared memory; 0: none */
    bool is_lowered;
};

/* ---- building (ir_build.c) ----------------------------------------------------------------- */

struct ir_kernel *tw_ir_kernel_new(struct arena *arena, const char *name, struct src_span at);
struct ir_storage *tw_ir_storage_new(struct ir_kernel *k, const char *name, enum ir_scope scope, struct ir_type elem,
                                     int64_t elems, struct src_span at);
struct ir_var *tw_ir_var_new(struct ir_kernel *k, const char *name, struct ir_type type, struct src_span at);
struct ir_view *tw_ir_view_new(struct ir_kernel *k, struct ir_storage *storage, struct ir_type elem, uint32_t rank,
                               const int64_t *shape, const struct layout *layout, int64_t offset, struct src_span at);
/* The whole view as a region. */
struct ir_region *tw_ir_region_whole(struct ir_kernel *k, struct ir_view *view, struct src_span at);

/* Constants are folded by the constructors: an operation on constants yields an IR_CONST, computed exactly as the
   emitted instruction would compute it; x+0, x*1, x*0 (integers), and select on a constant are simplified. */
struct ir_expr *tw_ir_const_int(struct ir_kernel *k, struct ir_type type, int64_t value, struct src_span at);
struct ir_expr *tw_ir_const_bits(struct ir_kernel *k, struct ir_type type, uint64_t bits, struct src_span at);
struct ir_expr *tw_ir_var_ref(struct ir_kernel *k, struct ir_var *var, struct src_span at);
struct ir_expr *tw_ir_coord(struct ir_kernel *k, enum ir_coord coord, struct src_span at);
struct ir_expr *tw_ir_load(struct ir_kernel *k, struct ir_region *element, struct src_span at);
struct ir_expr *tw_ir_address(struct ir_kernel *k, struct ir_region *element, struct src_span at);
struct ir_expr *tw_ir_slot(struct ir_kernel *k, struct ir_storage *local, int64_t index, struct src_span at);
struct ir_expr *tw_ir_unary(struct ir_kernel *k, enum ir_op op, struct ir_type type, struct ir_expr *a, struct src_span at);
struct ir_expr *tw_ir_binary(struct ir_kernel *k, enum ir_op op, struct ir_expr *a, struct ir_expr *b, struct src_span at);
struct ir_expr *tw_ir_cast(struct ir_kernel *k, struct ir_type to, struct ir_expr *a, struct src_span at);
struct ir_expr *tw_ir_select(struct ir_kernel *k, struct ir_expr *c, struct ir_expr *a, struct ir_expr *b, struct src_span at);
/* True with *value set if the expression is an integer or bool constant. */
bool tw_ir_is_const_int(const struct ir_expr *e, int64_t *value);

struct ir_stmt *tw_ir_stmt_new(struct ir_kernel *k, struct ir_block *into, enum ir_stmt_op op, struct src_span at);

/* ---- tensor maps (ir_map.c) ------------------------------------------------------------------- */

/* A new parameter that is a tensor map; its variable. */
struct ir_var *tw_ir_map_param(struct ir_kernel *k, const char *name, const struct ir_map *map, struct src_span at);
/* The parameter whose map is made from the same tensor with the same fields; else a new one, named after the tensor. */
struct ir_var *tw_ir_map_shared(struct ir_kernel *k, const struct ir_map *map, struct src_span at);
/* The element type, dimensions and strides of a map of the whole view. NULL, or why the view is no tensor of a map. */
const char *tw_ir_map_tensor(struct arena *arena, const struct ir_view *view, struct tensor_map *out);
/* An address as little aligned as the tensor's may be; where a program states nothing, it begins where an allocation does. */
uint64_t tw_ir_map_stand_in(const struct ir_storage *tensor);
/* The rules of the driver's encode call for a device of compute capability `sm`; false after a diagnostic. */
bool tw_ir_map_check(const struct ir_kernel *k, struct diags *diags, const struct ir_map *map, unsigned sm, const char *name,
                     struct src_span at);

/* ---- checking, printing --------------------------------------------------------------------- */

/* Reports broken invariants as text in `why` (an internal fault, not a user's error); true if sound. */
bool tw_ir_verify(const struct ir_kernel *k, struct text *why);
/* Readable, deterministic; what `--emit ir` and `--emit ir-lowered` show. */
void tw_ir_print(const struct ir_kernel *k, struct text *out);

/* The IR_DEFINE or IR_FOR of a variable, or NULL (a parameter). Remembered in the variable. */
const struct ir_stmt *tw_ir_definition(const struct ir_kernel *k, struct ir_var *var);

/* What is known of an integer expression's values: an inclusive range. Coordinates take theirs from the launch,
   loop variables from their bounds. Used to turn floor division into shifts and to find group extents. */
struct ir_range tw_ir_range_of(const struct ir_kernel *k, const struct ir_expr *e);

/* A power of two that divides every value of an integer expression; 2^40 for zero. */
int64_t tw_ir_divisor_of(const struct ir_kernel *k, const struct ir_expr *e);

#endif
