/* setmaxnreg. Each sub-core has its own registers, so a warp can only get what a warp of its own sub-core has given back; with
 * whole warpgroups, as the ISA wants them, that is the pool of the CTA of which it speaks.
 * SOURCE: PTX ISA, "setmaxnreg".
 * MEASURED: H200, driver 580.159.04. A CTA begins with an empty pool, counts rounded up to a multiple of 8. One warp's dec lets
 * the warp of the same number modulo 4 go on, and no other. A warp that ends gives nothing back. inc to fewer registers than the
 * warp holds, or dec to more, is an illegal instruction; to as many it does nothing. */
#include "machine/register_pool.h"

#include "machine/exec_lanes.h"
#include "machine/run.h"

enum {
    SUB_CORE_REGISTERS = 16384, /* SOURCE: CUDA, technical specifications: 64 K registers of 32 bits a multiprocessor */
    MOST_REGISTERS = 255,       /* of a thread */
    FEWEST_REGISTERS = 24
};

/* ---- How many there are at the entry ------------------------------------------------------------- */

static uint32_t threads_of(const struct ptx_directives *d)
{
    const uint32_t *const v = d->reqntid_dims != 0 ? d->reqntid : d->maxntid;
    const uint8_t dims = d->reqntid_dims != 0 ? d->reqntid_dims : d->maxntid_dims;
    uint32_t threads = dims == 0 ? 0 : 1; /* verified: at most 1024 */
    for (uint8_t i = 0; i < dims; i++)
        threads *= v[i];
    return threads;
}

/* CTAs that must find room together; 0: not known. MEASURED, here and below: ptxas 13.0.88. */
static uint32_t residents(const struct ptx_directives *d, unsigned sm, uint32_t threads, uint32_t shared_bytes)
{
    const uint32_t most = tw_isa_ctas_per_sm(sm, threads);
    if (threads == 0)
        return 0;
    if (d->minnctapersm != 0 && d->minnctapersm <= most)
        return d->minnctapersm;
    const uint32_t of_cta = shared_bytes + TW_SHARED_RESERVED_BYTES, of_sm = tw_isa_shared_limit(sm) + TW_SHARED_RESERVED_BYTES;
    return most == 1 || of_cta > of_sm / 2 ? 1 : 0; /* a second does not fit */
}

/* So many that the resident CTAs have room. */
static uint32_t most_for_residents(uint32_t threads, uint32_t ctas)
{
    const uint32_t warps = (threads + LANES - 1) / LANES * ctas, of_sub_core = (warps + SUB_CORES - 1) / SUB_CORES;
    const uint32_t most = SUB_CORE_REGISTERS / LANES / of_sub_core / REGISTER_STEP * REGISTER_STEP;
    return most < MOST_REGISTERS ? most : MOST_REGISTERS;
}

uint32_t tw_registers_at_entry(const struct ptx_directives *d, unsigned sm, uint32_t shared_bytes, uint32_t largest_inc)
{
    const uint32_t threads = threads_of(d), ctas = residents(d, sm, threads, shared_bytes);
    uint32_t count = d->maxnreg == 0 ? 0 : d->maxnreg < FEWEST_REGISTERS ? FEWEST_REGISTERS : d->maxnreg;
    if (ctas != 0 && (count == 0 || most_for_residents(threads, ctas) < count))
        count = most_for_residents(threads, ctas);
    if (count > MOST_REGISTERS)
        count = MOST_REGISTERS;
    if (largest_inc != 0 && largest_inc < count)
        count = largest_inc; /* no thread gets more than the largest inc asks for */
    return (count + REGISTER_STEP - 1) / REGISTER_STEP * REGISTER_STEP;
}

/* ---- The pool of a CTA ---------------------------------------------------------------------------- */

static struct register_pool *pool_of(struct cta *cta, uint32_t at_entry)
{
    if (cta->registers == NULL) {
        cta->registers = arena_new(&cta->cluster->arena, struct register_pool, 1);
        for (uint32_t i = 0; i < MAX_CTA_WARPS; i++)
            cta->registers->held[i] = at_entry;
    }
    return cta->registers;
}

