/* CUDA C++ from lowered IR: what its files share.
 *
 * A kernel becomes one self-contained text: typedefs of the storage types that C++ lacks, helper functions, one wrapper
 * function for each distinct form of a PTX instruction, and the kernel. Expressions are C++ where C++ means the same to the
 * last bit; where it does not (a product and a sum that might be contracted, a conversion out of range, a shift by the width,
 * a signed sum that may wrap) they are intrinsics, unsigned arithmetic or wrappers around the instruction that the PTX
 * back end emits. */
#ifndef TW_EMIT_CUDA_H
#define TW_EMIT_CUDA_H

#include "emit/internal.h"

/* ---- C++ text --------------------------------------------------------------------------------------- */

/* How strongly an expression's outermost operator binds, as in C++. */
enum cuda_prec {
    PREC_CONDITIONAL, PREC_LOGICAL_OR, PREC_LOGICAL_AND, PREC_BIT_OR, PREC_BIT_XOR, PREC_BIT_AND, PREC_EQUAL, PREC_COMPARE,
    PREC_SHIFT, PREC_SUM, PREC_PRODUCT, PREC_UNARY, PREC_PRIMARY
};

/* An expression's text. Its C++ type is that of the IR expression it stands for. */
struct cx {
    const char *text;
    enum cuda_prec prec;
};

/* Functions that are written into the preamble where they are used: one row each in cuda_emit.c. */
enum cuda_helper {
    HELPER_SHARED_ADDRESS, HELPER_GLOBAL_ADDRESS, HELPER_LOCAL_ADDRESS, HELPER_FLOOR_DIV, HELPER_FLOOR_MOD, HELPER_COUNT
};

/* ---- wrappers (cuda_wrap.c) ------------------------------------------------------------------------- */

/* What an operand of an inline assembly is to its function. */
enum cuda_flow { CUDA_IN, CUDA_OUT, CUDA_UPDATE, CUDA_IMMEDIATE };

struct cuda_slot {
    enum cuda_flow flow;
    const char *type;  /* plain C++ type of the parameter; "bool" stands for a predicate register */
    const char *name;  /* of the parameter; made unique by a number */
};

struct cuda_piece {
    const char *text; /* NULL: a slot */
    uint32_t slot;
};

/* An instruction under construction. */
struct cuda_asm {
    struct cuda_emitter *em;
    VEC(struct cuda_slot) slots;
    VEC(struct cuda_piece) pieces;
    bool is_pure; /* no effect beside its result: not volatile, may be moved */
};

struct cuda_wrapper {
    const char *base, *name, *params;
    const char *head, *tail; /* the definition before and after the name */
};

/* ---- the emitter ------------------------------------------------------------------------------------ */

/* Room behind the kernel's variables for those that one statement makes. */
enum { KEPT_VARS = 2 };

struct cuda_var_facts {
    uint32_t uses, definitions;
    bool in_scope;
    bool is_result;      /* written by an instruction */
    bool outlives_block; /* used where the block of its definition has ended */
};

struct cuda_emitter {
    const struct ir_kernel *k;
    struct arena *arena;
    const struct isa *isa;
    const struct sources *sources;
    struct isa_target target;
    struct strmap names;             /* identifiers in use */
    const char **vars, **storages;   /* identifiers by id */
    const char *map_type;            /* of parameters that are tensor maps; NULL: there is none */
    struct cuda_var_facts *var_facts;
    bool *is_written;                /* by storage id: stored to, or its address is taken */
    struct local_unit *units;
    struct shared_plan plan;
    VEC(struct cuda_wrapper) wrappers;
    uint32_t helpers;                /* set of enum cuda_helper */
    const char *formats[NUM_FORMAT_COUNT]; /* typedefs in use */
    struct text body;
    uint32_t depth;                  /* of indentation */
    uint32_t kept;                   /* values that a statement keeps in variables of its own */
    const char *file;                /* of the last source comment */
    uint32_t line;
};

/* ---- names and types (cuda_name.c) ------------------------------------------------------------------ */

/* Reserves what C++, the CUDA headers and the preamble use. */
void tw_cuda_reserve_names(struct cuda_emitter *em);
/* Whether words of this shape are reserved: __x, cudaX, macros. */
bool tw_cuda_is_reserved_shape(const char *name);
/* Whether a kernel may be called so as it stands (cuda_entry_name.c). */
bool tw_cuda_name_is_free(const struct cuda_emitter *em, const char *name);
/* An identifier that nothing else has, as near to `name` as can be. */
const char *tw_cuda_identifier(struct cuda_emitter *em, const char *name);
/* "int", "f16": the type of a value; a typedef of a storage type is noted as used. */
const char *tw_cuda_type(struct cuda_emitter *em, struct ir_type t);
/* The same without typedefs: "unsigned short". */
const char *tw_cuda_plain_type(struct ir_type t);
/* The type of an element in memory: a bool is a byte. */
const char *tw_cuda_memory_type(struct cuda_emitter *em, struct ir_type t);
/* The plain type of a value in a register of inline assembly: 16 bits at least. */
const char *tw_cuda_register_type(struct ir_type t, bool is_signed);
struct cx tw_cuda_constant(struct cuda_emitter *em, struct ir_type t, uint64_t bits);

