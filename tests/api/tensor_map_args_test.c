/* Tensor maps, hidden tensors and scratch as arguments of a launch, through the public interface alone. */
#include "support/check.h"

#include "tilewright/tilewright.h"

/* One warp loads a box of 32 x 4 words at (0, 2) of the map's tensor; every thread writes its four words to scratch, then out. */
static const char load_ptx[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry load(.param .align 64 .b8 map[128], .param .u64 buffer, .param .u64 out)\n{\n"
    "  .reg .b64 %a<6>; .reg .b32 %r<9>; .reg .pred %p<3>;\n  .shared .align 128 .b8 box[512];\n  .shared .align 8 .b8 bar[8];\n"
    "  mov.u32 %r0, %tid.x; mov.u32 %r1, box; mov.u32 %r2, bar; mov.b64 %a0, map; cvta.param.u64 %a0, %a0;\n"
    "  ld.param.u64 %a1, [buffer]; ld.param.u64 %a2, [out]; setp.ne.u32 %p0, %r0, 0;\n"
    "  @!%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\n  bar.sync 0;\n  @%p0 bra WAIT;\n"
    "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 512;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%a0, {0, 2}], [%r2];\n"
    "WAIT:\n  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n  @!%p1 bra WAIT;\n"
    "  shl.b32 %r3, %r0, 4; add.u32 %r4, %r1, %r3; cvt.u64.u32 %a3, %r3; add.u64 %a1, %a1, %a3; add.u64 %a2, %a2, %a3;\n"
    "  ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4]; st.global.v4.u32 [%a1], {%r5, %r6, %r7, %r8};\n"
    "  ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%a1]; st.global.v4.u32 [%a2], {%r5, %r6, %r7, %r8};\n  ret;\n}\n";

struct bench {
    tw_ctx *ctx;
    tw_module *module;
    tw_device *device;
    tw_args *args;
};

static tw_status open_bench(struct bench *b, const char *contract)
{
    *b = (struct bench){.ctx = tw_ctx_create(NULL)};
    assert_non_null(b->ctx);
    assert_int_equal(tw_module_parse(b->ctx, "load.ptx", load_ptx, strlen(load_ptx), &b->module), TW_OK);
    assert_int_equal(tw_device_create(b->ctx, NULL, &b->device), TW_OK);
    return tw_args_create(b->device, b->module, NULL, "load.json", contract, strlen(contract), &b->args);
}

static void close_bench(struct bench *b)
{
    tw_args_destroy(b->args);
    tw_device_destroy(b->device);
    tw_module_destroy(b->module);
    tw_ctx_destroy(b->ctx);
}

#define CONTRACT(map, scratch)                                                                                            \
    "{\"entry\": \"load\", \"block\": 32, \"args\": [\n  {\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", " map "},\n" \
    "  {\"name\": \"buffer\", \"kind\": \"scratch\", \"bytes\": " scratch "},\n"                                            \
    "  {\"name\": \"out\", \"kind\": \"tensor\", \"dtype\": \"uint32\", \"shape\": [4, 32]}],\n"                            \
    "  \"tensors\": [{\"name\": \"A\", \"dtype\": \"uint32\", \"shape\": [5, 40]}]}"

static void a_map_reaches_a_tensor_that_is_no_parameter(void **state)
{
    (void)state;
    struct bench b;
    tw_launch *launch;
    uint64_t address, bytes;
    uint32_t out[4][32];
    assert_int_equal(open_bench(&b, CONTRACT("\"box\": [32, 4]", "512")), TW_OK);
    assert_int_equal(tw_args_fill(b.args, "A", "iota", 0), TW_OK);
    assert_int_equal(tw_args_launch(b.args, NULL, &launch), TW_OK);
    assert_int_equal(tw_launch_run(launch, 0), TW_OK);
    tw_launch_destroy(launch);
    assert_int_equal(tw_args_tensor(b.args, "out", &address, &bytes), TW_OK);
    assert_int_equal(bytes, sizeof out);
    assert_int_equal(tw_read(b.device, address, out, sizeof out), TW_OK);
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 32; c++)
            assert_int_equal(out[r][c], r + 2 < 5 ? (r + 2) * 40 + c : 0);
    close_bench(&b);
}

static void a_map_that_the_encoder_refuses_names_its_field(void **state)
{
    (void)state;
    struct bench b;
    assert_int_equal(open_bench(&b, CONTRACT("\"box\": [32, 4], \"swizzle\": \"64B\"", "512")), TW_ERROR);
    assert_string_equal(tw_diagnostics(b.ctx, TW_TEXT),
                        "load.json:2:61: error[E0789]: tensor map 'm': boxDim[0] breaks a rule\n"
                        "    2 |   {\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [32, 4], \"swizzle\": \"64B\"},\n"
                        "      |                                                             ^~~~~~~\n"
                        "  expected: at most 64 bytes with swizzle 64B\n     found: 128 bytes\n      spec: CUDA driver API, cuTensorMapEncodeTiled\n");
    close_bench(&b);
}

/* The name is known; what it does is not. */
static void swizzle_96b_is_refused_by_name(void **state)
{
    (void)state;
    struct bench b;
    assert_int_equal(open_bench(&b, CONTRACT("\"box\": [24, 4], \"swizzle\": \"96B\"", "512")), TW_ERROR);
    assert_string_equal(tw_diagnostics(b.ctx, TW_TEXT),
                        "load.json:2:81: error[E0789]: tensor map 'm': swizzle breaks a rule\n"
                        "    2 |   {\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [24, 4], \"swizzle\": \"96B\"},\n"
                        "      |                                                                                 ^~~~~\n"
                        "  expected: another swizzle; where 96B puts a row is documented nowhere\n"
                        "     found: 96B\n      spec: CUDA driver API, cuTensorMapEncodeTiled\n");
    close_bench(&b);
}

static void names_of_all_tensors_are_listed(void **state)
{
    (void)state;
    struct bench b;
    assert_int_equal(open_bench(&b, CONTRACT("\"box\": [32, 4]", "512")), TW_OK);
    assert_int_equal(tw_args_fill(b.args, "B", "iota", 0), TW_ERROR);
    assert_string_equal(tw_diagnostics(b.ctx, TW_TEXT), "error[E0620]: entry 'load' has no tensor argument 'B'\n  expected: one of: out, A\n");
    close_bench(&b);
}

/* ---- of compiled kernels ------------------------------------------------------------------------------------ */

#define KERNEL(type)                                                                                                             \
    "from tvm.script import tirx as T\n@T.function\n"                                                                            \
    "def k(X: T.Tensor((40, 104), \"float16\", align=16), m: " type "):\n"                                                        \
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    T.ptx.prefetch.tensormap(m)\n"

static tw_module *compiled(tw_ctx *ctx, const char *text)
{
    tw_module *module = NULL;
    if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = "sm_90a"}, &module) != TW_OK)
        fail_msg("%s", tw_diagnostics(ctx, TW_TEXT));
    return module;
}

