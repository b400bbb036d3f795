/* Powers of two that divide an integer expression, whatever its run-time values are. Only powers of two survive the
 * wrapping of integer arithmetic, so only they are followed. */
#include "ir/ir.h"

#include "ir/ir_names.h"

/* A query gives up after this many nodes: definitions may share subexpressions without end. */
enum { NOTHING = 1, NODE_BUDGET = 2000 };
static const int64_t most = INT64_C(1) << 40; /* of zero, and of anything larger */

struct query {
    const struct ir_kernel *k;
    int budget;
    unsigned depth;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t divisor_of(struct query *q, const struct ir_expr *e);

static int64_t var_divisor(struct query *q, struct ir_var *var)
{
    if (var->is_assigned || var->param >= 0)
        return NOTHING;
    const struct ir_stmt *d = tw_ir_definition(q->k, var);
    if (d == NULL)
        return NOTHING;
    if (d->op == IR_DEFINE)
        return d->value == NULL ? NOTHING : divisor_of(q, d->value);
    return least(divisor_of(q, d->begin), d->step == NULL ? NOTHING : divisor_of(q, d->step));
}

/* Division by 2^n, and the shift by n. */
static int64_t quotient(int64_t of, uint64_t by)
{
    const bool power = by != 0 && (by & (by - 1)) == 0;
    return power && (uint64_t)of >= by ? of / (int64_t)by : NOTHING;
}

static int64_t shifted(enum ir_op op, int64_t of, const struct ir_expr *count)
{
    int64_t n;
    if (!tw_ir_is_const_int(count, &n) || n < 0 || n > 40)
        return NOTHING;
    if (op == IR_SHR)
        return quotient(of, UINT64_C(1) << n);
    return of > most >> n ? most : of << n;
}

static int64_t binary_divisor(struct query *q, const struct ir_expr *e)
{
    const int64_t a = divisor_of(q, e->args[0]), b = divisor_of(q, e->args[1]);
    int64_t by;
    if (e->op == IR_MUL)
        return a > most / b ? most : a * b;
    if (e->op == IR_BITAND)
        return a > b ? a : b;
    if (e->op == IR_SHL || e->op == IR_SHR)
        return shifted(e->op, a, e->args[1]);
    if (e->op == IR_FLOORDIV)
        return tw_ir_is_const_int(e->args[1], &by) && by > 0 ? quotient(a, (uint64_t)by) : NOTHING;
    const bool sum = e->op == IR_ADD || e->op == IR_SUB || e->op == IR_BITOR || e->op == IR_BITXOR || e->op == IR_FLOORMOD ||
                     e->op == IR_MIN || e->op == IR_MAX || e->op == IR_TRUNCMOD;
    return sum ? least(a, b) : NOTHING;
}

static int64_t constant_divisor(uint64_t bits)
{
    const uint64_t lowest = bits & (~bits + 1);
    return lowest == 0 || lowest > (uint64_t)most ? most : (int64_t)lowest;
}

static int64_t node_divisor(struct query *q, const struct ir_expr *e)
{
    if (e->op == IR_CONST)
        return constant_divisor(e->bits);
    if (e->op == IR_VAR)
        return var_divisor(q, e->var);
    if (e->op == IR_CAST || e->op == IR_NEG)
        return divisor_of(q, e->args[0]);
    if (e->op == IR_SELECT)
        return least(divisor_of(q, e->args[1]), divisor_of(q, e->args[2]));
    return tw_ir_op_row(e->op)->arity == 2 ? binary_divisor(q, e) : NOTHING;
}

static int64_t divisor_of(struct query *q, const struct ir_expr *e)
{
    if (q->depth >= TW_MAX_NESTING || q->budget-- <= 0 || !tw_ir_is_integer(e->type))
        return NOTHING;
    q->depth++;
    const int64_t found = node_divisor(q, e);
    q->depth--;
    return found;
}

int64_t tw_ir_divisor_of(const struct ir_kernel *k, const struct ir_expr *e)
{
    struct query q = {k, NODE_BUDGET, 0};
    return divisor_of(&q, e);
}
