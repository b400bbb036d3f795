/* Registers: every atom coordinate of an operand is checked against what the instruction holds there. Places of all
 * kinds are remembered here, and fitted to group coordinates. */
#include "tile/engine.h"

#include <assert.h>
#include <string.h>

/* ---- remembering --------------------------------------------------------------------------------- */

/* A place depends on the batch and on the operand's own repeat axes alone: A of an MMA is looked at once for all N. */
struct tile_place **tw_tile_place_slot(struct tile_call *c, uint32_t operand)
{
    struct tile_operand *o = &c->operand[operand];
    uint32_t index = 0, count = 1;
    for (uint32_t i = 0; i < c->batch_rank; i++) {
        index = index * (uint32_t)c->batch[i] + (uint32_t)c->at[i];
        count *= (uint32_t)c->batch[i];
    }
    for (uint32_t r = 0; r < o->repeat_count; r++) {
        const uint32_t axis = o->axis_of[r];
        index = index * (uint32_t)c->axis_extent[axis] + (uint32_t)c->at[c->batch_rank + axis];
        count *= (uint32_t)c->axis_extent[axis];
    }
    if (o->places == NULL) {
        o->places = (struct tile_place **)tw_arena_alloc(c->arena, count, sizeof(struct tile_place *));
        o->place_count = count;
    }
    assert(index < o->place_count);
    return &o->places[index];
}

/* The member whose coordinate is 1 on the axis and 0 on the others, or none. */
static uint32_t unit_member(const struct tile_crew *crew, uint32_t axis)
{
    for (uint32_t m = 0; m < crew->member_count; m++) {
        bool unit = true;
        for (uint32_t i = 0; i < crew->group_rank; i++)
            unit = unit && crew->members[m].group[i] == (i == axis);
        if (unit)
            return m;
    }
    return UINT32_MAX;
}

bool tw_tile_fit(const struct tile_call *c, const int64_t *values, struct tile_affine *out)
{
    const struct tile_crew *crew = &c->crew;
    *out = (struct tile_affine){.base = values[0]};
    for (uint32_t i = 0; i < crew->group_rank; i++) {
        const uint32_t m = crew->group[i].extent > 1 ? unit_member(crew, i) : UINT32_MAX;
        out->step[i] = m == UINT32_MAX ? 0 : values[m] - values[0];
    }
    for (uint32_t m = 0; m < crew->member_count; m++) {
        int64_t value = out->base;
        for (uint32_t i = 0; i < crew->group_rank; i++)
            value += out->step[i] * crew->members[m].group[i];
        if (value != values[m])
            return false;
    }
    return true;
}

/* ---- registers ----------------------------------------------------------------------------------- */

/* Who a lane of a member is, on every thread axis. */
static void thread_axes(const struct tile_member *m, uint32_t lane, int64_t at[AXIS_COUNT])
{
    tw_tile_thread_axes(m->thread + lane, at);
    at[AXIS_CBX] = m->cta[0];
    at[AXIS_CBY] = m->cta[1];
    at[AXIS_CBZ] = m->cta[2];
}

static axis_set comparable_axes(const struct tile_crew *crew)
{
    axis_set set = 0;
    if (!crew->anyone)
        set = AXIS_BIT(AXIS_LANEID) | AXIS_BIT(AXIS_WARPID) | AXIS_BIT(AXIS_WID_IN_WG) | AXIS_BIT(AXIS_TID_IN_WG) |
              AXIS_BIT(AXIS_WGID) | AXIS_BIT(AXIS_TX);
    if (crew->many_ctas)
        set |= AXIS_BIT(AXIS_CBX) | AXIS_BIT(AXIS_CBY) | AXIS_BIT(AXIS_CBZ);
    return set;
}

static axis_set thread_axes_of(const struct layout *l)
{
    axis_set set = tw_layout_axes(l);
    for (int a = 0; a < AXIS_COUNT; a++)
        if (!tw_axis_is_thread((enum axis)a))
            set &= ~AXIS_BIT(a);
    return set;
}

