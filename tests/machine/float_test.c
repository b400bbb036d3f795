/* The host's arithmetic in f32 add, sub, mul and fma gives the words of the definition in src/num: every pair of exponents with
 * boundary significands, special values, and random words; NaN words and signed zeros included. */
#include "kernel_text.h"

#include "num/arith.h"

enum { LANE_WORDS = 1024, ROUNDS = 64 };

static uint32_t word_of(uint32_t round, uint32_t i, uint32_t *random)
{
    static const uint32_t specials[] = {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                                        0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x33800000, 0x34000000, 0x00ffffff};
    *random = *random * 1664525u + 1013904223u;
    const uint32_t high = *random;
    *random = *random * 1664525u + 1013904223u;
    if (round == 0)
        return specials[i % COUNT(specials)];
    if (round % 2 == 1) { /* a boundary significand under any exponent */
        static const uint32_t significands[] = {0, 1, 0x400000, 0x3fffff, 0x7fffff, 0x7ffffe, 0x555555};
        return (high & 0xff800000) | significands[(*random >> 8) % COUNT(significands)];
    }
    return (high & 0xffff0000) | *random >> 16;
}

static void host_arithmetic_equals_the_definition(void **state)
{
    struct rig rig;
    uint64_t out;
    uint32_t *const words = kernel_load(&rig, *state,
                                        KERNEL("",
                                               "mov.u32 %r9, %ctaid.x;\nmad.lo.u32 %r9, %r9, 128, %t;\nmad.wide.u32 %q1, %r9, 12, %out;\n"
                                               "ld.global.u32 %r1, [%q1];\nld.global.u32 %r2, [%q1+4];\nld.global.u32 %r3, [%q1+8];\n"
                                               "add.rn.f32 %r4, %r1, %r2;\nsub.rn.f32 %r5, %r1, %r2;\nmul.rn.f32 %r6, %r1, %r2;\n"
                                               "fma.rn.f32 %r7, %r1, %r2, %r3;\n"
                                               "mad.wide.u32 %q2, %r9, 16, %out;\nst.global.v4.u32 [%q2+12288], {%r4, %r5, %r6, %r7};\n"),
                                        &out);
    (void)words;
    tw_memory_release(rig.memory, out);
    out = tw_memory_alloc(rig.memory, LANE_WORDS * 28, "words");
    uint32_t *const in = rig_host(&rig, out), *const got = in + LANE_WORDS * 3;
    uint32_t random = 12345;
    const struct num_ops plain = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < LANE_WORDS; i++) {
            in[3 * i] = word_of(round, i, &random);
            in[3 * i + 1] = word_of(round, i / 18, &random);
            in[3 * i + 2] = word_of(round, i / 324, &random);
        }
        kernel_must_run(&rig, &out, LANE_WORDS / 128, 128, round);
        for (uint32_t i = 0; i < LANE_WORDS; i++) {
            const uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
            assert_int_equal(got[4 * i], tw_num_add_reference(NUM_F32, plain, a, b));
            assert_int_equal(got[4 * i + 1], tw_num_sub(NUM_F32, plain, a, b));
            assert_int_equal(got[4 * i + 2], tw_num_mul_reference(NUM_F32, plain, a, b));
            assert_int_equal(got[4 * i + 3], tw_num_fma_reference(NUM_F32, plain, a, b, c));
        }
    }
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(host_arithmetic_equals_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
