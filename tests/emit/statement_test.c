/* Control flow, memory, helpers and raw instructions as PTX. */
#include "emit/assemble.h"
#include "tile/kernels.h"

static struct ir_var *scalar_param(struct draft *d, const char *name, struct ir_type type)
{
    struct ir_var *v = tw_ir_var_new(d->k, name, type, nowhere);
    v->param = (int32_t)d->k->params.len;
    *vec_push(&d->room->arena, &d->k->params) = (struct ir_param){.name = name, .scalar = v};
    return v;
}

static const char *body(struct bench_room *room, struct draft *d)
{
    const char *text = emit_text(room, d->k, "sm_100a");
    if (have_ptxas())
        assembles(text, "sm_100a");
    return body_of(room, text);
}

/* Out[0] = e */
static void put(struct draft *d, const struct tensor *out, struct ir_expr *index, struct ir_expr *e)
{
    struct ir_expr *const at[1] = {index};
    store(d, element(d, out, at), e);
}

/* ---- loops ------------------------------------------------------------------------------------------------- */

static void a_loop_that_surely_runs_is_tested_at_the_bottom(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(8));
    struct ir_stmt *j = loop(&d, "j", 8);
    put(&d, &out, use(&d, j->var), use(&d, j->var));
    assert_string_equal(body(room, &d), "mov.b32 %r0, 0;\n"
                                        "$loop_0:\n"
                                        "ld.param.u64 %rd0, [Out_param];\n"
                                        "cvta.to.global.u64 %rd1, %rd0;\n"
                                        "mul.wide.s32 %rd2, %r0, 4;\n"
                                        "add.s64 %rd3, %rd1, %rd2;\n"
                                        "st.global.b32 [%rd3], %r0;\n"
                                        "$next_0:\n"
                                        "add.s32 %r0, %r0, 1;\n"
                                        "setp.lt.s32 %p0, %r0, 8;\n"
                                        "@%p0 bra $loop_0;\n"
                                        "$done_0:\n"
                                        "ret;\n");
}

static void a_loop_that_may_not_run_is_tested_before(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_stmt *j = loop(&d, "j", 8);
    j->end = use(&d, scalar_param(&d, "n", tw_ir_int32()));
    assert_string_equal(body(room, &d), "ld.param.b32 %r1, [n_param];\n"
                                        "mov.b32 %r0, 0;\n"
                                        "setp.lt.s32 %p0, %r0, %r1;\n"
                                        "@!%p0 bra $done_0;\n"
                                        "$loop_0:\n"
                                        "$next_0:\n"
                                        "add.s32 %r0, %r0, 1;\n"
                                        "setp.lt.s32 %p1, %r0, %r1;\n"
                                        "@%p1 bra $loop_0;\n"
                                        "$done_0:\n"
                                        "ret;\n");
}

static void a_loop_down_compares_the_other_way(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_stmt *j = loop(&d, "j", 0);
    j->begin = num(&d, 7);
    j->end = num(&d, -1);
    j->step = num(&d, -1);
    const char *text = body(room, &d);
    assert_int_equal(count_text(text, "setp.gt.s32"), 2);
    assert_non_null(strstr(text, "add.s32 %r0, %r0, %r1;\n"));
}

