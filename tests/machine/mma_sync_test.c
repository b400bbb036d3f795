/* mma.sync in running PTX against words that an H200 produced (golden/mma_*.tcg). The fragments are made by the formula of
 * ptx-async.md 1.1, written out again here. */
#include "machine/ptx_bench.h"
#include "support/tcg.h"

enum { RECORDS = 48 };

struct table {
    const struct tcg_file *file;
    const struct tcg_table *table;
    unsigned m, n, k, a_bits, b_bits, d_bits;
};

static unsigned per_reg(unsigned bits) { return bits >= 32 ? 1 : 32 / bits; }
static unsigned reg_count(unsigned elements, unsigned bits) { return elements / (32 * per_reg(bits)); }
static unsigned reg_bytes(unsigned bits) { return bits == 64 ? 8 : 4; }

static uint64_t field(const struct table *t, size_t record, const char *name, size_t index)
{
    return tw_tcg_get(t->file, t->table, record, tw_tcg_field(t->table, name), index);
}

/* Register r of lane l of A, B or C. */
static uint64_t a_register(const struct table *t, size_t record, unsigned l, unsigned r)
{
    const unsigned e_count = per_reg(t->a_bits), g = l >> 2, q = l & 3;
    uint64_t word = 0;
    for (unsigned e = 0; e < e_count; e++) {
        const unsigned row = t->m == 16 ? g + 8 * (r & 1) : g;
        const unsigned col = (t->m == 16 ? r >> 1 : r) * 4 * e_count + q * e_count + e;
        word |= field(t, record, "A", (size_t)row * t->k + col) << (t->a_bits * e);
    }
    return word;
}

static uint64_t b_register(const struct table *t, size_t record, unsigned l, unsigned r)
{
    const unsigned e_count = per_reg(t->b_bits), g = l >> 2, q = l & 3;
    uint64_t word = 0;
    for (unsigned e = 0; e < e_count; e++)
        word |= field(t, record, "B", (size_t)g * t->k + r * 4 * e_count + q * e_count + e) << (t->b_bits * e);
    return word;
}

static uint64_t d_register(const struct table *t, size_t record, const char *name, unsigned l, unsigned r)
{
    const unsigned e_count = per_reg(t->d_bits), g = l >> 2, q = l & 3;
    uint64_t word = 0;
    for (unsigned e = 0; e < e_count; e++) {
        const unsigned i = r * e_count + e;
        word |= field(t, record, name, (size_t)(g + 8 * (i >> 1)) * t->n + 2 * q + (i & 1)) << (t->d_bits * e);
    }
    return word;
}

static void write_vector(struct text *p, const char *prefix, unsigned count)
{
    tw_text_add(p, "{");
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(p, "%s%%%s%u", i == 0 ? "" : ", ", prefix, i);
    tw_text_add(p, "}");
}

static void write_accesses(struct text *p, const char *what, const char *prefix, unsigned count, unsigned bytes, unsigned *offset)
{
    for (unsigned i = 0; i < count; i++, *offset += bytes)
        if (*what == 'l')
            tw_text_addf(p, "ld.global.b%u %%%s%u, [%%q0+%u];\n", 8 * bytes, prefix, i, *offset);
        else
            tw_text_addf(p, "st.global.b%u [%%q1+%u], %%%s%u;\n", 8 * bytes, *offset, prefix, i);
}

