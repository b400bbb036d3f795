/* From PTX functions to decoded instructions: registers get rows, literals become constant rows,
 * symbols become addresses, and every operation's family unpacks its modifiers once. */
#include "machine/decoder.h"

#include "base/bits.h"
#include "machine/exec_arith.h"
#include "machine/program.h"
#include "machine/register_pool.h"
#include "machine/registers.h"
#include "machine/wgmma_watch.h"

#include <assert.h>
#include <string.h>

struct arena *tw_decode_arena(struct decoder *dc) { return dc->arena; }
const struct ptx_module *tw_decode_module(const struct decoder *dc) { return dc->module; }
void tw_decode_reads_nc(struct decoder *dc) { dc->image->reads_nc = true; }
unsigned tw_decode_sm(const struct decoder *dc) { return dc->sm; }
const struct ptx_func *tw_decode_func(const struct decoder *dc) { return dc->func; }

static bool same_spelling(const struct ptx_inst *a, const struct ptx_inst *b)
{
    return a->form == b->form && memcmp(a->mods, b->mods, a->form->elem_count * sizeof a->mods[0]) == 0;
}

bool tw_decode_unsupported(struct decoder *dc, const struct ptx_inst *in, const char *why)
{
    for (uint32_t i = 0; i < dc->unsupported.len; i++) {
        struct unsupported *const u = &dc->unsupported.at[i];
        if (same_spelling(u->inst, in) && strcmp(u->why, why) == 0) {
            u->count++;
            return false;
        }
    }
    *vec_push(dc->arena, &dc->unsupported) = (struct unsupported){dc->func, in, why, 1};
    return false;
}

/* ---- Functions ------------------------------------------------------------------------------ */

static const struct op_row *const families[] = {
    tw_ops_integer, tw_ops_bits, tw_ops_float, tw_ops_convert, tw_ops_select, tw_ops_memory, tw_ops_address, tw_ops_matrix, tw_ops_cp_async,
    tw_ops_atomic,
    tw_ops_control, tw_ops_warp, tw_ops_barrier, tw_ops_fence, tw_ops_cancel, tw_ops_stack, tw_ops_registers, tw_ops_tcgen05, tw_ops_mbarrier, tw_ops_mma, tw_ops_bulk, tw_ops_tensormap, tw_ops_wgmma,
};

static void collect_rows(struct decoder *dc)
{
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
        for (const struct op_row *r = families[f]; r->op != OP_NONE; r++) {
            assert(dc->rows[r->op] == NULL);
            dc->rows[r->op] = r;
        }
}

static void decode_guard(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->guard = in->guard == PTX_NONE ? tw_decode_constant(dc, 0, ALL_LANES) : dc->reg_ref[in->guard];
    d->guard_flip = in->guard_negated ? ALL_LANES : 0;
}

static bool decode_inst(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    decode_guard(dc, in, d);
    d->isa_op = (uint16_t)in->form->op;
    if (tw_ptx_has(in, SLOT_ALIGNED))
        d->flags |= D_ALIGNED;
    const struct op_row *const r = dc->rows[in->form->op];
    if (r == NULL)
        return tw_decode_unsupported(dc, in, "the machine has no execution function for it");
    dc->reads_clock = false;
    const bool done = r->prepare(dc, in, d);
    if (dc->reads_clock)
        d->flags |= D_CLOCK;
    return done;
}

static struct origin origin_of(const struct ptx_func *f, const struct ptx_inst *in)
{
    return (struct origin){.at = tw_ptx_inst_span(f, in), .inst = in, .locs = f->locs.at, .loc = in->loc};
}

static bool too_large(struct decoder *dc, const struct ptx_var *v, unsigned most, const char *what)
{
    struct diag *const d = tw_diag(dc->diags, E0716, v->at, "variable '%s' does not fit", v->name);
    tw_diag_expected(d, "at most %u bytes for the %s", most, what);
    return false;
}

