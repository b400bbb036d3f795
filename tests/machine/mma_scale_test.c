/* mma.sync with block scaling: which byte of which lane scales which block of which row. A and B are all ones, so that an
 * element of D is the sum over the blocks of (products of a block) * scale of A * scale of B. The places are written out again
 * here from ptx-async.md 1.4; lanes and bytes that no selector names hold other scales. */
#include "machine/ptx_bench.h"

#include <math.h>

struct scale_case {
    const char *instruction, *types;
    unsigned a_regs, b_regs, one; /* registers of ones */
    const char *metadata;         /* operands between C and the scales */
    unsigned block, scales;       /* products of a block, blocks */
    bool ue4m3;
    unsigned byte_a, thread_a, byte_b, thread_b;
};

/* Lane l's register of scales: four different bytes close to 1. */
static uint32_t scale_word(bool ue4m3, unsigned lane, unsigned seed)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned n = lane * 4 + i + seed;
        word |= (ue4m3 ? 0x30 + n * 7 % 16 : 124 + n * 5 % 7) << 8 * i;
    }
    return word;
}

static double scale_value(bool ue4m3, unsigned byte)
{
    return ue4m3 ? ldexp(1 + (byte & 7) / 8.0, (int)(byte >> 3) - 7) : ldexp(1, (int)byte - 127);
}

static void add_registers(struct text *t, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(t, "%s%s", i == 0 ? "{" : ",", name);
    tw_text_add(t, "}");
}

static const char *kernel_of(struct bench_room *room, const struct scale_case *c)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_addf(&t,
                 ".version 8.8\n.target sm_120a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                 ".reg .b32 %%r<16>; .reg .f32 %%f<8>; .reg .b64 %%q<8>; .reg .b16 %%h<4>;\n"
                 "ld.param.u64 %%q0, [out]; ld.param.u64 %%q1, [in]; mov.u32 %%r0, %%tid.x;\n"
                 "mul.wide.u32 %%q2, %%r0, 8; add.s64 %%q1, %%q1, %%q2; mul.wide.u32 %%q2, %%r0, 16; add.s64 %%q0, %%q0, %%q2;\n"
                 "ld.global.b32 %%r1, [%%q1]; ld.global.b32 %%r2, [%%q1+4];\n"
                 "mov.b32 %%r3, 0x%08x; mov.b32 %%r4, 0x44444444; mov.f32 %%f4, 0f00000000; mov.b16 %%h0, %u; mov.b16 %%h1, %u;\n"
                 "%s%s {%%f0,%%f1,%%f2,%%f3}, ",
                 c->one, c->byte_a, c->thread_a, c->instruction, c->types);
    add_registers(&t, "%r3", c->a_regs);
    tw_text_add(&t, ", ");
    add_registers(&t, "%r3", c->b_regs);
    tw_text_addf(&t, ", {%%f4,%%f4,%%f4,%%f4}, %s{%%r1}, {%%h0,%%h1}, %%r2, {%u,%u};\n", c->metadata, c->byte_b, c->thread_b);
    tw_text_add(&t, "st.global.v4.f32 [%q0], {%f0,%f1,%f2,%f3};\nret;\n}\n");
    return t.at;
}

static double wanted(const struct scale_case *c, unsigned row, unsigned column)
{
    const uint32_t a = scale_word(c->ue4m3, row % 8 * 4 + 2 * c->thread_a + row / 8, 1);
    const uint32_t b = scale_word(c->ue4m3, column * 4 + c->thread_b, 3);
    double sum = 0;
    for (unsigned i = 0; i < c->scales; i++)
        sum += c->block * scale_value(c->ue4m3, a >> 8 * (c->byte_a + i) & 0xff) * scale_value(c->ue4m3, b >> 8 * (c->byte_b + i) & 0xff);
    return sum;
}

static int run_case(struct bench_room *room, const struct scale_case *c, float *out)
{
    uint32_t in[64];
    for (unsigned lane = 0; lane < 32; lane++) {
        in[2 * lane] = scale_word(c->ue4m3, lane, 1);
        in[2 * lane + 1] = scale_word(c->ue4m3, lane, 3);
    }
    return run_ptx(room, kernel_of(room, c),
                   &(struct ptx_run){.entry = "k", .input = in, .input_bytes = sizeof in, .output = out, .output_bytes = 128 * sizeof *out});
}

