/* Constructors. Every expression constructor simplifies: operations on constants are folded exactly, and the
 * integer identities x+0, x-0, x*1, x*0, x//1, x%1, x<<0, x>>0, the logical identities, and selects on constants
 * disappear. Nothing that would change a float result is touched. */
#include "ir/ir.h"

#include "ir/ir_fold.h"
#include "ir/ir_names.h"

#include <assert.h>

struct ir_kernel *tw_ir_kernel_new(struct arena *arena, const char *name, struct src_span at)
{
    struct ir_kernel *k = arena_new(arena, struct ir_kernel, 1);
    k->arena = arena;
    k->name = name;
    k->at = at;
    return k;
}

/* Default alignment: the element; where we allocate, at least 4 bytes, so that words of narrow tensors stay reachable. */
static uint32_t default_align(enum ir_scope scope, struct ir_type elem)
{
    const uint32_t bytes = elem.bits < 8 ? 1 : elem.bits / 8u;
    return scope != IR_GLOBAL && bytes < 4 ? 4 : bytes;
}

struct ir_storage *tw_ir_storage_new(struct ir_kernel *k, const char *name, enum ir_scope scope, struct ir_type elem,
                                     int64_t elems, struct src_span at)
{
    struct ir_storage *s = arena_new(k->arena, struct ir_storage, 1);
    *s = (struct ir_storage){.id = k->storages.len, .name = name, .scope = scope, .elem = elem, .elems = elems,
                             .align_bytes = default_align(scope, elem), .param = -1, .at = at};
    *vec_push(k->arena, &k->storages) = s;
    return s;
}

struct ir_var *tw_ir_var_new(struct ir_kernel *k, const char *name, struct ir_type type, struct src_span at)
{
    struct ir_var *v = arena_new(k->arena, struct ir_var, 1);
    *v = (struct ir_var){.id = k->vars.len, .name = name, .type = type, .param = -1, .at = at};
    *vec_push(k->arena, &k->vars) = v;
    return v;
}

struct ir_view *tw_ir_view_new(struct ir_kernel *k, struct ir_storage *storage, struct ir_type elem, uint32_t rank,
                               const int64_t *shape, const struct layout *layout, int64_t offset, struct src_span at)
{
    assert(rank <= TW_MAX_RANK);
    struct ir_view *v = arena_new(k->arena, struct ir_view, 1);
    v->storage = storage;
    v->elem = elem;
    v->rank = rank;
    for (uint32_t d = 0; d < rank; d++)
        v->shape[d] = shape[d];
    v->layout = layout;
    v->offset = offset;
    v->at = at;
    return v;
}

struct ir_region *tw_ir_region_whole(struct ir_kernel *k, struct ir_view *view, struct src_span at)
{
    struct ir_region *r = arena_new(k->arena, struct ir_region, 1);
    r->view = view;
    r->at = at;
    for (uint32_t d = 0; d < view->rank; d++)
        r->extent[d] = view->shape[d];
    return r;
}

static struct ir_expr *expr_new(struct ir_kernel *k, enum ir_op op, struct ir_type type, struct src_span at)
{
    struct ir_expr *e = arena_new(k->arena, struct ir_expr, 1);
    e->op = op;
    e->type = type;
    e->at = at;
    return e;
}

struct ir_expr *tw_ir_const_bits(struct ir_kernel *k, struct ir_type type, uint64_t bits, struct src_span at)
{
    struct ir_expr *e = expr_new(k, IR_CONST, type, at);
    e->bits = tw_ir_normalize(type, bits);
    return e;
}

struct ir_expr *tw_ir_const_int(struct ir_kernel *k, struct ir_type type, int64_t value, struct src_span at)
{
    if (type.cls != IR_FLOAT)
        return tw_ir_const_bits(k, type, (uint64_t)value, at);
    uint64_t bits = 0;
    const bool done = tw_ir_fold_unary(IR_CAST, type, tw_ir_type_of(NUM_S64), (uint64_t)value, &bits);
    assert(done);
    (void)done;
    return tw_ir_const_bits(k, type, bits, at);
}

struct ir_expr *tw_ir_var_ref(struct ir_kernel *k, struct ir_var *var, struct src_span at)
{
    struct ir_expr *e = expr_new(k, IR_VAR, var->type, at);
    e->var = var;
    return e;
}

struct ir_expr *tw_ir_coord(struct ir_kernel *k, enum ir_coord coord, struct src_span at)
{
    struct ir_expr *e = expr_new(k, IR_COORD, tw_ir_int32(), at);
    e->coord = coord;
    return e;
}

struct ir_expr *tw_ir_load(struct ir_kernel *k, struct ir_region *element, struct src_span at)
{
    struct ir_expr *e = expr_new(k, IR_LOAD, element->view->elem, at);
    e->region = element;
    return e;
}

struct ir_expr *tw_ir_address(struct ir_kernel *k, struct ir_region *element, struct src_span at)
{
    struct ir_expr *e = expr_new(k, IR_ADDRESS, tw_ir_pointer(), at);
    e->region = element;
    return e;
}

struct ir_expr *tw_ir_slot(struct ir_kernel *k, struct ir_storage *local, int64_t index, struct src_span at)
{
    struct ir_expr *e = expr_new(k, IR_SLOT, local->elem, at);
    e->storage = local;
    e->bits = (uint64_t)index;
    return e;
}

