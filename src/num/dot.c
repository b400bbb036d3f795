/* The plain scalar evaluation of a dot-product model, written to be read beside the rules: one term a structure, exact
 * integers throughout, no early exits but those that the rules state.
 * SOURCE: reference "numerics", sections 3 to 5 and 10; reference "numerics-blackwell". Both are restated in comments. */
#include "num/dot.h"

#include "base/bits.h"
#include "num/arith.h"
#include "num/convert.h"
#include "num/round.h"

#include <assert.h>
#include <string.h>

/* One summand: value = sig * 2^exp with sign, `top` its exponent as decoded (products are not renormalised).
 * `scale_top` is the part of top that comes from block scales. sig 0: the term does not exist. */
struct term {
    int64_t sig;
    int32_t exp, top, scale_top;
    uint16_t k; /* which product it is */
};

/* Everything about one instruction's element, decoded. */
struct dot_terms {
    struct term product[TW_NUM_DOT_MAX];
    unsigned count;
    struct term c;
    bool nan, plus_infinity, minus_infinity;
};

static int64_t signed_sig(struct num_value v)
{
    return v.negative ? -(int64_t)v.sig : (int64_t)v.sig;
}

static void note_infinity(struct dot_terms *t, bool negative)
{
    if (negative)
        t->minus_infinity = true;
    else
        t->plus_infinity = true;
}

/* NaN and infinity leave their mark; a zero factor leaves no term, whatever the other factor's size. */
static void add_product(struct dot_terms *t, unsigned k, struct num_value a, struct num_value b)
{
    struct term *const p = &t->product[t->count++];
    *p = (struct term){.k = (uint16_t)k};
    const bool infinite = a.cls == NUM_INFINITE || b.cls == NUM_INFINITE;
    const bool zero = a.cls == NUM_ZERO || b.cls == NUM_ZERO;
    if (a.cls == NUM_NAN || b.cls == NUM_NAN || (infinite && zero)) {
        t->nan = true;
    } else if (infinite) {
        note_infinity(t, a.negative != b.negative);
    } else if (!zero) {
        p->sig = signed_sig(a) * signed_sig(b);
        p->exp = a.exp + b.exp;
        p->top = a.top + b.top;
    }
}

static void set_accumulator(struct dot_terms *t, enum num_format f, const uint64_t *word, int scale_log2)
{
    t->c = (struct term){0};
    if (word == NULL)
        return;
    const struct num_value c = tw_num_decode(f, *word);
    if (c.cls == NUM_NAN) {
        t->nan = true;
    } else if (c.cls == NUM_INFINITE) {
        note_infinity(t, c.negative);
    } else if (c.cls == NUM_FINITE) {
        /* SOURCE: PTX ISA, tcgen05.mma scale-input-d: D * 2^-n. Taken as an exact change of exponent. */
        t->c = (struct term){.sig = signed_sig(c), .exp = c.exp - scale_log2, .top = c.top - scale_log2};
    }
}

/* The scale factors of one product; a NaN scale makes the sum NaN, a zero scale removes the product. */
static void scale_product(struct dot_terms *t, struct term *p, struct num_value sa, struct num_value sb)
{
    if (sa.cls == NUM_NAN || sb.cls == NUM_NAN)
        t->nan = true;
    if (sa.cls != NUM_FINITE || sb.cls != NUM_FINITE) {
        p->sig = 0;
        return;
    }
    p->sig *= (int64_t)(sa.sig * sb.sig);
    p->exp += sa.exp + sb.exp;
    p->scale_top = sa.top + sb.top;
    p->top += p->scale_top;
}

/* |sig * 2^exp| / 2^unit cut to an integer, with its sign; a term that does not exist gives 0.
 * Callers keep exp - unit below 40, where nothing overflows. */
