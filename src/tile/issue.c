/* Instructions of an expanded tile operation: addresses, descriptors and registers as IR operands. */
#include "tile/engine.h"

#include "ir/ir_walk.h"

#include <assert.h>

static struct ir_expr *u32(const struct tile_call *c, int64_t value)
{
    return tw_ir_const_int(c->k, tw_ir_uint32(), value, c->stmt->at);
}

static struct ir_expr *add(const struct tile_call *c, struct ir_expr *a, struct ir_expr *b)
{
    return tw_ir_binary(c->k, IR_ADD, a, b, c->stmt->at);
}

static struct ir_expr *scaled(const struct tile_call *c, struct ir_expr *value, int64_t by)
{
    struct ir_expr *wide = tw_ir_cast(c->k, tw_ir_uint32(), value, c->stmt->at);
    return tw_ir_binary(c->k, IR_MUL, wide, u32(c, by), c->stmt->at);
}

struct ir_expr *tw_tile_affine_expr(struct tile_call *c, const struct tile_affine *a)
{
    struct ir_expr *sum = NULL;
    for (uint32_t i = 0; i < c->crew.group_rank; i++) {
        if (a->step[i] == 0)
            continue;
        struct ir_expr *term = scaled(c, tw_tile_group_coord(c->k, &c->crew.group[i], c->stmt->at), a->step[i]);
        sum = sum == NULL ? term : add(c, sum, term);
    }
    return sum == NULL ? u32(c, a->base) : add(c, sum, u32(c, a->base));
}

/* The run-time starts of a region, in units of `unit_bits`. */
static struct ir_expr *add_starts(struct tile_call *c, const struct tile_operand *o, struct ir_expr *to, int64_t unit_bits)
{
    for (uint32_t i = 0; i < o->start_count; i++) {
        const struct tile_start *s = &o->starts[i];
        const int64_t bits = s->step * o->view->elem.bits;
        assert(bits % unit_bits == 0);
        to = add(c, to, scaled(c, tw_ir_expr_copy(c->k, s->value, NULL), bits / unit_bits));
    }
    return to;
}

struct ir_ptx *tw_tile_instruction(struct tile_call *c, uint32_t operand_count)
{
    struct ir_stmt *s = tw_ir_stmt_new(c->k, c->out, IR_PTX, c->stmt->at);
    s->ptx = arena_new(c->k->arena, struct ir_ptx, 1);
    s->ptx->mnemonic = c->mnemonic;
    s->ptx->operand_count = operand_count;
    s->ptx->operands = arena_new(c->k->arena, struct ir_ptx_operand, operand_count);
    for (uint32_t i = 0; i < operand_count; i++)
        s->ptx->operands[i].at = c->stmt->at;
    return s->ptx;
}

static struct ir_ptx_operand word(struct tile_call *c, enum ir_ptx_operand_kind kind, const struct tile_operand *o,
                                  int64_t slot, struct ir_type type)
{
    struct ir_expr *e = tw_ir_slot(c->k, o->storage, slot, o->arg->at);
    e->type = type;
    return (struct ir_ptx_operand){.kind = kind, .expr = e, .at = o->arg->at};
}

void tw_tile_put_words(struct tile_call *c, struct ir_ptx_operand *to, enum ir_ptx_operand_kind kind, uint32_t operand,
                       const struct tile_place *place, struct ir_type type, bool scalar)
{
    const struct tile_operand *o = &c->operand[operand];
    if (scalar) {
        assert(place->reg_count == 1);
        *to = word(c, kind, o, place->slot[0], type);
        return;
    }
    to->kind = IR_PTX_VECTOR;
    to->item_count = place->reg_count;
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, place->reg_count);
    for (uint32_t i = 0; i < place->reg_count; i++)
        to->items[i] = word(c, kind, o, place->slot[i], type);
}

