/* Expressions: one function a kind of node. Operands of a failed operation are VALUE_ERROR and make no noise;
 * an operation on a host value is a host value. */
#include "lang/eval.h"

#include "ir/ir_names.h"
#include "ir/ir_walk.h"
#include "num/decimal.h"

#include <string.h>

struct value tw_value_list_of(struct arena *arena, enum value_kind kind, const struct value *items, uint32_t count)
{
    struct value_list *list = arena_new(arena, struct value_list, 1);
    for (uint32_t i = 0; i < count; i++)
        *vec_push(arena, list) = items[i];
    return (struct value){.kind = kind, .u.list = list};
}

/* Plain functions can make a run-time expression grow without end (v = v + v in a loop); everything that walks
 * expressions recurses. */
static bool is_bounded(const struct ir_expr *e, uint32_t depth, uint32_t *nodes)
{
    if (depth > TW_MAX_NESTING || ++*nodes > TW_MAX_EXPR_NODES)
        return false;
    for (unsigned i = 0; i < tw_ir_op_row(e->op)->arity; i++)
        if (!is_bounded(e->args[i], depth + 1, nodes))
            return false;
    for (uint32_t d = 0; e->region != NULL && d < e->region->view->rank; d++)
        if (e->region->start[d] != NULL && !is_bounded(e->region->start[d], depth + 1, nodes))
            return false;
    return true;
}

static struct value fresh_expr(struct eval *ev, const struct ir_expr *e)
{
    uint32_t nodes = 0;
    if (is_bounded(e, 0, &nodes))
        return value_expr(tw_ir_expr_copy(eval_kernel(ev), e, NULL));
    if (ev->stopped)
        return value_error();
    ev->stopped = true;
    struct diag *d = tw_diag(ev->diags, E0217, e->at, "a run-time expression grows too large");
    tw_diag_expected(d, "at most %d operations, nested at most %d deep", TW_MAX_EXPR_NODES, TW_MAX_NESTING);
    tw_diag_fix(d, "bind a part of it to a name in the kernel");
    return value_error();
}

struct value tw_eval_fresh(struct eval *ev, struct value v)
{
    if (ev->build == NULL)
        return v;
    if (v.kind == VALUE_EXPR)
        return fresh_expr(ev, v.u.expr);
    if (v.kind == VALUE_REGION)
        return (struct value){.kind = VALUE_REGION, .u.region = tw_ir_region_copy(eval_kernel(ev), v.u.region, NULL)};
    if (v.kind == VALUE_PTX_ADDR)
        return (struct value){.kind = VALUE_PTX_ADDR,
                              .u.addr = {tw_ir_expr_copy(eval_kernel(ev), v.u.addr.base, NULL), v.u.addr.offset_bytes}};
    return v;
}

static struct value unknown_name(struct eval *ev, const struct expr *e)
{
    struct diag *d = tw_diag(ev->diags, E0201, e->at, "the name '%s' is not known here", e->u.name);
    const char *nearest = tw_scope_nearest(ev, e->u.name);
    if (nearest != NULL)
        tw_diag_fix(d, "write '%s'", nearest);
    return value_error();
}

static struct value python_host(struct eval *ev, const struct expr *e)
{
    struct host *h = arena_new(ev->arena, struct host, 1);
    *h = (struct host){tw_format(ev->arena, "the Python builtin '%s'", e->u.name), {0}, e->at};
    return (struct value){.kind = VALUE_HOST, .u.host = h};
}

static struct value eval_name(struct eval *ev, const struct expr *e)
{
    const struct binding *b = tw_scope_find(ev->scope, e->u.name, NULL);
    if (b != NULL)
        return b->value.kind == VALUE_VAR ? value_expr(tw_ir_var_ref(eval_kernel(ev), b->value.u.var, e->at))
                                          : tw_eval_fresh(ev, b->value);
    bool found;
    const struct value v = tw_names_python(e->u.name, &found);
    if (found)
        return v;
    return tw_names_is_python_builtin(e->u.name) ? python_host(ev, e) : unknown_name(ev, e);
}

