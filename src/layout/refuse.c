#include "layout/refuse.h"

bool tw_layout_refuse(const struct layout_env *e, const struct refusal *r)
{
    if (e->diags == NULL)
        return false;
    struct diag *d = tw_diag(e->diags, r->code, e->at, "%s", r->message);
    if (r->expected != NULL)
        tw_diag_expected(d, "%s", r->expected);
    if (r->found != NULL)
        tw_diag_found(d, "%s", r->found);
    if (r->fix != NULL)
        tw_diag_fix(d, "%s", r->fix);
    if (r->spec != NULL)
        tw_diag_spec(d, "%s", r->spec);
    return false;
}

bool tw_layout_refuse_iters(const struct layout_env *e, uint32_t count)
{
    return REFUSE(e, E0303, .message = "a layout has too many iters", .expected = tw_format(e->arena, "at most %d", TW_MAX_ITERS),
                  .found = tw_format(e->arena, "%u", count));
}

bool tw_layout_refuse_size(const struct layout_env *e, const struct layout *l, const struct shape *shape)
{
    return REFUSE(e, E0305, .message = "a layout and a shape differ in their number of elements",
                  .expected = tw_format(e->arena, "%lld elements, the size of the shape %s",
                                        (long long)tw_shape_elems(shape), tw_shape_text(e->arena, shape)),
                  .found = tw_format(e->arena, "%lld, the size of %s", (long long)tw_layout_size(l),
                                     tw_layout_text(e->arena, l)));
}

bool tw_layout_refuse_order(const struct layout_env *e, uint32_t count, const char *found)
{
    return REFUSE(e, E0309, .message = "the order is not a permutation",
                  .expected = tw_format(e->arena, "each of 0 to %u once", count - 1), .found = found);
}
