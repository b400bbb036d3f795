/* Statements as C++. */
#include "emit/cuda.h"

#include <assert.h>
#include <string.h>

enum { INDENT = 4, LINE_WIDTH = 118 };

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* Where a line may be broken: at the last blank behind a comma that fits, else before the last operator that fits. */
static size_t break_at(const char *line, size_t room)
{
    size_t comma = 0, operator = 0;
    for (size_t i = 1; line[i] != '\0' && (i <= room || (comma == 0 && operator == 0)); i++) {
        if (line[i] == ' ' && line[i - 1] == ',')
            comma = i;
        else if (line[i] == ' ' && strchr("|&+/?:-", line[i + 1]) != NULL)
            operator = i;
    }
    return comma != 0 ? comma : operator;
}

static void add_line(struct cuda_emitter *em, const char *line)
{
    size_t indent = INDENT * em->depth;
    while (indent + strlen(line) > LINE_WIDTH) {
        const size_t cut = break_at(line, LINE_WIDTH - indent);
        if (cut == 0)
            break;
        tw_text_pad(&em->body, ' ', indent);
        tw_text_addf(&em->body, "%.*s\n", (int)cut, line);
        line += cut + 1;
        indent = INDENT * (em->depth + 1);
    }
    tw_text_pad(&em->body, ' ', indent);
    tw_text_addf(&em->body, "%s\n", line);
}

void tw_cuda_line(struct cuda_emitter *em, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(em, tw_formatv(em->arena, format, args));
    va_end(args);
}

static void open_block(struct cuda_emitter *em, const struct ir_block *b)
{
    em->depth++;
    em->line = 0; /* a block begins with its line */
    tw_cuda_block(em, b);
    em->depth--;
}

/* ---- variables ------------------------------------------------------------------------------------------------- */

static const char *declared(struct cuda_emitter *em, struct ir_type t, const char *name)
{
    return tw_format(em->arena, "%s%s%s", tw_cuda_type(em, t), t.cls == IR_POINTER ? "" : " ", name);
}

