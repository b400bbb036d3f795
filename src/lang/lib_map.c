/* T.TensorMap: a parameter that is a tensor map, and from which tensor whoever launches makes it.
 *
 *     X_map: T.TensorMap("X", box=(128, 64), swizzle="128B")
 *
 * The tensor is another parameter, by name. Extents are in the order of the tensor's own dimensions; the driver counts them
 * the other way round. What is not written follows from the tensor: element type, extents, strides. Bare T.TensorMap leaves
 * the description to the launch contract. SOURCE: kernel-language 11, stage 3; CUDA driver API, cuTensorMapEncodeTiled. */
#include "lang/map.h"

#include <string.h>

/* Integers by dimension, in the tensor's order. */
struct numbers {
    uint32_t count; /* 0: not given */
    int64_t at[TENSOR_MAP_RANK];
    struct src_span span;
};

struct map_type {
    struct ir_map ir;     /* first: the parameter's map */
    const char *tensor;   /* NULL: not described */
    struct src_span tensor_at, at;
    bool has_type;
    struct numbers box, element_strides, lower, upper, channels, pixels;
};

enum map_arg {
    ARG_TENSOR, ARG_BOX, ARG_SWIZZLE, ARG_ELEMENT_STRIDES, ARG_INTERLEAVE, ARG_FILL, ARG_L2, ARG_DTYPE, ARG_LOWER, ARG_UPPER,
    ARG_CHANNELS, ARG_PIXELS
};
#define MAP_PARAMS \
    "tensor, *, box?, swizzle?, element_strides?, interleave?, fill?, l2?, dtype?, lower?, upper?, channels?, pixels?"

/* ---- reading ---- */

static bool read_numbers(struct eval *ev, const struct arg *a, const char *what, struct numbers *out)
{
    *out = (struct numbers){.span = a->at};
    if (!a->given || a->value.kind == VALUE_NONE)
        return true;
    const bool many = value_is_sequence(a->value);
    const uint32_t count = many ? a->value.u.list->len : 1;
    if (count < 1 || count > TENSOR_MAP_RANK) {
        tw_eval_mismatch(ev, a->at, tw_format(ev->arena, "'%s'", what), "one to five integers", a->value);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!tw_eval_static_int(ev, many ? a->value.u.list->at[i] : a->value, a->at, tw_format(ev->arena, "'%s'", what), &out->at[i]))
            return false;
    out->count = count;
    return true;
}

/* A name out of a list; absent: the first. */
static bool read_choice(struct eval *ev, const struct arg *a, const char *what, const char *const *names, uint32_t *out)
{
    struct str text;
    *out = 0;
    if (!a->given || a->value.kind == VALUE_NONE)
        return true;
    if (!tw_eval_static_str(ev, a->value, a->at, tw_format(ev->arena, "'%s'", what), &text))
        return false;
    struct text list;
    tw_text_init(&list, ev->arena);
    for (uint32_t i = 0; names[i] != NULL; i++) {
        if (tw_str_is(text, names[i])) {
            *out = i;
            return true;
        }
        tw_text_addf(&list, i == 0 ? "\"%s\"" : ", \"%s\"", names[i]);
    }
    struct diag *d = tw_diag(ev->diags, E0206, a->at, "'%s' of a tensor map has no value \"" STR_FMT "\"", what, STR_ARG(text));
    tw_diag_expected(d, "one of: %s", list.at);
    return false;
}

