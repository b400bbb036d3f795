/* wgmma_layout tables: descriptors into a recorded image of shared memory, run by the machine. The elements are small, so D
 * is exact and tells which bytes were read. */
#include "golden.h"
#include "golden_device.h"

#include "isa/mma_map.h"

#include <string.h>

enum { IMAGE_BYTES = 65536, THREADS = 128, A_REGISTERS = 4 };

/* What a record is in the device's buffer, after the image: descriptors, A as registers, D as registers. */
struct layout {
    size_t a, d, bytes;
    unsigned d_regs;
};

static struct layout layout_of(unsigned n)
{
    struct layout l = {.a = 16, .d_regs = n / 2};
    l.d = l.a + (size_t)THREADS * A_REGISTERS * 4;
    l.bytes = l.d + (size_t)THREADS * l.d_regs * 4;
    return l;
}

static void add_registers(struct text *t, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(t, "%s%%%s%u", i == 0 ? "{" : ", ", name, i);
    tw_text_put(t, '}');
}

/* A warpgroup a record: the image goes to dynamic shared memory, whose place is added to the descriptors. */
static const char *kernel_text(struct arena *arena, const struct golden_table *out, const struct tcg_table *table, const struct layout *l)
{
    struct text t;
    char imm[32], from[16], type[8];
    const bool registers = (tw_tcg_string(table->line, "a_from", from, sizeof from), strcmp(from, "registers") == 0);
    tw_tcg_string(table->line, "imm", imm, sizeof imm);
    tw_tcg_string(table->line, "dt", type, sizeof type);
    const char *const bits = strcmp(type, "f32") == 0 ? "f32" : "b32";
    tw_text_init(&t, arena);
    tw_text_addf(&t, ".version 8.8\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 image[];\n"
                     ".visible .entry k(.param .u64 records)\n{\n.reg .b64 %%at, %%from, %%mine, %%da, %%db, %%base; .reg .pred %%p, %%yes;\n"
                     ".reg .b32 %%l, %%i, %%s, %%to, %%v<4>, %%a<4>;\n.reg .%s %%d<%u>;\n",
                 out->arch, bits, l->d_regs);
    tw_text_addf(&t, "ld.param.u64 %%at, [records];\nmov.u32 %%l, %%tid.x;\nmov.u32 %%s, image;\nmov.u32 %%i, 0;\n"
                     "FILL: mad.lo.u32 %%to, %%i, %d, %%l;\nmul.wide.u32 %%from, %%to, 16;\nadd.u64 %%from, %%from, %%at;\n"
                     "ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%from];\nmad.lo.u32 %%to, %%to, 16, %%s;\n"
                     "st.shared.v4.u32 [%%to], {%%v0, %%v1, %%v2, %%v3};\nadd.u32 %%i, %%i, 1;\nsetp.lt.u32 %%p, %%i, %d;\n@%%p bra FILL;\n"
                     "fence.proxy.async.shared::cta;\nbar.sync 0;\n",
                 THREADS, IMAGE_BYTES / 16 / THREADS);
    tw_text_addf(&t, "mov.u32 %%i, %%ctaid.x;\nmul.wide.u32 %%mine, %%i, %zu;\nadd.u64 %%mine, %%mine, %%at;\nadd.u64 %%mine, %%mine, %d;\n"
                     "ld.global.u64 %%da, [%%mine];\nld.global.u64 %%db, [%%mine+8];\nshr.u32 %%to, %%s, 4;\ncvt.u64.u32 %%base, %%to;\n"
                     "add.u64 %%da, %%da, %%base;\nadd.u64 %%db, %%db, %%base;\nmad.wide.u32 %%from, %%l, 16, %%mine;\n"
                     "ld.global.v4.u32 {%%a0, %%a1, %%a2, %%a3}, [%%from+%zu];\nsetp.eq.u32 %%yes, 0, 0;\n",
                 l->bytes, IMAGE_BYTES, l->a);
    for (unsigned i = 0; i < l->d_regs; i++)
        tw_text_addf(&t, "mov.b32 %%d%u, 0;\n", i);
    tw_text_addf(&t, "wgmma.fence.sync.aligned;\n%s ", table->instr);
    add_registers(&t, "d", l->d_regs);
    tw_text_add(&t, ", ");
    if (registers)
        add_registers(&t, "a", A_REGISTERS);
    tw_text_addf(&t, "%s, %%db, %%yes%s%s;\n", registers ? "" : "%da", imm[0] == '\0' ? "" : ", ", imm);
    tw_text_addf(&t, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmad.wide.u32 %%from, %%l, %u, %%mine;\n", 4 * l->d_regs);
    for (unsigned i = 0; i < l->d_regs; i++)
        tw_text_addf(&t, "st.global.%s [%%from+%zu], %%d%u;\n", bits, l->d + 4 * i, i);
    tw_text_add(&t, "ret;\n}\n");
    return t.at;
}

static void put32(uint8_t *to, uint64_t word)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(word >> 8 * i);
}

