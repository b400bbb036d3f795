/* Pools: memory handed out piece by piece. T.SMEMPool is the kernel's arena of dynamic shared memory, T.TMEMPool a range
 * of columns of tensor memory. Both count at compile time; move_base_to goes back, so that pieces whose lives do not
 * meet can share memory. SOURCE: kernel-language 4.3. */
#include "lang/eval.h"

#include "base/bits.h"
#include "base/nearest.h"
#include "layout/factory.h"

#include <string.h>

enum { PIECE_ALIGN = 16, TILE_ALIGN = 1024 }; /* bytes: of a piece without a swizzle; of an operand of tcgen05.mma */

struct pool {
    bool is_tmem;
    struct src_span at;
    bool committed;
    int64_t next, most; /* the next free byte or column, and the end of all pieces so far */
    /* tensor memory */
    int64_t total_cols, cta_group;
    struct ir_var *base; /* the first column's address; defined by commit */
    struct value slot;   /* the shared tensor that receives it */
};

static struct pool *self_of(const struct call *c)
{
    return c->self.u.pool;
}

static struct value new_pool(struct eval *ev, struct pool made)
{
    struct pool *p = arena_new(ev->arena, struct pool, 1);
    *p = made;
    *vec_push(ev->arena, &ev->build->pools) = p;
    return (struct value){.kind = VALUE_POOL, .u.pool = p};
}

static bool refuse_committed(struct eval *ev, const struct call *c)
{
    if (!self_of(c)->committed)
        return true;
    struct diag *d = tw_diag(ev->diags, E0212, c->at, "'%s' stands behind the pool's commit()", c->row->name);
    tw_diag_note(d, self_of(c)->at, "the pool is made here");
    return false;
}

static struct value move_base_to(struct eval *ev, struct call *c)
{
    int64_t to;
    if (!refuse_committed(ev, c) || !tw_eval_static_int(ev, c->args[0].value, c->args[0].at, "the new base", &to))
        return value_error();
    const int64_t end = self_of(c)->is_tmem ? self_of(c)->total_cols : TW_SHARED_CTA_BYTES;
    if (to >= 0 && to <= end) {
        self_of(c)->next = to;
        return value_none();
    }
    struct diag *d = tw_diag(ev->diags, E0211, c->args[0].at, "the new base lies outside the pool");
    tw_diag_expected(d, "0 to %lld %s", (long long)end, self_of(c)->is_tmem ? "columns" : "bytes");
    tw_diag_found(d, "%lld", (long long)to);
    return value_error();
}

/* ---- shared memory ------------------------------------------------------------------------------- */

static struct value smem_pool(struct eval *ev, struct call *c)
{
    if (!tw_call_refuse_given(ev, c, 0, "ptr"))
        return value_error();
    for (uint32_t i = 0; i < ev->build->pools.len; i++) {
        if (ev->build->pools.at[i]->is_tmem)
            continue;
        struct diag *d = tw_diag(ev->diags, E0212, c->at, "a kernel has a second T.SMEMPool()");
        tw_diag_note(d, ev->build->pools.at[i]->at, "the first is here");
        return value_error();
    }
    return new_pool(ev, (struct pool){.at = c->at});
}

/* Takes the piece up to `end`. */
static bool take_shared(struct eval *ev, struct pool *p, int64_t end, struct src_span at)
{
    if (end <= TW_SHARED_CTA_BYTES) {
        p->next = end;
        p->most = end > p->most ? end : p->most;
        return true;
    }
    struct diag *d = tw_diag(ev->diags, E0211, at, "the pool grows beyond the shared memory of a CTA");
    tw_diag_expected(d, "at most %d bytes", TW_SHARED_CTA_BYTES);
    tw_diag_found(d, "%lld", (long long)end);
    return false;
}

