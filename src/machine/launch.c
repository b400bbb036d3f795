/* Launches: the driver's refusals, then rounds until all clusters have ended. */
#include "machine/launch.h"

#include "base/bits.h"
#include "machine/decode.h"
#include "machine/exec_memory.h"
#include "machine/program.h"
#include "machine/run.h"
#include "machine/tally.h"
#include "machine/warp.h"

#include <stdlib.h>
#include <string.h>

enum {
    CALL_LOCAL_BYTES = 16 << 10, /* local memory for the frames of called functions, a thread */
    MAX_THREADS = 256,           /* host threads of a launch */
    MAX_BLOCK_Z = 64             /* SOURCE: CUDA, technical specifications per compute capability */
};

/* ---- Refusals ------------------------------------------------------------------------------- */

static struct diag *refuse(struct launch *l, const char *what)
{
    return tw_diag(l->findings, E0708, l->image == NULL ? (struct src_span){0} : l->image->entry->at, "%s", what);
}

static bool any(const uint32_t v[3])
{
    return v[0] != 0 || v[1] != 0 || v[2] != 0;
}

static void fill_dims(uint32_t out[3], const uint32_t wanted[3], const uint32_t directive[3])
{
    const uint32_t *const from = any(wanted) || !any(directive) ? wanted : directive;
    for (int i = 0; i < 3; i++)
        out[i] = from[i] == 0 ? 1 : from[i];
}

/* UINT64_MAX when that overflows. */
static uint64_t product(const uint32_t v[3])
{
    const uint64_t plane = (uint64_t)v[0] * v[1];
    return v[2] != 0 && plane > UINT64_MAX / v[2] ? UINT64_MAX : plane * v[2];
}

static bool dims_equal(const uint32_t a[3], const uint32_t directive[3])
{
    for (int i = 0; i < 3; i++)
        if (a[i] != (directive[i] == 0 ? 1 : directive[i]))
            return false;
    return true;
}

static const char *dims_text(const struct launch *l, const uint32_t v[3])
{
    return tw_format(l->findings->arena, "%u x %u x %u", v[0] == 0 ? 1 : v[0], v[1] == 0 ? 1 : v[1], v[2] == 0 ? 1 : v[2]);
}

/* SOURCE: PTX ISA, ".maxntid": the product bounds the block, not each dimension by itself. */
static uint64_t most_threads(const struct ptx_directives *dir)
{
    uint32_t dims[3];
    fill_dims(dims, dir->maxntid, dir->maxntid);
    return any(dir->maxntid) && product(dims) < TW_MAX_CTA_THREADS ? product(dims) : TW_MAX_CTA_THREADS;
}

static bool check_block(struct launch *l, const struct ptx_directives *dir)
{
    if (any(dir->reqntid) && !dims_equal(l->block, dir->reqntid)) {
        struct diag *const d = refuse(l, "the block differs from the kernel's .reqntid");
        tw_diag_expected(d, "%s threads", dims_text(l, dir->reqntid));
        tw_diag_found(d, "%s", dims_text(l, l->block));
        return false;
    }
    const uint64_t most = most_threads(dir), threads = product(l->block);
    if (threads <= most && l->block[2] <= MAX_BLOCK_Z)
        return true;
    struct diag *const d = refuse(l, threads > most && any(dir->maxntid) ? "the block is larger than the kernel's .maxntid"
                                                                         : "the block is larger than a CTA may be");
    if (threads > most)
        tw_diag_expected(d, "at most %llu threads", (unsigned long long)most);
    else
        tw_diag_expected(d, "at most %d threads in z", MAX_BLOCK_Z);
    if (threads == UINT64_MAX)
        tw_diag_found(d, "%s", dims_text(l, l->block));
    else
        tw_diag_found(d, "%s = %llu", dims_text(l, l->block), (unsigned long long)threads);
    return false;
}

