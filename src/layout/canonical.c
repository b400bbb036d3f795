/* Canonical forms of layouts, and the two kinds of equality. */
#include "layout/draft.h"
#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

/* Appends an iter, or lets the one before absorb it: (e, s*n) over (n, s) is (e*n, s). */
static void push_merged(struct iter *iters, uint32_t *count, struct iter it)
{
    if (*count != 0) {
        struct iter *last = &iters[*count - 1];
        if (last->axis == it.axis && last->stride == tw_mul_sat(it.extent, it.stride)) {
            *last = (struct iter){last->extent * it.extent, it.stride, it.axis};
            return;
        }
    }
    iters[(*count)++] = it;
}

static int compare_replicas(const void *left, const void *right)
{
    const struct iter *a = left, *b = right;
    if (a->axis != b->axis)
        return a->axis < b->axis ? -1 : 1;
    if (a->stride != b->stride) /* wide steps first, as shard iters have them, so that neighbours merge */
        return a->stride > b->stride ? -1 : 1;
    return (a->extent > b->extent) - (a->extent < b->extent);
}

/* A replica iter that does not move adds no place. */
static void canonical_replicas(struct draft *d)
{
    struct iter kept[TW_DRAFT_ITERS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->replica_count; i++)
        if (d->replica[i].extent != 1 && d->replica[i].stride != 0)
            kept[count++] = d->replica[i];
    qsort(kept, count, sizeof *kept, compare_replicas);
    d->replica_count = 0;
    for (uint32_t i = 0; i < count; i++)
        push_merged(d->replica, &d->replica_count, kept[i]);
}

static void canonical_draft(struct draft *d)
{
    const uint32_t count = d->shard_count;
    d->shard_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (d->shard[i].extent != 1)
            push_merged(d->shard, &d->shard_count, d->shard[i]);
    if (d->shard_count == 0) /* the one iter that is kept says nothing: the same for every layout of one element */
        tw_draft_push(d, 1, 1, AXIS_M);
    canonical_replicas(d);
    if (d->swizzled && tw_swizzle_is_identity(&d->swizzle))
        d->swizzled = false;
}

const struct layout *tw_layout_canonical(const struct layout_env *e, const struct layout *l)
{
    struct draft d;
    tw_draft_copy(&d, l);
    canonical_draft(&d);
    return tw_draft_finish(e, &d);
}

/* ---- thread axes ---- */

static void rename_iters(struct iter *iters, uint32_t count, const struct axis_identity *id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (iters[i].axis == id->outer)
            iters[i].stride = tw_mul_sat(iters[i].stride, id->factor);
        if (iters[i].axis == id->outer || iters[i].axis == id->inner)
            iters[i].axis = id->whole;
    }
}

/* Both parts are given, the whole is not, and every inner coordinate is a proper remainder. */
static bool can_unify(const struct layout *l, const struct axis_identity *id)
{
    const axis_set used = tw_layout_axes(l);
    const axis_set parts = AXIS_BIT(id->outer) | AXIS_BIT(id->inner);
    return (used & parts) == parts && (used & AXIS_BIT(id->whole)) == 0 && tw_layout_low(l, id->inner) >= 0 &&
           tw_layout_span(l, id->inner) <= id->factor && tw_layout_low(l, id->outer) >= 0;
}

static const struct layout *unify(const struct layout_env *e, const struct layout *l, const struct axis_identity *id)
{
    struct draft d;
    tw_draft_copy(&d, l);
    rename_iters(d.shard, d.shard_count, id);
    rename_iters(d.replica, d.replica_count, id);
    d.offset[id->whole] = tw_add_sat(tw_mul_sat(d.offset[id->outer], id->factor), d.offset[id->inner]);
    d.offset[id->outer] = d.offset[id->inner] = 0;
    canonical_draft(&d);
    return tw_draft_finish(e, &d);
}

const struct layout *tw_layout_unify_threads(const struct layout_env *e, const struct layout *l)
{
    const struct layout *unified = tw_layout_canonical(e, l);
    for (size_t i = 0; unified != NULL && i < TW_AXIS_IDENTITIES; i++)
        if (can_unify(unified, &tw_axis_identities[i]))
            unified = unify(e, unified, &tw_axis_identities[i]);
    return unified;
}

