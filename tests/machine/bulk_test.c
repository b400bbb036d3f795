/* Bulk copies, asynchronous stores and reductions to other CTAs: when they land, whom they signal, what they refuse.
 * SOURCE: PTX ISA, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async; MEASURED: ptx-async.md 4.2, 4.9, 5.4. */
#include "bulk_text.h"

#define STORE_WORD(register, at) "mul.wide.u32 %q9, %t, 4; add.u64 %q9, %q9, %out; st.global.u32 [%q9+" #at "], " register ";\n"
#define LOAD_WORD(register) "shl.b32 %r29, %t, 2; add.u32 %r29, %r29, %buf; ld.shared.u32 " register ", [%r29];\n"

/* ---- Loads ---------------------------------------------------------------------------------------- */

static void a_load_shows_after_its_wait_and_not_before(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", EXPECT(128) "@!%rest " LOAD "[%buf], [%in], 128, [%bar];\nbar.warp.sync 0xffffffff;\n" LOAD_WORD("%r1")
                                            STORE_WORD("%r1", 0) AWAIT("W") LOAD_WORD("%r1") STORE_WORD("%r1", 1024)),
                  32, 1, NULL);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_not_equal(r.out[i], i);
        assert_int_equal(r.out[256 + i], i);
    }
    rig_end(&r.rig);
}

static void no_bytes_complete_at_once(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state, BULK_KERNEL("sm_90a", EXPECT(0) "@!%rest " LOAD "[%buf], [%in], 0, [%bar];\n" AWAIT("W")), 32, 1, NULL);
    rig_end(&r.rig);
}

/* CTAs 0 and 2 get the words and the bytes on their barriers; CTA 1 issues, keeps its words, and its barrier its phase. */
static void multicast_writes_and_signals_every_cta_of_its_mask(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", "shl.b32 %r29, %t, 2; add.u32 %r29, %r29, %buf; add.u32 %r28, %t, 700; st.shared.u32 [%r29], %r28; fence.proxy.async;\n"
                                        "setp.ne.or.b32 %p1, %rank, 1, %rest;\nsetp.eq.u32 %p3, %rank, 1;\n@%p3 bra MET;\n" EXPECT(128) "MET: " CLUSTER_SYNC "mov.b16 %h0, 5;\n"
                                        "@!%p1 cp.async.bulk.shared::cluster.global." TX ".multicast::cluster [%buf], [%in], 128, [%bar], %h0;\n"
                                        "@%p3 bra DONE;\n" AWAIT("W") "DONE: bar.sync 0;\n" CLUSTER_SYNC LOAD_WORD("%r1")
                                        "shl.b32 %r2, %rank, 7; cvt.u64.u32 %q1, %r2; add.u64 %out, %out, %q1;\n" STORE_WORD("%r1", 0)
                                        "@!%p3 bra LEAVE;\n@%rest bra LEAVE;\nmbarrier.test_wait.parity.shared::cta.b64 %p4, [%bar], 0; selp.u32 %r3, 1, 2, %p4;\n"
                                        "st.global.u32 [%out+1024], %r3;\nLEAVE: bar.sync 0;\n"),
                  32, 3, NULL);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(r.out[i], i / 32 == 1 ? 700 + i % 32 : i % 32);
    assert_int_equal(r.out[(128 + 1024) / 4], 2);
    rig_end(&r.rig);
}

/* SOURCE: PTX ISA, .cta_group::2. The barrier of both halves is that of the even CTA. */
static void a_pair_may_count_in_one_barrier(void **state)
{
    const struct tensor_map map = bulk_map();
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_100a", "setp.ne.u32 %p1, %rank, 0;\n@%p1 bra ISSUE;\n" EXPECT(512) "ISSUE: and.b32 %r1, %bar, 0xfeffffff;\n"
                                         "mov.b32 %r2, 0; shl.b32 %r3, %rank, 2;\n"
                                         "@!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile." TX ".cta_group::2 [%buf], [%map, {%r2, %r3}], [%r1];\n"
                                         "@%p1 bra SYNC;\n" AWAIT("W") "SYNC: bar.sync 0;\n" CLUSTER_SYNC LOAD_WORD("%r1")
                                         "shl.b32 %r2, %rank, 7; cvt.u64.u32 %q1, %r2; add.u64 %out, %out, %q1;\n" STORE_WORD("%r1", 0)),
                  32, 2, &map);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r.out[i], (i / 32 * 4 + i % 32 / 16) * 64 + i % 16);
    rig_end(&r.rig);
}

