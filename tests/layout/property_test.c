/* Properties of the layout algebra over random layouts; the seed of a failing case is in the message. */
#include "read_layout.h"

#include "layout/view.h"

enum { ROUNDS = 3000 };

/* A random factorisation: up to `most` extents with a product of at most 512. */
static struct shape random_shape(uint64_t *seed, uint32_t most)
{
    struct shape s = {.rank = 1 + (uint32_t)random_below(seed, most)};
    int64_t elems = 1;
    for (uint32_t d = 0; d < s.rank; d++) {
        s.dim[d] = 1 + random_below(seed, 6);
        if (elems * s.dim[d] > 512)
            s.dim[d] = 1;
        elems *= s.dim[d];
    }
    return s;
}

/* Iters of the given extents with random strides on a few axes. */
static const struct layout *random_layout(const struct layout_env *e, uint64_t *seed, const struct shape *extents,
                                          bool memory_only)
{
    static const enum axis axes[] = {AXIS_M, AXIS_M, AXIS_LANEID, AXIS_WARPID, AXIS_TX};
    struct iter shard[TW_MAX_RANK], replica[2];
    struct layout_parts parts = {.shard_count = extents->rank, .shard = shard, .replica = replica};
    for (uint32_t i = 0; i < extents->rank; i++)
        shard[i] = (struct iter){extents->dim[i], random_below(seed, 40) - 4,
                                 memory_only ? AXIS_M : axes[random_below(seed, COUNT(axes))]};
    parts.replica_count = (uint32_t)random_below(seed, 3);
    for (uint32_t i = 0; i < parts.replica_count; i++)
        replica[i] = (struct iter){1 + random_below(seed, 3), random_below(seed, 20),
                                   memory_only ? AXIS_M : axes[random_below(seed, COUNT(axes))]};
    parts.offset[AXIS_M] = random_below(seed, 50) - 10;
    if (!memory_only)
        parts.offset[AXIS_LANEID] = random_below(seed, 4);
    const struct swizzle s = {(uint32_t)random_below(seed, 4), (uint32_t)random_below(seed, 3), 3, random_below(seed, 2) == 0};
    parts.swizzle = memory_only && random_below(seed, 2) == 0 ? &s : NULL;
    const struct layout *l = tw_layout_make(e, &parts);
    assert_non_null(l);
    return l;
}

struct round {
    struct bench_room *room;
    struct layout_env e;
    uint64_t seed, first_seed;
    struct arena_mark mark;
};

static struct round round_begin(struct bench_room *room, int number)
{
    struct round r = {.room = room, .e = {.arena = &room->arena}, .seed = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(number + 1)};
    r.first_seed = r.seed;
    r.mark = tw_arena_mark(&room->arena);
    return r;
}

static void round_end(struct round *r)
{
    tw_arena_rewind(&r->room->arena, r->mark);
}

static void expect_same_function(struct round *r, const struct layout *a, const struct layout *b)
{
    if (a == NULL || b == NULL || !tw_layout_same_function(&r->room->arena, a, b))
        fail_msg("seed %llx: %s and %s differ", (unsigned long long)r->first_seed,
                 a == NULL ? "nothing" : tw_layout_text(&r->room->arena, a),
                 b == NULL ? "nothing" : tw_layout_text(&r->room->arena, b));
}

/* Places of every element, compared without the help of canonical forms. */
static void expect_same_values(struct round *r, const struct layout *a, const struct layout *b)
{
    assert_int_equal(tw_layout_size(a), tw_layout_size(b));
    for (int64_t flat = 0; flat < tw_layout_size(a); flat++) {
        int64_t at[AXIS_COUNT], other[AXIS_COUNT];
        tw_layout_eval(a, flat, at);
        tw_layout_eval(b, flat, other);
        if (memcmp(at, other, sizeof at) != 0)
            fail_msg("seed %llx: element %lld of %s and %s", (unsigned long long)r->first_seed, (long long)flat,
                     tw_layout_text(&r->room->arena, a), tw_layout_text(&r->room->arena, b));
    }
}

static void a_canonical_form_keeps_the_function_and_is_a_fixed_point(void **state)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct round r = round_begin(*state, i);
        const struct shape extents = random_shape(&r.seed, 6);
        const struct layout *l = random_layout(&r.e, &r.seed, &extents, i % 2 == 0);
        const struct layout *c = tw_layout_canonical(&r.e, l);
        expect_same_values(&r, l, c);
        expect_same_function(&r, l, c);
        assert_string_equal(tw_layout_text(&r.room->arena, tw_layout_canonical(&r.e, c)),
                            tw_layout_text(&r.room->arena, c));
        round_end(&r);
    }
}

