#include "fuzz/run_kernels.h"

#include "base/limits.h"
#include "isa/tensor_map.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 800,         /* warp instructions: many inputs loop for ever */
    ARGUMENT_BYTES = 4096,
    MAP_AT = 2048,            /* where a tensor map lies in the argument; it describes the bytes before it */
    DYNAMIC_BYTES = 4096,     /* room for the tiles of small matrices */
    CTAS = 2
};

/* A map of 16 x 32 words, so that kernels of a few lines reach the copies of tensors. */
static void write_map(const struct memory *memory, uint64_t address, struct arena *arena)
{
    struct tensor_map_fault fault;
    const struct tensor_map map = {.type = tw_tensor_map_type_find(STR("f32")), .rank = 2, .address = address, .dims = {32, 16}, .strides = {0, 128},
                                   .box = {8, 4}, .element_strides = {1, 1}};
    fuzz_must_be(tw_tensor_map_encode(&map, 90, arena, tw_memory_at(memory, address + MAP_AT, TENSOR_MAP_BYTES), &fault), "the tensor map is not legal", NULL);
}

/* Eight-byte parameters are addresses of one allocation, others small numbers. */
static void fill_params(const struct param_layout *layout, uint64_t address, uint8_t *to)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct param_slot *const s = &layout->slots[i];
        const uint64_t word = s->bytes == 8 ? address : 16;
        if (s->offset <= layout->bytes && s->bytes <= layout->bytes - s->offset)
            memcpy(to + s->offset, &word, s->bytes < sizeof word ? s->bytes : sizeof word);
    }
}

/* As the kernel's own directives want it, where it has them; else one warp, or one and a part of another. */
static struct launch_spec spec_of(const struct ptx_directives *dir, bool part)
{
    struct launch_spec spec = {.grid = {CTAS}, .block = {part ? 40 : 32}, .dynamic_shared_bytes = DYNAMIC_BYTES, .max_steps = MOST_STEPS, .max_memory = BENCH_BYTES, .report = true};
    for (int i = 0; i < 3; i++) {
        if (dir->reqntid[0] != 0)
            spec.block[i] = 0;
        if (dir->reqnctapercluster[0] != 0 && dir->reqnctapercluster[i] <= TW_MAX_CLUSTER_CTAS)
            spec.grid[i] = dir->reqnctapercluster[i];
    }
    return spec;
}

/* A limit that is hit jumps out of a run; then this is freed. */
struct kept {
    struct memory *memory;
    struct launch *launch;
    const struct watcher *watcher;
};

static void free_kept(void *at)
{
    struct kept *const kept = at;
    tw_launch_free(kept->launch);
    if (kept->watcher != NULL)
        kept->watcher->release(kept->watcher->state);
    tw_memory_free(kept->memory);
}

static void run_launch(struct bench *b, struct kept *kept, const struct program *program, const char *entry, const struct launch_spec *spec)
{
    struct launch *const l = kept->launch = tw_launch_new(program, entry, spec, &b->diags);
    if (l != NULL)
        (void)tw_launch_step(l, 0);
    if (kept->watcher != NULL)
        kept->watcher->end(kept->watcher->state, l, &b->diags);
    if (l == NULL)
        return;
    struct text report;
    tw_text_init(&report, &b->arena);
    (void)tw_launch_summary(l, true, &report);
    tw_launch_free(l);
    kept->launch = NULL;
}

static void run_entry(struct bench *b, struct kept *kept, const struct program *program, const struct ptx_func *entry, uint64_t address)
{
    struct param_layout layout;
    if (!tw_program_params(program, entry->name, &b->diags, &layout))
        return;
    uint8_t *const params = tw_arena_alloc(&b->arena, 1, (size_t)layout.bytes + 8);
    fill_params(&layout, address, params);
    struct launch_spec spec = spec_of(&entry->directives, entry->insts.len % 2 != 0);
    spec.params = params;
    spec.param_bytes = layout.bytes;
    if (kept->watcher != NULL)
        spec.observer = kept->watcher->begin(kept->watcher->state);
    run_launch(b, kept, program, entry->name, &spec);
}

void fuzz_run_kernels(struct bench *b, const struct ptx_module *module, const struct watcher *watcher)
{
    struct kept *const kept = arena_new(&b->arena, struct kept, 1);
    kept->watcher = watcher;
    b->kept = kept;
    b->free_kept = free_kept;
    kept->memory = tw_memory_new(BENCH_BYTES);
    if (kept->memory == NULL)
        abort();
    const struct program *const program = tw_program_load(&b->arena, &b->diags, module, kept->memory);
    const uint64_t address = tw_memory_alloc(kept->memory, ARGUMENT_BYTES, "argument");
    if (address != 0)
        write_map(kept->memory, address, &b->arena);
    for (uint32_t i = 0; program != NULL && i < module->funcs.len; i++)
        if (module->funcs.at[i].is_entry && module->funcs.at[i].has_body)
            run_entry(b, kept, program, &module->funcs.at[i], address);
}
