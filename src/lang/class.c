/* Classes whose objects live at parse time only. A field holds any value of the evaluator; one that is to change while
 * the kernel runs is a T.local_scalar, and assigning to it from a kernel or a T.inline method stores. Methods are plain
 * functions or T.inline functions. SOURCE: kernel-language 1.2, 3.8, 11.2. */
#include "lang/eval.h"

#include "base/nearest.h"

#include <string.h>

/* ---- definition ---------------------------------------------------------------------------------- */

struct heading {
    bool is_meta; /* @T.meta_class */
    bool foreign; /* decorators or bases that mean nothing here */
    const struct class *base;
};

static void read_decorators(struct eval *ev, const struct expr_list *decorators, struct heading *h)
{
    for (uint32_t i = 0; i < decorators->len; i++) {
        const struct value v = tw_eval_expr(ev, decorators->at[i]);
        const bool meta = v.kind == VALUE_BUILTIN && strcmp(v.u.builtin.row->name, "meta_class") == 0;
        h->is_meta = h->is_meta || meta;
        h->foreign = h->foreign || !meta;
    }
}

static void read_bases(struct eval *ev, const struct call_args *bases, struct heading *h)
{
    for (uint32_t i = 0; i < bases->len; i++) {
        const struct value v = tw_eval_expr(ev, bases->at[i].value);
        if (v.kind == VALUE_CLASS && h->base == NULL && bases->at[i].name == NULL)
            h->base = v.u.class;
        else
            h->foreign = true;
    }
}

static const struct class *new_class(struct eval *ev, const struct stmt *s, const struct class *base)
{
    struct class *c = arena_new(ev->arena, struct class, 1);
    *c = (struct class){.name = s->u.class.name, .at = s->at, .base = base, .members = tw_scope_new(ev->arena, ev->scope)};
    struct scope *outer = ev->scope;
    c->members->is_script = false;
    c->members->is_function = true;
    c->members->is_class = true;
    ev->scope = c->members;
    tw_exec_block(ev, &s->u.class.body);
    ev->scope = outer;
    for (uint32_t i = 0; i < c->members->log.len; i++) {
        struct value *v = &c->members->log.at[i].value;
        if (v->kind != VALUE_FUNCTION)
            continue;
        struct function *method = arena_new(ev->arena, struct function, 1);
        *method = *v->u.function;
        method->owner = c;
        v->u.function = method;
    }
    return c;
}

void tw_exec_class(struct eval *ev, const struct stmt *s)
{
    struct heading h = {0};
    read_decorators(ev, &s->u.class.decorators, &h);
    read_bases(ev, &s->u.class.bases, &h);
    struct value v;
    if (h.foreign || (!h.is_meta && h.base == NULL))
        v = tw_eval_unsupported(ev, s->at, h.is_meta ? "the class '%s' with this base or decorator"
                                                     : "the class '%s' without @T.meta_class", s->u.class.name);
    else
        v = (struct value){.kind = VALUE_CLASS, .u.class = new_class(ev, s, h.base)};
    tw_scope_bind(ev, s->u.class.name, v, s->at);
}

/* ---- members ------------------------------------------------------------------------------------- */

static const struct value *find_member(const struct class *of, const char *name)
{
    for (; of != NULL; of = of->base) {
        const struct binding *b = tw_scope_find_here(of->members, name);
        if (b != NULL)
            return &b->value;
    }
    return NULL;
}

struct value *tw_object_field(const struct object *o, const char *name)
{
    for (uint32_t i = 0; i < o->fields->len; i++)
        if (o->fields->at[i].name == name)
            return o->fields->at[i].value;
    return NULL;
}

void tw_object_set(struct eval *ev, const struct object *o, const char *name, struct value v)
{
    struct value *field = tw_object_field(o, name);
    if (field == NULL) {
        field = arena_new(ev->arena, struct value, 1);
        *vec_push(ev->arena, o->fields) = (struct field){name, field};
    }
    tw_tensor_name(v, name);
    *field = v;
}

/* The method is given the whole object, whoever asked for it. */
static struct value bound_method(struct eval *ev, const struct function *f, const struct object *o)
{
    struct function *bound = arena_new(ev->arena, struct function, 1);
    struct object *self = arena_new(ev->arena, struct object, 1);
    *self = (struct object){.of = o->of, .from = o->of, .fields = o->fields};
    *bound = *f;
    bound->self = self;
    return (struct value){.kind = VALUE_FUNCTION, .u.function = bound};
}

static struct value no_member(struct eval *ev, const struct class *of, const struct fields *fields, const char *name,
                              struct src_span at)
{
    struct nearest best = nearest_to(tw_str(name));
    struct diag *d = tw_diag(ev->diags, E0202, at, "the class '%s' has no '%s'", of->name, name);
    for (uint32_t i = 0; fields != NULL && i < fields->len; i++)
        tw_nearest_consider(&best, fields->at[i].name);
    for (const struct class *c = of; c != NULL; c = c->base)
        for (uint32_t i = 0; i < c->members->log.len; i++)
            tw_nearest_consider(&best, c->members->log.at[i].name);
    if (best.name != NULL)
        tw_diag_fix(d, "write '%s'", best.name);
    return value_error();
}

struct value tw_object_attr(struct eval *ev, const struct object *o, const char *name, struct src_span at)
{
    const struct value *field = tw_object_field(o, name);
    if (field != NULL)
        return tw_eval_fresh(ev, *field);
    const struct value *member = find_member(o->from, name);
    if (member == NULL)
        return no_member(ev, o->from, o->fields, name, at);
    return member->kind == VALUE_FUNCTION ? bound_method(ev, member->u.function, o) : tw_eval_fresh(ev, *member);
}

struct value tw_class_attr(struct eval *ev, const struct class *of, const char *name, struct src_span at)
{
    const struct value *member = find_member(of, name);
    return member == NULL ? no_member(ev, of, NULL, name, at) : tw_eval_fresh(ev, *member);
}

/* ---- objects ------------------------------------------------------------------------------------- */

struct value tw_class_new(struct eval *ev, const struct class *of, const struct args *args, struct src_span at)
{
    struct object *o = arena_new(ev->arena, struct object, 1);
    o->of = o->from = of;
    o->fields = arena_new(ev->arena, struct fields, 1);
    const char *init = tw_intern(ev->names, tw_str("__init__"));
    const struct value *member = find_member(of, init);
    if (member != NULL && member->kind == VALUE_FUNCTION) {
        const struct value made = tw_call_user(ev, bound_method(ev, member->u.function, o).u.function, args, at);
        if (made.kind == VALUE_ERROR || made.kind == VALUE_HOST)
            return made;
    } else if (args->len != 0) {
        struct diag *d = tw_diag(ev->diags, E0205, at, "the class '%s' has no __init__, and takes no arguments", of->name);
        tw_diag_note(d, of->at, "it is defined here");
        return value_error();
    }
    return (struct value){.kind = VALUE_OBJECT, .u.object = o};
}

struct value tw_object_super(struct eval *ev, struct src_span at)
{
    const struct function *m = ev->method;
    if (m == NULL || m->self == NULL || m->owner == NULL || m->owner->base == NULL) {
        struct diag *d = tw_diag(ev->diags, E0205, at, "super() has nothing to refer to");
        tw_diag_expected(d, "a method of a class that extends another");
        return value_error();
    }
    struct object *seen = arena_new(ev->arena, struct object, 1);
    *seen = (struct object){.of = m->self->of, .from = m->owner->base, .fields = m->self->fields};
    return (struct value){.kind = VALUE_OBJECT, .u.object = seen};
}
