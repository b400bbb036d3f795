/* Forms of mma.sync beyond seed 003: words of accumulators, metadata and scales, and the selectors that follow from where a layout
 * has them. SOURCE: PTX ISA, "mma", "mma.sp", "Block scaling". */
#include "tile/text_kernel.h"

#include "tile/words.h"

#define LOCAL(name, count, type) "    " name " = T.alloc_local((" count ",), \"" type "\", layout=\"default\")\n"
#define VIEW(name, of, shape, extents, strides) \
    "    " name " = " of ".view(" shape ", layout=T.TileLayout(T.S[(" extents ") : (" strides ")]))\n"
#define HEAD "    L = T.cuda.Axis.laneid\n" LOCAL("a", "16", "uint32") LOCAL("b", "16", "uint32")

static struct lowered lowered_body(struct bench_room *room, const char *body)
{
    static struct lowered l;
    struct ir_kernel *k;
    if (!lower_body(room, body, &k))
        fail_msg("%s", tw_test_diags(room));
    l.count = 0;
    collect_instructions(&k->body, &l);
    return l;
}

static void expect_constant(const struct ir_ptx_operand *o, uint64_t want)
{
    assert_int_equal(o->expr->op, IR_CONST);
    assert_int_equal(o->expr->bits, want);
}

static void expect_slot(const struct ir_ptx_operand *o, uint64_t want, uint16_t bits)
{
    assert_int_equal(o->expr->op, IR_SLOT);
    assert_int_equal(o->expr->bits, want);
    assert_int_equal(o->expr->type.bits, bits);
}

/* ---- f16 accumulators ------------------------------------------------------------------------------ */

#define F16_CALL(c)                                                                                                   \
    HEAD LOCAL("d", "4", "uint32")                                                                                    \
    VIEW("dv", "d", "1, 2, 16, 4", "1, 2, 2, 8, 4", "4, 2, 1, 4 @ L, 1 @ L")                                           \
    VIEW("av", "a", "1, 1, 16, 8", "1, 1, 2, 8, 2, 4", "4, 4, 1, 4 @ L, 2, 1 @ L")                                     \
    VIEW("bv", "b", "2, 1, 8, 8", "2, 1, 8, 2, 4", "2, 2, 4 @ L, 1, 1 @ L")                                            \
    "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\"], dv, av, bv, " c ", scope=\"warp\")\n"

static void a_scalar_c_fills_both_halves_of_an_f16_word(void **state)
{
    struct bench_room *room = *state;
    const struct lowered l = lowered_body(room, F16_CALL("T.float16(1)"));
    assert_int_equal(l.count, 2);
    for (uint32_t n = 0; n < 2; n++) {
        assert_int_equal(l.at[n]->operands[0].item_count, 2);
        assert_int_equal(l.at[n]->operands[3].item_count, 2);
        for (uint32_t r = 0; r < 2; r++) {
            expect_slot(&l.at[n]->operands[0].items[r], 2 * n + r, 32);
            expect_constant(&l.at[n]->operands[3].items[r], 0x3c003c00);
        }
    }
}

/* ---- metadata ---------------------------------------------------------------------------------------- */

/* Two steps of K whose metadata are in one register: `lanes` places them. */
#define SPARSE_CALL(lanes)                                                                                            \
    HEAD LOCAL("d", "4", "float32") LOCAL("e", "2", "uint32")                                                          \
    VIEW("dv", "d", "1, 1, 16, 8", "1, 1, 2, 8, 4, 2", "4, 4, 2, 4 @ L, 1 @ L, 1")                                     \
    VIEW("av", "a", "1, 2, 16, 4", "1, 2, 2, 8, 4", "4, 2, 1, 4 @ L, 1 @ L")                                           \
    VIEW("bv", "b", "1, 2, 8, 8", "1, 2, 8, 2, 4", "4, 2, 4 @ L, 1, 1 @ L")                                            \
    "    ev = e.view(\"uint16\").view(1, 2, 16, 1, layout=T.TileLayout(" lanes "))\n"                                   \
    "    T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], dv, av, bv, " \
    "T.float32(0), ev, scope=\"warp\")\n"