static void a_multicast_of_a_pair_signals_the_member_of_the_barriers_parity(void **state)
{
    const struct tensor_map map = bulk_map();
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_100a", "setp.ne.u32 %p1, %rank, 0;\n@%p1 bra SYNC;\n" EXPECT(512) "mov.b32 %r2, 0; mov.b16 %h0, 3;\n"
                                         "@!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile." TX
                                         ".cta_group::2.multicast::cluster [%buf], [%map, {%r2, %r2}], [%bar], %h0;\n" AWAIT("W") "SYNC: bar.sync 0;\n" CLUSTER_SYNC
                                         LOAD_WORD("%r1") "shl.b32 %r2, %rank, 7; cvt.u64.u32 %q1, %r2; add.u64 %out, %out, %q1;\n" STORE_WORD("%r1", 0)),
                  32, 2, &map);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r.out[i], i % 32 / 16 * 64 + i % 16);
    rig_end(&r.rig);
}

/* ---- Stores --------------------------------------------------------------------------------------- */

#define FILL(value) "shl.b32 %r29, %t, 2; add.u32 %r29, %r29, %buf; add.u32 %r28, %t, " #value "; st.shared.u32 [%r29], %r28;\n"
#define STORE(at) "@!%rest cp.async.bulk.global.shared::cta.bulk_group [%out+" #at "], [%buf], 128;\n"

/* The source is read when the group lands: what overwrites it too early goes out. */
static void a_source_may_be_overwritten_after_wait_group_read_and_not_before(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", FILL(100) "fence.proxy.async; bar.sync 0;\n" STORE(0) "cp.async.bulk.commit_group;\nbar.sync 0;\n" FILL(200)
                                        "bar.sync 0;\n" STORE(512) "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" FILL(300)
                                        "bar.sync 0;\ncp.async.bulk.wait_group 0;\n"),
                  32, 1, NULL);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(r.out[i], 200 + i); /* the first store had not read yet */
        assert_int_equal(r.out[128 + i], 200 + i);
    }
    rig_end(&r.rig);
}

/* Three groups: waiting with two of them open makes the first visible. A store that was never committed belongs to none. */
static void the_newest_groups_may_stay_open(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", FILL(7) "fence.proxy.async; bar.sync 0;\n@%rest bra END;\n"
                                        "cp.async.bulk.global.shared::cta.bulk_group [%out], [%buf], 16; cp.async.bulk.commit_group;\n"
                                        "cp.async.bulk.global.shared::cta.bulk_group [%out+16], [%buf], 16; cp.async.bulk.commit_group;\n"
                                        "cp.async.bulk.global.shared::cta.bulk_group [%out+32], [%buf], 16; cp.async.bulk.commit_group;\n"
                                        "cp.async.bulk.global.shared::cta.bulk_group [%out+48], [%buf], 16;\n"
                                        "cp.async.bulk.wait_group 2;\nld.global.u32 %r1, [%out]; ld.global.u32 %r2, [%out+16];\n"
                                        "cp.async.bulk.wait_group 0;\nld.global.u32 %r3, [%out+32]; ld.global.u32 %r4, [%out+48];\n"
                                        "st.global.v4.u32 [%out+1024], {%r1, %r2, %r3, %r4};\nEND: bar.sync 0;\n"),
                  32, 1, NULL);
    static const uint32_t want[4] = {7, 0, 7, 0};
    assert_memory_equal(r.out + 256, want, sizeof want);
    assert_int_equal(r.out[12], 7); /* performed when the CTA ends */
    rig_end(&r.rig);
}

static void a_byte_mask_enables_bytes_of_every_sixteen(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_100", "mov.b32 %r1, 0x11223344; shl.b32 %r29, %t, 2; add.u32 %r29, %r29, %buf; st.shared.u32 [%r29], %r1;\n"
                                        "fence.proxy.async; bar.sync 0;\nmov.b16 %h0, 0x8005;\n@%rest bra END;\n"
                                        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [%buf], 32, %h0;\n"
                                        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND: bar.sync 0;\n"),
                  32, 1, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        static const uint32_t want[4] = {0x00220044, 0, 0, 0x11000000};
        assert_memory_equal(r.out + (size_t)4 * i, want, sizeof want);
    }
    rig_end(&r.rig);
}

