/* One seed, one result; another seed, another order; and nothing that was not written reads as zero. */
#include "kernel_text.h"

/* Each warp of a block draws a ticket; the order of the tickets is the order of the warps. */
static const char tickets[] = KERNEL("", "atom.global.add.u32 %r1, [%out+8192], 1;\nst.global.u32 [%at], %r1;\n");

static void draw_tickets(struct bench_room *room, uint64_t seed, uint64_t step, uint32_t got[256])
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, room, tickets, &out);
    const struct launch_spec spec = {.block = {256}, .params = &out, .param_bytes = 8, .seed = seed};
    struct launch *const l = tw_launch_new(rig.program, "k", &spec, &room->diags);
    assert_non_null(l);
    while (tw_launch_step(l, step) == LAUNCH_RUNNING)
        ;
    tw_launch_free(l);
    memcpy(got, words, 256 * 4);
    rig_end(&rig);
}

static void the_same_seed_gives_the_same_order(void **state)
{
    uint32_t first[256], second[256];
    for (uint64_t seed = 0; seed < 5; seed++) {
        draw_tickets(*state, seed, 0, first);
        draw_tickets(*state, seed, 0, second);
        assert_memory_equal(first, second, sizeof first);
    }
}

static void stepping_a_launch_does_not_change_what_it_does(void **state)
{
    static const uint64_t steps[] = {1, 2, 3, 7, 100, 1000};
    uint32_t whole[256], stepped[256];
    draw_tickets(*state, 11, 0, whole);
    for (size_t i = 0; i < COUNT(steps); i++) {
        draw_tickets(*state, 11, steps[i], stepped);
        assert_memory_equal(whole, stepped, sizeof whole);
    }
}

static void other_seeds_give_other_orders(void **state)
{
    uint32_t first[256], other[256];
    unsigned different = 0;
    draw_tickets(*state, 0, 0, first);
    for (uint64_t seed = 1; seed < 10; seed++) {
        draw_tickets(*state, seed, 0, other);
        different += memcmp(first, other, sizeof first) != 0;
    }
    assert_true(different >= 8);
}

/* Shared, local and register memory that was never written. */
static void what_was_not_written_is_never_zero_and_differs_with_the_seed(void **state)
{
    struct rig rig;
    uint64_t out;
    uint32_t before[128];
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 4 .b32 box[32];",
                                                     ".local .align 4 .b32 mine[4];\n"
                                                     "mov.u32 %r1, box;\nmad.lo.u32 %r1, %t, 4, %r1;\nld.shared.u32 %r2, [%r1];\n"
                                                     "ld.local.u32 %r3, [mine+8];\n"
                                                     "st.global.u32 [%at], %r2;\nst.global.u32 [%at+128], %r3;\n"
                                                     "st.global.u32 [%at+256], %r29;\n"),
                                              &out);
    for (uint64_t seed = 0; seed < 20; seed++) {
        kernel_must_run(&rig, &out, 1, 32, seed);
        for (uint32_t i = 0; i < 96; i++)
            assert_int_not_equal(words[i], 0);
        if (seed > 0)
            for (uint32_t k = 0; k < 3; k++)
                assert_memory_not_equal(before + 32 * k, words + 32 * k, 128);
        memcpy(before, words, sizeof before);
    }
    rig_end(&rig);
}

static void count_event(void *context, const struct machine_event *e)
{
    unsigned *const counts = context;
    counts[e->kind]++;
    assert_int_equal(e->cta_rank, 0);
}

/* A kernel of two blocks of 64 threads: what an observer sees. */
static void an_observer_sees_every_access_and_barrier(void **state)
{
    struct rig rig;
    uint64_t out;
    unsigned counts[64] = {0};
    (void)kernel_load(&rig, *state,
                      KERNEL(".shared .align 4 .b32 box;",
                             "st.shared.u32 [box], 1;\nbar.sync 0;\nld.global.u32 %r1, [%at];\n"
                             "fence.acq_rel.gpu;\natom.global.add.u32 %r1, [%out], 1;\nbar.warp.sync -1;\n"),
                      &out);
    rig_must_run(&rig, "k",
                 (struct launch_spec){.grid = {2}, .block = {64}, .params = &out, .param_bytes = 8,
                                      .observer = {.event = count_event, .context = counts}});
    assert_int_equal(counts[EVENT_ACCESS], 2 * 64 * 4); /* the parameter, the store, the load, the atomic */
    assert_int_equal(counts[EVENT_BAR_ARRIVE], 4);
    assert_int_equal(counts[EVENT_BAR_WAIT], 4);
    assert_int_equal(counts[EVENT_FENCE], 4);
    assert_int_equal(counts[EVENT_WARP_SYNC], 4);
    assert_int_equal(counts[EVENT_EXIT], 4);
    assert_int_equal(counts[EVENT_CTA_START], 2);
    assert_int_equal(counts[EVENT_CTA_END], 2);
    rig_end(&rig);
}

/* More blocks than the machine keeps in flight stream through. */
static void a_large_grid_streams_through(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state, KERNEL(".shared .align 4 .b8 box[16384];", "red.global.add.u32 [%out], 1;\nst.shared.u32 [box], 1;\n"), &out);
    const struct launch_spec spec = {.grid = {5000}, .block = {32}, .params = &out, .param_bytes = 8, .max_memory = 200000};
    rig_must_run(&rig, "k", spec);
    assert_int_equal(words[0], 5000 * 32);
    assert_int_equal(rig.progress.ctas_done, 5000);
    assert_int_equal(rig.progress.ctas_total, 5000);
    rig_end(&rig);
}

/* What one launch leaves in memory the next one finds, tensors and module variables alike. */
static void memory_outlives_launches(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".global .align 4 .u32 count = 40;", "atom.global.add.u32 %r1, [count], 1;\nst.global.u32 [%out+4], %r1;\n"
                                                                                         "ld.global.u32 %r2, [%out];\nadd.u32 %r2, %r2, 3;\nst.global.u32 [%out], %r2;\n"),
                                              &out);
    for (uint32_t i = 0; i < 5; i++) {
        kernel_must_run(&rig, &out, 1, 1, i);
        assert_int_equal(words[0], 3 * (i + 1));
        assert_int_equal(words[1], 40 + i);
    }
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_same_seed_gives_the_same_order),
        ROOM_TEST(stepping_a_launch_does_not_change_what_it_does),
        ROOM_TEST(other_seeds_give_other_orders),
        ROOM_TEST(what_was_not_written_is_never_zero_and_differs_with_the_seed),
        ROOM_TEST(an_observer_sees_every_access_and_barrier),
        ROOM_TEST(a_large_grid_streams_through),
        ROOM_TEST(memory_outlives_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
