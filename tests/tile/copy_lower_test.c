/* What copies of Tx become: the instructions of a small call in full, and sound IR for every variant.
 * SOURCE: kernel-language-tile 8.2, 8.3. */
#include "text_kernel.h"

static const char head[] =
    "from tvm.script import tirx as T\n"
    "from tvm.script.tirx import tile as Tx\n"
    "from tvm.tirx.layout import S, TCol, TLane, TileLayout, tid_in_wg, laneid\n"
    "from tvm.backend.cuda.layout import mma_shared_layout\n"
    "@T.prim_func\n"
    "def k(A: T.Buffer((128, 64), \"float16\"), Out: T.Buffer((128, 64), \"float16\"), n: T.int32):\n"
    "    T.device_entry()\n    T.cta_id([1])\n    tid = T.thread_id([128])\n";

static const char *statements(struct bench_room *room, const struct ir_kernel *k)
{
    struct text why, all;
    tw_text_init(&why, &room->arena);
    tw_text_init(&all, &room->arena);
    if (!tw_ir_verify(k, &why))
        fail_msg("the IR is not sound: %s", why.at);
    tw_ir_print(k, &all);
    return all.at;
}

static void a_row_is_copied_in_vectors_of_sixteen_bytes(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k;
    assert_true(lower_text(room, head, "    Tx.warp.copy(Out[n, 0:64], A[3, :])\n", &k));
    const char *ir = statements(room, k);
    static const char want[] = "  part: int32 = (lane_id * 8)\n";
    if (strstr(ir, want) == NULL)
        fail_msg("not in:\n%s", ir);
    /* 64 elements are eight vectors: lanes 8 to 31 have nothing to do. */
    assert_non_null(strstr(ir, "  @(lane_id < 8) ptx ld.global.v4.b32 {moved"));
    assert_non_null(strstr(ir, "  @(lane_id < 8) ptx st.global.v4.b32 [&Out"));
}

/* Each body with one instruction that it must lead to. */
static void every_variant_leaves_sound_ir(void **state)
{
    static const struct {
        const char *body, *holds;
    } cases[] = {
        {"    Tx.cta.copy(Out[:, :], A[:, :])\n", "ptx st.global.v4.b32"},
        {"    r = T.alloc_local((64,), \"float16\")\n    Tx.copy(r[:], A[tid, :])\n    Tx.copy(Out[tid, 1:64], r[1:64])\n",
         "ptx st.global.b16"},
        {"    s = T.alloc_shared((128, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (128, 64)))\n"
         "    Tx.cta.copy_async(s[:, :], A[:, :])\n", "ptx cp.async.cg.shared.global"},
        {"    s = T.alloc_shared((128, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (128, 64)))\n"
         "    if tid == 0:\n        Tx.copy_async(Out[:, :], s[:, :])\n", "ptx cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [Out_map, {0, 0}]"},
        {"    h = T.alloc_local((4,), \"float16\")\n    f = T.alloc_local((4,), \"float32\")\n    h[0] = n\n    Tx.cast(f[:], h[:])\n"
         "    Out[0, 0] = f[0]\n", "cast<float32>("},
        {"    t = T.decl_buffer((128, 64), \"float32\", scope=\"tmem\", allocated_addr=T.uint32(0))\n"
         "    r = T.wg_reg_tile(64, \"float32\")\n    Tx.wg.copy_async(r[:, :], t[:, :])\n", "ptx tcgen05.ld.sync.aligned.32x32b.x64.b32"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ir_kernel *k;
        if (!lower_text(room, head, cases[i].body, &k))
            fail_msg("%s", tw_test_diags(room));
        const char *ir = statements(room, k);
        if (strstr(ir, cases[i].holds) == NULL)
            fail_msg("no %s in\n%s", cases[i].holds, ir);
    }
}

/* Alignment bounds the width: what the program states, what a slice leaves, what a run-time start is known to be. */
static void the_width_follows_from_what_is_known(void **state)
{
    static const struct {
        const char *body, *chosen;
    } cases[] = {
        {"    Tx.cta.copy(Out[:, 8:16], A[:, 0:8])\n", "16 bytes an access"},
        {"    Tx.cta.copy(Out[:, 4:12], A[:, 0:8])\n", "8 bytes an access"},
        {"    Tx.cta.copy(Out[:, 2:10], A[:, 0:8])\n", "4 bytes an access"},
        {"    Tx.cta.copy(Out[:, 1:9], A[:, 0:8])\n", "2 bytes an access"},
        {"    Tx.cta.copy(Out[:, n * 4 : n * 4 + 8], A[:, 0:8])\n", "8 bytes an access"},
        {"    Tx.cta.copy(Out[:, n : n + 8], A[:, 0:8])\n", "2 bytes an access"},
        {"    s = T.alloc_shared((128, 64), \"float16\", align=8)\n    Tx.cta.copy(s[:, :], A[:, :])\n", "8 bytes an access"},
        {"    s = T.alloc_shared((128, 64), \"float16\", layout=mma_shared_layout(\"float16\", 0, (128, 64)))\n"
         "    Tx.cta.copy(s[:, :], A[:, :])\n", "16 bytes an access"},
        {"    s = T.alloc_shared((64, 128), \"float16\")\n    Tx.cta.copy(s.permute(1, 0)[:, :], A[:, :])\n", "2 bytes an access"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ir_kernel *k;
        if (!lower_text(room, head, cases[i].body, &k))
            fail_msg("%s", tw_test_diags(room));
        if (strstr(tw_test_diags(room), cases[i].chosen) == NULL)
            fail_msg("not %s:\n%s", cases[i].chosen, tw_test_diags(room));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_row_is_copied_in_vectors_of_sixteen_bytes),
        ROOM_TEST(every_variant_leaves_sound_ir),
        ROOM_TEST(the_width_follows_from_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
