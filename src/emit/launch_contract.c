/* The launch contract of a compiled kernel. */
#include "emit/emit.h"

#include "emit/internal.h"

static struct contract_dtype dtype_of(struct ir_type t)
{
    return (struct contract_dtype){.is_bool = t.cls == IR_BOOL, .format = t.format};
}

/* A map that nothing describes is left to whoever launches: its argument names no tensor. */
static void add_map(struct contract_arg *a, struct arena *arena, const struct ir_map *from)
{
    a->kind = CONTRACT_TENSOR_MAP;
    if (from->tensor == NULL)
        return;
    a->map = arena_new(arena, struct contract_map, 1);
    a->map->tensor = from->tensor->name;
    a->map->map = from->map;
}

static void add_arg(struct contract *c, struct arena *arena, const struct ir_param *p)
{
    struct contract_arg *a = vec_push(arena, &c->args);
    a->name = p->name;
    if (p->map != NULL) {
        add_map(a, arena, p->map);
        return;
    }
    if (p->tensor == NULL) {
        a->kind = CONTRACT_SCALAR;
        a->dtype = dtype_of(p->scalar->type);
        return;
    }
    a->kind = CONTRACT_TENSOR;
    a->dtype = dtype_of(p->tensor->elem);
    a->rank = p->view->rank;
    for (uint32_t d = 0; d < a->rank; d++)
        a->shape[d] = p->view->shape[d];
}

struct contract *tw_emit_contract(const struct ir_kernel *k)
{
    struct contract *c = arena_new(k->arena, struct contract, 1);
    const struct shared_plan plan = tw_emit_shared_plan(k);
    c->entry = k->name;
    for (int i = 0; i < 3; i++) {
        c->grid[i] = k->launch.grid[i] > 0 ? (uint32_t)k->launch.grid[i] : 1;
        c->block[i] = k->launch.block[i] > 0 ? (uint32_t)k->launch.block[i] : 1;
        c->cluster[i] = k->launch.cluster[i] > 0 ? (uint32_t)k->launch.cluster[i] : 1;
    }
    c->dynamic_shared_bytes = (uint32_t)(k->launch.dynamic_shared_bytes + (plan.dynamic ? plan.bytes : 0));
    for (uint32_t i = 0; i < k->params.len; i++)
        add_arg(c, k->arena, &k->params.at[i]);
    return c;
}
