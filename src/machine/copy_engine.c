#include "machine/copy_engine.h"

#include "machine/decode.h"
#include "machine/guest.h"
#include "machine/mbarrier.h"
#include "machine/run.h"
#include "machine/tally.h"

#include <inttypes.h>
#include <string.h>

static struct arena *texts(const struct cta *cta)
{
    return cta->cluster->diags->arena;
}

static bool is_load(const struct bulk_op *op)
{
    return op->inst->kind <= BULK_TENSOR_LOAD;
}

/* ---- Faults and events ------------------------------------------------------------------------ */

static bool fault(struct bulk_engine *e, const struct bulk_op *op, int code, const struct fault_note *note, const char *message)
{
    struct cta *const cta = e->agent.cta;
    tw_fault_async(cta->cluster, cta, op->warp, op->lane, op->code, op->origin, code, note, "%s", message);
    return false;
}

static bool fault_trouble(struct bulk_engine *e, const struct bulk_op *op, const struct tensor_trouble *t)
{
    const struct fault_note note = {.expected = t->expected, .found = t->found, .fix = t->fix};
    return fault(e, op, t->code, &note, tw_format(texts(e->agent.cta), "%s: %s", op->inst->name, t->what));
}

struct watching {
    struct cta *cta;
    const struct bulk_op *op;
};

static void watch_access(void *context, enum space space, uint64_t address, uint32_t bytes, bool read, bool write)
{
    const struct watching *const w = context;
    if (read)
        tally_bytes(w->cta->cluster, space, false, bytes);
    if (write)
        tally_bytes(w->cta->cluster, space, true, bytes);
    if (!observed(w->cta->cluster))
        return;
    struct machine_event event = {.kind = EVENT_ACCESS, .warp = w->op->warp, .lane = w->op->lane, .space = space, .address = address,
                                  .bytes = bytes, .read = read, .write = write, .proxy = PROXY_ASYNC};
    tw_emit_op(w->cta->cluster, w->cta, &event, w->op->number);
}

static bool watched(const struct cluster *c)
{
    return observed(c) || c->tally != NULL;
}

static void say_access(struct bulk_engine *e, const struct bulk_op *op, enum space space, uint64_t address, uint32_t bytes, bool read, bool write)
{
    struct watching w = {e->agent.cta, op};
    if (watched(e->agent.cta->cluster) && bytes != 0)
        watch_access(&w, space, address, bytes, read, write);
}

/* ---- Loads ------------------------------------------------------------------------------------ */

/* The barrier that destination `rank` signals. SOURCE: PTX ISA, cp.async.bulk.tensor: with .cta_group::2 the member of the
 * destination's pair that has the parity of the CTA in which the given barrier lies. */
static uint32_t signal_of(const struct bulk_op *op, uint32_t rank)
{
    if (!op->inst->multicast)
        return op->mbar;
    const uint32_t to = op->inst->cta_group == 2 ? (rank & ~1u) | (op->mbar >> 24 & 1) : rank;
    return to << 24 | (op->mbar & 0xffffff);
}

static uint32_t destination(const struct bulk_op *op)
{
    return op->inst->kind == BULK_TO_PEER || op->inst->kind == BULK_TO_PEER_REDUCE ? op->peer : op->shared;
}

static bool running(struct bulk_engine *e, const struct bulk_op *op, const struct cta *to, const char *what)
{
    if (!to->ended)
        return true;
    return fault(e, op, E0786,
                 &(struct fault_note){.expected = "a CTA that runs until the copy has landed",
                                      .found = tw_format(texts(to), "CTA %u of the cluster has ended", to->rank),
                                      .fix = "let every CTA of the cluster wait at a cluster barrier before it exits"},
                 tw_format(texts(to), "%s: the CTA %s has ended", op->inst->name, what));
}

