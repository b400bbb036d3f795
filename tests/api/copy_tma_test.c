/* Tx.copy_async by the copy engine: boxes, swizzles and coordinates on the machine, and what is refused.
 * SOURCE: kernel-language-tile 8.2; PTX ISA, cp.async.bulk.tensor. */
#include "api/program.h"

/* The body begins on line 16; thread 0 alone is left on line 15. */
#define HEAD                                                                                              \
    "from tvm.script import tirx as T\n"                                                                  \
    "from tvm.script.tirx import tile as Tx\n"                                                            \
    "from tvm.tirx.layout import S, TileLayout\n"                                                         \
    "from tvm.backend.cuda.layout import mma_shared_layout\n"                                             \
    "@T.prim_func\n"                                                                                      \
    "def k(A: T.Buffer((128, 96), \"int32\"), Out: T.Buffer((128, 96), \"int32\"), n: T.int32%s):\n"      \
    "    T.device_entry()\n"                                                                              \
    "    T.cta_id([1])\n"                                                                                 \
    "    tid = T.thread_id([32])\n"                                                                       \
    "    bar = T.alloc_shared([1], \"uint64\")\n"                                                         \
    "    s = T.alloc_shared(%s)\n"                                                                        \
    "    if tid == 0:\n"                                                                                  \
    "        T.ptx.mbarrier.init(bar.ptr_to([0]), 1)\n"                                                   \
    "        T.ptx.fence.mbarrier_init()\n"                                                               \
    "    if tid == 0:\n"
#define MORE_TENSORS ", F: T.Buffer((64, 100), \"float16\"), U: T.Buffer((64, 96), \"uint8\")"
#define WAIT(bytes) \
    "        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), " bytes ")\n        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)\n"
#define CLOSE "        T.ptx.cp_async.bulk.commit_group()\n        T.ptx.cp_async.bulk.wait_group(0)\n"

#define SWIZZLED "(2, 64, 64), \"int32\", layout=mma_shared_layout(\"int32\", 3, (2, 64, 64))"
#define PLAIN "(64, 96), \"int32\", align=128"

static int32_t moved(int row, int column)
{
    return row >= 16 && row < 80 && column >= 32 ? (row - 8) * 96 + column - 32 : 0;
}

static int32_t rows(int row, int column)
{
    return row < 64 ? (row + 3) * 96 + column : 0;
}

/* Rows from 96 on, 32 of which there are; what lies outside is filled with zeros. */
static int32_t past_the_end(int row, int column)
{
    return row < 32 ? (row + 96) * 96 + column : 0;
}

static int32_t added(int row, int column)
{
    return row < 64 ? 2 * (row * 96 + column) : 0;
}

static int32_t inside_a_period(int row, int column)
{
    if (column >= 32)
        return 0;
    return row < 12 ? row * 96 + column + 32 : row >= 20 && row < 22 ? (row - 18) * 96 + column + 32 : 0;
}

static int32_t short_rows(int row, int column)
{
    return row < 64 && column < 8 ? row * 96 + column + 8 : 0;
}

