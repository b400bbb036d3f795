/* T.cuda.tile.ewise: what it does not allow, each with the whole text; the legal twins are run by api/movement_register_test.c.
 * SOURCE: kernel-language-tile 7.2. */
#include "tile/text_kernel.h"

static const char kernel_head[] =
    "@T.function\n"
    "def k(X: T.Tensor((32, 4), \"float32\"), i: T.int32):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
    "    r = T.alloc_local((4,), \"float32\", layout=\"default\")\n"
    "    q = T.alloc_local((4,), \"float32\", layout=\"default\")\n";

static void expect_refused_ewise(void **state, const char *function, const char *call, const char *want)
{
    struct bench_room *room = *state;
    const char *text = tw_format(&room->arena, "from tvm.script import tirx as T\n%s%s%s", function, kernel_head, call);
    const struct isa *isa = tw_isa_open(&room->arena);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    struct lang_program *p = tw_lang_load(&room->arena, &room->sources, tw_sources_add(&room->sources, "k.py", tw_str(text)),
                                          &room->diags, isa, NULL);
    struct ir_kernel *k = tw_lang_build(p, "k");
    assert_true(k == NULL || !tw_tile_lower(k, isa, &room->diags));
    tw_test_expect_diags(room, want);
}

/* ---- functions ---- */

static void a_kernel_is_no_scalar_function(void **state)
{
    expect_refused_ewise(state,
        "@T.function\n"
        "def scale(x: T.float32):\n"
        "    return\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:10:23: error[E0430]: 'scale' is a kernel, and ewise evaluates a scalar function\n"
        "   10 |     T.cuda.tile.ewise(scale, q, r)\n"
        "      |                       ^~~~~\n"
        "       fix: decorate it with @T.function(private=True)\n");
}

static void a_function_of_the_host_is_no_scalar_function(void **state)
{
    expect_refused_ewise(state,
        "def scale(x):\n"
        "    return x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:9:23: error[E0206]: the first argument of 'ewise' has the wrong kind\n"
        "    9 |     T.cuda.tile.ewise(scale, q, r)\n"
        "      |                       ^~~~~\n"
        "  expected: a scalar function, @T.function(private=True)\n"
        "     found: a function\n");
}

static void inputs_are_counted(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:10:23: error[E0430]: 'scale' is given another number of inputs than it has parameters\n"
        "   10 |     T.cuda.tile.ewise(scale, q, r)\n"
        "      |                       ^~~~~\n"
        "  expected: 2\n"
        "     found: 1 behind dst\n");
}

static void parameters_are_typed_scalars(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x):\n"
        "    return x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:3:11: error[E0430]: a parameter of 'scale' has no scalar type\n"
        "    3 | def scale(x):\n"
        "      |           ^\n"
        "  expected: x: T.float32, or another number, without a star or a default\n");
}

static void a_parameter_is_no_tensor(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.Tensor((4,), \"float32\")):\n"
        "    return x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:3:11: error[E0430]: a parameter of 'scale' has no scalar type\n"
        "    3 | def scale(x: T.Tensor((4,), \"float32\")):\n"
        "      |           ^\n"
        "  expected: x: T.float32, or another number, without a star or a default\n");
}

static void every_path_returns(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32):\n"
        "    if x > T.float32(0):\n"
        "        return x\n"
        "    y = x * x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:3:5: error[E0430]: 'scale' has a path without a return\n"
        "    3 | def scale(x: T.float32):\n"
        "      |     ^~~~~\n"
        "  expected: a scalar of type float32 on every path\n");
}

static void the_result_has_the_type_of_dst(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32):\n"
        "    if x > T.float32(0):\n"
        "        return x\n"
        "    return 0\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:6:5: error[E0430]: 'scale' returns another type than dst holds\n"
        "    6 |     return 0\n"
        "      |     ^~~~~~~~\n"
        "  expected: float32, the dtype of dst: nothing is converted\n"
        "     found: int32\n"
        "       fix: write T.float32(...)\n");
}

static void a_return_has_a_value(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32):\n"
        "    return\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:4:5: error[E0430]: 'scale' returns another type than dst holds\n"
        "    4 |     return\n"
        "      |     ^~~~~~\n"
        "  expected: float32, the dtype of dst: nothing is converted\n"
        "     found: no value\n"
        "       fix: write T.float32(...)\n");
}

static void a_loop_is_not_left_by_a_return(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32):\n"
        "    for j in range(3):\n"
        "        return x\n"
        "    return x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:4:5: error[E0430]: 'scale' returns from inside a loop\n"
        "    4 |     for j in range(3):\n"
        "      |     ^~~~~~~~~~~~~~~~~\n"
        "       fix: keep the value in a variable, and return it behind the loop\n");
}

