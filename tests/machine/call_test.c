/* Calls: the parameter ABI, recursion, function pointers, vprintf and __assertfail. */
#include "kernel_text.h"

static void a_device_function_takes_and_gives_values(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".func (.param .b32 result) twice_plus(.param .b32 a, .param .align 8 .b8 pair[16])\n{\n"
                                                     ".reg .b32 %r<9>; .reg .b64 %q<3>;\n"
                                                     "ld.param.u32 %r1, [a];\nld.param.u32 %r2, [pair+4];\nld.param.u64 %q1, [pair+8];\n"
                                                     "cvt.u32.u64 %r3, %q1;\nmad.lo.u32 %r4, %r1, 2, %r2;\nadd.u32 %r4, %r4, %r3;\n"
                                                     "st.param.b32 [result], %r4;\nret;\n}\n",
                                                     "{\n.param .b32 arg;\n.param .align 8 .b8 two[16];\n.param .b32 back;\n"
                                                     "st.param.b32 [arg], %t;\nst.param.b32 [two+4], 1000;\nmov.u64 %q1, 70000;\n"
                                                     "st.param.b64 [two+8], %q1;\n"
                                                     "call.uni (back), twice_plus, (arg, two);\nld.param.b32 %r1, [back];\n}\n"
                                                     "st.global.u32 [%at], %r1;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 64, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(words[i], 2 * i + 71000);
    rig_end(&rig);
}

/* A structure of 24 bytes goes in and comes back by value, in pieces of several widths, as nvcc passes { int; double; char[5] }. */
static void a_structure_is_returned_by_value(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL(".func (.param .align 8 .b8 back[24]) turned(.param .align 8 .b8 s[24])\n{\n.reg .b16 %h<5>; .reg .b32 %r<5>; .reg .b64 %q<5>;\n"
               "ld.param.b32 %r1, [s]; ld.param.b64 %q1, [s+8]; ld.param.b8 %h1, [s+16]; ld.param.b8 %h2, [s+20];\n"
               "add.u32 %r1, %r1, 1; not.b64 %q1, %q1;\n"
               "st.param.b32 [back], %r1; st.param.b64 [back+8], %q1; st.param.b8 [back+16], %h2; st.param.b8 [back+20], %h1;\nret;\n}\n",
               ".reg .b16 %h<5>;\nmov.b64 %q1, 0x0123456789abcdef; mov.b16 %h1, 0x77; mov.b16 %h2, 0x99;\n"
               "{\n.param .align 8 .b8 in[24];\n.param .align 8 .b8 got[24];\nst.param.b32 [in], %t; st.param.b64 [in+8], %q1;\n"
               "st.param.b8 [in+16], %h1; st.param.b8 [in+20], %h2;\ncall.uni (got), turned, (in);\n"
               "ld.param.b32 %r1, [got]; ld.param.v2.b32 {%r2, %r3}, [got+8]; ld.param.b8 %r4, [got+16]; ld.param.b8 %r5, [got+20];\n}\n"
               "mad.lo.u32 %r6, %r5, 256, %r4;\nmad.wide.u32 %q2, %t, 16, %out;\nst.global.v4.u32 [%q2], {%r1, %r2, %r3, %r6};\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t want[4] = {t + 1, ~0x89abcdefu, ~0x01234567u, 0x7799};
        assert_memory_equal(words + (size_t)4 * t, want, sizeof want);
    }
    rig_end(&rig);
}

/* Each lane recurses to its own depth; the results meet again in the caller. */
static void a_recursive_function_keeps_a_frame_for_each_call(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state,
                    KERNEL(".func (.param .b32 result) sum_to(.param .b32 n);\n"
                           ".func (.param .b32 result) sum_to(.param .b32 n)\n{\n"
                           ".reg .pred %p; .reg .b32 %r<9>; .local .align 4 .b32 mine;\n"
                           "ld.param.u32 %r1, [n];\nst.local.u32 [mine], %r1;\nmov.u32 %r4, 0;\n"
                           "setp.eq.u32 %p, %r1, 0;\n@%p bra DONE;\n"
                           "sub.u32 %r2, %r1, 1;\n"
                           "{\n.param .b32 arg;\n.param .b32 back;\nst.param.b32 [arg], %r2;\ncall.uni (back), sum_to, (arg);\n"
                           "ld.param.b32 %r3, [back];\n}\n"
                           "ld.local.u32 %r4, [mine];\nadd.u32 %r4, %r3, %r4;\n"
                           "DONE: st.param.b32 [result], %r4;\nret;\n}\n",
                           "{\n.param .b32 arg;\n.param .b32 back;\nst.param.b32 [arg], %t;\ncall.uni (back), sum_to, (arg);\n"
                           "ld.param.b32 %r1, [back];\n}\nactivemask.b32 %r2;\n"
                           "st.global.u32 [%at], %r1;\nst.global.u32 [%at+256], %r2;\n"),
                    &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(words[i], i * (i + 1) / 2);
        assert_int_equal(words[64 + i], 0xffffffffu);
    }
    rig_end(&rig);
}

