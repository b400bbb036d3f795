/* Whole kernels through the public API: compile, print, parse, verify, decode, run, compare with a product formed
 * here in double. The example kernels are always there; the seed programs are cut out of the documents that the
 * project implements, where those are at hand (TW_SHARED), and their text is used as it stands.
 *
 * All inputs are quarters between -1 and 1, so that every sum is exact and one rounding rule cannot hide another. */
#include "support/check.h"

#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 20 };

/* ---- texts ------------------------------------------------------------------------------------ */

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    const size_t len = fread(text, 1, (1 << 20) - 1, f);
    text[len] = '\0';
    fclose(f);
    return text;
}

static char *read_example(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "examples/%s", name);
    char *text = read_file(path);
    assert_non_null(text);
    return text;
}

static char *read_seed(const char *name)
{
    const char *shared = getenv("TW_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/seeds/%s", shared == NULL ? "../shared" : shared, name);
    char *text = read_file(path);
    if (text == NULL)
        printf("not run: %s is not here\n", path);
    return text;
}

/* From the line that begins with `first` up to the one that begins with `last`. */
static char *cut_lines(char *document, const char *first, const char *last)
{
    char *from = strstr(document, first);
    assert_non_null(from);
    char *to = strstr(from, last);
    assert_non_null(to);
    char *cut = strndup(from, (size_t)(to - from));
    free(document);
    return cut;
}

/* All blocks that `.. code-block:: python` introduces, with their indentation of four taken off. */
static char *cut_code_blocks(char *document)
{
    char *out = calloc(1, strlen(document) + 1);
    assert_non_null(out);
    bool inside = false;
    for (char *line = strtok(document, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, ".. code-block:: python", 22) == 0)
            inside = true;
        else if (inside && strncmp(line, "    ", 4) == 0)
            strcat(strcat(out, line + 4), "\n");
        else
            inside = false;
    }
    free(document);
    return out;
}

/* The text with the part from `from` to the end of `to` replaced; both must occur. */
static char *replaced(const char *text, const char *from, const char *to, const char *with)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    const char *end = strstr(at, to);
    assert_non_null(end);
    end += strlen(to);
    char *out = calloc(1, strlen(text) + strlen(with) + 1);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    strcat(strcat(out, with), end);
    return out;
}

/* ---- running ------------------------------------------------------------------------------------ */

struct kernel_case {
    const char *arch;
    int m, n, k;
    bool packed; /* operands are (steps, rows, words) of two 16-bit values, else (rows, K) 16-bit values */
    int step;    /* packed: K of one instruction */
    bool bfloat16, has_c;
};

struct result {
    tw_status status; /* of the run; TW_OK also when values differ */
    bool equal;       /* to the product */
    char diagnostics[4096];
    char opcodes[4096];
};

