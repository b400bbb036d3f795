/* Loops, decorators, parse-time helpers, and the boundary to the device with the ids that the mid revision
 * declares behind it. SOURCE: kernel-language 1.2, 1.4, 3.3, 3.4, 3.6, 3.8. */
#include "lang/eval.h"

#include <string.h>

static struct value *kept(struct eval *ev, struct value v)
{
    struct value *p = arena_new(ev->arena, struct value, 1);
    *p = v;
    return p;
}

/* ---- loops ---- */

static bool read_unroll(struct eval *ev, const struct arg *a, struct loop *loop)
{
    if (a->value.kind == VALUE_BOOL) {
        loop->unroll = a->value.u.truth ? IR_UNROLL_HINT : IR_UNROLL_NEVER;
        return true;
    }
    loop->unroll = IR_UNROLL_HINT;
    if (!tw_eval_static_int(ev, a->value, a->at, "the unroll factor", &loop->unroll_factor))
        return false;
    if (loop->unroll_factor > 0)
        return true;
    tw_eval_mismatch(ev, a->at, "the unroll factor", "an integer above 0", a->value);
    return false;
}

/* start, stop?, *, step?, unroll?, annotations?, dtype? */
static struct value simple_loop(struct eval *ev, struct call *c)
{
    struct loop *loop = arena_new(ev->arena, struct loop, 1);
    const bool pair = c->args[1].given && c->args[1].value.kind != VALUE_NONE;
    *loop = (struct loop){.name = c->row->name, .unroll = strcmp(c->row->name, "serial") == 0 ? IR_SERIAL : IR_UNROLL_FULL};
    if (!tw_call_refuse_given(ev, c, 4, "annotations") || !tw_call_refuse_given(ev, c, 5, "dtype"))
        return value_error();
    if (c->args[3].given && c->args[3].value.kind != VALUE_NONE && loop->unroll == IR_SERIAL &&
        !read_unroll(ev, &c->args[3], loop))
        return value_error();
    *vec_push(ev->arena, &loop->begins) = pair ? c->args[0].value : value_int(0);
    *vec_push(ev->arena, &loop->ends) = pair ? c->args[1].value : c->args[0].value;
    loop->step = kept(ev, c->args[2].given && c->args[2].value.kind != VALUE_NONE ? c->args[2].value : value_int(1));
    return (struct value){.kind = VALUE_LOOP, .u.loop = loop};
}

/* Each extent is a number, or a pair (start, extent). */
static struct value grid(struct eval *ev, struct call *c)
{
    struct loop *loop = arena_new(ev->arena, struct loop, 1);
    *loop = (struct loop){.name = "T.grid", .is_grid = true, .step = kept(ev, value_int(1))};
    if (c->rest.len == 0 || c->rest.len > TW_MAX_RANK) {
        struct diag *d = tw_diag(ev->diags, E0205, c->at, "'grid' is given %u extents", c->rest.len);
        tw_diag_expected(d, "1 to %d", TW_MAX_RANK);
        return value_error();
    }
    for (uint32_t i = 0; i < c->rest.len; i++) {
        const struct value v = c->rest.at[i].value;
        const bool pair = value_is_sequence(v) && v.u.list->len == 2;
        const struct value begin = pair ? v.u.list->at[0] : value_int(0);
        *vec_push(ev->arena, &loop->begins) = begin;
        *vec_push(ev->arena, &loop->ends) =
            pair ? tw_eval_binary(ev, BINARY_ADD, tw_eval_fresh(ev, begin), v.u.list->at[1], c->rest.at[i].at) : v;
    }
    return (struct value){.kind = VALUE_LOOP, .u.loop = loop};
}

/* ---- parse-time helpers ---- */

static struct value meta_var(struct eval *ev, struct call *c)
{
    return (struct value){.kind = VALUE_META, .u.meta = kept(ev, c->args[0].value)};
}

static struct value evaluate(struct eval *ev, struct call *c)
{
    (void)ev;
    (void)c;
    return value_none();
}

static struct value static_assert_call(struct eval *ev, struct call *c)
{
    bool known;
    const bool truth = tw_value_truth(c->args[0].value, &known);
    if (!known)
        return tw_eval_mismatch(ev, c->args[0].at, "the condition", "a value known at compile time", c->args[0].value);
    if (truth)
        return value_none();
    struct diag *d = tw_diag(ev->diags, E0218, c->at, "the assertion does not hold");
    if (c->args[1].given && c->args[1].value.kind == VALUE_STR)
        tw_diag_found(d, STR_FMT, STR_ARG(c->args[1].value.u.text));
    return value_error();
}

/* T.filter(var, pred): a run-time test; what it says to the old dispatcher beyond that has no meaning here. */
static struct value filter(struct eval *ev, struct call *c)
{
    struct ir_expr *e = tw_eval_to_bool(ev, c->args[1].value, c->args[1].at, "the predicate");
    return e == NULL ? value_error() : value_expr(e);
}

#define LOOP_PARAMS "start, stop?, *, step?, unroll?, annotations?, dtype?"
static const struct builtin rows[] = {
    {"serial", LOOP_PARAMS, simple_loop, IN_KERNEL},
    {"unroll", LOOP_PARAMS, simple_loop, IN_KERNEL},
    /* Elements side by side: unrolled, and each access stays the access that is written. */
    {"vectorized", LOOP_PARAMS, simple_loop, IN_KERNEL},
    {"grid", "*extents", grid, IN_KERNEL},
    {"function", "@", NULL, ANYWHERE},
    {"prim_func", "@", NULL, ANYWHERE},
    {"inline", "@", NULL, ANYWHERE},
    {"meta_class", "@", NULL, ANYWHERE},
    {"meta_var", "value", meta_var, IN_KERNEL},
    {"evaluate", "value", evaluate, IN_KERNEL},
    {"static_assert", "condition, message?", static_assert_call, ANYWHERE},
    {"filter", "var, predicate", filter, IN_KERNEL},
};
const struct builtin_table tw_lib_control = {rows, sizeof rows / sizeof rows[0]};
