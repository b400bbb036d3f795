/* Regions as matrices, and matrices as the views that tcgen05.mma takes. Nothing moves: both are layouts of the same
 * storage. */
#include "tile/gemm_async.h"

#include "ir/ir_walk.h"

#include <assert.h>

const char *const tw_gemm_names[GEMM_OPERANDS] = {"C", "A", "B", "SFA", "SFB"};

static struct layout_env silent(const struct dispatch_call *c)
{
    return (struct layout_env){.arena = c->arena};
}

/* ---- a region as a matrix ------------------------------------------------------------------------ */

/* The extents of a region, and where it starts as far as that is known. */
struct box {
    struct shape whole, part;
    int64_t begin[TW_MAX_RANK];
};

static struct box box_of(const struct ir_region *r)
{
    struct box b = {.whole.rank = r->view->rank, .part.rank = r->view->rank};
    for (uint32_t d = 0; d < r->view->rank; d++) {
        b.whole.dim[d] = r->view->shape[d];
        b.part.dim[d] = r->extent[d];
        if (r->start[d] == NULL || !tw_ir_is_const_int(r->start[d], &b.begin[d]))
            b.begin[d] = 0;
    }
    return b;
}

static bool moves(const struct ir_region *r, uint32_t d)
{
    return r->start[d] != NULL && r->start[d]->op != IR_CONST && r->view->shape[d] > r->extent[d];
}

/* The one iter that steps dimension d; false if there are several. */
static bool single_iter(const struct grouping *g, uint32_t d, struct iter *out)
{
    uint32_t found = 0;
    for (uint32_t i = g->first[d]; i < g->first[d + 1]; i++)
        if (g->layout->shard[i].extent > 1) {
            *out = g->layout->shard[i];
            found++;
        }
    return found == 1;
}

static bool find_moves(struct dispatch_call *c, enum gemm_operand o, const struct ir_region *r, const struct box *b)
{
    struct gemm_matrix *m = &gemm_of(c)->matrix[o];
    const struct layout_env env = silent(c);
    struct grouping g = {0};
    const bool grouped = tw_layout_group(&env, tw_layout_canonical(&env, r->view->layout), &b->whole, &g);
    for (uint32_t d = 0; d < b->whole.rank; d++) {
        if (!moves(r, d))
            continue;
        struct iter step;
        if (!grouped || !single_iter(&g, d, &step)) {
            tw_dispatch_refuse(c, r->start[d]->at,
                               "operand %s: index %u is known only at run time, and this dimension has no fixed step in %s",
                               tw_gemm_names[o], d, tw_layout_text(c->arena, r->view->layout));
            return false;
        }
        if (m->move_count == GEMM_MAX_MOVES) {
            tw_dispatch_refuse(c, r->start[d]->at, "operand %s: more than %d indices are known only at run time", tw_gemm_names[o],
                               GEMM_MAX_MOVES);
            return false;
        }
        step.extent = b->whole.dim[d] - b->part.dim[d] + 1;
        m->moves[m->move_count++] = (struct gemm_move){r->start[d], step};
    }
    return true;
}

/* The extents above 1: (rows, cols), or (2, rows, cols). False, refused: others. */
static bool matrix_shape(struct dispatch_call *c, enum gemm_operand o, const struct box *b, struct shape *out)
{
    *out = (struct shape){0};
    for (uint32_t d = 0; d < b->part.rank; d++)
        if (b->part.dim[d] > 1 && out->rank < 4)
            out->dim[out->rank++] = b->part.dim[d];
    if (out->rank == 1 && o >= GEMM_SFA)
        out->dim[out->rank++] = 1; /* one factor a row */
    const bool may_fold = o == GEMM_C || (o == GEMM_A && gemm_of(c)->matrix[o].view->storage->scope == IR_TMEM);
    if (out->rank == 2 || (out->rank == 3 && may_fold && out->dim[0] == 2))
        return true;
    tw_dispatch_refuse(c, gemm_of(c)->matrix[o].arg->at, "operand %s of shape %s has not two dimensions above 1%s",
                       tw_gemm_names[o], tw_shape_text(c->arena, &b->part),
                       may_fold ? ", nor is it (2, rows, columns)" : "");
    return false;
}

/* The accumulator as (2, rows, N/2): two halves of the columns. */
static void fold_columns(struct dispatch_call *c, struct gemm_matrix *m, const struct shape *s)
{
    static const uint32_t order[] = {1, 0, 2};
    const struct layout_env env = silent(c);
    m->layout = tw_layout_permute(&env, m->layout, s, order);
    m->rows = s->dim[1];
    m->cols = 2 * s->dim[2];
}