static void a_bulk_reduction_combines_element_by_element(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", FILL(1) "mul.wide.u32 %q9, %t, 4; add.u64 %q9, %q9, %out; mov.b32 %r1, 16; st.global.u32 [%q9], %r1; st.global.u32 [%q9+128], %r1;\n"
                                        "fence.proxy.async; bar.sync 0;\n@%rest bra END;\n"
                                        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%buf], 128;\n"
                                        "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%out+128], [%buf], 128;\n"
                                        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND: bar.sync 0;\n"),
                  32, 1, NULL);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(r.out[i], 17 + i);
        assert_int_equal(r.out[32 + i], i < 16 ? 16 : 1 + i);
    }
    rig_end(&r.rig);
}

/* ---- To other CTAs -------------------------------------------------------------------------------- */

#define PEER "mapa.shared::cluster.u32 %r10, %buf, 1; mapa.shared::cluster.u32 %r11, %bar, 1;\n"
#define FROM_PEER AWAIT("W") LOAD_WORD("%r1") STORE_WORD("%r1", 0)

static void a_copy_to_a_peer_signals_the_peers_barrier(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", "setp.eq.u32 %p1, %rank, 1;\n@%p1 bra TAKE;\n" PEER FILL(500) "fence.proxy.async; bar.sync 0;\n"
                                        "@!%rest cp.async.bulk.shared::cluster.shared::cta." TX " [%r10], [%buf], 128, [%r11];\nbra END;\n"
                                        "TAKE: " EXPECT(128) FROM_PEER "END: bar.sync 0;\n" CLUSTER_SYNC),
                  32, 2, NULL);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 500 + i);
    rig_end(&r.rig);
}

static void a_reduction_into_a_peer_combines(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", FILL(1000) "fence.proxy.async; " CLUSTER_SYNC "setp.eq.u32 %p1, %rank, 1;\n@%p1 bra TAKE;\n" PEER
                                        "@!%rest cp.reduce.async.bulk.shared::cluster.shared::cta." TX ".add.u32 [%r10], [%buf], 128, [%r11];\nbra END;\n"
                                        "TAKE: " EXPECT(128) FROM_PEER "END: bar.sync 0;\n" CLUSTER_SYNC),
                  32, 2, NULL);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 2000 + 2 * i);
    rig_end(&r.rig);
}

static void stores_and_reductions_of_words_reach_a_peer(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", FILL(0) CLUSTER_SYNC "setp.eq.u32 %p1, %rank, 1;\n@%p1 bra TAKE;\n" PEER "@%rest bra END;\n"
                                        "mov.b32 %r1, 11; mov.b32 %r2, 12; mov.b32 %r3, 13; mov.b32 %r4, 14; mov.b64 %q1, 0x1500000016;\n"
                                        "st.async.shared::cluster." TX ".v4.b32 [%r10], {%r1, %r2, %r3, %r4}, [%r11];\n"
                                        "st.async.shared::cluster." TX ".b64 [%r10+16], %q1, [%r11];\n"
                                        "red.async.relaxed.cluster.shared::cluster." TX ".add.u32 [%r10+24], %r1, [%r11];\n"
                                        "red.async.relaxed.cluster.shared::cluster." TX ".inc.u32 [%r10+28], %r2, [%r11];\nbra END;\n"
                                        "TAKE: " EXPECT(32) FROM_PEER "END: bar.sync 0;\n" CLUSTER_SYNC),
                  32, 2, NULL);
    static const uint32_t want[9] = {11, 12, 13, 14, 0x16, 0x15, 6 + 11, 8, 8};
    assert_memory_equal(r.out, want, sizeof want);
    rig_end(&r.rig);
}

static void asynchronous_words_in_global_memory_are_performed(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_100", "@%rest bra END;\nmov.b32 %r1, 5;\nst.async.release.gpu.global.b32 [%out], %r1;\n"
                                        "red.async.release.gpu.global.add.u32 [%out], %r1;\nEND: bar.sync 0;\n"),
                  32, 1, NULL);
    assert_int_equal(r.out[0], 10);
    rig_end(&r.rig);
}

