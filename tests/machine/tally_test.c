/* The report of a run: counted by hand for small kernels. */
#include "kernel_text.h"

#include "base/json.h"

static const char *report_of(struct bench_room *room, const char *text, struct launch_spec spec, bool json)
{
    struct rig rig;
    uint64_t out;
    struct text t;
    (void)kernel_load(&rig, room, text, &out);
    spec.params = &out;
    spec.param_bytes = 8;
    spec.report = true;
    struct launch *const l = tw_launch_new(rig.program, "k", &spec, &room->diags);
    assert_non_null(l);
    assert_int_equal(tw_launch_step(l, 0), LAUNCH_FINISHED);
    assert_string_equal(tw_test_diags(room), "");
    tw_text_init(&t, &room->arena);
    assert_true(tw_launch_summary(l, json, &t));
    tw_launch_free(l);
    rig_end(&rig);
    return t.at;
}

/* Two blocks of 40 threads: a full warp and one of eight lanes each. */
static const char mixed[] =
    KERNEL(".shared .align 16 .b8 box[1024];",
           "setp.lt.u32 %p1, %t, 4;\n"
           "mul.f32 %r1, %r2, %r3;\nadd.rn.f32 %r1, %r1, %r2;\nfma.rn.f32 %r1, %r1, %r2, %r3;\nadd.f32 %r1, %r1, %r2;\n"
           "ex2.approx.f32 %r1, %r1;\n"
           "mov.u32 %r4, box;\nmad.lo.u32 %r4, %t, 16, %r4;\nst.shared.v4.u32 [%r4], {%r1, %r2, %r3, %r1};\n"
           "cvt.u64.u32 %q1, %r4;\ncvta.shared.u64 %q1, %q1;\nld.u16 %r5, [%q1];\n" /* generic: shared */
           "@%p1 red.global.add.u32 [%at], 1;\n"
           "ld.global.u32 %r6, [%at];\n");

static void instructions_bytes_and_fidelity_are_counted(void **state)
{
    for (uint32_t threads = 1; threads <= 3; threads++)
        assert_string_equal(
            report_of(*state, mixed, (struct launch_spec){.grid = {2}, .block = {40}, .threads = threads}, false),
            "           warps            threads  instructions\n"
            "               8                160  mov.u32\n"
            "               4                 80  add.f32\n"
            "               4                 80  add.rn.f32\n"
            "               4                 80  cvt.u64.u32\n"
            "               4                 80  cvta.shared.u64\n"
            "               4                 80  ex2.approx.f32\n"
            "               4                 80  fma.rn.f32\n"
            "               4                 80  ld.global.u32\n"
            "               4                 80  ld.param.u64\n"
            "               4                 80  ld.u16\n"
            "               4                 80  mad.lo.u32\n"
            "               4                 80  mad.wide.u32\n"
            "               4                 80  mul.f32\n"
            "               4                  8  red.global.add.u32\n"
            "               4                 80  ret\n"
            "               4                 80  setp.lt.u32\n"
            "               4                 80  st.shared.v4.u32\n"
            "              72               1368  in all\n"
            "            read            written  bytes of instructions and copies\n"
            "             352                 32  global\n"
            "             160               1280  shared\n"
            "             640                  0  param\n"
            "fidelity, in warp instructions\n"
            "              60  exact by definition\n"
            "               0  exact on silicon evidence\n"
            "               0  exact on others' silicon evidence\n"
            "               0  exact by published model\n"
            "               8  contractable, for want of a rounding qualifier: ptxas may fuse them, and then a GPU differs: add.f32, mul.f32\n"
            "               4  approximate: ex2.approx.f32\n"
            "               0  unsupported: a kernel that holds such an instruction is not started\n");
}

