/* Operands: which storage, which element type, and how the shape splits into group, batch, repeat and atom axes. */
#include "tile/engine.h"

#include <assert.h>
#include <string.h>

const char *tw_tile_operand_name(const struct tile_call *c, uint32_t operand)
{
    return tw_format(c->arena, "operand %s of %s", c->rows[operand].name, c->family->name);
}

struct diag *tw_tile_error(struct tile_call *c, uint32_t operand, enum diag_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *what = tw_formatv(c->arena, format, args);
    va_end(args);
    return tw_diag(c->diags, code, c->tile->operands[operand].at, "%s%s", tw_tile_operand_name(c, operand), what);
}

void tw_tile_show_declaration(struct diag *d, const struct ir_storage *s)
{
    if (s->at.file != 0)
        tw_diag_note(d, s->at, "'%s' is declared here", s->name);
}

/* "(n=8, k=0)", and which repeat it is in where there is more than one. */
const char *tw_tile_coord(const struct tile_call *c, const struct tile_operand *o, const int64_t coord[TILE_MAX_ATOM])
{
    struct text t;
    tw_text_init(&t, c->arena);
    tw_text_put(&t, '(');
    for (uint32_t i = 0; i < o->row->atom_rank; i++)
        tw_text_addf(&t, "%s%s=%lld", i == 0 ? "" : ", ", o->row->atom[i].name, (long long)coord[i]);
    for (uint32_t r = 0; o->row->atom_rank == 0 && r < o->repeat_count; r++)
        tw_text_addf(&t, "%s%lld", r == 0 ? "" : ", ", (long long)c->at[c->batch_rank + o->axis_of[r]]);
    tw_text_put(&t, ')');
    if (o->row->atom_rank == 0)
        return t.at;
    const char *lead = " of ";
    for (uint32_t r = 0; r < o->repeat_count; r++) {
        const uint32_t axis = o->axis_of[r];
        if (c->axis_extent[axis] == 1)
            continue;
        tw_text_addf(&t, "%s%s %lld", lead, c->axis_name[axis], (long long)c->at[c->batch_rank + axis]);
        lead = ", ";
    }
    return t.at;
}

int64_t tw_tile_flat(const struct tile_call *c, const struct tile_operand *o, const int64_t *group,
                     const int64_t coord[TILE_MAX_ATOM])
{
    int64_t flat = 0;
    for (uint32_t i = 0; i < c->crew.group_rank; i++)
        flat += group[i] * o->step[i];
    for (uint32_t i = 0; i < c->batch_rank; i++)
        flat += c->at[i] * o->step[c->crew.group_rank + i];
    for (uint32_t r = 0; r < o->repeat_count; r++)
        flat += c->at[c->batch_rank + o->axis_of[r]] * o->step[o->repeat_first + r];
    for (uint32_t i = 0; i < o->row->atom_rank; i++)
        flat += coord[i] * o->step[o->atom_first + i];
    return flat;
}

/* ---- what the operand is ------------------------------------------------------------------------ */

static enum num_format scalar_format(const struct tile_operand_row *row)
{
    return row->scalar_format != NUM_NONE ? row->scalar_format : row->format;
}

static const char *scope_words(const struct tile_call *c, const struct tile_operand_row *row)
{
    const char *dtype = scalar_format(row) == NUM_NONE ? NULL : tw_num_format(scalar_format(row))->dtype;
    struct text t;
    tw_text_init(&t, c->arena);
    for (int s = IR_GLOBAL; s <= IR_TMEM; s++)
        if (row->scopes & 1u << s)
            tw_text_addf(&t, "%sa tensor in %s memory", t.len == 0 ? "" : ", or ",
                         s == IR_TMEM ? "tensor" : tw_ir_scope_name((enum ir_scope)s));
    if (row->scalar && dtype != NULL)
        tw_text_addf(&t, ", or a%s %s scalar", dtype[0] == 'i' ? "n" : "", dtype);
    else if (row->scalar)
        tw_text_addf(&t, ", or a scalar of %u bits", row->elem_bits);
    return t.at;
}

