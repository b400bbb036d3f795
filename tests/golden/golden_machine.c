/* Tables that the machine runs: one kernel a table with the recorded PTX text inside, one launch for all its records. So
 * the whole way is tested: parsing, decoding, register placement, execution. */
#include "golden.h"
#include "golden_device.h"

#include "base/bits.h"
#include "isa/mma_map.h"

#include <string.h>

enum { BLOCK = 128, IMAGE = 4096, IMAGE_RECORD = 4096 + 128 + 512 };

static const char *const kinds[] = {"scalar", "mma_frag", "ldmatrix", "stmatrix", "movmatrix", "wgmma_layout"};

bool golden_machine_knows(const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

static void add_head(struct text *t, const char *arch)
{
    tw_text_addf(t, ".version 8.8\n.target %s\n.address_size 64\n", arch);
}

/* ---- scalar -------------------------------------------------------------------------------------------- */

/* The recorded text with %0 as %d and %N as %iN. */
static void add_asm(struct text *t, const char *text)
{
    for (; *text != '\0'; text++) {
        const bool operand = text[0] == '%' && text[1] >= '0' && text[1] <= '9';
        if (!operand)
            tw_text_put(t, *text);
        else if (*++text == '0')
            tw_text_add(t, "%d");
        else
            tw_text_addf(t, "%%i%d", *text - '1');
    }
}

/* The destination's register type: that with which the tables were recorded. */
static const char *destination_type(const struct tcg_table *table, unsigned bits)
{
    const char *const at = strstr(table->instr, ".f32");
    if (bits == 32 && strncmp(table->instr, "set.", 4) == 0 && at != NULL && at[4] == '.')
        return "f32";
    return bits == 64 ? "b64" : bits == 32 ? "b32" : "b16";
}

/* A thread a record; a record is `slots` words of 64 bits: the inputs, then the output. */
static const char *scalar_kernel(struct arena *arena, const struct tcg_table *table, const char *arch)
{
    char text[256];
    struct text t;
    const unsigned inputs = table->field_count - 1;
    tw_tcg_string(table->line, "asm", text, sizeof text);
    tw_text_init(&t, arena);
    add_head(&t, arch);
    tw_text_add(&t, ".visible .entry k(.param .u64 records)\n{\n.reg .b64 %at; .reg .b32 %n, %c;\n");
    tw_text_addf(&t, ".reg .%s %%d;\n", destination_type(table, table->field[inputs].bits));
    for (unsigned i = 0; i < inputs; i++)
        tw_text_addf(&t, ".reg .b%u %%i%u;\n", table->field[i].bits, i);
    tw_text_addf(&t, "ld.param.u64 %%at, [records];\nmov.u32 %%n, %%ctaid.x;\nmov.u32 %%c, %%tid.x;\nmad.lo.u32 %%n, %%n, %d, %%c;\n"
                     "mad.wide.u32 %%at, %%n, %u, %%at;\nmov.b%u %%d, 0;\n",
                 BLOCK, 8 * (inputs + 1), table->field[inputs].bits);
    for (unsigned i = 0; i < inputs; i++)
        tw_text_addf(&t, "ld.global.b%u %%i%u, [%%at+%u];\n", table->field[i].bits, i, 8 * i);
    add_asm(&t, text);
    tw_text_addf(&t, "\nst.global.b%u [%%at+%u], %%d;\nret;\n}\n", table->field[inputs].bits, 8 * inputs);
    return t.at;
}

static void explain_scalar(struct golden_table *out, const struct tcg_table *table, size_t record, const uint64_t *slots, uint64_t want)
{
    const unsigned inputs = table->field_count - 1;
    char text[256];
    tw_tcg_string(table->line, "asm", text, sizeof text);
    tw_text_addf(&out->first, "record %zu of \"%s\":", record, text);
    for (unsigned i = 0; i < inputs; i++)
        tw_text_addf(&out->first, " %%%u = 0x%0*llx", i + 1, (int)table->field[i].bits / 4, (unsigned long long)slots[i]);
    tw_text_addf(&out->first, ": measured 0x%0*llx, ours 0x%0*llx", (int)table->field[inputs].bits / 4, (unsigned long long)want,
                 (int)table->field[inputs].bits / 4, (unsigned long long)slots[inputs]);
}

static void run_scalar(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table)
{
    struct golden_device d;
    const unsigned inputs = table->field_count - 1, slots = inputs + 1;
    const uint32_t blocks = (uint32_t)((table->count + BLOCK - 1) / BLOCK);
    if (table->field_count < 2 || strcmp(table->field[inputs].name, "out") != 0) {
        out->not_run = "its fields are not inputs and an output";
        return;
    }
    if (!golden_device_open(arena, &d, scalar_kernel(arena, table, out->arch), (size_t)blocks * BLOCK * slots * 8, out)) {
        golden_device_close(&d);
        return;
    }
    uint64_t *const words = (uint64_t *)(void *)d.bytes;
    for (size_t r = 0; r < table->count; r++)
        for (unsigned i = 0; i < inputs; i++)
            words[r * slots + i] = tw_tcg_get(file, table, r, &table->field[i], 0);
    if (golden_device_run(&d, blocks, BLOCK, 0, out))
        for (size_t r = 0; r < table->count; r++) {
            const uint64_t want = tw_tcg_get(file, table, r, &table->field[inputs], 0);
            if (golden_count(out, r, words[r * slots + inputs] == want))
                explain_scalar(out, table, r, &words[r * slots], want);
        }
    golden_device_close(&d);
}

/* ---- mma_frag: the registers of 32 lanes ------------------------------------------------------------------ */

static unsigned registers_of(const struct tcg_table *table, const char *name)
{
    const struct tcg_field *f = tw_tcg_field(table, name);
    return f == NULL ? 0 : (unsigned)(f->count / 32);
}

static void add_list(struct text *t, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(t, "%s%%%s%u", i == 0 ? "{" : ", ", name, i);
    tw_text_put(t, '}');
}

enum { FRAGMENT_SLOTS = 64, LANES_OF_WARP = 32 };

static const char *const fragment_fields[] = {"Aregs", "Bregs", "Cregs", "Dregs"};
static const char *const fragment_names[] = {"a", "b", "c", "d"};

/* A warp a record; a lane has FRAGMENT_SLOTS words of 64 bits, 16 for each operand. */
static const char *fragment_kernel(struct arena *arena, const struct tcg_table *table, const char *arch)
{
    struct text t;
    tw_text_init(&t, arena);
    add_head(&t, arch);
    tw_text_add(&t, ".visible .entry k(.param .u64 records)\n{\n.reg .b64 %at; .reg .b32 %n, %l;\n");
    for (unsigned i = 0; i < 4; i++) {
        const struct tcg_field *f = tw_tcg_field(table, fragment_fields[i]);
        tw_text_addf(&t, ".reg .%s %%%s<%u>;\n", f->bits == 64 ? "f64" : "b32", fragment_names[i], registers_of(table, f->name));
    }
    tw_text_addf(&t, "ld.param.u64 %%at, [records];\nmov.u32 %%n, %%ctaid.x;\nmov.u32 %%l, %%tid.x;\nmad.lo.u32 %%n, %%n, %d, %%l;\n"
                     "mad.wide.u32 %%at, %%n, %d, %%at;\n",
                 LANES_OF_WARP, FRAGMENT_SLOTS * 8);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned r = 0; r < registers_of(table, fragment_fields[i]); r++)
            tw_text_addf(&t, "ld.global.%s %%%s%u, [%%at+%u];\n", tw_tcg_field(table, fragment_fields[i])->bits == 64 ? "f64" : "b32",
                         fragment_names[i], r, 8 * (16 * i + r));
    tw_text_addf(&t, "%s ", table->instr);
    static const unsigned order[] = {3, 0, 1, 2};
    for (unsigned i = 0; i < 4; i++) {
        tw_text_add(&t, i == 0 ? "" : ", ");
        add_list(&t, fragment_names[order[i]], registers_of(table, fragment_fields[order[i]]));
    }
    tw_text_add(&t, ";\n");
    for (unsigned r = 0; r < registers_of(table, "Dregs"); r++)
        tw_text_addf(&t, "st.global.%s [%%at+%u], %%d%u;\n", tw_tcg_field(table, "Dregs")->bits == 64 ? "f64" : "b32", 8 * (48 + r), r);
    tw_text_add(&t, "ret;\n}\n");
    return t.at;
}

