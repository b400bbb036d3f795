/* What src/machine/exec_fast.c does with the host's arithmetic gives the words of the definitions in src/num: boundary significands
 * under all exponents, special values, and random words; NaN words and signed zeros included. */
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

/* One operation with its words and its definition. */
struct row {
    const char *instr;
    unsigned operands;
    uint64_t (*two)(enum num_format f, struct num_ops how, uint64_t a, uint64_t b);
    uint64_t (*one)(enum num_format f, struct num_ops how, uint64_t a);
    uint64_t (*three)(enum num_format f, struct num_ops how, uint64_t a, uint64_t b, uint64_t c);
    bool ftz;
};

static const struct row f32_rows[] = {
    {"add.rn.f32", 2, tw_num_add_reference, NULL, NULL, false}, {"sub.rn.f32", 2, tw_num_sub, NULL, NULL, false},
    {"mul.rn.f32", 2, tw_num_mul_reference, NULL, NULL, false}, {"fma.rn.f32", 3, NULL, NULL, tw_num_fma_reference, false},
    {"mad.rn.f32", 3, NULL, NULL, tw_num_fma_reference, false}, {"add.f32", 2, tw_num_add_reference, NULL, NULL, false},
    {"add.rn.ftz.f32", 2, tw_num_add_reference, NULL, NULL, true}, {"sub.ftz.f32", 2, tw_num_sub, NULL, NULL, true},
    {"mul.rn.ftz.f32", 2, tw_num_mul_reference, NULL, NULL, true}, {"min.f32", 2, tw_num_min, NULL, NULL, false},
    {"max.f32", 2, tw_num_max, NULL, NULL, false}, {"neg.f32", 1, NULL, tw_num_neg, NULL, false}, {"abs.f32", 1, NULL, tw_num_abs, NULL, false},
};

static uint64_t defined(const struct row *r, enum num_format f, const uint64_t in[3])
{
    const struct num_ops how = {.ftz = r->ftz};
    return r->operands == 1 ? r->one(f, how, in[0]) : r->operands == 2 ? r->two(f, how, in[0], in[1]) : r->three(f, how, in[0], in[1], in[2]);
}

/* A kernel that applies the instruction to records of three words and a result. */
static const char *kernel_for(struct arena *arena, const struct row *r, unsigned bytes)
{
    struct text t;
    const unsigned bits = bytes * 8;
    tw_text_init(&t, arena);
    tw_text_add(&t, KERNEL_HEAD(""));
    tw_text_addf(&t, ".reg .b%u %%x<4>;\nmov.u32 %%r9, %%ctaid.x;\nmad.lo.u32 %%r9, %%r9, 128, %%t;\nmad.wide.u32 %%q1, %%r9, %u, %%out;\n", bits, 4 * bytes);
    for (unsigned i = 0; i < 3; i++)
        tw_text_addf(&t, "ld.global.b%u %%x%u, [%%q1+%u];\n", bits, i, i * bytes);
    tw_text_addf(&t, "%s %%x3, %%x0%s%s;\nst.global.b%u [%%q1+%u], %%x3;\nret;\n}\n", r->instr, r->operands > 1 ? ", %x1" : "",
                 r->operands > 2 ? ", %x2" : "", bits, 3 * bytes);
    return t.at;
}

