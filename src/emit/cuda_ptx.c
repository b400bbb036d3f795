/* Raw instructions as calls of wrapper functions. Which operand is what follows from the catalogue's form, as in the PTX back
 * end; a wrapper's parameters stand in the order of the instruction's operands. */
#include "emit/cuda.h"

#include <assert.h>
#include <string.h>

/* A result that cannot be written in place. */
struct cuda_landing {
    const struct ir_expr *to;
    const char *temporary;
    bool is_predicate;
};

struct cuda_call {
    struct cuda_emitter *em;
    const struct isa_spelling *spelling;
    struct cuda_asm assembly;
    VEC(const char *) arguments;
    VEC(const char *) immediates;
    VEC(struct cuda_landing) landings;
    const struct ir_expr *result; /* of the last operand that is written */
    bool result_is_predicate;
    bool defers_result;           /* the function returns it: no variable is needed */
};

static bool wants_predicate(const struct cuda_call *c, unsigned i)
{
    return tw_isa_operand_type(c->spelling, i) == MOD_PRED;
}

static const char *role_name(const struct cuda_call *c, unsigned i)
{
    const struct isa_operand *o = &c->spelling->form->operands[i];
    return o->role == ROLE_NONE ? "x" : tw_isa_role_name(o->role);
}

static const char *argument_type(const struct cuda_call *c, struct ir_type t, unsigned i)
{
    return tw_cuda_register_type(t, isa_mod_row(tw_isa_operand_type(c->spelling, i))->type_class == TYPE_SIGNED);
}

static void add_argument(struct cuda_call *c, const char *text, enum cuda_flow flow, const char *type, unsigned i)
{
    *vec_push(c->em->arena, &c->arguments) = text;
    tw_cuda_asm_slot(&c->assembly, (struct cuda_slot){flow, type, role_name(c, i)});
}

/* ---- inputs --------------------------------------------------------------------------------------------------- */

static void immediate(struct cuda_call *c, const struct ir_ptx_operand *o, unsigned i)
{
    int64_t value = 0;
    const bool known = tw_ir_is_const_int(o->expr, &value);
    assert(known);
    (void)known;
    const bool wide = value > INT32_MAX || value < -INT32_MAX;
    *vec_push(c->em->arena, &c->immediates) = tw_format(c->em->arena, "%lld%s", (long long)value, wide ? "ll" : "");
    tw_cuda_asm_slot(&c->assembly, (struct cuda_slot){CUDA_IMMEDIATE, wide ? "long long" : "int", role_name(c, i)});
}

/* Arguments have the exact types of their parameters, since wrappers are overloaded. */
static void value(struct cuda_call *c, const struct ir_ptx_operand *o, unsigned i)
{
    struct cuda_emitter *em = c->em;
    const struct isa_operand *want = &c->spelling->form->operands[i];
    const struct ir_expr *e = o->expr;
    if ((want->accept & (ACCEPT_REG | ACCEPT_VECTOR)) == 0 && want->accept & ACCEPT_IMM) {
        immediate(c, o, i);
        return;
    }
    if (wants_predicate(c, i)) {
        add_argument(c, tw_cuda_cast(em, tw_cuda_expr(em, e), e->type, tw_ir_bool()).text, CUDA_IN, "bool", i);
        return;
    }
    const char *type = argument_type(c, e->type, i);
    struct cx x = tw_cuda_expr(em, e);
    if (e->op == IR_CONST && e->type.cls != IR_FLOAT && e->type.bits == 32)
        x = tw_cuda_constant(em, strcmp(type, "int") == 0 ? tw_ir_int32() : tw_ir_uint32(), (uint64_t)(int64_t)(int32_t)e->bits);
    else if (e->type.cls != IR_POINTER && strcmp(type, tw_cuda_plain_type(e->type)) != 0)
        x = tw_cuda_as(em, type, x);
    add_argument(c, x.text, CUDA_IN, type, i);
}

/* ---- results --------------------------------------------------------------------------------------------------- */

