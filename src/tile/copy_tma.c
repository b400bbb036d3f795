/* The variants "tma_auto" and "tma_explicit" of copy_async: one thread hands a box of a tensor parameter to the copy
 * engine, from global to shared memory or back. The tensor map is a parameter that the launch fills in; it follows from
 * the tensor, the box, and the swizzle of the shared layout.
 *
 * The engine writes a box densely, innermost first, and permutes the bytes by the swizzle. How large a box may be is
 * therefore read off the shared layout, dimension by dimension from the innermost: as many elements as lie the right
 * distance apart. tma_auto repeats the instruction until the region is covered; tma_explicit wants it in one. Every
 * element of every box is then looked up in the layout, so that what the engine does is proven, not assumed.
 * Completion is the caller's. SOURCE: kernel-language-tile 8.2; PTX ISA, cp.async.bulk.tensor. */
#include "tile/copy.h"

#include "ir/ir_walk.h"
#include "tile/bulk.h"
#include "tile/tensor_copy.h"

#include <string.h>

enum {
    MAX_BOX = 256,        /* elements of a box dimension. SOURCE: CUDA driver API, cuTensorMapEncodeTiled */
    MAX_BOXES = 1024      /* instructions of one call */
};

struct tma {
    const struct ir_arg *tensor, *tile; /* global, shared */
    bool is_load;
    uint32_t rank;
    struct ir_map map;
    uint32_t dims[TENSOR_MAP_RANK];     /* of the shared region: the dimension of each of the tensor's, by its own order */
    bool paired[TENSOR_MAP_RANK];       /* false: the tensor's dimension has one element */
    int64_t box[TENSOR_MAP_RANK];       /* in the tensor's order */
    const struct ir_arg *mbar, *mask, *hint;
    int64_t cta_group;
    bool reduces;
};

static struct tma *tma_of(const struct dispatch_call *c)
{
    return c->facts;
}

/* ---- keywords --------------------------------------------------------------------------------------- */

static bool is_value(const struct ir_arg *a)
{
    return a->kind == IR_ARG_EXPR || a->kind == IR_ARG_INT;
}

static void judge_memories(struct dispatch_call *c)
{
    struct tma *f = tma_of(c);
    const struct ir_arg *dst = &c->op->operands[COPY_DST], *src = &c->op->operands[COPY_SRC];
    const bool regions = dst->kind == IR_ARG_REGION && src->kind == IR_ARG_REGION;
    const enum ir_scope to = regions ? dst->region->view->storage->scope : IR_LOCAL;
    const enum ir_scope from = regions ? src->region->view->storage->scope : IR_LOCAL;
    f->is_load = to == IR_SHARED && from == IR_GLOBAL;
    f->tensor = f->is_load ? src : dst;
    f->tile = f->is_load ? dst : src;
    if (!f->is_load && !(to == IR_GLOBAL && from == IR_SHARED))
        tw_dispatch_refuse(c, c->op->opcode_at, "it copies between global and shared memory");
    else if (!tw_ir_type_equal(dst->region->view->elem, src->region->view->elem))
        tw_dispatch_refuse(c, src->at, "operand src is %s, and operand dst %s", tw_ir_type_name(src->region->view->elem),
                           tw_ir_type_name(dst->region->view->elem));
}

static void read_fill(struct dispatch_call *c)
{
    const struct ir_arg *a = tw_dispatch_param(c, "oob");
    if (a == NULL || a->kind == IR_ARG_NONE || (a->kind == IR_ARG_STR && strcmp(a->text, "zero") == 0))
        return;
    if (a->kind == IR_ARG_STR && strcmp(a->text, "nan") == 0)
        tma_of(c)->map.map.fill = TMAP_FILL_NAN;
    else
        tw_dispatch_refuse(c, a->at, "'oob' is \"zero\" or \"nan\"");
}

