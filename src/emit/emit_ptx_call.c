/* Raw instructions: IR operands, in the order of the PTX text, to the operands that the catalogue's form wants. */
#include "emit/internal.h"

#include <assert.h>

/* A result that goes through a register of its own. */
struct landing_result {
    const struct ir_expr *to;
    struct ptx_operand from;
    bool is_predicate;
};

struct call {
    struct emitter *em;
    const struct ir_ptx *x;
    const struct isa_spelling *spelling;
    struct ptx_operand operands[EMIT_MAX_OPERANDS];
    VEC(struct landing_result) results;
};

/* ---- which form, which operand ------------------------------------------------------------------------------ */

static bool kind_fits(const struct isa_spelling *s, unsigned i, const struct ir_ptx_operand *o)
{
    const struct isa_operand *want = &s->form->operands[i];
    const unsigned count = tw_isa_operand_count(s, i);
    if (o->kind == IR_PTX_TENSOR && o->item_count != count)
        return false;
    if (o->kind != IR_PTX_VECTOR && o->kind != IR_PTX_TENSOR && count > 0 && count != ISA_ANY_COUNT)
        return false; /* a vector of registers, which one value is not */
    if (o->kind == IR_PTX_VECTOR)
        return (want->accept & (ACCEPT_VECTOR | ACCEPT_LIST)) != 0;
    if (o->kind == IR_PTX_ADDRESS)
        return (want->accept & ACCEPT_ADDRESS) != 0;
    if (o->kind == IR_PTX_TENSOR)
        return (want->accept & ACCEPT_TENSOR) != 0;
    return (want->accept & ~(ACCEPT_VECTOR | ACCEPT_LIST | ACCEPT_ADDRESS | ACCEPT_TENSOR)) != 0;
}

static uint32_t required_after(const struct isa_form *form, uint32_t i)
{
    uint32_t n = 0;
    for (uint32_t j = i; j < form->operand_count; j++)
        n += !form->operands[j].optional;
    return n;
}

/* A bool where the form has a predicate, and nothing else there. */
static bool is_predicate_alike(const struct isa_spelling *s, unsigned i, const struct ir_ptx_operand *o)
{
    return o->kind != IR_PTX_VALUE || (o->expr->type.cls == IR_BOOL) == (tw_isa_operand_type(s, i) == MOD_PRED);
}

static bool match_operands(const struct isa_spelling *s, const struct ir_ptx *x, bool strict, uint8_t place[EMIT_MAX_OPERANDS])
{
    const struct isa_form *form = s->form;
    uint32_t j = 0;
    for (uint32_t i = 0; i < form->operand_count; i++) {
        const uint32_t left = x->operand_count - j;
        const bool fits = left > 0 && kind_fits(s, i, &x->operands[j]) &&
                          (!strict || is_predicate_alike(s, i, &x->operands[j]));
        if (form->operands[i].optional && (left <= required_after(form, i + 1) || !fits))
            continue;
        if (!fits)
            return false;
        place[j++] = (uint8_t)i;
    }
    return j == x->operand_count;
}

/* The first form that takes the operands. Forms of one spelling may differ in an operand that is a number in one and a
 * predicate in the other; a bool then says which is meant. */
const struct isa_spelling *tw_emit_choose_form(const struct isa_match *m, const struct ir_ptx *x, uint8_t place[EMIT_MAX_OPERANDS])
{
    for (int lax = 0; lax < 2; lax++)
        for (uint32_t i = 0; i < m->count; i++)
            if (x->operand_count <= ISA_MAX_OPERANDS && match_operands(&m->candidates[i], x, !lax, place))
                return &m->candidates[i];
    return NULL;
}

/* ---- inputs --------------------------------------------------------------------------------------------------- */

static bool wants_predicate(const struct call *c, const struct isa_operand *want, unsigned i)
{
    (void)want;
    return tw_isa_operand_type(c->spelling, i) == MOD_PRED;
}

static struct ptx_operand immediate(struct call *c, const struct ir_ptx_operand *o)
{
    int64_t value;
    if (tw_ir_is_const_int(o->expr, &value))
        return ptx_int(value);
    struct diag *d = tw_diag(c->em->diags, E0812, o->expr->at, "this operand of %s must be a constant", c->x->mnemonic);
    tw_diag_found(d, "a value known only at run time");
    c->em->failed = true;
    return ptx_int(0);
}

