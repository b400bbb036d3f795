/* A PTX module: what the parser reads, the builder builds, the printer prints and the machine runs.
 *
 * Everything lives in one arena and refers to everything else by index. A function's body is kept
 * twice: as `insts`, an array in program order for those who execute or analyse, and as `stmts`,
 * the sequence of everything written (blocks, declarations, labels, .loc) for those who print.
 *
 * Names are resolved when read: a register, label or variable declared in a nested block has its
 * own index, whatever its name, so readers never look at scopes.
 *
 * Operands of an instruction are normalised: operand i of the instruction belongs to operand i of
 * its form; one that was left out is OPERAND_NONE. */
#ifndef TW_PTX_MODULE_H
#define TW_PTX_MODULE_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "diag/source.h"
#include "isa/isa.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define PTX_NONE UINT32_MAX /* an index that is absent */

enum ptx_operand_kind {
    OPERAND_NONE,    /* optional operand that was left out */
    OPERAND_SINK,    /* _ */
    OPERAND_REG,     /* index: func->regs */
    OPERAND_SREG,    /* index: enum isa_sreg_id; component 0..3 or PTX_WHOLE */
    OPERAND_INT,     /* value (WARP_SZ included) */
    OPERAND_F32,     /* value: the 32 bits */
    OPERAND_F64,     /* value: the 64 bits (0d literals and decimal ones) */
    OPERAND_SYMBOL,  /* address of a variable or function as a value: base, index, value = byte offset */
    OPERAND_ADDRESS, /* [base + value] */
    OPERAND_VECTOR,  /* index: first element in func->pool; count */
    OPERAND_TENSOR,  /* pool: the map's address operand, then count - 1 coordinates */
    OPERAND_LIST,    /* call arguments or results: index, count in the pool */
    OPERAND_LABEL,   /* index: func->labels */
    OPERAND_FUNC,    /* index: module->funcs */
    OPERAND_TABLE    /* index: func->tables (.branchtargets, .calltargets, .callprototype) */
};

/* What an address or symbol starts from. */
enum ptx_base {
    BASE_ABSOLUTE, /* value alone */
    BASE_REG,      /* func->regs[index] */
    BASE_VAR,      /* func->vars[index]: parameters and local variables */
    BASE_GLOBAL,   /* module->vars[index] */
    BASE_FUNC      /* module->funcs[index] */
};

enum { PTX_WHOLE = 0xff };

struct ptx_operand {
    uint8_t kind;      /* enum ptx_operand_kind */
    uint8_t base;      /* enum ptx_base, of SYMBOL and ADDRESS */
    uint8_t component; /* of SREG */
    bool negated;      /* !p */
    uint32_t index;
    uint32_t count;
    uint32_t begin, end; /* where it was written: byte offsets in the function's file */
    int64_t value;
};

struct ptx_reg {
    const char *name; /* %r5: for %r<20> the prefix "%r", with number 5 */
    uint32_t number;  /* PTX_NONE: the name is whole */
    uint16_t type;    /* enum isa_mod */
    char component;   /* of a vector register: 'x', 'y', 'z' or 'w'; 0: a scalar one */
    struct src_span at;
};

struct ptx_label {
    const char *name;
    uint32_t inst; /* the instruction that follows; func->insts.len at the end */
    struct src_span at;
};

/* .branchtargets, .calltargets: indices of labels or functions. .callprototype: parameters. */
enum ptx_table_kind { TABLE_BRANCH_TARGETS, TABLE_CALL_TARGETS, TABLE_CALL_PROTOTYPE };

struct ptx_param_type {
    uint16_t type;   /* enum isa_mod */
    bool in_reg;     /* .reg instead of .param */
    bool is_array;
    uint32_t align;  /* 0: natural */
    uint64_t count;  /* elements; 1 for a scalar */
};

struct ptx_table {
    enum ptx_table_kind kind;
    const char *name;
    VEC(uint32_t) targets;
    VEC(struct ptx_param_type) rets, params;
    bool noreturn;
    struct src_span at;
};

/* One element of an initialiser: bytes at `element` of the flattened array. */
enum ptx_init_kind { INIT_INT, INIT_F32, INIT_F64, INIT_ADDRESS, INIT_GENERIC /* generic(symbol) */ };

struct ptx_init {
    uint8_t kind;
    uint8_t base;     /* BASE_GLOBAL or BASE_FUNC, of addresses */
    uint8_t mask;     /* 0xff(symbol+offset) picks one byte: its number + 1; 0: the whole */
    uint32_t index;
    uint64_t element; /* position in row-major order */
    int64_t value;    /* value bits, or byte offset of an address */
};

