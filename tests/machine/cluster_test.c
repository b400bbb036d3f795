/* Clusters: barriers of all spellings, the ways to reach a peer's memory, and peers that have gone. SOURCE: PTX ISA,
 * barrier.cluster, mapa, getctarank; MEASURED: ptx-async.md 5.1 to 5.3. */
#include "kernel_text.h"

#define HEAD                                                                                                             \
    ".version 8.8\n.target sm_90a\n.address_size 64\n.shared .align 8 .b64 bar;\n.shared .align 16 .b32 box[4];\n"       \
    ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<10>; .reg .b32 %r<30>; .reg .b64 %q<20>;\n"                    \
    "ld.param.u64 %q0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, box; mov.u32 %r3, bar;\n" \
    "setp.ne.u32 %p1, %r1, 0; cvt.u64.u32 %q1, %r2; cvta.shared.u64 %q1, %q1;\n"

static enum launch_status run_cluster(struct rig *rig, uint64_t *out, uint32_t ctas, uint64_t seed)
{
    return rig_run(rig, "k", (struct launch_spec){.grid = {ctas}, .cluster = {ctas}, .block = {64}, .params = out, .param_bytes = 8, .seed = seed});
}

/* ---- The barrier ---------------------------------------------------------------------------------------- */

/* Each CTA stores its rank + 100 and reads its neighbour's word behind `meet`. */
static const char *neighbours(struct arena *arena, const char *meet)
{
    return tw_format(arena,
                     "%sadd.u32 %%r4, %%r1, 100; setp.eq.u32 %%p2, %%r0, 0;\n@%%p2 st.shared.u32 [box], %%r4;\n%s\n"
                     "add.u32 %%r5, %%r1, 1; and.b32 %%r5, %%r5, 3; mapa.shared::cluster.u32 %%r6, %%r2, %%r5; ld.shared::cluster.u32 %%r7, [%%r6];\n"
                     "mad.lo.u32 %%r8, %%r1, 64, %%r0; mad.wide.u32 %%q2, %%r8, 4, %%q0; st.global.u32 [%%q2], %%r7;\n"
                     "barrier.cluster.arrive; barrier.cluster.wait;\nret;\n}\n", HEAD, meet);
}

static void every_spelling_of_the_cluster_barrier_orders_shared_memory(void **state)
{
    static const char *const meets[] = {
        "barrier.cluster.arrive; barrier.cluster.wait;", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;", "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;",
        "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; barrier.cluster.wait;",
        "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire;",
    };
    for (size_t i = 0; i < COUNT(meets); i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct bench_room *const room = *state;
            struct rig rig;
            uint64_t out;
            const uint32_t *const words = kernel_load(&rig, room, neighbours(&room->arena, meets[i]), &out);
            assert_int_equal(run_cluster(&rig, &out, 4, seed), LAUNCH_FINISHED);
            assert_string_equal(tw_test_diags(room), "");
            for (uint32_t k = 0; k < 256; k++)
                assert_int_equal(words[k], 100 + (k / 64 + 1) % 4);
            rig_end(&rig);
        }
}

static void a_forgotten_cluster_barrier_shows(void **state)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        unsigned wrong = 0;
        const uint32_t *const words = kernel_load(&rig, room, neighbours(&room->arena, ""), &out);
        assert_int_equal(run_cluster(&rig, &out, 4, seed), LAUNCH_FINISHED);
        for (uint32_t k = 0; k < 256; k++)
            wrong += words[k] != 100 + (k / 64 + 1) % 4;
        assert_true(wrong > 0);
        rig_end(&rig);
    }
}

/* Threads, warps and a whole CTA that have ended count as arrived. */
static void threads_that_have_ended_count_at_the_cluster_barrier(void **state)
{
    static const char *const ends[] = {"@%p1 exit;", "setp.ge.u32 %p2, %r0, 32; @%p2 exit;", "setp.eq.u32 %p2, %r0, 5; @%p2 exit;"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        const uint32_t *const words = kernel_load(
            &rig, room, tw_format(&room->arena, "%s%s\nbarrier.cluster.arrive; barrier.cluster.wait;\nst.global.u32 [%%q0], 7;\nret;\n}\n", HEAD, ends[i]), &out);
        assert_int_equal(run_cluster(&rig, &out, 2, i), LAUNCH_FINISHED);
        assert_string_equal(tw_test_diags(room), "");
        assert_int_equal(words[0], 7);
        rig_end(&rig);
    }
}

static void a_cluster_barrier_that_lacks_a_cta_is_a_deadlock(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room,
                      HEAD "setp.eq.u32 %p2, %r0, 0; @%p2 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0;\n@%p1 bra WAIT;\n"
                           "barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n"
                           "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;\n@!%p3 bra WAIT;\nret;\n}\n",
                      &out);
    assert_int_equal(run_cluster(&rig, &out, 2, 1), LAUNCH_DEADLOCK);
    const char *const said = tw_test_diags(room);
    assert_non_null(strstr(said, "note: warps 0-1 of block (0,0,0) wait at the cluster barrier: 64 of 128 threads have arrived"));
    assert_non_null(strstr(said, "note: warps 0-1 of block (1,0,0) wait for parity 0 of the mbarrier at shared address 0x1000400: "
                                 "phase 0: 1 of 1 arrival missing\n"));
    rig_end(&rig);
}

