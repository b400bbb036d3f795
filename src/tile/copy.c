/* What a copy is: its operands, who takes part, and how wide an access may be. */
#include "tile/copy.h"

#include "ir/ir_walk.h"

#include <assert.h>
#include <string.h>

const char *const tw_copy_names[COPY_OPERANDS] = {"dst", "src"};

/* ---- operands ------------------------------------------------------------------------------------- */

bool tw_copy_is_distributed(const struct layout *l)
{
    for (int a = 0; a < AXIS_COUNT; a++)
        if (tw_axis_is_thread((enum axis)a) && tw_layout_axes(l) & AXIS_BIT(a))
            return true;
    return false;
}

static void region_shape(const struct ir_region *r, struct shape *out)
{
    *out = (struct shape){0};
    for (uint32_t d = 0; d < r->view->rank; d++)
        if (r->extent[d] != 1)
            out->dim[out->rank++] = r->extent[d];
    if (out->rank == 0)
        *out = (struct shape){1, {1}};
}

static void read_side(struct dispatch_call *c, enum copy_operand o)
{
    struct copy_side *s = &copy_of(c)->side[o];
    s->arg = &c->op->operands[o];
    if (s->arg->kind != IR_ARG_REGION) {
        tw_dispatch_refuse(c, s->arg->at, "operand %s is no tensor", tw_copy_names[o]);
        return;
    }
    s->region = s->arg->region;
    s->storage = s->region->view->storage;
    s->distributed = s->storage->scope == IR_LOCAL && tw_copy_is_distributed(s->region->view->layout);
    region_shape(s->region, &s->shape);
    if (s->storage->scope == IR_TMEM)
        tw_dispatch_refuse(c, s->arg->at, "operand %s is in tensor memory", tw_copy_names[o]);
    else if (s->storage->memory_reason != NULL)
        tw_dispatch_refuse(c, s->storage->memory_reason->at, "'%s' is indexed at run time here, so it is not in registers",
                           s->storage->name);
    else if (s->region->view->elem.bits % 8 != 0)
        tw_dispatch_refuse(c, s->arg->at, "operand %s has elements of %u bits, which have no address", tw_copy_names[o],
                           s->region->view->elem.bits);
    else if (o == COPY_DST && !s->distributed && tw_layout_replicas(s->region->view->layout) != 1)
        tw_dispatch_refuse(c, s->arg->at, "'%s' has copies of its elements, and one of each would be written", s->storage->name);
}

void tw_copy_judge_operands(struct dispatch_call *c)
{
    struct copy *f = copy_of(c);
    const uint32_t refused = c->refusals.len;
    read_side(c, COPY_DST);
    read_side(c, COPY_SRC);
    if (c->refusals.len != refused)
        return;
    const struct ir_type d = f->side[COPY_DST].region->view->elem, s = f->side[COPY_SRC].region->view->elem;
    if (!tw_ir_type_equal(d, s))
        tw_dispatch_refuse(c, f->side[COPY_SRC].arg->at, "operand src is %s, and operand dst %s; Tx.cast converts",
                           tw_ir_type_name(s), tw_ir_type_name(d));
}

void tw_copy_judge_shapes(struct dispatch_call *c)
{
    struct copy *f = copy_of(c);
    const struct shape *d = &f->side[COPY_DST].shape, *s = &f->side[COPY_SRC].shape;
    f->elems = tw_shape_elems(d);
    if (!tw_shape_eq(d, s))
        tw_dispatch_refuse(c, f->side[COPY_SRC].arg->at, "operand src has the shape %s, and operand dst %s",
                           tw_shape_text(c->arena, s), tw_shape_text(c->arena, d));
}

void tw_copy_judge_keywords(struct dispatch_call *c, const char *known)
{
    for (uint32_t i = 0; i < c->op->param_count; i++) {
        const char *name = c->op->params[i].name;
        const size_t len = strlen(name);
        bool found = false;
        for (const char *at = known; *at != '\0'; at += *at == '|') {
            const size_t n = strcspn(at, "|");
            found = found || (n == len && memcmp(at, name, n) == 0);
            at += n;
        }
        if (!found)
            tw_dispatch_refuse(c, c->op->params[i].at, "it has no '%s'", name);
    }
}

/* ---- registers ------------------------------------------------------------------------------------ */