static void read_load(struct dispatch_call *c)
{
    struct tma *f = tma_of(c);
    const struct ir_arg *group = tw_dispatch_param(c, "cta_group");
    f->mbar = tw_dispatch_param(c, "mbar");
    f->mask = tw_dispatch_param(c, "cta_mask");
    f->cta_group = group == NULL ? 1 : group->value;
    read_fill(c);
    const bool in_shared = f->mbar != NULL && f->mbar->kind == IR_ARG_REGION &&
                           f->mbar->region->view->storage->scope == IR_SHARED;
    if (f->mbar == NULL || (f->mbar->kind != IR_ARG_EXPR && !in_shared))
        tw_dispatch_refuse(c, f->mbar == NULL ? c->op->opcode_at : f->mbar->at,
                           "a load needs 'mbar', a pointer to the barrier that counts its bytes");
    if (f->mask != NULL && f->mask->kind == IR_ARG_NONE)
        f->mask = NULL;
    int64_t mask;
    if (f->mask != NULL && (!is_value(f->mask) || (tw_bulk_known(f->mask, &mask) && (mask < 0 || mask > UINT16_MAX))))
        tw_dispatch_refuse(c, f->mask->at, "'cta_mask' is an integer of 16 bits, one for each CTA of the cluster");
    if (group != NULL && (group->kind != IR_ARG_INT || group->value < 1 || group->value > 2))
        tw_dispatch_refuse(c, group->at, "'cta_group' is 1 or 2");
}

static void read_store(struct dispatch_call *c)
{
    const struct ir_arg *a = tw_dispatch_param(c, "use_tma_reduce");
    if (a == NULL || a->kind == IR_ARG_NONE)
        return;
    tma_of(c)->reduces = a->kind == IR_ARG_STR && strcmp(a->text, "add") == 0;
    if (!tma_of(c)->reduces)
        tw_dispatch_refuse(c, a->at, "'use_tma_reduce' is \"add\"");
}

static void judge_keywords(struct dispatch_call *c)
{
    struct tma *f = tma_of(c);
    tw_copy_judge_keywords(c, f->is_load ? "dispatch|mbar|cta_mask|cta_group|cache_hint|oob"
                                         : "dispatch|cta_group|cache_hint|use_tma_reduce");
    f->hint = tw_dispatch_param(c, "cache_hint");
    if (f->hint != NULL && f->hint->kind == IR_ARG_NONE)
        f->hint = NULL;
    if (f->hint != NULL && !is_value(f->hint))
        tw_dispatch_refuse(c, f->hint->at, "'cache_hint' is a 64-bit policy");
    if (f->is_load)
        read_load(c);
    else
        read_store(c);
}

/* ---- who ----------------------------------------------------------------------------------------------- */

/* No count: an elected lane, or another choice made at run time. */
static void judge_scope(struct dispatch_call *c)
{
    const uint32_t count = tw_dispatch_threads(c);
    if (c->op->scope != IR_THREAD_SCOPE)
        tw_dispatch_refuse(c, c->op->opcode_at, "unsupported exec_scope %s", tw_ir_exec_scope_name(c->op->scope));
    else if (count > 1)
        tw_dispatch_refuse(c, c->op->opcode_at, "%u threads reach the call, and each would copy", count);
}

/* ---- the tensor and the region --------------------------------------------------------------------------- */

static void judge_tensor(struct dispatch_call *c)
{
    struct tma *f = tma_of(c);
    const struct ir_view *v = f->tensor->region->view;
    if (v->storage->param < 0) {
        tw_dispatch_refuse(c, f->tensor->at, "'%s' is no parameter, and a map describes a tensor of the caller", v->storage->name);
        return;
    }
    const char *why = tw_ir_map_tensor(c->arena, v, &f->map.map);
    if (why != NULL)
        tw_dispatch_refuse(c, f->tensor->at, "%s", why);
    else if (f->reduces && !tw_tensor_copy_reduces(f->map.map.type, MOD_ADD))
        tw_dispatch_refuse(c, f->tensor->at, "the engine does not add elements of %s", tw_ir_type_name(v->elem));
    f->map.tensor = v->storage;
    f->rank = v->rank;
}

