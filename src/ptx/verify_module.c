/* Header, launch directives, static memory, calls. */
#include "ptx/verify.h"

#include "base/limits.h"
#include "base/text.h"
#include "ptx/reach.h"

#include <string.h>

/* Targets and the PTX version that brought them. SOURCE: PTX ISA, "Release Notes". */
static const struct {
    uint16_t sm;
    char suffix;
    uint16_t ptx;
} targets[] = {
    {50, 0, 40},   {52, 0, 41},   {53, 0, 42},   {60, 0, 50},   {61, 0, 50},   {62, 0, 50},   {70, 0, 60},
    {72, 0, 61},   {75, 0, 63},   {80, 0, 70},   {86, 0, 71},   {87, 0, 74},   {88, 0, 90},   {89, 0, 78},
    {90, 0, 78},   {90, 'a', 80}, {100, 0, 86},  {100, 'a', 86}, {100, 'f', 88}, {101, 0, 86}, {101, 'a', 86},
    {101, 'f', 88}, {103, 0, 88}, {103, 'a', 88}, {103, 'f', 88}, {110, 0, 90}, {110, 'a', 90}, {110, 'f', 90},
    {120, 0, 87},  {120, 'a', 87}, {120, 'f', 88}, {121, 0, 88}, {121, 'a', 88}, {121, 'f', 88},
};

static struct src_span module_span(const struct verifier *v)
{
    return (struct src_span){v->module->source, 0, v->module->source != 0 ? 1 : 0};
}

static void check_target(struct verifier *v)
{
    const struct isa_env *env = &v->module->env;
    const char suffix[2] = {env->target.suffix, '\0'};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (targets[i].sm != env->target.sm || targets[i].suffix != env->target.suffix)
            continue;
        if (env->ptx < targets[i].ptx) {
            struct diag *d = tw_diag(v->diags, E0517, module_span(v), "target sm_%u%s needs a later PTX version", env->target.sm, suffix);
            tw_diag_expected(d, ".version %u.%u or later", targets[i].ptx / 10u, targets[i].ptx % 10u);
            tw_diag_found(d, ".version %u.%u", env->ptx / 10, env->ptx % 10);
        }
        return;
    }
    struct diag *d = tw_diag(v->diags, E0518, module_span(v), "unknown target 'sm_%u%s'", env->target.sm, suffix);
    tw_diag_expected(d, "a target such as sm_80, sm_90a, sm_100a or sm_120a");
}

static struct src_span var_span(const struct ptx_var *var)
{
    return var->at;
}

static void too_much(struct verifier *v, struct src_span at, const char *what, uint64_t found, uint64_t most)
{
    struct diag *d = tw_diag(v->diags, E0526, at, "too much %s", what);
    tw_diag_expected(d, "at most %llu bytes", (unsigned long long)most);
    tw_diag_found(d, "%llu bytes", (unsigned long long)found);
}

/* A sum that saturates: sizes come from the text. Padding is left out, since variables may be placed in any order. */
static uint64_t plus(uint64_t sum, const struct ptx_var *var)
{
    return var->bytes > UINT64_MAX / 2 || sum > UINT64_MAX / 2 ? UINT64_MAX / 2 : sum + var->bytes;
}

static uint64_t shared_bytes(uint64_t sum, const struct ptx_var *vars, uint32_t count, const bool *counted)
{
    for (uint32_t i = 0; i < count; i++)
        if (vars[i].space == MOD_SHARED && vars[i].linkage != LINK_EXTERN && (counted == NULL || counted[i]))
            sum = plus(sum, &vars[i]);
    return sum;
}

/* All that the module declares: an entry cannot have more. */
static uint64_t most_shared(const struct ptx_module *m)
{
    uint64_t sum = shared_bytes(0, m->vars.at, m->vars.len, NULL);
    for (uint32_t i = 0; i < m->funcs.len; i++)
        sum = shared_bytes(sum, m->funcs.at[i].vars.at, m->funcs.at[i].vars.len, NULL);
    return sum;
}

