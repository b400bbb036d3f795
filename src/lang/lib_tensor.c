/* Members of tensors: views and addresses. No view moves data. SOURCE: kernel-language 5. */
#include "lang/eval.h"

#include "base/nearest.h"

#include <string.h>

static struct value viewed(struct eval *ev, struct call *c, const struct view *v, struct ir_type elem)
{
    struct tensor t = *c->self.u.tensor;
    t.view = *v;
    t.elem = elem;
    t.at = c->at;
    return tw_tensor_value(ev, t);
}

static bool read_dims(struct eval *ev, struct call *c, const char *what, uint32_t *rank, int64_t dims[TW_MAX_RANK])
{
    const bool packed = c->rest.len == 1 && value_is_sequence(c->rest.at[0].value);
    *rank = packed ? c->rest.at[0].value.u.list->len : c->rest.len;
    if (*rank > TW_MAX_RANK) {
        struct diag *d = tw_diag(ev->diags, E0206, c->at, "'%s' is given too many dimensions", c->row->name);
        tw_diag_expected(d, "at most %d", TW_MAX_RANK);
        return false;
    }
    for (uint32_t i = 0; i < *rank; i++) {
        const struct value v = packed ? c->rest.at[0].value.u.list->at[i] : c->rest.at[i].value;
        if (!tw_eval_static_int(ev, v, packed ? c->rest.at[0].at : c->rest.at[i].at, what, &dims[i]))
            return false;
    }
    return true;
}

/* .view("uint32"): the same bits in elements of another width. */
static struct value retype(struct eval *ev, struct call *c)
{
    const struct tensor *t = c->self.u.tensor;
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct ir_type elem;
    struct view out = t->view;
    if (!tw_eval_dtype(ev, c->rest.at[0].value, c->rest.at[0].at, "the dtype", &elem))
        return value_error();
    if (elem.bits != t->elem.bits && !tw_view_retype(&env, &t->view, elem.bits, &out))
        return value_error();
    return viewed(ev, c, &out, elem);
}

static struct value view(struct eval *ev, struct call *c)
{
    const struct tensor *t = c->self.u.tensor;
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    uint32_t rank;
    int64_t dims[TW_MAX_RANK];
    struct view out;
    const struct arg *layout = &c->args[0];
    if (c->rest.len == 1 && !layout->given &&
        (c->rest.at[0].value.kind == VALUE_STR || c->rest.at[0].value.kind == VALUE_DTYPE))
        return retype(ev, c);
    if (!read_dims(ev, c, "a dimension of the view", &rank, dims))
        return value_error();
    if (!layout->given)
        return tw_view_reshape(&env, &t->view, rank, dims, &out) ? viewed(ev, c, &out, t->elem) : value_error();
    const struct layout *other;
    if (!tw_eval_layout(ev, layout->value, layout->at, &other) ||
        !tw_view_relayout(&env, &t->view, rank, dims, other, t->allocated, &out))
        return value_error();
    return viewed(ev, c, &out, t->elem);
}

static struct value rearrange(struct eval *ev, struct call *c)
{
    const struct tensor *t = c->self.u.tensor;
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct str pattern;
    struct axis_size *sizes = arena_new(ev->arena, struct axis_size, c->rest.len + 1);
    if (!tw_eval_static_str(ev, c->args[0].value, c->args[0].at, "the pattern", &pattern))
        return value_error();
    for (uint32_t i = 0; i < c->rest.len; i++) {
        sizes[i].name = tw_str(c->rest.at[i].name);
        if (!tw_eval_static_int(ev, c->rest.at[i].value, c->rest.at[i].at,
                                tw_format(ev->arena, "the size of '%s'", c->rest.at[i].name), &sizes[i].size))
            return value_error();
    }
    struct view out;
    return tw_view_rearrange(&env, &t->view, pattern, sizes, c->rest.len, &out) ? viewed(ev, c, &out, t->elem)
                                                                                  : value_error();
}

