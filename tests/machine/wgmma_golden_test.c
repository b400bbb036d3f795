/* wgmma in running PTX against words that an H200 produced: arithmetic (golden/wgmma_*.tcg) and the bytes that descriptors
 * reach (golden/layout_wgmma.tcg). Tiles and fragments are placed by the formulas of ptx-async.md 2.2 and 2.3, written out
 * again here. The samples in tests/golden run always, everything with TW_LONG=1. */
#include "rig.h"
#include "support/tcg.h"

enum { M = 64, THREADS = 128, IMAGE_BYTES = 65536 };

struct table {
    const struct tcg_file *file;
    const struct tcg_table *table;
    unsigned n, k, chain, bits, d_bits;
    bool trans_a, trans_b, a_in_regs, scale_d;
    char imm[32];
};

static struct table open_table(const struct tcg_file *file, const struct tcg_table *t)
{
    struct table out = {.file = file, .table = t, .n = (unsigned)tw_tcg_number(t, "n", 0), .k = (unsigned)tw_tcg_number(t, "k", 0),
                        .chain = (unsigned)tw_tcg_number(t, "chain", 1), .trans_a = tw_tcg_number(t, "tnspA", 0) != 0,
                        .trans_b = tw_tcg_number(t, "tnspB", 0) != 0, .scale_d = tw_tcg_number(t, "scale_d", 1) != 0};
    char from[16];
    tw_tcg_string(t->line, "a_from", from, sizeof from);
    tw_tcg_string(t->line, "imm", out.imm, sizeof out.imm);
    out.a_in_regs = strcmp(from, "registers") == 0;
    out.bits = 256 / out.k; /* K is 256 bits of every type */
    out.d_bits = tw_tcg_field(t, "D")->bits;
    return out;
}

static unsigned d_regs(const struct table *t) { return t->n * t->d_bits / 64; }

static uint64_t field(const struct table *t, size_t record, const char *name, size_t index)
{
    return tw_tcg_get(t->file, t->table, record, tw_tcg_field(t->table, name), index);
}

/* ---- Tiles in shared memory ------------------------------------------------------------------------------------ */

/* Span of the swizzle: 0 none, 32, 64, 128 bytes. */
struct layout {
    unsigned span;
    bool mn_major;
};

static unsigned group_bytes(const struct layout *l) { return l->span == 0 ? 256 : 8 * l->span; }

static unsigned lead_bytes(const struct layout *l)
{
    if (l->span == 0)
        return 128;
    return l->mn_major ? 2 * group_bytes(l) : 16;
}

static unsigned place(const struct layout *l, unsigned bits, unsigned row, unsigned k)
{
    const unsigned s = l->span, lbo = lead_bytes(l), sbo = group_bytes(l);
    unsigned at;
    if (!l->mn_major) {
        const unsigned kb = k * bits / 8;
        at = s == 0 ? row % 8 * 16 + row / 8 * sbo + kb % 16 + kb / 16 * lbo : row % 8 * s + row / 8 * sbo + kb;
    } else {
        const unsigned mb = row * bits / 8;
        at = s == 0 ? mb % 16 + mb / 16 * sbo + k % 8 * 16 + k / 8 * lbo : mb % s + mb / s * lbo + k % 8 * s + k / 8 * sbo;
    }
    return s == 32 ? at ^ (at >> 3 & 0x10) : s == 64 ? at ^ (at >> 3 & 0x30) : s == 128 ? at ^ (at >> 3 & 0x70) : at;
}

static uint64_t descriptor(const struct layout *l)
{
    const uint64_t code = l->span == 0 ? 0 : l->span == 128 ? 1 : l->span == 64 ? 2 : 3;
    return code << 62 | (uint64_t)(group_bytes(l) >> 4) << 32 | (uint64_t)(lead_bytes(l) >> 4) << 16;
}

static unsigned tile_bytes(const struct layout *l, unsigned rows)
{
    if (l->mn_major && l->span != 0) /* whole spans along M or N */
        return (rows * 2 + l->span - 1) / l->span * 2 * group_bytes(l);
    return (rows + 7) / 8 * group_bytes(l);
}

static unsigned align_tile(unsigned bytes) { return (bytes + 1023) / 1024 * 1024; }

static void fill_tile(uint8_t *at, const struct table *t, size_t record, const char *name, const struct layout *l, unsigned rows,
                      unsigned step)
{
    for (unsigned row = 0; row < rows; row++)
        for (unsigned k = 0; k < t->k; k++) {
            const uint64_t word = field(t, record, name, (size_t)row * t->k * t->chain + step * t->k + k);
            uint8_t *const to = at + place(l, t->bits, row, k);
            if (t->bits == 1)
                *to = (uint8_t)(*to | word << k % 8);
            else
                memcpy(to, &word, t->bits / 8);
        }
}

