/* What is compared, and the spellings of a form. */
#include "silicon/silicon.h"

#include "isa/isa_catalogue.h"

enum { ENUMERATED = 1 << 15, TRIES = 60 };

static const struct isa_env env = {SILICON_PTX, {90, 'a'}};

/* ---- Coverage ------------------------------------------------------------------------------------------------ */

struct op_range {
    enum isa_op first, last;
    const char *why; /* NULL: compared */
};

/* Every operation of isa_ops.def that sm_90a has is in one row; the first that holds it counts. */
static const struct op_range ranges[] = {
    {OP_ADD, OP_CVT_PACK, NULL},
    {OP_CVTA, OP_ISSPACEP, NULL},
    {OP_LD, OP_ST, NULL},
    {OP_ST_ASYNC, OP_ST_BULK, "asynchronous: its completion is an mbarrier's"},
    {OP_ATOM, OP_RED, NULL},
    {OP_RED_ASYNC, OP_RED_ASYNC, "asynchronous: its completion is an mbarrier's"},
    {OP_PREFETCH, OP_DISCARD, "it has no result"},
    {OP_CREATEPOLICY_FRACTIONAL, OP_CREATEPOLICY_CVT, "a cache policy is an opaque word"},
    {OP_MAPA, OP_GETCTARANK, NULL},
    {OP_ALLOCA, OP_STACKRESTORE, "where the stack lies is the device's own"},
    {OP_MULTIMEM_LD_REDUCE, OP_MULTIMEM_BULK_REDUCE, "multicast memory takes several GPUs"},
    {OP_BRA, OP_PMEVENT, "control: the corpus compares whole kernels"},
    {OP_SHFL, OP_ELECT, NULL},
    {OP_BAR_SYNC, OP_BAR_ARRIVE, "it has no result"},
    {OP_BAR_RED, OP_BAR_RED, NULL},
    {OP_BAR_WARP_SYNC, OP_FENCE_MBARRIER_INIT, "it has no result"},
    {OP_SETMAXNREG, OP_GRIDDEPCONTROL_LAUNCH, "it has no result"},
    {OP_CLC_TRY_CANCEL, OP_CLC_FIRST_CTAID, "asynchronous"},
    {OP_MBARRIER_INIT, OP_MBARRIER_PENDING_COUNT, "an mbarrier's words are opaque; the corpus compares whole kernels"},
    {OP_CP_ASYNC, OP_TENSORMAP_CP_FENCEPROXY, "asynchronous: the corpus compares whole kernels"},
    {OP_LDMATRIX, OP_MMA_SP_BLOCK_SCALE, NULL},
    {OP_WGMMA, OP_WGMMA_WAIT_GROUP, "a warpgroup's: golden data and the corpus have it"},
    {OP_TCGEN05_ALLOC, OP_TCGEN05_MMA_WS_SP, "sm_100a's"},
};

const char *silicon_left_out(const struct isa_form *f)
{
    if (env.ptx < f->ptx || !tw_isa_target_in(env.target, f->targets))
        return "";
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (f->op >= ranges[i].first && f->op <= ranges[i].last)
            return ranges[i].why;
    fail_msg("%s is in no row of what is compared", f->name);
    return "";
}

/* ---- Legality ------------------------------------------------------------------------------------------------ */

bool silicon_operand_stands(const struct isa_spelling *s, const struct isa_operand *o, bool other)
{
    if (!o->optional)
        return true;
    if (o->when_slot == SLOT_NONE)
        return other;
    const unsigned mod = isa_spelling_mod(s, o->when_slot);
    bool stands = mod != MOD_NONE && o->when_count == 0;
    for (unsigned i = 0; i < o->when_count; i++)
        stands |= o->when_mods[i] == mod;
    return stands;
}

static struct isa_presence presence(const struct isa_spelling *s, bool other)
{
    struct isa_presence p = {.known = true};
    for (unsigned i = 0; i < s->form->operand_count; i++)
        if (silicon_operand_stands(s, &s->form->operands[i], other))
            p.present |= 1u << i;
    return p;
}

static bool has_mod(const struct isa_spelling *s, unsigned mod)
{
    for (unsigned i = 0; i < s->form->elem_count; i++)
        if (s->mods[i] == mod)
            return true;
    return false;
}

/* What a kernel alone cannot set up, and addresses of 32 bits, which a module of 64-bit addresses has not. */
static bool out_of_reach(const struct isa_spelling *s)
{
    if (s->form->op == OP_ST && (has_mod(s, MOD_PARAM) || has_mod(s, MOD_PARAM_ENTRY)))
        return true;
    if ((s->form->op == OP_CVTA && has_mod(s, MOD_U32)) || (s->form->op == OP_MAPA && !has_mod(s, MOD_SHARED_CLUSTER)))
        return true;
    if (s->form->op == OP_MAPA && has_mod(s, MOD_U64))
        return true;
    /* MEASURED: of eight bytes the driver's compiler (580.159.04) stores the first alone, and a load ends the process. */
    if ((s->form->op == OP_LD || s->form->op == OP_ST) && has_mod(s, MOD_V8) && isa_type_bits(isa_spelling_mod(s, SLOT_TYPE)) == 8)
        return true;
    return has_mod(s, MOD_PARAM_FUNC);
}

