/* Loads, stores, address spaces and atomics. SOURCE: PTX ISA, ld, st, atom, red, cvta, isspacep; ptx-async.md 8.1, 8.7. */
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

/* atom and red: the value that is returned and the one that stays. */
static void atomics_return_the_old_value_and_leave_the_new(void **state)
{
    static const struct { const char *op; uint64_t old, b, c, want; } rows[] = {
        {"and.b32", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00}, {"or.b32", 0xf0, 0x0f, 0, 0xff}, {"xor.b32", 0xff, 0x0f, 0, 0xf0},
        {"exch.b32", 1, 2, 0, 2}, {"cas.b32", 5, 5, 9, 9}, {"cas.b32", 6, 5, 9, 6}, {"cas.b64", 0x500000000, 0x500000000, 9, 9},
        {"add.u32", 0xffffffff, 2, 0, 1}, {"add.u64", 0xffffffff, 2, 0, 0x100000001}, {"add.s32", 5, 0xffffffff, 0, 4},
        {"inc.u32", 4, 5, 0, 5}, {"inc.u32", 5, 5, 0, 0}, {"inc.u32", 9, 5, 0, 0}, {"dec.u32", 4, 5, 0, 3}, {"dec.u32", 0, 5, 0, 5}, {"dec.u32", 9, 5, 0, 5},
        {"min.u32", 0xffffffff, 2, 0, 2}, {"min.s32", 0xffffffff, 2, 0, 0xffffffff}, {"max.u32", 0xffffffff, 2, 0, 0xffffffff},
        {"max.s32", 0xffffffff, 2, 0, 2}, {"min.s64", 0x8000000000000000, 1, 0, 0x8000000000000000}, {"max.u64", 0x8000000000000000, 1, 0, 0x8000000000000000},
        {"add.f32", 0x3f800000, 0x40000000, 0, 0x40400000}, {"add.f64", 0x3ff0000000000000, 0x4000000000000000, 0, 0x4008000000000000},
        /* MEASURED: ptx-async.md 8.7, global f32 sums flush subnormals and keep their sign; NaN is 7fffffff */
        {"add.f32", 0x00000001, 0x00000001, 0, 0x00000000}, {"add.f32", 0x80000001, 0x80000001, 0, 0x80000000}, {"add.f32", 0x7fc12345, 0x3f800000, 0, 0x7fffffff},
        {"add.noftz.f16x2", 0x3c004000, 0x3c003c00, 0, 0x40004200}, {"add.noftz.bf16x2", 0x3f804000, 0x3f803f80, 0, 0x40004040},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        struct text t;
        const bool wide = strstr(rows[i].op, "64") != NULL, cas = strncmp(rows[i].op, "cas", 3) == 0;
        const char *const width = wide ? "64" : "32";
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, KERNEL_HEAD(""));
        tw_text_addf(&t, ".reg .b%s %%o, %%b, %%c;\nmov.b%s %%b, 0x%llx;\nmov.b%s %%c, 0x%llx;\natom.global.%s %%o, [%%out], %%b%s;\nst.global.b%s [%%out+8], %%o;\nret;\n}\n",
                     width, width, (unsigned long long)rows[i].b, width, (unsigned long long)rows[i].c, rows[i].op, cas ? ", %c" : "", width);
        uint32_t *const words = kernel_load(&rig, room, t.at, &out);
        memcpy(words, &rows[i].old, wide ? 8 : 4);
        kernel_must_run(&rig, &out, 1, 1, 0);
        uint64_t now = 0, old = 0;
        memcpy(&now, words, wide ? 8 : 4);
        memcpy(&old, words + 2, wide ? 8 : 4);
        if (now != rows[i].want || old != rows[i].old)
            fail_msg("atom.%s of 0x%llx: 0x%llx, returned 0x%llx", rows[i].op, (unsigned long long)rows[i].old, (unsigned long long)now, (unsigned long long)old);
        rig_end(&rig);
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
        ROOM_TEST(generic_addresses_name_their_space),
        ROOM_TEST(atomics_return_the_old_value_and_leave_the_new),
        ROOM_TEST(shared_sums_keep_subnormals_and_vectors_add_by_element),
        ROOM_TEST(vector_sums_without_a_result_leave_registers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
