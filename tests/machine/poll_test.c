/* Loops that poll memory: engines land while threads poll, waiting costs little, and what cannot end is diagnosed. */
#include "kernel_text.h"

static enum launch_status run_poll(struct rig *rig, uint64_t *out, uint32_t grid, uint32_t block, uint64_t seed)
{
    return rig_run(rig, "k", (struct launch_spec){.grid = {grid}, .block = {block}, .seed = seed, .params = out, .param_bytes = 8,
                                                  .max_steps = 50000000});
}

/* Warp 1 polls a word that warp 0 writes once its bulk copy has landed: the copy lands although warp 1 can always run. */
static void an_engine_lands_while_others_poll(void **state)
{
    static const char *const loads[] = {"ld.global.u32", "ld.volatile.global.u32", "ld.acquire.gpu.global.u32", "ld.relaxed.gpu.u32"};
    for (size_t i = 0; i < COUNT(loads); i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct rig rig;
            uint64_t out;
            const char *const text = tw_format(
                &((struct bench_room *)*state)->arena, "%sL: %s %%r1, [%%out+64];\nsetp.eq.u32 %%p3, %%r1, 0;\n@%%p3 bra L;\nEND: ret;\n}\n",
                KERNEL_HEAD(".shared .align 128 .b8 box[128];\n.shared .align 8 .b64 bar;")
                "setp.ge.u32 %p1, %t, 32;\n@%p1 bra L;\nsetp.ne.u32 %p2, %t, 0;\n@%p2 bra END;\n"
                "mbarrier.init.shared.b64 [bar], 1;\nfence.proxy.async.shared::cta;\n"
                "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%out], 64, [bar];\n"
                "W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0;\n@!%p4 bra W;\n"
                "st.release.gpu.global.u32 [%out+64], 7;\nbra END;\n",
                loads[i]);
            (void)kernel_load(&rig, *state, text, &out);
            const enum launch_status status = run_poll(&rig, &out, 1, 64, seed);
            assert_string_equal(tw_test_diags(rig.room), "");
            assert_int_equal(status, LAUNCH_FINISHED);
            assert_true(rig.progress.warp_steps < 300000);
            rig_end(&rig);
        }
}

/* Nobody waits for the copy's barrier: the data itself is polled. */
static void polled_data_arrives(void **state)
{
    struct rig rig;
    uint64_t out;
    uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL(".shared .align 128 .b8 box[128];\n.shared .align 8 .b64 bar;",
               "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\nst.shared.u32 [box], 1;\nfence.proxy.async.shared::cta;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%out], 64, [bar];\n"
               "L: ld.shared.u32 %r1, [box];\nsetp.ne.u32 %p1, %r1, 12345;\n@%p1 bra L;\nst.global.u32 [%out+64], %r1;\n"),
        &out);
    words[0] = 12345;
    const enum launch_status status = run_poll(&rig, &out, 1, 1, 0);
    assert_string_equal(tw_test_diags(rig.room), "");
    assert_int_equal(status, LAUNCH_FINISHED);
    assert_int_equal(words[16], 12345);
    rig_end(&rig);
}

/* All blocks but the last wait for it; the more of them there are, the less may their waiting cost. */
static void waiting_for_a_flag_costs_little(void **state)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct rig rig;
        uint64_t out;
        const uint32_t *const words = kernel_load(
            &rig, *state,
            KERNEL("", "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 499;\n@%p1 bra LAST;\n"
                       "L: ld.acquire.gpu.global.u32 %r2, [%out+400];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra L;\n"
                       "red.global.add.u32 [%out], 1;\nbra END;\n"
                       "LAST: mov.u32 %r3, 0;\nWORK: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 1000000;\n@%p3 bra WORK;\n"
                       "st.release.gpu.global.u32 [%out+400], 1;\nEND:\n"),
            &out);
        assert_int_equal(rig_run(&rig, "k", (struct launch_spec){.grid = {500}, .block = {32}, .params = &out, .param_bytes = 8,
                                                                  .max_steps = 50000000, .threads = threads}),
                         LAUNCH_FINISHED);
        assert_string_equal(tw_test_diags(rig.room), "");
        assert_int_equal(words[0], 499 * 32);
        assert_true(rig.progress.warp_steps < 3000000 + 500 * 40000);
        rig_end(&rig);
    }
}

