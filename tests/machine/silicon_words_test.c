/* Words that an H200 gave where no reading of the ISA leads to them, found by comparing the catalogue with it (tests/silicon).
 * MEASURED: H200, driver 580.159.04 (CUDA 13.0). */
#include "kernel_text.h"

#include "f64_rounding_words.h"

/* %q1 and %q2 hold a and b, %r1 and %r2 their low words, %h1 the lowest 16 bits; %q3 is the result. */
struct word_row {
    const char *code;
    uint64_t a, b, want;
};

static const char *word_kernel(struct arena *arena, const char *code)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_text_add(&t, KERNEL_HEAD(".shared .align 8 .b64 box;") ".reg .b16 %h<4>; .reg .f32 %f1;\n"
                    "ld.global.b64 %q1, [%out]; ld.global.b64 %q2, [%out+8]; cvt.u32.u64 %r1, %q1; cvt.u32.u64 %r2, %q2; cvt.u16.u64 %h1, %q1;\n");
    tw_text_addf(&t, "%s\n", code);
    tw_text_add(&t, "st.global.b64 [%out+16], %q3;\nret;\n}\n");
    return t.at;
}

static void expect_words(struct bench_room *room, const struct word_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct rig rig;
        uint64_t out, got;
        uint32_t *const words = kernel_load(&rig, room, word_kernel(&room->arena, rows[i].code), &out);
        const uint64_t in[2] = {rows[i].a, rows[i].b};
        memcpy(words, in, sizeof in);
        kernel_must_run(&rig, &out, 1, 1, 0);
        memcpy(&got, words + 4, sizeof got);
        if (got != rows[i].want)
            fail_msg("%s of %016llx, %016llx: %016llx, not %016llx", rows[i].code, (unsigned long long)rows[i].a, (unsigned long long)rows[i].b,
                     (unsigned long long)got, (unsigned long long)rows[i].want);
        rig_end(&rig);
    }
}

static void set_to_f32_writes_a_float_whatever_the_register(void **state)
{
    static const struct word_row rows[] = {
        {"set.ge.f32.f32 %r3, %r1, %r2; cvt.u64.u32 %q3, %r3;", 0, 0, 0x3f800000},
        {"set.ge.f32.f32 %f1, %r1, %r2; mov.b32 %r3, %f1; cvt.u64.u32 %q3, %r3;", 0, 0, 0x3f800000},
        {"set.gt.f32.u64 %r3, %q1, %q2; cvt.u64.u32 %q3, %r3;", 0xffffbfffffffffff, 0x8000000000000000, 0x3f800000},
        {"set.lt.f32.f32 %r3, %r1, %r2; cvt.u64.u32 %q3, %r3;", 0, 0, 0},
        {"set.ge.u32.f32 %r3, %r1, %r2; cvt.u64.u32 %q3, %r3;", 0, 0, 0xffffffff},
    };
    expect_words(*state, rows, COUNT(rows));
}

static void the_least_offset_of_fns_finds_bit_0(void **state)
{
#define FNS "fns.b32 %r3, %r1, %r2, "
    static const struct word_row rows[] = {
        {FNS "0x80000000; cvt.u64.u32 %q3, %r3;", 0x7fffffff, 10, 0},
        {FNS "0x80000000; cvt.u64.u32 %q3, %r3;", 0x00000080, 5, 0},
        {FNS "-2147483647; cvt.u64.u32 %q3, %r3;", 0x7fffffff, 10, 0xffffffff},
    };
    expect_words(*state, rows, COUNT(rows));
#undef FNS
}

static void a_16_bit_nan_becomes_canonical_by_cvt_to_its_own_type(void **state)
{
    static const struct word_row rows[] = {
        {"cvt.f16.f16 %h2, %h1; cvt.u64.u16 %q3, %h2;", 0x7ef0, 0, 0x7fff}, {"cvt.f16.f16 %h2, %h1; cvt.u64.u16 %q3, %h2;", 0xff8f, 0, 0x7fff},
        {"cvt.bf16.bf16 %h2, %h1; cvt.u64.u16 %q3, %h2;", 0xff81, 0, 0x7fff}, {"cvt.bf16.bf16 %h2, %h1; cvt.u64.u16 %q3, %h2;", 0x7fc0, 0, 0x7fff},
        {"cvt.f16.f16 %h2, %h1; cvt.u64.u16 %q3, %h2;", 0xfbff, 0, 0xfbff},
    };
    expect_words(*state, rows, COUNT(rows));
}