void tw_tile_put_registers(struct tile_call *c, struct ir_ptx_operand *to, enum ir_ptx_operand_kind kind, uint32_t operand,
                           const struct tile_place *place)
{
    tw_tile_put_words(c, to, kind, operand, place, place->reg_type, false);
}

void tw_tile_put_cells(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place)
{
    const struct tile_operand *o = &c->operand[operand];
    struct ir_expr *base = tw_ir_expr_copy(c->k, o->storage->base, NULL);
    to->kind = IR_PTX_ADDRESS;
    to->expr = add_starts(c, o, add(c, base, tw_tile_affine_expr(c, &place->address)), 32);
    to->at = o->arg->at;
}

/* A pointer to the first byte of a storage; elements that are no whole bytes have no address of their own. */
static struct ir_expr *storage_address(struct tile_call *c, const struct tile_operand *o)
{
    const struct layout_env env = {.arena = c->k->arena, .at = o->arg->at};
    const struct shape one = {1, {1}};
    const struct ir_type elem = o->storage->elem.bits % 8 == 0 ? o->storage->elem : tw_ir_type_of(NUM_U8);
    struct ir_view *view = tw_ir_view_new(c->k, o->storage, elem, 1, one.dim, tw_layout_default(&env, &one), 0, o->arg->at);
    return tw_ir_address(c->k, tw_ir_region_whole(c->k, view, o->arg->at), o->arg->at);
}

static bool is_fixed(const struct tile_call *c, const struct tile_operand *o, const struct tile_affine *a)
{
    bool fixed = o->start_count == 0;
    for (uint32_t i = 0; i < c->crew.group_rank; i++)
        fixed = fixed && a->step[i] == 0;
    return fixed;
}

void tw_tile_put_shared(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place)
{
    const struct tile_operand *o = &c->operand[operand];
    to->kind = IR_PTX_ADDRESS;
    to->at = o->arg->at;
    to->expr = storage_address(c, o);
    if (is_fixed(c, o, &place->origin)) {
        to->offset_bytes = place->origin.base;
        return;
    }
    struct ir_expr *base = tw_ir_unary(c->k, IR_SHARED_ADDR, tw_ir_uint32(), to->expr, to->at);
    to->expr = add_starts(c, o, add(c, base, tw_tile_affine_expr(c, &place->origin)), 8);
}

/* low word = ((address & 0x3ffff) >> 4) + origin / 16, with LDO above it; the high word is constant. A CTA's shared
 * symbols carry its rank in the cluster above the 18 bits. */
void tw_tile_put_descriptor(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, const struct tile_place *place)
{
    const struct tile_operand *o = &c->operand[operand];
    const struct src_span at = o->arg->at;
    struct tile_affine origin = place->origin;
    origin.base /= 16;
    for (uint32_t i = 0; i < TILE_MAX_GROUP; i++)
        origin.step[i] /= 16;
    struct ir_expr *address = tw_ir_unary(c->k, IR_SHARED_ADDR, tw_ir_uint32(), storage_address(c, o), at);
    struct ir_expr *inside = tw_ir_binary(c->k, IR_BITAND, address, u32(c, 0x3ffff), at);
    struct ir_expr *units = tw_ir_binary(c->k, IR_SHR, inside, u32(c, 4), at);
    struct ir_expr *low = add_starts(c, o, add(c, units, tw_tile_affine_expr(c, &origin)), 128);
    const uint64_t constant = tw_smem_desc_encode(place->arch, &place->desc);
    to->kind = IR_PTX_VALUE;
    to->expr = tw_ir_binary(c->k, IR_BITOR, tw_ir_cast(c->k, tw_ir_uint64(), low, at),
                            tw_ir_const_bits(c->k, tw_ir_uint64(), constant, at), at);
    to->at = at;
}

void tw_tile_put_value(struct tile_call *c, struct ir_ptx_operand *to, const struct ir_expr *value)
{
    to->kind = IR_PTX_VALUE;
    to->expr = tw_ir_expr_copy(c->k, value, NULL);
    to->at = value->at;
}
