/* Values of the compile-time evaluator: what a name of a program can stand for.
 *
 * Three families. Python values (none to dict) are computed with. Values of the language (dtypes, axes,
 * layouts, types, functions, opcodes) are built by its factories. Run-time values exist only while a kernel is
 * built: an expression, a tensor (a view of a storage), a region of one, or a scalar variable. A *host value*
 * is anything else that a program file holds; it remembers where it came from, and every operation on it
 * gives a host value again. VALUE_ERROR stands for something already reported and is silent. */
#ifndef TW_LANG_VALUE_H
#define TW_LANG_VALUE_H

#include "base/str.h"
#include "ir/ir.h"
#include "lang/ast.h"
#include "layout/layout.h"
#include "layout/view.h"

/* Compile-time integers. Python's have no bound; results beyond 64 bits are refused. */
__extension__ typedef __int128 wide;
#define WIDE_LIMIT ((wide)1 << 64) /* |value| < 2^64 */

enum value_kind {
    VALUE_ERROR, VALUE_NONE, VALUE_BOOL, VALUE_INT, VALUE_FLOAT, VALUE_STR, VALUE_TUPLE, VALUE_LIST, VALUE_DICT,
    VALUE_SLICE,      /* a : b : c inside a subscript */
    VALUE_ELLIPSIS,
    VALUE_DTYPE,      /* T.float32 */
    VALUE_AXIS,       /* laneid */
    VALUE_AXIS_TERM,  /* 4 @ laneid */
    VALUE_SPEC,       /* S[...] + R[...] + offsets */
    VALUE_LAYOUT, VALUE_TYPE, VALUE_NAMESPACE, VALUE_BUILTIN, VALUE_FUNCTION, VALUE_KERNEL, VALUE_OPCODE, VALUE_LAUNCH,
    VALUE_LOOP,       /* range(...), T.grid(...): what a `for` runs over */
    VALUE_HOST,
    VALUE_EXPR, VALUE_VAR, VALUE_TENSOR, VALUE_REGION, VALUE_PTX_ADDR, VALUE_PTX_SINK,
    VALUE_PARAM,      /* a parameter declared as T.handle, by index */
    VALUE_META,       /* T.meta_var(v): a name that is bound to it stands for v itself */
    VALUE_CLASS,      /* @T.meta_class class C: */
    VALUE_OBJECT,     /* C(...) */
    VALUE_POOL,       /* T.SMEMPool(), T.TMEMPool(...) */
    VALUE_KIND_COUNT
};

struct value;

struct value_list {
    struct value *at;
    uint32_t len, cap;
};

struct dict_entry;
struct dict {
    struct dict_entry *at;
    uint32_t len, cap;
};

struct slice {
    struct value *low, *high, *step; /* NULL where absent */
};

/* Where a host value entered, and the expression that made it. */
struct host {
    const char *what;         /* "the module 'numpy'", "the result of an unknown operation" */
    struct src_span entered;  /* file 0: a Python builtin */
    struct src_span made;
};

struct map_type;

struct tensor_type {
    bool is_scalar;           /* T.int32 as an annotation, `let` and Ptr included */
    bool is_let, is_handle, is_constexpr;
    struct ir_type elem;
    struct shape shape;
    const char *scope;        /* NULL: not given */
    int64_t align;            /* -1: not given */
    const struct layout *layout; /* NULL: row-major */
    bool has_layout;
    struct map_type *map;     /* T.TensorMap(...) (lib_map.c); else NULL */
    struct src_span at;
};

struct tensor {
    struct ir_storage *storage;
    struct ir_type elem;
    struct view view;
    const struct view *allocated; /* as declared: bounds every view */
    struct ir_view *ir;
    struct src_span at;           /* the declaration */
};

struct spec {
    VEC(struct iter) shard;
    VEC(struct iter) replica;
    int64_t offset[AXIS_COUNT];
};

struct loop {
    const char *name;         /* "range" */
    enum ir_unroll unroll;
    int64_t unroll_factor;
    bool is_grid;
    struct value_list begins, ends; /* one each but for T.grid */
    struct value *step;
};

struct scope;

struct function {
    const char *name;
    struct src_span at;
    const struct params *params;
    struct value_list defaults; /* one for each parameter; VALUE_ERROR where there is none */
    const struct block *body;   /* NULL: a lambda */
    const struct expr *value;   /* of a lambda */
    struct scope *scope;        /* where it was defined */
    bool is_inline;             /* @T.inline: pasted into the kernel */
    const struct class *owner;  /* of a method: the class it is defined in */
    const struct object *self;  /* of a bound method, else NULL */
};