/* SOURCE: PTX ISA, ".explicitcluster": the launch or .reqnctapercluster gives the size, or the launch fails. */
static bool check_explicit_cluster(struct launch *l, const struct ptx_directives *dir)
{
    if (!dir->explicitcluster || l->explicit_cluster)
        return true;
    struct diag *const d = refuse(l, "the kernel has .explicitcluster, and the launch names no cluster");
    tw_diag_expected(d, "a cluster size, from the launch or from the kernel's .reqnctapercluster");
    tw_diag_fix(d, "give the launch contract \"cluster\", the CTAs of a cluster: [1] for clusters of one");
    tw_diag_spec(d, "PTX ISA, .explicitcluster");
    return false;
}

static bool check_cluster(struct launch *l, const struct ptx_directives *dir)
{
    if (any(dir->reqnctapercluster) && !dims_equal(l->cluster, dir->reqnctapercluster)) {
        struct diag *const d = refuse(l, "the cluster differs from the kernel's .reqnctapercluster");
        tw_diag_expected(d, "%s CTAs", dims_text(l, dir->reqnctapercluster));
        tw_diag_found(d, "%s", dims_text(l, l->cluster));
        return false;
    }
    const uint32_t of_gpu = l->sm >= 90 ? TW_MAX_CLUSTER_CTAS : 1;
    const bool declared = dir->maxclusterrank != 0 && dir->maxclusterrank < of_gpu;
    if (product(l->cluster) > (declared ? dir->maxclusterrank : of_gpu)) {
        struct diag *const d = refuse(l, "the cluster has too many CTAs");
        if (declared)
            tw_diag_expected(d, "at most %u, the kernel's .maxclusterrank", dir->maxclusterrank);
        else
            tw_diag_expected(d, "at most %u for sm_%u", of_gpu, l->sm);
        tw_diag_found(d, "%s = %llu", dims_text(l, l->cluster), (unsigned long long)product(l->cluster));
        return false;
    }
    for (int i = 0; i < 3; i++)
        if (l->grid[i] % l->cluster[i] != 0) {
            struct diag *const d = refuse(l, "the grid is not a whole number of clusters");
            tw_diag_expected(d, "a multiple of %s", dims_text(l, l->cluster));
            tw_diag_found(d, "%s", dims_text(l, l->grid));
            return false;
        }
    return true;
}

/* Makes the grid one of CTAs. SOURCE: ptx-async.md 8.9: with .blocksareclusters the launch counts clusters. */
static bool count_ctas(struct launch *l, const struct ptx_directives *dir)
{
    static const uint32_t most[3] = {2147483647, 65535, 65535}; /* SOURCE: CUDA, technical specifications per compute capability */
    uint64_t ctas[3];
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        ctas[i] = (uint64_t)l->grid[i] * (dir->blocksareclusters ? l->cluster[i] : 1);
        fits &= ctas[i] <= most[i];
    }
    for (int i = 0; i < 3 && fits; i++)
        l->grid[i] = (uint32_t)ctas[i];
    if (fits)
        return true;
    struct diag *const d = refuse(l, "the grid is too large");
    tw_diag_expected(d, "at most %s CTAs", dims_text(l, most));
    if (dir->blocksareclusters)
        tw_diag_found(d, "%s clusters of %s", dims_text(l, l->grid), dims_text(l, l->cluster));
    else
        tw_diag_found(d, "%s", dims_text(l, l->grid));
    return false;
}

static bool check_shared(struct launch *l)
{
    const unsigned sm = l->sm;
    const uint64_t static_bytes = l->image->shared_static_end - TW_SHARED_RESERVED_BYTES;
    const uint64_t total = (uint64_t)(l->image->has_dynamic_shared ? l->image->shared_dynamic_at : l->image->shared_static_end) -
                           TW_SHARED_RESERVED_BYTES + l->dynamic_shared_bytes;
    if (total <= tw_isa_shared_limit(sm))
        return true;
    struct diag *const d = refuse(l, "the kernel needs more shared memory than a CTA may have");
    tw_diag_expected(d, "at most %u bytes on sm_%u", tw_isa_shared_limit(sm), sm);
    tw_diag_found(d, "%llu static and %u dynamic bytes", (unsigned long long)static_bytes, l->dynamic_shared_bytes);
    return false;
}