/* ---- Faults --------------------------------------------------------------------------------------- */

static void a_misaligned_bulk_copy_is_refused(void **state)
{
    static const struct { const char *body, *diags; } rows[] = {
        {BULK_KERNEL("sm_90a", "@!%rest " LOAD "[%buf+8], [%in], 128, [%bar];\n"),
         "k.ptx:15:1: error[E0780]: cp.async.bulk: the destination address is not aligned\n"
         "   15 | @!%rest cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%buf+8], [%in], 128, [%bar];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16\n     found: 0x408, 8 over\nnote: by thread (0,0,0) of block (0,0,0)\n"},
        {BULK_KERNEL("sm_90a", "@!%rest " LOAD "[%buf], [%in+4], 128, [%bar];\n"),
         "k.ptx:15:1: error[E0780]: cp.async.bulk: the source address is not aligned\n"
         "   15 | @!%rest cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%buf], [%in+4], 128, [%bar];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16\n     found: 0x700000014004, 4 over\nnote: by thread (0,0,0) of block (0,0,0)\n"},
        {BULK_KERNEL("sm_90a", "@!%rest " LOAD "[%buf], [%in], 24, [%bar];\n"),
         "k.ptx:15:1: error[E0780]: cp.async.bulk: the size is no multiple of 16\n"
         "   15 | @!%rest cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%buf], [%in], 24, [%bar];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16\n     found: 24 bytes\n       fix: copy the rest with ordinary instructions\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bulk_must_fail(*state, rows[i].body, 32, 1, NULL, LAUNCH_FAULT, rows[i].diags);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

static void a_copy_that_names_the_wrong_cta_is_refused(void **state)
{
    static const struct { const char *body, *diags; uint32_t cluster; } rows[] = {
        {BULK_KERNEL("sm_90a", "mov.b16 %h0, 6; setp.ne.or.b32 %p1, %rank, 0, %rest;\n@!%p1 cp.async.bulk.shared::cluster.global." TX ".multicast::cluster [%buf], [%in], 128, [%bar], %h0;\n"),
         "k.ptx:16:1: error[E0785]: cp.async.bulk: the multicast mask names CTAs that the cluster does not have\n"
         "   16 | @!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%buf], [%in], 128, [%bar], %h0;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: bits 0 to 1: the cluster has 2 CTAs\n     found: mask 0x6\nnote: by thread (0,0,0) of block (0,0,0)\n",
         2},
        {BULK_KERNEL("sm_90a", "setp.ne.or.b32 %p1, %rank, 0, %rest;\nmapa.shared::cluster.u32 %r1, %buf, 1;\n@!%p1 " LOAD "[%r1], [%in], 128, [%bar];\nbar.sync 0;\n" CLUSTER_SYNC),
         "k.ptx:17:1: error[E0785]: cp.async.bulk: the barrier lies in the wrong CTA\n"
         "   17 | @!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], 128, [%bar];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a barrier in the CTA that receives the data\n     found: data for CTA 1, a barrier of CTA 0\n"
         "note: by thread (0,0,0) of block (0,0,0)\n",
         2},
        {BULK_KERNEL("sm_90a", "add.u32 %r1, %buf, 1024;\n@!%rest cp.async.bulk.shared::cluster.shared::cta." TX " [%r1], [%buf], 128, [%bar];\n"),
         "k.ptx:16:1: error[E0785]: cp.async.bulk: a copy between shared memories stays in its CTA\n"
         "   16 | @!%rest cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%buf], 128, [%bar];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a destination in another CTA of the cluster\n     found: the executing CTA\nnote: by thread (0,0,0) of block (0,0,0)\n",
         1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bulk_must_fail(*state, rows[i].body, 32, rows[i].cluster, NULL, LAUNCH_FAULT, rows[i].diags);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* CTA 1 exits; the copy that CTA 0 sends it lands when CTA 0 ends. */
static void a_copy_to_a_cta_that_has_ended_is_a_fault(void **state)
{
    bulk_must_fail(*state,
                   BULK_KERNEL("sm_90a", "setp.eq.u32 %p1, %rank, 1;\n@%p1 bra SYNC;\nmapa.shared::cluster.u32 %r1, %buf, 1; mapa.shared::cluster.u32 %r2, %bar, 1;\n"
                                         "@!%rest " LOAD "[%r1], [%in], 128, [%r2];\nSYNC: bar.sync 0;\n" CLUSTER_SYNC "@%p1 ret;\nmov.b32 %r3, 0;\n"
                                         "SPIN: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 4000;\n@%p3 bra SPIN;\n"),
                   32, 2, NULL, LAUNCH_FAULT,
                   "k.ptx:18:1: error[E0786]: cp.async.bulk: the CTA it writes to has ended\n"
                   "   18 | @!%rest cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], 128, [%r2];\n"
                   "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: a CTA that runs until the copy has landed\n     found: CTA 1 of the cluster has ended\n"
                   "       fix: let every CTA of the cluster wait at a cluster barrier before it exits\n"
                   "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n");
}

/* The report says where bytes were expected and where they came from. */
static void a_wait_for_too_many_bytes_is_explained(void **state)
{
    bulk_must_fail(*state, BULK_KERNEL("sm_90a", EXPECT(144) "@!%rest " LOAD "[%buf], [%in], 128, [%bar];\n" AWAIT("W")), 32, 1, NULL, LAUNCH_DEADLOCK,
                   "k.ptx:17:4: error[E0706]: deadlock: no thread can run, and no pending operation could change that\n"
                   "   17 | W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra W;\n"
                   "      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "k.ptx:17:4: note: warp 0 of block (0,0,0) waits for parity 0 of the mbarrier at shared address 0x2400: phase 0: 0 of 1 arrival missing, "
                   "16 bytes more were expected than arrived\n"
                   "   17 | W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra W;\n"
                   "      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "k.ptx:15:1: note: bytes of this phase were last expected here\n"
                   "   15 | @!%rest mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 144;\n"
                   "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "k.ptx:16:1: note: bytes that arrived in it were last copied here\n"
                   "   16 | @!%rest cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%buf], [%in], 128, [%bar];\n"
                   "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void bytes_that_nobody_expected_are_a_fault(void **state)
{
    bulk_must_fail(*state, BULK_KERNEL("sm_90a", "@!%rest " LOAD "[%buf], [%in], 128, [%bar];\n"), 32, 1, NULL, LAUNCH_FAULT,
                   "k.ptx:15:1: error[E0755]: the CTA ends with bytes at the mbarrier at shared address 0x2400 that nobody expected\n"
                   "   15 | @!%rest cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%buf], [%in], 128, [%bar];\n"
                   "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "  expected: as many bytes in mbarrier.expect_tx as copies signal, so that a wait covers them\n"
                   "     found: phase 0: 1 of 1 arrival missing, 128 bytes more arrived than were expected\n"
                   "       fix: expect the bytes of every copy of the phase before the wait\n"
                   "      spec: PTX ISA, \"mbarrier object\", tx-count\nnote: in an operation issued by thread (0,0,0) of block (0,0,0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_load_shows_after_its_wait_and_not_before),
        ROOM_TEST(no_bytes_complete_at_once),
        ROOM_TEST(multicast_writes_and_signals_every_cta_of_its_mask),
        ROOM_TEST(a_pair_may_count_in_one_barrier),
        ROOM_TEST(a_multicast_of_a_pair_signals_the_member_of_the_barriers_parity),
        ROOM_TEST(a_source_may_be_overwritten_after_wait_group_read_and_not_before),
        ROOM_TEST(the_newest_groups_may_stay_open),
        ROOM_TEST(a_byte_mask_enables_bytes_of_every_sixteen),
        ROOM_TEST(a_bulk_reduction_combines_element_by_element),
        ROOM_TEST(a_copy_to_a_peer_signals_the_peers_barrier),
        ROOM_TEST(a_reduction_into_a_peer_combines),
        ROOM_TEST(stores_and_reductions_of_words_reach_a_peer),
        ROOM_TEST(asynchronous_words_in_global_memory_are_performed),
        ROOM_TEST(a_misaligned_bulk_copy_is_refused),
        ROOM_TEST(a_copy_that_names_the_wrong_cta_is_refused),
        ROOM_TEST(a_copy_to_a_cta_that_has_ended_is_a_fault),
        ROOM_TEST(a_wait_for_too_many_bytes_is_explained),
        ROOM_TEST(bytes_that_nobody_expected_are_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
