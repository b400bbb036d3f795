/* A GPU behind the CUDA driver. What needs a GPU runs where there is one; elsewhere it is named as not run. */
#include "support/check.h"

#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>

static const char scale_ptx[] =
    ".version 7.8\n.target sm_52\n.address_size 64\n"
    ".visible .entry scale(.param .u64 out, .param .u32 by)\n"
    "{\n"
    "    .reg .b64 %rd<4>;\n    .reg .b32 %r<8>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u32 %r1, [by];\n"
    "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.u32 %r5, %r2, %r3, %r4;\n    mul.lo.u32 %r6, %r5, %r1;\n"
    "    mul.wide.u32 %rd2, %r5, 4;\n    add.u64 %rd3, %rd1, %rd2;\n    st.global.u32 [%rd3], %r6;\n"
    "    ret;\n}\n";

struct scale_params {
    uint64_t out;
    uint32_t by;
};

static const uint32_t scale_offsets[] = {0, 8};

static struct gpu_launch_spec scale_launch(const struct scale_params *params)
{
    return (struct gpu_launch_spec){.ptx = tw_str(scale_ptx), .file_name = "scale.ptx", .entry = "scale", .grid = {4, 1, 1},
                                    .block = {32, 1, 1}, .params = params, .param_bytes = 12, .param_offsets = scale_offsets, .param_count = 2};
}

static struct gpu *open_or_skip(struct bench_room *room)
{
    struct gpu *gpu;
    if (tw_gpu_open(&(struct gpu_opts){0}, &room->diags, &gpu))
        return gpu;
    tw_gpu_close(gpu);
    printf("not run: there is no GPU\n");
    skip();
    abort(); /* skip() does not return, but does not say so */
}

static void a_missing_driver_is_named(void **state)
{
    struct bench_room *room = *state;
    struct gpu *gpu;
    assert_false(tw_gpu_open(&(struct gpu_opts){.driver = "libcuda-is-not-here.so.1"}, &room->diags, &gpu));
    tw_gpu_close(gpu);
    tw_test_expect_diags(room,
        "error[E0640]: there is no CUDA driver on this machine\n"
        "  expected: the library libcuda-is-not-here.so.1, which NVIDIA's driver installs\n"
        "     found: no library of that name can be opened\n"
        "       fix: run on the CPU machine (--device cpu, without --compare), or on a machine with an NVIDIA GPU\n");
}

static void a_library_that_is_no_driver_is_named(void **state)
{
    struct bench_room *room = *state;
    struct gpu *gpu;
    assert_false(tw_gpu_open(&(struct gpu_opts){.driver = "libm.so.6"}, &room->diags, &gpu));
    tw_gpu_close(gpu);
    tw_test_expect_diags(room,
        "error[E0641]: libm.so.6 has no entry point cuInit\n"
        "  expected: a driver for CUDA 12.0 or later\n"
        "       fix: update NVIDIA's driver, or run on the CPU machine: --device cpu\n");
}

static void a_device_that_is_not_there_is_named(void **state)
{
    struct bench_room *room = *state;
    struct gpu *gpu;
    tw_gpu_close(open_or_skip(room));
    assert_false(tw_gpu_open(&(struct gpu_opts){.ordinal = 1000}, &room->diags, &gpu));
    tw_gpu_close(gpu);
    assert_non_null(strstr(tw_test_diags(room), "error[E0643]: there is no CUDA device 1000\n  expected: a number from 0 to "));
}

