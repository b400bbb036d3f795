/* Tensor and bulk copies of tile.apply on the machine: every rank and swizzle, fills, gathered rows, multicast, reductions,
 * copies between CTAs. What arrives is compared with plain loops over the tensor, and nvcc's PTX must leave the same bytes.
 * SOURCE: kernel-language-tile 7.3; ptx-async 4.2 to 4.9. */
#include "api/movement.h"

#include "api/nvcc.h"

enum { RANK = 5, MOST = 1 << 15 };

struct box_case {
    const char *what, *dtype, *extra; /* more parameters of the load */
    int bytes, rank, mode;            /* of an element; swizzle mode of mma_shared_layout, -1: row-major */
    int dims[RANK], box[RANK], at[RANK]; /* in the tensor's order */
    int fill;                         /* of every byte outside; -1: NaN fill of f16 */
};

static const struct box_case boxes[] = {
    {"1d, past the end", "float32", "", 4, 1, -1, {100}, {32}, {84}, 0},
    {"2d, row-major", "uint8", "", 1, 2, -1, {20, 96}, {7, 48}, {3, 32}, 0},
    {"2d, no swizzle, from before the start", "float16", "", 2, 2, -1, {40, 64}, {16, 24}, {-3, -8}, 0},
    {"2d, 32B", "bfloat16", "", 2, 2, 1, {40, 64}, {16, 16}, {9, 16}, 0},
    {"2d, 64B", "float16", "", 2, 2, 2, {40, 64}, {8, 32}, {36, 40}, 0},
    {"2d, 128B", "float16", "", 2, 2, 3, {40, 104}, {24, 64}, {7, 64}, 0},
    {"2d, 128B, bytes", "float8_e4m3fn", "", 1, 2, 3, {40, 256}, {16, 128}, {1, 128}, 0},
    {"2d, 128B, NaN outside", "float16", "oob=\"nan\", ", 2, 2, 3, {40, 104}, {16, 64}, {30, 56}, -1},
    {"3d, 128B, words", "float32", "l2=\"128B\", ", 4, 3, 3, {3, 12, 64}, {2, 8, 32}, {1, 4, 32}, 0},
    {"4d, 64B", "int32", "", 4, 4, 2, {2, 3, 10, 16}, {2, 2, 8, 16}, {0, 2, 1, 0}, 0},
    {"5d, row-major", "int64", "", 8, 5, -1, {2, 2, 3, 4, 6}, {1, 2, 2, 3, 4}, {1, 0, 1, 2, 2}, 0},
};

static const char *tuple(struct bench_room *room, const int *n, int count)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_put(&t, '(');
    for (int i = 0; i < count; i++)
        tw_text_addf(&t, "%d, ", n[i]);
    tw_text_put(&t, ')');
    return t.at;
}

static int product(const int *n, int count)
{
    int p = 1;
    for (int i = 0; i < count; i++)
        p *= n[i];
    return p;
}

/* Digits of `flat` in the box, as a subscript. */
static const char *subscript(struct bench_room *room, const struct box_case *c)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    for (int d = 0; d < c->rank; d++)
        tw_text_addf(&t, "%se // %d %% %d", d == 0 ? "" : ", ", product(c->box + d + 1, c->rank - d - 1), c->box[d]);
    return t.at;
}

#define HEAD "from tvm.script import tirx as T\nfrom tvm.backend.cuda.layout import mma_shared_layout\n@T.function\n"
#define BARRIER                                                                          \
    "    bar = T.alloc_shared((1,), \"uint64\")\n    if t == 0:\n"                        \
    "        T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), T.uint32(1))\n"             \
    "        T.ptx.fence.mbarrier_init.release.cluster()\n    T.cuda.cta_sync()\n"
#define EXPECT "        T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, bar.ptr_to([0]), T.uint32(%d))\n"
#define COMPLETE "        T.ptx.cp.async_.bulk.commit_group()\n        T.ptx.cp.async_.bulk.wait_group(0)\n"

/* Where the copy out of shared memory goes: inside, as far as the box lets it. */
static void inside(const struct box_case *c, int at[RANK])
{
    for (int d = 0; d < c->rank; d++)
        at[d] = c->at[d] < 0 ? 0 : c->at[d];
}

