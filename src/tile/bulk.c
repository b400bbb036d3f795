/* cp.async.bulk, cp.async.bulk.prefetch and cp.reduce.async.bulk through tile.apply: one piece of memory an instruction.
 *
 * Coordinates are (group, repeat, element): the last axis is the piece, consecutive and aligned to 16 bytes on either side,
 * a multiple of 16 bytes. Where the form signals a barrier, mbar= is the barrier; the expected bytes are announced by the
 * caller. Into another CTA of the cluster, dst and mbar= are named as in the executing one, and cta_rank= says in which CTA
 * they are meant. SOURCE: kernel-language-tile 7.3; PTX ISA, cp.async.bulk; ptx-async 4.2. */
#include "tile/bulk.h"

#include "ir/ir_walk.h"

#include <string.h>

enum { PIECE_UNIT = 16, MOST_OPERANDS = 6 }; /* bytes; operands of the longest form */

struct bulk {
    struct tile_operand_row rows[2];
    struct bulk_values values;
};

static struct bulk *bulk_of(const struct tile_call *c)
{
    return c->family_data;
}

/* ---- parameters --------------------------------------------------------------------------------------- */

static bool has(const struct tile_call *c, const char *name)
{
    for (uint32_t i = 0; i < c->family->param_count; i++)
        if (strcmp(c->family->params[i].name, name) == 0)
            return tw_tile_param(c, name) != NULL && tw_tile_param(c, name)->kind != IR_ARG_NONE;
    return false;
}

static bool knows(const struct tile_call *c, const char *name)
{
    for (uint32_t i = 0; i < c->family->param_count; i++)
        if (strcmp(c->family->params[i].name, name) == 0)
            return true;
    return false;
}

/* A parameter that goes with a qualifier of the opcode. */
static bool goes_with(struct tile_call *c, const char *name, bool qualified, const char *qualifier, const char *what)
{
    if (!knows(c, name) || qualified == has(c, name))
        return true;
    if (qualified) {
        struct diag *d = tw_diag(c->diags, E0406, c->tile->opcode_at, "%s needs the parameter '%s'", c->mnemonic, name);
        tw_diag_expected(d, "%s: %s is in the opcode", what, qualifier);
        tw_diag_fix(d, "add %s=, or take %s out of the opcode", name, qualifier);
        return false;
    }
    struct diag *d = tw_diag(c->diags, E0404, tw_tile_param(c, name)->at, "%s has no parameter '%s' here", c->mnemonic, name);
    tw_diag_expected(d, "%s in the opcode", qualifier);
    tw_diag_fix(d, "add %s to the opcode, or drop the parameter", qualifier);
    return false;
}

/* A pointer that shows where it points must point into shared memory. */
static bool check_barrier(struct tile_call *c)
{
    if (!has(c, "mbar"))
        return true;
    const struct ir_arg *a = tw_tile_param(c, "mbar");
    const struct ir_expr *e = a->expr;
    while (e->op == IR_OFFSET)
        e = e->args[0];
    if (e->op != IR_ADDRESS || e->region->view->storage->scope == IR_SHARED)
        return true;
    struct diag *d = tw_diag(c->diags, E0408, a->at, "the barrier of %s is in %s memory", c->family->name,
                             tw_ir_scope_name(e->region->view->storage->scope));
    tw_diag_expected(d, "a pointer into shared memory");
    tw_diag_found(d, "a pointer into '%s'", e->region->view->storage->name);
    tw_diag_fix(d, "allocate the barrier with T.alloc_shared((1,), \"uint64\"), and write its .ptr_to([0])");
    return false;
}

bool tw_bulk_known(const struct ir_arg *item, int64_t *value)
{
    *value = item != NULL && item->kind == IR_ARG_INT ? item->value : 0;
    return item != NULL && (item->kind == IR_ARG_INT || (item->kind == IR_ARG_EXPR && tw_ir_is_const_int(item->expr, value)));
}

bool tw_bulk_in_range(struct tile_call *c, const char *param, const struct ir_arg *item, int64_t low, int64_t high)
{
    int64_t value;
    if (!tw_bulk_known(item, &value) || (value >= low && value <= high))
        return true;
    struct diag *d = tw_diag(c->diags, E0405, item->at, "parameter '%s' of %s", param, c->mnemonic);
    tw_diag_expected(d, "%lld to %lld", (long long)low, (long long)high);
    tw_diag_found(d, "%lld", (long long)value);
    tw_diag_fix(d, "write %lld, the nearest that it takes", (long long)(value < low ? low : high));
    return false;
}

