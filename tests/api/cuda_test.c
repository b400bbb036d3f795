/* The CUDA back end against the PTX back end: the same kernel through both, nvcc's PTX and ours on the same machine, with the same
 * launch contract, every byte of every tensor compared. And what the text promises a reader. */
#include "api/nvcc.h"

#include "examples/catalogue.h"

#include <glob.h>

enum { SEEDS = 3 };

struct both {
    tw_ctx *ctx;
    tw_module *ours, *nvcc;
    char *text, *ptx; /* the modules read them */
    const char *contract;
};

static const char *text_of(tw_ctx *ctx, tw_module *module, tw_emit what)
{
    const char *text;
    size_t len;
    if (tw_module_text(module, what, &text, &len) != TW_OK)
        fail_msg("%s", tw_diagnostics(ctx, TW_TEXT));
    return text;
}

static struct both compile_both(const char *path, const char *kernel, char *text, const char *arch)
{
    struct both b = {.ctx = tw_ctx_create(NULL), .text = text};
    assert_non_null(b.ctx);
    if (tw_compile(b.ctx, path, text, strlen(text), &(tw_compile_opts){.arch = arch, .kernel = kernel}, &b.ours) != TW_OK)
        fail_msg("%s", tw_diagnostics(b.ctx, TW_TEXT));
    b.ptx = nvcc_ptx(path, text_of(b.ctx, b.ours, TW_EMIT_CUDA), arch, "");
    if (tw_module_parse(b.ctx, "nvcc.ptx", b.ptx, strlen(b.ptx), &b.nvcc) != TW_OK)
        fail_msg("%s: %s", path, tw_diagnostics(b.ctx, TW_TEXT));
    b.contract = text_of(b.ctx, b.ours, TW_EMIT_LAUNCH);
    return b;
}

static void release(struct both *b)
{
    tw_module_destroy(b->nvcc);
    tw_module_destroy(b->ours);
    tw_ctx_destroy(b->ctx);
    free(b->ptx);
    free(b->text);
}

/* Small integers, ordinary numbers, and any bits at all. */
static void expect_agreement(const char *path, const char *kernel, char *text, const char *arch, const char *scalar)
{
    static const char *const kinds[] = {"ints", "normal", "bits"};
    struct both b = compile_both(path, kernel, text, arch);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            expect_same_bits(path, b.ctx, b.ours, b.nvcc, b.contract, kinds[k], scalar, 17 * seed + 1);
    release(&b);
}

/* ---- the examples ------------------------------------------------------------------------------------------ */

/* What an example is made for; those that the tables do not have, for sm_100a. */
static const char *arch_of(const char *path)
{
    const struct example *e;
    for (size_t i = 0; (e = tw_example_at(i)) != NULL; i++)
        if (strcmp(e->path, path) == 0)
            return e->arch;
    return "sm_100a";
}

/* Metadata are no arbitrary bits: of every four, the example of mma.sp takes code 0x4 or 0xe, by the lowest. */
static char *with_legal_codes(char *text)
{
    static const char load[] = "E[16 * m + 8 * h + g, c]";
    static const char legal[] = "T.uint16(0x4444) | (E[16 * m + 8 * h + g, c] & T.uint16(0x1111)) * T.uint16(10)";
    const char *at = strstr(text, load);
    if (at == NULL)
        return text;
    char *out = calloc(1, strlen(text) + sizeof legal);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    strcat(strcat(out, legal), at + strlen(load));
    free(text);
    return out;
}

static void every_kernel_of(const char *path)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    char *text = with_legal_codes(read_whole(path));
    const char *names;
    assert_int_equal(tw_list_kernels(ctx, path, text, strlen(text), &names), TW_OK);
    char *list = strdup(names);
    assert_non_null(list);
    for (char *name = strtok(list, "\n"); name != NULL; name = strtok(NULL, "\n"))
        expect_agreement(path, name, strdup(text), arch_of(path), "3");
    free(list);
    free(text);
    tw_ctx_destroy(ctx);
}

static void every_example_gives_the_same_bits(void **state)
{
    static const char *const patterns[] = {"examples/*.py", "examples/*/*.py"};
    (void)state;
    if (!have_nvcc())
        skip();
    glob_t found = {0};
    for (size_t i = 0; i < COUNT(patterns); i++)
        (void)glob(patterns[i], i == 0 ? 0 : GLOB_APPEND, NULL, &found);
    assert_true(found.gl_pathc >= 40);
    for (size_t i = 0; i < found.gl_pathc; i++)
        every_kernel_of(found.gl_pathv[i]);
    globfree(&found);
}

static void a_warp_kernel_agrees_on_every_architecture(void **state)
{
    static const char *const archs[] = {"sm_80", "sm_90a", "sm_100a"};
    (void)state;
    if (!have_nvcc())
        skip();
    for (size_t i = 0; i < COUNT(archs); i++)
        expect_agreement("examples/warp_mma.py", "warp_mma", read_whole("examples/warp_mma.py"), archs[i], "0");
}

