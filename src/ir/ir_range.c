/* Ranges of integer expressions: interval arithmetic over the tree, with coordinates from the launch and variables
 * from their one definition. A result that could leave its type's range is the type's whole range, since integer
 * arithmetic wraps. */
#include "ir/ir.h"

#include "ir/ir_names.h"

#include <assert.h>

static void index_definitions(const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        struct ir_stmt *s = b->list.at[i];
        if ((s->op == IR_DEFINE || s->op == IR_FOR) && s->var != NULL && s->var->definition == NULL)
            s->var->definition = s;
        index_definitions(&s->body);
        index_definitions(&s->orelse);
    }
}

const struct ir_stmt *tw_ir_definition(const struct ir_kernel *k, struct ir_var *var)
{
    if (var->definition == NULL && var->param < 0)
        index_definitions(&k->body);
    return var->definition;
}

static struct ir_range type_range(struct ir_type t)
{
    if (t.cls == IR_BOOL)
        return (struct ir_range){0, 1};
    if (t.cls == IR_SINT && t.bits < 64)
        return (struct ir_range){-(INT64_C(1) << (t.bits - 1)), (INT64_C(1) << (t.bits - 1)) - 1};
    if (t.cls == IR_UINT && t.bits < 64)
        return (struct ir_range){0, (INT64_C(1) << t.bits) - 1};
    /* The top half of uint64 has no int64: its lower bound is still certain. */
    return (struct ir_range){t.cls == IR_UINT ? 0 : INT64_MIN, INT64_MAX};
}

static int64_t extent(const int64_t dims[3], int axis)
{
    return dims[axis] > 0 ? dims[axis] : 1;
}

static int64_t block_threads(const struct ir_launch *l)
{
    return extent(l->block, 0) * extent(l->block, 1) * extent(l->block, 2);
}

static int64_t at_most(int64_t n, int64_t limit)
{
    return n < limit ? n : limit;
}

static struct ir_range coord_range(const struct ir_launch *l, enum ir_coord c)
{
    const int64_t threads = block_threads(l);
    if (c <= IR_TID_Z)
        return (struct ir_range){0, extent(l->block, (int)c - IR_TID_X) - 1};
    if (c <= IR_CTAID_Z)
        return (struct ir_range){0, extent(l->grid, (int)c - IR_CTAID_X) - 1};
    if (c <= IR_NTID_Z)
        return (struct ir_range){extent(l->block, (int)c - IR_NTID_X), extent(l->block, (int)c - IR_NTID_X)};
    if (c <= IR_NCTAID_Z)
        return (struct ir_range){extent(l->grid, (int)c - IR_NCTAID_X), extent(l->grid, (int)c - IR_NCTAID_X)};
    const int64_t count[IR_COORD_COUNT] = {
        [IR_FLAT_TID] = threads,
        [IR_LANE_ID] = at_most(threads, 32),
        [IR_WARP_ID] = (threads + 31) / 32,
        [IR_WARPGROUP_ID] = (threads + 127) / 128,
        [IR_TID_IN_WARPGROUP] = at_most(threads, 128),
        [IR_WARP_IN_WARPGROUP] = at_most((threads + 31) / 32, 4),
        [IR_CLUSTER_CTARANK] = extent(l->cluster, 0) * extent(l->cluster, 1) * extent(l->cluster, 2),
    };
    return (struct ir_range){0, count[c] - 1};
}