enum ptx_linkage { LINK_NONE, LINK_EXTERN, LINK_VISIBLE, LINK_WEAK, LINK_COMMON };

enum { PTX_MAX_DIMS = 8 };

struct ptx_var {
    const char *name;
    uint16_t space;   /* MOD_GLOBAL, MOD_SHARED, MOD_CONST, MOD_LOCAL, MOD_PARAM, MOD_REG (function parameters) */
    uint16_t type;    /* element type */
    uint8_t vec;      /* 1, 2, 4: .v2 .v4 */
    uint8_t linkage;  /* enum ptx_linkage */
    uint8_t dim_count;
    bool managed;
    bool open_array;  /* [] first dimension: size from the initialiser, or dynamic */
    bool is_ptr;      /* .ptr of a kernel parameter */
    uint16_t ptr_space; /* MOD_NONE: generic */
    uint32_t ptr_align; /* 0: not given */
    uint32_t align;   /* bytes; natural alignment where not written */
    bool align_written;
    uint64_t dims[PTX_MAX_DIMS];
    uint64_t bytes;   /* size; 0 for an open array without initialiser */
    uint64_t offset;  /* kernel parameter: offset in the parameter block */
    uint32_t reg;     /* MOD_REG parameter: its register, else PTX_NONE */
    VEC(struct ptx_init) init;
    bool has_init;
    struct src_span at;
};

struct ptx_inst {
    const struct isa_form *form;
    const uint16_t *mods;  /* one a pattern element */
    uint32_t operands;     /* first in func->pool; form->operand_count of them */
    uint32_t guard;        /* predicate register or PTX_NONE */
    bool guard_negated;
    uint32_t loc;          /* func->locs index + 1 in effect; 0: none */
    uint32_t begin, end;   /* in the function's file */
};

/* .loc file line column [, function_name label [+ offset], inlined_at file line column] */
struct ptx_loc {
    uint32_t file, line, column;
    bool inlined;
    const char *function_name; /* debug label; NULL: none */
    int64_t function_offset;
    uint32_t at_file, at_line, at_column;
};

enum ptx_stmt_kind {
    STMT_INST,   /* index: insts */
    STMT_LABEL,  /* index: labels */
    STMT_REGS,   /* index: reg_decls */
    STMT_VARS,   /* index: vars */
    STMT_OPEN,   /* { */
    STMT_CLOSE,  /* } */
    STMT_LOC,    /* index: locs */
    STMT_PRAGMA, /* index: pragmas */
    STMT_TABLE   /* index: tables */
};

struct ptx_stmt {
    uint8_t kind;
    uint32_t index;
};

/* One name of a .reg statement: a plain register, or %r<20>. It declares count * vec registers from `first` on, the components
 * of a vector register one behind the other. */
struct ptx_reg_decl {
    uint16_t type;
    uint8_t vec; /* 1; .v2 and .v4: 2, 4 */
    bool range;
    bool continues; /* same statement as the previous declaration */
    uint32_t first, count;
};

struct ptx_directives {
    uint32_t maxntid[3], reqntid[3], reqnctapercluster[3]; /* all 0: not given; absent dimensions are 1 */
    uint8_t maxntid_dims, reqntid_dims, reqnctapercluster_dims; /* dimensions written */
    uint32_t minnctapersm, maxnctapersm, maxnreg, maxclusterrank; /* 0: not given */
    bool explicitcluster, blocksareclusters, noreturn;
    uint32_t abi_preserve, abi_preserve_control; /* 0: not given */
};

struct ptx_func {
    const char *name;
    bool is_entry;
    bool has_body;
    uint8_t linkage; /* enum ptx_linkage */
    bool is_alias;   /* .alias name, aliasee */
    uint32_t alias_of;
    struct ptx_directives directives;
    struct src_span at; /* the name */
    uint32_t file;      /* of every begin/end in the body */

    /* vars[0 .. param_count) are the parameters in order, the next ret_count the return values. */
    uint32_t param_count, ret_count;
    uint64_t param_bytes; /* size of a kernel's parameter block */
    VEC(struct ptx_var) vars;
    VEC(struct ptx_reg) regs;
    VEC(struct ptx_label) labels;
    VEC(struct ptx_operand) pool;
    VEC(struct ptx_inst) insts;
    VEC(struct ptx_table) tables;
    VEC(struct ptx_loc) locs;
    VEC(const char *) pragmas;        /* inside the body */
    VEC(const char *) header_pragmas; /* between header and body */
    VEC(struct ptx_reg_decl) reg_decls;
    VEC(struct ptx_stmt) stmts;
};

