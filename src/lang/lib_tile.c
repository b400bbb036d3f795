/* T.cuda.tile.apply: what was written goes into one IR_TILE statement; the tile room checks and lowers it.
 * SOURCE: kernel-language-tile 7.1. */
#include "lang/eval.h"

#include <string.h>

#define APPLY_ARGUMENT "an argument of 'apply'"

static bool tuple_arg(struct eval *ev, struct value v, struct src_span at, const char *what, struct ir_arg *out)
{
    out->kind = IR_ARG_TUPLE;
    out->item_count = v.u.list->len;
    out->items = arena_new(eval_kernel(ev)->arena, struct ir_arg, out->item_count + 1);
    for (uint32_t i = 0; i < out->item_count; i++)
        if (!tw_eval_tile_arg(ev, v.u.list->at[i], at, what, &out->items[i]))
            return false;
    return true;
}

static bool int_arg(struct eval *ev, struct value v, struct src_span at, struct ir_arg *out)
{
    out->kind = v.kind == VALUE_BOOL ? IR_ARG_BOOL : IR_ARG_INT;
    return tw_eval_static_int(ev, v, at, "the argument", &out->value);
}

/* Tensor memory that a pool has not allocated has no address so far. */
static bool is_allocated(struct eval *ev, const struct ir_region *r, struct src_span at)
{
    if (!tw_pool_is_open(ev, r->view->storage))
        return true;
    struct diag *d = tw_diag(ev->diags, E0212, at, "tensor memory is used before its pool's commit()");
    tw_diag_fix(d, "commit the T.TMEMPool first");
    return false;
}

bool tw_eval_tile_arg(struct eval *ev, struct value v, struct src_span at, const char *what, struct ir_arg *out)
{
    out->at = at;
    if (v.kind == VALUE_TENSOR || v.kind == VALUE_REGION) {
        out->kind = IR_ARG_REGION;
        out->region = v.kind == VALUE_REGION ? v.u.region : tw_tensor_whole(ev, v.u.tensor, at);
        return is_allocated(ev, out->region, at);
    }
    if (v.kind == VALUE_STR || v.kind == VALUE_DTYPE) {
        const struct str text = v.kind == VALUE_STR ? v.u.text : tw_str(tw_ir_type_name(v.u.dtype));
        out->kind = IR_ARG_STR;
        out->text = tw_arena_copy(eval_kernel(ev)->arena, text.at, text.len);
        return true;
    }
    if (value_is_integer(v))
        return int_arg(ev, v, at, out);
    if (value_is_sequence(v))
        return tuple_arg(ev, v, at, what, out);
    if (v.kind == VALUE_NONE) {
        out->kind = IR_ARG_NONE;
        return true;
    }
    out->kind = IR_ARG_EXPR;
    out->expr = tw_eval_to_expr(ev, v, at, what);
    return out->expr != NULL;
}

/* An operand is a tensor, a region or a scalar; a literal is a scalar of its natural type. */
bool tw_eval_tile_operand(struct eval *ev, const struct arg *a, struct ir_arg *out)
{
    if (!value_is_static_number(a->value))
        return tw_eval_tile_arg(ev, a->value, a->at, APPLY_ARGUMENT, out);
    out->at = a->at;
    out->kind = IR_ARG_EXPR;
    out->expr = tw_eval_to_expr(ev, a->value, a->at, "an operand");
    return out->expr != NULL;
}

/* A parameter is a value: a T.local_scalar is read. */
bool tw_eval_tile_param(struct eval *ev, const struct arg *a, const char *what, struct ir_arg *out)
{
    if (!tw_eval_is_scalar_tensor(a->value) || a->value.u.tensor->storage->scope != IR_LOCAL)
        return tw_eval_tile_arg(ev, a->value, a->at, what, out);
    out->at = a->at;
    out->kind = IR_ARG_EXPR;
    out->expr = tw_eval_to_expr(ev, a->value, a->at, what);
    return out->expr != NULL;
}

bool tw_eval_exec_scope(struct eval *ev, const struct arg *a, enum ir_exec_scope *out)
{
    static const enum ir_exec_scope scopes[] = {IR_THREAD_SCOPE, IR_WARP_SCOPE, IR_WARPGROUP_SCOPE, IR_CTA_SCOPE,
                                                IR_CLUSTER_SCOPE};
    struct str name;
    *out = IR_THREAD_SCOPE;
    if (!a->given)
        return true;
    if (!tw_eval_static_str(ev, a->value, a->at, "the scope", &name))
        return false;
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        *out = scopes[i];
        if (tw_str_is(name, tw_ir_exec_scope_name(scopes[i])))
            return true;
    }
    struct diag *d = tw_diag(ev->diags, E0206, a->at, "there is no scope '" STR_FMT "'", STR_ARG(name));
    tw_diag_expected(d, "\"thread\", \"warp\", \"warpgroup\", \"cta\" or \"cluster\"");
    return false;
}

static bool read_opcode(struct eval *ev, const struct arg *a, struct ir_tile *tile)
{
    tile->opcode_at = a->at;
    if (a->value.kind == VALUE_OPCODE) {
        tile->opcode = tw_ptx_mnemonic(ev, a->value.u.opcode);
        tile->opcode_at = a->value.u.opcode->at;
        return true;
    }
    struct str text;
    if (a->value.kind != VALUE_STR)
        return tw_eval_mismatch(ev, a->at, "the first argument of 'apply'", "an instruction, T.ptx[\"...\"]", a->value).kind !=
               VALUE_ERROR;
    text = a->value.u.text;
    tile->opcode = tw_arena_copy(eval_kernel(ev)->arena, text.at, text.len);
    return true;
}

static struct value apply(struct eval *ev, struct call *c)
{
    struct ir_kernel *k = eval_kernel(ev);
    struct ir_tile *tile = arena_new(k->arena, struct ir_tile, 1);
    if (!read_opcode(ev, &c->args[0], tile) || !tw_eval_exec_scope(ev, &c->args[1], &tile->scope))
        return value_error();
    tile->operands = arena_new(k->arena, struct ir_arg, c->rest.len + 1);
    tile->params = arena_new(k->arena, struct ir_arg, c->rest.len + 1);
    for (uint32_t i = 0; i < c->rest.len; i++) {
        const struct arg *a = &c->rest.at[i];
        struct ir_arg *out = a->name == NULL ? &tile->operands[tile->operand_count++] : &tile->params[tile->param_count++];
        out->name = a->name;
        if (a->name == NULL ? !tw_eval_tile_operand(ev, a, out) : !tw_eval_tile_param(ev, a, APPLY_ARGUMENT, out))
            return value_error();
    }
    tw_ir_stmt_new(k, ev->build->into, IR_TILE, c->at)->tile = tile;
    return value_none();
}

static const struct builtin rows[] = {
    {"apply", "opcode, *operands, scope?, **parameters", apply, ON_DEVICE},
    {"ewise", "function, dst, *inputs, scope?, **parameters", tw_lib_ewise, ON_DEVICE},
};
const struct builtin_table tw_lib_tile = {rows, sizeof rows / sizeof rows[0]};
