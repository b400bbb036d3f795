/* Lowering of gemm_async: one tcgen05.mma tile operation over views of the call's regions, checked and expanded by the
 * engine; then its descriptors are shared, and what was chosen is reported. No commit, no wait. */
#include "tile/gemm_async.h"

#include "ir/ir_walk.h"
#include "isa/smem_desc.h"

#include <assert.h>
#include <string.h>

/* ---- the tile operation ---------------------------------------------------------------------------- */

static const char *opcode(const struct dispatch_call *c)
{
    const struct gemm *f = gemm_of(c);
    return tw_format(c->k->arena, "tcgen05.mma%s.cta_group::%lld.kind::%s%s", f->form.ws ? ".ws" : "",
                     (long long)f->cta_group, tw_tc_kinds[f->kind->kind].name, f->kind->qualifiers);
}

struct parameters {
    struct ir_arg at[TILE_MAX_PARAMS];
    uint32_t len;
};

static struct ir_arg *parameter(const struct dispatch_call *c, struct parameters *p, const char *name, enum ir_arg_kind kind)
{
    struct ir_arg *a = &p->at[p->len++];
    *a = (struct ir_arg){.kind = kind, .name = name, .at = c->op->opcode_at};
    return a;
}

static void instruction_shape(const struct dispatch_call *c, struct parameters *p)
{
    const struct gemm *f = gemm_of(c);
    const int64_t shape[] = {f->m_step, f->n_step, f->k_step};
    struct ir_arg *a = parameter(c, p, "instruction_shape", IR_ARG_TUPLE);
    a->item_count = 3;
    a->items = arena_new(c->k->arena, struct ir_arg, 3);
    for (int i = 0; i < 3; i++)
        a->items[i] = (struct ir_arg){.kind = IR_ARG_INT, .value = shape[i], .at = a->at};
}

/* An integer accumulates where it is not zero. */
static void accumulate(const struct dispatch_call *c, struct parameters *p)
{
    const struct ir_arg *given = tw_dispatch_param(c, "accum");
    if (given == NULL)
        return;
    struct ir_arg *a = parameter(c, p, "accum", given->kind == IR_ARG_EXPR ? IR_ARG_EXPR : IR_ARG_BOOL);
    a->at = given->at;
    a->value = given->value != 0;
    if (given->kind != IR_ARG_EXPR)
        return;
    a->expr = tw_ir_expr_copy(c->k, given->expr, NULL);
    if (a->expr->type.cls != IR_BOOL)
        a->expr = tw_ir_binary(c->k, IR_NE, a->expr, tw_ir_const_int(c->k, a->expr->type, 0, given->at), given->at);
}

/* elect.sync: one lane of the warp, the same at every call, so that a commit of the elected lane covers the issue. */
static struct ir_expr *elect(struct dispatch_call *c)
{
    const struct src_span at = c->stmt->at;
    struct ir_var *elected = tw_ir_var_new(c->k, "elected", tw_ir_uint32(), at);
    elected->is_assigned = true;
    struct ir_stmt *define = tw_ir_stmt_new(c->k, c->out, IR_DEFINE, at);
    define->var = elected;
    elected->definition = define;
    struct ir_ptx *x = arena_new(c->k->arena, struct ir_ptx, 1);
    x->mnemonic = "elect.sync";
    x->operand_count = 3;
    x->operands = arena_new(c->k->arena, struct ir_ptx_operand, 3);
    x->operands[0] = (struct ir_ptx_operand){.kind = IR_PTX_SINK, .at = at};
    x->operands[1] = (struct ir_ptx_operand){.kind = IR_PTX_RESULT, .expr = tw_ir_var_ref(c->k, elected, at), .at = at};
    x->operands[2] = (struct ir_ptx_operand){
        .kind = IR_PTX_VALUE, .expr = tw_ir_const_bits(c->k, tw_ir_uint32(), UINT32_MAX, at), .at = at};
    tw_ir_stmt_new(c->k, c->out, IR_PTX, at)->ptx = x;
    return tw_ir_binary(c->k, IR_NE, tw_ir_var_ref(c->k, elected, at), tw_ir_const_int(c->k, tw_ir_uint32(), 0, at), at);
}

