/* docs/launch.schema.json against the reader of launch contracts, and every contract of the tree against the schema. */
#include "support/check.h"
#include "support/schema.h"

#include "ptx/contract.h"
#include "tilewright/tilewright.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static const struct json *schema_of(struct bench_room *room)
{
    const struct json *const schema = tw_launch_schema(&room->arena);
    assert_non_null(schema);
    return schema;
}

/* What the schema says of a text; the reason goes to *why. */
static bool fits(struct bench_room *room, const struct json *schema, const char *text, struct text *why)
{
    struct json_error error;
    const struct json *const v = tw_json_read(&room->arena, tw_str(text), &error);
    tw_text_init(why, &room->arena);
    if (v == NULL) {
        tw_text_add(why, "no JSON");
        return false;
    }
    return tw_schema_valid(schema, schema, v, why);
}

#define ARGS(args) "{\"entry\": \"k\", \"args\": [" args "]}"
#define TENSOR "{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"float32\", \"shape\": [4, 32]}"

/* One fault a row: what the reader refuses for its form, the schema refuses, and nothing else. */
static void the_schema_takes_what_the_reader_takes(void **state)
{
    static const struct { const char *text; bool taken; } rows[] = {
        {ARGS(""), true},
        {ARGS(TENSOR), true},
        {ARGS("{\"name\": \"s\", \"kind\": \"scalar\", \"dtype\": \"int32\"}, {\"name\": \"z\", \"kind\": \"null\"}"), true},
        {ARGS("{\"name\": \"s\", \"kind\": \"scalar\", \"dtype\": \"float64\", \"value\": 1.5}, {\"name\": \"b\", \"kind\": \"bytes\", \"value\": \"00ff\"}"), true},
        {ARGS("{\"name\": \"b\", \"kind\": \"scalar\", \"dtype\": \"bool\", \"value\": true}, {\"name\": \"w\", \"kind\": \"scratch\", \"bytes\": 512}"), true},
        {ARGS(TENSOR ", {\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"t\", \"box\": [32, 4], \"swizzle\": \"128B\", \"l2\": \"64B\"}"), true},
        {"{\"entry\": \"k\", \"grid\": 7, \"block\": [32, 4], \"cluster\": [1, 1, 1], \"dynamic_shared_bytes\": 232448, \"args\": [],"
         " \"tensors\": [{\"name\": \"x\", \"dtype\": \"bfloat16\", \"shape\": []}]}", true},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"in\": \"x.npy\", \"out\": \"y.npy\"}"), true},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"fill\": \"bits\", \"seed\": 3, \"expect\": \"z.npy\", \"rtol\": 1e-3, \"atol\": 0}"), true},
        {"{\"entry\": \"k\", \"args\": [], \"tensors\": [{\"name\": \"x\", \"dtype\": \"int32\", \"shape\": [1], \"in\": \"x.npy\"}]}", true},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"in\": \"x.npy\", \"fill\": \"ones\"}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"seed\": 1}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"rtol\": 1}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"expect\": \"z.npy\", \"atol\": -1}"), false},
        {ARGS("{\"name\": \"s\", \"kind\": \"scalar\", \"dtype\": \"int32\", \"in\": \"x.npy\"}"), false},
        {"[]", false},
        {"{\"args\": []}", false},
        {"{\"entry\": 1, \"args\": []}", false},
        {"{\"entry\": \"k\"}", false},
        {"{\"entry\": \"k\", \"args\": {}}", false},
        {"{\"entry\": \"k\", \"gird\": 1, \"args\": []}", false},
        {"{\"entry\": \"k\", \"grid\": 0, \"args\": []}", false},
        {"{\"entry\": \"k\", \"grid\": [], \"args\": []}", false},
        {"{\"entry\": \"k\", \"grid\": [1, 1, 1, 1], \"args\": []}", false},
        {"{\"entry\": \"k\", \"block\": 1.5, \"args\": []}", false},
        {"{\"entry\": \"k\", \"cluster\": \"2\", \"args\": []}", false},
        {"{\"entry\": \"k\", \"dynamic_shared_bytes\": 232449, \"args\": []}", false},
        {"{\"entry\": \"k\", \"args\": [], \"tensors\": [{\"name\": \"x\", \"dtype\": \"int32\"}]}", false},
        {ARGS("7"), false},
        {ARGS("{\"name\": \"t\"}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"array\"}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"shape\": [1]}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"float\", \"shape\": [1]}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"float32\", \"shape\": [-1]}"), false},
        {ARGS("{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"float32\", \"shape\": [1], \"value\": 1}"), false},
        {ARGS("{\"name\": \"s\", \"kind\": \"scalar\", \"dtype\": \"int32\", \"value\": []}"), false},
        {ARGS("{\"name\": \"w\", \"kind\": \"scratch\"}"), false},
        {ARGS("{\"name\": \"b\", \"kind\": \"bytes\"}"), false},
        {ARGS(TENSOR ", {\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"t\", \"box\": [32, 4], \"swizzle\": \"129B\"}"), false},
        {ARGS(TENSOR ", {\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"t\", \"box\": [1, 1, 1, 1, 1, 1]}"), false},
    };
    struct bench_room *const room = *state;
    const struct json *const schema = schema_of(room);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct text why;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        const bool read = tw_contract_read(&room->arena, tw_sources_add(&room->sources, "k.json", tw_str(rows[i].text)), &room->diags) != NULL;
        const bool valid = fits(room, schema, rows[i].text, &why);
        if (read != rows[i].taken || valid != rows[i].taken)
            fail_msg("%s: reader %d, schema %d %s", rows[i].text, read, valid, why.at == NULL ? "" : why.at);
    }
}