/* ---- A peer's memory ------------------------------------------------------------------------------------ */

/* CTA 1 writes into CTA 0 in every way there is; getctarank tells whose an address is. */
static void a_peer_s_memory_is_reached_by_loads_stores_and_atomics(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, room,
        HEAD "setp.ne.or.u32 %p2, %r0, 0, !%p1;\nsetp.ne.or.u32 %p3, %r0, 0, %p1;\n"
             "@!%p3 st.shared.u32 [box], 40; @!%p3 st.shared.u32 [box+4], 50; @!%p3 st.shared.u32 [box+8], 60;\n"
             "barrier.cluster.arrive; barrier.cluster.wait;\n@%p2 bra MET;\n"
             "mapa.shared::cluster.u32 %r4, %r2, 0; mapa.u64 %q2, %q1, 0;\n"
             "atom.shared::cluster.add.u32 %r5, [%r4], 2; red.add.u32 [%q2+4], 3; st.u32 [%q2+8], 61; st.shared::cluster.u32 [%r4+12], 70;\n"
             "ld.u32 %r6, [%q2+4]; getctarank.shared::cluster.u32 %r7, %r4; getctarank.u64 %r8, %q1;\n"
             "st.global.v4.u32 [%q0+16], {%r5, %r6, %r7, %r8};\n"
             "MET: barrier.cluster.arrive; barrier.cluster.wait;\n@%p3 bra END;\n"
             "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [box]; st.global.v4.u32 [%q0], {%r10, %r11, %r12, %r13};\nEND: ret;\n}\n",
        &out);
    assert_int_equal(run_cluster(&rig, &out, 2, 3), LAUNCH_FINISHED);
    assert_string_equal(tw_test_diags(room), "");
    static const uint32_t want[8] = {42, 53, 61, 70, 40, 53, 0, 1};
    assert_memory_equal(words, want, sizeof want);
    rig_end(&rig);
}

static void every_access_to_a_cta_that_has_ended_is_diagnosed(void **state)
{
    static const struct { const char *instruction, *what; } rows[] = {
        {"ld.shared::cluster.u32 %r9, [%r4];", "load of 4 bytes at shared address 0x1000410"},
        {"ld.u32 %r9, [%q2];", "load of 4 bytes at shared address 0x1000410"},
        {"st.shared::cluster.u32 [%r4], 1;", "store of 4 bytes at shared address 0x1000410"},
        {"st.u32 [%q2], 1;", "store of 4 bytes at shared address 0x1000410"},
        {"atom.shared::cluster.add.u32 %r9, [%r4], 1;", "atomic of 4 bytes at shared address 0x1000410"},
        {"red.shared::cluster.add.u32 [%r4], 1;", "atomic of 4 bytes at shared address 0x1000410"},
        {"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];", "store of 8 bytes at shared address 0x1000400"},
        {"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r5], 8;", "store of 8 bytes at shared address 0x1000400"},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r4], %r9, [%r5];", "store of 4 bytes at shared address 0x1000410"},
        {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r4], %r9, [%r5];", "store of 4 bytes at shared address 0x1000410"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        (void)kernel_load(&rig, room,
                          tw_format(&room->arena,
                                    "%s@%%p1 exit;\nmov.u32 %%r6, 0;\nLATER: add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p3, %%r6, 5000; @%%p3 bra LATER;\n"
                                    "mapa.shared::cluster.u32 %%r4, %%r2, 1; mapa.shared::cluster.u32 %%r5, %%r3, 1; mapa.u64 %%q2, %%q1, 1;\n%s\nret;\n}\n",
                                    HEAD, rows[i].instruction),
                          &out);
        const enum launch_status status = run_cluster(&rig, &out, 2, 1);
        const char *const want = tw_format(&room->arena, "error[E0714]: %s of CTA 1 of the cluster, which has ended\n", rows[i].what);
        if (status != LAUNCH_FAULT || strstr(tw_test_diags(room), want) == NULL)
            fail_msg("%s: status %d\n%s", rows[i].instruction, (int)status, tw_test_diags(room));
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_spelling_of_the_cluster_barrier_orders_shared_memory),
        ROOM_TEST(a_forgotten_cluster_barrier_shows),
        ROOM_TEST(threads_that_have_ended_count_at_the_cluster_barrier),
        ROOM_TEST(a_cluster_barrier_that_lacks_a_cta_is_a_deadlock),
        ROOM_TEST(a_peer_s_memory_is_reached_by_loads_stores_and_atomics),
        ROOM_TEST(every_access_to_a_cta_that_has_ended_is_diagnosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
