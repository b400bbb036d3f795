/* Expressions through both back ends: every operation of every type, every conversion, and random trees of them, with operands
 * of any bits. Kernels are built as IR, emitted as PTX and as CUDA; nvcc's PTX and ours run on the same machine. */
#include "api/nvcc.h"
#include "emit/assemble.h"
#include "tile/kernels.h"

enum { THREADS = 128, TREES = 240, TREE_SEEDS = 3, DEPTH = 4 };

static const enum num_format formats[] = {NUM_F16, NUM_BF16, NUM_F32, NUM_F64, NUM_S8,  NUM_U8,
                                          NUM_S16, NUM_U16,  NUM_S32, NUM_U32, NUM_S64, NUM_U64};

struct bed {
    struct draft d;
    struct tensor a[COUNT(formats)], b[COUNT(formats)];
    uint32_t outs;
    uint32_t state; /* of the random choices */
};

static struct bed bed_new(struct bench_room *room)
{
    struct bed bed = {.d = draft_new(room, "k", THREADS)};
    for (size_t i = 0; i < COUNT(formats); i++) {
        const char *type = tw_num_format(formats[i])->name;
        bed.a[i] = draft_param(&bed.d, tw_format(&room->arena, "a_%s", type), formats[i], DIMS(THREADS));
        bed.b[i] = draft_param(&bed.d, tw_format(&room->arena, "b_%s", type), formats[i], DIMS(THREADS));
    }
    return bed;
}

static struct ir_expr *load(struct bed *bed, const struct tensor *t)
{
    struct ir_expr *const at[1] = {tw_ir_coord(bed->d.k, IR_TID_X, nowhere)};
    return tw_ir_load(bed->d.k, element(&bed->d, t, at), nowhere);
}

static void put(struct bed *bed, struct ir_expr *e)
{
    struct draft *d = &bed->d;
    const struct ir_type type = e->type.cls == IR_BOOL ? tw_ir_type_of(NUM_U8) : e->type;
    const struct tensor out = draft_param(d, tw_format(&d->room->arena, "o%u", bed->outs++), type.format, DIMS(THREADS));
    struct ir_expr *const at[1] = {tw_ir_coord(d->k, IR_TID_X, nowhere)};
    store(d, element(d, &out, at), tw_ir_cast(d->k, type, e, nowhere));
}

static void expect_both_agree(struct bed *bed, const char *what)
{
    struct bench_room *room = bed->d.room;
    struct text cuda, contract;
    const char *ours = emit_text(room, bed->d.k, "sm_100a");
    tw_text_init(&cuda, &room->arena);
    tw_text_init(&contract, &room->arena);
    if (!tw_emit_cuda(bed->d.k, tw_isa_open(&room->arena), &room->diags, NULL, &cuda))
        fail_msg("%s", tw_test_diags(room));
    tw_contract_write(tw_emit_contract(bed->d.k), &contract);
    char *theirs = nvcc_ptx(what, cuda.at, "sm_100a", "-w"); /* random code compares unsigned values with zero */
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *a, *b;
    if (tw_module_parse(ctx, "ours.ptx", ours, strlen(ours), &a) != TW_OK ||
        tw_module_parse(ctx, "nvcc.ptx", theirs, strlen(theirs), &b) != TW_OK)
        fail_msg("%s: %s", what, tw_diagnostics(ctx, TW_TEXT));
    static const char *const kinds[] = {"bits", "normal", "ints"};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        struct nvcc_run x = run_filled(ctx, a, contract.at, kinds[k], "0", 5);
        struct nvcc_run y = run_filled(ctx, b, contract.at, kinds[k], "0", 5);
        if (x.status != TW_OK || y.status != TW_OK)
            fail_msg("%s: %d %s%d %s", what, (int)x.status, x.diagnostics, (int)y.status, y.diagnostics);
        size_t at = 0;
        for (uint32_t i = 0; i < bed->d.k->params.len; i++) {
            const struct ir_param *p = &bed->d.k->params.at[i];
            const size_t bytes = p->tensor->elem.bits / 8u;
            for (size_t t = 0; t < THREADS; t++, at += bytes)
                if (memcmp(x.bytes + at, y.bytes + at, bytes) != 0) {
                    uint64_t u = 0, v = 0;
                    memcpy(&u, x.bytes + at, bytes);
                    memcpy(&v, y.bytes + at, bytes);
                    const char *line = strstr(cuda.at, tw_format(&room->arena, "\n    %s[", p->name));
                    fail_msg("%s, %s, thread %zu: ours %llx, nvcc's %llx, of\n%.400s", what, kinds[k], t, (unsigned long long)u,
                             (unsigned long long)v, line == NULL ? p->name : line);
                }
        }
        free(x.bytes);
        free(y.bytes);
    }
    tw_module_destroy(a);
    tw_module_destroy(b);
    tw_ctx_destroy(ctx);
    free(theirs);
}