static void while_break_and_continue_jump_to_their_labels(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_var *n = define(&d, "n", num(&d, 0));
    n->is_assigned = true;
    struct ir_stmt *w = tw_ir_stmt_new(d.k, d.into, IR_WHILE, nowhere);
    w->value = binary(&d, IR_LT, use(&d, n), num(&d, 5));
    d.into = &w->body;
    struct ir_stmt *add = tw_ir_stmt_new(d.k, d.into, IR_ASSIGN, nowhere);
    add->var = n;
    add->value = binary(&d, IR_ADD, use(&d, n), num(&d, 1));
    struct ir_stmt *leave = when(&d, binary(&d, IR_EQ, use(&d, n), num(&d, 3)));
    tw_ir_stmt_new(d.k, &leave->body, IR_BREAK, nowhere);
    tw_ir_stmt_new(d.k, &leave->orelse, IR_CONTINUE, nowhere);
    assert_string_equal(body(room, &d), "mov.b32 %r0, 0;\n"
                                        "$while_0:\n"
                                        "setp.lt.s32 %p0, %r0, 5;\n"
                                        "@!%p0 bra $done_0;\n"
                                        "add.s32 %r1, %r0, 1;\n"
                                        "mov.b32 %r0, %r1;\n"
                                        "setp.eq.s32 %p1, %r0, 3;\n"
                                        "@!%p1 bra $else_0;\n"
                                        "bra $done_0;\n"
                                        "bra $endif_0;\n"
                                        "$else_0:\n"
                                        "bra $while_0;\n"
                                        "$endif_0:\n"
                                        "bra $while_0;\n"
                                        "$done_0:\n"
                                        "ret;\n");
}

static void a_value_of_one_branch_is_not_taken_for_known_in_the_other(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(8));
    struct ir_var *a = scalar_param(&d, "a", tw_ir_int32());
    struct ir_block *top = d.into;
    when(&d, binary(&d, IR_GT, tw_ir_coord(d.k, IR_TID_X, nowhere), num(&d, 1)));
    put(&d, &out, num(&d, 0), binary(&d, IR_MUL, use(&d, a), num(&d, 7)));
    d.into = top;
    put(&d, &out, num(&d, 1), binary(&d, IR_MUL, use(&d, a), num(&d, 7)));
    assert_int_equal(count_text(body(room, &d), "mul.lo.s32"), 2);
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

static void a_local_tensor_indexed_at_run_time_goes_to_local_memory(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(8));
    const struct tensor table = draft_tensor(&d, "table", IR_LOCAL, NUM_S32, DIMS(8), NULL);
    put(&d, &table, num(&d, 2), num(&d, 9));
    put(&d, &out, num(&d, 0), tw_ir_load(d.k, AT(&d, table, tw_ir_coord(d.k, IR_TID_X, nowhere)), nowhere));
    const char *text = emit_text(room, d.k, "sm_100a");
    assert_non_null(strstr(text, ".local .align 4 .b8 table_local[32];\n"));
    assert_non_null(strstr(text, "st.local.b32 [table_local+8], "));
    assert_int_equal(count_text(text, "ld.local.b32"), 1);
    expect_assembles(text, "sm_100a");
}

static void a_local_tensor_with_known_indices_has_no_memory(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(8));
    const struct tensor table = draft_tensor(&d, "table", IR_LOCAL, NUM_S32, DIMS(8), NULL);
    put(&d, &table, num(&d, 2), num(&d, 9));
    put(&d, &out, num(&d, 0), tw_ir_load(d.k, AT(&d, table, num(&d, 2)), nowhere));
    assert_int_equal(count_text(emit_text(room, d.k, "sm_100a"), "local"), 0);
}

/* Two float16 in one 32-bit register, because the tensor is seen both ways. */
static void halves_of_a_register_are_inserted_and_extracted(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor in = draft_param(&d, "In", NUM_F16, DIMS(2)), out = draft_param(&d, "Out", NUM_U32, DIMS(1));
    const struct tensor halves = draft_tensor(&d, "halves", IR_LOCAL, NUM_F16, DIMS(2), NULL);
    struct tensor words = halves;
    const struct layout_env env = draft_env(&d);
    assert_true(tw_view_retype(&env, &halves.view, 32, &words.view));
    words.elem = tw_ir_uint32();
    for (int64_t i = 0; i < 2; i++)
        put(&d, &halves, num(&d, i), tw_ir_load(d.k, AT(&d, in, num(&d, i)), nowhere));
    put(&d, &out, num(&d, 0), tw_ir_load(d.k, AT(&d, words, num(&d, 0)), nowhere));
    const char *text = body(room, &d);
    assert_non_null(strstr(text, "bfi.b32 %r0, %r1, %r0, 0, 16;\n"));
    assert_non_null(strstr(text, "bfi.b32 %r0, %r2, %r0, 16, 16;\n"));
    assert_non_null(strstr(text, "st.global.b32 [%rd3], %r0;\n"));
}

