/* Calls: arguments, the language's functions by their signatures, and user functions. */
#include "lang/eval.h"

#include <string.h>

/* ---- arguments ---- */

static void add_arg(struct eval *ev, struct args *out, const char *name, struct value v, struct src_span at)
{
    *vec_push(ev->arena, out) = (struct arg){.value = v, .at = at, .given = true, .name = name};
}

/* *value or **value. What cannot be taken apart is passed on whole when it is a host value. */
static void spread(struct eval *ev, const struct call_arg *a, struct value v, struct args *out)
{
    if (v.kind == VALUE_HOST || v.kind == VALUE_ERROR) {
        add_arg(ev, out, NULL, v, a->at);
    } else if (a->stars == 1) {
        struct value_list items = {0};
        if (!tw_eval_items(ev, v, a->at, &items))
            add_arg(ev, out, NULL, value_error(), a->at);
        for (uint32_t i = 0; i < items.len; i++)
            add_arg(ev, out, NULL, items.at[i], a->at);
    } else if (v.kind == VALUE_DICT) {
        for (uint32_t i = 0; i < v.u.dict->len; i++) {
            const struct value key = v.u.dict->at[i].key;
            const char *name = key.kind == VALUE_STR ? tw_intern(ev->names, key.u.text) : NULL;
            add_arg(ev, out, name, v.u.dict->at[i].value, a->at);
        }
    } else {
        add_arg(ev, out, NULL, tw_eval_mismatch(ev, a->at, "what follows '**'", "a dict", v), a->at);
    }
}

static struct args eval_args(struct eval *ev, const struct call_args *from)
{
    struct args out = {0};
    for (uint32_t i = 0; i < from->len; i++) {
        const struct call_arg *a = &from->at[i];
        const struct value v = tw_eval_expr(ev, a->value);
        if (a->stars == 0)
            add_arg(ev, &out, a->name, v, a->at);
        else
            spread(ev, a, v, &out);
    }
    return out;
}

/* A host value or a fault in the value or inside a tuple, list or slice. */
static bool find_poison(struct value v, struct value *out)
{
    if (v.kind == VALUE_ERROR || v.kind == VALUE_HOST) {
        *out = v;
        return true;
    }
    if (value_is_sequence(v))
        for (uint32_t i = 0; i < v.u.list->len; i++)
            if (find_poison(v.u.list->at[i], out))
                return true;
    return false;
}

static bool poisoned(const struct args *args, struct value *out, struct src_span *at)
{
    bool host = false;
    for (uint32_t i = 0; i < args->len; i++) {
        struct value v;
        if (!find_poison(args->at[i].value, &v))
            continue;
        if (!host || v.kind == VALUE_ERROR) {
            *out = v;
            *at = args->at[i].at;
        }
        host = true;
        if (v.kind == VALUE_ERROR)
            return true;
    }
    return host;
}

/* ---- signatures ---- */

struct param_text {
    struct str name;
    uint8_t stars;
    bool optional, marker; /* marker: a lone `*` */
};

/* The next item of "a, b?, *, c?, *rest, **named"; false at the end. */
static bool next_param(const char **at, struct param_text *out)
{
    while (**at == ' ' || **at == ',')
        (*at)++;
    *out = (struct param_text){0};
    for (; **at == '*'; (*at)++)
        out->stars++;
    const char *begin = *at;
    while (**at != '\0' && **at != ',' && **at != '?')
        (*at)++;
    out->name = (struct str){begin, (size_t)(*at - begin)};
    out->marker = out->stars == 1 && out->name.len == 0;
    if (**at == '?') {
        out->optional = true;
        (*at)++;
    }
    return out->name.len != 0 || out->marker;
}

static const char *signature_text(struct eval *ev, const struct builtin *row)
{
    struct text t;
    tw_text_init(&t, ev->arena);
    tw_text_addf(&t, "%s(", row->name);
    for (const char *c = row->signature; *c != '\0'; c++)
        if (*c != '?')
            tw_text_put(&t, *c);
    tw_text_put(&t, ')');
    return t.at;
}

