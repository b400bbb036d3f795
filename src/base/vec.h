/* Growable arrays over an arena. A vector is a plain struct; elements are read as v.at[i].
 *
 *     VEC(uint32_t) ids = {0};
 *     *vec_push(arena, &ids) = 7;
 *
 * Growing leaves the old array in the arena: pointers to elements stay readable but
 * stale, so keep indices, not pointers. */
#ifndef TW_BASE_VEC_H
#define TW_BASE_VEC_H

#include "base/arena.h"

#define VEC(type)         \
    struct {              \
        type *at;         \
        uint32_t len, cap; \
    }

/* Grows *v (a VEC) by one zeroed element and yields a pointer to it. */
#define vec_push(arena, v)                                                                              \
    ((v)->at = tw_vec_room((arena), (v)->at, (v)->len, &(v)->cap, sizeof *(v)->at), &(v)->at[(v)->len++])

/* Makes room for `more` elements at once: one allocation in place of one a doubling. */
#define vec_reserve(arena, v, more) \
    ((v)->at = tw_vec_reserve((arena), (v)->at, (v)->len, &(v)->cap, (more), sizeof *(v)->at))

/* Room for one more element, or for several; returns the (possibly moved) array. */
void *tw_vec_room(struct arena *a, void *at, uint32_t len, uint32_t *cap, size_t elem_bytes);
void *tw_vec_reserve(struct arena *a, void *at, uint32_t len, uint32_t *cap, uint32_t more, size_t elem_bytes);

#endif