/* One warp a record: registers are loaded from the input, lane-major, and D is stored likewise. */
static const char *kernel(struct bench_room *room, const struct table *t, unsigned in_bytes, unsigned out_bytes)
{
    const unsigned a = reg_count(t->m * t->k, t->a_bits), b = reg_count(t->n * t->k, t->b_bits), d = reg_count(t->m * t->n, t->d_bits);
    struct text p;
    unsigned offset = 0;
    tw_text_init(&p, &room->arena);
    tw_text_addf(&p, ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                     ".reg .%s %%a<8>; .reg .%s %%b<8>; .reg .%s %%c<8>; .reg .%s %%d<8>; .reg .b64 %%q<4>; .reg .b32 %%r<4>;\n"
                     "ld.param.u64 %%q1, [out]; ld.param.u64 %%q0, [in];\n"
                     "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r0, %%r1, 32, %%r0;\n"
                     "mul.wide.u32 %%q2, %%r0, %u; add.s64 %%q0, %%q0, %%q2; mul.wide.u32 %%q2, %%r0, %u; add.s64 %%q1, %%q1, %%q2;\n",
                 t->a_bits == 64 ? "f64" : "b32", t->b_bits == 64 ? "f64" : "b32", t->d_bits == 64 ? "f64" : "b32",
                 t->d_bits == 64 ? "f64" : "b32", in_bytes, out_bytes);
    write_accesses(&p, "ld", "a", a, reg_bytes(t->a_bits), &offset);
    write_accesses(&p, "ld", "b", b, reg_bytes(t->b_bits), &offset);
    write_accesses(&p, "ld", "c", d, reg_bytes(t->d_bits), &offset);
    tw_text_addf(&p, "%s ", t->table->instr);
    write_vector(&p, "d", d);
    tw_text_add(&p, ", ");
    write_vector(&p, "a", a);
    tw_text_add(&p, ", ");
    write_vector(&p, "b", b);
    tw_text_add(&p, ", ");
    write_vector(&p, "c", d);
    tw_text_add(&p, ";\n");
    offset = 0;
    write_accesses(&p, "st", "d", d, reg_bytes(t->d_bits), &offset);
    tw_text_add(&p, "ret;\n}\n");
    return p.at;
}

static void put(uint8_t **at, uint64_t word, unsigned bytes)
{
    memcpy(*at, &word, bytes);
    *at += bytes;
}

static unsigned run_table(struct bench_room *room, const struct table *t)
{
    const unsigned a = reg_count(t->m * t->k, t->a_bits), b = reg_count(t->n * t->k, t->b_bits), d = reg_count(t->m * t->n, t->d_bits);
    const unsigned in_bytes = a * reg_bytes(t->a_bits) + b * reg_bytes(t->b_bits) + d * reg_bytes(t->d_bits);
    const unsigned out_bytes = d * reg_bytes(t->d_bits);
    const unsigned records = t->table->count < RECORDS ? (unsigned)t->table->count : RECORDS;
    uint8_t *const input = arena_new(&room->arena, uint8_t, (size_t)records * 32 * in_bytes);
    uint8_t *const output = arena_new(&room->arena, uint8_t, (size_t)records * 32 * out_bytes);
    uint8_t *at = input;
    for (unsigned i = 0; i < records; i++) /* records from all of the table, so that every generator is there */
        for (unsigned l = 0; l < 32; l++) {
            const size_t record = (size_t)i * t->table->count / records;
            for (unsigned r = 0; r < a; r++)
                put(&at, a_register(t, record, l, r), reg_bytes(t->a_bits));
            for (unsigned r = 0; r < b; r++)
                put(&at, b_register(t, record, l, r), reg_bytes(t->b_bits));
            for (unsigned r = 0; r < d; r++)
                put(&at, d_register(t, record, "C", l, r), reg_bytes(t->d_bits));
        }
    run_ptx_well(room, kernel(room, t, in_bytes, out_bytes),
                 &(struct ptx_run){.entry = "k", .grid = records, .input = input, .input_bytes = (size_t)records * 32 * in_bytes,
                                   .output = output, .output_bytes = (size_t)records * 32 * out_bytes});
    const uint8_t *got = output;
    for (unsigned i = 0; i < records; i++)
        for (unsigned l = 0; l < 32; l++)
            for (unsigned r = 0; r < d; r++, got += reg_bytes(t->d_bits)) {
                uint64_t word = 0;
                memcpy(&word, got, reg_bytes(t->d_bits));
                const size_t record = (size_t)i * t->table->count / records;
                const uint64_t want = d_register(t, record, "D", l, r);
                if (word != want)
                    fail_msg("%s: record %zu, lane %u, register %u: %llx, wanted %llx", t->table->instr, record, l, r,
                             (unsigned long long)word, (unsigned long long)want);
            }
    return records;
}

