/* The tensor map of a tensor copy, and the proof that the copy puts every element of the box where the shared layout has it.
 *
 * The map describes the trailing dimensions of the global operand's view. Leading ones, repeats, must continue one of them:
 * then a repeat is a step of that coordinate. The swizzle is the shared layout's. The place of every element of the box, by
 * the copy's own address function (ptx-async 4.5), is compared with the layout; addresses are relative to the storage, which
 * is aligned to the pattern's period. */
#include "tile/tma.h"

#include "tile/tensor_copy.h"

#include <string.h>

/* ---- the tensor ------------------------------------------------------------------------------------------ */

/* Dimensions of the global view: extent and stride in elements. */
struct dims {
    uint32_t rank;
    int64_t extent[TW_MAX_RANK], stride[TW_MAX_RANK];
};

static bool no_map(struct tile_call *c, const struct tma *t, const char *expected, const char *fix)
{
    const struct tile_operand *o = &c->operand[t->global];
    struct diag *d = tw_tile_error(c, t->global, E0431, ": no tensor map of rank %u describes this view", t->rank);
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s of layout %s", tw_ir_type_name(o->view->elem), tw_layout_text(c->arena, o->view->layout));
    if (fix != NULL)
        tw_diag_fix(d, "%s", fix);
    return false;
}

static bool several_strides(struct tile_call *c, const struct tma *t)
{
    return no_map(c, t, "dimensions of one stride each", "split a dimension of several strides into its parts, with .rearrange(...)");
}

static bool read_dims(struct tile_call *c, const struct tma *t, struct dims *out)
{
    const struct ir_view *v = c->operand[t->global].view;
    const struct layout_env env = {.arena = c->arena};
    struct shape shape = {.rank = v->rank};
    struct grouping g;
    memcpy(shape.dim, v->shape, sizeof shape.dim);
    if (!tw_layout_group(&env, tw_layout_canonical(&env, v->layout), &shape, &g))
        return several_strides(c, t);
    *out = (struct dims){.rank = v->rank};
    for (uint32_t d = 0; d < v->rank; d++) {
        out->extent[d] = v->shape[d];
        bool any = false;
        for (uint32_t i = g.first[d]; i < g.first[d + 1]; i++) {
            const struct iter *it = &g.layout->shard[i];
            if (it->extent == 1)
                continue;
            if (any || it->axis != AXIS_M || it->stride < 0)
                return several_strides(c, t);
            any = true;
            out->stride[d] = it->stride;
        }
    }
    return true;
}

/* A dimension that others continue has no end of its own in the map: the box must be known to stay inside it. */
static bool stays_inside(const struct tile_call *c, const struct tma *t, uint32_t d)
{
    const struct ir_expr *start = c->operand[t->global].arg->region->start[d];
    return !t->has_coords && (start == NULL || start->op == IR_CONST);
}

/* Joins leading dimension `d` to the trailing dimension that it continues. */
static bool join(struct tile_call *c, struct tma *t, struct dims *dims, uint32_t d)
{
    const uint32_t first = dims->rank - t->rank;
    t->joins[d] = (struct tma_join){0, 0};
    if (dims->extent[d] == 1)
        return true;
    for (uint32_t j = first; j < dims->rank; j++) {
        const int64_t stride = dims->extent[j] == 1 && j + 1 == dims->rank ? 1 : dims->stride[j];
        if (stride == 0 || dims->stride[d] != stride * dims->extent[j] || !stays_inside(c, t, j))
            continue;
        t->joins[d] = (struct tma_join){j - first, dims->extent[j]};
        dims->stride[j] = stride;
        dims->extent[j] *= dims->extent[d];
        return true;
    }
    return no_map(c, t, tw_format(c->arena, "dimension %u, %lld elements a step, to continue one that the map has and that the box is "
                                            "known to stay inside", d, (long long)dims->stride[d]),
                  tw_format(c->arena, "make dimension %u one of the instruction's", d));
}

/* The trailing dimensions, with all that continues them, as a view of their own. */
static struct ir_view *map_view(struct tile_call *c, const struct tma *t, const struct dims *dims)
{
    const struct ir_view *v = c->operand[t->global].view;
    const struct layout_env env = {.arena = c->arena};
    struct iter iters[TENSOR_MAP_RANK];
    struct ir_view *out = arena_new(c->arena, struct ir_view, 1);
    *out = *v;
    out->rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++) {
        const uint32_t d = dims->rank - t->rank + i;
        out->shape[i] = dims->extent[d];
        iters[i] = (struct iter){dims->extent[d], dims->stride[d], AXIS_M};
    }
    struct layout_parts parts = {.shard_count = t->rank, .shard = iters};
    memcpy(parts.offset, v->layout->offset, sizeof parts.offset);
    out->layout = tw_layout_make(&env, &parts);
    return out;
}

