/* m8n8k4 of f16: four products in a warp, one in each pair of quads. The fragments are those of PTX ISA, "Matrix Fragments for
 * mma.m8n8k4 with .f16 floating point type", written out again here; words are those of an H200 (golden/mma_m8n8k4.tcg), which
 * gave the same ones in all four layouts. */
#include "machine/ptx_bench.h"
#include "support/tcg.h"

enum { PAIRS = 4, LANES = 32, IN_WORDS = 12, OUT_WORDS = 8 };

struct layout {
    const char *name;
    bool a_col, b_row;
};
static const struct layout layouts[] = {
    {"row.row", false, true}, {"row.col", false, false}, {"col.row", true, true}, {"col.col", true, false}};

struct types {
    const char *d, *c;
};
static const struct types all_types[] = {{"f32", "f32"}, {"f16", "f16"}, {"f32", "f16"}};

/* A product's matrices: A by rows of k, B by columns of k, C and D by rows. */
struct product {
    uint64_t a[8 * 4], b[8 * 4], c[8 * 8], d[8 * 8];
};

static bool is_wide(const char *type) { return strcmp(type, "f32") == 0; }
static unsigned words_of(const char *type) { return is_wide(type) ? 8 : 4; }

/* Lanes 4p to 4p + 3 and, for the upper rows, 4p + 16 to 4p + 19. */
static unsigned pair_of(unsigned lane) { return lane / 4 % PAIRS; }
static unsigned upper(unsigned lane) { return lane < 16 ? 0 : 4; }

/* Where element i of a lane is: in A or B by a row or column of it and k, in C and D by row and column. */
static unsigned ab_place(bool along_k, unsigned lane, unsigned i)
{
    return along_k ? (lane % 4 + upper(lane)) * 4 + i : (i + upper(lane)) * 4 + lane % 4;
}

static unsigned cd_place(bool wide, unsigned lane, unsigned i)
{
    const unsigned row = wide ? (lane & 1) + (i & 2) + upper(lane) : lane % 4 + upper(lane);
    return row * 8 + (wide ? (i & 4) + (lane & 2) + (i & 1) : i);
}

static void pack(const struct product p[PAIRS], const struct layout *l, const struct types *t, uint32_t in[LANES][IN_WORDS])
{
    memset(in, 0, sizeof(uint32_t[LANES][IN_WORDS]));
    for (unsigned lane = 0; lane < LANES; lane++) {
        const struct product *const x = &p[pair_of(lane)];
        for (unsigned i = 0; i < 4; i++) {
            in[lane][i / 2] |= (uint32_t)x->a[ab_place(!l->a_col, lane, i)] << i % 2 * 16;
            in[lane][2 + i / 2] |= (uint32_t)x->b[ab_place(!l->b_row, lane, i)] << i % 2 * 16;
        }
        for (unsigned i = 0; i < 8; i++)
            if (is_wide(t->c))
                in[lane][4 + i] = (uint32_t)x->c[cd_place(true, lane, i)];
            else
                in[lane][4 + i / 2] |= (uint32_t)x->c[cd_place(false, lane, i)] << i % 2 * 16;
    }
}

static void add_fragment(struct text *p, const char *name, unsigned count, const char *after)
{
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(p, "%s%%%s%u", i == 0 ? "{" : ", ", name, i);
    tw_text_addf(p, "}%s", after);
}

/* A warp a block: 12 words of each lane in, 8 out. */
static const char *kernel(struct bench_room *room, const char *target, const struct layout *l, const struct types *t)
{
    struct text p;
    tw_text_init(&p, &room->arena);
    tw_text_addf(&p, ".version 8.8\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                     ".reg .b32 %%a<2>; .reg .b32 %%b<2>; .reg .b32 %%c<8>; .reg .b32 %%d<8>; .reg .b64 %%q<4>; .reg .b32 %%r<4>;\n"
                     "ld.param.u64 %%q1, [out]; ld.param.u64 %%q0, [in]; mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x;\n"
                     "mad.lo.u32 %%r0, %%r1, 32, %%r0; mad.wide.u32 %%q0, %%r0, 48, %%q0; mad.wide.u32 %%q1, %%r0, 32, %%q1;\n"
                     "ld.global.v2.b32 {%%a0, %%a1}, [%%q0]; ld.global.v2.b32 {%%b0, %%b1}, [%%q0+8];\n"
                     "ld.global.v4.b32 {%%c0, %%c1, %%c2, %%c3}, [%%q0+16]; ld.global.v4.b32 {%%c4, %%c5, %%c6, %%c7}, [%%q0+32];\n",
                 target);
    for (unsigned i = words_of(t->d); i < OUT_WORDS; i++)
        tw_text_addf(&p, "mov.b32 %%d%u, 0; ", i);
    tw_text_addf(&p, "\nmma.sync.aligned.m8n8k4.%s.%s.f16.f16.%s ", l->name, t->d, t->c);
    add_fragment(&p, "d", words_of(t->d), ", ");
    add_fragment(&p, "a", 2, ", ");
    add_fragment(&p, "b", 2, ", ");
    add_fragment(&p, "c", words_of(t->c), ";\n");
    tw_text_add(&p, "st.global.v4.b32 [%q1], {%d0, %d1, %d2, %d3}; st.global.v4.b32 [%q1+16], {%d4, %d5, %d6, %d7};\nret;\n}\n");
    return p.at;
}

