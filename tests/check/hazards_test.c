/* Missing proxy fences, seen in the events of a run: what is an error, what a note, and what is in order.
 * SOURCE: PTX ISA, memory consistency model, proxies; ptx-async.md 7.4 rows 4, 5 and 7, 7.6. */
#include "support/check.h"

#include "check/hazards.h"
#include "machine/kernel_text.h"

/* Every thread writes its word of `box`, a bulk store of thread 0 reads all of them, and the rest of the kernel waits for it. */
#define BOX "mov.u32 %r1, box;\nmad.lo.u32 %r2, %t, 4, %r1;\nsetp.eq.u32 %p1, %t, 0;\n"
#define WRITE "st.shared.u32 [%r2], %t;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define SYNC "bar.sync 0;\n"
#define READ "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [box], 256;\n"
#define DONE "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
#define DECLS ".shared .align 128 .b8 box[256]; .shared .align 8 .b64 bar; .shared .align 128 .b8 more[256];"

static void run(struct bench_room *room, const char *text, struct launch_spec spec)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room, text, &out);
    assert_true(tw_hazards_possible(rig.module));
    struct hazards *const h = tw_hazards_new();
    assert_non_null(h);
    spec.observer = tw_hazards_observer(h);
    spec.params = &out;
    spec.param_bytes = 8;
    spec.max_steps = 1000000;
    struct launch *const l = tw_launch_new(rig.program, "k", &spec, &room->diags);
    assert_non_null(l);
    const enum launch_status status = tw_launch_step(l, 0);
    assert_true(tw_hazards_report(h, l, &room->diags));
    tw_launch_free(l);
    tw_hazards_free(h);
    rig_end(&rig);
    if (status != LAUNCH_FINISHED)
        fail_msg("status %d\n%s", (int)status, tw_test_diags(room));
}

static void expect(void **state, const char *text, const char *want)
{
    run(*state, text, (struct launch_spec){.block = {64}, .seed = 1});
    tw_test_expect_diags(*state, want);
    tw_test_teardown(state);
    tw_test_setup(state);
}

#define SITES(write_line, write, write_bar, thread)                                   \
    "k.ptx:" write_line ":1: note: written by thread (" thread ") of block (0,0,0)\n" \
    "   " write_line " | " write "\n"                                                 \
    "      | " write_bar "\n"                                                         \
    "note: read for thread (0,0,0) of block (0,0,0)\n"

static void a_store_without_a_proxy_fence_is_an_error(void **state)
{
    expect(state, KERNEL(DECLS, BOX WRITE FENCE SYNC READ DONE), "");
    expect(state, KERNEL(DECLS, BOX WRITE SYNC READ DONE),
           "k.ptx:16:1: error[E0920]: cp.async.bulk reads shared memory that st has written without a proxy fence\n"
           "   16 | @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [box], 256;\n"
           "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
           "  expected: fence.proxy.async by the thread that writes, after its st and before it arrives at the barrier\n"
           "     found: no fence.proxy.async between the two by thread (0,0,0) of block (0,0,0), which wrote shared address 0x400\n"
           "       fix: let every thread that writes execute fence.proxy.async.shared::cta in front of the barrier\n"
           "      spec: PTX ISA, memory consistency model, proxies\n"
           SITES("14", "st.shared.u32 [%r2], %t;", "^~~~~~~~~~~~~~~~~~~~~~~~", "0,0,0"));
}

#define STORE(line, at) ".loc 1 " line " 3\nst.shared.u32 [%r2+" at "], %t;\n"
#define UNROLLED(first, second, third) KERNEL(".file 1 \"k.cu\"\n.shared .align 128 .b8 box[768];", BOX first second third SYNC READ_ALL DONE)
#define READ_ALL "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [box], 768;\n"
#define UNFENCED(address, write_line, at, bar, source)                                                                               \
    "k.ptx:22:1: error[E0920]: cp.async.bulk reads shared memory that st has written without a proxy fence\n"                        \
    "   22 | @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [box], 768;\n"                                                 \
    "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"                                                 \
    "  expected: fence.proxy.async by the thread that writes, after its st and before it arrives at the barrier\n"                   \
    "     found: no fence.proxy.async between the two by thread (0,0,0) of block (0,0,0), which wrote shared address " address "\n"  \
    "       fix: let every thread that writes execute fence.proxy.async.shared::cta in front of the barrier\n"                       \
    "      spec: PTX ISA, memory consistency model, proxies\n"                                                                       \
    "k.ptx:" write_line ":1: note: written by thread (0,0,0) of block (0,0,0), k.cu:" source "\n"                                    \
    "   " write_line " | st.shared.u32 [%r2+" at "], %t;\n      | " bar "\n"                                                         \
    "note: read for thread (0,0,0) of block (0,0,0), k.cu:"

