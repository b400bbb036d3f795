/* Clusters in the language: the launch, where a CTA is in its cluster, in both revisions; layouts of scale factors.
 * SOURCE: kernel-language 1.4, kernel-language-ptx 9.5, kernel-language-layout 6.9. */
#include "lang/lang_support.h"

static const char *built_with(struct bench_room *room, const char *launch, const char *body)
{
    return built(room, tw_format(&room->arena,
                                 "from tvm.script import tirx as T\n"
                                 "from tvm.backend.cuda.layout import sf_smem_layout, sf_tmem_layout\n"
                                 "@T.function\n"
                                 "def k(A: T.Tensor((16,), \"int32\")):\n"
                                 "    T.device_entry(%s)\n%s",
                                 launch, body));
}

static void the_rank_has_two_names(void **state)
{
    struct bench_room *room = *state;
    static const char launch[] = "launch=T.cuda.LaunchConfig(grid=4, block=32, cluster=2)";
    static const char *const names[] = {"cluster_ctarank", "cta_rank_in_cluster"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(built_with(room, launch, tw_format(&room->arena, "    A[T.cuda.%s()] = 1\n", names[i])),
                            "  A#0[cluster_ctarank] = 1\n");
}

static void a_cta_s_place_in_its_cluster_follows_from_the_grid(void **state)
{
    struct bench_room *room = *state;
    static const char launch[] = "launch=T.cuda.LaunchConfig(grid=(8, 3), block=32, cluster=(4, 1))";
    assert_string_equal(built_with(room, launch, "    A[T.cuda.cta_id_in_cluster(\"x\")] = 1\n"), "  A#0[(ctaid.x % 4)] = 1\n");
    assert_string_equal(built_with(room, launch, "    A[T.cuda.cta_id_in_cluster(\"y\")] = 1\n"), "  A#0[0] = 1\n");
}

static void without_a_cluster_the_place_is_zero(void **state)
{
    struct bench_room *room = *state;
    assert_string_equal(built_with(room, "launch=T.cuda.LaunchConfig(grid=8, block=32)", "    A[T.cuda.cta_id_in_cluster(\"x\")] = 1\n"),
                        "  A#0[0] = 1\n");
}

/* In the older revision the ids carry the extents, and state the launch with them. */
static void scope_ids_state_the_cluster(void **state)
{
    struct bench_room *room = *state;
    struct lang_program *p = load_text(room,
                                       "from tvm.script import tirx as T\n"
                                       "@T.function\n"
                                       "def k(A: T.Tensor((16,), \"int32\")):\n"
                                       "    T.device_entry()\n"
                                       "    c = T.cta_id([8])\n"
                                       "    r = T.cta_id_in_cluster([2])\n"
                                       "    t = T.thread_id([32])\n"
                                       "    A[r + T.cta_id_in_pair()] = 1\n");
    struct ir_kernel *k = tw_lang_build(p, "k");
    tw_test_expect_diags(room, "");
    assert_true(k->launch.has_cluster);
    assert_int_equal(k->launch.cluster[0], 2);
    assert_int_equal(k->launch.grid[0], 8);
    assert_string_equal(statements_of(room, k), "  c: int32 = ctaid.x\n  r: int32 = (ctaid.x % 2)\n  t: int32 = flat_tid\n  A#0[(r + (cluster_ctarank % 2))] = 1\n");
}

static void a_cluster_that_contradicts_the_first_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct lang_program *p = load_text(room,
                                       "from tvm.script import tirx as T\n"
                                       "@T.function\n"
                                       "def k(A: T.Tensor((16,), \"int32\")):\n"
                                       "    T.device_entry()\n"
                                       "    r = T.cta_id_in_cluster([2])\n"
                                       "    s = T.cta_id_in_cluster([4])\n");
    assert_null(tw_lang_build(p, "k"));
    tw_test_expect_diags(room,
                         "k.py:6:9: error[E0215]: the extents contradict the cluster that is already known\n"
                         "    6 |     s = T.cta_id_in_cluster([4])\n"
                         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~\n"
                         "  expected: (2, 1, 1)\n");
}

static void an_axis_that_clusters_lack_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct lang_program *p = load_text(room,
                                       "from tvm.script import tirx as T\n"
                                       "@T.function\n"
                                       "def k(A: T.Tensor((16,), \"int32\")):\n"
                                       "    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=32, cluster=2))\n"
                                       "    A[T.cuda.cta_id_in_cluster(\"w\")] = 1\n");
    assert_null(tw_lang_build(p, "k"));
    tw_test_expect_diags(room,
                         "k.py:5:32: error[E0206]: 'cta_id_in_cluster' has no axis 'w'\n"
                         "    5 |     A[T.cuda.cta_id_in_cluster(\"w\")] = 1\n"
                         "      |                                ^~~\n"
                         "  expected: \"x\", \"y\" or \"z\"\n");
}

/* lane = r % 32, byte column = 4 (r // 32) + 16 (s // 4) + s % 4 for 128 rows; shared: 512 bytes a block of four factors. */
static void layouts_of_scale_factors_are_the_factories(void **state)
{
    struct bench_room *room = *state;
    static const char launch[] = "launch=T.cuda.LaunchConfig(grid=1, block=32)";
    static const char body[] =
        "    t = sf_tmem_layout(128, 8, 4)\n"
        "    s = sf_smem_layout(128, 8, 4)\n"
        "    d = T.cuda.decl_tmem(T.uint32(0), ty_args=[T.Tensor((128, 8), \"uint8\", scope=\"tmem\", layout=t)])\n"
        "    m = T.alloc_shared((128, 8), \"uint8\", layout=s)\n"
        "    m[33, 2] = T.uint8(1)\n";
    struct lang_program *p = load_text(room, tw_format(&room->arena,
                                                       "from tvm.script import tirx as T\n"
                                                       "from tvm.backend.cuda.layout import sf_smem_layout, sf_tmem_layout\n"
                                                       "@T.function\n"
                                                       "def k(A: T.Tensor((16,), \"int32\")):\n"
                                                       "    T.device_entry(%s)\n%s", launch, body));
    const struct ir_kernel *k = tw_lang_build(p, "k");
    tw_test_expect_diags(room, "");
    assert_non_null(k);
    const struct ir_stmt *store = k->body.list.at[k->body.list.len - 1];
    assert_int_equal(tw_layout_address(store->region->view->layout, 33 * 8 + 2), 22);
    assert_int_equal(tw_layout_address(store->region->view->layout, 5 * 8 + 6), 594);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_rank_has_two_names),
        ROOM_TEST(a_cta_s_place_in_its_cluster_follows_from_the_grid),
        ROOM_TEST(without_a_cluster_the_place_is_zero),
        ROOM_TEST(scope_ids_state_the_cluster),
        ROOM_TEST(a_cluster_that_contradicts_the_first_is_refused),
        ROOM_TEST(an_axis_that_clusters_lack_is_refused),
        ROOM_TEST(layouts_of_scale_factors_are_the_factories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
