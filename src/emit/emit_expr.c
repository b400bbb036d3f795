/* Expressions that are not arithmetic: leaves, logic, selection. */
#include "emit/internal.h"

#include "ir/ir_names.h"

#include <assert.h>

bool tw_emit_touches_memory(const struct ir_expr *e)
{
    if (e->op == IR_LOAD)
        return e->region->view->storage->scope != IR_LOCAL || e->region->view->storage->memory_reason != NULL;
    for (unsigned i = 0; i < tw_ir_op_row(e->op)->arity; i++)
        if (tw_emit_touches_memory(e->args[i]))
            return true;
    return false;
}

/* dst = e, in code that runs only if `condition`. */
static void assign_if(struct emitter *em, struct ptx_operand condition, struct ptx_operand dst, const struct ir_expr *e)
{
    const uint32_t skip = tw_ptx_new_label(&em->b, "skip");
    tw_emit_guarded(em, ptx_not(condition), "bra", &(struct ptx_operand){.kind = OPERAND_LABEL, .index = skip}, 1);
    const uint32_t scope = tw_emit_scope_open(em);
    tw_emit_move(em, dst, tw_emit_expr(em, e), e->type);
    tw_emit_scope_close(em, scope);
    tw_ptx_place_label(&em->b, skip);
}

/* The right side of `and` and `or` may read memory that only the left side makes safe: then it is jumped over. */
static struct ptx_operand logical(struct emitter *em, const struct ir_expr *e)
{
    const struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), e->type);
    if (!tw_emit_touches_memory(e->args[1])) {
        const struct ptx_operand b = tw_emit_in_reg(em, tw_emit_expr(em, e->args[1]), e->type);
        return PURE(em, e->op == IR_AND ? "and.pred" : "or.pred", MOD_PRED, a, b);
    }
    const struct ptx_operand result = tw_emit_reg(em, MOD_PRED);
    tw_emit_mark_mutable(em, result, true);
    tw_emit_move(em, result, a, e->type);
    assign_if(em, e->op == IR_AND ? result : ptx_not(result), result, e->args[1]);
    return result;
}

static struct ptx_operand lazy_select(struct emitter *em, const struct ir_expr *e)
{
    const struct ptx_operand c = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), tw_ir_bool());
    const struct ptx_operand result = tw_emit_reg_of(em, e->type);
    tw_emit_mark_mutable(em, result, true);
    assign_if(em, c, result, e->args[1]);
    assign_if(em, ptx_not(c), result, e->args[2]);
    return result;
}

static struct ptx_operand select(struct emitter *em, const struct ir_expr *e)
{
    if (tw_emit_touches_memory(e->args[1]) || tw_emit_touches_memory(e->args[2]))
        return lazy_select(em, e);
    const struct ptx_operand c = tw_emit_in_reg(em, tw_emit_expr(em, e->args[0]), tw_ir_bool());
    if (e->type.cls == IR_BOOL) {
        const struct ptx_operand a = tw_emit_in_reg(em, tw_emit_expr(em, e->args[1]), e->type);
        const struct ptx_operand b = tw_emit_in_reg(em, tw_emit_expr(em, e->args[2]), e->type);
        const struct ptx_operand left = PURE(em, "and.pred", MOD_PRED, c, a), not_c = PURE(em, "not.pred", MOD_PRED, c);
        return PURE(em, "or.pred", MOD_PRED, left, PURE(em, "and.pred", MOD_PRED, not_c, b));
    }
    const struct ptx_operand a = tw_emit_expr(em, e->args[1]), b = tw_emit_expr(em, e->args[2]);
    const bool wide_float = e->type.cls == IR_FLOAT && e->type.bits >= 32;
    return PURE(em, tw_emit_spell(em, "selp", e->type, wide_float ? 's' : 'b'), tw_emit_reg_type(e->type), a, b, c);
}

/* ---- leaves ------------------------------------------------------------------------------------------------ */

static struct ptx_operand special(struct emitter *em, enum isa_sreg_id id, unsigned component)
{
    return PURE(em, "mov.u32", MOD_B32, ptx_sreg(id, component));
}

/* x + nx * (y + ny * z) */
static struct ptx_operand flat_thread(struct emitter *em)
{
    const int64_t *block = em->k->launch.block;
    struct ptx_operand flat = special(em, SREG_TID, 0);
    if (block[1] > 1 || block[2] > 1) {
        struct ptx_operand rows = special(em, SREG_TID, 1);
        if (block[2] > 1)
            rows = PURE(em, "mad.lo.s32", MOD_B32, special(em, SREG_TID, 2), ptx_int(block[1] > 0 ? block[1] : 1), rows);
        flat = PURE(em, "mad.lo.s32", MOD_B32, rows, ptx_int(block[0] > 0 ? block[0] : 1), flat);
    }
    return flat;
}