static void run_file(void **state, const char *name, unsigned least)
{
    struct bench_room *room = *state;
    struct tcg_file file;
    const char *const path = tw_test_shared(&room->arena, name);
    if (path == NULL)
        skip();
    assert_true(tw_tcg_open(&room->arena, path, &file));
    unsigned checked = 0;
    for (size_t i = 0; i < file.table_count; i++) {
        const struct tcg_table *const table = &file.table[i];
        if (strcmp(table->kind, "mma") != 0)
            continue;
        const struct table t = {&file, table, (unsigned)tw_tcg_number(table, "m", 0), (unsigned)tw_tcg_number(table, "n", 0),
                                (unsigned)tw_tcg_number(table, "k", 0), tw_tcg_field(table, "A")->bits, tw_tcg_field(table, "B")->bits,
                                tw_tcg_field(table, "D")->bits};
        checked += run_table(room, &t);
    }
    assert_true(checked >= least);
}

static void half_and_tf32_products_are_those_of_hardware(void **state)
{
    run_file(state, "golden/mma_f16_bf16_tf32.tcg", 200);
}

static void fp8_products_are_those_of_hardware(void **state)
{
    run_file(state, "golden/mma_fp8.tcg", 200);
}

static void int8_products_are_those_of_hardware(void **state)
{
    run_file(state, "golden/mma_int8.tcg", 200);
}

static void int4_and_bit_products_are_those_of_hardware(void **state)
{
    run_file(state, "golden/mma_sub8.tcg", 200);
}

static void f64_products_are_those_of_hardware(void **state)
{
    run_file(state, "golden/mma_f64.tcg", 100);
}

/* The words are checked by hand: A row 0 is ones, B column 0 is ones, so D(0,0) = C + 16. */
static void a_product_of_ones_needs_no_golden_file(void **state)
{
    struct bench_room *room = *state;
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    for (size_t i = 0; i < COUNT(targets); i++) {
        uint32_t out[128] = {0};
        run_ptx_well(room,
                     tw_format(&room->arena,
                               ".version 8.8\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                               ".reg .b32 %%r<16>; .reg .b64 %%q<4>;\nmov.b32 %%r0, 0x3c003c00; mov.b32 %%r1, 0x3f800000;\n"
                               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%r2,%%r3,%%r4,%%r5}, {%%r0,%%r0,%%r0,%%r0}, {%%r0,%%r0}, "
                               "{%%r1,%%r1,%%r1,%%r1};\n"
                               "ld.param.u64 %%q0, [out]; mov.u32 %%r6, %%tid.x; mul.wide.u32 %%q1, %%r6, 16; add.s64 %%q0, %%q0, %%q1;\n"
                               "st.global.v4.b32 [%%q0], {%%r2,%%r3,%%r4,%%r5};\nret;\n}\n",
                               targets[i]),
                     &(struct ptx_run){.entry = "k", .output = out, .output_bytes = sizeof out});
        for (size_t w = 0; w < COUNT(out); w++)
            assert_int_equal(out[w], 0x41880000); /* 17 */
    }
}