static void put_parameters(struct dispatch_call *c, struct ir_tile *t)
{
    const struct gemm *f = gemm_of(c);
    struct parameters p = {.len = 0};
    instruction_shape(c, &p);
    if (f->mn_major[GEMM_A])
        parameter(c, &p, "a_major", IR_ARG_STR)->text = "mn";
    if (f->mn_major[GEMM_B])
        parameter(c, &p, "b_major", IR_ARG_STR)->text = "mn";
    if (f->tf32) {
        parameter(c, &p, "a_format", IR_ARG_STR)->text = "tf32";
        parameter(c, &p, "b_format", IR_ARG_STR)->text = "tf32";
    }
    accumulate(c, &p);
    if (c->op->scope == IR_WARP_SCOPE)
        parameter(c, &p, "pred", IR_ARG_EXPR)->expr = elect(c);
    t->param_count = p.len;
    t->params = arena_new(c->k->arena, struct ir_arg, p.len);
    memcpy(t->params, p.at, p.len * sizeof p.at[0]);
}

/* False, reported: a layout that no view of the instruction's shape covers. */
static bool put_operands(struct dispatch_call *c, struct ir_tile *t)
{
    const struct gemm *f = gemm_of(c);
    uint32_t batches = 0;
    for (int o = 0; o < GEMM_OPERANDS; o++)
        if (f->matrix[o].move_count > batches)
            batches = f->matrix[o].move_count;
    t->operands = arena_new(c->k->arena, struct ir_arg, GEMM_OPERANDS);
    for (int o = 0; o < GEMM_OPERANDS && f->given[o]; o++) {
        const struct src_span at = f->matrix[o].arg->at;
        struct ir_region *r = tw_gemm_region(c, (enum gemm_operand)o, batches);
        if (r == NULL) {
            struct diag *d =
                tw_diag(c->diags, E0440, at, "operand %s of gemm_async does not split into instructions", tw_gemm_names[o]);
            tw_diag_expected(d, "a layout of whole M %lld, N %lld, K %lld", (long long)f->m_step, (long long)f->n_step,
                             (long long)f->k_step);
            tw_diag_found(d, "%s", tw_layout_text(c->arena, f->matrix[o].view->layout));
            return false;
        }
        t->operands[t->operand_count++] = (struct ir_arg){.kind = IR_ARG_REGION, .region = r, .at = at};
    }
    return true;
}

/* ---- descriptors ------------------------------------------------------------------------------------- */

/* A descriptor expression taken apart: ((start of the storage in units) + units + moves) | constant. */
struct parts {
    const struct ir_expr *storage_units; /* what is computed from the address */
    const struct ir_storage *storage;
    int64_t units; /* static: where the instruction's part starts */
    const struct ir_expr *moves[TW_MAX_RANK];
    uint32_t move_count;
    uint64_t constant;
};

/* The storage whose address an expression is made of, or NULL. */
static const struct ir_storage *storage_in(const struct ir_expr *e)
{
    for (; e != NULL; e = e->args[0])
        if (e->op == IR_ADDRESS)
            return e->region->view->storage;
    return NULL;
}

static void add_up(const struct ir_expr *e, struct parts *p)
{
    int64_t value;
    if (e->op == IR_ADD) {
        add_up(e->args[0], p);
        add_up(e->args[1], p);
    } else if (tw_ir_is_const_int(e, &value)) {
        p->units += value;
    } else if (storage_in(e) != NULL) {
        p->storage_units = e;
        p->storage = storage_in(e);
    } else {
        assert(p->move_count < TW_MAX_RANK);
        p->moves[p->move_count++] = e;
    }
}

