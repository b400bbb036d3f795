/* Tile kernels for CPUs with AVX2, FMA and F16C: the quick path of tile_avx512.c with 8 lanes a vector and without
 * masks, 64-bit conversions and directed rounding. Why it is exact is said there; what is done otherwise is said here. */
#include "num/tile_parts.h"

#if defined __x86_64__
#include <immintrin.h>
#include <string.h>

#define VECTOR_LANES 8
#define VECTOR __attribute__((target("avx2,fma,f16c")))
#define INLINE VECTOR static inline __attribute__((always_inline))
#include "num/tile_prepare.inc"

enum { V = VECTOR_LANES, BLOCK = 4 * V, EXP_LOW = 127 - 90, EXP_HIGH = 127 + 120, F16_LEAST = 127 - 14 };

INLINE __m256i load(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

INLINE void store(void *at, __m256i x)
{
    _mm256_storeu_si256((__m256i *)at, x);
}

INLINE __m256i field(int biased)
{
    return _mm256_set1_epi32((int)((uint32_t)biased << 23));
}

INLINE unsigned sign_bits(__m256i x)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(x));
}

/* ---- Windows ---- */

/* Largest relative exponents of a block's lanes, a byte each. */
INLINE __m256i block_tops(const struct tile_window *w, unsigned row, unsigned lane, unsigned vectors)
{
    const int8_t *top = w->lanes.top + lane;
    const uint32_t *top4 = w->rows.top4 + row;
    __m256i most = _mm256_set1_epi8(2 * TILE_TOP_ZERO);
    if (vectors == 4) {
        for (unsigned i = 0; i < w->count; i++, top += w->lanes.padded, top4 += w->rows.padded)
            most = _mm256_max_epi8(most, _mm256_add_epi8(load(top), _mm256_set1_epi32((int)*top4)));
        return most;
    }
    __m128i few = _mm256_castsi256_si128(most);
    for (unsigned i = 0; i < w->count; i++, top += w->lanes.padded, top4 += w->rows.padded)
        few = _mm_max_epi8(few, _mm_add_epi8(_mm_loadl_epi64((const __m128i *)(const void *)top), _mm_set1_epi32((int)*top4)));
    return _mm256_castsi128_si256(few);
}

/* Bytes of vector v of a block, sign-extended. */
INLINE __m256i lanes_of(__m256i bytes, unsigned v)
{
    const __m128i half = v < 2 ? _mm256_castsi256_si128(bytes) : _mm256_extracti128_si256(bytes, 1);
    return _mm256_cvtepi8_epi32(v % 2 == 0 ? half : _mm_srli_si128(half, 8));
}

/* Exponents and scales of 8 lanes. */
struct frame {
    __m256i top;          /* the window's exponent in the place of an f32's                         */
    __m256 product_scale; /* 2^(F - exponent) for products of prepared values                       */
    __m256i c_units;
    unsigned out; /* bits of lanes whose window the quick path does not take                 */
};

struct row {
    size_t at;
    __m256i tops, some, lead; /* some: all ones in the bytes of lanes that have a product */
};

INLINE __m256i load_c(const struct tile_window *w, const struct row *r, unsigned v)
{
    return load(w->acc + r->at + v * V);
}

INLINE struct frame make_frame(const struct tile_window *w, const struct row *r, unsigned lane, unsigned v, bool fixed, bool half)
{
    struct frame f;
    const __m256i c = load_c(w, r, v), lead = _mm256_add_epi32(load(w->lanes.lead + lane + v * V), r->lead);
    const int bits = w->model->window_bits;
    __m256i c_top = _mm256_and_si256(c, field(255));
    if (half) /* a subnormal f16 has the exponent of the smallest normal one */
        c_top = _mm256_andnot_si256(_mm256_cmpeq_epi32(c_top, _mm256_setzero_si256()), _mm256_max_epi32(c_top, field(F16_LEAST)));
    const __m256i product_top =
        _mm256_and_si256(lanes_of(r->some, v), _mm256_add_epi32(_mm256_slli_epi32(lanes_of(r->tops, v), 23), lead));
    f.top = _mm256_max_epi32(product_top, c_top);
    f.out = sign_bits(_mm256_or_si256(_mm256_cmpgt_epi32(field(EXP_LOW), f.top), _mm256_cmpgt_epi32(f.top, field(EXP_HIGH))));
    __m256i scale = _mm256_min_epi32(_mm256_sub_epi32(_mm256_add_epi32(lead, field(bits + 127)), f.top), field(254));
    if (!fixed)
        scale = _mm256_max_epi32(scale, field(1));
    f.product_scale = _mm256_castsi256_ps(scale);
    f.c_units =
        _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_castsi256_ps(c), _mm256_castsi256_ps(_mm256_sub_epi32(field(bits + 254), f.top))));
    return f;
}