/* ---- the map ------------------------------------------------------------------------------------------------ */

static uint32_t choice(const struct tile_call *c, const char *param, const char *const *names)
{
    const char *text = tw_tile_text(c, param);
    for (uint32_t i = 0; text != NULL && names[i] != NULL; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return 0;
}

static bool find_swizzle(struct tile_call *c, struct tma *t)
{
    if (t->shared == UINT32_MAX) {
        const char *text = tw_tile_text(c, "swizzle");
        t->swizzle = text == NULL ? TMAP_SWIZZLE_NONE : tw_tensor_map_swizzle_find(tw_str(text));
        return true;
    }
    const struct tile_operand *o = &c->operand[t->shared];
    if (tw_tensor_copy_swizzle(o->layout, o->view->elem.bits, &t->swizzle))
        return true;
    struct diag *d = tw_tile_error(c, t->shared, E0432, ": no tensor copy has this layout's swizzle");
    tw_diag_expected(d, "no swizzle, or one of the hardware's for elements of %u bits", o->view->elem.bits);
    tw_diag_found(d, "%s", tw_layout_text(c->arena, o->layout));
    tw_diag_fix(d, "give '%s' a layout from mma_shared_layout(dtype, mode, shape)", o->storage->name);
    return false;
}

static bool check_reduction(struct tile_call *c, const struct tma *t, enum tensor_map_type type)
{
    const unsigned op = isa_spelling_mod(&c->spelling, SLOT_OP);
    if (c->family->op != OP_TENSOR_REDUCE || tw_tensor_copy_reduces(type, op))
        return true;
    struct text list;
    tw_text_init(&list, c->arena);
    for (unsigned i = 0; i < TMAP_TYPE_COUNT; i++)
        if (tw_tensor_copy_reduces((enum tensor_map_type)i, op))
            tw_text_addf(&list, "%s%s", list.len == 0 ? "" : ", ", tw_tensor_map_type((enum tensor_map_type)i)->name);
    struct diag *d = tw_tile_error(c, t->global, E0409, " has elements that .%s does not work on", isa_mod_row(op)->text);
    tw_diag_expected(d, "one of: %s", list.at);
    tw_diag_found(d, "%s", tw_tensor_map_type(type)->name);
    tw_diag_fix(d, "declare '%s' with such elements, or write another operation in place of .%s", c->operand[t->global].storage->name,
                isa_mod_row(op)->text);
    return false;
}

/* Packed elements that are padded in shared memory have no place of their own there. */
static bool check_type(struct tile_call *c, const struct tma *t, enum tensor_map_type type)
{
    const struct tensor_map_type_row *row = tw_tensor_map_type(type);
    if (row->global_bits == row->shared_bits)
        return check_reduction(c, t, type);
    struct diag *d = tw_tile_error(c, t->global, E0409, " has elements that are padded in shared memory");
    tw_diag_expected(d, "a type of whole bytes, or float4_e2m1fn");
    tw_diag_found(d, "%s", row->name);
    tw_diag_fix(d, "describe the map with T.TensorMap(...), and call the instruction as a raw one");
    return false;
}

static bool read_type(struct tile_call *c, const struct tma *t, enum tensor_map_type *type)
{
    const char *text = tw_tile_text(c, "map_type");
    if (text == NULL)
        return true;
    *type = tw_tensor_map_type_find(tw_str(text));
    if (c->operand[t->global].view->elem.format == NUM_F32)
        return true;
    struct diag *d = tw_diag(c->diags, E0405, tw_tile_param(c, "map_type")->at, "parameter 'map_type' of %s", c->mnemonic);
    tw_diag_expected(d, "a tensor of float32 for \"%s\"", text);
    tw_diag_found(d, "%s", tw_ir_type_name(c->operand[t->global].view->elem));
    tw_diag_fix(d, "leave map_type out: the map takes the tensor's own type");
    return false;
}

/* The box, or the pixels and channels of an im2col map, innermost first. */
static void set_extent(const struct tma *t, struct tensor_map *m)
{
    for (uint32_t d = 0; d < t->rank; d++)
        m->element_strides[d] = t->steps[t->rank - 1 - d];
    if (!t->im2col) {
        for (uint32_t d = 0; d < t->rank; d++)
            m->box[d] = (uint32_t)t->box[t->rank - 1 - d];
        return;
    }
    m->mode = TMAP_IM2COL;
    m->pixels = (uint32_t)t->box[0];
    m->channels = (uint32_t)t->box[1];
    for (uint32_t d = 0; d < t->rank - 2; d++) {
        m->lower[d] = t->corner[0][t->rank - 3 - d];
        m->upper[d] = t->corner[1][t->rank - 3 - d];
    }
}

bool tw_tma_make_map(struct tile_call *c, struct tma *t)
{
    struct ir_map map = {.tensor = c->operand[t->global].storage};
    struct dims dims = {0};
    if (!read_dims(c, t, &dims))
        return false;
    for (uint32_t d = dims.rank - t->rank; d-- > 0;)
        if (!join(c, t, &dims, d))
            return false;
    const char *why = tw_ir_map_tensor(c->arena, map_view(c, t, &dims), &map.map);
    if (why != NULL)
        return no_map(c, t, why, NULL);
    if (!read_type(c, t, &map.map.type) || !check_type(c, t, map.map.type) || !find_swizzle(c, t))
        return false;
    set_extent(t, &map.map);
    map.map.swizzle = t->swizzle;
    map.map.fill = (enum tensor_map_fill)choice(c, "oob", tw_tensor_map_fill_names);
    map.map.l2 = (enum tensor_map_l2)choice(c, "l2", tw_tensor_map_l2_names);
    const struct src_span at = c->operand[t->global].arg->at;
    const char *name = tw_format(c->arena, "%s_map", map.tensor->name);
    if (!tw_ir_map_check(c->k, c->diags, &map, TENSOR_MAP_NEWEST_SM, name, at))
        return false;
    t->map = tw_ir_map_shared(c->k, &map, at);
    return true;
}

/* ---- the box in shared memory --------------------------------------------------------------------------------- */

struct box_walk {
    struct tile_call *c;
    const struct tma *t;
    const struct tile_operand *o;
    const int64_t *group;
    uint32_t bits;
};

static int64_t layout_bit(const struct box_walk *w, const int64_t coord[TILE_MAX_ATOM])
{
    const int64_t flat = tw_tile_flat(w->c, w->o, w->group, coord);
    return (tw_layout_address(w->o->layout, flat) + w->o->view->offset) * (int64_t)w->bits;
}

static int64_t pitch_of(const struct box_walk *w)
{
    return tw_tensor_copy_pitch(w->t->swizzle, w->bits, w->c->symbol[TILE_BOX + w->t->box_rank - 1]);
}

/* Where the copy puts an element of the box that starts at byte `origin`. */
static int64_t copy_bit(const struct box_walk *w, int64_t origin, const int64_t coord[TILE_MAX_ATOM])
{
    const uint32_t inner = w->t->box_rank - 1;
    int64_t row = 0;
    for (uint32_t i = 0; i < inner; i++)
        row = row * w->c->symbol[TILE_BOX + i] + coord[i];
    return tw_tensor_copy_bit(w->t->swizzle, w->bits, pitch_of(w), origin, row, coord[inner]);
}

static bool next_coord(const struct box_walk *w, int64_t coord[TILE_MAX_ATOM])
{
    for (uint32_t i = w->t->box_rank; i-- > 0;) {
        if (++coord[i] < w->c->symbol[TILE_BOX + i])
            return true;
        coord[i] = 0;
    }
    return false;
}

static bool check_origin(const struct box_walk *w, int64_t origin)
{
    const int64_t zero[TILE_MAX_ATOM] = {0};
    if (origin >= 0 && origin % TENSOR_COPY_ALIGN == 0 && layout_bit(w, zero) % 8 == 0)
        return true;
    struct diag *d = tw_tile_error(w->c, w->t->shared, E0428, ": the box starts at byte %lld of '%s'", (long long)origin,
                                   w->o->storage->name);
    tw_diag_expected(d, "a multiple of %d bytes", TENSOR_COPY_ALIGN);
    tw_diag_fix(d, "choose starts and strides that are multiples of %u elements", 8 * TENSOR_COPY_ALIGN / w->bits);
    tw_diag_found(d, "layout %s", tw_layout_text(w->c->arena, w->o->layout));
    tw_tile_show_declaration(d, w->o->storage);
    return false;
}

static bool prove(const struct box_walk *w, int64_t origin)
{
    int64_t coord[TILE_MAX_ATOM] = {0};
    do {
        const int64_t want = copy_bit(w, origin, coord), found = layout_bit(w, coord);
        if (want == found)
            continue;
        const char *element = tw_tile_coord(w->c, w->o, coord);
        struct diag *d = tw_tile_error(w->c, w->t->shared, E0432, ": element %s is not where the copy puts it", element);
        tw_diag_expected(d, "byte %lld of '%s': rows of %lld bytes one after another, swizzle %s", (long long)want / 8, w->o->storage->name,
                         (long long)pitch_of(w) / 8, tw_tensor_map_swizzle(w->t->swizzle)->name);
        tw_diag_found(d, "byte %lld, by layout %s", (long long)found / 8, tw_layout_text(w->c->arena, w->o->layout));
        tw_diag_fix(d, "give '%s' a layout from mma_shared_layout(dtype, mode, shape), with boxes of its rows", w->o->storage->name);
        tw_tile_show_declaration(d, w->o->storage);
        return false;
    } while (next_coord(w, coord));
    return true;
}

static bool check_memory(const struct box_walk *w)
{
    const struct layout *l = w->o->layout;
    if (tw_tensor_copy_is_linear(l))
        return true;
    struct diag *d = tw_tile_error(w->c, w->t->shared, E0432, ": an element has no address of its own");
    tw_diag_expected(d, "one byte address for every element");
    tw_diag_found(d, "%s", tw_layout_text(w->c->arena, l));
    tw_diag_fix(d, "give '%s' a layout from mma_shared_layout(dtype, mode, shape)", w->o->storage->name);
    return false;
}

static bool check_alignment(const struct box_walk *w)
{
    const struct ir_storage *s = w->o->storage;
    const uint32_t need = tw_tensor_copy_align(w->t->swizzle);
    if (s->align_bytes % need == 0)
        return true;
    struct diag *d = tw_tile_error(w->c, w->t->shared, E0423, ": '%s' is aligned to %u bytes", s->name, s->align_bytes);
    tw_diag_expected(d, "%u bytes, %s", need,
                     need == TENSOR_COPY_ALIGN ? "what a tensor copy needs of a shared address" : "one period of the swizzle");
    tw_diag_found(d, "align=%u", s->align_bytes);
    tw_diag_fix(d, "write align=%u where '%s' is allocated", need, s->name);
    tw_tile_show_declaration(d, s);
    return false;
}

/* A run-time index of the shared operand steps by a fixed distance; it must keep the start aligned. */
static bool check_starts(const struct box_walk *w)
{
    for (uint32_t i = 0; i < w->o->start_count; i++) {
        const int64_t bits = w->o->starts[i].step * w->bits;
        if (bits % (8 * TENSOR_COPY_ALIGN) == 0)
            continue;
        struct diag *d = tw_diag(w->c->diags, E0428, w->o->starts[i].value->at, "%s: a run-time index moves the box by %lld bits",
                                 tw_tile_operand_name(w->c, w->t->shared), (long long)bits);
        tw_diag_expected(d, "steps of %d bytes", TENSOR_COPY_ALIGN);
        tw_tile_suggest_step(w->o, w->o->starts[i].step, 8 * TENSOR_COPY_ALIGN / w->bits, d);
        return false;
    }
    return true;
}

static bool place(struct box_walk *w, struct tile_place *p)
{
    const struct tile_crew *crew = &w->c->crew;
    int64_t *origins = arena_new(w->c->arena, int64_t, crew->member_count);
    const int64_t zero[TILE_MAX_ATOM] = {0};
    for (uint32_t m = 0; m < crew->member_count; m++) {
        w->group = crew->members[m].group;
        /* Every swizzle is its own inverse: the bits it reads are not those it changes. */
        origins[m] = (int64_t)tw_tensor_map_swizzled(w->t->swizzle, (uint32_t)(layout_bit(w, zero) / 8));
        if (!check_origin(w, origins[m]) || !prove(w, origins[m]))
            return false;
    }
    if (tw_tile_fit(w->c, origins, &p->origin))
        return true;
    struct diag *d = tw_tile_error(w->c, w->t->shared, E0419, ": the addresses of the group are no fixed step apart");
    tw_diag_expected(d, "the same step from each member to the next, along every axis of the group");
    tw_diag_found(d, "layout %s", tw_layout_text(w->c->arena, w->o->layout));
    tw_diag_fix(d, "lay out each group axis of '%s' with one stride", w->o->storage->name);
    return false;
}

const struct tile_place *tw_tma_place(struct tile_call *c, const struct tma *t)
{
    struct tile_place **remembered = tw_tile_place_slot(c, t->shared);
    if (*remembered != NULL)
        return *remembered;
    const struct tile_operand *o = &c->operand[t->shared];
    struct box_walk w = {.c = c, .t = t, .o = o, .bits = o->view->elem.bits};
    struct tile_place *p = arena_new(c->arena, struct tile_place, 1);
    if (!check_memory(&w) || !check_alignment(&w) || !check_starts(&w) || !place(&w, p))
        return NULL;
    *remembered = p;
    return p;
}