/* mma.sync m16n8k16: 2048 multiply-adds, on Hopper by words measured here, on Ampere by a published model. */
static void tensor_cores_are_counted_with_their_evidence(void **state)
{
    static const char *const body =
        ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<20>;\n.reg .f32 %f<4>;\n"
        "mov.u32 %r0, 0;\nmov.f32 %f0, 0f00000000;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f0, %f0, %f0}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f0, %f0, %f0};\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f0, %f0, %f0}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f0, %f0, %f0};\nret;\n}\n";
    static const struct { const char *target, *want; } rows[] = {
        {"sm_90a", "exact on silicon evidence: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 (mma_f16_bf16_tf32, wgmma_f16_bf16_tf32 (sm_90a))\n"},
        {"sm_80", "exact by published model: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 (PeerJ CS 7:e330; arXiv 2511.10909)\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        const char *const text = tw_format(&room->arena, ".version 8.8\n.target %s\n.address_size 64\n%s", rows[i].target, body);
        const char *const report = report_of(room, text, (struct launch_spec){.grid = {3}, .block = {64}}, false);
        assert_non_null(strstr(report, "           24576  multiply-adds of tensor cores\n"
                                       "           24576  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"));
        assert_non_null(strstr(report, tw_format(&room->arena, "              12  %s", rows[i].want)));
    }
}

static int64_t number_at(const struct json *object, const char *key)
{
    int64_t value = -1;
    assert_non_null(tw_json_get(object, key));
    assert_true(tw_json_int(tw_json_get(object, key), &value));
    return value;
}

static void the_same_is_told_as_json(void **state)
{
    struct bench_room *const room = *state;
    const char *const text = report_of(room, mixed, (struct launch_spec){.grid = {2}, .block = {40}}, true);
    struct json_error error = {0};
    const struct json *const json = tw_json_read(&room->arena, tw_str(text), &error);
    assert_non_null(json);
    assert_int_equal(number_at(json, "warps"), 72);
    assert_int_equal(number_at(json, "threads"), 1368);
    assert_int_equal(number_at(json, "multiply_adds"), 0);
    assert_int_equal(number_at(tw_json_get(tw_json_get(json, "bytes"), "shared"), "written"), 1280);
    assert_int_equal(number_at(tw_json_get(json, "fidelity"), "contractable"), 8);
    assert_int_equal(number_at(tw_json_get(json, "fidelity"), "approximate"), 4);
    assert_int_equal(tw_json_get(json, "instructions")->count, 17);
}

/* cp.async and a bulk copy: bytes that engines move. */
static void copies_are_counted(void **state)
{
    const char *const report = report_of(
        *state,
        KERNEL(".shared .align 128 .b8 box[2048];",
               "mov.u32 %r1, box;\nmad.lo.u32 %r2, %t, 16, %r1;\nmad.wide.u32 %q1, %t, 16, %out;\n"
               "cp.async.cg.shared.global [%r2], [%q1], 16;\ncp.async.wait_all;\nbar.sync 0;\nfence.proxy.async.shared::cta;\n"
               "setp.ne.u32 %p1, %t, 0;\n@%p1 bra END;\n"
               "cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 512;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:\n"),
        (struct launch_spec){.block = {32}}, false);
    assert_non_null(strstr(report, "             512                512  global\n"));
    assert_non_null(strstr(report, "             512                512  shared\n"));
}

static void a_launch_that_does_not_ask_has_no_report(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    uint64_t out;
    struct text t;
    (void)kernel_load(&rig, room, mixed, &out);
    struct launch *const l = tw_launch_new(rig.program, "k", &(struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8}, &room->diags);
    assert_int_equal(tw_launch_step(l, 0), LAUNCH_FINISHED);
    tw_text_init(&t, &room->arena);
    assert_false(tw_launch_summary(l, false, &t));
    tw_launch_free(l);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(instructions_bytes_and_fidelity_are_counted),
        ROOM_TEST(tensor_cores_are_counted_with_their_evidence),
        ROOM_TEST(the_same_is_told_as_json),
        ROOM_TEST(copies_are_counted),
        ROOM_TEST(a_launch_that_does_not_ask_has_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