/* The axes that the layout must pin down so that an element has one owner among the crew. */
static axis_set needed_axes(const struct tile_call *c)
{
    static const enum axis of[] = {
        [TILE_GROUP_CTA_Z] = AXIS_CBZ, [TILE_GROUP_CTA_Y] = AXIS_CBY,        [TILE_GROUP_CTA_X] = AXIS_CBX,
        [TILE_GROUP_WARP] = AXIS_WARPID, [TILE_GROUP_WARP_IN_WG] = AXIS_WID_IN_WG, [TILE_GROUP_LANE] = AXIS_LANEID,
        [TILE_GROUP_WARPGROUP] = AXIS_WGID,
    };
    axis_set set = c->family->issuer == TILE_BY_THREAD ? 0 : AXIS_BIT(AXIS_LANEID);
    if (c->family->issuer == TILE_BY_WARPGROUP)
        set |= AXIS_BIT(AXIS_WID_IN_WG);
    for (uint32_t i = 0; i < c->crew.group_rank; i++)
        if (c->crew.group[i].extent > 1)
            set |= AXIS_BIT(of[c->crew.group[i].axis]);
    return set;
}

static const char *axis_names(const struct tile_call *c, axis_set set)
{
    struct text t;
    tw_text_init(&t, c->arena);
    for (int a = 0; a < AXIS_COUNT; a++)
        if (set & AXIS_BIT(a))
            tw_text_addf(&t, "%s%s", t.len == 0 ? "" : ", ", tw_axis_row((enum axis)a)->name);
    return t.at;
}

/* The layout's thread axes must exist in this scope, and must say who owns an element. */
static bool check_axes(struct tile_call *c, uint32_t operand)
{
    const struct tile_operand *o = &c->operand[operand];
    const axis_set named = thread_axes_of(o->layout), foreign = named & ~comparable_axes(&c->crew);
    axis_set known = named;
    int64_t at[AXIS_COUNT];
    tw_layout_eval(o->layout, 0, at);
    if (foreign != 0) {
        struct diag *d = tw_tile_error(c, operand, E0415, " is distributed over %s, which scope=\"%s\" does not walk",
                                       axis_names(c, foreign), tw_ir_exec_scope_name(c->tile->scope));
        tw_diag_found(d, "layout %s", tw_layout_text(c->arena, o->layout));
        if (foreign & (AXIS_BIT(AXIS_CBX) | AXIS_BIT(AXIS_CBY) | AXIS_BIT(AXIS_CBZ)))
            tw_diag_fix(d, "write scope=\"cluster\", or view it with a layout over the threads of one CTA");
        else if (c->crew.anyone)
            tw_diag_fix(d, "view the thread's own registers: .view(n, layout=\"default\")");
        else
            tw_diag_fix(d, "view it with a layout over %s", axis_names(c, comparable_axes(&c->crew)));
        return false;
    }
    tw_axis_resolve(&known, at);
    const axis_set missing = needed_axes(c) & ~known;
    if (missing == 0)
        return true;
    struct diag *d = tw_tile_error(c, operand, E0415, ": the layout does not say which thread owns an element");
    tw_diag_expected(d, "a layout that gives %s", axis_names(c, missing));
    tw_diag_found(d, "%s", tw_layout_text(c->arena, o->layout));
    if (c->family->issuer == TILE_BY_THREAD)
        tw_diag_fix(d, "view it with a layout over %s", axis_names(c, missing));
    else
        tw_diag_fix(d, "view it with the map that 'tilewright explain fragment %s' shows", c->mnemonic);
    return false;
}

/* What the layout gives on the thread axes, as "laneid 2, warpid 1". */
static const char *owner_words(const struct tile_call *c, axis_set named, const int64_t at[AXIS_COUNT])
{
    struct text t;
    tw_text_init(&t, c->arena);
    for (int a = 0; a < AXIS_COUNT; a++)
        if (named & AXIS_BIT(a))
            tw_text_addf(&t, "%s%s %lld", t.len == 0 ? "" : ", ", tw_axis_row((enum axis)a)->name, (long long)at[a]);
    return t.at;
}

