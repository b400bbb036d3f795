/* What a run does with tensors: what the launch contract says, and what options say, which come before it. */
#ifndef TW_CLI_TENSORS_H
#define TW_CLI_TENSORS_H

#include "cli/options.h"
#include "tilewright/tilewright.h"

struct tensor_uses {
    struct tensor_use {
        enum option_id id;      /* OPT_IN, OPT_FILL, OPT_OUT, OPT_EXPECT */
        const char *name;       /* the tensor */
        char *text;             /* the file, from here; or the kind of numbers. Owned */
        uint64_t seed;
        double rtol, atol;
    } *at;
    size_t count;
    bool quiet; /* agreement is not said */
};

enum { MOST_KIND = 32 };
/* KIND[:SEED] of --fill. */
bool parse_fill(const char *text, char kind[MOST_KIND], uint64_t *seed);

/* The uses of `args`: files of the contract lie beside it. A tolerance that was given as an option is everybody's. False when
 * memory is exhausted, after a message. */
bool tensor_uses_make(struct tensor_uses *uses, const struct options *o, const tw_args *args, double rtol, double atol);
void tensor_uses_free(struct tensor_uses *uses);
/* Contents before the run. */
tw_status tensor_uses_before(const struct tensor_uses *uses, tw_args *args);
/* Results after it: all of them, whatever one says. */
tw_status tensor_uses_after(const struct tensor_uses *uses, tw_args *args);

#endif
