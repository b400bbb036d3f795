/* Layouts: where each element of a tensor is.
 *
 * A layout is a list of shard iters (extent, stride, axis), a list of replica iters, an offset on every axis,
 * and optionally a swizzle of the `m` coordinate. The flat row-major index of an element is split by the shard
 * extents into digits c_k; coordinate a of the element is  sum of c_k * stride_k over the iters on a, + offset_a.
 * With replicas the element has one place for every combination of replica digits.
 *
 * Layouts are immutable and live in the arena of their layout_env. Every operation here is pure.
 * INVARIANT, kept by the one constructor: extents are >= 1; the number of elements times places, and the sum of
 * |stride| * (extent - 1) and |offset| over all iters and axes, stay below TW_LAYOUT_MAX; so evaluation cannot
 * overflow and need not check. */
#ifndef TW_LAYOUT_LAYOUT_H
#define TW_LAYOUT_LAYOUT_H

#include "base/limits.h"
#include "base/text.h"
#include "diag/diag.h"
#include "layout/axis.h"
#include "layout/swizzle.h"

struct shape {
    uint32_t rank;
    int64_t dim[TW_MAX_RANK];
};

struct iter {
    int64_t extent, stride;
    enum axis axis;
};

struct layout {
    uint32_t shard_count, replica_count;
    const struct iter *shard;   /* most significant first; at least one */
    const struct iter *replica; /* order has no meaning */
    int64_t offset[AXIS_COUNT];
    bool swizzled; /* the `m` coordinate goes through `swizzle` (a ComposeLayout) */
    struct swizzle swizzle;
};

/* Where results live and where errors go. With diags == NULL an operation that cannot be done returns NULL
 * or false silently: the way to ask whether it can. */
struct layout_env {
    struct arena *arena;
    struct diags *diags;
    struct src_span at; /* the language expression that asked */
};

/* What a caller that builds a layout from parts hands over. */
struct layout_parts {
    uint32_t shard_count, replica_count;
    const struct iter *shard, *replica;
    int64_t offset[AXIS_COUNT];
    const struct swizzle *swizzle; /* NULL: none */
};

/* ---- shapes ---- */
/* False with a diagnostic when a dimension is < 1, the rank exceeds TW_MAX_RANK or the product TW_LAYOUT_MAX. */
bool tw_shape_check(const struct layout_env *e, const struct shape *s);
bool tw_shape_make(const struct layout_env *e, uint32_t rank, const int64_t *dims, struct shape *out);
bool tw_shape_eq(const struct shape *a, const struct shape *b);
int64_t tw_shape_elems(const struct shape *s); /* of a checked shape */
int64_t tw_shape_flat(const struct shape *s, const int64_t *coord);
void tw_shape_split(const struct shape *s, int64_t flat, int64_t *coord);
void tw_shape_print(const struct shape *s, struct text *out); /* "(128, 64)", "(8,)" */
const char *tw_shape_text(struct arena *arena, const struct shape *s);

/* ---- construction ---- */
/* The axis spelled `name`; AXIS_COUNT after a diagnostic. */
enum axis tw_layout_axis_named(const struct layout_env *e, struct str name);
/* `n @ axis`: a stride, or an offset. */
struct step {
    int64_t value;
    enum axis axis;
};
/* S[extents : strides] or R[...] as iters[extent_count]; false unless there are as many strides as extents. */
bool tw_layout_pair(const struct layout_env *e, uint32_t extent_count, const int64_t *extents, uint32_t stride_count,
                    const struct step *strides, struct iter iters[TW_MAX_ITERS]);