/* ---- statements ----------------------------------------------------------------------------------------------- */

#define HEAD "from tvm.script import tirx as T\n\n@T.function\ndef k("
#define ENTRY "):\n    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=64))\n" \
              "    tid = T.cuda.thread_idx(\"x\")\n    block = T.cuda.block_idx(\"x\")\n    i = block * 64 + tid\n"

struct statement_case {
    const char *rule, *parameters, *body;
};

static void statements_agree(void **state)
{
    static const struct statement_case rows[] = {
        {"while, if and floor division",
         "A: T.Tensor((128,), \"int32\"), Out: T.Tensor((128,), \"int32\")",
         "    n = A[i] % 1000 + 2\n"
         "    steps = 0\n"
         "    while n != 1 and steps < 300:\n"
         "        if n % 2 == 0:\n"
         "            n = n // 2\n"
         "        else:\n"
         "            n = 3 * n + 1\n"
         "        steps += 1\n"
         "    Out[i] = steps\n"},
        {"break, continue, and a loop whose bounds are read at run time",
         "A: T.Tensor((128,), \"int32\"), Out: T.Tensor((128,), \"int32\")",
         "    total = 0\n"
         "    for j in range(A[i] % 7, A[(i + 1) % 128] % 50):\n"
         "        if j % 3 == 1:\n"
         "            continue\n"
         "        if total > 1000:\n"
         "            break\n"
         "        total = total * 3 + j\n"
         "    Out[i] = total\n"},
        {"shared memory and a barrier",
         "A: T.Tensor((128,), \"float32\"), Out: T.Tensor((128,), \"float32\")",
         "    s = T.alloc_shared((64,), \"float32\", layout=\"default\")\n"
         "    s[tid] = A[i] * 3.0 + 1.0\n"
         "    T.cuda.cta_sync()\n"
         "    Out[i] = s[63 - tid] - s[(tid + 5) % 64]\n"},
        {"shared memory beyond 48 KiB is dynamic",
         "A: T.Tensor((128,), \"float32\"), Out: T.Tensor((128,), \"float32\")",
         "    s = T.alloc_shared((64, 200), \"float32\", layout=\"default\")\n"
         "    t = T.alloc_shared((64,), \"int16\", layout=\"default\", align=128)\n"
         "    for j in range(200):\n"
         "        s[tid, j] = A[(i + j) % 128] * 2.0\n"
         "    t[tid] = tid * 1001\n"
         "    T.cuda.cta_sync()\n"
         "    Out[i] = s[63 - tid, 199 - tid] + T.float32(t[(tid + 9) % 64])\n"},
        {"a local tensor indexed at run time",
         "A: T.Tensor((128,), \"int32\"), Out: T.Tensor((128,), \"int32\"), n: T.int32",
         "    m = T.alloc_local((16,), \"int32\", layout=\"default\")\n"
         "    for j in range(16):\n"
         "        m[j] = A[(i + j) % 128]\n"
         "    total = 0\n"
         "    for j in T.serial(n):\n"
         "        total = total * 31 + m[(A[i] + j) % 16]\n"
         "    Out[i] = total\n"},
        {"halves and bytes packed into registers",
         "A: T.Tensor((128,), \"float16\"), Out: T.Tensor((128, 4), \"uint32\")",
         "    h = T.alloc_local((4,), \"float16\", layout=\"default\")\n"
         "    b = T.alloc_local((8,), \"uint8\", layout=\"default\")\n"
         "    for j in T.unroll(4):\n"
         "        h[j] = A[(i + j) % 128] * T.float16(0.5)\n"
         "    for j in T.unroll(8):\n"
         "        b[j] = T.uint8(i * 7 + j)\n"
         "    h32 = h.view(\"uint32\")\n"
         "    b32 = b.view(\"uint32\")\n"
         "    Out[i, 0] = h32[0]\n"
         "    Out[i, 1] = h32[1]\n"
         "    Out[i, 2] = b32[0]\n"
         "    Out[i, 3] = b32[1]\n"},
        {"names that C++ or the headers want for themselves",
         "NULL: T.Tensor((128,), \"int32\"), CHAR_BIT: T.Tensor((128,), \"int32\"), unsigned: T.int32",
         "    threadIdx = NULL[i] + unsigned\n"
         "    template = threadIdx * 3\n"
         "    shared_address = template - threadIdx\n"
         "    CHAR_BIT[i] = shared_address\n"},
        {"names of types and functions of the headers, which a variable hides",
         "float4: T.Tensor((128,), \"int32\"), min: T.Tensor((128,), \"int32\"), dim3: T.int32",
         "    int4 = float4[i] * dim3\n"
         "    uint32_t = int4 // 3 + int4 % 5\n"
         "    size_t = T.min(uint32_t, 40)\n"
         "    min[i] = size_t\n"},
        {"raw instructions with results, vectors, predicates and constants",
         "A: T.Tensor((128,), \"float32\"), Out: T.Tensor((128, 8), \"float32\")",
         "    v = T.alloc_local((4,), \"float32\", layout=\"default\")\n"
         "    T.ptx.ld.global_.v4.f32(v[0], v[1], v[2], v[3], A.ptr_to([(i % 32) * 4]))\n"
         "    lane = T.local_scalar(\"uint32\")\n"
         "    chosen = T.local_scalar(\"uint32\")\n"
         "    T.ptx.elect_sync(lane, chosen, T.uint32(0xffffffff))\n"
         "    other = T.local_scalar(\"float32\")\n"
         "    other = 2.5\n"
         "    T.ptx.add.f32(other, v[0], v[1], pred=tid < 40)\n"
         "    swapped = T.local_scalar(\"float32\")\n"
         "    T.ptx[\"shfl.sync.bfly.b32\"](swapped, v[2], 1, 31, T.uint32(0xffffffff))\n"
         "    for j in T.unroll(4):\n"
         "        Out[i, j] = v[3 - j]\n"
         "    Out[i, 4] = T.float32(lane)\n"
         "    Out[i, 5] = T.float32(chosen)\n"
         "    Out[i, 6] = other\n"
         "    Out[i, 7] = swapped\n"},
    };
    (void)state;
    if (!have_nvcc())
        skip();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const size_t size = sizeof HEAD + sizeof ENTRY + strlen(rows[i].parameters) + strlen(rows[i].body);
        char *text = calloc(1, size);
        assert_non_null(text);
        snprintf(text, size, "%s%s%s%s", HEAD, rows[i].parameters, ENTRY, rows[i].body);
        expect_agreement(rows[i].rule, "k", text, "sm_100a", "3");
    }
}

