/* T.device_entry, T.cuda.LaunchConfig, launch hints, and the scope ids of the mid revision, which carry the launch extents
 * themselves. SOURCE: kernel-language 1.4. */
#include "lang/eval.h"

#include "base/nearest.h"

#include <string.h>

enum { GRID, BLOCK, CLUSTER };
static const char *const dim_names[] = {"grid", "block", "cluster"};

static struct value bad_launch(struct eval *ev, struct src_span at, int which, const int64_t dims[3], const char *expected)
{
    struct diag *d = tw_diag(ev->diags, E0215, at, "the %s is not possible", dim_names[which]);
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "(%lld, %lld, %lld)", (long long)dims[0], (long long)dims[1], (long long)dims[2]);
    return value_error();
}

/* SOURCE: CUDA C++ Programming Guide, technical specifications: maximum dimensions of grid and block. */
static bool check_dims(struct eval *ev, struct src_span at, int which, const int64_t dims[3])
{
    static const int64_t most[3][3] = {{INT32_MAX, 65535, 65535}, {1024, 1024, 64}, {16, 16, 16}};
    static const char *const words[] = {"at most 2147483647 x 65535 x 65535 CTAs, each extent at least 1",
                                        "1 to 1024 threads in all, with at most 64 in z",
                                        "1 to 16 CTAs in all"};
    const int64_t in_all[] = {INT64_MAX, TW_MAX_CTA_THREADS, TW_MAX_CLUSTER_CTAS};
    bool fine = true;
    for (int d = 0; d < 3; d++)
        fine &= dims[d] >= 1 && dims[d] <= most[which][d];
    if (fine && which != GRID)
        fine = dims[0] * dims[1] * dims[2] <= in_all[which];
    if (!fine)
        bad_launch(ev, at, which, dims, words[which]);
    return fine;
}

/* An integer, or a tuple of up to three, x first. */
static bool read_dims(struct eval *ev, const struct arg *a, int which, int64_t dims[3])
{
    const bool tuple = value_is_sequence(a->value);
    const uint32_t count = tuple ? a->value.u.list->len : 1;
    dims[0] = dims[1] = dims[2] = 1;
    if (count < 1 || count > 3) {
        tw_eval_mismatch(ev, a->at, tw_format(ev->arena, "the %s", dim_names[which]), "an integer, or a tuple of up to three",
                         a->value);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!tw_eval_static_int(ev, tuple ? a->value.u.list->at[i] : a->value, a->at,
                                tw_format(ev->arena, "the %s", dim_names[which]), &dims[i]))
            return false;
    return check_dims(ev, a->at, which, dims);
}

/* ---- LaunchConfig ---- */

static const char *const launch_params[] = {
    "grid", "block", "cluster", "dynamic_smem_bytes", "preferred_cluster", "stream", "cooperative",
    "programmatic_stream_serialization", "cluster_scheduling_policy", "priority", "mem_sync_domain", "mem_sync_domain_map",
    "access_policy_window", "preferred_shared_memory_carveout", "nvlink_util_centric_scheduling",
    "portable_cluster_size_mode", "shared_memory_mode", "programmatic_event", "launch_completion_event"};
struct value tw_lib_launch_config(struct eval *ev, struct call *c)
{
    enum { SUPPORTED = 4 };
    struct launch *l = arena_new(ev->arena, struct launch, 1);
    l->ir.at = c->at;
    if (!read_dims(ev, &c->args[0], GRID, l->ir.grid) || !read_dims(ev, &c->args[1], BLOCK, l->ir.block))
        return value_error();
    for (size_t i = SUPPORTED; i < sizeof launch_params / sizeof launch_params[0]; i++) {
        if (!c->args[i].given || c->args[i].value.kind == VALUE_NONE)
            continue;
        return tw_eval_unsupported(ev, c->args[i].at, "the parameter '%s' of 'LaunchConfig'", launch_params[i]);
    }
    l->ir.has_cluster = c->args[2].given && c->args[2].value.kind != VALUE_NONE;
    if (l->ir.has_cluster && !read_dims(ev, &c->args[2], CLUSTER, l->ir.cluster))
        return value_error();
    if (c->args[3].given &&
        !tw_eval_static_int(ev, c->args[3].value, c->args[3].at, "dynamic_smem_bytes", &l->ir.dynamic_shared_bytes))
        return value_error();
    if (l->ir.dynamic_shared_bytes < 0 || l->ir.dynamic_shared_bytes > TW_SHARED_CTA_BYTES) {
        struct diag *d = tw_diag(ev->diags, E0215, c->args[3].at, "the dynamic shared memory is not possible");
        tw_diag_expected(d, "0 to %d bytes", TW_SHARED_CTA_BYTES);
        tw_diag_found(d, "%lld", (long long)l->ir.dynamic_shared_bytes);
        return value_error();
    }
    return (struct value){.kind = VALUE_LAUNCH, .u.launch = l};
}

