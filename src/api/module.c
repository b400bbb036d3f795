/* Modules: a kernel compiled, or PTX read. Either way what runs is parsed from PTX text. */
#include "api/api.h"

#include "check/check.h"
#include "emit/emit.h"
#include "ir/ir.h"
#include "lang/lang.h"
#include "ptx/ptx.h"
#include "tile/tile.h"

#include <stdlib.h>
#include <string.h>

struct load_call {
    tw_module *module;
    const char *file_name;
    struct str text;
    const tw_compile_opts *opts;
};

static struct str printed(struct text *t)
{
    return (struct str){t->at, t->len};
}

/* ---- entries and kernels by name ---------------------------------------------------------------- */

static const struct ptx_func *report_entry(tw_ctx *ctx, const struct ptx_module *module, const char *name, struct src_span at)
{
    struct text list;
    tw_text_init(&list, &ctx->arena);
    for (uint32_t i = 0; i < module->funcs.len; i++)
        if (module->funcs.at[i].is_entry && module->funcs.at[i].has_body)
            tw_text_addf(&list, list.len == 0 ? "%s" : ", %s", module->funcs.at[i].name);
    struct diag *d = name == NULL ? tw_diag(&ctx->diags, E0602, at, "the module has no single entry")
                                  : tw_diag(&ctx->diags, E0602, at, "the module has no entry '%s'", name);
    tw_diag_expected(d, "one of: %s", list.len == 0 ? "(none)" : list.at);
    return NULL;
}

const struct ptx_func *tw_api_find_entry(tw_ctx *ctx, const struct ptx_module *module, const char *name, struct src_span at)
{
    const struct ptx_func *found = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->funcs.len; i++) {
        const struct ptx_func *f = &module->funcs.at[i];
        if (!f->is_entry || !f->has_body || (name != NULL && strcmp(f->name, name) != 0))
            continue;
        found = f;
        count++;
    }
    return count == 1 ? found : report_entry(ctx, module, name, at);
}

static const char *choose_kernel(tw_ctx *ctx, const struct lang_program *program, const tw_compile_opts *opts)
{
    const uint32_t count = tw_lang_kernel_count(program);
    if (opts != NULL && opts->kernel != NULL)
        return opts->kernel;
    if (count == 1)
        return tw_lang_kernel_name(program, 0);
    if (ctx->diags.error_count != 0)
        return NULL; /* what kept the kernels from being found has been said */
    struct text list;
    tw_text_init(&list, &ctx->arena);
    for (uint32_t i = 0; i < count; i++)
        tw_text_addf(&list, i == 0 ? "%s" : ", %s", tw_lang_kernel_name(program, i));
    struct diag *d = tw_diag(&ctx->diags, E0602, (struct src_span){0}, "%s",
                             count == 0 ? "the file holds no kernel" : "the file holds several kernels and none was named");
    tw_diag_expected(d, "%s%s", count == 0 ? "a function decorated with @T.function" : "one of: ", list.at);
    return NULL;
}

/* ---- making ---------------------------------------------------------------------------------------- */

/* Parses module->ptx_text; nothing runs that was not read from text. */
static tw_status read_ptx(tw_module *module, const char *name)
{
    tw_ctx *ctx = module->ctx;
    const uint32_t file = tw_sources_add(&ctx->sources, name, module->ptx_text);
    const unsigned errors = ctx->diags.error_count;
    module->ptx = tw_ptx_parse(&module->arena, ctx->isa, &ctx->diags, file);
    const struct isa_target target = module->ptx->env.target;
    module->target = tw_format(&module->arena, "sm_%u%.*s", target.sm, target.suffix != 0, &target.suffix);
    return ctx->diags.error_count == errors ? TW_OK : TW_ERROR;
}

static tw_status emit_ptx(tw_module *module, struct ir_kernel *kernel, const tw_compile_opts *opts, const char *file_name)
{
    tw_ctx *ctx = module->ctx;
    struct text lowered, ptx, contract;
    tw_text_init(&lowered, &module->arena);
    tw_ir_print(kernel, &lowered);
    module->lowered_text = printed(&lowered);
    const char *arch = opts == NULL || opts->arch == NULL ? NULL : tw_arena_copy(&module->arena, opts->arch, strlen(opts->arch));
    module->kernel = kernel;
    module->how = (struct emit_options){arch, opts == NULL ? 0 : opts->ptx_version};
    const struct ptx_module *made = tw_emit_ptx(kernel, ctx->isa, &ctx->diags, &module->how);
    if (made == NULL)
        return TW_ERROR;
    tw_text_init(&ptx, &module->arena);
    tw_ptx_print(made, &ptx);
    module->ptx_text = printed(&ptx);
    module->contract = tw_emit_contract(kernel);
    tw_text_init(&contract, &module->arena);
    tw_contract_write(module->contract, &contract);
    module->contract_text = printed(&contract);
    const tw_status status = read_ptx(module, tw_format(&ctx->arena, "%s.ptx", file_name));
    module->owned_file = ctx->sources.files.len;
    return status;
}