static void host_arithmetic_equals_the_definition(void **state)
{
    struct bench_room *const room = *state;
    for (size_t k = 0; k < COUNT(f32_rows); k++) {
        struct rig rig;
        uint64_t out;
        (void)kernel_load(&rig, room, kernel_for(&room->arena, &f32_rows[k], 4), &out);
        out = tw_memory_alloc(rig.memory, LANE_WORDS * 16, "words");
        uint32_t *const words = rig_host(&rig, out), random = 12345;
        for (uint32_t round = 0; round < ROUNDS; round++) {
            for (uint32_t i = 0; i < LANE_WORDS; i++) {
                words[4 * i] = word_of(round, i, &random);
                words[4 * i + 1] = word_of(round, i / 18, &random);
                words[4 * i + 2] = word_of(round, i / 324, &random);
            }
            kernel_must_run(&rig, &out, LANE_WORDS / 128, 128, round);
            for (uint32_t i = 0; i < LANE_WORDS; i++) {
                const uint64_t in[3] = {words[4 * i], words[4 * i + 1], words[4 * i + 2]};
                if (words[4 * i + 3] != defined(&f32_rows[k], NUM_F32, in))
                    fail_msg("%s of %08x %08x %08x: %08x", f32_rows[k].instr, words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
            }
        }
        rig_end(&rig);
    }
}

/* A pair of f32 words, or one f64 word with extreme exponents, NaN payloads and zeros among them. */
static uint64_t wide_word(bool pair, uint32_t round, uint32_t i, uint32_t *random)
{
    const uint64_t low = word_of(round, i, random), high = word_of(round + 1, i / 7, random);
    static const uint64_t specials[] = {0, 0x8000000000000000, 0x7ff0000000000000, 0xfff8000000000001, 0x7ff4000000001234, 1, 0x000fffffffffffff,
                                        0x0010000000000000, 0x3ff0000000000000, 0x7fefffffffffffff};
    return pair || i % 3 != 0 ? high << 32 | low : specials[(i / 3) % COUNT(specials)];
}

static void pairs_and_doubles_equal_the_definition(void **state)
{
    static const struct row rows[] = {
        {"add.rn.f64", 2, tw_num_add, NULL, NULL, false}, {"sub.rn.f64", 2, tw_num_sub, NULL, NULL, false}, {"mul.rn.f64", 2, tw_num_mul, NULL, NULL, false},
        {"fma.rn.f64", 3, NULL, NULL, tw_num_fma_reference, false}, {"add.rn.f32x2", 2, tw_num_add, NULL, NULL, false},
        {"mul.rn.f32x2", 2, tw_num_mul, NULL, NULL, false}, {"fma.rn.f32x2", 3, NULL, NULL, tw_num_fma, false},
    };
    struct bench_room *const room = *state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        const bool pair = strstr(rows[k].instr, "x2") != NULL;
        struct rig rig;
        uint64_t out;
        char *const text = tw_arena_copy(&room->arena, kernel_for(&room->arena, &rows[k], 8), strlen(kernel_for(&room->arena, &rows[k], 8)));
        memcpy(strstr(text, "sm_90a"), "sm_100", 6); /* packed f32 arithmetic begins there */
        (void)kernel_load(&rig, room, text, &out);
        out = tw_memory_alloc(rig.memory, LANE_WORDS * 32, "words");
        uint64_t *const words = rig_host(&rig, out);
        uint32_t random = 99;
        for (uint32_t round = 0; round < 16; round++) {
            for (uint32_t i = 0; i < LANE_WORDS * 4; i++)
                words[i] = wide_word(pair, round, i, &random);
            kernel_must_run(&rig, &out, LANE_WORDS / 128, 128, round);
            for (uint32_t i = 0; i < LANE_WORDS; i++) {
                const uint64_t *const w = words + 4 * i;
                const uint64_t low[3] = {(uint32_t)w[0], (uint32_t)w[1], (uint32_t)w[2]}, high[3] = {w[0] >> 32, w[1] >> 32, w[2] >> 32};
                const uint64_t want = pair ? defined(&rows[k], NUM_F32, low) | defined(&rows[k], NUM_F32, high) << 32 : defined(&rows[k], NUM_F64, w);
                if (w[3] != want)
                    fail_msg("%s of %016llx %016llx %016llx: %016llx, defined %016llx", rows[k].instr, (unsigned long long)w[0],
                             (unsigned long long)w[1], (unsigned long long)w[2], (unsigned long long)w[3], (unsigned long long)want);
            }
        }
        rig_end(&rig);
    }
}

/* Comparisons of f32 in vectors of lanes: all fourteen relations. */
static void comparisons_equal_the_definition(void **state)
{
    static const struct { const char *name; enum num_compare how; } rows[] = {
        {"eq", NUM_EQ}, {"ne", NUM_NE}, {"lt", NUM_LT}, {"le", NUM_LE}, {"gt", NUM_GT}, {"ge", NUM_GE}, {"equ", NUM_EQU}, {"neu", NUM_NEU},
        {"ltu", NUM_LTU}, {"leu", NUM_LEU}, {"gtu", NUM_GTU}, {"geu", NUM_GEU}, {"num", NUM_BOTH_NUMBERS}, {"nan", NUM_ANY_NAN},
    };
    static const struct { const char *type; enum num_format format; size_t relations; } types[] = {
        {"f32", NUM_F32, 14}, {"s32", NUM_S32, 6}, {"u32", NUM_U32, 6}};
    struct bench_room *const room = *state;
    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t k = 0; k < types[t].relations; k++) {
            struct rig rig;
            uint64_t out;
            struct text text;
            tw_text_init(&text, &room->arena);
            tw_text_add(&text, KERNEL_HEAD(""));
            tw_text_addf(&text, "mad.wide.u32 %%q1, %%t, 12, %%out;\n"
                                "ld.global.b32 %%r1, [%%q1];\nld.global.b32 %%r2, [%%q1+4];\nsetp.%s.%s %%p1, %%r1, %%r2;\nselp.b32 %%r3, 1, 0, %%p1;\n"
                                "st.global.b32 [%%q1+8], %%r3;\nret;\n}\n", rows[k].name, types[t].type);
            (void)kernel_load(&rig, room, text.at, &out);
            uint32_t *const words = rig_host(&rig, out), random = 4;
            for (uint32_t round = 0; round < 8; round++) {
                for (uint32_t i = 0; i < 1024; i++) {
                    words[3 * i] = word_of(round, i, &random);
                    words[3 * i + 1] = i % 5 == 0 ? words[3 * i] : word_of(round, i / 18, &random);
                }
                kernel_must_run(&rig, &out, 1, 1024, round);
                for (uint32_t i = 0; i < 1024; i++)
                    assert_int_equal(words[3 * i + 2], tw_num_compare(types[t].format, rows[k].how, false, words[3 * i], words[3 * i + 1]));
            }
            rig_end(&rig);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(host_arithmetic_equals_the_definition),
        ROOM_TEST(pairs_and_doubles_equal_the_definition),
        ROOM_TEST(comparisons_equal_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