/* ---- building text (cuda_name.c) -------------------------------------------------------------------- */

struct cx tw_cuda_primary(struct cuda_emitter *em, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text, in parentheses unless it binds at least as strongly as `prec`. */
const char *tw_cuda_paren(struct cuda_emitter *em, struct cx x, enum cuda_prec prec);
struct cx tw_cuda_infix(struct cuda_emitter *em, struct cx a, const char *op, enum cuda_prec prec, struct cx b);
struct cx tw_cuda_as(struct cuda_emitter *em, const char *type, struct cx x); /* (type)x */
struct cx tw_cuda_call1(struct cuda_emitter *em, const char *function, struct cx x);
struct cx tw_cuda_call2(struct cuda_emitter *em, const char *function, struct cx a, struct cx b);
const char *tw_cuda_helper(struct cuda_emitter *em, enum cuda_helper h);

/* ---- wrappers --------------------------------------------------------------------------------------- */

void tw_cuda_asm_text(struct cuda_asm *a, const char *text);
void tw_cuda_asm_slot(struct cuda_asm *a, struct cuda_slot slot);
/* Whether the function returns its result: it has one, and reads no old value of it. */
bool tw_cuda_asm_returns(const struct cuda_asm *a);
/* The function's name; its base follows from the mnemonic. Equal assemblies share one function. */
const char *tw_cuda_asm_finish(struct cuda_asm *a, const char *mnemonic);
/* `spelling result, in...` as an expression, for an instruction that computes and does nothing else. */
struct cx tw_cuda_pure(struct cuda_emitter *em, const char *spelling, struct ir_type to, const struct ir_type *from,
                       const struct cx *in, size_t count);
/* A special register: "%cluster_ctarank". */
struct cx tw_cuda_special(struct cuda_emitter *em, const char *name);

/* ---- expressions (cuda_expr.c, cuda_arith.c, cuda_cast.c) ------------------------------------------- */

struct cx tw_cuda_expr(struct cuda_emitter *em, const struct ir_expr *e);
struct cx tw_cuda_unary(struct cuda_emitter *em, const struct ir_expr *e);
struct cx tw_cuda_binary(struct cuda_emitter *em, const struct ir_expr *e);
struct cx tw_cuda_cast(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to);
/* The same bits as another type. */
struct cx tw_cuda_reinterpret(struct cuda_emitter *em, struct cx a, struct ir_type from, struct ir_type to);
/* Nothing that a statement does changes the value. */
bool tw_cuda_is_stable(const struct cuda_emitter *em, const struct ir_expr *e);
bool tw_cuda_reads_memory(const struct ir_expr *e);

/* ---- memory (cuda_memory.c) ------------------------------------------------------------------------- */

/* Whether a region is in registers, and then its slot. */
bool tw_cuda_in_registers(const struct ir_region *r, int64_t *index);
/* An element in memory as an lvalue: "A[32 * i + j]". */
struct cx tw_cuda_element(struct cuda_emitter *em, const struct ir_region *r);
struct cx tw_cuda_load(struct cuda_emitter *em, const struct ir_region *r);
void tw_cuda_store(struct cuda_emitter *em, const struct ir_region *r, struct cx value);
struct cx tw_cuda_read_slot(struct cuda_emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index);
void tw_cuda_write_slot(struct cuda_emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index, struct cx value);
/* The unit itself as an lvalue, where the slot is a whole one; its type is an IR type. */
bool tw_cuda_slot_unit(struct cuda_emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index, struct cx *unit,
                       struct ir_type *type);
struct ir_type tw_cuda_unit_type(const struct local_unit *u);
struct cx tw_cuda_pointer(struct cuda_emitter *em, const struct ir_expr *e);
struct cx tw_cuda_shared_address(struct cuda_emitter *em, const struct ir_expr *pointer);
/* The address operand of an instruction that reaches `space`, and the type of the register that it wants. */
struct cx tw_cuda_address(struct cuda_emitter *em, const struct ir_expr *e, unsigned space, int64_t offset_bytes,
                          const char **type);

/* ---- statements (cuda_stmt.c, cuda_scope.c, cuda_ptx.c) --------------------------------------------- */

/* One statement or line, indented, broken where it is too long. */
void tw_cuda_line(struct cuda_emitter *em, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tw_cuda_block(struct cuda_emitter *em, const struct ir_block *b);
/* Finds the facts of variables and storages. */
void tw_cuda_find_facts(struct cuda_emitter *em);
/* Whether a variable has one value for as long as it lives. */
bool tw_cuda_is_constant(const struct cuda_emitter *em, const struct ir_var *v);
/* Whether a variable is declared at the top of the kernel instead of where it is defined. */
bool tw_cuda_is_declared_early(const struct cuda_emitter *em, const struct ir_var *v);
void tw_cuda_ptx_call(struct cuda_emitter *em, const struct ir_ptx *x);
/* An instruction whose one result is the value of the expression. */
struct cx tw_cuda_ptx_value(struct cuda_emitter *em, const struct ir_ptx *x);

#endif
