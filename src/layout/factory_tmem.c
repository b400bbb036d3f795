/* Factories for tensor memory: data paths, MMA operands, scale factors. */
#include "layout/draft.h"
#include "layout/factory.h"
#include "layout/refuse.h"

#include "base/bits.h"

/* SOURCE: PTX ISA, tcgen05 data path layouts A to G. Rows go to lanes directly (scatter 0) or in quarters of 16 rows
 * to the lower half of each 32-lane quadrant; columns are folded over banks of lanes. */
struct datapath {
    char letter;
    int64_t rows;   /* of one CTA */
    int64_t fold;   /* columns n and n + N/fold share a TCol, `rows` lanes apart */
    bool scattered; /* lane = 32 * (r / 16) + r % 16 */
};

static const struct datapath datapaths[] = {
    {'A', 128, 1, false}, {'B', 64, 2, false}, {'C', 64, 1, true}, {'D', 128, 1, false},
    {'E', 64, 2, false},  {'F', 64, 1, true},  {'G', 32, 4, false},
};

static const struct datapath *find_datapath(char letter)
{
    for (size_t i = 0; i < sizeof datapaths / sizeof *datapaths; i++)
        if (datapaths[i].letter == letter)
            return &datapaths[i];
    return NULL;
}

/* ---- data paths ---- */

static void push_rows(struct draft *d, const struct datapath *p)
{
    if (p->scattered) {
        tw_draft_push(d, 4, 32, AXIS_TLANE);
        tw_draft_push(d, 16, 1, AXIS_TLANE);
    } else {
        tw_draft_push(d, p->rows, 1, AXIS_TLANE);
    }
}

/* `cell` is the TCol distance of neighbouring columns. */
static const struct layout *datapath_layout(const struct layout_env *e, const struct datapath *p, int64_t cols,
                                            int64_t sub_slab, int64_t cell)
{
    struct draft d;
    tw_draft_empty(&d);
    push_rows(&d, p);
    if (p->fold > 1)
        tw_draft_push(&d, p->fold, p->rows, AXIS_TLANE);
    tw_draft_push(&d, cols / p->fold, cell, AXIS_TCOL);
    d.offset[AXIS_TLANE] = 16 * sub_slab;
    const struct layout *l = tw_draft_finish(e, &d);
    return l == NULL ? NULL : tw_layout_canonical(e, l);
}

static bool check_datapath(const struct layout_env *e, const struct datapath *p, int64_t rows, int64_t cols)
{
    if (rows != p->rows)
        return REFUSE(e, E0320, .message = tw_format(e->arena, "data path %c has another number of rows", p->letter),
                      .expected = tw_format(e->arena, "%lld rows", (long long)p->rows),
                      .found = tw_format(e->arena, "%lld", (long long)rows));
    if (cols < 1 || cols % p->fold != 0)
        return REFUSE(e, E0320, .message = tw_format(e->arena, "data path %c cannot hold that many columns", p->letter),
                      .expected = p->fold == 1 ? "at least 1 column"
                                               : tw_format(e->arena, "a multiple of %lld: the columns are folded over %lld "
                                                                     "banks of lanes",
                                                           (long long)p->fold, (long long)p->fold),
                      .found = tw_format(e->arena, "%lld", (long long)cols));
    return true;
}

const struct layout *tw_tmem_datapath_layout(const struct layout_env *e, char letter, int64_t rows, int64_t cols,
                                             int64_t sub_slab)
{
    const struct datapath *p = find_datapath(letter);
    if (p == NULL) {
        const bool printable = letter > ' ' && letter <= '~';
        REFUSE(e, E0320, .message = "no such data path", .expected = "a letter from A to G",
               .found = printable ? tw_format(e->arena, "'%c'", letter)
                                  : tw_format(e->arena, "the byte 0x%02x", (unsigned char)letter));
        return NULL;
    }
    const bool slab_fits = sub_slab == 0 || (sub_slab == 1 && p->scattered);
    if (!slab_fits) {
        REFUSE(e, E0320, .message = tw_format(e->arena, "data path %c has no such sub-slab", letter),
               .expected = p->scattered ? "sub_slab 0 or 1" : "sub_slab 0; only C and F leave half of their lanes free",
               .found = tw_format(e->arena, "sub_slab %lld", (long long)sub_slab));
        return NULL;
    }
    return check_datapath(e, p, rows, cols) ? datapath_layout(e, p, cols, sub_slab, 1) : NULL;
}

