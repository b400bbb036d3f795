#include "base/vec.h"

#include <string.h>

void *tw_vec_room(struct arena *a, void *at, uint32_t len, uint32_t *cap, size_t elem_bytes)
{
    return len < *cap ? at : tw_vec_reserve(a, at, len, cap, 1, elem_bytes);
}

void *tw_vec_reserve(struct arena *a, void *at, uint32_t len, uint32_t *cap, uint32_t more, size_t elem_bytes)
{
    if (more <= *cap - len)
        return at;
    if (len >= UINT32_MAX / 2 || more >= UINT32_MAX / 2)
        tw_land(a->landing, LANDING_MEMORY, NULL);
    const uint32_t doubled = *cap < 8 ? 8 : *cap * 2;
    *cap = doubled - len < more ? len + more : doubled;
    void *grown = tw_arena_alloc(a, *cap, elem_bytes);
    if (len != 0)
        memcpy(grown, at, len * elem_bytes);
    return grown;
}
