/* Calls of gemm_async that are refused, each with the whole text that the user sees; and how a dispatcher chooses.
 * SOURCE: seed 001, "What it accepts"; kernel-language-tile 8 and 8.1, "Checks", "Sizes", "C layout". */
#include "tile/gemm.h"

#include "tile/dispatch.h"

struct refusal_case {
    const char *rule, *body, *want;
};

static const struct refusal_case refusals[] = {
    {"a scope beyond the warp",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     "Tx.cta.gemm_async(d, a, b)",
     "k.py:11:5: error[E0440]: no variant of gemm_async takes this call\n"
     "   11 |     Tx.cta.gemm_async(d, a, b)\n"
     "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:11:5: note: tcgen05, single_thread_or_warp: unsupported exec_scope cta\n"
     "   11 |     Tx.cta.gemm_async(d, a, b)\n"
     "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"a thread scope that 128 threads reach",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     "Tx.gemm_async(d, a, b)",
     "k.py:11:5: error[E0440]: no variant of gemm_async takes this call\n"
     "   11 |     Tx.gemm_async(d, a, b)\n"
     "      |     ^~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:11:5: note: tcgen05, single_thread_or_warp: 128 threads reach the call; scope thread means 1\n"
     "   11 |     Tx.gemm_async(d, a, b)\n"
     "      |     ^~~~~~~~~~~~~~~~~~~~~~\n"},
    {"a warp scope that two warps reach",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     "if T.cuda.warp_id() < 2:\n" "    Tx.warp.gemm_async(d, a, b)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.warp.gemm_async(d, a, b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:9: note: tcgen05, single_thread_or_warp: 64 threads reach the call; scope warp means 32\n"
     "   12 |         Tx.warp.gemm_async(d, a, b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"an unknown key",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, cta_grp=1)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_grp=1)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:32: note: tcgen05, config: it has no 'cta_grp', but cta_group, mma_m, mma_n, is_AB_tf32, weight_stationary, descI, smem_desc\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_grp=1)\n"
     "      |                                ^~~~~~~~~\n"},
    {"keys with other values, all of them",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, cta_group=3, mma_m=128, smem_desc=\"lift\")",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_group=3, mma_m=128, smem_desc=\"lift\")\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:32: note: tcgen05, config: 'cta_group' is 1 or 2\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_group=3, mma_m=128, smem_desc=\"lift\")\n"
     "      |                                ^~~~~~~~~~~\n"
     "k.py:12:56: note: tcgen05, config: 'smem_desc' is \"hoist\", \"local_hoist\", \"encode\" or \"recompute\"\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_group=3, mma_m=128, smem_desc=\"lift\")\n"
     "      |                                                        ^~~~~~~~~~~~~~~~\n"
     "k.py:12:9: note: tcgen05, config: 'mma_m' and 'mma_n' are given together, or neither\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_group=3, mma_m=128, smem_desc=\"lift\")\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"operands in other memories, all of them",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(a, b, d)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(a, b, d)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, memories: operand C is in shared memory, not in tensor memory\n"
     "   12 |         Tx.gemm_async(a, b, d)\n"
     "      |                       ^\n"
     "k.py:12:29: note: tcgen05, memories: operand B is in tensor memory, not in shared memory\n"
     "   12 |         Tx.gemm_async(a, b, d)\n"
     "      |                             ^\n"},
    {"SFA without SFB",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, SFA=d)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, SFA=d)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:9: note: tcgen05, memories: SFA and SFB are given together, or neither\n"
     "   12 |         Tx.gemm_async(d, a, b, SFA=d)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"an accumulator in f16, and operands that differ",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     TMEM("e", "float16", "(128, 64)", "TileLayout(S[(128, 64) : (1 @ TLane, 2 @ TCol)])")
     SHARED("c", "bfloat16", "3", "(64, 64)") ONE_THREAD "Tx.gemm_async(e, a, c)",
     "k.py:14:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   14 |         Tx.gemm_async(e, a, c)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:14:23: note: tcgen05, formats: operand C is float16; it accumulates in float32\n"
     "   14 |         Tx.gemm_async(e, a, c)\n"
     "      |                       ^\n"
     "k.py:14:29: note: tcgen05, formats: operand B is bfloat16, and operand A float16\n"
     "   14 |         Tx.gemm_async(e, a, c)\n"
     "      |                             ^\n"},
    {"float32 without is_AB_tf32",
     SHARED("a", "float32", "3", "(128, 32)") SHARED("b", "float32", "3", "(64, 32)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:26: note: tcgen05, formats: A and B are float32; without scales it takes float16, bfloat16, float8_e4m3fn, float8_e5m2, float32 with is_AB_tf32=True\n"
     "   12 |         Tx.gemm_async(d, a, b)\n"
     "      |                          ^\n"},
    {"tf32 of f16, and descI without scales",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, is_AB_tf32=True, descI=T.uint32(1))",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, is_AB_tf32=True, descI=T.uint32(1))\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:26: note: tcgen05, formats: is_AB_tf32 says that A and B are float32, and they are float16\n"
     "   12 |         Tx.gemm_async(d, a, b, is_AB_tf32=True, descI=T.uint32(1))\n"
     "      |                          ^\n"
     "k.py:12:49: note: tcgen05, formats: descI goes with SFA and SFB alone\n"
     "   12 |         Tx.gemm_async(d, a, b, is_AB_tf32=True, descI=T.uint32(1))\n"
     "      |                                                 ^~~~~~~~~~~~~~~~~\n"},
    {"scales with e5m2",
     SHARED("a", "float8_e5m2", "3", "(128, 128)") SHARED("b", "float8_e5m2", "3", "(128, 128)") LANES("d", "128")
     TMEM("s", "float8_e8m0fnu", "(128, 4)", "sf_tmem_layout(128, 4, 1)") ONE_THREAD "Tx.gemm_async(d, a, b, s, s)",
     "k.py:13:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   13 |         Tx.gemm_async(d, a, b, s, s)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:13:26: note: tcgen05, formats: A and B are float8_e5m2 with scales in float8_e8m0fnu; with scales it takes float8_e4m3fn, float4_e2m1fn\n"
     "   13 |         Tx.gemm_async(d, a, b, s, s)\n"
     "      |                          ^\n"},
    {"three dimensions above 1",
     SHARED("a", "float16", "3", "(2, 2, 128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b[:, n : n + 32])",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b[:, n : n + 32])\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:26: note: tcgen05, regions: operand A of shape (2, 2, 128, 64) has not two dimensions above 1\n"
     "   12 |         Tx.gemm_async(d, a, b[:, n : n + 32])\n"
     "      |                          ^\n"},
    {"A in tensor memory, transposed",
     SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     TMEM("a", "float16", "(128, 64)", "tmem_mma_operand_layout(\"A\", (128, 64), \"float16\", M=128, cta_group=1)")
     ONE_THREAD "Tx.gemm_async(d, a, b, transA=True)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, transA=True)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:32: note: tcgen05, regions: operand A is in tensor memory, where rows are M\n"
     "   12 |         Tx.gemm_async(d, a, b, transA=True)\n"
     "      |                                ^~~~~~~~~~~\n"},
    {"tf32 along M",
     SHARED("a", "float32", "3", "(32, 128)") SHARED("b", "float32", "3", "(64, 32)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, transA=True, is_AB_tf32=True)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, transA=True, is_AB_tf32=True)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:26: note: tcgen05, regions: operand A is contiguous along M; elements of 32 bits go along K\n"
     "   12 |         Tx.gemm_async(d, a, b, transA=True, is_AB_tf32=True)\n"
     "      |                          ^\n"},
    {"no direction is contiguous",
     "a = T.alloc_shared((128, 64), \"float16\", layout=TileLayout(S[(128, 64) : (128, 2)]))\n"
     SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD "Tx.gemm_async(d, a, b)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:26: note: tcgen05, regions: operand A is contiguous neither along K nor along M in S[(128, 64):(128, 2)]\n"
     "   12 |         Tx.gemm_async(d, a, b)\n"
     "      |                          ^\n"},
    {"operands of other extents, all of them",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d[:, 0:32], a[:, 0:32], b)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d[:, 0:32], a[:, 0:32], b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:47: note: tcgen05, extents: operand B has N = 64; C wants 32\n"
     "   12 |         Tx.gemm_async(d[:, 0:32], a[:, 0:32], b)\n"
     "      |                                               ^\n"
     "k.py:12:47: note: tcgen05, extents: operand B has K = 64; A wants 32\n"
     "   12 |         Tx.gemm_async(d[:, 0:32], a[:, 0:32], b)\n"
     "      |                                               ^\n"},
    {"a pair with all of B in each CTA",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, cta_group=2)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_group=2)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:29: note: tcgen05, extents: operand B has N = 64; in a pair each CTA has half of C's 64\n"
     "   12 |         Tx.gemm_async(d, a, b, cta_group=2)\n"
     "      |                             ^\n"},
    {"a K of no whole steps",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a[:, 0:24], b[:, 0:24])",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a[:, 0:24], b[:, 0:24])\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:26: note: tcgen05, extents: K = 24 is no multiple of 16, K of one instruction of kind::f16\n"
     "   12 |         Tx.gemm_async(d, a[:, 0:24], b[:, 0:24])\n"
     "      |                          ^~~~~~~~~~\n"},
    {"scales of other extents, all of them",
     SHARED("a", "float8_e4m3fn", "3", "(128, 128)") SHARED("b", "float8_e4m3fn", "3", "(128, 128)") LANES("d", "128")
     TMEM("s", "float8_e8m0fnu", "(64, 8)", "sf_tmem_layout(64, 8, 1)") ONE_THREAD "Tx.gemm_async(d, a, b, s, s)",
     "k.py:13:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   13 |         Tx.gemm_async(d, a, b, s, s)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:13:32: note: tcgen05, extents: operand SFA has 8 factors a row; K = 128 in blocks of 32 has 4\n"
     "   13 |         Tx.gemm_async(d, a, b, s, s)\n"
     "      |                                ^\n"
     "k.py:13:35: note: tcgen05, extents: operand SFB has 8 factors a row; K = 128 in blocks of 32 has 4\n"
     "   13 |         Tx.gemm_async(d, a, b, s, s)\n"
     "      |                                   ^\n"
     "k.py:13:32: note: tcgen05, extents: operand SFA has M = 64; C wants 128\n"
     "   13 |         Tx.gemm_async(d, a, b, s, s)\n"
     "      |                                ^\n"
     "k.py:13:35: note: tcgen05, extents: operand SFB has N = 64; C wants 128\n"
     "   13 |         Tx.gemm_async(d, a, b, s, s)\n"
     "      |                                   ^\n"},
    {"mma_m that is not M",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, mma_m=64, mma_n=64)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=64, mma_n=64)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:32: note: tcgen05, instruction: mma_m is 64; it is M of the call, 128\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=64, mma_n=64)\n"
     "      |                                ^~~~~~~~\n"},
    {"mma_n that does not divide N",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, mma_m=128, mma_n=48)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=128, mma_n=48)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:43: note: tcgen05, instruction: mma_n is 48, which does not divide N = 64\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=128, mma_n=48)\n"
     "      |                                           ^~~~~~~~\n"},
    {"64 rows in 64 lanes",
     SHARED("a", "float16", "3", "(64, 64)") SHARED("b", "float16", "3", "(64, 64)")
     TMEM("d", "float32", "(64, 64)", "TileLayout(S[(64, 64) : (1 @ TLane, 1 @ TCol)])") ONE_THREAD "Tx.gemm_async(d, a, b)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, instruction: no instruction of M 64 writes operand C in S[(64, 64):(1@TLane, 1@TCol)]; without .ws it wants data path F; with .ws it wants data path E\n"
     "   12 |         Tx.gemm_async(d, a, b)\n"
     "      |                       ^\n"},
    {"a folded accumulator that may not be .ws",
     SHARED("a", "float16", "3", "(64, 64)") SHARED("b", "float16", "3", "(128, 64)")
     TMEM("d", "float32", "(64, 128)", "tmem_datapath_layout(\"E\", 64, 128)") ONE_THREAD
     "Tx.gemm_async(d, a, b, weight_stationary=False)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, weight_stationary=False)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, instruction: no instruction of M 64 writes operand C in S[(64, 2, 64):(1@TLane, 64@TLane, 1@TCol)]; without .ws it wants data path F, and weight_stationary=False leaves no other form\n"
     "   12 |         Tx.gemm_async(d, a, b, weight_stationary=False)\n"
     "      |                       ^\n"},
    {".ws in a pair",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b[0:32, :], cta_group=2, weight_stationary=True)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b[0:32, :], cta_group=2, weight_stationary=True)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:54: note: tcgen05, instruction: weight_stationary goes with cta_group 1, without scales\n"
     "   12 |         Tx.gemm_async(d, a, b[0:32, :], cta_group=2, weight_stationary=True)\n"
     "      |                                                      ^~~~~~~~~~~~~~~~~~~~~~\n"},
    {"a pair whose columns would interleave",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(256, 64)") LANES("d", "480") ONE_THREAD
     "Tx.gemm_async(d[:, 0:320], a, b[0:160, :], cta_group=2)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d[:, 0:320], a, b[0:160, :], cta_group=2)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, instruction: no instruction of M 256 writes operand C in S[(128, 320):(1@TLane, 1@TCol)]; without .ws it wants data path A for each 160 columns, half of them from each CTA's B: call it for as many columns at a time\n"
     "   12 |         Tx.gemm_async(d[:, 0:320], a, b[0:160, :], cta_group=2)\n"
     "      |                       ^~~~~~~~~~~\n"},
    {"an N of no whole steps",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d[:, 0:12], a, b[0:12, :])",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d[:, 0:12], a, b[0:12, :])\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, instruction: no instruction of M 128 writes operand C in S[(128, 12):(1@TLane, 1@TCol)]; without .ws no instruction has M 128 and an N that divides 12: it has M 64 or 128, N 8 to 256 in steps of 8\n"
     "   12 |         Tx.gemm_async(d[:, 0:12], a, b[0:12, :])\n"
     "      |                       ^~~~~~~~~~\n"},
    {"an N of a pair of no whole steps",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d[:, 0:24], a, b[0:12, :], cta_group=2)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d[:, 0:24], a, b[0:12, :], cta_group=2)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, instruction: no instruction of M 256 writes operand C in S[(128, 24):(1@TLane, 1@TCol)]; without .ws no instruction has M 256 and an N that divides 24: it has M 128 or 256, N 16 to 256 in steps of 16\n"
     "   12 |         Tx.gemm_async(d[:, 0:24], a, b[0:12, :], cta_group=2)\n"
     "      |                       ^~~~~~~~~~\n"},
    {"32 rows",
     SHARED("a", "float16", "3", "(32, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d[0:32, :], a, b)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d[0:32, :], a, b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, instruction: M = 32; with cta_group 1 it takes multiples of 64\n"
     "   12 |         Tx.gemm_async(d[0:32, :], a, b)\n"
     "      |                       ^~~~~~~~~~\n"},
    {"block scaling with M 64",
     SHARED("a", "float8_e4m3fn", "3", "(64, 128)") SHARED("b", "float8_e4m3fn", "3", "(128, 128)")
     TMEM("d", "float32", "(64, 128)", "tmem_datapath_layout(\"F\", 64, 128)")
     TMEM("s", "float8_e8m0fnu", "(64, 4)", "sf_tmem_layout(64, 4, 1)")
     TMEM("t", "float8_e8m0fnu", "(128, 4)", "sf_tmem_layout(128, 4, 1)") ONE_THREAD "Tx.gemm_async(d, a, b, s, t)",
     "k.py:14:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   14 |         Tx.gemm_async(d, a, b, s, t)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:14:23: note: tcgen05, instruction: no instruction of M 64 writes operand C in S[(4, 16, 128):(32@TLane, 1@TLane, 1@TCol)]; without .ws no instruction has M 64 and an N that divides 128: it has M 128, N 8 to 256 in steps of 8\n"
     "   14 |         Tx.gemm_async(d, a, b, s, t)\n"
     "      |                       ^\n"},
    {"an unknown variant",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, b, dispatch=\"wgmma\")",
     "k.py:12:32: error[E0441]: gemm_async has no variant of this name\n"
     "   12 |         Tx.gemm_async(d, a, b, dispatch=\"wgmma\")\n"
     "      |                                ^~~~~~~~~~~~~~~~\n"
     "  expected: \"tcgen05\"\n"
     "     found: \"wgmma\"\n"},
    {"two predicates at once",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64")
     "Tx.gemm_async(d, a, b[0:32, 0:32], dispatch=\"tcgen05\", colour=1)",
     "k.py:11:5: error[E0440]: no variant of gemm_async takes this call\n"
     "   11 |     Tx.gemm_async(d, a, b[0:32, 0:32], dispatch=\"tcgen05\", colour=1)\n"
     "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:11:5: note: tcgen05, single_thread_or_warp: 128 threads reach the call; scope thread means 1\n"
     "   11 |     Tx.gemm_async(d, a, b[0:32, 0:32], dispatch=\"tcgen05\", colour=1)\n"
     "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "k.py:11:60: note: tcgen05, config: it has no 'colour', but cta_group, mma_m, mma_n, is_AB_tf32, weight_stationary, descI, smem_desc\n"
     "   11 |     Tx.gemm_async(d, a, b[0:32, 0:32], dispatch=\"tcgen05\", colour=1)\n"
     "      |                                                            ^~~~~~~~\n"},
    {"a number as an operand",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a, 3.5)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, 3.5)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:29: note: tcgen05, memories: operand B is no tensor\n"
     "   12 |         Tx.gemm_async(d, a, 3.5)\n"
     "      |                             ^~~\n"},
    {"an N that no instruction has",
     SHARED("a", "float16", "3", "(64, 64)") SHARED("b", "float16", "3", "(64, 64)")
     TMEM("d", "float32", "(64, 64)", "tmem_datapath_layout(\"F\", 64, 64, 0)") ONE_THREAD
     "Tx.gemm_async(d, a, b, mma_m=64, mma_n=4)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=64, mma_n=4)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:23: note: tcgen05, instruction: no instruction of M 64 writes operand C in S[(4, 16, 64):(32@TLane, 1@TLane, 1@TCol)]; without .ws no instruction has M 64, N 4: it has M 64 or 128, N 8 to 256 in steps of 8; with .ws no instruction has M 64, N 4: it has M 32, 64 or 128, N 64, 128 or 256\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=64, mma_n=4)\n"
     "      |                       ^\n"},
    {"a run-time start inside the swizzle",
     SHARED("a", "float16", "3", "(128, 64)") SHARED("b", "float16", "2", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a[:, 0:32], b[:, n : n + 32])",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a[:, 0:32], b[:, n : n + 32])\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:43: note: tcgen05, regions: operand B: index 1 is known only at run time, and this dimension has no fixed step in ComposeLayout(3, 2, 3, TileLayout(S[(64, 2, 32):(32, 2048, 1)]))\n"
     "   12 |         Tx.gemm_async(d, a[:, 0:32], b[:, n : n + 32])\n"
     "      |                                           ^\n"},
    {"mma_m beyond one instruction",
     SHARED("a", "float16", "3", "(256, 64)") SHARED("b", "float16", "3", "(64, 64)")
     TMEM("d", "float32", "(256, 64)", "TileLayout(S[(2, 128, 64) : (64 @ TCol, 1 @ TLane, 1 @ TCol)])") ONE_THREAD
     "Tx.gemm_async(d, a, b, mma_m=256, mma_n=64)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=256, mma_n=64)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:32: note: tcgen05, instruction: mma_m is 256; with cta_group 1 an instruction has M 64 or 128\n"
     "   12 |         Tx.gemm_async(d, a, b, mma_m=256, mma_n=64)\n"
     "      |                                ^~~~~~~~~\n"},
    {"nine run-time indices",
     "a = T.alloc_shared((2, 2, 2, 2, 2, 2, 2, 2, 2, 8, 64), \"uint8\")\n"
     SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD
     "Tx.gemm_async(d, a[n, n, n, n, n, n, n, n, n], b)",
     "k.py:12:9: error[E0440]: no variant of gemm_async takes this call\n"
     "   12 |         Tx.gemm_async(d, a[n, n, n, n, n, n, n, n, n], b)\n"
     "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "  expected: a call that one of these takes: \"tcgen05\"\n"
     "k.py:12:56: note: tcgen05, formats: operand B is float16, and operand A uint8\n"
     "   12 |         Tx.gemm_async(d, a[n, n, n, n, n, n, n, n, n], b)\n"
     "      |                                                        ^\n"
     "k.py:12:52: note: tcgen05, regions: operand A: more than 8 indices are known only at run time\n"
     "   12 |         Tx.gemm_async(d, a[n, n, n, n, n, n, n, n, n], b)\n"
     "      |                                                    ^\n"},
};

