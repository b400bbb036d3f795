/* Loads, stores, address spaces, sums in memory. SOURCE: PTX ISA, ld, st, st.bulk, red, cvta, isspacep; ptx-async.md 8.1, 8.7. */
#include "kernel_text.h"

/* A wider register is filled by the type of the load; a narrow store takes the low bits. */
static void loads_extend_by_their_type(void **state)
{
    static const struct { const char *type, *reg; uint64_t want; } rows[] = {
        {"u8", "b32", 0x88}, {"s8", "b32", 0xffffff88}, {"b8", "b32", 0x88}, {"u16", "b32", 0x9988}, {"s16", "b32", 0xffff9988},
        {"s8", "b16", 0xff88}, {"u8", "b16", 0x88}, {"s8", "b64", 0xffffffffffffff88}, {"u32", "b64", 0xbbaa9988},
        {"s32", "b64", 0xffffffffbbaa9988}, {"b32", "f32", 0xbbaa9988}, {"b16", "b16", 0x9988}, {"b64", "b64", 0xffeeddccbbaa9988},
        {"f32", "b64", 0xbbaa9988}, {"f64", "f64", 0xffeeddccbbaa9988},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, KERNEL_HEAD(""));
        tw_text_addf(&t, ".reg .%s %%d;\nld.global.%s %%d, [%%out];\nst.global.%s [%%out+8], %%d;\nret;\n}\n", rows[i].reg, rows[i].type, rows[i].reg);
        uint32_t *const words = kernel_load(&rig, room, t.at, &out);
        const uint64_t from = 0xffeeddccbbaa9988;
        memcpy(words, &from, 8);
        kernel_must_run(&rig, &out, 1, 1, 0);
        uint64_t got;
        memcpy(&got, words + 2, 8);
        if (got != rows[i].want)
            fail_msg("ld.%s into .%s: 0x%llx", rows[i].type, rows[i].reg, (unsigned long long)got);
        rig_end(&rig);
    }
}

static void vectors_sinks_and_wide_words_go_element_by_element(void **state)
{
    struct rig rig;
    uint64_t out;
    uint32_t *const words = kernel_load(&rig, *state,
                                        KERNEL("", ".reg .b16 %h<8>; .reg .b128 %b;\n"
                                                   "ld.global.v4.u32 {%r1, _, %r2, %r3}, [%out];\nst.global.v2.u32 [%out+64], {%r3, %r1};\n"
                                                   "ld.global.v2.u64 {%q1, %q2}, [%out];\nst.global.u64 [%out+72], %q2;\n"
                                                   "ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%out];\nst.global.v4.u16 [%out+80], {%h4, %h3, %h2, %h1};\n"
                                                   "ld.global.b128 %b, [%out];\nmov.b128 {%q3, %q4}, %b;\nmov.b128 %b, {%q4, %q3};\nst.global.b128 [%out+96], %b;\n"),
                                        &out);
    for (uint32_t i = 0; i < 4; i++)
        words[i] = 0x01000100 * (i + 1) + i;
    for (uint32_t i = 16; i < 28; i++)
        words[i] = 0x5a5a5a5a;
    kernel_must_run(&rig, &out, 1, 1, 0);
    const uint32_t want[12] = {words[3], words[0], words[2], words[3], words[1] >> 16 | words[1] << 16, words[0] >> 16 | words[0] << 16, 0x5a5a5a5a, 0x5a5a5a5a,
                               words[2], words[3], words[0], words[1]};
    assert_memory_equal(words + 16, want, sizeof want);
    rig_end(&rig);
}

/* A register may be wider than the type of a store; a literal beside it is as wide. */
static void literals_stand_beside_registers_of_any_width(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                       KERNEL("", ".reg .b128 %b;\nmov.b64 %q1, 7;\nmov.b64 %q2, 0;\nmov.b128 %b, {%q1, %q2};\n"
                                                  "st.global.v4.s16 [%out], {%b, 16, %b, -2};\nst.global.v2.u32 [%out+8], {%q1, 5};\n"
                                                  "st.global.v2.u8 [%out+16], {5, %q1};\nst.global.v2.u64 [%out+32], {%b, 0x123456789abcdef0};\n"),
                                       &out);
    kernel_must_run(&rig, &out, 1, 1, 0);
    static const uint8_t want[18] = {7, 0, 16, 0, 7, 0, 0xfe, 0xff, 7, 0, 0, 0, 5, 0, 0, 0, 5, 7};
    static const uint64_t wide[2] = {7, UINT64_C(0x123456789abcdef0)};
    assert_memory_equal(words, want, sizeof want);
    assert_memory_equal(words + 8, wide, sizeof wide);
    rig_end(&rig);
}

