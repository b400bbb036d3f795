/* The variant "tcgen05" of gemm_async: which calls it takes, and the instructions it chooses for them.
 *
 * C in tensor memory, B in shared memory, A in either; the chosen instruction is the largest that divides the call:
 * M 128 or 64 (256 or 128 in a pair), N all columns if an instruction may have so many, else the largest divisor that
 * one may have. mma_m and mma_n choose by hand. The layout of C says which data path is meant, and so whether the
 * instruction is weight-stationary.
 * SOURCE: seed 001, "What it accepts", "How inputs change the algorithm"; kernel-language-tile 8.1. */
#include "tile/gemm_async.h"

#include "layout/factory.h"

#include <assert.h>
#include <string.h>

/* ---- scope ----------------------------------------------------------------------------------------- */

static void judge_scope(struct dispatch_call *c)
{
    const enum ir_exec_scope scope = c->op->scope;
    if (scope != IR_THREAD_SCOPE && scope != IR_WARP_SCOPE) {
        tw_dispatch_refuse(c, c->op->opcode_at, "unsupported exec_scope %s", tw_ir_exec_scope_name(scope));
        return;
    }
    const uint32_t count = tw_dispatch_threads(c), want = scope == IR_THREAD_SCOPE ? 1 : TW_WARP_LANES;
    if (count != 0 && count != want)
        tw_dispatch_refuse(c, c->op->opcode_at, "%u threads reach the call; scope %s means %u", count,
                           tw_ir_exec_scope_name(scope), want);
}

/* ---- configuration --------------------------------------------------------------------------------- */

typedef bool config_read(struct dispatch_call *c, const struct ir_arg *a);

static bool read_number(const struct ir_arg *a, int64_t low, int64_t high, int64_t *out)
{
    *out = a->value;
    return a->kind == IR_ARG_INT && a->value >= low && a->value <= high;
}

static bool read_group(struct dispatch_call *c, const struct ir_arg *a)
{
    return read_number(a, 1, 2, &gemm_of(c)->cta_group);
}

static bool read_m(struct dispatch_call *c, const struct ir_arg *a)
{
    return read_number(a, 1, INT32_MAX, &gemm_of(c)->mma_m);
}

static bool read_n(struct dispatch_call *c, const struct ir_arg *a)
{
    return read_number(a, 1, INT32_MAX, &gemm_of(c)->mma_n);
}

static bool read_tf32(struct dispatch_call *c, const struct ir_arg *a)
{
    gemm_of(c)->tf32 = a->value != 0;
    return a->kind == IR_ARG_BOOL;
}

static bool read_ws(struct dispatch_call *c, const struct ir_arg *a)
{
    gemm_of(c)->ws = a->kind == IR_ARG_NONE ? -1 : a->value != 0;
    return a->kind == IR_ARG_BOOL || a->kind == IR_ARG_NONE;
}

static bool read_trans_a(struct dispatch_call *c, const struct ir_arg *a)
{
    gemm_of(c)->trans_a = a->value != 0;
    return a->kind == IR_ARG_BOOL;
}

static bool read_trans_b(struct dispatch_call *c, const struct ir_arg *a)
{
    gemm_of(c)->trans_b = a->value != 0;
    return a->kind == IR_ARG_BOOL;
}

static bool read_accum(struct dispatch_call *c, const struct ir_arg *a)
{
    (void)c;
    return a->kind == IR_ARG_BOOL || a->kind == IR_ARG_INT ||
           (a->kind == IR_ARG_EXPR &&
            (a->expr->type.cls == IR_BOOL || a->expr->type.cls == IR_SINT || a->expr->type.cls == IR_UINT));
}

static bool read_desc_i(struct dispatch_call *c, const struct ir_arg *a)
{
    if (a->kind == IR_ARG_INT)
        gemm_of(c)->desc_i = tw_ir_const_int(c->k, tw_ir_uint32(), a->value, a->at);
    else if (a->kind == IR_ARG_EXPR)
        gemm_of(c)->desc_i = a->expr;
    return a->kind == IR_ARG_NONE ||
           (gemm_of(c)->desc_i != NULL && tw_ir_type_equal(gemm_of(c)->desc_i->type, tw_ir_uint32()));
}

