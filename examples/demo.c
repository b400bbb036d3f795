/* The demo: compiles the two example kernels, runs them on the CPU and compares with a plain product.
 *
 * For each kernel it prints the instructions emitted, what ptxas says where it is installed, the largest
 * difference from the product computed here in double, and the time. Uses the public API alone, so it also
 * serves as an example of it: compile, device, arguments by name, launch, read back. */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct demo {
    const char *title, *path, *arch;
    int m, n, k;
    /* Reads element (row, k) of an operand tensor. */
    double (*element)(const unsigned char *tensor, int rows, int k_total, int row, int k);
    bool has_c;
};

static double bfloat16(unsigned word)
{
    const uint32_t bits = (uint32_t)word << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* (rows, K) bfloat16, row-major */
static double plain_element(const unsigned char *t, int rows, int k_total, int row, int k)
{
    (void)rows;
    uint16_t word;
    memcpy(&word, t + 2 * ((size_t)row * (size_t)k_total + (size_t)k), sizeof word);
    return bfloat16(word);
}

/* (steps, rows, 4) words of two bfloat16 values: step k / 8, word k % 8 / 2, low half first */
static double packed_element(const unsigned char *t, int rows, int k_total, int row, int k)
{
    (void)k_total;
    const size_t word_index = ((size_t)(k / 8) * (size_t)rows + (size_t)row) * 4 + (size_t)(k % 8 / 2);
    uint32_t word;
    memcpy(&word, t + 4 * word_index, sizeof word);
    return bfloat16(k % 2 == 0 ? word & 0xffff : word >> 16);
}

static const struct demo demos[] = {
    {"tensor_mma: tcgen05.mma, 128 x 32 x 128, bfloat16", "examples/tensor_mma.py", "sm_100a", 128, 32, 128, plain_element, false},
    {"warp_mma: mma.sync, 16 x 8 x 24, bfloat16", "examples/warp_mma.py", "sm_80", 16, 8, 24, packed_element, true},
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Quarters from -1 to 1: exact in bfloat16, and so are the sums of their products in float32. */
static uint16_t quarter(uint32_t *state)
{
    static const uint16_t words[9] = {0xbf80, 0xbf40, 0xbf00, 0xbe80, 0, 0x3e80, 0x3f00, 0x3f40, 0x3f80};
    *state = *state * 1664525u + 1013904223u;
    return words[(*state >> 16) % 9];
}

static unsigned char *fill_operand(tw_device *device, tw_args *args, const char *name, uint32_t seed)
{
    uint64_t address, bytes;
    if (tw_args_tensor(args, name, &address, &bytes) != TW_OK)
        return NULL;
    unsigned char *host = malloc(bytes);
    for (uint64_t i = 0; host != NULL && i + 1 < bytes; i += 2) {
        const uint16_t word = quarter(&seed);
        memcpy(host + i, &word, sizeof word);
    }
    if (host != NULL)
        tw_write(device, address, host, bytes);
    return host;
}

static float *read_floats(tw_device *device, tw_args *args, const char *name)
{
    uint64_t address, bytes;
    if (tw_args_tensor(args, name, &address, &bytes) != TW_OK)
        return NULL;
    float *host = malloc(bytes);
    if (host != NULL)
        tw_read(device, address, host, bytes);
    return host;
}

static double largest_difference(const struct demo *d, const unsigned char *a, const unsigned char *b, const float *c,
                                 const float *out)
{
    double largest = 0;
    for (int m = 0; m < d->m; m++)
        for (int n = 0; n < d->n; n++) {
            double sum = c == NULL ? 0 : (double)c[m * d->n + n];
            for (int k = 0; k < d->k; k++)
                sum += d->element(a, d->m, d->k, m, k) * d->element(b, d->n, d->k, n, k);
            double difference = sum - (double)out[m * d->n + n];
            difference = difference < 0 ? -difference : difference;
            if (!(difference <= largest))
                largest = difference;
        }
    return largest;
}

/* The tensor-core instructions among the opcodes, with their counts. */
static void print_opcodes(tw_module *module)
{
    const char *text;
    if (tw_module_opcodes(module, &text) != TW_OK)
        return;
    printf("  instructions:");
    const char *separator = " ";
    unsigned long others = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const unsigned long count = strtoul(line, NULL, 10);
        const char *name = strchr(line, ' ') + 1;
        if (strncmp(name, "tcgen05.", 8) != 0 && strncmp(name, "mma.", 4) != 0 && strncmp(name, "mbarrier.", 9) != 0) {
            others += count;
            continue;
        }
        printf("%s%lu x %.*s\n", separator, count, (int)strcspn(name, "\n"), name);
        separator = "                ";
    }
    printf("%s%lu others\n", separator, others);
}

static void print_verdict(tw_module *module, const char *arch)
{
    const char *ptx;
    size_t len;
    if (tw_module_text(module, TW_EMIT_PTX, &ptx, &len) != TW_OK)
        return;
    const int verdict = ask_ptxas(ptx, len, arch);
    printf("  ptxas:        %s\n", verdict < 0 ? "not run: not installed" : verdict ? "accepts it" : "REFUSES it");
}

static bool run_kernel(tw_ctx *ctx, const struct demo *d, tw_module *module)
{
    tw_device *device = NULL;
    tw_args *args = NULL;
    tw_launch *launch = NULL;
    bool ok = tw_device_create(ctx, NULL, &device) == TW_OK &&
              tw_args_create(device, module, NULL, NULL, NULL, 0, &args) == TW_OK;
    unsigned char *a = ok ? fill_operand(device, args, "A", 1) : NULL;
    unsigned char *b = ok ? fill_operand(device, args, "B", 2) : NULL;
    ok = ok && a != NULL && b != NULL && (!d->has_c || tw_args_fill(args, "C", "ints", 3) == TW_OK);
    float *c = ok && d->has_c ? read_floats(device, args, "C") : NULL;
    const double began = seconds();
    ok = ok && tw_args_launch(args, NULL, &launch) == TW_OK && tw_launch_run(launch, 0) == TW_OK;
    const double took = seconds() - began;
    float *out = ok ? read_floats(device, args, "Out") : NULL;
    if (out != NULL) {
        tw_launch_stats stats;
        tw_launch_read_stats(launch, &stats);
        const double difference = largest_difference(d, a, b, c, out);
        printf("  difference:   %g, the largest from the product in double\n", difference);
        printf("  time:         %.1f ms for %llu warp instructions\n", took * 1e3, (unsigned long long)stats.steps);
        ok = difference <= 0;
    }
    free(a), free(b), free(c), free(out);
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
    return ok;
}

static bool run_demo(const struct demo *d)
{
    struct file_bytes text;
    if (!file_read(d->path, &text))
        return false;
    printf("%s (%s)\n", d->title, d->path);
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    const double began = seconds();
    bool ok = ctx != NULL &&
              tw_compile(ctx, d->path, text.at, text.len, &(tw_compile_opts){.arch = d->arch}, &module) == TW_OK;
    if (ok) {
        printf("  compiled:     for %s in %.1f ms\n", d->arch, (seconds() - began) * 1e3);
        print_opcodes(module);
        print_verdict(module, d->arch);
        ok = run_kernel(ctx, d, module);
    }
    if (ctx != NULL)
        fputs(tw_diagnostics(ctx, TW_TEXT), stderr);
    printf("  %s\n\n", ok ? "as expected" : "NOT as expected");
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    free(text.at);
    return ok;
}

int main(void)
{
    bool ok = true;
    for (size_t i = 0; i < sizeof demos / sizeof demos[0]; i++)
        ok = run_demo(&demos[i]) && ok;
    return ok ? EXIT_DONE : EXIT_WRONG;
}
