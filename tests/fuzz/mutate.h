/* Mutations that keep most of an input legal, so that small inputs come deep. Each writes its result over `bytes` (room for
 * `room`) and returns the new length; they do the same for the same seed. */
#ifndef TW_TESTS_FUZZ_MUTATE_H
#define TW_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own mutation of bytes, handed in so that tests need no libFuzzer. */
typedef size_t fuzz_bytes_fn(uint8_t *bytes, size_t len, size_t room);

/* Statements are drawn, moved, doubled, deleted; modifiers and operands are changed for others of the catalogue. */
size_t fuzz_mutate_ptx(uint8_t *bytes, size_t len, size_t room, uint64_t seed, fuzz_bytes_fn *plain);
/* The same for launch contracts: members and values. */
size_t fuzz_mutate_contract(uint8_t *bytes, size_t len, size_t room, uint64_t seed, fuzz_bytes_fn *plain);

#endif
