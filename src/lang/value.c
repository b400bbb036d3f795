/* Names, texts, equality and truth of values. */
#include "lang/value.h"

#include <assert.h>

const char *tw_value_kind_name(enum value_kind kind)
{
    static const char *const names[VALUE_KIND_COUNT] = {
        [VALUE_ERROR] = "a faulty value", [VALUE_NONE] = "None", [VALUE_BOOL] = "a bool", [VALUE_INT] = "an integer",
        [VALUE_FLOAT] = "a float", [VALUE_STR] = "a string", [VALUE_TUPLE] = "a tuple", [VALUE_LIST] = "a list",
        [VALUE_DICT] = "a dict", [VALUE_SLICE] = "a slice", [VALUE_ELLIPSIS] = "'...'", [VALUE_DTYPE] = "a dtype", [VALUE_AXIS] = "an axis",
        [VALUE_AXIS_TERM] = "a multiple of an axis", [VALUE_SPEC] = "a layout specification", [VALUE_LAYOUT] = "a layout",
        [VALUE_TYPE] = "a type", [VALUE_NAMESPACE] = "a namespace", [VALUE_BUILTIN] = "a function of the language",
        [VALUE_FUNCTION] = "a function", [VALUE_KERNEL] = "a kernel", [VALUE_OPCODE] = "an instruction",
        [VALUE_LAUNCH] = "a launch configuration", [VALUE_LOOP] = "a loop range", [VALUE_HOST] = "a host value",
        [VALUE_EXPR] = "a run-time value", [VALUE_VAR] = "a run-time variable", [VALUE_TENSOR] = "a tensor",
        [VALUE_REGION] = "a region of a tensor", [VALUE_PTX_ADDR] = "an address with an offset",
        [VALUE_PTX_SINK] = "the sink of an instruction", [VALUE_META] = "a meta variable",
        [VALUE_PARAM] = "a handle", [VALUE_CLASS] = "a class", [VALUE_OBJECT] = "an object", [VALUE_POOL] = "a pool",
    };
    assert(kind < VALUE_KIND_COUNT);
    return names[kind];
}

static void put_integer(struct text *out, wide i)
{
    if (i < 0)
        tw_text_put(out, '-');
    const uint64_t magnitude = (uint64_t)(i < 0 ? -i : i);
    tw_text_addf(out, "%llu", (unsigned long long)magnitude);
}

static bool put_list(struct text *out, struct value v)
{
    const struct value_list *list = v.u.list;
    tw_text_put(out, v.kind == VALUE_TUPLE ? '(' : '[');
    for (uint32_t i = 0; i < list->len; i++) {
        tw_text_add(out, i == 0 ? "" : ", ");
        const bool quoted = list->at[i].kind == VALUE_STR;
        tw_text_add(out, quoted ? "'" : "");
        if (!tw_value_text(list->at[i], out))
            return false;
        tw_text_add(out, quoted ? "'" : "");
    }
    tw_text_add(out, v.kind == VALUE_TUPLE && list->len == 1 ? "," : "");
    tw_text_put(out, v.kind == VALUE_TUPLE ? ')' : ']');
    return true;
}

bool tw_value_text(struct value v, struct text *out)
{
    if (v.kind == VALUE_NONE)
        tw_text_add(out, "None");
    else if (v.kind == VALUE_BOOL)
        tw_text_add(out, v.u.truth ? "True" : "False");
    else if (v.kind == VALUE_INT)
        put_integer(out, v.u.integer);
    else if (v.kind == VALUE_STR)
        tw_text_add_str(out, v.u.text);
    else if (v.kind == VALUE_DTYPE)
        tw_text_add(out, tw_ir_type_name(v.u.dtype));
    else if (v.kind == VALUE_AXIS)
        tw_text_add(out, tw_axis_row(v.u.axis)->name);
    else if (value_is_sequence(v))
        return put_list(out, v);
    else
        return false;
    return true;
}

