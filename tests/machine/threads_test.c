/* One result for any number of host threads, as DESIGN.md promises it for kernels without data races. */
#include "kernel_text.h"

enum { MOST_WORDS = OUT_WORDS };

struct outcome {
    enum launch_status status;
    struct launch_progress progress;
    uint32_t words[MOST_WORDS];
    const char *diags, *printed;
};

static struct outcome *run_on(struct bench_room *room, const char *text, struct launch_spec spec, uint32_t threads)
{
    struct outcome *const o = arena_new(&room->arena, struct outcome, 1);
    struct rig rig;
    uint64_t out;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    const uint32_t *const words = kernel_load(&rig, room, text, &out);
    spec.params = &out;
    spec.param_bytes = 8;
    spec.threads = threads;
    o->status = rig_run(&rig, "k", spec);
    o->progress = rig.progress;
    memcpy(o->words, words, sizeof o->words);
    o->diags = tw_arena_copy(&room->arena, tw_test_diags(room), strlen(tw_test_diags(room)));
    o->printed = rig.printed.at == NULL ? "" : rig.printed.at;
    rig_end(&rig);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    return o;
}

/* The outcome on one thread, after others have been found equal to it. `exact`: the counts of steps, too. */
static const struct outcome *on_any_threads(struct bench_room *room, const char *text, struct launch_spec spec, bool exact)
{
    static const uint32_t counts[] = {2, 3, 8};
    const struct outcome *const one = run_on(room, text, spec, 1);
    for (size_t i = 0; i < COUNT(counts); i++) {
        const struct outcome *const other = run_on(room, text, spec, counts[i]);
        assert_int_equal(one->status, other->status);
        assert_string_equal(one->diags, other->diags);
        assert_string_equal(one->printed, other->printed);
        if (!exact)
            continue;
        assert_memory_equal(one->words, other->words, sizeof one->words);
        assert_int_equal(one->progress.warp_steps, other->progress.warp_steps);
        assert_int_equal(one->progress.thread_steps, other->progress.thread_steps);
        assert_int_equal(one->progress.ctas_done, other->progress.ctas_done);
    }
    return one;
}

/* Enough work that other threads are woken: a loop of `count` over register %r9. */
#define BUSY(count) "mov.u32 %r9, 0;\nBUSY: add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p9, %r9, " #count ";\n@%p9 bra BUSY;\n"

/* Blocks draw tickets: the order of atomics is the order of the results. A sum of floats shows the order, too. */
static void atomics_come_in_one_order(void **state)
{
    static const char text[] = KERNEL("", BUSY(2000)
                                      "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 64, %t;\nmad.wide.u32 %q1, %r2, 4, %out;\n"
                                      "atom.global.add.u32 %r3, [%out+16000], 1;\nst.global.u32 [%q1], %r3;\n"
                                      "cvt.rn.f32.u32 %r4, %r2;\nrcp.rn.f32 %r4, %r4;\nadd.rn.f32 %r4, %r4, 0f3F800000;\n"
                                      "red.global.add.f32 [%out+16004], %r4;\n");
    for (uint64_t seed = 0; seed < 3; seed++) {
        const struct outcome *const o = on_any_threads(*state, text, (struct launch_spec){.grid = {50}, .block = {64}, .seed = seed}, true);
        assert_string_equal(o->diags, "");
        assert_int_equal(o->words[4000], 3200);
        bool seen[3200] = {false};
        for (uint32_t i = 0; i < 3200; i++) {
            assert_true(o->words[i] < 3200 && !seen[o->words[i]]);
            seen[o->words[i]] = true;
        }
    }
}