static void expect(const struct product p[PAIRS], const struct layout *l, const struct types *t, const uint32_t out[LANES][OUT_WORDS])
{
    const bool wide = is_wide(t->d);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < 8; i++) {
            const uint32_t got = wide ? out[lane][i] : out[lane][i / 2] >> i % 2 * 16 & 0xffff;
            const uint64_t want = p[pair_of(lane)].d[cd_place(wide, lane, i)];
            if (got != want)
                fail_msg("%s.%s.%s: lane %u, element %u: %x, wanted %llx", l->name, t->d, t->c, lane, i, got, (unsigned long long)want);
        }
}

/* `warps` times four products, by one launch. */
static void run_products(struct bench_room *room, const char *target, const struct layout *l, const struct types *t,
                         const struct product *p, unsigned warps)
{
    uint32_t(*const in)[LANES][IN_WORDS] = tw_arena_alloc(&room->arena, warps, sizeof *in);
    uint32_t(*const out)[LANES][OUT_WORDS] = tw_arena_alloc(&room->arena, warps, sizeof *out);
    for (unsigned w = 0; w < warps; w++)
        pack(&p[w * PAIRS], l, t, in[w]);
    run_ptx_well(room, kernel(room, target, l, t),
                 &(struct ptx_run){.entry = "k", .grid = warps, .input = in, .input_bytes = warps * sizeof *in,
                                   .output = out, .output_bytes = warps * sizeof *out});
    for (unsigned w = 0; w < warps; w++)
        expect(&p[w * PAIRS], l, t, (const uint32_t(*)[OUT_WORDS])out[w]);
}

/* ---- Words of hardware ---- */

static void read_field(const struct tcg_file *file, const struct tcg_table *table, size_t record, const char *name, uint64_t *to)
{
    const struct tcg_field *const f = tw_tcg_field(table, name);
    for (size_t i = 0; i < f->count; i++)
        to[i] = tw_tcg_get(file, table, record, f, i);
}

static struct product *read_products(struct arena *arena, const struct tcg_file *file, const struct tcg_table *table)
{
    struct product *const p = arena_new(arena, struct product, table->count);
    for (size_t i = 0; i < table->count; i++) {
        read_field(file, table, i, "A", p[i].a);
        read_field(file, table, i, "B", p[i].b);
        read_field(file, table, i, "C", p[i].c);
        read_field(file, table, i, "D", p[i].d);
    }
    return p;
}

static void products_of_quad_pairs_are_those_of_hardware_in_every_layout(void **state)
{
    struct bench_room *const room = *state;
    struct tcg_file file;
    assert_true(tw_tcg_open(&room->arena, "tests/golden/mma_m8n8k4.tcg", &file));
    assert_int_equal(file.table_count, COUNT(all_types));
    for (size_t i = 0; i < COUNT(all_types); i++) {
        const struct tcg_table *const table = &file.table[i];
        assert_non_null(strstr(table->instr, tw_format(&room->arena, ".%s.f16.f16.%s", all_types[i].d, all_types[i].c)));
        assert_true(table->count % PAIRS == 0 && table->count >= 72);
        const struct product *const p = read_products(&room->arena, &file, table);
        for (size_t l = 0; l < COUNT(layouts); l++)
            run_products(room, "sm_90a", &layouts[l], &all_types[i], p, (unsigned)table->count / PAIRS);
    }
}

/* ---- Sums that are exact whatever the order ---- */

static uint64_t whole_number(const char *type, int value)
{
    const float f = (float)value;
    uint32_t wide;
    memcpy(&wide, &f, 4);
    if (is_wide(type) || wide == 0)
        return wide;
    return (wide >> 16 & 0x8000) | ((wide >> 23 & 0xff) - 112) << 10 | (wide >> 13 & 0x3ff);
}

static void fill(struct product p[PAIRS], const struct types *t, unsigned salt)
{
    for (int pair = 0; pair < PAIRS; pair++) {
        int a[8][4], b[8][4];
        for (int r = 0; r < 8; r++)
            for (int k = 0; k < 4; k++) {
                a[r][k] = (r * 5 + k * 3 + pair * 7 + (int)salt) % 9 - 4;
                b[r][k] = (r * 3 + k * k * 5 + pair + (int)salt) % 7 - 3;
                p[pair].a[r * 4 + k] = whole_number("f16", a[r][k]);
                p[pair].b[r * 4 + k] = whole_number("f16", b[r][k]);
            }
        for (int r = 0; r < 8; r++)
            for (int n = 0; n < 8; n++) {
                int sum = r * 8 + n - 20 * pair;
                p[pair].c[r * 8 + n] = whole_number(t->c, sum);
                for (int k = 0; k < 4; k++)
                    sum += a[r][k] * b[n][k];
                p[pair].d[r * 8 + n] = whole_number(t->d, sum);
            }
    }
}

