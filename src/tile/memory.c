/* Memory operands: what an instruction reaches by one address for each (group, repeat) coordinate.
 *
 * The last axes of the atom are a run: elements one after another from an aligned byte on. Everything else of the
 * coordinate is free, whatever the layout. So the address is not fitted to the group: it is emitted as the address of
 * an element of the operand's own view, in exact integer arithmetic (address.c), swizzles included, and what must
 * hold of the run is proven here for every member of the group and every element.
 *
 * With run-time starts the proof is in two parts. Before the swizzle an address is R + S, where S is what the layout gives
 * with those starts at 0, and R is what they add. R is unknown, but a known power of two divides it (tw_ir_divisor_of); it
 * is the same for the whole run when starts inside the run are multiples of the run's extent. So the elements of S are
 * looked at as in the static case, and the swizzle, which permutes whole units, must not cut the run. */
#include "tile/engine.h"

#include "ir/ir_walk.h"

#include <assert.h>

struct reach {
    struct tile_call *c;
    uint32_t operand;
    const struct tile_operand *o;
    struct tile_run run;
    int64_t elems;      /* in a run */
    int64_t elem_bytes;
    uint32_t run_first; /* dimension where the run begins */
    bool moving;        /* some start is known only at run time */
    int64_t multiple;   /* elements: divides what run-time starts add; 0: they add nothing */
};

/* ---- what the operand is ------------------------------------------------------------------------- */

static bool has_thread_axes(const struct layout *l)
{
    for (int a = 0; a < AXIS_COUNT; a++)
        if (tw_axis_is_thread((enum axis)a) && tw_layout_axes(l) & AXIS_BIT(a))
            return true;
    return false;
}

/* A local tensor that is distributed over threads: each has its own slots, the same in all. */
static bool is_distributed(const struct tile_operand *o)
{
    return o->storage->scope == IR_LOCAL && has_thread_axes(o->layout);
}

static bool check_linear(const struct reach *r)
{
    const struct layout *l = r->o->layout;
    const bool places = (tw_layout_axes(l) & ~AXIS_BIT(AXIS_M)) == 0 && tw_layout_replicas(l) == 1;
    if (places || is_distributed(r->o))
        return true;
    struct diag *d = tw_tile_error(r->c, r->operand, E0427, ": an element has no address of its own");
    tw_diag_expected(d, "one place in linear memory for every element");
    tw_diag_found(d, "layout %s", tw_layout_text(r->c->arena, l));
    if (tw_layout_replicas(l) != 1)
        tw_diag_fix(d, "drop the replica, + R[...], from the layout of '%s'", r->o->storage->name);
    else
        tw_diag_fix(d, "give '%s' a layout of strides in memory alone, without @", r->o->storage->name);
    return false;
}

static bool check_bytes(const struct reach *r)
{
    const struct ir_type t = r->o->view->elem;
    if (t.bits % 8 == 0)
        return true;
    struct diag *d = tw_tile_error(r->c, r->operand, E0409, " has elements of %u bits, which have no address", t.bits);
    tw_diag_expected(d, "elements of whole bytes");
    tw_diag_found(d, "%s", tw_ir_type_name(t));
    tw_diag_fix(d, "take a view of bytes: .view(\"uint8\")");
    return false;
}

/* Where we allocate and nothing is stated, what the instruction needs is given. */
static bool check_storage(const struct reach *r)
{
    struct ir_storage *s = r->o->storage;
    uint32_t have = s->align_bytes;
    if (!s->align_stated && s->scope == IR_GLOBAL && have < TW_DEVICE_ALLOCATION_ALIGN)
        have = TW_DEVICE_ALLOCATION_ALIGN;
    if (!s->align_stated && s->scope == IR_LOCAL && have < r->run.align_bytes)
        have = s->align_bytes = r->run.align_bytes;
    if (have % r->run.align_bytes == 0)
        return true;
    struct diag *d = tw_tile_error(r->c, r->operand, E0423, ": '%s' is aligned to %u bytes", s->name, have);
    tw_diag_expected(d, "%u bytes, what %s needs of an address", r->run.align_bytes, r->c->family->name);
    tw_diag_found(d, "align=%u", have);
    tw_diag_fix(d, "write align=%u where '%s' is declared", r->run.align_bytes, s->name);
    tw_tile_show_declaration(d, s);
    return false;
}

/* ---- run-time starts ------------------------------------------------------------------------------ */

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a < 0 ? -a : a;
}