static void grouping_keeps_the_function(void **state)
{
    int grouped = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct round r = round_begin(*state, i);
        const struct shape extents = random_shape(&r.seed, 5);
        const struct layout *l = random_layout(&r.e, &r.seed, &extents, i % 2 == 0);
        const struct shape shapes[] = {extents, SHAPE(tw_shape_elems(&extents)), SHAPE(2, tw_shape_elems(&extents) / 2),
                                       SHAPE(tw_shape_elems(&extents) / 3, 3)};
        for (size_t k = 0; k < COUNT(shapes); k++) {
            struct grouping g;
            if (!tw_layout_group(&r.e, l, &shapes[k], &g))
                continue;
            grouped++;
            expect_same_values(&r, l, g.layout);
        }
        round_end(&r);
    }
    assert_true(grouped > ROUNDS);
}

static void permuting_back_restores_the_function(void **state)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct round r = round_begin(*state, i);
        const struct shape shape = random_shape(&r.seed, 5);
        const struct layout *l = random_layout(&r.e, &r.seed, &shape, i % 2 == 0);
        uint32_t order[TW_MAX_RANK], inverse[TW_MAX_RANK];
        for (uint32_t k = 0; k < shape.rank; k++)
            order[k] = (k + (uint32_t)i) % shape.rank;
        struct shape permuted = {.rank = shape.rank};
        for (uint32_t k = 0; k < shape.rank; k++) {
            permuted.dim[k] = shape.dim[order[k]];
            inverse[order[k]] = k;
        }
        struct grouping g; /* merging in the canonical form may join iters that the shape does not separate evenly */
        if (tw_layout_group(&r.e, tw_layout_canonical(&r.e, l), &shape, &g)) {
            const struct layout *there = tw_layout_permute(&r.e, l, &shape, order);
            const struct layout *back = tw_layout_permute(&r.e, there, &permuted, inverse);
            assert_non_null(back);
            expect_same_values(&r, l, back);
        }
        round_end(&r);
    }
}

static void packing_undoes_unpacking(void **state)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct round r = round_begin(*state, i);
        const struct shape extents = random_shape(&r.seed, 5);
        const struct layout *l = random_layout(&r.e, &r.seed, &extents, i % 2 == 0);
        const int64_t n = INT64_C(1) << random_below(&r.seed, 4);
        const struct layout *narrow = tw_layout_unpack(&r.e, l, n);
        expect_same_function(&r, tw_layout_pack(&r.e, narrow, n), l);
        for (int64_t flat = 0; flat < tw_layout_size(l); flat++)
            for (int64_t part = 0; part < n; part++)
                assert_int_equal(tw_layout_address(narrow, flat * n + part), tw_layout_address(l, flat) * n + part);
        round_end(&r);
    }
}

/* A slice, where it exists, finds the elements where the whole has them; a box of one element always exists. */
static void slices_find_the_elements_of_the_whole(void **state)
{
    int sliced = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct round r = round_begin(*state, i);
        const struct shape extents = random_shape(&r.seed, 5);
        const struct layout *l = random_layout(&r.e, &r.seed, &extents, i % 2 == 0);
        const struct shape flat_shape = SHAPE(tw_shape_elems(&extents));
        const struct shape shape = i % 3 == 0 ? flat_shape : extents;
        struct shape box = {.rank = shape.rank};
        int64_t begin[TW_MAX_RANK];
        for (uint32_t d = 0; d < shape.rank; d++) {
            begin[d] = random_below(&r.seed, shape.dim[d]);
            box.dim[d] = i % 4 == 1 ? 1 : 1 + random_below(&r.seed, shape.dim[d] - begin[d]);
        }
        const struct layout *part = tw_layout_slice(&r.e, l, &shape, begin, box.dim);
        if (part != NULL) {
            sliced++;
            for (int64_t flat = 0; flat < tw_shape_elems(&box); flat++) {
                int64_t c[TW_MAX_RANK], want[AXIS_COUNT], got[AXIS_COUNT];
                tw_shape_split(&box, flat, c);
                for (uint32_t d = 0; d < shape.rank; d++)
                    c[d] += begin[d];
                tw_layout_eval_at(l, &shape, c, want);
                tw_layout_eval(part, flat, got);
                assert_memory_equal(got, want, sizeof got);
            }
        }
        round_end(&r);
    }
    assert_true(sliced > ROUNDS / 2);
}

