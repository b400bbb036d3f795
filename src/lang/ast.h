/* The syntax tree of a program file. Every node has its span; names are interned, so equal names
 * are equal pointers. Trees are never deeper than TW_MAX_NESTING: each expression carries its height,
 * and the parser refuses what would exceed it, so that walks may recurse. */
#ifndef TW_LANG_AST_H
#define TW_LANG_AST_H

#include "base/str.h"
#include "diag/source.h"

#include <stdbool.h>
#include <stdint.h>

enum expr_kind {
    EXPR_ERROR, /* only inside statements that the parser has dropped */
    EXPR_NAME, EXPR_INT, EXPR_FLOAT, EXPR_STR, EXPR_BYTES, EXPR_FSTRING, EXPR_TRUE, EXPR_FALSE, EXPR_NONE, EXPR_ELLIPSIS,
    EXPR_TUPLE, EXPR_LIST, EXPR_SET, EXPR_DICT,
    EXPR_COMPREHENSION, /* list, set, dict or generator */
    EXPR_UNARY, EXPR_BINARY, EXPR_BOOL, EXPR_COMPARE, EXPR_COND, EXPR_LAMBDA,
    EXPR_CALL, EXPR_ATTR, EXPR_SUBSCRIPT, EXPR_SLICE, EXPR_STARRED, EXPR_YIELD
};

enum unary_op { UNARY_NEG, UNARY_POS, UNARY_INVERT, UNARY_NOT };

enum binary_op {
    BINARY_ADD, BINARY_SUB, BINARY_MUL, BINARY_MATMUL, BINARY_DIV, BINARY_FLOORDIV, BINARY_MOD, BINARY_POW,
    BINARY_SHL, BINARY_SHR, BINARY_AND, BINARY_OR, BINARY_XOR, BINARY_COUNT
};

enum compare_op {
    COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE, COMPARE_EQ, COMPARE_NE, COMPARE_IS, COMPARE_IS_NOT, COMPARE_IN,
    COMPARE_NOT_IN, COMPARE_COUNT
};

/* "+", "//", "is not". */
const char *tw_binary_spelling(enum binary_op op);
const char *tw_compare_spelling(enum compare_op op);

struct expr;
struct stmt;

struct expr_list {
    struct expr **at;
    uint32_t len, cap;
};

/* A literal part has no expr. */
struct fstring_part {
    struct str literal;
    struct expr *expr;
    struct str shown;   /* the text before the value of `{x=}` */
    char conversion;    /* 'r', 's', 'a' or 0 */
    struct expr *spec;  /* EXPR_STR or EXPR_FSTRING, or NULL */
};

struct fstring_parts {
    struct fstring_part *at;
    uint32_t len, cap;
};

/* One item of a call. */
struct call_arg {
    const char *name;  /* keyword, or NULL */
    uint8_t stars;     /* 1: *value, 2: **value */
    struct expr *value;
    struct src_span at; /* keyword and value */
};

struct call_args {
    struct call_arg *at;
    uint32_t len, cap;
};

/* key is NULL for `**value` */
struct dict_item {
    struct expr *key, *value;
};

struct dict_items {
    struct dict_item *at;
    uint32_t len, cap;
};

/* for target in iter if cond if cond */
struct comp_clause {
    struct expr *target, *iter;
    struct expr_list conds;
};

struct comp_clauses {
    struct comp_clause *at;
    uint32_t len, cap;
};

enum param_kind { PARAM_PLAIN, PARAM_STAR, PARAM_DOUBLE_STAR, PARAM_KEYWORD_ONLY, PARAM_POSITIONAL_ONLY };

struct param {
    enum param_kind kind;
    const char *name;
    struct src_span at;
    struct expr *annotation, *value; /* either may be NULL */
};

struct params {
    struct param *at;
    uint32_t len, cap;
};

