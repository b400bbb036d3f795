/* Tile kernels for CPUs with AVX-512 F, BW, DQ and VL.
 *
 * The quick path of a window, 16 lanes of D at a time, and why it is exact. Let e be the window's largest exponent.
 *  1. Products of prepared values are exact in f32: 22 significant bits at most. Scaling by 2^(F - e) is exact too, or
 *     gives a value below 1. The truncating convert then cuts each term as the model does.
 *  2. |term| < 4 * 2^F, and 16 of them stay below 2^31 for F = 25 since significands are below 2 - 2^-10. The sum with C
 *     may overflow; that is seen and left to the exact evaluation. Wider windows are summed in 64 bits.
 *  3. The integer sum converts to f32 toward zero, and scaling back is exact because e is kept within [EXP_LOW, EXP_HIGH].
 * Lanes out of that range, and those where TILE_TOP_LEAST may have hidden the largest exponent, go to tw_num_tile_exact. */
#include "num/tile_parts.h"

#if defined __x86_64__
#include <immintrin.h>
#include <string.h>

#define VECTOR_LANES 16
#define VECTOR __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define INLINE VECTOR static inline __attribute__((always_inline))
#include "num/tile_prepare.inc"

enum {
    V = VECTOR_LANES,
    BLOCK = 4 * V,
    EXP_LOW = 127 - 90, /* biased exponents of a window that the quick path takes */
    EXP_LOW_FIXED = 127 - 66,
    EXP_HIGH = 127 + 120,
    F16_LEAST = 127 - 14
};

INLINE __m512i field(int biased)
{
    return _mm512_set1_epi32((int)((uint32_t)biased << 23));
}

/* A window as the inner loops want it: a copy that no store can change. */
struct plan {
    uint32_t *acc;
    size_t acc_stride;
    const float *row_value, *lane_value;
    const uint32_t *row_top4;
    const int8_t *lane_top;
    const int32_t *row_lead, *lane_lead;
    const uint8_t *row_forced;
    unsigned count, rows, row_padded, lane_padded, bits, drop_bits;
    __m512i lead; /* where it is a constant: of both sides together, biased */
};

/* What a lane's results depend on, as constants of the inlined code: two sums of 16 products instead of one; leads that
 * are constants; leads found row by row; D is f16. */
struct kind {
    bool wide, fixed, ranged, half;
};

/* Largest relative exponents of a block's lanes, a byte each. */
INLINE __m512i block_tops(const struct plan *p, unsigned row, unsigned lane, unsigned vectors)
{
    const int8_t *top = p->lane_top + lane;
    const uint32_t *top4 = p->row_top4 + row;
    if (vectors == 4) {
        __m512i most = _mm512_set1_epi8(2 * TILE_TOP_ZERO), more = most;
        unsigned i = p->count;
        for (; i >= 4; i -= 4, top += 4 * (size_t)p->lane_padded, top4 += 4 * (size_t)p->row_padded) {
            const int8_t *const third = top + 2 * (size_t)p->lane_padded;
            const uint32_t *const third4 = top4 + 2 * (size_t)p->row_padded;
            most = _mm512_max_epi8(most, _mm512_add_epi8(_mm512_loadu_si512(top), _mm512_set1_epi32((int)*top4)));
            more = _mm512_max_epi8(
                more, _mm512_add_epi8(_mm512_loadu_si512(top + p->lane_padded), _mm512_set1_epi32((int)top4[p->row_padded])));
            most = _mm512_max_epi8(most, _mm512_add_epi8(_mm512_loadu_si512(third), _mm512_set1_epi32((int)*third4)));
            more = _mm512_max_epi8(
                more, _mm512_add_epi8(_mm512_loadu_si512(third + p->lane_padded), _mm512_set1_epi32((int)third4[p->row_padded])));
        }
        for (; i != 0; i--, top += p->lane_padded, top4 += p->row_padded)
            most = _mm512_max_epi8(most, _mm512_add_epi8(_mm512_loadu_si512(top), _mm512_set1_epi32((int)*top4)));
        return _mm512_max_epi8(most, more);
    }
    __m128i most = _mm_set1_epi8(2 * TILE_TOP_ZERO);
    for (unsigned i = 0; i < p->count; i++, top += p->lane_padded, top4 += p->row_padded)
        most = _mm_max_epi8(most, _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)top), _mm_set1_epi32((int)*top4)));
    return _mm512_castsi128_si512(most);
}