static int64_t cut(int64_t sig, int32_t exp, int32_t unit)
{
    if (sig == 0)
        return 0;
    const int32_t up = exp - unit;
    const uint64_t magnitude = sig < 0 ? 0 - (uint64_t)sig : (uint64_t)sig;
    uint64_t kept = 0;
    if (up >= 0) {
        assert(up < 64 && (magnitude << up) >> up == magnitude);
        kept = magnitude << up;
    } else if (up > -64) {
        kept = magnitude >> -up;
    }
    return sig < 0 ? -(int64_t)kept : (int64_t)kept;
}

static uint64_t nan_word(enum num_format f)
{
    return tw_num_format(f)->canonical_nan;
}

static uint64_t infinity_word(enum num_format f, bool negative)
{
    const struct num_format_info *info = tw_num_format(f);
    return info->infinity | (negative ? UINT64_C(1) << (info->storage_bits - 1) : 0);
}

/* NaN, or infinities of both signs: NaN. Infinities of one sign: that infinity. Decided before any finite arithmetic. */
static bool special_result(const struct dot_terms *t, enum num_format d, uint64_t *word)
{
    if (t->nan || (t->plus_infinity && t->minus_infinity))
        *word = nan_word(d);
    else if (t->plus_infinity || t->minus_infinity)
        *word = infinity_word(d, t->minus_infinity);
    else
        return false;
    return true;
}

/* units * 2^exp as D: f32 is cut toward zero and overflows to infinity, f16 rounds to nearest even; zero is +0. */
static uint64_t round_sum(const struct num_dot_model *model, enum num_format d, int64_t units, int32_t exp)
{
    if (units == 0)
        return 0;
    const struct num_exact sum = {
        .sig = units < 0 ? 0 - (uint64_t)units : (uint64_t)units, .exp = exp, .negative = units < 0};
    const struct num_round_how nearest = {.mode = NUM_RN};
    const struct num_round_how truncate = {.mode = NUM_RZ, .overflow = NUM_OVERFLOW_INFINITY, .drop_bits = model->drop_bits};
    const uint64_t word = tw_num_pack(d, d == NUM_F16 ? nearest : truncate, sum);
    return (word & (bits_mask(tw_num_bits(d) - 1))) == 0 ? 0 : word;
}

static void raise(int32_t *max, bool *any, const struct term *t)
{
    if (t->sig != 0 && (!*any || t->top > *max)) {
        *max = t->top;
        *any = true;
    }
}

static struct num_value element(enum num_format f, bool negate, uint64_t word)
{
    struct num_value v = tw_num_decode(f, word);
    v.negative = v.negative != negate;
    return v;
}

/* The operands of one evaluation, so that helpers take one argument instead of seven. */
struct dot_call {
    const struct num_dot_model *model;
    const struct num_dot_how *how;
    unsigned n;
    const uint64_t *a, *b, *c, *scale_a, *scale_b;
    const struct num_dot_observer *observer; /* NULL: nobody looks */
};

static struct num_dot_part part_of(enum num_part_kind kind, const struct term *t, int32_t unit)
{
    return (struct num_dot_part){.kind = kind, .k = t->k, .count = 1, .sig = t->sig, .exp = t->exp, .top = t->top,
                                 .unit = unit, .units = cut(t->sig, t->exp, unit)};
}

/* Tells the observer of a window whose summands are products. */
static void tell_window(const struct dot_call *call, const struct dot_terms *t, struct num_dot_window w)
{
    struct num_dot_part parts[TW_NUM_DOT_MAX + 1];
    if (call->observer == NULL)
        return;
    for (unsigned i = 0; i < t->count; i++)
        parts[i] = part_of(NUM_PART_PRODUCT, &t->product[i], w.unit);
    parts[t->count] = part_of(NUM_PART_C, &t->c, w.unit);
    w.part = parts;
    w.count = t->count + 1;
    w.nan = t->nan;
    w.plus_infinity = t->plus_infinity;
    w.minus_infinity = t->minus_infinity;
    call->observer->window(call->observer->context, &w);
}

