/* The decoded form of a kernel: what the interpreter runs.
 *
 * A kernel becomes an image: its own code first, then that of every function it can reach, all with
 * one layout of shared, local and parameter memory. Registers that no instruction uses get no row. */
#ifndef TW_MACHINE_DECODE_H
#define TW_MACHINE_DECODE_H

#include "diag/diag.h"
#include "isa/isa.h"
#include "machine/internal.h"
#include "num/format.h"
#include "ptx/module.h"

struct program;

/* Where a decoded instruction comes from, for messages. */
struct origin {
    struct src_span at;          /* PTX text */
    const struct ptx_inst *inst;
    const struct ptx_loc *locs;  /* of the function */
    uint32_t loc;                /* the last of them that stands before it, counted from 1; 0: none */
};

/* Rows that hold the same value while a warp runs, written when its frame is made. */
enum special_kind {
    SPECIAL_TID_X, SPECIAL_TID_Y, SPECIAL_TID_Z, SPECIAL_NTID_X, SPECIAL_NTID_Y, SPECIAL_NTID_Z,
    SPECIAL_CTAID_X, SPECIAL_CTAID_Y, SPECIAL_CTAID_Z, SPECIAL_NCTAID_X, SPECIAL_NCTAID_Y, SPECIAL_NCTAID_Z,
    SPECIAL_LANEID, SPECIAL_WARPID, SPECIAL_SMID, SPECIAL_NSMID, SPECIAL_GRIDID,
    SPECIAL_LANEMASK_EQ, SPECIAL_LANEMASK_LE, SPECIAL_LANEMASK_LT, SPECIAL_LANEMASK_GE, SPECIAL_LANEMASK_GT,
    SPECIAL_CLUSTERID_X, SPECIAL_CLUSTERID_Y, SPECIAL_CLUSTERID_Z,
    SPECIAL_NCLUSTERID_X, SPECIAL_NCLUSTERID_Y, SPECIAL_NCLUSTERID_Z,
    SPECIAL_CLUSTER_CTAID_X, SPECIAL_CLUSTER_CTAID_Y, SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_NCTAID_X, SPECIAL_CLUSTER_NCTAID_Y, SPECIAL_CLUSTER_NCTAID_Z,
    SPECIAL_CLUSTER_CTARANK, SPECIAL_CLUSTER_NCTARANK, SPECIAL_IS_EXPLICIT_CLUSTER,
    SPECIAL_DYNAMIC_SMEM_SIZE, SPECIAL_TOTAL_SMEM_SIZE, SPECIAL_AGGR_SMEM_SIZE,
    SPECIAL_SHARED_BASE,    /* rank << 24 | value: the address of a shared variable                       */
    SPECIAL_LOCAL_BASE,     /* the frame's .local variables: frame base + value                           */
    SPECIAL_CONSTANT_ZERO,  /* registers that read as zero: %pm, %envreg                                  */
    SPECIAL_CLOCK, SPECIAL_CLOCK_HI, SPECIAL_CLOCK64, SPECIAL_GLOBALTIMER, SPECIAL_GLOBALTIMER_LO, SPECIAL_GLOBALTIMER_HI
};

static inline bool is_clock(enum special_kind kind)
{
    return kind >= SPECIAL_CLOCK && kind <= SPECIAL_GLOBALTIMER_HI;
}

struct special_row {
    uint8_t kind; /* enum special_kind */
    uint8_t bytes; /* 4 or 8 a lane; 0: a predicate */
    uint32_t ref;
    uint32_t value;
};

/* One function (or the kernel) of an image. */
struct code {
    const struct image *image;
    const struct ptx_func *func;
    const char *name;
    struct dinst *insts;
    struct origin *origins;
    uint32_t count;
    uint32_t first;         /* number of its first instruction among those of the image */
    uint32_t *refs;         /* elements of vector operands */
    uint8_t *consts;        /* constant rows */
    uint32_t const_bytes;
    uint32_t frame_bytes;
    struct special_row *specials;
    uint32_t special_count;
    uint32_t param_bytes;   /* of a function's .param variables: its own arguments, results, and those of its calls */
    uint32_t local_bytes;
    const uint32_t *reg_ref;    /* rows of func->regs */
    const uint64_t *var_offset; /* of func->vars, in their spaces */
    const struct wgmma_watch *wgmma; /* NULL: no wgmma.mma_async in the function */
};

struct image {
    const struct program *program;
    const struct ptx_func *entry;
    struct code **codes; /* [0] is the kernel */
    uint32_t code_count;
    uint32_t shared_static_end;    /* offset in the window where static shared memory ends */
    uint32_t shared_dynamic_at;    /* where dynamic shared memory begins */
    bool has_dynamic_shared;
    uint32_t contractable;         /* float operations without a rounding qualifier */
    uint32_t inst_count;           /* of all functions */
    uint32_t largest_inc;          /* count of its setmaxnreg.inc; 0: it has none */
    uint32_t registers;            /* of a thread when the kernel begins, as far as setmaxnreg needs them; 0: not known */
    bool uses_stack;               /* alloca */
    bool uses_tmem;                /* it allocates tensor memory */
    bool strong;                   /* it has strong operations on global memory, by threads or engines */
    bool reads_nc;                 /* it loads with .nc */
    bool cancels;                  /* it may cancel clusters that have not begun */
};