bool tw_ir_is_const_int(const struct ir_expr *e, int64_t *value)
{
    if (e->op != IR_CONST || (e->type.cls != IR_BOOL && !tw_ir_is_integer(e->type)))
        return false;
    *value = (int64_t)e->bits;
    return true;
}

static bool is_const(const struct ir_expr *e, uint64_t bits)
{
    int64_t value;
    return tw_ir_is_const_int(e, &value) && (uint64_t)value == bits;
}

static struct ir_type unary_result(enum ir_op op, struct ir_type asked, const struct ir_expr *a)
{
    if (op == IR_NOT)
        return tw_ir_bool();
    if (op == IR_CAST || op == IR_REINTERPRET)
        return asked;
    return op == IR_SHARED_ADDR ? tw_ir_uint32() : a->type;
}

struct ir_expr *tw_ir_unary(struct ir_kernel *k, enum ir_op op, struct ir_type type, struct ir_expr *a, struct src_span at)
{
    assert(tw_ir_op_row(op)->arity == 1);
    const struct ir_type to = unary_result(op, type, a);
    if ((op == IR_CAST || op == IR_REINTERPRET) && tw_ir_type_equal(to, a->type))
        return a;
    uint64_t bits;
    if (a->op == IR_CONST && tw_ir_fold_unary(op, to, a->type, a->bits, &bits))
        return tw_ir_const_bits(k, to, bits, at);
    if (op == IR_NOT && a->op == IR_NOT && a->args[0]->type.cls == IR_BOOL)
        return a->args[0];
    struct ir_expr *e = expr_new(k, op, to, at);
    e->args[0] = a;
    return e;
}

struct ir_expr *tw_ir_cast(struct ir_kernel *k, struct ir_type to, struct ir_expr *a, struct src_span at)
{
    return tw_ir_unary(k, IR_CAST, to, a, at);
}

/* x op c on integers, where the result is x or a constant. */
static struct ir_expr *right_identity(struct ir_kernel *k, enum ir_op op, struct ir_expr *a, const struct ir_expr *b,
                                      struct src_span at)
{
    const bool zero = is_const(b, 0), one = is_const(b, 1);
    if (zero && (op == IR_ADD || op == IR_SUB || op == IR_BITOR || op == IR_BITXOR || ir_op_is_shift(op) || op == IR_OFFSET))
        return a;
    if (one && (op == IR_MUL || op == IR_FLOORDIV || op == IR_TRUNCDIV))
        return a;
    if (zero && (op == IR_MUL || op == IR_BITAND))
        return tw_ir_const_int(k, a->type, 0, at);
    if (one && (op == IR_FLOORMOD || op == IR_TRUNCMOD))
        return tw_ir_const_int(k, a->type, 0, at);
    return NULL;
}

static struct ir_expr *logical_identity(enum ir_op op, struct ir_expr *a, struct ir_expr *b)
{
    if (op != IR_AND && op != IR_OR)
        return NULL;
    const uint64_t neutral = op == IR_AND;
    if (a->op == IR_CONST)
        return a->bits == neutral ? b : a;
    /* Expressions have no effects, so an absorbing constant on the right wins as well. */
    if (b->op == IR_CONST)
        return b->bits == neutral ? a : b;
    return NULL;
}

static struct ir_expr *simplify(struct ir_kernel *k, enum ir_op op, struct ir_expr *a, struct ir_expr *b, struct src_span at)
{
    uint64_t bits;
    if (a->op == IR_CONST && b->op == IR_CONST && tw_ir_fold_binary(op, a->type, a->bits, b->bits, &bits))
        return tw_ir_const_bits(k, ir_op_is_comparison(op) ? tw_ir_bool() : a->type, bits, at);
    struct ir_expr *e = logical_identity(op, a, b);
    if (e != NULL)
        return e;
    if (tw_ir_is_integer(a->type) || a->type.cls == IR_POINTER) {
        e = right_identity(k, op, a, b, at);
        const bool commutes = op == IR_ADD || op == IR_MUL || op == IR_BITAND || op == IR_BITOR || op == IR_BITXOR;
        if (e == NULL && commutes)
            e = right_identity(k, op, b, a, at);
    }
    return e;
}

struct ir_expr *tw_ir_binary(struct ir_kernel *k, enum ir_op op, struct ir_expr *a, struct ir_expr *b, struct src_span at)
{
    assert(tw_ir_op_row(op)->arity == 2);
    struct ir_expr *simple = simplify(k, op, a, b, at);
    if (simple != NULL)
        return simple;
    const bool logical = ir_op_is_comparison(op) || op == IR_AND || op == IR_OR;
    struct ir_expr *e = expr_new(k, op, logical ? tw_ir_bool() : a->type, at);
    e->args[0] = a;
    e->args[1] = b;
    return e;
}

struct ir_expr *tw_ir_select(struct ir_kernel *k, struct ir_expr *c, struct ir_expr *a, struct ir_expr *b, struct src_span at)
{
    if (c->op == IR_CONST)
        return c->bits != 0 ? a : b;
    struct ir_expr *e = expr_new(k, IR_SELECT, a->type, at);
    e->args[0] = c;
    e->args[1] = a;
    e->args[2] = b;
    return e;
}

struct ir_stmt *tw_ir_stmt_new(struct ir_kernel *k, struct ir_block *into, enum ir_stmt_op op, struct src_span at)
{
    struct ir_stmt *s = arena_new(k->arena, struct ir_stmt, 1);
    s->op = op;
    s->at = at;
    if (into != NULL)
        *vec_push(k->arena, &into->list) = s;
    return s;
}
