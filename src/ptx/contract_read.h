/* Reading a launch contract: what contract.c and contract_map.c share. */
#ifndef TW_PTX_CONTRACT_READ_H
#define TW_PTX_CONTRACT_READ_H

#include "base/json.h"
#include "ptx/contract.h"

struct contract_reader {
    struct arena *arena;
    struct diags *diags;
    uint32_t file;
};

struct src_span tw_contract_span(const struct contract_reader *r, const struct json *v);
/* Report, and return false. */
bool tw_contract_wrong_type(struct contract_reader *r, const struct json *at, const char *field, const char *expected);
bool tw_contract_missing(struct contract_reader *r, const struct json *object, const char *field, const char *expected);
/* Refuses keys that are not in the NULL-terminated list. */
bool tw_contract_check_keys(struct contract_reader *r, const struct json *object, const char *const *known);
bool tw_contract_read_count(struct contract_reader *r, const struct json *v, const char *field, int64_t low, int64_t high, int64_t *out);
bool tw_contract_read_name(struct contract_reader *r, const struct json *object, const char *field, const char **out);

/* contract_map.c: the fields of an argument of kind tensor_map as written, then, with all tensors known, the rest. */
bool tw_contract_read_map(struct contract_reader *r, const struct json *v, struct contract_arg *a);
bool tw_contract_resolve_map(struct contract_reader *r, const struct contract *c, struct contract_arg *a);
void tw_contract_write_map(struct text *out, const struct contract_map *m);

#endif
