/* Bit fields of machine words, and small integer helpers. Bit positions are [low, low+count). */
#ifndef TW_BASE_BITS_H
#define TW_BASE_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t bits_mask(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static inline uint64_t bits_get(uint64_t word, unsigned low, unsigned count)
{
    return (word >> low) & bits_mask(count);
}

static inline uint64_t bits_put(uint64_t word, unsigned low, unsigned count, uint64_t value)
{
    assert((value & ~bits_mask(count)) == 0);
    return (word & ~(bits_mask(count) << low)) | value << low;
}

static inline bool is_pow2(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* floor(log2(n)), n > 0 */
static inline unsigned log2_floor(uint64_t n)
{
    assert(n != 0);
    return 63u - (unsigned)__builtin_clzll(n);
}

static inline uint64_t align_up(uint64_t n, uint64_t to)
{
    assert(to != 0);
    return (n + to - 1) / to * to;
}

#endif
