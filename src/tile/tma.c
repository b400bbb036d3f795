/* cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetch through tile.apply: one box of a tensor an instruction.
 *
 * Coordinates are (group, repeat, box): the shared operand ends in the box, and so does the global operand's region, whose
 * starts are the coordinates; with coords= the global operand is the tensor itself. Dimensions are in the tensor's order;
 * PTX and the tensor map count them the other way round. The map is made from the global operand's view and the box
 * (tma_map.c), and is a parameter of the kernel that equal uses share.
 *
 *     gather4, scatter4         box=(1, columns), coords=(row, row, row, row, column); the shared operand ends in (4, columns)
 *     im2col, im2col_no_offs    box=(pixels, channels), lower= and upper= corners, coords=; offsets= of a load
 *
 * SOURCE: kernel-language-tile 7.3, 8.2; PTX ISA, cp.async.bulk.tensor; ptx-async 4.3 to 4.9. */
#include "tile/tma.h"

#include "ir/ir_walk.h"
#include "tile/tensor_copy.h"

#include <assert.h>
#include <string.h>

enum { GATHERED_ROWS = 4 };

static struct tma *tma_of(const struct tile_call *c)
{
    return c->family_data;
}

/* ---- opcode and parameters --------------------------------------------------------------------------- */

static bool not_covered(struct tile_call *c)
{
    struct diag *d = tw_diag(c->diags, E0402, c->tile->opcode_at, "the %s tile pattern does not cover %s", c->family->name, c->mnemonic);
    tw_diag_expected(d, "a box of the tensor, rows of it, or pixels by im2col");
    tw_diag_fix(d, "call it as a raw instruction, T.ptx[...](...)");
    return false;
}

/* "(word, word)" */
static const char *tuple_of(const struct tile_call *c, const char *word, uint32_t count)
{
    struct text t;
    tw_text_init(&t, c->arena);
    tw_text_addf(&t, "(%s", word);
    for (uint32_t i = 1; i < count; i++)
        tw_text_addf(&t, ", %s", word);
    tw_text_addf(&t, count == 1 ? ",)" : ")");
    return t.at;
}

static const char *const gathered_coords = "(row, row, row, row, column)";

/* `value` is what to write for it. */
static bool wrong_param(struct tile_call *c, const char *name, const char *expected, const char *found, const char *value)
{
    struct diag *d = tw_diag(c->diags, E0405, tw_tile_param(c, name)->at, "parameter '%s' of %s", name, c->mnemonic);
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s", found);
    tw_diag_fix(d, "write %s=%s", name, value);
    return false;
}

static bool read_box(struct tile_call *c, struct tma *t)
{
    const struct ir_arg *a = tw_tile_param(c, "box");
    const uint32_t count = a->kind == IR_ARG_INT ? 1 : a->item_count;
    if (count != t->box_rank)
        return wrong_param(c, "box", t->im2col ? "(pixels, channels)"
                                               : tw_format(c->arena, "%u extents, one for each dimension of .%ud", t->rank, t->rank),
                           tw_format(c->arena, "%u", count), t->im2col ? "(pixels, channels)" : tuple_of(c, "extent", t->rank));
    for (uint32_t i = 0; i < count; i++) {
        t->box[i] = a->kind == IR_ARG_INT ? a->value : a->items[i].value;
        if (t->box[i] > UINT32_MAX)
            t->box[i] = UINT32_MAX; /* the encoder's rule has the words */
    }
    if (!t->gathers || t->box[0] == 1)
        return true;
    return wrong_param(c, "box", "(1, columns): the instruction takes four rows, each on its own",
                       tw_format(c->arena, "%lld rows", (long long)t->box[0]),
                       tw_format(c->arena, "(1, %lld)", (long long)t->box[1]));
}

static bool missing_param(struct tile_call *c, const char *name, const char *expected, const char *value)
{
    struct diag *d = tw_diag(c->diags, E0406, c->tile->opcode_at, "%s needs the parameter '%s'", c->mnemonic, name);
    tw_diag_expected(d, "%s", expected);
    tw_diag_fix(d, "add %s=%s", name, value);
    return false;
}

