/* The operands of spellings of mma: registers, places, selectors. Expected: PTX ISA's fragment formulas and figures, and the
 * register words that an H200 used (golden/layout_mma_frag.tcg). */
#include "support/check.h"
#include "support/tcg.h"

#include "isa/fragment.h"

#include <stdio.h>
#include <stdlib.h>

static struct isa_spelling spelling_of(struct bench_room *room, const struct isa *isa, const char *text)
{
    struct isa_match m;
    tw_isa_match(isa, &room->arena, tw_str(text), &m);
    if (m.status != MATCH_OK)
        fail_msg("%s is refused", text);
    return m.candidates[0];
}

static struct mma_form form_of(struct bench_room *room, const char *text)
{
    struct mma_form f;
    const struct isa_spelling s = spelling_of(room, tw_isa_open(&room->arena), text);
    if (!tw_mma_form_of(&s, &f))
        fail_msg("%s has no fragments", text);
    return f;
}

static struct mma_coord place(const struct mma_form *f, enum mma_part part, uint32_t lane, uint32_t reg, uint32_t elem)
{
    struct mma_coord at = {UINT16_MAX, UINT16_MAX};
    tw_mma_place(f, part, lane, reg, elem, &at);
    return at;
}

static void expect_place(const struct mma_form *f, enum mma_part part, uint32_t lane, uint32_t reg, uint32_t elem, uint32_t row, uint32_t col)
{
    const struct mma_coord at = place(f, part, lane, reg, elem);
    if (at.row != row || at.col != col)
        fail_msg("part %d, lane %u, register %u, element %u: (%u, %u), want (%u, %u)", (int)part, lane, reg, elem, at.row, at.col, row, col);
}

