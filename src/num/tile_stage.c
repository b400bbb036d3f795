/* Staging: words in memory, row by row, become [i][padded], position by position.
 *
 * For operands whose elements follow each other in memory this is a transposition. Where SSE2 is there (all x86-64) it is
 * done 8 rows by 8 elements at a time; the scalar loop does the rest, and everything elsewhere. */
#include "num/tile_run.h"

#include "base/bits.h"

#if defined __SSE2__
#include <emmintrin.h>
#endif

static size_t place(const struct span *s, unsigned i)
{
    return s->first + (size_t)(i / 2) * s->pair_step + i % 2;
}

struct target {
    uint32_t *to;
    unsigned padded, low;
    uint32_t mask;
};

/* Rows [from_row, rows) and positions [from_i, count). */
static inline __attribute__((always_inline)) void stage_scalar(const struct num_tile_words *from, unsigned from_row, unsigned rows,
                                                               unsigned from_i, const struct span *span, unsigned bytes,
                                                               const struct target *t)
{
    const size_t row_pace = from->row_stride * bytes, pace = from->step * bytes;
    const uint8_t *const base = (const uint8_t *)from->words;
    if (from->row_stride < from->step) {
        for (unsigned i = from_i; i < span->count; i++)
            for (unsigned row = from_row; row < rows; row++)
                t->to[(size_t)i * t->padded + row] =
                    (uint32_t)(load_word(base + place(span, i) * pace + row * row_pace, bytes) >> t->low) & t->mask;
        return;
    }
    for (unsigned row = from_row; row < rows; row++)
        for (unsigned i = from_i; i < span->count; i++)
            t->to[(size_t)i * t->padded + row] =
                (uint32_t)(load_word(base + place(span, i) * pace + row * row_pace, bytes) >> t->low) & t->mask;
}

static void stage_rest(const struct num_tile_words *from, unsigned from_row, unsigned rows, unsigned from_i,
                       const struct span *span, const struct target *t)
{
    if (from->word_bytes == 1)
        stage_scalar(from, from_row, rows, from_i, span, 1, t);
    else if (from->word_bytes == 2)
        stage_scalar(from, from_row, rows, from_i, span, 2, t);
    else if (from->word_bytes == 4)
        stage_scalar(from, from_row, rows, from_i, span, 4, t);
    else
        stage_scalar(from, from_row, rows, from_i, span, 8, t);
}

#if defined __SSE2__