/* Exponents and scales of 16 lanes. */
struct frame {
    __m512i c, top;       /* top: the window's exponent in the place of an f32's */
    __m512 product_scale; /* 2^(F - exponent) for products of prepared values    */
    __m512i c_units;
    __m512i off; /* above EXP_HIGH - EXP_LOW, unsigned: not for the quick path */
};

/* With constant leads no product is below 2^-60, so the lower end may lie where every product's scale is a number. */
INLINE int exp_low(struct kind kind)
{
    return kind.fixed ? EXP_LOW_FIXED : EXP_LOW;
}

INLINE struct frame make_frame(const struct plan *p, struct kind kind, size_t at, unsigned lane, __m512i row_lead, __m128i tops,
                               __mmask16 some)
{
    struct frame f = {.c = _mm512_loadu_si512(p->acc + at)};
    const __m512i lead = kind.fixed ? p->lead : _mm512_add_epi32(_mm512_loadu_si512(p->lane_lead + lane), row_lead);
    __m512i c_top = _mm512_and_si512(f.c, field(255));
    if (kind.half) /* a subnormal f16 has the exponent of the smallest normal one */
        c_top = _mm512_maskz_max_epi32(_mm512_test_epi32_mask(f.c, f.c), c_top, field(F16_LEAST));
    const __m512i product_top = _mm512_maskz_add_epi32(some, _mm512_slli_epi32(_mm512_cvtepi8_epi32(tops), 23), lead);
    f.top = _mm512_max_epi32(product_top, c_top);
    f.off = _mm512_sub_epi32(f.top, field(exp_low(kind)));
    __m512i scale = _mm512_sub_epi32(_mm512_add_epi32(lead, field((int)p->bits + 127)), f.top);
    /* Where products are many powers below C the scale stops at the smallest normal number, and they vanish all the same;
     * where there are none it stops at the largest. */
    if (!kind.fixed)
        scale = _mm512_max_epi32(_mm512_min_epi32(scale, field(254)), field(1));
    f.product_scale = _mm512_castsi512_ps(scale);
    const __m512 c_scale = _mm512_castsi512_ps(_mm512_sub_epi32(field((int)p->bits + 254), f.top));
    f.c_units = _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_castsi512_ps(f.c), c_scale));
    return f;
}

INLINE __m512i units_of(__m512 a, const float *b, __m512 scale)
{
    return _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_mul_ps(a, _mm512_loadu_ps(b)), scale));
}

INLINE void add_products(const float *a, const float *b, unsigned vectors, const struct frame *f, __m512i *sum)
{
    const __m512 x = _mm512_set1_ps(*a);
    sum[0] = _mm512_add_epi32(sum[0], units_of(x, b, f[0].product_scale));
    if (vectors == 4) {
        sum[1] = _mm512_add_epi32(sum[1], units_of(x, b + V, f[1].product_scale));
        sum[2] = _mm512_add_epi32(sum[2], units_of(x, b + 2 * V, f[2].product_scale));
        sum[3] = _mm512_add_epi32(sum[3], units_of(x, b + 3 * V, f[3].product_scale));
    }
}

/* `count` products, at most 16, of every lane of the block. */
INLINE void sum_products(const struct plan *p, const float *a, const float *b, unsigned count, unsigned vectors,
                         const struct frame *f, __m512i *sum)
{
    sum[0] = sum[1] = sum[2] = sum[3] = _mm512_setzero_si512();
    for (; count >= 4; count -= 4, a += 4 * (size_t)p->row_padded, b += 4 * (size_t)p->lane_padded) {
        add_products(a, b, vectors, f, sum);
        add_products(a + p->row_padded, b + p->lane_padded, vectors, f, sum);
        add_products(a + 2 * (size_t)p->row_padded, b + 2 * (size_t)p->lane_padded, vectors, f, sum);
        add_products(a + 3 * (size_t)p->row_padded, b + 3 * (size_t)p->lane_padded, vectors, f, sum);
    }
    for (; count != 0; count--, a += p->row_padded, b += p->lane_padded)
        add_products(a, b, vectors, f, sum);
}