static const struct {
    const char *storage, *body, *chosen;
    int32_t (*want)(int row, int column);
} cases[] = {
    /* Two boxes of 32 elements, the span of the swizzle, into a stage chosen at run time, and out of it again. */
    {SWIZZLED,
     "        Tx.copy_async(s[n // 3, :, :], A[n + 5 : n + 69, 0:64], mbar=bar.ptr_to([0]), dispatch=\"tma\")\n" WAIT("64 * 64 * 4")
     "        Tx.copy_async(Out[16:80, 32:96], s[n // 3, :, :])\n" CLOSE,
     "copy_async takes variant tma_auto: 2 x cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", moved},
    /* Inside a period of the swizzle, at a row known only at run time: the engine permutes the whole address. */
    {"(64, 32), \"int32\", layout=mma_shared_layout(\"int32\", 3, (64, 32))",
     "        Tx.copy_async(s[n : n + 12, :], A[0:12, 32:64], mbar=bar, dispatch=\"tma\")\n" WAIT("12 * 32 * 4")
     "        for i in range(12):\n            for j in range(32):\n                Out[i, j] = s[3 + i, j]\n"
     "        Tx.copy_async(Out[20:22, 0:32], s[5:7, :])\n" CLOSE,
     "1 x cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", inside_a_period},
    /* Rows of 8 elements in a swizzle of 128 bytes: each is at the start of a row of the span. */
    {"(64, 32), \"int32\", layout=mma_shared_layout(\"int32\", 3, (64, 32))",
     "        Tx.copy_async(s[0:64, 0:8], A[0:64, 8:16], mbar=bar, dispatch=\"tma_explicit\")\n" WAIT("64 * 8 * 4")
     "        for i in range(64):\n            for j in range(8):\n                Out[i, j] = s[i, j]\n",
     "1 x cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", short_rows},
    {PLAIN,
     "        Tx.copy_async(s[:, :], A[n : n + 64, :], mbar=bar, dispatch=\"tma_explicit\")\n" WAIT("64 * 96 * 4")
     "        Tx.copy_async(Out[0:64, :], s[:, :])\n" CLOSE,
     "copy_async takes variant tma_explicit: 1 x cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", rows},
    {PLAIN,
     "        Tx.copy_async(s[:, :], A[n + 93 : n + 157, :], mbar=bar.ptr_to([0]), oob=\"zero\")\n" WAIT("64 * 96 * 4")
     "        Tx.copy_async(Out[0:64, :], s[:, :])\n" CLOSE,
     "1 x cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", past_the_end},
    {PLAIN,
     "        Tx.copy_async(s[:, :], A[0:64, :], mbar=bar.ptr_to([0]))\n" WAIT("64 * 96 * 4")
     "        Tx.copy_async(Out[0:64, :], s[:, :], use_tma_reduce=\"add\")\n"
     "        Tx.copy_async(Out[0:64, :], s[:, :], use_tma_reduce=\"add\")\n" CLOSE,
     "1 x cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", added},
};

static void boxes_land_where_the_layout_has_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[4096];
        const int head = snprintf(text, sizeof text, HEAD, "", cases[i].storage);
        snprintf(text + head, sizeof text - (size_t)head, "%s", cases[i].body);
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

/* ---- drawn boxes ------------------------------------------------------------------------------------------ */

struct drawn_box {
    int mode, rows, columns, row, column, height, width;
    bool row_at_run_time, stage_at_run_time, stores;
};

static int pick(uint32_t *state, int count)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 16) % (uint32_t)count);
}

static struct drawn_box draw(uint32_t *state)
{
    struct drawn_box b = {.mode = pick(state, 4), .rows = 8 << pick(state, 3), .columns = 32 << pick(state, 2)};
    b.height = 1 << pick(state, 4);
    b.width = 8 << pick(state, 3);
    b.row_at_run_time = pick(state, 3) == 0;
    b.row = b.row_at_run_time ? 3 : pick(state, b.rows);
    b.column = pick(state, 2) * 8 * pick(state, b.columns / 8);
    b.stage_at_run_time = pick(state, 2) == 0;
    b.stores = pick(state, 3) == 0;
    b.height = b.height > b.rows - b.row ? b.rows - b.row : b.height;
    b.width = b.width > b.columns - b.column ? b.columns - b.column : b.width;
    return b;
}