static void a_loop_that_cannot_end_is_diagnosed(void **state)
{
    static const struct { const char *decls, *body; uint32_t grid; const char *want; } rows[] = {
        {"", "LOOP: bra.uni LOOP;\n", 1,
         "k.ptx:11:7: error[E0721]: livelock: threads go round loops in which nothing changes, and nobody is left who could change it\n"
         "   11 | LOOP: bra.uni LOOP;\n"
         "      |       ^~~~~~~~~~~~~\n"
         "k.ptx:11:7: note: warps 0-1 of block (0,0,0) go round a loop that reads no memory\n"
         "   11 | LOOP: bra.uni LOOP;\n"
         "      |       ^~~~~~~~~~~~~\n"},
        {"", "setp.lt.u32 %p1, %t, 32;\n@%p1 bra END;\nL: ld.global.u32 %r1, [%out+12];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;\nEND:\n", 3,
         "k.ptx:13:4: error[E0721]: livelock: threads go round loops in which nothing changes, and nobody is left who could change it\n"
         "   13 | L: ld.global.u32 %r1, [%out+12];\n"
         "      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "k.ptx:13:4: note: warp 1 of block (0,0,0) polls byte 12 of 'out'\n"
         "   13 | L: ld.global.u32 %r1, [%out+12];\n"
         "      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "note: 2 more blocks are in the same state\n"},
        {".shared .align 4 .b32 lock;",
         "setp.ne.u32 %p1, %t, 0;\n@%p1 bra WAIT;\nst.shared.u32 [lock], 1;\n"
         "L: atom.shared.cas.b32 %r1, [lock], 0, 1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra L;\nWAIT: bar.sync 0;\n", 1,
         "k.ptx:14:4: error[E0721]: livelock: threads go round loops in which nothing changes, and nobody is left who could change it\n"
         "   14 | L: atom.shared.cas.b32 %r1, [lock], 0, 1;\n"
         "      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "k.ptx:14:4: note: warp 0 (lane 0) of block (0,0,0) polls shared address 0x400\n"
         "   14 | L: atom.shared.cas.b32 %r1, [lock], 0, 1;\n"
         "      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "k.ptx:17:7: note: warp 0 (lanes 1-31) of block (0,0,0) waits for the rest of the warp to come to this .aligned instruction\n"
         "   17 | WAIT: bar.sync 0;\n"
         "      |       ^~~~~~~~~~~\n"
         "k.ptx:17:7: note: warp 1 of block (0,0,0) waits at barrier 0: 32 of 64 threads have arrived; not there: warp 0\n"
         "   17 | WAIT: bar.sync 0;\n"
         "      |       ^~~~~~~~~~~\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        (void)kernel_load(&rig, room, tw_format(&room->arena, "%s%s%sret;\n}\n", rows[i].decls[0] == '\0' ? KERNEL_HEAD("") : KERNEL_HEAD(".shared .align 4 .b32 lock;"), "", rows[i].body), &out);
        const enum launch_status status = run_poll(&rig, &out, rows[i].grid, 64, 2);
        tw_test_expect_diags(room, rows[i].want);
        assert_int_equal(status, LAUNCH_DEADLOCK);
        assert_true(rig.progress.warp_steps < 1000000);
        rig_end(&rig);
    }
}

/* A loop that counts ends some time, or at the limit. */
static void a_loop_that_counts_is_no_livelock(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state,
                    KERNEL("", "mov.u32 %r1, 0;\nL: ld.global.u32 %r2, [%out+400];\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra OUT;\n"
                               "setp.lt.u32 %p2, %r1, 500000;\n@%p2 bra L;\nOUT: st.global.u32 [%at], %r1;\n"),
                    &out);
    assert_int_equal(run_poll(&rig, &out, 1, 32, 0), LAUNCH_FINISHED);
    assert_int_equal(words[0], 500000);
    rig_end(&rig);
}