/* Toward zero to 24 bits; for an f16 result a lost bit stays visible in the last place, so that the rounding to follow
 * sees it. */
INLINE __m512 convert_narrow(__m512i units, bool half)
{
    const __m512 cut = _mm512_cvt_roundepi32_ps(units, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    if (!half)
        return cut;
    const __mmask16 lost = _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), units);
    return _mm512_castsi512_ps(
        _mm512_mask_or_epi32(_mm512_castps_si512(cut), lost, _mm512_castps_si512(cut), _mm512_set1_epi32(1)));
}

INLINE __m256 convert_eight(__m512i units, bool half)
{
    const __m256 cut = _mm512_cvt_roundepi64_ps(units, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    if (!half)
        return cut;
    const __mmask8 lost = _mm512_cmpneq_epi64_mask(_mm512_cvttps_epi64(cut), units);
    return _mm256_castsi256_ps(
        _mm256_mask_or_epi32(_mm256_castps_si256(cut), lost, _mm256_castps_si256(cut), _mm256_set1_epi32(1)));
}

INLINE __m512 convert_wide(__m512i x, __m512i y, __m512i z, bool half)
{
    const __m512i low = _mm512_add_epi64(
        _mm512_add_epi64(_mm512_cvtepi32_epi64(_mm512_castsi512_si256(x)), _mm512_cvtepi32_epi64(_mm512_castsi512_si256(y))),
        _mm512_cvtepi32_epi64(_mm512_castsi512_si256(z)));
    const __m512i high = _mm512_add_epi64(_mm512_add_epi64(_mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(x, 1)),
                                                           _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(y, 1))),
                                          _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(z, 1)));
    return _mm512_insertf32x8(_mm512_castps256_ps512(convert_eight(low, half)), convert_eight(high, half), 1);
}

/* The sum as D, in an accumulator's form. */
INLINE __m512 finish(const struct plan *p, const struct frame *f, __m512 units, bool half)
{
    const __m512 scale = _mm512_castsi512_ps(_mm512_sub_epi32(f->top, field((int)p->bits)));
    if (half) {
        const __m512 d =
            _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_mul_ps(units, scale), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        return _mm512_add_ps(d, _mm512_setzero_ps()); /* -0 to +0 */
    }
    if (p->drop_bits != 0)
        units = _mm512_and_ps(units, _mm512_castsi512_ps(_mm512_set1_epi32((int)(UINT32_MAX << p->drop_bits))));
    return _mm512_mul_ps(units, scale);
}

/* Writes D of 16 lanes; returns a vector whose signs are the lanes whose 32-bit sum overflowed. */
INLINE __m512i store_units(const struct plan *p, struct kind kind, size_t at, const struct frame *f, __m512i sum, __m512i more)
{
    __m512 units;
    __m512i lost = _mm512_setzero_si512();
    if (kind.wide) {
        units = convert_wide(sum, more, f->c_units, kind.half);
    } else {
        const __m512i total = _mm512_add_epi32(sum, f->c_units);
        lost = _mm512_ternarylogic_epi32(sum, f->c_units, total, 0x42); /* both signs differ from the sum's */
        units = convert_narrow(total, kind.half);
    }
    _mm512_storeu_ps((float *)(void *)(p->acc + at), finish(p, f, units, kind.half));
    return lost;
}