static struct parts take_apart(const struct ir_expr *descriptor)
{
    struct parts p = {0};
    assert(descriptor->op == IR_BITOR && descriptor->args[0]->op == IR_CAST && descriptor->args[1]->op == IR_CONST);
    p.constant = descriptor->args[1]->bits;
    add_up(descriptor->args[0]->args[0], &p);
    assert(p.storage != NULL);
    return p;
}

static struct ir_var *define_descriptor(struct dispatch_call *c, struct ir_block *into, enum gemm_operand o,
                                        const struct parts *p)
{
    struct ir_kernel *k = c->k;
    const struct src_span at = c->stmt->at;
    struct ir_stmt *define = tw_ir_stmt_new(k, into, IR_DEFINE, at);
    define->var = tw_ir_var_new(k, o == GEMM_A ? "descA" : "descB", tw_ir_uint64(), at);
    define->var->definition = define;
    define->value = tw_ir_binary(k, IR_BITOR, tw_ir_cast(k, tw_ir_uint64(), tw_ir_expr_copy(k, p->storage_units, NULL), at),
                                 tw_ir_const_bits(k, tw_ir_uint64(), p->constant, at), at);
    return define->var;
}

/* Descriptors of this call or, where they are hoisted, of the kernel; and for regions with run-time starts, which are
 * the same for every instruction of a call, the low word that they give. */
struct sharing {
    struct dispatch_kernel *known;
    struct ir_block *into;
    struct {
        uint64_t constant;
        struct ir_var *var; /* NULL: not needed so far */
    } low[GEMM_OPERANDS];
};

static struct ir_var *shared_descriptor(struct dispatch_call *c, struct sharing *s, enum gemm_operand o,
                                        const struct parts *p)
{
    struct dispatch_kernel *known = s->known;
    for (uint32_t i = 0; i < known->descriptors.len; i++)
        if (known->descriptors.at[i].storage == p->storage && known->descriptors.at[i].constant == p->constant)
            return known->descriptors.at[i].var;
    struct ir_var *var = define_descriptor(c, s->into, o, p);
    *vec_push(c->k->arena, &known->descriptors) = (struct dispatch_descriptor){p->storage, p->constant, var};
    return var;
}

/* The low word of a descriptor, moved by the region's run-time starts. */
static struct ir_var *low_word(struct dispatch_call *c, struct sharing *s, enum gemm_operand o, const struct parts *p,
                               struct ir_var *whole)
{
    struct ir_kernel *k = c->k;
    const struct src_span at = c->stmt->at;
    if (s->low[o].var != NULL && s->low[o].constant == p->constant)
        return s->low[o].var;
    struct ir_stmt *define = tw_ir_stmt_new(k, c->out, IR_DEFINE, at);
    define->value = tw_ir_cast(k, tw_ir_uint32(), tw_ir_var_ref(k, whole, at), at);
    for (uint32_t i = 0; i < p->move_count; i++)
        define->value = tw_ir_binary(k, IR_ADD, define->value, tw_ir_expr_copy(k, p->moves[i], NULL), at);
    define->var = tw_ir_var_new(k, o == GEMM_A ? "lowA" : "lowB", tw_ir_uint32(), at);
    define->var->definition = define;
    s->low[o].constant = p->constant;
    s->low[o].var = define->var;
    return define->var;
}

/* descriptor + units. A static start lies inside the 2^14 units of its field, so that is a plain addition. One that a
 * run-time index gives is added to the low word alone: whatever the index is, no carry reaches the strides above.
 * SOURCE: kernel-language-tile 8.1: "low-word addition wraps in 32 bits and must not carry out". */