/* Of the row's format; where the instruction moves bits, of their width. */
static bool fits_scalar(const struct tile_operand_row *row, struct ir_type t)
{
    if (scalar_format(row) != NUM_NONE)
        return tw_ir_type_equal(t, tw_ir_type_of(scalar_format(row)));
    return t.bits == row->elem_bits && t.cls != IR_POINTER && t.cls != IR_BOOL;
}

static bool take_scalar(struct tile_call *c, uint32_t index)
{
    struct tile_operand *o = &c->operand[index];
    const struct ir_arg *a = o->arg;
    if (a->kind == IR_ARG_EXPR && o->row->scalar && fits_scalar(o->row, a->expr->type)) {
        o->scalar = a->expr;
        return true;
    }
    struct diag *d = tw_tile_error(c, index, E0408, " is no tensor that the instruction can take");
    tw_diag_expected(d, "%s", scope_words(c, o->row));
    if (a->kind == IR_ARG_EXPR)
        tw_diag_found(d, "a value of type %s", tw_ir_type_name(a->expr->type));
    else
        tw_diag_found(d, "a compile-time value");
    if (!o->row->scalar && a->kind == IR_ARG_EXPR && a->expr->op == IR_LOAD)
        tw_diag_fix(d, "write a range for the index, [i : i + 1]: an element alone is its value");
    else if (o->row->scalar && scalar_format(o->row) != NUM_NONE)
        tw_diag_fix(d, "write T.%s(...)", tw_num_format(scalar_format(o->row))->dtype);
    return false;
}

/* An opcode that names the memory may name another; else the values must be where the instruction looks for them. */
static void suggest_memory(const struct tile_call *c, const struct tile_operand *o, struct diag *d)
{
    static const enum ir_scope preferred[] = {IR_SHARED, IR_LOCAL, IR_GLOBAL, IR_TMEM};
    const enum isa_op op = c->family->op;
    const enum ir_scope has = o->storage->scope;
    if (o->row->memory && (has == IR_GLOBAL || has == IR_SHARED) && (op == OP_LD || op == OP_ST || op == OP_ATOM || op == OP_RED)) {
        tw_diag_fix(d, "write .%s in the opcode", tw_ir_scope_name(has));
        return;
    }
    uint32_t i = 0;
    while ((o->row->scopes & 1u << preferred[i]) == 0)
        i++;
    const char *memory = preferred[i] == IR_TMEM ? "tensor" : tw_ir_scope_name(preferred[i]);
    if (o->row->role == TILE_DST)
        tw_diag_fix(d, "give a tensor in %s memory, and copy it to '%s' behind the call", memory, o->storage->name);
    else if (o->row->role == TILE_UPDATE)
        tw_diag_fix(d, "declare '%s' in %s memory", o->storage->name, memory);
    else
        tw_diag_fix(d, "copy '%s' to a tensor in %s memory, and give that one", o->storage->name, memory);
}

static bool check_scope(struct tile_call *c, uint32_t index)
{
    const struct tile_operand *o = &c->operand[index];
    if (o->row->scopes & 1u << o->storage->scope)
        return true;
    struct diag *d = tw_tile_error(c, index, E0408, " is in %s memory",
                                   o->storage->scope == IR_TMEM ? "tensor" : tw_ir_scope_name(o->storage->scope));
    tw_diag_expected(d, "%s", scope_words(c, o->row));
    tw_diag_found(d, "'%s', a %s tensor", o->storage->name, tw_ir_scope_name(o->storage->scope));
    suggest_memory(c, o, d);
    tw_tile_show_declaration(d, o->storage);
    return false;
}

static bool check_element(struct tile_call *c, uint32_t index)
{
    const struct tile_operand *o = &c->operand[index];
    const struct ir_type t = o->view->elem;
    const bool width = o->row->elem_bits == 0 || t.bits == o->row->elem_bits;
    if (width && (o->row->format == NUM_NONE || t.format == o->row->format))
        return true;
    struct diag *d = tw_tile_error(c, index, E0409, " has elements of type %s", tw_ir_type_name(t));
    if (o->row->format != NUM_NONE)
        tw_diag_expected(d, "%s", tw_num_format(o->row->format)->dtype);
    else
        tw_diag_expected(d, "elements of %u bits", o->row->elem_bits);
    tw_diag_found(d, "%s, %u bits", tw_ir_type_name(t), t.bits);
    if (t.bits < o->row->elem_bits && !tw_num_is_float(o->row->format))
        tw_diag_fix(d, "pair them with .view(\"uint%u\")", o->row->elem_bits);
    else if (t.bits == o->row->elem_bits && o->row->format == NUM_U32)
        tw_diag_fix(d, "take its words as they are, with .view(\"uint32\")");
    return false;
}

