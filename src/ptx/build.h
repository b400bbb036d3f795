/* Builds a PTX module instruction by instruction, for emitters.
 *
 * An instruction is given by its spelling, in any order of modifiers, and its operands as they would
 * be written; both go through the same catalogue and the same checks as text does. A mistake is a
 * diagnostic at the builder's current source place.
 *
 *     struct ptx_build b;
 *     tw_ptx_build_begin(&b, arena, isa, diags, 88, "sm_100a");
 *     tw_ptx_build_entry(&b, "scale");
 *     struct ptx_operand x = tw_ptx_build_param(&b, "x", MOD_U64, 1, 0);
 *     struct ptx_operand p = tw_ptx_new_reg(&b, MOD_B64);
 *     tw_ptx_emit(&b, "ld.param.u64", p, ptx_addr(x, 0));
 *     tw_ptx_emit(&b, "ret");
 *     tw_ptx_build_end_func(&b);
 *     struct ptx_module *m = tw_ptx_build_end(&b); */
#ifndef TW_PTX_BUILD_H
#define TW_PTX_BUILD_H

#include "diag/diag.h"
#include "ptx/module.h"

struct ptx_build {
    struct arena *arena;
    const struct isa *isa;
    struct diags *diags;
    struct ptx_module *module;
    uint32_t func;             /* open function, or PTX_NONE */
    struct src_span at;        /* place that diagnostics name; the emitter sets it */
    uint32_t guard;            /* predicate for the next instruction, or PTX_NONE */
    bool guard_negated;
    uint32_t loc;              /* .loc in effect, as ptx_inst.loc */
    uint32_t next_number[8];   /* register numbering by name prefix */
    struct strmap spellings;   /* mnemonic -> index of a resolved spelling */
    struct ptx_spellings *cache;
    struct strmap label_names; /* stem -> times used in this function */
};

void tw_ptx_build_begin(struct ptx_build *b, struct arena *arena, const struct isa *isa, struct diags *diags,
                        unsigned ptx_version, const char *target);
/* Verifies the whole module. */
struct ptx_module *tw_ptx_build_end(struct ptx_build *b);

/* Opens a .visible .entry; parameters, directives, variables and instructions follow in any order. */
struct ptx_func *tw_ptx_build_entry(struct ptx_build *b, const char *name);
/* Opens a function of the given linkage; results and parameters by tw_ptx_build_ret and _param. */
struct ptx_func *tw_ptx_build_func(struct ptx_build *b, const char *name, enum ptx_linkage linkage);
/* Puts the register declarations at the top and closes the function. */
void tw_ptx_build_end_func(struct ptx_build *b);
/* A prototype only (.extern .func). */
void tw_ptx_build_end_prototype(struct ptx_build *b);
static inline struct ptx_func *tw_ptx_build_current(const struct ptx_build *b)
{
    return &b->module->funcs.at[b->func];
}

/* A parameter; count > 1 or align != 0 makes an aligned array (a tensor map: MOD_B8, 128, 64).
 * Yields a SYMBOL operand. */
struct ptx_operand tw_ptx_build_param(struct ptx_build *b, const char *name, enum isa_mod type, uint64_t count,
                                      uint32_t align);
struct ptx_operand tw_ptx_build_ret(struct ptx_build *b, const char *name, enum isa_mod type, uint64_t count,
                                    uint32_t align);
/* Marks the last parameter .ptr (hint for readers and ptxas). */
void tw_ptx_build_param_ptr(struct ptx_build *b, enum isa_mod space, uint32_t align);
/* A variable of the open function: MOD_SHARED, MOD_LOCAL or MOD_PARAM (call arguments). count elements. */
struct ptx_operand tw_ptx_build_var(struct ptx_build *b, enum isa_mod space, const char *name, enum isa_mod type,
                                    uint64_t count, uint32_t align);
/* A module-level variable, before the first function that uses it. LINK_EXTERN with count 0: dynamic shared memory. */
struct ptx_operand tw_ptx_build_global(struct ptx_build *b, enum isa_mod space, enum ptx_linkage linkage,
                                       const char *name, enum isa_mod type, uint64_t count, uint32_t align);