enum { CONST_BYTES = 65536 }; /* PTX ISA: constant memory of a module */

void tw_verify_module(struct verifier *v)
{
    check_target(v);
    v->all_shared = most_shared(v->module);
    uint64_t constant = 0;
    for (uint32_t i = 0; i < v->module->vars.len; i++) {
        const struct ptx_var *var = &v->module->vars.at[i];
        if (var->space == MOD_CONST)
            constant = plus(constant, var);
        if (constant > CONST_BYTES) {
            too_much(v, var_span(var), "constant memory", constant, CONST_BYTES);
            return;
        }
    }
}

/* SOURCE: PTX ISA, "Kernel Function Parameters": 4352 bytes, from 8.1 on 32764. */
static void check_params(struct verifier *v)
{
    uint64_t most = v->module->env.ptx >= 81 ? 32764 : 4352;
    if (v->func->is_entry && v->func->param_bytes > most)
        too_much(v, v->func->at, "parameter space", v->func->param_bytes, most);
}

/* Static shared memory of an entry: its own, that of the functions that it can reach, and the module's that they name. */
static void check_shared(struct verifier *v)
{
    const uint64_t most = tw_isa_static_shared_limit(v->module->env.target.sm);
    if (!v->func->is_entry || v->all_shared <= most)
        return;
    const struct ptx_reach r = tw_ptx_reach(v->arena, v->module, v->func);
    uint64_t bytes = shared_bytes(0, v->module->vars.at, v->module->vars.len, r.vars);
    for (uint32_t i = 0; i < r.count; i++) {
        const struct ptx_func *const f = &v->module->funcs.at[r.order[i]];
        bytes = shared_bytes(bytes, f->vars.at, f->vars.len, NULL);
    }
    if (bytes > most)
        too_much(v, v->func->at, "static shared memory", bytes, most);
}

static void contradiction(struct verifier *v, const char *what, const char *wanted)
{
    struct diag *d = tw_diag(v->diags, E0521, v->func->at, "%s", what);
    tw_diag_expected(d, "%s", wanted);
}

static uint64_t product(const uint32_t dims[3])
{
    uint64_t n = (uint64_t)dims[0] * dims[1];
    return dims[2] != 0 && n > UINT64_MAX / dims[2] ? UINT64_MAX : n * dims[2];
}

static void check_directives(struct verifier *v)
{
    const struct ptx_directives *d = &v->func->directives;
    bool cluster = d->reqnctapercluster_dims > 0;
    if (d->maxntid_dims > 0 && d->reqntid_dims > 0)
        contradiction(v, ".maxntid and .reqntid exclude each other", "one of them");
    if (cluster && d->maxclusterrank != 0)
        contradiction(v, ".reqnctapercluster and .maxclusterrank exclude each other", "one of them");
    if (d->blocksareclusters && (!cluster || d->reqntid_dims == 0))
        contradiction(v, ".blocksareclusters needs the sizes of blocks and clusters", ".reqntid and .reqnctapercluster beside it");
    if ((d->reqntid_dims > 0 && (product(d->reqntid) == 0 || product(d->reqntid) > TW_MAX_CTA_THREADS)) ||
        (d->maxntid_dims > 0 && (product(d->maxntid) == 0 || product(d->maxntid) > TW_MAX_CTA_THREADS)))
        contradiction(v, "no block has so many threads", "1 to 1024 threads");
    bool later = v->module->env.ptx >= 78 && v->module->env.target.sm >= 90;
    if ((cluster || d->maxclusterrank != 0 || d->explicitcluster) && !later)
        contradiction(v, "cluster directives need PTX 7.8 and target sm_90", ".version 7.8 and .target sm_90 or later");
    if (d->blocksareclusters && v->module->env.ptx < 90)
        contradiction(v, ".blocksareclusters needs PTX 9.0", ".version 9.0 or later");
}

void tw_verify_func(struct verifier *v)
{
    check_params(v);
    check_shared(v);
    check_directives(v);
}

/* Calls */

struct signature {
    const struct ptx_func *func;   /* or */
    const struct ptx_table *table; /* a prototype */
};