INLINE __m256i units_of(__m256 a, const float *b, __m256 scale)
{
    return _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_mul_ps(a, _mm256_loadu_ps(b)), scale));
}

/* Up to 16 products of every lane of the block. */
INLINE void sum_products(const struct tile_window *w, unsigned row, unsigned lane, unsigned vectors, unsigned from, unsigned to,
                         const struct frame *f, __m256i *sum)
{
    const float *a = w->rows.value + (size_t)from * w->rows.padded + row,
                *b = w->lanes.value + (size_t)from * w->lanes.padded + lane;
    __m256i s0 = _mm256_setzero_si256(), s1 = s0, s2 = s0, s3 = s0;
    for (unsigned i = from; i < to; i++, a += w->rows.padded, b += w->lanes.padded) {
        const __m256 x = _mm256_set1_ps(*a);
        s0 = _mm256_add_epi32(s0, units_of(x, b, f[0].product_scale));
        if (vectors == 4) {
            s1 = _mm256_add_epi32(s1, units_of(x, b + V, f[1].product_scale));
            s2 = _mm256_add_epi32(s2, units_of(x, b + 2 * V, f[2].product_scale));
            s3 = _mm256_add_epi32(s3, units_of(x, b + 3 * V, f[3].product_scale));
        }
    }
    sum[0] = s0;
    sum[1] = s1;
    sum[2] = s2;
    sum[3] = s3;
}

/* Toward zero to 24 bits: rounded to nearest, and one unit less where that went up. Converting back tells; 2^31 comes back
 * as the smallest integer, which the difference still sees as too large. For an f16 result a lost bit is left visible. */
INLINE __m256 convert_narrow(__m256i units, bool half)
{
    const __m256i magnitude = _mm256_abs_epi32(units), sign = _mm256_and_si256(units, _mm256_set1_epi32(INT32_MIN));
    const __m256 nearest = _mm256_cvtepi32_ps(magnitude);
    const __m256i back = _mm256_cvttps_epi32(nearest);
    __m256i cut = _mm256_add_epi32(_mm256_castps_si256(nearest), _mm256_srai_epi32(_mm256_sub_epi32(magnitude, back), 31));
    if (half)
        cut = _mm256_or_si256(cut, _mm256_andnot_si256(_mm256_cmpeq_epi32(magnitude, back), _mm256_set1_epi32(1)));
    return _mm256_castsi256_ps(_mm256_or_si256(cut, sign));
}

/* The sum is exact in f64; cut there to an f32's bits. */
INLINE __m128 convert_four(__m128i x, __m128i y, __m128i z, bool half)
{
    const __m256i below = _mm256_set1_epi64x((1 << 29) - 1);
    const __m256i sum =
        _mm256_castpd_si256(_mm256_add_pd(_mm256_add_pd(_mm256_cvtepi32_pd(x), _mm256_cvtepi32_pd(y)), _mm256_cvtepi32_pd(z)));
    __m256i cut = _mm256_andnot_si256(below, sum);
    if (half) {
        const __m256i exact = _mm256_cmpeq_epi64(_mm256_and_si256(below, sum), _mm256_setzero_si256());
        cut = _mm256_or_si256(cut, _mm256_andnot_si256(exact, _mm256_set1_epi64x(1 << 29)));
    }
    return _mm256_cvtpd_ps(_mm256_castsi256_pd(cut));
}