static tw_status compile(void *argument)
{
    const struct load_call *call = argument;
    tw_module *module = call->module;
    tw_ctx *ctx = module->ctx;
    const uint32_t file = tw_sources_add(&ctx->sources, call->file_name, call->text);
    const unsigned errors = ctx->diags.error_count;
    struct lang_program *program = tw_lang_load(&module->arena, &ctx->sources, file, &ctx->diags, ctx->isa, NULL);
    const char *name = ctx->diags.error_count == errors ? choose_kernel(ctx, program, call->opts) : NULL;
    struct ir_kernel *kernel = name == NULL ? NULL : tw_lang_build(program, name);
    if (kernel == NULL || ctx->diags.error_count != errors)
        return TW_ERROR;
    struct text ir;
    tw_text_init(&ir, &module->arena);
    tw_ir_print(kernel, &ir);
    module->ir_text = printed(&ir);
    if (!tw_tile_lower(kernel, ctx->isa, &ctx->diags))
        return TW_ERROR;
    return emit_ptx(module, kernel, call->opts, call->file_name);
}

static tw_status parse(void *argument)
{
    const struct load_call *call = argument;
    call->module->ptx_text = call->text;
    return read_ptx(call->module, call->file_name);
}

static tw_status load(tw_ctx *ctx, tw_status (*body)(void *), struct load_call call, tw_module **out)
{
    *out = NULL;
    tw_module *module = calloc(1, sizeof *module);
    if (module == NULL)
        return TW_NO_MEMORY;
    module->ctx = ctx;
    tw_arena_init(&module->arena, &ctx->landing, ctx->arena.limit_bytes);
    call.module = module;
    const tw_status status = tw_api_guard(ctx, body, &call);
    if (status == TW_OK)
        *out = module;
    else
        tw_module_destroy(module);
    return status;
}

tw_status tw_compile(tw_ctx *ctx, const char *file_name, const char *text, size_t len, const tw_compile_opts *opts,
                     tw_module **out)
{
    return load(ctx, compile, (struct load_call){.file_name = file_name, .text = {text, len}, .opts = opts}, out);
}

tw_status tw_module_parse(tw_ctx *ctx, const char *file_name, const char *text, size_t len, tw_module **out)
{
    return load(ctx, parse, (struct load_call){.file_name = file_name, .text = {text, len}}, out);
}

void tw_module_destroy(tw_module *module)
{
    if (module == NULL)
        return;
    if (module->owned_file != 0)
        tw_sources_forget(&module->ctx->sources, module->owned_file);
    tw_arena_release(&module->arena);
    free(module);
}

/* ---- texts ------------------------------------------------------------------------------------------ */

struct form_call {
    tw_module *module;
    tw_emit what;
    struct str text;
};

/* CUDA is made when it is first asked for: few callers want it. */
static bool make_cuda(tw_module *m)
{
    if (m->cuda_text.at != NULL || m->kernel == NULL)
        return true;
    struct text cuda;
    tw_text_init(&cuda, &m->arena);
    if (!tw_emit_cuda(m->kernel, m->ctx->isa, &m->ctx->diags, &m->how, &cuda))
        return false;
    m->cuda_text = printed(&cuda);
    return true;
}

static tw_status find_text(void *argument)
{
    struct form_call *call = argument;
    tw_module *m = call->module;
    if (call->what == TW_EMIT_CUDA && !make_cuda(m))
        return TW_ERROR;
    const struct {
        const char *name;
        struct str text;
    } forms[] = {
        [TW_EMIT_PTX] = {"PTX", m->ptx_text},
        [TW_EMIT_IR] = {"kernel IR", m->ir_text},
        [TW_EMIT_IR_LOWERED] = {"lowered kernel IR", m->lowered_text},
        [TW_EMIT_LAUNCH] = {"launch contract", m->contract_text},
        [TW_EMIT_CUDA] = {"CUDA", m->cuda_text},
    };
    call->text = forms[call->what].text;
    if (call->text.at != NULL)
        return TW_OK;
    tw_diag(&m->ctx->diags, E0603, (struct src_span){0}, "PTX that was read has no %s", forms[call->what].name);
    return TW_ERROR;
}