static struct value bad_call(struct eval *ev, const struct builtin *row, struct src_span at, const char *format,
                             const char *name)
{
    struct diag *d = tw_diag(ev->diags, E0205, at, format, row->name, name);
    tw_diag_expected(d, "%s", signature_text(ev, row));
    return value_error();
}

static void suggest_param(struct diag *d, const struct builtin *row, const char *name, struct arena *arena)
{
    struct param_text p, best = {0};
    uint32_t least = 3;
    for (const char *c = row->signature; next_param(&c, &p);) {
        const uint32_t edits = p.stars == 0 ? tw_str_distance(tw_str(name), p.name) : least;
        if (edits < least) {
            least = edits;
            best = p;
        }
    }
    if (best.name.len != 0)
        tw_diag_fix(d, "write %s=", tw_format(arena, STR_FMT, STR_ARG(best.name)));
}

static bool unknown_keyword(struct eval *ev, const struct builtin *row, const struct arg *a)
{
    struct diag *d = tw_diag(ev->diags, E0205, a->at, "'%s' has no parameter '%s'", row->name, a->name);
    tw_diag_expected(d, "%s", signature_text(ev, row));
    suggest_param(d, row, a->name, ev->arena);
    return false;
}

static bool place_keyword(struct eval *ev, struct call *c, const struct arg *a)
{
    struct param_text p;
    uint32_t index = 0;
    bool named = false;
    for (const char *at = c->row->signature; next_param(&at, &p);) {
        named |= p.stars == 2;
        if (p.marker || p.stars != 0)
            continue;
        if (tw_str_is(p.name, a->name)) {
            if (c->args[index].given) {
                bad_call(ev, c->row, a->at, "'%s' is given its parameter '%s' twice", a->name);
                return false;
            }
            c->args[index] = *a;
            return true;
        }
        index++;
    }
    if (!named)
        return unknown_keyword(ev, c->row, a);
    *vec_push(ev->arena, &c->rest) = *a;
    return true;
}

/* Positional arguments, up to the lone `*`; what is left over goes to *rest. */
static bool place_positional(struct eval *ev, struct call *c, const struct args *args)
{
    const char *at = c->row->signature;
    struct param_text p;
    uint32_t index = 0;
    bool more = next_param(&at, &p);
    for (uint32_t i = 0; i < args->len; i++) {
        if (args->at[i].name != NULL)
            continue;
        if (more && p.stars == 1 && !p.marker) {
            *vec_push(ev->arena, &c->rest) = args->at[i];
            continue;
        }
        if (!more || p.stars != 0) {
            bad_call(ev, c->row, args->at[i].at, "'%s' is given too many arguments%s", "");
            return false;
        }
        c->args[index++] = args->at[i];
        more = next_param(&at, &p);
    }
    return true;
}

static bool check_required(struct eval *ev, const struct call *c)
{
    struct param_text p;
    uint32_t index = 0;
    for (const char *at = c->row->signature; next_param(&at, &p);) {
        if (p.marker || p.stars != 0)
            continue;
        if (!c->args[index].given && !p.optional) {
            bad_call(ev, c->row, c->at, "'%s' needs its argument '%s'", tw_format(ev->arena, STR_FMT, STR_ARG(p.name)));
            return false;
        }
        index++;
    }
    return true;
}

static bool check_where(struct eval *ev, const struct builtin *row, struct src_span at)
{
    if (row->where != ANYWHERE && ev->build == NULL) {
        tw_diag(ev->diags, E0212, at, "'%s' can stand only in a kernel", row->name);
        return false;
    }
    if (row->where == ON_DEVICE && !ev->build->on_device) {
        struct diag *d = tw_diag(ev->diags, E0212, at, "'%s' stands before T.device_entry()", row->name);
        tw_diag_fix(d, "move it behind the kernel's T.device_entry(...)");
        return false;
    }
    return true;
}

