/* Checked access to every memory: windows, bounds, alignment, and the faults they give. */
#include "machine/decode.h"
#include "machine/program.h"
#include "machine/run.h"

enum { NULL_PAGE = 1 << 16 }; /* addresses below are taken for null pointers with an offset; tensors lie far above */

struct request {
    uint64_t address; /* as the instruction gave it */
    uint64_t at;      /* in its space */
    uint32_t bytes;
    enum space space;
    bool write;
};

static struct arena *text_arena(const struct warp *w)
{
    return w->cluster->diags->arena;
}

static const char *verb(const struct warp *w, const struct request *r)
{
    const unsigned op = w->code->insts[w->now->pc].isa_op;
    if (op == OP_ATOM || op == OP_RED)
        return "atomic";
    return r->write ? "store" : "load";
}

static const char *allocation_name(struct arena *arena, const struct allocation *a)
{
    return a->name == NULL ? tw_format(arena, "an allocation of %llu bytes", (unsigned long long)a->bytes)
                           : tw_format(arena, "'%s' of %llu bytes", a->name, (unsigned long long)a->bytes);
}

/* Where an address outside every allocation lies. What is small is a null pointer, or a member or element of one: the
 * distance from the nearest tensor would say nothing. */
static const char *global_place(const struct warp *w, uint64_t at)
{
    struct arena *const arena = text_arena(w);
    const struct allocation *const a = tw_memory_nearest(w->cluster->launch->memory, at);
    if (at == 0)
        return "a null pointer";
    if (at < NULL_PAGE)
        return tw_format(arena, "byte %llu behind a null pointer", (unsigned long long)at);
    if (a == NULL)
        return "there is no allocation";
    if (at < a->address)
        return tw_format(arena, "%llu bytes before %s", (unsigned long long)(a->address - at), allocation_name(arena, a));
    if (at - a->address < a->bytes)
        return tw_format(arena, "byte %llu of %s", (unsigned long long)(at - a->address), allocation_name(arena, a));
    return tw_format(arena, "%llu bytes past the end of %s", (unsigned long long)(at - a->address - a->bytes),
                     allocation_name(arena, a));
}

static void fault_global(struct warp *w, unsigned lane, const struct request *r)
{
    tw_fault(w, lane, E0701,
             &(struct fault_note){.expected = "an address inside an allocation", .found = global_place(w, r->at)},
             "%s of %u byte%s at 0x%llx, outside global memory", verb(w, r), r->bytes, r->bytes == 1 ? "" : "s",
             (unsigned long long)r->at);
}

static void fault_window(struct warp *w, unsigned lane, const struct request *r, uint64_t low, uint64_t high)
{
    struct arena *const arena = text_arena(w);
    const char *const expected =
        low == high ? tw_format(arena, "no access: the kernel has no %s memory", tw_space_name(r->space))
                    : tw_format(arena, "an address from 0x%llx to 0x%llx", (unsigned long long)low, (unsigned long long)high - 1);
    const struct launch *const l = w->cluster->launch;
    const bool dynamic = (r->space == SPACE_SHARED || r->space == SPACE_SHARED_CLUSTER) && l->image->has_dynamic_shared;
    const struct fault_note note = {
        .expected = expected,
        .found = dynamic ? tw_format(arena, "%u bytes of dynamic shared memory", l->dynamic_shared_bytes) : NULL,
        .fix = dynamic ? "launch with more dynamic_shared_bytes, if the kernel needs more" : NULL};
    tw_fault(w, lane, E0702, &note, "%s of %u byte%s at 0x%llx, outside %s memory",
             verb(w, r), r->bytes, r->bytes == 1 ? "" : "s", (unsigned long long)r->at, tw_space_name(r->space));
}

static bool aligned_or_fault(struct warp *w, unsigned lane, const struct request *r, uint32_t align)
{
    if ((r->at & (align - 1)) == 0)
        return true;
    tw_fault(w, lane, E0703,
             &(struct fault_note){.expected = tw_format(text_arena(w), "an address that is a multiple of %u", align),
                                  .found = tw_format(text_arena(w), "0x%llx, %llu over", (unsigned long long)r->at,
                                                     (unsigned long long)(r->at & (align - 1)))},
             "misaligned %s of %u bytes at %s address 0x%llx", verb(w, r), r->bytes, tw_space_name(r->space),
             (unsigned long long)r->at);
    return false;
}