/* What divides the difference that a start, a multiple of `by`, makes to the digit of one iter, times its stride. */
static int64_t iter_multiple(const struct iter *it, int64_t inner, bool outermost, int64_t by)
{
    if (!outermost && by % (inner * it->extent) == 0)
        return 0;
    const int64_t digits = by % inner != 0 ? 1 : outermost ? by / inner : gcd(by / inner, it->extent);
    return digits * it->stride;
}

static int64_t dimension_multiple(const struct tile_operand *o, uint32_t d, int64_t by)
{
    const struct grouping *g = o->grouping;
    int64_t all = 0, inner = 1;
    for (uint32_t i = g->first[d + 1]; i-- > g->first[d]; inner *= g->layout->shard[i].extent)
        all = gcd(all, iter_multiple(&g->layout->shard[i], inner, i == g->first[d], by));
    return all;
}

/* Whether the elements of a run keep their distances when a start that `by` divides moves them along the dimension. */
static bool run_moves_whole(const struct tile_operand *o, uint32_t d, int64_t by)
{
    const struct grouping *g = o->grouping;
    const int64_t extent = o->shape.dim[d];
    int64_t inner = 1;
    uint32_t steps = 0;
    for (uint32_t i = g->first[d]; i < g->first[d + 1]; i++)
        steps += g->layout->shard[i].extent > 1;
    if (steps <= 1 && !o->layout->swizzled)
        return true; /* a fixed step an element, wherever it starts */
    for (uint32_t i = g->first[d + 1]; i-- > g->first[d]; inner *= g->layout->shard[i].extent)
        if (inner % extent != 0 && extent % inner != 0)
            return false;
    return extent == 1 || by % extent == 0;
}

static int64_t swizzle_unit(const struct layout *l)
{
    return INT64_C(1) << l->swizzle.per_element;
}

/* The start that `by` divides does not tell enough: `need` would have to divide it. */
static bool loose_start(const struct reach *r, uint32_t d, int64_t by, int64_t need)
{
    const struct ir_expr *value = r->o->moves[d];
    struct diag *diag = tw_diag(r->c->diags, E0429, value->at,
                                "%s: the run-time index of dimension %u is not known to be a multiple of %lld",
                                tw_tile_operand_name(r->c, r->operand), d, (long long)need);
    tw_diag_expected(diag, "an index such as %lld * i: %lld elements stay together, from a multiple of %u bytes on",
                     (long long)need, (long long)r->elems, r->run.align_bytes);
    if (by == 1)
        tw_diag_found(diag, "an index that may be any number");
    else
        tw_diag_found(diag, "an index that is a multiple of %lld", (long long)by);
    tw_diag_fix(diag, "where it always is one, write it as %lld * (index // %lld)", (long long)need, (long long)need);
    return false;
}

/* The least power of two that, dividing the start, makes what it adds a multiple of `unit`; 0 if none does. */
static int64_t needed_divisor(const struct tile_operand *o, uint32_t d, int64_t unit)
{
    for (int64_t by = 1; by <= o->view->shape[d] && by > 0; by *= 2)
        if (dimension_multiple(o, d, by) % unit == 0)
            return by;
    return 0;
}

static bool check_start(struct reach *r, uint32_t d, int64_t unit)
{
    const struct tile_operand *o = r->o;
    const int64_t by = tw_ir_divisor_of(r->c->k, o->moves[d]), found = dimension_multiple(o, d, by);
    if (d >= r->run_first && !run_moves_whole(o, d, by))
        return loose_start(r, d, by, o->shape.dim[d]);
    r->multiple = gcd(r->multiple, found);
    if (found % unit == 0)
        return true;
    const int64_t need = needed_divisor(o, d, unit);
    if (need != 0)
        return loose_start(r, d, by, need);
    struct diag *diag = tw_diag(r->c->diags, E0428, o->moves[d]->at,
                                "%s: the run-time index of dimension %u moves the address by %lld bytes",
                                tw_tile_operand_name(r->c, r->operand), d, (long long)(found * r->elem_bytes));
    tw_diag_expected(diag, "steps of %lld bytes", (long long)(unit * r->elem_bytes));
    tw_diag_found(diag, "layout %s", tw_layout_text(r->c->arena, o->view->layout));
    tw_diag_fix(diag, "give '%s' a layout whose strides along dimension %u are multiples of %lld elements", o->storage->name, d,
                (long long)unit);
    return false;
}