/* Checked at issue: somebody has taken the memory away while the launch was stopped. */
static bool released(struct bulk_engine *e, const struct bulk_op *op)
{
    return fault(e, op, E0701, &(struct fault_note){.expected = "an allocation that lives until the copy has landed"},
                 tw_format(texts(e->agent.cta), "%s of %u bytes at 0x%" PRIx64 ", which has been released", op->inst->name, op->bytes, op->global));
}

static bool load_bytes(struct bulk_engine *e, const struct bulk_op *op, struct cta *to, uint32_t offset)
{
    const struct cta *const own = e->agent.cta;
    uint8_t *const at = to->shared + offset;
    const uint64_t address = (uint64_t)to->rank << 24 | offset;
    const enum bulk_kind kind = op->inst->kind;
    if (op->bytes == 0)
        return true;
    const uint8_t *from = op->word;
    if (kind == BULK_LOAD) {
        from = tw_memory_at(own->cluster->launch->memory, op->global, op->bytes);
        if (from == NULL)
            return released(e, op);
        say_access(e, op, SPACE_GLOBAL, op->global, op->bytes, true, false);
    } else if (kind == BULK_TO_PEER || kind == BULK_TO_PEER_REDUCE) {
        from = own->shared + (op->shared & 0xffffff);
        say_access(e, op, SPACE_SHARED, op->shared, op->bytes, true, false);
    }
    const bool reduces = kind == BULK_TO_PEER_REDUCE || kind == BULK_WORD_REDUCE;
    if (reduces)
        tw_reduce_bytes(&op->reduce, at, from, op->bytes, false);
    else if (kind == BULK_LOAD)
        guest_read(at, from, op->bytes);
    else
        memmove(at, from, op->bytes);
    say_access(e, op, SPACE_SHARED, address, op->bytes, reduces, true);
    return true;
}

static bool load_tensor(struct bulk_engine *e, const struct bulk_op *op, struct cta *to, uint32_t offset)
{
    struct watching w = {e->agent.cta, op};
    const struct tensor_watch watch = {watch_access, &w};
    struct tensor_trouble trouble;
    const struct tensor_shared at = {to->shared, offset, to->rank};
    return tw_tensor_load(&op->copy, to->cluster->launch->memory, at, watched(to->cluster) ? &watch : NULL, texts(to), &trouble) ||
           fault_trouble(e, op, &trouble);
}

static bool signal_bytes(struct bulk_engine *e, const struct bulk_op *op, uint32_t mbar)
{
    struct cluster *const c = e->agent.cta->cluster;
    struct cta *const cta = &c->ctas[mbar >> 24];
    const struct mbar_update update = {.tx = -(int64_t)op->bytes};
    if (!running(e, op, cta, "of its barrier"))
        return false;
    if (observed(c)) {
        struct machine_event event = {.kind = EVENT_MBAR_TX, .space = SPACE_SHARED, .address = mbar, .bytes = MBAR_BYTES, .tx = update.tx,
                                      .release = true, .strong = true, .scope = SCOPE_CLUSTER};
        tw_emit_op(c, cta, &event, op->number);
    }
    const struct mbar_outcome outcome = tw_mbar_signal(cta, mbar & 0xffffff, update);
    struct mbar_report report;
    if (!tw_mbar_report(texts(cta), op->inst->name, cta, mbar & 0xffffff, update, &outcome, &report)) {
        tw_mbar_remember(cta, mbar & 0xffffff, true, (struct mbar_site){op->code, op->origin, op->warp, op->lane});
        return true;
    }
    return fault(e, op, report.code, &report.note, report.message);
}

/* The part of a load that goes to one CTA: its data, then its signal. */
static bool land_in(struct bulk_engine *e, struct bulk_op *op, uint32_t rank)
{
    struct cta *const to = &e->agent.cta->cluster->ctas[rank];
    const uint32_t offset = destination(op) & 0xffffff;
    op->targets &= ~(UINT32_C(1) << rank);
    e->agent.cta->cluster->changes++;
    if (!running(e, op, to, "it writes to"))
        return false;
    const bool moved = op->inst->kind == BULK_TENSOR_LOAD ? load_tensor(e, op, to, offset) : load_bytes(e, op, to, offset);
    return moved && signal_bytes(e, op, signal_of(op, rank));
}