/* The coordinates of flat element `flat` of the region, region start included; static starts only. */
static bool coordinates(const struct dispatch_call *c, const struct copy_side *s, int64_t flat, int64_t *coord)
{
    const struct ir_region *r = s->region;
    for (uint32_t d = r->view->rank; d-- > 0;) {
        coord[d] = r->extent[d] == 1 ? 0 : flat % r->extent[d];
        flat /= r->extent[d];
        if (r->start[d] == NULL)
            continue;
        const struct ir_range range = tw_ir_range_of(c->k, r->start[d]);
        if (range.low != range.high)
            return false;
        coord[d] += range.low;
    }
    return true;
}

/* Who of the scope's threads holds an element, and in which register. */
static void place_of(const struct copy_side *s, const int64_t *coord, int64_t at[AXIS_COUNT])
{
    const struct ir_view *v = s->region->view;
    struct shape shape = {.rank = v->rank};
    for (uint32_t d = 0; d < v->rank; d++)
        shape.dim[d] = v->shape[d];
    tw_layout_eval(v->layout, tw_shape_flat(&shape, coord), at);
    at[AXIS_M] += v->offset;
}

/* The thread axes a distributed tensor may name at a scope: together they count the scope's threads. */
static bool counts_scope(axis_set axes, enum ir_exec_scope scope)
{
    const axis_set lanes = AXIS_BIT(AXIS_LANEID), warps = AXIS_BIT(AXIS_WID_IN_WG), group = AXIS_BIT(AXIS_TID_IN_WG);
    if (scope == IR_WARP_SCOPE)
        return axes == lanes;
    return scope == IR_WARPGROUP_SCOPE && (axes == group || axes == (lanes | warps));
}

static int64_t owner(axis_set axes, const int64_t at[AXIS_COUNT])
{
    if (axes & AXIS_BIT(AXIS_TID_IN_WG))
        return at[AXIS_TID_IN_WG];
    return at[AXIS_LANEID] + (axes & AXIS_BIT(AXIS_WID_IN_WG) ? 32 * at[AXIS_WID_IN_WG] : 0);
}

/* For every thread its elements in the order of their registers. */
struct holdings {
    int64_t threads, each;
    int64_t *flat, *slot; /* [thread * each + i] */
};

static bool collect(struct dispatch_call *c, const struct copy_side *s, struct holdings *h)
{
    const struct copy *f = copy_of(c);
    const axis_set axes = tw_layout_axes(s->region->view->layout) & ~AXIS_BIT(AXIS_M);
    int64_t *held = arena_new(c->arena, int64_t, (size_t)f->threads + 1), coord[TW_MAX_RANK], at[AXIS_COUNT];
    h->threads = f->threads;
    h->each = f->elems / f->threads;
    h->flat = arena_new(c->arena, int64_t, (size_t)(f->elems + f->threads));
    h->slot = arena_new(c->arena, int64_t, (size_t)(f->elems + f->threads));
    for (int64_t flat = 0; flat < f->elems; flat++) {
        if (!coordinates(c, s, flat, coord))
            return false;
        place_of(s, coord, at);
        const int64_t t = owner(axes, at);
        if (t >= h->threads || held[t] == h->each)
            return false;
        int64_t i = t * h->each + held[t]++;
        for (; i > t * h->each && h->slot[i - 1] > at[AXIS_M]; i--) {
            h->slot[i] = h->slot[i - 1];
            h->flat[i] = h->flat[i - 1];
        }
        h->slot[i] = at[AXIS_M];
        h->flat[i] = flat;
    }
    return h->each * h->threads == f->elems;
}

/* Every thread has the registers of thread 0, and its elements are a fixed way from thread 0's. */
static bool same_for_all(const struct holdings *h, int64_t *moved)
{
    for (int64_t t = 0; t < h->threads; t++) {
        moved[t] = h->flat[t * h->each] - h->flat[0];
        for (int64_t i = 0; i < h->each; i++)
            if (h->slot[t * h->each + i] != h->slot[i] || h->flat[t * h->each + i] - h->flat[i] != moved[t])
                return false;
    }
    return true;
}