/* ---- Fragments --------------------------------------------------------------------------------------------------- */

static uint32_t a_register(const struct table *t, size_t record, unsigned thread, unsigned reg, unsigned step)
{
    const unsigned e_count = 32 / t->bits, lane = thread % 32, row = thread / 32 * 16 + lane / 4 + 8 * (reg & 1);
    uint32_t word = 0;
    for (unsigned e = 0; e < e_count; e++) {
        const unsigned k = (reg >> 1) * 4 * e_count + lane % 4 * e_count + e;
        word |= (uint32_t)field(t, record, "A", (size_t)row * t->k * t->chain + step * t->k + k) << (t->bits * e % 32);
    }
    return word;
}

static uint32_t d_register(const struct table *t, size_t record, const char *name, unsigned thread, unsigned reg)
{
    const unsigned e_count = 32 / t->d_bits, lane = thread % 32;
    uint32_t word = 0;
    for (unsigned e = 0; e < e_count; e++) {
        const unsigned i = reg * e_count + e, row = thread / 32 * 16 + lane / 4 + 8 * (i >> 1 & 1), col = 8 * (i >> 2) + 2 * (lane % 4) + (i & 1);
        word |= (uint32_t)field(t, record, name, (size_t)row * t->n + col) << (t->d_bits * e % 32);
    }
    return word;
}

/* ---- The kernel ---------------------------------------------------------------------------------------------------- */

static void write_vector(struct text *p, const char *prefix, unsigned count)
{
    tw_text_add(p, "{");
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(p, "%s%%%s%u", i == 0 ? "" : ", ", prefix, i);
    tw_text_add(p, "}");
}

/* What differs between the two kinds of tables: where descriptors come from. */
struct operands {
    uint64_t a, b;               /* without the start address */
    unsigned a_step, b_step, b_at; /* bytes from one product of a chain to the next; of the first B */
    bool loaded;                 /* descriptors relative to the image come with the record */
};

static void write_product(struct text *p, const struct table *t, const struct operands *o, unsigned step)
{
    if (!o->loaded) {
        tw_text_addf(p, "add.s64 %%q4, %%q3, %llu;\n", (unsigned long long)(o->a + (step * o->a_step >> 4)));
        tw_text_addf(p, "add.s64 %%q5, %%q3, %llu;\n", (unsigned long long)(o->b + ((o->b_at + step * o->b_step) >> 4)));
    } else {
        tw_text_add(p, "ld.global.b64 %q4, [%q0]; add.s64 %q4, %q4, %q3; ld.global.b64 %q5, [%q0+8]; add.s64 %q5, %q5, %q3;\n");
    }
    tw_text_addf(p, "%s ", t->table->instr);
    write_vector(p, "d", d_regs(t));
    if (t->a_in_regs)
        tw_text_addf(p, ", {%%a%u, %%a%u, %%a%u, %%a%u}", 4 * step, 4 * step + 1, 4 * step + 2, 4 * step + 3);
    else
        tw_text_add(p, ", %q4");
    tw_text_addf(p, ", %%q5, %%p0%s%s;\n", t->imm[0] == '\0' ? "" : ", ", t->imm);
}

