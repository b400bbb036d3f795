/* Devices, guest memory and launches. */
#include "api/api.h"

#include "base/limits.h"
#include "num/dot.h"

#include <stdlib.h>
#include <string.h>

struct arch_call {
    tw_device *device;
    const char *arch;
};

static tw_status find_arch(void *argument)
{
    const struct arch_call *const call = argument;
    struct isa_target target;
    enum num_arch arch;
    if (tw_isa_target_parse(tw_str(call->arch), &target) && tw_num_arch_of_sm(target.sm, &arch)) {
        call->device->sm = target.sm;
        return TW_OK;
    }
    struct diag *const d = tw_diag(&call->device->ctx->diags, E0604, (struct src_span){0}, "the machine cannot compute as '%s'", call->arch);
    tw_diag_expected(d, "a target from sm_70 on, such as sm_80, sm_90a or sm_100a");
    return TW_ERROR;
}

/* The GPU that the device is. */
static tw_status choose_gpu(tw_device *device, const tw_device_opts *opts)
{
    if (opts->kind == TW_DEVICE_CUDA) {
        const tw_status status = tw_api_gpu_open(device, opts);
        device->sm = status == TW_OK ? tw_gpu_sm(device->gpu) : 0;
        return status;
    }
    struct arch_call call = {device, opts->arch};
    return opts->arch == NULL ? TW_OK : tw_api_guard(device->ctx, find_arch, &call);
}

unsigned tw_api_sm(const tw_device *device, const struct ptx_module *module)
{
    return device->sm != 0 ? device->sm : module->env.target.sm;
}

tw_status tw_device_create(tw_ctx *ctx, const tw_device_opts *opts, tw_device **out)
{
    *out = NULL;
    tw_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return TW_NO_MEMORY;
    device->ctx = ctx;
    device->max_memory = opts != NULL && opts->max_memory != 0 ? opts->max_memory : TW_DEFAULT_MAX_MEMORY;
    device->memory = tw_memory_new(device->max_memory);
    tw_status status = device->memory == NULL ? TW_NO_MEMORY : TW_OK;
    if (status == TW_OK && opts != NULL)
        status = choose_gpu(device, opts);
    if (status == TW_OK)
        *out = device;
    else
        tw_device_destroy(device);
    return status;
}

void tw_device_destroy(tw_device *device)
{
    if (device == NULL)
        return;
    tw_gpu_close(device->gpu);
    if (device->memory != NULL)
        tw_memory_free(device->memory);
    free(device);
}

uint64_t tw_api_alloc(tw_device *device, uint64_t bytes, const char *name)
{
    return device->gpu != NULL ? tw_gpu_alloc(device->gpu, bytes) : tw_memory_alloc(device->memory, bytes, name);
}

uint64_t tw_api_used(const tw_device *device)
{
    return device->gpu != NULL ? tw_gpu_used(device->gpu) : tw_memory_used(device->memory);
}

tw_status tw_alloc(tw_device *device, uint64_t bytes, uint64_t *address)
{
    *address = tw_api_alloc(device, bytes, NULL);
    return *address == 0 ? TW_LIMIT : TW_OK;
}

tw_status tw_free(tw_device *device, uint64_t address)
{
    const bool freed = device->gpu != NULL ? tw_gpu_release(device->gpu, address) : tw_memory_release(device->memory, address);
    return freed ? TW_OK : TW_ERROR;
}

tw_status tw_write(tw_device *device, uint64_t address, const void *from, uint64_t bytes)
{
    if (device->gpu != NULL)
        return tw_gpu_write(device->gpu, address, from, bytes) ? TW_OK : TW_ERROR;
    unsigned char *at = tw_memory_at(device->memory, address, bytes);
    if (at == NULL)
        return TW_ERROR;
    memcpy(at, from, bytes);
    return TW_OK;
}

tw_status tw_read(tw_device *device, uint64_t address, void *to, uint64_t bytes)
{
    if (device->gpu != NULL)
        return tw_gpu_read(device->gpu, address, to, bytes) ? TW_OK : TW_ERROR;
    const unsigned char *at = tw_memory_at(device->memory, address, bytes);
    if (at == NULL)
        return TW_ERROR;
    memcpy(to, at, bytes);
    return TW_OK;
}

struct create_call {
    tw_device *device;
    tw_module *module;
    const tw_launch_opts *opts;
    tw_launch *made;
};

/* The machine counts time in whole nanoseconds. */
static uint64_t nanoseconds(void *context)
{
    const tw_launch_opts *opts = context;
    return (uint64_t)(opts->now(opts->user) * 1e9);
}

static void print(void *context, struct str text)
{
    const tw_launch_opts *opts = context;
    opts->print(opts->print_user, text.at, text.len);
}

/* Why the machine refused: its input is wrong, or a limit was hit; diagnostic `from` is the first that it made. */
static tw_status refusal(const struct diags *diags, uint32_t from)
{
    for (uint32_t i = from; i < diags->list.len; i++)
        if (diags->list.at[i]->code == E0707)
            return TW_LIMIT;
    return TW_ERROR;
}

