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