/* The register of an element that this thread owns; false if none of the element's places is this thread. */
static bool slot_of(const struct layout *l, axis_set named, int64_t flat, const int64_t want[AXIS_COUNT], int64_t *slot,
                    int64_t at[AXIS_COUNT])
{
    const int64_t replicas = tw_layout_replicas(l);
    for (int64_t r = 0; r < replicas; r++) {
        bool mine = true;
        tw_layout_eval_replica(l, flat, r, at);
        for (int a = 0; a < AXIS_COUNT; a++)
            mine = mine && ((named & AXIS_BIT(a)) == 0 || at[a] == want[a]);
        *slot = at[AXIS_M];
        if (mine)
            return true;
    }
    return false;
}

/* "lane 8 of warp 1", as far as the layout's thread axes say it. */
static const char *lane_words(const struct tile_call *c, axis_set named, const int64_t who[AXIS_COUNT], bool many)
{
    if ((named & AXIS_BIT(AXIS_LANEID)) == 0)
        return "another thread";
    if (many && named & AXIS_BIT(AXIS_WARPID))
        return tw_format(c->arena, "lane %lld of warp %lld", (long long)who[AXIS_LANEID], (long long)who[AXIS_WARPID]);
    if (many && named & AXIS_BIT(AXIS_WID_IN_WG))
        return tw_format(c->arena, "lane %lld of warp %lld of the warpgroup", (long long)who[AXIS_LANEID],
                         (long long)who[AXIS_WID_IN_WG]);
    return tw_format(c->arena, "lane %lld", (long long)who[AXIS_LANEID]);
}

/* Where the value is and where the instruction wants it: no view moves it from one lane to the other. */
static bool wrong_owner(struct tile_call *c, uint32_t operand, const int64_t *coord, uint32_t reg,
                        const int64_t want[AXIS_COUNT], const int64_t at[AXIS_COUNT])
{
    const struct tile_operand *o = &c->operand[operand];
    const axis_set named = thread_axes_of(o->layout);
    const char *element = tw_tile_coord(c, o, coord);
    axis_set known = named, wanted = named;
    int64_t has[AXIS_COUNT], needs[AXIS_COUNT];
    memcpy(has, at, sizeof has);
    memcpy(needs, want, sizeof needs);
    tw_axis_resolve(&known, has);
    tw_axis_resolve(&wanted, needs);
    const bool many = c->crew.member_count > 1 || has[AXIS_LANEID] == needs[AXIS_LANEID];
    struct diag *d = tw_tile_error(c, operand, E0415, ": element %s is in %s, and the instruction %s it in %s", element,
                                   lane_words(c, known, has, many), o->row->role == TILE_DST ? "puts" : "reads",
                                   lane_words(c, wanted, needs, many));
    tw_diag_expected(d, "%s: register %u of lane %lld holds %s", owner_words(c, named, want), reg,
                     (long long)want[AXIS_LANEID], element);
    tw_diag_found(d, "%s, by layout %s", owner_words(c, named, at), tw_layout_text(c->arena, o->layout));
    tw_diag_fix(d, c->family->issuer == TILE_BY_THREAD
                       ? "no view moves a value between threads: view the registers with a layout that has that map"
                       : "no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map");
    return false;
}