static struct value place_shared(struct eval *ev, struct call *c, const struct tensor_type *t, uint32_t align)
{
    struct pool *p = self_of(c);
    const struct value v = tw_tensor_declare(ev, NULL, t, IR_SHARED, c->at);
    if (v.kind != VALUE_TENSOR)
        return v;
    struct ir_storage *s = v.u.tensor->storage;
    const uint32_t period = tw_tensor_swizzle_period(v.u.tensor->view.layout, t->elem.bits);
    s->align_bytes = t->align > 0 ? (uint32_t)t->align : period > align ? period : align;
    s->in_arena = true;
    s->arena_offset = (int64_t)align_up((uint64_t)p->next, s->align_bytes);
    const int64_t end = s->arena_offset + (s->elems * s->elem.bits + 7) / 8;
    return take_shared(ev, p, end, c->at) ? v : value_error();
}

/* shape, dtype?, *, layout?, align?, name? */
static struct value smem_alloc(struct eval *ev, struct call *c)
{
    const struct arg none = {.given = false};
    const struct type_args a = {&c->args[0], &c->args[1], &none, &c->args[3], &c->args[2], c->at};
    struct tensor_type t;
    if (!refuse_committed(ev, c) || !tw_tensor_read_type(ev, &a, &t))
        return value_error();
    struct str name;
    const struct value v = place_shared(ev, c, &t, PIECE_ALIGN);
    if (!c->args[4].given || v.kind != VALUE_TENSOR)
        return v;
    if (!tw_eval_static_str(ev, c->args[4].value, c->args[4].at, "the name", &name))
        return value_error();
    tw_tensor_name(v, tw_intern(ev->names, name));
    return v;
}

/* The widest swizzle whose row divides a row of the tensor. */
static enum swizzle_mode widest_mode(int64_t row_bits)
{
    enum swizzle_mode mode = SWIZZLE_128B;
    while (mode != SWIZZLE_NONE && row_bits % (INT64_C(128) << mode) != 0)
        mode = (enum swizzle_mode)(mode - 1);
    return mode;
}

static bool read_mode(struct eval *ev, const struct arg *a, int64_t row_bits, enum swizzle_mode *out)
{
    const struct layout_env env = tw_eval_layout_env(ev, a->at);
    int64_t mode;
    *out = widest_mode(row_bits);
    if (!a->given || (a->value.kind == VALUE_STR && tw_str_is(a->value.u.text, "auto")))
        return true;
    if (a->value.kind == VALUE_STR)
        return tw_swizzle_mode_from_name(&env, a->value.u.text, out);
    return tw_eval_static_int(ev, a->value, a->at, "the swizzle mode", &mode) && tw_swizzle_mode_from_int(&env, mode, out);
}

/* shape, dtype?, swizzle_mode?, align? */
static struct value smem_alloc_operand(struct eval *ev, struct call *c)
{
    const struct arg none = {.given = false};
    const struct type_args a = {&c->args[0], &c->args[1], &none, &c->args[3], &none, c->at};
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct tensor_type t;
    enum swizzle_mode mode;
    if (!refuse_committed(ev, c) || !tw_tensor_read_type(ev, &a, &t) ||
        !read_mode(ev, &c->args[2], t.shape.dim[t.shape.rank - 1] * t.elem.bits, &mode))
        return value_error();
    t.layout = tw_mma_shared_layout(&env, t.elem.bits, mode, &t.shape);
    return t.layout == NULL ? value_error() : place_shared(ev, c, &t, TILE_ALIGN);
}

