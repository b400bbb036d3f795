/* Unrolling. T.unroll asks for it; a loop whose variable indexes a local tensor needs it, because registers have no
 * addresses. Such a loop stays as it is when its bounds are not known, when it is left or continued from inside, or
 * when the copies would be too many; the tensor then goes to .local memory (locals.c). */
#include "tile/lower.h"

#include "ir/ir_walk.h"

#include <assert.h>

/* ---- what a loop's variable reaches --------------------------------------------------------------- */

struct taint {
    uint8_t *vars;  /* by id: the value follows the loop variable */
    bool found;     /* in the expression just looked at */
    bool index;     /* a local tensor is indexed by it */
};

static void look_at_expr(void *context, struct ir_expr **place)
{
    struct taint *t = context;
    if ((*place)->op == IR_VAR)
        t->found = t->found || t->vars[(*place)->var->id];
    tw_ir_expr_children(*place, look_at_expr, context);
}

static bool follows(struct taint *t, struct ir_expr *e)
{
    t->found = false;
    if (e != NULL)
        look_at_expr(t, &e);
    return t->found;
}

static void look_at_region(void *context, struct ir_region **place)
{
    struct taint *t = context;
    const struct ir_region *r = *place;
    for (uint32_t d = 0; r->view->storage->scope == IR_LOCAL && d < r->view->rank; d++)
        if (follows(t, r->start[d]))
            t->index = true;
}

static void look_at_block(struct taint *t, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len && !t->index; i++) {
        struct ir_stmt *s = b->list.at[i];
        tw_ir_stmt_regions(s, look_at_region, t);
        if ((s->op == IR_DEFINE || s->op == IR_ASSIGN) && follows(t, s->value))
            t->vars[s->var->id] = 1;
        look_at_block(t, &s->body);
        look_at_block(t, &s->orelse);
    }
}

static bool indexes_registers(const struct lowering *l, const struct ir_stmt *loop)
{
    struct arena_mark mark = tw_arena_mark(l->k->arena);
    struct taint t = {.vars = arena_new(l->k->arena, uint8_t, l->k->vars.len)};
    t.vars[loop->var->id] = 1;
    look_at_block(&t, &loop->body);
    tw_arena_rewind(l->k->arena, mark);
    return t.index;
}

/* ---- whether it can be done ------------------------------------------------------------------------ */

/* break or continue that belongs to this loop. */
static bool jumps(const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        const struct ir_stmt *s = b->list.at[i];
        if (s->op == IR_BREAK || s->op == IR_CONTINUE)
            return true;
        if (s->op == IR_IF && (jumps(&s->body) || jumps(&s->orelse)))
            return true;
    }
    return false;
}

static int64_t count_statements(const struct ir_block *b)
{
    int64_t n = b->list.len;
    for (uint32_t i = 0; i < b->list.len; i++)
        n += count_statements(&b->list.at[i]->body) + count_statements(&b->list.at[i]->orelse);
    return n;
}

struct trips {
    int64_t begin, step, count;
};

static bool known(const struct lowering *l, const struct ir_expr *e, int64_t otherwise, int64_t *value)
{
    if (e == NULL) {
        *value = otherwise;
        return true;
    }
    const struct ir_range r = tw_ir_range_of(l->k, e);
    *value = r.low;
    return r.low == r.high;
}

static bool count_trips(const struct lowering *l, const struct ir_stmt *loop, struct trips *t)
{
    int64_t end;
    if (!known(l, loop->begin, 0, &t->begin) || !known(l, loop->end, 0, &end) || !known(l, loop->step, 1, &t->step) ||
        t->step <= 0)
        return false;
    t->count = end <= t->begin ? 0 : (end - t->begin + t->step - 1) / t->step;
    return true;
}

static void refuse(struct lowering *l, const struct ir_stmt *loop, const char *why)
{
    struct diag *d = tw_diag(l->diags, E0802, loop->at, "this loop cannot be unrolled");
    tw_diag_expected(d, "bounds known at compile time, at most %d statements in all copies, no break or continue", TW_MAX_UNROLL);
    tw_diag_found(d, "%s", why);
    l->failed = true;
}

/* Why the loop cannot be unrolled, or NULL. */
static const char *obstacle(const struct lowering *l, const struct ir_stmt *loop, struct trips *t)
{
    int64_t statements;
    if (!count_trips(l, loop, t))
        return "bounds known only at run time";
    if (jumps(&loop->body))
        return "a break or continue";
    if (__builtin_mul_overflow(t->count, count_statements(&loop->body) + 1, &statements) ||
        statements > TW_MAX_UNROLL - l->unrolled)
        return tw_format(l->k->arena, "%lld turns, %lld statement%s in each", (long long)t->count,
                         (long long)count_statements(&loop->body), count_statements(&loop->body) == 1 ? "" : "s");
    return NULL;
}

static void unroll(struct lowering *l, const struct ir_stmt *loop, const struct trips *t, struct ir_block *into)
{
    l->unrolled += t->count * (count_statements(&loop->body) + 1);
    for (int64_t i = 0; i < t->count; i++) {
        struct ir_substs with = {0};
        struct ir_expr *value = tw_ir_const_int(l->k, loop->var->type, t->begin + i * t->step, loop->at);
        *vec_push(l->k->arena, &with.list) = (struct ir_subst){.var = loop->var, .value = value};
        struct ir_block copy = {0};
        tw_ir_block_copy(l->k, &loop->body, &copy, &with);
        tw_lower_unroll(l, &copy);
        for (uint32_t s = 0; s < copy.list.len; s++)
            *vec_push(l->k->arena, &into->list) = copy.list.at[s];
    }
}

void tw_lower_unroll(struct lowering *l, struct ir_block *block)
{
    struct ir_block out = {0};
    for (uint32_t i = 0; i < block->list.len && !l->failed; i++) {
        struct ir_stmt *s = block->list.at[i];
        struct trips trips;
        const bool asked = s->op == IR_FOR && s->unroll == IR_UNROLL_FULL;
        if (s->op == IR_FOR && (asked || indexes_registers(l, s))) {
            const char *why = obstacle(l, s, &trips);
            if (why == NULL) {
                unroll(l, s, &trips, &out);
                continue;
            }
            if (asked)
                refuse(l, s, why);
        }
        tw_lower_unroll(l, &s->body);
        tw_lower_unroll(l, &s->orelse);
        *vec_push(l->k->arena, &out.list) = s;
    }
    *block = out;
}