static struct value eval_float(struct eval *ev, const struct expr *e)
{
    uint64_t word;
    double number = 0;
    if (tw_num_parse_decimal(e->u.text, NUM_F64, &word) == NUM_PARSE_MALFORMED)
        return tw_eval_unsupported(ev, e->at, "this spelling of a number");
    memcpy(&number, &word, sizeof number);
    return value_float(number);
}

static struct value eval_int(struct eval *ev, const struct expr *e)
{
    if (e->u.integer.huge)
        return tw_eval_unsupported(ev, e->at, "an integer of more than 64 bits");
    return value_int((wide)e->u.integer.word);
}

/* ---- displays ---- */

static void add_item(struct eval *ev, const struct expr *item, struct value_list *out)
{
    if (item->kind != EXPR_STARRED) {
        const struct value v = tw_eval_expr(ev, item);
        *vec_push(ev->arena, out) = v;
        return;
    }
    struct value_list items = {0};
    const struct value starred = tw_eval_expr(ev, item->u.unary.arg);
    if (!tw_eval_items(ev, starred, item->at, &items)) {
        *vec_push(ev->arena, out) = starred.kind == VALUE_HOST ? starred : value_error();
        return;
    }
    for (uint32_t i = 0; i < items.len; i++)
        *vec_push(ev->arena, out) = items.at[i];
}

static struct value eval_display(struct eval *ev, const struct expr *e)
{
    struct value_list *list = arena_new(ev->arena, struct value_list, 1);
    for (uint32_t i = 0; i < e->u.items.len; i++)
        add_item(ev, e->u.items.at[i], list);
    return (struct value){.kind = e->kind == EXPR_TUPLE ? VALUE_TUPLE : VALUE_LIST, .u.list = list};
}

static struct value eval_dict(struct eval *ev, const struct expr *e)
{
    struct dict *dict = arena_new(ev->arena, struct dict, 1);
    for (uint32_t i = 0; i < e->u.dict.len; i++) {
        if (e->u.dict.at[i].key == NULL)
            return tw_eval_unsupported(ev, e->at, "'**' in a dict");
        const struct value key = tw_eval_expr(ev, e->u.dict.at[i].key);
        const struct value value = tw_eval_expr(ev, e->u.dict.at[i].value);
        *vec_push(ev->arena, dict) = (struct dict_entry){key, value};
    }
    return (struct value){.kind = VALUE_DICT, .u.dict = dict};
}

/* ---- strings ---- */

static bool format_part(struct eval *ev, const struct fstring_part *part, struct text *out, struct value *fault)
{
    if (part->expr == NULL) {
        tw_text_add_str(out, part->literal);
        return true;
    }
    const struct value v = tw_eval_expr(ev, part->expr);
    tw_text_add_str(out, part->shown);
    const bool plain = part->spec == NULL && (part->conversion == 0 || part->conversion == 's');
    if (v.kind == VALUE_HOST)
        *fault = tw_eval_host(ev, part->expr->at, v);
    else if (value_is_run_time(v) || v.kind == VALUE_REGION || v.kind == VALUE_TENSOR)
        *fault = tw_eval_mismatch(ev, part->expr->at, "the value in a string", "a value that has a text", v);
    else if (!plain)
        *fault = tw_eval_unsupported(ev, part->expr->at, "a format or conversion in an f-string");
    else if (v.kind == VALUE_ERROR)
        *fault = v;
    else if (!tw_value_text(v, out))
        *fault = tw_eval_unsupported(ev, part->expr->at, "%s inside an f-string", tw_value_kind_name(v.kind));
    else
        return true;
    return false;
}

static struct value eval_fstring(struct eval *ev, const struct expr *e)
{
    struct text out;
    tw_text_init(&out, ev->arena);
    for (uint32_t i = 0; i < e->u.parts.len; i++) {
        struct value fault;
        if (!format_part(ev, &e->u.parts.at[i], &out, &fault))
            return fault;
    }
    return value_str((struct str){out.at == NULL ? "" : out.at, out.len});
}

/* ---- operators ---- */