static struct value smem_commit(struct eval *ev, struct call *c)
{
    struct pool *p = self_of(c);
    int64_t bytes = p->most;
    if (!refuse_committed(ev, c))
        return value_error();
    if (c->args[0].given && c->args[0].value.kind != VALUE_NONE &&
        !tw_eval_static_int(ev, c->args[0].value, c->args[0].at, "the size of the pool", &bytes))
        return value_error();
    if (bytes < p->most || bytes > TW_SHARED_CTA_BYTES) {
        struct diag *d = tw_diag(ev->diags, E0211, c->args[0].at, "the pool cannot have this size");
        tw_diag_expected(d, "%lld bytes, what was taken from it, to %d", (long long)p->most, TW_SHARED_CTA_BYTES);
        tw_diag_found(d, "%lld", (long long)bytes);
        return value_error();
    }
    p->committed = true;
    eval_kernel(ev)->arena_bytes = bytes;
    return value_none();
}

/* ---- tensor memory ------------------------------------------------------------------------------- */

static bool is_column_count(int64_t n)
{
    return n >= 32 && n <= TW_TMEM_COLS && (n & (n - 1)) == 0;
}

/* pool, total_cols?, cta_group?, tmem_addr? */
static struct value tmem_pool(struct eval *ev, struct call *c)
{
    struct pool p = {.is_tmem = true, .at = c->at, .total_cols = TW_TMEM_COLS, .cta_group = 1, .slot = c->args[3].value};
    if (c->args[0].value.kind != VALUE_POOL || c->args[0].value.u.pool->is_tmem)
        return tw_eval_mismatch(ev, c->args[0].at, "what a T.TMEMPool keeps its address in", "a T.SMEMPool", c->args[0].value);
    if (c->args[1].given && !tw_eval_static_int(ev, c->args[1].value, c->args[1].at, "the column count", &p.total_cols))
        return value_error();
    if (!is_column_count(p.total_cols)) {
        struct diag *d = tw_diag(ev->diags, E0211, c->args[1].at, "tensor memory is not allocated in this many columns");
        tw_diag_expected(d, "32, 64, 128, 256 or 512");
        tw_diag_found(d, "%lld", (long long)p.total_cols);
        return value_error();
    }
    if (c->args[2].given && !tw_eval_static_int(ev, c->args[2].value, c->args[2].at, "the CTA group", &p.cta_group))
        return value_error();
    if (!c->args[3].given || p.slot.kind == VALUE_NONE) {
        const struct tensor_type word = {.align = -1, .at = c->at, .elem = tw_ir_uint32(), .shape = {.rank = 1, .dim = {1}}};
        struct call slot = {.row = c->row, .self = c->args[0].value, .at = c->at};
        p.slot = refuse_committed(ev, &slot) ? place_shared(ev, &slot, &word, PIECE_ALIGN) : value_error();
    }
    if (p.slot.kind == VALUE_ERROR)
        return p.slot;
    if (!tw_eval_is_scalar_tensor(p.slot) || p.slot.u.tensor->storage->scope != IR_SHARED ||
        !tw_ir_type_equal(p.slot.u.tensor->elem, tw_ir_uint32()))
        return tw_eval_mismatch(ev, c->args[3].at, "'tmem_addr'", "a shared tensor of one uint32", p.slot);
    p.base = tw_ir_var_new(eval_kernel(ev), "tmem_base", tw_ir_uint32(), c->at);
    return new_pool(ev, p);
}

/* Columns of 32 bits that a tensor covers. */
static int64_t columns_of(const struct tensor *t)
{
    return (tw_layout_span(t->view.layout, AXIS_TCOL) * t->elem.bits + 31) / 32;
}

static bool read_columns(struct eval *ev, const struct arg *a, int64_t least, int64_t *cols)
{
    *cols = least;
    if (!a->given || a->value.kind == VALUE_NONE)
        return true;
    if (!tw_eval_static_int(ev, a->value, a->at, "the column count", cols))
        return false;
    if (*cols >= least)
        return true;
    struct diag *d = tw_diag(ev->diags, E0211, a->at, "the tensor does not fit these columns");
    tw_diag_expected(d, "at least %lld", (long long)least);
    tw_diag_found(d, "%lld", (long long)*cols);
    return false;
}