static struct value permute(struct eval *ev, struct call *c)
{
    const struct tensor *t = c->self.u.tensor;
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    uint32_t rank;
    int64_t order[TW_MAX_RANK];
    struct view out;
    if (!read_dims(ev, c, "a dimension number", &rank, order))
        return value_error();
    return tw_view_permute(&env, &t->view, rank, order, &out) ? viewed(ev, c, &out, t->elem) : value_error();
}

static struct value local(struct eval *ev, struct call *c)
{
    const struct tensor *t = c->self.u.tensor;
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    uint32_t rank;
    int64_t dims[TW_MAX_RANK];
    struct view out;
    if (t->storage->scope != IR_LOCAL)
        return tw_eval_mismatch(ev, c->at, "what 'local' is applied to", "a local tensor", c->self);
    if (c->args[0].given)
        return view(ev, c);
    if (!read_dims(ev, c, "a dimension", &rank, dims))
        return value_error();
    return tw_view_local(&env, &t->view, rank, dims, &out) ? viewed(ev, c, &out, t->elem) : value_error();
}

static struct value ptr_to(struct eval *ev, struct call *c)
{
    if (!value_is_sequence(c->args[0].value))
        return tw_eval_mismatch(ev, c->args[0].at, "the argument of 'ptr_to'", "a list of indices", c->args[0].value);
    return tw_tensor_address(ev, c->self.u.tensor, c->args[0].value.u.list, c->at);
}

/* ---- parts --------------------------------------------------------------------------------------- */

/* `...` stands for as many ':' as the tensor has dimensions left. False when it is written twice, or too much is. */
static bool spell_out(struct eval *ev, const struct value index, uint32_t rank, struct src_span at, struct value_list *out)
{
    const bool many = index.kind == VALUE_TUPLE;
    const uint32_t count = many ? index.u.list->len : 1;
    static const struct slice all = {NULL, NULL, NULL};
    const struct value rest = {.kind = VALUE_SLICE, .u.slice = &all};
    bool seen = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct value v = many ? index.u.list->at[i] : index;
        if (v.kind != VALUE_ELLIPSIS) {
            *vec_push(ev->arena, out) = v;
            continue;
        }
        for (uint32_t k = count - 1; !seen && k < rank; k++)
            *vec_push(ev->arena, out) = rest;
        seen = true;
    }
    while (!seen && out->len < rank)
        *vec_push(ev->arena, out) = rest;
    if (out->len == rank)
        return true;
    struct diag *d = tw_diag(ev->diags, E0209, at, "%u dimensions are given %u indices", rank, out->len);
    tw_diag_expected(d, "one index, slice or ':' for each dimension");
    return false;
}

static bool part_int(struct eval *ev, const struct value *v, int64_t absent, struct src_span at, const char *what, int64_t *out)
{
    *out = absent;
    return v == NULL || v->kind == VALUE_NONE || tw_eval_static_int(ev, *v, at, what, out);
}

/* i, a:b or start::step */
static bool read_pick(struct eval *ev, struct value v, int64_t extent, struct src_span at, struct pick *out)
{
    *out = (struct pick){.kind = PICK_INDEX, .step = 1};
    if (v.kind != VALUE_SLICE)
        return tw_eval_static_int(ev, v, at, "the index of a view", &out->begin);
    out->kind = PICK_RANGE;
    if (!part_int(ev, v.u.slice->low, 0, at, "the start of the slice", &out->begin) ||
        !part_int(ev, v.u.slice->high, extent, at, "the end of the slice", &out->end) ||
        !part_int(ev, v.u.slice->step, 1, at, "the step of the slice", &out->step))
        return false;
    if (v.u.slice->step == NULL || out->step == 1)
        return true;
    out->kind = PICK_RESIDUE;
    if (v.u.slice->high == NULL)
        return true;
    struct diag *d = tw_diag(ev->diags, E0209, at, "a slice with a step has no end");
    tw_diag_expected(d, "start::step");
    return false;
}

