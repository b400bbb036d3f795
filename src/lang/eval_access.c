/* Attributes and subscripts. */
#include "lang/eval.h"

#include <string.h>

struct value tw_eval_method(struct eval *ev, const struct builtin *row, struct value self)
{
    struct value *kept = arena_new(ev->arena, struct value, 1);
    *kept = self;
    return (struct value){.kind = VALUE_BUILTIN, .u.builtin = {row, kept}};
}

/* ---- methods of Python values ---- */

static struct value list_append(struct eval *ev, struct call *c)
{
    *vec_push(ev->arena, c->self.u.list) = c->args[0].value;
    return value_none();
}

static struct value dict_part(struct eval *ev, struct call *c)
{
    struct value_list *out = arena_new(ev->arena, struct value_list, 1);
    for (uint32_t i = 0; i < c->self.u.dict->len; i++) {
        const struct dict_entry *e = &c->self.u.dict->at[i];
        const struct value pair[] = {e->key, e->value};
        *vec_push(ev->arena, out) = strcmp(c->row->name, "keys") == 0     ? e->key
                                    : strcmp(c->row->name, "values") == 0 ? e->value
                                                                          : tw_value_list_of(ev->arena, VALUE_TUPLE, pair, 2);
    }
    return (struct value){.kind = VALUE_LIST, .u.list = out};
}

static struct value astype(struct eval *ev, struct call *c)
{
    struct ir_type type;
    if (!tw_eval_dtype(ev, c->args[0].value, c->args[0].at, "the dtype", &type))
        return value_error();
    struct ir_expr *e = tw_eval_to_expr(ev, c->self, c->at, "the converted value");
    return e == NULL ? value_error() : value_expr(tw_ir_cast(eval_kernel(ev), type, e, c->at));
}

static const struct {
    enum value_kind kind;
    struct builtin row;
} methods[] = {
    {VALUE_LIST, {"append", "item", list_append, ANYWHERE}}, {VALUE_DICT, {"keys", "", dict_part, ANYWHERE}},
    {VALUE_DICT, {"values", "", dict_part, ANYWHERE}},       {VALUE_DICT, {"items", "", dict_part, ANYWHERE}},
    {VALUE_EXPR, {"astype", "dtype", astype, IN_KERNEL}},
};

static struct value host_object(struct eval *ev, struct src_span at, struct value object)
{
    return ev->build == NULL ? tw_eval_host(ev, at, object) : tw_eval_host_used(ev, at, object, NULL);
}

static struct value attr_of(struct eval *ev, struct value object, const char *name, struct src_span at)
{
    if (object.kind == VALUE_ERROR)
        return object;
    if (object.kind == VALUE_HOST)
        return host_object(ev, at, object);
    if (object.kind == VALUE_NAMESPACE)
        return tw_names_member(ev, object.u.space, name, at);
    if (object.kind == VALUE_OPCODE)
        return tw_ptx_attr(ev, object, name, at);
    if (object.kind == VALUE_TENSOR)
        return tw_names_tensor_member(ev, object, name, at);
    if (object.kind == VALUE_OBJECT)
        return tw_object_attr(ev, object.u.object, name, at);
    if (object.kind == VALUE_CLASS)
        return tw_class_attr(ev, object.u.class, name, at);
    if (object.kind == VALUE_POOL)
        return tw_pool_attr(ev, object, name, at);
    if (object.kind == VALUE_VAR)
        object = value_expr(tw_ir_var_ref(eval_kernel(ev), object.u.var, at));
    if (object.kind == VALUE_EXPR && strcmp(name, "dtype") == 0)
        return (struct value){.kind = VALUE_DTYPE, .u.dtype = object.u.expr->type};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (methods[i].kind == object.kind && strcmp(methods[i].row.name, name) == 0)
            return tw_eval_method(ev, &methods[i].row, object);
    return tw_eval_unsupported(ev, at, "the attribute '%s' of %s", name, tw_value_kind_name(object.kind));
}

struct value tw_eval_attr(struct eval *ev, const struct expr *e)
{
    const struct value object = tw_eval_expr(ev, e->u.attr.object);
    const struct src_span at = object.kind == VALUE_HOST || object.kind == VALUE_OPCODE ? e->at : e->u.attr.name_at;
    return attr_of(ev, object, e->u.attr.name, at);
}

/* ---- subscripts of Python values ---- */

static bool static_index(struct eval *ev, struct value index, wide len, struct src_span at, wide *out)
{
    if (!value_is_integer(index)) {
        tw_eval_mismatch(ev, at, "the index", "an integer", index);
        return false;
    }
    *out = value_integer(index);
    if (*out < 0)
        *out += len;
    if (*out >= 0 && *out < len)
        return true;
    struct diag *d = tw_diag(ev->diags, E0209, at, "the index is outside the sequence");
    tw_diag_expected(d, "an integer below %lld", (long long)len);
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, index));
    return false;
}

