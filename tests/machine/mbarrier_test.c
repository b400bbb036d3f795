/* mbarriers: the state machine alone, and the instructions in running PTX. Expected traces: ptx-async.md 3.1 to 3.4,
 * measured on an H200. */
#include "machine/ptx_bench.h"

#include "machine/mbarrier.h"

/* ---- Traces, as (parity 0 done, parity 1 done) after each step -------------------------------- */

enum step { END, INIT, ARRIVE, DROP, EXPECT, COMPLETE, ARRIVE_EXPECT };

struct trace_step {
    enum step what;
    uint32_t amount;
    bool parity0, parity1;
};

struct trace {
    const char *rule;
    struct trace_step steps[8];
};

static const struct trace traces[] = {
    {"arrivals alone end phases",
     {{INIT, 3, 0, 1}, {ARRIVE, 1, 0, 1}, {ARRIVE, 1, 0, 1}, {ARRIVE, 1, 1, 0}, {ARRIVE, 2, 1, 0}, {ARRIVE, 1, 0, 1}}},
    {"a drop lowers the count of later phases",
     {{INIT, 3, 0, 1}, {DROP, 1, 0, 1}, {ARRIVE, 2, 1, 0}, {ARRIVE, 2, 0, 1}}},
    {"bytes outstanding hold the phase open",
     {{INIT, 1, 0, 1}, {ARRIVE_EXPECT, 64, 0, 1}, {COMPLETE, 32, 0, 1}, {COMPLETE, 32, 1, 0}}},
    {"bytes that arrive before they are expected hold it open too",
     {{INIT, 1, 0, 1}, {COMPLETE, 16, 0, 1}, {ARRIVE, 1, 0, 1}, {EXPECT, 16, 1, 0}}},
    {"expected bytes add up",
     {{INIT, 2, 0, 1}, {EXPECT, 16, 0, 1}, {ARRIVE, 2, 0, 1}, {EXPECT, 16, 0, 1}, {COMPLETE, 32, 1, 0}}},
    {"expecting no bytes is a plain arrive", {{INIT, 1, 0, 1}, {ARRIVE_EXPECT, 0, 1, 0}}},
};

static struct mbar_update update_of(const struct trace_step *s)
{
    switch (s->what) {
    case ARRIVE: return (struct mbar_update){.arrivals = s->amount};
    case DROP: return (struct mbar_update){.arrivals = s->amount, .drop = true};
    case EXPECT: return (struct mbar_update){.tx = s->amount};
    case COMPLETE: return (struct mbar_update){.tx = -(int64_t)s->amount};
    case ARRIVE_EXPECT: return (struct mbar_update){.arrivals = 1, .tx = s->amount};
    case INIT:
    case END: break;
    }
    return (struct mbar_update){0};
}

static void the_state_machine_follows_the_measured_traces(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT(traces); t++) {
        struct mbar m;
        for (const struct trace_step *s = traces[t].steps; s->what != END; s++) {
            const struct mbar_step step = s->what == INIT ? tw_mbar_init(&m, s->amount) : tw_mbar_apply(&m, update_of(s));
            assert_int_equal(step.error, MBAR_FINE);
            if (tw_mbar_parity_done(&m, 0) != s->parity0 || tw_mbar_parity_done(&m, 1) != s->parity1)
                fail_msg("%s: step %d", traces[t].rule, (int)(s - traces[t].steps));
        }
    }
}

static void counts_stay_in_their_ranges(void **state)
{
    (void)state;
    struct mbar m;
    assert_int_equal(tw_mbar_init(&m, 0).error, MBAR_COUNT_RANGE);
    assert_int_equal(tw_mbar_init(&m, 1u << 20).error, MBAR_COUNT_RANGE);
    assert_int_equal(tw_mbar_init(&m, (1u << 20) - 1).error, MBAR_FINE);
    tw_mbar_init(&m, 2);
    const struct mbar before = m;
    assert_int_equal(tw_mbar_apply(&m, (struct mbar_update){.arrivals = 3}).error, MBAR_OVER_ARRIVAL);
    assert_int_equal(tw_mbar_apply(&m, (struct mbar_update){.arrivals = 2, .drop = true}).error, MBAR_DROPPED_OUT);
    assert_int_equal(tw_mbar_apply(&m, (struct mbar_update){.arrivals = 2, .no_complete = true}).error, MBAR_COMPLETES);
    assert_int_equal(tw_mbar_apply(&m, (struct mbar_update){.tx = 1 << 20}).error, MBAR_TX_RANGE);
    assert_int_equal(tw_mbar_apply(&m, (struct mbar_update){.tx = -(1 << 20)}).error, MBAR_TX_RANGE);
    assert_memory_equal(&m, &before, sizeof m); /* an error changes nothing */
    assert_int_equal(tw_mbar_apply(&m, (struct mbar_update){.tx = (1 << 20) - 1}).error, MBAR_FINE);
}

