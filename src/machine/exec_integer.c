/* Integer arithmetic. All of it wraps. SOURCE: PTX ISA, "Integer Arithmetic Instructions"; MEASURED: ptx-async.md 8.3.
 *
 * 16-bit values stand zero-extended in 32-bit slots; results are cut to 16 bits. */
#include "machine/exec_arith.h"
#include "machine/exec_lanes.h"

__extension__ typedef unsigned __int128 wide_u;
__extension__ typedef __int128 wide_s;

static uint32_t clamp_s32(int64_t x)
{
    return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* ---- add, sub -------------------------------------------------------------------------------- */

LANES_2(add_16, uint32_t, uint32_t, 32, (x + y) & 0xffff)
LANES_2(add_32, uint32_t, uint32_t, 32, x + y)
LANES_2(add_64, uint64_t, uint64_t, 64, x + y)
LANES_2(add_sat, int32_t, int32_t, 32, clamp_s32((int64_t)x + y))
LANES_2(add_16x2, uint32_t, uint32_t, 32, ((x + y) & 0xffff) | ((x & 0xffff0000) + (y & 0xffff0000)))
LANES_2(sub_16, uint32_t, uint32_t, 32, (x - y) & 0xffff)
LANES_2(sub_32, uint32_t, uint32_t, 32, x - y)
LANES_2(sub_64, uint64_t, uint64_t, 64, x - y)
LANES_2(sub_sat, int32_t, int32_t, 32, clamp_s32((int64_t)x - y))

/* ---- mul, mad -------------------------------------------------------------------------------- */

static uint64_t mulhi_u64(uint64_t x, uint64_t y) { return (uint64_t)((wide_u)x * y >> 64); }
static uint64_t mulhi_s64(int64_t x, int64_t y) { return (uint64_t)((wide_s)x * y >> 64); }
static uint32_t mulhi_s32(int32_t x, int32_t y) { return (uint32_t)((int64_t)x * y >> 32); }

LANES_2(mul_lo_16, uint32_t, uint32_t, 32, (x * y) & 0xffff)
LANES_2(mul_lo_32, uint32_t, uint32_t, 32, x * y)
LANES_2(mul_lo_64, uint64_t, uint64_t, 64, x * y)
LANES_2(mul_hi_u16, uint32_t, uint32_t, 32, (x * y) >> 16)
LANES_2(mul_hi_s16, uint32_t, uint32_t, 32, (uint32_t)(s16(x) * s16(y)) >> 16)
LANES_2(mul_hi_u32, uint32_t, uint32_t, 32, (uint64_t)x * y >> 32)
LANES_2(mul_hi_s32, int32_t, int32_t, 32, mulhi_s32(x, y))
LANES_2(mul_hi_u64, uint64_t, uint64_t, 64, mulhi_u64(x, y))
LANES_2(mul_hi_s64, int64_t, int64_t, 64, mulhi_s64(x, y))
LANES_2(mul_wide_u16, uint32_t, uint32_t, 32, x * y)
LANES_2(mul_wide_s16, uint32_t, uint32_t, 32, s16(x) * s16(y))
LANES_2(mul_wide_u32, uint32_t, uint32_t, 64, (uint64_t)x * y)
LANES_2(mul_wide_s32, int32_t, int32_t, 64, (int64_t)x * y)

LANES_3(mad_lo_16, uint32_t, uint32_t, 32, (x * y + z) & 0xffff)
LANES_3(mad_lo_32, uint32_t, uint32_t, 32, x * y + z)
LANES_3(mad_lo_64, uint64_t, uint64_t, 64, x * y + z)
LANES_3(mad_hi_u16, uint32_t, uint32_t, 32, (((x * y) >> 16) + z) & 0xffff)
LANES_3(mad_hi_s16, uint32_t, uint32_t, 32, (((uint32_t)(s16(x) * s16(y)) >> 16) + z) & 0xffff)
LANES_3(mad_hi_u32, uint32_t, uint32_t, 32, (uint32_t)((uint64_t)x * y >> 32) + z)
LANES_3(mad_hi_s32, int32_t, uint32_t, 32, mulhi_s32(x, y) + z)
LANES_3(mad_hi_sat, int32_t, int32_t, 32, clamp_s32((int64_t)(int32_t)mulhi_s32(x, y) + z))
LANES_3(mad_hi_u64, uint64_t, uint64_t, 64, mulhi_u64(x, y) + z)
LANES_3(mad_hi_s64, int64_t, uint64_t, 64, mulhi_s64(x, y) + z)
LANES_3(mad_wide_u16, uint32_t, uint32_t, 32, x * y + z)
LANES_3(mad_wide_s16, uint32_t, uint32_t, 32, (uint32_t)(s16(x) * s16(y)) + z)
LANES_3(mad_wide_u32, uint32_t, uint64_t, 64, (uint64_t)x * y + z)
LANES_3(mad_wide_s32, int32_t, uint64_t, 64, (uint64_t)((int64_t)x * y) + z)

static int64_t sext24(uint32_t x) { return (int32_t)(x << 8) >> 8; }

LANES_2(mul24_lo_u, uint32_t, uint32_t, 32, (uint64_t)(x & 0xffffff) * (y & 0xffffff))
LANES_2(mul24_lo_s, uint32_t, uint32_t, 32, (uint64_t)(sext24(x) * sext24(y)))
LANES_2(mul24_hi_u, uint32_t, uint32_t, 32, (uint64_t)(x & 0xffffff) * (y & 0xffffff) >> 16)
LANES_2(mul24_hi_s, uint32_t, uint32_t, 32, (uint64_t)(sext24(x) * sext24(y)) >> 16)
LANES_3(mad24_lo_u, uint32_t, uint32_t, 32, (uint64_t)(x & 0xffffff) * (y & 0xffffff) + z)
LANES_3(mad24_lo_s, uint32_t, uint32_t, 32, (uint64_t)(sext24(x) * sext24(y)) + z)
LANES_3(mad24_hi_u, uint32_t, uint32_t, 32, ((uint64_t)(x & 0xffffff) * (y & 0xffffff) >> 16) + z)
LANES_3(mad24_hi_s, uint32_t, uint32_t, 32, ((uint64_t)(sext24(x) * sext24(y)) >> 16) + z)
LANES_3(mad24_hi_sat, uint32_t, int32_t, 32, clamp_s32((int64_t)(int32_t)((uint64_t)(sext24(x) * sext24(y)) >> 16) + z))

/* ---- div, rem: by zero all ones; the smallest number by -1 wraps ------------------------------- */

static uint64_t div_u(uint64_t x, uint64_t y) { return y == 0 ? UINT64_MAX : x / y; }
static uint64_t rem_u(uint64_t x, uint64_t y) { return y == 0 ? UINT64_MAX : x % y; }
static uint64_t div_s(int64_t x, int64_t y) { return y == 0 ? UINT64_MAX : y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y); }
static uint64_t rem_s(int64_t x, int64_t y) { return y == 0 ? UINT64_MAX : y == -1 ? 0 : (uint64_t)(x % y); }

