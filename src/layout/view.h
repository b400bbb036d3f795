/* Views of a tensor: other shapes, layouts, widths and sub-boxes of the same storage. No view moves data, and
 * none moves a value to another thread.
 *
 * Each operation takes a view and yields a new one; errors are reported through the layout_env (E03xx) and make
 * the operation return false. A view's address is  base + (elem_offset + layout(x)[m]) * elem_bits / 8. */
#ifndef TW_LAYOUT_VIEW_H
#define TW_LAYOUT_VIEW_H

#include "layout/layout.h"

struct view {
    struct shape shape;
    const struct layout *layout; /* tw_layout_size == elements of shape */
    uint32_t elem_bits;
    int64_t elem_offset; /* in elements of elem_bits, on axis m */
};

/* A tensor as declared; layout == NULL means row-major. False when layout and shape disagree. */
bool tw_view_make(const struct layout_env *e, const struct shape *shape, const struct layout *layout, uint32_t elem_bits,
                  struct view *out);

/* `.view(*dims)`: the same elements in another shape; one dim may be -1. */
bool tw_view_reshape(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *dims, struct view *out);

/* `.view(*dims, layout=L)`: the same storage under another layout; layout == NULL is "default" (row-major).
 * `storage` is the tensor as allocated and bounds the new layout on every memory axis; NULL: not bounded. */
bool tw_view_relayout(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *dims,
                      const struct layout *layout, const struct view *storage, struct view *out);

/* `.view("uint32")`: the same bits in elements of another width. */
bool tw_view_retype(const struct layout_env *e, const struct view *v, uint32_t elem_bits, struct view *out);

/* `.rearrange("m (kr k) -> kr m k", k=16)` */
struct axis_size {
    struct str name;
    int64_t size;
};
bool tw_view_rearrange(const struct layout_env *e, const struct view *v, struct str pattern, const struct axis_size *sizes,
                       uint32_t size_count, struct view *out);

/* `.permute(*order)`; dim k of the result is dim order[k]. */
bool tw_view_permute(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *order,
                     struct view *out);

/* `t[a:b, ...]`: the sub-box; the rank is kept, offsets go into the layout (before a swizzle's XOR). */
bool tw_view_slice(const struct layout_env *e, const struct view *v, const int64_t *begin, const int64_t *extent,
                   struct view *out);

/* `t.sub[...]`: one pick a dim. */
enum pick_kind {
    PICK_INDEX,  /* i: the dim is dropped */
    PICK_RANGE,  /* begin:end */
    PICK_RESIDUE /* begin::step: every step-th element */
};
struct pick {
    enum pick_kind kind;
    int64_t begin, end, step;
};
bool tw_view_sub(const struct layout_env *e, const struct view *v, uint32_t count, const struct pick *picks,
                 struct view *out);

/* `.local(*dims)`: the calling thread's registers in physical order; rank 0 gives one dim. */
bool tw_view_local(const struct layout_env *e, const struct view *v, uint32_t rank, const int64_t *dims, struct view *out);

/* Bit offset from the tensor's base of the element at `coord`, on axis m, swizzle applied. */
int64_t tw_view_bit_offset(const struct view *v, const int64_t *coord);

#endif