INLINE __m256 convert_wide(__m256i x, __m256i y, __m256i z, bool half)
{
    return _mm256_set_m128(
        convert_four(_mm256_extracti128_si256(x, 1), _mm256_extracti128_si256(y, 1), _mm256_extracti128_si256(z, 1), half),
        convert_four(_mm256_castsi256_si128(x), _mm256_castsi256_si128(y), _mm256_castsi256_si128(z), half));
}

/* The sum as D, in an accumulator's form. */
INLINE __m256 finish(const struct tile_window *w, const struct frame *f, __m256 units, bool half)
{
    const __m256 scale = _mm256_castsi256_ps(_mm256_sub_epi32(f->top, field(w->model->window_bits)));
    if (half) {
        const __m256 d =
            _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_mul_ps(units, scale), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        return _mm256_add_ps(d, _mm256_setzero_ps()); /* -0 to +0 */
    }
    const __m256i kept = _mm256_set1_epi32((int)(UINT32_MAX << w->model->drop_bits));
    return _mm256_mul_ps(_mm256_and_ps(units, _mm256_castsi256_ps(kept)), scale);
}

/* Lanes that the quick path left: without products a finite C is D as it stands, and the rest is evaluated exactly. */
static __attribute__((noinline)) void patch(struct tile_window *w, unsigned row, unsigned lane, uint32_t left, uint32_t some,
                                            uint32_t forced, const uint32_t *c)
{
    uint32_t *const out = w->acc + row * w->acc_stride + lane;
    for (; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint32_t magnitude = c[i] & 0x7fffffff;
        const bool copied =
            ((some | forced) >> i & 1) == 0 && (magnitude == 0 || (w->model->drop_bits == 0 && magnitude < 0x7f800000));
        if (copied)
            out[i] = magnitude == 0 ? 0 : c[i];
        else if (lane + i < w->lanes.rows)
            out[i] = tw_num_tile_exact(w, row, lane + i, c[i]);
    }
}

/* Writes D of 8 lanes; returns the lanes whose 32-bit sum overflowed. */
INLINE uint32_t store_units(const struct tile_window *w, const struct row *r, const struct frame *f, __m256i sum, __m256i more,
                            unsigned v, bool wide, bool half)
{
    __m256 units;
    uint32_t lost = 0;
    if (wide) {
        units = convert_wide(sum, more, f->c_units, half);
    } else {
        const __m256i total = _mm256_add_epi32(sum, f->c_units);
        lost = sign_bits(_mm256_and_si256(_mm256_xor_si256(sum, total), _mm256_xor_si256(f->c_units, total))) << (v * V);
        units = convert_narrow(total, half);
    }
    _mm256_storeu_ps((float *)(void *)(w->acc + r->at + v * V), finish(w, f, units, half));
    return lost;
}