/* ---- Stores ----------------------------------------------------------------------------------- */

static void stage_source(struct bulk_engine *e, struct bulk_op *op)
{
    struct cta *const cta = e->agent.cta;
    const uint32_t offset = op->shared & 0xffffff;
    if (op->stage_room < op->bytes) {
        op->stage = tw_arena_alloc(&cta->cluster->arena, op->bytes, 1);
        op->stage_room = op->bytes;
    }
    op->staged = true;
    if (op->inst->kind == BULK_TENSOR_STORE || op->inst->kind == BULK_TENSOR_REDUCE) {
        struct watching w = {cta, op};
        const struct tensor_watch watch = {watch_access, &w};
        tw_tensor_gather(&op->copy, (struct tensor_shared){cta->shared, offset, cta->rank}, op->stage, watched(cta->cluster) ? &watch : NULL);
        return;
    }
    if (op->bytes != 0)
        memcpy(op->stage, cta->shared + offset, op->bytes);
    say_access(e, op, SPACE_SHARED, op->shared, op->bytes, true, false);
}

/* .cp_mask: bit i enables byte i of every 16. */
static void write_bytes(uint8_t *to, const uint8_t *from, uint32_t bytes, uint16_t mask)
{
    if (mask == UINT16_MAX) {
        guest_write(to, from, bytes);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++)
        if ((mask >> i % 16 & 1) != 0)
            guest_write(to + i, from + i, 1);
}

static bool write_out(struct bulk_engine *e, struct bulk_op *op)
{
    struct cta *const cta = e->agent.cta;
    const struct memory *const memory = cta->cluster->launch->memory;
    const enum bulk_kind kind = op->inst->kind;
    if (kind == BULK_TENSOR_STORE || kind == BULK_TENSOR_REDUCE) {
        struct watching w = {cta, op};
        const struct tensor_watch watch = {watch_access, &w};
        struct tensor_trouble trouble;
        return tw_tensor_store(&op->copy, memory, op->stage, kind == BULK_TENSOR_REDUCE ? &op->reduce : NULL,
                               watched(cta->cluster) ? &watch : NULL, texts(cta), &trouble) ||
               fault_trouble(e, op, &trouble);
    }
    if (op->bytes == 0)
        return true;
    uint8_t *const to = tw_memory_at(memory, op->global, op->bytes);
    if (to == NULL)
        return released(e, op);
    if (kind == BULK_STORE_REDUCE)
        tw_reduce_bytes(&op->reduce, to, op->stage, op->bytes, true);
    else
        write_bytes(to, op->stage, op->bytes, op->byte_mask);
    say_access(e, op, SPACE_GLOBAL, op->global, op->bytes, kind == BULK_STORE_REDUCE, true);
    return true;
}

static bool perform_store(struct bulk_engine *e, struct bulk_op *op)
{
    if (!op->staged)
        stage_source(e, op);
    e->agent.cta->cluster->changes++;
    return write_out(e, op);
}

/* ---- The queue -------------------------------------------------------------------------------- */

static void finish(struct bulk_engine *e, struct bulk_op *op)
{
    struct cta *const cta = e->agent.cta;
    if (observed(cta->cluster))
        tw_emit_op(cta->cluster, cta, &(struct machine_event){.kind = EVENT_ASYNC_COMPLETE}, op->number);
    op->next = e->free;
    e->free = op;
}

/* Takes the operation at *link out of the queue. */
static void retire(struct bulk_engine *e, struct bulk_op **link)
{
    struct bulk_op *const op = *link;
    *link = op->next;
    if (op->next == NULL)
        e->end = link;
    finish(e, op);
}

