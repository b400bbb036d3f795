/* Opening: the driver's library, its entry points, a device and a context of our own. */
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *symbol;
    size_t offset;
} calls[] = {
#define CALL(symbol, member, parameters) {#symbol, offsetof(struct cuda_api, member)},
    TW_CUDA_CALLS(CALL)
#undef CALL
};

/* Function pointers travel as bytes: ISO C converts no object pointer to one. */
static bool load_calls(struct gpu *gpu, const char *driver, struct diags *diags)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *const at = dlsym(gpu->library, calls[i].symbol);
        if (at == NULL) {
            struct diag *d = tw_diag(diags, E0641, (struct src_span){0}, "%s has no entry point %s", driver, calls[i].symbol);
            tw_diag_expected(d, "a driver for CUDA 12.0 or later");
            tw_diag_fix(d, "update NVIDIA's driver, or run on the CPU machine: --device cpu");
            return false;
        }
        memcpy((char *)&gpu->api + calls[i].offset, &at, sizeof at);
    }
    return true;
}

static bool load_library(struct gpu *gpu, const char *driver, struct diags *diags)
{
    gpu->library = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    if (gpu->library != NULL)
        return load_calls(gpu, driver, diags);
    struct diag *d = tw_diag(diags, E0640, (struct src_span){0}, "there is no CUDA driver on this machine");
    tw_diag_expected(d, "the library %s, which NVIDIA's driver installs", driver);
    tw_diag_found(d, "no library of that name can be opened");
    tw_diag_fix(d, "run on the CPU machine (--device cpu, without --compare), or on a machine with an NVIDIA GPU");
    return false;
}

void tw_gpu_add_result(const struct gpu *gpu, struct diag *d, cuda_result result)
{
    const char *name = NULL, *text = NULL;
    if (gpu->api.error_name(result, &name) != CUDA_DONE || name == NULL)
        name = "unknown error";
    if (gpu->api.error_string(result, &text) != CUDA_DONE || text == NULL)
        text = "no text";
    tw_diag_found(d, "%s (%d): %s", name, result, text);
}

static bool refuse(const struct gpu *gpu, struct diags *diags, const char *call, cuda_result result)
{
    struct diag *d = tw_diag(diags, E0642, (struct src_span){0}, "the CUDA driver cannot be used: %s failed", call);
    tw_gpu_add_result(gpu, d, result);
    tw_diag_fix(d, "see that nvidia-smi lists the GPU, or run on the CPU machine: --device cpu");
    return false;
}

static bool choose_device(struct gpu *gpu, unsigned ordinal, struct diags *diags, cuda_device *device)
{
    int count = 0;
    const cuda_result counted = gpu->api.device_count(&count);
    if (counted != CUDA_DONE)
        return refuse(gpu, diags, "cuDeviceGetCount", counted);
    if (count > 0 && ordinal < (unsigned)count) {
        const cuda_result got = gpu->api.device_get(device, (int)ordinal);
        return got == CUDA_DONE || refuse(gpu, diags, "cuDeviceGet", got);
    }
    struct diag *d = tw_diag(diags, E0643, (struct src_span){0}, "there is no CUDA device %u", ordinal);
    if (count > 0)
        tw_diag_expected(d, "a number from 0 to %d", count - 1);
    tw_diag_found(d, "%d device%s", count, count == 1 ? "" : "s");
    return false;
}

static bool open_device(struct gpu *gpu, unsigned ordinal, struct diags *diags)
{
    cuda_device device = 0;
    int major = 0, minor = 0;
    cuda_result result = gpu->api.init(0);
    if (result != CUDA_DONE)
        return refuse(gpu, diags, "cuInit", result);
    if (!choose_device(gpu, ordinal, diags, &device))
        return false;
    gpu->api.version(&gpu->version);
    gpu->api.device_name(gpu->name, (int)sizeof gpu->name, device);
    gpu->api.device_attribute(&major, CUDA_DEVICE_MAJOR, device);
    gpu->api.device_attribute(&minor, CUDA_DEVICE_MINOR, device);
    gpu->sm = (unsigned)(major * 10 + minor);
    result = gpu->api.context_create(&gpu->context, 0, device);
    if (result != CUDA_DONE) {
        gpu->context = NULL;
        return refuse(gpu, diags, "cuCtxCreate", result);
    }
    void *ours; /* a new context is current: the thread gets back what it had */
    return gpu->api.context_pop(&ours) == CUDA_DONE;
}

bool tw_gpu_open(const struct gpu_opts *opts, struct diags *diags, struct gpu **out)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    *out = gpu;
    if (gpu == NULL)
        return false;
    gpu->max_memory = opts->max_memory == 0 ? UINT64_MAX : opts->max_memory;
    return load_library(gpu, opts->driver == NULL ? TW_GPU_DRIVER : opts->driver, diags) &&
           open_device(gpu, opts->ordinal, diags);
}

void tw_gpu_close(struct gpu *gpu)
{
    if (gpu == NULL)
        return;
    if (gpu->context != NULL)
        gpu->api.context_destroy(gpu->context); /* its memory and modules go with it */
    for (struct gpu_block *b = gpu->blocks, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    if (gpu->library != NULL)
        dlclose(gpu->library);
    free(gpu);
}

bool tw_gpu_enter(struct gpu *gpu)
{
    return gpu->api.context_push(gpu->context) == CUDA_DONE;
}

void tw_gpu_leave(struct gpu *gpu)
{
    void *ours;
    gpu->api.context_pop(&ours);
}

const char *tw_gpu_name(const struct gpu *gpu)
{
    return gpu->name;
}

unsigned tw_gpu_sm(const struct gpu *gpu)
{
    return gpu->sm;
}

unsigned tw_gpu_driver_version(const struct gpu *gpu)
{
    return (unsigned)gpu->version;
}
