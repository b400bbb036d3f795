/* Faults: the launch ends with one diagnostic that says what, where in the PTX and in the kernel's
 * source, and which thread of which block did it. */
#include "machine/decode.h"
#include "machine/program.h"
#include "machine/run.h"
#include "ptx/ptx.h"

#include <stdarg.h>
#include <string.h>

void tw_launch_thread_name(const struct launch *l, uint64_t cluster, uint32_t rank, uint32_t thread, struct text *out)
{
    uint32_t b[3];
    const uint32_t t = thread;
    tw_cta_position(l, cluster, rank, b);
    tw_text_addf(out, "thread (%u,%u,%u) of block (%u,%u,%u)", t % l->block[0], t / l->block[0] % l->block[1],
                 t / (l->block[0] * l->block[1]), b[0], b[1], b[2]);
}

void tw_thread_name(const struct warp *w, unsigned lane, struct text *out)
{
    tw_launch_thread_name(w->cluster->launch, w->cluster->index, w->cta->rank, w->id * LANES + lane, out);
}

static void add_line(const struct launch *l, uint32_t number, uint32_t line, struct text *out)
{
    const struct ptx_file *const file = tw_ptx_find_file(l->program->module, number);
    tw_text_addf(out, " %s:%u", file == NULL ? "?" : file->name, line);
}

/* The .loc that an inlined one was inlined at, counted from 1; 0: there is none. SOURCE: PTX ISA, .loc: it stands before. */
static uint32_t inlined_at(const struct ptx_loc *locs, uint32_t loc)
{
    const struct ptx_loc *const inner = &locs[loc - 1];
    for (uint32_t i = loc - 1; i > 0; i--)
        if (locs[i - 1].file == inner->at_file && locs[i - 1].line == inner->at_line && locs[i - 1].column == inner->at_column)
            return i;
    return 0;
}

enum { MOST_INLINED = 4 };

void tw_source_name(const struct launch *l, const struct origin *o, struct text *out)
{
    if (o->loc == 0 || o->locs[o->loc - 1].line == 0)
        return;
    tw_text_add(out, ",");
    add_line(l, o->locs[o->loc - 1].file, o->locs[o->loc - 1].line, out);
    uint32_t loc = o->loc;
    for (unsigned i = 0; i < MOST_INLINED && loc != 0 && o->locs[loc - 1].inlined; i++) {
        tw_text_add(out, i == 0 ? ", inlined at" : ", at");
        add_line(l, o->locs[loc - 1].at_file, o->locs[loc - 1].at_line, out);
        loc = inlined_at(o->locs, loc);
    }
}

/* Modules that were built have no text to point into: the instruction is printed instead. */
static void add_instruction(const struct launch *l, const struct code *code, const struct origin *o, struct text *out)
{
    if (o->at.file != 0 || o->inst == NULL)
        return;
    tw_text_add(out, ", at '");
    tw_ptx_print_inst(l->program->module, code->func, o->inst, out);
    tw_text_add(out, "'");
}

static void add_note_fields(struct diag *d, const struct fault_note *note)
{
    if (note == NULL)
        return;
    if (note->expected != NULL)
        tw_diag_expected(d, "%s", note->expected);
    if (note->found != NULL)
        tw_diag_found(d, "%s", note->found);
    if (note->fix != NULL)
        tw_diag_fix(d, "%s", note->fix);
    if (note->spec != NULL)
        tw_diag_spec(d, "%s", note->spec);
}

static struct diag *describe(const struct warp *w, unsigned lane, const struct code *code, uint32_t origin, int diag_code,
                     const struct fault_note *note, const char *message, const char *verb)
{
    const struct launch *const l = w->cluster->launch;
    const struct origin *const o = &code->origins[origin];
    struct diag *const d = tw_diag(w->cluster->diags, (enum diag_code)diag_code, o->at, "%s", message);
    add_note_fields(d, note);
    struct text who;
    tw_text_init(&who, w->cluster->diags->arena);
    tw_text_add(&who, verb);
    tw_thread_name(w, lane, &who);
    tw_source_name(l, o, &who);
    add_instruction(l, code, o, &who);
    tw_diag_note(d, (struct src_span){0}, "%s", who.at);
    return d;
}

enum { MOST_CALLERS = 3 };

/* Where the function of the frame was called, and its callers: a library's function seldom is where the mistake is. A function that
 * calls itself from one place is one note. */
static void add_callers(struct diag *d, const struct warp *w, const struct frame *f)
{
    for (unsigned notes = 0; f->caller != NULL && notes < MOST_CALLERS; notes++) {
        const struct frame *const first = f;
        const struct origin *const o = &f->caller->code->origins[f->call->origin];
        struct text t;
        uint32_t times = 0;
        while (f->caller != NULL && f->call == first->call) {
            times++;
            f = f->caller;
        }
        tw_text_init(&t, w->cluster->diags->arena);
        tw_text_addf(&t, "'%s' was called here", first->code->func->name);
        if (times > 1)
            tw_text_addf(&t, ", %u times in a row", times);
        tw_source_name(w->cluster->launch, o, &t);
        tw_diag_note(d, o->at, "%s", t.at);
    }
    if (f->caller != NULL)
        tw_diag_note(d, (struct src_span){0}, "and so on, %u more call%s", f->depth, f->depth == 1 ? "" : "s");
}

