/* Conversions of src/machine/exec_fast.c give the words of src/num: 16-bit sources exhausted, 32-bit ones by all exponents and
 * random words. */
#include "kernel_text.h"

#include "num/convert.h"

enum { WORDS = 65536 };

static void the_fast_conversions_equal_the_definition(void **state)
{
    static const struct { const char *instr, *from_reg, *to_reg; struct num_convert_how how; } rows[] = {
        {"cvt.f32.f16", "b16", "b32", {.to = NUM_F32, .from = NUM_F16}},
        {"cvt.f32.bf16", "b16", "b32", {.to = NUM_F32, .from = NUM_BF16}},
        {"cvt.rn.bf16.f32", "b32", "b16", {.to = NUM_BF16, .from = NUM_F32}},
        {"cvt.rn.f32.s32", "b32", "b32", {.to = NUM_F32, .from = NUM_S32}},
        {"cvt.rn.f32.u32", "b32", "b32", {.to = NUM_F32, .from = NUM_U32}},
        {"cvt.rzi.s32.f32", "b32", "b32", {.to = NUM_S32, .from = NUM_F32, .rounding = NUM_RZ}},
        {"cvt.rn.f16.f32", "b32", "b16", {.to = NUM_F16, .from = NUM_F32}},
    };
    struct bench_room *const room = *state;
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct rig rig;
        uint64_t out;
        struct text t;
        const bool narrow = strcmp(rows[k].from_reg, "b16") == 0;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, KERNEL_HEAD(""));
        tw_text_addf(&t, ".reg .%s %%x; .reg .%s %%y;\nmov.u32 %%r1, %%ctaid.x;\nmad.lo.u32 %%r1, %%r1, 256, %%t;\nmad.wide.u32 %%q1, %%r1, 8, %%out;\n"
                         "ld.global.%s %%x, [%%q1];\n%s %%y, %%x;\nst.global.%s [%%q1+4], %%y;\nret;\n}\n",
                     rows[k].from_reg, rows[k].to_reg, rows[k].from_reg, rows[k].instr, rows[k].to_reg);
        (void)kernel_load(&rig, room, t.at, &out);
        out = tw_memory_alloc(rig.memory, WORDS * 8, "words");
        uint32_t *const words = rig_host(&rig, out);
        for (uint32_t round = 0; round < (narrow ? 1u : 4u); round++) {
            for (uint32_t i = 0; i < WORDS; i++)
                words[2 * i] = narrow ? i : round == 0 ? i << 16 : round == 1 ? i << 16 | 0x8000 : i * 2654435761u + round;
            kernel_must_run(&rig, &out, WORDS / 256, 256, round);
            for (uint32_t i = 0; i < WORDS; i++)
                if (words[2 * i + 1] != (uint32_t)tw_num_convert(&rows[k].how, words[2 * i]))
                    fail_msg("%s of %08x: %08x", rows[k].instr, words[2 * i], words[2 * i + 1]);
        }
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(the_fast_conversions_equal_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