static const char *spelling(bool inc)
{
    return inc ? "setmaxnreg.inc" : "setmaxnreg.dec";
}

static const char *warp_list(struct arena *arena, uint32_t mask)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_warp_list(mask, &t);
    return t.at;
}

/* Warps of the CTA that belong to the warpgroup of w. */
static uint32_t group_warps(const struct warp *w)
{
    const uint32_t first = w->id / WARPGROUP_WARPS * WARPGROUP_WARPS;
    const uint32_t left = w->cta->warp_count - first;
    return ((UINT32_C(1) << (left < WARPGROUP_WARPS ? left : WARPGROUP_WARPS)) - 1) << first;
}

static uint32_t ended_warps(const struct cta *cta, uint32_t of)
{
    uint32_t mask = 0;
    FOR_LANES(i, of)
        if (cta->warps[i].live == 0)
            mask |= UINT32_C(1) << i;
    return mask;
}

/* The ISA wants every setmaxnreg of all warps of a warpgroup. A GPU serves each warp by itself, and compilers (Triton) rely on it
 * where a warpgroup's warps have different work: a remark, made once a warpgroup. */
static const char together[] = "PTX ISA, setmaxnreg: all warps of the warpgroup execute the same one, and synchronize before the next";

static void remark_ended(const struct warp *w, const struct warpgroup_turn *turn, uint32_t ended)
{
    struct arena *const arena = w->cluster->diags->arena;
    const struct warp *const first = &w->cta->warps[first_lane(turn->came)];
    tw_remark_at(first, 0, turn->code, turn->origin, E0726,
                 &(struct fault_note){.expected = tw_format(arena, "%s to execute it", warp_list(arena, group_warps(w))),
                                      .found = tw_format(arena, "%s ended without it", warp_list(arena, ended)),
                                      .fix = "execute it in all warps of the warpgroup",
                                      .spec = together},
                 "%s by a part of a warpgroup", spelling(turn->inc));
}

static void remark_other(struct warp *w, uint32_t lane, const struct warpgroup_turn *turn, bool inc, uint32_t count)
{
    struct arena *const arena = w->cluster->diags->arena;
    const bool again = (turn->came >> w->id & 1) != 0;
    const struct fault_note note = {
        .expected = tw_format(arena, "%s %u, which %s of the warpgroup executed", spelling(turn->inc), turn->count, warp_list(arena, turn->came)),
        .found = tw_format(arena, "%s %u", spelling(inc), count),
        .fix = again ? "synchronize the warps of the warpgroup between two of them" : "execute the same one in all warps of the warpgroup",
        .spec = together,
    };
    if (again)
        tw_remark(w, lane, E0726, &note, "a warp executes %s before the others of its warpgroup have executed the last one", spelling(inc));
    else
        tw_remark(w, lane, E0726, &note, "a warp executes another setmaxnreg than its warpgroup");
}

/* Enters the warp into its warpgroup's turn. */
static void take_part(struct warp *w, uint32_t lane, struct register_pool *pool, bool inc, uint32_t count)
{
    struct warpgroup_turn *const turn = &pool->turns[w->id / WARPGROUP_WARPS];
    const uint32_t me = UINT32_C(1) << w->id, members = group_warps(w);
    if (turn->remarked)
        return;
    if (turn->came != 0 && ((turn->came & me) != 0 || turn->inc != inc || turn->count != count)) {
        remark_other(w, lane, turn, inc, count);
        turn->remarked = true;
        return;
    }
    if (turn->came == 0)
        *turn = (struct warpgroup_turn){.code = w->code, .origin = w->code->insts[w->now->pc].origin, .inc = inc, .count = count};
    turn->came |= me;
    const uint32_t ended = ended_warps(w->cta, members & ~turn->came);
    if (ended != 0) {
        remark_ended(w, turn, ended);
        turn->remarked = true;
    }
    if (turn->came == members)
        turn->came = 0;
}