struct value tw_call_builtin(struct eval *ev, struct bound_builtin b, const struct args *args, struct src_span at)
{
    struct value bad;
    struct src_span bad_at;
    if (poisoned(args, &bad, &bad_at)) {
        if (bad.kind == VALUE_ERROR || ev->build == NULL)
            return bad.kind == VALUE_ERROR ? bad : tw_eval_host(ev, at, bad);
        return tw_eval_host_used(ev, bad_at, bad, tw_format(ev->arena, "an argument of '%s'", b.row->name));
    }
    if (b.row->signature[0] == '@') {
        tw_diag(ev->diags, E0216, at, "'%s' is a decorator, and stands behind '@' above a function", b.row->name);
        return value_error();
    }
    if (b.row->signature[0] == '[') {
        struct diag *d = tw_diag(ev->diags, E0205, at, "'%s' is not called", b.row->name);
        tw_diag_expected(d, "brackets, %s%s", b.row->name, b.row->signature);
        return value_error();
    }
    struct call *c = arena_new(ev->arena, struct call, 1);
    *c = (struct call){.row = b.row, .at = at};
    if (b.self != NULL)
        c->self = *b.self;
    if (!check_where(ev, b.row, at) || !place_positional(ev, c, args))
        return value_error();
    for (uint32_t i = 0; i < args->len; i++)
        if (args->at[i].name != NULL && !place_keyword(ev, c, &args->at[i]))
            return value_error();
    return check_required(ev, c) ? b.row->call(ev, c) : value_error();
}

/* An argument that the language has, but whose use is not supported. */
bool tw_call_refuse_given(struct eval *ev, struct call *c, int arg, const char *name)
{
    if (!c->args[arg].given || c->args[arg].value.kind == VALUE_NONE)
        return true;
    tw_eval_unsupported(ev, c->args[arg].at, "the parameter '%s' of '%s'", name, c->row->name);
    return false;
}

/* ---- user functions ---- */

static struct value bad_user_call(struct eval *ev, const struct function *f, struct src_span at, const char *what,
                                  const char *name)
{
    struct diag *d = tw_diag(ev->diags, E0205, at, "'%s' %s%s", f->name, what, name);
    tw_diag_note(d, f->at, "it is defined here");
    return value_error();
}

static const struct param *param_named(const struct function *f, const char *name, uint32_t *index)
{
    for (uint32_t i = 0; i < f->params->len; i++) {
        const struct param *p = &f->params->at[i];
        if (p->name != name || p->kind == PARAM_STAR || p->kind == PARAM_DOUBLE_STAR || p->kind == PARAM_POSITIONAL_ONLY)
            continue;
        *index = i;
        return p;
    }
    return NULL;
}

struct user_call {
    const struct function *f;
    struct value *values; /* by parameter; VALUE_ERROR with given == false */
    bool *given;
    struct value_list extra;
    struct dict named;
};

static bool place_user_arg(struct eval *ev, struct user_call *u, const struct arg *a, uint32_t *next)
{
    uint32_t index = 0;
    if (a->name == NULL) {
        while (*next < u->f->params->len && u->f->params->at[*next].kind != PARAM_PLAIN &&
               u->f->params->at[*next].kind != PARAM_POSITIONAL_ONLY && u->f->params->at[*next].kind != PARAM_STAR)
            (*next)++;
        if (*next == u->f->params->len) {
            bad_user_call(ev, u->f, a->at, "is given too many arguments", "");
            return false;
        }
        if (u->f->params->at[*next].kind == PARAM_STAR) {
            *vec_push(ev->arena, &u->extra) = a->value;
            return true;
        }
        index = (*next)++;
    } else if (param_named(u->f, a->name, &index) == NULL) {
        for (uint32_t i = 0; i < u->f->params->len; i++) {
            if (u->f->params->at[i].kind != PARAM_DOUBLE_STAR)
                continue;
            *vec_push(ev->arena, &u->named) = (struct dict_entry){value_str(tw_str(a->name)), a->value};
            return true;
        }
        bad_user_call(ev, u->f, a->at, "has no parameter ", tw_format(ev->arena, "'%s'", a->name));
        return false;
    } else if (u->given[index]) {
        bad_user_call(ev, u->f, a->at, "is given twice its parameter ", tw_format(ev->arena, "'%s'", a->name));
        return false;
    }
    u->values[index] = a->value;
    u->given[index] = true;
    return true;
}

