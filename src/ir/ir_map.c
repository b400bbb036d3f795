/* Tensor maps as parameters: what a launch makes them from, and the rules that can be judged before it.
 *
 * A map is a parameter of 128 bytes by value. Its fields but for the address are known when the kernel is compiled;
 * the launch contract carries them to whoever launches. Dimensions are innermost first, as the driver counts them. */
#include "ir/ir.h"

#include "ir/ir_names.h"

#include <string.h>

struct ir_var *tw_ir_map_param(struct ir_kernel *k, const char *name, const struct ir_map *map, struct src_span at)
{
    struct ir_param *p = vec_push(k->arena, &k->params);
    *p = (struct ir_param){.name = name, .at = at};
    p->map = arena_new(k->arena, struct ir_map, 1);
    *p->map = *map;
    p->scalar = tw_ir_var_new(k, name, tw_ir_pointer(), at);
    p->scalar->param = (int32_t)(k->params.len - 1);
    return p->scalar;
}

static bool name_is_free(const struct ir_kernel *k, const char *name)
{
    for (uint32_t i = 0; i < k->params.len; i++)
        if (strcmp(k->params.at[i].name, name) == 0)
            return false;
    return true;
}

struct ir_var *tw_ir_map_shared(struct ir_kernel *k, const struct ir_map *map, struct src_span at)
{
    uint8_t wanted[TENSOR_MAP_BYTES], found[TENSOR_MAP_BYTES];
    tw_tensor_map_pack(&map->map, wanted);
    for (uint32_t i = 0; i < k->params.len; i++) {
        const struct ir_param *p = &k->params.at[i];
        if (p->map == NULL || p->map->tensor != map->tensor)
            continue;
        tw_tensor_map_pack(&p->map->map, found);
        if (memcmp(wanted, found, sizeof found) == 0)
            return p->scalar;
    }
    const char *name = tw_format(k->arena, "%s_map", map->tensor->name);
    for (uint32_t n = 2; !name_is_free(k, name); n++)
        name = tw_format(k->arena, "%s_map%u", map->tensor->name, n);
    return tw_ir_map_param(k, name, map, at);
}

/* A dimension's one stride in elements; false if its elements are no fixed step apart. */
static bool step_of(const struct grouping *g, uint32_t dim, int64_t *stride)
{
    bool any = false;
    *stride = 0;
    for (uint32_t i = g->first[dim]; i < g->first[dim + 1]; i++) {
        const struct iter *it = &g->layout->shard[i];
        if (it->extent == 1)
            continue;
        if (any || it->axis != AXIS_M)
            return false;
        any = true;
        *stride = it->stride;
    }
    return true;
}

const char *tw_ir_map_tensor(struct arena *arena, const struct ir_view *view, struct tensor_map *out)
{
    const struct layout_env env = {.arena = arena};
    struct shape shape = {.rank = view->rank};
    struct grouping g;
    memcpy(shape.dim, view->shape, sizeof shape.dim);
    if (view->rank == 0 || view->rank > TENSOR_MAP_RANK)
        return "a tensor map has 1 to 5 dimensions";
    out->type = tw_tensor_map_type_find(tw_str(tw_ir_type_name(view->elem)));
    if (out->type == TMAP_TYPE_COUNT)
        return "tensor maps have no such element type";
    if (view->layout->swizzled || tw_layout_replicas(view->layout) != 1 || view->offset != 0 || view->layout->offset[AXIS_M] != 0)
        return "a tensor map starts at the tensor's first element, and knows no swizzle of global memory";
    if (!tw_layout_group(&env, tw_layout_canonical(&env, view->layout), &shape, &g))
        return "every dimension of a tensor map has one stride";
    out->rank = view->rank;
    for (uint32_t d = 0; d < view->rank; d++) {
        const uint32_t from = view->rank - 1 - d;
        int64_t stride;
        if (!step_of(&g, from, &stride) || stride < 0)
            return "every dimension of a tensor map has one stride";
        if (d == 0 && stride > 1)
            return "the last dimension of a tensor map is contiguous";
        out->dims[d] = (uint64_t)view->shape[from];
        out->strides[d] = (uint64_t)stride * view->elem.bits / 8;
        out->element_strides[d] = 1;
    }
    for (uint32_t d = 1; d < view->rank; d++) /* a dimension of one element: any stride does, the dense one is legal */
        if (view->shape[view->rank - 1 - d] == 1)
            out->strides[d] = d == 1 ? out->dims[0] * view->elem.bits / 8 : out->strides[d - 1] * out->dims[d - 1];
    return NULL;
}

uint64_t tw_ir_map_stand_in(const struct ir_storage *tensor)
{
    enum { STRICTEST = 32 }; /* bytes that any map asks of its address */
    return !tensor->align_stated || tensor->align_bytes % STRICTEST == 0 ? 0 : tensor->align_bytes;
}

bool tw_ir_map_check(const struct ir_kernel *k, struct diags *diags, const struct ir_map *map, unsigned sm, const char *name,
                     struct src_span at)
{
    struct tensor_map_fault fault;
    if (map->tensor == NULL)
        return true;
    struct tensor_map m = map->map;
    m.address = tw_ir_map_stand_in(map->tensor);
    if (tw_tensor_map_check(&m, sm, k->arena, &fault))
        return true;
    struct diag *d = tw_diag(diags, E0816, at, "tensor map '%s' of '%s': %s breaks a rule", name, map->tensor->name,
                             tw_tensor_map_fault_field(&fault, k->arena));
    tw_diag_expected(d, "%s", fault.expected);
    if (fault.field == TMAP_FIELD_ADDRESS) {
        tw_diag_found(d, "'%s' is aligned to %u bytes", map->tensor->name, map->tensor->align_bytes);
        tw_diag_fix(d, "write align=%d in the type of '%s'", map->tensor->align_bytes % 16 == 0 ? 32 : 16, map->tensor->name);
    } else {
        tw_diag_found(d, "%s", fault.found);
    }
    tw_diag_spec(d, "CUDA driver API, %s", m.mode == TMAP_TILE ? "cuTensorMapEncodeTiled" : "cuTensorMapEncodeIm2col");
    return false;
}