/* Lanes that the quick path left: without products a finite C is D as it stands, and the rest is evaluated exactly. */
VECTOR static __attribute__((noinline)) void patch(struct tile_window *w, unsigned row, unsigned lane, uint64_t left, uint64_t some,
                                                   uint64_t forced, const uint32_t *c)
{
    uint32_t *const out = w->acc + row * w->acc_stride + lane;
    for (unsigned v = 0; v < 4; v++) {
        const __mmask16 mine = (__mmask16)((left & ~some & ~forced) >> (v * V));
        if (mine == 0)
            continue;
        const __m512i word = _mm512_load_si512(c + v * V), magnitude = _mm512_and_si512(word, _mm512_set1_epi32(INT32_MAX));
        const __mmask16 zero = _mm512_testn_epi32_mask(magnitude, magnitude);
        const __mmask16 finite = w->model->drop_bits == 0 ? _mm512_cmplt_epi32_mask(magnitude, field(255)) : zero;
        _mm512_mask_storeu_epi32(out + v * V, mine & finite, _mm512_mask_mov_epi32(word, zero, _mm512_setzero_si512()));
        left &= ~((uint64_t)(mine & finite) << (v * V));
    }
    for (; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        if (lane + i < w->lanes.rows)
            out[i] = tw_num_tile_exact(w, row, lane + i, c[i]);
    }
}

INLINE uint64_t lanes_left(struct kind kind, const struct frame *f, __m512i lost, unsigned v)
{
    const __mmask16 off = _mm512_cmpgt_epu32_mask(f->off, field(EXP_HIGH - exp_low(kind)));
    return (uint64_t)(off | _mm512_movepi32_mask(lost)) << (v * V);
}

/* The lanes of one row in one block. */
INLINE void run_row(struct tile_window *w, const struct plan *p, struct kind kind, unsigned row, unsigned lane, uint64_t forced,
                    unsigned vectors)
{
    const size_t at = row * p->acc_stride + lane;
    const __m512i row_lead = _mm512_set1_epi32((int)((uint32_t)p->row_lead[row] + (127u << 23)));
    const __m512i tops = block_tops(p, row, lane, vectors), none = _mm512_setzero_si512();
    const uint64_t some = _mm512_cmpge_epi8_mask(tops, _mm512_set1_epi8(TILE_TOP_NONE));
    struct frame f[4];
    __m512i sum[4], more[4] = {none, none, none, none}, lost[4] = {none, none, none, none};
    f[0] = make_frame(p, kind, at, lane, row_lead, _mm512_castsi512_si128(tops), (__mmask16)some);
    __m512i off = f[0].off;
    if (vectors == 4) {
        f[1] = make_frame(p, kind, at + V, lane + V, row_lead, _mm512_extracti32x4_epi32(tops, 1), (__mmask16)(some >> V));
        f[2] =
            make_frame(p, kind, at + 2 * V, lane + 2 * V, row_lead, _mm512_extracti32x4_epi32(tops, 2), (__mmask16)(some >> 2 * V));
        f[3] =
            make_frame(p, kind, at + 3 * V, lane + 3 * V, row_lead, _mm512_extracti32x4_epi32(tops, 3), (__mmask16)(some >> 3 * V));
        off = _mm512_max_epu32(_mm512_max_epu32(off, f[1].off), _mm512_max_epu32(f[2].off, f[3].off));
    }
    const float *const a = p->row_value + row, *const b = p->lane_value + lane;
    const unsigned first = kind.wide ? TILE_WINDOW_MAX / 2 : p->count;
    sum_products(p, a, b, first, vectors, f, sum);
    if (kind.wide)
        sum_products(p, a + (size_t)first * p->row_padded, b + (size_t)first * p->lane_padded, p->count - first, vectors, f, more);
    lost[0] = store_units(p, kind, at, &f[0], sum[0], more[0]);
    if (vectors == 4) {
        lost[1] = store_units(p, kind, at + V, &f[1], sum[1], more[1]);
        lost[2] = store_units(p, kind, at + 2 * V, &f[2], sum[2], more[2]);
        lost[3] = store_units(p, kind, at + 3 * V, &f[3], sum[3], more[3]);
    }
    if (p->row_forced[row] != 0)
        forced = UINT64_MAX;
    uint64_t left = forced;
    if (kind.ranged) /* TILE_TOP_LEAST may have hidden the true exponent */
        left |= some & _mm512_cmple_epi8_mask(tops, _mm512_set1_epi8(TILE_TOP_LEAST));
    const __m512i any_lost = _mm512_or_si512(_mm512_or_si512(lost[0], lost[1]), _mm512_or_si512(lost[2], lost[3]));
    const bool clean =
        _mm512_cmpgt_epu32_mask(off, field(EXP_HIGH - exp_low(kind))) == 0 && (kind.wide || _mm512_movepi32_mask(any_lost) == 0);
    if (__builtin_expect(left == 0 && clean, 1))
        return;
    _Alignas(64) uint32_t c[BLOCK] = {0};
    left |= lanes_left(kind, &f[0], lost[0], 0);
    _mm512_store_si512(c, f[0].c);
    if (vectors == 4) {
        left |= lanes_left(kind, &f[1], lost[1], 1) | lanes_left(kind, &f[2], lost[2], 2) | lanes_left(kind, &f[3], lost[3], 3);
        _mm512_store_si512(c + V, f[1].c);
        _mm512_store_si512(c + 2 * V, f[2].c);
        _mm512_store_si512(c + 3 * V, f[3].c);
    } else {
        left &= UINT16_MAX;
    }
    patch(w, row, lane, left, some, forced, c);
}