/* ---- equality ---- */

static bool same_iters(const struct iter *a, uint32_t a_count, const struct iter *b, uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++)
        if (a[i].extent != b[i].extent || a[i].stride != b[i].stride || a[i].axis != b[i].axis)
            return false;
    return true;
}

static bool same_swizzle(const struct layout *a, const struct layout *b)
{
    if (!a->swizzled || !b->swizzled)
        return a->swizzled == b->swizzled;
    return a->swizzle.per_element == b->swizzle.per_element && a->swizzle.swizzle_len == b->swizzle.swizzle_len &&
           a->swizzle.atom_len == b->swizzle.atom_len && a->swizzle.inner == b->swizzle.inner;
}

static bool same_parts(const struct layout *a, const struct layout *b)
{
    return same_iters(a->shard, a->shard_count, b->shard, b->shard_count) &&
           same_iters(a->replica, a->replica_count, b->replica, b->replica_count) && same_swizzle(a, b);
}

bool tw_layout_eq(struct arena *scratch, const struct layout *a, const struct layout *b)
{
    const struct layout_env e = {.arena = scratch};
    const struct layout *ca = tw_layout_unify_threads(&e, a), *cb = tw_layout_unify_threads(&e, b);
    return ca != NULL && cb != NULL && same_parts(ca, cb) && memcmp(ca->offset, cb->offset, sizeof ca->offset) == 0;
}

static const struct layout *without_offset(const struct layout_env *e, const struct layout *l)
{
    struct draft d;
    tw_draft_copy(&d, l);
    memset(d.offset, 0, sizeof d.offset);
    return tw_draft_finish(e, &d);
}

bool tw_layout_eq_but_offset(struct arena *scratch, const struct layout *a, const struct layout *b)
{
    const struct layout_env e = {.arena = scratch};
    const struct layout *oa = without_offset(&e, a), *ob = without_offset(&e, b);
    return oa != NULL && ob != NULL && tw_layout_eq(scratch, oa, ob);
}

/* ---- equality by enumeration ---- */

struct place {
    int64_t at[AXIS_COUNT];
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    for (int i = 0; i < AXIS_COUNT; i++)
        if (a->at[i] != b->at[i])
            return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

/* The distinct places of one element, sorted; returns how many. */
static int64_t places_of(const struct layout *l, int64_t flat, struct place *places)
{
    const int64_t count = tw_layout_replicas(l);
    for (int64_t r = 0; r < count; r++)
        tw_layout_eval_replica(l, flat, r, places[r].at);
    qsort(places, (size_t)count, sizeof *places, compare_places);
    int64_t distinct = 1;
    for (int64_t r = 1; r < count; r++)
        if (compare_places(&places[distinct - 1], &places[r]) != 0)
            places[distinct++] = places[r];
    return distinct;
}

static bool same_places(const struct layout *a, const struct layout *b, struct place *pa, struct place *pb)
{
    const int64_t size = tw_layout_size(a);
    for (int64_t flat = 0; flat < size; flat++) {
        const int64_t count = places_of(a, flat, pa);
        if (places_of(b, flat, pb) != count || memcmp(pa, pb, (size_t)count * sizeof *pa) != 0)
            return false;
    }
    return true;
}

bool tw_layout_same_function(struct arena *scratch, const struct layout *a, const struct layout *b)
{
    const struct layout_env e = {.arena = scratch};
    a = tw_layout_unify_threads(&e, a);
    b = tw_layout_unify_threads(&e, b);
    if (a == NULL || b == NULL || tw_layout_size(a) != tw_layout_size(b) || tw_layout_axes(a) != tw_layout_axes(b))
        return false;
    const int64_t ra = tw_layout_replicas(a), rb = tw_layout_replicas(b), most = ra > rb ? ra : rb;
    if (most > TW_MAX_ENUMERATED_COPIES || tw_layout_size(a) > TW_MAX_ENUMERATED / most)
        return false;
    const struct arena_mark mark = tw_arena_mark(scratch);
    struct place *pa = arena_new(scratch, struct place, (size_t)ra), *pb = arena_new(scratch, struct place, (size_t)rb);
    const bool same = same_places(a, b, pa, pb);
    tw_arena_rewind(scratch, mark);
    return same;
}
