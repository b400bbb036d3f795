/* Imports, definitions, and what becomes of the host part of a program. */
#include "lang/eval.h"

#include "base/text.h"

#include <string.h>

/* ---- imports ---- */

static struct value host_module(struct eval *ev, struct str path, struct src_span at)
{
    struct host *h = arena_new(ev->arena, struct host, 1);
    *h = (struct host){tw_format(ev->arena, "the module '" STR_FMT "'", STR_ARG(path)), at, at};
    return (struct value){.kind = VALUE_HOST, .u.host = h};
}

/* The path without the package at its root, which has two names. */
static bool kernel_path(struct str path, struct str *rest)
{
    static const char *const roots[] = {"tvm", "tvm_tirx"};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        const size_t len = strlen(roots[i]);
        if (path.len > len && path.at[len] == '.' && memcmp(path.at, roots[i], len) == 0) {
            *rest = (struct str){path.at + len + 1, path.len - len - 1};
            return true;
        }
    }
    return false;
}

static const struct namespace_row *module_at(struct str path)
{
    struct str rest;
    return kernel_path(path, &rest) ? tw_names_module(rest) : NULL;
}

static void import_modules(struct eval *ev, const struct import_items *items)
{
    for (uint32_t i = 0; i < items->len; i++) {
        const struct import_item *item = &items->at[i];
        const struct namespace_row *space = item->renamed ? module_at(item->path) : NULL;
        const struct value v = space != NULL ? tw_names_namespace(space) : host_module(ev, item->path, item->at);
        tw_scope_bind(ev, item->bound, v, item->at);
    }
}

static struct value imported(struct eval *ev, struct str module, const struct import_item *item)
{
    const struct namespace_row *space = module_at(module);
    if (space != NULL)
        return tw_names_member(ev, space, tw_intern(ev->names, item->path), item->at);
    const char *path = tw_format(ev->arena, STR_FMT "." STR_FMT, STR_ARG(module), STR_ARG(item->path));
    space = module_at(tw_str(path));
    return space != NULL ? tw_names_namespace(space) : host_module(ev, tw_str(path), item->at);
}

static void import_names(struct eval *ev, const struct stmt *s)
{
    if (s->u.from.star) {
        struct diag *d = tw_diag(ev->diags, E0216, s->at, "'import *' is not supported");
        tw_diag_fix(d, "name what is imported");
        return;
    }
    for (uint32_t i = 0; i < s->u.from.items.len; i++) {
        const struct import_item *item = &s->u.from.items.at[i];
        tw_scope_bind(ev, item->bound, imported(ev, s->u.from.module, item), item->at);
    }
}

void tw_exec_import(struct eval *ev, const struct stmt *s)
{
    if (s->kind == STMT_IMPORT)
        import_modules(ev, &s->u.imports);
    else
        import_names(ev, s);
}

/* ---- definitions ---- */

static const struct function *new_function(struct eval *ev, const struct def *def)
{
    struct function *f = arena_new(ev->arena, struct function, 1);
    *f = (struct function){.name = def->name, .at = def->name_at, .params = &def->params, .body = &def->body,
                           .scope = ev->scope->is_class ? ev->scope->parent : ev->scope};
    for (uint32_t i = 0; i < def->params.len; i++) {
        const struct expr *value = def->params.at[i].value;
        const struct value v = value == NULL ? value_error() : tw_eval_expr(ev, value);
        *vec_push(ev->arena, &f->defaults) = v;
    }
    return f;
}

/* The kernel sees the names as they are now, whatever the host part does with them later. */
static void keep_names(struct eval *ev, struct kernel *k)
{
    for (struct scope *s = ev->scope; s != NULL; s = s->parent) {
        *vec_push(ev->arena, &k->limits) = (struct scope_limit){s, s->log.len};
        s->kept = s->log.len;
    }
}

