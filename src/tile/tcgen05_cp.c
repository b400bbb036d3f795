/* tcgen05.cp and tcgen05.shift through tile.apply: one thread issues them, the tensor pipe moves whole rows.
 *
 * tcgen05.cp takes dst in tensor memory and src in shared memory, both ending in (row, b32 word); the multicast
 * qualifiers put each row into several lanes, which dst's layout must say with a replica. The strides and the swizzle
 * of the source are parameters, and the walk that they give is compared with src's layout. Formats that expand 6- and
 * 4-bit elements read and write the same words: 16 source bytes with their padding become 16 destination bytes.
 * tcgen05.shift takes the eight columns whose rows move down by one lane, ending in (row, column) of 32-bit cells. */
#include "tile/engine.h"

#include <assert.h>
#include <string.h>

/* ---- tcgen05.cp ----------------------------------------------------------------------------------- */

enum { DST, SRC };

struct copy {
    enum tmem_cp shape;
    struct smem_desc from; /* strides and swizzle of the parameters */
};

static struct copy *copy_of(const struct tile_call *c)
{
    return c->family_data;
}

static uint32_t cp_copies(const struct tile_call *c)
{
    return tw_tmem_cps[copy_of(c)->shape].copies;
}

static struct tile_cell cp_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    return (struct tile_cell){tw_tmem_cp_lane(copy_of(c)->shape, (uint32_t)coord[0], copy), coord[1] * 32};
}

#define CP_ATOM .repeats = "*", .atom_rank = 2, .atom = {{"row", TILE_ROWS, "rows"}, {"word", TILE_WORDS, "words"}}, .elem_bits = 32
static const struct tile_operand_row cp_operands[] = {
    /* SOURCE: kernel-language-tile 7.3: the destination begins at a multiple of 128 bits. */
    [DST] = {.name = "dst", .role = TILE_DST, .scopes = 1u << IR_TMEM, CP_ATOM, .cell = cp_cell, .copies = cp_copies,
             .start_bits = 128},
    [SRC] = {.name = "src", .role = TILE_SRC, .scopes = 1u << IR_SHARED, CP_ATOM},
};

static const struct tile_param_row cp_params[] = {
    {.name = "sdo_bytes", .type = TILE_PARAM_NUMBER},
    {.name = "ldo_bytes", .type = TILE_PARAM_NUMBER},
    {.name = "swizzle", .type = TILE_PARAM_NUMBER},
};

/* The row of the shape table; the catalogue refused combinations that are not in it. */
static enum tmem_cp find_shape(const struct tile_call *c)
{
    char shape[16], multicast[24];
    const unsigned warpx = isa_spelling_mod(&c->spelling, SLOT_WARPX);
    const char *name = tw_isa_mod_text(isa_spelling_mod(&c->spelling, SLOT_SHAPE), shape);
    const char *to = warpx == MOD_NONE ? "" : tw_isa_mod_text(warpx, multicast);
    int row = 0;
    while (strcmp(tw_tmem_cps[row].shape, name) != 0 ||
           strcmp(tw_tmem_cps[row].multicast == NULL ? "" : tw_tmem_cps[row].multicast, to) != 0) {
        row++;
        assert(row < TMEM_CP_COUNT);
    }
    return (enum tmem_cp)row;
}

static bool read_stride(struct tile_call *c, const char *name, uint32_t *out)
{
    enum { STRIDE_END = 1 << 18 };
    const int64_t bytes = tw_tile_number(c, name);
    *out = (uint32_t)bytes;
    if (bytes >= 0 && bytes < STRIDE_END && bytes % 16 == 0)
        return true;
    struct diag *d = tw_diag(c->diags, E0422, tw_tile_param(c, name)->at, "parameter '%s' of %s", name, c->family->name);
    tw_diag_expected(d, "a multiple of 16 bytes below %d", STRIDE_END);
    tw_diag_found(d, "%lld", (long long)bytes);
    const int64_t below = bytes < 0 ? 0 : bytes >= STRIDE_END ? STRIDE_END - 16 : bytes / 16 * 16;
    tw_diag_fix(d, "write the stride of src's layout, such as %s=%lld", name, (long long)below);
    return false;
}

