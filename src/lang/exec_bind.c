/* Assignment. In a kernel body a scalar that is bound once is a constant or a variable that never changes; one
 * that is assigned again is a mutable local of the first value's type; tensors, layouts and other compile-time
 * values are only named. SOURCE: kernel-language 3.1. */
#include "lang/eval.h"

#include <string.h>

/* ---- what is assigned later ---- */

static bool target_names(const struct expr *target, const char *name)
{
    if (target->kind == EXPR_NAME)
        return target->u.name == name;
    if (target->kind == EXPR_STARRED)
        return target_names(target->u.unary.arg, name);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (uint32_t i = 0; i < target->u.items.len; i++)
            if (target_names(target->u.items.at[i], name))
                return true;
    return false;
}

static bool block_assigns(const struct block *b, uint32_t from, const char *name);

static bool stmt_assigns(const struct stmt *s, const char *name)
{
    if (s->kind == STMT_ASSIGN) {
        for (uint32_t i = 0; i < s->u.assign.targets.len; i++)
            if (target_names(s->u.assign.targets.at[i], name))
                return true;
    } else if (s->kind == STMT_ANNOTATED) {
        return target_names(s->u.annotated.target, name);
    } else if (s->kind == STMT_AUGMENTED) {
        return target_names(s->u.augmented.target, name);
    } else if (s->kind == STMT_IF) {
        for (uint32_t i = 0; i < s->u.branch.arms.len; i++)
            if (block_assigns(&s->u.branch.arms.at[i].body, 0, name))
                return true;
        return block_assigns(&s->u.branch.orelse, 0, name);
    } else if (s->kind == STMT_FOR || s->kind == STMT_WHILE) {
        return block_assigns(&s->u.loop.body, 0, name) || block_assigns(&s->u.loop.orelse, 0, name);
    } else if (s->kind == STMT_DEF) {
        return block_assigns(&s->u.def->body, 0, name); /* an inline function may assign to its surroundings */
    }
    return false;
}

static bool block_assigns(const struct block *b, uint32_t from, const char *name)
{
    for (uint32_t i = from; i < b->len; i++)
        if (stmt_assigns(b->at[i], name))
            return true;
    return false;
}

static bool assigned_later(const struct eval *ev, const char *name)
{
    for (const struct cursor *c = ev->cursor; c != NULL && c->scope == ev->scope; c = c->up)
        if (block_assigns(c->block, c->next, name))
            return true;
    return false;
}

/* ---- names in a kernel ---- */

static struct value define(struct eval *ev, const char *name, struct ir_type type, struct ir_expr *value, struct src_span at)
{
    struct ir_var *var = tw_ir_var_new(eval_kernel(ev), name, type, at);
    struct ir_stmt *s = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_DEFINE, at);
    s->var = var;
    s->value = value;
    return (struct value){.kind = VALUE_VAR, .u.var = var};
}

struct value tw_eval_let_value(struct eval *ev, const char *name, struct value v, struct ir_type type, struct src_span at)
{
    struct ir_expr *e = tw_eval_to_typed(ev, v, type, at, tw_format(ev->arena, "the value of '%s'", name));
    return e == NULL ? value_error() : define(ev, name, type, e, at);
}

static bool is_static_address(const struct ir_expr *e)
{
    int64_t start;
    if (e->op != IR_ADDRESS)
        return false;
    for (uint32_t d = 0; d < e->region->view->rank; d++)
        if (e->region->start[d] != NULL && !tw_ir_is_const_int(e->region->start[d], &start))
            return false;
    return true;
}

/* The first binding of a name in its scope. */
static struct value first_binding(struct eval *ev, const char *name, struct value v, struct src_span at)
{
    const bool again = assigned_later(ev, name);
    tw_tensor_name(v, name);
    if (value_is_static_number(v))
        return again ? define(ev, name, tw_eval_to_expr(ev, v, at, name)->type, tw_eval_to_expr(ev, v, at, name), at) : v;
    if (v.kind != VALUE_EXPR)
        return v;
    if (!again && is_static_address(v.u.expr))
        return v;
    return define(ev, name, v.u.expr->type, v.u.expr, at);
}

static void immutable(struct eval *ev, const struct binding *b, struct src_span at, const char *why, const char *fix)
{
    struct diag *d = tw_diag(ev->diags, E0210, at, "'%s' cannot be assigned again", b->name);
    tw_diag_found(d, "%s", why);
    if (fix != NULL)
        tw_diag_fix(d, "%s", fix);
    tw_diag_note(d, b->at, "bound here");
}

