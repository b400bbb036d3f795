/* Static or dynamic shared memory. */
#include "emit/internal.h"

#include "base/bits.h"

int64_t tw_emit_storage_bytes(const struct ir_storage *s)
{
    return (s->elems * s->elem.bits + 7) / 8;
}

struct shared_plan tw_emit_shared_plan(const struct ir_kernel *k)
{
    struct shared_plan p = {.align = 16};
    p.offset = arena_new(k->arena, int64_t, k->storages.len + 1u);
    p.bytes = k->arena_bytes; /* the arena comes first, so that its offsets are offsets of the whole */
    for (uint32_t i = 0; i < k->storages.len; i++) {
        const struct ir_storage *s = k->storages.at[i];
        if (s->scope != IR_SHARED)
            continue;
        p.align = s->align_bytes > p.align ? s->align_bytes : p.align;
        if (s->in_arena) {
            p.offset[i] = s->arena_offset;
            continue;
        }
        p.bytes = (int64_t)align_up((uint64_t)p.bytes, s->align_bytes);
        p.offset[i] = p.bytes;
        p.bytes += tw_emit_storage_bytes(s);
    }
    /* SOURCE: CUDA, "Technical specifications per compute capability": static shared memory ends at 48 KiB. */
    p.dynamic = k->arena_bytes != 0 || p.bytes > TW_SHARED_STATIC_BYTES;
    return p;
}
