/* Element addresses: a layout and run-time coordinates as an integer expression.
 *
 * offset = sum over shard iters of ((x / inner) mod extent) * stride, the swizzle as exclusive or, plus the view's
 * own offset. Where a range is known, divisions and remainders that change nothing are left out. */
#include "tile/lower.h"

#include "ir/ir_walk.h"

#include <assert.h>

struct addressing {
    struct lowering *l;
    struct ir_type type; /* of the arithmetic: int32 where the storage's elements can be counted in it */
    struct src_span at;
};

static struct ir_expr *number(const struct addressing *a, int64_t value)
{
    return tw_ir_const_int(a->l->k, a->type, value, a->at);
}

static struct ir_expr *combine(const struct addressing *a, enum ir_op op, struct ir_expr *x, int64_t c)
{
    return tw_ir_binary(a->l->k, op, x, number(a, c), a->at);
}

static struct ir_expr *plus(const struct addressing *a, struct ir_expr *x, struct ir_expr *y)
{
    return x == NULL ? y : y == NULL ? x : tw_ir_binary(a->l->k, IR_ADD, x, y, a->at);
}

/* (x / inner) mod extent; the first iter of a dimension is not reduced. */
static struct ir_expr *digit(const struct addressing *a, struct ir_expr *x, int64_t inner, int64_t extent, bool first)
{
    struct ir_expr *d = combine(a, IR_FLOORDIV, x, inner);
    const struct ir_range r = tw_ir_range_of(a->l->k, d);
    const bool within = r.low >= 0 && r.high < extent;
    return first || within ? d : combine(a, IR_FLOORMOD, d, extent);
}

/* The part of the offset that one dimension gives: iters [from, to) split its coordinate. */
static struct ir_expr *dimension(const struct addressing *a, const struct layout *layout, uint32_t from, uint32_t to,
                                 const struct ir_expr *x)
{
    struct ir_expr *sum = NULL;
    int64_t inner = 1;
    for (uint32_t i = from; i < to; i++)
        inner *= layout->shard[i].extent;
    for (uint32_t i = from; i < to; i++) {
        const struct iter *it = &layout->shard[i];
        inner /= it->extent;
        if (it->extent == 1 || it->stride == 0)
            continue;
        struct ir_expr *own = tw_ir_expr_copy(a->l->k, x, NULL);
        sum = plus(a, sum, combine(a, IR_MUL, digit(a, own, inner, it->extent, i == from), it->stride));
    }
    return sum;
}

/* x = *x + c: the constant of a sum, so that it can become the immediate of an address. */
static int64_t take_constant(const struct addressing *a, struct ir_expr **x)
{
    struct ir_expr *e = *x;
    int64_t c = 0, more;
    while (e->op == IR_ADD && tw_ir_is_const_int(e->args[1], &more)) {
        c += more;
        e = e->args[0];
    }
    while (e->op == IR_ADD && tw_ir_is_const_int(e->args[0], &more)) {
        c += more;
        e = e->args[1];
    }
    if (tw_ir_is_const_int(e, &more)) {
        c += more;
        e = number(a, 0);
    }
    *x = e;
    return c;
}

/* The iter that alone gives a dimension its place; NULL if there are more. */
static const struct iter *only_iter(const struct layout *layout, uint32_t from, uint32_t to)
{
    const struct iter *only = NULL;
    for (uint32_t i = from; i < to; i++) {
        if (layout->shard[i].extent == 1)
            continue;
        if (only != NULL)
            return NULL;
        only = &layout->shard[i];
    }
    return only;
}

static struct ir_expr *start(const struct addressing *a, const struct ir_region *r, uint32_t d)
{
    if (r->start[d] == NULL)
        return number(a, 0);
    return tw_ir_cast(a->l->k, a->type, tw_ir_expr_copy(a->l->k, r->start[d], NULL), a->at);
}

/* Layouts that do not split along the dimensions take the flat index. */
static struct ir_expr *by_flat_index(const struct addressing *a, const struct ir_region *r, const struct layout *layout)
{
    struct ir_expr *flat = NULL;
    int64_t step = 1;
    for (uint32_t d = r->view->rank; d-- > 0;) {
        flat = plus(a, combine(a, IR_MUL, start(a, r, d), step), flat);
        step *= r->view->shape[d];
    }
    return dimension(a, layout, 0, layout->shard_count, flat == NULL ? number(a, 0) : flat);
}

static struct ir_expr *by_dimensions(const struct addressing *a, const struct ir_region *r, const struct grouping *g)
{
    struct ir_expr *sum = NULL;
    int64_t constant = 0;
    for (uint32_t d = 0; d < r->view->rank; d++) {
        struct ir_expr *x = start(a, r, d);
        const struct iter *only = only_iter(g->layout, g->first[d], g->first[d + 1]);
        if (only != NULL)
            constant += take_constant(a, &x) * only->stride;
        sum = plus(a, sum, dimension(a, g->layout, g->first[d], g->first[d + 1], x));
    }
    return plus(a, sum, number(a, constant));
}