static void memory_is_not_accessed(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32):\n"
        "    m = T.alloc_shared((2,), \"float32\", layout=\"default\")\n"
        "    m[0] = x\n"
        "    return x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:5:5: error[E0430]: 'scale' does more than compute its result\n"
        "    5 |     m[0] = x\n"
        "      |     ^~~~~~~~\n"
        "  expected: arithmetic on its parameters and on its own variables, if and else, and returns\n"
        "     found: an access to memory\n");
}

static void threads_do_not_meet(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32):\n"
        "    T.cuda.warp_sync()\n"
        "    return x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:4:5: error[E0430]: 'scale' does more than compute its result\n"
        "    4 |     T.cuda.warp_sync()\n"
        "      |     ^~~~~~~~~~~~~~~~~~\n"
        "  expected: arithmetic on its parameters and on its own variables, if and else, and returns\n"
        "     found: an operation of threads together\n");
}

static void lanes_do_not_communicate(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32):\n"
        "    y = T.local_scalar(\"uint32\")\n"
        "    T.ptx.shfl.sync.bfly.b32(y, T.uint32(1), T.uint32(1), T.uint32(31), T.uint32(0xffffffff))\n"
        "    return x\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:5:5: error[E0430]: 'scale' does more than compute its result\n"
        "    5 |     T.ptx.shfl.sync.bfly.b32(y, T.uint32(1), T.uint32(1), T.uint32(31), T.uint32(0xffffffff))\n"
        "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: arithmetic on its parameters and on its own variables, if and else, and returns\n"
        "     found: communication with other threads\n");
}

/* ---- operands ---- */

static void an_input_has_the_parameters_type(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.int32):\n"
        "    return T.float32(1)\n",
        "    T.cuda.tile.ewise(scale, q, r)\n",
        "k.py:10:33: error[E0409]: operand x of ewise has elements of type float32\n"
        "   10 |     T.cuda.tile.ewise(scale, q, r)\n"
        "      |                                 ^\n"
        "  expected: int32\n"
        "     found: float32, 32 bits\n");
}

static void a_scalar_input_has_the_parameters_type(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, q, r, 3)\n",
        "k.py:10:36: error[E0408]: operand s of ewise is no tensor that the instruction can take\n"
        "   10 |     T.cuda.tile.ewise(scale, q, r, 3)\n"
        "      |                                    ^\n"
        "  expected: a tensor in local memory, or a float32 scalar\n"
        "     found: a value of type int32\n"
        "       fix: write T.float32(...)\n");
}

static void dst_is_a_tensor(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, T.float32(1), r, T.float32(3))\n",
        "k.py:10:30: error[E0206]: dst of 'ewise' has the wrong kind\n"
        "   10 |     T.cuda.tile.ewise(scale, T.float32(1), r, T.float32(3))\n"
        "      |                              ^~~~~~~~~~~~\n"
        "  expected: a tensor in registers, or a region of one\n"
        "     found: a run-time value of type float32\n");
}

static void dst_is_in_registers(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, X[0, 0:4], r, T.float32(3))\n",
        "k.py:10:30: error[E0408]: operand dst of ewise is in global memory\n"
        "   10 |     T.cuda.tile.ewise(scale, X[0, 0:4], r, T.float32(3))\n"
        "      |                              ^~~~~~~~~\n"
        "  expected: a tensor in local memory\n"
        "     found: 'X', a global tensor\n"
        "       fix: give a tensor in local memory, and copy it to 'X' behind the call\n"
        "k.py:6:7: note: 'X' is declared here\n"
        "    6 | def k(X: T.Tensor((32, 4), \"float32\"), i: T.int32):\n"
        "      |       ^\n");
}

static void dst_does_not_overlap_itself(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, q.view(2, 2, layout=T.TileLayout(T.S[(2, 2) : (0, 1)])), r.view(2, 2), T.float32(3))\n",
        "k.py:10:30: error[E0416]: operand dst of ewise overlaps itself: two coordinates are slot 0 of 'q'\n"
        "   10 |     T.cuda.tile.ewise(scale, q.view(2, 2, layout=T.TileLayout(T.S[(2, 2) : (0, 1)])), r.view(2, 2), T.float32(3))\n"
        "      |                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: distinct slots for everything that is written; inputs alone are broadcast\n"
        "     found: layout S[(2, 2):(0, 1)]\n"
        "       fix: view 'q' with strides that keep the coordinates apart, or without layout=\n");
}