/* Bytes hold 6-bit formats in bits 5:0 and e2m1 in bits 5:2; the other bits are ignored. 32 products of 1 * 2, plus 1. */
static void narrow_formats_stand_in_byte_containers(void **state)
{
    struct bench_room *room = *state;
    static const struct { const char *name; unsigned one, two, ignored; } formats[] = {
        {"e4m3", 0x38, 0x40, 0}, {"e5m2", 0x3c, 0x40, 0}, {"e3m2", 0x0c, 0x10, 0xc0}, {"e2m3", 0x08, 0x10, 0xc0}, {"e2m1", 0x08, 0x10, 0xc3}};
    for (size_t a = 0; a < COUNT(formats); a++)
        for (size_t b = 0; b < COUNT(formats); b++) {
            uint32_t out[128] = {0};
            run_ptx_well(room,
                         tw_format(&room->arena,
                                   ".version 8.8\n.target sm_120a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                                   ".reg .b32 %%r<16>; .reg .b64 %%q<4>;\nmov.b32 %%r0, 0x%x; mov.b32 %%r7, 0x%x; mov.b32 %%r1, 0x3f800000;\n"
                                   "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.%s.%s.f32 {%%r2,%%r3,%%r4,%%r5}, {%%r0,%%r0,%%r0,%%r0}, "
                                   "{%%r7,%%r7}, {%%r1,%%r1,%%r1,%%r1};\n"
                                   "ld.param.u64 %%q0, [out]; mov.u32 %%r6, %%tid.x; mul.wide.u32 %%q1, %%r6, 16; add.s64 %%q0, %%q0, %%q1;\n"
                                   "st.global.v4.b32 [%%q0], {%%r2,%%r3,%%r4,%%r5};\nret;\n}\n",
                                   0x01010101u * (formats[a].one | formats[a].ignored), 0x01010101u * (formats[b].two | formats[b].ignored),
                                   formats[a].name, formats[b].name),
                         &(struct ptx_run){.entry = "k", .output = out, .output_bytes = sizeof out});
            for (size_t w = 0; w < COUNT(out); w++)
                assert_int_equal(out[w], 0x42820000); /* 65 */
        }
}

/* ---- mma.sp ----------------------------------------------------------------------------------- */

/* Words of -1, 0, 1 and 2 for small integers. */
struct sparse_case {
    const char *types, *kind;
    unsigned k, bits, selector;
    uint32_t words[4];
    bool integer;
};

/* Which group of which row a nibble of a lane describes, by the table of ptx-async.md 1.5; false if none. */
static bool described(const struct sparse_case *c, unsigned lane, unsigned p, unsigned *row, unsigned *group)
{
    const unsigned g = lane >> 2, t = lane & 3, f = c->selector;
    const bool narrow = c->bits <= 8, small = c->k == (c->bits == 16 ? 16u : c->bits == 32 ? 8u : c->bits == 8 ? 32u : 64u);
    if (!narrow) {
        *row = g + 8 * (p >> 2);
        *group = small ? p & 3 : 4 * (t & 1) + (p & 3);
        return small ? t == f : t >> 1 == f;
    }
    *row = g + 8 * (t & 1);
    *group = small ? p : 8 * (t >> 1) + p;
    return small ? t >> 1 == f : true;
}