static void memory_is_zeroed_and_bounded(void **state)
{
    struct gpu *gpu = open_or_skip(*state);
    unsigned char bytes[100];
    const uint64_t at = tw_gpu_alloc(gpu, sizeof bytes);
    assert_int_not_equal(at, 0);
    assert_int_equal(at % 256, 0);
    assert_true(tw_gpu_read(gpu, at, bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0);
    assert_true(tw_gpu_write(gpu, at + 98, "ab", 2));
    assert_false(tw_gpu_write(gpu, at + 99, "ab", 2));
    assert_false(tw_gpu_read(gpu, at - 1, bytes, 1));
    assert_true(tw_gpu_read(gpu, at, bytes, sizeof bytes));
    assert_memory_equal(bytes + 98, "ab", 2);
    assert_int_equal(tw_gpu_used(gpu), sizeof bytes);
    assert_true(tw_gpu_release(gpu, at));
    assert_false(tw_gpu_release(gpu, at));
    assert_int_equal(tw_gpu_used(gpu), 0);
    tw_gpu_close(gpu);
}

static void a_kernel_runs_with_its_parameter_block(void **state)
{
    struct bench_room *room = *state;
    struct gpu *gpu = open_or_skip(room);
    uint32_t out[128];
    const struct scale_params params = {tw_gpu_alloc(gpu, sizeof out), 3};
    const struct gpu_launch_spec spec = scale_launch(&params);
    struct gpu_launch *launch = tw_gpu_launch_new(gpu, &spec, &room->diags);
    if (launch == NULL || !tw_gpu_launch_run(launch, &room->diags))
        fail_msg("%s", tw_test_diags(room));
    assert_true(tw_gpu_read(gpu, params.out, out, sizeof out));
    for (uint32_t i = 0; i < COUNT(out); i++)
        assert_int_equal(out[i], 3 * i);
    tw_gpu_launch_free(launch);
    tw_gpu_close(gpu);
}

/* Each row is refused, and the text says what the driver said. */
static void what_the_driver_refuses_is_reported(void **state)
{
    struct bench_room *room = *state;
    struct gpu *gpu = open_or_skip(room);
    const struct scale_params params = {tw_gpu_alloc(gpu, 512), 3};
    struct gpu_launch_spec spec = scale_launch(&params);
    spec.ptx = tw_str(".version 7.8\n.target sm_52\n.address_size 64\n.visible .entry scale() { nonsense; }\n");
    assert_null(tw_gpu_launch_new(gpu, &spec, &room->diags));
    assert_non_null(strstr(tw_test_diags(room), "error[E0644]: the CUDA driver refuses scale.ptx for "));
    assert_non_null(strstr(tw_test_diags(room), "nonsense"));
    spec = scale_launch(&params);
    spec.dynamic_shared_bytes = 1 << 20;
    assert_null(tw_gpu_launch_new(gpu, &spec, &room->diags));
    assert_non_null(strstr(tw_test_diags(room), "error[E0645]: the CUDA driver refuses to launch 'scale': cuFuncSetAttribute failed\n"));
    spec = scale_launch(&params);
    spec.block[0] = 2048;
    struct gpu_launch *launch = tw_gpu_launch_new(gpu, &spec, &room->diags);
    assert_non_null(launch);
    assert_false(tw_gpu_launch_run(launch, &room->diags));
    assert_non_null(strstr(tw_test_diags(room), "cuLaunchKernelEx failed\n     found: CUDA_ERROR_INVALID_VALUE (1): "));
    tw_gpu_launch_free(launch);
    tw_gpu_close(gpu);
}

/* After a fault nothing can be read, and the process gets no other context: the test stands last. */
static void a_failed_kernel_is_reported(void **state)
{
    struct bench_room *room = *state;
    struct gpu *gpu = open_or_skip(room);
    uint32_t word;
    const uint64_t memory = tw_gpu_alloc(gpu, 4);
    const struct scale_params params = {8, 3};
    const struct gpu_launch_spec spec = scale_launch(&params);
    struct gpu_launch *launch = tw_gpu_launch_new(gpu, &spec, &room->diags);
    assert_non_null(launch);
    assert_false(tw_gpu_launch_run(launch, &room->diags));
    assert_non_null(strstr(tw_test_diags(room), "error[E0647]: the kernel 'scale' failed on "));
    assert_false(tw_gpu_read(gpu, memory, &word, sizeof word));
    tw_gpu_launch_free(launch);
    tw_gpu_close(gpu);
}

/* The driver's maps carry the address first; a box too large is refused. */
static void maps_are_the_drivers_own(void **state)
{
    struct bench_room *room = *state;
    struct gpu *gpu = open_or_skip(room);
    uint8_t bytes[TENSOR_MAP_BYTES];
    struct tensor_map map = {.mode = TMAP_TILE, .type = TMAP_F16, .rank = 2, .address = tw_gpu_alloc(gpu, 64 * 64 * 2),
                             .dims = {64, 64}, .strides = {0, 128}, .box = {64, 8}, .element_strides = {1, 1},
                             .swizzle = TMAP_SWIZZLE_128B};
    if (!tw_gpu_encode_map(gpu, &map, "m", &room->diags, bytes))
        fail_msg("%s", tw_test_diags(room));
    assert_memory_equal(bytes, &map.address, 6);
    map.box[0] = 1000;
    assert_false(tw_gpu_encode_map(gpu, &map, "m", &room->diags, bytes));
    assert_non_null(strstr(tw_test_diags(room), "error[E0646]: the CUDA driver refuses tensor map 'm'\n     found: CUDA_ERROR_INVALID_VALUE (1): "));
    tw_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_missing_driver_is_named),
        ROOM_TEST(a_library_that_is_no_driver_is_named),
        ROOM_TEST(a_device_that_is_not_there_is_named),
        ROOM_TEST(memory_is_zeroed_and_bounded),
        ROOM_TEST(a_kernel_runs_with_its_parameter_block),
        ROOM_TEST(what_the_driver_refuses_is_reported),
        ROOM_TEST(maps_are_the_drivers_own),
        ROOM_TEST(a_failed_kernel_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