/* Copies the image into shared memory; then each CTA takes a record, loads C and A registers, multiplies, stores D. */
static const char *kernel(struct bench_room *room, const struct table *t, const struct operands *o, unsigned image_bytes,
                          unsigned image_step, unsigned record_bytes, unsigned words_at)
{
    const unsigned d = d_regs(t), a = t->a_in_regs ? 4 * t->chain : 0;
    struct text p;
    tw_text_init(&p, &room->arena);
    tw_text_addf(&p, ".version 8.8\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
                     ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 images)\n{\n"
                     ".reg .b32 %%a<17>; .reg .b32 %%d<129>; .reg .b64 %%q<8>; .reg .b32 %%r<12>; .reg .pred %%p<2>;\n"
                     "ld.param.u64 %%q1, [out]; ld.param.u64 %%q0, [in]; ld.param.u64 %%q2, [images];\n"
                     "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, smem;\n"
                     "mul.wide.u32 %%q3, %%r1, %u; add.s64 %%q0, %%q0, %%q3;\n"
                     "mul.wide.u32 %%q3, %%r1, %u; add.s64 %%q2, %%q2, %%q3;\n"
                     "mad.lo.u32 %%r3, %%r1, 128, %%r0; mul.wide.u32 %%q3, %%r3, %u; add.s64 %%q1, %%q1, %%q3;\n"
                     "shl.b32 %%r4, %%r0, 4;\nCOPY:\nsetp.ge.u32 %%p1, %%r4, %u; @%%p1 bra DONE;\n"
                     "cvt.u64.u32 %%q3, %%r4; add.s64 %%q3, %%q2, %%q3; add.u32 %%r5, %%r2, %%r4;\n"
                     "ld.global.v4.b32 {%%r6, %%r7, %%r8, %%r9}, [%%q3]; st.shared.v4.b32 [%%r5], {%%r6, %%r7, %%r8, %%r9};\n"
                     "add.u32 %%r4, %%r4, 2048; bra COPY;\nDONE:\nfence.proxy.async.shared::cta; bar.sync 0;\n",
                 record_bytes, image_step, 4 * d, image_bytes);
    tw_text_addf(&p, "mul.wide.u32 %%q3, %%r0, %u; add.s64 %%q2, %%q0, %%q3;\n", 4 * (d + a));
    for (unsigned i = 0; i < d; i++)
        tw_text_addf(&p, "ld.global.b32 %%d%u, [%%q2+%u];\n", i, words_at + 4 * i);
    for (unsigned i = 0; i < a; i++)
        tw_text_addf(&p, "ld.global.b32 %%a%u, [%%q2+%u];\n", i, words_at + 4 * (d + i));
    tw_text_addf(&p, "setp.ne.u32 %%p0, %d, 0;\nshr.u32 %%r2, %%r2, 4; cvt.u64.u32 %%q3, %%r2;\nwgmma.fence.sync.aligned;\n", t->scale_d);
    for (unsigned step = 0; step < t->chain; step++)
        write_product(&p, t, o, step);
    tw_text_add(&p, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (unsigned i = 0; i < d; i++)
        tw_text_addf(&p, "st.global.b32 [%%q1+%u], %%d%u;\n", 4 * i, i);
    tw_text_add(&p, "ret;\n}\n");
    return p.at;
}

struct buffers {
    uint8_t *records, *images;
    size_t records_bytes, images_bytes;
};

static void run_table(struct bench_room *room, const struct table *t, const char *text, const struct buffers *in, unsigned shared_bytes)
{
    const unsigned records = (unsigned)t->table->count;
    struct rig rig;
    rig_load(&rig, room, "k.ptx", text);
    const uint64_t params[3] = {tw_memory_alloc(rig.memory, (size_t)records * THREADS * d_regs(t) * 4, "out"),
                                tw_memory_alloc(rig.memory, in->records_bytes, "in"), tw_memory_alloc(rig.memory, in->images_bytes, "images")};
    memcpy(rig_host(&rig, params[1]), in->records, in->records_bytes);
    memcpy(rig_host(&rig, params[2]), in->images, in->images_bytes);
    rig_must_run(&rig, "k", (struct launch_spec){.grid = {records}, .block = {THREADS}, .params = params, .param_bytes = sizeof params,
                                                 .dynamic_shared_bytes = shared_bytes, .seed = 1});
    const uint32_t *const out = rig_host(&rig, params[0]);
    for (unsigned record = 0; record < records; record++)
        for (unsigned thread = 0; thread < THREADS; thread++)
            for (unsigned reg = 0; reg < d_regs(t); reg++) {
                const uint32_t got = out[((size_t)record * THREADS + thread) * d_regs(t) + reg], want = d_register(t, record, "D", thread, reg);
                if (got != want)
                    fail_msg("%s (%s), record %u: thread %u, register %u: %08x, wanted %08x", t->table->instr, t->imm, record, thread, reg,
                             got, want);
            }
    rig_end(&rig);
}

/* C and, where A is in registers, A: by thread. */
static void fill_words(uint8_t *at, const struct table *t, size_t record, bool with_c)
{
    const unsigned d = d_regs(t), a = t->a_in_regs ? 4 * t->chain : 0;
    for (unsigned thread = 0; thread < THREADS; thread++, at += 4 * (d + a)) {
        for (unsigned i = 0; i < d; i++) {
            const uint32_t word = with_c ? d_register(t, record, "C", thread, i) : 0;
            memcpy(at + 4 * i, &word, 4);
        }
        for (unsigned i = 0; i < a; i++) {
            const uint32_t word = a_register(t, record, thread, i % 4, i / 4);
            memcpy(at + 4 * (d + i), &word, 4);
        }
    }
}

static size_t words_bytes(const struct table *t)
{
    return (size_t)THREADS * 4 * (d_regs(t) + (t->a_in_regs ? 4 * t->chain : 0));
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------------- */

/* The layout changes from table to table, so that every swizzle meets every type. */
static void run_arithmetic(struct bench_room *room, const struct table *t, unsigned index)
{
    static const unsigned spans[] = {0, 32, 64, 128};
    const struct layout la = {spans[index % 4], t->trans_a}, lb = {spans[(index / 4 + index) % 4], t->trans_b};
    const unsigned a_step = t->a_in_regs ? 0 : align_tile(tile_bytes(&la, M)), b_step = align_tile(tile_bytes(&lb, t->n));
    const unsigned image = t->chain * (a_step + b_step);
    const size_t record_bytes = words_bytes(t), records = t->table->count;
    struct buffers in = {.records_bytes = record_bytes * records, .images_bytes = (size_t)image * records};
    in.records = arena_new(&room->arena, uint8_t, in.records_bytes);
    in.images = arena_new(&room->arena, uint8_t, in.images_bytes);
    for (size_t record = 0; record < records; record++) {
        uint8_t *const at = in.images + record * image;
        for (unsigned step = 0; step < t->chain; step++) {
            if (!t->a_in_regs)
                fill_tile(at + step * a_step, t, record, "A", &la, M, step);
            fill_tile(at + t->chain * a_step + step * b_step, t, record, "B", &lb, t->n, step);
        }
        fill_words(in.records + record * record_bytes, t, record, true);
    }
    const struct operands o = {descriptor(&la), descriptor(&lb), a_step, b_step, t->chain * a_step, false};
    run_table(room, t, kernel(room, t, &o, image, image, (unsigned)record_bytes, 0), &in, image);
}

/* ---- Layouts ------------------------------------------------------------------------------------------------------------ */

static void run_layouts(struct bench_room *room, const struct table *t, const uint8_t *image)
{
    const size_t record_bytes = 16 + words_bytes(t), records = t->table->count;
    struct buffers in = {.records_bytes = record_bytes * records, .images_bytes = IMAGE_BYTES};
    in.records = arena_new(&room->arena, uint8_t, in.records_bytes);
    in.images = arena_new(&room->arena, uint8_t, IMAGE_BYTES);
    memcpy(in.images, image, IMAGE_BYTES);
    for (size_t record = 0; record < records; record++) {
        uint8_t *const at = in.records + record * record_bytes;
        const uint64_t desc[2] = {field(t, record, "descA", 0), field(t, record, "descB", 0)};
        memcpy(at, desc, sizeof desc);
        fill_words(at + 16, t, record, false);
    }
    const struct operands o = {.loaded = true};
    run_table(room, t, kernel(room, t, &o, IMAGE_BYTES, 0, (unsigned)record_bytes, 16), &in, IMAGE_BYTES);
}

/* ---- The tests ------------------------------------------------------------------------------------------------------------ */

static const char *file_path(struct bench_room *room, const char *name)
{
    if (getenv("TW_LONG") == NULL)
        return tw_format(&room->arena, "tests/golden/%s.tcg", name);
    return tw_test_shared(&room->arena, tw_format(&room->arena, "golden/%s.tcg", name));
}

static void check_file(void **state, const char *name)
{
    struct bench_room *room = *state;
    const char *const path = file_path(room, name);
    struct tcg_file file;
    if (path == NULL)
        skip();
    if (!tw_tcg_open(&room->arena, path, &file))
        fail_msg("%s is missing or damaged", path);
    size_t products = 0;
    for (size_t i = 0; i < file.table_count; i++) {
        const struct tcg_table *const raw = &file.table[i];
        if (strcmp(raw->kind, "smem_image") == 0 || raw->count == 0)
            continue;
        const struct table t = open_table(&file, raw);
        if (strcmp(raw->kind, "wgmma_layout") == 0)
            run_layouts(room, &t, file.bytes + file.table[i - 1].offset);
        else
            run_arithmetic(room, &t, (unsigned)i);
        products += raw->count;
    }
    printf("%s: %zu products\n", name, products);
    assert_true(products > 0);
}

static void half_and_tf32_products_are_those_of_hardware(void **state) { check_file(state, "wgmma_f16_bf16_tf32"); }
static void fp8_products_are_those_of_hardware(void **state) { check_file(state, "wgmma_fp8"); }
static void integer_and_bit_products_are_those_of_hardware(void **state) { check_file(state, "wgmma_int"); }
static void signs_transposition_registers_and_chains_are_those_of_hardware(void **state) { check_file(state, "wgmma_variants"); }
static void wide_products_are_those_of_hardware(void **state) { check_file(state, "wgmma_large_n"); }
static void descriptors_reach_the_bytes_that_hardware_reads(void **state) { check_file(state, "layout_wgmma"); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(half_and_tf32_products_are_those_of_hardware),
        ROOM_TEST(fp8_products_are_those_of_hardware),
        ROOM_TEST(integer_and_bit_products_are_those_of_hardware),
        ROOM_TEST(signs_transposition_registers_and_chains_are_those_of_hardware),
        ROOM_TEST(wide_products_are_those_of_hardware),
        ROOM_TEST(descriptors_reach_the_bytes_that_hardware_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
