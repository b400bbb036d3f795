/* What is known of integer expressions. */
#include "support/check.h"

#include "ir/ir.h"

static const struct src_span nowhere = {0, 0, 0};

struct fixture {
    struct ir_kernel *k;
    struct ir_expr *tid;
};

static struct fixture fixture(struct bench_room *room, int64_t block)
{
    struct fixture f = {.k = tw_ir_kernel_new(&room->arena, "k", nowhere)};
    f.k->launch.block[0] = block;
    f.k->launch.grid[0] = 7;
    f.tid = tw_ir_coord(f.k, IR_TID_X, nowhere);
    return f;
}

static void expect(const struct fixture *f, const struct ir_expr *e, int64_t low, int64_t high)
{
    const struct ir_range r = tw_ir_range_of(f->k, e);
    assert_int_equal(r.low, low);
    assert_int_equal(r.high, high);
}

static void coordinates_take_their_range_from_the_launch(void **state)
{
    struct fixture f = fixture(*state, 192);
    expect(&f, f.tid, 0, 191);
    expect(&f, tw_ir_coord(f.k, IR_TID_Y, nowhere), 0, 0);
    expect(&f, tw_ir_coord(f.k, IR_CTAID_X, nowhere), 0, 6);
    expect(&f, tw_ir_coord(f.k, IR_NTID_X, nowhere), 192, 192);
    expect(&f, tw_ir_coord(f.k, IR_WARP_ID, nowhere), 0, 5);
    expect(&f, tw_ir_coord(f.k, IR_LANE_ID, nowhere), 0, 31);
    expect(&f, tw_ir_coord(f.k, IR_WARPGROUP_ID, nowhere), 0, 1);
    expect(&f, tw_ir_coord(f.k, IR_WARP_IN_WARPGROUP, nowhere), 0, 3);
}

