/* Kernels built through the IR constructors, for the tests of lowering and emission: the two of the first stage, and
 * what is needed to vary them. */
#ifndef TW_TESTS_TILE_KERNELS_H
#define TW_TESTS_TILE_KERNELS_H

#include "support/check.h"

#include "ir/ir.h"
#include "layout/factory.h"
#include "layout/view.h"

static const struct src_span nowhere = {0, 0, 0};

/* A kernel under construction: statements go to `into`. */
struct draft {
    struct bench_room *room;
    struct ir_kernel *k;
    struct ir_block *into;
    struct src_span at;
};

static inline struct layout_env draft_env(const struct draft *d)
{
    return (struct layout_env){.arena = &d->room->arena, .diags = &d->room->diags, .at = d->at};
}

static inline struct draft draft_new(struct bench_room *room, const char *name, int64_t block)
{
    struct draft d = {.room = room, .k = tw_ir_kernel_new(&room->arena, name, nowhere)};
    d.k->launch = (struct ir_launch){.grid = {1, 1, 1}, .block = {block, 1, 1}};
    d.into = &d.k->body;
    return d;
}

/* ---- tensors ------------------------------------------------------------------------------------- */

/* A tensor: storage, current view. */
struct tensor {
    struct ir_storage *storage;
    struct ir_type elem;
    struct view view;
};

static inline struct tensor draft_tensor(struct draft *d, const char *name, enum ir_scope scope, enum num_format format, uint32_t rank,
                                         const int64_t *dims, const struct layout *layout)
{
    const struct layout_env env = draft_env(d);
    struct tensor t = {.elem = tw_ir_type_of(format)};
    struct shape shape;
    assert_true(tw_shape_make(&env, rank, dims, &shape));
    assert_true(tw_view_make(&env, &shape, layout, t.elem.bits, &t.view));
    t.storage = tw_ir_storage_new(d->k, name, scope, t.elem, tw_layout_alloc_elems(t.view.layout), d->at);
    return t;
}
#define DIMS(...) (uint32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__}

static inline struct ir_view *draft_view(struct draft *d, const struct tensor *t)
{
    return tw_ir_view_new(d->k, t->storage, t->elem, t->view.shape.rank, t->view.shape.dim, t->view.layout, t->view.elem_offset,
                          d->at);
}

static inline struct tensor draft_param(struct draft *d, const char *name, enum num_format format, uint32_t rank, const int64_t *dims)
{
    struct tensor t = draft_tensor(d, name, IR_GLOBAL, format, rank, dims, NULL);
    t.storage->param = (int32_t)d->k->params.len;
    *vec_push(&d->room->arena, &d->k->params) =
        (struct ir_param){.name = name, .tensor = t.storage, .view = draft_view(d, &t), .at = d->at};
    return t;
}

static inline struct tensor reshape(struct draft *d, struct tensor t, uint32_t rank, const int64_t *dims)
{
    const struct layout_env env = draft_env(d);
    assert_true(tw_view_reshape(&env, &t.view, rank, dims, &t.view));
    return t;
}

static inline struct tensor relayout(struct draft *d, struct tensor t, const struct layout *layout, uint32_t rank, const int64_t *dims)
{
    const struct layout_env env = draft_env(d);
    assert_true(tw_view_relayout(&env, &t.view, rank, dims, layout, NULL, &t.view));
    return t;
}

static inline struct tensor rearrange(struct draft *d, struct tensor t, const char *pattern, const char *name, int64_t size)
{
    const struct layout_env env = draft_env(d);
    const struct axis_size sizes[] = {{tw_str(name), size}};
    assert_true(tw_view_rearrange(&env, &t.view, tw_str(pattern), sizes, 1, &t.view));
    return t;
}

/* S[extents : strides @ axes] */
static inline const struct layout *shard(struct draft *d, uint32_t count, const struct iter *iters)
{
    const struct layout_env env = draft_env(d);
    const struct layout_parts parts = {.shard_count = count, .shard = iters};
    return tw_layout_make(&env, &parts);
}
#define SHARD(d, ...) \
    shard((d), (uint32_t)(sizeof((const struct iter[]){__VA_ARGS__}) / sizeof(struct iter)), (const struct iter[]){__VA_ARGS__})