static void the_schema_names_the_dtypes_of_the_reader(void **state)
{
    struct bench_room *const room = *state;
    const struct json *const names = tw_json_get(tw_json_get(tw_json_get(schema_of(room), "$defs"), "dtype"), "enum");
    uint32_t known = 1; /* bool */
    for (uint32_t i = 0; i < names->count; i++) {
        struct contract_dtype dtype;
        if (!tw_contract_dtype_find(names->items[i].text, &dtype))
            fail_msg("%s is no dtype", names->items[i].text.at);
    }
    for (int f = 0; f < NUM_FORMAT_COUNT; f++)
        known += tw_num_format((enum num_format)f)->dtype != NULL;
    assert_int_equal(names->count, known);
}

static char *file_text(struct bench_room *room, const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *const f = fopen(path, "rb");
    char *const text = arena_new(&room->arena, char, MOST);
    assert_non_null(f);
    const size_t len = fread(text, 1, MOST - 1, f);
    text[len] = '\0';
    fclose(f);
    return text;
}

static void must_fit(struct bench_room *room, const struct json *schema, const char *name, const char *text)
{
    struct text why;
    if (!fits(room, schema, text, &why))
        fail_msg("%s: %s\n%s", name, why.at, text);
}

/* The contracts that the fuzzers start from. */
static void contracts_of_the_fuzzer_s_corpus_fit_the_schema(void **state)
{
    static const char folder[] = "tests/fuzz/corpus/contract";
    struct bench_room *const room = *state;
    const struct json *const schema = schema_of(room);
    DIR *const d = opendir(folder);
    uint32_t checked = 0;
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        const size_t len = strlen(e->d_name);
        if (len < 6 || strcmp(e->d_name + len - 5, ".json") != 0)
            continue;
        const char *const path = tw_format(&room->arena, "%s/%s", folder, e->d_name), *const text = file_text(room, path);
        if (tw_contract_read(&room->arena, tw_sources_add(&room->sources, path, tw_str(text)), &room->diags) == NULL)
            continue; /* broken on purpose */
        must_fit(room, schema, path, text);
        checked++;
    }
    closedir(d);
    assert_true(checked > 4);
}

/* Every kernel of a program file: what `compile --emit launch` prints. */
static uint32_t check_program(struct bench_room *room, const struct json *schema, const char *path)
{
    const char *const text = file_text(room, path), *names = NULL;
    tw_ctx *const ctx = tw_ctx_create(NULL);
    uint32_t checked = 0;
    assert_non_null(ctx);
    assert_int_equal(tw_list_kernels(ctx, path, text, strlen(text), &names), TW_OK);
    char *const list = tw_arena_copy(&room->arena, names, strlen(names));
    for (char *name = strtok(list, "\n"); name != NULL; name = strtok(NULL, "\n")) {
        tw_module *module = NULL;
        const char *contract;
        size_t len;
        if (tw_compile(ctx, path, text, strlen(text), &(tw_compile_opts){.kernel = name}, &module) != TW_OK)
            continue; /* for another target than the default */
        assert_int_equal(tw_module_text(module, TW_EMIT_LAUNCH, &contract, &len), TW_OK);
        must_fit(room, schema, path, tw_arena_copy(&room->arena, contract, len));
        tw_module_destroy(module);
        checked++;
    }
    tw_ctx_destroy(ctx);
    return checked;
}

static uint32_t check_folder(struct bench_room *room, const struct json *schema, const char *folder)
{
    uint32_t checked = 0;
    DIR *const d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        const size_t len = strlen(e->d_name);
        if (len > 3 && strcmp(e->d_name + len - 3, ".py") == 0)
            checked += check_program(room, schema, tw_format(&room->arena, "%s/%s", folder, e->d_name));
    }
    closedir(d);
    return checked;
}

static void contracts_of_compiled_examples_fit_the_schema(void **state)
{
    static const char *const folders[] = {"examples", "examples/tcgen05", "examples/mma_sync", "examples/wgmma"};
    struct bench_room *const room = *state;
    uint32_t checked = 0;
    for (size_t i = 0; i < COUNT(folders); i++)
        checked += check_folder(room, schema_of(room), folders[i]);
    assert_true(checked >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_schema_takes_what_the_reader_takes),
        ROOM_TEST(the_schema_names_the_dtypes_of_the_reader),
        ROOM_TEST(contracts_of_the_fuzzer_s_corpus_fit_the_schema),
        ROOM_TEST(contracts_of_compiled_examples_fit_the_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
