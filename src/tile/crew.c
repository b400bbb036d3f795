/* The crew of a tile operation: who issues it, and which coordinate each issuer has on the group axes. */
#include "tile/engine.h"

#include <assert.h>

/* Active warps and lanes, as far as they form ranges. */
struct roll {
    uint8_t warp[TILE_MAX_CTA_WARPS]; /* some lane of the warp is active */
    uint8_t lane[TW_WARP_LANES];      /* active in the first active warp */
    uint32_t first_warp;
    uint32_t warps;
};

static bool take_roll(struct tile_call *c, const uint8_t *active, struct roll *r)
{
    const uint32_t threads = tw_tile_block_threads(c->k);
    *r = (struct roll){.first_warp = UINT32_MAX};
    for (uint32_t t = 0; t < threads; t++) {
        if (!active[t])
            continue;
        r->warps += r->warp[t / 32] == 0;
        r->warp[t / 32] = 1;
        if (r->first_warp == UINT32_MAX)
            r->first_warp = t / 32;
        if (t / 32 == r->first_warp)
            r->lane[t % 32] = 1;
    }
    if (r->warps != 0)
        return true;
    struct diag *d = tw_diag(c->diags, E0414, c->tile->opcode_at, "no thread reaches this %s", c->family->name);
    tw_diag_expected(d, "conditions around the call that some thread of the %u meets", threads);
    tw_diag_fix(d, "correct the condition around the call, or drop the call");
    return false;
}

/* The innermost guard that takes the thread away, to be shown. */
static void blame(const struct tile_call *c, const struct tile_guards *g, uint32_t thread, struct diag *d)
{
    for (uint32_t i = 0; i < g->stack.len; i++)
        if (!g->stack.at[i]->active[thread]) {
            tw_diag_note(d, g->stack.at[i]->condition->at, "this condition leaves thread %u of the %u out", thread,
                         tw_tile_block_threads(c->k));
            return;
        }
}

/* A collective takes whole warps. */
static bool whole_warps(struct tile_call *c, const struct tile_guards *g, const uint8_t *active, const struct roll *r)
{
    const uint32_t threads = tw_tile_block_threads(c->k);
    for (uint32_t w = 0; w < TILE_MAX_CTA_WARPS; w++)
        for (uint32_t lane = 0; r->warp[w] && lane < TW_WARP_LANES; lane++) {
            const uint32_t t = 32 * w + lane;
            if (t < threads && active[t])
                continue;
            struct diag *d = tw_diag(c->diags, E0414, c->tile->opcode_at,
                                     "%s is issued by whole warps, and lane %u of warp %u is missing", c->family->name, lane,
                                     w);
            tw_diag_expected(d, "all 32 lanes of every warp that gets here");
            if (t < threads)
                tw_diag_found(d, "a condition around the call that leaves lanes out");
            else
                tw_diag_found(d, "a block of %u threads, not a multiple of 32", threads);
            tw_diag_fix(d, t < threads ? "guard the call by warp, not by thread" : "launch a multiple of 32 threads");
            if (t < threads)
                blame(c, g, t, d);
            return false;
        }
    return true;
}

/* What warpgroups issue takes whole warpgroups: four consecutive warps, the first a multiple of four. */
static bool whole_groups(struct tile_call *c, const struct tile_guards *g, const struct roll *r)
{
    for (uint32_t w = 0; w < TILE_MAX_CTA_WARPS; w++) {
        const uint32_t group = w / 4;
        const bool any = r->warp[4 * group] || r->warp[4 * group + 1] || r->warp[4 * group + 2] || r->warp[4 * group + 3];
        if (!any || r->warp[w])
            continue;
        const uint32_t threads = tw_tile_block_threads(c->k);
        struct diag *d = tw_diag(c->diags, E0414, c->tile->opcode_at,
                                 "%s is issued by whole warpgroups, and warp %u of warpgroup %u is missing", c->family->name, w % 4,
                                 group);
        tw_diag_expected(d, "all four warps of every warpgroup that gets here");
        if (32 * w < threads)
            tw_diag_found(d, "a condition around the call that leaves warps out");
        else
            tw_diag_found(d, "a block of %u threads, not a multiple of 128", threads);
        tw_diag_fix(d, 32 * w < threads ? "guard the call by warpgroup" : "launch a multiple of 128 threads");
        if (32 * w < threads)
            blame(c, g, 32 * w, d);
        return false;
    }
    return true;
}

