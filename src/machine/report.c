/* What is said when nothing can run, and when a limit stops the launch.
 *
 * Waiting splits are grouped by what they wait for and where; each group is one note with its
 * place, so that a report of a thousand threads has a few lines. */
#include "machine/collective.h"
#include "machine/decode.h"
#include "machine/mbarrier.h"
#include "machine/register_pool.h"
#include "machine/run.h"
#include "machine/warp.h"

#include <string.h>

struct group {
    const struct cta *cta;
    const struct warp *warp;   /* the first */
    const struct split *split; /* the first */
    uint32_t lanes;            /* of each of the warps */
    uint32_t warps;            /* mask */
};

enum { MAX_GROUPS = 24 };

static bool same_wait(const struct group *g, const struct cta *cta, const struct split *s)
{
    return g->cta == cta && g->split->frame->code == s->frame->code && g->split->pc == s->pc && g->lanes == s->mask &&
           g->split->wait.kind == s->wait.kind && g->split->wait.key == s->wait.key && g->split->wait.detail == s->wait.detail;
}

static void add_to_groups(struct group *groups, uint32_t *count, const struct warp *w, const struct split *s)
{
    for (uint32_t i = 0; i < *count; i++)
        if (same_wait(&groups[i], w->cta, s)) {
            groups[i].warps |= UINT32_C(1) << w->id;
            return;
        }
    if (*count < MAX_GROUPS)
        groups[(*count)++] = (struct group){w->cta, w, s, s->mask, UINT32_C(1) << w->id};
}

static uint32_t collect(const struct cluster *c, struct group *groups)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t k = 0; k < c->ctas[i].warp_count; k++)
            for (uint32_t n = 0; n < c->ctas[i].warps[k].split_count; n++)
                add_to_groups(groups, &count, &c->ctas[i].warps[k], &c->ctas[i].warps[k].splits[n]);
    return count;
}

static void say_who(const struct group *g, struct text *out)
{
    tw_warp_list(g->warps, out);
    if (g->lanes != ALL_LANES) {
        tw_text_add(out, " (");
        tw_lane_list(g->lanes, out);
        tw_text_add(out, ")");
    }
    const uint32_t *const b = g->cta->ctaid;
    tw_text_addf(out, " of block (%u,%u,%u)", b[0], b[1], b[2]);
}

static uint32_t warp_mask(const struct cta *cta, bool live)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if ((cta->warps[i].live != 0) == live)
            mask |= UINT32_C(1) << i;
    return mask;
}

/* Who cannot come any more. */
static void say_ended(const struct cta *cta, struct text *out)
{
    const uint32_t ended = warp_mask(cta, false);
    if (ended == 0)
        return;
    tw_text_add(out, "; ended: ");
    tw_warp_list(ended, out);
}

static void say_bar(const struct group *g, struct text *out)
{
    const struct wait *const wait = &g->split->wait;
    const struct named_barrier *const bar = &g->cta->bars[wait->key];
    if (wait->detail == BAR_GATHERING) {
        tw_text_addf(out, "at barrier %llu for the other lanes of the warp", (unsigned long long)wait->key);
        return;
    }
    tw_text_addf(out, "at barrier %llu: %u of %u threads have arrived", (unsigned long long)wait->key, bar->arrived, bar->expected);
    const uint32_t missing = warp_mask(g->cta, true) & ~bar->arrived_warps;
    if (missing != 0) {
        tw_text_add(out, "; not there: ");
        tw_warp_list(missing, out);
    }
    say_ended(g->cta, out);
}