/* Windows are disjoint; cvta goes there and back; a generic access finds the space. */
static void generic_addresses_name_their_space(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL(".shared .align 8 .b32 box[32];\n.const .align 4 .u32 c = 77;",
               ".local .align 4 .b32 mine;\n"
               "mov.u64 %q1, box;\ncvta.shared.u64 %q1, %q1;\nmov.u64 %q2, mine;\ncvta.local.u64 %q2, %q2;\n"
               "mov.u64 %q3, c;\ncvta.const.u64 %q3, %q3;\nmov.u64 %q4, out;\ncvta.param.u64 %q4, %q4;\ncvta.global.u64 %q5, %out;\n"
               "mad.wide.u32 %q6, %t, 4, %q1;\nst.u32 [%q6], %t;\nld.shared.u32 %r1, [box+12];\n"
               "st.u32 [%q2], 55;\nld.local.u32 %r2, [mine];\nld.u32 %r3, [%q3];\nld.u64 %q7, [%q4];\nsub.u64 %q7, %q7, %q5;\ncvt.u32.u64 %r4, %q7;\n"
               "st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};\n"
               "isspacep.shared %p1, %q1;\nisspacep.local %p2, %q2;\nisspacep.const %p3, %q3;\nisspacep.param %p4, %q4;\nisspacep.global %p5, %q5;\n"
               "isspacep.global %p6, %q1;\nisspacep.shared %p7, %q2;\nisspacep.shared::cluster %p8, %q1;\n"
               "selp.b32 %r5, 1, 0, %p1;\nselp.b32 %r6, 2, 0, %p2;\nadd.u32 %r5, %r5, %r6;\nselp.b32 %r6, 4, 0, %p3;\nadd.u32 %r5, %r5, %r6;\n"
               "selp.b32 %r6, 8, 0, %p4;\nadd.u32 %r5, %r5, %r6;\nselp.b32 %r6, 16, 0, %p5;\nadd.u32 %r5, %r5, %r6;\n"
               "selp.b32 %r6, 32, 0, %p6;\nadd.u32 %r5, %r5, %r6;\nselp.b32 %r6, 64, 0, %p7;\nadd.u32 %r5, %r5, %r6;\nselp.b32 %r6, 128, 0, %p8;\nadd.u32 %r5, %r5, %r6;\n"
               "st.global.u32 [%out+16], %r5;\ncvta.to.shared.u64 %q8, %q1;\ncvt.u32.u64 %r7, %q8;\nst.global.u32 [%out+20], %r7;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    static const uint32_t want[6] = {3, 55, 77, 0, 1 + 2 + 4 + 8 + 16 + 128, 0x400};
    assert_memory_equal(words, want, sizeof want);
    rig_end(&rig);
}

static void note_bulk_store(void *context, const struct machine_event *e)
{
    unsigned *const bytes = context;
    if (e->kind == EVENT_ACCESS && e->space == SPACE_SHARED && e->write && !e->read && e->bytes > 4)
        *bytes += e->bytes;
}

#define BULK_STORE(size)                                                                                                     \
    ".version 8.8\n.target sm_100a\n.address_size 64\n.shared .align 16 .b8 box[128];\n.visible .entry k(.param .u64 out)\n{\n" \
    ".reg .pred %p1; .reg .b32 %r<9>; .reg .b64 %q<9>;\nld.param.u64 %q1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, box;\n"       \
    "mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], 77; bar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n"                            \
    "mov.u64 %q3, " size ";\n@!%p1 st.bulk.weak.shared::cta [%r2+8], %q3, 0;\nbar.sync 0;\n"                                  \
    "ld.shared.u32 %r4, [%r3]; mad.wide.u32 %q2, %r1, 4, %q1; st.global.u32 [%q2], %r4;\nret;\n}\n"

/* st.bulk writes as many zeros as it is told and no byte more; an observer sees one store. SOURCE: PTX ISA, st.bulk. */
static void a_bulk_store_writes_zeros(void **state)
{
    struct rig rig;
    uint64_t out;
    unsigned bytes = 0;
    const uint32_t *const words = kernel_load(&rig, *state, BULK_STORE("48"), &out);
    rig_must_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8, .observer = {.event = note_bulk_store, .context = &bytes}});
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i >= 2 && i < 14 ? 0 : 77);
    assert_int_equal(bytes, 48);
    rig_end(&rig);
}