static void ftz_flushes_on_the_way_to_bf16(void **state)
{
    static const struct word_row rows[] = {
        {"cvt.rn.ftz.bf16.f32 %h2, %r1; cvt.u64.u16 %q3, %h2;", 0x004d63f2, 0, 0x0000},
        {"cvt.rz.ftz.bf16.f32 %h2, %r1; cvt.u64.u16 %q3, %h2;", 0x807fffff, 0, 0x8000},
        {"cvt.rm.ftz.bf16.f32 %h2, %r1; cvt.u64.u16 %q3, %h2;", 0x0023fe59, 0, 0x0000},
        {"cvt.rp.ftz.bf16.f32 %h2, %r1; cvt.u64.u16 %q3, %h2;", 0x003bffff, 0, 0x0000},
        {"cvt.rn.bf16.f32 %h2, %r1; cvt.u64.u16 %q3, %h2;", 0x004d63f2, 0, 0x004d},
    };
    expect_words(*state, rows, COUNT(rows));
}

static void rsqrt_of_f64_without_ftz_is_refined(void **state)
{
    static const struct word_row rows[] = {
        {"rsqrt.approx.f64 %q3, %q1;", 0x7e77ed00070f1a0a, 0, 0x20aa2b1b3498b8ba}, {"rsqrt.approx.f64 %q3, %q1;", 0x0001affc8f508001, 0, 0x5ff8a24d78e40ca2},
        {"rsqrt.approx.f64 %q3, %q1;", 0x000bffffffffffff, 0, 0x5fe279a74590331d}, {"rsqrt.approx.f64 %q3, %q1;", 0x000fffffffffffff, 0, 0x5fe0000000000001},
        {"rsqrt.approx.f64 %q3, %q1;", 0x7ff004e200468274, 0, 0x7ff804e200468274}, {"rsqrt.approx.f64 %q3, %q1;", 0xfffe38433fffffff, 0, 0xfffe38433fffffff},
        {"rsqrt.approx.f64 %q3, %q1;", 0xc00e4fdc3eb8f8ba, 0, 0xfff8000000000000}, {"rsqrt.approx.f64 %q3, %q1;", 0xfff0000000000000, 0, 0xfff8000000000000},
        {"rsqrt.approx.ftz.f64 %q3, %q1;", 0x7e77ed00070f1a0a, 0, 0x20aa2b1b00000000},
    };
    expect_words(*state, rows, COUNT(rows));
}

static void a_number_is_the_second_factor_of_fma_and_zero_the_first(void **state)
{
    static const struct word_row rows[] = {
        {"fma.rn.f64 %q3, 0dA9374CB39F2B4F58, %q1, %q2;", 0xfff35ac575040952, 0xfff35ac575040953, 0xfffb5ac575040953},
        {"mad.rz.f64 %q3, 0d0000000000000004, %q1, %q2;", 0xfff1600000000000, 0x7ff1600000000000, 0x7ff9600000000000},
        {"mad.rn.f64 %q3, 0d0000000000000000, %q1, %q2;", 0xfffc400000000000, 0x7fffffffffffffff, 0xfffc400000000000},
        {"fma.rz.f64 %q3, %q1, 0d0000000000000000, %q2;", 0xfff62f9bb14c8a80, 0xfff62f9bb14c8a81, 0xfffe2f9bb14c8a80},
        {"fma.rn.f64 %q3, 0d4000000000000000, %q1, %q2;", 0x3ff0000000000000, 0x3ff0000000000000, 0x4008000000000000},
    };
    expect_words(*state, rows, COUNT(rows));
}

