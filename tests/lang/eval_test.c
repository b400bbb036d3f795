/* Compile-time evaluation: every value is the one that Python gives. */
#include "lang_support.h"

struct eval_case {
    const char *expression;
    int want;
};

static void expressions_have_python_s_values(void **state)
{
    static const struct eval_case cases[] = {
        {"7 // 2", 3},
        {"-7 // 2", -4},
        {"7 // -2", -4},
        {"-7 % 3", 2},
        {"7 % -3", -2},
        {"1 << 20", 1048576},
        {"-8 >> 1", -4},
        {"0xFF & 0x0F | 0x30 ^ 1", 63},
        {"~5", -6},
        {"2 ** 10", 1024},
        {"(-1) ** 3", -1},
        {"3 if 2 > 1 else 4", 3},
        {"1 < 2 < 3", 1},
        {"1 < 2 > 3", 0},
        {"not 0", 1},
        {"0 or 5", 5},
        {"3 and 4", 4},
        {"True + True", 2},
        {"len('abc' + 'de')", 5},
        {"[1, 2, 3][-1]", 3},
        {"(1, 2, 3)[1:][0]", 2},
        {"sum([i * i for i in range(5) if i % 2])", 10},
        {"max(3, 1, 2) * min([4, 5])", 12},
        {"int(7 / 2)", 3},
        {"abs(-3) + int(2.9)", 5},
        {"len((1,) * 4 + (2, 3))", 6},
        {"{'a': 1, 'b': 2}['b']", 2},
        {"sum({1: 2, 3: 4})", 4},
        {"len([(i, j) for i in range(3) for j in range(i)])", 3},
        {"(lambda a, b=2: a * b)(4)", 8},
        {"sum(a * b for a, b in zip([1, 2], [3, 4]))", 11},
        {"sum([i * v for i, v in enumerate([5, 6])])", 6},
        {"len(f'{1 + 1}{True}{(1, 2)}{[3]}x')", 15},
        {"3 in [1, 2, 3]", 1},
        {"'b' not in 'abc'", 0},
        {"len('abcdef'[1:4])", 3},
        {"len(str(12345))", 5},
        {"bool([]) + bool([0])", 1},
        {"list(range(10, 0, -3))[2]", 4},
        {"tuple([1, 2]) == (1, 2)", 1},
        {"'a' 'b' == 'ab'", 1},
        {"None is None", 1},
        {"len({'x': 1}.items())", 1},
        {"7.5 // 2 == 3.0", 1},
        {"1 == 1.0", 1},
        {"10 // 3 * 3 + 10 % 3", 10},
        {"float(3) > 2", 1},
        {"2 - 3 - 4", -5},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *program = tw_format(&room->arena,
                                        "from tvm.script import tirx as T\n"
                                        "X = int(%s)\n"
                                        "@T.function\n"
                                        "def k(A: T.Tensor((1,), \"int32\")):\n"
                                        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))\n"
                                        "    A[0] = X\n",
                                        cases[i].expression);
        assert_string_equal(built(room, program), tw_format(&room->arena, "  A#0[0] = %d\n", cases[i].want));
    }
}

static void functions_bind_arguments_as_python_does(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(built(room, "from tvm.script import tirx as T\n"
                                    "def f(a, /, b=2, *c, d=3, **e):\n"
                                    "    total = a + 10 * b + 100 * sum(c) + 1000 * d\n"
                                    "    for k in e:\n"
                                    "        total += e[k]\n"
                                    "    return total\n"
                                    "args = (1, 2, 3, 4)\n"
                                    "X = f(1), f(1, b=5), f(*args), f(1, d=0, z=7), f(**{'b': 1}, *[9])\n"
                                    "def fib(n):\n"
                                    "    if n < 2:\n"
                                    "        return n\n"
                                    "    return fib(n - 1) + fib(n - 2)\n"
                                    "a = b = 3\n"
                                    "first, *rest = [1, 2, 3]\n"
                                    "d = {}\n"
                                    "d['k'] = 4\n"
                                    "l = [1]\n"
                                    "l.append(2)\n"
                                    "l[0] += 5\n"
                                    "n = 0\n"
                                    "while True:\n"
                                    "    n += 1\n"
                                    "    if n == 3: continue\n"
                                    "    if n > 5: break\n"
                                    "@T.function\n"
                                    "def k(A: T.Tensor((16,), \"int32\")):\n"
                                    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))\n"
                                    "    A[0] = X[0]\n"
                                    "    A[1] = X[1]\n"
                                    "    A[2] = X[2]\n"
                                    "    A[3] = X[3]\n"
                                    "    A[4] = X[4]\n"
                                    "    A[5] = fib(10)\n"
                                    "    A[6] = a * b + rest[1] + d['k'] + l[0] * l[1] + n\n"),
                        "  A#0[0] = 3021\n"
                        "  A#0[1] = 3051\n"
                        "  A#0[2] = 3721\n"
                        "  A#0[3] = 28\n"
                        "  A#0[4] = 3019\n"
                        "  A#0[5] = 55\n"
                        "  A#0[6] = 34\n");
}

