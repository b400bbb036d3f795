/* The warp-collective tcgen05 instructions: alloc, dealloc, relinquish_alloc_permit, ld, ld.red, st and
 * their waits, and the fences. Single-thread instructions that go to the tensor pipe stand in
 * exec_tensor.c. */
#include "machine/decode.h"
#include "machine/exec_tensor.h"
#include "machine/run.h"
#include "machine/tally.h"
#include "machine/tmem.h"
#include "num/arith.h"

#include <string.h>

static struct arena *texts(const struct warp *w)
{
    return w->cluster->diags->arena;
}

/* ---- What collective instructions share ------------------------------------------------------- */

/* The value of an operand that all lanes must agree on; false after a fault. */
static bool uniform(struct warp *w, const struct dop *o, uint32_t mask, const char *what, uint64_t *out)
{
    const unsigned first = first_lane(mask);
    *out = o->address ? lane_address(w, o, first) : lane_word(w, o, first);
    FOR_LANES(lane, mask) {
        const uint64_t other = o->address ? lane_address(w, o, lane) : lane_word(w, o, lane);
        if (other == *out)
            continue;
        tw_fault(w, lane, E0765,
                 &(struct fault_note){.expected = "one value in all lanes of the warp",
                                      .found = tw_format(texts(w), "0x%llx in lane %u, 0x%llx in lane %u", (unsigned long long)*out,
                                                         first, (unsigned long long)other, lane)},
                 "the lanes of the warp disagree about the %s", what);
        return false;
    }
    return true;
}

static bool one_group(struct warp *w, unsigned lane, unsigned cta_group)
{
    struct tmem *const t = tw_tmem_of(w->cta);
    if (t->cta_group == 0)
        t->cta_group = (uint8_t)cta_group;
    if (t->cta_group == cta_group)
        return true;
    tw_fault(w, lane, E0775,
             &(struct fault_note){.expected = "one cta_group in all tcgen05 instructions of a kernel",
                                  .found = tw_format(texts(w), "cta_group::%u after cta_group::%u", cta_group, t->cta_group),
                                  .spec = "PTX ISA, tcgen05, \"CTA group\""},
             "the kernel mixes cta_group::1 and cta_group::2");
    return false;
}

/* The cluster has a peer for the CTA; it need not run any more. */
static bool has_peer(struct warp *w, unsigned lane, unsigned cta_group)
{
    if (cta_group == 1 || (w->cta->rank | 1) < w->cluster->cta_count)
        return true;
    tw_fault(w, lane, E0775,
             &(struct fault_note){.expected = "a cluster in which both CTAs of the pair run",
                                  .found = tw_format(texts(w), "a cluster of %u CTA%s", w->cluster->cta_count,
                                                     w->cluster->cta_count == 1 ? "" : "s"),
                                  .fix = "launch with a cluster size that is even"},
             "cta_group::2 without a peer CTA");
    return false;
}

bool tw_tensor_group(struct warp *w, unsigned lane, unsigned cta_group, struct cta *ctas[2])
{
    if (!one_group(w, lane, cta_group) || !has_peer(w, lane, cta_group))
        return false;
    if (tw_tensor_ctas(w->cta, cta_group, ctas))
        return true;
    tw_fault(w, lane, E0775,
             &(struct fault_note){.expected = "a cluster in which both CTAs of the pair run", .found = "the peer CTA has ended",
                                  .fix = "let both CTAs wait at a cluster barrier before they exit"},
             "cta_group::2 without a peer CTA");
    return false;
}

/* ---- Allocation ------------------------------------------------------------------------------ */

enum { AT_DST, AT_NCOLS, AT_TADDR = 0 };
enum { M_CTA_GROUP, M_GENERIC };

