/* Counting, and the report of a run: what was executed, how much memory moved, and how exact the result is. */
#include "machine/tally.h"

#include "machine/decode.h"
#include "machine/program.h"
#include "machine/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counting ---------------------------------------------------------------------------------- */

struct tally *tw_tally_new(struct launch *l)
{
    struct tally *const t = arena_new(&l->arena, struct tally, 1);
    t->insts = arena_new(&l->arena, struct inst_tally, l->image->inst_count + 1);
    return t;
}

/* Own and peers' shared memory is one line of the report. */
static enum space line_of(enum space space)
{
    return space == SPACE_SHARED_CLUSTER ? SPACE_SHARED : space;
}

void tw_tally_lanes(struct warp *w, const struct dinst *d, const struct dop *address, uint32_t mask, uint32_t bytes, bool read,
                    bool write)
{
    struct tally *const t = w->cluster->tally;
    FOR_LANES(lane, mask) {
        uint64_t at;
        const enum space space = d->imm == SPACE_GENERIC ? tw_generic_space(lane_address(w, address, lane), &at) : (enum space)d->imm;
        if (read)
            t->bytes[line_of(space)][0] += bytes;
        if (write)
            t->bytes[line_of(space)][1] += bytes;
    }
}

void tw_tally_products(struct cluster *c, const struct code *code, uint32_t pc, const struct num_dot_model *model, uint64_t count)
{
    struct inst_tally *const i = &c->tally->insts[code->first + pc];
    i->products += count;
    i->model = model;
}

/* ---- Opcodes ----------------------------------------------------------------------------------- */

/* Why an instruction's results are what hardware gives, or may differ from it. */
enum fidelity { BY_DEFINITION, BY_SILICON, BY_OTHERS_SILICON, BY_MODEL, CONTRACTABLE, APPROXIMATE, FIDELITIES };

/* All instructions of one spelling. */
struct opcode {
    const char *name;
    enum fidelity fidelity;
    uint64_t warps, threads, products;
    const struct num_dot_model *model;
};

struct summary {
    struct opcode *opcodes;
    uint32_t count;
    uint64_t warps, threads, products;
    uint64_t bytes[TALLY_SPACES][2];
    uint64_t by[FIDELITIES]; /* warp instructions */
    unsigned sm, target_sm;  /* computed as; of the module */
};

static enum fidelity fidelity_of(const struct dinst *d, const struct num_dot_model *model)
{
    if (model != NULL)
        return model->evidence == NUM_MEASURED_HERE ? BY_SILICON : model->evidence == NUM_MEASURED_BY_OTHERS ? BY_OTHERS_SILICON : BY_MODEL;
    if ((d->flags & D_FLOAT_CONTRACTABLE) != 0)
        return CONTRACTABLE;
    return (d->flags & D_APPROXIMATE) != 0 ? APPROXIMATE : BY_DEFINITION;
}

static const char *spelling(struct arena *arena, const struct code *code, uint32_t pc)
{
    struct text t;
    tw_text_init(&t, arena);
    if (pc >= code->func->insts.len)
        return "ret"; /* that a body without one ends with */
    const struct isa_spelling s = tw_ptx_spelling(&code->func->insts.at[pc]);
    tw_isa_spell(&s, &t);
    return t.at;
}

static struct inst_tally sum_of(const struct launch *l, uint32_t number)
{
    struct inst_tally sum = {0};
    for (uint32_t i = 0; i < l->threads; i++) {
        const struct inst_tally *const one = &l->hands[i].tally->insts[number];
        sum.warps += one->warps;
        sum.threads += one->threads;
        sum.products += one->products;
        sum.model = one->model != NULL ? one->model : sum.model;
    }
    return sum;
}

static void add_inst(struct summary *s, struct strmap *names, const struct code *code, uint32_t pc, const struct inst_tally *i)
{
    const char *const name = spelling(names->arena, code, pc);
    const uint32_t *const known = tw_strmap_get(names, tw_str(name));
    const uint32_t at = known != NULL ? *known : s->count;
    if (known == NULL) {
        tw_strmap_put(names, tw_str(name), s->count);
        s->opcodes[s->count++] = (struct opcode){.name = name};
    }
    struct opcode *const o = &s->opcodes[at];
    o->warps += i->warps;
    o->threads += i->threads;
    o->products += i->products;
    o->model = i->model != NULL ? i->model : o->model;
    o->fidelity = fidelity_of(&code->insts[pc], o->model);
    s->by[o->fidelity] += i->warps;
    s->warps += i->warps;
    s->threads += i->threads;
    s->products += i->products;
}

