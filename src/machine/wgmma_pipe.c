#include "machine/wgmma_pipe.h"

#include "machine/decode.h"
#include "machine/run.h"
#include "machine/wgmma_watch.h"

#include <stdarg.h>
#include <string.h>

static struct arena *texts(const struct cta *cta)
{
    return cta->cluster->diags->arena;
}

void tw_wgmma_fault(struct wgmma_pipe *pipe, const struct wgmma_item *item, uint32_t warp, unsigned lane, int code,
                    const struct fault_note *note, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *const message = tw_formatv(texts(pipe->cta), format, args);
    va_end(args);
    tw_fault_async(pipe->cta->cluster, pipe->cta, warp, lane, item->code, item->d->origin, code, note, "%s", message);
}

/* ---- Coming to an instruction --------------------------------------------------------------------------- */

static const char spec_together[] = "PTX ISA, wgmma, .sync and .aligned";

static void fault_group(struct warp *w, unsigned lane, const char *expected, const char *found, const char *fix)
{
    (void)tw_fault(w, lane, E0730,
                   &(struct fault_note){.expected = expected, .found = found, .fix = fix, .spec = spec_together},
                   "the threads of a warpgroup do not execute a wgmma instruction together");
}

static void fault_missing(struct warp *w, unsigned lane, const char *found)
{
    fault_group(w, lane, "all 128 threads of four warps, the first of them a multiple of 4", found, NULL);
}

static bool all_lanes(struct warp *w, uint32_t mask)
{
    if (mask == ALL_LANES)
        return true;
    struct text lanes;
    tw_text_init(&lanes, texts(w->cta));
    tw_lane_list(ALL_LANES & ~mask, &lanes);
    fault_missing(w, first_lane(mask), tw_format(texts(w->cta), "%s of warp %u not there", lanes.at, w->id));
    return false;
}

static bool whole_group(struct warp *w, uint32_t mask)
{
    const uint32_t first = w->id - w->id % WGMMA_WARPS;
    if (!all_lanes(w, mask))
        return false;
    for (uint32_t i = first; i < first + WGMMA_WARPS; i++) {
        const char *const state = i >= w->cta->warp_count ? "does not exist" : w->cta->warps[i].live == 0 ? "has ended" : NULL;
        if (state != NULL) {
            fault_missing(w, 0, tw_format(texts(w->cta), "warp %u %s", i, state));
            return false;
        }
    }
    return true;
}

static struct wgmma_item *new_item(struct wgmma_pipe *pipe, struct wgmma_group *group)
{
    struct wgmma_item *item = pipe->free_items;
    if (item != NULL)
        pipe->free_items = item->next;
    else
        item = arena_new(&pipe->cta->cluster->arena, struct wgmma_item, 1);
    item->next = NULL;
    item->warps = 0;
    item->group = 0;
    item->landed = false;
    item->number = ++group->count;
    item->first_warp = (uint32_t)(group - pipe->groups) * WGMMA_WARPS;
    *group->end = item;
    group->end = &item->next;
    return item;
}

static struct wgmma_item *find_item(const struct wgmma_group *group, uint64_t number)
{
    struct wgmma_item *item = group->first;
    while (item != NULL && item->number != number)
        item = item->next;
    return item;
}

static const char *place_of(const struct warp *w, const struct wgmma_item *item)
{
    const struct ptx_inst *const in = item->code->origins[item->d->origin].inst;
    struct text t;
    tw_text_init(&t, texts(w->cta));
    const struct isa_spelling spelling = tw_ptx_spelling(in);
    tw_isa_spell(&spelling, &t);
    const struct src_span at = item->code->origins[item->d->origin].at;
    if (at.file != 0)
        tw_text_addf(&t, " at line %u", tw_sources_place(w->cluster->diags->sources, at.file, at.begin).line);
    return t.at;
}

static struct wgmma_item *fault_other(struct warp *w, const struct wgmma_item *item)
{
    struct text warps;
    tw_text_init(&warps, texts(w->cta));
    for (uint32_t i = 0; i < WGMMA_WARPS; i++)
        if ((item->warps >> i & 1) != 0)
            tw_text_addf(&warps, "%s%u", warps.len == 0 ? "" : ", ", item->first_warp + i);
    const char *const noun = (item->warps & (item->warps - 1)) == 0 ? "warp" : "warps";
    fault_group(w, 0, tw_format(texts(w->cta), "%s, as in %s %s", place_of(w, item), noun, warps.at),
                "another wgmma instruction in the same place of the warp's sequence",
                "let all four warps take the same branches around wgmma");
    return NULL;
}

