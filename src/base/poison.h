/* Under the address sanitizer an arena's blocks are poisoned except for what is handed out, so that one object's overrun
 * into its neighbour, or into what a rewind has taken back, is seen. Elsewhere this costs nothing. */
#ifndef TW_BASE_POISON_H
#define TW_BASE_POISON_H

#include <stddef.h>

#if defined __SANITIZE_ADDRESS__
#define TW_POISONS 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define TW_POISONS 1
#endif
#endif

#ifdef TW_POISONS
#include <sanitizer/asan_interface.h>
enum { POISON_GAP = 16 }; /* bytes between two objects */
#else
enum { POISON_GAP = 0 };
#endif

static inline void poison_bytes(const void *at, size_t bytes)
{
#ifdef TW_POISONS
    /* By way of a volatile: gcc takes fresh memory behind a pointer to const for memory that is read. */
    const void *volatile region = at;
    __asan_poison_memory_region(region, bytes);
#else
    (void)at;
    (void)bytes;
#endif
}

static inline void unpoison_bytes(const void *at, size_t bytes)
{
#ifdef TW_POISONS
    const void *volatile region = at;
    __asan_unpoison_memory_region(region, bytes);
#else
    (void)at;
    (void)bytes;
#endif
}

#endif
