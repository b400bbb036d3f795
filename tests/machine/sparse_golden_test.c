/* mma.sp and wgmma.mma_async.sp in running PTX against words that an H200 produced (golden/mma_sparse.tcg). Fragments, tiles and
 * metadata are placed by the formulas of ptx-async.md 1.1, 1.5, 2.2, 2.3 and 2.5, written out again here. */
#include "rig.h"
#include "support/tcg.h"

struct table {
    const struct tcg_file *file;
    const struct tcg_table *table;
    unsigned m, n, k, stored, groups, selector, a_bits, b_bits, d_bits, threads;
    bool warpgroup, a_in_regs;
    char imm[32];
};

static struct table open_table(const struct tcg_file *file, const struct tcg_table *t)
{
    struct table out = {.file = file, .table = t, .m = (unsigned)tw_tcg_number(t, "m", 0), .n = (unsigned)tw_tcg_number(t, "n", 0),
                        .k = (unsigned)tw_tcg_number(t, "k", 0), .selector = (unsigned)tw_tcg_number(t, "selector", 0),
                        .a_bits = tw_tcg_field(t, "A")->bits, .b_bits = tw_tcg_field(t, "B")->bits, .d_bits = tw_tcg_field(t, "D")->bits};
    char from[16];
    tw_tcg_string(t->line, "a_from", from, sizeof from);
    tw_tcg_string(t->line, "imm", out.imm, sizeof out.imm);
    out.a_in_regs = strcmp(from, "registers") == 0;
    out.warpgroup = strcmp(t->kind, "wgmma_sp") == 0;
    out.stored = out.k / 2;
    out.groups = out.k / (out.a_bits == 32 ? 2 : out.a_bits == 4 ? 8 : 4);
    out.threads = out.warpgroup ? 128 : 32;
    return out;
}

static unsigned a_regs(const struct table *t) { return 16 * t->stored * t->a_bits / 1024; }
static unsigned b_regs(const struct table *t) { return t->warpgroup ? 0 : 8 * t->k * t->b_bits / 1024; }
static unsigned d_regs(const struct table *t) { return t->n * t->d_bits / 64; }
static unsigned words_of(const struct table *t) { return a_regs(t) + b_regs(t) + d_regs(t) + 1; }

static uint64_t field(const struct table *t, size_t record, const char *name, size_t index)
{
    return tw_tcg_get(t->file, t->table, record, tw_tcg_field(t->table, name), index);
}

/* ---- What a thread holds ------------------------------------------------------------------------------------------ */

static uint32_t a_register(const struct table *t, size_t record, unsigned thread, unsigned reg)
{
    const unsigned e_count = 32 / t->a_bits, lane = thread % 32, row = thread / 32 * 16 + lane / 4 + 8 * (reg & 1);
    uint32_t word = 0;
    for (unsigned e = 0; e < e_count; e++)
        word |= (uint32_t)field(t, record, "A", (size_t)row * t->stored + (reg >> 1) * 4 * e_count + lane % 4 * e_count + e) << (t->a_bits * e % 32);
    return word;
}

