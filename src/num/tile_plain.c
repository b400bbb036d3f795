/* Tile kernels in plain C with 64-bit integers: the implementation "scalar64", and for the vector kernels the exact
 * evaluation of single elements that their quick path does not cover. */
#include "num/tile_parts.h"

#include "base/bits.h"
#include "num/arith.h"
#include "num/round.h"

#include <math.h>
#include <string.h>

static const uint32_t f32_sign = 0x80000000u, f32_infinity = 0x7f800000u, f32_nan = 0x7fffffffu;

/* ---- f16 in f32 words ---- */

static uint32_t widen_f16(uint16_t word)
{
    const uint32_t sign = (uint32_t)(word & 0x8000) << 16, field = word >> 10 & 31, fraction = word & 1023;
    if (field == 31)
        return sign | f32_infinity | fraction << 13;
    if (field != 0)
        return sign | (field + 112) << 23 | fraction << 13;
    if (fraction == 0)
        return sign;
    const unsigned log2 = log2_floor(fraction); /* a subnormal f16 is a normal f32 */
    return sign | (log2 + 103) << 23 | (fraction << (23 - log2) & 0x7fffff);
}

/* Exact: the value is an f16's. */
static uint16_t narrow_f16(uint32_t word)
{
    const uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
    if (magnitude >= f32_infinity)
        return (uint16_t)(sign | 0x7c00 | (magnitude > f32_infinity ? 0x200 | (magnitude >> 13 & 0x3ff) : 0));
    if (magnitude >= 113u << 23)
        return (uint16_t)(sign | ((magnitude - (112u << 23)) >> 13));
    if (magnitude == 0)
        return (uint16_t)sign;
    const uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
    return (uint16_t)(sign | significand >> (126 - (magnitude >> 23)));
}

static void widen(uint32_t *f32, const uint16_t *f16, size_t count)
{
    for (size_t i = 0; i < count; i++)
        f32[i] = widen_f16(f16[i]);
}

static void narrow(uint16_t *f16, const uint32_t *f32, size_t count)
{
    for (size_t i = 0; i < count; i++)
        f16[i] = narrow_f16(f32[i]);
}

static void add(uint32_t *acc, const uint32_t *sum, size_t count, bool half)
{
    const struct num_ops nearest = {0};
    for (size_t i = 0; i < count; i++)
        acc[i] = half ? widen_f16((uint16_t)tw_num_add(NUM_F16, nearest, narrow_f16(acc[i]), narrow_f16(sum[i])))
                      : (uint32_t)tw_num_add(NUM_F32, nearest, acc[i], sum[i]);
}

/* ---- Windows ---- */

bool tw_num_tile_fixed_lead(enum num_format f, int *lead)
{
    const struct num_format_info *info = tw_num_format(f);
    const int reserved = info->specials == NUM_IEEE ? 1 : 0;
    *lead = (int)bits_mask(info->exponent_bits) - reserved - info->bias;
    return 1 - info->bias - *lead >= TILE_TOP_LEAST;
}

static void decode_row(const struct tile_side *s, unsigned row, unsigned count)
{
    const unsigned low = tw_num_format(s->format)->unused_low_bits;
    int32_t *const sig = s->sig + (size_t)row * TILE_WINDOW_MAX;
    int16_t *const top = s->exact_top + (size_t)row * TILE_WINDOW_MAX;
    const struct num_value scale =
        s->scale == NULL ? (struct num_value){.cls = NUM_FINITE} : tw_num_decode(NUM_UE8M0, s->scale[row]);
    s->state[row] = scale.cls == NUM_FINITE ? TILE_FINITE : TILE_SPECIAL;
    for (unsigned i = 0; i < count; i++) {
        const struct num_value v = tw_num_decode(s->format, (uint64_t)s->words[(size_t)i * s->padded + row] << low);
        if (v.cls == NUM_NAN || v.cls == NUM_INFINITE)
            s->state[row] = TILE_SPECIAL;
        sig[i] = v.cls != NUM_FINITE ? 0 : v.negative != s->negate ? -(int32_t)v.sig : (int32_t)v.sig;
        top[i] = (int16_t)(v.top + scale.top);
    }
}

/* |sig * 2^-down| cut to an integer, with its sign; down is not negative. */
static inline int64_t cut(int64_t sig, int down)
{
    const int64_t sign = sig >> 63; /* -1 or 0 */
    const int64_t kept = (int64_t)((uint64_t)((sig ^ sign) - sign) >> (down < 63 ? down : 63));
    return (kept ^ sign) - sign;
}