static uint32_t pending(const struct async_agent *agent)
{
    const struct bulk_engine *const e = agent->state;
    uint32_t count = 0;
    for (const struct bulk_op *op = e->first; op != NULL; op = op->next)
        count++;
    return count;
}

/* A reduction reads and writes global memory that other clusters reduce into. */
static bool is_strong(const struct bulk_op *op)
{
    return op->inst->kind == BULK_STORE_REDUCE || op->inst->kind == BULK_TENSOR_REDUCE;
}

static bool strong(const struct async_agent *agent)
{
    for (const struct bulk_op *op = ((const struct bulk_engine *)agent->state)->first; op != NULL; op = op->next)
        if (is_strong(op))
            return true;
    return false;
}

static bool land(struct async_agent *agent, const struct wait *wait)
{
    struct bulk_engine *const e = agent->state;
    if (wait->kind != WAIT_MBARRIER)
        return false;
    for (struct bulk_op **link = &e->first; *link != NULL; link = &(*link)->next) {
        struct bulk_op *const op = *link;
        FOR_LANES(rank, op->targets) {
            if (signal_of(op, rank) != wait->key)
                continue;
            if (land_in(e, op, rank) && op->targets == 0) /* else a fault has ended the launch, or others wait for their part */
                retire(e, link);
            return true;
        }
    }
    return false;
}

static bool land_oldest(struct async_agent *agent)
{
    struct bulk_engine *const e = agent->state;
    struct bulk_op *const op = e->first;
    const bool ok = is_load(op) ? land_in(e, op, first_lane(op->targets)) : perform_store(e, op);
    if (ok && op->targets == 0) /* else a fault has ended the launch, or other CTAs wait for their part */
        retire(e, &e->first);
    return true;
}

static void drain(struct async_agent *agent)
{
    struct bulk_engine *const e = agent->state;
    while (e->first != NULL) {
        struct bulk_op *const op = e->first;
        bool ok = is_load(op) || perform_store(e, op);
        while (ok && op->targets != 0)
            ok = land_in(e, op, first_lane(op->targets));
        if (!ok)
            return;
        retire(e, &e->first);
    }
}

static void describe(const struct async_agent *agent, struct text *out)
{
    const struct bulk_engine *const e = agent->state;
    const struct bulk_op *load = NULL;
    uint32_t loads = 0, stores = 0;
    for (const struct bulk_op *op = e->first; op != NULL; op = op->next) {
        loads += is_load(op);
        stores += !is_load(op);
        if (is_load(op) && load == NULL)
            load = op;
    }
    if (stores != 0)
        tw_text_addf(out, "%u cop%s to global memory%s", stores, stores == 1 ? "y" : "ies", loads != 0 ? ", " : "");
    if (loads == 0)
        return;
    tw_text_addf(out, "%u cop%s to shared memory", loads, loads == 1 ? "y" : "ies");
    if (load->targets != 0)
        tw_text_addf(out, ", the first of %u bytes for the mbarrier at shared address 0x%x", load->bytes, signal_of(load, first_lane(load->targets)));
}

struct bulk_engine *tw_bulk_engine_of(struct cta *cta)
{
    if (cta->bulk != NULL)
        return cta->bulk;
    struct bulk_engine *const e = arena_new(&cta->cluster->arena, struct bulk_engine, 1);
    e->end = &e->first;
    e->groups = tw_arena_alloc(&cta->cluster->arena, cta->warp_count, sizeof *e->groups);
    e->agent = (struct async_agent){.name = "the bulk copy engine", .state = e, .pending = pending, .land = land, .drain = drain,
                                    .describe = describe, .strong = strong, .land_oldest = land_oldest};
    tw_cta_add_agent(cta, &e->agent);
    cta->bulk = e;
    return e;
}

/* ---- Issue ------------------------------------------------------------------------------------ */

