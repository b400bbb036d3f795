/* cvt and cvt.pack. The words come from src/num; the common integer conversions have a direct path. SOURCE: ptx-async.md 8.5. */
#include "machine/exec_arith.h"
#include "machine/exec_fast.h"
#include "machine/exec_lanes.h"
#include "num/convert.h"

enum cvt_shape { CVT_ONE, CVT_PAIR /* two sources, packed */, CVT_FIELDS /* packed to packed */ };

struct cvt_call {
    struct num_convert_how how;
    enum cvt_shape shape;
    uint8_t fields;
    bool extend; /* a signed result fills a wider register */
};

static uint64_t fill_register(const struct cvt_call *c, const struct dop *to, uint64_t word)
{
    if (!c->extend || tw_num_bits(c->how.to) >= to->bits)
        return word;
    return (uint64_t)tw_num_extend(c->how.to, word);
}

static enum exec_status exec_cvt(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct cvt_call *const c = d->extra;
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const uint64_t a = lane_word(w, &d->op[1], i);
        uint64_t word;
        if (c->shape == CVT_PAIR)
            word = tw_num_convert_pair(&c->how, a, lane_word(w, &d->op[2], i));
        else if (c->shape == CVT_FIELDS)
            word = tw_num_convert_fields(&c->how, c->fields, a);
        else
            word = tw_num_convert(&c->how, a);
        r[i] = fill_register(c, &d->op[0], word);
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* cvt.rs: two sources as two operands, or four as one vector; the random operand is the last. */
static enum exec_status exec_cvt_random(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct cvt_call *const c = d->extra;
    const bool vector = d->op[1].count != 0;
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        uint64_t in[4];
        for (unsigned k = 0; k < c->fields; k++)
            in[k] = vector ? row32(w, w->code->refs[d->op[1].ref + k])[i] : lane_word(w, &d->op[1 + k], i);
        const uint32_t random = (uint32_t)lane_word(w, &d->op[d->op_count - 1], i);
        r[i] = tw_num_convert_random(&c->how, random, c->fields, in);
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* Integer to integer without saturation: extend the source, cut to the destination type, fill the register. */
static enum exec_status exec_cvt_integer(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct cvt_call *const c = d->extra;
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const uint64_t value = (uint64_t)tw_num_extend(c->how.from, lane_word(w, &d->op[1], i));
        const unsigned bits = tw_num_bits(c->how.to);
        r[i] = fill_register(c, &d->op[0], bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1));
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

LANES_1(cvt_u64_u32, uint32_t, 64, x)
LANES_1(cvt_s64_s32, int32_t, 64, (int64_t)x)

static bool is_integral(unsigned mod)
{
    return mod == MOD_RNI || mod == MOD_RZI || mod == MOD_RMI || mod == MOD_RPI;
}

static bool prepare_cvt(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    if (!tw_decode_all(dc, in, d))
        return false;
    const unsigned to = tw_ptx_mod(in, SLOT_DTYPE), from = tw_ptx_mod(in, SLOT_ATYPE), rnd = tw_ptx_mod(in, SLOT_RND);
    struct cvt_call *const c = arena_new(tw_decode_arena(dc), struct cvt_call, 1);
    c->how = (struct num_convert_how){
        .to = tw_decode_format(to), .from = tw_decode_format(from), .rounding = tw_decode_rounding(rnd), .integral = is_integral(rnd),
        .ftz = tw_ptx_has(in, SLOT_FTZ), .sat = tw_ptx_has(in, SLOT_SAT), .satfinite = tw_ptx_has(in, SLOT_SATFINITE),
        .relu = tw_ptx_has(in, SLOT_RELU),
    };
    c->extend = isa_mod_row(to)->type_class == TYPE_SIGNED;
    c->fields = isa_mod_row(to)->lanes;
    const bool packed = isa_mod_row(to)->type_class == TYPE_PACKED;
    c->shape = !packed ? CVT_ONE : isa_mod_row(from)->type_class == TYPE_PACKED ? CVT_FIELDS : CVT_PAIR;
    d->extra = c;
    d->run = exec_cvt;
    exec_fn *const quick = c->shape == CVT_ONE && d->op[0].bytes == 4 && d->op[1].bytes == 4 && tw_num_bits(c->how.to) == d->op[0].bits
                               ? tw_fast_convert(&c->how) : NULL;
    if (quick != NULL)
        d->run = quick;
    if (rnd == MOD_RS)
        d->run = exec_cvt_random;
    if (in->form->id == FORM_CVT_INT && !c->how.sat)
        d->run = exec_cvt_integer;
    if (d->run == exec_cvt_integer && d->op[0].bytes == 8 && d->op[1].bits == 32 && to == MOD_U64 && from == MOD_U32)
        d->run = cvt_u64_u32;
    if (d->run == exec_cvt_integer && d->op[0].bytes == 8 && d->op[1].bits == 32 && to == MOD_S64 && from == MOD_S32)
        d->run = cvt_s64_s32;
    return true;
}

/* ---- cvt.pack: clamp both, a above b, below c shifted up by two widths ------------------------------- */

static uint32_t clamp_to(int32_t x, unsigned bits, bool is_signed)
{
    const int32_t high = is_signed ? (int32_t)((UINT32_C(1) << (bits - 1)) - 1) : (int32_t)((UINT32_C(1) << bits) - 1);
    const int32_t low = is_signed ? -high - 1 : 0;
    return (uint32_t)(x < low ? low : x > high ? high : x) & ((UINT32_C(1) << bits) - 1);
}

/* mod[0]: bits of a field; mod[1]: signed; mod[2]: c is there */
static enum exec_status exec_cvt_pack(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const unsigned bits = d->mod[0];
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const uint32_t a = clamp_to((int32_t)lane_word(w, &d->op[1], i), bits, d->mod[1]);
        const uint32_t b = clamp_to((int32_t)lane_word(w, &d->op[2], i), bits, d->mod[1]);
        r[i] = (d->mod[2] ? lane_word(w, &d->op[3], i) << (2 * bits) : 0) | a << bits | b;
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_cvt_pack(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    const unsigned to = tw_ptx_mod(in, SLOT_DTYPE);
    d->mod[0] = (uint8_t)isa_type_bits(to);
    d->mod[1] = isa_mod_row(to)->type_class == TYPE_SIGNED;
    d->mod[2] = in->form->operand_of[ROLE_C] >= 0;
    d->run = exec_cvt_pack;
    return tw_decode_all(dc, in, d);
}

const struct op_row tw_ops_convert[] = {{OP_CVT, prepare_cvt}, {OP_CVT_PACK, prepare_cvt_pack}, {OP_NONE, NULL}};
