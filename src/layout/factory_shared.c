/* Factories for shared memory: swizzled operand atoms and panels, and the scale-factor image. */
#include "layout/draft.h"
#include "layout/factory.h"
#include "layout/refuse.h"

#include "base/bits.h"

static const char modes_expected[] = "NONE (0), 32B (1), 64B (2) or 128B (3)";

enum { ATOM_ROWS = 8, SCALE_BLOCK_ROWS = 128, SCALE_BLOCK_BYTES = 512 };

/* ---- modes ---- */

bool tw_swizzle_mode_from_int(const struct layout_env *e, int64_t value, enum swizzle_mode *out)
{
    if (value < SWIZZLE_NONE || value > SWIZZLE_128B)
        return REFUSE(e, E0318, .message = "no such swizzle mode", .expected = modes_expected,
                      .found = tw_format(e->arena, "%lld", (long long)value));
    *out = (enum swizzle_mode)value;
    return true;
}

bool tw_swizzle_mode_from_name(const struct layout_env *e, struct str name, enum swizzle_mode *out)
{
    static const char prefix[] = "SwizzleMode.";
    struct str bare = name;
    if (tw_str_starts(bare, prefix))
        bare = (struct str){bare.at + sizeof prefix - 1, bare.len - (sizeof prefix - 1)};
    for (int mode = SWIZZLE_NONE; mode <= SWIZZLE_128B; mode++) {
        if (tw_str_is(bare, tw_swizzle_mode_row((enum swizzle_mode)mode)->name)) {
            *out = (enum swizzle_mode)mode;
            return true;
        }
    }
    return REFUSE(e, E0318, .message = "no such swizzle mode", .expected = modes_expected,
                  .found = tw_format(e->arena, "'" STR_FMT "'", STR_ARG(name)));
}

static bool check_mode(const struct layout_env *e, enum swizzle_mode mode, uint32_t elem_bits, bool atom)
{
    if (mode > SWIZZLE_128B)
        return REFUSE(e, E0318, .message = "this factory does not make that swizzle mode", .expected = modes_expected,
                      .found = tw_swizzle_mode_row(mode)->name,
                      .fix = tw_format(e->arena, "write ComposeLayout(%u, 2, 2, tile)",
                                       is_pow2(elem_bits) && elem_bits <= 256 ? log2_floor(256 / elem_bits) : 3));
    if (atom && mode == SWIZZLE_NONE)
        return REFUSE(e, E0318, .message = "a layout without a swizzle has no atom",
                      .expected = "32B (1), 64B (2) or 128B (3)", .found = "NONE (0)");
    if (!is_pow2(elem_bits) || elem_bits < 4 || elem_bits > 64)
        return REFUSE(e, E0319, .message = "elements of this width have no shared-memory operand layout",
                      .expected = "4, 8, 16, 32 or 64 bits (6-bit types are stored in 8-bit containers)",
                      .found = tw_format(e->arena, "%u bits", elem_bits));
    return true;
}

/* Elements in one row of the pattern; of one 16-byte unit without a swizzle. */
static int64_t row_elems(enum swizzle_mode mode, uint32_t elem_bits)
{
    return (int64_t)tw_swizzle_mode_row(mode)->row_bytes * 8 / elem_bits;
}

/* ---- atoms ---- */

bool tw_mma_atom_shape(const struct layout_env *e, uint32_t elem_bits, enum swizzle_mode mode, uint32_t rank,
                       struct shape *out)
{
    if (!check_mode(e, mode, elem_bits, true))
        return false;
    if (rank < 2 || rank > TW_MAX_RANK)
        return REFUSE(e, E0319, .message = "a swizzle atom has rows and columns",
                      .expected = tw_format(e->arena, "a shape of 2 to %d dimensions", TW_MAX_RANK),
                      .found = tw_format(e->arena, "%u", rank));
    *out = (struct shape){.rank = rank};
    for (uint32_t d = 0; d + 2 < rank; d++)
        out->dim[d] = 1;
    out->dim[rank - 2] = ATOM_ROWS;
    out->dim[rank - 1] = row_elems(mode, elem_bits);
    return true;
}

const struct layout *tw_mma_atom_layout(const struct layout_env *e, uint32_t elem_bits, enum swizzle_mode mode)
{
    struct swizzle s;
    if (!check_mode(e, mode, elem_bits, true) || !tw_swizzle_of_mode(mode, elem_bits, &s))
        return NULL;
    return tw_layout_compose(e, &s, NULL);
}

/* ---- operand layouts ---- */

