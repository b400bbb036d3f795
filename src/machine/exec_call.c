/* Calls. SOURCE: ptx-async.md 8.8; CUDA, "Formatted Output" and "Assertion".
 *
 * The caller has written its arguments into .param variables (or names registers); a call copies them
 * into the callee's parameters, a return copies the results back. vprintf and __assertfail are the
 * two functions that the driver provides. */
#include "machine/exec_call.h"

#include "machine/exec_lanes.h"
#include "machine/format_output.h"
#include "machine/poll.h"
#include "machine/program.h"
#include "machine/run.h"
#include "machine/shared_layout.h"
#include "machine/warp.h"

enum { MAX_CALL_DEPTH = 256 }; /* frames; a recursion that is deeper has no room for its local variables on a GPU either */

/* One value that is passed: in a parameter variable (offset in the frame's parameters) or in a register row. */
struct place {
    bool in_register;
    uint32_t at;
    uint32_t bytes;
    uint8_t slot_bytes;
};

struct call_target {
    uint64_t address;        /* of an indirect call's function */
    const struct code *code;
    struct place *params, *rets; /* in the callee; linked when all code is decoded */
};

enum call_kind { CALL_DIRECT, CALL_INDIRECT, CALL_PRINT, CALL_ASSERT };

struct call_site {
    enum call_kind kind;
    const struct place *args, *rets; /* in the caller */
    uint32_t arg_count, ret_count;
    struct call_target *targets;
    uint32_t target_count;
};

static uint8_t *place_at(struct warp *w, const struct frame *f, const struct place *p, uint32_t lane)
{
    (void)w;
    if (p->in_register)
        return f->regs + p->at + (size_t)p->slot_bytes * lane;
    return f->params + (size_t)lane * f->code->param_bytes + p->at;
}

static void copy_value(struct warp *w, const struct frame *from_frame, const struct place *from, const struct frame *to_frame,
                       const struct place *to, uint32_t mask)
{
    const uint32_t bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
    FOR_LANES(lane, mask) {
        uint8_t *const at = place_at(w, to_frame, to, lane);
        if (to->in_register)
            memset(at, 0, to->slot_bytes);
        memcpy(at, place_at(w, from_frame, from, lane), bytes);
    }
}

static enum exec_status enter(struct warp *w, const struct dinst *d, const struct call_site *site, const struct call_target *target,
                              uint32_t mask)
{
    struct split *const s = w->now;
    const struct frame *const caller = s->frame;
    if (caller->depth + 1 >= MAX_CALL_DEPTH)
        return tw_fault(w, first_lane(mask), E0715, NULL, "the call of '%s' is %u calls deep", target->code->name, MAX_CALL_DEPTH);
    const uint32_t room = w->cluster->launch->local_bytes - (target->code->image->uses_stack ? STACK_BYTES : 0);
    if (caller->local_base + caller->code->local_bytes + target->code->local_bytes > room)
        return tw_fault(w, first_lane(mask), E0715, NULL, "the local variables of '%s' do not fit into the %u bytes of a thread",
                        target->code->name, room);
    struct frame *const f = tw_warp_enter(w, target->code, mask, s->pc + 1);
    f->call = d;
    f->rets = target->rets;
    for (uint32_t i = 0; i < site->arg_count; i++)
        copy_value(w, caller, &site->args[i], f, &target->params[i], mask);
    const bool whole = mask == s->mask;
    tw_warp_move(w, mask, f, 0);
    if (!whole)
        s->pc++;
    return EXEC_JUMP;
}

void tw_call_results(struct warp *w, uint32_t mask)
{
    const struct frame *const f = w->now->frame;
    const struct call_site *const site = f->call->extra;
    const struct place *const from = f->rets;
    for (uint32_t i = 0; i < site->ret_count; i++)
        copy_value(w, f, &from[i], f->caller, &site->rets[i], mask);
}

static enum exec_status exec_call_direct(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct call_site *const site = d->extra;
    return enter(w, d, site, &site->targets[0], mask);
}

/* Lanes that call one function enter together; the others come here again. */
static enum exec_status exec_call_indirect(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct call_site *const site = d->extra;
    const uint64_t address = lane_word(w, &d->op[0], first_lane(mask));
    uint32_t together = 0;
    FOR_LANES(i, mask)
        together |= (uint32_t)(lane_word(w, &d->op[0], i) == address) << i;
    for (uint32_t i = 0; i < site->target_count; i++) {
        if (site->targets[i].address != address)
            continue;
        struct split *const s = w->now;
        const uint32_t pc = s->pc;
        const bool whole = together == s->mask;
        const enum exec_status status = enter(w, d, site, &site->targets[i], together);
        if (!whole)
            s->pc = (mask & ~together) != 0 ? pc : pc + 1;
        return status;
    }
    return tw_fault(w, first_lane(mask), E0715, &(struct fault_note){.expected = "the address of a function of this signature"},
                    "indirect call of 0x%llx", (unsigned long long)address);
}

