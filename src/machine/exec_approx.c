/* Approximate functions: what PTX spells .approx and .full, by the hardware's own tables (num/approx.h). */
#include "machine/exec_arith.h"
#include "machine/exec_lanes.h"
#include "num/approx.h"

/* type: enum num_format of an element; type2: enum num_function; mod[0]: ftz; mod[1]: two elements in a word */
static enum exec_status exec_function(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const enum num_function fn = (enum num_function)d->type2;
    const enum num_format f = (enum num_format)d->type;
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const uint64_t a = lane_word(w, &d->op[1], i);
        r[i] = d->mod[1] ? tw_num_approx(fn, f, d->mod[0], a & 0xffff) | tw_num_approx(fn, f, d->mod[0], a >> 16 & 0xffff) << 16
                         : tw_num_approx(fn, f, d->mod[0], a);
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* mod[0]: ftz; mod[1]: .full */
static enum exec_status exec_divide(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const a = row32(w, d->op[1].ref), *const b = row32(w, d->op[2].ref);
    uint32_t r[LANES];
    FOR_LANES(i, mask)
        r[i] = (uint32_t)(d->mod[1] ? tw_num_div_full(d->mod[0], a[i], b[i]) : tw_num_div_approx(d->mod[0], a[i], b[i]));
    put32(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

bool tw_prepare_approximate(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    static const struct { uint16_t op; uint8_t fn; } rows[] = {
        {OP_EX2, NUM_EX2}, {OP_LG2, NUM_LG2}, {OP_RCP, NUM_RCP}, {OP_RSQRT, NUM_RSQRT}, {OP_SQRT, NUM_SQRT}, {OP_SIN, NUM_SIN},
        {OP_COS, NUM_COS}, {OP_TANH, NUM_TANH},
    };
    const unsigned type = tw_ptx_mod(in, SLOT_TYPE);
    d->type = (uint8_t)tw_decode_format(type);
    d->mod[0] = tw_ptx_has(in, SLOT_FTZ);
    d->flags |= D_APPROXIMATE;
    if (in->form->op == OP_DIV) {
        d->mod[1] = tw_ptx_mod(in, SLOT_APPROX) == MOD_FULL;
        d->run = exec_divide;
        return true;
    }
    d->mod[1] = isa_mod_row(type)->type_class == TYPE_PACKED;
    d->run = exec_function;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == in->form->op) {
            d->type2 = rows[i].fn;
            return tw_num_has_approx((enum num_function)rows[i].fn, (enum num_format)d->type) ||
                   tw_decode_unsupported(dc, in, "the number room has no definition of this function in this format");
        }
    return tw_decode_unsupported(dc, in, "the number room has no definition of this function");
}