static const char *box_program(struct bench_room *room, const struct box_case *c)
{
    int to[RANK];
    inside(c, to);
    const char *box = tuple(room, c->box, c->rank), *dims = tuple(room, c->dims, c->rank);
    const int elems = product(c->box, c->rank);
    const char *layout = c->mode < 0 ? "" : tw_format(&room->arena, ", layout=mma_shared_layout(\"%s\", %d, %s)", c->dtype, c->mode, box);
    return tw_format(&room->arena,
                     HEAD "def k(X: T.Tensor(%s, \"%s\"), Out: T.Tensor((%d,), \"%s\"), Y: T.Tensor(%s, \"%s\")):\n"
                     "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    t = T.cuda.thread_idx(\"x\")\n"
                     "    s = T.alloc_shared(%s, \"%s\"%s, align=1024)\n" BARRIER "    if t == 0:\n" EXPECT
                     "        T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], "
                     "s, X, box=%s, coords=%s, %smbar=bar.ptr_to([0]))\n"
                     "    T.cuda.mbarrier_wait(bar.ptr_to([0]), 0)\n"
                     "    for i in range(%d):\n        e = 32 * i + t\n        if e < %d:\n            Out[e] = s[%s]\n"
                     "    T.cuda.cta_sync()\n    if t == 0:\n"
                     "        T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group\"], Y, s, box=%s, coords=%s)\n"
                     COMPLETE,
                     dims, c->dtype, elems, c->dtype, dims, c->dtype, box, c->dtype, layout, elems * c->bytes, c->rank, box,
                     tuple(room, c->at, c->rank), c->extra, (elems + 31) / 32, elems, subscript(room, c), c->rank, box,
                     tuple(room, to, c->rank));
}

/* The element of the tensor that is `flat` in a box at `at`; -1 outside. */
static int element_at(const struct box_case *c, const int *at, int flat)
{
    int index = 0, scale = 1;
    for (int d = c->rank - 1; d >= 0; d--) {
        const int x = at[d] + flat % c->box[d];
        if (x < 0 || x >= c->dims[d])
            return -1;
        index += x * scale;
        scale *= c->dims[d];
        flat /= c->box[d];
    }
    return index;
}

/* SOURCE: ptx-async 4.5: NaN fill is 0x7ff7 in every 16 bits. */
static void put_fill(const struct box_case *c, uint8_t *to)
{
    static const uint8_t nan16[] = {0xf7, 0x7f};
    for (int b = 0; b < c->bytes; b++)
        to[b] = c->fill < 0 ? nan16[b % 2] : (uint8_t)c->fill;
}

static void every_box_arrives_and_leaves(void **state)
{
    static uint8_t x[MOST], out[MOST], y[MOST], want_out[MOST], want_y[MOST];
    struct bench_room *room = *state;
    say_if_not_assembled();
    for (size_t i = 0; i < COUNT(boxes); i++) {
        const struct box_case *c = &boxes[i];
        const int elems = product(c->box, c->rank), all = product(c->dims, c->rank), bytes = c->bytes;
        int to[RANK];
        inside(c, to);
        fill_bytes(x, (size_t)(all * bytes), (uint32_t)i);
        memset(y, 0x55, (size_t)(all * bytes));
        memset(out, 0, sizeof out);
        memcpy(want_y, y, sizeof y);
        for (int e = 0; e < elems; e++) {
            const int from = element_at(c, c->at, e), at = element_at(c, to, e);
            put_fill(c, want_out + e * bytes);
            if (from >= 0)
                memcpy(want_out + e * bytes, x + from * bytes, (size_t)bytes);
            if (at >= 0)
                memcpy(want_y + at * bytes, want_out + e * bytes, (size_t)bytes);
        }
        run_movement(c->what, box_program(room, c), "sm_90a", "cp.async.bulk.tensor.", 2,
                     (struct move_tensor[]){{"X", x, (size_t)(all * bytes)}, {"Out", out, (size_t)(elems * bytes)}, {"Y", y, (size_t)(all * bytes)}}, 3);
        expect_bytes(c->what, out, want_out, (size_t)(elems * bytes));
        expect_bytes(c->what, y, want_y, (size_t)(all * bytes));
    }
}

/* ---- other forms --------------------------------------------------------------------------------------------- */

struct form_case {
    const char *what, *arch, *needle, *body;
    int cluster;
    /* X and Out are (64, 64) of uint32; what Out holds at (row, column), from X and from what it held, 1000. */
    uint32_t (*want)(int row, int column);
};

static uint32_t of_x(int row, int column)
{
    return (uint32_t)(row * 64 + column);
}

