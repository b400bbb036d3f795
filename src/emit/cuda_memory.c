/* Memory as C++: elements of arrays, addresses, and local tensors whose packed values share a register. */
#include "emit/cuda.h"

#include <assert.h>
#include <string.h>

/* ---- elements ---------------------------------------------------------------------------------------------- */

bool tw_cuda_in_registers(const struct ir_region *r, int64_t *index)
{
    const struct ir_storage *s = r->view->storage;
    *index = 0;
    if (s->scope != IR_LOCAL || s->memory_reason != NULL)
        return false;
    if (r->start[0] != NULL) {
        const bool known = tw_ir_is_const_int(r->start[0], index);
        assert(known);
        (void)known;
    }
    return true;
}

/* The array, as one of the view's elements where that is another type. */
static const char *array_of(struct cuda_emitter *em, const struct ir_view *v)
{
    const struct ir_storage *s = v->storage;
    const char *name = em->storages[s->id], *type = tw_cuda_memory_type(em, v->elem);
    if (strcmp(type, tw_cuda_memory_type(em, s->elem)) == 0)
        return name;
    const bool is_const = s->scope == IR_GLOBAL && !em->is_written[s->id];
    return tw_format(em->arena, "((%s%s *)%s)", is_const ? "const " : "", type, name);
}

struct cx tw_cuda_element(struct cuda_emitter *em, const struct ir_region *r)
{
    const struct ir_expr *index = r->start[0];
    return tw_cuda_primary(em, "%s[%s]", array_of(em, r->view), index == NULL ? "0" : tw_cuda_expr(em, index).text);
}

struct cx tw_cuda_load(struct cuda_emitter *em, const struct ir_region *r)
{
    int64_t index;
    const struct ir_type t = r->view->elem;
    if (tw_cuda_in_registers(r, &index))
        return tw_cuda_read_slot(em, r->view->storage, t, index);
    const struct cx e = tw_cuda_element(em, r);
    return t.cls == IR_BOOL ? tw_cuda_infix(em, e, "!=", PREC_EQUAL, (struct cx){"0", PREC_PRIMARY}) : e;
}

void tw_cuda_store(struct cuda_emitter *em, const struct ir_region *r, struct cx value)
{
    int64_t index;
    if (tw_cuda_in_registers(r, &index))
        tw_cuda_write_slot(em, r->view->storage, r->view->elem, index, value);
    else
        tw_cuda_line(em, "%s = %s;", tw_cuda_element(em, r).text, value.text);
}

/* ---- addresses ------------------------------------------------------------------------------------------------ */

struct cx tw_cuda_pointer(struct cuda_emitter *em, const struct ir_expr *e)
{
    if (e->op == IR_OFFSET)
        return tw_cuda_infix(em, tw_cuda_expr(em, e->args[0]), "+", PREC_SUM, tw_cuda_expr(em, e->args[1]));
    return (struct cx){tw_format(em->arena, "(char *)&%s", tw_cuda_element(em, e->region).text), PREC_UNARY};
}

static struct cx plus(struct cuda_emitter *em, struct cx a, int64_t bytes, const char *suffix)
{
    if (bytes == 0)
        return a;
    const bool down = bytes < 0;
    const struct cx amount = tw_cuda_primary(em, "%llu%s", (unsigned long long)(down ? -bytes : bytes), suffix);
    return tw_cuda_infix(em, a, down ? "-" : "+", PREC_SUM, amount);
}

/* What an address function takes: the element, or any pointer. */
static struct cx address_of(struct cuda_emitter *em, const struct ir_expr *from, const struct ir_expr *pointer)
{
    if (from == NULL)
        return tw_cuda_expr(em, pointer);
    return (struct cx){tw_format(em->arena, "&%s", tw_cuda_element(em, from->region).text), PREC_UNARY};
}

static bool is_shared_space(unsigned space)
{
    return space == MOD_SHARED || space == MOD_SHARED_CTA || space == MOD_SHARED_CLUSTER;
}

static struct cx pointer_address(struct cuda_emitter *em, const struct ir_expr *e, unsigned space, int64_t bytes,
                                 const char **type)
{
    const struct ir_expr *from = tw_emit_pointer_root(e, &bytes);
    const struct cx at = address_of(em, from, e);
    if (is_shared_space(space)) {
        *type = "unsigned";
        return plus(em, tw_cuda_call1(em, tw_cuda_helper(em, HELPER_SHARED_ADDRESS), at), bytes, "u");
    }
    if (space == MOD_GLOBAL || space == MOD_LOCAL) {
        const enum cuda_helper h = space == MOD_GLOBAL ? HELPER_GLOBAL_ADDRESS : HELPER_LOCAL_ADDRESS;
        *type = "unsigned long long";
        return plus(em, tw_cuda_call1(em, tw_cuda_helper(em, h), at), bytes, "ull");
    }
    *type = "const void *";
    return bytes == 0 ? at : plus(em, from == NULL ? at : tw_cuda_as(em, "const char *", at), bytes, "");
}