static void the_contract_of_a_kernel_describes_its_maps(void **state)
{
    (void)state;
    static const char want[] =
        "    {\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"X\", \"dtype\": \"f16\", \"dims\": [104, 40], \"strides\": [208], \"box\": [64, 16], "
        "\"element_strides\": [1, 2], \"swizzle\": \"128B\", \"interleave\": \"none\", \"fill\": \"nan\", \"l2\": \"none\"}\n";
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module =
        compiled(ctx, KERNEL("T.TensorMap(\"X\", box=(16, 64), swizzle=\"128B\", element_strides=(2, 1), fill=\"nan\")"));
    const char *contract;
    size_t len;
    assert_int_equal(tw_module_text(module, TW_EMIT_LAUNCH, &contract, &len), TW_OK);
    if (strstr(contract, want) == NULL)
        fail_msg("%s", contract);
    tw_device *device;
    tw_args *args;
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK); /* what was written is read, and the map is made */
    assert_int_equal(tw_args_create(device, module, NULL, "k.json", contract, len, &args), TW_OK);
    tw_args_destroy(args);
    tw_device_destroy(device);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

static void both_back_ends_pass_a_map_by_value(void **state)
{
    (void)state;
    static const char *const ptx_has[] = {".param .align 64 .b8 m_param[128]", "mov.b64 %rd0, m_param;", "cvta.param.u64 %rd1, %rd0;", "prefetch.tensormap [%rd1];"};
    static const char *const cuda_has[] = {"struct alignas(64) tensor_map {", "unsigned char bytes[128];", "const __grid_constant__ tensor_map m)", "(char *)&m"};
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = compiled(ctx, KERNEL("T.TensorMap(\"X\", box=(16, 64))"));
    const char *ptx, *cuda;
    size_t len;
    assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &ptx, &len), TW_OK);
    assert_int_equal(tw_module_text(module, TW_EMIT_CUDA, &cuda, &len), TW_OK);
    for (size_t i = 0; i < COUNT(ptx_has); i++)
        if (strstr(ptx, ptx_has[i]) == NULL || strstr(cuda, cuda_has[i]) == NULL)
            fail_msg("'%s' or '%s' is missing in\n%s\n%s", ptx_has[i], cuda_has[i], ptx, cuda);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