static void set_matrix(struct dispatch_call *c, enum gemm_operand o, const struct shape *s, bool transposed)
{
    static const uint32_t swapped[] = {1, 0};
    struct gemm_matrix *m = &gemm_of(c)->matrix[o];
    const struct layout_env env = silent(c);
    m->banks = 1;
    if (s->rank == 3 && o == GEMM_C) {
        fold_columns(c, m, s);
        return;
    }
    if (s->rank == 3)
        m->banks = 2;
    m->rows = s->dim[s->rank - 2];
    m->cols = s->dim[s->rank - 1];
    if (!transposed || s->rank == 3)
        return;
    m->layout = tw_layout_permute(&env, m->layout, s, swapped);
    m->rows = s->dim[1];
    m->cols = s->dim[0];
}

void tw_gemm_matrix(struct dispatch_call *c, enum gemm_operand o, bool transposed)
{
    struct gemm_matrix *m = &gemm_of(c)->matrix[o];
    const struct ir_region *r = m->arg->region;
    const struct layout_env env = silent(c);
    const struct box b = box_of(r);
    struct shape s;
    if (!find_moves(c, o, r, &b) || !matrix_shape(c, o, &b, &s))
        return;
    m->layout = tw_layout_slice(&env, r->view->layout, &b.whole, b.begin, b.part.dim);
    if (m->layout != NULL)
        set_matrix(c, o, &s, transposed);
    if (m->layout == NULL)
        tw_dispatch_refuse(c, m->arg->at, "operand %s: the layout %s has no such part", tw_gemm_names[o],
                           tw_layout_text(c->arena, r->view->layout));
}

/* ---- a matrix as the view of a tile operation ------------------------------------------------------ */

/* How the dimensions are split, outermost first, and in which order the pieces follow. `atom` pieces at the end are one
 * instruction's. */
struct split {
    struct shape shape;
    uint32_t order[8];
    struct shape view; /* repeats, then the atom */
};

static void piece(struct split *s, int64_t extent)
{
    s->shape.dim[s->shape.rank++] = extent;
}

/* Rows as (M_rep, m); columns as (K_rep, k), K_rep before m. */
static struct split split_by_k(const struct gemm_matrix *m, int64_t row_reps, int64_t k_reps)
{
    static const uint32_t order[] = {1, 3, 0, 2, 4};
    struct split s = {0};
    const int64_t rows = m->rows / row_reps, cols = m->cols / k_reps;
    piece(&s, m->banks);
    piece(&s, row_reps);
    piece(&s, rows);
    piece(&s, k_reps);
    piece(&s, cols);
    for (uint32_t i = 0; i < 5; i++)
        s.order[i] = order[i];
    s.view = (struct shape){.rank = 2, .dim = {row_reps, k_reps}};
    if (m->banks > 1)
        s.view.dim[s.view.rank++] = m->banks;
    s.view.dim[s.view.rank++] = rows;
    s.view.dim[s.view.rank++] = cols;
    return s;
}

/* In a pair an instruction takes n / 2 columns from each CTA's B: its columns are n / 2 of the first half of C and
 * n / 2 of the second. SOURCE: PTX ISA, tcgen05.mma, matrix fragments of a CTA pair. */
static struct split split_c(const struct gemm_matrix *m, const struct gemm *f)
{
    static const uint32_t order[] = {0, 3, 1, 2, 4};
    struct split s = {0};
    const int64_t rows = m->rows / f->m_reps;
    piece(&s, f->m_reps);
    piece(&s, rows);
    piece(&s, f->cta_group);
    piece(&s, f->n_reps);
    piece(&s, f->n_step / f->cta_group);
    for (uint32_t i = 0; i < 5; i++)
        s.order[i] = order[i];
    s.view = (struct shape){.rank = 4, .dim = {f->m_reps, f->n_reps, rows, f->n_step}};
    return s;
}

/* Rows of SFB as the columns of C; its factors as K steps. More rows than N are padding. */
static struct split split_sfb(const struct gemm_matrix *m, const struct gemm *f)
{
    static const uint32_t order[] = {1, 3, 0, 2, 4};
    struct split s = {0};
    piece(&s, f->cta_group);
    piece(&s, f->n_reps);
    piece(&s, f->n_step / f->cta_group);
    piece(&s, f->k_reps);
    piece(&s, m->cols / f->k_reps);
    for (uint32_t i = 0; i < 5; i++)
        s.order[i] = order[i];
    s.view = (struct shape){.rank = 4, .dim = {f->n_reps, f->k_reps, f->n_step, m->cols / f->k_reps}};
    return s;
}