/* Elements that a run-time part must be a multiple of: the alignment, and below a swizzle the whole run. */
static int64_t moving_unit(const struct reach *r)
{
    const int64_t align = r->run.align_bytes % r->elem_bytes == 0 ? r->run.align_bytes / r->elem_bytes : 1;
    return r->o->layout->swizzled && r->elems > align ? r->elems : align;
}

static bool check_swizzle(const struct reach *r)
{
    const struct layout *l = r->o->layout;
    if (!r->moving || !l->swizzled || (swizzle_unit(l) % r->elems == 0 && r->run.align_bytes <= r->elems * r->elem_bytes))
        return true;
    struct diag *d = tw_tile_error(r->c, r->operand, E0427,
                                   ": %lld elements are taken at a run-time place of a swizzled layout", (long long)r->elems);
    tw_diag_expected(d, "at most the %lld elements that the swizzle keeps together, a power of two of them",
                     (long long)swizzle_unit(l));
    tw_diag_found(d, "layout %s", tw_layout_text(r->c->arena, l));
    tw_diag_fix(d, "move fewer elements at once, or give '%s' a layout without a swizzle", r->o->storage->name);
    return false;
}

static bool check_starts(struct reach *r)
{
    for (uint32_t d = 0; d < r->o->shape.rank; d++)
        if (r->o->moves[d] != NULL && !check_start(r, d, moving_unit(r)))
            return false;
    return check_swizzle(r);
}

/* ---- elements -------------------------------------------------------------------------------------- */

/* Byte of an element in its storage; with run-time starts, before the swizzle and with these at 0. */
static int64_t byte_of(const struct reach *r, const int64_t *group, const int64_t coord[TILE_MAX_ATOM])
{
    const int64_t flat = tw_tile_flat(r->c, r->o, group, coord);
    const int64_t at = r->moving ? tw_layout_preswizzle(r->o->layout, flat) : tw_layout_address(r->o->layout, flat);
    return (at + r->o->view->offset) * r->elem_bytes;
}

/* " of warp 1, lane 3" */
static const char *member_words(const struct reach *r, const struct tile_member *m)
{
    const struct tile_crew *crew = &r->c->crew;
    struct text t;
    tw_text_init(&t, r->c->arena);
    for (uint32_t i = 0; i < crew->group_rank; i++)
        tw_text_addf(&t, "%s%s %lld", i == 0 ? " of " : ", ", crew->group[i].name,
                     (long long)(m->group[i] + crew->group[i].low));
    return t.at;
}

static bool torn(const struct reach *r, const struct tile_member *m, const int64_t *first, const int64_t *coord, int64_t want)
{
    const char *origin = tw_tile_coord(r->c, r->o, first), *element = tw_tile_coord(r->c, r->o, coord);
    const int64_t from = byte_of(r, m->group, first), at = byte_of(r, m->group, coord);
    struct diag *d = tw_tile_error(r->c, r->operand, E0427, ": element %s%s is not where the instruction reaches it", element,
                                   member_words(r, m));
    tw_diag_expected(d, "%lld bytes after element %s", (long long)want, origin);
    tw_diag_found(d, "%lld bytes %s it, by layout %s", (long long)(at >= from ? at - from : from - at),
                  at >= from ? "after" : "before", tw_layout_text(r->c->arena, r->o->layout));
    tw_diag_fix(d, "move fewer elements at once, or give the tensor a layout that keeps %lld together", (long long)r->elems);
    tw_tile_show_declaration(d, r->o->storage);
    return false;
}

/* `unit` bytes should divide the place: what the instruction asks, or what a swizzle keeps together. */
static bool misaligned(const struct reach *r, const struct tile_member *m, const int64_t *first, int64_t byte, int64_t unit)
{
    const char *origin = tw_tile_coord(r->c, r->o, first);
    struct diag *d = tw_tile_error(r->c, r->operand, E0428, ": element %s%s is not aligned", origin, member_words(r, m));
    tw_diag_expected(d, "a multiple of %lld bytes", (long long)unit);
    tw_diag_found(d, "byte %lld of '%s', by layout %s", (long long)byte, r->o->storage->name,
                  tw_layout_text(r->c->arena, r->o->layout));
    tw_diag_fix(d, "choose starts and strides that are multiples of %lld elements", (long long)(unit / r->elem_bytes));
    tw_tile_show_declaration(d, r->o->storage);
    return false;
}

/* Next coordinate over axes [from, to); false after the last. */
static bool next_coord(const struct tile_operand *o, uint32_t from, uint32_t to, int64_t coord[TILE_MAX_ATOM])
{
    for (uint32_t i = to; i-- > from;) {
        if (++coord[i] < o->shape.dim[o->atom_first + i])
            return true;
        coord[i] = 0;
    }
    return false;
}

