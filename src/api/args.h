/* The inside of a tw_args handle, shared by args.c (names, scalars, launch) and tensors.c (contents). */
#ifndef TW_API_ARGS_H
#define TW_API_ARGS_H

#include "api/api.h"

struct arg_slot {
    const struct contract_arg *arg;
    uint64_t address, bytes; /* tensors, scratch: guest memory */
    uint8_t *map;            /* tensor maps: TENSOR_MAP_BYTES */
    uint64_t word;           /* scalars */
    bool has_value;
};

/* What the contract wants done with a tensor. */
struct arg_use {
    const struct contract_arg *arg;
    enum contract_use use;
};

struct tw_args {
    tw_device *device;
    tw_module *module;
    struct arena arena;
    const struct contract *contract;
    const char *entry;
    struct param_layout layout;
    struct arg_slot *slots; /* one an argument of the contract, then one a tensor that is no parameter */
    uint32_t slot_count;
    VEC(struct arg_use) uses; /* in the contract's order */
};

/* A tensor's present bytes, where the host can read and write them: the machine's own memory, or a copy of a GPU's, which
 * tw_args_store puts back. NULL, false: after a diagnostic. */
unsigned char *tw_args_bytes(tw_args *args, const struct arg_slot *slot);
bool tw_args_store(tw_args *args, const struct arg_slot *slot, const unsigned char *bytes);

/* The argument of that name and kind, or NULL after a diagnostic that lists the names. */
struct arg_slot *tw_args_find(tw_args *args, const char *name, enum contract_kind kind);

#endif
