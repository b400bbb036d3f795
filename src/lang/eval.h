/* The evaluator's inside: shared by eval_*.c, exec_*.c and the lib_*.c files that hold the language's functions.
 *
 * One evaluator serves three situations.
 *   module level     host code and constants; what it does not know becomes a host value;
 *   kernel building  the body of one kernel is walked and IR emitted; what is not known is an error;
 *   plain functions  called from either, executed as Python.
 * In a kernel body (and in @T.inline functions) binding a scalar makes a run-time variable; in a plain
 * function, binding is Python's. */
#ifndef TW_LANG_EVAL_H
#define TW_LANG_EVAL_H

#include "diag/diag.h"
#include "ir/ir.h"
#include "isa/isa.h"
#include "lang/lang.h"
#include "lang/value.h"

/* ---- scopes ---- */

struct binding {
    const char *name;
    struct value value;
    struct src_span at;
    bool fixed; /* the caller's environment: assignments are skipped */
};

/* Bindings are a log: lookups go backwards. A kernel sees the log as it stood when the kernel was defined;
 * `visible` is set while it is built. */
struct scope {
    struct scope *parent;
    VEC(struct binding) log;
    uint32_t kept;    /* entries below were seen by a definition and are never overwritten */
    uint32_t visible; /* UINT32_MAX: all */
    bool is_script;   /* binding a scalar makes a run-time variable */
    bool is_branch;   /* opened by a run-time loop or branch */
    bool is_function; /* assignments in here stay in here */
    bool is_class;    /* members: methods do not see them as names */
};

/* Where execution stands in a block, innermost first; to see what is assigned later. */
struct cursor {
    struct cursor *up;
    const struct block *block;
    uint32_t next;
    const struct scope *scope;
};

struct scope_limit {
    struct scope *scope;
    uint32_t visible;
};

struct kernel {
    const char *name;
    struct src_span at;
    const struct def *def;
    struct scope *scope;
    VEC(struct scope_limit) limits;
    const char *decorator; /* "function" */
    bool is_private;
};

struct lang_program {
    struct arena *arena;
    struct sources *sources;
    struct diags *diags;
    const struct isa *isa;
    struct interner names;
    struct scope *module;
    struct scope *library; /* of the classes that come with the language (library.c); NULL: not asked for so far */
    uint32_t library_file;
    VEC(struct kernel *) kernels;
};

struct kernel_build;
struct args;

struct eval {
    struct arena *arena;
    struct diags *diags;
    const struct sources *sources;
    const struct isa *isa;
    struct interner *names;
    struct lang_program *program;
    struct scope *scope;
    struct cursor *cursor;
    struct kernel_build *build; /* NULL at module level */
    struct value result;        /* of `return` */
    const struct function *method; /* whose body is walked, if it is one: what super() refers to */
    bool in_inline;
    uint32_t depth;
    uint64_t steps;
    bool stopped; /* a limit was hit: nothing more is evaluated */
};

/* One kernel under construction. */
struct kernel_build {
    struct ir_kernel *k;
    struct ir_block *into;
    bool on_device;
    bool has_launch;       /* grid and block are known */
    struct src_span entry; /* T.device_entry() */
    VEC(struct pool *) pools;
};

static inline struct ir_kernel *eval_kernel(const struct eval *ev) { return ev->build->k; }

struct scope *tw_scope_new(struct arena *arena, struct scope *parent);
struct binding *tw_scope_find(struct scope *s, const char *name, struct scope **where);
/* In this scope alone. */
struct binding *tw_scope_find_here(struct scope *s, const char *name);
void tw_scope_bind(struct eval *ev, const char *name, struct value v, struct src_span at);
void tw_scope_bind_in(struct arena *arena, struct scope *s, const char *name, struct value v, struct src_span at);
/* The known name nearest to `name`, or NULL. */
const char *tw_scope_nearest(const struct eval *ev, const char *name);

/* ---- faults ---- */

/* Not known to the evaluator: in a kernel an error that names `what`, else a host value. */
struct value tw_eval_unsupported(struct eval *ev, struct src_span at, const char *format, ...) TW_PRINTF(3, 4);
struct value tw_eval_host(struct eval *ev, struct src_span at, struct value from);
/* A host value reached a kernel. */
struct value tw_eval_host_used(struct eval *ev, struct src_span at, struct value v, const char *where);
/* The same where a run-time value is no nearer to what is wanted than any other. */
struct value tw_eval_wrong_kind(struct eval *ev, struct src_span at, const char *what, const char *expected, struct value v);
/* `what` should be `expected` but is `v`; silent for VALUE_ERROR, and reports host values as such. */
struct value tw_eval_mismatch(struct eval *ev, struct src_span at, const char *what, const char *expected, struct value v);
/* False once the evaluation is over its limits (reported once). */
bool tw_eval_enter(struct eval *ev, struct src_span at);
void tw_eval_leave(struct eval *ev);
bool tw_eval_step(struct eval *ev, struct src_span at);
struct layout_env tw_eval_layout_env(const struct eval *ev, struct src_span at);