#define MXF8 "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X", ".f32.e4m3.e4m3.f32.ue8m0", 4, 2, 0x38383838, ""
#define MXF4 "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale", ".f32.e2m1.e2m1.f32.ue8m0", 4, 2, 0x22222222, ""
#define NVF4_2X "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X", ".f32.e2m1.e2m1.f32.ue8m0", 4, 2, 0x22222222, ""
#define NVF4_4X "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X", ".f32.e2m1.e2m1.f32.ue4m3", 4, 2, 0x22222222, ""
#define MXF8_SP "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale", ".f32.e4m3.e4m3.f32.ue8m0", 4, 4, 0x38383838, "%r4, 0, "
#define MXF4_SP "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale", ".f32.e2m1.e2m1.f32.ue8m0", 4, 4, 0x22222222, "%r4, 0, "

static void scales_come_from_the_selected_bytes_and_lanes(void **state)
{
    static const struct scale_case rows[] = {
        {MXF8, 32, 1, false, 0, 0, 0, 0},    {MXF8, 32, 1, false, 3, 1, 2, 3},    {MXF8, 32, 1, false, 1, 0, 3, 2},
        {MXF4, 32, 2, false, 0, 0, 2, 1},    {MXF4, 32, 2, false, 2, 1, 0, 3},    {NVF4_2X, 32, 2, false, 2, 0, 2, 2},
        {NVF4_4X, 16, 4, true, 0, 0, 0, 0},  {NVF4_4X, 16, 4, true, 0, 1, 0, 3},  {MXF8_SP, 32, 1, false, 2, 1, 1, 2},
        {MXF4_SP, 32, 2, false, 2, 0, 0, 1},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        float out[128];
        if (run_case(room, &rows[i], out) != LAUNCH_FINISHED)
            fail_msg("case %zu: %s", i, tw_test_diags(room));
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned e = 0; e < 4; e++) {
                const unsigned row = lane / 4 + 8 * (e / 2), column = lane % 4 * 2 + e % 2;
                const double want = wanted(&rows[i], row, column), got = (double)out[lane * 4 + e];
                if (got != want)
                    fail_msg("case %zu, element (%u, %u): %a, want %a", i, row, column, got, want);
            }
    }
}

static void selectors_that_name_no_scale_are_faults(void **state)
{
    static const struct { struct scale_case c; const char *which, *expected, *found; } rows[] = {
        {{MXF8, 32, 1, false, 4, 0, 0, 0}, "A", "byte 0, 1, 2 or 3, thread 0 to 1", "byte 4, thread 0"},
        {{MXF8, 32, 1, false, 0, 2, 0, 0}, "A", "byte 0, 1, 2 or 3, thread 0 to 1", "byte 0, thread 2"},
        {{MXF4, 32, 2, false, 0, 0, 1, 3}, "B", "byte 0 or 2, thread 0 to 3", "byte 1, thread 3"},
        {{NVF4_4X, 16, 4, true, 2, 0, 0, 0}, "A", "byte 0, thread 0 to 1", "byte 2, thread 0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        void *room;
        float out[128];
        assert_int_equal(tw_test_setup(&room), 0);
        assert_int_equal(run_case(room, &rows[i].c, out), LAUNCH_FAULT);
        const char *const text = tw_test_diags(room);
        const char *const want = tw_format(&((struct bench_room *)room)->arena,
                                           "error[E0773]: mma.sync: the selectors of the scales of %s are illegal\n", rows[i].which);
        assert_non_null(strstr(text, want));
        assert_non_null(strstr(text, tw_format(&((struct bench_room *)room)->arena, "expected: %s\n", rows[i].expected)));
        assert_non_null(strstr(text, tw_format(&((struct bench_room *)room)->arena, "found: %s\n", rows[i].found)));
        tw_test_teardown(&room);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(scales_come_from_the_selected_bytes_and_lanes),
        cmocka_unit_test(selectors_that_name_no_scale_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