static void call_must_fault(struct bench_room *room, const char *text, const char *want)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room, text, &out);
    assert_int_equal(kernel_run(&rig, &out, 1, 32, 1), LAUNCH_FAULT);
    tw_test_expect_diags(room, want);
    rig_end(&rig);
}

static void a_recursion_without_end_is_diagnosed(void **state)
{
    call_must_fault(*state, KERNEL(".func down();\n.func down()\n{\ncall.uni down;\nret;\n}\n", "call.uni down;\n"),
                    "k.ptx:7:1: error[E0715]: the call of 'down' is 256 calls deep\n"
                    "    7 | call.uni down;\n"
                    "      | ^~~~~~~~~~~~~~\n"
                    "note: by thread (0,0,0) of block (0,0,0)\n"
                    "k.ptx:7:1: note: 'down' was called here, 254 times in a row\n"
                    "    7 | call.uni down;\n"
                    "      | ^~~~~~~~~~~~~~\n"
                    "k.ptx:17:1: note: 'down' was called here\n"
                    "   17 | call.uni down;\n"
                    "      | ^~~~~~~~~~~~~~\n");
}

static void a_recursion_whose_variables_fill_local_memory_is_diagnosed(void **state)
{
    call_must_fault(*state,
                    KERNEL(".func down();\n.func down()\n{\n.local .align 4 .b8 mine[6000];\nst.local.u32 [mine], 1;\ncall.uni down;\nret;\n}\n",
                           "call.uni down;\n"),
                    "k.ptx:9:1: error[E0715]: the local variables of 'down' do not fit into the 16384 bytes of a thread\n"
                    "    9 | call.uni down;\n"
                    "      | ^~~~~~~~~~~~~~\n"
                    "note: by thread (0,0,0) of block (0,0,0)\n"
                    "k.ptx:9:1: note: 'down' was called here\n"
                    "    9 | call.uni down;\n"
                    "      | ^~~~~~~~~~~~~~\n"
                    "k.ptx:19:1: note: 'down' was called here\n"
                    "   19 | call.uni down;\n"
                    "      | ^~~~~~~~~~~~~~\n");
}

/* A fault in a function names the calls that led there, each with its line of the source, three at most. */
static void a_fault_in_a_function_names_its_callers(void **state)
{
    call_must_fault(*state,
                    KERNEL(".file 1 \"k.cu\"\n.func put(.reg .b64 p)\n{\nst.global.u32 [p], 1;\nret;\n}\n.func b(.reg .b64 p)\n{\n.loc 1 8 3\ncall put, (p);\nret;\n}\n"
                           ".func c(.reg .b64 p)\n{\ncall b, (p);\nret;\n}\n.func d(.reg .b64 p)\n{\ncall c, (p);\nret;\n}\n.func e(.reg .b64 p)\n{\ncall d, (p);\nret;\n}",
                           ".loc 1 30 3\nmov.b64 %q1, 0;\ncall e, (%q1);\n"),
                    "k.ptx:7:1: error[E0701]: store of 4 bytes at 0x0, outside global memory\n"
                    "    7 | st.global.u32 [p], 1;\n"
                    "      | ^~~~~~~~~~~~~~~~~~~~~\n"
                    "  expected: an address inside an allocation\n"
                    "     found: a null pointer\n"
                    "note: by thread (0,0,0) of block (0,0,0)\n"
                    "k.ptx:13:1: note: 'put' was called here, k.cu:8\n"
                    "   13 | call put, (p);\n"
                    "      | ^~~~~~~~~~~~~~\n"
                    "k.ptx:18:1: note: 'b' was called here\n"
                    "   18 | call b, (p);\n"
                    "      | ^~~~~~~~~~~~\n"
                    "k.ptx:23:1: note: 'c' was called here\n"
                    "   23 | call c, (p);\n"
                    "      | ^~~~~~~~~~~~\n"
                    "note: and so on, 2 more calls\n");
    struct bench_room *const room = *state;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    call_must_fault(room,
                    KERNEL(".func put(.reg .b64 p)\n{\nst.global.u32 [p], 1;\nret;\n}\n.func b(.reg .b64 p)\n{\ncall put, (p);\nret;\n}\n"
                           ".func c(.reg .b64 p)\n{\ncall b, (p);\nret;\n}\n.func d(.reg .b64 p)\n{\ncall c, (p);\nret;\n}\n",
                           "mov.b64 %q1, 0;\ncall d, (%q1);\n"),
                    "k.ptx:6:1: error[E0701]: store of 4 bytes at 0x0, outside global memory\n"
                    "    6 | st.global.u32 [p], 1;\n"
                    "      | ^~~~~~~~~~~~~~~~~~~~~\n"
                    "  expected: an address inside an allocation\n"
                    "     found: a null pointer\n"
                    "note: by thread (0,0,0) of block (0,0,0)\n"
                    "k.ptx:11:1: note: 'put' was called here\n"
                    "   11 | call put, (p);\n"
                    "      | ^~~~~~~~~~~~~~\n"
                    "k.ptx:16:1: note: 'b' was called here\n"
                    "   16 | call b, (p);\n"
                    "      | ^~~~~~~~~~~~\n"
                    "k.ptx:21:1: note: 'c' was called here\n"
                    "   21 | call c, (p);\n"
                    "      | ^~~~~~~~~~~~\n"
                    "note: and so on, 1 more call\n");
}