/* The lanes of one row in one block. */
INLINE void run_row(struct tile_window *w, unsigned row, unsigned lane, uint32_t forced, unsigned vectors, bool wide, bool fixed,
                    bool ranged, bool half)
{
    struct row r = {.at = row * w->acc_stride + lane,
                    .tops = block_tops(w, row, lane, vectors),
                    .lead = _mm256_set1_epi32((int)((uint32_t)w->rows.lead[row] + (127u << 23)))};
    struct frame f[4];
    __m256i sum[4], more[4],
        c[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
    if (w->rows.forced[row] != 0)
        forced = UINT32_MAX;
    r.some = _mm256_cmpgt_epi8(r.tops, _mm256_set1_epi8(TILE_TOP_NONE - 1));
    uint32_t left = forced;
    if (ranged) /* TILE_TOP_LEAST may have hidden the true exponent */
        left |= (uint32_t)_mm256_movemask_epi8(
            _mm256_andnot_si256(_mm256_cmpgt_epi8(r.tops, _mm256_set1_epi8(TILE_TOP_LEAST)), r.some));
    f[0] = make_frame(w, &r, lane, 0, fixed, half);
    left |= f[0].out;
    if (vectors == 4) {
        f[1] = make_frame(w, &r, lane, 1, fixed, half);
        f[2] = make_frame(w, &r, lane, 2, fixed, half);
        f[3] = make_frame(w, &r, lane, 3, fixed, half);
        left |= f[1].out << V | f[2].out << 2 * V | f[3].out << 3 * V;
    }
    sum_products(w, row, lane, vectors, 0, wide ? TILE_WINDOW_MAX / 2 : w->count, f, sum);
    if (wide)
        sum_products(w, row, lane, vectors, TILE_WINDOW_MAX / 2, w->count, f, more);
    else
        more[0] = more[1] = more[2] = more[3] = _mm256_setzero_si256();
    for (unsigned v = 0; v < vectors; v++)
        c[v] = load_c(w, &r, v);
    left |= store_units(w, &r, &f[0], sum[0], more[0], 0, wide, half);
    if (vectors == 4) {
        left |= store_units(w, &r, &f[1], sum[1], more[1], 1, wide, half);
        left |= store_units(w, &r, &f[2], sum[2], more[2], 2, wide, half);
        left |= store_units(w, &r, &f[3], sum[3], more[3], 3, wide, half);
    } else {
        left &= UINT8_MAX;
    }
    if (__builtin_expect(left != 0, 0))
        patch(w, row, lane, left, (uint32_t)_mm256_movemask_epi8(r.some), forced, (const uint32_t *)(const void *)c);
}

INLINE void run_block(struct tile_window *w, unsigned lane, unsigned vectors, bool wide, bool fixed, bool ranged, bool half)
{
    uint32_t forced = 0;
    for (unsigned i = 0; i < vectors * V; i++)
        forced |= (uint32_t)w->lanes.forced[lane + i] << i;
    for (unsigned row = 0; row < w->rows.rows; row++)
        run_row(w, row, lane, forced, vectors, wide, fixed, ranged, half);
}

INLINE void run_blocks(struct tile_window *w, bool wide, bool fixed, bool ranged, bool half)
{
    unsigned lane = 0;
    for (; lane + BLOCK <= w->lanes.padded; lane += BLOCK)
        run_block(w, lane, 4, wide, fixed, ranged, half);
    for (; lane < w->lanes.padded; lane += V)
        run_block(w, lane, 1, wide, fixed, ranged, half);
}

/* Leads that are constants; leads with block scales; leads found row by row, which exist for narrow windows only. */
VECTOR static void run_single(struct tile_window *w)
{
    run_blocks(w, false, true, false, false);
}
VECTOR static void run_single_half(struct tile_window *w)
{
    run_blocks(w, false, true, false, true);
}
VECTOR static void run_wide(struct tile_window *w)
{
    run_blocks(w, true, true, false, false);
}
VECTOR static void run_wide_half(struct tile_window *w)
{
    run_blocks(w, true, true, false, true);
}
VECTOR static void run_scaled(struct tile_window *w)
{
    run_blocks(w, true, false, false, false);
}
VECTOR static void run_ranged(struct tile_window *w)
{
    run_blocks(w, false, false, true, false);
}

VECTOR static void window(struct tile_window *w)
{
    int lead;
    const bool ranged = !tw_num_tile_fixed_lead(w->lanes.format, &lead) || !tw_num_tile_fixed_lead(w->rows.format, &lead);
    const bool scaled = w->lanes.scale != NULL, wide = w->count > TILE_WINDOW_MAX / 2;
    if ((ranged && (scaled || wide)) || (w->half && (ranged || scaled))) { /* no instruction does */
        tw_num_tile_plain.window(w);
        return;
    }
    prepare_side(&w->lanes, w->count, true);
    prepare_side(&w->rows, w->count, false);
    if (w->half)
        (wide ? run_wide_half : run_single_half)(w);
    else if (ranged)
        run_ranged(w);
    else if (scaled)
        run_scaled(w);
    else
        (wide ? run_wide : run_single)(w);
}

/* ---- Integers ---- */

INLINE __m256i saturated(__m256i acc, __m256i sum)
{
    const __m256i total = _mm256_add_epi32(acc, sum);
    const __m256i overflow = _mm256_srai_epi32(_mm256_and_si256(_mm256_xor_si256(acc, total), _mm256_xor_si256(sum, total)), 31);
    const __m256i limit = _mm256_xor_si256(_mm256_srai_epi32(acc, 31), _mm256_set1_epi32(INT32_MAX));
    return _mm256_blendv_epi8(total, limit, overflow);
}

INLINE void integer_row(const struct tile_integers *t, unsigned row, unsigned lane, unsigned vectors)
{
    const uint32_t *x = t->row_pairs + row, *y = t->lane_pairs + lane;
    __m256i s0 = _mm256_setzero_si256(), s1 = s0, s2 = s0, s3 = s0;
    for (unsigned i = 0; i < t->pairs; i++, x += t->rows_padded, y += t->lanes_padded) {
        const __m256i a = _mm256_set1_epi32((int)*x);
        s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(a, load(y)));
        if (vectors == 4) {
            s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(a, load(y + V)));
            s2 = _mm256_add_epi32(s2, _mm256_madd_epi16(a, load(y + 2 * V)));
            s3 = _mm256_add_epi32(s3, _mm256_madd_epi16(a, load(y + 3 * V)));
        }
    }
    const __m256i sum[4] = {s0, s1, s2, s3};
    for (unsigned v = 0; v < vectors; v++) {
        uint32_t *const at = t->acc + row * t->acc_stride + lane + v * V;
        const __m256i acc = load(at);
        store(at, t->saturate ? saturated(acc, sum[v]) : _mm256_add_epi32(acc, sum[v]));
    }
}

