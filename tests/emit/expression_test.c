/* Expressions as PTX: the instruction for each operation and type, and that ptxas takes all of them. */
#include "emit/assemble.h"
#include "tile/kernels.h"

static struct ir_expr *param(struct draft *d, const char *name, struct ir_type type)
{
    struct ir_var *v = tw_ir_var_new(d->k, name, type, nowhere);
    v->param = (int32_t)d->k->params.len;
    *vec_push(&d->room->arena, &d->k->params) = (struct ir_param){.name = name, .scalar = v};
    return use(d, v);
}

static void store_to_new(struct draft *d, const char *name, struct ir_expr *e)
{
    const enum num_format f = e->type.cls == IR_BOOL ? NUM_U8 : e->type.format;
    struct tensor out = draft_param(d, name, f, DIMS(4));
    if (e->type.cls == IR_BOOL)
        e = tw_ir_cast(d->k, tw_ir_type_of(NUM_U8), e, nowhere);
    store(d, AT(d, out, num(d, 0)), e);
}

/* The instructions between reading the parameters and storing the result, one a line. */
static const char *computation(struct bench_room *room, struct draft *d, struct ir_expr *e)
{
    struct text out;
    store_to_new(d, "Out", e);
    tw_text_init(&out, &room->arena);
    for (const char *at = body_of(room, emit_text(room, d->k, "sm_100a")); *at != '\0';) {
        const size_t len = strcspn(at, "\n");
        const struct str line = {at, len};
        if (!tw_str_starts(line, "ld.param") && !tw_str_starts(line, "cvta.to.global") && !tw_str_starts(line, "st.global") && !tw_str_is(line, "ret;"))
            tw_text_addf(&out, STR_FMT "\n", STR_ARG(line));
        at += len + 1;
    }
    return out.at;
}

struct case_row {
    const char *rule;
    enum ir_op op;
    enum num_format format;
    int64_t constant;   /* of the right operand; NO_CONSTANT: a parameter */
    const char *want;
};
#define NO_CONSTANT INT64_MIN