const char *tw_value_describe(struct arena *arena, struct value v)
{
    enum { SHOWN = 60 };
    if (v.kind == VALUE_EXPR && v.u.expr->op == IR_ADDRESS)
        return tw_format(arena, "a pointer into a %s tensor", tw_ir_scope_name(v.u.expr->region->view->storage->scope));
    if (v.kind == VALUE_EXPR || v.kind == VALUE_VAR) {
        const struct ir_type t = v.kind == VALUE_EXPR ? v.u.expr->type : v.u.var->type;
        return tw_format(arena, "a run-time value of type %s", tw_ir_type_name(t));
    }
    if (v.kind == VALUE_OBJECT)
        return tw_format(arena, "an object of the class '%s'", v.u.object->of->name);
    if (v.kind == VALUE_TENSOR)
        return tw_format(arena, "a %s tensor of shape %s and dtype %s", tw_ir_scope_name(v.u.tensor->storage->scope),
                         tw_shape_text(arena, &v.u.tensor->view.shape), tw_ir_type_name(v.u.tensor->elem));
    struct text t;
    tw_text_init(&t, arena);
    if (v.kind == VALUE_NONE || !tw_value_text(v, &t) || t.len > SHOWN)
        return tw_value_kind_name(v.kind);
    static const struct {
        enum value_kind kind;
        const char *before, *after;
    } frames[] = {{VALUE_STR, "the string '", "'"}, {VALUE_INT, "the integer ", ""}, {VALUE_TUPLE, "the tuple ", ""},
                  {VALUE_LIST, "the list ", ""},    {VALUE_AXIS, "the axis ", ""},   {VALUE_DTYPE, "the dtype ", ""}};
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        if (frames[i].kind == v.kind)
            return tw_format(arena, "%s%s%s", frames[i].before, t.at == NULL ? "" : t.at, frames[i].after);
    return t.at;
}

static bool equal_lists(struct value a, struct value b, bool *known)
{
    if (a.kind != b.kind || a.u.list->len != b.u.list->len)
        return false;
    for (uint32_t i = 0; i < a.u.list->len; i++)
        if (!tw_value_equal(a.u.list->at[i], b.u.list->at[i], known))
            return false;
    return true;
}

bool tw_value_equal(struct value a, struct value b, bool *known)
{
    *known = true;
    if (value_is_integer(a) && value_is_integer(b))
        return value_integer(a) == value_integer(b);
    if (value_is_static_number(a) && value_is_static_number(b))
        return value_number(a) >= value_number(b) && value_number(a) <= value_number(b);
    if (a.kind == VALUE_STR && b.kind == VALUE_STR)
        return tw_str_eq(a.u.text, b.u.text);
    if (a.kind == VALUE_DTYPE && b.kind == VALUE_DTYPE)
        return tw_ir_type_equal(a.u.dtype, b.u.dtype);
    if (a.kind == VALUE_DTYPE && b.kind == VALUE_STR)
        return tw_str_is(b.u.text, tw_ir_type_name(a.u.dtype));
    if (a.kind == VALUE_STR && b.kind == VALUE_DTYPE)
        return tw_str_is(a.u.text, tw_ir_type_name(b.u.dtype));
    if (a.kind == VALUE_AXIS && b.kind == VALUE_AXIS)
        return a.u.axis == b.u.axis;
    if (value_is_sequence(a) && value_is_sequence(b))
        return equal_lists(a, b, known);
    if (a.kind <= VALUE_DICT && b.kind <= VALUE_DICT && a.kind != b.kind)
        return false;
    *known = a.kind == VALUE_NONE && b.kind == VALUE_NONE;
    return *known;
}

bool tw_value_truth(struct value v, bool *known)
{
    *known = true;
    if (v.kind == VALUE_NONE)
        return false;
    if (value_is_integer(v))
        return value_integer(v) != 0;
    if (v.kind == VALUE_FLOAT)
        return v.u.number < 0 || v.u.number > 0 || v.u.number != v.u.number;
    if (v.kind == VALUE_STR)
        return v.u.text.len != 0;
    if (value_is_sequence(v))
        return v.u.list->len != 0;
    if (v.kind == VALUE_DICT)
        return v.u.dict->len != 0;
    *known = v.kind != VALUE_ERROR && v.kind != VALUE_HOST && v.kind != VALUE_EXPR && v.kind != VALUE_VAR &&
             v.kind != VALUE_TENSOR && v.kind != VALUE_REGION;
    return *known;
}