const struct layout *tw_layout_make(const struct layout_env *e, const struct layout_parts *parts);
/* Row-major on `m`: S[shape]. */
const struct layout *tw_layout_default(const struct layout_env *e, const struct shape *shape);
/* Row-major strides of extents on one axis, into iters[rank]; the S[e0, e1, ...] form. */
void tw_layout_row_major(const struct shape *extents, enum axis axis, struct iter *iters);
/* ComposeLayout(M, B, S, tile); tile == NULL gives the bare swizzle, whose tile is S[(period)]. */
const struct layout *tw_layout_compose(const struct layout_env *e, const struct swizzle *s, const struct layout *tile);
/* The layout without its swizzle. */
const struct layout *tw_layout_tile_of(const struct layout_env *e, const struct layout *l);
/* The same layout with `add` added to its offset on `axis`. */
const struct layout *tw_layout_shift(const struct layout_env *e, const struct layout *l, enum axis axis, int64_t add);

/* ---- what it is ---- */
int64_t tw_layout_size(const struct layout *l);     /* elements: product of the shard extents */
int64_t tw_layout_replicas(const struct layout *l); /* places an element has: product of the replica extents */
axis_set tw_layout_axes(const struct layout *l);    /* axes that an iter or a non-zero offset names */
axis_set tw_layout_iter_axes(const struct layout *l); /* axes that a shard or replica iter names */
bool tw_layout_is_bare_swizzle(const struct layout *l);
/* One past the largest coordinate on the axis, before a swizzle: 1 + sum of stride * (extent - 1) + offset
 * (iters of negative stride reach nothing above their first element). */
int64_t tw_layout_span(const struct layout *l, enum axis axis);
/* The same over all memory axes together. */
int64_t tw_layout_span_memory(const struct layout *l);
/* Smallest coordinate on the axis; negative only with negative strides or offsets. */
int64_t tw_layout_low(const struct layout *l, enum axis axis);
/* The memory part alone: what one thread, or the CTA, must hold. */
const struct layout *tw_layout_storage(const struct layout_env *e, const struct layout *l);
/* Elements of linear memory the layout needs: the span on `m`, rounded up to the swizzle's period. */
int64_t tw_layout_alloc_elems(const struct layout *l);
/* The hardware swizzle mode for elements of this width: SWIZZLE_NONE for a plain layout; false when none fits. */
bool tw_layout_swizzle_mode(const struct layout *l, uint32_t elem_bits, enum swizzle_mode *out);

/* ---- evaluation ---- */
/* One value for every axis (0 for axes that are not named), swizzle applied to AXIS_M, replica 0.
 * `flat` is the row-major index of the element, 0 .. size-1. */
void tw_layout_eval(const struct layout *l, int64_t flat, int64_t at[AXIS_COUNT]);
/* Place number `replica`, 0 .. tw_layout_replicas-1. */
void tw_layout_eval_replica(const struct layout *l, int64_t flat, int64_t replica, int64_t at[AXIS_COUNT]);
/* Of a coordinate in a shape of equally many elements. */
void tw_layout_eval_at(const struct layout *l, const struct shape *shape, const int64_t *coord, int64_t at[AXIS_COUNT]);
/* Digits of the iters given directly (apply(i, j) with as many arguments as iters). */
void tw_layout_eval_digits(const struct layout *l, const int64_t *digits, int64_t at[AXIS_COUNT]);
int64_t tw_layout_axis_value(const struct layout *l, int64_t flat, enum axis axis); /* before a swizzle, replica 0 */
/* Element offset in linear memory, and the same before the swizzle. */
int64_t tw_layout_address(const struct layout *l, int64_t flat);
int64_t tw_layout_preswizzle(const struct layout *l, int64_t flat);

/* ---- comparison ---- */
/* Unit iters dropped, neighbours that continue each other merged, replicas in a fixed order. The function is kept. */
const struct layout *tw_layout_canonical(const struct layout_env *e, const struct layout *l);
/* Canonical, and pairs of thread axes rewritten to the axis that combines them (laneid and wid_in_wg to tid_in_wg
 * ...). Only where every coordinate is in its axis's range, so that the places stay the same. */
const struct layout *tw_layout_unify_threads(const struct layout_env *e, const struct layout *l);
/* Equal canonical forms, thread axes unified. */
bool tw_layout_eq(struct arena *scratch, const struct layout *a, const struct layout *b);
/* Equal as functions from flat index to set of places: enumerated. False as well when there is more to compare
 * than TW_MAX_ENUMERATED places in all, or TW_MAX_ENUMERATED_COPIES at one element. */