static bool check_params(struct launch *l)
{
    const struct ptx_func *const f = l->image->entry;
    if (l->spec.param_bytes == f->param_bytes)
        return true;
    struct diag *const d = refuse(l, "the parameter block has the wrong size");
    tw_diag_expected(d, "%llu bytes for %u parameters", (unsigned long long)f->param_bytes, f->param_count);
    tw_diag_found(d, "%u bytes", l->spec.param_bytes);
    return false;
}

/* SOURCE: PTX ISA, ".target": which GPUs the driver compiles a module for. */
static bool check_target(struct launch *l)
{
    const struct isa_target target = l->program->module->env.target;
    if (tw_isa_target_runs_on(target, l->sm))
        return true;
    struct diag *const d = refuse(l, "the module does not run on this architecture");
    const char suffix[2] = {target.suffix, '\0'};
    tw_diag_expected(d, target.suffix == 'a'   ? "sm_%u alone: the module's target is sm_%u%s"
                        : target.suffix == 'f' ? "sm_%u or a later one of its family: the module's target is sm_%u%s"
                                               : "sm_%u or later: the module's target is sm_%u%s",
                     target.sm, target.sm, suffix);
    tw_diag_found(d, "sm_%u", l->sm);
    tw_diag_fix(d, target.suffix == 0 ? "make the module for sm_%u" : "make the module for sm_%u, or for a target without '%s'", l->sm, suffix);
    return false;
}

static bool check_launch(struct launch *l)
{
    const struct ptx_directives *const dir = &l->image->entry->directives;
    return check_block(l, dir) && check_explicit_cluster(l, dir) && check_cluster(l, dir) && check_shared(l) && check_params(l);
}

/* ---- Beginning ------------------------------------------------------------------------------ */

static uint32_t local_bytes(const struct image *image)
{
    uint64_t bytes = image->codes[0]->local_bytes;
    bool functions = false;
    for (uint32_t i = 1; i < image->code_count; i++)
        functions |= image->codes[i]->local_bytes != 0;
    return (uint32_t)(bytes + (functions ? CALL_LOCAL_BYTES : 0) + (image->uses_stack ? STACK_BYTES : 0));
}

static bool prepare(struct launch *l, const char *entry)
{
    const struct ptx_func *const f = tw_program_entry(l->program, entry, l->findings);
    if (f == NULL)
        return false;
    l->sm = l->spec.sm != 0 ? l->spec.sm : l->program->module->env.target.sm;
    if (!check_target(l))
        return false;
    l->image = tw_image_decode(&l->arena, l->findings, l->program, f, l->sm);
    if (l->image == NULL)
        return false;
    static const uint32_t one[3] = {0};
    fill_dims(l->block, l->spec.block, f->directives.reqntid);
    fill_dims(l->cluster, l->spec.cluster, f->directives.reqnctapercluster);
    fill_dims(l->grid, l->spec.grid, one);
    l->explicit_cluster = any(l->spec.cluster) || any(f->directives.reqnctapercluster);
    if (!count_ctas(l, &f->directives) || !check_launch(l))
        return false;
    l->block_threads = (uint32_t)product(l->block);
    l->cluster_ctas = (uint32_t)product(l->cluster);
    l->cluster_total = product(l->grid) / l->cluster_ctas;
    l->sm_count = 148; /* of a B200; only %nsmid and %smid show it */
    l->local_bytes = local_bytes(l->image);
    l->shared_bytes = (l->image->has_dynamic_shared ? l->image->shared_dynamic_at : l->image->shared_static_end) + l->dynamic_shared_bytes;
    l->cluster_bytes = tw_cluster_estimate(l);
    tw_rounds_start(l);
    for (uint32_t i = 0; l->spec.report && i < l->threads; i++)
        l->hands[i].tally = tw_tally_new(l);
    l->params = tw_arena_alloc(&l->arena, 1, l->spec.param_bytes + 16u);
    l->param_bytes = l->spec.param_bytes;
    if (l->param_bytes != 0)
        memcpy(l->params, l->spec.params, l->param_bytes);
    return true;
}

