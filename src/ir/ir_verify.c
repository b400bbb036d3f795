/* The verifier: invariants of ir.h, checked over the whole tree. What it finds is a fault of ours, not of the
 * program that was compiled. Stops at the first. */
#include "ir/ir.h"

#include "ir/ir_fold.h"
#include "ir/ir_names.h"
#include "ir/ir_walk.h"

#include <assert.h>

struct verifier {
    const struct ir_kernel *k;
    struct text *why;
    bool failed;
    uint32_t loops; /* enclosing loops */
    bool *defined;  /* by variable id: a definition was seen */
};

#define FAIL_FORMAT __attribute__((format(printf, 2, 3)))

FAIL_FORMAT static void fail(struct verifier *v, const char *format, ...)
{
    if (v->failed)
        return;
    v->failed = true;
    va_list args;
    va_start(args, format);
    tw_text_addv(v->why, format, args);
    va_end(args);
}

static void check(struct verifier *v, bool fine, const char *what, const char *rule)
{
    if (!fine)
        fail(v, "%s: %s", what, rule);
}

/* ---- regions, variables ---------------------------------------------------------------------- */

static void check_expr(struct verifier *v, const struct ir_expr *e);

static void check_var(struct verifier *v, const struct ir_var *var, const char *what)
{
    if (var == NULL) {
        fail(v, "%s: no variable", what);
        return;
    }
    if (var->id >= v->k->vars.len || v->k->vars.at[var->id] != var)
        fail(v, "%s: variable '%s' is not the kernel's", what, var->name == NULL ? "" : var->name);
    else if (!v->defined[var->id])
        fail(v, "%s: variable '%s' is used before its definition", what, var->name == NULL ? "" : var->name);
}

static void check_view(struct verifier *v, const struct ir_view *view, const char *what)
{
    int64_t elems = 1;
    for (uint32_t d = 0; d < view->rank; d++) {
        check(v, view->shape[d] > 0, what, "a view has an extent below 1");
        elems *= view->shape[d];
    }
    check(v, view->layout != NULL, what, "a view has no layout");
    if (view->layout != NULL)
        check(v, tw_layout_size(view->layout) == elems, what, "a view's layout does not cover its shape");
    const struct ir_storage *s = view->storage;
    check(v, s != NULL && s->id < v->k->storages.len && v->k->storages.at[s->id] == s, what,
          "a view's storage is not the kernel's");
}

static void check_region(struct verifier *v, const struct ir_region *r, bool element, const char *what)
{
    if (r == NULL || r->view == NULL) {
        fail(v, "%s: no region", what);
        return;
    }
    check_view(v, r->view, what);
    for (uint32_t d = 0; d < r->view->rank && !v->failed; d++) {
        check(v, r->extent[d] > 0 && r->extent[d] <= r->view->shape[d], what, "a region's extent is outside its view");
        check(v, !element || r->extent[d] == 1, what, "an element access has an extent other than 1");
        if (r->start[d] == NULL)
            continue;
        check(v, tw_ir_is_integer(r->start[d]->type), what, "a region starts at something that is not an integer");
        check_expr(v, r->start[d]);
    }
}

/* ---- expressions ----------------------------------------------------------------------------- */

static bool is_bool(const struct ir_expr *e)
{
    return e->type.cls == IR_BOOL;
}