/* Where element e of a register lies in the matrix as the file stores it: A, C and D by rows, B by columns. */
static size_t matrix_index(const struct tcg_table *table, unsigned operand, unsigned bits, unsigned lane, unsigned reg, unsigned e)
{
    const unsigned m = (unsigned)tw_tcg_number(table, "m", 0), n = (unsigned)tw_tcg_number(table, "n", 0), k = (unsigned)tw_tcg_number(table, "k", 0);
    struct mma_coord at;
    if (operand == 0) {
        at = tw_mma_a_coord(m, bits, lane, reg, e);
        return (size_t)at.row * k + at.col;
    }
    if (operand == 1) {
        at = tw_mma_b_coord(bits, lane, reg, e);
        return (size_t)at.col * k + at.row;
    }
    at = tw_mma_d_coord(bits, lane, reg, e);
    return (size_t)at.row * n + at.col;
}

/* The recorded registers hold the recorded matrices: the ownership map, element by element. */
static void compare_placement(struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table, size_t record)
{
    static const char *const matrices[] = {"A", "B", "C", "D"};
    for (unsigned operand = 0; operand < 4; operand++) {
        const struct tcg_field *const matrix = tw_tcg_field(table, matrices[operand]), *const regs = tw_tcg_field(table, fragment_fields[operand]);
        const unsigned count = registers_of(table, fragment_fields[operand]);
        if (matrix == NULL)
            continue;
        const unsigned per = mma_elems_per_reg(matrix->bits);
        for (size_t i = 0; i < (size_t)LANES_OF_WARP * count * per; i++) {
            const unsigned lane = (unsigned)(i / per / count), reg = (unsigned)(i / per % count), e = (unsigned)(i % per);
            const size_t at = matrix_index(table, operand, matrix->bits, lane, reg, e);
            const uint64_t word = tw_tcg_get(file, table, record, regs, (size_t)lane * count + reg);
            const uint64_t got = matrix->bits == 64 ? word : bits_get(word, e * matrix->bits, matrix->bits);
            const bool equal = at < matrix->count && got == tw_tcg_get(file, table, record, matrix, at);
            if (golden_count(out, record, equal))
                tw_text_addf(&out->first, "record %zu: element %u of register %u of lane %u is not where the map of %s has it", record, e, reg,
                             lane, matrices[operand]);
        }
    }
}

