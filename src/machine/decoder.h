/* The state of decoding one kernel: what decode.c and decode_operand.c share. */
#ifndef TW_MACHINE_DECODER_H
#define TW_MACHINE_DECODER_H

#include "machine/decode.h"
#include "machine/shared_layout.h"

struct unsupported {
    const struct ptx_func *func;
    const struct ptx_inst *inst; /* the first of its kind */
    const char *why;
    uint32_t count;
};

struct decoder {
    struct arena *arena;
    struct diags *diags;
    const struct program *program;
    const struct ptx_module *module;
    unsigned sm;
    const struct ptx_func *func;
    struct image *image;
    struct code *code;
    const struct shared_layout *shared;
    uint32_t *reg_ref;    /* of func->regs */
    uint64_t *var_offset; /* of func->vars: in shared, local or param memory */
    VEC(uint32_t) refs;
    VEC(uint8_t) consts;  /* 64-byte steps */
    struct strmap const_index; /* bytes + value -> offset */
    VEC(struct special_row) specials;
    VEC(struct unsupported) unsupported;
    bool reads_clock;     /* the instruction that is being decoded */
    const struct op_row *rows[OP_COUNT];
};

/* Bytes of a lane's slot for a register of so many bits; 0 for a predicate. */
static inline unsigned slot_bytes_of(unsigned bits)
{
    return bits <= 1 ? 0 : bits <= 32 ? 4 : bits / 8;
}

enum { ROW_ALIGN = 64 }; /* bytes: a row begins at a cache line */

#endif