/* A compiler that unrolls a loop makes many stores of one line; the first stands for all of them. */
static void stores_of_one_line_are_one_finding(void **state)
{
    expect(state, UNROLLED(STORE("5", "0"), STORE("5", "256"), STORE("5", "512")),
           UNFENCED("0x400", "16", "0", "^~~~~~~~~~~~~~~~~~~~~~~~~~", "5") "5\n"
           "note: the same is true of 2 more st instructions of that line\n");
    expect(state, UNROLLED(STORE("5", "0"), STORE("6", "256"), STORE("5", "512")),
           UNFENCED("0x400", "16", "0", "^~~~~~~~~~~~~~~~~~~~~~~~~~", "5") "5\n"
           "note: the same is true of 1 more st instruction of that line\n"
           UNFENCED("0x500", "18", "256", "^~~~~~~~~~~~~~~~~~~~~~~~~~~~", "6") "5\n");
}

static void a_fence_behind_the_barrier_is_a_note(void **state)
{
    expect(state, KERNEL(DECLS, BOX WRITE SYNC FENCE READ DONE),
           "k.ptx:17:1: note[E0921]: the proxy fence between st and cp.async.bulk stands behind the synchronisation\n"
           "   17 | @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [box], 256;\n"
           "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
           "  expected: fence.proxy.async by the thread that writes, after its st and before it arrives at the barrier\n"
           "     found: thread (32,0,0) of block (0,0,0), which wrote shared address 0x480, synchronised before a fence.proxy.async of its own\n"
           "       fix: let every thread that writes execute fence.proxy.async.shared::cta in front of the barrier\n"
           "      spec: PTX ISA, memory consistency model, proxies\n"
           SITES("14", "st.shared.u32 [%r2], %t;", "^~~~~~~~~~~~~~~~~~~~~~~~", "32,0,0"));
}

#define COPY "cp.async.ca.shared.global [%r2], [%at], 4;\n"
#define COPIED "cp.async.wait_all;\n"