static uint32_t b_register(const struct table *t, size_t record, unsigned lane, unsigned reg)
{
    const unsigned e_count = 32 / t->b_bits;
    uint32_t word = 0;
    for (unsigned e = 0; e < e_count; e++)
        word |= (uint32_t)field(t, record, "B", (size_t)(lane / 4) * t->k + reg * 4 * e_count + lane % 4 * e_count + e) << (t->b_bits * e % 32);
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

/* Row of the warp's 16 and group of nibble p; false if the instruction does not look there. */
static bool described(const struct table *t, unsigned lane, unsigned p, unsigned *row, unsigned *group)
{
    const unsigned g = lane / 4, q = lane % 4, f = t->selector;
    if (t->a_bits >= 16) {
        const unsigned lanes = t->groups / 4; /* that share a row */
        *row = g + 8 * (p >> 2);
        *group = 4 * (q % lanes) + (p & 3);
        return q / lanes == f;
    }
    *row = g + 8 * (q & 1);
    *group = t->groups == 8 ? p : 8 * (q >> 1) + p;
    return t->groups == 16 || q >> 1 == f;
}

/* Codes that are not looked at stay 0, which no form allows. */
static uint32_t metadata(const struct table *t, size_t record, unsigned thread)
{
    uint32_t word = 0;
    for (unsigned p = 0; p < 8; p++) {
        unsigned row, group;
        if (described(t, thread % 32, p, &row, &group))
            word |= (uint32_t)field(t, record, "E", (size_t)(thread / 32 * 16 + row) * t->groups + group) << (4 * p);
    }
    return word;
}

/* A in 2048 bytes, then B in 512: K-major without swizzle, units of 16 bytes 128 bytes apart along K. */
enum { A_BYTES = 2048, B_BYTES = 512 };

static void fill_tile(const struct table *t, size_t record, const char *name, unsigned rows, unsigned k_count, unsigned bits, uint8_t *at)
{
    for (unsigned row = 0; row < rows; row++)
        for (unsigned k = 0; k < k_count; k++) {
            const uint64_t word = field(t, record, name, (size_t)row * k_count + k);
            const unsigned byte = k * bits / 8;
            memcpy(at + row % 8 * 16 + row / 8 * 256 + byte % 16 + byte / 16 * 128, &word, bits / 8);
        }
}

/* ---- The kernel -------------------------------------------------------------------------------------------------------- */

static void write_vector(struct text *p, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(p, "%s%%r%u", i == 0 ? "{" : ", ", first + i);
    tw_text_add(p, "}");
}

/* A thread's registers %r0 on: A, B, C, metadata. */
static const char *kernel(struct bench_room *room, const struct table *t)
{
    const unsigned a = a_regs(t), b = b_regs(t), d = d_regs(t), words = words_of(t);
    const unsigned image = t->warpgroup ? A_BYTES + B_BYTES : 0;
    struct text p;
    tw_text_init(&p, &room->arena);
    tw_text_addf(&p, ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                     ".shared .align 1024 .b8 tiles[2560]; .reg .b32 %%r<16>; .reg .b32 %%s<12>; .reg .b64 %%q<8>; .reg .pred %%p<2>;\n"
                     "ld.param.u64 %%q1, [out]; ld.param.u64 %%q0, [in]; mov.u32 %%s0, %%tid.x; mov.u32 %%s1, %%ctaid.x; mov.u32 %%s2, tiles;\n"
                     "mul.wide.u32 %%q2, %%s1, %u; add.s64 %%q0, %%q0, %%q2; mad.lo.u32 %%s3, %%s1, %u, %%s0; mul.wide.u32 %%q2, %%s3, %u;\n"
                     "add.s64 %%q1, %%q1, %%q2; shl.b32 %%s4, %%s0, 4;\nCOPY:\nsetp.ge.u32 %%p1, %%s4, %u; @%%p1 bra DONE;\n"
                     "cvt.u64.u32 %%q2, %%s4; add.s64 %%q2, %%q0, %%q2; add.u32 %%s5, %%s2, %%s4;\n"
                     "ld.global.v4.b32 {%%s6, %%s7, %%s8, %%s9}, [%%q2]; st.shared.v4.b32 [%%s5], {%%s6, %%s7, %%s8, %%s9};\n"
                     "add.u32 %%s4, %%s4, 2048; bra COPY;\nDONE:\nfence.proxy.async.shared::cta; bar.sync 0;\n"
                     "mul.wide.u32 %%q2, %%s0, %u; add.s64 %%q2, %%q0, %%q2;\n",
                 image + 4 * words * t->threads, t->threads, 4 * d, image, 4 * words);
    for (unsigned i = 0; i < words; i++)
        tw_text_addf(&p, "ld.global.b32 %%r%u, [%%q2+%u];\n", i, image + 4 * i);
    if (t->warpgroup)
        tw_text_add(&p, "shr.u32 %s2, %s2, 4; cvt.u64.u32 %q3, %s2; or.b64 %q3, %q3, 0x0000001000080000; add.s64 %q4, %q3, 128;\n"
                        "setp.eq.u32 %p0, 0, 0; wgmma.fence.sync.aligned;\n");
    tw_text_addf(&p, "%s ", t->table->instr);
    write_vector(&p, a + b, d);
    tw_text_add(&p, ", ");
    if (!t->warpgroup || t->a_in_regs)
        write_vector(&p, 0, a);
    else
        tw_text_add(&p, "%q3");
    tw_text_add(&p, ", ");
    if (t->warpgroup) {
        tw_text_addf(&p, "%%q4, %%r%u, %u, %%p0%s%s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n", words - 1,
                     t->selector, t->imm[0] == '\0' ? "" : ", ", t->imm);
    } else {
        write_vector(&p, a, b);
        tw_text_add(&p, ", ");
        write_vector(&p, a + b, d);
        tw_text_addf(&p, ", %%r%u, %u;\n", words - 1, t->selector);
    }
    for (unsigned i = 0; i < d; i++)
        tw_text_addf(&p, "st.global.b32 [%%q1+%u], %%r%u;\n", 4 * i, a + b + i);
    tw_text_add(&p, "ret;\n}\n");
    return p.at;
}

/* ---- A table --------------------------------------------------------------------------------------------------------------- */

static void fill_record(const struct table *t, size_t record, uint8_t *at)
{
    if (t->warpgroup) {
        fill_tile(t, record, "A", t->m, t->stored, t->a_bits, at);
        fill_tile(t, record, "B", t->n, t->k, t->b_bits, at + A_BYTES);
        at += A_BYTES + B_BYTES;
    }
    for (unsigned thread = 0; thread < t->threads; thread++) {
        uint32_t words[16], count = 0;
        for (unsigned i = 0; i < a_regs(t); i++)
            words[count++] = a_register(t, record, thread, i);
        for (unsigned i = 0; i < b_regs(t); i++)
            words[count++] = b_register(t, record, thread, i);
        for (unsigned i = 0; i < d_regs(t); i++)
            words[count++] = d_register(t, record, "C", thread, i);
        words[count++] = metadata(t, record, thread);
        memcpy(at, words, 4 * count);
        at += 4 * count;
    }
}

static void run_table(struct bench_room *room, const struct table *t)
{
    const size_t records = t->table->count;
    const size_t record_bytes = (t->warpgroup ? A_BYTES + B_BYTES : 0) + (size_t)4 * words_of(t) * t->threads;
    struct rig rig;
    rig_load(&rig, room, "k.ptx", kernel(room, t));
    const uint64_t params[2] = {tw_memory_alloc(rig.memory, records * t->threads * d_regs(t) * 4, "out"),
                                tw_memory_alloc(rig.memory, records * record_bytes, "in")};
    for (size_t record = 0; record < records; record++)
        fill_record(t, record, (uint8_t *)rig_host(&rig, params[1]) + record * record_bytes);
    rig_must_run(&rig, "k", (struct launch_spec){.grid = {(uint32_t)records}, .block = {t->threads}, .params = params,
                                                 .param_bytes = sizeof params, .seed = 1});
    const uint32_t *out = rig_host(&rig, params[0]);
    for (size_t record = 0; record < records; record++)
        for (unsigned thread = 0; thread < t->threads; thread++)
            for (unsigned i = 0; i < d_regs(t); i++, out++) {
                const uint32_t want = d_register(t, record, "D", thread, i);
                if (*out != want)
                    fail_msg("%s, record %zu: thread %u, register %u: %08x, wanted %08x", t->table->instr, record, thread, i, *out, want);
            }
    rig_end(&rig);
}

static void check_kind(void **state, const char *kind)
{
    struct bench_room *room = *state;
    struct tcg_file file;
    size_t products = 0;
    assert_true(tw_tcg_open(&room->arena, "tests/golden/mma_sparse.tcg", &file));
    for (size_t i = 0; i < file.table_count; i++) {
        if (strcmp(file.table[i].kind, kind) != 0)
            continue;
        const struct table t = open_table(&file, &file.table[i]);
        run_table(room, &t);
        products += file.table[i].count;
    }
    printf("%s: %zu products\n", kind, products);
    assert_true(products >= 20);
}

static void sparse_warp_products_are_those_of_hardware(void **state) { check_kind(state, "mma_sp"); }
static void sparse_warpgroup_products_are_those_of_hardware(void **state) { check_kind(state, "wgmma_sp"); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(sparse_warp_products_are_those_of_hardware),
        ROOM_TEST(sparse_warpgroup_products_are_those_of_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