static void define(struct cuda_emitter *em, const struct ir_stmt *s)
{
    const struct ir_var *v = s->var;
    const char *name = em->vars[v->id];
    if (em->var_facts[v->id].uses == 0)
        return; /* its value has no effect */
    if (tw_cuda_is_declared_early(em, v)) {
        if (s->value != NULL)
            tw_cuda_line(em, "%s = %s;", name, tw_cuda_expr(em, s->value).text);
        return;
    }
    const char *declaration = declared(em, v->type, name);
    if (s->value == NULL)
        tw_cuda_line(em, "%s;", declaration);
    else
        tw_cuda_line(em, "%s%s = %s;", tw_cuda_is_constant(em, v) && v->type.cls != IR_POINTER ? "const " : "", declaration,
                     tw_cuda_expr(em, s->value).text);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* A bound is evaluated once. */
static struct cx bound(struct cuda_emitter *em, const struct ir_expr *e, const char *name)
{
    const struct cx x = tw_cuda_expr(em, e);
    if (tw_cuda_is_stable(em, e))
        return x;
    const char *variable = tw_cuda_identifier(em, name);
    tw_cuda_line(em, "const %s = %s;", declared(em, e->type, variable), x.text);
    return (struct cx){variable, PREC_PRIMARY};
}

static void unroll(struct cuda_emitter *em, const struct ir_stmt *s)
{
    if (s->unroll == IR_UNROLL_FULL)
        tw_cuda_line(em, "#pragma unroll");
    if (s->unroll == IR_UNROLL_HINT)
        tw_cuda_line(em, "#pragma unroll %lld", (long long)s->unroll_factor);
    if (s->unroll == IR_UNROLL_NEVER)
        tw_cuda_line(em, "#pragma unroll 1");
}

/* i < end when counting up, i > end when counting down; a step of unknown sign asks both. */
static const char *goes_on(struct cuda_emitter *em, struct ir_range step, const char *i, struct cx end, const char *by)
{
    const char *limit = tw_cuda_paren(em, end, PREC_SUM);
    if (step.low > 0)
        return tw_format(em->arena, "%s < %s", i, limit);
    if (step.high < 0)
        return tw_format(em->arena, "%s > %s", i, limit);
    return tw_format(em->arena, "(%s > 0 && %s < %s) || (%s < 0 && %s > %s)", by, i, limit, by, i, limit);
}

static const char *advance(struct cuda_emitter *em, struct ir_range step, const char *i, struct cx by)
{
    if (step.low == 1 && step.high == 1)
        return tw_format(em->arena, "++%s", i);
    if (step.low == step.high && step.low < 0)
        return tw_format(em->arena, "%s -= %lld", i, -(long long)step.low);
    return tw_format(em->arena, "%s += %s", i, by.text);
}

static void for_loop(struct cuda_emitter *em, const struct ir_stmt *s)
{
    const char *i = em->vars[s->var->id];
    const struct ir_range step = s->step == NULL ? (struct ir_range){1, 1} : tw_ir_range_of(em->k, s->step);
    const struct cx begin = tw_cuda_expr(em, s->begin);
    const struct cx end = bound(em, s->end, tw_format(em->arena, "%s_end", i));
    const struct cx by = s->step == NULL ? (struct cx){"1", PREC_PRIMARY} : bound(em, s->step, tw_format(em->arena, "%s_step", i));
    const char *variable = tw_cuda_is_declared_early(em, s->var) ? i : declared(em, s->var->type, i);
    unroll(em, s);
    tw_cuda_line(em, "for (%s = %s; %s; %s) {", variable, begin.text,
                 goes_on(em, step, i, end, tw_cuda_paren(em, by, PREC_SUM)), advance(em, step, i, by));
    open_block(em, &s->body);
    tw_cuda_line(em, "}");
}

static void while_loop(struct cuda_emitter *em, const struct ir_stmt *s)
{
    tw_cuda_line(em, "while (%s) {", tw_cuda_expr(em, s->value).text);
    open_block(em, &s->body);
    tw_cuda_line(em, "}");
}

static void if_else(struct cuda_emitter *em, const struct ir_stmt *s)
{
    if (s->value->op == IR_CONST) { /* the other branch does not exist */
        const struct ir_block *taken = s->value->bits != 0 ? &s->body : &s->orelse;
        if (taken->list.len == 0)
            return;
        tw_cuda_line(em, "{");
        open_block(em, taken);
        tw_cuda_line(em, "}");
        return;
    }
    tw_cuda_line(em, "if (%s) {", tw_cuda_expr(em, s->value).text);
    open_block(em, &s->body);
    if (s->orelse.list.len > 0) {
        tw_cuda_line(em, "} else {");
        open_block(em, &s->orelse);
    }
    tw_cuda_line(em, "}");
}

/* ---- helpers ------------------------------------------------------------------------------------------------------ */

static struct ir_expr *node(struct cuda_emitter *em, struct ir_expr e)
{
    struct ir_expr *n = arena_new(em->arena, struct ir_expr, 1);
    *n = e;
    return n;
}

static struct ir_expr *as_uint32(struct cuda_emitter *em, struct ir_expr *e)
{
    if (tw_ir_type_equal(e->type, tw_ir_uint32()))
        return e;
    if (e->op == IR_CONST)
        return node(em, (struct ir_expr){.op = IR_CONST, .type = tw_ir_uint32(), .at = e->at, .bits = (uint32_t)e->bits});
    return node(em, (struct ir_expr){.op = IR_CAST, .type = tw_ir_uint32(), .at = e->at, .args = {e}});
}

/* An expression's value now: what is read from memory is read once. */
static struct ir_expr *kept(struct cuda_emitter *em, struct ir_expr *e, const char *name)
{
    if (!tw_cuda_reads_memory(e))
        return e;
    struct ir_var *v = arena_new(em->arena, struct ir_var, 1);
    const char *variable = tw_cuda_identifier(em, name);
    *v = (struct ir_var){.id = em->k->vars.len + em->kept++ % KEPT_VARS, .name = variable, .type = e->type, .param = -1};
    tw_cuda_line(em, "%s = %s;", declared(em, e->type, variable), tw_cuda_expr(em, e).text);
    em->vars[v->id] = variable;
    return node(em, (struct ir_expr){.op = IR_VAR, .type = e->type, .at = e->at, .var = v});
}

/* try_wait suspends the thread for a while and says whether the phase is over; before sm_90 there is only the test. */
static void mbarrier_wait(struct cuda_emitter *em, const struct ir_stmt *s)
{
    const char *mnemonic = em->target.sm >= 90 ? "mbarrier.try_wait.parity.shared::cta.b64"
                                               : "mbarrier.test_wait.parity.shared.b64";
    struct ir_expr *done = node(em, (struct ir_expr){.op = IR_VAR, .type = tw_ir_bool(), .at = s->at});
    struct ir_ptx_operand operands[3] = {
        {.kind = IR_PTX_RESULT, .expr = done},
        {.kind = IR_PTX_ADDRESS, .expr = kept(em, s->args[0], "barrier")},
        {.kind = IR_PTX_VALUE, .expr = kept(em, as_uint32(em, s->args[1]), "parity")},
    };
    const struct ir_ptx x = {.mnemonic = mnemonic, .operands = operands, .operand_count = 3};
    tw_cuda_line(em, "while (!%s) {", tw_cuda_ptx_value(em, &x).text);
    tw_cuda_line(em, "}");
}

static void trap_unless(struct cuda_emitter *em, const struct ir_expr *condition)
{
    tw_cuda_line(em, "if (!%s) {", tw_cuda_paren(em, tw_cuda_expr(em, condition), PREC_UNARY));
    em->depth++;
    tw_cuda_line(em, "__trap();");
    em->depth--;
    tw_cuda_line(em, "}");
}

static void warpgroup_sync(struct cuda_emitter *em, const struct ir_stmt *s)
{
    struct ir_expr *threads = node(em, (struct ir_expr){.op = IR_CONST, .type = tw_ir_uint32(), .at = s->at, .bits = 128});
    struct ir_ptx_operand operands[2] = {{.kind = IR_PTX_VALUE, .expr = as_uint32(em, s->args[0])},
                                         {.kind = IR_PTX_VALUE, .expr = threads}};
    tw_cuda_ptx_call(em, &(struct ir_ptx){.mnemonic = "bar.sync", .operands = operands, .operand_count = 2});
}

static void cuda_call(struct cuda_emitter *em, const struct ir_stmt *s)
{
    switch (s->cuda) {
    case IR_CTA_SYNC: tw_cuda_line(em, "__syncthreads();"); break;
    case IR_WARP_SYNC: tw_cuda_line(em, "__syncwarp();"); break;
    case IR_WARPGROUP_SYNC: warpgroup_sync(em, s); break;
    case IR_CLUSTER_SYNC:
        tw_cuda_ptx_call(em, &(struct ir_ptx){.mnemonic = "barrier.cluster.arrive.release"});
        tw_cuda_ptx_call(em, &(struct ir_ptx){.mnemonic = "barrier.cluster.wait.acquire"});
        break;
    case IR_MBARRIER_WAIT: mbarrier_wait(em, s); break;
    case IR_TRAP: trap_unless(em, s->args[0]); break;
    case IR_CUDA_COUNT: assert(false); break;
    }
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

/* The source line above what it became; a backslash at its end would take the next line into the comment. */
static void source_line(struct cuda_emitter *em, struct src_span at)
{
    if (at.file == 0 || em->sources == NULL)
        return;
    const struct src_place p = tw_sources_place(em->sources, at.file, at.begin);
    if (p.line == em->line && p.name == em->file)
        return;
    em->line = p.line;
    em->file = p.name;
    struct str text = p.line_text;
    while (text.len > 0 && strchr(" \t\r", text.at[0]) != NULL)
        text = (struct str){text.at + 1, text.len - 1};
    while (text.len > 0 && strchr(" \t\r\\", text.at[text.len - 1]) != NULL)
        text.len--;
    tw_text_pad(&em->body, ' ', INDENT * em->depth);
    tw_text_addf(&em->body, "// %s:%u%s" STR_FMT "\n", p.name, p.line, text.len == 0 ? "" : ": ", STR_ARG(text));
}

static void statement(struct cuda_emitter *em, const struct ir_stmt *s)
{
    switch (s->op) {
    case IR_DEFINE: define(em, s); break;
    case IR_ASSIGN: tw_cuda_line(em, "%s = %s;", em->vars[s->var->id], tw_cuda_expr(em, s->value).text); break;
    case IR_STORE: tw_cuda_store(em, s->region, tw_cuda_expr(em, s->value)); break;
    case IR_FOR: for_loop(em, s); break;
    case IR_WHILE: while_loop(em, s); break;
    case IR_IF: if_else(em, s); break;
    case IR_BREAK: tw_cuda_line(em, "break;"); break;
    case IR_CONTINUE: tw_cuda_line(em, "continue;"); break;
    case IR_RETURN: tw_cuda_line(em, "return;"); break;
    case IR_ASSERT: trap_unless(em, s->value); break;
    case IR_PTX: tw_cuda_ptx_call(em, s->ptx); break;
    case IR_CUDA: cuda_call(em, s); break;
    case IR_TILE:
    case IR_DISPATCH:
    case IR_STMT_OP_COUNT: assert(false); break;
    }
}

void tw_cuda_block(struct cuda_emitter *em, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        source_line(em, b->list.at[i]->at);
        statement(em, b->list.at[i]);
    }
}
