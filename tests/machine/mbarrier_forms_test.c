/* Every spelling of the mbarrier instructions: what it leaves in the object, and what it gives back. The object's counts are read
 * through pending_count and the waits. SOURCE: PTX ISA, mbarrier.*; MEASURED: ptx-async.md 3.1 to 3.5. */
#include "kernel_text.h"

#define HEAD                                                                                                               \
    ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"                          \
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %q<20>;\n.shared .align 8 .b8 bar[16];\n"                               \
    "ld.param.u64 %q0, [out]; mov.u32 %r0, bar; mov.u32 %r4, 1; mov.u32 %r6, %tid.x; mov.u32 %r7, %cluster_ctarank;\n"      \
    "cvt.u64.u32 %q1, %r0; cvta.shared.u64 %q1, %q1;\nsetp.ne.u32 %p7, %r6, 0; setp.ne.u32 %p6, %r7, 0;\n"

/* ---- One instruction on a fresh object of ten arrivals ------------------------------------------------ */

/* `left`: arrivals pending after it; `tx`: bytes outstanding; `next`: arrivals that the following phase expects; `token`: arrivals
 * pending in the state that comes back, 0 where none does. %r0: the address, %q1: the generic one. */
struct form {
    const char *text;
    unsigned left, tx, next, token;
};

static const struct form forms[] = {
    {"mbarrier.arrive.b64 %q2, [%q1];", 9, 0, 10, 10},
    {"mbarrier.arrive.shared.b64 %q2, [%r0];", 9, 0, 10, 10},
    {"mbarrier.arrive.shared::cta.b64 %q2, [%r0], 3;", 7, 0, 10, 10},
    {"mbarrier.arrive.release.cta.shared::cta.b64 %q2, [%r0], 3;", 7, 0, 10, 10},
    {"mbarrier.arrive.release.cluster.shared::cta.b64 %q2, [%r0], 3;", 7, 0, 10, 10},
    {"mbarrier.arrive.relaxed.cta.shared::cta.b64 %q2, [%r0], 3;", 7, 0, 10, 10},
    {"mbarrier.arrive.relaxed.cluster.b64 %q2, [%q1], 3;", 7, 0, 10, 10},
    {"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r0];", 9, 0, 10, 0},
    {"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r0], 4;", 6, 0, 10, 0},
    {"mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r0], 4;", 6, 0, 10, 0},
    {"mbarrier.arrive.expect_tx.shared::cta.b64 %q2, [%r0], 32;", 9, 32, 10, 10},
    {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %q2, [%r0], 32;", 9, 32, 10, 10},
    {"mbarrier.arrive.expect_tx.relaxed.cluster.b64 %q2, [%q1], 32;", 9, 32, 10, 10},
    {"mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r0], 32;", 9, 32, 10, 0},
    {"mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%r0], 32;", 9, 32, 10, 0},
    {"mbarrier.arrive.noComplete.b64 %q2, [%q1], 2;", 8, 0, 10, 10},
    {"mbarrier.arrive.noComplete.shared.b64 %q2, [%r0], 2;", 8, 0, 10, 10},
    {"mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %q2, [%r0], 2;", 8, 0, 10, 10},
    {"mbarrier.arrive_drop.b64 %q2, [%q1];", 9, 0, 9, 10},
    {"mbarrier.arrive_drop.shared.b64 %q2, [%r0], 4;", 6, 0, 6, 10},
    {"mbarrier.arrive_drop.release.cta.shared::cta.b64 %q2, [%r0], 4;", 6, 0, 6, 10},
    {"mbarrier.arrive_drop.relaxed.cluster.shared::cta.b64 %q2, [%r0];", 9, 0, 9, 10},
    {"mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r0], 4;", 6, 0, 6, 0},
    {"mbarrier.arrive_drop.expect_tx.shared::cta.b64 %q2, [%r0], 16;", 9, 16, 9, 10},
    {"mbarrier.arrive_drop.expect_tx.relaxed.cta.shared::cta.b64 %q2, [%r0], 16;", 9, 16, 9, 10},
    {"mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%r0], 16;", 9, 16, 9, 0},
    {"mbarrier.arrive_drop.noComplete.b64 %q2, [%q1], 2;", 8, 0, 8, 10},
    {"mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 %q2, [%r0], 2;", 8, 0, 8, 10},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 48;", 10, 48, 10, 0},
    {"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r0], 48;", 10, 48, 10, 0},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 64; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r0], 16;", 10, 48, 10, 0},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 64; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r0], 64;", 10, 0, 10, 0},
};

