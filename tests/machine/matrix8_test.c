/* ldmatrix and stmatrix of 8-bit elements and those that are widened to bytes. SOURCE: the table of ptx-async.md 1.6, written out
 * here once more; for these forms there are no measurements. */
#include "kernel_text.h"

enum { ROWS_MOST = 32, ROW = 16 };

/* The byte of an image: no two rows and no two columns alike. */
static uint8_t image_byte(unsigned row, unsigned col)
{
    return (uint8_t)(row * 37 + col * 11 + 5);
}

/* Byte `col` of a row after widening: 16 elements of 6 or 4 bits, low bits first. 6-bit formats lie in bits 5:0, e2m1 in 5:2. */
static uint8_t widened(unsigned row, unsigned col, unsigned bits)
{
    if (bits == 8)
        return image_byte(row, col);
    const unsigned at = col * bits;
    const unsigned pair = (unsigned)image_byte(row, at / 8) | (unsigned)image_byte(row, at / 8 + 1) << 8;
    const unsigned value = pair >> at % 8 & ((1u << bits) - 1);
    return (uint8_t)(bits == 4 ? value << 2 : value);
}

struct form {
    const char *shape, *type;
    unsigned count, rows, bits; /* matrices, rows of one, bits of an element in memory */
};

/* Register r, byte b of a lane, by the table. */
static uint8_t expected(const struct form *f, unsigned lane, unsigned r, unsigned b)
{
    const unsigned g = lane / 4, t = lane % 4;
    if (f->rows == 16) /* m16n16: r = 2m + h: M_m[row 4t + b][col g + 8h] */
        return widened(r / 2 * 16 + 4 * t + b, g + 8 * (r % 2), f->bits);
    return widened(r * 8 + g, 4 * t + b, f->bits); /* m8n16: register m: M_m[g][4t + b] */
}

static const char *text_of(struct bench_room *room, const struct form *f, unsigned regs)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                    ".shared .align 16 .b8 image[512];\n.reg .b32 %r<20>; .reg .b64 %q<4>; .reg .b32 %v<8>;\n"
                    "ld.param.u64 %q0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, image;\nmad.lo.u32 %r2, %r0, 16, %r1;\n"
                    "mad.wide.u32 %q1, %r0, 16, %q0;\n");
    for (unsigned i = 0; i < 4; i++)
        tw_text_addf(&t, "ld.global.u32 %%r3, [%%q1+%u];\nst.shared.u32 [%%r2+%u], %%r3;\n", 4 * i, 4 * i);
    tw_text_addf(&t, "bar.warp.sync -1;\nldmatrix.sync.aligned.%s.x%u%s.shared.%s {", f->shape, f->count, f->rows == 16 ? ".trans" : "", f->type);
    for (unsigned r = 0; r < regs; r++)
        tw_text_addf(&t, "%s%%v%u", r == 0 ? "" : ", ", r);
    tw_text_add(&t, "}, [%r2];\nmad.wide.u32 %q2, %r0, 16, %q0;\n");
    for (unsigned r = 0; r < regs; r++)
        tw_text_addf(&t, "st.global.u32 [%%q2+%u], %%v%u;\n", 1024 + 4 * r, r);
    tw_text_add(&t, "ret;\n}\n");
    return t.at;
}

static void loads_place_bytes_by_the_table(void **state)
{
    static const struct form forms[] = {
        {"m16n16", "b8", 1, 16, 8},            {"m16n16", "b8", 2, 16, 8},
        {"m16n16", "b8x16.b6x16_p32", 1, 16, 6}, {"m16n16", "b8x16.b6x16_p32", 2, 16, 6},
        {"m16n16", "b8x16.b4x16_p64", 1, 16, 4}, {"m16n16", "b8x16.b4x16_p64", 2, 16, 4},
        {"m8n16", "b8x16.b6x16_p32", 1, 8, 6}, {"m8n16", "b8x16.b6x16_p32", 2, 8, 6}, {"m8n16", "b8x16.b6x16_p32", 4, 8, 6},
        {"m8n16", "b8x16.b4x16_p64", 1, 8, 4}, {"m8n16", "b8x16.b4x16_p64", 2, 8, 4}, {"m8n16", "b8x16.b4x16_p64", 4, 8, 4},
    };
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct form *const f = &forms[i];
        const unsigned regs = f->rows == 16 ? 2 * f->count : f->count;
        struct rig rig;
        uint64_t out;
        uint32_t *const words = kernel_load(&rig, *state, text_of(*state, f, regs), &out);
        uint8_t *const bytes = (uint8_t *)words;
        for (unsigned row = 0; row < ROWS_MOST; row++)
            for (unsigned col = 0; col < ROW; col++)
                bytes[row * ROW + col] = image_byte(row, col);
        kernel_must_run(&rig, &out, 1, 32, 1);
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned r = 0; r < regs; r++)
                for (unsigned b = 0; b < 4; b++)
                    if (bytes[1024 + lane * 16 + r * 4 + b] != expected(f, lane, r, b))
                        fail_msg("%s.x%u.%s: lane %u, register %u, byte %u", f->shape, f->count, f->type, lane, r, b);
        rig_end(&rig);
    }
}

/* Register m, byte b: row 2t + (b & 1), byte g + 8 * (b >> 1) of matrix m. */
static void stores_place_bytes_by_the_table(void **state)
{
    for (unsigned count = 1; count <= 4; count *= 2) {
        struct bench_room *const room = *state;
        struct rig rig;
        struct text t;
        uint64_t out;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                        ".shared .align 16 .b8 image[512];\n.reg .b32 %r<20>; .reg .b64 %q<4>; .reg .b32 %v<8>;\n"
                        "ld.param.u64 %q0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, image;\nmad.lo.u32 %r2, %r0, 16, %r1;\n"
                        "mad.wide.u32 %q1, %r0, 16, %q0;\nld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%q1];\n");
        tw_text_addf(&t, "stmatrix.sync.aligned.m16n8.x%u.trans.shared.b8 [%%r2], {", count);
        for (unsigned r = 0; r < count; r++)
            tw_text_addf(&t, "%s%%v%u", r == 0 ? "" : ", ", r);
        tw_text_add(&t, "};\nbar.warp.sync -1;\nld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%r2];\nst.global.v4.u32 [%q1+1024], {%v0, %v1, %v2, %v3};\nret;\n}\n");
        uint32_t *const words = kernel_load(&rig, room, t.at, &out);
        uint8_t *const bytes = (uint8_t *)words;
        for (unsigned i = 0; i < 512; i++)
            bytes[i] = (uint8_t)(i * 7 + i / 256);
        kernel_must_run(&rig, &out, 1, 32, 1);
        for (unsigned m = 0; m < count; m++)
            for (unsigned lane = 0; lane < 32; lane++)
                for (unsigned b = 0; b < 4; b++) {
                    const unsigned row = m * 8 + 2 * (lane % 4) + (b & 1), col = lane / 4 + 8 * (b >> 1);
                    assert_int_equal(bytes[1024 + row * ROW + col], bytes[lane * 16 + m * 4 + b]);
                }
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(loads_place_bytes_by_the_table),
        ROOM_TEST(stores_place_bytes_by_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