VECTOR static void integers(const struct tile_integers *t)
{
    unsigned lane = 0;
    for (; lane + BLOCK <= t->lanes_padded; lane += BLOCK)
        for (unsigned row = 0; row < t->rows; row++)
            integer_row(t, row, lane, 4);
    for (; lane < t->lanes_padded; lane += V)
        for (unsigned row = 0; row < t->rows; row++)
            integer_row(t, row, lane, 1);
}

/* ---- Block-scaled fp4 ---- */

/* Sums of one group's products, four signed bytes a lane and step; 12 was added to the row's elements to make them unsigned. */
INLINE __m256i group_dots(const struct tile_groups *t, unsigned group, unsigned row, unsigned lane)
{
    const uint32_t *x = t->row.quads + (size_t)group * TILE_GROUP / 4 * t->row.padded + row;
    const uint32_t *y = t->lane.quads + (size_t)group * TILE_GROUP / 4 * t->lane.padded + lane;
    __m256i pairs = _mm256_setzero_si256();
    for (unsigned i = 0; i < TILE_GROUP / 4; i++, x += t->row.padded, y += t->lane.padded)
        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(_mm256_set1_epi32((int)*x), load(y)));
    return _mm256_sub_epi32(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)),
                            load(t->lane.twelfths + (size_t)group * t->lane.padded + lane));
}

/* The largest product exponents of one group, without its scales. */
INLINE __m256i group_tops(const struct tile_groups *t, unsigned group, unsigned row, unsigned lane)
{
    const int8_t *top = t->lane.top + (size_t)group * TILE_GROUP * t->lane.padded + lane;
    const uint32_t *top4 = t->row.top4 + (size_t)group * TILE_GROUP * t->row.padded + row;
    __m128i most = _mm_set1_epi8(2 * TILE_TOP_ZERO);
    for (unsigned i = 0; i < TILE_GROUP; i++, top += t->lane.padded, top4 += t->row.padded)
        most = _mm_max_epi8(most, _mm_add_epi8(_mm_loadl_epi64((const __m128i *)(const void *)top), _mm_set1_epi32((int)*top4)));
    return _mm256_cvtepi8_epi32(most);
}

enum { NO_TOP = -10000 };

struct group_frame {
    __m256i unit; /* exponent of one unit of the sum */
    unsigned out;
};

INLINE __m256i choose(__m256i mask, __m256i yes, __m256i no)
{
    return _mm256_blendv_epi8(no, yes, mask);
}