static bool check_slots(struct tile_call *c, uint32_t operand, const struct tile_place *p, uint32_t items)
{
    const struct tile_operand *o = &c->operand[operand];
    const int64_t capacity = o->storage->elems * o->storage->elem.bits / o->view->elem.bits;
    for (uint32_t i = 0; i < items; i++) {
        if (p->slot[i] < 0 || p->slot[i] >= capacity) {
            struct diag *d = tw_tile_error(c, operand, E0416, ": register %u would be slot %lld of '%s'", i,
                                           (long long)p->slot[i], o->storage->name);
            tw_diag_expected(d, "a slot from 0 to %lld", (long long)capacity - 1);
            tw_diag_found(d, "layout %s", tw_layout_text(c->arena, o->layout));
            if (p->slot[i] < 0)
                tw_diag_fix(d, "shift the layout by %lld slots or more", -(long long)p->slot[i]);
            else
                tw_diag_fix(d, "view it with smaller strides, or make '%s' hold %lld elements of %s or more", o->storage->name,
                            (long long)p->slot[i] + 1, tw_ir_type_name(o->view->elem));
            return false;
        }
        for (uint32_t j = 0; j < i && o->row->role != TILE_SRC; j++)
            if (p->slot[i] == p->slot[j]) {
                struct diag *d = tw_tile_error(c, operand, E0416, ": registers %u and %u are both slot %lld of '%s'", j, i,
                                               (long long)p->slot[i], o->storage->name);
                tw_diag_expected(d, "distinct slots for everything that is written");
                tw_diag_found(d, "layout %s", tw_layout_text(c->arena, o->layout));
                tw_diag_fix(d, "choose strides that give registers %u and %u slots of their own", j, i);
                return false;
            }
    }
    return true;
}

/* The slot must not depend on the thread: one instruction names one register for all lanes. */
static bool same_slot(struct tile_call *c, uint32_t operand, struct tile_place *p, uint32_t item, int64_t slot,
                      bool first, const int64_t *coord, int64_t lane)
{
    if (first)
        p->slot[item] = slot;
    if (p->slot[item] == slot)
        return true;
    const struct tile_operand *o = &c->operand[operand];
    struct diag *d = tw_tile_error(c, operand, E0416, ": element %s is in another slot than register %u of lane 0",
                                   tw_tile_coord(c, o, coord), item);
    tw_diag_expected(d, "slot %lld of '%s' in every lane", (long long)p->slot[item], o->storage->name);
    tw_diag_found(d, "slot %lld in lane %lld, by layout %s", (long long)slot, (long long)lane,
                  tw_layout_text(c->arena, o->layout));
    tw_diag_fix(d, "choose a layout in which the slot of an element does not depend on its lane");
    return false;
}

/* Element `at` of a register shows what is wrong: it is elsewhere, or the word is not all there. */
static bool not_one_word(struct tile_call *c, uint32_t operand, const struct tile_place *p, uint32_t reg, uint32_t at)
{
    const struct tile_operand *o = &c->operand[operand];
    const uint32_t n = o->row->items, room = o->row->room != 0 ? o->row->room : n;
    const int64_t *slot = &p->slot[reg * n];
    struct diag *d = tw_tile_error(c, operand, E0416, ": the %u element%s of register %u %s no %u-bit word", n, n == 1 ? "" : "s", reg,
                                   room == n ? "are" : "lie in", room * o->view->elem.bits);
    tw_diag_expected(d, "consecutive slots from a multiple of %u on%s", n,
                     room == n ? "" : tw_format(c->arena, ", in whole words of %u slots", room));
    tw_diag_found(d, "slots %lld and %lld of '%s', by layout %s", (long long)slot[0], (long long)slot[at], o->storage->name,
                  tw_layout_text(c->arena, o->layout));
    if (slot[0] % n == 0 && slot[at] == slot[0] + at)
        tw_diag_fix(d, "make '%s' hold %lld elements of %s, a whole word", o->storage->name,
                    (long long)(slot[0] / room * room + room), tw_ir_type_name(o->view->elem));
    else
        tw_diag_fix(d, n == 1 ? "view it with this element in slot %lld" : "view it with these elements in slots %lld to %lld",
                    (long long)(slot[0] / n * n), (long long)(slot[0] / n * n + n - 1));
    return false;
}

/* Elements that share a register must be its parts: consecutive slots, the first at a multiple of their number. */
static bool pack_slots(struct tile_call *c, uint32_t operand, struct tile_place *p)
{
    const struct tile_operand *o = &c->operand[operand];
    const uint32_t n = o->row->items, room = o->row->room != 0 ? o->row->room : n;
    const int64_t capacity = o->storage->elems * o->storage->elem.bits / o->view->elem.bits;
    for (uint32_t r = 0; r < p->reg_count; r++) {
        const int64_t first = p->slot[r * n];
        for (uint32_t i = 0; i < n; i++)
            if (first % n != 0 || p->slot[r * n + i] != first + i || first / room * room + room > capacity)
                return not_one_word(c, operand, p, r, i > 0 ? i : n - 1);
        p->slot[r] = first / room;
        p->start_byte = (uint32_t)(first % room) * o->view->elem.bits / 8;
    }
    p->reg_type = tw_ir_uint32();
    return true;
}