static inline __m128i load16(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline void put16(const struct target *t, unsigned i, unsigned row, __m128i x)
{
    _mm_storeu_si128((__m128i *)(void *)(t->to + (size_t)i * t->padded + row), _mm_and_si128(x, _mm_set1_epi32((int)t->mask)));
}

/* Eight rows of eight 16-bit elements, transposed. */
static inline void transpose(__m128i *r)
{
    __m128i a[8], b[8];
    for (unsigned i = 0; i < 4; i++) {
        a[2 * i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
        a[2 * i + 1] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        b[4 * i] = _mm_unpacklo_epi32(a[4 * i], a[4 * i + 2]);
        b[4 * i + 1] = _mm_unpackhi_epi32(a[4 * i], a[4 * i + 2]);
        b[4 * i + 2] = _mm_unpacklo_epi32(a[4 * i + 1], a[4 * i + 3]);
        b[4 * i + 3] = _mm_unpackhi_epi32(a[4 * i + 1], a[4 * i + 3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        r[2 * i] = _mm_unpacklo_epi64(b[i], b[i + 4]);
        r[2 * i + 1] = _mm_unpackhi_epi64(b[i], b[i + 4]);
    }
}

/* Positions i and on of eight rows; of eight neighbours every pair, or every other pair. */
static void put_eight(const struct span *span, const struct target *t, unsigned i, unsigned row, const __m128i *column)
{
    const __m128i zero = _mm_setzero_si128();
    for (unsigned k = 0; k < 8; k += span->pair_step)
        for (unsigned half = 0; half < 2; half++, i++) {
            put16(t, i, row, _mm_unpacklo_epi16(column[k + half], zero));
            put16(t, i, row + 4, _mm_unpackhi_epi16(column[k + half], zero));
        }
}

/* Whole blocks of 8 x 8 narrow words; returns the first position that is left. */
static unsigned stage_narrow(const struct num_tile_words *from, unsigned rows, const struct span *span, const struct target *t)
{
    const unsigned bytes = from->word_bytes, each = 16 / span->pair_step; /* positions in eight neighbours */
    const size_t row_pace = from->row_stride * bytes;
    unsigned i = 0;
    for (; i + each <= span->count && place(span, i) + 8 <= place(span, span->count - 1) + 1; i += each)
        for (unsigned row = 0; row < rows; row += 8) {
            const uint8_t *at = (const uint8_t *)from->words + row * row_pace + place(span, i) * bytes;
            __m128i r[8];
            for (unsigned j = 0; j < 8; j++, at += row_pace)
                r[j] = bytes == 2 ? load16(at)
                                  : _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)at), _mm_setzero_si128());
            transpose(r);
            put_eight(span, t, i, row, r);
        }
    return i;
}

/* The same for blocks of 4 x 4 words of 32 bits. */
static unsigned stage_words(const struct num_tile_words *from, unsigned rows, const struct span *span, const struct target *t)
{
    const size_t row_pace = from->row_stride * 4;
    const __m128i low = _mm_cvtsi32_si128((int)t->low);
    unsigned i = 0;
    for (; i + 4 <= span->count; i += 4)
        for (unsigned row = 0; row < rows; row += 4) {
            const uint8_t *const at = (const uint8_t *)from->words + row * row_pace + place(span, i) * 4;
            const __m128i r0 = load16(at), r1 = load16(at + row_pace), r2 = load16(at + 2 * row_pace),
                          r3 = load16(at + 3 * row_pace);
            const __m128i a = _mm_unpacklo_epi32(r0, r1), b = _mm_unpackhi_epi32(r0, r1), c = _mm_unpacklo_epi32(r2, r3),
                          d = _mm_unpackhi_epi32(r2, r3);
            put16(t, i, row, _mm_srl_epi32(_mm_unpacklo_epi64(a, c), low));
            put16(t, i + 1, row, _mm_srl_epi32(_mm_unpackhi_epi64(a, c), low));
            put16(t, i + 2, row, _mm_srl_epi32(_mm_unpacklo_epi64(b, d), low));
            put16(t, i + 3, row, _mm_srl_epi32(_mm_unpackhi_epi64(b, d), low));
        }
    return i;
}

/* Returns the positions that are done for the rows below *rows_done. */
static unsigned stage_blocks(const struct num_tile_words *from, unsigned rows, const struct span *span, const struct target *t,
                             unsigned *rows_done)
{
    *rows_done = rows & ~7u;
    if (from->step != 1 || *rows_done == 0 || span->count == 0)
        return 0;
    if (from->word_bytes <= 2 && t->low == 0)
        return stage_narrow(from, *rows_done, span, t);
    if (from->word_bytes == 4 && span->pair_step == 2)
        return stage_words(from, *rows_done, span, t);
    return 0;
}

#else

static unsigned stage_blocks(const struct num_tile_words *from, unsigned rows, const struct span *span, const struct target *t,
                             unsigned *rows_done)
{
    (void)from, (void)rows, (void)span, (void)t;
    *rows_done = 0;
    return 0;
}

#endif

void tw_num_tile_stage(const struct num_tile_words *from, unsigned rows, unsigned padded, const struct span *span,
                       enum num_format f, uint32_t *to)
{
    const struct num_format_info *info = tw_num_format(f);
    const unsigned low = info->unused_low_bits;
    const struct target t = {to, padded, low, (uint32_t)bits_mask(info->storage_bits - low)};
    unsigned rows_done = 0;
    const unsigned done = stage_blocks(from, rows, span, &t, &rows_done);
    if (done < span->count)
        stage_rest(from, 0, rows_done, done, span, &t);
    if (rows_done < rows)
        stage_rest(from, rows_done, rows, 0, span, &t);
    if (rows < padded)
        for (unsigned i = 0; i < span->count; i++)
            memset(to + (size_t)i * padded + rows, 0, (padded - rows) * sizeof *to);
}