/* ---- one of each ----------------------------------------------------------------------------------------- */

static bool is_division(enum ir_op op)
{
    return op >= IR_FLOORDIV && op <= IR_TRUNCMOD;
}

static bool supported(enum ir_op op, struct ir_type t)
{
    const bool is_float = t.cls == IR_FLOAT;
    if (is_float && op >= IR_EXP2 && op <= IR_TANH)
        return t.bits <= 32 || op == IR_SQRT;
    if (op == IR_DIV || (op >= IR_EXP2 && op <= IR_TANH))
        return is_float;
    if (op == IR_BITNOT || is_division(op) || (op >= IR_BITAND && op <= IR_SHR))
        return !is_float;
    return op != IR_NOT && op != IR_AND && op != IR_OR;
}

/* A divisor that is not zero: what dividing by zero gives is nowhere defined. */
static struct ir_expr *odd(struct bed *bed, struct ir_expr *e)
{
    return binary(&bed->d, IR_BITOR, e, typed(&bed->d, e->type, 1));
}

static void every_operation_of_every_type_agrees(void **state)
{
    if (!have_nvcc())
        skip();
    struct bed bed = bed_new(*state);
    struct ir_kernel *k = bed.d.k;
    for (size_t i = 0; i < COUNT(formats); i++) {
        const struct ir_type t = tw_ir_type_of(formats[i]);
        for (int op = IR_NEG; op <= IR_TANH; op++)
            if (supported((enum ir_op)op, t))
                put(&bed, tw_ir_unary(k, (enum ir_op)op, t, load(&bed, &bed.a[i]), nowhere));
        for (int op = IR_ADD; op <= IR_OR; op++)
            if (supported((enum ir_op)op, t)) {
                struct ir_expr *b = load(&bed, &bed.b[i]);
                put(&bed, binary(&bed.d, (enum ir_op)op, load(&bed, &bed.a[i]), is_division((enum ir_op)op) ? odd(&bed, b) : b));
            }
    }
    assert_true(bed.outs > 150);
    expect_both_agree(&bed, "operations");
}

/* Division and shifts by constants take paths of their own. */
static void operations_with_constants_agree(void **state)
{
    static const int64_t constants[] = {1, 2, 3, 7, 8, 31, 33, 64, 100};
    static const enum ir_op ops[] = {IR_ADD,      IR_SUB,      IR_MUL, IR_FLOORDIV, IR_FLOORMOD,
                                     IR_TRUNCDIV, IR_TRUNCMOD, IR_SHL, IR_SHR,      IR_MIN};
    if (!have_nvcc())
        skip();
    struct bed bed = bed_new(*state);
    for (size_t i = 0; i < COUNT(formats); i++)
        for (size_t o = 0; o < COUNT(ops) && tw_ir_type_of(formats[i]).cls != IR_FLOAT; o++)
            for (size_t c = o % 3; c < COUNT(constants); c += 3)
                put(&bed, binary(&bed.d, ops[o], load(&bed, &bed.a[i]), typed(&bed.d, tw_ir_type_of(formats[i]), constants[c])));
    assert_true(bed.outs > 200);
    expect_both_agree(&bed, "constants");
}

