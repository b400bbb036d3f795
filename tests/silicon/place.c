/* Memory operands: sixteen bytes of a thread's own in the space that the instruction names, filled before it and read back
 * after it. Matrix instructions address rows of the warp's 512 bytes. */
#include "silicon/silicon.h"

enum place_kind { PLACE_GLOBAL, PLACE_SHARED, PLACE_LOCAL, PLACE_CONST, PLACE_PARAM };

struct place {
    enum place_kind kind;
    bool generic; /* no space is written: a generic address */
    bool written;
    uint32_t at;  /* in the record: what it holds before, and in global memory the place itself */
};

static bool has_slot(const struct isa_spelling *s, enum isa_slot slot)
{
    return isa_spelling_mod(s, slot) != MOD_NONE;
}

/* What may stand behind a generic address depends on the modifiers: caches and policies are of global memory, and memory of the
 * thread's own takes part in no order. */
static enum place_kind generic_kind(const struct isa_spelling *s, struct dice *d)
{
    const enum isa_op op = s->form->op;
    const bool plain = !has_slot(s, SLOT_SEM) || isa_spelling_mod(s, SLOT_SEM) == MOD_WEAK;
    const bool cached = has_slot(s, SLOT_CACHE) || has_slot(s, SLOT_L1_EVICT) || has_slot(s, SLOT_L2_EVICT) ||
                        has_slot(s, SLOT_CACHE_HINT) || has_slot(s, SLOT_PREFETCH) || has_slot(s, SLOT_MMIO);
    if (op == OP_LDMATRIX || op == OP_STMATRIX)
        return PLACE_SHARED;
    if (op == OP_LDU || cached || ((op == OP_ATOM || op == OP_RED) && has_slot(s, SLOT_VEC)))
        return PLACE_GLOBAL;
    if (op == OP_ATOM || op == OP_RED || !plain)
        return roll(d, 2) == 0 ? PLACE_GLOBAL : PLACE_SHARED;
    return (enum place_kind)roll(d, op == OP_LD ? PLACE_PARAM + 1 : PLACE_LOCAL + 1);
}

static enum place_kind kind_of(const struct isa_spelling *s, unsigned space, struct dice *d)
{
    switch (space) {
    case MOD_GLOBAL: return PLACE_GLOBAL;
    case MOD_SHARED:
    case MOD_SHARED_CTA:
    case MOD_SHARED_CLUSTER: return PLACE_SHARED;
    case MOD_LOCAL: return PLACE_LOCAL;
    case MOD_CONST: return PLACE_CONST;
    case MOD_PARAM:
    case MOD_PARAM_ENTRY: return PLACE_PARAM;
    default: return generic_kind(s, d);
    }
}

/* The highest word first, so that the operand drawn next may be near the one at the address. */
static uint32_t place_inputs(struct silicon_writer *w, unsigned type, enum silicon_draw draw)
{
    struct silicon_batch *const b = w->batch;
    const unsigned bits = isa_type_bits(type) > 64 ? 64 : isa_type_bits(type);
    b->record_bytes = (b->record_bytes + SILICON_PLACE - 1) / SILICON_PLACE * SILICON_PLACE;
    const uint32_t at = b->record_bytes;
    b->record_bytes += SILICON_PLACE;
    for (unsigned i = SILICON_PLACE * 8 / bits; i > 0; i--)
        *vec_push(b->arena, &b->inputs) =
            (struct silicon_input){at + (i - 1) * bits / 8, (uint16_t)(isa_type_bits(type) > 64 ? MOD_B64 : type), (uint8_t)bits, (uint8_t)draw};
    return at;
}

static void copy_in(struct silicon_writer *w, uint32_t at, const char *space, const char *to)
{
    const unsigned n = w->names;
    w->names += 2;
    tw_text_addf(&w->declared, ".reg .b64 %%v%u, %%v%u; ", n, n + 1);
    tw_text_addf(&w->before, "ld.global.v2.b64 {%%v%u, %%v%u}, [%%at+%u]; st.%s.v2.b64 [%s], {%%v%u, %%v%u}; ", n, n + 1, at, space, to, n,
                 n + 1);
}

static void copy_out(struct silicon_writer *w, const char *space, const char *from)
{
    const unsigned n = w->names;
    w->names += 2;
    w->batch->record_bytes = (w->batch->record_bytes + SILICON_PLACE - 1) / SILICON_PLACE * SILICON_PLACE;
    const uint32_t at = silicon_output(w->batch, SILICON_PLACE);
    tw_text_addf(&w->declared, ".reg .b64 %%v%u, %%v%u; ", n, n + 1);
    tw_text_addf(&w->after, "ld.%s.v2.b64 {%%v%u, %%v%u}, [%s]; st.global.v2.b64 [%%at+%u], {%%v%u, %%v%u}; ", space, n, n + 1, from, at, n,
                 n + 1);
}

/* Sums and extremes of integers do not depend on who comes first: all lanes may meet at the first one's place. */
static bool may_meet(const struct silicon_writer *w)
{
    const struct isa_spelling *const s = w->spelling;
    const unsigned op = isa_spelling_mod(s, SLOT_OP);
    return s->form->op == OP_RED && op != MOD_INC && op != MOD_DEC && isa_mod_row(isa_spelling_mod(s, SLOT_TYPE))->type_class <= TYPE_SIGNED &&
           roll(w->dice, 2) == 0;
}

