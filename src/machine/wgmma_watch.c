#include "machine/wgmma_watch.h"

#include "machine/run.h"
#include "ptx/flow.h"
#include "ptx/ptx.h"

#include <string.h>

/* ---- Which instructions name which registers, found while decoding ------------------------------------------- */

enum use_how { USE_READ = 1, USE_WRITE = 2, USE_D = 4, USE_A = 8 }; /* D and A: as an operand of wgmma.mma_async */

struct use {
    uint32_t slot; /* number of the register among those that a product of the function uses */
    uint8_t how;
};

struct use_list {
    uint32_t first, count; /* in watch->uses */
};

struct wgmma_watch {
    uint32_t slots;
    uint32_t *reg;           /* of a slot: number of the register in the function */
    struct use *uses;
    struct use_list *of;     /* of an instruction */
    exec_fn **run;           /* what a wrapped instruction executes */
};

struct builder {
    struct arena *arena;
    const struct ptx_func *func;
    struct wgmma_watch *watch;
    uint32_t *slot_of; /* of a register: 1 + slot, 0 for none */
    VEC(struct use) uses;
    VEC(uint32_t) regs;
};

static bool is_product(const struct ptx_inst *in)
{
    return in->form->op == OP_WGMMA || in->form->op == OP_WGMMA_SP;
}

static void add_slots(struct builder *b, const struct ptx_inst *in, enum isa_role role)
{
    const struct ptx_operand *const o = tw_ptx_operand(b->func, in, role);
    for (uint32_t i = 0; o->kind == OPERAND_VECTOR && i < o->count; i++) {
        const struct ptx_operand *const e = &tw_ptx_elements(b->func, o)[i];
        if (e->kind != OPERAND_REG || b->slot_of[e->index] != 0)
            continue;
        *vec_push(b->arena, &b->regs) = e->index;
        b->slot_of[e->index] = b->regs.len;
    }
}

static void add_operand_uses(struct builder *b, const struct ptx_inst *in, enum isa_role role, enum use_how how)
{
    const struct ptx_operand *const o = tw_ptx_operand(b->func, in, role);
    for (uint32_t i = 0; o->kind == OPERAND_VECTOR && i < o->count; i++) {
        const struct ptx_operand *const e = &tw_ptx_elements(b->func, o)[i];
        if (e->kind == OPERAND_REG)
            *vec_push(b->arena, &b->uses) = (struct use){b->slot_of[e->index] - 1, (uint8_t)how};
    }
}

static void add_use(void *context, uint32_t reg, bool read, bool write)
{
    struct builder *const b = context;
    if (b->slot_of[reg] != 0)
        *vec_push(b->arena, &b->uses) = (struct use){b->slot_of[reg] - 1, (uint8_t)(read * USE_READ | write * USE_WRITE)};
}

/* A function's registers end with it: returning touches them all. */
static void add_all_uses(struct builder *b)
{
    for (uint32_t i = 0; i < b->regs.len; i++)
        *vec_push(b->arena, &b->uses) = (struct use){i, USE_READ | USE_WRITE};
}

static void list_uses(struct builder *b, const struct ptx_inst *in)
{
    if (in == NULL || in->form->op == OP_RET) {
        if (!b->func->is_entry)
            add_all_uses(b);
    } else if (is_product(in)) {
        add_operand_uses(b, in, ROLE_D, USE_D);
        add_operand_uses(b, in, ROLE_A, USE_A);
    } else {
        tw_ptx_visit_registers(b->func, in, add_use, b);
    }
}

static exec_fn exec_touching;

const struct wgmma_watch *tw_wgmma_watch_code(struct arena *arena, struct code *code)
{
    const struct ptx_func *const f = code->func;
    struct builder b = {.arena = arena, .func = f, .slot_of = arena_new(arena, uint32_t, f->regs.len + 1)};
    for (uint32_t i = 0; i < f->insts.len; i++)
        if (is_product(&f->insts.at[i])) {
            add_slots(&b, &f->insts.at[i], ROLE_D);
            add_slots(&b, &f->insts.at[i], ROLE_A);
        }
    if (b.regs.len == 0)
        return NULL;
    struct wgmma_watch *const watch = arena_new(arena, struct wgmma_watch, 1);
    watch->of = arena_new(arena, struct use_list, code->count);
    watch->run = arena_new(arena, exec_fn *, code->count);
    for (uint32_t i = 0; i < code->count; i++) { /* the last is the return at the end of the text */
        const struct ptx_inst *const in = i < f->insts.len ? &f->insts.at[i] : NULL;
        watch->of[i].first = b.uses.len;
        list_uses(&b, in);
        watch->of[i].count = b.uses.len - watch->of[i].first;
        watch->run[i] = code->insts[i].run;
        if (watch->of[i].count != 0 && watch->run[i] != NULL && (in == NULL || !is_product(in)))
            code->insts[i].run = exec_touching;
    }
    watch->slots = b.regs.len;
    watch->reg = b.regs.at;
    watch->uses = b.uses.at;
    return watch;
}