static uint8_t *global_at(struct warp *w, unsigned lane, const struct request *r)
{
    struct allocation *const hit = &w->hits[w->code->insts[w->now->pc].origin % HIT_SLOTS];
    if (r->at - hit->address < hit->bytes && r->bytes <= hit->bytes - (r->at - hit->address) && !(r->write && hit->read_only))
        return hit->host + (r->at - hit->address);
    const struct allocation *const a = tw_memory_find(w->cluster->launch->memory, r->at);
    if (a == NULL || r->bytes > a->bytes - (r->at - a->address)) {
        fault_global(w, lane, r);
        return NULL;
    }
    if (r->write && a->read_only) {
        tw_fault(w, lane, E0704, NULL, "%s to %s, which is read-only", verb(w, r), allocation_name(text_arena(w), a));
        return NULL;
    }
    *hit = *a;
    return a->host + (r->at - a->address);
}

/* ---- Shared memory -------------------------------------------------------------------------- */

uint8_t *tw_cluster_shared(struct cluster *c, uint32_t address, uint32_t bytes)
{
    const uint32_t rank = address >> 24, offset = address & 0xffffff;
    if (rank >= c->cta_count || c->ctas[rank].ended)
        return NULL;
    const struct cta *const cta = &c->ctas[rank];
    if (offset < TW_SHARED_RESERVED_BYTES || offset > cta->shared_bytes || bytes > cta->shared_bytes - offset)
        return NULL;
    return cta->shared + offset;
}

/* The CTA that a shared address names, or NULL after a fault. */
static struct cta *owner_of(struct warp *w, unsigned lane, const struct request *r, bool peers)
{
    struct cluster *const c = w->cluster;
    const uint32_t rank = (uint32_t)(r->at >> 24);
    if (rank == w->cta->rank)
        return w->cta;
    if (rank >= c->cta_count) {
        fault_window(w, lane, r, (uint64_t)w->cta->rank << 24 | TW_SHARED_RESERVED_BYTES,
                     ((uint64_t)w->cta->rank << 24) + w->cta->shared_bytes);
        return NULL;
    }
    if (!peers) {
        tw_fault(w, lane, E0719,
                 &(struct fault_note){.found = tw_format(text_arena(w), "rank %u in bits 31:24; the executing CTA has rank %u",
                                                         rank, w->cta->rank)},
                 "%s of %u bytes at shared::cta address 0x%llx", verb(w, r), r->bytes, (unsigned long long)r->at);
        return NULL;
    }
    if (c->ctas[rank].ended) {
        tw_fault(w, lane, E0714,
                 &(struct fault_note){.fix = "let every CTA of the cluster wait at a cluster barrier before it exits"},
                 "%s of %u bytes at shared address 0x%llx of CTA %u of the cluster, which has ended", verb(w, r), r->bytes,
                 (unsigned long long)r->at, rank);
        return NULL;
    }
    return &c->ctas[rank];
}

static struct cta *shared_owner(struct warp *w, unsigned lane, const struct request *r, uint32_t align, bool peers)
{
    struct cta *const cta = owner_of(w, lane, r, peers);
    if (cta == NULL || !aligned_or_fault(w, lane, r, align))
        return NULL;
    const uint32_t offset = (uint32_t)r->at & 0xffffff;
    if (offset >= TW_SHARED_RESERVED_BYTES && offset <= cta->shared_bytes && r->bytes <= cta->shared_bytes - offset)
        return cta;
    const uint64_t base = (uint64_t)cta->rank << 24;
    fault_window(w, lane, r, base + TW_SHARED_RESERVED_BYTES, base + cta->shared_bytes);
    return NULL;
}

/* ---- Generic addresses ---------------------------------------------------------------------- */

static const struct { uint64_t base; enum space space; } windows[] = {
    {TW_WINDOW_SHARED, SPACE_SHARED_CLUSTER}, {TW_WINDOW_LOCAL, SPACE_LOCAL}, {TW_WINDOW_CONST, SPACE_CONST},
    {TW_WINDOW_PARAM, SPACE_PARAM},
};

enum space tw_generic_space(uint64_t address, uint64_t *in_space)
{
    if (address >= TW_WINDOW_SHARED)
        for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
            if (address - windows[i].base < TW_WINDOW_BYTES) {
                *in_space = address - windows[i].base;
                return windows[i].space;
            }
    *in_space = address;
    return SPACE_GLOBAL;
}