LANES_2(div_u16, uint32_t, uint32_t, 32, div_u(x, y) & 0xffff)
LANES_2(div_s16, uint32_t, uint32_t, 32, div_s(s16(x), s16(y)) & 0xffff)
LANES_2(div_u32, uint32_t, uint32_t, 32, div_u(x, y))
LANES_2(div_s32, int32_t, int32_t, 32, div_s(x, y))
LANES_2(div_u64, uint64_t, uint64_t, 64, div_u(x, y))
LANES_2(div_s64, int64_t, int64_t, 64, div_s(x, y))
LANES_2(rem_u16, uint32_t, uint32_t, 32, rem_u(x, y) & 0xffff)
LANES_2(rem_s16, uint32_t, uint32_t, 32, rem_s(s16(x), s16(y)) & 0xffff)
LANES_2(rem_u32, uint32_t, uint32_t, 32, rem_u(x, y))
LANES_2(rem_s32, int32_t, int32_t, 32, rem_s(x, y))
LANES_2(rem_u64, uint64_t, uint64_t, 64, rem_u(x, y))
LANES_2(rem_s64, int64_t, int64_t, 64, rem_s(x, y))

/* ---- abs, neg, min, max, sad ------------------------------------------------------------------ */

LANES_1(abs_s16, uint32_t, 32, (s16(x) < 0 ? 0 - x : x) & 0xffff)
LANES_1(abs_s32, int32_t, 32, x < 0 ? 0 - (uint32_t)x : (uint32_t)x)
LANES_1(abs_s64, int64_t, 64, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
LANES_1(neg_s16, uint32_t, 32, (0 - x) & 0xffff)
LANES_1(neg_s32, uint32_t, 32, 0 - x)
LANES_1(neg_s64, uint64_t, 64, 0 - x)

LANES_2(min_u32, uint32_t, uint32_t, 32, x < y ? x : y) /* zero-extended 16-bit values as well */
LANES_2(min_s16, uint32_t, uint32_t, 32, s16(x) < s16(y) ? x : y)
LANES_2(min_s32, int32_t, int32_t, 32, x < y ? x : y)
LANES_2(min_u64, uint64_t, uint64_t, 64, x < y ? x : y)
LANES_2(min_s64, int64_t, int64_t, 64, x < y ? x : y)
LANES_2(max_u32, uint32_t, uint32_t, 32, x > y ? x : y)
LANES_2(max_s16, uint32_t, uint32_t, 32, s16(x) > s16(y) ? x : y)
LANES_2(max_s32, int32_t, int32_t, 32, x > y ? x : y)
LANES_2(max_u64, uint64_t, uint64_t, 64, x > y ? x : y)
LANES_2(max_s64, int64_t, int64_t, 64, x > y ? x : y)
LANES_2(min_relu_s32, int32_t, int32_t, 32, (x < y ? x : y) < 0 ? 0 : (x < y ? x : y))
LANES_2(max_relu_s32, int32_t, int32_t, 32, (x > y ? x : y) < 0 ? 0 : (x > y ? x : y))

static uint32_t relu16(int32_t x) { return x < 0 ? 0 : (uint32_t)x & 0xffff; }
static int32_t min_i(int32_t x, int32_t y) { return x < y ? x : y; }
static int32_t max_i(int32_t x, int32_t y) { return x > y ? x : y; }
static uint32_t min_w(uint32_t x, uint32_t y) { return x < y ? x : y; }
static uint32_t max_w(uint32_t x, uint32_t y) { return x > y ? x : y; }

LANES_2(min_u16x2, uint32_t, uint32_t, 32, min_w(x & 0xffff, y & 0xffff) | min_w(x >> 16, y >> 16) << 16)
LANES_2(max_u16x2, uint32_t, uint32_t, 32, max_w(x & 0xffff, y & 0xffff) | max_w(x >> 16, y >> 16) << 16)
LANES_2(min_s16x2, uint32_t, uint32_t, 32,
        ((uint32_t)min_i(s16(x), s16(y)) & 0xffff) | (uint32_t)min_i(s16(x >> 16), s16(y >> 16)) << 16)
LANES_2(max_s16x2, uint32_t, uint32_t, 32,
        ((uint32_t)max_i(s16(x), s16(y)) & 0xffff) | (uint32_t)max_i(s16(x >> 16), s16(y >> 16)) << 16)
LANES_2(min_relu_s16x2, uint32_t, uint32_t, 32,
        relu16(min_i(s16(x), s16(y))) | relu16(min_i(s16(x >> 16), s16(y >> 16))) << 16)
LANES_2(max_relu_s16x2, uint32_t, uint32_t, 32,
        relu16(max_i(s16(x), s16(y))) | relu16(max_i(s16(x >> 16), s16(y >> 16))) << 16)

LANES_3(sad_u16, uint32_t, uint32_t, 32, (z + (x > y ? x - y : y - x)) & 0xffff)
LANES_3(sad_s16, uint32_t, uint32_t, 32, (z + (uint32_t)(s16(x) > s16(y) ? s16(x) - s16(y) : s16(y) - s16(x))) & 0xffff)
LANES_3(sad_u32, uint32_t, uint32_t, 32, z + (x > y ? x - y : y - x))
LANES_3(sad_s32, int32_t, uint32_t, 32, z + (x > y ? (uint32_t)x - (uint32_t)y : (uint32_t)y - (uint32_t)x))
LANES_3(sad_u64, uint64_t, uint64_t, 64, z + (x > y ? x - y : y - x))
LANES_3(sad_s64, int64_t, uint64_t, 64, z + (x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x))

/* ---- Byte dot products ------------------------------------------------------------------------ */

static int32_t byte_of(uint32_t x, unsigned i, bool is_signed)
{
    const uint32_t b = x >> (8 * i) & 0xff;
    return is_signed ? (int8_t)b : (int32_t)b;
}

static int32_t half_of(uint32_t x, unsigned i, bool is_signed)
{
    const uint32_t h = x >> (16 * i) & 0xffff;
    return is_signed ? (int16_t)h : (int32_t)h;
}

/* mod[0]: a signed; mod[1]: b signed */
static uint32_t dp4a(const struct dinst *d, uint32_t x, uint32_t y, uint32_t z)
{
    for (unsigned i = 0; i < 4; i++)
        z += (uint32_t)(byte_of(x, i, d->mod[0]) * byte_of(y, i, d->mod[1]));
    return z;
}

/* mod[2]: .hi, bytes 2 and 3 of b. The product of 16 and 8 bits fits 32. */
static uint32_t dp2a(const struct dinst *d, uint32_t x, uint32_t y, uint32_t z)
{
    for (unsigned i = 0; i < 2; i++)
        z += (uint32_t)(half_of(x, i, d->mod[0]) * byte_of(y, i + 2u * d->mod[2], d->mod[1]));
    return z;
}

LANES_3(exec_dp4a, uint32_t, uint32_t, 32, dp4a(d, x, y, z))
LANES_3(exec_dp2a, uint32_t, uint32_t, 32, dp2a(d, x, y, z))

/* ---- Carry chains ----------------------------------------------------------------------------- */

/* CC.CF is one bit a lane. MEASURED: subtraction keeps the carry of a + ~b + 1, the inverted borrow, and subc adds it.
   mod[0]: carry in; mod[1]: carry out; mod[2]: subtract; mod[3]: part of the product (0 none, 1 lo, 2 hi); mod[4]: signed */
static enum exec_status exec_carry(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const bool wide = d->op[0].bytes == 8;
    const unsigned last = d->mod[3] != 0 ? 3 : 2;
    uint64_t r[LANES] = {0};
    uint32_t carry = w->carry;
    FOR_LANES(i, mask) {
        uint64_t a = lane_word(w, &d->op[1], i), b = lane_word(w, &d->op[last], i);
        if (d->mod[3] != 0) {
            const uint64_t m = lane_word(w, &d->op[2], i);
            if (wide)
                a = d->mod[3] == 1 ? a * m : d->mod[4] ? mulhi_s64((int64_t)a, (int64_t)m) : mulhi_u64(a, m);
            else if (d->mod[4])
                a = (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)m) >> (d->mod[3] == 1 ? 0 : 32));
            else
                a = (uint32_t)((a * m) >> (d->mod[3] == 1 ? 0 : 32));
        }
        if (d->mod[2])
            b = wide ? ~b : (uint32_t)~b;
        const unsigned in = d->mod[0] ? w->carry >> i & 1 : d->mod[2];
        const wide_u sum = (wide_u)a + b + in;
        r[i] = (uint64_t)sum;
        const uint32_t out = (uint32_t)(sum >> (wide ? 64 : 32)) & 1;
        carry = (carry & ~(UINT32_C(1) << i)) | out << i;
    }
    if (d->mod[1])
        w->carry = carry;
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* ---- Choice ----------------------------------------------------------------------------------- */