/* Dimensions of more than one element go together in order. */
static void judge_shapes(struct dispatch_call *c)
{
    struct tma *f = tma_of(c);
    const struct ir_region *g = f->tensor->region, *s = f->tile->region;
    uint32_t next = 0;
    bool fits = true;
    for (uint32_t d = 0; d < f->rank; d++) {
        f->paired[d] = g->extent[d] != 1;
        if (!f->paired[d])
            continue;
        while (next < s->view->rank && s->extent[next] == 1)
            next++;
        fits = fits && next < s->view->rank && s->extent[next] == g->extent[d];
        f->dims[d] = next++;
    }
    for (; next < s->view->rank; next++)
        fits = fits && s->extent[next] == 1;
    if (!fits)
        tw_dispatch_refuse(c, f->tile->at, "the regions of '%s' and '%s' have unlike extents", g->view->storage->name,
                           s->view->storage->name);
}

/* ---- the box --------------------------------------------------------------------------------------------- */

/* The element of the shared layout that the tensor's coordinate (relative to the region) is; run-time starts count as 0. */
static int64_t flat_of(const struct tma *f, const int64_t *coord)
{
    const struct ir_region *s = f->tile->region;
    struct shape shape = {.rank = s->view->rank};
    int64_t at[TW_MAX_RANK];
    for (uint32_t d = 0; d < shape.rank; d++) {
        shape.dim[d] = s->view->shape[d];
        at[d] = 0;
        if (s->start[d] != NULL && !tw_ir_is_const_int(s->start[d], &at[d]))
            at[d] = 0;
    }
    for (uint32_t d = 0; d < f->rank; d++)
        if (f->paired[d])
            at[f->dims[d]] += coord[d];
    return tw_shape_flat(&shape, at);
}

static int64_t before_swizzle(const struct tma *f, const int64_t *coord)
{
    const struct ir_view *v = f->tile->region->view;
    return tw_layout_preswizzle(v->layout, flat_of(f, coord)) + v->offset;
}

/* How many elements along `dim` lie `step` apart from the region's first on, and divide its extent. */
static int64_t run_length(const struct tma *f, uint32_t dim, int64_t step, int64_t most)
{
    const int64_t extent = f->tensor->region->extent[dim];
    int64_t coord[TENSOR_MAP_RANK] = {0}, run = 1;
    const int64_t origin = before_swizzle(f, coord);
    for (; run < extent && run < most; run++) {
        coord[dim] = run;
        if (before_swizzle(f, coord) != origin + run * step)
            break;
    }
    while (extent % run != 0)
        run--;
    return run;
}

static int64_t boxes(const struct tma *f)
{
    int64_t count = 1;
    for (uint32_t d = 0; d < f->rank; d++)
        count *= f->tensor->region->extent[d] / f->box[d];
    return count;
}

static void read_box(struct tma *f)
{
    const int64_t span = tw_tensor_map_swizzle(f->map.map.swizzle)->span_bytes * 8 / f->tile->region->view->elem.bits;
    int64_t step = 1;
    for (uint32_t d = f->rank; d-- > 0;) {
        const int64_t most = d == f->rank - 1 && span != 0 && span < MAX_BOX ? span : MAX_BOX;
        f->box[d] = run_length(f, d, step, most);
        f->map.map.box[f->rank - 1 - d] = (uint32_t)f->box[d];
        step *= d == f->rank - 1 && span != 0 ? span : f->box[d];
    }
}

static void judge_box(struct dispatch_call *c)
{
    struct tma *f = tma_of(c);
    struct tensor_map_fault fault;
    const struct ir_view *v = f->tile->region->view;
    if (!tw_tensor_copy_is_linear(v->layout)) {
        tw_dispatch_refuse(c, f->tile->at, "elements of '%s' have no address of their own: %s", v->storage->name,
                           tw_layout_text(c->arena, v->layout));
        return;
    }
    if (!tw_tensor_copy_swizzle(v->layout, v->elem.bits, &f->map.map.swizzle)) {
        tw_dispatch_refuse(c, f->tile->at, "the layout of '%s' is no swizzle that the copy engine knows", v->storage->name);
        return;
    }
    read_box(f);
    f->map.map.address = tw_ir_map_stand_in(f->map.tensor);
    if (!tw_tensor_map_check(&f->map.map, TENSOR_MAP_NEWEST_SM, c->arena, &fault))
        tw_dispatch_refuse(c, f->tensor->at, "%s of its tensor map breaks a rule: expected %s, found %s",
                           tw_tensor_map_fault_field(&fault, c->arena), fault.expected, fault.found);
    else if (boxes(f) > MAX_BOXES)
        tw_dispatch_refuse(c, f->tile->at, "it would take %lld instructions", (long long)boxes(f));
    f->map.map.address = 0;
}