#define M_(e, s) {(e), (s), AXIS_M}
#define LANE_(e, s) {(e), (s), AXIS_LANEID}

/* ---- expressions and statements --------------------------------------------------------------------- */

static inline struct ir_expr *num(struct draft *d, int64_t value)
{
    return tw_ir_const_int(d->k, tw_ir_int32(), value, d->at);
}

static inline struct ir_expr *typed(struct draft *d, struct ir_type type, int64_t value)
{
    return tw_ir_const_int(d->k, type, value, d->at);
}

static inline struct ir_expr *use(struct draft *d, struct ir_var *v)
{
    return tw_ir_var_ref(d->k, v, d->at);
}

static inline struct ir_expr *binary(struct draft *d, enum ir_op op, struct ir_expr *a, struct ir_expr *b)
{
    return tw_ir_binary(d->k, op, a, b, d->at);
}

static inline struct ir_region *element(struct draft *d, const struct tensor *t, struct ir_expr *const *index)
{
    struct ir_region *r = tw_ir_region_whole(d->k, draft_view(d, t), d->at);
    for (uint32_t i = 0; i < t->view.shape.rank; i++) {
        r->start[i] = index[i];
        r->extent[i] = 1;
    }
    return r;
}
#define AT(d, t, ...) element((d), &(t), (struct ir_expr *const[]){__VA_ARGS__})

static inline struct ir_var *define(struct draft *d, const char *name, struct ir_expr *value)
{
    struct ir_stmt *s = tw_ir_stmt_new(d->k, d->into, IR_DEFINE, d->at);
    s->var = tw_ir_var_new(d->k, name, value->type, d->at);
    s->value = value;
    return s->var;
}

static inline void store(struct draft *d, struct ir_region *to, struct ir_expr *value)
{
    struct ir_stmt *s = tw_ir_stmt_new(d->k, d->into, IR_STORE, d->at);
    s->region = to;
    s->value = value;
}

/* Opens a block: statements go inside until `d->into` is put back. */
static inline struct ir_stmt *loop(struct draft *d, const char *name, int64_t count)
{
    struct ir_stmt *s = tw_ir_stmt_new(d->k, d->into, IR_FOR, d->at);
    s->var = tw_ir_var_new(d->k, name, tw_ir_int32(), d->at);
    s->var->is_loop = true;
    s->begin = num(d, 0);
    s->end = num(d, count);
    d->into = &s->body;
    return s;
}

static inline struct ir_stmt *when(struct draft *d, struct ir_expr *condition)
{
    struct ir_stmt *s = tw_ir_stmt_new(d->k, d->into, IR_IF, d->at);
    s->value = condition;
    d->into = &s->body;
    return s;
}

static inline void cuda(struct draft *d, enum ir_cuda what, struct ir_expr *a, struct ir_expr *b)
{
    struct ir_stmt *s = tw_ir_stmt_new(d->k, d->into, IR_CUDA, d->at);
    s->cuda = what;
    s->args[0] = a;
    s->args[1] = b;
}

static inline struct ir_ptx_operand address_operand(struct ir_expr *e)
{
    return (struct ir_ptx_operand){.kind = IR_PTX_ADDRESS, .expr = e};
}

static inline struct ir_ptx_operand value_operand(struct ir_expr *e)
{
    return (struct ir_ptx_operand){.kind = IR_PTX_VALUE, .expr = e};
}

static inline void ptx(struct draft *d, const char *mnemonic, uint32_t count, const struct ir_ptx_operand *operands)
{
    struct ir_stmt *s = tw_ir_stmt_new(d->k, d->into, IR_PTX, d->at);
    s->ptx = arena_new(&d->room->arena, struct ir_ptx, 1);
    s->ptx->mnemonic = mnemonic;
    s->ptx->operand_count = count;
    s->ptx->operands = arena_new(&d->room->arena, struct ir_ptx_operand, count + 1);
    for (uint32_t i = 0; i < count; i++)
        s->ptx->operands[i] = operands[i];
}
#define PTX(d, mnemonic, ...)                                                                                              \
    ptx((d), (mnemonic), (uint32_t)(sizeof((const struct ir_ptx_operand[]){__VA_ARGS__}) / sizeof(struct ir_ptx_operand)), \
        (const struct ir_ptx_operand[]){__VA_ARGS__})