static void every_conversion_agrees(void **state)
{
    static const enum num_format narrow[] = {NUM_E4M3, NUM_E5M2};
    if (!have_nvcc())
        skip();
    struct bed bed = bed_new(*state);
    struct draft *d = &bed.d;
    for (size_t i = 0; i < COUNT(formats) + COUNT(narrow); i++) {
        const bool fp8 = i >= COUNT(formats);
        const char *name = tw_format(&d->room->arena, "n%zu", i);
        const struct tensor in = fp8 ? draft_param(d, name, narrow[i - COUNT(formats)], DIMS(THREADS)) : bed.a[i];
        for (size_t j = 0; j < COUNT(formats) + COUNT(narrow); j++) {
            const struct ir_type to = tw_ir_type_of(j < COUNT(formats) ? formats[j] : narrow[j - COUNT(formats)]);
            if (in.elem.format != NUM_F64 || to.cls != IR_FLOAT || to.bits != 8)
                put(&bed, tw_ir_cast(d->k, to, load(&bed, &in), nowhere));
        }
        put(&bed, tw_ir_cast(d->k, tw_ir_bool(), load(&bed, &in), nowhere));
    }
    assert_true(bed.outs > 180);
    expect_both_agree(&bed, "conversions");
}

/* ---- random trees -------------------------------------------------------------------------------------------- */

static uint32_t draw(struct bed *bed, uint32_t below)
{
    bed->state = bed->state * 1664525u + 1013904223u;
    return (bed->state >> 8) % below;
}

static struct ir_expr *tree(struct bed *bed, size_t format, unsigned depth);

static struct ir_expr *constant(struct bed *bed, struct ir_type t)
{
    static const uint32_t floats[] = {0x3f800000, 0xbf000000, 0x00000000, 0x80000000,
                                      0x42c80000, 0x3eaaaaab, 0x7f800000, 0x00000001};
    static const int64_t integers[] = {0, 1, -1, 2, 7, 100, 127, -128};
    const int64_t integer = integers[draw(bed, COUNT(integers))];
    if (t.cls != IR_FLOAT)
        return typed(&bed->d, t, t.cls == IR_UINT && integer < 0 ? -integer : integer);
    struct ir_expr *e = tw_ir_const_bits(bed->d.k, tw_ir_float32(), floats[draw(bed, COUNT(floats))], nowhere);
    return tw_ir_cast(bed->d.k, t, e, nowhere);
}

static struct ir_expr *condition(struct bed *bed, unsigned depth)
{
    static const enum ir_op compares[] = {IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE};
    static const enum ir_op logic[] = {IR_AND, IR_OR, IR_BITAND, IR_BITOR, IR_BITXOR, IR_EQ, IR_NE};
    const size_t f = draw(bed, COUNT(formats));
    if (depth > 1 && draw(bed, 3) == 0) {
        struct ir_expr *a = condition(bed, depth - 1);
        return binary(&bed->d, logic[draw(bed, COUNT(logic))], a, condition(bed, depth - 1));
    }
    if (depth > 0 && draw(bed, 6) == 0)
        return tw_ir_unary(bed->d.k, IR_NOT, tw_ir_bool(), condition(bed, depth - 1), nowhere);
    struct ir_expr *a = tree(bed, f, depth == 0 ? 0 : depth - 1);
    return binary(&bed->d, compares[draw(bed, COUNT(compares))], a, tree(bed, f, depth == 0 ? 0 : depth - 1));
}

static struct ir_expr *leaf(struct bed *bed, size_t f)
{
    const uint32_t which = draw(bed, 5);
    if (which == 0)
        return constant(bed, tw_ir_type_of(formats[f]));
    return load(bed, which % 2 == 0 ? &bed->a[f] : &bed->b[f]);
}

/* The bits of another type of the same width. */
static struct ir_expr *reinterpreted(struct bed *bed, size_t f, unsigned depth)
{
    const size_t from = draw(bed, COUNT(formats));
    const struct ir_type t = tw_ir_type_of(formats[f]);
    if (from == f || tw_ir_type_of(formats[from]).bits != t.bits)
        return tree(bed, f, depth);
    return tw_ir_unary(bed->d.k, IR_REINTERPRET, t, tree(bed, from, depth), nowhere);
}