static void an_atomic_sum_of_f64_keeps_nan_as_its_memory_does(void **state)
{
#define GLOBAL_SUM "st.global.b64 [%out+32], %q1; red.global.add.f64 [%out+32], %q2; ld.global.b64 %q3, [%out+32];"
#define SHARED_SUM "st.shared.b64 [box], %q1; red.shared.add.f64 [box], %q2; ld.shared.b64 %q3, [box];"
    static const struct word_row rows[] = {
        {GLOBAL_SUM, 0x7ff1d6a370000000, 0, 0x7ff1d6a370000000}, {GLOBAL_SUM, 0xc33fffffffffffff, 0xfff4160ddb7fffff, 0xfff4160ddb7fffff},
        {GLOBAL_SUM, 0xffffffffffffffff, 0xfff76f6f49b0af67, 0xfff76f6f49b0af67}, {SHARED_SUM, 0xfff193a0a5595856, 0xffffffffffffffff, 0xfff993a0a5595856},
        {SHARED_SUM, 0xffffffffffffffff, 0x7fffffffffffffff, 0xffffffffffffffff}, {GLOBAL_SUM, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000},
        {SHARED_SUM, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000},
    };
    expect_words(*state, rows, COUNT(rows));
#undef GLOBAL_SUM
#undef SHARED_SUM
}

static void special_registers_read_as_on_the_chip(void **state)
{
    static const struct word_row rows[] = {
        {"mov.u32 %r3, %ntid.w; cvt.u64.u32 %q3, %r3;", 0, 0, 0},  {"mov.u32 %r3, %nctaid.w; cvt.u64.u32 %q3, %r3;", 0, 0, 0},
        {"mov.u32 %r3, %nwarpid; cvt.u64.u32 %q3, %r3;", 0, 0, 64}, {"mov.u32 %r3, %ntid.z; cvt.u64.u32 %q3, %r3;", 0, 0, 1},
    };
    expect_words(*state, rows, COUNT(rows));
}

static void a_parameters_address_is_one_of_global_memory_too(void **state)
{
#define PARAM_IS(space) "mov.b64 %q4, out; cvta.param.u64 %q4, %q4; isspacep." space " %p1, %q4; selp.b64 %q3, 1, 0, %p1;"
    static const struct word_row rows[] = {{PARAM_IS("global"), 0, 0, 1}, {PARAM_IS("param"), 0, 0, 1}, {PARAM_IS("shared"), 0, 0, 0}};
    expect_words(*state, rows, COUNT(rows));
#undef PARAM_IS
}

static const char *product_kernel(struct arena *arena, const char *rounding)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_text_add(&t, KERNEL_HEAD("") "mad.wide.u32 %q1, %t, 48, %out;\nld.global.b64 %q2, [%q1]; ld.global.b64 %q3, [%q1+8];\n"
                                    "ld.global.b64 %q4, [%q1+16]; ld.global.b64 %q5, [%q1+24];\n");
    tw_text_addf(&t, "mma.sync.aligned.m8n8k4.row.col.%s.f64.f64.f64.f64 ", rounding);
    tw_text_add(&t, "{%q6, %q7}, {%q2}, {%q3}, {%q4, %q5};\nst.global.b64 [%q1+32], %q6; st.global.b64 [%q1+40], %q7;\nret;\n}\n");
    return t.at;
}

/* A lane's record of six words: a, b, c0, c1, and what comes out. */
static void f64_products_round_as_their_modifier_says(void **state)
{
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(f64_rounding_words); i++) {
        struct rig rig;
        uint64_t out;
        const size_t bytes = sizeof f64_rounding_words[i].lane;
        uint32_t *const words = kernel_load(&rig, room, product_kernel(&room->arena, f64_rounding_words[i].rounding), &out);
        memcpy(words, f64_rounding_words[i].lane, bytes);
        for (unsigned lane = 0; lane < 32; lane++)
            memset(words + 12 * lane + 8, 0, 16);
        kernel_must_run(&rig, &out, 1, 32, 0);
        assert_memory_equal(words, f64_rounding_words[i].lane, bytes);
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(set_to_f32_writes_a_float_whatever_the_register),
        ROOM_TEST(the_least_offset_of_fns_finds_bit_0),
        ROOM_TEST(a_16_bit_nan_becomes_canonical_by_cvt_to_its_own_type),
        ROOM_TEST(ftz_flushes_on_the_way_to_bf16),
        ROOM_TEST(rsqrt_of_f64_without_ftz_is_refined),
        ROOM_TEST(a_number_is_the_second_factor_of_fma_and_zero_the_first),
        ROOM_TEST(an_atomic_sum_of_f64_keeps_nan_as_its_memory_does),
        ROOM_TEST(special_registers_read_as_on_the_chip),
        ROOM_TEST(a_parameters_address_is_one_of_global_memory_too),
        ROOM_TEST(f64_products_round_as_their_modifier_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