/* Afterwards one arrival less than is pending must leave the phase open, the last one and the bytes must end it, and the next phase
 * must expect `next`. A word for each step; 1 where the phase is complete. */
static const char *form_text(struct arena *arena, const struct form *f)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_text_add(&t, HEAD "mbarrier.init.shared::cta.b64 [%r0], 10;\n");
    tw_text_addf(&t, "%s\n", f->text);
    if (f->token != 0)
        tw_text_add(&t, "mbarrier.pending_count.b64 %r1, %q2; st.global.u32 [%q0], %r1;\n");
    if (f->left > 1)
        tw_text_addf(&t, "mbarrier.arrive.shared.b64 _, [%%r0], %u;\n", f->left - 1);
#define PUT(at) "mbarrier.test_wait.parity.shared.b64 %%p0, [%%r0], 0; selp.u32 %%r1, 1, 0, %%p0; st.global.u32 [%%q0+" #at "], %%r1;\n"
    tw_text_addf(&t, PUT(4) "mbarrier.arrive.shared.b64 _, [%%r0];\n" PUT(8));
    if (f->tx != 0)
        tw_text_addf(&t, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%r0], %u;\n", f->tx);
    tw_text_addf(&t, PUT(12) "mbarrier.arrive.shared.b64 %%q3, [%%r0]; mbarrier.pending_count.b64 %%r1, %%q3; st.global.u32 [%%q0+16], %%r1;\nret;\n}\n");
#undef PUT
    return t.at;
}

static void every_form_leaves_the_counts_that_its_name_says(void **state)
{
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct form *const f = &forms[i];
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        const uint32_t *const got = kernel_load(&rig, room, form_text(&room->arena, f), &out);
        kernel_must_run(&rig, &out, 1, 1, 0);
        const uint32_t want[5] = {f->token, 0, f->tx == 0, 1, f->next};
        for (uint32_t k = 0; k < COUNT(want); k++)
            if (got[k] != want[k])
                fail_msg("%s: word %u is %u, not %u", f->text, k, got[k], want[k]);
        rig_end(&rig);
    }
}

/* ---- Waits --------------------------------------------------------------------------------------------- */

/* Each waits for the first phase: false before its one arrival, true after it; a time limit lets a false one return. */
static void every_form_of_waiting_sees_the_phase_end(void **state)
{
    static const char *const waits[] = {
        "mbarrier.test_wait.b64 %p0, [%q1], %q2;", "mbarrier.test_wait.shared.b64 %p0, [%r0], %q2;",
        "mbarrier.test_wait.acquire.cta.shared::cta.b64 %p0, [%r0], %q2;", "mbarrier.test_wait.acquire.cluster.shared::cta.b64 %p0, [%r0], %q2;",
        "mbarrier.test_wait.relaxed.cta.shared::cta.b64 %p0, [%r0], %q2;", "mbarrier.test_wait.parity.b64 %p0, [%q1], 0;",
        "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p0, [%r0], 0;", "mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 %p0, [%r0], 0;",
        "mbarrier.try_wait.b64 %p0, [%q1], %q2;", "mbarrier.try_wait.shared::cta.b64 %p0, [%r0], %q2, 100;",
        "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p0, [%r0], %q2;", "mbarrier.try_wait.acquire.cluster.shared::cta.b64 %p0, [%r0], %q2, %r4;",
        "mbarrier.try_wait.relaxed.cluster.shared::cta.b64 %p0, [%r0], %q2;", "mbarrier.try_wait.parity.b64 %p0, [%q1], 0, 0;",
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p0, [%r0], 0, 1000;", "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p0, [%r0], 0;",
    };
    for (size_t i = 0; i < COUNT(waits); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        const uint32_t *const got = kernel_load(
            &rig, room,
            tw_format(&room->arena, "%smbarrier.init.b64 [%%q1], 2;\nmbarrier.arrive.shared.b64 %%q2, [%%r0];\n%s\nselp.u32 %%r1, 1, 0, %%p0;\n"
                      "mbarrier.arrive.shared.b64 _, [%%r0];\n%s\nselp.u32 %%r2, 1, 0, %%p0;\nst.global.v2.u32 [%%q0], {%%r1, %%r2};\n"
                      "mbarrier.inval.b64 [%%q1];\nret;\n}\n", HEAD, waits[i], waits[i]),
            &out);
        kernel_must_run(&rig, &out, 1, 1, 0);
        if (got[0] != 0 || got[1] != 1)
            fail_msg("%s: %u, then %u", waits[i], got[0], got[1]);
        rig_end(&rig);
    }
}