static void a_token_carries_parity_and_pending_count(void **state)
{
    (void)state;
    struct mbar m;
    tw_mbar_init(&m, 3);
    const uint64_t first = tw_mbar_token(&m);
    assert_int_equal(tw_mbar_token_pending(first), 3);
    assert_false(tw_mbar_token_done(&m, first));
    tw_mbar_apply(&m, (struct mbar_update){.arrivals = 2});
    assert_int_equal(tw_mbar_token_pending(tw_mbar_token(&m)), 1);
    tw_mbar_apply(&m, (struct mbar_update){.arrivals = 1});
    assert_true(tw_mbar_token_done(&m, first));
    assert_int_equal(tw_mbar_token(&m) >> 63, 1);
    tw_mbar_apply(&m, (struct mbar_update){.arrivals = 3});
    assert_false(tw_mbar_token_done(&m, first)); /* only the parity is compared: two phases on, it reads as incomplete */
}

/* ---- In PTX ----------------------------------------------------------------------------------- */

static const char head[] = ".version 8.8\n.target sm_100a\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out)\n{\n"
                           ".reg .b32 %r<16>; .reg .b64 %q<8>; .reg .pred %p<4>;\n"
                           ".shared .align 8 .b8 bar[16];\n"
                           "mov.u32 %r0, bar; ld.param.u64 %q0, [out]; mov.u32 %r5, %tid.x;\n";

static void write_step(struct text *t, const struct trace_step *s, unsigned slot)
{
    static const char *const spelled[] = {
        [INIT] = "mbarrier.init.shared::cta.b64 [%%r0], %u;\n",
        [ARRIVE] = "mbarrier.arrive.release.cta.shared::cta.b64 _, [%%r0], %u;\n",
        [DROP] = "mbarrier.arrive_drop.shared::cta.b64 _, [%%r0], %u;\n",
        [EXPECT] = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%r0], %u;\n",
        [COMPLETE] = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%r0], %u;\n",
        [ARRIVE_EXPECT] = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r0], %u;\n",
    };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    tw_text_addf(t, spelled[s->what], s->amount);
#pragma GCC diagnostic pop
    tw_text_addf(t,
                 "mbarrier.test_wait.parity.shared::cta.b64 %%p0, [%%r0], 0;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 %%p1, [%%r0], 1;\n"
                 "selp.u32 %%r1, 1, 0, %%p0; selp.u32 %%r2, 2, 0, %%p1; or.b32 %%r1, %%r1, %%r2;\n"
                 "st.global.u32 [%%q0+%u], %%r1;\n",
                 4 * slot);
}

static void the_instructions_follow_the_measured_traces(void **state)
{
    struct bench_room *room = *state;
    for (size_t t = 0; t < COUNT(traces); t++) {
        struct text ptx;
        uint32_t out[8] = {0};
        unsigned steps = 0;
        tw_text_init(&ptx, &room->arena);
        tw_text_add(&ptx, head);
        for (; traces[t].steps[steps].what != END; steps++)
            write_step(&ptx, &traces[t].steps[steps], steps);
        tw_text_add(&ptx, "ret;\n}\n");
        run_ptx_well(room, ptx.at, &(struct ptx_run){.entry = "k", .block = 1, .output = out, .output_bytes = sizeof out});
        for (unsigned i = 0; i < steps; i++)
            if (out[i] != (uint32_t)(traces[t].steps[i].parity0 + 2 * traces[t].steps[i].parity1))
                fail_msg("%s: step %u gives %u", traces[t].rule, i, out[i]);
    }
}

static const char *program(struct bench_room *room, const char *body)
{
    return tw_format(&room->arena, "%s%sret;\n}\n", head, body);
}

