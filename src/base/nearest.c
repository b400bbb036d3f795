#include "base/nearest.h"

void tw_nearest_consider(struct nearest *n, const char *candidate)
{
    const uint32_t edits = tw_str_distance(n->wanted, tw_str(candidate));
    if (edits >= n->edits)
        return;
    n->edits = edits;
    n->name = candidate;
}
