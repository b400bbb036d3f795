/* The corpus on a GPU beside the CPU machine: with TW_CORPUS_GPU=FILE every kernel that the GPU can run is launched there with
 * the same text and contract, and FILE gets one line a kernel: equal, or how many elements differ and the first of them with
 * both bit patterns. A kernel that only another target runs is written as not run. */
#include "corpus/kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* The number of ".target sm_90a"; *specific: it has a suffix. */
static unsigned target_of(const struct kernel *k, bool *specific)
{
    const char *const at = strstr(k->ptx, ".target sm_");
    if (at == NULL)
        fail_msg("%s has no .target", k->name);
    char *end;
    const unsigned sm = (unsigned)strtoul(at + strlen(".target sm_"), &end, 10);
    *specific = *end == 'a' || *end == 'f';
    return sm;
}

/* Float operations that ptxas may fuse, and approximate ones, in the text. */
static void count_inexact(const struct kernel *k, unsigned *contractable, unsigned *approximate)
{
    static const char *const fusable[] = {"\tadd.f32 ", "\tsub.f32 ", "\tmul.f32 ", "\tadd.f16", "\tsub.f16", "\tmul.f16",
                                          "\tadd.f32x2 ", "\tmul.f32x2 ", "\tadd.f64 ", "\tmul.f64 "};
    static const char *const inexact[] = {".approx", "div.full", "\ttanh."};
    *contractable = *approximate = 0;
    for (size_t i = 0; i < COUNT(fusable); i++)
        for (const char *at = k->ptx; (at = strstr(at, fusable[i])) != NULL; at++)
            ++*contractable;
    for (size_t i = 0; i < COUNT(inexact); i++)
        for (const char *at = k->ptx; (at = strstr(at, inexact[i])) != NULL; at++)
            ++*approximate;
}

static void write_row(const struct kernel *k, const char *path, const char *result)
{
    unsigned contractable, approximate;
    count_inexact(k, &contractable, &approximate);
    FILE *const f = fopen(path, "a");
    if (f == NULL)
        fail_msg("%s cannot be written", path);
    fprintf(f, "%s %s: %s; %u contractable, %u approximate\n", k->name, k->entry, result, contractable, approximate);
    fclose(f);
}

/* One run there; the text of its result lives in the test's arena. */
struct gpu_run {
    struct kernel *k;
    tw_ctx *ctx;
    tw_module *module;
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
};

static void end_gpu(struct gpu_run *r)
{
    tw_launch_destroy(r->launch);
    tw_args_destroy(r->args);
    tw_device_destroy(r->device);
    tw_module_destroy(r->module);
    tw_ctx_destroy(r->ctx);
}

static tw_status write_tensors(struct gpu_run *r)
{
    tw_status status = TW_OK;
    for (uint32_t i = 0; i < r->k->argument_count && status == TW_OK; i++) {
        const struct argument *const a = &r->k->arguments[i];
        uint64_t address, bytes;
        if (!argument_has_memory(a))
            continue;
        status = tw_args_tensor(r->args, a->name, &address, &bytes);
        if (status == TW_OK)
            status = tw_write(r->device, address, a->before, bytes);
    }
    return status;
}

static tw_status run_there(struct gpu_run *r)
{
    const struct str contract = kernel_contract(r->k);
    tw_status status = tw_module_parse(r->ctx, r->k->name, r->k->ptx, strlen(r->k->ptx), &r->module);
    if (status == TW_OK)
        status = tw_device_create(r->ctx, &(tw_device_opts){.kind = TW_DEVICE_CUDA}, &r->device);
    if (status == TW_OK)
        status = tw_args_create(r->device, r->module, NULL, "launch.json", contract.at, contract.len, &r->args);
    if (status == TW_OK)
        status = write_tensors(r);
    if (status == TW_OK)
        status = tw_args_launch(r->args, NULL, &r->launch);
    return status == TW_OK ? tw_launch_run(r->launch, 0) : status;
}