static enum exec_status fault_alloc(struct warp *w, unsigned lane, enum tmem_alloc_status status, uint32_t cols, uint32_t before)
{
    struct fault_note note = {.spec = "PTX ISA, tcgen05.alloc"};
    if (status == TMEM_ALLOC_BAD_SIZE) {
        note.expected = "32, 64, 128, 256 or 512 columns";
        note.found = tw_format(texts(w), "%u columns", cols);
    } else if (status == TMEM_ALLOC_GROWS) {
        note.expected = "sizes that never increase from one allocation of a CTA to the next";
        note.found = tw_format(texts(w), "%u columns after an allocation of %u", cols, before);
        note.fix = "allocate the largest piece first, or everything at once";
    } else {
        note.expected = "no allocation after tcgen05.relinquish_alloc_permit in this CTA";
        note.fix = "move the allocation before relinquish_alloc_permit";
    }
    return tw_fault(w, lane, E0760, &note, "tcgen05.alloc of %u columns is illegal here", cols);
}

static enum exec_status alloc_done(struct warp *w, const struct dinst *d, uint32_t mask, uint32_t base, uint32_t cols)
{
    uint64_t dst;
    if (!uniform(w, &d->op[AT_DST], mask, "address that receives the allocation", &dst))
        return EXEC_FAULT;
    const unsigned lane = first_lane(mask);
    uint32_t address;
    const struct cta *const owner = tw_shared_target(w, lane, d->mod[M_GENERIC] != 0, dst, 4, 4, false, &address);
    if (owner == NULL)
        return EXEC_FAULT;
    memcpy(owner->shared + (address & 0xffffff), &base, sizeof base);
    w->cluster->changes++;
    if (observed(w->cluster)) {
        struct machine_event e = {.kind = EVENT_TMEM_ALLOC, .space = SPACE_TMEM, .address = base, .count = cols};
        tw_emit(w, &e, mask);
        struct machine_event store = {.kind = EVENT_ACCESS, .space = SPACE_SHARED, .address = address, .bytes = 4,
                                      .lane = lane, .write = true};
        tw_emit(w, &store, UINT32_C(1) << lane);
    }
    return EXEC_NEXT;
}

/* SOURCE: PTX ISA, tcgen05.alloc: with cta_group::2 one warp of each CTA of the pair takes part; the first may block. */
static enum exec_status alloc_of_pair(struct warp *w, const struct dinst *d, uint32_t mask, uint32_t cols, struct cta *ctas[2],
                                      struct tmem_site site)
{
    struct cta *const peer = ctas[0] == w->cta ? ctas[1] : ctas[0];
    struct tmem_request *const mine = &tw_tmem_of(w->cta)->pair_alloc, *const theirs = &tw_tmem_of(peer)->pair_alloc;
    const struct wait wait = {.kind = WAIT_TMEM};
    if (!theirs->made) {
        *mine = (struct tmem_request){.made = true, .cols = cols};
        return tw_park(w, wait);
    }
    if (theirs->cols != cols)
        return tw_fault(w, first_lane(mask), E0760,
                        &(struct fault_note){.expected = tw_format(texts(w), "%u columns, as the peer CTA asks for", theirs->cols),
                                             .found = tw_format(texts(w), "%u columns", cols),
                                             .spec = "PTX ISA, tcgen05.alloc"},
                        "the CTAs of a pair allocate different numbers of columns");
    uint32_t base;
    const uint32_t before = w->cta->tmem->last_cols;
    const enum tmem_alloc_status status = tw_tmem_alloc(w->cta, peer, cols, site, &base);
    if (status == TMEM_ALLOC_BLOCKED) {
        *mine = (struct tmem_request){.made = true, .cols = cols};
        return tw_park(w, wait);
    }
    if (status != TMEM_ALLOC_DONE)
        return fault_alloc(w, first_lane(mask), status, cols, before);
    *mine = (struct tmem_request){0};
    *theirs = (struct tmem_request){.granted = true, .cols = cols, .base = base};
    tw_wake_cta(peer, WAIT_TMEM, 0);
    return alloc_done(w, d, mask, base, cols);
}

/* The peer has allocated for both; it may have ended since. */
static bool take_grant(struct tmem *t, uint32_t *base)
{
    if (t == NULL || !t->pair_alloc.granted)
        return false;
    *base = t->pair_alloc.base;
    t->pair_alloc = (struct tmem_request){0};
    return true;
}