static bool check_numbers(struct tile_call *c)
{
    static const struct {
        const char *name;
        int64_t high;
    } rows[] = {{"cta_mask", UINT16_MAX}, {"byte_mask", UINT16_MAX}, {"cta_rank", TW_MAX_CLUSTER_CTAS - 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (has(c, rows[i].name) && !tw_bulk_in_range(c, rows[i].name, tw_tile_param(c, rows[i].name), 0, rows[i].high))
            return false;
    return true;
}

bool tw_bulk_check_params(struct tile_call *c)
{
    return check_barrier(c) && check_numbers(c) && (!knows(c, "cache_policy") || tw_tile_check_policy(c)) &&
           goes_with(c, "cta_mask", isa_spelling_mod(&c->spelling, SLOT_MULTICAST) != MOD_NONE, ".multicast::cluster",
                     "16 bits, one for each CTA of the cluster that receives the data") &&
           goes_with(c, "byte_mask", isa_spelling_mod(&c->spelling, SLOT_CP_MASK) != MOD_NONE, ".cp_mask",
                     "16 bits, one for each byte of every 16 that is written");
}

static struct ir_expr *value_of(struct tile_call *c, const char *name, enum num_format format)
{
    return has(c, name) ? tw_tile_value(c, tw_tile_param(c, name), tw_ir_type_of(format), 0) : NULL;
}

struct bulk_values tw_bulk_values(struct tile_call *c)
{
    struct bulk_values v = {.pred = tw_tile_guard(c, &v.never)};
    v.policy = knows(c, "cache_policy") ? tw_tile_policy(c) : NULL;
    v.cta_mask = value_of(c, "cta_mask", NUM_U16);
    v.byte_mask = value_of(c, "byte_mask", NUM_U16);
    v.cta_rank = value_of(c, "cta_rank", NUM_U32);
    if (has(c, "mbar")) {
        const struct ir_expr *e = tw_tile_param(c, "mbar")->expr;
        v.mbar = e->type.cls == IR_POINTER ? e : tw_tile_value(c, tw_tile_param(c, "mbar"), tw_ir_uint32(), 0);
    }
    return v;
}

void tw_bulk_put_barrier(struct tile_call *c, struct ir_ptx_operand *to, const struct bulk_values *v)
{
    to->kind = IR_PTX_ADDRESS;
    to->expr = v->remote_mbar != NULL ? tw_ir_var_ref(c->k, v->remote_mbar, c->stmt->at) : tw_ir_expr_copy(c->k, v->mbar, NULL);
    to->at = v->mbar->at;
}

uint32_t tw_bulk_put_rest(struct tile_call *c, struct ir_ptx *x, uint32_t n, const struct bulk_values *v)
{
    /* A mask of CTAs stands before the policy, one of bytes behind it. SOURCE: PTX ISA, cp.async.bulk. */
    const struct ir_expr *const more[] = {v->cta_mask, v->policy, v->byte_mask};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (more[i] != NULL)
            tw_tile_put_value(c, &x->operands[n++], more[i]);
    x->pred = v->pred == NULL ? NULL : tw_ir_expr_copy(c->k, v->pred, NULL);
    return n;
}

/* ---- operands ------------------------------------------------------------------------------------------- */

#define PIECE(name_, role_, scope_)                                                                                          \
    {.name = name_, .role = role_, .scopes = 1u << scope_, .repeats = "*", .atom_rank = 1,                                   \
     .atom = {{"element", TILE_ROWS, "16 bytes"}}, .memory = true}
static const struct tile_operand_row to_shared[] = {PIECE("dst", TILE_DST, IR_SHARED), PIECE("src", TILE_SRC, IR_GLOBAL)};
static const struct tile_operand_row to_global[] = {PIECE("dst", TILE_DST, IR_GLOBAL), PIECE("src", TILE_SRC, IR_SHARED)};
static const struct tile_operand_row into_global[] = {PIECE("dst", TILE_UPDATE, IR_GLOBAL), PIECE("src", TILE_SRC, IR_SHARED)};
static const struct tile_operand_row to_peer[] = {PIECE("dst", TILE_DST, IR_SHARED), PIECE("src", TILE_SRC, IR_SHARED)};
static const struct tile_operand_row into_peer[] = {PIECE("dst", TILE_UPDATE, IR_SHARED), PIECE("src", TILE_SRC, IR_SHARED)};
static const struct tile_operand_row from_global[] = {PIECE("src", TILE_SRC, IR_GLOBAL)};

/* The piece as the operand as written has it: its last dimension, in bits. */
static int64_t piece_bits(const struct tile_call *c, uint32_t operand)
{
    const struct ir_arg *a = operand < c->tile->operand_count ? &c->tile->operands[operand] : NULL;
    if (a == NULL || a->kind != IR_ARG_REGION || a->region->view->rank == 0)
        return 0;
    return a->region->extent[a->region->view->rank - 1] * a->region->view->elem.bits;
}

/* Both sides show the piece of operand 0, each in its own elements. */
static void set_piece(struct tile_call *c, struct bulk *b)
{
    static const enum tile_symbol extents[] = {TILE_ROWS, TILE_COLS};
    const int64_t bits = piece_bits(c, 0);
    for (uint32_t i = 0; i < c->row_count; i++) {
        const bool region = i < c->tile->operand_count && c->tile->operands[i].kind == IR_ARG_REGION;
        const uint32_t elem = region ? c->tile->operands[i].region->view->elem.bits : 8;
        b->rows[i] = c->rows[i];
        b->rows[i].atom[0].extent = extents[i];
        b->rows[i].atom[0].text = tw_format(c->arena, "%lld bytes", (long long)bits / 8);
        c->symbol[extents[i]] = bits % elem == 0 ? bits / elem : 0;
    }
}

/* Reductions compute, so their elements are of the instruction's type. */
static void set_types(const struct tile_call *c, struct bulk *b)
{
    const unsigned type = isa_spelling_mod(&c->spelling, SLOT_TYPE);
    for (uint32_t i = 0; i < c->row_count && type != MOD_NONE; i++) {
        b->rows[i].elem_bits = (uint16_t)isa_type_bits(type);
        b->rows[i].format = isa_mod_row(type)->type_class == TYPE_BITS ? NUM_NONE : tw_isa_format(type);
    }
}

static bool prepare(struct tile_call *c)
{
    struct bulk *b = arena_new(c->arena, struct bulk, 1);
    c->family_data = b;
    set_piece(c, b);
    set_types(c, b);
    c->rows = b->rows;
    return tw_bulk_check_params(c);
}

static bool check(struct tile_call *c)
{
    const int64_t bits = piece_bits(c, 0);
    if (bits > 0 && bits % (8 * PIECE_UNIT) == 0)
        return true;
    const int64_t unit = 8 * PIECE_UNIT / c->operand[0].view->elem.bits, units = bits / (8 * PIECE_UNIT) + 1;
    struct diag *d = tw_tile_error(c, 0, E0411, ": the last axis is %lld bytes", (long long)bits / 8);
    tw_diag_expected(d, "a multiple of %d bytes", PIECE_UNIT);
    tw_diag_found(d, "%lld elements of %u bits", (long long)(bits / c->operand[0].view->elem.bits), c->operand[0].view->elem.bits);
    tw_diag_fix(d, "move %lld elements, or another multiple of %u", (long long)(units * unit), (unsigned)unit);
    tw_diag_spec(d, "PTX ISA, cp.async.bulk, size");
    return false;
}

/* ---- instructions --------------------------------------------------------------------------------------- */

/* The address of something of the executing CTA's in another CTA of the cluster: mapa. */
static struct ir_var *remote_address(struct tile_call *c, const char *name, const struct ir_expr *address, const struct ir_expr *rank)
{
    const struct src_span at = c->stmt->at;
    struct ir_stmt *define = tw_ir_stmt_new(c->k, c->out, IR_DEFINE, at);
    define->var = tw_ir_var_new(c->k, name, tw_ir_uint32(), at);
    define->var->definition = define;
    struct ir_ptx *x = tw_tile_instruction(c, 3);
    struct ir_expr *own = tw_ir_expr_copy(c->k, address, NULL);
    x->mnemonic = "mapa.shared::cluster.u32";
    x->operands[0].kind = IR_PTX_RESULT;
    x->operands[0].expr = tw_ir_var_ref(c->k, define->var, at);
    tw_tile_put_value(c, &x->operands[1],
                      own->type.cls == IR_POINTER ? tw_ir_unary(c->k, IR_SHARED_ADDR, tw_ir_uint32(), own, at) : own);
    tw_tile_put_value(c, &x->operands[2], rank);
    return define->var;
}

static void begin(struct tile_call *c)
{
    struct bulk *b = bulk_of(c);
    b->values = tw_bulk_values(c);
    if (b->values.cta_rank != NULL)
        b->values.remote_mbar = remote_address(c, "remote_mbar", b->values.mbar, b->values.cta_rank);
}

static void put_size(struct tile_call *c, struct ir_ptx_operand *to)
{
    tw_tile_put_value(c, to, tw_ir_const_int(c->k, tw_ir_uint32(), piece_bits(c, 0) / 8, c->stmt->at));
}

static bool issue(struct tile_call *c)
{
    const struct bulk *b = bulk_of(c);
    const struct tile_place *at[2] = {NULL, NULL};
    for (uint32_t i = 0; i < c->operand_count; i++) {
        at[i] = tw_tile_memory(c, i, (struct tile_run){.axes = 1, .align_bytes = PIECE_UNIT});
        if (at[i] == NULL)
            return false;
    }
    if (b->values.never)
        return true;
    struct ir_var *remote = NULL;
    if (b->values.cta_rank != NULL)
        remote = remote_address(c, "remote_dst", tw_tile_pointer(c, 0, at[0], NULL), b->values.cta_rank);
    struct ir_ptx *x = tw_tile_instruction(c, MOST_OPERANDS);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->operand_count; i++)
        tw_tile_put_memory(c, &x->operands[n++], i, at[i]);
    if (remote != NULL)
        x->operands[0].expr = tw_ir_var_ref(c->k, remote, c->stmt->at);
    put_size(c, &x->operands[n++]);
    if (b->values.mbar != NULL)
        tw_bulk_put_barrier(c, &x->operands[n++], &b->values);
    x->operand_count = tw_bulk_put_rest(c, x, n, &b->values);
    return true;
}

/* ---- families ------------------------------------------------------------------------------------------- */

#define BARRIER {.name = "mbar", .type = TILE_PARAM_ADDRESS, .required = true}
#define POLICY {.name = "cache_policy", .type = TILE_PARAM_INT}
#define PRED {.name = "pred", .type = TILE_PARAM_BOOL}
static const struct tile_param_row load_params[] = {BARRIER, {.name = "cta_mask", .type = TILE_PARAM_INT}, POLICY, PRED};
static const struct tile_param_row peer_params[] = {BARRIER, {.name = "cta_rank", .type = TILE_PARAM_INT, .required = true}, PRED};
static const struct tile_param_row store_params[] = {POLICY, {.name = "byte_mask", .type = TILE_PARAM_INT}, PRED};
static const struct tile_param_row plain_params[] = {POLICY, PRED};

#define FAMILY(op_, name_, what_, operands_, params_)                                                                        \
    {                                                                                                                      \
        .op = op_, .name = name_, .what = what_, .issuer = TILE_BY_THREAD, .operands = operands_,                            \
        .operand_count = sizeof operands_ / sizeof operands_[0], .params = params_,                                          \
        .param_count = sizeof params_ / sizeof params_[0], .prepare = prepare, .check = check, .begin = begin, .issue = issue \
    }

const struct tile_family tw_tile_bulk_load =
    FAMILY(OP_BULK_LOAD, "cp.async.bulk load", "a piece of global memory to shared memory, a barrier told", to_shared, load_params);
const struct tile_family tw_tile_bulk_store =
    FAMILY(OP_BULK_STORE, "cp.async.bulk store", "a piece of shared memory to global memory", to_global, store_params);
const struct tile_family tw_tile_bulk_copy_cluster =
    FAMILY(OP_BULK_COPY_CLUSTER, "cp.async.bulk copy", "a piece of shared memory to another CTA of the cluster, a barrier told",
           to_peer, peer_params);
const struct tile_family tw_tile_bulk_prefetch =
    FAMILY(OP_BULK_PREFETCH, "cp.async.bulk.prefetch", "a piece of global memory into the L2 cache", from_global, plain_params);
const struct tile_family tw_tile_bulk_reduce = FAMILY(
    OP_BULK_REDUCE_GLOBAL, "cp.reduce.async.bulk", "elements of shared memory into those of global memory", into_global, plain_params);
const struct tile_family tw_tile_bulk_reduce_cluster =
    FAMILY(OP_BULK_REDUCE_CLUSTER, "cp.reduce.async.bulk copy", "elements of shared memory into those of another CTA of the cluster",
           into_peer, peer_params);
