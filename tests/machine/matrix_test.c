/* ldmatrix, stmatrix and movmatrix put every byte where the GPU puts it (golden/layout_ldst.tcg, measured on an H200). */
#include "kernel_text.h"
#include "support/tcg.h"

/* One kernel for all tables: image and addresses are read, the instruction runs, registers and image are written back.
 * Parameters: pointer to {image[4096], address[32], regs[128]}. */
static const char *kernel_for(struct arena *arena, const char *instr, int registers, bool is_store)
{
    static const char *const lists[] = {"", "{%v0}", "{%v0, %v1}", "", "{%v0, %v1, %v2, %v3}"};
    struct text t;
    tw_text_init(&t, arena);
    tw_text_add(&t, ".version 8.8\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 image[4096];\n"
                    ".visible .entry k(.param .u64 record)\n{\n"
                    ".reg .b32 %t, %i, %s, %a, %w; .reg .b32 %v<4>; .reg .b64 %q<6>; .reg .pred %p;\n"
                    "ld.param.u64 %q0, [record];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %q1, %t, 4, %q0;\nmad.wide.u32 %q2, %t, 16, %q0;\n"
                    "mov.u32 %i, 0;\nmov.u32 %s, image;\n"
                    "FILL: mad.wide.u32 %q3, %i, 4, %q1;\nld.global.u32 %w, [%q3];\nmad.lo.u32 %a, %i, 4, %s;\nmad.lo.u32 %a, %t, 4, %a;\n"
                    "st.shared.u32 [%a], %w;\nadd.u32 %i, %i, 32;\nsetp.lt.u32 %p, %i, 1024;\n@%p bra FILL;\nbar.warp.sync -1;\n"
                    "ld.global.u32 %a, [%q1+4096];\nadd.u32 %a, %a, %s;\nld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%q2+4224];\n");
    if (is_store)
        tw_text_addf(&t, "%s [%%a], %s;\n", instr, lists[registers]);
    else
        tw_text_addf(&t, "%s %s, [%%a];\n", instr, lists[registers]);
    tw_text_add(&t, "bar.warp.sync -1;\nst.global.v4.u32 [%q2+4224], {%v0, %v1, %v2, %v3};\nmov.u32 %i, 0;\n"
                    "BACK: mad.wide.u32 %q3, %i, 4, %q1;\nmad.lo.u32 %a, %i, 4, %s;\nmad.lo.u32 %a, %t, 4, %a;\nld.shared.u32 %w, [%a];\n"
                    "st.global.u32 [%q3], %w;\nadd.u32 %i, %i, 32;\nsetp.lt.u32 %p, %i, 1024;\n@%p bra BACK;\nret;\n}\n");
    return t.at;
}

enum { IMAGE = 4096, RECORD = 4096 + 128 + 512 };

static void one_table(struct bench_room *room, const struct tcg_file *file, const struct tcg_table *table)
{
    const bool is_store = strcmp(table->kind, "stmatrix") == 0;
    struct rig rig;
    rig_load(&rig, room, "k.ptx", kernel_for(&room->arena, table->instr, (int)tw_tcg_number(table, "x", 0), is_store));
    const uint64_t record = tw_memory_alloc(rig.memory, RECORD, "record");
    uint8_t *const at = rig_host(&rig, record);
    for (size_t i = 0; i < table->count; i++) {
        const uint8_t *const want = file->bytes + table->offset + i * table->record_bytes;
        memcpy(at, want, RECORD);
        if (is_store)
            memset(at, 0xee, IMAGE);
        else
            memset(at + 4224, 0xcc, 512);
        rig_must_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &record, .param_bytes = 8, .seed = i});
        if (memcmp(at, want, RECORD) != 0)
            fail_msg("%s, record %zu", table->instr, i);
    }
    rig_end(&rig);
}

