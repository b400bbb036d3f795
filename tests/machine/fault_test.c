/* Every fault of a running kernel, by its exact text. */
#include "kernel_text.h"

static void a_load_past_an_allocation(void **state)
{
    kernel_must_fail(*state, KERNEL(".file 1 \"k.py\"", ".loc 1 12 3\nld.global.u32 %r1, [%at+16384];\n"), 2, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0701]: load of 4 bytes at 0x700000004000, outside global memory\n"
                     "   12 | ld.global.u32 %r1, [%at+16384];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address inside an allocation\n"
                     "     found: 0 bytes past the end of 'out' of 16384 bytes\n"
                     "note: by thread (0,0,0) of block (0,0,0), k.py:12\n");
}

static void a_store_that_runs_over_the_end(void **state)
{
    kernel_must_fail(*state, KERNEL("", "setp.eq.u32 %p1, %t, 3;\n@%p1 st.global.u8 [%out+16385], 1;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0701]: store of 1 byte at 0x700000004001, outside global memory\n"
                     "   12 | @%p1 st.global.u8 [%out+16385], 1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address inside an allocation\n"
                     "     found: 1 bytes past the end of 'out' of 16384 bytes\n"
                     "note: by thread (3,0,0) of block (0,0,0)\n");
}

static void an_atomic_at_the_null_address(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u64 %q1, 0;\nred.global.add.u32 [%q1], 1;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0701]: atomic of 4 bytes at 0x0, outside global memory\n"
                     "   12 | red.global.add.u32 [%q1], 1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address inside an allocation\n"
                     "     found: a null pointer\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_member_of_a_null_pointer(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u64 %q1, 0;\nld.u32 %r1, [%q1+65532];\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0701]: load of 4 bytes at 0xfffc, outside global memory\n"
                     "   12 | ld.u32 %r1, [%q1+65532];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address inside an allocation\n"
                     "     found: byte 65532 behind a null pointer\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_load_far_before_an_allocation(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u64 %q1, 65536;\nld.u32 %r1, [%q1];\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0701]: load of 4 bytes at 0x10000, outside global memory\n"
                     "   12 | ld.u32 %r1, [%q1];\n"
                     "      | ^~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address inside an allocation\n"
                     "     found: 123145302245376 bytes before 'out' of 16384 bytes\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_misaligned_load(void **state)
{
    kernel_must_fail(*state, KERNEL("", "ld.global.v2.u32 {%r1, %r2}, [%out+4];\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:11:1: error[E0703]: misaligned load of 8 bytes at global address 0x700000000004\n"
                     "   11 | ld.global.v2.u32 {%r1, %r2}, [%out+4];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address that is a multiple of 8\n"
                     "     found: 0x700000000004, 4 over\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_shared_store_past_the_last_variable(void **state)
{
    kernel_must_fail(*state, KERNEL(".shared .align 4 .b8 box[64];", "st.shared.u32 [box+64], %t;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:11:1: error[E0702]: store of 4 bytes at 0x440, outside shared memory\n"
                     "   11 | st.shared.u32 [box+64], %t;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address from 0x400 to 0x43f\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void shared_memory_in_a_kernel_that_has_none(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u32 %r1, 1024;\nld.shared.u32 %r2, [%r1];\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0702]: load of 4 bytes at 0x400, outside shared memory\n"
                     "   12 | ld.shared.u32 %r2, [%r1];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: no access: the kernel has no shared memory\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

/* The usual cause, a contract that leaves the bytes out, is named. */
static void dynamic_shared_memory_that_the_launch_does_not_give(void **state)
{
    kernel_must_fail(*state, KERNEL(".extern .shared .align 16 .b8 pool[];", "st.shared.u32 [pool], %t;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:11:1: error[E0702]: store of 4 bytes at 0x400, outside shared memory\n"
                     "   11 | st.shared.u32 [pool], %t;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: no access: the kernel has no shared memory\n"
                     "     found: 0 bytes of dynamic shared memory\n"
                     "       fix: launch with more dynamic_shared_bytes, if the kernel needs more\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_local_access_past_the_frame(void **state)
{
    kernel_must_fail(*state, KERNEL("", ".local .align 4 .b8 depot[16];\nmov.u32 %r1, depot;\nld.local.u32 %r2, [%r1+16];\n"), 1, 32,
                     LAUNCH_FAULT,
                     "k.ptx:13:1: error[E0702]: load of 4 bytes at 0x10, outside local memory\n"
                     "   13 | ld.local.u32 %r2, [%r1+16];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address from 0x0 to 0xf\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_parameter_read_past_the_block(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u64 %q1, out;\nld.param.u64 %q2, [%q1+8];\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0702]: load of 8 bytes at 0x8, outside param memory\n"
                     "   12 | ld.param.u64 %q2, [%q1+8];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address from 0x0 to 0x7\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_generic_store_into_parameters(void **state)
{
    kernel_must_fail(*state, KERNEL("", "mov.u64 %q1, out;\ncvta.param.u64 %q2, %q1;\nst.u32 [%q2], 1;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:13:1: error[E0704]: store of 4 bytes at param address 0x0\n"
                     "   13 | st.u32 [%q2], 1;\n"
                     "      | ^~~~~~~~~~~~~~~~\n"
                     "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_plain_shared_access_with_another_rank(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room,
                      ".version 8.8\n.target sm_90a\n.address_size 64\n.shared .align 4 .b32 box;\n"
                      ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>;\n"
                      "mov.u32 %r1, box;\nor.b32 %r1, %r1, 0x1000000;\nst.shared.u32 [%r1], 1;\nret;\n}\n",
                      &out);
    const enum launch_status status =
        rig_run(&rig, "k", (struct launch_spec){.grid = {2}, .block = {1}, .cluster = {2}, .params = &out, .param_bytes = 8, .seed = 1});
    assert_int_equal(status, LAUNCH_FAULT);
    tw_test_expect_diags(room, "k.ptx:10:1: error[E0719]: store of 4 bytes at shared::cta address 0x1000400\n"
                               "   10 | st.shared.u32 [%r1], 1;\n"
                               "      | ^~~~~~~~~~~~~~~~~~~~~~~\n"
                               "     found: rank 1 in bits 31:24; the executing CTA has rank 0\n"
                               "note: by thread (0,0,0) of block (0,0,0)\n");
    rig_end(&rig);
}

static void a_trap(void **state)
{
    kernel_must_fail(*state, KERNEL("", "setp.eq.u32 %p1, %t, 9;\n@%p1 trap;\n"), 1, 32, LAUNCH_FAULT,
                     "k.ptx:12:1: error[E0711]: the kernel executed a trap\n"
                     "   12 | @%p1 trap;\n"
                     "      | ^~~~~~~~~~\n"
                     "note: by thread (9,0,0) of block (0,0,0)\n");
}

static void an_instruction_that_is_not_executed_is_named_before_the_run(void **state)
{
    kernel_must_fail(*state,
                     KERNEL("", "st.global.u32 [%at], 1;\n"
                                "cvt.rn.f32.s32 %r1, %r2;\nmultimem.red.relaxed.gpu.global.add.u32 [%at], %r1;\n"
                                "multimem.red.relaxed.gpu.global.add.u32 [%at], %r2;\nmultimem.st.relaxed.gpu.global.u32 [%at], %r1;\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:13:1: error[E0709]: 'multimem.red.relaxed.gpu.global.add.u32' is known, but this machine does not execute it\n"
                     "   13 | multimem.red.relaxed.gpu.global.add.u32 [%at], %r1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "     found: 2 instructions of this form in 'k'; a multicast address joins the memories of several GPUs, and the machine is one\n"
                     "k.ptx:15:1: error[E0709]: 'multimem.st.relaxed.gpu.global.u32' is known, but this machine does not execute it\n"
                     "   15 | multimem.st.relaxed.gpu.global.u32 [%at], %r1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "     found: 1 instruction of this form in 'k'; a multicast address joins the memories of several GPUs, and the machine is one\n");
}

/* What is known of these ends before the bytes do: they are refused by name, each form with its count, and nothing runs. */
static void a_form_whose_bytes_nobody_has_documented_is_named_before_the_run(void **state)
{
#define BLACKWELL(body)                                                                                             \
    ".version 9.0\n.target sm_103a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"                   \
    ".reg .b64 %out, %q<4>; .reg .b32 %r<9>; .reg .b16 %h<4>; .shared .align 128 .b8 box[1024]; .shared .align 8 .b64 bar;\n" \
    "ld.param.u64 %out, [out];\nst.global.u32 [%out], 1;\n" body "ret;\n}\n"
    static const struct { const char *text, *want; } rows[] = {
        {BLACKWELL("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [box], [%q1, {%r1, %r2, %r3}], [bar], {%h1, %h2};\n"
                   "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [box], [%q1, {%r1, %r2, %r3}], [bar], {%h1, %h2};\n"
                   "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [box], [%q1, {%r1, %r2, %r3}], [bar], {%h1, %h2};\n"
                   "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w [%q1, {%r1, %r2, %r3}], {%h1, %h2};\n"),
         "k.ptx:9:1: error[E0709]: 'cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes' is known, but this machine does not execute it\n"
         "    9 | cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [box], [%q1, {%r1, %r2, %r3}], [bar], {%h1, %h2};\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "     found: 2 instructions of this form in 'k'; how pixels beyond the corners of W are walked in this mode is documented nowhere\n"
         "k.ptx:11:1: error[E0709]: 'cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes' is known, but this machine does not execute it\n"
         "   11 | cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [box], [%q1, {%r1, %r2, %r3}], [bar], {%h1, %h2};\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "     found: 1 instruction of this form in 'k'; how pixels beyond the corners of W are walked in this mode is documented nowhere\n"
         "k.ptx:12:1: error[E0709]: 'cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w' is known, but this machine does not execute it\n"
         "   12 | cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w [%q1, {%r1, %r2, %r3}], {%h1, %h2};\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "     found: 1 instruction of this form in 'k'; how pixels beyond the corners of W are walked in this mode is documented nowhere\n"},
        {BLACKWELL("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%out], 4;\n"),
         "k.ptx:9:1: error[E0709]: 'tensormap.replace.tile.swizzle_mode.global.b1024.b32' is known, but this machine does not execute it\n"
         "    9 | tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%out], 4;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "     found: 1 instruction of this form in 'k'; where swizzle 96B puts a row is documented nowhere\n"},
    };
#undef BLACKWELL
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        uint64_t out;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        const uint32_t *const words = kernel_load(&rig, room, rows[i].text, &out);
        assert_int_equal(kernel_run(&rig, &out, 1, 32, 1), LAUNCH_FAULT);
        tw_test_expect_diags(room, rows[i].want);
        assert_int_equal(words[0], 0);
        rig_end(&rig);
    }
}

static void a_limit_on_instructions(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room, KERNEL(".file 1 \"k.py\"", ".loc 1 4 1\nLOOP: add.u32 %r1, %r1, 1;\nbra.uni LOOP;\n"), &out);
    const enum launch_status status = rig_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8, .max_steps = 5000});
    assert_int_equal(status, LAUNCH_LIMIT);
    tw_test_expect_diags(room, "error[E0707]: the limit on instructions was reached: 5000 warp instructions\n"
                               "     found: 0 of 1 CTAs done after 5000 warp instructions\n"
                               "       fix: raise --max-steps, if the kernel needs more\n"
                               "k.ptx:13:1: note: 'k' was running: warp 0 of block (0,0,0) is here, k.py:4\n"
                               "   13 | bra.uni LOOP;\n"
                               "      | ^~~~~~~~~~~~~\n");
    rig_end(&rig);
}

static uint64_t fake_clock(void *context)
{
    uint64_t *const now = context;
    return *now += 1000000000;
}

/* Both instructions of the loop stand in one line of the source, and where the clock stops it depends on how often the machine
 * looks: the count is the launch's own. */
static void a_limit_on_time(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out, now = 0;
    (void)kernel_load(&rig, room, KERNEL(".file 1 \"k.py\"", ".loc 1 7 1\nLOOP: add.u32 %r1, %r1, 1;\nbra.uni LOOP;\n"), &out);
    const enum launch_status status = rig_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8,
                                                                              .max_nanoseconds = 2500000000, .clock = fake_clock,
                                                                              .clock_context = &now});
    assert_int_equal(status, LAUNCH_LIMIT);
    enum { PROLOGUE = 3 }; /* of KERNEL, before the loop */
    const bool at_branch = (rig.progress.warp_steps - PROLOGUE) % 2 != 0;
    const char *const place = at_branch ? "k.ptx:13:1: note: 'k' was running: warp 0 of block (0,0,0) is here, k.py:7\n"
                                          "   13 | bra.uni LOOP;\n"
                                          "      | ^~~~~~~~~~~~~\n"
                                        : "k.ptx:12:7: note: 'k' was running: warp 0 of block (0,0,0) is here, k.py:7\n"
                                          "   12 | LOOP: add.u32 %r1, %r1, 1;\n"
                                          "      |       ^~~~~~~~~~~~~~~~~~~~\n";
    tw_test_expect_diags(room, tw_format(&room->arena,
                                         "error[E0707]: the limit on time was reached: 2500 ms\n"
                                         "     found: 0 of 1 CTAs done after %llu warp instructions\n"
                                         "       fix: raise --max-seconds, if the kernel needs more\n"
                                         "%s",
                                         (unsigned long long)rig.progress.warp_steps, place));
    rig_end(&rig);
}

/* Nothing has run yet: the kernel that could not begin is named, and what it needs. */
static void a_limit_on_memory(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room, KERNEL(".shared .align 4 .b8 box[40000];", "st.shared.u32 [box], 1;\n"), &out);
    const enum launch_status status =
        rig_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8, .max_memory = 30000});
    assert_int_equal(status, LAUNCH_LIMIT);
    tw_test_expect_diags(room, "error[E0707]: the limit on memory was reached: 30000 bytes\n"
                               "     found: 0 of 1 CTAs done after 0 warp instructions\n"
                               "       fix: raise --max-memory, if the kernel needs more\n"
                               "k.ptx:5:17: note: 'k' could not begin: a cluster of 1 x 1 x 1 CTAs starts with about 46 KiB\n"
                               "    5 | .visible .entry k(.param .u64 out)\n"
                               "      |                 ^\n");
    rig_end(&rig);
}

/* What was inlined names the lines that it was inlined at, from the inside out. */
static void the_source_of_inlined_code_is_told_to_the_kernel(void **state)
{
    kernel_must_fail(*state,
                     KERNEL(".file 1 \"k.cu\"\n.file 2 \"poke.h\"",
                            ".loc 1 8 3\nadd.u64 %q1, %out, 99999;\n.loc 1 5 7, function_name $L__a, inlined_at 1 8 3\n.loc 2 2 1, function_name $L__a, inlined_at 1 5 7\n"
                            "st.global.u8 [%q1], 1;\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:16:1: error[E0701]: store of 1 byte at 0x70000001869f, outside global memory\n"
                     "   16 | st.global.u8 [%q1], 1;\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address inside an allocation\n"
                     "     found: 83615 bytes past the end of 'out' of 16384 bytes\n"
                     "note: by thread (0,0,0) of block (0,0,0), poke.h:2, inlined at k.cu:5, at k.cu:8\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_load_past_an_allocation),
        ROOM_TEST(a_store_that_runs_over_the_end),
        ROOM_TEST(an_atomic_at_the_null_address),
        ROOM_TEST(a_member_of_a_null_pointer),
        ROOM_TEST(a_load_far_before_an_allocation),
        ROOM_TEST(a_misaligned_load),
        ROOM_TEST(a_shared_store_past_the_last_variable),
        ROOM_TEST(shared_memory_in_a_kernel_that_has_none),
        ROOM_TEST(dynamic_shared_memory_that_the_launch_does_not_give),
        ROOM_TEST(a_local_access_past_the_frame),
        ROOM_TEST(a_parameter_read_past_the_block),
        ROOM_TEST(a_generic_store_into_parameters),
        ROOM_TEST(a_plain_shared_access_with_another_rank),
        ROOM_TEST(a_trap),
        ROOM_TEST(the_source_of_inlined_code_is_told_to_the_kernel),
        ROOM_TEST(an_instruction_that_is_not_executed_is_named_before_the_run),
        ROOM_TEST(a_form_whose_bytes_nobody_has_documented_is_named_before_the_run),
        ROOM_TEST(a_limit_on_instructions),
        ROOM_TEST(a_limit_on_time),
        ROOM_TEST(a_limit_on_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
