/* Registers share rows only when no thread could tell. */
#include "kernel_text.h"

#include "machine/decode.h"

static uint32_t frame_bytes(struct bench_room *room, const char *text)
{
    struct rig rig;
    rig_load(&rig, room, "k.ptx", text);
    const uint32_t func = tw_ptx_find_func(rig.module, STR("k"));
    const struct image *const image = tw_image_decode(&room->arena, &room->diags, rig.program, &rig.module->funcs.at[func], rig.module->env.target.sm);
    assert_non_null(image);
    rig_end(&rig);
    return image->codes[0]->frame_bytes;
}

/* Kernels declare thousands of registers: a chain of temporaries needs as many rows as are alive at once. */
static void dead_registers_give_their_rows_away(void **state)
{
    struct bench_room *const room = *state;
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, KERNEL_HEAD(""));
    tw_text_add(&t, ".reg .b32 %c<1001>;\nadd.u32 %c0, %t, 1;\n");
    for (int i = 0; i < 1000; i++)
        tw_text_addf(&t, "add.u32 %%c%d, %%c%d, 1;\n", i + 1, i);
    tw_text_add(&t, "st.global.u32 [%at], %c1000;\nret;\n}\n");
    assert_true(frame_bytes(room, t.at) < 4096); /* a few rows of 128 and 256 bytes */

    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, room, t.at, &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i + 1001);
    rig_end(&rig);
}

/* Each kernel would give something else if the value of %r1 lost its row too early. */
static void what_may_still_be_read_keeps_its_row(void **state)
{
    static const struct { const char *rule, *body; } rows[] = {
        {"a value that a loop carries around its back edge",
         "mov.u32 %r1, 7;\nmov.u32 %r2, 0;\nLOOP: add.u32 %r3, %r2, %r1;\nmov.u32 %r2, %r3;\nadd.u32 %r4, %t, 0;\nmul.lo.u32 %r5, %r4, 2;\n"
         "setp.lt.u32 %p1, %r2, 70;\n@%p1 bra LOOP;\nst.global.u32 [%at], %r2;\n"},
        {"a value that a guarded write may leave as it is",
         "mov.u32 %r1, 70;\nsetp.gt.u32 %p1, %t, 100;\nmov.u32 %r2, 1;\nadd.u32 %r3, %r2, %r2;\n@%p1 mov.u32 %r1, %r3;\nst.global.u32 [%at], %r1;\n"},
        {"a value written on both sides of a branch and read behind it",
         "setp.lt.u32 %p1, %t, 16;\n@%p1 bra LOW;\nmov.u32 %r1, 70;\nmov.u32 %r2, 5;\nadd.u32 %r3, %r2, %r2;\nbra.uni END;\n"
         "LOW: mov.u32 %r4, 35;\nadd.u32 %r1, %r4, %r4;\nEND: st.global.u32 [%at], %r1;\n"},
        {"a value that lives over a barrier and a collective",
         "mov.u32 %r1, 70;\nbar.sync 0;\nmov.u32 %r2, 3;\nshfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\nadd.u32 %r4, %r3, %r2;\nst.global.u32 [%at], %r1;\n"},
        {"a vector that is loaded and read later",
         "st.global.v4.u32 [%out+4096], {70, 1, 2, 3};\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out+4096];\nadd.u32 %r5, %r2, %r3;\nadd.u32 %r6, %r5, %r4;\n"
         "st.global.u32 [%at], %r1;\n"},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, KERNEL_HEAD(""));
        tw_text_add(&t, rows[k].body);
        tw_text_add(&t, "ret;\n}\n");
        const uint32_t *const words = kernel_load(&rig, room, t.at, &out);
        kernel_must_run(&rig, &out, 1, 32, k);
        for (uint32_t i = 0; i < 32; i++)
            if (words[i] != 70)
                fail_msg("%s: lane %u has %u", rows[k].rule, i, words[i]);
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(dead_registers_give_their_rows_away),
        ROOM_TEST(what_may_still_be_read_keeps_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