/* A bulk copy that adds is performed in the block's turn, whether its thread waits for it or the block just ends. */
static void bulk_reductions_come_in_one_order(void **state)
{
    static const char *const ends[] = {"cp.async.bulk.wait_group 0;\n", ""};
    for (size_t i = 0; i < COUNT(ends); i++) {
        const char *const text = tw_format(
            &((struct bench_room *)*state)->arena, "%s%s%s",
            KERNEL_HEAD(".shared .align 16 .b8 box[1024];") BUSY(2000)
            "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 64, %t;\ncvt.rn.f32.u32 %r4, %r2;\nrcp.rn.f32 %r4, %r4;\nadd.rn.f32 %r4, %r4, 0f3F800000;\n"
            "mov.u32 %r3, box;\nmad.lo.u32 %r3, %t, 4, %r3;\nst.shared.f32 [%r3], %r4;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
            "setp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%out], [box], 256;\ncp.async.bulk.commit_group;\n",
            ends[i], "END: ret;\n}\n");
        const struct outcome *const o = on_any_threads(*state, text, (struct launch_spec){.grid = {40}, .block = {64}, .seed = 3}, true);
        assert_string_equal(o->diags, "");
        float first, sum = 0;
        memcpy(&first, o->words, sizeof first);
        for (uint32_t b = 1; b < 40; b++)
            sum += 1 + 1 / (float)(b * 64);
        assert_true(first > 1e30f); /* block 0 adds 1 / 0 */
        memcpy(&first, o->words + 1, sizeof first);
        assert_true(first > sum && first < sum + 3);
    }
}

/* All blocks write and read the same bytes in units of every size: a race of the kernel, but none of the host (the thread
 * sanitizer is asked by hand), and no word is torn. */
static void a_race_of_the_kernel_is_none_of_the_host(void **state)
{
    static const char racy[] =
        ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %p<4>; .reg .b16 %s<4>; .reg .b32 %r<20>; .reg .b64 %q<9>;\n"
        "ld.param.u64 %q1, [out];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, 0;\nmul.lo.u32 %r3, %r1, 0x01010101;\nadd.u32 %r3, %r3, 0x01010101;\n"
        "cvt.u16.u32 %s1, %r3;\nmov.b64 %q2, {%r3, %r3};\nmov.u32 %r4, %tid.x;\nmad.wide.u32 %q3, %r4, 4, %q1;\n"
        "L: st.global.u32 [%q1], %r3;\nst.global.u16 [%q1+8], %s1;\nst.global.u8 [%q1+12], %s1;\nst.global.u64 [%q1+16], %q2;\n"
        "st.global.v4.u32 [%q1+32], {%r3, %r3, %r3, %r3};\nst.global.u32 [%q3+64], %r3;\n"
        "ld.global.u32 %r5, [%q1];\nld.global.v2.u64 {%q4, %q5}, [%q1+32];\nld.global.u32 %r6, [%q3+64];\nld.global.u16 %s2, [%q1+8];\n"
        "prmt.b32 %r7, %r5, 0, 0;\nsetp.ne.u32 %p1, %r7, %r5;\n@%p1 st.global.u32 [%q1+1024], 1;\n" /* torn */
        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, 2000;\n@%p0 bra L;\nret;\n}\n";
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        const struct outcome *const o = run_on(*state, racy, (struct launch_spec){.grid = {8}, .block = {32}}, threads);
        assert_int_equal(o->status, LAUNCH_FINISHED);
        assert_int_equal(o->words[256], 0);
        assert_true(o->words[0] != 0 && o->words[0] % 0x01010101 == 0);
    }
}

/* Block i waits for a word of block i + 1, which the last writes first: blocks that have not begun must be let in. */
static void blocks_may_wait_for_later_blocks(void **state)
{
    static const char text[] = KERNEL("",
                                      "mov.u32 %r1, %ctaid.x;\nmad.wide.u32 %q1, %r1, 4, %out;\n"
                                      "setp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\n"
                                      "setp.eq.u32 %p2, %r1, 199;\nmov.u32 %r2, 0;\n@%p2 bra STORE;\n"
                                      "WAIT: ld.acquire.gpu.global.u32 %r3, [%q1+4004];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra WAIT;\n"
                                      "ld.global.u32 %r2, [%q1+4];\n"
                                      "STORE: add.u32 %r2, %r2, %r1;\nst.global.u32 [%q1], %r2;\n"
                                      "st.release.gpu.global.u32 [%q1+4000], 1;\nEND:\n");
    const struct outcome *const o = on_any_threads(*state, text, (struct launch_spec){.grid = {200}, .block = {64}}, true);
    assert_string_equal(o->diags, "");
    for (uint32_t i = 0, sum = 0; i < 200; i++) {
        sum += 199 - i;
        assert_int_equal(o->words[199 - i], sum);
    }
}

