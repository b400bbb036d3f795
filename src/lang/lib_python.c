/* The Python functions that the evaluator computes: on values known at compile time. */
#include "lang/eval.h"

#include <math.h>
#include <string.h>

static struct value py_len(struct eval *ev, struct call *c)
{
    const struct value v = c->args[0].value;
    if (value_is_sequence(v))
        return value_int(v.u.list->len);
    if (v.kind == VALUE_STR)
        return value_int((wide)v.u.text.len);
    if (v.kind == VALUE_DICT)
        return value_int(v.u.dict->len);
    return tw_eval_mismatch(ev, c->args[0].at, "the argument of 'len'", "a tuple, list, string or dict", v);
}

static struct value py_int(struct eval *ev, struct call *c)
{
    const struct value v = c->args[0].value;
    if (value_is_integer(v))
        return value_int(value_integer(v));
    if (v.kind == VALUE_FLOAT && v.u.number > -9.0e18 && v.u.number < 9.0e18)
        return value_int((wide)v.u.number);
    if (v.kind == VALUE_STR || v.kind == VALUE_FLOAT)
        return tw_eval_unsupported(ev, c->at, "int() of this value");
    return tw_eval_mismatch(ev, c->args[0].at, "the argument of 'int'", "a number known at compile time", v);
}

static struct value py_float(struct eval *ev, struct call *c)
{
    const struct value v = c->args[0].value;
    if (value_is_static_number(v))
        return value_float(value_number(v));
    if (v.kind == VALUE_STR)
        return tw_eval_unsupported(ev, c->at, "float() of a string");
    return tw_eval_mismatch(ev, c->args[0].at, "the argument of 'float'", "a number known at compile time", v);
}

static struct value py_str(struct eval *ev, struct call *c)
{
    struct text t;
    tw_text_init(&t, ev->arena);
    if (!tw_value_text(c->args[0].value, &t))
        return tw_eval_unsupported(ev, c->at, "str() of %s", tw_value_kind_name(c->args[0].value.kind));
    return value_str((struct str){t.at == NULL ? "" : t.at, t.len});
}

static struct value py_bool(struct eval *ev, struct call *c)
{
    bool known;
    const bool truth = tw_value_truth(c->args[0].value, &known);
    return known ? value_bool(truth)
                 : tw_eval_mismatch(ev, c->args[0].at, "the argument of 'bool'", "a value known at compile time",
                                    c->args[0].value);
}

/* The numbers that min, max and sum run over: the arguments, or the one argument's items. */
static bool numbers(struct eval *ev, struct call *c, struct value_list *out)
{
    if (c->rest.len == 1 && !value_is_static_number(c->rest.at[0].value))
        return tw_eval_items(ev, c->rest.at[0].value, c->rest.at[0].at, out);
    for (uint32_t i = 0; i < c->rest.len; i++)
        *vec_push(ev->arena, out) = c->rest.at[i].value;
    return true;
}

static struct value py_extreme(struct eval *ev, struct call *c)
{
    const enum compare_op op = strcmp(c->row->name, "min") == 0 ? COMPARE_LT : COMPARE_GT;
    struct value_list items = {0};
    if (!numbers(ev, c, &items))
        return value_error();
    if (items.len == 0) {
        tw_diag(ev->diags, E0205, c->at, "'%s' of nothing", c->row->name);
        return value_error();
    }
    struct value best = items.at[0];
    for (uint32_t i = 0; i < items.len; i++) {
        if (!value_is_static_number(items.at[i]))
            return tw_eval_mismatch(ev, c->at, "an argument", "a number known at compile time; T.min and T.max take others",
                                    items.at[i]);
        if (tw_eval_compare(ev, op, items.at[i], best, c->at).u.truth)
            best = items.at[i];
    }
    return best;
}

static struct value py_sum(struct eval *ev, struct call *c)
{
    struct value_list items = {0};
    if (!tw_eval_items(ev, c->args[0].value, c->args[0].at, &items))
        return value_error();
    struct value total = c->args[1].given ? c->args[1].value : value_int(0);
    for (uint32_t i = 0; i < items.len; i++)
        total = tw_eval_binary(ev, BINARY_ADD, tw_eval_fresh(ev, total), items.at[i], c->at);
    return total;
}