static enum exec_status exec_alloc(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t cols;
    uint32_t granted;
    struct cta *ctas[2];
    if (!uniform(w, &d->op[AT_NCOLS], mask, "number of columns", &cols))
        return EXEC_FAULT;
    if (take_grant(w->cta->tmem, &granted))
        return alloc_done(w, d, mask, granted, (uint32_t)cols);
    if (!tw_tensor_group(w, first_lane(mask), d->mod[M_CTA_GROUP], ctas))
        return EXEC_FAULT;
    const struct tmem_site site = {w->code, d->origin, w->id};
    if (ctas[1] != NULL)
        return alloc_of_pair(w, d, mask, (uint32_t)cols, ctas, site);
    uint32_t base;
    const uint32_t before = tw_tmem_of(w->cta)->last_cols;
    const enum tmem_alloc_status status = tw_tmem_alloc(w->cta, NULL, (uint32_t)cols, site, &base);
    if (status == TMEM_ALLOC_BLOCKED)
        return tw_park(w, (struct wait){.kind = WAIT_TMEM});
    if (status != TMEM_ALLOC_DONE)
        return fault_alloc(w, first_lane(mask), status, (uint32_t)cols, before);
    return alloc_done(w, d, mask, base, (uint32_t)cols);
}

/* SOURCE: PTX ISA, tcgen05.dealloc: with cta_group::2 collective over the pair, and it need not block. Each CTA releases its own
 * columns; the first to do so may have ended when the other comes. */
static enum exec_status exec_dealloc(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t taddr, cols;
    const unsigned lane = first_lane(mask);
    if (!uniform(w, &d->op[AT_TADDR], mask, "tensor memory address", &taddr) ||
        !uniform(w, &d->op[AT_NCOLS], mask, "number of columns", &cols) || !one_group(w, lane, d->mod[M_CTA_GROUP]) ||
        !has_peer(w, lane, d->mod[M_CTA_GROUP]))
        return EXEC_FAULT;
    uint32_t allocated;
    const enum tmem_free_status status =
        taddr > 0xffff ? TMEM_FREE_NOT_ALLOCATED : tw_tmem_dealloc(w->cta, (uint32_t)taddr, (uint32_t)cols, &allocated);
    if (status != TMEM_FREE_DONE)
        return tw_fault(w, lane, E0761,
                        &(struct fault_note){
                            .expected = "an address that tcgen05.alloc has returned, with the columns that it was asked for",
                            .found = status == TMEM_FREE_WRONG_SIZE
                                         ? tw_format(texts(w), "an allocation of %u columns", allocated)
                                         : "no allocation begins there",
                            .spec = "PTX ISA, tcgen05.dealloc"},
                        "tcgen05.dealloc of %u columns at 0x%x", (unsigned)cols, (unsigned)taddr);
    if (observed(w->cluster)) {
        struct machine_event e = {.kind = EVENT_TMEM_DEALLOC, .space = SPACE_TMEM, .address = taddr, .count = (uint32_t)cols};
        tw_emit(w, &e, mask);
    }
    tw_wake(w->cluster, WAIT_TMEM, 0);
    return EXEC_NEXT;
}

static enum exec_status exec_relinquish(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const unsigned lane = first_lane(mask);
    if (!one_group(w, lane, d->mod[M_CTA_GROUP]) || !has_peer(w, lane, d->mod[M_CTA_GROUP]))
        return EXEC_FAULT;
    w->cta->tmem->permit_gone = true;
    return EXEC_NEXT;
}

/* ---- Loads and stores ------------------------------------------------------------------------ */

enum { AT_REGS, AT_ADDR, AT_RED };
enum { M_SHAPE, M_REPEAT, M_PACK, M_RED_MAX, M_RED_ABS, M_RED_NAN };

struct region {
    enum tmem_shape shape;
    bool pack;
    uint32_t lane, col, split, regs;
};