INLINE struct group_frame frame_groups(const struct tile_groups *t, unsigned row, unsigned lane, __m256i c)
{
    const __m256i none = _mm256_set1_epi32(NO_TOP), magnitude = _mm256_and_si256(c, _mm256_set1_epi32(INT32_MAX));
    __m256i products = none, scales = none, least = _mm256_set1_epi32(-NO_TOP);
    for (unsigned g = 0; g < t->groups; g++) {
        const __m256i top = group_tops(t, g, row, lane), some = _mm256_cmpgt_epi32(top, _mm256_set1_epi32(-1));
        const __m256i scale = _mm256_add_epi32(load(t->lane.scale_top + (size_t)g * t->lane.padded + lane),
                                               _mm256_set1_epi32(t->row.scale_top[(size_t)g * t->row.padded + row]));
        products = choose(some, _mm256_max_epi32(products, _mm256_add_epi32(top, scale)), products);
        scales = choose(some, _mm256_max_epi32(scales, scale), scales);
        least = choose(some, _mm256_min_epi32(least, scale), least);
    }
    const __m256i biased = _mm256_max_epi32(_mm256_srli_epi32(magnitude, 23), _mm256_set1_epi32(1));
    const __m256i absent = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
    const __m256i c_top = choose(absent, none, _mm256_sub_epi32(biased, _mm256_set1_epi32(127)));
    const __m256i below = t->by_scales ? _mm256_cmpgt_epi32(_mm256_add_epi32(scales, _mm256_set1_epi32(1)), c_top)
                                       : _mm256_cmpgt_epi32(products, c_top);
    const __m256i leader = choose(below, scales, c_top);
    struct group_frame f = {.out = sign_bits(_mm256_cmpeq_epi32(biased, _mm256_set1_epi32(255)))};
    if (!t->by_scales)
        f.out |= sign_bits(
            _mm256_and_si256(below, _mm256_cmpgt_epi32(_mm256_sub_epi32(scales, least), _mm256_set1_epi32(TILE_SCALE_SPREAD - 1))));
    /* Without any term the unit does not matter, but its power of two must exist. */
    f.unit = _mm256_max_epi32(_mm256_sub_epi32(leader, _mm256_set1_epi32(t->window_bits)), _mm256_set1_epi32(-600));
    return f;
}

/* 2^x for four lanes. */
INLINE __m256d powers(__m128i x)
{
    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_add_epi64(_mm256_cvtepi32_epi64(x), _mm256_set1_epi64x(1023)), 52));
}

INLINE __m256d truncated(__m256d x)
{
    return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* D of four lanes, all in f64: sums of groups times scales, those times powers of two, and the sum of a few below 2^51
 * are exact there. */
INLINE __m128 group_four(const struct tile_groups *t, unsigned row, unsigned lane, __m128i unit, __m128 c, const __m128i *dots,
                         unsigned *tiny)
{
    const __m256d down = powers(_mm_sub_epi32(_mm_setzero_si128(), unit)), quarter = _mm256_mul_pd(down, _mm256_set1_pd(0.25));
    __m256d units = truncated(_mm256_mul_pd(_mm256_cvtps_pd(c), down));
    for (unsigned g = 0; g < t->groups; g++) {
        const __m256d scale = _mm256_mul_pd(_mm256_loadu_pd(t->lane.scale + (size_t)g * t->lane.padded + lane),
                                            _mm256_set1_pd(t->row.scale[(size_t)g * t->row.padded + row]));
        units = _mm256_add_pd(units, truncated(_mm256_mul_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(dots[2 * g]), scale), quarter)));
    }
    const __m256d kept = _mm256_castsi256_pd(_mm256_andnot_si256(_mm256_set1_epi64x((1 << 29) - 1), _mm256_castpd_si256(units)));
    const __m256d zero = _mm256_setzero_pd(), d = _mm256_add_pd(_mm256_mul_pd(kept, powers(unit)), zero); /* -0 to +0 */
    const __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), d);
    *tiny = (unsigned)_mm256_movemask_pd(
        _mm256_and_pd(_mm256_cmp_pd(units, zero, _CMP_NEQ_OQ), _mm256_cmp_pd(magnitude, _mm256_set1_pd(0x1p-126), _CMP_LT_OQ)));
    return _mm256_cvtpd_ps(d);
}

