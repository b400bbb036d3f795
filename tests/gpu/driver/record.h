/* What the recording driver of the tests was told, and what it is to answer. It is a shared library with the entry points of
 * the CUDA driver: memory is the host's, nothing runs, every launch is written down. */
#ifndef TW_TESTS_GPU_RECORD_H
#define TW_TESTS_GPU_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct cuda_record {
    /* Answers. */
    int device_count, major, minor;
    const char *failing; /* the entry point that fails, or NULL */
    const char *jit_log;

    /* What was asked. */
    int contexts, depth, allocations, modules; /* alive; depth: contexts pushed by the present thread */
    size_t allocated;                          /* bytes of the last allocation */
    char image[4096];                          /* the last module's text */
    char function[64];
    int dynamic_shared, any_cluster;           /* function attributes that were set; -1: none */
    unsigned grid[3], block[3], shared_bytes, attribute_count, attribute_id, cluster[3];
    unsigned char params[12];                  /* the first parameter's eight bytes, the second's four */
    int map_type, map_interleave, map_swizzle, map_l2, map_fill;
    uint32_t map_rank, map_box[5], map_element_strides[5], map_channels, map_pixels;
    int map_lower[3], map_upper[3];
    uint64_t map_address, map_dims[5], map_strides[4];
};

/* Exported by the library. */
struct cuda_record *cuda_driver_record(void);

#endif