static struct value eval_cond(struct eval *ev, const struct expr *e)
{
    const struct value c = tw_eval_expr(ev, e->u.cond.cond);
    bool known;
    const bool truth = tw_value_truth(c, &known);
    if (known)
        return tw_eval_expr(ev, truth ? e->u.cond.then : e->u.cond.otherwise);
    if (c.kind == VALUE_HOST)
        return ev->build == NULL ? tw_eval_host(ev, e->at, c) : tw_eval_host_used(ev, e->u.cond.cond->at, c, "the condition");
    if (c.kind == VALUE_ERROR || ev->build == NULL)
        return value_error();
    struct ir_expr *cond = tw_eval_to_bool(ev, c, e->u.cond.cond->at, "the condition");
    const struct value a = tw_eval_expr(ev, e->u.cond.then), b = tw_eval_expr(ev, e->u.cond.otherwise);
    struct ir_expr *x, *y;
    if (cond == NULL || !tw_eval_balance(ev, a, b, &x, &y, e->at))
        return value_error();
    return value_expr(tw_ir_select(eval_kernel(ev), cond, x, y, e->at));
}

static struct value join_bool(struct eval *ev, bool is_and, struct value a, struct value b, struct src_span at,
                              struct src_span a_at, struct src_span b_at)
{
    struct ir_expr *x = tw_eval_to_bool(ev, a, a_at, "the operand");
    struct ir_expr *y = tw_eval_to_bool(ev, b, b_at, "the operand");
    if (x == NULL || y == NULL)
        return value_error();
    return value_expr(tw_ir_binary(eval_kernel(ev), is_and ? IR_AND : IR_OR, x, y, at));
}

/* Values that decide at compile time end the chain, or drop out of it; the rest is joined at run time. */
static struct value eval_bool(struct eval *ev, const struct expr *e)
{
    const bool is_and = e->u.boolean.is_and;
    struct value result = value_error();
    struct src_span result_at = e->at;
    bool pending = false; /* result is a run-time value */
    for (uint32_t i = 0; i < e->u.boolean.args.len; i++) {
        const struct expr *arg = e->u.boolean.args.at[i];
        const struct value v = tw_eval_expr(ev, arg);
        bool known;
        const bool truth = tw_value_truth(v, &known);
        if (v.kind == VALUE_ERROR)
            return v;
        if (v.kind == VALUE_HOST)
            return tw_eval_mismatch(ev, arg->at, "the operand", "a bool", v);
        if (known && truth != is_and)
            return pending ? value_bool(truth) : v;
        if (known && pending)
            continue;
        result = pending ? join_bool(ev, is_and, result, v, e->at, result_at, arg->at) : v;
        result_at = arg->at;
        pending = !known;
        if (result.kind == VALUE_ERROR)
            return result;
    }
    return result;
}

static struct value eval_compare(struct eval *ev, const struct expr *e)
{
    struct value left = tw_eval_expr(ev, e->u.compare.args.at[0]);
    struct value all = value_bool(true);
    for (uint32_t i = 1; i < e->u.compare.args.len; i++) {
        const struct value right = tw_eval_expr(ev, e->u.compare.args.at[i]);
        const struct value one = tw_eval_compare(ev, e->u.compare.ops[i - 1], left, right, e->at);
        if (one.kind == VALUE_ERROR || one.kind == VALUE_HOST)
            return one;
        bool known;
        const bool truth = tw_value_truth(one, &known);
        if (known && !truth)
            return one;
        if (!known)
            all = all.kind == VALUE_BOOL ? one : join_bool(ev, true, all, one, e->at, e->at, e->at);
        left = tw_eval_fresh(ev, right);
    }
    return all;
}

static struct value eval_lambda(struct eval *ev, const struct expr *e)
{
    struct function *f = arena_new(ev->arena, struct function, 1);
    *f = (struct function){.name = "lambda", .at = e->at, .params = &e->u.lambda.params, .value = e->u.lambda.body,
                           .scope = ev->scope};
    for (uint32_t i = 0; i < f->params->len; i++) {
        const struct expr *value = f->params->at[i].value;
        const struct value v = value == NULL ? value_error() : tw_eval_expr(ev, value);
        *vec_push(ev->arena, &f->defaults) = v;
    }
    return (struct value){.kind = VALUE_FUNCTION, .u.function = f};
}

