/* What is refused of launches, assignments, loops, instructions, and at module level, with its exact words. */
#include "lang_support.h"

/* E0210 */
static void names_that_never_change_are_protected(void **state)
{
    static const struct lang_case cases[] = {
        {"for i in range(4):\n    i = 2",
         "k.py:7:9: error[E0210]: 'i' cannot be assigned again\n"
         "    7 |         i = 2\n"
         "      |         ^\n"
         "     found: a loop variable\n"
         "k.py:6:9: note: bound here\n"
         "    6 |     for i in range(4):\n"
         "      |         ^\n"},
        {"v: T.let[T.int32] = n\nv = 3",
         "k.py:7:5: error[E0210]: 'v' cannot be assigned again\n"
         "    7 |     v = 3\n"
         "      |     ^\n"
         "     found: a value bound with T.let\n"
         "k.py:6:5: note: bound here\n"
         "    6 |     v: T.let[T.int32] = n\n"
         "      |     ^\n"},
        {"n = 3",
         "k.py:6:5: error[E0210]: 'n' cannot be assigned again\n"
         "    6 |     n = 3\n"
         "      |     ^\n"
         "     found: a parameter\n"
         "k.py:4:71: note: bound here\n"
         "    4 | def k(A: T.Tensor((4, 8), \"float32\"), B: T.Tensor((4, 8), \"float16\"), n: T.int32):\n"
         "      |                                                                       ^\n"},
        {"x = y = 1",
         "k.py:6:5: error[E0210]: one assignment has several '='\n"
         "    6 |     x = y = 1\n"
         "      |     ^~~~~~~~~\n"
         "       fix: write one assignment for each name\n"},
        {"t = A\nif n > 0:\n    t = B",
         "k.py:8:9: error[E0210]: 't' cannot be assigned again\n"
         "    8 |         t = B\n"
         "      |         ^\n"
         "     found: a global tensor of shape (4, 8) and dtype float32\n"
         "k.py:6:5: note: bound here\n"
         "    6 |     t = A\n"
         "      |     ^\n"},
        {"p = A.ptr_to([0, n])\np = A.ptr_to([1, n])",
         "k.py:7:5: error[E0210]: 'p' cannot be assigned again\n"
         "    7 |     p = A.ptr_to([1, n])\n"
         "      |     ^\n"
         "     found: a pointer\n"
         "k.py:6:5: note: bound here\n"
         "    6 |     p = A.ptr_to([0, n])\n"
         "      |     ^\n"},
        {"x = 1\nx: T.int32 = 2",
         "k.py:7:5: error[E0210]: 'x' cannot be assigned again\n"
         "    7 |     x: T.int32 = 2\n"
         "      |     ^~~~~~~~~~~~~~\n"
         "     found: a name that is bound in this scope already\n"
         "k.py:6:5: note: bound here\n"
         "    6 |     x = 1\n"
         "      |     ^\n"},
        {"v: T.let[T.int32]",
         "k.py:6:5: error[E0210]: 'v' is bound with T.let, but has no value\n"
         "    6 |     v: T.let[T.int32]\n"
         "      |     ^~~~~~~~~~~~~~~~~\n"},
        {"v: T.let[T.uint32] = 1\nT.ptx.mov.b32(v, 2)",
         "k.py:7:19: error[E0210]: 'v' is bound with T.let, and cannot be written to\n"
         "    7 |     T.ptx.mov.b32(v, 2)\n"
         "      |                   ^\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0211 */
static void numbers_must_fit(void **state)
{
    static const struct lang_case cases[] = {
        {"x = n // 0",
         "k.py:6:9: error[E0211]: division by zero\n"
         "    6 |     x = n // 0\n"
         "      |         ^~~~~~\n"},
        {"x: T.uint8 = 300",
         "k.py:6:18: error[E0211]: the integer 300 does not fit the type uint8\n"
         "    6 |     x: T.uint8 = 300\n"
         "      |                  ^~~\n"
         "       fix: use a wider type, such as T.int64\n"},
        {"x = n + 5000000000",
         "k.py:6:9: error[E0211]: the integer 5000000000 does not fit the type int32\n"
         "    6 |     x = n + 5000000000\n"
         "      |         ^~~~~~~~~~~~~~\n"
         "       fix: use a wider type, such as T.int64\n"},
        {"for i in range(5000000000):\n    pass",
         "k.py:6:14: error[E0211]: the end of the loop does not fit the type int32 of a loop variable\n"
         "    6 |     for i in range(5000000000):\n"
         "      |              ^~~~~~~~~~~~~~~~~\n"
         "     found: 5000000000\n"},
        {"x = 1 << -1",
         "k.py:6:9: error[E0211]: a shift by a negative count\n"
         "    6 |     x = 1 << -1\n"
         "      |         ^~~~~~~\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0213 */
static void instructions_are_spelled_as_the_catalogue_says(void **state)
{
    static const struct lang_case cases[] = {
        {"T.ptx.mbarier.init.shared.b64(n)",
         "k.py:6:5: error[E0213]: there is no instruction 'mbarier.init.shared.b64'\n"
         "    6 |     T.ptx.mbarier.init.shared.b64(n)\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "     found: 'mbarier'\n"
         "       fix: write 'mbarrier.init'\n"},
        {"T.ptx.mbarrier.init.shared.b32(n)",
         "k.py:6:5: error[E0213]: 'mbarrier.init.shared.b32' does not take one of its qualifiers\n"
         "    6 |     T.ptx.mbarrier.init.shared.b32(n)\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: .b64\n"
         "     found: 'b32'\n"},
        {"T.ptx.mbarrier.init.shraed.b64(n)",
         "k.py:6:5: error[E0213]: 'mbarrier.init.shraed.b64' has an unknown qualifier\n"
         "    6 |     T.ptx.mbarrier.init.shraed.b64(n)\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: mbarrier.init{.space=shared|shared::cta}.b64\n"
         "     found: 'shraed'\n"
         "       fix: write 'shared'\n"},
        {"T.ptx.tcgen05.ld.sync.aligned()",
         "k.py:6:5: error[E0213]: 'tcgen05.ld.sync.aligned' lacks a qualifier\n"
         "    6 |     T.ptx.tcgen05.ld.sync.aligned()\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: the shape: .16x64b, .16x128b, .16x256b or .32x32b\n"
         "     found: 'tcgen05.ld'\n"},
        {"T.ptx.ld[\"x\"]",
         "k.py:6:14: error[E0213]: brackets continue no instruction\n"
         "    6 |     T.ptx.ld[\"x\"]\n"
         "      |              ^~~\n"
         "  expected: T.ptx[\"...\"] with the whole instruction\n"},
        {"T.ptx[\"fence.proxy.async\"].foo()",
         "k.py:6:5: error[E0213]: an instruction that is written as text is complete\n"
         "    6 |     T.ptx[\"fence.proxy.async\"].foo()\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "       fix: write the qualifier 'foo' inside the brackets\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0214 */
static void operands_must_fit_the_instruction(void **state)
{
    static const struct lang_case cases[] = {
        {"T.ptx.mbarrier.init.shared.b64(A.ptr_to([0, 0]), 1)",
         "k.py:6:36: error[E0214]: the mbarrier address does not fit\n"
         "    6 |     T.ptx.mbarrier.init.shared.b64(A.ptr_to([0, 0]), 1)\n"
         "      |                                    ^~~~~~~~~~~~~~~~\n"
         "  expected: a pointer into shared memory, or a uint32 address of its window\n"
         "     found: a pointer into a global tensor\n"},
        {"s = T.alloc_shared((1,), \"uint64\")\nT.ptx.mbarrier.init.shared.b64(s.ptr_to([0]))",
         "k.py:7:5: error[E0214]: 'mbarrier.init.shared.b64' does not take 1 operand\n"
         "    7 |     T.ptx.mbarrier.init.shared.b64(s.ptr_to([0]))\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: mbarrier address, count\n"},
        {"s = T.alloc_shared((1,), \"uint64\")\nT.ptx.mbarrier.init.shared.b64(s.ptr_to([0]), 1.5)",
         "k.py:7:51: error[E0214]: the count does not fit\n"
         "    7 |     T.ptx.mbarrier.init.shared.b64(s.ptr_to([0]), 1.5)\n"
         "      |                                                   ^~~\n"
         "  expected: a value of type u32\n"
         "     found: a float\n"},
        {"s = T.alloc_shared((1,), \"uint64\")\nT.ptx.mbarrier.init.shared.b64(s.ptr_to([0]), n)",
         "k.py:7:51: error[E0214]: the count does not fit\n"
         "    7 |     T.ptx.mbarrier.init.shared.b64(s.ptr_to([0]), n)\n"
         "      |                                                   ^\n"
         "  expected: a value of type u32\n"
         "     found: a run-time value of type int32\n"
         "       fix: write T.uint32(...) around it\n"},
        {"s = T.alloc_shared((1,), \"uint64\")\nT.ptx.mbarrier.init.shared.b64(s.ptr_to([0]), 1, prde=True)",
         "k.py:7:54: error[E0214]: an instruction has no parameter 'prde'\n"
         "    7 |     T.ptx.mbarrier.init.shared.b64(s.ptr_to([0]), 1, prde=True)\n"
         "      |                                                      ^~~~~~~~~\n"
         "  expected: operands in the order of the PTX text; by name only pred and preserve_dst\n"},
        {"s = T.alloc_shared((1,), \"uint64\")\nT.ptx.mbarrier.init.shared.b64",
         "k.py:7:5: error[E0214]: the instruction is named, but not called\n"
         "    7 |     T.ptx.mbarrier.init.shared.b64\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "       fix: add the operands in parentheses, or () where it has none\n"},
        {"s = T.alloc_shared((1,), \"uint32\")\nT.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(s.ptr_to([0]), 600)",
         "k.py:7:82: error[E0214]: the column count is out of range\n"
         "    7 |     T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(s.ptr_to([0]), 600)\n"
         "      |                                                                                  ^~~\n"
         "  expected: 32 to 512\n"
         "     found: 600\n"},
        {"T.ptx.mov.b32(3, n)",
         "k.py:6:19: error[E0214]: the destination does not fit\n"
         "    6 |     T.ptx.mov.b32(3, n)\n"
         "      |                   ^\n"
         "  expected: a variable or an element of type b32 to write to\n"
         "     found: the integer 3\n"},
        {"T.ptx.cp.async_.wait_group(n)",
         "k.py:6:32: error[E0214]: the count does not fit\n"
         "    6 |     T.ptx.cp.async_.wait_group(n)\n"
         "      |                                ^\n"
         "  expected: an integer known at compile time\n"
         "     found: a run-time value of type int32\n"
         "       fix: write T.uint32(...) around it\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0212, E0215 */
static void launches_are_checked(void **state)
{
    static const struct lang_case cases[] = {
        {"T.device_entry()",
         "k.py:6:5: error[E0212]: a kernel has a second T.device_entry()\n"
         "    6 |     T.device_entry()\n"
         "      |     ^~~~~~~~~~~~~~~~\n"
         "k.py:5:5: note: the first is here\n"
         "    5 |     T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0218 */
static void failing_assertions_are_reported(void **state)
{
    static const struct lang_case cases[] = {
        {"assert 1 == 2, \"no\"",
         "k.py:6:5: error[E0218]: the assertion does not hold\n"
         "    6 |     assert 1 == 2, \"no\"\n"
         "      |     ^~~~~~~~~~~~~~~~~~~\n"
         "     found: no\n"},
        {"T.static_assert(False, \"odd\")",
         "k.py:6:5: error[E0218]: the assertion does not hold\n"
         "    6 |     T.static_assert(False, \"odd\")\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "     found: odd\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0217 */
static void expressions_and_recursion_are_bounded(void **state)
{
    static const struct lang_case cases[] = {
        {"def f(v):\n    for i in range(100):\n        v = v + v\n    return v\nA[0, 0] = f(n)",
         "k.py:8:17: error[E0217]: a run-time expression grows too large\n"
         "    8 |             v = v + v\n"
         "      |                 ^~~~~\n"
         "  expected: at most 4096 operations, nested at most 200 deep\n"
         "       fix: bind a part of it to a name in the kernel\n"},
        {"A[0, 0] = sum([n for i in range(1000)])",
         "k.py:6:15: error[E0217]: a run-time expression grows too large\n"
         "    6 |     A[0, 0] = sum([n for i in range(1000)])\n"
         "      |               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: at most 4096 operations, nested at most 200 deep\n"
         "       fix: bind a part of it to a name in the kernel\n"},
        {"def f(v):\n    return f(v + 1)\nf(n)",
         "k.py:7:16: error[E0217]: the evaluation nests deeper than 400 levels\n"
         "    7 |         return f(v + 1)\n"
         "      |                ^~~~~~~~\n"
         "       fix: end the recursion earlier\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0219 */
static void loops_run_over_ranges(void **state)
{
    static const struct lang_case cases[] = {
        {"for x in [1, 2]:\n    pass",
         "k.py:6:14: error[E0219]: a loop in a kernel does not run over this\n"
         "    6 |     for x in [1, 2]:\n"
         "      |              ^~~~~~\n"
         "  expected: range(...), T.serial(...), T.unroll(...) or T.grid(...)\n"
         "     found: the list [1, 2]\n"},
        {"for i, j in range(4):\n    pass",
         "k.py:6:9: error[E0219]: the loop names 2 variables for 1 range\n"
         "    6 |     for i, j in range(4):\n"
         "      |         ^~~~\n"
         "  expected: as many names as 'range' has ranges\n"},
        {"for A[0, 0] in range(4):\n    pass",
         "k.py:6:9: error[E0219]: a loop variable must be a plain name\n"
         "    6 |     for A[0, 0] in range(4):\n"
         "      |         ^~~~~~~\n"
         "  expected: a name\n"},
        {"for i in range(0, 4, -1):\n    pass",
         "k.py:6:14: error[E0219]: the step of a loop in a kernel is not a positive constant\n"
         "    6 |     for i in range(0, 4, -1):\n"
         "      |              ^~~~~~~~~~~~~~~\n"
         "  expected: an integer above 0, known at compile time\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

static void expect_program_refused(struct bench_room *room, const char *text, const char *want)
{
    struct lang_program *p = load_text(room, text);
    if (room->diags.error_count == 0)
        assert_null(tw_lang_build(p, "k"));
    tw_test_expect_diags(room, want);
}

#define SCRIPT "from tvm.script import tirx as T\n"

static void kernels_must_be_complete(void **state)
{
    static const struct lang_case cases[] = {
        {SCRIPT "@T.function\ndef k(A: T.Tensor((4,), \"float32\")):\n    pass\n",
         "k.py:3:5: error[E0212]: the kernel 'k' has no T.device_entry(...)\n"
         "    3 | def k(A: T.Tensor((4,), \"float32\")):\n"
         "      |     ^\n"
         "       fix: begin its body with T.device_entry(launch=T.cuda.LaunchConfig(grid=..., block=...))\n"},
        {SCRIPT "@T.function\ndef k():\n    x = T.cuda.warp_id()\n",
         "k.py:4:9: error[E0212]: 'warp_id' stands before T.device_entry()\n"
         "    4 |     x = T.cuda.warp_id()\n"
         "      |         ^~~~~~~~~~~~~~~~\n"
         "       fix: move it behind the kernel's T.device_entry(...)\n"},
        {SCRIPT "@T.function\ndef kk():\n    pass\n",
         "error[E0212]: there is no kernel 'k'\n"
         "  expected: one of: kk\n"
         "       fix: write 'kk'\n"},
        {SCRIPT "import numpy as k\n",
         "k.py:2:8: error[E0212]: there is no kernel 'k'\n"
         "    2 | import numpy as k\n"
         "      |        ^~~~~~~~~~\n"
         "  expected: one of: (the file has no kernel)\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as k\n"
         "      |        ^~~~~~~~~~\n"},
        {SCRIPT "@T.jit\ndef k():\n    pass\n",
         "k.py:3:5: error[E0212]: there is no kernel 'k'\n"
         "    3 | def k():\n"
         "      |     ^\n"
         "  expected: one of: (the file has no kernel)\n"
         "     found: the decorated function 'k'\n"
         "k.py:3:5: note: it came into the program here\n"
         "    3 | def k():\n"
         "      |     ^\n"},
        {SCRIPT "@T.function\ndef k(A):\n    pass\n",
         "k.py:3:7: error[E0206]: the parameter 'A' has no type\n"
         "    3 | def k(A):\n"
         "      |       ^\n"
         "       fix: write A: T.Tensor(shape, dtype), or A: T.int32\n"},
        {SCRIPT "@T.function\ndef k(A: T.handle):\n    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))\n",
         "k.py:3:7: error[E0206]: the handle 'A' is never given a shape\n"
         "    3 | def k(A: T.handle):\n"
         "      |       ^\n"
         "       fix: write T.match_buffer(A, shape, dtype)\n"},
        {SCRIPT "@T.function\ndef k(A: T.Tensor((4,), \"float32\", scope=\"shared\")):\n    pass\n",
         "k.py:3:10: error[E0206]: a parameter lies in global memory\n"
         "    3 | def k(A: T.Tensor((4,), \"float32\", scope=\"shared\")):\n"
         "      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "     found: the scope shared\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_program_refused(*state, cases[i].text, cases[i].want);
}

static void a_launch_must_be_possible(void **state)
{
    static const struct lang_case cases[] = {
        {SCRIPT "L = T.cuda.LaunchConfig(grid=1, block=2000)\n",
         "k.py:2:33: error[E0215]: the block is not possible\n"
         "    2 | L = T.cuda.LaunchConfig(grid=1, block=2000)\n"
         "      |                                 ^~~~~~~~~~\n"
         "  expected: 1 to 1024 threads in all, with at most 64 in z\n"
         "     found: (2000, 1, 1)\n"},
        {SCRIPT "L = T.cuda.LaunchConfig(grid=(1, 0), block=1)\n",
         "k.py:2:25: error[E0215]: the grid is not possible\n"
         "    2 | L = T.cuda.LaunchConfig(grid=(1, 0), block=1)\n"
         "      |                         ^~~~~~~~~~~\n"
         "  expected: at most 2147483647 x 65535 x 65535 CTAs, each extent at least 1\n"
         "     found: (1, 0, 1)\n"},
        {SCRIPT "L = T.cuda.LaunchConfig(grid=1, block=1, dynamic_smem_bytes=999999)\n",
         "k.py:2:42: error[E0215]: the dynamic shared memory is not possible\n"
         "    2 | L = T.cuda.LaunchConfig(grid=1, block=1, dynamic_smem_bytes=999999)\n"
         "      |                                          ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 0 to 232448 bytes\n"
         "     found: 999999\n"},
        {SCRIPT "@T.function\ndef k():\n    T.device_entry()\n",
         "k.py:4:5: error[E0215]: the number of threads of 'k' is not known\n"
         "    4 |     T.device_entry()\n"
         "      |     ^~~~~~~~~~~~~~~~\n"
         "       fix: write T.device_entry(launch=T.cuda.LaunchConfig(grid=..., block=...))\n"},
        {SCRIPT "@T.function\ndef k():\n    T.device_entry()\n    w = T.warp_id([4])\n    t = T.thread_id([64])\n",
         "k.py:6:9: error[E0215]: the extent contradicts the block that is already known\n"
         "    6 |     t = T.thread_id([64])\n"
         "      |         ^~~~~~~~~~~~~~~~~\n"
         "  expected: 128 threads\n"
         "     found: 64 threads\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_program_refused(*state, cases[i].text, cases[i].want);
}

static void faults_at_module_level_are_reported(void **state)
{
    static const struct lang_case cases[] = {
        {"from tvm.tirx.layout import S, TileLayoutt\n",
         "k.py:1:32: error[E0202]: the layout module has no 'TileLayoutt'\n"
         "    1 | from tvm.tirx.layout import S, TileLayoutt\n"
         "      |                                ^~~~~~~~~~~\n"
         "       fix: write 'TileLayout'\n"},
        {"from tvm.backend.cuda.axis import lainid\n",
         "k.py:1:35: error[E0202]: T.cuda.Axis has no 'lainid'\n"
         "    1 | from tvm.backend.cuda.axis import lainid\n"
         "      |                                   ^~~~~~\n"
         "       fix: write 'laneid'\n"},
        {"from tvm.tirx.layout import *\n",
         "k.py:1:1: error[E0216]: 'import *' is not supported\n"
         "    1 | from tvm.tirx.layout import *\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "       fix: name what is imported\n"},
        {SCRIPT "x = T.function(3)\n",
         "k.py:2:5: error[E0216]: 'function' is a decorator, and stands behind '@' above a function\n"
         "    2 | x = T.function(3)\n"
         "      |     ^~~~~~~~~~~~~\n"},
        {"while True:\n    pass\n",
         "k.py:2:5: error[E0217]: the program takes more than 1000000 steps at compile time\n"
         "    2 |     pass\n"
         "      |     ^~~~\n"
         "       fix: shorten the loop, or move it out of what is compiled\n"},
        {"def f(n):\n    return f(n + 1)\nf(0)\n",
         "k.py:2:12: error[E0217]: the evaluation nests deeper than 400 levels\n"
         "    2 |     return f(n + 1)\n"
         "      |            ^~~~~~~~\n"
         "       fix: end the recursion earlier\n"},
        {"raise ValueError('x')\n",
         "k.py:1:1: error[E0218]: the program raises an exception here\n"
         "    1 | raise ValueError('x')\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~\n"},
        {SCRIPT "T.cuda.cta_sync()\n",
         "k.py:2:1: error[E0212]: 'cta_sync' can stand only in a kernel\n"
         "    2 | T.cuda.cta_sync()\n"
         "      | ^~~~~~~~~~~~~~~~~\n"},
        {SCRIPT "L = T.TileLayout(T.S[(8, 4) : (4 @ T.Axis.laneid, 1, 2)])\n",
         "k.py:2:18: error[E0206]: extents and strides differ in number\n"
         "    2 | L = T.TileLayout(T.S[(8, 4) : (4 @ T.Axis.laneid, 1, 2)])\n"
         "      |                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 2 strides, one for each extent\n"
         "     found: 3\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_program_refused(*state, cases[i].text, cases[i].want);
}

/* A warning does not stop the build. */
static void a_float_stored_as_an_integer_is_a_warning(void **state)
{
    struct bench_room *room = *state;
    struct lang_program *p = load_text(room, kernel_with(room, "x: T.int32 = 1.5"));
    assert_non_null(tw_lang_build(p, "k"));
    tw_test_expect_diags(room, "k.py:6:18: warning[E0220]: the value of 'x' is a float, and is truncated to int32\n"
                               "    6 |     x: T.int32 = 1.5\n"
                               "      |                  ^~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(names_that_never_change_are_protected),
        ROOM_TEST(numbers_must_fit),
        ROOM_TEST(instructions_are_spelled_as_the_catalogue_says),
        ROOM_TEST(operands_must_fit_the_instruction),
        ROOM_TEST(launches_are_checked),
        ROOM_TEST(failing_assertions_are_reported),
        ROOM_TEST(expressions_and_recursion_are_bounded),
        ROOM_TEST(loops_run_over_ranges),
        ROOM_TEST(kernels_must_be_complete),
        ROOM_TEST(a_launch_must_be_possible),
        ROOM_TEST(faults_at_module_level_are_reported),
        ROOM_TEST(a_float_stored_as_an_integer_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
