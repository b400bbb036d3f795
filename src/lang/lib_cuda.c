/* T.cuda.*: ids, synchronisation, tensor memory addresses. SOURCE: kernel-language-ptx 9.5. */
#include "lang/eval.h"

#include "ir/ir_names.h"

#include <string.h>

/* ---- ids ---- */

static const struct {
    const char *name;
    enum ir_coord x; /* y and z follow it */
} axis_ids[] = {
    {"thread_idx", IR_TID_X}, {"block_idx", IR_CTAID_X}, {"block_dim", IR_NTID_X}, {"grid_dim", IR_NCTAID_X},
};

static struct value axis_id(struct eval *ev, struct call *c)
{
    size_t row = 0;
    struct str axis;
    while (strcmp(axis_ids[row].name, c->row->name) != 0)
        row++;
    if (!tw_eval_static_str(ev, c->args[0].value, c->args[0].at, "the axis", &axis))
        return value_error();
    if (axis.len != 1 || axis.at[0] < 'x' || axis.at[0] > 'z') {
        struct diag *d = tw_diag(ev->diags, E0206, c->args[0].at, "'%s' has no axis '" STR_FMT "'", c->row->name, STR_ARG(axis));
        tw_diag_expected(d, "\"x\", \"y\" or \"z\"");
        return value_error();
    }
    const enum ir_coord coord = (enum ir_coord)((int)axis_ids[row].x + (axis.at[0] - 'x'));
    return value_expr(tw_ir_coord(eval_kernel(ev), coord, c->at));
}

static const struct {
    const char *name;
    enum ir_coord coord;
} plain_ids[] = {
    {"warp_id", IR_WARP_ID},
    {"lane_id", IR_LANE_ID},
    {"warpgroup_id", IR_WARPGROUP_ID},
    {"warp_id_in_wg", IR_WARP_IN_WARPGROUP},
    {"thread_id_in_wg", IR_TID_IN_WARPGROUP},
    {"cta_rank_in_cluster", IR_CLUSTER_CTARANK},
    {"cluster_ctarank", IR_CLUSTER_CTARANK},
};

static struct value plain_id(struct eval *ev, struct call *c)
{
    size_t row = 0;
    while (strcmp(plain_ids[row].name, c->row->name) != 0)
        row++;
    return value_expr(tw_ir_coord(eval_kernel(ev), plain_ids[row].coord, c->at));
}

/* The CTA's place in its cluster along one axis: clusters tile the grid. */
static struct value cta_id_in_cluster(struct eval *ev, struct call *c)
{
    struct str axis;
    if (!tw_eval_static_str(ev, c->args[0].value, c->args[0].at, "the axis", &axis))
        return value_error();
    if (axis.len != 1 || axis.at[0] < 'x' || axis.at[0] > 'z') {
        struct diag *d = tw_diag(ev->diags, E0206, c->args[0].at, "'%s' has no axis '" STR_FMT "'", c->row->name, STR_ARG(axis));
        tw_diag_expected(d, "\"x\", \"y\" or \"z\"");
        return value_error();
    }
    return value_expr(tw_eval_cta_in_cluster(ev, axis.at[0] - 'x', c->at));
}

/* ---- synchronisation ---- */

static struct ir_stmt *emit(struct eval *ev, enum ir_cuda what, struct src_span at)
{
    struct ir_stmt *s = tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_CUDA, at);
    s->cuda = what;
    return s;
}

static struct value sync(struct eval *ev, struct call *c)
{
    for (int i = 0; i < IR_CUDA_COUNT; i++)
        if (strcmp(tw_ir_cuda_name((enum ir_cuda)i), c->row->name) == 0)
            emit(ev, (enum ir_cuda)i, c->at);
    return value_none();
}

static struct value warpgroup_sync(struct eval *ev, struct call *c)
{
    struct ir_expr *bar = tw_eval_to_typed(ev, c->args[0].value, tw_ir_uint32(), c->args[0].at, "the barrier number");
    if (bar == NULL)
        return value_error();
    emit(ev, IR_WARPGROUP_SYNC, c->at)->args[0] = bar;
    return value_none();
}

static struct value trap_when_assert_failed(struct eval *ev, struct call *c)
{
    struct ir_expr *cond = tw_eval_to_bool(ev, c->args[0].value, c->args[0].at, "the condition");
    if (cond == NULL)
        return value_error();
    emit(ev, IR_TRAP, c->at)->args[0] = cond;
    return value_none();
}

