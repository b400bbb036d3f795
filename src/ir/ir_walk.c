/* Walking and copying IR. The one list of where statements keep expressions. */
#include "ir/ir_walk.h"

#include "ir/ir_names.h"

#include <assert.h>

static void visit_place(ir_expr_visit *visit, void *context, struct ir_expr **place)
{
    if (*place != NULL)
        visit(context, place);
}

static void region_starts(struct ir_region *r, ir_expr_visit *visit, void *context)
{
    if (r == NULL)
        return;
    for (uint32_t d = 0; d < r->view->rank; d++)
        visit_place(visit, context, &r->start[d]);
}

static void arg_exprs(struct ir_arg *a, ir_expr_visit *visit, void *context)
{
    region_starts(a->region, visit, context);
    visit_place(visit, context, &a->expr);
    for (uint32_t i = 0; i < a->item_count; i++)
        arg_exprs(&a->items[i], visit, context);
}

static void operand_exprs(struct ir_ptx_operand *o, ir_expr_visit *visit, void *context)
{
    visit_place(visit, context, &o->expr);
    for (uint32_t i = 0; i < o->item_count; i++)
        operand_exprs(&o->items[i], visit, context);
}

void tw_ir_stmt_exprs(struct ir_stmt *s, ir_expr_visit *visit, void *context)
{
    region_starts(s->region, visit, context);
    visit_place(visit, context, &s->value);
    visit_place(visit, context, &s->begin);
    visit_place(visit, context, &s->end);
    visit_place(visit, context, &s->step);
    for (size_t i = 0; i < sizeof s->args / sizeof s->args[0]; i++)
        visit_place(visit, context, &s->args[i]);
    if (s->tile != NULL) {
        for (uint32_t i = 0; i < s->tile->operand_count; i++)
            arg_exprs(&s->tile->operands[i], visit, context);
        for (uint32_t i = 0; i < s->tile->param_count; i++)
            arg_exprs(&s->tile->params[i], visit, context);
    }
    if (s->ptx != NULL) {
        for (uint32_t i = 0; i < s->ptx->operand_count; i++)
            operand_exprs(&s->ptx->operands[i], visit, context);
        visit_place(visit, context, &s->ptx->pred);
    }
}

void tw_ir_expr_children(struct ir_expr *e, ir_expr_visit *visit, void *context)
{
    for (size_t i = 0; i < sizeof e->args / sizeof e->args[0]; i++)
        visit_place(visit, context, &e->args[i]);
    region_starts(e->region, visit, context);
}

struct region_visitor {
    ir_region_visit *visit;
    void *context;
};

static void expr_regions(void *context, struct ir_expr **place)
{
    const struct region_visitor *v = context;
    if ((*place)->region != NULL)
        v->visit(v->context, &(*place)->region);
    tw_ir_expr_children(*place, expr_regions, context);
}

static void arg_regions(struct ir_arg *a, const struct region_visitor *v)
{
    if (a->region != NULL)
        v->visit(v->context, &a->region);
    for (uint32_t i = 0; i < a->item_count; i++)
        arg_regions(&a->items[i], v);
}

void tw_ir_stmt_regions(struct ir_stmt *s, ir_region_visit *visit, void *context)
{
    struct region_visitor v = {visit, context};
    if (s->region != NULL)
        visit(context, &s->region);
    if (s->tile != NULL) {
        for (uint32_t i = 0; i < s->tile->operand_count; i++)
            arg_regions(&s->tile->operands[i], &v);
        for (uint32_t i = 0; i < s->tile->param_count; i++)
            arg_regions(&s->tile->params[i], &v);
    }
    tw_ir_stmt_exprs(s, expr_regions, &v);
}

/* ---- copying ---------------------------------------------------------------------------------- */

static const struct ir_subst *subst_of(const struct ir_substs *with, const struct ir_var *var)
{
    for (uint32_t i = with == NULL ? 0 : with->list.len; i-- > 0;)
        if (with->list.at[i].var == var)
            return &with->list.at[i];
    return NULL;
}

static struct ir_expr *copy_var(struct ir_kernel *k, const struct ir_expr *e, const struct ir_substs *with)
{
    const struct ir_subst *s = subst_of(with, e->var);
    if (s == NULL)
        return tw_ir_var_ref(k, e->var, e->at);
    return s->renamed != NULL ? tw_ir_var_ref(k, s->renamed, e->at) : tw_ir_expr_copy(k, s->value, NULL);
}

struct ir_region *tw_ir_region_copy(struct ir_kernel *k, const struct ir_region *r, const struct ir_substs *with)
{
    if (r == NULL)
        return NULL;
    struct ir_region *copy = arena_new(k->arena, struct ir_region, 1);
    *copy = *r;
    for (uint32_t d = 0; d < r->view->rank; d++)
        if (r->start[d] != NULL)
            copy->start[d] = tw_ir_expr_copy(k, r->start[d], with);
    return copy;
}