static void assign_var(struct eval *ev, const struct binding *b, struct value v, struct src_span at)
{
    struct ir_var *var = b->value.u.var;
    if (var->is_loop) {
        immutable(ev, b, at, "a loop variable", NULL);
        return;
    }
    if (b->fixed || var->param >= 0) {
        immutable(ev, b, at, var->param >= 0 ? "a parameter" : "a value bound with T.let", NULL);
        return;
    }
    if (var->type.cls == IR_POINTER) {
        immutable(ev, b, at, "a pointer", NULL);
        return;
    }
    struct ir_expr *e = tw_eval_to_typed(ev, v, var->type, at, tw_format(ev->arena, "the value of '%s'", b->name));
    if (e == NULL)
        return;
    var->is_assigned = true;
    struct ir_stmt *s = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_ASSIGN, at);
    s->var = var;
    s->value = e;
}

/* The binding that an assignment in a kernel reaches: in this scope or those around it, up to the kernel's own. */
static struct binding *assignable(struct eval *ev, const char *name, struct scope **where)
{
    for (struct scope *s = ev->scope; s != NULL; s = s->parent) {
        struct binding *b = tw_scope_find_here(s, name);
        *where = s;
        if (b != NULL)
            return b;
        if (s->is_function)
            return NULL;
    }
    return NULL;
}

static bool is_scalar_value(struct value v)
{
    return value_is_static_number(v) || v.kind == VALUE_EXPR;
}

static bool store(struct eval *ev, struct value target, struct value v, struct src_span at);

static void bind_script(struct eval *ev, const char *name, struct value v, struct src_span at)
{
    struct scope *where = NULL;
    struct binding *b = assignable(ev, name, &where);
    if (v.kind == VALUE_HOST)
        v = tw_eval_host_used(ev, at, v, tw_format(ev->arena, "the value of '%s'", name));
    if (v.kind == VALUE_META && (b == NULL || where == ev->scope)) {
        tw_scope_bind(ev, name, *v.u.meta, at);
        return;
    }
    if (b == NULL) {
        tw_scope_bind(ev, name, first_binding(ev, name, v, at), at);
        return;
    }
    if (v.kind == VALUE_ERROR || b->value.kind == VALUE_ERROR)
        return;
    if (b->value.kind == VALUE_VAR && is_scalar_value(v)) {
        assign_var(ev, b, v, at);
    } else if (tw_eval_is_scalar_tensor(b->value) && is_scalar_value(v)) {
        store(ev, b->value, v, at); /* a one-element tensor used by its name */
    } else if (where != ev->scope) {
        immutable(ev, b, at, tw_value_describe(ev->arena, b->value),
                  is_scalar_value(b->value) ? "declare it with a type where it is first bound: x: T.int32 = ..." : NULL);
    } else {
        tw_scope_bind(ev, name, first_binding(ev, name, v, at), at);
    }
}

/* ---- stores ---- */

/* Into an element, or a variable; `target` was evaluated as an expression. */
static bool store(struct eval *ev, struct value target, struct value v, struct src_span at)
{
    struct ir_region *region = NULL;
    if (target.kind == VALUE_EXPR && target.u.expr->op == IR_LOAD)
        region = target.u.expr->region;
    else if (tw_eval_is_scalar_tensor(target))
        region = tw_tensor_only(ev, target.u.tensor, at);
    if (region == NULL) {
        if (target.kind == VALUE_REGION) {
            struct diag *d = tw_diag(ev->diags, E0209, at, "a region cannot be assigned to");
            tw_diag_expected(d, "%u indices, none of them a slice", target.u.region->view->rank);
        } else {
            tw_eval_mismatch(ev, at, "what is assigned to", "an element of a tensor", target);
        }
        return false;
    }
    struct ir_expr *e = tw_eval_to_typed(ev, v, region->view->elem, at, "the stored value");
    if (e == NULL)
        return false;
    struct ir_stmt *s = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_STORE, at);
    s->region = region;
    s->value = e;
    return true;
}

/* ---- targets ---- */

/* Whether assigning to the target stores into something that exists. */
static bool stores(struct eval *ev, const struct expr *target)
{
    struct scope *where;
    if (target->kind == EXPR_SUBSCRIPT || target->kind == EXPR_ATTR)
        return true;
    const struct binding *b = target->kind == EXPR_NAME ? assignable(ev, target->u.name, &where) : NULL;
    return b != NULL && (b->value.kind == VALUE_VAR || tw_eval_is_scalar_tensor(b->value));
}

/* `a, b = b, a`: every value is computed before the first is stored. */
static void evaluate_first(struct eval *ev, const struct expr_list *names, struct value_list *items, struct src_span at)
{
    bool any = false;
    for (uint32_t i = 0; i < names->len; i++)
        any = any || stores(ev, names->at[i]);
    for (uint32_t i = 0; any && items->len > 1 && i < items->len; i++) {
        if (!value_is_run_time(items->at[i]) && !tw_eval_is_scalar_tensor(items->at[i]))
            continue;
        struct ir_expr *e = tw_eval_to_expr(ev, items->at[i], at, "the value");
        if (e->op != IR_CONST && e->type.cls != IR_POINTER)
            items->at[i] = value_expr(tw_ir_var_ref(eval_kernel(ev), define(ev, "value", e->type, e, at).u.var, at));
    }
}