static struct tmem_cell cell_of(const struct region *r, uint32_t thread, uint32_t reg)
{
    return r->pack ? tw_tmem_shape_cell_packed(r->shape, thread, reg, r->split) : tw_tmem_shape_cell(r->shape, thread, reg, r->split);
}

/* SOURCE: PTX ISA, "Access restrictions". The lane counts modulo 32, as hardware is reported to do; code in the wild passes
 * the bare allocation address from every warp. A lane of another warp's quadrant is an error. */
static bool lane_base(struct warp *w, unsigned lane, const char *name, uint32_t taddr, enum tmem_shape shape, uint32_t *base)
{
    const uint32_t given = taddr >> 16, quadrant = w->id % 4;
    const uint32_t within = given % TMEM_QUADRANT_LANES;
    *base = quadrant * TMEM_QUADRANT_LANES + within;
    if (given >= TMEM_QUADRANT_LANES && given / TMEM_QUADRANT_LANES != quadrant) {
        tw_fault(w, lane, E0763,
                 &(struct fault_note){
                     .expected = tw_format(texts(w), "lanes %u to %u: warp %u of the CTA owns quadrant %u", quadrant * 32,
                                           quadrant * 32 + 31, w->id, quadrant),
                     .found = tw_format(texts(w), "lane %u in the address 0x%x", given, taddr),
                     .fix = "add (warp % 4) * 32 << 16 to the address of the allocation",
                     .spec = "PTX ISA, tcgen05.ld, access restrictions"},
                 "%s of lanes that belong to another warp", name);
        return false;
    }
    if (within + tw_tmem_shapes[shape].lanes <= TMEM_QUADRANT_LANES && within % 16 == 0)
        return true;
    tw_fault(w, lane, E0763,
             &(struct fault_note){.expected = shape == TMEM_32X32B ? "the first lane of the quadrant" : "lane 0 or 16 of the quadrant",
                                  .found = tw_format(texts(w), "lane %u in the address 0x%x", given, taddr),
                                  .spec = "PTX ISA, tcgen05.ld"},
             "%s.%s at a lane that its shape does not allow", name, tw_tmem_shapes[shape].name);
    return false;
}

static bool columns_allocated(struct warp *w, unsigned lane, const char *name, const struct region *r)
{
    const struct tmem *const t = tw_tmem_of(w->cta);
    const uint32_t cols = r->regs / tw_tmem_shapes[r->shape].regs_per_repeat * tw_tmem_shapes[r->shape].cols_per_repeat *
                          (r->pack ? 2u : 1u);
    uint32_t bad = tw_tmem_unallocated(t, r->col, cols);
    if (bad == UINT32_MAX && r->shape == TMEM_16X32BX2)
        bad = r->split >= TW_TMEM_COLS ? r->split : tw_tmem_unallocated(t, r->col + r->split, cols);
    if (bad == UINT32_MAX)
        return true;
    const bool released = tw_tmem_was_released(t, bad);
    tw_fault(w, lane, E0762,
             &(struct fault_note){.expected = "columns that this CTA has allocated",
                                  .found = bad >= TW_TMEM_COLS ? tw_format(texts(w), "column %u, past the last one", bad)
                                           : released          ? tw_format(texts(w), "column %u, which has been released", bad)
                                                               : tw_format(texts(w), "column %u, which was never allocated", bad),
                                  .fix = released ? "let tcgen05.dealloc wait for this instruction" : NULL},
             "%s of columns %u to %u of tensor memory", name, r->col, r->col + cols - 1);
    return false;
}

static bool region_of(struct warp *w, const struct dinst *d, uint32_t mask, const char *name, struct region *r)
{
    uint64_t taddr;
    if (!uniform(w, &d->op[AT_ADDR], mask, "tensor memory address", &taddr))
        return false;
    *r = (struct region){.shape = (enum tmem_shape)d->mod[M_SHAPE], .pack = d->mod[M_PACK] != 0, .col = (uint32_t)taddr & 0xffff,
                         .split = (uint32_t)d->imm, .regs = d->op[AT_REGS].count};
    return lane_base(w, first_lane(mask), name, (uint32_t)taddr, r->shape, &r->lane) &&
           columns_allocated(w, first_lane(mask), name, r);
}

