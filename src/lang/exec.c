/* Statements, one function a kind. In a kernel body they emit IR; elsewhere they run as Python. */
#include "lang/eval.h"

#include "base/text.h"

static bool in_script(const struct eval *ev)
{
    return ev->build != NULL && ev->scope->is_script;
}

/* ---- leaving a block ---- */

static enum flow exec_jump(struct eval *ev, const struct stmt *s)
{
    const bool is_break = s->kind == STMT_BREAK;
    if (in_script(ev))
        tw_ir_stmt_new(eval_kernel(ev), ev->build->into, is_break ? IR_BREAK : IR_CONTINUE, s->at);
    return is_break ? FLOW_BREAK : FLOW_CONTINUE;
}

static enum flow exec_return(struct eval *ev, const struct stmt *s)
{
    if (!in_script(ev)) {
        ev->result = s->u.value == NULL ? value_none() : tw_eval_expr(ev, s->u.value);
        return FLOW_RETURN;
    }
    if (ev->in_inline)
        tw_eval_unsupported(ev, s->at, "'return' in a T.inline function");
    else if (s->u.value != NULL && s->u.value->kind != EXPR_NONE)
        tw_eval_unsupported(ev, s->at, "returning a value from a kernel");
    else
        tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_RETURN, s->at);
    return FLOW_RETURN;
}

/* ---- conditions ---- */

static enum flow run_time_if(struct eval *ev, const struct stmt *s, uint32_t arm, struct value c);

/* The arms from `arm` on, of which those before have failed. */
static enum flow exec_arms(struct eval *ev, const struct stmt *s, uint32_t arm)
{
    for (; arm < s->u.branch.arms.len; arm++) {
        const struct if_arm *a = &s->u.branch.arms.at[arm];
        const struct value c = tw_eval_expr(ev, a->cond);
        bool known;
        const bool truth = tw_value_truth(c, &known);
        if (known && truth)
            return tw_exec_block(ev, &a->body);
        if (known)
            continue;
        if (c.kind == VALUE_HOST && ev->build == NULL) {
            tw_exec_skip(ev, s, c);
            return FLOW_NEXT;
        }
        return run_time_if(ev, s, arm, c);
    }
    return tw_exec_block(ev, &s->u.branch.orelse);
}

static enum flow run_time_if(struct eval *ev, const struct stmt *s, uint32_t arm, struct value c)
{
    const struct if_arm *a = &s->u.branch.arms.at[arm];
    if (!in_script(ev)) {
        tw_eval_mismatch(ev, a->cond->at, "the condition", "a value known at compile time", c);
        return FLOW_NEXT;
    }
    struct ir_expr *cond = tw_eval_to_bool(ev, c, a->cond->at, "the condition");
    if (cond == NULL) /* the arms are still walked, for faults of their own */
        cond = tw_ir_const_int(eval_kernel(ev), tw_ir_bool(), 1, a->cond->at);
    struct ir_stmt *branch = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_IF, a->at);
    branch->value = cond;
    struct ir_block *outer = tw_exec_open(ev, &branch->body);
    tw_exec_block(ev, &a->body);
    tw_exec_close(ev, outer);
    outer = tw_exec_open(ev, &branch->orelse);
    exec_arms(ev, s, arm + 1);
    tw_exec_close(ev, outer);
    return FLOW_NEXT;
}

struct ir_block *tw_exec_open(struct eval *ev, struct ir_block *block)
{
    struct ir_block *outer = ev->build->into;
    ev->build->into = block;
    ev->scope = tw_scope_new(ev->arena, ev->scope);
    ev->scope->is_branch = true;
    return outer;
}

void tw_exec_close(struct eval *ev, struct ir_block *outer)
{
    ev->build->into = outer;
    ev->scope = ev->scope->parent;
}

/* ---- the rest ---- */

static void exec_value(struct eval *ev, const struct stmt *s)
{
    const struct value v = tw_eval_expr(ev, s->u.value);
    if (v.kind != VALUE_OPCODE || ev->build == NULL)
        return;
    struct diag *d = tw_diag(ev->diags, E0214, s->at, "the instruction is named, but not called");
    tw_diag_fix(d, "add the operands in parentheses, or () where it has none");
}