/* ---- the region --------------------------------------------------------------------------------- */

/* The iter along which a start that is not known at compile time moves the whole region by a fixed step; *mover is
 * NULL if the dimension has one element. False if nothing moves so. */
static bool find_mover(const struct tile_operand *o, const struct grouping *g, uint32_t d, const struct iter **mover)
{
    *mover = NULL;
    for (uint32_t i = g->first[d]; i < g->first[d + 1]; i++) {
        const struct iter *it = &g->layout->shard[i];
        if (it->extent == 1)
            continue;
        if (*mover != NULL || (it->axis != AXIS_M && it->axis != AXIS_TCOL) || o->storage->scope == IR_LOCAL)
            return false;
        *mover = it;
    }
    return *mover == NULL || !g->layout->swizzled || (*mover)->stride % tw_swizzle_period(&g->layout->swizzle) == 0;
}

static bool add_start(struct tile_call *c, uint32_t index, const struct grouping *g, uint32_t d)
{
    struct tile_operand *o = &c->operand[index];
    const struct ir_expr *value = o->arg->region->start[d];
    const struct iter *mover;
    if (find_mover(o, g, d, &mover)) {
        if (mover != NULL)
            o->starts[o->start_count++] = (struct tile_start){value, mover->axis, mover->stride};
        return true;
    }
    struct diag *diag = tw_diag(c->diags, E0425, value->at, "%s: the index of dimension %u is known only at run time",
                                tw_tile_operand_name(c, index), d);
    if (o->storage->scope == IR_LOCAL)
        tw_diag_expected(diag, "a compile-time index: registers have no addresses");
    else
        tw_diag_expected(diag, "a compile-time index, or a dimension that steps a fixed distance, a multiple of the "
                               "swizzle's period");
    tw_diag_found(diag, "layout %s", tw_layout_text(c->arena, o->view->layout));
    tw_diag_fix(diag, "index it by the variable of a T.unroll(...) loop, which is known at compile time");
    return false;
}

/* Memory operands move by any index; what is known of it is asked when the atom is looked at. */
static void note_moves(struct tile_call *c, uint32_t index, const struct grouping *g)
{
    struct tile_operand *o = &c->operand[index];
    const struct ir_region *r = o->arg->region;
    struct grouping *kept = arena_new(c->arena, struct grouping, 1);
    *kept = *g;
    o->grouping = kept;
    for (uint32_t d = 0; d < r->view->rank; d++)
        if (r->start[d] != NULL && r->start[d]->op != IR_CONST)
            o->moves[d] = r->start[d];
}

/* A tensor that is distributed over threads has a place in each of them, and that place must be known. */
static bool moves_by_address(const struct tile_operand *o)
{
    if (!o->row->memory)
        return false;
    for (int a = 0; a < AXIS_COUNT; a++)
        if (tw_axis_is_thread((enum axis)a) && tw_layout_axes(o->view->layout) & AXIS_BIT(a))
            return false;
    return true;
}

static bool region_layout(struct tile_call *c, uint32_t index)
{
    struct tile_operand *o = &c->operand[index];
    const struct ir_region *r = o->arg->region;
    const struct layout_env env = {.arena = c->arena, .diags = c->diags, .at = r->at};
    struct shape whole = {.rank = r->view->rank};
    int64_t begin[TW_MAX_RANK];
    bool all = true, moving = false;
    for (uint32_t d = 0; d < whole.rank; d++) {
        whole.dim[d] = r->view->shape[d];
        o->shape.dim[d] = r->extent[d];
        begin[d] = 0;
        if (r->start[d] != NULL && !tw_ir_is_const_int(r->start[d], &begin[d]))
            moving = true;
        all = all && begin[d] == 0 && r->extent[d] == whole.dim[d];
    }
    o->shape.rank = whole.rank;
    o->layout = r->view->layout;
    if (moving) {
        struct grouping g;
        if (!tw_layout_group(&env, tw_layout_canonical(&env, o->layout), &whole, &g))
            return false;
        if (moves_by_address(o))
            note_moves(c, index, &g);
        for (uint32_t d = 0; d < whole.rank && o->grouping == NULL; d++)
            if (r->start[d] != NULL && r->start[d]->op != IR_CONST && !add_start(c, index, &g, d))
                return false;
    }
    if (!all)
        o->layout = tw_layout_slice(&env, o->layout, &whole, begin, o->shape.dim);
    return o->layout != NULL;
}