static void check_leaf(struct verifier *v, const struct ir_expr *e, const char *what)
{
    if (e->op == IR_CONST) {
        check(v, e->bits == tw_ir_normalize(e->type, e->bits), what, "a constant's bits are not those of its type");
    } else if (e->op == IR_VAR) {
        check_var(v, e->var, what);
        check(v, v->failed || tw_ir_type_equal(e->type, e->var->type), what, "the type is not the variable's");
    } else if (e->op == IR_COORD) {
        check(v, tw_ir_type_equal(e->type, tw_ir_int32()), what, "a coordinate is not int32");
    } else if (e->op == IR_SLOT) {
        check(v, v->k->is_lowered, what, "a register slot before lowering");
        check(v, e->storage != NULL && e->storage->scope == IR_LOCAL, what, "a register slot of a tensor that is not local");
        check(v, v->failed || ((int64_t)e->bits + 1) * e->type.bits <= e->storage->elems * e->storage->elem.bits, what,
              "a register slot beyond its tensor");
    } else {
        check_region(v, e->region, true, what);
        const enum ir_scope scope = v->failed ? IR_GLOBAL : e->region->view->storage->scope;
        check(v, scope != IR_TMEM, what, "tensor memory has no element access");
        if (e->op == IR_LOAD)
            check(v, v->failed || tw_ir_type_equal(e->type, e->region->view->elem), what, "the type is not the view's");
        else
            check(v, e->type.cls == IR_POINTER, what, "an address is not a pointer");
    }
}

static void check_unary(struct verifier *v, const struct ir_expr *e, const char *what)
{
    const struct ir_type from = e->args[0]->type;
    if (e->op == IR_NOT)
        check(v, from.cls == IR_BOOL && is_bool(e), what, "takes and gives a bool");
    else if (e->op == IR_BITNOT)
        check(v, tw_ir_is_integer(from), what, "takes an integer");
    else if (e->op == IR_SHARED_ADDR)
        check(v, from.cls == IR_POINTER, what, "takes a pointer");
    else if (e->op == IR_REINTERPRET)
        check(v, from.bits == e->type.bits, what, "keeps the width");
    else if (e->op >= IR_EXP2 && e->op <= IR_TANH)
        check(v, from.cls == IR_FLOAT, what, "takes a float");
    if (e->op == IR_NEG || e->op == IR_BITNOT || e->op == IR_ABS || (e->op >= IR_EXP2 && e->op <= IR_TANH))
        check(v, tw_ir_type_equal(from, e->type), what, "keeps the type");
}

static void check_binary(struct verifier *v, const struct ir_expr *e, const char *what)
{
    const struct ir_type a = e->args[0]->type, b = e->args[1]->type;
    if (e->op == IR_OFFSET) {
        check(v, a.cls == IR_POINTER && tw_ir_type_equal(b, tw_ir_type_of(NUM_S64)), what, "takes a pointer and an int64");
    } else if (ir_op_is_shift(e->op)) {
        check(v, tw_ir_is_integer(a) && tw_ir_is_integer(b), what, "takes integers");
    } else {
        check(v, tw_ir_type_equal(a, b), what, "operands of different types");
        check(v, e->op != IR_DIV || a.cls == IR_FLOAT, what, "takes floats");
        check(v, e->op < IR_FLOORDIV || e->op > IR_TRUNCMOD || tw_ir_is_integer(a), what, "takes integers");
        check(v, (e->op != IR_AND && e->op != IR_OR) || a.cls == IR_BOOL, what, "takes bools");
    }
    if (ir_op_is_comparison(e->op) || e->op == IR_AND || e->op == IR_OR)
        check(v, is_bool(e), what, "gives a bool");
    else
        check(v, tw_ir_type_equal(e->type, a), what, "does not give its operands' type");
}

static void check_expr(struct verifier *v, const struct ir_expr *e)
{
    const struct ir_op_row *row = tw_ir_op_row(e->op);
    for (unsigned i = 0; i < row->arity && !v->failed; i++) {
        if (e->args[i] == NULL)
            fail(v, "%s: operand %u is missing", row->name, i);
        else
            check_expr(v, e->args[i]);
    }
    if (v->failed)
        return;
    if (row->arity == 0)
        check_leaf(v, e, row->name);
    else if (row->arity == 1)
        check_unary(v, e, row->name);
    else if (row->arity == 2)
        check_binary(v, e, row->name);
    else
        check(v, is_bool(e->args[0]) && tw_ir_type_equal(e->args[1]->type, e->args[2]->type) &&
                     tw_ir_type_equal(e->type, e->args[1]->type),
              row->name, "takes a bool and two values of one type");
}