static bool cp_prepare(struct tile_call *c)
{
    struct copy *copy = arena_new(c->arena, struct copy, 1);
    c->family_data = copy;
    copy->shape = find_shape(c);
    c->symbol[TILE_ROWS] = tw_tmem_cps[copy->shape].rows;
    c->symbol[TILE_WORDS] = tw_tmem_cps[copy->shape].words;
    const int64_t swizzle = tw_tile_number(c, "swizzle");
    if (!read_stride(c, "sdo_bytes", &copy->from.stride_bytes) || !read_stride(c, "ldo_bytes", &copy->from.lead_bytes))
        return false;
    if (swizzle < SWIZZLE_NONE || swizzle > SWIZZLE_128B) {
        struct diag *d = tw_diag(c->diags, E0405, tw_tile_param(c, "swizzle")->at, "parameter 'swizzle' of %s", c->family->name);
        tw_diag_expected(d, "0 none, 1 32B, 2 64B or 3 128B");
        tw_diag_found(d, "%lld", (long long)swizzle);
        tw_diag_fix(d, "write the number of the swizzle that src's layout has");
        return false;
    }
    copy->from.mode = (enum swizzle_mode)swizzle;
    return true;
}

static bool cp_issue(struct tile_call *c)
{
    const struct tile_place *to = tw_tile_cells(c, DST), *from = NULL;
    if (to != NULL)
        from = tw_tile_descriptor(c, SRC, (struct tile_walk_form){.given = &copy_of(c)->from});
    if (from == NULL)
        return false;
    struct ir_ptx *x = tw_tile_instruction(c, 2);
    tw_tile_put_cells(c, &x->operands[0], DST, to);
    tw_tile_put_descriptor(c, &x->operands[1], SRC, from);
    return true;
}

const struct tile_family tw_tile_tcgen05_cp = {
    .op = OP_TCGEN05_CP,
    .name = "tcgen05.cp",
    .what = "shared memory to tensor memory",
    .issuer = TILE_BY_THREAD,
    .operands = cp_operands,
    .operand_count = 2,
    .params = cp_params,
    .param_count = sizeof cp_params / sizeof cp_params[0],
    .prepare = cp_prepare,
    .issue = cp_issue,
};

/* ---- tcgen05.shift -------------------------------------------------------------------------------- */

static struct tile_cell shift_cell(const struct tile_call *c, const int64_t coord[TILE_MAX_ATOM], uint32_t copy)
{
    (void)c, (void)copy;
    return (struct tile_cell){coord[0], coord[1] * 32};
}

static const struct tile_operand_row shift_operands[] = {
    {.name = "cells", .role = TILE_UPDATE, .scopes = 1u << IR_TMEM, .repeats = "*", .atom_rank = 2,
     .atom = {{"row", TILE_ROWS, "rows"}, {"column", TILE_COLS, "columns"}}, .elem_bits = 32, .cell = shift_cell},
};

/* All four quadrants move, each keeping its last row; from lane 0 on, whichever reading of the ISA is taken. */
static bool shift_prepare(struct tile_call *c)
{
    c->symbol[TILE_ROWS] = TW_TMEM_LANES;
    c->symbol[TILE_COLS] = TMEM_SHIFT_COLS;
    return true;
}

static bool shift_issue(struct tile_call *c)
{
    const struct tile_place *cells = tw_tile_cells(c, 0);
    if (cells == NULL)
        return false;
    struct ir_ptx *x = tw_tile_instruction(c, 1);
    tw_tile_put_cells(c, &x->operands[0], 0, cells);
    return true;
}

const struct tile_family tw_tile_tcgen05_shift = {
    .op = OP_TCGEN05_SHIFT,
    .name = "tcgen05.shift",
    .what = "rows of eight columns of tensor memory, down by one lane",
    .issuer = TILE_BY_THREAD,
    .operands = shift_operands,
    .operand_count = 1,
    .prepare = shift_prepare,
    .issue = shift_issue,
};