static void say_what(const struct group *g, struct text *out)
{
    const struct wait *const wait = &g->split->wait;
    const struct cluster *const c = g->cta->cluster;
    if (wait->kind == WAIT_MBARRIER) {
        const uint32_t rank = (uint32_t)(wait->key >> 24) & 0xff;
        tw_text_addf(out, "for parity %u of the mbarrier at shared address 0x%llx: ", wait->detail, (unsigned long long)wait->key);
        tw_mbarrier_describe(&c->ctas[rank], (uint32_t)wait->key & 0xffffff, out);
        say_ended(&c->ctas[rank], out);
    } else if (wait->kind == WAIT_BAR) {
        say_bar(g, out);
    } else if (wait->kind == WAIT_CLUSTER) {
        tw_text_addf(out, "at the cluster barrier: %u of %u threads have arrived", c->barrier.arrived, c->barrier.expected);
    } else if (wait->kind == WAIT_CONVERGE) {
        tw_text_add(out, "for the rest of the warp to come to this .aligned instruction");
    } else if (wait->kind == WAIT_LANES) {
        tw_text_add(out, "for ");
        tw_lane_list((uint32_t)wait->key & ~g->split->mask, out);
        tw_text_add(out, " to come to this instruction");
    } else if (wait->kind == WAIT_WARP_SYNC) {
        tw_text_add(out, "at bar.warp.sync for ");
        tw_lane_list((uint32_t)wait->key & ~g->split->mask, out);
    } else if (wait->kind == WAIT_TMEM) {
        tw_text_addf(out, "for %llu free columns of tensor memory", (unsigned long long)wait->key);
    } else if (wait->kind == WAIT_REGISTERS) {
        tw_registers_describe(g->warp, (uint32_t)g->split->frame->code->insts[g->split->pc].imm, out);
    } else if (wait->agent != NULL) {
        tw_text_addf(out, "for %s", wait->agent->name);
    } else {
        tw_text_add(out, "for asynchronous operations");
    }
}

/* The first load or atomic of the loop that a poller goes round; NULL: it reads no memory. */
static const struct dinst *polled(const struct split *s, uint32_t *address_op)
{
    for (uint32_t pc = s->pc; pc <= s->wait.detail; pc++) {
        const struct dinst *const d = &s->frame->code->insts[pc];
        if (d->isa_op == OP_LD || d->isa_op == OP_LDU || d->isa_op == OP_ATOM) {
            *address_op = 1;
            return d;
        }
    }
    return NULL;
}

static uint64_t address_in(const struct split *s, const struct dop *o)
{
    const uint8_t *const bank = (o->ref & REF_CONST) != 0 ? s->frame->code->consts : s->frame->regs;
    const uint8_t *const at = bank + (o->ref & ~REF_CONST) + (size_t)o->bytes * first_lane(s->mask);
    uint64_t base = 0;
    memcpy(&base, at, o->bytes);
    return o->bytes == 8 ? base + (uint64_t)(int64_t)o->disp : (uint32_t)((uint32_t)base + (uint32_t)o->disp);
}

static void say_place(const struct launch *l, enum space space, uint64_t address, struct text *out)
{
    const struct allocation *a;
    if (space == SPACE_GENERIC)
        space = tw_generic_space(address, &address);
    if (space == SPACE_GLOBAL && (a = tw_memory_find(l->memory, address)) != NULL && a->name != NULL)
        tw_text_addf(out, "byte %llu of '%s'", (unsigned long long)(address - a->address), a->name);
    else
        tw_text_addf(out, "%s address 0x%llx", tw_space_name(space), (unsigned long long)address);
}

static void note_poller(const struct cluster *c, struct diag *d, const struct group *g)
{
    struct text t;
    tw_text_init(&t, d->owner->arena);
    say_who(g, &t);
    const struct split *const s = g->split;
    const bool one = (g->warps & (g->warps - 1)) == 0;
    uint32_t operand = 0;
    const struct dinst *const load = polled(s, &operand);
    if (load == NULL) {
        tw_text_add(&t, one ? " goes round a loop that reads no memory" : " go round a loop that reads no memory");
    } else {
        tw_text_add(&t, one ? " polls " : " poll ");
        say_place(c->launch, (enum space)load->imm, address_in(s, &load->op[operand]), &t);
    }
    const struct code *const code = s->frame->code;
    const struct origin *const o = &code->origins[load == NULL ? code->insts[s->pc].origin : load->origin];
    tw_source_name(c->launch, o, &t);
    tw_diag_note(d, o->at, "%s", t.at);
}

static void note_group(const struct cluster *c, struct diag *d, const struct group *g)
{
    struct text t;
    if (g->split->wait.kind == WAIT_CHANGE) {
        note_poller(c, d, g);
        return;
    }
    tw_text_init(&t, d->owner->arena);
    say_who(g, &t);
    const bool one = (g->warps & (g->warps - 1)) == 0;
    tw_text_add(&t, one ? " waits " : " wait ");
    say_what(g, &t);
    const struct code *const code = g->split->frame->code;
    const struct origin *const o = &code->origins[code->insts[g->split->pc].origin];
    tw_source_name(c->launch, o, &t);
    tw_diag_note(d, o->at, "%s", t.at);
}

