/* Guest memory that other host threads may touch at the same moment: moved by relaxed atomics of the largest aligned
 * units, so that a race of the kernel is no race of the host. Elements that are aligned to their size do not tear. */
#ifndef TW_MACHINE_GUEST_H
#define TW_MACHINE_GUEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TW_GUEST_LOAD(type, at) __atomic_load_n((const type *)(const void *)(at), __ATOMIC_RELAXED)
#define TW_GUEST_STORE(type, at, value) __atomic_store_n((type *)(void *)(at), (type)(value), __ATOMIC_RELAXED)

/* The largest of 8, 4, 2, 1 that divides both addresses and is not above `bytes`. */
static inline size_t guest_unit(const void *a, size_t bytes)
{
    size_t unit = 8;
    while (unit > bytes || ((uintptr_t)a & (unit - 1)) != 0)
        unit /= 2;
    return unit;
}

static inline uint64_t guest_load(const uint8_t *at, size_t unit)
{
    return unit == 8 ? TW_GUEST_LOAD(uint64_t, at) : unit == 4 ? TW_GUEST_LOAD(uint32_t, at) : unit == 2 ? TW_GUEST_LOAD(uint16_t, at)
                                                                                                      : TW_GUEST_LOAD(uint8_t, at);
}

static inline void guest_store(uint8_t *at, uint64_t value, size_t unit)
{
    if (unit == 8)
        TW_GUEST_STORE(uint64_t, at, value);
    else if (unit == 4)
        TW_GUEST_STORE(uint32_t, at, value);
    else if (unit == 2)
        TW_GUEST_STORE(uint16_t, at, value);
    else
        TW_GUEST_STORE(uint8_t, at, value);
}

/* From guest memory to memory of the host's own. */
static inline void guest_read(void *to, const uint8_t *from, size_t bytes)
{
    size_t i = 0;
    if (((uintptr_t)from & 7) == 0)
        for (; bytes - i >= 8; i += 8) {
            const uint64_t word = TW_GUEST_LOAD(uint64_t, from + i);
            memcpy((uint8_t *)to + i, &word, 8);
        }
    while (i < bytes) {
        const size_t unit = guest_unit(from + i, bytes - i);
        const uint64_t word = guest_load(from + i, unit);
        memcpy((uint8_t *)to + i, &word, unit);
        i += unit;
    }
}

/* The other way round. */
static inline void guest_write(uint8_t *to, const void *from, size_t bytes)
{
    size_t i = 0;
    if (((uintptr_t)to & 7) == 0)
        for (; bytes - i >= 8; i += 8) {
            uint64_t word;
            memcpy(&word, (const uint8_t *)from + i, 8);
            TW_GUEST_STORE(uint64_t, to + i, word);
        }
    while (i < bytes) {
        const size_t unit = guest_unit(to + i, bytes - i);
        uint64_t word = 0;
        memcpy(&word, (const uint8_t *)from + i, unit);
        guest_store(to + i, word, unit);
        i += unit;
    }
}

#endif
