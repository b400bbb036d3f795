/* The entrance: loading a program file, and building one of its kernels. */
#include "lang/lang.h"

#include "base/nearest.h"
#include "lang/map.h"
#include "lang/parse.h"

#include <string.h>

static struct eval new_eval(struct lang_program *program)
{
    return (struct eval){.arena = program->arena, .diags = program->diags, .sources = program->sources, .isa = program->isa,
                         .names = &program->names, .program = program, .scope = program->module};
}

/* ---- loading ---- */

static struct value env_value(const struct lang_env_entry *e)
{
    if (e->kind == LANG_ENV_INT)
        return value_int(e->integer);
    if (e->kind == LANG_ENV_FLOAT)
        return value_float(e->number);
    return e->kind == LANG_ENV_BOOL ? value_bool(e->integer != 0) : value_str(e->text);
}

static void bind_env(struct lang_program *program, const struct lang_env *env)
{
    for (uint32_t i = 0; env != NULL && i < env->count; i++) {
        const char *name = tw_intern(&program->names, tw_str(env->entries[i].name));
        tw_scope_bind_in(program->arena, program->module, name, env_value(&env->entries[i]), (struct src_span){0});
        tw_scope_find_here(program->module, name)->fixed = true;
    }
}

struct lang_program *tw_lang_load(struct arena *arena, struct sources *sources, uint32_t file, struct diags *diags,
                                  const struct isa *isa, const struct lang_env *env)
{
    struct lang_program *program = arena_new(arena, struct lang_program, 1);
    *program = (struct lang_program){.arena = arena, .sources = sources, .diags = diags, .isa = isa};
    tw_interner_init(&program->names, arena);
    program->module = tw_scope_new(arena, NULL);
    bind_env(program, env);
    const uint32_t errors = diags->error_count;
    const struct block body = tw_lang_parse(arena, sources, file, diags, &program->names);
    if (diags->error_count != errors)
        return program;
    struct block *kept = arena_new(arena, struct block, 1);
    *kept = body;
    struct eval ev = new_eval(program);
    tw_exec_block(&ev, kept);
    return program;
}

uint32_t tw_lang_kernel_count(const struct lang_program *program)
{
    return program->kernels.len;
}

const char *tw_lang_kernel_name(const struct lang_program *program, uint32_t index)
{
    return program->kernels.at[index]->name;
}

struct src_span tw_lang_kernel_span(const struct lang_program *program, uint32_t index)
{
    return program->kernels.at[index]->at;
}

/* ---- parameters ---- */

static struct ir_param *new_param(struct eval *ev, const struct param *p)
{
    struct ir_param *out = vec_push(ev->arena, &eval_kernel(ev)->params);
    *out = (struct ir_param){.name = p->name, .at = p->at};
    return out;
}

static void set_tensor(struct eval *ev, uint32_t index, struct value v)
{
    struct ir_param *p = &eval_kernel(ev)->params.at[index];
    p->tensor = v.u.tensor->storage;
    p->view = v.u.tensor->ir;
    p->tensor->param = (int32_t)index;
}

static struct value tensor_param(struct eval *ev, uint32_t index, const char *name, const struct tensor_type *type,
                                 struct src_span at)
{
    enum ir_scope scope = IR_GLOBAL;
    if (type->scope != NULL && !tw_scope_of_name(ev, value_str(tw_str(type->scope)), type->at, &scope))
        return value_error();
    if (scope != IR_GLOBAL) {
        struct diag *d = tw_diag(ev->diags, E0206, type->at, "a parameter lies in global memory");
        tw_diag_found(d, "the scope %s", type->scope);
        return value_error();
    }
    const struct value v = tw_tensor_declare(ev, name, type, IR_GLOBAL, at);
    if (v.kind == VALUE_TENSOR)
        set_tensor(ev, index, v);
    return v;
}

struct value tw_build_match_param(struct eval *ev, uint32_t index, const struct tensor_type *type, struct src_span at)
{
    const struct ir_param *p = &eval_kernel(ev)->params.at[index];
    if (p->tensor == NULL)
        return tensor_param(ev, index, p->name, type, p->at);
    tw_diag(ev->diags, E0210, at, "the parameter '%s' is matched twice", p->name);
    return value_error();
}

static struct value scalar_param(struct eval *ev, uint32_t index, const struct param *p, struct ir_type type)
{
    struct ir_var *var = tw_ir_var_new(eval_kernel(ev), p->name, type, p->at);
    var->param = (int32_t)index;
    eval_kernel(ev)->params.at[index].scalar = var;
    return (struct value){.kind = VALUE_VAR, .u.var = var};
}

static struct value read_param(struct eval *ev, uint32_t index, const struct param *p)
{
    if ((p->kind != PARAM_PLAIN && p->kind != PARAM_POSITIONAL_ONLY) || p->value != NULL)
        return tw_eval_unsupported(ev, p->at, "a parameter with a star or a default in a kernel");
    if (p->annotation == NULL) {
        struct diag *d = tw_diag(ev->diags, E0206, p->at, "the parameter '%s' has no type", p->name);
        tw_diag_fix(d, "write %s: T.Tensor(shape, dtype), or %s: T.int32", p->name, p->name);
        return value_error();
    }
    const struct value type = tw_eval_expr(ev, p->annotation);
    if (tw_map_is_bare(type) || (type.kind == VALUE_TYPE && type.u.type->map != NULL))
        return tw_map_param(ev, index, type.kind == VALUE_TYPE ? type.u.type->map : NULL);
    if (type.kind == VALUE_DTYPE)
        return scalar_param(ev, index, p, type.u.dtype);
    if (type.kind != VALUE_TYPE)
        return tw_eval_mismatch(ev, p->annotation->at, "the type of a parameter", "T.Tensor(shape, dtype), or a dtype", type);
    if (type.u.type->is_constexpr || type.u.type->is_let)
        return tw_eval_unsupported(ev, p->annotation->at, "this type of a parameter");
    if (type.u.type->is_handle)
        return (struct value){.kind = VALUE_PARAM, .u.param = index};
    return tensor_param(ev, index, p->name, type.u.type, p->at);
}