/* What is known only at run time the machine judges. */
static void judge_start(struct dispatch_call *c)
{
    const struct tma *f = tma_of(c);
    const struct ir_expr *start = f->tensor->region->start[f->rank - 1];
    const uint32_t bits = f->tensor->region->view->elem.bits;
    int64_t at;
    if (start != NULL && tw_ir_is_const_int(start, &at) && !tw_tensor_copy_starts(bits, at))
        tw_dispatch_refuse(c, f->tensor->at, "the region of '%s' starts at byte %lld of its last dimension; the engine wants a "
                                             "multiple of %d", f->map.tensor->name, (long long)(at * bits / 8), TENSOR_COPY_COLUMN);
}

static void judge_one_box(struct dispatch_call *c)
{
    const struct tma *f = tma_of(c);
    if (boxes(f) != 1)
        tw_dispatch_refuse(c, f->tile->at, "the region is no one box: '%s' has it in %lld", f->tile->region->view->storage->name,
                           (long long)boxes(f));
}

/* ---- the proof ------------------------------------------------------------------------------------------- */

/* The next coordinate, last dimension fastest, each going up by `step`; false after the last. */
static bool next_coord(uint32_t rank, const int64_t *extent, const int64_t *step, int64_t *coord)
{
    for (uint32_t d = rank; d-- > 0;) {
        coord[d] += step[d];
        if (coord[d] < extent[d])
            return true;
        coord[d] = 0;
    }
    return false;
}

/* The byte of the storage at which the box at `origin` starts, as the engine is told: before the swizzle. */
static int64_t first_byte(const struct tma *f, const int64_t *origin)
{
    return before_swizzle(f, origin) * f->tile->region->view->elem.bits / 8;
}

/* Every element of the box at `origin` is where the engine puts it, counted from an aligned start of the storage. */
static bool box_is_placed(const struct tma *f, const int64_t *origin)
{
    static const int64_t one[TENSOR_MAP_RANK] = {1, 1, 1, 1, 1};
    const struct ir_view *v = f->tile->region->view;
    const int64_t first = first_byte(f, origin);
    const enum tensor_map_swizzle swizzle = f->map.map.swizzle;
    const int64_t inner = f->box[f->rank - 1], pitch = tw_tensor_copy_pitch(swizzle, v->elem.bits, inner);
    int64_t in_box[TENSOR_MAP_RANK] = {0}, coord[TENSOR_MAP_RANK], count = 0;
    do {
        for (uint32_t d = 0; d < f->rank; d++)
            coord[d] = origin[d] + in_box[d];
        const int64_t have = (tw_layout_address(v->layout, flat_of(f, coord)) + v->offset) * v->elem.bits;
        if (have != tw_tensor_copy_bit(swizzle, v->elem.bits, pitch, first, count / inner, count % inner))
            return false;
        count++;
    } while (next_coord(f->rank, f->box, one, in_box));
    return true;
}

/* The view without its swizzle: the engine permutes the address that it is given itself. */
static struct ir_view *plain_view(struct arena *arena, struct ir_view *v)
{
    const struct layout_env env = {.arena = arena};
    if (!v->layout->swizzled)
        return v;
    struct ir_view *plain = arena_new(arena, struct ir_view, 1);
    *plain = *v;
    plain->layout = tw_layout_tile_of(&env, v->layout);
    return plain;
}