static const struct kernel *new_kernel(struct eval *ev, const struct stmt *s, const char *decorator, bool is_private)
{
    struct kernel *k = arena_new(ev->arena, struct kernel, 1);
    *k = (struct kernel){.name = s->u.def->name, .at = s->u.def->name_at, .def = s->u.def, .scope = ev->scope,
                         .decorator = decorator, .is_private = is_private};
    keep_names(ev, k);
    if (is_private)
        return k;
    struct lang_program *program = ev->program;
    for (uint32_t i = 0; i < program->kernels.len; i++) {
        if (program->kernels.at[i]->name != k->name)
            continue;
        program->kernels.at[i] = k; /* a later definition of the same name replaces the earlier */
        return k;
    }
    *vec_push(ev->arena, &program->kernels) = k;
    return k;
}

struct decoration {
    const char *name; /* of the language's decorator, or NULL */
    bool is_private;
    bool foreign;     /* a host decorator */
};

/* Options that say nothing about the kernel itself are passed over. SOURCE: kernel-language 1.2. */
static void check_option(struct eval *ev, const struct call_arg *a)
{
    static const char *const known[] = {"check_well_formed", "persistent", "tirx", "s_tir"};
    for (size_t i = 0; a->name != NULL && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i], a->name) == 0)
            return;
    struct diag *d = tw_diag(ev->diags, E0216, a->at, "the decorator has no such option");
    tw_diag_expected(d, "private, check_well_formed, persistent, tirx or s_tir, by name");
}

/* @T.function, @T.function(private=True) */
static struct decoration read_decorator(struct eval *ev, const struct expr *e)
{
    struct decoration d = {0};
    const struct expr *callee = e->kind == EXPR_CALL ? e->u.call.callee : e;
    const struct value v = tw_eval_expr(ev, callee);
    d.foreign = v.kind == VALUE_HOST || v.kind == VALUE_FUNCTION;
    if (v.kind == VALUE_BUILTIN && strcmp(v.u.builtin.row->signature, "@") == 0 &&
        strcmp(v.u.builtin.row->name, "meta_class") != 0)
        d.name = v.u.builtin.row->name;
    else if (!d.foreign)
        tw_eval_mismatch(ev, e->at, "the decorator", "T.function, T.prim_func or T.inline", v);
    for (uint32_t i = 0; e->kind == EXPR_CALL && i < e->u.call.args.len; i++) {
        const struct call_arg *a = &e->u.call.args.at[i];
        const struct value option = tw_eval_expr(ev, a->value);
        if (d.name == NULL)
            continue;
        if (a->name != NULL && strcmp(a->name, "private") == 0)
            tw_eval_static_bool(ev, option, a->at, "the option 'private'", &d.is_private);
        else
            check_option(ev, a);
    }
    return d;
}

void tw_exec_def(struct eval *ev, const struct stmt *s)
{
    struct decoration d = {0};
    for (uint32_t i = 0; i < s->u.def->decorators.len; i++) {
        const struct decoration one = read_decorator(ev, s->u.def->decorators.at[i]);
        d.name = one.name != NULL ? one.name : d.name;
        d.is_private |= one.is_private;
        d.foreign |= one.foreign;
    }
    struct value v;
    if (d.name != NULL && strcmp(d.name, "inline") == 0) {
        struct function *f = arena_new(ev->arena, struct function, 1);
        *f = *new_function(ev, s->u.def);
        f->is_inline = true;
        v = (struct value){.kind = VALUE_FUNCTION, .u.function = f};
    } else if (d.name != NULL && ev->build != NULL) {
        v = tw_eval_unsupported(ev, s->at, "a kernel inside a kernel");
    } else if (d.name != NULL) {
        v = (struct value){.kind = VALUE_KERNEL, .u.kernel = new_kernel(ev, s, d.name, d.is_private)};
    } else if (d.foreign) {
        v = tw_eval_unsupported(ev, s->u.def->name_at, "the decorated function '%s'", s->u.def->name);
    } else {
        v = (struct value){.kind = VALUE_FUNCTION, .u.function = new_function(ev, s->u.def)};
    }
    tw_scope_bind(ev, s->u.def->name, v, s->u.def->name_at);
}

