/* run: a kernel or a .ptx file on the CPU machine, on a GPU or on both, with tensors from and to .npy files. */
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 256, MOST_DEVICES = 1023 };

struct run {
    const struct options *o;
    tw_ctx *ctx;
    tw_module *module;
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
    struct file_bytes text, contract;
    bool ptx;      /* the file is PTX, not a program */
    tw_launch_opts opts;
    tw_device_opts device_opts;
    char gpu_arch[16]; /* --compare: "sm_90" */
    double rtol, atol;
    struct tensor_uses uses;
};

static double seconds_now(void *user)
{
    (void)user;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the kernel prints is a result. */
static void print_text(void *user, const char *text, size_t len)
{
    (void)user;
    fwrite(text, 1, len, stdout);
}

static bool read_threads(struct run *r)
{
    uint64_t threads;
    if (!option_uint(r->o, OPT_THREADS, 1, &threads))
        return false;
    if (threads == 0 || threads > MOST_THREADS) {
        fprintf(stderr, "tilewright: --threads wants a number from 1 to %d, found '%s'\n", MOST_THREADS, option_text(r->o, OPT_THREADS));
        return false;
    }
    r->opts.threads = (unsigned)threads;
    return true;
}

/* cpu, cuda or cuda:N. */
static bool read_device(struct run *r)
{
    const char *text = option_text(r->o, OPT_DEVICE);
    if (text == NULL || strcmp(text, "cpu") == 0)
        return true;
    r->device_opts.kind = TW_DEVICE_CUDA;
    if (strcmp(text, "cuda") == 0)
        return true;
    char *end = NULL;
    const unsigned long ordinal = strncmp(text, "cuda:", 5) == 0 && text[5] >= '0' && text[5] <= '9' ? strtoul(text + 5, &end, 10) : 0;
    if (end == NULL || *end != '\0' || ordinal > MOST_DEVICES) {
        fprintf(stderr, "tilewright: --device wants cpu, cuda or cuda:N, found '%s'\n", text);
        return false;
    }
    r->device_opts.ordinal = (unsigned)ordinal;
    return true;
}

/* Options of the CPU machine mean nothing to a GPU alone. */
static bool check_device(const struct run *r)
{
    static const enum option_id cpu_options[] = {OPT_AS, OPT_SEED, OPT_THREADS, OPT_NO_HAZARDS, OPT_REPORT, OPT_MAX_STEPS, OPT_MAX_SECONDS};
    const bool gpu = r->device_opts.kind == TW_DEVICE_CUDA, both = option_given(r->o, OPT_COMPARE);
    if (both && !gpu && option_given(r->o, OPT_DEVICE)) {
        fprintf(stderr, "tilewright: --compare runs on the CPU and on a GPU: --device names the GPU, cuda or cuda:N\n");
        return false;
    }
    for (size_t i = 0; i < sizeof cpu_options / sizeof cpu_options[0] && gpu && !both; i++)
        if (option_given(r->o, cpu_options[i])) {
            fprintf(stderr, "tilewright: %s is for the CPU machine; a GPU takes no such option\n", option_rows[cpu_options[i]].name);
            return false;
        }
    return true;
}

static bool read_numbers(struct run *r)
{
    const bool ok = read_device(r) && read_threads(r) && option_uint(r->o, OPT_SEED, 0, &r->opts.seed) &&
                    option_uint(r->o, OPT_MAX_STEPS, 0, &r->opts.max_steps) &&
                    option_uint(r->o, OPT_MAX_MEMORY, 0, &r->device_opts.max_memory) &&
                    option_double(r->o, OPT_MAX_SECONDS, 0, &r->opts.max_seconds) &&
                    option_double(r->o, OPT_RTOL, 0, &r->rtol) && option_double(r->o, OPT_ATOL, 0, &r->atol);
    r->device_opts.arch = option_text(r->o, OPT_AS);
    r->opts.now = seconds_now;
    r->opts.print = print_text;
    r->opts.report = option_given(r->o, OPT_REPORT);
    r->opts.hazards = !option_given(r->o, OPT_NO_HAZARDS);
    return ok;
}

/* What is wrong with an option is said before anything is read or run. */
static bool check_fills(const struct options *o)
{
    char kind[MOST_KIND];
    uint64_t seed;
    for (size_t i = 0; i < o->use_count; i++)
        if (o->uses[i].id == OPT_FILL && !parse_fill(o->uses[i].text, kind, &seed)) {
            fprintf(stderr, "tilewright: --fill wants NAME=KIND[:SEED], found '%s=%s'\n", o->uses[i].name, o->uses[i].text);
            return false;
        }
    return true;
}

static bool check_combination(const struct run *r)
{
    const bool ptx = r->ptx;
    const bool has_launch = option_given(r->o, OPT_LAUNCH);
    if (ptx && !has_launch) {
        fprintf(stderr, "tilewright: running PTX needs its launch contract: --launch FILE.json (docs/launch.md)\n");
        return false;
    }
    if (!options_fit(r->o, r->o->files[0], ptx))
        return false;
    if (!ptx && (has_launch || option_given(r->o, OPT_ENTRY))) {
        fprintf(stderr, "tilewright: --launch and --entry are for PTX; a kernel carries its own contract\n");
        return false;
    }
    return true;
}

static tw_status set_scalars(struct run *r)
{
    tw_status status = TW_OK;
    for (size_t i = 0; i < r->o->use_count && status == TW_OK; i++)
        if (r->o->uses[i].id == OPT_SET)
            status = tw_args_set(r->args, r->o->uses[i].name, r->o->uses[i].text);
    return status;
}

static tw_status prepare(struct run *r)
{
    const char *const contract = option_text(r->o, OPT_LAUNCH);
    tw_status status = tw_device_create(r->ctx, &r->device_opts, &r->device);
    if (status == TW_OK)
        status = tw_args_create(r->device, r->module, option_text(r->o, OPT_ENTRY), contract == NULL ? NULL : file_title(contract),
                                r->contract.at, r->contract.len, &r->args);
    if (status == TW_OK && !tensor_uses_make(&r->uses, r->o, r->args, r->rtol, r->atol))
        status = TW_NO_MEMORY;
    if (status == TW_OK)
        status = tensor_uses_before(&r->uses, r->args);
    return status == TW_OK ? set_scalars(r) : status;
}

static tw_status launch(struct run *r)
{
    enum { FIRST_STEPS = 100000 };
    tw_status status = tw_args_launch(r->args, &r->opts, &r->launch);
    if (status != TW_OK)
        return status;
    const bool watched = isatty(STDERR_FILENO) && !option_given(r->o, OPT_JSON);
    double last = seconds_now(NULL);
    struct progress progress = progress_begin(watched ? stderr : NULL, last);
    for (uint64_t steps = FIRST_STEPS; (status = tw_launch_run(r->launch, steps)) == TW_RUNNING;) {
        const double now = seconds_now(NULL);
        tw_launch_stats stats;
        tw_launch_read_stats(r->launch, &stats);
        progress_look(&progress, &stats, now);
        steps = progress_steps(steps, now - last);
        last = now;
    }
    progress_end(&progress);
    return status;
}

static void end_device(struct run *r)
{
    tw_launch_destroy(r->launch);
    tensor_uses_free(&r->uses);
    tw_args_destroy(r->args);
    tw_device_destroy(r->device);
}

static void print_gpu(const struct run *gpu)
{
    tw_launch_stats s;
    tw_device_info info;
    tw_launch_read_stats(gpu->launch, &s);
    tw_device_read_info(gpu->device, &info);
    const unsigned version = info.driver_version;
    if (option_given(gpu->o, OPT_JSON))
        printf("{\"ctas\": %llu, \"device\": \"%s\", \"cuda\": \"%u.%u\"}\n", (unsigned long long)s.ctas, info.name,
               version / 1000, version % 1000 / 10);
    else
        printf("done: %llu CTA%s on %s (sm_%u), driver for CUDA %u.%u\n", (unsigned long long)s.ctas, s.ctas == 1 ? "" : "s",
               info.name, info.sm, version / 1000, version % 1000 / 10);
}

static void print_comparison(const struct run *gpu, const tw_difference *difference)
{
    const unsigned long long elements = difference->elements, differing = difference->differing;
    if (option_given(gpu->o, OPT_JSON))
        printf("{\"elements\": %llu, \"differing\": %llu, \"largest_difference\": %g}\n", elements, differing, difference->max_abs);
    else if (differing == 0)
        printf("equal: %llu element%s\n", elements, elements == 1 ? "" : "s");
    else
        printf("different: %llu of %llu element%s, largest difference %g\n", differing, elements, elements == 1 ? "" : "s",
               difference->max_abs);
}

/* Said where the module was made for another GPU than the one that it was computed as. */
static void print_architecture(const struct run *r)
{
    const char *target = tw_module_target(r->module), *as = r->device_opts.arch;
    unsigned sm = 0;
    tw_device_info info;
    tw_device_read_info(r->device, &info);
    if (!option_given(r->o, OPT_JSON) && sscanf(target, "sm_%u", &sm) == 1 && sm != info.sm)
        printf("the CPU machine computed as %s; the module's target is %s\n", as, target);
}

/* A GPU compiles PTX for what it is, so the CPU machine computes as that GPU does unless it is told otherwise. */
static void compute_as(struct run *r, const struct run *gpu)
{
    tw_device_info info;
    tw_device_read_info(gpu->device, &info);
    snprintf(r->gpu_arch, sizeof r->gpu_arch, "sm_%u", info.sm);
    if (r->device_opts.arch == NULL)
        r->device_opts.arch = r->gpu_arch;
}

/* The same module and inputs on a GPU. It is opened first: where there is none, nothing has to run to find out. */
static tw_status run_both(struct run *r)
{
    struct run gpu = *r;
    tw_difference difference = {0};
    gpu.device_opts.kind = TW_DEVICE_CUDA;
    r->device_opts.kind = TW_DEVICE_CPU;
    tw_status status = prepare(&gpu);
    if (status == TW_OK) {
        compute_as(r, &gpu);
        status = prepare(r);
    }
    if (status == TW_OK)
        status = launch(r);
    if (status == TW_OK)
        status = launch(&gpu);
    if (status == TW_OK) {
        print_gpu(&gpu);
        status = tw_args_compare_bits(r->args, gpu.args, &difference);
        print_comparison(&gpu, &difference);
        print_architecture(r);
    }
    end_device(&gpu);
    return status;
}

/* A run with hazards has come to its end, unlike one with a fault: its results can be looked at. */
static bool came_to_end(const struct run *r, tw_status status)
{
    tw_launch_stats s = {0};
    if (r->launch != NULL)
        tw_launch_read_stats(r->launch, &s);
    const bool watched = r->opts.hazards && !option_given(r->o, OPT_COMPARE);
    return status == TW_OK || (status == TW_ERROR && watched && s.ctas != 0 && s.ctas_done == s.ctas);
}

static tw_status run_one(struct run *r)
{
    const tw_status status = prepare(r);
    return status == TW_OK ? launch(r) : status;
}

static void print_result(const struct run *r)
{
    if (r->device_opts.kind == TW_DEVICE_CUDA) {
        print_gpu(r);
        return;
    }
    tw_launch_stats s;
    const char *report = "";
    const bool json = option_given(r->o, OPT_JSON), wanted = option_given(r->o, OPT_REPORT);
    tw_launch_read_stats(r->launch, &s);
    if (wanted && tw_launch_report(r->launch, json ? TW_JSON : TW_TEXT, &report) != TW_OK)
        report = "memory is exhausted: no report\n";
    if (json)
        printf("{\"ctas\": %llu, \"warp_instructions\": %llu%s%s}\n", (unsigned long long)s.ctas, (unsigned long long)s.steps,
               wanted ? ", \"report\": " : "", report);
    else
        printf("done: %llu CTA%s, %llu warp instruction%s\n%s", (unsigned long long)s.ctas, s.ctas == 1 ? "" : "s",
               (unsigned long long)s.steps, s.steps == 1 ? "" : "s", report);
}

static int run_all(struct run *r)
{
    const char *contract = option_text(r->o, OPT_LAUNCH);
    if (r->text.at == NULL && !file_read(r->o->files[0], &r->text))
        return EXIT_WRONG;
    if (contract != NULL && !file_read(contract, &r->contract))
        return EXIT_WRONG;
    r->ctx = open_context();
    if (r->ctx == NULL)
        return EXIT_LIMIT;
    tw_status status = load_module(r->ctx, r->o, r->o->files[0], &r->text, &r->module);
    if (status == TW_OK && r->opts.hazards && r->device_opts.kind == TW_DEVICE_CPU)
        status = tw_module_check(r->module);
    if (status == TW_OK)
        status = option_given(r->o, OPT_COMPARE) ? run_both(r) : run_one(r);
    if (came_to_end(r, status)) {
        const tw_status outputs = tensor_uses_after(&r->uses, r->args);
        status = status == TW_OK ? outputs : status;
    }
    const int code = finish(r->ctx, r->o, status);
    if (code == EXIT_DONE)
        print_result(r);
    return code;
}

int command_run(const struct options *o)
{
    struct run r = {.o = o, .ptx = is_ptx(o->files[0])};
    if (!read_numbers(&r) || !check_device(&r) || !check_fills(o))
        return EXIT_USAGE;
    if (!r.ptx && !file_read(o->files[0], &r.text)) /* its text says whether it is PTX */
        return EXIT_WRONG;
    r.ptx = is_ptx_text(o->files[0], &r.text);
    const int code = check_combination(&r) ? run_all(&r) : EXIT_USAGE;
    end_device(&r);
    tw_module_destroy(r.module);
    tw_ctx_destroy(r.ctx);
    free(r.text.at);
    free(r.contract.at);
    return code;
}
