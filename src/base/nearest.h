/* The name that was meant, for "did you mean". */
#ifndef TW_BASE_NEAREST_H
#define TW_BASE_NEAREST_H

#include "base/str.h"

enum { NEAREST_EDITS = 3 }; /* beyond three edits, a name is another word */

struct nearest {
    struct str wanted;
    uint32_t edits;   /* of `name`; at first one more than any candidate may need */
    const char *name; /* the first of the nearest so far, or NULL */
};

static inline struct nearest nearest_to(struct str wanted)
{
    return (struct nearest){.wanted = wanted, .edits = NEAREST_EDITS + 1};
}

void tw_nearest_consider(struct nearest *n, const char *candidate);

#endif