static bool read_choices(struct eval *ev, const struct arg *args, struct tensor_map *m)
{
    const char *swizzles[TMAP_SWIZZLE_COUNT + 1] = {0};
    uint32_t swizzle, interleave, fill, l2;
    for (unsigned i = 0; i < TMAP_SWIZZLE_COUNT; i++)
        swizzles[i] = tw_tensor_map_swizzle((enum tensor_map_swizzle)i)->name;
    if (!read_choice(ev, &args[ARG_SWIZZLE], "swizzle", swizzles, &swizzle) ||
        !read_choice(ev, &args[ARG_INTERLEAVE], "interleave", tw_tensor_map_interleave_names, &interleave) ||
        !read_choice(ev, &args[ARG_FILL], "fill", tw_tensor_map_fill_names, &fill) ||
        !read_choice(ev, &args[ARG_L2], "l2", tw_tensor_map_l2_names, &l2))
        return false;
    m->swizzle = (enum tensor_map_swizzle)swizzle;
    m->interleave = (enum tensor_map_interleave)interleave;
    m->fill = (enum tensor_map_fill)fill;
    m->l2 = (enum tensor_map_l2)l2;
    return true;
}

/* The element type of the map, where it is not the tensor's: "tf32" over float32, "u8" over any byte. */
static bool read_type(struct eval *ev, const struct arg *a, struct map_type *t)
{
    struct str name;
    if (!a->given || a->value.kind == VALUE_NONE)
        return true;
    if (!tw_eval_static_str(ev, a->value, a->at, "'dtype'", &name))
        return false;
    t->ir.map.type = tw_tensor_map_type_find(name);
    t->has_type = true;
    if (t->ir.map.type != TMAP_TYPE_COUNT)
        return true;
    struct text list;
    tw_text_init(&list, ev->arena);
    for (unsigned i = 0; i < TMAP_TYPE_COUNT; i++)
        tw_text_addf(&list, "%s, ", tw_tensor_map_type((enum tensor_map_type)i)->name);
    struct diag *d = tw_diag(ev->diags, E0206, a->at, "tensor maps have no element type \"" STR_FMT "\"", STR_ARG(name));
    tw_diag_expected(d, "one of: %sor a dtype that is one of them", list.at);
    return false;
}

static bool is_im2col(const struct map_type *t)
{
    return t->lower.count != 0 || t->upper.count != 0 || t->channels.count != 0 || t->pixels.count != 0;
}

/* A tile has a box; an im2col map has corners, channels and pixels instead. */
static bool check_mode(struct eval *ev, const struct map_type *t)
{
    const char *missing = !is_im2col(t) ? (t->box.count == 0 ? "box" : NULL)
                          : t->channels.count != 1 ? "channels"
                          : t->pixels.count != 1   ? "pixels"
                          : t->lower.count == 0    ? "lower"
                          : t->upper.count == 0    ? "upper"
                                                   : NULL;
    if (missing == NULL && !(is_im2col(t) && t->box.count != 0))
        return true;
    struct diag *d = tw_diag(ev->diags, E0205, t->at, "a tensor map %s", missing != NULL
                                 ? tw_format(ev->arena, "needs '%s'", missing) : "of the im2col kind has no 'box'");
    tw_diag_expected(d, "box=(...), or lower=(...), upper=(...), channels=, pixels= for im2col");
    return false;
}

static struct value map_type(struct eval *ev, struct call *c)
{
    struct map_type *m = arena_new(ev->arena, struct map_type, 1);
    struct tensor_type *t = arena_new(ev->arena, struct tensor_type, 1);
    struct str tensor;
    *m = (struct map_type){.at = c->at, .tensor_at = c->args[ARG_TENSOR].at};
    *t = (struct tensor_type){.align = -1, .map = m, .at = c->at};
    if (!tw_eval_static_str(ev, c->args[ARG_TENSOR].value, m->tensor_at, "the tensor of a map", &tensor) ||
        !read_numbers(ev, &c->args[ARG_BOX], "box", &m->box) ||
        !read_numbers(ev, &c->args[ARG_ELEMENT_STRIDES], "element_strides", &m->element_strides) ||
        !read_numbers(ev, &c->args[ARG_LOWER], "lower", &m->lower) || !read_numbers(ev, &c->args[ARG_UPPER], "upper", &m->upper) ||
        !read_numbers(ev, &c->args[ARG_CHANNELS], "channels", &m->channels) ||
        !read_numbers(ev, &c->args[ARG_PIXELS], "pixels", &m->pixels) || !read_choices(ev, c->args, &m->ir.map) ||
        !read_type(ev, &c->args[ARG_DTYPE], m) || !check_mode(ev, m))
        return value_error();
    m->tensor = tw_intern(ev->names, tensor);
    return (struct value){.kind = VALUE_TYPE, .u.type = t};
}