/* ---- tile operations --------------------------------------------------------------------------------- */

static inline struct ir_arg whole(struct draft *d, const struct tensor *t)
{
    return (struct ir_arg){.kind = IR_ARG_REGION, .region = tw_ir_region_whole(d->k, draft_view(d, t), d->at), .at = d->at};
}

static inline struct ir_arg scalar(struct ir_expr *e)
{
    return (struct ir_arg){.kind = IR_ARG_EXPR, .expr = e, .at = e->at};
}

static inline struct ir_arg shape_param(struct draft *d, int64_t m, int64_t n, int64_t k)
{
    struct ir_arg a = {.kind = IR_ARG_TUPLE, .name = "instruction_shape", .item_count = 3, .at = d->at};
    a.items = arena_new(&d->room->arena, struct ir_arg, 3);
    const int64_t v[3] = {m, n, k};
    for (int i = 0; i < 3; i++)
        a.items[i] = (struct ir_arg){.kind = IR_ARG_INT, .value = v[i], .at = d->at};
    return a;
}

static inline struct ir_arg bool_param(struct draft *d, const char *name, bool value)
{
    return (struct ir_arg){.kind = IR_ARG_BOOL, .name = name, .value = value, .at = d->at};
}

static inline struct ir_arg text_param(struct draft *d, const char *name, const char *text)
{
    return (struct ir_arg){.kind = IR_ARG_STR, .name = name, .text = text, .at = d->at};
}

static inline struct ir_tile *tile(struct draft *d, const char *opcode, enum ir_exec_scope scope, uint32_t operands,
                                   const struct ir_arg *o, uint32_t params, const struct ir_arg *p)
{
    struct ir_stmt *s = tw_ir_stmt_new(d->k, d->into, IR_TILE, d->at);
    s->tile = arena_new(&d->room->arena, struct ir_tile, 1);
    s->tile->opcode = opcode;
    s->tile->opcode_at = d->at;
    s->tile->scope = scope;
    s->tile->operand_count = operands;
    s->tile->operands = arena_new(&d->room->arena, struct ir_arg, operands + 1);
    s->tile->param_count = params;
    s->tile->params = arena_new(&d->room->arena, struct ir_arg, params + 1);
    for (uint32_t i = 0; i < operands; i++)
        s->tile->operands[i] = o[i];
    for (uint32_t i = 0; i < params; i++)
        s->tile->params[i] = p[i];
    return s->tile;
}
#define ARGS(...)                                                                                                              \
    (uint32_t)(sizeof((const struct ir_arg[]){__VA_ARGS__}) / sizeof(struct ir_arg)), (const struct ir_arg[])                  \
    {                                                                                                                          \
        __VA_ARGS__                                                                                                            \
    }
#define NO_ARGS 0, NULL

/* ---- the kernel of seed 000: f16 128x64x64 ------------------------------------------------------------ */

struct tensor_mma {
    struct draft d;
    struct tensor A, B, Out, a, b, address, mbar, acc, frag;
    struct ir_var *tid, *warp;
    struct ir_tile *mma, *ld;
};

static inline const struct layout *shared_layout(struct draft *d, uint32_t bits, enum swizzle_mode mode, uint32_t rank,
                                                 const int64_t *dims)
{
    const struct layout_env env = draft_env(d);
    struct shape shape;
    assert_true(tw_shape_make(&env, rank, dims, &shape));
    return tw_mma_shared_layout(&env, bits, mode, &shape);
}

static inline const struct layout *operand_layout(struct draft *d, char which, int64_t rows, int64_t cols, uint32_t bits,
                                                  int64_t m, int64_t g)
{
    const struct layout_env env = draft_env(d);
    const struct tmem_operand o = {.operand = which, .shape = {2, {rows, cols}}, .elem_bits = bits, .m = m, .cta_group = g};
    return tw_tmem_mma_operand_layout(&env, &o);
}