INLINE void run_block(struct tile_window *w, const struct plan *p, struct kind kind, unsigned lane, unsigned vectors)
{
    uint64_t forced = 0;
    for (unsigned v = 0; v < vectors; v++)
        forced |= (uint64_t)_mm_test_epi8_mask(_mm_loadu_si128((const __m128i *)(const void *)(w->lanes.forced + lane + v * V)),
                                               _mm_set1_epi8(1))
                  << (v * V);
    for (unsigned row = 0; row < p->rows; row++)
        run_row(w, p, kind, row, lane, forced, vectors);
}

INLINE void run_blocks(struct tile_window *w, struct kind kind)
{
    const struct plan p = {.acc = w->acc,
                           .acc_stride = w->acc_stride,
                           .row_value = w->rows.value,
                           .lane_value = w->lanes.value,
                           .row_top4 = w->rows.top4,
                           .lane_top = w->lanes.top,
                           .row_lead = w->rows.lead,
                           .lane_lead = w->lanes.lead,
                           .row_forced = w->rows.forced,
                           .count = w->count,
                           .rows = w->rows.rows,
                           .row_padded = w->rows.padded,
                           .lane_padded = w->lanes.padded,
                           .bits = w->model->window_bits,
                           .drop_bits = w->model->drop_bits,
                           .lead = _mm512_set1_epi32((int)((uint32_t)w->rows.lead[0] + (uint32_t)w->lanes.lead[0] + (127u << 23)))};
    unsigned lane = 0;
    for (; lane + BLOCK <= p.lane_padded; lane += BLOCK)
        run_block(w, &p, kind, lane, 4);
    for (; lane < p.lane_padded; lane += V)
        run_block(w, &p, kind, lane, 1);
}