static struct split split_of(const struct gemm *f, enum gemm_operand o)
{
    const struct gemm_matrix *m = &f->matrix[o];
    if (o == GEMM_C)
        return split_c(m, f);
    if (o == GEMM_SFB)
        return split_sfb(m, f);
    return split_by_k(m, o == GEMM_B ? f->n_reps : f->m_reps, f->k_reps);
}

/* The rows that are used. */
static const struct layout *used_rows(struct dispatch_call *c, enum gemm_operand o)
{
    const struct gemm *f = gemm_of(c);
    const struct gemm_matrix *m = &f->matrix[o];
    const int64_t used = f->n_reps * f->n_step, begin[] = {0, 0}, extent[] = {used, m->cols};
    const struct shape whole = {2, {m->rows, m->cols}};
    const struct layout_env env = silent(c);
    return o == GEMM_SFB && used < m->rows ? tw_layout_slice(&env, m->layout, &whole, begin, extent) : m->layout;
}

static const struct layout *split_layout(struct dispatch_call *c, enum gemm_operand o, struct split *s)
{
    const struct layout_env env = silent(c);
    const struct layout *l = used_rows(c, o);
    *s = split_of(gemm_of(c), o);
    return l == NULL ? NULL : tw_layout_permute(&env, l, &s->shape, s->order);
}

const struct layout *tw_gemm_first(struct dispatch_call *c, enum gemm_operand o)
{
    struct split s;
    const struct layout_env env = silent(c);
    const struct layout *l = split_layout(c, o, &s);
    const int64_t begin[TW_MAX_RANK] = {0};
    int64_t extent[TW_MAX_RANK] = {1, 1};
    for (uint32_t d = 2; d < s.view.rank; d++)
        extent[d] = s.view.dim[d];
    return l == NULL ? NULL : tw_layout_slice(&env, l, &s.view, begin, extent);
}

/* The layout with a dimension for each run-time start in front, so that an index of the view moves it. */
static const struct layout *with_moves(struct dispatch_call *c, const struct gemm_matrix *m, const struct layout *l)
{
    const struct layout_env env = silent(c);
    struct iter shard[TW_MAX_ITERS];
    struct layout_parts parts = {.shard_count = m->move_count + l->shard_count,
                                 .shard = shard,
                                 .replica = l->replica,
                                 .replica_count = l->replica_count,
                                 .swizzle = l->swizzled ? &l->swizzle : NULL};
    if (parts.shard_count > TW_MAX_ITERS)
        return NULL;
    for (uint32_t i = 0; i < m->move_count; i++)
        shard[i] = m->moves[i].step;
    for (uint32_t i = 0; i < l->shard_count; i++)
        shard[m->move_count + i] = l->shard[i];
    for (int a = 0; a < AXIS_COUNT; a++)
        parts.offset[a] = l->offset[a];
    return tw_layout_make(&env, &parts);
}

struct ir_region *tw_gemm_region(struct dispatch_call *c, enum gemm_operand o, uint32_t batches)
{
    const struct gemm_matrix *m = &gemm_of(c)->matrix[o];
    struct split s;
    const struct layout *l = split_layout(c, o, &s);
    if (l != NULL && m->move_count > 0)
        l = with_moves(c, m, l);
    if (l == NULL)
        return NULL;
    const uint32_t lead = batches - m->move_count; /* of extent 1 */
    int64_t dims[TW_MAX_RANK];
    assert(batches + s.view.rank <= TW_MAX_RANK);
    for (uint32_t i = 0; i < batches; i++)
        dims[i] = i < lead ? 1 : m->moves[i - lead].step.extent;
    for (uint32_t d = 0; d < s.view.rank; d++)
        dims[batches + d] = s.view.dim[d];
    struct ir_view *view =
        tw_ir_view_new(c->k, m->view->storage, m->view->elem, batches + s.view.rank, dims, l, m->view->offset, m->arg->at);
    struct ir_region *r = tw_ir_region_whole(c->k, view, m->arg->at);
    for (uint32_t i = 0; i < batches; i++) {
        r->extent[i] = 1;
        if (i >= lead)
            r->start[i] = tw_ir_expr_copy(c->k, m->moves[i - lead].start, NULL);
    }
    return r;
}