/* One event a lane and register: the cells of a register need not be neighbours. */
static void emit_cells(struct warp *w, const struct region *r, uint32_t mask, uint64_t op, bool write)
{
    for (uint32_t reg = 0; reg < r->regs; reg++)
        FOR_LANES(lane, mask) {
            const struct tmem_cell c = cell_of(r, lane, reg);
            struct machine_event e = {.kind = EVENT_ACCESS, .space = SPACE_TMEM, .proxy = PROXY_TMEM, .lane = lane, .warp = w->id,
                                      .address = tmem_word(r->lane + c.lane, r->col + c.col), .bytes = r->pack ? 8 : 4,
                                      .write = write, .read = !write, .pc = w->now->pc};
            tw_emit_op(w->cluster, w->cta, &e, op);
        }
}

static uint64_t issue_event(struct warp *w, uint32_t mask)
{
    if (!observed(w->cluster))
        return 0;
    const uint64_t op = tw_async_next_op(w->cluster);
    tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_ISSUE, .op = op}, mask);
    return op;
}

static uint32_t load_register(const struct tmem *t, const struct region *r, uint32_t thread, uint32_t reg)
{
    const struct tmem_cell c = cell_of(r, thread, reg);
    const uint32_t *const at = tmem_cell(t, r->lane + c.lane, r->col + c.col);
    return r->pack ? (at[0] & 0xffff) | at[1] << 16 : at[0];
}

static void load_registers(struct warp *w, const struct region *r, const uint32_t *refs, uint32_t mask)
{
    for (uint32_t reg = 0; reg < r->regs; reg++)
        if (refs[reg] != REF_NONE)
            FOR_LANES(lane, mask)
                row32(w, refs[reg])[lane] = load_register(w->cta->tmem, r, lane, reg);
}

/* The same where a thread's registers are neighbouring cells of its own lane. */
static void load_neighbours(struct warp *w, const struct region *r, const uint32_t *refs, uint32_t mask)
{
    FOR_LANES(lane, mask) {
        const uint32_t *const cells = tmem_cell(w->cta->tmem, r->lane + lane, r->col);
        for (uint32_t reg = 0; reg < r->regs; reg++)
            if (refs[reg] != REF_NONE)
                row32(w, refs[reg])[lane] = cells[reg];
    }
}

static enum exec_status exec_ld(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct region r;
    if (!region_of(w, d, mask, "tcgen05.ld", &r))
        return EXEC_FAULT;
    const uint32_t *const refs = w->code->refs + d->op[AT_REGS].ref;
    if (r.shape == TMEM_32X32B && !r.pack)
        load_neighbours(w, &r, refs, mask);
    else
        load_registers(w, &r, refs, mask);
    tally_bytes(w->cluster, SPACE_TMEM, false, (uint64_t)r.regs * LANES * sizeof(uint32_t));
    const uint64_t op = issue_event(w, mask);
    if (op != 0) {
        emit_cells(w, &r, mask, op, false);
        tw_tmem_open_load(w->cta, w->id, op);
    }
    return EXEC_NEXT;
}

/* SOURCE: PTX ISA, tcgen05.ld.red: over the thread's own registers, in their order. */
static uint32_t reduce(const struct dinst *d, uint32_t so_far, uint32_t value)
{
    const struct num_ops how = {.nan = d->mod[M_RED_NAN] != 0, .abs = d->mod[M_RED_ABS] != 0};
    const enum num_format f = (enum num_format)d->type;
    if (tw_num_is_integer(f)) {
        const int64_t a = tw_num_extend(f, so_far), b = tw_num_extend(f, value);
        return (d->mod[M_RED_MAX] != 0 ? b > a : b < a) ? value : so_far;
    }
    return (uint32_t)(d->mod[M_RED_MAX] != 0 ? tw_num_max(f, how, so_far, value) : tw_num_min(f, how, so_far, value));
}