/* NULL where another fault has ended the launch. */
static struct diag *report(struct warp *w, unsigned lane, const struct code *code, uint32_t origin, int diag_code,
                   const struct fault_note *note, const char *message, const char *verb)
{
    if (w->cluster->status != LAUNCH_RUNNING)
        return NULL;
    w->cluster->status = LAUNCH_FAULT;
    return describe(w, lane, code, origin, diag_code, note, message, verb);
}

bool tw_is_reported(const struct diags *diags, int code, struct src_span at)
{
    for (uint32_t i = 0; i < diags->list.len; i++)
        if ((int)diags->list.at[i]->code == code && memcmp(&diags->list.at[i]->at, &at, sizeof at) == 0)
            return true;
    return false;
}

static void remark(const struct warp *w, unsigned lane, const struct code *code, uint32_t origin, int diag_code, const struct fault_note *note,
                   const char *format, va_list args)
{
    const struct cluster *const c = w->cluster;
    const struct src_span at = code->origins[origin].at;
    if (c->status != LAUNCH_RUNNING || tw_is_reported(c->diags, diag_code, at) || tw_is_reported(c->launch->findings, diag_code, at))
        return;
    describe(w, lane, code, origin, diag_code, note, tw_formatv(c->diags->arena, format, args), "by ");
}

void tw_remark(struct warp *w, unsigned lane, int code, const struct fault_note *note, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    remark(w, lane, w->code, w->code->insts[w->now->pc].origin, code, note, format, args);
    va_end(args);
}

void tw_remark_at(const struct warp *w, unsigned lane, const struct code *code, uint32_t origin, int diag_code, const struct fault_note *note,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    remark(w, lane, code, origin, diag_code, note, format, args);
    va_end(args);
}

enum exec_status tw_fault(struct warp *w, unsigned lane, int code, const struct fault_note *note, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *const message = tw_formatv(w->cluster->diags->arena, format, args);
    va_end(args);
    struct diag *const d = report(w, lane, w->code, w->code->insts[w->now->pc].origin, code, note, message, "by ");
    if (d != NULL)
        add_callers(d, w, w->now->frame);
    return EXEC_FAULT;
}

void tw_fault_async(struct cluster *c, struct cta *cta, uint32_t warp, unsigned lane, const struct code *code, uint32_t origin,
                    int diag_code, const struct fault_note *note, const char *format, ...)
{
    (void)c;
    va_list args;
    va_start(args, format);
    const char *const message = tw_formatv(c->diags->arena, format, args);
    va_end(args);
    report(&cta->warps[warp], lane, code, origin, diag_code, note, message, "in an operation issued by ");
}

static const char *lane_list(struct arena *arena, uint32_t mask)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_lane_list(mask, &t);
    return t.at;
}

static void number_list(uint32_t mask, const char *one, const char *many, struct text *out)
{
    tw_text_add(out, (mask & (mask - 1)) == 0 ? one : many);
    const char *gap = "";
    for (unsigned from = 0; from < LANES; from++) {
        if ((mask >> from & 1) == 0)
            continue;
        unsigned to = from;
        while (to + 1 < LANES && (mask >> (to + 1) & 1) != 0)
            to++;
        tw_text_addf(out, from == to ? "%s%u" : "%s%u-%u", gap, from, to);
        gap = ", ";
        from = to;
    }
}

void tw_lane_list(uint32_t mask, struct text *out)
{
    number_list(mask, "lane ", "lanes ", out);
}

void tw_warp_list(uint32_t mask, struct text *out)
{
    number_list(mask, "warp ", "warps ", out);
}

enum exec_status tw_fault_missing_lanes(struct warp *w, uint32_t mask, const char *name)
{
    struct arena *const arena = w->cluster->diags->arena;
    const uint32_t missing = ALL_LANES & ~mask;
    const bool one = (missing & (missing - 1)) == 0;
    return tw_fault(w, first_lane(mask), E0773,
                    &(struct fault_note){.expected = "all 32 lanes of the warp",
                                         .found = tw_format(arena, "%s %s not take part", lane_list(arena, missing), one ? "does" : "do"),
                                         .spec = tw_format(arena, "PTX ISA, %s", name)},
                    "%s by a part of a warp", name);
}

enum exec_status tw_fault_partial_guard(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    struct arena *const arena = w->cluster->diags->arena;
    const uint32_t off = w->now->mask & ~mask;
    return tw_fault(w, first_lane(off), E0705,
                    &(struct fault_note){
                        .expected = "the guard predicate true for the whole warp, or for none of it",
                        .found = tw_format(arena, "true for %s, false for %s of warp %u", lane_list(arena, mask),
                                           lane_list(arena, off), w->id),
                    },
                    "an .aligned instruction under a predicate that differs within the warp");
}