/* ---- vprintf and __assertfail --------------------------------------------------------------------------- */

static uint64_t argument(struct warp *w, const struct call_site *site, uint32_t index, uint32_t lane)
{
    uint64_t word = 0;
    if (index < site->arg_count)
        memcpy(&word, place_at(w, w->now->frame, &site->args[index], lane), site->args[index].bytes < 8 ? site->args[index].bytes : 8);
    return word;
}

static enum exec_status exec_call_print(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct call_site *const site = d->extra;
    const struct launch *const l = w->cluster->launch;
    tw_poll_is_none(w); /* somebody reads what it prints */
    FOR_LANES(lane, mask) {
        struct arena_mark mark = tw_arena_mark(&w->cluster->arena);
        struct text out;
        tw_text_init(&out, &w->cluster->arena);
        const int64_t count = tw_format_output(w, lane, argument(w, site, 0, lane), argument(w, site, 1, lane), &out);
        if (count >= 0 && l->spec.print != NULL)
            l->spec.print(l->spec.print_context, (struct str){out.at, out.len});
        tw_arena_rewind(&w->cluster->arena, mark);
        if (count < 0)
            return EXEC_FAULT;
        const uint32_t result = (uint32_t)count;
        if (site->ret_count != 0)
            memcpy(place_at(w, w->now->frame, &site->rets[0], lane), &result, sizeof result);
    }
    return EXEC_NEXT;
}

static enum exec_status exec_call_assert(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct call_site *const site = d->extra;
    const uint32_t lane = first_lane(mask);
    struct text texts[3]; /* message, file, function */
    static const uint8_t index[3] = {0, 1, 3};
    for (int i = 0; i < 3; i++) {
        tw_text_init(&texts[i], w->cluster->diags->arena);
        if (!tw_guest_string(w, lane, argument(w, site, index[i], lane), &texts[i]))
            return EXEC_FAULT;
    }
    return tw_fault(w, lane, E0712, &(struct fault_note){.found = tw_format(w->cluster->diags->arena, "%s:%u, in '%s'",
                                                                            texts[1].at, (unsigned)argument(w, site, 2, lane),
                                                                            texts[2].at)},
                    "device assertion failed: %s", texts[0].at);
}

/* ---- Decoding ------------------------------------------------------------------------------------------------ */

static bool caller_places(struct decoder *dc, const struct ptx_inst *in, const struct ptx_operand *list, const struct place **out,
                          uint32_t *count)
{
    const struct ptx_func *const f = tw_decode_func(dc);
    *count = list->kind == OPERAND_LIST ? list->count : 0;
    struct place *const places = arena_new(tw_decode_arena(dc), struct place, *count + 1);
    *out = places;
    for (uint32_t i = 0; i < *count; i++) {
        const struct ptx_operand *const o = &tw_ptx_elements(f, list)[i];
        struct dop resolved;
        if (!tw_decode_operand(dc, o, MOD_B64, &resolved))
            return false;
        if (o->kind == OPERAND_SYMBOL && o->base == BASE_VAR && f->vars.at[o->index].space == MOD_PARAM)
            places[i] = (struct place){.at = tw_decode_param_offset(dc, o->index), .bytes = (uint32_t)f->vars.at[o->index].bytes};
        else if (o->kind == OPERAND_REG && resolved.bytes != 0)
            places[i] = (struct place){.in_register = true, .at = resolved.ref, .bytes = (resolved.bits + 7u) / 8,
                                       .slot_bytes = resolved.bytes};
        else
            return tw_decode_unsupported(dc, in, "an argument is neither a .param variable nor a register");
    }
    return true;
}

/* A function's own parameters or results; their places are known once its code is decoded, so offsets are recomputed here. */
static struct place *callee_places(struct decoder *dc, uint32_t first, uint32_t count)
{
    struct place *const places = arena_new(tw_decode_arena(dc), struct place, count + 1);
    for (uint32_t i = 0; i < count; i++)
        places[i] = (struct place){.at = first + i}; /* a variable's index until tw_link_call */
    return places;
}