static struct value py_abs(struct eval *ev, struct call *c)
{
    const struct value v = c->args[0].value;
    if (value_is_integer(v))
        return value_int(value_integer(v) < 0 ? -value_integer(v) : value_integer(v));
    if (v.kind == VALUE_FLOAT)
        return value_float(fabs(v.u.number));
    return tw_eval_mismatch(ev, c->args[0].at, "the argument of 'abs'", "a number known at compile time; T.abs takes others", v);
}

static struct value py_sequence(struct eval *ev, struct call *c)
{
    struct value_list items = {0};
    if (c->args[0].given && !tw_eval_items(ev, c->args[0].value, c->args[0].at, &items))
        return value_error();
    return tw_value_list_of(ev->arena, strcmp(c->row->name, "tuple") == 0 ? VALUE_TUPLE : VALUE_LIST, items.at, items.len);
}

static struct value py_enumerate(struct eval *ev, struct call *c)
{
    struct value_list items = {0}, out = {0};
    if (!tw_eval_items(ev, c->args[0].value, c->args[0].at, &items))
        return value_error();
    for (uint32_t i = 0; i < items.len; i++) {
        const struct value pair[] = {value_int(i), items.at[i]};
        *vec_push(ev->arena, &out) = tw_value_list_of(ev->arena, VALUE_TUPLE, pair, 2);
    }
    return tw_value_list_of(ev->arena, VALUE_LIST, out.at, out.len);
}

static struct value py_zip(struct eval *ev, struct call *c)
{
    struct value_list *columns = arena_new(ev->arena, struct value_list, c->rest.len + 1);
    uint32_t rows = c->rest.len == 0 ? 0 : UINT32_MAX;
    for (uint32_t i = 0; i < c->rest.len; i++) {
        if (!tw_eval_items(ev, c->rest.at[i].value, c->rest.at[i].at, &columns[i]))
            return value_error();
        rows = columns[i].len < rows ? columns[i].len : rows;
    }
    struct value_list out = {0};
    for (uint32_t r = 0; r < rows; r++) {
        struct value_list row = {0};
        for (uint32_t i = 0; i < c->rest.len; i++)
            *vec_push(ev->arena, &row) = columns[i].at[r];
        *vec_push(ev->arena, &out) = tw_value_list_of(ev->arena, VALUE_TUPLE, row.at, row.len);
    }
    return tw_value_list_of(ev->arena, VALUE_LIST, out.at, out.len);
}

static struct value *kept(struct eval *ev, struct value v)
{
    struct value *p = arena_new(ev->arena, struct value, 1);
    *p = v;
    return p;
}

/* range(end), range(begin, end), range(begin, end, step) */
static struct value py_range(struct eval *ev, struct call *c)
{
    struct loop *loop = arena_new(ev->arena, struct loop, 1);
    *loop = (struct loop){.name = "range", .unroll = IR_SERIAL};
    for (int i = 0; i < 3; i++)
        if (c->args[i].given && !value_is_integer(c->args[i].value) && !value_is_run_time(c->args[i].value) &&
            !tw_eval_is_scalar_tensor(c->args[i].value))
            return tw_eval_mismatch(ev, c->args[i].at, "an argument of 'range'", "an integer", c->args[i].value);
    *vec_push(ev->arena, &loop->begins) = c->args[1].given ? c->args[0].value : value_int(0);
    *vec_push(ev->arena, &loop->ends) = c->args[1].given ? c->args[1].value : c->args[0].value;
    loop->step = kept(ev, c->args[2].given ? c->args[2].value : value_int(1));
    return (struct value){.kind = VALUE_LOOP, .u.loop = loop};
}

static const struct builtin rows[] = {
    {"len", "object", py_len, ANYWHERE},
    {"range", "start, stop?, step?", py_range, ANYWHERE},
    {"int", "value", py_int, ANYWHERE},
    {"float", "value", py_float, ANYWHERE},
    {"str", "value", py_str, ANYWHERE},
    {"bool", "value", py_bool, ANYWHERE},
    {"min", "*values", py_extreme, ANYWHERE},
    {"max", "*values", py_extreme, ANYWHERE},
    {"sum", "values, start?", py_sum, ANYWHERE},
    {"abs", "value", py_abs, ANYWHERE},
    {"tuple", "items?", py_sequence, ANYWHERE},
    {"list", "items?", py_sequence, ANYWHERE},
    {"enumerate", "items", py_enumerate, ANYWHERE},
    {"zip", "*sequences", py_zip, ANYWHERE},
};
const struct builtin_table tw_lib_python = {rows, sizeof rows / sizeof rows[0]};
