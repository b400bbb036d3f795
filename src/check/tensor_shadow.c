/* Tensor memory that products and copies have written, and the fence between their completion and a load.
 *
 * A warp that has learned of a completion, by an mbarrier or from another thread, executes tcgen05.fence::after_thread_sync
 * before its tcgen05.ld. Work lands when somebody waits for it, so a warp whose last such fence is older than that has
 * executed none since. SOURCE: tcgen05.md 9.7 rule 4, 9.8 row "mma, D written" against ld. */
#include "check/shadow.h"

#include "base/limits.h"

enum { GROUP_LANES = 16, GROUPS = TW_TMEM_LANES / GROUP_LANES };

bool tw_shadow_tensor_init(struct shadow *s)
{
    s->tensor = tw_claim(&s->claims, (uint64_t)s->ctas * GROUPS * TW_TMEM_COLS, sizeof *s->tensor);
    s->after = tw_claim(&s->claims, s->order.warps, sizeof *s->after);
    return !s->claims.exhausted;
}

/* The cells of an access, which is of one lane; NULL where it lies outside. */
static struct tensor_cell *cells_of(const struct shadow *s, const struct machine_event *e, uint32_t *count)
{
    const uint32_t lane = (uint32_t)e->address >> 16, col = (uint32_t)e->address & 0xffff;
    *count = e->bytes / 4;
    if (e->cta_rank >= s->ctas || lane >= TW_TMEM_LANES || col >= TW_TMEM_COLS || *count > TW_TMEM_COLS - col)
        return NULL;
    return s->tensor + ((size_t)e->cta_rank * GROUPS + lane / GROUP_LANES) * TW_TMEM_COLS + col;
}

static bool is_first_lane(const struct machine_event *e)
{
    return ((uint32_t)e->address >> 16) % GROUP_LANES == 0;
}

/* By the first lane of a group: operations write all of them, and where they do not, nothing is said of the others. */
const struct tensor_cell *tw_shadow_tensor_write(struct shadow *s, const struct machine_event *e)
{
    uint32_t count;
    const struct reading *const r = tw_shadow_reading(s, e->op);
    struct tensor_cell *const c = cells_of(s, e, &count);
    const struct tensor_cell *early = NULL;
    if (c == NULL || !is_first_lane(e))
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (r != NULL && c[i].loaded >= s->base && c[i].loaded > r->time)
            early = &c[i];
        c[i].time = r == NULL ? 0 : s->now;
        c[i].site = r == NULL ? (struct site){0} : r->site;
    }
    return early;
}

const struct tensor_cell *tw_shadow_tensor_read(struct shadow *s, const struct machine_event *e)
{
    uint32_t count;
    struct tensor_cell *const c = cells_of(s, e, &count);
    const struct tensor_cell *found = NULL;
    if (c == NULL || e->op != s->load)
        return NULL;
    const uint64_t after = s->after[tw_shadow_warp(s, s->loader.thread)];
    for (uint32_t i = 0; i < count; i++) {
        if (c[i].time >= s->base && c[i].time > after)
            found = &c[i];
        if (is_first_lane(e)) {
            c[i].loaded = s->now;
            c[i].loader = s->loader;
        }
    }
    return found;
}