static void an_address_that_is_no_function_s_cannot_be_called(void **state)
{
    call_must_fault(*state,
                    KERNEL(".func one()\n{\nret;\n}\n.global .align 8 .u64 table[1] = {one};\n",
                           "ld.global.u64 %q1, [table];\nadd.u64 %q1, %q1, 4;\nP: .callprototype () _ ();\ncall (), %q1, (), P;\n"),
                    "k.ptx:19:1: error[E0715]: indirect call of 0x600000000004\n"
                    "   19 | call (), %q1, (), P;\n"
                    "      | ^~~~~~~~~~~~~~~~~~~~\n"
                    "  expected: the address of a function of this signature\n"
                    "note: by thread (0,0,0) of block (0,0,0)\n");
}

/* Even lanes call one function, odd ones another, through a table of addresses. */
static void a_function_pointer_splits_the_warp_by_target(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state,
                    KERNEL(".func (.reg .b32 r) add_one(.reg .b32 a)\n{\nadd.u32 r, a, 1;\nret;\n}\n"
                           ".func (.reg .b32 r) times_ten(.reg .b32 a)\n{\nmul.lo.u32 r, a, 10;\nret;\n}\n"
                           ".global .align 8 .u64 table[2] = {add_one, times_ten};\n",
                           "and.b32 %r1, %t, 1;\nmov.u64 %q1, table;\nmad.wide.u32 %q1, %r1, 8, %q1;\nld.global.u64 %q2, [%q1];\n"
                           "proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
                           "call (%r2), %q2, (%t), proto;\nst.global.u32 [%at], %r2;\n"),
                    &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i % 2 == 0 ? i + 1 : i * 10);
    rig_end(&rig);
}

#define PRINT_DECLS                                                                       \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"              \
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n"

/* As nvcc takes the address of a function: by its name in a mov, and as an entry of a table. */
static void a_function_s_address_is_the_same_by_mov_and_in_a_table(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state,
                    KERNEL(".func (.param .b32 r) plus(.param .b32 a);\n.global .u64 table[1] = {plus};\n"
                           ".func (.param .b32 r) plus(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [a];\nadd.u32 %r2, %r1, 100;\n"
                           "st.param.b32 [r], %r2;\nret;\n}\n",
                           "mov.u64 %q1, plus;\nld.global.u64 %q2, [table];\nsub.u64 %q3, %q1, %q2;\ncvt.u32.u64 %r2, %q3;\n"
                           "{\n.param .b32 x; .param .b32 y;\nst.param.b32 [x], %t;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                           "call (y), %q1, (x), P;\nld.param.b32 %r1, [y];\n}\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%at], %r1;\n"),
                    &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i + 100);
    rig_end(&rig);
}