/* Both roots of the packages, both homes of the factories, and the script namespace give the same objects. */
static void all_spellings_of_the_imports_give_the_same_layouts(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(built(room, "from tvm.script import tirx as T\n"
                                    "from tvm_tirx.script import tirx as Tx\n"
                                    "from tvm.backend.cuda.layout import mma_shared_layout, SwizzleMode\n"
                                    "from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout as old\n"
                                    "from tvm_tirx.tirx.layout import S, R, TileLayout, TLane, tid_in_wg as axis\n"
                                    "from tvm.backend.cuda.axis import laneid\n"
                                    "import tvm.backend.cuda.layout as L\n"
                                    "a = mma_shared_layout(\"float16\", 3, (128, 64))\n"
                                    "assert a == old(Tx.float16, SwizzleMode.SWIZZLE_128B, [128, 64])\n"
                                    "assert a == L.mma_shared_layout(\"float16\", \"128B\", (128, 64))\n"
                                    "assert a == T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[8192]))\n"
                                    "assert TileLayout(S[8 : 4 @ laneid]) == T.TileLayout(T.S[8 : 4 @ T.cuda.Axis.laneid])\n"
                                    "assert TileLayout(S[(4, 8) : (8, 1)]) == TileLayout(S[4, 8])\n"
                                    "assert TileLayout(S[4 : 1 @ axis] + R[2 : 64 @ TLane] + 5 @ T.Axis.warpid + 3) != TileLayout(S[4 : 1 @ axis])\n"
                                    "assert L.mma_atom_shape(\"float8_e4m3fn\", 3) == [8, 128]\n"
                                    "assert L.tmem_datapath_layout(\"F\", 64, 32) == TileLayout(S[(4, 16, 32) : (32 @ TLane, 1 @ TLane, 1 @ T.Axis.TCol)])\n"
                                    "@T.function\n"
                                    "def k(A: T.Tensor((1,), \"int32\")):\n"
                                    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))\n"
                                    "    A[0] = 1\n"),
                        "  A#0[0] = 1\n");
}

/* Programs damaged at random end in diagnostics or in sound IR. */
static void damaged_programs_end_in_diagnostics_or_in_sound_ir(void **state)
{
    static const char program[] =
        "from tvm.script import tirx as T\n"
        "from tvm.backend.cuda.layout import mma_shared_layout, tmem_mma_operand_layout\n"
        "al = mma_shared_layout(\"float16\", 3, (128, 64))\n"
        "dl = tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1)\n"
        "def f(v, *w):\n"
        "    return [v + i for i in w][0]\n"
        "@T.function\n"
        "def k(A: T.Tensor((128, 64), \"float16\"), n: T.int32):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n"
        "    t = T.cuda.thread_idx(\"x\")\n"
        "    a = T.alloc_shared((128, 64), \"float16\", layout=al, align=1024)\n"
        "    s = T.alloc_shared((1,), \"uint32\", layout=\"default\")\n"
        "    if t // 32 == 0 and n > 1:\n"
        "        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(s), T.uint32(64))\n"
        "    for i, j in T.grid(2, 4):\n"
        "        a[t, i * 4 + j] = A[t, j] * 2 + f(n, 1, 2)\n"
        "    x: T.float32 = 0.5\n"
        "    while x < 3:\n"
        "        x += 1 if n > 2 else x\n"
        "    d = T.cuda.decl_tmem(s[0], ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=dl)])\n"
        "    v = a.rearrange(\"m (r k) -> r m k\", k=16).view(1, 4, 128, 16)\n"
        "    T.cuda.tile.apply(T.ptx[f\"tcgen05.mma.cta_group::{1}.kind::f16\"], d.view(1, 1, 128, 64), v, v[0:1], accum=False)\n"
        "    T.ptx[\"ld.global.f32\"](x, A.ptr_to([0, n]), pred=n > 0)\n";
    enum { ROUNDS = 1500 };
    struct bench_room *room = *state;
    static const char spare[] = "()[]{}:,.=+-*/@%<>!#'\"\\ \n\tx0T_";
    const struct isa *isa = tw_isa_open(&room->arena);
    const size_t len = sizeof program - 1;
    uint32_t seed = 12345;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark mark = tw_arena_mark(&room->arena);
        char *text = tw_arena_copy(&room->arena, program, len);
        size_t kept = len;
        for (int damage = 0; damage < 1 + round % 3; damage++) {
            seed = seed * 1664525u + 1013904223u;
            const size_t at = (seed >> 8) % kept;
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 31)
                text[at] = spare[(seed >> 8) % (sizeof spare - 1)];
            else if (kept > at + 4)
                memmove(text + at, text + at + (seed >> 8) % 4, kept-- - at - 4);
        }
        struct diags diags;
        struct sources sources;
        tw_sources_init(&sources, &room->arena);
        tw_diags_init(&diags, &room->arena, &sources);
        const uint32_t file = tw_sources_add(&sources, "k.py", (struct str){text, kept});
        struct lang_program *p = tw_lang_load(&room->arena, &sources, file, &diags, isa, NULL);
        struct ir_kernel *k = tw_lang_build(p, "k");
        struct text why;
        tw_text_init(&why, &room->arena);
        if (k != NULL && !tw_ir_verify(k, &why))
            fail_msg("round %d: %s\n%.*s", round, why.at, (int)kept, text);
        if (k == NULL)
            assert_true(diags.error_count > 0);
        tw_diags_text(&diags, &why);
        tw_arena_rewind(&room->arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(expressions_have_python_s_values),
        ROOM_TEST(functions_bind_arguments_as_python_does),
        ROOM_TEST(all_spellings_of_the_imports_give_the_same_layouts),
        ROOM_TEST(damaged_programs_end_in_diagnostics_or_in_sound_ir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