static const struct builtin rows[] = {{"TensorMap", MAP_PARAMS, map_type, ANYWHERE}};
const struct builtin_table tw_lib_map = {rows, sizeof rows / sizeof rows[0]};

/* ---- parameters ---- */

bool tw_map_is_bare(struct value annotation)
{
    return annotation.kind == VALUE_BUILTIN && annotation.u.builtin.row == rows;
}

struct value tw_map_param(struct eval *ev, uint32_t index, struct map_type *type)
{
    struct ir_kernel *k = eval_kernel(ev);
    struct ir_param *p = &k->params.at[index];
    struct ir_var *var = tw_ir_var_new(k, p->name, tw_ir_pointer(), p->at);
    if (type == NULL)
        type = arena_new(ev->arena, struct map_type, 1);
    var->param = (int32_t)index;
    p->scalar = var;
    p->map = &type->ir;
    return (struct value){.kind = VALUE_VAR, .u.var = var};
}

bool tw_map_is_parameter(const struct eval *ev, struct value v)
{
    const struct ir_var *var = v.kind == VALUE_VAR ? v.u.var : v.kind == VALUE_EXPR && v.u.expr->op == IR_VAR ? v.u.expr->var : NULL;
    return var != NULL && var->param >= 0 && eval_kernel(ev)->params.at[var->param].map != NULL;
}

/* ---- completing ---- */

static bool wrong_rank(struct eval *ev, const struct map_type *t, const char *what, const struct numbers *n, uint32_t want)
{
    struct diag *d = tw_diag(ev->diags, E0206, n->span, "'%s' has %u extents", what, n->count);
    tw_diag_expected(d, "%u, one for each dimension of '%s'", want, t->tensor);
    return false;
}

/* The driver's order from the tensor's; `first` dimensions of the driver's are passed over. */
static bool turn_round(struct eval *ev, const struct map_type *t, const char *what, const struct numbers *n, uint32_t want,
                       int64_t low, int64_t high, int64_t out[TENSOR_MAP_RANK])
{
    if (n->count != want)
        return wrong_rank(ev, t, what, n, want);
    for (uint32_t i = 0; i < want; i++) {
        out[i] = n->at[want - 1 - i];
        if (out[i] >= low && out[i] <= high)
            continue;
        struct diag *d = tw_diag(ev->diags, E0206, n->span, "'%s' of a tensor map is out of range", what);
        tw_diag_expected(d, "%lld to %lld", (long long)low, (long long)high);
        tw_diag_found(d, "%lld", (long long)out[i]);
        return false;
    }
    return true;
}

static bool complete_tile(struct eval *ev, struct map_type *t)
{
    struct tensor_map *m = &t->ir.map;
    int64_t n[TENSOR_MAP_RANK];
    m->mode = TMAP_TILE;
    if (!turn_round(ev, t, "box", &t->box, m->rank, 0, UINT32_MAX, n))
        return false;
    for (uint32_t d = 0; d < m->rank; d++)
        m->box[d] = (uint32_t)n[d];
    return true;
}

