#include "examples/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the lists ------------------------------------------------------------------------------------- */

static const struct example_list *const lists[] = {&tw_examples_tcgen05, &tw_examples_mma_sync, &tw_examples_tma};
enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

const struct example *tw_example_at(size_t index)
{
    for (size_t i = 0; i < LIST_COUNT; i++) {
        if (index < lists[i]->count)
            return &lists[i]->rows[index];
        index -= lists[i]->count;
    }
    return NULL;
}

const struct example *tw_example_find(const char *name)
{
    const struct example *e;
    for (size_t i = 0; (e = tw_example_at(i)) != NULL; i++)
        if (strstr(e->path, name) != NULL)
            return e;
    return NULL;
}

/* ---- references ------------------------------------------------------------------------------------ */

double tw_example_input(const struct example_data *d, int input, int row, int column)
{
    return d->value[input][(size_t)row * (size_t)d->of->inputs[input].columns + (size_t)column];
}

double tw_example_product(const struct example_data *d, int m, int n)
{
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].columns; k++)
        sum += tw_example_input(d, 0, m, k) * tw_example_input(d, 1, n, k);
    return sum;
}

static double scaled(const struct example_data *d, int m, int n, int block)
{
    double sum = 0;
    for (int k = 0; k < d->of->inputs[0].columns; k++)
        sum += tw_example_input(d, 0, m, k) * tw_example_input(d, 1, n, k) * tw_example_input(d, 2, m, k / block) *
               tw_example_input(d, 3, n, k / block);
    return sum;
}

double tw_example_scaled_by_32(const struct example_data *d, int m, int n)
{
    return scaled(d, m, n, 32);
}

double tw_example_scaled_by_16(const struct example_data *d, int m, int n)
{
    return scaled(d, m, n, 16);
}

double tw_example_saturated(const struct example_data *d, int m, int n)
{
    double sum = tw_example_input(d, 2, m, n);
    for (int k = 0; k < d->of->inputs[0].columns; k++) {
        sum += tw_example_input(d, 0, m, k) * tw_example_input(d, 1, n, k);
        if (k % 32 == 31)
            sum = sum > 2147483647.0 ? 2147483647.0 : sum < -2147483648.0 ? -2147483648.0 : sum;
    }
    return sum;
}

static size_t elements_of(const struct example_tensor *t)
{
    return (size_t)t->rows * (size_t)t->columns;
}

/* ---- inputs ---------------------------------------------------------------------------------------- */

static bool draw_input(struct example_data *d, int i, bool wide, uint32_t *state)
{
    const struct example_tensor *t = &d->of->inputs[i];
    const size_t elements = elements_of(t);
    d->input[i] = malloc(tw_example_bytes(t->format, elements));
    d->value[i] = malloc(elements * sizeof *d->value[i]);
    if (d->input[i] == NULL || d->value[i] == NULL)
        return false;
    tw_example_fill(t->format, wide && t->fill == EX_SMALL ? EX_WIDE : t->fill, d->input[i], elements, state);
    for (size_t at = 0; at < elements; at++)
        d->value[i][at] = tw_example_get(t->format, d->input[i], at);
    return true;
}

static bool draw_inputs(struct example_data *d, const struct example *e, bool wide, uint32_t seed)
{
    *d = (struct example_data){.of = e};
    for (int i = 0; i < EXAMPLE_INPUTS && e->inputs[i].name != NULL; i++)
        if (!draw_input(d, i, wide, &seed))
            return false;
    return true;
}

static void free_inputs(struct example_data *d)
{
    for (int i = 0; i < EXAMPLE_INPUTS; i++) {
        free(d->input[i]);
        free(d->value[i]);
    }
}

/* ---- running --------------------------------------------------------------------------------------- */

static bool tensor_fits(tw_args *args, const struct example_tensor *t, uint64_t *address)
{
    uint64_t bytes;
    return tw_args_tensor(args, t->name, address, &bytes) == TW_OK && bytes == tw_example_bytes(t->format, elements_of(t));
}