static inline struct ir_expr *is_zero(struct draft *d, struct ir_var *v)
{
    return binary(d, IR_EQ, use(d, v), num(d, 0));
}

static inline struct ir_expr *pointer(struct draft *d, const struct tensor *t)
{
    struct ir_expr *const zero[1] = {num(d, 0)};
    return tw_ir_address(d->k, element(d, t, zero), d->at);
}

/* A tensor in tensor memory at a run-time address. */
static inline struct tensor decl_tmem(struct draft *d, const char *name, struct ir_expr *address, enum num_format format,
                                      uint32_t rank, const int64_t *dims, const struct layout *layout)
{
    struct ir_var *base = define(d, tw_format(&d->room->arena, "%s_address", name), address);
    struct tensor t = draft_tensor(d, name, IR_TMEM, format, rank, dims, layout);
    t.storage->elems = tw_layout_span_memory(layout);
    t.storage->base = use(d, base);
    return t;
}

static inline void fill_operands(struct tensor_mma *s)
{
    struct draft *d = &s->d;
    struct ir_block *outer = d->into;
    struct ir_stmt *j = loop(d, "j", 64);
    store(d, AT(d, s->a, use(d, s->tid), use(d, j->var)), tw_ir_load(d->k, AT(d, s->A, use(d, s->tid), use(d, j->var)), d->at));
    when(d, binary(d, IR_LT, use(d, s->tid), num(d, 64)));
    store(d, AT(d, s->b, use(d, s->tid), use(d, j->var)), tw_ir_load(d->k, AT(d, s->B, use(d, s->tid), use(d, j->var)), d->at));
    d->into = outer;
}

/* Everything up to the MMA: `d.into` is then the body of `if tid == 0`. */
static inline struct tensor_mma tensor_mma_head(struct bench_room *room)
{
    struct tensor_mma s = {.d = draft_new(room, "tensor_mma", 128)};
    struct draft *d = &s.d;
    s.A = draft_param(d, "A", NUM_F16, DIMS(128, 64));
    s.B = draft_param(d, "B", NUM_F16, DIMS(64, 64));
    s.Out = draft_param(d, "Out", NUM_F32, DIMS(128, 64));
    s.tid = define(d, "tid", tw_ir_coord(d->k, IR_TID_X, d->at));
    s.warp = define(d, "warp", tw_ir_coord(d->k, IR_WARP_ID, d->at));
    s.a = draft_tensor(d, "a", IR_SHARED, NUM_F16, DIMS(128, 64), shared_layout(d, 16, SWIZZLE_128B, DIMS(128, 64)));
    s.b = draft_tensor(d, "b", IR_SHARED, NUM_F16, DIMS(64, 64), shared_layout(d, 16, SWIZZLE_128B, DIMS(64, 64)));
    s.a.storage->align_bytes = s.b.storage->align_bytes = 1024;
    s.address = draft_tensor(d, "address", IR_SHARED, NUM_U32, DIMS(1), NULL);
    s.mbar = draft_tensor(d, "mbar", IR_SHARED, NUM_U64, DIMS(1), NULL);
    struct ir_block *top = d->into;
    when(d, is_zero(d, s.warp));
    PTX(d, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", address_operand(pointer(d, &s.address)),
        value_operand(typed(d, tw_ir_uint32(), 64)));
    d->into = top;
    when(d, is_zero(d, s.tid));
    PTX(d, "mbarrier.init.shared.b64", address_operand(pointer(d, &s.mbar)), value_operand(typed(d, tw_ir_uint32(), 1)));
    d->into = top;
    fill_operands(&s);
    cuda(d, IR_CTA_SYNC, NULL, NULL);
    ptx(d, "fence.proxy.async.shared::cta", 0, NULL);
    s.acc = decl_tmem(d, "d", tw_ir_load(d->k, AT(d, s.address, num(d, 0)), d->at), NUM_F32, DIMS(128, 64),
                      operand_layout(d, 'D', 128, 64, 32, 128, 1));
    when(d, is_zero(d, s.tid));
    return s;
}