static void unpack(struct eval *ev, const struct expr *target, struct value v, struct src_span at)
{
    const struct expr_list *names = &target->u.items;
    struct value_list items = {0};
    const bool poison = v.kind == VALUE_ERROR || v.kind == VALUE_HOST;
    if (!poison && !tw_eval_items(ev, v, at, &items))
        v = value_error();
    uint32_t starred = names->len;
    for (uint32_t i = 0; i < names->len; i++)
        if (names->at[i]->kind == EXPR_STARRED)
            starred = i;
    const bool fine = starred == names->len ? items.len == names->len : items.len + 1 >= names->len;
    if (!poison && v.kind != VALUE_ERROR && !fine) {
        struct diag *d = tw_diag(ev->diags, E0206, at, "%u values do not unpack into %u names", items.len, names->len);
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, v));
        v = value_error();
    }
    const bool usable = !poison && v.kind != VALUE_ERROR;
    if (usable && ev->build != NULL && ev->scope->is_script)
        evaluate_first(ev, names, &items, at);
    uint32_t next = 0;
    for (uint32_t i = 0; i < names->len; i++) {
        if (!usable) {
            tw_exec_assign_to(ev, names->at[i]->kind == EXPR_STARRED ? names->at[i]->u.unary.arg : names->at[i], v, at);
        } else if (i == starred) {
            const uint32_t count = items.len + 1 - names->len;
            tw_exec_assign_to(ev, names->at[i]->u.unary.arg,
                              tw_value_list_of(ev->arena, VALUE_LIST, count == 0 ? NULL : items.at + next, count), at);
            next += count;
        } else {
            tw_exec_assign_to(ev, names->at[i], items.at[next++], at);
        }
    }
}

static void set_dict_item(struct eval *ev, struct dict *dict, struct value key, struct value v)
{
    for (uint32_t i = 0; i < dict->len; i++) {
        bool known;
        if (!tw_value_equal(dict->at[i].key, key, &known))
            continue;
        dict->at[i].value = v;
        return;
    }
    *vec_push(ev->arena, dict) = (struct dict_entry){key, v};
}

static void assign_subscript(struct eval *ev, const struct expr *target, struct value v, struct src_span at)
{
    const struct value object = tw_eval_expr(ev, target->u.subscript.object);
    if (object.kind == VALUE_TENSOR) {
        const struct value index = tw_eval_expr(ev, target->u.subscript.index);
        const struct value place = tw_eval_subscript_of(ev, object, index, target->at);
        if (place.kind != VALUE_ERROR && v.kind != VALUE_ERROR)
            store(ev, place, v, at);
    } else if (object.kind == VALUE_DICT) {
        set_dict_item(ev, object.u.dict, tw_eval_expr(ev, target->u.subscript.index), v);
    } else if (object.kind == VALUE_LIST) {
        const struct value index = tw_eval_expr(ev, target->u.subscript.index);
        const bool fine = value_is_integer(index) && value_integer(index) >= 0 && value_integer(index) < object.u.list->len;
        if (fine)
            object.u.list->at[(size_t)value_integer(index)] = v;
        else
            tw_eval_mismatch(ev, target->at, "the index of the list", "an integer below its length", index);
    } else if (object.kind != VALUE_ERROR && (object.kind != VALUE_HOST || ev->build != NULL)) {
        tw_eval_mismatch(ev, target->at, "what is assigned to", "a tensor, a list or a dict", object);
    }
}

/* A field that is a one-element tensor is stored to by a kernel and by T.inline methods; a plain method binds. */
static void assign_field(struct eval *ev, const struct object *o, const struct expr *target, struct value v,
                         struct src_span at)
{
    const struct value *old = tw_object_field(o, target->u.attr.name);
    if (v.kind == VALUE_META)
        v = *v.u.meta;
    const bool scalar = is_scalar_value(v) || v.kind == VALUE_VAR || tw_eval_is_scalar_tensor(v);
    if (ev->scope->is_script && old != NULL && scalar && tw_eval_is_scalar_tensor(*old))
        store(ev, *old, v, at);
    else
        tw_object_set(ev, o, target->u.attr.name, v);
}

