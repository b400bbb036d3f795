/* The files of the corpus: PTX and JSON of corpus/triton, and the programs of corpus/cuda, which nvcc compiles on the spot. */
#include "corpus/kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- files ------------------------------------------------------------------------------------ */

static char *read_whole(struct arena *arena, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    struct text t;
    char part[4096];
    tw_text_init(&t, arena);
    for (size_t len = fread(part, 1, sizeof part, f); len > 0; len = fread(part, 1, sizeof part, f))
        tw_text_add_str(&t, (struct str){part, len});
    fclose(f);
    return t.at;
}

/* The corpus is TW_CORPUS, or the shared folder's. */
static const char *corpus_root(struct arena *arena)
{
    const char *const corpus = getenv("TW_CORPUS"), *const shared = getenv("TW_SHARED");
    return corpus != NULL ? corpus : tw_format(arena, "%s/corpus", shared == NULL ? "../shared" : shared);
}

/* The few files kept in the repository serve where there is no corpus. */
static char *read_corpus_file(struct arena *arena, const char *path)
{
    char *text = read_whole(arena, tw_format(arena, "%s/%s", corpus_root(arena), path));
    return text != NULL ? text : read_whole(arena, tw_format(arena, "tests/corpus/kept/%s", path));
}

/* Where PTX compiled from corpus/cuda lies. */
static const char *ptx_folder(void)
{
    const char *const folder = getenv("TW_CORPUS_PTX");
    return folder == NULL ? "build/corpus-ptx" : folder;
}

bool corpus_is_long(void)
{
    const char *const value = getenv("TW_LONG");
    return value != NULL && strcmp(value, "1") == 0;
}

_Noreturn void kernel_not_run(struct kernel *k, const char *why)
{
    k->result = KERNEL_NOT_RUN;
    printf("not run: %s: %s\n", k->name, why);
    skip();
    abort(); /* skip() does not return, but does not say so */
}

/* ---- the JSON file of corpus/triton --------------------------------------------------------------- */

static const struct json *member(const struct kernel *k, const struct json *object, const char *key)
{
    const struct json *const v = object == NULL ? NULL : tw_json_get(object, key);
    if (v == NULL)
        fail_msg("the JSON file of %s has no \"%s\"", k->name, key);
    return v;
}

static int64_t number(const struct kernel *k, const struct json *v)
{
    int64_t value = 0;
    if (!tw_json_int(v, &value))
        fail_msg("the JSON file of %s: '" STR_FMT "' is no integer", k->name, STR_ARG(v->text));
    return value;
}

int kernel_size(const struct kernel *k, const char *name)
{
    const struct json *v = tw_json_get(member(k, k->json, "problem"), name);
    if (v == NULL)
        v = member(k, member(k, k->json, "constants"), name);
    return (int)number(k, v);
}

static void read_dims(const struct kernel *k, const char *key, uint32_t dims[3])
{
    const struct json *const v = member(k, k->json, key);
    for (uint32_t i = 0; i < 3; i++)
        dims[i] = i < v->count ? (uint32_t)number(k, &v->items[i]) : 1;
}

