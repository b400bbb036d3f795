/* A batch on a device by way of the public API: the same text and records wherever it runs. */
#include "silicon/silicon.h"

enum { PARAM_WORDS = 8 };

bool silicon_open(struct silicon_device *d, tw_device_kind kind)
{
    *d = (struct silicon_device){.ctx = tw_ctx_create(NULL)};
    const tw_device_opts opts = {.kind = kind, .arch = kind == TW_DEVICE_CPU ? SILICON_TARGET : NULL};
    if (d->ctx == NULL || tw_device_create(d->ctx, &opts, &d->device) != TW_OK) {
        silicon_close(d);
        return false;
    }
    tw_device_read_info(d->device, &d->info);
    return true;
}

void silicon_close(struct silicon_device *d)
{
    tw_device_destroy(d->device);
    tw_ctx_destroy(d->ctx);
    *d = (struct silicon_device){0};
}

struct params {
    uint64_t records;
    uint64_t pad;
    uint64_t words[PARAM_WORDS];
};

static tw_status launch(struct silicon_device *d, tw_module *module, uint64_t address, uint32_t warps)
{
    struct params params = {.records = address};
    struct dice dice = {2};
    for (int i = 0; i < PARAM_WORDS; i++)
        params.words[i] = roll_word(&dice);
    tw_launch *run = NULL;
    const tw_launch_opts opts = {.grid = {warps}, .block = {SILICON_LANES}, .params = &params, .param_bytes = sizeof params};
    tw_status status = tw_launch_create(d->device, module, &opts, &run);
    if (status == TW_OK)
        status = tw_launch_run(run, 0);
    tw_launch_destroy(run);
    return status;
}

bool silicon_run(struct silicon_device *d, const struct silicon_batch *b, const char *text, unsigned char *records, uint32_t warps,
                 const char **why)
{
    tw_module *module = NULL;
    uint64_t address = 0;
    const uint64_t bytes = (uint64_t)warps * SILICON_LANES * silicon_stride(b);
    tw_diagnostics_clear(d->ctx);
    tw_status status = tw_module_parse(d->ctx, "silicon.ptx", text, strlen(text), &module);
    if (status == TW_OK)
        status = tw_alloc(d->device, bytes, &address);
    if (status == TW_OK)
        status = tw_write(d->device, address, records, bytes);
    if (status == TW_OK)
        status = launch(d, module, address, warps);
    if (status == TW_OK)
        status = tw_read(d->device, address, records, bytes);
    if (status != TW_OK)
        *why = tw_format(b->arena, "%s", tw_diagnostics(d->ctx, TW_TEXT));
    if (address != 0)
        tw_free(d->device, address);
    tw_module_destroy(module);
    return status == TW_OK;
}