static bool open_operand(struct tile_call *c, uint32_t index)
{
    struct tile_operand *o = &c->operand[index];
    *o = (struct tile_operand){.row = &c->rows[index], .arg = &c->tile->operands[index]};
    if (o->arg->kind != IR_ARG_REGION)
        return take_scalar(c, index);
    o->view = o->arg->region->view;
    o->storage = o->view->storage;
    const struct tile_operand_row *variant = c->family->variant == NULL ? NULL : c->family->variant(c, index);
    if (variant != NULL)
        o->row = variant;
    if (!check_scope(c, index) || !check_element(c, index) || !region_layout(c, index))
        return false;
    int64_t step = 1;
    for (uint32_t d = o->shape.rank; d-- > 0;) {
        o->step[d] = step;
        step *= o->shape.dim[d];
    }
    return true;
}

/* ---- splitting the shape ------------------------------------------------------------------------ */

/* The shape that the contract wants: "(warp, M_repeat, K_repeat, 128, 16)". */
static const char *wanted_shape(const struct tile_call *c, const struct tile_operand_row *row)
{
    struct text t;
    tw_text_init(&t, c->arena);
    tw_text_put(&t, '(');
    for (uint32_t i = 0; i < c->crew.group_rank; i++)
        tw_text_addf(&t, "%s %lld, ", c->crew.group[i].name, (long long)c->crew.group[i].extent);
    if (row->repeats[0] == '*')
        tw_text_add(&t, row->atom_rank == 0 ? "coordinates..." : "repeats..., ");
    for (const char *r = row->repeats; *r != '\0' && *r != '*'; r++)
        tw_text_addf(&t, "%c_repeat, ", *r);
    for (uint32_t i = 0; i < row->atom_rank; i++)
        tw_text_addf(&t, "%s%s %lld", i == 0 ? "" : ", ", row->atom[i].name, (long long)c->symbol[row->atom[i].extent]);
    tw_text_put(&t, ')');
    return t.at;
}

static struct diag *shape_error(struct tile_call *c, uint32_t index, enum diag_code code, const char *what)
{
    const struct tile_operand *o = &c->operand[index];
    struct diag *d = tw_tile_error(c, index, code, "%s", what);
    tw_diag_expected(d, "%s", wanted_shape(c, o->row));
    tw_diag_found(d, "%s", tw_shape_text(c->arena, &o->shape));
    return d;
}

/* A matrix that is a whole number of atoms was given without its repeat axes. */
static bool suggest_repeats(const struct tile_call *c, const struct tile_operand *o, struct diag *d)
{
    const struct tile_axis *atom = o->row->atom;
    if (c->crew.group_rank != 0 || o->shape.rank != 2 || o->row->atom_rank != 2 || strlen(o->row->repeats) != 2 ||
        o->storage == NULL || (o->storage->scope != IR_SHARED && o->storage->scope != IR_TMEM))
        return false;
    const int64_t rows = c->symbol[atom[0].extent], columns = c->symbol[atom[1].extent];
    if (o->shape.dim[0] % rows != 0 || o->shape.dim[1] % columns != 0)
        return false;
    tw_diag_fix(d, "write .rearrange(\"(i %s) (j %s) -> i j %s %s\", %s=%lld, %s=%lld) behind it", atom[0].name, atom[1].name,
                atom[0].name, atom[1].name, atom[0].name, (long long)rows, atom[1].name, (long long)columns);
    return true;
}

/* Without group axes a shape that ends in one atom lacks axes of one coordinate. */
static bool is_bare_atom(const struct tile_call *c, const struct tile_operand *o)
{
    if (c->crew.group_rank != 0 || o->shape.rank < o->row->atom_rank || o->shape.rank == 0)
        return false;
    for (uint32_t i = 0; i < o->row->atom_rank; i++)
        if (o->shape.dim[o->shape.rank - o->row->atom_rank + i] != c->symbol[o->row->atom[i].extent])
            return false;
    return true;
}