static struct ir_expr *swizzled(const struct addressing *a, const struct swizzle *s, struct ir_expr *m)
{
    if (s->swizzle_len == 0)
        return m;
    const int64_t mask = ((INT64_C(1) << s->swizzle_len) - 1) << s->per_element;
    struct ir_expr *bits = tw_ir_expr_copy(a->l->k, m, NULL);
    if (s->inner)
        bits = combine(a, IR_BITAND, combine(a, IR_SHR, bits, s->atom_len), mask);
    else
        bits = combine(a, IR_SHL, combine(a, IR_BITAND, bits, mask), s->atom_len);
    return tw_ir_binary(a->l->k, IR_BITXOR, m, bits, a->at);
}

static bool addressable(struct lowering *l, const struct ir_region *r)
{
    const struct ir_view *v = r->view;
    const axis_set other = tw_layout_axes(v->layout) & ~AXIS_BIT(AXIS_M);
    if (other == 0 && v->elem.bits % 8 == 0)
        return true;
    struct diag *d = tw_diag(l->diags, E0805, r->at, "an element of '%s' has no address", v->storage->name);
    if (v->elem.bits % 8 != 0)
        tw_diag_found(d, "%s, elements of %u bits", tw_ir_type_name(v->elem), v->elem.bits);
    else
        tw_diag_found(d, "layout %s", tw_layout_text(l->k->arena, v->layout));
    tw_diag_expected(d, "whole bytes, at one place in linear memory");
    l->failed = true;
    return false;
}

/* 32-bit arithmetic where no byte of the storage is out of its reach and no index is wider. */
static struct ir_type arithmetic(const struct ir_region *r)
{
    const struct ir_storage *s = r->view->storage;
    bool wide = s->elems < 0 || s->elems > INT32_MAX / (s->elem.bits < 8 ? 1 : s->elem.bits / 8);
    for (uint32_t d = 0; d < r->view->rank; d++)
        wide = wide || (r->start[d] != NULL && r->start[d]->type.bits == 64);
    return wide ? tw_ir_type_of(NUM_S64) : tw_ir_int32();
}

struct ir_expr *tw_lower_offset(struct lowering *l, const struct ir_region *r)
{
    const struct ir_view *v = r->view;
    if (!addressable(l, r))
        return NULL;
    const struct addressing a = {l, arithmetic(r), r->at};
    const struct layout_env quiet = {.arena = l->k->arena, .at = r->at};
    const struct layout *layout = tw_layout_canonical(&quiet, v->layout);
    struct shape shape = {.rank = v->rank};
    for (uint32_t d = 0; d < v->rank; d++)
        shape.dim[d] = v->shape[d];
    struct grouping g;
    struct ir_expr *m = tw_layout_group(&quiet, layout, &shape, &g) ? by_dimensions(&a, r, &g) : by_flat_index(&a, r, layout);
    m = plus(&a, m, number(&a, layout->offset[AXIS_M]));
    if (layout->swizzled)
        m = swizzled(&a, &layout->swizzle, m);
    return plus(&a, m, number(&a, v->offset));
}

/* ---- flat views ------------------------------------------------------------------------------------- */

static struct ir_view *flat_view(struct lowering *l, struct ir_storage *s, struct ir_type elem)
{
    for (uint32_t i = 0; i < l->flat_views.len; i++)
        if (l->flat_views.at[i]->storage == s && tw_ir_type_equal(l->flat_views.at[i]->elem, elem))
            return l->flat_views.at[i];
    const struct layout_env env = {.arena = l->k->arena, .at = s->at};
    /* Elements that are not counted: the largest that layouts speak of. */
    const int64_t bits = s->elems < 0 ? TW_LAYOUT_MAX : s->elems * s->elem.bits;
    const struct shape shape = {1, {bits / elem.bits > 0 ? bits / elem.bits : 1}};
    struct ir_view *v = tw_ir_view_new(l->k, s, elem, 1, shape.dim, tw_layout_default(&env, &shape), 0, s->at);
    *vec_push(l->k->arena, &l->flat_views) = v;
    return v;
}

struct ir_region *tw_lower_flat(struct lowering *l, const struct ir_region *r, struct ir_expr *offset)
{
    struct ir_region *flat = arena_new(l->k->arena, struct ir_region, 1);
    flat->view = flat_view(l, r->view->storage, r->view->elem);
    flat->start[0] = offset;
    flat->extent[0] = 1;
    flat->at = r->at;
    return flat;
}
