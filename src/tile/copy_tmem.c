/* The variant "tmem<->local" of copy_async: a warpgroup loads a part of tensor memory into its registers with
 * tcgen05.ld, or stores it with tcgen05.st. The layout of the registers says which shape the instruction has; columns
 * go in the largest powers of two that the shape has counts for. Waiting is the caller's.
 * SOURCE: kernel-language-tile 8.2. */
#include "tile/copy.h"

#include "ir/ir_walk.h"
#include "layout/factory.h"
#include "layout/view.h"

#include <string.h>

enum { ROWS = TW_TMEM_LANES, WARPS = 4, WARP_ROWS = ROWS / WARPS };

/* SOURCE: PTX ISA, tcgen05.ld: shapes and counts. */
struct atom {
    const char *name;
    int64_t lanes, columns, most; /* columns of one repeat; the largest count */
};
static const struct atom atoms[] = {
    {"32x32b", 32, 1, 128}, {"16x64b", 16, 2, 128}, {"16x128b", 16, 4, 64}, {"16x256b", 16, 8, 32}};
enum { ATOM_COUNT = sizeof atoms / sizeof atoms[0] };

struct tmem_copy {
    const struct ir_arg *cells, *regs;
    bool is_load;
    int64_t columns;
    const struct atom *atom;
};

static struct tmem_copy *facts(const struct dispatch_call *c)
{
    return c->facts;
}

/* ---- predicates ------------------------------------------------------------------------------------ */

static void judge_keywords(struct dispatch_call *c)
{
    tw_copy_judge_keywords(c, "dispatch");
}

static void judge_scope(struct dispatch_call *c)
{
    if (c->op->scope != IR_WARPGROUP_SCOPE)
        tw_dispatch_refuse(c, c->op->opcode_at, "unsupported exec_scope %s; tensor memory is read by a warpgroup, Tx.wg.copy_async",
                           tw_ir_exec_scope_name(c->op->scope));
}

static bool is_in(const struct ir_arg *a, enum ir_scope scope)
{
    return a->kind == IR_ARG_REGION && a->region->view->storage->scope == scope;
}

static void judge_memories(struct dispatch_call *c)
{
    struct tmem_copy *f = facts(c);
    const struct ir_arg *dst = &c->op->operands[COPY_DST], *src = &c->op->operands[COPY_SRC];
    f->is_load = is_in(dst, IR_LOCAL) && is_in(src, IR_TMEM);
    f->regs = f->is_load ? dst : src;
    f->cells = f->is_load ? src : dst;
    if (!f->is_load && !(is_in(src, IR_LOCAL) && is_in(dst, IR_TMEM)))
        tw_dispatch_refuse(c, c->op->opcode_at, "one operand is in tensor memory, and the other in registers");
}

/* (..., 128, N) with one index in every leading dimension. */
static bool is_slab(const struct ir_region *r)
{
    const uint32_t rank = r->view->rank;
    if (rank < 2 || r->extent[rank - 2] != ROWS || r->view->shape[rank - 2] != ROWS)
        return false;
    for (uint32_t d = 0; d + 2 < rank; d++)
        if (r->extent[d] != 1)
            return false;
    return true;
}

static void judge_regions(struct dispatch_call *c)
{
    struct tmem_copy *f = facts(c);
    const struct ir_arg *args[] = {f->cells, f->regs};
    const uint32_t refused = c->refusals.len;
    for (int i = 0; i < 2; i++) {
        const struct ir_region *r = args[i]->region;
        if (!is_slab(r))
            tw_dispatch_refuse(c, args[i]->at, "'%s' is not taken in all of %d rows", r->view->storage->name, ROWS);
        else if (r->view->elem.bits != 32)
            tw_dispatch_refuse(c, args[i]->at, "'%s' has elements of %u bits; a cell has 32", r->view->storage->name,
                               r->view->elem.bits);
    }
    if (c->refusals.len != refused)
        return;
    f->columns = f->cells->region->extent[f->cells->region->view->rank - 1];
    const int64_t other = f->regs->region->extent[f->regs->region->view->rank - 1];
    if (other != f->columns)
        tw_dispatch_refuse(c, f->regs->at, "'%s' is taken in %lld columns, and '%s' in %lld", f->regs->region->view->storage->name,
                           (long long)other, f->cells->region->view->storage->name, (long long)f->columns);
}

