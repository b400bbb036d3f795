/* The entries that libFuzzer calls; FUZZ_TARGET names the target. Built by `make fuzz` alone. */
#include "fuzz/mutate.h"
#include "fuzz/target.h"

#define PASTED(a, b) a##b
#define FEED(target) PASTED(fuzz_, target)
#define MUTATE(target) PASTED(mutate_, target)

#define mutate_ptx fuzz_mutate_ptx
#define mutate_run fuzz_mutate_ptx
#define mutate_check fuzz_mutate_ptx
#define mutate_contract fuzz_mutate_contract

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t room);
const char *__asan_default_options(void);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    FEED(FUZZ_TARGET)(bytes, len);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t room, unsigned seed)
{
    return MUTATE(FUZZ_TARGET)(bytes, len, room, seed, LLVMFuzzerMutate);
}

/* What one input frees is guarded until the input has ended; a quarter of a gigabyte of it is only page faults. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8:thread_local_quarantine_size_kb=256";
}
