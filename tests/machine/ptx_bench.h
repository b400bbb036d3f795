/* Running PTX text in tests: parse, load, launch, and read a buffer back. Included by one test file a program. */
#ifndef TW_TESTS_PTX_BENCH_H
#define TW_TESTS_PTX_BENCH_H

#include "support/check.h"

#include "machine/launch.h"
#include "ptx/ptx.h"

/* The kernel is the module's first; its parameters are the buffer's address and, if there is one, the input's. */
struct ptx_run {
    const char *entry;
    uint32_t block, grid, cluster; /* 0: 32, 1, none given */
    uint64_t seed, max_steps;
    const void *input;
    size_t input_bytes;
    void *output;
    size_t output_bytes;
    struct machine_observer observer;
};

/* A launch's status, or -1 when the module did not parse or load. Diagnostics are those of the room. */
static inline int run_ptx(struct bench_room *room, const char *text, const struct ptx_run *how)
{
    struct arena *const arena = &room->arena;
    const uint32_t file = tw_sources_add(&room->sources, "k.ptx", tw_str(text));
    const struct ptx_module *const module = tw_ptx_parse(arena, tw_isa_open(arena), &room->diags, file);
    if (room->diags.error_count != 0)
        return -1;
    struct memory *const memory = tw_memory_new(0);
    const uint64_t out = tw_memory_alloc(memory, how->output_bytes + 1, "out");
    const uint64_t in = tw_memory_alloc(memory, how->input_bytes + 1, "in");
    if (how->input_bytes != 0)
        memcpy(tw_memory_at(memory, in, how->input_bytes), how->input, how->input_bytes);
    const uint64_t params[2] = {out, in};
    const struct launch_spec spec = {.grid = {how->grid == 0 ? 1 : how->grid, 1, 1}, .block = {how->block == 0 ? 32 : how->block, 1, 1},
                                     .cluster = {how->cluster, how->cluster == 0 ? 0 : 1, how->cluster == 0 ? 0 : 1},
                                     .params = params, .param_bytes = how->input_bytes != 0 ? 16 : 8, .seed = how->seed,
                                     .observer = how->observer,
                                     .max_steps = how->max_steps == 0 ? 1000000 : how->max_steps};
    int status = -1;
    struct program *const program = tw_program_load(arena, &room->diags, module, memory);
    struct launch *const launch = program == NULL ? NULL : tw_launch_new(program, how->entry, &spec, &room->diags);
    if (launch != NULL) {
        status = (int)tw_launch_step(launch, 0);
        tw_launch_free(launch);
    }
    if (how->output_bytes != 0)
        memcpy(how->output, tw_memory_at(memory, out, how->output_bytes), how->output_bytes);
    tw_memory_free(memory);
    return status;
}

/* Fails unless the run finished without a diagnostic. */
static inline void run_ptx_well(struct bench_room *room, const char *text, const struct ptx_run *how)
{
    const int status = run_ptx(room, text, how);
    if (status != LAUNCH_FINISHED || room->diags.list.len != 0)
        fail_msg("status %d\n%s", status, tw_test_diags(room));
}

#endif
