/* A launch on a GPU: PTX text to a function, launch attributes, the run itself. */
#include "gpu/driver.h"

#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 8192, PORTABLE_CLUSTER = 8, PARAM_ALIGN = 128 };

struct gpu_launch {
    struct gpu *gpu;
    void *module, *function;
    const char *entry; /* lives in the diagnostics' arena, as messages do */
    struct cuda_launch_config config;
    struct cuda_launch_attribute cluster;
    void *params;
    void **param_at; /* one a parameter, into params */
};

/* The driver's log is lines; a diagnostic's field is one. */
static void join_lines(char *log)
{
    size_t end = strlen(log);
    while (end > 0 && (log[end - 1] == '\n' || log[end - 1] == ' '))
        log[--end] = '\0';
    for (char *c = log; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
}

static bool load_module(struct gpu_launch *l, const struct gpu_launch_spec *spec, struct diags *diags)
{
    struct gpu *gpu = l->gpu;
    char *const text = tw_arena_copy(diags->arena, spec->ptx.at, spec->ptx.len); /* ends in a NUL, as the driver wants it */
    char *const log = arena_new(diags->arena, char, LOG_BYTES);
    int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)};
    const cuda_result result = gpu->api.module_load(&l->module, text, 2, options, values);
    if (result == CUDA_DONE)
        return true;
    l->module = NULL;
    join_lines(log);
    struct diag *d = tw_diag(diags, E0644, (struct src_span){0}, "the CUDA driver refuses %s for %s (sm_%u)",
                             spec->file_name == NULL ? "the PTX" : spec->file_name, gpu->name, gpu->sm);
    tw_diag_expected(d, "PTX for .target sm_%ua, or for sm_%u or lower without a suffix", gpu->sm, gpu->sm);
    if (log[0] == '\0')
        tw_gpu_add_result(gpu, d, result);
    else
        tw_diag_found(d, "%s", log);
    return false;
}

static bool refuse_launch(const struct gpu_launch *l, struct diags *diags, const char *call, cuda_result result)
{
    const struct cuda_launch_config *c = &l->config;
    struct diag *d = tw_diag(diags, E0645, (struct src_span){0}, "the CUDA driver refuses to launch '%s': %s failed", l->entry, call);
    tw_gpu_add_result(l->gpu, d, result);
    tw_diag_note(d, (struct src_span){0}, "grid (%u, %u, %u), block (%u, %u, %u), cluster (%u, %u, %u), %u dynamic shared bytes",
                 c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], l->cluster.value.cluster[0],
                 l->cluster.value.cluster[1], l->cluster.value.cluster[2], c->dynamic_shared_bytes);
    return false;
}

/* Above 48 KiB of shared memory and above eight CTAs of a cluster a function has to ask. */
static bool set_attributes(struct gpu_launch *l, struct diags *diags)
{
    const struct cuda_api *api = &l->gpu->api;
    const unsigned *const cluster = l->cluster.value.cluster;
    cuda_result result = CUDA_DONE;
    if (l->config.dynamic_shared_bytes != 0)
        result = api->function_set(l->function, CUDA_FUNC_DYNAMIC_SHARED, (int)l->config.dynamic_shared_bytes);
    if (result == CUDA_DONE && (uint64_t)cluster[0] * cluster[1] * cluster[2] > PORTABLE_CLUSTER)
        result = api->function_set(l->function, CUDA_FUNC_ANY_CLUSTER, 1);
    return result == CUDA_DONE || refuse_launch(l, diags, "cuFuncSetAttribute", result);
}

/* The entry's own cluster size holds where the launch gives none. */
static void configure(struct gpu_launch *l, const struct gpu_launch_spec *spec)
{
    bool clustered = false;
    for (int i = 0; i < 3; i++) {
        l->config.grid[i] = spec->grid[i] == 0 ? 1 : spec->grid[i];
        l->config.block[i] = spec->block[i] == 0 ? 1 : spec->block[i];
        l->cluster.value.cluster[i] = spec->cluster[i] == 0 ? 1 : spec->cluster[i];
        clustered = clustered || spec->cluster[i] > (spec->explicit_cluster ? 0 : 1);
    }
    l->cluster.id = CUDA_LAUNCH_CLUSTER;
    l->config.dynamic_shared_bytes = spec->dynamic_shared_bytes;
    l->config.attributes = &l->cluster;
    l->config.attribute_count = clustered ? 1 : 0;
}

static bool copy_params(struct gpu_launch *l, const struct gpu_launch_spec *spec)
{
    const size_t room = (spec->param_bytes + PARAM_ALIGN) / PARAM_ALIGN * PARAM_ALIGN;
    l->params = aligned_alloc(PARAM_ALIGN, room);
    l->param_at = calloc((size_t)spec->param_count + 1, sizeof *l->param_at);
    if (l->params == NULL || l->param_at == NULL)
        return false;
    if (spec->param_bytes != 0)
        memcpy(l->params, spec->params, spec->param_bytes);
    for (uint32_t i = 0; i < spec->param_count; i++)
        l->param_at[i] = (char *)l->params + spec->param_offsets[i];
    return true;
}

static bool prepare(struct gpu_launch *l, const struct gpu_launch_spec *spec, struct diags *diags)
{
    if (!load_module(l, spec, diags))
        return false;
    configure(l, spec);
    const cuda_result found = l->gpu->api.module_function(&l->function, l->module, l->entry);
    if (found != CUDA_DONE)
        return refuse_launch(l, diags, "cuModuleGetFunction", found);
    return set_attributes(l, diags);
}

struct gpu_launch *tw_gpu_launch_new(struct gpu *gpu, const struct gpu_launch_spec *spec, struct diags *diags)
{
    struct gpu_launch *l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->gpu = gpu;
    l->entry = spec->entry;
    bool ok = copy_params(l, spec) && tw_gpu_enter(gpu);
    if (ok) {
        ok = prepare(l, spec, diags);
        tw_gpu_leave(gpu);
    }
    if (ok)
        return l;
    tw_gpu_launch_free(l);
    return NULL;
}

static bool run(struct gpu_launch *l, struct diags *diags)
{
    /* One pointer a parameter, rather than the block whole: the driver lays tensor maps out for the GPU by itself.
       MEASURED: H200, driver 580.159.04: a tensor map in a block given whole is an illegal instruction to the kernel. */
    cuda_result result = l->gpu->api.launch(&l->config, l->function, l->param_at, NULL);
    if (result != CUDA_DONE)
        return refuse_launch(l, diags, "cuLaunchKernelEx", result);
    result = l->gpu->api.synchronize();
    if (result == CUDA_DONE)
        return true;
    struct diag *d = tw_diag(diags, E0647, (struct src_span){0}, "the kernel '%s' failed on %s", l->entry, l->gpu->name);
    tw_gpu_add_result(l->gpu, d, result);
    tw_diag_fix(d, "run it on the CPU machine, which names the instruction: --device cpu");
    return false;
}

bool tw_gpu_launch_run(struct gpu_launch *l, struct diags *diags)
{
    if (!tw_gpu_enter(l->gpu))
        return false;
    const bool ok = run(l, diags);
    tw_gpu_leave(l->gpu);
    return ok;
}

void tw_gpu_launch_free(struct gpu_launch *l)
{
    if (l == NULL)
        return;
    if (l->module != NULL && tw_gpu_enter(l->gpu)) {
        l->gpu->api.module_unload(l->module);
        tw_gpu_leave(l->gpu);
    }
    free(l->params);
    free(l->param_at);
    free(l);
}
