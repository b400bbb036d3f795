#include "base/vec.h"

#include <string.h>

void *tw_vec_room(struct arena *a, void *at, uint32_t len, uint32_t *cap, size_t elem_bytes)
{
    if (len < *cap)
        return at;
    if (len >= UINT32_MAX / 2)
        tw_land(a->landing, LANDING_MEMORY, NULL);
    *cap = *cap < 8 ? 8 : *cap * 2;
    void *grown = tw_arena_alloc(a, *cap, elem_bytes);
    if (len != 0)
        memcpy(grown, at, len * elem_bytes);
    return grown;
}