static void run_fragments(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table)
{
    struct golden_device d;
    for (unsigned i = 0; i < 4; i++)
        if (registers_of(table, fragment_fields[i]) == 0 || registers_of(table, fragment_fields[i]) > 16) {
            out->not_run = "it has no registers of 32 lanes";
            return;
        }
    if (!golden_device_open(arena, &d, fragment_kernel(arena, table, out->arch), table->count * LANES_OF_WARP * FRAGMENT_SLOTS * 8, out)) {
        golden_device_close(&d);
        return;
    }
    uint64_t *const words = (uint64_t *)(void *)d.bytes;
    for (size_t r = 0; r < table->count; r++)
        compare_placement(out, file, table, r);
    for (size_t r = 0; r < table->count; r++)
        for (unsigned i = 0; i < 3; i++) {
            const unsigned regs = registers_of(table, fragment_fields[i]);
            for (unsigned e = 0; e < LANES_OF_WARP * regs; e++)
                words[(r * LANES_OF_WARP + e / regs) * FRAGMENT_SLOTS + 16 * i + e % regs] =
                    tw_tcg_get(file, table, r, tw_tcg_field(table, fragment_fields[i]), e);
        }
    const struct tcg_field *const want = tw_tcg_field(table, "Dregs");
    const unsigned regs = registers_of(table, "Dregs");
    if (golden_device_run(&d, (uint32_t)table->count, LANES_OF_WARP, 0, out))
        for (size_t r = 0; r < table->count; r++)
            for (unsigned e = 0; e < want->count; e++) {
                const uint64_t got = words[(r * LANES_OF_WARP + e / regs) * FRAGMENT_SLOTS + 48 + e % regs];
                if (golden_count(out, r, got == tw_tcg_get(file, table, r, want, e)))
                    tw_text_addf(&out->first, "record %zu, lane %u, register %u of D: measured 0x%llx, ours 0x%llx", r, e / regs, e % regs,
                                 (unsigned long long)tw_tcg_get(file, table, r, want, e), (unsigned long long)got);
            }
    golden_device_close(&d);
}