/* ---- expressions ---- */

struct value tw_eval_expr(struct eval *ev, const struct expr *e);
struct value tw_eval_call(struct eval *ev, const struct expr *e);
struct value tw_eval_attr(struct eval *ev, const struct expr *e);
struct value tw_eval_subscript(struct eval *ev, const struct expr *e);
struct value tw_eval_subscript_of(struct eval *ev, struct value object, struct value index, struct src_span at);
struct value tw_eval_comprehension(struct eval *ev, const struct expr *e);
struct value tw_eval_binary(struct eval *ev, enum binary_op op, struct value a, struct value b, struct src_span at);
struct value tw_eval_compare(struct eval *ev, enum compare_op op, struct value a, struct value b, struct src_span at);
struct value tw_eval_unary(struct eval *ev, enum unary_op op, struct value v, struct src_span at);
/* Elements of a sequence, a range, a dict's keys or a string's characters; false when it is none (reported). */
bool tw_eval_items(struct eval *ev, struct value v, struct src_span at, struct value_list *out);
struct value tw_value_list_of(struct arena *arena, enum value_kind kind, const struct value *items, uint32_t count);

/* A value that is read again: run-time expressions are trees, so a second use needs its own copy. */
struct value tw_eval_fresh(struct eval *ev, struct value v);

/* ---- run-time values (arith_ir.c) ---- */

/* The value as a run-time expression: numbers become constants of their natural type. NULL after a diagnostic;
 * `what` names it in the message. */
struct ir_expr *tw_eval_to_expr(struct eval *ev, struct value v, struct src_span at, const char *what);
/* As above, converted to `type` with the rules of assignment. */
struct ir_expr *tw_eval_to_typed(struct eval *ev, struct value v, struct ir_type type, struct src_span at, const char *what);
struct ir_expr *tw_eval_to_bool(struct eval *ev, struct value v, struct src_span at, const char *what);
/* An integer of any type, as int32 where it is one already or a number. */
struct ir_expr *tw_eval_to_index(struct eval *ev, struct value v, struct src_span at, const char *what);
struct value tw_eval_ir_binary(struct eval *ev, enum binary_op op, struct value a, struct value b, struct src_span at);
struct value tw_eval_ir_compare(struct eval *ev, enum compare_op op, struct value a, struct value b, struct src_span at);
/* Both operands in their common type (language 2.2, 2.5); false after a diagnostic. */
bool tw_eval_balance(struct eval *ev, struct value a, struct value b, struct ir_expr **x, struct ir_expr **y, struct src_span at);
/* A constant of the type; false (reported) if the number does not fit. */
struct ir_expr *tw_eval_constant(struct eval *ev, struct value v, struct ir_type type, struct src_span at);
bool tw_ir_expr_equal(const struct ir_expr *a, const struct ir_expr *b);
bool tw_eval_is_scalar_tensor(struct value v);

/* ---- static arguments ---- */

bool tw_eval_static_int(struct eval *ev, struct value v, struct src_span at, const char *what, int64_t *out);
bool tw_eval_static_str(struct eval *ev, struct value v, struct src_span at, const char *what, struct str *out);
bool tw_eval_static_bool(struct eval *ev, struct value v, struct src_span at, const char *what, bool *out);
/* A tuple or list of integers, or one integer. */
bool tw_eval_static_shape(struct eval *ev, struct value v, struct src_span at, const char *what, struct shape *out);
bool tw_eval_dtype(struct eval *ev, struct value v, struct src_span at, const char *what, struct ir_type *out);
/* A layout, or "default" / None for row-major (NULL). */
bool tw_eval_layout(struct eval *ev, struct value v, struct src_span at, const struct layout **out);

/* ---- classes and their objects (class.c) ---- */

struct value tw_class_new(struct eval *ev, const struct class *of, const struct args *args, struct src_span at);
struct value tw_object_attr(struct eval *ev, const struct object *o, const char *name, struct src_span at);
struct value tw_class_attr(struct eval *ev, const struct class *of, const char *name, struct src_span at);
/* The field, or NULL. */
struct value *tw_object_field(const struct object *o, const char *name);
void tw_object_set(struct eval *ev, const struct object *o, const char *name, struct value v);
/* super(), inside a method; VALUE_ERROR after a diagnostic. */
struct value tw_object_super(struct eval *ev, struct src_span at);
/* A member of the classes that come with the language (library.c). */
struct value tw_library_member(struct eval *ev, const char *name, bool *found);