static const char *with_leading_ones(const struct tile_call *c, const struct tile_operand *o, uint32_t ones)
{
    struct text t;
    tw_text_init(&t, c->arena);
    for (uint32_t i = 0; i < ones; i++)
        tw_text_addf(&t, "%s1", i == 0 ? "" : ", ");
    for (uint32_t i = 0; i < o->shape.rank; i++)
        tw_text_addf(&t, ", %lld", (long long)o->shape.dim[i]);
    return t.at;
}

static bool check_rank(struct tile_call *c, uint32_t index)
{
    struct tile_operand *o = &c->operand[index];
    const bool any = o->row->repeats[0] == '*';
    const uint32_t letters = any ? 0 : (uint32_t)strlen(o->row->repeats);
    const uint32_t fixed = c->crew.group_rank + letters + o->row->atom_rank;
    if (o->shape.rank < fixed) {
        struct diag *d = shape_error(c, index, E0410, tw_format(c->arena, " has %u dimensions; %u are needed", o->shape.rank, fixed));
        if (is_bare_atom(c, o))
            tw_diag_fix(d, "write .view(%s) behind it", with_leading_ones(c, o, fixed - o->shape.rank));
        else if (!suggest_repeats(c, o, d))
            tw_diag_fix(d, "split it into these %u axes with .view(...) or .rearrange(...)", fixed);
        return false;
    }
    o->atom_first = o->shape.rank - o->row->atom_rank;
    o->repeat_count = any ? o->shape.rank - fixed : letters;
    o->repeat_first = o->atom_first - o->repeat_count;
    return true;
}

static bool check_extents(struct tile_call *c, uint32_t index)
{
    struct tile_operand *o = &c->operand[index];
    for (uint32_t i = 0; i < o->row->atom_rank; i++) {
        const int64_t found = o->shape.dim[o->atom_first + i], want = c->symbol[o->row->atom[i].extent];
        if (found == want)
            continue;
        shape_error(c, index, E0411, tw_format(c->arena, ": axis %s is %lld, and the instruction takes %s = %lld",
                                               o->row->atom[i].name, (long long)found, o->row->atom[i].text, (long long)want));
        return false;
    }
    for (uint32_t i = 0; i < c->crew.group_rank; i++) {
        const int64_t found = o->shape.dim[i], want = c->crew.group[i].extent;
        if (found == want)
            continue;
        struct diag *d = shape_error(c, index, E0413, tw_format(c->arena, ": group axis '%s' is %lld, and %lld get here",
                                                                c->crew.group[i].name, (long long)found, (long long)want));
        tw_diag_fix(d, "give every operand the group axes of scope=\"%s\" first", tw_ir_exec_scope_name(c->tile->scope));
        return false;
    }
    return true;
}

/* The axis of the call that a repeat dimension follows. */
static uint32_t axis_index(const struct tile_call *c, const struct tile_operand *o, uint32_t repeat)
{
    if (c->family->axes == NULL)
        return repeat + c->axis_count - o->repeat_count;
    const char *at = strchr(c->family->axes, o->row->repeats[repeat]);
    assert(at != NULL);
    return (uint32_t)(at - c->family->axes);
}

static bool disagree(struct tile_call *c, uint32_t index, uint32_t first, const char *axis, int64_t found, int64_t want)
{
    struct diag *d = tw_tile_error(c, index, E0412, ": %s is %lld", axis, (long long)found);
    tw_diag_expected(d, "%lld, as in operand %s", (long long)want, c->rows[first].name);
    tw_diag_found(d, "%s, and operand %s has %s", tw_shape_text(c->arena, &c->operand[index].shape),
                  c->rows[first].name, tw_shape_text(c->arena, &c->operand[first].shape));
    tw_diag_fix(d, "slice or view one of them so that %s is the same in both", axis);
    return false;
}

/* The first operand that has an axis sets its extent; `setter` remembers which. */
static bool join_axis(struct tile_call *c, uint32_t index, uint32_t axis, int64_t found, uint32_t *setter)
{
    if (c->axis_extent[axis] == 0) {
        c->axis_extent[axis] = found;
        *setter = index;
        return true;
    }
    return c->axis_extent[axis] == found || disagree(c, index, *setter, c->axis_name[axis], found, c->axis_extent[axis]);
}