/* What a loop prints is read by somebody: it goes on until a limit ends it. The twin calls a function that prints nothing. */
static void a_loop_that_prints_is_no_livelock(void **state)
{
    static const struct { const char *call; enum launch_status want; } rows[] = {
        {"call.uni (r), vprintf, (a, b);\n", LAUNCH_LIMIT}, {"call.uni (r), quiet, (a, b);\n", LAUNCH_DEADLOCK},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        (void)kernel_load(&rig, room,
                          tw_format(&room->arena, "%s%s%s",
                                    KERNEL_HEAD(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                                                ".func (.param .b32 r) quiet(.param .b64 a, .param .b64 b) { st.param.b32 [r], 0; ret; }\n"
                                                ".global .align 1 .b8 text[2] = {33, 0};")
                                    "L: {\n.param .b64 a; .param .b64 b; .param .b32 r;\nmov.u64 %q1, text;\ncvta.global.u64 %q1, %q1;\n"
                                    "st.param.b64 [a], %q1;\nst.param.b64 [b], 0;\n",
                                    rows[i].call, "bra L;\n}\nret;\n}\n"),
                          &out);
        assert_int_equal(rig_run(&rig, "k", (struct launch_spec){.block = {1}, .params = &out, .param_bytes = 8, .max_steps = 400000}), rows[i].want);
        assert_true(rig.progress.warp_steps == 400000 || rows[i].want == LAUNCH_DEADLOCK);
        assert_int_equal(rig.printed.len > 1000, rows[i].want == LAUNCH_LIMIT);
        rig_end(&rig);
    }
    struct bench_room *const room = *state;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
}

/* A deadline passes, whatever registers hold when the loop begins again, wherever the clock is read, and however it is written.
 * SOURCE: PTX ISA, "%clock64", "%globaltimer"; "nanosleep": clocks go on while the warp sleeps. */
static void a_loop_that_waits_for_a_deadline_ends(void **state)
{
    static const struct { const char *body; uint64_t fewest, most; } rows[] = {
        {"L: mov.u64 %q2, %clock64;\nsetp.lt.u64 %p1, %q2, 500000;\nmov.u64 %q2, 0;\n@%p1 bra L;\n", 500000, 500100},
        {"L: mov.u64 %q2, %globaltimer;\nsetp.lt.u64 %p1, %q2, 500000;\nmov.u64 %q2, 0;\n@%p1 bra L;\n", 500000, 500100},
        {"L: mov.u32 %r2, %globaltimer_lo;\nshr.u32 %r2, %r2, 19;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n", 1 << 19, (1 << 19) + 100},
        {"L: cvt.u64.u32 %q2, %clock;\nsetp.lt.u64 %p1, %q2, 500000;\nmov.u64 %q2, 0;\n@%p1 bra L;\n", 500000, 500100},
        {"L: mov.v2.u32 {%r2, %r3}, {%clock, %clock_hi};\nsetp.lt.u32 %p1, %r2, 500000;\nmov.u32 %r2, 0;\n@%p1 bra L;\n", 500000, 500100},
        {"L: call (%q2), now, ();\nsetp.lt.u64 %p1, %q2, 500000;\nmov.u64 %q2, 0;\n@%p1 bra L;\n", 500000, 500100},
        {"L: nanosleep.u32 1000;\nmov.u64 %q2, %globaltimer;\nsetp.lt.u64 %p1, %q2, 500000;\nmov.u64 %q2, 0;\n@%p1 bra L;\n", 2000, 3000},
        {"mov.u32 %r1, 3000000000;\nL: nanosleep.u32 %r1;\nmov.u64 %q2, %globaltimer;\nsetp.lt.u64 %p1, %q2, 10000000;\nmov.u64 %q2, 0;\n@%p1 bra L;\n", 45, 80},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        uint64_t out;
        struct bench_room *const room = *state;
        (void)kernel_load(&rig, room,
                          tw_format(&room->arena, "%s%sret;\n}\n",
                                    KERNEL_HEAD(".func (.reg .b64 v) now () { mov.u64 v, %clock64; ret; }"), rows[i].body),
                          &out);
        const enum launch_status status = run_poll(&rig, &out, 1, 32, 0);
        assert_string_equal(tw_test_diags(room), "");
        assert_int_equal(status, LAUNCH_FINISHED);
        assert_in_range(rig.progress.warp_steps, rows[i].fewest, rows[i].most);
        rig_end(&rig);
    }
}