/* A pointer into shared memory, or a uint32 address of its window. */
static struct ir_expr *shared_pointer(struct eval *ev, const struct arg *a, const char *what)
{
    struct ir_expr *e = tw_eval_to_expr(ev, a->value, a->at, what);
    if (e == NULL)
        return NULL;
    const bool elsewhere = e->op == IR_ADDRESS && e->region->view->storage->scope != IR_SHARED;
    if (!elsewhere && (e->type.cls == IR_POINTER || tw_ir_type_equal(e->type, tw_ir_uint32())))
        return e;
    struct diag *d = tw_diag(ev->diags, E0208, a->at, "%s is no address in shared memory", what);
    tw_diag_expected(d, "a pointer to a shared tensor, such as bar.ptr_to([0])");
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, value_expr(e)));
    return NULL;
}

static struct value mbarrier_wait(struct eval *ev, struct call *c)
{
    struct ir_expr *bar = shared_pointer(ev, &c->args[0], "the barrier");
    struct ir_expr *parity = tw_eval_to_typed(ev, c->args[1].value, tw_ir_uint32(), c->args[1].at, "the parity");
    int64_t p;
    if (bar == NULL || parity == NULL)
        return value_error();
    if (tw_ir_is_const_int(parity, &p) && p != 0 && p != 1) {
        struct diag *d = tw_diag(ev->diags, E0206, c->args[1].at, "a parity is 0 or 1");
        tw_diag_found(d, "%lld", (long long)p);
        return value_error();
    }
    struct ir_stmt *s = emit(ev, IR_MBARRIER_WAIT, c->at);
    s->args[0] = bar;
    s->args[1] = parity;
    return value_none();
}

static struct value cvta_generic_to_shared(struct eval *ev, struct call *c)
{
    struct ir_expr *p = shared_pointer(ev, &c->args[0], "the address");
    if (p == NULL)
        return value_error();
    return value_expr(p->type.cls == IR_POINTER ? tw_ir_unary(eval_kernel(ev), IR_SHARED_ADDR, tw_ir_uint32(), p, c->at) : p);
}

/* elect.sync: one active lane of the warp gets 1. */
static struct value elect_sync(struct eval *ev, struct call *c)
{
    struct ir_kernel *k = eval_kernel(ev);
    struct ir_var *elected = tw_ir_var_new(k, "elected", tw_ir_uint32(), c->at);
    elected->is_assigned = true;
    tw_ir_stmt_new(k, ev->build->into, IR_DEFINE, c->at)->var = elected;
    struct ir_stmt *s = tw_ir_stmt_new(k, ev->build->into, IR_PTX, c->at);
    s->ptx = arena_new(k->arena, struct ir_ptx, 1);
    s->ptx->mnemonic = "elect.sync";
    s->ptx->operands = arena_new(k->arena, struct ir_ptx_operand, 3);
    s->ptx->operand_count = 3;
    s->ptx->operands[0] = (struct ir_ptx_operand){.kind = IR_PTX_SINK, .at = c->at};
    s->ptx->operands[1] = (struct ir_ptx_operand){.kind = IR_PTX_RESULT, .expr = tw_ir_var_ref(k, elected, c->at), .at = c->at};
    s->ptx->operands[2] = (struct ir_ptx_operand){
        .kind = IR_PTX_VALUE, .expr = tw_ir_const_bits(k, tw_ir_uint32(), UINT32_MAX, c->at), .at = c->at};
    return value_expr(tw_ir_var_ref(k, elected, c->at));
}

/* ---- tensor memory ---- */

/* Lane and column are 16 bits each, and each wraps by itself: ((a >> 16) + lane) << 16 | ((a + col) & 0xffff). */
static struct value get_tmem_addr(struct eval *ev, struct call *c)
{
    struct ir_kernel *k = eval_kernel(ev);
    const struct ir_type u32 = tw_ir_uint32();
    struct ir_expr *a = tw_eval_to_typed(ev, c->args[0].value, u32, c->args[0].at, "the address");
    struct ir_expr *lane = tw_eval_to_typed(ev, c->args[1].value, u32, c->args[1].at, "the lane offset");
    struct ir_expr *col = tw_eval_to_typed(ev, c->args[2].value, u32, c->args[2].at, "the column offset");
    if (a == NULL || lane == NULL || col == NULL)
        return value_error();
    struct ir_expr *again = tw_eval_fresh(ev, value_expr(a)).u.expr;
    struct ir_expr *half = tw_ir_const_int(k, u32, 16, c->at), *mask = tw_ir_const_int(k, u32, 0xffff, c->at);
    struct ir_expr *high = tw_ir_binary(k, IR_ADD, tw_ir_binary(k, IR_SHR, a, half, c->at), lane, c->at);
    high = tw_ir_binary(k, IR_SHL, high, tw_ir_const_int(k, u32, 16, c->at), c->at);
    struct ir_expr *low = tw_ir_binary(k, IR_BITAND, tw_ir_binary(k, IR_ADD, again, col, c->at), mask, c->at);
    return value_expr(tw_ir_binary(k, IR_BITOR, high, low, c->at));
}

