/* A kernel as CUDA C++: preamble, signature, shared memory, local tensors, body. */
#include "emit/cuda.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name, *text;
} helpers[HELPER_COUNT] = {
    [HELPER_SHARED_ADDRESS] = {"shared_address",
        "// The address in shared memory that PTX instructions take.\n"
        "static __device__ __forceinline__ unsigned shared_address(const void *p)\n"
        "{\n"
        "    return (unsigned)__cvta_generic_to_shared(p);\n"
        "}\n"},
    [HELPER_GLOBAL_ADDRESS] = {"global_address",
        "static __device__ __forceinline__ unsigned long long global_address(const void *p)\n"
        "{\n"
        "    return __cvta_generic_to_global(p);\n"
        "}\n"},
    [HELPER_LOCAL_ADDRESS] = {"local_address",
        "static __device__ __forceinline__ unsigned long long local_address(const void *p)\n"
        "{\n"
        "    return __cvta_generic_to_local(p);\n"
        "}\n"},
    [HELPER_FLOOR_DIV] = {"floor_div",
        "// Division that rounds down.\n"
        "template <typename T> static __device__ __forceinline__ T floor_div(T a, T b)\n"
        "{\n"
        "    const T r = (T)(a % b);\n"
        "    return (T)(a / b - (r != 0 && (r < 0) != (b < 0) ? 1 : 0));\n"
        "}\n"},
    [HELPER_FLOOR_MOD] = {"floor_mod",
        "// The remainder of division that rounds down: it has the divisor's sign.\n"
        "template <typename T> static __device__ __forceinline__ T floor_mod(T a, T b)\n"
        "{\n"
        "    const T r = (T)(a % b);\n"
        "    return (T)(r != 0 && (r < 0) != (b < 0) ? r + b : r);\n"
        "}\n"},
};

const char *tw_cuda_helper(struct cuda_emitter *em, enum cuda_helper h)
{
    em->helpers |= 1u << h;
    return helpers[h].name;
}

/* ---- preamble ------------------------------------------------------------------------------------------------ */

static int64_t extent(int64_t n)
{
    return n > 0 ? n : 1;
}

static void dimensions(struct text *out, const char *what, const int64_t n[3])
{
    tw_text_addf(out, "%s (%lld, %lld, %lld)", what, (long long)extent(n[0]), (long long)extent(n[1]), (long long)extent(n[2]));
}

static void launch_comment(struct cuda_emitter *em, struct text *out, const char *target)
{
    const struct ir_launch *l = &em->k->launch;
    const struct contract *c = tw_emit_contract(em->k);
    tw_text_addf(out, "// %s: compile with nvcc -arch=%s.\n", em->k->name, target);
    dimensions(out, "// Launch: grid", l->grid);
    dimensions(out, ", block", l->block);
    if (l->has_cluster)
        dimensions(out, ", cluster", l->cluster);
    tw_text_addf(out, ", %u bytes of dynamic shared memory.\n", c->dynamic_shared_bytes);
}

/* A tensor map by value, as its 128 bytes: nothing but its address is used. */
static void map_type(const struct cuda_emitter *em, struct text *out)
{
    if (em->map_type != NULL)
        tw_text_addf(out, "\nstruct alignas(%d) %s { // a tensor map, as cuTensorMapEncodeTiled fills it\n    unsigned char bytes[%d];\n};\n",
                     TENSOR_MAP_ALIGN, em->map_type, TENSOR_MAP_BYTES);
}

static void storage_types(struct cuda_emitter *em, struct text *out)
{
    bool any = false;
    for (unsigned f = 0; f < NUM_FORMAT_COUNT; f++) {
        if (em->formats[f] == NULL)
            continue;
        const struct num_format_info *row = tw_num_format((enum num_format)f);
        tw_text_addf(out, "%stypedef %s %s; // the bits of a %s\n", any ? "" : "\n",
                     row->storage_bits == 16 ? "unsigned short" : "unsigned char", em->formats[f],
                     row->dtype != NULL ? row->dtype : row->name);
        any = true;
    }
}