static tw_status create(void *argument)
{
    struct create_call *call = argument;
    if (call->device->gpu != NULL)
        return tw_api_gpu_launch(call->device, call->module, call->opts, call->made);
    tw_ctx *ctx = call->device->ctx;
    const uint32_t from = ctx->diags.list.len;
    struct arena *arena = &call->made->arena;
    const struct ptx_func *entry = tw_api_find_entry(ctx, call->module->ptx, call->opts->entry, (struct src_span){0});
    if (entry == NULL)
        return TW_ERROR;
    const struct program *program = tw_program_load(arena, &ctx->diags, call->module->ptx, call->device->memory);
    if (program == NULL)
        return refusal(&ctx->diags, from);
    tw_launch_opts *opts = arena_new(arena, tw_launch_opts, 1);
    *opts = *call->opts;
    const bool timed = opts->now != NULL && opts->max_seconds > 0;
    enum { MOST_SECONDS = 1000000000 }; /* what 64 bits of nanoseconds hold, and thirty years */
    const double seconds = opts->max_seconds < MOST_SECONDS ? opts->max_seconds : MOST_SECONDS;
    struct launch_spec spec = {
        .dynamic_shared_bytes = opts->dynamic_shared_bytes,
        .sm = call->device->sm,
        .params = opts->params,
        .param_bytes = (uint32_t)opts->param_bytes,
        .seed = opts->seed,
        .max_steps = opts->max_steps,
        .max_memory = call->device->max_memory,
        .max_nanoseconds = timed ? (uint64_t)(seconds * 1e9) : 0,
        .clock = timed ? nanoseconds : NULL,
        .clock_context = opts,
        .threads = opts->threads,
        .print = opts->print == NULL ? NULL : print,
        .print_context = opts,
        .report = opts->report,
    };
    if (opts->hazards && tw_hazards_possible(call->module->ptx)) {
        call->made->hazards = tw_hazards_new();
        if (call->made->hazards == NULL)
            return TW_NO_MEMORY;
        spec.observer = tw_hazards_observer(call->made->hazards);
    }
    memcpy(spec.grid, opts->grid, sizeof spec.grid);
    memcpy(spec.block, opts->block, sizeof spec.block);
    memcpy(spec.cluster, opts->cluster, sizeof spec.cluster);
    call->made->launch = tw_launch_new(program, entry->name, &spec, &ctx->diags);
    return call->made->launch == NULL ? refusal(&ctx->diags, from) : TW_OK;
}

tw_status tw_launch_create(tw_device *device, tw_module *module, const tw_launch_opts *opts, tw_launch **out)
{
    *out = NULL;
    tw_launch *made = calloc(1, sizeof *made);
    if (made == NULL)
        return TW_NO_MEMORY;
    made->ctx = device->ctx;
    tw_arena_init(&made->arena, &device->ctx->landing, 0);
    struct create_call call = {device, module, opts, made};
    const tw_status status = tw_api_guard(device->ctx, create, &call);
    if (status == TW_OK)
        *out = made;
    else
        tw_launch_destroy(made);
    return status;
}

struct step_call {
    tw_launch *launch;
    uint64_t steps;
    enum launch_status status;
};

/* Once, when the launch has ended in whatever way. */
static tw_status report_hazards(tw_launch *launch)
{
    struct diags *const diags = &launch->ctx->diags;
    const unsigned errors = diags->error_count;
    const bool whole = tw_hazards_report(launch->hazards, launch->launch, diags);
    tw_hazards_free(launch->hazards);
    launch->hazards = NULL;
    launch->unordered = diags->error_count != errors;
    return whole ? TW_OK : TW_NO_MEMORY;
}

static tw_status step(void *argument)
{
    struct step_call *call = argument;
    if (call->launch->gpu != NULL)
        return tw_api_gpu_run(call->launch);
    call->status = tw_launch_step(call->launch->launch, call->steps);
    return call->status == LAUNCH_RUNNING || call->launch->hazards == NULL ? TW_OK : report_hazards(call->launch);
}

tw_status tw_launch_run(tw_launch *launch, uint64_t steps)
{
    static const tw_status answers[] = {
        [LAUNCH_RUNNING] = TW_RUNNING, [LAUNCH_FINISHED] = TW_OK, [LAUNCH_FAULT] = TW_ERROR,
        [LAUNCH_DEADLOCK] = TW_ERROR,  [LAUNCH_LIMIT] = TW_LIMIT,
    };
    struct step_call call = {launch, steps, LAUNCH_RUNNING};
    const tw_status status = tw_api_guard(launch->ctx, step, &call);
    if (status != TW_OK || launch->gpu != NULL)
        return status;
    return call.status == LAUNCH_FINISHED && launch->unordered ? TW_ERROR : answers[call.status];
}

void tw_launch_destroy(tw_launch *launch)
{
    if (launch == NULL)
        return;
    tw_gpu_launch_free(launch->gpu);
    if (launch->launch != NULL)
        tw_launch_free(launch->launch);
    tw_hazards_free(launch->hazards);
    tw_arena_release(&launch->arena);
    free(launch);
}

void tw_launch_read_stats(const tw_launch *launch, tw_launch_stats *out)
{
    if (launch->gpu != NULL) {
        *out = (tw_launch_stats){.ctas_done = launch->ctas_done, .ctas = launch->ctas};
        return;
    }
    const struct launch_progress p = tw_launch_progress(launch->launch);
    *out = (tw_launch_stats){.steps = p.warp_steps, .ctas_done = p.ctas_done, .ctas = p.ctas_total};
}

struct report_call {
    tw_launch *launch;
    tw_style style;
    const char *text;
};

static tw_status report(void *argument)
{
    struct report_call *call = argument;
    if (call->launch->gpu != NULL)
        return TW_ERROR;
    struct text t;
    tw_text_init(&t, &call->launch->arena);
    if (call->launch->launch == NULL || !tw_launch_summary(call->launch->launch, call->style == TW_JSON, &t))
        return TW_ERROR;
    call->text = t.at;
    return TW_OK;
}

tw_status tw_launch_report(tw_launch *launch, tw_style style, const char **text)
{
    struct report_call call = {launch, style, NULL};
    const tw_status status = tw_api_guard(launch->ctx, report, &call);
    *text = call.text;
    return status;
}