static void what_cannot_be_done_is_refused_by_name(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct ir_kernel *k = gemm_kernel(room, refusals[i].body);
        if (tw_tile_lower(k, tw_isa_open(&room->arena), &room->diags))
            fail_msg("accepted: %s", refusals[i].rule);
        tw_test_expect_diags(room, refusals[i].want);
    }
}

/* What a predicate accepts, the engine may still find wrong: its message is of the instruction. */
static void the_engine_proves_what_the_predicates_let_through(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k = gemm_kernel(
        room, "a = T.alloc_shared((128, 64), \"float16\", align=16, layout=mma_shared_layout(\"float16\", 3, (128, 64)))\n"
              SHARED("b", "float16", "3", "(64, 64)") LANES("d", "64") ONE_THREAD "Tx.gemm_async(d, a, b)");
    assert_false(tw_tile_lower(k, tw_isa_open(&room->arena), &room->diags));
    tw_test_expect_diags(
        room, "k.py:12:26: error[E0423]: operand A of tcgen05.mma: 'a' is aligned to 16 bytes\n"
              "   12 |         Tx.gemm_async(d, a, b)\n"
              "      |                          ^\n"
              "  expected: 1024 bytes, one period of the descriptor's 128B pattern\n"
              "     found: align=16\n"
              "       fix: write align=1024 where 'a' is allocated\n"
              "k.py:8:9: note: 'a' is declared here\n"
              "    8 |     a = T.alloc_shared((128, 64), \"float16\", align=16, layout=mma_shared_layout(\"float16\", 3, (128, 64)))\n"
              "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

/* ---- choosing ------------------------------------------------------------------------------------------- */

static void holds(struct dispatch_call *c)
{
    (void)c;
}

static void is_never_right(struct dispatch_call *c)
{
    tw_dispatch_refuse(c, c->op->opcode_at, "never");
}

static void is_wrong_twice(struct dispatch_call *c)
{
    tw_dispatch_refuse(c, c->op->opcode_at, "once");
    tw_dispatch_refuse(c, c->op->opcode_at, "twice");
}

static const struct dispatch_predicate always[] = {{"always", 0, holds}};
/* The third uses facts of the first and is not asked; the fourth is. */
static const struct dispatch_predicate failing[] = {
    {"first", 0, is_wrong_twice}, {"second", 0, holds}, {"third", 1u << 0, is_never_right}, {"fourth", 1u << 1, is_never_right}};
static const struct dispatch_predicate other[] = {{"other", 0, is_never_right}};

#define VARIANT(name_, priority_, when_) \
    {.op = "mix", .name = name_, .priority = priority_, .facts_bytes = 1, .when = when_, .when_count = COUNT(when_)}
static const struct dispatch_variant slow = VARIANT("slow", 1, always), fast = VARIANT("fast", 10, always),
                                     brisk = VARIANT("brisk", 10, always), broken = VARIANT("broken", 20, failing),
                                     wrong = VARIANT("wrong", 5, other);
static const struct dispatch_variant elsewhere = {.op = "copy", .name = "copy", .priority = 99, .facts_bytes = 1, .when = always, .when_count = 1};

/* The name of the variant that takes the call, or "none". */
static const char *chosen(struct bench_room *room, const char *name, const struct dispatch_variant *const *variants, uint32_t count)
{
    static const char text[] = "mix(name)";
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    const uint32_t file = tw_sources_add(&room->sources, "k.py", tw_str(text));
    struct ir_arg dispatch = {.kind = IR_ARG_STR, .name = "dispatch", .text = name, .at = {file, 4, 8}};
    struct ir_tile op = {.opcode = "mix", .opcode_at = {file, 0, 9}, .params = &dispatch, .param_count = name != NULL};
    struct dispatch_call c = {.diags = &room->diags, .arena = &room->arena, .op = &op};
    const struct dispatch_variant *v = tw_dispatch_choose(&c, variants, count);
    return v == NULL ? "none" : v->name;
}
#define CHOSEN(room, name, ...)                                                        \
    chosen((room), (name), (const struct dispatch_variant *const[]){__VA_ARGS__},      \
           COUNT(((const struct dispatch_variant *const[]){__VA_ARGS__})))

static void the_highest_priority_that_takes_the_call_is_chosen(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(CHOSEN(room, NULL, &slow, &fast), "fast");
    assert_string_equal(CHOSEN(room, NULL, &fast, &slow), "fast");
    assert_string_equal(CHOSEN(room, NULL, &slow, &broken, &wrong), "slow");
    assert_string_equal(CHOSEN(room, NULL, &elsewhere, &slow), "slow");
    tw_test_expect_diags(room, "");
}

static void equal_priorities_are_asked_by_name(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(CHOSEN(room, NULL, &fast, &brisk), "brisk");
    assert_string_equal(CHOSEN(room, NULL, &brisk, &fast), "brisk");
}

static void dispatch_restricts_the_choice_to_one_name(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(CHOSEN(room, "slow", &fast, &slow), "slow");
    assert_string_equal(CHOSEN(room, "wrong", &fast, &wrong), "none");
    tw_test_expect_diags(room, "k.py:1:1: error[E0440]: no variant of mix takes this call\n"
                               "    1 | mix(name)\n"
                               "      | ^~~~~~~~~\n"
                               "  expected: a call that one of these takes: \"wrong\"\n"
                               "k.py:1:1: note: wrong, other: never\n"
                               "    1 | mix(name)\n"
                               "      | ^~~~~~~~~\n");
    assert_string_equal(CHOSEN(room, "quick", &fast, &slow), "none");
    tw_test_expect_diags(room, "k.py:1:5: error[E0441]: mix has no variant of this name\n"
                               "    1 | mix(name)\n"
                               "      |     ^~~~\n"
                               "  expected: \"fast\", \"slow\"\n"
                               "     found: \"quick\"\n");
}

static void every_refusal_of_every_variant_is_listed(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(CHOSEN(room, NULL, &wrong, &broken), "none");
    tw_test_expect_diags(room, "k.py:1:1: error[E0440]: no variant of mix takes this call\n"
                               "    1 | mix(name)\n"
                               "      | ^~~~~~~~~\n"
                               "  expected: a call that one of these takes: \"broken\", \"wrong\"\n"
                               "k.py:1:1: note: broken, first: once\n"
                               "    1 | mix(name)\n"
                               "      | ^~~~~~~~~\n"
                               "k.py:1:1: note: broken, first: twice\n"
                               "    1 | mix(name)\n"
                               "      | ^~~~~~~~~\n"
                               "k.py:1:1: note: broken, fourth: never\n"
                               "    1 | mix(name)\n"
                               "      | ^~~~~~~~~\n"
                               "k.py:1:1: note: wrong, other: never\n"
                               "    1 | mix(name)\n"
                               "      | ^~~~~~~~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(what_cannot_be_done_is_refused_by_name),
        ROOM_TEST(the_engine_proves_what_the_predicates_let_through),
        ROOM_TEST(the_highest_priority_that_takes_the_call_is_chosen),
        ROOM_TEST(equal_priorities_are_asked_by_name),
        ROOM_TEST(dispatch_restricts_the_choice_to_one_name),
        ROOM_TEST(every_refusal_of_every_variant_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