static void arithmetic_carries_ranges(void **state)
{
    struct fixture f = fixture(*state, 128);
    struct ir_kernel *k = f.k;
    static const struct {
        enum ir_op op;
        int64_t c, low, high;
    } rows[] = {
        {IR_ADD, 5, 5, 132},      {IR_SUB, 5, -5, 122},       {IR_MUL, -2, -254, 0},  {IR_FLOORDIV, 4, 0, 31},
        {IR_FLOORMOD, 4, 0, 3},   {IR_FLOORMOD, 1000, 0, 127}, {IR_BITAND, 31, 0, 31}, {IR_SHR, 5, 0, 3},
        {IR_SHL, 5, 0, 4064},     {IR_MIN, 9, 0, 9},           {IR_MAX, 9, 9, 127},    {IR_BITOR, 1, 0, 127},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect(&f, tw_ir_binary(k, rows[i].op, f.tid, tw_ir_const_int(k, tw_ir_int32(), rows[i].c, nowhere), nowhere),
               rows[i].low, rows[i].high);
}

static void what_may_wrap_is_unknown(void **state)
{
    struct fixture f = fixture(*state, 1024);
    struct ir_expr *big = tw_ir_binary(f.k, IR_MUL, f.tid, tw_ir_const_int(f.k, tw_ir_int32(), 1 << 22, nowhere), nowhere);
    expect(&f, big, INT32_MIN, INT32_MAX);
}

static void a_loop_variable_runs_within_its_bounds(void **state)
{
    struct fixture f = fixture(*state, 128);
    struct ir_stmt *loop = tw_ir_stmt_new(f.k, &f.k->body, IR_FOR, nowhere);
    loop->var = tw_ir_var_new(f.k, "j", tw_ir_int32(), nowhere);
    loop->var->is_loop = true;
    loop->begin = tw_ir_const_int(f.k, tw_ir_int32(), 3, nowhere);
    loop->end = f.tid;
    expect(&f, tw_ir_var_ref(f.k, loop->var, nowhere), 3, 126);
}

static void an_immutable_variable_has_its_values_range_and_a_mutable_one_none(void **state)
{
    struct fixture f = fixture(*state, 128);
    struct ir_stmt *define = tw_ir_stmt_new(f.k, &f.k->body, IR_DEFINE, nowhere);
    define->var = tw_ir_var_new(f.k, "w", tw_ir_int32(), nowhere);
    define->value = tw_ir_binary(f.k, IR_FLOORDIV, f.tid, tw_ir_const_int(f.k, tw_ir_int32(), 32, nowhere), nowhere);
    struct ir_stmt *other = tw_ir_stmt_new(f.k, &f.k->body, IR_DEFINE, nowhere);
    other->var = tw_ir_var_new(f.k, "m", tw_ir_int32(), nowhere);
    other->var->is_assigned = true;
    other->value = tw_ir_const_int(f.k, tw_ir_int32(), 0, nowhere);
    expect(&f, tw_ir_var_ref(f.k, define->var, nowhere), 0, 3);
    expect(&f, tw_ir_var_ref(f.k, other->var, nowhere), INT32_MIN, INT32_MAX);
}

static void a_long_chain_of_doublings_is_answered_at_once(void **state)
{
    struct fixture f = fixture(*state, 2);
    struct ir_expr *last = f.tid;
    for (int i = 0; i < 5000; i++) {
        struct ir_stmt *define = tw_ir_stmt_new(f.k, &f.k->body, IR_DEFINE, nowhere);
        define->var = tw_ir_var_new(f.k, "x", tw_ir_int32(), nowhere);
        define->value = tw_ir_binary(f.k, IR_BITOR, last, tw_ir_coord(f.k, IR_TID_X, nowhere), nowhere);
        last = tw_ir_var_ref(f.k, define->var, nowhere);
    }
    /* Too deep to follow: sound, and no more than that. */
    const struct ir_range r = tw_ir_range_of(f.k, last);
    assert_true(r.low <= 0 && r.high >= 1);
}

static void a_large_unsigned_value_is_never_taken_for_a_small_one(void **state)
{
    struct fixture f = fixture(*state, 32);
    struct ir_var *v = tw_ir_var_new(f.k, "u", tw_ir_uint64(), nowhere);
    v->param = 0;
    expect(&f, tw_ir_binary(f.k, IR_SHR, tw_ir_var_ref(f.k, v, nowhere),
                            tw_ir_const_int(f.k, tw_ir_uint64(), 1, nowhere), nowhere), 0, INT64_MAX);
}

static void a_comparison_is_decided_where_the_ranges_leave_no_choice(void **state)
{
    struct fixture f = fixture(*state, 128);
    static const struct {
        enum ir_op op;
        int64_t c, low, high;
    } rows[] = {
        {IR_LT, 128, 1, 1}, {IR_LT, 127, 0, 1}, {IR_LT, 0, 0, 0},  {IR_LE, 127, 1, 1}, {IR_GE, 0, 1, 1},  {IR_GE, 128, 0, 0},
        {IR_GT, 127, 0, 0}, {IR_EQ, 5, 0, 1},   {IR_EQ, 200, 0, 0}, {IR_NE, 200, 1, 1}, {IR_NE, 5, 0, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect(&f, tw_ir_binary(f.k, rows[i].op, f.tid, tw_ir_const_int(f.k, tw_ir_int32(), rows[i].c, nowhere), nowhere),
               rows[i].low, rows[i].high);
    struct ir_expr *never = tw_ir_binary(f.k, IR_LT, f.tid, tw_ir_const_int(f.k, tw_ir_int32(), 0, nowhere), nowhere);
    struct ir_expr *maybe = tw_ir_binary(f.k, IR_LT, f.tid, tw_ir_const_int(f.k, tw_ir_int32(), 9, nowhere), nowhere);
    expect(&f, tw_ir_unary(f.k, IR_NOT, tw_ir_bool(), never, nowhere), 1, 1);
    expect(&f, tw_ir_binary(f.k, IR_AND, never, maybe, nowhere), 0, 0);
    expect(&f, tw_ir_binary(f.k, IR_OR, never, maybe, nowhere), 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(coordinates_take_their_range_from_the_launch),
        ROOM_TEST(arithmetic_carries_ranges),
        ROOM_TEST(what_may_wrap_is_unknown),
        ROOM_TEST(a_loop_variable_runs_within_its_bounds),
        ROOM_TEST(an_immutable_variable_has_its_values_range_and_a_mutable_one_none),
        ROOM_TEST(a_long_chain_of_doublings_is_answered_at_once),
        ROOM_TEST(a_comparison_is_decided_where_the_ranges_leave_no_choice),
        ROOM_TEST(a_large_unsigned_value_is_never_taken_for_a_small_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
