/* Constant expressions in operands, addresses and initialisers. Every value here is the one that ptxas 13.0 wrote into the
 * data section of a cubin for the same text; what is refused here it refuses, too. */
#include "support/check.h"

#include "isa/isa.h"
#include "ptx/ptx.h"

static const struct ptx_module *read_text(struct bench_room *room, const char *text)
{
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    return tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
}

/* MEASURED: ptxas 13.0 */
static void integer_expressions_have_the_values_that_ptxas_gives_them(void **state)
{
    static const struct { const char *text; uint64_t value; } rows[] = {
        {"1+2", 3},
        {"7-9", UINT64_MAX - 1},
        {"-7/2", UINT64_MAX - 2},
        {"7/-2", UINT64_MAX - 2},
        {"7 % 3", 1},
        {"7%(3)", 1},
        {"1<<4", 16},
        {"-16>>2", UINT64_MAX - 3},
        {"-16U>>2", 0x3ffffffffffffffc},
        {"0xFFFFFFFFFFFFFFFF>>4", 0x0fffffffffffffff},
        {"1<<63", 0x8000000000000000},
        {"1<<64", 1},
        {"1<<65", 2},
        {"1<<-1", 0x8000000000000000},
        {"16>>70", 0},
        {"-1<1", 1},
        {"-1<1U", 0},
        {"-1>0", 0},
        {"3<=3", 1},
        {"3>=4", 0},
        {"3==3", 1},
        {"3!=3", 0},
        {"6&3", 2},
        {"6|3", 7},
        {"6^3", 5},
        {"6&&0", 0},
        {"6||0", 1},
        {"!6", 0},
        {"!0", 1},
        {"!!7", 1},
        {"~5", UINT64_MAX - 5},
        {"-~5", 6},
        {"+5", 5},
        {"--5", 5},
        {"1?2:3", 2},
        {"0?2:3", 3},
        {"1?0?5:6:7", 6},
        {"1?-1:2U", UINT64_MAX},
        {"(.s64)5", 5},
        {"(.u64)-1>>4", 0x0fffffffffffffff},
        {"(.s64)0xFFFFFFFFFFFFFFFF>>4", UINT64_MAX},
        {"2+3*4", 14},
        {"(2+3)*4", 20},
        {"1<<2+1", 8},
        {"1|2==2", 1},
        {"1|2&4", 1},
        {"8>>1>>1", 2},
        {"10-3-2", 5},
        {"WARP_SZ", 32},
        {"WARP_SZ*2", 64},
        {"WARP_SZ-1", 31},
        {"-5/2U", 0x7ffffffffffffffd},
        {"0x8000000000000000/3", 0x2aaaaaaaaaaaaaaa},
        {"9223372036854775808", 0x8000000000000000},
        {"-9223372036854775808/-1", 0},
        {"1==1==1", 1},
        {"2<3<1", 0},
        {"~0U", UINT64_MAX},
        {"-(1U)>>1", 0x7fffffffffffffff},
        {"1U-2>>1", 0x7fffffffffffffff},
        {"3U<<62>>62", 3},
        {"0-1&0xFF", 0xff},
        {"(0-1|0)>>60", UINT64_MAX},
        {"(6^1)-8>>1", UINT64_MAX},
        {"(-1&-1)/2", 0},
        {"(-4|0)/2", UINT64_MAX - 1},
        {"1.0<2.0", 1},
        {"1.0==1.0", 1},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const text = tw_format(&room->arena,
                                           ".version 8.8\n.target sm_90a\n.address_size 64\n.global .align 8 .u64 x[2] = {%s, 77};\n"
                                           ".entry k()\n{\n.reg .b64 %%q;\nmov.u64 %%q, %s;\nret;\n}\n",
                                           rows[i].text, rows[i].text);
        const struct ptx_module *const m = read_text(room, text);
        tw_test_expect_diags(room, "");
        assert_int_equal((uint64_t)m->vars.at[0].init.at[0].value, rows[i].value);
        const struct ptx_func *const f = &m->funcs.at[0];
        const struct ptx_operand *const source = tw_ptx_operand(f, &f->insts.at[0], ROLE_A);
        assert_int_equal(source->kind, OPERAND_INT);
        assert_int_equal((uint64_t)source->value, rows[i].value);
    }
}