static double value_of(const struct kernel_case *c, unsigned word)
{
    if (c->bfloat16) {
        const uint32_t bits = (uint32_t)word << 16;
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    const int exponent = (int)(word >> 10 & 31);
    double value = exponent == 0 ? (double)(word & 1023) : (double)((word & 1023) | 1024);
    for (int e = exponent == 0 ? 1 : exponent; e < 25; e++)
        value /= 2;
    return word >> 15 ? -value : value;
}

static double element(const struct kernel_case *c, const uint16_t *t, int rows, int row, int k)
{
    const int index = c->packed ? (k / c->step * rows + row) * c->step + k % c->step : row * c->k + k;
    return value_of(c, t[index]);
}

static uint16_t quarter(bool bfloat16, uint32_t *state)
{
    static const uint16_t bf16[9] = {0xbf80, 0xbf40, 0xbf00, 0xbe80, 0, 0x3e80, 0x3f00, 0x3f40, 0x3f80};
    static const uint16_t f16[9] = {0xbc00, 0xba00, 0xb800, 0xb400, 0, 0x3400, 0x3800, 0x3a00, 0x3c00};
    *state = *state * 1664525u + 1013904223u;
    return (bfloat16 ? bf16 : f16)[(*state >> 16) % 9];
}

static uint16_t *fill(const struct kernel_case *c, tw_device *device, tw_args *args, const char *name, uint32_t seed)
{
    uint64_t address, bytes;
    assert_int_equal(tw_args_tensor(args, name, &address, &bytes), TW_OK);
    uint16_t *words = malloc(bytes);
    assert_non_null(words);
    for (uint64_t i = 0; i < bytes / 2; i++)
        words[i] = quarter(c->bfloat16, &seed);
    assert_int_equal(tw_write(device, address, words, bytes), TW_OK);
    return words;
}

static float *read_back(tw_device *device, tw_args *args, const char *name)
{
    uint64_t address, bytes;
    assert_int_equal(tw_args_tensor(args, name, &address, &bytes), TW_OK);
    float *values = malloc(bytes);
    assert_non_null(values);
    assert_int_equal(tw_read(device, address, values, bytes), TW_OK);
    return values;
}

static bool is_product(const struct kernel_case *c, const uint16_t *a, const uint16_t *b, const float *start, const float *out)
{
    for (int m = 0; m < c->m; m++)
        for (int n = 0; n < c->n; n++) {
            double sum = start == NULL ? 0 : (double)start[m * c->n + n];
            for (int k = 0; k < c->k; k++)
                sum += element(c, a, c->m, m, k) * element(c, b, c->n, n, k);
            if (sum < (double)out[m * c->n + n] || sum > (double)out[m * c->n + n] || out[m * c->n + n] != out[m * c->n + n])
                return false;
        }
    return true;
}

static void run_module(tw_ctx *ctx, const struct kernel_case *c, tw_module *module, uint64_t seed, struct result *r)
{
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
    assert_int_equal(tw_args_create(device, module, NULL, NULL, NULL, 0, &args), TW_OK);
    uint16_t *a = fill(c, device, args, "A", 11 + (uint32_t)seed), *b = fill(c, device, args, "B", 1000 + (uint32_t)seed);
    if (c->has_c)
        assert_int_equal(tw_args_fill(args, "C", "ints", seed), TW_OK);
    float *start = c->has_c ? read_back(device, args, "C") : NULL;
    assert_int_equal(tw_args_launch(args, &(tw_launch_opts){.seed = seed}, &launch), TW_OK);
    r->status = tw_launch_run(launch, 0);
    float *out = read_back(device, args, "Out");
    r->equal = is_product(c, a, b, start, out);
    free(a), free(b), free(start), free(out);
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
}

static struct result run(const struct kernel_case *c, const char *text, uint64_t seed)
{
    struct result r = {0};
    tw_ctx *ctx = tw_ctx_create(NULL);
    assert_non_null(ctx);
    tw_module *module;
    r.status = tw_compile(ctx, "kernel.py", text, strlen(text), &(tw_compile_opts){.arch = c->arch}, &module);
    if (r.status == TW_OK) {
        const char *opcodes;
        assert_int_equal(tw_module_opcodes(module, &opcodes), TW_OK);
        snprintf(r.opcodes, sizeof r.opcodes, "%s", opcodes);
        run_module(ctx, c, module, seed, &r);
    }
    snprintf(r.diagnostics, sizeof r.diagnostics, "%s", tw_diagnostics(ctx, TW_TEXT));
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    return r;
}

static const struct kernel_case tensor_example = {"sm_100a", 128, 32, 128, false, 0, true, false};
static const struct kernel_case tensor_seed = {"sm_100a", 128, 64, 64, false, 0, false, false};
static const struct kernel_case warp_example = {"sm_80", 16, 8, 24, true, 8, true, true};
static const struct kernel_case warp_seed = {"sm_90a", 16, 8, 32, true, 16, false, false};

static void expect_product(const struct kernel_case *c, char *text, const char *instruction)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct result r = run(c, text, seed);
        assert_string_equal(r.diagnostics, "");
        assert_int_equal(r.status, TW_OK);
        assert_true(r.equal);
        if (strstr(r.opcodes, instruction) == NULL)
            fail_msg("'%s' is not among the opcodes:\n%s", instruction, r.opcodes);
    }
    free(text);
}

/* Wrong values or a diagnosed fault or deadlock, under every seed; never the right answer. */
static void expect_failure(const struct kernel_case *c, char *text)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct result r = run(c, text, seed);
        if (r.status == TW_OK ? r.equal : r.diagnostics[0] == '\0')
            fail_msg("seed %d: the kernel forgets something and nothing shows it\n%s", (int)seed, r.diagnostics);
    }
    free(text);
}

/* ---- the examples --------------------------------------------------------------------------------- */

static void the_tensor_example_is_exact(void **state)
{
    (void)state;
    expect_product(&tensor_example, read_example("tensor_mma.py"), "8 tcgen05.mma.cta_group::1.kind::f16\n");
}

static void the_warp_example_is_exact(void **state)
{
    (void)state;
    expect_product(&warp_example, read_example("warp_mma.py"), "3 mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32\n");
}

static char *example_with(const char *from, const char *to, const char *with)
{
    char *text = read_example("tensor_mma.py");
    char *changed = replaced(text, from, to, with);
    free(text);
    return changed;
}

static void forgetting_the_wait_shows(void **state)
{
    (void)state;
    expect_failure(&tensor_example, example_with("    T.cuda.mbarrier_wait(", "\n", ""));
}