static void fragments_are_loaded_and_stored_as_measured(void **state)
{
    struct bench_room *const room = *state;
    const char *const path = tw_test_shared(&room->arena, "golden/layout_ldst.tcg");
    struct tcg_file file;
    if (path == NULL)
        skip();
    assert_true(tw_tcg_open(&room->arena, path, &file));
    unsigned tables = 0;
    for (size_t i = 0; i < file.table_count; i++)
        if (strcmp(file.table[i].kind, "movmatrix") != 0) {
            one_table(room, &file, &file.table[i]);
            tables++;
        }
    assert_int_equal(tables, 12);
}

static void movmatrix_transposes_as_measured(void **state)
{
    struct bench_room *const room = *state;
    const char *const path = tw_test_shared(&room->arena, "golden/layout_ldst.tcg");
    struct tcg_file file;
    if (path == NULL)
        skip();
    assert_true(tw_tcg_open(&room->arena, path, &file));
    struct rig rig;
    uint64_t out;
    uint32_t *const words = kernel_load(&rig, room,
                                        KERNEL("", "ld.global.u32 %r1, [%at];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
                                                   "st.global.u32 [%at+128], %r2;\n"),
                                        &out);
    const struct tcg_table *const table = &file.table[file.table_count - 1];
    assert_string_equal(table->kind, "movmatrix");
    for (size_t i = 0; i < table->count; i++) {
        memcpy(words, file.bytes + table->offset + i * table->record_bytes, 128);
        kernel_must_run(&rig, &out, 1, 32, i);
        assert_memory_equal(words, file.bytes + table->offset + i * table->record_bytes, 256);
    }
    rig_end(&rig);
}

/* MEASURED: a row address that is not a multiple of 16 ends the launch. */
static void a_misaligned_row_is_a_fault(void **state)
{
    kernel_must_fail(*state,
                     KERNEL(".shared .align 16 .b8 image[512];", "mov.u32 %r1, image;\nmad.lo.u32 %r1, %t, 8, %r1;\n"
                                                                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];\n"),
                     1, 32, LAUNCH_FAULT,
                     "k.ptx:13:1: error[E0703]: misaligned load of 16 bytes at shared address 0x408\n"
                     "   13 | ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];\n"
                     "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                     "  expected: an address that is a multiple of 16\n"
                     "     found: 0x408, 8 over\n"
                     "note: by thread (1,0,0) of block (0,0,0)\n");
}

/* SOURCE: PTX ISA, ldmatrix, stmatrix, movmatrix, mma: undefined if a thread of the warp has exited. */
static void a_matrix_instruction_without_some_of_its_lanes_is_a_fault(void **state)
{
#define HALF(statement)                                                                                                  \
    statement, KERNEL(".shared .align 16 .b8 image[512];",                                                               \
                      "mov.u32 %r1, image;\nsetp.gt.u32 %p1, %t, 15;\n@%p1 exit;\n" statement "\n")
    static const struct {
        const char *name, *statement, *text;
    } rows[] = {
        {"ldmatrix", HALF("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];")},
        {"stmatrix", HALF("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};")},
        {"movmatrix", HALF("movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;")},
        {"mma", HALF("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2,%r3}, {%r1}, {%r1}, {%r2,%r3};")},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[100];
        memset(line, '~', sizeof line);
        line[0] = '^';
        line[strlen(rows[i].statement)] = '\0';
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        kernel_must_fail(room, rows[i].text, 1, 32, LAUNCH_FAULT,
                         tw_format(&room->arena,
                                   "k.ptx:14:1: error[E0773]: %s by a part of a warp\n   14 | %s\n      | %s\n"
                                   "  expected: all 32 lanes of the warp\n     found: lanes 16-31 do not take part\n"
                                   "      spec: PTX ISA, %s\nnote: by thread (0,0,0) of block (0,0,0)\n",
                                   rows[i].name, rows[i].statement, line, rows[i].name));
    }
#undef HALF
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(fragments_are_loaded_and_stored_as_measured),
        ROOM_TEST(movmatrix_transposes_as_measured),
        ROOM_TEST(a_misaligned_row_is_a_fault),
        ROOM_TEST(a_matrix_instruction_without_some_of_its_lanes_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