static enum exec_status fault_direction(struct warp *w, uint32_t lane, bool inc, uint32_t held, uint32_t count)
{
    struct arena *const arena = w->cluster->diags->arena;
    return tw_fault(w, lane, E0725,
                    &(struct fault_note){.expected = tw_format(arena, "%s %u registers, which a thread of the warp holds", inc ? "at least" : "at most", held),
                                         .found = tw_format(arena, "%u", count),
                                         .fix = tw_format(arena, "use %s", spelling(!inc)),
                                         .spec = "PTX ISA, setmaxnreg; a GPU reports an illegal instruction"},
                    "%s to %s registers than the warp holds", spelling(inc), inc ? "fewer" : "more");
}

/* ptxas knows one thing more than the text says: that a kernel needs so many registers that no second CTA fits. */
static void remark_unknown(struct warp *w, uint32_t lane)
{
    tw_remark(w, lane, E0724,
              &(struct fault_note){.expected = ".maxnreg, or .minnctapersm with .reqntid or .maxntid",
                                   .found = tw_format(w->cluster->diags->arena, "'%s', whose directives do not say it; ptxas drops its setmaxnreg unless one CTA fills a multiprocessor",
                                                      w->cluster->launch->image->entry->name),
                                   .fix = "add .minnctapersm 1; in CUDA C++ the second argument of __launch_bounds__",
                                   .spec = "PTX ISA, setmaxnreg"},
              "setmaxnreg has no effect: nothing says how many registers the kernel begins with");
}

static enum exec_status exec_setmaxnreg(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const bool inc = d->mod[SETMAXNREG_INC] != 0;
    const uint32_t count = (uint32_t)d->imm, lane = first_lane(mask), at_entry = w->cluster->launch->image->registers;
    if (at_entry == 0) {
        remark_unknown(w, lane);
        return EXEC_NEXT;
    }
    struct register_pool *const pool = pool_of(w->cta, at_entry);
    const uint32_t me = UINT32_C(1) << w->id;
    if ((pool->waiting & me) == 0)
        take_part(w, lane, pool, inc, count);
    uint32_t *const held = &pool->held[w->id], *const free = &pool->free[w->id % SUB_CORES];
    if (inc ? count < *held : count > *held)
        return fault_direction(w, lane, inc, *held, count);
    if (inc && count - *held > *free) {
        pool->waiting |= me;
        return tw_park(w, (struct wait){.kind = WAIT_REGISTERS});
    }
    pool->waiting &= ~me;
    *free += *held - count; /* modulo 2^32: inc takes */
    *held = count;
    if (!inc)
        tw_wake_cta(w->cta, WAIT_REGISTERS, 0);
    return EXEC_NEXT;
}

static bool prepare_setmaxnreg(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    int64_t count;
    if (!tw_decode_immediate(dc, in, ROLE_N, 0, &count))
        return false;
    d->imm = (uint64_t)count;
    d->mod[SETMAXNREG_INC] = tw_ptx_mod(in, SLOT_OP) == MOD_INC;
    d->run = exec_setmaxnreg;
    return true;
}

const struct op_row tw_ops_registers[] = {{OP_SETMAXNREG, prepare_setmaxnreg}, {OP_NONE, NULL}};

/* ---- Ends and reports ----------------------------------------------------------------------------- */

void tw_registers_warp_ended(const struct warp *w)
{
    if (w->cta->registers == NULL)
        return;
    struct warpgroup_turn *const turn = &w->cta->registers->turns[w->id / WARPGROUP_WARPS];
    if (turn->came == 0 || turn->remarked || (turn->came >> w->id & 1) != 0)
        return;
    remark_ended(w, turn, UINT32_C(1) << w->id);
    turn->remarked = true;
}

void tw_registers_describe(const struct warp *w, uint32_t wanted, struct text *out)
{
    const struct register_pool *const pool = w->cta->registers;
    tw_text_addf(out, "for registers: %u a thread, of which they hold %u, and %u are free: a kernel begins with none to spare, and a warp that ends gives none back",
                 wanted, pool->held[w->id], pool->free[w->id % SUB_CORES]);
}