/* Registers of D, A and B of a lane. */
static void a_spelling_says_its_registers(void **state)
{
    struct bench_room *room = *state;
    static const struct { const char *text; uint32_t d, a, b; } rows[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2},
        {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2},
        {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4},
        {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", 2, 1, 1},
        {"mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 4, 4, 2},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2},
        {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e2m1.e3m2.f16", 2, 4, 2},
        {"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", 4, 4, 2},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32", 4, 4, 4},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 2, 2},
        {"mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", 4, 2, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct mma_form f = form_of(room, rows[i].text);
        if (f.part[MMA_D].regs != rows[i].d || f.part[MMA_A].regs != rows[i].a || f.part[MMA_B].regs != rows[i].b)
            fail_msg("%s: %u, %u, %u", rows[i].text, f.part[MMA_D].regs, f.part[MMA_A].regs, f.part[MMA_B].regs);
    }
}

/* SOURCE: PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". */
static void quad_pairs_hold_four_products(void **state)
{
    struct bench_room *room = *state;
    const struct mma_form f32 = form_of(room, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32");
    const struct mma_form f16 = form_of(room, "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16");
    assert_true(f32.quad_pairs && f16.quad_pairs);
    expect_place(&f32, MMA_A, 17, 1, 1, 5, 3);      /* row layout: lane 17 of pair 0 has row 1 + 4 */
    expect_place(&f32, MMA_B, 30, 0, 1, 8 * 3 + 6, 1);
    expect_place(&f16, MMA_A, 17, 1, 1, 3 + 4, 1);  /* column layout: column 17 % 4, rows 4 to 7 */
    expect_place(&f16, MMA_B, 5, 0, 0, 8, 1);
    expect_place(&f32, MMA_D, 3, 5, 0, 1, 7);       /* row (3 & 1) + (5 & 2), column (5 & 4) + (3 & 2) + (5 & 1) */
    expect_place(&f32, MMA_C, 26, 2, 0, 8 * 2 + 4 + 2, 2);
    expect_place(&f16, MMA_D, 26, 3, 1, 8 * 2 + 4 + 2, 7);
}

/* SOURCE: PTX ISA, "mma.sp", metadata figures; "Block scaling". */
static void metadata_and_scales_come_from_some_lanes(void **state)
{
    struct bench_room *room = *state;
    struct mma_coord at;
    const struct mma_form k16 = form_of(room, "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    assert_int_equal(k16.part[MMA_META].choices, 4);
    assert_int_equal(k16.part[MMA_META].choice_lanes, 1);
    expect_place(&k16, MMA_META, 8, 0, 2, 2, 2);
    expect_place(&k16, MMA_META, 8, 0, 6, 10, 2);
    assert_false(tw_mma_place(&k16, MMA_META, 9, 0, 0, &at));
    const struct mma_form k32 = form_of(room, "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32");
    assert_int_equal(k32.part[MMA_META].choices, 2);
    assert_int_equal(k32.part[MMA_META].choice_lanes, 2);
    expect_place(&k32, MMA_META, 9, 0, 6, 10, 6);
    const struct mma_form k64 = form_of(room, "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32");
    assert_int_equal(k64.part[MMA_META].choices, 1);
    expect_place(&k64, MMA_META, 11, 0, 3, 10, 11);
    const struct mma_form mx = form_of(room, "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3");
    assert_int_equal(mx.part[MMA_SFA].choices, 2);
    assert_int_equal(mx.part[MMA_SFA].choice_lanes, 2);
    assert_int_equal(mx.part[MMA_SFB].choices, 4);
    expect_place(&mx, MMA_SFA, 13, 0, 3, 11, 3);
    expect_place(&mx, MMA_SFB, 12, 0, 1, 3, 1);
    assert_false(tw_mma_place(&mx, MMA_SFA, 14, 0, 0, &at));
    assert_false(tw_mma_place(&mx, MMA_SFB, 13, 0, 0, &at));
    assert_false(tw_mma_place(&mx, MMA_META, 0, 0, 0, &at));
}

static void fp4_in_bytes_lies_above_two_bits(void **state)
{
    struct bench_room *room = *state;
    const struct mma_form f = form_of(room, "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32");
    assert_int_equal(f.part[MMA_A].bits, 8);
    assert_int_equal(f.part[MMA_A].low, 2);
    assert_int_equal(f.part[MMA_B].low, 0);
}

/* ---- all fragments ------------------------------------------------------------------------------- */

static void expect_each_element_once(struct bench_room *room, const char *text, const struct fragments *f, uint32_t operand)
{
    const struct fragment *x = &f->at[operand];
    uint8_t *seen = arena_new(&room->arena, uint8_t, (size_t)x->rows * x->cols);
    struct mma_coord at;
    for (uint32_t lane = 0; lane < x->lanes; lane++)
        for (uint32_t reg = 0; reg < x->regs; reg++)
            for (uint32_t e = 0; e < x->per_reg; e++)
                if (tw_fragment_place(f, operand, lane, reg, e, &at)) {
                    if (at.row >= x->rows || at.col >= x->cols || seen[at.row * x->cols + at.col]++)
                        fail_msg("%s, %s: (%u, %u) of lane %u, register %u", text, x->name, at.row, at.col, lane, reg);
                }
    for (uint32_t i = 0; i < (uint32_t)x->rows * x->cols; i++)
        if (!seen[i])
            fail_msg("%s, %s: nobody has (%u, %u)", text, x->name, i / x->cols, i % x->cols);
}

static void every_element_of_every_operand_is_in_one_place(void **state)
{
    struct bench_room *room = *state;
    static const char *const rows[] = {
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e5m2.e2m1.f32.ue8m0",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32", "mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "wgmma.mma_async.sync.aligned.m64n256k32.f16.e4m3.e4m3",
        "wgmma.mma_async.sync.aligned.m64n96k32.s32.s8.s8", "wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.bf16.bf16",
        "wgmma.mma_async.sp.sync.aligned.m64n16k64.s32.u8.u8",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
        "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16", "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32", "tcgen05.ld.sync.aligned.16x64b.x4.b32", "tcgen05.ld.sync.aligned.16x128b.x8.b32",
        "tcgen05.st.sync.aligned.16x256b.x32.b32", "tcgen05.ld.sync.aligned.32x32b.x8.pack::16b.b32",
        "tcgen05.st.sync.aligned.16x32bx2.x4.b32",
    };
    const struct isa *isa = tw_isa_open(&room->arena);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct isa_spelling s = spelling_of(room, isa, rows[i]);
        struct fragments f;
        assert_true(tw_fragments_of(&s, &f));
        for (uint32_t operand = 0; operand < f.count; operand++)
            expect_each_element_once(room, rows[i], &f, operand);
    }
    const struct isa_spelling none = spelling_of(room, isa, "add.rn.f32");
    struct fragments f;
    assert_false(tw_fragments_of(&none, &f));
}

/* ---- the page ------------------------------------------------------------------------------------ */

/* docs/mma.md carries the table of forms between two marks. TW_BLESS=mma writes it there. */
static const char begin_mark[] = "<!-- forms: written by tests/isa/mma_form_test with TW_BLESS=mma -->\n", end_mark[] = "<!-- end of forms -->\n";

/* One spelling for every shape and kind of register; types in words. */
static const struct form_line {
    const char *types, *spelling;
} form_lines[] = {
    {"f16", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"},
    {"f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
    {"f16", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16"},
    {"f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"},
    {"bf16", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"},
    {"bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"},
    {"tf32", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32"},
    {"tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"},
    {"f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"},
    {"f64", "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64"},
    {"f64", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"},
    {"f64", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"},
    {"e4m3, e5m2", "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32"},
    {"e4m3, e5m2", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32"},
    {"e4m3, e5m2", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16"},
    {"s8, u8", "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32"},
    {"s8, u8", "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32"},
    {"s8, u8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"},
    {"s4, u4", "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32"},
    {"s4, u4", "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32"},
    {"s4, u4", "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32"},
    {"b1, xor", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc"},
    {"b1, and", "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc"},
    {"b1, and", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"},
    {"kind f8f6f4, e4m3, e5m2", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32"},
    {"kind f8f6f4", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32"},
    {"kind f8f6f4", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e2m1.f16"},
    {"kind mxf8f6f4", "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0"},
    {"kind mxf4", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0"},
    {"kind mxf4nvf4, 2X", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0"},
    {"kind mxf4nvf4, 4X", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"},
    {"sparse f16", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
    {"sparse f16", "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"},
    {"sparse f16", "mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16"},
    {"sparse bf16", "mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32"},
    {"sparse tf32", "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"},
    {"sparse tf32", "mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32"},
    {"sparse e4m3, e5m2", "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32"},
    {"sparse e4m3, e5m2, ordered", "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.e4m3.e5m2.f16"},
    {"sparse s8, u8", "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"},
    {"sparse s8, u8", "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32"},
    {"sparse s4, u4", "mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32"},
    {"sparse s4, u4", "mma.sp.sync.aligned.m16n8k128.row.col.s32.s4.u4.s32"},
    {"sparse kind f8f6f4, ordered", "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32"},
    {"sparse kind mxf8f6f4, ordered",
     "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0"},
    {"sparse kind mxf4, ordered",
     "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0"},
    {"sparse kind mxf4nvf4, ordered",
     "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"},
};

static bool available(const struct isa *isa, const struct isa_spelling *s, const char *target, unsigned ptx, struct arena *arena)
{
    struct isa_env env = {.ptx = ptx};
    assert_true(tw_isa_target_parse(tw_str(target), &env.target));
    return tw_isa_unavailable(isa, s, (struct isa_presence){0}, &env, arena) == NULL;
}

/* " sm_80, PTX 7.0 |" */
static void put_target(struct text *t, const struct isa *isa, const struct isa_spelling *s)
{
    static const char *const targets[] = {"sm_70", "sm_75", "sm_80", "sm_89", "sm_90", "sm_100a", "sm_120f"};
    size_t i = 0;
    unsigned ptx = 60;
    while (i < COUNT(targets) && !available(isa, s, targets[i], 90, t->arena))
        i++;
    assert_true(i < COUNT(targets));
    while (!available(isa, s, targets[i], ptx, t->arena))
        ptx++;
    tw_text_addf(t, " %s, PTX %u.%u |", targets[i], ptx / 10, ptx % 10);
}

static void put_matrix(struct text *t, const struct mma_fragment *x)
{
    tw_text_addf(t, " (%u, %u), %u |", x->rows, x->cols / x->per_reg, x->regs);
}

static const char *table_of_forms(struct bench_room *room)
{
    const struct isa *isa = tw_isa_open(&room->arena);
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, "| A and B | shape | sums | A: atom, registers | B | D | E | SFA, SFB | since |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT(form_lines); i++) {
        struct mma_form f;
        const struct isa_spelling s = spelling_of(room, isa, form_lines[i].spelling);
        assert_true(tw_mma_form_of(&s, &f));
        tw_text_addf(&t, "| %s | m%un%uk%u | %s |", form_lines[i].types, f.m, f.n, f.k, tw_num_format(f.part[MMA_D].format)->name);
        put_matrix(&t, &f.part[MMA_A]);
        put_matrix(&t, &f.part[MMA_B]);
        put_matrix(&t, &f.part[MMA_D]);
        if (f.sparse)
            tw_text_addf(&t, " (16, %u), selectors %u |", f.part[MMA_META].cols / 4, f.part[MMA_META].choices);
        else
            tw_text_add(&t, " |");
        if (f.factors != 0)
            tw_text_addf(&t, " (16, %u), (8, %u) of %s |", f.factors, f.factors, tw_num_format(f.part[MMA_SFA].format)->name);
        else
            tw_text_add(&t, " |");
        put_target(&t, isa, &s);
        tw_text_put(&t, '\n');
    }
    return t.at;
}

/* MEASURED: ptxas 13.0: Turing has the small shapes alone. */
static void larger_shapes_need_ampere(void **state)
{
    struct bench_room *room = *state;
    static const struct { const char *text; unsigned ptx; bool turing; } rows[] = {
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 65, true},    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 70, false},
        {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 65, true},      {"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 70, false},
        {"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 65, true},      {"mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 70, false},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 70, true},
        {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 70, false},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 71, false},
    };
    const struct isa *isa = tw_isa_open(&room->arena);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct isa_spelling s = spelling_of(room, isa, rows[i].text);
        if (available(isa, &s, "sm_75", 80, &room->arena) != rows[i].turing)
            fail_msg("%s on sm_75", rows[i].text);
        assert_true(available(isa, &s, "sm_80", 80, &room->arena));
        assert_true(available(isa, &s, "sm_80", rows[i].ptx, &room->arena) && !available(isa, &s, "sm_80", rows[i].ptx - 1, &room->arena));
    }
}

static char *read_page(struct bench_room *room)
{
    FILE *const f = fopen("docs/mma.md", "rb");
    assert_non_null(f);
    struct text t;
    char buffer[4096];
    tw_text_init(&t, &room->arena);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) != 0;)
        tw_text_add_str(&t, (struct str){buffer, n});
    fclose(f);
    return t.at;
}

static void the_page_of_mma_carries_the_table_of_forms(void **state)
{
    struct bench_room *const room = *state;
    char *const page = read_page(room);
    char *const from = strstr(page, begin_mark), *const to = strstr(page, end_mark);
    assert_true(from != NULL && to != NULL && from < to);
    const char *const table = table_of_forms(room), *const bless = getenv("TW_BLESS");
    if (bless != NULL && strcmp(bless, "mma") == 0) {
        FILE *const f = fopen("docs/mma.md", "wb");
        assert_non_null(f);
        fprintf(f, "%.*s%s%s", (int)(from - page + (long)strlen(begin_mark)), page, table, to);
        fclose(f);
        return;
    }
    *to = '\0';
    assert_string_equal(from + strlen(begin_mark), table);
}

/* ---- measured ------------------------------------------------------------------------------------- */

struct measured {
    const struct tcg_file *file;
    const struct tcg_table *table;
    const struct mma_form *form;
};

static uint64_t get(const struct measured *x, size_t record, const char *field, size_t index)
{
    return tw_tcg_get(x->file, x->table, record, tw_tcg_field(x->table, field), index);
}

static void expect_measured(const struct measured *x, size_t record, enum mma_part part, const char *regs, const char *matrix)
{
    const struct mma_fragment *p = &x->form->part[part];
    struct mma_coord at;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t reg = 0; reg < p->regs; reg++)
            for (uint32_t e = 0; e < p->per_reg; e++) {
                assert_true(tw_mma_place(x->form, part, lane, reg, e, &at));
                const uint64_t word = get(x, record, regs, (size_t)lane * p->regs + reg);
                const uint64_t found = p->bits == 64 ? word : word >> (p->bits * e) & (UINT64_MAX >> (64 - p->bits));
                if (found != get(x, record, matrix, (size_t)at.row * p->cols + at.col))
                    fail_msg("%s, %s: lane %u, register %u, element %u", x->table->instr, matrix, lane, reg, e);
            }
}

static void places_are_those_that_hardware_used(void **state)
{
    struct bench_room *room = *state;
    struct tcg_file file;
    const char *const path = tw_test_shared(&room->arena, "golden/layout_mma_frag.tcg");
    if (path == NULL)
        skip();
    assert_true(tw_tcg_open(&room->arena, path, &file));
    const struct isa *isa = tw_isa_open(&room->arena);
    size_t checked = 0;
    for (size_t t = 0; t < file.table_count; t++) {
        if (strcmp(file.table[t].kind, "mma_frag") != 0)
            continue;
        struct mma_form form;
        const struct isa_spelling s = spelling_of(room, isa, file.table[t].instr);
        assert_true(tw_mma_form_of(&s, &form));
        const struct measured x = {&file, &file.table[t], &form};
        for (size_t r = 0; r < file.table[t].count; r++, checked++) {
            expect_measured(&x, r, MMA_A, "Aregs", "A");
            expect_measured(&x, r, MMA_B, "Bregs", "B");
            expect_measured(&x, r, MMA_C, "Cregs", "C");
            expect_measured(&x, r, MMA_D, "Dregs", "D");
        }
    }
    assert_true(checked >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_spelling_says_its_registers),
        ROOM_TEST(quad_pairs_hold_four_products),
        ROOM_TEST(metadata_and_scales_come_from_some_lanes),
        ROOM_TEST(fp4_in_bytes_lies_above_two_bits),
        ROOM_TEST(every_element_of_every_operand_is_in_one_place),
        ROOM_TEST(larger_shapes_need_ampere),
        ROOM_TEST(the_page_of_mma_carries_the_table_of_forms),
        ROOM_TEST(places_are_those_that_hardware_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