static void functions(struct cuda_emitter *em, struct text *out)
{
    for (unsigned h = 0; h < HELPER_COUNT; h++)
        if (em->helpers & 1u << h)
            tw_text_addf(out, "\n%s", helpers[h].text);
    for (uint32_t i = 0; i < em->wrappers.len; i++) {
        const struct cuda_wrapper *w = &em->wrappers.at[i];
        tw_text_addf(out, "\n%s%s%s", w->head, w->name, w->tail);
    }
}

/* ---- the kernel ----------------------------------------------------------------------------------------------- */

static void parameters(struct cuda_emitter *em, struct text *out)
{
    for (uint32_t i = 0; i < em->k->params.len; i++) {
        const struct ir_param *p = &em->k->params.at[i];
        tw_text_add(out, i == 0 ? "\n    " : ",\n    ");
        if (p->map != NULL)
            tw_text_addf(out, "const __grid_constant__ %s %s", em->map_type, em->vars[p->scalar->id]);
        else if (p->tensor != NULL)
            tw_text_addf(out, "%s%s *__restrict__ %s", em->is_written[p->tensor->id] ? "" : "const ",
                         tw_cuda_memory_type(em, p->tensor->elem), em->storages[p->tensor->id]);
        else
            tw_text_addf(out, "%s%s%s", tw_cuda_type(em, p->scalar->type), p->scalar->type.cls == IR_POINTER ? "" : " ",
                         em->vars[p->scalar->id]);
    }
}

static void signature(struct cuda_emitter *em, struct text *out)
{
    const struct ir_launch *l = &em->k->launch;
    tw_text_add(out, "\nextern \"C\" __global__ void ");
    if (l->has_cluster)
        tw_text_addf(out, "__cluster_dims__(%lld, %lld, %lld) ", (long long)extent(l->cluster[0]),
                     (long long)extent(l->cluster[1]), (long long)extent(l->cluster[2]));
    const int64_t threads = extent(l->block[0]) * extent(l->block[1]) * extent(l->block[2]);
    tw_text_addf(out, "__launch_bounds__(%lld", (long long)threads);
    if (l->min_blocks != 0)
        tw_text_addf(out, ", %lld", (long long)l->min_blocks);
    tw_text_addf(out, ")\n%s(", em->k->name);
    parameters(em, out);
    tw_text_add(out, ")\n{\n");
}

/* Whole bytes for elements of fewer than eight bits. */
static int64_t array_length(const struct ir_storage *s)
{
    return s->elem.bits >= 8 ? s->elems : tw_emit_storage_bytes(s);
}

static void shared_tensor(struct cuda_emitter *em, const struct ir_storage *s)
{
    const char *type = tw_cuda_memory_type(em, s->elem), *name = em->storages[s->id];
    if (em->plan.dynamic)
        tw_cuda_line(em, "%s *const %s = (%s *)(shared_memory + %lld);", type, name, type, (long long)em->plan.offset[s->id]);
    else
        tw_cuda_line(em, "__shared__ alignas(%u) %s %s[%lld];", s->align_bytes, type, name, (long long)array_length(s));
}

static void local_tensor(struct cuda_emitter *em, const struct ir_storage *s)
{
    const char *name = em->storages[s->id];
    if (s->memory_reason != NULL)
        tw_cuda_line(em, "alignas(%u) %s %s[%lld];", s->align_bytes, tw_cuda_memory_type(em, s->elem), name,
                     (long long)array_length(s));
    else if (em->units[s->id].bits != 0) /* a part is written into what was there: that must be something */
        tw_cuda_line(em, "%s %s[%u]%s;", tw_cuda_plain_type(tw_cuda_unit_type(&em->units[s->id])), name, em->units[s->id].count,
                     em->units[s->id].is_packed ? " = {}" : "");
}