static bool add_target(struct decoder *dc, const struct ptx_inst *in, uint32_t func, struct call_target *t)
{
    const struct code *const code = tw_decode_callee(dc, func);
    const struct ptx_func *const f = code->func;
    if (!f->has_body)
        return tw_decode_unsupported(dc, in, tw_format(tw_decode_arena(dc), "'%s' has no body: of the functions that a GPU's driver "
                                                       "brings along, vprintf and __assertfail are known, and other files are not linked", f->name));
    for (uint32_t i = 0; i < f->param_count + f->ret_count; i++)
        if (f->vars.at[i].space == MOD_REG && f->vars.at[i].type == MOD_PRED)
            return tw_decode_unsupported(dc, in, "a predicate cannot be passed to a function");
    *t = (struct call_target){.address = code_address(func), .code = code};
    t->params = callee_places(dc, 0, f->param_count);
    t->rets = callee_places(dc, f->param_count, f->ret_count);
    return true;
}

static void link_places(struct decoder *dc, const struct code *code, struct place *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct place *const p = &places[i];
        tw_decode_var_place(dc, code, p->at, &p->in_register, &p->at, &p->bytes, &p->slot_bytes);
    }
}

void tw_link_call(struct decoder *dc, const struct dinst *d)
{
    const struct call_site *const site = d->extra;
    for (uint32_t i = 0; i < site->target_count; i++) {
        const struct call_target *const t = &site->targets[i];
        link_places(dc, t->code, t->params, t->code->func->param_count);
        link_places(dc, t->code, t->rets, t->code->func->ret_count);
    }
}

/* Every function whose signature has as many values: the candidates of an indirect call. */
static bool indirect_targets(struct decoder *dc, const struct ptx_inst *in, struct call_site *site)
{
    const struct ptx_module *const m = tw_decode_module(dc);
    struct call_target *const targets = arena_new(tw_decode_arena(dc), struct call_target, m->funcs.len + 1);
    for (uint32_t i = 0; i < m->funcs.len; i++) {
        const struct ptx_func *const f = &m->funcs.at[i];
        if (f->is_entry || !f->has_body || f->param_count != site->arg_count || f->ret_count != site->ret_count)
            continue;
        if (!add_target(dc, in, i, &targets[site->target_count++]))
            return false;
    }
    site->targets = targets;
    return true;
}

static bool direct_target(struct decoder *dc, const struct ptx_inst *in, uint32_t func, struct call_site *site)
{
    func = tw_definition_of(tw_decode_module(dc), func);
    const struct ptx_func *const f = &tw_decode_module(dc)->funcs.at[func];
    if (!f->has_body && strcmp(f->name, "vprintf") == 0) {
        site->kind = CALL_PRINT;
        return true;
    }
    if (!f->has_body && strcmp(f->name, "__assertfail") == 0) {
        site->kind = CALL_ASSERT;
        return true;
    }
    struct call_target *const target = arena_new(tw_decode_arena(dc), struct call_target, 1);
    if (!add_target(dc, in, func, target))
        return false;
    if (target->code->func->param_count != site->arg_count || target->code->func->ret_count != site->ret_count)
        return tw_decode_unsupported(dc, in, "the call passes another number of values than the function has");
    site->targets = target;
    site->target_count = 1;
    return true;
}

bool tw_prepare_call(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static exec_fn *const runs[] = {
        [CALL_DIRECT] = exec_call_direct, [CALL_INDIRECT] = exec_call_indirect, [CALL_PRINT] = exec_call_print,
        [CALL_ASSERT] = exec_call_assert,
    };
    const struct ptx_func *const f = tw_decode_func(dc);
    struct call_site *const site = arena_new(tw_decode_arena(dc), struct call_site, 1);
    if (!caller_places(dc, in, tw_ptx_operand(f, in, ROLE_ARGS), &site->args, &site->arg_count) ||
        !caller_places(dc, in, tw_ptx_operand(f, in, ROLE_RETS), &site->rets, &site->ret_count))
        return false;
    const struct ptx_operand *const callee = tw_ptx_operand(f, in, ROLE_CALLEE);
    if (callee->kind == OPERAND_FUNC) {
        if (!direct_target(dc, in, callee->index, site))
            return false;
    } else {
        site->kind = CALL_INDIRECT;
        if (!tw_decode_operand(dc, callee, MOD_B64, &d->op[0]) || !indirect_targets(dc, in, site))
            return false;
    }
    d->flags |= D_BRANCH;
    if (site->kind == CALL_PRINT)
        d->flags |= D_STRONG; /* what clusters print comes in a fixed order */
    d->extra = site;
    d->run = runs[site->kind];
    return true;
}