/* ---- What a warp's registers are used for ------------------------------------------------------------------- */

struct reg_state {
    uint64_t d, a;      /* number of the last product that uses it as D or A: busy until that has landed */
    uint32_t touched;   /* count of fences when it was last touched, plus one */
    uint32_t shape;     /* of the last product with it as accumulator: n << 8 | bits */
    uint32_t used;      /* count of fences then, plus one */
};

/* Registers of one frame. */
struct frame_state {
    struct frame_state *next;
    const struct frame *frame;
    struct reg_state *regs;
};

struct wgmma_watcher {
    struct frame_state *frames;
    uint32_t fences;
};

struct wgmma_watcher *tw_wgmma_watchers_new(struct arena *arena, uint32_t warps)
{
    return arena_new(arena, struct wgmma_watcher, warps);
}

static struct frame_state *find_frame(const struct wgmma_watcher *watcher, const struct frame *frame)
{
    struct frame_state *s = watcher->frames;
    while (s != NULL && s->frame != frame)
        s = s->next;
    return s;
}

static struct reg_state *regs_of(struct wgmma_pipe *pipe, const struct warp *w)
{
    struct wgmma_watcher *const watcher = &pipe->watchers[w->id];
    struct frame_state *s = find_frame(watcher, w->now->frame);
    if (s == NULL) {
        struct arena *const arena = &w->cluster->arena;
        s = arena_new(arena, struct frame_state, 1);
        s->frame = w->now->frame;
        s->regs = arena_new(arena, struct reg_state, w->code->wgmma->slots);
        s->next = watcher->frames;
        watcher->frames = s;
    }
    return s->regs;
}

static const char *reg_name(const struct warp *w, uint32_t slot)
{
    return tw_ptx_reg_name(&w->code->func->regs.at[w->code->wgmma->reg[slot]], w->cluster->diags->arena);
}

static const char *issue_place(const struct wgmma_group *group, const struct warp *w, uint64_t number)
{
    const struct wgmma_item *item = group->first;
    while (item != NULL && item->number != number)
        item = item->next;
    const struct src_span at = item == NULL ? (struct src_span){0} : item->code->origins[item->d->origin].at;
    const struct diags *const diags = w->cluster->diags;
    return at.file == 0 ? "" : tw_format(diags->arena, " at line %u", tw_sources_place(diags->sources, at.file, at.begin).line);
}

static const char spec_registers[] = "PTX ISA, wgmma.mma_async";

static bool fault_busy(struct warp *w, unsigned lane, const struct wgmma_group *group, uint32_t slot, uint64_t product, bool accumulator,
                       const char *verb)
{
    struct arena *const arena = w->cluster->diags->arena;
    const char *const what = accumulator ? "an accumulator" : "a fragment of A";
    (void)tw_fault(w, lane, E0731,
                   &(struct fault_note){
                       .expected = "wgmma.commit_group and a wgmma.wait_group that covers the product before this instruction",
                       .found = tw_format(arena, "%s is %s of the wgmma.mma_async%s, which is in flight", reg_name(w, slot), what,
                                          issue_place(group, w, product)),
                       .fix = "put wgmma.wait_group before this instruction",
                       .spec = spec_registers},
                   "%s is %s while a wgmma.mma_async uses it", reg_name(w, slot), verb);
    return false;
}

static void remark_read(struct warp *w, unsigned lane, const struct wgmma_group *group, uint32_t slot, uint64_t product)
{
    tw_remark(w, lane, E0733,
              &(struct fault_note){.expected = "a wgmma.wait_group that covers the product before this instruction",
                                   .found = tw_format(w->cluster->diags->arena, "it holds A of the wgmma.mma_async%s",
                                                      issue_place(group, w, product)),
                                   .spec = spec_registers},
              "%s is read while a wgmma.mma_async reads it as A", reg_name(w, slot));
}

/* ---- Instructions that are not products ---------------------------------------------------------------------- */

static bool touch(struct warp *w, unsigned lane, const struct wgmma_group *group, struct reg_state *r, const struct use *use)
{
    const char *const verb = (use->how & USE_WRITE) != 0 ? "written" : "read";
    if (r->d > group->landed)
        return fault_busy(w, lane, group, use->slot, r->d, true, verb);
    if (r->a > group->landed && (use->how & USE_WRITE) != 0)
        return fault_busy(w, lane, group, use->slot, r->a, false, verb);
    if (r->a > group->landed)
        remark_read(w, lane, group, use->slot, r->a);
    return true;
}

