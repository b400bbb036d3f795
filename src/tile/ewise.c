/* T.cuda.tile.ewise: one evaluation of a scalar function for every coordinate. The function is the statement's body:
 * definitions of its parameters, one of its result, and what it does (lang/lib_ewise.c). There is no atom: every coordinate
 * after the group is one evaluation. SOURCE: kernel-language-tile 7.2. */
#include "tile/engine.h"

#include "ir/ir_walk.h"

#include <assert.h>

enum { DST = 0 };

struct evaluation {
    struct tile_operand_row rows[TILE_MAX_OPERANDS];
    uint32_t inputs;
    uint8_t *written; /* slots of dst that an earlier coordinate wrote */
};

static const struct ir_var *var_at(const struct tile_call *c, uint32_t i)
{
    return c->stmt->body.list.at[i]->var;
}

static uint32_t one_register(const struct tile_call *c)
{
    (void)c;
    return 1;
}

static void only_element(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    (void)c, (void)lane, (void)item;
    coord[0] = 0;
}

static struct tile_operand_row row_of(const struct ir_var *var, bool written)
{
    return (struct tile_operand_row){.name = written ? "dst" : var->name, .role = written ? TILE_DST : TILE_SRC,
                                     .scopes = 1u << IR_LOCAL, .scalar = !written, .repeats = "*", .elem_bits = var->type.bits,
                                     .format = var->type.format, .regs = one_register, .owner = only_element};
}

static bool prepare(struct tile_call *c)
{
    struct evaluation *e = arena_new(c->arena, struct evaluation, 1);
    e->inputs = c->tile->operand_count - 1;
    c->family_data = e;
    if (c->tile->operand_count > TILE_MAX_OPERANDS) {
        struct diag *d = tw_diag(c->diags, E0403, c->tile->opcode_at, "ewise takes %u operands here", c->tile->operand_count);
        tw_diag_expected(d, "at most %d: dst and %d inputs", TILE_MAX_OPERANDS, TILE_MAX_OPERANDS - 1);
        tw_diag_fix(d, "split the function: one call makes a local tensor that another reads");
        return false;
    }
    e->rows[DST] = row_of(var_at(c, e->inputs), true);
    for (uint32_t i = 0; i < e->inputs; i++)
        e->rows[i + 1] = row_of(var_at(c, i), false);
    c->rows = e->rows;
    c->row_count = e->inputs + 1;
    return true;
}

static void begin(struct tile_call *c)
{
    for (uint32_t i = 1; i < c->operand_count; i++)
        if (c->operand[i].scalar != NULL)
            c->operand[i].scalar = tw_tile_value(c, c->operand[i].arg, c->operand[i].scalar->type, 0);
}

static struct ir_expr *input(struct tile_call *c, uint32_t operand, const struct tile_place *p)
{
    const struct tile_operand *o = &c->operand[operand];
    if (o->scalar != NULL)
        return tw_ir_expr_copy(c->k, o->scalar, NULL);
    struct ir_expr *e = tw_ir_slot(c->k, o->storage, p->slot[0], o->arg->at);
    e->type = p->reg_type;
    return e;
}

/* A variable of this evaluation in place of the function's own. */
static struct ir_var *define(struct tile_call *c, const struct ir_var *of, struct ir_expr *value, struct ir_substs *with)
{
    struct ir_stmt *s = tw_ir_stmt_new(c->k, c->out, IR_DEFINE, c->stmt->at);
    s->var = tw_ir_var_new(c->k, of->name, of->type, of->at);
    s->var->is_assigned = of->is_assigned;
    s->var->definition = s;
    s->value = value;
    *vec_push(c->k->arena, &with->list) = (struct ir_subst){.var = of, .renamed = s->var};
    return s->var;
}

static bool fresh_slot(struct tile_call *c, const struct tile_place *p)
{
    struct evaluation *e = c->family_data;
    const struct tile_operand *o = &c->operand[DST];
    const int64_t capacity = o->storage->elems * o->storage->elem.bits / o->view->elem.bits;
    if (e->written == NULL)
        e->written = (uint8_t *)tw_arena_alloc(c->arena, (size_t)capacity, 1);
    if (e->written[p->slot[0]]++ == 0)
        return true;
    struct diag *d = tw_tile_error(c, DST, E0416, " overlaps itself: two coordinates are slot %lld of '%s'",
                                   (long long)p->slot[0], o->storage->name);
    tw_diag_expected(d, "distinct slots for everything that is written; inputs alone are broadcast");
    tw_diag_found(d, "layout %s", tw_layout_text(c->arena, o->layout));
    tw_diag_fix(d, "view '%s' with strides that keep the coordinates apart, or without layout=", o->storage->name);
    return false;
}

static bool issue(struct tile_call *c)
{
    const struct evaluation *e = c->family_data;
    struct ir_substs with = {0};
    const struct tile_place *to = tw_tile_registers(c, DST);
    if (to == NULL || !fresh_slot(c, to))
        return false;
    for (uint32_t i = 0; i < e->inputs; i++) {
        const bool scalar = c->operand[i + 1].scalar != NULL;
        const struct tile_place *p = scalar ? NULL : tw_tile_registers(c, i + 1);
        if (!scalar && p == NULL)
            return false;
        define(c, var_at(c, i), input(c, i + 1, p), &with);
    }
    struct ir_var *result = define(c, var_at(c, e->inputs), NULL, &with);
    struct ir_block body = {0};
    for (uint32_t i = e->inputs + 1; i < c->stmt->body.list.len; i++)
        *vec_push(c->k->arena, &body.list) = c->stmt->body.list.at[i];
    tw_ir_block_copy(c->k, &body, c->out, &with);
    struct ir_stmt *store = tw_ir_stmt_new(c->k, c->out, IR_STORE, c->stmt->at);
    store->region = tw_tile_slot_region(c, DST, to->slot[0]);
    store->value = tw_ir_var_ref(c->k, result, c->stmt->at);
    return true;
}

const struct tile_family tw_tile_ewise = {
    .op = OP_NONE,
    .name = "ewise",
    .what = "one evaluation of a scalar function for every coordinate",
    .issuer = TILE_BY_THREAD,
    .prepare = prepare,
    .begin = begin,
    .issue = issue,
};
