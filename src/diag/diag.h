/* Diagnostics. A diagnostic is a code (one row of diag_codes.def), a place, one line of
 * message, and optional lines in fixed order: expected, found, fix, spec. Absent fields
 * are left out, never guessed. Notes add further places.
 *
 *     struct diag *d = tw_diag(diags, E0421, span, "operand %s of %s: ...", ...);
 *     tw_diag_expected(d, "..."); tw_diag_found(d, "..."); tw_diag_fix(d, "...");
 *
 * All text is formatted into the diags' arena. After TW_MAX_DIAGS errors further ones are
 * counted, not kept; tw_diag then returns a dummy that may be written to. */
#ifndef TW_DIAG_DIAG_H
#define TW_DIAG_DIAG_H

#include "base/text.h"
#include "diag/source.h"

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

enum diag_code {
#define TW_DIAG(code, severity, title, text) code,
#include "diag/diag_codes.def"
#undef TW_DIAG
    DIAG_CODE_COUNT
};

struct diag_row {
    const char *name;  /* "E0421" */
    enum diag_severity severity;
    const char *title; /* what kind of fault, one line */
    const char *text;  /* long explanation for `tilewright explain` */
};

const struct diag_row *tw_diag_row(enum diag_code code);
/* The code named "E0421" (any case), or DIAG_CODE_COUNT. */
enum diag_code tw_diag_find(struct str name);

struct diag_place {
    struct src_span at;
    const char *text;
};

struct diag {
    struct diags *owner;
    enum diag_code code;
    struct src_span at;
    const char *message, *expected, *found, *fix, *spec;
    VEC(struct diag_place) notes;
};

struct diags {
    struct arena *arena;
    const struct sources *sources;
    VEC(struct diag *) list;
    uint32_t error_count; /* all errors, kept or not */
    uint32_t held_back;
};

#define TW_PRINTF(f, a) __attribute__((format(printf, f, a)))

void tw_diags_init(struct diags *ds, struct arena *arena, const struct sources *sources);
struct diag *tw_diag(struct diags *ds, enum diag_code code, struct src_span at, const char *format, ...) TW_PRINTF(4, 5);
void tw_diag_expected(struct diag *d, const char *format, ...) TW_PRINTF(2, 3);
void tw_diag_found(struct diag *d, const char *format, ...) TW_PRINTF(2, 3);
void tw_diag_fix(struct diag *d, const char *format, ...) TW_PRINTF(2, 3);
void tw_diag_spec(struct diag *d, const char *format, ...) TW_PRINTF(2, 3);
void tw_diag_note(struct diag *d, struct src_span at, const char *format, ...) TW_PRINTF(3, 4);

/* All kept diagnostics in order, then how many were held back. */
void tw_diags_text(const struct diags *ds, struct text *out);
void tw_diags_json(const struct diags *ds, struct text *out);

#endif
