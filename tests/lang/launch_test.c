/* Launch hints: T.attr({"tirx.launch_bounds_min_blocks_per_sm": n}), where it may stand and what it takes.
 * SOURCE: kernel-language 1.4; ptxas 13.0 for the range. */
#include "lang/lang_support.h"

#define HINT "\"tirx.launch_bounds_min_blocks_per_sm\""
/* The body begins on line 4. */
#define MID "from tvm.script import tirx as T\n@T.prim_func\ndef k(n: T.int32):\n"

static int64_t min_blocks_of(struct bench_room *room, const char *program)
{
    const struct ir_kernel *k = tw_lang_build(load_text(room, program), "k");
    tw_test_expect_diags(room, "");
    assert_non_null(k);
    return k->launch.min_blocks;
}

static void a_hint_stands_before_or_behind_the_extents(void **state)
{
    static const struct {
        const char *program;
        int64_t want;
    } cases[] = {
        {MID "    T.device_entry()\n    T.attr({" HINT ": 1})\n    t = T.thread_id([384])\n", 1},
        {MID "    T.device_entry()\n    bx = T.cta_id([2])\n    t = T.thread_id([384])\n    T.attr({" HINT ": 2})\n", 2},
        {MID "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    T.attr({" HINT ": 32})\n", 32},
        {MID "    T.device_entry()\n    t = T.thread_id([384])\n", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(min_blocks_of(*state, cases[i].program), cases[i].want);
}

/* The value is any integer that is known, and what is decided or called while parsing leaves the statement where it is. */
static void a_hint_is_computed_while_parsing(void **state)
{
    static const struct {
        const char *program;
        int64_t want;
    } cases[] = {
        {"from tvm.script import tirx as T\nHINTS = {" HINT ": 2 * 3}\n@T.function\ndef k(n: T.int32):\n"
         "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    T.attr(HINTS)\n", 6},
        {MID "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
             "    if True:\n        T.attr({" HINT ": 3})\n    else:\n        T.attr({" HINT ": 4})\n", 3},
        {"from tvm.script import tirx as T\n@T.inline\ndef bound(blocks):\n    T.attr({" HINT ": blocks})\n"
         "@T.function\ndef k(n: T.int32):\n    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    bound(5)\n", 5},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(min_blocks_of(*state, cases[i].program), cases[i].want);
}

static void a_hint_of_another_value_is_refused(void **state)
{
    static const struct lang_case cases[] = {
        {"T.attr({" HINT ": 0})",
         "k.py:6:12: error[E0215]: the number of blocks per SM is not possible\n"
         "    6 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 0})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 1 to 32\n"
         "     found: 0\n"},
        {"T.attr({" HINT ": 33})",
         "k.py:6:12: error[E0215]: the number of blocks per SM is not possible\n"
         "    6 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 33})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 1 to 32\n"
         "     found: 33\n"},
        {"T.attr({" HINT ": n})",
         "k.py:6:12: error[E0207]: the number of blocks per SM must be known at compile time\n"
         "    6 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": n})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an integer\n"
         "     found: a run-time value of type int32\n"},
        {"T.attr({" HINT ": 1.0})",
         "k.py:6:12: error[E0206]: the number of blocks per SM has the wrong kind\n"
         "    6 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1.0})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an integer\n"
         "     found: a float\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

static void a_hint_from_the_host_is_refused(void **state)
{
    struct bench_room *room = *state;
    assert_null(tw_lang_build(load_text(room,
                                        "from tvm.script import tirx as T\nimport numpy as np\nHINTS = {" HINT ": np.max(4)}\n"
                                        "@T.function\ndef k(n: T.int32):\n"
                                        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    T.attr(HINTS)\n"),
                              "k"));
    tw_test_expect_diags(room,
                         "k.py:7:12: error[E0204]: the number of blocks per SM is a host value\n"
                         "    7 |     T.attr(HINTS)\n"
                         "      |            ^~~~~\n"
                         "  expected: a value that is known when the kernel is compiled\n"
                         "     found: a value computed from the module 'numpy'\n"
                         "k.py:2:8: note: it came into the program here\n"
                         "    2 | import numpy as np\n"
                         "      |        ^~~~~~~~~~~\n"
                         "k.py:3:50: note: the value was made here\n"
                         "    3 | HINTS = {\"tirx.launch_bounds_min_blocks_per_sm\": np.max(4)}\n"
                         "      |                                                  ^~~~~~~~~\n");
}

static void a_hint_that_does_not_exist_is_refused(void **state)
{
    static const struct lang_case cases[] = {
        {"T.attr({\"tirx.launch_bounds_min_block_per_sm\": 1})",
         "k.py:6:12: error[E0205]: there is no launch hint 'tirx.launch_bounds_min_block_per_sm'\n"
         "    6 |     T.attr({\"tirx.launch_bounds_min_block_per_sm\": 1})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: \"tirx.launch_bounds_min_blocks_per_sm\"\n"
         "       fix: write \"tirx.launch_bounds_min_blocks_per_sm\"\n"},
        {"T.attr({" HINT ": 1, \"tirx.scope_partition\": True})",
         "k.py:6:12: error[E0205]: there is no launch hint 'tirx.scope_partition'\n"
         "    6 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1, \"tirx.scope_partition\": True})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: \"tirx.launch_bounds_min_blocks_per_sm\"\n"},
        {"T.attr({1: 1})",
         "k.py:6:12: error[E0206]: the name of a launch hint has the wrong kind\n"
         "    6 |     T.attr({1: 1})\n"
         "      |            ^~~~~~\n"
         "  expected: a string\n"
         "     found: the integer 1\n"},
        {"T.attr({})",
         "k.py:6:12: error[E0205]: 'attr' is given no launch hint\n"
         "    6 |     T.attr({})\n"
         "      |            ^~\n"
         "  expected: {\"tirx.launch_bounds_min_blocks_per_sm\": n}\n"},
        {"T.attr(" HINT ")",
         "k.py:6:12: error[E0206]: the launch hint has the wrong kind\n"
         "    6 |     T.attr(\"tirx.launch_bounds_min_blocks_per_sm\")\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: {\"tirx.launch_bounds_min_blocks_per_sm\": n}\n"
         "     found: the string 'tirx.launch_bounds_min_blocks_per_sm'\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

static void other_forms_of_the_call_are_refused_by_name(void **state)
{
    static const struct lang_case cases[] = {
        {"T.attr(n, \"thread_extent\", 32)",
         "k.py:6:5: error[E0203]: T.attr(node, key, value) is not supported\n"
         "    6 |     T.attr(n, \"thread_extent\", 32)\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"with T.attr({" HINT ": 1}):\n    pass",
         "k.py:6:5: error[E0203]: the 'with' statement is not supported\n"
         "    6 |     with T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1}):\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

static void a_hint_stands_once_and_outside_branches_and_loops(void **state)
{
    static const struct lang_case cases[] = {
        {"T.attr({" HINT ": 1})\nT.attr({" HINT ": 1})",
         "k.py:7:12: error[E0212]: a kernel is given the hint 'tirx.launch_bounds_min_blocks_per_sm' twice\n"
         "    7 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "k.py:6:12: note: the first is here\n"
         "    6 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})\n"
         "      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"for i in range(4):\n    T.attr({" HINT ": 1})",
         "k.py:7:9: error[E0212]: T.attr() stands inside a branch or loop\n"
         "    7 |         T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"if n > 0:\n    T.attr({" HINT ": 1})",
         "k.py:7:9: error[E0212]: T.attr() stands inside a branch or loop\n"
         "    7 |         T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

static void a_hint_stands_behind_the_entry(void **state)
{
    struct bench_room *room = *state;
    assert_null(tw_lang_build(load_text(room, MID "    T.attr({" HINT ": 1})\n    T.device_entry()\n    t = T.thread_id([32])\n"), "k"));
    tw_test_expect_diags(room,
                         "k.py:4:5: error[E0212]: 'attr' stands before T.device_entry()\n"
                         "    4 |     T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})\n"
                         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                         "       fix: move it behind the kernel's T.device_entry(...)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_hint_stands_before_or_behind_the_extents),
        ROOM_TEST(a_hint_is_computed_while_parsing),
        ROOM_TEST(a_hint_of_another_value_is_refused),
        ROOM_TEST(a_hint_from_the_host_is_refused),
        ROOM_TEST(a_hint_that_does_not_exist_is_refused),
        ROOM_TEST(other_forms_of_the_call_are_refused_by_name),
        ROOM_TEST(a_hint_stands_once_and_outside_branches_and_loops),
        ROOM_TEST(a_hint_stands_behind_the_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