static uint32_t gathered(int row, int column)
{
    static const int from[] = {5, 63, 0, 17};
    return row < 4 && column < 32 ? of_x(from[row], column + 32) : 1000;
}

static uint32_t scattered(int row, int column)
{
    const int at = row == 5 ? 0 : row == 63 ? 1 : row == 0 ? 2 : row == 17 ? 3 : -1;
    return at >= 0 && column >= 32 ? of_x(at, column - 32) : 1000;
}

static uint32_t added(int row, int column)
{
    return row < 8 && column < 32 ? 1000 + of_x(row, column) : 1000;
}

static uint32_t greatest(int row, int column)
{
    const uint32_t x = of_x(row, column);
    return row < 32 && column < 32 && x > 1000 ? x : 1000;
}

static uint32_t of_both(int row, int column)
{
    return row < 16 && column < 32 ? of_x(row % 8, column) : 1000;
}

static uint32_t whole_rows(int row, int column)
{
    return row >= 2 && row < 6 ? of_x(row + 8, column) : 1000;
}

static uint32_t from_peer(int row, int column)
{
    return row < 2 ? of_x(10 + (row ^ 1), column) : 1000;
}

static uint32_t sums_of_peers(int row, int column)
{
    return row < 2 ? of_x(10 + row, column) + of_x(10 + (row ^ 1), column) : 1000;
}

#define LOAD_BOX(rows) \
    "    if t == 0:\n        T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, bar.ptr_to([0]), T.uint32(" #rows " * 32 * 4))\n"
#define WAIT "    T.cuda.mbarrier_wait(bar.ptr_to([0]), 0)\n"
#define TO_OUT(rows) "    for i in range(" #rows "):\n        Out[8 * rank + i, t] = s[i, t]\n"
#define TENSOR "cp.async.bulk.tensor.2d."

static const struct form_case forms[] = {
    {"four rows gathered", "sm_100a", "tile::gather4", LOAD_BOX(4)
     "        T.cuda.tile.apply(T.ptx[\"" TENSOR "shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes\"], s[0:4, :], X, box=(1, 32), "
     "coords=(5, 63, 0, 17, 32), mbar=bar.ptr_to([0]))\n" WAIT TO_OUT(4), 1, gathered},
    {"four rows scattered", "sm_100a", "tile::scatter4", "    for i in range(4):\n        s[i, t] = X[i, t]\n"
     "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n    if t == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"" TENSOR "global.shared::cta.tile::scatter4.bulk_group\"], Out, s[0:4, :], box=(1, 32), "
     "coords=(5, 63, 0, 17, 32))\n" COMPLETE, 1, scattered},
    {"a box added", "sm_90a", "cp.reduce.async.bulk.tensor", "    for i in range(8):\n        s[i, t] = X[i, t]\n"
     "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n    if t == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group\"], Out[0:8, 0:32], s[0:8, :], "
     "box=(8, 32))\n" COMPLETE, 1, added},
    {"the greatest of a box", "sm_90a", "cp.reduce.async.bulk.tensor", "    for i in range(32):\n        s[i, t] = X[i, t]\n"
     "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n    if t == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group\"], Out[0:32, 0:32], s, "
     "box=(32, 32))\n" COMPLETE, 1, greatest},
    {"one box for both CTAs", "sm_90a", "multicast::cluster", LOAD_BOX(8) "    T.cuda.cluster_sync()\n    if t == 0 and rank == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"" TENSOR "shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster\"], s[0:8, :], X[0:8, 0:32], "
     "box=(8, 32), mbar=bar.ptr_to([0]), cta_mask=3)\n" WAIT TO_OUT(8), 2, of_both},
    {"bulk copies of rows in and out", "sm_90a", "cp.async.bulk.", "    if t == 0:\n"
     "        T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, bar.ptr_to([0]), T.uint32(4 * 256))\n"
     "        T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0:4, :], X[10:14, :], "
     "mbar=bar.ptr_to([0]))\n" WAIT "    if t == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"cp.async.bulk.global.shared::cta.bulk_group\"], Out[2:6, :], p[0:4, :])\n" COMPLETE, 1, whole_rows},
    {"a row to the other CTA", "sm_90a", "cp.async.bulk.shared::cluster.shared::cta",
     "    for i in range(2):\n        p[0, 32 * i + t] = X[10 + rank, 32 * i + t]\n    T.ptx.fence.proxy.async_.shared__cta()\n"
     "    if t == 0:\n        T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, bar.ptr_to([0]), T.uint32(256))\n"
     "    T.cuda.cluster_sync()\n    if t == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes\"], p[1, :], p[0, :], "
     "mbar=bar.ptr_to([0]), cta_rank=1 - rank)\n" WAIT
     "    for i in range(2):\n        Out[rank, 32 * i + t] = p[1, 32 * i + t]\n    T.cuda.cluster_sync()\n", 2, from_peer},
    {"a row added to the other CTA's", "sm_90a", "cp.reduce.async.bulk.shared::cluster",
     "    for i in range(2):\n        p[0, 32 * i + t] = X[10 + rank, 32 * i + t]\n        p[1, 32 * i + t] = X[10 + rank, 32 * i + t]\n"
     "    T.ptx.fence.proxy.async_.shared__cta()\n"
     "    if t == 0:\n        T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, bar.ptr_to([0]), T.uint32(256))\n"
     "    T.cuda.cluster_sync()\n    if t == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32\"], p[1, :], p[0, :], "
     "mbar=bar.ptr_to([0]), cta_rank=1 - rank)\n" WAIT
     "    for i in range(2):\n        Out[rank, 32 * i + t] = p[1, 32 * i + t]\n    T.cuda.cluster_sync()\n", 2, sums_of_peers},
    {"rows added to global memory", "sm_90a", "cp.reduce.async.bulk.global", "    for i in range(8):\n        s[i, t] = X[i, t]\n"
     "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n    if t == 0:\n"
     "        T.cuda.tile.apply(T.ptx[\"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32\"], Out[0:8, 0:32], s[0:8, :])\n" COMPLETE, 1, added},
};