static bool sub_of(struct eval *ev, const struct view *v, const struct value_list *index, struct src_span at, struct view *out)
{
    const struct layout_env env = tw_eval_layout_env(ev, at);
    struct pick picks[TW_MAX_RANK];
    for (uint32_t d = 0; d < index->len; d++)
        if (!read_pick(ev, index->at[d], v->shape.dim[d], at, &picks[d]))
            return false;
    return tw_view_sub(&env, v, index->len, picks, out);
}

/* t.sub[...] */
static struct value sub(struct eval *ev, struct call *c)
{
    const struct tensor *t = c->self.u.tensor;
    struct value_list index = {0};
    struct view out;
    if (!spell_out(ev, c->args[0].value, t->view.shape.rank, c->at, &index) ||
        !sub_of(ev, &t->view, &index, c->at, &out))
        return value_error();
    return viewed(ev, c, &out, t->elem);
}

/* t.chunk(counts)[...]: a dimension with a count is cut into that many parts, and its index picks one. */
static struct value chunk_index(struct eval *ev, struct call *c)
{
    const struct value_list *self = c->self.u.list;
    const struct tensor *t = self->at[0].u.tensor;
    const struct value_list *counts = self->at[1].u.list;
    struct value_list index = {0};
    if (!spell_out(ev, c->args[0].value, t->view.shape.rank, c->at, &index))
        return value_error();
    for (uint32_t d = 0; d < index.len; d++) {
        if (counts->at[d].kind == VALUE_NONE)
            continue;
        const struct value size = value_int(t->view.shape.dim[d] / (int64_t)value_integer(counts->at[d]));
        struct slice *s = arena_new(ev->arena, struct slice, 1);
        s->low = arena_new(ev->arena, struct value, 2);
        s->high = s->low + 1;
        if (index.at[d].kind == VALUE_SLICE)
            return tw_eval_wrong_kind(ev, c->at, "the index of a chunk", "an integer", index.at[d]);
        *s->low = tw_eval_binary(ev, BINARY_MUL, index.at[d], size, c->at);
        *s->high = tw_eval_binary(ev, BINARY_ADD, tw_eval_fresh(ev, *s->low), size, c->at);
        if (s->high->kind == VALUE_ERROR)
            return value_error();
        index.at[d] = (struct value){.kind = VALUE_SLICE, .u.slice = s};
    }
    return tw_tensor_index(ev, t, tw_value_list_of(ev->arena, VALUE_TUPLE, index.at, index.len), c->at);
}

static const struct builtin chunk_row = {"chunk", "[...]", chunk_index, IN_KERNEL};

static struct value chunk(struct eval *ev, struct call *c)
{
    const struct shape *shape = &c->self.u.tensor->view.shape;
    const struct value counts = c->args[0].value;
    if (!value_is_sequence(counts) || counts.u.list->len != shape->rank)
        return tw_eval_mismatch(ev, c->args[0].at, "the argument of 'chunk'", "a tuple with a count or None for each dimension", counts);
    for (uint32_t d = 0; d < shape->rank; d++) {
        int64_t count;
        if (counts.u.list->at[d].kind == VALUE_NONE)
            continue;
        if (!tw_eval_static_int(ev, counts.u.list->at[d], c->args[0].at, "the number of chunks", &count))
            return value_error();
        if (count > 0 && shape->dim[d] % count == 0)
            continue;
        struct diag *e = tw_diag(ev->diags, E0206, c->args[0].at, "dimension %u is not cut into %lld equal parts", d, (long long)count);
        tw_diag_expected(e, "a divisor of %lld", (long long)shape->dim[d]);
        return value_error();
    }
    const struct value self[] = {c->self, counts};
    return tw_eval_method(ev, &chunk_row, tw_value_list_of(ev->arena, VALUE_TUPLE, self, 2));
}

/* The factors of t.tile((dim, (f0, f1, ...)), ...), by dimension; an untiled dimension is its own factor. */
struct factors {
    uint32_t count[TW_MAX_RANK];
    int64_t dims[TW_MAX_RANK];
    uint32_t rank;
};

