/* Random numbers of a mutation: SplitMix64, from the seed that libFuzzer gives, so that a mutation can be repeated. */
#ifndef TW_TESTS_FUZZ_DICE_H
#define TW_TESTS_FUZZ_DICE_H

#include <stdint.h>

struct dice {
    uint64_t state;
};

static inline uint64_t roll_word(struct dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 to sides - 1. */
static inline uint32_t roll(struct dice *d, uint32_t sides)
{
    return sides == 0 ? 0 : (uint32_t)(roll_word(d) >> 32) % sides;
}

#endif
