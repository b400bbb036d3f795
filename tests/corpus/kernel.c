#include "corpus/kernel.h"

#include "support/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- the launch contract ---------------------------------------------------------------------------- */

static void write_dims(struct text *t, const char *key, const uint32_t dims[3])
{
    tw_text_addf(t, "\"%s\": [%u, %u, %u], ", key, dims[0], dims[1], dims[2]);
}

static void write_tensor(struct text *t, const struct argument *a)
{
    tw_text_addf(t, ", \"dtype\": \"%s\", \"shape\": [", tw_num_format(a->format)->dtype);
    for (uint32_t i = 0; i < a->rank; i++)
        tw_text_addf(t, i == 0 ? "%llu" : ", %llu", (unsigned long long)a->shape[i]);
    tw_text_add(t, "]");
}

/* The box is written innermost first. */
static void write_map(struct text *t, const struct argument *a)
{
    tw_text_addf(t, ", \"tensor\": \"%s\", \"swizzle\": \"%s\", \"box\": [", a->name, a->swizzle);
    for (uint32_t i = 0; i < a->rank; i++)
        tw_text_addf(t, i == 0 ? "%u" : ", %u", a->box[a->rank - 1 - i]);
    tw_text_add(t, "]");
}

static void write_argument(struct text *t, const struct argument *a)
{
    static const char *const kinds[] = {
        [ARGUMENT_TENSOR] = "tensor", [ARGUMENT_SCALAR] = "scalar", [ARGUMENT_NULL] = "null", [ARGUMENT_MAP] = "tensor_map",
        [ARGUMENT_BYTES] = "bytes",
    };
    tw_text_addf(t, "{\"name\": \"%s%s\", \"kind\": \"%s\"", a->name, a->kind == ARGUMENT_MAP ? "_map" : "", kinds[a->kind]);
    if (a->kind == ARGUMENT_TENSOR)
        write_tensor(t, a);
    if (a->kind == ARGUMENT_MAP)
        write_map(t, a);
    if (a->kind == ARGUMENT_SCALAR)
        tw_text_addf(t, ", \"dtype\": \"%s\", \"value\": %s", tw_num_format(a->format)->dtype, a->value);
    if (a->kind == ARGUMENT_BYTES)
        tw_text_addf(t, ", \"value\": \"%s\"", a->value);
    tw_text_add(t, "}");
}

/* Tensors that maps describe are no parameters themselves. */
static void write_tensors(struct text *t, const struct kernel *k)
{
    const char *between = ",\n\"tensors\": [\n";
    for (uint32_t i = 0; i < k->argument_count; i++)
        if (k->arguments[i].kind == ARGUMENT_MAP) {
            tw_text_addf(t, "%s{\"name\": \"%s\"", between, k->arguments[i].name);
            write_tensor(t, &k->arguments[i]);
            tw_text_add(t, "}");
            between = ",\n";
        }
    tw_text_add(t, strcmp(between, ",\n") == 0 ? "]" : "");
}

struct str kernel_contract(const struct kernel *k)
{
    struct text t;
    tw_text_init(&t, &k->room->arena);
    tw_text_addf(&t, "{\"entry\": \"%s\", ", k->entry);
    write_dims(&t, "grid", k->grid);
    write_dims(&t, "block", k->block);
    write_dims(&t, "cluster", k->cluster);
    tw_text_addf(&t, "\"dynamic_shared_bytes\": %u,\n\"args\": [", k->dynamic_shared_bytes);
    for (uint32_t i = 0; i < k->argument_count; i++) {
        tw_text_add(&t, i == 0 ? "\n" : ",\n");
        write_argument(&t, &k->arguments[i]);
    }
    tw_text_add(&t, "]");
    write_tensors(&t, k);
    tw_text_add(&t, "}\n");
    return (struct str){t.at, t.len};
}

/* ---- running ---------------------------------------------------------------------------------------- */