/* f32 words of units * 2^unit, in the ranges where the result is a normal number; others go through tw_num_pack. */
static uint32_t round_f32(uint64_t magnitude, int unit, unsigned drop_bits)
{
    const int log2 = (int)log2_floor(magnitude), exponent = log2 + unit;
    if (exponent < -126 || exponent > 127)
        return (uint32_t)tw_num_pack(
            NUM_F32, (struct num_round_how){.mode = NUM_RZ, .overflow = NUM_OVERFLOW_INFINITY, .drop_bits = (uint8_t)drop_bits},
            (struct num_exact){.sig = magnitude, .exp = unit});
    const uint64_t kept = log2 > 23 ? magnitude >> (log2 - 23) : magnitude << (23 - log2);
    return ((uint32_t)(exponent + 126) << 23) + ((uint32_t)kept & ~(uint32_t)bits_mask(drop_bits));
}

static uint32_t round_f16(uint64_t magnitude, int unit)
{
    const int log2 = (int)log2_floor(magnitude), exponent = log2 + unit;
    if (exponent < -14 || exponent > 15)
        return widen_f16((uint16_t)tw_num_pack(NUM_F16, (struct num_round_how){.mode = NUM_RN},
                                               (struct num_exact){.sig = magnitude, .exp = unit}));
    uint64_t kept = magnitude << 10 >> log2;
    if (log2 > 10) {
        const uint64_t half = UINT64_C(1) << (log2 - 11), below = magnitude & (2 * half - 1);
        kept = magnitude >> (log2 - 10);
        kept += below > half || (below == half && (kept & 1) != 0) ? 1 : 0;
    }
    const uint32_t word = ((uint32_t)(exponent + 126) << 23) + (uint32_t)(kept << 13);
    return word >= 143u << 23 ? f32_infinity : word;
}

static uint32_t round_units(const struct tile_window *w, int64_t units, int unit)
{
    if (units == 0)
        return 0;
    const uint64_t magnitude = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
    const uint32_t word = w->half ? round_f16(magnitude, unit) : round_f32(magnitude, unit, w->model->drop_bits);
    return word == 0 ? 0 : word | (units < 0 ? f32_sign : 0);
}

enum { ABSENT = INT32_MIN / 4 };

static uint32_t nan_of(const struct tile_window *w)
{
    return w->half ? widen_f16(0x7fff) : f32_nan;
}

/* The products of one element and the largest exponent among those that are not zero. */
struct products {
    int32_t sig[TILE_WINDOW_MAX], top[TILE_WINDOW_MAX], most;
};

static void multiply(const struct tile_window *w, unsigned row, unsigned lane, struct products *p)
{
    const int32_t *const x = w->rows.sig + (size_t)row * TILE_WINDOW_MAX, *const y = w->lanes.sig + (size_t)lane * TILE_WINDOW_MAX;
    const int16_t *const xt = w->rows.exact_top + (size_t)row * TILE_WINDOW_MAX;
    const int16_t *const yt = w->lanes.exact_top + (size_t)lane * TILE_WINDOW_MAX;
    p->most = ABSENT;
    for (unsigned i = 0; i < w->count; i++) {
        p->sig[i] = x[i] * y[i];
        p->top[i] = p->sig[i] == 0 ? ABSENT : xt[i] + yt[i];
        p->most = p->top[i] > p->most ? p->top[i] : p->most;
    }
}

/* The window of numerics.md, section 3, for finite factors. A window has at least as many bits as a product's fraction,
 * so that terms are first moved up by what is left over, and then down by their distance from the largest exponent. */
static uint32_t finite_element(const struct tile_window *w, unsigned row, unsigned lane, uint32_t c)
{
    const int fraction = tw_num_format(w->rows.format)->fraction_bits + tw_num_format(w->lanes.format)->fraction_bits;
    const int spare = w->model->window_bits - fraction, c_spare = 2; /* C's 24 bits may be more than the window's */
    const uint32_t magnitude = c & 0x7fffffff;
    if (magnitude >= f32_infinity)
        return magnitude > f32_infinity ? nan_of(w) : c;

    struct products p;
    multiply(w, row, lane, &p);
    const int field = (int)(magnitude >> 23), least = w->half ? -14 : -126, c_exponent = field == 0 ? -126 : field - 127;
    const int c_top = magnitude == 0 ? ABSENT : c_exponent < least ? least : c_exponent, top = c_top > p.most ? c_top : p.most;
    if (top == ABSENT)
        return 0;
    const int unit = top - w->model->window_bits;
    const int64_t c_sig = (int64_t)((magnitude & 0x7fffff) | (field == 0 ? 0u : 0x800000u)) << c_spare;
    int64_t units = 0;
    if (c_top != ABSENT)
        units = cut((c & f32_sign) != 0 ? -c_sig : c_sig, unit - (c_exponent - 23) + c_spare);
    for (unsigned i = 0; i < w->count; i++)
        units += cut((int64_t)p.sig[i] * (INT64_C(1) << spare), top - p.top[i]);
    return round_units(w, units, unit);
}