static void whole_numbers_multiply_as_matrices_do_on_every_target(void **state)
{
    struct bench_room *const room = *state;
    static const char *const targets[] = {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"};
    for (size_t g = 0; g < COUNT(targets); g++)
        for (size_t i = 0; i < COUNT(all_types); i++)
            for (size_t l = 0; l < COUNT(layouts); l++) {
                struct product p[2 * PAIRS];
                fill(p, &all_types[i], 1);
                fill(p + PAIRS, &all_types[i], 4);
                run_products(room, targets[g], &layouts[l], &all_types[i], p, 2);
            }
}

/* Volta's own instruction has C in D's type alone: see the refusals. */
static void volta_multiplies_whole_numbers_too(void **state)
{
    struct bench_room *const room = *state;
    for (size_t i = 0; i < 2; i++)
        for (size_t l = 0; l < COUNT(layouts); l++) {
            struct product p[PAIRS];
            fill(p, &all_types[i], 2);
            run_products(room, "sm_70", &layouts[l], &all_types[i], p, 1);
        }
}

static void a_nan_stays_in_its_pair_of_quads(void **state)
{
    struct bench_room *const room = *state;
    for (unsigned pair = 0; pair < PAIRS; pair++)
        for (size_t l = 0; l < COUNT(layouts); l++) {
            struct product p[PAIRS];
            fill(p, &all_types[0], 3);
            p[pair].a[2 * 4 + 1] = 0x7e00; /* row 2 */
            for (unsigned n = 0; n < 8; n++)
                p[pair].d[2 * 8 + n] = 0x7fffffff;
            run_products(room, "sm_90a", &layouts[l], &all_types[0], p, 1);
        }
}

/* ---- What is refused ---- */

#define MMA(types, d, c) "mma.sync.aligned.m8n8k4.row.col." types " {" d "}, {%r0,%r0}, {%r0,%r0}, {" c "};"
#define FOUR "%r4,%r5,%r6,%r7"
#define EIGHT FOUR ",%r8,%r9,%r10,%r11"

static const char *refused_kernel(struct bench_room *room, const char *target, const char *mma)
{
    return tw_format(&room->arena, ".version 8.8\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<16>;\n"
                                   "mov.b32 %%r0, 0;\n%s\nret;\n}\n", target, mma);
}

static void what_nobody_knows_of_older_tensor_cores_is_refused(void **state)
{
    static const struct { const char *target, *mma, *what, *found; } rows[] = {
        {"sm_75", MMA("f32.f16.f16.f32", EIGHT, EIGHT),
         "k.ptx:8:1: error[E0709]: 'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32' is known, but this machine does not execute it\n",
         "     found: 1 instruction of this form in 'k'; no model of this arithmetic on this architecture is known\n"},
        {"sm_75", MMA("f16.f16.f16.f16", FOUR, FOUR),
         "k.ptx:8:1: error[E0709]: 'mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16' is known, but this machine does not execute it\n",
         "     found: 1 instruction of this form in 'k'; no model of this arithmetic on this architecture is known\n"},
        {"sm_70", MMA("f32.f16.f16.f16", EIGHT, FOUR),
         "k.ptx:8:1: error[E0709]: 'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16' is known, but this machine does not execute it\n",
         "     found: 1 instruction of this form in 'k'; C and D have different types\n"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_int_equal(run_ptx(room, refused_kernel(room, rows[i].target, rows[i].mma), &(struct ptx_run){.entry = "k"}), -1);
        const char *const text = tw_test_diags(room);
        const size_t length = strlen(text), tail = strlen(rows[i].found);
        if (strncmp(text, rows[i].what, strlen(rows[i].what)) != 0 || length < tail || strcmp(text + length - tail, rows[i].found) != 0)
            fail_msg("wanted\n%s and %s\ngot\n%s", rows[i].what, rows[i].found, text);
    }
}

static void half_a_warp_makes_no_four_products(void **state)
{
    struct bench_room *const room = *state;
    const char *const text = refused_kernel(room, "sm_90a", MMA("f32.f16.f16.f32", EIGHT, EIGHT));
    assert_int_equal(run_ptx(room, text, &(struct ptx_run){.entry = "k", .block = 16}), LAUNCH_FAULT);
    const char *const found = strstr(tw_test_diags(room), "error[");
    assert_non_null(found);
    assert_memory_equal(found, "error[E0773]: mma by a part of a warp\n", strlen("error[E0773]: mma by a part of a warp\n"));
    assert_non_null(strstr(found, "\n  expected: all 32 lanes of the warp\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(products_of_quad_pairs_are_those_of_hardware_in_every_layout),
        ROOM_TEST(whole_numbers_multiply_as_matrices_do_on_every_target),
        ROOM_TEST(volta_multiplies_whole_numbers_too),
        ROOM_TEST(a_nan_stays_in_its_pair_of_quads),
        ROOM_TEST(what_nobody_knows_of_older_tensor_cores_is_refused),
        ROOM_TEST(half_a_warp_makes_no_four_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