/* Positions below the CTA follow from the flat thread id: %warpid and %laneid are no such promise. */
struct ptx_operand tw_emit_coord(struct emitter *em, enum ir_coord c)
{
    static const struct {
        enum isa_sreg_id id;
    } rows[] = {{SREG_TID}, {SREG_CTAID}, {SREG_NTID}, {SREG_NCTAID}};
    if (c < IR_FLAT_TID)
        return special(em, rows[c / 3].id, (unsigned)c % 3);
    if (c == IR_CLUSTER_CTARANK)
        return PURE(em, "mov.u32", MOD_B32, ptx_sreg(SREG_CLUSTER_CTARANK, PTX_WHOLE));
    const struct ptx_operand t = flat_thread(em);
    if (c == IR_LANE_ID)
        return PURE(em, "and.b32", MOD_B32, t, ptx_int(31));
    if (c == IR_WARP_ID)
        return PURE(em, "shr.u32", MOD_B32, t, ptx_int(5));
    if (c == IR_WARPGROUP_ID)
        return PURE(em, "shr.u32", MOD_B32, t, ptx_int(7));
    if (c == IR_TID_IN_WARPGROUP)
        return PURE(em, "and.b32", MOD_B32, t, ptx_int(127));
    if (c == IR_WARP_IN_WARPGROUP)
        return PURE(em, "bfe.u32", MOD_B32, t, ptx_int(5), ptx_int(2));
    return t;
}

/* The generic address of a tensor map in the parameters, as nvcc forms it for a __grid_constant__ parameter. */
static struct ptx_operand map_address(struct emitter *em, const struct ir_var *v)
{
    const struct ptx_operand in_params = PURE(em, "mov.b64", MOD_B64, em->scalars[v->id]);
    return PURE(em, "cvta.param.u64", MOD_B64, in_params);
}

static struct ptx_operand variable(struct emitter *em, const struct ir_var *v)
{
    if (v->param >= 0 && em->k->params.at[v->param].map != NULL)
        return map_address(em, v);
    if (v->param >= 0 && em->vars[v->id].kind == OPERAND_NONE) {
        const struct ptx_operand in = ptx_addr(em->scalars[v->id], 0);
        if (v->type.cls == IR_BOOL)
            return PURE(em, "setp.ne.u16", MOD_PRED, PURE(em, "ld.param.u8", MOD_B16, in), ptx_int(0));
        return tw_emit_pure(em, tw_emit_memory_op(em, "ld.param", v->type), tw_emit_reg_type(v->type), &in, 1);
    }
    assert(em->vars[v->id].kind != OPERAND_NONE);
    return em->vars[v->id];
}

struct ptx_operand tw_emit_expr(struct emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_CONST)
        return tw_emit_constant(em, e->type, e->bits);
    if (e->op == IR_VAR)
        return variable(em, e->var);
    if (e->op == IR_COORD)
        return tw_emit_coord(em, e->coord);
    if (e->op == IR_SLOT)
        return tw_emit_read_slot(em, e->storage, e->type, (int64_t)e->bits);
    if (e->op == IR_LOAD)
        return tw_emit_load(em, e->region);
    if (e->op == IR_ADDRESS || e->op == IR_OFFSET)
        return tw_emit_pointer(em, e);
    if (e->op == IR_SHARED_ADDR)
        return tw_emit_shared_address(em, e->args[0]);
    if (e->op == IR_AND || e->op == IR_OR)
        return logical(em, e);
    if (e->op == IR_SELECT)
        return select(em, e);
    return tw_ir_op_row(e->op)->arity == 1 ? tw_emit_unary(em, e) : tw_emit_binary(em, e);
}

struct ptx_operand tw_emit_stable(struct emitter *em, const struct ir_expr *e)
{
    const struct ptx_operand o = tw_emit_expr(em, e);
    if (!tw_emit_is_mutable(em, o) && !o.negated)
        return o;
    const struct ptx_operand copy = tw_emit_reg_of(em, e->type);
    tw_emit_move(em, copy, o, e->type);
    return copy;
}

struct ptx_operand tw_emit_predicate(struct emitter *em, const struct ir_expr *e)
{
    const struct ptx_operand o = tw_emit_expr(em, e);
    return o.kind == OPERAND_REG ? o : tw_emit_in_reg(em, o, tw_ir_bool());
}
