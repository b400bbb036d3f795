/* Small kernels for tests: a body in a standard frame. */
#ifndef TW_TESTS_MACHINE_KERNEL_TEXT_H
#define TW_TESTS_MACHINE_KERNEL_TEXT_H

#include "rig.h"

/* Module "k.ptx" for sm_90a: kernel `k` with parameter `out` (u64), which %out holds; %t is the thread's number in a
 * one-dimensional block and %at the address of its word. The body begins on line 11. */
#define KERNEL_HEAD(decls)                                                                           \
    ".version 8.8\n.target sm_90a\n.address_size 64\n"                                               \
    decls "\n.visible .entry k(.param .u64 out)\n{\n"                                                \
    ".reg .pred %p<10>; .reg .b32 %r<30>; .reg .b64 %q<20>; .reg .b64 %out, %at; .reg .b32 %t;\n"  \
    "ld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %at, %t, 4, %out;\n"
#define KERNEL(decls, body) KERNEL_HEAD(decls) body "ret;\n}\n"

enum { OUT_WORDS = 4096 };

/* Loads the text and allocates `out` (OUT_WORDS words, all zero). */
static inline uint32_t *kernel_load(struct rig *rig, struct bench_room *room, const char *text, uint64_t *out)
{
    rig_load(rig, room, "k.ptx", text);
    *out = tw_memory_alloc(rig->memory, OUT_WORDS * 4, "out");
    return rig_host(rig, *out);
}

static inline enum launch_status kernel_run(struct rig *rig, uint64_t *out, uint32_t grid, uint32_t block, uint64_t seed)
{
    return rig_run(rig, "k", (struct launch_spec){.grid = {grid}, .block = {block}, .seed = seed, .params = out, .param_bytes = 8,
                                                  .max_steps = 2000000});
}

static inline void kernel_must_run(struct rig *rig, uint64_t *out, uint32_t grid, uint32_t block, uint64_t seed)
{
    const enum launch_status status = kernel_run(rig, out, grid, block, seed);
    assert_string_equal(tw_test_diags(rig->room), "");
    assert_int_equal(status, LAUNCH_FINISHED);
}

/* The text of a kernel that must fail: status and exact diagnostics. */
static inline void kernel_must_fail(struct bench_room *room, const char *text, uint32_t grid, uint32_t block,
                                    enum launch_status want, const char *diags)
{
    struct rig rig;
    uint64_t out;
    (void)kernel_load(&rig, room, text, &out);
    const enum launch_status status = kernel_run(&rig, &out, grid, block, 1);
    tw_test_expect_diags(room, diags);
    assert_int_equal(status, want);
    rig_end(&rig);
}

#endif
