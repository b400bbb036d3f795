/* A device of the machine for one golden table: a kernel `k` with one buffer as its parameter. */
#ifndef TW_TESTS_GOLDEN_DEVICE_H
#define TW_TESTS_GOLDEN_DEVICE_H

#include "golden.h"

#include "diag/diag.h"

struct golden_device {
    struct arena *arena;
    struct sources sources;
    struct diags diags;
    struct memory *memory;
    struct program *program;
    uint64_t address;
    uint8_t *bytes; /* the buffer */
};

/* False, with the reason in out->not_run, if the text is refused. Close it in any case. */
bool golden_device_open(struct arena *arena, struct golden_device *d, const char *text, size_t bytes, struct golden_table *out);
/* False, with the reason, if the launch is refused. A run that faults is told in out->first, and compares as it is. */
bool golden_device_run(struct golden_device *d, uint32_t grid, uint32_t block, uint32_t dynamic_shared, struct golden_table *out);
void golden_device_close(struct golden_device *d);

#endif