static const char *form_program(struct bench_room *room, const struct form_case *c)
{
    return tw_format(&room->arena,
                     HEAD "def k(X: T.Tensor((64, 64), \"uint32\"), Out: T.Tensor((64, 64), \"uint32\")):\n"
                     "    T.device_entry(launch=T.cuda.LaunchConfig(grid=%d, block=32, cluster=%d))\n    t = T.cuda.thread_idx(\"x\")\n"
                     "%s    %s\n" BARRIER "%s",
                     c->cluster, c->cluster,
                     strstr(c->body, "rank") != NULL ? "    rank = T.cuda.block_idx(\"x\")\n" : "",
                     strstr(c->body, "p[0") != NULL ? "p = T.alloc_shared((4, 64), \"uint32\", align=128)"
                                                    : "s = T.alloc_shared((32, 32), \"uint32\", align=128)",
                     c->body);
}

static void every_form_does_what_its_name_says(void **state)
{
    static uint32_t x[64 * 64], out[64 * 64], want[64 * 64];
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        for (int e = 0; e < 64 * 64; e++) {
            x[e] = (uint32_t)e;
            out[e] = 1000;
            want[e] = forms[i].want(e / 64, e % 64);
        }
        const char *text = form_program(room, &forms[i]);
        tw_ctx *ctx = tw_ctx_create(NULL);
        tw_module *module;
        const char *ptx;
        size_t len;
        if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = forms[i].arch}, &module) != TW_OK)
            fail_msg("%s\n%s%s", forms[i].what, tw_diagnostics(ctx, TW_TEXT), text);
        assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &ptx, &len), TW_OK);
        assert_non_null(strstr(ptx, forms[i].needle));
        assembles(ptx, forms[i].arch);
        expect_arrives(ctx, module, forms[i].what, (struct move_tensor[]){{"X", x, sizeof x}, {"Out", out, sizeof out}}, 2);
        expect_bytes(forms[i].what, out, want, sizeof want);
        tw_module_destroy(module);
        tw_ctx_destroy(ctx);
    }
}

/* ---- im2col --------------------------------------------------------------------------------------------------------------- */

enum { IMAGES = 3, H = 5, W = 6, C = 16, PIXELS = 24, CHANNELS = 8, STEP_W = 2 };

