/* tcgen05.mma at every scope of tile.apply: the axes that a scope puts in front of batch and repeats, each issuing thread with a
 * tile of its own. SOURCE: kernel-language-tile 7.1 (scopes, guards), 7.5 (batch, M, N, K). The product is formed here again. */
#include "support/check.h"

#include "tilewright/tilewright.h"

#include <stdlib.h>

enum { ROWS = 128, COLS = 16, K = 16, MAX_TILES = 8, CTAS = 2, OUT_COLS = COLS * MAX_TILES };

struct group_case {
    const char *rule, *scope, *guard; /* of 128 threads */
    const char *axes;                 /* in front of the repeats */
    int tiles, issuers, ctas;         /* tiles of all CTAs; issuing threads of one CTA */
};

static const struct group_case cases[] = {
    {"a thread has no group axis", "thread", "tid == 0", "", 1, 1, 1},
    {"batches of one thread, in their order", "thread", "tid == 0", "5, ", 5, 1, 1},
    {"two batch axes", "thread", "tid == 0", "2, 3, ", 6, 1, 1},
    {"at warp scope the guarded lanes are an axis", "warp", "tid < 4", "4, ", 4, 4, 1},
    {"lanes, then batches", "warp", "tid < 2", "2, 3, ", 6, 2, 1},
    {"at warpgroup scope warps stand before lanes", "warpgroup", "lane < 2", "4, 2, ", 8, 8, 1},
    {"at cta scope a guard leaves two warps", "cta", "warp < 2 and lane == 0", "2, 1, ", 2, 2, 1},
    {"warps, lanes, batches", "cta", "warp < 2 and lane < 2", "2, 2, 2, ", 8, 4, 1},
    {"at cluster scope the CTAs come first", "cluster", "warp < 2 and lane < 2", "2, 2, 2, ", 8, 4, 2},
};

static int a_value(int tile, int row, int k) { return (row + 3 * tile + k) % 5 - 2; }
static int b_value(int tile, int row, int k) { return (2 * row + 5 * tile + 3 * k) % 7 - 3; }

static const char *guards(struct bench_room *room, const struct group_case *c)
{
    const char *and = strstr(c->guard, " and ");
    if (and == NULL)
        return tw_format(&room->arena, "    if %s:\n", c->guard);
    return tw_format(&room->arena, "    if %.*s:\n      if %s:\n", (int)(and - c->guard), c->guard, and + 5);
}

static const char *program(struct bench_room *room, const struct group_case *c)
{
    return tw_format(&room->arena,
        "from tvm.script import tirx as T\n"
        "from tvm.backend.cuda.layout import mma_shared_layout\n"
        "Lane, Col = T.cuda.Axis.TLane, T.cuda.Axis.TCol\n"
        "N = %d\n"
        "@T.function\n"
        "def k(Out: T.Tensor((2, 128, 128), \"float32\")):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=%d, block=128%s))\n"
        "    tid = T.cuda.thread_idx(\"x\")\n"
        "    warp = T.cuda.warp_id()\n"
        "    lane = T.cuda.lane_id()\n"
        "    cta = T.cuda.block_idx(\"x\")\n"
        "    a = T.alloc_shared((N, 128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (N, 128, 16)), align=1024)\n"
        "    b = T.alloc_shared((N, 16, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (N, 16, 16)), align=1024)\n"
        "    slot = T.alloc_shared((1,), \"uint32\", layout=\"default\")\n"
        "    done = T.alloc_shared((1,), \"uint64\", layout=\"default\")\n"
        "    if warp == 0:\n"
        "        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(128))\n"
        "    if tid == 0:\n"
        "        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(%d))\n"
        "    for t in range(N):\n"
        "        for k in range(16):\n"
        "            a[t, tid, k] = T.float16((tid + 3 * t + k) %% 5 - 2)\n"
        "            if tid < 16:\n"
        "                b[t, tid, k] = T.float16((2 * tid + 5 * t + 3 * k) %% 7 - 3)\n"
        "    T.ptx.fence.proxy.async_.shared__cta()\n"
        "    T.cuda.cta_sync()\n"
        "    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((N, 128, 16), \"float32\", scope=\"tmem\", "
        "layout=T.TileLayout(T.S[(N, 128, 16) : (16 @ Col, 1 @ Lane, 1 @ Col)]))])\n"
        "%s"
        "        T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"], d.view(%s1, 1, 128, 16), a.view(%s1, 1, 128, 16),\n"
        "                          b.view(%s1, 1, 16, 16), instruction_shape=(128, 16, 16), scope=\"%s\")\n"
        "        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))\n"
        "    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)\n"
        "    T.ptx.tcgen05.fence__after_thread_sync()\n"
        "    cells = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((128, 128), \"float32\", scope=\"tmem\")])\n"
        "    frag = T.wg_reg_tile(128, \"float32\")\n"
        "    row = frag.view(128, layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x128.b32\"], frag.view(4, 32, 128), cells.view(4, 32, 128), scope=\"warpgroup\")\n"
        "    T.ptx.tcgen05.wait__ld.sync.aligned()\n"
        "    for n in range(128):\n"
        "        Out[cta, tid, n] = row[n]\n"
        "    T.cuda.cta_sync()\n"
        "    if warp == 0:\n"
        "        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(128))\n",
        c->tiles, c->ctas, c->ctas == 2 ? ", cluster=2" : "", c->issuers, guards(room, c), c->axes, c->axes, c->axes, c->scope);
}

static void run(const struct group_case *c, const char *text, float *out)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module;
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
    uint64_t address, bytes;
    if (tw_compile(ctx, "k.py", text, strlen(text), NULL, &module) != TW_OK)
        fail_msg("%s\n%s", c->rule, tw_diagnostics(ctx, TW_TEXT));
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
    assert_int_equal(tw_args_create(device, module, NULL, NULL, NULL, 0, &args), TW_OK);
    assert_int_equal(tw_args_launch(args, NULL, &launch), TW_OK);
    if (tw_launch_run(launch, 0) != TW_OK)
        fail_msg("%s\n%s", c->rule, tw_diagnostics(ctx, TW_TEXT));
    assert_int_equal(tw_args_tensor(args, "Out", &address, &bytes), TW_OK);
    assert_int_equal(tw_read(device, address, out, bytes), TW_OK);
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

static int product(int tile, int row, int col)
{
    int sum = 0;
    for (int k = 0; k < K; k++)
        sum += a_value(tile, row, k) * b_value(tile, col, k);
    return sum;
}

/* Tiles are numbered over all axes in their order, so the CTAs have one run of them each. */
static void every_scope_gives_each_issuer_its_tile(void **state)
{
    static float out[CTAS][ROWS][OUT_COLS];
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct group_case *c = &cases[i];
        run(c, program(room, c), &out[0][0][0]);
        for (int tile = 0; tile < c->tiles; tile++)
            for (int row = 0; row < ROWS; row++)
                for (int col = 0; col < COLS; col++) {
                    const float got = out[tile / (c->tiles / c->ctas)][row][COLS * tile + col];
                    if (got != (float)product(tile, row, col))
                        fail_msg("%s: tile %d, row %d, column %d: %g, wanted %d", c->rule, tile, row, col, (double)got,
                                 product(tile, row, col));
                }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_scope_gives_each_issuer_its_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