/* The tuple with every integer moved into the range. */
static const char *within(const struct tile_call *c, const struct ir_arg *a, int64_t low, int64_t high)
{
    struct text t;
    tw_text_init(&t, c->arena);
    for (uint32_t i = 0; i < a->item_count; i++) {
        const int64_t v = a->items[i].value;
        const char *before = i == 0 ? "(" : ", ";
        if (a->items[i].kind == IR_ARG_INT)
            tw_text_addf(&t, "%s%lld", before, (long long)(v < low ? low : v > high ? high : v));
        else
            tw_text_addf(&t, "%sinteger", before);
    }
    tw_text_addf(&t, a->item_count == 1 ? ",)" : ")");
    return t.at;
}

/* Small integers known at compile time, `want` of them, in the tensor's order. */
static bool read_static(struct tile_call *c, const char *name, uint32_t want, int64_t low, int64_t high, int64_t *out)
{
    const struct ir_arg *a = tw_tile_param(c, name);
    const char *expected = tw_format(c->arena, "%u integer%s from %lld to %lld, known at compile time", want, want == 1 ? "" : "s",
                                     (long long)low, (long long)high);
    const char *value = tuple_of(c, "integer", want);
    if (a->item_count != want)
        return wrong_param(c, name, expected, tw_format(c->arena, "%u", a->item_count), value);
    for (uint32_t i = 0; i < want; i++) {
        if (a->items[i].kind != IR_ARG_INT)
            return wrong_param(c, name, expected, "a value known only at run time", value);
        if (a->items[i].value < low || a->items[i].value > high)
            return wrong_param(c, name, expected, tw_format(c->arena, "%lld", (long long)a->items[i].value), within(c, a, low, high));
        out[i] = a->items[i].value;
    }
    return true;
}

/* im2col: corners of the spatial dimensions, and for a load how far each pixel is from its base. */
static bool read_corners(struct tile_call *c, struct tma *t)
{
    static const char *const names[] = {"lower", "upper"};
    const uint32_t spatial = t->rank - 2;
    for (int i = 0; i < 2; i++) {
        int64_t corner[TENSOR_MAP_RANK];
        if (tw_tile_param(c, names[i]) == NULL)
            return missing_param(c, names[i], tw_format(c->arena, "the %s corner, %u integer%s", names[i], spatial,
                                                        spatial == 1 ? "" : "s"), tuple_of(c, "integer", spatial));
        if (!read_static(c, names[i], spatial, INT16_MIN, INT16_MAX, corner))
            return false;
        for (uint32_t d = 0; d < spatial; d++)
            t->corner[i][d] = (int32_t)corner[d];
    }
    if (t->writes)
        return true;
    const struct ir_arg *offsets = tw_tile_param(c, "offsets");
    if (offsets == NULL)
        return missing_param(c, "offsets", "what the instruction adds to the spatial coordinates", tuple_of(c, "offset", spatial));
    for (uint32_t i = 0; i < offsets->item_count; i++)
        if (!tw_bulk_in_range(c, "offsets", &offsets->items[i], 0, UINT16_MAX))
            return false;
    return offsets->item_count == spatial ||
           wrong_param(c, "offsets", tw_format(c->arena, "%u, one for each spatial dimension", spatial),
                       tw_format(c->arena, "%u", offsets->item_count), tuple_of(c, "offset", spatial));
}

static bool read_steps(struct tile_call *c, struct tma *t)
{
    int64_t steps[TENSOR_MAP_RANK];
    for (uint32_t d = 0; d < t->rank; d++)
        t->steps[d] = 1;
    if (!t->im2col || tw_tile_param(c, "element_strides") == NULL)
        return true;
    if (!read_static(c, "element_strides", t->rank, 1, 8, steps))
        return false;
    for (uint32_t d = 0; d < t->rank; d++)
        t->steps[d] = (uint32_t)steps[d];
    return true;
}

/* A parameter that only copies by im2col have. */
static bool check_im2col_alone(struct tile_call *c, const struct tma *t, const char *name)
{
    const struct ir_arg *a = tw_tile_param(c, name);
    if (a == NULL || t->im2col)
        return true;
    struct diag *d = tw_diag(c->diags, E0404, a->at, "%s has no parameter '%s' here", c->mnemonic, name);
    tw_diag_expected(d, "im2col in the opcode");
    tw_diag_fix(d, "write .im2col in the opcode, or drop the parameter");
    return false;
}