static void tokens_are_waited_for_and_counted(void **state)
{
    struct bench_room *room = *state;
    uint32_t out[6] = {0};
    run_ptx_well(room,
                 program(room, "mbarrier.init.shared.b64 [%r0], 5;\n"
                               "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %q1, [%r0], 2;\n"
                               "mbarrier.pending_count.b64 %r1, %q1; st.global.u32 [%q0], %r1;\n"
                               "mbarrier.arrive.shared.b64 %q2, [%r0], 2;\n"
                               "mbarrier.pending_count.b64 %r1, %q2; st.global.u32 [%q0+4], %r1;\n"
                               "mbarrier.test_wait.shared.b64 %p0, [%r0], %q2; selp.u32 %r1, 1, 0, %p0; st.global.u32 [%q0+8], %r1;\n"
                               "mbarrier.arrive.shared.b64 _, [%r0];\n"
                               "mbarrier.try_wait.shared.b64 %p0, [%r0], %q2; selp.u32 %r1, 1, 0, %p0; st.global.u32 [%q0+12], %r1;\n"
                               "mbarrier.inval.shared.b64 [%r0];\n"
                               "mbarrier.init.shared.b64 [%r0], 1;\n"),
                 &(struct ptx_run){.entry = "k", .block = 1, .output = out, .output_bytes = sizeof out});
    static const uint32_t want[] = {5, 3, 0, 1};
    assert_memory_equal(out, want, sizeof want);
}

/* Warp 1 waits for what warp 0 stores; without the wait it reads what was there before. */
static void a_wait_parks_until_the_other_warp_arrives(void **state)
{
    struct bench_room *room = *state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t out[2] = {0};
        run_ptx_well(room,
                     program(room, "setp.ne.u32 %p0, %r5, 0; @%p0 bra SYNC;\n"
                                   "mbarrier.init.shared.b64 [%r0], 32;\nSYNC: bar.sync 0;\n"
                                   "setp.ge.u32 %p1, %r5, 32; @%p1 bra WAIT;\n"
                                   "st.shared.u32 [%r0+8], 77;\nmbarrier.arrive.shared.b64 _, [%r0];\nret;\n"
                                   "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r0], 0;\n@!%p2 bra WAIT;\n"
                                   "ld.shared.u32 %r1, [%r0+8]; st.global.u32 [%q0], %r1;\n"),
                     &(struct ptx_run){.entry = "k", .block = 64, .seed = seed, .output = out, .output_bytes = sizeof out});
        assert_int_equal(out[0], 77);
    }
}

/* ---- What goes wrong -------------------------------------------------------------------------- */

struct fault_case {
    const char *body, *text;
};