/* ---- MMA operands ---- */

char tw_tmem_datapath(int64_t m, int64_t cta_group, bool ws)
{
    static const struct {
        int64_t m, cta_group;
        bool ws;
        char letter;
    } rows[] = {
        {128, 1, false, 'D'}, {128, 1, true, 'D'}, {64, 1, false, 'F'},
        {64, 1, true, 'E'},   {256, 2, false, 'A'}, {128, 2, false, 'B'},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].m == m && rows[i].cta_group == cta_group && rows[i].ws == ws)
            return rows[i].letter;
    return 0;
}

static bool refuse_operand(const struct layout_env *e, const struct tmem_operand *o, const struct datapath *p,
                           const char *expected)
{
    return REFUSE(e, E0321, .message = tw_format(e->arena, "operand %c of data path %c does not have that shape", o->operand,
                                                 p->letter),
                  .expected = expected, .found = tw_shape_text(e->arena, &o->shape));
}

static const char *accumulator_shapes(const struct layout_env *e, const struct datapath *p)
{
    const long long rows = (long long)p->rows;
    return p->fold == 1 ? tw_format(e->arena, "(%lld, N)", rows)
                        : tw_format(e->arena, "(%lld, N) with even N, (2, %lld, n), (%lld, 2, n) or (%lld, s, 2, n)", rows,
                                    rows, rows, rows);
}

static const struct layout *finish_operand(const struct layout_env *e, const struct draft *d)
{
    const struct layout *l = tw_draft_finish(e, d);
    return l == NULL ? NULL : tw_layout_canonical(e, l);
}

/* Columns as s groups of two banks of n: bank b of group g holds columns g*n .. of its own lanes. */
static const struct layout *grouped_accumulator(const struct layout_env *e, const struct datapath *p, int64_t s, int64_t n,
                                                int64_t cell)
{
    struct draft d;
    tw_draft_empty(&d);
    push_rows(&d, p);
    tw_draft_push(&d, s, tw_mul_sat(n, cell), AXIS_TCOL);
    tw_draft_push(&d, 2, p->rows, AXIS_TLANE);
    tw_draft_push(&d, n, cell, AXIS_TCOL);
    return finish_operand(e, &d);
}

/* A bank axis of its own, before or behind the rows. */
static const struct layout *banked(const struct layout_env *e, const struct datapath *p, bool bank_first, int64_t n,
                                   int64_t cell)
{
    struct draft d;
    tw_draft_empty(&d);
    if (bank_first)
        tw_draft_push(&d, 2, p->rows, AXIS_TLANE);
    push_rows(&d, p);
    if (!bank_first)
        tw_draft_push(&d, 2, p->rows, AXIS_TLANE);
    tw_draft_push(&d, n, cell, AXIS_TCOL);
    return finish_operand(e, &d);
}

static bool check_group(const struct layout_env *e, const struct tmem_operand *o, const struct datapath *p)
{
    const struct shape *g = o->group;
    const bool flat = p->fold == 2 && o->shape.rank == 2 && o->shape.dim[0] == p->rows;
    const bool fits = flat && g->rank == 3 && g->dim[1] == 2 && g->dim[0] >= 1 && g->dim[2] >= 1 &&
                      tw_mul_sat(tw_mul_sat(g->dim[0], 2), g->dim[2]) == o->shape.dim[1];
    if (fits)
        return true;
    return REFUSE(e, E0321, .message = tw_format(e->arena, "data path %c does not group its columns so", p->letter),
                  .expected = p->fold == 2 ? tw_format(e->arena, "group=(s, 2, n) for a shape (%lld, s*2*n)",
                                                       (long long)p->rows)
                                           : "no group: the columns are not folded",
                  .found = tw_format(e->arena, "group=%s for %s", tw_shape_text(e->arena, g),
                                     tw_shape_text(e->arena, &o->shape)));
}