static struct value *slice_part(struct eval *ev, const struct expr *e)
{
    if (e == NULL)
        return NULL;
    struct value *v = arena_new(ev->arena, struct value, 1);
    *v = tw_eval_expr(ev, e);
    return v;
}

static struct value eval_slice(struct eval *ev, const struct expr *e)
{
    struct slice *s = arena_new(ev->arena, struct slice, 1);
    s->low = slice_part(ev, e->u.slice.low);
    s->high = slice_part(ev, e->u.slice.high);
    s->step = slice_part(ev, e->u.slice.step);
    return (struct value){.kind = VALUE_SLICE, .u.slice = s};
}

static struct value eval_node(struct eval *ev, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_ERROR: return value_error();
    case EXPR_NAME: return eval_name(ev, e);
    case EXPR_INT: return eval_int(ev, e);
    case EXPR_FLOAT: return eval_float(ev, e);
    case EXPR_STR: return value_str(e->u.text);
    case EXPR_BYTES: return tw_eval_unsupported(ev, e->at, "a bytes string");
    case EXPR_FSTRING: return eval_fstring(ev, e);
    case EXPR_TRUE: return value_bool(true);
    case EXPR_FALSE: return value_bool(false);
    case EXPR_NONE: return value_none();
    case EXPR_ELLIPSIS: return (struct value){.kind = VALUE_ELLIPSIS};
    case EXPR_TUPLE:
    case EXPR_LIST: return eval_display(ev, e);
    case EXPR_SET: return tw_eval_unsupported(ev, e->at, "a set");
    case EXPR_DICT: return eval_dict(ev, e);
    case EXPR_COMPREHENSION: return tw_eval_comprehension(ev, e);
    case EXPR_UNARY: return tw_eval_unary(ev, e->u.unary.op, tw_eval_expr(ev, e->u.unary.arg), e->at);
    case EXPR_BINARY: {
        const struct value a = tw_eval_expr(ev, e->u.binary.left);
        return tw_eval_binary(ev, e->u.binary.op, a, tw_eval_expr(ev, e->u.binary.right), e->at);
    }
    case EXPR_BOOL: return eval_bool(ev, e);
    case EXPR_COMPARE: return eval_compare(ev, e);
    case EXPR_COND: return eval_cond(ev, e);
    case EXPR_LAMBDA: return eval_lambda(ev, e);
    case EXPR_CALL: return tw_eval_call(ev, e);
    case EXPR_ATTR: return tw_eval_attr(ev, e);
    case EXPR_SUBSCRIPT: return tw_eval_subscript(ev, e);
    case EXPR_SLICE: return eval_slice(ev, e);
    case EXPR_STARRED: return tw_eval_unsupported(ev, e->at, "'*' here");
    case EXPR_YIELD: return tw_eval_unsupported(ev, e->at, "'yield'");
    }
    return value_error();
}

struct value tw_eval_expr(struct eval *ev, const struct expr *e)
{
    if (!tw_eval_enter(ev, e->at))
        return value_error();
    const struct value v = eval_node(ev, e);
    tw_eval_leave(ev);
    return v;
}

/* ---- iteration at compile time ---- */

static bool range_items(struct eval *ev, const struct loop *loop, struct src_span at, struct value_list *out)
{
    int64_t begin, end, step;
    if (loop->is_grid || !tw_eval_static_int(ev, loop->begins.at[0], at, "the start of the range", &begin) ||
        !tw_eval_static_int(ev, loop->ends.at[0], at, "the end of the range", &end) ||
        !tw_eval_static_int(ev, *loop->step, at, "the step of the range", &step) || step == 0)
        return false;
    for (wide i = begin; step > 0 ? i < end : i > end; i += step) {
        if (!tw_eval_step(ev, at))
            return false;
        *vec_push(ev->arena, out) = value_int(i);
    }
    return true;
}

static void string_items(struct eval *ev, struct str s, struct value_list *out)
{
    for (size_t i = 0; i < s.len; i++)
        *vec_push(ev->arena, out) = value_str((struct str){s.at + i, 1});
}

