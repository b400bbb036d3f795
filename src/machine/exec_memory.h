/* The way from an address to host bytes, inlined for the common cases. */
#ifndef TW_MACHINE_EXEC_MEMORY_H
#define TW_MACHINE_EXEC_MEMORY_H

#include "machine/decode.h"

/* As tw_access with natural alignment (bytes a power of two), without leaving the function for the allocation that this
 * instruction touched last and for the CTA's own shared memory. */
static inline uint8_t *access_at(struct warp *w, const struct dinst *d, uint32_t lane, enum space space, uint64_t address,
                                 uint32_t bytes, bool write)
{
    if (space == SPACE_GLOBAL || (space == SPACE_GENERIC && address < TW_WINDOW_SHARED)) {
        const struct allocation *const hit = &w->hits[d->origin % HIT_SLOTS];
        const uint64_t offset = address - hit->address;
        if (offset < hit->bytes && bytes <= hit->bytes - offset && (address & (bytes - 1)) == 0 && !(write && hit->read_only))
            return hit->host + offset;
    } else if (space == SPACE_SHARED) {
        const struct cta *const cta = w->cta;
        const uint64_t offset = (uint32_t)address - (cta->rank << 24);
        if (offset >= TW_SHARED_RESERVED_BYTES && offset <= cta->shared_bytes && bytes <= cta->shared_bytes - offset &&
            (address & (bytes - 1)) == 0)
            return cta->shared + offset;
    }
    return tw_access(w, lane, space, address, bytes, 0, write);
}

/* Remarks on a load with .nc of bytes that have changed since the launch began; to be called before the load. */
void tw_watch_nc(struct warp *w, const struct dinst *d, uint32_t mask);
/* Begins to watch, if the kernel has such loads. */
void tw_watch_nc_begin(struct launch *l);

/* Whether strong operations on that space meet other clusters: generic addresses may. */
static inline bool meets_clusters(uint64_t space)
{
    return space == SPACE_GLOBAL || space == SPACE_GENERIC;
}

/* mod[1..3] of memory instructions: strong, scope, 1 acquire 2 release 3 both. */
void tw_decode_semantics(const struct ptx_inst *in, struct dinst *d);
/* Is the address operand a parameter of a call or of a device function, not of the kernel? */
bool tw_is_call_param(struct decoder *dc, const struct ptx_inst *in, enum isa_role role);
void tw_emit_access(struct warp *w, const struct dinst *d, uint32_t lane, enum space space, uint64_t address, uint32_t bytes,
                    bool read, bool write);

#endif
