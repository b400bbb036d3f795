/* Tx: its imports, its scopes, and what a call leaves in the IR. SOURCE: kernel-language-tile 8. */
#include "lang_support.h"

/* Line 7 is the first of the body. */
#define HEADER                                                                                      \
    "from tvm.script import tirx as T\n"                                                            \
    "from tvm.script.tirx import tile as Tx\n"                                                      \
    "@T.function\n"                                                                                 \
    "def k(A: T.Tensor((4, 8), \"float32\"), n: T.int32):\n"                                        \
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"                            \
    "    d = T.decl_buffer((128, 64), \"float32\", scope=\"tmem\", allocated_addr=T.uint32(0))\n"

static void operands_parameters_and_configuration_keep_their_names(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(built(room, HEADER "    Tx.gemm_async(d[0:64, :], A, B=A[n, 0:4], transB=True, accum=n > 0, dispatch=\"x\", cta_group=2, shape=(1, n))\n"),
                        "  tmem d: float32 x 8192 at tmem_base\n"
                        "  tmem_base: uint32 = uint32(0)\n"
                        "  dispatch gemm_async scope thread\n"
                        "      C = d#1[0 +: 64, :]\n"
                        "      A = A#0[:, :]\n"
                        "      B = A#0[n, 0 +: 4]\n"
                        "      SFA = None\n"
                        "      SFB = None\n"
                        "      transB = True\n"
                        "      accum = (n > 0)\n"
                        "      dispatch = \"x\"\n"
                        "      cta_group = 2\n"
                        "      shape = (1, n)\n");
}

static void a_name_between_widens_the_scope(void **state)
{
    static const struct {
        const char *name, *scope;
    } scopes[] = {{"Tx", "thread"},        {"Tx.thread", "thread"},       {"Tx.warp", "warp"},      {"Tx.wg", "warpgroup"},
                  {"Tx.warpgroup", "warpgroup"}, {"Tx.cta", "cta"}, {"Tx.cluster", "cluster"}};
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(scopes); i++) {
        const char *ir = built(room, tw_format(&room->arena, HEADER "    %s.gemm_async(d, A, A)\n", scopes[i].name));
        if (strstr(ir, tw_format(&room->arena, "dispatch gemm_async scope %s\n", scopes[i].scope)) == NULL)
            fail_msg("%s: %s", scopes[i].name, ir);
    }
}

static void every_import_of_the_namespace_is_the_same(void **state)
{
    static const char *const imports[] = {"from tvm.script.tirx import tile as Tx\n", "import tvm.script.tirx.tile as Tx\n",
                                          "from tvm_tirx.script.tirx import tile as Tx\n"};
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(imports); i++)
        assert_non_null(strstr(
            built(room, tw_format(&room->arena,
                                  "from tvm.script import tirx as T\n%s@T.function\ndef k(A: T.Tensor((4, 8), \"float32\")):\n"
                                  "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    Tx.gemm_async(A, A, A)\n", imports[i])),
            "dispatch gemm_async"));
}

static void expect_error(struct bench_room *room, const char *line, const char *want)
{
    struct lang_program *p = load_text(room, tw_format(&room->arena, HEADER "    %s\n", line));
    tw_test_expect_diags(room, "");
    assert_null(tw_lang_build(p, "k"));
    tw_test_expect_diags(room, want);
}

static void operations_that_are_not_there_are_refused_by_name(void **state)
{
    struct bench_room *room = *state;
    expect_error(room, "Tx.wg.silu(A, d)",
                 "k.py:7:11: error[E0203]: Tx.wg.silu is not supported\n"
                 "    7 |     Tx.wg.silu(A, d)\n"
                 "      |           ^~~~\n");
    expect_error(room, "Tx.warp.gem_async(d, A, A)",
                 "k.py:7:13: error[E0202]: Tx.warp has no 'gem_async'\n"
                 "    7 |     Tx.warp.gem_async(d, A, A)\n"
                 "      |             ^~~~~~~~~\n"
                 "       fix: write 'gemm_async'\n");
    expect_error(room, "Tx.wrap.gemm_async(d, A, A)",
                 "k.py:7:8: error[E0202]: Tx has no 'wrap'\n"
                 "    7 |     Tx.wrap.gemm_async(d, A, A)\n"
                 "      |        ^~~~\n"
                 "       fix: write 'warp'\n");
    expect_error(room, "Tx.gemm_async(d, A)",
                 "k.py:7:5: error[E0205]: 'gemm_async' needs its argument 'B'\n"
                 "    7 |     Tx.gemm_async(d, A)\n"
                 "      |     ^~~~~~~~~~~~~~~~~~~\n"
                 "  expected: gemm_async(C, A, B, SFA, SFB, transA, transB, accum, dispatch, **config)\n");
}

/* A swizzle permutes absolute addresses: without align= a tensor that has one starts where a period starts. */
static void a_swizzled_tensor_is_aligned_to_its_period(void **state)
{
    static const struct {
        const char *arguments;
        const char *align;
    } cases[] = {
        {"(8, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (8, 64))", "align 1024"},
        {"(8, 32), \"float16\", layout=mma_shared_layout(\"float16\", 2, (8, 32))", "align 512"},
        {"(8, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (8, 16))", "align 256"},
        {"(8, 64), \"float16\", layout=mma_shared_layout(\"float16\", 0, (8, 64))", "align 64"},
        {"(8, 64), \"float16\", align=16, layout=mma_shared_layout(\"float16\", 3, (8, 64))", "align 16"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *ir = built(room, tw_format(&room->arena,
                                               "from tvm.backend.cuda.layout import mma_shared_layout\n" HEADER
                                               "    s = T.alloc_shared(%s)\n    T.cuda.cta_sync()\n", cases[i].arguments));
        if (strstr(ir, tw_format(&room->arena, ", %s\n", cases[i].align)) == NULL)
            fail_msg("%s: %s", cases[i].arguments, ir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(operands_parameters_and_configuration_keep_their_names),
        ROOM_TEST(a_name_between_widens_the_scope),
        ROOM_TEST(every_import_of_the_namespace_is_the_same),
        ROOM_TEST(operations_that_are_not_there_are_refused_by_name),
        ROOM_TEST(a_swizzled_tensor_is_aligned_to_its_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