static void extents_agree(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, q.view(2, 2), r, T.float32(3))\n",
        "k.py:10:44: error[E0412]: operand x of ewise: repeat axis 1 is 4\n"
        "   10 |     T.cuda.tile.ewise(scale, q.view(2, 2), r, T.float32(3))\n"
        "      |                                            ^\n"
        "  expected: 2, as in operand dst\n"
        "     found: (4,), and operand dst has (2, 2)\n"
        "       fix: slice or view one of them so that repeat axis 1 is the same in both\n");
}

static void at_warp_scope_the_lane_comes_first(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, q, r, T.float32(3), scope=\"warp\")\n",
        "k.py:10:30: error[E0413]: operand dst of ewise: group axis 'lane' is 4, and 32 get here\n"
        "   10 |     T.cuda.tile.ewise(scale, q, r, T.float32(3), scope=\"warp\")\n"
        "      |                              ^\n"
        "  expected: (lane 32, coordinates...)\n"
        "     found: (4,)\n"
        "       fix: give every operand the group axes of scope=\"warp\" first\n");
}

static void a_lane_owns_what_it_evaluates(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, q.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ T.cuda.Axis.laneid, 1)])), r.view(32, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (1 @ T.cuda.Axis.laneid, 4 @ T.cuda.Axis.laneid, 1)])), T.float32(3), scope=\"warp\")\n",
        "k.py:10:110: error[E0415]: operand x of ewise: element (0) is in lane 4, and the instruction reads it in lane 1\n"
        "   10 |     T.cuda.tile.ewise(scale, q.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ T.cuda.Axis.laneid, 1)])), r.view(32, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (1 @ T.cuda.Axis.laneid, 4 @ T.cuda.Axis.laneid, 1)])), T.float32(3), scope=\"warp\")\n"
        "      |                                                                                                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: laneid 1: register 0 of lane 1 holds (0)\n"
        "     found: laneid 4, by layout S[(4, 8, 4):(1@laneid, 4@laneid, 1)]\n"
        "       fix: no view moves a value between threads: view the registers with a layout that has that map\n");
}

static void ewise_has_no_parameter_but_scope(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(x: T.float32, s: T.float32):\n"
        "    return x * s\n",
        "    T.cuda.tile.ewise(scale, q, r, T.float32(3), pred=True)\n",
        "k.py:10:50: error[E0404]: ewise has no parameter 'pred'\n"
        "   10 |     T.cuda.tile.ewise(scale, q, r, T.float32(3), pred=True)\n"
        "      |                                                  ^~~~~~~~~\n"
        "  expected: no parameter but scope\n");
}

static void operands_are_limited(void **state)
{
    expect_refused_ewise(state,
        "@T.function(private=True)\n"
        "def scale(a: T.float32, b: T.float32, c: T.float32, d: T.float32, e: T.float32, f: T.float32, g: T.float32):\n"
        "    return a\n",
        "    T.cuda.tile.ewise(scale, q, r, r, r, r, r, r, r)\n",
        "k.py:10:23: error[E0403]: ewise takes 8 operands here\n"
        "   10 |     T.cuda.tile.ewise(scale, q, r, r, r, r, r, r, r)\n"
        "      |                       ^~~~~\n"
        "  expected: at most 7: dst and 6 inputs\n"
        "       fix: split the function: one call makes a local tensor that another reads\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_kernel_is_no_scalar_function),
        ROOM_TEST(a_function_of_the_host_is_no_scalar_function),
        ROOM_TEST(inputs_are_counted),
        ROOM_TEST(parameters_are_typed_scalars),
        ROOM_TEST(a_parameter_is_no_tensor),
        ROOM_TEST(every_path_returns),
        ROOM_TEST(the_result_has_the_type_of_dst),
        ROOM_TEST(a_return_has_a_value),
        ROOM_TEST(a_loop_is_not_left_by_a_return),
        ROOM_TEST(memory_is_not_accessed),
        ROOM_TEST(threads_do_not_meet),
        ROOM_TEST(lanes_do_not_communicate),
        ROOM_TEST(an_input_has_the_parameters_type),
        ROOM_TEST(a_scalar_input_has_the_parameters_type),
        ROOM_TEST(dst_is_a_tensor),
        ROOM_TEST(dst_is_in_registers),
        ROOM_TEST(dst_does_not_overlap_itself),
        ROOM_TEST(extents_agree),
        ROOM_TEST(at_warp_scope_the_lane_comes_first),
        ROOM_TEST(a_lane_owns_what_it_evaluates),
        ROOM_TEST(ewise_has_no_parameter_but_scope),
        ROOM_TEST(operands_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