/* True if NaN or infinity decides the result. */
static bool special_window(const struct dot_call *call, const struct dot_terms *t, uint64_t *word)
{
    if (!special_result(t, call->how->d, word))
        return false;
    if (call->observer != NULL) /* the finite terms are shown, but nothing is aligned */
        call->observer->window(call->observer->context,
                               &(struct num_dot_window){.special = true, .nan = t->nan, .plus_infinity = t->plus_infinity,
                                                        .minus_infinity = t->minus_infinity, .d = *word});
    return true;
}

/* One window over all products of `t` and C. */
static uint64_t window_sum(const struct dot_call *call, const struct dot_terms *t)
{
    uint64_t word;
    if (special_window(call, t, &word))
        return word;
    int32_t top = 0;
    bool any = false;
    raise(&top, &any, &t->c);
    for (unsigned i = 0; i < t->count; i++)
        raise(&top, &any, &t->product[i]);
    const int32_t unit = top - call->model->window_bits;
    int64_t units = cut(t->c.sig, t->c.exp, unit);
    for (unsigned i = 0; i < t->count; i++)
        units += cut(t->product[i].sig, t->product[i].exp, unit);
    word = round_sum(call->model, call->how->d, units, unit);
    tell_window(call, t, (struct num_dot_window){.top = top, .unit = unit, .units = units, .d = word});
    return word;
}

/* Products [first, first+count) with their scales. */
static void gather(const struct dot_call *call, struct dot_terms *t, unsigned first, unsigned count)
{
    const struct num_dot_how *how = call->how;
    t->count = 0;
    t->nan = t->plus_infinity = t->minus_infinity = false;
    for (unsigned k = first; k < first + count; k++) {
        add_product(t, k, element(how->a, how->negate_a, call->a[k]), element(how->b, how->negate_b, call->b[k]));
        if (call->scale_a != NULL) {
            const unsigned block = k / how->scale_block;
            scale_product(t, &t->product[t->count - 1], tw_num_decode(how->scale, call->scale_a[block]),
                          tw_num_decode(how->scale, call->scale_b[block]));
        }
    }
}

/* The instruction's K in pieces that share a window; D of one piece is C of the next. */
static uint64_t dot_window(const struct dot_call *call)
{
    const unsigned chunk = call->model->chunk == 0 || call->model->chunk > call->n ? call->n : call->model->chunk;
    const uint64_t *c = call->c;
    int scale_log2 = call->how->scale_c_log2;
    uint64_t d = 0;
    for (unsigned first = 0; first < call->n; first += chunk) {
        struct dot_terms t;
        gather(call, &t, first, chunk < call->n - first ? chunk : call->n - first);
        set_accumulator(&t, call->how->d, c, scale_log2);
        d = window_sum(call, &t);
        c = &d;
        scale_log2 = 0;
    }
    return d;
}

/* Moves an exact value into f16: all of e4m3 and e5m2 fits, and e4m3's subnormals become normal numbers. */
static struct num_value as_f16(struct num_value v)
{
    if (v.cls != NUM_FINITE)
        return v;
    const uint64_t word = tw_num_pack(NUM_F16, (struct num_round_how){0},
                                      (struct num_exact){.sig = v.sig, .exp = v.exp, .negative = v.negative});
    return tw_num_decode(NUM_F16, word);
}

/* fp8 mma.sync where the hardware has none: two f16 windows, over k mod 4 in {0,1} and then {2,3}, start from zero;
 * C is added at the end, rounding to nearest even.
 * MEASURED: mma_fp8 (sm_90a); read from the code that ptxas 13.0 emits for sm_90a, sm_100a and sm_103a. */