static bool same_operands(const struct wgmma_operands *a, const struct wgmma_operands *b)
{
    return a->a_desc == b->a_desc && a->b_desc == b->b_desc && a->read_d == b->read_d;
}

static struct wgmma_item *fault_operands(struct warp *w, const struct wgmma_item *item, const struct wgmma_operands *here)
{
    struct text t;
    tw_text_init(&t, texts(w->cta));
    if (item->operands.read_d != here->read_d)
        tw_text_addf(&t, "scale-d %d, elsewhere %d", here->read_d, item->operands.read_d);
    else if (item->operands.b_desc != here->b_desc)
        tw_text_addf(&t, "descriptor of B 0x%016llx, elsewhere 0x%016llx", (unsigned long long)here->b_desc,
                     (unsigned long long)item->operands.b_desc);
    else
        tw_text_addf(&t, "descriptor of A 0x%016llx, elsewhere 0x%016llx", (unsigned long long)here->a_desc,
                     (unsigned long long)item->operands.a_desc);
    (void)tw_fault(w, 0, E0730,
                   &(struct fault_note){.expected = "the same descriptors and the same scale-d in all four warps",
                                        .found = tw_format(texts(w->cta), "in warp %u %s", w->id, t.at),
                                        .spec = "PTX ISA, wgmma.mma_async"},
                   "the warps of a warpgroup give different operands to wgmma.mma_async");
    return NULL;
}

struct wgmma_item *tw_wgmma_enter(struct warp *w, const struct dinst *d, uint32_t mask, enum wgmma_kind kind,
                                  const struct wgmma_operands *operands)
{
    struct wgmma_pipe *const pipe = tw_wgmma_pipe_of(w->cta);
    struct wgmma_group *const group = wgmma_group_of(pipe, w);
    struct wgmma_warp *const own = &group->warp[w->id % WGMMA_WARPS];
    if (!whole_group(w, mask))
        return NULL;
    struct wgmma_item *item = find_item(group, own->count + 1);
    if (item == NULL) {
        item = new_item(pipe, group);
        item->kind = kind;
        item->code = w->code;
        item->d = d;
        if (operands != NULL)
            item->operands = *operands;
    } else if (item->d != d) {
        return fault_other(w, item);
    } else if (operands != NULL && !same_operands(&item->operands, operands)) {
        return fault_operands(w, item, operands);
    }
    own->count++;
    item->warps |= UINT32_C(1) << w->id % WGMMA_WARPS;
    w->cluster->changes++;
    return item;
}

/* ---- Groups and waits ------------------------------------------------------------------------------------- */

void tw_wgmma_commit(struct wgmma_group *group)
{
    group->committed++;
    for (struct wgmma_item *item = group->first; item != NULL; item = item->next)
        if (item->kind == WGMMA_ITEM_MMA && item->group == 0)
            item->group = group->committed;
}

static bool covers(uint64_t last, const struct wgmma_item *item)
{
    return item->kind == WGMMA_ITEM_MMA && !item->landed && item->group != 0 && item->group <= last;
}

bool tw_wgmma_must_wait(const struct wgmma_group *group, const struct wgmma_item *wait)
{
    for (const struct wgmma_item *item = group->first; item != NULL && item != wait; item = item->next)
        if (covers(wait->group, item))
            return true;
    return false;
}

void tw_wgmma_retire(struct wgmma_pipe *pipe, struct wgmma_group *group)
{
    const uint32_t all = (1u << WGMMA_WARPS) - 1;
    while (group->first != NULL && group->first->warps == all && (group->first->kind != WGMMA_ITEM_MMA || group->first->landed)) {
        struct wgmma_item *const item = group->first;
        group->first = item->next;
        if (group->first == NULL)
            group->end = &group->first;
        item->next = pipe->free_items;
        pipe->free_items = item;
    }
}

/* ---- As an engine ------------------------------------------------------------------------------------------ */

/* Distinct from the keys of other engines' waits, which are small numbers or addresses. */
static uint64_t wait_key(const struct cta *cta, uint32_t group)
{
    return UINT64_C(1) << 63 | (uint64_t)cta->rank << 8 | group;
}

enum exec_status tw_wgmma_park(struct warp *w)
{
    struct wgmma_pipe *const pipe = w->cta->wgmma;
    return tw_park(w, (struct wait){.kind = WAIT_ASYNC, .key = wait_key(w->cta, w->id / WGMMA_WARPS), .agent = &pipe->agent});
}

