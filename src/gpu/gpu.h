/* A GPU behind the CUDA driver, which is opened when it is first asked for: the library links against nothing of CUDA.
 *
 *     if (tw_gpu_open(&opts, &diags, &gpu)) ...
 *     address = tw_gpu_alloc(gpu, bytes);
 *     launch = tw_gpu_launch_new(gpu, &spec, &diags);
 *     tw_gpu_launch_run(launch, &diags);
 *
 * Every call makes the GPU's own context current for its duration and puts back what the thread had. */
#ifndef TW_GPU_GPU_H
#define TW_GPU_GPU_H

#include "diag/diag.h"
#include "isa/tensor_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_GPU_DRIVER "libcuda.so.1"

struct gpu;

struct gpu_opts {
    const char *driver;  /* NULL: TW_GPU_DRIVER */
    unsigned ordinal;    /* in the driver's order */
    uint64_t max_memory; /* bytes; 0: what the GPU has */
};

/* False after a diagnostic. Whatever *out then holds is still to be closed. */
bool tw_gpu_open(const struct gpu_opts *opts, struct diags *diags, struct gpu **out);
void tw_gpu_close(struct gpu *gpu);

const char *tw_gpu_name(const struct gpu *gpu);
unsigned tw_gpu_sm(const struct gpu *gpu);             /* 90: compute capability 9.0 */
unsigned tw_gpu_driver_version(const struct gpu *gpu); /* 13000: of the CUDA that the driver speaks, 13.0 */

/* Zeroed memory, 256-byte aligned; 0 where none is left. */
uint64_t tw_gpu_alloc(struct gpu *gpu, uint64_t bytes);
bool tw_gpu_release(struct gpu *gpu, uint64_t address);
uint64_t tw_gpu_used(const struct gpu *gpu);
/* False when the bytes do not lie in one allocation, or the driver cannot copy: after a fault it refuses everything. */
bool tw_gpu_write(struct gpu *gpu, uint64_t address, const void *from, uint64_t bytes);
bool tw_gpu_read(struct gpu *gpu, uint64_t address, void *to, uint64_t bytes);

/* The driver's own 128 bytes of a map. False after a diagnostic. */
bool tw_gpu_encode_map(struct gpu *gpu, const struct tensor_map *map, const char *name, struct diags *diags,
                       uint8_t bytes[TENSOR_MAP_BYTES]);

struct gpu_launch_spec {
    struct str ptx;
    const char *file_name; /* of the PTX, for messages */
    const char *entry;
    uint32_t grid[3], block[3], cluster[3]; /* 0 counts as 1 */
    bool explicit_cluster;                  /* the kernel wants a cluster size, even that of one CTA, from its launch */
    uint32_t dynamic_shared_bytes;
    const void *params; /* the parameter block in the entry's layout; copied */
    size_t param_bytes;
    const uint32_t *param_offsets; /* of each parameter in the block */
    uint32_t param_count;
};

struct gpu_launch;

/* Has the driver compile the PTX and prepares the launch. NULL after a diagnostic. */
struct gpu_launch *tw_gpu_launch_new(struct gpu *gpu, const struct gpu_launch_spec *spec, struct diags *diags);
/* Launches and waits for the end. False after a diagnostic. */
bool tw_gpu_launch_run(struct gpu_launch *launch, struct diags *diags);
void tw_gpu_launch_free(struct gpu_launch *launch);

#endif
