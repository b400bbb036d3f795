/* The entry that libFuzzer calls; FUZZ_TARGET names the target. Built by `make fuzz` alone. */
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    FUZZ_TARGET(bytes, len);
    return 0;
}