static void a_bool_is_a_byte_in_memory_and_a_predicate_in_registers(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct tensor flags = draft_tensor(&d, "flags", IR_SHARED, NUM_U8, DIMS(4), NULL);
    flags.elem = flags.storage->elem = tw_ir_bool();
    put(&d, &flags, num(&d, 1), binary(&d, IR_EQ, tw_ir_coord(d.k, IR_TID_X, nowhere), num(&d, 0)));
    when(&d, tw_ir_load(d.k, AT(&d, flags, num(&d, 1)), nowhere));
    assert_string_equal(body(room, &d), "mov.u32 %r0, %tid.x;\n"
                                        "setp.eq.s32 %p0, %r0, 0;\n"
                                        "selp.b16 %rs0, 1, 0, %p0;\n"
                                        "st.shared.u8 [flags_shared+1], %rs0;\n"
                                        "ld.shared.u8 %rs1, [flags_shared+1];\n"
                                        "setp.ne.u16 %p1, %rs1, 0;\n"
                                        "@!%p1 bra $endif_0;\n"
                                        "$endif_0:\n"
                                        "ret;\n");
}

/* SOURCE: CUDA: static shared memory ends at 48 KiB. */
static void more_than_48_kib_of_shared_memory_are_dynamic(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor a = draft_tensor(&d, "a", IR_SHARED, NUM_F32, DIMS(100), NULL);
    const struct tensor b = draft_tensor(&d, "b", IR_SHARED, NUM_F32, DIMS(16384), NULL);
    b.storage->align_bytes = 1024;
    put(&d, &a, num(&d, 1), typed(&d, tw_ir_float32(), 0));
    put(&d, &b, num(&d, 1), typed(&d, tw_ir_float32(), 0));
    const char *text = emit_text(room, d.k, "sm_100a");
    assert_non_null(strstr(text, ".extern .shared .align 1024 .b8 k_shared[];\n"));
    assert_non_null(strstr(text, "[k_shared+4]"));
    assert_non_null(strstr(text, "[k_shared+1028]"));
    assert_int_equal(tw_emit_contract(d.k)->dynamic_shared_bytes, 1024 + 65536);
    expect_assembles(text, "sm_100a");
}

/* ---- helpers --------------------------------------------------------------------------------------------------- */

static void barriers_are_the_documented_instructions(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    cuda(&d, IR_CTA_SYNC, NULL, NULL);
    cuda(&d, IR_WARP_SYNC, NULL, NULL);
    cuda(&d, IR_WARPGROUP_SYNC, num(&d, 3), NULL);
    cuda(&d, IR_CLUSTER_SYNC, NULL, NULL);
    assert_string_equal(body(room, &d), "bar.sync 0;\n"
                                        "bar.warp.sync 4294967295;\n"
                                        "bar.sync 3, 128;\n"
                                        "barrier.cluster.arrive.release;\n"
                                        "barrier.cluster.wait.acquire;\n"
                                        "ret;\n");
}

static void waiting_for_a_phase_is_a_loop_around_try_wait(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor bar = draft_tensor(&d, "bar", IR_SHARED, NUM_U64, DIMS(2), NULL);
    struct ir_expr *second = tw_ir_address(d.k, AT(&d, bar, num(&d, 1)), nowhere);
    cuda(&d, IR_MBARRIER_WAIT, second, num(&d, 1));
    assert_string_equal(body(room, &d), "$wait_0:\n"
                                        "mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar_shared+8], 1;\n"
                                        "@!%p0 bra $wait_0;\n"
                                        "ret;\n");
}