/* ---- For the files that decode a family -------------------------------------------------------
 *
 * A family provides rows {operation, prepare}. `prepare` is called once an instruction: it fills d->run, types, mods and
 * operands. It returns false after reporting (tw_decode_unsupported, or a diagnostic of its own). */
struct decoder;
typedef bool prepare_fn(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);

struct op_row {
    enum isa_op op;
    prepare_fn *prepare;
};

/* The rows of each family; the last has op OP_NONE. */
extern const struct op_row tw_ops_integer[], tw_ops_bits[], tw_ops_float[], tw_ops_convert[], tw_ops_select[], tw_ops_memory[],
    tw_ops_address[], tw_ops_matrix[], tw_ops_cp_async[], tw_ops_atomic[], tw_ops_control[], tw_ops_warp[],
    tw_ops_barrier[], tw_ops_fence[], tw_ops_cancel[], tw_ops_stack[], tw_ops_registers[];
extern const struct op_row tw_ops_bulk[], tw_ops_tensormap[]; /* bulk copies and tensor maps */
extern const struct op_row tw_ops_tcgen05[], tw_ops_mbarrier[], tw_ops_mma[], tw_ops_wgmma[]; /* the tensor-core files */

struct arena *tw_decode_arena(struct decoder *dc);
const struct ptx_module *tw_decode_module(const struct decoder *dc);
void tw_decode_reads_nc(struct decoder *dc);     /* notes a load with .nc */
unsigned tw_decode_sm(const struct decoder *dc); /* compute capability of the GPU that the machine is */
const struct ptx_func *tw_decode_func(const struct decoder *dc);

/* Resolves one operand. `type` (enum isa_mod) gives the width of literals; MOD_NONE: 32 bits. An absent operand and the
 * sink give REF_NONE. Vectors: out->ref indexes tw_decode_elements, count is the length. */
bool tw_decode_operand(struct decoder *dc, const struct ptx_operand *o, unsigned type, struct dop *out);
/* The operand of a role into d->op[at], with the type of its form; op_count grows to at + 1. Absent: REF_NONE. */
bool tw_decode_role(struct decoder *dc, const struct ptx_inst *in, enum isa_role role, struct dinst *d, unsigned at);
/* Operands 0..op_count in the order of the form (at most DINST_OPS of them). */
bool tw_decode_all(struct decoder *dc, const struct ptx_inst *in, struct dinst *d);
/* Rows of the elements of a vector operand; REF_NONE for a sink. Valid while decoding; at run time: w->code->refs + ref. */
const uint32_t *tw_decode_elements(const struct decoder *dc, const struct dop *o);
/* A constant row of 4-, 8- or 16-byte slots (16: low half `value`, high half 0), or of a predicate (0 bytes). */
uint32_t tw_decode_constant(struct decoder *dc, unsigned bytes, uint64_t value);
/* The value of an operand that must be known here (an immediate); false after reporting. */
bool tw_decode_immediate(struct decoder *dc, const struct ptx_inst *in, enum isa_role role, int64_t otherwise, int64_t *out);

/* For calls: the code of a function (decoded later if it is new), the offset of a .param variable of the function being
 * decoded, and the place of a variable of a decoded function. tw_link_call runs when all code is decoded. */
struct code *tw_decode_callee(struct decoder *dc, uint32_t func);
uint32_t tw_decode_param_offset(const struct decoder *dc, uint32_t var);
void tw_decode_var_place(const struct decoder *dc, const struct code *code, uint32_t var, bool *in_register, uint32_t *at,
                         uint32_t *bytes, uint8_t *slot_bytes);
void tw_link_call(struct decoder *dc, const struct dinst *d);

/* Counts the instruction as known but not executed, for the reason given; returns false. */
bool tw_decode_unsupported(struct decoder *dc, const struct ptx_inst *in, const char *why);

/* The number format of a type modifier; packed types give their element, bit types the unsigned integer of the size. */
enum num_format tw_decode_format(unsigned type);
/* The machine's space, scope of a modifier; SPACE_GENERIC, SCOPE_NONE for MOD_NONE. */
enum space tw_decode_space(unsigned mod);
enum scope tw_decode_scope(unsigned mod);

/* Decodes a kernel and all it can reach. NULL after an error in diags. */
struct image *tw_image_decode(struct arena *arena, struct diags *diags, const struct program *program, const struct ptx_func *entry, unsigned sm);

#endif
