/* T.TensorMap as the type of a parameter (lib_map.c). */
#ifndef TW_LANG_MAP_H
#define TW_LANG_MAP_H

#include "lang/eval.h"

extern const struct builtin_table tw_lib_map;

/* Whether an annotation's value is T.TensorMap without a description. */
bool tw_map_is_bare(struct value annotation);
/* Makes the parameter a tensor map; `type` NULL: not described. Its value is a pointer to the map. */
struct value tw_map_param(struct eval *ev, uint32_t index, struct map_type *type);
/* Whether a value is such a parameter. */
bool tw_map_is_parameter(const struct eval *ev, struct value v);
/* Once every tensor parameter has its shape: completes and checks what the kernel's maps are made from. */
void tw_map_finish(struct eval *ev);

#endif