static void a_kernel_prints(void **state)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, *state,
                      KERNEL(PRINT_DECLS ".global .align 1 .b8 text[32] = {116, 61, 37, 100, 32, 37, 53, 117, 32, 37, 115, 32, 37, 108, 108, 120, "
                                         "32, 37, 102, 32, 37, 37, 37, 45, 51, 99, 124, 10, 0};\n" /* "t=%d %5u %s %llx %f %%%-3c|\n" */
                             ".global .align 1 .b8 word[4] = {97, 98, 99, 0};\n",
                             ".local .align 8 .b8 depot[48];\n"
                             "setp.ne.u32 %p1, %t, 1;\n@%p1 bra END;\n"
                             "mov.u64 %q1, depot;\nmov.b32 %r1, -7;\nst.local.u32 [depot], %r1;\nst.local.u32 [depot+4], 42;\n"
                             "mov.u64 %q2, word;\nst.local.u64 [depot+8], %q2;\nmov.u64 %q3, 0xabcdef0123;\nst.local.u64 [depot+16], %q3;\n"
                             "mov.f64 %q4, 0d3FF8000000000000;\nst.local.f64 [depot+24], %q4;\nst.local.u32 [depot+32], 90;\n"
                             "cvta.local.u64 %q1, %q1;\nmov.u64 %q5, text;\n"
                             "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %q5;\nst.param.b64 [a], %q1;\n"
                             "call.uni (r), vprintf, (f, a);\nld.param.b32 %r2, [r];\n}\nst.global.u32 [%out], %r2;\nEND:\n"),
                      &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    assert_string_equal(rig.printed.at, "t=-7    42 abc abcdef0123 1.500000 %Z  |\n");
    assert_int_equal(*(uint32_t *)rig_host(&rig, out), 6);
    rig_end(&rig);
}

/* SOURCE: ISO C17, 7.21.6.1: '*' takes an argument, h and hh cut one, %p of null is the library's own word. */
static void a_kernel_prints_stars_shorts_and_null(void **state)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, *state,
                      KERNEL(PRINT_DECLS ".global .align 1 .b8 text[29] = {37, 42, 100, 124, 37, 46, 42, 102, 124, 37, 104, 100, 124, 37, 104, 104, 117, 124, 37, 112, 124, 37, 35, 111, 124, 37, 103, 10, 0};\n" /* "%*d|%.*f|%hd|%hhu|%p|%#o|%g\n" */,
                             ".local .align 8 .b8 depot[64];\n"
                             "setp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\n"
                             "st.local.u32 [depot], -6;\nst.local.u32 [depot+4], 42;\nst.local.u32 [depot+8], 2;\n"
                             "st.local.f64 [depot+16], 0d3FF8000000000000;\nst.local.u32 [depot+24], 0x1ffff;\nst.local.u32 [depot+28], 258;\n"
                             "st.local.u64 [depot+32], 0;\nst.local.u32 [depot+40], 8;\nst.local.f64 [depot+48], 0d3FB999999999999A;\n"
                             "mov.u64 %q1, depot;\ncvta.local.u64 %q1, %q1;\nmov.u64 %q5, text;\n"
                             "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %q5;\nst.param.b64 [a], %q1;\n"
                             "call.uni (r), vprintf, (f, a);\nld.param.b32 %r2, [r];\n}\nst.global.u32 [%out], %r2;\nEND:\n"),
                      &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    assert_string_equal(rig.printed.at, "42    |1.50|-1|2|(nil)|010|0.1\n");
    assert_int_equal(*(uint32_t *)rig_host(&rig, out), 9);
    rig_end(&rig);
}

/* MEASURED: H200, driver 580.159.04. */
static void a_null_string_prints_as_a_word(void **state)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, *state,
                      KERNEL(PRINT_DECLS ".global .align 1 .b8 text[13] = {91, 37, 115, 93, 32, 91, 37, 49, 48, 115, 93, 10, 0};\n" /* "[%s] [%10s]\n" */,
                             ".local .align 8 .b8 depot[16];\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\n"
                             "st.local.u64 [depot], 0;\nst.local.u64 [depot+8], 0;\nmov.u64 %q1, depot;\ncvta.local.u64 %q1, %q1;\nmov.u64 %q5, text;\n"
                             "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %q5;\nst.param.b64 [a], %q1;\n"
                             "call.uni (r), vprintf, (f, a);\n}\nEND:\n"),
                      &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    assert_string_equal(rig.printed.at, "[(null)] [    (null)]\n");
    rig_end(&rig);
}