static bool read_im2col(struct tile_call *c, struct tma *t)
{
    static const char *const names[] = {"lower", "upper", "element_strides", "offsets"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] - (t->writes ? 1 : 0); i++)
        if (!check_im2col_alone(c, t, names[i]))
            return false;
    return read_steps(c, t) && (!t->im2col || read_corners(c, t));
}

static bool read_coords(struct tile_call *c, struct tma *t)
{
    const struct ir_arg *a = tw_tile_param(c, "coords");
    const uint32_t want = t->gathers ? GATHERED_ROWS + 1 : t->rank;
    t->has_coords = a != NULL;
    if (a == NULL && t->gathers)
        return missing_param(c, "coords", gathered_coords, gathered_coords);
    if (a == NULL && t->im2col)
        return missing_param(c, "coords",
                             tw_format(c->arena, "%u coordinates of the first pixel, one for each dimension of .%ud", want, want),
                             tuple_of(c, "coordinate", want));
    for (uint32_t i = 0; a != NULL && i < a->item_count; i++)
        if (!tw_bulk_in_range(c, "coords", &a->items[i], INT32_MIN, INT32_MAX))
            return false;
    if (a == NULL || a->item_count == want)
        return true;
    return wrong_param(c, "coords", t->gathers ? gathered_coords
                                               : tw_format(c->arena, "%u coordinates, one for each dimension of .%ud", want, want),
                       tw_format(c->arena, "%u", a->item_count), t->gathers ? gathered_coords : tuple_of(c, "coordinate", want));
}

/* ---- rows --------------------------------------------------------------------------------------------- */

static const struct tile_axis box_axes[TENSOR_MAP_RANK] = {
    {"i0", TILE_BOX, "box[0]"}, {"i1", TILE_BOX + 1, "box[1]"}, {"i2", TILE_BOX + 2, "box[2]"},
    {"i3", TILE_BOX + 3, "box[3]"}, {"i4", TILE_BOX + 4, "box[4]"},
};

#define SHARED(name_, role_) {.name = name_, .role = role_, .scopes = 1u << IR_SHARED, .repeats = "*"}
#define GLOBAL(name_, role_) {.name = name_, .role = role_, .scopes = 1u << IR_GLOBAL, .repeats = "*", .memory = true}
static const struct tile_operand_row load_operands[] = {SHARED("dst", TILE_DST), GLOBAL("src", TILE_SRC)};
static const struct tile_operand_row store_operands[] = {GLOBAL("dst", TILE_DST), SHARED("src", TILE_SRC)};
static const struct tile_operand_row reduce_operands[] = {GLOBAL("dst", TILE_UPDATE), SHARED("src", TILE_SRC)};
static const struct tile_operand_row prefetch_operands[] = {GLOBAL("src", TILE_SRC)};

static bool is_global(const struct tile_operand_row *row)
{
    return row->memory;
}

/* What the global operand shows of the tensor's dimensions: the box, or with coords= whatever it has. */
static void set_reach(struct tile_call *c, const struct tma *t, const struct ir_arg *a)
{
    const struct ir_region *r = a != NULL && a->kind == IR_ARG_REGION && a->region->view->rank >= t->rank ? a->region : NULL;
    for (uint32_t i = 0; i < t->rank; i++)
        c->symbol[TILE_REACH + i] = t->has_coords && r != NULL ? r->extent[r->view->rank - t->rank + i] : t->im2col ? 0 : t->box[i];
}

static void make_rows(struct tile_call *c, struct tma *t)
{
    for (uint32_t i = 0; i < t->box_rank; i++)
        c->symbol[TILE_BOX + i] = t->gathers && i == 0 ? GATHERED_ROWS : t->box[i];
    t->shared = t->global = UINT32_MAX;
    for (uint32_t i = 0; i < c->row_count; i++) {
        const bool global = is_global(&c->rows[i]);
        t->rows[i] = c->rows[i];
        t->rows[i].atom_rank = (uint8_t)(global ? t->rank : t->box_rank);
        memcpy(t->rows[i].atom, box_axes, sizeof box_axes);
        for (uint32_t d = 0; global && d < t->rank; d++)
            t->rows[i].atom[d].extent = TILE_REACH + d;
        *(global ? &t->global : &t->shared) = i;
    }
    const struct ir_arg *tensor = t->global < c->tile->operand_count ? &c->tile->operands[t->global] : NULL;
    set_reach(c, t, tensor);
    if (t->shared != UINT32_MAX && tensor != NULL && tensor->kind == IR_ARG_REGION)
        t->rows[t->shared].elem_bits = tensor->region->view->elem.bits;
    c->rows = t->rows;
}