/* A float constant for an operand of bits is its bits. */
static struct ptx_operand value_operand(struct call *c, const struct ir_ptx_operand *o, const struct isa_operand *want,
                                        unsigned i)
{
    struct emitter *em = c->em;
    const struct ir_expr *e = o->expr;
    if ((want->accept & (ACCEPT_REG | ACCEPT_VECTOR)) == 0 && want->accept & ACCEPT_IMM)
        return immediate(c, o);
    if (wants_predicate(c, want, i) && e->type.cls != IR_BOOL && e->type.cls != IR_POINTER)
        return tw_emit_in_reg(em, tw_emit_cast(em, tw_emit_expr(em, e), e->type, tw_ir_bool(), e->at), tw_ir_bool());
    const struct ptx_operand v = tw_emit_expr(em, e);
    if (!emit_is_imm(v))
        return v.negated && !(want->accept & ACCEPT_NEGATED) ? tw_emit_in_reg(em, v, e->type) : v;
    const bool vector = want->accept & ACCEPT_VECTOR;
    const bool same_kind = (v.kind == OPERAND_INT) ==
                           (isa_mod_row(tw_isa_operand_type(c->spelling, i))->type_class != TYPE_FLOAT);
    return (want->accept & ACCEPT_IMM) && !vector && same_kind ? v : tw_emit_in_reg(em, v, e->type);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* The register that a place is kept in, where it is one whole register. */
static bool own_register(const struct call *c, const struct ir_expr *e, struct ptx_operand *reg)
{
    const struct emitter *em = c->em;
    if (e->op == IR_VAR && em->vars[e->var->id].kind == OPERAND_REG) {
        *reg = em->vars[e->var->id];
        return true;
    }
    if (e->op == IR_SLOT)
        return tw_emit_slot_reg(em, e->storage, e->type, (int64_t)e->bits, reg);
    int64_t index = 0;
    if (e->op != IR_LOAD || e->region->view->storage->scope != IR_LOCAL || e->region->view->storage->memory_reason != NULL)
        return false;
    if (e->region->start[0] != NULL && !tw_ir_is_const_int(e->region->start[0], &index))
        return false;
    return tw_emit_slot_reg(em, e->region->view->storage, e->type, index, reg);
}

static struct ptx_operand result_operand(struct call *c, const struct ir_ptx_operand *o, const struct isa_operand *want,
                                         unsigned i)
{
    struct emitter *em = c->em;
    struct ptx_operand reg;
    const bool predicate = wants_predicate(c, want, i);
    if (predicate == (o->expr->type.cls == IR_BOOL) && own_register(c, o->expr, &reg))
        return reg;
    reg = tw_emit_reg(em, predicate ? MOD_PRED : tw_emit_reg_type(o->expr->type));
    tw_emit_mark_mutable(em, reg, true);
    if (o->kind == IR_PTX_UPDATE)
        tw_emit_move(em, reg, tw_emit_expr(em, o->expr), o->expr->type);
    *vec_push(em->arena, &c->results) = (struct landing_result){o->expr, reg, predicate};
    return reg;
}

static void deliver(struct call *c, const struct landing_result *r)
{
    struct emitter *em = c->em;
    struct ptx_operand value = r->from;
    if (r->is_predicate && r->to->type.cls != IR_BOOL)
        value = tw_emit_cast(em, value, tw_ir_bool(), r->to->type, r->to->at);
    if (r->to->op == IR_VAR)
        tw_emit_move(em, em->vars[r->to->var->id], value, r->to->type);
    else if (r->to->op == IR_SLOT)
        tw_emit_write_slot(em, r->to->storage, r->to->type, (int64_t)r->to->bits, value);
    else
        tw_emit_store(em, r->to->region, value);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/* A coordinate of a tensor copy: an s32 register or a number. */
static struct ptx_operand coordinate(struct call *c, const struct ir_ptx_operand *o)
{
    return tw_emit_expr(c->em, o->expr);
}

static struct ptx_operand operand(struct call *c, const struct ir_ptx_operand *o, unsigned i)
{
    const struct isa_operand *want = &c->spelling->form->operands[i];
    if (o->kind == IR_PTX_SINK)
        return ptx_sink();
    if (o->kind == IR_PTX_ADDRESS)
        return tw_emit_address(c->em, o->expr, tw_isa_operand_space(c->spelling, i), o->offset_bytes);
    if (o->kind == IR_PTX_VALUE)
        return value_operand(c, o, want, i);
    if (o->kind != IR_PTX_VECTOR && o->kind != IR_PTX_TENSOR)
        return result_operand(c, o, want, i);
    struct ptx_operand *items = arena_new(c->em->arena, struct ptx_operand, o->item_count);
    for (uint32_t n = 0; n < o->item_count; n++)
        items[n] = o->kind == IR_PTX_TENSOR ? coordinate(c, &o->items[n]) : operand(c, &o->items[n], i);
    if (o->kind == IR_PTX_VECTOR)
        return tw_ptx_vector(&c->em->b, items, o->item_count);
    const struct ptx_operand map = tw_emit_address(c->em, o->expr, MOD_NONE, o->offset_bytes);
    return tw_ptx_tensor(&c->em->b, map, items, o->item_count);
}

static void no_form(struct emitter *em, const struct ir_ptx *x, const struct isa_match *m)
{
    struct diag *d = tw_diag(em->diags, E0813, em->at, "%s does not take these operands", x->mnemonic);
    tw_diag_found(d, "%u operands", x->operand_count);
    if (m->count > 0)
        tw_diag_expected(d, "%s", m->candidates[0].form->operands_text);
    em->failed = true;
}

void tw_emit_ptx_call(struct emitter *em, const struct ir_ptx *x)
{
    struct isa_match m;
    uint8_t place[EMIT_MAX_OPERANDS];
    tw_isa_match(em->isa, em->arena, tw_str(x->mnemonic), &m);
    struct call c = {.em = em, .x = x};
    if (m.status == MATCH_OK) {
        c.spelling = tw_emit_choose_form(&m, x, place);
        if (c.spelling == NULL) {
            no_form(em, x, &m);
            return;
        }
        for (uint32_t j = 0; j < x->operand_count; j++)
            c.operands[j] = operand(&c, &x->operands[j], place[j]);
        if (x->pred != NULL)
            tw_ptx_guard(&em->b, tw_emit_predicate(em, x->pred));
    }
    /* An unknown mnemonic is reported by the builder, in the words it has for PTX text. */
    tw_emit_inst(em, x->mnemonic, c.operands, m.status == MATCH_OK ? x->operand_count : 0);
    for (uint32_t i = 0; i < c.results.len; i++)
        deliver(&c, &c.results.at[i]);
}
