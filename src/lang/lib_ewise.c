/* T.cuda.tile.ewise: a typed scalar function and the tensors that it is evaluated over. The function is evaluated once, into
 * the body of one IR_TILE statement, which the tile room copies for every coordinate. SOURCE: kernel-language-tile 7.2.
 *
 * The body begins with a definition without a value for each parameter, and one for the result; a return assigns to it. What
 * follows a branch that returns stands in the arms that go on, so that no jump is needed. */
#include "lang/eval.h"

#include <string.h>

struct scalar_function {
    const struct kernel *f;
    struct ir_var *result;
};

/* What comes after a block, innermost first. */
struct rest {
    const struct block *block;
    uint32_t from;
    const struct rest *up;
};

static struct diag *no_function(struct eval *ev, struct src_span at, const char *format, const char *name)
{
    return tw_diag(ev->diags, E0430, at, format, name);
}

/* ---- the body ---------------------------------------------------------------------------------------- */

static bool block_returns(const struct block *b);

static bool stmt_returns(const struct stmt *s)
{
    if (s->kind == STMT_RETURN)
        return true;
    if (s->kind == STMT_FOR || s->kind == STMT_WHILE)
        return block_returns(&s->u.loop.body) || block_returns(&s->u.loop.orelse);
    bool any = s->kind == STMT_IF && block_returns(&s->u.branch.orelse);
    for (uint32_t i = 0; s->kind == STMT_IF && i < s->u.branch.arms.len; i++)
        any = any || block_returns(&s->u.branch.arms.at[i].body);
    return any;
}

static bool block_returns(const struct block *b)
{
    for (uint32_t i = 0; i < b->len; i++)
        if (stmt_returns(b->at[i]))
            return true;
    return false;
}

static bool give_back(struct eval *ev, const struct scalar_function *sf, const struct stmt *s)
{
    const struct ir_type want = sf->result->type;
    const struct value v = s->u.value == NULL ? value_none() : tw_eval_expr(ev, s->u.value);
    if (v.kind == VALUE_ERROR)
        return true;
    struct ir_expr *e = v.kind == VALUE_NONE ? NULL : tw_eval_to_expr(ev, v, s->at, "the result");
    if (e != NULL && tw_ir_type_equal(e->type, want)) {
        struct ir_stmt *set = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_ASSIGN, s->at);
        set->var = sf->result;
        set->value = e;
        return true;
    }
    if (e == NULL && v.kind != VALUE_NONE)
        return true;
    struct diag *d = no_function(ev, s->at, "'%s' returns another type than dst holds", sf->f->name);
    tw_diag_expected(d, "%s, the dtype of dst: nothing is converted", tw_ir_type_name(want));
    tw_diag_found(d, "%s", e == NULL ? "no value" : tw_ir_type_name(e->type));
    tw_diag_fix(d, "write T.%s(...)", tw_ir_type_name(want));
    return true;
}

static bool run_from(struct eval *ev, const struct scalar_function *sf, const struct block *b, uint32_t from,
                     const struct rest *rest);

static bool run_arms(struct eval *ev, const struct scalar_function *sf, const struct stmt *s, uint32_t arm,
                     const struct rest *rest)
{
    if (arm == s->u.branch.arms.len)
        return run_from(ev, sf, &s->u.branch.orelse, 0, rest);
    const struct if_arm *a = &s->u.branch.arms.at[arm];
    const struct value c = tw_eval_expr(ev, a->cond);
    bool known;
    const bool truth = tw_value_truth(c, &known);
    if (known)
        return truth ? run_from(ev, sf, &a->body, 0, rest) : run_arms(ev, sf, s, arm + 1, rest);
    struct ir_expr *cond = tw_eval_to_bool(ev, c, a->cond->at, "the condition");
    if (cond == NULL)
        return true;
    struct ir_stmt *branch = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_IF, a->at);
    branch->value = cond;
    struct ir_block *outer = tw_exec_open(ev, &branch->body);
    const bool first = run_from(ev, sf, &a->body, 0, rest);
    tw_exec_close(ev, outer);
    outer = tw_exec_open(ev, &branch->orelse);
    const bool second = run_arms(ev, sf, s, arm + 1, rest);
    tw_exec_close(ev, outer);
    return first && second;
}

/* Statements of a block from `from` on, then what comes after it. False if a path ends without a return. */
static bool run_stmts(struct eval *ev, const struct scalar_function *sf, struct cursor *here, const struct rest *rest)
{
    for (uint32_t i = here->next; i < here->block->len; i++) {
        const struct stmt *s = here->block->at[i];
        here->next = i + 1;
        if (!tw_eval_step(ev, s->at))
            return true;
        if (s->kind == STMT_RETURN)
            return give_back(ev, sf, s);
        if (!stmt_returns(s)) {
            tw_exec_stmt(ev, s);
            continue;
        }
        if (s->kind != STMT_IF) {
            struct diag *d = no_function(ev, s->at, "'%s' returns from inside a loop", sf->f->name);
            tw_diag_fix(d, "keep the value in a variable, and return it behind the loop");
            return true;
        }
        return run_arms(ev, sf, s, 0, &(struct rest){here->block, i + 1, rest});
    }
    return rest != NULL && run_from(ev, sf, rest->block, rest->from, rest->up);
}