static bool prepare(struct tile_call *c)
{
    struct tma *t = arena_new(c->arena, struct tma, 1);
    const unsigned mode = isa_spelling_mod(&c->spelling, SLOT_LOAD_MODE);
    c->family_data = t;
    t->rank = (uint32_t)(isa_mod_row(isa_spelling_mod(&c->spelling, SLOT_DIM))->text[0] - '0');
    t->gathers = mode == MOD_TILE_GATHER4 || mode == MOD_TILE_SCATTER4;
    t->im2col = mode == MOD_IM2COL || mode == MOD_IM2COL_NO_OFFS;
    t->box_rank = t->im2col ? 2 : t->rank;
    t->writes = c->family->op == OP_TENSOR_STORE || c->family->op == OP_TENSOR_REDUCE;
    assert(t->rank >= 1 && t->rank <= TENSOR_MAP_RANK);
    if (mode != MOD_NONE && mode != MOD_TILE && !t->gathers && !t->im2col)
        return not_covered(c);
    if (!read_box(c, t) || !read_im2col(c, t) || !read_coords(c, t) || !tw_bulk_check_params(c))
        return false;
    make_rows(c, t);
    return true;
}

/* ---- coordinates ------------------------------------------------------------------------------------------ */

static struct ir_expr *int32_of(struct tile_call *c, struct ir_expr *e)
{
    return tw_ir_cast(c->k, tw_ir_int32(), e, e->at);
}

static struct ir_expr *plus(struct tile_call *c, struct ir_expr *a, struct ir_expr *b)
{
    return a == NULL ? b : b == NULL ? a : tw_ir_binary(c->k, IR_ADD, a, b, c->stmt->at);
}

static struct ir_expr *times(struct tile_call *c, struct ir_expr *a, int64_t by)
{
    return tw_ir_binary(c->k, IR_MUL, a, tw_ir_const_int(c->k, tw_ir_int32(), by, c->stmt->at), c->stmt->at);
}

/* The index of a leading dimension of the global view: the region's start, and the group or repeat coordinate. */
static struct ir_expr *leading_index(struct tile_call *c, const struct tile_operand *o, uint32_t d)
{
    const struct ir_expr *start = o->arg->region->start[d];
    struct ir_expr *x = start == NULL ? NULL : int32_of(c, tw_ir_expr_copy(c->k, start, NULL));
    if (d < c->crew.group_rank)
        return plus(c, x, tw_tile_group_coord(c->k, &c->crew.group[d], c->stmt->at));
    const int64_t at = c->at[c->batch_rank + o->axis_of[d - o->repeat_first]];
    return at == 0 ? x : plus(c, x, tw_ir_const_int(c->k, tw_ir_int32(), at, c->stmt->at));
}

/* Coordinate of dimension `dim` in the tensor's order, or coords[dim] where it is given. */
static struct ir_expr *coordinate(struct tile_call *c, const struct tma *t, uint32_t dim)
{
    const struct tile_operand *o = &c->operand[t->global];
    const struct ir_arg *given = tw_tile_param(c, "coords");
    struct ir_expr *x = NULL;
    if (given != NULL) {
        x = tw_ir_expr_copy(c->k, t->coords[dim], NULL);
    } else if (o->arg->region->start[o->atom_first + dim] != NULL) {
        x = int32_of(c, tw_ir_expr_copy(c->k, o->arg->region->start[o->atom_first + dim], NULL));
    }
    for (uint32_t d = 0; d < o->atom_first; d++) {
        struct ir_expr *index = t->joins[d].factor != 0 && t->joins[d].dim == dim ? leading_index(c, o, d) : NULL;
        if (index != NULL)
            x = plus(c, x, times(c, index, t->joins[d].factor));
    }
    return x != NULL ? x : tw_ir_const_int(c->k, tw_ir_int32(), 0, c->stmt->at);
}

