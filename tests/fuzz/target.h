/* What a fuzzer, and the test that replays its corpus, feed bytes to. Each target returns normally whatever the bytes are. */
#ifndef TW_TESTS_FUZZ_TARGET_H
#define TW_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* A PTX file: parsed and verified; what is legal is printed, parsed again, and must be the same. */
void fuzz_ptx(const uint8_t *bytes, size_t len);
/* A launch contract: read; what is legal is written, read again, and must be the same text. */
void fuzz_contract(const uint8_t *bytes, size_t len);
/* A PTX file whose kernels are run under small limits. */
void fuzz_run(const uint8_t *bytes, size_t len);
/* The same, after the static checks and watched for hazards. */
void fuzz_check(const uint8_t *bytes, size_t len);


/* The instruction tables, the same for all inputs: made on first use. */
struct isa;
const struct isa *fuzz_tables(void);

#endif
