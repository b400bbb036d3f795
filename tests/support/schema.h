/* JSON Schema, as much of it as docs/launch.schema.json uses: type, const, enum, minimum, maximum, items, minItems, maxItems,
 * properties, required, dependentRequired, additionalProperties: false, not, oneOf, $ref to #/$defs. A keyword that is not known fails the value, so
 * that a schema cannot ask for something in vain. */
#ifndef TW_TESTS_SUPPORT_SCHEMA_H
#define TW_TESTS_SUPPORT_SCHEMA_H

#include "base/json.h"
#include "base/text.h"

/* False with the reason in *why. `root` is the whole schema, `schema` the part that `value` must satisfy. */
bool tw_schema_valid(const struct json *root, const struct json *schema, const struct json *value, struct text *why);

/* The schema of launch contracts, from the repository's root; NULL when it cannot be read. */
const struct json *tw_launch_schema(struct arena *arena);

#endif