/* Offsets of a function's variables in their spaces. SOURCE: ptx-async.md 8.8. */
static bool place_vars(struct decoder *dc)
{
    enum { MAX_LOCAL = 512 << 10, MAX_PARAM = 32 << 10 }; /* SOURCE: CUDA, local memory of a thread; PTX ISA, parameter limit */
    const struct ptx_func *const f = dc->func;
    uint64_t local = 0, param = 0;
    dc->var_offset = arena_new(dc->arena, uint64_t, f->vars.len + 1);
    for (uint32_t i = 0; i < f->vars.len; i++) {
        const struct ptx_var *const v = &f->vars.at[i];
        const uint64_t align = v->align == 0 ? 1 : v->align;
        if (v->space == MOD_SHARED) {
            dc->var_offset[i] = tw_shared_place_of(dc->shared, f, i);
        } else if (v->space == MOD_LOCAL) {
            dc->var_offset[i] = align_up(local, align);
            if (dc->var_offset[i] > MAX_LOCAL || v->bytes > MAX_LOCAL - dc->var_offset[i])
                return too_large(dc, v, MAX_LOCAL, "local variables of a function");
            local = dc->var_offset[i] + v->bytes;
        } else if (v->space == MOD_PARAM && f->is_entry && i < f->param_count) {
            dc->var_offset[i] = v->offset;
        } else if (v->space == MOD_PARAM) {
            dc->var_offset[i] = align_up(param, align < 16 ? 16 : align);
            if (dc->var_offset[i] > MAX_PARAM || v->bytes > MAX_PARAM - dc->var_offset[i])
                return too_large(dc, v, MAX_PARAM, "parameters and call arguments of a function");
            param = dc->var_offset[i] + v->bytes;
        }
    }
    dc->code->local_bytes = (uint32_t)align_up(local, 16);
    dc->code->param_bytes = (uint32_t)align_up(param, 16);
    return true;
}

static void append_exit(struct decoder *dc)
{
    /* Falling off the end of a body is a return. */
    struct dinst *const last = &dc->code->insts[dc->code->count];
    last->guard = tw_decode_constant(dc, 0, ALL_LANES);
    last->isa_op = OP_RET;
    last->run = tw_exec_return;
    last->origin = dc->code->count;
    dc->code->origins[dc->code->count] =
        dc->code->count > 0 ? dc->code->origins[dc->code->count - 1] : (struct origin){.at = dc->func->at};
    dc->code->count++;
}

/* What a launch must know of its instructions. */
static void note_inst(struct image *image, const struct dinst *d)
{
    image->contractable += (d->flags & D_FLOAT_CONTRACTABLE) != 0;
    image->uses_stack |= d->isa_op == OP_ALLOCA || d->isa_op == OP_STACKSAVE;
    image->uses_tmem |= d->isa_op == OP_TCGEN05_ALLOC;
    if (d->isa_op == OP_SETMAXNREG && d->mod[SETMAXNREG_INC] != 0 && d->imm > image->largest_inc)
        image->largest_inc = (uint32_t)d->imm;
    image->cancels |= d->isa_op == OP_CLC_TRY_CANCEL;
    image->strong |= (d->flags & D_STRONG) != 0 || d->isa_op == OP_BULK_REDUCE_GLOBAL || d->isa_op == OP_TENSOR_REDUCE;
}

static void decode_func(struct decoder *dc, struct code *code)
{
    const struct ptx_func *const f = code->func;
    dc->func = f;
    dc->code = code;
    memset(&dc->refs, 0, sizeof dc->refs);
    memset(&dc->consts, 0, sizeof dc->consts);
    memset(&dc->specials, 0, sizeof dc->specials);
    tw_strmap_init(&dc->const_index, dc->arena);
    dc->reg_ref = tw_registers_assign(dc->arena, f, &code->frame_bytes);
    const bool placed = place_vars(dc);
    code->insts = arena_new(dc->arena, struct dinst, f->insts.len + 1);
    code->origins = arena_new(dc->arena, struct origin, f->insts.len + 1);
    for (uint32_t i = 0; placed && i < f->insts.len; i++) {
        code->origins[i] = origin_of(f, &f->insts.at[i]);
        code->insts[i].origin = i;
        (void)decode_inst(dc, &f->insts.at[i], &code->insts[i]);
    }
    for (uint32_t i = 0; i < f->insts.len; i++)
        note_inst(dc->image, &code->insts[i]);
    code->count = f->insts.len;
    code->first = dc->image->inst_count;
    dc->image->inst_count += code->count + 1;
    code->reg_ref = dc->reg_ref;
    code->var_offset = dc->var_offset;
    append_exit(dc);
    code->refs = dc->refs.at;
    code->const_bytes = dc->consts.len;
    code->consts = tw_arena_alloc(dc->arena, 1, dc->consts.len + ROW_ALIGN);
    code->consts += (ROW_ALIGN - ((uintptr_t)code->consts & (ROW_ALIGN - 1))) & (ROW_ALIGN - 1);
    memcpy(code->consts, dc->consts.at, dc->consts.len);
    code->specials = dc->specials.at;
    code->special_count = dc->specials.len;
    code->wgmma = tw_wgmma_watch_code(dc->arena, code);
}

