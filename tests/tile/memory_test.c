/* Memory operands: what is accepted holds for every value of a run-time index. Layouts and indices are drawn; where a vector load
 * compiles, its elements are looked up for every index, one after another and aligned; and what is plainly legal compiles. */
#include "tile/text_kernel.h"

#include <stdio.h>

enum { ROWS = 8, COLUMNS = 16, DRAWS = 1500 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint32_t below(uint32_t *state, uint32_t n)
{
    return next_random(state) % n;
}

/* ---- drawing ----------------------------------------------------------------------------------------------- */

/* ROWS and COLUMNS as iters, dense in a drawn order, and perhaps a swizzle or a gap behind every row. */
static const char *draw_layout(struct bench_room *room, uint32_t *seed)
{
    static const int splits[2][3][3] = {{{8}, {2, 4}, {4, 2}}, {{16}, {4, 4}, {2, 8}}};
    int extent[6], stride[6], order[6], count = 0, step = 1;
    for (int d = 0; d < 2; d++)
        for (const int *s = splits[d][below(seed, 3)], *end = s + 3; s < end && *s != 0; s++)
            extent[count++] = *s;
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0 && below(seed, 3) != 0; i--) {
        const int j = (int)below(seed, (uint32_t)i + 1), t = order[i];
        order[i] = order[j], order[j] = t;
    }
    for (int i = count; i-- > 0;) {
        stride[order[i]] = step;
        step *= extent[order[i]];
        step += below(seed, 6) == 0 ? (int)below(seed, 5) : 0;
    }
    struct text extents, strides;
    tw_text_init(&extents, &room->arena), tw_text_init(&strides, &room->arena);
    for (int i = 0; i < count; i++) {
        tw_text_addf(&extents, "%s%d", i == 0 ? "" : ", ", extent[i]);
        tw_text_addf(&strides, "%s%d", i == 0 ? "" : ", ", stride[i]);
    }
    const char *tile = tw_format(&room->arena, "T.TileLayout(T.S[(%s) : (%s)])", extents.at, strides.at);
    if (below(seed, 2) == 0)
        return tile;
    const uint32_t len = 1 + below(seed, 2);
    return tw_format(&room->arena, "T.ComposeLayout(%u, %u, %u, %s)", below(seed, 4), len, len + below(seed, 2), tile);
}

struct drawn {
    const char *row, *column; /* index expressions in i */
    int row_factor, row_add, column_factor, words;
};

static struct drawn draw_index(struct bench_room *room, uint32_t *seed)
{
    struct drawn d = {.words = 1 << below(seed, 3), .row_factor = 1 << below(seed, 3), .row_add = (int)below(seed, 3)};
    d.column_factor = 1 << below(seed, 5);
    d.row = tw_format(&room->arena, "%d * i + %d", d.row_factor, d.row_add);
    d.column = tw_format(&room->arena, "%d * j", d.column_factor);
    if (below(seed, 3) == 0) {
        d.column = "0";
        d.column_factor = 0;
    }
    return d;
}

/* ---- proving what was accepted -------------------------------------------------------------------------------- */

static const struct layout *layout_of(const struct ir_kernel *k)
{
    for (uint32_t i = 0; i < k->body.list.len; i++)
        if (k->body.list.at[i]->op == IR_TILE)
            return k->body.list.at[i]->tile->operands[1].region->view->layout;
    fail_msg("no tile operation");
    return NULL;
}

static void expect_sound(const char *body, const struct layout *l, const struct drawn *d)
{
    for (int i = 0; d->row_factor * i + d->row_add < ROWS; i++)
        for (int j = 0; d->column_factor * j + d->words <= COLUMNS && (d->column_factor > 0 || j == 0); j++) {
            const int64_t flat = (d->row_factor * i + d->row_add) * COLUMNS + d->column_factor * j;
            const int64_t first = tw_layout_address(l, flat);
            if (first % d->words != 0)
                fail_msg("i = %d, j = %d: element %lld is not aligned to %d\n%s", i, j, (long long)first, d->words, body);
            for (int w = 1; w < d->words; w++)
                if (tw_layout_address(l, flat + w) != first + w)
                    fail_msg("i = %d, j = %d: word %d is at %lld, not %lld\n%s", i, j, w, (long long)tw_layout_address(l, flat + w),
                             (long long)first + w, body);
        }
}

/* One drawn kernel; whether it compiled. */
static bool one_draw(struct bench_room *room, uint32_t *seed)
{
    const char *layout = draw_layout(room, seed);
    const struct drawn d = draw_index(room, seed);
    const char *vec = d.words == 1 ? "" : tw_format(&room->arena, ".v%d", d.words);
    const char *text = tw_format(&room->arena,
        "from tvm.script import tirx as T\n"
        "@T.function\n"
        "def k(i: T.int32, j: T.int32):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
        "    s = T.alloc_shared((8, 16), \"uint32\", layout=%s, align=1024)\n"
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared%s.u32\"], r.view(%d, %d)[0:1, 0:%d], s[%s, %s : %s + %d])\n",
        layout, vec, 4 / d.words, d.words, d.words, d.row, d.column, d.column, d.words);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    const struct isa *isa = tw_isa_open(&room->arena);
    struct lang_program *p = tw_lang_load(&room->arena, &room->sources, tw_sources_add(&room->sources, "k.py", tw_str(text)),
                                          &room->diags, isa, NULL);
    struct ir_kernel *k = tw_lang_build(p, "k");
    if (k == NULL)
        fail_msg("%s\n%s", text, tw_test_diags(room));
    const struct layout *l = layout_of(k);
    if (!tw_tile_lower(k, isa, &room->diags))
        return false;
    expect_sound(text, l, &d);
    return true;
}

static void what_is_accepted_holds_for_every_index(void **state)
{
    uint32_t seed = 20, accepted = 0;
    for (int i = 0; i < DRAWS; i++)
        accepted += one_draw(*state, &seed);
    printf("%u of %d drawn loads compile\n", accepted, DRAWS);
    assert_true(accepted > DRAWS / 5 && accepted < DRAWS);
}

/* ---- what is plainly legal ------------------------------------------------------------------------------------- */

static void an_index_that_is_a_multiple_by_any_spelling_is_taken(void **state)
{
    static const char *const indices[] = {"4 * i", "i << 2", "(i // 8) * 8", "(i & 3) * 4", "i * 12", "T.cuda.thread_idx(\"x\") % 4 * 4", "n",
                                          "4 * n + 4 * (i % 3)", "T.if_then_else(i > 2, 4, 8)", "(i & 12)"};
    struct bench_room *room = *state;
    for (size_t n = 0; n < COUNT(indices); n++) {
        struct ir_kernel *k;
        const char *body = tw_format(&room->arena,
            "    s = T.alloc_shared((128, 64), \"uint32\", layout=\"default\")\n"
            "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
            "    for m in range(3):\n"
            "        n = m * 4\n"
            "        T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[i, (%s) : (%s) + 4])\n", indices[n], indices[n]);
        if (!lower_body(room, body, &k))
            fail_msg("%s\n%s", indices[n], tw_test_diags(room));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(what_is_accepted_holds_for_every_index),
        ROOM_TEST(an_index_that_is_a_multiple_by_any_spelling_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