/* ---- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------------------- */

/* A warp a record {image[4096], address[32], registers[32][4]}: the image goes to shared memory, the instruction runs, image
 * and registers come back. */
static const char *image_kernel(struct arena *arena, const struct tcg_table *table, const char *arch)
{
    struct text t;
    const unsigned registers = (unsigned)tw_tcg_number(table, "x", 1);
    const bool store = strcmp(table->kind, "stmatrix") == 0;
    tw_text_init(&t, arena);
    add_head(&t, arch);
    tw_text_addf(&t, ".shared .align 1024 .b8 image[%d];\n.visible .entry k(.param .u64 records)\n{\n"
                     ".reg .b64 %%at, %%mine, %%from; .reg .b32 %%l, %%i, %%s, %%a, %%w; .reg .b32 %%v<4>; .reg .pred %%p;\n"
                     "ld.param.u64 %%at, [records];\nmov.u32 %%l, %%tid.x;\nmov.u32 %%i, %%ctaid.x;\nmad.wide.u32 %%at, %%i, %d, %%at;\n"
                     "mad.wide.u32 %%mine, %%l, 16, %%at;\nmov.u32 %%s, image;\nmov.u32 %%i, 0;\n",
                 IMAGE, IMAGE_RECORD);
    tw_text_addf(&t, "FILL: mad.lo.u32 %%a, %%i, 128, 0;\nmad.lo.u32 %%a, %%l, 4, %%a;\nmad.wide.u32 %%from, %%a, 1, %%at;\n"
                     "ld.global.u32 %%w, [%%from];\nadd.u32 %%a, %%a, %%s;\nst.shared.u32 [%%a], %%w;\nadd.u32 %%i, %%i, 1;\n"
                     "setp.lt.u32 %%p, %%i, %d;\n@%%p bra FILL;\nbar.warp.sync -1;\nmad.wide.u32 %%from, %%l, 4, %%at;\n"
                     "ld.global.u32 %%a, [%%from+%d];\nadd.u32 %%a, %%a, %%s;\nld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%mine+%d];\n",
                 IMAGE / 128, IMAGE, IMAGE + 128);
    tw_text_addf(&t, store ? "%s [%%a], " : "%s ", table->instr);
    add_list(&t, "v", registers);
    tw_text_add(&t, store ? ";\n" : ", [%a];\n");
    tw_text_addf(&t, "bar.warp.sync -1;\nst.global.v4.u32 [%%mine+%d], {%%v0, %%v1, %%v2, %%v3};\nmov.u32 %%i, 0;\n"
                     "BACK: mad.lo.u32 %%a, %%i, 128, 0;\nmad.lo.u32 %%a, %%l, 4, %%a;\nmad.wide.u32 %%from, %%a, 1, %%at;\n"
                     "add.u32 %%a, %%a, %%s;\nld.shared.u32 %%w, [%%a];\nst.global.u32 [%%from], %%w;\nadd.u32 %%i, %%i, 1;\n"
                     "setp.lt.u32 %%p, %%i, %d;\n@%%p bra BACK;\nret;\n}\n",
                 IMAGE + 128, IMAGE / 128);
    return t.at;
}