/* A barrier of all blocks over global memory, again and again. */
static void a_barrier_of_the_grid(void **state)
{
    static const char text[] = KERNEL("",
                                      "mov.u32 %r1, 0;\nmov.u32 %r7, %ctaid.x;\nmad.wide.u32 %q1, %r7, 4, %out;\n"
                                      "NEXT: add.u32 %r1, %r1, 1;\n"
                                      "ld.global.u32 %r5, [%q1+4];\nadd.u32 %r5, %r5, %r1;\n" /* the neighbour's word of the last step */
                                      "mul.lo.u32 %r2, %r1, 300;\n"
                                      "bar.sync 0;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra MET;\n"
                                      "fence.acq_rel.gpu;\natom.global.add.u32 %r3, [%out+16000], 1;\n"
                                      "WAIT: ld.relaxed.gpu.global.u32 %r3, [%out+16000];\nsetp.lt.u32 %p2, %r3, %r2;\n@%p2 bra WAIT;\n"
                                      "fence.acq_rel.gpu;\nst.global.u32 [%q1], %r5;\n"
                                      "fence.acq_rel.gpu;\natom.global.add.u32 %r3, [%out+16004], 1;\n"
                                      "WAIT2: ld.relaxed.gpu.global.u32 %r3, [%out+16004];\nsetp.lt.u32 %p2, %r3, %r2;\n@%p2 bra WAIT2;\n"
                                      "fence.acq_rel.gpu;\nMET: bar.sync 0;\n"
                                      "setp.lt.u32 %p3, %r1, 5;\n@%p3 bra NEXT;\n");
    const struct outcome *const o = on_any_threads(*state, text, (struct launch_spec){.grid = {300}, .block = {64}}, true);
    assert_string_equal(o->diags, "");
    uint32_t want[301] = {0};
    for (uint32_t step = 1; step <= 5; step++)
        for (uint32_t i = 0; i < 300; i++)
            want[i] = want[i + 1] + step; /* in place: word i + 1 is that of the step before */
    assert_memory_equal(o->words, want, 300 * 4);
}

/* More and more blocks begin a round when all of them end in it; the order of their atomics is one for all that. */
static void short_blocks_begin_by_the_hundred(void **state)
{
    static const char text[] = KERNEL("",
                                      "mov.u32 %r1, %ctaid.x;\nmad.wide.u32 %q1, %r1, 4, %out;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\n"
                                      "atom.global.add.u32 %r2, [%out+16380], 1;\nst.global.u32 [%q1], %r2;\nEND:\n");
    const struct outcome *const o = on_any_threads(*state, text, (struct launch_spec){.grid = {4000}, .block = {64}}, true);
    assert_string_equal(o->diags, "");
    assert_int_equal(o->words[OUT_WORDS - 1], 4000);
    for (uint32_t i = 0; i < 4000; i++)
        assert_int_equal(o->words[i], i);
}

/* No instruction is strong, so rounds are long; the first blocks count while they wait, which is no poll, for one of the last. */
static void blocks_that_count_let_later_blocks_begin(void **state)
{
    static const char text[] = KERNEL("",
                                      "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\nmov.u32 %r4, 0;\n"
                                      "setp.eq.u32 %p2, %r1, 66;\n@%p2 bra STORE;\nsetp.ge.u32 %p2, %r1, 2;\n@%p2 bra END;\n"
                                      "WAIT: add.u32 %r4, %r4, 1;\nld.global.u32 %r3, [%out+8000];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra WAIT;\n"
                                      "mad.wide.u32 %q1, %r1, 4, %out;\nst.global.u32 [%q1], %r3;\nbra.uni END;\n"
                                      "STORE: mov.u32 %r3, 7;\nst.global.u32 [%out+8000], %r3;\nEND:\n");
    const struct outcome *const o = run_on(*state, text, (struct launch_spec){.grid = {67}, .block = {32}}, 2);
    assert_int_equal(o->status, LAUNCH_FINISHED);
    assert_int_equal(o->words[0], 7);
    assert_int_equal(o->words[1], 7);
}

/* The fault of the lowest block counts, whichever thread came to one first; what it says is the same. */
static void the_first_fault_is_that_of_the_lowest_block(void **state)
{
    static const char text[] = KERNEL("",
                                      "mov.u32 %r1, %ctaid.x;\nsub.u32 %r2, 100, %r1;\nmul.lo.u32 %r2, %r2, 100;\n"
                                      "WORK: sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra WORK;\n" /* later blocks are faster */
                                      "setp.lt.u32 %p2, %r1, 5;\n@%p2 bra END;\nst.global.u32 [%out+999999], %r1;\nEND:\n");
    const struct outcome *const o = on_any_threads(*state, text, (struct launch_spec){.grid = {40}, .block = {32}}, false);
    assert_int_equal(o->status, LAUNCH_FAULT);
    assert_non_null(strstr(o->diags, "error[E0703]"));
    assert_non_null(strstr(o->diags, "by thread (0,0,0) of block (5,0,0)"));
}

