/* Kernels that move data through tile.apply, in tests: a text is compiled, assembled where ptxas is installed, and run on bytes of
 * the test's own; the bytes that it leaves are compared with what the test says. */
#ifndef TW_TESTS_API_MOVEMENT_H
#define TW_TESTS_API_MOVEMENT_H

#include "support/check.h"

#include "emit/assemble.h"
#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>

/* One tensor of a launch: its bytes before, and room for those after. */
struct move_tensor {
    const char *name;
    void *bytes;
    size_t len;
};

static inline void expect_arrives(tw_ctx *ctx, tw_module *module, const char *what, struct move_tensor *tensors, size_t count)
{
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
    uint64_t address, bytes;
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
    assert_int_equal(tw_args_create(device, module, NULL, NULL, NULL, 0, &args), TW_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tw_args_tensor(args, tensors[i].name, &address, &bytes), TW_OK);
        if (bytes != tensors[i].len)
            fail_msg("%s: '%s' has %llu bytes, the test %zu", what, tensors[i].name, (unsigned long long)bytes, tensors[i].len);
        assert_int_equal(tw_write(device, address, tensors[i].bytes, bytes), TW_OK);
    }
    assert_int_equal(tw_args_launch(args, NULL, &launch), TW_OK);
    if (tw_launch_run(launch, 0) != TW_OK)
        fail_msg("%s\n%s", what, tw_diagnostics(ctx, TW_TEXT));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tw_args_tensor(args, tensors[i].name, &address, &bytes), TW_OK);
        assert_int_equal(tw_read(device, address, tensors[i].bytes, bytes), TW_OK);
    }
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
}

/* Compiles without a word, assembles, and runs. `needle` must stand in the PTX `count_of` times. */
static inline void run_movement(const char *what, const char *text, const char *arch, const char *needle, uint32_t count_of,
                                struct move_tensor *tensors, size_t count)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module;
    const char *ptx;
    size_t len;
    if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = arch}, &module) != TW_OK ||
        tw_diagnostics(ctx, TW_TEXT)[0] != '\0')
        fail_msg("%s\n%s%s", what, tw_diagnostics(ctx, TW_TEXT), text);
    assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &ptx, &len), TW_OK);
    if (count_text(ptx, needle) != count_of)
        fail_msg("%s: '%s' stands in the PTX %u times, and %u were asked for", what, needle, count_text(ptx, needle), count_of);
    assembles(ptx, arch);
    expect_arrives(ctx, module, what, tensors, count);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

static inline void expect_bytes(const char *what, const void *got, const void *want, size_t len)
{
    const uint8_t *a = got, *b = want;
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            fail_msg("%s: byte %zu is %02x, not %02x", what, i, a[i], b[i]);
}

/* Bytes that all differ from their neighbours, whatever the width they are taken in. */
static inline void fill_bytes(void *to, size_t len, uint32_t seed)
{
    uint8_t *at = to;
    for (size_t i = 0; i < len; i++) {
        const uint32_t x = ((uint32_t)i + seed) * 2654435761u;
        at[i] = (uint8_t)(x >> 24 ^ x >> 11);
    }
}

static inline void say_if_not_assembled(void)
{
    if (!have_ptxas())
        printf("not run: ptxas is not installed\n");
}

#endif