/* What the instruction writes, by 4 bytes: the registers it has, or the image. */
static void compare_image(struct golden_table *out, size_t record, const uint8_t *got, const uint8_t *want, bool store)
{
    const size_t first = store ? 0 : IMAGE + 128, end = store ? IMAGE : IMAGE_RECORD;
    for (size_t at = first; at < end; at += 4)
        if (golden_count(out, record, memcmp(got + at, want + at, 4) == 0))
            tw_text_addf(&out->first, "record %zu, byte %zu of %s: measured %02x%02x%02x%02x, ours %02x%02x%02x%02x", record, at - first,
                         store ? "the image" : "the registers", want[at + 3], want[at + 2], want[at + 1], want[at], got[at + 3],
                         got[at + 2], got[at + 1], got[at]);
}

static void run_images(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table)
{
    struct golden_device d;
    const bool store = strcmp(table->kind, "stmatrix") == 0;
    if (table->record_bytes != IMAGE_RECORD || tw_tcg_number(table, "x", 0) < 1 || tw_tcg_number(table, "x", 0) > 4) {
        out->not_run = "its records are not an image, addresses and registers";
        return;
    }
    if (!golden_device_open(arena, &d, image_kernel(arena, table, out->arch), table->count * IMAGE_RECORD, out)) {
        golden_device_close(&d);
        return;
    }
    const uint8_t *const want = file->bytes + table->offset;
    memcpy(d.bytes, want, table->count * IMAGE_RECORD);
    for (size_t r = 0; r < table->count; r++)
        memset(d.bytes + r * IMAGE_RECORD + (store ? 0 : IMAGE + 128), store ? 0xee : 0xcc, store ? IMAGE : 512);
    if (golden_device_run(&d, (uint32_t)table->count, LANES_OF_WARP, 0, out))
        for (size_t r = 0; r < table->count; r++)
            compare_image(out, r, d.bytes + r * IMAGE_RECORD, want + r * IMAGE_RECORD, store);
    golden_device_close(&d);
}

static void run_movmatrix(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table)
{
    struct golden_device d;
    struct text t;
    if (table->record_bytes != 256) {
        out->not_run = "its records are not a register of 32 lanes before and after";
        return;
    }
    tw_text_init(&t, arena);
    add_head(&t, out->arch);
    tw_text_addf(&t, ".visible .entry k(.param .u64 records)\n{\n.reg .b64 %%at; .reg .b32 %%l, %%i, %%o;\nld.param.u64 %%at, [records];\n"
                     "mov.u32 %%i, %%ctaid.x;\nmad.wide.u32 %%at, %%i, 256, %%at;\nmov.u32 %%l, %%tid.x;\nmad.wide.u32 %%at, %%l, 4, %%at;\n"
                     "ld.global.u32 %%i, [%%at];\n%s %%o, %%i;\nst.global.u32 [%%at+128], %%o;\nret;\n}\n",
                 table->instr);
    if (!golden_device_open(arena, &d, t.at, table->count * 256, out)) {
        golden_device_close(&d);
        return;
    }
    const uint8_t *const want = file->bytes + table->offset;
    for (size_t r = 0; r < table->count; r++)
        memcpy(d.bytes + r * 256, want + r * 256, 128);
    if (golden_device_run(&d, (uint32_t)table->count, LANES_OF_WARP, 0, out))
        for (size_t r = 0; r < table->count; r++)
            for (unsigned lane = 0; lane < LANES_OF_WARP; lane++)
                if (golden_count(out, r, memcmp(d.bytes + r * 256 + 128 + lane * 4, want + r * 256 + 128 + lane * 4, 4) == 0))
                    tw_text_addf(&out->first, "record %zu, lane %u differs", r, lane);
    golden_device_close(&d);
}

void golden_machine(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table)
{
    if (strcmp(table->kind, "scalar") == 0)
        run_scalar(arena, out, file, table);
    else if (strcmp(table->kind, "mma_frag") == 0)
        run_fragments(arena, out, file, table);
    else if (strcmp(table->kind, "wgmma_layout") == 0)
        golden_wgmma(arena, out, file, table);
    else if (strcmp(table->kind, "movmatrix") == 0)
        run_movmatrix(arena, out, file, table);
    else
        run_images(arena, out, file, table);
}
