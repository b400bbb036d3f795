/* Registers of tcgen05.ld before tcgen05.wait::ld. SOURCE: PTX ISA, tcgen05.ld: the result is available after tcgen05.wait::ld. */
#include "support/check.h"

#include "check/check.h"
#include "ptx/ptx.h"

#include <stdlib.h>

static void check_text(struct bench_room *room, const char *target, const char *body)
{
    struct arena scratch;
    struct landing landing = {0};
    tw_arena_init(&scratch, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort(); /* a test that exhausts memory is a broken test */
    const char *const text = tw_format(&room->arena,
                                       ".version 8.8\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                                       ".reg .pred %%p<4>;\n.reg .b32 %%r<12>;\n.reg .b64 %%rd<4>;\n%sret;\n}\n",
                                       target, body);
    struct ptx_module *const m = tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags,
                                              tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    assert_int_equal(room->diags.error_count, 0);
    tw_check_module(&scratch, m, &room->diags);
    tw_arena_release(&scratch);
}

static void expect(void **state, const char *body, const char *want)
{
    check_text(*state, "sm_100a", body);
    tw_test_expect_diags(*state, want);
    tw_test_teardown(state);
    tw_test_setup(state);
}

#define LOAD "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r0];\n"
#define WAIT "tcgen05.wait::ld.sync.aligned;\n"

#define READ_AT(line, text, bar, reg)                                                   \
    "k.ptx:" line ":1: note[E0900]: " reg " is read before tcgen05.wait::ld\n"          \
    "   " line " | " text "\n"                                                          \
    "      | " bar "\n"                                                                 \
    "  expected: tcgen05.wait::ld on every path from the load to this instruction\n"    \
    "     found: a path from the tcgen05.ld that writes " reg " on which there is none\n" \
    "       fix: put tcgen05.wait::ld.sync.aligned in front of this instruction\n"      \
    "      spec: PTX ISA, tcgen05.ld and tcgen05.wait\n"                                \
    "k.ptx:9:1: note: loaded here\n"                                                    \
    "    9 | tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r0];\n"                \
    "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"

static void a_loaded_register_is_read_after_the_wait(void **state)
{
    expect(state, LOAD WAIT "add.u32 %r3, %r1, %r2;\n", "");
    expect(state, LOAD "add.u32 %r3, %r1, %r2;\n" WAIT, READ_AT("10", "add.u32 %r3, %r1, %r2;", "^~~~~~~~~~~~~~~~~~~~~~", "%r1"));
}

static void a_load_is_reported_once(void **state)
{
    expect(state, LOAD "add.u32 %r3, %r4, %r2;\nadd.u32 %r3, %r1, %r2;\nadd.u32 %r3, %r1, %r2;\n",
           READ_AT("10", "add.u32 %r3, %r4, %r2;", "^~~~~~~~~~~~~~~~~~~~~~", "%r2"));
}

static void another_wait_is_none(void **state)
{
    expect(state, LOAD "tcgen05.wait::st.sync.aligned;\nadd.u32 %r3, %r1, %r2;\n",
           READ_AT("11", "add.u32 %r3, %r1, %r2;", "^~~~~~~~~~~~~~~~~~~~~~", "%r1"));
}

static void one_path_without_the_wait_is_enough(void **state)
{
    expect(state, LOAD "@%p1 bra SKIP;\n" WAIT "SKIP:\nadd.u32 %r3, %r1, %r2;\n",
           READ_AT("13", "add.u32 %r3, %r1, %r2;", "^~~~~~~~~~~~~~~~~~~~~~", "%r1"));
    expect(state, LOAD "@%p1 bra OTHER;\n" WAIT "bra MEET;\nOTHER:\n" WAIT "MEET:\nadd.u32 %r3, %r1, %r2;\n", "");
}

static void the_next_round_of_a_loop_is_a_path(void **state)
{
    expect(state, "bra ENTER;\nAGAIN:\nadd.u32 %r3, %r1, %r2;\nENTER:\n" LOAD "@%p1 bra AGAIN;\n" WAIT,
           "k.ptx:11:1: note[E0900]: %r1 is read before tcgen05.wait::ld\n"
           "   11 | add.u32 %r3, %r1, %r2;\n"
           "      | ^~~~~~~~~~~~~~~~~~~~~~\n"
           "  expected: tcgen05.wait::ld on every path from the load to this instruction\n"
           "     found: a path from the tcgen05.ld that writes %r1 on which there is none\n"
           "       fix: put tcgen05.wait::ld.sync.aligned in front of this instruction\n"
           "      spec: PTX ISA, tcgen05.ld and tcgen05.wait\n"
           "k.ptx:13:1: note: loaded here\n"
           "   13 | tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r0];\n"
           "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    expect(state, "bra ENTER;\nAGAIN:\nadd.u32 %r3, %r1, %r2;\nENTER:\n" LOAD WAIT "@%p1 bra AGAIN;\n", "");
}

static void a_register_that_is_overwritten_has_no_part_in_the_load(void **state)
{
    expect(state, LOAD "mov.u32 %r1, 0;\nadd.u32 %r3, %r1, 1;\n" WAIT, "");
    expect(state, LOAD "@%p1 mov.u32 %r1, 0;\nadd.u32 %r3, %r1, 1;\n" WAIT,
           READ_AT("11", "add.u32 %r3, %r1, 1;", "^~~~~~~~~~~~~~~~~~~~", "%r1"));
}

static void addresses_and_vectors_are_reads_too(void **state)
{
    expect(state, LOAD "ld.shared.u32 %r3, [%r1];\n" WAIT, READ_AT("10", "ld.shared.u32 %r3, [%r1];", "^~~~~~~~~~~~~~~~~~~~~~~~~", "%r1"));
    expect(state, LOAD "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {%r4, %r2};\n" WAIT,
           READ_AT("10", "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {%r4, %r2};", "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "%r2"));
}

static void the_result_of_a_reducing_load_waits_alike(void **state)
{
    check_text(*state, "sm_103a", "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r1, %r2}, %r5, [%r0];\nadd.u32 %r3, %r5, 1;\n" WAIT);
    tw_test_expect_diags(*state,
                         "k.ptx:10:1: note[E0900]: %r5 is read before tcgen05.wait::ld\n"
                         "   10 | add.u32 %r3, %r5, 1;\n"
                         "      | ^~~~~~~~~~~~~~~~~~~~\n"
                         "  expected: tcgen05.wait::ld on every path from the load to this instruction\n"
                         "     found: a path from the tcgen05.ld.red that writes %r5 on which there is none\n"
                         "       fix: put tcgen05.wait::ld.sync.aligned in front of this instruction\n"
                         "      spec: PTX ISA, tcgen05.ld and tcgen05.wait\n"
                         "k.ptx:9:1: note: loaded here\n"
                         "    9 | tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r1, %r2}, %r5, [%r0];\n"
                         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_loaded_register_is_read_after_the_wait),
        ROOM_TEST(a_load_is_reported_once),
        ROOM_TEST(another_wait_is_none),
        ROOM_TEST(one_path_without_the_wait_is_enough),
        ROOM_TEST(the_next_round_of_a_loop_is_a_path),
        ROOM_TEST(a_register_that_is_overwritten_has_no_part_in_the_load),
        ROOM_TEST(addresses_and_vectors_are_reads_too),
        ROOM_TEST(the_result_of_a_reducing_load_waits_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