static bool range_of_set(const uint8_t *set, uint32_t count, int64_t *low, int64_t *extent)
{
    *low = -1;
    *extent = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!set[i])
            continue;
        if (*low < 0)
            *low = i;
        if (*low + *extent != (int64_t)i)
            return false;
        ++*extent;
    }
    return true;
}

static bool scattered(struct tile_call *c, const char *unit)
{
    struct diag *d = tw_diag(c->diags, E0413, c->tile->opcode_at, "the %ss that reach this %s are no range", unit,
                             c->family->name);
    tw_diag_expected(d, "at %s scope: consecutive %ss, the same in every warp and warpgroup",
                     tw_ir_exec_scope_name(c->tile->scope), unit);
    tw_diag_fix(d, "guard the call with one comparison of the %s index", unit);
    return false;
}

static void add_axis(struct tile_crew *crew, enum tile_group_axis axis, const char *name, int64_t low, int64_t extent)
{
    assert(crew->group_rank < TILE_MAX_GROUP);
    crew->group[crew->group_rank++] = (struct tile_group_row){axis, name, low, extent};
}

/* At warpgroup scope every active warpgroup has the same active warps. */
static bool warps_in_group(struct tile_call *c, const struct roll *r)
{
    const uint32_t group = r->first_warp / 4;
    int64_t low, extent;
    for (uint32_t w = 0; w < TILE_MAX_CTA_WARPS; w++) {
        uint32_t any = 0;
        for (uint32_t i = 0; i < 4; i++)
            any += r->warp[w / 4 * 4 + i];
        if (any != 0 && r->warp[w] != r->warp[4 * group + w % 4])
            return scattered(c, "warp");
    }
    if (!range_of_set(&r->warp[4 * group], 4, &low, &extent))
        return scattered(c, "warp");
    add_axis(&c->crew, TILE_GROUP_WARP_IN_WG, "warp", low, extent);
    return true;
}

static bool warp_axis(struct tile_call *c, const struct roll *r)
{
    if (c->tile->scope == IR_WARP_SCOPE)
        return true;
    if (c->tile->scope == IR_WARPGROUP_SCOPE)
        return warps_in_group(c, r);
    int64_t low, extent;
    if (!range_of_set(r->warp, TILE_MAX_CTA_WARPS, &low, &extent))
        return scattered(c, "warp");
    add_axis(&c->crew, TILE_GROUP_WARP, "warp", low, extent);
    return true;
}

static bool warpgroup_axis(struct tile_call *c, const struct roll *r)
{
    uint8_t groups[TILE_MAX_CTA_WARPS / 4];
    int64_t low, extent;
    for (uint32_t i = 0; i < TILE_MAX_CTA_WARPS / 4; i++)
        groups[i] = r->warp[4 * i];
    if (c->tile->scope == IR_WARPGROUP_SCOPE)
        return true;
    if (!range_of_set(groups, TILE_MAX_CTA_WARPS / 4, &low, &extent))
        return scattered(c, "warpgroup");
    add_axis(&c->crew, TILE_GROUP_WARPGROUP, "warpgroup", low, extent);
    return true;
}

static bool lane_axis(struct tile_call *c, const uint8_t *active, const struct roll *r)
{
    int64_t low, extent;
    for (uint32_t t = 0; t < tw_tile_block_threads(c->k); t++)
        if (r->warp[t / 32] && active[t] != r->lane[t % 32])
            return scattered(c, "lane");
    if (!range_of_set(r->lane, TW_WARP_LANES, &low, &extent))
        return scattered(c, "lane");
    add_axis(&c->crew, TILE_GROUP_LANE, "lane", low, extent);
    return true;
}

static bool cluster_axes(struct tile_call *c)
{
    static const enum tile_group_axis axes[3] = {TILE_GROUP_CTA_X, TILE_GROUP_CTA_Y, TILE_GROUP_CTA_Z};
    static const char *const names[3] = {"CTA x", "CTA y", "CTA z"};
    if (c->tile->scope != IR_CLUSTER_SCOPE)
        return true;
    if (!c->k->launch.has_cluster) {
        struct diag *d = tw_diag(c->diags, E0413, c->tile->opcode_at, "scope=\"cluster\" in a kernel that launches no cluster");
        tw_diag_fix(d, "give LaunchConfig a cluster= extent");
        return false;
    }
    const int64_t *cluster = c->k->launch.cluster;
    int top = 2;
    while (top > 0 && cluster[top] <= 1)
        top--;
    for (int i = top; i >= 0; i--)
        add_axis(&c->crew, axes[i], names[i], 0, cluster[i] > 0 ? cluster[i] : 1);
    c->crew.many_ctas = true;
    return true;
}