static void operations_become_the_instructions_of_their_type(void **state)
{
    static const struct case_row rows[] = {
        {"float32 sums say .rn", IR_ADD, NUM_F32, NO_CONSTANT, "add.rn.f32 %f2, %f0, %f1;\n"},
        {"so do products", IR_MUL, NUM_F32, NO_CONSTANT, "mul.rn.f32 %f2, %f0, %f1;\n"},
        {"division is correctly rounded", IR_DIV, NUM_F32, NO_CONSTANT, "div.rn.f32 %f2, %f0, %f1;\n"},
        {"float16 adds by itself", IR_ADD, NUM_F16, NO_CONSTANT, "add.rn.f16 %rs2, %rs0, %rs1;\n"},
        {"bfloat16 adds by way of float32", IR_ADD, NUM_BF16, NO_CONSTANT,
         "cvt.f32.bf16 %f0, %rs0;\ncvt.f32.bf16 %f1, %rs1;\nadd.rn.f32 %f2, %f0, %f1;\ncvt.rn.bf16.f32 %rs2, %f2;\n"},
        {"signed minimum", IR_MIN, NUM_S32, NO_CONSTANT, "min.s32 %r2, %r0, %r1;\n"},
        {"unsigned minimum", IR_MIN, NUM_U32, NO_CONSTANT, "min.u32 %r2, %r0, %r1;\n"},
        {"a constant is an immediate", IR_ADD, NUM_S32, 5, "add.s32 %r1, %r0, 5;\n"},
        {"times a power of two is a shift", IR_MUL, NUM_S32, 8, "shl.b32 %r1, %r0, 3;\n"},
        {"floor division by a power of two is an arithmetic shift", IR_FLOORDIV, NUM_S32, 4, "shr.s32 %r1, %r0, 2;\n"},
        {"of an unsigned value a logical one", IR_FLOORDIV, NUM_U32, 4, "shr.u32 %r1, %r0, 2;\n"},
        {"floor modulus by a power of two is a mask", IR_FLOORMOD, NUM_S32, 8, "and.b32 %r1, %r0, 7;\n"},
        {"unsigned division needs no correction", IR_FLOORDIV, NUM_U32, NO_CONSTANT, "div.u32 %r2, %r0, %r1;\n"},
        {"signed floor division is corrected where remainder and divisor differ in sign", IR_FLOORDIV, NUM_S32, NO_CONSTANT,
         "rem.s32 %r2, %r0, %r1;\nsetp.ne.s32 %p0, %r2, 0;\nxor.b32 %r3, %r2, %r1;\nsetp.lt.s32 %p1, %r3, 0;\n"
         "and.pred %p2, %p0, %p1;\ndiv.s32 %r4, %r0, %r1;\nadd.s32 %r5, %r4, -1;\nselp.b32 %r6, %r5, %r4, %p2;\n"},
        {"truncating division is the hardware's", IR_TRUNCDIV, NUM_S32, NO_CONSTANT, "div.s32 %r2, %r0, %r1;\n"},
        {"eight bits are computed in sixteen and extended again", IR_ADD, NUM_S8, NO_CONSTANT, "add.s16 %rs2, %rs0, %rs1;\ncvt.s16.s8 %rs3, %rs2;\n"},
        {"sixty-four bits", IR_SUB, NUM_S64, NO_CONSTANT, "sub.s64 %rd2, %rd0, %rd1;\n"},
        {"a float comparison that is true for NaN", IR_NE, NUM_F32, NO_CONSTANT, "setp.neu.f32 %p0, %f0, %f1;\nselp.b16 %rs0, 1, 0, %p0;\n"},
        {"and those that are false", IR_LE, NUM_F32, NO_CONSTANT, "setp.le.f32 %p0, %f0, %f1;\nselp.b16 %rs0, 1, 0, %p0;\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct draft d = draft_new(room, "k", 32);
        const struct ir_type t = tw_ir_type_of(rows[i].format);
        struct ir_expr *a = param(&d, "a", t);
        struct ir_expr *b = rows[i].constant == NO_CONSTANT ? param(&d, "b", t) : typed(&d, t, rows[i].constant);
        const char *found = computation(room, &d, binary(&d, rows[i].op, a, b));
        if (strcmp(found, rows[i].want) != 0)
            fail_msg("%s: want\n%sfound\n%s", rows[i].rule, rows[i].want, found);
    }
}

static void division_of_values_that_are_never_negative_is_not_corrected(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_expr *e = binary(&d, IR_FLOORDIV, tw_ir_coord(d.k, IR_TID_X, nowhere), num(&d, 3));
    assert_string_equal(computation(room, &d, e), "mov.u32 %r0, %tid.x;\ndiv.s32 %r1, %r0, 3;\n");
}

static void conversions_name_rounding_and_both_types(void **state)
{
    static const struct {
        enum num_format from, to;
        const char *want;
    } rows[] = {
        {NUM_F32, NUM_F16, "cvt.rn.f16.f32 %rs0, %f0;\n"},
        {NUM_F16, NUM_F32, "cvt.f32.f16 %f0, %rs0;\n"},
        {NUM_F32, NUM_S32, "cvt.rzi.s32.f32 %r0, %f0;\n"},
        {NUM_S32, NUM_F32, "cvt.rn.f32.s32 %f0, %r0;\n"},
        {NUM_S32, NUM_U32, ""},
        {NUM_S32, NUM_S64, "cvt.s64.s32 %rd0, %r0;\n"},
        {NUM_S64, NUM_S32, "cvt.s32.s64 %r0, %rd0;\n"},
        {NUM_S32, NUM_U8, "cvt.u8.s32 %rs0, %r0;\n"},
        {NUM_F64, NUM_F32, "cvt.rn.f32.f64 %f0, %fd0;\n"},
        {NUM_F16, NUM_BF16, "cvt.f32.f16 %f0, %rs0;\ncvt.rn.bf16.f32 %rs1, %f0;\n"},
        {NUM_F32, NUM_E4M3, "cvt.rn.satfinite.e4m3x2.f32 %rs0, 0f00000000, %f0;\nand.b16 %rs1, %rs0, 255;\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct draft d = draft_new(room, "k", 32);
        struct ir_expr *a = param(&d, "a", tw_ir_type_of(rows[i].from));
        assert_string_equal(computation(room, &d, tw_ir_cast(d.k, tw_ir_type_of(rows[i].to), a, nowhere)), rows[i].want);
    }
}

static void a_value_used_twice_is_computed_once(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_var *v = param(&d, "a", tw_ir_int32())->var;
    struct ir_expr *twice = binary(&d, IR_MUL, binary(&d, IR_ADD, use(&d, v), num(&d, 7)), binary(&d, IR_ADD, use(&d, v), num(&d, 7)));
    assert_string_equal(computation(room, &d, twice), "add.s32 %r1, %r0, 7;\nmul.lo.s32 %r2, %r1, %r1;\n");
}

static void the_right_side_of_and_is_jumped_over_if_it_reads_memory(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor x = draft_param(&d, "X", NUM_S32, DIMS(8));
    struct ir_var *i = param(&d, "i", tw_ir_int32())->var;
    struct ir_expr *inside = binary(&d, IR_LT, use(&d, i), num(&d, 8));
    struct ir_expr *positive = binary(&d, IR_GT, tw_ir_load(d.k, AT(&d, x, use(&d, i)), nowhere), num(&d, 0));
    assert_string_equal(computation(room, &d, binary(&d, IR_AND, inside, positive)),
                        "setp.lt.s32 %p0, %r0, 8;\n"
                        "mov.pred %p1, %p0;\n"
                        "@!%p1 bra $skip_0;\n"
                        "mul.wide.s32 %rd2, %r0, 4;\n"
                        "add.s64 %rd3, %rd1, %rd2;\n"
                        "ld.global.b32 %r1, [%rd3];\n"
                        "setp.gt.s32 %p2, %r1, 0;\n"
                        "mov.pred %p1, %p2;\n"
                        "$skip_0:\n"
                        "selp.b16 %rs0, 1, 0, %p1;\n");
}

static void a_select_reads_only_the_side_it_takes(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor x = draft_param(&d, "X", NUM_S32, DIMS(8));
    struct ir_expr *c = param(&d, "c", tw_ir_bool());
    struct ir_expr *e = tw_ir_select(d.k, c, tw_ir_load(d.k, AT(&d, x, num(&d, 1)), nowhere), num(&d, 9), nowhere);
    const char *found = computation(room, &d, e);
    assert_int_equal(count_text(found, "bra"), 2);
    assert_non_null(strstr(found, "ld.global.b32 %r1, [%rd1+4];\n"));
}

static void an_operation_without_an_instruction_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    struct draft d = draft_new(room, "k", 32);
    struct ir_expr *e = tw_ir_unary(d.k, IR_TANH, tw_ir_type_of(NUM_F64), param(&d, "a", tw_ir_type_of(NUM_F64)), nowhere);
    store_to_new(&d, "Out", e);
    assert_true(tw_tile_lower(d.k, isa, &room->diags));
    assert_null(tw_emit_ptx(d.k, isa, &room->diags, NULL));
    tw_test_expect_diags(room, "error[E0810]: no instruction for this: tanh\n"
                               "     found: a value of type float64\n"
                               "       fix: convert to float32 or to an integer first\n");
}

/* ---- everything through the assembler -------------------------------------------------------------------- */

static bool supported(enum ir_op op, struct ir_type t)
{
    const bool is_float = t.cls == IR_FLOAT;
    if (is_float && op >= IR_EXP2 && op <= IR_TANH)
        return t.bits <= 32 || op == IR_SQRT;
    if (op == IR_DIV || (op >= IR_EXP2 && op <= IR_TANH))
        return is_float;
    if (op == IR_BITNOT || (op >= IR_FLOORDIV && op <= IR_TRUNCMOD) || (op >= IR_BITAND && op <= IR_SHR))
        return !is_float;
    return op != IR_NOT && op != IR_AND && op != IR_OR;
}

static void add_operations(struct draft *d, struct ir_type t, uint32_t *outs)
{
    const char *type = tw_ir_type_name(t);
    struct arena *arena = &d->room->arena;
    struct ir_var *a = param(d, tw_format(arena, "a_%s", type), t)->var, *b = param(d, tw_format(arena, "b_%s", type), t)->var;
    for (int op = IR_NEG; op <= IR_TANH; op++)
        if (supported((enum ir_op)op, t))
            store_to_new(d, tw_format(arena, "o%u", (*outs)++), tw_ir_unary(d->k, (enum ir_op)op, t, use(d, a), nowhere));
    for (int op = IR_ADD; op <= IR_OR; op++)
        if (supported((enum ir_op)op, t))
            store_to_new(d, tw_format(arena, "o%u", (*outs)++), binary(d, (enum ir_op)op, use(d, a), use(d, b)));
}

static const enum num_format formats[] = {NUM_F16, NUM_BF16, NUM_F32, NUM_F64, NUM_S8,  NUM_U8,
                                          NUM_S16, NUM_U16,  NUM_S32, NUM_U32, NUM_S64, NUM_U64};

static void every_operation_of_every_type_assembles(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    struct bench_room *room = *state;
    for (size_t n = 0; n < COUNT(targets); n++) {
        struct draft d = draft_new(room, "k", 32);
        uint32_t outs = 0;
        for (size_t i = 0; i < COUNT(formats); i++)
            add_operations(&d, tw_ir_type_of(formats[i]), &outs);
        assert_true(outs > 150);
        expect_assembles(emit_text(room, d.k, targets[n]), targets[n]);
    }
}

static void every_conversion_assembles(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    static const enum num_format narrow[] = {NUM_E4M3, NUM_E5M2};
    enum num_format all[COUNT(formats) + COUNT(narrow)];
    uint32_t outs = 0;
    memcpy(all, formats, sizeof formats);
    memcpy(all + COUNT(formats), narrow, sizeof narrow);
    for (size_t i = 0; i < COUNT(all); i++) {
        const struct ir_type from = tw_ir_type_of(all[i]);
        struct ir_var *a = param(&d, tw_format(&room->arena, "a%zu", i), from)->var;
        for (size_t j = 0; j < COUNT(all); j++) {
            const struct ir_type to = tw_ir_type_of(all[j]);
            if (i != j && !(from.format == NUM_F64 && to.cls == IR_FLOAT && to.bits == 8))
                store_to_new(&d, tw_format(&room->arena, "o%u", outs++), tw_ir_cast(d.k, to, use(&d, a), nowhere));
        }
        store_to_new(&d, tw_format(&room->arena, "o%u", outs++), tw_ir_cast(d.k, tw_ir_bool(), use(&d, a), nowhere));
    }
    assert_true(outs > 180);
    expect_assembles(emit_text(room, d.k, "sm_100a"), "sm_100a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(operations_become_the_instructions_of_their_type),
        ROOM_TEST(division_of_values_that_are_never_negative_is_not_corrected),
        ROOM_TEST(conversions_name_rounding_and_both_types),
        ROOM_TEST(a_value_used_twice_is_computed_once),
        ROOM_TEST(the_right_side_of_and_is_jumped_over_if_it_reads_memory),
        ROOM_TEST(a_select_reads_only_the_side_it_takes),
        ROOM_TEST(an_operation_without_an_instruction_is_refused),
        ROOM_TEST(every_operation_of_every_type_assembles),
        ROOM_TEST(every_conversion_assembles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