/* ---- device_entry ---- */

static struct value device_entry(struct eval *ev, struct call *c)
{
    struct kernel_build *b = ev->build;
    if (b->on_device) {
        struct diag *d = tw_diag(ev->diags, E0212, c->at, "a kernel has a second T.device_entry()");
        tw_diag_note(d, b->entry, "the first is here");
        return value_error();
    }
    if (b->into != &b->k->body) {
        tw_diag(ev->diags, E0212, c->at, "T.device_entry() stands inside a branch or loop");
        return value_error();
    }
    b->on_device = true;
    b->entry = c->at;
    b->k->launch.at = c->at;
    if (c->rest.len != 0)
        return tw_eval_unsupported(ev, c->rest.at[0].at, "a positional launch value of 'device_entry'");
    if (!c->args[0].given || c->args[0].value.kind == VALUE_NONE)
        return value_none();
    if (c->args[0].value.kind != VALUE_LAUNCH)
        return tw_eval_mismatch(ev, c->args[0].at, "the launch", "T.cuda.LaunchConfig(grid=..., block=...)", c->args[0].value);
    b->k->launch = c->args[0].value.u.launch->ir;
    b->has_launch = true;
    return value_none();
}

/* ---- launch hints ---- */

static const char min_blocks_hint[] = "tirx.launch_bounds_min_blocks_per_sm";

static struct value second_hint(struct eval *ev, struct src_span at, struct src_span first)
{
    struct diag *d = tw_diag(ev->diags, E0212, at, "a kernel is given the hint '%s' twice", min_blocks_hint);
    tw_diag_note(d, first, "the first is here");
    return value_error();
}

static struct value unknown_hint(struct eval *ev, struct src_span at, struct str name)
{
    struct nearest best = nearest_to(name);
    tw_nearest_consider(&best, min_blocks_hint);
    struct diag *d = tw_diag(ev->diags, E0205, at, "there is no launch hint '" STR_FMT "'", STR_ARG(name));
    tw_diag_expected(d, "\"%s\"", min_blocks_hint);
    if (best.name != NULL)
        tw_diag_fix(d, "write \"%s\"", best.name);
    return value_error();
}

/* What no target can fulfil is refused here, what the kernel's own target cannot when it is emitted: the block may still be
 * unknown. MEASURED: ptxas 13.0 takes a `.minnctapersm` of 1 to 32. */
static struct value set_min_blocks(struct eval *ev, struct src_span at, struct value v)
{
    struct ir_launch *l = &eval_kernel(ev)->launch;
    int64_t blocks;
    if (l->min_blocks != 0)
        return second_hint(ev, at, l->min_blocks_at);
    if (!tw_eval_static_int(ev, v, at, "the number of blocks per SM", &blocks))
        return value_error();
    if (blocks < 1 || blocks > TW_MAX_SM_CTAS) {
        struct diag *d = tw_diag(ev->diags, E0215, at, "the number of blocks per SM is not possible");
        tw_diag_expected(d, "1 to %d", TW_MAX_SM_CTAS);
        tw_diag_found(d, "%lld", (long long)blocks);
        return value_error();
    }
    l->min_blocks = blocks;
    l->min_blocks_at = at;
    return value_none();
}

static bool read_hints(struct eval *ev, const struct arg *a, const struct dict **hints)
{
    const char *form = tw_format(ev->arena, "{\"%s\": n}", min_blocks_hint);
    if (a->value.kind != VALUE_DICT) {
        tw_eval_mismatch(ev, a->at, "the launch hint", form, a->value);
        return false;
    }
    *hints = a->value.u.dict;
    if ((*hints)->len != 0)
        return true;
    struct diag *d = tw_diag(ev->diags, E0205, a->at, "'attr' is given no launch hint");
    tw_diag_expected(d, "%s", form);
    return false;
}

