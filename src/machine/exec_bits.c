/* Bit operations. SOURCE: PTX ISA, "Logic and Shift Instructions"; MEASURED: ptx-async.md 8.3. */
#include "machine/exec_lanes.h"

LANES_2(and_32, uint32_t, uint32_t, 32, x & y)
LANES_2(or_32, uint32_t, uint32_t, 32, x | y)
LANES_2(xor_32, uint32_t, uint32_t, 32, x ^ y)
LANES_1(not_16, uint32_t, 32, ~x & 0xffff)
LANES_1(not_32, uint32_t, 32, ~x)
LANES_1(cnot_32, uint32_t, 32, x == 0)
LANES_2(and_64, uint64_t, uint64_t, 64, x & y)
LANES_2(or_64, uint64_t, uint64_t, 64, x | y)
LANES_2(xor_64, uint64_t, uint64_t, 64, x ^ y)
LANES_1(not_64, uint64_t, 64, ~x)
LANES_1(cnot_64, uint64_t, 64, x == 0)

/* Shift amounts are full unsigned 32-bit numbers; from the width on, everything is shifted out. */
LANES_2(shl_16, uint32_t, uint32_t, 32, y >= 16 ? 0 : (x << y) & 0xffff)
LANES_2(shl_32, uint32_t, uint32_t, 32, y >= 32 ? 0 : x << y)
LANES_2(shl_64, uint64_t, uint32_t, 64, y >= 64 ? 0 : x << y)
LANES_2(shr_u32, uint32_t, uint32_t, 32, y >= 32 ? 0 : x >> y) /* zero-extended 16-bit values as well */
LANES_2(shr_s16, uint32_t, uint32_t, 32, (s16(x) >> (y >= 16 ? 15 : y)) & 0xffff)
LANES_2(shr_s32, int32_t, uint32_t, 32, x >> (y >= 32 ? 31 : y))
LANES_2(shr_u64, uint64_t, uint32_t, 64, y >= 64 ? 0 : x >> y)
LANES_2(shr_s64, int64_t, uint32_t, 64, x >> (y >= 64 ? 63 : y))

static uint64_t pair(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }
static uint32_t at_most(uint32_t n, uint32_t most) { return n < most ? n : most; }

LANES_3(shf_l_clamp, uint32_t, uint32_t, 32, pair(x, y) << at_most(z, 32) >> 32)
LANES_3(shf_l_wrap, uint32_t, uint32_t, 32, pair(x, y) << (z & 31) >> 32)
LANES_3(shf_r_clamp, uint32_t, uint32_t, 32, pair(x, y) >> at_most(z, 32))
LANES_3(shf_r_wrap, uint32_t, uint32_t, 32, pair(x, y) >> (z & 31))

LANES_1(popc_32, uint32_t, 32, __builtin_popcount(x))
LANES_1(popc_64, uint64_t, 32, __builtin_popcountll(x))
LANES_1(clz_32, uint32_t, 32, x == 0 ? 32 : __builtin_clz(x))
LANES_1(clz_64, uint64_t, 32, x == 0 ? 64 : __builtin_clzll(x))

static uint64_t reverse(uint64_t x, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}
LANES_1(brev_32, uint32_t, 32, reverse(x, 32))
LANES_1(brev_64, uint64_t, 64, reverse(x, 64))

/* Index of the top bit that is 1 (unsigned) or differs from the sign (signed). */
static uint32_t find_top(uint64_t x, unsigned bits, bool is_signed, bool shift_amount)
{
    if (is_signed && (x >> (bits - 1) & 1) != 0)
        x = bits == 64 ? ~x : ~x & 0xffffffff;
    if (x == 0)
        return UINT32_MAX;
    const uint32_t at = 63 - (uint32_t)__builtin_clzll(x);
    return shift_amount ? bits - 1 - at : at;
}
/* mod[0]: signed; mod[1]: .shiftamt */
LANES_1(bfind_32, uint32_t, 32, find_top(x, 32, d->mod[0], d->mod[1]))
LANES_1(bfind_64, uint64_t, 32, find_top(x, 64, d->mod[0], d->mod[1]))

