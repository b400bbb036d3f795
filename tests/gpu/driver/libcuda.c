/* The recording driver: see record.h. Declarations are the driver's, written again rather than taken from src/gpu, so that
 * a wrong one there shows. */
#include "gpu/driver/record.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { DONE = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_CONTEXT = 201, INVALID_PTX = 218 };

static struct cuda_record record = {.device_count = 1, .major = 9, .dynamic_shared = -1, .any_cluster = -1};

EXPORT struct cuda_record *cuda_driver_record(void)
{
    return &record;
}

/* What fails is set in the record, or for a command in its environment. */
static int answer(const char *call)
{
    const char *const failing = record.failing != NULL ? record.failing : getenv("RECORDING_DRIVER_FAILS");
    return failing != NULL && strcmp(failing, call) == 0 ? INVALID_VALUE : DONE;
}

/* Calls that need a current context. */
static int inside(const char *call)
{
    return record.depth == 0 ? NO_CONTEXT : answer(call);
}

EXPORT int cuInit(unsigned flags) { return flags == 0 ? answer("cuInit") : INVALID_VALUE; }
EXPORT int cuDriverGetVersion(int *version) { *version = 12040; return DONE; }
EXPORT int cuDeviceGetCount(int *count) { *count = record.device_count; return answer("cuDeviceGetCount"); }
EXPORT int cuDeviceGet(int *device, int ordinal) { *device = ordinal + 40; return answer("cuDeviceGet"); }

EXPORT int cuGetErrorName(int result, const char **name)
{
    *name = result == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_OTHER";
    return DONE;
}

EXPORT int cuGetErrorString(int result, const char **text)
{
    *text = result == INVALID_VALUE ? "invalid argument" : "other";
    return DONE;
}

EXPORT int cuDeviceGetName(char *name, int bytes, int device)
{
    strncpy(name, "Recording GPU", (size_t)bytes);
    return device >= 40 ? DONE : INVALID_VALUE;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? record.major : attribute == 76 ? record.minor : -1;
    return device >= 40 ? DONE : INVALID_VALUE;
}

EXPORT int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
    if (answer("cuCtxCreate") != DONE || flags != 0 || device < 40)
        return INVALID_VALUE;
    *context = &record;
    record.contexts++;
    record.depth++;
    return DONE;
}

EXPORT int cuCtxDestroy_v2(void *context) { record.contexts--; return context == &record ? DONE : INVALID_VALUE; }
EXPORT int cuCtxPushCurrent_v2(void *context) { record.depth++; return context == &record ? DONE : INVALID_VALUE; }
EXPORT int cuCtxPopCurrent_v2(void **context) { record.depth--; *context = &record; return DONE; }
EXPORT int cuCtxSynchronize(void) { return inside("cuCtxSynchronize"); }

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    if (inside("cuMemAlloc") != DONE)
        return OUT_OF_MEMORY;
    void *const at = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (at == NULL)
        return OUT_OF_MEMORY;
    memset(at, 0xa5, bytes);
    *address = (uint64_t)(uintptr_t)at;
    record.allocations++;
    record.allocated = bytes;
    return DONE;
}

EXPORT int cuMemFree_v2(uint64_t address)
{
    free((void *)(uintptr_t)address);
    record.allocations--;
    return inside("cuMemFree");
}

EXPORT int cuMemsetD8_v2(uint64_t address, unsigned char byte, size_t bytes)
{
    memset((void *)(uintptr_t)address, byte, bytes);
    return inside("cuMemsetD8");
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return inside("cuMemcpyHtoD");
}

EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return inside("cuMemcpyDtoH");
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values)
{
    strncpy(record.image, image, sizeof record.image - 1);
    if (inside("cuModuleLoadDataEx") != DONE) {
        for (unsigned i = 0; i + 1 < count && record.jit_log != NULL; i++)
            if (options[i] == 5 && options[i + 1] == 6 && (size_t)(uintptr_t)values[i + 1] > strlen(record.jit_log))
                strcpy(values[i], record.jit_log);
        return INVALID_PTX;
    }
    *module = record.image;
    record.modules++;
    return DONE;
}

EXPORT int cuModuleUnload(void *module) { record.modules--; return module == record.image ? DONE : INVALID_VALUE; }

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    strncpy(record.function, name, sizeof record.function - 1);
    *function = record.function;
    return module == record.image ? inside("cuModuleGetFunction") : INVALID_VALUE;
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
    if (attribute == 8)
        record.dynamic_shared = value;
    if (attribute == 14)
        record.any_cluster = value;
    return function == record.function ? inside("cuFuncSetAttribute") : INVALID_VALUE;
}

struct launch_attribute {
    int id;
    char pad[4];
    union {
        struct {
            unsigned x, y, z;
        } cluster;
        char pad[64];
    } value;
};

struct launch_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void *stream;
    struct launch_attribute *attributes;
    unsigned attribute_count;
};

EXPORT int cuLaunchKernelEx(const struct launch_config *c, void *function, void **params, void **extra)
{
    if (extra != NULL || function != record.function || c->stream != NULL)
        return INVALID_VALUE;
    memcpy(record.grid, &c->grid_x, sizeof record.grid);
    memcpy(record.block, &c->block_x, sizeof record.block);
    record.shared_bytes = c->shared_bytes;
    record.attribute_count = c->attribute_count;
    if (c->attribute_count == 1) {
        record.attribute_id = (unsigned)c->attributes[0].id;
        memcpy(record.cluster, &c->attributes[0].value.cluster, sizeof record.cluster);
    }
    /* The tests' entry: eight bytes and four. */
    memcpy(record.params, params[0], 8);
    memcpy(record.params + 8, params[1], 4);
    return inside("cuLaunchKernelEx");
}

static void note_map(int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides, const uint32_t *element_strides)
{
    record.map_type = type;
    record.map_rank = rank;
    record.map_address = (uint64_t)(uintptr_t)address;
    memcpy(record.map_dims, dims, rank * sizeof *dims);
    memcpy(record.map_strides, strides, (rank - 1) * sizeof *strides);
    memcpy(record.map_element_strides, element_strides, rank * sizeof *element_strides);
}

static int made_map(void *map, const char *call, int interleave, int swizzle, int l2, int fill)
{
    record.map_interleave = interleave;
    record.map_swizzle = swizzle;
    record.map_l2 = l2;
    record.map_fill = fill;
    if ((uintptr_t)map % 64 != 0)
        return INVALID_VALUE;
    memset(map, 0xcd, 128);
    return answer(call);
}

EXPORT int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                  const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle, int l2, int fill)
{
    note_map(type, rank, address, dims, strides, element_strides);
    memcpy(record.map_box, box, rank * sizeof *box);
    return made_map(map, "cuTensorMapEncodeTiled", interleave, swizzle, l2, fill);
}

EXPORT int cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                   const int *lower, const int *upper, uint32_t channels, uint32_t pixels,
                                   const uint32_t *element_strides, int interleave, int swizzle, int l2, int fill)
{
    note_map(type, rank, address, dims, strides, element_strides);
    memcpy(record.map_lower, lower, (rank - 2) * sizeof *lower);
    memcpy(record.map_upper, upper, (rank - 2) * sizeof *upper);
    record.map_channels = channels;
    record.map_pixels = pixels;
    return made_map(map, "cuTensorMapEncodeIm2col", interleave, swizzle, l2, fill);
}