/* T.attr({hint: value}). The earlier T.attr(node, key, value) opens a scope of the IR that this compiler does not have. */
static struct value attr(struct eval *ev, struct call *c)
{
    const struct src_span at = c->args[0].at;
    const struct dict *hints;
    if (c->rest.len != 0)
        return tw_eval_unsupported(ev, c->at, "T.attr(node, key, value)");
    if (!read_hints(ev, &c->args[0], &hints))
        return value_error();
    if (ev->build->into != &ev->build->k->body) {
        tw_diag(ev->diags, E0212, c->at, "T.attr() stands inside a branch or loop");
        return value_error();
    }
    struct value done = value_none();
    for (uint32_t i = 0; i < hints->len && done.kind == VALUE_NONE; i++) {
        struct str name;
        if (!tw_eval_static_str(ev, hints->at[i].key, at, "the name of a launch hint", &name))
            return value_error();
        done = tw_str_is(name, min_blocks_hint) ? set_min_blocks(ev, at, hints->at[i].value) : unknown_hint(ev, at, name);
    }
    return done;
}

/* ---- scope ids ---- */

enum id_effect { SETS_NOTHING, SETS_GRID, SETS_CLUSTER, SETS_THREADS, SETS_WARPS, SETS_WARPGROUPS };

struct ir_expr *tw_eval_cta_in_cluster(struct eval *ev, int axis, struct src_span at)
{
    static const enum ir_coord ids[] = {IR_CTAID_X, IR_CTAID_Y, IR_CTAID_Z};
    struct ir_kernel *k = eval_kernel(ev);
    const int64_t extent = k->launch.has_cluster ? k->launch.cluster[axis] : 1;
    if (extent <= 1)
        return tw_ir_const_int(k, tw_ir_int32(), 0, at);
    return tw_ir_binary(k, IR_FLOORMOD, tw_ir_coord(k, ids[axis], at), tw_ir_const_int(k, tw_ir_int32(), extent, at), at);
}

static const struct {
    const char *name;
    enum ir_coord coords[3];
    enum id_effect effect;
} scope_ids[] = {
    {"cta_id", {IR_CTAID_X, IR_CTAID_Y, IR_CTAID_Z}, SETS_GRID},
    {"cta_id_in_cluster", {IR_COORD_COUNT, IR_COORD_COUNT, IR_COORD_COUNT}, SETS_CLUSTER}, /* computed from cta_id */
    {"thread_id", {IR_FLAT_TID}, SETS_THREADS},
    {"warp_id", {IR_WARP_ID}, SETS_WARPS},
    {"warpgroup_id", {IR_WARPGROUP_ID}, SETS_WARPGROUPS},
    {"warp_id_in_wg", {IR_WARP_IN_WARPGROUP}, SETS_NOTHING},
    {"thread_id_in_wg", {IR_TID_IN_WARPGROUP}, SETS_NOTHING},
    {"lane_id", {IR_LANE_ID}, SETS_NOTHING},
};

/* Several ids may state the block; they must agree. */
static bool set_block(struct eval *ev, struct src_span at, int64_t threads)
{
    struct kernel_build *b = ev->build;
    const int64_t dims[3] = {threads, 1, 1};
    int64_t *block = b->k->launch.block;
    if (block[0] == 0) {
        block[0] = threads;
        block[1] = block[2] = 1;
        return check_dims(ev, at, BLOCK, dims);
    }
    if (block[0] * block[1] * block[2] == threads)
        return true;
    struct diag *d = tw_diag(ev->diags, E0215, at, "the extent contradicts the block that is already known");
    tw_diag_expected(d, "%lld threads", (long long)(block[0] * block[1] * block[2]));
    tw_diag_found(d, "%lld threads", (long long)threads);
    return false;
}

/* Grid and cluster are stated once; what is stated again must be the same. */
static bool set_dims(struct eval *ev, struct src_span at, int which, const struct shape *s)
{
    struct ir_launch *l = &ev->build->k->launch;
    int64_t *known = which == GRID ? l->grid : l->cluster, dims[3] = {1, 1, 1};
    for (uint32_t i = 0; i < s->rank; i++)
        dims[i] = s->dim[i];
    if (known[0] != 0 && memcmp(known, dims, sizeof dims) != 0) {
        struct diag *d = tw_diag(ev->diags, E0215, at, "the extents contradict the %s that is already known", dim_names[which]);
        tw_diag_expected(d, "(%lld, %lld, %lld)", (long long)known[0], (long long)known[1], (long long)known[2]);
        return false;
    }
    memcpy(known, dims, sizeof dims);
    l->has_cluster = l->has_cluster || which == CLUSTER;
    return check_dims(ev, at, which, dims);
}