static void sparse_products_take_the_selected_elements(void **state)
{
    static const struct sparse_case cases[] = {
        {"f32.f16.f16.f32", "mma.sp::ordered_metadata", 16, 16, 0, {0xbc00, 0, 0x3c00, 0x4000}, false},
        {"f32.f16.f16.f32", "mma.sp", 16, 16, 3, {0xbc00, 0, 0x3c00, 0x4000}, false},
        {"f32.bf16.bf16.f32", "mma.sp::ordered_metadata", 32, 16, 1, {0xbf80, 0, 0x3f80, 0x4000}, false},
        {"f32.tf32.tf32.f32", "mma.sp::ordered_metadata", 8, 32, 2, {0xbf800000, 0, 0x3f800000, 0x40000000}, false},
        {"f32.tf32.tf32.f32", "mma.sp::ordered_metadata", 16, 32, 0, {0xbf800000, 0, 0x3f800000, 0x40000000}, false},
        {"s32.s8.s8.s32", "mma.sp::ordered_metadata", 32, 8, 1, {0xff, 0, 1, 2}, true},
        {"s32.s8.s8.s32", "mma.sp::ordered_metadata", 64, 8, 0, {0xff, 0, 1, 2}, true},
        {"s32.s4.s4.s32", "mma.sp::ordered_metadata", 64, 4, 0, {0xf, 0, 1, 2}, true},
        {"s32.s4.s4.s32", "mma.sp::ordered_metadata", 128, 4, 0, {0xf, 0, 1, 2}, true},
    };
    static const uint8_t codes[] = {4, 8, 9, 0xc, 0xd, 0xe};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench_room *room = *state;
        const struct sparse_case *const c = &cases[i];
        const unsigned e_count = 32 / c->bits, group = c->bits == 32 ? 2 : c->bits == 4 ? 8 : 4;
        const unsigned a_regs = 16 * c->k / 2 / (32 * e_count), b_regs = 8 * c->k / (32 * e_count);
        static int a[16][64], b[8][128];
        static uint8_t code[16][16];
        uint32_t in[32][16] = {{0}}, out[128] = {0};
        for (unsigned m = 0; m < 16; m++)
            for (unsigned k = 0; k < c->k / 2; k++)
                a[m][k] = (int)((m * 5 + k * 3 + i) % 4) - 1;
        for (unsigned n = 0; n < 8; n++)
            for (unsigned k = 0; k < c->k; k++)
                b[n][k] = (int)((n * 7 + k * k + i) % 4) - 1;
        for (unsigned m = 0; m < 16; m++)
            for (unsigned g = 0; g < c->k / group; g++)
                code[m][g] = c->bits == 32 ? ((m + g) % 2 ? 0xe : 0x4) : codes[(m * 3 + g) % 6];
        for (unsigned l = 0; l < 32; l++) {
            for (unsigned r = 0; r < a_regs; r++)
                for (unsigned e = 0; e < e_count; e++)
                    in[l][r] |= c->words[a[(l >> 2) + 8 * (r & 1)][(r >> 1) * 4 * e_count + (l & 3) * e_count + e] + 1] << (c->bits * e % 32);
            for (unsigned r = 0; r < b_regs; r++)
                for (unsigned e = 0; e < e_count; e++)
                    in[l][4 + r] |= c->words[b[l >> 2][r * 4 * e_count + (l & 3) * e_count + e] + 1] << (c->bits * e % 32);
            for (unsigned p = 0; p < 8; p++) {
                unsigned row, g;
                in[l][8] |= (described(c, l, p, &row, &g) ? code[row][g] : 0u) << (4 * p); /* 0 is no code: it must not be read */
            }
        }
        struct text p;
        tw_text_init(&p, &room->arena);
        tw_text_add(&p, ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                        ".reg .b32 %a<16>; .reg .b32 %d<4>; .reg .b64 %q<4>; .reg .b32 %r<4>;\nld.param.u64 %q1, [out]; ld.param.u64 %q0, [in];\n"
                        "mov.u32 %r0, %tid.x; mul.wide.u32 %q2, %r0, 64; add.s64 %q0, %q0, %q2; mul.wide.u32 %q2, %r0, 16; add.s64 %q1, %q1, %q2;\n");
        for (unsigned r = 0; r < 9; r++)
            tw_text_addf(&p, "ld.global.b32 %%a%u, [%%q0+%u];\n", r, 4 * r);
        tw_text_addf(&p, "mov.b32 %%a9, 0;\n%s.sync.aligned.m16n8k%u.row.col.%s {%%d0,%%d1,%%d2,%%d3}, ", c->kind, c->k, c->types);
        write_vector(&p, "a", a_regs);
        tw_text_add(&p, b_regs == 4 ? ", {%a4,%a5,%a6,%a7}" : ", {%a4,%a5}");
        tw_text_addf(&p, ", {%%a9,%%a9,%%a9,%%a9}, %%a8, %u;\nst.global.v4.b32 [%%q1], {%%d0,%%d1,%%d2,%%d3};\nret;\n}\n", c->selector);
        run_ptx_well(room, p.at, &(struct ptx_run){.entry = "k", .input = in, .input_bytes = sizeof in, .output = out, .output_bytes = sizeof out});
        for (unsigned l = 0; l < 32; l++)
            for (unsigned d = 0; d < 4; d++) {
                const unsigned m = (l >> 2) + 8 * (d >> 1), n = 2 * (l & 3) + (d & 1), kept = group / 2, width = c->bits == 4 ? 2 : 1;
                int sum = 0;
                for (unsigned k = 0; k < c->k / 2; k++) {
                    const unsigned x = code[m][k / kept], e = k % kept;
                    const unsigned place = c->bits == 32 ? (x == 0xe) : (e < width ? x & 3 : x >> 2) * width + e % width;
                    sum += a[m][k] * b[n][k / kept * group + place];
                }
                uint32_t want = (uint32_t)sum;
                const float f = (float)sum;
                if (!c->integer)
                    memcpy(&want, &f, 4);
                if (out[4 * l + d] != want)
                    fail_msg("case %zu: row %u, column %u: %08x, wanted %08x", i, m, n, out[4 * l + d], want);
            }
    }
}