static int64_t group_value(enum tile_group_axis axis, uint32_t thread, const int64_t cta[3])
{
    const int64_t of[] = {
        [TILE_GROUP_CTA_Z] = cta[2],      [TILE_GROUP_CTA_Y] = cta[1],
        [TILE_GROUP_CTA_X] = cta[0],      [TILE_GROUP_WARP] = thread / 32,
        [TILE_GROUP_WARP_IN_WG] = thread / 32 % 4, [TILE_GROUP_LANE] = thread % 32,
        [TILE_GROUP_WARPGROUP] = thread / 128,
    };
    return of[axis];
}

static void add_member(struct tile_crew *crew, uint32_t thread, const int64_t cta[3])
{
    struct tile_member *m = &crew->members[crew->member_count++];
    *m = (struct tile_member){.thread = thread, .cta = {cta[0], cta[1], cta[2]}};
    for (uint32_t i = 0; i < crew->group_rank; i++)
        m->group[i] = group_value(crew->group[i].axis, thread, cta) - crew->group[i].low;
}

static void list_members(struct tile_call *c, const uint8_t *active)
{
    const uint32_t threads = tw_tile_block_threads(c->k);
    const uint32_t step = tile_issuer_threads(c->family->issuer);
    int64_t ctas[3] = {1, 1, 1};
    for (int i = 0; i < 3 && c->crew.many_ctas; i++)
        ctas[i] = c->k->launch.cluster[i] > 0 ? c->k->launch.cluster[i] : 1;
    const int64_t cta_count = ctas[0] * ctas[1] * ctas[2];
    c->crew.members = arena_new(c->arena, struct tile_member, (size_t)cta_count * (threads / step + 1));
    for (int64_t n = 0; n < cta_count; n++)
        for (uint32_t t = 0; t < threads; t += step)
            if (active[t])
                add_member(&c->crew, t, (const int64_t[3]){n % ctas[0], n / ctas[0] % ctas[1], n / ctas[0] / ctas[1]});
}

static bool too_narrow(struct tile_call *c)
{
    const bool groups = c->family->issuer == TILE_BY_WARPGROUP;
    const char *scope = tw_ir_exec_scope_name(c->tile->scope);
    struct diag *d = tw_diag(c->diags, E0413, c->tile->opcode_at, "%s at %s scope", c->family->name, scope);
    tw_diag_expected(d, "scope=%s\"warpgroup\", \"cta\" or \"cluster\": the instruction is issued by whole %s",
                     groups ? "" : "\"warp\", ", groups ? "warpgroups" : "warps");
    tw_diag_found(d, "scope=\"%s\"%s", scope, c->tile->scope == IR_THREAD_SCOPE ? ", the default" : "");
    tw_diag_fix(d, "write scope=\"%s\"", groups ? "warpgroup" : "warp");
    return false;
}

bool tw_tile_assemble(struct tile_call *c, const struct tile_guards *guards)
{
    c->crew = (struct tile_crew){0};
    const enum tile_issuer issuer = c->family->issuer;
    const bool by_warp = issuer == TILE_BY_WARP, by_group = issuer == TILE_BY_WARPGROUP;
    if ((by_warp && c->tile->scope < IR_WARP_SCOPE) || (by_group && c->tile->scope < IR_WARPGROUP_SCOPE))
        return too_narrow(c);
    if (c->tile->scope == IR_THREAD_SCOPE) {
        c->crew.anyone = true;
        c->crew.members = arena_new(c->arena, struct tile_member, 1);
        c->crew.member_count = 1;
        return true;
    }
    const uint8_t *active = tw_tile_active(guards);
    struct roll roll;
    if (!take_roll(c, active, &roll) || ((by_warp || by_group) && !whole_warps(c, guards, active, &roll)) ||
        (by_group && !whole_groups(c, guards, &roll)) || !cluster_axes(c))
        return false;
    if (by_group ? !warpgroup_axis(c, &roll) : !warp_axis(c, &roll) || (!by_warp && !lane_axis(c, active, &roll)))
        return false;
    list_members(c, active);
    return true;
}
