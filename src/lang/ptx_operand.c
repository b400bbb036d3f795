/* Matching call arguments with the operands of a form. */
#include "lang/ptx_operand.h"

#include "ir/ir_names.h"

#include <string.h>

/* ---- how many ---- */

static unsigned group_size(const struct isa_spelling *s, unsigned i)
{
    const unsigned count = tw_isa_operand_count(s, i);
    if (s->form->operands[i].accept & ACCEPT_TENSOR)
        return 1 + count; /* the map, then its coordinates */
    return count == 0 ? 1 : count;
}

/* Whether an optional operand that depends on a qualifier is there. */
static bool when_holds(const struct isa_spelling *s, const struct isa_operand *o)
{
    const unsigned mod = isa_spelling_mod(s, o->when_slot);
    if (o->when_count == 0)
        return mod != MOD_NONE;
    for (unsigned i = 0; i < o->when_count; i++)
        if (o->when_mods[i] == mod)
            return true;
    return false;
}

static bool is_required(const struct isa_spelling *s, const struct isa_operand *o)
{
    return !o->optional || (o->when_slot != SLOT_NONE && when_holds(s, o));
}

static bool is_excluded(const struct isa_spelling *s, const struct isa_operand *o)
{
    return o->optional && o->when_slot != SLOT_NONE && !when_holds(s, o);
}

static bool is_callable(const struct isa_form *form)
{
    for (unsigned i = 0; i < form->operand_count; i++)
        if (form->operands[i].accept & (ACCEPT_LABEL | ACCEPT_LIST | ACCEPT_FUNC | ACCEPT_TABLE))
            return false;
    return true;
}

struct share {
    uint32_t first[ISA_MAX_OPERANDS], count[ISA_MAX_OPERANDS]; /* arguments of operand i; count 0: absent */
};

/* Deals the arguments out: required operands get theirs, optional ones what is left over, in order. */
static bool deal(const struct isa_spelling *s, uint32_t count, struct share *out)
{
    const struct isa_form *form = s->form;
    uint32_t needed = 0, next = 0;
    for (unsigned i = 0; i < form->operand_count; i++)
        if (is_required(s, &form->operands[i]))
            needed += group_size(s, i) == ISA_ANY_COUNT ? 1 : group_size(s, i);
    if (count < needed || !is_callable(form))
        return false;
    uint32_t spare = count - needed;
    for (unsigned i = 0; i < form->operand_count; i++) {
        uint32_t size = group_size(s, i);
        const bool required = is_required(s, &form->operands[i]);
        if (size == ISA_ANY_COUNT) {
            size = (required ? 1 : 0) + spare;
            spare = 0;
        } else if (!required && (is_excluded(s, &form->operands[i]) || spare < size)) {
            size = 0;
        } else if (!required) {
            spare -= size;
        }
        out->first[i] = next;
        out->count[i] = size;
        next += size;
    }
    return next == count;
}

bool tw_ptx_takes_count(const struct isa_spelling *s, uint32_t count)
{
    struct share unused;
    return deal(s, count, &unused);
}

/* ---- types ---- */

static struct ir_type type_of_mod(unsigned mod)
{
    const struct isa_mod_row *row = isa_mod_row(mod);
    if (row->type_class == TYPE_PRED)
        return tw_ir_bool();
    if (row->type_class == TYPE_FLOAT)
        return tw_ir_type_of(tw_num_format_by_name(tw_str(row->text)));
    const bool is_signed = row->type_class == TYPE_SIGNED;
    static const struct {
        uint16_t bits;
        enum num_format s, u;
    } integers[] = {{8, NUM_S8, NUM_U8}, {16, NUM_S16, NUM_U16}, {32, NUM_S32, NUM_U32}, {64, NUM_S64, NUM_U64}};
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        if (integers[i].bits == row->bits)
            return tw_ir_type_of(is_signed ? integers[i].s : integers[i].u);
    return (struct ir_type){0};
}

static bool width_fits(struct ir_type t, const struct isa_operand *o, unsigned bits)
{
    return t.bits == bits || (o->width == WIDTH_WIDER && t.bits > bits);
}

static bool type_fits(struct ir_type t, const struct isa_operand *o, unsigned mod)
{
    const struct isa_mod_row *row = isa_mod_row(mod);
    const bool number = t.cls == IR_SINT || t.cls == IR_UINT || t.cls == IR_FLOAT;
    if (row->type_class == TYPE_PRED)
        return t.cls == IR_BOOL || tw_ir_is_integer(t);
    if (row->type_class == TYPE_NOT)
        return number;
    if (row->type_class == TYPE_BITS || row->type_class == TYPE_PACKED)
        return number && width_fits(t, o, row->bits);
    if (row->type_class == TYPE_FLOAT)
        return t.cls == IR_FLOAT && tw_ir_type_equal(t, type_of_mod(mod));
    return t.cls == (row->type_class == TYPE_SIGNED ? IR_SINT : IR_UINT) && width_fits(t, o, row->bits);
}

