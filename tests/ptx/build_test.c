/* Modules that are built: the same text, the same checks and the same diagnostics as modules that are read. */
#include "support/check.h"

#include "ptx/build.h"
#include "ptx/ptx.h"

static void begin(struct bench_room *room, struct ptx_build *b)
{
    tw_ptx_build_begin(b, &room->arena, tw_isa_open(&room->arena), &room->diags, 88, "sm_100a");
}

static const char *text_of(struct bench_room *room, const struct ptx_module *m)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_ptx_print(m, &t);
    return t.at;
}

static void expect_round_trip(struct bench_room *room, const struct ptx_module *m)
{
    const char *why = "";
    const struct ptx_module *again =
        tw_ptx_parse(&room->arena, m->isa, &room->diags, tw_sources_add(&room->sources, "built", tw_str(text_of(room, m))));
    tw_test_expect_diags(room, "");
    if (!tw_ptx_module_equal(m, again, &room->arena, &why))
        fail_msg("the text reads as another module: %s", why);
}

static void a_built_kernel_reads_back_as_the_same_module(void **state)
{
    struct bench_room *room = *state;
    struct ptx_build b;
    begin(room, &b);
    struct ptx_operand dyn = tw_ptx_build_global(&b, MOD_SHARED, LINK_EXTERN, "dyn", MOD_B8, 0, 1024);
    tw_ptx_build_entry(&b, "k");
    struct ptx_operand out = tw_ptx_build_param(&b, "out", MOD_U64, 1, 0);
    tw_ptx_build_param_ptr(&b, MOD_GLOBAL, 16);
    struct ptx_operand map = tw_ptx_build_param(&b, "map", MOD_B8, 128, 64);
    struct ptx_operand bar = tw_ptx_build_var(&b, MOD_SHARED, "bar", MOD_B64, 1, 8);
    struct ptx_operand p = tw_ptx_new_reg(&b, MOD_PRED), r = tw_ptx_new_reg(&b, MOD_B32), v = tw_ptx_new_reg(&b, MOD_B32);
    struct ptx_operand a = tw_ptx_new_reg(&b, MOD_B64), f = tw_ptx_new_reg(&b, MOD_F32);
    uint32_t done = tw_ptx_new_label(&b, "done"), loop = tw_ptx_new_label(&b, "loop");
    tw_ptx_build_loc(&b, tw_ptx_build_file(&b, "kernel.py"), 3, 5);
    assert_true(tw_ptx_emit(&b, "ld.param.u64", a, ptx_addr(out, 0)));
    assert_true(tw_ptx_emit(&b, "mov.u32", r, ptx_sreg(SREG_TID, 0)));
    assert_true(tw_ptx_emit(&b, "elect.sync", ptx_sink(), p, ptx_int(-1)));
    tw_ptx_guard(&b, ptx_not(p));
    assert_true(tw_ptx_emit(&b, "bra", ptx_label(done)));
    tw_ptx_place_label(&b, loop);
    tw_ptx_build_loc(&b, tw_ptx_build_file(&b, "kernel.py"), 4, 5);
    assert_true(tw_ptx_emit(&b, "mov.b64", a, map));
    assert_true(tw_ptx_emit(&b, "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes", ptx_addr(dyn, 0),
                            tw_ptx_tensor(&b, a, (struct ptx_operand[]){ptx_int(0), r}, 2), ptx_addr(bar, 0)));
    assert_true(tw_ptx_emit(&b, "mbarrier.try_wait.shared::cta.parity.b64", p, ptx_addr(bar, 0), ptx_int(0)));
    tw_ptx_guard(&b, p);
    assert_true(tw_ptx_emit(&b, "bra.uni", ptx_label(loop)));
    tw_ptx_place_label(&b, done);
    assert_true(tw_ptx_emit(&b, "tcgen05.ld.x2.32x32b.sync.aligned.b32", tw_ptx_vector(&b, (struct ptx_operand[]){r, v}, 2), ptx_addr(r, 4)));
    assert_true(tw_ptx_emit(&b, "mov.f32", f, ptx_f32_bits(0x3f800000)));
    assert_true(tw_ptx_emit(&b, "ret"));
    tw_ptx_build_end_func(&b);
    const struct ptx_module *m = tw_ptx_build_end(&b);
    tw_test_expect_diags(room, "");
    assert_string_equal(text_of(room, m),
        ".version 8.8\n.target sm_100a\n.address_size 64\n\n.extern .shared .align 1024 .b8 dyn[];\n\n"
        ".visible .entry k(\n    .param .u64 .ptr .global .align 16 out,\n    .param .align 64 .b8 map[128]\n)\n{\n"
        "    .reg .pred %p<1>;\n    .reg .b32 %r<2>;\n    .reg .f32 %f<1>;\n    .reg .b64 %rd<1>;\n"
        "    .shared .align 8 .b64 bar[1];\n    .loc 1 3 5\n    ld.param.u64 %rd0, [out];\n    mov.u32 %r0, %tid.x;\n"
        "    elect.sync _|%p0, -1;\n    @!%p0 bra $done_0;\n$loop_0:\n    .loc 1 4 5\n    mov.b64 %rd0, map;\n"
        "    cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [dyn], [%rd0, {0, %r0}], [bar];\n"
        "    mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;\n    @%p0 bra.uni $loop_0;\n$done_0:\n"
        "    tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0, %r1}, [%r0+4];\n    mov.f32 %f0, 0f3F800000;\n    ret;\n}\n"
        ".file 1 \"kernel.py\"\n");
    expect_round_trip(room, m);
}

