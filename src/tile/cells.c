/* Tensor memory: every atom coordinate of an operand, in all its copies, is checked against the cells that the
 * instruction uses. */
#include "tile/engine.h"

#include <assert.h>

/* One place of an element as the layout has it. */
static struct tile_cell cell_at(const struct tile_operand *o, int64_t flat, int64_t replica)
{
    int64_t at[AXIS_COUNT];
    tw_layout_eval_replica(o->layout, flat, replica, at);
    return (struct tile_cell){at[AXIS_TLANE], (at[AXIS_TCOL] + o->view->offset) * o->view->elem.bits};
}

struct tile_cell tw_tile_layout_cell(const struct tile_call *c, uint32_t operand, const int64_t coord[TILE_MAX_ATOM])
{
    const struct tile_operand *o = &c->operand[operand];
    return cell_at(o, tw_tile_flat(c, o, c->crew.members[0].group, coord), 0);
}

static const char *cell_words(const struct tile_call *c, struct tile_cell cell)
{
    if (cell.bit % 32 == 0)
        return tw_format(c->arena, "lane %lld, column %lld", (long long)cell.lane, (long long)cell.bit / 32);
    return tw_format(c->arena, "lane %lld, column %lld, bit %lld", (long long)cell.lane, (long long)(cell.bit / 32),
                     (long long)(cell.bit % 32));
}