/* The values come from the cells: a loaded register that nothing reads has no row. */
static enum exec_status exec_ld_red(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct region r;
    if (!region_of(w, d, mask, "tcgen05.ld.red", &r) || exec_ld(w, d, mask) != EXEC_NEXT)
        return EXEC_FAULT;
    if (d->op[AT_RED].ref == REF_NONE)
        return EXEC_NEXT;
    FOR_LANES(lane, mask) {
        uint32_t all = load_register(w->cta->tmem, &r, lane, 0);
        for (uint32_t reg = 1; reg < r.regs; reg++)
            all = reduce(d, all, load_register(w->cta->tmem, &r, lane, reg));
        row32(w, d->op[AT_RED].ref)[lane] = all;
    }
    return EXEC_NEXT;
}

static enum exec_status exec_st(struct warp *w, const struct dinst *d, uint32_t mask)
{
    struct region r;
    if (!region_of(w, d, mask, "tcgen05.st", &r))
        return EXEC_FAULT;
    struct tmem_store *const s = tw_tmem_store_begin(w->cta, w->id);
    s->shape = r.shape;
    s->unpack = r.pack;
    s->lane = r.lane;
    s->col = r.col;
    s->split = r.split;
    s->regs = r.regs;
    const uint32_t *const refs = w->code->refs + d->op[AT_REGS].ref;
    for (uint32_t reg = 0; reg < r.regs; reg++)
        memcpy(&s->values[reg * LANES], row32(w, refs[reg]), LANES * sizeof(uint32_t));
    tally_bytes(w->cluster, SPACE_TMEM, true, (uint64_t)r.regs * LANES * sizeof(uint32_t));
    s->op = issue_event(w, mask);
    if (s->op != 0)
        emit_cells(w, &r, mask, s->op, true);
    return EXEC_NEXT;
}

/* Loads have their values since they were issued; what ends here is the reading of tensor memory. */
static enum exec_status exec_wait_ld(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    if (w->cta->tmem != NULL)
        tw_tmem_close_loads(w, mask);
    return EXEC_NEXT;
}

static enum exec_status exec_wait_st(struct warp *w, const struct dinst *d, uint32_t mask)
{
    (void)d;
    if (w->cta->tmem != NULL)
        tw_tmem_land_stores(w->cta, w->id, w, mask);
    return EXEC_NEXT;
}

static enum exec_status exec_fence(struct warp *w, const struct dinst *d, uint32_t mask)
{
    if (observed(w->cluster)) {
        const bool before = d->isa_op == OP_TCGEN05_FENCE_BEFORE;
        tw_emit(w, &(struct machine_event){.kind = EVENT_FENCE, .fence = before ? FENCE_TC_BEFORE : FENCE_TC_AFTER}, mask);
    }
    return EXEC_NEXT;
}

/* ---- Decoding ------------------------------------------------------------------------------- */

uint8_t tw_decode_cta_group(const struct ptx_inst *in)
{
    return tw_ptx_mod(in, SLOT_CTA_GROUP) == MOD_CTA_GROUP_2 ? 2 : 1;
}

static bool prepare_alloc(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_alloc;
    d->flags |= D_ALIGNED | D_BARRIER;
    d->mod[M_CTA_GROUP] = tw_decode_cta_group(in);
    d->mod[M_GENERIC] = !tw_ptx_has(in, SLOT_SPACE);
    return tw_decode_role(dc, in, ROLE_DST, d, AT_DST) && tw_decode_role(dc, in, ROLE_NCOLS, d, AT_NCOLS);
}

static bool prepare_dealloc(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_dealloc;
    d->flags |= D_ALIGNED | D_BARRIER;
    d->mod[M_CTA_GROUP] = tw_decode_cta_group(in);
    return tw_decode_role(dc, in, ROLE_TADDR, d, AT_TADDR) && tw_decode_role(dc, in, ROLE_NCOLS, d, AT_NCOLS);
}

static bool prepare_relinquish(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    d->run = exec_relinquish;
    d->flags |= D_ALIGNED;
    d->mod[M_CTA_GROUP] = tw_decode_cta_group(in);
    return true;
}

