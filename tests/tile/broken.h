/* Operands that break one rule each, for the tests of error texts. Every one is a near twin of a legal operand. */
#ifndef TW_TESTS_TILE_BROKEN_H
#define TW_TESTS_TILE_BROKEN_H

#include "tile/kernels.h"

/* One line of source that every position points into. */
static const char source_text[] = "apply(op, D, A, B, C, parameter)  declaration  condition\n";

static inline struct src_span word(struct bench_room *room, const char *text)
{
    static const char *const name = "k.py";
    const uint32_t file = room->sources.files.len > 1 ? 1 : tw_sources_add(&room->sources, name, tw_str(source_text));
    const char *at = strstr(source_text, text);
    assert_non_null(at);
    const uint32_t begin = (uint32_t)(at - source_text);
    return (struct src_span){file, begin, begin + (uint32_t)strlen(text)};
}

static inline void place_operands(struct bench_room *room, struct ir_tile *t)
{
    static const char *const names[] = {"D", "A", "B", "C"};
    t->opcode_at = word(room, "op");
    for (uint32_t i = 0; i < t->operand_count; i++)
        t->operands[i].at = word(room, names[i]);
    for (uint32_t i = 0; i < t->param_count; i++)
        t->params[i].at = word(room, "parameter");
}

static inline struct ir_region *region(struct draft *d, const struct tensor *t)
{
    return tw_ir_region_whole(d->k, draft_view(d, t), d->at);
}

/* ---- tcgen05.mma ---------------------------------------------------------------------------------- */

static inline struct ir_region *tmem_b(struct tensor_mma *s)
{
    struct tensor b = draft_tensor(&s->d, "bt", IR_TMEM, NUM_F16, DIMS(64, 64), SHARD(&s->d, {64, 1, AXIS_TLANE}, {64, 1, AXIS_TCOL}));
    b.storage->base = use(&s->d, s->tid);
    b.storage->at = word(s->d.room, "declaration");
    b = reshape(&s->d, rearrange(&s->d, b, "n (r k) -> r n k", "k", 16), DIMS(1, 4, 64, 16));
    return region(&s->d, &b);
}

static inline struct ir_region *two_k_steps(struct tensor_mma *s)
{
    struct tensor b = draft_tensor(&s->d, "short", IR_SHARED, NUM_F16, DIMS(64, 32), shared_layout(&s->d, 16, SWIZZLE_64B, DIMS(64, 32)));
    b.storage->align_bytes = 1024;
    b = reshape(&s->d, rearrange(&s->d, b, "n (r k) -> r n k", "k", 16), DIMS(1, 2, 64, 16));
    return region(&s->d, &b);
}

/* Rows of 128 bytes in groups of eight; the third group of rows stands 1024 bytes too far. */
static inline struct ir_region *gap_in_b(struct tensor_mma *s)
{
    const struct layout_env env = draft_env(&s->d);
    struct swizzle w;
    assert_true(tw_swizzle_of_mode(SWIZZLE_128B, 16, &w));
    const struct layout *tile_layout = SHARD(&s->d, M_(4, 1536), M_(2, 512), M_(8, 64), M_(64, 1));
    struct tensor b = draft_tensor(&s->d, "gap", IR_SHARED, NUM_F16, DIMS(64, 64), tw_layout_compose(&env, &w, tile_layout));
    b.storage->align_bytes = 1024;
    b.storage->at = word(s->d.room, "declaration");
    b = reshape(&s->d, rearrange(&s->d, b, "n (r k) -> r n k", "k", 16), DIMS(1, 4, 64, 16));
    return region(&s->d, &b);
}

/* Groups of eight rows 8 bytes apart: no multiple of 16. */
static inline struct ir_region *narrow_b(struct tensor_mma *s)
{
    struct tensor b = draft_tensor(&s->d, "narrow", IR_SHARED, NUM_F16, DIMS(64, 64), SHARD(&s->d, M_(8, 4), M_(8, 8), M_(64, 1)));
    b.storage->align_bytes = 1024;
    b = reshape(&s->d, rearrange(&s->d, b, "n (r k) -> r n k", "k", 16), DIMS(1, 4, 64, 16));
    return region(&s->d, &b);
}

