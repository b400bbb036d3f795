/* Tx.copy, Tx.copy_async and Tx.cast: every pair of memories on the machine, the width that is chosen, and what is
 * refused. Parameters A and B are filled with iota. SOURCE: kernel-language-tile 8.2, 8.3. */
#include "api/program.h"

/* The body begins on line 10. */
#define HEAD                                                                                              \
    "from tvm.script import tirx as T\n"                                                                  \
    "from tvm.script.tirx import tile as Tx\n"                                                            \
    "from tvm.tirx.layout import S, TCol, TLane, TileLayout, tid_in_wg, laneid\n"                         \
    "from tvm.backend.cuda.layout import mma_shared_layout\n"                                             \
    "@T.prim_func\n"                                                                                      \
    "def k(A: T.Buffer((128, 96), \"int32\"), H: T.Buffer((128, 96), \"float16\", align=2), Out: T.Buffer((128, 96), \"int32\"), n: T.int32):\n" \
    "    T.device_entry()\n"                                                                              \
    "    T.cta_id([1])\n"                                                                                 \
    "    tid = T.thread_id([128])\n"

struct copy_case {
    const char *body;
    const char *chosen; /* in the note */
    int32_t (*want)(int row, int column);
};

static int32_t same(int row, int column)
{
    return row * 96 + column;
}

static int32_t upper_half(int row, int column)
{
    return row < 64 ? (row + 64) * 96 + column : 0;
}

static int32_t middle(int row, int column)
{
    return column >= 32 && column < 64 ? row * 96 + column : 0;
}

static int32_t odd_columns(int row, int column)
{
    return column >= 1 && column < 94 ? row * 96 + column : 0;
}

static int32_t third_row_everywhere(int row, int column)
{
    (void)row;
    return 3 * 96 + column;
}

