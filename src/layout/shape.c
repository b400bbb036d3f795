/* Shapes: extents of a tensor's dimensions and row-major indices into them. */
#include "layout/draft.h"
#include "layout/refuse.h"

#include <assert.h>

bool tw_shape_check(const struct layout_env *e, const struct shape *s)
{
    if (s->rank == 0 || s->rank > TW_MAX_RANK)
        return REFUSE(e, s->rank == 0 ? E0302 : E0303, .message = "a shape has the wrong number of dimensions",
                      .expected = tw_format(e->arena, "1 to %d", TW_MAX_RANK), .found = tw_format(e->arena, "%u", s->rank));
    int64_t elems = 1;
    for (uint32_t d = 0; d < s->rank; d++) {
        if (s->dim[d] < 1)
            return REFUSE(e, E0302, .message = "a shape has an empty dimension", .expected = "extents of at least 1",
                          .found = tw_format(e->arena, "extent %lld of dimension %u", (long long)s->dim[d], d));
        elems = tw_mul_sat(elems, s->dim[d]);
    }
    if (elems >= TW_LAYOUT_MAX)
        return REFUSE(e, E0303, .message = "a shape is too large", .expected = "fewer than 2**48 elements",
                      .found = tw_shape_text(e->arena, s));
    return true;
}

bool tw_shape_make(const struct layout_env *e, uint32_t rank, const int64_t *dims, struct shape *out)
{
    struct shape s = {.rank = rank};
    for (uint32_t d = 0; d < rank && d < TW_MAX_RANK; d++)
        s.dim[d] = dims[d];
    if (!tw_shape_check(e, &s))
        return false;
    *out = s;
    return true;
}

bool tw_shape_eq(const struct shape *a, const struct shape *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->dim[d] != b->dim[d])
            return false;
    return true;
}

int64_t tw_shape_elems(const struct shape *s)
{
    int64_t elems = 1;
    for (uint32_t d = 0; d < s->rank; d++)
        elems *= s->dim[d];
    return elems;
}

int64_t tw_shape_flat(const struct shape *s, const int64_t *coord)
{
    int64_t flat = 0;
    for (uint32_t d = 0; d < s->rank; d++) {
        assert(coord[d] >= 0 && coord[d] < s->dim[d]);
        flat = flat * s->dim[d] + coord[d];
    }
    return flat;
}

void tw_shape_split(const struct shape *s, int64_t flat, int64_t *coord)
{
    for (uint32_t d = s->rank; d-- > 0;) {
        coord[d] = flat % s->dim[d];
        flat /= s->dim[d];
    }
}

void tw_shape_print(const struct shape *s, struct text *out)
{
    tw_text_put(out, '(');
    for (uint32_t d = 0; d < s->rank && d < TW_MAX_RANK; d++)
        tw_text_addf(out, "%s%lld", d == 0 ? "" : ", ", (long long)s->dim[d]);
    tw_text_add(out, s->rank == 1 ? ",)" : ")");
}

const char *tw_shape_text(struct arena *arena, const struct shape *s)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_shape_print(s, &t);
    return t.at;
}