enum ptx_item_kind { ITEM_VAR, ITEM_FUNC, ITEM_FILE, ITEM_SECTION, ITEM_PRAGMA };

struct ptx_item {
    uint8_t kind;
    uint32_t index;
};

struct ptx_file {
    uint32_t number; /* as .loc names it */
    const char *name;
    bool has_stamp;
    uint64_t timestamp, size;
};

/* .section debug data, kept as written between the braces. */
struct ptx_section {
    const char *name;
    struct str body;
};

struct ptx_module {
    struct arena *arena;
    const struct isa *isa;
    struct isa_env env;
    VEC(const char *) target_options; /* texmode_unified, debug, map_f64_to_f32 ... */
    unsigned address_size;            /* 32 or 64 */
    uint32_t source;                  /* file index in the sources; 0: built, not parsed */
    VEC(struct ptx_var) vars;
    VEC(struct ptx_func) funcs;
    VEC(struct ptx_file) files;
    VEC(struct ptx_section) sections;
    VEC(const char *) pragmas;
    VEC(struct ptx_item) items; /* in the order written */
};

/* The operand of a role; a role that the form lacks or that was left out gives an OPERAND_NONE. */
extern const struct ptx_operand tw_ptx_no_operand;

/* Of an instruction without operands, and of an empty list, the result points to none: the pool may be empty. */
static inline const struct ptx_operand *tw_ptx_operands(const struct ptx_func *f, const struct ptx_inst *i)
{
    return f->pool.len == 0 ? &tw_ptx_no_operand : f->pool.at + i->operands;
}

static inline const struct ptx_operand *tw_ptx_operand(const struct ptx_func *f, const struct ptx_inst *i,
                                                       enum isa_role role)
{
    int at = i->form->operand_of[role];
    return at < 0 ? &tw_ptx_no_operand : &f->pool.at[i->operands + (uint32_t)at];
}

/* Elements of a vector, tensor or list operand. */
static inline const struct ptx_operand *tw_ptx_elements(const struct ptx_func *f, const struct ptx_operand *o)
{
    return f->pool.len == 0 ? &tw_ptx_no_operand : f->pool.at + o->index;
}

/* The modifier in a slot (enum isa_mod or a shape), MOD_NONE if absent or if the form has no such slot. */
static inline unsigned tw_ptx_mod(const struct ptx_inst *i, enum isa_slot slot)
{
    int at = i->form->elem_of[slot];
    return at < 0 ? MOD_NONE : i->mods[at];
}

static inline bool tw_ptx_has(const struct ptx_inst *i, enum isa_slot slot)
{
    return tw_ptx_mod(i, slot) != MOD_NONE;
}

static inline unsigned tw_ptx_mod_or(const struct ptx_inst *i, enum isa_slot slot, enum isa_mod otherwise)
{
    unsigned mod = tw_ptx_mod(i, slot);
    return mod == MOD_NONE ? otherwise : mod;
}

static inline struct isa_spelling tw_ptx_spelling(const struct ptx_inst *i)
{
    return (struct isa_spelling){i->form, i->mods};
}

static inline struct src_span tw_ptx_inst_span(const struct ptx_func *f, const struct ptx_inst *i)
{
    return (struct src_span){f->file, i->begin, i->end};
}

static inline struct src_span tw_ptx_operand_span(const struct ptx_func *f, const struct ptx_operand *o)
{
    return (struct src_span){f->file, o->begin, o->end};
}

/* The function of that name (its definition where there is one), or PTX_NONE. */
uint32_t tw_ptx_find_func(const struct ptx_module *m, struct str name);
/* The module-level variable of that name, or PTX_NONE. */
uint32_t tw_ptx_find_var(const struct ptx_module *m, struct str name);
/* The variable behind a SYMBOL or ADDRESS operand, or NULL. */
const struct ptx_var *tw_ptx_var_of(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_operand *o);
/* Full name of a register: "%r5". */
const char *tw_ptx_reg_name(const struct ptx_reg *reg, struct arena *arena);
/* The row of .file `number`, or NULL. */
const struct ptx_file *tw_ptx_find_file(const struct ptx_module *m, uint32_t number);

/* Structural equality: everything but positions and spellings of the same meaning. On a difference
 * `why` (may be NULL) says in words where. */
bool tw_ptx_module_equal(const struct ptx_module *a, const struct ptx_module *b, struct arena *arena,
                         const char **why);

#endif