static uint32_t count_of(const struct signature *s, bool rets)
{
    if (s->func != NULL)
        return rets ? s->func->ret_count : s->func->param_count;
    return rets ? s->table->rets.len : s->table->params.len;
}

/* Bytes of a formal parameter; 0: any (variadic arrays). */
static uint64_t formal_bytes(const struct signature *s, bool rets, uint32_t i)
{
    if (s->func != NULL)
        return s->func->vars.at[rets ? s->func->param_count + i : i].bytes;
    const struct ptx_param_type *t = rets ? &s->table->rets.at[i] : &s->table->params.at[i];
    return isa_type_bits(t->type) / 8 * t->count;
}

static uint64_t actual_bytes(const struct verifier *v, const struct ptx_operand *o)
{
    if (o->kind == OPERAND_REG)
        return isa_type_bits(v->func->regs.at[o->index].type) / 8;
    const struct ptx_var *var = tw_ptx_var_of(v->module, v->func, o);
    return var != NULL ? var->bytes : 0;
}

static void check_list(struct verifier *v, const struct ptx_inst *inst, const struct signature *s, bool rets)
{
    const struct ptx_operand *list = tw_ptx_operand(v->func, inst, rets ? ROLE_RETS : ROLE_ARGS);
    uint32_t actual = list->kind == OPERAND_LIST ? list->count : 0, formal = count_of(s, rets);
    const char *what = rets ? "result" : "argument";
    if (actual != formal) {
        struct diag *d = tw_diag(v->diags, E0520, tw_verify_inst(v, inst), "the call has the wrong number of %ss", what);
        tw_diag_expected(d, "%u %s%s", formal, what, formal == 1 ? "" : "s");
        tw_diag_found(d, "%u", actual);
        tw_diag_note(d, s->func != NULL ? s->func->at : s->table->at, "declared here");
        return;
    }
    for (uint32_t i = 0; i < actual; i++) {
        const struct ptx_operand *o = tw_ptx_elements(v->func, list) + i;
        uint64_t want = formal_bytes(s, rets, i), have = actual_bytes(v, o);
        if (want == 0 || have == 0 || want == have)
            continue;
        struct diag *d = tw_diag(v->diags, E0520, tw_verify_operand(v, inst, o), "%s %u of the call has the wrong size", what, i + 1);
        tw_diag_expected(d, "%llu bytes", (unsigned long long)want);
        tw_diag_found(d, "%llu bytes", (unsigned long long)have);
        tw_diag_note(d, s->func != NULL ? s->func->at : s->table->at, "declared here");
    }
}

void tw_verify_call(struct verifier *v, const struct ptx_inst *inst)
{
    const struct ptx_operand *callee = tw_ptx_operand(v->func, inst, ROLE_CALLEE);
    const struct ptx_operand *proto = tw_ptx_operand(v->func, inst, ROLE_PROTO);
    struct signature s = {NULL, NULL};
    if (callee->kind == OPERAND_FUNC)
        s.func = &v->module->funcs.at[callee->index];
    else if (proto->kind == OPERAND_TABLE && v->func->tables.at[proto->index].kind == TABLE_CALL_PROTOTYPE)
        s.table = &v->func->tables.at[proto->index];
    else if (proto->kind == OPERAND_TABLE && v->func->tables.at[proto->index].targets.len > 0)
        s.func = &v->module->funcs.at[v->func->tables.at[proto->index].targets.at[0]];
    if (s.func != NULL && s.func->is_entry) {
        struct diag *d = tw_diag(v->diags, E0520, tw_verify_operand(v, inst, callee), "an entry cannot be called");
        tw_diag_expected(d, "a function declared with .func");
        return;
    }
    if (s.func == NULL && s.table == NULL) {
        struct diag *d = tw_diag(v->diags, E0520, tw_verify_inst(v, inst), "an indirect call without a prototype");
        tw_diag_expected(d, "the name of a .callprototype or .calltargets as last operand");
        return;
    }
    check_list(v, inst, &s, true);
    check_list(v, inst, &s, false);
}