/* Rows from 5 and columns from 16 of A by way of stage 1 of s to the start of Out: one of the two ways by the engine. */
static void write_box(const struct drawn_box *b, char *to, size_t bytes)
{
    char storage[128], row[16], region[96];
    const char *stage = b->stage_at_run_time ? "n - 2" : "1";
    snprintf(storage, sizeof storage, "(2, %d, %d), \"int32\", layout=mma_shared_layout(\"int32\", %d, (2, %d, %d)), align=1024", b->rows,
             b->columns, b->mode, b->rows, b->columns);
    snprintf(row, sizeof row, "%s", b->row_at_run_time ? "n" : "0");
    snprintf(region, sizeof region, "s[%s, %s + %d : %s + %d, %d : %d]", stage, row, b->row_at_run_time ? 0 : b->row, row,
             (b->row_at_run_time ? 0 : b->row) + b->height, b->column, b->column + b->width);
    int n = snprintf(to, bytes, HEAD, "", storage);
    if (b->stores)
        n += snprintf(to + n, bytes - (size_t)n,
                      "        for i in range(%d):\n            for j in range(%d):\n"
                      "                s[1, %d + i, %d + j] = A[5 + i, 16 + j]\n"
                      "        T.ptx.fence.proxy_async(\"shared::cta\")\n"
                      "        Tx.copy_async(Out[0:%d, 0:%d], %s, dispatch=\"tma\")\n" CLOSE,
                      b->height, b->width, b->row, b->column, b->height, b->width, region);
    else
        n += snprintf(to + n, bytes - (size_t)n,
                      "        Tx.copy_async(%s, A[5:%d, 16:%d], mbar=bar, dispatch=\"tma\")\n" WAIT("%d")
                      "        for i in range(%d):\n            for j in range(%d):\n"
                      "                Out[i, j] = s[1, %d + i, %d + j]\n",
                      region, 5 + b->height, 16 + b->width, 4 * b->height * b->width, b->height, b->width, b->row, b->column);
    assert_true((size_t)n < bytes);
}

static bool is_refused(const char *text)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    assert_non_null(ctx);
    const bool taken = tw_compile(ctx, "k.py", text, strlen(text), NULL, &module) == TW_OK;
    if (!taken && strstr(tw_diagnostics(ctx, TW_TEXT), "tma_auto, place: a ") == NULL)
        fail_msg("%s\n%s", tw_diagnostics(ctx, TW_TEXT), text);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    return !taken;
}

/* Whatever is not refused for its place arrives, element for element. */
static void what_is_taken_arrives_wherever_it_lies(void **state)
{
    enum { DRAWN = 300 };
    uint32_t seed = 1;
    int arrived = 0;
    (void)state;
    for (int i = 0; i < DRAWN; i++) {
        const struct drawn_box b = draw(&seed);
        char text[4096];
        write_box(&b, text, sizeof text);
        if (is_refused(text))
            continue;
        struct program_run *r = program_run(text);
        for (int e = 0; e < 128 * 96; e++) {
            const int row = e / 96, column = e % 96, want = row < b.height && column < b.width ? (row + 5) * 96 + column + 16 : 0;
            int32_t got;
            memcpy(&got, r->out + 4 * e, 4);
            if (got != want)
                fail_msg("(%d, %d): want %d, got %d in\n%s", row, column, want, (int)got, text);
        }
        program_end(r);
        arrived++;
    }
    assert_true(arrived >= DRAWN / 5);
}

/* ---- refusals ---------------------------------------------------------------------------------------------- */

static void expect_refusal(const char *storage, const char *line, const char *want)
{
    char text[4096];
    const int head = snprintf(text, sizeof text, HEAD, "", storage);
    snprintf(text + head, sizeof text - (size_t)head, "        %s\n", line);
    expect_said(text, want);
}