static void exec_assign(struct eval *ev, const struct stmt *s)
{
    if (in_script(ev) && s->u.assign.targets.len > 1) {
        struct diag *d = tw_diag(ev->diags, E0210, s->at, "one assignment has several '='");
        tw_diag_fix(d, "write one assignment for each name");
        return;
    }
    const struct value v = tw_eval_expr(ev, s->u.assign.value);
    for (uint32_t i = 0; i < s->u.assign.targets.len; i++)
        tw_exec_assign_to(ev, s->u.assign.targets.at[i], v, s->at);
}

static const char *assert_text(struct eval *ev, const struct expr *message)
{
    if (message == NULL)
        return "";
    const struct value v = tw_eval_expr(ev, message);
    struct text t;
    tw_text_init(&t, ev->arena);
    return tw_value_text(v, &t) && t.at != NULL ? t.at : "";
}

static void exec_assert(struct eval *ev, const struct stmt *s)
{
    const struct value c = tw_eval_expr(ev, s->u.pair.first);
    bool known;
    const bool truth = tw_value_truth(c, &known);
    if (c.kind == VALUE_ERROR || (known && truth) || (c.kind == VALUE_HOST && ev->build == NULL))
        return;
    const char *text = assert_text(ev, s->u.pair.second);
    if (known) {
        struct diag *d = tw_diag(ev->diags, E0218, s->at, "the assertion does not hold");
        if (text[0] != '\0')
            tw_diag_found(d, "%s", text);
        return;
    }
    struct ir_expr *cond = tw_eval_to_bool(ev, c, s->u.pair.first->at, "the condition");
    if (cond == NULL)
        return;
    struct ir_stmt *check = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_ASSERT, s->at);
    check->value = cond;
    check->text = text;
}

static void exec_raise(struct eval *ev, const struct stmt *s)
{
    tw_diag(ev->diags, E0218, s->at, "the program raises an exception here");
}

/* Statements that the evaluator does not carry out: refused in a kernel, passed over in the host part. */
static void exec_foreign(struct eval *ev, const struct stmt *s)
{
    const struct value why = tw_eval_unsupported(ev, s->at, "%s", tw_stmt_kind_name(s->kind));
    if (why.kind == VALUE_HOST)
        tw_exec_skip(ev, s, why);
}

enum flow tw_exec_stmt(struct eval *ev, const struct stmt *s)
{
    switch (s->kind) {
    case STMT_EXPR: exec_value(ev, s); break;
    case STMT_ASSIGN: exec_assign(ev, s); break;
    case STMT_ANNOTATED: tw_exec_annotated(ev, s); break;
    case STMT_AUGMENTED: tw_exec_augmented(ev, s); break;
    case STMT_IF: return exec_arms(ev, s, 0);
    case STMT_FOR: return tw_exec_for(ev, s);
    case STMT_WHILE: return tw_exec_while(ev, s);
    case STMT_BREAK:
    case STMT_CONTINUE: return exec_jump(ev, s);
    case STMT_PASS: break;
    case STMT_RETURN: return exec_return(ev, s);
    case STMT_ASSERT: exec_assert(ev, s); break;
    case STMT_RAISE: exec_raise(ev, s); break;
    case STMT_IMPORT:
    case STMT_FROM: tw_exec_import(ev, s); break;
    case STMT_DEF: tw_exec_def(ev, s); break;
    case STMT_WITH:
    case STMT_DEL:
    case STMT_TRY:
    case STMT_GLOBAL:
    case STMT_NONLOCAL: exec_foreign(ev, s); break;
    case STMT_CLASS: tw_exec_class(ev, s); break;
    }
    return FLOW_NEXT;
}

enum flow tw_exec_block(struct eval *ev, const struct block *b)
{
    if (b->len == 0 || !tw_eval_enter(ev, b->at[0]->at))
        return FLOW_NEXT;
    struct cursor here = {.up = ev->cursor, .block = b, .scope = ev->scope};
    enum flow flow = FLOW_NEXT;
    ev->cursor = &here;
    for (uint32_t i = 0; i < b->len && flow == FLOW_NEXT; i++) {
        if (!tw_eval_step(ev, b->at[i]->at))
            break;
        here.next = i + 1;
        flow = tw_exec_stmt(ev, b->at[i]);
    }
    ev->cursor = here.up;
    tw_eval_leave(ev);
    return flow;
}