/* ---- Fields: 32-bit forms mask position and length to 8 bits, 64-bit forms do not (MEASURED) -------- */

static uint64_t low_bits(uint64_t count) { return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1; }

static uint64_t extract(uint64_t x, uint64_t at, uint64_t len, unsigned bits, bool is_signed)
{
    if (len == 0)
        return 0;
    const uint64_t end = at + len;
    const unsigned top = end - 1 >= bits ? bits - 1 : (unsigned)(end - 1);
    uint64_t field = at >= bits ? 0 : x >> at & low_bits(len);
    const uint64_t present = at >= bits ? 0 : (end > bits ? bits - at : len);
    if (is_signed && (x >> top & 1) != 0)
        field |= ~low_bits(present);
    return field & low_bits(bits);
}

static uint64_t insert(uint64_t field, uint64_t into, uint64_t at, uint64_t len, unsigned bits)
{
    if (at >= bits || len == 0)
        return into;
    const uint64_t hole = (low_bits(len) << at) & low_bits(bits);
    return (into & ~hole) | (field << at & hole);
}

static enum exec_status exec_bfe(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const unsigned bits = d->op[0].bytes * 8u;
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        uint64_t at = row32(w, d->op[2].ref)[i], len = row32(w, d->op[3].ref)[i];
        if (bits == 32) {
            at &= 0xff;
            len &= 0xff;
        }
        r[i] = extract(lane_word(w, &d->op[1], i), at, len, bits, d->mod[0]);
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static enum exec_status exec_bfi(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const unsigned bits = d->op[0].bytes * 8u;
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        uint64_t at = row32(w, d->op[3].ref)[i], len = row32(w, d->op[4].ref)[i];
        if (bits == 32) {
            at &= 0xff;
            len &= 0xff;
        }
        r[i] = insert(lane_word(w, &d->op[1], i), lane_word(w, &d->op[2], i), at, len, bits);
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* ---- The rest ------------------------------------------------------------------------------------- */

static uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return (mask >> base & 1) != 0 ? base : UINT32_MAX;
    if (offset == INT32_MIN) /* MEASURED: H200, driver 580.159.04 (tests/silicon) */
        return 0;
    const int32_t step = offset > 0 ? 1 : -1;
    uint32_t left = offset > 0 ? (uint32_t)offset : 0 - (uint32_t)offset;
    for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) != 0 && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}
LANES_3(exec_fns, uint32_t, int32_t, 32, nth_set(x, y, z))

static uint32_t bit_mask(uint32_t at, uint32_t count, bool clamp)
{
    if (!clamp)
        return (uint32_t)(low_bits(count & 31) << (at & 31));
    return at >= 32 ? 0 : (uint32_t)(low_bits(at_most(count, 32)) << at);
}
/* mod[0]: .clamp; mod[1]: signed */
LANES_2(exec_bmsk, uint32_t, uint32_t, 32, bit_mask(x, y, d->mod[0]))

static uint32_t extend(uint32_t x, uint32_t n, bool clamp, bool is_signed)
{
    if (clamp && n >= 32)
        return x;
    n &= 31;
    if (n == 0)
        return 0;
    const uint32_t low = x & (uint32_t)low_bits(n);
    return is_signed && (x >> (n - 1) & 1) != 0 ? low | ~(uint32_t)low_bits(n) : low;
}
LANES_2(exec_szext, uint32_t, uint32_t, 32, extend(x, y, d->mod[0], d->mod[1]))

static uint32_t lookup3(uint32_t a, uint32_t b, uint32_t c, unsigned lut)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        if ((lut >> i & 1) != 0)
            r |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    return r;
}
LANES_3(exec_lop3, uint32_t, uint32_t, 32, lookup3(x, y, z, (unsigned)d->imm))