/* MEASURED: ptxas 13.0 */
static void double_expressions_have_the_values_that_ptxas_gives_them(void **state)
{
    static const struct { const char *text; uint64_t value; } rows[] = {
        {"1.0/3.0", 0x3fd5555555555555}, {"-1.5", 0xbff8000000000000},     {"(1.5)", 0x3ff8000000000000},
        {"+1.5", 0x3ff8000000000000},    {"--1.5", 0x3ff8000000000000},    {"1.5+2.25*2.0", 0x4018000000000000},
        {"(1.5+2.25)*2.0", 0x401e000000000000}, {"1.0e3*2.0", 0x409f400000000000}, {"1.5-4.0", 0xc004000000000000},
        {"0d3FF0000000000000+1.0", 0x4000000000000000}, {"-0d3FF0000000000000", 0xbff0000000000000}, {"1.0e300*1.0e300", 0x7ff0000000000000},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ptx_module *const m = read_text(
            room, tw_format(&room->arena, ".version 8.8\n.target sm_90a\n.address_size 64\n.global .align 8 .f64 x[2] = {%s, 77.0};\n", rows[i].text));
        tw_test_expect_diags(room, "");
        assert_int_equal((uint64_t)m->vars.at[0].init.at[0].value, rows[i].value);
    }
}

static void an_expression_may_stand_wherever_a_number_may(void **state)
{
    static const char *const lines[] = {
        "add.u32 %r1, %r2, (3+4);", "bar.sync 1+2;", "bar.sync (1);", "setp.eq.u32 %p1|%p2, %r1, 1|2;", "mov.b64 %q1, {1+2, %r1};",
        "lop3.b32 %r1, %r2, %r3, %r4, (0xF0&0xCC)|0xAA;", "shfl.sync.bfly.b32 %r1, %r2, 1<<2, 0x1f, -1;", "st.global.u32 [%q1], (1);",
        "ld.global.u32 %r1, [%q1+4*4];", "ld.global.u32 %r1, [%q1+4-8];", "ld.global.u32 %r1, [%q1+-(4)];", "ld.global.u32 %r1, [%q1+1<<4];",
        "ld.global.u32 %r1, [%q1+4+4*2];", "ld.local.b32 %r1, [z+4*1];", "mov.u64 %q1, z+(4);", "add.u32 %r1, %r2, !3;", "selp.b32 %r1, 1, 2, !%p1;",
        "mov.u32 %r1, 4-1;", "mov.u32 %r1, -WARP_SZ;", "add.f64 %d1, %d2, 1.5*2.0;",
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        (void)read_text(room, tw_format(&room->arena,
                                        ".version 8.8\n.target sm_90a\n.address_size 64\n.entry k()\n{\n.reg .pred %%p<4>; .reg .b32 %%r<9>;"
                                        ".reg .b64 %%q<4>; .reg .f64 %%d<4>; .local .align 8 .b8 z[16];\n%s\nret;\n}\n", lines[i]));
        tw_test_expect_diags(room, "");
    }
}

/* An offset is one expression, whatever operators it has: [%q1+1<<4] is sixteen bytes behind %q1. */
static void the_offset_of_an_address_is_one_expression(void **state)
{
    struct bench_room *const room = *state;
    const struct ptx_module *const m =
        read_text(room, ".version 8.8\n.target sm_90a\n.address_size 64\n.global .align 8 .u64 x[4];\n.global .align 8 .u64 y = generic(x)+8*2;\n"
                        ".entry k()\n{\n.reg .b32 %r<4>; .reg .b64 %q<4>;\nld.global.u32 %r1, [%q1+1<<4];\nld.global.u32 %r1, [x+4+4*2];\nret;\n}\n");
    tw_test_expect_diags(room, "");
    const struct ptx_func *const f = &m->funcs.at[0];
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[0], ROLE_ADDR)->value, 16);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[1], ROLE_ADDR)->value, 12);
    assert_int_equal(m->vars.at[1].init.at[0].value, 16);
}

