/* The constructors fold constants exactly and drop integer identities, and nothing else. */
#include "support/check.h"

#include "ir/ir.h"

static const struct src_span nowhere = {0, 0, 0};

static struct ir_kernel *kernel(struct bench_room *room)
{
    return tw_ir_kernel_new(&room->arena, "k", nowhere);
}

struct fold_case {
    const char *rule;
    enum ir_op op;
    enum num_format format;
    int64_t a, b, want;
};

static void integer_operations_on_constants_are_folded_as_the_hardware_computes_them(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k = kernel(room);
    static const struct fold_case rows[] = {
        {"addition wraps at 32 bits", IR_ADD, NUM_S32, INT32_MAX, 1, INT32_MIN},
        {"unsigned addition wraps", IR_ADD, NUM_U32, 0xffffffff, 1, 0},
        {"subtraction below zero wraps", IR_SUB, NUM_U32, 0, 1, 0xffffffff},
        {"eight bits wrap at eight", IR_MUL, NUM_S8, 16, 16, 0},
        {"floor division rounds down", IR_FLOORDIV, NUM_S32, -7, 2, -4},
        {"floor modulus takes the divisor's sign", IR_FLOORMOD, NUM_S32, -7, 2, 1},
        {"and for a negative divisor too", IR_FLOORMOD, NUM_S32, 7, -2, -1},
        {"truncating division rounds to zero", IR_TRUNCDIV, NUM_S32, -7, 2, -3},
        {"truncating remainder takes the dividend's sign", IR_TRUNCMOD, NUM_S32, -7, 2, -1},
        {"the most negative number over -1 wraps", IR_FLOORDIV, NUM_S32, INT32_MIN, -1, INT32_MIN},
        {"unsigned division is unsigned", IR_FLOORDIV, NUM_U32, 0xfffffffe, 2, 0x7fffffff},
        {"right shift of a signed value fills with the sign", IR_SHR, NUM_S32, -8, 1, -4},
        {"right shift of an unsigned value fills with zeros", IR_SHR, NUM_U32, 0xfffffff8, 1, 0x7ffffffc},
        {"a shift by the width or more clears", IR_SHL, NUM_U32, 1, 32, 0},
        {"and a signed one keeps the sign", IR_SHR, NUM_S32, -8, 99, -1},
        {"minimum of signed", IR_MIN, NUM_S32, -1, 1, -1},
        {"minimum of unsigned", IR_MIN, NUM_U32, 0xffffffff, 1, 1},
        {"exclusive or", IR_BITXOR, NUM_U32, 0xff, 0x0f, 0xf0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ir_type t = tw_ir_type_of(rows[i].format);
        const struct ir_expr *e = tw_ir_binary(k, rows[i].op, tw_ir_const_int(k, t, rows[i].a, nowhere),
                                               tw_ir_const_int(k, t, rows[i].b, nowhere), nowhere);
        int64_t value = 0;
        if (!tw_ir_is_const_int(e, &value) || value != rows[i].want)
            fail_msg("%s: want %lld, got %lld", rows[i].rule, (long long)rows[i].want, (long long)value);
    }
}

static void division_by_zero_is_left_to_the_machine(void **state)
{
    struct ir_kernel *k = kernel(*state);
    const struct ir_type t = tw_ir_int32();
    const struct ir_expr *e =
        tw_ir_binary(k, IR_FLOORDIV, tw_ir_const_int(k, t, 1, nowhere), tw_ir_const_int(k, t, 0, nowhere), nowhere);
    assert_int_equal(e->op, IR_FLOORDIV);
}

static void float_operations_round_to_nearest_even(void **state)
{
    struct ir_kernel *k = kernel(*state);
    const struct ir_type f32 = tw_ir_float32(), f16 = tw_ir_type_of(NUM_F16);
    static const struct {
        const char *rule;
        enum ir_op op;
        uint32_t a, b, want;
    } rows[] = {
        {"1 + 2^-24 is a tie and stays 1", IR_ADD, 0x3f800000, 0x33800000, 0x3f800000},
        {"1 / 3", IR_DIV, 0x3f800000, 0x40400000, 0x3eaaaaab},
        {"-0 + 0 is +0", IR_ADD, 0x80000000, 0x00000000, 0x00000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ir_expr *e = tw_ir_binary(k, rows[i].op, tw_ir_const_bits(k, f32, rows[i].a, nowhere),
                                               tw_ir_const_bits(k, f32, rows[i].b, nowhere), nowhere);
        assert_int_equal(e->op, IR_CONST);
        if (e->bits != rows[i].want)
            fail_msg("%s: want %08x, got %08llx", rows[i].rule, rows[i].want, (unsigned long long)e->bits);
    }
    /* 65504 is the largest float16; the next float32 above the tie rounds to infinity. */
    assert_int_equal(tw_ir_cast(k, f16, tw_ir_const_bits(k, f32, 0x477fe000, nowhere), nowhere)->bits, 0x7bff);
    assert_int_equal(tw_ir_cast(k, f16, tw_ir_const_bits(k, f32, 0x477ff000, nowhere), nowhere)->bits, 0x7c00);
}

static void adding_a_float_zero_is_not_dropped(void **state)
{
    struct ir_kernel *k = kernel(*state);
    struct ir_var *v = tw_ir_var_new(k, "x", tw_ir_float32(), nowhere);
    const struct ir_expr *e = tw_ir_binary(k, IR_ADD, tw_ir_var_ref(k, v, nowhere),
                                           tw_ir_const_bits(k, tw_ir_float32(), 0, nowhere), nowhere);
    assert_int_equal(e->op, IR_ADD); /* -0 + 0 is not -0 */
}

static void conversions_truncate_to_integers_and_wrap_between_them(void **state)
{
    struct ir_kernel *k = kernel(*state);
    static const struct {
        enum num_format from, to;
        uint64_t word;
        int64_t want;
    } rows[] = {
        {NUM_F32, NUM_S32, 0xbfe00000, -1},          /* -1.75 */
        {NUM_F32, NUM_S32, 0x4f000000, INT32_MAX},   /* 2^31 saturates, as cvt does */
        {NUM_S32, NUM_U8, 0x1ff, 0xff},
        {NUM_S32, NUM_S8, 0xff, -1},
        {NUM_U32, NUM_S64, 0xffffffff, 0xffffffff},
        {NUM_S32, NUM_S64, 0xffffffffffffffff, -1},
        {NUM_S32, NUM_F32, 16777217, 0x4b800000},    /* 2^24 + 1 ties to even */
        {NUM_F16, NUM_F32, 0x3c00, 0x3f800000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ir_expr *e = tw_ir_cast(k, tw_ir_type_of(rows[i].to),
                                             tw_ir_const_bits(k, tw_ir_type_of(rows[i].from), rows[i].word, nowhere), nowhere);
        assert_int_equal(e->op, IR_CONST);
        assert_int_equal(e->bits, rows[i].want);
    }
}

static void integer_identities_disappear(void **state)
{
    struct ir_kernel *k = kernel(*state);
    const struct ir_type t = tw_ir_int32();
    struct ir_expr *x = tw_ir_coord(k, IR_TID_X, nowhere);
    static const struct {
        enum ir_op op;
        int64_t c;
        bool is_x; /* else it is the constant 0 */
    } rows[] = {
        {IR_ADD, 0, true}, {IR_SUB, 0, true}, {IR_MUL, 1, true}, {IR_MUL, 0, false},
        {IR_FLOORDIV, 1, true}, {IR_FLOORMOD, 1, false}, {IR_SHL, 0, true}, {IR_SHR, 0, true},
        {IR_BITAND, 0, false}, {IR_BITOR, 0, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ir_expr *e = tw_ir_binary(k, rows[i].op, x, tw_ir_const_int(k, t, rows[i].c, nowhere), nowhere);
        if (rows[i].is_x)
            assert_ptr_equal(e, x);
        else
            assert_true(e->op == IR_CONST && e->bits == 0);
    }
    assert_ptr_equal(tw_ir_binary(k, IR_ADD, tw_ir_const_int(k, t, 0, nowhere), x, nowhere), x);
    assert_int_equal(tw_ir_binary(k, IR_SUB, tw_ir_const_int(k, t, 0, nowhere), x, nowhere)->op, IR_SUB);
}

static void logic_and_selects_on_constants_disappear(void **state)
{
    struct ir_kernel *k = kernel(*state);
    struct ir_expr *x = tw_ir_var_ref(k, tw_ir_var_new(k, "c", tw_ir_bool(), nowhere), nowhere);
    struct ir_expr *yes = tw_ir_const_int(k, tw_ir_bool(), 1, nowhere), *no = tw_ir_const_int(k, tw_ir_bool(), 0, nowhere);
    assert_ptr_equal(tw_ir_binary(k, IR_AND, yes, x, nowhere), x);
    assert_ptr_equal(tw_ir_binary(k, IR_AND, no, x, nowhere), no);
    assert_ptr_equal(tw_ir_binary(k, IR_OR, x, no, nowhere), x);
    assert_ptr_equal(tw_ir_binary(k, IR_OR, x, yes, nowhere), yes);
    assert_ptr_equal(tw_ir_select(k, yes, x, no, nowhere), x);
    assert_ptr_equal(tw_ir_select(k, no, x, yes, nowhere), yes);
    assert_int_equal(tw_ir_select(k, x, yes, no, nowhere)->op, IR_SELECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(integer_operations_on_constants_are_folded_as_the_hardware_computes_them),
        ROOM_TEST(division_by_zero_is_left_to_the_machine),
        ROOM_TEST(float_operations_round_to_nearest_even),
        ROOM_TEST(adding_a_float_zero_is_not_dropped),
        ROOM_TEST(conversions_truncate_to_integers_and_wrap_between_them),
        ROOM_TEST(integer_identities_disappear),
        ROOM_TEST(logic_and_selects_on_constants_disappear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