static inline void tensor_mma_mma(struct tensor_mma *s)
{
    struct draft *d = &s->d;
    const struct tensor dv = reshape(d, s->acc, DIMS(1, 1, 128, 64));
    const struct tensor av = reshape(d, rearrange(d, s->a, "m (kr k) -> kr m k", "k", 16), DIMS(1, 4, 128, 16));
    const struct tensor bv = reshape(d, rearrange(d, s->b, "n (kr k) -> kr n k", "k", 16), DIMS(1, 4, 64, 16));
    s->mma = tile(d, "tcgen05.mma.cta_group::1.kind::f16", IR_THREAD_SCOPE, ARGS(whole(d, &dv), whole(d, &av), whole(d, &bv)),
                  ARGS(shape_param(d, 128, 64, 16), bool_param(d, "accum", false)));
}

static inline void tensor_mma_tail(struct tensor_mma *s)
{
    struct draft *d = &s->d;
    PTX(d, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64", address_operand(pointer(d, &s->mbar)));
    d->into = &d->k->body;
    cuda(d, IR_MBARRIER_WAIT, pointer(d, &s->mbar), num(d, 0));
    ptx(d, "tcgen05.fence::after_thread_sync", 0, NULL);
    s->frag = draft_tensor(d, "frag", IR_LOCAL, NUM_F32, DIMS(128, 64), SHARD(d, {128, 1, AXIS_TID_IN_WG}, M_(64, 1)));
    const struct tensor fv = reshape(d, s->frag, DIMS(4, 32, 64)), dv = reshape(d, s->acc, DIMS(4, 32, 64));
    s->ld = tile(d, "tcgen05.ld.sync.aligned.32x32b.x64.b32", IR_WARPGROUP_SCOPE, ARGS(whole(d, &fv), whole(d, &dv)), NO_ARGS);
    ptx(d, "tcgen05.wait::ld.sync.aligned", 0, NULL);
    const struct tensor local = relayout(d, s->frag, NULL, DIMS(64));
    struct ir_block *top = d->into;
    struct ir_stmt *j = loop(d, "j", 64);
    store(d, AT(d, s->Out, use(d, s->tid), use(d, j->var)), tw_ir_load(d->k, AT(d, local, use(d, j->var)), d->at));
    d->into = top;
    cuda(d, IR_CTA_SYNC, NULL, NULL);
    when(d, is_zero(d, s->warp));
    ptx(d, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", 0, NULL);
    PTX(d, "tcgen05.dealloc.cta_group::1.sync.aligned.b32", value_operand(tw_ir_load(d->k, AT(d, s->address, num(d, 0)), d->at)),
        value_operand(typed(d, tw_ir_uint32(), 64)));
    d->into = top;
}

static inline struct tensor_mma tensor_mma_kernel(struct bench_room *room)
{
    struct tensor_mma s = tensor_mma_head(room);
    tensor_mma_mma(&s);
    tensor_mma_tail(&s);
    return s;
}

/* ---- the kernel of seed 003: m16n8, two K16 issues ----------------------------------------------------- */

struct warp_mma {
    struct draft d;
    struct tensor A, B, Out, ar, br, dr, av, bv, dv;
    struct ir_tile *mma;
};

/* kk * step + r */
static inline struct ir_expr *slot_index(struct draft *d, struct ir_var *kk, int64_t step, struct ir_var *r)
{
    return binary(d, IR_ADD, binary(d, IR_MUL, use(d, kk), num(d, step)), use(d, r));
}

static inline struct ir_expr *lane_part(struct draft *d, struct ir_var *lane, enum ir_op op)
{
    return binary(d, op, use(d, lane), num(d, 4));
}

static inline struct warp_mma warp_mma_head(struct bench_room *room)
{
    struct warp_mma s = {.d = draft_new(room, "warp_mma", 32)};
    struct draft *d = &s.d;
    s.A = draft_param(d, "A", NUM_U32, DIMS(1, 2, 16, 8));
    s.B = draft_param(d, "B", NUM_U32, DIMS(1, 2, 8, 8));
    s.Out = draft_param(d, "Out", NUM_F32, DIMS(16, 8));
    struct ir_var *lane = define(d, "lane", tw_ir_coord(d->k, IR_LANE_ID, d->at));
    s.ar = draft_tensor(d, "ar", IR_LOCAL, NUM_U32, DIMS(8), NULL);
    s.br = draft_tensor(d, "br", IR_LOCAL, NUM_U32, DIMS(4), NULL);
    s.dr = draft_tensor(d, "dr", IR_LOCAL, NUM_F32, DIMS(4), NULL);
    s.av = relayout(d, s.ar, SHARD(d, M_(1, 8), M_(2, 4), M_(2, 1), LANE_(8, 4), M_(2, 2), LANE_(4, 1)), DIMS(1, 2, 16, 8));
    s.bv = relayout(d, s.br, SHARD(d, M_(1, 4), M_(2, 2), LANE_(8, 4), M_(2, 1), LANE_(4, 1)), DIMS(1, 2, 8, 8));
    s.dv = relayout(d, s.dr, SHARD(d, M_(1, 4), M_(1, 4), M_(2, 2), LANE_(8, 4), LANE_(4, 1), M_(2, 1)), DIMS(1, 1, 16, 8));
    struct ir_block *top = d->into;
    struct ir_stmt *kk = loop(d, "kk", 2), *r = loop(d, "r", 4);
    struct ir_expr *row = binary(d, IR_ADD, lane_part(d, lane, IR_FLOORDIV),
                                 binary(d, IR_MUL, num(d, 8), binary(d, IR_FLOORMOD, use(d, r->var), num(d, 2))));
    struct ir_expr *word = binary(d, IR_ADD, lane_part(d, lane, IR_FLOORMOD),
                                  binary(d, IR_MUL, num(d, 4), binary(d, IR_FLOORDIV, use(d, r->var), num(d, 2))));
    store(d, AT(d, s.ar, slot_index(d, kk->var, 4, r->var)),
          tw_ir_load(d->k, AT(d, s.A, num(d, 0), use(d, kk->var), row, word), d->at));
    d->into = top;
    kk = loop(d, "kk", 2);
    r = loop(d, "r", 2);
    word = binary(d, IR_ADD, lane_part(d, lane, IR_FLOORMOD), binary(d, IR_MUL, num(d, 4), use(d, r->var)));
    store(d, AT(d, s.br, slot_index(d, kk->var, 2, r->var)),
          tw_ir_load(d->k, AT(d, s.B, num(d, 0), use(d, kk->var), lane_part(d, lane, IR_FLOORDIV), word), d->at));
    d->into = top;
    return s;
}

static inline void warp_mma_mma(struct warp_mma *s, struct ir_arg c)
{
    struct draft *d = &s->d;
    s->mma = tile(d, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", IR_WARP_SCOPE,
                  ARGS(whole(d, &s->dv), whole(d, &s->av), whole(d, &s->bv), c), NO_ARGS);
}

static inline void warp_mma_tail(struct warp_mma *s)
{
    struct draft *d = &s->d;
    struct ir_var *lane = d->k->vars.at[0];
    struct ir_block *top = d->into;
    struct ir_stmt *r = loop(d, "r", 4);
    struct ir_expr *row = binary(d, IR_ADD, lane_part(d, lane, IR_FLOORDIV),
                                 binary(d, IR_MUL, num(d, 8), binary(d, IR_FLOORDIV, use(d, r->var), num(d, 2))));
    struct ir_expr *col = binary(d, IR_ADD, binary(d, IR_MUL, num(d, 2), lane_part(d, lane, IR_FLOORMOD)),
                                 binary(d, IR_FLOORMOD, use(d, r->var), num(d, 2)));
    store(d, AT(d, s->Out, row, col), tw_ir_load(d->k, AT(d, s->dr, use(d, r->var)), d->at));
    d->into = top;
}

static inline struct warp_mma warp_mma_kernel(struct bench_room *room)
{
    struct warp_mma s = warp_mma_head(room);
    warp_mma_mma(&s, scalar(typed(&s.d, tw_ir_float32(), 0)));
    warp_mma_tail(&s);
    return s;
}

#endif