static void a_bulk_store_that_does_not_fit_is_a_fault(void **state)
{
    static const struct { const char *text, *want; } rows[] = {
        {BULK_STORE("44"), "k.ptx:12:1: error[E0702]: st.bulk of 44 bytes\n"
                           "   12 | @!%p1 st.bulk.weak.shared::cta [%r2+8], %q3, 0;\n"
                           "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                           "  expected: a multiple of 8, at most 16777216\n"
                           "note: by thread (0,0,0) of block (0,0,0)\n"},
        {BULK_STORE("128"), "k.ptx:12:1: error[E0702]: store of 128 bytes at 0x408, outside shared memory\n"
                            "   12 | @!%p1 st.bulk.weak.shared::cta [%r2+8], %q3, 0;\n"
                            "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                            "  expected: an address from 0x400 to 0x47f\n"
                            "note: by thread (0,0,0) of block (0,0,0)\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        kernel_must_fail(room, rows[i].text, 1, 32, LAUNCH_FAULT, rows[i].want);
    }
}

/* In shared memory the sum keeps subnormals; 256 threads add up; vectors add by element. */
static void shared_sums_keep_subnormals_and_vectors_add_by_element(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL(".shared .align 4 .b32 box[2];",
                                                     ".reg .f32 %f<4>;\nst.shared.u32 [box], 0;\nst.shared.u32 [box+4], 0;\nbar.sync 0;\nmov.b32 %f1, 1;\n"
                                                     "red.shared.add.f32 [box], %f1;\natom.shared.add.u32 %r1, [box+4], 1;\nbar.sync 0;\n"
                                                     "ld.shared.u32 %r2, [box];\nld.shared.u32 %r3, [box+4];\nst.global.v2.u32 [%out], {%r2, %r3};\n"
                                                     "mov.f32 %f2, 0f3F800000;\nmov.f32 %f3, 0f40000000;\nred.global.add.v2.f32 [%out+8], {%f2, %f3};\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 256, 3);
    static const uint32_t want[4] = {256, 256, 0x43800000, 0x44000000};
    assert_memory_equal(words, want, sizeof want);
    rig_end(&rig);
}

/* Sums of vectors without a result write no register: red, and atom into a sink. */
static void vector_sums_without_a_result_leave_registers_alone(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("", ".reg .f32 %f<8>;\nadd.u64 %out, %out, 64;\nmov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f40000000;\nmov.f32 %f2, 0f40400000;\nmov.f32 %f3, 0f40800000;\n"
                                                         "mov.u32 %r0, 11;\nmov.u32 %r1, 22;\n"
                                                         "red.global.add.v4.f32 [%out], {%f0, %f1, %f2, %f3};\natom.global.add.v2.f32 _, [%out], {%f0, %f1};\n"
                                                         "st.global.v4.f32 [%out+16], {%f0, %f1, %f2, %f3};\nst.global.v4.u32 [%out+32], {%r0, %r1, %t, %t};\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 1, 0);
    static const uint32_t want[12] = {0x40000000, 0x40800000, 0x40400000, 0x40800000, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 11, 22, 0, 0};
    assert_memory_equal(words + 16, want, sizeof want);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(loads_extend_by_their_type),
        ROOM_TEST(vectors_sinks_and_wide_words_go_element_by_element),
        ROOM_TEST(literals_stand_beside_registers_of_any_width),
        ROOM_TEST(generic_addresses_name_their_space),
        ROOM_TEST(a_bulk_store_writes_zeros),
        ROOM_TEST(a_bulk_store_that_does_not_fit_is_a_fault),
        ROOM_TEST(shared_sums_keep_subnormals_and_vectors_add_by_element),
        ROOM_TEST(vector_sums_without_a_result_leave_registers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