static bool bind_params(struct eval *ev, struct user_call *u, struct scope *s, struct src_span at)
{
    for (uint32_t i = 0; i < u->f->params->len; i++) {
        const struct param *p = &u->f->params->at[i];
        struct value v = u->given[i] ? u->values[i] : u->f->defaults.at[i];
        if (p->kind == PARAM_STAR)
            v = tw_value_list_of(ev->arena, VALUE_TUPLE, u->extra.at, u->extra.len);
        else if (p->kind == PARAM_DOUBLE_STAR)
            v = (struct value){.kind = VALUE_DICT, .u.dict = &u->named};
        else if (!u->given[i] && p->value == NULL) {
            bad_user_call(ev, u->f, at, "needs its argument ", tw_format(ev->arena, "'%s'", p->name));
            return false;
        }
        tw_scope_bind_in(ev->arena, s, p->name, v, p->at);
    }
    return true;
}

static struct value run_body(struct eval *ev, const struct function *f, struct scope *s)
{
    struct scope *outer = ev->scope;
    struct cursor *cursor = ev->cursor;
    const bool in_inline = ev->in_inline;
    const struct function *method = ev->method;
    ev->scope = s;
    ev->method = f;
    ev->cursor = NULL;
    ev->in_inline = f->is_inline;
    ev->result = value_none();
    struct value v;
    if (f->body == NULL) {
        v = tw_eval_expr(ev, f->value);
    } else {
        tw_exec_block(ev, f->body);
        v = ev->result;
    }
    ev->result = value_none();
    ev->scope = outer;
    ev->cursor = cursor;
    ev->in_inline = in_inline;
    ev->method = method;
    return v;
}

/* An error inside the classes that come with the language tells little without the call that led there. */
static void show_call(struct eval *ev, const struct function *f, uint32_t from, struct src_span at)
{
    const uint32_t library = ev->program->library_file;
    if (library == 0 || f->at.file != library || at.file == library)
        return;
    for (uint32_t i = from; i < ev->diags->list.len; i++)
        if (ev->diags->list.at[i]->at.file == library)
            tw_diag_note(ev->diags->list.at[i], at, "in this call of '%s'", f->name);
}

/* A bound method is given the object first. */
static struct args with_self(struct eval *ev, const struct function *f, const struct args *args, struct src_span at)
{
    struct args all = {0};
    const struct value self = {.kind = VALUE_OBJECT, .u.object = f->self};
    add_arg(ev, &all, NULL, self, at);
    for (uint32_t i = 0; i < args->len; i++)
        *vec_push(ev->arena, &all) = args->at[i];
    return all;
}

struct value tw_call_user(struct eval *ev, const struct function *f, const struct args *args, struct src_span at)
{
    struct value bad;
    struct src_span bad_at;
    if (ev->build == NULL && poisoned(args, &bad, &bad_at))
        return bad.kind == VALUE_HOST ? tw_eval_host(ev, at, bad) : bad;
    struct args all;
    if (f->self != NULL) {
        all = with_self(ev, f, args, at);
        args = &all;
    }
    struct user_call *u = arena_new(ev->arena, struct user_call, 1);
    *u = (struct user_call){.f = f, .values = arena_new(ev->arena, struct value, f->params->len + 1),
                            .given = arena_new(ev->arena, bool, f->params->len + 1)};
    uint32_t next = 0;
    for (uint32_t i = 0; i < args->len; i++)
        if (!place_user_arg(ev, u, &args->at[i], &next))
            return value_error();
    struct scope *s = tw_scope_new(ev->arena, f->scope);
    s->is_script = f->is_inline && ev->build != NULL;
    s->is_function = !f->is_inline;
    s->is_branch = f->is_inline;
    if (!bind_params(ev, u, s, at) || !tw_eval_step(ev, at) || !tw_eval_enter(ev, at))
        return value_error();
    const uint32_t told = ev->diags->list.len;
    const struct value v = run_body(ev, f, s);
    show_call(ev, f, told, at);
    tw_eval_leave(ev);
    return v;
}

