/* Loads with .nc: silent where nobody writes, a note where the kernel has changed what they read. The words are the new ones in
 * either case. SOURCE: PTX ISA, "ld.global.nc". */
#include "kernel_text.h"

/* The kernel must end; `want` is all that is said. */
static void runs_and_says(struct bench_room *room, const char *text, uint32_t grid, const char *want)
{
    struct rig rig;
    uint64_t out;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    (void)kernel_load(&rig, room, text, &out);
    assert_int_equal(kernel_run(&rig, &out, grid, 32, 1), LAUNCH_FINISHED);
    tw_test_expect_diags(room, want);
    rig_end(&rig);
}

static void memory_that_nobody_writes_is_read_in_silence(void **state)
{
    static const char *const rows[] = {
        KERNEL("", "ld.global.nc.u32 %r1, [%at];\nst.global.u32 [%at+4096], %r1;\n"),
        KERNEL("", "ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%out];\nst.global.u32 [%at+16], 9;\n"),
        KERNEL("", "st.global.u32 [%at], 0;\nld.global.nc.u32 %r1, [%at];\n"), /* the value has not changed */
        KERNEL("", "st.global.u32 [%at], 7;\nld.global.u32 %r1, [%at];\n"),    /* no .nc */
        KERNEL("", "ld.global.nc.u32 %r1, [%at];\nst.global.u32 [%at], 7;\n"), /* written after it was read */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        runs_and_says(*state, rows[i], 1, "");
}

static void memory_that_the_kernel_has_changed_is_remarked_once_an_instruction(void **state)
{
    runs_and_says(*state, KERNEL("", "add.u32 %r2, %t, 7;\nst.global.u32 [%at], %r2;\nld.global.nc.u32 %r1, [%at];\nld.global.nc.u16 %r1, [%at];\n"), 3,
                  "k.ptx:13:1: note[E0723]: a load with .nc reads what the kernel has changed\n"
                  "   13 | ld.global.nc.u32 %r1, [%at];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: memory that nobody writes while the kernel runs\n"
                  "     found: byte 0 of 'out': 0x00000000 when the kernel began, 0x00000007 now; a GPU may give either\n"
                  "       fix: leave .nc away, or write elsewhere\n"
                  "      spec: PTX ISA, ld.global.nc\n"
                  "note: by thread (0,0,0) of block (0,0,0)\n"
                  "k.ptx:14:1: note[E0723]: a load with .nc reads what the kernel has changed\n"
                  "   14 | ld.global.nc.u16 %r1, [%at];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: memory that nobody writes while the kernel runs\n"
                  "     found: byte 0 of 'out': 0x0000 when the kernel began, 0x0007 now; a GPU may give either\n"
                  "       fix: leave .nc away, or write elsewhere\n"
                  "      spec: PTX ISA, ld.global.nc\n"
                  "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void the_element_of_a_vector_that_has_changed_is_named(void **state)
{
    runs_and_says(*state,
                  KERNEL("", "setp.ne.u32 %p1, %t, 0;\n@%p1 bra DONE;\nst.global.b64 [%out+24], 0x1122334455667788;\n"
                             "ld.global.nc.v2.u64 {%q1, %q2}, [%out+16];\nDONE:\n"),
                  1, "k.ptx:14:1: note[E0723]: a load with .nc reads what the kernel has changed\n"
                     "   14 | ld.global.nc.v2.u64 {%q1, %q2}, [%out+16];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: memory that nobody writes while the kernel runs\n"
                     "     found: byte 24 of 'out': 0x0000000000000000 when the kernel began, 0x1122334455667788 now; a GPU may give either\n"
                     "       fix: leave .nc away, or write elsewhere\n"
                     "      spec: PTX ISA, ld.global.nc\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

/* What a kernel changes through a module's variable is global memory, too. */
static void the_new_words_are_what_the_load_gives(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, room,
                                              KERNEL(".global .align 4 .u32 flag = 5;", "st.global.u32 [flag], 6;\nmov.u64 %q1, flag;\n"
                  "ld.global.nc.u32 %r1, [%q1];\nst.global.u32 [%at], %r1;\n"),
                                              &out);
    assert_int_equal(kernel_run(&rig, &out, 1, 32, 1), LAUNCH_FINISHED);
    assert_int_equal(words[0], 6);
    tw_test_expect_diags(room, "k.ptx:13:1: note[E0723]: a load with .nc reads what the kernel has changed\n"
                               "   13 | ld.global.nc.u32 %r1, [%q1];\n"
                               "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                               "  expected: memory that nobody writes while the kernel runs\n"
                               "     found: byte 0 of 'flag': 0x00000005 when the kernel began, 0x00000006 now; a GPU may give either\n"
                               "       fix: leave .nc away, or write elsewhere\n"
                               "      spec: PTX ISA, ld.global.nc\n"
                               "note: by thread (0,0,0) of block (0,0,0)\n");
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(memory_that_nobody_writes_is_read_in_silence),
        ROOM_TEST(memory_that_the_kernel_has_changed_is_remarked_once_an_instruction),
        ROOM_TEST(the_element_of_a_vector_that_has_changed_is_named),
        ROOM_TEST(the_new_words_are_what_the_load_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