static bool prepare_or_report(struct launch *l, const char *entry)
{
    if (setjmp(l->landing.at) == 0)
        return prepare(l, entry);
    tw_report_limit(l, NULL, "memory", "the decoded kernel does not fit", "--max-memory");
    return false;
}

struct launch *tw_launch_new(const struct program *p, const char *entry, const struct launch_spec *spec, struct diags *diags)
{
    struct launch *const l = calloc(1, sizeof *l);
    /* An observer sees one order of events, that of one host thread, unless it takes each cluster's by itself. */
    const bool one = spec->observer.event != NULL && !spec->observer.concurrent;
    const uint32_t threads = one || spec->threads == 0 ? 1 : spec->threads < MAX_THREADS ? spec->threads : MAX_THREADS;
    struct hand *const hands = l == NULL ? NULL : calloc(threads, sizeof *hands);
    if (hands == NULL) {
        free(l);
        tw_land(p->arena->landing, LANDING_MEMORY, NULL);
    }
    l->hands = hands;
    l->threads = threads;
    l->program = p;
    l->memory = p->memory;
    l->findings = diags;
    l->spec = *spec;
    if (l->spec.max_steps == 0)
        l->spec.max_steps = TW_DEFAULT_MAX_STEPS;
    if (l->spec.max_memory == 0)
        l->spec.max_memory = TW_DEFAULT_MAX_MEMORY;
    l->dynamic_shared_bytes = spec->dynamic_shared_bytes;
    tw_arena_init(&l->arena, &l->landing, (size_t)l->spec.max_memory);
    if (prepare_or_report(l, entry))
        return l;
    tw_launch_free(l);
    return NULL;
}

void tw_launch_free(struct launch *l)
{
    if (l == NULL)
        return;
    tw_crew_end(l);
    for (uint32_t i = 0; i < l->resident_count; i++)
        tw_cluster_free(l->residents[i].cluster);
    tw_arena_release(&l->arena);
    free(l->hands);
    free(l);
}

/* ---- Running -------------------------------------------------------------------------------- */

/* Remembered allocations: memory may have been released since the last step. */
static void forget_hits(struct launch *l)
{
    for (uint32_t i = 0; i < l->resident_count; i++) {
        const struct cluster *const c = l->residents[i].cluster;
        for (uint32_t k = 0; c != NULL && k < c->warp_count; k++)
            memset(c->order[k]->hits, 0, sizeof c->order[k]->hits);
    }
}

enum launch_status tw_launch_step(struct launch *l, uint64_t max_steps)
{
    if (l->status != LAUNCH_RUNNING)
        return l->status;
    if (l->warp_steps == 0 && l->spec.clock != NULL)
        l->started = l->spec.clock(l->spec.clock_context);
    if (l->warp_steps == 0)
        tw_watch_nc_begin(l);
    forget_hits(l);
    tw_rounds_run(l, max_steps == 0 ? UINT64_MAX : max_steps);
    return l->status;
}

struct launch_progress tw_launch_progress(const struct launch *l)
{
    uint64_t done = l->cluster_done;
    for (uint32_t i = 0; i < l->resident_count; i++)
        done += l->residents[i].status == LAUNCH_FINISHED;
    return (struct launch_progress){
        .ctas_done = done * l->cluster_ctas,
        .ctas_total = l->cluster_total * l->cluster_ctas,
        .warp_steps = l->warp_steps,
        .thread_steps = l->thread_steps,
    };
}