static void expect_metadata(struct bench_room *room, const char *body, const uint64_t slots[2], const uint64_t selectors[2])
{
    const struct lowered l = lowered_body(room, body);
    assert_int_equal(l.count, 2);
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(l.at[k]->operand_count, 6);
        expect_slot(&l.at[k]->operands[4], slots[k], 32);
        expect_constant(&l.at[k]->operands[5], selectors[k]);
    }
}

static void the_sparsity_selector_is_where_the_layout_has_the_codes(void **state)
{
    struct bench_room *room = *state;
    expect_metadata(room, SPARSE_CALL("T.S[(1, 2, 2, 8, 1) : (4, 2, 1, 4 @ L, 1 @ L)]"), (const uint64_t[]){0, 1}, (const uint64_t[]){0, 0});
    expect_metadata(room, SPARSE_CALL("T.S[(1, 2, 2, 8, 1) : (4, 1 @ L, 1, 4 @ L, 1 @ L)] + 2 + 1 @ L"), (const uint64_t[]){1, 1},
                    (const uint64_t[]){1, 2});
}

/* ---- scales ------------------------------------------------------------------------------------------- */

#define SCALED_CALL(sfa, sfb)                                                                                          \
    HEAD LOCAL("d", "4", "float32") LOCAL("s", "2", "uint32") LOCAL("t", "2", "uint32")                                 \
    VIEW("dv", "d", "1, 1, 16, 8", "1, 1, 2, 8, 4, 2", "4, 4, 2, 4 @ L, 1 @ L, 1")                                      \
    VIEW("av", "a", "1, 2, 16, 8", "1, 2, 2, 8, 2, 4", "8, 4, 1, 4 @ L, 2, 1 @ L")                                      \
    VIEW("bv", "b", "1, 2, 8, 8", "1, 2, 8, 2, 4", "4, 2, 4 @ L, 1, 1 @ L")                                             \
    "    sv = s.view(\"uint8\").view(1, 2, 16, 2, layout=T.TileLayout(" sfa "))\n"                                      \
    "    tv = t.view(\"uint8\").view(1, 2, 8, 2, layout=T.TileLayout(" sfb "))\n"                                       \
    "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\"], " \
    "dv, av, bv, T.float32(0), sv, tv, scope=\"warp\")\n"

struct scale_place {
    uint64_t slot, byte, thread;
};

static void expect_scales(const struct ir_ptx_operand *o, struct scale_place want)
{
    expect_slot(&o[0], want.slot, 32);
    assert_int_equal(o[1].item_count, 2);
    expect_constant(&o[1].items[0], want.byte);
    expect_constant(&o[1].items[1], want.thread);
    assert_int_equal(o[1].items[0].expr->type.bits, 16);
}

static void byte_and_thread_selectors_are_where_the_layout_has_the_scales(void **state)
{
    struct bench_room *room = *state;
    /* The second step: A in the other pair of lanes, B two bytes on. */
    const struct lowered l = lowered_body(room, SCALED_CALL("T.S[(1, 2, 2, 8, 2) : (8, 2 @ L, 1 @ L, 4 @ L, 1)] + 4",
                                                            "T.S[(1, 2, 8, 2) : (8, 2, 4 @ L, 1)] + 3 @ L"));
    assert_int_equal(l.count, 2);
    assert_int_equal(l.at[0]->operand_count, 8);
    expect_scales(&l.at[0]->operands[4], (struct scale_place){1, 0, 0});
    expect_scales(&l.at[1]->operands[4], (struct scale_place){1, 0, 1});
    expect_scales(&l.at[0]->operands[6], (struct scale_place){0, 0, 3});
    expect_scales(&l.at[1]->operands[6], (struct scale_place){0, 2, 3});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_scalar_c_fills_both_halves_of_an_f16_word),
        ROOM_TEST(the_sparsity_selector_is_where_the_layout_has_the_codes),
        ROOM_TEST(byte_and_thread_selectors_are_where_the_layout_has_the_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