/* moved[t] as a sum over the bits of t, neighbours that double joined. */
static bool as_terms(struct copy *f, const int64_t *moved)
{
    f->term_count = 0;
    for (uint32_t bit = 0; (INT64_C(1) << bit) < f->threads; bit++) {
        const int64_t factor = moved[INT64_C(1) << bit];
        struct copy_term *last = f->term_count == 0 ? NULL : &f->term[f->term_count - 1];
        if (last != NULL && factor == last->factor * (last->mask + 1) && last->shift + 1 <= bit)
            last->mask = 2 * last->mask + 1;
        else if (factor != 0)
            f->term[f->term_count++] = (struct copy_term){bit, 1, factor};
    }
    for (int64_t t = 0; t < f->threads; t++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < f->term_count; i++)
            sum += (t >> f->term[i].shift & f->term[i].mask) * f->term[i].factor;
        if (sum != moved[t])
            return false;
    }
    return true;
}

static void read_distributed(struct dispatch_call *c, struct copy_side *s)
{
    struct copy *f = copy_of(c);
    const struct layout *l = s->region->view->layout;
    struct holdings h;
    if (!counts_scope(tw_layout_axes(l) & ~AXIS_BIT(AXIS_M), c->op->scope) || tw_layout_replicas(l) != 1) {
        tw_dispatch_refuse(c, s->arg->at, "'%s' is distributed by %s, which is not how scope %s counts its threads",
                           s->storage->name, tw_layout_text(c->arena, l), tw_ir_exec_scope_name(c->op->scope));
        return;
    }
    int64_t *moved = arena_new(c->arena, int64_t, (size_t)f->threads);
    if (!collect(c, s, &h) || !same_for_all(&h, moved) || !as_terms(f, moved)) {
        tw_dispatch_refuse(c, s->arg->at, "the threads hold unlike parts of '%s' by %s", s->storage->name,
                           tw_layout_text(c->arena, l));
        return;
    }
    s->slots = h.slot;
    f->count = h.each;
    f->base = h.flat;
    f->rest = f->threads;
}

static void read_own(struct dispatch_call *c, struct copy_side *s)
{
    const struct copy *f = copy_of(c);
    int64_t coord[TW_MAX_RANK], at[AXIS_COUNT];
    s->slots = arena_new(c->arena, int64_t, (size_t)f->elems);
    for (int64_t flat = 0; flat < f->elems; flat++) {
        if (!coordinates(c, s, flat, coord)) {
            tw_dispatch_refuse(c, s->arg->at, "'%s' is in registers, and its region starts at a run-time index", s->storage->name);
            return;
        }
        place_of(s, coord, at);
        s->slots[flat] = at[AXIS_M];
    }
}

/* ---- threads -------------------------------------------------------------------------------------- */

/* The threads of the CTA that get here: first, count. False if that is known at run time alone, or they are no range. */
static bool active_range(const struct dispatch_call *c, int64_t *first, int64_t *count)
{
    const uint8_t *active = tw_tile_active(c->guards);
    *first = -1;
    *count = 0;
    for (uint32_t t = 0; t < tw_tile_block_threads(c->k); t++) {
        if (!active[t])
            continue;
        if (!tw_dispatch_decides(c, t) || (*first >= 0 && *first + *count != t))
            return false;
        *first = *first < 0 ? t : *first;
        ++*count;
    }
    return *count > 0;
}

static bool read_scope(struct dispatch_call *c)
{
    static const struct {
        int64_t unit;
        enum ir_coord coord;
    } scopes[] = {
        [IR_THREAD_SCOPE] = {1, IR_FLAT_TID},
        [IR_WARP_SCOPE] = {TW_WARP_LANES, IR_LANE_ID},
        [IR_WARPGROUP_SCOPE] = {128, IR_TID_IN_WARPGROUP},
        [IR_CTA_SCOPE] = {0, IR_FLAT_TID},
    };
    struct copy *f = copy_of(c);
    const enum ir_exec_scope scope = c->op->scope;
    int64_t first, count;
    if (scope == IR_CLUSTER_SCOPE) {
        tw_dispatch_refuse(c, c->op->opcode_at, "unsupported exec_scope %s", tw_ir_exec_scope_name(scope));
        return false;
    }
    f->coord = scopes[scope].coord;
    f->threads = 1;
    if (scope == IR_THREAD_SCOPE)
        return true;
    if (!active_range(c, &first, &count)) {
        tw_dispatch_refuse(c, c->op->opcode_at, "which threads share the copy is known at run time alone");
        return false;
    }
    f->threads = scope == IR_CTA_SCOPE ? count : scopes[scope].unit;
    f->first = scope == IR_CTA_SCOPE ? first : 0;
    if (scope == IR_CTA_SCOPE || (first % f->threads == 0 && count % f->threads == 0))
        return true;
    tw_dispatch_refuse(c, c->op->opcode_at, "threads %lld to %lld reach the call; scope %s means whole groups of %lld",
                       (long long)first, (long long)(first + count - 1), tw_ir_exec_scope_name(scope), (long long)f->threads);
    return false;
}

