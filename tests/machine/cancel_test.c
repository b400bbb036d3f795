/* Cluster launch control, dependent launches, and CTAs of a cluster that end early. SOURCE: ptx-async.md 5.5. */
#include "rig.h"

#define HEAD(decls)                                                                                                         \
    ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out) " decls "\n{\n"                   \
    ".shared .align 16 .b8 answer[16];\n.shared .align 8 .b64 bar;\n.reg .pred %p<10>; .reg .b32 %r<40>; .reg .b64 %q<20>; .reg .b128 %h<4>;\n" \
    "ld.param.u64 %q0, [out];\nmov.u32 %r0, %tid.x;\nsetp.ne.u32 %p1, %r0, 0;\n"

#define TRY "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];\n"
#define TRY_ALL "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [bar];\n"
#define IS "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
#define EXPECT "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"
#define WAIT(label) label ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r9;\n@!%p2 bra " label ";\nxor.b32 %r9, %r9, 1;\n"
#define INIT "@!%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\nmov.u32 %r9, 0;\n"

/* Counts a tile: out[x + y * 40 + z * 1200] += 1, by one thread. */
#define TILE                                                                                              \
    "mad.lo.u32 %r10, %r2, 40, %r1;\nmad.lo.u32 %r10, %r3, 1200, %r10;\nmad.wide.u32 %q1, %r10, 4, %q0;\n" \
    "@!%p1 red.global.add.u32 [%q1], 1;\n"
#define BEGUN "@!%p1 red.global.add.u32 [%q0+16000], 1;\n"

static const char tiles[] = HEAD("") INIT
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n" BEGUN
    "NEXT: @%p1 bra ASKED;\n" EXPECT TRY "ASKED:\n" TILE WAIT("W")
    "ld.shared.b128 %h0, [answer];\n" IS "%p3, %h0;\nbar.sync 0;\n@!%p3 bra END;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %h0;\n"
    "fence.proxy.async.shared::cta;\nbra NEXT;\nEND: ret;\n}\n";

static void every_tile_is_worked_on_once(void **state)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        uint32_t begun[2];
        for (uint32_t threads = 1; threads <= 2; threads++) {
            struct rig rig;
            rig_load(&rig, *state, "k.ptx", tiles);
            uint64_t out = tw_memory_alloc(rig.memory, 16384, "out");
            const uint32_t *const words = rig_host(&rig, out);
            rig_must_run(&rig, "k", (struct launch_spec){.grid = {40, 30, 2}, .block = {64}, .params = &out, .param_bytes = 8, .seed = seed, .threads = threads});
            for (uint32_t i = 0; i < 2400; i++)
                assert_int_equal(words[i], 1);
            begun[threads - 1] = words[4000];
            assert_int_equal(rig.progress.ctas_done, 2400);
            rig_end(&rig);
        }
        assert_true(begun[0] < 2400); /* the others were cancelled */
        assert_int_equal(begun[0], begun[1]);
    }
}

/* A cluster of four: the answer comes into every CTA, and names the first CTA of a cluster. */
static const char clusters[] = HEAD(".reqnctapercluster 2, 2, 1") INIT
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, 0;\nmov.u32 %r4, %cluster_ctarank;\n"
    "mov.u32 %r5, %cluster_ctaid.x;\nmov.u32 %r6, %cluster_ctaid.y;\n"
    "setp.eq.u32 %p4, %r4, 0;\nnot.pred %p5, %p1;\nand.pred %p4, %p4, %p5;\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" BEGUN
    "NEXT: @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    "@!%p4 bra ASKED;\n" TRY_ALL "ASKED:\n" TILE WAIT("W")
    "ld.shared.b128 %h0, [answer];\n" IS "%p3, %h0;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n@!%p3 bra END;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %h0;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r2, %h0;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r3, %h0;\n"
    "add.u32 %r1, %r1, %r5;\nadd.u32 %r2, %r2, %r6;\nfence.proxy.async.shared::cta;\nbra NEXT;\nEND: ret;\n}\n";

static void an_answer_is_multicast_to_the_cluster(void **state)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct rig rig;
        rig_load(&rig, *state, "k.ptx", clusters);
        uint64_t out = tw_memory_alloc(rig.memory, 16384, "out");
        const uint32_t *const words = rig_host(&rig, out);
        rig_must_run(&rig, "k", (struct launch_spec){.grid = {40, 30}, .block = {64}, .params = &out, .param_bytes = 8, .seed = seed});
        for (uint32_t i = 0; i < 1200; i++)
            assert_int_equal(words[i], 1);
        assert_true(words[4000] < 1200 && words[4000] % 4 == 0);
        rig_end(&rig);
    }
}