/* Bytes by which a run-time start of dimension `d` moves the box; 0: by no one step, where the region goes on from there. */
static int64_t step_of(const struct ir_region *s, const struct grouping *g, uint32_t d, int64_t aligned)
{
    int64_t step = aligned;
    uint32_t steps = 0;
    for (uint32_t i = g->first[d]; i < g->first[d + 1]; i++) {
        if (g->layout->shard[i].extent == 1)
            continue;
        const int64_t bytes = g->layout->shard[i].stride * s->view->elem.bits / 8;
        step = bytes % aligned != 0 ? bytes : step;
        steps++;
    }
    return steps > 1 && s->extent[d] > 1 ? 0 : step;
}

/* A run-time start must move the whole box, to an address that the engine takes. */
static bool judge_moves(struct dispatch_call *c, const struct tma *f)
{
    const struct ir_region *s = f->tile->region;
    const struct layout_env env = {.arena = c->arena};
    struct shape shape = {.rank = s->view->rank};
    struct grouping g;
    int64_t start;
    memcpy(shape.dim, s->view->shape, sizeof shape.dim);
    if (!tw_layout_group(&env, tw_layout_canonical(&env, plain_view(c->arena, s->view)->layout), &shape, &g)) {
        tw_dispatch_refuse(c, f->tile->at, "the dimensions of '%s' are no parts of its layout", s->view->storage->name);
        return false;
    }
    for (uint32_t d = 0; d < shape.rank; d++) {
        if (s->start[d] == NULL || tw_ir_is_const_int(s->start[d], &start))
            continue;
        const int64_t step = step_of(s, &g, d, TENSOR_COPY_ALIGN);
        if (step != 0 && step % TENSOR_COPY_ALIGN == 0)
            continue;
        if (step == 0)
            tw_dispatch_refuse(c, f->tile->at, "a run-time index moves '%s' by no fixed step", s->view->storage->name);
        else
            tw_dispatch_refuse(c, f->tile->at, "a run-time index moves '%s' by %lld bytes; the engine wants a multiple of %d",
                               s->view->storage->name, (long long)step, TENSOR_COPY_ALIGN);
        return false;
    }
    return true;
}

static void judge_place(struct dispatch_call *c)
{
    const struct tma *f = tma_of(c);
    const struct ir_storage *s = f->tile->region->view->storage;
    const int64_t period = tw_tensor_copy_align(f->map.map.swizzle);
    int64_t origin[TENSOR_MAP_RANK] = {0};
    if (s->align_bytes % period != 0) {
        tw_dispatch_refuse(c, f->tile->at, "'%s' is aligned to %u bytes; the engine wants %lld", s->name, s->align_bytes,
                           (long long)period);
        return;
    }
    if (!judge_moves(c, f))
        return;
    do {
        const int64_t first = first_byte(f, origin);
        if (first % TENSOR_COPY_ALIGN != 0) {
            tw_dispatch_refuse(c, f->tile->at, "a box starts at byte %lld of '%s'; the engine wants a multiple of %d", (long long)first,
                               s->name, TENSOR_COPY_ALIGN);
            return;
        }
        if (!box_is_placed(f, origin)) {
            tw_dispatch_refuse(c, f->tile->at, "the layout of '%s' is not what the engine writes: %s", s->name,
                               tw_layout_text(c->arena, f->tile->region->view->layout));
            return;
        }
    } while (next_coord(f->rank, f->tensor->region->extent, f->box, origin));
}

/* ---- lowering --------------------------------------------------------------------------------------------- */

static struct ir_expr *plus(const struct dispatch_call *c, const struct ir_expr *start, int64_t more, struct src_span at)
{
    const struct ir_type i32 = tw_ir_int32();
    struct ir_expr *n = tw_ir_const_int(c->k, i32, more, at);
    return start == NULL ? n : tw_ir_binary(c->k, IR_ADD, tw_ir_cast(c->k, i32, tw_ir_expr_copy(c->k, start, NULL), at), n, at);
}