static uint32_t coordinate_count(const struct tma *t)
{
    return t->gathers ? GATHERED_ROWS + 1 : t->rank;
}

/* In the order of PTX: innermost first; of gathered rows the column, then the rows as they are given. */
static struct ir_expr *ptx_coordinate(struct tile_call *c, const struct tma *t, uint32_t i)
{
    if (!t->gathers)
        return coordinate(c, t, t->rank - 1 - i);
    return tw_ir_expr_copy(c->k, t->coords[i == 0 ? GATHERED_ROWS : i - 1], NULL);
}

/* The multiples of `unit` on either side. */
static void suggest_start(int64_t at, int64_t unit, struct diag *d)
{
    const int64_t before = at - (at % unit + unit) % unit;
    tw_diag_fix(d, "start it at element %lld or %lld", (long long)before, (long long)(before + unit));
}

/* MEASURED: ptx-async 4.5: an innermost coordinate that is no multiple of 16 bytes, and a negative one of a copy that
 * writes global memory, end in an illegal instruction. What is known only at run time the machine judges. */
static bool check_coordinate(struct tile_call *c, const struct tma *t, uint32_t i, const struct ir_expr *e)
{
    const uint32_t bits = c->operand[t->global].view->elem.bits;
    int64_t at;
    if (!tw_ir_is_const_int(e, &at))
        return true;
    if (i == 0 && !tw_tensor_copy_starts(bits, at)) {
        struct diag *d = tw_tile_error(c, t->global, E0428, ": the box starts at element %lld of its innermost dimension", (long long)at);
        tw_diag_expected(d, "a multiple of %u elements, %d bytes", 8 * TENSOR_COPY_COLUMN / bits, TENSOR_COPY_COLUMN);
        tw_diag_found(d, "byte %lld", (long long)(at * bits / 8));
        suggest_start(at, 8 * TENSOR_COPY_COLUMN / bits, d);
        return false;
    }
    if (at >= 0 || !t->writes)
        return true;
    struct diag *d = tw_tile_error(c, t->global, E0433, ": the box starts at %lld", (long long)at);
    tw_diag_expected(d, "0 or more: what is below the tensor cannot be written to");
    tw_diag_fix(d, "start the box at 0");
    return false;
}

/* ---- instructions ------------------------------------------------------------------------------------------- */

static void begin(struct tile_call *c)
{
    struct tma *t = tma_of(c);
    const struct ir_arg *given = tw_tile_param(c, "coords");
    t->values = tw_bulk_values(c);
    for (uint32_t i = 0; given != NULL && i < given->item_count; i++)
        t->coords[i] = tw_tile_value(c, &given->items[i], tw_ir_int32(), 0);
    for (uint32_t i = 0; t->im2col && !t->writes && i < t->rank - 2; i++)
        t->offsets[i] = tw_tile_value(c, &tw_tile_param(c, "offsets")->items[i], tw_ir_type_of(NUM_U16), 0);
}

/* {w, h, d} */
static void put_offsets(struct tile_call *c, const struct tma *t, struct ir_ptx_operand *to)
{
    to->kind = IR_PTX_VECTOR;
    to->item_count = t->rank - 2;
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, to->item_count);
    for (uint32_t i = 0; i < to->item_count; i++)
        tw_tile_put_value(c, &to->items[i], t->offsets[to->item_count - 1 - i]);
}

static bool check(struct tile_call *c)
{
    struct tma *t = tma_of(c);
    return tw_tma_make_map(c, t);
}

/* [map, {c0, c1}] */
static bool put_tensor(struct tile_call *c, const struct tma *t, struct ir_ptx_operand *to)
{
    to->kind = IR_PTX_TENSOR;
    to->at = c->operand[t->global].arg->at;
    to->expr = tw_ir_var_ref(c->k, t->map, to->at);
    to->item_count = coordinate_count(t);
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, to->item_count);
    for (uint32_t i = 0; i < to->item_count; i++) {
        struct ir_expr *e = ptx_coordinate(c, t, i);
        if (!check_coordinate(c, t, i, e))
            return false;
        to->items[i] = (struct ir_ptx_operand){.kind = IR_PTX_VALUE, .expr = e, .at = to->at};
    }
    return true;
}

