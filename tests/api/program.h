/* Kernel programs run on the machine: what `Out` holds afterwards, or what is said when they do not compile.
 * Parameters named A, B, ... are filled with iota; Out starts at zero. */
#ifndef TW_TESTS_API_PROGRAM_H
#define TW_TESTS_API_PROGRAM_H

#include "support/check.h"

#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROGRAM_OUT_BYTES = 1 << 17 };

struct program_run {
    tw_ctx *ctx;
    tw_module *module;
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
    uint64_t bytes; /* of Out */
    unsigned char out[PROGRAM_OUT_BYTES];
};

static inline void program_end(struct program_run *r)
{
    tw_launch_destroy(r->launch);
    tw_args_destroy(r->args);
    tw_device_destroy(r->device);
    tw_module_destroy(r->module);
    tw_ctx_destroy(r->ctx);
    free(r);
}

static inline void program_step(struct program_run *r, tw_status status, const char *text)
{
    if (status != TW_OK)
        fail_msg("%s\n%s", tw_diagnostics(r->ctx, TW_TEXT), text);
}

/* Compiled and run; the caller ends it. */
static inline struct program_run *program_run(const char *text)
{
    struct program_run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->ctx = tw_ctx_create(NULL);
    assert_non_null(r->ctx);
    program_step(r, tw_compile(r->ctx, "k.py", text, strlen(text), NULL, &r->module), text);
    program_step(r, tw_device_create(r->ctx, NULL, &r->device), text);
    program_step(r, tw_args_create(r->device, r->module, NULL, NULL, NULL, 0, &r->args), text);
    for (size_t i = 0; i < tw_args_count(r->args); i++) {
        const char *name = tw_args_name(r->args, i);
        if (strcmp(name, "n") == 0)
            program_step(r, tw_args_set(r->args, name, "3"), text);
        else if (strlen(name) == 1)
            program_step(r, tw_args_fill(r->args, name, "iota", 0), text);
    }
    program_step(r, tw_args_launch(r->args, &(tw_launch_opts){.max_steps = 10000000}, &r->launch), text);
    program_step(r, tw_launch_run(r->launch, 0), text);
    uint64_t address;
    program_step(r, tw_args_tensor(r->args, "Out", &address, &r->bytes), text);
    assert_true(r->bytes <= PROGRAM_OUT_BYTES);
    program_step(r, tw_read(r->device, address, r->out, r->bytes), text);
    return r;
}

/* Out is int32 and begins with `want`. */
static inline void expect_out(const char *text, const int32_t *want, size_t count)
{
    struct program_run *r = program_run(text);
    int32_t got[64];
    assert_true(count <= 64 && count * 4 <= r->bytes);
    memcpy(got, r->out, count * 4);
    for (size_t i = 0; i < count; i++)
        if (got[i] != want[i])
            fail_msg("Out[%zu]: want %d, got %d in\n%s", i, (int)want[i], (int)got[i], text);
    program_end(r);
}

/* The program does not compile, and exactly this is said. */
static inline void expect_said(const char *text, const char *want)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    assert_non_null(ctx);
    if (tw_compile(ctx, "k.py", text, strlen(text), NULL, &module) == TW_OK)
        fail_msg("compiled:\n%s", text);
    if (strcmp(tw_diagnostics(ctx, TW_TEXT), want) != 0) {
        fprintf(stderr, "want:\n%s\ngot:\n%s", want, tw_diagnostics(ctx, TW_TEXT)); /* cmocka cuts long messages */
        fail_msg("other words");
    }
    tw_ctx_destroy(ctx);
}

#endif
