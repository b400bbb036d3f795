/* Asynchronous engines: an engine may work only when no warp can run, lands only what a wait asks for, and is drained when its CTA
 * ends. The engine here is a stand-in that completes an mbarrier phase. */
#include "kernel_text.h"

#include "machine/mbarrier.h"
#include "machine/run.h"

struct fake {
    struct async_agent agent;
    const uint32_t *progress; /* a word that the kernel counts up while it works */
    uint32_t offset;          /* of the barrier in the shared window */
    uint32_t left;            /* operations pending */
    unsigned asked, landed, drained;
    uint32_t progress_when_asked;
};

static uint32_t fake_pending(const struct async_agent *agent)
{
    const struct fake *const f = agent->state;
    return f->left;
}

static bool fake_land(struct async_agent *agent, const struct wait *wait)
{
    struct fake *const f = agent->state;
    f->asked++;
    f->progress_when_asked = *f->progress;
    if (wait->kind != WAIT_MBARRIER || wait->key != f->offset)
        return false;
    f->left--;
    f->landed++;
    tw_mbar_signal(agent->cta, f->offset, (struct mbar_update){.arrivals = 1});
    return true;
}

static void fake_drain(struct async_agent *agent)
{
    struct fake *const f = agent->state;
    f->drained++;
    f->left = 0;
}

/* Starts the kernel, gives its CTA the engine after the first instruction, and runs to the end. */
static enum launch_status run_with(struct rig *rig, uint64_t *out, struct fake *fake, uint32_t block, uint64_t seed)
{
    const struct launch_spec spec = {.block = {block}, .params = out, .param_bytes = 8, .seed = seed, .max_steps = 1000000};
    struct launch *const l = tw_launch_new(rig->program, "k", &spec, &rig->room->diags);
    assert_non_null(l);
    assert_int_equal(tw_launch_step(l, 1), LAUNCH_RUNNING);
    fake->agent = (struct async_agent){.name = "the test engine", .state = fake, .pending = fake_pending, .land = fake_land, .drain = fake_drain};
    fake->progress = rig_host(rig, *out);
    tw_cta_add_agent(&l->residents[0].cluster->ctas[0], &fake->agent);
    const enum launch_status status = tw_launch_step(l, 0);
    tw_launch_free(l);
    return status;
}

#define BARRIER_IN_SHARED ".shared .align 8 .b64 bar[2];"
#define INIT "setp.ne.u32 %p1, %t, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n@!%p1 mbarrier.init.shared::cta.b64 [bar+8], 1;\nbar.sync 0;\n"

/* Warp 0 waits at once; warp 1 works on: the engine is asked only when warp 1 has nothing left to do. */
static void an_engine_lands_only_when_nothing_can_run(void **state)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct rig rig;
        uint64_t out;
        (void)kernel_load(&rig, *state,
                          KERNEL(BARRIER_IN_SHARED,
                                 INIT "setp.lt.u32 %p2, %t, 32;\n@%p2 bra WAIT;\n"
                                      "mov.u32 %r1, 0;\nWORK: add.u32 %r1, %r1, 1;\nst.global.u32 [%out], %r1;\nsetp.lt.u32 %p3, %r1, 5000;\n@%p3 bra WORK;\n"
                                      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], 0;\n@!%p4 bra WAIT;\n"),
                          &out);
        struct fake fake = {.offset = 0x400, .left = 1};
        assert_int_equal(run_with(&rig, &out, &fake, 64, seed), LAUNCH_FINISHED);
        assert_int_equal(fake.landed, 1);
        assert_int_equal(fake.progress_when_asked, 5000);
        assert_int_equal(fake.drained, 0);
        rig_end(&rig);
    }
}

/* A poll that is false does not bring the engine's work forward either. */
static void an_engine_lands_one_completion_at_a_time(void **state)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, *state,
                      KERNEL(BARRIER_IN_SHARED,
                             INIT "A: mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], 0;\n@!%p4 bra A;\n"
                                  "st.global.u32 [%out], 1;\n"
                                  "B: mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], 1;\n@!%p4 bra B;\n"),
                      &out);
    struct fake fake = {.offset = 0x400, .left = 5};
    assert_int_equal(run_with(&rig, &out, &fake, 32, 1), LAUNCH_FINISHED);
    assert_int_equal(fake.landed, 2);
    assert_int_equal(fake.progress_when_asked, 1);
    assert_int_equal(fake.drained, 1); /* three operations that nobody waited for */
    rig_end(&rig);
}

/* The engine has work, but none that the wait is for: that is a deadlock, and the report names the engine. */
static void work_that_nothing_waits_for_does_not_help(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room,
                      KERNEL(BARRIER_IN_SHARED, INIT "A: mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar+8], 0;\n"
                                                     "@!%p4 bra A;\n"),
                      &out);
    struct fake fake = {.offset = 0x400, .left = 2};
    assert_int_equal(run_with(&rig, &out, &fake, 32, 1), LAUNCH_DEADLOCK);
    assert_int_equal(fake.landed, 0);
    assert_non_null(strstr(tw_test_diags(room), "note: the test engine of block (0,0,0) holds 2 operations that nothing waits for\n"));
    rig_end(&rig);
}

/* A wait that times out lets the program do something else: here it gives up after a few tries. */
static void a_poll_that_stays_false_lets_the_program_go_on(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(BARRIER_IN_SHARED,
                                                     INIT "mov.u32 %r1, 0;\nA: mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], 0;\n@%p4 bra END;\n"
                                                          "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p5, %r1, 10;\n@%p5 bra A;\nEND: st.global.u32 [%at], %r1;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 2);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], 10);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(an_engine_lands_only_when_nothing_can_run),
        ROOM_TEST(an_engine_lands_one_completion_at_a_time),
        ROOM_TEST(work_that_nothing_waits_for_does_not_help),
        ROOM_TEST(a_poll_that_stays_false_lets_the_program_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