/* D uses one 32-bit cell an accumulator, so narrower accumulators are several element units apart. */
static const struct layout *accumulator(const struct layout_env *e, const struct tmem_operand *o, const struct datapath *p)
{
    const struct shape *s = &o->shape;
    if (o->elem_bits != 16 && o->elem_bits != 32) {
        REFUSE(e, E0321, .message = "no accumulator has this width", .expected = "16 or 32 bits",
               .found = tw_format(e->arena, "%u bits", o->elem_bits));
        return NULL;
    }
    const int64_t cell = 32 / o->elem_bits;
    if (o->group != NULL)
        return check_group(e, o, p) ? grouped_accumulator(e, p, o->group->dim[0], o->group->dim[2], cell) : NULL;
    if (s->rank == 2 && s->dim[0] == p->rows && s->dim[1] % p->fold == 0)
        return datapath_layout(e, p, s->dim[1], 0, cell);
    if (p->fold == 2 && s->rank == 3 && s->dim[0] == 2 && s->dim[1] == p->rows)
        return banked(e, p, true, s->dim[2], cell);
    if (p->fold == 2 && s->rank == 3 && s->dim[0] == p->rows && s->dim[1] == 2)
        return banked(e, p, false, s->dim[2], cell);
    if (p->fold == 2 && s->rank == 4 && s->dim[0] == p->rows && s->dim[2] == 2)
        return grouped_accumulator(e, p, s->dim[1], s->dim[3], cell);
    refuse_operand(e, o, p, accumulator_shapes(e, p));
    return NULL;
}

/* A is packed. Folded paths read a copy of A in each bank of lanes: as a replica, or as two banks given apart; a path
 * of the weight-stationary form (E) takes them apart only. */
static const struct layout *left_operand(const struct layout_env *e, const struct tmem_operand *o, const struct datapath *p)
{
    const struct shape *s = &o->shape;
    if (o->group != NULL) {
        REFUSE(e, E0321, .message = "operand A has no column groups", .expected = "group for D only");
        return NULL;
    }
    if (!is_pow2(o->elem_bits) || o->elem_bits < 4 || o->elem_bits > 32) {
        REFUSE(e, E0321, .message = "no tensor-memory operand A has this width",
               .expected = "4, 8, 16 or 32 bits (6-bit types are stored in 8-bit containers)",
               .found = tw_format(e->arena, "%u bits", o->elem_bits));
        return NULL;
    }
    if (p->fold == 2 && s->rank == 3 && s->dim[0] == 2 && s->dim[1] == p->rows)
        return banked(e, p, true, s->dim[2], 1);
    if (s->rank == 2 && s->dim[0] == p->rows && p->letter != 'E') {
        struct draft d;
        tw_draft_empty(&d);
        push_rows(&d, p);
        tw_draft_push(&d, s->dim[1], 1, AXIS_TCOL);
        if (p->fold == 2)
            tw_draft_push_replica(&d, 2, p->rows, AXIS_TLANE);
        return finish_operand(e, &d);
    }
    refuse_operand(e, o, p,
                   p->letter == 'E'  ? "(2, 64, K): the two banks of lanes hold their own copies"
                   : p->fold == 2 ? "(64, K) or (2, 64, K)"
                                  : tw_format(e->arena, "(%lld, K)", (long long)p->rows));
    return NULL;
}

static const struct datapath *path_of(const struct layout_env *e, const struct tmem_operand *o)
{
    const char *found = tw_format(e->arena, "M=%lld, cta_group=%lld%s%s", (long long)o->m, (long long)o->cta_group,
                                  o->ws ? ", ws=True" : "", o->sparse ? ", sparse=True" : "");
    if (o->sparse) {
        REFUSE(e, E0321, .message = "sparse instructions have no operand layout here", .expected = "sparse=False",
               .found = found);
        return NULL;
    }
    const char letter = tw_tmem_datapath(o->m, o->cta_group, o->ws);
    if (letter == 0)
        REFUSE(e, E0321, .message = "no dense instruction has that M in that form",
               .expected = "M 64 or 128 with cta_group 1 (also with ws), M 128 or 256 with cta_group 2", .found = found);
    return letter == 0 ? NULL : find_datapath(letter);
}