static bool check_run(const struct reach *r, const struct tile_member *m, const int64_t first[TILE_MAX_ATOM])
{
    const int64_t from = byte_of(r, m->group, first);
    int64_t coord[TILE_MAX_ATOM], want = 0;
    const uint32_t rank = r->o->row->atom_rank;
    for (uint32_t i = 0; i < TILE_MAX_ATOM; i++)
        coord[i] = first[i];
    if (from % r->run.align_bytes != 0)
        return misaligned(r, m, first, from, r->run.align_bytes);
    do {
        if (byte_of(r, m->group, coord) != from + want)
            return torn(r, m, first, coord, want);
        want += r->elem_bytes;
    } while (next_coord(r->o, rank - r->run.axes, rank, coord));
    /* The swizzle is an exclusive or of whole units; an aligned run inside one stays as it is. */
    const int64_t begin = from / r->elem_bytes - r->o->view->offset;
    if (r->moving && r->o->layout->swizzled && begin % r->elems != 0)
        return misaligned(r, m, first, begin * r->elem_bytes, r->elems * r->elem_bytes);
    return true;
}

static bool check_elements(const struct reach *r)
{
    for (uint32_t m = 0; m < r->c->crew.member_count; m++) {
        int64_t first[TILE_MAX_ATOM] = {0};
        do {
            if (!check_run(r, &r->c->crew.members[m], first))
                return false;
        } while (next_coord(r->o, 0, r->o->row->atom_rank - r->run.axes, first));
    }
    return true;
}

/* ---- slots of a distributed local tensor --------------------------------------------------------- */

static bool check_slots(const struct reach *r, const struct tile_place *p)
{
    for (uint32_t i = 0; i < p->reg_count; i++) {
        if (p->slot[i] == p->slot[0] + i)
            continue;
        struct diag *d = tw_tile_error(r->c, r->operand, E0427, ": elements of the atom are not one after another");
        tw_diag_expected(d, "slot %lld of '%s' for element %u", (long long)(p->slot[0] + i), r->o->storage->name, i);
        tw_diag_found(d, "slot %lld, by layout %s", (long long)p->slot[i], tw_layout_text(r->c->arena, r->o->layout));
        tw_diag_fix(d, "view it with these elements in slots %lld to %lld", (long long)p->slot[0],
                    (long long)p->slot[0] + p->reg_count - 1);
        return false;
    }
    if (p->slot[0] * r->elem_bytes % r->run.align_bytes == 0)
        return true;
    struct diag *d = tw_tile_error(r->c, r->operand, E0428, ": slot %lld of '%s' is not aligned", (long long)p->slot[0],
                                   r->o->storage->name);
    tw_diag_expected(d, "a multiple of %u bytes", r->run.align_bytes);
    tw_diag_found(d, "byte %lld", (long long)(p->slot[0] * r->elem_bytes));
    tw_diag_fix(d, "start at a slot that is a multiple of %lld", (long long)(r->run.align_bytes / r->elem_bytes));
    return false;
}