static uint64_t dot_two_step_f16(const struct dot_call *call)
{
    const struct num_dot_how *how = call->how;
    uint64_t sum = 0;
    for (unsigned step = 0; step < 2; step++) {
        struct dot_terms t = {.count = 0};
        for (unsigned k = 0; k < call->n; k++)
            if (k % 4 / 2 == step)
                add_product(&t, k, as_f16(element(how->a, how->negate_a, call->a[k])),
                            as_f16(element(how->b, how->negate_b, call->b[k])));
        set_accumulator(&t, how->d, step == 0 ? NULL : &sum, 0);
        sum = window_sum(call, &t);
    }
    return call->c == NULL ? sum : tw_num_add(how->d, (struct num_ops){0}, *call->c, sum);
}

static uint64_t dot_fma_chain(const struct dot_call *call)
{
    const struct num_dot_how *how = call->how;
    uint64_t d = call->c == NULL ? 0 : *call->c;
    for (unsigned k = 0; k < call->n; k++) {
        const uint64_t a = how->negate_a ? tw_num_neg(how->a, (struct num_ops){0}, call->a[k]) : call->a[k];
        const uint64_t b = how->negate_b ? tw_num_neg(how->b, (struct num_ops){0}, call->b[k]) : call->b[k];
        d = tw_num_fma(how->d, (struct num_ops){.rounding = how->rounding}, a, b, d);
    }
    return d;
}

/* A word of f16 as one of f32, which holds it exactly. */
static uint64_t as_f32(enum num_format f, bool negate, uint64_t word)
{
    const uint64_t wide = tw_num_convert(&(struct num_convert_how){.to = NUM_F32, .from = f}, word);
    return negate ? tw_num_neg(NUM_F32, (struct num_ops){0}, wide) : wide;
}

static uint64_t f32_step(const struct dot_call *call, enum num_step_kind kind, unsigned k, uint64_t word)
{
    if (call->observer != NULL)
        call->observer->step(call->observer->context, &(struct num_dot_step){kind, k, word});
    return word;
}

/* p + a[k] * b[k], rounded once; `first`: p is not there, and the product keeps the sign of a zero. */
static uint64_t f32_multiply_add(const struct dot_call *call, unsigned k, bool first, uint64_t p)
{
    const struct num_dot_how *how = call->how;
    const uint64_t a = as_f32(how->a, how->negate_a, call->a[k]), b = as_f32(how->b, how->negate_b, call->b[k]);
    return first ? f32_step(call, NUM_STEP_PRODUCT, k, tw_num_mul(NUM_F32, (struct num_ops){0}, a, b))
                 : f32_step(call, NUM_STEP_FMA, k, tw_num_fma(NUM_F32, (struct num_ops){0}, a, b, p));
}

/* m8n8k4 of f16 to f32 where the hardware has none.
 * MEASURED: mma_m8n8k4 (sm_90a); read from the code that ptxas 13.0 emits for every target from sm_80 on. */
static uint64_t dot_f32_chain(const struct dot_call *call)
{
    uint64_t p = 0;
    for (unsigned k = 0; k < call->n; k++)
        p = f32_multiply_add(call, k, false, p);
    return call->c == NULL ? p : f32_step(call, NUM_STEP_ADD_C, 0, tw_num_add(NUM_F32, (struct num_ops){0}, *call->c, p));
}

/* The same to f16: another order, and what is rounded to f16 has been rounded to f32. */
static uint64_t dot_f32_pairs(const struct dot_call *call)
{
    uint64_t sum = call->c == NULL ? 0 : as_f32(call->how->d, false, *call->c);
    for (unsigned k = 0; k < call->n; k += 2) {
        uint64_t p = f32_multiply_add(call, k, true, 0);
        if (k + 1 < call->n)
            p = f32_multiply_add(call, k + 1, false, p);
        sum = f32_step(call, NUM_STEP_ADD_PAIR, k, tw_num_add(NUM_F32, (struct num_ops){0}, sum, p));
    }
    return tw_num_convert(&(struct num_convert_how){.to = call->how->d, .from = NUM_F32, .rounding = NUM_RN}, sum);
}