struct cx tw_cuda_shared_address(struct cuda_emitter *em, const struct ir_expr *pointer)
{
    const char *type;
    return pointer_address(em, pointer, MOD_SHARED, 0, &type);
}

struct cx tw_cuda_address(struct cuda_emitter *em, const struct ir_expr *e, unsigned space, int64_t offset_bytes,
                          const char **type)
{
    if (e->type.cls == IR_POINTER)
        return pointer_address(em, e, space, offset_bytes, type);
    *type = tw_cuda_register_type(e->type, false);
    struct cx at = tw_cuda_expr(em, e);
    if (strcmp(*type, tw_cuda_plain_type(e->type)) != 0)
        at = e->op == IR_CONST ? tw_cuda_constant(em, tw_ir_uint32(), e->bits) : tw_cuda_as(em, *type, at);
    return plus(em, at, offset_bytes, e->type.bits == 64 ? "ull" : "u");
}

/* ---- local tensors in registers ------------------------------------------------------------------------------- */

struct ir_type tw_cuda_unit_type(const struct local_unit *u)
{
    if (u->is_float)
        return tw_ir_type_of(u->bits == 32 ? NUM_F32 : NUM_F64);
    return tw_ir_type_of(u->bits <= 8 ? NUM_U8 : u->bits == 16 ? NUM_U16 : u->bits == 32 ? NUM_U32 : NUM_U64);
}

static struct cx unit_at(struct cuda_emitter *em, const struct ir_storage *s, int64_t bit)
{
    return tw_cuda_primary(em, "%s[%lld]", em->storages[s->id], (long long)(bit / em->units[s->id].bits));
}

bool tw_cuda_slot_unit(struct cuda_emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index, struct cx *unit,
                       struct ir_type *type)
{
    const struct local_unit *u = &em->units[s->id];
    if (t.bits != u->bits || t.cls == IR_BOOL)
        return false;
    *unit = unit_at(em, s, index * t.bits);
    *type = tw_cuda_unit_type(u);
    return true;
}

/* The unsigned integer of a value's width. */
static struct ir_type word_of(struct ir_type t)
{
    return tw_ir_type_of(t.bits <= 8 ? NUM_U8 : t.bits == 16 ? NUM_U16 : t.bits == 32 ? NUM_U32 : NUM_U64);
}

struct cx tw_cuda_read_slot(struct cuda_emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index)
{
    const struct local_unit *u = &em->units[s->id];
    const struct ir_type unit = tw_cuda_unit_type(u), word = word_of(t);
    const int64_t bit = index * t.bits;
    const struct cx whole = unit_at(em, s, bit);
    if (t.bits == u->bits)
        return tw_cuda_reinterpret(em, whole, unit, t);
    const unsigned from = (unsigned)(bit % u->bits);
    struct cx part = whole;
    if (from != 0)
        part = tw_cuda_infix(em, whole, ">>", PREC_SHIFT, tw_cuda_primary(em, "%u", from));
    return tw_cuda_reinterpret(em, tw_cuda_as(em, tw_cuda_plain_type(word), part), word, t);
}

/* unit = unit with the bits of one value replaced. */
void tw_cuda_write_slot(struct cuda_emitter *em, const struct ir_storage *s, struct ir_type t, int64_t index, struct cx value)
{
    const struct local_unit *u = &em->units[s->id];
    const struct ir_type unit = tw_cuda_unit_type(u), word = word_of(t);
    const int64_t bit = index * t.bits;
    const char *at = unit_at(em, s, bit).text;
    if (t.bits == u->bits) {
        tw_cuda_line(em, "%s = %s;", at, tw_cuda_reinterpret(em, value, t, unit).text);
        return;
    }
    const unsigned from = (unsigned)(bit % u->bits);
    const uint64_t hole = ~(((UINT64_C(1) << t.bits) - 1) << from) & (u->bits == 64 ? UINT64_MAX : (UINT64_C(1) << u->bits) - 1);
    const char *as = u->bits == 64 ? "unsigned long long" : "unsigned";
    struct cx bits = tw_cuda_as(em, as, tw_cuda_reinterpret(em, value, t, word));
    if (from != 0)
        bits = tw_cuda_infix(em, bits, "<<", PREC_SHIFT, tw_cuda_primary(em, "%u", from));
    const struct ir_type mask = u->bits == 64 ? tw_ir_uint64() : tw_ir_uint32();
    const struct cx kept = tw_cuda_infix(em, (struct cx){at, PREC_PRIMARY}, "&", PREC_BIT_AND, tw_cuda_constant(em, mask, hole));
    tw_cuda_line(em, "%s = %s;", at, tw_cuda_infix(em, kept, "|", PREC_BIT_OR, bits).text);
}