/* ---- conversions: a dtype called ---- */

static struct value call_dtype(struct eval *ev, struct ir_type type, const struct args *args, struct src_span at)
{
    static const struct builtin dtype_row = {"dtype", "value", NULL, IN_KERNEL};
    if (args->len != 1 || args->at[0].name != NULL) {
        struct diag *d = tw_diag(ev->diags, E0205, at, "a conversion to %s takes one value", tw_ir_type_name(type));
        tw_diag_found(d, "%u arguments", args->len);
        return value_error();
    }
    const struct value v = args->at[0].value;
    if (v.kind == VALUE_ERROR || v.kind == VALUE_HOST)
        return tw_eval_mismatch(ev, args->at[0].at, "the converted value", "a number", v);
    if (ev->build == NULL && value_is_static_number(v))
        return tw_eval_unsupported(ev, at, "a typed constant outside a kernel");
    if (!check_where(ev, &dtype_row, at))
        return value_error();
    if (value_is_static_number(v)) {
        struct ir_expr *constant = tw_eval_constant(ev, v, type, args->at[0].at);
        return constant == NULL ? value_error() : value_expr(constant);
    }
    struct ir_expr *e = tw_eval_to_expr(ev, v, args->at[0].at, "the converted value");
    if (e == NULL)
        return value_error();
    if (e->type.cls == IR_POINTER)
        return tw_eval_mismatch(ev, args->at[0].at, "the converted value", "a number", value_expr(e));
    return value_expr(tw_ir_cast(eval_kernel(ev), type, e, at));
}

static bool is_super(const struct eval *ev, const struct expr *e)
{
    const struct expr *callee = e->u.call.callee;
    return callee->kind == EXPR_NAME && strcmp(callee->u.name, "super") == 0 && e->u.call.args.len == 0 &&
           tw_scope_find(ev->scope, callee->u.name, NULL) == NULL;
}

struct value tw_eval_call(struct eval *ev, const struct expr *e)
{
    if (is_super(ev, e) && (ev->build != NULL || ev->method != NULL))
        return tw_object_super(ev, e->at);
    const struct value callee = tw_eval_expr(ev, e->u.call.callee);
    const struct args args = eval_args(ev, &e->u.call.args);
    if (callee.kind == VALUE_ERROR)
        return callee;
    if (callee.kind == VALUE_BUILTIN)
        return tw_call_builtin(ev, callee.u.builtin, &args, e->at);
    if (callee.kind == VALUE_FUNCTION)
        return tw_call_user(ev, callee.u.function, &args, e->at);
    if (callee.kind == VALUE_CLASS)
        return tw_class_new(ev, callee.u.class, &args, e->at);
    if (callee.kind == VALUE_DTYPE)
        return call_dtype(ev, callee.u.dtype, &args, e->at);
    if (callee.kind == VALUE_OPCODE)
        return tw_ptx_call(ev, callee.u.opcode, &args, e->at);
    if (callee.kind == VALUE_KERNEL)
        return tw_eval_unsupported(ev, e->at, "calling the kernel '%s'", callee.u.kernel->name);
    if (callee.kind == VALUE_HOST)
        return ev->build == NULL ? tw_eval_host(ev, e->at, callee)
                                 : tw_eval_host_used(ev, e->u.call.callee->at, callee, NULL);
    return tw_eval_wrong_kind(ev, e->u.call.callee->at, "what is called", "a function", callee);
}