/* A class of parse-time objects: its methods and other members, and the class that it extends. */
struct class {
    const char *name;
    struct src_span at;
    const struct class *base; /* or NULL */
    struct scope *members;
};

struct field {
    const char *name;
    struct value *value;
};

struct fields {
    struct field *at;
    uint32_t len, cap;
};

struct object {
    const struct class *of;
    const struct class *from; /* where members are looked for first: `of`, or what super() names */
    struct fields *fields;
};

struct kernel;
struct pool;
struct builtin;
struct namespace_row;

struct opcode {
    const char *text;         /* dotted, as written */
    bool exact;               /* PTX text; else an attribute chain */
    struct src_span at;
};

struct launch {
    struct ir_launch ir;
};

struct bound_builtin {
    const struct builtin *row;
    struct value *self;       /* of a method, else NULL */
};

struct ptx_addr {
    struct ir_expr *base;
    int64_t offset_bytes;
};

struct axis_term {
    wide count;
    enum axis axis;
};

struct value {
    enum value_kind kind;
    union {
        bool truth;
        wide integer;
        double number;
        struct str text;
        struct value_list *list; /* VALUE_TUPLE, VALUE_LIST */
        struct dict *dict;
        const struct slice *slice;
        struct ir_type dtype;
        enum axis axis;
        struct axis_term term;
        const struct spec *spec;
        const struct layout *layout;
        const struct tensor_type *type;
        const struct namespace_row *space;
        struct bound_builtin builtin;
        const struct function *function;
        const struct kernel *kernel;
        const struct opcode *opcode;
        const struct launch *launch;
        const struct loop *loop;
        const struct host *host;
        struct ir_expr *expr;
        struct ir_var *var;
        const struct tensor *tensor;
        struct ir_region *region;
        struct ptx_addr addr;
        const struct value *meta;
        uint32_t param;
        const struct class *class;
        const struct object *object;
        struct pool *pool;
    } u;
};

struct dict_entry {
    struct value key, value;
};

static inline struct value value_error(void) { return (struct value){.kind = VALUE_ERROR}; }
static inline struct value value_none(void) { return (struct value){.kind = VALUE_NONE}; }
static inline struct value value_bool(bool b) { return (struct value){.kind = VALUE_BOOL, .u.truth = b}; }
static inline struct value value_int(wide i) { return (struct value){.kind = VALUE_INT, .u.integer = i}; }
static inline struct value value_float(double d) { return (struct value){.kind = VALUE_FLOAT, .u.number = d}; }
static inline struct value value_str(struct str s) { return (struct value){.kind = VALUE_STR, .u.text = s}; }
static inline struct value value_layout(const struct layout *l)
{
    return l == NULL ? value_error() : (struct value){.kind = VALUE_LAYOUT, .u.layout = l};
}
static inline struct value value_expr(struct ir_expr *e) { return (struct value){.kind = VALUE_EXPR, .u.expr = e}; }

/* "an integer", "a tensor", for messages. */
const char *tw_value_kind_name(enum value_kind kind);
/* The kind, and the value itself where it is short: "the integer 5", "the string 'abc'". */
const char *tw_value_describe(struct arena *arena, struct value v);
/* As an f-string shows it; false where the evaluator does not know Python's text. */
bool tw_value_text(struct value v, struct text *out);
/* Python's == on values that have one; false with *known = false otherwise. */
bool tw_value_equal(struct value a, struct value b, bool *known);
/* Python's truth; false with *known = false for values that have none at compile time. */
bool tw_value_truth(struct value v, bool *known);
static inline bool value_is_static_number(struct value v)
{
    return v.kind == VALUE_BOOL || v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
}
static inline bool value_is_integer(struct value v) { return v.kind == VALUE_BOOL || v.kind == VALUE_INT; }
/* Of a bool or an int. */
static inline wide value_integer(struct value v) { return v.kind == VALUE_BOOL ? (wide)v.u.truth : v.u.integer; }
static inline double value_number(struct value v)
{
    return v.kind == VALUE_FLOAT ? v.u.number : (double)value_integer(v);
}
static inline bool value_is_run_time(struct value v)
{
    return v.kind == VALUE_EXPR || v.kind == VALUE_VAR;
}
static inline bool value_is_sequence(struct value v) { return v.kind == VALUE_TUPLE || v.kind == VALUE_LIST; }

#endif
