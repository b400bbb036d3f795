/* The part of the CUDA driver API that a launch needs, declared here so that building needs no CUDA headers.
 * SOURCE: CUDA driver API. Types keep the sizes of its ABI; names are those of its symbols, versions included. */
#ifndef TW_GPU_DRIVER_H
#define TW_GPU_DRIVER_H

#include "gpu/gpu.h"

typedef int cuda_result; /* 0: success */
typedef int cuda_device;
typedef uint64_t cuda_address;

enum { CUDA_DONE = 0, CUDA_NO_MEMORY = 2 };

enum cuda_device_attribute { CUDA_DEVICE_MAJOR = 75, CUDA_DEVICE_MINOR = 76 };
enum cuda_func_attribute { CUDA_FUNC_DYNAMIC_SHARED = 8, CUDA_FUNC_ANY_CLUSTER = 14 };
enum cuda_jit_option { CUDA_JIT_ERROR_LOG = 5, CUDA_JIT_ERROR_LOG_BYTES = 6 };
enum cuda_launch_attribute_id { CUDA_LAUNCH_CLUSTER = 4 };

struct cuda_launch_attribute {
    unsigned id;
    char pad[4];
    union {
        unsigned cluster[3];
        char bytes[64];
    } value;
};

struct cuda_launch_config {
    unsigned grid[3], block[3], dynamic_shared_bytes;
    void *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

/* One row an entry point: symbol, member, parameters. */
#define TW_CUDA_CALLS(CALL) \
    CALL(cuInit, init, (unsigned flags)) \
    CALL(cuDriverGetVersion, version, (int *version)) \
    CALL(cuGetErrorName, error_name, (cuda_result result, const char **name)) \
    CALL(cuGetErrorString, error_string, (cuda_result result, const char **text)) \
    CALL(cuDeviceGetCount, device_count, (int *count)) \
    CALL(cuDeviceGet, device_get, (cuda_device *device, int ordinal)) \
    CALL(cuDeviceGetName, device_name, (char *name, int bytes, cuda_device device)) \
    CALL(cuDeviceGetAttribute, device_attribute, (int *value, int attribute, cuda_device device)) \
    CALL(cuCtxCreate_v2, context_create, (void **context, unsigned flags, cuda_device device)) \
    CALL(cuCtxDestroy_v2, context_destroy, (void *context)) \
    CALL(cuCtxPushCurrent_v2, context_push, (void *context)) \
    CALL(cuCtxPopCurrent_v2, context_pop, (void **context)) \
    CALL(cuCtxSynchronize, synchronize, (void)) \
    CALL(cuMemAlloc_v2, alloc, (cuda_address *address, size_t bytes)) \
    CALL(cuMemFree_v2, release, (cuda_address address)) \
    CALL(cuMemsetD8_v2, set, (cuda_address address, unsigned char byte, size_t bytes)) \
    CALL(cuMemcpyHtoD_v2, write, (cuda_address to, const void *from, size_t bytes)) \
    CALL(cuMemcpyDtoH_v2, read, (void *to, cuda_address from, size_t bytes)) \
    CALL(cuModuleLoadDataEx, module_load, (void **module, const void *image, unsigned count, int *options, void **values)) \
    CALL(cuModuleUnload, module_unload, (void *module)) \
    CALL(cuModuleGetFunction, module_function, (void **function, void *module, const char *name)) \
    CALL(cuFuncSetAttribute, function_set, (void *function, int attribute, int value)) \
    CALL(cuLaunchKernelEx, launch, \
         (const struct cuda_launch_config *config, void *function, void **params, void **extra)) \
    CALL(cuTensorMapEncodeTiled, map_tiled, \
         (void *map, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides, \
          const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle, int l2, int fill)) \
    CALL(cuTensorMapEncodeIm2col, map_im2col, \
         (void *map, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides, \
          const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *element_strides, \
          int interleave, int swizzle, int l2, int fill))

struct cuda_api {
#define CALL(symbol, member, parameters) cuda_result (*member) parameters;
    TW_CUDA_CALLS(CALL)
#undef CALL
};

struct gpu_block {
    struct gpu_block *next;
    uint64_t address, bytes;
};

struct gpu {
    void *library;
    struct cuda_api api;
    void *context;
    int version;
    unsigned sm;
    char name[128];
    uint64_t max_memory, used;
    struct gpu_block *blocks;
};

/* Makes the context current; to be ended with tw_gpu_leave. */
bool tw_gpu_enter(struct gpu *gpu);
void tw_gpu_leave(struct gpu *gpu);

/* Adds "CUDA_ERROR_NAME: text" as what was found. */
void tw_gpu_add_result(const struct gpu *gpu, struct diag *d, cuda_result result);

#endif