static void need_expr(struct verifier *v, const struct ir_expr *e, const char *what)
{
    if (e == NULL)
        fail(v, "%s: an expression is missing", what);
    else
        check_expr(v, e);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void check_block(struct verifier *v, const struct ir_block *b);

static void check_args(struct verifier *v, const struct ir_arg *args, uint32_t count)
{
    for (uint32_t i = 0; i < count && !v->failed; i++) {
        const struct ir_arg *a = &args[i];
        if (a->kind == IR_ARG_REGION)
            check_region(v, a->region, false, "tile");
        else if (a->kind == IR_ARG_EXPR)
            need_expr(v, a->expr, "tile");
        else if (a->kind == IR_ARG_TUPLE)
            check_args(v, a->items, a->item_count);
    }
}

static bool is_place(const struct ir_expr *e)
{
    return e->op == IR_VAR || e->op == IR_SLOT || e->op == IR_LOAD;
}

static void check_operands(struct verifier *v, const struct ir_ptx_operand *o, uint32_t count)
{
    for (uint32_t i = 0; i < count && !v->failed; i++) {
        if (o[i].kind == IR_PTX_SINK)
            continue;
        if (o[i].kind == IR_PTX_VECTOR) {
            check_operands(v, o[i].items, o[i].item_count);
            continue;
        }
        need_expr(v, o[i].expr, "ptx");
        check_operands(v, o[i].items, o[i].item_count);
        if (!v->failed && (o[i].kind == IR_PTX_RESULT || o[i].kind == IR_PTX_UPDATE))
            check(v, is_place(o[i].expr), "ptx", "a result goes to something that cannot be written");
    }
}

static void check_loop(struct verifier *v, const struct ir_stmt *s)
{
    need_expr(v, s->begin, "for");
    need_expr(v, s->end, "for");
    if (s->step != NULL)
        need_expr(v, s->step, "for");
    check(v, s->var != NULL && s->var->is_loop && !s->var->is_assigned, "for", "the variable is not a loop variable");
    if (v->failed)
        return;
    check(v, tw_ir_type_equal(s->var->type, s->begin->type) && tw_ir_type_equal(s->var->type, s->end->type), "for",
          "bounds and variable differ in type");
    v->defined[s->var->id] = true;
    v->loops++;
    check_block(v, &s->body);
    v->loops--;
}

static void check_define(struct verifier *v, const struct ir_stmt *s)
{
    check(v, s->var != NULL && !s->var->is_loop, "define", "no variable, or a loop's");
    if (v->failed)
        return;
    check(v, s->var->id < v->k->vars.len && v->k->vars.at[s->var->id] == s->var, "define", "a variable of another kernel");
    if (s->value != NULL) {
        check_expr(v, s->value);
        check(v, v->failed || tw_ir_type_equal(s->value->type, s->var->type), "define", "value and variable differ in type");
    }
    if (!v->failed)
        v->defined[s->var->id] = true;
}

static void check_assign(struct verifier *v, const struct ir_stmt *s)
{
    need_expr(v, s->value, "assign");
    check_var(v, s->var, "assign");
    if (v->failed)
        return;
    check(v, s->var->is_assigned && !s->var->is_loop, "assign", "the variable is immutable");
    check(v, tw_ir_type_equal(s->value->type, s->var->type), "assign", "value and variable differ in type");
}

static void check_store(struct verifier *v, const struct ir_stmt *s)
{
    check_region(v, s->region, true, "store");
    need_expr(v, s->value, "store");
    if (v->failed)
        return;
    check(v, tw_ir_type_equal(s->value->type, s->region->view->elem), "store", "value and element differ in type");
    check(v, s->region->view->storage->scope != IR_TMEM, "store", "tensor memory has no element access");
}

static void check_condition(struct verifier *v, const struct ir_expr *e, const char *what)
{
    need_expr(v, e, what);
    check(v, v->failed || is_bool(e), what, "the condition is not a bool");
}

static void check_stmt(struct verifier *v, const struct ir_stmt *s)
{
    switch (s->op) {
    case IR_DEFINE: check_define(v, s); break;
    case IR_ASSIGN: check_assign(v, s); break;
    case IR_STORE: check_store(v, s); break;
    case IR_FOR: check_loop(v, s); break;
    case IR_WHILE:
        check_condition(v, s->value, "while");
        v->loops++;
        check_block(v, &s->body);
        v->loops--;
        break;
    case IR_IF:
        check_condition(v, s->value, "if");
        check_block(v, &s->body);
        check_block(v, &s->orelse);
        break;
    case IR_BREAK:
    case IR_CONTINUE: check(v, v->loops > 0, s->op == IR_BREAK ? "break" : "continue", "stands outside a loop"); break;
    case IR_RETURN:
        if (s->value != NULL)
            check_expr(v, s->value);
        break;
    case IR_ASSERT: check_condition(v, s->value, "assert"); break;
    case IR_TILE:
    case IR_DISPATCH:
        check(v, s->tile != NULL, "tile", "nothing to apply");
        check(v, !v->k->is_lowered, "tile", "a tile operation is left after lowering");
        if (!v->failed) {
            check_args(v, s->tile->operands, s->tile->operand_count);
            check_args(v, s->tile->params, s->tile->param_count);
        }
        check_block(v, &s->body);
        break;
    case IR_PTX:
        check(v, s->ptx != NULL && s->ptx->mnemonic != NULL, "ptx", "no instruction");
        if (!v->failed)
            check_operands(v, s->ptx->operands, s->ptx->operand_count);
        if (!v->failed && s->ptx->pred != NULL)
            check_condition(v, s->ptx->pred, "ptx");
        break;
    case IR_CUDA:
        for (unsigned i = 0; i < tw_ir_cuda_arity(s->cuda); i++)
            need_expr(v, s->args[i], tw_ir_cuda_name(s->cuda));
        break;
    case IR_STMT_OP_COUNT: fail(v, "a statement of no kind"); break;
    }
}

static void check_block(struct verifier *v, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len && !v->failed; i++)
        check_stmt(v, b->list.at[i]);
}