/* Compares a tensor with the CPU's `after`: adds to the counts; the first difference goes to `first`. */
static void compare_tensor(struct gpu_run *r, const struct argument *a, uint64_t counts[2], struct text *first)
{
    uint64_t address, bytes;
    unsigned char *const there = arena_new(&r->k->room->arena, unsigned char, a->bytes + 1);
    if (tw_args_tensor(r->args, a->name, &address, &bytes) != TW_OK || tw_read(r->device, address, there, a->bytes) != TW_OK)
        fail_msg("%s: '%s' cannot be read from the GPU", r->k->name, a->name);
    const uint64_t width = a->count == 0 || a->bytes < a->count ? 1 : a->bytes / a->count;
    for (uint64_t at = 0; at < a->bytes; at += width) {
        counts[0]++;
        if (memcmp(a->after + at, there + at, width) == 0 || counts[1]++ != 0)
            continue;
        uint64_t cpu = 0, gpu = 0;
        memcpy(&cpu, a->after + at, width);
        memcpy(&gpu, there + at, width);
        tw_text_addf(first, "first '%s'[%llu]: CPU 0x%llx, GPU 0x%llx", a->name, (unsigned long long)(at / width),
                     (unsigned long long)cpu, (unsigned long long)gpu);
    }
}

static const char *result_of(struct gpu_run *r)
{
    struct arena *const arena = &r->k->room->arena;
    if (run_there(r) != TW_OK)
        return tw_format(arena, "FAILED there: %s", tw_diagnostics(r->ctx, TW_TEXT));
    uint64_t counts[2] = {0, 0};
    struct text first;
    tw_text_init(&first, arena);
    for (uint32_t i = 0; i < r->k->argument_count; i++)
        if (argument_has_memory(&r->k->arguments[i]) && r->k->arguments[i].output)
            compare_tensor(r, &r->k->arguments[i], counts, &first);
    if (counts[1] == 0)
        return tw_format(arena, "equal: %llu elements", (unsigned long long)counts[0]);
    return tw_format(arena, "differs: %llu of %llu elements, " STR_FMT, (unsigned long long)counts[1],
                     (unsigned long long)counts[0], STR_ARG(((struct str){first.at, first.len})));
}

/* What the GPU that is there is; 0: there is none. */
static unsigned device_sm(void)
{
    tw_ctx *const ctx = tw_ctx_create(NULL);
    tw_device *device = NULL;
    tw_device_info info = {0};
    if (ctx != NULL && tw_device_create(ctx, &(tw_device_opts){.kind = TW_DEVICE_CUDA}, &device) == TW_OK)
        tw_device_read_info(device, &info);
    const unsigned sm = info.sm;
    tw_device_destroy(device);
    tw_ctx_destroy(ctx);
    return sm;
}

bool kernel_gpu_wanted(struct kernel *k)
{
    const char *const path = getenv("TW_CORPUS_GPU");
    if (path == NULL)
        return false;
    const unsigned sm = device_sm();
    /* A GPU computes as what it is, whatever older target the file names: the machine must do the same. */
    k->compute_as = tw_format(&k->room->arena, "sm_%u", sm);
    bool specific;
    const unsigned target = target_of(k, &specific);
    if (sm != 0 && (specific ? target == sm : target <= sm))
        return true;
    const char *const why = sm == 0 ? "no GPU can be opened" : tw_format(&k->room->arena, "the GPU is sm_%u", sm);
    write_row(k, path, tw_format(&k->room->arena, "not run: %s", why));
    kernel_not_run(k, why);
}

void kernel_run_on_gpu(struct kernel *k)
{
    struct gpu_run r = {.k = k, .ctx = tw_ctx_create(NULL)};
    assert_non_null(r.ctx);
    const char *const result = result_of(&r);
    end_gpu(&r);
    write_row(k, getenv("TW_CORPUS_GPU"), result);
    if (strncmp(result, "FAILED", 6) == 0)
        fail_msg("%s: %s", k->name, result);
}
