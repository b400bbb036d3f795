/* One conversion of a kernel's printf, and floating-point numbers in it. */
#ifndef TW_MACHINE_FORMAT_FLOAT_H
#define TW_MACHINE_FORMAT_FLOAT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct conversion {
    bool left, zero, plus, space, alternate;
    bool width_argument, precision_argument; /* '*' */
    uint32_t width;
    int32_t precision; /* -1: none */
    bool wide;         /* l, ll on a 64-bit value */
    uint8_t narrow;    /* 1: h, 2: hh */
    char letter;
};

/* Appends a double as the C library prints it (f F e E g G a A), rounded once to nearest even, in any locale. */
void tw_format_float(struct text *out, const struct conversion *c, uint64_t word);

#endif
