/* Reporting for this room: one diagnostic, or silence when the caller only asked. */
#ifndef TW_LAYOUT_REFUSE_H
#define TW_LAYOUT_REFUSE_H

#include "layout/layout.h"

struct refusal {
    enum diag_code code;
    const char *message, *expected, *found, *fix, *spec; /* all but the message may be NULL */
};

/* Always false, so that a check can return it. */
bool tw_layout_refuse(const struct layout_env *e, const struct refusal *r);

/* The refusals that several operations share. Always false. */
bool tw_layout_refuse_iters(const struct layout_env *e, uint32_t count);
bool tw_layout_refuse_size(const struct layout_env *e, const struct layout *l, const struct shape *shape);
bool tw_layout_refuse_order(const struct layout_env *e, uint32_t count, const char *found);

#define REFUSE(env, ...) tw_layout_refuse((env), &(const struct refusal){__VA_ARGS__})

#endif