/* The place as a variable that a reference can bind to. */
static bool in_place(struct cuda_call *c, const struct ir_expr *e, bool predicate, const char **text, const char **type)
{
    struct cuda_emitter *em = c->em;
    struct cx unit;
    struct ir_type t = e->type;
    int64_t index = (int64_t)e->bits;
    if (e->op == IR_VAR) {
        *text = em->vars[e->var->id];
        *type = tw_cuda_plain_type(t);
        return predicate == (t.cls == IR_BOOL) && (t.cls == IR_BOOL || t.bits >= 16) && t.cls != IR_POINTER;
    }
    const struct ir_storage *s = e->op == IR_SLOT ? e->storage : e->region->view->storage;
    if (predicate || (e->op == IR_LOAD && !tw_cuda_in_registers(e->region, &index)) ||
        !tw_cuda_slot_unit(em, s, t, index, &unit, &t) || t.bits < 16)
        return false;
    *text = unit.text;
    *type = tw_cuda_plain_type(t);
    return true;
}

static const char *temporary(struct cuda_call *c, const struct ir_ptx_operand *o, bool predicate, const char *type, unsigned i)
{
    struct cuda_emitter *em = c->em;
    const struct ir_expr *e = o->expr;
    const char *name = tw_cuda_identifier(em, role_name(c, i));
    *vec_push(em->arena, &c->landings) = (struct cuda_landing){e, name, predicate};
    if (o->kind == IR_PTX_UPDATE) {
        const struct cx old = predicate ? tw_cuda_cast(em, tw_cuda_expr(em, e), e->type, tw_ir_bool()) : tw_cuda_expr(em, e);
        tw_cuda_line(em, "%s %s = %s;", type, name, old.text);
    } else {
        tw_cuda_line(em, "%s %s;", type, name);
    }
    return name;
}

static void result(struct cuda_call *c, const struct ir_ptx_operand *o, unsigned i)
{
    const bool predicate = wants_predicate(c, i);
    const enum cuda_flow flow = o->kind == IR_PTX_UPDATE ? CUDA_UPDATE : CUDA_OUT;
    const char *text = NULL, *type = predicate ? "bool" : argument_type(c, o->expr->type, i);
    c->result = o->expr;
    c->result_is_predicate = predicate;
    if (!c->defers_result && !in_place(c, o->expr, predicate, &text, &type)) {
        type = predicate ? "bool" : argument_type(c, o->expr->type, i);
        text = temporary(c, o, predicate, type, i);
    }
    add_argument(c, text, flow, type, i);
}

/* The value of a result register, as the type of its place. */
static struct cx landed(struct cuda_emitter *em, struct cx x, const struct ir_expr *to, bool predicate)
{
    if (predicate)
        return tw_cuda_cast(em, x, tw_ir_bool(), to->type);
    const bool narrow = to->type.bits == 8 || to->type.cls == IR_POINTER;
    return narrow ? tw_cuda_as(em, tw_cuda_plain_type(to->type), x) : x;
}