static bool tile_factors(struct eval *ev, const struct shape *shape, const struct value_list *tiles, struct src_span at,
                         struct factors *out)
{
    *out = (struct factors){.rank = 0};
    for (uint32_t d = 0; d < shape->rank; d++) {
        struct shape f = {.rank = 1, .dim = {shape->dim[d]}};
        for (uint32_t i = 0; i < tiles->len; i++) {
            const struct value_list *tile = tiles->at[i].u.list;
            if (value_integer(tile->at[0]) == d && !tw_eval_static_shape(ev, tile->at[1], at, "the factors", &f))
                return false;
        }
        if (tw_shape_elems(&f) != shape->dim[d] || out->rank + f.rank > TW_MAX_RANK) {
            struct diag *e = tw_diag(ev->diags, E0206, at, "the factors do not multiply to dimension %u", d);
            tw_diag_expected(e, "factors of %lld", (long long)shape->dim[d]);
            tw_diag_found(e, "%s", tw_shape_text(ev->arena, &f));
            return false;
        }
        out->count[d] = f.rank;
        for (uint32_t i = 0; i < f.rank; i++)
            out->dims[out->rank++] = f.dim[i];
    }
    return true;
}

/* The shape that is left of a dimension's factors: kept ones merge; a dimension of which nothing is kept goes. */
static bool merged_shape(struct eval *ev, const struct factors *f, uint32_t rank, const struct value_list *index,
                         struct src_span at, int64_t *dims, uint32_t *left)
{
    uint32_t at_factor = 0;
    *left = 0;
    for (uint32_t d = 0; d < rank; d++) {
        int64_t kept = 1;
        uint32_t slices = 0;
        for (uint32_t i = 0; i < f->count[d]; i++, at_factor++) {
            const struct value v = index->at[at_factor];
            const bool whole = v.kind == VALUE_SLICE && v.u.slice->low == NULL && v.u.slice->high == NULL && v.u.slice->step == NULL;
            if (v.kind == VALUE_SLICE && !whole && f->count[d] > 1) {
                tw_eval_mismatch(ev, at, "the pick of a factor", "an index or ':'", v);
                return false;
            }
            if (v.kind == VALUE_SLICE)
                slices++;
            kept *= v.kind == VALUE_SLICE ? f->dims[at_factor] : 1;
        }
        if (f->count[d] > 1 && slices == f->count[d]) {
            struct diag *e = tw_diag(ev->diags, E0209, at, "no factor of dimension %u is picked", d);
            tw_diag_expected(e, "at least one index for every tiled dimension");
            return false;
        }
        if (slices > 0 && f->count[d] > 1)
            dims[(*left)++] = kept;
        else if (slices > 0)
            dims[(*left)++] = -2; /* as the slice left it */
    }
    return true;
}

static struct value tile_index(struct eval *ev, struct call *c)
{
    const struct tensor *t = c->self.u.list->at[0].u.tensor;
    const struct layout_env env = tw_eval_layout_env(ev, c->at);
    struct factors f;
    struct value_list index = {0};
    struct view split, part, out;
    int64_t dims[TW_MAX_RANK];
    uint32_t left, at = 0;
    if (!tile_factors(ev, &t->view.shape, c->self.u.list->at[1].u.list, c->at, &f) ||
        !spell_out(ev, c->args[0].value, f.rank, c->at, &index) ||
        !tw_view_reshape(&env, &t->view, f.rank, f.dims, &split) ||
        !sub_of(ev, &split, &index, c->at, &part) ||
        !merged_shape(ev, &f, t->view.shape.rank, &index, c->at, dims, &left))
        return value_error();
    for (uint32_t i = 0; i < left; i++) {
        for (int64_t got = 1; dims[i] != -2 && got < dims[i];)
            got *= part.shape.dim[at++];
        if (dims[i] == -2)
            dims[i] = part.shape.dim[at++];
    }
    c->self = c->self.u.list->at[0];
    return tw_view_reshape(&env, &part, left, dims, &out) ? viewed(ev, c, &out, t->elem) : value_error();
}

