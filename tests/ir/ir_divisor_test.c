/* Powers of two that divide integer expressions. Beside worked rules, random expressions are evaluated for every value of their
 * variable: the claimed divisor must divide each result, wrapping included. */
#include "support/check.h"

#include "ir/ir.h"
#include "ir/ir_fold.h"
#include "ir/ir_names.h"

static const struct src_span nowhere = {0, 0, 0};

static struct ir_expr *number(struct ir_kernel *k, int64_t n)
{
    return tw_ir_const_int(k, tw_ir_int32(), n, nowhere);
}

static struct ir_expr *with(struct ir_kernel *k, enum ir_op op, struct ir_expr *x, int64_t n)
{
    return tw_ir_binary(k, op, x, number(k, n), nowhere);
}

static struct ir_expr *tid(struct ir_kernel *k)
{
    return tw_ir_coord(k, IR_TID_X, nowhere);
}

static void each_operation_has_its_rule(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k = tw_ir_kernel_new(&room->arena, "k", nowhere);
    k->launch.block[0] = 128;
    const struct {
        struct ir_expr *e;
        int64_t want;
    } rows[] = {
        {tid(k), 1},
        {number(k, 48), 16},
        {number(k, 0), INT64_C(1) << 40},
        {with(k, IR_MUL, tid(k), 24), 8},
        {with(k, IR_SHL, tid(k), 3), 8},
        {with(k, IR_BITAND, tid(k), ~7), 8},
        {with(k, IR_ADD, with(k, IR_MUL, tid(k), 16), 4), 4},
        {with(k, IR_SUB, with(k, IR_MUL, tid(k), 16), 32), 16},
        {with(k, IR_FLOORDIV, with(k, IR_MUL, tid(k), 16), 4), 4},
        {with(k, IR_FLOORDIV, with(k, IR_MUL, tid(k), 16), 3), 1},
        {with(k, IR_SHR, with(k, IR_MUL, tid(k), 16), 2), 4},
        {with(k, IR_FLOORMOD, with(k, IR_MUL, tid(k), 16), 24), 8},
        {with(k, IR_MIN, with(k, IR_MUL, tid(k), 16), 8), 8},
        {tw_ir_cast(k, tw_ir_uint64(), with(k, IR_MUL, tid(k), 16), nowhere), 16},
        {tw_ir_select(k, with(k, IR_LT, tid(k), 3), with(k, IR_MUL, tid(k), 4), with(k, IR_MUL, tid(k), 8), nowhere), 4},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (tw_ir_divisor_of(k, rows[i].e) != rows[i].want)
            fail_msg("row %zu: %lld, not %lld", i, (long long)tw_ir_divisor_of(k, rows[i].e), (long long)rows[i].want);
}

static void a_loop_variable_starts_and_steps_by_multiples(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k = tw_ir_kernel_new(&room->arena, "k", nowhere);
    struct ir_stmt *loop = tw_ir_stmt_new(k, &k->body, IR_FOR, nowhere);
    loop->var = tw_ir_var_new(k, "j", tw_ir_int32(), nowhere);
    loop->var->is_loop = true;
    loop->begin = number(k, 8), loop->end = number(k, 100), loop->step = number(k, 12);
    assert_int_equal(tw_ir_divisor_of(k, tw_ir_var_ref(k, loop->var, nowhere)), 4);
}

/* A chain of sums of equal halves has 2^n paths; the query gives up and claims nothing. */
static void a_query_ends(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k = tw_ir_kernel_new(&room->arena, "k", nowhere);
    struct ir_expr *x = with(k, IR_MUL, tid(k), 4);
    for (int i = 0; i < 60; i++) {
        struct ir_stmt *s = tw_ir_stmt_new(k, &k->body, IR_DEFINE, nowhere);
        s->var = tw_ir_var_new(k, "x", tw_ir_int32(), nowhere);
        s->value = tw_ir_binary(k, IR_ADD, x, i == 0 ? with(k, IR_MUL, tid(k), 4) : tw_ir_var_ref(k, k->vars.at[i - 1], nowhere), nowhere);
        x = tw_ir_var_ref(k, s->var, nowhere);
    }
    assert_int_equal(tw_ir_divisor_of(k, x), 1);
}

/* ---- against evaluation ---------------------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static struct ir_expr *draw(struct ir_kernel *k, uint32_t *seed, int depth)
{
    static const enum ir_op ops[] = {IR_ADD, IR_SUB, IR_MUL, IR_FLOORDIV, IR_FLOORMOD, IR_TRUNCMOD, IR_MIN, IR_MAX,
                                     IR_BITAND, IR_BITOR, IR_BITXOR, IR_SHL, IR_SHR};
    static const int64_t numbers[] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 64, 1 << 20, 5};
    if (depth == 0)
        return next_random(seed) % 3 == 0 ? number(k, numbers[next_random(seed) % COUNT(numbers)]) : tid(k);
    const enum ir_op op = ops[next_random(seed) % COUNT(ops)];
    struct ir_expr *a = draw(k, seed, depth - 1);
    if (op == IR_SHL || op == IR_SHR)
        return with(k, op, a, next_random(seed) % 6);
    if (op >= IR_FLOORDIV && op <= IR_TRUNCMOD)
        return with(k, op, a, numbers[next_random(seed) % COUNT(numbers)]);
    return tw_ir_binary(k, op, a, draw(k, seed, depth - 1), nowhere);
}

static uint64_t evaluate(const struct ir_expr *e, uint64_t thread)
{
    uint64_t bits = 0;
    if (e->op == IR_CONST)
        return e->bits;
    if (e->op == IR_COORD)
        return thread;
    assert_int_equal(tw_ir_op_row(e->op)->arity, 2);
    assert_true(tw_ir_fold_binary(e->op, e->type, evaluate(e->args[0], thread), evaluate(e->args[1], thread), &bits));
    return bits;
}

static void what_is_claimed_divides_every_value(void **state)
{
    struct bench_room *room = *state;
    uint32_t seed = 3, known = 0;
    for (int i = 0; i < 3000; i++) {
        struct ir_kernel *k = tw_ir_kernel_new(&room->arena, "k", nowhere);
        k->launch.block[0] = 64;
        const struct ir_expr *e = draw(k, &seed, 3);
        const int64_t by = tw_ir_divisor_of(k, e);
        known += by > 1;
        for (uint64_t t = 0; t < 64; t++)
            if ((int64_t)evaluate(e, t) % by != 0)
                fail_msg("draw %d, thread %llu: %lld is no multiple of %lld", i, (unsigned long long)t, (long long)evaluate(e, t),
                         (long long)by);
    }
    assert_true(known > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(each_operation_has_its_rule),
        ROOM_TEST(a_loop_variable_starts_and_steps_by_multiples),
        ROOM_TEST(a_query_ends),
        ROOM_TEST(what_is_claimed_divides_every_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