static void a_failed_assertion_traps(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_stmt *s = tw_ir_stmt_new(d.k, d.into, IR_ASSERT, nowhere);
    s->value = binary(&d, IR_LT, tw_ir_coord(d.k, IR_TID_X, nowhere), num(&d, 16));
    assert_string_equal(body(room, &d), "mov.u32 %r0, %tid.x;\nsetp.lt.s32 %p0, %r0, 16;\n@!%p0 trap;\nret;\n");
}

static void statements_carry_their_source_line(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const uint32_t file = tw_sources_add(&room->sources, "k.py", STR("first\n  sync()\n"));
    d.at = (struct src_span){file, 8, 14};
    cuda(&d, IR_CTA_SYNC, NULL, NULL);
    const char *text = emit_text(room, d.k, "sm_100a");
    assert_non_null(strstr(text, ".file 1 \"k.py\""));
    assert_non_null(strstr(text, "    .loc 1 2 3\n    bar.sync 0;\n"));
    expect_assembles(text, "sm_100a");
}

static void a_cluster_launch_is_declared(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    d.k->launch.has_cluster = true;
    d.k->launch.cluster[0] = 2;
    const char *text = emit_text(room, d.k, "sm_100a");
    assert_non_null(strstr(text, ".explicitcluster"));
    assert_non_null(strstr(text, ".reqnctapercluster 2, 1, 1"));
    expect_assembles(text, "sm_100a");
}

/* ---- raw instructions --------------------------------------------------------------------------------------------- */

static void a_pointer_variable_is_generic_and_is_converted_for_shared_operands(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor bar = draft_tensor(&d, "bar", IR_SHARED, NUM_U64, DIMS(1), NULL);
    struct ir_var *p = define(&d, "p", pointer(&d, &bar));
    PTX(&d, "mbarrier.init.shared.b64", address_operand(use(&d, p)), value_operand(typed(&d, tw_ir_uint32(), 1)));
    assert_string_equal(body(room, &d), "mov.u32 %r0, bar_shared;\n"
                                        "cvt.u64.u32 %rd0, %r0;\n"
                                        "cvta.shared.u64 %rd1, %rd0;\n"
                                        "cvta.to.shared.u64 %rd2, %rd1;\n"
                                        "cvt.u32.u64 %r1, %rd2;\n"
                                        "mbarrier.init.shared.b64 [%r1], 1;\n"
                                        "ret;\n");
}

static void a_result_may_go_to_a_tensor_element(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_F32, DIMS(4));
    const struct ir_ptx_operand to = {.kind = IR_PTX_RESULT, .expr = tw_ir_load(d.k, AT(&d, out, num(&d, 3)), nowhere)};
    PTX(&d, "ex2.approx.f32", to, value_operand(typed(&d, tw_ir_float32(), 2)));
    assert_string_equal(body(room, &d), "ex2.approx.f32 %f0, 0f40000000;\n"
                                        "ld.param.u64 %rd0, [Out_param];\n"
                                        "cvta.to.global.u64 %rd1, %rd0;\n"
                                        "st.global.f32 [%rd1+12], %f0;\n"
                                        "ret;\n");
}

/* SOURCE: kernel-language-ptx 9.2: "a .pred output is a uint32 destination receiving 0/1". */
static void a_predicate_result_becomes_a_number(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_var *lane = define(&d, "lane", typed(&d, tw_ir_uint32(), 0)), *elected = define(&d, "elected", typed(&d, tw_ir_uint32(), 0));
    const struct ir_ptx_operand results[] = {{.kind = IR_PTX_RESULT, .expr = use(&d, lane)},
                                             {.kind = IR_PTX_RESULT, .expr = use(&d, elected)}};
    PTX(&d, "elect.sync", results[0], results[1], value_operand(typed(&d, tw_ir_uint32(), 0xffffffff)));
    assert_string_equal(body(room, &d), "mov.b32 %r0, 0;\n"
                                        "mov.b32 %r1, 0;\n"
                                        "elect.sync %r0|%p0, 4294967295;\n"
                                        "selp.b32 %r2, 1, 0, %p0;\n"
                                        "mov.b32 %r1, %r2;\n"
                                        "ret;\n");
}