static bool run_from(struct eval *ev, const struct scalar_function *sf, const struct block *b, uint32_t from,
                     const struct rest *rest)
{
    if (!tw_eval_enter(ev, sf->f->at))
        return true;
    struct cursor here = {.up = ev->cursor, .block = b, .next = from, .scope = ev->scope};
    ev->cursor = &here;
    const bool returns = run_stmts(ev, sf, &here, rest);
    ev->cursor = here.up;
    tw_eval_leave(ev);
    return returns;
}

/* ---- what a scalar function may do ------------------------------------------------------------------------ */

struct purity {
    struct eval *ev;
    const char *name;
    uint32_t own; /* storages from this id on were made by the function */
    bool failed;
};

static void impure(struct purity *p, struct src_span at, const char *found)
{
    if (p->failed)
        return;
    p->failed = true;
    struct diag *d = no_function(p->ev, at, "'%s' does more than compute its result", p->name);
    tw_diag_expected(d, "arithmetic on its parameters and on its own variables, if and else, and returns");
    tw_diag_found(d, "%s", found);
}

/* A local tensor of the function's own is a variable, such as a T.local_scalar is. */
static bool is_own(const struct purity *p, const struct ir_region *r)
{
    return r->view->storage->scope == IR_LOCAL && r->view->storage->id >= p->own;
}

static void pure_expr(struct purity *p, const struct ir_expr *e)
{
    if (e == NULL)
        return;
    if (e->op == IR_ADDRESS || e->op == IR_SHARED_ADDR || (e->op == IR_LOAD && !is_own(p, e->region)))
        impure(p, e->at, "an access to memory");
    for (size_t i = 0; i < sizeof e->args / sizeof e->args[0]; i++)
        pure_expr(p, e->args[i]);
}

/* An instruction that computes: it has a result, takes no address, and other threads have no part in it. */
static void pure_instruction(struct purity *p, const struct ir_ptx *x, struct src_span at)
{
    bool results = false;
    for (uint32_t i = 0; i < x->operand_count; i++) {
        results = results || x->operands[i].kind == IR_PTX_RESULT || x->operands[i].kind == IR_PTX_UPDATE;
        if (x->operands[i].kind == IR_PTX_ADDRESS)
            impure(p, at, "an access to memory");
        pure_expr(p, x->operands[i].expr);
    }
    if (!results || strstr(x->mnemonic, ".sync") != NULL)
        impure(p, at, "communication with other threads");
}

static void pure_block(struct purity *p, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        const struct ir_stmt *s = b->list.at[i];
        if (s->op == IR_STORE && !is_own(p, s->region))
            impure(p, s->at, "an access to memory");
        else if (s->op == IR_TILE || s->op == IR_DISPATCH || s->op == IR_CUDA)
            impure(p, s->at, "an operation of threads together");
        else if (s->op == IR_PTX)
            pure_instruction(p, s->ptx, s->at);
        pure_expr(p, s->value);
        pure_expr(p, s->begin);
        pure_expr(p, s->end);
        pure_expr(p, s->step);
        pure_block(p, &s->body);
        pure_block(p, &s->orelse);
    }
}

/* ---- parameters ------------------------------------------------------------------------------------------- */

static struct ir_var *define(struct eval *ev, const char *name, struct ir_type type, struct src_span at)
{
    struct ir_stmt *s = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_DEFINE, at);
    s->var = tw_ir_var_new(eval_kernel(ev), name, type, at);
    return s->var;
}

static bool bind_param(struct eval *ev, const struct kernel *f, const struct param *p)
{
    const struct value type = p->annotation == NULL ? value_none() : tw_eval_expr(ev, p->annotation);
    const bool plain = (p->kind == PARAM_PLAIN || p->kind == PARAM_POSITIONAL_ONLY) && p->value == NULL;
    const bool number = type.kind == VALUE_DTYPE && (type.u.dtype.cls == IR_FLOAT || type.u.dtype.cls == IR_SINT ||
                                                     type.u.dtype.cls == IR_UINT);
    if (plain && number) {
        struct ir_var *var = define(ev, p->name, type.u.dtype, p->at);
        tw_scope_bind(ev, p->name, (struct value){.kind = VALUE_VAR, .u.var = var}, p->at);
        return true;
    }
    if (type.kind == VALUE_ERROR)
        return false;
    struct diag *d = no_function(ev, p->at, "a parameter of '%s' has no scalar type", f->name);
    tw_diag_expected(d, "%s: T.float32, or another number, without a star or a default", p->name);
    return false;
}

/* The names as they were when the function was defined; undone with the old limits. */
static void limit(const struct kernel *f, uint32_t *old, bool on)
{
    for (uint32_t i = 0; i < f->limits.len; i++) {
        struct scope *s = f->limits.at[i].scope;
        const uint32_t now = s->visible;
        s->visible = on ? f->limits.at[i].visible : old[i];
        old[i] = now;
    }
}