/* Exact in 64 bits: 256 products of at most 2^16 and a 32-bit C. Wraps, or clamps once after the whole sum. */
static uint64_t dot_integer(const struct dot_call *call)
{
    const struct num_dot_how *how = call->how;
    int64_t sum = call->c == NULL ? 0 : tw_num_extend(how->d, *call->c);
    for (unsigned k = 0; k < call->n; k++) {
        const int64_t product = tw_num_extend(how->a, call->a[k]) * tw_num_extend(how->b, call->b[k]);
        sum += how->negate_a != how->negate_b ? -product : product;
    }
    if (how->saturate && sum > INT32_MAX)
        sum = INT32_MAX;
    if (how->saturate && sum < INT32_MIN)
        sum = INT32_MIN;
    return (uint64_t)sum & UINT32_MAX;
}

static uint64_t dot_bits(const struct dot_call *call)
{
    uint64_t sum = call->c == NULL ? 0 : *call->c;
    for (unsigned k = 0; k < call->n; k++)
        sum += (call->how->bits_and ? call->a[k] & call->b[k] : call->a[k] ^ call->b[k]) & 1;
    return sum & UINT32_MAX;
}

/* A group of products that share their scales, summed exactly. */
struct group_sum {
    int64_t sig;
    int32_t exp;       /* the lowest exponent among its products                   */
    int32_t top;       /* the largest exponent among its nonzero products          */
    int32_t scale_top;
    uint16_t k, count; /* its products                                             */
    bool any;          /* has a nonzero product; the sum itself may still be zero  */
};

static struct group_sum sum_group(const struct term *p, unsigned count)
{
    struct group_sum g = {.k = p->k, .count = (uint16_t)count};
    for (unsigned i = 0; i < count; i++) {
        if (p[i].sig == 0)
            continue;
        if (!g.any || p[i].exp < g.exp)
            g.exp = p[i].exp;
        if (!g.any || p[i].top > g.top)
            g.top = p[i].top;
        g.scale_top = p[i].scale_top;
        g.any = true;
    }
    for (unsigned i = 0; i < count; i++)
        if (p[i].sig != 0)
            g.sig += p[i].sig * (INT64_C(1) << (p[i].exp - g.exp));
    return g;
}

enum { GROUP_SMALL = 4, GROUP_MAX = TW_NUM_DOT_MAX / GROUP_SMALL };

/* What the block-scaled fp4 kinds are aligned by. */
struct fp4_frame {
    struct group_sum group[GROUP_MAX];
    unsigned groups;
    int32_t top, scale_top; /* largest product exponent, largest sum of scale exponents, over nonzero products */
    bool any;
    struct term c;
    bool c_leads;           /* C is nonzero and its exponent is not below any product's */
    int32_t unit;           /* exponent of one unit of the sum                          */
    bool own_units;         /* ue8m0: a group below C's exponent is cut at C's window   */
    int window_bits;        /* below C when C leads                                     */
};

/* C leads: 35 bits below C. Otherwise 39 bits below the largest exponent, but never finer than 35 below the scales. */
static void set_unit(struct fp4_frame *f)
{
    const int wider = f->window_bits + 4;
    f->c_leads = f->c.sig != 0 && f->c.top >= f->top;
    if (f->c_leads) {
        f->unit = f->c.top - f->window_bits;
        return;
    }
    f->unit = f->top - wider; /* the products' exponent is the larger one here */
    if (f->scale_top - f->window_bits > f->unit)
        f->unit = f->scale_top - f->window_bits;
}

static void form_groups(struct fp4_frame *f, const struct dot_terms *t, unsigned size)
{
    f->groups = 0;
    f->any = false;
    for (unsigned first = 0; first < t->count; first += size) {
        const struct group_sum g = sum_group(&t->product[first], size < t->count - first ? size : t->count - first);
        f->group[f->groups++] = g;
        if (!g.any)
            continue;
        if (!f->any || g.top > f->top)
            f->top = g.top;
        if (!f->any || g.scale_top > f->scale_top)
            f->scale_top = g.scale_top;
        f->any = true;
    }
}

