/* Loops: run by the evaluator outside kernels, emitted inside them. */
#include "lang/eval.h"

static bool in_script(const struct eval *ev)
{
    return ev->build != NULL && ev->scope->is_script;
}

static void refuse_else(struct eval *ev, const struct stmt *s)
{
    if (s->u.loop.orelse.len != 0)
        tw_eval_unsupported(ev, s->u.loop.orelse.at[0]->at, "the 'else' of a loop");
}

/* ---- outside kernels ---- */

static enum flow run_for(struct eval *ev, const struct stmt *s)
{
    const struct value over = tw_eval_expr(ev, s->u.loop.iter);
    struct value_list items = {0};
    if (!tw_eval_items(ev, over, s->u.loop.iter->at, &items)) {
        tw_exec_skip(ev, s, over.kind == VALUE_HOST ? over : value_error());
        return FLOW_NEXT;
    }
    for (uint32_t i = 0; i < items.len && !ev->stopped; i++) {
        tw_exec_assign_to(ev, s->u.loop.target, items.at[i], s->u.loop.target->at);
        const enum flow flow = tw_exec_block(ev, &s->u.loop.body);
        if (flow == FLOW_BREAK)
            return FLOW_NEXT;
        if (flow == FLOW_RETURN)
            return flow;
    }
    return tw_exec_block(ev, &s->u.loop.orelse);
}

static enum flow run_while(struct eval *ev, const struct stmt *s)
{
    while (tw_eval_step(ev, s->at)) {
        const struct value c = tw_eval_expr(ev, s->u.loop.cond);
        bool known;
        const bool truth = tw_value_truth(c, &known);
        if (!known) {
            if (c.kind == VALUE_HOST && ev->build == NULL)
                tw_exec_skip(ev, s, c);
            else
                tw_eval_mismatch(ev, s->u.loop.cond->at, "the condition", "a value known at compile time", c);
            return FLOW_NEXT;
        }
        if (!truth)
            return tw_exec_block(ev, &s->u.loop.orelse);
        const enum flow flow = tw_exec_block(ev, &s->u.loop.body);
        if (flow == FLOW_BREAK)
            return FLOW_NEXT;
        if (flow == FLOW_RETURN)
            return flow;
    }
    return FLOW_NEXT;
}

/* ---- in kernels ---- */

static struct ir_expr *loop_bound(struct eval *ev, struct value v, struct src_span at, const char *what)
{
    struct ir_expr *e = tw_eval_to_index(ev, v, at, what);
    if (e == NULL)
        return NULL;
    int64_t i;
    if (tw_ir_is_const_int(e, &i) && (i > INT32_MAX || i < INT32_MIN)) {
        struct diag *d = tw_diag(ev->diags, E0211, at, "%s does not fit the type int32 of a loop variable", what);
        tw_diag_found(d, "%lld", (long long)i);
        return NULL;
    }
    return tw_ir_cast(eval_kernel(ev), tw_ir_int32(), e, at);
}

/* The names that the levels of a loop bind; false when their number is wrong. */
static bool loop_names(struct eval *ev, const struct stmt *s, const struct loop *loop, const struct expr **names)
{
    const struct expr *target = s->u.loop.target;
    const uint32_t levels = loop->ends.len;
    const bool tuple = target->kind == EXPR_TUPLE || target->kind == EXPR_LIST;
    const uint32_t count = tuple ? target->u.items.len : 1;
    if (count != levels) {
        struct diag *d = tw_diag(ev->diags, E0219, target->at, "the loop names %u variable%s for %u range%s", count,
                                 count == 1 ? "" : "s", levels, levels == 1 ? "" : "s");
        tw_diag_expected(d, "as many names as '%s' has ranges", loop->name);
        return false;
    }
    for (uint32_t i = 0; i < levels; i++) {
        names[i] = tuple ? target->u.items.at[i] : target;
        if (names[i]->kind == EXPR_NAME)
            continue;
        struct diag *d = tw_diag(ev->diags, E0219, names[i]->at, "a loop variable must be a plain name");
        tw_diag_expected(d, "a name");
        return false;
    }
    return true;
}