static void the_limit_on_instructions_is_exact(void **state)
{
    static const char text[] = KERNEL("", "LOOP: add.u32 %r1, %r1, 1;\nst.global.u32 [%at], %r1;\nbra.uni LOOP;\n");
    static const uint64_t limits[] = {1, 39, 40, 41, 1000, 99999};
    for (size_t i = 0; i < COUNT(limits); i++) {
        const struct outcome *const o =
            on_any_threads(*state, text, (struct launch_spec){.grid = {40}, .block = {32}, .max_steps = limits[i]}, false);
        assert_int_equal(o->status, LAUNCH_LIMIT);
        assert_int_equal(o->progress.warp_steps, limits[i]);
    }
}

/* What blocks print comes in the order of their turns. */
static void what_is_printed_comes_in_one_order(void **state)
{
    static const char text[] = KERNEL(".global .align 1 .b8 format[4] = {37, 117, 10, 0};\n"
                                      ".extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 arguments);",
                                      BUSY(3000) ".local .align 8 .b32 args[2];\nmov.u32 %r1, %ctaid.x;\nst.local.u32 [args], %r1;\n"
                                      "setp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\n"
                                      "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 s;\n"
                                      "mov.u64 %q1, format;\nst.param.b64 [a], %q1;\nmov.u64 %q2, args;\ncvta.local.u64 %q2, %q2;\nst.param.b64 [b], %q2;\n"
                                      "call (s), vprintf, (a, b);\n}\nEND:\n");
    const struct outcome *const o = on_any_threads(*state, text, (struct launch_spec){.grid = {12}, .block = {32}}, true);
    assert_string_equal(o->printed, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
}

/* Memory for a few clusters at a time only. */
static void memory_is_limited_alike(void **state)
{
    static const char text[] = KERNEL(".shared .align 4 .b8 box[16384];",
                                      "mov.u32 %r1, %ctaid.x;\nst.shared.u32 [box], %r1;\nred.global.add.u32 [%out], %r1;\n");
    const struct outcome *const o =
        on_any_threads(*state, text, (struct launch_spec){.grid = {500}, .block = {32}, .max_memory = 200000}, true);
    assert_string_equal(o->diags, "");
    assert_int_equal(o->words[0], 500 * 499 / 2 * 32);
}

/* A launch is stepped, and stopped in the middle, with its threads. */
static void a_launch_of_several_threads_can_be_stepped_and_dropped(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    static const char text[] = KERNEL("", BUSY(2000) "red.global.add.u32 [%out], 1;\n");
    const uint32_t *const words = kernel_load(&rig, room, text, &out);
    const struct launch_spec spec = {.grid = {64}, .block = {32}, .params = &out, .param_bytes = 8, .threads = 4};
    struct launch *l = tw_launch_new(rig.program, "k", &spec, &room->diags);
    uint32_t calls = 0;
    while (tw_launch_step(l, 10000) == LAUNCH_RUNNING)
        calls++;
    assert_true(calls > 10);
    assert_int_equal(words[0], 64 * 32);
    tw_launch_free(l);
    l = tw_launch_new(rig.program, "k", &spec, &room->diags);
    assert_int_equal(tw_launch_step(l, 100000), LAUNCH_RUNNING);
    tw_launch_free(l);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(atomics_come_in_one_order),
        ROOM_TEST(bulk_reductions_come_in_one_order),
        ROOM_TEST(a_race_of_the_kernel_is_none_of_the_host),
        ROOM_TEST(blocks_may_wait_for_later_blocks),
        ROOM_TEST(a_barrier_of_the_grid),
        ROOM_TEST(short_blocks_begin_by_the_hundred),
        ROOM_TEST(blocks_that_count_let_later_blocks_begin),
        ROOM_TEST(the_first_fault_is_that_of_the_lowest_block),
        ROOM_TEST(the_limit_on_instructions_is_exact),
        ROOM_TEST(what_is_printed_comes_in_one_order),
        ROOM_TEST(memory_is_limited_alike),
        ROOM_TEST(a_launch_of_several_threads_can_be_stepped_and_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