static bool is_memory_scope(unsigned space, enum ir_scope scope)
{
    const char *text = space == MOD_NONE ? "" : isa_mod_row(space)->text;
    if (text == NULL || text[0] == '\0')
        return true; /* generic */
    if (strncmp(text, "shared", 6) == 0)
        return scope == IR_SHARED;
    if (strcmp(text, "global") == 0)
        return scope == IR_GLOBAL;
    return strcmp(text, "local") != 0 || scope == IR_LOCAL;
}

static bool is_shared_space(unsigned space)
{
    return space != MOD_NONE && space != ISA_SPACE_TMEM && strncmp(isa_mod_row(space)->text, "shared", 6) == 0;
}

/* ---- does it fit ---- */

static const struct ir_expr *place_of(struct value v)
{
    if (v.kind != VALUE_EXPR)
        return NULL;
    const struct ir_expr *e = v.u.expr;
    const bool variable = e->op == IR_VAR && !e->var->is_loop && e->var->param < 0 && e->var->type.cls != IR_POINTER;
    return variable || e->op == IR_LOAD ? e : NULL;
}

static bool address_fits(const struct ir_expr *e, unsigned space)
{
    if (space == ISA_SPACE_TMEM)
        return tw_ir_type_equal(e->type, tw_ir_uint32());
    if (e->op == IR_ADDRESS)
        return is_memory_scope(space, e->region->view->storage->scope);
    if (e->type.cls == IR_POINTER)
        return true;
    return tw_ir_type_equal(e->type, is_shared_space(space) ? tw_ir_uint32() : tw_ir_uint64());
}

/* Is the argument an address of the operand's kind? An operand that admits a register as well takes a
 * 64-bit value as such. */
static bool as_address(const struct isa_spelling *s, unsigned i, struct value v)
{
    const struct isa_operand *o = &s->form->operands[i];
    if (!(o->accept & ACCEPT_ADDRESS))
        return false;
    if (v.kind == VALUE_PTX_ADDR || !(o->accept & ACCEPT_REG))
        return true;
    return v.kind == VALUE_EXPR && (v.u.expr->type.cls == IR_POINTER || v.u.expr->type.bits == 32);
}

static unsigned address_space(const struct isa_spelling *s, unsigned i)
{
    const struct isa_operand *o = &s->form->operands[i];
    const unsigned space = tw_isa_operand_space(s, i);
    return space == MOD_NONE && (o->accept & ACCEPT_REG) ? (unsigned)ISA_SPACE_TMEM : space;
}

static bool literal_fits(const struct isa_operand *o, unsigned mod, struct value v)
{
    const enum isa_type_class class = isa_mod_row(mod)->type_class;
    if (o->access & ACCESS_WRITE)
        return false;
    return v.kind != VALUE_FLOAT || class == TYPE_FLOAT;
}

/* NULL, or what the operand wants instead. */
static const char *misfit(struct eval *ev, const struct isa_spelling *s, unsigned i, struct value v)
{
    const struct isa_operand *o = &s->form->operands[i];
    const unsigned mod = tw_isa_operand_type(s, i);
    const char *type = isa_mod_row(mod)->text;
    if (v.kind == VALUE_PTX_SINK)
        return o->accept & ACCEPT_SINK || (o->access & ACCESS_WRITE) ? NULL : "a value; only a destination can be the sink";
    if (as_address(s, i, v)) {
        const struct ir_expr *e = v.kind == VALUE_PTX_ADDR ? v.u.addr.base : v.kind == VALUE_EXPR ? v.u.expr : NULL;
        const unsigned space = address_space(s, i);
        if (e != NULL && address_fits(e, space))
            return NULL;
        return space == ISA_SPACE_TMEM  ? "a uint32 address in tensor memory"
               : is_shared_space(space) ? "a pointer into shared memory, or a uint32 address of its window"
                                        : "a pointer, or a uint64 address";
    }
    if (o->access & ACCESS_WRITE) {
        const struct ir_expr *e = place_of(v);
        if (e != NULL && type_fits(e->type, o, mod))
            return NULL;
        return tw_format(ev->arena, "a variable or an element of %s%s to write to", type == NULL ? "any type" : "type ",
                         type == NULL ? "" : type);
    }
    if (!(o->accept & (ACCEPT_REG | ACCEPT_VECTOR)) && !value_is_integer(v))
        return v.kind == VALUE_EXPR && v.u.expr->op == IR_CONST ? NULL : "an integer known at compile time";
    if (value_is_static_number(v) ? literal_fits(o, mod, v) : v.kind == VALUE_EXPR && type_fits(v.u.expr->type, o, mod))
        return NULL;
    return type == NULL ? "a number" : tw_format(ev->arena, "a value of type %s", type);
}

