/* What the statements and expressions of a kernel mean, as IR. The rules are those of the kernel-language
 * reference, sections 2 to 5 and 9; each table names its section. */
#include "lang_support.h"
#include "seeds.h"

/* 3.1: the first value gives the type; a number is a constant. */
static void a_scalar_that_is_bound_once_never_changes(void **state)
{
    static const struct lang_case cases[] = {
        {"x = n + 1\nA[0, x] = x",
         "  x: int32 = (n + 1)\n"
         "  A#0[0, x] = cast<float32>(x)\n"},
        {"x = 3\nA[0, x] = x",
         "  A#0[0, 3] = float32(3)\n"},
        {"x = T.uint32(7)\nA[0, 0] = x",
         "  x: uint32 = uint32(7)\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x, y = n, 2\nA[x, y] = 1.5",
         "  x: int32 = n\n"
         "  A#0[x, 2] = float32(1.5)\n"},
        {"x, *y = (1, 2, n)\nA[0, x] = y[1]",
         "  A#0[0, 1] = cast<float32>(n)\n"},
        {"p = A.ptr_to([1, 2])\nT.ptx.ld.global_.f32(T.local_scalar(\"float32\"), p)",
         "  local tensor2: float32 x 1\n"
         "  ptx ld.global.f32 tensor2#2[0], [&A#0[1, 2]]\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.1 */
static void a_scalar_that_is_assigned_again_is_a_variable_of_its_first_type(void **state)
{
    static const struct lang_case cases[] = {
        {"a = 0\nfor i in range(4):\n    a = a + i\nA[0, 0] = a",
         "  a: int32 = 0\n"
         "  for i in 0 .. 4 step 1\n"
         "    a = (a + i)\n"
         "  A#0[0, 0] = cast<float32>(a)\n"},
        {"x = 1.5\nx = n\nA[0, 0] = x",
         "  x: float32 = float32(1.5)\n"
         "  x = cast<float32>(n)\n"
         "  A#0[0, 0] = x\n"},
        {"x: T.uint8 = 200\nx += 1\nA[0, 0] = x",
         "  x: uint8 = uint8(200)\n"
         "  x = (x + uint8(1))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x: T.float32\nx = n\nA[0, 0] = x",
         "  x: float32\n"
         "  x = cast<float32>(n)\n"
         "  A#0[0, 0] = x\n"},
        {"x = 1\nif n > 0:\n    x = 2\nelif n < 0:\n    x = 3\nelse:\n    x = 4\nA[0, x] = 0",
         "  x: int32 = 1\n"
         "  if (n > 0)\n"
         "    x = 2\n"
         "  else\n"
         "    if (n < 0)\n"
         "      x = 3\n"
         "    else\n"
         "      x = 4\n"
         "  A#0[0, x] = float32(0)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.1: each branch and loop body has its own. */
static void names_of_an_inner_scope_do_not_reach_out(void **state)
{
    static const struct lang_case cases[] = {
        {"for i in range(2):\n    t = i\n    A[0, t] = 0\nfor i in range(2):\n    t = i * 2\n    A[0, t] = 0",
         "  for i in 0 .. 2 step 1\n"
         "    t: int32 = i\n"
         "    A#0[0, t] = float32(0)\n"
         "  for i.3 in 0 .. 2 step 1\n"
         "    t.4: int32 = (i.3 * 2)\n"
         "    A#0[0, t.4] = float32(0)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.1: annotations, T.let, local arrays, one-element tensors by name. */
static void bindings_may_be_typed_or_fixed(void **state)
{
    static const struct lang_case cases[] = {
        {"v: T.let[T.int32] = n\nA[0, v] = 0",
         "  v: int32 = n\n"
         "  A#0[0, v] = float32(0)\n"},
        {"v: T.let = n + 1\nA[0, v] = 0",
         "  v: int32 = (n + 1)\n"
         "  A#0[0, v] = float32(0)\n"},
        {"v: T.float32[2, 4]\nv[1, n] = 2\nA[0, 0] = v[1, 3]",
         "  local v: float32 x 8\n"
         "  v#2[1, n] = float32(2)\n"
         "  A#0[0, 0] = v#2[1, 3]\n"},
        {"s = T.local_scalar(\"int32\")\ns = 3\ns += n\nA[0, 0] = s",
         "  local s: int32 x 1\n"
         "  s#2[0] = 3\n"
         "  s#2[0] = (s#2[0] + n)\n"
         "  A#0[0, 0] = cast<float32>(s#2[0])\n"},
        {"m = T.meta_var(n + 1)\nA[1, 1] = m * m",
         "  A#0[1, 1] = cast<float32>(((n + 1) * (n + 1)))\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 2.2 */
static void literals_take_the_type_beside_them(void **state)
{
    static const struct lang_case cases[] = {
        {"A[0, 0] = A[0, 1] + 1",
         "  A#0[0, 0] = (A#0[0, 1] + float32(1))\n"},
        {"A[0, 0] = B[0, 1] * 0.5",
         "  A#0[0, 0] = cast<float32>((B#1[0, 1] * float16(0.5)))\n"},
        {"A[0, 0] = n * 1.5",
         "  A#0[0, 0] = (cast<float32>(n) * float32(1.5))\n"},
        {"x = n + T.uint8(3) + 2\nA[0, 0] = x",
         "  x: int32 = ((n + 3) + 2)\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"A[0, 0] = 0xFFFFFFFFFF",
         "  A#0[0, 0] = float32(1099511627776)\n"},
        {"x = T.uint32(1) - 2\nA[0, 0] = x",
         "  x: uint32 = uint32(4294967295)\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 2.5: the wider IEEE float; an IEEE float beside anything; unsigned at equal width. */
static void differing_types_are_made_equal(void **state)
{
    static const struct lang_case cases[] = {
        {"x = B[0, 0] + A[0, 0]\nA[0, 0] = x",
         "  x: float32 = (cast<float32>(B#1[0, 0]) + A#0[0, 0])\n"
         "  A#0[0, 0] = x\n"},
        {"x = n + T.uint32(1)\nA[0, 0] = x",
         "  x: uint32 = (cast<uint32>(n) + uint32(1))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = n + T.int64(1)\nA[0, 0] = x",
         "  x: int64 = (cast<int64>(n) + int64(1))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = T.bfloat16(1) + B[0, 0]\nA[0, 0] = x",
         "  x: float16 = (float16(1) + B#1[0, 0])\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = T.int8(1) * T.uint16(3)\nA[0, 0] = x",
         "  x: uint16 = uint16(3)\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = (n > 1) + n\nA[0, 0] = x",
         "  x: int32 = (cast<int32>((n > 1)) + n)\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 2.4: floor division, chained comparisons, short-circuit at compile time. */
static void operators_are_those_of_python(void **state)
{
    static const struct lang_case cases[] = {
        {"x = n // 4 + n % 4\nA[0, 0] = x",
         "  x: int32 = ((n // 4) + (n % 4))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = (n << 2) | (n >> 1) ^ (n & 3)\nA[0, 0] = x",
         "  x: int32 = ((n << 2) | ((n >> 1) ^ (n & 3)))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = ~n + -n + +n\nA[0, 0] = x",
         "  x: int32 = ((bitnot(n) + neg(n)) + n)\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"if 1 < n < 5:\n    A[0, 0] = 1",
         "  if ((1 < n) and (n < 5))\n"
         "    A#0[0, 0] = float32(1)\n"},
        {"if not (n > 2 or n == 0) and True:\n    A[0, 0] = 1",
         "  if not(((n > 2) or (n == 0)))\n"
         "    A#0[0, 0] = float32(1)\n"},
        {"if n:\n    A[0, 0] = 1",
         "  if (n != 0)\n"
         "    A#0[0, 0] = float32(1)\n"},
        {"A[0, 0] = 1 if n > 2 else 2.5",
         "  A#0[0, 0] = select((n > 2), float32(1), float32(2.5))\n"},
        {"A[0, 0] = 1 if 3 > 2 else undefined",
         "  A#0[0, 0] = float32(1)\n"},
        {"if False and undefined:\n    A[0, 0] = 1",
         ""},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 2.3 */
static void functions_by_name_are_nodes(void **state)
{
    static const struct lang_case cases[] = {
        {"x = T.min(n, 4) + T.max(n, 2)\nA[0, 0] = x",
         "  x: int32 = (min(n, 4) + max(n, 2))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"A[0, 0] = T.sqrt(T.exp2(A[0, 1])) + T.abs(A[0, 2])",
         "  A#0[0, 0] = (sqrt(exp2(A#0[0, 1])) + abs(A#0[0, 2]))\n"},
        {"x = T.ceildiv(n, 4) + T.truncdiv(n, 3) + T.floormod(n, 2)\nA[0, 0] = x",
         "  x: int32 = ((((n + 3) // 4) + truncdiv(n, 3)) + (n % 2))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = T.bitwise_and(n, T.shift_left(n, 1))\nA[0, 0] = x",
         "  x: int32 = (n & (n << 1))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"A[0, 0] = T.if_then_else(n > 0, B[0, 0], 1)",
         "  A#0[0, 0] = cast<float32>(select((n > 0), B#1[0, 0], float16(1)))\n"},
        {"A[0, 0] = T.cast(n, \"float16\") + B[0, 0].astype(\"float16\")",
         "  A#0[0, 0] = cast<float32>((cast<float16>(n) + B#1[0, 0]))\n"},
        {"x = T.reinterpret(\"uint32\", A[0, 0])\nA[0, 0] = x",
         "  x: uint32 = reinterpret<uint32>(A#0[0, 0])\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"x = T.max_value(\"int8\") + n\nA[0, 0] = T.infinity(\"float32\")",
         "  x: int32 = (127 + n)\n"
         "  A#0[0, 0] = float32(inf)\n"},
        {"if T.And(n > 0, T.Not(n > 3)):\n    A[0, 0] = T.uint32(64)",
         "  if ((n > 0) and not((n > 3)))\n"
         "    A#0[0, 0] = float32(64)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.3: the other arm is not looked at, and no scope opens. */
static void a_condition_known_at_compile_time_picks_its_arm(void **state)
{
    static const struct lang_case cases[] = {
        {"q = 3\nif q == 3:\n    z = n\nelse:\n    z = undefined\nA[0, z] = 1",
         "  z: int32 = n\n"
         "  A#0[0, z] = float32(1)\n"},
        {"if n > 2 and 3 == 3 or n == 7:\n    A[0, 0] = 1\nelif n == 3:\n    A[0, 0] = 2\nelse:\n    A[0, 0] = 3",
         "  if ((n > 2) or (n == 7))\n"
         "    A#0[0, 0] = float32(1)\n"
         "  else\n"
         "    if (n == 3)\n"
         "      A#0[0, 0] = float32(2)\n"
         "    else\n"
         "      A#0[0, 0] = float32(3)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.4 */
static void loops_are_emitted(void **state)
{
    static const struct lang_case cases[] = {
        {"for i in range(4):\n    A[0, i] = i",
         "  for i in 0 .. 4 step 1\n"
         "    A#0[0, i] = cast<float32>(i)\n"},
        {"for i in range(1, n):\n    A[0, i] = i",
         "  for i in 1 .. n step 1\n"
         "    A#0[0, i] = cast<float32>(i)\n"},
        {"for i in T.serial(2, n, step=2, unroll=4):\n    A[0, i] = i",
         "  for i in 2 .. n step 2 unroll 4\n"
         "    A#0[0, i] = cast<float32>(i)\n"},
        {"for i in T.serial(4, unroll=False):\n    A[0, i] = i",
         "  for i in 0 .. 4 step 1 no-unroll\n"
         "    A#0[0, i] = cast<float32>(i)\n"},
        {"for i in T.unroll(2):\n    A[0, i] = i",
         "  for i in 0 .. 2 step 1 unroll\n"
         "    A#0[0, i] = cast<float32>(i)\n"},
        {"for i, j in T.grid(4, (2, 3)):\n    A[i, j] = 0",
         "  for i in 0 .. 4 step 1\n"
         "    for j in 2 .. 5 step 1\n"
         "      A#0[i, j] = float32(0)\n"},
        {"while n > 2:\n    if n == 3:\n        break\n    continue",
         "  while (n > 2)\n"
         "    if (n == 3)\n"
         "      break\n"
         "    continue\n"},
        {"i = 0\nwhile i < 4:\n    A[0, i] = 0\n    i += 1",
         "  i: int32 = 0\n"
         "  while (i < 4)\n"
         "    A#0[0, i] = float32(0)\n"
         "    i = (i + 1)\n"},
        {"while False:\n    A[0, 0] = 1",
         ""},
        {"for i in range(3):\n    pass",
         "  for i in 0 .. 3 step 1\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.6 */
static void statements_stand_for_themselves(void **state)
{
    static const struct lang_case cases[] = {
        {"\"a docstring\"\npass",
         ""},
        {"assert n > 2, \"too small\"",
         "  assert (n > 2)\n"},
        {"assert 1 < 2",
         ""},
        {"T.evaluate(n + 1)",
         ""},
        {"if n == 0:\n    return\nA[0, 0] = 1",
         "  if (n == 0)\n"
         "    return\n"
         "  A#0[0, 0] = float32(1)\n"},
        {"T.static_assert(3 > 2, \"fine\")",
         ""},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.8: plain functions return values, T.inline functions are pasted. */
static void functions_are_called_at_compile_time(void **state)
{
    static const struct lang_case cases[] = {
        {"f = lambda a, b=2: a * b\nA[0, 0] = f(n)",
         "  A#0[0, 0] = cast<float32>((n * 2))\n"},
        {"@T.inline\ndef inc(t, i):\n    c = t\n    c += 1\n    A[t, c] = A[t, i] + 1\ninc(n, 2)\ninc(0, 1)",
         "  c: int32 = n\n"
         "  c = (c + 1)\n"
         "  A#0[n, c] = (A#0[n, 2] + float32(1))\n"
         "  c.2: int32 = 0\n"
         "  c.2 = (c.2 + 1)\n"
         "  A#0[0, c.2] = (A#0[0, 1] + float32(1))\n"},
        {"x = 0\n@T.inline\ndef bump():\n    x = x + 1\nbump()\nA[0, 0] = x",
         "  x: int32 = 0\n"
         "  x = (x + 1)\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"def g(v):\n    if v > 2:\n        return v * 10\n    return v\nA[0, g(3) // 30] = g(1)",
         "  A#0[0, 1] = float32(1)\n"},
        {"ks = [n + i for i in range(3) if i != 1]\nA[0, 0] = ks[0] + ks[1] + ks[1]",
         "  A#0[0, 0] = cast<float32>(((n + (n + 2)) + (n + 2)))\n"},
        {"for i in range(len([1, 2, 3])):\n    A[0, i] = sum([1, 2]) + max(3, 4)",
         "  for i in 0 .. 3 step 1\n"
         "    A#0[0, i] = float32(7)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 3.2 */
static void elements_and_augmented_elements(void **state)
{
    static const struct lang_case cases[] = {
        {"A[n, n + 1] = B[0, n]",
         "  A#0[n, (n + 1)] = cast<float32>(B#1[0, n])\n"},
        {"A[0, n] += B[n, 0]",
         "  A#0[0, n] = (A#0[0, n] + cast<float32>(B#1[n, 0]))\n"},
        {"A[0, n] *= 2",
         "  A#0[0, n] = (A#0[0, n] * float32(2))\n"},
        {"s = T.alloc_shared((1,), \"int32\")\ns = 5\nA[0, 0] = s + 1",
         "  shared s: int32 x 1, align 64\n"
         "  s#2[0] = 5\n"
         "  A#0[0, 0] = cast<float32>((s#2[0] + 1))\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 1.4, 9.5 */
static void ids_are_coordinates(void **state)
{
    static const struct lang_case cases[] = {
        {"A[T.cuda.thread_idx(\"x\"), T.cuda.block_idx(\"y\")] = T.cuda.block_dim(\"z\") + T.cuda.grid_dim(\"x\")",
         "  A#0[tid.x, ctaid.y] = cast<float32>((ntid.z + nctaid.x))\n"},
        {"A[T.cuda.warp_id(), T.cuda.lane_id()] = T.cuda.warpgroup_id()",
         "  A#0[warp_id, lane_id] = cast<float32>(warpgroup_id)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 9.5 */
static void cuda_calls_are_statements(void **state)
{
    static const struct lang_case cases[] = {
        {"T.cuda.cta_sync()\nT.cuda.warp_sync()\nT.cuda.cluster_sync()\nT.cuda.warpgroup_sync(3)\nT.cuda.trap_when_assert_failed(n > 0)",
         "  cuda cta_sync\n"
         "  cuda warp_sync\n"
         "  cuda cluster_sync\n"
         "  cuda warpgroup_sync uint32(3)\n"
         "  cuda trap_when_assert_failed (n > 0)\n"},
        {"b = T.alloc_shared((2,), \"uint64\")\nT.cuda.mbarrier_wait(b.ptr_to([1]), n % 2)",
         "  shared b: uint64 x 2, align 64\n"
         "  cuda mbarrier_wait &b#2[1], cast<uint32>((n % 2))\n"},
        {"if T.cuda.elect_sync():\n    A[0, 0] = 1",
         "  elected: uint32\n"
         "  ptx elect.sync _, elected, uint32(4294967295)\n"
         "  if (elected != uint32(0))\n"
         "    A#0[0, 0] = float32(1)\n"},
        {"x = T.cuda.get_tmem_addr(T.uint32(n), 16, 4)\nA[0, 0] = x",
         "  x: uint32 = ((((cast<uint32>(n) >> uint32(16)) + uint32(16)) << uint32(16)) | ((cast<uint32>(n) + uint32(4)) & uint32(65535)))\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
        {"b = T.alloc_shared((4,), \"float32\")\nx = T.cuda.cvta_generic_to_shared(b.ptr_to([2]))\nA[0, 0] = x",
         "  shared b: float32 x 4, align 64\n"
         "  x: uint32 = shared_addr(&b#2[2])\n"
         "  A#0[0, 0] = cast<float32>(x)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 4.2: swizzled tiles round to the period, distributed fragments count per thread. */
static void allocations_have_scope_alignment_and_size(void **state)
{
    static const struct lang_case cases[] = {
        {"a = T.alloc_shared((4, 8), \"float16\")\nb = T.alloc_local([3], \"int8\", layout=\"default\")\nc = T.alloc_buffer((2,), \"uint64\", scope=\"shared\", align=256)",
         "  shared a: float16 x 32, align 64\n"
         "  local b: int8 x 3\n"
         "  shared c: uint64 x 2, align 256\n"},
        {"f = T.alloc_tensor(ty_args=[T.Tensor((128, 64), \"float32\", scope=\"local\", layout=T.TileLayout(T.S[(128, 64) : (1 @ T.Axis.tid_in_wg, 1)]))])",
         "  local f: float32 x 64\n"},
        {"f = T.wg_reg_tile(8, \"float32\")\ng = T.alloc_tcgen05_ldst_frag(\"16x256b\", (64, 32), \"float32\")",
         "  local f: float32 x 8\n"
         "  local g: float32 x 16\n"},
        {"s = T.alloc_shared((1,), \"uint32\")\nd = T.cuda.decl_tmem(s[0], ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\")])",
         "  shared s: uint32 x 1, align 64\n"
         "  tmem d: float32 x 1024 at tmem_base\n"
         "  tmem_base: uint32 = s#2[0]\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 9.1, 9.2: destinations first, groups one by one, addresses by pointer or word. */
static void raw_instructions_take_the_operands_of_the_catalogue(void **state)
{
    static const struct lang_case cases[] = {
        {"x = T.uint32(0)\ny: T.uint32\nT.ptx.mov.b32(y, x)\nT.ptx.mapa.shared__cluster.u32(y, x, 1)\nA[0, 0] = y",
         "  x: uint32 = uint32(0)\n"
         "  y: uint32\n"
         "  ptx mov.b32 y, x\n"
         "  ptx mapa.shared::cluster.u32 y, x, uint32(1)\n"
         "  A#0[0, 0] = cast<float32>(y)\n"},
        {"x: T.float32\ny: T.float32\nT.ptx.ld.global_.v2.f32(x, y, A.ptr_to([0, 0]))\nT.ptx[\"ld.global.v2.f32\"](x, T.ptx.SINK, T.ptx.addr(A.ptr_to([0, 0]), 8), pred=n > 0)\nA[0, 0] = x + y",
         "  x: float32\n"
         "  y: float32\n"
         "  ptx ld.global.v2.f32 {x, y}, [&A#0[0, 0]]\n"
         "  @(n > 0) ptx ld.global.v2.f32 {x, _}, [&A#0[0, 0] + 8]\n"
         "  A#0[0, 0] = (x + y)\n"},
        {"T.ptx.st.global_.f32(A.ptr_to([0, 0]), A[0, 1])\nT.ptx.st.global_.f32(A.ptr_to([0, 0]), 2)",
         "  ptx st.global.f32 [&A#0[0, 0]], A#0[0, 1]\n"
         "  ptx st.global.f32 [&A#0[0, 0]], float32(2)\n"},
        {"g = 2\nT.ptx[f\"tcgen05.relinquish_alloc_permit.cta_group::{g}.sync.aligned\"]()\nT.ptx.fence.proxy.async_.shared__cta()\nT.ptx.bar.sync(1)\nT.ptx.bar.sync(1, 64)\nT.ptx.cp.async_.wait_group(2)",
         "  ptx tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned\n"
         "  ptx fence.proxy.async.shared::cta\n"
         "  ptx bar.sync uint32(1)\n"
         "  ptx bar.sync uint32(1), uint32(64)\n"
         "  ptx cp.async.wait_group uint32(2)\n"},
        {"p: T.uint32\nT.ptx.elect_sync(T.ptx.SINK, p, 0xFFFFFFFF)\nd = [T.local_scalar(\"float32\") for i in range(4)]\na = T.uint32(1)\nT.ptx[\"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32\"](*d, a, a, a, *d)",
         "  local tensor2: float32 x 1\n"
         "  local tensor3: float32 x 1\n"
         "  local tensor4: float32 x 1\n"
         "  local tensor5: float32 x 1\n"
         "  p: uint32\n"
         "  ptx elect.sync _, p, uint32(4294967295)\n"
         "  a: uint32 = uint32(1)\n"
         "  ptx mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {tensor2#2[0], tensor3#3[0], tensor4#4[0], tensor5#5[0]}, {a, a}, {a}, {tensor2#2[0], tensor3#3[0], tensor4#4[0], tensor5#5[0]}\n"},
        {"x: T.float32 = 1\nT.ptx.ex2.approx.ftz.f32(x, x, pred=n > 1, preserve_dst=True)\nA[0, 0] = x",
         "  x: float32 = float32(1)\n"
         "  @(n > 1) ptx ex2.approx.ftz.f32 x, x\n"
         "  A#0[0, 0] = x\n"},
        {"T.ptx.griddepcontrol.wait()\nT.ptx.setmaxnreg.inc.sync.aligned.u32(200)",
         "  ptx griddepcontrol.wait\n"
         "  ptx setmaxnreg.inc.sync.aligned.u32 uint32(200)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 9.6 */
static void calls_of_the_earlier_revision_mean_the_same(void **state)
{
    static const struct lang_case cases[] = {
        {"a = T.alloc_shared([1], \"uint32\"); m = T.alloc_shared([1], \"uint64\")\nT.ptx.tcgen05.alloc(T.address_of(a), n_cols=512, cta_group=1)\nT.ptx.tcgen05.commit(m.ptr_to([0]), cta_group=1)\nT.ptx.tcgen05.commit(m.ptr_to([0]), cta_group=2, cta_mask=3)\nT.ptx.mbarrier.try_wait(m.ptr_to([0]), 0)\nT.ptx.tcgen05.wait.ld()\nT.ptx.tcgen05.fence.after_thread_sync()\nT.ptx.fence.proxy_async(\"shared::cta\")\nT.ptx.mbarrier.init(m.ptr_to([0]), 1)\nT.ptx.mbarrier.arrive.expect_tx(m.ptr_to([0]), 128)\nif T.ptx.elect_sync():\n    T.cuda.warp_sync()",
         "  shared a: uint32 x 1, align 64\n"
         "  shared m: uint64 x 1, align 64\n"
         "  ptx tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [&a#2[0]], uint32(512)\n"
         "  ptx tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [&m#3[0]]\n"
         "  ptx tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [&m#3[0]], uint16(3)\n"
         "  cuda mbarrier_wait &m#3[0], uint32(0)\n"
         "  ptx tcgen05.wait::ld.sync.aligned\n"
         "  ptx tcgen05.fence::after_thread_sync\n"
         "  ptx fence.proxy.async.shared::cta\n"
         "  ptx mbarrier.init.shared.b64 [&m#3[0]], uint32(1)\n"
         "  ptx mbarrier.arrive.expect_tx.shared.b64 _, [&m#3[0]], uint32(128)\n"
         "  elected: uint32\n"
         "  ptx elect.sync _, elected, uint32(4294967295)\n"
         "  if (elected != uint32(0))\n"
         "    cuda warp_sync\n"},
        {"a = T.alloc_shared([1], \"uint32\")\nt = T.decl_buffer((128, 512), \"float32\", scope=\"tmem\", allocated_addr=a[0], layout=T.TileLayout(T.S[(128, 512) : (1 @ T.Axis.TLane, 1 @ T.Axis.TCol)]))\nT.ptx.tcgen05.dealloc(a[0], n_cols=512)",
         "  shared a: uint32 x 1, align 64\n"
         "  tmem t: float32 x 65536 at tmem_base\n"
         "  tmem_base: uint32 = a#2[0]\n"
         "  ptx tcgen05.dealloc.cta_group::1.sync.aligned.b32 a#2[0], uint32(512)\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* 7.1 */
static void a_tile_operation_carries_its_operands_and_parameters(void **state)
{
    static const struct lang_case cases[] = {
        {"T.cuda.tile.apply(T.ptx[\"ld.global.v4.f32\"], A.view(2, 16), A[n : n + 2, 0:4], 0.5, scope=\"warp\", shape=(1, 2), flag=True, name=\"x\", none=None, rt=n, t=(n, 1))",
         "  tile ld.global.v4.f32 scope warp\n"
         "      A#2[:, :]\n"
         "      A#0[n +: 2, 0 +: 4]\n"
         "      float32(0.5)\n"
         "      shape = (1, 2)\n"
         "      flag = True\n"
         "      name = \"x\"\n"
         "      none = None\n"
         "      rt = n\n"
         "      t = (n, 1)\n"},
        {"T.cuda.tile.apply(T.ptx.mma.sync.aligned, A[1:3], B[2])\nT.cuda.tile.apply(\"mma.sync\", n)",
         "  tile mma.sync.aligned scope thread\n"
         "      A#0[1 +: 2, :]\n"
         "      B#1[2, :]\n"
         "  tile mma.sync scope thread\n"
         "      n\n"},
    };
    expect_statements(*state, cases, COUNT(cases));
}

/* ---- the seeds ---- */

static struct ir_kernel *build_seed(struct bench_room *room, uint32_t file, const char *name)
{
    struct lang_program *p = tw_lang_load(&room->arena, &room->sources, file, &room->diags, tw_isa_open(&room->arena), NULL);
    tw_test_expect_diags(room, "");
    assert_int_equal(tw_lang_kernel_count(p), 1);
    assert_string_equal(tw_lang_kernel_name(p, 0), name);
    struct ir_kernel *k = tw_lang_build(p, name);
    tw_test_expect_diags(room, "");
    statements_of(room, k);
    return k;
}

static void expect_param(const struct ir_kernel *k, uint32_t i, const char *name, const char *dtype, uint32_t rank,
                         const int64_t *shape)
{
    const struct ir_param *p = &k->params.at[i];
    assert_string_equal(p->name, name);
    assert_string_equal(tw_ir_type_name(p->view->elem), dtype);
    assert_int_equal(p->view->rank, rank);
    for (uint32_t d = 0; d < rank; d++)
        assert_int_equal(p->view->shape[d], shape[d]);
    assert_int_equal(p->tensor->scope, IR_GLOBAL);
    assert_int_equal(p->tensor->param, i);
}

/* Every statement in order, branches and loops opened, as one word each: the opcode of an instruction. */
static void put_words(struct text *out, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        const struct ir_stmt *s = b->list.at[i];
        if (s->op == IR_PTX)
            tw_text_addf(out, "%s\n", s->ptx->mnemonic);
        else if (s->op == IR_TILE)
            tw_text_addf(out, "tile %s\n", s->tile->opcode);
        else if (s->op == IR_CUDA)
            tw_text_addf(out, "%s\n", tw_ir_cuda_name(s->cuda));
        put_words(out, &s->body);
        put_words(out, &s->orelse);
    }
}

static const char *instruction_words(struct bench_room *room, const struct ir_kernel *k)
{
    struct text out;
    tw_text_init(&out, &room->arena);
    put_words(&out, &k->body);
    return out.at;
}

static const struct ir_tile *tile_number(const struct ir_block *b, uint32_t *n)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        const struct ir_stmt *s = b->list.at[i];
        if (s->op == IR_TILE && (*n)-- == 0)
            return s->tile;
        const struct ir_tile *inner = tile_number(&s->body, n);
        if (inner != NULL)
            return inner;
    }
    return NULL;
}

static void expect_operand(struct bench_room *room, const struct ir_tile *t, uint32_t i, const char *shape, const char *layout)
{
    assert_int_equal(t->operands[i].kind, IR_ARG_REGION);
    const struct ir_view *v = t->operands[i].region->view;
    struct shape s = {.rank = v->rank};
    memcpy(s.dim, v->shape, sizeof s.dim);
    assert_string_equal(tw_shape_text(&room->arena, &s), shape);
    assert_string_equal(tw_layout_text(&room->arena, v->layout), layout);
}

/* Seed 000: the listing, and the layouts it implies (kernel-language-layout 6.8, 6.9). */
static void the_tensor_mma_seed_becomes_the_instructions_it_names(void **state)
{
    struct bench_room *room = *state;
    const struct ir_kernel *k = build_seed(room, tensor_mma_seed(room), "tensor_mma");
    const int64_t a[] = {128, 64}, b[] = {64, 64};
    expect_param(k, 0, "A", "float16", 2, a);
    expect_param(k, 1, "B", "float16", 2, b);
    expect_param(k, 2, "Out", "float32", 2, a);
    assert_int_equal(k->launch.grid[0], 1);
    assert_int_equal(k->launch.block[0], 128);
    assert_string_equal(instruction_words(room, k), "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32\n"
                                                    "mbarrier.init.shared.b64\n"
                                                    "cta_sync\n"
                                                    "fence.proxy.async.shared::cta\n"
                                                    "tile tcgen05.mma.cta_group::1.kind::f16\n"
                                                    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64\n"
                                                    "mbarrier_wait\n"
                                                    "tcgen05.fence::after_thread_sync\n"
                                                    "tile tcgen05.ld.sync.aligned.32x32b.x64.b32\n"
                                                    "tcgen05.wait::ld.sync.aligned\n"
                                                    "cta_sync\n"
                                                    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned\n"
                                                    "tcgen05.dealloc.cta_group::1.sync.aligned.b32\n");
    uint32_t n = 0;
    const struct ir_tile *mma = tile_number(&k->body, &n);
    assert_int_equal(mma->scope, IR_THREAD_SCOPE);
    assert_int_equal(mma->operand_count, 3);
    expect_operand(room, mma, 0, "(1, 1, 128, 64)", "S[(128, 64):(1@TLane, 1@TCol)]");
    expect_operand(room, mma, 1, "(1, 4, 128, 16)", "ComposeLayout(3, 3, 3, TileLayout(S[(4, 128, 16):(16, 64, 1)]))");
    expect_operand(room, mma, 2, "(1, 4, 64, 16)", "ComposeLayout(3, 3, 3, TileLayout(S[(4, 64, 16):(16, 64, 1)]))");
    assert_int_equal(mma->param_count, 2);
    assert_string_equal(mma->params[0].name, "instruction_shape");
    assert_int_equal(mma->params[0].kind, IR_ARG_TUPLE);
    assert_int_equal(mma->params[0].items[0].value, 128);
    assert_string_equal(mma->params[1].name, "accum");
    assert_int_equal(mma->params[1].kind, IR_ARG_BOOL);
    n = 1;
    const struct ir_tile *ld = tile_number(&k->body, &n);
    assert_int_equal(ld->scope, IR_WARPGROUP_SCOPE);
    expect_operand(room, ld, 0, "(4, 32, 64)", "S[(128, 64):(1@tid_in_wg, 1)]");
    /* a (128, 64) fragment over 128 threads is 64 registers in each */
    assert_int_equal(ld->operands[0].region->view->storage->elems, 64);
    assert_int_equal(k->storages.at[3]->align_bytes, 1024);
}

/* Seed 003. */
static void the_warp_mma_seed_becomes_one_tile_operation(void **state)
{
    struct bench_room *room = *state;
    const struct ir_kernel *k = build_seed(room, warp_mma_seed(room), "warp_mma");
    const int64_t a[] = {1, 2, 16, 8}, b[] = {1, 2, 8, 8}, out[] = {16, 8};
    expect_param(k, 0, "A", "uint32", 4, a);
    expect_param(k, 1, "B", "uint32", 4, b);
    expect_param(k, 2, "Out", "float32", 2, out);
    assert_int_equal(k->launch.block[0], 32);
    assert_string_equal(instruction_words(room, k), "tile mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n");
    uint32_t n = 0;
    const struct ir_tile *mma = tile_number(&k->body, &n);
    assert_int_equal(mma->scope, IR_WARP_SCOPE);
    assert_int_equal(mma->operand_count, 4);
    expect_operand(room, mma, 0, "(1, 1, 16, 8)", "S[(1, 1, 2, 8, 4, 2):(4, 4, 2, 4@laneid, 1@laneid, 1)]");
    expect_operand(room, mma, 1, "(1, 2, 16, 8)", "S[(1, 2, 2, 8, 2, 4):(8, 4, 1, 4@laneid, 2, 1@laneid)]");
    assert_int_equal(mma->operands[3].kind, IR_ARG_EXPR);
    assert_string_equal(tw_ir_type_name(mma->operands[3].expr->type), "float32");
}

/* Kernel-language 1.3, 1.4: the mid revision's parameters and scope ids. */
static void the_mid_revision_declares_parameters_and_ids_in_the_body(void **state)
{
    struct bench_room *room = *state;
    struct lang_program *p = load_text(room, "from tvm_tirx.script import tirx as T\n"
                                             "@T.prim_func\n"
                                             "def k(a: T.handle, B: T.Buffer((4,), \"int32\"), s: T.float32):\n"
                                             "    A = T.match_buffer(a, (4, 8), \"float16\", align=16)\n"
                                             "    T.device_entry()\n"
                                             "    bx, by = T.cta_id([3, 2])\n"
                                             "    warp = T.warp_id([4])\n"
                                             "    lane = T.lane_id([32])\n"
                                             "    t = T.thread_id([128])\n"
                                             "    A[bx, by] = B[warp] + lane * t\n");
    struct ir_kernel *k = tw_lang_build(p, "k");
    tw_test_expect_diags(room, "");
    const int64_t a[] = {4, 8};
    expect_param(k, 0, "a", "float16", 2, a);
    assert_int_equal(k->params.at[0].tensor->align_bytes, 16);
    assert_string_equal(tw_ir_type_name(k->params.at[2].scalar->type), "float32");
    assert_int_equal(k->launch.grid[0], 3);
    assert_int_equal(k->launch.grid[1], 2);
    assert_int_equal(k->launch.block[0], 128);
    assert_string_equal(statements_of(room, k), "  bx: int32 = ctaid.x\n"
                                                "  by: int32 = ctaid.y\n"
                                                "  warp: int32 = warp_id\n"
                                                "  lane: int32 = lane_id\n"
                                                "  t: int32 = flat_tid\n"
                                                "  a#0[bx, by] = cast<float16>((B#1[warp] + (lane * t)))\n");
}

/* A kernel keeps the names of its definition, whatever the host part binds later; a caller's value comes first. */
static void a_kernel_sees_the_names_of_its_definition(void **state)
{
    struct bench_room *room = *state;
    static const char program[] = "from tvm.script import tirx as T\n"
                                  "N = 3\n"
                                  "def twice(v):\n"
                                  "    return v * N\n"
                                  "@T.function\n"
                                  "def k(A: T.Tensor((N,), \"int32\")):\n"
                                  "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))\n"
                                  "    A[0] = N + twice(10)\n"
                                  "N = 4\n"
                                  "k = 5\n";
    assert_string_equal(built(room, program), "  A#0[0] = 33\n");
    const struct lang_env_entry entry = {.name = "N", .kind = LANG_ENV_INT, .integer = 7};
    const struct lang_env env = {&entry, 1};
    struct lang_program *p = tw_lang_load(&room->arena, &room->sources, tw_sources_add(&room->sources, "k.py", tw_str(program)),
                                          &room->diags, tw_isa_open(&room->arena), &env);
    assert_string_equal(statements_of(room, tw_lang_build(p, "k")), "  A#0[0] = 77\n");
}

/* Host statements of every kind pass by; what they bind is a host value. */
static void the_host_part_is_carried_along(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(built(room, "import numpy as np, sys\n"
                                    "import tvm\n"
                                    "from tvm.script import tirx as T, ir as I\n"
                                    "from os import path\n"
                                    "x = np.arange(3)[1:, None] @ 2 ** 100\n"
                                    "for i, j in enumerate(x):\n"
                                    "    y = i\n"
                                    "with open('f') as g, np.errstate():\n"
                                    "    z = 1\n"
                                    "while x.any():\n"
                                    "    x -= 1\n"
                                    "class C(object):\n"
                                    "    def f(self): return self.x\n"
                                    "try:\n"
                                    "    import torch\n"
                                    "except ImportError as e:\n"
                                    "    torch = None\n"
                                    "finally:\n"
                                    "    w = {1, 2}\n"
                                    "def main(*args, **kw):\n"
                                    "    print(f'{x:.3f}', *args)\n"
                                    "    global y\n"
                                    "    y = [v for v in x if v > 2]\n"
                                    "    del y\n"
                                    "    return lambda: (yield)\n"
                                    "@tvm.register\n"
                                    "def h(): pass\n"
                                    "if __name__ == '__main__':\n"
                                    "    main()\n"
                                    "main(1, b=2)\n"
                                    "assert x.sum() == 3, 'no'\n"
                                    "s = 'a%d' % 3; t = '{}'.format(x); u = b'q'; v = ...\n"
                                    "q: int = len(sys.argv[1:]) if x else 3\n"
                                    "@T.function\n"
                                    "def k(A: T.Tensor((4,), \"int32\")):\n"
                                    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))\n"
                                    "    A[0] = 1\n"),
                        "  A#0[0] = 1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_scalar_that_is_bound_once_never_changes),
        ROOM_TEST(a_scalar_that_is_assigned_again_is_a_variable_of_its_first_type),
        ROOM_TEST(names_of_an_inner_scope_do_not_reach_out),
        ROOM_TEST(bindings_may_be_typed_or_fixed),
        ROOM_TEST(literals_take_the_type_beside_them),
        ROOM_TEST(differing_types_are_made_equal),
        ROOM_TEST(operators_are_those_of_python),
        ROOM_TEST(functions_by_name_are_nodes),
        ROOM_TEST(a_condition_known_at_compile_time_picks_its_arm),
        ROOM_TEST(loops_are_emitted),
        ROOM_TEST(statements_stand_for_themselves),
        ROOM_TEST(functions_are_called_at_compile_time),
        ROOM_TEST(elements_and_augmented_elements),
        ROOM_TEST(ids_are_coordinates),
        ROOM_TEST(cuda_calls_are_statements),
        ROOM_TEST(allocations_have_scope_alignment_and_size),
        ROOM_TEST(raw_instructions_take_the_operands_of_the_catalogue),
        ROOM_TEST(calls_of_the_earlier_revision_mean_the_same),
        ROOM_TEST(a_tile_operation_carries_its_operands_and_parameters),
        ROOM_TEST(the_tensor_mma_seed_becomes_the_instructions_it_names),
        ROOM_TEST(the_warp_mma_seed_becomes_one_tile_operation),
        ROOM_TEST(the_mid_revision_declares_parameters_and_ids_in_the_body),
        ROOM_TEST(a_kernel_sees_the_names_of_its_definition),
        ROOM_TEST(the_host_part_is_carried_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