VECTOR static void run_single(struct tile_window *w)
{
    run_blocks(w, (struct kind){.fixed = true});
}
VECTOR static void run_single_half(struct tile_window *w)
{
    run_blocks(w, (struct kind){.fixed = true, .half = true});
}
VECTOR static void run_wide(struct tile_window *w)
{
    run_blocks(w, (struct kind){.wide = true, .fixed = true});
}
VECTOR static void run_wide_half(struct tile_window *w)
{
    run_blocks(w, (struct kind){.wide = true, .fixed = true, .half = true});
}
VECTOR static void run_scaled(struct tile_window *w)
{
    run_blocks(w, (struct kind){.wide = true});
}
VECTOR static void run_ranged(struct tile_window *w)
{
    run_blocks(w, (struct kind){.ranged = true});
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

INLINE __m512i saturated(__m512i acc, __m512i sum)
{
    const __m512i total = _mm512_add_epi32(acc, sum);
    const __mmask16 overflow = _mm512_movepi32_mask(_mm512_ternarylogic_epi32(acc, sum, total, 0x42));
    const __m512i limit = _mm512_xor_si512(_mm512_srai_epi32(acc, 31), _mm512_set1_epi32(INT32_MAX));
    return _mm512_mask_mov_epi32(total, overflow, limit);
}

INLINE __m512i pair_products(__m512i x, const uint32_t *y)
{
    return _mm512_madd_epi16(x, _mm512_loadu_si512(y));
}

INLINE void integer_row(const struct tile_integers *t, unsigned row, unsigned lane, unsigned vectors)
{
    const uint32_t *x = t->row_pairs + row, *y = t->lane_pairs + lane;
    __m512i s0 = _mm512_setzero_si512(), s1 = s0, s2 = s0, s3 = s0;
    for (unsigned i = 0; i < t->pairs; i++, x += t->rows_padded, y += t->lanes_padded) {
        const __m512i a = _mm512_set1_epi32((int)*x);
        s0 = _mm512_add_epi32(s0, pair_products(a, y));
        if (vectors == 4) {
            s1 = _mm512_add_epi32(s1, pair_products(a, y + V));
            s2 = _mm512_add_epi32(s2, pair_products(a, y + 2 * V));
            s3 = _mm512_add_epi32(s3, pair_products(a, y + 3 * V));
        }
    }
    const __m512i sum[4] = {s0, s1, s2, s3};
    for (unsigned v = 0; v < vectors; v++) {
        uint32_t *const at = t->acc + row * t->acc_stride + lane + v * V;
        const __m512i acc = _mm512_loadu_si512(at);
        _mm512_storeu_si512(at, t->saturate ? saturated(acc, sum[v]) : _mm512_add_epi32(acc, sum[v]));
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
INLINE __m512i group_dots(const struct tile_groups *t, unsigned group, unsigned row, unsigned lane)
{
    const uint32_t *x = t->row.quads + (size_t)group * TILE_GROUP / 4 * t->row.padded + row;
    const uint32_t *y = t->lane.quads + (size_t)group * TILE_GROUP / 4 * t->lane.padded + lane;
    __m512i pairs = _mm512_setzero_si512();
    for (unsigned i = 0; i < TILE_GROUP / 4; i++, x += t->row.padded, y += t->lane.padded)
        pairs = _mm512_add_epi16(pairs, _mm512_maddubs_epi16(_mm512_set1_epi32((int)*x), _mm512_loadu_si512(y)));
    return _mm512_sub_epi32(_mm512_madd_epi16(pairs, _mm512_set1_epi16(1)),
                            _mm512_loadu_si512(t->lane.twelfths + (size_t)group * t->lane.padded + lane));
}

/* The largest product exponents of one group, without its scales: a byte a lane. */
INLINE __m128i group_tops(const struct tile_groups *t, unsigned group, unsigned row, unsigned lane)
{
    const int8_t *top = t->lane.top + (size_t)group * TILE_GROUP * t->lane.padded + lane;
    const uint32_t *top4 = t->row.top4 + (size_t)group * TILE_GROUP * t->row.padded + row;
    __m128i most = _mm_set1_epi8(2 * TILE_TOP_ZERO);
    for (unsigned i = 0; i < TILE_GROUP; i++, top += t->lane.padded, top4 += t->row.padded)
        most = _mm_max_epi8(most, _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)top), _mm_set1_epi32((int)*top4)));
    return most;
}

enum { NO_TOP = -10000 };

/* Exponents of 16 lanes over all groups. */
struct group_frame {
    __m512i unit; /* exponent of one unit of the sum */
    __mmask16 out;
};