/* A variable or a one-element tensor stands for its value, here also where it is written to. */
static struct value plain(struct eval *ev, const struct arg *a)
{
    if (a->value.kind == VALUE_VAR || tw_eval_is_scalar_tensor(a->value))
        return value_expr(tw_eval_to_expr(ev, a->value, a->at, "an operand"));
    return a->value;
}

/* NULL, or what the map (n == 0) or a coordinate of a tensor copy must be instead. */
static const char *tensor_misfit(struct value v, uint32_t n)
{
    if (n == 0)
        return v.kind == VALUE_EXPR && (v.u.expr->type.cls == IR_POINTER || tw_ir_type_equal(v.u.expr->type, tw_ir_uint64()))
                   ? NULL
                   : "a tensor map: a T.TensorMap parameter, or the address of one";
    if (value_is_integer(v) || (v.kind == VALUE_EXPR && tw_ir_type_equal(v.u.expr->type, tw_ir_int32())))
        return NULL;
    return "a coordinate of type int32";
}

bool tw_ptx_takes_kinds(struct eval *ev, const struct isa_spelling *s, const struct args *args)
{
    struct share share;
    if (!deal(s, args->len, &share))
        return false;
    for (unsigned i = 0; i < s->form->operand_count; i++)
        for (uint32_t n = 0; n < share.count[i]; n++) {
            const struct value v = plain(ev, &args->at[share.first[i] + n]);
            const bool tensor = s->form->operands[i].accept & ACCEPT_TENSOR;
            if ((tensor ? tensor_misfit(v, n) : misfit(ev, s, i, v)) != NULL)
                return false;
        }
    return true;
}

/* ---- reading ---- */

static bool in_range(struct eval *ev, const struct isa_operand *o, const struct ir_expr *e, struct src_span at)
{
    int64_t i;
    if ((o->low == 0 && o->high == 0) || !tw_ir_is_const_int(e, &i) || (i >= o->low && i <= o->high))
        return true;
    struct diag *d = tw_diag(ev->diags, E0214, at, "the %s is out of range", tw_isa_role_what(o->role));
    tw_diag_expected(d, "%lld to %lld", (long long)o->low, (long long)o->high);
    tw_diag_found(d, "%lld", (long long)i);
    return false;
}

static bool is_let(struct eval *ev, const struct ir_var *var)
{
    const struct binding *b = tw_scope_find(ev->scope, var->name, NULL);
    return b != NULL && b->fixed && b->value.kind == VALUE_VAR && b->value.u.var == var;
}

static bool read_place(struct eval *ev, struct ir_expr *e, struct src_span at)
{
    if (e->op != IR_VAR)
        return true;
    if (is_let(ev, e->var)) {
        tw_diag(ev->diags, E0210, at, "'%s' is bound with T.let, and cannot be written to", e->var->name);
        return false;
    }
    e->var->is_assigned = true;
    return true;
}

static struct ir_expr *read_value(struct eval *ev, const struct isa_spelling *s, unsigned i, struct value v, struct src_span at)
{
    const unsigned mod = tw_isa_operand_type(s, i);
    struct ir_type type = type_of_mod(mod);
    if (isa_mod_row(mod)->type_class == TYPE_PRED)
        return tw_eval_to_bool(ev, v, at, "the predicate operand");
    if (!value_is_static_number(v))
        return v.u.expr;
    if (type.cls == IR_VOID) {
        if (isa_mod_row(mod)->type_class != TYPE_NOT) {
            tw_eval_unsupported(ev, at, "a literal of type %s", isa_mod_row(mod)->text);
            return NULL;
        }
        return tw_eval_to_expr(ev, v, at, "the operand");
    }
    return tw_eval_constant(ev, v, type, at);
}

