/* The tensor-core examples as a table: what each takes, and what it must give, element by element.
 *
 * A reference is a plain function of the inputs, in double; all inputs are drawn so that every sum is exact in the
 * kernel's accumulator, so results are compared for equality. `make examples` and the tests run the same table. */
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
    unsigned char *input[EXAMPLE_INPUTS];
    const struct example *of;
};

/* The value that the output has at (row, column). */
typedef double example_value(const struct example_data *d, int row, int column);

struct example_output {
    struct example_tensor tensor;
    example_value *value;
};

struct example {
    const char *path;
    const char *what;
    struct example_tensor inputs[EXAMPLE_INPUTS]; /* up to the first without a name */
    struct example_output outputs[EXAMPLE_OUTPUTS];
};

extern const struct example tw_examples[];
extern const size_t tw_example_count;

/* How many elements of all outputs differ from the reference after a run with these seeds; UINT64_MAX if the kernel
 * did not run to its end (the context's diagnostics say why). */
uint64_t tw_example_run(tw_ctx *ctx, const struct example *e, tw_module *module, uint32_t fill_seed, uint64_t run_seed);

#endif