static bool apply_effect(struct eval *ev, struct call *c, enum id_effect effect, const struct shape *s)
{
    static const int64_t threads_each[] = {[SETS_THREADS] = 1, [SETS_WARPS] = 32, [SETS_WARPGROUPS] = 128};
    if (effect == SETS_NOTHING)
        return true;
    if (effect == SETS_GRID || effect == SETS_CLUSTER)
        return set_dims(ev, c->at, effect == SETS_GRID ? GRID : CLUSTER, s);
    return s->dim[0] > TW_MAX_CTA_THREADS ? set_block(ev, c->at, s->dim[0])
                                          : set_block(ev, c->at, s->dim[0] * threads_each[effect]);
}

static struct value scope_id(struct eval *ev, struct call *c)
{
    size_t row = 0;
    while (strcmp(scope_ids[row].name, c->row->name) != 0)
        row++;
    struct shape s;
    if (!tw_eval_static_shape(ev, c->args[0].value, c->args[0].at, "the extents", &s))
        return value_error();
    const bool cluster = scope_ids[row].effect == SETS_CLUSTER;
    if (cluster && !tw_call_refuse_given(ev, c, 1, "preferred"))
        return value_error();
    const uint32_t most = scope_ids[row].effect == SETS_GRID || cluster ? 3 : 1;
    if (s.rank > most) {
        struct diag *d = tw_diag(ev->diags, E0205, c->at, "'%s' is given %u extents", c->row->name, s.rank);
        tw_diag_expected(d, "%s", most == 1 ? "1" : "1 to 3");
        return value_error();
    }
    if (!apply_effect(ev, c, scope_ids[row].effect, &s))
        return value_error();
    struct value ids[3];
    for (uint32_t i = 0; i < s.rank; i++)
        ids[i] = value_expr(cluster ? tw_eval_cta_in_cluster(ev, (int)i, c->at)
                                    : tw_ir_coord(eval_kernel(ev), scope_ids[row].coords[i], c->at));
    return s.rank == 1 ? ids[0] : tw_value_list_of(ev->arena, VALUE_TUPLE, ids, s.rank);
}

/* T.cluster_id([n]): clusters tile the grid, so the grid is n clusters long. */
static struct value cluster_id(struct eval *ev, struct call *c)
{
    struct ir_kernel *k = eval_kernel(ev);
    struct shape s;
    if (!tw_eval_static_shape(ev, c->args[0].value, c->args[0].at, "the extents", &s))
        return value_error();
    if (s.rank != 1 || k->launch.cluster[1] > 1 || k->launch.cluster[2] > 1)
        return tw_eval_unsupported(ev, c->at, "'cluster_id' in more than one dimension");
    if (!k->launch.has_cluster) {
        struct diag *d = tw_diag(ev->diags, E0215, c->at, "the extents of a cluster are not known here");
        tw_diag_fix(d, "write T.cta_id_in_cluster([n]) first");
        return value_error();
    }
    const int64_t size = k->launch.cluster[0];
    const struct shape grid = {1, {s.dim[0] * size}};
    if (!set_dims(ev, c->at, GRID, &grid))
        return value_error();
    return value_expr(tw_ir_binary(k, IR_FLOORDIV, tw_ir_coord(k, IR_CTAID_X, c->at),
                                   tw_ir_const_int(k, tw_ir_int32(), size, c->at), c->at));
}

/* Which CTA of its pair: bit 0 of the rank. */
static struct value cta_id_in_pair(struct eval *ev, struct call *c)
{
    struct ir_kernel *k = eval_kernel(ev);
    return value_expr(tw_ir_binary(k, IR_FLOORMOD, tw_ir_coord(k, IR_CLUSTER_CTARANK, c->at),
                                   tw_ir_const_int(k, tw_ir_int32(), 2, c->at), c->at));
}

static const struct builtin rows[] = {
    {"device_entry", "*launch_values, launch?", device_entry, IN_KERNEL},
    {"attr", "hints, *old", attr, ON_DEVICE},
    {"cta_id", "extents", scope_id, ON_DEVICE},
    {"cta_id_in_cluster", "extents, preferred?", scope_id, ON_DEVICE},
    {"cluster_id", "extents", cluster_id, ON_DEVICE},
    {"cta_id_in_pair", "", cta_id_in_pair, ON_DEVICE},
    {"thread_id", "extents", scope_id, ON_DEVICE},
    {"warp_id", "extents", scope_id, ON_DEVICE},
    {"warpgroup_id", "extents", scope_id, ON_DEVICE},
    {"warp_id_in_wg", "extents", scope_id, ON_DEVICE},
    {"thread_id_in_wg", "extents", scope_id, ON_DEVICE},
    {"lane_id", "extents", scope_id, ON_DEVICE},
};
const struct builtin_table tw_lib_launch = {rows, sizeof rows / sizeof rows[0]};