static void read_params(struct eval *ev, const struct def *def)
{
    for (uint32_t i = 0; i < def->params.len; i++)
        new_param(ev, &def->params.at[i]);
    for (uint32_t i = 0; i < def->params.len; i++) {
        const struct param *p = &def->params.at[i];
        tw_scope_bind(ev, p->name, read_param(ev, i, p), p->at);
    }
}

/* ---- finishing ---- */

static void check_launch(struct eval *ev)
{
    struct ir_kernel *k = eval_kernel(ev);
    if (!ev->build->on_device) {
        struct diag *d = tw_diag(ev->diags, E0212, k->at, "the kernel '%s' has no T.device_entry(...)", k->name);
        tw_diag_fix(d, "begin its body with T.device_entry(launch=T.cuda.LaunchConfig(grid=..., block=...))");
        return;
    }
    if (k->launch.block[0] == 0) {
        struct diag *d = tw_diag(ev->diags, E0215, ev->build->entry, "the number of threads of '%s' is not known", k->name);
        tw_diag_fix(d, "write T.device_entry(launch=T.cuda.LaunchConfig(grid=..., block=...))");
        return;
    }
    for (int i = 0; i < 3; i++)
        k->launch.grid[i] = k->launch.grid[i] == 0 ? 1 : k->launch.grid[i];
}

static void check_params(struct eval *ev)
{
    const struct ir_kernel *k = eval_kernel(ev);
    for (uint32_t i = 0; i < k->params.len; i++) {
        const struct ir_param *p = &k->params.at[i];
        if (p->tensor != NULL || p->scalar != NULL)
            continue;
        struct diag *d = tw_diag(ev->diags, E0206, p->at, "the handle '%s' is never given a shape", p->name);
        tw_diag_fix(d, "write T.match_buffer(%s, shape, dtype)", p->name);
    }
}

/* A tensor that was never bound to a name still needs one in listings. */
static void name_storages(struct ir_kernel *k)
{
    for (uint32_t i = 0; i < k->storages.len; i++)
        if (k->storages.at[i]->name == NULL)
            k->storages.at[i]->name = tw_format(k->arena, "tensor%u", k->storages.at[i]->id);
}

/* ---- building ---- */

static const struct kernel *no_such_kernel(const struct lang_program *program, const char *name)
{
    const char *interned = NULL;
    struct nearest best = nearest_to(tw_str(name));
    for (uint32_t i = 0; i < program->kernels.len; i++)
        tw_nearest_consider(&best, program->kernels.at[i]->name);
    for (uint32_t i = program->module->log.len; i-- > 0 && interned == NULL;)
        if (strcmp(program->module->log.at[i].name, name) == 0)
            interned = program->module->log.at[i].name;
    const struct binding *b = interned == NULL ? NULL : tw_scope_find_here(program->module, interned);
    struct diag *d = tw_diag(program->diags, E0212, b == NULL ? (struct src_span){0} : b->at, "there is no kernel '%s'", name);
    struct text names;
    tw_text_init(&names, program->diags->arena);
    for (uint32_t i = 0; i < program->kernels.len; i++)
        tw_text_addf(&names, i == 0 ? "%s" : ", %s", program->kernels.at[i]->name);
    tw_diag_expected(d, "one of: %s", names.len == 0 ? "(the file has no kernel)" : names.at);
    if (b != NULL)
        tw_diag_found(d, "%s", b->value.kind == VALUE_HOST ? b->value.u.host->what : tw_value_kind_name(b->value.kind));
    if (b != NULL && b->value.kind == VALUE_HOST)
        tw_diag_note(d, b->value.u.host->entered, "it came into the program here");
    if (best.name != NULL)
        tw_diag_fix(d, "write '%s'", best.name);
    return NULL;
}

static const struct kernel *find_kernel(const struct lang_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->kernels.len; i++)
        if (strcmp(program->kernels.at[i]->name, name) == 0)
            return program->kernels.at[i];
    return no_such_kernel(program, name);
}

/* The names as they were when the kernel was defined; undone by the second call. */
static void limit_scopes(const struct kernel *kernel, bool on)
{
    for (uint32_t i = 0; i < kernel->limits.len; i++)
        kernel->limits.at[i].scope->visible = on ? kernel->limits.at[i].visible : UINT32_MAX;
}

struct ir_kernel *tw_lang_build(struct lang_program *program, const char *kernel_name)
{
    const struct kernel *kernel = find_kernel(program, kernel_name);
    const uint32_t errors = program->diags->error_count;
    if (kernel == NULL)
        return NULL;
    struct eval ev = new_eval(program);
    struct kernel_build build = {.k = tw_ir_kernel_new(program->arena, kernel->name, kernel->at)};
    build.into = &build.k->body;
    ev.build = &build;
    ev.scope = tw_scope_new(program->arena, kernel->scope);
    ev.scope->is_script = true;
    ev.scope->is_function = true;
    limit_scopes(kernel, true);
    read_params(&ev, kernel->def);
    if (program->diags->error_count == errors)
        tw_exec_block(&ev, &kernel->def->body);
    limit_scopes(kernel, false);
    if (program->diags->error_count == errors) {
        check_launch(&ev);
        check_params(&ev);
        tw_pool_finish(&ev);
        tw_map_finish(&ev);
    }
    name_storages(build.k);
    return program->diags->error_count == errors ? build.k : NULL;
}