/* Gives the last module-level variable its bytes (element type MOD_B8 or MOD_U8). */
void tw_ptx_build_init_bytes(struct ptx_build *b, const void *bytes, size_t len);

struct ptx_operand tw_ptx_new_reg(struct ptx_build *b, enum isa_mod type);
uint32_t tw_ptx_new_label(struct ptx_build *b, const char *stem); /* unique name from the stem */
void tw_ptx_place_label(struct ptx_build *b, uint32_t label);

/* Operands as written. */
static inline struct ptx_operand ptx_int(int64_t value)
{
    return (struct ptx_operand){.kind = OPERAND_INT, .value = value};
}
static inline struct ptx_operand ptx_f32_bits(uint32_t bits)
{
    return (struct ptx_operand){.kind = OPERAND_F32, .value = (int64_t)bits};
}
static inline struct ptx_operand ptx_f64_bits(uint64_t bits)
{
    return (struct ptx_operand){.kind = OPERAND_F64, .value = (int64_t)bits};
}
static inline struct ptx_operand ptx_label(uint32_t label)
{
    return (struct ptx_operand){.kind = OPERAND_LABEL, .index = label};
}
static inline struct ptx_operand ptx_func(uint32_t func)
{
    return (struct ptx_operand){.kind = OPERAND_FUNC, .index = func};
}
static inline struct ptx_operand ptx_sink(void)
{
    return (struct ptx_operand){.kind = OPERAND_SINK};
}
static inline struct ptx_operand ptx_sreg(enum isa_sreg_id id, unsigned component)
{
    return (struct ptx_operand){.kind = OPERAND_SREG, .index = (uint32_t)id, .component = (uint8_t)component};
}
static inline struct ptx_operand ptx_not(struct ptx_operand p)
{
    p.negated = !p.negated;
    return p;
}
/* [base + offset]; base is a register or a symbol. */
static inline struct ptx_operand ptx_addr(struct ptx_operand base, int64_t offset)
{
    assert(base.kind == OPERAND_REG || base.kind == OPERAND_SYMBOL);
    return (struct ptx_operand){.kind = OPERAND_ADDRESS,
                                .base = base.kind == OPERAND_REG ? (uint8_t)BASE_REG : base.base,
                                .index = base.index,
                                .value = base.value + offset};
}
/* {a, b, ...}, (a, b, ...), [map, {c0, ...}]; the elements are copied. */
struct ptx_operand tw_ptx_vector(struct ptx_build *b, const struct ptx_operand *elems, size_t count);
struct ptx_operand tw_ptx_list(struct ptx_build *b, const struct ptx_operand *elems, size_t count);
struct ptx_operand tw_ptx_tensor(struct ptx_build *b, struct ptx_operand map, const struct ptx_operand *coords,
                                 size_t count);

/* The next instruction runs under @p (or @!p if `p` is negated). */
void tw_ptx_guard(struct ptx_build *b, struct ptx_operand p);
/* d|p is written as two operands in a row. False, with a diagnostic, if the catalogue refuses it. */
bool tw_ptx_emit_n(struct ptx_build *b, const char *spelling, const struct ptx_operand *operands, size_t count);
#define tw_ptx_emit(b, ...) TW_PTX_EMIT_((b), __VA_ARGS__, (struct ptx_operand){.kind = OPERAND_NONE})
#define TW_PTX_EMIT_(b, spelling, ...)                                            \
    tw_ptx_emit_n((b), (spelling), (const struct ptx_operand[]){__VA_ARGS__},     \
                  sizeof((const struct ptx_operand[]){__VA_ARGS__}) / sizeof(struct ptx_operand) - 1)

/* Source lines: a file's number for .loc (asking twice gives the same), and the line in effect. */
uint32_t tw_ptx_build_file(struct ptx_build *b, const char *name);
void tw_ptx_build_loc(struct ptx_build *b, uint32_t file, uint32_t line, uint32_t column);

#endif
