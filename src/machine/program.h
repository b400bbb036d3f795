/* A module in a device's memory. */
#ifndef TW_MACHINE_PROGRAM_H
#define TW_MACHINE_PROGRAM_H

#include "machine/launch.h"

struct program {
    struct arena *arena;
    const struct ptx_module *module;
    struct memory *memory;
    uint64_t *var_at;     /* of module->vars: guest address of .global, offset in the const window of .const; else 0 */
    uint8_t *const_bytes; /* the const window */
    uint32_t const_size;
};

/* The kernel of that name, or NULL after an error in diags. */
const struct ptx_func *tw_program_entry(const struct program *p, const char *entry, struct diags *diags);

/* The value of a function's address: opaque to the guest, an index for the machine. */
#define TW_CODE_BASE UINT64_C(0x600000000000)
static inline uint64_t code_address(uint32_t func) { return TW_CODE_BASE + (uint64_t)func * 16; }

#endif