/* Iters in the shape's order with the strides of another order: dense, but not row-major. */
static const struct layout *shuffled_dense(const struct layout_env *e, uint64_t *seed, const struct shape *shape)
{
    struct iter iters[TW_MAX_RANK];
    uint32_t order[TW_MAX_RANK];
    for (uint32_t i = 0; i < shape->rank; i++)
        order[i] = i;
    for (uint32_t i = shape->rank; i-- > 1;) {
        const uint32_t k = (uint32_t)random_below(seed, i + 1), swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
    int64_t stride = 1;
    for (uint32_t i = 0; i < shape->rank; i++) {
        iters[order[i]] = (struct iter){shape->dim[order[i]], stride, AXIS_M};
        stride *= shape->dim[order[i]];
    }
    return tw_layout_make(e, &(struct layout_parts){.shard_count = shape->rank, .shard = iters});
}

/* Index of dim d = outer * inner_shape[d] + inner, at outer place * span + inner place; and the box of one tile,
 * sliced out again, is the inner layout moved by the outer place. */
static void slicing_a_tiling_recovers_the_inner_layout(void **state)
{
    for (int i = 0; i < ROUNDS / 4; i++) {
        struct round r = round_begin(*state, i);
        const struct shape inner_shape = random_shape(&r.seed, 3);
        struct shape outer_shape = {.rank = inner_shape.rank}, whole = {.rank = inner_shape.rank};
        for (uint32_t d = 0; d < inner_shape.rank; d++) {
            outer_shape.dim[d] = 1 + random_below(&r.seed, 4);
            whole.dim[d] = outer_shape.dim[d] * inner_shape.dim[d];
        }
        const struct layout *inner = shuffled_dense(&r.e, &r.seed, &inner_shape);
        const struct layout *outer = shuffled_dense(&r.e, &r.seed, &outer_shape);
        const struct layout *tiled = tw_layout_tile(&r.e, inner, &inner_shape, outer, &outer_shape);
        assert_non_null(tiled);
        assert_int_equal(tw_layout_span(tiled, AXIS_M), tw_shape_elems(&whole));
        for (int64_t o = 0; o < tw_shape_elems(&outer_shape); o++) {
            int64_t begin[TW_MAX_RANK];
            tw_shape_split(&outer_shape, o, begin);
            for (uint32_t d = 0; d < whole.rank; d++)
                begin[d] *= inner_shape.dim[d];
            const struct layout *tile = tw_layout_slice(&r.e, tiled, &whole, begin, inner_shape.dim);
            const int64_t moved = tw_layout_address(outer, o) * tw_shape_elems(&inner_shape);
            assert_non_null(tile);
            expect_same_values(&r, tile, tw_layout_shift(&r.e, inner, AXIS_M, moved));
        }
        round_end(&r);
    }
}

/* What prints reads back as the same layout. */
static void printing_and_reading_are_inverse(void **state)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct round r = round_begin(*state, i);
        const struct shape extents = random_shape(&r.seed, 6);
        const struct layout *l = tw_layout_tile_of(&r.e, random_layout(&r.e, &r.seed, &extents, i % 2 == 0));
        const char *text = tw_layout_text(&r.room->arena, l);
        assert_string_equal(tw_layout_text(&r.room->arena, read_layout(&r.e, text)), text);
        round_end(&r);
    }
}

static void a_swizzle_is_an_involution_and_a_permutation_of_its_period(void **state)
{
    (void)state;
    for (uint32_t m = 0; m <= 4; m++)
        for (uint32_t s = 0; s <= 4; s++)
            for (uint32_t b = 0; b <= s; b++)
                for (int inner = 0; inner < 2; inner++) {
                    const struct swizzle w = {m, b, s, inner == 1};
                    const int64_t period = tw_swizzle_period(&w);
                    for (int64_t o = 0; o < 2 * period; o++) {
                        const int64_t moved = tw_swizzle_apply(&w, o);
                        assert_int_equal(tw_swizzle_invert(&w, moved), o);
                        assert_int_equal(moved / period, o / period);
                    }
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_canonical_form_keeps_the_function_and_is_a_fixed_point),
        ROOM_TEST(grouping_keeps_the_function),
        ROOM_TEST(permuting_back_restores_the_function),
        ROOM_TEST(packing_undoes_unpacking),
        ROOM_TEST(slices_find_the_elements_of_the_whole),
        ROOM_TEST(slicing_a_tiling_recovers_the_inner_layout),
        ROOM_TEST(printing_and_reading_are_inverse),
        ROOM_TEST(a_swizzle_is_an_involution_and_a_permutation_of_its_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
