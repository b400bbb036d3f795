#include "fuzz/target.h"

#include "base/limits.h"
#include "isa/tensor_map.h"
#include "machine/launch.h"
#include "ptx/contract.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 2 << 20,     /* of an input's arena, of memory, and of a launch: tensor memory of two CTAs is half of it */
    MOST_STEPS = 800,         /* warp instructions: many inputs loop for ever */
    ARGUMENT_BYTES = 4096,
    MAP_AT = 2048,            /* where a tensor map lies in the argument; it describes the bytes before it */
    THREADS = 40,             /* two warps, the second in part */
    CTAS = 2
};

/* What one input needs; a limit that is hit jumps to `landing`. */
struct bench {
    struct landing landing;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    uint32_t file;
};

const struct isa *fuzz_tables(void)
{
    static struct landing landing;
    static struct arena arena;
    static const struct isa *isa;
    if (isa != NULL)
        return isa;
    if (setjmp(landing.at) != 0)
        abort();
    tw_arena_init(&arena, &landing, 0);
    isa = tw_isa_open(&arena);
    return isa;
}

static void open_bench(struct bench *b, const char *name, const uint8_t *bytes, size_t len)
{
    tw_sources_init(&b->sources, &b->arena);
    tw_diags_init(&b->diags, &b->arena, &b->sources);
    /* A copy of its own: reading past the end is then seen. */
    b->file = tw_sources_add(&b->sources, name, (struct str){tw_arena_copy(&b->arena, (const char *)bytes, len), len});
}

/* Errors must be printable, too. */
static void render(struct bench *b)
{
    struct text t;
    tw_text_init(&t, &b->arena);
    tw_diags_text(&b->diags, &t);
    tw_diags_json(&b->diags, &t);
}

static void with_bench(const char *name, const uint8_t *bytes, size_t len, void (*use)(struct bench *b))
{
    const struct isa *const isa = fuzz_tables();
    struct bench *const b = calloc(1, sizeof *b);
    if (b == NULL || isa == NULL)
        abort();
    tw_arena_init(&b->arena, &b->landing, MOST_BYTES);
    if (setjmp(b->landing.at) == 0) {
        open_bench(b, name, bytes, len);
        use(b);
        render(b);
    }
    tw_arena_release(&b->arena);
    free(b);
}

/* ---- PTX ---------------------------------------------------------------------------------------- */

static void must_be(bool fine, const char *what, const char *why)
{
    if (fine)
        return;
    fprintf(stderr, "fuzz: %s: %s\n", what, why == NULL ? "" : why);
    abort();
}

static void use_ptx(struct bench *b)
{
    struct text printed;
    const struct ptx_module *const first = tw_ptx_parse(&b->arena, fuzz_tables(), &b->diags, b->file);
    if (b->diags.error_count != 0)
        return;
    tw_text_init(&printed, &b->arena);
    tw_ptx_print(first, &printed);
    const uint32_t again = tw_sources_add(&b->sources, "again.ptx", (struct str){printed.at, printed.len});
    const struct ptx_module *const second = tw_ptx_parse(&b->arena, fuzz_tables(), &b->diags, again);
    const char *why = NULL;
    must_be(b->diags.error_count == 0, "what was printed is not legal", printed.at);
    must_be(tw_ptx_module_equal(first, second, &b->arena, &why), "what was printed means something else", why);
}

void fuzz_ptx(const uint8_t *bytes, size_t len)
{
    with_bench("input.ptx", bytes, len, use_ptx);
}

/* ---- Launch contracts ---------------------------------------------------------------------------- */

static void use_contract(struct bench *b)
{
    struct text first, second;
    const struct contract *c = tw_contract_read(&b->arena, b->file, &b->diags);
    if (c == NULL || b->diags.error_count != 0)
        return;
    tw_text_init(&first, &b->arena);
    tw_text_init(&second, &b->arena);
    tw_contract_write(c, &first);
    c = tw_contract_read(&b->arena, tw_sources_add(&b->sources, "again.json", (struct str){first.at, first.len}), &b->diags);
    must_be(c != NULL, "a contract that was written is not legal", first.at);
    tw_contract_write(c, &second);
    must_be(first.len == second.len && memcmp(first.at, second.at, first.len) == 0, "a contract changes when it is written and read", second.at);
}

void fuzz_contract(const uint8_t *bytes, size_t len)
{
    with_bench("launch.json", bytes, len, use_contract);
}

/* ---- Running --------------------------------------------------------------------------------------- */

/* A map of 16 x 32 words, so that kernels of a few lines reach the copies of tensors. */
static void write_map(const struct memory *memory, uint64_t address, struct arena *arena)
{
    struct tensor_map_fault fault;
    const struct tensor_map map = {.type = tw_tensor_map_type_find(STR("f32")), .rank = 2, .address = address, .dims = {32, 16}, .strides = {0, 128},
                                   .box = {8, 4}, .element_strides = {1, 1}};
    must_be(tw_tensor_map_encode(&map, 90, arena, tw_memory_at(memory, address + MAP_AT, TENSOR_MAP_BYTES), &fault), "the tensor map is not legal", NULL);
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

/* As the kernel's own directives want it, where it has them. */
static struct launch_spec spec_of(const struct ptx_directives *dir)
{
    struct launch_spec spec = {.grid = {CTAS}, .block = {THREADS}, .dynamic_shared_bytes = 1024, .max_steps = MOST_STEPS, .max_memory = MOST_BYTES, .report = true};
    for (int i = 0; i < 3; i++) {
        if (dir->reqntid[0] != 0)
            spec.block[i] = 0;
        if (dir->reqnctapercluster[0] != 0 && dir->reqnctapercluster[i] <= TW_MAX_CLUSTER_CTAS)
            spec.grid[i] = dir->reqnctapercluster[i];
    }
    return spec;
}

static void run_entry(struct bench *b, const struct program *program, const struct ptx_func *entry, uint64_t address)
{
    struct param_layout layout;
    if (!tw_program_params(program, entry->name, &b->diags, &layout))
        return;
    uint8_t *const params = tw_arena_alloc(&b->arena, 1, (size_t)layout.bytes + 8);
    fill_params(&layout, address, params);
    struct launch_spec spec = spec_of(&entry->directives);
    spec.params = params;
    spec.param_bytes = layout.bytes;
    struct launch *const l = tw_launch_new(program, entry->name, &spec, &b->diags);
    if (l == NULL)
        return;
    struct text report;
    tw_text_init(&report, &b->arena);
    (void)tw_launch_step(l, 0);
    (void)tw_launch_summary(l, true, &report);
    tw_launch_free(l);
}

static void use_run(struct bench *b)
{
    const struct ptx_module *const module = tw_ptx_parse(&b->arena, fuzz_tables(), &b->diags, b->file);
    if (b->diags.error_count != 0)
        return;
    struct memory *const memory = tw_memory_new(MOST_BYTES);
    if (memory == NULL)
        abort();
    const struct program *const program = tw_program_load(&b->arena, &b->diags, module, memory);
    const uint64_t address = tw_memory_alloc(memory, ARGUMENT_BYTES, "argument");
    if (address != 0)
        write_map(memory, address, &b->arena);
    for (uint32_t i = 0; program != NULL && i < module->funcs.len; i++)
        if (module->funcs.at[i].is_entry && module->funcs.at[i].has_body)
            run_entry(b, program, &module->funcs.at[i], address);
    tw_memory_free(memory);
}

void fuzz_run(const uint8_t *bytes, size_t len)
{
    with_bench("input.ptx", bytes, len, use_run);
}