static void expect_refusal(struct bench_room *room, struct draft *d, const char *want)
{
    const struct isa *isa = tw_isa_open(&room->arena);
    assert_true(tw_tile_lower(d->k, isa, &room->diags));
    assert_null(tw_emit_ptx(d->k, isa, &room->diags, NULL));
    tw_test_expect_diags(room, want);
}

static void a_global_address_for_a_shared_operand_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_U64, DIMS(4));
    PTX(&d, "mbarrier.init.shared.b64", address_operand(pointer(&d, &out)), value_operand(typed(&d, tw_ir_uint32(), 1)));
    expect_refusal(room, &d, "error[E0811]: this instruction does not reach 'Out'\n"
                             "  expected: an address in .shared\n"
                             "     found: 'Out', in global memory\n");
}

static void an_operand_that_is_part_of_the_instruction_must_be_constant(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    PTX(&d, "cp.async.wait_group", value_operand(tw_ir_coord(d.k, IR_TID_X, nowhere)));
    expect_refusal(room, &d, "error[E0812]: this operand of cp.async.wait_group must be a constant\n"
                             "     found: a value known only at run time\n");
}

static void operands_that_no_form_takes_are_refused(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    PTX(&d, "mbarrier.init.shared.b64", value_operand(typed(&d, tw_ir_uint32(), 1)));
    expect_refusal(room, &d, "error[E0813]: mbarrier.init.shared.b64 does not take these operands\n"
                             "  expected: [mbar@space], n:u32\n"
                             "     found: 1 operands\n");
}

static void a_target_that_does_not_exist_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct isa *isa = tw_isa_open(&room->arena);
    assert_true(tw_tile_lower(d.k, isa, &room->diags));
    assert_null(tw_emit_ptx(d.k, isa, &room->diags, &(struct emit_options){.target = "sm100"}));
    tw_test_expect_diags(room, "error[E0814]: 'sm100' is no target\n"
                               "  expected: a name such as sm_100a, sm_90a or sm_80\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_loop_that_surely_runs_is_tested_at_the_bottom),
        ROOM_TEST(a_loop_that_may_not_run_is_tested_before),
        ROOM_TEST(a_loop_down_compares_the_other_way),
        ROOM_TEST(while_break_and_continue_jump_to_their_labels),
        ROOM_TEST(a_value_of_one_branch_is_not_taken_for_known_in_the_other),
        ROOM_TEST(a_local_tensor_indexed_at_run_time_goes_to_local_memory),
        ROOM_TEST(a_local_tensor_with_known_indices_has_no_memory),
        ROOM_TEST(halves_of_a_register_are_inserted_and_extracted),
        ROOM_TEST(a_bool_is_a_byte_in_memory_and_a_predicate_in_registers),
        ROOM_TEST(more_than_48_kib_of_shared_memory_are_dynamic),
        ROOM_TEST(barriers_are_the_documented_instructions),
        ROOM_TEST(waiting_for_a_phase_is_a_loop_around_try_wait),
        ROOM_TEST(a_failed_assertion_traps),
        ROOM_TEST(statements_carry_their_source_line),
        ROOM_TEST(a_cluster_launch_is_declared),
        ROOM_TEST(a_pointer_variable_is_generic_and_is_converted_for_shared_operands),
        ROOM_TEST(a_result_may_go_to_a_tensor_element),
        ROOM_TEST(a_predicate_result_becomes_a_number),
        ROOM_TEST(a_global_address_for_a_shared_operand_is_refused),
        ROOM_TEST(an_operand_that_is_part_of_the_instruction_must_be_constant),
        ROOM_TEST(operands_that_no_form_takes_are_refused),
        ROOM_TEST(a_target_that_does_not_exist_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