static struct ir_expr *operation(struct bed *bed, size_t f, unsigned depth)
{
    const struct ir_type t = tw_ir_type_of(formats[f]);
    enum ir_op op;
    do
        op = (enum ir_op)(IR_NEG + (int)draw(bed, IR_OR - IR_NEG));
    while (!supported(op, t) || op == IR_CAST || op == IR_REINTERPRET || op == IR_SHARED_ADDR || (op >= IR_EQ && op <= IR_GE));
    struct ir_expr *a = tree(bed, f, depth);
    if (op <= IR_TANH)
        return tw_ir_unary(bed->d.k, op, t, a, nowhere);
    struct ir_expr *b = tree(bed, f, depth);
    return binary(&bed->d, op, a, is_division(op) ? odd(bed, b) : b);
}

static struct ir_expr *tree(struct bed *bed, size_t f, unsigned depth)
{
    const struct ir_type t = tw_ir_type_of(formats[f]);
    const uint32_t which = draw(bed, 10);
    if (depth == 0 || which == 0)
        return leaf(bed, f);
    if (which == 1)
        return tw_ir_cast(bed->d.k, t, tree(bed, draw(bed, COUNT(formats)), depth - 1), nowhere);
    if (which == 2)
        return reinterpreted(bed, f, depth - 1);
    if (which == 3) {
        struct ir_expr *c = condition(bed, depth - 1), *a = tree(bed, f, depth - 1);
        return tw_ir_select(bed->d.k, c, a, tree(bed, f, depth - 1), nowhere);
    }
    return operation(bed, f, depth - 1);
}

static void random_trees_agree(void **state)
{
    if (!have_nvcc())
        skip();
    for (uint32_t seed = 1; seed <= TREE_SEEDS; seed++) {
        struct bed bed = bed_new(*state);
        bed.state = seed * 7919;
        for (uint32_t i = 0; i < TREES; i++)
            put(&bed, i % 13 == 12 ? condition(&bed, DEPTH) : tree(&bed, i % COUNT(formats), DEPTH));
        expect_both_agree(&bed, "trees");
    }
}

/* Loops that the language does not have yet and the IR has: down, and by a step of unknown sign. */
static void loops_of_either_direction_agree(void **state)
{
    if (!have_nvcc())
        skip();
    struct bed bed = bed_new(*state);
    struct draft *d = &bed.d;
    const size_t s32 = 8;
    assert_int_equal(formats[s32], NUM_S32);
    struct ir_expr *low = binary(d, IR_BITAND, tw_ir_coord(d->k, IR_TID_X, nowhere), num(d, 3)); /* 0 .. 3 */
    struct ir_expr *const steps[] = {num(d, -3), binary(d, IR_SUB, binary(d, IR_MUL, num(d, 2), low), num(d, 3))};
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct ir_var *sum = define(d, "sum", num(d, 0));
        sum->is_assigned = true;
        struct ir_block *outside = d->into;
        struct ir_stmt *l = loop(d, "j", 0);
        l->begin = binary(d, IR_BITAND, load(&bed, &bed.a[s32]), num(d, 63));
        l->end = binary(d, IR_BITAND, load(&bed, &bed.b[s32]), num(d, 63));
        l->step = steps[i];
        struct ir_stmt *add = tw_ir_stmt_new(d->k, d->into, IR_ASSIGN, nowhere);
        add->var = sum;
        add->value = binary(d, IR_ADD, binary(d, IR_MUL, use(d, sum), num(d, 33)), use(d, l->var));
        d->into = outside;
        put(&bed, use(d, sum));
    }
    expect_both_agree(&bed, "loops");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_operation_of_every_type_agrees),
        ROOM_TEST(operations_with_constants_agree),
        ROOM_TEST(every_conversion_agrees),
        ROOM_TEST(random_trees_agree),
        ROOM_TEST(loops_of_either_direction_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
