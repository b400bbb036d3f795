/* Names in scope while a module is read. Blocks nest; the innermost declaration hides outer ones. */
#ifndef TW_PTX_NAMES_H
#define TW_PTX_NAMES_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>

enum name_kind {
    NAME_NONE,
    NAME_REG,    /* a function's register */
    NAME_RANGE,  /* registers %r0 .. of a range: first index and count */
    NAME_VECTOR, /* a vector register: the first of `width` registers, one a component */
    NAME_VAR,    /* a function's variable or parameter */
    NAME_GLOBAL, /* a module's variable */
    NAME_FUNC
};

struct binding {
    enum name_kind kind;
    uint32_t index, count;
    uint32_t width; /* registers of one name: 2 or 4 of a vector register, else 0 or 1; a range may have them, too */
    uint32_t depth; /* scope it was declared in; 0: module */
    uint32_t name;  /* id */
    uint32_t outer; /* hidden binding of the same name + 1, or 0 */
};

struct names {
    struct arena *arena;
    struct strmap ids;         /* spelling -> id */
    VEC(uint32_t) heads;       /* id -> innermost binding + 1 */
    VEC(struct binding) stack;
    VEC(uint32_t) marks;       /* one a scope: stack length when it opened */
    VEC(uint32_t) scope_ids;   /* unique number of each open scope */
    VEC(uint32_t) parents;     /* scope number -> number of the scope around it */
};

void tw_names_init(struct names *n, struct arena *arena);
void tw_names_open(struct names *n);
void tw_names_close(struct names *n);
/* Unique number of the innermost scope. */
uint32_t tw_names_scope(const struct names *n);
uint32_t tw_names_id(struct names *n, struct str name);
/* False if the name is already declared in the innermost scope; `old` is then that declaration. */
bool tw_names_declare(struct names *n, struct str name, struct binding what, const struct binding **old);
/* A range declares prefix0 .. prefix(count-1). */
bool tw_names_declare_range(struct names *n, struct str prefix, struct binding what, const struct binding **old);
/* The innermost declaration; for a member of a range, kind NAME_REG with its own index. NAME_NONE if none. */
struct binding tw_names_find(const struct names *n, struct str name);
/* The nearest visible spelling of registers, variables and functions, or NULL. */
const char *tw_names_nearest(const struct names *n, struct str name, struct arena *arena);

#endif