static bool join_batch(struct tile_call *c, uint32_t index, bool first)
{
    const struct tile_operand *o = &c->operand[index];
    const uint32_t rank = o->repeat_first - c->crew.group_rank;
    const int64_t *dims = &o->shape.dim[c->crew.group_rank];
    if (first) {
        c->batch_rank = rank;
        for (uint32_t i = 0; i < rank; i++)
            c->batch[i] = dims[i];
        return true;
    }
    if (rank != c->batch_rank)
        return disagree(c, index, 0, "the number of batch axes", rank, c->batch_rank);
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] != c->batch[i])
            return disagree(c, index, 0, tw_format(c->arena, "batch axis %u", i), dims[i], c->batch[i]);
    return true;
}

static void name_axes(struct tile_call *c)
{
    c->axis_count = c->family->axes != NULL ? (uint32_t)strlen(c->family->axes) : 0;
    for (uint32_t i = 0; c->family->axes == NULL && i < c->operand_count; i++)
        if (c->operand[i].scalar == NULL && c->operand[i].repeat_count > c->axis_count)
            c->axis_count = c->operand[i].repeat_count;
    for (uint32_t i = 0; i < c->axis_count; i++)
        c->axis_name[i] = c->family->axes != NULL ? tw_format(c->arena, "%c_repeat", c->family->axes[i])
                                                  : tw_format(c->arena, "repeat axis %u", i);
}

/* Where operands alone say what the repeat axes are, one may leave out leading axes of one coordinate. */
static bool check_left_out(struct tile_call *c, const uint32_t *setters)
{
    for (uint32_t i = 0; c->family->axes == NULL && i < c->operand_count; i++) {
        const struct tile_operand *o = &c->operand[i];
        for (uint32_t a = 0; o->scalar == NULL && a < c->axis_count - o->repeat_count; a++)
            if (c->axis_extent[a] > 1)
                return disagree(c, i, setters[a], "the number of repeat axes", o->repeat_count, c->operand[setters[a]].repeat_count);
    }
    return true;
}

static bool join(struct tile_call *c)
{
    uint32_t setters[TW_MAX_RANK] = {0};
    bool first = true;
    name_axes(c);
    for (uint32_t i = 0; i < c->operand_count; i++) {
        struct tile_operand *o = &c->operand[i];
        if (o->scalar != NULL)
            continue;
        if (!join_batch(c, i, first))
            return false;
        first = false;
        for (uint32_t r = 0; r < o->repeat_count; r++) {
            o->axis_of[r] = axis_index(c, o, r);
            if (!join_axis(c, i, o->axis_of[r], o->shape.dim[o->repeat_first + r], &setters[o->axis_of[r]]))
                return false;
        }
    }
    return check_left_out(c, setters);
}

static bool count_operands(struct tile_call *c)
{
    if (c->tile->operand_count == c->row_count)
        return true;
    struct text names;
    tw_text_init(&names, c->arena);
    for (uint32_t i = 0; i < c->row_count; i++)
        tw_text_addf(&names, "%s%s", i == 0 ? "" : ", ", c->rows[i].name);
    struct diag *d = tw_diag(c->diags, E0403, c->tile->opcode_at, "%s takes %u operands", c->family->name,
                             c->row_count);
    tw_diag_expected(d, "%s", names.at);
    const uint32_t found = c->tile->operand_count, off = found < c->row_count ? c->row_count - found : found - c->row_count;
    tw_diag_found(d, "%u operands", found);
    tw_diag_fix(d, "%s %u operand%s: they go by position", found < c->row_count ? "add" : "drop", off, off == 1 ? "" : "s");
    return false;
}

bool tw_tile_split(struct tile_call *c)
{
    if (!count_operands(c))
        return false;
    c->operand_count = c->row_count;
    for (uint32_t i = 0; i < c->operand_count; i++) {
        if (!open_operand(c, i))
            return false;
        if (c->operand[i].scalar == NULL && (!check_rank(c, i) || !check_extents(c, i)))
            return false;
    }
    return join(c);
}