/* Corners of a 3 x 3 filter with a border of one; every second pixel along W. */
static const char im2col_program[] =
    HEAD "def k(X: T.Tensor((3, 5, 6, 16), \"float32\"), Out: T.Tensor((24, 8), \"float32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    t = T.cuda.thread_idx(\"x\")\n"
    "    s = T.alloc_shared((24, 8), \"float32\", layout=mma_shared_layout(\"float32\", 1, (24, 8)), align=256)\n" BARRIER
    "    if t == 0:\n        T.ptx.mbarrier.arrive.expect_tx.shared.b64(T.ptx.SINK, bar.ptr_to([0]), T.uint32(24 * 8 * 4))\n"
    "        T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes\"], s, X, "
    "box=(24, 8), lower=(-1, -1), upper=(-1, -1), element_strides=(1, 1, 2, 1), coords=(0, -1, -1, 8), offsets=(T.cuda.block_idx(\"x\") + 2, 1), mbar=bar.ptr_to([0]))\n"
    "    T.cuda.mbarrier_wait(bar.ptr_to([0]), 0)\n    for p in range(24):\n        if t < 8:\n            Out[p, t] = s[p, t]\n";

/* SOURCE: ptx-async 4.7, the walk over pixels. */
static void pixels_are_walked_as_the_corners_say(void **state)
{
    static uint32_t x[IMAGES][H][W][C], out[PIXELS][CHANNELS];
    const int offset_h = 2, offset_w = 1;
    (void)state;
    fill_bytes(x, sizeof x, 3);
    int image = 0, h = -1, w = -1;
    run_movement("im2col", im2col_program, "sm_90a", "im2col", 1,
                 (struct move_tensor[]){{"X", x, sizeof x}, {"Out", out, sizeof out}}, 2);
    for (int p = 0; p < PIXELS; p++) {
        const int at_h = h + offset_h, at_w = w + offset_w;
        const bool inside_x = at_h >= 0 && at_h < H && at_w >= 0 && at_w < W && image < IMAGES;
        for (int c = 0; c < CHANNELS; c++)
            assert_int_equal(out[p][c], inside_x ? x[image][at_h][at_w][8 + c] : 0);
        w += STEP_W;
        if (w > W - 1 - 1) {
            w = -1;
            if (++h > H - 1 - 1) {
                h = -1;
                image++;
            }
        }
    }
}

/* ---- the CUDA back end ------------------------------------------------------------------------------------------- */

static void both_back_ends(const char *what, const char *text, const char *arch)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *ours, *theirs;
    const char *cuda, *contract;
    size_t len;
    assert_int_equal(tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = arch}, &ours), TW_OK);
    assert_int_equal(tw_module_text(ours, TW_EMIT_CUDA, &cuda, &len), TW_OK);
    assert_int_equal(tw_module_text(ours, TW_EMIT_LAUNCH, &contract, &len), TW_OK);
    char *ptx = nvcc_ptx(what, cuda, arch, "");
    if (tw_module_parse(ctx, "nvcc.ptx", ptx, strlen(ptx), &theirs) != TW_OK)
        fail_msg("%s: %s", what, tw_diagnostics(ctx, TW_TEXT));
    expect_same_bits(what, ctx, ours, theirs, contract, "bits", "0", 5);
    tw_module_destroy(theirs);
    tw_module_destroy(ours);
    tw_ctx_destroy(ctx);
    free(ptx);
}

static void nvcc_gives_the_same_bits(void **state)
{
    struct bench_room *room = *state;
    if (!have_nvcc())
        skip();
    for (size_t i = 0; i < COUNT(boxes); i += 3)
        both_back_ends(boxes[i].what, box_program(room, &boxes[i]), "sm_90a");
    for (size_t i = 0; i < COUNT(forms); i += 2)
        both_back_ends(forms[i].what, form_program(room, &forms[i]), forms[i].arch);
}

/* ---- around them ----------------------------------------------------------------------------------------------------- */