static const struct tile_place *distributed(const struct reach *r)
{
    const struct tile_place *p = tw_tile_registers(r->c, r->operand);
    return p != NULL && check_slots(r, p) ? p : NULL;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static struct reach reach_of(struct tile_call *c, uint32_t operand, struct tile_run run)
{
    const struct tile_operand *o = &c->operand[operand];
    struct reach r = {.c = c, .operand = operand, .o = o, .run = run, .elems = 1, .elem_bytes = o->view->elem.bits / 8};
    assert(run.axes <= o->row->atom_rank && run.align_bytes > 0);
    r.run_first = o->shape.rank - run.axes;
    for (uint32_t d = 0; d < o->shape.rank; d++) {
        r.moving = r.moving || o->moves[d] != NULL;
        r.elems *= d >= r.run_first ? o->shape.dim[d] : 1;
    }
    return r;
}

const struct tile_place *tw_tile_memory(struct tile_call *c, uint32_t operand, struct tile_run run)
{
    struct tile_place **remembered = tw_tile_place_slot(c, operand);
    if (*remembered != NULL)
        return *remembered;
    struct reach r = reach_of(c, operand, run);
    if (!check_linear(&r) || !check_bytes(&r) || !check_storage(&r))
        return NULL;
    if (is_distributed(r.o))
        return distributed(&r);
    if (!check_starts(&r) || !check_elements(&r))
        return NULL;
    *remembered = arena_new(c->arena, struct tile_place, 1);
    return *remembered;
}

static void find_load(void *context, struct ir_expr **place)
{
    if ((*place)->op == IR_LOAD)
        *(bool *)context = true;
    tw_ir_expr_children(*place, find_load, context);
}

void tw_tile_bind_starts(struct tile_call *c)
{
    for (uint32_t i = 0; i < c->operand_count; i++) {
        struct tile_operand *o = &c->operand[i];
        for (uint32_t d = 0; o->grouping != NULL && d < o->shape.rank; d++) {
            struct ir_expr **start = &o->arg->region->start[d];
            bool loads = false;
            if (o->moves[d] == NULL)
                continue;
            find_load(&loads, start);
            if (loads)
                *start = tw_tile_once(c, "index", *start, (*start)->at);
            o->moves[d] = *start;
        }
    }
}

/* ---- addresses --------------------------------------------------------------------------------------- */

static struct ir_expr *plus(const struct tile_call *c, struct ir_expr *a, struct ir_expr *b)
{
    if (a == NULL)
        return b;
    return b == NULL ? a : tw_ir_binary(c->k, IR_ADD, a, tw_ir_cast(c->k, a->type, b, c->stmt->at), c->stmt->at);
}

/* The static part of a coordinate on dimension d: repeats of the current tuple. */
static int64_t tuple_coord(const struct tile_call *c, const struct tile_operand *o, uint32_t d)
{
    const uint32_t group = c->crew.group_rank;
    if (d >= o->repeat_first && d < o->atom_first)
        return c->at[c->batch_rank + o->axis_of[d - o->repeat_first]];
    return d >= group && d < o->repeat_first ? c->at[d - group] : 0;
}

/* What stands in the operand's index of dimension d: the region's start, then group, tuple and atom coordinates. */
static struct ir_expr *index_of(struct tile_call *c, const struct tile_operand *o, uint32_t d, struct ir_expr *atom)
{
    const struct ir_expr *start = o->arg->region->start[d];
    struct ir_expr *x = start == NULL ? NULL : tw_ir_expr_copy(c->k, start, NULL);
    if (d < c->crew.group_rank)
        x = plus(c, x, tw_tile_group_coord(c->k, &c->crew.group[d], c->stmt->at));
    const int64_t at = tuple_coord(c, o, d);
    if (at != 0)
        x = plus(c, x, tw_ir_const_int(c->k, tw_ir_int32(), at, c->stmt->at));
    return plus(c, x, atom);
}

static struct ir_region *element_region(struct tile_call *c, const struct tile_operand *o, struct ir_expr *const *atom)
{
    struct ir_region *e = arena_new(c->k->arena, struct ir_region, 1);
    e->view = o->arg->region->view;
    e->at = o->arg->at;
    for (uint32_t d = 0; d < o->shape.rank; d++) {
        e->start[d] = index_of(c, o, d, atom == NULL || d < o->atom_first ? NULL : atom[d - o->atom_first]);
        e->extent[d] = 1;
    }
    return e;
}

/* An element of the storage itself: slots are the same in all threads. */
struct ir_region *tw_tile_slot_region(struct tile_call *c, uint32_t operand, int64_t slot)
{
    const struct tile_operand *o = &c->operand[operand];
    const struct layout_env env = {.arena = c->k->arena, .at = o->arg->at};
    const struct shape all = {1, {o->storage->elems * o->storage->elem.bits / o->view->elem.bits}};
    struct ir_view *v = tw_ir_view_new(c->k, o->storage, o->view->elem, 1, all.dim, tw_layout_default(&env, &all), 0,
                                       o->arg->at);
    struct ir_region *e = tw_ir_region_whole(c->k, v, o->arg->at);
    e->start[0] = tw_ir_const_int(c->k, tw_ir_int32(), slot, o->arg->at);
    e->extent[0] = 1;
    return e;
}

struct ir_expr *tw_tile_pointer(struct tile_call *c, uint32_t operand, const struct tile_place *place,
                                struct ir_expr *const atom[TILE_MAX_ATOM])
{
    const struct tile_operand *o = &c->operand[operand];
    struct ir_region *e = is_distributed(o) ? tw_tile_slot_region(c, operand, place->slot[0]) : element_region(c, o, atom);
    return tw_ir_address(c->k, e, o->arg->at);
}

void tw_tile_put_memory(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place)
{
    to->kind = IR_PTX_ADDRESS;
    to->expr = tw_tile_pointer(c, operand, place, NULL);
    to->at = c->operand[operand].arg->at;
}