uint64_t tw_window_base(enum space space)
{
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        if (windows[i].space == space)
            return windows[i].base;
    return space == SPACE_SHARED ? TW_WINDOW_SHARED : 0;
}

static void resolve(struct request *r)
{
    if (r->space == SPACE_GENERIC)
        r->space = tw_generic_space(r->address, &r->at);
    else
        r->at = r->address;
    if (r->space == SPACE_SHARED || r->space == SPACE_SHARED_CLUSTER)
        r->at = (uint32_t)r->at; /* SOURCE: ptx-async.md 8.1, the low 32 bits of a 64-bit register */
}

struct cta *tw_shared_target(struct warp *w, unsigned lane, bool generic, uint64_t address, uint32_t bytes, uint32_t align,
                             bool peers, uint32_t *out)
{
    struct request r = {.address = address, .bytes = bytes, .space = generic ? SPACE_GENERIC : SPACE_SHARED_CLUSTER, .write = true};
    resolve(&r);
    /* tcgen05.commit hands the low 32 bits to the tensor core, which knows shared addresses only: compilers pass a shared
       address there, extended with zeros. MEASURED: Triton's kernels (corpus/triton) rely on it. */
    if (generic && address <= UINT32_MAX && w->code->insts[w->now->pc].isa_op == OP_TCGEN05_COMMIT)
        r.space = SPACE_SHARED_CLUSTER;
    if (r.space != SPACE_SHARED_CLUSTER) {
        tw_fault(w, lane, E0702, &(struct fault_note){.expected = "a generic address in the shared window"},
                 "generic address 0x%llx is not in shared memory", (unsigned long long)address);
        return NULL;
    }
    *out = (uint32_t)r.at;
    return shared_owner(w, lane, &r, align == 0 ? bytes : align, peers);
}

static uint8_t *window_at(struct warp *w, unsigned lane, const struct request *r, uint8_t *base, uint64_t size)
{
    if (r->at <= size && r->bytes <= size - r->at)
        return base + r->at;
    fault_window(w, lane, r, 0, size);
    return NULL;
}

static uint8_t *read_only_at(struct warp *w, unsigned lane, const struct request *r, uint8_t *base, uint64_t size)
{
    if (!r->write)
        return window_at(w, lane, r, base, size);
    tw_fault(w, lane, E0704, NULL, "%s of %u bytes at %s address 0x%llx", verb(w, r), r->bytes, tw_space_name(r->space),
             (unsigned long long)r->at);
    return NULL;
}

/* Parameters of the function that runs, or of one that has called it; NULL after a fault. */
static uint8_t *frame_param_at(struct warp *w, unsigned lane, struct request *r)
{
    const uint64_t depth = r->at / PARAM_FRAME_BYTES - 1;
    const struct frame *f = w->now->frame;
    while (f != NULL && f->depth != depth)
        f = f->caller;
    const uint32_t size = f == NULL || f->params == NULL ? 0 : f->code->param_bytes;
    r->at %= PARAM_FRAME_BYTES;
    return window_at(w, lane, r, size == 0 ? NULL : f->params + (size_t)lane * size, size);
}

uint8_t *tw_access(struct warp *w, unsigned lane, enum space space, uint64_t address, uint32_t bytes, uint32_t align, bool write)
{
    struct launch *const l = w->cluster->launch;
    struct request r = {.address = address, .bytes = bytes, .space = space, .write = write};
    resolve(&r);
    if (r.space == SPACE_SHARED || r.space == SPACE_SHARED_CLUSTER) {
        struct cta *const cta = shared_owner(w, lane, &r, align == 0 ? bytes : align, r.space == SPACE_SHARED_CLUSTER);
        return cta == NULL ? NULL : cta->shared + (r.at & 0xffffff);
    }
    if (!aligned_or_fault(w, lane, &r, align == 0 ? bytes : align))
        return NULL;
    if (r.space == SPACE_LOCAL)
        return window_at(w, lane, &r, l->local_bytes == 0 ? NULL : w->local + (size_t)lane * l->local_bytes, l->local_bytes);
    if (r.space == SPACE_CONST)
        return read_only_at(w, lane, &r, l->program->const_bytes, l->program->const_size);
    if (r.space == SPACE_PARAM && r.at >= PARAM_FRAME_BYTES)
        return frame_param_at(w, lane, &r);
    if (r.space == SPACE_PARAM)
        return read_only_at(w, lane, &r, l->params, l->param_bytes);
    return global_at(w, lane, &r);
}