static enum num_format format_of(const struct kernel *k, struct str type)
{
    static const struct { const char *name; enum num_format format; } rows[] = {
        {"fp16", NUM_F16},    {"bf16", NUM_BF16},   {"fp32", NUM_F32}, {"i32", NUM_S32},
        {"fp8e4nv", NUM_E4M3}, {"fp8e5", NUM_E5M2}, {"u8", NUM_U8},    {"i8", NUM_S8},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (tw_str_is(type, rows[i].name))
            return rows[i].format;
    fail_msg("%s: unknown element type '" STR_FMT "'", k->name, STR_ARG(type));
    return NUM_NONE;
}

/* The driver's numbers of the swizzles. */
static const char *const swizzles[] = {"none", "32B", "64B", "128B"};

/* "tensordesc<fp16[128, 64]>" and the next entry of metadata.tensordesc_meta. */
static void add_descriptor(struct kernel *k, const char *name, struct str type, const struct json *meta)
{
    static const struct { const char *suffix; enum num_format format; } rows[] = {
        {"rows", NUM_S32}, {"columns", NUM_S32}, {"row_stride", NUM_S64}, {"column_stride", NUM_S64},
    };
    const char *const open = memchr(type.at, '[', type.len);
    assert_non_null(open);
    const size_t head = strlen("tensordesc<");
    struct argument *const map = kernel_add(k, name, ARGUMENT_MAP, format_of(k, (struct str){type.at + head, (size_t)(open - type.at) - head}));
    const struct json *const block = member(k, meta, "block_size");
    map->box[0] = (uint32_t)number(k, &block->items[0]);
    map->box[1] = (uint32_t)number(k, &block->items[1]);
    map->swizzle = swizzles[number(k, member(k, meta, "swizzle"))];
    for (size_t i = 0; i < COUNT(rows); i++)
        kernel_add(k, tw_format(&k->room->arena, "%s_%s", name, rows[i].suffix), ARGUMENT_SCALAR, rows[i].format);
}

/* corpus/triton/README.md, "Parameters of the PTX": the source arguments, then two scratch pointers. */
static void read_arguments(struct kernel *k)
{
    const struct json *const args = member(k, k->json, "args");
    const struct json *const metas = member(k, member(k, k->json, "metadata"), "tensordesc_meta");
    uint32_t descriptors = 0;
    for (uint32_t i = 0; i < args->count; i++) {
        const char *const name = tw_format(&k->room->arena, STR_FMT, STR_ARG(args->keys[i]));
        struct str type = args->items[i].text;
        if (tw_str_starts(type, "tensordesc<")) {
            add_descriptor(k, name, type, &metas->items[descriptors++]);
            continue;
        }
        const bool pointer = type.len > 0 && type.at[0] == '*';
        if (pointer)
            type = (struct str){type.at + 1, type.len - 1};
        kernel_add(k, name, pointer ? ARGUMENT_TENSOR : ARGUMENT_SCALAR, format_of(k, type));
    }
    const int64_t scratch = number(k, member(k, member(k, k->json, "metadata"), "global_scratch_size"));
    if (scratch != 0)
        kernel_add_tensor(k, "global_scratch", NUM_U8, 1, (int)(scratch * k->grid[0] * k->grid[1] * k->grid[2]))->output = true;
    else
        kernel_add(k, "global_scratch", ARGUMENT_NULL, NUM_NONE);
    kernel_add(k, "profile_scratch", ARGUMENT_NULL, NUM_NONE);
}

void corpus_open_triton(struct kernel *k)
{
    struct arena *const arena = &k->room->arena;
    const char *const json = read_corpus_file(arena, tw_format(arena, "triton/ptx/%s.json", k->name));
    k->ptx = read_corpus_file(arena, tw_format(arena, "triton/ptx/%s.ptx", k->name));
    if (json == NULL || k->ptx == NULL)
        kernel_not_run(k, "corpus/triton is not here");
    struct json_error error;
    k->json = tw_json_read(arena, tw_str(json), &error);
    if (k->json == NULL)
        fail_msg("the JSON file of %s: %s", k->name, error.what);
    k->entry = member(k, k->json, "entry")->text.at;
    read_dims(k, "launch_grid", k->grid);
    read_dims(k, "block", k->block);
    read_dims(k, "cluster", k->cluster);
    k->dynamic_shared_bytes = (uint32_t)number(k, member(k, k->json, "dynamic_shared_bytes"));
    read_arguments(k);
}

/* ---- the programs of corpus/cuda ------------------------------------------------------------------------ */

/* corpus/cuda/README.md, column "arch". */
static const struct { const char *source, *arch; } sources[] = {
    {"mma_sync_gemm", "80"},       {"mma_sync_types", "80"},    {"wgmma_tma_gemm", "90a"}, {"wgmma_types", "90a"},
    {"cluster_bulk", "90a"},       {"tma_shapes", "90a"},       {"tc5_single_tile", "100a"}, {"tc5_tma_ws_gemm", "100a"},
    {"tc5_cta2_gemm", "100a"},     {"tc5_mx_gemm", "100a"},     {"tc5_ws_variants", "100a"}, {"clc_pdl", "100a"},
    {"mma_mx_sm120", "120a"},
};

/* Compiles, two at a time, the sources of the rows that have no PTX yet or an older one; TW_CORPUS_PTX is the folder. The
 * command is that of corpus/cuda/README.md. */
void corpus_compile(const struct corpus_test *rows, size_t count)
{
    static const char script[] =
        "command -v nvcc >/dev/null || exit 0\n"
        "mkdir -p \"$OUT\" || exit 1\n"
        "while read -r source arch; do\n"
        "  [ -e \"$CORPUS/cuda/$source.cu\" ] || continue\n"
        "  [ \"$OUT/$source.ptx\" -nt \"$CORPUS/cuda/$source.cu\" ] || echo \"$source $arch\"\n"
        "done | xargs -r -P 2 -L 1 sh -c '\n"
        "  nvcc -std=c++17 -O3 -gencode \"arch=compute_$1,code=compute_$1\" -ptx -o \"$OUT/$0.$$.tmp\" \"$CORPUS/cuda/$0.cu\" &&\n"
        "  mv \"$OUT/$0.$$.tmp\" \"$OUT/$0.ptx\"'\n";
    struct bench_room *room = NULL;
    if (tw_test_setup((void **)&room) != 0)
        return;
    struct text command;
    tw_text_init(&command, &room->arena);
    tw_text_addf(&command, "export CORPUS='%s' OUT='%s'; { ", corpus_root(&room->arena), ptx_folder());
    for (size_t s = 0; s < COUNT(sources); s++)
        for (size_t i = 0; i < count; i++)
            if (rows[i].source != NULL && strcmp(rows[i].source, sources[s].source) == 0) {
                tw_text_addf(&command, "echo %s %s; ", sources[s].source, sources[s].arch);
                break;
            }
    tw_text_addf(&command, ":; } | { %s }", script);
    if (system(command.at) != 0)
        printf("nvcc failed\n");
    void *state = room;
    tw_test_teardown(&state);
}

void corpus_open_cuda(struct kernel *k)
{
    struct arena *const arena = &k->room->arena;
    const char *const path = tw_format(arena, "%s/%s.ptx", ptx_folder(), k->test->source);
    k->ptx = read_whole(arena, path);
    if (k->ptx == NULL)
        k->ptx = read_whole(arena, tw_format(arena, "tests/corpus/kept/cuda/%s.ptx", k->test->source));
    if (k->ptx == NULL)
        kernel_not_run(k, system("command -v nvcc >/dev/null") == 0 ? "corpus/cuda is not here" : "nvcc is not here");
    k->entry = k->name;
}

void kernel_launch(struct kernel *k, uint32_t grid_x, uint32_t grid_y, uint32_t cluster_x, uint32_t block_x, uint32_t dynamic_shared_bytes)
{
    const uint32_t grid[3] = {grid_x, grid_y, 1}, block[3] = {block_x, 1, 1}, cluster[3] = {cluster_x, 1, 1};
    memcpy(k->grid, grid, sizeof grid);
    memcpy(k->block, block, sizeof block);
    memcpy(k->cluster, cluster, sizeof cluster);
    k->dynamic_shared_bytes = dynamic_shared_bytes;
}