static bool complete_im2col(struct eval *ev, struct map_type *t)
{
    struct tensor_map *m = &t->ir.map;
    int64_t low[TENSOR_MAP_RANK], high[TENSOR_MAP_RANK];
    m->mode = TMAP_IM2COL;
    if (m->rank < 3) {
        struct diag *d = tw_diag(ev->diags, E0206, t->tensor_at, "an im2col map of a tensor of rank %u", m->rank);
        tw_diag_expected(d, "rank 3 to 5: images, D, H, W as there are, channels");
        return false;
    }
    if (!turn_round(ev, t, "lower", &t->lower, m->rank - 2, INT16_MIN, INT16_MAX, low) ||
        !turn_round(ev, t, "upper", &t->upper, m->rank - 2, INT16_MIN, INT16_MAX, high))
        return false;
    for (uint32_t d = 0; d < m->rank - 2; d++) {
        m->lower[d] = (int32_t)low[d];
        m->upper[d] = (int32_t)high[d];
    }
    m->channels = t->channels.at[0] < 0 || t->channels.at[0] > UINT32_MAX ? 0 : (uint32_t)t->channels.at[0];
    m->pixels = t->pixels.at[0] < 0 || t->pixels.at[0] > UINT32_MAX ? 0 : (uint32_t)t->pixels.at[0];
    return true;
}

static const struct ir_param *find_tensor(const struct eval *ev, const struct map_type *t)
{
    const struct ir_kernel *k = eval_kernel(ev);
    for (uint32_t i = 0; i < k->params.len; i++)
        if (k->params.at[i].tensor != NULL && strcmp(k->params.at[i].name, t->tensor) == 0)
            return &k->params.at[i];
    struct diag *d = tw_diag(ev->diags, E0206, t->tensor_at, "the kernel has no tensor parameter '%s'", t->tensor);
    tw_diag_expected(d, "the name of the parameter that the map is made from");
    return NULL;
}

static bool complete(struct eval *ev, struct map_type *t)
{
    struct tensor_map *m = &t->ir.map;
    const struct ir_param *p = find_tensor(ev, t);
    if (p == NULL)
        return false;
    const enum tensor_map_type type = m->type;
    const char *why = tw_ir_map_tensor(ev->arena, p->view, m);
    if (why != NULL) {
        struct diag *d = tw_diag(ev->diags, E0206, t->tensor_at, "no tensor map describes '%s'", t->tensor);
        tw_diag_expected(d, "%s", why);
        tw_diag_found(d, "dtype %s, layout %s", tw_ir_type_name(p->view->elem), tw_layout_text(ev->arena, p->view->layout));
        return false;
    }
    if (t->has_type && tw_tensor_map_type(type)->global_bits != p->view->elem.bits) {
        struct diag *d = tw_diag(ev->diags, E0206, t->at, "the map's elements are not as wide as those of '%s'", t->tensor);
        tw_diag_expected(d, "a type of %u bits", p->view->elem.bits);
        tw_diag_found(d, "%s, %u bits", tw_tensor_map_type(type)->name, tw_tensor_map_type(type)->global_bits);
        return false;
    }
    m->type = t->has_type ? type : m->type;
    int64_t n[TENSOR_MAP_RANK];
    if (t->element_strides.count != 0) {
        if (!turn_round(ev, t, "element_strides", &t->element_strides, m->rank, 0, UINT32_MAX, n))
            return false;
        for (uint32_t d = 0; d < m->rank; d++)
            m->element_strides[d] = (uint32_t)n[d];
    }
    t->ir.tensor = p->tensor;
    return is_im2col(t) ? complete_im2col(ev, t) : complete_tile(ev, t);
}

void tw_map_finish(struct eval *ev)
{
    const struct ir_kernel *k = eval_kernel(ev);
    for (uint32_t i = 0; i < k->params.len; i++) {
        const struct ir_param *p = &k->params.at[i];
        struct map_type *t = (struct map_type *)p->map;
        if (p->map == NULL || t->tensor == NULL)
            continue;
        if (complete(ev, t))
            (void)tw_ir_map_check(k, ev->diags, &t->ir, TENSOR_MAP_NEWEST_SM, p->name, t->at);
    }
}