static void a_map_that_nothing_describes_cannot_be_launched(void **state)
{
    (void)state;
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = compiled(ctx, KERNEL("T.TensorMap"));
    const char *contract;
    size_t len;
    tw_device *device;
    tw_args *args;
    assert_int_equal(tw_module_text(module, TW_EMIT_LAUNCH, &contract, &len), TW_OK);
    assert_non_null(strstr(contract, "    {\"name\": \"m\", \"kind\": \"tensor_map\"}\n"));
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
    assert_int_equal(tw_args_create(device, module, NULL, NULL, NULL, 0, &args), TW_ERROR);
    assert_string_equal(tw_diagnostics(ctx, TW_TEXT),
                        "error[E0789]: nothing describes tensor map 'm'\n"
                        "  expected: the tensor that it is made from, and its box\n"
                        "       fix: write m: T.TensorMap(\"tensor\", box=(...)), or run the PTX with a launch contract that describes it\n");
    tw_device_destroy(device);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

/* What only newer devices have is judged when the target is known. */
static void a_target_that_lacks_a_swizzle_refuses_the_map(void **state)
{
    (void)state;
    static const char text[] = KERNEL("T.TensorMap(\"X\", box=(16, 64), swizzle=\"128B_ATOM_32B\")");
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    assert_int_equal(tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = "sm_90a"}, &module), TW_ERROR);
    assert_string_equal(tw_diagnostics(ctx, TW_TEXT),
                        "k.py:3:52: error[E0816]: tensor map 'm' of 'X': swizzle breaks a rule\n"
                        "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), m: T.TensorMap(\"X\", box=(16, 64), swizzle=\"128B_ATOM_32B\")):\n"
                        "      |                                                    ^\n"
                        "  expected: none, 32B, 64B or 128B; the others need sm_100\n     found: 128B_ATOM_32B\n"
                        "      spec: CUDA driver API, cuTensorMapEncodeTiled\n");
    tw_module_destroy(compiled(ctx, KERNEL("T.TensorMap(\"X\", box=(16, 64), swizzle=\"128B\")")));
    tw_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_reaches_a_tensor_that_is_no_parameter),
        cmocka_unit_test(a_map_that_the_encoder_refuses_names_its_field),
        cmocka_unit_test(swizzle_96b_is_refused_by_name),
        cmocka_unit_test(names_of_all_tensors_are_listed),
        cmocka_unit_test(the_contract_of_a_kernel_describes_its_maps),
        cmocka_unit_test(both_back_ends_pass_a_map_by_value),
        cmocka_unit_test(a_map_that_nothing_describes_cannot_be_launched),
        cmocka_unit_test(a_target_that_lacks_a_swizzle_refuses_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