void tw_copy_judge_threads(struct dispatch_call *c)
{
    struct copy *f = copy_of(c);
    if (!read_scope(c))
        return;
    for (int o = 0; o < COPY_OPERANDS; o++) {
        struct copy_side *s = &f->side[o];
        if (s->storage->scope != IR_LOCAL)
            continue;
        if (s->distributed)
            read_distributed(c, s);
        else if (f->threads == 1)
            read_own(c, s);
        else
            tw_dispatch_refuse(c, s->arg->at, "every thread has a '%s' of its own; %s", s->storage->name,
                               "give it a layout over the threads, or copy at thread scope");
    }
    if (f->side[COPY_DST].distributed && f->side[COPY_SRC].distributed)
        tw_dispatch_refuse(c, c->op->opcode_at, "both operands are distributed registers");
}

/* ---- width ---------------------------------------------------------------------------------------- */

static int64_t base_align(const struct ir_storage *s)
{
    const bool allocated = s->scope == IR_GLOBAL && !s->align_stated && s->align_bytes < TW_DEVICE_ALLOCATION_ALIGN;
    return allocated ? TW_DEVICE_ALLOCATION_ALIGN : s->align_bytes;
}

/* The dimension whose elements follow each other: the last of more than one. */
static uint32_t run_dimension(const struct ir_region *r)
{
    uint32_t d = r->view->rank - 1;
    while (d > 0 && r->extent[d] == 1)
        d--;
    return d;
}

/* Every aligned run of `vec` elements along the last dimension is one piece of memory, aligned to itself. */
static bool memory_allows(const struct dispatch_call *c, const struct copy_side *s, int64_t vec)
{
    const struct ir_region *r = s->region;
    const struct ir_view *v = r->view;
    const uint32_t run = run_dimension(r);
    struct shape shape = {.rank = v->rank};
    for (uint32_t d = 0; d < v->rank; d++)
        shape.dim[d] = v->shape[d];
    const struct layout_env env = {.arena = c->arena};
    const struct layout *l = tw_layout_is_bare_swizzle(v->layout) ? v->layout : tw_layout_canonical(&env, v->layout);
    struct grouping g;
    if (vec == 1)
        return true;
    if (l == NULL || !tw_layout_group(&env, l, &shape, &g) || r->extent[run] % vec != 0 || v->offset % vec != 0 ||
        base_align(s->storage) % (vec * v->elem.bits / 8) != 0 || tw_layout_replicas(l) != 1 ||
        tw_layout_axes(l) & ~AXIS_BIT(AXIS_M) || l->offset[AXIS_M] % vec != 0)
        return false;
    if (l->swizzled && (INT64_C(1) << l->swizzle.per_element) % vec != 0)
        return false;
    if (r->start[run] != NULL && tw_ir_divisor_of(c->k, r->start[run]) % vec != 0)
        return false;
    bool found = false;
    for (uint32_t i = g.first[v->rank]; i-- > 0;) {
        const struct iter *it = &g.layout->shard[i];
        const bool inside = i >= g.first[run] && i < g.first[run + 1];
        if (it->extent == 1)
            continue;
        if (inside && !found) {
            found = true;
            if (it->stride != 1 || it->extent % vec != 0)
                return false;
        } else if (it->stride % vec != 0) {
            return false;
        }
    }
    return found;
}

/* Words of a register group are whole registers, in whatever order the words come. */
static bool registers_allow(const struct copy *f, const struct copy_side *s, int64_t vec)
{
    const int64_t per_word = vec * copy_elem_bytes(f) < 4 ? vec : 4 / copy_elem_bytes(f) > 1 ? 4 / copy_elem_bytes(f) : 1;
    if (f->count % vec != 0)
        return false;
    for (int64_t i = 0; i < f->count; i++) {
        const bool first = i % per_word == 0;
        if (first ? s->slots[i] % per_word != 0 : s->slots[i] != s->slots[i - 1] + 1)
            return false;
    }
    return true;
}