static struct value take_columns(struct eval *ev, struct call *c, const struct tensor_type *t, const struct arg *wanted)
{
    struct pool *p = self_of(c);
    struct ir_kernel *k = eval_kernel(ev);
    int64_t cols;
    const struct value v = tw_tensor_declare(ev, NULL, t, IR_TMEM, c->at);
    if (v.kind != VALUE_TENSOR || !read_columns(ev, wanted, columns_of(v.u.tensor), &cols))
        return value_error();
    if (p->next + cols > p->total_cols) {
        struct diag *d = tw_diag(ev->diags, E0211, c->at, "the pool has too few columns left");
        tw_diag_expected(d, "at most %lld columns", (long long)(p->total_cols - p->next));
        tw_diag_found(d, "%lld", (long long)cols);
        return value_error();
    }
    struct ir_expr *first = tw_ir_const_int(k, tw_ir_uint32(), p->next, c->at);
    v.u.tensor->storage->base = tw_ir_binary(k, IR_ADD, tw_ir_var_ref(k, p->base, c->at), first, c->at);
    p->next += cols;
    return v;
}

/* An argument of a layout factory, by position where `name` is NULL. */
static void give(struct eval *ev, struct args *to, const char *name, struct value v, struct src_span at)
{
    *vec_push(ev->arena, to) = (struct arg){
        .value = v, .at = at, .given = true, .name = name == NULL ? NULL : tw_intern(ev->names, tw_str(name))};
}

static bool make_layout(struct eval *ev, const struct call *c, const char *factory, const struct args *args,
                        const struct layout **out)
{
    const struct value f = tw_names_member(ev, &tw_names_layout, factory, c->at);
    const struct value made = tw_call_builtin(ev, f.u.builtin, args, c->at);
    *out = made.kind == VALUE_LAYOUT ? made.u.layout : NULL;
    return *out != NULL;
}

static bool tmem_type(struct eval *ev, struct call *c, const struct arg *layout, struct tensor_type *t)
{
    static const struct arg none = {.given = false};
    const struct type_args a = {&c->args[0], &c->args[1], &none, &none, layout == NULL ? &none : layout, c->at};
    return tw_tensor_read_type(ev, &a, t);
}

static bool is_matrix(struct eval *ev, struct call *c, const struct tensor_type *t)
{
    if (t->shape.rank == 2)
        return true;
    tw_eval_mismatch(ev, c->args[0].at, "the shape", "(rows, columns)", c->args[0].value);
    return false;
}

/* shape, dtype?, *, layout?, cols?, datapath? */
static struct value tmem_alloc(struct eval *ev, struct call *c)
{
    struct tensor_type t;
    struct args f = {0};
    if (!tmem_type(ev, c, &c->args[2], &t))
        return value_error();
    if (!c->args[4].given || c->args[4].value.kind == VALUE_NONE)
        return take_columns(ev, c, &t, &c->args[3]);
    if (t.layout != NULL || !is_matrix(ev, c, &t))
        return t.layout == NULL ? value_error()
                                : tw_eval_unsupported(ev, c->args[4].at, "'datapath' beside 'layout'");
    give(ev, &f, NULL, c->args[4].value, c->args[4].at);
    give(ev, &f, NULL, value_int(t.shape.dim[0]), c->args[0].at);
    give(ev, &f, NULL, value_int(t.shape.dim[1]), c->args[0].at);
    return make_layout(ev, c, "tmem_datapath_layout", &f, &t.layout) ? take_columns(ev, c, &t, &c->args[3]) : value_error();
}