static const struct copy_case cases[] = {
    {"    Tx.cta.copy(Out[:, :], A[:, :])\n", "24 x ld.global.v4.b32, st.global.v4.b32 in each of 128 threads", same},
    {"    s = T.alloc_shared((128, 96), \"int32\")\n"
     "    Tx.cta.copy(s[:, :], A[:, :])\n"
     "    T.cuda.cta_sync()\n"
     "    Tx.cta.copy(Out[0:64, :], s[64:128, :])\n", "12 x ld.shared.v4.b32, st.global.v4.b32 in each of 128 threads", upper_half},
    {"    s = T.alloc_shared((128, 96), \"int32\", layout=mma_shared_layout(\"int32\", 3, (128, 96)))\n"
     "    Tx.cta.copy(s[:, :], A[:, :])\n"
     "    T.cuda.cta_sync()\n"
     "    Tx.copy(Out[tid, :], s[tid, :])\n", "24 x ld.shared.v4.b32, st.global.v4.b32 in each thread", same},
    /* Three columns too few for vectors, and a start in the middle of one. */
    {"    Tx.warp.copy(Out[:, 1:94], A[:, 1:94])\n", "372 x ld.global.b32, st.global.b32 in each of 32 threads", odd_columns},
    {"    r = T.alloc_local((96,), \"int32\")\n"
     "    Tx.copy(r[:], A[tid, :])\n"
     "    q = T.alloc_local((96,), \"int32\")\n"
     "    Tx.copy(q[:], r[:])\n"
     "    Tx.copy(Out[tid, :], q[:])\n", "24 x st.global.v4.b32 in each thread", same},
    {"    r = T.alloc_local((32,), \"int32\")\n"
     "    w = r.view(128, 32, layout=TileLayout(S[(128, 32) : (1 @ tid_in_wg, 1)]))\n"
     "    Tx.wg.copy(w[:, :], A[:, 32:64])\n"
     "    Tx.wg.copy(Out[:, 32:64], w[:, :])\n", "8 x st.global.v4.b32 in each of 128 threads", middle},
    /* Registers that run down the rows: no two of a thread are neighbours in memory. */
    {"    r = T.alloc_local((128 * 96 // 32,), \"int32\")\n"
     "    w = r.view(128, 96, layout=TileLayout(S[(128, 3, 32) : (1, 128, 1 @ laneid)]))\n"
     "    if tid < 32:\n"
     "        Tx.warp.copy(w[:, :], A[:, :])\n"
     "        Tx.warp.copy(Out[:, :], w[:, :])\n", "384 x st.global.b32 in each of 32 threads", same},
    /* A run-time row; the last rounds leave some threads out. */
    {"    for r in range(128):\n"
     "        Tx.cta.copy(Out[r, :], A[n, :])\n", "1 x ld.global.v4.b32, st.global.v4.b32 in each of 128 threads",
     third_row_everywhere},
    {"    s = T.alloc_shared((128, 96), \"int32\")\n"
     "    Tx.cta.copy_async(s[:, :], A[:, :])\n"
     "    T.ptx.cp_async.wait_all()\n"
     "    T.cuda.cta_sync()\n"
     "    Tx.cta.copy(Out[:, :], s[:, :])\n", "24 x cp.async.cg.shared.global in each of 128 threads", same},
    {"    s = T.alloc_shared((128, 96), \"int32\")\n"
     "    Tx.cta.copy_async(s[:, :], A[:, :], vec_len=2, dispatch=\"ldgsts\")\n"
     "    T.ptx.cp_async.wait_all()\n"
     "    T.cuda.cta_sync()\n"
     "    Tx.cta.copy(Out[:, :], s[:, :])\n", "48 x cp.async.ca.shared.global in each of 128 threads", same},
    {"    r = T.alloc_local((96,), \"int32\")\n"
     "    f = T.alloc_local((96,), \"float32\")\n"
     "    Tx.copy(r[:], A[tid, :])\n"
     "    Tx.cast(f[:], r[:])\n"
     "    w = f.view(128, 96, layout=TileLayout(S[(128, 96) : (1 @ tid_in_wg, 1)]))\n"
     "    q = T.wg_reg_tile(96, \"int32\")\n"
     "    Tx.wg.cast(q[:, :], w[:, :])\n"
     "    Tx.wg.copy(Out[:, :], q[:, :])\n", "cast takes variant registers: 96 x float32 to int32 in each thread", same},
    /* Through tensor memory, in a stage chosen at run time. */
    {"    pool = T.SMEMPool()\n"
     "    tp = T.TMEMPool(pool, total_cols=512)\n"
     "    pool.commit()\n"
     "    t = tp.alloc((4, 128, 96), \"int32\", layout=TileLayout(S[(4, 128, 96) : (96 @ TCol, 1 @ TLane, 1 @ TCol)]))\n"
     "    tp.commit()\n"
     "    r = T.wg_reg_tile(96, \"int32\")\n"
     "    Tx.wg.copy(r[:, :], A[:, :])\n"
     "    Tx.wg.copy_async(t[n, :, :], r[:, :])\n"
     "    T.ptx.tcgen05.wait.st()\n"
     "    q = T.wg_reg_tile(96, \"int32\")\n"
     "    Tx.wg.copy_async(q[:, :], t[n, :, :])\n"
     "    T.ptx.tcgen05.wait.ld()\n"
     "    Tx.wg.copy(Out[:, :], q[:, :])\n"
     "    T.cuda.cta_sync()\n"
     "    tp.dealloc()\n", "copy_async takes variant tmem<->local: tcgen05.ld of shape 32x32b, counts x64, x32", same},
    {"    pool = T.SMEMPool()\n"
     "    tp = T.TMEMPool(pool, total_cols=128)\n"
     "    pool.commit()\n"
     "    t = tp.alloc((128, 96), \"int32\")\n"
     "    tp.commit()\n"
     "    r = T.wg_reg_tile(96, \"int32\")\n"
     "    Tx.wg.copy(r[:, :], A[:, :])\n"
     "    Tx.wg.copy_async(t[:, :], r[:, :])\n"
     "    T.ptx.tcgen05.wait.st()\n"
     "    q = T.alloc_tcgen05_ldst_frag(\"16x256b\", (128, 32), \"int32\")\n"
     "    Tx.wg.copy_async(q[:, :], t[:, 32:64])\n"
     "    T.ptx.tcgen05.wait.ld()\n"
     "    Tx.wg.copy(Out[:, 32:64], q[:, :])\n"
     "    T.cuda.cta_sync()\n"
     "    tp.dealloc()\n", "copy_async takes variant tmem<->local: tcgen05.ld of shape 16x256b, counts x4", middle},
};