static void collect(const struct tile_side *s, unsigned row, unsigned count, uint64_t *words)
{
    const unsigned low = tw_num_format(s->format)->unused_low_bits;
    for (unsigned i = 0; i < count; i++)
        words[i] = (uint64_t)s->words[(size_t)i * s->padded + row] << low;
}

static uint32_t reference_element(const struct tile_window *w, unsigned row, unsigned lane, uint32_t c)
{
    uint64_t x[TILE_WINDOW_MAX], y[TILE_WINDOW_MAX], xs = 0, ys = 0;
    const uint64_t c_word = w->half ? narrow_f16(c) : c;
    collect(&w->rows, row, w->count, x);
    collect(&w->lanes, lane, w->count, y);
    const bool scaled = w->rows.scale != NULL;
    if (scaled) {
        xs = w->rows.scale[row];
        ys = w->lanes.scale[lane];
    }
    const bool swap = w->lanes_are_a;
    const uint64_t d = tw_num_dot(w->model, w->how, w->count, swap ? y : x, swap ? x : y, &c_word,
                                  !scaled ? NULL
                                  : swap  ? &ys
                                          : &xs,
                                  !scaled ? NULL
                                  : swap  ? &xs
                                          : &ys);
    return w->half ? widen_f16((uint16_t)d) : (uint32_t)d;
}

uint32_t tw_num_tile_exact(struct tile_window *w, unsigned row, unsigned lane, uint32_t c)
{
    if (w->rows.state[row] == TILE_RAW)
        decode_row(&w->rows, row, w->count);
    if (w->lanes.state[lane] == TILE_RAW)
        decode_row(&w->lanes, lane, w->count);
    if (w->rows.state[row] == TILE_SPECIAL || w->lanes.state[lane] == TILE_SPECIAL)
        return reference_element(w, row, lane, c);
    return finite_element(w, row, lane, c);
}

static void window(struct tile_window *w)
{
    for (unsigned row = 0; row < w->rows.rows; row++)
        for (unsigned lane = 0; lane < w->lanes.rows; lane++) {
            uint32_t *const acc = &w->acc[row * w->acc_stride + lane];
            *acc = tw_num_tile_exact(w, row, lane, *acc);
        }
}

/* ---- Integers ---- */

static int32_t pair_product(uint32_t x, uint32_t y)
{
    return (int16_t)x * (int16_t)y + (int16_t)(x >> 16) * (int16_t)(y >> 16);
}

static uint32_t add_clamped(uint32_t acc, int32_t sum)
{
    const int64_t exact = (int64_t)(int32_t)acc + sum;
    return exact > INT32_MAX ? (uint32_t)INT32_MAX : exact < INT32_MIN ? (uint32_t)INT32_MIN : (uint32_t)exact;
}

static void integers(const struct tile_integers *t)
{
    for (unsigned row = 0; row < t->rows; row++)
        for (unsigned lane = 0; lane < t->lanes; lane++) {
            uint32_t *const acc = &t->acc[row * t->acc_stride + lane];
            int32_t sum = 0; /* at most 256 products of less than 2^16 */
            for (unsigned i = 0; i < t->pairs; i++)
                sum +=
                    pair_product(t->row_pairs[(size_t)i * t->rows_padded + row], t->lane_pairs[(size_t)i * t->lanes_padded + lane]);
            *acc = t->saturate ? add_clamped(*acc, sum) : *acc + (uint32_t)sum;
        }
}

/* ---- Block-scaled fp4 ---- */

static int group_dot(const struct tile_groups *t, unsigned group, unsigned row, unsigned lane)
{
    int sum = -t->lane.twelfths[(size_t)group * t->lane.padded + lane];
    for (unsigned q = group * TILE_GROUP / 4; q < (group + 1) * TILE_GROUP / 4; q++) {
        const uint32_t x = t->row.quads[(size_t)q * t->row.padded + row], y = t->lane.quads[(size_t)q * t->lane.padded + lane];
        for (unsigned i = 0; i < 32; i += 8)
            sum += (int)(x >> i & 0xff) * (int8_t)(y >> i);
    }
    return sum;
}