static struct value decl_tmem(struct eval *ev, struct call *c)
{
    return tw_lib_decl_tmem(ev, c);
}

static struct value launch_config(struct eval *ev, struct call *c)
{
    return tw_lib_launch_config(ev, c);
}

/* The position of a parameter in a signature, or MAX_ARGS. */
static uint32_t position_of(const struct builtin *row, const char *name)
{
    const size_t len = strlen(name);
    uint32_t index = 0;
    for (const char *at = row->signature; *at != '\0'; index++) {
        const size_t n = strcspn(at, ",?");
        if (n == len && memcmp(at, name, n) == 0)
            return index;
        at += n;
        at += strspn(at, ",? ");
    }
    return MAX_ARGS;
}

/* What the library computes with is a run-time value: a literal becomes one of its natural type. */
static struct value library(struct eval *ev, struct call *c)
{
    const uint32_t index = position_of(c->row, "value");
    if (index < MAX_ARGS && value_is_static_number(c->args[index].value)) {
        struct ir_expr *e = tw_eval_to_expr(ev, c->args[index].value, c->args[index].at, "the argument");
        if (e == NULL)
            return value_error();
        c->args[index].value = value_expr(e);
    }
    return tw_library_call(ev, c, "cuda_");
}

static const struct builtin rows[] = {
    {"thread_idx", "axis", axis_id, ON_DEVICE},
    {"block_idx", "axis", axis_id, ON_DEVICE},
    {"block_dim", "axis", axis_id, ON_DEVICE},
    {"grid_dim", "axis", axis_id, ON_DEVICE},
    {"warp_id", "", plain_id, ON_DEVICE},
    {"lane_id", "", plain_id, ON_DEVICE},
    {"warpgroup_id", "", plain_id, ON_DEVICE},
    {"warp_id_in_wg", "", plain_id, ON_DEVICE},
    {"thread_id_in_wg", "", plain_id, ON_DEVICE},
    {"cta_rank_in_cluster", "", plain_id, ON_DEVICE},
    {"cluster_ctarank", "", plain_id, ON_DEVICE},
    {"cta_id_in_cluster", "axis", cta_id_in_cluster, ON_DEVICE},
    {"cta_sync", "", sync, ON_DEVICE},
    {"warp_sync", "", sync, ON_DEVICE},
    {"cluster_sync", "", sync, ON_DEVICE},
    {"warpgroup_sync", "barrier", warpgroup_sync, ON_DEVICE},
    {"trap_when_assert_failed", "condition", trap_when_assert_failed, ON_DEVICE},
    {"mbarrier_wait", "barrier, parity", mbarrier_wait, ON_DEVICE},
    {"cvta_generic_to_shared", "pointer", cvta_generic_to_shared, ON_DEVICE},
    {"elect_sync", "", elect_sync, ON_DEVICE},
    {"get_tmem_addr", "address, lane, column", get_tmem_addr, ON_DEVICE},
    {"decl_tmem", "address, *, ty_args", decl_tmem, ON_DEVICE},
    {"any_sync", "mask, condition", library, ON_DEVICE},
    {"all_sync", "mask, condition", library, ON_DEVICE},
    {"ballot_sync", "mask, condition", library, ON_DEVICE},
    {"__activemask", "", library, ON_DEVICE},
    {"__shfl_sync", "mask, value, lane, width?", library, ON_DEVICE},
    {"__shfl_up_sync", "mask, value, delta, width?", library, ON_DEVICE},
    {"__shfl_down_sync", "mask, value, delta, width?", library, ON_DEVICE},
    {"__shfl_xor_sync", "mask, value, lane_mask, width?", library, ON_DEVICE},
    {"warp_sum", "value, width?", library, ON_DEVICE},
    {"warp_max", "value, width?", library, ON_DEVICE},
    {"warp_min", "value, width?", library, ON_DEVICE},
    {"atomic_add", "pointer, value", library, ON_DEVICE},
    {"thread_fence", "", library, ON_DEVICE},
    {"nano_sleep", "nanoseconds", library, ON_DEVICE},
    {"float_as_uint", "value", library, ON_DEVICE},
    {"uint_as_float", "value", library, ON_DEVICE},
    {"mbarrier_wait_acquire_cluster", "barrier, parity", library, ON_DEVICE},
    {"syncthreads_and", "condition", library, ON_DEVICE},
    {"syncthreads_or", "condition", library, ON_DEVICE},
    {"LaunchConfig", TW_LAUNCH_PARAMS, launch_config, ANYWHERE},
};
const struct builtin_table tw_lib_cuda = {rows, sizeof rows / sizeof rows[0]};