static const struct builtin tile_row = {"tile", "[...]", tile_index, IN_KERNEL};

static struct value tile(struct eval *ev, struct call *c)
{
    struct value_list tiles = {0};
    for (uint32_t i = 0; i < c->rest.len; i++) {
        const struct value v = c->rest.at[i].value;
        const bool fine = value_is_sequence(v) && v.u.list->len == 2 && value_is_integer(v.u.list->at[0]) &&
                          value_is_sequence(v.u.list->at[1]);
        if (!fine)
            return tw_eval_mismatch(ev, c->rest.at[i].at, "an argument of 'tile'", "(dimension, (factors))", v);
        *vec_push(ev->arena, &tiles) = v;
    }
    const struct value self[] = {c->self, tw_value_list_of(ev->arena, VALUE_TUPLE, tiles.at, tiles.len)};
    return tw_eval_method(ev, &tile_row, tw_value_list_of(ev->arena, VALUE_TUPLE, self, 2));
}

static const struct builtin rows[] = {
    {"sub", "[...]", sub, IN_KERNEL},
    {"chunk", "counts", chunk, IN_KERNEL},
    {"tile", "*tiles", tile, IN_KERNEL},
    {"view", "*dims, layout?", view, IN_KERNEL},
    {"rearrange", "pattern, **sizes", rearrange, IN_KERNEL},
    {"permute", "*dims", permute, IN_KERNEL},
    {"local", "*dims, layout?", local, IN_KERNEL},
    {"ptr_to", "indices", ptr_to, IN_KERNEL},
};
const struct builtin_table tw_lib_tensor = {rows, sizeof rows / sizeof rows[0]};

static const char *const attributes[] = {"shape", "dtype", "data", "layout", "scope"};
static const char *const refused[] = {"vload", "vstore", "access_ptr", "elem_offset", "byte_offset"};

static struct value shape_value(struct eval *ev, const struct shape *s)
{
    struct value dims[TW_MAX_RANK];
    for (uint32_t d = 0; d < s->rank; d++)
        dims[d] = value_int(s->dim[d]);
    return tw_value_list_of(ev->arena, VALUE_TUPLE, dims, s->rank);
}

static struct value attribute(struct eval *ev, const struct tensor *t, size_t which, struct src_span at)
{
    if (which == 0)
        return shape_value(ev, &t->view.shape);
    if (which == 1)
        return (struct value){.kind = VALUE_DTYPE, .u.dtype = t->elem};
    if (which == 2)
        return tw_tensor_address(ev, t, NULL, at);
    if (which == 3)
        return value_layout(t->view.layout);
    return value_str(tw_str(tw_ir_scope_name(t->storage->scope)));
}

static struct value unknown(struct eval *ev, const char *name, struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0202, at, "a tensor has no '%s'", name);
    struct nearest best = nearest_to(tw_str(name));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] + sizeof attributes / sizeof attributes[0]; i++) {
        const size_t methods = sizeof rows / sizeof rows[0];
        tw_nearest_consider(&best, i < methods ? rows[i].name : attributes[i - methods]);
    }
    if (best.name != NULL)
        tw_diag_fix(d, "write '%s'", best.name);
    return value_error();
}

struct value tw_names_tensor_member(struct eval *ev, struct value tensor, const char *name, struct src_span at)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        struct value *self = arena_new(ev->arena, struct value, 1);
        *self = tensor;
        return (struct value){.kind = VALUE_BUILTIN, .u.builtin = {&rows[i], self}};
    }
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (strcmp(attributes[i], name) == 0)
            return attribute(ev, tensor.u.tensor, i, at);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strcmp(refused[i], name) == 0)
            return tw_eval_unsupported(ev, at, "'%s' of a tensor", name);
    return unknown(ev, name, at);
}