/* A function of theirs that programs do not see. */
struct value tw_library_function(struct eval *ev, const char *name);
extern const char *const tw_library_names[]; /* NULL-terminated */

/* ---- pools (lib_pool.c) ---- */

struct value tw_pool_attr(struct eval *ev, struct value pool, const char *name, struct src_span at);
/* Reports pools that are never committed. */
void tw_pool_finish(struct eval *ev);
/* Whether the storage is tensor memory that is not allocated so far. */
bool tw_pool_is_open(const struct eval *ev, const struct ir_storage *s);

/* ---- statements ---- */

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

enum flow tw_exec_block(struct eval *ev, const struct block *b);
enum flow tw_exec_stmt(struct eval *ev, const struct stmt *s);
enum flow tw_exec_for(struct eval *ev, const struct stmt *s);
enum flow tw_exec_while(struct eval *ev, const struct stmt *s);
void tw_exec_import(struct eval *ev, const struct stmt *s);
void tw_exec_def(struct eval *ev, const struct stmt *s);
void tw_exec_class(struct eval *ev, const struct stmt *s);
void tw_exec_assign_to(struct eval *ev, const struct expr *target, struct value v, struct src_span at);
/* Names that the statement would have bound become host values. */
void tw_exec_skip(struct eval *ev, const struct stmt *s, struct value why);
void tw_exec_annotated(struct eval *ev, const struct stmt *s);
void tw_exec_augmented(struct eval *ev, const struct stmt *s);
/* A new run-time scope and block; returns what to restore. */
struct ir_block *tw_exec_open(struct eval *ev, struct ir_block *block);
void tw_exec_close(struct eval *ev, struct ir_block *outer);
struct value tw_eval_let_value(struct eval *ev, const char *name, struct value v, struct ir_type type, struct src_span at);

/* ---- the language's names (names.c) ---- */

enum { MAX_ARGS = 32 };

struct arg {
    struct value value;
    struct src_span at;
    bool given;
    const char *name; /* of a keyword in `rest` */
};

struct args {
    struct arg *at;
    uint32_t len, cap;
};

/* A call with its arguments sorted by the signature. */
struct call {
    const struct builtin *row;
    struct value self;
    struct src_span at;        /* the whole call */
    struct arg args[MAX_ARGS]; /* by position in the signature */
    struct args rest;          /* *args and **kwargs, in order */
};

typedef struct value builtin_fn(struct eval *ev, struct call *c);

enum builtin_where {
    ANYWHERE,
    IN_KERNEL, /* makes IR */
    ON_DEVICE  /* makes IR, after T.device_entry() */
};

struct builtin {
    const char *name;      /* "alloc_shared" */
    const char *signature; /* "shape, dtype?, *, scope?, *rest, **named": `?` may be left out */
    builtin_fn *call;
    enum builtin_where where;
};

struct builtin_table {
    const struct builtin *rows;
    uint32_t count;
};

struct namespace_row {
    const char *path;       /* "T.cuda", for messages */
    const char *const *modules; /* import paths without the root package, NULL-terminated; or NULL */
    const struct builtin_table *const *tables; /* NULL-terminated */
    /* Members that are no functions; VALUE_ERROR with *found = false when there is none. */
    struct value (*member)(struct eval *ev, const char *name, bool *found);
    const char *const *members;   /* their names, NULL-terminated, for suggestions; or NULL */
    const char *const *refused;   /* names of the language that are not supported, NULL-terminated; or NULL */
};

extern const struct namespace_row tw_names_script, tw_names_cuda, tw_names_tile, tw_names_axis, tw_names_layout,
    tw_names_tirx_layout, tw_names_swizzle_mode, tw_names_tx;
struct value tw_names_member(struct eval *ev, const struct namespace_row *space, const char *name, struct src_span at);
/* The namespace of an import path, or NULL. */
const struct namespace_row *tw_names_module(struct str path);
struct value tw_names_python(const char *name, bool *found);
bool tw_names_is_python_builtin(const char *name);
struct value tw_names_tensor_member(struct eval *ev, struct value tensor, const char *name, struct src_span at);
struct value tw_names_namespace(const struct namespace_row *space);
/* A member function with the value that it is a member of. */
struct value tw_eval_method(struct eval *ev, const struct builtin *row, struct value self);
struct value tw_call_user(struct eval *ev, const struct function *f, const struct args *args, struct src_span at);
struct value tw_call_builtin(struct eval *ev, struct bound_builtin b, const struct args *args, struct src_span at);
bool tw_call_refuse_given(struct eval *ev, struct call *c, int arg, const char *name);
/* T.ptx */
struct value tw_ptx_namespace(struct eval *ev);
struct value tw_ptx_attr(struct eval *ev, struct value opcode, const char *name, struct src_span at);
struct value tw_ptx_subscript(struct eval *ev, struct value opcode, struct value index, struct src_span at);
struct value tw_ptx_call(struct eval *ev, const struct opcode *o, const struct args *args, struct src_span at);
/* The mnemonic that an instruction value spells. */
const char *tw_ptx_mnemonic(const struct eval *ev, const struct opcode *o);