static struct ir_expr *moved(struct dispatch_call *c, struct sharing *s, enum gemm_operand o, const struct parts *p,
                             struct src_span at)
{
    struct ir_kernel *k = c->k;
    const struct ir_type u64 = tw_ir_uint64(), u32 = tw_ir_uint32();
    struct ir_var *whole = shared_descriptor(c, s, o, p);
    if (p->move_count == 0)
        return tw_ir_binary(k, IR_ADD, tw_ir_var_ref(k, whole, at), tw_ir_const_int(k, u64, p->units, at), at);
    struct ir_expr *low = tw_ir_binary(k, IR_ADD, tw_ir_var_ref(k, low_word(c, s, o, p, whole), at),
                                       tw_ir_const_int(k, u32, p->units, at), at);
    return tw_ir_binary(k, IR_BITOR, tw_ir_cast(k, u64, low, at),
                        tw_ir_const_bits(k, u64, p->constant & ~UINT64_C(0xffffffff), at), at);
}

static bool is_descriptor(const struct ir_ptx_operand *o)
{
    return o->kind == IR_PTX_VALUE && tw_ir_type_equal(o->expr->type, tw_ir_uint64());
}

/* The operands of an instruction are d, a, b, idesc, ... */
static void share_descriptors(struct dispatch_call *c, struct sharing *s, struct ir_ptx *mma)
{
    for (int o = GEMM_A; o <= GEMM_B; o++) {
        struct ir_ptx_operand *operand = &mma->operands[o];
        if (!is_descriptor(operand))
            continue;
        const struct parts p = take_apart(operand->expr);
        operand->expr = moved(c, s, (enum gemm_operand)o, &p, operand->at);
    }
}

/* The program's own instruction descriptor, with the scale ids of this K step.
 * SOURCE: kernel-language-ptx 9.5, runtime_instr_desc. */
static void patch_descriptor(struct dispatch_call *c, struct ir_ptx_operand *idesc)
{
    enum { SCALE_IDS = 0x60000030 };
    struct ir_kernel *k = c->k;
    const struct ir_type u32 = tw_ir_uint32();
    const uint64_t ids = idesc->expr->bits & SCALE_IDS;
    struct ir_expr *kept = tw_ir_binary(k, IR_BITAND, tw_ir_expr_copy(k, gemm_of(c)->desc_i, NULL),
                                        tw_ir_const_int(k, u32, ~(uint32_t)SCALE_IDS, idesc->at), idesc->at);
    idesc->expr = tw_ir_binary(k, IR_BITOR, kept, tw_ir_const_bits(k, u32, ids, idesc->at), idesc->at);
}

static bool is_mma(const struct ir_stmt *s)
{
    return s->op == IR_PTX && strncmp(s->ptx->mnemonic, "tcgen05.mma", 11) == 0;
}

/* Hoisted definitions go to the kernel's start, local ones in front of the call's instructions. */
static void finish(struct dispatch_call *c, const struct ir_block *made)
{
    struct dispatch_kernel local = {0};
    const struct gemm *f = gemm_of(c);
    struct sharing s = {.known = &local, .into = c->out};
    if (f->smem_desc == GEMM_HOIST)
        s = (struct sharing){.known = c->shared, .into = &c->shared->hoisted};
    const bool sharing = f->smem_desc == GEMM_HOIST || f->smem_desc == GEMM_LOCAL_HOIST;
    for (uint32_t i = 0; i < made->list.len; i++) {
        struct ir_stmt *stmt = made->list.at[i];
        if (is_mma(stmt) && sharing)
            share_descriptors(c, &s, stmt->ptx);
        if (is_mma(stmt) && f->desc_i != NULL)
            patch_descriptor(c, &stmt->ptx->operands[3]);
    }
    for (uint32_t i = 0; i < made->list.len; i++)
        *vec_push(c->k->arena, &c->out->list) = made->list.at[i];
}

/* ---- the report -------------------------------------------------------------------------------------- */

