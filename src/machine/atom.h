/* What one read-modify-write does to one element: atom and red, and the reductions of bulk copies. */
#ifndef TW_MACHINE_ATOM_H
#define TW_MACHINE_ATOM_H

#include "num/format.h"

#include <stdbool.h>
#include <stdint.h>

enum atom_op { ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS, ATOM_ADD, ATOM_INC, ATOM_DEC, ATOM_MIN, ATOM_MAX };

struct atom_call {
    enum atom_op op;
    enum num_format format; /* of one element */
    unsigned bits;          /* of an element in memory: 16, 32, 64 */
    unsigned halves;        /* 2 for f16x2 and bf16x2 */
    bool is_float, is_signed, ftz;
};

/* The operation that a modifier (enum isa_mod) names. */
enum atom_op tw_atom_op(unsigned mod);
/* The new word of the element. `cas` is the new value of compare-and-swap; `global`: the element is in global memory. */
uint64_t tw_atom_value(const struct atom_call *c, uint64_t old, uint64_t b, uint64_t cas, bool global);

#endif