/* The kernel's arguments on a device, filled, and its launch, run to its end. */
static tw_args *run_on(tw_device *device, tw_module *module, const struct example_data *d, uint64_t seed)
{
    tw_args *args = NULL;
    tw_launch *launch = NULL;
    bool good = tw_args_create(device, module, NULL, NULL, NULL, 0, &args) == TW_OK;
    for (int i = 0; good && i < EXAMPLE_INPUTS && d->of->inputs[i].name != NULL; i++) {
        const struct example_tensor *t = &d->of->inputs[i];
        uint64_t address;
        good = tensor_fits(args, t, &address) &&
               tw_write(device, address, d->input[i], tw_example_bytes(t->format, elements_of(t))) == TW_OK;
    }
    good = good && tw_args_launch(args, &(tw_launch_opts){.seed = seed, .hazards = true}, &launch) == TW_OK && tw_launch_run(launch, 0) == TW_OK;
    tw_launch_destroy(launch);
    if (good)
        return args;
    tw_args_destroy(args);
    return NULL;
}

static bool differs(const struct example_output *o, double want, double found)
{
    return o->tolerance > 0 ? !(fabs(want - found) <= o->tolerance) : !(want >= found && want <= found);
}

static uint64_t differences(tw_device *device, tw_args *args, const struct example_data *d, const struct example_output *o)
{
    uint64_t address, count = 0;
    const size_t bytes = tw_example_bytes(o->tensor.format, elements_of(&o->tensor));
    unsigned char *host = malloc(bytes);
    if (host == NULL || !tensor_fits(args, &o->tensor, &address) || tw_read(device, address, host, bytes) != TW_OK) {
        free(host);
        return UINT64_MAX;
    }
    for (int row = 0; row < o->tensor.rows; row++)
        for (int column = 0; column < o->tensor.columns; column++) {
            const size_t index = (size_t)row * (size_t)o->tensor.columns + (size_t)column;
            count += differs(o, o->value(d, row, column), tw_example_get(o->tensor.format, host, index));
        }
    free(host);
    return count;
}

static uint64_t all_differences(tw_device *device, tw_args *args, const struct example_data *d)
{
    uint64_t count = 0;
    for (int i = 0; i < EXAMPLE_OUTPUTS && d->of->outputs[i].value != NULL && count != UINT64_MAX; i++) {
        const uint64_t more = differences(device, args, d, &d->of->outputs[i]);
        count = more == UINT64_MAX ? more : count + more;
    }
    return count;
}

uint64_t tw_example_run(tw_ctx *ctx, const struct example *e, tw_module *module, uint32_t fill_seed, uint64_t run_seed)
{
    struct example_data d;
    tw_device *device = NULL;
    tw_args *args = NULL;
    if (draw_inputs(&d, e, false, fill_seed) && tw_device_create(ctx, NULL, &device) == TW_OK)
        args = run_on(device, module, &d, run_seed);
    const uint64_t count = args == NULL ? UINT64_MAX : all_differences(device, args, &d);
    tw_args_destroy(args);
    tw_device_destroy(device);
    free_inputs(&d);
    return count;
}

tw_status tw_example_compare(tw_ctx *ctx, const struct example *e, tw_module *module, uint32_t fill_seed, tw_device *gpu)
{
    struct example_data d;
    tw_device *cpu = NULL;
    tw_args *here = NULL, *there = NULL;
    tw_difference difference;
    tw_status status = TW_ERROR;
    tw_device_info info;
    char arch[16];
    tw_device_read_info(gpu, &info);
    snprintf(arch, sizeof arch, "sm_%u", info.sm); /* a GPU computes as what it is, whatever older target the module has */
    if (draw_inputs(&d, e, true, fill_seed) && tw_device_create(ctx, &(tw_device_opts){.arch = arch}, &cpu) == TW_OK)
        here = run_on(cpu, module, &d, 0);
    if (here != NULL)
        there = run_on(gpu, module, &d, 0);
    if (there != NULL)
        status = tw_args_compare_bits(here, there, &difference);
    tw_args_destroy(there);
    tw_args_destroy(here);
    tw_device_destroy(cpu);
    free_inputs(&d);
    return status;
}
