/* What the CUDA driver is told, on any machine: a recording driver (tests/gpu/driver) takes its place. */
#include "support/check.h"

#include "gpu/gpu.h"
#include "gpu/driver/record.h"

#include <dlfcn.h>
#include <stdlib.h>

static const char *driver_path(void)
{
    const char *const path = getenv("TW_RECORDING_DRIVER");
    return path == NULL ? RECORDING_DRIVER : path;
}

/* The driver stays loaded, and begins each test as new. */
static struct cuda_record *begin(void)
{
    void *const library = dlopen(driver_path(), RTLD_NOW);
    struct cuda_record *(*get)(void);
    if (library == NULL)
        fail_msg("%s", dlerror());
    void *const at = dlsym(library, "cuda_driver_record");
    memcpy(&get, &at, sizeof get);
    struct cuda_record *const r = get();
    *r = (struct cuda_record){.device_count = 2, .major = 9, .dynamic_shared = -1, .any_cluster = -1};
    return r;
}

static struct gpu *open_recorder(struct bench_room *room)
{
    struct gpu *gpu;
    if (!tw_gpu_open(&(struct gpu_opts){.driver = driver_path(), .ordinal = 1}, &room->diags, &gpu))
        fail_msg("%s", tw_test_diags(room));
    return gpu;
}

/* Two parameters: a 64-bit pointer, and 32 bits after 8 bytes of padding. */
static const uint32_t offsets[] = {0, 16};
static const unsigned char block[20] = {1, 2, 3, 4, 5, 6, 7, 8, [16] = 9, 10, 11, 12};

static struct gpu_launch_spec some_launch(void)
{
    return (struct gpu_launch_spec){.ptx = {"text of the module|more", 18}, .file_name = "k.ptx", .entry = "k", .grid = {4, 2, 0},
                                    .block = {32, 0, 0}, .params = block, .param_bytes = sizeof block, .param_offsets = offsets,
                                    .param_count = 2};
}

static void opening_leaves_no_context_current(void **state)
{
    struct cuda_record *const r = begin();
    struct gpu *gpu = open_recorder(*state);
    assert_int_equal(r->contexts, 1);
    assert_int_equal(r->depth, 0);
    assert_string_equal(tw_gpu_name(gpu), "Recording GPU");
    assert_int_equal(tw_gpu_sm(gpu), 90);
    assert_int_equal(tw_gpu_driver_version(gpu), 12040);
    tw_gpu_close(gpu);
    assert_int_equal(r->contexts, 0);
}

static void a_driver_that_does_not_start_is_quoted(void **state)
{
    struct bench_room *room = *state;
    struct cuda_record *const r = begin();
    struct gpu *gpu;
    r->failing = "cuInit";
    assert_false(tw_gpu_open(&(struct gpu_opts){.driver = driver_path()}, &room->diags, &gpu));
    tw_gpu_close(gpu);
    tw_test_expect_diags(room,
        "error[E0642]: the CUDA driver cannot be used: cuInit failed\n"
        "     found: CUDA_ERROR_INVALID_VALUE (1): invalid argument\n"
        "       fix: see that nvidia-smi lists the GPU, or run on the CPU machine: --device cpu\n");
}

static void a_device_number_out_of_range_is_refused(void **state)
{
    struct bench_room *room = *state;
    begin();
    struct gpu *gpu;
    assert_false(tw_gpu_open(&(struct gpu_opts){.driver = driver_path(), .ordinal = 2}, &room->diags, &gpu));
    tw_gpu_close(gpu);
    tw_test_expect_diags(room,
        "error[E0643]: there is no CUDA device 2\n"
        "  expected: a number from 0 to 1\n"
        "     found: 2 devices\n");
}