bool tw_eval_items(struct eval *ev, struct value v, struct src_span at, struct value_list *out)
{
    if (value_is_sequence(v)) {
        for (uint32_t i = 0; i < v.u.list->len; i++)
            *vec_push(ev->arena, out) = tw_eval_fresh(ev, v.u.list->at[i]);
        return true;
    }
    if (v.kind == VALUE_LOOP)
        return range_items(ev, v.u.loop, at, out);
    if (v.kind == VALUE_STR) {
        string_items(ev, v.u.text, out);
        return true;
    }
    if (v.kind == VALUE_DICT) {
        for (uint32_t i = 0; i < v.u.dict->len; i++)
            *vec_push(ev->arena, out) = v.u.dict->at[i].key;
        return true;
    }
    if (v.kind != VALUE_HOST || ev->build != NULL)
        tw_eval_mismatch(ev, at, "what is iterated over", "a tuple, list, range, string or dict", v);
    return false;
}

struct comp_run {
    const struct expr *e;
    struct value_list *items;
    struct dict *dict;
    struct value fault; /* VALUE_NONE: none */
};

static void comp_clause(struct eval *ev, struct comp_run *run, uint32_t depth);

static void comp_emit(struct eval *ev, struct comp_run *run)
{
    const struct value v = tw_eval_expr(ev, run->e->u.comp.value);
    if (run->e->u.comp.key == NULL) {
        *vec_push(ev->arena, run->items) = v;
        return;
    }
    const struct value key = tw_eval_expr(ev, run->e->u.comp.key);
    *vec_push(ev->arena, run->dict) = (struct dict_entry){key, v};
}

/* Does the element pass every `if` of the clause? */
static bool comp_passes(struct eval *ev, struct comp_run *run, const struct comp_clause *c)
{
    for (uint32_t i = 0; i < c->conds.len; i++) {
        const struct value v = tw_eval_expr(ev, c->conds.at[i]);
        bool known;
        const bool truth = tw_value_truth(v, &known);
        if (!known) {
            run->fault = tw_eval_mismatch(ev, c->conds.at[i]->at, "the condition", "a value known at compile time", v);
            return false;
        }
        if (!truth)
            return false;
    }
    return true;
}

static void comp_clause(struct eval *ev, struct comp_run *run, uint32_t depth)
{
    if (depth == run->e->u.comp.clauses.len) {
        comp_emit(ev, run);
        return;
    }
    const struct comp_clause *c = &run->e->u.comp.clauses.at[depth];
    const struct value over = tw_eval_expr(ev, c->iter);
    struct value_list items = {0};
    if (!tw_eval_items(ev, over, c->iter->at, &items)) {
        run->fault = over.kind == VALUE_HOST ? tw_eval_host(ev, run->e->at, over) : value_error();
        return;
    }
    for (uint32_t i = 0; i < items.len && run->fault.kind == VALUE_NONE; i++) {
        if (!tw_eval_step(ev, run->e->at))
            return;
        tw_exec_assign_to(ev, c->target, items.at[i], c->target->at);
        if (comp_passes(ev, run, c))
            comp_clause(ev, run, depth + 1);
    }
}

struct value tw_eval_comprehension(struct eval *ev, const struct expr *e)
{
    if (e->u.comp.open == '{' && e->u.comp.key == NULL)
        return tw_eval_unsupported(ev, e->at, "a set");
    struct comp_run run = {e, arena_new(ev->arena, struct value_list, 1), arena_new(ev->arena, struct dict, 1), value_none()};
    struct scope *outer = ev->scope;
    ev->scope = tw_scope_new(ev->arena, outer);
    ev->scope->is_script = false; /* comprehension variables are compile-time */
    ev->scope->is_function = true;
    comp_clause(ev, &run, 0);
    ev->scope = outer;
    if (run.fault.kind != VALUE_NONE)
        return run.fault;
    if (e->u.comp.key != NULL)
        return (struct value){.kind = VALUE_DICT, .u.dict = run.dict};
    return (struct value){.kind = VALUE_LIST, .u.list = run.items};
}