struct expr {
    enum expr_kind kind;
    uint16_t height;
    bool parenthesised;
    struct src_span at;
    union {
        const char *name; /* EXPR_NAME */
        struct {          /* EXPR_INT */
            uint64_t word;
            bool huge; /* does not fit 64 bits */
        } integer;
        struct str text;             /* EXPR_FLOAT as written, EXPR_STR and EXPR_BYTES decoded */
        struct fstring_parts parts;  /* EXPR_FSTRING */
        struct expr_list items;      /* EXPR_TUPLE, EXPR_LIST, EXPR_SET */
        struct dict_items dict;      /* EXPR_DICT */
        struct {                     /* EXPR_COMPREHENSION: open is '(', '[' or '{' */
            char open;
            struct expr *key, *value; /* key: only for a dict */
            struct comp_clauses clauses;
        } comp;
        struct { /* EXPR_UNARY; EXPR_STARRED and EXPR_YIELD use arg alone, which EXPR_YIELD may leave NULL */
            enum unary_op op;
            struct expr *arg;
        } unary;
        struct { /* EXPR_BINARY */
            enum binary_op op;
            struct src_span op_at;
            struct expr *left, *right;
        } binary;
        struct { /* EXPR_BOOL: two operands or more of one operator */
            bool is_and;
            struct expr_list args;
        } boolean;
        struct { /* EXPR_COMPARE: args.len == 1 + number of ops */
            enum compare_op *ops;
            struct expr_list args;
        } compare;
        struct { /* EXPR_COND */
            struct expr *cond, *then, *otherwise;
        } cond;
        struct { /* EXPR_LAMBDA */
            struct params params;
            struct expr *body;
        } lambda;
        struct { /* EXPR_CALL */
            struct expr *callee;
            struct call_args args;
        } call;
        struct { /* EXPR_ATTR */
            struct expr *object;
            const char *name;
            struct src_span name_at;
        } attr;
        struct { /* EXPR_SUBSCRIPT: index is an EXPR_TUPLE for `a[i, j]` */
            struct expr *object, *index;
        } subscript;
        struct { /* EXPR_SLICE: each may be NULL */
            struct expr *low, *high, *step;
        } slice;
    } u;
};

enum stmt_kind {
    STMT_EXPR, STMT_ASSIGN, STMT_ANNOTATED, STMT_AUGMENTED, STMT_IF, STMT_FOR, STMT_WHILE, STMT_BREAK, STMT_CONTINUE,
    STMT_PASS, STMT_RETURN, STMT_WITH, STMT_ASSERT, STMT_DEL, STMT_RAISE, STMT_TRY, STMT_GLOBAL, STMT_NONLOCAL,
    STMT_IMPORT, STMT_FROM, STMT_DEF, STMT_CLASS
};

/* "the 'for' statement": how a message names a statement. */
const char *tw_stmt_kind_name(enum stmt_kind kind);

struct block {
    struct stmt **at;
    uint32_t len, cap;
};

struct if_arm {
    struct expr *cond;
    struct src_span at; /* `if` or `elif` */
    struct block body;
};

struct if_arms {
    struct if_arm *at;
    uint32_t len, cap;
};

struct with_item {
    struct expr *context, *target; /* target may be NULL */
};

struct with_items {
    struct with_item *at;
    uint32_t len, cap;
};

struct handler {
    struct expr *type; /* NULL: any */
    const char *name;  /* NULL: none */
    struct block body;
};

struct handlers {
    struct handler *at;
    uint32_t len, cap;
};

/* One name that an import binds. For `import a.b` without `as` the bound name is "a". */
struct import_item {
    struct str path;   /* "a.b", or the name after `from … import` */
    const char *bound; /* the name that is bound */
    bool renamed;      /* `as` */
    struct src_span at;
};

struct import_items {
    struct import_item *at;
    uint32_t len, cap;
};

struct name_item {
    const char *name;
    struct src_span at;
};

struct name_items {
    struct name_item *at;
    uint32_t len, cap;
};

struct def {
    const char *name;
    struct src_span name_at;
    struct params params;
    struct expr *returns; /* or NULL */
    struct expr_list decorators;
    struct block body;
};

struct stmt {
    enum stmt_kind kind;
    struct src_span at; /* the header's first token to its last; for simple statements the whole */
    union {
        struct expr *value; /* STMT_EXPR, STMT_RETURN (or NULL) */
        struct {            /* STMT_ASSIGN: a = b = value has two targets */
            struct expr_list targets;
            struct expr *value;
        } assign;
        struct { /* STMT_ANNOTATED: value may be NULL */
            struct expr *target, *annotation, *value;
        } annotated;
        struct { /* STMT_AUGMENTED */
            enum binary_op op;
            struct expr *target, *value;
        } augmented;
        struct { /* STMT_IF */
            struct if_arms arms;
            struct block orelse;
        } branch;
        struct { /* STMT_FOR; STMT_WHILE uses cond, body and orelse */
            struct expr *target, *iter, *cond;
            struct block body, orelse;
        } loop;
        struct { /* STMT_WITH */
            struct with_items items;
            struct block body;
        } with;
        struct { /* STMT_ASSERT: message may be NULL. STMT_RAISE: exception and cause, either may be NULL */
            struct expr *first, *second;
        } pair;
        struct expr_list targets; /* STMT_DEL */
        struct {                  /* STMT_TRY */
            struct block body, orelse, finally;
            struct handlers handlers;
        } attempt;
        struct name_items names;     /* STMT_GLOBAL, STMT_NONLOCAL */
        struct import_items imports; /* STMT_IMPORT */
        struct {                     /* STMT_FROM */
            struct str module; /* may be empty in `from . import x` */
            uint32_t dots;
            bool star;
            struct import_items items;
        } from;
        struct def *def; /* STMT_DEF */
        struct {         /* STMT_CLASS */
            const char *name;
            struct call_args bases;
            struct expr_list decorators;
            struct block body;
        } class;
    } u;
};

#endif
