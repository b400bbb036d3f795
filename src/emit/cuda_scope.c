/* Where variables may be declared, and which tensors are only read. IR variables belong to the whole kernel; C++ variables
 * end with their block. */
#include "emit/cuda.h"

#include "ir/ir_walk.h"

struct scan {
    struct cuda_emitter *em;
    VEC(struct ir_var *) open; /* variables whose block has not ended */
};

static void use(struct scan *s, const struct ir_var *v)
{
    struct cuda_var_facts *f = &s->em->var_facts[v->id];
    f->uses++;
    if (!f->in_scope && v->param < 0)
        f->outlives_block = true;
}

static void scan_expr(void *context, struct ir_expr **place)
{
    struct scan *s = context;
    const struct ir_expr *e = *place;
    if (e->op == IR_VAR)
        use(s, e->var);
    if (e->op == IR_ADDRESS)
        s->em->is_written[e->region->view->storage->id] = true;
    tw_ir_expr_children(*place, scan_expr, context);
}

static void define(struct scan *s, struct ir_var *v)
{
    struct cuda_var_facts *f = &s->em->var_facts[v->id];
    f->definitions++;
    f->in_scope = true;
    *vec_push(s->em->arena, &s->open) = v;
}

static void scan_results(struct scan *s, const struct ir_ptx_operand *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        scan_results(s, o[i].items, o[i].item_count);
        if (o[i].kind != IR_PTX_RESULT && o[i].kind != IR_PTX_UPDATE)
            continue;
        if (o[i].expr->op == IR_VAR)
            s->em->var_facts[o[i].expr->var->id].is_result = true;
        else if (o[i].expr->op == IR_LOAD)
            s->em->is_written[o[i].expr->region->view->storage->id] = true;
    }
}

static void scan_block(struct scan *s, const struct ir_block *b);

static void scan_stmt(struct scan *s, struct ir_stmt *st)
{
    tw_ir_stmt_exprs(st, scan_expr, s);
    if (st->op == IR_STORE)
        s->em->is_written[st->region->view->storage->id] = true;
    if (st->op == IR_ASSIGN)
        use(s, st->var);
    if (st->op == IR_PTX)
        scan_results(s, st->ptx->operands, st->ptx->operand_count);
    if (st->op == IR_DEFINE)
        define(s, st->var);
    const uint32_t mark = s->open.len;
    if (st->op == IR_FOR)
        define(s, st->var);
    scan_block(s, &st->body);
    while (s->open.len > mark)
        s->em->var_facts[s->open.at[--s->open.len]->id].in_scope = false;
    scan_block(s, &st->orelse);
}

static void scan_block(struct scan *s, const struct ir_block *b)
{
    const uint32_t mark = s->open.len;
    for (uint32_t i = 0; i < b->list.len; i++)
        scan_stmt(s, b->list.at[i]);
    while (s->open.len > mark)
        s->em->var_facts[s->open.at[--s->open.len]->id].in_scope = false;
}

void tw_cuda_find_facts(struct cuda_emitter *em)
{
    struct scan s = {.em = em};
    scan_block(&s, &em->k->body);
}

bool tw_cuda_is_declared_early(const struct cuda_emitter *em, const struct ir_var *v)
{
    return em->var_facts[v->id].outlives_block || em->var_facts[v->id].definitions > 1;
}

bool tw_cuda_is_constant(const struct cuda_emitter *em, const struct ir_var *v)
{
    return !v->is_assigned && !em->var_facts[v->id].is_result;
}