extern const struct builtin_table tw_lib_python, tw_lib_layout, tw_lib_factories, tw_lib_types, tw_lib_alloc, tw_lib_math,
    tw_lib_control, tw_lib_cuda, tw_lib_launch, tw_lib_tile, tw_lib_tensor, tw_lib_pool;
/* Operations of Tx, one table for each scope that a name can widen them to. */
extern const struct builtin_table tw_lib_tx[IR_CLUSTER_SCOPE + 1];

/* An argument of a tile operation: a tensor, a static value or a run-time scalar. `what` names it in messages. */
bool tw_eval_tile_arg(struct eval *ev, struct value v, struct src_span at, const char *what, struct ir_arg *out);
/* A positional operand: a literal is a scalar of its natural type. */
bool tw_eval_tile_operand(struct eval *ev, const struct arg *a, struct ir_arg *out);
bool tw_eval_tile_param(struct eval *ev, const struct arg *a, const char *what, struct ir_arg *out);
/* scope=: "thread" if it is not given. */
bool tw_eval_exec_scope(struct eval *ev, const struct arg *a, enum ir_exec_scope *out);
builtin_fn tw_lib_ewise;
/* Members of T.cuda that live with their kin. */
builtin_fn tw_lib_decl_tmem, tw_lib_launch_config;
/* The CTA's place in its cluster along an axis (0 x, 1 y, 2 z); 0 where no cluster is launched. */
struct ir_expr *tw_eval_cta_in_cluster(struct eval *ev, int axis, struct src_span at);
/* The order is that of launch_params in lib_launch.c. */
#define TW_LAUNCH_PARAMS                                                                                                  \
    "*, grid, block, cluster?, dynamic_smem_bytes?, preferred_cluster?, stream?, cooperative?, "                        \
    "programmatic_stream_serialization?, cluster_scheduling_policy?, priority?, mem_sync_domain?, "                     \
    "mem_sync_domain_map?, access_policy_window?, preferred_shared_memory_carveout?, nvlink_util_centric_scheduling?, " \
    "portable_cluster_size_mode?, shared_memory_mode?, programmatic_event?, launch_completion_event?"

/* A parameter declared as T.handle becomes a tensor. */
struct value tw_build_match_param(struct eval *ev, uint32_t param, const struct tensor_type *type, struct src_span at);

/* A builtin that is the library's function `prefix` + its own name, dots as underscores; arguments go by name. */
struct value tw_library_call(struct eval *ev, const struct call *c, const char *prefix);

/* ---- tensors ---- */

struct value tw_tensor_value(struct eval *ev, struct tensor t);
struct value tw_tensor_declare(struct eval *ev, const char *name, const struct tensor_type *type, enum ir_scope scope,
                               struct src_span at);
struct value tw_tensor_index(struct eval *ev, const struct tensor *t, struct value index, struct src_span at);
struct ir_region *tw_tensor_whole(struct eval *ev, const struct tensor *t, struct src_span at);
/* The element of a one-element tensor. */
struct ir_region *tw_tensor_only(struct eval *ev, const struct tensor *t, struct src_span at);
/* The address of an element, or of the first (indices == NULL). */
struct value tw_tensor_address(struct eval *ev, const struct tensor *t, const struct value_list *indices, struct src_span at);
/* The arguments that T.Tensor and the allocation calls share. */
struct type_args {
    const struct arg *shape, *dtype, *scope, *align, *layout;
    struct src_span at;
};
bool tw_tensor_read_type(struct eval *ev, const struct type_args *a, struct tensor_type *t);
bool tw_scope_of_name(struct eval *ev, struct value v, struct src_span at, enum ir_scope *out);
/* Bytes after which a layout's swizzle repeats; 0 without one. */
uint32_t tw_tensor_swizzle_period(const struct layout *layout, uint32_t elem_bits);
/* Tensors are named by the assignment that binds them. */
void tw_tensor_name(struct value v, const char *name);

#endif