static void memory_is_zeroed_bounded_and_counted(void **state)
{
    struct bench_room *room = *state;
    struct cuda_record *const r = begin();
    struct gpu *gpu;
    assert_true(tw_gpu_open(&(struct gpu_opts){.driver = driver_path(), .max_memory = 100}, &room->diags, &gpu));
    unsigned char bytes[60];
    const uint64_t at = tw_gpu_alloc(gpu, sizeof bytes);
    assert_int_equal(tw_gpu_alloc(gpu, 41), 0);
    assert_true(tw_gpu_read(gpu, at, bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0);
    assert_false(tw_gpu_write(gpu, at + 59, bytes, 2));
    assert_false(tw_gpu_read(gpu, at + 61, bytes, 0));
    assert_false(tw_gpu_read(gpu, UINT64_MAX, bytes, 2));
    assert_int_equal(tw_gpu_used(gpu), 60);
    r->failing = "cuMemcpyDtoH";
    assert_false(tw_gpu_read(gpu, at, bytes, 1));
    r->failing = NULL;
    assert_true(tw_gpu_release(gpu, at));
    assert_int_equal(r->allocations, 0);
    r->failing = "cuMemAlloc";
    assert_int_equal(tw_gpu_alloc(gpu, 1), 0);
    assert_int_equal(r->depth, 0);
    tw_gpu_close(gpu);
}

/* Each parameter goes by its own pointer, the text ends in a NUL where its length says, sizes of 0 are 1, and a launch without
 * a cluster carries no attribute. */
static void a_launch_is_passed_on(void **state)
{
    struct bench_room *room = *state;
    struct cuda_record *const r = begin();
    struct gpu *gpu = open_recorder(room);
    const struct gpu_launch_spec spec = some_launch();
    struct gpu_launch *launch = tw_gpu_launch_new(gpu, &spec, &room->diags);
    assert_non_null(launch);
    assert_true(tw_gpu_launch_run(launch, &room->diags));
    assert_string_equal(r->image, "text of the module");
    assert_string_equal(r->function, "k");
    assert_memory_equal(r->grid, ((unsigned[]){4, 2, 1}), sizeof r->grid);
    assert_memory_equal(r->block, ((unsigned[]){32, 1, 1}), sizeof r->block);
    assert_int_equal(r->attribute_count, 0);
    assert_int_equal(r->shared_bytes, 0);
    assert_int_equal(r->dynamic_shared, -1);
    assert_memory_equal(r->params, block, 8);
    assert_memory_equal(r->params + 8, block + 16, 4);
    assert_int_equal(r->modules, 1);
    tw_gpu_launch_free(launch);
    assert_int_equal(r->modules, 0);
    assert_int_equal(r->depth, 0);
    tw_gpu_close(gpu);
}

static void clusters_and_shared_memory_are_asked_for(void **state)
{
    static const struct { uint32_t cluster[3], shared_bytes; int any_cluster; bool explicit_cluster; } rows[] = {
        {{2, 1, 1}, 0, -1, false}, {{4, 2, 1}, 100000, -1, false}, {{16, 1, 1}, 5, 1, false}, {{1, 1, 1}, 0, -1, true}, {{2, 1, 1}, 0, -1, true},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cuda_record *const r = begin();
        struct gpu *gpu = open_recorder(room);
        struct gpu_launch_spec spec = some_launch();
        memcpy(spec.cluster, rows[i].cluster, sizeof spec.cluster);
        spec.dynamic_shared_bytes = rows[i].shared_bytes;
        spec.explicit_cluster = rows[i].explicit_cluster;
        struct gpu_launch *launch = tw_gpu_launch_new(gpu, &spec, &room->diags);
        assert_non_null(launch);
        assert_true(tw_gpu_launch_run(launch, &room->diags));
        assert_int_equal(r->attribute_count, 1);
        assert_int_equal(r->attribute_id, 4);
        assert_memory_equal(r->cluster, rows[i].cluster, sizeof r->cluster);
        assert_int_equal(r->shared_bytes, rows[i].shared_bytes);
        assert_int_equal(r->dynamic_shared, rows[i].shared_bytes == 0 ? -1 : (int)rows[i].shared_bytes);
        assert_int_equal(r->any_cluster, rows[i].any_cluster);
        tw_gpu_launch_free(launch);
        tw_gpu_close(gpu);
    }
}

/* The compiler's log is one line of the message; without one the driver's own words stand there. */
static void refused_text_shows_the_log(void **state)
{
    struct bench_room *room = *state;
    struct cuda_record *const r = begin();
    struct gpu *gpu = open_recorder(room);
    const struct gpu_launch_spec spec = some_launch();
    r->failing = "cuModuleLoadDataEx";
    r->jit_log = "ptxas: line 3; syntax error\nptxas fatal\n";
    assert_null(tw_gpu_launch_new(gpu, &spec, &room->diags));
    r->jit_log = NULL;
    assert_null(tw_gpu_launch_new(gpu, &spec, &room->diags));
    tw_test_expect_diags(room,
        "error[E0644]: the CUDA driver refuses k.ptx for Recording GPU (sm_90)\n"
        "  expected: PTX for .target sm_90a, or for sm_90 or lower without a suffix\n"
        "     found: ptxas: line 3; syntax error ptxas fatal\n"
        "error[E0644]: the CUDA driver refuses k.ptx for Recording GPU (sm_90)\n"
        "  expected: PTX for .target sm_90a, or for sm_90 or lower without a suffix\n"
        "     found: CUDA_ERROR_OTHER (218): other\n");
    assert_int_equal(r->depth, 0);
    tw_gpu_close(gpu);
}

static void a_refused_launch_names_the_call(void **state)
{
    static const struct { const char *failing; bool made; const char *want; } rows[] = {
        {"cuModuleGetFunction", false, "E0645]: the CUDA driver refuses to launch 'k': cuModuleGetFunction failed\n"},
        {"cuFuncSetAttribute", false, "E0645]: the CUDA driver refuses to launch 'k': cuFuncSetAttribute failed\n"},
        {"cuLaunchKernelEx", true, "E0645]: the CUDA driver refuses to launch 'k': cuLaunchKernelEx failed\n"},
        {"cuCtxSynchronize", true, "E0647]: the kernel 'k' failed on Recording GPU\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cuda_record *const r = begin();
        struct gpu *gpu = open_recorder(room);
        struct gpu_launch_spec spec = some_launch();
        spec.dynamic_shared_bytes = 64;
        r->failing = rows[i].failing;
        struct gpu_launch *launch = tw_gpu_launch_new(gpu, &spec, &room->diags);
        assert_int_equal(launch != NULL, rows[i].made);
        if (launch != NULL)
            assert_false(tw_gpu_launch_run(launch, &room->diags));
        if (strstr(tw_test_diags(room), rows[i].want) == NULL)
            fail_msg("%s: %s", rows[i].failing, tw_test_diags(room));
        tw_gpu_launch_free(launch);
        assert_int_equal(r->modules, 0);
        tw_gpu_close(gpu);
    }
}

static void maps_are_described_innermost_first(void **state)
{
    struct bench_room *room = *state;
    struct cuda_record *const r = begin();
    struct gpu *gpu = open_recorder(room);
    uint8_t bytes[TENSOR_MAP_BYTES] = {0};
    struct tensor_map map = {.mode = TMAP_TILE, .type = TMAP_BF16, .rank = 3, .address = 0x10000, .dims = {64, 20, 3},
                             .strides = {0, 128, 4096}, .box = {32, 8, 1}, .element_strides = {1, 2, 1},
                             .interleave = TMAP_INTERLEAVE_NONE, .swizzle = TMAP_SWIZZLE_64B, .fill = TMAP_FILL_NAN, .l2 = TMAP_L2_128B};
    assert_true(tw_gpu_encode_map(gpu, &map, "m", &room->diags, bytes));
    assert_int_equal(bytes[0], 0xcd);
    assert_int_equal(bytes[TENSOR_MAP_BYTES - 1], 0xcd);
    assert_int_equal(r->map_type, 9); /* CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 */
    assert_int_equal(r->map_rank, 3);
    assert_int_equal(r->map_address, 0x10000);
    assert_memory_equal(r->map_dims, map.dims, 3 * sizeof map.dims[0]);
    assert_memory_equal(r->map_strides, map.strides + 1, 2 * sizeof map.strides[0]);
    assert_memory_equal(r->map_box, map.box, 3 * sizeof map.box[0]);
    assert_memory_equal(r->map_element_strides, map.element_strides, 3 * sizeof map.element_strides[0]);
    assert_int_equal(r->map_interleave, 0);
    assert_int_equal(r->map_swizzle, 2);
    assert_int_equal(r->map_l2, 2);
    assert_int_equal(r->map_fill, 1);
    tw_gpu_close(gpu);
}

static void im2col_maps_carry_their_corners(void **state)
{
    struct bench_room *room = *state;
    struct cuda_record *const r = begin();
    struct gpu *gpu = open_recorder(room);
    uint8_t bytes[TENSOR_MAP_BYTES];
    struct tensor_map map = {.mode = TMAP_IM2COL, .type = TMAP_F16, .rank = 4, .address = 0x10000, .dims = {64, 16, 16, 2},
                             .strides = {0, 128, 2048, 32768}, .lower = {-1, -2}, .upper = {1, 2}, .channels = 32, .pixels = 64,
                             .element_strides = {1, 1, 1, 1}};
    assert_true(tw_gpu_encode_map(gpu, &map, "m", &room->diags, bytes));
    assert_memory_equal(r->map_lower, map.lower, 2 * sizeof map.lower[0]);
    assert_memory_equal(r->map_upper, map.upper, 2 * sizeof map.upper[0]);
    assert_int_equal(r->map_channels, 32);
    assert_int_equal(r->map_pixels, 64);
    r->failing = "cuTensorMapEncodeIm2col";
    assert_false(tw_gpu_encode_map(gpu, &map, "m", &room->diags, bytes));
    map.mode = TMAP_IM2COL_WIDE;
    assert_false(tw_gpu_encode_map(gpu, &map, "m", &room->diags, bytes));
    tw_test_expect_diags(room,
        "error[E0646]: the CUDA driver refuses tensor map 'm'\n"
        "     found: CUDA_ERROR_INVALID_VALUE (1): invalid argument\n"
        "error[E0646]: tensor map 'm': maps of im2col::w are not made on a GPU\n");
    tw_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(opening_leaves_no_context_current),
        ROOM_TEST(a_driver_that_does_not_start_is_quoted),
        ROOM_TEST(a_device_number_out_of_range_is_refused),
        ROOM_TEST(memory_is_zeroed_bounded_and_counted),
        ROOM_TEST(a_launch_is_passed_on),
        ROOM_TEST(clusters_and_shared_memory_are_asked_for),
        ROOM_TEST(refused_text_shows_the_log),
        ROOM_TEST(a_refused_launch_names_the_call),
        ROOM_TEST(maps_are_described_innermost_first),
        ROOM_TEST(im2col_maps_carry_their_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