static inline struct ir_region *odd_swizzle(struct tensor_mma *s)
{
    const struct layout_env env = draft_env(&s->d);
    const struct swizzle w = {.per_element = 3, .swizzle_len = 2, .atom_len = 4, .inner = true};
    struct tensor b = draft_tensor(&s->d, "odd", IR_SHARED, NUM_F16, DIMS(64, 64), tw_layout_compose(&env, &w, SHARD(&s->d, M_(4096, 1))));
    b.storage->align_bytes = 1024;
    b = reshape(&s->d, rearrange(&s->d, b, "n (r k) -> r n k", "k", 16), DIMS(1, 4, 64, 16));
    return region(&s->d, &b);
}

/* Columns where rows belong: element (1, 0) one column on. */
static inline struct ir_region *transposed_d(struct tensor_mma *s)
{
    const struct layout *l = SHARD(&s->d, {2, 64, AXIS_TLANE}, {64, 1, AXIS_TCOL}, {64, 1, AXIS_TLANE});
    struct tensor t = draft_tensor(&s->d, "across", IR_TMEM, NUM_F32, DIMS(1, 1, 128, 64), l);
    t.storage->base = use(&s->d, s->tid);
    t.storage->at = word(s->d.room, "declaration");
    return region(&s->d, &t);
}

static inline struct ir_region *shifted_d(struct tensor_mma *s)
{
    const struct layout_env env = draft_env(&s->d);
    const struct layout *l = tw_layout_shift(&env, SHARD(&s->d, {128, 1, AXIS_TLANE}, {64, 1, AXIS_TCOL}), AXIS_TLANE, 16);
    struct tensor t = draft_tensor(&s->d, "shifted", IR_TMEM, NUM_F32, DIMS(1, 1, 128, 64), l);
    t.storage->base = use(&s->d, s->tid);
    return region(&s->d, &t);
}

/* ---- tcgen05.ld ------------------------------------------------------------------------------------ */

/* Warp w looks at the lanes of warp 3 - w. */
static inline struct ir_region *rotated_quadrants(struct tensor_mma *s)
{
    const struct layout_env env = draft_env(&s->d);
    const struct layout *l = SHARD(&s->d, {4, -32, AXIS_TLANE}, {32, 1, AXIS_TLANE}, {64, 1, AXIS_TCOL});
    struct tensor t = draft_tensor(&s->d, "turned", IR_TMEM, NUM_F32, DIMS(4, 32, 64), tw_layout_shift(&env, l, AXIS_TLANE, 96));
    t.storage->base = use(&s->d, s->tid);
    return region(&s->d, &t);
}

static inline struct ir_region *half_width(struct tensor_mma *s)
{
    struct tensor t = draft_tensor(&s->d, "half", IR_LOCAL, NUM_F16, DIMS(4, 32, 64), SHARD(&s->d, {128, 1, AXIS_TID_IN_WG}, M_(64, 1)));
    return region(&s->d, &t);
}

/* ---- mma.sync --------------------------------------------------------------------------------------- */

/* Rows by lane % 4 and words by lane / 4: the transpose of the fragment. */
static inline struct ir_region *swapped_a(struct warp_mma *s)
{
    struct tensor a = relayout(&s->d, s->ar, SHARD(&s->d, M_(1, 8), M_(2, 4), M_(2, 1), LANE_(8, 1), M_(2, 2), LANE_(4, 8)),
                               DIMS(1, 2, 16, 8));
    return region(&s->d, &a);
}

static inline struct ir_region *shared_slots(struct warp_mma *s)
{
    struct tensor d = relayout(&s->d, s->dr, SHARD(&s->d, M_(2, 1), LANE_(8, 4), LANE_(4, 1), M_(2, 1)), DIMS(1, 1, 16, 8));
    return region(&s->d, &d);
}

static inline struct ir_region *undistributed_b(struct warp_mma *s)
{
    struct tensor b = draft_tensor(&s->d, "whole", IR_LOCAL, NUM_U32, DIMS(1, 2, 8, 8), NULL);
    return region(&s->d, &b);
}

static inline struct ir_region *half_a(struct warp_mma *s)
{
    struct tensor a = draft_tensor(&s->d, "halves", IR_LOCAL, NUM_F16, DIMS(1, 2, 16, 8), NULL);
    return region(&s->d, &a);
}

/* mma.sync inside `if lane < limit`. */
static inline struct warp_mma guarded_mma(struct bench_room *room, enum ir_op op, int64_t limit)
{
    struct warp_mma s = warp_mma_head(room);
    struct ir_expr *condition = binary(&s.d, op, use(&s.d, s.d.k->vars.at[0]), num(&s.d, limit));
    condition->at = word(room, "condition");
    when(&s.d, condition);
    warp_mma_mma(&s, scalar(typed(&s.d, tw_ir_float32(), 0)));
    return s;
}