INLINE struct group_frame frame_groups(const struct tile_groups *t, unsigned row, unsigned lane, __m512i c)
{
    const __m512i none = _mm512_set1_epi32(NO_TOP), magnitude = _mm512_and_si512(c, _mm512_set1_epi32(INT32_MAX));
    __m512i products = none, scales = none, least = _mm512_set1_epi32(-NO_TOP);
    for (unsigned g = 0; g < t->groups; g++) {
        const __m512i top = _mm512_cvtepi8_epi32(group_tops(t, g, row, lane));
        const __mmask16 some = _mm512_cmpge_epi32_mask(top, _mm512_setzero_si512());
        const __m512i scale = _mm512_add_epi32(_mm512_loadu_si512(t->lane.scale_top + (size_t)g * t->lane.padded + lane),
                                               _mm512_set1_epi32(t->row.scale_top[(size_t)g * t->row.padded + row]));
        products = _mm512_mask_max_epi32(products, some, products, _mm512_add_epi32(top, scale));
        scales = _mm512_mask_max_epi32(scales, some, scales, scale);
        least = _mm512_mask_min_epi32(least, some, least, scale);
    }
    const __m512i biased = _mm512_max_epi32(_mm512_srli_epi32(magnitude, 23), _mm512_set1_epi32(1));
    const __m512i c_top = _mm512_mask_sub_epi32(none, _mm512_test_epi32_mask(magnitude, magnitude), biased, _mm512_set1_epi32(127));
    const __mmask16 by_c = t->by_scales ? _mm512_cmpgt_epi32_mask(c_top, scales) : _mm512_cmpge_epi32_mask(c_top, products);
    const __m512i leader = _mm512_mask_mov_epi32(scales, by_c, c_top);
    struct group_frame f = {.out = _mm512_cmpeq_epi32_mask(biased, _mm512_set1_epi32(255))};
    if (!t->by_scales)
        f.out |=
            (__mmask16)(~by_c & _mm512_cmpge_epi32_mask(_mm512_sub_epi32(scales, least), _mm512_set1_epi32(TILE_SCALE_SPREAD)));
    /* Without any term the unit does not matter, but its power of two must exist. */
    f.unit = _mm512_max_epi32(_mm512_sub_epi32(leader, _mm512_set1_epi32(t->window_bits)), _mm512_set1_epi32(-600));
    return f;
}

/* 2^x for eight lanes. */
INLINE __m512d powers(__m256i x)
{
    return _mm512_castsi512_pd(_mm512_slli_epi64(_mm512_add_epi64(_mm512_cvtepi32_epi64(x), _mm512_set1_epi64(1023)), 52));
}

