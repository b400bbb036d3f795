/* ld.global.nc: a load through a cache that does not follow stores. It is for memory that nobody writes while the kernel runs;
 * of memory that has changed, a GPU gives the old bytes or the new ones. The machine gives the new ones and says so, once an
 * instruction: it compares with a copy of global memory that is kept where a kernel holds such a load, and only there.
 * SOURCE: PTX ISA, "ld.global.nc". */
#include "machine/exec_memory.h"

#include "machine/run.h"

#include <string.h>

static uint64_t word_at(const uint8_t *at, uint32_t bytes)
{
    uint64_t word = 0;
    memcpy(&word, at, bytes < sizeof word ? bytes : sizeof word);
    return word;
}

static void remark(struct warp *w, uint32_t lane, const struct allocation *a, uint64_t offset, uint32_t bytes)
{
    struct arena *const arena = w->cluster->diags->arena;
    const int digits = (int)(bytes < 8 ? bytes : 8) * 2;
    const char *const name = a->name == NULL ? "an allocation" : tw_format(arena, "'%s'", a->name);
    tw_remark(w, lane, E0723,
              &(struct fault_note){
                  .expected = "memory that nobody writes while the kernel runs",
                  .found = tw_format(arena, "byte %llu of %s: 0x%0*llx when the kernel began, 0x%0*llx now; a GPU may give either",
                                     (unsigned long long)offset, name, digits, (unsigned long long)word_at(a->before + offset, bytes), digits,
                                     (unsigned long long)word_at(a->host + offset, bytes)),
                  .fix = "leave .nc away, or write elsewhere",
                  .spec = "PTX ISA, ld.global.nc",
              },
              "a load with .nc reads what the kernel has changed");
}

/* Constant lengths, which the compiler turns into one comparison. */
static inline bool same(const uint8_t *a, const uint8_t *b, uint32_t bytes)
{
    return bytes == 4 ? memcmp(a, b, 4) == 0 : bytes == 8 ? memcmp(a, b, 8) == 0 : bytes == 16 ? memcmp(a, b, 16) == 0 : memcmp(a, b, bytes) == 0;
}

/* The first lane whose bytes are not in `a`, or not what they were; LANES: there is none. */
static uint32_t first_changed(const struct warp *w, const struct dop *address, uint32_t mask, const struct allocation *a, uint32_t bytes)
{
    FOR_LANES(lane, mask) {
        const uint64_t offset = lane_address(w, address, lane) - a->address;
        if (offset >= a->bytes || bytes > a->bytes - offset || !same(a->host + offset, a->before + offset, bytes))
            return lane;
    }
    return LANES;
}

/* One lane: false after a remark. */
static bool unchanged(struct warp *w, const struct dinst *d, uint32_t lane)
{
    const uint32_t bytes = d->elem_bytes;
    const uint64_t address = lane_address(w, &d->op[1], lane);
    const struct allocation *const a = tw_memory_find(w->cluster->launch->memory, address);
    const uint64_t offset = a == NULL ? 0 : address - a->address;
    if (a == NULL || a->before == NULL || (uint64_t)bytes * d->elems > a->bytes - offset)
        return true; /* the load itself says what is wrong with its address */
    for (uint32_t k = 0; k < d->elems; k++)
        if (!same(a->host + offset + k * bytes, a->before + offset + k * bytes, bytes)) {
            remark(w, lane, a, offset + k * bytes, bytes);
            return false;
        }
    return true;
}

void tw_watch_nc(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct allocation *const hit = &w->hits[d->origin % HIT_SLOTS];
    const uint32_t from = hit->before == NULL ? first_lane(mask) : first_changed(w, &d->op[1], mask, hit, (uint32_t)d->elem_bytes * d->elems);
    for (uint32_t lane = from; lane < LANES; lane++)
        if ((mask >> lane & 1) != 0 && !unchanged(w, d, lane))
            return;
}

void tw_watch_nc_begin(struct launch *l)
{
    if (!l->image->reads_nc || tw_memory_keep(l->memory))
        return;
    struct diag *const d = tw_diag(l->findings, E0723, l->image->entry->at, "loads with .nc of '%s' are not watched", l->image->entry->name);
    tw_diag_found(d, "no memory for a copy of global memory");
}