static bool emit_level(struct eval *ev, const struct stmt *s, const struct loop *loop, uint32_t level, const struct expr *name)
{
    struct ir_kernel *k = eval_kernel(ev);
    struct ir_expr *begin = loop_bound(ev, loop->begins.at[level], s->u.loop.iter->at, "the start of the loop");
    struct ir_expr *end = loop_bound(ev, loop->ends.at[level], s->u.loop.iter->at, "the end of the loop");
    struct ir_expr *step = loop_bound(ev, *loop->step, s->u.loop.iter->at, "the step of the loop");
    int64_t stride;
    if (begin == NULL || end == NULL || step == NULL)
        return false;
    if (!tw_ir_is_const_int(step, &stride) || stride <= 0) {
        struct diag *d = tw_diag(ev->diags, E0219, s->u.loop.iter->at, "the step of a loop in a kernel is not a positive constant");
        tw_diag_expected(d, "an integer above 0, known at compile time");
        return false;
    }
    struct ir_var *var = tw_ir_var_new(k, name->u.name, tw_ir_int32(), name->at);
    var->is_loop = true;
    struct ir_stmt *out = tw_ir_stmt_new(k, ev->build->into, IR_FOR, s->at);
    out->var = var;
    out->begin = begin;
    out->end = end;
    out->step = step;
    out->unroll = loop->unroll;
    out->unroll_factor = loop->unroll_factor;
    tw_exec_open(ev, &out->body);
    tw_scope_bind(ev, name->u.name, (struct value){.kind = VALUE_VAR, .u.var = var}, name->at);
    return true;
}

static void bind_faulty(struct eval *ev, const struct expr *target)
{
    if (target->kind == EXPR_NAME)
        tw_scope_bind(ev, target->u.name, value_error(), target->at);
    else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        for (uint32_t i = 0; i < target->u.items.len; i++)
            bind_faulty(ev, target->u.items.at[i]);
}

/* The loop cannot be made, but its body may have faults of its own. */
static void walk_faulty(struct eval *ev, const struct stmt *s)
{
    struct ir_block dropped = {0};
    struct ir_block *outer = tw_exec_open(ev, &dropped);
    if (s->kind == STMT_FOR)
        bind_faulty(ev, s->u.loop.target);
    tw_exec_block(ev, &s->u.loop.body);
    tw_exec_close(ev, outer);
}

static void emit_for(struct eval *ev, const struct stmt *s, const struct loop *loop)
{
    const struct expr **names = arena_new(ev->arena, const struct expr *, loop->ends.len + 1);
    struct ir_block *outer = ev->build->into;
    struct scope *scope = ev->scope;
    bool fine = loop_names(ev, s, loop, names);
    if (!fine) {
        walk_faulty(ev, s);
        return;
    }
    for (uint32_t i = 0; i < loop->ends.len && fine; i++)
        fine = emit_level(ev, s, loop, i, names[i]);
    if (fine)
        tw_exec_block(ev, &s->u.loop.body);
    ev->build->into = outer;
    ev->scope = scope;
    if (!fine)
        walk_faulty(ev, s);
}

enum flow tw_exec_for(struct eval *ev, const struct stmt *s)
{
    if (!in_script(ev))
        return run_for(ev, s);
    refuse_else(ev, s);
    const struct value over = tw_eval_expr(ev, s->u.loop.iter);
    if (over.kind == VALUE_LOOP) {
        emit_for(ev, s, over.u.loop);
        return FLOW_NEXT;
    }
    if (over.kind == VALUE_HOST) {
        tw_eval_host_used(ev, s->u.loop.iter->at, over, NULL);
    } else if (over.kind != VALUE_ERROR) {
        struct diag *d = tw_diag(ev->diags, E0219, s->u.loop.iter->at, "a loop in a kernel does not run over this");
        tw_diag_expected(d, "range(...), T.serial(...), T.unroll(...) or T.grid(...)");
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, over));
    }
    walk_faulty(ev, s);
    return FLOW_NEXT;
}

static void emit_while(struct eval *ev, const struct stmt *s)
{
    const struct value c = tw_eval_expr(ev, s->u.loop.cond);
    bool known;
    if (!tw_value_truth(c, &known) && known)
        return;
    struct ir_expr *cond = tw_eval_to_bool(ev, c, s->u.loop.cond->at, "the condition");
    if (cond == NULL) {
        walk_faulty(ev, s);
        return;
    }
    struct ir_stmt *out = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_WHILE, s->at);
    out->value = cond;
    struct ir_block *outer = tw_exec_open(ev, &out->body);
    tw_exec_block(ev, &s->u.loop.body);
    tw_exec_close(ev, outer);
}

enum flow tw_exec_while(struct eval *ev, const struct stmt *s)
{
    if (!in_script(ev))
        return run_while(ev, s);
    refuse_else(ev, s);
    emit_while(ev, s);
    return FLOW_NEXT;
}