void tw_exec_assign_to(struct eval *ev, const struct expr *target, struct value v, struct src_span at)
{
    if (target->kind == EXPR_NAME) {
        if (ev->build != NULL && ev->scope->is_script)
            bind_script(ev, target->u.name, v, target->at);
        else
            tw_scope_bind(ev, target->u.name, v, target->at);
    } else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) {
        unpack(ev, target, v, at);
    } else if (target->kind == EXPR_SUBSCRIPT) {
        assign_subscript(ev, target, v, at);
    } else if (target->kind == EXPR_ATTR) {
        const struct value object = tw_eval_expr(ev, target->u.attr.object);
        if (object.kind == VALUE_OBJECT)
            assign_field(ev, object.u.object, target, v, at);
        else if (object.kind != VALUE_ERROR && (object.kind != VALUE_HOST || ev->build != NULL))
            tw_eval_unsupported(ev, target->at, "assigning to the attribute '%s'", target->u.attr.name);
    }
}

/* ---- annotated and augmented ---- */

static void declare(struct eval *ev, const struct expr *target, const struct tensor_type *type, const struct expr *value,
                    struct src_span at)
{
    const char *name = target->u.name;
    struct value v = value_error();
    if (!type->is_scalar) {
        if (value != NULL)
            tw_eval_unsupported(ev, at, "a local array with a value");
        enum ir_scope scope = IR_LOCAL;
        if (type->scope == NULL || tw_scope_of_name(ev, value_str(tw_str(type->scope)), at, &scope))
            v = tw_tensor_declare(ev, name, type, scope, at);
    } else if (type->is_let && value == NULL) {
        tw_diag(ev->diags, E0210, at, "'%s' is bound with T.let, but has no value", name);
    } else if (value == NULL) {
        v = define(ev, name, type->elem, NULL, at);
    } else {
        const struct value given = tw_eval_expr(ev, value);
        const bool typed = type->elem.cls != IR_VOID;
        struct ir_expr *e = given.kind == VALUE_ERROR ? NULL
                            : typed ? tw_eval_to_typed(ev, given, type->elem, value->at, tw_format(ev->arena, "the value of '%s'", name))
                                    : tw_eval_to_expr(ev, given, value->at, tw_format(ev->arena, "the value of '%s'", name));
        if (e != NULL)
            v = define(ev, name, e->type, e, at);
    }
    tw_scope_bind(ev, name, v, target->at);
    tw_scope_find_here(ev->scope, name)->fixed = type->is_let;
}

void tw_exec_annotated(struct eval *ev, const struct stmt *s)
{
    const struct expr *target = s->u.annotated.target;
    if (ev->build == NULL || !ev->scope->is_script) {
        if (s->u.annotated.value != NULL)
            tw_exec_assign_to(ev, target, tw_eval_expr(ev, s->u.annotated.value), s->at);
        return;
    }
    struct value type = tw_eval_expr(ev, s->u.annotated.annotation);
    if (target->kind != EXPR_NAME) {
        tw_eval_unsupported(ev, s->at, "an annotation of something other than a name");
        return;
    }
    if (type.kind == VALUE_DTYPE) {
        struct tensor_type *t = arena_new(ev->arena, struct tensor_type, 1);
        *t = (struct tensor_type){.is_scalar = true, .elem = type.u.dtype, .align = -1, .at = s->at};
        type = (struct value){.kind = VALUE_TYPE, .u.type = t};
    }
    if (tw_scope_find_here(ev->scope, target->u.name) != NULL)
        immutable(ev, tw_scope_find_here(ev->scope, target->u.name), s->at, "a name that is bound in this scope already", NULL);
    else if (type.kind == VALUE_TYPE)
        declare(ev, target, type.u.type, s->u.annotated.value, s->at);
    else if (tw_eval_mismatch(ev, s->u.annotated.annotation->at, "the annotation", "a dtype or a type", type).kind == VALUE_ERROR)
        tw_scope_bind(ev, target->u.name, value_error(), target->at);
}

void tw_exec_augmented(struct eval *ev, const struct stmt *s)
{
    const struct expr *target = s->u.augmented.target;
    const struct value old = tw_eval_expr(ev, target);
    const struct value given = tw_eval_expr(ev, s->u.augmented.value);
    const bool element = target->kind == EXPR_SUBSCRIPT && (old.kind == VALUE_EXPR || old.kind == VALUE_REGION);
    if (ev->build == NULL || !element) {
        const struct value v = tw_eval_binary(ev, s->u.augmented.op, old, given, s->at);
        if (v.kind != VALUE_ERROR)
            tw_exec_assign_to(ev, target, v, s->at);
        return;
    }
    const struct value place = tw_eval_fresh(ev, old);
    const struct value v = tw_eval_binary(ev, s->u.augmented.op, old, given, s->at);
    if (v.kind != VALUE_ERROR && place.kind != VALUE_ERROR)
        store(ev, place, v, s->at);
}