static void note_site(const struct cluster *c, struct diag *d, const struct mbar_site *site, const char *what)
{
    if (site->code == NULL)
        return;
    const struct origin *const o = &site->code->origins[site->origin];
    struct text t;
    tw_text_init(&t, c->diags->arena);
    tw_text_add(&t, what);
    tw_source_name(c->launch, o, &t);
    tw_diag_note(d, o->at, "%s", t.at);
}

/* Where bytes were last expected and last arrived at an awaited barrier whose bytes do not add up. */
static void note_bytes(const struct cluster *c, struct diag *d, const struct group *groups, uint32_t at)
{
    const struct wait *const wait = &groups[at].split->wait;
    struct mbar *m;
    struct mbar_site expected, arrived;
    for (uint32_t i = 0; i < at; i++)
        if (groups[i].split->wait.kind == WAIT_MBARRIER && groups[i].split->wait.key == wait->key)
            return; /* said already */
    struct cta *const cta = &groups[at].cta->cluster->ctas[wait->key >> 24];
    if (tw_mbar_find(cta, (uint32_t)wait->key & 0xffffff, &m) != MBAR_LIVE || m->tx == 0)
        return;
    tw_mbar_sites(cta, (uint32_t)wait->key & 0xffffff, &expected, &arrived);
    note_site(c, d, &expected, "bytes of this phase were last expected here");
    note_site(c, d, &arrived, "bytes that arrived in it were last copied here");
}

static void note_engines(const struct cluster *c, struct diag *d)
{
    for (uint32_t i = 0; i < c->cta_count; i++)
        for (uint32_t k = 0; k < c->ctas[i].agent_count; k++) {
            const struct async_agent *const a = c->ctas[i].agents[k];
            const uint32_t pending = a->pending(a);
            if (pending == 0)
                continue;
            struct text t;
            tw_text_init(&t, d->owner->arena);
            const uint32_t *const b = c->ctas[i].ctaid;
            tw_text_addf(&t, "%s of block (%u,%u,%u) holds %u operation%s that nothing waits for", a->name, b[0], b[1], b[2],
                         pending, pending == 1 ? "" : "s");
            if (a->describe != NULL) {
                tw_text_add(&t, ": ");
                a->describe(a, &t);
            }
            tw_diag_note(d, (struct src_span){0}, "%s", t.at);
        }
}

static const struct group *first_of(const struct group *groups, uint32_t count, enum wait_kind kind)
{
    for (uint32_t i = 0; i < count; i++)
        if (groups[i].split->wait.kind == kind)
            return &groups[i];
    return NULL;
}

void tw_report_deadlock(struct cluster *c)
{
    struct group groups[MAX_GROUPS];
    const uint32_t count = collect(c, groups);
    const struct group *const converge = first_of(groups, count, WAIT_CONVERGE);
    const struct group *const lanes = first_of(groups, count, WAIT_LANES);
    const struct group *const first = converge != NULL ? converge : lanes != NULL ? lanes : &groups[0];
    const struct code *const code = first->split->frame->code;
    const struct src_span at = code->origins[code->insts[first->split->pc].origin].at;
    struct diag *d;
    if (converge != NULL) {
        d = tw_diag(c->diags, E0705, at, "an .aligned instruction is reached by a part of the warp, and the rest cannot come");
        c->status = LAUNCH_FAULT;
    } else if (lanes != NULL) {
        d = tw_diag(c->diags, E0713, at, "a .sync instruction waits for lanes of its member mask that cannot come");
        c->status = LAUNCH_FAULT;
    } else {
        d = tw_diag(c->diags, E0706, at, "deadlock: no thread can run, and no pending operation could change that");
        c->status = LAUNCH_DEADLOCK;
    }
    for (uint32_t i = 0; i < count; i++)
        note_group(c, d, &groups[i]);
    for (uint32_t i = 0; i < count; i++)
        if (groups[i].split->wait.kind == WAIT_MBARRIER)
            note_bytes(c, d, groups, i);
    if (c->idle_rounds >= LONGEST_IDLE)
        tw_diag_note(d, (struct src_span){0}, "waits have timed out %u times in a row", c->idle_rounds);
    note_engines(c, d);
}