static void forgetting_the_commit_is_a_deadlock(void **state)
{
    (void)state;
    char *text = example_with("        T.ptx.tcgen05.commit.", "\n", "");
    const struct result r = run(&tensor_example, text, 0);
    assert_int_equal(r.status, TW_ERROR);
    assert_non_null(strstr(r.diagnostics, "deadlock"));
    expect_failure(&tensor_example, text);
}

static void waiting_for_the_other_parity_shows(void **state)
{
    (void)state;
    expect_failure(&tensor_example, example_with("    T.cuda.mbarrier_wait(", "\n", "    T.cuda.mbarrier_wait(done.ptr_to([0]), 1)\n"));
}

static void a_commit_before_the_last_mma_shows(void **state)
{
    (void)state;
    static const char split[] =
        "        T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"], d.view(1, 1, M, N),\n"
        "            a_steps[:, 0:7, :, :], b_steps[:, 0:7, :, :], instruction_shape=(M, N, STEP), accum=False)\n"
        "        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))\n"
        "        T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"], d.view(1, 1, M, N),\n"
        "            a_steps[:, 7:8, :, :], b_steps[:, 7:8, :, :], instruction_shape=(M, N, STEP), accum=True)\n";
    expect_failure(&tensor_example, example_with("        T.cuda.tile.apply(\n            T.ptx[\"tcgen05.mma", "done.ptr_to([0]))\n", split));
}

/* ---- the seeds ------------------------------------------------------------------------------------ */

static char *tensor_listing(void)
{
    char *document = read_seed("000_7dd3617c9dcc7542.txt");
    if (document == NULL)
        skip();
    return cut_lines(document, "from tvm.script import tirx as T", "\nThe issuing thread emits");
}

static void the_tensor_seed_is_exact(void **state)
{
    (void)state;
    expect_product(&tensor_seed, tensor_listing(), "4 tcgen05.mma.cta_group::1.kind::f16\n");
}

static void the_warp_seed_is_exact(void **state)
{
    (void)state;
    char *document = read_seed("003_ecce971689b7c4a8.txt");
    if (document == NULL)
        skip();
    expect_product(&warp_seed, cut_code_blocks(document), "2 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n");
}

static char *seed_with(const char *from, const char *to, const char *with)
{
    char *text = tensor_listing();
    char *changed = replaced(text, from, to, with);
    free(text);
    return changed;
}

static void the_tensor_seed_without_wait_shows(void **state)
{
    (void)state;
    expect_failure(&tensor_seed, seed_with("    T.cuda.mbarrier_wait(", "\n", ""));
}

static void the_tensor_seed_without_commit_shows(void **state)
{
    (void)state;
    expect_failure(&tensor_seed, seed_with("        T.ptx.tcgen05.commit.", "        )\n", ""));
}

static void the_tensor_seed_waiting_for_parity_1_shows(void **state)
{
    (void)state;
    expect_failure(&tensor_seed, seed_with("    T.cuda.mbarrier_wait(", "\n", "    T.cuda.mbarrier_wait(mbar.ptr_to([0]), 1)\n"));
}

static void the_tensor_seed_committing_early_shows(void **state)
{
    (void)state;
    static const char split[] =
        "        T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"], d.view(1, 1, 128, 64),\n"
        "            av[:, 0:3, :, :], bv[:, 0:3, :, :], instruction_shape=(128, 64, 16), accum=False)\n"
        "        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(mbar.ptr_to([0]))\n"
        "        T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"], d.view(1, 1, 128, 64),\n"
        "            av[:, 3:4, :, :], bv[:, 3:4, :, :], instruction_shape=(128, 64, 16), accum=True)\n";
    expect_failure(&tensor_seed, seed_with("        T.cuda.tile.apply(\n            T.ptx[\"tcgen05.mma", "mbar.ptr_to([0])\n        )\n", split));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tensor_example_is_exact),
        cmocka_unit_test(the_warp_example_is_exact),
        cmocka_unit_test(forgetting_the_wait_shows),
        cmocka_unit_test(forgetting_the_commit_is_a_deadlock),
        cmocka_unit_test(waiting_for_the_other_parity_shows),
        cmocka_unit_test(a_commit_before_the_last_mma_shows),
        cmocka_unit_test(the_tensor_seed_is_exact),
        cmocka_unit_test(the_warp_seed_is_exact),
        cmocka_unit_test(the_tensor_seed_without_wait_shows),
        cmocka_unit_test(the_tensor_seed_without_commit_shows),
        cmocka_unit_test(the_tensor_seed_waiting_for_parity_1_shows),
        cmocka_unit_test(the_tensor_seed_committing_early_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