/* The first lane that supplies the operand. */
static uint32_t first_supplier(const struct tile_call *c, const struct tile_operand_row *row)
{
    uint32_t lane = 0;
    while (row->supplies != NULL && !row->supplies(c, lane))
        lane++;
    return lane;
}

/* Who supplies: the choice by which the first element's place is one that the layout has. */
static uint32_t choose(const struct tile_call *c, const struct tile_operand *o)
{
    if (o->row->choices == 0)
        return 0;
    const axis_set named = thread_axes_of(o->layout);
    const uint32_t lane = first_supplier(c, o->row);
    int64_t coord[TILE_MAX_ATOM] = {0};
    o->row->owner(c, lane, 0, coord);
    for (uint32_t choice = 0; choice < o->row->choices; choice++) {
        int64_t want[AXIS_COUNT] = {0}, at[AXIS_COUNT], slot;
        thread_axes(&c->crew.members[0], lane + choice * o->row->choice_lanes, want);
        if (slot_of(o->layout, named, tw_tile_flat(c, o, c->crew.members[0].group, coord), want, &slot, at))
            return choice;
    }
    return 0;
}

/* The items of one lane of one member; `native` is the lane by the operand's map. */
static bool find_lane(struct tile_call *c, uint32_t operand, struct tile_place *p, uint32_t member, uint32_t native, bool first)
{
    const struct tile_operand *o = &c->operand[operand];
    const axis_set named = thread_axes_of(o->layout);
    const struct tile_member *const m = &c->crew.members[member];
    const uint32_t items = p->reg_count * (o->row->items == 0 ? 1u : o->row->items);
    const uint32_t lane = native + p->choice * o->row->choice_lanes;
    for (uint32_t item = 0; item < items; item++) {
        int64_t coord[TILE_MAX_ATOM] = {0}, want[AXIS_COUNT] = {0}, at[AXIS_COUNT], slot;
        o->row->owner(c, native, item, coord);
        thread_axes(m, lane, want);
        const int64_t flat = tw_tile_flat(c, o, m->group, coord);
        if (!slot_of(o->layout, named, flat, want, &slot, at))
            return wrong_owner(c, operand, coord, item, want, at);
        if (!same_slot(c, operand, p, item, slot + o->view->offset, first, coord, want[AXIS_LANEID]))
            return false;
    }
    return true;
}

static bool find_registers(struct tile_call *c, uint32_t operand, struct tile_place *p)
{
    const struct tile_operand *o = &c->operand[operand];
    const uint32_t lanes = tile_issuer_threads(c->family->issuer);
    bool first = true;
    p->reg_count = o->row->regs(c);
    p->reg_type = o->view->elem;
    p->choice = choose(c, o);
    const uint32_t items = p->reg_count * (o->row->items == 0 ? 1u : o->row->items);
    assert(items <= TILE_MAX_ITEMS);
    for (uint32_t m = 0; m < c->crew.member_count; m++)
        for (uint32_t lane = 0; lane < lanes; lane++) {
            if (o->row->supplies != NULL && !o->row->supplies(c, lane))
                continue;
            if (!find_lane(c, operand, p, m, lane, first))
                return false;
            first = false;
        }
    return check_slots(c, operand, p, items) && (o->row->items == 0 || pack_slots(c, operand, p));
}

const struct tile_place *tw_tile_registers(struct tile_call *c, uint32_t operand)
{
    struct tile_place **remembered = tw_tile_place_slot(c, operand);
    if (*remembered != NULL)
        return *remembered;
    if (!check_axes(c, operand))
        return NULL;
    struct tile_place *p = arena_new(c->arena, struct tile_place, 1);
    if (!find_registers(c, operand, p))
        return NULL;
    *remembered = p;
    return p;
}