/* The layout of the region, its offset in the registers left out; NULL where a start is known at run time alone. */
static const struct layout *registers_layout(struct dispatch_call *c)
{
    const struct ir_region *r = facts(c)->regs->region;
    const struct layout_env env = {.arena = c->arena};
    struct shape shape = {.rank = r->view->rank};
    int64_t begin[TW_MAX_RANK];
    for (uint32_t d = 0; d < shape.rank; d++) {
        shape.dim[d] = r->view->shape[d];
        begin[d] = 0;
        if (r->start[d] != NULL && !tw_ir_is_const_int(r->start[d], &begin[d]))
            return NULL;
    }
    return tw_layout_slice(&env, r->view->layout, &shape, begin, r->extent);
}

static void judge_registers(struct dispatch_call *c)
{
    struct tmem_copy *f = facts(c);
    const struct layout_env env = {.arena = c->arena};
    const struct layout *have = registers_layout(c);
    for (size_t i = 0; have != NULL && i < ATOM_COUNT && f->atom == NULL; i++) {
        /* The shape whose lanes hold whole rows has no columns of its own to fill up. */
        const struct layout *want = i == 0 ? tw_wg_local_layout(&env, f->columns, ROWS)
                                           : tw_tcgen05_atom_layout(&env, tw_str(atoms[i].name), ROWS, f->columns, 32);
        if (want != NULL && tw_layout_eq_but_offset(c->arena, have, want))
            f->atom = &atoms[i];
    }
    if (f->atom == NULL)
        tw_dispatch_refuse(c, f->regs->at, "the layout of '%s' is none of 32x32b, 16x64b, 16x128b and 16x256b: %s",
                           f->regs->region->view->storage->name, tw_layout_text(c->arena, f->regs->region->view->layout));
}

/* ---- lowering -------------------------------------------------------------------------------------- */

/* (lead..., 128, N) as (4, lead..., [2,] lanes, N): warp, the leading indices, halves of a warp's rows, atom. */
static struct ir_region *by_warps(struct dispatch_call *c, const struct ir_arg *a, uint32_t lead, int64_t column, int64_t columns)
{
    const struct tmem_copy *f = facts(c);
    const struct ir_region *r = a->region;
    const struct ir_view *v = r->view;
    const struct layout_env env = {.arena = c->arena, .diags = c->diags, .at = a->at};
    const bool halves = f->atom->lanes < WARP_ROWS;
    struct view whole = {.shape = {.rank = v->rank}, .layout = v->layout, .elem_bits = v->elem.bits, .elem_offset = v->offset};
    struct view split, out;
    int64_t dims[TW_MAX_RANK], order[TW_MAX_RANK];
    const uint32_t pad = lead - (v->rank - 2);
    uint32_t rank = 0;
    for (uint32_t d = 0; d < v->rank; d++)
        whole.shape.dim[d] = v->shape[d];
    for (uint32_t d = 0; d < lead; d++)
        dims[rank++] = d < pad ? 1 : v->shape[d - pad];
    dims[rank++] = WARPS;
    if (halves)
        dims[rank++] = 2;
    dims[rank++] = f->atom->lanes;
    dims[rank++] = v->shape[v->rank - 1];
    order[0] = lead;
    for (uint32_t d = 1; d < rank; d++)
        order[d] = d <= lead ? d - 1 : d;
    if (!tw_view_reshape(&env, &whole, rank, dims, &split) || !tw_view_permute(&env, &split, rank, order, &out))
        return NULL;
    struct ir_region *made = arena_new(c->k->arena, struct ir_region, 1);
    made->view = tw_ir_view_new(c->k, v->storage, v->elem, rank, out.shape.dim, out.layout, out.elem_offset, a->at);
    made->at = a->at;
    for (uint32_t d = 0; d < rank; d++)
        made->extent[d] = d >= 1 && d <= lead ? 1 : out.shape.dim[d];
    for (uint32_t d = 0; d + 2 < v->rank; d++)
        if (r->start[d] != NULL)
            made->start[1 + pad + d] = tw_ir_expr_copy(c->k, r->start[d], NULL);
    struct ir_expr *first = tw_ir_const_int(c->k, tw_ir_int32(), column, a->at);
    made->start[rank - 1] = r->start[v->rank - 1] == NULL
                                ? first
                                : tw_ir_binary(c->k, IR_ADD, tw_ir_cast(c->k, tw_ir_int32(),
                                                                        tw_ir_expr_copy(c->k, r->start[v->rank - 1], NULL), a->at),
                                               first, a->at);
    made->extent[rank - 1] = columns;
    return made;
}