static const char *const smem_desc_names[] = {
    [GEMM_HOIST] = "hoist", [GEMM_LOCAL_HOIST] = "local_hoist", [GEMM_ENCODE] = "encode", [GEMM_RECOMPUTE] = "recompute"};

static bool read_smem_desc(struct dispatch_call *c, const struct ir_arg *a)
{
    for (size_t i = 0; a->kind == IR_ARG_STR && i < sizeof smem_desc_names / sizeof smem_desc_names[0]; i++)
        if (strcmp(a->text, smem_desc_names[i]) == 0) {
            gemm_of(c)->smem_desc = (enum gemm_smem_desc)i;
            return true;
        }
    return false;
}

static bool read_name(struct dispatch_call *c, const struct ir_arg *a)
{
    (void)c, (void)a; /* the dispatcher has looked at it */
    return true;
}

static const struct {
    const char *name;
    config_read *read;
    const char *values;
    bool config; /* of this variant; the others belong to every gemm_async */
} keys[] = {
    {"dispatch", read_name, "the name of a variant", false},
    {"transA", read_trans_a, "True or False", false},
    {"transB", read_trans_b, "True or False", false},
    {"accum", read_accum, "a bool", false},
    {"cta_group", read_group, "1 or 2", true},
    {"mma_m", read_m, "an integer", true},
    {"mma_n", read_n, "an integer", true},
    {"is_AB_tf32", read_tf32, "True or False", true},
    {"weight_stationary", read_ws, "True, False or None", true},
    {"descI", read_desc_i, "a uint32", true},
    {"smem_desc", read_smem_desc, "\"hoist\", \"local_hoist\", \"encode\" or \"recompute\"", true},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static const char *config_names(const struct dispatch_call *c)
{
    struct text t;
    tw_text_init(&t, c->arena);
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (keys[i].config)
            tw_text_addf(&t, "%s%s", t.len == 0 ? "" : ", ", keys[i].name);
    return t.at;
}

static void read_key(struct dispatch_call *c, const struct ir_arg *a)
{
    size_t i = 0;
    while (i < KEY_COUNT && strcmp(keys[i].name, a->name) != 0)
        i++;
    if (i == KEY_COUNT)
        tw_dispatch_refuse(c, a->at, "it has no '%s', but %s", a->name, config_names(c));
    else if (!keys[i].read(c, a))
        tw_dispatch_refuse(c, a->at, "'%s' is %s", a->name, keys[i].values);
}

static void judge_config(struct dispatch_call *c)
{
    struct gemm *f = gemm_of(c);
    f->cta_group = 1;
    f->ws = -1;
    for (uint32_t i = 0; i < c->op->param_count; i++)
        read_key(c, &c->op->params[i]);
    if ((f->mma_m == 0) != (f->mma_n == 0))
        tw_dispatch_refuse(c, c->op->opcode_at, "'mma_m' and 'mma_n' are given together, or neither");
}

/* ---- memories -------------------------------------------------------------------------------------- */

#define IN(scope) (1u << (scope))

static void judge_memories(struct dispatch_call *c)
{
    static const struct {
        unsigned scopes;
        const char *words;
    } wanted[GEMM_OPERANDS] = {
        [GEMM_C] = {IN(IR_TMEM), "tensor memory"},   [GEMM_A] = {IN(IR_SHARED) | IN(IR_TMEM), "shared or tensor memory"},
        [GEMM_B] = {IN(IR_SHARED), "shared memory"}, [GEMM_SFA] = {IN(IR_TMEM), "tensor memory"},
        [GEMM_SFB] = {IN(IR_TMEM), "tensor memory"},
    };
    struct gemm *f = gemm_of(c);
    for (int o = 0; o < GEMM_OPERANDS; o++) {
        const struct ir_arg *a = &c->op->operands[o];
        f->given[o] = a->kind != IR_ARG_NONE;
        if (!f->given[o])
            continue;
        if (a->kind != IR_ARG_REGION) {
            tw_dispatch_refuse(c, a->at, "operand %s is no tensor", tw_gemm_names[o]);
            continue;
        }
        f->matrix[o].arg = a;
        f->matrix[o].view = a->region->view;
        const enum ir_scope scope = a->region->view->storage->scope;
        if ((wanted[o].scopes & IN(scope)) == 0)
            tw_dispatch_refuse(c, a->at, "operand %s is in %s memory, not in %s", tw_gemm_names[o],
                               scope == IR_TMEM ? "tensor" : tw_ir_scope_name(scope), wanted[o].words);
    }
    if (f->given[GEMM_SFA] != f->given[GEMM_SFB])
        tw_dispatch_refuse(c, c->op->opcode_at, "SFA and SFB are given together, or neither");
}

/* ---- formats --------------------------------------------------------------------------------------- */

/* SOURCE: kernel-language-tile 8.1, "Checks"; 7.5, the kinds. */
static const struct gemm_kind kinds[] = {
    {NUM_F16, NUM_NONE, TC_F16, TC_SCALE_NONE, ""},
    {NUM_BF16, NUM_NONE, TC_F16, TC_SCALE_NONE, ""},
    {NUM_E4M3, NUM_NONE, TC_F8F6F4, TC_SCALE_NONE, ""},
    {NUM_E5M2, NUM_NONE, TC_F8F6F4, TC_SCALE_NONE, ""},
    {NUM_TF32, NUM_NONE, TC_TF32, TC_SCALE_NONE, ""},
    {NUM_E4M3, NUM_UE8M0, TC_MXF8F6F4, TC_SCALE_1X, ".block_scale.scale_vec::1X"},
    {NUM_E2M1, NUM_UE8M0, TC_MXF4, TC_SCALE_2X, ".block_scale.scale_vec::2X"},
    {NUM_E2M1, NUM_UE4M3, TC_MXF4NVF4, TC_SCALE_4X, ".block_scale.scale_vec::4X"},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static const char *elem_name(const struct gemm *f, enum gemm_operand o)
{
    return tw_ir_type_name(f->matrix[o].view->elem);
}

/* The formats that some kind takes, with or without scales. */
static const char *formats(const struct dispatch_call *c, bool scaled)
{
    struct text t;
    enum num_format last = NUM_NONE;
    tw_text_init(&t, c->arena);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const bool tf32 = kinds[i].ab == NUM_TF32;
        if ((kinds[i].scale != NUM_NONE) != scaled || kinds[i].ab == last)
            continue;
        last = kinds[i].ab;
        tw_text_addf(&t, "%s%s", t.len == 0 ? "" : ", ", tf32 ? "float32 with is_AB_tf32=True" : tw_num_format(last)->dtype);
    }
    return t.at;
}

/* A dtype has no unsigned e4m3: scales in it are stored as e4m3 without a sign. */
static enum num_format scale_format(const struct gemm *f)
{
    if (!f->given[GEMM_SFA])
        return NUM_NONE;
    const enum num_format format = f->matrix[GEMM_SFA].view->elem.format;
    return format == NUM_E4M3 ? NUM_UE4M3 : format;
}

static void judge_formats(struct dispatch_call *c)
{
    struct gemm *f = gemm_of(c);
    const struct ir_type a = f->matrix[GEMM_A].view->elem, b = f->matrix[GEMM_B].view->elem;
    const bool scaled = f->given[GEMM_SFA];
    if (f->matrix[GEMM_C].view->elem.format != NUM_F32)
        tw_dispatch_refuse(c, f->matrix[GEMM_C].arg->at, "operand C is %s; it accumulates in float32", elem_name(f, GEMM_C));
    if (!tw_ir_type_equal(a, b)) {
        tw_dispatch_refuse(c, f->matrix[GEMM_B].arg->at, "operand B is %s, and operand A %s", elem_name(f, GEMM_B),
                           elem_name(f, GEMM_A));
        return;
    }
    if (scaled && !tw_ir_type_equal(f->matrix[GEMM_SFA].view->elem, f->matrix[GEMM_SFB].view->elem)) {
        tw_dispatch_refuse(c, f->matrix[GEMM_SFB].arg->at, "operand SFB is %s, and operand SFA %s", elem_name(f, GEMM_SFB),
                           elem_name(f, GEMM_SFA));
        return;
    }
    const enum num_format ab = f->tf32 && a.format == NUM_F32 ? NUM_TF32 : a.format, scale = scale_format(f);
    for (size_t i = 0; i < KIND_COUNT && f->kind == NULL; i++)
        if (kinds[i].ab == ab && kinds[i].scale == scale)
            f->kind = &kinds[i];
    if (f->kind == NULL && scaled)
        tw_dispatch_refuse(c, f->matrix[GEMM_A].arg->at, "A and B are %s with scales in %s; with scales it takes %s",
                           elem_name(f, GEMM_A), elem_name(f, GEMM_SFA), formats(c, true));
    else if (f->kind == NULL)
        tw_dispatch_refuse(c, f->matrix[GEMM_A].arg->at, "A and B are %s; without scales it takes %s", elem_name(f, GEMM_A),
                           formats(c, false));
    if (f->tf32 && ab != NUM_TF32)
        tw_dispatch_refuse(c, f->matrix[GEMM_A].arg->at, "is_AB_tf32 says that A and B are float32, and they are %s",
                           elem_name(f, GEMM_A));
    if (f->desc_i != NULL && !scaled)
        tw_dispatch_refuse(c, tw_dispatch_param(c, "descI")->at, "descI goes with SFA and SFB alone");
}

/* ---- regions --------------------------------------------------------------------------------------- */

/* K-major: consecutive columns in consecutive memory; MN-major: consecutive rows. */
static void judge_major(struct dispatch_call *c, enum gemm_operand o)
{
    struct gemm *f = gemm_of(c);
    const struct gemm_matrix *m = &f->matrix[o];
    if (m->view->storage->scope == IR_TMEM)
        return;
    const int64_t origin = tw_layout_preswizzle(m->layout, 0);
    if (tw_layout_preswizzle(m->layout, 1) - origin == 1)
        return;
    f->mn_major[o] = tw_layout_preswizzle(m->layout, m->cols) - origin == 1;
    if (!f->mn_major[o])
        tw_dispatch_refuse(c, m->arg->at, "operand %s is contiguous neither along K nor along %c in %s", tw_gemm_names[o],
                           o == GEMM_A ? 'M' : 'N', tw_layout_text(c->arena, m->view->layout));
    else if (m->view->elem.bits < 8 || m->view->elem.bits > 16)
        tw_dispatch_refuse(c, m->arg->at, "operand %s is contiguous along %c; elements of %u bits go along K",
                           tw_gemm_names[o], o == GEMM_A ? 'M' : 'N', m->view->elem.bits);
}

static void judge_regions(struct dispatch_call *c)
{
    struct gemm *f = gemm_of(c);
    if (f->trans_a && f->matrix[GEMM_A].view->storage->scope == IR_TMEM)
        tw_dispatch_refuse(c, tw_dispatch_param(c, "transA")->at, "operand A is in tensor memory, where rows are M");
    for (int o = 0; o < GEMM_OPERANDS; o++)
        if (f->given[o])
            tw_gemm_matrix(c, (enum gemm_operand)o, (o == GEMM_A && f->trans_a) || (o == GEMM_B && f->trans_b));
    if (c->refusals.len > 0 && strcmp(c->refusals.at[c->refusals.len - 1].predicate, c->predicate) == 0)
        return;
    judge_major(c, GEMM_A);
    judge_major(c, GEMM_B);
}

/* ---- extents --------------------------------------------------------------------------------------- */

static void want_extent(struct dispatch_call *c, enum gemm_operand o, char name, int64_t found, int64_t want,
                        const char *why)
{
    if (found != want)
        tw_dispatch_refuse(c, gemm_of(c)->matrix[o].arg->at, "operand %s has %c = %lld; %s wants %lld", tw_gemm_names[o],
                           name, (long long)found, why, (long long)want);
}

static void judge_factors(struct dispatch_call *c)
{
    struct gemm *f = gemm_of(c);
    const struct gemm_matrix *sfa = &f->matrix[GEMM_SFA], *sfb = &f->matrix[GEMM_SFB];
    const int64_t block = tw_tc_scale_of(f->kind->kind, f->kind->vec)->block, want = f->k / block;
    for (int o = GEMM_SFA; o <= GEMM_SFB; o++)
        if (f->matrix[o].cols != want)
            tw_dispatch_refuse(c, f->matrix[o].arg->at,
                               "operand %s has %lld factors a row; K = %lld in blocks of %lld has %lld", tw_gemm_names[o],
                               (long long)f->matrix[o].cols, (long long)f->k, (long long)block, (long long)want);
    want_extent(c, GEMM_SFA, 'M', sfa->rows, f->matrix[GEMM_C].rows, "C");
    if (sfb->rows < f->matrix[GEMM_C].cols)
        tw_dispatch_refuse(c, sfb->arg->at, "operand SFB has N = %lld; C wants %lld", (long long)sfb->rows,
                           (long long)f->matrix[GEMM_C].cols);
}

static void judge_extents(struct dispatch_call *c)
{
    struct gemm *f = gemm_of(c);
    const struct gemm_matrix *m = f->matrix;
    f->k = m[GEMM_A].cols;
    f->k_step = tw_tc_kinds[f->kind->kind].k_dense;
    want_extent(c, GEMM_A, 'M', m[GEMM_A].rows, m[GEMM_C].rows, "C");
    if (f->cta_group == 1)
        want_extent(c, GEMM_B, 'N', m[GEMM_B].rows, m[GEMM_C].cols, "C");
    else if (m[GEMM_B].rows * f->cta_group != m[GEMM_C].cols)
        tw_dispatch_refuse(c, m[GEMM_B].arg->at, "operand B has N = %lld; in a pair each CTA has half of C's %lld",
                           (long long)m[GEMM_B].rows, (long long)m[GEMM_C].cols);
    want_extent(c, GEMM_B, 'K', m[GEMM_B].cols, f->k, "A");
    if (f->k % f->k_step != 0)
        tw_dispatch_refuse(c, m[GEMM_A].arg->at, "K = %lld is no multiple of %lld, K of one instruction of kind::%s",
                           (long long)f->k, (long long)f->k_step, tw_tc_kinds[f->kind->kind].name);
    f->k_reps = f->k / f->k_step;
    if (f->given[GEMM_SFA])
        judge_factors(c);
}

/* ---- the instruction ------------------------------------------------------------------------------- */

/* SOURCE: kernel-language-tile 8.1, "Sizes": the largest of 128 and 64 a CTA that divides M. */
static bool choose_m(struct dispatch_call *c)
{
    struct gemm *f = gemm_of(c);
    const int64_t rows = f->matrix[GEMM_C].rows, total = rows * f->cta_group;
    if (f->mma_m != 0 && f->mma_m != total) {
        tw_dispatch_refuse(c, tw_dispatch_param(c, "mma_m")->at, "mma_m is %lld; it is M of the call, %lld",
                           (long long)f->mma_m, (long long)total);
        return false;
    }
    f->m_step = rows % 128 == 0 ? 128 * f->cta_group : 64 * f->cta_group;
    f->m_reps = total / f->m_step;
    if (f->mma_m != 0 && f->m_reps != 1) {
        tw_dispatch_refuse(c, tw_dispatch_param(c, "mma_m")->at,
                           "mma_m is %lld; with cta_group %lld an instruction has M %lld or %lld", (long long)f->mma_m,
                           (long long)f->cta_group, (long long)(64 * f->cta_group), (long long)(128 * f->cta_group));
        return false;
    }
    if (total % f->m_step == 0)
        return true;
    tw_dispatch_refuse(c, f->matrix[GEMM_C].arg->at, "M = %lld; with cta_group %lld it takes multiples of %lld",
                       (long long)total, (long long)f->cta_group, (long long)f->m_step);
    return false;
}

/* SOURCE: PTX ISA, tcgen05.mma: an MN-major B of 8-bit elements has its columns in sixteens, in each CTA. */
static bool legal(const struct gemm *f, int64_t n)
{
    const bool sixteens = f->mn_major[GEMM_B] && f->matrix[GEMM_B].view->elem.bits == 8;
    return n <= 256 && (!sixteens || n % (16 * f->cta_group) == 0) &&
           tw_tc_shape(&f->form, (uint32_t)f->m_step, (uint32_t)n) != TC_SHAPE_ILLEGAL;
}

/* Whether B lies so that its rows divide into instructions of N. */
static bool splits(struct dispatch_call *c, int64_t n)
{
    struct gemm *f = gemm_of(c);
    f->n_step = n;
    f->n_reps = f->matrix[GEMM_C].cols / n;
    return tw_gemm_first(c, GEMM_B) != NULL;
}

/* All of N in one instruction, or the largest divisor that one can have and that B splits into; 0: none is legal. */
static int64_t choose_n(struct dispatch_call *c)
{
    const struct gemm *f = gemm_of(c);
    const int64_t total = f->matrix[GEMM_C].cols;
    int64_t largest = 0;
    if (f->mma_n != 0)
        return legal(f, f->mma_n) ? f->mma_n : 0;
    for (int64_t n = total < 256 ? total : 256; n > 0; n--) {
        if (total % n != 0 || !legal(f, n))
            continue;
        largest = largest == 0 ? n : largest;
        if (splits(c, n))
            return n;
    }
    return largest;
}

static bool is_path(struct dispatch_call *c, char letter)
{
    const struct gemm *f = gemm_of(c);
    const struct layout_env env = {.arena = c->arena};
    const struct layout *found = tw_gemm_first(c, GEMM_C);
    const struct layout *want = tw_tmem_datapath_layout(&env, letter, f->m_step / f->cta_group, f->n_step, 0);
    return found != NULL && want != NULL && tw_layout_eq_but_offset(c->arena, found, want);
}

/* Tries one form: true if an instruction of it writes C where it is. Notes in `tried` what the form would want. */
static bool try_form(struct dispatch_call *c, bool ws, struct text *tried)
{
    struct gemm *f = gemm_of(c);
    f->form = (struct tc_form){.kind = f->kind->kind,
                               .cta_group = (uint8_t)f->cta_group,
                               .ws = ws,
                               .scale_vec = f->kind->vec,
                               .a_in_tmem = f->matrix[GEMM_A].view->storage->scope == IR_TMEM};
    const char letter = tw_tmem_datapath(f->m_step, f->cta_group, ws), *name = ws ? "with .ws" : "without .ws";
    f->n_step = choose_n(c);
    if (f->n_step == 0 && f->mma_n != 0) {
        tw_text_addf(tried, "; %s no instruction has M %lld, N %lld: it has %s", name, (long long)f->m_step,
                     (long long)f->mma_n, tw_tc_shape_legal(&f->form));
        return false;
    }
    if (f->n_step == 0) {
        tw_text_addf(tried, "; %s no instruction has M %lld and an N that divides %lld: it has %s", name,
                     (long long)f->m_step, (long long)f->matrix[GEMM_C].cols, tw_tc_shape_legal(&f->form));
        return false;
    }
    f->n_reps = f->matrix[GEMM_C].cols / f->n_step;
    f->path = letter;
    if (is_path(c, letter))
        return true;
    tw_text_addf(tried, "; %s it wants data path %c", name, letter);
    if (f->n_reps > 1)
        tw_text_addf(tried, " for each %lld columns%s", (long long)f->n_step,
                     f->cta_group == 2 ? ", half of them from each CTA's B: call it for as many columns at a time" : "");
    return false;
}

/* What is asked for by hand, where no layout is needed to see that it cannot be. */
static bool judge_by_hand(struct dispatch_call *c)
{
    const struct gemm *f = gemm_of(c);
    const int64_t total = f->matrix[GEMM_C].cols;
    if (f->ws == 1 && (f->cta_group != 1 || f->given[GEMM_SFA])) {
        tw_dispatch_refuse(c, tw_dispatch_param(c, "weight_stationary")->at,
                           "weight_stationary goes with cta_group 1, without scales");
        return false;
    }
    if (f->mma_n != 0 && total % f->mma_n != 0) {
        tw_dispatch_refuse(c, tw_dispatch_param(c, "mma_n")->at, "mma_n is %lld, which does not divide N = %lld",
                           (long long)f->mma_n, (long long)total);
        return false;
    }
    return true;
}

static bool may_be_ws(const struct gemm *f)
{
    return f->cta_group == 1 && !f->given[GEMM_SFA];
}

/* Every operand divides into what one instruction takes. */
static void judge_splits(struct dispatch_call *c)
{
    const struct gemm *f = gemm_of(c);
    for (int o = 0; o < GEMM_OPERANDS; o++)
        if (f->given[o] && tw_gemm_first(c, (enum gemm_operand)o) == NULL)
            tw_dispatch_refuse(c, f->matrix[o].arg->at,
                               "operand %s in %s does not divide into instructions of M %lld, N %lld, K %lld",
                               tw_gemm_names[o], tw_layout_text(c->arena, f->matrix[o].view->layout), (long long)f->m_step,
                               (long long)f->n_step, (long long)f->k_step);
}

/* False, with what each form would want in `tried`: none fits. */
static bool find_form(struct dispatch_call *c, struct text *tried)
{
    const struct gemm *f = gemm_of(c);
    if (f->ws != 1 && try_form(c, false, tried))
        return true;
    /* With M 128 both forms have one data path, so that the layout of C does not ask for .ws. */
    const bool implied = f->ws == -1 && may_be_ws(f) && f->m_step == 64;
    return (f->ws == 1 || implied) && try_form(c, true, tried);
}

static void judge_instruction(struct dispatch_call *c)
{
    const struct gemm *f = gemm_of(c);
    struct text tried;
    tw_text_init(&tried, c->arena);
    if (!judge_by_hand(c) || !choose_m(c))
        return;
    if (find_form(c, &tried)) {
        judge_splits(c);
        return;
    }
    if (f->ws != -1)
        tw_text_addf(&tried, ", and weight_stationary=%s leaves no other form", f->ws != 0 ? "True" : "False");
    tw_dispatch_refuse(c, f->matrix[GEMM_C].arg->at, "no instruction of M %lld writes operand C in %s%s",
                       (long long)f->m_step, tw_layout_text(c->arena, f->matrix[GEMM_C].layout), tried.at);
}

/* ---- the variant ----------------------------------------------------------------------------------- */

enum { SCOPE, CONFIG, MEMORIES, FORMATS, REGIONS, EXTENTS, INSTRUCTION };
#define AFTER(p) (1u << (p))

static const struct dispatch_predicate predicates[] = {
    [SCOPE] = {"single_thread_or_warp", 0, judge_scope},
    [CONFIG] = {"config", 0, judge_config},
    [MEMORIES] = {"memories", 0, judge_memories},
    [FORMATS] = {"formats", AFTER(CONFIG) | AFTER(MEMORIES), judge_formats},
    [REGIONS] = {"regions", AFTER(CONFIG) | AFTER(MEMORIES), judge_regions},
    [EXTENTS] = {"extents", AFTER(FORMATS) | AFTER(REGIONS), judge_extents},
    [INSTRUCTION] = {"instruction", AFTER(EXTENTS), judge_instruction},
};

const struct dispatch_variant tw_dispatch_gemm_tcgen05 = {
    .op = "gemm_async",
    .name = "tcgen05",
    .priority = 10,
    .facts_bytes = sizeof(struct gemm),
    .when = predicates,
    .when_count = sizeof predicates / sizeof predicates[0],
    .lower = tw_gemm_lower,
};