static void fill_record(const struct layout *l, const struct tcg_file *file, const struct tcg_table *table, size_t record, uint8_t *to)
{
    static const char *const names[] = {"descA", "descB"};
    for (unsigned i = 0; i < 2; i++) {
        const struct tcg_field *const f = tw_tcg_field(table, names[i]);
        const uint64_t word = f == NULL ? 0 : tw_tcg_get(file, table, record, f, 0);
        put32(to + 8 * i, word);
        put32(to + 8 * i + 4, word >> 32);
    }
    const struct tcg_field *const a = tw_tcg_field(table, "A");
    const unsigned k = (unsigned)tw_tcg_number(table, "k", 0);
    for (unsigned thread = 0; a != NULL && thread < THREADS; thread++)
        for (unsigned reg = 0; reg < A_REGISTERS; reg++) {
            uint64_t word = 0;
            for (unsigned e = 0; e < 32 / a->bits; e++) {
                const struct mma_coord at = tw_mma_a_coord(16, a->bits, thread % 32, reg, e);
                word |= tw_tcg_get(file, table, record, a, (16 * (thread / 32) + at.row) * (size_t)k + at.col) << e * a->bits;
            }
            put32(to + l->a + 4 * ((size_t)thread * A_REGISTERS + reg), word);
        }
}

/* D of the registers: register r of thread t of warp w. SOURCE: PTX ISA, "wgmma, register fragments". */
static void compare_record(struct golden_table *out, const struct layout *l, const struct tcg_file *file, const struct tcg_table *table,
                           size_t record, const uint8_t *from)
{
    const struct tcg_field *const d = tw_tcg_field(table, "D"), *const tag = tw_tcg_field(table, "tag");
    const unsigned n = 2 * l->d_regs, row_index = tag == NULL ? 0 : (unsigned)tw_tcg_get(file, table, record, tag, 0) % out->row_count;
    struct golden_row *const row = &out->row[row_index];
    for (unsigned thread = 0; thread < THREADS; thread++)
        for (unsigned r = 0; r < l->d_regs; r++) {
            const unsigned m = 16 * (thread / 32) + thread % 32 / 4 + 8 * (r >> 1 & 1), col = 8 * (r >> 2) + 2 * (thread % 4) + (r & 1);
            const uint64_t want = tw_tcg_get(file, table, record, d, (size_t)m * n + col);
            const uint8_t *const at = from + l->d + 4 * ((size_t)thread * l->d_regs + r);
            const uint64_t got = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
            row->cases++;
            row->mismatches += got != want;
            if (got != want && out->first.len == 0)
                tw_text_addf(&out->first, "record %zu (%s), D[%u][%u]: measured 0x%llx, ours 0x%llx", record, row->generator, m, col,
                             (unsigned long long)want, (unsigned long long)got);
        }
}

/* The table's "tags" name the rows. */
static void name_rows(struct golden_table *out, const struct tcg_table *table)
{
    const char *at = strstr(table->line, "\"tags\":[");
    out->row_count = 0;
    for (at = at == NULL ? "" : at + 8; *at == '"' && out->row_count < GOLDEN_GENERATORS; at += *at == ',') {
        struct golden_row *const row = &out->row[out->row_count++];
        const size_t len = strcspn(++at, "\"");
        *row = (struct golden_row){0};
        memcpy(row->generator, at, len < sizeof row->generator ? len : sizeof row->generator - 1);
        at += len + (at[len] == '"');
    }
    if (out->row_count == 0)
        out->row[out->row_count++] = (struct golden_row){.generator = "all"};
}

void golden_wgmma(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table)
{
    const unsigned n = (unsigned)tw_tcg_number(table, "n", 0);
    const struct layout l = layout_of(n);
    const struct tcg_field *const d = tw_tcg_field(table, "D");
    struct golden_device dev;
    if (table == file->table || strcmp(table[-1].kind, "smem_image") != 0 || table[-1].record_bytes != IMAGE_BYTES || d == NULL ||
        d->bits != 32 || n == 0 || n > 256 || d->count != (size_t)64 * n) {
        out->not_run = "no image of shared memory before it, or D of another size";
        return;
    }
    name_rows(out, table);
    if (golden_device_open(arena, &dev, kernel_text(arena, out, table, &l), IMAGE_BYTES + table->count * l.bytes, out)) {
        memcpy(dev.bytes, file->bytes + table[-1].offset, IMAGE_BYTES);
        for (size_t r = 0; r < table->count; r++)
            fill_record(&l, file, table, r, dev.bytes + IMAGE_BYTES + r * l.bytes);
        if (golden_device_run(&dev, (uint32_t)table->count, THREADS, IMAGE_BYTES, out))
            for (size_t r = 0; r < table->count; r++)
                compare_record(out, &l, file, table, r, dev.bytes + IMAGE_BYTES + r * l.bytes);
    }
    golden_device_close(&dev);
}