static void what_the_engine_cannot_do_is_listed(void **state)
{
    (void)state;
    expect_refusal(PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], dispatch=\"tma\")",
                   "k.py:16:9: error[E0440]: no variant of copy_async takes this call\n"
                   "   16 |         Tx.copy_async(s[:, :], A[0:64, :], dispatch=\"tma\")\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"tma_auto\"\n"
                   "k.py:16:9: note: tma_auto, keywords: a load needs 'mbar', a pointer to the barrier that counts its bytes\n"
                   "   16 |         Tx.copy_async(s[:, :], A[0:64, :], dispatch=\"tma\")\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    expect_refusal(PLAIN, "Tx.copy_async(s[:, 0:94], A[0:64, 0:94], mbar=bar, gather4=1, dispatch=\"tma\")",
                   "k.py:16:9: error[E0440]: no variant of copy_async takes this call\n"
                   "   16 |         Tx.copy_async(s[:, 0:94], A[0:64, 0:94], mbar=bar, gather4=1, dispatch=\"tma\")\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"tma_auto\"\n"
                   "k.py:16:60: note: tma_auto, keywords: it has no 'gather4'\n"
                   "   16 |         Tx.copy_async(s[:, 0:94], A[0:64, 0:94], mbar=bar, gather4=1, dispatch=\"tma\")\n"
                   "      |                                                            ^~~~~~~~~\n"
                   "k.py:16:35: note: tma_auto, box: boxDim[0] of its tensor map breaks a rule: expected a multiple of 16 bytes, found 94 "
                   "elements of 32 bits\n"
                   "   16 |         Tx.copy_async(s[:, 0:94], A[0:64, 0:94], mbar=bar, gather4=1, dispatch=\"tma\")\n"
                   "      |                                   ^~~~~~~~~~~~~\n");
    expect_refusal(SWIZZLED, "Tx.copy_async(s[0, :, :], A[0:64, 0:64], mbar=bar, dispatch=\"tma_explicit\")",
                   "k.py:16:9: error[E0440]: no variant of copy_async takes this call\n"
                   "   16 |         Tx.copy_async(s[0, :, :], A[0:64, 0:64], mbar=bar, dispatch=\"tma_explicit\")\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"tma_explicit\"\n"
                   "k.py:16:23: note: tma_explicit, one box: the region is no one box: 's' has it in 2\n"
                   "   16 |         Tx.copy_async(s[0, :, :], A[0:64, 0:64], mbar=bar, dispatch=\"tma_explicit\")\n"
                   "      |                       ^~~~~~~~~~\n");
    expect_refusal("(64, 96), \"int32\", align=64", "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, dispatch=\"tma\")",
                   "k.py:16:9: error[E0440]: no variant of copy_async takes this call\n"
                   "   16 |         Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, dispatch=\"tma\")\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"tma_auto\"\n"
                   "k.py:16:23: note: tma_auto, place: 's' is aligned to 64 bytes; the engine wants 128\n"
                   "   16 |         Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, dispatch=\"tma\")\n"
                   "      |                       ^~~~~~~\n");
    expect_refusal(PLAIN, "Tx.copy_async(s[:, :], A[0:32, :], mbar=bar, dispatch=\"tma\")",
                   "k.py:16:9: error[E0440]: no variant of copy_async takes this call\n"
                   "   16 |         Tx.copy_async(s[:, :], A[0:32, :], mbar=bar, dispatch=\"tma\")\n"
                   "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a call that one of these takes: \"tma_auto\"\n"
                   "k.py:16:23: note: tma_auto, shapes: the regions of 'A' and 's' have unlike extents\n"
                   "   16 |         Tx.copy_async(s[:, :], A[0:32, :], mbar=bar, dispatch=\"tma\")\n"
                   "      |                       ^~~~~~~\n");
}