struct ir_expr *tw_ir_expr_copy(struct ir_kernel *k, const struct ir_expr *e, const struct ir_substs *with)
{
    if (e == NULL)
        return NULL;
    if (e->op == IR_VAR)
        return copy_var(k, e, with);
    const unsigned arity = tw_ir_op_row(e->op)->arity;
    struct ir_expr *args[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < arity; i++)
        args[i] = tw_ir_expr_copy(k, e->args[i], with);
    if (arity == 1)
        return tw_ir_unary(k, e->op, e->type, args[0], e->at);
    if (arity == 2)
        return tw_ir_binary(k, e->op, args[0], args[1], e->at);
    if (arity == 3)
        return tw_ir_select(k, args[0], args[1], args[2], e->at);
    struct ir_expr *copy = arena_new(k->arena, struct ir_expr, 1);
    *copy = *e;
    copy->region = tw_ir_region_copy(k, e->region, with);
    return copy;
}

static struct ir_arg *copy_args(struct ir_kernel *k, const struct ir_arg *from, uint32_t count, const struct ir_substs *with)
{
    if (count == 0)
        return NULL;
    struct ir_arg *to = arena_new(k->arena, struct ir_arg, count);
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].region = tw_ir_region_copy(k, from[i].region, with);
        to[i].expr = tw_ir_expr_copy(k, from[i].expr, with);
        to[i].items = copy_args(k, from[i].items, from[i].item_count, with);
    }
    return to;
}

static struct ir_ptx_operand *copy_operands(struct ir_kernel *k, const struct ir_ptx_operand *from, uint32_t count,
                                            const struct ir_substs *with)
{
    if (count == 0)
        return NULL;
    struct ir_ptx_operand *to = arena_new(k->arena, struct ir_ptx_operand, count);
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].expr = tw_ir_expr_copy(k, from[i].expr, with);
        to[i].items = copy_operands(k, from[i].items, from[i].item_count, with);
    }
    return to;
}

static struct ir_var *fresh_var(struct ir_kernel *k, const struct ir_var *var, struct ir_substs *with)
{
    struct ir_var *fresh = tw_ir_var_new(k, var->name, var->type, var->at);
    const uint32_t id = fresh->id;
    *fresh = *var;
    fresh->id = id;
    fresh->definition = NULL;
    fresh->range_known = false;
    *vec_push(k->arena, &with->list) = (struct ir_subst){.var = var, .renamed = fresh};
    return fresh;
}

static struct ir_var *copy_target(struct ir_kernel *k, const struct ir_stmt *s, struct ir_substs *with)
{
    if (s->op == IR_DEFINE || s->op == IR_FOR)
        return fresh_var(k, s->var, with);
    const struct ir_subst *known = s->var == NULL ? NULL : subst_of(with, s->var);
    return known != NULL && known->renamed != NULL ? known->renamed : s->var;
}

static void copy_stmt(struct ir_kernel *k, const struct ir_stmt *s, struct ir_block *into, struct ir_substs *with)
{
    struct ir_stmt *c = tw_ir_stmt_new(k, into, s->op, s->at);
    *c = *s;
    c->body = (struct ir_block){0};
    c->orelse = (struct ir_block){0};
    c->region = tw_ir_region_copy(k, s->region, with);
    c->value = tw_ir_expr_copy(k, s->value, with);
    c->begin = tw_ir_expr_copy(k, s->begin, with);
    c->end = tw_ir_expr_copy(k, s->end, with);
    c->step = tw_ir_expr_copy(k, s->step, with);
    for (size_t i = 0; i < sizeof s->args / sizeof s->args[0]; i++)
        c->args[i] = tw_ir_expr_copy(k, s->args[i], with);
    if (s->tile != NULL) {
        c->tile = arena_new(k->arena, struct ir_tile, 1);
        *c->tile = *s->tile;
        c->tile->operands = copy_args(k, s->tile->operands, s->tile->operand_count, with);
        c->tile->params = copy_args(k, s->tile->params, s->tile->param_count, with);
    }
    if (s->ptx != NULL) {
        c->ptx = arena_new(k->arena, struct ir_ptx, 1);
        *c->ptx = *s->ptx;
        c->ptx->operands = copy_operands(k, s->ptx->operands, s->ptx->operand_count, with);
        c->ptx->pred = tw_ir_expr_copy(k, s->ptx->pred, with);
    }
    /* The target last: a definition's own value still means the outer variable. */
    c->var = copy_target(k, s, with);
    if (s->op == IR_DEFINE || s->op == IR_FOR)
        c->var->definition = c;
    tw_ir_block_copy(k, &s->body, &c->body, with);
    tw_ir_block_copy(k, &s->orelse, &c->orelse, with);
}

void tw_ir_block_copy(struct ir_kernel *k, const struct ir_block *from, struct ir_block *into, struct ir_substs *with)
{
    const uint32_t outer = with->list.len;
    for (uint32_t i = 0; i < from->list.len; i++)
        copy_stmt(k, from->list.at[i], into, with);
    with->list.len = outer;
}
