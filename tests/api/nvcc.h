/* nvcc in tests: CUDA text to PTX text, and one kernel run from two modules with every byte of every tensor compared. */
#ifndef TW_TESTS_API_NVCC_H
#define TW_TESTS_API_NVCC_H

#include "support/check.h"

#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline bool have_nvcc(void)
{
    static int known = -1;
    if (known < 0)
        known = system("nvcc --version > /dev/null 2>&1") == 0;
    if (known == 0)
        printf("not run: nvcc is not installed\n");
    return known == 1;
}

static inline char *read_whole(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long size = ftell(f);
    assert_true(size >= 0);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    return text;
}

/* What `nvcc -ptx` makes of the text; to be freed. It must take it without a word; -w among the flags silences its warnings. */
static inline char *nvcc_ptx(const char *what, const char *cuda, const char *arch, const char *flags)
{
    char folder[] = "/tmp/tilewright_XXXXXX", path[64], command[512];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/k.cu", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(cuda, 1, strlen(cuda), f), strlen(cuda));
    fclose(f);
    snprintf(command, sizeof command, "nvcc -ptx %s -arch=%s -o %s/k.ptx %s > %s/log 2>&1", flags, arch, folder, path, folder);
    const int status = system(command);
    snprintf(path, sizeof path, "%s/log", folder);
    char *log = read_whole(path);
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    char *ptx = status == 0 ? read_whole(path) : NULL;
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (status != 0 || log[0] != '\0')
        fail_msg("%s: nvcc says\n%s\nof\n%s", what, log, cuda);
    free(log);
    return ptx;
}

/* How one run ended. */
struct nvcc_run {
    tw_status status;
    uint8_t *bytes; /* of all tensors, one after another */
    size_t len;
    char diagnostics[2048];
};

static inline void keep_tensor(struct nvcc_run *r, tw_device *device, uint64_t address, uint64_t bytes)
{
    r->bytes = realloc(r->bytes, r->len + bytes + 1);
    assert_non_null(r->bytes);
    assert_int_equal(tw_read(device, address, r->bytes + r->len, bytes), TW_OK);
    r->len += bytes;
}

/* Tensor maps are made from the contract; they take no value. */
static inline bool is_tensor_map(const char *contract, const char *name)
{
    char row[256];
    snprintf(row, sizeof row, "{\"name\": \"%s\", \"kind\": \"tensor_map\"", name);
    return contract != NULL && strstr(contract, row) != NULL;
}

/* Every tensor is filled with `kind`, and scalars are set to `scalar`. */
static inline struct nvcc_run run_filled(tw_ctx *ctx, tw_module *module, const char *contract, const char *kind, const char *scalar,
                                         uint64_t seed)
{
    struct nvcc_run r = {.status = TW_OK};
    tw_device *device;
    tw_args *args;
    tw_launch *launch = NULL;
    uint64_t address, bytes;
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
    if (tw_args_create(device, module, NULL, "contract", contract, contract == NULL ? 0 : strlen(contract), &args) != TW_OK)
        fail_msg("%s", tw_diagnostics(ctx, TW_TEXT));
    for (size_t i = 0; i < tw_args_count(args); i++) {
        const char *name = tw_args_name(args, i);
        if (tw_args_tensor(args, name, &address, &bytes) == TW_OK)
            assert_int_equal(tw_args_fill(args, name, kind, seed + i), TW_OK);
        else
            (void)tw_args_set(args, name, scalar); /* a tensor map is neither */
    }
    tw_diagnostics_clear(ctx); /* a scalar is no tensor, and that was said */
    r.status = tw_args_launch(args, &(tw_launch_opts){.seed = seed, .max_steps = 100000000}, &launch);
    if (r.status == TW_OK)
        r.status = tw_launch_run(launch, 0);
    snprintf(r.diagnostics, sizeof r.diagnostics, "%s", tw_diagnostics(ctx, TW_TEXT));
    for (size_t i = 0; i < tw_args_count(args); i++)
        if (tw_args_tensor(args, tw_args_name(args, i), &address, &bytes) == TW_OK)
            keep_tensor(&r, device, address, bytes);
    tw_diagnostics_clear(ctx);
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
    return r;
}

/* Both modules from the same memory: they end alike and leave the same bytes. */
static inline void expect_same_bits(const char *what, tw_ctx *ctx, tw_module *ours, tw_module *nvcc, const char *contract,
                                    const char *kind, const char *scalar, uint64_t seed)
{
    struct nvcc_run a = run_filled(ctx, ours, contract, kind, scalar, seed);
    struct nvcc_run b = run_filled(ctx, nvcc, contract, kind, scalar, seed);
    if (a.status != TW_OK || b.status != TW_OK)
        fail_msg("%s, %s, seed %u: our PTX ends with %d\n%snvcc's with %d\n%s", what, kind, (unsigned)seed, (int)a.status,
                 a.diagnostics, (int)b.status, b.diagnostics);
    assert_int_equal(a.len, b.len);
    for (size_t i = 0; i < a.len; i++)
        if (a.bytes[i] != b.bytes[i])
            fail_msg("%s, %s, seed %u: byte %zu of the tensors is %02x by our PTX and %02x by nvcc's", what, kind, (unsigned)seed,
                     i, a.bytes[i], b.bytes[i]);
    free(a.bytes);
    free(b.bytes);
}

#endif