/* MEASURED: ptxas 13.0 refuses each of these. */
static void an_expression_without_a_value_is_refused(void **state)
{
    static const struct { const char *text, *want; } rows[] = {
        {"5/0",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, 5/0;\n"
         "      |             ^~~\n"
         "  expected: a divisor that is not zero\n"},
        {"5 % (1-1)",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, 5 % (1-1);\n"
         "      |             ^~~~~~~~~\n"
         "  expected: a divisor that is not zero\n"},
        {"1.5/0.0",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, 1.5/0.0;\n"
         "      |             ^~~~~~~\n"
         "  expected: a divisor that is not zero\n"},
        {"1.5+2",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, 1.5+2;\n"
         "      |             ^~~~~\n"
         "  expected: integers only, or doubles only\n"},
        {"~1.5",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, ~1.5;\n"
         "      |             ^~~~\n"
         "  expected: an integer behind this operator\n"},
        {"1?1.5:2.5",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, 1?1.5:2.5;\n"
         "      |             ^~~~~~~~~\n"
         "  expected: integers in a choice\n"},
        {"(.u64)1.5",
         "k.ptx:7:14: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, (.u64)1.5;\n"
         "      |              ^~~~~~~~\n"
         "  expected: an integer behind the type\n"},
        {"1.0&&1.0",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, 1.0&&1.0;\n"
         "      |             ^~~~~~~~\n"
         "  expected: integers on both sides of this operator\n"},
        {"0f3F800000+0f3F800000",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, 0f3F800000+0f3F800000;\n"
         "      |             ^~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: no operator with a single-precision word\n"},
        {"-0f3F800000",
         "k.ptx:7:13: error[E0524]: no value comes of this constant expression\n"
         "    7 | mov.b64 %q, -0f3F800000;\n"
         "      |             ^~~~~~~~~~~\n"
         "  expected: a single-precision word without a sign; its first bit is the sign\n"},
        {"(1",
         "k.ptx:7:15: error[E0501]: unexpected token\n"
         "    7 | mov.b64 %q, (1;\n"
         "      |               ^\n"
         "  expected: ')' after the constant expression\n"
         "     found: ';'\n"},
        {"3-%q",
         "k.ptx:7:15: error[E0501]: unexpected token\n"
         "    7 | mov.b64 %q, 3-%q;\n"
         "      |               ^~\n"
         "  expected: a number\n"
         "     found: '%q'\n"},
        {"1?2",
         "k.ptx:7:16: error[E0501]: unexpected token\n"
         "    7 | mov.b64 %q, 1?2;\n"
         "      |                ^\n"
         "  expected: ':' between the two values\n"
         "     found: ';'\n"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)read_text(room, tw_format(&room->arena,
                                        ".version 8.8\n.target sm_90a\n.address_size 64\n.entry k()\n{\n.reg .b64 %%q;\nmov.b64 %%q, %s;\nret;\n}\n", rows[i].text));
        tw_test_expect_diags(room, rows[i].want);
    }
}

static void an_expression_nested_too_deeply_is_refused(void **state)
{
    struct bench_room *const room = *state;
    for (unsigned levels = 199; levels <= 200; levels++) {
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, ".version 8.8\n.target sm_90a\n.address_size 64\n.global .u32 x =\n");
        tw_text_pad(&t, '(', levels);
        tw_text_add(&t, "\n7\n");
        tw_text_pad(&t, ')', levels);
        tw_text_add(&t, ";\n");
        (void)read_text(room, t.at);
        assert_int_equal(room->diags.error_count, levels == 200);
    }
    tw_test_expect_diags(room, "k.ptx:6:1: error[E0519]: a constant expression nests too deeply\n"
                               "    6 | 7\n"
                               "      | ^\n"
                               "  expected: at most 200 levels\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(integer_expressions_have_the_values_that_ptxas_gives_them),
        ROOM_TEST(double_expressions_have_the_values_that_ptxas_gives_them),
        ROOM_TEST(an_expression_may_stand_wherever_a_number_may),
        ROOM_TEST(the_offset_of_an_address_is_one_expression),
        ROOM_TEST(an_expression_without_a_value_is_refused),
        ROOM_TEST(an_expression_nested_too_deeply_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
