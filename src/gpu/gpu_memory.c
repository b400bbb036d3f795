/* Memory of a GPU, and tensor maps in it. A list of allocations answers what the driver does not: whether bytes lie in one. */
#include "gpu/driver.h"

#include <stdlib.h>
#include <string.h>

static bool make_bytes(struct gpu *gpu, uint64_t bytes, uint64_t *address)
{
    if (!tw_gpu_enter(gpu))
        return false;
    bool ok = gpu->api.alloc(address, (size_t)bytes) == CUDA_DONE;
    if (ok && gpu->api.set(*address, 0, (size_t)bytes) != CUDA_DONE) {
        gpu->api.release(*address);
        ok = false;
    }
    tw_gpu_leave(gpu);
    return ok;
}

uint64_t tw_gpu_alloc(struct gpu *gpu, uint64_t bytes)
{
    const uint64_t taken = bytes == 0 ? 1 : bytes; /* the driver has no empty allocation */
    if (taken > SIZE_MAX || taken > gpu->max_memory - gpu->used)
        return 0;
    struct gpu_block *b = calloc(1, sizeof *b);
    uint64_t address = 0;
    if (b == NULL || !make_bytes(gpu, taken, &address)) {
        free(b);
        return 0;
    }
    *b = (struct gpu_block){gpu->blocks, address, taken};
    gpu->blocks = b;
    gpu->used += taken;
    return address;
}

bool tw_gpu_release(struct gpu *gpu, uint64_t address)
{
    for (struct gpu_block **link = &gpu->blocks; *link != NULL; link = &(*link)->next) {
        struct gpu_block *b = *link;
        if (b->address != address)
            continue;
        *link = b->next;
        gpu->used -= b->bytes;
        free(b);
        bool ok = tw_gpu_enter(gpu);
        if (ok) {
            ok = gpu->api.release(address) == CUDA_DONE;
            tw_gpu_leave(gpu);
        }
        return ok;
    }
    return false;
}

uint64_t tw_gpu_used(const struct gpu *gpu)
{
    return gpu->used;
}

static bool is_allocated(const struct gpu *gpu, uint64_t address, uint64_t bytes)
{
    for (const struct gpu_block *b = gpu->blocks; b != NULL; b = b->next)
        if (address >= b->address && address - b->address <= b->bytes && bytes <= b->bytes - (address - b->address))
            return true;
    return false;
}

bool tw_gpu_write(struct gpu *gpu, uint64_t address, const void *from, uint64_t bytes)
{
    if (!is_allocated(gpu, address, bytes) || !tw_gpu_enter(gpu))
        return false;
    const bool ok = bytes == 0 || gpu->api.write(address, from, (size_t)bytes) == CUDA_DONE;
    tw_gpu_leave(gpu);
    return ok;
}

bool tw_gpu_read(struct gpu *gpu, uint64_t address, void *to, uint64_t bytes)
{
    if (!is_allocated(gpu, address, bytes) || !tw_gpu_enter(gpu))
        return false;
    const bool ok = bytes == 0 || gpu->api.read(to, address, (size_t)bytes) == CUDA_DONE;
    tw_gpu_leave(gpu);
    return ok;
}

/* ---- tensor maps ---------------------------------------------------------------------------------- */

static cuda_result encode(struct gpu *gpu, const struct tensor_map *m, void *bytes)
{
    void *const address = (void *)(uintptr_t)m->address;
    if (m->mode == TMAP_TILE)
        return gpu->api.map_tiled(bytes, (int)m->type, m->rank, address, m->dims, m->strides + 1, m->box, m->element_strides,
                                  (int)m->interleave, (int)m->swizzle, (int)m->l2, (int)m->fill);
    return gpu->api.map_im2col(bytes, (int)m->type, m->rank, address, m->dims, m->strides + 1, m->lower, m->upper, m->channels,
                               m->pixels, m->element_strides, (int)m->interleave, (int)m->swizzle, (int)m->l2, (int)m->fill);
}

bool tw_gpu_encode_map(struct gpu *gpu, const struct tensor_map *map, const char *name, struct diags *diags,
                       uint8_t bytes[TENSOR_MAP_BYTES])
{
    _Alignas(TENSOR_MAP_ALIGN) uint8_t made[TENSOR_MAP_BYTES];
    if (map->mode == TMAP_IM2COL_WIDE) {
        tw_diag(diags, E0646, (struct src_span){0}, "tensor map '%s': maps of im2col::w are not made on a GPU", name);
        return false;
    }
    if (!tw_gpu_enter(gpu))
        return false;
    const cuda_result result = encode(gpu, map, made);
    tw_gpu_leave(gpu);
    if (result == CUDA_DONE) {
        memcpy(bytes, made, sizeof made);
        return true;
    }
    struct diag *d = tw_diag(diags, E0646, (struct src_span){0}, "the CUDA driver refuses tensor map '%s'", name);
    tw_gpu_add_result(gpu, d, result);
    return false;
}