/* lop3.BOOL d|p, a, b, c, lut, q: p = (d != 0) BOOL q; op[4] is p, op[5] is q; mod[2]: 0 and, 1 or. */
static enum exec_status exec_lop3_bool(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const xs = row32(w, d->op[1].ref), *const ys = row32(w, d->op[2].ref), *const zs = row32(w, d->op[3].ref);
    const uint32_t q = lane_mask(w, &d->op[5]);
    uint32_t r[LANES], nonzero = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        r[i] = lookup3(xs[i], ys[i], zs[i], (unsigned)d->imm);
        nonzero |= (uint32_t)(r[i] != 0) << i;
    }
    put32(w, &d->op[0], mask, r);
    set_predicate(w, &d->op[4], mask, d->mod[2] == 0 ? nonzero & q : nonzero | q);
    return EXEC_NEXT;
}

/* ---- prmt ------------------------------------------------------------------------------------------ */

static uint32_t permute(uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t bytes = pair(a, b);
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t pick_of = c >> (4 * i);
        uint32_t byte = (uint32_t)(bytes >> (8 * (pick_of & 7))) & 0xff;
        if ((pick_of & 8) != 0)
            byte = (byte & 0x80) != 0 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

/* The special modes as selectors of the general one; s is the low two bits of c. */
static uint32_t permute_mode(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    const uint32_t s = c & 3;
    uint32_t selector = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t byte = s; /* rc8 */
        if (mode == MOD_F4E)
            byte = s + i;
        else if (mode == MOD_B4E)
            byte = (s - i) & 7;
        else if (mode == MOD_ECL)
            byte = i > s ? i : s;
        else if (mode == MOD_ECR)
            byte = i < s ? i : s;
        else if (mode == MOD_RC16)
            byte = 2 * (s & 1) + (i & 1);
        selector |= byte << (4 * i);
    }
    return permute(a, b, selector);
}
LANES_3(exec_prmt, uint32_t, uint32_t, 32, permute(x, y, z))
LANES_3(exec_prmt_mode, uint32_t, uint32_t, 32, permute_mode(x, y, z, (unsigned)d->imm))

/* ---- Predicates ------------------------------------------------------------------------------------ */

static enum exec_status exec_predicate(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t a = lane_mask(w, &d->op[1]);
    const uint32_t b = d->op_count > 2 ? lane_mask(w, &d->op[2]) : 0;
    const unsigned op = d->isa_op;
    set_predicate(w, &d->op[0], mask, op == OP_AND ? a & b : op == OP_OR ? a | b : op == OP_XOR ? a ^ b : ~a);
    return EXEC_NEXT;
}

/* ---- Choice ---------------------------------------------------------------------------------------- */

#define BY_WIDTH(op, run16, run32, run64) {op, MOD_B16, 0, run16}, {op, MOD_B32, 0, run32}, {op, MOD_B64, 0, run64}

static const struct pick picks[] = {
    BY_WIDTH(OP_AND, and_32, and_32, and_64), BY_WIDTH(OP_OR, or_32, or_32, or_64), BY_WIDTH(OP_XOR, xor_32, xor_32, xor_64),
    BY_WIDTH(OP_NOT, not_16, not_32, not_64), BY_WIDTH(OP_CNOT, cnot_32, cnot_32, cnot_64),
    BY_WIDTH(OP_SHL, shl_16, shl_32, shl_64), BY_WIDTH(OP_SHR, shr_u32, shr_u32, shr_u64),
    {OP_SHR, MOD_U16, 0, shr_u32}, {OP_SHR, MOD_U32, 0, shr_u32}, {OP_SHR, MOD_U64, 0, shr_u64},
    {OP_SHR, MOD_S16, 0, shr_s16}, {OP_SHR, MOD_S32, 0, shr_s32}, {OP_SHR, MOD_S64, 0, shr_s64},
    {OP_POPC, MOD_B32, 0, popc_32}, {OP_POPC, MOD_B64, 0, popc_64}, {OP_CLZ, MOD_B32, 0, clz_32}, {OP_CLZ, MOD_B64, 0, clz_64},
    {OP_BREV, MOD_B32, 0, brev_32}, {OP_BREV, MOD_B64, 0, brev_64},
    {OP_BFIND, MOD_U32, 0, bfind_32}, {OP_BFIND, MOD_S32, 0, bfind_32}, {OP_BFIND, MOD_U64, 0, bfind_64},
    {OP_BFIND, MOD_S64, 0, bfind_64},
    {OP_BFE, MOD_U32, 0, exec_bfe}, {OP_BFE, MOD_S32, 0, exec_bfe}, {OP_BFE, MOD_U64, 0, exec_bfe}, {OP_BFE, MOD_S64, 0, exec_bfe},
    {OP_BFI, MOD_B32, 0, exec_bfi}, {OP_BFI, MOD_B64, 0, exec_bfi}, {OP_FNS, MOD_B32, 0, exec_fns},
    {OP_BMSK, MOD_B32, 0, exec_bmsk}, {OP_SZEXT, MOD_U32, 0, exec_szext}, {OP_SZEXT, MOD_S32, 0, exec_szext},
};