static int group_top(const struct tile_groups *t, unsigned group, unsigned row, unsigned lane)
{
    int top = 2 * TILE_TOP_ZERO;
    for (unsigned i = group * TILE_GROUP; i < (group + 1) * TILE_GROUP; i++) {
        const int sum = t->row.top[(size_t)i * t->row.padded + row] + t->lane.top[(size_t)i * t->lane.padded + lane];
        top = sum > top ? sum : top;
    }
    return top;
}

/* An f64 power of two; the exponents of these kinds stay within 600. */
static double power(int exponent)
{
    const uint64_t word = (uint64_t)(1023 + exponent) << 52;
    double d;
    memcpy(&d, &word, sizeof d);
    return d;
}

/* SOURCE: numerics-blackwell.md, mxf4 and mxf4nvf4. Sums of groups are exact in f64, and so are their multiples by powers of two.
 * With all groups' scales within TILE_SCALE_SPREAD, cutting at 35 bits below the largest scale cuts no group, so groups of
 * four, of sixteen and those with a unit of their own all give the same sum. */
static uint32_t groups_element(const struct tile_groups *t, unsigned row, unsigned lane, uint32_t c)
{
    const uint32_t magnitude = c & 0x7fffffff;
    int product_top = INT32_MIN, scale_top = INT32_MIN, scale_least = INT32_MAX, dot[TILE_GROUPS_MAX];
    for (unsigned g = 0; g < t->groups; g++) {
        const int scale = t->row.scale_top[(size_t)g * t->row.padded + row] + t->lane.scale_top[(size_t)g * t->lane.padded + lane];
        const int top = group_top(t, g, row, lane);
        dot[g] = group_dot(t, g, row, lane);
        if (top < 0)
            continue;
        product_top = top + scale > product_top ? top + scale : product_top;
        scale_top = scale > scale_top ? scale : scale_top;
        scale_least = scale < scale_least ? scale : scale_least;
    }
    const bool none = product_top == INT32_MIN;
    const int field = (int)(magnitude >> 23), c_top = magnitude == 0 ? INT32_MIN : field == 0 ? -126 : field - 127;
    const bool by_c = t->by_scales ? c_top > scale_top : c_top >= product_top;
    const bool spread = !none && !by_c && !t->by_scales && scale_top - scale_least >= TILE_SCALE_SPREAD;
    if (t->row.forced[row] != 0 || t->lane.forced[lane] != 0 || field == 255 || spread)
        return t->exact(t->context, row, lane, c);
    if (none && magnitude == 0)
        return 0;

    const int unit = (by_c ? c_top : scale_top) - t->window_bits;
    float c_value;
    memcpy(&c_value, &c, sizeof c_value);
    double units = trunc((double)c_value * power(-unit));
    for (unsigned g = 0; g < t->groups; g++)
        units += trunc(dot[g] * 0.25 *
                       (t->row.scale[(size_t)g * t->row.padded + row] * t->lane.scale[(size_t)g * t->lane.padded + lane]) *
                       power(-unit));
    if (units == 0)
        return 0;
    const uint32_t word = round_f32((uint64_t)fabs(units), unit, 0);
    return word < 0x800000 ? t->exact(t->context, row, lane, c) : word | (units < 0 ? f32_sign : 0);
}

static void groups(const struct tile_groups *t)
{
    for (unsigned row = 0; row < t->rows; row++)
        for (unsigned lane = 0; lane < t->lanes; lane++) {
            uint32_t *const acc = &t->acc[row * t->acc_stride + lane];
            *acc = groups_element(t, row, lane, *acc);
        }
}

/* ---- f64 ---- */

static void chain(const struct tile_chain *t)
{
    for (unsigned row = 0; row < t->rows; row++)
        for (unsigned lane = 0; lane < t->lanes; lane++) {
            double acc = t->acc[(size_t)row * t->lanes_padded + lane];
            for (unsigned i = 0; i < t->count; i++)
                acc = fma(t->row_values[(size_t)i * t->rows_padded + row], t->lane_values[(size_t)i * t->lanes_padded + lane], acc);
            t->acc[(size_t)row * t->lanes_padded + lane] = acc;
        }
}

const struct tile_kernels tw_num_tile_plain = {
    .window = window, .integers = integers, .groups = groups, .chain = chain, .widen = widen, .narrow = narrow, .add = add};