bool tw_layout_same_function(struct arena *scratch, const struct layout *a, const struct layout *b);
/* Equal apart from offsets. */
bool tw_layout_eq_but_offset(struct arena *scratch, const struct layout *a, const struct layout *b);

/* ---- algebra ---- */
struct grouping {
    const struct layout *layout; /* shard iters refined */
    uint32_t first[TW_MAX_RANK + 1]; /* dim d owns iters first[d] .. first[d+1]-1 */
};
/* Splits the shard iters so that each dim of the shape owns a run of them. */
bool tw_layout_group(const struct layout_env *e, const struct layout *l, const struct shape *shape, struct grouping *out);
/* Iter k of the result is iter order[k]. */
const struct layout *tw_layout_permute_iters(const struct layout_env *e, const struct layout *l, const uint32_t *order);
/* Groups instead of iters; `rank` groups. */
const struct layout *tw_layout_permute_groups(const struct layout_env *e, const struct grouping *g, uint32_t rank,
                                              const uint32_t *order);
/* Dims of a shape: canonicalise, group, permute. */
const struct layout *tw_layout_permute(const struct layout_env *e, const struct layout *l, const struct shape *shape,
                                       const uint32_t *order);
/* Elements n times narrower / wider. The strides of the element axis scale (`TCol` in tensor memory, else `m`),
 * so does the swizzle's unit. */
const struct layout *tw_layout_unpack(const struct layout_env *e, const struct layout *l, int64_t n);
const struct layout *tw_layout_pack(const struct layout_env *e, const struct layout *l, int64_t n);
/* Inserts an iter of stride 0 before iter `position` (0 .. shard_count). */
const struct layout *tw_layout_broadcast(const struct layout_env *e, const struct layout *l, int64_t n, uint32_t position,
                                         enum axis axis);
/* The sub-box [begin, begin + extent) of each dim. */
const struct layout *tw_layout_slice(const struct layout_env *e, const struct layout *l, const struct shape *shape,
                                     const int64_t *begin, const int64_t *extent);
/* Index of dim d = outer * inner_shape[d] + inner; outer strides count spans of the inner layout. */
const struct layout *tw_layout_tile(const struct layout_env *e, const struct layout *inner, const struct shape *inner_shape,
                                    const struct layout *outer, const struct shape *outer_shape);
/* tile with a dense outer of shape to / from. */
const struct layout *tw_layout_tile_to(const struct layout_env *e, const struct layout *l, const struct shape *to,
                                       const struct shape *from);
/* As tile, outer strides not scaled. */
const struct layout *tw_layout_direct_sum(const struct layout_env *e, const struct layout *left,
                                          const struct shape *left_shape, const struct layout *right,
                                          const struct shape *right_shape);

/* The other operand of a tiling or a direct sum, or NULL (silently) when `whole` is not one: the layout that, combined
 * with the given operand, equals `whole`. Shapes have equal ranks; the other operand's shape is whole / given. */
const struct layout *tw_layout_outer_of_tile(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                             const struct layout *inner, const struct shape *inner_shape);
const struct layout *tw_layout_inner_of_tile(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                             const struct layout *outer, const struct shape *outer_shape);
const struct layout *tw_layout_left_of_sum(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                           const struct layout *right, const struct shape *right_shape);
const struct layout *tw_layout_right_of_sum(struct arena *arena, const struct layout *whole, const struct shape *whole_shape,
                                            const struct layout *left, const struct shape *left_shape);

/* ---- printing ---- */
/* In the language's own syntax: S[(8, 4):(4@laneid, 1)] + R[(2):(4@warpid)] + 5@warpid + 64,
 * ComposeLayout(3, 3, 3, TileLayout(S[(8192):(1)])). */
void tw_layout_print(const struct layout *l, struct text *out);
const char *tw_layout_text(struct arena *arena, const struct layout *l);

#endif