static uint32_t group_count(const struct wgmma_pipe *pipe)
{
    return (pipe->cta->warp_count + WGMMA_WARPS - 1) / WGMMA_WARPS;
}

static uint32_t pending(const struct async_agent *agent)
{
    const struct wgmma_pipe *const pipe = agent->state;
    uint32_t count = 0;
    for (uint32_t i = 0; i < group_count(pipe); i++)
        count += pipe->groups[i].in_flight;
    return count;
}

/* A warp of the group that will never come to the wait: it has ended. UINT32_MAX: none. */
static uint32_t ended_warp(const struct wgmma_pipe *pipe, uint32_t index)
{
    for (uint32_t i = index * WGMMA_WARPS; i < (index + 1) * WGMMA_WARPS; i++)
        if (pipe->cta->warps[i].live == 0)
            return i;
    return UINT32_MAX;
}

static void fault_ended(struct wgmma_pipe *pipe, struct wgmma_group *group, uint32_t index, uint32_t ended)
{
    for (uint32_t i = 0; i < WGMMA_WARPS; i++)
        if (group->warp[i].waiting) {
            tw_wgmma_fault(pipe, find_item(group, group->warp[i].count), index * WGMMA_WARPS + i, 0, E0730,
                           &(struct fault_note){.expected = "all four warps of the warpgroup at the same wgmma.wait_group",
                                                .found = tw_format(texts(pipe->cta), "warp %u has ended", ended),
                                                .spec = spec_together},
                           "the threads of a warpgroup do not execute a wgmma instruction together");
            return;
        }
}

/* All four warps stand at one wait: what it covers is performed, and they go on. */
static bool land(struct async_agent *agent, const struct wait *wait)
{
    struct wgmma_pipe *const pipe = agent->state;
    if (wait->kind != WAIT_ASYNC || wait->agent != agent)
        return false;
    const uint32_t index = (uint32_t)(wait->key & 0xff);
    struct wgmma_group *const group = &pipe->groups[index];
    for (uint32_t i = 0; i < WGMMA_WARPS; i++) {
        if (group->warp[i].waiting && group->warp[i].count == group->warp[0].count)
            continue;
        const uint32_t ended = ended_warp(pipe, index);
        if (ended == UINT32_MAX)
            return false;
        fault_ended(pipe, group, index, ended);
        return true;
    }
    if (!tw_wgmma_perform(pipe, group, find_item(group, group->warp[0].count)->group))
        return true; /* the launch has ended */
    for (uint32_t i = 0; i < WGMMA_WARPS; i++)
        group->warp[i].released = true;
    tw_wgmma_retire(pipe, group);
    (void)tw_wake_cta(pipe->cta, WAIT_ASYNC, wait->key);
    return true;
}

static void drain(struct async_agent *agent)
{
    struct wgmma_pipe *const pipe = agent->state;
    for (uint32_t i = 0; i < group_count(pipe); i++)
        pipe->groups[i].in_flight = 0;
}

static void describe(const struct async_agent *agent, struct text *out)
{
    const struct wgmma_pipe *const pipe = agent->state;
    const char *gap = "";
    for (uint32_t i = 0; i < group_count(pipe); i++) {
        if (pipe->groups[i].in_flight == 0)
            continue;
        tw_text_addf(out, "%swarpgroup %u has %u in flight", gap, i, pipe->groups[i].in_flight);
        gap = ", ";
    }
}

struct wgmma_pipe *tw_wgmma_pipe_of(struct cta *cta)
{
    if (cta->wgmma != NULL)
        return cta->wgmma;
    struct arena *const arena = &cta->cluster->arena;
    struct wgmma_pipe *const pipe = arena_new(arena, struct wgmma_pipe, 1);
    pipe->cta = cta;
    pipe->groups = arena_new(arena, struct wgmma_group, group_count(pipe));
    pipe->watchers = tw_wgmma_watchers_new(arena, cta->warp_count);
    for (uint32_t i = 0; i < group_count(pipe); i++)
        pipe->groups[i].end = &pipe->groups[i].first;
    pipe->agent = (struct async_agent){.name = "the wgmma unit", .state = pipe, .pending = pending, .land = land, .drain = drain,
                                       .describe = describe};
    tw_cta_add_agent(cta, &pipe->agent);
    cta->wgmma = pipe;
    return pipe;
}