/* [map, {coordinates}], innermost first */
static struct ir_ptx_operand tensor_operand(struct dispatch_call *c, struct ir_var *map, const int64_t *origin)
{
    const struct tma *f = tma_of(c);
    const struct ir_region *g = f->tensor->region;
    struct ir_ptx_operand o = {.kind = IR_PTX_TENSOR, .expr = tw_ir_var_ref(c->k, map, f->tensor->at), .at = f->tensor->at};
    o.item_count = f->rank;
    o.items = arena_new(c->k->arena, struct ir_ptx_operand, f->rank);
    for (uint32_t i = 0; i < f->rank; i++) {
        const uint32_t d = f->rank - 1 - i;
        o.items[i] = (struct ir_ptx_operand){
            .kind = IR_PTX_VALUE, .expr = plus(c, g->start[d], origin[d], f->tensor->at), .at = f->tensor->at};
    }
    return o;
}

/* The box's first byte in shared memory. */
static struct ir_ptx_operand shared_operand(struct dispatch_call *c, const int64_t *origin)
{
    const struct tma *f = tma_of(c);
    const struct ir_region *s = f->tile->region;
    struct ir_region *r = arena_new(c->k->arena, struct ir_region, 1);
    r->view = plain_view(c->k->arena, s->view);
    r->at = f->tile->at;
    for (uint32_t d = 0; d < s->view->rank; d++) {
        r->extent[d] = 1;
        r->start[d] = s->start[d] == NULL ? NULL : tw_ir_expr_copy(c->k, s->start[d], NULL);
    }
    for (uint32_t d = 0; d < f->rank; d++)
        if (f->paired[d])
            r->start[f->dims[d]] = plus(c, s->start[f->dims[d]], origin[d], f->tile->at);
    return (struct ir_ptx_operand){.kind = IR_PTX_ADDRESS, .expr = tw_ir_address(c->k, r, f->tile->at), .at = f->tile->at};
}

static struct ir_ptx_operand barrier_operand(struct dispatch_call *c, const struct ir_arg *a)
{
    struct ir_expr *e = a->kind == IR_ARG_EXPR ? tw_ir_expr_copy(c->k, a->expr, NULL) : NULL;
    if (e == NULL) {
        struct ir_region *r = tw_ir_region_copy(c->k, a->region, NULL);
        for (uint32_t d = 0; d < r->view->rank; d++)
            r->extent[d] = 1;
        e = tw_ir_address(c->k, r, a->at);
    }
    return (struct ir_ptx_operand){.kind = IR_PTX_ADDRESS, .expr = e, .at = a->at};
}

static struct ir_ptx_operand number_operand(struct dispatch_call *c, const struct ir_arg *a, enum num_format format)
{
    const struct ir_type type = tw_ir_type_of(format);
    struct ir_expr *e = a->kind == IR_ARG_INT ? tw_ir_const_int(c->k, type, a->value, a->at)
                                              : tw_ir_cast(c->k, type, tw_ir_expr_copy(c->k, a->expr, NULL), a->at);
    return (struct ir_ptx_operand){.kind = IR_PTX_VALUE, .expr = e, .at = a->at};
}

static const char *mnemonic(const struct dispatch_call *c)
{
    const struct tma *f = tma_of(c);
    const char *hint = f->hint == NULL ? "" : ".L2::cache_hint";
    if (f->is_load)
        return tw_format(c->k->arena, "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes%s%s%s",
                         f->rank, f->mask == NULL ? "" : ".multicast::cluster", f->cta_group == 2 ? ".cta_group::2" : "", hint);
    return tw_format(c->k->arena, f->reduces ? "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.add.tile.bulk_group%s"
                                             : "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group%s",
                     f->rank, hint);
}

