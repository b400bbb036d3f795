/* The tensor-core examples as tables: what each takes, and what it must give, element by element.
 *
 * A reference is a plain function of the inputs, in double. Inputs are drawn so that every sum is exact in the kernel's
 * accumulator, and results are compared for equality; only where a kernel computes what double cannot give exactly (an
 * exponential) has an output a tolerance. `make examples` and the tests run the same tables; a family of examples is a
 * file catalogue_*.c with its list. */
#ifndef TW_EXAMPLES_CATALOGUE_H
#define TW_EXAMPLES_CATALOGUE_H

#include "examples/numbers.h"
#include "tilewright/tilewright.h"

enum { EXAMPLE_INPUTS = 6, EXAMPLE_OUTPUTS = 2 };

struct example_tensor {
    const char *name;
    enum example_format format;
    int rows, columns; /* leading dimensions are folded into the rows */
    enum example_fill fill;
};

struct example_data {
    unsigned char *input[EXAMPLE_INPUTS]; /* as the kernel sees them */
    double *value[EXAMPLE_INPUTS];        /* element by element */
    const struct example *of;
};

/* The value that the output has at (row, column). */
typedef double example_value(const struct example_data *d, int row, int column);

struct example_output {
    struct example_tensor tensor;
    example_value *value;
    double tolerance; /* largest allowed distance from `value`; 0: equal */
};

struct example {
    const char *path;
    const char *what;
    const char *arch; /* what it is compiled for */
    struct example_tensor inputs[EXAMPLE_INPUTS]; /* up to the first without a name */
    struct example_output outputs[EXAMPLE_OUTPUTS];
};

#define IN(name_, format_, rows_, columns_) {name_, format_, rows_, columns_, EX_SMALL}
#define SCALES(name_, format_, rows_, columns_) {name_, format_, rows_, columns_, EX_SCALES}
#define OUT(name_, format_, rows_, columns_, value_) {{name_, format_, rows_, columns_, EX_SMALL}, value_, 0}

struct example_list {
    const struct example *rows;
    size_t count;
};
extern const struct example_list tw_examples_tcgen05, tw_examples_mma_sync, tw_examples_tma;

/* Example `index` of all lists, in order; NULL after the last. */
const struct example *tw_example_at(size_t index);
/* The first whose path contains `name`, or NULL. */
const struct example *tw_example_find(const char *name);

/* Element (row, column) of input number `input`. */
double tw_example_input(const struct example_data *d, int input, int row, int column);
/* Row m of input 0 times row n of input 1. */
example_value tw_example_product;
/* Inputs A, B, SFA, SFB: 32 or 16 values of K share a factor. */
example_value tw_example_scaled_by_32, tw_example_scaled_by_16;
/* Inputs A, B, C: C takes part from the start, and every step of 32 saturates. */
example_value tw_example_saturated;

/* How many elements of all outputs differ from the reference after a run with these seeds; UINT64_MAX if the kernel
 * did not run to its end (the context's diagnostics say why). */
uint64_t tw_example_run(tw_ctx *ctx, const struct example *e, tw_module *module, uint32_t fill_seed, uint64_t run_seed);

/* Runs on the CPU and on `gpu`, with floats of every significand (EX_WIDE): what is lost in sums must be the same. TW_OK if
 * every tensor is equal to the bit afterwards, else the context's diagnostics say what differs or failed. */
tw_status tw_example_compare(tw_ctx *ctx, const struct example *e, tw_module *module, uint32_t fill_seed, tw_device *gpu);

#endif