static void describe_shared(struct text *t, const char *name, bool mn, const struct ir_expr *descriptor)
{
    struct smem_desc d;
    struct smem_fault_list faults;
    const struct parts p = take_apart(descriptor);
    tw_smem_desc_decode(SMEM_DESC_TCGEN05, p.constant, &d, &faults);
    tw_text_addf(t, "; %s %s, swizzle %s, SDO %u, LDO %u, start +%lld%s", name, mn ? "MN-major" : "K-major",
                 tw_swizzle_mode_row(d.mode)->name, d.stride_bytes / 16, d.lead_bytes / 16, (long long)p.units,
                 p.move_count != 0 ? " and a run-time index" : "");
}

static void describe_step(struct text *t, const struct ir_expr *first, const struct ir_expr *second)
{
    tw_text_addf(t, ", K step +%lld", (long long)(take_apart(second).units - take_apart(first).units));
}

static void describe_operand(struct dispatch_call *c, struct text *t, enum gemm_operand o, const struct ir_block *made,
                             uint32_t first)
{
    const struct gemm *f = gemm_of(c);
    const struct ir_ptx_operand *operand = &made->list.at[first]->ptx->operands[o];
    if (!is_descriptor(operand)) {
        tw_text_addf(t, "; %s in tensor memory", tw_gemm_names[o]);
        return;
    }
    describe_shared(t, tw_gemm_names[o], f->mn_major[o], operand->expr);
    if (f->k_reps > 1)
        describe_step(t, operand->expr, made->list.at[first + 1]->ptx->operands[o].expr);
}

static void describe_c(struct dispatch_call *c, struct text *t)
{
    const struct gemm *f = gemm_of(c);
    const struct layout *l = f->matrix[GEMM_C].layout;
    tw_text_addf(t, "C on data path %c", f->path);
    if (l->offset[AXIS_TLANE] != 0)
        tw_text_addf(t, " from lane %lld", (long long)l->offset[AXIS_TLANE]);
    tw_text_addf(t, ", column +%lld%s", (long long)l->offset[AXIS_TCOL],
                 f->matrix[GEMM_C].move_count != 0 ? " and a run-time index" : "");
}

static void tell(struct dispatch_call *c, const struct ir_block *made, const char *mnemonic)
{
    const struct gemm *f = gemm_of(c);
    struct text t;
    uint32_t first = 0;
    if (!tw_dispatch_first_time(c))
        return;
    while (!is_mma(made->list.at[first]))
        first++;
    const uint64_t idesc = made->list.at[first]->ptx->operands[3].expr->bits;
    struct diag *d = tw_diag(c->diags, E0442, c->op->opcode_at, "%s takes variant %s: %lld x %s, M %lld, N %lld, K %lld",
                             c->op->opcode, tw_dispatch_gemm_tcgen05.name, (long long)(f->m_reps * f->n_reps * f->k_reps),
                             mnemonic, (long long)f->m_step, (long long)f->n_step, (long long)f->k_step);
    tw_text_init(&t, c->arena);
    describe_c(c, &t);
    describe_operand(c, &t, GEMM_A, made, first);
    describe_operand(c, &t, GEMM_B, made, first);
    tw_text_addf(&t, "; idesc 0x%08llx", (unsigned long long)idesc);
    tw_diag_found(d, "%s", t.at);
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

bool tw_gemm_lower(struct dispatch_call *c)
{
    struct ir_stmt *stmt = arena_new(c->k->arena, struct ir_stmt, 1);
    struct ir_block made = {0};
    *stmt = (struct ir_stmt){.op = IR_TILE, .at = c->stmt->at};
    stmt->tile = arena_new(c->k->arena, struct ir_tile, 1);
    *stmt->tile = (struct ir_tile){.opcode = opcode(c), .opcode_at = c->op->opcode_at, .scope = IR_THREAD_SCOPE};
    if (!put_operands(c, stmt->tile))
        return false;
    put_parameters(c, stmt->tile);
    if (!tw_tile_expand(c->k, c->isa, c->diags, stmt, c->guards, &made))
        return false;
    tell(c, &made, stmt->tile->opcode);
    finish(c, &made);
    return true;
}