static uint32_t copies_of(const struct tile_call *c, const struct tile_operand *o)
{
    return o->row->copies == NULL ? 1 : o->row->copies(c);
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static const char *lanes_of_copies(const struct tile_call *c, const struct tile_operand *o, uint32_t copies)
{
    static const int64_t origin[TILE_MAX_ATOM] = {0};
    struct text t;
    tw_text_init(&t, c->arena);
    for (uint32_t i = 0; i < copies; i++)
        tw_text_addf(&t, "%s%lld", i == 0 ? "" : i + 1 == copies ? " and " : ", ", (long long)o->row->cell(c, origin, i).lane);
    return t.at;
}

static bool check_copies(struct tile_call *c, uint32_t operand)
{
    const struct tile_operand *o = &c->operand[operand];
    const uint32_t copies = copies_of(c, o);
    const int64_t found = tw_layout_replicas(o->layout);
    assert(copies <= TILE_MAX_COPIES);
    if (found == copies)
        return true;
    struct diag *d;
    if (copies == 1) {
        d = tw_tile_error(c, operand, E0417, " has copies of its elements");
        tw_diag_expected(d, "one place for every element");
        tw_diag_found(d, "layout %s", tw_layout_text(c->arena, o->layout));
        tw_diag_fix(d, "drop the replica, + R[...], from the layout of '%s'", o->storage->name);
        return false;
    }
    d = tw_tile_error(c, operand, E0417, ": %lld %s of each element, and the instruction uses %u", (long long)found,
                      found == 1 ? "place" : "places", copies);
    tw_diag_expected(d, "%u copies, at lanes %s from the first", copies, lanes_of_copies(c, o, copies));
    tw_diag_found(d, "layout %s", tw_layout_text(c->arena, o->layout));
    tw_diag_fix(d, "add the replica + R[%u : %lld @ TLane]", copies,
                (long long)o->row->cell(c, (const int64_t[TILE_MAX_ATOM]){0}, 1).lane);
    return false;
}

/* ---- elements -------------------------------------------------------------------------------------- */

static bool wrong_cell(struct tile_call *c, uint32_t operand, const int64_t *coord, uint32_t copy, struct tile_cell want,
                       struct tile_cell found)
{
    const struct tile_operand *o = &c->operand[operand];
    const char *element = tw_tile_coord(c, o, coord);
    if (copy != 0)
        element = tw_format(c->arena, "%s, copy %u,", element, copy);
    struct diag *d = tw_tile_error(c, operand, E0417, ": element %s is in another cell than the instruction uses", element);
    tw_diag_expected(d, "%s of '%s'", cell_words(c, want), o->storage->name);
    tw_diag_found(d, "%s, by layout %s", cell_words(c, found), tw_layout_text(c->arena, o->layout));
    const char *layout = o->row->layout == NULL ? NULL : o->row->layout(c, operand);
    if (layout != NULL)
        tw_diag_fix(d, "lay each tile as %s does", layout);
    else
        tw_diag_fix(d, "give '%s' a layout that has %s there", o->storage->name, element);
    tw_tile_show_declaration(d, o->storage);
    return false;
}

/* Next coordinate in row-major order; false after the last. */
static bool next_coord(const struct tile_call *c, const struct tile_operand_row *row, int64_t coord[TILE_MAX_ATOM])
{
    for (uint32_t i = row->atom_rank; i-- > 0;) {
        if (++coord[i] < c->symbol[row->atom[i].extent])
            return true;
        coord[i] = 0;
    }
    return false;
}

static void keep_within(struct diag *d, const struct tile_operand *o)
{
    tw_diag_fix(d, "give '%s' a layout, and the region a start, that stay within lanes 0 to %d and columns 0 to %d",
                o->storage->name, TW_TMEM_LANES - 1, TW_TMEM_COLS - 1);
}

static bool outside(struct tile_call *c, uint32_t operand, const int64_t *coord, struct tile_cell cell)
{
    const struct tile_operand *o = &c->operand[operand];
    struct diag *d = tw_tile_error(c, operand, E0417, ": element %s is outside tensor memory", tw_tile_coord(c, o, coord));
    tw_diag_expected(d, "lanes 0 to %d, columns 0 to %d", TW_TMEM_LANES - 1, TW_TMEM_COLS - 1);
    tw_diag_found(d, "%s of '%s'", cell_words(c, cell), o->storage->name);
    keep_within(d, o);
    return false;
}

static bool inside(struct tile_cell cell)
{
    return cell.lane >= 0 && cell.lane < TW_TMEM_LANES && cell.bit >= 0 && cell.bit < 32 * TW_TMEM_COLS;
}

/* The replica that is at `want`, or the first with false. */
static bool find_place(const struct tile_operand *o, int64_t flat, struct tile_cell want, struct tile_cell *found)
{
    const int64_t replicas = tw_layout_replicas(o->layout);
    for (int64_t r = 0; r < replicas; r++) {
        *found = cell_at(o, flat, r);
        if (found->lane == want.lane && found->bit == want.bit)
            return true;
    }
    *found = cell_at(o, flat, 0);
    return false;
}

static bool check_cells(struct tile_call *c, uint32_t operand, const struct tile_member *m, struct tile_cell base)
{
    const struct tile_operand *o = &c->operand[operand];
    const uint32_t copies = copies_of(c, o);
    int64_t coord[TILE_MAX_ATOM] = {0};
    do {
        const int64_t flat = tw_tile_flat(c, o, m->group, coord);
        for (uint32_t copy = 0; copy < copies; copy++) {
            const struct tile_cell step = o->row->cell(c, coord, copy), want = {base.lane + step.lane, base.bit + step.bit};
            struct tile_cell found;
            if (!find_place(o, flat, want, &found))
                return wrong_cell(c, operand, coord, copy, want, found);
            if (!inside(want))
                return outside(c, operand, coord, want);
        }
    } while (next_coord(c, o->row, coord));
    return true;
}

/* ---- the start -------------------------------------------------------------------------------------- */

static bool check_base(struct tile_call *c, uint32_t operand, struct tile_cell base, uint32_t thread)
{
    const struct tile_operand *o = &c->operand[operand];
    const uint32_t unit = o->row->start_bits == 0 ? 32 : o->row->start_bits;
    if (!inside(base) || base.bit % unit != 0) {
        struct diag *d = tw_tile_error(c, operand, E0417, " starts at %s", cell_words(c, base));
        if (unit < 32)
            tw_diag_expected(d, "a whole byte of the 128 lanes and 512 columns");
        else if (unit == 32)
            tw_diag_expected(d, "a whole cell of the 128 lanes and 512 columns");
        else
            tw_diag_expected(d, "a multiple of %u columns, in the 128 lanes and 512 columns", unit / 32);
        if (inside(base))
            tw_diag_fix(d, "start it at %s of '%s'",
                        cell_words(c, (struct tile_cell){base.lane, base.bit / unit * unit}), o->storage->name);
        else
            keep_within(d, o);
        return false;
    }
    return o->row->base == NULL || o->row->base(c, operand, base, thread);
}

/* The place of the origin that the others are copies of: the lowest. */
static struct tile_cell base_of(const struct tile_call *c, const struct tile_operand *o, const struct tile_member *m)
{
    static const int64_t origin[TILE_MAX_ATOM] = {0};
    const int64_t flat = tw_tile_flat(c, o, m->group, origin), replicas = tw_layout_replicas(o->layout);
    struct tile_cell base = cell_at(o, flat, 0);
    for (int64_t r = 1; r < replicas; r++) {
        const struct tile_cell other = cell_at(o, flat, r);
        if (other.lane < base.lane || (other.lane == base.lane && other.bit < base.bit))
            base = other;
    }
    return base;
}

/* What is known only at run time must move the address by whole columns. */
static bool check_starts(struct tile_call *c, uint32_t operand)
{
    const struct tile_operand *o = &c->operand[operand];
    for (uint32_t i = 0; i < o->start_count; i++) {
        const int64_t bits = o->starts[i].step * o->view->elem.bits;
        if (bits % 32 == 0)
            continue;
        struct diag *d = tw_diag(c->diags, E0425, o->starts[i].value->at,
                                 "%s: a run-time index moves the address by %lld bits", tw_tile_operand_name(c, operand),
                                 (long long)bits);
        tw_diag_expected(d, "steps of whole columns of 32 bits, or an index known at compile time");
        tw_diag_fix(d, "index it by the variable of a T.unroll(...) loop, which is known at compile time");
        return false;
    }
    return true;
}

static bool find_cells(struct tile_call *c, uint32_t operand, struct tile_place *p)
{
    const struct tile_operand *o = &c->operand[operand];
    int64_t *words = arena_new(c->arena, int64_t, c->crew.member_count);
    for (uint32_t i = 0; i < c->crew.member_count; i++) {
        const struct tile_member *m = &c->crew.members[i];
        const struct tile_cell base = base_of(c, o, m);
        if (!check_base(c, operand, base, m->thread) || !check_cells(c, operand, m, base))
            return false;
        const uint32_t byte = (uint32_t)(base.bit % 32 / 8);
        if (i != 0 && byte != p->start_byte) {
            struct diag *d = tw_tile_error(c, operand, E0419, ": members of the group start at different bytes of a cell");
            tw_diag_expected(d, "byte %u, as for the first", p->start_byte);
            tw_diag_found(d, "byte %u, by layout %s", byte, tw_layout_text(c->arena, o->layout));
            tw_diag_fix(d, "give the group axes of '%s' steps of whole columns of 32 bits", o->storage->name);
            return false;
        }
        p->start_byte = byte;
        words[i] = base.lane * 65536 + base.bit / 32;
    }
    if (tw_tile_fit(c, words, &p->address))
        return true;
    struct diag *d = tw_tile_error(c, operand, E0419, ": the addresses of the group are no fixed step apart");
    tw_diag_expected(d, "the same step from each member to the next, along every axis of the group");
    tw_diag_found(d, "layout %s", tw_layout_text(c->arena, o->layout));
    tw_diag_fix(d, "lay out each group axis of '%s' with one stride", o->storage->name);
    return false;
}

const struct tile_place *tw_tile_cells(struct tile_call *c, uint32_t operand)
{
    struct tile_place **remembered = tw_tile_place_slot(c, operand);
    if (*remembered != NULL)
        return *remembered;
    if (!check_copies(c, operand) || !check_starts(c, operand))
        return NULL;
    struct tile_place *p = arena_new(c->arena, struct tile_place, 1);
    if (!find_cells(c, operand, p))
        return NULL;
    *remembered = p;
    return p;
}