struct bulk_op *tw_bulk_op_new(struct warp *w, const struct dinst *d, unsigned lane)
{
    struct bulk_engine *const e = tw_bulk_engine_of(w->cta);
    const struct bulk_inst *const inst = d->extra;
    struct bulk_op *op = e->free;
    if (op != NULL)
        e->free = op->next;
    else
        op = arena_new(&w->cluster->arena, struct bulk_op, 1);
    *op = (struct bulk_op){.inst = inst, .warp = w->id, .lane = lane, .code = w->code, .origin = d->origin, .byte_mask = UINT16_MAX,
                           .group = e->groups[w->id][lane], .reduce = inst->reduce, .stage = op->stage, .stage_room = op->stage_room};
    return op;
}

static void poison(struct cluster *c, const struct bulk_op *op)
{
    const enum bulk_kind kind = op->inst->kind;
    if (!is_load(op) || kind == BULK_TO_PEER_REDUCE || kind == BULK_WORD_REDUCE || op->bytes == 0)
        return;
    const uint32_t offset = destination(op) & 0xffffff;
    FOR_LANES(rank, op->targets) {
        uint64_t word;
        tw_poison(&word, sizeof word, tw_poison_seed(c, rank, offset));
        if (kind == BULK_TENSOR_LOAD)
            tw_tensor_fill_shared(&op->copy, (struct tensor_shared){c->ctas[rank].shared, offset, rank}, word);
        else
            tw_poison(c->ctas[rank].shared + offset, op->bytes, tw_poison_seed(c, rank, offset));
    }
}

void tw_bulk_issue(struct warp *w, struct bulk_op *op)
{
    struct bulk_engine *const e = tw_bulk_engine_of(w->cta);
    op->number = tw_async_next_op(w->cluster);
    if (observed(w->cluster))
        tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_ISSUE, .op = op->number}, UINT32_C(1) << op->lane);
    w->cluster->changes++;
    if (is_load(op) && op->targets == 0) { /* a mask that names nobody */
        finish(e, op);
        return;
    }
    poison(w->cluster, op);
    *e->end = op;
    e->end = &op->next;
}

/* ---- Groups ----------------------------------------------------------------------------------- */

void tw_bulk_commit(struct cta *cta, uint32_t warp, uint32_t lanes)
{
    uint32_t *const groups = tw_bulk_engine_of(cta)->groups[warp];
    FOR_LANES(lane, lanes)
        groups[lane]++;
}

/* Whether the operation belongs to a group that the wait covers. */
static bool covered(const struct bulk_engine *e, const struct bulk_op *op, const struct warp *w, uint32_t lanes, uint32_t left)
{
    const uint32_t committed = e->groups[w->id][op->lane];
    return !is_load(op) && op->warp == w->id && (lanes >> op->lane & 1) != 0 && committed > left && op->group < committed - left;
}

enum exec_status tw_bulk_wait(struct warp *w, uint32_t lanes, uint32_t left, bool read_only)
{
    struct bulk_engine *const e = tw_bulk_engine_of(w->cta);
    for (struct bulk_op **link = &e->first; *link != NULL;) {
        struct bulk_op *const op = *link;
        if (!covered(e, op, w, lanes, left)) {
            link = &op->next;
        } else if (read_only) {
            if (!op->staged)
                stage_source(e, op);
            link = &op->next;
        } else {
            if (is_strong(op) && !w->cluster->has_turn)
                return EXEC_TURN;
            if (!perform_store(e, op))
                return EXEC_FAULT;
            if (observed(w->cluster))
                tw_emit(w, &(struct machine_event){.kind = EVENT_ASYNC_WAIT, .op = op->number}, UINT32_C(1) << op->lane);
            retire(e, link);
        }
    }
    return EXEC_NEXT;
}

/* ---- Tensor maps ------------------------------------------------------------------------------ */

struct copied_map {
    struct copied_map *next;
    uint64_t address; /* generic */
    bool stale;       /* a fence has named it */
    uint8_t bytes[TENSOR_MAP_BYTES];
    struct tensor_map map;
};