static bool check_panels(const struct layout_env *e, uint32_t elem_bits, enum swizzle_mode mode, const struct shape *shape)
{
    const int64_t width = row_elems(mode, elem_bits);
    const bool fits = shape->rank >= 2 && shape->dim[shape->rank - 2] % ATOM_ROWS == 0 &&
                      shape->dim[shape->rank - 1] % width == 0;
    if (fits)
        return true;
    return REFUSE(e, E0319, .message = tw_format(e->arena, "a shape does not consist of %s swizzle atoms",
                                                 tw_swizzle_mode_row(mode)->name),
                  .expected = tw_format(e->arena, "rows in multiples of %d, and columns in multiples of %lld at %u bits",
                                        ATOM_ROWS, (long long)width, elem_bits),
                  .found = tw_shape_text(e->arena, shape), .fix = "choose a smaller swizzle mode or pad the shape");
}

/* Panels `width` columns wide, each all rows high; panels row-major behind one another, then the leading dims:
 * m = lead * rows * columns + (c / width) * rows * width + r * width + c % width. */
static const struct layout *panels(const struct layout_env *e, const struct shape *shape, int64_t width,
                                   const struct swizzle *s)
{
    const uint32_t lead = shape->rank - 2;
    const int64_t rows = shape->dim[lead], columns = shape->dim[lead + 1];
    struct draft d;
    tw_draft_empty(&d);
    int64_t stride = tw_shape_elems(shape);
    for (uint32_t i = 0; i < lead; i++) {
        stride /= shape->dim[i];
        tw_draft_push(&d, shape->dim[i], stride, AXIS_M);
    }
    tw_draft_push(&d, rows, width, AXIS_M);
    tw_draft_push(&d, columns / width, rows * width, AXIS_M);
    tw_draft_push(&d, width, 1, AXIS_M);
    d.swizzled = s != NULL;
    if (s != NULL)
        d.swizzle = *s;
    const struct layout *l = tw_draft_finish(e, &d);
    return l == NULL ? NULL : tw_layout_canonical(e, l);
}

const struct layout *tw_mma_shared_layout(const struct layout_env *e, uint32_t elem_bits, enum swizzle_mode mode,
                                          const struct shape *shape)
{
    if (!check_mode(e, mode, elem_bits, false) || !tw_shape_check(e, shape))
        return NULL;
    const int64_t width = row_elems(mode, elem_bits);
    if (mode != SWIZZLE_NONE) {
        struct swizzle s;
        if (!check_panels(e, elem_bits, mode, shape) || !tw_swizzle_of_mode(mode, elem_bits, &s))
            return NULL;
        return panels(e, shape, width, &s);
    }
    if (shape->rank >= 2 && shape->dim[shape->rank - 1] % width == 0)
        return panels(e, shape, width, NULL);
    const struct layout *dense = tw_layout_default(e, shape);
    return dense == NULL ? NULL : tw_layout_canonical(e, dense);
}

/* ---- scale factors ---- */

/* SOURCE: PTX ISA, tcgen05.cp 32x128b.warpx4, the 512-byte block of 128 rows by 4 factors: a row's four factors are
 * 4 bytes, rows r, r+32, r+64, r+96 lie side by side in 16 bytes. Blocks follow one another along SF_K, then rows. */
const struct layout *tw_sf_smem_layout(const struct layout_env *e, const struct scale_layout *s)
{
    const bool fits = s->rows >= 1 && s->rows % SCALE_BLOCK_ROWS == 0 && s->sf_k >= 1 && s->sf_k % 4 == 0 &&
                      s->sf_per_mma >= 1 && 4 % s->sf_per_mma == 0 && s->reuse >= 0 && s->pipe_depth >= 0;
    if (!fits) {
        REFUSE(e, E0322, .message = "scale factors do not fill blocks of shared memory",
               .expected = "rows in multiples of 128, SF_K in multiples of 4, sf_per_mma 1, 2 or 4",
               .found = tw_format(e->arena, "rows=%lld, SF_K=%lld, sf_per_mma=%lld", (long long)s->rows, (long long)s->sf_k,
                                  (long long)s->sf_per_mma));
        return NULL;
    }
    const int64_t blocks = s->sf_k / 4;
    struct draft d;
    tw_draft_empty(&d);
    if (s->pipe_depth > 0)
        tw_draft_push(&d, s->pipe_depth, tw_mul_sat(s->rows, s->sf_k), AXIS_M);
    tw_draft_push(&d, s->rows / SCALE_BLOCK_ROWS, tw_mul_sat(SCALE_BLOCK_BYTES, blocks), AXIS_M);
    tw_draft_push(&d, 4, 4, AXIS_M);
    tw_draft_push(&d, 32, 16, AXIS_M);
    tw_draft_push(&d, blocks, SCALE_BLOCK_BYTES, AXIS_M);
    tw_draft_push(&d, 4, 1, AXIS_M);
    if (s->reuse > 1)
        tw_draft_push(&d, s->reuse, 0, AXIS_M);
    const struct layout *l = tw_draft_finish(e, &d);
    return l == NULL ? NULL : tw_layout_canonical(e, l);
}
