/* A kernel as a PTX module: entry, parameters, launch directives, variables, body. */
#include "emit/internal.h"

#include <assert.h>

enum { DEFAULT_PTX = 88 };
static const char default_target[] = "sm_100a";

/* A symbol no other has. Names carry a suffix, so that none is a word that PTX reserves. */
static const char *symbol(struct emitter *em, const char *name, const char *suffix)
{
    const char *text = tw_format(em->arena, "%s_%s", name == NULL ? "t" : name, suffix);
    for (uint32_t n = 1; tw_strmap_get(&em->names, tw_str(text)) != NULL; n++)
        text = tw_format(em->arena, "%s_%s_%u", name == NULL ? "t" : name, suffix, n);
    tw_strmap_put(&em->names, tw_str(text), 0);
    return text;
}

static enum isa_mod param_type(struct ir_type t)
{
    if (t.cls == IR_BOOL || t.bits == 8)
        return MOD_U8;
    if (t.cls == IR_FLOAT && t.bits >= 32)
        return t.bits == 32 ? MOD_F32 : MOD_F64;
    return t.bits == 16 ? MOD_U16 : t.bits == 32 ? MOD_U32 : MOD_U64;
}

static void parameters(struct emitter *em)
{
    for (uint32_t i = 0; i < em->k->params.len; i++) {
        const struct ir_param *p = &em->k->params.at[i];
        const char *name = symbol(em, p->name, "param");
        if (p->map != NULL) {
            em->scalars[p->scalar->id] = tw_ptx_build_param(&em->b, name, MOD_B8, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN);
            em->failed |= !tw_ir_map_check(em->k, em->diags, p->map, em->target.sm, p->name, p->at);
        } else if (p->tensor != NULL) {
            em->symbols[p->tensor->id] = tw_ptx_build_param(&em->b, name, MOD_U64, 1, 0);
            tw_ptx_build_param_ptr(&em->b, MOD_GLOBAL, p->tensor->align_bytes);
        } else {
            em->scalars[p->scalar->id] = tw_ptx_build_param(&em->b, name, param_type(p->scalar->type), 1, 0);
        }
    }
}

/* MEASURED: ptxas 13.0 warns of a `.minnctapersm` that no SM can fulfil and goes on without it. With it go the bound on
 * registers and every setmaxnreg (C7508), which ptxas obeys only where it knows how many a thread begins with. */
static void check_min_blocks(struct emitter *em, uint32_t threads)
{
    const struct ir_launch *l = &em->k->launch;
    const uint32_t most = tw_isa_ctas_per_sm(em->target.sm, threads);
    if (l->min_blocks <= most)
        return;
    em->failed = true;
    struct diag *d = tw_diag(em->diags, E0817, l->min_blocks_at, "no SM of sm_%u holds %lld blocks of %u threads", em->target.sm,
                             (long long)l->min_blocks, threads);
    tw_diag_expected(d, "at most %u", most);
    tw_diag_fix(d, "ask for fewer blocks per SM, or for blocks of fewer threads");
}

static void launch_directives(struct emitter *em)
{
    struct ptx_directives *d = &tw_ptx_build_current(&em->b)->directives;
    const struct ir_launch *l = &em->k->launch;
    for (int i = 0; i < 3; i++) {
        d->reqntid[i] = l->block[i] > 0 ? (uint32_t)l->block[i] : 1;
        if (l->has_cluster)
            d->reqnctapercluster[i] = l->cluster[i] > 0 ? (uint32_t)l->cluster[i] : 1;
    }
    d->reqntid_dims = 3;
    d->minnctapersm = (uint32_t)l->min_blocks;
    check_min_blocks(em, d->reqntid[0] * d->reqntid[1] * d->reqntid[2]);
    d->reqnctapercluster_dims = l->has_cluster ? 3 : 0;
    d->explicitcluster = l->has_cluster;
}

/* The dynamic array stands before the function, since it is a variable of the module. */
static struct ptx_operand dynamic_array(struct emitter *em)
{
    if (!em->plan.dynamic)
        return (struct ptx_operand){.kind = OPERAND_NONE};
    return tw_ptx_build_global(&em->b, MOD_SHARED, LINK_EXTERN, symbol(em, em->k->name, "shared"), MOD_B8, 0, em->plan.align);
}

static void variables(struct emitter *em, struct ptx_operand dynamic)
{
    for (uint32_t i = 0; i < em->k->storages.len; i++) {
        const struct ir_storage *s = em->k->storages.at[i];
        const uint64_t bytes = s->elems > 0 ? (uint64_t)tw_emit_storage_bytes(s) : 0;
        if (s->scope == IR_SHARED && em->plan.dynamic) {
            em->symbols[i] = dynamic;
            em->symbols[i].value = em->plan.offset[i];
        } else if (s->scope == IR_SHARED) {
            em->symbols[i] = tw_ptx_build_var(&em->b, MOD_SHARED, symbol(em, s->name, "shared"), MOD_B8, bytes, s->align_bytes);
        } else if (s->scope == IR_LOCAL && s->memory_reason != NULL) {
            em->symbols[i] = tw_ptx_build_var(&em->b, MOD_LOCAL, symbol(em, s->name, "local"), MOD_B8, bytes, s->align_bytes);
        }
    }
}

static bool ends_in_return(const struct ir_block *b)
{
    return b->list.len > 0 && b->list.at[b->list.len - 1]->op == IR_RETURN;
}

static void kernel(struct emitter *em)
{
    const struct ptx_operand dynamic = dynamic_array(em);
    tw_ptx_build_entry(&em->b, em->k->name);
    em->b.at = em->k->at;
    parameters(em);
    launch_directives(em);
    variables(em, dynamic);
    tw_emit_plan_locals(em);
    tw_emit_block(em, &em->k->body);
    if (!ends_in_return(&em->k->body) && !em->failed)
        tw_emit_inst(em, "ret", NULL, 0);
    tw_ptx_build_end_func(&em->b);
}

struct ptx_module *tw_emit_ptx(const struct ir_kernel *k, const struct isa *isa, struct diags *diags,
                               const struct emit_options *options)
{
    assert(k->is_lowered);
    const char *target = options != NULL && options->target != NULL ? options->target : default_target;
    const unsigned version = options != NULL && options->ptx_version != 0 ? options->ptx_version : DEFAULT_PTX;
    struct emitter *em = arena_new(k->arena, struct emitter, 1);
    *em = (struct emitter){.k = k, .arena = k->arena, .diags = diags, .isa = isa, .ptx_version = version, .at = k->at};
    if (!tw_isa_target_parse(tw_str(target), &em->target)) {
        struct diag *d = tw_diag(diags, E0814, k->at, "'%s' is no target", target);
        tw_diag_expected(d, "a name such as sm_100a, sm_90a or sm_80");
        return NULL;
    }
    tw_strmap_init(&em->names, em->arena);
    tw_strmap_put(&em->names, tw_str(k->name), 0);
    em->vars = arena_new(em->arena, struct ptx_operand, k->vars.len + 1u);
    em->scalars = arena_new(em->arena, struct ptx_operand, k->vars.len + 1u);
    em->symbols = arena_new(em->arena, struct ptx_operand, k->storages.len + 1u);
    em->files = arena_new(em->arena, struct local_file, k->storages.len + 1u);
    em->plan = tw_emit_shared_plan(k);
    const uint32_t errors = diags->error_count;
    tw_ptx_build_begin(&em->b, em->arena, isa, diags, version, target);
    kernel(em);
    struct ptx_module *m = tw_ptx_build_end(&em->b);
    return em->failed || diags->error_count != errors ? NULL : m;
}