/* The code of a function, decoded later if it is new. */
struct code *tw_decode_callee(struct decoder *dc, uint32_t func)
{
    const struct ptx_func *const f = &dc->module->funcs.at[tw_definition_of(dc->module, func)];
    struct image *const image = dc->image;
    for (uint32_t i = 0; i < image->code_count; i++)
        if (image->codes[i]->func == f)
            return image->codes[i];
    struct code *const code = arena_new(dc->arena, struct code, 1);
    *code = (struct code){.image = image, .func = f, .name = f->name};
    image->codes[image->code_count++] = code;
    return code;
}

uint32_t tw_decode_param_offset(const struct decoder *dc, uint32_t var)
{
    return (uint32_t)dc->var_offset[var];
}

void tw_decode_var_place(const struct decoder *dc, const struct code *code, uint32_t var, bool *in_register, uint32_t *at,
                         uint32_t *bytes, uint8_t *slot_bytes)
{
    (void)dc;
    const struct ptx_var *const v = &code->func->vars.at[var];
    *in_register = v->space == MOD_REG && v->reg != PTX_NONE;
    *at = *in_register ? code->reg_ref[v->reg] : (uint32_t)code->var_offset[var];
    *bytes = (uint32_t)v->bytes;
    *slot_bytes = *in_register ? (uint8_t)slot_bytes_of(isa_type_bits(v->type)) : 0;
}

/* Places of callees are known once all functions are decoded. */
static void link_calls(struct decoder *dc)
{
    for (uint32_t c = 0; c < dc->image->code_count; c++)
        for (uint32_t i = 0; i < dc->image->codes[c]->count; i++)
            if (dc->image->codes[c]->insts[i].isa_op == OP_CALL && dc->image->codes[c]->insts[i].run != NULL)
                tw_link_call(dc, &dc->image->codes[c]->insts[i]);
}

static void report_unsupported(const struct decoder *dc)
{
    for (uint32_t i = 0; i < dc->unsupported.len; i++) {
        const struct unsupported *const u = &dc->unsupported.at[i];
        struct text spelled;
        tw_text_init(&spelled, dc->diags->arena);
        const struct isa_spelling spelling = tw_ptx_spelling(u->inst);
        tw_isa_spell(&spelling, &spelled);
        struct diag *const d = tw_diag(dc->diags, E0709, tw_ptx_inst_span(u->func, u->inst),
                                       "'%s' is known, but this machine does not execute it", spelled.at);
        tw_diag_found(d, "%u instruction%s of this form in '%s'; %s", u->count, u->count == 1 ? "" : "s",
                      dc->image->entry->name, u->why);
    }
}

struct image *tw_image_decode(struct arena *arena, struct diags *diags, const struct program *program, const struct ptx_func *entry, unsigned sm)
{
    struct decoder *const dc = arena_new(arena, struct decoder, 1);
    *dc = (struct decoder){.arena = arena, .diags = diags, .program = program, .module = program->module, .sm = sm};
    struct image *const image = arena_new(arena, struct image, 1);
    *image = (struct image){.program = program, .entry = entry};
    image->codes = arena_new(arena, struct code *, program->module->funcs.len + 1);
    dc->image = image;
    const uint32_t errors = diags->error_count;
    dc->shared = tw_shared_layout_make(arena, program->module, entry);
    image->shared_static_end = dc->shared->static_end;
    image->shared_dynamic_at = dc->shared->dynamic_at;
    image->has_dynamic_shared = dc->shared->has_dynamic;
    collect_rows(dc);
    image->codes[image->code_count++] = arena_new(arena, struct code, 1);
    *image->codes[0] = (struct code){.image = image, .func = entry, .name = entry->name};
    for (uint32_t i = 0; i < image->code_count; i++) /* grows while calls are found */
        decode_func(dc, image->codes[i]);
    image->registers = tw_registers_at_entry(&entry->directives, sm, image->shared_static_end - TW_SHARED_RESERVED_BYTES, image->largest_inc);
    link_calls(dc);
    report_unsupported(dc);
    return diags->error_count == errors ? image : NULL;
}
