/* Local memory that is asked for while a kernel runs, addresses of parameters, shared memory that is shared by name. */
#include "kernel_text.h"

/* A function allocates, fills and sums; what it has allocated is gone afterwards: a thousand calls fit. */
static void a_function_gives_its_stack_back_at_its_return(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL(".func (.param .b32 result) sum(.param .b32 n)\n{\n.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %q<9>;\n"
               "ld.param.u32 %r1, [n];\nmul.wide.u32 %q1, %r1, 4;\nalloca.u64 %q2, %q1, 16;\n"
               "mov.u32 %r2, 0;\nmov.u64 %q3, %q2;\nFILL: st.local.u32 [%q3], %r2;\nadd.u64 %q3, %q3, 4;\nadd.u32 %r2, %r2, 1;\n"
               "setp.lt.u32 %p, %r2, %r1;\n@%p bra FILL;\n"
               "mov.u32 %r3, 0;\nADD: sub.u64 %q3, %q3, 4;\nld.local.u32 %r4, [%q3];\nadd.u32 %r3, %r3, %r4;\nsetp.gt.u64 %p, %q3, %q2;\n@%p bra ADD;\n"
               "cvt.u32.u64 %r5, %q2;\nand.b32 %r5, %r5, 15;\nadd.u32 %r3, %r3, %r5;\n" /* 0: the address is a multiple of 16 */
               "st.param.b32 [result], %r3;\nret;\n}\n",
               "mov.u32 %r1, 0;\nmov.u32 %r5, 0;\nadd.u32 %r4, %t, 1;\n"
               "NEXT: {\n.param .b32 arg;\n.param .b32 back;\nst.param.b32 [arg], %r4;\ncall.uni (back), sum, (arg);\nld.param.b32 %r2, [back];\n}\n"
               "add.u32 %r5, %r5, %r2;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra NEXT;\nst.global.u32 [%at], %r5;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 3);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], 1000 * (i * (i + 1) / 2));
    rig_end(&rig);
}

static void a_saved_stack_can_be_restored(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL("", "stacksave.u64 %q1;\nalloca.u64 %q2, 64;\nalloca.u64 %q3, 64;\nst.local.u32 [%q2], 5;\nst.local.u32 [%q3], 6;\n"
                   "ld.local.u32 %r1, [%q2];\nld.local.u32 %r2, [%q3];\nstackrestore.u64 %q1;\nalloca.u64 %q4, 8;\n"
                   "sub.u64 %q5, %q4, %q2;\ncvt.u32.u64 %r3, %q5;\nst.global.v4.u32 [%out], {%r1, %r2, %r3, %r3};\n"
                   "cvta.local.u64 %q6, %q4;\nst.u32 [%q6], 9;\nld.local.u32 %r4, [%q4];\nst.global.u32 [%out+16], %r4;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 1, 0);
    static const uint32_t want[] = {5, 6, 0, 0, 9};
    assert_memory_equal(words, want, sizeof want);
    rig_end(&rig);
}

static void a_stack_that_is_full_is_diagnosed(void **state)
{
    kernel_must_fail(*state, KERNEL("", "alloca.u64 %q1, 16000;\nalloca.u64 %q2, 400;\nst.global.u64 [%out], %q2;\n"), 1, 1, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0722]: alloca of 400 bytes: the thread's stack is full\n"
                     "   12 | alloca.u64 %q2, 400;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: at most 16384 bytes in all\n"
                     "     found: 384 bytes left\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
    struct bench_room *const room = *state;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    kernel_must_fail(*state, KERNEL("", "stacksave.u64 %q1;\nadd.u64 %q1, %q1, 8;\nstackrestore.u64 %q1;\n"), 1, 1, LAUNCH_FAULT,
                     "k.ptx:13:1: error[E0722]: stackrestore to 0x8\n"
                     "   13 | stackrestore.u64 %q1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: a value that stacksave has given, and not above the stack's present end\n"
                     "      spec: PTX ISA, stackrestore\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

/* A structure is passed by value; its address goes on to another function. */
static void the_address_of_a_parameter_may_be_taken(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL(".func (.param .b32 r) second(.param .b64 where)\n{\n.reg .b32 %r<3>; .reg .b64 %q<3>;\n"
               "ld.param.u64 %q1, [where];\nld.u32 %r1, [%q1+4];\nst.param.b32 [r], %r1;\nret;\n}\n"
               ".func (.param .b32 r) of_pair(.param .align 8 .b8 pair[16])\n{\n.reg .b32 %r<3>; .reg .b64 %q<3>;\n"
               "mov.b64 %q1, pair;\ncvta.param.u64 %q1, %q1;\n"
               "{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %q1;\ncall.uni (b), second, (a);\nld.param.b32 %r1, [b];\n}\n"
               "st.param.b32 [r], %r1;\nret;\n}\n",
               "{\n.param .align 8 .b8 p[16];\n.param .b32 b;\nst.param.b32 [p], 1;\nadd.u32 %r1, %t, 77;\nst.param.b32 [p+4], %r1;\n"
               "call.uni (b), of_pair, (p);\nld.param.b32 %r2, [b];\n}\nst.global.u32 [%at], %r2;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], 77 + i);
    rig_end(&rig);
}

/* MEASURED: ptx-async.md 8.8, all extern shared arrays begin at one address, aligned to the largest alignment. */
static void extern_shared_arrays_are_one_memory(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL(".shared .align 4 .b8 fixed[20];\n.extern .shared .align 4 .b8 small[];\n.extern .shared .align 128 .b8 large[];\n",
               "mov.u32 %r1, small;\nmov.u32 %r2, large;\nmov.u32 %r3, fixed;\nst.shared.u32 [small+8], 1234;\nld.shared.u32 %r4, [large+8];\n"
               "st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};\n"),
        &out);
    rig_must_run(&rig, "k", (struct launch_spec){.block = {1}, .dynamic_shared_bytes = 256, .params = &out, .param_bytes = 8});
    assert_int_equal(words[0], words[1]);
    assert_int_equal(words[0] % 128, 0);
    assert_true(words[0] >= words[2] + 20);
    assert_int_equal(words[3], 1234);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_function_gives_its_stack_back_at_its_return),
        ROOM_TEST(a_saved_stack_can_be_restored),
        ROOM_TEST(a_stack_that_is_full_is_diagnosed),
        ROOM_TEST(the_address_of_a_parameter_may_be_taken),
        ROOM_TEST(extern_shared_arrays_are_one_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