/* One refusal of one variant: the tensors are those of the head, `where` is the part of the line that the note shows. */
static const struct {
    const char *storage, *line, *variant, *where, *why;
} refusals[] = {
    {PLAIN, "Tx.copy_async(s[:, :], s[:, :], mbar=bar, dispatch=\"tma\")", "tma_auto", NULL,
     "memories: it copies between global and shared memory"},
    {PLAIN, "Tx.copy_async(s[:, :], F[0:64, 0:96], mbar=bar, dispatch=\"tma\")", "tma_auto", "F[0:64, 0:96]",
     "memories: operand src is float16, and operand dst int32"},
    {PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, oob=\"ones\", dispatch=\"tma\")", "tma_auto", "oob=\"ones\"",
     "keywords: 'oob' is \"zero\" or \"nan\""},
    {PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], mbar=3, dispatch=\"tma\")", "tma_auto", "mbar=3",
     "keywords: a load needs 'mbar', a pointer to the barrier that counts its bytes"},
    {PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, cta_mask=65536, dispatch=\"tma\")", "tma_auto", "cta_mask=65536",
     "keywords: 'cta_mask' is an integer of 16 bits, one for each CTA of the cluster"},
    {PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, cta_mask=\"all\", dispatch=\"tma\")", "tma_auto", "cta_mask=\"all\"",
     "keywords: 'cta_mask' is an integer of 16 bits, one for each CTA of the cluster"},
    {PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, cta_group=3, dispatch=\"tma\")", "tma_auto", "cta_group=3",
     "keywords: 'cta_group' is 1 or 2"},
    {PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, cache_hint=\"last\", dispatch=\"tma\")", "tma_auto", "cache_hint=\"last\"",
     "keywords: 'cache_hint' is a 64-bit policy"},
    {PLAIN, "Tx.copy_async(Out[0:64, :], s[:, :], use_tma_reduce=\"max\", dispatch=\"tma\")", "tma_auto", "use_tma_reduce=\"max\"",
     "keywords: 'use_tma_reduce' is \"add\""},
    {PLAIN, "Tx.copy_async(Out[0:64, :], s[:, :], oob=\"nan\", dispatch=\"tma\")", "tma_auto", "oob=\"nan\"",
     "keywords: it has no 'oob'"},
    {PLAIN, "Tx.wg.copy_async(s[:, :], A[0:64, :], mbar=bar, dispatch=\"tma\")", "tma_auto", NULL,
     "scope: unsupported exec_scope warpgroup"},
    {"(64, 96), \"uint8\", align=128", "Tx.copy_async(U[0:64, :], s[:, :], use_tma_reduce=\"add\", dispatch=\"tma\")", "tma_auto",
     "U[0:64, :]", "tensor: the engine does not add elements of uint8"},
    {"(2, 1, 1, 1, 1, 8), \"int32\", align=128",
     "Tx.copy_async(s[0, 0, 0, 0, 0, :], A.view(128, 2, 2, 2, 3, 4)[0, 0, 0, 0, 0, :], mbar=bar, dispatch=\"tma\")", "tma_auto",
     "A.view(128, 2, 2, 2, 3, 4)[0, 0, 0, 0, 0, :]", "tensor: a tensor map has 1 to 5 dimensions"},
    {"(96, 64), \"int32\", align=128", "Tx.copy_async(s[:, :], A.permute(1, 0)[:, 0:64], mbar=bar, dispatch=\"tma\")", "tma_auto",
     "A.permute(1, 0)[:, 0:64]", "tensor: the last dimension of a tensor map is contiguous"},
    {PLAIN, "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, oob=\"nan\", dispatch=\"tma\")", "tma_auto", "A[0:64, :]",
     "box: oobFill of its tensor map breaks a rule: expected zeros; nan needs a floating-point element type, found s32"},
    {"(64, 64), \"float16\", align=128", "Tx.copy_async(s[:, :], F[0:64, 0:64], mbar=bar, dispatch=\"tma\")", "tma_auto",
     "F[0:64, 0:64]", "box: globalStrides[0] of its tensor map breaks a rule: expected a multiple of 16, found 200"},
    {"(64, 96), \"int32\", layout=T.ComposeLayout(2, 2, 4, TileLayout(S[(64, 96) : (96, 1)])), align=1024",
     "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, dispatch=\"tma\")", "tma_auto", "s[:, :]",
     "box: the layout of 's' is no swizzle that the copy engine knows"},
    {"(128, 96), \"int32\", layout=TileLayout(S[(128, 24, 4) : (8, 1024, 1)]), align=128",
     "Tx.copy_async(s[:, :], A[:, :], mbar=bar, dispatch=\"tma\")", "tma_auto", "s[:, :]", "box: it would take 3072 instructions"},
    {"(64, 96), \"int32\", layout=TileLayout(S[(64, 96) : (1, 64)]), align=128",
     "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, dispatch=\"tma\")", "tma_auto", "A[0:64, :]",
     "box: boxDim[0] of its tensor map breaks a rule: expected a multiple of 16 bytes, found 1 elements of 32 bits"},
    {PLAIN, "Tx.copy_async(s[:, 0:64], A[0:64, 2:66], mbar=bar, dispatch=\"tma\")", "tma_auto", "A[0:64, 2:66]",
     "start: the region of 'A' starts at byte 8 of its last dimension; the engine wants a multiple of 16"},
    {"(64, 16), \"int32\", align=128", "Tx.copy_async(s[n : n + 8, :], A[0:8, 0:16], mbar=bar, dispatch=\"tma\")", "tma_auto",
     "s[n : n + 8, :]", "place: a run-time index moves 's' by 64 bytes; the engine wants a multiple of 128"},
    {SWIZZLED, "Tx.copy_async(s[1, 4:12, 16:32], A[0:8, 0:16], mbar=bar, dispatch=\"tma\")", "tma_auto", "s[1, 4:12, 16:32]",
     "place: a box starts at byte 16960 of 's'; the engine wants a multiple of 128"},
    {"(4, 32), \"int32\", layout=TileLayout(S[(2, 2, 32) : (128, 32, 1)]), align=128",
     "Tx.copy_async(s[n : n + 2, :], A[0:2, 0:32], mbar=bar, dispatch=\"tma\")", "tma_auto", "s[n : n + 2, :]",
     "place: a run-time index moves 's' by no fixed step"},
    {"(64, 100), \"int32\", align=128", "Tx.copy_async(s[:, 0:96], A[0:64, :], mbar=bar, dispatch=\"tma\")", "tma_auto",
     "s[:, 0:96]", "place: a box starts at byte 400 of 's'; the engine wants a multiple of 128"},
    {"(64, 96), \"int32\", layout=TileLayout(S[(64, 96) : (96, 1)] + T.R[2 : 6144]), align=128",
     "Tx.copy_async(s[:, :], A[0:64, :], mbar=bar, dispatch=\"tma\")", "tma_auto", "s[:, :]",
     "box: elements of 's' have no address of their own: S[(64, 96):(96, 1)] + R[(2):(6144)]"},
};