static void deliver(struct cuda_emitter *em, const struct ir_expr *to, struct cx x)
{
    if (to->op == IR_VAR)
        tw_cuda_line(em, "%s = %s;", em->vars[to->var->id], x.text);
    else if (to->op == IR_SLOT)
        tw_cuda_write_slot(em, to->storage, to->type, (int64_t)to->bits, x);
    else
        tw_cuda_store(em, to->region, x);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* [map, {c0, c1}] */
static void tensor(struct cuda_call *c, const struct ir_ptx_operand *o, unsigned i)
{
    const char *type;
    const struct cx map = tw_cuda_address(c->em, o->expr, MOD_NONE, o->offset_bytes, &type);
    tw_cuda_asm_text(&c->assembly, "[");
    add_argument(c, map.text, CUDA_IN, type, i);
    for (uint32_t n = 0; n < o->item_count; n++) {
        const struct ir_expr *at = o->items[n].expr;
        tw_cuda_asm_text(&c->assembly, n == 0 ? ", {" : ", ");
        *vec_push(c->em->arena, &c->arguments) = tw_cuda_cast(c->em, tw_cuda_expr(c->em, at), at->type, tw_ir_int32()).text;
        tw_cuda_asm_slot(&c->assembly, (struct cuda_slot){CUDA_IN, "int", "c"});
    }
    tw_cuda_asm_text(&c->assembly, "}]");
}

static void operand(struct cuda_call *c, const struct ir_ptx_operand *o, unsigned i)
{
    const char *type;
    if (o->kind == IR_PTX_SINK) {
        tw_cuda_asm_text(&c->assembly, "_");
    } else if (o->kind == IR_PTX_ADDRESS) {
        const struct cx at = tw_cuda_address(c->em, o->expr, tw_isa_operand_space(c->spelling, i), o->offset_bytes, &type);
        tw_cuda_asm_text(&c->assembly, "[");
        add_argument(c, at.text, CUDA_IN, type, i);
        tw_cuda_asm_text(&c->assembly, "]");
    } else if (o->kind == IR_PTX_TENSOR) {
        tensor(c, o, i);
    } else if (o->kind == IR_PTX_VALUE) {
        value(c, o, i);
    } else if (o->kind == IR_PTX_VECTOR) {
        for (uint32_t n = 0; n < o->item_count; n++) {
            tw_cuda_asm_text(&c->assembly, n == 0 ? "{" : ", ");
            operand(c, &o->items[n], i);
        }
        tw_cuda_asm_text(&c->assembly, "}");
    } else {
        result(c, o, i);
    }
}

struct result_count {
    uint32_t written, updated;
};

static void count_results(const struct ir_ptx_operand *o, uint32_t count, struct result_count *n)
{
    for (uint32_t i = 0; i < count; i++) {
        n->written += o[i].kind == IR_PTX_RESULT;
        n->updated += o[i].kind == IR_PTX_UPDATE;
        count_results(o[i].items, o[i].item_count, n);
    }
}

/* "name<immediates>(arguments)" */
static struct cx call_text(struct cuda_call *c, const char *name)
{
    struct text out;
    tw_text_init(&out, c->em->arena);
    tw_text_add(&out, name);
    for (uint32_t i = 0; i < c->immediates.len; i++)
        tw_text_addf(&out, "%s%s", i == 0 ? "<" : ", ", c->immediates.at[i]);
    tw_text_add(&out, c->immediates.len == 0 ? "(" : ">(");
    bool first = true;
    for (uint32_t i = 0; i < c->arguments.len; i++)
        if (c->arguments.at[i] != NULL) {
            tw_text_addf(&out, "%s%s", first ? "" : ", ", c->arguments.at[i]);
            first = false;
        }
    tw_text_put(&out, ')');
    return (struct cx){out.at, PREC_PRIMARY};
}

static struct cx build(struct cuda_call *c, const struct ir_ptx *x)
{
    struct cuda_emitter *em = c->em;
    struct isa_match m;
    struct text spelled;
    uint8_t place[EMIT_MAX_OPERANDS];
    struct result_count n = {0, 0};
    tw_isa_match(em->isa, em->arena, tw_str(x->mnemonic), &m);
    assert(m.status == MATCH_OK); /* the PTX back end took it */
    c->spelling = tw_emit_choose_form(&m, x, place);
    assert(c->spelling != NULL);
    count_results(x->operands, x->operand_count, &n);
    c->defers_result = n.written == 1 && n.updated == 0;
    c->assembly = (struct cuda_asm){.em = em};
    tw_text_init(&spelled, em->arena);
    tw_isa_spell(c->spelling, &spelled);
    tw_cuda_asm_text(&c->assembly, spelled.at);
    for (uint32_t j = 0; j < x->operand_count; j++) {
        const bool joined = c->spelling->form->operands[place[j]].joined && j > 0;
        tw_cuda_asm_text(&c->assembly, j == 0 ? " " : joined ? "|" : ", ");
        operand(c, &x->operands[j], place[j]);
    }
    return call_text(c, tw_cuda_asm_finish(&c->assembly, spelled.at));
}

struct cx tw_cuda_ptx_value(struct cuda_emitter *em, const struct ir_ptx *x)
{
    struct cuda_call c = {.em = em};
    const struct cx call = build(&c, x);
    assert(c.defers_result);
    return landed(em, call, c.result, c.result_is_predicate);
}

/* A guarded instruction is a guarded statement: an operand that is not used then keeps its value either way. */
void tw_cuda_ptx_call(struct cuda_emitter *em, const struct ir_ptx *x)
{
    struct cuda_call c = {.em = em};
    if (x->pred != NULL) {
        tw_cuda_line(em, "if (%s) {", tw_cuda_expr(em, x->pred).text);
        em->depth++;
    }
    const struct cx call = build(&c, x);
    if (c.defers_result)
        deliver(em, c.result, landed(em, call, c.result, c.result_is_predicate));
    else
        tw_cuda_line(em, "%s;", call.text);
    for (uint32_t i = 0; i < c.landings.len; i++) {
        const struct cuda_landing *l = &c.landings.at[i];
        deliver(em, l->to, landed(em, (struct cx){l->temporary, PREC_PRIMARY}, l->to, l->is_predicate));
    }
    if (x->pred != NULL) {
        em->depth--;
        tw_cuda_line(em, "}");
    }
}