static enum exec_status exec_touching(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct wgmma_watch *const watch = w->code->wgmma;
    const size_t at = (size_t)(d - w->code->insts);
    struct wgmma_pipe *const pipe = w->cta->wgmma;
    if (pipe == NULL) /* no wgmma instruction has been executed */
        return watch->run[at](w, d, mask);
    const struct wgmma_group *const group = wgmma_group_of(pipe, w);
    const uint32_t now = pipe->watchers[w->id].fences + 1;
    struct reg_state *const regs = regs_of(pipe, w);
    for (uint32_t i = 0; i < watch->of[at].count; i++) {
        const struct use *const use = &watch->uses[watch->of[at].first + i];
        if (!touch(w, first_lane(mask), group, &regs[use->slot], use))
            return EXEC_FAULT;
        regs[use->slot].touched = now;
    }
    return watch->run[at](w, d, mask);
}

/* ---- wgmma -------------------------------------------------------------------------------------------------- */

void tw_wgmma_watch_fence(struct wgmma_pipe *pipe, const struct warp *w)
{
    pipe->watchers[w->id].fences++;
}

static void remark_fence(struct warp *w, const char *expected, const char *found)
{
    tw_remark(w, 0, E0732,
              &(struct fault_note){.expected = expected, .found = found, .fix = "put wgmma.fence.sync.aligned before this instruction",
                                   .spec = "PTX ISA, wgmma.fence"},
              "wgmma.mma_async without the wgmma.fence that it needs; ptxas adds one");
}

/* Whether nothing is said of the register: the first finding of an instruction is enough. */
static bool fenced(struct warp *w, const struct wgmma_item *item, const struct use *use, const struct reg_state *r, uint32_t now)
{
    static const char between[] = "wgmma.fence.sync.aligned between the last access to a register and the wgmma.mma_async that uses it";
    struct arena *const arena = w->cluster->diags->arena;
    const struct wgmma_inst *const inst = item->d->extra;
    /* What stands in an accumulator that is not read before it is overwritten cannot be lost. */
    const bool needed = use->how == USE_A || item->operands.read_d;
    if (needed && r->touched == now) {
        remark_fence(w, between, tw_format(arena, "%s was accessed after the last wgmma.fence", reg_name(w, use->slot)));
        return false;
    }
    if (use->how == USE_D && r->used == now && r->shape != (inst->n << 8 | inst->d_bits)) {
        remark_fence(w, between,
                     tw_format(arena, "%s was an accumulator of another shape after the last wgmma.fence", reg_name(w, use->slot)));
        return false;
    }
    return true;
}

/* A register that a product in flight uses in another way. */
static bool in_conflict(struct warp *w, const struct wgmma_group *group, const struct use *use, const struct reg_state *r)
{
    if (use->how == USE_A && r->d > group->landed)
        return !fault_busy(w, 0, group, use->slot, r->d, true, "read as A");
    if (use->how == USE_D && r->a > group->landed)
        return !fault_busy(w, 0, group, use->slot, r->a, false, "used as accumulator");
    return false;
}

static void set_busy(struct reg_state *r, const struct wgmma_item *item, const struct use *use, uint32_t now)
{
    const struct wgmma_inst *const inst = item->d->extra;
    if (use->how == USE_A) {
        r->a = item->number;
        return;
    }
    r->d = item->number;
    r->shape = inst->n << 8 | inst->d_bits;
    r->used = now;
}

bool tw_wgmma_watch_issue(struct wgmma_pipe *pipe, struct warp *w, const struct dinst *d, const struct wgmma_item *item)
{
    const struct wgmma_watch *const watch = w->code->wgmma;
    const struct use_list *const list = &watch->of[d - w->code->insts];
    const struct wgmma_group *const group = wgmma_group_of(pipe, w);
    const uint32_t fences = pipe->watchers[w->id].fences;
    struct reg_state *const regs = regs_of(pipe, w);
    bool quiet = fences != 0;
    if (!quiet)
        remark_fence(w, "wgmma.fence.sync.aligned before the first wgmma.mma_async", "no wgmma.fence before it");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct use *const use = &watch->uses[list->first + i];
        if (in_conflict(w, group, use, &regs[use->slot]))
            return false;
        quiet = quiet && fenced(w, item, use, &regs[use->slot], fences + 1);
    }
    for (uint32_t i = 0; i < list->count; i++)
        set_busy(&regs[watch->uses[list->first + i].slot], item, &watch->uses[list->first + i], fences + 1);
    return true;
}