bool silicon_legal(const struct isa *isa, struct arena *arena, const struct isa_spelling *s, bool other)
{
    const struct isa_presence p = presence(s, other);
    return tw_isa_rule(s->form->rule, s) == NULL && tw_isa_forbidden(isa, s, p) == NULL && tw_isa_unavailable(isa, s, p, &env, arena) == NULL;
}

static bool legal(const struct isa *isa, struct arena *arena, const struct isa_spelling *s)
{
    return !out_of_reach(s) && (silicon_legal(isa, arena, s, false) || silicon_legal(isa, arena, s, true));
}

/* ---- Enumeration --------------------------------------------------------------------------------------------- */

static const char *const shapes[] = {"m8n8k4", "m8n8k16", "m8n8k32", "m8n8k128", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32",
                                     "m16n8k64", "m16n8k128", "m16n8k256"};

static uint32_t choices_of(const struct isa_elem *e)
{
    const uint32_t alternatives = e->alt_count == 1 && e->alts[0] == ISA_SHAPE_FLAG ? (uint32_t)COUNT(shapes) : e->alt_count;
    return alternatives + e->optional;
}

static uint16_t choice(const struct isa *isa, const struct isa_elem *e, uint32_t i)
{
    if (e->optional && i == 0)
        return MOD_NONE;
    i -= e->optional;
    if (e->alt_count == 1 && e->alts[0] == ISA_SHAPE_FLAG)
        return (uint16_t)tw_isa_mod_find(isa, tw_str(shapes[i]));
    return e->alts[i];
}

static bool spelling_at(const struct isa *isa, struct arena *arena, const struct isa_form *f, uint64_t number, uint16_t *mods)
{
    for (unsigned e = 0; e < f->elem_count; e++) {
        const uint32_t n = choices_of(&f->elems[e]);
        mods[e] = choice(isa, &f->elems[e], (uint32_t)(number % n));
        number /= n;
    }
    return legal(isa, arena, &(struct isa_spelling){f, mods});
}

/* Optional modifiers of memory operations are many; most stay away, so that what is drawn is legal often enough. */
static bool spelling_drawn(const struct isa *isa, struct arena *arena, const struct isa_form *f, struct dice *d, uint16_t *mods)
{
    for (unsigned e = 0; e < f->elem_count; e++) {
        const struct isa_elem *const elem = &f->elems[e];
        const bool away = elem->optional && roll(d, 3) != 0;
        mods[e] = away ? MOD_NONE : choice(isa, elem, elem->optional + roll(d, choices_of(elem) - elem->optional));
    }
    return legal(isa, arena, &(struct isa_spelling){f, mods});
}

static bool is_known(const struct isa_spelling *list, size_t count, const uint16_t *mods)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(list[i].mods, mods, ISA_MAX_MODS * sizeof *mods) == 0)
            return true;
    return false;
}

static const uint16_t *kept(struct arena *arena, const uint16_t *mods)
{
    uint16_t *const copy = arena_new(arena, uint16_t, ISA_MAX_MODS);
    memcpy(copy, mods, ISA_MAX_MODS * sizeof *mods);
    return copy;
}

/* Keeps `most` of a stream of unknown length, each with the same chance. */
static size_t enumerate(const struct isa *isa, struct arena *arena, const struct isa_form *f, uint64_t product, size_t most,
                        struct dice *d, struct isa_spelling *out)
{
    uint16_t mods[ISA_MAX_MODS] = {0};
    size_t seen = 0;
    for (uint64_t i = 0; i < product; i++) {
        if (!spelling_at(isa, arena, f, i, mods))
            continue;
        const size_t place = seen < most ? seen : roll(d, (uint32_t)seen + 1);
        if (place < most)
            out[place] = (struct isa_spelling){f, kept(arena, mods)};
        seen++;
    }
    return seen;
}

size_t silicon_spellings(const struct isa *isa, struct arena *arena, const struct isa_form *f, size_t most, struct dice *d,
                         struct isa_spelling *out, bool *all)
{
    uint64_t product = 1;
    uint16_t mods[ISA_MAX_MODS] = {0};
    size_t count = 0;
    for (unsigned e = 0; e < f->elem_count; e++)
        product *= choices_of(&f->elems[e]);
    if (product <= ENUMERATED) {
        count = enumerate(isa, arena, f, product, most, d, out);
        *all = count <= most;
        return count < most ? count : most;
    }
    *all = false;
    for (size_t i = 0; i < TRIES * most && count < most; i++)
        if (spelling_drawn(isa, arena, f, d, mods) && !is_known(out, count, mods))
            out[count++] = (struct isa_spelling){f, kept(arena, mods)};
    return count;
}