/* shape, dtype?, *, M, cta_group?, ws?, cols?: operand A or D of tcgen05.mma, by the last letter of the name. */
static struct value tmem_alloc_operand(struct eval *ev, struct call *c)
{
    struct tensor_type t;
    struct args f = {0};
    if (!tmem_type(ev, c, NULL, &t))
        return value_error();
    give(ev, &f, NULL, value_str(tw_str(c->row->name + strlen(c->row->name) - 1)), c->at);
    give(ev, &f, NULL, c->args[0].value, c->args[0].at);
    give(ev, &f, NULL, (struct value){.kind = VALUE_DTYPE, .u.dtype = t.elem}, c->args[1].given ? c->args[1].at : c->at);
    give(ev, &f, "M", c->args[2].value, c->args[2].at);
    give(ev, &f, "cta_group", c->args[3].given ? c->args[3].value : value_int(self_of(c)->cta_group), c->at);
    if (c->args[4].given)
        give(ev, &f, "ws", c->args[4].value, c->args[4].at);
    return make_layout(ev, c, "tmem_mma_operand_layout", &f, &t.layout) ? take_columns(ev, c, &t, &c->args[5]) : value_error();
}

/* shape, dtype?, *, sf_per_mma, sf_reuse?, cols?: scale factors, (rows, factors of a row). */
static struct value tmem_alloc_scales(struct eval *ev, struct call *c)
{
    struct tensor_type t;
    struct args f = {0};
    if (!tmem_type(ev, c, NULL, &t) || !is_matrix(ev, c, &t))
        return value_error();
    give(ev, &f, NULL, value_int(t.shape.dim[0]), c->args[0].at);
    give(ev, &f, NULL, value_int(t.shape.dim[1]), c->args[0].at);
    give(ev, &f, NULL, c->args[2].value, c->args[2].at);
    if (c->args[3].given)
        give(ev, &f, NULL, c->args[3].value, c->args[3].at);
    return make_layout(ev, c, "sf_tmem_layout", &f, &t.layout) ? take_columns(ev, c, &t, &c->args[4]) : value_error();
}

static struct value call_library(struct eval *ev, const struct call *c, const char *name, const struct value *given,
                                 uint32_t count)
{
    const struct value f = tw_library_function(ev, name);
    struct args args = {0};
    for (uint32_t i = 0; i < count; i++)
        *vec_push(ev->arena, &args) = (struct arg){.value = given[i], .at = c->at, .given = true};
    return tw_call_user(ev, f.u.function, &args, c->at);
}

static bool at_top(struct eval *ev, const struct call *c)
{
    if (ev->build->into == &eval_kernel(ev)->body)
        return true;
    struct diag *d = tw_diag(ev->diags, E0212, c->at, "'commit' of tensor memory stands inside a branch or loop");
    tw_diag_expected(d, "a place that all threads of the CTA reach: it synchronises them");
    return false;
}

/* Warp 0 allocates, all threads wait for the address, and read it. */
static struct value tmem_commit(struct eval *ev, struct call *c)
{
    struct pool *p = self_of(c);
    struct ir_kernel *k = eval_kernel(ev);
    if (!refuse_committed(ev, c) || !at_top(ev, c))
        return value_error();
    const struct value given[] = {p->slot, value_int(p->total_cols), value_int(p->cta_group)};
    if (call_library(ev, c, "tmem_allocate", given, 3).kind == VALUE_ERROR)
        return value_error();
    struct ir_stmt *define = tw_ir_stmt_new(k, ev->build->into, IR_DEFINE, c->at);
    define->var = p->base;
    define->value = tw_ir_load(k, tw_tensor_only(ev, p->slot.u.tensor, c->at), c->at);
    p->committed = true;
    return value_none();
}

static struct value tmem_dealloc(struct eval *ev, struct call *c)
{
    struct pool *p = self_of(c);
    if (!p->committed) {
        tw_diag(ev->diags, E0212, c->at, "'dealloc' stands before the pool's commit()");
        return value_error();
    }
    const struct value base = value_expr(tw_ir_var_ref(eval_kernel(ev), p->base, c->at));
    const struct value given[] = {base, value_int(p->total_cols), value_int(p->cta_group)};
    return call_library(ev, c, "tmem_release", given, 3);
}

