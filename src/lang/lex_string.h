/* Where strings and f-string fields end. Used by the lexer, and again by the parser to split an
 * f-string into its parts. */
#ifndef TW_LANG_LEX_STRING_H
#define TW_LANG_LEX_STRING_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct string_extent {
    uint8_t flags; /* enum string_flag, STRING_TRIPLE filled in */
    bool closed;
    bool broken; /* a field is not well formed: quotes inside fields were not passed over */
    uint32_t body_begin, body_end, end;
};

/* prefix: any of r b f u rb br rf fr, in any case. */
bool tw_lang_string_prefix(struct str word, uint8_t *flags);
/* The string whose opening quote is text[quote_at]. */
struct string_extent tw_lang_scan_string(struct str text, uint32_t quote_at, uint8_t flags);

/* One replacement field of an f-string. */
struct string_field {
    uint32_t expr_begin, expr_end;
    bool shows_text; /* `{x=}` prints the expression's text as well */
    char conversion; /* 'r', 's', 'a', or 0 */
    bool has_spec;
    uint32_t spec_begin, spec_end; /* may hold nested fields */
    uint32_t end;                  /* behind the closing brace */
};

/* `at` is just behind the opening brace. Returns NULL, or what is wrong. */
const char *tw_lang_scan_field(struct str text, uint32_t at, struct string_field *out);

#endif