/* ---- passing over host statements ---- */

static void host_name(struct eval *ev, const char *name, struct src_span at, struct value why)
{
    tw_scope_bind(ev, name, why.kind == VALUE_HOST ? tw_eval_host(ev, at, why) : value_error(), at);
}

static void host_target(struct eval *ev, const struct expr *target, struct value why)
{
    if (target->kind == EXPR_NAME)
        host_name(ev, target->u.name, target->at, why);
    else if (target->kind == EXPR_STARRED)
        host_target(ev, target->u.unary.arg, why);
    else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (uint32_t i = 0; i < target->u.items.len; i++)
            host_target(ev, target->u.items.at[i], why);
}

static void host_block(struct eval *ev, const struct block *b, struct value why)
{
    for (uint32_t i = 0; i < b->len; i++)
        tw_exec_skip(ev, b->at[i], why);
}

static void host_try(struct eval *ev, const struct stmt *s, struct value why)
{
    host_block(ev, &s->u.attempt.body, why);
    for (uint32_t i = 0; i < s->u.attempt.handlers.len; i++) {
        const struct handler *h = &s->u.attempt.handlers.at[i];
        if (h->name != NULL)
            host_name(ev, h->name, s->at, why);
        host_block(ev, &h->body, why);
    }
    host_block(ev, &s->u.attempt.orelse, why);
    host_block(ev, &s->u.attempt.finally, why);
}

static void host_if(struct eval *ev, const struct stmt *s, struct value why)
{
    for (uint32_t i = 0; i < s->u.branch.arms.len; i++)
        host_block(ev, &s->u.branch.arms.at[i].body, why);
    host_block(ev, &s->u.branch.orelse, why);
}

static void host_with(struct eval *ev, const struct stmt *s, struct value why)
{
    for (uint32_t i = 0; i < s->u.with.items.len; i++)
        if (s->u.with.items.at[i].target != NULL)
            host_target(ev, s->u.with.items.at[i].target, why);
    host_block(ev, &s->u.with.body, why);
}

static void host_loop(struct eval *ev, const struct stmt *s, struct value why)
{
    if (s->kind == STMT_FOR)
        host_target(ev, s->u.loop.target, why);
    host_block(ev, &s->u.loop.body, why);
    host_block(ev, &s->u.loop.orelse, why);
}

static void host_targets(struct eval *ev, const struct expr_list *targets, struct value why)
{
    for (uint32_t i = 0; i < targets->len; i++)
        host_target(ev, targets->at[i], why);
}

void tw_exec_skip(struct eval *ev, const struct stmt *s, struct value why)
{
    if (s->kind == STMT_ASSIGN)
        host_targets(ev, &s->u.assign.targets, why);
    else if (s->kind == STMT_ANNOTATED)
        host_target(ev, s->u.annotated.target, why);
    else if (s->kind == STMT_AUGMENTED)
        host_target(ev, s->u.augmented.target, why);
    else if (s->kind == STMT_DEL)
        host_targets(ev, &s->u.targets, why);
    else if (s->kind == STMT_IF)
        host_if(ev, s, why);
    else if (s->kind == STMT_FOR || s->kind == STMT_WHILE)
        host_loop(ev, s, why);
    else if (s->kind == STMT_WITH)
        host_with(ev, s, why);
    else if (s->kind == STMT_TRY)
        host_try(ev, s, why);
    else if (s->kind == STMT_CLASS)
        host_name(ev, s->u.class.name, s->at, why);
    else if (s->kind == STMT_IMPORT || s->kind == STMT_FROM || s->kind == STMT_DEF)
        tw_exec_stmt(ev, s); /* definitions are kept: a kernel may stand under a host condition */
}