/* ---- Another CTA's barrier ----------------------------------------------------------------------------- */

/* CTA 0 waits for a phase that CTA 1 alone ends, through `mapa`; without CTA 1's instruction nobody does. */
#define REMOTE(instruction)                                                                                              \
    HEAD "setp.eq.u32 %p5, %r6, 0;\n@%p5 mbarrier.init.shared.b64 [%r0], 1;\n"                                   \
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\nmapa.shared::cluster.u32 %r1, %r0, 0; mapa.u64 %q4, %q1, 0;\n" \
    "@!%p6 bra WAIT;\n@%p7 bra END;\n" instruction "\nbra END;\n"                                                          \
    "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [%r0], 0; @!%p0 bra WAIT;\n"                      \
    "st.global.u32 [%q0], 7;\nEND: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\nret;\n}\n"

static enum launch_status run_pair(struct rig *rig, struct bench_room *room, const char *text, uint32_t *word)
{
    uint64_t out;
    const uint32_t *const words = kernel_load(rig, room, text, &out);
    const enum launch_status status = rig_run(rig, "k", (struct launch_spec){.grid = {2}, .cluster = {2}, .block = {32}, .params = &out, .param_bytes = 8});
    *word = words[0];
    return status;
}

static void a_peer_s_barrier_is_reached_by_its_rank(void **state)
{
    static const char *const texts[] = {
        REMOTE("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];"),
        REMOTE("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r1], 1;"),
        REMOTE("mbarrier.arrive.release.cluster.b64 _, [%q4];"),
        REMOTE("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r1], 8; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 8;"),
        REMOTE("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], 8; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];\n"
               "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 8;"),
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct rig rig;
        uint32_t word;
        const enum launch_status status = run_pair(&rig, *state, texts[i], &word);
        assert_string_equal(tw_test_diags(rig.room), "");
        assert_int_equal(status, LAUNCH_FINISHED);
        assert_int_equal(word, 7);
        rig_end(&rig);
    }
}

/* An arrival at its own barrier ends no phase of the peer's; a peer's barrier cannot be waited for, and gives no state back. */
static void a_peer_s_barrier_is_none_of_its_own(void **state)
{
    static const struct { const char *text; enum launch_status status; const char *part; } rows[] = {
        {REMOTE("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r0];"), LAUNCH_DEADLOCK, "phase 0: 1 of 1 arrival missing"},
        {REMOTE("mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;"), LAUNCH_FAULT, "found: rank 0 in bits 31:24; the executing CTA has rank 1"},
        {REMOTE("mbarrier.arrive.release.cluster.b64 %q2, [%q4];"), LAUNCH_FAULT, "error[E0753]: mbarrier.arrive asks for the state of a barrier of another CTA\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint32_t word;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        const enum launch_status status = run_pair(&rig, room, rows[i].text, &word);
        if (status != rows[i].status || strstr(tw_test_diags(room), rows[i].part) == NULL)
            fail_msg("row %zu: status %d\n%s", i, (int)status, tw_test_diags(room));
        rig_end(&rig);
    }
}

/* Warp 1 ends without its arrivals: the report says how many lack, and who cannot give them any more. */
static void a_wait_that_lacks_arrivals_names_who_has_ended(void **state)
{
    kernel_must_fail(*state,
                     KERNEL(".shared .align 8 .b64 bar;",
                            "setp.eq.u32 %p1, %t, 0;\n@%p1 mbarrier.init.shared.b64 [bar], 64;\nbar.sync 0;\nsetp.ge.u32 %p2, %t, 32;\n@%p2 exit;\n"
                            "mbarrier.arrive.shared.b64 _, [bar];\nWAIT: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n@!%p3 bra WAIT;\n"),
                     1, 64, LAUNCH_DEADLOCK,
                     "k.ptx:17:7: error[E0706]: deadlock: no thread can run, and no pending operation could change that\n"
                     "   17 | WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n"
                     "      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "k.ptx:17:7: note: warp 0 of block (0,0,0) waits for parity 0 of the mbarrier at shared address 0x400: "
                     "phase 0: 32 of 64 arrivals missing; ended: warp 1\n"
                     "   17 | WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n"
                     "      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_form_leaves_the_counts_that_its_name_says),
        ROOM_TEST(every_form_of_waiting_sees_the_phase_end),
        ROOM_TEST(a_peer_s_barrier_is_reached_by_its_rank),
        ROOM_TEST(a_peer_s_barrier_is_none_of_its_own),
        ROOM_TEST(a_wait_that_lacks_arrivals_names_who_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