static bool evaluate(struct eval *ev, struct scalar_function *sf, struct ir_type result)
{
    const struct def *def = sf->f->def;
    for (uint32_t i = 0; i < def->params.len; i++)
        if (!bind_param(ev, sf->f, &def->params.at[i]))
            return false;
    sf->result = define(ev, "result", result, sf->f->at);
    sf->result->is_assigned = true;
    if (run_from(ev, sf, &def->body, 0, NULL))
        return true;
    struct diag *d = no_function(ev, sf->f->at, "'%s' has a path without a return", sf->f->name);
    tw_diag_expected(d, "a scalar of type %s on every path", tw_ir_type_name(result));
    return false;
}

/* The function's body into `into`, evaluated where it was defined. */
static bool build_body(struct eval *ev, const struct kernel *f, struct ir_type result, struct ir_block *into)
{
    const struct eval kept = *ev;
    struct ir_block *outer = ev->build->into;
    uint32_t *visible = arena_new(ev->arena, uint32_t, f->limits.len + 1u);
    struct scalar_function sf = {.f = f};
    const uint32_t own = eval_kernel(ev)->storages.len;
    const unsigned errors = ev->diags->error_count;
    ev->build->into = into;
    ev->scope = tw_scope_new(ev->arena, f->scope);
    ev->scope->is_script = true;
    ev->scope->is_function = true;
    ev->cursor = NULL;
    ev->method = NULL;
    ev->in_inline = false;
    limit(f, visible, true);
    const bool fine = evaluate(ev, &sf, result);
    limit(f, visible, false);
    ev->scope = kept.scope;
    ev->cursor = kept.cursor;
    ev->method = kept.method;
    ev->in_inline = kept.in_inline;
    ev->build->into = outer;
    struct purity p = {.ev = ev, .name = f->name, .own = own};
    if (fine && ev->diags->error_count == errors)
        pure_block(&p, into);
    return ev->diags->error_count == errors;
}

/* ---- the call ----------------------------------------------------------------------------------------------- */

static const struct kernel *scalar_function(struct eval *ev, const struct arg *a)
{
    const struct value v = a->value;
    if (v.kind == VALUE_KERNEL && v.u.kernel->is_private)
        return v.u.kernel;
    if (v.kind != VALUE_KERNEL) {
        tw_eval_mismatch(ev, a->at, "the first argument of 'ewise'", "a scalar function, @T.function(private=True)", v);
        return NULL;
    }
    struct diag *d = no_function(ev, a->at, "'%s' is a kernel, and ewise evaluates a scalar function", v.u.kernel->name);
    tw_diag_fix(d, "decorate it with @T.function(private=True)");
    return NULL;
}

static bool count_inputs(struct eval *ev, const struct kernel *f, uint32_t inputs, struct src_span at)
{
    if (inputs == f->def->params.len)
        return true;
    struct diag *d = no_function(ev, at, "'%s' is given another number of inputs than it has parameters", f->name);
    tw_diag_expected(d, "%u", f->def->params.len);
    tw_diag_found(d, "%u behind dst", inputs);
    return false;
}

static struct value dst_only(struct eval *ev, const struct arg *a)
{
    return tw_eval_wrong_kind(ev, a->at, "dst of 'ewise'", "a tensor in registers, or a region of one", a->value);
}

struct value tw_lib_ewise(struct eval *ev, struct call *c)
{
    struct ir_kernel *k = eval_kernel(ev);
    const struct kernel *f = scalar_function(ev, &c->args[0]);
    struct ir_tile *tile = arena_new(k->arena, struct ir_tile, 1);
    if (f == NULL || !tw_eval_exec_scope(ev, &c->args[2], &tile->scope))
        return value_error();
    tile->opcode = "ewise";
    tile->opcode_at = c->args[0].at;
    tile->operands = arena_new(k->arena, struct ir_arg, c->rest.len + 2);
    tile->params = arena_new(k->arena, struct ir_arg, c->rest.len + 1);
    if (!tw_eval_tile_operand(ev, &c->args[1], &tile->operands[tile->operand_count++]))
        return value_error();
    if (tile->operands[0].kind != IR_ARG_REGION)
        return dst_only(ev, &c->args[1]);
    for (uint32_t i = 0; i < c->rest.len; i++) {
        const struct arg *a = &c->rest.at[i];
        struct ir_arg *out = a->name == NULL ? &tile->operands[tile->operand_count++] : &tile->params[tile->param_count++];
        out->name = a->name;
        if (a->name == NULL ? !tw_eval_tile_operand(ev, a, out) : !tw_eval_tile_param(ev, a, "an argument of 'ewise'", out))
            return value_error();
    }
    if (!count_inputs(ev, f, tile->operand_count - 1, c->args[0].at))
        return value_error();
    struct ir_stmt *s = tw_ir_stmt_new(k, ev->build->into, IR_TILE, c->at);
    s->tile = tile;
    return build_body(ev, f, tile->operands[0].region->view->elem, &s->body) ? value_none() : value_error();
}