/* The elements of a group follow each other, and the group is aligned in the count of elements. */
static bool parts_allow(const struct copy *f, int64_t vec)
{
    for (int64_t i = 0; i < f->count; i++)
        if (i % vec == 0 ? f->base[i] % vec != 0 : f->base[i] != f->base[i - 1] + 1)
            return false;
    for (uint32_t i = 0; i < f->term_count; i++)
        if (f->term[i].factor % vec != 0)
            return false;
    return true;
}

static bool allows(const struct dispatch_call *c, int64_t vec)
{
    const struct copy *f = copy_of(c);
    for (int o = 0; o < COPY_OPERANDS; o++) {
        const struct copy_side *s = &f->side[o];
        if (s->storage->scope == IR_LOCAL ? !registers_allow(f, s, vec) : !memory_allows(c, s, vec))
            return false;
    }
    return f->count % vec == 0 && parts_allow(f, vec);
}

/* Memory to memory: the threads take turns, vec elements each. */
static void deal_out(struct dispatch_call *c, int64_t vec)
{
    struct copy *f = copy_of(c);
    const int64_t groups = f->elems / vec, rounds = (groups + f->threads - 1) / f->threads;
    f->count = rounds * vec;
    f->rest = groups % f->threads == 0 ? f->threads : groups % f->threads;
    f->base = arena_new(c->arena, int64_t, (size_t)f->count);
    for (int64_t i = 0; i < f->count; i++)
        f->base[i] = i / vec * f->threads * vec + i % vec;
    f->term_count = f->threads > 1 ? 1 : 0;
    f->term[0] = (struct copy_term){0, -1, vec};
}

void tw_copy_choose_width(struct dispatch_call *c, int64_t most_bytes)
{
    struct copy *f = copy_of(c);
    const bool dealt = f->side[COPY_DST].distributed || f->side[COPY_SRC].distributed;
    int64_t vec = most_bytes / copy_elem_bytes(f) > 1 ? most_bytes / copy_elem_bytes(f) : 1;
    for (;; vec /= 2) {
        if (f->elems % vec == 0) {
            if (!dealt)
                deal_out(c, vec);
            if (vec == 1 || allows(c, vec))
                break;
        }
    }
    f->vec = vec;
}

/* ---- elements ------------------------------------------------------------------------------------- */

struct ir_region *tw_copy_element(struct dispatch_call *c, const struct copy_side *s, const struct ir_expr *flat)
{
    struct ir_kernel *k = c->k;
    const struct ir_type i32 = tw_ir_int32();
    const struct src_span at = s->arg->at;
    struct ir_region *r = arena_new(k->arena, struct ir_region, 1);
    r->view = s->region->view;
    r->at = at;
    int64_t inner = 1;
    bool first = true;
    for (uint32_t d = r->view->rank; d-- > 0;) {
        r->extent[d] = 1;
        r->start[d] = s->region->start[d] == NULL ? NULL : tw_ir_expr_copy(k, s->region->start[d], NULL);
        if (s->region->extent[d] == 1)
            continue;
        struct ir_expr *x = tw_ir_expr_copy(k, flat, NULL);
        if (!first)
            x = tw_ir_binary(k, IR_FLOORDIV, x, tw_ir_const_int(k, i32, inner, at), at);
        x = tw_ir_binary(k, IR_FLOORMOD, x, tw_ir_const_int(k, i32, s->region->extent[d], at), at);
        r->start[d] = r->start[d] == NULL ? x : tw_ir_binary(k, IR_ADD, tw_ir_cast(k, i32, r->start[d], at), x, at);
        inner *= s->region->extent[d];
        first = false;
    }
    return r;
}

struct ir_region *tw_copy_register(struct dispatch_call *c, const struct ir_storage *s, struct ir_type type, int64_t slot,
                                   uint16_t elem_bits)
{
    const struct layout_env env = {.arena = c->arena, .at = c->stmt->at};
    const struct shape shape = {1, {s->elems * s->elem.bits / type.bits}};
    struct ir_storage *owner_of = c->k->storages.at[s->id];
    struct ir_region *r = arena_new(c->k->arena, struct ir_region, 1);
    r->view = tw_ir_view_new(c->k, owner_of, type, 1, shape.dim, tw_layout_default(&env, &shape), 0, c->stmt->at);
    r->start[0] = tw_ir_const_int(c->k, tw_ir_int32(), slot * elem_bits / type.bits, c->stmt->at);
    r->extent[0] = 1;
    r->at = c->stmt->at;
    return r;
}
