/* Devices that are GPUs, and launches on them. Everything else of the API treats both kinds of device alike. */
#include "api/api.h"

#include <string.h>

struct open_call {
    tw_device *device;
    struct gpu_opts opts;
};

static tw_status open_gpu(void *argument)
{
    struct open_call *call = argument;
    tw_ctx *ctx = call->device->ctx;
    if (tw_gpu_open(&call->opts, &ctx->diags, &call->device->gpu))
        return TW_OK;
    return call->device->gpu == NULL ? TW_NO_MEMORY : TW_NO_DEVICE;
}

tw_status tw_api_gpu_open(tw_device *device, const tw_device_opts *opts)
{
    struct open_call call = {device, {opts->driver, opts->ordinal, opts->max_memory}};
    return tw_api_guard(device->ctx, open_gpu, &call);
}

void tw_device_read_info(const tw_device *device, tw_device_info *out)
{
    *out = (tw_device_info){.kind = TW_DEVICE_CPU, .name = "the CPU machine", .sm = device->sm};
    if (device->gpu != NULL)
        *out = (tw_device_info){TW_DEVICE_CUDA, tw_gpu_name(device->gpu), tw_gpu_sm(device->gpu), tw_gpu_driver_version(device->gpu)};
}

static uint64_t cta_count(const uint32_t grid[3])
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++)
        n *= grid[i] == 0 ? 1 : grid[i];
    return n;
}

static bool check_params(tw_ctx *ctx, const char *entry, const tw_launch_opts *opts, const struct param_layout *layout)
{
    if (opts->param_bytes == layout->bytes)
        return true;
    struct diag *d = tw_diag(&ctx->diags, E0645, (struct src_span){0}, "the parameter block does not fit entry '%s'", entry);
    tw_diag_expected(d, "%u bytes", layout->bytes);
    tw_diag_found(d, "%llu bytes", (unsigned long long)opts->param_bytes);
    return false;
}

tw_status tw_api_gpu_launch(tw_device *device, tw_module *module, const tw_launch_opts *opts, tw_launch *made)
{
    tw_ctx *ctx = device->ctx;
    const struct ptx_func *entry = tw_api_find_entry(ctx, module->ptx, opts->entry, (struct src_span){0});
    if (entry == NULL)
        return TW_ERROR;
    struct param_layout layout;
    if (!tw_module_params(&made->arena, module->ptx, entry->name, &ctx->diags, &layout) || !check_params(ctx, entry->name, opts, &layout))
        return TW_ERROR;
    uint32_t *const offsets = arena_new(&made->arena, uint32_t, layout.count + 1);
    for (uint32_t i = 0; i < layout.count; i++)
        offsets[i] = layout.slots[i].offset;
    struct gpu_launch_spec spec = {
        .ptx = module->ptx_text,
        .file_name = tw_sources_place(&ctx->sources, module->ptx->source, 0).name,
        .entry = entry->name,
        .explicit_cluster = entry->directives.explicitcluster,
        .dynamic_shared_bytes = opts->dynamic_shared_bytes,
        .params = opts->params,
        .param_bytes = opts->param_bytes,
        .param_offsets = offsets,
        .param_count = layout.count,
    };
    memcpy(spec.grid, opts->grid, sizeof spec.grid);
    memcpy(spec.block, opts->block, sizeof spec.block);
    memcpy(spec.cluster, opts->cluster, sizeof spec.cluster);
    if (opts->block[0] + opts->block[1] + opts->block[2] == 0) /* the kernel's own, as on the CPU machine */
        memcpy(spec.block, entry->directives.reqntid, sizeof spec.block);
    made->ctas = cta_count(opts->grid);
    made->gpu = tw_gpu_launch_new(device->gpu, &spec, &ctx->diags);
    return made->gpu == NULL ? TW_ERROR : TW_OK;
}

tw_status tw_api_gpu_run(tw_launch *launch)
{
    if (!tw_gpu_launch_run(launch->gpu, &launch->ctx->diags))
        return TW_ERROR;
    launch->ctas_done = launch->ctas;
    return TW_OK;
}
