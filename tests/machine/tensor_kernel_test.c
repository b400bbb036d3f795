/* The minimal kernel of tcgen05.md 11.1, completed; what happens when one of its steps is forgotten; and what an observer sees. */
#include "machine/tensor_case.h"

/* ---- The minimal kernel ----------------------------------------------------------------------- */

enum { M = 128, N = 64, K = 64 };

struct steps {
    bool no_wait, no_commit, wait_parity_1, commit_before_last, other_thread_commits, overwrite_early, no_wait_ld;
    bool ring; /* commits before the last MMA and after the awaited commit, to barriers that are invalidated after the wait */
};

static void write_tile_copy(struct text *p)
{
    /* thread t copies row t of A and, below 64, of B, in 16-byte chunks swizzled by the row */
    tw_text_add(p, "and.b32 %r10, %r0, 7; shl.b32 %r11, %r0, 7; mul.wide.u32 %q3, %r0, 128; add.s64 %q4, %q6, %q3;\n"
                   "add.s64 %q5, %q4, 16384; add.u32 %r12, %r4, %r11;\nsetp.ge.u32 %p3, %r0, 64;\n");
    for (unsigned c = 0; c < 8; c++)
        tw_text_addf(p, "xor.b32 %%r13, %%r10, %u; shl.b32 %%r13, %%r13, 4; add.u32 %%r14, %%r12, %%r13;\n"
                        "ld.global.v4.b32 {%%v0,%%v1,%%v2,%%v3}, [%%q4+%u]; st.shared.v4.b32 [%%r14], {%%v0,%%v1,%%v2,%%v3};\n"
                        "@!%%p3 ld.global.v4.b32 {%%v0,%%v1,%%v2,%%v3}, [%%q5+%u]; @!%%p3 st.shared.v4.b32 [%%r14+16384], {%%v0,%%v1,%%v2,%%v3};\n",
                     c, 16 * c, 16 * c);
}

static const char commit[] = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r3];\n";

static void write_issue(struct text *p, const struct steps *s)
{
    tw_text_add(p, "@%p1 bra L2;\nshr.u32 %r6, %r4, 4; cvt.u64.u32 %q0, %r6; or.b64 %q1, %q0, 0x4000404000010000;\n"
                   "add.s64 %q2, %q1, 1024; mov.b32 %r7, 0x08100010; setp.ne.u32 %p2, %r0, %r0;\n"
                   "tcgen05.mma.cta_group::1.kind::f16 [%r5], %q1, %q2, %r7, %p2;\n");
    for (unsigned step = 1; step < 4; step++) {
        if (step == 3 && s->commit_before_last)
            tw_text_add(p, commit);
        if (step == 3 && s->ring)
            tw_text_add(p, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r3+8];\n");
        tw_text_add(p, "add.s64 %q1, %q1, 2; add.s64 %q2, %q2, 2;\ntcgen05.mma.cta_group::1.kind::f16 [%r5], %q1, %q2, %r7, 1;\n");
    }
    if (!s->no_commit && !s->commit_before_last && !s->other_thread_commits)
        tw_text_add(p, commit);
    if (s->ring)
        tw_text_add(p, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r3+16];\n");
    if (s->overwrite_early)
        tw_text_add(p, "st.shared.v4.b32 [%r4], {%r4,%r4,%r4,%r4}; st.shared.v4.b32 [%r4+16], {%r4,%r4,%r4,%r4};\n");
    tw_text_add(p, "L2:\n");
    if (s->other_thread_commits)
        tw_text_addf(p, "setp.eq.u32 %%p3, %%r0, 64;\n@%%p3 %s", commit);
}