static bool one_instruction(struct dispatch_call *c, uint32_t lead, int64_t column, int64_t repeats)
{
    const struct tmem_copy *f = facts(c);
    struct ir_stmt *stmt = arena_new(c->k->arena, struct ir_stmt, 1);
    struct ir_tile *t = arena_new(c->k->arena, struct ir_tile, 1);
    *stmt = (struct ir_stmt){.op = IR_TILE, .at = c->stmt->at, .tile = t};
    t->opcode = tw_format(c->k->arena, "tcgen05.%s.sync.aligned.%s.x%lld.b32", f->is_load ? "ld" : "st", f->atom->name,
                          (long long)repeats);
    t->opcode_at = c->op->opcode_at;
    t->scope = IR_WARPGROUP_SCOPE;
    t->operand_count = 2;
    t->operands = arena_new(c->k->arena, struct ir_arg, 2);
    const struct ir_arg *order[] = {f->is_load ? f->regs : f->cells, f->is_load ? f->cells : f->regs};
    for (int i = 0; i < 2; i++) {
        struct ir_region *r = by_warps(c, order[i], lead, column, repeats * f->atom->columns);
        if (r == NULL)
            return false;
        t->operands[i] = (struct ir_arg){.kind = IR_ARG_REGION, .region = r, .at = order[i]->at};
    }
    return tw_tile_expand(c->k, c->isa, c->diags, stmt, c->guards, c->out);
}

static uint32_t leading(const struct ir_arg *a)
{
    return a->region->view->rank - 2;
}

static bool lower(struct dispatch_call *c)
{
    const struct tmem_copy *f = facts(c);
    const uint32_t lead = leading(f->cells) > leading(f->regs) ? leading(f->cells) : leading(f->regs);
    struct text counts;
    tw_text_init(&counts, c->arena);
    for (int64_t column = 0; column < f->columns;) {
        int64_t repeats = f->atom->most;
        while (repeats * f->atom->columns > f->columns - column)
            repeats /= 2;
        if (!one_instruction(c, lead, column, repeats))
            return false;
        tw_text_addf(&counts, "%sx%lld", counts.len == 0 ? "" : ", ", (long long)repeats);
        column += repeats * f->atom->columns;
    }
    if (tw_dispatch_first_time(c))
        tw_diag(c->diags, E0442, c->op->opcode_at, "%s takes variant %s: tcgen05.%s of shape %s, counts %s", c->op->opcode,
                c->chosen->name, f->is_load ? "ld" : "st", f->atom->name, counts.at);
    return true;
}

static const struct dispatch_predicate predicates[] = {
    {"keywords", 0, judge_keywords},
    {"scope", 0, judge_scope},
    {"memories", 0, judge_memories},
    {"regions", 1u << 2, judge_regions},
    {"registers", 1u << 2 | 1u << 3, judge_registers},
};

const struct dispatch_variant tw_dispatch_copy_tmem = {
    .op = "copy_async", .name = "tmem<->local", .priority = 10, .facts_bytes = sizeof(struct tmem_copy), .when = predicates,
    .when_count = sizeof predicates / sizeof predicates[0], .lower = lower};