/* Three warps, the second held back: cta scope has no range of warps. */
static inline struct warp_mma cta_mma_without_warp_1(struct bench_room *room)
{
    struct warp_mma s = warp_mma_head(room);
    s.d.k->launch.block[0] = 96;
    when(&s.d, binary(&s.d, IR_NE, tw_ir_coord(s.d.k, IR_WARP_ID, nowhere), num(&s.d, 1)));
    warp_mma_mma(&s, scalar(typed(&s.d, tw_ir_float32(), 0)));
    s.mma->scope = IR_CTA_SCOPE;
    return s;
}

/* ar[x] = 0 with x read from memory, before ar is an operand. */
static inline struct warp_mma run_time_slot(struct bench_room *room)
{
    struct warp_mma s = warp_mma_head(room);
    struct ir_expr *x = tw_ir_load(s.d.k, AT(&s.d, s.A, num(&s.d, 0), num(&s.d, 0), num(&s.d, 0), num(&s.d, 0)), word(room, "condition"));
    store(&s.d, AT(&s.d, s.ar, x), typed(&s.d, tw_ir_uint32(), 0));
    warp_mma_mma(&s, scalar(typed(&s.d, tw_ir_float32(), 0)));
    return s;
}

/* 300 x 300 repeats of stride 0. */
static inline struct warp_mma many_repeats(struct bench_room *room)
{
    struct warp_mma s = warp_mma_head(room);
    struct draft *d = &s.d;
    s.av = relayout(d, s.ar, SHARD(d, M_(300, 0), M_(1, 0), M_(2, 1), LANE_(8, 4), M_(2, 2), LANE_(4, 1)), DIMS(300, 1, 16, 8));
    s.bv = relayout(d, s.br, SHARD(d, M_(300, 0), M_(1, 0), LANE_(8, 4), M_(2, 1), LANE_(4, 1)), DIMS(300, 1, 8, 8));
    s.dv = relayout(d, s.dr, SHARD(d, M_(300, 0), M_(300, 0), M_(2, 2), LANE_(8, 4), LANE_(4, 1), M_(2, 1)), DIMS(300, 300, 16, 8));
    warp_mma_mma(&s, scalar(typed(d, tw_ir_float32(), 0)));
    return s;
}

/* ---- other forms -------------------------------------------------------------------------------------- */

/* The MMA of seed 000 with another opcode, A and B of another dtype and K. */
static inline struct tensor_mma other_kind(struct bench_room *room, const char *opcode, enum num_format format, int64_t k)
{
    struct tensor_mma s = tensor_mma_kernel(room);
    const uint32_t bits = tw_num_bits(format);
    struct tensor a = draft_tensor(&s.d, "ka", IR_SHARED, format, DIMS(128, k), shared_layout(&s.d, bits, SWIZZLE_32B, DIMS(128, k)));
    struct tensor b = draft_tensor(&s.d, "kb", IR_SHARED, format, DIMS(64, k), shared_layout(&s.d, bits, SWIZZLE_32B, DIMS(64, k)));
    a = reshape(&s.d, a, DIMS(1, 1, 128, k));
    b = reshape(&s.d, b, DIMS(1, 1, 64, k));
    a.storage->align_bytes = b.storage->align_bytes = 1024;
    s.mma->opcode = opcode;
    s.mma->operands[1].region = region(&s.d, &a);
    s.mma->operands[2].region = region(&s.d, &b);
    s.mma->params[0] = shape_param(&s.d, 128, 64, k);
    return s;
}

static inline struct ir_region *tmem_a(struct tensor_mma *s, int64_t rows)
{
    struct tensor a = draft_tensor(&s->d, "at", IR_TMEM, NUM_F16, DIMS(rows, 64), SHARD(&s->d, {rows, 1, AXIS_TLANE}, {64, 1, AXIS_TCOL}));
    a.storage->base = use(&s->d, s->tid);
    a = reshape(&s->d, rearrange(&s->d, a, "m (r k) -> r m k", "k", 16), DIMS(1, 4, rows, 16));
    return region(&s->d, &a);
}