static bool prepare_region(struct decoder *dc, const struct ptx_inst *in, struct dinst *d, enum isa_role regs)
{
    const char *const shape = isa_mod_row(tw_ptx_mod(in, SLOT_SHAPE))->text;
    int64_t split;
    d->flags |= D_ALIGNED;
    d->mod[M_SHAPE] = TMEM_SHAPE_COUNT;
    for (int s = 0; s < TMEM_SHAPE_COUNT; s++)
        if (strcmp(tw_tmem_shapes[s].name, shape) == 0)
            d->mod[M_SHAPE] = (uint8_t)s;
    d->mod[M_PACK] = tw_ptx_has(in, SLOT_PACK);
    if (d->mod[M_SHAPE] == TMEM_SHAPE_COUNT)
        return tw_decode_unsupported(dc, in, "its shape is in no table of tensor memory shapes");
    if (!tw_decode_immediate(dc, in, ROLE_SPLIT, 0, &split))
        return false;
    d->imm = (uint64_t)split & 0xffffffff;
    return tw_decode_role(dc, in, regs, d, AT_REGS) && tw_decode_role(dc, in, ROLE_TADDR, d, AT_ADDR);
}

static bool prepare_ld(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_ld;
    return prepare_region(dc, in, d, ROLE_D);
}

static bool prepare_ld_red(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_ld_red;
    d->type = (uint8_t)tw_decode_format(tw_ptx_mod(in, SLOT_TYPE));
    d->mod[M_RED_MAX] = tw_ptx_mod(in, SLOT_OP) == MOD_MAX;
    d->mod[M_RED_ABS] = tw_ptx_has(in, SLOT_ABS);
    d->mod[M_RED_NAN] = tw_ptx_has(in, SLOT_NAN);
    return prepare_region(dc, in, d, ROLE_D) && tw_decode_role(dc, in, ROLE_REDVAL, d, AT_RED);
}

static bool prepare_st(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->run = exec_st;
    return prepare_region(dc, in, d, ROLE_A);
}

static bool prepare_wait_ld(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    (void)in;
    d->run = exec_wait_ld;
    d->flags |= D_ALIGNED;
    return true;
}

static bool prepare_wait_st(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    (void)in;
    d->run = exec_wait_st;
    d->flags |= D_ALIGNED;
    return true;
}

static bool prepare_fence(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    (void)dc;
    (void)in;
    d->run = exec_fence;
    return true;
}

const struct op_row tw_ops_tcgen05[] = {
    {OP_TCGEN05_ALLOC, prepare_alloc},
    {OP_TCGEN05_DEALLOC, prepare_dealloc},
    {OP_TCGEN05_RELINQUISH, prepare_relinquish},
    {OP_TCGEN05_LD, prepare_ld},
    {OP_TCGEN05_LD_RED, prepare_ld_red},
    {OP_TCGEN05_ST, prepare_st},
    {OP_TCGEN05_WAIT_LD, prepare_wait_ld},
    {OP_TCGEN05_WAIT_ST, prepare_wait_st},
    {OP_TCGEN05_FENCE_BEFORE, prepare_fence},
    {OP_TCGEN05_FENCE_AFTER, prepare_fence},
    {OP_TCGEN05_CP, tw_prepare_tensor_cp},
    {OP_TCGEN05_SHIFT, tw_prepare_tensor_shift},
    {OP_TCGEN05_COMMIT, tw_prepare_tensor_commit},
    {OP_TCGEN05_MMA, tw_prepare_tensor_mma},
    {OP_TCGEN05_MMA_SP, tw_prepare_tensor_mma},
    {OP_TCGEN05_MMA_BLOCK_SCALE, tw_prepare_tensor_mma},
    {OP_TCGEN05_MMA_SP_BLOCK_SCALE, tw_prepare_tensor_mma},
    {OP_TCGEN05_MMA_WS, tw_prepare_tensor_mma},
    {OP_TCGEN05_MMA_WS_SP, tw_prepare_tensor_mma},
    {OP_NONE, NULL},
};
