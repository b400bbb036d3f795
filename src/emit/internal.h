/* What the files of emission share: the emitter's state and the steps that one file offers another. */
#ifndef TW_EMIT_INTERNAL_H
#define TW_EMIT_INTERNAL_H

#include "emit/emit.h"
#include "ptx/build.h"

#include <stdbool.h>

/* ---- shared memory (shared_plan.c) ---------------------------------------------------------------- */

/* Where the shared tensors of a kernel go. Up to 48 KiB they are static variables; above that PTX has only dynamic
 * shared memory, so all of them share one extern array. */
struct shared_plan {
    bool dynamic;
    uint32_t align;
    int64_t bytes;    /* of the dynamic array */
    int64_t *offset;  /* by storage id, in the dynamic array */
};
struct shared_plan tw_emit_shared_plan(const struct ir_kernel *k);
int64_t tw_emit_storage_bytes(const struct ir_storage *s);

/* ---- local tensors in registers (local_units.c) ------------------------------------------------------ */

/* A local tensor in registers is kept in units as wide as its widest access. */
struct local_unit {
    uint32_t bits;  /* 0: not in registers, or never used */
    bool is_float;  /* every access is float32 or float64 of the unit's width */
    bool is_packed; /* some access is narrower than a unit */
    uint32_t count;
};
/* By storage id. */
struct local_unit *tw_emit_local_units(const struct ir_kernel *k);

/* ---- the emitter ------------------------------------------------------------------------------------ */

/* Values already computed in the open scopes, by what computes them. */
struct known_value {
    const char *spelling;
    struct ptx_operand in[3];
    uint32_t in_count;
    struct ptx_operand out;
    uint32_t hash, chain; /* previous entry of the bucket + 1 */
};
enum { VALUE_BUCKETS = 256 };

/* Registers of a local tensor, in its units. */
struct local_file {
    uint32_t unit_bits;   /* 0: not in registers */
    bool is_float;
    struct ptx_operand *regs;
    uint32_t count;
};

struct loop_labels {
    uint32_t next, end;
};

struct emitter {
    const struct ir_kernel *k;
    struct arena *arena;
    struct diags *diags;
    const struct isa *isa;
    struct isa_target target;
    unsigned ptx_version;
    struct ptx_build b;
    struct strmap names;              /* symbols in use */
    struct ptx_operand *vars;         /* by variable id; kind OPERAND_NONE until defined */
    struct ptx_operand *symbols;      /* by storage id: parameter, shared or .local variable */
    struct ptx_operand *scalars;      /* by variable id: the parameter of a scalar */
    struct local_file *files;         /* by storage id */
    struct shared_plan plan;
    VEC(uint8_t) mutable_regs;        /* by register index */
    VEC(struct known_value) values;
    uint32_t buckets[VALUE_BUCKETS];
    VEC(struct loop_labels) loops;
    struct src_span at;               /* of the statement */
    bool failed;
};

static inline bool emit_is_imm(struct ptx_operand o)
{
    return o.kind == OPERAND_INT || o.kind == OPERAND_F32 || o.kind == OPERAND_F64;
}

/* ---- instructions (emit_value.c) --------------------------------------------------------------------- */

/* Emits; a refusal by the catalogue is a diagnostic and marks the emitter failed. */
void tw_emit_inst(struct emitter *em, const char *spelling, const struct ptx_operand *operands, size_t count);
#define EMIT(em, spelling, ...)                                                              \
    tw_emit_inst((em), (spelling), (const struct ptx_operand[]){__VA_ARGS__},                \
                 sizeof((const struct ptx_operand[]){__VA_ARGS__}) / sizeof(struct ptx_operand))
void tw_emit_guarded(struct emitter *em, struct ptx_operand predicate, const char *spelling, const struct ptx_operand *operands,
                     size_t count);

/* A new register of a PTX type, and one that holds a value of an IR type. */
struct ptx_operand tw_emit_reg(struct emitter *em, enum isa_mod type);
enum isa_mod tw_emit_reg_type(struct ir_type t);
struct ptx_operand tw_emit_reg_of(struct emitter *em, struct ir_type t);
void tw_emit_mark_mutable(struct emitter *em, struct ptx_operand reg, bool is_mutable);
bool tw_emit_is_mutable(const struct emitter *em, struct ptx_operand o);

/* A pure instruction `spelling out, in...`: its result, computed once in a scope. */
struct ptx_operand tw_emit_pure(struct emitter *em, const char *spelling, enum isa_mod type, const struct ptx_operand *in,
                                size_t count);