static void misuse_is_diagnosed(void **state)
{
    static const struct fault_case cases[] = {
        {"mbarrier.arrive.shared.b64 _, [%r0];\n",
         "k.ptx:9:1: error[E0750]: mbarrier.arrive: no mbarrier is initialised at shared address 0x400\n"
         "    9 | mbarrier.arrive.shared.b64 _, [%r0];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an earlier mbarrier.init of this address, made visible by a barrier\n"
         "     found: bytes that no mbarrier.init has written, or an object that mbarrier.inval has ended\n"
         "       fix: initialise the barrier in one thread, then synchronise the CTA before it is used\n"
         "      spec: PTX ISA, mbarrier.init\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 1;\nst.shared.u32 [%r0], 1;\nmbarrier.arrive.shared.b64 _, [%r0];\n",
         "k.ptx:11:1: error[E0751]: mbarrier.arrive: the mbarrier at shared address 0x400 has been overwritten\n"
         "   11 | mbarrier.arrive.shared.b64 _, [%r0];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: the eight bytes that mbarrier.init wrote; only mbarrier instructions touch a live object\n"
         "     found: other bytes, written by an ordinary store or a copy\n"
         "       fix: keep data and barriers apart, or end the object with mbarrier.inval before its bytes are reused\n"
         "      spec: PTX ISA, mbarrier.init\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 1;\nmbarrier.init.shared.b64 [%r0], 1;\n",
         "k.ptx:10:1: error[E0752]: mbarrier.init of a live mbarrier at shared address 0x400\n"
         "   10 | mbarrier.init.shared.b64 [%r0], 1;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: bytes that hold no mbarrier\n"
         "     found: a live mbarrier, not ended by mbarrier.inval\n"
         "       fix: end the object with mbarrier.inval first, or initialise it once\n"
         "      spec: PTX ISA, mbarrier.init\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 0;\n",
         "k.ptx:9:1: error[E0752]: mbarrier.init with a count of 0\n"
         "    9 | mbarrier.init.shared.b64 [%r0], 0;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a count from 1 to 1048575\n"
         "     found: 0\n"
         "      spec: PTX ISA, mbarrier.init\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 1;\nmbarrier.arrive.shared.b64 _, [%r0], 2;\n",
         "k.ptx:10:1: error[E0753]: mbarrier.arrive: mbarrier at shared address 0x400: more arrivals than are pending\n"
         "   10 | mbarrier.arrive.shared.b64 _, [%r0], 2;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: at most the pending count of the phase\n"
         "     found: 2 arrivals in phase 0: 1 of 1 arrival missing\n"
         "       fix: raise the count of mbarrier.init, or arrive less often a phase\n"
         "      spec: PTX ISA, \"mbarrier object\", valid ranges\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 1;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 1048576;\n",
         "k.ptx:10:1: error[E0754]: mbarrier.expect_tx: mbarrier at shared address 0x400: the transaction count leaves its range\n"
         "   10 | mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 1048576;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a transaction count between -1048575 and 1048575\n"
         "     found: 1048576 bytes in phase 0: 1 of 1 arrival missing\n"
         "       fix: expect the bytes of a phase in several barriers or phases\n"
         "      spec: PTX ISA, \"mbarrier object\", valid ranges\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 2;\nmbarrier.arrive_drop.shared.b64 _, [%r0], 2;\n",
         "k.ptx:10:1: error[E0753]: mbarrier.arrive_drop: mbarrier at shared address 0x400: the last expected arrival is dropped\n"
         "   10 | mbarrier.arrive_drop.shared.b64 _, [%r0], 2;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: at least one expected arrival after arrive_drop\n"
         "     found: 2 arrivals in phase 0: 2 of 2 arrivals missing\n"
         "       fix: let one participant stay, or end the object with mbarrier.inval\n"
         "      spec: PTX ISA, \"mbarrier object\", valid ranges\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 1;\nmbarrier.arrive.noComplete.shared.b64 %q1, [%r0], 1;\n",
         "k.ptx:10:1: error[E0753]: mbarrier.arrive: mbarrier at shared address 0x400: a .noComplete arrival completes the phase\n"
         "   10 | mbarrier.arrive.noComplete.shared.b64 %q1, [%r0], 1;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an arrival that leaves others pending\n"
         "     found: 1 arrival in phase 0: 1 of 1 arrival missing\n"
         "       fix: use the form without .noComplete for the last arrival\n"
         "      spec: PTX ISA, \"mbarrier object\", valid ranges\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 1;\nld.shared.b64 %q1, [%r0]; st.shared.b64 [%r0+8], %q1;\n"
         "mbarrier.arrive.shared.b64 _, [%r0+8];\n",
         "k.ptx:11:1: error[E0751]: mbarrier.arrive: the object at shared address 0x408 is a copy of another mbarrier\n"
         "   11 | mbarrier.arrive.shared.b64 _, [%r0+8];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an object that mbarrier.init made at this address\n"
         "     found: the bytes of a live mbarrier elsewhere in this CTA\n"
         "       fix: initialise each barrier at its own address\n"
         "      spec: PTX ISA, mbarrier.init\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {"mbarrier.init.shared.b64 [%r0], 1;\nmbarrier.inval.shared.b64 [%r0];\n"
         "mbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;\n",
         "k.ptx:11:1: error[E0750]: mbarrier.try_wait: no mbarrier is initialised at shared address 0x400\n"
         "   11 | mbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an earlier mbarrier.init of this address, made visible by a barrier\n"
         "     found: bytes that no mbarrier.init has written, or an object that mbarrier.inval has ended\n"
         "       fix: initialise the barrier in one thread, then synchronise the CTA before it is used\n"
         "      spec: PTX ISA, mbarrier.init\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench_room *room = *state;
        const int status = run_ptx(room, program(room, cases[i].body), &(struct ptx_run){.entry = "k", .block = 1});
        if (status != LAUNCH_FAULT)
            fail_msg("case %zu: status %d\n%s", i, status, tw_test_diags(room));
        tw_test_expect_diags(room, cases[i].text);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_state_machine_follows_the_measured_traces),
        cmocka_unit_test(counts_stay_in_their_ranges),
        cmocka_unit_test(a_token_carries_parity_and_pending_count),
        ROOM_TEST(the_instructions_follow_the_measured_traces),
        ROOM_TEST(tokens_are_waited_for_and_counted),
        ROOM_TEST(a_wait_parks_until_the_other_warp_arrives),
        ROOM_TEST(misuse_is_diagnosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