static void in_global(struct silicon_writer *w, const struct place *p)
{
    tw_text_addf(&w->operands, "[%s+%u]", may_meet(w) ? "%warp" : "%at", p->at);
    if (p->written)
        *vec_push(w->batch->arena, &w->batch->outputs) = (struct silicon_output){p->at, SILICON_PLACE};
}

/* The address in a 64-bit register, generic where no space is written. */
static void by_register(struct silicon_writer *w, const struct place *p, const char *space, const char *how)
{
    const unsigned n = w->names++;
    tw_text_addf(&w->declared, ".reg .b64 %%v%u; ", n);
    tw_text_addf(&w->before, how, n);
    tw_text_addf(&w->before, "; ");
    if (p->generic)
        tw_text_addf(&w->before, "cvta.%s.u64 %%v%u, %%v%u; ", space, n, n);
    tw_text_addf(&w->operands, "[%%v%u]", n);
}

static void in_shared(struct silicon_writer *w, const struct place *p)
{
    copy_in(w, p->at, "shared", "%box");
    if (!p->generic && roll(w->dice, 2) == 0)
        tw_text_add(&w->operands, "[%box]");
    else
        by_register(w, p, "shared", "cvt.u64.u32 %%v%u, %%box");
    if (p->written)
        copy_out(w, "shared", "%box");
}

static void in_local(struct silicon_writer *w, const struct place *p)
{
    tw_text_add(&w->declared, ".local .align 16 .b8 own[16]; ");
    copy_in(w, p->at, "local", "own");
    if (!p->generic && roll(w->dice, 2) == 0)
        tw_text_add(&w->operands, "[own]");
    else
        by_register(w, p, "local", "mov.u64 %%v%u, own");
    if (p->written)
        copy_out(w, "local", "own");
}

static void in_const(struct silicon_writer *w, const struct place *p)
{
    if (!p->generic && roll(w->dice, 2) == 0)
        tw_text_addf(&w->operands, "[table+%u]", SILICON_PLACE * roll(w->dice, SILICON_LANES));
    else
        by_register(w, p, "const", "mov.b64 %%v%u, %%table");
}

static void in_param(struct silicon_writer *w, const struct place *p)
{
    if (p->generic)
        by_register(w, p, "param", "mov.b64 %%v%u, words");
    else
        tw_text_addf(&w->operands, "[words+%u]", SILICON_PLACE * roll(w->dice, 4));
}

/* A row a lane: any for loads, each its own for stores. */
static void rows(struct silicon_writer *w, const struct place *p)
{
    const bool store = w->spelling->form->op == OP_STMATRIX;
    const unsigned n = w->names;
    w->names += 2;
    copy_in(w, p->at, "shared", "%box");
    tw_text_addf(&w->declared, ".reg .b32 %%v%u; .reg .b64 %%v%u; ", n, n + 1);
    if (store)
        tw_text_addf(&w->before, "xor.b32 %%v%u, %%lane, %u; ", n, roll(w->dice, SILICON_LANES));
    else
        tw_text_addf(&w->before, "ld.global.b32 %%v%u, [%%at+%u]; ", n, silicon_input(w->batch, MOD_B32, 32, DRAW_BASE));
    tw_text_addf(&w->before, "mad.lo.u32 %%v%u, %%v%u, %u, %%boxes; cvt.u64.u32 %%v%u, %%v%u; ", n, n, SILICON_PLACE, n + 1, n);
    if (p->generic)
        tw_text_addf(&w->before, "cvta.shared.u64 %%v%u, %%v%u; ", n + 1, n + 1);
    tw_text_add(&w->before, "bar.warp.sync -1; ");
    tw_text_add(&w->after, "bar.warp.sync -1; ");
    tw_text_addf(&w->operands, "[%%v%u]", p->generic ? n + 1 : n);
    if (store)
        copy_out(w, "shared", "%box");
}

void silicon_address(struct silicon_writer *w, unsigned i)
{
    const struct isa_spelling *const s = w->spelling;
    const enum isa_op op = s->form->op;
    const unsigned space = tw_isa_operand_space(s, i), type = isa_spelling_mod(s, SLOT_TYPE);
    const bool few = isa_spelling_mod(s, SLOT_OP) == MOD_CAS && roll(w->dice, 2) == 0;
    struct place p = {.kind = kind_of(s, space, w->dice), .generic = space == MOD_NONE, .written = op == OP_ST || op == OP_ATOM || op == OP_RED};
    if (p.kind != PLACE_CONST && p.kind != PLACE_PARAM)
        p.at = place_inputs(w, type, few ? DRAW_FEW : DRAW_VALUE);
    if (op == OP_LDMATRIX || op == OP_STMATRIX) {
        rows(w, &p);
        return;
    }
    switch (p.kind) {
    case PLACE_GLOBAL: in_global(w, &p); return;
    case PLACE_SHARED: in_shared(w, &p); return;
    case PLACE_LOCAL: in_local(w, &p); return;
    case PLACE_CONST: in_const(w, &p); return;
    case PLACE_PARAM: in_param(w, &p); return;
    }
}