static bool prepare_bits(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    if (!tw_decode_all(dc, in, d))
        return false;
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE);
    const bool is_signed = isa_mod_row(type)->type_class == TYPE_SIGNED;
    d->mod[0] = is_signed;
    if (in->form->op == OP_BFIND)
        d->mod[1] = tw_ptx_has(in, SLOT_SHIFTAMT);
    if (in->form->op == OP_BMSK || in->form->op == OP_SZEXT) {
        d->mod[0] = tw_ptx_mod(in, SLOT_MODE) == MOD_CLAMP;
        d->mod[1] = is_signed;
    }
    if (type == MOD_PRED)
        d->run = exec_predicate;
    else
        d->run = pick_exec(picks, sizeof picks / sizeof picks[0], in->form->op, type, 0);
    return d->run != NULL || tw_decode_unsupported(dc, in, "this type has no execution function");
}

static bool prepare_shf(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const bool left = tw_ptx_mod(in, SLOT_DIR) == MOD_L, clamp = tw_ptx_mod(in, SLOT_MODE) == MOD_CLAMP;
    d->run = left ? (clamp ? shf_l_clamp : shf_l_wrap) : clamp ? shf_r_clamp : shf_r_wrap;
    return tw_decode_all(dc, in, d);
}

static bool prepare_prmt(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned mode = tw_ptx_mod(in, SLOT_MODE);
    d->run = mode == MOD_NONE ? exec_prmt : exec_prmt_mode;
    d->imm = mode;
    return tw_decode_all(dc, in, d);
}

static bool prepare_lop3(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    int64_t lut;
    static const enum isa_role roles[] = {ROLE_D, ROLE_A, ROLE_B, ROLE_C};
    for (unsigned i = 0; i < 4; i++)
        if (!tw_decode_role(dc, in, roles[i], d, i))
            return false;
    if (!tw_decode_immediate(dc, in, ROLE_LUT, 0, &lut))
        return false;
    d->imm = (uint64_t)lut & 0xff;
    d->run = exec_lop3;
    if (!tw_ptx_has(in, SLOT_BOOL))
        return true;
    d->mod[2] = tw_ptx_mod(in, SLOT_BOOL) == MOD_OR;
    d->run = exec_lop3_bool;
    return tw_decode_role(dc, in, ROLE_P, d, 4) && tw_decode_role(dc, in, ROLE_COND, d, 5);
}

const struct op_row tw_ops_bits[] = {
    {OP_AND, prepare_bits}, {OP_OR, prepare_bits}, {OP_XOR, prepare_bits}, {OP_NOT, prepare_bits}, {OP_CNOT, prepare_bits},
    {OP_SHL, prepare_bits}, {OP_SHR, prepare_bits}, {OP_POPC, prepare_bits}, {OP_CLZ, prepare_bits}, {OP_BREV, prepare_bits},
    {OP_BFIND, prepare_bits}, {OP_BFE, prepare_bits}, {OP_BFI, prepare_bits}, {OP_FNS, prepare_bits}, {OP_BMSK, prepare_bits},
    {OP_SZEXT, prepare_bits}, {OP_SHF, prepare_shf}, {OP_PRMT, prepare_prmt}, {OP_LOP3, prepare_lop3}, {OP_NONE, NULL},
};