void tw_take_findings(struct launch *l, struct cluster *c)
{
    for (uint32_t i = 0; c->diags != NULL && i < c->diags->list.len; i++) {
        const struct diag *const from = c->diags->list.at[i];
        if (tw_diag_row(from->code)->severity != DIAG_ERROR && tw_is_reported(l->findings, (int)from->code, from->at))
            continue; /* a remark is made once an instruction, whichever cluster was first */
        struct diag *const to = tw_diag(l->findings, from->code, from->at, "%s", from->message);
        if (from->expected != NULL)
            tw_diag_expected(to, "%s", from->expected);
        if (from->found != NULL)
            tw_diag_found(to, "%s", from->found);
        if (from->fix != NULL)
            tw_diag_fix(to, "%s", from->fix);
        if (from->spec != NULL)
            tw_diag_spec(to, "%s", from->spec);
        for (uint32_t k = 0; k < from->notes.len; k++)
            tw_diag_note(to, from->notes.at[k].at, "%s", from->notes.at[k].text);
    }
    if (c->diags != NULL)
        tw_diags_init(c->diags, &c->arena, l->findings->sources);
}

static uint32_t others_asleep(const struct launch *l)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < l->resident_count; i++)
        count += l->cluster_ctas;
    return count;
}

void tw_report_livelock(struct launch *l)
{
    struct cluster *const c = l->residents[0].cluster;
    struct group groups[MAX_GROUPS];
    const uint32_t count = collect(c, groups);
    const struct group *const poller = first_of(groups, count, WAIT_CHANGE), *const first = poller != NULL ? poller : &groups[0];
    const struct code *const code = first->split->frame->code;
    struct diag *const d = tw_diag(l->findings, E0721, code->origins[code->insts[first->split->pc].origin].at,
                                   "livelock: threads go round loops in which nothing changes, and nobody is left who could change it");
    for (uint32_t i = 0; i < count; i++)
        note_group(c, d, &groups[i]);
    note_engines(c, d);
    if (l->resident_count > 1)
        tw_diag_note(d, (struct src_span){0}, "%u more blocks are in the same state", others_asleep(l));
    if (l->cluster_next < l->cluster_total)
        tw_diag_note(d, (struct src_span){0}, "%llu blocks have not begun: there is no room for them beside those that wait",
                     (unsigned long long)((l->cluster_total - l->cluster_next) * l->cluster_ctas));
    l->status = LAUNCH_DEADLOCK;
}

/* A cluster that has found no memory to begin in. */
static void note_beginning(const struct launch *l, struct diag *d)
{
    const uint32_t *const b = l->cluster;
    tw_diag_note(d, l->image->entry->at, "'%s' could not begin: a cluster of %u x %u x %u CTAs starts with about %llu KiB", l->image->entry->name,
                 b[0], b[1], b[2], (unsigned long long)((l->cluster_bytes + 1023) / 1024));
}

/* Where the first live warp stands, as an example of what was running. */
static bool note_running(struct launch *l, const struct cluster *c, struct diag *d)
{
    for (uint32_t i = 0; c != NULL && i < c->warp_count; i++) {
        const struct warp *const w = c->order[i];
        if (w->live == 0 || w->split_count == 0)
            continue;
        const struct split *const s = &w->splits[0];
        const struct code *const code = s->frame->code;
        const struct origin *const o = &code->origins[code->insts[s->pc].origin];
        struct text t;
        tw_text_init(&t, l->findings->arena);
        tw_text_addf(&t, "'%s' was running: warp %u of block (%u,%u,%u) is here", l->image->entry->name, w->id, w->cta->ctaid[0],
                     w->cta->ctaid[1], w->cta->ctaid[2]);
        tw_source_name(l, o, &t);
        tw_diag_note(d, o->at, "%s", t.at);
        return true;
    }
    return false;
}

void tw_report_limit(struct launch *l, const struct cluster *c, const char *what, const char *value, const char *option)
{
    l->status = LAUNCH_LIMIT;
    struct diag *const d = tw_diag(l->findings, E0707, (struct src_span){0}, "the limit on %s was reached: %s", what, value);
    if (l->cluster_total != 0)
        tw_diag_found(d, "%llu of %llu CTAs done after %llu warp instructions", (unsigned long long)(l->cluster_done * l->cluster_ctas),
                      (unsigned long long)(l->cluster_total * l->cluster_ctas), (unsigned long long)l->warp_steps);
    tw_diag_fix(d, "raise %s, if the kernel needs more", option);
    if (note_running(l, c, d) || l->image == NULL || l->cluster_bytes == 0)
        return;
    if (l->warp_steps == 0)
        note_beginning(l, d);
    else
        tw_diag_note(d, l->image->entry->at, "'%s' was running: the CTAs that had begun were done", l->image->entry->name);
}