static void registers_of_one_size_but_several_types_are_declared_singly(void **state)
{
    struct bench_room *room = *state;
    struct ptx_build b;
    begin(room, &b);
    tw_ptx_build_entry(&b, "k");
    struct ptx_operand x = tw_ptx_new_reg(&b, MOD_B32), y = tw_ptx_new_reg(&b, MOD_F16X2), z = tw_ptx_new_reg(&b, MOD_S32);
    assert_true(tw_ptx_emit(&b, "fma.rn.f16x2", y, y, x, y));
    assert_true(tw_ptx_emit(&b, "add.s32", z, x, ptx_int(1)));
    tw_ptx_build_end_func(&b);
    expect_round_trip(room, tw_ptx_build_end(&b));
}

static void calls_are_built_with_parameters_of_their_own(void **state)
{
    struct bench_room *room = *state;
    struct ptx_build b;
    begin(room, &b);
    struct ptx_func *f = tw_ptx_build_func(&b, "vprintf", LINK_EXTERN);
    assert_non_null(f);
    tw_ptx_build_param(&b, "format", MOD_B64, 1, 0);
    tw_ptx_build_param(&b, "args", MOD_B64, 1, 0);
    tw_ptx_build_ret(&b, "result", MOD_B32, 1, 0);
    tw_ptx_build_end_prototype(&b);
    struct ptx_operand text = tw_ptx_build_global(&b, MOD_GLOBAL, LINK_NONE, "text", MOD_B8, 3, 1);
    tw_ptx_build_init_bytes(&b, "hi", 3);
    tw_ptx_build_entry(&b, "k");
    struct ptx_operand format = tw_ptx_build_var(&b, MOD_PARAM, "p0", MOD_B64, 1, 0);
    struct ptx_operand args = tw_ptx_build_var(&b, MOD_PARAM, "p1", MOD_B64, 1, 0);
    struct ptx_operand result = tw_ptx_build_var(&b, MOD_PARAM, "r0", MOD_B32, 1, 0);
    struct ptx_operand a = tw_ptx_new_reg(&b, MOD_B64);
    assert_true(tw_ptx_emit(&b, "mov.u64", a, text));
    assert_true(tw_ptx_emit(&b, "cvta.global.u64", a, a));
    assert_true(tw_ptx_emit(&b, "st.param.b64", ptx_addr(format, 0), a));
    assert_true(tw_ptx_emit(&b, "call.uni", tw_ptx_list(&b, &result, 1), ptx_func(0),
                            tw_ptx_list(&b, (struct ptx_operand[]){format, args}, 2)));
    assert_true(tw_ptx_emit(&b, "ret"));
    tw_ptx_build_end_func(&b);
    const struct ptx_module *m = tw_ptx_build_end(&b);
    expect_round_trip(room, m);
}

static void a_wrong_operand_is_refused_as_in_text(void **state)
{
    struct bench_room *room = *state;
    struct ptx_build b;
    begin(room, &b);
    tw_ptx_build_entry(&b, "k");
    struct ptx_operand f = tw_ptx_new_reg(&b, MOD_F32), r = tw_ptx_new_reg(&b, MOD_B32);
    uint32_t source = tw_sources_add(&room->sources, "kernel.py", STR("T.ptx.add.s32(x, y, 1)\n"));
    b.at = (struct src_span){source, 0, 13};
    assert_false(tw_ptx_emit(&b, "add.s32", f, r, ptx_int(1)));
    tw_test_expect_diags(room, "kernel.py:1:1: error[E0512]: operand 1 of 'add' has the wrong type\n"
                               "    1 | T.ptx.add.s32(x, y, 1)\n"
                               "      | ^~~~~~~~~~~~~\n"
                               "  expected: destination: a .s32 register\n"
                               "     found: %f0, a .f32 register\n"
                               "      spec: PTX ISA, add, integer\n");
}

static void an_unknown_spelling_is_refused_as_in_text(void **state)
{
    struct bench_room *room = *state;
    struct ptx_build b;
    begin(room, &b);
    tw_ptx_build_entry(&b, "k");
    uint32_t source = tw_sources_add(&room->sources, "kernel.py", STR("T.ptx.retn()\n"));
    b.at = (struct src_span){source, 0, 12};
    assert_false(tw_ptx_emit(&b, "retn"));
    tw_test_expect_diags(room, "kernel.py:1:1: error[E0506]: unknown instruction 'retn'\n"
                               "    1 | T.ptx.retn()\n"
                               "      | ^~~~~~~~~~~~\n"
                               "       fix: did you mean 'ret'?\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_built_kernel_reads_back_as_the_same_module),
        ROOM_TEST(registers_of_one_size_but_several_types_are_declared_singly),
        ROOM_TEST(calls_are_built_with_parameters_of_their_own),
        ROOM_TEST(a_wrong_operand_is_refused_as_in_text),
        ROOM_TEST(an_unknown_spelling_is_refused_as_in_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