static int most_first(const void *a, const void *b)
{
    const struct opcode *const x = a, *const y = b;
    if (x->warps != y->warps)
        return x->warps < y->warps ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void summarise(const struct launch *l, struct arena *arena, struct summary *s)
{
    struct strmap names;
    tw_strmap_init(&names, arena);
    s->opcodes = arena_new(arena, struct opcode, l->image->inst_count + 1);
    for (uint32_t c = 0; c < l->image->code_count; c++) {
        const struct code *const code = l->image->codes[c];
        for (uint32_t pc = 0; pc < code->count; pc++) {
            const struct inst_tally i = sum_of(l, code->first + pc);
            if (i.warps != 0)
                add_inst(s, &names, code, pc, &i);
        }
    }
    for (uint32_t i = 0; i < l->threads; i++)
        for (uint32_t k = 0; k < TALLY_SPACES; k++)
            for (int write = 0; write < 2; write++)
                s->bytes[k][write] += l->hands[i].tally->bytes[k][write];
    qsort(s->opcodes, s->count, sizeof *s->opcodes, most_first);
}

/* ---- As text ------------------------------------------------------------------------------------ */

/* In the order of enum fidelity. */
static const struct {
    const char *text, *key;
} fidelity_names[FIDELITIES] = {
    {"exact by definition", "exact_by_definition"}, /* integers, IEEE operations with their rounding, data movement */
    {"exact on silicon evidence", "exact_on_silicon_evidence"},
    {"exact on others' silicon evidence", "exact_on_silicon_evidence_of_others"},
    {"exact by published model", "exact_by_published_model"},
    {"contractable", "contractable"},
    {"approximate", "approximate"},
};

static void add_names(const struct summary *s, enum fidelity f, struct text *out)
{
    const char *gap = ": ";
    for (uint32_t i = 0; i < s->count; i++) {
        const struct opcode *const o = &s->opcodes[i];
        if (o->fidelity != f)
            continue;
        tw_text_addf(out, "%s%s", gap, o->name);
        if (o->model != NULL)
            tw_text_addf(out, " (%s)", o->model->source);
        gap = ", ";
    }
}

static void add_fidelity(const struct summary *s, struct text *out)
{
    tw_text_addf(out, "fidelity, in warp instructions\n");
    if (s->sm != s->target_sm)
        tw_text_addf(out, "%16s  computed as sm_%u; the module's target is sm_%u\n", "", s->sm, s->target_sm);
    for (int f = 0; f < FIDELITIES; f++) {
        tw_text_addf(out, "%16" PRIu64 "  %s", s->by[f], fidelity_names[f].text);
        if (f == CONTRACTABLE && s->by[f] != 0)
            tw_text_add(out, ", for want of a rounding qualifier: ptxas may fuse them, and then a GPU differs");
        if (f != BY_DEFINITION && s->by[f] != 0)
            add_names(s, (enum fidelity)f, out);
        tw_text_put(out, '\n');
    }
    tw_text_addf(out, "%16d  unsupported: a kernel that holds such an instruction is not started\n", 0);
}

static void report_text(const struct summary *s, struct text *out)
{
    tw_text_addf(out, "%16s %18s  instructions\n", "warps", "threads");
    for (uint32_t i = 0; i < s->count; i++)
        tw_text_addf(out, "%16" PRIu64 " %18" PRIu64 "  %s\n", s->opcodes[i].warps, s->opcodes[i].threads, s->opcodes[i].name);
    tw_text_addf(out, "%16" PRIu64 " %18" PRIu64 "  in all\n", s->warps, s->threads);
    tw_text_addf(out, "%16s %18s  bytes of instructions and copies\n", "read", "written");
    for (uint32_t k = 0; k < TALLY_SPACES; k++)
        if (s->bytes[k][0] != 0 || s->bytes[k][1] != 0)
            tw_text_addf(out, "%16" PRIu64 " %18" PRIu64 "  %s\n", s->bytes[k][0], s->bytes[k][1], tw_space_name((enum space)k));
    if (s->products != 0)
        tw_text_addf(out, "%16" PRIu64 "  multiply-adds of tensor cores\n", s->products);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->opcodes[i].products != 0)
            tw_text_addf(out, "%16" PRIu64 "  %s\n", s->opcodes[i].products, s->opcodes[i].name);
    add_fidelity(s, out);
}

/* ---- As JSON ------------------------------------------------------------------------------------- */

static void add_opcode_json(const struct opcode *o, struct text *out)
{
    tw_text_add(out, "{\"opcode\": ");
    tw_text_add_json(out, tw_str(o->name));
    tw_text_addf(out, ", \"warps\": %" PRIu64 ", \"threads\": %" PRIu64 ", \"fidelity\": \"%s\"", o->warps, o->threads,
                 fidelity_names[o->fidelity].key);
    if (o->model != NULL) {
        tw_text_addf(out, ", \"multiply_adds\": %" PRIu64 ", \"evidence\": ", o->products);
        tw_text_add_json(out, tw_str(o->model->source));
    }
    tw_text_put(out, '}');
}

static void report_json(const struct summary *s, struct text *out)
{
    tw_text_add(out, "{\"instructions\": [");
    for (uint32_t i = 0; i < s->count; i++) {
        tw_text_add(out, i == 0 ? "" : ", ");
        add_opcode_json(&s->opcodes[i], out);
    }
    tw_text_addf(out, "], \"warps\": %" PRIu64 ", \"threads\": %" PRIu64 ", \"bytes\": {", s->warps, s->threads);
    const char *gap = "";
    for (uint32_t k = 0; k < TALLY_SPACES; k++) {
        if (s->bytes[k][0] == 0 && s->bytes[k][1] == 0)
            continue;
        tw_text_addf(out, "%s\"%s\": {\"read\": %" PRIu64 ", \"written\": %" PRIu64 "}", gap, tw_space_name((enum space)k), s->bytes[k][0],
                     s->bytes[k][1]);
        gap = ", ";
    }
    tw_text_addf(out, "}, \"multiply_adds\": %" PRIu64 ", \"fidelity\": {", s->products);
    for (int f = 0; f < FIDELITIES; f++)
        tw_text_addf(out, "\"%s\": %" PRIu64 ", ", fidelity_names[f].key, s->by[f]);
    tw_text_add(out, "\"unsupported\": 0}");
    if (s->sm != s->target_sm)
        tw_text_addf(out, ", \"computed_as\": \"sm_%u\"", s->sm);
    tw_text_put(out, '}');
}

bool tw_launch_summary(const struct launch *l, bool json, struct text *out)
{
    if (!l->spec.report)
        return false;
    struct summary s = {.sm = l->sm, .target_sm = l->program->module->env.target.sm};
    summarise(l, out->arena, &s);
    if (json)
        report_json(&s, out);
    else
        report_text(&s, out);
    return true;
}
