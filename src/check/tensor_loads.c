/* Registers of tcgen05.ld before tcgen05.wait::ld.
 *
 * Forward data flow over the function's blocks. The state says of every register that some load writes which load it waits
 * for, if any: a load makes its registers pending, tcgen05.wait::ld and a call (which may hold one) settle all, an
 * unguarded write of something else ends the register's part in it. Where paths meet, pending on one of them is pending;
 * of two loads the first of the text is kept, so that states only ever sink and the iteration ends.
 *
 * A guarded wait counts as a wait and a guarded load as a load: programs guard both alike.
 * SOURCE: PTX ISA, tcgen05.wait: the wait makes the results of the thread's prior loads available. */
#include "check/check.h"

#include "ptx/flow.h"
#include "ptx/ptx.h"

#include <string.h>

struct load_check {
    struct arena *arena;
    const struct ptx_module *module;
    const struct ptx_func *f;
    struct ptx_flow graph;
    uint32_t *slot_of;  /* of a register: 1 + number among those that loads write; 0: none */
    uint32_t slots;
    uint32_t *in;       /* of a block and slot: 1 + the pending load's instruction; 0: none */
    struct diags *diags; /* NULL: only the state is wanted */
    bool *reported;     /* of an instruction that is a load */
};

struct step {
    struct load_check *c;
    uint32_t *pending;
    const struct ptx_inst *inst;
    uint32_t at;
};

static bool is_load(const struct ptx_inst *in)
{
    return in->form->op == OP_TCGEN05_LD || in->form->op == OP_TCGEN05_LD_RED;
}

static void add_slot(void *context, uint32_t reg, bool read, bool write)
{
    struct load_check *const c = context;
    (void)read;
    if (write && c->slot_of[reg] == 0)
        c->slot_of[reg] = ++c->slots;
}

static bool find_slots(struct load_check *c)
{
    c->slot_of = arena_new(c->arena, uint32_t, c->f->regs.len + 1);
    for (uint32_t i = 0; i < c->f->insts.len; i++)
        if (is_load(&c->f->insts.at[i]))
            tw_ptx_visit_registers(c->f, &c->f->insts.at[i], add_slot, c);
    return c->slots != 0;
}

/* ---- One instruction ------------------------------------------------------------------------------------------- */

static void report(const struct step *s, uint32_t reg, uint32_t load)
{
    struct load_check *const c = s->c;
    const struct ptx_inst *const from = &c->f->insts.at[load];
    if (c->diags == NULL || c->reported[load])
        return;
    c->reported[load] = true;
    const char *const name = tw_ptx_reg_name(&c->f->regs.at[reg], c->diags->arena);
    struct diag *const d = tw_diag(c->diags, E0900, tw_ptx_inst_span(c->f, s->inst), "%s is read before tcgen05.wait::ld", name);
    tw_diag_expected(d, "tcgen05.wait::ld on every path from the load to this instruction");
    tw_diag_found(d, "a path from the %s that writes %s on which there is none", from->form->opcode, name);
    tw_diag_fix(d, "put tcgen05.wait::ld.sync.aligned in front of this instruction");
    tw_diag_spec(d, "PTX ISA, tcgen05.ld and tcgen05.wait");
    struct arena *const texts = c->diags->arena;
    const char *const place = tw_check_source(c->module, c->f, s->inst, texts);
    if (place[0] != '\0')
        tw_diag_note(d, (struct src_span){0}, "read by %s", place + strlen(", "));
    tw_diag_note(d, tw_ptx_inst_span(c->f, from), "loaded here%s", tw_check_source(c->module, c->f, from, texts));
}

static void look_at_read(void *context, uint32_t reg, bool read, bool write)
{
    const struct step *const s = context;
    const uint32_t slot = s->c->slot_of[reg];
    (void)write;
    if (read && slot != 0 && s->pending[slot - 1] != 0)
        report(s, reg, s->pending[slot - 1] - 1);
}

static void look_at_write(void *context, uint32_t reg, bool read, bool write)
{
    const struct step *const s = context;
    const uint32_t slot = s->c->slot_of[reg];
    (void)read;
    if (!write || slot == 0)
        return;
    if (is_load(s->inst))
        s->pending[slot - 1] = s->at + 1;
    else if (s->inst->guard == PTX_NONE)
        s->pending[slot - 1] = 0;
}

static void take_step(struct load_check *c, uint32_t *pending, uint32_t at)
{
    const struct ptx_inst *const in = &c->f->insts.at[at];
    struct step s = {c, pending, in, at};
    tw_ptx_visit_registers(c->f, in, look_at_read, &s);
    tw_ptx_visit_registers(c->f, in, look_at_write, &s);
    if (in->form->op == OP_TCGEN05_WAIT_LD || in->form->op == OP_CALL)
        memset(pending, 0, c->slots * sizeof *pending);
}

/* ---- Flow --------------------------------------------------------------------------------------------------------- */

/* True if the state at the block's beginning has sunk. */
static bool meet(uint32_t *in, const uint32_t *out, uint32_t slots)
{
    bool changed = false;
    for (uint32_t i = 0; i < slots; i++)
        if (out[i] != 0 && (in[i] == 0 || out[i] < in[i])) {
            in[i] = out[i];
            changed = true;
        }
    return changed;
}

static void walk(struct load_check *c, uint32_t block, uint32_t *pending)
{
    const struct ptx_block *const b = &c->graph.blocks[block];
    memcpy(pending, c->in + (size_t)block * c->slots, c->slots * sizeof *pending);
    for (uint32_t i = b->first; i <= b->last; i++)
        take_step(c, pending, i);
}

static void solve(struct load_check *c, uint32_t *pending)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < c->graph.count; i++) {
            const struct ptx_block *const b = &c->graph.blocks[i];
            walk(c, i, pending);
            for (uint32_t k = 0; k < b->next_count; k++)
                changed |= meet(c->in + (size_t)b->next[k] * c->slots, pending, c->slots);
        }
    }
}

void tw_check_tensor_loads(struct arena *arena, const struct ptx_module *module, const struct ptx_func *f, struct diags *diags)
{
    struct load_check c = {.arena = arena, .module = module, .f = f};
    if (!find_slots(&c))
        return;
    c.graph = tw_ptx_flow(arena, f);
    c.in = tw_arena_alloc(arena, (size_t)c.graph.count * c.slots, sizeof *c.in);
    c.reported = arena_new(arena, bool, f->insts.len);
    uint32_t *const pending = arena_new(arena, uint32_t, c.slots);
    solve(&c, pending);
    c.diags = diags;
    for (uint32_t i = 0; i < c.graph.count; i++)
        walk(&c, i, pending);
}
