/* Floating-point arithmetic by the definitions of src/num, lane by lane; the common operations take exec_fast.c's way. */
#include "machine/exec_arith.h"
#include "machine/exec_fast.h"
#include "machine/exec_lanes.h"
#include "num/arith.h"
#include "num/convert.h"

enum shape {
    SHAPE_SCALAR,
    SHAPE_HALVES,  /* f16x2, bf16x2 in 32 bits */
    SHAPE_SINGLES, /* f32x2 in 64 bits */
    SHAPE_MIXED    /* f32 result, f16 or bf16 operands a and b */
};

/* What a float instruction does, unpacked once. */
struct float_call {
    enum isa_op op;
    enum num_format format;
    enum num_format narrow; /* of a (and b), for SHAPE_MIXED */
    enum shape shape;
    struct num_ops how;
    bool three;             /* min, max of three operands */
};

enum num_rounding tw_decode_rounding(unsigned mod)
{
    static const struct { uint16_t mod; uint8_t rounding; } rows[] = {
        {MOD_RN, NUM_RN}, {MOD_RZ, NUM_RZ}, {MOD_RM, NUM_RM}, {MOD_RP, NUM_RP}, {MOD_RNA, NUM_RNA},
        {MOD_RNI, NUM_RN}, {MOD_RZI, NUM_RZ}, {MOD_RMI, NUM_RM}, {MOD_RPI, NUM_RP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == mod)
            return (enum num_rounding)rows[i].rounding;
    return NUM_RN;
}

/* ---- The definition: one lane through num ------------------------------------------------------ */

static uint64_t apply(const struct float_call *c, uint64_t a, uint64_t b, uint64_t z)
{
    const enum num_format f = c->format;
    const enum isa_op op = c->op;
    if (op == OP_ADD)
        return tw_num_add(f, c->how, a, b);
    if (op == OP_SUB)
        return tw_num_sub(f, c->how, a, b);
    if (op == OP_MUL)
        return tw_num_mul(f, c->how, a, b);
    if (op == OP_FMA || op == OP_MAD)
        return tw_num_fma(f, c->how, a, b, z);
    if (op == OP_DIV)
        return tw_num_div(f, c->how, a, b);
    if (op == OP_MIN)
        return c->three ? tw_num_min(f, c->how, tw_num_min(f, c->how, a, b), z) : tw_num_min(f, c->how, a, b);
    if (op == OP_MAX)
        return c->three ? tw_num_max(f, c->how, tw_num_max(f, c->how, a, b), z) : tw_num_max(f, c->how, a, b);
    if (op == OP_ABS)
        return tw_num_abs(f, c->how, a);
    if (op == OP_NEG)
        return tw_num_neg(f, c->how, a);
    if (op == OP_SQRT)
        return tw_num_sqrt(f, c->how, a);
    if (op == OP_RCP)
        return tw_num_rcp(f, c->how, a);
    return tw_num_copysign(f, a, b);
}

static uint64_t widen(const struct float_call *c, uint64_t word)
{
    return tw_num_convert(&(struct num_convert_how){.to = NUM_F32, .from = c->narrow}, word);
}

static uint64_t one_lane(const struct float_call *c, uint64_t a, uint64_t b, uint64_t z)
{
    if (c->shape == SHAPE_SCALAR)
        return apply(c, a, b, z);
    if (c->shape == SHAPE_HALVES)
        return apply(c, a & 0xffff, b & 0xffff, z & 0xffff) |
               apply(c, a >> 16 & 0xffff, b >> 16 & 0xffff, z >> 16 & 0xffff) << 16;
    if (c->shape == SHAPE_SINGLES)
        return apply(c, (uint32_t)a, (uint32_t)b, (uint32_t)z) | apply(c, a >> 32, b >> 32, z >> 32) << 32;
    /* Mixed: add and sub take a narrow a and a wide c; fma narrow a and b. SOURCE: ptx-async.md 8.4 */
    return apply(c, widen(c, a), c->op == OP_FMA ? widen(c, b) : b, z);
}

static enum exec_status exec_float(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct float_call *const c = d->extra;
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const uint64_t a = lane_word(w, &d->op[1], i);
        const uint64_t b = d->op_count > 2 ? lane_word(w, &d->op[2], i) : 0;
        const uint64_t z = d->op_count > 3 ? lane_word(w, &d->op[3], i) : 0;
        r[i] = one_lane(c, a, b, z);
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* ---- Decoding ---------------------------------------------------------------------------------- */

static struct num_ops decode_how(const struct ptx_inst *in)
{
    return (struct num_ops){
        .rounding = tw_decode_rounding(tw_ptx_mod(in, SLOT_RND)),
        .ftz = tw_ptx_has(in, SLOT_FTZ),
        .sat = tw_ptx_has(in, SLOT_SAT),
        .relu = tw_ptx_has(in, SLOT_RELU),
        .nan = tw_ptx_has(in, SLOT_NAN),
        .xorsign_abs = tw_ptx_has(in, SLOT_XORSIGN),
        .abs = tw_ptx_has(in, SLOT_ABS),
        .oob = tw_ptx_has(in, SLOT_OOB),
    };
}

static enum shape shape_of(unsigned type)
{
    if (isa_mod_row(type)->type_class != TYPE_PACKED)
        return SHAPE_SCALAR;
    return isa_type_bits(type) == 64 ? SHAPE_SINGLES : SHAPE_HALVES;
}

static bool is_contractable(const struct ptx_inst *in)
{
    const enum isa_op op = in->form->op;
    return (op == OP_ADD || op == OP_SUB || op == OP_MUL) && !tw_ptx_has(in, SLOT_RND);
}

/* In the machine's code the second factor is the one that may be a number, and zero is a register, which goes first. Which of two
 * f64 NaNs a result takes goes by the place. MEASURED: H200, driver 580.159.04 (tests/silicon). */
static bool swaps_factors(const struct decoder *dc, const struct ptx_inst *in)
{
    if (in->form->op != OP_FMA || tw_ptx_mod(in, SLOT_TYPE) != MOD_F64)
        return false;
    const struct ptx_operand *const a = tw_ptx_operand(tw_decode_func(dc), in, ROLE_A), *const b = tw_ptx_operand(tw_decode_func(dc), in, ROLE_B);
    if ((a->kind == OPERAND_F64) == (b->kind == OPERAND_F64))
        return false;
    return a->kind == OPERAND_F64 ? a->value != 0 : b->value == 0;
}

bool tw_prepare_float(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    if (!tw_decode_all(dc, in, d))
        return false;
    if (swaps_factors(dc, in)) {
        const struct dop factor = d->op[1];
        d->op[1] = d->op[2];
        d->op[2] = factor;
    }
    const unsigned approx = tw_ptx_mod(in, SLOT_APPROX);
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE);
    if (approx != MOD_NONE)
        return tw_prepare_approximate(dc, in, d);
    struct float_call *const c = arena_new(tw_decode_arena(dc), struct float_call, 1);
    *c = (struct float_call){.op = in->form->op, .format = tw_decode_format(type), .shape = shape_of(type), .how = decode_how(in)};
    const unsigned narrow = tw_ptx_mod(in, SLOT_ATYPE);
    if (narrow != MOD_NONE && tw_decode_format(narrow) != c->format) {
        c->shape = SHAPE_MIXED;
        c->narrow = tw_decode_format(narrow);
    }
    c->three = (c->op == OP_MIN || c->op == OP_MAX) && d->op_count > 3;
    d->extra = c;
    d->run = exec_float;
    if (is_contractable(in))
        d->flags |= D_FLOAT_CONTRACTABLE;
    exec_fn *const quick = tw_fast_float(c->op, type, &c->how);
    if (quick != NULL && c->shape != SHAPE_MIXED && !c->three)
        d->run = quick;
    return true;
}

/* ---- testp ------------------------------------------------------------------------------------- */

static enum exec_status exec_testp(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t r = 0;
    FOR_LANES(i, mask)
        if (tw_num_testp((enum num_format)d->type, (enum num_testp)d->mod[0], lane_word(w, &d->op[1], i)))
            r |= UINT32_C(1) << i;
    set_predicate(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_testp(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static const struct { uint16_t mod; uint8_t test; } rows[] = {
        {MOD_FINITE, NUM_TEST_FINITE}, {MOD_INFINITE, NUM_TEST_INFINITE}, {MOD_NUMBER, NUM_TEST_NUMBER},
        {MOD_NOTANUMBER, NUM_TEST_NOTANUMBER}, {MOD_NORMAL, NUM_TEST_NORMAL}, {MOD_SUBNORMAL, NUM_TEST_SUBNORMAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == tw_ptx_mod(in, SLOT_CLASS))
            d->mod[0] = rows[i].test;
    d->type = (uint8_t)tw_decode_format(tw_ptx_mod(in, SLOT_TYPE));
    d->run = exec_testp;
    return tw_decode_all(dc, in, d);
}

const struct op_row tw_ops_float[] = {
    {OP_FMA, tw_prepare_float}, {OP_SQRT, tw_prepare_float}, {OP_RCP, tw_prepare_float}, {OP_COPYSIGN, tw_prepare_float},
    {OP_RSQRT, tw_prepare_float}, {OP_EX2, tw_prepare_float}, {OP_LG2, tw_prepare_float}, {OP_SIN, tw_prepare_float},
    {OP_COS, tw_prepare_float}, {OP_TANH, tw_prepare_float}, {OP_TESTP, prepare_testp}, {OP_NONE, NULL},
};
