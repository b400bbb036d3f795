/* Exact decimal text of a word, and correctly rounded words of decimal text. No locale, no host float. */
#ifndef TW_NUM_DECIMAL_H
#define TW_NUM_DECIMAL_H

#include "base/text.h"
#include "num/format.h"

/* The word in hexadecimal and its exact value: "0x3dcccccd = 0.100000001490116119384765625", "0x7f800000 = inf",
 * "0x7fffffff = nan". Integers print as the number alone. */
void tw_num_print(struct text *out, enum num_format f, uint64_t word);
/* The exact value alone: "-0", "65504", "1.40129846432481707092372958328991613128026194187651577175706828388979108268586060148663818836212158203125e-45". */
void tw_num_print_decimal(struct text *out, enum num_format f, uint64_t word);

enum num_parse {
    NUM_PARSED,
    NUM_PARSE_OVERFLOW, /* too large for the format: *word is its infinity, or its largest number where it has none */
    NUM_PARSE_MALFORMED /* not a decimal literal: *word is not written                                              */
};
/* [+-] digits [. digits] [e [+-] digits], one digit at least before or after the point, single underscores between
 * digits as in Python; "inf" and "nan" are not literals. Rounds to nearest even, once, whatever the number of digits.
 * Integer formats accept integral values only when they fit. */
enum num_parse tw_num_parse_decimal(struct str text, enum num_format f, uint64_t *word);

#endif