/* ---- names --------------------------------------------------------------------------------------- */

#define OPERAND_PARAMS "shape, dtype?, swizzle_mode?, align?"
#define TMEM_OPERAND_PARAMS "shape, dtype?, *, M, cta_group?, ws?, cols?"
static const struct builtin smem_rows[] = {
    {"alloc", "shape, dtype?, *, layout?, align?, name?", smem_alloc, ON_DEVICE},
    {"alloc_tcgen05_mma_AB", OPERAND_PARAMS, smem_alloc_operand, ON_DEVICE},
    {"alloc_mma", OPERAND_PARAMS, smem_alloc_operand, ON_DEVICE},
    {"move_base_to", "byte_offset", move_base_to, ON_DEVICE},
    {"commit", "size?", smem_commit, ON_DEVICE},
};
static const struct builtin tmem_rows[] = {
    {"alloc", "shape, dtype?, *, layout?, cols?, datapath?", tmem_alloc, ON_DEVICE},
    {"alloc_tcgen05_mma_A", TMEM_OPERAND_PARAMS, tmem_alloc_operand, ON_DEVICE},
    {"alloc_tcgen05_mma_D", TMEM_OPERAND_PARAMS, tmem_alloc_operand, ON_DEVICE},
    {"alloc_sf", "shape, dtype?, *, sf_per_mma, sf_reuse?, cols?", tmem_alloc_scales, ON_DEVICE},
    {"move_base_to", "column", move_base_to, ON_DEVICE},
    {"commit", "", tmem_commit, ON_DEVICE},
    {"dealloc", "", tmem_dealloc, ON_DEVICE},
};
static const struct builtin_table tables[] = {{smem_rows, sizeof smem_rows / sizeof smem_rows[0]},
                                              {tmem_rows, sizeof tmem_rows / sizeof tmem_rows[0]}};

struct value tw_pool_attr(struct eval *ev, struct value pool, const char *name, struct src_span at)
{
    const struct builtin_table *t = &tables[pool.u.pool->is_tmem];
    const char *kind = pool.u.pool->is_tmem ? "T.TMEMPool" : "T.SMEMPool";
    struct nearest best = nearest_to(tw_str(name));
    for (uint32_t i = 0; i < t->count; i++) {
        if (strcmp(t->rows[i].name, name) == 0)
            return tw_eval_method(ev, &t->rows[i], pool);
        tw_nearest_consider(&best, t->rows[i].name);
    }
    struct diag *d = tw_diag(ev->diags, E0202, at, "a %s has no '%s'", kind, name);
    if (best.name != NULL)
        tw_diag_fix(d, "write '%s'", best.name);
    return value_error();
}

void tw_pool_finish(struct eval *ev)
{
    for (uint32_t i = 0; i < ev->build->pools.len; i++) {
        const struct pool *p = ev->build->pools.at[i];
        if (p->committed)
            continue;
        struct diag *d = tw_diag(ev->diags, E0212, p->at, "the pool is never committed");
        tw_diag_fix(d, "call commit() when everything is taken from it");
    }
}

bool tw_pool_is_open(const struct eval *ev, const struct ir_storage *s)
{
    for (uint32_t i = 0; i < ev->build->pools.len; i++) {
        const struct pool *p = ev->build->pools.at[i];
        const struct ir_expr *e = s->base;
        while (e != NULL && e->op == IR_ADD)
            e = e->args[0];
        if (p->is_tmem && !p->committed && e != NULL && e->var == p->base)
            return true;
    }
    return false;
}

static const struct builtin rows[] = {
    {"SMEMPool", "ptr?", smem_pool, ON_DEVICE},
    {"TMEMPool", "pool, total_cols?, cta_group?, tmem_addr?", tmem_pool, ON_DEVICE},
};
const struct builtin_table tw_lib_pool = {rows, sizeof rows / sizeof rows[0]};
