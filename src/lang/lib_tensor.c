/* Members of tensors: views and addresses. No view moves data. SOURCE: kernel-language 5. */
#include "lang/eval.h"

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

static const struct builtin rows[] = {
    {"view", "*dims, layout?", view, IN_KERNEL},
    {"rearrange", "pattern, **sizes", rearrange, IN_KERNEL},
    {"permute", "*dims", permute, IN_KERNEL},
    {"local", "*dims, layout?", local, IN_KERNEL},
    {"ptr_to", "indices", ptr_to, IN_KERNEL},
};
const struct builtin_table tw_lib_tensor = {rows, sizeof rows / sizeof rows[0]};

static const char *const attributes[] = {"shape", "dtype", "data", "layout", "scope"};
static const char *const refused[] = {"sub", "tile", "chunk", "vload", "vstore", "access_ptr", "elem_offset", "byte_offset"};

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
    const char *best = NULL;
    uint32_t least = 3;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] + sizeof attributes / sizeof attributes[0]; i++) {
        const size_t methods = sizeof rows / sizeof rows[0];
        const char *candidate = i < methods ? rows[i].name : attributes[i - methods];
        const uint32_t edits = tw_str_distance(tw_str(candidate), tw_str(name));
        if (edits < least) {
            least = edits;
            best = candidate;
        }
    }
    if (best != NULL)
        tw_diag_fix(d, "write '%s'", best);
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