/* Where a group is cut. */
static int32_t group_unit(const struct fp4_frame *f, const struct group_sum *g)
{
    const int32_t below_c = f->c.top - f->window_bits;
    const bool by_c = f->own_units && !f->c_leads && f->c.sig != 0 && f->c.top >= g->top && below_c > f->unit;
    return by_c ? below_c : f->unit;
}

/* One group in units of the sum. */
static int64_t group_units(const struct fp4_frame *f, const struct group_sum *g)
{
    const int32_t unit = group_unit(f, g);
    return cut(g->sig, g->exp, unit) * (INT64_C(1) << (unit - f->unit));
}

/* A group of smaller scale that a subnormal result leaves out. */
static bool is_faint(const struct fp4_frame *f, const struct group_sum *g)
{
    const int64_t part = group_units(f, g);
    const int32_t faint_log2 = f->unit >= -174 ? 0 : -174 - f->unit;
    const uint64_t magnitude = part < 0 ? 0 - (uint64_t)part : (uint64_t)part;
    return g->scale_top < f->scale_top && (faint_log2 > 62 || magnitude < UINT64_C(1) << faint_log2);
}

static int64_t frame_units(const struct fp4_frame *f, bool leave_out_faint)
{
    int64_t units = cut(f->c.sig, f->c.exp, f->unit);
    for (unsigned i = 0; i < f->groups; i++)
        if (f->group[i].any && !(leave_out_faint && is_faint(f, &f->group[i])))
            units += group_units(f, &f->group[i]);
    return units;
}

/* Sum and rounding of a frame, told to the observer. */
static uint64_t frame_sum(const struct dot_call *call, const struct fp4_frame *f, int32_t top, bool leave_out_faint)
{
    const int64_t units = frame_units(f, leave_out_faint);
    const uint64_t word = round_sum(call->model, call->how->d, units, f->unit);
    struct num_dot_part parts[GROUP_MAX + 1];
    if (call->observer == NULL)
        return word;
    for (unsigned i = 0; i < f->groups; i++) {
        const struct group_sum *g = &f->group[i];
        parts[i] = (struct num_dot_part){.kind = NUM_PART_GROUP, .k = g->k, .count = g->count, .sig = g->sig, .exp = g->exp,
                                         .top = g->top, .unit = group_unit(f, g), .units = g->any ? group_units(f, g) : 0,
                                         .left_out = leave_out_faint && g->any && is_faint(f, g)};
    }
    parts[f->groups] = part_of(NUM_PART_C, &f->c, f->unit);
    const struct num_dot_window w = {.part = parts, .count = f->groups + 1, .again = leave_out_faint, .top = top, .unit = f->unit,
                                     .units = units, .d = word};
    call->observer->window(call->observer->context, &w);
    return word;
}

static bool is_subnormal_f32(uint64_t word)
{
    return (word & 0x7fffffff) != 0 && (word & 0x7f800000) == 0;
}

/* mxf4 and mxf4nvf4 on sm_100. Groups are of 16 while C leads or scales are ue8m0, and of 4 with ue4m3 scales else.
 * A subnormal result under ue8m0 scales is formed again without the faint groups of smaller scale.
 * MEASURED: by others, on sm_100a; see the rows' source. */
static uint64_t dot_groups(const struct dot_call *call)
{
    const struct num_dot_model *model = call->model;
    struct dot_terms t;
    gather(call, &t, 0, call->n);
    set_accumulator(&t, call->how->d, call->c, call->how->scale_c_log2);
    uint64_t word;
    if (special_window(call, &t, &word))
        return word;

    struct fp4_frame f = {.c = t.c, .window_bits = model->window_bits, .own_units = call->how->scale == NUM_UE8M0};
    form_groups(&f, &t, model->group);
    if (!f.any) {
        f.unit = f.c.exp; /* C alone passes as it is */
        return frame_sum(call, &f, f.c.top, false);
    }
    set_unit(&f);
    if (!f.c_leads && call->how->scale == NUM_UE4M3)
        form_groups(&f, &t, GROUP_SMALL);
    const int32_t top = f.c_leads ? f.c.top : f.top;
    word = frame_sum(call, &f, top, false);
    if (call->how->scale == NUM_UE8M0 && is_subnormal_f32(word))
        word = frame_sum(call, &f, top, true);
    return word;
}