static void every_pair_of_memories_copies_by_the_documented_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%s", HEAD, cases[i].body);
        struct program_run *r = program_run(text);
        if (strstr(tw_diagnostics(r->ctx, TW_TEXT), cases[i].chosen) == NULL)
            fail_msg("not chosen: %s\n%s%s", cases[i].chosen, text, tw_diagnostics(r->ctx, TW_TEXT));
        for (int e = 0; e < 128 * 96; e++) {
            int32_t got;
            memcpy(&got, r->out + 4 * e, 4);
            const int32_t want = cases[i].want(e / 96, e % 96);
            if (got != want)
                fail_msg("(%d, %d): want %d, got %d in\n%s", e / 96, e % 96, (int)want, (int)got, text);
        }
        program_end(r);
    }
}

static void expect_refusal(const char *body, const char *want)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", HEAD, body);
    expect_said(text, want);
}

static void what_no_variant_takes_is_listed(void **state)
{
    (void)state;
    expect_refusal("    Tx.copy(Out[0, :], A[0, 0:95])\n",
                   "k.py:10:5: error[E0440]: no variant of copy takes this call\n"
                   "   10 |     Tx.copy(Out[0, :], A[0, 0:95])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"vector\"\n"
                   "k.py:10:24: note: vector, shapes: operand src has the shape (95,), and operand dst (96,)\n"
                   "   10 |     Tx.copy(Out[0, :], A[0, 0:95])\n"
                   "      |                        ^~~~~~~~~~\n");
    expect_refusal("    s = T.alloc_shared((96,), \"int32\", layout=TileLayout(S[(96,) : (1,)] + T.R[2 : 96]))\n    Tx.cta.copy(s[:], A[0, :])\n",
                   "k.py:11:5: error[E0440]: no variant of copy takes this call\n"
                   "   11 |     Tx.cta.copy(s[:], A[0, :])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"vector\"\n"
                   "k.py:11:17: note: vector, operands: 's' has copies of its elements, and one of each would be written\n"
                   "   11 |     Tx.cta.copy(s[:], A[0, :])\n"
                   "      |                 ^~~~\n");
    expect_refusal("    Tx.copy(H[0, :], A[0, :], wide=True)\n",
                   "k.py:10:5: error[E0440]: no variant of copy takes this call\n"
                   "   10 |     Tx.copy(H[0, :], A[0, :], wide=True)\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"vector\"\n"
                   "k.py:10:31: note: vector, keywords: it has no 'wide'\n"
                   "   10 |     Tx.copy(H[0, :], A[0, :], wide=True)\n"
                   "      |                               ^~~~~~~~~\n"
                   "k.py:10:22: note: vector, operands: operand src is int32, and operand dst float16; Tx.cast converts\n"
                   "   10 |     Tx.copy(H[0, :], A[0, :], wide=True)\n"
                   "      |                      ^~~~~~~\n");
    expect_refusal("    r = T.alloc_local((96,), \"int32\")\n    Tx.cta.copy(r[:], A[0, :])\n",
                   "k.py:11:5: error[E0440]: no variant of copy takes this call\n"
                   "   11 |     Tx.cta.copy(r[:], A[0, :])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"vector\"\n"
                   "k.py:11:17: note: vector, threads: every thread has a 'r' of its own; give it a layout over the threads, or copy "
                   "at thread scope\n"
                   "   11 |     Tx.cta.copy(r[:], A[0, :])\n"
                   "      |                 ^~~~\n");
    expect_refusal("    if tid < 100:\n        Tx.warp.copy(Out[:, :], A[:, :])\n",
                   "k.py:11:9: error[E0440]: no variant of copy takes this call\n"
                   "   11 |         Tx.warp.copy(Out[:, :], A[:, :])\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"vector\"\n"
                   "k.py:11:9: note: vector, threads: threads 0 to 99 reach the call; scope warp means whole groups of 32\n"
                   "   11 |         Tx.warp.copy(Out[:, :], A[:, :])\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    expect_refusal("    if n > tid:\n        Tx.cta.copy(Out[:, :], A[:, :])\n",
                   "k.py:11:9: error[E0440]: no variant of copy takes this call\n"
                   "   11 |         Tx.cta.copy(Out[:, :], A[:, :])\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"vector\"\n"
                   "k.py:11:9: note: vector, threads: which threads share the copy is known at run time alone\n"
                   "   11 |         Tx.cta.copy(Out[:, :], A[:, :])\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    expect_refusal("    Tx.cluster.copy(Out[:, :], A[:, :])\n",
                   "k.py:10:5: error[E0440]: no variant of copy takes this call\n"
                   "   10 |     Tx.cluster.copy(Out[:, :], A[:, :])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"vector\"\n"
                   "k.py:10:5: note: vector, threads: unsupported exec_scope cluster\n"
                   "   10 |     Tx.cluster.copy(Out[:, :], A[:, :])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void refusals_of_casts_are_listed(void **state)
{
    (void)state;
    expect_refusal("    r = T.alloc_local((96,), \"float32\")\n    Tx.cast(r[:], A[0, :])\n",
                   "k.py:11:5: error[E0440]: no variant of cast takes this call\n"
                   "   11 |     Tx.cast(r[:], A[0, :])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"registers\"\n"
                   "k.py:11:19: note: registers, operands: operand src is not in registers\n"
                   "   11 |     Tx.cast(r[:], A[0, :])\n"
                   "      |                   ^~~~~~~\n");
    expect_refusal("    r = T.alloc_local((96,), \"float32\")\n    q = T.alloc_local((90,), \"int32\")\n    Tx.cast(r[:], q[:])\n",
                   "k.py:12:5: error[E0440]: no variant of cast takes this call\n"
                   "   12 |     Tx.cast(r[:], q[:])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"registers\"\n"
                   "k.py:12:19: note: registers, places: operand src has 90 elements, and operand dst 96\n"
                   "   12 |     Tx.cast(r[:], q[:])\n"
                   "      |                   ^~~~\n");
    expect_refusal("    r = T.wg_reg_tile(32, \"float32\")\n"
                   "    q = T.alloc_local((32,), \"int32\")\n"
                   "    w = q.view(32, 32, layout=TileLayout(S[(32, 32) : (1, 1 @ laneid)]))\n"
                   "    Tx.wg.cast(r[0:32, :], w[:, :])\n",
                   "k.py:13:5: error[E0440]: no variant of cast takes this call\n"
                   "   13 |     Tx.wg.cast(r[0:32, :], w[:, :])\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"registers\"\n"
                   "k.py:13:28: note: registers, places: element 1 of dst and of src are in different threads\n"
                   "   13 |     Tx.wg.cast(r[0:32, :], w[:, :])\n"
                   "      |                            ^~~~~~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_memories_copies_by_the_documented_rule),
        cmocka_unit_test(what_no_variant_takes_is_listed),
        cmocka_unit_test(refusals_of_casts_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