INLINE void group_lanes(const struct tile_groups *t, unsigned row, unsigned lane, unsigned forced)
{
    const size_t at = row * t->acc_stride + lane;
    const __m256i c = load(t->acc + at);
    const struct group_frame f = frame_groups(t, row, lane, c);
    __m128i dots[2 * TILE_GROUPS_MAX];
    unsigned tiny_low, tiny_high;
    for (unsigned g = 0; g < t->groups; g++)
        store(&dots[2 * g], group_dots(t, g, row, lane));
    const __m128 low =
        group_four(t, row, lane, _mm256_castsi256_si128(f.unit), _mm_castsi128_ps(_mm256_castsi256_si128(c)), dots, &tiny_low);
    const __m128 high = group_four(t, row, lane + 4, _mm256_extracti128_si256(f.unit, 1),
                                   _mm_castsi128_ps(_mm256_extracti128_si256(c, 1)), dots + 1, &tiny_high);
    _mm256_storeu_ps((float *)(void *)(t->acc + at), _mm256_set_m128(high, low));
    for (unsigned left = f.out | forced | tiny_low | tiny_high << 4; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t words[V];
        store(words, c);
        if (lane + i < t->lanes)
            t->acc[at + i] = t->exact(t->context, row, lane + i, words[i]);
    }
}

VECTOR static void groups(const struct tile_groups *t)
{
    for (unsigned lane = 0; lane < t->lane.padded; lane += V) {
        unsigned forced = 0;
        for (unsigned i = 0; i < V; i++)
            forced |= (unsigned)t->lane.forced[lane + i] << i;
        for (unsigned row = 0; row < t->rows; row++)
            group_lanes(t, row, lane, t->row.forced[row] != 0 ? UINT8_MAX : forced);
    }
}

/* ---- f64 ---- */

VECTOR static void chain(const struct tile_chain *t)
{
    for (unsigned row = 0; row < t->rows; row++)
        for (unsigned lane = 0; lane < t->lanes_padded; lane += 4) {
            double *const acc = t->acc + (size_t)row * t->lanes_padded + lane;
            __m256d d = _mm256_loadu_pd(acc);
            for (unsigned i = 0; i < t->count; i++)
                d = _mm256_fmadd_pd(_mm256_set1_pd(t->row_values[(size_t)i * t->rows_padded + row]),
                                    _mm256_loadu_pd(t->lane_values + (size_t)i * t->lanes_padded + lane), d);
            _mm256_storeu_pd(acc, d);
        }
}

/* ---- Accumulators ---- */

VECTOR static void widen(uint32_t *f32, const uint16_t *f16, size_t count)
{
    size_t i = 0;
    for (; i + V <= count; i += V)
        _mm256_storeu_ps((float *)(void *)(f32 + i), _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(f16 + i))));
    tw_num_tile_plain.widen(f32 + i, f16 + i, count - i);
}

VECTOR static void narrow(uint16_t *f16, const uint32_t *f32, size_t count)
{
    size_t i = 0;
    for (; i + V <= count; i += V)
        _mm_storeu_si128((__m128i *)(void *)(f16 + i), _mm256_cvtps_ph(_mm256_loadu_ps((const float *)(const void *)(f32 + i)),
                                                                       _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    tw_num_tile_plain.narrow(f16 + i, f32 + i, count - i);
}

/* An f16 sum rounded to f32 and then to f16 is rounded right: f32 has more than twice the bits and two. */
VECTOR static void add(uint32_t *acc, const uint32_t *sum, size_t count, bool half)
{
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    size_t i = 0;
    for (; i + V <= count; i += V) {
        __m256 d = _mm256_add_ps(_mm256_castsi256_ps(load(acc + i)), _mm256_castsi256_ps(load(sum + i)));
        if (half)
            d = _mm256_cvtph_ps(_mm256_cvtps_ph(d, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        d = _mm256_blendv_ps(d, nan, _mm256_cmp_ps(d, d, _CMP_UNORD_Q));
        _mm256_storeu_ps((float *)(void *)(acc + i), d);
    }
    tw_num_tile_plain.add(acc + i, sum + i, count - i, half);
}

const struct tile_kernels tw_num_tile_avx2 = {
    .window = window, .integers = integers, .groups = groups, .chain = chain, .widen = widen, .narrow = narrow, .add = add};
#endif