#define PURE(em, spelling, type, ...)                                                        \
    tw_emit_pure((em), (spelling), (type), (const struct ptx_operand[]){__VA_ARGS__},        \
                 sizeof((const struct ptx_operand[]){__VA_ARGS__}) / sizeof(struct ptx_operand))
/* Values computed between open and close are not known afterwards: code that may not run. */
uint32_t tw_emit_scope_open(const struct emitter *em);
void tw_emit_scope_close(struct emitter *em, uint32_t mark);

/* "add.s32": an operation with the type suffix of an IR type. kind: 's' signed or float as the type is, 'b' bits. */
const char *tw_emit_spell(struct emitter *em, const char *operation, struct ir_type t, char kind);
/* "s32", "u16", "f32", "bf16": 8-bit integers compute in 16 bits. */
const char *tw_emit_suffix(struct ir_type t);
const char *tw_emit_bits_suffix(struct ir_type t);

/* A constant in the form that an instruction takes as an immediate; 16-bit floats have none and get a register. */
struct ptx_operand tw_emit_constant(struct emitter *em, struct ir_type t, uint64_t bits);
/* The operand in a register. */
struct ptx_operand tw_emit_in_reg(struct emitter *em, struct ptx_operand o, struct ir_type t);
/* d = s for registers of type t. */
void tw_emit_move(struct emitter *em, struct ptx_operand d, struct ptx_operand s, struct ir_type t);

/* ---- expressions (emit_expr.c, emit_arith.c, emit_cast.c) --------------------------------------------- */

/* The value: a register or an immediate. Good until a statement changes what it was read from. */
struct ptx_operand tw_emit_expr(struct emitter *em, const struct ir_expr *e);
/* A value that nothing changes later. */
struct ptx_operand tw_emit_stable(struct emitter *em, const struct ir_expr *e);
/* A predicate register, possibly negated. */
struct ptx_operand tw_emit_predicate(struct emitter *em, const struct ir_expr *e);
struct ptx_operand tw_emit_coord(struct emitter *em, enum ir_coord c);
struct ptx_operand tw_emit_unary(struct emitter *em, const struct ir_expr *e);
struct ptx_operand tw_emit_binary(struct emitter *em, const struct ir_expr *e);
struct ptx_operand tw_emit_cast(struct emitter *em, struct ptx_operand a, struct ir_type from, struct ir_type to,
                                struct src_span at);
bool tw_emit_touches_memory(const struct ir_expr *e);
/* Reports that a target has no instruction for this, and yields some register. */
struct ptx_operand tw_emit_refuse(struct emitter *em, struct src_span at, struct ir_type t, const char *what);

/* ---- memory (emit_memory.c) --------------------------------------------------------------------------- */

struct ptx_operand tw_emit_load(struct emitter *em, const struct ir_region *r);
void tw_emit_store(struct emitter *em, const struct ir_region *r, struct ptx_operand value);
/* "ld.global.u8": a memory operation with the type by which an element is kept in memory. */
const char *tw_emit_memory_op(struct emitter *em, const char *operation, struct ir_type t);
/* The element that a pointer expression starts from, if it shows; *bytes adds up constant displacements. */
const struct ir_expr *tw_emit_pointer_root(const struct ir_expr *e, int64_t *bytes);
/* A generic 64-bit pointer, a 32-bit shared address. */
struct ptx_operand tw_emit_pointer(struct emitter *em, const struct ir_expr *e);
struct ptx_operand tw_emit_shared_address(struct emitter *em, const struct ir_expr *pointer);
/* [address] for an instruction that reaches `space` (MOD_NONE: generic). */
struct ptx_operand tw_emit_address(struct emitter *em, const struct ir_expr *e, unsigned space, int64_t offset_bytes);

/* Local tensors in registers. */
struct ptx_operand tw_emit_read_slot(struct emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index);
void tw_emit_write_slot(struct emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index,
                        struct ptx_operand value);
/* The register itself, if the slot is a whole unit; false if it is part of one. */
bool tw_emit_slot_reg(const struct emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index,
                      struct ptx_operand *reg);
void tw_emit_plan_locals(struct emitter *em);

/* ---- statements (emit_stmt.c, emit_ptx_call.c) ----------------------------------------------------------- */

void tw_emit_block(struct emitter *em, const struct ir_block *b);
void tw_emit_ptx_call(struct emitter *em, const struct ir_ptx *x);
enum { EMIT_MAX_OPERANDS = ISA_MAX_OPERANDS + 1 };
/* The candidate that takes these operands, or NULL; place[j] is the form's operand for operand j as written. */
const struct isa_spelling *tw_emit_choose_form(const struct isa_match *m, const struct ir_ptx *x, uint8_t place[EMIT_MAX_OPERANDS]);

#endif
