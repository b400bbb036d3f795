#include "diag/diag.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

static const struct diag_row rows[DIAG_CODE_COUNT] = {
#define TW_DIAG(code, severity, title, text) [code] = {#code, severity, title, text},
#include "diag/diag_codes.def"
#undef TW_DIAG
};

const struct diag_row *tw_diag_row(enum diag_code code)
{
    assert(code < DIAG_CODE_COUNT);
    return &rows[code];
}

static bool same_code(struct str name, const char *row_name)
{
    if (name.len != strlen(row_name))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.at[i];
        if ((c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c) != row_name[i])
            return false;
    }
    return true;
}

enum diag_code tw_diag_find(struct str name)
{
    for (int i = 0; i < DIAG_CODE_COUNT; i++)
        if (same_code(name, rows[i].name))
            return (enum diag_code)i;
    return DIAG_CODE_COUNT;
}

void tw_diags_init(struct diags *ds, struct arena *arena, const struct sources *sources)
{
    *ds = (struct diags){.arena = arena, .sources = sources};
}

struct diag *tw_diag(struct diags *ds, enum diag_code code, struct src_span at, const char *format, ...)
{
    struct diag *d = arena_new(ds->arena, struct diag, 1);
    *d = (struct diag){.owner = ds, .code = code, .at = at};
    va_list args;
    va_start(args, format);
    d->message = tw_formatv(ds->arena, format, args);
    va_end(args);
    if (tw_diag_row(code)->severity == DIAG_ERROR && ds->error_count++ >= TW_MAX_DIAGS) {
        ds->held_back++;
        return d;
    }
    *vec_push(ds->arena, &ds->list) = d;
    return d;
}

#define SETTER(field)                                            \
    void tw_diag_##field(struct diag *d, const char *format, ...) \
    {                                                            \
        va_list args;                                            \
        va_start(args, format);                                  \
        d->field = tw_formatv(d->owner->arena, format, args);    \
        va_end(args);                                            \
    }
SETTER(expected)
SETTER(found)
SETTER(fix)
SETTER(spec)
#undef SETTER

void tw_diag_note(struct diag *d, struct src_span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct diag_place *p = vec_push(d->owner->arena, &d->notes);
    p->at = at;
    p->text = tw_formatv(d->owner->arena, format, args);
    va_end(args);
}