static bool issue(struct tile_call *c)
{
    enum { MOST_OPERANDS = 6 };
    struct tma *t = tma_of(c);
    const struct tile_place *box = NULL;
    struct ir_ptx_operand tensor = {0};
    if (t->shared != UINT32_MAX && (box = tw_tma_place(c, t)) == NULL)
        return false;
    if (!put_tensor(c, t, &tensor))
        return false;
    if (t->values.never)
        return true;
    struct ir_ptx *x = tw_tile_instruction(c, MOST_OPERANDS);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->operand_count; i++)
        if (i == t->global)
            x->operands[n++] = tensor;
        else
            tw_tile_put_shared(c, &x->operands[n++], i, box);
    if (t->values.mbar != NULL)
        tw_bulk_put_barrier(c, &x->operands[n++], &t->values);
    if (t->im2col && !t->writes)
        put_offsets(c, t, &x->operands[n++]);
    x->operand_count = tw_bulk_put_rest(c, x, n, &t->values);
    return true;
}

/* ---- families ------------------------------------------------------------------------------------------------ */

#define MAP_PARAMS                                                                                                      \
    {.name = "box", .type = TILE_PARAM_BOX, .required = true}, {.name = "coords", .type = TILE_PARAM_INTS},               \
        {.name = "oob", .type = TILE_PARAM_CHOICE, .choices = "zeros|nan"},                                             \
        {.name = "l2", .type = TILE_PARAM_CHOICE, .choices = "none|64B|128B|256B"},                                      \
        {.name = "map_type", .type = TILE_PARAM_CHOICE, .choices = "f32_ftz|tf32|tf32_ftz"},                              \
        {.name = "lower", .type = TILE_PARAM_INTS}, {.name = "upper", .type = TILE_PARAM_INTS},                            \
        {.name = "element_strides", .type = TILE_PARAM_INTS},                                                            \
        {.name = "cache_policy", .type = TILE_PARAM_INT}, {.name = "pred", .type = TILE_PARAM_BOOL}
static const struct tile_param_row load_params[] = {MAP_PARAMS,
                                                    {.name = "offsets", .type = TILE_PARAM_INTS},
                                                    {.name = "mbar", .type = TILE_PARAM_ADDRESS, .required = true},
                                                    {.name = "cta_mask", .type = TILE_PARAM_INT}};
static const struct tile_param_row store_params[] = {MAP_PARAMS};
_Static_assert(sizeof load_params / sizeof load_params[0] <= TILE_MAX_PARAMS, "parameters of a tensor load");
static const struct tile_param_row prefetch_params[] = {MAP_PARAMS, {.name = "offsets", .type = TILE_PARAM_INTS},
                                                        {.name = "swizzle", .type = TILE_PARAM_CHOICE, .choices = "none|32B|64B|128B"}};

#define FAMILY(op_, name_, what_, operands_, params_)                                                                        \
    {                                                                                                                      \
        .op = op_, .name = name_, .what = what_, .issuer = TILE_BY_THREAD, .operands = operands_,                            \
        .operand_count = sizeof operands_ / sizeof operands_[0], .params = params_,                                          \
        .param_count = sizeof params_ / sizeof params_[0], .prepare = prepare, .check = check, .begin = begin, .issue = issue \
    }

const struct tile_family tw_tile_tensor_load =
    FAMILY(OP_TENSOR_LOAD, "cp.async.bulk.tensor load", "a box of a tensor to shared memory, a barrier told", load_operands, load_params);
const struct tile_family tw_tile_tensor_store =
    FAMILY(OP_TENSOR_STORE, "cp.async.bulk.tensor store", "shared memory to a box of a tensor", store_operands, store_params);
const struct tile_family tw_tile_tensor_reduce =
    FAMILY(OP_TENSOR_REDUCE, "cp.reduce.async.bulk.tensor", "shared memory into a box of a tensor", reduce_operands, store_params);
const struct tile_family tw_tile_tensor_prefetch = FAMILY(
    OP_TENSOR_PREFETCH, "cp.async.bulk.prefetch.tensor", "a box of a tensor into the L2 cache", prefetch_operands, prefetch_params);