static const char *kernel(struct bench_room *room, const struct steps *s)
{
    struct text p;
    tw_text_init(&p, &room->arena);
    tw_text_add(&p, ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry demo(.param .u64 outp, .param .u64 inp)\n{\n"
                    ".reg .b32 %r<20>; .reg .b32 %v<64>; .reg .b64 %q<8>; .reg .pred %p<4>;\n"
                    ".shared .align 1024 .b8 tiles[24576];\n.shared .align 8 .b8 bar[24];\n.shared .align 4 .b8 slot[4];\n"
                    "mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5;\nmov.u32 %r2, slot; mov.u32 %r3, bar; mov.u32 %r4, tiles;\n"
                    "setp.ne.u32 %p0, %r1, 0;\n@%p0 bra L1;\n"
                    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 64;\n"
                    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nL1:\nsetp.ne.u32 %p1, %r0, 0;\n"
                    "@!%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\nld.param.u64 %q6, [inp];\n"
                    "@!%p1 mbarrier.init.shared::cta.b64 [%r3+8], 1;\n@!%p1 mbarrier.init.shared::cta.b64 [%r3+16], 1;\n");
    write_tile_copy(&p);
    tw_text_add(&p, "fence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.u32 %r5, [%r2];\n");
    write_issue(&p, s);
    if (!s->no_wait)
        tw_text_addf(&p, "L4: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r3], %d;\n@!%%p3 bra L4;\n", s->wait_parity_1);
    if (s->ring)
        tw_text_add(&p, "@!%p1 mbarrier.inval.shared::cta.b64 [%r3+8];\n@!%p1 mbarrier.inval.shared::cta.b64 [%r3+16];\n");
    tw_text_add(&p, "tcgen05.fence::after_thread_sync;\nand.b32 %r8, %r1, 3; shl.b32 %r8, %r8, 21; add.u32 %r9, %r5, %r8;\n"
                    "tcgen05.ld.sync.aligned.32x32b.x64.b32 {");
    for (unsigned i = 0; i < 64; i++)
        tw_text_addf(&p, "%s%%v%u", i == 0 ? "" : ",", i);
    tw_text_add(&p, "}, [%r9];\n");
    if (!s->no_wait_ld)
        tw_text_add(&p, "tcgen05.wait::ld.sync.aligned;\n");
    tw_text_add(&p, "ld.param.u64 %q3, [outp]; mul.wide.u32 %q4, %r0, 256; add.s64 %q3, %q3, %q4;\n");
    for (unsigned i = 0; i < 64; i += 4)
        tw_text_addf(&p, "st.global.v4.b32 [%%q3+%u], {%%v%u,%%v%u,%%v%u,%%v%u};\n", 4 * i, i, i + 1, i + 2, i + 3);
    tw_text_add(&p, "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n@%p0 bra L3;\n"
                    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 64;\nL3:\nret;\n}\n");
    return p.at;
}

struct product {
    uint16_t in[M * K + N * K];
    float want[M * N];
    uint32_t out[M * N];
};

/* Small integers, so that the product is exact whatever the order of the sum. */
static void make_product(struct product *x, uint64_t seed)
{
    int a[M * K + N * K];
    for (unsigned i = 0; i < COUNT(a); i++) {
        a[i] = (int)(case_random(&seed) % 5) - 2;
        x->in[i] = (uint16_t)case_word(F16, a[i]);
    }
    for (unsigned m = 0; m < M; m++)
        for (unsigned n = 0; n < N; n++) {
            int sum = 0;
            for (unsigned k = 0; k < K; k++)
                sum += a[m * K + k] * a[M * K + n * K + k];
            x->want[m * N + n] = (float)sum;
        }
}

static int run_kernel(struct bench_room *room, const struct steps *s, struct product *x, uint64_t seed)
{
    memset(x->out, 0, sizeof x->out);
    return run_ptx(room, kernel(room, s),
                   &(struct ptx_run){.entry = "demo", .block = 128, .seed = seed, .input = x->in, .input_bytes = sizeof x->in,
                                     .output = x->out, .output_bytes = sizeof x->out, .max_steps = 10000000});
}

static bool is_right(const struct product *x)
{
    return memcmp(x->out, x->want, sizeof x->out) == 0;
}

static void the_minimal_kernel_gives_the_exact_product(void **state)
{
    struct bench_room *room = *state;
    static struct product x;
    const struct steps all = {0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        make_product(&x, seed);
        assert_int_equal(run_kernel(room, &all, &x, seed), LAUNCH_FINISHED);
        assert_int_equal(room->diags.list.len, 0);
        assert_true(is_right(&x));
    }
}

/* A register that depends on the load is honoured without wait::ld; only other orders need it. */
static void a_load_gives_its_values_without_wait_ld(void **state)
{
    struct bench_room *room = *state;
    static struct product x;
    make_product(&x, 3);
    assert_int_equal(run_kernel(room, &(struct steps){.no_wait_ld = true}, &x, 3), LAUNCH_FINISHED);
    assert_true(is_right(&x));
}

/* The barriers of two more commits are signalled with the one that is waited for, although nobody waits for them. */
static void commits_signal_when_nothing_is_left_that_they_track(void **state)
{
    struct bench_room *room = *state;
    static struct product x;
    for (uint64_t seed = 0; seed < 20; seed++) {
        make_product(&x, seed);
        const int status = run_kernel(room, &(struct steps){.ring = true}, &x, seed);
        if (status != LAUNCH_FINISHED)
            fail_msg("seed %d: status %d\n%s", (int)seed, status, tw_test_diags(room));
        assert_true(is_right(&x));
    }
}

static void what_is_forgotten_shows_under_every_seed(void **state)
{
    static struct product x;
    static const struct { const char *what; struct steps steps; int status; } cases[] = {
        {"no wait", {.no_wait = true}, LAUNCH_FAULT}, /* wrong values, then the release finds the MMA not completed */
        {"no commit", {.no_commit = true}, LAUNCH_DEADLOCK},
        {"wait on parity 1", {.wait_parity_1 = true}, LAUNCH_FAULT},
        {"commit before the last MMA", {.commit_before_last = true}, LAUNCH_FAULT},
        {"another thread commits", {.other_thread_commits = true}, LAUNCH_FAULT},
        {"an operand is overwritten before the wait", {.overwrite_early = true}, LAUNCH_FINISHED},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct bench_room *room = *state;
            make_product(&x, seed + 100);
            const int status = run_kernel(room, &cases[i].steps, &x, seed);
            if (status != cases[i].status)
                fail_msg("%s, seed %d: status %d\n%s", cases[i].what, (int)seed, status, tw_test_diags(room));
            if (is_right(&x))
                fail_msg("%s, seed %d: the right product", cases[i].what, (int)seed);
            tw_test_teardown(state);
            tw_test_setup(state);
        }
}

/* ---- What an observer sees -------------------------------------------------------------------- */

struct seen {
    unsigned issued, completed, waited, arrived, phases, waits, reads_of_shared, reads_of_tmem, writes_of_tmem;
    bool arrive_before_complete, phase_before_arrive, wait_before_phase;
};

static void see(void *context, const struct machine_event *e)
{
    struct seen *const s = context;
    const bool by_op = e->op != 0;
    if (e->kind == EVENT_ASYNC_ISSUE)
        s->issued++;
    else if (e->kind == EVENT_ASYNC_COMPLETE)
        s->completed++;
    else if (e->kind == EVENT_ASYNC_WAIT)
        s->waited++;
    else if (e->kind == EVENT_MBAR_ARRIVE) {
        s->arrived++;
        s->arrive_before_complete |= s->completed < 4;
    } else if (e->kind == EVENT_MBAR_PHASE) {
        s->phases++;
        s->phase_before_arrive |= s->arrived == 0;
    } else if (e->kind == EVENT_MBAR_WAIT) {
        s->waits++;
        s->wait_before_phase |= s->phases == 0;
    } else if (e->kind == EVENT_ACCESS && by_op) {
        s->reads_of_shared += e->space == SPACE_SHARED && e->read && e->proxy == PROXY_ASYNC ? e->bytes : 0;
        s->reads_of_tmem += e->space == SPACE_TMEM && e->read ? e->bytes : 0;
        s->writes_of_tmem += e->space == SPACE_TMEM && e->write ? e->bytes : 0;
    }
}

static void an_observer_sees_operations_complete_before_they_signal(void **state)
{
    struct bench_room *room = *state;
    static struct product x;
    struct seen s = {0};
    make_product(&x, 1);
    assert_int_equal(run_ptx(room, kernel(room, &(struct steps){0}),
                             &(struct ptx_run){.entry = "demo", .block = 128, .input = x.in, .input_bytes = sizeof x.in, .output = x.out,
                                               .output_bytes = sizeof x.out, .observer = {.event = see, .context = &s}}),
                     LAUNCH_FINISHED);
    assert_true(is_right(&x)); /* watching changes nothing */
    assert_int_equal(s.issued, 4 + 1 + 4);   /* MMAs, the commit, a load in each warp */
    assert_int_equal(s.completed, 4 + 4);    /* a commit signals instead */
    assert_int_equal(s.waited, 4);
    assert_int_equal(s.arrived, 1);
    assert_int_equal(s.phases, 1);
    assert_int_equal(s.waits, 128);
    assert_false(s.arrive_before_complete || s.phase_before_arrive || s.wait_before_phase);
    assert_int_equal(s.reads_of_shared, 4 * (M + N) * 32);
    assert_int_equal(s.writes_of_tmem, 4 * M * N * 4);
    assert_int_equal(s.reads_of_tmem, 3 * M * N * 4 + M * N * 4); /* accumulators of the last three, then the loads */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_minimal_kernel_gives_the_exact_product),
        ROOM_TEST(a_load_gives_its_values_without_wait_ld),
        ROOM_TEST(commits_signal_when_nothing_is_left_that_they_track),
        ROOM_TEST(what_is_forgotten_shows_under_every_seed),
        ROOM_TEST(an_observer_sees_operations_complete_before_they_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