static struct ir_range hull(struct ir_range a, struct ir_range b)
{
    return (struct ir_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct ir_range fit(struct ir_range r, struct ir_type t)
{
    const struct ir_range whole = type_range(t);
    return r.low < whole.low || r.high > whole.high ? whole : r;
}

/* A query: definitions may chain without end in sight, so depth is bounded; beyond it nothing is known. */
struct query {
    const struct ir_kernel *k;
    unsigned depth;
};

static struct ir_range range_of(struct query q, const struct ir_expr *e);

static struct ir_range for_range(struct query q, const struct ir_stmt *loop)
{
    const struct ir_range begin = range_of(q, loop->begin), end = range_of(q, loop->end);
    const struct ir_range step = loop->step == NULL ? (struct ir_range){1, 1} : range_of(q, loop->step);
    if (step.low <= 0)
        return type_range(loop->var->type);
    /* In the body begin <= i < end; a body that never runs may have any range. */
    return (struct ir_range){begin.low, end.high - 1 < begin.low ? begin.low : end.high - 1};
}

/* Each variable is worked out once: a chain x1 = x0+x0, x2 = x1+x1, ... would double the work at every step. */
static struct ir_range var_range(struct query q, struct ir_var *var)
{
    if (var->is_assigned || var->param >= 0)
        return type_range(var->type);
    if (var->range_known)
        return var->range;
    const struct ir_stmt *d = tw_ir_definition(q.k, var);
    if (d == NULL || (d->op == IR_DEFINE && d->value == NULL))
        return type_range(var->type);
    var->range = d->op == IR_FOR ? for_range(q, d) : fit(range_of(q, d->value), var->type);
    var->range_known = true;
    return var->range;
}

/* The four products, or false on overflow. */
static bool multiply(struct ir_range a, struct ir_range b, struct ir_range *out)
{
    const int64_t x[2] = {a.low, a.high}, y[2] = {b.low, b.high};
    for (int i = 0; i < 4; i++) {
        int64_t p;
        if (__builtin_mul_overflow(x[i / 2], y[i % 2], &p))
            return false;
        *out = i == 0 ? (struct ir_range){p, p} : hull(*out, (struct ir_range){p, p});
    }
    return true;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool divide(enum ir_op op, struct ir_range a, int64_t by, struct ir_range *out)
{
    if (by <= 0 || ((op == IR_TRUNCDIV || op == IR_TRUNCMOD) && a.low < 0))
        return false;
    if (op == IR_FLOORDIV || op == IR_TRUNCDIV)
        *out = (struct ir_range){floor_div(a.low, by), floor_div(a.high, by)};
    else if (floor_div(a.low, by) == floor_div(a.high, by))
        *out = (struct ir_range){a.low - floor_div(a.low, by) * by, a.high - floor_div(a.high, by) * by};
    else
        *out = (struct ir_range){0, by - 1};
    return true;
}

static bool bit_operation(enum ir_op op, struct ir_range a, struct ir_range b, struct ir_range *out)
{
    if (op == IR_BITAND && (a.low >= 0 || b.low >= 0)) {
        const int64_t high = a.low < 0 ? b.high : b.low < 0 ? a.high : at_most(a.high, b.high);
        *out = (struct ir_range){0, high};
        return true;
    }
    if (a.low < 0 || b.low < 0)
        return false;
    if (op == IR_SHR && b.low == b.high) {
        const int64_t by = at_most(b.low, 63);
        *out = (struct ir_range){a.low >> by, a.high >> by};
        return true;
    }
    if (op == IR_SHL && b.low == b.high && b.low < 62)
        return multiply(a, (struct ir_range){INT64_C(1) << b.low, INT64_C(1) << b.low}, out);
    if (op != IR_BITOR && op != IR_BITXOR)
        return false;
    int64_t mask = 0; /* all bits below the highest that either can have */
    while (mask < a.high || mask < b.high)
        mask = mask * 2 + 1;
    *out = (struct ir_range){0, mask};
    return true;
}

static bool binary_range(enum ir_op op, struct ir_range a, struct ir_range b, struct ir_range *out)
{
    if (op == IR_ADD)
        return !__builtin_add_overflow(a.low, b.low, &out->low) && !__builtin_add_overflow(a.high, b.high, &out->high);
    if (op == IR_SUB)
        return !__builtin_sub_overflow(a.low, b.high, &out->low) && !__builtin_sub_overflow(a.high, b.low, &out->high);
    if (op == IR_MUL)
        return multiply(a, b, out);
    if (op >= IR_FLOORDIV && op <= IR_TRUNCMOD)
        return b.low == b.high && divide(op, a, b.low, out);
    if (op == IR_MIN) {
        *out = (struct ir_range){at_most(a.low, b.low), at_most(a.high, b.high)};
        return true;
    }
    if (op == IR_MAX) {
        *out = (struct ir_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
        return true;
    }
    return bit_operation(op, a, b, out);
}

static struct ir_range unary_range(struct query q, const struct ir_expr *e)
{
    if (e->op == IR_NOT) {
        const struct ir_range a = range_of(q, e->args[0]);
        return (struct ir_range){1 - a.high, 1 - a.low};
    }
    if (e->op != IR_CAST || (!tw_ir_is_integer(e->args[0]->type) && e->args[0]->type.cls != IR_BOOL))
        return type_range(e->type);
    return fit(range_of(q, e->args[0]), e->type);
}

/* INT64_MAX as the upper bound of a uint64 says that values above it are possible too. */
static bool open_above(struct ir_type t, struct ir_range r)
{
    return t.cls == IR_UINT && t.bits == 64 && r.high == INT64_MAX;
}

static struct ir_range truth(bool certainly, bool certainly_not)
{
    return (struct ir_range){certainly, !certainly_not};
}

/* A comparison is decided where the ranges leave no choice. */
static struct ir_range compare_range(enum ir_op op, struct ir_range a, struct ir_range b)
{
    const bool below = a.high < b.low, above = a.low > b.high, not_above = a.high <= b.low, not_below = a.low >= b.high;
    const bool same = a.low == a.high && b.low == b.high && a.low == b.low;
    if (op == IR_EQ)
        return truth(same, below || above);
    if (op == IR_NE)
        return truth(below || above, same);
    if (op == IR_LT)
        return truth(below, not_below);
    if (op == IR_LE)
        return truth(not_above, above);
    return op == IR_GT ? truth(above, not_above) : truth(not_below, below);
}

static struct ir_range logical_range(struct query q, const struct ir_expr *e)
{
    if (e->op != IR_AND && e->op != IR_OR && !ir_op_is_comparison(e->op))
        return type_range(e->type);
    const struct ir_type t = e->args[0]->type;
    if (t.cls != IR_BOOL && !tw_ir_is_integer(t))
        return type_range(e->type);
    const struct ir_range a = range_of(q, e->args[0]), b = range_of(q, e->args[1]);
    if (e->op == IR_AND)
        return (struct ir_range){a.low & b.low, a.high & b.high};
    if (e->op == IR_OR)
        return (struct ir_range){a.low | b.low, a.high | b.high};
    if (open_above(t, a) || open_above(t, b))
        return type_range(e->type);
    return compare_range(e->op, a, b);
}

static struct ir_range binary(struct query q, const struct ir_expr *e)
{
    if (e->type.cls == IR_BOOL)
        return logical_range(q, e);
    const struct ir_range a = range_of(q, e->args[0]), b = range_of(q, e->args[1]);
    struct ir_range out = {0, 0};
    if (open_above(e->type, a) || open_above(e->type, b) || !binary_range(e->op, a, b, &out))
        return type_range(e->type);
    return fit(out, e->type);
}

static struct ir_range range_of(struct query q, const struct ir_expr *e)
{
    const struct ir_range whole = type_range(e->type);
    if (q.depth++ >= TW_MAX_NESTING)
        return whole;
    if (e->op == IR_CONST)
        return e->type.cls == IR_UINT && (int64_t)e->bits < 0 ? whole : (struct ir_range){(int64_t)e->bits, (int64_t)e->bits};
    if (e->op == IR_VAR)
        return var_range(q, e->var);
    if (e->op == IR_COORD)
        return coord_range(&q.k->launch, e->coord);
    if (e->op == IR_SELECT)
        return hull(range_of(q, e->args[1]), range_of(q, e->args[2]));
    const unsigned arity = tw_ir_op_row(e->op)->arity;
    return arity == 1 ? unary_range(q, e) : arity == 2 ? binary(q, e) : whole;
}

struct ir_range tw_ir_range_of(const struct ir_kernel *k, const struct ir_expr *e)
{
    if (e->type.cls != IR_BOOL && !tw_ir_is_integer(e->type))
        return (struct ir_range){INT64_MIN, INT64_MAX};
    return range_of((struct query){k, 0}, e);
}