/* The twin of all that agreement: written with plain operators, a product and a sum become one fused operation, which rounds once,
 * and the comparison shows it. */
static void a_contracted_product_and_sum_would_show(void **state)
{
    static const char kernel[] = HEAD "A: T.Tensor((128,), \"float32\"), Out: T.Tensor((128,), \"float32\")" ENTRY
                                 "    Out[i] = A[i] * A[(i + 1) % 128] + Out[i]\n";
    static const char plain[] = "#define __fmul_rn(a, b) ((a) * (b))\n#define __fadd_rn(a, b) ((a) + (b))\n";
    (void)state;
    if (!have_nvcc())
        skip();
    struct both b = compile_both("contraction", "k", strdup(kernel), "sm_100a");
    const char *cuda = text_of(b.ctx, b.ours, TW_EMIT_CUDA);
    char *fused = calloc(1, sizeof plain + strlen(cuda));
    assert_non_null(fused);
    strcat(strcpy(fused, plain), cuda);
    char *ptx = nvcc_ptx("contraction", fused, "sm_100a", "");
    tw_module *other;
    assert_int_equal(tw_module_parse(b.ctx, "fused.ptx", ptx, strlen(ptx), &other), TW_OK);
    struct nvcc_run x = run_filled(b.ctx, b.nvcc, b.contract, "normal", "0", 1);
    struct nvcc_run y = run_filled(b.ctx, other, b.contract, "normal", "0", 1);
    assert_int_equal(x.len, y.len);
    assert_memory_not_equal(x.bytes, y.bytes, x.len);
    tw_module_destroy(other);
    free(x.bytes), free(y.bytes), free(ptx), free(fused);
    release(&b);
}

/* ---- what only the text shows ------------------------------------------------------------------------------------ */

static void the_cuda_is_the_same_each_time_it_is_asked_for(void **state)
{
    (void)state;
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module;
    char *text = read_whole("examples/tensor_mma.py");
    assert_int_equal(tw_compile(ctx, "k.py", text, strlen(text), NULL, &module), TW_OK);
    const char *first = text_of(ctx, module, TW_EMIT_CUDA);
    assert_ptr_equal(first, text_of(ctx, module, TW_EMIT_CUDA));
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    free(text);
}

static void ptx_that_was_read_has_no_cuda(void **state)
{
    static const char ptx[] = ".version 8.8\n.target sm_100a\n.address_size 64\n.entry k() { ret; }\n";
    (void)state;
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module;
    const char *text;
    size_t len;
    assert_int_equal(tw_module_parse(ctx, "k.ptx", ptx, strlen(ptx), &module), TW_OK);
    assert_int_equal(tw_module_text(module, TW_EMIT_CUDA, &text, &len), TW_ERROR);
    assert_string_equal(tw_diagnostics(ctx, TW_TEXT), "error[E0603]: PTX that was read has no CUDA\n");
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_gives_the_same_bits),
        cmocka_unit_test(a_warp_kernel_agrees_on_every_architecture),
        cmocka_unit_test(statements_agree),
        cmocka_unit_test(a_contracted_product_and_sum_would_show),
        cmocka_unit_test(the_cuda_is_the_same_each_time_it_is_asked_for),
        cmocka_unit_test(ptx_that_was_read_has_no_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