/* Nobody arrives. Who gives up after many tries, or when its time is over, goes on; who does neither is in deadlock, and so is who
 * counts in circles. Who never comes to an end of its count, or asks for the time and waits on as cuda::barrier does, is after a
 * while. SOURCE: PTX ISA, mbarrier.try_wait: it may return false after a time limit of the system. */
static void a_wait_with_an_end_of_its_own_is_no_deadlock(void **state)
{
    static const struct { const char *loop; enum launch_status want; } rows[] = {
        {"add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 1000;\n@%p2 bra L;\n", LAUNCH_FINISHED},
        {"mov.u64 %q2, %clock64;\nsub.u64 %q2, %q2, %q1;\nsetp.lt.u64 %p2, %q2, 2000000000;\nmov.u64 %q2, 0;\n@%p2 bra L;\n", LAUNCH_FINISHED},
        {"call (%q2), now, ();\nsetp.lt.u64 %p2, %q2, 2000000000;\nmov.u64 %q2, 0;\n@%p2 bra L;\n", LAUNCH_FINISHED},
        {"bra L;\n", LAUNCH_DEADLOCK},
        {"add.u32 %r1, %r1, 1;\nand.b32 %r1, %r1, 127;\nbra L;\n", LAUNCH_DEADLOCK},
        {"add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 1000000000;\n@%p2 bra L;\n", LAUNCH_DEADLOCK},
        {"mov.u64 %q2, %globaltimer;\nsub.u64 %q2, %q2, %q1;\nshr.u64 %q2, %q2, 2;\ncvt.u32.u64 %r2, %q2;\nnanosleep.u32 %r2;\nbra L;\n", LAUNCH_DEADLOCK},
        /* Variables of code for debuggers: in local memory. The last counts there, so that its registers say nothing. */
        {"st.local.u32 [mine], 1;\nmov.u32 %r1, 0;\nbra L;\n", LAUNCH_DEADLOCK},
        {"cvta.local.u64 %q2, mine;\nst.u64 [%q2], %q1;\nmov.u64 %q2, 0;\nbra L;\n", LAUNCH_DEADLOCK},
        {"ld.local.u32 %r1, [mine];\nadd.u32 %r1, %r1, 1;\nst.local.u32 [mine], %r1;\nsetp.lt.u32 %p2, %r1, 1000;\nmov.u32 %r1, 0;\n@%p2 bra L;\n", LAUNCH_FINISHED},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t block = 32; block <= 96; block += 64) {
            struct bench_room *const room = *state;
            struct rig rig;
            uint64_t out;
            tw_diags_init(&room->diags, &room->arena, &room->sources);
            const uint32_t *const words = kernel_load(
                &rig, room,
                tw_format(&room->arena, "%s%s%s",
                          KERNEL_HEAD(".shared .align 8 .b64 bar;\n.func (.reg .b64 v) now () { mov.u64 v, %clock64; ret; }")
                          "setp.ne.u32 %p3, %t, 0;\n@%p3 bra GO;\nmbarrier.init.shared.b64 [bar], 1;\nGO: bar.sync 0;\n"
                          ".local .align 8 .b64 mine;\nmov.u32 %r1, 0;\nst.local.u64 [mine], 0;\nmov.u64 %q1, %clock64;\n"
                          "L: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n@%p1 bra END;\n",
                          rows[i].loop, "st.global.u32 [%at], 7;\nEND: ret;\n}\n"),
                &out);
            assert_int_equal(run_poll(&rig, &out, 1, block, 3), rows[i].want);
            assert_int_equal(words[block - 1], rows[i].want == LAUNCH_FINISHED ? 7 : 0);
            assert_int_equal(strstr(tw_test_diags(room), "error[E0706]: deadlock") != NULL, rows[i].want == LAUNCH_DEADLOCK);
            assert_int_equal(strstr(tw_test_diags(room), "\nnote: waits have timed out 16384 times in a row\n") != NULL, i >= 5 && rows[i].want == LAUNCH_DEADLOCK);
            rig_end(&rig);
        }
    struct bench_room *const room = *state;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
}