/* D of eight lanes. Sums of groups times scales, and those times powers of two, are exact in f64; so is the sum in 64 bits. */
INLINE __m256 group_eight(const struct tile_groups *t, unsigned row, unsigned lane, __m256i unit, __m256 c, const __m256i *dots,
                          __mmask8 *tiny)
{
    const __m512d down = powers(_mm256_sub_epi32(_mm256_setzero_si256(), unit)),
                  quarter = _mm512_mul_pd(down, _mm512_set1_pd(0.25));
    __m512i units = _mm512_cvttpd_epi64(_mm512_mul_pd(_mm512_cvtps_pd(c), down));
    for (unsigned g = 0; g < t->groups; g++) {
        const __m512d scale = _mm512_mul_pd(_mm512_loadu_pd(t->lane.scale + (size_t)g * t->lane.padded + lane),
                                            _mm512_set1_pd(t->row.scale[(size_t)g * t->row.padded + row]));
        const __m512d product = _mm512_mul_pd(_mm512_cvtepi32_pd(dots[2 * g]), scale);
        units = _mm512_add_epi64(units, _mm512_cvttpd_epi64(_mm512_mul_pd(product, quarter)));
    }
    const __m512d kept = _mm512_cvtps_pd(_mm512_cvt_roundepi64_ps(units, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    const __m512d d = _mm512_mul_pd(kept, powers(unit));
    /* Subnormal results have rules of their own, and would be rounded here. */
    *tiny = _mm512_mask_cmp_pd_mask(_mm512_test_epi64_mask(units, units), _mm512_abs_pd(d), _mm512_set1_pd(0x1p-126), _CMP_LT_OQ);
    return _mm512_cvtpd_ps(d);
}

INLINE void group_lanes(const struct tile_groups *t, unsigned row, unsigned lane, __mmask16 forced)
{
    const size_t at = row * t->acc_stride + lane;
    const __m512i c = _mm512_loadu_si512(t->acc + at);
    const struct group_frame f = frame_groups(t, row, lane, c);
    __m256i dots[2 * TILE_GROUPS_MAX];
    for (unsigned g = 0; g < t->groups; g++)
        _mm512_storeu_si512(&dots[2 * g], group_dots(t, g, row, lane));
    __mmask8 tiny_low, tiny_high;
    const __m256 low =
        group_eight(t, row, lane, _mm512_castsi512_si256(f.unit), _mm256_castsi256_ps(_mm512_castsi512_si256(c)), dots, &tiny_low);
    const __m256 high = group_eight(t, row, lane + 8, _mm512_extracti64x4_epi64(f.unit, 1),
                                    _mm256_castsi256_ps(_mm512_extracti64x4_epi64(c, 1)), dots + 1, &tiny_high);
    _mm512_storeu_ps(t->acc + at, _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1));
    for (unsigned left = (unsigned)(f.out | forced) | tiny_low | (unsigned)tiny_high << 8; left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t words[V];
        _mm512_storeu_si512(words, c);
        if (lane + i < t->lanes)
            t->acc[at + i] = t->exact(t->context, row, lane + i, words[i]);
    }
}

VECTOR static void groups(const struct tile_groups *t)
{
    for (unsigned lane = 0; lane < t->lane.padded; lane += V) {
        const __mmask16 forced =
            _mm_test_epi8_mask(_mm_loadu_si128((const __m128i *)(const void *)(t->lane.forced + lane)), _mm_set1_epi8(1));
        for (unsigned row = 0; row < t->rows; row++)
            group_lanes(t, row, lane, t->row.forced[row] != 0 ? (__mmask16)UINT16_MAX : forced);
    }
}

/* ---- f64 ---- */

VECTOR static void chain(const struct tile_chain *t)
{
    for (unsigned row = 0; row < t->rows; row++)
        for (unsigned lane = 0; lane < t->lanes_padded; lane += 8) {
            double *const acc = t->acc + (size_t)row * t->lanes_padded + lane;
            __m512d d = _mm512_loadu_pd(acc);
            for (unsigned i = 0; i < t->count; i++)
                d = _mm512_fmadd_pd(_mm512_set1_pd(t->row_values[(size_t)i * t->rows_padded + row]),
                                    _mm512_loadu_pd(t->lane_values + (size_t)i * t->lanes_padded + lane), d);
            _mm512_storeu_pd(acc, d);
        }
}

/* ---- Accumulators ---- */

VECTOR static void widen(uint32_t *f32, const uint16_t *f16, size_t count)
{
    size_t i = 0;
    for (; i + V <= count; i += V)
        _mm512_storeu_ps(f32 + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(f16 + i))));
    tw_num_tile_plain.widen(f32 + i, f16 + i, count - i);
}

VECTOR static void narrow(uint16_t *f16, const uint32_t *f32, size_t count)
{
    size_t i = 0;
    for (; i + V <= count; i += V)
        _mm256_storeu_si256((__m256i *)(void *)(f16 + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(f32 + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    tw_num_tile_plain.narrow(f16 + i, f32 + i, count - i);
}

/* An f16 sum rounded to f32 and then to f16 is rounded right: f32 has more than twice the bits and two. */
VECTOR static void add(uint32_t *acc, const uint32_t *sum, size_t count, bool half)
{
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff));
    size_t i = 0;
    for (; i + V <= count; i += V) {
        __m512 d = _mm512_add_ps(_mm512_loadu_ps(acc + i), _mm512_loadu_ps(sum + i));
        if (half)
            d = _mm512_cvtph_ps(_mm512_cvtps_ph(d, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        _mm512_storeu_ps(acc + i, _mm512_mask_mov_ps(d, _mm512_cmp_ps_mask(d, d, _CMP_UNORD_Q), nan));
    }
    tw_num_tile_plain.add(acc + i, sum + i, count - i, half);
}

const struct tile_kernels tw_num_tile_avx512 = {
    .window = window, .integers = integers, .groups = groups, .chain = chain, .widen = widen, .narrow = narrow, .add = add};
#endif