static enum exec_status fault_space(struct warp *w, unsigned lane, const struct bulk_inst *inst, uint64_t address)
{
    uint64_t at;
    const enum space space = tw_generic_space(address, &at);
    return tw_fault(w, lane, E0781,
                    &(struct fault_note){.expected = "a generic address in parameter, constant or global memory",
                                         .found = tw_format(texts(w->cta), "an address in %s memory", tw_space_name(space)),
                                         .spec = "PTX ISA, \"Tensor-map\""},
                    "%s: the tensor map at 0x%" PRIx64 " is in the wrong state space", inst->name, address);
}

static const uint8_t *map_bytes(struct warp *w, unsigned lane, const struct bulk_inst *inst, uint64_t address)
{
    uint64_t at;
    const enum space space = tw_generic_space(address, &at);
    if (address % TENSOR_MAP_ALIGN != 0) {
        tw_fault(w, lane, E0781, &(struct fault_note){.expected = "an address that is a multiple of 64", .spec = "PTX ISA, \"Tensor-map\""},
                 "%s: the tensor map at 0x%" PRIx64 " is not aligned", inst->name, address);
        return NULL;
    }
    if (space != SPACE_PARAM && space != SPACE_CONST && space != SPACE_GLOBAL) {
        (void)fault_space(w, lane, inst, address);
        return NULL;
    }
    return tw_access(w, lane, SPACE_GENERIC, address, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, false);
}

static bool decode_map(struct warp *w, unsigned lane, const struct bulk_inst *inst, uint64_t address, const uint8_t *bytes, struct tensor_map *map)
{
    struct tensor_map_fault broken;
    if (!tw_tensor_map_unpack(bytes, map)) {
        tw_fault(w, lane, E0781,
                 &(struct fault_note){.expected = "128 bytes that an encoder of tensor maps, or tensormap.replace, has written",
                                      .found = "other bytes",
                                      .fix = "pass an argument of kind tensor_map, or initialise the map before its first use"},
                 "%s: there is no tensor map at 0x%" PRIx64, inst->name, address);
        return false;
    }
    if (tw_tensor_map_check(map, inst->sm, texts(w->cta), &broken))
        return true;
    tw_fault(w, lane, E0782,
             &(struct fault_note){.expected = broken.expected, .found = broken.found, .spec = "CUDA driver API, cuTensorMapEncodeTiled"},
             "%s: %s of the tensor map is out of its rules", inst->name, tw_tensor_map_fault_field(&broken, texts(w->cta)));
    return false;
}

const struct tensor_map *tw_bulk_map(struct warp *w, unsigned lane, const struct bulk_inst *inst, uint64_t address)
{
    struct bulk_engine *const e = tw_bulk_engine_of(w->cta);
    struct copied_map **link = &e->maps;
    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    struct copied_map *const known = *link;
    if (known != NULL && !known->stale)
        return &known->map;
    const uint8_t *const bytes = map_bytes(w, lane, inst, address);
    if (bytes == NULL)
        return NULL;
    if (known != NULL && memcmp(known->bytes, bytes, TENSOR_MAP_BYTES) == 0) {
        known->stale = false;
        return &known->map;
    }
    /* Operations under way keep the map that they were issued with: the old entry stays in the arena. */
    struct copied_map *const fresh = arena_new(&w->cluster->arena, struct copied_map, 1);
    *fresh = (struct copied_map){.next = known == NULL ? NULL : known->next, .address = address};
    if (!decode_map(w, lane, inst, address, bytes, &fresh->map))
        return NULL;
    guest_read(fresh->bytes, bytes, TENSOR_MAP_BYTES);
    *link = fresh;
    return &fresh->map;
}

void tw_bulk_map_acquire(struct cta *cta, uint64_t address)
{
    if (cta->bulk == NULL)
        return;
    for (struct copied_map *m = cta->bulk->maps; m != NULL; m = m->next)
        if (m->address == address)
            m->stale = true;
}