static void one_box(struct dispatch_call *c, const char *text, struct ir_var *map, const int64_t *origin)
{
    const struct tma *f = tma_of(c);
    enum { MOST_OPERANDS = 5 };
    struct ir_stmt *s = tw_ir_stmt_new(c->k, c->out, IR_PTX, c->stmt->at);
    struct ir_ptx *x = arena_new(c->k->arena, struct ir_ptx, 1);
    s->ptx = x;
    x->mnemonic = text;
    x->operands = arena_new(c->k->arena, struct ir_ptx_operand, MOST_OPERANDS);
    if (f->is_load)
        x->operands[x->operand_count++] = shared_operand(c, origin);
    x->operands[x->operand_count++] = tensor_operand(c, map, origin);
    if (f->is_load)
        x->operands[x->operand_count++] = barrier_operand(c, f->mbar);
    else
        x->operands[x->operand_count++] = shared_operand(c, origin);
    if (f->mask != NULL)
        x->operands[x->operand_count++] = number_operand(c, f->mask, NUM_U16);
    if (f->hint != NULL)
        x->operands[x->operand_count++] = number_operand(c, f->hint, NUM_U64);
}

static void report(struct dispatch_call *c, const char *text)
{
    const struct tma *f = tma_of(c);
    struct shape box = {.rank = f->rank};
    if (!tw_dispatch_first_time(c))
        return;
    memcpy(box.dim, f->box, f->rank * sizeof box.dim[0]);
    struct diag *d = tw_diag(c->diags, E0442, c->op->opcode_at, "%s takes variant %s: %lld x %s", c->op->opcode, c->chosen->name,
                             (long long)boxes(f), text);
    tw_diag_found(d, "box %s of '%s', swizzle %s", tw_shape_text(c->arena, &box), f->map.tensor->name,
                  tw_tensor_map_swizzle(f->map.map.swizzle)->name);
}

static bool lower(struct dispatch_call *c)
{
    const struct tma *f = tma_of(c);
    const char *text = mnemonic(c);
    struct ir_var *map = tw_ir_map_shared(c->k, &f->map, c->stmt->at);
    int64_t origin[TENSOR_MAP_RANK] = {0};
    do
        one_box(c, text, map, origin);
    while (next_coord(f->rank, f->tensor->region->extent, f->box, origin));
    report(c, text);
    return true;
}

/* What both variants ask, in this order. */
enum { MEMORIES, KEYWORDS, SCOPE, TENSOR, SHAPES, BOX, START, ONE_BOX };
#define AFTER(predicate) (1u << (predicate))
#define COMMON                                                                                          \
    [MEMORIES] = {"memories", 0, judge_memories}, [KEYWORDS] = {"keywords", AFTER(MEMORIES), judge_keywords}, \
    [SCOPE] = {"scope", 0, judge_scope}, [TENSOR] = {"tensor", AFTER(MEMORIES), judge_tensor},          \
    [SHAPES] = {"shapes", AFTER(MEMORIES) | AFTER(TENSOR), judge_shapes},                               \
    [BOX] = {"box", AFTER(MEMORIES) | AFTER(TENSOR) | AFTER(SHAPES), judge_box},                        \
    [START] = {"start", AFTER(MEMORIES) | AFTER(TENSOR), judge_start}
#define WHOLE_BOX (AFTER(MEMORIES) | AFTER(TENSOR) | AFTER(SHAPES) | AFTER(BOX))

static const struct dispatch_predicate auto_predicates[] = {
    COMMON,
    {"place", WHOLE_BOX, judge_place},
};
static const struct dispatch_predicate explicit_predicates[] = {
    COMMON,
    [ONE_BOX] = {"one box", WHOLE_BOX, judge_one_box},
    {"place", WHOLE_BOX | AFTER(ONE_BOX), judge_place},
};

const struct dispatch_variant tw_dispatch_copy_tma_auto = {
    .op = "copy_async", .name = "tma_auto", .old_name = "tma", .priority = 20, .facts_bytes = sizeof(struct tma),
    .when = auto_predicates, .when_count = sizeof auto_predicates / sizeof auto_predicates[0], .lower = lower};
const struct dispatch_variant tw_dispatch_copy_tma_explicit = {
    .op = "copy_async", .name = "tma_explicit", .priority = 15, .facts_bytes = sizeof(struct tma),
    .when = explicit_predicates, .when_count = sizeof explicit_predicates / sizeof explicit_predicates[0], .lower = lower};
