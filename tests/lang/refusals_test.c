/* What is refused in a kernel or at module level, with its exact words. */
#include "lang_support.h"

/* E0201, E0202 */
static void unknown_names_are_reported_with_the_nearest(void **state)
{
    static const struct lang_case cases[] = {
        {"x = undefined",
         "k.py:6:9: error[E0201]: the name 'undefined' is not known here\n"
         "    6 |     x = undefined\n"
         "      |         ^~~~~~~~~\n"},
        {"tid = T.cuda.thread_idx(\"x\")\ny = tjd + 1",
         "k.py:7:9: error[E0201]: the name 'tjd' is not known here\n"
         "    7 |     y = tjd + 1\n"
         "      |         ^~~\n"
         "       fix: write 'tid'\n"},
        {"x = T.cuda.thread_idxx(\"x\")",
         "k.py:6:16: error[E0202]: T.cuda has no 'thread_idxx'\n"
         "    6 |     x = T.cuda.thread_idxx(\"x\")\n"
         "      |                ^~~~~~~~~~~\n"
         "       fix: write 'thread_idx'\n"},
        {"x = T.flaot32(1)",
         "k.py:6:11: error[E0202]: T has no 'flaot32'\n"
         "    6 |     x = T.flaot32(1)\n"
         "      |           ^~~~~~~\n"
         "       fix: write 'float32'\n"},
        {"x = T.TCol",
         "k.py:6:11: error[E0202]: T has no 'TCol'\n"
         "    6 |     x = T.TCol\n"
         "      |           ^~~~\n"
         "       fix: write 'T.cuda.Axis.TCol'\n"},
        {"x = T.TCal",
         "k.py:6:11: error[E0202]: T has no 'TCal'\n"
         "    6 |     x = T.TCal\n"
         "      |           ^~~~\n"},
        {"x = A.vieww(4)",
         "k.py:6:11: error[E0202]: a tensor has no 'vieww'\n"
         "    6 |     x = A.vieww(4)\n"
         "      |           ^~~~~\n"
         "       fix: write 'view'\n"},
        {"for i in range(2):\n    t = 1\nA[0, t] = 0",
         "k.py:8:10: error[E0201]: the name 't' is not known here\n"
         "    8 |     A[0, t] = 0\n"
         "      |          ^\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0203 */
static void what_is_not_supported_is_named(void **state)
{
    static const struct lang_case cases[] = {
        {"with A:\n    pass",
         "k.py:6:5: error[E0203]: the 'with' statement is not supported\n"
         "    6 |     with A:\n"
         "      |     ^~~~~~\n"},
        {"T.cuda.clock64()",
         "k.py:6:12: error[E0203]: T.cuda.clock64 is not supported\n"
         "    6 |     T.cuda.clock64()\n"
         "      |            ^~~~~~~\n"},
        {"return 3",
         "k.py:6:5: error[E0203]: returning a value from a kernel is not supported\n"
         "    6 |     return 3\n"
         "      |     ^~~~~~~~\n"},
        {"del n",
         "k.py:6:5: error[E0203]: the 'del' statement is not supported\n"
         "    6 |     del n\n"
         "      |     ^~~~~\n"},
        {"x = A.vload([0, 0])",
         "k.py:6:11: error[E0203]: 'vload' of a tensor is not supported\n"
         "    6 |     x = A.vload([0, 0])\n"
         "      |           ^~~~~\n"},
        {"x = {1, 2}",
         "k.py:6:9: error[E0203]: a set is not supported\n"
         "    6 |     x = {1, 2}\n"
         "      |         ^~~~~~\n"},
        {"class C:\n    pass",
         "k.py:6:5: error[E0203]: the class 'C' without @T.meta_class is not supported\n"
         "    6 |     class C:\n"
         "      |     ^~~~~~~\n"},
        {"for i in range(2):\n    pass\nelse:\n    pass",
         "k.py:9:9: error[E0203]: the 'else' of a loop is not supported\n"
         "    9 |         pass\n"
         "      |         ^~~~\n"},
        {"T.alloc_shared((4,), \"float32\", data=n)",
         "k.py:6:37: error[E0203]: the parameter 'data' of 'alloc_shared' is not supported\n"
         "    6 |     T.alloc_shared((4,), \"float32\", data=n)\n"
         "      |                                     ^~~~~~\n"},
        {"x = A[0, 0:8:2]",
         "k.py:6:9: error[E0203]: a slice with a step is not supported\n"
         "    6 |     x = A[0, 0:8:2]\n"
         "      |         ^~~~~~~~~~~\n"},
        {"T.alloc_shared((4,), \"float32\", scope=\"shared.dyn\")",
         "k.py:6:37: error[E0203]: the scope 'shared.dyn' is not supported\n"
         "    6 |     T.alloc_shared((4,), \"float32\", scope=\"shared.dyn\")\n"
         "      |                                     ^~~~~~~~~~~~~~~~~~\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0204 */
static void a_host_value_says_where_it_came_from(void **state)
{
    static const struct lang_case cases[] = {
        {"x = np.zeros(3)",
         "k.py:6:9: error[E0204]: 'np.zeros' is a host value\n"
         "    6 |     x = np.zeros(3)\n"
         "      |         ^~~~~~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as np\n"
         "      |        ^~~~~~~~~~~\n"},
        {"for i in range(np.int32(4)):\n    pass",
         "k.py:6:20: error[E0204]: 'np.int32' is a host value\n"
         "    6 |     for i in range(np.int32(4)):\n"
         "      |                    ^~~~~~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as np\n"
         "      |        ^~~~~~~~~~~\n"},
        {"A[0, 0] = np.pi",
         "k.py:6:15: error[E0204]: 'np.pi' is a host value\n"
         "    6 |     A[0, 0] = np.pi\n"
         "      |               ^~~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as np\n"
         "      |        ^~~~~~~~~~~\n"},
        {"A[np.x, 0] = 1",
         "k.py:6:7: error[E0204]: 'np.x' is a host value\n"
         "    6 |     A[np.x, 0] = 1\n"
         "      |       ^~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as np\n"
         "      |        ^~~~~~~~~~~\n"},
        {"x = T.alloc_shared(np.s, \"float32\")",
         "k.py:6:24: error[E0204]: 'np.s' is a host value\n"
         "    6 |     x = T.alloc_shared(np.s, \"float32\")\n"
         "      |                        ^~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as np\n"
         "      |        ^~~~~~~~~~~\n"},
        {"if np.flag:\n    pass",
         "k.py:6:8: error[E0204]: 'np.flag' is a host value\n"
         "    6 |     if np.flag:\n"
         "      |        ^~~~~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as np\n"
         "      |        ^~~~~~~~~~~\n"},
        {"x = n + np.one",
         "k.py:6:13: error[E0204]: 'np.one' is a host value\n"
         "    6 |     x = n + np.one\n"
         "      |             ^~~~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: the module 'numpy'\n"
         "k.py:2:8: note: it came into the program here\n"
         "    2 | import numpy as np\n"
         "      |        ^~~~~~~~~~~\n"},
        {"print(n)",
         "k.py:6:5: error[E0204]: 'print' is a host value\n"
         "    6 |     print(n)\n"
         "      |     ^~~~~\n"
         "  expected: a value that is known when the kernel is compiled\n"
         "     found: a value computed from the Python builtin 'print'\n"
         "k.py:6:5: note: the value was made here\n"
         "    6 |     print(n)\n"
         "      |     ^~~~~\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0205 */
static void arguments_are_matched_with_the_signature(void **state)
{
    static const struct lang_case cases[] = {
        {"s = T.alloc_shared((4,), \"float32\", aling=16)",
         "k.py:6:41: error[E0205]: 'alloc_shared' has no parameter 'aling'\n"
         "    6 |     s = T.alloc_shared((4,), \"float32\", aling=16)\n"
         "      |                                         ^~~~~~~~\n"
         "  expected: alloc_shared(shape, dtype, data, *, scope, align, layout, allocated_addr, annotations, elem_offset, byte_offset)\n"
         "       fix: write align=\n"},
        {"s = T.alloc_shared()",
         "k.py:6:9: error[E0205]: 'alloc_shared' needs its argument 'shape'\n"
         "    6 |     s = T.alloc_shared()\n"
         "      |         ^~~~~~~~~~~~~~~~\n"
         "  expected: alloc_shared(shape, dtype, data, *, scope, align, layout, allocated_addr, annotations, elem_offset, byte_offset)\n"},
        {"T.cuda.cta_sync(1)",
         "k.py:6:21: error[E0205]: 'cta_sync' is given too many arguments\n"
         "    6 |     T.cuda.cta_sync(1)\n"
         "      |                     ^\n"
         "  expected: cta_sync()\n"},
        {"s = T.alloc_shared((4,), \"float32\", shape=3)",
         "k.py:6:41: error[E0205]: 'alloc_shared' is given its parameter 'shape' twice\n"
         "    6 |     s = T.alloc_shared((4,), \"float32\", shape=3)\n"
         "      |                                         ^~~~~~~\n"
         "  expected: alloc_shared(shape, dtype, data, *, scope, align, layout, allocated_addr, annotations, elem_offset, byte_offset)\n"},
        {"f = lambda y: y\nz = f(1, 2)",
         "k.py:7:14: error[E0205]: 'lambda' is given too many arguments\n"
         "    7 |     z = f(1, 2)\n"
         "      |              ^\n"
         "k.py:6:9: note: it is defined here\n"
         "    6 |     f = lambda y: y\n"
         "      |         ^~~~~~~~~~~\n"},
        {"f = lambda y: y\nz = f()",
         "k.py:7:9: error[E0205]: 'lambda' needs its argument 'y'\n"
         "    7 |     z = f()\n"
         "      |         ^~~\n"
         "k.py:6:9: note: it is defined here\n"
         "    6 |     f = lambda y: y\n"
         "      |         ^~~~~~~~~~~\n"},
        {"f = lambda y: y\nz = f(x=1)",
         "k.py:7:11: error[E0205]: 'lambda' has no parameter 'x'\n"
         "    7 |     z = f(x=1)\n"
         "      |           ^~~\n"
         "k.py:6:9: note: it is defined here\n"
         "    6 |     f = lambda y: y\n"
         "      |         ^~~~~~~~~~~\n"},
        {"x = T.float32(1, 2)",
         "k.py:6:9: error[E0205]: a conversion to float32 takes one value\n"
         "    6 |     x = T.float32(1, 2)\n"
         "      |         ^~~~~~~~~~~~~~~\n"
         "     found: 2 arguments\n"},
        {"x = T.S(3)",
         "k.py:6:9: error[E0205]: 'S' is not called\n"
         "    6 |     x = T.S(3)\n"
         "      |         ^~~~~~\n"
         "  expected: brackets, S[extents : strides]\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0206 */
static void values_of_the_wrong_kind_are_named(void **state)
{
    static const struct lang_case cases[] = {
        {"s = T.alloc_shared((4,), \"float33\")",
         "k.py:6:30: error[E0206]: there is no dtype 'float33'\n"
         "    6 |     s = T.alloc_shared((4,), \"float33\")\n"
         "      |                              ^~~~~~~~~\n"
         "       fix: write \"float32\"\n"},
        {"s = T.alloc_shared((4,), \"float32\", align=3)",
         "k.py:6:41: error[E0206]: the alignment is not possible\n"
         "    6 |     s = T.alloc_shared((4,), \"float32\", align=3)\n"
         "      |                                         ^~~~~~~\n"
         "  expected: a power of two from 1 to 4096 bytes, or -1 for the default\n"
         "     found: 3\n"},
        {"s = T.alloc_shared((4,), \"float32\", scope=\"sharde\")",
         "k.py:6:41: error[E0206]: there is no scope 'sharde'\n"
         "    6 |     s = T.alloc_shared((4,), \"float32\", scope=\"sharde\")\n"
         "      |                                         ^~~~~~~~~~~~~~\n"
         "  expected: \"global\", \"shared\", \"local\" or \"tmem\"\n"},
        {"x = T.address_of(n)",
         "k.py:6:22: error[E0206]: the argument of 'address_of' has the wrong kind\n"
         "    6 |     x = T.address_of(n)\n"
         "      |                      ^\n"
         "  expected: a tensor or an element of one\n"
         "     found: a run-time value of type int32\n"},
        {"T.cuda.mbarrier_wait(T.alloc_shared((1,), \"uint64\").ptr_to([0]), 2)",
         "k.py:6:70: error[E0206]: a parity is 0 or 1\n"
         "    6 |     T.cuda.mbarrier_wait(T.alloc_shared((1,), \"uint64\").ptr_to([0]), 2)\n"
         "      |                                                                      ^\n"
         "     found: 2\n"},
        {"x = T.cuda.thread_idx(\"w\")",
         "k.py:6:27: error[E0206]: 'thread_idx' has no axis 'w'\n"
         "    6 |     x = T.cuda.thread_idx(\"w\")\n"
         "      |                           ^~~\n"
         "  expected: \"x\", \"y\" or \"z\"\n"},
        {"T.cuda.tile.apply(T.ptx[\"mma\"], A, scope=\"wrap\")",
         "k.py:6:40: error[E0206]: there is no scope 'wrap'\n"
         "    6 |     T.cuda.tile.apply(T.ptx[\"mma\"], A, scope=\"wrap\")\n"
         "      |                                        ^~~~~~~~~~~~\n"
         "  expected: \"thread\", \"warp\", \"warpgroup\", \"cta\" or \"cluster\"\n"},
        {"if A:\n    pass",
         "k.py:6:8: error[E0206]: the condition has the wrong kind\n"
         "    6 |     if A:\n"
         "      |        ^\n"
         "  expected: a number or a run-time value\n"
         "     found: a global tensor of shape (4, 8) and dtype float32\n"},
        {"x, y = (1, 2, 3)",
         "k.py:6:5: error[E0206]: 3 values do not unpack into 2 names\n"
         "    6 |     x, y = (1, 2, 3)\n"
         "      |     ^~~~~~~~~~~~~~~~\n"
         "     found: the tuple (1, 2, 3)\n"},
        {"x = T.alloc_tensor(ty_args=[T.Tensor((4,), \"float32\", scope=\"tmem\")])",
         "k.py:6:9: error[E0206]: 'alloc_tensor' allocates no tmem tensor\n"
         "    6 |     x = T.alloc_tensor(ty_args=[T.Tensor((4,), \"float32\", scope=\"tmem\")])\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: scope=\"shared\" or scope=\"local\"\n"
         "       fix: allocate columns with tcgen05.alloc, and name them with T.cuda.decl_tmem(...)\n"},
        {"d = T.cuda.decl_tmem(n, ty_args=[T.Tensor((64, 8), \"float32\", scope=\"tmem\")])",
         "k.py:6:38: error[E0206]: a tensor in tensor memory has no layout\n"
         "    6 |     d = T.cuda.decl_tmem(n, ty_args=[T.Tensor((64, 8), \"float32\", scope=\"tmem\")])\n"
         "      |                                      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: layout=, for example from tmem_mma_operand_layout(...)\n"},
        {"s = T.alloc_shared((4,), \"float32\", layout=T.TileLayout(T.S[4 : 1 @ T.Axis.laneid]))",
         "k.py:6:9: error[E0206]: the layout names the axis laneid, which a shared tensor does not have\n"
         "    6 |     s = T.alloc_shared((4,), \"float32\", layout=T.TileLayout(T.S[4 : 1 @ T.Axis.laneid]))\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: m alone\n"
         "     found: S[(4):(1@laneid)]\n"},
        {"x = n(3)",
         "k.py:6:9: error[E0206]: what is called has the wrong kind\n"
         "    6 |     x = n(3)\n"
         "      |         ^\n"
         "  expected: a function\n"
         "     found: a run-time value of type int32\n"},
        {"T.cuda.tile.apply(3, A)",
         "k.py:6:23: error[E0206]: the first argument of 'apply' has the wrong kind\n"
         "    6 |     T.cuda.tile.apply(3, A)\n"
         "      |                       ^\n"
         "  expected: an instruction, T.ptx[\"...\"]\n"
         "     found: the integer 3\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0207 */
static void what_is_static_must_be_static(void **state)
{
    static const struct lang_case cases[] = {
        {"s = T.alloc_shared((n,), \"float32\")",
         "k.py:6:24: error[E0207]: dimension 0 of the shape must be known at compile time\n"
         "    6 |     s = T.alloc_shared((n,), \"float32\")\n"
         "      |                        ^~~~\n"
         "  expected: an integer\n"
         "     found: a run-time value of type int32\n"},
        {"x = A[0, n : 2 * n]",
         "k.py:6:9: error[E0207]: the length of slice 1 must be known at compile time\n"
         "    6 |     x = A[0, n : 2 * n]\n"
         "      |         ^~~~~~~~~~~~~~~\n"
         "       fix: write it as start : start + length with a constant length\n"},
        {"x = f\"{n}\"",
         "k.py:6:12: error[E0207]: the value in a string must be known at compile time\n"
         "    6 |     x = f\"{n}\"\n"
         "      |            ^\n"
         "  expected: a value that has a text\n"
         "     found: a run-time value of type int32\n"},
        {"T.ptx.ld.global_.f32(T.local_scalar(\"float32\"), T.ptx.addr(A.ptr_to([0, 0]), n))",
         "k.py:6:82: error[E0207]: the byte offset must be known at compile time\n"
         "    6 |     T.ptx.ld.global_.f32(T.local_scalar(\"float32\"), T.ptx.addr(A.ptr_to([0, 0]), n))\n"
         "      |                                                                                  ^\n"
         "  expected: an integer\n"
         "     found: a run-time value of type int32\n"},
        {"def g(v):\n    if v > 2:\n        return 1\n    return 2\nx = g(n)",
         "k.py:7:12: error[E0207]: the condition must be known at compile time\n"
         "    7 |         if v > 2:\n"
         "      |            ^~~~~\n"
         "  expected: a value known at compile time\n"
         "     found: a run-time value of type bool\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0208 */
static void operations_refuse_types_they_do_not_have(void **state)
{
    static const struct lang_case cases[] = {
        {"x = n / 2",
         "k.py:6:9: error[E0208]: '/' does not take operands of type int32\n"
         "    6 |     x = n / 2\n"
         "      |         ^~~~~\n"
         "       fix: write '//' for floor division, or convert an operand to a float\n"},
        {"x = B[0, 0] @ n",
         "k.py:6:9: error[E0208]: '@' is not an operation on run-time values\n"
         "    6 |     x = B[0, 0] @ n\n"
         "      |         ^~~~~~~~~~~\n"},
        {"x = (n > 0) + (n > 1)",
         "k.py:6:9: error[E0208]: '+' does not take operands of type bool\n"
         "    6 |     x = (n > 0) + (n > 1)\n"
         "      |         ^~~~~~~~~~~~~~~~~\n"
         "       fix: write 'and', 'or', 'not' for truth values\n"},
        {"x = (n > 0) & (n > 1)",
         "k.py:6:9: error[E0208]: '&' does not take operands of type bool\n"
         "    6 |     x = (n > 0) & (n > 1)\n"
         "      |         ^~~~~~~~~~~~~~~~~\n"
         "       fix: write 'and', 'or', 'not' for truth values\n"},
        {"x = T.float8_e4m3fn(1) + T.float8_e4m3fn(1)",
         "k.py:6:9: error[E0208]: '+' does not take operands of type float8_e4m3fn\n"
         "    6 |     x = T.float8_e4m3fn(1) + T.float8_e4m3fn(1)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "       fix: convert both operands first, for example with T.cast(x, \"float32\")\n"},
        {"x = \"abc\" - \"b\"",
         "k.py:6:9: error[E0208]: '-' does not take these operands\n"
         "    6 |     x = \"abc\" - \"b\"\n"
         "      |         ^~~~~~~~~~~\n"
         "     found: the string 'abc' and the string 'b'\n"},
        {"x = -(n > 0)",
         "k.py:6:9: error[E0208]: '-' does not take this operand\n"
         "    6 |     x = -(n > 0)\n"
         "      |         ^~~~~~~~\n"
         "  expected: an integer, or a float of 16 bits or more\n"
         "     found: a run-time value of type bool\n"},
        {"x = A.ptr_to([0, 0]) + 1",
         "k.py:6:9: error[E0208]: a pointer takes no part in arithmetic or comparisons\n"
         "    6 |     x = A.ptr_to([0, 0]) + 1\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~\n"
         "       fix: index the tensor, or use ptr_to([...])\n"},
        {"x = T.reinterpret(\"float32\", B[0, 0])",
         "k.py:6:9: error[E0208]: 'reinterpret' keeps the bits, and the types differ in width\n"
         "    6 |     x = T.reinterpret(\"float32\", B[0, 0])\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a value of 32 bits\n"
         "     found: a run-time value of type float16\n"},
        {"x = T.exp2(n)",
         "k.py:6:9: error[E0208]: 'exp2' does not take this type\n"
         "    6 |     x = T.exp2(n)\n"
         "      |         ^~~~~~~~~\n"
         "  expected: a float of 16 bits or more\n"
         "     found: a run-time value of type int32\n"},
        {"T.cuda.mbarrier_wait(A.ptr_to([0, 0]), 0)",
         "k.py:6:26: error[E0208]: the barrier is no address in shared memory\n"
         "    6 |     T.cuda.mbarrier_wait(A.ptr_to([0, 0]), 0)\n"
         "      |                          ^~~~~~~~~~~~~~~~\n"
         "  expected: a pointer to a shared tensor, such as bar.ptr_to([0])\n"
         "     found: a pointer into a global tensor\n"},
        {"x = A[0, 0] // 2.0",
         "k.py:6:9: error[E0208]: '//' does not take operands of type float32\n"
         "    6 |     x = A[0, 0] // 2.0\n"
         "      |         ^~~~~~~~~~~~~~\n"},
        {"x = n in [1]",
         "k.py:6:9: error[E0208]: 'in' is not an operation on run-time values\n"
         "    6 |     x = n in [1]\n"
         "      |         ^~~~~~~~\n"},
        {"x: T.int32 = A.ptr_to([0, 0])",
         "k.py:6:18: error[E0208]: the value of 'x' cannot be converted\n"
         "    6 |     x: T.int32 = A.ptr_to([0, 0])\n"
         "      |                  ^~~~~~~~~~~~~~~~\n"
         "  expected: a value of type int32\n"
         "     found: a pointer into a global tensor\n"},
        {"if A[0, 0]:\n    pass",
         "k.py:6:8: error[E0208]: the condition is no truth value\n"
         "    6 |     if A[0, 0]:\n"
         "      |        ^~~~~~~\n"
         "  expected: a bool or an integer\n"
         "     found: a run-time value of type float32\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* E0209 */
static void indices_must_fit_the_tensor(void **state)
{
    static const struct lang_case cases[] = {
        {"x = A[0, 1, 2]",
         "k.py:6:9: error[E0209]: a tensor of rank 2 is given 3 indices\n"
         "    6 |     x = A[0, 1, 2]\n"
         "      |         ^~~~~~~~~~\n"
         "  expected: 2, for the shape (4, 8)\n"},
        {"A[5, 0] = 1.0",
         "k.py:6:5: error[E0209]: index 0 is outside the tensor\n"
         "    6 |     A[5, 0] = 1.0\n"
         "      |     ^~~~~~~\n"
         "  expected: 0 to 3, for the shape (4, 8)\n"
         "     found: 5\n"},
        {"A[0, -1] = 1.0",
         "k.py:6:5: error[E0209]: index 1 is outside the tensor\n"
         "    6 |     A[0, -1] = 1.0\n"
         "      |     ^~~~~~~~\n"
         "  expected: 0 to 7, for the shape (4, 8)\n"
         "     found: -1\n"},
        {"A[0] = 1.0",
         "k.py:6:5: error[E0209]: a region cannot be assigned to\n"
         "    6 |     A[0] = 1.0\n"
         "      |     ^~~~~~~~~~\n"
         "  expected: 2 indices, none of them a slice\n"},
        {"A[0, 0] = A[0]",
         "k.py:6:5: error[E0209]: the stored value is a region, not an element\n"
         "    6 |     A[0, 0] = A[0]\n"
         "      |     ^~~~~~~~~~~~~~\n"
         "  expected: 2 indices, none of them a slice\n"},
        {"x = A[0, 1.5]",
         "k.py:6:9: error[E0209]: index 1 is no integer\n"
         "    6 |     x = A[0, 1.5]\n"
         "      |         ^~~~~~~~~\n"
         "     found: a run-time value of type float32\n"},
        {"x = A[0:5, 0]",
         "k.py:6:9: error[E0209]: index 0 is outside the tensor\n"
         "    6 |     x = A[0:5, 0]\n"
         "      |         ^~~~~~~~~\n"
         "  expected: 0 to 3, for the shape (4, 8)\n"
         "     found: 0 to 4\n"},
        {"d = T.cuda.decl_tmem(n, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\")])\nx = d[0, 0]",
         "k.py:7:9: error[E0209]: tensor memory has no elements that a thread can access\n"
         "    7 |     x = d[0, 0]\n"
         "      |         ^~~~~~~\n"
         "       fix: load a fragment with tcgen05.ld, and use that\n"},
        {"x = A.ptr_to([0])",
         "k.py:6:9: error[E0209]: a tensor of rank 2 is given 1 index\n"
         "    6 |     x = A.ptr_to([0])\n"
         "      |         ^~~~~~~~~~~~~\n"
         "  expected: 2, for the shape (4, 8)\n"},
        {"x = [1, 2][2]",
         "k.py:6:9: error[E0209]: the index is outside the sequence\n"
         "    6 |     x = [1, 2][2]\n"
         "      |         ^~~~~~~~~\n"
         "  expected: an integer below 2\n"
         "     found: the integer 2\n"},
        {"x = {\"a\": 1}[\"b\"]",
         "k.py:6:9: error[E0209]: the dict has no such key\n"
         "    6 |     x = {\"a\": 1}[\"b\"]\n"
         "      |         ^~~~~~~~~~~~~\n"
         "     found: the string 'b'\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

/* Nothing is said about what follows from a fault; other faults are reported. */
static void one_fault_makes_one_message(void **state)
{
    static const struct lang_case cases[] = {
        {"x = undefined\ny = x + 1\nA[0, 0] = y\nfor i in range(y):\n    A[0, i] = other",
         "k.py:6:9: error[E0201]: the name 'undefined' is not known here\n"
         "    6 |     x = undefined\n"
         "      |         ^~~~~~~~~\n"
         "k.py:10:19: error[E0201]: the name 'other' is not known here\n"
         "   10 |         A[0, i] = other\n"
         "      |                   ^~~~~\n"},
    };
    expect_refused(*state, cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(unknown_names_are_reported_with_the_nearest),
        ROOM_TEST(what_is_not_supported_is_named),
        ROOM_TEST(a_host_value_says_where_it_came_from),
        ROOM_TEST(arguments_are_matched_with_the_signature),
        ROOM_TEST(values_of_the_wrong_kind_are_named),
        ROOM_TEST(what_is_static_must_be_static),
        ROOM_TEST(operations_refuse_types_they_do_not_have),
        ROOM_TEST(indices_must_fit_the_tensor),
        ROOM_TEST(one_fault_makes_one_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
