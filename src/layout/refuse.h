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

#define REFUSE(env, ...) tw_layout_refuse((env), &(const struct refusal){__VA_ARGS__})

#endif