static void declarations(struct cuda_emitter *em)
{
    if (em->plan.dynamic)
        tw_cuda_line(em, "extern __shared__ __align__(%u) unsigned char shared_memory[];", em->plan.align);
    for (uint32_t i = 0; i < em->k->storages.len; i++) {
        const struct ir_storage *s = em->k->storages.at[i];
        if (s->scope == IR_SHARED)
            shared_tensor(em, s);
        else if (s->scope == IR_LOCAL)
            local_tensor(em, s);
    }
    for (uint32_t i = 0; i < em->k->vars.len; i++) {
        const struct ir_var *v = em->k->vars.at[i];
        if (v->param < 0 && tw_cuda_is_declared_early(em, v) && em->var_facts[v->id].uses > 0)
            tw_cuda_line(em, "%s %s;", tw_cuda_type(em, v->type), em->vars[i]);
    }
}

/* Parameters and tensors before scalars: what a caller sees keeps its name. */
static void name_everything(struct cuda_emitter *em)
{
    const struct ir_kernel *k = em->k;
    tw_strmap_put(&em->names, tw_str(k->name), 0);
    for (uint32_t i = 0; i < k->params.len; i++) {
        const struct ir_param *p = &k->params.at[i];
        if (p->tensor != NULL)
            em->storages[p->tensor->id] = tw_cuda_identifier(em, p->name);
        else
            em->vars[p->scalar->id] = tw_cuda_identifier(em, p->name);
    }
    for (uint32_t i = 0; i < k->params.len && em->map_type == NULL; i++)
        if (k->params.at[i].map != NULL)
            em->map_type = tw_cuda_identifier(em, "tensor_map");
    for (uint32_t i = 0; i < k->storages.len; i++)
        if (em->storages[i] == NULL)
            em->storages[i] = tw_cuda_identifier(em, k->storages.at[i]->name);
    for (uint32_t i = 0; i < k->vars.len; i++)
        if (em->vars[i] == NULL)
            em->vars[i] = tw_cuda_identifier(em, k->vars.at[i]->name);
}

static bool check_name(struct cuda_emitter *em, struct diags *diags)
{
    if (tw_cuda_name_is_free(em, em->k->name))
        return true;
    struct diag *d = tw_diag(diags, E0815, em->k->at, "no CUDA kernel can be called '%s'", em->k->name);
    tw_diag_found(d, "a word that C++ or the CUDA headers use");
    tw_diag_fix(d, "rename the kernel");
    return false;
}

static struct cuda_emitter *emitter_new(const struct ir_kernel *k, const struct isa *isa, const struct sources *sources)
{
    struct cuda_emitter *em = arena_new(k->arena, struct cuda_emitter, 1);
    *em = (struct cuda_emitter){.k = k, .arena = k->arena, .isa = isa, .sources = sources, .depth = 1};
    em->vars = arena_new(k->arena, const char *, k->vars.len + KEPT_VARS);
    em->storages = arena_new(k->arena, const char *, k->storages.len + 1u);
    em->var_facts = arena_new(k->arena, struct cuda_var_facts, k->vars.len + KEPT_VARS);
    em->is_written = arena_new(k->arena, bool, k->storages.len + 1u);
    em->units = tw_emit_local_units(k);
    em->plan = tw_emit_shared_plan(k);
    tw_text_init(&em->body, k->arena);
    tw_cuda_reserve_names(em);
    return em;
}

bool tw_emit_cuda(const struct ir_kernel *k, const struct isa *isa, struct diags *diags, const struct emit_options *options,
                  struct text *out)
{
    if (tw_emit_ptx(k, isa, diags, options) == NULL) /* what the target has no instruction for is said there */
        return false;
    const char *target = options != NULL && options->target != NULL ? options->target : "sm_100a";
    struct cuda_emitter *em = emitter_new(k, isa, diags->sources);
    const bool known = tw_isa_target_parse(tw_str(target), &em->target);
    assert(known);
    (void)known;
    if (!check_name(em, diags))
        return false;
    name_everything(em);
    tw_cuda_find_facts(em);
    struct text head;
    tw_text_init(&head, em->arena);
    signature(em, &head);
    declarations(em);
    tw_cuda_block(em, &k->body);
    launch_comment(em, out, target);
    storage_types(em, out);
    map_type(em, out);
    functions(em, out);
    tw_text_addf(out, "%s%s}\n", head.at, em->body.at);
    return true;
}