static void must_fail(struct bench_room *room, const char *text, uint32_t cluster, const char *want)
{
    struct rig rig;
    rig_load(&rig, room, "k.ptx", text);
    uint64_t out = tw_memory_alloc(rig.memory, 16384, "out");
    const enum launch_status status =
        rig_run(&rig, "k", (struct launch_spec){.grid = {cluster}, .cluster = {cluster}, .block = {32}, .params = &out, .param_bytes = 8});
    tw_test_expect_diags(room, want);
    assert_int_equal(status, LAUNCH_FAULT);
    rig_end(&rig);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
}

static void an_answer_that_was_not_waited_for_is_none(void **state)
{
    must_fail(*state, HEAD("") INIT "@%p1 bra END;\n" EXPECT TRY "ld.shared.b128 %h0, [answer];\n" IS "%p3, %h0;\nEND: ret;\n}\n", 1,
              "k.ptx:19:1: error[E0720]: clusterlaunchcontrol.query_cancel of something that is no answer\n"
              "   19 | clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %h0;\n"
              "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
              "  expected: the sixteen bytes that clusterlaunchcontrol.try_cancel has written\n"
              "     found: other bytes: the answer has not landed, or was overwritten\n"
              "       fix: wait for the mbarrier of try_cancel before the answer is read\n"
              "      spec: PTX ISA, clusterlaunchcontrol.query_cancel\n"
              "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_thread_that_was_refused_must_not_ask_again(void **state)
{
    must_fail(*state, HEAD("") INIT "@%p1 bra END;\n" EXPECT TRY WAIT("W") "ld.shared.b128 %h0, [answer];\n" IS "%p3, %h0;\n" EXPECT TRY "END: ret;\n}\n", 1,
              "k.ptx:24:1: error[E0720]: clusterlaunchcontrol.try_cancel by a thread that has seen a request fail\n"
              "   24 | clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];\n"
              "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
              "  expected: no request after one that was answered with 'not cancelled'\n"
              "       fix: leave the loop when query_cancel.is_canceled gives false\n"
              "      spec: PTX ISA, clusterlaunchcontrol.try_cancel\n"
              "note: by thread (0,0,0) of block (0,0,0)\n");
}

/* No grid comes before this one: nothing to wait for. */
static void griddepcontrol_has_no_effect_without_dependent_launches(void **state)
{
    struct rig rig;
    rig_load(&rig, *state, "k.ptx", HEAD("") "griddepcontrol.wait;\n@!%p1 st.global.u32 [%q0], 7;\ngriddepcontrol.launch_dependents;\n"
                                            "griddepcontrol.launch_dependents;\nret;\n}\n");
    uint64_t out = tw_memory_alloc(rig.memory, 16, "out");
    rig_must_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8});
    assert_int_equal(*(const uint32_t *)rig_host(&rig, out), 7);
    rig_end(&rig);
}

/* The first CTA of a pair to release its columns may end before the other does. MEASURED: Triton's pair kernels end so. */
static void a_pair_releases_its_columns_one_after_the_other(void **state)
{
    static const char text[] =
        HEAD(".reqnctapercluster 2, 1, 1") "mov.u32 %r4, %cluster_ctarank;\nmov.u32 %r5, answer;\n"
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r5], 64;\nld.shared.u32 %r6, [answer];\n"
        "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\nsetp.eq.u32 %p2, %r4, FAST;\n@%p2 bra FREE;\n"
        "mov.u32 %r7, 0;\nWORK: add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, 5000;\n@%p3 bra WORK;\n"
        "FREE: tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r6, 64;\nret;\n}\n";
    for (int fast = 0; fast < 2; fast++) {
        struct bench_room *const room = *state;
        struct rig rig;
        char *const copy = tw_arena_copy(&room->arena, text, strlen(text));
        memcpy(strstr(copy, "FAST"), fast ? "1   " : "0   ", 4);
        rig_load(&rig, room, "k.ptx", copy);
        const uint64_t out = 0;
        for (uint64_t seed = 0; seed < 5; seed++)
            rig_must_run(&rig, "k", (struct launch_spec){.grid = {2}, .block = {32}, .params = &out, .param_bytes = 8, .seed = seed});
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_tile_is_worked_on_once),
        ROOM_TEST(an_answer_is_multicast_to_the_cluster),
        ROOM_TEST(an_answer_that_was_not_waited_for_is_none),
        ROOM_TEST(a_thread_that_was_refused_must_not_ask_again),
        ROOM_TEST(griddepcontrol_has_no_effect_without_dependent_launches),
        ROOM_TEST(a_pair_releases_its_columns_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