static void check_storage(struct verifier *v, const struct ir_storage *s, uint32_t index)
{
    const char *what = s->name == NULL ? "storage" : s->name;
    check(v, s->id == index, what, "the id is not its index");
    check(v, s->scope == IR_GLOBAL || s->elems >= 0, what, "the size is not static");
    check(v, (s->scope == IR_TMEM) == (s->base != NULL), what, "tensor memory alone has a base address");
    check(v, !s->in_arena || (s->scope == IR_SHARED && s->arena_offset >= 0 && s->arena_offset % s->align_bytes == 0 &&
                              s->arena_offset + (s->elems * s->elem.bits + 7) / 8 <= v->k->arena_bytes),
          what, "a piece is not inside the arena");
    check(v, s->align_bytes > 0 && (s->align_bytes & (s->align_bytes - 1)) == 0, what, "the alignment is no power of two");
}

bool tw_ir_verify(const struct ir_kernel *k, struct text *why)
{
    struct verifier v = {.k = k, .why = why};
    v.defined = arena_new(why->arena, bool, k->vars.len + 1u);
    for (uint32_t i = 0; i < k->vars.len; i++)
        v.defined[i] = k->vars.at[i]->param >= 0;
    for (uint32_t i = 0; i < k->storages.len && !v.failed; i++)
        check_storage(&v, k->storages.at[i], i);
    check_block(&v, &k->body);
    return !v.failed;
}