static bool read_one(struct eval *ev, const struct isa_spelling *s, unsigned i, const struct arg *a, bool preserve_dst,
                     struct ir_ptx_operand *out)
{
    const struct isa_operand *o = &s->form->operands[i];
    const struct value v = plain(ev, a);
    const char *wanted = misfit(ev, s, i, v);
    out->at = a->at;
    if (wanted != NULL) {
        struct diag *d = tw_diag(ev->diags, E0214, a->at, "the %s does not fit", tw_isa_role_what(o->role));
        tw_diag_expected(d, "%s", wanted);
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, v));
        const struct ir_type want = type_of_mod(tw_isa_operand_type(s, i));
        if (v.kind == VALUE_EXPR && !(o->access & ACCESS_WRITE) && tw_ir_is_integer(want) && tw_ir_is_integer(v.u.expr->type))
            tw_diag_fix(d, "write T.%s(...) around it", tw_ir_type_name(want));
        return false;
    }
    if (v.kind == VALUE_PTX_SINK) {
        out->kind = IR_PTX_SINK;
        return true;
    }
    if (as_address(s, i, v)) {
        out->kind = IR_PTX_ADDRESS;
        out->expr = v.kind == VALUE_PTX_ADDR ? v.u.addr.base : v.u.expr;
        out->offset_bytes = v.kind == VALUE_PTX_ADDR ? v.u.addr.offset_bytes : 0;
        return true;
    }
    if (o->access & ACCESS_WRITE) {
        out->kind = o->access == ACCESS_READ_WRITE || preserve_dst ? IR_PTX_UPDATE : IR_PTX_RESULT;
        out->expr = v.u.expr;
        return read_place(ev, out->expr, a->at);
    }
    out->kind = IR_PTX_VALUE;
    out->expr = read_value(ev, s, i, v, a->at);
    return out->expr != NULL && in_range(ev, o, out->expr, a->at);
}

static bool read_tensor_part(struct eval *ev, const struct arg *a, uint32_t n, struct ir_expr **out)
{
    const struct value v = plain(ev, a);
    const char *wanted = tensor_misfit(v, n);
    if (wanted == NULL) {
        *out = value_is_integer(v) ? tw_eval_constant(ev, v, tw_ir_int32(), a->at) : v.u.expr;
        return *out != NULL;
    }
    struct diag *d = tw_diag(ev->diags, E0214, a->at, "%s does not fit",
                             n == 0 ? "the tensor map" : tw_format(ev->arena, "coordinate %u", n - 1));
    tw_diag_expected(d, "%s", wanted);
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, v));
    if (n > 0 && v.kind == VALUE_EXPR && tw_ir_is_integer(v.u.expr->type))
        tw_diag_fix(d, "write T.int32(...) around it");
    return false;
}

/* [map, {c0, c1, ...}]: the map, then the coordinates, innermost first. */
static bool read_tensor(struct eval *ev, const struct arg *args, uint32_t count, struct ir_ptx_operand *out)
{
    out->kind = IR_PTX_TENSOR;
    out->at = args[0].at;
    out->item_count = count - 1;
    out->items = arena_new(eval_kernel(ev)->arena, struct ir_ptx_operand, count);
    for (uint32_t n = 0; n < count; n++) {
        struct ir_expr **to = n == 0 ? &out->expr : &out->items[n - 1].expr;
        if (!read_tensor_part(ev, &args[n], n, to))
            return false;
        if (n > 0)
            out->items[n - 1].at = args[n].at;
    }
    return true;
}

static bool read_group(struct eval *ev, const struct isa_spelling *s, unsigned i, const struct arg *args, uint32_t count,
                       bool preserve_dst, struct ir_ptx_operand *out)
{
    if (s->form->operands[i].accept & ACCEPT_TENSOR)
        return read_tensor(ev, args, count, out);
    if (tw_isa_operand_count(s, i) == 0)
        return read_one(ev, s, i, args, preserve_dst, out);
    out->kind = IR_PTX_VECTOR;
    out->at = args[0].at;
    out->item_count = count;
    out->items = arena_new(eval_kernel(ev)->arena, struct ir_ptx_operand, count);
    for (uint32_t n = 0; n < count; n++)
        if (!read_one(ev, s, i, &args[n], preserve_dst, &out->items[n]))
            return false;
    return true;
}

bool tw_ptx_read_operands(struct eval *ev, const struct isa_spelling *s, const struct args *args, bool preserve_dst,
                          struct ir_ptx *x)
{
    struct share share;
    if (!deal(s, args->len, &share))
        return false;
    x->operands = arena_new(eval_kernel(ev)->arena, struct ir_ptx_operand, s->form->operand_count + 1u);
    for (unsigned i = 0; i < s->form->operand_count; i++) {
        if (share.count[i] == 0)
            continue;
        if (!read_group(ev, s, i, &args->at[share.first[i]], share.count[i], preserve_dst, &x->operands[x->operand_count++]))
            return false;
    }
    return true;
}
