/* tcgen05.ld and tcgen05.st through tile.apply, in all shapes. The register layouts are those that
 * kernel-language-layout 6.10 gives for each atom, so they witness the map table. */
#include "tile/kernels.h"

#include "tile/words.h"

/* A warpgroup's 64 x cols tile in one of the 16-lane atoms, or 128 x cols for 32x32b; data path F or D. */
struct shape_case {
    const char *atom;
    const char *opcode, *store;
    int64_t rows, cols;
    uint32_t regs;
};

static const struct shape_case cases[] = {
    {"32x32b", "tcgen05.ld.sync.aligned.32x32b.x32.b32", "tcgen05.st.sync.aligned.32x32b.x32.b32", 128, 32, 32},
    {"16x64b", "tcgen05.ld.sync.aligned.16x64b.x16.b32", "tcgen05.st.sync.aligned.16x64b.x16.b32", 64, 32, 16},
    {"16x128b", "tcgen05.ld.sync.aligned.16x128b.x8.b32", "tcgen05.st.sync.aligned.16x128b.x8.b32", 64, 32, 16},
    {"16x256b", "tcgen05.ld.sync.aligned.16x256b.x4.b32", "tcgen05.st.sync.aligned.16x256b.x4.b32", 64, 32, 16},
};

struct pair {
    struct tensor regs, cells;
};

static struct pair tile_of(struct draft *d, const struct shape_case *c)
{
    const struct layout_env env = draft_env(d);
    const struct layout *regs = tw_tcgen05_atom_layout(&env, tw_str(c->atom), c->rows, c->cols, 32);
    struct pair p;
    assert_non_null(regs);
    p.regs = draft_tensor(d, "regs", IR_LOCAL, NUM_F32, DIMS(c->rows, c->cols), regs);
    p.cells = decl_tmem(d, "acc", typed(d, tw_ir_uint32(), 0x100), NUM_F32, DIMS(c->rows, c->cols), operand_layout(d, 'D', c->rows, c->cols, 32, c->rows, 1));
    p.regs = reshape(d, p.regs, DIMS(4, c->rows / 4, c->cols));
    p.cells = reshape(d, p.cells, DIMS(4, c->rows / 4, c->cols));
    return p;
}

static void expect_transfer(const struct ir_ptx *x, const struct shape_case *c, uint32_t regs, uint32_t cells)
{
    assert_int_equal(x->operands[regs].item_count, c->regs);
    for (uint32_t r = 0; r < c->regs; r++)
        assert_int_equal(x->operands[regs].items[r].expr->bits, r);
    for (uint32_t warp = 0; warp < 4; warp++) {
        const struct word_env env = {.tmem_base = 0x100, .warp = warp};
        assert_int_equal(evaluate(x->operands[cells].expr, &env), 0x100 + ((32 * warp) << 16));
    }
}

static void every_shape_loads_the_registers_of_its_map(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct draft d = draft_new(room, "k", 128);
        const struct pair p = tile_of(&d, &cases[i]);
        tile(&d, cases[i].opcode, IR_WARPGROUP_SCOPE, ARGS(whole(&d, &p.regs), whole(&d, &p.cells)), NO_ARGS);
        const struct lowered l = lower_kernel(d.k, room);
        assert_int_equal(l.count, 1);
        expect_transfer(l.at[0], &cases[i], 0, 1);
    }
}

static void every_shape_stores_them_with_the_address_first(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct draft d = draft_new(room, "k", 128);
        const struct pair p = tile_of(&d, &cases[i]);
        tile(&d, cases[i].store, IR_WARPGROUP_SCOPE, ARGS(whole(&d, &p.cells), whole(&d, &p.regs)), NO_ARGS);
        const struct lowered l = lower_kernel(d.k, room);
        assert_int_equal(l.count, 1);
        expect_transfer(l.at[0], &cases[i], 1, 0);
    }
}

/* Repeats are everything between the group and the atom: two loads of 16 columns each. */
static void repeats_step_along_the_columns(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    struct pair p = tile_of(&d, &cases[0]);
    p.regs = rearrange(&d, p.regs, "w r (n c) -> w n r c", "n", 2);
    p.cells = rearrange(&d, p.cells, "w r (n c) -> w n r c", "n", 2);
    tile(&d, "tcgen05.ld.sync.aligned.32x32b.x16.b32", IR_WARPGROUP_SCOPE, ARGS(whole(&d, &p.regs), whole(&d, &p.cells)), NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    assert_int_equal(l.count, 2);
    for (uint32_t n = 0; n < 2; n++) {
        const struct word_env env = {.tmem_base = 0x100, .warp = 1};
        assert_int_equal(evaluate(l.at[n]->operands[1].expr, &env), 0x100 + (32 << 16) + 16 * n);
        assert_int_equal(l.at[n]->operands[0].items[0].expr->bits, 16 * n);
    }
}

/* Two warpgroups execute the same instruction, each for its own warps. */
static void every_warpgroup_of_the_block_takes_part(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 256);
    const struct pair p = tile_of(&d, &cases[0]);
    tile(&d, cases[0].opcode, IR_WARPGROUP_SCOPE, ARGS(whole(&d, &p.regs), whole(&d, &p.cells)), NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    expect_transfer(l.at[0], &cases[0], 0, 1);
}

/* One warp picked by a guard reaches its own quadrant. */
static void at_warp_scope_a_guard_selects_the_warp(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    struct tensor regs = draft_tensor(&d, "regs", IR_LOCAL, NUM_F32, DIMS(32, 8), SHARD(&d, LANE_(32, 1), M_(8, 1)));
    struct tensor cells = decl_tmem(&d, "acc", typed(&d, tw_ir_uint32(), 0x100), NUM_F32, DIMS(128, 8), operand_layout(&d, 'D', 128, 8, 32, 128, 1));
    struct ir_var *warp = define(&d, "warp", tw_ir_coord(d.k, IR_WARP_ID, nowhere));
    when(&d, binary(&d, IR_EQ, use(&d, warp), num(&d, 2)));
    struct ir_arg source = whole(&d, &cells);
    source.region->start[0] = num(&d, 64);
    source.region->extent[0] = 32;
    tile(&d, "tcgen05.ld.sync.aligned.32x32b.x8.b32", IR_WARP_SCOPE, ARGS(whole(&d, &regs), source), NO_ARGS);
    const struct lowered l = lower_kernel(d.k, room);
    const struct word_env env = {.tmem_base = 0x100};
    assert_int_equal(evaluate(l.at[0]->operands[1].expr, &env), 0x100 + (64 << 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_shape_loads_the_registers_of_its_map),
        ROOM_TEST(every_shape_stores_them_with_the_address_first),
        ROOM_TEST(repeats_step_along_the_columns),
        ROOM_TEST(every_warpgroup_of_the_block_takes_part),
        ROOM_TEST(at_warp_scope_a_guard_selects_the_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