#define BOTH_16(op, half, run) {op, MOD_U16, half, run}, {op, MOD_S16, half, run}
#define BOTH_32(op, half, run) {op, MOD_U32, half, run}, {op, MOD_S32, half, run}
#define BOTH_64(op, half, run) {op, MOD_U64, half, run}, {op, MOD_S64, half, run}
#define EACH(op, half, name)                                                                                              \
    {op, MOD_U16, half, name##_u16}, {op, MOD_S16, half, name##_s16}, {op, MOD_U32, half, name##_u32},                    \
        {op, MOD_S32, half, name##_s32}, {op, MOD_U64, half, name##_u64}, {op, MOD_S64, half, name##_s64}

static const struct pick picks[] = {
    BOTH_16(OP_ADD, 0, add_16), BOTH_32(OP_ADD, 0, add_32), BOTH_64(OP_ADD, 0, add_64),
    {OP_ADD, MOD_S32, MOD_SAT, add_sat}, {OP_ADD, MOD_U16X2, 0, add_16x2}, {OP_ADD, MOD_S16X2, 0, add_16x2},
    BOTH_16(OP_SUB, 0, sub_16), BOTH_32(OP_SUB, 0, sub_32), BOTH_64(OP_SUB, 0, sub_64), {OP_SUB, MOD_S32, MOD_SAT, sub_sat},
    BOTH_16(OP_MUL, MOD_LO, mul_lo_16), BOTH_32(OP_MUL, MOD_LO, mul_lo_32), BOTH_64(OP_MUL, MOD_LO, mul_lo_64),
    EACH(OP_MUL, MOD_HI, mul_hi),
    {OP_MUL, MOD_U16, MOD_WIDE, mul_wide_u16}, {OP_MUL, MOD_S16, MOD_WIDE, mul_wide_s16},
    {OP_MUL, MOD_U32, MOD_WIDE, mul_wide_u32}, {OP_MUL, MOD_S32, MOD_WIDE, mul_wide_s32},
    BOTH_16(OP_MAD, MOD_LO, mad_lo_16), BOTH_32(OP_MAD, MOD_LO, mad_lo_32), BOTH_64(OP_MAD, MOD_LO, mad_lo_64),
    EACH(OP_MAD, MOD_HI, mad_hi), {OP_MAD, MOD_S32, MOD_SAT, mad_hi_sat},
    {OP_MAD, MOD_U16, MOD_WIDE, mad_wide_u16}, {OP_MAD, MOD_S16, MOD_WIDE, mad_wide_s16},
    {OP_MAD, MOD_U32, MOD_WIDE, mad_wide_u32}, {OP_MAD, MOD_S32, MOD_WIDE, mad_wide_s32},
    {OP_MUL24, MOD_U32, MOD_LO, mul24_lo_u}, {OP_MUL24, MOD_S32, MOD_LO, mul24_lo_s},
    {OP_MUL24, MOD_U32, MOD_HI, mul24_hi_u}, {OP_MUL24, MOD_S32, MOD_HI, mul24_hi_s},
    {OP_MAD24, MOD_U32, MOD_LO, mad24_lo_u}, {OP_MAD24, MOD_S32, MOD_LO, mad24_lo_s},
    {OP_MAD24, MOD_U32, MOD_HI, mad24_hi_u}, {OP_MAD24, MOD_S32, MOD_HI, mad24_hi_s}, {OP_MAD24, MOD_S32, MOD_SAT, mad24_hi_sat},
    EACH(OP_DIV, 0, div), EACH(OP_REM, 0, rem), EACH(OP_SAD, 0, sad),
    {OP_ABS, MOD_S16, 0, abs_s16}, {OP_ABS, MOD_S32, 0, abs_s32}, {OP_ABS, MOD_S64, 0, abs_s64},
    BOTH_16(OP_NEG, 0, neg_s16), BOTH_32(OP_NEG, 0, neg_s32), BOTH_64(OP_NEG, 0, neg_s64),
    {OP_MIN, MOD_U16, 0, min_u32}, {OP_MIN, MOD_S16, 0, min_s16}, {OP_MIN, MOD_U32, 0, min_u32}, {OP_MIN, MOD_S32, 0, min_s32},
    {OP_MIN, MOD_U64, 0, min_u64}, {OP_MIN, MOD_S64, 0, min_s64}, {OP_MIN, MOD_S32, MOD_RELU, min_relu_s32},
    {OP_MIN, MOD_U16X2, 0, min_u16x2}, {OP_MIN, MOD_S16X2, 0, min_s16x2}, {OP_MIN, MOD_S16X2, MOD_RELU, min_relu_s16x2},
    {OP_MAX, MOD_U16, 0, max_u32}, {OP_MAX, MOD_S16, 0, max_s16}, {OP_MAX, MOD_U32, 0, max_u32}, {OP_MAX, MOD_S32, 0, max_s32},
    {OP_MAX, MOD_U64, 0, max_u64}, {OP_MAX, MOD_S64, 0, max_s64}, {OP_MAX, MOD_S32, MOD_RELU, max_relu_s32},
    {OP_MAX, MOD_U16X2, 0, max_u16x2}, {OP_MAX, MOD_S16X2, 0, max_s16x2}, {OP_MAX, MOD_S16X2, MOD_RELU, max_relu_s16x2},
};

static bool is_float_type(unsigned type)
{
    const enum isa_type_class class = isa_mod_row(type)->type_class;
    return class == TYPE_FLOAT || (class == TYPE_PACKED && isa_mod_row(isa_mod_row(type)->elem)->type_class == TYPE_FLOAT);
}

static bool is_signed_type(unsigned type)
{
    return isa_mod_row(type)->type_class == TYPE_SIGNED;
}

static bool prepare_carry(const struct ptx_inst *in, struct dinst *d)
{
    const enum isa_op op = in->form->op;
    const unsigned half = tw_ptx_mod(in, SLOT_HALF);
    d->mod[0] = op == OP_ADDC || op == OP_SUBC || op == OP_MADC;
    d->mod[1] = tw_ptx_has(in, SLOT_CC);
    d->mod[2] = op == OP_SUB || op == OP_SUBC;
    d->mod[3] = op != OP_MAD && op != OP_MADC ? 0 : half == MOD_LO ? 1 : 2;
    d->mod[4] = is_signed_type(tw_ptx_mod(in, SLOT_TYPE));
    d->run = exec_carry;
    return true;
}

static bool prepare_integer(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE);
    if (is_float_type(type))
        return tw_prepare_float(dc, in, d);
    if (!tw_decode_all(dc, in, d))
        return false;
    const enum isa_op op = in->form->op;
    if (op == OP_ADDC || op == OP_SUBC || op == OP_MADC || tw_ptx_has(in, SLOT_CC))
        return prepare_carry(in, d);
    unsigned mod = tw_ptx_mod(in, SLOT_HALF);
    if (tw_ptx_has(in, SLOT_SAT))
        mod = MOD_SAT;
    else if (tw_ptx_has(in, SLOT_RELU))
        mod = MOD_RELU;
    d->run = pick_exec(picks, sizeof picks / sizeof picks[0], op, type, mod);
    return d->run != NULL || tw_decode_unsupported(dc, in, "this combination of type and modifiers has no execution function");
}

static bool prepare_dot(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    if (!tw_decode_all(dc, in, d))
        return false;
    d->mod[0] = is_signed_type(tw_ptx_mod(in, SLOT_ATYPE));
    d->mod[1] = is_signed_type(tw_ptx_mod(in, SLOT_BTYPE));
    d->mod[2] = tw_ptx_mod(in, SLOT_HALF) == MOD_HI;
    d->run = in->form->op == OP_DP4A ? exec_dp4a : exec_dp2a;
    return true;
}

const struct op_row tw_ops_integer[] = {
    {OP_ADD, prepare_integer}, {OP_ADDC, prepare_integer}, {OP_SUB, prepare_integer}, {OP_SUBC, prepare_integer},
    {OP_MUL, prepare_integer}, {OP_MAD, prepare_integer}, {OP_MADC, prepare_integer}, {OP_MUL24, prepare_integer},
    {OP_MAD24, prepare_integer}, {OP_DIV, prepare_integer}, {OP_REM, prepare_integer}, {OP_ABS, prepare_integer},
    {OP_NEG, prepare_integer}, {OP_MIN, prepare_integer}, {OP_MAX, prepare_integer}, {OP_SAD, prepare_integer},
    {OP_DP4A, prepare_dot}, {OP_DP2A, prepare_dot}, {OP_NONE, NULL},
};