static void a_function_without_a_body_is_named_before_the_run(void **state)
{
    kernel_must_fail(*state,
                     KERNEL(".extern .func (.param .b64 p) malloc(.param .b64 n);\n",
                            "{\n.param .b64 n; .param .b64 p;\nst.param.b64 [n], 64;\ncall.uni (p), malloc, (n);\n}\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:15:1: error[E0709]: 'call.uni' is known, but this machine does not execute it\n"
                     "   15 | call.uni (p), malloc, (n);\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "     found: 1 instruction of this form in 'k'; 'malloc' has no body: of the functions that a GPU's driver brings along, "
                     "vprintf and __assertfail are known, and other files are not linked\n");
}

/* Each function by itself, with its own count. */
static void calls_of_different_functions_without_a_body_are_counted_apart(void **state)
{
    kernel_must_fail(*state,
                     KERNEL(".extern .func (.param .b64 p) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
                            ".extern .func (.param .b64 p) other(.param .b64 n);\n",
                            "{\n.param .b64 n; .param .b64 p;\nst.param.b64 [n], 64;\ncall.uni (p), malloc, (n);\ncall.uni (p), other, (n);\n"
                            "call.uni (p), malloc, (n);\ncall.uni free, (p);\n}\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:17:1: error[E0709]: 'call.uni' is known, but this machine does not execute it\n"
                     "   17 | call.uni (p), malloc, (n);\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "     found: 2 instructions of this form in 'k'; 'malloc' has no body: of the functions that a GPU's driver brings along, "
                     "vprintf and __assertfail are known, and other files are not linked\n"
                     "k.ptx:18:1: error[E0709]: 'call.uni' is known, but this machine does not execute it\n"
                     "   18 | call.uni (p), other, (n);\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "     found: 1 instruction of this form in 'k'; 'other' has no body: of the functions that a GPU's driver brings along, "
                     "vprintf and __assertfail are known, and other files are not linked\n"
                     "k.ptx:20:1: error[E0709]: 'call.uni' is known, but this machine does not execute it\n"
                     "   20 | call.uni free, (p);\n"
                     "      | ^~~~~~~~~~~~~~~~~~~\n"
                     "     found: 1 instruction of this form in 'k'; 'free' has no body: of the functions that a GPU's driver brings along, "
                     "vprintf and __assertfail are known, and other files are not linked\n");
}

static void a_failed_assertion_ends_the_launch(void **state)
{
    kernel_must_fail(*state,
                     KERNEL(PRINT_DECLS ".global .align 1 .b8 m[6] = {110, 32, 62, 32, 48, 0}; .global .align 1 .b8 f[5] = {107, 46, 99, 117, 0}; "
                                        ".global .align 1 .b8 n[5] = {109, 97, 105, 110, 0};",
                            "mov.u64 %q1, m; mov.u64 %q2, f; mov.u64 %q3, n;\n"
                            "{\n.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
                            "st.param.b64 [a], %q1; st.param.b64 [b], %q2; st.param.b32 [c], 33; st.param.b64 [d], %q3; st.param.b64 [e], 1;\n"
                            "call.uni __assertfail, (a, b, c, d, e);\n}\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:17:1: error[E0712]: device assertion failed: n > 0\n"
                     "   17 | call.uni __assertfail, (a, b, c, d, e);\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "     found: k.cu:33, in 'main'\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_device_function_takes_and_gives_values),
        ROOM_TEST(a_structure_is_returned_by_value),
        ROOM_TEST(a_recursive_function_keeps_a_frame_for_each_call),
        ROOM_TEST(a_recursion_without_end_is_diagnosed),
        ROOM_TEST(a_recursion_whose_variables_fill_local_memory_is_diagnosed),
        ROOM_TEST(a_fault_in_a_function_names_its_callers),
        ROOM_TEST(an_address_that_is_no_function_s_cannot_be_called),
        ROOM_TEST(a_function_pointer_splits_the_warp_by_target),
        ROOM_TEST(a_function_s_address_is_the_same_by_mov_and_in_a_table),
        ROOM_TEST(a_kernel_prints),
        ROOM_TEST(a_kernel_prints_stars_shorts_and_null),
        ROOM_TEST(a_null_string_prints_as_a_word),
        ROOM_TEST(a_function_without_a_body_is_named_before_the_run),
        ROOM_TEST(calls_of_different_functions_without_a_body_are_counted_apart),
        ROOM_TEST(a_failed_assertion_ends_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
