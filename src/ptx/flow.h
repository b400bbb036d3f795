/* The control flow of one thread through a function: basic blocks and what follows them, and which registers an
 * instruction names. What analyses of PTX share. */
#ifndef TW_PTX_FLOW_H
#define TW_PTX_FLOW_H

#include "ptx/module.h"

struct ptx_block {
    uint32_t first, last; /* instructions */
    uint32_t *next;       /* blocks that may follow */
    uint32_t next_count;
};

struct ptx_flow {
    struct ptx_block *blocks; /* in the order of the text; the first one is the function's beginning */
    uint32_t count;
};

struct ptx_flow tw_ptx_flow(struct arena *arena, const struct ptx_func *f);

/* Calls `visit` for every register that the instruction names: its guard, operands, and elements of vectors. Of a call
 * nothing is known: what it names is read and written. */
typedef void ptx_register_visit(void *context, uint32_t reg, bool read, bool write);
void tw_ptx_visit_registers(const struct ptx_func *f, const struct ptx_inst *in, ptx_register_visit *visit, void *context);

/* Sets of registers or blocks, as words of bits. */
enum { PTX_SET_BITS = 64 };
static inline uint32_t tw_ptx_set_words(uint32_t count)
{
    return count / PTX_SET_BITS + 1;
}
static inline bool tw_ptx_set_has(const uint64_t *set, uint32_t i)
{
    return (set[i / PTX_SET_BITS] >> (i % PTX_SET_BITS) & 1) != 0;
}
static inline void tw_ptx_set_add(uint64_t *set, uint32_t i)
{
    set[i / PTX_SET_BITS] |= UINT64_C(1) << (i % PTX_SET_BITS);
}
static inline void tw_ptx_set_drop(uint64_t *set, uint32_t i)
{
    set[i / PTX_SET_BITS] &= ~(UINT64_C(1) << (i % PTX_SET_BITS));
}

#endif