static void an_illegal_metadata_code_is_diagnosed(void **state)
{
    struct bench_room *room = *state;
    const int status = run_ptx(room,
                               ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n"
                               "mov.b32 %r0, 0; mov.b32 %r1, 0x44444044;\n"
                               "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r2,%r3,%r4,%r5}, {%r0,%r0}, {%r0,%r0}, "
                               "{%r0,%r0,%r0,%r0}, %r1, 0;\nret;\n}\n",
                               &(struct ptx_run){.entry = "k"});
    assert_int_equal(status, LAUNCH_FAULT);
    const char *const found = strstr(tw_test_diags(room), "error[");
    assert_non_null(found);
    assert_memory_equal(found, "error[E0776]: mma.sp: a code of the sparsity metadata is illegal\n",
                        strlen("error[E0776]: mma.sp: a code of the sparsity metadata is illegal\n"));
    assert_non_null(strstr(found, "\n  expected: 0x4, 0x8, 0x9, 0xc, 0xd or 0xe\n     found: 0x0 for row 0, group 2\n"
                                  "      spec: PTX ISA, mma.sp, sparsity metadata\nnote: by thread (0,0,0) of block (0,0,0)\n"));
}

/* Sparse products of 8-bit floats that no word of hardware orders: named before the run. */
static void what_has_no_known_arithmetic_is_refused_by_name(void **state)
{
    static const struct { const char *target, *mma, *why; } rows[] = {
        {"sm_100a", "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 {%r8,%r9,%r10,%r11}, {%r0,%r0,%r0,%r0}, {%r0,%r0,%r0,%r0}, {%r0,%r0,%r0,%r0}, %r1, 0;",
         "'mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32' is known, but this machine does not execute it\n"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        const int status = run_ptx(room, tw_format(&room->arena, ".version 8.8\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<16>;\n"
                                                   "mov.b32 %%r0, 0; mov.b32 %%r1, 0x44444444;\n%s\nret;\n}\n", rows[i].target, rows[i].mma),
                                   &(struct ptx_run){.entry = "k"});
        assert_int_equal(status, -1);
        assert_non_null(strstr(tw_test_diags(room), tw_format(&room->arena, "error[E0709]: %s", rows[i].why)));
        assert_non_null(strstr(tw_test_diags(room), "found: 1 instruction of this form in 'k'; "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_product_of_ones_needs_no_golden_file),
        ROOM_TEST(narrow_formats_stand_in_byte_containers),
        ROOM_TEST(sparse_products_take_the_selected_elements),
        ROOM_TEST(an_illegal_metadata_code_is_diagnosed),
        ROOM_TEST(what_has_no_known_arithmetic_is_refused_by_name),
        ROOM_TEST(half_and_tf32_products_are_those_of_hardware),
        ROOM_TEST(fp8_products_are_those_of_hardware),
        ROOM_TEST(int8_products_are_those_of_hardware),
        ROOM_TEST(int4_and_bit_products_are_those_of_hardware),
        ROOM_TEST(f64_products_are_those_of_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