static void each_rule_of_the_engine_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const char *line = refusals[i].line, *where = refusals[i].where != NULL ? refusals[i].where : line;
        const int column = 9 + (int)(strstr(line, where) - line), width = (int)strlen(where);
        char text[4096], want[4096], marks[256], program[2048];
        memset(marks, '~', sizeof marks);
        marks[0] = '^';
        snprintf(want, sizeof want,
                 "k.py:16:9: error[E0440]: no variant of copy_async takes this call\n"
                 "   16 |         %s\n      |         ^%.*s\n"
                 "  expected: a call that one of these takes: \"%s\"\n"
                 "k.py:16:%d: note: %s, %s\n"
                 "   16 |         %s\n      | %*s%.*s\n",
                 line, (int)strlen(line) - 1, marks + 1, refusals[i].variant, column, refusals[i].variant, refusals[i].why, line,
                 column - 1, "", width, marks);
        snprintf(program, sizeof program, HEAD, MORE_TENSORS, refusals[i].storage);
        snprintf(text, sizeof text, "%s        %s\n", program, line);
        expect_said(text, want);
    }
}

/* 32 threads would copy 32 times; without dispatch= the refusals of every variant are listed. */
static void many_threads_are_too_many(void **state)
{
    (void)state;
    char text[4096];
    const int head = snprintf(text, sizeof text, HEAD, "", PLAIN);
    snprintf(text + head, sizeof text - (size_t)head, "        T.evaluate(0)\n    Tx.copy_async(Out[0:64, :], s[:, :])\n");
    expect_said(text,
                "k.py:17:5: error[E0440]: no variant of copy_async takes this call\n"
                "   17 |     Tx.copy_async(Out[0:64, :], s[:, :])\n"
                "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "  expected: a call that one of these takes: \"tma_auto\", \"tma_explicit\", \"ldgsts\", \"tmem<->local\"\n"
                "k.py:17:5: note: tma_auto, scope: 32 threads reach the call, and each would copy\n"
                "   17 |     Tx.copy_async(Out[0:64, :], s[:, :])\n"
                "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "k.py:17:5: note: tma_explicit, scope: 32 threads reach the call, and each would copy\n"
                "   17 |     Tx.copy_async(Out[0:64, :], s[:, :])\n"
                "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "k.py:17:5: note: ldgsts, memories: it copies from global to shared memory, not from shared to global\n"
                "   17 |     Tx.copy_async(Out[0:64, :], s[:, :])\n"
                "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "k.py:17:5: note: tmem<->local, scope: unsupported exec_scope thread; tensor memory is read by a warpgroup, "
                "Tx.wg.copy_async\n"
                "   17 |     Tx.copy_async(Out[0:64, :], s[:, :])\n"
                "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "k.py:17:5: note: tmem<->local, memories: one operand is in tensor memory, and the other in registers\n"
                "   17 |     Tx.copy_async(Out[0:64, :], s[:, :])\n"
                "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

/* Each CTA of a pair loads half of the tile into both. */
static void a_mask_sends_a_box_to_several_ctas(void **state)
{
    (void)state;
    struct program_run *r = program_run(
        "from tvm.script import tirx as T\n"
        "from tvm.script.tirx import tile as Tx\n"
        "from tvm.tirx.lang.pipeline import TMABar\n"
        "@T.prim_func\n"
        "def k(A: T.Buffer((64, 96), \"int32\"), Out: T.Buffer((128, 96), \"int32\")):\n"
        "    T.device_entry()\n"
        "    r = T.cta_id_in_cluster([2])\n"
        "    T.cta_id([2])\n"
        "    tid = T.thread_id([32])\n"
        "    pool = T.SMEMPool()\n"
        "    s = pool.alloc((64, 96), \"int32\", align=128)\n"
        "    bar = TMABar(pool, 1)\n"
        "    pool.commit()\n"
        "    bar.init(1)\n"
        "    T.ptx.fence.mbarrier_init()\n"
        "    T.cuda.cluster_sync()\n"
        "    if tid == 0:\n"
        "        bar.arrive(0, 64 * 96 * 4)\n"
        "        Tx.copy_async(s[r * 32 : r * 32 + 32, :], A[r * 32 : r * 32 + 32, :], mbar=bar.ptr_to([0]), cta_mask=3,\n"
        "                      cache_hint=T.uint64(0x12F0000000000000), dispatch=\"tma\")\n"
        "        bar.wait(0, 0)\n"
        "        Tx.copy_async(Out[r * 64 : r * 64 + 64, :], s[:, :])\n"
        "        T.ptx.cp_async.bulk.commit_group()\n"
        "        T.ptx.cp_async.bulk.wait_group(0)\n"
        "    T.cuda.cluster_sync()\n");
    assert_non_null(strstr(tw_diagnostics(r->ctx, TW_TEXT), ".multicast::cluster.L2::cache_hint\n"));
    for (int e = 0; e < 128 * 96; e++) {
        int32_t got;
        memcpy(&got, r->out + 4 * e, 4);
        if (got != e % (64 * 96))
            fail_msg("element %d: want %d, got %d", e, e % (64 * 96), (int)got);
    }
    program_end(r);
}

/* The same map serves every copy of the same box; another box has a map of its own. */
static void equal_boxes_share_a_map(void **state)
{
    (void)state;
    char text[4096];
    const int head = snprintf(text, sizeof text, HEAD, "", PLAIN);
    snprintf(text + head, sizeof text - (size_t)head,
             "        Tx.copy_async(Out[0:64, :], s[:, :])\n"
             "        Tx.copy_async(Out[64:128, :], s[:, :])\n"
             "        Tx.copy_async(Out[0:32, :], s[0:32, :])\n" CLOSE);
    struct program_run *r = program_run(text);
    assert_int_equal(tw_args_count(r->args), 5);
    assert_string_equal(tw_args_name(r->args, 3), "Out_map");
    assert_string_equal(tw_args_name(r->args, 4), "Out_map2");
    program_end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_land_where_the_layout_has_them),
        cmocka_unit_test(what_is_taken_arrives_wherever_it_lies),
        cmocka_unit_test(what_the_engine_cannot_do_is_listed),
        cmocka_unit_test(each_rule_of_the_engine_is_said),
        cmocka_unit_test(many_threads_are_too_many),
        cmocka_unit_test(a_mask_sends_a_box_to_several_ctas),
        cmocka_unit_test(equal_boxes_share_a_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