static void end_run(struct kernel *k)
{
    tw_launch_destroy(k->launch);
    tw_args_destroy(k->args);
    tw_device_destroy(k->device);
    tw_module_destroy(k->module);
    tw_ctx_destroy(k->ctx);
    k->launch = NULL, k->args = NULL, k->device = NULL, k->module = NULL, k->ctx = NULL;
}

static void must(struct kernel *k, tw_status status, const char *what)
{
    if (status == TW_OK)
        return;
    fail_msg("%s: %s: status %d\n%s", k->name, what, (int)status, tw_diagnostics(k->ctx, TW_TEXT));
}

static void move_tensors(struct kernel *k, bool in)
{
    for (uint32_t i = 0; i < k->argument_count; i++) {
        struct argument *const a = &k->arguments[i];
        if (!argument_has_memory(a))
            continue;
        uint64_t address, bytes;
        must(k, tw_args_tensor(k->args, a->name, &address, &bytes), a->name);
        assert_int_equal(bytes, a->bytes);
        must(k, in ? tw_write(k->device, address, a->before, bytes) : tw_read(k->device, address, a->after, bytes), a->name);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The contract is one that docs/launch.schema.json describes. */
static void check_against_schema(struct kernel *k, struct str contract)
{
    struct arena *const arena = &k->room->arena;
    const struct json *const schema = tw_launch_schema(arena);
    struct json_error error;
    const struct json *const v = tw_json_read(arena, contract, &error);
    struct text why;
    tw_text_init(&why, arena);
    assert_true(schema != NULL && v != NULL);
    if (!tw_schema_valid(schema, schema, v, &why))
        fail_msg("%s: the launch contract does not fit its schema: %s", k->name, why.at);
}

/* One launch of `text`, odd seeds on one host thread and even ones on two, watched for hazards: notes may be
 * found, an error fails the test; leaves the outputs in `after` and the module open. */
static void run_once(struct kernel *k, const char *text, uint64_t seed)
{
    k->ctx = tw_ctx_create(NULL);
    assert_non_null(k->ctx);
    must(k, tw_module_parse(k->ctx, k->name, text, strlen(text), &k->module), "parsing");
    must(k, tw_device_create(k->ctx, &(tw_device_opts){.arch = k->compute_as}, &k->device), "making a device");
    must(k, tw_module_check(k->module), "checking");
    const struct str contract = kernel_contract(k);
    check_against_schema(k, contract);
    must(k, tw_args_create(k->device, k->module, NULL, "launch.json", contract.at, contract.len, &k->args), "reading the contract");
    move_tensors(k, true);
    const tw_launch_opts options = {.seed = seed, .threads = 2 - (uint32_t)seed % 2, .max_steps = 1000000000, .hazards = true};
    must(k, tw_args_launch(k->args, &options, &k->launch), "launching");
    const double begin = now();
    must(k, tw_launch_run(k->launch, 0), "running");
    k->seconds = now() - begin;
    tw_launch_stats stats;
    tw_launch_read_stats(k->launch, &stats);
    k->steps = stats.steps;
    move_tensors(k, false);
}

static const char *printed_text(struct kernel *k)
{
    const char *text;
    size_t len;
    must(k, tw_module_text(k->module, TW_EMIT_PTX, &text, &len), "printing");
    return tw_arena_copy(&k->room->arena, text, len);
}

/* The bytes after the run are those after the run before it, and inputs are as they were. */
static void check_repeated(struct kernel *k, unsigned char *const first[MAX_ARGUMENTS], uint64_t seed)
{
    for (uint32_t i = 0; i < k->argument_count; i++) {
        const struct argument *const a = &k->arguments[i];
        if (!argument_has_memory(a))
            continue;
        if (memcmp(a->after, first[i], a->bytes) != 0)
            fail_msg("%s: '%s' differs on seed %d%s", k->name, a->name, (int)seed, seed % 2 == 0 ? ", from the printed text" : "");
        if (!a->output && memcmp(a->after, a->before, a->bytes) != 0)
            fail_msg("%s: input '%s' was written", k->name, a->name);
    }
}

/* Moves the outputs of the first run aside. */
static void keep_outputs(struct kernel *k, unsigned char *first[MAX_ARGUMENTS])
{
    for (uint32_t i = 0; i < k->argument_count; i++)
        if (argument_has_memory(&k->arguments[i])) {
            first[i] = k->arguments[i].after;
            k->arguments[i].after = arena_new(&k->room->arena, unsigned char, k->arguments[i].bytes);
        }
}

void kernel_run(struct kernel *k)
{
    unsigned char *first[MAX_ARGUMENTS] = {0};
    const bool on_gpu = kernel_gpu_wanted(k);
    run_once(k, k->ptx, 1);
    if (on_gpu) {
        end_run(k);
        kernel_run_on_gpu(k);
        return;
    }
    const char *const texts[2] = {k->ptx, printed_text(k)};
    const uint64_t steps = k->steps;
    const double seconds = k->seconds;
    end_run(k);
    keep_outputs(k, first);
    for (uint64_t seed = 2; seed <= (corpus_is_long() ? 20 : 4); seed++) {
        run_once(k, texts[seed % 2 == 0], seed);
        end_run(k);
        check_repeated(k, first, seed);
    }
    k->steps = steps;
    k->seconds = seconds;
}

/* ---- tests by table ---------------------------------------------------------------------------------- */

static int begin_row(void **state)
{
    const struct corpus_test *const row = *state;
    void *room;
    if (tw_test_setup(&room) != 0)
        return -1;
    struct kernel *const k = arena_new(&((struct bench_room *)room)->arena, struct kernel, 1);
    *k = (struct kernel){.room = room, .name = row->name, .test = row};
    *state = k;
    return 0;
}

static void check_row(void **state)
{
    struct kernel *const k = *state;
    if (k->test->source == NULL)
        corpus_open_triton(k);
    else
        corpus_open_cuda(k);
    k->test->check(k);
    k->result = KERNEL_PASSED;
}

/* The word behind .target in the PTX. */
static struct str target_of(const struct kernel *k)
{
    const char *const at = k->ptx == NULL ? NULL : strstr(k->ptx, ".target ");
    return at == NULL ? STR("-") : (struct str){at + 8, strcspn(at + 8, " ,\n")};
}

/* One row of the table that `make corpus` prints (tools/run_corpus has its heading). */
static void report(const struct kernel *k)
{
    static const char *const results[] = {[KERNEL_FAILED] = "FAILED", [KERNEL_PASSED] = "passed", [KERNEL_NOT_RUN] = "not run"};
    const char *const path = getenv("TW_CORPUS_TABLE");
    FILE *const f = path == NULL ? NULL : fopen(path, "a");
    if (f == NULL)
        return;
    const struct str target = target_of(k);
    fprintf(f, "%-36s %-8.*s %-26s %12llu  %-9.3g %9.3f s  %s\n", k->test->source == NULL ? k->name : k->test->source,
            (int)target.len, target.at, k->entry == NULL ? "-" : k->entry, (unsigned long long)k->steps, k->largest_difference,
            k->seconds, results[k->result]);
    fclose(f);
}

static int end_row(void **state)
{
    struct kernel *const k = *state;
    void *room = k->room;
    report(k);
    end_run(k);
    return tw_test_teardown(&room);
}

int corpus_run_tests(const char *group, const struct corpus_test *rows, size_t count)
{
    struct CMUnitTest *const tests = calloc(count, sizeof *tests);
    if (tests == NULL)
        return 1;
    corpus_compile(rows, count);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, check_row, begin_row, end_row, (void *)(uintptr_t)&rows[i]};
    const int failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
    free(tests);
    return failed;
}