static bool bound(struct eval *ev, const struct value *v, wide absent, wide len, struct src_span at, wide *out)
{
    *out = absent;
    if (v == NULL || v->kind == VALUE_NONE)
        return true;
    if (!value_is_integer(*v)) {
        tw_eval_mismatch(ev, at, "the bound of the slice", "an integer", *v);
        return false;
    }
    *out = value_integer(*v);
    if (*out < 0)
        *out += len;
    *out = *out < 0 ? 0 : *out > len ? len : *out;
    return true;
}

static struct value slice_of(struct eval *ev, struct value object, const struct slice *s, struct src_span at)
{
    const wide len = object.kind == VALUE_STR ? (wide)object.u.text.len : (wide)object.u.list->len;
    wide low, high;
    if (s->step != NULL && s->step->kind != VALUE_NONE)
        return tw_eval_unsupported(ev, at, "a slice with a step");
    if (!bound(ev, s->low, 0, len, at, &low) || !bound(ev, s->high, len, len, at, &high))
        return value_error();
    if (high < low)
        high = low;
    if (object.kind == VALUE_STR)
        return value_str((struct str){object.u.text.at + (size_t)low, (size_t)(high - low)});
    const struct value *first = object.u.list->at == NULL ? NULL : object.u.list->at + (size_t)low;
    return tw_value_list_of(ev->arena, object.kind, first, (uint32_t)(high - low));
}

static struct value index_sequence(struct eval *ev, struct value object, struct value index, struct src_span at)
{
    if (index.kind == VALUE_SLICE)
        return slice_of(ev, object, index.u.slice, at);
    wide i;
    if (object.kind == VALUE_STR) {
        if (!static_index(ev, index, (wide)object.u.text.len, at, &i))
            return value_error();
        return value_str((struct str){object.u.text.at + (size_t)i, 1});
    }
    return static_index(ev, index, (wide)object.u.list->len, at, &i) ? tw_eval_fresh(ev, object.u.list->at[(size_t)i])
                                                                      : value_error();
}

static struct value index_dict(struct eval *ev, struct value object, struct value key, struct src_span at)
{
    for (uint32_t i = object.u.dict->len; i-- > 0;) {
        bool known;
        if (tw_value_equal(object.u.dict->at[i].key, key, &known))
            return tw_eval_fresh(ev, object.u.dict->at[i].value);
    }
    struct diag *d = tw_diag(ev->diags, E0209, at, "the dict has no such key");
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, key));
    return value_error();
}

/* T.float32[8]: the type of a local array. */
static struct value array_type(struct eval *ev, struct ir_type elem, struct value index, struct src_span at)
{
    struct tensor_type *t = arena_new(ev->arena, struct tensor_type, 1);
    *t = (struct tensor_type){.elem = elem, .scope = "local", .align = -1, .at = at};
    if (!tw_eval_static_shape(ev, index, at, "the shape", &t->shape))
        return value_error();
    return (struct value){.kind = VALUE_TYPE, .u.type = t};
}

struct value tw_eval_subscript_of(struct eval *ev, struct value object, struct value index, struct src_span at)
{
    if (object.kind == VALUE_ERROR || index.kind == VALUE_ERROR)
        return value_error();
    if (object.kind == VALUE_HOST)
        return host_object(ev, at, object);
    if (index.kind == VALUE_HOST)
        return tw_eval_mismatch(ev, at, "the index", "an integer", index);
    if (object.kind == VALUE_TENSOR)
        return tw_tensor_index(ev, object.u.tensor, index, at);
    if (object.kind == VALUE_OPCODE)
        return tw_ptx_subscript(ev, object, index, at);
    if (object.kind == VALUE_DTYPE)
        return array_type(ev, object.u.dtype, index, at);
    if (object.kind == VALUE_TYPE && object.u.type->is_let) {
        struct tensor_type *t = arena_new(ev->arena, struct tensor_type, 1);
        *t = *object.u.type;
        return tw_eval_dtype(ev, index, at, "the type of the binding", &t->elem)
                   ? (struct value){.kind = VALUE_TYPE, .u.type = t}
                   : value_error();
    }
    if (object.kind == VALUE_BUILTIN && object.u.builtin.row->signature[0] == '[') {
        struct call *c = arena_new(ev->arena, struct call, 1);
        *c = (struct call){.row = object.u.builtin.row, .at = at};
        if (object.u.builtin.self != NULL)
            c->self = *object.u.builtin.self;
        c->args[0] = (struct arg){.value = index, .at = at, .given = true};
        return c->row->call(ev, c);
    }
    if (value_is_sequence(object) || object.kind == VALUE_STR)
        return index_sequence(ev, object, index, at);
    if (object.kind == VALUE_DICT)
        return index_dict(ev, object, index, at);
    return tw_eval_unsupported(ev, at, "a subscript of %s", tw_value_kind_name(object.kind));
}

struct value tw_eval_subscript(struct eval *ev, const struct expr *e)
{
    const struct value object = tw_eval_expr(ev, e->u.subscript.object);
    struct value index = tw_eval_expr(ev, e->u.subscript.index);
    const struct src_span at = object.kind == VALUE_OPCODE ? e->u.subscript.index->at : e->at;
    return tw_eval_subscript_of(ev, object, index, at);
}