/* Barriers of the cluster and in shared memory, election, fences, register counts: raw, as pipelines use them. */
static const char pipeline_program[] =
    HEAD "def k(Out: T.Tensor((4, 64), \"uint32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=384, cluster=2))\n    t = T.cuda.thread_idx(\"x\")\n"
    "    T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})\n"
    "    b = T.cuda.block_idx(\"x\")\n    bar = T.alloc_shared((1,), \"uint64\")\n"
    "    who: T.uint32 = 0\n    leads: T.uint32 = 0\n    done: T.uint32 = 0\n    remote: T.uint32 = 0\n"
    "    T.ptx.elect_sync(who, leads, T.uint32(0xFFFFFFFF))\n    if t == 0:\n"
    "        T.ptx.mbarrier.init.shared__cta.b64(bar.ptr_to([0]), T.uint32(1))\n        T.ptx.fence.mbarrier_init.release.cluster()\n"
    "    T.ptx.barrier.cluster.arrive.release.aligned()\n    T.ptx.barrier.cluster.wait.acquire.aligned()\n"
    "    if t < 128:\n        T.ptx.setmaxnreg.dec.sync.aligned.u32(40)\n    else:\n        T.ptx.setmaxnreg.inc.sync.aligned.u32(232)\n"
    "    if t == 0:\n"
    "        T.ptx.mapa.shared__cluster.u32(remote, T.cuda.cvta_generic_to_shared(bar.ptr_to([0])), T.uint32(1) - T.cast(b, \"uint32\"))\n"
    "        T.ptx.mbarrier.arrive.release.cluster.shared__cluster.b64(T.ptx.SINK, remote)\n"
    "    while done == 0:\n"
    "        T.ptx[\"mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64\"](done, bar.ptr_to([0]), T.uint32(0))\n"
    "    T.ptx.fence.proxy.async_()\n    T.ptx.fence.proxy.async_.shared__cta()\n"
    "    if t < 64:\n        Out[2 * b, t] = leads\n        Out[2 * b + 1, t] = done + who\n"
    "    T.ptx.griddepcontrol.launch_dependents()\n    T.ptx.barrier.cluster.arrive.aligned()\n    T.ptx.barrier.cluster.wait.aligned()\n";

static void what_a_pipeline_needs_works_raw(void **state)
{
    static uint32_t out[4][64];
    (void)state;
    run_movement("a pipeline's instructions", pipeline_program, "sm_90a", "setmaxnreg", 2, (struct move_tensor[]){{"Out", out, sizeof out}}, 1);
    for (int t = 0; t < 64; t++) {
        assert_int_equal(out[0][t], t % 32 == 0);
        assert_int_equal(out[2][t], t % 32 == 0);
        assert_int_equal(out[1][t], 1);
        assert_int_equal(out[3][t], 1);
    }
}

/* ---- at run time ---------------------------------------------------------------------------------------------------- */

/* What is known only when the kernel runs is judged by the machine: the twins of the compile-time rules. */
static void the_machine_judges_what_was_not_known(void **state)
{
    static const struct {
        const char *coords, *said;
    } cases[] = {{"(8 * n, 0)", ""},
                 {"(0, n)", "error[E0783]: cp.async.bulk.tensor: the start of the innermost dimension is not aligned\n"},
                 {"(n, 8)", ""}};
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = tw_format(&room->arena,
                                     HEAD "def k(X: T.Tensor((64, 64), \"float16\"), n: T.int32):\n"
                                     "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    t = T.cuda.thread_idx(\"x\")\n"
                                     "    s = T.alloc_shared((8, 64), \"float16\", align=128)\n" BARRIER "    if t == 0:\n" EXPECT
                                     "        T.cuda.tile.apply(T.ptx[\"" TENSOR "shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X, "
                                     "box=(8, 64), coords=%s, mbar=bar.ptr_to([0]))\n" WAIT, 8 * 64 * 2, cases[i].coords);
        tw_ctx *ctx = tw_ctx_create(NULL);
        tw_module *module;
        tw_device *device;
        tw_args *args;
        tw_launch *launch;
        assert_int_equal(tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = "sm_90a"}, &module), TW_OK);
        assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
        assert_int_equal(tw_args_create(device, module, NULL, NULL, NULL, 0, &args), TW_OK);
        assert_int_equal(tw_args_set(args, "n", "3"), TW_OK);
        assert_int_equal(tw_args_launch(args, NULL, &launch), TW_OK);
        const tw_status status = tw_launch_run(launch, 0);
        assert_int_equal(status, cases[i].said[0] == '\0' ? TW_OK : TW_ERROR);
        assert_non_null(strstr(tw_diagnostics(ctx, TW_TEXT), cases[i].said));
        tw_launch_destroy(launch);
        tw_args_destroy(args);
        tw_device_destroy(device);
        tw_module_destroy(module);
        tw_ctx_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_box_arrives_and_leaves),
        ROOM_TEST(every_form_does_what_its_name_says),
        cmocka_unit_test(pixels_are_walked_as_the_corners_say),
        ROOM_TEST(nvcc_gives_the_same_bits),
        cmocka_unit_test(what_a_pipeline_needs_works_raw),
        ROOM_TEST(the_machine_judges_what_was_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
