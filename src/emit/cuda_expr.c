/* Expressions that are not arithmetic, as C++. */
#include "emit/cuda.h"

#include "ir/ir_names.h"

#include <assert.h>

bool tw_cuda_is_stable(const struct cuda_emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_VAR)
        return tw_cuda_is_constant(em, e->var);
    if (e->op == IR_LOAD || e->op == IR_SLOT)
        return false;
    for (size_t i = 0; i < sizeof e->args / sizeof e->args[0]; i++)
        if (e->args[i] != NULL && !tw_cuda_is_stable(em, e->args[i]))
            return false;
    return e->region == NULL || e->region->start[0] == NULL || tw_cuda_is_stable(em, e->region->start[0]);
}

bool tw_cuda_reads_memory(const struct ir_expr *e)
{
    int64_t index;
    if (e->op == IR_LOAD && !tw_cuda_in_registers(e->region, &index))
        return true;
    for (size_t i = 0; i < sizeof e->args / sizeof e->args[0]; i++)
        if (e->args[i] != NULL && tw_cuda_reads_memory(e->args[i]))
            return true;
    return e->region != NULL && e->region->start[0] != NULL && tw_cuda_reads_memory(e->region->start[0]);
}

/* ---- where a thread is ------------------------------------------------------------------------------------ */

static struct cx dimension(struct cuda_emitter *em, const char *variable, unsigned axis)
{
    return tw_cuda_as(em, "int", tw_cuda_primary(em, "%s.%c", variable, "xyz"[axis]));
}

static struct cx number(struct cuda_emitter *em, int64_t n)
{
    return tw_cuda_primary(em, "%lld", (long long)n);
}

/* x + nx * (y + ny * z) */
static struct cx flat_thread(struct cuda_emitter *em)
{
    const int64_t *block = em->k->launch.block;
    const struct cx x = dimension(em, "threadIdx", 0);
    if (block[1] <= 1 && block[2] <= 1)
        return x;
    struct cx rows = dimension(em, "threadIdx", 1);
    if (block[2] > 1) {
        const struct cx below = tw_cuda_infix(em, number(em, block[1] > 0 ? block[1] : 1), "*", PREC_PRODUCT,
                                              dimension(em, "threadIdx", 2));
        rows = tw_cuda_infix(em, rows, "+", PREC_SUM, below);
    }
    const struct cx before = tw_cuda_infix(em, number(em, block[0] > 0 ? block[0] : 1), "*", PREC_PRODUCT, rows);
    return tw_cuda_infix(em, x, "+", PREC_SUM, before);
}

/* Positions below the CTA are the flat thread id, divided and reduced. */
static struct cx coordinate(struct cuda_emitter *em, enum ir_coord c)
{
    static const char *const variables[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    static const struct {
        uint8_t divide, reduce; /* 0: not */
    } rows[IR_COORD_COUNT] = {
        [IR_LANE_ID] = {0, 32},           [IR_WARP_ID] = {32, 0},           [IR_WARPGROUP_ID] = {128, 0},
        [IR_TID_IN_WARPGROUP] = {0, 128}, [IR_WARP_IN_WARPGROUP] = {32, 4},
    };
    if (c < IR_FLAT_TID)
        return dimension(em, variables[c / 3], (unsigned)c % 3);
    if (c == IR_CLUSTER_CTARANK)
        return tw_cuda_special(em, "%cluster_ctarank");
    struct cx t = flat_thread(em);
    if (rows[c].divide != 0)
        t = tw_cuda_infix(em, t, "/", PREC_PRODUCT, number(em, rows[c].divide));
    return rows[c].reduce == 0 ? t : tw_cuda_infix(em, t, "%", PREC_PRODUCT, number(em, rows[c].reduce));
}

/* ---- the rest ------------------------------------------------------------------------------------------------ */

/* Lazy, as in the language. A narrow type is promoted to int and cut back. */
static struct cx select(struct cuda_emitter *em, const struct ir_expr *e)
{
    const struct cx c = tw_cuda_expr(em, e->args[0]), a = tw_cuda_expr(em, e->args[1]), b = tw_cuda_expr(em, e->args[2]);
    const char *text = tw_format(em->arena, "%s ? %s : %s", tw_cuda_paren(em, c, PREC_LOGICAL_OR),
                                 tw_cuda_paren(em, a, PREC_LOGICAL_OR), tw_cuda_paren(em, b, PREC_CONDITIONAL));
    const struct cx x = {text, PREC_CONDITIONAL};
    const bool promoted = e->type.cls != IR_BOOL && e->type.cls != IR_POINTER && e->type.bits < 32;
    return promoted ? tw_cuda_as(em, tw_cuda_type(em, e->type), x) : x;
}

struct cx tw_cuda_expr(struct cuda_emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_CONST)
        return tw_cuda_constant(em, e->type, e->bits);
    if (e->op == IR_VAR && e->var->param >= 0 && em->k->params.at[e->var->param].map != NULL)
        return (struct cx){tw_format(em->arena, "(char *)&%s", em->vars[e->var->id]), PREC_UNARY};
    if (e->op == IR_VAR)
        return tw_cuda_primary(em, "%s", em->vars[e->var->id]);
    if (e->op == IR_COORD)
        return coordinate(em, e->coord);
    if (e->op == IR_SLOT)
        return tw_cuda_read_slot(em, e->storage, e->type, (int64_t)e->bits);
    if (e->op == IR_LOAD)
        return tw_cuda_load(em, e->region);
    if (e->op == IR_ADDRESS || e->op == IR_OFFSET)
        return tw_cuda_pointer(em, e);
    if (e->op == IR_SHARED_ADDR)
        return tw_cuda_shared_address(em, e->args[0]);
    if (e->op == IR_SELECT)
        return select(em, e);
    return tw_ir_op_row(e->op)->arity == 1 ? tw_cuda_unary(em, e) : tw_cuda_binary(em, e);
}