const struct layout *tw_tmem_mma_operand_layout(const struct layout_env *e, const struct tmem_operand *o)
{
    if (o->operand != 'D' && o->operand != 'A') {
        const bool printable = o->operand > ' ' && o->operand <= '~';
        REFUSE(e, E0321, .message = "only D and A can be in tensor memory", .expected = "'D' or 'A'",
               .found = printable ? tw_format(e->arena, "'%c'", o->operand) : "another character",
               .fix = o->operand == 'B' ? "give B a shared-memory layout: mma_shared_layout(dtype, mode, shape)" : NULL);
        return NULL;
    }
    const struct datapath *p = path_of(e, o);
    if (p == NULL || !tw_shape_check(e, &o->shape))
        return NULL;
    return o->operand == 'D' ? accumulator(e, o, p) : left_operand(e, o, p);
}

/* ---- scale factors ---- */

static bool check_scales(const struct layout_env *e, const struct scale_layout *s)
{
    const bool fits = s->rows >= 32 && s->rows % 32 == 0 && s->sf_per_mma >= 1 && s->sf_per_mma <= 4 &&
                      4 % s->sf_per_mma == 0 && s->sf_k >= 1 && s->sf_k % s->sf_per_mma == 0 && s->reuse >= 0 &&
                      s->pipe_depth >= 0;
    if (fits)
        return true;
    return REFUSE(e, E0322, .message = "scale factors do not fill tensor-memory cells",
                  .expected = "rows in multiples of 32, sf_per_mma 1, 2 or 4, SF_K a multiple of it",
                  .found = tw_format(e->arena, "rows=%lld, SF_K=%lld, sf_per_mma=%lld", (long long)s->rows,
                                     (long long)s->sf_k, (long long)s->sf_per_mma));
}

/* SOURCE: PTX ISA, tcgen05 block scaling, scale factor layout in tensor memory; the kernel language's tcgen05.mma page:
 * row r, factor s at lane r%32 with copies 32 lanes apart, byte column 4*(r/32) + 4*(rows/32)*(s/4) + s%4.
 *
 * The factors of one MMA fill a cell alone, or share it with the following MMAs' (`sharing` of them); cells of a row
 * group are `rows/32` apart. DIVERGES: pipeline stages are one whole stage apart, not one group of four factors,
 * which would overlap when SF_K is more than a cell holds. */
const struct layout *tw_sf_tmem_layout(const struct layout_env *e, const struct scale_layout *s)
{
    if (!check_scales(e, s))
        return NULL;
    const int64_t row_blocks = s->rows / 32, steps = s->sf_k / s->sf_per_mma;
    int64_t sharing = 4 / s->sf_per_mma;
    while (steps % sharing != 0)
        sharing /= 2;
    const int64_t cells = steps / sharing, group = tw_mul_sat(4, row_blocks);
    struct draft d;
    tw_draft_empty(&d);
    if (s->pipe_depth > 0)
        tw_draft_push(&d, s->pipe_depth, tw_mul_sat(group, cells), AXIS_TCOL);
    tw_draft_push(&d, row_blocks, 4, AXIS_TCOL);
    tw_draft_push(&d, 32, 1, AXIS_TLANE);
    tw_draft_push(&d, cells, group, AXIS_TCOL);
    tw_draft_push(&d, sharing, s->sf_per_mma, AXIS_TCOL);
    tw_draft_push(&d, s->sf_per_mma, 1, AXIS_TCOL);
    if (s->reuse > 1)
        tw_draft_push(&d, s->reuse, 0, AXIS_TCOL);
    tw_draft_push_replica(&d, 4, 32, AXIS_TLANE);
    return finish_operand(e, &d);
}