/* The simpler published model: every group of 16 is one term whose exponent is that of its scales.
 * Groups without a nonzero product do not exist, as on every part that was measured. */
static uint64_t dot_scale_groups(const struct dot_call *call)
{
    const struct num_dot_model *model = call->model;
    struct dot_terms t;
    gather(call, &t, 0, call->n);
    set_accumulator(&t, call->how->d, call->c, call->how->scale_c_log2);
    uint64_t word;
    if (special_window(call, &t, &word))
        return word;
    struct fp4_frame f = {.c = t.c};
    form_groups(&f, &t, model->group);
    if (!f.any && f.c.sig == 0)
        return 0;
    int32_t top = f.any ? f.scale_top : f.c.top;
    if (f.c.sig != 0 && f.c.top > top)
        top = f.c.top;
    f.unit = top - model->window_bits;
    return frame_sum(call, &f, top, false);
}

typedef uint64_t dot_evaluation(const struct dot_call *call);

static dot_evaluation *const evaluations[] = {
    [NUM_DOT_WINDOW] = dot_window,
    [NUM_DOT_TWO_STEP_F16] = dot_two_step_f16,
    [NUM_DOT_GROUPS] = dot_groups,
    [NUM_DOT_SCALE_GROUPS] = dot_scale_groups,
    [NUM_DOT_FMA_CHAIN] = dot_fma_chain,
    [NUM_DOT_F32_CHAIN] = dot_f32_chain,
    [NUM_DOT_F32_PAIRS] = dot_f32_pairs,
    [NUM_DOT_INTEGER] = dot_integer,
    [NUM_DOT_BITS] = dot_bits,
};

uint64_t tw_num_dot_observed(const struct num_dot_model *model, const struct num_dot_how *how, unsigned n, const uint64_t *a,
                             const uint64_t *b, const uint64_t *c, const uint64_t *scale_a, const uint64_t *scale_b,
                             const struct num_dot_observer *observer)
{
    assert(n <= TW_NUM_DOT_MAX);
    assert((scale_a == NULL) == (scale_b == NULL) && (scale_a == NULL || how->scale_block != 0));
    const struct dot_call call = {model, how, n, a, b, c, scale_a, scale_b, observer};
    return evaluations[model->method](&call);
}

uint64_t tw_num_dot(const struct num_dot_model *model, const struct num_dot_how *how, unsigned n, const uint64_t *a,
                    const uint64_t *b, const uint64_t *c, const uint64_t *scale_a, const uint64_t *scale_b)
{
    return tw_num_dot_observed(model, how, n, a, b, c, scale_a, scale_b, NULL);
}

void tw_num_dot_tile(const struct num_dot_model *model, const struct num_dot_how *how, const struct num_tile *tile)
{
    const unsigned blocks = how->scale_block == 0 ? 0 : (tile->k + how->scale_block - 1) / how->scale_block;
    for (unsigned i = 0; i < tile->m; i++)
        for (unsigned j = 0; j < tile->n; j++) {
            uint64_t *const d = &tile->d[(size_t)i * tile->n + j];
            const uint64_t *const scale_a = tile->scale_a == NULL ? NULL : tile->scale_a + (size_t)i * blocks;
            const uint64_t *const scale_b = tile->scale_b == NULL ? NULL : tile->scale_b + (size_t)j * blocks;
            *d = tw_num_dot(model, how, tile->k, tile->a + (size_t)i * tile->k, tile->b + (size_t)j * tile->k,
                            tile->read_c ? d : NULL, scale_a, scale_b);
        }
}
