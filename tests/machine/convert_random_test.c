/* cvt.rs in the machine: the sources, their fields and their shares of the random operand, for every form that PTX has. */
#include "kernel_text.h"

static const char head[] =
    ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .b64 %out; .reg .b32 %a, %b, %e, %f, %r, %d; .reg .b16 %h;\nld.param.u64 %out, [out];\n"
    "ld.global.v4.u32 {%a, %b, %e, %f}, [%out];\nld.global.u32 %r, [%out+16];\nmov.b32 %d, 0;\n";

#define ONE 0x3f800000u

static void every_form_takes_its_share_of_the_random_bits(void **state)
{
    static const struct {
        const char *body;
        uint32_t in[4], random, want;
    } rows[] = {
        /* 1 + 2^-11 is half a unit of f16: it goes up from 0x1000 on; a has bits 28:16, b has bits 12:0 */
        {"cvt.rs.f16x2.f32 %d, %a, %b, %r;", {ONE + 0x1000, ONE + 0x1000}, 0x10000fff, 0x3c013c00},
        {"cvt.rs.f16x2.f32 %d, %a, %b, %r;", {ONE + 0x1000, ONE + 0x1000}, 0x0fff1000, 0x3c003c01},
        {"cvt.rs.relu.satfinite.f16x2.f32 %d, %a, %b, %r;", {0xbf800000, 0x7f7fffff}, 0xffffffff, 0x00007bff},
        {"cvt.rs.bf16x2.f32 %d, %a, %b, %r;", {ONE + 0x8000, ONE + 0x8000}, 0x80007fff, 0x3f813f80},
        /* half a unit of e4m3 is 2^-4: a and b share bits 31:16, e and f bits 15:0; a is the most significant field */
        {"cvt.rs.satfinite.e4m3x4.f32 %d, {%a, %b, %e, %f}, %r;", {ONE + 0x80000, ONE, ONE + 0x80000, 0xc0000000}, 0x80007fff, 0x393838c0},
        {"cvt.rs.satfinite.e5m2x4.f32 %d, {%a, %b, %e, %f}, %r;", {ONE + 0x100000, ONE, ONE + 0x100000, 0xc0000000}, 0x7fff8000, 0x3c3c3dc0},
        {"cvt.rs.relu.satfinite.e2m3x4.f32 %d, {%a, %b, %e, %f}, %r;", {ONE + 0x80000, ONE, ONE + 0x80000, 0xc0000000}, 0x80007fff, 0x09080800},
        {"cvt.rs.satfinite.e3m2x4.f32 %d, {%a, %b, %e, %f}, %r;", {ONE + 0x100000, ONE, 0x7fc00000, 0xff800000}, 0x80007fff, 0x0d0c1f3f},
        /* e2m1: 1.25 is half a unit above 1; bytes 3, 1, 2, 0 go to a, b, e, f */
        {"cvt.rs.satfinite.e2m1x4.f32 %h, {%a, %b, %e, %f}, %r;\ncvt.u32.u16 %d, %h;", {0x3fa00000, 0x3fa00000, 0x3fa00000, 0x3fa00000}, 0x80007f00, 0x3222},
        {"cvt.rs.satfinite.e2m1x4.f32 %h, {%a, %b, %e, %f}, %r;\ncvt.u32.u16 %d, %h;", {0x3fa00000, 0x3fa00000, 0x3fa00000, 0x3fa00000}, 0x007f8000, 0x2322},
        {"cvt.rs.satfinite.e2m1x4.f32 %h, {%a, %b, %e, %f}, %r;\ncvt.u32.u16 %d, %h;", {0x3fa00000, 0x3fa00000, 0x3fa00000, 0x3fa00000}, 0x7f80007f, 0x2232},
        {"cvt.rs.satfinite.e2m1x4.f32 %h, {%a, %b, %e, %f}, %r;\ncvt.u32.u16 %d, %h;", {0x3fa00000, 0x3fa00000, 0x3fa00000, 0x3fa00000}, 0x7f007f80, 0x2223},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        uint64_t out;
        const char *const text = tw_format(&room->arena, "%s%s\nst.global.u32 [%%out+20], %%d;\nret;\n}\n", head, rows[i].body);
        uint32_t *const words = kernel_load(&rig, room, text, &out);
        memcpy(words, rows[i].in, sizeof rows[i].in);
        words[4] = rows[i].random;
        kernel_must_run(&rig, &out, 1, 1, i);
        if (words[5] != rows[i].want)
            fail_msg("%s: want %08x, got %08x", rows[i].body, rows[i].want, words[5]);
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(every_form_takes_its_share_of_the_random_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