/* A pair's M 128: each CTA has 64 rows of D, folded over two banks that read two copies of A. */
static inline struct tensor_mma pair_with_tmem_a(struct bench_room *room)
{
    struct tensor_mma s = tensor_mma_kernel(room);
    struct tensor acc = draft_tensor(&s.d, "pair", IR_TMEM, NUM_F32, DIMS(64, 64), operand_layout(&s.d, 'D', 64, 64, 32, 128, 2));
    struct tensor b = draft_tensor(&s.d, "kb", IR_SHARED, NUM_F16, DIMS(32, 64), shared_layout(&s.d, 16, SWIZZLE_128B, DIMS(32, 64)));
    acc.storage->base = use(&s.d, s.tid);
    acc = reshape(&s.d, acc, DIMS(1, 1, 64, 64));
    b = reshape(&s.d, rearrange(&s.d, b, "n (r k) -> r n k", "k", 16), DIMS(1, 4, 32, 16));
    s.mma->opcode = "tcgen05.mma.cta_group::2.kind::f16";
    s.mma->operands[0].region = region(&s.d, &acc);
    s.mma->operands[1].region = tmem_a(&s, 64);
    s.mma->operands[2].region = region(&s.d, &b);
    return s;
}

/* M 64 with D in the upper half of the quadrants and A in the lower. */
static inline struct tensor_mma halves_apart(struct bench_room *room)
{
    struct tensor_mma s = tensor_mma_kernel(room);
    const struct layout_env env = draft_env(&s.d);
    struct tensor acc = draft_tensor(&s.d, "upper", IR_TMEM, NUM_F32, DIMS(64, 64), tw_tmem_datapath_layout(&env, 'F', 64, 64, 1));
    struct tensor a = draft_tensor(&s.d, "lower", IR_TMEM, NUM_F16, DIMS(64, 64), tw_tmem_datapath_layout(&env, 'F', 64, 64, 0));
    acc.storage->base = use(&s.d, s.tid);
    a.storage->base = use(&s.d, s.tid);
    acc = reshape(&s.d, acc, DIMS(1, 1, 64, 64));
    a = reshape(&s.d, rearrange(&s.d, a, "m (r k) -> r m k", "k", 16), DIMS(1, 4, 64, 16));
    s.mma->operands[0].region = region(&s.d, &acc);
    s.mma->operands[1].region = region(&s.d, &a);
    s.mma->params[0] = shape_param(&s.d, 64, 64, 16);
    return s;
}

/* Every lane issues an MMA of its own, the second sixteen at a distance that no step explains. */
static inline struct tensor_mma lanes_without_a_step(struct bench_room *room)
{
    struct tensor_mma s = tensor_mma_head(room);
    struct draft *d = &s.d;
    d->into = &d->k->body;
    const struct layout *apart = SHARD(d, {2, 200, AXIS_TCOL}, {16, 8, AXIS_TCOL}, {128, 1, AXIS_TLANE}, {8, 1, AXIS_TCOL});
    struct tensor acc = draft_tensor(d, "apart", IR_TMEM, NUM_F32, DIMS(32, 1, 1, 128, 8), apart);
    acc.storage->base = use(d, s.tid);
    struct tensor a = draft_tensor(d, "ka", IR_SHARED, NUM_F16, DIMS(128, 16), shared_layout(d, 16, SWIZZLE_NONE, DIMS(128, 16)));
    struct tensor b = draft_tensor(d, "kb", IR_SHARED, NUM_F16, DIMS(8, 16), shared_layout(d, 16, SWIZZLE_NONE, DIMS(8, 16)));
    a.storage->align_bytes = b.storage->align_bytes = 1024;
    a = relayout(d, a, SHARD(d, M_(32, 0), M_(128, 8), M_(2, 1024), M_(8, 1)), DIMS(32, 1, 1, 128, 16));
    b = relayout(d, b, SHARD(d, M_(32, 0), M_(8, 8), M_(2, 64), M_(8, 1)), DIMS(32, 1, 1, 8, 16));
    s.mma = tile(d, "tcgen05.mma.cta_group::1.kind::f16", IR_WARP_SCOPE, ARGS(whole(d, &acc), whole(d, &a), whole(d, &b)), ARGS(shape_param(d, 128, 8, 16)));
    return s;
}

static inline struct warp_mma two_batches(struct bench_room *room)
{
    struct warp_mma s = warp_mma_head(room);
    struct draft *d = &s.d;
    s.av = relayout(d, s.ar, SHARD(d, M_(2, 0), M_(1, 8), M_(2, 4), M_(2, 1), LANE_(8, 4), M_(2, 2), LANE_(4, 1)),
                    DIMS(2, 1, 2, 16, 8));
    warp_mma_mma(&s, scalar(typed(d, tw_ir_float32(), 0)));
    return s;
}

#endif