tw_status tw_module_text(tw_module *module, tw_emit what, const char **text, size_t *len)
{
    struct form_call call = {.module = module, .what = what};
    const tw_status status = tw_api_guard(module->ctx, find_text, &call);
    *text = status == TW_OK ? call.text.at : NULL;
    *len = status == TW_OK ? call.text.len : 0;
    return status;
}

static tw_status check(void *argument)
{
    tw_module *const m = argument;
    const unsigned errors = m->ctx->diags.error_count;
    tw_check_module(&m->arena, m->ptx, &m->ctx->diags);
    return m->ctx->diags.error_count == errors ? TW_OK : TW_ERROR;
}

tw_status tw_module_check(tw_module *module)
{
    return tw_api_guard(module->ctx, check, module);
}

const char *tw_module_target(const tw_module *module)
{
    return module->target;
}

/* Most frequent first; equal counts in order of first appearance. */
static void add_sorted(struct text *out, struct strmap *counts)
{
    for (;;) {
        struct strmap_entry *best = NULL;
        for (uint32_t i = 0; i < counts->entries.len; i++)
            if (counts->entries.at[i].value != 0 && (best == NULL || counts->entries.at[i].value > best->value))
                best = &counts->entries.at[i];
        if (best == NULL)
            return;
        tw_text_addf(out, "%u %s\n", best->value, best->key);
        best->value = 0;
    }
}

static tw_status count_opcodes(void *argument)
{
    struct form_call *call = argument;
    const struct ptx_module *ptx = call->module->ptx;
    struct strmap counts;
    tw_strmap_init(&counts, &call->module->arena);
    for (uint32_t f = 0; f < ptx->funcs.len; f++)
        for (uint32_t i = 0; i < ptx->funcs.at[f].insts.len; i++) {
            struct text name;
            tw_text_init(&name, &call->module->arena);
            const struct isa_spelling spelling = tw_ptx_spelling(&ptx->funcs.at[f].insts.at[i]);
            tw_isa_spell(&spelling, &name);
            const uint32_t *before = tw_strmap_get(&counts, printed(&name));
            tw_strmap_put(&counts, printed(&name), before == NULL ? 1 : *before + 1);
        }
    struct text out;
    tw_text_init(&out, &call->module->arena);
    add_sorted(&out, &counts);
    call->text = printed(&out);
    return TW_OK;
}

tw_status tw_module_opcodes(tw_module *module, const char **text)
{
    struct form_call call = {.module = module};
    const tw_status status = tw_api_guard(module->ctx, count_opcodes, &call);
    *text = status == TW_OK ? call.text.at : NULL;
    return status;
}

struct list_call {
    tw_ctx *ctx;
    const char *file_name;
    struct str text;
    const char *names;
};

static bool is_ptx_name(const char *name)
{
    const size_t len = strlen(name);
    return len > 4 && strcmp(name + len - 4, ".ptx") == 0;
}

static void list_entries(const struct list_call *call, uint32_t file, struct text *out)
{
    const struct ptx_module *m = tw_ptx_parse(&call->ctx->arena, call->ctx->isa, &call->ctx->diags, file);
    for (uint32_t i = 0; i < m->funcs.len; i++)
        if (m->funcs.at[i].is_entry)
            tw_text_addf(out, "%s\n", m->funcs.at[i].name);
}

static void list_kernels(const struct list_call *call, uint32_t file, struct text *out)
{
    tw_ctx *ctx = call->ctx;
    const struct lang_program *p = tw_lang_load(&ctx->arena, &ctx->sources, file, &ctx->diags, ctx->isa, NULL);
    for (uint32_t i = 0; i < tw_lang_kernel_count(p); i++)
        tw_text_addf(out, "%s\n", tw_lang_kernel_name(p, i));
}

static tw_status list(void *argument)
{
    struct list_call *call = argument;
    tw_ctx *ctx = call->ctx;
    const unsigned errors = ctx->diags.error_count;
    const uint32_t file = tw_sources_add(&ctx->sources, call->file_name, call->text);
    struct text out;
    tw_text_init(&out, &ctx->arena);
    if (is_ptx_name(call->file_name))
        list_entries(call, file, &out);
    else
        list_kernels(call, file, &out);
    call->names = out.at;
    return ctx->diags.error_count == errors ? TW_OK : TW_ERROR;
}

tw_status tw_list_kernels(tw_ctx *ctx, const char *file_name, const char *text, size_t len, const char **names)
{
    struct list_call call = {ctx, file_name, {text, len}, ""};
    const tw_status status = tw_api_guard(ctx, list, &call);
    *names = call.names;
    return status;
}
