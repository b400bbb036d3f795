/* What one input needs, and the way out when a limit of its memory is hit. */
#ifndef TW_TESTS_FUZZ_BENCH_H
#define TW_TESTS_FUZZ_BENCH_H

#include "diag/diag.h"
#include "diag/source.h"
#include "isa/isa.h"

#include <stdbool.h>

enum { BENCH_BYTES = 2 << 20 }; /* of an input's arena, of memory, and of a launch: tensor memory of two CTAs is half of it */

struct bench {
    struct landing landing;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    uint32_t file;
    void *kept;                 /* what `use` has made beside the arena; given to `free_kept` in the end */
    void (*free_kept)(void *kept);
};

/* Gives the bytes as file `name` to `use`, then renders what has been reported: errors must be printable, too. */
void fuzz_with_bench(const char *name, const uint8_t *bytes, size_t len, void (*use)(struct bench *b));
/* Stops the fuzzer when a property does not hold. */
void fuzz_must_be(bool fine, const char *what, const char *why);

#endif