static void a_copy_without_a_proxy_fence_is_a_note(void **state)
{
    expect(state, KERNEL(DECLS, BOX COPY COPIED FENCE SYNC READ DONE), "");
    expect(state, KERNEL(DECLS, BOX COPY COPIED SYNC FENCE READ DONE), ""); /* by any thread, after the wait */
    expect(state, KERNEL(DECLS, BOX COPY COPIED SYNC READ DONE),
           "k.ptx:17:1: note[E0922]: cp.async.bulk reads shared memory that cp.async has written without a proxy fence\n"
           "   17 | @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [box], 256;\n"
           "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
           "  expected: fence.proxy.async by the thread that writes, after its cp.async has been waited for and before it arrives at the barrier\n"
           "     found: no fence.proxy.async between the two by thread (0,0,0) of block (0,0,0), which wrote shared address 0x400\n"
           "       fix: let every thread that copies execute fence.proxy.async.shared::cta in front of the barrier\n"
           "      spec: PTX ISA, memory consistency model, proxies\n"
           SITES("14", "cp.async.ca.shared.global [%r2], [%at], 4;", "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "0,0,0"));
}

/* ---- Tensor memory ---------------------------------------------------------------------------------------------------- */

/* A warp copies 512 bytes to tensor memory and commits; the body waits and loads a column. */
#define COPIED_AWAIT "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
#define LOAD "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r5}, [%r3];\n"
#define TENSOR(body)                                                                                              \
    ".version 8.8\n.target sm_100a\n.address_size 64\n"                                                          \
    ".shared .align 128 .b8 box[512]; .shared .align 8 .b64 bar; .shared .align 4 .b32 slot;\n"                   \
    ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %q<4>;\n"              \
    "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\nmov.u32 %r1, box;\nmad.lo.u32 %r2, %r0, 16, %r1;\n"         \
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\n"                                       \
    "@%p1 mbarrier.init.shared.b64 [bar], 1;\nst.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\n"                   \
    "fence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.u32 %r3, [slot];\n"                                 \
    "shr.u32 %r4, %r1, 4;\ncvt.u64.u32 %q1, %r4;\nor.b64 %q1, %q1, 0x400800000000;\n"                           \
    "@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r3], %q1;\n"                                                  \
    "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"                        \
    body "tcgen05.wait::ld.sync.aligned;\n"                                                                       \
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;\nret;\n}\n"

static void a_load_without_the_fence_after_the_wait_is_a_note(void **state)
{
    run(*state, TENSOR(COPIED_AWAIT "tcgen05.fence::after_thread_sync;\n" LOAD), (struct launch_spec){.block = {32}, .seed = 1});
    tw_test_expect_diags(*state, "");
    run(*state, TENSOR(COPIED_AWAIT "tcgen05.fence::before_thread_sync;\n" LOAD), (struct launch_spec){.block = {32}, .seed = 1});
    tw_test_expect_diags(*state,
        "k.ptx:26:1: note[E0923]: tcgen05.ld reads what tcgen05.cp has written without tcgen05.fence::after_thread_sync\n"
        "   26 | tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r5}, [%r3];\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: tcgen05.fence::after_thread_sync between the wait for the completion and this instruction\n"
        "     found: no such fence by the warp since lane 0, column 0 of tensor memory was written\n"
        "       fix: put tcgen05.fence::after_thread_sync behind the wait\n"
        "      spec: PTX ISA, tcgen05.fence\n"
        "k.ptx:21:1: note: written by thread (0,0,0) of block (0,0,0)\n"
        "   21 | @%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r3], %q1;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "note: read for thread (0,0,0) of block (0,0,0)\n");
}

static void a_load_before_the_completion_is_an_error(void **state)
{
    run(*state, TENSOR("bar.sync 0;\ntcgen05.fence::after_thread_sync;\n" LOAD COPIED_AWAIT), (struct launch_spec){.block = {32}, .seed = 1});
    tw_test_expect_diags(*state,
        "k.ptx:25:1: error[E0924]: tcgen05.ld reads tensor memory before tcgen05.cp, issued before it, is complete\n"
        "   25 | tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r5}, [%r3];\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a wait for the commit of the tcgen05.cp in front of this instruction\n"
        "     found: lane 0, column 0 of tensor memory was loaded between the issue and the completion\n"
        "       fix: wait for the mbarrier of the tcgen05.commit, then execute tcgen05.fence::after_thread_sync\n"
        "      spec: PTX ISA, tcgen05 memory consistency model\n"
        "k.ptx:21:1: note: written by thread (0,0,0) of block (0,0,0)\n"
        "   21 | @%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r3], %q1;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "note: read for thread (0,0,0) of block (0,0,0)\n");
}

static void memory_that_is_being_read_is_not_written_again(void **state)
{
    expect(state, KERNEL(DECLS, BOX WRITE FENCE SYNC READ DONE SYNC WRITE), "");
    expect(state, KERNEL(DECLS, BOX WRITE FENCE SYNC READ "@%p1 st.shared.u32 [%r2], 0;\n" DONE),
           "k.ptx:18:1: error[E0925]: st overwrites shared memory that cp.async.bulk, issued before it, still reads\n"
           "   18 | @%p1 st.shared.u32 [%r2], 0;\n"
           "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
           "  expected: a wait for the completion of the cp.async.bulk in front of this instruction\n"
           "     found: thread (0,0,0) of block (0,0,0) wrote shared address 0x400 between the issue and the completion\n"
           "       fix: wait for the operation (its mbarrier, or its group) before the memory is written again\n"
           "      spec: PTX ISA, asynchronous operations\n"
           "k.ptx:17:1: note: issued by thread (0,0,0) of block (0,0,0)\n"
           "   17 | @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [box], 256;\n"
           "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
           "note: written by thread (0,0,0) of block (0,0,0)\n");
}

/* ---- Tables: which code is found, once for each writing instruction ------------------------------------------------- */

struct rule {
    const char *rule, *body;
    int code; /* 0: nothing */
    unsigned count;
};

static void check_rules(void **state, const struct rule *rules, size_t count, struct launch_spec spec)
{
    for (size_t i = 0; i < count; i++) {
        struct bench_room *const room = *state;
        char text[4096];
        snprintf(text, sizeof text, "%s%sret;\n}\n", KERNEL_HEAD(DECLS), rules[i].body);
        run(room, text, spec);
        unsigned found = 0;
        for (uint32_t k = 0; k < room->diags.list.len; k++)
            found += (int)room->diags.list.at[k]->code == rules[i].code;
        if (found != rules[i].count || room->diags.list.len != rules[i].count)
            fail_msg("%s\n%s", rules[i].rule, tw_test_diags(room));
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

#define ONE_FENCES "@%p1 fence.proxy.async.shared::cta;\n"
#define INIT "@%p1 mbarrier.init.shared.b64 [bar], 64;\n" SYNC
#define ARRIVE "mbarrier.arrive.shared.b64 %q1, [bar];\n"
#define AWAIT "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"

static void the_writing_thread_fences_its_own_writes(void **state)
{
    static const struct rule rules[] = {
        {"another thread's fence before the barrier covers nothing", BOX WRITE ONE_FENCES SYNC READ DONE, E0920, 1},
        {"another thread's fence behind the barrier is on the path", BOX WRITE SYNC ONE_FENCES READ DONE, E0921, 1},
        {"a fence before the write covers nothing", BOX FENCE WRITE SYNC READ DONE, E0920, 1},
        {"a fence of global memory covers nothing", BOX WRITE "fence.proxy.async.global;\n" SYNC READ DONE, E0920, 1},
        {"a fence of all spaces covers shared memory", BOX WRITE "fence.proxy.async;\n" SYNC READ DONE, 0, 0},
        {"an ordinary fence is no proxy fence", BOX WRITE "fence.acq_rel.cta;\n" SYNC READ DONE, E0920, 1},
        {"later fences do not hide the first", BOX WRITE FENCE SYNC FENCE FENCE FENCE FENCE FENCE READ DONE, 0, 0},
        {"two writing instructions are two faults", BOX WRITE "@%p1 st.shared.u32 [more], %t;\n" SYNC READ
         "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [more], 16;\n" DONE, E0920, 2},
        {"an atomic writes", BOX "atom.shared.add.u32 %r4, [%r2], %t;\n" SYNC READ DONE, E0920, 1},
        {"a generic address may be shared", BOX "cvta.shared.u64 %q2, box;\nmad.wide.u32 %q2, %t, 4, %q2;\nst.u32 [%q2], %t;\n" SYNC READ DONE, E0920, 1},
        {"a window of the cluster is shared", BOX "st.shared::cluster.u32 [%r2], %t;\n" SYNC READ DONE, E0920, 1},
        {"a store after the read is another matter", BOX WRITE FENCE SYNC READ DONE SYNC WRITE, 0, 0},
        {"what is not read needs no fence", BOX WRITE SYNC "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [more], 256;\n" DONE, 0, 0},
    };
    check_rules(state, rules, COUNT(rules), (struct launch_spec){.block = {64}, .seed = 1});
}

static void every_barrier_orders_the_fence_before_the_read(void **state)
{
    static const struct rule rules[] = {
        {"an mbarrier", BOX INIT WRITE FENCE ARRIVE AWAIT READ DONE, 0, 0},
        {"an mbarrier before the fence", BOX INIT WRITE ARRIVE AWAIT FENCE READ DONE, E0921, 1},
        {"an mbarrier, no fence", BOX INIT WRITE ARRIVE AWAIT READ DONE, E0920, 1},
        {"arrive of one warp, sync of the other",
         BOX WRITE FENCE "setp.ge.u32 %p3, %t, 32;\n@%p3 bar.arrive 1, 64;\n@!%p3 bar.sync 1, 64;\n" READ DONE, 0, 0},
        {"arrive of one warp before its fence",
         BOX WRITE "setp.ge.u32 %p3, %t, 32;\n@%p3 bar.arrive 1, 64;\n" FENCE "@!%p3 bar.sync 1, 64;\n" READ DONE, E0921, 1},
        {"a cluster barrier", BOX WRITE FENCE "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" READ DONE, 0, 0},
        {"a cluster barrier, no fence", BOX WRITE "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" READ DONE, E0920, 1},
    };
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_rules(state, rules, COUNT(rules), (struct launch_spec){.block = {64}, .seed = seed});
}

/* The copy arrives when it has landed, and the thread that waits for the arrival is the first who can fence. */
static void a_copy_that_arrives_by_itself_is_fenced_by_who_waits(void **state)
{
    static const struct rule rules[] = {
        {"fence after the wait", BOX INIT COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" AWAIT FENCE READ DONE, 0, 0},
        {"fence before the wait", BOX INIT COPY FENCE "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" AWAIT READ DONE, E0922, 1},
    };
    check_rules(state, rules, COUNT(rules), (struct launch_spec){.block = {64}, .seed = 1});
}

/* What an engine has written since, an engine may read. */
static void an_engines_own_writes_need_no_fence(void **state)
{
    static const struct rule rules[] = {
        {"a bulk load has overwritten the words",
         BOX INIT WRITE FENCE SYNC "@%p1 mbarrier.expect_tx.shared.b64 [bar], 256;\n"
         "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%out], 256, [bar];\n" ARRIVE AWAIT READ DONE, 0, 0},
    };
    check_rules(state, rules, COUNT(rules), (struct launch_spec){.block = {64}, .seed = 1});
}

/* Clusters follow one another in the same memory of the detector, and may run side by side. */
static void findings_are_the_same_on_any_number_of_threads(void **state)
{
    char *first = NULL;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct bench_room *const room = *state;
        run(room, KERNEL(DECLS, BOX "mov.u32 %r5, %ctaid.x;\nsetp.ge.u32 %p4, %r5, 3;\n@%p4 bra MEET;\n" FENCE "MEET:\n" WRITE
                         "@!%p4 fence.proxy.async.shared::cta;\n" SYNC READ DONE),
            (struct launch_spec){.grid = {12}, .block = {64}, .seed = 1, .threads = threads});
        assert_int_equal(room->diags.error_count, 1);
        const char *const text = tw_test_diags(room);
        assert_non_null(strstr(text, "thread (0,0,0) of block (3,0,0)"));
        if (first == NULL)
            first = strdup(text);
        assert_string_equal(text, first);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
    free(first);
}

static void a_module_without_engines_needs_no_observer(void **state)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, *state, KERNEL(DECLS, BOX WRITE SYNC), &out);
    assert_false(tw_hazards_possible(rig.module));
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_store_without_a_proxy_fence_is_an_error),
        ROOM_TEST(stores_of_one_line_are_one_finding),
        ROOM_TEST(a_fence_behind_the_barrier_is_a_note),
        ROOM_TEST(a_copy_without_a_proxy_fence_is_a_note),
        ROOM_TEST(a_load_without_the_fence_after_the_wait_is_a_note),
        ROOM_TEST(a_load_before_the_completion_is_an_error),
        ROOM_TEST(memory_that_is_being_read_is_not_written_again),
        ROOM_TEST(the_writing_thread_fences_its_own_writes),
        ROOM_TEST(every_barrier_orders_the_fence_before_the_read),
        ROOM_TEST(a_copy_that_arrives_by_itself_is_fenced_by_who_waits),
        ROOM_TEST(an_engines_own_writes_need_no_fence),
        ROOM_TEST(findings_are_the_same_on_any_number_of_threads),
        ROOM_TEST(a_module_without_engines_needs_no_observer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