/* Who waits at a barrier of its own and looks at a flag in between is in no deadlock while another block may set the flag. */
static void a_wait_that_looks_at_a_flag_lasts_until_it_is_set(void **state)
{
    static const struct { const char *look, *set; enum launch_status want; enum diag_code code; uint32_t grid; } rows[] = {
        {"ld.relaxed.gpu.global.u32 %r4, [%out+400];\n", "st.release.gpu.global.u32 [%out+400], 1;\n", LAUNCH_FINISHED, 0, 2},
        {"ld.volatile.global.u32 %r4, [%out+400];\n", "st.global.u32 [%out+400], 1;\n", LAUNCH_FINISHED, 0, 2},
        {"atom.global.or.b32 %r4, [%out+400], 0;\n", "st.global.u32 [%out+400], 1;\n", LAUNCH_FINISHED, 0, 300},
        {"ld.relaxed.gpu.global.u32 %r4, [%out+400];\n", "st.release.gpu.global.u32 [%out+404], 1;\n", LAUNCH_DEADLOCK, E0721, 2},
        {"ld.relaxed.gpu.global.u32 %r4, [%out+400];\n", "bra L;\n", LAUNCH_DEADLOCK, E0721, 2},
        {"mov.u32 %r4, 0;\n", "st.release.gpu.global.u32 [%out+400], 1;\n", LAUNCH_DEADLOCK, E0706, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        (void)kernel_load(&rig, room,
                          tw_format(&room->arena, "%s%s%s%s%s",
                                    KERNEL_HEAD(".shared .align 8 .b64 bar;") "setp.ne.u32 %p3, %t, 0;\n@%p3 bra GO;\nmbarrier.init.shared.b64 [bar], 1;\nGO: bar.sync 0;\n"
                                    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %nctaid.x;\nsub.u32 %r3, %r3, 1;\nmov.u32 %r1, 0;\nsetp.eq.u32 %p2, %r2, %r3;\n@%p2 bra LAST;\n"
                                    "L: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n@%p1 bra END;\n",
                                    rows[i].look, "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nEND: ret;\n"
                                    "LAST: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 600000;\n@%p1 bra LAST;\n",
                                    rows[i].set, "ret;\n}\n"),
                          &out);
        const enum launch_status status = run_poll(&rig, &out, rows[i].grid, 32, 0);
        if (status != rows[i].want || room->diags.list.len != (rows[i].code != 0) || (rows[i].code != 0 && room->diags.list.at[0]->code != rows[i].code))
            fail_msg("row %zu: %s", i, tw_test_diags(room));
        rig_end(&rig);
    }
    struct bench_room *const room = *state;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(an_engine_lands_while_others_poll),
        ROOM_TEST(polled_data_arrives),
        ROOM_TEST(waiting_for_a_flag_costs_little),
        ROOM_TEST(a_loop_that_cannot_end_is_diagnosed),
        ROOM_TEST(a_loop_that_prints_is_no_livelock),
        ROOM_TEST(a_loop_that_waits_for_a_deadline_ends),
        ROOM_TEST(a_wait_with_an_end_of_its_own_is_no_deadlock),
        ROOM_TEST(a_loop_that_counts_is_no_livelock),
        ROOM_TEST(a_wait_that_looks_at_a_flag_lasts_until_it_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
